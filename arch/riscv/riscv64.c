/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * riscv64.c - the riscv64 machine: where the kernel's page tables are, kernel addresses, and which
 * of the variants of an entry this dump's kernel uses.
 *
 * swapper_pg_dir maps all of the kernel: memory, image, vmalloc and struct pages. VMCOREINFO says
 * where it is: its address less va_kernel_pa_offset (arch/riscv/kernel/vmcore_info.c, until 6.8
 * crash_core.c; since 649d6b1019a2, v6.2). Before, it is found: it maps itself. If tables of it are
 * lost, memory and image are still translated by arithmetic.
 */
#include <elf.h>
#include <inttypes.h>

#include "arch/riscv/riscv64.h"
#include "dumpread/base/bytes.h"
#include "dumpread/image/vmcoreinfo.h"
#include "facts/layout/cpu.h"

#define TOP(bits) (UINT64_MAX << (bits)) /* the upper 1 << BITS bytes begin there */

/* An image lies at a multiple of PMD_SIZE, physical and virtual (setup_vm(), mm/init.c). */
#define IMAGE_ALIGN (UINT64_C(1) << 21)
/* Without _text and _end: as much of the image as VMCOREINFO's symbols may span. */
#define IMAGE_SIZE (UINT64_C(64) << 20)

/* Bits 63:60 of satp: Sv39 is 8, Sv48 9, Sv57 10 (asm/csr.h). */
#define SATP_MODE(satp) ((uint64_t)(satp) >> 60)

static const unsigned all_bits[] = { 39, 48, 57 };

struct riscv64 {
	struct kernel_map map;
	struct linear image; /* size 0: not known */
};

static const struct riscv64 *state(const struct dump *d)
{
	return d->kv_self;
}

/* The first bit that is the same in all bits above it: half of the addresses are the kernel's. */
static unsigned sign_bit(const struct dump *d)
{
	const struct paging *p = state(d)->map.paging;

	return paging_shift(p, p->nlevels) - 1;
}

static bool riscv64_is_kernel_addr(const struct dump *d, uint64_t addr)
{
	return addr >= TOP(sign_bit(d));
}

static uint64_t riscv64_user_end(const struct dump *d)
{
	return UINT64_C(1) << sign_bit(d);
}

static enum status riscv64_by_rule(const struct dump *d, uint64_t kva, uint64_t *pa, uint64_t *run)
{
	const struct riscv64 *x = state(d);

	if (!linear_kvtop(&x->map.low, kva, pa, run))
		return ST_OK;
	return linear_kvtop(&x->image, kva, pa, run);
}

/* ---- geometry ------------------------------------------------------------------------------ */

/* The bits that the tables translate; 0: VMCOREINFO does not tell (until 6.1). ST_CORRUPT: it tells
   what no kernel has. */
static enum status told_bits(const struct dump *d, unsigned *ret)
{
	int64_t bits, satp;

	*ret = 0;
	if (!vmcoreinfo_number(d, "VA_BITS", &bits))
		return ST_OK;
	for (unsigned i = 0; i < ARRAY_LEN(all_bits); i++)
		if (bits == all_bits[i] &&
		    (!vmcoreinfo_number(d, "satp", &satp) || !satp || SATP_MODE(satp) == 8 + i))
			*ret = all_bits[i];
	return *ret ? ST_OK : ST_CORRUPT;
}

/* Memory by phys_ram_base and PAGE_OFFSET: half of the kernel's half (KERN_VIRT_SIZE). Else size 0. */
static struct linear linear_map(const struct dump *d, unsigned bits)
{
	int64_t start, offset;
	struct linear l = { 0 };

	if (!vmcoreinfo_number(d, "phys_ram_base", &start) ||
	    !vmcoreinfo_number(d, "PAGE_OFFSET", &offset) || (uint64_t)start >= linear_max_pa(d) ||
	    !riscv64_is_kernel_addr(d, (uint64_t)offset))
		return l;
	l.va = (uint64_t)offset;
	l.pa = (uint64_t)start;
	l.size = min_u64(linear_max_pa(d) - l.pa, min_u64(UINT64_C(1) << (bits - 2), -l.va));
	return l;
}

/* The image, until its symbols are known. */
static void find_image(const struct dump *d, struct linear *image)
{
	int64_t offset;

	if (!vmcoreinfo_number(d, "va_kernel_pa_offset", &offset) ||
	    !fact_symbol(d, Y_STEXT, &image->va))
		return;
	image->va &= ~(IMAGE_ALIGN - 1);
	image->pa = image->va - (uint64_t)offset;
	image->size = min_u64(IMAGE_SIZE, -image->va);
}

/* ---- the kernel's tables ---------------------------------------------------------------------- */

/* Is the root of tables of BITS found? Without va_kernel_pa_offset each place that an image may have is tried. */
static bool find_root(const struct dump *d, struct reader *r, struct kernel_map *m, unsigned bits,
		      uint64_t va)
{
	int64_t offset;

	m->paging = riscv64_row(bits);
	m->start = TOP(bits - 1);
	if (!riscv64_is_kernel_addr(d, va))
		return false;
	if (vmcoreinfo_number(d, "va_kernel_pa_offset", &offset))
		return root_at(r, m, va - (uint64_t)offset, va);
	return root_search(r, m, va, IMAGE_ALIGN);
}

/* The kernel's root, and with BITS 0 how many bits its tables translate. */
static enum status find_tables(struct dump *d, struct riscv64 *x, unsigned bits)
{
	struct kernel_map *m = &x->map;
	struct reader *r;
	uint64_t va;

	if (!fact_symbol(d, Y_SWAPPER_PG_DIR, &va))
		return fail(&d->diag, ST_UNSUPPORTED,
			    "VMCOREINFO does not tell where swapper_pg_dir is");
	r = reader_new(d);
	for (unsigned i = 0; i < ARRAY_LEN(all_bits) && !m->has_root; i++)
		if (!bits || bits == all_bits[i])
			m->has_root = find_root(d, r, m, all_bits[i], va);
	reader_free(r);
	return root_told(d, m, bits && x->image.size);
}

static enum status riscv64_attach(struct dump *d)
{
	struct riscv64 *x = d->kv_self;
	struct kernel_map *m = &x->map;
	enum status st;
	unsigned bits;

	if (told_bits(d, &bits))
		return fail(&d->diag, ST_UNSUPPORTED,
			    "VMCOREINFO contradicts itself: no riscv64 kernel has the VA_BITS and "
			    "satp that it tells");
	riscv64_env_init(&m->env, linear_max_pa(d));
	find_image(d, &x->image);
	m->paging = riscv64_row(bits ? bits : 39);
	m->start = TOP(sign_bit(d));
	st = d->kv ? ST_OK : find_tables(d, x, bits);
	if (!st)
		m->low = linear_map(d, sign_bit(d) + 1);
	return st;
}

/* ---- after symbols -------------------------------------------------------------------------- */

static enum status riscv64_attach_late(struct dump *d)
{
	struct riscv64 *x = d->kv_self;
	struct release r = kernel_release(d);

	image_late(d, &x->image);
	riscv64_env_of(&x->map.env, release_mainline(&r));
	log_debug(d->log, "%s, swap form %u", x->map.paging->name, x->map.env.swap_form);
	return ST_OK;
}

/* asm/sparsemem.h, read 6.12; VMCOREINFO has both since 5.14 */
static struct arch_sections riscv64_sections(const struct paging *user)
{
	(void)user;
	return (struct arch_sections){ 27, 56 };
}

/* VM_SHADOW_STACK: VM_HIGH_ARCH_5 */
static const struct arch_vmflag vmflags[] = { { 37, { V(7, 0), 0 }, "ss" }, { 0, { 0, 0 }, NULL } };

const struct arch arch_riscv64 = {
	.name = "riscv64",
	.elf_machine = EM_RISCV,
	.word_size = 8,
	.state_size = sizeof(struct riscv64),
	.attach = riscv64_attach,
	.attach_late = riscv64_attach_late,
	.by_rule = riscv64_by_rule,
	.user_end = riscv64_user_end,
	.is_kernel_addr = riscv64_is_kernel_addr,
	.vmalloc_total = told_vmalloc_total,
	.sections = riscv64_sections,
	.prstatus = { 376, 176, 112, 128 }, /* pr_reg is at 112: s0, pc, sp */
	.frame_below = 16, /* struct stackframe lies below fp (kernel/stacktrace.c) */
	.vmflags = vmflags,
	/* fs/proc/array.c prints it since 6.4 */
	.status = { V(6, 4), "untag_mask:\t0xffffffffffffffff\n" },
};
