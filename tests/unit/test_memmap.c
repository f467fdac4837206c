/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory models: the places of struct pages, and which of them are accepted. */
#include "model/kernel/page/memmap.h"

#include "arch/linear.h"
#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"
#include "facts/layout/file.h"
#include "facts/layout/page.h"
#include "facts/layout/proc.h"
#include "facts/layout/task.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define VAR 0x1000		/* mem_section, mem_map */
#define ROOTS 0x2000
#define SECTIONS 0x3000		/* struct mem_section { map; usage; } */
#define PAGE_BYTES 64ull
#define SECTION_PAGES 32768ull	/* 1 << 27 bytes */

static struct fake *machine(unsigned word, bool big)
{
	struct fake *f = fake_new(word, big);

	fake_size(f, S_PAGE, PAGE_BYTES);
	f->dump.vmcoreinfo = "NUMBER(SECTION_SIZE_BITS)=27\nNUMBER(MAX_PHYSMEM_BITS)=40\n";
	return f;
}

static void sparse(struct fake *f)
{
	unsigned word = f->dump.word_size;

	fake_symbol(f, Y_MEM_SECTION, fake_kva(f, VAR));
	fake_size(f, S_MEM_SECTION, 2 * word);
	fake_member(f, M_SECTION_MEM_MAP, 0, word);
}

/* Section NR, whose struct pages begin at physical address PA; FLAGS below. */
static void section(struct fake *f, uint64_t at, unsigned nr, uint64_t pa, unsigned flags)
{
	unsigned word = f->dump.word_size;
	uint64_t map = fake_kva(f, pa) - nr * SECTION_PAGES * PAGE_BYTES;

	fake_put_uint(f, at + 2ull * word * nr, map | flags, word);
}

static enum status init(struct fake *f)
{
	return memmap_init(&f->kernel, f->r);
}

static void check_two(struct fake *f)
{
	const struct memmap *m = &f->kernel.memmap;
	uint64_t pfn;

	if (!CHECK_EQ(init(f), ST_OK) || !CHECK_EQ(m->n, 2))
		return;
	CHECK_EQ(m->v[0].pfn, 0);
	CHECK_EQ(m->v[0].end, 2 * SECTION_PAGES);	/* two neighbours became one */
	CHECK(!m->v[0].offline);
	CHECK_EQ(m->v[1].pfn, 3 * SECTION_PAGES);
	CHECK(m->v[1].offline);
	CHECK_EQ(m->max_pfn, 4 * SECTION_PAGES);
	CHECK_EQ(memmap_page_kva(m, 5), fake_kva(f, 0x100000) + 5 * PAGE_BYTES);
	CHECK_EQ(memmap_page_kva(m, SECTION_PAGES),
		 fake_kva(f, 0x100000) + SECTION_PAGES * PAGE_BYTES);
	CHECK_EQ(memmap_page_kva(m, 2 * SECTION_PAGES), 0);
	CHECK_EQ(memmap_page_kva(m, 4 * SECTION_PAGES), 0);
	CHECK(memmap_page_pfn(m, fake_kva(f, 0x100000) + 7 * PAGE_BYTES, &pfn));
	CHECK_EQ(pfn, 7);
	CHECK(!memmap_page_pfn(m, fake_kva(f, 0x100000) + 7 * PAGE_BYTES + 8, &pfn));
	CHECK(!memmap_page_pfn(m, fake_kva(f, 0x10), &pfn));
	CHECK(memmap_page_pfn(m, m->v[1].page_kva, &pfn));
	CHECK_EQ(pfn, 3 * SECTION_PAGES);
}

static void put_sections(struct fake *f, uint64_t at)
{
	section(f, at, 0, 0x100000, 7);
	section(f, at, 1, 0x100000 + SECTION_PAGES * PAGE_BYTES, 7);
	section(f, at, 2, 0x700000, 1);		/* present, no memory map */
	section(f, at, 3, 0x700000, 3);		/* not online */
}

static void test_sparse(unsigned word, bool big)
{
	struct fake *f = machine(word, big);

	sparse(f);
	put_sections(f, SECTIONS);
	fake_put_uint(f, ROOTS, fake_kva(f, SECTIONS), word);
	fake_put_uint(f, VAR, fake_kva(f, ROOTS), word);	/* since 4.15 */
	check_two(f);
	fake_symbol(f, Y_MEM_SECTION, fake_kva(f, ROOTS));	/* before, and VMCOREINFO */
	check_two(f);
	fake_symbol(f, Y_MEM_SECTION, fake_kva(f, SECTIONS));	/* without EXTREME */
	check_two(f);
	/* no section says online: a kernel before 4.13 */
	for (unsigned i = 0; i < 4; i++)
		section(f, SECTIONS, i, 0x100000, i == 2 ? 0 : 3);
	CHECK_EQ(init(f), ST_OK);
	for (uint32_t i = 0; i < f->kernel.memmap.n; i++)
		CHECK(!f->kernel.memmap.v[i].offline);
	fake_free(f);
}

/* 5 levels: a megabyte of roots, all zero but the first; zero pages were left out. */
static void test_zero_pages_left_out(void)
{
	struct fake *f = machine(8, false);
	uint64_t roots = 0x200800;

	f->dump.vmcoreinfo = "NUMBER(SECTION_SIZE_BITS)=27\nNUMBER(MAX_PHYSMEM_BITS)=52\n";
	sparse(f);
	put_sections(f, SECTIONS);
	fake_put_uint(f, roots, fake_kva(f, SECTIONS), 8);
	fake_symbol(f, Y_MEM_SECTION, fake_kva(f, roots));
	check_two(f);
	fake_free(f);
}

static void test_flat(unsigned word, bool big)
{
	struct fake *f = machine(word, big);

	fake_symbol(f, Y_MEM_MAP, fake_kva(f, VAR));
	fake_symbol(f, Y_MAX_MAPNR, fake_kva(f, VAR + 16));
	fake_put_uint(f, VAR, fake_kva(f, 0x100000), word);
	fake_put_uint(f, VAR + 16, 4096, word);
	fake_put_uint(f, 0x100000, 0, word);
	if (CHECK_EQ(init(f), ST_OK)) {
		CHECK_EQ(f->kernel.memmap.n, 1);
		CHECK_EQ(f->kernel.memmap.max_pfn, 4096);
		CHECK_EQ(memmap_page_kva(&f->kernel.memmap, 9),
			 fake_kva(f, 0x100000) + 9 * PAGE_BYTES);
	}
	CHECK_EQ(fake_issues(f, "page array"), 0);
	/* one bit of mem_map: no memory is there */
	fake_put_uint(f, VAR, fake_kva(f, 0x100000) + 0x4000000, word);
	init(f);
	CHECK_EQ(fake_issues(f, "page array"), 1);
	fake_free(f);
}

/* The only node begins with frame 1, its struct pages with that of frame 0, as in mem_map. */
static void test_one_node(void)
{
	struct fake *f = machine(4, false);
	uint64_t map = fake_kva(f, 0x100000);

	fake_symbol(f, Y_CONTIG_PAGE_DATA, fake_kva(f, 0x5000));
	fake_symbol(f, Y_MEM_MAP, fake_kva(f, VAR));
	fake_members(f, { M_PGDAT_MEM_MAP, 0, 4 }, { M_PGDAT_SPANNED, 4, 4 },
		     { M_PGDAT_START_PFN, 8, 4 });
	fake_put_uint(f, 0x5000, map + PAGE_BYTES, 4);
	fake_put_uint(f, 0x5004, 255, 4);
	fake_put_uint(f, 0x5008, 1, 4);
	fake_put_uint(f, VAR, map, 4);
	if (CHECK_EQ(init(f), ST_OK) && CHECK_EQ(f->kernel.memmap.n, 1)) {
		CHECK_EQ(f->kernel.memmap.v[0].pfn, 0);
		CHECK_EQ(f->kernel.memmap.max_pfn, 256);
		CHECK_EQ(memmap_page_kva(&f->kernel.memmap, 0), map);
	}
	/* more than lie below it, or none: nothing is invented */
	fake_put_uint(f, VAR, map - PAGE_BYTES, 4);
	if (CHECK_EQ(init(f), ST_OK))
		CHECK_EQ(f->kernel.memmap.v[0].pfn, 1);
	fake_put_uint(f, VAR, map + 4 * PAGE_BYTES, 4);
	if (CHECK_EQ(init(f), ST_OK))
		CHECK_EQ(f->kernel.memmap.v[0].pfn, 1);
	fake_free(f);
}

/* Two nodes of 2.4, in a circular list. */
static void test_nodes(void)
{
	struct fake *f = machine(4, true);

	fake_symbol(f, Y_PGDAT_LIST, fake_kva(f, VAR));
	fake_members(f, { M_PGDAT_MEM_MAP, 0, 4 }, { M_PGDAT_SPANNED, 4, 4 },
		     { M_PGDAT_START_PADDR, 8, 4 }, { M_PGDAT_NEXT, 12, 4 });
	fake_put_uint(f, VAR, fake_kva(f, 0x5000), 4);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = 0x5000 + i * 0x100;

		fake_put_uint(f, at, fake_kva(f, 0x100000 + i * 0x100000), 4);
		fake_put_uint(f, at + 4, 256, 4);
		fake_put_uint(f, at + 8, i << 24, 4);
		fake_put_uint(f, at + 12, fake_kva(f, 0x5000 + !i * 0x100), 4);
	}
	if (CHECK_EQ(init(f), ST_OK) && CHECK_EQ(f->kernel.memmap.n, 2)) {
		CHECK_EQ(f->kernel.memmap.v[1].pfn, 4096);
		CHECK_EQ(f->kernel.memmap.max_pfn, 4096 + 256);
	}
	fake_free(f);
}

/* More struct pages than memory could hold, pointers to nowhere, no table at all. */
static void test_hostile(void)
{
	struct fake *f = machine(8, false);

	CHECK(init(f) != ST_OK);
	CHECK_EQ(memmap_page_kva(&f->kernel.memmap, 0), 0);
	sparse(f);
	for (unsigned i = 0; i < 256; i++)
		section(f, SECTIONS, i, 0x100000 + i * SECTION_PAGES * PAGE_BYTES, 7);
	fake_put_uint(f, ROOTS, fake_kva(f, SECTIONS), 8);
	for (unsigned i = 1; i < 32; i++)
		fake_put_uint(f, ROOTS + 8 * i, fake_kva(f, 0xffffff00 + i), 8);
	fake_put_uint(f, VAR, fake_kva(f, ROOTS), 8);
	if (CHECK_EQ(init(f), ST_OK))
		CHECK(f->kernel.memmap.max_pfn <= FAKE_PAGES * 4096ull / PAGE_BYTES);
	f->dump.vmcoreinfo = "NUMBER(SECTION_SIZE_BITS)=13\nNUMBER(MAX_PHYSMEM_BITS)=63\n";
	init(f);
	f->dump.vmcoreinfo = "NUMBER(SECTION_SIZE_BITS)=-5\nNUMBER(MAX_PHYSMEM_BITS)=1\n";
	init(f);
	fake_size(f, S_PAGE, 0);
	CHECK(init(f) != ST_OK);
	fake_free(f);
}

/* Missing data is an issue; data read by a wrong guess does not replace it. */
static void test_damaged(unsigned word)
{
	struct fake *f = machine(word, false);
	const struct memmap *m = &f->kernel.memmap;

	/* the roots are not in the dump: mem_section itself is no table of roots */
	sparse(f);
	fake_put_uint(f, VAR, fake_kva(f, ROOTS), word);
	section(f, VAR + word, 1, 0xa00000, 7);
	CHECK_EQ(init(f), ST_NODATA);
	CHECK_EQ(m->n, 0);
	CHECK(m->partial && memmap_may_have_page(m, FAKE_PAGES - 1));
	CHECK(!memmap_may_have_page(m, FAKE_PAGES));
	fake_free(f);

	/* the second page of sections is lost */
	f = machine(word, false);
	m = &f->kernel.memmap;
	sparse(f);
	put_sections(f, SECTIONS);
	fake_put_uint(f, ROOTS, fake_kva(f, SECTIONS), word);
	fake_put_uint(f, ROOTS + word, fake_kva(f, SECTIONS + 0x5000), word);
	fake_put_uint(f, VAR, fake_kva(f, ROOTS), word);
	CHECK_EQ(init(f), ST_OK);
	CHECK_EQ(fake_issues(f, "page array"), 4096 / (2 * word));
	CHECK(m->partial && memmap_may_have_page(m, m->max_pfn - 1));
	/* struct pages without memory */
	fake_put_uint(f, ROOTS + word, 0, word);
	CHECK_EQ(init(f), ST_OK);
	CHECK(!m->partial && !memmap_may_have_page(m, 2 * SECTION_PAGES));
	section(f, SECTIONS, 2, word == 8 ? 0x1000000ull << 24 : 0xf0000000, 7);
	CHECK_EQ(init(f), ST_OK);
	CHECK_EQ(fake_issues(f, "page array"), 4096 / (2 * word) + 1);
	CHECK(m->partial);
	fake_free(f);
}

/* Memory that the kernel knows of and no section describes. */
static void test_ends(void)
{
	struct fake *f = machine(8, false);

	sparse(f);
	put_sections(f, SECTIONS);
	fake_put_uint(f, ROOTS, fake_kva(f, SECTIONS), 8);
	fake_put_uint(f, VAR, fake_kva(f, ROOTS), 8);
	fake_symbol(f, Y_MAX_PFN, fake_kva(f, VAR + 16));
	fake_put_uint(f, VAR + 16, 4 * SECTION_PAGES, 8);
	fake_symbol(f, Y_NODE_DATA, fake_kva(f, VAR + 32));
	fake_member(f, M_PGDAT_SPANNED, 0, 8);
	fake_member(f, M_PGDAT_START_PFN, 8, 8);
	fake_put_uint(f, VAR + 32, fake_kva(f, 0x8000), 8);
	fake_put_uint(f, 0x8000, 4 * SECTION_PAGES - 1, 8);
	fake_put_uint(f, 0x8008, 1, 8);
	CHECK_EQ(init(f), ST_OK);
	CHECK(!f->kernel.memmap.partial);
	fake_put_uint(f, VAR + 16, 4 * SECTION_PAGES + 1, 8);
	CHECK_EQ(init(f), ST_OK);
	CHECK_EQ(fake_issues(f, "page array"), 1);
	CHECK(f->kernel.memmap.partial);
	fake_put_uint(f, VAR + 16, 0, 8);
	/* a node that ends after the last section, and one that is out of any range */
	fake_put_uint(f, 0x8000, 4 * SECTION_PAGES, 8);
	CHECK_EQ(init(f), ST_OK);
	CHECK_EQ(fake_issues(f, "node"), 1);
	fake_put_uint(f, 0x8000, UINT64_MAX, 8);
	CHECK_EQ(init(f), ST_OK);
	CHECK_EQ(fake_issues(f, "node"), 2);
	CHECK(f->kernel.memmap.partial);
	fake_put_uint(f, 0x8000, 0, 8);		/* a node of only CPUs */
	CHECK_EQ(init(f), ST_OK);
	CHECK(!f->kernel.memmap.partial);
	fake_free(f);
}

/* Section 0 is RAM, except 8 MiB of a device after the first 16. */
static void test_devices(void)
{
	struct fake *f = machine(8, false);
	const struct memmap *m = &f->kernel.memmap;
	uint64_t node = 0xa000;

	sparse(f);
	section(f, SECTIONS, 0, 0x100000, 0x1f);
	section(f, SECTIONS, 1, 0x100000 + SECTION_PAGES * PAGE_BYTES, 0xf);
	fake_put_uint(f, ROOTS, fake_kva(f, SECTIONS), 8);
	fake_put_uint(f, VAR, fake_kva(f, ROOTS), 8);
	fake_symbol(f, Y_PGMAPS, fake_kva(f, 0x9000));
	fake_member(f, M_XA_HEAD, 0, 8);
	fake_member(f, M_XA_NODE_SHIFT, 0, 1);
	fake_array(f, M_XA_NODE_SLOTS, 16, 8, 64);
	fake_size(f, S_XA_NODE, 16 + 8 * 64);
	/* frames 0x1000 to 0x17ff: slots 4 and 5 of 1024 frames each */
	fake_put_uint(f, 0x9000, fake_kva(f, node) | 2, 8);
	fake_put_uint(f, node, 10, 1);
	fake_put_uint(f, node + 16 + 8 * 4, fake_kva(f, 0xb000), 8);
	fake_put_uint(f, node + 16 + 8 * 5, 4 << 2 | 2, 8);		/* its sibling */
	CHECK_EQ(init(f), ST_OK);
	if (CHECK_EQ(m->ndevices, 1)) {
		CHECK_EQ(m->devices[0].pfn, 0x1000);
		CHECK_EQ(m->devices[0].end, 0x1800);
	}
	CHECK(memmap_is_online(m, 0xfff) && memmap_is_online(m, 0x1800));
	CHECK(!memmap_is_online(m, 0x1000) && !memmap_is_online(m, 0x17ff));
	CHECK(memmap_is_online(m, SECTION_PAGES) && !memmap_is_online(m, 2 * SECTION_PAGES));
	/* kernels before 5.12 do not look at the other parts of a section */
	section(f, SECTIONS, 0, 0x100000, 0xf);
	CHECK_EQ(init(f), ST_OK);
	CHECK(memmap_is_online(m, 0x1000));
	fake_free(f);
}

/* mm/sparse.c of 5.4, sparse_add_section(): memmap = pfn_to_kaddr(section_nr_to_pfn(nr)), encoded. */
static void test_lost_map(void)
{
	enum { N = 1024, MAP = 0x100000 };
	struct fake *f = machine(8, false);
	const struct memmap *m = &f->kernel.memmap;
	uint64_t vmemmap = fake_kva(f, MAP);

	f->dump.vmcoreinfo = "NUMBER(SECTION_SIZE_BITS)=22\nNUMBER(MAX_PHYSMEM_BITS)=30\n";
	sparse(f);
	fake_symbol(f, Y_MEM_SECTION, fake_kva(f, SECTIONS));
	for (uint64_t nr = 0; nr < 4; nr++)
		fake_put_uint(f, SECTIONS + 16 * nr, vmemmap | 7, 8);
	fake_put_uint(f, SECTIONS + 16 * 2, (fake_kva(f, 2 * N << 12) - 2 * N * PAGE_BYTES) | 7, 8);
	CHECK_EQ(init(f), ST_OK);
	CHECK_EQ(m->n, 1);
	CHECK_EQ(memmap_page_kva(m, 2 * N + 5), vmemmap + (2 * N + 5) * PAGE_BYTES);
	/* without VMEMMAP each section has a map of its own */
	fake_put_uint(f, SECTIONS + 16, (vmemmap + 0x10000) | 7, 8);
	CHECK_EQ(init(f), ST_OK);
	CHECK_EQ(memmap_page_kva(m, 2 * N + 5), fake_kva(f, 2 * N << 12) + 5 * PAGE_BYTES);
	fake_free(f);
}

/* ---- VMEMMAP without mem_section[] ------------------------------------------------------ */

enum { VMAP_PAGES = 1024, VMAP = 0x1000000 - 2 * VMAP_PAGES * 64 };	/* two sections at the end */

/* Struct pages of frames 0 to 2047, by rule: struct page N is at VMAP + N * 64. The page of the
   roots is lost. */
static struct fake *rootless(void)
{
	static const enum layout_id image[] = { Y_INIT_TASK, Y_INIT_UTS_NS, Y_LINUX_BANNER,
						Y_SUPER_BLOCKS };
	struct fake *f = machine(8, false);

	f->dump.vmcoreinfo = "NUMBER(SECTION_SIZE_BITS)=22\nNUMBER(MAX_PHYSMEM_BITS)=40\n";
	sparse(f);
	fake_member(f, M_PAGE_REFCOUNT, 52, 4);
	fake_member(f, M_PAGE_MAPCOUNT, 48, 4);
	for (uint64_t i = 0; i < ARRAY_LEN(image); i++) {
		fake_symbol(f, image[i], fake_kva(f, 0x10000 + i * 4096));
		fake_put_uint(f, VMAP + (0x10 + i) * PAGE_BYTES + 52, 1, 4);
		fake_put_uint(f, VMAP + (0x10 + i) * PAGE_BYTES + 48, UINT32_MAX, 4);
	}
	/* frame 1 has mem_section itself */
	fake_put_uint(f, VMAP + PAGE_BYTES + 52, 1, 4);
	fake_put_uint(f, VMAP + PAGE_BYTES + 48, UINT32_MAX, 4);
	f->arch.vmemmap[0] = FAKE_BASE - (UINT64_C(1) << 40);	/* nothing is there */
	f->arch.vmemmap[1] = fake_kva(f, VMAP);
	return f;
}

static void test_vmemmap_alone(void)
{
	struct fake *f = rootless();
	const struct memmap *m = &f->kernel.memmap;

	CHECK_EQ(init(f), ST_OK);
	CHECK_EQ(fake_issues(f, "page array"), 1);
	if (CHECK_EQ(m->n, 1)) {
		CHECK_EQ(m->v[0].pfn, 0);
		CHECK_EQ(m->max_pfn, 2 * VMAP_PAGES);
		CHECK(memmap_is_online(m, 5) && !m->partial);
		CHECK_EQ(memmap_page_kva(m, 1500), fake_kva(f, VMAP) + 1500 * PAGE_BYTES);
	}
	/* one variable may lie in memory that was freed, more may not */
	fake_put_uint(f, VMAP + 0x10 * PAGE_BYTES + 52, 0, 4);
	CHECK_EQ(init(f), ST_OK);
	fake_put_uint(f, VMAP + 0x11 * PAGE_BYTES + 52, 0, 4);
	CHECK_EQ(init(f), ST_NODATA);
	CHECK_EQ(m->n, 0);
	fake_free(f);
}

/* mem_section[] is there, and a page of struct mem_section is lost. */
static void test_vmemmap_part(void)
{
	struct fake *f = rootless();
	const struct memmap *m = &f->kernel.memmap;
	uint64_t at = SECTIONS + 4096 - 16;	/* section 0 is the last of its page */

	fake_symbol(f, Y_MEM_SECTION, fake_kva(f, at));
	fake_put_uint(f, at, fake_kva(f, VMAP) | 7, 8);
	CHECK_EQ(init(f), ST_OK);
	CHECK_EQ(fake_issues(f, "page array"), 1);
	CHECK_EQ(m->max_pfn, 2 * VMAP_PAGES);
	CHECK(!m->partial);
	CHECK_EQ(memmap_page_kva(m, 1500), fake_kva(f, VMAP) + 1500 * PAGE_BYTES);
	fake_free(f);
}

/* ---- a dump that shrinks ------------------------------------------------------------------ */

struct shrinking {
	struct kernel_map map;		/* arch_kernel_paging() looks here: no tables */
	const struct kv_ops *kv;
	uint64_t lost;			/* this page can be read LEFT times */
	unsigned left;
};

static enum status shrinking_kvtop(const struct dump *d, struct reader *r, uint64_t kva,
				   uint64_t *pa, uint64_t *run)
{
	struct shrinking *s = d->kv_self;
	enum status st = s->kv->kvtop(d, r, kva, pa, run);

	/* no region of translations: the reader asks again once it looked at many others */
	if (!st && run)
		*run = min_u64(*run, 4096 - (kva & 4095));
	if ((kva & ~UINT64_C(4095)) != s->lost)
		return st;
	if (!s->left)
		return ST_NODATA;
	s->left--;
	return st;
}

/* What is read the first time may be lost the second time. */
static void test_shrinking(uint64_t at, uint64_t lost)
{
	static const struct kv_ops kv = { .kvtop = shrinking_kvtop };
	struct fake *f = machine(8, false);
	struct shrinking s = { .kv = f->dump.kv };

	/* as an array of sections it has 512 MiB */
	f->dump.vmcoreinfo = "NUMBER(SECTION_SIZE_BITS)=27\nNUMBER(MAX_PHYSMEM_BITS)=52\n";
	sparse(f);
	put_sections(f, SECTIONS);
	fake_put_uint(f, ROOTS, fake_kva(f, SECTIONS), 8);
	fake_symbol(f, Y_MEM_SECTION, fake_kva(f, at));
	s.lost = fake_kva(f, lost);
	f->dump.kv = &kv;
	f->dump.kv_self = &s;
	for (unsigned n = 0; n < 8; n++) {
		enum status st;

		fake_put_uint(f, VAR, fake_kva(f, ROOTS), 8);	/* nothing is kept of the last time */
		s.left = n;
		st = init(f);
		CHECK(st ? !f->kernel.memmap.n : f->kernel.memmap.n > 0);
		CHECK(!f->kernel.memmap.sections.kva == !!st);
	}
	fake_free(f);
}

int main(void)
{
	test_vmemmap_alone();
	test_vmemmap_part();
	test_shrinking(VAR, VAR);
	test_shrinking(VAR, ROOTS);
	test_shrinking(VAR, SECTIONS);
	test_shrinking(ROOTS, ROOTS);
	test_shrinking(ROOTS, SECTIONS);
	test_lost_map();
	for (unsigned word = 4; word <= 8; word += 4)
		for (int big = 0; big < 2; big++) {
			test_sparse(word, big);
			test_flat(word, big);
		}
	test_zero_pages_left_out();
	test_one_node();
	test_nodes();
	test_hostile();
	test_damaged(4);
	test_damaged(8);
	test_ends();
	test_devices();
	return check_done();
}
