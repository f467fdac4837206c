/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * i386.c - the 32-bit x86 machine.
 *
 * As on x86-64, every kernel address goes through swapper_pg_dir. It must map itself,
 * which tells PAE from two levels and shows where low memory begins. Without
 * VMCOREINFO, low memory is read by arithmetic until symbols come from elsewhere.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

#include "arch/linear.h"
#include "arch/x86/i386.h"
#include "arch/x86/x86_ptebits.h"

#include "dumpread/base/bytes.h"
#include "facts/layout/cpu.h"

/* CONFIG_PAGE_OFFSET of VMSPLIT_3G, _3G_OPT, _2G, _2G_OPT, _1G (arch/x86/Kconfig). */
static const uint32_t page_offsets[] = {
	0xc0000000, 0xb0000000, 0x80000000, 0x78000000, 0x40000000,
};

/* MAXMEM: 128 MiB are left for vmalloc (VMALLOC_RESERVE). */
#define LOWMEM_MAX(offset) (UINT64_C(0x100000000) - (offset) - (UINT64_C(128) << 20))

/* ---- where swapper_pg_dir is ---------------------------------------------------------- */

static void take_row(struct kernel_map *x, unsigned row)
{
	x->paging = &i386_paging[row];
	x->env.form = row == I386_PAE ? X86_FORM_PAE : X86_FORM_2LEVEL;
}

static bool take_root(struct reader *r, struct kernel_map *x, uint64_t va, uint64_t offset)
{
	uint64_t pa;

	if (va < offset)
		return false;
	for (unsigned row = 0; row < I386_ROWS; row++) {
		take_row(x, row);
		if (pgtrans(r, x->paging, &x->env, va - offset, va, &pa, NULL) || pa != va - offset)
			continue;
		x->root = va - offset;
		x->low.va = offset;
		x->has_root = true;
		return true;
	}
	return false;
}

static bool find_root(struct dump *d, struct kernel_map *x)
{
	struct reader *r = reader_new(d);
	uint64_t va;

	if (fact_symbol(d, Y_SWAPPER_PG_DIR, &va))
		for (unsigned i = 0; i < ARRAY_LEN(page_offsets) && !x->has_root; i++)
			take_root(r, x, va, page_offsets[i]);
	reader_free(r);
	return x->has_root;
}

static enum status i386_attach(struct dump *d)
{
	struct kernel_map *x = d->kv_self;
	uint64_t max_pa = linear_max_pa(d);

	x86_64_env_init(&x->env, max_pa);
	x->low.va = page_offsets[0];
	take_row(x, max_pa > UINT64_C(1) << 32 ? I386_PAE : I386_2LEVEL);
	if (d->kv)
		return ST_OK;
	if (!find_root(d, x)) {
		if (!linear_find(d, &x->low, "i", 0, max_pa))
			return fail(&d->diag, ST_UNSUPPORTED,
				    "cannot find the kernel's page "
				    "tables: is this a dump of a 32-bit x86 Linux kernel?");
		log_info(d->log, "no page tables found yet: low memory is assumed at %#" PRIx64,
			 x->low.va);
	}
	x->low.size = min_u64(max_pa, LOWMEM_MAX(x->low.va));
	return ST_OK;
}

/* ---- variants -------------------------------------------------------------------------- */

/* By a symbol that the patches brought to every stable tree; else by release. */
static bool i386_has_l1tf(const struct dump *d, bool recent)
{
	uint64_t va;

	return recent || fact_symbol(d, Y_L1TF, &va);
}

static uint8_t i386_swap_form(const struct dump *d, bool pae, const struct release *v)
{
	bool since_2_6_32 = release_since(v, V26(32));

	if (pae && i386_has_l1tf(d, release_since(v, V(4, 19))))
		return X86_SWAP_L1TF;
	if (pae)
		return since_2_6_32 ? X86_SWAP_PAE : X86_SWAP_PAE_2_6_0;
	if (since_2_6_32)
		return X86_SWAP_2_6;
	return release_since(v, V26(0)) ? X86_SWAP_2_6_0 : X86_SWAP_2_4;
}

static enum status i386_attach_late(struct dump *d)
{
	struct kernel_map *x = d->kv_self;
	struct release v = kernel_release(d);
	struct reader *r;
	uint32_t pte;
	bool pae;

	if (!x->has_root && !find_root(d, x) && fact_size(d, S_PTE, &pte))
		take_row(x, pte == 8 ? I386_PAE : I386_2LEVEL);
	if (!x->has_root)
		issue_add(&d->issues, ST_CORRUPT, "kernel page tables", 1,
			  "the kernel's page tables are not in the dump or are damaged");
	r = reader_new(d);
	linear_end(&x->low, d, r, x->low.size);
	reader_free(r);
	pae = x->paging == &i386_paging[I386_PAE];
	x->env.swap_form = i386_swap_form(d, pae, &v);
	x->env.invert_swap = x->env.swap_form == X86_SWAP_L1TF;
	/* "x86/mm: Introduce _PAGE_SAVED_DIRTY" (6.6): on 32 bits too, in bit 10 */
	x->env.saved_dirty = release_since(&v, V(6, 6));
	log_debug(d->log, "%s, page tables at %#" PRIx64 ", swap form %u", x->paging->name, x->root,
		  x->env.swap_form);
	return ST_OK;
}

/* ---- address space of the kernel ------------------------------------------------------- */

#define VMALLOC_OFFSET (UINT64_C(8) << 20)
#define KERNEL_END (UINT64_C(1) << 32)

struct search {
	uint64_t table, va;	/* physical address looked for; what it maps */
	bool here, found;
};

static bool at_table(void *arg, uint64_t pa, unsigned level)
{
	struct search *s = arg;

	s->here = level == 0 && pa == s->table;
	return true;
}

static bool at_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	struct search *s = arg;

	(void)shift;
	(void)pte;
	(void)n;
	s->found = s->here;
	s->va = va;
	return !s->found;
}

/*
 * From 8 MiB above low memory to two pages below the window of kmap(), PKMAP_BASE
 * (arch/x86/include/asm/pgtable_32_areas.h). The size of the areas above, and so the
 * place of that window, depends on NR_CPUS and more; but its one page table is known.
 * A kernel without high memory has none.
 */
static bool i386_vmalloc_total(struct dump *d, uint64_t *ret)
{
	static const struct pgvisit visit = { .entries = at_entries, .table = at_table };
	struct kernel_map *x = d->kv_self;
	struct reader *r = reader_new(d);
	struct search s = { 0 };
	uint64_t start, table;

	if (x->has_root && fact_variable(d, r, Y_HIGH_MEMORY, 0, &start) &&
	    fact_variable(d, r, Y_PKMAP_TABLE, 0, &table) &&
	    !reader_kvtop(r, table, &s.table, NULL))
		pgwalk(r, x->paging, &x->env, x->root, start, KERNEL_END, &visit, &s);
	reader_free(r);
	if (!s.found || s.va < start + VMALLOC_OFFSET + 2 * dump_page_size(d))
		return false;
	*ret = s.va - 2 * dump_page_size(d) - start - VMALLOC_OFFSET;
	return true;
}

/* as x86-64's, with large pages of two levels */
static const struct direct_size *i386_direct_sizes(const struct dump *d)
{
	static const struct direct_size sizes[I386_ROWS][3] = {
		[I386_PAE] = { { "4k", 1, 12 }, { "2M", 2, 21 }, { NULL, 0, 0 } },
		[I386_2LEVEL] = { { "4k", 1, 12 }, { "4M", 2, 22 }, { NULL, 0, 0 } },
	};
	const struct kernel_map *x = d->kv_self;

	return sizes[x->paging == &i386_paging[I386_PAE] ? I386_PAE : I386_2LEVEL];
}

/* arch/x86/include/asm/sparsemem.h */
static struct arch_sections i386_sections(const struct paging *user)
{
	return (struct arch_sections){ user == &i386_paging[I386_PAE] ? 29 : 26, 36 };
}

/* PMD tables with PAE: one per entry of the root, used or not, and one more for PTI */
static unsigned i386_kernel_tables(const struct paging *user)
{
	return user == &i386_paging[I386_PAE] ? 5 : 0;
}

const struct arch arch_i386 = {
	.name = "i386",
	.elf_machine = EM_386,
	.word_size = 4,
	.state_size = sizeof(struct kernel_map),
	.attach = i386_attach,
	.attach_late = i386_attach_late,
	.by_rule = lowmem_by_rule,
	.user_end = lowmem_user_end,
	.is_kernel_addr = lowmem_is_kernel_addr,
	.vmalloc_total = i386_vmalloc_total,
	.direct_sizes = i386_direct_sizes,
	.sections = i386_sections,
	.kernel_tables = i386_kernel_tables,
	.ptebits = &ptebits_x86,
};
