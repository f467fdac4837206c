/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's own symbol table, as a source. VMCOREINFO says where the tables
 * are since 5fd8fea935a1 (v6.0); before, they are found by their signature.
 */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "dumpread/symbols/kallsyms.h"
#include "dumpread/symbols/sources.h"
#include "dumpread/symbols/symbols.h"
#include "dumpread/symbols/symlist.h"

/* Symbols that VMCOREINFO has had since 2.6.24, and kallsyms may have. */
static const char *const anchor_names[] = {
	"_stext", "init_uts_ns", "swapper_pg_dir", "init_top_pgt", "node_online_map",
};

static unsigned anchors_get(const struct dump *d, struct kallsyms_anchor *a)
{
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_LEN(anchor_names); i++)
		if (vmcoreinfo_symbol(d, anchor_names[i], &a[n].addr))
			a[n++].name = anchor_names[i];
	return n;
}

/* Copy LEN bytes at KVA into K's arena; LOST: what could not be read of them. */
static const uint8_t *take_table(struct kallsyms *k, struct reader *r, uint64_t kva, size_t len,
				 struct holes *lost)
{
	uint8_t *p = arena_alloc(&k->mem, len);

	holes_read(r, kva, p, len, lost);
	return p;
}

/* num_syms: an int since 5.0, a long before; a count fits either half. */
static enum status load_count(struct kallsyms *k, struct reader *r, uint64_t kva)
{
	uint8_t b[8] = { 0 };
	enum status st = read_kva(r, kva, b, 4);

	if (st)
		return st;
	k->num = load32(b, k->big);
	if (!k->num && k->big && k->word_size == 8 && !read_kva(r, kva + 4, b, 4))
		k->num = load32(b, k->big);
	return !k->num || k->num > KALLSYMS_MAX_SYMS ? ST_CORRUPT : ST_OK;
}

/* The same where it cannot be read: the base is behind the offsets (scripts/kallsyms.c), at a word. So
   it may be one too many, which has no name. */
static enum status count_by_offsets(struct kallsyms *k, const struct dump *d)
{
	uint64_t offsets, base;

	if (!vmcoreinfo_symbol(d, "kallsyms_offsets", &offsets) ||
	    !vmcoreinfo_symbol(d, "kallsyms_relative_base", &base) || base <= offsets ||
	    (base - offsets) / 4 > KALLSYMS_MAX_SYMS)
		return ST_CORRUPT;
	k->num = (uint32_t)((base - offsets) / 4);
	return ST_OK;
}

static enum status load_values(struct kallsyms *k, struct reader *r, struct dump *d)
{
	uint64_t base_at;

	if (vmcoreinfo_symbol(d, "kallsyms_offsets", &k->values_va)) {
		k->value_size = 4;
		k->has_base = vmcoreinfo_symbol(d, "kallsyms_relative_base", &base_at);
		k->base_lost = k->has_base && read_kva_word(r, base_at, &k->base);
	} else if (vmcoreinfo_symbol(d, "kallsyms_addresses", &k->values_va)) {
		k->value_size = k->word_size;
		k->is_address = true;
	} else {
		return ST_ABSENT;
	}
	k->values = take_table(k, r, k->values_va, (size_t)k->num * k->value_size, &k->lost.values);
	return ST_OK;
}

/* In every order of the tables: names < token_table < token_index. */
static enum status load_named(struct kallsyms *k, struct reader *r, struct dump *d)
{
	uint64_t names, num, table, index;
	enum status st;

	if (!vmcoreinfo_symbol(d, "kallsyms_names", &names) ||
	    !vmcoreinfo_symbol(d, "kallsyms_num_syms", &num) ||
	    !vmcoreinfo_symbol(d, "kallsyms_token_table", &table) ||
	    !vmcoreinfo_symbol(d, "kallsyms_token_index", &index))
		return ST_ABSENT;
	if (names >= table || table - names > KALLSYMS_MAX_NAMES || table >= index ||
	    index - table > KALLSYMS_MAX_TOKENS)
		return ST_CORRUPT;
	k->names_len = table - names;
	k->tokens_len = index - table;
	st = load_count(k, r, num);
	if (st)
		st = count_by_offsets(k, d);
	if (st)
		return st;
	k->names = take_table(k, r, names, k->names_len, &k->lost.names);
	k->tokens = take_table(k, r, table, k->tokens_len, &k->lost.tokens);
	k->token_index = take_table(k, r, index, 512, &k->lost.token_index);
	return load_values(k, r, d);
}

static struct kallsyms *start(const struct dump *d)
{
	struct kallsyms *k = kallsyms_new();

	k->word_size = d->word_size;
	k->big = d->big_endian;
	return k;
}

static bool kallsyms_find_symbol(void *self, const char *name, uint64_t *addr)
{
	return kallsyms_find(self, name, addr);
}

static bool symbol_at(void *self, uint64_t addr, struct symbol_place *ret)
{
	return kallsyms_at(self, addr, ret);
}

static void close_source(void *self)
{
	kallsyms_free(self);
}

/* What lies on pages that could not be read is missing, which is not what this kernel lacks. */
static void tell_lost(struct dump *d, const struct kallsyms *k)
{
	enum status why;
	unsigned of, n = kallsyms_lost(k, &of, &why);

	if (!n)
		return;
	d->kallsyms_lost = why;
	issue_add(&d->issues, why, "symbols", n, "%u of %u pages of kallsyms cannot be read", n,
		  of);
}

/* Tokens that are lost, by the names of exported symbols, which are in memory as text. */
static void mend_tokens(struct kallsyms *k, struct dump *d)
{
	struct symlist *known = NULL;

	if (!(k->lost.tokens.n || k->lost.token_index.n))
		return;
	if (!k->base_lost && !kallsyms_choose_form(k, NULL, 0))
		known = ksymtab_read(d);
	d->tokens_lost = !known || !kallsyms_mend_tokens(k, known);
	symlist_free(known);
}

enum status symbols_add_kallsyms(struct dump *d)
{
	struct symbol_source src = { "kallsyms", kallsyms_find_symbol, close_source, NULL,
				     symbol_at };
	struct kallsyms_anchor anchors[ARRAY_LEN(anchor_names)];
	unsigned n = anchors_get(d, anchors);
	struct reader *r = reader_new(d);
	struct kallsyms *k = start(d);
	enum status st = load_named(k, r, d);
	uint64_t names;

	if (!st)
		st = kallsyms_index(k);
	if (!st)
		mend_tokens(k, d);
	/* after a wrong length of one name all others are of wrong symbols */
	if (!st && vmcoreinfo_symbol(d, "kallsyms_names", &names) && !k->lost.names.n &&
	    !kallsyms_marked(k, names))
		st = ST_CORRUPT;
	if (!st)
		st = kallsyms_choose_form(k, anchors, n);
	if (st) {
		d->kallsyms_lost = st;
		log_debug(d->log, "no kallsyms by VMCOREINFO (%s), looking for its signature",
			  status_name(st));
		kallsyms_free(k);
		k = start(d);
		st = kallsyms_scan(k, r, anchors, n);
	}
	reader_free(r);
	if (st) {
		if (d->kallsyms_lost == ST_ABSENT)
			d->kallsyms_lost = st == ST_ABSENT ? ST_OK : st;
		kallsyms_free(k);
		return fail(&d->diag, st, "no usable kallsyms table in the dump");
	}
	d->kallsyms_lost = ST_OK;
	tell_lost(d, k);
	log_debug(d->log, "kallsyms: %" PRIu32 " symbols", k->num);
	src.self = k;
	return symbols_add(&d->symbols, &src) ? ST_OK : ST_LIMIT;
}
