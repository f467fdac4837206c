/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layoutfile.c - reads a layout file.
 */
#include "dumpread/types/layoutfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/outside.h"
#include "dumpread/find/find.h"
#include "dumpread/symbols/symlist.h"

#define MAX_FACTS 100000u
#define MAX_FIELDS 9u
#define MAX_NAME 255u		/* bytes of a name or path */

enum fact_kind { FACT_MEMBER, FACT_SIZE, FACT_ENUM };

struct fact {
	const char *name;
	enum fact_kind kind;
	bool absent;
	union {
		struct member m;
		uint32_t size;
		int64_t value;
	};
};

struct layout_file {
	VEC(struct fact) facts;
	struct hash index;		/* of kind and name -> fact */
	struct symlist *symbols;
	unsigned nsymbols;
	unsigned version;		/* of the table of facts; 0: not stated */
	bool has_order, has_word, same_build;
	struct arena mem;
};

/* ---- answering ---------------------------------------------------------- */

static uint64_t key_of(enum fact_kind kind, const char *name)
{
	uint64_t key = hash_str(name) + (uint64_t)kind;

	return key ? key : 1;
}

static const struct fact *get_fact(const struct layout_file *f, enum fact_kind kind,
				   const char *name)
{
	uint32_t i = hash_get(&f->index, key_of(kind, name));

	if (i == HASH_NONE || f->facts.v[i].kind != kind || strcmp(f->facts.v[i].name, name))
		return NULL;
	return &f->facts.v[i];
}

static enum status member(void *self, const char *path, struct member *ret)
{
	const struct fact *fact = get_fact(self, FACT_MEMBER, path);

	if (!fact || fact->absent)
		return fact ? ST_ABSENT : ST_NOTMINE;
	*ret = fact->m;
	return ST_OK;
}

static enum status size(void *self, const char *type, uint32_t *bytes)
{
	const struct fact *fact = get_fact(self, FACT_SIZE, type);

	if (!fact || fact->absent)
		return fact ? ST_ABSENT : ST_NOTMINE;
	*bytes = fact->size;
	return ST_OK;
}

static enum status enumerator(void *self, const char *name, int64_t *ret)
{
	const struct fact *fact = get_fact(self, FACT_ENUM, name);

	if (!fact || fact->absent)
		return fact ? ST_ABSENT : ST_NOTMINE;
	*ret = fact->value;
	return ST_OK;
}

static void layout_free(void *self)
{
	struct layout_file *f = self;

	symlist_free(f->symbols);
	arena_release(&f->mem);
	free(f);
}

/* ---- reading ------------------------------------------------------------ */

/* A whole field as a number of BASE, at most MAX. */
static bool number(const char *s, int base, uint64_t max, uint64_t *ret)
{
	char *end;

	if (!*s || strspn(s, base == 16 ? "0123456789abcdef" : "0123456789") != strlen(s))
		return false;
	errno = 0;
	*ret = strtoull(s, &end, base);
	return !errno && *ret <= max;
}

static bool number32(const char *s, uint32_t *ret)
{
	uint64_t v;

	if (!number(s, 10, UINT32_MAX, &v))
		return false;
	*ret = (uint32_t)v;
	return true;
}

static bool add_fact(struct layout_file *f, struct fact fact)
{
	if (f->facts.n == MAX_FACTS || !*fact.name || strlen(fact.name) > MAX_NAME)
		return false;
	hash_put(&f->index, key_of(fact.kind, fact.name), (uint32_t)f->facts.n);
	fact.name = arena_strdup(&f->mem, fact.name);
	*vec_push(&f->mem, &f->facts) = fact;
	return true;
}

static bool set_flags(struct member *m, const char *s)
{
	if (!strcmp(s, "-"))
		return true;
	for (; *s; s++)
		switch (*s) {
		case 'a': m->is_array = true; break;
		case 's': m->is_signed = true; break;
		case 'p': m->is_pointer = true; break;
		case 'g': m->is_aggregate = true; break;
		default: return false;
		}
	return true;
}

static bool read_member(struct layout_file *f, char **v)
{
	struct fact fact = { .name = v[1], .kind = FACT_MEMBER };
	struct member *m = &fact.m;
	uint32_t bit_offset, bit_size;

	if (!number32(v[2], &m->offset) || !number32(v[3], &m->size) ||
	    !number32(v[4], &m->count) || !number32(v[5], &m->stride) ||
	    !number32(v[6], &bit_offset) || !number32(v[7], &bit_size) || !set_flags(m, v[8]))
		return false;
	/* readers rely on this: a bit field in its word, elements in the array */
	if (bit_size && (m->size > 8 || (uint64_t)bit_offset + bit_size > 8ull * m->size))
		return false;
	if (m->is_array ? (uint64_t)m->count * m->stride > m->size : m->count || m->stride)
		return false;
	if ((uint64_t)m->offset + m->size > UINT32_MAX)
		return false;
	m->bit_offset = (uint8_t)bit_offset;
	m->bit_size = (uint8_t)bit_size;
	return add_fact(f, fact);
}

static bool read_size(struct layout_file *f, char **v)
{
	struct fact fact = { .name = v[1], .kind = FACT_SIZE };

	return number32(v[2], &fact.size) && add_fact(f, fact);
}

static bool read_enum(struct layout_file *f, char **v)
{
	struct fact fact = { .name = v[1], .kind = FACT_ENUM };
	bool minus = *v[2] == '-';
	uint64_t n;

	if (!number(v[2] + minus, 10, (uint64_t)INT64_MAX + minus, &n))
		return false;
	fact.value = (int64_t)(minus ? -n : n);
	return add_fact(f, fact);
}

static bool read_symbol(struct layout_file *f, char **v)
{
	uint64_t addr;

	return ++f->nsymbols < MAX_FACTS && number(v[2], 16, UINT64_MAX, &addr) &&
	       symlist_add(f->symbols, v[1], strlen(v[1]), addr, true);
}

static bool read_absent(struct layout_file *f, char **v)
{
	/* a path has a dot; a lone name is a type whose size was asked for */
	struct fact fact = { .name = v[1],
			     .absent = true,
			     .kind = strchr(v[1], '.') ? FACT_MEMBER : FACT_SIZE };

	return add_fact(f, fact);
}

static bool read_absent_other(struct layout_file *f, char **v)
{
	struct fact fact = { .name = v[2], .absent = true, .kind = FACT_ENUM };

	if (!strcmp(v[1], "symbol")) /* for people: a chain has no such answer */
		return true;
	return !strcmp(v[1], "enum") && add_fact(f, fact);
}

static const struct line_kind {
	const char *word;
	unsigned fields;
	bool (*read)(struct layout_file *f, char **v);
} line_kinds[] = {
	{ "member", 9, read_member },
	{ "size", 3, read_size },
	{ "enum", 3, read_enum },
	{ "symbol", 3, read_symbol },
	{ "absent", 2, read_absent },
	{ "absent", 3, read_absent_other },
};

/* ---- whose layout is it? ------------------------------------------------ */

static enum status refuse(struct dump *d, const char *what, const char *theirs, const char *ours)
{
	return fail(&d->diag, ST_CORRUPT,
		    "belongs to another kernel: its %s is %s, the dump's is %s", what, theirs,
		    ours);
}

static enum status check_machine(struct dump *d, const char *value)
{
	uint64_t n;
	char ours[16];

	snprintf(ours, sizeof(ours), "%u", d->elf_machine);
	if (!number(value, 10, UINT16_MAX, &n))
		return ST_NOTMINE;
	return d->elf_machine && n && n != d->elf_machine ? refuse(d, "ELF machine", value, ours)
							  : ST_OK;
}

/* A header line: ST_OK, a refusal in d->diag, or ST_NOTMINE: it is none. */
static enum status read_header(struct layout_file *f, struct dump *d, char **v)
{
	const char *order = d->big_endian ? "big" : "little";
	const char *word = d->word_size == 4 ? "4" : "8";
	char ours[BUILD_ID_HEX];

	build_id_hex(d->build_id, d->build_id_len, ours);
	if (!strcmp(v[0], "release"))
		return *d->release && strcmp(v[1], d->release)
			       ? refuse(d, "release", v[1], d->release)
			       : ST_OK;
	if (!strcmp(v[0], "build-id")) {
		f->same_build = !strcmp(v[1], ours);
		return *ours && !f->same_build ? refuse(d, "build-id", v[1], ours) : ST_OK;
	}
	if (!strcmp(v[0], "machine"))
		return check_machine(d, v[1]);
	if (!strcmp(v[0], "facts"))
		return number32(v[1], &f->version) ? ST_OK : ST_NOTMINE;
	if (!strcmp(v[0], "word")) {
		f->has_word = true;
		return d->word_size && strcmp(v[1], word) ? refuse(d, "word size", v[1], word)
							  : ST_OK;
	}
	if (!strcmp(v[0], "order")) {
		f->has_order = true;
		return d->word_size && strcmp(v[1], order) ? refuse(d, "byte order", v[1], order)
							   : ST_OK;
	}
	return ST_NOTMINE;
}

static enum status read_line(struct layout_file *f, struct dump *d, char *line)
{
	char *v[MAX_FIELDS + 1], *save = NULL;
	unsigned n = 0;

	for (char *s = strtok_r(line, " ", &save); s && n <= MAX_FIELDS;
	     s = strtok_r(NULL, " ", &save))
		v[n++] = s;
	if (!n)
		return ST_OK;
	for (size_t i = 0; i < ARRAY_LEN(line_kinds); i++)
		if (n == line_kinds[i].fields && !strcmp(v[0], line_kinds[i].word))
			return line_kinds[i].read(f, v) ? ST_OK : ST_NOTMINE;
	return n == 2 ? read_header(f, d, v) : ST_NOTMINE;
}

/* TEXT is cut up. */
static enum status read_text(struct layout_file *f, struct dump *d, char *text)
{
	unsigned nr = 0;

	for (char *line = text, *next; line; line = next) {
		enum status st = ST_OK;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		nr++;
		if (*line != '#')
			st = read_line(f, d, line);
		if (st == ST_NOTMINE)
			return fail(&d->diag, ST_CORRUPT, "line %u is not understood", nr);
		if (st)
			return st;
	}
	if (!f->has_word || !f->has_order)
		return fail(&d->diag, ST_CORRUPT, "says no word size or byte order");
	return ST_OK;
}

bool layout_sniff(const char *text, size_t len)
{
	return len >= strlen(LAYOUT_MAGIC) && !memcmp(text, LAYOUT_MAGIC, strlen(LAYOUT_MAGIC));
}

void layout_know_machine(struct dump *d, const char *head, size_t len)
{
	bool known = d->word_size;

	while (len) {
		const char *nl = memchr(head, '\n', len);

		if (!nl)
			break;
		if (!d->elf_machine && !strncmp(head, "machine ", 8)) {
			char *end;
			unsigned long n = strtoul(head + 8, &end, 10);

			if (end == nl && n <= UINT16_MAX)
				d->elf_machine = (uint16_t)n;
		}
		if (!known && (!strncmp(head, "word 4\n", 7) || !strncmp(head, "word 8\n", 7)))
			d->word_size = (uint8_t)(head[5] - '0');
		if (!known && !strncmp(head, "order big\n", 10))
			d->big_endian = true;
		len -= (size_t)(nl + 1 - head);
		head = nl + 1;
	}
}

static enum status attach_layout(struct layout_file *f, struct dump *d)
{
	struct type_source src = {
		.name = "layout file",
		.member = member,
		.size = size,
		.enumerator = enumerator,
		.close = layout_free,
		.self = f,
	};
	struct symlist *symbols = f->symbols;

	d->layout_facts = f->version;
	symlist_finish(symbols);
	f->symbols = NULL;
	if (symlist_relocate(symbols, d)) {
		symlist_free(symbols);
		layout_free(f);
		return ST_CORRUPT;
	}
	if (symlist_attach(symbols, d, "layout file")) {
		layout_free(f);
		return ST_LIMIT;
	}
	return types_add(&d->types, &src) ? ST_OK
					  : fail(&d->diag, ST_LIMIT, "too many sources of types");
}

/* KEPT: it must say the build-id of the dump. */
static enum status add_text(struct dump *d, const char *text, size_t len, const char *name,
			    bool kept)
{
	struct layout_file *f;
	enum status st;
	char *copy;

	if (!layout_sniff(text, len) || len > LAYOUT_MAX_BYTES || memchr(text, 0, len))
		return fail(&d->diag, ST_NOTMINE, "%s: not a layout file", name);
	f = calloc(1, sizeof(*f));
	copy = strndup(text, len);
	if (!f || !copy) {
		free(f);
		free(copy);
		return fail(&d->diag, ST_LIMIT, "%s: no memory for it", name);
	}
	f->index.mem = &f->mem;
	f->symbols = symlist_new();
	st = read_text(f, d, copy);
	free(copy);
	if (!st && kept && !f->same_build)
		st = fail(&d->diag, ST_CORRUPT, "does not say the build-id of its kernel");
	if (st)
		layout_free(f);
	else
		st = attach_layout(f, d);
	if (st)
		return fail_in(&d->diag, st, "%s", name);
	d->layout_file = arena_strdup(&d->mem, name);
	return ST_OK;
}

enum status types_add_layout_text(struct dump *d, const char *text, size_t len, const char *name)
{
	return add_text(d, text, len, name, false);
}

static enum status add_file(struct dump *d, const char *path, bool kept)
{
	FILE *in = outside_fopen(path);
	char *text = malloc(LAYOUT_MAX_BYTES + 1);
	enum status st;
	size_t n;

	if (!in || !text) {
		st = fail(&d->diag, ST_IO, "%s: %s", path, strerror(errno));
	} else {
		n = fread(text, 1, LAYOUT_MAX_BYTES + 1, in);
		st = ferror(in) ? fail(&d->diag, ST_IO, "%s: cannot be read", path)
				: add_text(d, text, n, path, kept);
	}
	if (in)
		fclose(in);
	free(text);
	return st;
}

enum status types_add_layout(struct dump *d, const char *path)
{
	return add_file(d, path, false);
}

enum status types_add_kept_layout(struct dump *d, const char *path)
{
	return add_file(d, path, true);
}
