/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86_64_find.c - where the kernel's own page tables are.
 *
 * The root, swapper_pg_dir (init_level4_pgt to 4.12, init_top_pgt since), lies
 * in the kernel image, so it must map its own virtual address to its own
 * physical address. That test needs nothing else and tells a root from any
 * other page, 4 levels from 5, and finds the encryption bit. Candidates, the
 * surest first:
 *     1. its symbol and phys_base: VMCOREINFO, or a text PT_LOAD of /proc/vmcore
 *     2. its symbol and every place that a 2 MiB aligned kernel could have
 *     3. CR3 in the notes that QEMU writes for each CPU
 *     4. every page that looks like a root and maps itself below 2^64
 *     5. if 1 is known, but the page is lost: a process's root, which has the kernel's half of it
 */
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "arch/x86/x86_64.h"

#include "dumpread/base/bytes.h"
#include "facts/layout/cpu.h"

/* CONFIG_PHYSICAL_ALIGN of x86-64 is at least this (MIN_KERNEL_ALIGN). */
#define KERNEL_ALIGN (UINT64_C(1) << 21)

static bool is_text(uint64_t va)
{
	return va >= X86_64_TEXT && va - X86_64_TEXT < X86_64_TEXT_SIZE;
}

/* ------------------------------------------------------------------------
 * What the image has besides memory
 */

static bool root_symbol(const struct dump *d, uint64_t *va)
{
	return fact_symbol(d, Y_SWAPPER_PG_DIR, va) && is_text(*va);
}

/* The places of kernel addresses that the image's headers give. */
static void read_linear(struct dump *d, struct x86_64 *x)
{
	if (!d->image || !d->image->nmapped)
		return;
	x->linear = arena_array(&d->mem, struct linear, d->image->nmapped);
	for (unsigned i = 0; i < d->image->nmapped; i++) {
		const struct image_mapped *m = &d->image->mapped[i];

		if (m->va >> 63)
			x->linear[x->nlinear++] = (struct linear){ m->va, m->pa, m->size };
	}
}

static bool phys_base_of_linear(const struct x86_64 *x, uint64_t *ret)
{
	for (unsigned i = 0; i < x->nlinear; i++)
		if (is_text(x->linear[i].va)) {
			*ret = x->linear[i].pa - (x->linear[i].va - X86_64_TEXT);
			return true;
		}
	return false;
}

/*
 * CR3 and CR4 of the I-th CPU, by QEMU's note: struct QEMUCPUState, version 1 (QEMU
 * target/i386/arch_dump.c): two words of header, 18 registers of 8 bytes, 10
 * segments of 24, then cr[5].
 */
#define QEMU_CR 392
#define CR4_LA57 (1 << 12)

static bool qemu_cr(const struct image *im, unsigned i, uint64_t *cr3, uint64_t *cr4)
{
	struct image_note n;
	size_t at = 0;

	while (im && image_next_note(im, &at, &n)) {
		if (n.namesz != sizeof("QEMU") || memcmp(n.name, "QEMU", n.namesz) ||
		    n.descsz < QEMU_CR + 40 || load32(n.desc, false) != 1 || i--)
			continue;
		*cr3 = load64(n.desc + QEMU_CR + 24, false);
		*cr4 = load64(n.desc + QEMU_CR + 32, false);
		return true;
	}
	return false;
}

/* ------------------------------------------------------------------------
 * The test of a root
 */

/* Does a mapping of the kernel image lead to the root itself? */
struct self_map {
	uint64_t root, va;
	bool found;
};

static bool see_text(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	struct self_map *s = arg;

	for (unsigned i = 0; i < n; i++)
		if (pte[i].kind == PTE_PAGE && s->root - pte[i].pa < UINT64_C(1) << shift) {
			s->va = va + ((uint64_t)i << shift) + (s->root - pte[i].pa);
			s->found = true;
			return false;
		}
	return true;
}

static bool maps(struct reader *r, const struct x86_64 *x, uint64_t root, uint64_t va, uint64_t to)
{
	uint64_t pa;

	return !pgtrans(r, x->map.paging, &x->map.env, root, va, &pa, NULL) && pa == to;
}

static bool maps_itself(struct reader *r, const struct x86_64 *x, uint64_t root, uint64_t va,
			uint64_t *found)
{
	static const struct pgvisit visit = { .entries = see_text };
	struct self_map s = { .root = root };

	if (va) {
		*found = va;
		return maps(r, x, root, va, root);
	}
	pgwalk(r, x->map.paging, &x->map.env, root, X86_64_TEXT, X86_64_TEXT + X86_64_TEXT_SIZE,
	       &visit, &s);
	*found = s.va;
	return s.found;
}

/* Which rows and which encryption bits are still possible. */
struct guess {
	unsigned row[X86_64_ROWS], nrows;
	uint64_t sme[3];
	unsigned nsme;
};

static void guess_init(const struct dump *d, struct guess *g)
{
	uint64_t cr3, cr4;
	int64_t n;

	*g = (struct guess){ { X86_64_4LEVEL, X86_64_5LEVEL }, 2, { 0 }, 1 };
	/* The stated number of levels is tried first; the other stays possible. */
	if ((vmcoreinfo_number(d, "pgtable_l5_enabled", &n) && n) ||
	    (qemu_cr(d->image, 0, &cr3, &cr4) && cr4 & CR4_LA57)) {
		g->row[0] = X86_64_5LEVEL;
		g->row[1] = X86_64_4LEVEL;
	}
	/* NUMBER(sme_mask) since 5.1; the bit is 47 or 51 (CPUID 8000001F). */
	if (vmcoreinfo_number(d, "sme_mask", &n)) {
		g->sme[0] = (uint64_t)n;
	} else {
		g->sme[1] = UINT64_C(1) << 47;
		g->sme[2] = UINT64_C(1) << 51;
		g->nsme = 3;
	}
}

/* Take ROOT if it passes the test; VA is its virtual address, 0 unknown. */
static bool try_root(struct reader *r, struct x86_64 *x, const struct guess *g, uint64_t root,
		     uint64_t va)
{
	for (unsigned s = 0; s < g->nsme; s++)
		for (unsigned i = 0; i < g->nrows; i++) {
			x->map.paging = &x86_64_paging[g->row[i]];
			x->map.env.sme_mask = g->sme[s];
			if (!maps_itself(r, x, root, va, &va))
				continue;
			x->map.root = root;
			x->map.has_root = true;
			x->phys_base = root - (va - X86_64_TEXT);
			x->has_phys_base = true;
			return true;
		}
	return false;
}

/* ------------------------------------------------------------------------
 * Candidates
 */

/*
 * A candidate maps text and something else, and points only to tables within memory. In a real dump
 * only a few pages pass; in a forged one any number may, hence the bound on how many are tried.
 */
#define ROOTS_TRIED 256

/* Tables in the kernel's half of the page; 0 if it is no root. */
static unsigned kernel_tables(const struct x86_64 *x, const uint8_t *page)
{
	const uint64_t c_bits = UINT64_C(1) << 47 | UINT64_C(1) << 51;
	struct pte top[256];
	unsigned tables = 0;

	if (!load64(page + 8 * 511, false))
		return 0;
	x86_64_decode(x->map.paging, &x->map.env, 3, page + 8 * 256, 256, top);
	for (unsigned i = 0; i < 256; i++) {
		if (top[i].kind == PTE_BAD || (top[i].pa & ~c_bits) >= x->map.env.max_pa)
			return 0;
		tables += top[i].kind == PTE_TABLE;
	}
	return top[255].kind == PTE_TABLE ? tables : 0;
}

/* The kernel's own root maps no user memory. */
static bool looks_like_root(const struct x86_64 *x, const uint8_t *page)
{
	static const uint8_t zero[2048];

	return !memcmp(page, zero, sizeof(zero)) && kernel_tables(x, page) > 1;
}

/*
 * The root at ROOT, if it looks like one and a table below it, which leads to VA, is lost: text is found
 * by rule then, and all else by the other tables.
 */
static bool try_without_text(struct reader *r, struct x86_64 *x, const struct guess *g,
			     uint64_t root, uint64_t va)
{
	uint8_t page[4096];
	enum status st;
	uint64_t pa;

	if (read_pa(r, root, page, sizeof(page)))
		return false;
	for (unsigned i = 0; i < g->nrows; i++) {
		x->map.paging = &x86_64_paging[g->row[i]];
		x->map.env.sme_mask = g->sme[0];
		st = looks_like_root(x, page)
			     ? pgtrans(r, x->map.paging, &x->map.env, root, va, &pa, NULL)
			     : ST_OK;
		if (st && st != ST_FAULT) {
			x->map.root = root;
			return x->map.has_root = true;
		}
	}
	return false;
}

static bool from_symbol(struct dump *d, struct reader *r, struct x86_64 *x, const struct guess *g)
{
	uint64_t va, base, root;
	int64_t n;

	if (!root_symbol(d, &va))
		return false;
	/* NUMBER(phys_base) since 4.10; before, only its address is given. */
	if (vmcoreinfo_number(d, "phys_base", &n)) {
		x->phys_base = base = (uint64_t)n;
		x->has_phys_base = true;
		root = va - X86_64_TEXT + base;
		if (try_root(r, x, g, root, va) || try_without_text(r, x, g, root, va))
			return true;
	}
	if (phys_base_of_linear(x, &base)) {
		x->phys_base = base;
		x->has_phys_base = true;
		if (try_root(r, x, g, va - X86_64_TEXT + base, va))
			return true;
	}
	for (root = va & (KERNEL_ALIGN - 1);
	     reader_step(r, &root, KERNEL_ALIGN) && root < x->map.env.max_pa; root += KERNEL_ALIGN)
		if (try_root(r, x, g, root, va))
			return true;
	return false;
}

/*
 * CR3 of a process maps the kernel too, but does not map itself: any mapped
 * text will do. With page-table isolation (4.15) bit 12 chooses the user's
 * copy, which maps little of the kernel; the kernel's is 4 KiB below.
 */
static bool from_cr3(struct dump *d, struct reader *r, struct x86_64 *x, const struct guess *g)
{
	uint64_t cr3, cr4;

	/* the CPU is not in long mode: after a reset, or of a 32-bit kernel */
	if (d->elf_machine == EM_386)
		return false;
	for (unsigned cpu = 0; qemu_cr(d->image, cpu, &cr3, &cr4); cpu++) {
		uint64_t root = cr3 & (x->map.env.pa_mask ^ 1 << 12);

		for (unsigned k = 0; k < 2; k++, root |= 1 << 12) {
			uint64_t va = X86_64_TEXT, pa;

			x->map.paging =
				&x86_64_paging[cr4 & CR4_LA57 ? X86_64_5LEVEL : X86_64_4LEVEL];
			x->map.env.sme_mask = g->sme[0];
			for (; is_text(va); va += KERNEL_ALIGN)
				if (!pgtrans(r, x->map.paging, &x->map.env, root, va, &pa, NULL)) {
					x->map.root = root;
					x->map.has_root = true;
					return true;
				}
		}
	}
	return false;
}

/*
 * A process's root has the kernel's half of swapper_pg_dir (pgd_ctor() of arch/x86/mm/pgtable.c, read in
 * 2.6.32, 6.1 and 7.3): direct map, vmalloc, vmemmap and text. With page-table isolation the
 * user's copy has more than one table too, but does not map the kernel's data, where swapper_pg_dir
 * lies; the trampoline's root has text alone.
 */
#define TABLES_OF_COPY 4

static bool looks_like_copy(const struct x86_64 *x, const uint8_t *page)
{
	return kernel_tables(x, page) >= TABLES_OF_COPY;
}

/* Take COPY in place of the root at ROOT, which is lost, if it maps VA there. */
static bool try_copy(struct reader *r, struct x86_64 *x, const struct guess *g, uint64_t copy,
		     uint64_t va, uint64_t root)
{
	for (unsigned i = 0; i < g->nrows; i++) {
		x->map.paging = &x86_64_paging[g->row[i]];
		x->map.env.sme_mask = g->sme[0];
		if (maps(r, x, copy, va, root)) {
			x->map.root = copy;
			return x->map.has_root = true;
		}
	}
	return false;
}

static bool from_memory(struct dump *d, struct reader *r, struct x86_64 *x, const struct guess *g)
{
	bool copy = x->has_phys_base; /* text is known: the root itself is lost */
	uint64_t pfn = 0, va = 0;
	unsigned tried = 0;

	if (d->page_shift != 12 || (copy && !root_symbol(d, &va)))
		return false;
	log_info(d->log, "searching the whole memory for the kernel's page tables");
	for (; (pfn = reader_next(r, pfn, d->max_pfn)) < d->max_pfn && tried < ROOTS_TRIED; pfn++) {
		struct page_ref ref = { 0 };
		bool maybe;

		if (reader_page(r, pfn, &ref))
			continue;
		x->map.env.sme_mask = copy ? g->sme[0] : 0;
		maybe = copy ? looks_like_copy(x, ref.data) : looks_like_root(x, ref.data);
		reader_release(r, &ref);
		tried += maybe;
		if (maybe &&
		    (copy ? try_copy(r, x, g, pfn << 12, va, va - X86_64_TEXT + x->phys_base)
			  : try_root(r, x, g, pfn << 12, 0)))
			return true;
	}
	return false;
}

/* A process stands in only where the root's own place is known. */
static bool is_copy(const struct dump *d, const struct x86_64 *x)
{
	uint64_t va;

	return x->has_phys_base && root_symbol(d, &va) &&
	       x->map.root != va - X86_64_TEXT + x->phys_base;
}

static void tell_lost(struct dump *d, const char *text)
{
	issue_add(&d->issues, ST_CORRUPT, "kernel page tables", 1, "%s", text);
}

enum status x86_64_find(struct dump *d, struct x86_64 *x)
{
	struct reader *r = reader_new(d);
	struct guess g;
	bool found;

	read_linear(d, x);
	guess_init(d, &g);
	found = from_symbol(d, r, x, &g) || from_cr3(d, r, x, &g) || from_memory(d, r, x, &g);
	reader_free(r);
	if (found) {
		log_debug(d->log,
			  "%s page tables at physical %#" PRIx64 ", phys_base %#" PRIx64
			  ", encryption mask %#" PRIx64,
			  x->map.paging->name, x->map.root, x->phys_base, x->map.env.sme_mask);
		if (is_copy(d, x))
			tell_lost(d, "swapper_pg_dir is not in the dump or is damaged: "
				     "the page tables of a process stand in");
		return ST_OK;
	}
	x->map.paging = &x86_64_paging[g.row[0]];
	x->map.env.sme_mask = g.sme[0];
	if (x->has_phys_base || x->nlinear) {
		tell_lost(d, "the kernel's page tables are not in the dump or are damaged");
		return ST_OK;
	}
	return fail(&d->diag, ST_UNSUPPORTED,
		    "cannot find the kernel's page tables: there is no VMCOREINFO in the "
		    "notes or in memory, no CR3 in the notes, and no page that could be "
		    "their root; is this a complete dump of an x86-64 Linux kernel?");
}
