/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout - every fact about the kernel's types and symbols that is used, and its origin.
 * Its text is a layout file, for -t.
 */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/types/layoutfile.h"
#include "model/kernel/source.h"
#include "model/kernel/texts.h"
#include "reports/core/cell.h"
#include "reports/core/common.h"

struct row {
	const char *id, *kind, *path, *source, *about;
	uint64_t present, needed, alternative, offset, size, count, stride;
	uint64_t bit_offset, bit_size, address;
	int64_t value;
	const struct fact_spec *spec;	/* no column; NULL for a rule */
};

#define STR(name, fl, about) COL(struct row, name, COL_STR, fl, "", about)
#define NUM(name, fl, about) COL(struct row, name, COL_UINT, fl, "", about)

static const struct column cols[] = {
	STR(id, COL_SHOWN, "name of the fact or rule in the program's tables"),
	STR(kind, COL_SHOWN, "member, size, enum, symbol or rule"),
	NUM(present, COL_SHOWN, "1: this kernel has it; rule: it holds"),
	NUM(needed, 0, "1: required; without it the report fails"),
	NUM(alternative, 0, "which spelling matched: 0 is the newest"),
	STR(path, COL_SHOWN, "the spelling that matched, or the newest one; rule: its sign"),
	COL(struct row, offset, COL_UINT, COL_SHOWN, "bytes", "of a member in its outer type"),
	COL(struct row, size, COL_UINT, COL_SHOWN, "bytes", "of a member or type"),
	NUM(count, 0, "elements of an array"),
	COL(struct row, stride, COL_UINT, 0, "bytes", "size of one element"),
	COL(struct row, bit_offset, COL_UINT, 0, "bits", "of a bit field, from its low end"),
	COL(struct row, bit_size, COL_UINT, 0, "bits", "width of a bit field"),
	COL(struct row, value, COL_INT, COL_SHOWN, "", "of an enumerator"),
	COL(struct row, address, COL_HEX, COL_SHOWN, "", "of a symbol, as this machine ran"),
	STR(source, COL_SHOWN, "source of the fact: btf, dwarf, kallsyms ...; rule: sign, level or version"),
	STR(about, 0, "meaning of a rule, and since which version"),
};

static const char *const kinds[] = {
	[FACT_MEMBER] = "member", [FACT_SIZE] = "size", [FACT_ENUM] = "enum",
	[FACT_SYMBOL] = "symbol",
};

/* A row whose columns of place and value are unknown. */
#define NO_PLACE                                                                                   \
	.offset = COL_UNKNOWN, .size = COL_UNKNOWN, .count = COL_UNKNOWN, .stride = COL_UNKNOWN,   \
	.bit_offset = COL_UNKNOWN, .bit_size = COL_UNKNOWN, .address = COL_UNKNOWN,                \
	.value = COL_UNKNOWN_INT

static void set_fact(const struct fact_spec *spec, const struct fact *f, struct row *r)
{
	bool has_it = f->alt >= 0;

	*r = (struct row){
		.id = spec->id,
		.kind = kinds[spec->kind],
		.spec = spec,
		.path = spec->alt[has_it ? f->alt : 0],
		.source = f->from,
		.present = has_it,
		.needed = spec->needed,
		.alternative = has_it ? (uint64_t)f->alt : COL_UNKNOWN,
		NO_PLACE,
	};
	if (!has_it)
		return;
	switch (spec->kind) {
	case FACT_MEMBER:
		r->offset = f->m.offset;
		r->size = f->m.size;
		if (f->m.is_array) {
			r->count = f->m.count;
			r->stride = f->m.stride;
		}
		if (f->m.bit_size) {
			r->bit_offset = f->m.bit_offset;
			r->bit_size = f->m.bit_size;
		}
		break;
	case FACT_SIZE: r->size = f->size; break;
	case FACT_ENUM: r->value = f->value; break;
	case FACT_SYMBOL: r->address = f->addr; break;
	}
}

static const char *since(const struct rule_spec *spec, struct arena *mem)
{
	const char *from = "ever", *until = "";
	char v[16];

	if (spec->era.from)
		from = arena_printf(mem, "since %s", mainline_text(spec->era.from, v, sizeof(v)));
	if (spec->era.until)
		until = arena_printf(mem, " until %s",
				     mainline_text(spec->era.until, v, sizeof(v)));
	return arena_printf(mem, "%s (%s%s%s%s)", spec->about, from, until,
			    *spec->backports ? "; also " : "", spec->backports);
}

/* The sign of the rule: "prints VmFlags:", "has shmem_swap_usage" ... */
static const char *sign_text(const struct sign *g, struct arena *mem)
{
	const char *text = g->text, *name;
	size_t n;

	switch (g->kind) {
	case SIGN_NONE: return NULL;
	case SIGN_PRINTS:
		while (strchr(text, '\n')) /* of several lines: the last */
			text = strchr(text, '\n') + 1;
		for (n = strlen(text); n && text[n - 1] == ' ';)
			n--;
		return arena_printf(mem, "prints \"%.*s\"", (int)n, text);
	case SIGN_FACT:
	case SIGN_FUNCTION:
	case SIGN_VARIABLE:
	case SIGN_GONE: break;
	}
	name = fact_specs[g->id].alt[0];
	return arena_printf(mem, g->kind == SIGN_GONE ? "has no %s" : "has %s", name);
}

/* "sign: while it prints ...", or "" where a rule has none. */
static const char *signs(const struct rule_spec *spec, struct arena *mem)
{
	const char *since = sign_text(&spec->since, mem), *until = sign_text(&spec->until, mem);

	return arena_printf(mem, "%s%s%s%s%s", since ? spec->whole ? "while it " : "once it " : "",
			    since ? since : "", since && until ? ", " : "",
			    until ? "until it " : "", until ? until : "");
}

static void set_rule(const struct rule_spec *spec, bool on, enum rule_judge judge, struct row *r,
		     struct arena *mem)
{
	static const char *const judges[] = {
		[JUDGE_SIGN] = "sign", [JUDGE_LEVEL] = "level", [JUDGE_RELEASE] = "version",
	};

	*r = (struct row){
		.id = spec->name,
		.kind = "rule",
		.present = on,
		.source = judges[judge],
		.path = signs(spec, mem),
		.about = since(spec, mem),
		NO_PLACE,
		.alternative = COL_UNKNOWN,
	};
}

static enum status layout_report(const struct snapshot *s, const struct report_opts *o,
				 struct table *t, struct diag *diag)
{
	struct row *rows = arena_array(&t->mem, struct row, LAYOUT_COUNT + RULE_COUNT);
	const struct rules *rules = kernel_texts_rules(s->k);
	unsigned n = 0;

	(void)o;
	(void)diag;
	for (int i = 0; i < LAYOUT_COUNT; i++)
		if (fact_specs[i].id)
			set_fact(&fact_specs[i], &s->k->layout.v[i], &rows[n++]);
	for (int i = 0; i < RULE_COUNT; i++)
		set_rule(&rule_specs[i], rules->on[i], rules->judge[i], &rows[n++], &t->mem);
	t->rows = rows;
	t->nrows = n;
	t->row_size = sizeof(*rows);
	return ST_OK;
}

/* What the rules were decided from. */
static void put_evidence(const struct kernel *k, FILE *out)
{
	const struct level *l = &k->rules.level;
	const struct image_texts *t = kernel_texts(k);
	char v[16];

	fputs("#\n# Rules: holds or not, told by a sign in the dump, by the level or by the version.\n",
	      out);
	if (l->known)
		fprintf(out, "# level: mm/ of %s (functions of the kernel)\n",
			mainline_text(l->version, v, sizeof(v)));
	else
		fputs("# level: unknown, the kernel's functions are not listed\n", out);
	if (!t || !t->known)
		fputs("# texts: the kernel's constant data are not in the dump\n", out);
	else if (t->partial)
		fputs("# texts: the kernel's constant data are not whole; a text that is not "
		      "found is unknown\n",
		      out);
}

static void layout_text(const struct snapshot *s, const struct report_opts *o,
			const struct table *t, FILE *out)
{
	struct arena mem = { 0 };
	struct layout_names n;

	(void)o;
	if (!source_has(s->k, SOURCE_MEMORY))
		return;
	layout_names(&mem, &n);
	/* a layout file: facts that it lacked are unknown now */
	if (s->k->dump->layout_facts)
		n.facts = s->k->dump->layout_facts;
	layout_write(s->k->dump, &n, out);
	put_evidence(s->k, out);
	for (size_t i = 0; i < t->nrows; i++) {
		const struct row *r = table_row(t, i);

		if (r->spec)
			continue;
		fprintf(out, "# %-3s by %-7s %s: %s%s%s\n", r->present ? "yes" : "no", r->source,
			r->id, r->about, *r->path ? "; " : "", r->path);
	}
	arena_release(&mem);
}

const struct report report_layout = {
	.name = "layout",
	.about = "the kernel's types as a layout file for -t",
	.needs = NEED_KERNEL,
	.opts = OPT_HEADERS | OPT_CONFIG | OPT_KEEP,
	.of_build = true,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = layout_report,
	.text = layout_text,
	.text_refuses = OPT_SORT | OPT_TOP | OPT_WHERE,
	.help = "Every member, size, enumerator and symbol of the kernel that is used, and the rules\n"
		"that follow from it. The text is a layout file: save it with -o, and use it\n"
		"with -t in place of a vmlinux for dumps of the same kernel. csv, json and -c give\n"
		"rows with the source of each fact.\n\n"
		"--keep puts it into the cache in place of printing it. From there it is used by itself\n"
		"for a dump of the same build-id that has lost its types or symbols.\n\n"
		"With --headers the types come from the kernel's headers: a package of headers (of\n"
		"Debian, Ubuntu, RHEL, SLES) or a source tree, which need not be built. The compiler is\n"
		"$CC, or the usual one for the kernel's CPU. The configuration is that of --config, else\n"
		"the dump's own, else .config in DIR. The dump may be left out. Packages lack the structs\n"
		"that are private to source files; stderr names them. A source tree has them.",
};
