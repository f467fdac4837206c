/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ppc64.c - the 64-bit PowerPC machine.
 *
 *     0xc000...     memory, linear: the address less its top digit
 *     0xc008, 0xd   vmalloc, modules, I/O: in swapper_pg_dir
 *     0xc00c, 0xf   struct pages: in swapper_pg_dir with a radix MMU; with a hash
 *                   MMU nowhere but in the hash table, and listed in vmemmap_list
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "arch/linear.h"
#include "arch/ppc/ppc64.h"

#include "dumpread/base/bytes.h"

#define PAGE_OFFSET UINT64_C(0xc000000000000000)
/* book3e has vmalloc below the linear map */
#define KERNEL_START UINT64_C(0x8000000000000000)

/* A kdump kernel that was not relocated, and other odd starts. */
#define MEMSTART_STEP (UINT64_C(16) << 20)

#define VMEMMAP_MAX (1u << 20)	/* entries of vmemmap_list: 16 MiB each as a rule */

struct ppc64 {
	struct linear memory;
	const struct paging *paging;
	struct paging_env env;
	uint64_t root;			/* of swapper_pg_dir; physical */
	bool has_root;
	struct linear *vmemmap;		/* ascending */
	unsigned nvmemmap;
};

static const struct ppc64 *state(const struct dump *d)
{
	return d->kv_self;
}

static bool is_kernel_addr(const struct dump *d, uint64_t addr)
{
	(void)d;
	return addr >= KERNEL_START;
}

static uint64_t user_end(const struct dump *d)
{
	const struct paging *p = state(d)->paging;

	return UINT64_C(1) << paging_shift(p, p->nlevels);
}

static enum status by_vmemmap(const struct ppc64 *x, uint64_t kva, uint64_t *pa,
			      uint64_t *run)
{
	unsigned lo = 0, hi = x->nvmemmap;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (x->vmemmap[mid].va <= kva)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? linear_kvtop(&x->vmemmap[lo - 1], kva, pa, run) : ST_NODATA;
}

static enum status kvtop(const struct dump *d, struct reader *r, uint64_t kva,
			 uint64_t *pa, uint64_t *run)
{
	const struct ppc64 *x = state(d);
	enum status st = ST_NODATA;
	uint64_t bytes;

	if (!is_kernel_addr(d, kva))
		return ST_FAULT;
	if (!linear_kvtop(&x->memory, kva, pa, &bytes) || !by_vmemmap(x, kva, pa, &bytes))
		st = ST_OK;
	else if (x->has_root)
		st = pgtrans(r, x->paging, &x->env, x->root, kva, pa, &bytes);
	if (!st && run)
		*run = bytes;
	return st;
}

/* ---- before symbols ---------------------------------------------------------------------- */

/*
 * A dump's header may be of another order than its kernel: QEMU writes that of
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

		if (!vmcoreinfo_symbol(d, pointers[i], &va) ||
		    linear_kvtop(l, va, &pa, &run) || read_pa(r, pa, raw, sizeof(raw)))
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
 * memory: then it may say otherwise.
 */
static bool page_size_fits(const struct dump *d)
{
	char text[32];

	return !vmcoreinfo_get(d, "PAGESIZE", text, sizeof(text)) ||
	       strtoul(text, NULL, 10) == dump_page_size(d);
}

static enum status attach(struct dump *d)
{
	static const struct kv_ops kv = { kvtop };
	struct ppc64 *x = arena_alloc(&d->mem, sizeof(*x));
	struct ppc64_variant v = { 0 };

	d->kv_self = x;
	x->env.max_pa = linear_max_pa(d);
	x->memory.va = PAGE_OFFSET;
	ppc64_variant(6, 0, d->page_shift, false, true, &v);
	x->paging = v.paging;
	if (!x->paging)
		return fail(&d->diag, ST_UNSUPPORTED, "64-bit PowerPC has no pages of %u bytes",
			    dump_page_size(d));
	if (d->kv)
		return ST_OK;
	x->memory.size = x->env.max_pa;
	if (!linear_find(d, &x->memory, "ppc64", MEMSTART_STEP, x->env.max_pa))
		return fail(&d->diag, ST_UNSUPPORTED, "cannot find where the kernel's memory "
			    "starts: init_uts_ns is at no place where VMCOREINFO puts it");
	if (!page_size_fits(d))
		return fail(&d->diag, ST_UNSUPPORTED, "the kernel's pages are not of the %u bytes "
			    "that this dump is read by: take it with a VMCOREINFO note, or as "
			    "kdump-compressed file", dump_page_size(d));
	x->memory.size = x->env.max_pa - x->memory.pa;
	find_byte_order(d, &x->memory);
	d->kv = &kv;
	return ST_OK;
}

/* ---- afterwards -------------------------------------------------------------------------- */

/* MMU_FTR_TYPE_3E 0x20, _RADIX 0x40, _FSL_E 0x10 (arch/powerpc/include/asm/mmu.h). */
static uint64_t mmu_features(struct dump *d, struct reader *r)
{
	struct member m;
	uint64_t spec, v;

	if (types_member(&d->types, "cpu_spec.mmu_features", &m, NULL) ||
	    !kernel_variable(d, r, "cur_cpu_spec", 0, &spec) ||
	    read_kva_uint(r, spec + m.offset, m.size, &v))
		return 0;
	return v;
}

/* Book3S kernels since 4.7 choose the MMU when they boot, and say the geometry. */
static const struct paging *geometry(struct dump *d, struct reader *r)
{
	static const char *const names[] = {
		"__pte_index_size", "__pmd_index_size", "__pud_index_size", "__pgd_index_size",
	};
	uint64_t bits[4];

	for (unsigned i = 0; i < 4; i++)
		if (!kernel_variable(d, r, names[i], 0, &bits[i]))
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
	struct member shift = { .size = 4 };
	uint64_t psize, defs, v;
	uint32_t size;

	if (types_member(&d->types, "mmu_psize_def.shift", &shift, NULL) ||
	    types_size(&d->types, "mmu_psize_def", &size, NULL) ||
	    !kernel_variable(d, r, "mmu_vmemmap_psize", 4, &psize) || psize > 64 ||
	    !dump_symbol(d, "mmu_psize_defs", &defs) ||
	    read_kva_uint(r, defs + psize * size + shift.offset, shift.size, &v) ||
	    v < 12 || v > 34)
		return 0;
	return UINT64_C(1) << v;
}

/* struct vmemmap_backing: a list that ends with NULL, in the linear map. */
static void read_vmemmap(struct dump *d, struct reader *r, struct ppc64 *x)
{
	uint64_t bytes = vmemmap_bytes(d, r), at, most = d->max_pfn;
	struct member phys, virt;
	VEC(struct linear) v = { 0 };

	if (!bytes || types_member(&d->types, "vmemmap_backing.phys", &phys, NULL) ||
	    types_member(&d->types, "vmemmap_backing.virt_addr", &virt, NULL) ||
	    !kernel_variable(d, r, "vmemmap_list", 0, &at))
		return;
	most = min_u64(most, VMEMMAP_MAX);
	while (at && v.n < most) {
		struct linear l = { .size = bytes };

		if (read_kva_word(r, at + phys.offset, &l.pa) ||
		    read_kva_word(r, at + virt.offset, &l.va) || read_kva_word(r, at, &at)) {
			issue_add(&d->issues, ST_CORRUPT, "vmemmap", 1,
				  "the list of memory that holds struct pages breaks off");
			break;
		}
		*vec_push(&d->mem, &v) = l;
	}
	x->vmemmap = v.v;
	x->nvmemmap = (unsigned)v.n;
	qsort(v.v, v.n, sizeof(*v.v), by_va);
}

static enum status attach_late(struct dump *d)
{
	struct ppc64 *x = d->kv_self;
	struct reader *r = reader_new(d);
	uint64_t features = mmu_features(d, r), root;
	struct ppc64_variant v;
	unsigned major, minor;
	enum status st;

	kernel_release(d, &major, &minor);
	st = ppc64_variant(major, minor, d->page_shift, features & 0x30,
			   features & 0x40, &v);
	if (!st && v.form == PPC64_BOOK3S && geometry(d, r))
		v.paging = geometry(d, r);
	x->env.form = (uint8_t)v.form;
	x->env.big_endian = v.big_endian || d->big_endian;
	if (v.virtual)
		x->env.table_offset = x->memory.pa - x->memory.va;
	x->paging = v.paging ? v.paging : x->paging;
	if (!reader_kvtop(r, dump_symbol(d, "swapper_pg_dir", &root) ? root : 0, &x->root, NULL))
		x->has_root = true;
	if (!(features & 0x40))
		read_vmemmap(d, r, x);
	reader_free(r);
	if (st)
		return fail(&d->diag, st, "no page tables of 64-bit PowerPC with pages of %u "
			    "bytes are known of release %s", dump_page_size(d), d->release);
	log_debug(d->log, "%s, form %u, memory from %#" PRIx64 ", %u pieces of vmemmap",
		  x->paging->name, x->env.form, x->memory.pa, x->nvmemmap);
	return ST_OK;
}

static void user_paging(const struct dump *d, const struct paging **p,
			struct paging_env *env)
{
	*p = state(d)->paging;
	*env = state(d)->env;
}

const struct arch arch_ppc64 = {
	.name = "ppc64",
	.elf_machine = EM_PPC64,
	.word_size = 8,
	.attach = attach,
	.attach_late = attach_late,
	.user_paging = user_paging,
	.user_end = user_end,
	.is_kernel_addr = is_kernel_addr,
};
