/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ppc64.c - the 64-bit PowerPC machine.
 *
 *     0xc000...     memory, linear: the address less its top digit
 *     0xc008, 0xd   vmalloc, modules, I/O: in swapper_pg_dir
 *     0xc00c, 0xf   struct pages: in swapper_pg_dir with a radix MMU; with a hash
 *                   MMU only in the hash table, and listed in vmemmap_list
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "arch/linear.h"
#include "arch/ppc/ppc64.h"

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "facts/layout/cpu.h"

#define PAGE_OFFSET UINT64_C(0xc000000000000000)
/* book3e has vmalloc below the linear map */
#define KERNEL_START UINT64_C(0x8000000000000000)

/* A kdump kernel that was not relocated, and other odd starts. */
#define MEMSTART_STEP (UINT64_C(16) << 20)

#define VMEMMAP_MAX (1u << 20)	/* entries of vmemmap_list: 16 MiB each as a rule */

struct ppc64 {
	struct kernel_map map;
	bool radix;
	struct linear *vmemmap;		/* ascending */
	unsigned nvmemmap;
};

static const struct ppc64 *state(const struct dump *d)
{
	return d->kv_self;
}

static bool ppc64_is_kernel_addr(const struct dump *d, uint64_t addr)
{
	(void)d;
	return addr >= KERNEL_START;
}

static uint64_t ppc64_user_end(const struct dump *d)
{
	const struct paging *p = state(d)->map.paging;

	return UINT64_C(1) << paging_shift(p, p->nlevels);
}

static enum status ppc64_by_rule(const struct dump *d, uint64_t kva, uint64_t *pa, uint64_t *run)
{
	const struct ppc64 *x = state(d);
	unsigned lo;

	if (!linear_kvtop(&x->map.low, kva, pa, run))
		return ST_OK;
	lo = search_first(x->nvmemmap, mid, x->vmemmap[mid].va <= kva);
	return lo ? linear_kvtop(&x->vmemmap[lo - 1], kva, pa, run) : ST_NODATA;
}

/* ---- before symbols ---------------------------------------------------------------------- */

/*
 * A dump's header may have another byte order than its kernel: QEMU writes that of
 * the interrupts, which a little-endian pseries guest takes from the hypervisor.
 * These variables hold a pointer into the linear map.
 */
static void find_byte_order(struct dump *d, const struct linear *l)
{
	static const char *const pointers[] = { "vmap_area_list", "prb", "vmlist" };
	struct reader *r = reader_new(d);

	for (unsigned i = 0; i < ARRAY_LEN(pointers); i++) {
		uint64_t va, pa, run;
		uint8_t raw[8];

		if (!vmcoreinfo_symbol(d, pointers[i], &va) || linear_kvtop(l, va, &pa, &run) ||
		    read_pa(r, pa, raw, sizeof(raw)))
			continue;
		if (raw[0] == 0xc0 && raw[7] == 0xc0)
			continue;
		if (raw[0] == 0xc0 || raw[7] == 0xc0) {
			d->big_endian = raw[0] == 0xc0;
			break;
		}
	}
	reader_free(r);
}

/*
 * Without a note the image was cut into pages of 64K before VMCOREINFO was found in
 * memory. VMCOREINFO may then give another size.
 */
static bool page_size_fits(const struct dump *d)
{
	char text[32];

	return !vmcoreinfo_get(d, "PAGESIZE", text, sizeof(text)) ||
	       strtoul(text, NULL, 10) == dump_page_size(d);
}

static enum status ppc64_attach(struct dump *d)
{
	struct kernel_map *x = d->kv_self;
	struct ppc64_variant v = { 0 };

	x->env.max_pa = linear_max_pa(d);
	x->low.va = PAGE_OFFSET;
	ppc64_variant(V(6, 0), d->page_shift, false, true, &v);
	x->paging = v.paging;
	if (!x->paging)
		return fail(&d->diag, ST_UNSUPPORTED, "64-bit PowerPC has no pages of %u bytes",
			    dump_page_size(d));
	if (d->kv)
		return ST_OK;
	x->low.size = x->env.max_pa;
	if (!linear_find(d, &x->low, "ppc64", MEMSTART_STEP, x->env.max_pa))
		return fail(&d->diag, ST_UNSUPPORTED,
			    "cannot find where the kernel's memory "
			    "starts: init_uts_ns is not where VMCOREINFO says");
	if (!page_size_fits(d))
		return fail(&d->diag, ST_UNSUPPORTED,
			    "the kernel's page size is not %u bytes, as "
			    "was assumed: take the dump with a VMCOREINFO note, or as a "
			    "kdump-compressed file",
			    dump_page_size(d));
	x->low.size = x->env.max_pa - x->low.pa;
	find_byte_order(d, &x->low);
	return ST_OK;
}

/* ---- after symbols ----------------------------------------------------------------------- */

/* MMU_FTR_TYPE_3E 0x20, _RADIX 0x40, _FSL_E 0x10 (arch/powerpc/include/asm/mmu.h). */
static uint64_t mmu_features(struct dump *d, struct reader *r)
{
	struct member m;
	uint64_t spec, v;

	if (!fact_member(d, M_CPU_SPEC_MMU_FEATURES, &m) ||
	    !fact_variable(d, r, Y_CUR_CPU_SPEC, 0, &spec) ||
	    read_kva_uint(r, spec + m.offset, m.size, &v))
		return 0;
	return v;
}

/* Book3S kernels since 4.7 choose the MMU when they boot, and say the geometry. */
static const struct paging *geometry(struct dump *d, struct reader *r)
{
	static const enum layout_id ids[] = {
		Y_PTE_INDEX_SIZE, Y_PMD_INDEX_SIZE, Y_PUD_INDEX_SIZE, Y_PGD_INDEX_SIZE,
	};
	uint64_t bits[4];

	for (unsigned i = 0; i < 4; i++)
		if (!fact_variable(d, r, ids[i], 0, &bits[i]))
			return NULL;
	return ppc64_geometry(d->page_shift, bits);
}

static int by_va(const void *a, const void *b)
{
	const struct linear *x = a, *y = b;

	return x->va < y->va ? -1 : x->va > y->va;
}

/* Bytes of an entry of vmemmap_list: mmu_psize_defs[mmu_vmemmap_psize].shift. */
static uint64_t vmemmap_bytes(struct dump *d, struct reader *r)
{
	struct member shift;
	uint64_t psize, defs, v;
	uint32_t size;

	if (!fact_member(d, M_PSIZE_SHIFT, &shift) || !fact_size(d, S_PSIZE_DEF, &size) ||
	    !fact_variable(d, r, Y_MMU_VMEMMAP_PSIZE, 4, &psize) || psize > 64 ||
	    !fact_symbol(d, Y_MMU_PSIZE_DEFS, &defs) ||
	    read_kva_uint(r, defs + psize * size + shift.offset, shift.size, &v) || v < 12 ||
	    v > 34)
		return 0;
	return UINT64_C(1) << v;
}

static void tell_vmemmap(struct dump *d, enum status st, const char *what)
{
	issue_add(&d->issues, st, "vmemmap", 1, "the list of memory that holds struct pages %s",
		  what);
}

/*
 * struct vmemmap_backing: a list that ends with NULL, in the linear map. A kernel that has it has an entry in it for
 * its first struct pages (vmemmap_populate(), arch/powerpc/mm/init_64.c, since v2.6.36).
 */
static void read_vmemmap(struct dump *d, struct reader *r, struct ppc64 *x)
{
	uint64_t bytes, list, at, most = d->max_pfn;
	struct member phys, virt;
	VEC(struct linear) v = { 0 };

	if (!fact_member(d, M_VMEMMAP_PHYS, &phys) || !fact_member(d, M_VMEMMAP_VIRT, &virt) ||
	    !fact_symbol(d, Y_VMEMMAP_LIST, &list))
		return;
	bytes = vmemmap_bytes(d, r);
	if (!bytes || !fact_variable(d, r, Y_VMEMMAP_LIST, 0, &at)) {
		tell_vmemmap(d, ST_NODATA, "is not readable");
		return;
	}
	if (!at)
		tell_vmemmap(d, ST_CORRUPT, "is empty");
	most = min_u64(most, VMEMMAP_MAX);
	while (at && v.n < most) {
		struct linear l = { .size = bytes };

		if (read_kva_word(r, at + phys.offset, &l.pa) ||
		    read_kva_word(r, at + virt.offset, &l.va) || read_kva_word(r, at, &at)) {
			tell_vmemmap(d, ST_CORRUPT, "breaks off");
			break;
		}
		*vec_push(&d->mem, &v) = l;
	}
	x->vmemmap = v.v;
	x->nvmemmap = (unsigned)v.n;
	sort_array(v.v, v.n, sizeof(*v.v), by_va);
}

static enum status ppc64_attach_late(struct dump *d)
{
	struct ppc64 *self = d->kv_self;
	struct kernel_map *x = &self->map;
	struct reader *r = reader_new(d);
	uint64_t features = mmu_features(d, r), root;
	struct release release = kernel_release(d);
	struct ppc64_variant v;
	enum status st;

	st = ppc64_variant(release_mainline(&release), d->page_shift, features & 0x30,
			   features & 0x40, &v);
	if (!st && v.form <= PPC64_BOOK3S_4K && geometry(d, r))
		v.paging = geometry(d, r);
	x->env.form = (uint8_t)v.form;
	x->env.big_endian = v.big_endian || d->big_endian;
	if (v.virtual)
		x->env.table_offset = x->low.pa - x->low.va;
	x->paging = v.paging ? v.paging : x->paging;
	if (!reader_kvtop(r, fact_symbol(d, Y_SWAPPER_PG_DIR, &root) ? root : 0, &x->root, NULL))
		x->has_root = true;
	self->radix = features & 0x40;
	if (!self->radix)
		read_vmemmap(d, r, self);
	reader_free(r);
	if (st)
		return fail(&d->diag, st,
			    "64-bit PowerPC with pages of %u bytes is "
			    "not supported for release %s",
			    dump_page_size(d), d->release);
	log_debug(d->log, "%s, form %u, memory from %#" PRIx64 ", %u pieces of vmemmap",
		  x->paging->name, x->env.form, x->low.pa, self->nvmemmap);
	return ST_OK;
}

/* VMALLOC_START and _END of book3s are variables since d6a9996e84ac (v4.7). */
static bool ppc64_vmalloc_total(struct dump *d, uint64_t *ret)
{
	struct reader *r = reader_new(d);
	uint64_t start = 0, end = 0;

	if (fact_variable(d, r, Y_VMALLOC_START, 0, &start))
		fact_variable(d, r, Y_VMALLOC_END, 0, &end);
	reader_free(r);
	*ret = end - start;
	return end > start;
}

/* Only with radix MMUs: arch_report_meminfo(), arch/powerpc/mm/book3s64/pgtable.c; the
   index is MMU_PAGE_... of asm/mmu.h. */
static const struct direct_size *ppc64_direct_sizes(const struct dump *d)
{
	static const struct direct_size sizes[] = {
		{ "4k", 0, 12 }, { "64k", 2, 16 }, { "2M", 7, 21 }, { "1G", 13, 30 },
		{ NULL, 0, 0 }
	};

	return state(d)->radix ? sizes : NULL;
}

const struct arch arch_ppc64 = {
	.name = "ppc64",
	.elf_machine = EM_PPC64,
	.word_size = 8,
	.state_size = sizeof(struct ppc64),
	.attach = ppc64_attach,
	.attach_late = ppc64_attach_late,
	.by_rule = ppc64_by_rule,
	.rule_first = true,
	.user_end = ppc64_user_end,
	.is_kernel_addr = ppc64_is_kernel_addr,
	.vmalloc_total = ppc64_vmalloc_total,
	.direct_sizes = ppc64_direct_sizes,
	/* H_VMEMMAP_START, RADIX_VMEMMAP_START (book3s/64/hash.h, radix.h; 4.13 and before: a
	   region of its own) */
	.vmemmap = { UINT64_C(0xc00c000000000000), UINT64_C(0xf000000000000000) },
	.pkey_bits = 5,			/* arch/powerpc/include/asm/pkeys.h */
	.timebase = true,
};
