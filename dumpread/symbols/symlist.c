/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symlist.c - a sorted list of symbols from a file.
 */
#include "dumpread/symbols/symlist.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/hash.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"

#define MAX_PROBES 4096u	/* symbols of one name looked at: bounds a hostile list */

struct symlist *symlist_new(void)
{
	return heap_array(struct symlist, 1);
}

void symlist_free(struct symlist *l)
{
	if (!l)
		return;
	arena_release(&l->mem);
	free(l);
}

bool symlist_add(struct symlist *l, const char *name, size_t len, uint64_t addr, bool global)
{
	if (!len)
		return true;
	if (l->n == SYMLIST_MAX || l->names_len + len + 1 > UINT32_MAX)
		return false;
	if (l->n == l->cap) {
		uint32_t cap = l->cap ? l->cap * 2 : 1024;

		l->v = arena_grow(&l->mem, l->v, l->cap, cap, sizeof(*l->v));
		l->cap = cap;
	}
	while (l->names_len + len + 1 > l->names_cap) {
		size_t cap = l->names_cap ? l->names_cap * 2 : 32 << 10;

		l->names = arena_grow(&l->mem, l->names, l->names_cap, cap, 1);
		l->names_cap = cap;
	}
	l->v[l->n++] = (struct symlist_sym){ addr, (uint32_t)l->names_len, global };
	memcpy(l->names + l->names_len, name, len);
	l->names_len += len + 1; /* the arena's memory is zeroed */
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct symlist_sym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static uint32_t slot_of(const struct symlist *l, const char *name)
{
	return (uint32_t)((hash_str(name) * 0x9e3779b97f4a7c15ull) >> 32) & l->mask;
}

void symlist_finish(struct symlist *l)
{
	uint32_t cap = 64;

	sort_array(l->v, l->n, sizeof(*l->v), by_address);
	while (cap < l->n * 2)
		cap *= 2;
	l->mask = cap - 1;
	l->slots = arena_array(&l->mem, uint32_t, cap);
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t s = slot_of(l, l->names + l->v[i].name), probes = 0;

		for (; l->slots[s] && probes < MAX_PROBES; probes++)
			s = (s + 1) & l->mask;
		if (probes < MAX_PROBES)
			l->slots[s] = i + 1;
	}
}

bool symlist_find(const struct symlist *l, const char *name, uint64_t *addr)
{
	uint32_t s = slot_of(l, name);
	bool found = false;

	for (uint32_t n = 0; l->slots[s] && n < MAX_PROBES; n++, s = (s + 1) & l->mask) {
		const struct symlist_sym *sym = &l->v[l->slots[s] - 1];

		if (strcmp(l->names + sym->name, name))
			continue;
		if (!found || sym->global)
			*addr = sym->addr;
		found = true;
		if (sym->global)
			break;
	}
	return found;
}

static bool symlist_find_symbol(void *self, const char *name, uint64_t *addr)
{
	return symlist_find(self, name, addr);
}

static void close_source(void *self)
{
	symlist_free(self);
}

enum status symlist_attach(struct symlist *l, struct dump *d, const char *name)
{
	struct symbol_source src = {
		.name = name, .find = symlist_find_symbol, .close = close_source, .self = l
	};

	if (symbols_add(&d->symbols, &src))
		return ST_OK;
	return fail(&d->diag, ST_LIMIT, "too many sources of symbols");
}
