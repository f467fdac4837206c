/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arm64.c - the arm64 machine: where the kernel's page tables are, kernel addresses, and which of
 * the variants of an entry this dump's kernel uses.
 *
 * swapper_pg_dir maps all of the kernel: memory, image, vmalloc and struct pages. VMCOREINFO says
 * where it is: its address less kimage_voffset (kernel/vmcore_info.c, until 6.8 crash_core.c, of
 * arch/arm64; read 4.19 to 7.3). If tables of it are lost, memory and image are still translated
 * by arithmetic.
 */
#include <elf.h>
#include <inttypes.h>

#include "arch/arm/arm64.h"
#include "dumpread/base/bytes.h"
#include "dumpread/image/vmcoreinfo.h"
#include "facts/layout/cpu.h"
#include "facts/layout/levels.h"

#define TOP(bits) (UINT64_MAX << (bits))	/* the upper 1 << BITS bytes begin there */

/* A kernel's text is at a multiple of this, physical and virtual (SEGMENT_ALIGN, MIN_KIMG_ALIGN). */
#define IMAGE_ALIGN (UINT64_C(1) << 16)
/* Without _text and _end: as much of the image as VMCOREINFO's symbols may span. */
#define IMAGE_SIZE (UINT64_C(64) << 20)

struct arm64 {
	struct kernel_map map;
	struct linear image;		/* size 0: not known */
};

static const struct arm64 *state(const struct dump *d)
{
	return d->kv_self;
}

static unsigned va_bits(const struct dump *d)
{
	const struct paging *p = state(d)->map.paging;

	return paging_shift(p, p->nlevels);
}

/* The bits that a tag of KASAN may have taken (TBI). */
static uint64_t untagged(uint64_t addr)
{
	return addr | UINT64_C(0xff) << 56;
}

static bool arm64_is_kernel_addr(const struct dump *d, uint64_t addr)
{
	return addr >> 55 & 1 && untagged(addr) >= TOP(va_bits(d));
}

static uint64_t arm64_user_end(const struct dump *d)
{
	return UINT64_C(1) << va_bits(d);
}

static enum status arm64_by_rule(const struct dump *d, uint64_t kva, uint64_t *pa, uint64_t *run)
{
	const struct arm64 *x = state(d);

	if (!linear_kvtop(&x->map.low, untagged(kva), pa, run))
		return ST_OK;
	return linear_kvtop(&x->image, kva, pa, run);
}

/* ---- geometry ------------------------------------------------------------------------------ */

/* VA_BITS is what was configured: since v4.12 (20a166243328). */
static bool configured_bits(const struct dump *d, int64_t *ret)
{
	return vmcoreinfo_number(d, "VA_BITS", ret) && *ret > 0 && *ret <= 52;
}

/*
 * The bits that the tables translate. With 4K and 16K the CPU decides which of those configured are
 * used: TCR_EL1_T1SZ (v5.9, bbdbc11804ff; in RHEL 8 in small letters). Tables of 64K are always laid out for
 * all (offset_ttbr1 in asm/assembler.h).
 */
static int64_t used_bits(const struct dump *d, int64_t configured)
{
	int64_t t1sz;

	if (d->page_shift == 16 || (!vmcoreinfo_number(d, "TCR_EL1_T1SZ", &t1sz) &&
				    !vmcoreinfo_number(d, "tcr_el1_t1sz", &t1sz)))
		return configured;
	return t1sz > 0 && t1sz < 64 && 64 - t1sz <= configured ? 64 - t1sz : 0;
}

static enum status choose_row(struct dump *d, struct kernel_map *m, int64_t *configured)
{
	uint64_t page = dump_page_size(d);
	int64_t bits;

	if (vmcoreinfo_uint(d->vmcoreinfo, "PAGESIZE", 10, &page) && page != dump_page_size(d))
		return fail(&d->diag, ST_UNSUPPORTED,
			    "the kernel's page size is %" PRIu64 ", that of the image %u", page,
			    dump_page_size(d));
	if (!configured_bits(d, configured))
		return fail(
			&d->diag, ST_UNSUPPORTED,
			"VMCOREINFO does not tell VA_BITS: arm64 is read from Linux 4.12 on, and "
			"only if VMCOREINFO is in the notes or in memory");
	bits = used_bits(d, *configured);
	m->paging = arm64_row(d->page_shift, (unsigned)bits);
	if (!m->paging)
		return fail(&d->diag, ST_UNSUPPORTED,
			    "VMCOREINFO contradicts itself: no arm64 kernel has VA_BITS %" PRId64
			    ", pages of %u bytes and the TCR_EL1_T1SZ that it tells",
			    *configured, dump_page_size(d));
	arm64_env_init(&m->env, d->page_shift, (unsigned)bits, linear_max_pa(d));
	return ST_OK;
}

/* ---- the kernel's tables ---------------------------------------------------------------------- */

/* Memory by PHYS_OFFSET, where kernels of all CPUs of that release have it. Else size 0. */
static struct linear linear_map(const struct dump *d, int64_t configured)
{
	struct release r = kernel_release(d);
	unsigned bits = (unsigned)configured, min = bits < 52		  ? bits
						    : d->page_shift == 14 ? 47
									  : 48;
	struct linear l = { 0 };
	int64_t start;

	if (!vmcoreinfo_number(d, "PHYS_OFFSET", &start))
		return l;
	l.pa = (uint64_t)start;
	if (!release_since(&r, V(5, 4))) {
		/* 14c127c957c1 (v5.4) made it the lower half */
		l.va = TOP(bits - 1);
		l.size = UINT64_C(1) << (bits - 1);
	} else if (release_since(&r, V(5, 10))) {
		l.va = TOP(bits);
		l.size = TOP(min - 1) - l.va;
	} /* else PHYS_OFFSET was moved behind the map's back (until 7bc1a0f9e176) */
	if (start < 0 && l.size) { /* signed: its first addresses are below all memory */
		uint64_t below = min_u64(-l.pa, l.size);

		l = (struct linear){ l.va + below, 0, l.size - below };
	}
	l.size = l.pa < linear_max_pa(d) ? min_u64(l.size, linear_max_pa(d) - l.pa) : 0;
	return l;
}

/* Without kimage_voffset each place that an image may have is tried. */
static bool find_root(const struct dump *d, struct reader *r, struct arm64 *x, uint64_t va)
{
	int64_t voffset;

	if (vmcoreinfo_number(d, "kimage_voffset", &voffset))
		return root_at(r, &x->map, va - (uint64_t)voffset, va);
	return root_search(r, &x->map, va, IMAGE_ALIGN);
}

/* The image, until its symbols are known: if the tables are lost, symbols and types can still be found. */
static void find_image(const struct dump *d, struct linear *image)
{
	int64_t voffset;

	if (!vmcoreinfo_number(d, "kimage_voffset", &voffset) ||
	    !fact_symbol(d, Y_STEXT, &image->va))
		return;
	image->va -= IMAGE_ALIGN;
	image->pa = image->va - (uint64_t)voffset;
	image->size = IMAGE_SIZE;
}

static enum status find_tables(struct dump *d, struct arm64 *x)
{
	struct kernel_map *m = &x->map;
	struct reader *r;
	uint64_t va;

	if (!fact_symbol(d, Y_SWAPPER_PG_DIR, &va) || !arm64_is_kernel_addr(d, va))
		return fail(&d->diag, ST_UNSUPPORTED,
			    "VMCOREINFO does not tell where swapper_pg_dir is");
	r = reader_new(d);
	m->has_root = find_root(d, r, x, va);
	reader_free(r);
	return root_told(d, m, x->image.size);
}

static enum status arm64_attach(struct dump *d)
{
	struct arm64 *x = d->kv_self;
	struct kernel_map *m = &x->map;
	int64_t configured;
	enum status st = choose_row(d, m, &configured);

	if (st)
		return st;
	m->start = TOP(va_bits(d));
	m->low = linear_map(d, configured);
	find_image(d, &x->image);
	return d->kv ? ST_OK : find_tables(d, x);
}

/* ---- after symbols -------------------------------------------------------------------------- */

/* The mainline release whose entries this kernel has: its own, or what functions show. */
static int entries_since(const struct dump *d)
{
	static const struct { enum layout_id sign; int version; } signs[] = {
		{ Y_LEVEL_6_10, V(6, 10) }, { Y_LEVEL_5_19, V(5, 19) }, { Y_LEVEL_5_10, V(5, 10) },
	};
	struct release r = kernel_release(d);
	int version = release_mainline(&r);
	uint64_t va;

	for (size_t i = 0; i < ARRAY_LEN(signs) && signs[i].version > version; i++)
		if (fact_symbol(d, signs[i].sign, &va))
			return signs[i].version;
	return version;
}

/* 5.4 to 5.9: memory is at its physical address less physvirt_offset. */
static void late_linear(const struct dump *d, struct reader *r, struct kernel_map *m)
{
	uint64_t offset;

	if (m->low.size || !fact_variable(d, r, Y_PHYSVIRT_OFFSET, 8, &offset))
		return;
	m->low.va = m->start;
	m->low.pa = m->start + offset;
	m->low.size = m->low.pa < m->env.max_pa ? m->env.max_pa - m->low.pa : 0;
}

static enum status arm64_attach_late(struct dump *d)
{
	struct arm64 *x = d->kv_self;
	struct reader *r = reader_new(d);

	late_linear(d, r, &x->map);
	image_late(d, &x->image);
	reader_free(r);
	arm64_env_of(&x->map.env, entries_since(d));
	log_debug(d->log, "%s, swap form %u, form %#x", x->map.paging->name, x->map.env.swap_form,
		  x->map.env.form);
	return ST_OK;
}

/* A signature (CONFIG_ARM64_PTR_AUTH_KERNEL, v5.8) fills the bits that no address has: ptrauth_strip_kernel_insn_pac()
   sets them. */
static uint64_t arm64_code_addr(const struct dump *d, uint64_t addr)
{
	return addr >> 55 & 1 ? addr | TOP(va_bits(d)) : addr;
}

/* asm/sparsemem.h until f0b13ee23241 (v5.12); VMCOREINFO has both since */
static struct arch_sections arm64_sections(const struct paging *user)
{
	(void)user;
	return (struct arch_sections){ 30, 48 };
}

/* VM_ARM64_BTI (8ef8f360cf30, v5.8), VM_MTE (9f3419315f3c, v5.10; moved by facaa1373c9a), VM_SHADOW_STACK;
   VM_MTE_ALLOWED, the bit above VM_MTE, prints nothing */
static const struct arch_vmflag vmflags[] = {
	{ 24, { V(5, 8), 0 }, "bt" },
	{ 32, { V(5, 10), V(6, 12) }, "mt" },
	{ 33, { V(5, 10), V(6, 12) }, "" },
	{ 36, { V(6, 12), 0 }, "mt" },
	{ 37, { V(6, 12), 0 }, "" },
	{ 38, { V(6, 13), 0 }, "ss" },
	{ 0, { 0, 0 }, NULL },
};

const struct arch arch_arm64 = {
	.name = "arm64",
	.elf_machine = EM_AARCH64,
	.word_size = 8,
	.state_size = sizeof(struct arm64),
	.attach = arm64_attach,
	.attach_late = arm64_attach_late,
	.by_rule = arm64_by_rule,
	.user_end = arm64_user_end,
	.is_kernel_addr = arm64_is_kernel_addr,
	.vmalloc_total = told_vmalloc_total,	/* both since 5.19 or before */
	.sections = arm64_sections,
	.prstatus = { 392, 344, 368, 360 },	/* pr_reg is at 112: x29, pc, sp */
	.code_addr = arm64_code_addr,
	.vmflags = vmflags,
	/* fs/proc/array.c prints it since 6.4; 14 digits: tags are the upper byte */
	.status = { V(6, 4), "untag_mask:\t0xffffffffffffff\n" },
};
