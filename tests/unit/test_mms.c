/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mms of more tasks than are read together, some of them not in the dump, and their vmas. */
#include "facts/layout/mm.h"
#include "model/build.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum {
	PAGE = 4096,
	MMS = 600, SHARERS = 50, TASKS = MMS + SHARERS,
	FIRST = 16,				/* page of the first mm; each has one */
	USERS = 0, PGD = 8, MMAP = 16, COUNT = 24, MM_SIZE = 32,
	VMAS = 0x100, START = 0, END = 8, NEXT = 16, OF_MM = 24, FLAGS = 32, VMA_SIZE = 64,
};

struct rig {
	struct fake *f;
	struct snapshot s;
	struct build b;
	struct task tasks[TASKS];
	uint64_t task_mm[TASKS];
	int32_t rss[TASKS][RSS_COUNTERS];
};

static bool is_lost(unsigned n)
{
	return n % 7 == 3;
}

static unsigned vmas_of(unsigned n)
{
	return n % 3;
}

static uint64_t pa_of(unsigned n)
{
	return (uint64_t)(FIRST + n) * PAGE;
}

static uint64_t user_end(const struct dump *d)
{
	(void)d;
	return UINT64_C(1) << 47;
}

/* Mm N, with its vmas: the Mth begins at page N + 2 M. */
static void put_mm(struct rig *r, unsigned n)
{
	uint64_t page[PAGE / 8] = { 0 }, kva = fake_kva(r->f, pa_of(n));

	page[USERS / 8] = 1;
	page[PGD / 8] = kva;
	page[COUNT / 8] = vmas_of(n);
	page[MMAP / 8] = vmas_of(n) ? kva + VMAS : 0;
	for (unsigned m = 0; m < vmas_of(n); m++) {
		uint64_t *v = page + (VMAS + m * VMA_SIZE) / 8;

		v[START / 8] = (uint64_t)(n + 1 + 2 * m) * PAGE;
		v[END / 8] = v[START / 8] + PAGE;
		v[NEXT / 8] = m + 1 < vmas_of(n) ? kva + VMAS + (m + 1) * VMA_SIZE : 0;
		v[OF_MM / 8] = kva;
		v[FLAGS / 8] = VMA_READ;
	}
	fake_put(r->f, pa_of(n), page, sizeof(page));
}

static void start(struct rig *r, unsigned jobs)
{
	memset(r, 0, sizeof(*r));
	r->f = fake_new(8, false);
	r->f->arch.user_end = user_end;
	r->f->kernel.jobs = jobs;
	fake_size(r->f, S_MM, MM_SIZE);
	fake_members(r->f, { M_MM_USERS, USERS, 4 }, { M_MM_PGD, PGD, 8 }, { M_MM_MMAP, MMAP, 8 },
		     { M_MM_MAP_COUNT, COUNT, 4 });
	fake_size(r->f, S_VMA, VMA_SIZE);
	fake_members(r->f, { M_VMA_START, START, 8 }, { M_VMA_END, END, 8 },
		     { M_VMA_NEXT, NEXT, 8 }, { M_VMA_MM, OF_MM, 8 }, { M_VMA_FLAGS, FLAGS, 8 });
	for (unsigned n = 0; n < MMS; n++)
		if (!is_lost(n))
			put_mm(r, n);
	for (unsigned i = 0; i < TASKS; i++) {
		r->tasks[i] = (struct task){ .pid = (int32_t)i, .mm = NONE };
		r->task_mm[i] = fake_kva(r->f, pa_of(i < MMS ? i : (i - MMS) * 11));
	}
	r->s = (struct snapshot){ .k = &r->f->kernel, .tasks = r->tasks, .ntasks = TASKS };
	r->b = (struct build){ .s = &r->s,
			       .k = &r->f->kernel,
			       .r = reader_new(&r->f->dump),
			       .task_mm = r->task_mm,
			       .task_rss = r->rss };
}

static void end(struct rig *r)
{
	reader_free(r->b.r);
	arena_release(&r->b.scratch);
	arena_release(&r->s.mem);
	fake_free(r->f);
}

static void check_vmas(const struct rig *r, uint32_t mi, unsigned n)
{
	const struct mm *m = &r->s.mms[mi];
	unsigned wrong = 0;

	CHECK_EQ(m->nvmas, vmas_of(n));
	for (uint32_t i = 0; i < m->nvmas; i++) {
		const struct vma *v = &r->b.vmas.v[m->first_vma + i];

		wrong += v->mm != mi || v->start != (uint64_t)(n + 1 + 2 * i) * PAGE;
	}
	CHECK_EQ(wrong, 0);
}

/* In the order of the tasks, whatever thread read them; each task has its own, or none. */
static void test_order(unsigned jobs)
{
	uint32_t next = 0, vmas = 0;
	struct rig r;

	start(&r, jobs);
	build_mms(&r.b, true);
	for (unsigned n = 0; n < MMS; n++) {
		if (is_lost(n)) {
			CHECK_EQ(r.tasks[n].mm, NONE);
			continue;
		}
		CHECK_EQ(r.tasks[n].mm, next);
		CHECK_EQ(r.s.mms[next].addr, r.task_mm[n]);
		CHECK_EQ(r.s.mms[next].first_vma, vmas);
		check_vmas(&r, next++, n);
		vmas += vmas_of(n);
	}
	CHECK_EQ(r.s.nmms, next);
	CHECK_EQ(r.b.vmas.n, vmas);
	CHECK(r.b.vmas_read);
	for (unsigned i = MMS; i < TASKS; i++)
		CHECK_EQ(r.tasks[i].mm, r.tasks[(i - MMS) * 11].mm);
	CHECK_EQ(fake_issues(r.f, "mm"), MMS - next);	/* each is told once */
	end(&r);
}

static void test_without_vmas(void)
{
	struct rig r;

	start(&r, 1);
	build_mms(&r.b, false);
	CHECK(r.s.nmms && !r.b.vmas_read && !r.b.vmas.n);
	end(&r);
}

int main(void)
{
	test_order(1);
	test_order(4);
	test_without_vmas();
	return check_done();
}
