/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memmap.c - where the struct pages are.
 *
 * SPARSEMEM: memory is cut in sections of 1 << SECTION_SIZE_BITS bytes, each
 * with a struct mem_section whose section_mem_map is the address that pfn 0
 * would have, and flags in its low bits:
 *     bit 0 present   1 has a memory map   2 online (4.13+)   3 early   4 memory of
 *     devices too (5.12+) ...
 * The table of sections comes in three shapes, found by trial:
 *     pointer to an array of pointers to pages of sections   EXTREME, 4.15+
 *     array of such pointers                                 EXTREME before; what
 *                                                            VMCOREINFO names, always
 *     array of sections                                      without EXTREME
 * FLATMEM and DISCONTIGMEM: pglist_data.node_mem_map of each node, or mem_map.
 */
#include "model/kernel/page/memmap.h"

#include <elf.h>
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/issues.h"
#include "dumpread/base/search.h"
#include "facts/layout/page.h"
#include "model/kernel/kobj.h"
#include "model/kernel/page/vmemmap.h"
#include "model/kernel/walk/xarray.h"

#define SECTIONS_MAX (UINT64_C(1) << 26)
#define DEVICES_MAX 65536
#define MAX_ORDER_PAGES 4096	/* as many on any machine, or fewer */

#define PFN_MAX (UINT64_C(1) << 52)

#define SECTION_PRESENT 1u
#define SECTION_HAS_MEM_MAP 2u
#define SECTION_IS_ONLINE 4u
#define SECTION_TAINT_ZONE_DEVICE 0x10u
/* At most six flags (7.x); memory maps have a larger alignment. */
#define SECTION_FLAGS UINT64_C(0x3f)

struct builder {
	struct kernel *k;
	struct reader *r;
	unsigned word;
	uint32_t page_bytes;		/* sizeof(struct page) */
	uint64_t budget;		/* struct pages that memory can hold */
	uint64_t section_pages, nsections, nroots;
	uint32_t section_bytes, per_root;
	struct arena mem;		/* of the attempts */
	/* the attempt */
	VEC(struct memmap_range) got;
	uint64_t believed, online, pages;
	uint64_t unread;		/* sections whose struct mem_section is not readable */
	enum status why;		/* ... of one of them */
	uint64_t astray;		/* memory maps where there is no memory */
	uint64_t clipped;		/* struct pages beyond the budget */
	VEC(struct pfn_range) dark;	/* frames of UNREAD, and of roots that are not readable */
	uint64_t sound;			/* the last map whose struct pages are memory, or 0 */
	bool shared;			/* VMEMMAP: more than one section has that map */
	bool partial;			/* some of the map is missing */
};

static uint64_t word_at(const struct builder *b, const void *p)
{
	return load_uint(p, b->word, b->k->dump->big_endian);
}

static void add_range(struct builder *b, uint64_t pfn, uint64_t n, uint64_t kva, bool offline,
		      bool tainted)
{
	struct memmap_range *last = b->got.n ? &b->got.v[b->got.n - 1] : NULL;

	b->clipped += n - min_u64(n, b->budget - b->pages);
	n = min_u64(n, b->budget - b->pages);
	if (!n || (last && pfn < last->end))
		return;
	b->pages += n;
	if (last && pfn == last->end && last->offline == offline && last->tainted == tainted &&
	    kva == last->page_kva + (pfn - last->pfn) * b->page_bytes) {
		last->end += n;
		return;
	}
	*vec_push(&b->mem, &b->got) = (struct memmap_range){
		.pfn = pfn,
		.end = pfn + n,
		.page_kva = kva,
		.offline = offline,
		.tainted = tainted,
	};
}

/* ---- SPARSEMEM ------------------------------------------------------------------ */

/* VMCOREINFO has both numbers since v5.14 and in its stable releases; before, they are the
   CPU's. */
static void section_geometry(const struct kernel *k, unsigned *section_bits, unsigned *max_bits)
{
	const struct arch_sections usual = arch_sections(k->arch, k->paging);
	const struct dump *d = k->dump;
	int64_t v;

	*section_bits = usual.section_bits;
	*max_bits = usual.physmem_bits;
	if (vmcoreinfo_number(d, "SECTION_SIZE_BITS", &v) && v > d->page_shift && v < 48)
		*section_bits = (unsigned)v;
	if (vmcoreinfo_number(d, "MAX_PHYSMEM_BITS", &v) && v >= *section_bits && v < 64)
		*max_bits = (unsigned)v;
}

/*
 * Where a device took a part of a section, sparse_add_section() of 5.4 makes the map of the
 * section's own linear address. With VMEMMAP the kernel does not use it, and nothing tells it.
 */
static bool is_lost_map(const struct builder *b, uint64_t map, uint64_t pfn)
{
	uint64_t pa;

	return b->shared && map != b->sound &&
	       !reader_kvtop(b->r, map + pfn * b->page_bytes, &pa, NULL) &&
	       pa == pfn << b->k->dump->page_shift;
}

static void add_section(struct builder *b, uint64_t nr, uint64_t raw)
{
	uint64_t pfn = nr * b->section_pages, kva, pa, map = raw & ~SECTION_FLAGS;
	enum status st;

	if ((raw & (SECTION_PRESENT | SECTION_HAS_MEM_MAP)) !=
	    (SECTION_PRESENT | SECTION_HAS_MEM_MAP))
		return;
	if (is_lost_map(b, map, pfn))
		map = b->sound;
	kva = map + pfn * b->page_bytes;
	if (b->word == 4)
		kva = (uint32_t)kva;
	if (!kernel_ptr_ok(b->k, kva, b->word)) {
		b->astray++;
		return;
	}
	/*
	 * If only a later part of the section is memory, its first page has no struct page.
	 * VMEMMAP: all sections have the same map, so that one of them speaks for all.
	 */
	b->shared |= b->sound == map;
	st = b->sound == map ? ST_OK : reader_kvtop(b->r, kva, &pa, NULL);
	if (!st) {
		b->believed++;
		b->sound = map;
	} else if (st != ST_FAULT) {
		b->astray++;
	}
	if (raw & SECTION_IS_ONLINE)
		b->online++;
	add_range(b, pfn, b->section_pages, kva, !(raw & SECTION_IS_ONLINE),
		  raw & SECTION_TAINT_ZONE_DEVICE);
}

/*
 * How many of LEFT elements of SIZE bytes at KVA to read at once: those that end in the
 * same page, so that a missing page does not affect its neighbours. These arrays are
 * nearly all zero (512 pages of roots for 52 address bits), and makedumpfile leaves zero
 * pages out.
 */
static uint64_t fit_in_page(uint64_t kva, uint64_t size, uint64_t left)
{
	uint64_t n = (4096 - (kva & 4095)) / size;

	return min_u64(n ? n : 1, left);
}

/* Nothing is read of N sections from number NR on. */
static void add_dark(struct builder *b, uint64_t nr, uint64_t n)
{
	uint64_t pfn = nr * b->section_pages, end = (nr + n) * b->section_pages;

	end = min_u64(end, b->k->memmap.ram_end);
	if (pfn < end)
		*vec_push(&b->mem, &b->dark) = (struct pfn_range){ pfn, end };
}

/* N sections from number NR on, their structs at KVA. */
static void scan_sections(struct builder *b, uint64_t kva, uint64_t nr, uint64_t n)
{
	uint8_t raw[4096];
	uint32_t size = b->section_bytes, off = layout_offset(&b->k->layout, M_SECTION_MEM_MAP);
	enum status st;

	for (uint64_t i = 0, m; i < n; i += m) {
		uint64_t at = kva + i * size;

		m = fit_in_page(at, size, n - i);
		st = read_kva(b->r, at, raw, (size_t)m * size);
		if (st) {
			b->unread += m;
			b->why = b->why == ST_NODATA ? b->why : st;
			add_dark(b, nr + i, m);
			continue;
		}
		for (uint64_t j = 0; j < m; j++)
			add_section(b, nr + i + j, word_at(b, raw + j * size + off));
	}
}

static void scan_roots(struct builder *b, uint64_t kva)
{
	uint8_t raw[4096];
	enum status st;

	for (uint64_t i = 0, m; i < b->nroots; i += m) {
		uint64_t at = kva + i * b->word;

		m = fit_in_page(at, b->word, b->nroots - i);
		st = read_kva(b->r, at, raw, (size_t)m * b->word);
		if (st) { /* after the first: or zeroes, which were left out */
			b->why = i || b->why == ST_NODATA ? b->why : st;
			add_dark(b, i * b->per_root, m * b->per_root);
			continue;
		}
		for (uint64_t j = 0; j < m; j++) {
			uint64_t root = word_at(b, raw + j * b->word);

			if (root && kernel_ptr_ok(b->k, root, b->word))
				scan_sections(b, root, (i + j) * b->per_root, b->per_root);
		}
	}
}

enum shape { BY_POINTER, BY_ROOTS, BY_SECTIONS, SHAPES };

static void forget_attempt(struct builder *b)
{
	arena_release(&b->mem);
	b->got.v = NULL;
	b->got.n = b->got.cap = 0;
	b->dark.v = NULL;
	b->dark.n = b->dark.cap = 0;
	b->believed = b->online = b->pages = b->unread = b->astray = b->clipped = b->sound = 0;
	b->shared = false;
	b->why = ST_OK;
}

static void try_shape(struct builder *b, enum shape shape, uint64_t kva)
{
	uint64_t p;

	forget_attempt(b);
	if (shape == BY_SECTIONS)
		scan_sections(b, kva, 0, b->nsections);
	else if (shape == BY_ROOTS)
		scan_roots(b, kva);
	else if (!read_kva_word(b->r, kva, &p) && kernel_ptr_ok(b->k, p, b->word))
		scan_roots(b, p);
}

/* Data from a wrong shape leads astray more often than not, though more of it may be believed: roots that are
   taken for pointers to roots lead to struct pages. What the dump does not hold says nothing. */
static bool is_plausible(const struct builder *b)
{
	return b->astray + (b->why == ST_NODATA ? 0 : b->unread) <= b->believed;
}

static enum status sparse(struct builder *b)
{
	const struct kernel *k = b->k;
	unsigned section_bits, max_bits;
	uint64_t kva = layout_symbol(&k->layout, Y_MEM_SECTION), best = 0;
	enum shape which = SHAPES;
	enum status why = ST_OK;
	bool plausible = false;

	section_geometry(k, &section_bits, &max_bits);
	b->section_pages = UINT64_C(1) << (section_bits - k->dump->page_shift);
	b->nsections = max_bits > section_bits ? UINT64_C(1) << (max_bits - section_bits) : 1;
	b->nsections = min_u64(b->nsections, SECTIONS_MAX);
	b->section_bytes = layout_size(&k->layout, S_MEM_SECTION);
	if (!kva || !has(k, M_SECTION_MEM_MAP) || !b->section_bytes || b->section_bytes < b->word ||
	    b->section_bytes > 1024 ||
	    layout_offset(&k->layout, M_SECTION_MEM_MAP) > b->section_bytes - b->word)
		return ST_ABSENT;
	b->per_root = dump_page_size(k->dump) / b->section_bytes;
	if (!b->per_root)
		return ST_CORRUPT;
	b->nroots = (b->nsections + b->per_root - 1) / b->per_root;
	for (enum shape s = 0; s < SHAPES; s++) {
		try_shape(b, s, kva);
		/* other errors mean that the shape is wrong */
		if (s != BY_SECTIONS && b->why == ST_NODATA)
			why = ST_NODATA;
		if (b->believed && is_plausible(b) >= plausible &&
		    (b->believed > best || is_plausible(b) > plausible)) {
			plausible = is_plausible(b);
			best = b->believed;
			which = s;
		}
	}
	if (which == SHAPES) {
		forget_attempt(b); /* data from a wrong shape is invalid */
		return why ? why : ST_CORRUPT;
	}
	/* a dump that is read while it is written may say something else now */
	try_shape(b, which, kva);
	if (!b->got.n || (which == BY_POINTER && read_kva_word(b->r, kva, &kva))) {
		why = b->why;
		forget_attempt(b);
		return why ? why : ST_CORRUPT;
	}
	b->k->memmap.sections = (struct memmap_sections){
		.kva = kva,
		.roots = which != BY_SECTIONS,
		.per_root = b->per_root,
		.bytes = b->section_bytes,
		.pages = b->section_pages,
		.n = b->nsections,
	};
	/* kernels before 4.13 have no such flag: all present sections are online */
	for (size_t i = 0; !b->online && i < b->got.n; i++)
		b->got.v[i].offline = false;
	return ST_OK;
}

/* ---- VMEMMAP without mem_section[] ----------------------------------------------------- */

/* The section of PFN, if tables show one. Its flags are not known: it is online, but for devices. */
static void add_mapped(struct builder *b, uint64_t base, uint64_t pfn)
{
	enum status st = vmemmap_has(b->r, base, b->page_bytes, pfn, b->section_pages);

	if (!st)
		add_range(b, pfn, b->section_pages, base + pfn * b->page_bytes, false, true);
	else if (st != ST_FAULT)
		b->unread++;
}

static bool is_dark(const struct builder *b, uint64_t pfn)
{
	for (size_t i = 0; i < b->dark.n; i++)
		if (pfn >= b->dark.v[i].pfn && pfn < b->dark.v[i].end)
			return true;
	return false;
}

/*
 * Adds the sections of which mem_section[] tells nothing. ALL: it tells nothing of any. True if
 * there are some.
 */
static bool by_tables(struct builder *b, bool all)
{
	uint64_t base = vmemmap_find(b->k, b->r, b->page_bytes), end = b->k->memmap.ram_end;
	const struct memmap_range *old = b->got.v;
	size_t nold = b->got.n, i = 0;
	uint64_t had = b->pages;

	if (!base)
		return false;
	if (nold)
		end = max_u64(end, old[nold - 1].end);
	b->got.v = NULL;
	b->got.n = b->got.cap = 0;
	b->pages = b->unread = 0; /* what tables do not tell either is counted anew */
	end = min_u64(end, b->nsections * b->section_pages);
	for (uint64_t pfn = 0; pfn < end; pfn += b->section_pages) {
		while (i < nold && old[i].end <= pfn)
			i++;
		if (i < nold && old[i].pfn <= pfn)
			add_range(b, pfn, min_u64(b->section_pages, old[i].end - pfn),
				  old[i].page_kva + (pfn - old[i].pfn) * b->page_bytes,
				  old[i].offline, old[i].tainted);
		else if (all || is_dark(b, pfn))
			add_mapped(b, base, pfn);
	}
	return b->pages > had;
}

/* After sparse() with status ST. The new status. */
static enum status second_way(struct builder *b, enum status st)
{
	bool none = st != ST_OK, told = b->unread;

	if (!none && !b->dark.n)
		return ST_OK;
	if (!by_tables(b, none) && !(told && !b->unread))
		return st;
	issue_add(b->k->issues, none ? st : ST_NODATA, "page array", 1,
		  "%s mem_section[] is not readable; its struct pages are found by page tables",
		  none ? "all of" : "a part of");
	return ST_OK;
}

/* ---- FLATMEM, DISCONTIGMEM --------------------------------------------------------- */

/*
 * Struct pages below the first of the only node, at MAP for frame START. They begin at the
 * start of a block of the buddy allocator (alloc_node_mem_map(), mm/mm_init.c), and
 * mem_map points there. Frame 0 of a PC, which belongs to no node, is one.
 */
static uint64_t frames_before(const struct builder *b, uint64_t start, uint64_t map)
{
	uint64_t first, n;

	if (!has(b->k, Y_CONTIG_PAGE_DATA) || kvar_u64(b->k, b->r, Y_MEM_MAP, 0, &first) ||
	    first >= map)
		return 0;
	n = (map - first) / b->page_bytes;
	return n <= start && n < MAX_ORDER_PAGES ? n : 0;
}

static void node_damage(struct builder *b, enum status st, uint64_t pgdat, const char *what)
{
	issue_add(b->k->issues, st, "node", 1, "%s of the node at %#" PRIx64, what, pgdat);
	b->partial = true;
}

/* The frames that the node at PGDAT spans. */
static bool node_span(struct builder *b, uint64_t pgdat, uint64_t *start, uint64_t *spanned)
{
	const struct kernel *k = b->k;
	bool pfn = has(k, M_PGDAT_START_PFN);
	enum status st = kmember_u64(k, b->r, pgdat, M_PGDAT_SPANNED, spanned);

	if (!st)
		st = kmember_u64(k, b->r, pgdat, pfn ? M_PGDAT_START_PFN : M_PGDAT_START_PADDR,
				 start);
	if (!st && !pfn)
		*start >>= k->dump->page_shift;
	/* also of hot-plugged devices, at addresses that no CPU of today has */
	if (!st && (*start > PFN_MAX || *spanned > PFN_MAX))
		st = ST_CORRUPT;
	if (st)
		node_damage(b, st, pgdat, "frames");
	return !st;
}

/* A map in one piece, at KVA: its first struct page is memory of the kernel. */
static void check_map(struct builder *b, uint64_t kva)
{
	uint64_t byte;
	enum status st = read_kva_uint(b->r, kva, 1, &byte);

	if (st)
		issue_add(b->k->issues, st, "page array", 1, "at %#" PRIx64, kva);
}

static void add_node(struct builder *b, uint64_t pgdat)
{
	uint64_t map, start, spanned, before;

	if (!node_span(b, pgdat, &start, &spanned) || !spanned)
		return;
	if (kmember_u64(b->k, b->r, pgdat, M_PGDAT_MEM_MAP, &map) ||
	    !kernel_ptr_ok(b->k, map, b->word)) {
		node_damage(b, ST_CORRUPT, pgdat, "struct pages");
		return;
	}
	check_map(b, map);
	before = frames_before(b, start, map);
	add_range(b, start - before, spanned + before, map - before * b->page_bytes, false, false);
}

/* SPARSEMEM: the first and the last frame of a node are memory. */
static void check_node(struct builder *b, uint64_t pgdat)
{
	uint64_t start, spanned;

	if (!node_span(b, pgdat, &start, &spanned) || !spanned)
		return;
	if (!memmap_page_kva(&b->k->memmap, start) ||
	    !memmap_page_kva(&b->k->memmap, start + spanned - 1))
		node_damage(b, ST_CORRUPT, pgdat, "no struct page for the first or last frame");
}

static void nodes(struct builder *b, void (*fn)(struct builder *b, uint64_t pgdat))
{
	const struct kernel *k = b->k;
	uint64_t pgdat, at = layout_symbol(&k->layout, Y_NODE_DATA);

	if (has(k, Y_CONTIG_PAGE_DATA)) {
		fn(b, layout_symbol(&k->layout, Y_CONTIG_PAGE_DATA));
		return;
	}
	/* the largest possible number of nodes, NULL for absent ones: no type says where the
	   variable, and so the last node, ends */
	for (unsigned i = 0; at && i < NODES_MAX; i++) {
		if (read_kva_word(b->r, at + (uint64_t)i * b->word, &pgdat) ||
		    !kernel_ptr_ok(k, pgdat, b->word))
			break;
		fn(b, pgdat);
	}
	if (at || kvar_u64(k, b->r, Y_PGDAT_LIST, 0, &pgdat))
		return;
	for (unsigned i = 0; i < NODES_MAX && kernel_ptr_ok(k, pgdat, b->word); i++) {
		fn(b, pgdat);
		if (kmember_u64(k, b->r, pgdat, M_PGDAT_NEXT, &pgdat))
			break;
	}
}

static enum status flat(struct builder *b)
{
	const struct kernel *k = b->k;
	uint64_t map, n, base = 0;

	if (has(k, M_PGDAT_MEM_MAP))
		nodes(b, add_node);
	if (b->got.n)
		return ST_OK;
	if (kvar_u64(k, b->r, Y_MEM_MAP, 0, &map) || !kernel_ptr_ok(k, map, b->word))
		return ST_ABSENT;
	if (kvar_u64(k, b->r, Y_MAX_MAPNR, 0, &n) && kvar_u64(k, b->r, Y_MAX_PFN, 0, &n))
		return ST_ABSENT;
	/* ARCH_PFN_OFFSET is the start of memory, if it is a variable: 4 or 8 bytes */
	if (has(k, Y_MEMSTART_ADDR) &&
	    !kvar_u64(k, b->r, Y_MEMSTART_ADDR, k->paging ? k->paging->entry_size[0] : 0, &base))
		base >>= k->dump->page_shift;
	check_map(b, map);
	add_range(b, base, n, map, false, false);
	return b->got.n ? ST_OK : ST_CORRUPT;
}

/* ---- memory of devices ---------------------------------------------------------------- */

struct devices {
	struct arena *mem;
	VEC(struct pfn_range) v;
};

/* Entries are adjacent; each covers a power of two of frames. */
static bool add_device(void *arg, const struct xa_entry *e)
{
	struct devices *d = arg;
	uint64_t end = e->index + (UINT64_C(1) << e->order);
	struct pfn_range *last = d->v.n ? &d->v.v[d->v.n - 1] : NULL;

	if (last && last->end == e->index)
		last->end = end;
	else
		*vec_push(d->mem, &d->v) = (struct pfn_range){ .pfn = e->index, .end = end };
	return d->v.n < DEVICES_MAX;
}

/* The range that get_dev_pagemap() finds (mm/memremap.c). */
static void read_devices(struct kernel *k, struct reader *r)
{
	struct devices d = { .mem = &k->dump->mem };

	if (!has(k, Y_PGMAPS) || !has(k, M_XA_HEAD))
		return;
	xarray_walk(k, r, layout_symbol(&k->layout, Y_PGMAPS), 0, k->memmap.max_pfn - 1, add_device,
		    &d);
	k->memmap.devices = d.v.v;
	k->memmap.ndevices = (uint32_t)d.v.n;
}

/* ---- the map ------------------------------------------------------------------------ */

static int by_pfn(const void *x, const void *y)
{
	const struct memmap_range *a = x, *b = y;

	return a->pfn < b->pfn ? -1 : a->pfn > b->pfn;
}

static void keep_map(struct builder *b, struct memmap *m)
{
	m->n = (uint32_t)b->got.n;
	m->v = arena_array(&b->k->dump->mem, struct memmap_range, b->got.n);
	memcpy(m->v, b->got.v, b->got.n * sizeof(*m->v));
	sort_array(m->v, m->n, sizeof(*m->v), by_pfn);
	m->kva_ascends = true;
	for (uint32_t i = 1; i < m->n; i++)
		if (m->v[i].page_kva <
		    m->v[i - 1].page_kva + (m->v[i - 1].end - m->v[i - 1].pfn) * m->page_size)
			m->kva_ascends = false;
	m->max_pfn = m->v[m->n - 1].end;
	m->ram_end = max_u64(m->ram_end, m->max_pfn);
}

/* The missing parts of a map that was found. */
static void tell_partial(struct builder *b)
{
	struct issues *is = b->k->issues;
	uint64_t max_pfn;

	if (b->unread)
		issue_add(is, b->why, "page array", b->unread,
			  "%" PRIu64 " struct mem_section are not readable", b->unread);
	if (b->astray)
		issue_add(is, ST_CORRUPT, "page array", b->astray,
			  "struct pages of %" PRIu64 " sections lie where no memory is", b->astray);
	if (b->clipped)
		issue_add(is, ST_LIMIT, "page array", 1,
			  "%" PRIu64 " struct pages more than "
			  "memory can hold",
			  b->clipped);
	b->partial |= b->unread || b->astray || b->clipped;
	/* one past the last frame of memory at boot (mm/memblock.c, arch/x86/kernel/setup.c) */
	if (kvar_u64(b->k, b->r, Y_MAX_PFN, 0, &max_pfn) || !max_pfn ||
	    max_pfn <= b->k->memmap.max_pfn)
		return;
	issue_add(is, ST_CORRUPT, "page array", 1,
		  "ends at frame %#" PRIx64 ", memory at %#" PRIx64, b->k->memmap.max_pfn, max_pfn);
	b->partial = true;
}

enum status memmap_init(struct kernel *k, struct reader *r)
{
	struct builder b = { .k = k, .r = r, .word = k->dump->word_size };
	struct dump *d = k->dump;
	bool is_sparse;
	enum status st;

	k->memmap = (struct memmap){ .page_size = layout_size(&k->layout, S_PAGE),
				     .ram_end = d->max_pfn,
				     .partial = true };
	b.page_bytes = k->memmap.page_size;
	if (b.page_bytes < 8 || b.page_bytes > 1024)
		return ST_CORRUPT;
	/* each struct page is in memory that the dump has a frame for */
	b.budget = (d->max_pfn << d->page_shift) / b.page_bytes;
	st = sparse(&b);
	is_sparse = st != ST_ABSENT;
	if (!is_sparse)
		st = flat(&b);
	if (is_sparse || st)
		st = second_way(&b, st);
	if (!st) {
		keep_map(&b, &k->memmap);
		if (is_sparse && has(k, M_PGDAT_SPANNED))
			nodes(&b, check_node);
		tell_partial(&b);
		read_devices(k, r);
		k->memmap.partial = b.partial;
	}
	arena_release(&b.mem);
	return st;
}
