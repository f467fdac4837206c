/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries that tell what their frames are, and those that do not, on x86-64 tables laid out by hand. */
#include "model/memory/usage/told.h"

#include <elf.h>

#include "facts/layout/page.h"
#include "model/memory/trust/verify.h"
#include "model/memory/usage/account.h"
#include "tests/unit/check.h"
#include "tests/unit/rig.h"

#define MAP 0x400000ull		/* physical address of the page array */
#define CHUNKS 3u
#define UFFD_WP (1ull << 10)
#define DEVMAP (1ull << 58)
#define UNREAD 999ull		/* of a chunk: its struct page is not there */

/* struct page { flags 0; lru 8; mapping 24; private 40; mapcount 48; refcount 52 } */
enum { MAPPING = 24, MAPCOUNT = 48, REFS = 52, SIZE = 64 };

/* Frame I of the chunk that is the sample (N 0), or of one of the others. */
static uint64_t pfn_of(unsigned n, uint64_t i)
{
	return (frame_hash(0) + n) % CHUNKS << FRAME_CHUNK_SHIFT | i;
}

/* One mm with one vma of 16 pages; no struct page is there. */
static struct rig *start(void)
{
	struct rig *g = rig_new();

	g->range = (struct memmap_range){ .end = CHUNKS << FRAME_CHUNK_SHIFT,
					  .page_kva = fake_kva(g->f, MAP) };
	g->f->kernel.memmap.max_pfn = g->range.end;
	g->f->arch.elf_machine = EM_X86_64;
	fake_size(g->f, S_PAGE, SIZE);
	fake_members(g->f, { M_PAGE_FLAGS, 0, 8 }, { M_PAGE_LRU, 8, 16 },
		     { M_PAGE_MAPPING, MAPPING, 8 }, { M_PAGE_PRIVATE, 40, 8 },
		     { M_PAGE_REFCOUNT, REFS, 4 });
	g->s.sizes_only = g->s.forks_known = true;
	g->s.built = NEED_USAGE;
	g->s.nfiles = 1;
	add_mm(g);
	add_vma(g, VA, 16 * PAGE, VMA_READ | VMA_WRITE);
	return g;
}

/* The struct page of PFN, and unused ones around it. */
static void page(struct rig *g, uint64_t pfn, uint64_t mapping, uint32_t mapcount)
{
	for (uint64_t i = pfn & ~63ull; i <= (pfn | 63); i++)
		fake_put_uint(g->f, MAP + i * SIZE + MAPCOUNT, UINT32_MAX, 4);
	fake_put_uint(g->f, MAP + pfn * SIZE + MAPPING, mapping, 8);
	fake_put_uint(g->f, MAP + pfn * SIZE + MAPCOUNT, mapcount - 1, 4);
	fake_put_uint(g->f, MAP + pfn * SIZE + REFS, mapcount + 1, 4);
}

static void anon(struct rig *g, uint64_t pfn, uint32_t mapcount)
{
	page(g, pfn, fake_kva(g->f, 0x9000) | 1, mapcount);
}

/* With room for LIMIT bytes of frames; 0: for all. */
static const struct usage *run(struct rig *g, uint64_t limit)
{
	frames_free(&g->s.frames);
	frames_open(&g->s);
	if (limit)
		g->s.frames.store->limit = limit;
	g->s.told_pages = 0;
	account_build(&g->s);
	frames_tell(&g->s);
	return &g->vmas[0].usage;
}

/* Their struct pages are not in the dump, and nothing is missing. */
TEST(told)
{
	struct rig *g = start();
	const struct usage *u;

	for (unsigned i = 0; i < 3; i++)
		map(g, VA + i * PAGE, 0, pfn_of(1, 70 * i) << 12 | P | RW | (i ? D | A : 0));
	u = run(g, 0);
	CHECK_EQ(g->s.told_pages, 3);
	CHECK_EQ(u->rss, 3 * PAGE);
	CHECK_EQ(u->pss, 3 * FULL);
	CHECK_EQ(u->pss_anon, 3 * FULL);
	CHECK_EQ(u->rss_anon, 3 * PAGE);
	CHECK_EQ(u->anonymous, 3 * PAGE);
	CHECK_EQ(usage_uss(u), 3 * PAGE);
	CHECK_EQ(u->ksm + u->rss_file + u->rss_shmem + u->unknown + u->special, 0);
	CHECK_EQ(fake_issues(g->f, "struct page"), 0);
	/* a private mapping of a regular file has copies */
	g->files[0].kind = FILE_REGULAR;
	g->vmas[0].file = 0;
	CHECK_EQ(run(g, 0)->rss_anon, 3 * PAGE);
	CHECK_EQ(g->s.told_pages, 3);
	rig_free(g);
}

/* A writable entry in a vma of FLAGS, if these tell nothing. */
static void check_vma(uint64_t flags, uint32_t file, enum file_kind kind, uint64_t ops)
{
	struct rig *g = start();

	g->vmas[0].flags = flags;
	g->vmas[0].file = file;
	g->vmas[0].ops = ops;
	g->files[0].kind = kind;
	map(g, VA, 0, pfn_of(1, 5) << 12 | P | RW);
	CHECK_EQ(run(g, 0)->rss, 0);
	CHECK_EQ(g->s.told_pages, 0);
	rig_free(g);
}

TEST(vmas)
{
	static const uint64_t no[] = { VMA_SHARED, VMA_MAYSHARE, VMA_PFNMAP, VMA_MIXEDMAP, VMA_IO,
				       VMA_HUGETLB, 0x200, 0x1000 };
	static const enum file_kind kinds[] = { FILE_SHMEM, FILE_HUGETLB, FILE_DEVICE, FILE_OTHER };
	const uint64_t rw = VMA_READ | VMA_WRITE;

	for (unsigned i = 0; i < ARRAY_LEN(no); i++)
		check_vma(rw | no[i], NONE, FILE_OTHER, 0);
	check_vma(VMA_READ, NONE, FILE_OTHER, 0);
	for (unsigned i = 0; i < ARRAY_LEN(kinds); i++)
		check_vma(rw, 0, kinds[i], 0);
	/* of a driver, or a special mapping */
	check_vma(rw, NONE, FILE_OTHER, FAKE_BASE);
}

TEST(entries)
{
	static const uint64_t no[] = { P, P | RW | SPECIAL, P | RW | UFFD_WP, P | RW | DEVMAP };
	struct rig *g;

	for (unsigned i = 0; i < ARRAY_LEN(no); i++) {
		g = start();
		g->f->kernel.env.max_pa = 1ull << 40;
		map(g, VA, 0, pfn_of(1, 5) << 12 | no[i]);
		run(g, 0);
		CHECK_EQ(g->s.told_pages, 0);
		rig_free(g);
	}
}

static void old(struct rig *g) { g->f->kernel.rules.on[RULE_WRITABLE_ONCE] = false; }
static void no_special(struct rig *g) { g->f->kernel.rules.on[RULE_PTE_SPECIAL] = false; }
static void other_cpu(struct rig *g) { g->f->arch.elf_machine = EM_AARCH64; }
static void no_mapcount(struct rig *g) { g->f->kernel.layout.v[M_PAGE_MAPCOUNT].alt = -1; }
static void forks(struct rig *g) { g->s.forks_known = false; }
static void flags(struct rig *g) { g->s.sizes_only = false; }
static void all_frames(struct rig *g) { g->s.built |= NEED_FOUND; }
static void references(struct rig *g) { g->s.built |= NEED_SIZES; }

static void one(struct rig *g)
{
	static const bool asked = true;

	g->s.asked = &asked;
}

/* Where the rule is not proven or not asked for, struct pages are read. */
TEST(off)
{
	static void (*const off[])(struct rig *g) = { old,   no_special, other_cpu,  no_mapcount, forks,
						      flags, all_frames, references, one };
	struct rig *g;

	for (unsigned i = 0; i < ARRAY_LEN(off); i++) {
		g = start();
		map(g, VA, 0, pfn_of(1, 5) << 12 | P | RW);
		off[i](g);
		CHECK_EQ(run(g, 0)->unknown, PAGE);
		CHECK_EQ(g->s.told_pages, 0);
		CHECK(fake_issues(g->f, "struct page") != 0);
		rig_free(g);
	}
}

/* With room for one chunk there are as many rounds as chunks: what is told is counted in the first. */
TEST(rounds)
{
	struct rig *g = start();
	const struct usage *u;

	for (unsigned n = 0; n < CHUNKS; n++) {
		anon(g, pfn_of(n, 5), 2);
		map(g, VA + 4 * n * PAGE, 0, pfn_of(n, 5) << 12 | P);
		map(g, VA + (4 * n + 1) * PAGE, 0, pfn_of(n, UNREAD) << 12 | P | RW);
		map(g, VA + (4 * n + 2) * PAGE, 0, pfn_of(n, UNREAD + 64) << 12 | P | RW);
	}
	for (unsigned i = 0; i < 2; i++) {
		u = run(g, i ? FRAMES_CHUNK_BYTES : 0);
		CHECK_EQ(u->rss, 3 * CHUNKS * PAGE);
		CHECK_EQ(u->pss, 2 * CHUNKS * FULL + CHUNKS * FULL / 2);
		CHECK_EQ(u->unknown, 0);
		CHECK_EQ(g->s.told_pages, 2 * CHUNKS);
	}
	rig_free(g);
}

/* Frames that the walk did not find as often as the kernel says. */
static uint64_t differ(struct rig *g)
{
	run(g, 0);
	g->s.verify = arena_array(&g->s.mem, struct verify, 1);
	verify_all_frames(&g->s);
	return g->s.verify->differ;
}

/* The sample is compared; frames of it that are not in the dump are passed over, without another walk. */
TEST(sample)
{
	struct rig *g = start();
	uint64_t chunk = pfn_of(0, 0) >> FRAME_CHUNK_SHIFT;

	for (unsigned n = 0; n < 2; n++) {
		anon(g, pfn_of(n, 5), 1);
		map(g, VA + 4 * n * PAGE, 0, pfn_of(n, 5) << 12 | P | RW);
		map(g, VA + (4 * n + 1) * PAGE, 0, pfn_of(n, UNREAD) << 12 | P | RW);
	}
	CHECK_EQ(differ(g), 0);
	CHECK_EQ(g->vmas[0].usage.rss, 4 * PAGE);
	CHECK_EQ(g->s.told_pages, 3);
	CHECK(g->s.frames.store->seen[chunk] && !g->s.frames.store->found[chunk]);
	/* what is told is not compared */
	anon(g, pfn_of(1, 5), 2);
	CHECK_EQ(differ(g), 0);
	CHECK_EQ(g->vmas[0].usage.pss, 4 * FULL);
	anon(g, pfn_of(0, 5), 2);
	CHECK_EQ(differ(g), 1);
	/* an entry that does not tell is unknown without its struct page, in the sample too */
	map(g, VA + PAGE, 0, pfn_of(0, UNREAD) << 12 | P);
	CHECK_EQ(run(g, 0)->unknown, PAGE);
	rig_free(g);
}
