/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Page tables, written by the definitions of each CPU's own headers (2.4.27, 2.6.32,
 * 3.10, 4.x, 6.1), in ignorance of the decoders in arch/:
 *	x86	include/asm-i386/pgtable*.h, arch/x86/include/asm/pgtable*.h
 *	ppc	include/asm-ppc/pgtable.h, arch/powerpc/include/asm/pgtable-ppc32.h and
 *		pte-{40x,44x,8xx,fsl-booke,book3e,hash32}.h, nohash/32/, book3s/32/
 *	ppc64	arch/powerpc/include/asm/pgtable-ppc64*.h, pte-hash64*.h, pte-book3e.h,
 *		book3s/64/{pgtable,hash*,radix*}.h
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "tests/machine/machine.h"

enum {
	FORM_I386, FORM_PAE, FORM_X86_64,
	FORM_6XX, FORM_40X_2_4, FORM_40X, FORM_40X_6, FORM_44X, FORM_44X_6_7,
	FORM_8XX, FORM_8XX_3_10, FORM_8XX_4, FORM_8XX_5, FORM_E500, FORM_BOOK3E,
	FORM_HASH_4K, FORM_HASH_64K, FORM_HASH_4K_4_0, FORM_HASH_64K_4_0, FORM_BOOK3S,
	FORM_RADIX, FORM_BOOK3E_64_4K, FORM_BOOK3E_64_64K,
};

#define BIT(n) (UINT64_C(1) << (n))

static const struct form {
	uint64_t base;			/* present, of the user, to be read */
	uint64_t write, read_only;	/* added for one that may be written, may not */
	uint64_t dirty, young, exec, no_exec;
	uint8_t rpn_shift;		/* of the page number; 0: the address itself */
	bool big;			/* tables are, whatever the machine */
	bool table_virtual;		/* directories hold addresses of the identity map */
	uint64_t table;			/* what they have beside the address */
	uint8_t offset_shift;		/* of a swap entry, whose type is 0 here */
	uint64_t swap;			/* what it has besides */
} forms[] = {
	/* PRESENT and USER; a dirty page is accessed */
	[FORM_I386] = { .base = 0x005, .write = 0x002, .dirty = 0x040, .young = 0x020,
			.table = 0x67 },
	[FORM_PAE] = { .base = 0x005, .write = 0x002, .dirty = 0x040, .young = 0x020,
		       .no_exec = BIT(63), .table = 0x67 },
	[FORM_X86_64] = { .base = 0x005, .write = 0x002, .dirty = 0x040, .young = 0x020,
			  .no_exec = BIT(63), .table = 0x67 },
	/* with HASHPTE 0x002 */
	[FORM_6XX] = { .base = 0x007, .write = 0x400, .dirty = 0x080, .young = 0x100,
		       .exec = 0x200, .offset_shift = 8 },
	/* RW with HWWRITE, as pte_mkdirty() leaves it; _PMD_PRESENT 0x400 */
	[FORM_40X_2_4] = { .base = 0x012, .write = 0x040, .dirty = 0x180, .young = 0x400,
			   .exec = 0x200, .table_virtual = true, .table = 0x400,
			   .offset_shift = 8 },
	[FORM_40X] = { .base = 0x012, .write = 0x040, .dirty = 0x180, .young = 0x400,
		       .exec = 0x200, .table = 0x400, .offset_shift = 8 },
	[FORM_40X_6] = { .base = 0x012, .write = 0x100, .dirty = 0x080, .young = 0x400,
			 .exec = 0x200, .table = 0x400, .offset_shift = 8 },
	[FORM_44X] = { .base = 0x041, .write = 0x002, .dirty = 0x010, .young = 0x008,
		       .exec = 0x004, .table_virtual = true, .offset_shift = 8 },
	[FORM_44X_6_7] = { .base = 0x009, .write = 0x002, .dirty = 0x010, .young = 0x040,
			   .exec = 0x004, .table_virtual = true, .offset_shift = 8 },
	[FORM_8XX] = { .base = 0x801, .write = 0x040, .dirty = 0x020, .young = 0x080,
		       .table = 0x001, .offset_shift = 8 },
	[FORM_8XX_3_10] = { .base = 0x801, .write = 0x400, .dirty = 0x100, .young = 0x020,
			    .table = 0x001, .offset_shift = 8 },
	[FORM_8XX_4] = { .base = 0x021, .read_only = 0x600, .dirty = 0x100, .young = 0x800,
			 .exec = 0x040, .table = 0x001, .offset_shift = 8 },
	/* _PMD_USER 0x040 */
	[FORM_8XX_5] = { .base = 0x001, .read_only = 0x600, .dirty = 0x100, .young = 0x020,
			 .exec = 0x040, .table = 0x041, .offset_shift = 8 },
	[FORM_E500] = { .base = 0x003, .write = 0x004, .dirty = 0x008, .young = 0x020,
			.exec = 0x010, .table_virtual = true, .offset_shift = 8 },
	/* BAP_SR, BAP_UR; BAP_SW, BAP_UW; BAP_SX, BAP_UX */
	[FORM_BOOK3E] = { .base = 0x00d, .write = 0x030, .dirty = 0x1000, .young = 0x40000,
			  .exec = 0x0c0, .rpn_shift = 24, .table_virtual = true,
			  .offset_shift = 8 },
	/* _PAGE_EXEC 0x004 is "no execute" */
	[FORM_HASH_4K] = { .base = 0x003, .write = 0x200, .dirty = 0x080, .young = 0x100,
			   .no_exec = 0x004, .rpn_shift = 17, .table_virtual = true,
			   .offset_shift = 25 },
	[FORM_HASH_64K] = { .base = 0x003, .write = 0x200, .dirty = 0x080, .young = 0x100,
			    .no_exec = 0x004, .rpn_shift = 30, .table_virtual = true,
			    .offset_shift = 38 },
	[FORM_HASH_4K_4_0] = { .base = 0x003, .write = 0x200, .dirty = 0x080, .young = 0x100,
			       .no_exec = 0x004, .rpn_shift = 17, .table_virtual = true,
			       .offset_shift = 17 },
	[FORM_HASH_64K_4_0] = { .base = 0x003, .write = 0x200, .dirty = 0x080, .young = 0x100,
				.no_exec = 0x004, .rpn_shift = 30, .table_virtual = true,
				.offset_shift = 30 },
	/* _PAGE_PRESENT 63, _PAGE_PTE 62; READ 4, WRITE 2, EXEC 1 */
	[FORM_BOOK3S] = { .base = BIT(63) | BIT(62) | 0x4, .write = 0x2, .dirty = 0x80,
			  .young = 0x100, .exec = 0x1, .big = true, .swap = BIT(62) },
	/* a directory has _PAGE_PRESENT and the size of the table below */
	[FORM_RADIX] = { .base = BIT(63) | BIT(62) | 0x4, .write = 0x2, .dirty = 0x80,
			 .young = 0x100, .exec = 0x1, .big = true, .table = BIT(63),
			 .swap = BIT(62) },
	[FORM_BOOK3E_64_4K] = { .base = 0x00d, .write = 0x030, .dirty = 0x1000,
				.young = 0x40000, .exec = 0x0c0, .rpn_shift = 24,
				.table_virtual = true, .offset_shift = 24 },
	[FORM_BOOK3E_64_64K] = { .base = 0x00d, .write = 0x030, .dirty = 0x1000,
				 .young = 0x40000, .exec = 0x0c0, .rpn_shift = 28,
				 .table_virtual = true, .offset_shift = 28 },
};

#define X86_32 "i686", 12, 0xc0000000, 0xc0000000, 0xd1000000, 0
#define X86_64 EM_X86_64, 8, false, "x86_64", 12
#define TEXT 0xffffffff80000000
#define PPC EM_PPC, 4, true, "ppc", 12, 0xc0000000, 0xc0000000, 0xd1000000, 0
#define PPC_PTE32 2, { 10, 10 }, { 4, 4 }
#define PPC_PTE64 2, { 9, 11 }, { 8, 4 }
#define P64(big, machine, shift) EM_PPC64, 8, big, machine, shift, 0xc000000000000000, \
	0xc000000000000000
#define OLD64 0xd000000000000000, 0xf000000000000000
#define NEW64 0xc008000000000000, 0xc00c000000000000
/* book3e has vmalloc below the linear map, and vmemmap behind it */
#define E64 0x8000000000000000, 0x8000040000000000
#define W8 { 8, 8 }

/* MMU_FTR_HPTE_TABLE 1, TYPE_8xx 2, 40x 4, 44x 8, FSL_E 0x10, RADIX 0x40 */
static const struct cpu cpus[] = {
	{ "ppc-40x", 2004, PPC, PPC_PTE32, FORM_40X_2_4, 0, "ppc4xx_setup_arch" },
	{ "ppc-40x", 2600, PPC, PPC_PTE32, FORM_40X, 0x4, "ppc4xx_setup_arch" },
	{ "ppc-40x", 6000, PPC, PPC_PTE32, FORM_40X_6, 0x4, NULL },
	{ "ppc-44x", 2626, PPC, PPC_PTE64, FORM_44X, 0x8, NULL },
	{ "ppc-44x", 6007, PPC, PPC_PTE64, FORM_44X_6_7, 0x8, NULL },
	{ "ppc-6xx", 2626, PPC, PPC_PTE32, FORM_6XX, 0x1, NULL },
	{ "ppc-8xx", 2626, PPC, PPC_PTE32, FORM_8XX, 0x2, NULL },
	{ "ppc-8xx", 2633, PPC, PPC_PTE32, FORM_8XX_3_10, 0x2, NULL },
	{ "ppc-8xx", 4000, PPC, PPC_PTE32, FORM_8XX_4, 0x2, NULL },
	{ "ppc-8xx", 5000, PPC, PPC_PTE32, FORM_8XX_5, 0x2, NULL },
	{ "ppc-e500", 2626, PPC, PPC_PTE32, FORM_E500, 0x10, NULL },
	{ "ppc-e500-pte64", 2632, PPC, PPC_PTE64, FORM_BOOK3E, 0x10, NULL },
	{ "i386", 2004, EM_386, 4, false, X86_32, 2, { 10, 10 }, { 4, 4 }, FORM_I386, 0, NULL },
	{ "i386-pae", 2632, EM_386, 4, false, X86_32, 3, { 9, 9, 2 }, W8, FORM_PAE, 0, NULL },
	{ "x86_64", 2632, X86_64, 0xffff880000000000, TEXT, 0xffffc90000000000,
	  0xffffea0000000000, 4, { 9, 9, 9, 9 }, W8, FORM_X86_64, 0, NULL },
	{ "x86_64", 4020, X86_64, 0xffff888000000000, TEXT, 0xffffc90000000000,
	  0xffffea0000000000, 4, { 9, 9, 9, 9 }, W8, FORM_X86_64, 0, NULL },
	{ "x86_64-la57", 4020, X86_64, 0xff11000000000000, TEXT, 0xffa0000000000000,
	  0xffd4000000000000, 5, { 9, 9, 9, 9, 9 }, W8, FORM_X86_64, 0, NULL },
	{ "ppc64-hash-4k", 2632, P64(true, "ppc64", 12), OLD64, 4, { 9, 7, 7, 9 }, W8,
	  FORM_HASH_4K, 0x1, NULL },
	{ "ppc64-hash-4k", 3010, P64(true, "ppc64", 12), OLD64, 4, { 9, 7, 9, 9 }, W8,
	  FORM_HASH_4K, 0x1, NULL },
	{ "ppc64-hash-4k", 4000, P64(true, "ppc64", 12), OLD64, 4, { 9, 7, 9, 9 }, W8,
	  FORM_HASH_4K_4_0, 0x1, NULL },
	{ "ppc64-hash-4k", 5002, P64(true, "ppc64", 12), NEW64, 4, { 9, 7, 9, 9 }, W8,
	  FORM_BOOK3S, 0x1, NULL },
	{ "ppc64-hash-64k", 2632, P64(true, "ppc64", 16), OLD64, 3, { 12, 12, 4 }, W8,
	  FORM_HASH_64K, 0x1, NULL },
	{ "ppc64-hash-64k", 3010, P64(true, "ppc64", 16), OLD64, 3, { 8, 10, 12 }, W8,
	  FORM_HASH_64K, 0x1, NULL },
	{ "ppc64-hash-64k", 4000, P64(true, "ppc64", 16), OLD64, 3, { 8, 10, 12 }, W8,
	  FORM_HASH_64K_4_0, 0x1, NULL },
	{ "ppc64-hash-64k", 5002, P64(true, "ppc64", 16), NEW64, 4, { 8, 10, 10, 8 }, W8,
	  FORM_BOOK3S, 0x1, NULL },
	{ "ppc64le-hash-64k", 5002, P64(false, "ppc64le", 16), NEW64, 4, { 8, 10, 10, 8 }, W8,
	  FORM_BOOK3S, 0x1, NULL },
	{ "ppc64-radix-4k", 5002, P64(true, "ppc64", 12), NEW64, 4, { 9, 9, 9, 13 }, W8,
	  FORM_RADIX, 0x40, NULL },
	{ "ppc64le-radix-4k", 5002, P64(false, "ppc64le", 12), NEW64, 4, { 9, 9, 9, 13 }, W8,
	  FORM_RADIX, 0x40, NULL },
	{ "ppc64-radix-64k", 5002, P64(true, "ppc64", 16), NEW64, 4, { 5, 9, 9, 13 }, W8,
	  FORM_RADIX, 0x40, NULL },
	{ "ppc64le-radix-64k", 5002, P64(false, "ppc64le", 16), NEW64, 4, { 5, 9, 9, 13 }, W8,
	  FORM_RADIX, 0x40, NULL },
	{ "ppc64-book3e-4k", 2632, P64(true, "ppc64", 12), E64, 4, { 9, 7, 9, 9 }, W8,
	  FORM_BOOK3E_64_4K, 0x10, NULL },
	{ "ppc64-book3e-64k", 2632, P64(true, "ppc64", 16), E64, 3, { 8, 10, 12 }, W8,
	  FORM_BOOK3E_64_64K, 0x10, NULL },
};

unsigned release_number(const char *release)
{
	char *end;
	unsigned long major = strtoul(release, &end, 10), minor = 0, patch = 0;

	if (*end == '.')
		minor = strtoul(end + 1, &end, 10);
	if (*end == '.')
		patch = strtoul(end + 1, &end, 10);
	if (major == 2 && minor == 6)
		minor = 600 + patch;
	return (unsigned)(1000 * major + minor);
}

const struct cpu *cpu_find(const char *name, const char *release)
{
	const struct cpu *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(cpus); i++)
		if (!strcmp(cpus[i].name, name) && cpus[i].since <= release_number(release))
			found = &cpus[i];
	if (!found)
		mdie("no machine %s of %s", name, release);
	return found;
}

/* ---- entries ---------------------------------------------------------------------- */

static const struct form *form_of(const struct machine *m)
{
	return &forms[m->cpu->form];
}

static uint64_t frame_bits(const struct machine *m, uint64_t pa)
{
	unsigned rpn = form_of(m)->rpn_shift;

	return rpn ? pa >> m->cpu->page_shift << rpn : pa;
}

static uint64_t page_entry(const struct machine *m, const struct mpage *p, uint64_t pa)
{
	const struct form *f = form_of(m);
	uint64_t v = frame_bits(m, pa) | f->base;
	bool exec = false, write = false;

	if (p->raw)
		return pa | p->raw;
	for (const char *s = p->bits; *s; s++)
		switch (*s) {
		case 'w': v |= f->write; write = true; break;
		case 'd': v |= f->dirty; break;
		case 'y': v |= f->young; break;
		case 'x': v |= f->exec; exec = true; break;
		case '-': break;
		default: mdie("bits '%s'?", p->bits);
		}
	return v | (write ? 0 : f->read_only) | (exec ? 0 : f->no_exec);
}

/* x86: moved by the error bit, PROTNONE, NUMA, an erratum and L1TF (docs of x86_64_pte.c
   say when). */
static uint64_t x86_swap(const struct machine *m, uint64_t slot)
{
	bool l1tf = m->number >= 4019;

	if (m->cpu->form == FORM_I386)
		return slot << (m->number < 2632 ? 8 : 9);
	if (l1tf)
		return ~slot << 14 >> 5;
	if (m->cpu->form == FORM_PAE)
		return slot << 37;
	return slot << (m->number >= 4006 ? 14 : 9);
}

static uint64_t swap_entry(const struct machine *m, uint64_t slot)
{
	const struct form *f = form_of(m);

	if (m->cpu->form <= FORM_X86_64)
		return x86_swap(m, slot);
	return f->swap | slot << (f->offset_shift ? f->offset_shift : m->cpu->page_shift);
}

/* ---- tables ------------------------------------------------------------------------- */

static unsigned entry_bytes(const struct machine *m, unsigned level)
{
	return m->cpu->entry[level != 0];
}

static uint64_t slot_of(const struct machine *m, uint64_t table, unsigned level, uint64_t va)
{
	unsigned shift = m->cpu->page_shift;
	uint64_t i;

	for (unsigned l = 0; l < level; l++)
		shift += m->cpu->bits[l];
	i = va >> shift & ((UINT64_C(1) << m->cpu->bits[level]) - 1);
	return table + i * entry_bytes(m, level);
}

static bool big_tables(const struct machine *m)
{
	return m->cpu->big || form_of(m)->big;
}

static uint64_t get(const struct machine *m, uint64_t kva, unsigned level)
{
	return load_uint(m->mem + mpa(m, kva), entry_bytes(m, level), big_tables(m));
}

static void put(struct machine *m, uint64_t kva, unsigned level, uint64_t v)
{
	uint8_t raw[8];

	store_uint(raw, v, entry_bytes(m, level), big_tables(m));
	memcpy(m->mem + mpa(m, kva), raw, entry_bytes(m, level));
}

/* What an entry of LEVEL has beside the address of the table below it. */
static uint64_t table_bits(const struct machine *m, unsigned level)
{
	if (m->cpu->form == FORM_PAE && level == 2)
		return 0x1;		/* nothing but PRESENT */
	if (m->cpu->form == FORM_RADIX)
		return form_of(m)->table | m->cpu->bits[level - 1];
	return form_of(m)->table;
}

/* The table below ENTRY, which is of LEVEL; made if there is none. */
static uint64_t below(struct machine *m, uint64_t entry, unsigned level, const char *name)
{
	uint64_t v = get(m, entry, level), bits = table_bits(m, level);
	bool virtual = form_of(m)->table_virtual;

	if (v)
		return (v & ~bits) + (virtual ? 0 : m->cpu->page_offset);
	v = mobject(m, "table", name, (uint64_t)entry_bytes(m, level - 1)
						<< m->cpu->bits[level - 1]);
	put(m, entry, level, (virtual ? v : mpa(m, v)) | bits);
	return v;
}

static uint64_t lowest_slot(struct machine *m, uint64_t root, uint64_t va, const char *name)
{
	for (unsigned level = m->cpu->levels - 1u; level; level--)
		root = below(m, slot_of(m, root, level, va), level, name);
	return slot_of(m, root, 0, va);
}

uint64_t paging_root_bytes(const struct machine *m)
{
	unsigned top = m->cpu->levels - 1u;

	return (uint64_t)entry_bytes(m, top) << m->cpu->bits[top];
}

void paging_user(struct machine *m, struct mmm *mm)
{
	for (size_t i = 0; i < mm->pages.n; i++) {
		const struct mpage *p = &mm->pages.v[i];
		uint64_t v = p->frame < 0 ? swap_entry(m, p->slot) :
			     page_entry(m, p, m->frames.v[p->frame].pfn << m->cpu->page_shift);
		char name[48];

		snprintf(name, sizeof(name), "%s:%#llx", mm->name,
			 (unsigned long long)(p->va & ~UINT64_C(0x1fffff)));
		put(m, lowest_slot(m, mm->pgd, p->va, name), 0, v);
	}
}

/* [va, va + size) at PA on. */
static void map_kernel(struct machine *m, uint64_t root, uint64_t va, uint64_t pa, uint64_t size)
{
	const struct form *f = form_of(m);
	uint64_t bits = f->base | f->write | f->dirty | f->young;

	for (uint64_t at = 0; at < size; at += mpage_size(m))
		put(m, lowest_slot(m, root, va + at, "kernel"), 0, frame_bits(m, pa + at) | bits);
}

/*
 * x86 has all of the kernel in its tables. PowerPC has its memory in BATs, pinned TLB
 * entries or the hash table; what is left is vmalloc, and struct pages with a radix MMU
 * or none: a hash table's are in vmemmap_list.
 */
void paging_kernel(struct machine *m, uint64_t root)
{
	uint64_t size = m->nframes << m->cpu->page_shift;
	bool listed = m->cpu->features == 0x1 && m->cpu->word == 8;

	if (m->cpu->form <= FORM_X86_64)
		map_kernel(m, root, m->cpu->page_offset, 0, size);
	if (m->cpu->image_offset != m->cpu->page_offset)
		map_kernel(m, root, m->cpu->image_offset, 0, size);
	for (size_t i = 0; i < m->mapped.n; i++)
		if (!listed || m->mapped.v[i].kva < m->cpu->vmemmap)
			map_kernel(m, root, m->mapped.v[i].kva, m->mapped.v[i].pa,
				   m->mapped.v[i].size);
}
