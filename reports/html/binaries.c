/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * binaries.c - writes sections and symbols of ELF files as JSON.
 */
#include "reports/html/binaries.h"

#include <elf.h>
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "model/memory/elf/demangle.h"
#include "reports/file/elf_files.h"

#define SYMBOLS 20000		/* per file, */
#define SYMBOLS_ALL 100000	/* and for all files: the others are left out, and counted */

struct maker {
	struct emit *e;
	uint32_t *object_of;		/* [nfiles]: index in objects, or NONE */
	const struct report_opts *o;
	struct table *t;
	struct demangler *names;
	size_t files, symbols;
};

/* .tbss is room in each thread's block, and none at its own address. */
static bool has_memory(const struct elf_section *c)
{
	return c->addr && !(c->type == SHT_NOBITS && c->flags & SHF_TLS);
}

static void put_segments(FILE *out, const struct elf_head *h)
{
	fputs("\"segments\": [", out);
	for (unsigned i = 0; i < h->nsegments; i++) {
		const struct elf_segment *g = &h->segments[i];

		fprintf(out, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
			g->offset, g->vaddr, g->filesz, g->memsz);
	}
	fputs("],\n  ", out);
}

/* [name, address, offset, size]; segments, if there are no names. */
static void put_sections(struct maker *k, const struct elf_head *h)
{
	FILE *out = k->e->out;
	size_t n = 0;

	fputs("\"sections\": [", out);
	for (unsigned i = 0; i < h->nsections; i++) {
		const struct elf_section *c = &h->sections[i];

		if (!has_memory(c))
			continue;
		fputs(n++ ? ",[" : "[", out);
		emit_str(k->e, arena_strdup(&k->t->mem, c->name));
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", c->addr, c->offset, c->size);
	}
	for (unsigned i = 0; !h->nsections && i < h->nsegments; i++) {
		const struct elf_segment *g = &h->segments[i];

		fputs(n++ ? ",[" : "[", out);
		emit_str(k->e, arena_printf(&k->t->mem, "segment %u", i));
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", g->vaddr, g->offset,
			g->memsz);
	}
	fputs("],\n  ", out);
}

/* [name, address, size] */
static void put_symbols(struct maker *k, struct elf_mapped *m)
{
	FILE *out = k->e->out;
	struct elf_symbols symbols;
	const char *from = NULL;
	size_t most = min_u64(SYMBOLS, SYMBOLS_ALL - k->symbols), n;

	elf_mapped_symbols(m, k->o->sysroot, &k->t->mem, &symbols, &from);
	n = min_u64(symbols.n, most);
	k->symbols += n;
	fputs("\"symbols_from\": ", out);
	emit_text(k->e, from);
	fprintf(out, ", \"symbols_left_out\": %zu,\n  \"symbols\": [", symbols.n - n);
	for (size_t i = 0; i < n; i++) {
		const struct elf_symbol *y = &symbols.v[i];

		fputs(i ? ",[" : "[", out);
		emit_str(k->e, demangle(k->names, y->name, &k->t->mem));
		fprintf(out, ",%" PRIu64 ",%" PRIu64 "]", y->value, y->size);
	}
	fputs("],\n  ", out);
}

/* [mm, bias], the bias as a signed number. */
static void put_loads(FILE *out, const struct elf_loads *l)
{
	fputs("\"loads\": [", out);
	for (size_t i = 0; i < l->n; i++)
		fprintf(out, "%s[%" PRIu32 ",%" PRId64 "]", i ? "," : "", l->v[i].mm,
			(int64_t)l->v[i].bias);
	fputs("]}", out);
}

static void put_binary(void *arg, struct elf_mapped *m)
{
	struct maker *k = arg;
	uint32_t object = k->object_of[m->file];

	if (object == NONE)
		return;
	fprintf(k->e->out, "%s\n {\"object\": %" PRIu32 ", \"from\": ", k->files++ ? "," : "",
		object);
	emit_text(k->e, m->found.from);
	fputs(", ", k->e->out);
	put_segments(k->e->out, m->head);
	put_sections(k, m->head);
	put_symbols(k, m);
	put_loads(k->e->out, &m->loads);
}

void html_binaries(struct emit *e, const struct snapshot *s, const struct report_opts *o,
		   const struct objects *objects, struct table *t)
{
	struct maker k = { .e = e, .o = o, .t = t, .names = demangler_new() };
	struct diag diag = { "" };

	k.object_of = objects_by_file(objects, s->nfiles, &t->mem);
	fputs("\"elf\": [", e->out);
	elf_files_each(s, o, t, &diag, put_binary, &k);
	fputs("],\n\"elf_note\": ", e->out);
	emit_text(e, t->note);
	fputs(",\n", e->out);
	demangler_free(k.names);
}
