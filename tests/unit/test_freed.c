/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What kills free, on three processes made by hand. Pages: 1 of the first alone; 2 and 3 of the
 * first and second; 4 of all three; 5 of the first, locked; 6 a page of a file; 7 of the first,
 * in a shared mapping of a device; 8 twice in the first. The first and second share a memfd of
 * 10 pages without a name; the first alone has one of 20 pages with a name. The first and second map
 * a deleted file of which 40 pages are cached; the first alone one with a name and 50 pages, one whose
 * inode is not readable, and 60 pages of secret memory.
 */
#include "model/cause/freed/freed.h"
#include "model/cause/freed/freed_objects.h"
#include "model/cause/freed/freed_percpu.h"
#include "model/kernel/source.h"
#include "model/memory/census/cached.h"
#include "model/memory/owners/owners.h"
#include "model/memory/usage/account.h"
#include "model/shared.h"
#include "tests/unit/check.h"
#include "tests/unit/hand_snapshot.h"

enum { PLAIN, SHARED_1, LOCKED_VMA, FILE_VMA, DEVICE_VMA, MEMFD_0, NAMED, GONE_0, STAYS, LOST, SECRET, SECOND, MEMFD_1,
       GONE_1, THIRD, VMAS };

static const struct { uint32_t mm; uint64_t flags, ops; uint32_t file; uint64_t pfn[4]; } plan[VMAS] = {
	[PLAIN] = { 0, VMA_READ, 0, NONE, { 1, 8, 8 } },
	[SHARED_1] = { 0, VMA_READ, 0, NONE, { 2, 3, 4 } },
	[LOCKED_VMA] = { 0, VMA_READ | VMA_LOCKED, 0, NONE, { 5 } },
	[FILE_VMA] = { 0, VMA_READ, 1, NONE, { 6 } },
	[DEVICE_VMA] = { 0, VMA_READ | VMA_SHARED, 1, NONE, { 7 } },
	[MEMFD_0] = { 0, VMA_READ | VMA_SHARED, 1, 0, { 0 } },
	[NAMED] = { 0, VMA_READ | VMA_SHARED, 1, 1, { 0 } },
	[GONE_0] = { 0, VMA_READ | VMA_SHARED, 1, 2, { 0 } },
	[STAYS] = { 0, VMA_READ | VMA_SHARED, 1, 3, { 0 } },
	[LOST] = { 0, VMA_READ | VMA_SHARED, 1, 4, { 0 } },
	[SECRET] = { 0, VMA_READ | VMA_SHARED, 1, 5, { 0 } },
	[SECOND] = { 1, VMA_READ, 0, NONE, { 2, 3, 4 } },
	[MEMFD_1] = { 1, VMA_READ | VMA_SHARED, 1, 0, { 0 } },
	[GONE_1] = { 1, VMA_READ | VMA_SHARED, 1, 2, { 0 } },
	[THIRD] = { 2, VMA_READ, 0, NONE, { 4 } },
};
static const uint32_t mapcount[9] = { 0, 1, 2, 2, 3, 1, 1, 1, 2 };

static void walk(const struct snapshot *s, struct reader *r, const struct vma *v,
		 bool (*fn)(void *arg, const struct vma_page *p), void *arg)
{
	const uint64_t *pfn = plan[v - s->vmas].pfn;

	(void)r;
	for (unsigned i = 0; i < 4 && pfn[i]; i++) {
		struct vma_page p = { .va = v->start + 4096 * i, .pfn = pfn[i], .shift = 12,
				      .pte = { .kind = PTE_PAGE } };

		if (!fn(arg, &p))
			return;
	}
}

struct machine_of_three {
	struct hand h;
	struct source source;
	struct proc procs[3];
	struct mm mms[3];
	struct vma vmas[VMAS];
	struct file files[6];
	struct frame_chunk chunk, *chunks[1];
	struct frame kinds[9];
	struct arena mem;
};

static void make(struct machine_of_three *m, int major, int minor)
{
	memset(m, 0, sizeof(*m));
	hand_snapshot(&m->h, major, minor);
	m->source = source_by_hand;
	m->source.walk = walk;
	m->h.k.source = &m->source;
	for (uint32_t i = 0; i < 3; i++) {
		m->procs[i] = (struct proc){ .leader = 1, .first_task = 1, .ntasks = 2, .mm = i,
					     .pid = (int32_t)i + 10, .cgroup = NONE };
		m->mms[i] = (struct mm){ .owner = i, .nprocs = 1, .users = 1, .exe = NONE,
					 .pgtables_bytes = 8192 };
	}
	for (uint32_t i = 0; i < VMAS; i++) {
		struct vma *v = &m->vmas[i];
		struct mm *mm = &m->mms[plan[i].mm];

		*v = (struct vma){ .start = 0x10000 * (i + 1), .end = 0x10000 * (i + 2),
				   .flags = plan[i].flags, .mm = plan[i].mm, .file = plan[i].file,
				   .ops = plan[i].ops, .name = "", .usage = { .rss_anon = 4096 } };
		mm->first_vma = mm->nvmas ? mm->first_vma : i;
		mm->nvmas++;
	}
	m->vmas[SECOND].usage.swap_uss = 8192;
	m->vmas[THIRD].usage.private_hugetlb = 2 << 20;
	m->files[0] = (struct file){ .inode = 0x1000, .path = "/memfd:x (deleted)", .deleted = true,
				     .kind = FILE_SHMEM, .cached = 10, .status_known = true };
	m->files[1] = (struct file){ .inode = 0x2000, .path = "/tmp/x", .kind = FILE_SHMEM,
				     .cached = 20, .status_known = true };
	for (uint32_t i = 2; i < 6; i++)
		m->files[i] = (struct file){ .inode = 0x1000 * (i + 1), .path = "/data/x",
					     .kind = FILE_REGULAR, .status_known = true };
	for (uint32_t i = 0; i < 9; i++) {
		m->kinds[i] = (struct frame){ mapcount[i], FR_EXISTS | (i == 6 ? 0 : FR_ANON) };
		m->chunk.kind[i] = (uint16_t)i;
	}
	m->chunks[0] = &m->chunk;
	m->h.s.frames = (struct frames){ .chunk = m->chunks, .kind = m->kinds, .nchunks = 1,
					 .max_pfn = 9, .existing = 9 };
	m->h.s.procs = m->procs;
	m->h.s.mms = m->mms;
	m->h.s.vmas = m->vmas;
	m->h.s.files = m->files;
	m->h.s.nprocs = m->h.s.nmms = 3;
	m->h.s.nvmas = VMAS;
	m->h.s.nfiles = 6;
}

static struct freed kill(struct machine_of_three *m, const uint32_t *procs, uint32_t n)
{
	static uint32_t holders[] = { 0, 1, 2, 0 };
	static struct owner owner[] = {
		{ .kind = OWNER_PIPE, .size = 3 << 12, .first_holder = 0, .nholders = 1 },
		{ .kind = OWNER_PIPE, .size = 5 << 12, .first_holder = 1, .nholders = 2 },
		{ .kind = OWNER_PIPE, .size = 7 << 12, .first_holder = 3, .nholders = 1, .kernel = true },
	};
	static const struct owners owners = { owner, 3, holders };
	static const struct freed_range range = { 3, 6 };
	static const struct cache_owner plain = { .kind = CACHE_FILE, .count.pages = 40 },
					named = { .kind = CACHE_FILE, .count.pages = 50 },
					secret = { .kind = CACHE_SECRETMEM, .count.pages = 60 };
	static struct cached_file file[] = { { .owner = &plain, .inode = 0x3000, .unlinked = true },
					     { .owner = &named, .inode = 0x4000 },
					     { .owner = &plain, .inode = 0x5000, .unlinked = true, .lost = true },
					     { .owner = &secret, .inode = 0x6000 } };
	static const struct cached cached = { file, 4, NULL };
	struct freer *f = freer_new(&m->h.s, &owners, &cached, &range, 1, &m->mem);
	struct freed ret;

	freed_by(f, procs, n, &ret);
	freer_free(f);
	shared_free(&m->h.s);
	CHECK_EQ(ret.exit, ret.anon + ret.tables + ret.stacks + ret.objects + ret.shmem +
				   ret.cache + ret.descriptors);
	return ret;
}

/*
 * Chunks of 2 MiB with 2 MiB of maps. A run of 12.5 MiB has 5 whole ones, of which the kernel keeps
 * one; one of 4.5 MiB has 1. Before 5.14 nothing else comes back.
 */
static void test_percpu(void)
{
	struct percpu_costs c = { .chunk = 2 << 20, .maps = 2 << 20 };

	CHECK_EQ(percpu_freed(&c, 25 << 19), (25 << 19) + (8 << 20));
	CHECK_EQ(percpu_freed(&c, 9 << 19), 9 << 19);
	CHECK_EQ(percpu_freed(&c, 4096), 4096);
	c.kept = true;
	CHECK_EQ(percpu_freed(&c, 25 << 19), 16 << 20);
	CHECK_EQ(percpu_freed(&c, 9 << 19), 0);
	c.chunk = 0;	/* not known */
	CHECK_EQ(percpu_freed(&c, 4096), 4096);
}

/* A cache of which 56 more objects would be kept, one that keeps none, one of which that is not known. */
static void test_kept(void)
{
	struct object_group g = { .v = { { 10922, 56, false }, { 128, 0, false } }, .n = 2 };
	bool incomplete = false;

	CHECK_EQ(group_freed(&g, 1280, &incomplete), (1280 - 56) * 10922 + 1280 * 128);
	CHECK_EQ(group_freed(&g, 56, &incomplete), 56 * 128);
	CHECK_EQ(group_freed(&g, 1, &incomplete), 128);
	CHECK_EQ(incomplete, false);
	g.v[1].unknown = true;
	CHECK_EQ(group_freed(&g, 0, &incomplete), 0);
	CHECK_EQ(incomplete, false);
	CHECK_EQ(group_freed(&g, 1, &incomplete), 128);
	CHECK_EQ(incomplete, true);
}

int main(void)
{
	static const uint32_t first[] = { 0 }, two[] = { 0, 1 }, all[] = { 0, 1, 2 }, third[] = { 2 };
	static struct machine_of_three m;
	struct freed f;

	test_percpu();
	test_kept();
	make(&m, 6, 1);
	f = kill(&m, first, 1);
	CHECK_EQ(f.anon >> 12, 4);	/* 1, 5, 7, 8 */
	CHECK_EQ(f.reaped >> 12, 3);	/* 7 is in a shared mapping */
	CHECK_EQ(f.usable >> 12, 1);	/* 5 */
	CHECK_EQ(f.tables >> 12, 3);	/* 8 KiB and the root */
	CHECK_EQ(f.shmem, 0);
	CHECK_EQ(f.never >> 12, 20);
	CHECK_EQ(f.cache >> 12, 60);	/* the second maps the deleted file, too */
	CHECK_EQ(f.descriptors >> 12, 3);
	CHECK_EQ(f.swap, 0);
	f = kill(&m, two, 2);
	CHECK_EQ(f.anon >> 12, 6);	/* 2, 3 as well */
	CHECK_EQ(f.reaped >> 12, 5);
	CHECK_EQ(f.usable >> 12, 2);
	CHECK_EQ(f.shmem >> 12, 10);
	CHECK_EQ(f.cache >> 12, 100);
	CHECK_EQ(f.descriptors >> 12, 3);
	CHECK_EQ(f.swap, 8192);
	f = kill(&m, all, 3);
	CHECK_EQ(f.anon >> 12, 7);
	CHECK_EQ(f.descriptors >> 12, 8);
	CHECK_EQ(f.never >> 12, 20 + 512);
	f = kill(&m, third, 1);
	CHECK_EQ(f.anon, 0);

	/* who shares the mm dies as well */
	m.procs[2].mm = 0;
	f = kill(&m, third, 1);
	CHECK_EQ(f.anon >> 12, 4);
	/* its own descriptors, and one that it shares with the second, who lives */
	CHECK_EQ(f.descriptors >> 12, 3);
	arena_release(&m.mem);

	make(&m, 5, 10);
	f = kill(&m, first, 1);
	CHECK_EQ(f.reaped >> 12, 2);	/* without what is locked */
	CHECK_EQ(f.anon >> 12, 4);
	arena_release(&m.mem);
	make(&m, 4, 4);
	f = kill(&m, first, 1);
	CHECK_EQ(f.reaped, 0);
	arena_release(&m.mem);
	return check_done();
}
