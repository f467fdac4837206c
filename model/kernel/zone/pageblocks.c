/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pageblocks.c - the migrate type of each pageblock.
 *
 * A few bits for each block, in words of the kernel: of a section with SPARSEMEM, else of the
 * zone (include/linux/pageblock-flags.h, get_pfnblock_flags_mask() in mm/page_alloc.c, read in
 * 5.10, 6.1, 6.12, 7.2). Before 535b81e20921 (v5.9) the bits are in reverse order.
 */
#include "dumpread/base/bytes.h"
#include "facts/layout/file.h"
#include "facts/layout/kmem.h"
#include "facts/layout/page.h"
#include "facts/layout/system.h"
#include "model/kernel/hugetlb/hugetlb.h"
#include "model/kernel/kobj.h"
#include "model/kernel/zone/zones.h"

/*
 * HUGETLB_PAGE_ORDER: of what an entry of the lowest directory maps, if there are such pages. On e500 (4 MiB) and
 * 8xx (512 KiB) it is that of the smallest ones: HPAGE_SHIFT in arch/powerpc/include/asm/page.h of 6.1.
 */
static uint64_t huge_order(const struct kernel *k, struct reader *r)
{
	uint64_t n, order, least = UINT64_MAX;
	uint64_t usual = k->paging->bits[0];

	if (!has(k, S_HSTATE) || !has(k, M_HSTATE_ORDER) || huge_page_sizes(k, r, &n))
		return usual;
	for (uint64_t i = 0; i < n; i++) {
		if (hstate_order(k, r, hstate_at(k, i), &order) || order == usual)
			return usual;
		least = min_u64(least, order);
	}
	return n ? least : usual;
}

unsigned pageblock_order(const struct kernel *k, struct reader *r, unsigned norders)
{
	unsigned max = norders ? norders - 1 : 0;
	uint64_t order;

	if (!kvar_u64(k, r, Y_PAGEBLOCK_ORDER, 4, &order))
		return (unsigned)min_u64(order, max);
	/* without hugetlb the type has no members */
	if (has(k, Y_HSTATES) || has(k, M_HSTATE_ORDER))
		return (unsigned)min_u64(huge_order(k, r), max);
	/* the order of a huge page of a PMD */
	if (has(k, Y_THP_FLAGS) && has(k, E_PB_ISOLATE))
		return (unsigned)min_u64(k->paging->bits[0], max);
	return max;
}

static enum status block_bits(struct pageblocks *b, uint64_t index, uint64_t *ret)
{
	unsigned size = b->k->dump->word_size;
	uint64_t bit = index * b->width, at = b->base + bit / (8 * size) * size;
	enum status st = ST_OK;

	if (at != b->word_at)
		st = read_kva_word(b->r, at, &b->word);
	b->word_at = st ? 0 : at;
	*ret = b->word >> bit % (8 * size) & ((1u << b->width) - 1);
	return st;
}

static unsigned type_of(const struct kernel *k, uint64_t bits)
{
	int64_t isolate = layout_enum(&k->layout, E_PB_ISOLATE, -1);

	if (isolate > 0 && bits >> isolate & 1)
		return (unsigned)layout_enum(&k->layout, E_MIGRATE_ISOLATE, 0);
	return bits & 7;
}

/* The words of the block at PFN begin at b->base; b->first is the frame of the first. */
static enum status find_words(struct pageblocks *b, uint64_t pfn)
{
	const struct memmap *m = &b->k->memmap;
	uint64_t section = memmap_section_kva(m, b->r, pfn), usage;
	enum status st;

	if (!m->sections.kva) {
		b->first = b->z->start_pfn >> b->zs->block_order << b->zs->block_order;
		return kmember_u64(b->k, b->r, b->z->addr, M_ZONE_BLOCK_FLAGS, &b->base);
	}
	b->first = pfn - pfn % m->sections.pages;
	if (!section)
		return ST_CORRUPT;
	st = kmember_u64(b->k, b->r, section, M_SECTION_USAGE, &usage);
	b->base = usage + layout_offset(&b->k->layout, M_USAGE_BLOCK_FLAGS);
	return st || kernel_ptr_ok(b->k, usage, b->k->dump->word_size) ? st : ST_CORRUPT;
}

static bool can_count(const struct kernel *k)
{
	static const struct era reversed = { 0, V(5, 9) };

	if (in_era(k, reversed) || !has(k, E_MIGRATE_TYPES))
		return false;
	return k->memmap.sections.kva ? has(k, M_SECTION_USAGE) && has(k, M_USAGE_BLOCK_FLAGS)
				      : has(k, M_ZONE_BLOCK_FLAGS);
}

bool pageblocks_init(struct pageblocks *b, const struct kernel *k, struct reader *r,
		     const struct zones *zs, const struct zone *z)
{
	*b = (struct pageblocks){ .k = k,
				  .r = r,
				  .zs = zs,
				  .z = z,
				  .section = UINT64_MAX,
				  .width = has(k, E_PB_ISOLATE) ? 8 : 4 };
	return can_count(k);
}

enum status pageblock_type(struct pageblocks *b, uint64_t pfn, unsigned *type)
{
	const struct memmap *m = &b->k->memmap;
	uint64_t nr = m->sections.kva ? pfn / m->sections.pages : 0, bits;
	enum status st;

	if (!memmap_page_kva(m, pfn) || !memmap_is_online(m, pfn))
		return ST_ABSENT;
	if (nr != b->section) {
		st = find_words(b, pfn);
		if (st)
			return st;
		b->section = nr;
	}
	st = block_bits(b, (pfn - b->first) >> b->zs->block_order, &bits);
	*type = st ? 0 : type_of(b->k, bits);
	return st;
}

enum status pageblocks_count(const struct kernel *k, struct reader *r, const struct zones *zs,
			     const struct zone *z, uint64_t *count)
{
	uint64_t step = UINT64_C(1) << zs->block_order, end = z->start_pfn + z->spanned;
	struct pageblocks b;
	unsigned type;

	if (!pageblocks_init(&b, k, r, zs, z))
		return ST_ABSENT;
	end = min_u64(end, k->memmap.max_pfn);
	for (uint64_t pfn = z->start_pfn; pfn < end; pfn += step) {
		enum status st = pageblock_type(&b, pfn, &type);

		if (st == ST_ABSENT)
			continue;
		if (st)
			return st;
		if (type < zs->ntypes)
			count[type]++;
	}
	return ST_OK;
}
