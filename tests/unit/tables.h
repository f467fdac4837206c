/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables.h - a dump of a few pages in which a test lays out page tables by
 * hand. It has only pages: no symbols, no types, no model.
 */
#ifndef VMCENSUS_TESTS_TABLES_H
#define VMCENSUS_TESTS_TABLES_H

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "dumpread/base/bytes.h"
#include "facts/release.h"

/* 2.4.NN and 2.6.NN stand in tables as 2, 400 + NN and 2, 600 + NN. */
static inline int mainline(unsigned major, unsigned minor)
{
	unsigned v = major == 2 ? V(2u, minor / 100) + minor % 100 : V(major, minor);

	return (int)v;
}

#define TABLES_PAGES 64
#define TABLES_PAGE 4096u

struct tables {
	struct dump dump;
	uint8_t page[TABLES_PAGES][TABLES_PAGE];
	bool absent[TABLES_PAGES];
};

static inline bool tables_present(void *self, uint64_t pfn)
{
	struct tables *t = self;

	return pfn < TABLES_PAGES && !t->absent[pfn];
}

static inline enum status tables_read(void *self, void *ctx, uint64_t pfn, uint8_t *out)
{
	struct tables *t = self;

	(void)ctx;
	if (!tables_present(self, pfn))
		return ST_NODATA;
	memcpy(out, t->page[pfn], TABLES_PAGE);
	return ST_OK;
}

/* An empty machine of TABLES_PAGES pages, all zero. Free with tables_free(). */
static inline struct tables *tables_new(void)
{
	static const struct pages_ops pages = { .present = tables_present,
						.read = tables_read };
	struct tables *t = calloc(1, sizeof(*t));

	if (!t)
		abort();
	t->dump.pages = &pages;
	t->dump.pages_self = t;
	t->dump.page_shift = 12;
	t->dump.max_pfn = TABLES_PAGES;
	t->dump.vmcoreinfo = "";
	issues_init(&t->dump.issues);
	return t;
}

static inline void tables_free(struct tables *t)
{
	issues_release(&t->dump.issues);
	arena_release(&t->dump.mem);
	free(t);
}

/* Entry INDEX, of 8 bytes, of the table in page PFN. Readers keep copies of
   pages: make the tables before the reader. */
static inline void tables_set(struct tables *t, uint64_t pfn, unsigned index, uint64_t v)
{
	store_uint(&t->page[pfn][index * 8], v, 8, false);
}

#endif
