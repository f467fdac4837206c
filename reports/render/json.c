/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One JSON object per run:
 *     {"vmcensus": VERSION, "image": {...}, "report": NAME,
 *      "damage": [SENTENCE...], only of a dump that is not whole
 *      "columns": [{"name","unit","about"}...], "rows": [{...}...],
 *      "issues": [{"kind","object","count"}...]}
 * Each row has a line of its own, for tools that work by line. Sizes are integers in
 * bytes, times in ns; addresses are strings "0x...", because a double cannot hold them;
 * unknown cells are null.
 *
 * jsonl has only the rows, each an object on a line.
 *
 * "answer" is for app/serve: the report, columns, rows up to ANSWER_BYTES, how many are left out, issues.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "model/kernel/source.h"
#include "reports/core/damage.h"
#include "reports/render/render.h"

#define ANSWER_BYTES (96u << 10)

static const char *const separator[] = { "", ", " };

static void put_field(FILE *out, const char *name, const char *value)
{
	fprintf(out, ", \"%s\": ", name);
	if (value && *value)
		put_json(out, value);
	else
		fputs("null", out);
}

#define TEXT(name) { #name, offsetof(struct image_facts, name) }

const struct image_text image_texts[] = {
	TEXT(format), TEXT(compression), TEXT(release), TEXT(version), TEXT(machine), TEXT(nodename),
	TEXT(arch), { NULL, 0 },
};

/* What is wrong with the file: more is known only of some snapshots. */
static void set_damage(const struct kernel *k, struct image_facts *f)
{
	const struct causes *c = k->dump ? &k->dump->causes : NULL;
	const char **v;

	if (!c || !c->n)
		return;
	v = arena_array(&k->dump->mem, const char *, c->n);
	for (unsigned i = 0; i < c->n; i++) {
		struct damage d;

		damage_words(&c->v[i], &k->dump->mem, &d);
		v[f->ndamage++] = d.text;
	}
	f->damage = v;
}

struct image_facts image_facts_of(const struct snapshot *s, const char *const *paths,
				  unsigned npaths)
{
	const struct kernel *k = s->k;
	struct image_facts f = { .paths = paths, .npaths = npaths };
	struct source_about a;

	source_about(k, &a);
	f.format = a.format;
	f.compression = a.compression;
	f.release = k->release;
	f.version = k->uts_version;
	f.machine = k->machine;
	f.nodename = k->nodename;
	f.arch = k->arch ? k->arch->name : NULL;
	f.page_size = UINT32_C(1) << k->page_shift;
	f.level = a.level;
	f.crash_time = s->built & NEED_MACHINE ? s->machine.crash_time : 0;
	if (!f.crash_time)
		f.crash_time = a.when;
	set_damage(k, &f);
	return f;
}

static void put_image(const struct image_facts *f, FILE *out)
{
	fputs("{\"paths\": [", out);
	for (unsigned i = 0; i < f->npaths; i++) {
		fputs(separator[i > 0], out);
		put_json(out, f->paths[i]);
	}
	putc(']', out);
	for (const struct image_text *t = image_texts; t->name; t++)
		put_field(out, t->name, image_text_of(f, t));
	fprintf(out, ", \"page_size\": %" PRIu32, f->page_size);
	if (f->level >= 0)
		fprintf(out, ", \"dump_level\": %d", f->level);
	else
		fputs(", \"dump_level\": null", out);
	if (f->crash_time)
		fprintf(out, ", \"crash_time\": %" PRId64 "}", f->crash_time);
	else
		fputs(", \"crash_time\": null}", out);
}

static void put_columns(const struct render *r, bool types, FILE *out)
{
	for (unsigned i = 0; i < r->ncols; i++) {
		fprintf(out, "%s\n  {\"name\": ", i ? "," : "");
		put_json(out, r->cols[i]->name);
		if (types)
			fprintf(out, ", \"type\": \"%s\"", column_words[r->cols[i]->type]);
		fputs(", \"unit\": ", out);
		put_json(out, r->cols[i]->unit);
		fputs(", \"about\": ", out);
		put_json(out, r->cols[i]->about);
		putc('}', out);
	}
}

static void put_cell(const struct column *c, const void *row, FILE *out)
{
	static const struct units bytes = { UNIT_BYTES, 1 };
	char buf[CELL_TEXT];

	if (cell_unknown(c, row)) {
		fputs("null", out);
	} else if (column_is_text(c)) {
		put_json(out, cell_str(c, row, buf));
	} else if (c->type == COL_NSEC) {
		put_decimal(buf, cell_uint(c, row));
		fputs(buf, out);
	} else {
		cell_text(c, row, &bytes, buf);
		if (c->type == COL_HEX)
			put_json(out, buf);
		else
			fputs(buf, out);
	}
}

static void put_row(const struct render *r, const void *row, FILE *out)
{
	putc('{', out);
	for (unsigned i = 0; i < r->ncols; i++) {
		fputs(separator[i > 0], out);
		put_json(out, r->cols[i]->name);
		fputs(": ", out);
		put_cell(r->cols[i], row, out);
	}
	putc('}', out);
}

static void put_issues(const struct issues *is, FILE *out)
{
	for (unsigned i = 0; is && i < is->n; i++) {
		fprintf(out, "%s\n  {\"kind\": ", i ? "," : "");
		put_json(out, status_name(is->v[i].kind));
		fputs(", \"object\": ", out);
		put_json(out, is->v[i].object);
		fprintf(out, ", \"count\": %" PRIu64 "}", is->v[i].count);
	}
}

static void put_damage(const struct image_facts *f, FILE *out)
{
	for (unsigned i = 0; i < f->ndamage; i++) {
		fputs(i ? separator[1] : ",\n \"damage\": [", out);
		put_json(out, f->damage[i]);
	}
	if (f->ndamage)
		putc(']', out);
}

void render_json(const struct render *r, FILE *out)
{
	fputs("{\"vmcensus\": ", out);
	put_json(out, VMCENSUS_VERSION);
	fputs(",\n \"image\": ", out);
	put_image(r->image, out);
	put_damage(r->image, out);
	fputs(",\n \"report\": ", out);
	put_json(out, r->report->name);
	fputs(",\n \"columns\": [", out);
	put_columns(r, false, out);
	fputs("],\n \"rows\": [", out);
	for (size_t n = 0; n < r->t->nrows && !ferror(out); n++) {
		fputs(n ? ",\n  " : "\n  ", out);
		put_row(r, table_row(r->t, n), out);
	}
	fputs("],\n \"issues\": [", out);
	put_issues(r->issues, out);
	fputs("]}\n", out);
}

void render_jsonl(const struct render *r, FILE *out)
{
	for (size_t n = 0; n < r->t->nrows && !ferror(out); n++) {
		put_row(r, table_row(r->t, n), out);
		putc('\n', out);
	}
}

/* Rows until they are ANSWER_BYTES; their number. */
static size_t put_some(const struct render *r, FILE *out)
{
	size_t n, sum = 0, len;

	for (n = 0; n < r->t->nrows && !ferror(out); n++) {
		char *text = NULL;
		FILE *row = open_memstream(&text, &len);

		if (!row)
			break;
		put_row(r, table_row(r->t, n), row);
		sum += fclose(row) ? ANSWER_BYTES : len;
		if (sum < ANSWER_BYTES)
			fprintf(out, "%s%s", n ? ",\n  " : "\n  ", text);
		free(text);
		if (sum >= ANSWER_BYTES)
			break;
	}
	return n;
}

void render_answer(const struct render *r, FILE *out)
{
	size_t all = table_all(r->t), n;

	fputs("{\"report\": ", out);
	put_json(out, r->report->name);
	fputs(",\n \"columns\": [", out);
	put_columns(r, true, out);
	fputs("],\n \"rows\": [", out);
	n = put_some(r, out);
	fprintf(out, "],\n \"more\": \"%zu more rows\"", all - n);
	put_damage(r->image, out);
	fputs(",\n \"issues\": [", out);
	put_issues(r->issues, out);
	fputs("]}\n", out);
}
