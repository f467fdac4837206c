/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ppc32.c - the 32-bit PowerPC machine.
 *
 * Low memory is mapped linearly from PAGE_OFFSET on, by BATs, pinned TLB
 * entries or TLBCAMs, and need not be in the page tables at all. Addresses above
 * it (vmalloc, modules, kmap) are only in swapper_pg_dir.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

#include "arch/linear.h"
#include "arch/ppc/ppc32.h"

#include "dumpread/base/bytes.h"
#include "facts/layout/cpu.h"

/* Defaults of CONFIG_PAGE_OFFSET and CONFIG_LOWMEM_SIZE, without ADVANCED_OPTIONS
   (arch/powerpc/Kconfig). */
#define PAGE_OFFSET UINT64_C(0xc0000000)
#define LOWMEM_MAX UINT64_C(0x30000000)

/* Memory starts at a multiple of this: e500 maps 64 MiB at a time, others may be
   loaded at any 8 MiB. */
#define MEMSTART_STEP (UINT64_C(8) << 20)

struct ppc32 {
	struct kernel_map map;
	enum ppc32_family family;
};

static enum status ppc32_attach(struct dump *d)
{
	struct kernel_map *x = d->kv_self;
	uint64_t stext;

	d->big_endian = true; /* even if the image does not say so */
	x->env.max_pa = linear_max_pa(d);
	x->low.va = PAGE_OFFSET;
	/* the kernel's text is at most PHYSICAL_START above the start of low memory */
	if (fact_symbol(d, Y_STEXT, &stext))
		x->low.va = stext & 0xf0000000;
	x->paging = ppc32_paging(PPC_6XX, PPC32_6XX, d->page_shift, 4);
	if (d->kv)
		return ST_OK;
	if (!linear_find(d, &x->low, "ppc", MEMSTART_STEP, x->env.max_pa))
		return fail(&d->diag, ST_UNSUPPORTED,
			    "cannot find where the kernel's memory "
			    "starts: init_uts_ns is not where VMCOREINFO says");
	x->low.size = min_u64(x->env.max_pa - x->low.pa, LOWMEM_MAX);
	return ST_OK;
}

/* ---- which CPU family ------------------------------------------------------------------- */

/*
 * cpu_spec.mmu_features (2.6.29, 7c03d6530acc): MMU_FTR_TYPE_*, HPTE_TABLE of
 * arch/powerpc/include/asm/mmu.h. The 47x is a 44x except for its TLB.
 */
static const struct {
	uint64_t feature;
	enum ppc32_family family;
} features[] = {
	{ 0x1, PPC_6XX }, { 0x2, PPC_8XX }, { 0x4, PPC_40X }, { 0x8, PPC_44X },
	{ 0x10, PPC_E500 }, { 0x40, PPC_44X },
};

/* A variable or function that only the kernels of one family have. */
static const struct {
	enum layout_id symbol;
	enum ppc32_family family;
} marks[] = {
	{ Y_IS_44X, PPC_44X }, { Y_IS_E500, PPC_E500 }, { Y_IS_8XX, PPC_8XX },
	{ Y_IS_40X, PPC_40X }, { Y_IS_6XX, PPC_6XX },
};

static bool family_by_features(struct dump *d, struct reader *r, enum ppc32_family *ret)
{
	struct member m;
	uint64_t spec, v;

	if (!fact_member(d, M_CPU_SPEC_MMU_FEATURES, &m) ||
	    !fact_variable(d, r, Y_CUR_CPU_SPEC, 0, &spec) ||
	    read_kva_uint(r, spec + m.offset, m.size, &v))
		return false;
	for (unsigned i = 0; i < ARRAY_LEN(features); i++)
		if (v & features[i].feature) {
			*ret = features[i].family;
			return true;
		}
	return false;
}

static enum ppc32_family family_of(struct dump *d, struct reader *r)
{
	enum ppc32_family family;
	uint64_t va;

	if (family_by_features(d, r, &family))
		return family;
	for (unsigned i = 0; i < ARRAY_LEN(marks); i++)
		if (fact_symbol(d, marks[i].symbol, &va))
			return marks[i].family;
	return PPC_6XX;
}

/* ---- rows and forms ---------------------------------------------------------------------- */

static unsigned pte_size(const struct dump *d, enum ppc32_family family)
{
	uint32_t size;

	if (fact_size(d, S_PTE, &size) && (size == 4 || size == 8))
		return size;
	return family == PPC_44X ? 8 : 4;
}

static enum status ppc32_attach_late(struct dump *d)
{
	struct ppc32 *self = d->kv_self;
	struct kernel_map *x = &self->map;
	struct reader *r = reader_new(d);
	enum ppc32_family family = self->family = family_of(d, r);
	unsigned size = pte_size(d, family);
	struct release v = kernel_release(d);
	uint64_t root;

	linear_end(&x->low, d, r, x->env.max_pa - x->low.pa);
	x->env.form = (uint8_t)ppc32_form(family, size, release_mainline(&v));
	x->paging = ppc32_paging(family, x->env.form, d->page_shift, size);
	x->env.swap_form = release_since(&v, V26(0)) ? PPC32_SWAP_2_6 : PPC32_SWAP_2_4;
	if (family == PPC_44X || family == PPC_E500 || !release_since(&v, V26(0)))
		x->env.table_offset = x->low.pa - x->low.va;
	if (fact_symbol(d, Y_SWAPPER_PG_DIR, &root) && !reader_kvtop(r, root, &x->root, NULL))
		x->has_root = true;
	reader_free(r);
	if (!x->paging)
		return fail(&d->diag, ST_UNSUPPORTED,
			    "no page tables of 32-bit PowerPC with "
			    "pages of %u bytes and entries of %u are known",
			    dump_page_size(d), size);
	log_debug(d->log, "%s, form %u, memory from %#" PRIx64 ", low memory %" PRIu64 " MiB",
		  x->paging->name, x->env.form, x->low.pa, x->low.size >> 20);
	return ST_OK;
}

#define VMALLOC_OFFSET (UINT64_C(16) << 20)
#define PIN_SIZE_44X (UINT64_C(256) << 20)

/*
 * From the next multiple of 16 MiB above low memory to the lowest early ioremap()
 * (arch/powerpc/include/asm/{nohash,book3s}/32/pgtable.h, nohash/mmu-44x.h). On 44x
 * low memory ends with its pinned TLB entries. Not known for 40x and 8xx.
 */
static bool ppc32_vmalloc_total(struct dump *d, uint64_t *ret)
{
	enum ppc32_family family = ((const struct ppc32 *)d->kv_self)->family;
	struct reader *r = reader_new(d);
	uint64_t start = 0, end = 0;

	if (family != PPC_40X && family != PPC_8XX && fact_variable(d, r, Y_HIGH_MEMORY, 0, &start))
		fact_variable(d, r, Y_IOREMAP_BOT, 0, &end);
	reader_free(r);
	if (family == PPC_44X)
		start = (start + PIN_SIZE_44X - 1) & ~(PIN_SIZE_44X - 1);
	start = (start + VMALLOC_OFFSET) & ~(VMALLOC_OFFSET - 1);
	*ret = end - start;
	return end > start;
}

const struct arch arch_ppc32 = {
	.name = "ppc",
	.elf_machine = EM_PPC,
	.word_size = 4,
	.state_size = sizeof(struct ppc32),
	.attach = ppc32_attach,
	.attach_late = ppc32_attach_late,
	.by_rule = lowmem_by_rule,
	.rule_first = true,
	/* TASK_SIZE is this at most; less where the user's segments end sooner. */
	.user_end = lowmem_user_end,
	.is_kernel_addr = lowmem_is_kernel_addr,
	.vmalloc_total = ppc32_vmalloc_total,
};
