/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page array, and the map of swap.
 */
#include "tests/machine/lay.h"

#include <elf.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/page.h"
#include "facts/layout/swap.h"

/* Page flags of 2.4.27, include/linux/mm.h; later kernels have theirs in an enum. */
#define PG_REFERENCED 0x4u
#define PG_UPTODATE 0x8u
#define PG_DIRTY 0x10u
#define PG_LRU 0x40u
#define PG_SLAB 0x100u
#define PG_RESERVED 0x4000u

/* Page flags were macros before 2.6.26: OLD is for 2.4, the list for 2.6.11 and 2.6.18. */
uint64_t mpage_flag(const struct machine *m, enum layout_id id, uint64_t old)
{
	const struct { enum layout_id id; uint64_t bit; } of_2_6_11[] = {
		{ E_PG_REFERENCED, 0x4 }, { E_PG_DIRTY, 0x10 }, { E_PG_LRU, 0x20 }, { E_PG_SLAB, 0x80 },
		{ E_PG_RESERVED, m->number < 2613 ? 0x800 : 0x400 },
	};
	int64_t n = layout_enum(&m->layout, id, -1);

	for (size_t i = 0; i < ARRAY_LEN(of_2_6_11) && m->number / 100 == 26; i++)
		if (n < 0 && of_2_6_11[i].id == id)
			return of_2_6_11[i].bit;
	return n < 0 ? layout_has(&m->layout, M_PAGE_MAPCOUNT) ? 0 : old : UINT64_C(1) << n;
}

uint64_t mpage_struct(const struct machine *m, uint64_t pfn)
{
	return m->mem_map + pfn * layout_size(&m->layout, S_PAGE);
}

/* Its references: the cache has one for each page, or one for a whole page of hugetlb. */
static uint32_t references(const struct mframe *f)
{
	uint32_t n = f->mapped + f->entire + f->refs;

	for (uint32_t i = 0; i < 1u << f->order && f->parts; i++)
		n += f->parts[i];
	if (f->file >= 0)
		n += f->hugetlb ? 1 : 1u << f->order;
	return f->count ? f->count : n;
}

/* The count of a free page: 0, with 2.6.0 to 2.6.16 -1. */
static void put_count(struct machine *m, uint64_t page, uint32_t references)
{
	bool from_minus_1 = m->number >= 2600 && m->number < 2617;

	mput(m, page, M_PAGE_REFCOUNT, (uint32_t)(references - from_minus_1));
}

/* A page without a user: free from END on, the kernel's before. */
void lay_other_pages(struct machine *m, uint64_t end)
{
	uint64_t reserved = mpage_flag(m, E_PG_RESERVED, PG_RESERVED);

	for (uint64_t pfn = 0; pfn < m->npages; pfn++) {
		uint64_t p = mpage_struct(m, pfn);
		bool image = pfn << m->cpu->page_shift < m->base + IMAGE_BYTES;

		mput(m, p, M_PAGE_MAPCOUNT, UINT32_MAX);
		put_count(m, p, 0);
		if (pfn >= end)
			continue;
		mput(m, p, M_PAGE_FLAGS, image ? reserved : mpage_flag(m, E_PG_SLAB, PG_SLAB));
		put_count(m, p, 1);
	}
}

/* The page type of page tables, 4.18 and later; with 6.11 it is a byte of its own. */
static void mark_table(struct machine *m, const struct object *o)
{
	int64_t type = layout_enum(&m->layout, E_PGTY_TABLE, -1);
	/* a cleared bit until then; 18b2db3b0385 (v5.11) moved it */
	uint32_t v = ~(m->number < 5011 ? 0x400u : 0x200u);

	if (type >= 0)
		v = (uint32_t)type << 24;
	for (uint64_t at = 0; at < o->size && layout_has(&m->layout, M_PAGE_TYPE);
	     at += mpage_size(m))
		mput(m, mpage_struct(m, mpa(m, o->kva + at) >> m->cpu->page_shift), M_PAGE_TYPE, v);
}

void lay_table_pages(struct machine *m)
{
	for (size_t i = 0; i < m->objects.n; i++)
		if (!strcmp(m->objects.v[i].kind, "table"))
			mark_table(m, &m->objects.v[i]);
}

static uint64_t usual_flags(const struct machine *m, const struct mframe *f)
{
	uint64_t v = mpage_flag(m, E_PG_LRU, PG_LRU) |
		     mpage_flag(m, E_PG_REFERENCED, PG_REFERENCED) |
		     (f->dirty ? mpage_flag(m, E_PG_DIRTY, PG_DIRTY) : 0);

	if (f->file < 0 || m->files.v[f->file].fs == MFS_TMPFS)
		return v | mpage_flag(m, E_PG_SWAPBACKED, 0);
	return layout_has(&m->layout, M_PAGE_MAPCOUNT) ? v : v | PG_UPTODATE;
}

void lay_frame(struct machine *m, struct mframe *f)
{
	uint64_t p = mpage_struct(m, f->pfn), mapping = 0;
	bool counts = !layout_has(&m->layout, M_PAGE_MAPCOUNT);

	if (f->file >= 0)
		mapping = mmapping_of(&m->files.v[f->file]);
	else if (!counts)
		/* some anon_vma, PAGE_MAPPING_ANON */
		mapping = (m->mount | 1) & ~UINT64_C(2);
	mput(m, p, M_PAGE_FLAGS, f->own_flags && counts ? f->flags : usual_flags(m, f));
	mput(m, p, M_PAGE_MAPPING, mapping);
	put_count(m, p, references(f));
	mput(m, p, M_PAGE_MAPCOUNT, (uint32_t)(f->mapped - 1));
	if (f->order)
		compound_lay(m, f, usual_flags(m, f), mapping);
}

/* Count one more entry for the slot at AT, of SIZE bytes. */
static void count_slot(struct machine *m, uint64_t at, unsigned size, uint64_t used, uint64_t one)
{
	mset(m, at, (load_uint(mbytes(m, at, size), size, m->cpu->big) | used) + one, size);
}

/*
 * swap_map, or since 7.1 (mm/swap_table.h) the table of a cluster of slots: a word for
 * each, bit 0 of one that is swapped out, four bits of count at the top.
 */
void lay_swap(struct machine *m)
{
	uint64_t max = 0, info = msymbol(m, "swap_info"), si = info, map, cluster, one = 1;
	bool in_table = !layout_has(&m->layout, M_SI_SWAP_MAP);
	unsigned size = layout_has(&m->layout, M_SI_TYPE) ? 1 : 2;

	for (size_t i = 0; i < m->mms.n; i++)
		for (size_t j = 0; j < m->mms.v[i].pages.n; j++)
			if (m->mms.v[i].pages.v[j].frame < 0)
				max = max_u64(max, m->mms.v[i].pages.v[j].slot + 1);
	if (!max)
		return;
	if (layout_has(&m->layout, M_SI_TYPE)) {
		si = mobject(m, "swap_info", "0", OBJECT);
		mset_word(m, info, si);
	}
	mset(m, msymbol(m, "nr_swapfiles"), 1, 4);
	mput(m, si, M_SI_FLAGS, 3);
	mput(m, si, M_SI_MAX, max);
	if (in_table) {
		size = m->cpu->word;
		one <<= 8 * size - 4;
		cluster = mobject(m, "swap_cluster", "0", OBJECT);
		map = mobject(m, "swap_table", "0", OBJECT);
		if (max > OBJECT / size)
			mdie("more slots than one cluster has");
		mput(m, si, M_SI_CLUSTER_INFO, cluster);
		mput(m, cluster, M_SWAP_CLUSTER_TABLE, map);
	} else {
		map = mpages_at(m, 0, max * size); /* vmalloc() */
		mput(m, si, M_SI_SWAP_MAP, map);
	}
	for (size_t i = 0; i < m->mms.n; i++)
		for (size_t j = 0; j < m->mms.v[i].pages.n; j++) {
			const struct mpage *p = &m->mms.v[i].pages.v[j];

			if (p->frame < 0)
				count_slot(m, map + p->slot * size, size, in_table, one);
		}
}

/* SECTION_SIZE_BITS, arch/{x86,powerpc,arm64,riscv}/include/asm/sparsemem.h */
static unsigned section_bits(const struct machine *m)
{
	if (m->cpu->elf_machine == EM_AARCH64)
		return m->cpu->page_shift == 16 ? 29 : 27;
	return m->cpu->elf_machine == EM_X86_64 || m->cpu->elf_machine == EM_RISCV ? 27 : 24;
}

/*
 * SPARSEMEM_EXTREME: one page of sections. Its address is in the first element of
 * mem_section[], which is a pointer to the array since 4.15.
 */
static void lay_sections(struct machine *m)
{
	uint64_t bits = section_bits(m);
	uint64_t end = m->nframes << m->cpu->page_shift;
	uint64_t roots = msymbol(m, "mem_section"), page = mobject(m, "sections", "0", OBJECT);
	uint32_t size = layout_size(&m->layout, S_MEM_SECTION);

	if (m->number >= 4015) {
		mset_word(m, roots, mobject(m, "sections", "roots", ROOTS));
		roots = mfind(m, "sections", "roots")->kva;
	}
	mset_word(m, roots, page);
	/* present, has a memory map, online; of the address that frame 0 would have */
	for (uint64_t i = 0; i << bits < end; i++)
		mput(m, page + i * size, M_SECTION_MEM_MAP, m->cpu->vmemmap | 7);
}

void lay_memmap(struct machine *m)
{
	uint64_t section = UINT64_C(1) << (section_bits(m) - m->cpu->page_shift), bytes;

	/* a section has all its struct pages, whether there is memory or not */
	m->npages = m->nframes;
	if (m->sparse)
		m->npages = (m->nframes + section - 1) / section * section;
	bytes = m->npages * layout_size(&m->layout, S_PAGE);
	if (m->sparse) {
		m->mem_map = mpages_at(m, m->cpu->vmemmap, bytes);
		lay_sections(m);
		return;
	}
	m->mem_map = mpages(m, bytes);
	mset_word(m, msymbol(m, "mem_map"), m->mem_map);
	mset_word(m, msymbol(m, "max_mapnr"), m->nframes);
}
