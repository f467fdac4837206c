/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86_64.c - the x86-64 machine: kernel addresses, and which of the variants
 * of a page-table entry this dump's kernel uses.
 *
 * Every kernel address goes through the kernel's own page tables: text, direct
 * map, vmalloc, vmemmap and modules alike, so no layout of the address space
 * (KASLR, 5 levels, versions) needs to be known. Where a table is lost, text, the direct
 * map and the ranges in the program headers are still translated by arithmetic.
 */
#include <elf.h>
#include <inttypes.h>

#include "arch/linear.h"
#include "arch/x86/x86_64.h"
#include "arch/x86/x86_ptebits.h"

#include "dumpread/base/bytes.h"
#include "facts/layout/cpu.h"
#include "facts/layout/gate.h"
#include "facts/layout/system.h"

static const struct x86_64 *state(const struct dump *d)
{
	return d->kv_self;
}

static bool five_levels(const struct dump *d)
{
	return state(d)->map.paging == &x86_64_paging[X86_64_5LEVEL];
}

static bool x86_64_is_kernel_addr(const struct dump *d, uint64_t addr)
{
	return addr >=
	       (five_levels(d) ? UINT64_C(0xff00000000000000) : UINT64_C(0xffff800000000000));
}

/* TASK_SIZE_MAX, rounded up to the whole half (page_64_types.h, page_64.h). */
static uint64_t x86_64_user_end(const struct dump *d)
{
	return UINT64_C(1) << (five_levels(d) ? 56 : 47);
}

static enum status x86_64_by_rule(const struct dump *d, uint64_t kva, uint64_t *pa, uint64_t *run)
{
	const struct x86_64 *x = state(d);
	const struct linear text = { X86_64_TEXT, x->phys_base, X86_64_TEXT_SIZE };

	for (unsigned i = 0; i < x->nlinear; i++)
		if (!linear_kvtop(&x->linear[i], kva, pa, run))
			return ST_OK;
	if (!linear_kvtop(&x->direct, kva, pa, run))
		return ST_OK;
	return x->has_phys_base ? linear_kvtop(&text, kva, pa, run) : ST_NODATA;
}

static enum status x86_64_attach(struct dump *d)
{
	struct x86_64 *x = d->kv_self;

	x86_64_env_init(&x->map.env, linear_max_pa(d));
	x->map.paging = &x86_64_paging[X86_64_4LEVEL];
	/* A host translates by itself; late_paging() asks its variables. */
	return d->kv ? ST_OK : x86_64_find(d, x);
}

static bool since(const struct dump *d, int version)
{
	struct release r = kernel_release(d);

	return release_since(&r, version);
}

/*
 * SAVED_DIRTY came with shadow stacks in 6.6. struct thread_shstk in the types
 * shows it, also in backports, but only with CONFIG_X86_USER_SHADOW_STACK. The bit
 * itself needs only CONFIG_X86_64 (mksaveddirty_shift() asks no option), so without
 * that struct the release decides.
 */
static bool has_saved_dirty(const struct dump *d)
{
	uint32_t size;

	return fact_size(d, S_THREAD_SHSTK, &size) || since(d, V(6, 6));
}

/*
 * The L1TF patches (4.19: "x86/speculation/l1tf: Change order of offset/type
 * in swap entry", "... Protect PROT_NONE PTEs against speculation") went into
 * every stable tree, so a symbol that they added says more than the release.
 */
static bool x86_64_has_l1tf(const struct dump *d)
{
	uint64_t va;

	return fact_symbol(d, Y_L1TF, &va) || since(d, V(4, 19));
}

static uint8_t x86_64_swap_form(const struct dump *d)
{
	uint64_t va;

	if (x86_64_has_l1tf(d))
		return X86_SWAP_L1TF;
	/* 4.6: "x86/mm: Move swap offset/type up in PTE to work around erratum" */
	if (since(d, V(4, 6)))
		return X86_SWAP_4_6;
	/* _PAGE_BIT_NUMA lay between FILE and the offset from 3.15 to 3.19. */
	if (since(d, V(3, 15)) && !since(d, V(4, 0)) && fact_symbol(d, Y_TASK_NUMA_WORK, &va))
		return X86_SWAP_3_15;
	return since(d, V26(32)) ? X86_SWAP_2_6 : X86_SWAP_2_4;
}

/* Levels and masks from the kernel's variables, where nothing was probed. */
static void late_paging(struct dump *d, struct reader *r, struct kernel_map *x)
{
	uint64_t v;

	if (!x->has_root) {
		/* pgdir_shift: 4.17+ with CONFIG_X86_5LEVEL, 39 or 48 */
		if (fact_variable(d, r, Y_PGDIR_SHIFT, 4, &v) && v == 48)
			x->paging = &x86_64_paging[X86_64_5LEVEL];
		/* sme_me_mask: 4.14+, one bit or none */
		if (fact_variable(d, r, Y_SME_ME_MASK, 8, &v) && !(v & (v - 1)))
			x->env.sme_mask = v;
	}
	/* physical_mask (4.17+, CONFIG_DYNAMIC_PHYSICAL_MASK) leaves out the
	   encryption bit of SME and SEV and the shared bit of TDX. */
	if (fact_variable(d, r, Y_PHYSICAL_MASK, 8, &v) && v >= x->env.max_pa - 1)
		x->env.pa_mask &= v;
}

#define DIRECT_PROBES 64u	/* places, spread over memory */
#define DIRECT_MAX (UINT64_C(1) << 46)	/* to vmalloc(), where nothing is moved: 64 TiB */

/* Places of which the tables say that they lie at BASE and their address; -1: one lies elsewhere. */
static int mapped_at(const struct dump *d, struct reader *r, uint64_t base)
{
	const struct kernel_map *m = d->kv_self;
	uint64_t pa, run, step = linear_max_pa(d) / DIRECT_PROBES & ~UINT64_C(4095);
	int n = 0;

	for (uint64_t i = 0; m->has_root && i < DIRECT_PROBES; i++) {
		if (pgtrans(r, m->paging, &m->env, m->root, base + i * step, &pa, &run))
			continue;
		if (pa != i * step)
			return -1;
		n++;
	}
	return n;
}

/*
 * Where physical address 0 is in the direct map. page_offset_base since 021182e52fe0 (v4.8) moves it, at most up to
 * vmalloc_base. Else it is at a place of its release (arch/x86/include/asm/page_64.h), and the tables have to agree.
 */
static void find_direct(const struct dump *d, struct reader *r, struct x86_64 *x)
{
	static const uint64_t fixed[] = { UINT64_C(0xffff888000000000),
					  UINT64_C(0xffff880000000000),
					  UINT64_C(0xffff810000000000),
					  UINT64_C(0xff11000000000000) };
	uint64_t base, end;

	if (fact_variable(d, r, Y_PAGE_OFFSET_BASE, 8, &base) && base & UINT64_C(1) << 63 &&
	    !(base & 4095) && mapped_at(d, r, base) >= 0 &&
	    fact_variable(d, r, Y_VMALLOC_BASE, 8, &end) && end > base) {
		x->direct = (struct linear){ base, 0, min_u64(linear_max_pa(d), end - base) };
		return;
	}
	for (unsigned i = 0; i < ARRAY_LEN(fixed); i++)
		if (mapped_at(d, r, fixed[i]) > 0) {
			x->direct = (struct linear){ fixed[i], 0,
						     min_u64(linear_max_pa(d), DIRECT_MAX) };
			return;
		}
}

/*
 * 46 bits with 4 levels, until __PHYSICAL_MASK_SHIFT became always 52 (4.17: "x86/mm/64:
 * Make __PHYSICAL_MASK_SHIFT always 52"). An inverted entry tells them apart: with 46,
 * the bits above were not inverted, but left zero.
 */
static void narrow_pa(const struct dump *d, struct kernel_map *x)
{
	if (!since(d, V(4, 17)))
		x->env.pa_mask &= (UINT64_C(1) << 46) - 1;
}

static enum status x86_64_attach_late(struct dump *d)
{
	struct x86_64 *self = d->kv_self;
	struct kernel_map *x = &self->map;
	struct reader *r = reader_new(d);
	uint64_t va, on;

	late_paging(d, r, x);
	narrow_pa(d, x);
	find_direct(d, r, self);
	self->no_1g_pages = fact_symbol(d, Y_DIRECT_GB, &va) &&
			    (!fact_variable(d, r, Y_DIRECT_GB, 4, &on) || !on);
	reader_free(r);
	x->env.saved_dirty = has_saved_dirty(d);
	x->env.swap_form = x86_64_swap_form(d);
	x->env.invert_swap = x->env.swap_form == X86_SWAP_L1TF;
	log_debug(d->log, "%s, swap form %u, saved dirty %d, physical mask %#" PRIx64,
		  x->paging->name, x->env.swap_form, x->env.saved_dirty, x->env.pa_mask);
	return ST_OK;
}

/* VMALLOC_SIZE_TB (arch/x86/include/asm/pgtable_64_types.h), less a byte */
static bool x86_64_vmalloc_total(struct dump *d, uint64_t *ret)
{
	*ret = (UINT64_C(1) << 40) * (five_levels(d) ? 12800 : 32) - 1;
	return true;
}

/* arch_report_meminfo(), arch/x86/mm/pat/set_memory.c; the index is a level of entries.
   1G where the CPU has such pages and the kernel may use them. */
static const struct direct_size *x86_64_direct_sizes(const struct dump *d)
{
	static const struct direct_size sizes[] = { { "4k", 1, 12 },
						    { "2M", 2, 21 },
						    { "1G", 3, 30 },
						    { NULL, 0, 0 } },
					without_1g[] = { { "4k", 1, 12 },
							 { "2M", 2, 21 },
							 { NULL, 0, 0 } };

	return state(d)->no_1g_pages ? without_1g : sizes;
}

/* arch/x86/include/asm/sparsemem.h */
static struct arch_sections x86_64_sections(const struct paging *user)
{
	(void)user;
	return (struct arch_sections){ 27, 46 };
}

/* VM_SHADOW_STACK: VM_HIGH_ARCH_5 */
const struct arch_vmflag x86_64_vmflags[] = { { 37, { V(6, 6), 0 }, "ss" },
					       { 0, { 0, 0 }, NULL } };

/*
 * arch/x86/entry/vsyscall/vsyscall_64.c (get_gate_vma, map_vsyscall) and
 * arch/x86/include/asm/mmu.h, read in 5.10 ... 7.3: enum { EMULATE, XONLY, NONE }
 * vsyscall_mode; MM_CONTEXT_HAS_VSYSCALL is bit 1. Until 375906f8765e (v2.6.39) the thread's
 * TIF_IA32 was asked, bit 17; RHEL 6 has another bit of mm->flags, set and cleared with it.
 */
static const struct arch_gate gate = {
	.name = "[vsyscall]", .vma = Y_GATE_VMA, .mode = Y_VSYSCALL_MODE, .mode_none = 2,
	.flags = M_MM_CONTEXT_FLAGS, .flag = 0x2, .compat = M_MM_CONTEXT_IA32,
	.thread = 1u << 17,
};

#define FEATURE_OSPKE (16 * 32 + 4)	/* word and bit in x86_capability[] */

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.elf_machine = EM_X86_64,
	.word_size = 8,
	.state_size = sizeof(struct x86_64),
	.attach = x86_64_attach,
	.attach_late = x86_64_attach_late,
	.by_rule = x86_64_by_rule,
	.user_end = x86_64_user_end,
	.is_kernel_addr = x86_64_is_kernel_addr,
	.static_start = X86_64_TEXT,	/* modules follow: Documentation/arch/x86/x86_64/mm.rst */
	.vmalloc_total = x86_64_vmalloc_total,
	.direct_sizes = x86_64_direct_sizes,
	.sections = x86_64_sections,
	.two_roots = Y_PTI_INIT,	/* d9e9a6418065 (v4.15); KAISER */
	.pkey_bits = 4,
	.pkey_feature = FEATURE_OSPKE,
	.prstatus = { 336, 144, 240, 264 },	/* pr_reg is at 112: rbp, rip, rsp */
	.gate = &gate,
	.vmflags = x86_64_vmflags,
	.status = X86_64_STATUS,
	.ptebits = &ptebits_x86,
};
