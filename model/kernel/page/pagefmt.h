/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pagefmt.h - the one reader of struct page; others ask frames.h, classes.h or kpageflags.h.
 *
 * pagefmt_init() makes all decisions that depend on the kernel, once; reading a page looks
 * up no names. A struct page is passed as its bytes in place. struct folio_view describes
 * a compound page by its head and first tails.
 */
#ifndef VMCENSUS_PAGEFMT_H
#define VMCENSUS_PAGEFMT_H

#include "dumpread/base/bytes.h"
#include "model/kernel/kobj.h"
#include "model/model.h"

#define STRUCT_PAGE_MAX 1024	/* bytes; memmap_init() refuses larger ones */

/* Where a tail page has the address of its head. */
enum compound_form {
	COMPOUND_UNKNOWN,
	COMPOUND_PRIVATE,	/* page.private, if PG_compound; to 2.6.21 */
	COMPOUND_FIRST_PAGE,	/* page.first_page, if a flag is set; to 4.3 */
	COMPOUND_HEAD,		/* page.compound_head, bit 0; 4.4 to 7.0 */
	COMPOUND_INFO,		/* page.compound_info: the same, or a mask; 7.1 */
};

/* How page.page_type, or _mapcount before it, marks pages with a type. */
enum type_form {
	TYPE_NONE,
	TYPE_VALUE,		/* _mapcount is one negative number; 2.6.38 to 4.17 */
	TYPE_CLEARED,		/* bits cleared below a base; 4.18 to 6.11 */
	TYPE_BYTE,		/* the top byte; 6.12 */
};

/* page_mapcount() of one page of a compound page. */
enum mapcount_form {
	MAPCOUNT_NONE,		/* 2.4: has none; page.count less other references */
	MAPCOUNT_OWN,		/* only page._mapcount; to 4.4 */
	MAPCOUNT_DOUBLE,	/* own + whole - double; 4.5 to 4.7 */
	MAPCOUNT_DOUBLE_ANON,	/* the same for anonymous; file: own; 4.8 to 6.1 */
	MAPCOUNT_ENTIRE,	/* own + whole; 6.2 */
};

enum order_form { ORDER_LRU_PREV, ORDER_COMPOUND, ORDER_FLAGS_1 };

struct pagefmt {
	const struct kernel *k;
	uint32_t size;			/* of struct page */
	uint32_t page_mask;		/* bytes of a page less 1 */
	uint8_t word;
	bool big, native64;		/* native64: 64-bit little-endian */
	/* offsets in struct page */
	uint32_t flags, mapping, private, lru, refcount, mapcount, compound;
	uint8_t count_bias;		/* added to refcount: 1 to 2.6.16 */
	uint32_t buffers;		/* MAPCOUNT_NONE: 0, no such member */
	uint64_t swapper_space;		/* the same: mapping of pages in the swap cache */
	uint8_t flags_size;
	/* bits of page.flags; 0: this kernel has none */
	uint64_t head, tail;		/* all bits of TAIL set: a tail (FIRST_PAGE form) */
	uint64_t referenced, dirty, lru_bit, slab_bit, reserved, swapbacked;
	uint64_t swapcache;		/* all of these set */
	uint64_t hwpoison, young, buddy_bit;
	bool young_of_folio;
	/* types */
	enum type_form type_form;
	int32_t type_reserve;		/* below: a type, no mapcount */
	uint32_t type_base;
	uint32_t type_buddy, type_offline, type_table, type_hugetlb, type_slab;
	/* compound pages; offsets from the head's struct page */
	enum compound_form compound_form;
	bool size_is_pow2;
	enum order_form order_form;
	uint32_t order_off, order_size;
	enum mapcount_form mapcount_form;
	uint32_t entire_off, large_off, mm_ids_off;	/* 0: none */
	uint64_t double_map;		/* of page[1].flags */
	uint64_t hugetlb_bit;		/* of page[1].flags */
	uint32_t dtor_off, dtor_size, dtor_hugetlb;	/* dtor_off 0: none */
	uint64_t dtor_hugetlb_kva;	/* to 4.3: page[1].lru.next is this function */
	uint32_t pool_mark;		/* page.pp_magic; 0: none */
	uint32_t view_size;		/* bytes from the head on that a view needs */
};

void pagefmt_init(struct pagefmt *f, const struct kernel *k);
void pagefmt_init_compound(struct pagefmt *f);

/* The word with flag bit E (E_PG_...) set, 0 if this kernel has no such flag. */
uint64_t pagefmt_flag(const struct pagefmt *f, enum layout_id e);

/* ---- one struct page at P ------------------------------------------------------ */

static inline uint64_t page_word(const struct pagefmt *f, const uint8_t *p, uint32_t off)
{
	return f->native64 ? load64(p + off, false) : load_uint(p + off, f->word, f->big);
}

static inline uint64_t page_flags(const struct pagefmt *f, const uint8_t *p)
{
	return f->native64 ? load64(p + f->flags, false)
			   : load_uint(p + f->flags, f->flags_size, f->big);
}

/* References of the page: page._refcount, _count or count. */
static inline uint32_t page_refcount(const struct pagefmt *f, const uint8_t *p)
{
	return load32(p + f->refcount, f->big) + f->count_bias;
}

/* 0 as well if its place is not known. No kernel begins struct page with it. */
static inline uint64_t page_mapping(const struct pagefmt *f, const uint8_t *p)
{
	return f->mapping ? page_word(f, p, f->mapping) : 0;
}

/* page._mapcount, also page.page_type: one word since both exist. Without it: not mapped, no type. */
static inline uint32_t page_type(const struct pagefmt *f, const uint8_t *p)
{
	return f->mapcount ? load32(p + f->mapcount, f->big) : UINT32_MAX;
}

static inline bool type_is_type(const struct pagefmt *f, uint32_t type)
{
	return f->type_form != TYPE_NONE && (int32_t)type < f->type_reserve;
}

/*
 * PAGE_MAPPING_MOVABLE without PAGE_MAPPING_ANON (bda807d44454, v4.8): pages of zsmalloc,
 * z3fold or a balloon, which no process maps; zsmalloc keeps an offset in their _mapcount.
 */
static inline bool page_is_movable_kernel(uint64_t mapping)
{
	return (mapping & 3) == 2;
}

/* Mappings that the page itself counts: 0 for a page with a type. */
static inline uint32_t page_own_mapcount(const struct pagefmt *f, uint32_t type)
{
	int32_t n = (int32_t)(type + 1);

	if (f->mapcount_form == MAPCOUNT_NONE || n < 0 || type_is_type(f, type))
		return 0;
	return (uint32_t)n;
}

/* Is the page, or the folio it is the head of, of a page_pool? poolmark.c */
bool page_is_of_pool(const struct pagefmt *f, const uint8_t *p);

/* FR_BUDDY, FR_SLAB, FR_PGTABLE, FR_OFFLINE, FR_HUGETLB as TYPE says. */
uint32_t typed_class(const struct pagefmt *f, uint32_t type);

static inline uint32_t type_class(const struct pagefmt *f, uint32_t type)
{
	return type_is_type(f, type) ? typed_class(f, type) : 0;
}

/*
 * MAPCOUNT_NONE: the references to a page of 2.4 that can be mappings, and FR_ANON,
 * FR_SWAPCACHE into *fr. A page has one reference from the page cache or the swap cache,
 * one from its buffers, one from each mapping (mm/filemap.c, fs/buffer.c, mm/memory.c).
 */
uint32_t page_counted(const struct pagefmt *f, const uint8_t *p, uint32_t refs, uint32_t *fr);

/* FR_* from only the page flags of a page or a folio's head. Without branches: on a busy
   machine the bits of one page do not predict those of the next. */
static inline uint32_t flags_class(const struct pagefmt *f, uint64_t flags)
{
	uint64_t referenced = f->referenced | (f->young_of_folio ? f->young : 0);

	return (uint32_t)!!(flags & f->lru_bit) * FR_LRU |
	       (uint32_t)!!(flags & f->dirty) * FR_DIRTY |
	       (uint32_t)!!(flags & referenced) * FR_REFERENCED |
	       (uint32_t)!!(flags & f->swapbacked) * FR_SWAPBACKED |
	       (uint32_t)!!(flags & f->slab_bit) * FR_SLAB |
	       (uint32_t)!!(flags & f->reserved) * FR_RESERVED |
	       (uint32_t)!!(flags & f->hwpoison) * FR_HWPOISON |
	       (uint32_t)!!(flags & f->buddy_bit) * FR_BUDDY |
	       (uint32_t)(f->swapcache && (flags & f->swapcache) == f->swapcache) *
		       FR_SWAPCACHE;
}

/* FR_ANON, FR_KSM, FR_CACHE of page.mapping. */
uint32_t mapping_class(const struct pagefmt *f, uint64_t mapping, uint32_t others);

/*
 * Is the page at KVA a tail? *head is the address of its head's struct page.
 * NEXT is the struct page after it, for fake heads; NULL if not at hand.
 */
bool page_is_tail(const struct pagefmt *f, const uint8_t *p, uint64_t kva,
		  const uint8_t *next, uint64_t *head);

enum page_role {
	PAGE_SINGLE,
	PAGE_HEAD, PAGE_TAIL,	/* of a compound page */
	PAGE_ASTRAY,		/* a tail whose head is at no address of the kernel */
	PAGE_UNSET,		/* never set up: page_init_poison(), f165b378bbdf (v4.18) */
};

/* The role of the page at KVA; LEN readable bytes begin at P. *head: as above, or KVA. */
static inline enum page_role page_role(const struct pagefmt *f, const uint8_t *p, uint64_t kva,
				       size_t len, uint64_t *head)
{
	uint64_t flags = page_flags(f, p);
	bool is_head = flags & f->head;
	/* fake heads are the first struct page of a page */
	bool pair = is_head && !(kva & f->page_mask) && len >= 2 * f->size;

	*head = kva;
	if (flags == (f->word == 8 ? UINT64_MAX : UINT32_MAX))
		return PAGE_UNSET;
	if (page_is_tail(f, p, kva, pair ? p + f->size : NULL, head))
		return kernel_ptr_ok(f->k, *head, f->word) ? PAGE_TAIL : PAGE_ASTRAY;
	return is_head ? PAGE_HEAD : PAGE_SINGLE;
}

/* Bytes from the struct page at KVA on that page_role() needs. */
static inline size_t page_role_size(const struct pagefmt *f, uint64_t kva)
{
	return kva & f->page_mask ? f->size : 2 * f->size;
}

/* ---- compound pages -------------------------------------------------------------- */

struct folio_view {
	uint64_t kva;		/* of the head's struct page; 0: no folio */
	bool readable;
	uint64_t flags, second_flags;	/* of the head and of the page after it */
	uint64_t mapping;
	uint32_t refcount, type;	/* of the head */
	uint32_t fr;		/* FR_* that all its pages share, and the order */
	unsigned order;
	uint32_t entire;	/* mappings of the whole folio */
	uint32_t add;		/* add to a page's own mapcount */
	bool pte_mapped;	/* the totals show that parts are mapped */
	uint32_t average;	/* folio_average_page_mapcount() */
};

/* Fills V from f->view_size bytes at P, the head's struct page and those after it. */
void folio_view(const struct pagefmt *f, const uint8_t *p, uint64_t kva,
		struct folio_view *v);

/*
 * The same for the head at KVA, which may lie in HERE, LEN readable bytes from HERE_KVA on;
 * otherwise R reads it. False, with v->readable false: it is not readable.
 */
bool folio_read(const struct pagefmt *f, struct reader *r, uint64_t kva, const uint8_t *here,
		uint64_t here_kva, size_t len, struct folio_view *v);

/*
 * A struct page at KVA that memmap_init_zone() did not set up, in a hole in a section or after
 * the last page: no zone, no flag except PG_reserved (frame 0 of a PC), no reference, and a
 * _mapcount that reads as one mapping. lru is zeros, or an empty list (reserve_bootmem_region()
 * of 4.18).
 */
bool page_is_blank(const struct pagefmt *f, const uint8_t *p, uint64_t kva);

/*
 * Order of the free block whose head is at P, of frame PFN; 0 also if it cannot be true. Orders
 * are small (MAX_PAGE_ORDER) and blocks are aligned: no block crosses a chunk.
 */
uint32_t page_block_order(const struct pagefmt *f, const uint8_t *p, uint64_t pfn);

#endif
