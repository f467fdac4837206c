/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * where.c - parses and evaluates the expression of -w.
 */
#include "reports/core/where.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "reports/core/cell.h"
#include "reports/core/pick.h"

#define TERMS_MAX 256	/* comparisons and connectives of one expression */
#define DEPTH_MAX 64	/* nested parentheses and nots */
#define WORD_MAX 1024

enum op { OP_AND, OP_OR, OP_NOT, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_LIKE, OP_UNLIKE };

struct node {
	enum op op;
	uint16_t left, right;		/* OP_AND, OP_OR; OP_NOT: left */
	const struct column *col;	/* comparisons from here on */
	const struct column *other;	/* the value is this column of the row; NULL: one of those below */
	bool unknown;			/* the value is "-" */
	char *text;
	uint64_t u;
	int64_t i;
	double d;
	regex_t re;			/* OP_LIKE, OP_UNLIKE */
	bool has_re;
};

struct where {
	struct node v[TERMS_MAX];
	unsigned n;
	uint16_t root;
};

struct parser {
	const char *s;			/* the rest of the text */
	const struct column *cols;
	unsigned ncols, depth;
	struct where *w;
	struct diag *diag;
	enum status st;
};

/* ---- words ---------------------------------------------------------------- */

static void blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->s))
		p->s++;
}

/* Takes the keyword KW if the next word is exactly that. */
static bool keyword(struct parser *p, const char *kw)
{
	size_t n = strlen(kw);

	blanks(p);
	if (strncasecmp(p->s, kw, n) || isalnum((unsigned char)p->s[n]) || p->s[n] == '_')
		return false;
	p->s += n;
	return true;
}

static bool take(struct parser *p, const char *token)
{
	size_t n = strlen(token);

	blanks(p);
	if (strncmp(p->s, token, n))
		return false;
	p->s += n;
	return true;
}

static void wrong(struct parser *p, const char *what)
{
	if (!p->st)
		p->st = fail(p->diag, ST_ABSENT, "--where: %s at \"%.40s\"", what, p->s);
}

static const struct column *column(struct parser *p)
{
	char name[64];
	size_t n = 0;
	const struct column *c;

	blanks(p);
	while ((isalnum((unsigned char)p->s[n]) || p->s[n] == '_') && n + 1 < sizeof(name)) {
		name[n] = p->s[n];
		n++;
	}
	name[n] = '\0';
	if (!n) {
		wrong(p, "a column name is expected");
		return NULL;
	}
	c = column_find(p->cols, p->ncols, name);
	if (!c && !p->st)
		p->st = column_unknown(p->cols, p->ncols, name, "--where", p->diag);
	p->s += n;
	return c;
}

static bool operator(struct parser *p, enum op *ret)
{
	static const struct { const char *text; enum op op; } ops[] = {
		{ "==", OP_EQ }, { "=", OP_EQ }, { "!=", OP_NE }, { "<>", OP_NE },
		{ "<=", OP_LE }, { "<", OP_LT }, { ">=", OP_GE }, { ">", OP_GT },
		{ "~", OP_LIKE }, { "!~", OP_UNLIKE },
	};

	for (unsigned i = 0; i < ARRAY_LEN(ops); i++)
		if (take(p, ops[i].text)) {
			*ret = ops[i].op;
			return true;
		}
	wrong(p, "one of = != < <= > >= ~ !~ is expected");
	return false;
}

/* The value's text into BUF; *quoted: it stood in quotes. */
static bool value(struct parser *p, char *buf, bool *quoted)
{
	size_t n = 0;
	char end = 0;

	blanks(p);
	if (*p->s == '"' || *p->s == '\'')
		end = *p->s++;
	while (*p->s && n + 1 < WORD_MAX) {
		if (end ? *p->s == end : isspace((unsigned char)*p->s) || *p->s == ')')
			break;
		if (!end && (!strncmp(p->s, "&&", 2) || !strncmp(p->s, "||", 2)))
			break;
		if (end && *p->s == '\\' && (p->s[1] == end || p->s[1] == '\\'))
			p->s++;
		buf[n++] = *p->s++;
	}
	buf[n] = '\0';
	*quoted = end != 0;
	if (end && *p->s != end) {
		wrong(p, n + 1 < WORD_MAX ? "the quote is not closed" : "the value is too long");
		return false;
	}
	if (end)
		p->s++;
	else if (!n)
		wrong(p, "a value is expected");
	return !p->st;
}

/* ---- values ---------------------------------------------------------------- */

struct suffix { const char *text; double factor; };

static const struct suffix size_suffixes[] = {
	{ "", 1 }, { "b", 1 }, { "k", 0x1p10 }, { "kb", 0x1p10 }, { "kib", 0x1p10 },
	{ "m", 0x1p20 }, { "mb", 0x1p20 }, { "mib", 0x1p20 }, { "g", 0x1p30 },
	{ "gb", 0x1p30 }, { "gib", 0x1p30 }, { "t", 0x1p40 }, { "tb", 0x1p40 },
	{ "tib", 0x1p40 }, { NULL, 0 }
};

static const struct suffix time_suffixes[] = {
	{ "", 1e9 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 },
	{ "h", 3600e9 }, { "d", 86400e9 }, { NULL, 0 }
};

/* Sets n->u and n->i for a value of MAGNITUDE u. */
static void set_integers(struct node *n, uint64_t u, bool negative)
{
	uint64_t most = INT64_MAX;

	n->u = negative ? 0 : u;
	n->i = (int64_t)min_u64(u, most);
	if (negative)
		n->i = -n->i;
}

/* A number with a suffix; integers stay exact over all 64 bits. */
static bool parse_number(const char *s, const struct suffix *sfx, struct node *n)
{
	char *end, *fend;
	unsigned long long u;
	uint64_t scaled;
	bool negative = *s == '-';

	if (!isdigit((unsigned char)s[negative]) && s[negative] != '.')
		return false;
	errno = 0;
	u = strtoull(s + negative, &end, strncasecmp(s + negative, "0x", 2) ? 10 : 16);
	if (errno)
		return false;
	n->d = strtod(s, &fend);
	for (; sfx->text; sfx++) {
		double d = n->d * sfx->factor;

		if (!strcasecmp(end, sfx->text)) {
			if (__builtin_mul_overflow(u, (uint64_t)sfx->factor, &scaled))
				return false;
		} else if (!strcasecmp(fend, sfx->text) && fabs(d) < 0x1p64) {
			scaled = (uint64_t)fabs(d);
		} else {
			continue;
		}
		n->d = d;
		set_integers(n, scaled, negative);
		return true;
	}
	return false;
}

static void regex(struct parser *p, struct node *n)
{
	char why[128];
	int err = regcomp(&n->re, n->text, REG_EXTENDED | REG_NOSUB);

	if (!err) {
		n->has_re = true;
		return;
	}
	regerror(err, &n->re, why, sizeof(why));
	if (!p->st)
		p->st = fail(p->diag, ST_ABSENT, "--where: bad regular expression '%.80s': %s",
			     n->text, why);
}

static bool is_signed(const struct column *c)
{
	return c->type == COL_INT || c->type == COL_DELTA || c->type == COL_RATIO;
}

/* Two columns fit if their numbers mean the same: sizes, addresses, times, ratios, or counts of one unit. */
static bool fits(const struct column *a, const struct column *b)
{
	bool plain = a->type == b->type || (a->type == COL_BYTES && b->type == COL_DELTA) ||
		     (a->type == COL_DELTA && b->type == COL_BYTES) ||
		     (a->type == COL_INT && b->type == COL_UINT) ||
		     (a->type == COL_UINT && b->type == COL_INT);

	return plain && !strcmp(a->unit, b->unit);
}

/* Is the value the name of a column? With a column of text it is text. */
static bool takes_column(struct parser *p, struct node *n)
{
	const struct column *c = column_find(p->cols, p->ncols, n->text);

	if (!c || column_is_text(n->col) || n->op == OP_LIKE || n->op == OP_UNLIKE)
		return false;
	if (!fits(n->col, c) && !p->st)
		p->st = fail(p->diag, ST_ABSENT,
			     "--where: %s (%s%s%s) cannot be compared with %s (%s%s%s)",
			     n->col->name, column_words[n->col->type], *n->col->unit ? " of " : "",
			     n->col->unit, c->name, column_words[c->type], *c->unit ? " of " : "",
			     c->unit);
	n->other = c;
	return true;
}

static void typed_value(struct parser *p, struct node *n)
{
	bool like = n->op == OP_LIKE || n->op == OP_UNLIKE;
	bool ok = true;

	if (n->unknown) {
		if (n->op != OP_EQ && n->op != OP_NE)
			wrong(p, "\"-\" (unknown) takes only = and !=");
		return;
	}
	if (column_is_text(n->col)) {
		if (like)
			regex(p, n);
		return;
	}
	if (like) {
		if (!p->st)
			p->st = fail(p->diag, ST_ABSENT,
				     "--where: %s is a number, and ~ is for text", n->col->name);
		return;
	}
	ok = parse_number(n->text, n->col->type == COL_NSEC ? time_suffixes : size_suffixes, n);
	if (!ok && !p->st)
		p->st = fail(p->diag, ST_ABSENT,
			     "--where: %s is compared with '%.40s', which is not a number"
			     " (forms: 12, 0x1f, 1.5M%s)",
			     n->col->name, n->text, n->col->type == COL_NSEC ? ", 10s, 2h" : "");
	if (n->text[0] == '-' && !is_signed(n->col))
		wrong(p, "this column has no negative values");
}

/* ---- grammar ---------------------------------------------------------------- */

static uint16_t node(struct parser *p, enum op op)
{
	if (p->w->n == TERMS_MAX) {
		wrong(p, "the expression is too long");
		return 0;
	}
	p->w->v[p->w->n].op = op;
	return (uint16_t)p->w->n++;
}

static uint16_t connect(struct parser *p, enum op op, uint16_t left, uint16_t right)
{
	uint16_t i = node(p, op);

	if (!p->st) {
		p->w->v[i].left = left;
		p->w->v[i].right = right;
	}
	return i;
}

static uint16_t comparison(struct parser *p)
{
	char buf[WORD_MAX];
	bool quoted;
	enum op op = OP_EQ;
	const struct column *c = column(p);
	uint16_t i;

	if (!c || !operator(p, &op) || !value(p, buf, &quoted))
		return 0;
	i = node(p, op);
	if (p->st)
		return 0;
	p->w->v[i].col = c;
	p->w->v[i].unknown = !quoted && !strcmp(buf, "-");
	p->w->v[i].text = heap_got(strdup(buf), sizeof(buf));
	if (quoted || !takes_column(p, &p->w->v[i]))
		typed_value(p, &p->w->v[i]);
	return i;
}

static uint16_t any_of(struct parser *p);

static uint16_t term(struct parser *p)
{
	uint16_t i;

	if (p->st)
		return 0;
	if (++p->depth > DEPTH_MAX) {
		wrong(p, "parentheses are nested too deep");
		return 0;
	}
	if (keyword(p, "not") || take(p, "!")) {
		i = term(p);
		i = connect(p, OP_NOT, i, 0);
	} else if (take(p, "(")) {
		i = any_of(p);
		if (!p->st && !take(p, ")"))
			wrong(p, "a ) is missing");
	} else {
		i = comparison(p);
	}
	p->depth--;
	return i;
}

static uint16_t all_of(struct parser *p)
{
	uint16_t i = term(p);

	while (!p->st && (keyword(p, "and") || take(p, "&&"))) {
		uint16_t right = term(p);

		i = connect(p, OP_AND, i, right);
	}
	return i;
}

static uint16_t any_of(struct parser *p)
{
	uint16_t i = all_of(p);

	while (!p->st && (keyword(p, "or") || take(p, "||"))) {
		uint16_t right = all_of(p);

		i = connect(p, OP_OR, i, right);
	}
	return i;
}

enum status where_parse(const char *text, const struct column *cols, unsigned ncols,
			struct diag *diag, struct where **ret)
{
	struct parser p = { .s = text, .cols = cols, .ncols = ncols, .diag = diag };

	*ret = NULL;
	p.w = heap_array(struct where, 1);
	p.w->root = any_of(&p);
	blanks(&p);
	if (!p.st && *p.s)
		wrong(&p, "\"and\", \"or\" or the end is expected");
	if (p.st) {
		where_free(p.w);
		return p.st;
	}
	*ret = p.w;
	return ST_OK;
}

void where_free(struct where *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < w->n; i++) {
		if (w->v[i].has_re)
			regfree(&w->v[i].re);
		free(w->v[i].text);
	}
	free(w);
}

unsigned where_needs(const struct where *w)
{
	unsigned needs = 0;

	for (unsigned i = 0; w && i < w->n; i++) {
		needs |= w->v[i].col ? w->v[i].col->needs : 0;
		needs |= w->v[i].other ? w->v[i].other->needs : 0;
	}
	return needs;
}

bool where_uses(const struct where *w, const struct column *c)
{
	for (unsigned i = 0; w && i < w->n; i++)
		if (w->v[i].col == c || w->v[i].other == c)
			return true;
	return false;
}

/* ---- matching ---------------------------------------------------------------- */

#define CMP(a, b) (((a) > (b)) - ((a) < (b)))

/* Cells of two columns that fit. */
static int compare_cells(const struct column *a, const struct column *b, const void *row)
{
	bool a_below = is_signed(a) && cell_int(a, row) < 0;
	bool b_below = is_signed(b) && cell_int(b, row) < 0;

	if (a_below != b_below)
		return a_below ? -1 : 1;
	if (a_below)
		return CMP(cell_int(a, row), cell_int(b, row));
	return CMP(cell_uint(a, row), cell_uint(b, row));
}

static int compare(const struct node *n, const void *row)
{
	char buf[2];

	if (n->other)
		return n->col->type == COL_RATIO
			       ? CMP(cell_ratio(n->col, row), cell_ratio(n->other, row))
			       : compare_cells(n->col, n->other, row);
	if (column_is_text(n->col))
		return strcmp(cell_str(n->col, row, buf), n->text);
	if (n->col->type == COL_INT || n->col->type == COL_DELTA)
		return CMP(cell_int(n->col, row), n->i);
	if (n->col->type == COL_RATIO)
		return CMP(cell_ratio(n->col, row), n->d);
	return CMP(cell_uint(n->col, row), n->u);
}

static bool holds(const struct node *n, const void *row)
{
	char buf[2];
	bool unknown = cell_unknown(n->col, row);

	if (n->unknown)
		return unknown == (n->op == OP_EQ);
	if (unknown || (n->other && cell_unknown(n->other, row)))
		return false;
	switch (n->op) {
	case OP_EQ: return compare(n, row) == 0;
	case OP_NE: return compare(n, row) != 0;
	case OP_LT: return compare(n, row) < 0;
	case OP_LE: return compare(n, row) <= 0;
	case OP_GT: return compare(n, row) > 0;
	case OP_GE: return compare(n, row) >= 0;
	case OP_LIKE: return !regexec(&n->re, cell_str(n->col, row, buf), 0, NULL, 0);
	case OP_UNLIKE: return regexec(&n->re, cell_str(n->col, row, buf), 0, NULL, 0);
	default: return false;
	}
}

/* Recursion is bounded by TERMS_MAX: a child always comes before its parent. */
static bool match(const struct where *w, uint16_t i, const void *row)
{
	const struct node *n = &w->v[i];

	switch (n->op) {
	case OP_AND: return match(w, n->left, row) && match(w, n->right, row);
	case OP_OR: return match(w, n->left, row) || match(w, n->right, row);
	case OP_NOT: return !match(w, n->left, row);
	default: return holds(n, row);
	}
}

bool where_match(const struct where *w, const void *row)
{
	return match(w, w->root, row);
}
