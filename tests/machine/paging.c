/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Page tables, written by the definitions of each CPU's own headers:
 *	40x	include/asm-ppc/pgtable.h of 2.4.27: directory entries are addresses in the
 *		identity map with _PMD_PRESENT 0x400; swap (offset << 6 | type) << 2
 *	i386	include/asm-i386/pgtable.h of 2.4.27: swap offset << 8 | type << 1; of 6.1,
 *		arch/x86/include/asm/pgtable-2level.h: offset << 9
 *	x86-64	arch/x86/include/asm/pgtable_types.h, pgtable_64.h of 6.1: swap
 *		~offset << 9 >> 14 above, type in the top five bits
 */
#include <elf.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "tests/machine/machine.h"

enum { FORM_40X, FORM_I386, FORM_X86_64 };

static const struct cpu cpus[] = {
	{ "ppc-40x", EM_PPC, 4, true, "ppc", 0xc0000000, 0xc0000000, 2, 10, 4, FORM_40X,
	  "ppc4xx_setup_arch" },
	{ "i386", EM_386, 4, false, "i686", 0xc0000000, 0xc0000000, 2, 10, 4, FORM_I386, NULL },
	{ "x86_64", EM_X86_64, 8, false, "x86_64", 0xffff888000000000, 0xffffffff80000000, 4, 9,
	  8, FORM_X86_64, NULL },
};

const struct cpu *cpu_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(cpus); i++)
		if (!strcmp(cpus[i].name, name))
			return &cpus[i];
	mdie("no machine %s", name);
}

/* ---- entries ---------------------------------------------------------------------- */

static const struct {
	uint64_t base, write, dirty, young, exec, no_exec;
} user_bits[] = {
	/* PRESENT and USER; RW with HWWRITE, as pte_mkdirty() leaves it */
	[FORM_40X] = { 0x012, 0x040, 0x180, 0x400, 0x200, 0 },
	[FORM_I386] = { 0x005, 0x002, 0x040, 0x020, 0, 0 },
	[FORM_X86_64] = { 0x005, 0x002, 0x040, 0x020, 0, UINT64_C(1) << 63 },
};

static uint64_t page_entry(const struct machine *m, const struct mpage *p, uint64_t pa)
{
	unsigned form = m->cpu->form;
	uint64_t v = pa | user_bits[form].base;
	bool exec = false;

	if (p->raw)
		return pa | p->raw;
	for (const char *s = p->bits; *s; s++)
		switch (*s) {
		case 'w': v |= user_bits[form].write; break;
		case 'd': v |= user_bits[form].dirty; break;
		case 'y': v |= user_bits[form].young; break;
		case 'x': v |= user_bits[form].exec; exec = true; break;
		case '-': break;
		default: mdie("bits '%s'?", p->bits);
		}
	return exec ? v : v | user_bits[form].no_exec;
}

static uint64_t swap_entry(const struct machine *m, uint64_t slot)
{
	switch (m->cpu->form) {
	case FORM_40X: return slot << 6 << 2;
	case FORM_I386: return slot << (strncmp(m->release, "2.4", 3) ? 9 : 8);
	}
	return ~slot << 14 >> 5;
}

static uint64_t table_entry(const struct machine *m, uint64_t kva)
{
	if (m->cpu->form == FORM_40X)
		return kva | 0x400;
	return mpa(m, kva) | 0x67;
}

/* ---- tables ------------------------------------------------------------------------- */

static uint64_t slot_of(const struct machine *m, uint64_t table, unsigned level, uint64_t va)
{
	unsigned shift = 12 + level * m->cpu->bits;
	uint64_t i = va >> shift & ((UINT64_C(1) << m->cpu->bits) - 1);

	return table + i * m->cpu->entry;
}

static uint64_t get(const struct machine *m, uint64_t kva)
{
	return load_uint(m->mem + mpa(m, kva), m->cpu->entry, m->cpu->big);
}

/* The table below ENTRY, made if there is none. */
static uint64_t below(struct machine *m, uint64_t entry, const char *name)
{
	uint64_t v = get(m, entry), mask = UINT64_C(0x000ffffffffff000);

	if (v)
		return m->cpu->form == FORM_40X ? v & 0xfffff000
						: (v & mask) + m->cpu->page_offset;
	v = mobject(m, "table", name, 4096);
	mset(m, entry, table_entry(m, v), m->cpu->entry);
	return v;
}

static uint64_t lowest_slot(struct machine *m, uint64_t root, uint64_t va, const char *name)
{
	for (unsigned level = m->cpu->levels - 1u; level; level--)
		root = below(m, slot_of(m, root, level, va), name);
	return slot_of(m, root, 0, va);
}

void paging_user(struct machine *m, struct mmm *mm)
{
	for (size_t i = 0; i < mm->pages.n; i++) {
		const struct mpage *p = &mm->pages.v[i];
		uint64_t v = p->frame < 0 ? swap_entry(m, p->slot) :
			     page_entry(m, p, m->frames.v[p->frame].pfn << 12);
		char name[48];

		snprintf(name, sizeof(name), "%s:%#llx", mm->name,
			 (unsigned long long)(p->va & ~UINT64_C(0x1fffff)));
		mset(m, lowest_slot(m, mm->pgd, p->va, name), v, m->cpu->entry);
	}
}

/* [va, va + size) at physical 0 on. */
static void map_kernel(struct machine *m, uint64_t root, uint64_t va, uint64_t size)
{
	for (uint64_t pa = 0; pa < size; pa += 4096)
		mset(m, lowest_slot(m, root, va + pa, "kernel"), pa | 0x163, m->cpu->entry);
}

/* The 40x has its kernel in pinned TLB entries: nothing to write. */
void paging_kernel(struct machine *m, uint64_t root)
{
	uint64_t size = m->nframes << 12;

	if (m->cpu->form == FORM_40X)
		return;
	map_kernel(m, root, m->cpu->page_offset, size);
	if (m->cpu->image_offset != m->cpu->page_offset)
		map_kernel(m, root, m->cpu->image_offset, size);
}
