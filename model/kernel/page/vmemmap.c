/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmemmap.c - finds the virtual memory map by what must be in it.
 *
 * x86-64 places it at a random multiple of 1 GiB (kernel_randomize_memory(),
 * arch/x86/mm/kaslr.c: PUD_MASK), others at a constant. A place is the right one if the struct
 * pages of the kernel's image are there: since the boot they have one reference and no mapping
 * (__init_single_page(), mm/mm_init.c; reserved pages are never freed).
 */
#include "model/kernel/page/vmemmap.h"

#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"
#include "facts/layout/cpu.h"
#include "facts/layout/file.h"
#include "facts/layout/kmem.h"
#include "facts/layout/page.h"
#include "facts/layout/proc.h"
#include "facts/layout/signs.h"
#include "facts/layout/swap.h"
#include "facts/layout/system.h"
#include "facts/layout/task.h"
#include "model/kernel/kernel.h"

#define STEP_SHIFT 30		/* log2 of the alignment */
#define PROBES_LEAST 3u

/* Variables of the image, not of its part that is freed after the boot. */
static const enum layout_id in_image[] = {
	Y_INIT_TASK, Y_INIT_UTS_NS, Y_SWAPPER_PG_DIR, Y_LINUX_BANNER, Y_MEM_SECTION,
	Y_CONTIG_PAGE_DATA, Y_NODE_DATA, Y_VMAP_AREAS, Y_VMAP_NODES, Y_ETEXT, Y_SLAB_CACHES,
	Y_SWAP_INFO, Y_SUPER_BLOCKS, Y_MODULES, Y_VM_ZONE_STAT,
};

struct search {
	const struct kernel *k;
	struct reader *r;
	uint32_t page_bytes;
	uint64_t probe[ARRAY_LEN(in_image)];	/* frames of the image, each once */
	unsigned nprobes;
	const struct paging *paging;
	uint64_t base;				/* 0: not found */
};

static void add_probe(struct search *s, uint64_t kva)
{
	uint64_t pa, pfn;

	if (!kva || reader_kvtop(s->r, kva, &pa, NULL))
		return;
	pfn = pa >> s->k->dump->page_shift;
	for (unsigned i = 0; i < s->nprobes; i++)
		if (s->probe[i] == pfn)
			return;
	s->probe[s->nprobes++] = pfn;
}

/* The two counters of the struct page at KVA. */
static enum status read_counters(const struct search *s, uint64_t kva, uint32_t *refs,
				 uint32_t *maps)
{
	const struct layout *l = &s->k->layout;
	uint64_t ref, map;
	enum status st = read_kva_uint(s->r, kva + layout_offset(l, M_PAGE_REFCOUNT), 4, &ref);

	if (!st)
		st = read_kva_uint(s->r, kva + layout_offset(l, M_PAGE_MAPCOUNT), 4, &map);
	if (!st) {
		*refs = (uint32_t)ref;
		*maps = (uint32_t)map;
	}
	return st;
}

/* A lost page of struct pages tells nothing; one variable may lie in a part that was freed. */
static bool is_base(const struct search *s, uint64_t base)
{
	unsigned right = 0, wrong = 0;

	for (unsigned i = 0; i < s->nprobes; i++) {
		uint32_t refs, maps;
		enum status st = read_counters(s, base + s->probe[i] * s->page_bytes, &refs, &maps);

		if (st == ST_FAULT)
			return false;
		if (st)
			continue;
		if (refs == 1 && maps == UINT32_MAX)
			right++;
		else
			wrong++;
	}
	return right >= PROBES_LEAST && 3 * wrong <= right;
}

/* Each table of 1 GiB is a place; what it holds does not matter. */
static enum status try_table(void *arg, uint64_t pa, unsigned level, uint64_t va)
{
	struct search *s = arg;

	(void)pa;
	if (s->base)
		return ST_ABSENT;
	if (paging_shift(s->paging, level + 1) > STEP_SHIFT)
		return ST_OK;
	if (is_base(s, va))
		s->base = va;
	return ST_ABSENT;
}

static void search_tables(struct search *s)
{
	static const struct pgvisit visit = { .enter = try_table };
	struct paging_env env;
	uint64_t root, start;

	if (arch_kernel_paging(s->k->dump, &s->paging, &env, &root, &start))
		pgwalk(s->r, s->paging, &env, root, start, UINT64_MAX, &visit, s);
}

uint64_t vmemmap_find(const struct kernel *k, struct reader *r, uint32_t page_bytes)
{
	struct search s = { .k = k, .r = r, .page_bytes = page_bytes };

	if (k->dump->word_size != 8 || !has(k, M_PAGE_REFCOUNT) || !has(k, M_PAGE_MAPCOUNT))
		return 0;
	for (unsigned i = 0; i < ARRAY_LEN(in_image); i++)
		add_probe(&s, layout_symbol(&k->layout, in_image[i]));
	for (unsigned i = 0; k->arch && i < ARRAY_LEN(k->arch->vmemmap) && !s.base; i++)
		if (k->arch->vmemmap[i] && is_base(&s, k->arch->vmemmap[i]))
			s.base = k->arch->vmemmap[i];
	if (!s.base)
		search_tables(&s);
	return s.base;
}

enum status vmemmap_has(struct reader *r, uint64_t base, uint32_t page_bytes, uint64_t pfn,
			uint64_t n)
{
	uint64_t at = base + pfn * page_bytes, end = at + n * page_bytes, pa, run;
	enum status why = ST_FAULT;

	for (; at < end; at += 4096) {
		enum status st = reader_kvtop(r, at, &pa, &run);

		if (!st)
			return ST_OK;
		why = st == ST_FAULT ? why : st;
	}
	return why;
}
