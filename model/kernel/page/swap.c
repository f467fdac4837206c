/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swap.c - the meaning of non-present entries, and how many share one.
 *
 * Types: swap areas count from 0; the special ones are allotted from 31 down,
 * as many as the kernel was configured with (include/linux/swap.h):
 *     0 .. MAX-1 areas | hwpoison | migration 2 or 3 | device 2, 4 or 3 | marker | error
 *
 * Counts, to 7.0: swap_map[slot], a byte: 6 bits of count, 0x40 in swap cache,
 * 0x80 continued in pages that hang on the lru list of the vmalloc page that
 * holds the byte, 7 bits per page (add_swap_count_continuation()).
 *     0xbf is shmem's (SWAP_MAP_SHMEM, aaa468653b4a v2.6.33, until 6.15), 0x3f bad.
 * Since 7.1: one word per slot in cluster_info[slot / N].table (mm/swap_table.h):
 *     0 free | ..1 swapped out | ..10 in swap cache | 1..1000 bad
 * with the count in its top bits; all ones: it is in extend_table[] instead.
 */
#include "model/kernel/page/swap.h"


#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"
#include "facts/layout/page.h"
#include "facts/layout/swap.h"
#include "model/kernel/kobj.h"

#define SPECIAL_END 32		/* 1 << MAX_SWAPFILES_SHIFT */

#define SWP_USED 1u		/* swap_info_struct.flags */

#define MAP_HAS_CACHE 0x40u
#define MAP_CONTINUED 0x80u
#define MAP_MAX 0x3eu
#define MAP_BAD 0x3fu
#define MAP_SHMEM 0xbfu
#define MAP_CONT_MAX 0x7fu
#define MAP_PAGES 5		/* 6 + 4 * 7 bits hold any int */

/* ---- types -------------------------------------------------------------------- */

static unsigned put_kinds(struct swaps *w, unsigned type, unsigned n, enum swap_kind kind)
{
	for (unsigned i = 0; i < n && type < SWAP_TYPES; i++)
		w->kind[type++] = (uint8_t)kind;
	return type;
}

static unsigned device_private_types(const struct kernel *k)
{
	if (kernel_rule(k, RULE_SWP_DEVICE_EXCLUSIVE))
		return has(k, Y_MAKE_DEVICE_EXCLUSIVE) ? 2 : 0;
	return kernel_rule(k, RULE_DEVPRIVATE_IS_PAGE) && has(k, Y_MIGRATE_VMA_SETUP) ? 2 : 0;
}

static void init_kinds(struct swaps *w)
{
	const struct kernel *k = w->k;
	unsigned poison = has(k, E_PG_HWPOISON), private = device_private_types(k);
	unsigned migration = has(k, Y_MIGRATE_PAGES) ? 2 : 0, exclusive = 0, type;
	unsigned marker = kernel_rule(k, RULE_SWP_PTE_MARKER) || has(k, Y_PTE_MARKER);
	unsigned error = kernel_rule(k, RULE_SWP_SWAPIN_ERROR);

	/* SWP_MIGRATION_READ_EXCLUSIVE came with the flag, 6c287605fd56 (v5.19) */
	if (migration && has(k, E_PG_ANON_EXCLUSIVE))
		migration = 3;
	/* reading and writing have separate types until 6.15, which renamed the function */
	if (private && kernel_rule(k, RULE_SWP_DEVICE_EXCLUSIVE))
		exclusive = k->layout.v[Y_MAKE_DEVICE_EXCLUSIVE].alt == 0 ? 1 : 2;
	type = SPECIAL_END - (poison + migration + private + exclusive + marker + error);
	type = put_kinds(w, type, poison, SWAP_HWPOISON);
	type = put_kinds(w, type, migration, SWAP_MIGRATION);
	type = put_kinds(w, type, private, SWAP_DEVICE_PRIVATE);
	type = put_kinds(w, type, exclusive, SWAP_DEVICE_EXCLUSIVE);
	put_kinds(w, type, marker + error, SWAP_OTHER);
}

/*
 * Since 6.0 (0d206b5d2e0d) bits above the pfn keep young and dirty of a page that migrates:
 * SWP_PFN_BITS is MAX_PHYSMEM_BITS - PAGE_SHIFT.
 */
static void init_pfn_mask(struct swaps *w)
{
	const struct dump *d = w->k->dump;
	int64_t bits;

	w->pfn_mask = UINT64_MAX;
	if (vmcoreinfo_number(d, "MAX_PHYSMEM_BITS", &bits) && bits > d->page_shift && bits < 64)
		w->pfn_mask = (UINT64_C(1) << (bits - d->page_shift)) - 1;
}

/* ---- areas -------------------------------------------------------------------- */

static void read_area(struct swaps *w, struct kobj *o, struct reader *r, uint64_t at, unsigned type)
{
	struct swap_file *f = &w->file[type];
	enum status st = kernel_ptr_ok(w->k, at, w->k->dump->word_size) ? kobj_read(o, r, at)
									: ST_CORRUPT;

	if (st) {
		issue_add(w->k->issues, st, "swap area", 1, "type %u", type);
		f->unread = true;
		return;
	}
	if (!(kobj_u64(o, M_SI_FLAGS) & SWP_USED))
		return;
	f->max = kobj_u64(o, M_SI_MAX);
	f->counts = kobj_u64(o, w->in_table ? M_SI_CLUSTER_INFO : M_SI_SWAP_MAP);
	/* memory of vmalloc() */
	if (!w->in_table && f->counts & (dump_page_size(w->k->dump) - 1))
		issue_add(w->k->issues, ST_CORRUPT, "swap area", 1, "counts of type %u", type);
}

static void unread_from(struct swaps *w, unsigned type)
{
	for (; type < SWAP_TYPES; type++)
		w->file[type].unread = true;
}

static void read_areas(struct swaps *w, struct reader *r)
{
	const struct kernel *k = w->k;
	uint64_t base = layout_symbol(&k->layout, Y_SWAP_INFO), n, at;
	bool pointers = has(k, M_SI_TYPE);
	enum status st;
	struct kobj o;

	if (!base || !layout_symbol(&k->layout, Y_NR_SWAPFILES)) {
		/* a kernel without swap, or one whose names for it are not known */
		if (kernel_hides_symbols(k))
			unread_from(w, 0);
		return;
	}
	st = kvar_u64(k, r, Y_NR_SWAPFILES, 4, &n);
	if (st) {
		issue_add(k->issues, st, "swap area", 1, "their number cannot be read");
		unread_from(w, 0);
		return;
	}
	kobj_init(&o, k, S_SWAP_INFO);
	for (unsigned type = 0; type < min_u64(n, SWAP_TYPES); type++) {
		at = base + type * (uint64_t)o.size;
		if (pointers &&
		    (st = read_kva_word(r, base + (uint64_t)type * k->dump->word_size, &at))) {
			issue_add(k->issues, st, "swap area", 1, "type %u", type);
			unread_from(w, type);
			break;
		}
		if (at)
			read_area(w, &o, r, at, type);
	}
	kobj_release(&o);
}

void swaps_init(struct swaps *w, const struct kernel *k, struct reader *r)
{
	*w = (struct swaps){ .k = k };
	init_kinds(w);
	init_pfn_mask(w);
	w->in_table = !has(k, M_SI_SWAP_MAP) && has(k, M_SWAP_CLUSTER_TABLE);
	w->map_size = has(k, M_SI_TYPE) ? 1 : 2; /* unsigned short to 2.6.32 */
	/* SWP_TB_COUNT_BITS: the bits above the pfn, at most four */
	w->count_bits = has(k, M_SWAP_CLUSTER_ZERO_BITMAP) ? 2 : 4;
	w->cluster_slots = k->layout.v[M_SWAP_TABLE_ENTRIES].m.count;
	if (!has(k, M_SWAP_TABLE_ENTRIES) || !w->cluster_slots)
		w->cluster_slots = k->paging ? 1u << k->paging->bits[0] : 256;
	read_areas(w, r);
}

/* ---- counts -------------------------------------------------------------------- */

void swap_cursor_init(struct swap_cursor *c, const struct swaps *w, struct reader *r)
{
	*c = (struct swap_cursor){ .w = w, .r = r, .type = SWAP_TYPES };
}

void swap_cursor_release(struct swap_cursor *c)
{
	reader_release(c->r, &c->page);
	c->type = SWAP_TYPES;
}

/* A naturally aligned integer at KVA; the page used last is kept. */
static bool read_count(struct swap_cursor *c, uint64_t kva, unsigned size, uint64_t *ret)
{
	const struct dump *d = c->w->k->dump;
	uint64_t mask = dump_page_size(d) - 1, pa;

	if (kva & (size - 1))
		return false;
	if (!c->page.data || c->page_kva != (kva & ~mask)) {
		reader_release(c->r, &c->page);
		if (reader_kvtop(c->r, kva & ~mask, &pa, NULL) ||
		    reader_page(c->r, pa >> d->page_shift, &c->page))
			return false;
		c->page_kva = kva & ~mask;
	}
	*ret = load_uint(c->page.data + (kva & mask), size, d->big_endian);
	return true;
}

/* COUNT, the 6 bits of the byte at KVA, becomes the whole count; false if a part of it is lost. */
static bool count_continued(struct swap_cursor *c, uint64_t kva, uint32_t *count)
{
	const struct kernel *k = c->w->k;
	uint64_t off = kva & (dump_page_size(k->dump) - 1), pa, pfn, page, next, n = MAP_MAX + 1;
	uint64_t lru = layout_offset(&k->layout, M_PAGE_LRU);
	uint64_t link = lru + layout_offset(&k->layout, M_LIST_NEXT), sum = *count;

	if (reader_kvtop(c->r, kva, &pa, NULL))
		return false;
	page = memmap_page_kva(&k->memmap, pa >> k->dump->page_shift);
	for (int i = 0; page && i < MAP_PAGES; i++) {
		uint8_t more;

		if (read_kva_word(c->r, page + link, &next) ||
		    !memmap_page_pfn(&k->memmap, next - lru, &pfn) ||
		    read_pa(c->r, (pfn << k->dump->page_shift) + off, &more, 1))
			return false;
		sum += (more & MAP_CONT_MAX) * n;
		n *= MAP_CONT_MAX + 1;
		page = next - lru;
		if (!(more & MAP_CONTINUED)) {
			*count = (uint32_t)min_u64(sum, INT32_MAX);
			return true;
		}
	}
	return false;
}

static bool slot_in_map(struct swap_cursor *c, const struct swap_file *f, uint64_t offset,
			struct swap_slot *ret)
{
	unsigned size = c->w->map_size, own;
	uint64_t kva = f->counts + offset * size, v;

	if (!read_count(c, kva, size, &v))
		return false;
	if (size == 2) { /* 0x8000: in swap cache (2.6.31), a bad slot before */
		ret->count = v & 0x7fff;
		ret->used = v && v != 0x8000;
		return true;
	}
	own = v & ~MAP_HAS_CACHE;
	ret->cached = v & MAP_HAS_CACHE;
	ret->shmem = own == MAP_SHMEM;
	ret->bad = own == MAP_BAD;
	ret->used = v && !ret->bad;
	ret->count = ret->shmem ? 1 : ret->bad ? 0 : own;
	if (!(v & MAP_CONTINUED) || ret->shmem)
		return true;
	ret->count = own & ~MAP_CONTINUED;
	ret->lost = !count_continued(c, kva, &ret->count);
	return true;
}

static bool enter_cluster(struct swap_cursor *c, unsigned type, uint64_t cluster)
{
	const struct kernel *k = c->w->k;
	uint64_t at;

	if (c->type == type && c->cluster == cluster)
		return true;
	c->type = SWAP_TYPES;
	at = c->w->file[type].counts + cluster * layout_size(&k->layout, S_SWAP_CLUSTER);
	if (kmember_u64(k, c->r, at, M_SWAP_CLUSTER_TABLE, &c->table) ||
	    kmember_u64(k, c->r, at, M_SWAP_CLUSTER_EXTEND, &c->extend))
		return false;
	c->type = type;
	c->cluster = cluster;
	return true;
}

static bool slot_in_table(struct swap_cursor *c, unsigned type, uint64_t offset,
			  struct swap_slot *ret)
{
	unsigned word = c->w->k->dump->word_size, shift = 8 * word - c->w->count_bits;
	uint32_t i = (uint32_t)(offset % c->w->cluster_slots);
	uint64_t v, more;

	if (!enter_cluster(c, type, offset / c->w->cluster_slots))
		return false;
	/* a cluster without a table is free */
	if (!c->table)
		return true;
	if (!read_count(c, c->table + (uint64_t)i * word, word, &v))
		return false;
	ret->cached = (v & 3) == 2;
	ret->used = v & 1 || ret->cached;
	ret->bad = v && !ret->used;
	if (!ret->used)
		return true;
	ret->count = (uint32_t)(v >> shift);
	if (ret->count != (1u << c->w->count_bits) - 1 || !c->extend)
		return true;
	ret->lost = !read_count(c, c->extend + (uint64_t)i * 4, 4, &more);
	if (!ret->lost)
		ret->count = (uint32_t)min_u64(more, INT32_MAX);
	return true;
}

bool swap_slot_read(struct swap_cursor *c, unsigned type, uint64_t offset, struct swap_slot *ret)
{
	const struct swap_file *f = &c->w->file[type & (SWAP_TYPES - 1)];
	bool there;

	*ret = (struct swap_slot){ 0 };
	if (!f->counts || offset >= f->max) {
		ret->lost = f->unread || f->counts;
		/* an entry names a slot of an area in use, if this kernel shows areas at all */
		if (has(c->w->k, Y_SWAP_INFO) && has(c->w->k, M_SI_MAX) &&
		    (c->w->in_table || has(c->w->k, M_SI_SWAP_MAP)))
			issue_add(c->w->k->issues, ST_CORRUPT, "swap slot", 1,
				  "of type %u: there is none with that number", type);
		return false;
	}
	there = c->w->in_table ? slot_in_table(c, type & (SWAP_TYPES - 1), offset, ret)
			       : slot_in_map(c, f, offset, ret);
	ret->lost |= !there;
	if (ret->lost)
		issue_add(c->w->k->issues, ST_NODATA, "swap slot", 1,
			  "of type %u: the count cannot be read", type);
	return there;
}
