/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kfence_claim.c - the pool of KFENCE (mm/kfence/core.c): two guard pages, then for each object a page and
 * a guard page, 2 * (CONFIG_KFENCE_NUM_OBJECTS + 1) together. Read in 5.12, 6.1, 6.6, 6.12, 7.1.
 *
 * Pages of objects have PG_slab or PGTY_slab, but no counter of slab has them: kfence_init_pool() sets it
 * alone, and only allocate_slab() counts (account_slab(), mm/slub.c). Nothing marks guard pages. A pool
 * that was made at boot is reserved; since b33f778bba5e (v5.18) it may be made later, by
 * alloc_contig_pages().
 */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/kmem.h"
#include "model/kernel/kobj.h"
#include "model/memory/census/claims.h"

#define OBJECTS_MAX 65535u	/* KFENCE_NUM_OBJECTS, lib/Kconfig.kfence */
#define AHEAD 16u		/* records that are asked after one that does not fit */

struct pool {
	const struct kernel *k;
	struct reader *r;
	uint64_t start, records;	/* kernel-virtual addresses */
	uint64_t n;			/* objects */
};

/* Record I has the address of an object in its page, or of the page before it had one. */
static bool fits(const struct pool *p, uint64_t i)
{
	const struct kernel *k = p->k;
	uint64_t page = UINT64_C(1) << k->page_shift, addr;

	return !kmember_u64(k, p->r, p->records + i * layout_size(&k->layout, S_KFENCE_METADATA),
			    M_KFENCE_ADDR, &addr) &&
	       (addr & ~(page - 1)) == p->start + 2 * page * (i + 1);
}

/* The number of objects is the length of the array of records, and nowhere else in memory. */
static bool count_objects(struct pool *p)
{
	p->records = layout_symbol(&p->k->layout, Y_KFENCE_METADATA);
	if (!p->records || !has(p->k, S_KFENCE_METADATA) || !has(p->k, M_KFENCE_ADDR))
		return false;
	if (has(p->k, Y_KFENCE_METADATA_INIT) &&
	    kvar_u64(p->k, p->r, Y_KFENCE_METADATA, 0, &p->records))
		return false;
	while (p->n < OBJECTS_MAX && fits(p, p->n))
		p->n++;
	/* one that is damaged is not the end */
	for (uint64_t i = 1; i <= AHEAD; i++)
		if (fits(p, p->n + i))
			return false;
	return p->n != 0;
}

/*
 * riscv64 takes the memory of the pool whether KFENCE is wanted or not (create_linear_mapping_page_table()
 * in mm/init.c, 6.12). Without records, since 6.6 of memory that is taken before, nothing is in it, nor says
 * how large it is: it stays what it is to the kernel, reserved at boot.
 */
static bool is_off(const struct kernel *k, struct reader *r)
{
	uint64_t records, init;

	return has(k, Y_KFENCE_METADATA) && has(k, Y_KFENCE_METADATA_INIT) &&
	       !kvar_u64(k, r, Y_KFENCE_METADATA, 0, &records) && !records &&
	       !kvar_u64(k, r, Y_KFENCE_METADATA_INIT, 0, &init) && !init;
}

/*
 * The physical address of the pool, which is one piece. Guard pages and freed objects are not mapped: any
 * page that is tells, and all that are agree.
 */
static bool locate(const struct pool *p, uint64_t pages, uint64_t *ret)
{
	uint64_t shift = p->k->page_shift, pa, run;
	bool found = false;

	for (uint64_t i = 0; i < pages; i++) {
		if (reader_kvtop(p->r, p->start + (i << shift), &pa, NULL))
			continue;
		if (found && pa - (i << shift) != *ret)
			return false;
		*ret = pa - (i << shift);
		found = true;
	}
	return found ||
	       (p->k->arch->by_rule && !p->k->arch->by_rule(p->k->dump, p->start, ret, &run));
}

static bool claim_pages(const struct pool *p, struct page_classes *c)
{
	uint64_t pa, pfn, pages = 2 * (p->n + 1);

	if (!locate(p, pages, &pa))
		return false;
	pfn = pa >> p->k->page_shift;
	for (uint64_t i = 0; i < pages; i++)
		if (!page_classes_refine(c, pfn + i, CLASS_SLAB, CLASS_KFENCE))
			page_classes_claim(c, pfn + i, CLASS_KFENCE);
	return true;
}

/* Records in memory of their own; as an array they are a part of the image. */
static void claim_records(const struct pool *p, struct page_classes *c)
{
	const struct kernel *k = p->k;

	claim_kva(k, p->r, c, p->records,
		  p->records + p->n * layout_size(&k->layout, S_KFENCE_METADATA), CLASS_KFENCE);
}

bool claim_kfence(const struct kernel *k, struct reader *r, struct page_classes *c)
{
	struct pool p = { .k = k, .r = r };

	if (!has(k, Y_KFENCE_POOL))
		return !has(k, S_KFENCE_METADATA);
	if (kvar_u64(k, r, Y_KFENCE_POOL, 0, &p.start)) {
		issue_add(k->issues, ST_NODATA, "KFENCE pool", 1, "its address is not readable");
		return false;
	}
	if (!p.start || is_off(k, r))
		return true;
	if (p.start & ((UINT64_C(1) << k->page_shift) - 1) || !count_objects(&p) ||
	    !claim_pages(&p, c)) {
		issue_add(k->issues, ST_CORRUPT, "KFENCE pool", 1,
			  "at %#" PRIx64 ": its size or place is not known", p.start);
		return false;
	}
	if (has(k, Y_KFENCE_METADATA_INIT))
		claim_records(&p, c);
	return true;
}
