/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/serve/tools.h"

#include <stdlib.h>
#include <string.h>

#include "app/options.h"
#include "dumpread/base/bytes.h"
#include "reports/render/render.h"

/* Options of a report that are no arguments: they open a file of this machine, write one, or change text alone. */
#define NO_ARGUMENTS                                                                                           \
	(OPT_BYTES | OPT_PAGES | OPT_LIKE | OPT_PAPER | OPT_SYSROOT | OPT_HEADERS | OPT_CONFIG | OPT_KEEP |    \
	 OPT_EARLIER | OPT_VIRTUAL)

static bool is_tool(const struct report *r)
{
	return !r->products;
}

const struct report *tool_find(const char *name)
{
	const struct report *r = report_find(name);

	return r && is_tool(r) ? r : NULL;
}

/* The options that are arguments of R's tool, one after the other. */
static const struct option_spec *next_argument(const struct report *r, const struct option_spec *s)
{
	for (s = s ? s + 1 : option_specs; s->name; s++)
		if (s->report_opt & report_takes(r) & ~NO_ARGUMENTS)
			return s;
	return NULL;
}

/* The argument that stands for the word before the dump. */
static const char *word_name(const struct report *r)
{
	return r->statement ? "statement" : "address";
}

/* ---- the list ------------------------------------------------------------------------- */

static void put_enum(const char *const *words, unsigned n, FILE *out)
{
	fputs(", \"enum\": [", out);
	for (unsigned i = 0; i < n; i++) {
		fputs(i ? ", " : "", out);
		put_json(out, words[i]);
	}
	putc(']', out);
}

static void put_names(const struct report *r, struct arena *mem, const char **text)
{
	for (unsigned i = 0; i < r->ncols; i++)
		*text = arena_printf(mem, "%s%s%s", *text, i ? " " : "", r->cols[i].name);
}

/* Names of columns: of the report, and of its parts. */
static void put_columns(const struct report *r, FILE *out)
{
	struct arena mem = { 0 };
	const char *text = "Columns of the answer, by default the most important ones: ";

	put_names(r, &mem, &text);
	for (const struct report_part *p = r->parts; p && p->opt; p++) {
		text = arena_printf(&mem, "%s; with %s: ", text, p->name);
		put_names(p->report, &mem, &text);
	}
	fputs("{\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"description\": ", out);
	put_json(out, text);
	putc('}', out);
	arena_release(&mem);
}

static void put_by(const struct report *r, FILE *out)
{
	fputs(", \"enum\": [", out);
	for (unsigned i = 0; report_by(r, i); i++) {
		fputs(i ? ", " : "", out);
		put_json(out, report_by(r, i));
	}
	putc(']', out);
}

static void put_argument(const struct report *r, const struct option_spec *s, FILE *out)
{
	if (s->report_opt == OPT_COLUMNS) {
		put_columns(r, out);
		return;
	}
	fprintf(out, "{\"type\": \"%s\", \"description\": ",
		!s->arg		       ? "boolean"
		: !strcmp(s->arg, "N") ? "integer"
				       : "string");
	put_json(out, s->about);
	if (s->report_opt == OPT_TOP)
		fprintf(out, ", \"minimum\": 1, \"maximum\": %d, \"default\": %d", TOOL_ROWS_MAX,
			TOOL_ROWS);
	if (s->report_opt == OPT_BY)
		put_by(r, out);
	putc('}', out);
}

static void put_tool(const struct report *r, const struct served *served, FILE *out)
{
	fprintf(out, "{\"name\": \"%s\", \"description\": ", r->name);
	put_json(out, r->about);
	fputs(", \"inputSchema\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"image\": "
	      "{\"type\": \"string\", \"description\": \"which dump; the first, if it is not named\"",
	      out);
	put_enum(served->images, served->nimages, out);
	putc('}', out);
	if (r->compares) {
		fputs(", \"earlier\": {\"type\": \"string\", \"description\": \"the earlier dump\"",
		      out);
		put_enum(served->images, served->nimages, out);
		putc('}', out);
	}
	if (r->word)
		fprintf(out, ", \"%s\": {\"type\": \"string\", \"description\": \"%s\"}",
			word_name(r),
			r->statement
				? "a SELECT over tables, which are the other tools by their names, with the "
				  "same columns"
				: "a kernel address, hexadecimal");
	for (const struct option_spec *s = next_argument(r, NULL); s; s = next_argument(r, s)) {
		fprintf(out, ", \"%s\": ", s->name);
		put_argument(r, s, out);
	}
	fputs("}", out);
	if (r->word)
		fprintf(out, ", \"required\": [\"%s\"]", word_name(r));
	fputs("}, \"annotations\": {\"readOnlyHint\": true, \"openWorldHint\": false}}", out);
}

void tools_put(const struct served *served, FILE *out)
{
	const char *comma = "";

	putc('[', out);
	for (unsigned i = 0; reports[i]; i++) {
		if (!is_tool(reports[i]))
			continue;
		fputs(comma, out);
		put_tool(reports[i], served, out);
		comma = ", ";
	}
	putc(']', out);
}

/* ---- a call ---------------------------------------------------------------------------- */

struct words {
	const struct report *r;
	const struct served *served;
	struct arena *mem;
	struct diag *diag;
	char **v;
	unsigned n;
	const char *image, *earlier, *word;
	bool top;
};

static bool refuse(struct words *w, const struct argument *a, const char *why)
{
	fail(w->diag, ST_ABSENT, "argument '%.60s' of %s %s", a->name, w->r->name, why);
	return false;
}

static bool take_image(struct words *w, const struct argument *a, const char **ret)
{
	for (unsigned i = 0; i < w->served->nimages; i++)
		if (a->text && !strcmp(w->served->images[i], a->text)) {
			*ret = w->served->images[i];
			return true;
		}
	return refuse(w, a, "is none of the dumps that are served");
}

/* A word that is none would name a dump. */
static bool take_word(struct words *w, const struct argument *a)
{
	uint64_t v;

	if (w->word)
		return refuse(w, a, "stands there twice");
	if (strcmp(a->type, "text") || !a->text)
		return refuse(w, a, "is no text");
	if (!w->r->statement && !option_address(a->text, &v))
		return refuse(w, a, "is no hexadecimal number");
	w->word = arena_strdup(w->mem, a->text);
	return true;
}

static bool take_number(struct words *w, const struct option_spec *s, const struct argument *a)
{
	long n = a->text ? strtol(a->text, NULL, 10) : 0;

	if (strcmp(a->type, "integer"))
		return refuse(w, a, "is no integer");
	if (s->report_opt == OPT_TOP && (n < 1 || n > TOOL_ROWS_MAX))
		return refuse(w, a, "is not from 1 to 1000");
	w->top = w->top || s->report_opt == OPT_TOP;
	return true;
}

static bool take_option(struct words *w, const struct option_spec *s, const struct argument *a)
{
	bool list = s->report_opt == OPT_COLUMNS && !strcmp(a->type, "array");

	if (!s->arg && strcmp(a->type, "true") && strcmp(a->type, "false"))
		return refuse(w, a, "is neither true nor false");
	if (!s->arg && !strcmp(a->type, "false"))
		return true;
	if (s->arg && !strcmp(s->arg, "N") && !take_number(w, s, a))
		return false;
	if (s->arg && strcmp(s->arg, "N") && strcmp(a->type, "text") && !list)
		return refuse(w, a, "is no text");
	if (s->arg && !a->text)
		return refuse(w, a, "is empty, or has a NUL in it");
	w->v[w->n++] = (char *)(s->arg ? arena_printf(w->mem, "--%s=%s", s->name, a->text)
				       : arena_printf(w->mem, "--%s", s->name));
	return true;
}

/* Each option once: there is room for no more. */
static bool take_member(void *arg, const struct argument *a)
{
	struct words *w = arg;
	const struct option_spec *s = next_argument(w->r, NULL);

	if (!strcmp(a->name, "image"))
		return take_image(w, a, &w->image);
	if (w->r->compares && !strcmp(a->name, "earlier"))
		return take_image(w, a, &w->earlier);
	if (w->r->word && !strcmp(a->name, word_name(w->r)))
		return take_word(w, a);
	while (s && strcmp(s->name, a->name))
		s = next_argument(w->r, s);
	if (!s)
		return refuse(w, a, "is not known");
	for (unsigned i = 0; i < w->n; i++)
		if (!strncmp(w->v[i], "--", 2) && !strncmp(w->v[i] + 2, s->name, strlen(s->name)) &&
		    strchr("=", w->v[i][2 + strlen(s->name)]))
			return refuse(w, a, "stands there twice");
	return take_option(w, s, a);
}

static unsigned most_words(const struct served *served)
{
	unsigned n = served->nwords + 12;

	for (const struct option_spec *s = option_specs; s->name; s++)
		n++;
	return n;
}

char **tool_words(struct parser *p, const struct message *m, const struct served *served,
		  struct arena *mem, struct diag *diag)
{
	char *name = message_string(p, m, "$.params.name"),
	     *arguments = message_json(p, m, "$.params.arguments");
	struct words w = { .r = tool_find(name),
			   .served = served,
			   .mem = mem,
			   .diag = diag,
			   .image = served->images[0] };
	bool good = true;

	w.v = arena_array(mem, char *, most_words(served));
	w.v[w.n++] = (char *)"vmcensus";
	w.v[w.n++] = (char *)w.r->name;
	w.v[w.n++] = (char *)"--library=" VMCENSUS_VERSION;
	if (arguments && !message_members(p, m, "$.params.arguments", take_member, &w)) {
		good = false;
		if (!*diag->text)
			fail(diag, ST_ABSENT, "the arguments of %s are no object that can be read",
			     w.r->name);
	}
	free(name);
	free(arguments);
	if (good && w.r->word && !w.word)
		good = refuse(&w, &(struct argument){ .name = word_name(w.r) }, "is missing");
	if (!good)
		return NULL;
	/* of some reports it counts entries of a text, and a capsule does not have that */
	if (!w.top && !w.r->own_top && report_takes(w.r) & OPT_TOP)
		w.v[w.n++] = (char *)arena_printf(mem, "--top=%d", TOOL_ROWS);
	for (unsigned i = 0; i < served->nwords; i++)
		w.v[w.n++] = (char *)served->words[i];
	w.v[w.n++] = (char *)"-f";
	w.v[w.n++] = (char *)"answer";
	w.v[w.n++] = (char *)"--";
	if (w.word)
		w.v[w.n++] = (char *)w.word;
	if (w.earlier)
		w.v[w.n++] = (char *)w.earlier;
	w.v[w.n++] = (char *)w.image;
	return w.v;
}
