/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams of vmcensus.ko, with sums made by hand; and streams not written by a
 * module. The output of a real module is compared with its kernel in tests/vmtest.
 */
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "model/memory/frames/frames.h"
#include "model/memory/source/module.h"
#include "model/memory/usage/account.h"
#include "tests/unit/check.h"
#include "tests/unit/mkmodule.h"

#define ALL (NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE)
#define ANON (1u << 12 | 1u << 14)	/* KPF_ANON, KPF_SWAPBACKED */
#define PAGE UINT64_C(4096)

struct opened {
	struct kernel *k;
	struct snapshot *s;
};

static struct opened open_bytes(const uint8_t *data, size_t len)
{
	struct opened o = { 0 };

	CHECK(!capture_of_bytes(data, len, &o.k));
	if (o.k)
		o.s = snapshot_build(o.k, ALL, NULL);
	return o;
}

static struct opened open_stream(const struct stream *s)
{
	return open_bytes(s->data, s->len);
}

static void shut(struct opened *o)
{
	snapshot_free(o->s);
	kernel_close(o->k);
}

static uint64_t issues(const struct opened *o, enum status kind)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < o->k->issues->n; i++)
		n += o->k->issues->v[i].kind == kind ? o->k->issues->v[i].count : 0;
	return n;
}

/*
 * Two processes with one vma of ten pages each: page 0 is shared by both and dirty,
 * page 1 private, page 2 the zero page; 3 and 4 are in swap, 3 is shared.
 */
static void two_processes(struct stream *s, bool big)
{
	struct vmc_run r[] = {
		{ .va = 0x500000, .where = 100, .kpf = ANON | 1u << 4, .pages = 1, .mapcount = 2,
		  .pte = VMC_PRESENT, .refcount = 2 },
		{ .va = 0x501000, .where = 200, .kpf = ANON, .pages = 1, .mapcount = 1,
		  .pte = VMC_PRESENT | VMC_WRITE | VMC_YOUNG, .refcount = 1 },
		{ .va = 0x502000, .where = 7, .pages = 1, .pte = VMC_PRESENT | VMC_SPECIAL },
		{ .va = 0x503000, .where = 9, .pages = 2, .pte = VMC_SWAP },
	};

	stream_begin(s, big);
	stream_task(s, 2, 2, "kthreadd", 0);
	stream_task(s, 10, 10, "one", 0xffff888000001000);
	stream_mm(s, 0xffff888000001000, "/bin/one");
	stream_vma(s, 0x500000, 0x50a000, 0, "");
	stream_runs(s, r, 4);
	stream_vma(s, 0x600000, 0x700000, 0, "");
	stream_task(s, 11, 10, "thread", 0xffff888000001000);
	stream_task(s, 12, 12, "two", 0xffff888000002000);
	stream_mm(s, 0xffff888000002000, "/bin/one");
	stream_vma(s, 0x500000, 0x50a000, 0xffff888000005000, "/lib/x, y");
	r[1].where = 201;
	r[3].pages = 1;
	stream_runs(s, r, 2);
	stream_runs(s, r + 2, 2);
	stream_end(s);
}

static bool count(void *arg, const struct vma_page *p)
{
	unsigned *n = arg;

	n[p->pte.kind]++;
	CHECK(p->pte.kind == PTE_SWAP || p->pte.flags & PTE_SPECIAL || p->frame);
	return true;
}

static void check_procs(const struct snapshot *s)
{
	unsigned kinds[5] = { 0 };

	CHECK_EQ(s->nprocs, 3);
	CHECK_EQ(s->ntasks, 4);
	CHECK(s->procs[0].kthread == false && s->procs[0].mm == NONE);
	CHECK_EQ(s->procs[1].pid, 10);
	CHECK_EQ(s->procs[1].ntasks, 2);
	CHECK_EQ(s->procs[1].uid, 1000);
	CHECK_EQ((uint64_t)s->procs[1].oom_score_adj, (uint64_t)-17);
	CHECK_EQ(s->tasks[s->procs[1].leader].min_flt, 3);
	CHECK_STR(s->tasks[s->procs[2].leader].comm, "two");
	CHECK_STR(s->files[s->mms[0].exe].path, "/bin/one");
	CHECK_EQ(s->mms[0].nvmas, 2);
	CHECK_STR(s->vmas[1].name, "[heap]");
	CHECK_STR(s->vmas[2].name, "/lib/x, y");
	CHECK_EQ(s->files[s->vmas[2].file].ino, 42);
	vma_walk(s, NULL, &s->vmas[0], count, kinds);
	CHECK_EQ(kinds[PTE_PAGE], 3);
	CHECK_EQ(kinds[PTE_SWAP], 2);
	CHECK_EQ(frame_found(&s->frames, 100), 2);
	CHECK_EQ(frame_found(&s->frames, 200), 1);
}

static void test_sums(bool big)
{
	struct stream st;
	struct opened o;
	const struct usage *u;

	two_processes(&st, big);
	o = open_stream(&st);
	CHECK_EQ(issues_total(o.k->issues), 0);
	check_procs(o.s);
	u = &o.s->vmas[0].usage;
	CHECK_EQ(u->rss, 2 * PAGE);
	CHECK_EQ(u->pss >> PSS_SHIFT, PAGE + PAGE / 2);
	CHECK_EQ(u->shared_dirty, PAGE);
	CHECK_EQ(u->private_clean, PAGE);
	CHECK_EQ(u->referenced, PAGE);
	CHECK_EQ(u->anonymous, 2 * PAGE);
	CHECK_EQ(u->special, PAGE);
	CHECK_EQ(u->swap, 2 * PAGE);
	CHECK_EQ(u->swap_pss >> PSS_SHIFT, PAGE + PAGE / 2);
	CHECK_EQ(o.s->vmas[2].usage.swap_pss >> PSS_SHIFT, PAGE / 2);
	CHECK_STR(o.k->release, "6.1.0-test");
	shut(&o);
}

/* Cut anywhere: the rest is shown, and an issue says that it was cut. */
static void test_cut(void)
{
	struct stream st;

	two_processes(&st, false);
	for (size_t len = 8; len < st.len; len++) {
		struct opened o = open_bytes(st.data, len);

		CHECK(issues(&o, ST_NODATA) == 1 || issues(&o, ST_UNSUPPORTED) == 1);
		shut(&o);
	}
}

/* Each byte set to all ones, and each of its bits flipped: only damage. */
static void test_flips(void)
{
	struct stream st;

	two_processes(&st, false);
	for (size_t i = 8; i < st.len; i++)
		for (unsigned bit = 0; bit <= 8; bit += 2) {
			uint8_t was = st.data[i];
			struct opened o;

			st.data[i] = bit < 8 ? was ^ (uint8_t)(1u << bit) : 0xff;
			o = open_stream(&st);
			CHECK(o.s && o.s->nvmas <= 3);
			shut(&o);
			st.data[i] = was;
		}
}

static void one_run(struct stream *st, const struct vmc_run *r)
{
	stream_begin(st, false);
	stream_task(st, 5, 5, "x", 0x1000);
	stream_mm(st, 0x1000, "");
	stream_vma(st, 0x400000, UINT64_C(0x10000400000), 0, "");
	stream_runs(st, r, 1);
	stream_end(st);
}

static void test_hostile_runs(void)
{
	static const struct vmc_run bad[] = {
		{ .va = 0x400000, .pages = 0, .pte = VMC_PRESENT },
		{ .va = 0x400001, .pages = 1, .pte = VMC_PRESENT },
		{ .va = 0x3ff000, .pages = 1, .pte = VMC_PRESENT },
		{ .va = 0x400000, .pages = UINT32_MAX, .pte = VMC_PRESENT },
		{ .va = 0x400000, .pages = 1u << 27, .pte = VMC_PRESENT },
		{ .va = 0x400000, .pages = 1, .pte = VMC_PRESENT, .where = UINT64_MAX },
		{ .va = 0x400000, .pages = 2, .pte = VMC_PRESENT, .where = (1ull << 34) - 1 },
		{ .va = 0x400000, .pages = 1, .pte = VMC_MIGRATION, .where = 1ull << 63 },
	};
	struct stream st;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct opened o;

		one_run(&st, &bad[i]);
		o = open_stream(&st);
		CHECK_EQ(issues(&o, ST_CORRUPT), 1);
		CHECK_EQ(o.s->vmas[0].usage.rss, 0);
		shut(&o);
	}
}

/* A few bytes must not cost gigabytes: frames far apart. */
static void test_far_frames(void)
{
	struct vmc_run r[200];
	struct stream st;
	struct opened o;
	uint64_t there = 0;

	for (unsigned i = 0; i < 200; i++)
		r[i] = (struct vmc_run){ .va = 0x400000 + i * PAGE, .pages = 1, .refcount = 1,
					 .where = (uint64_t)i << 26, .pte = VMC_PRESENT };
	one_run(&st, r);
	st.len -= sizeof(struct vmc_end);
	stream_runs(&st, r + 1, 199);
	stream_end(&st);
	o = open_stream(&st);
	for (uint64_t c = 0; c < o.s->frames.nchunks; c++)
		there += o.s->frames.chunk[c] != NULL;
	CHECK(there >= 64 && there < 80);
	CHECK_EQ(issues(&o, ST_LIMIT), 200 - there);
	shut(&o);
}

static void test_headers(void)
{
	struct stream st;
	struct opened o;

	two_processes(&st, false);
	st.data[12] = 9;		/* version */
	o = open_stream(&st);
	CHECK_EQ(issues(&o, ST_UNSUPPORTED), 1);
	CHECK_EQ(o.s->ntasks, 0);
	shut(&o);
	two_processes(&st, false);
	st.data[offsetof(struct vmc_header, page_shift)] = 63;
	o = open_stream(&st);
	CHECK_EQ(issues(&o, ST_UNSUPPORTED), 1);
	shut(&o);
}

/* Three tasks, each mm at the same address; the third is another mm: the first had ended. */
static void test_address_again(void)
{
	struct stream st;
	struct opened o;

	stream_begin(&st, false);
	stream_task(&st, 10, 10, "one", 0xffff888000001000);
	stream_mm(&st, 0xffff888000001000, "/bin/one");
	stream_vma(&st, 0x500000, 0x50a000, 0, "");
	stream_task(&st, 11, 11, "sharer", 0xffff888000001000);
	stream_mm(&st, 0xffff888000001000, "/bin/one");
	stream_vma(&st, 0x500000, 0x50a000, 0, "");
	stream_task(&st, 12, 12, "other", 0xffff888000001000);
	stream_mm_at(&st, 0xffff888000001000, "/bin/other", 0x7fe000);
	stream_vma(&st, 0x400000, 0x401000, 0, "");
	stream_vma(&st, 0x500000, 0x503000, 0, "");
	stream_task(&st, 13, 12, "thread", 0xffff888000001000);
	stream_end(&st);
	o = open_stream(&st);
	CHECK_EQ(issues_total(o.k->issues), 0);
	CHECK_EQ(o.s->nmms, 2);
	CHECK_EQ(o.s->nprocs, 3);
	CHECK(o.s->procs[0].mm == o.s->procs[1].mm && o.s->procs[0].mm != o.s->procs[2].mm);
	CHECK_EQ(o.s->mms[o.s->procs[0].mm].nvmas, 1);
	CHECK_EQ(o.s->mms[o.s->procs[2].mm].nvmas, 2);
	CHECK_STR(o.s->files[o.s->mms[o.s->procs[2].mm].exe].path, "/bin/other");
	shut(&o);
}

int main(void)
{
	test_sums(false);
	test_sums(true);
	test_cut();
	test_flips();
	test_hostile_runs();
	test_far_frames();
	test_headers();
	test_address_again();
	return check_done();
}
