/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captures: Figure 1 of the paper, with the paper's own numbers, and texts that were
 * not written by a collector.
 */
#include <stdlib.h>

#include "model/memory/frames/frames.h"
#include "model/memory/source/capture.h"
#include "model/memory/usage/account.h"
#include "tests/unit/check.h"
#include "tests/unit/figure1.h"

#define ALL (NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE)

struct opened {
	struct kernel *k;
	struct snapshot *s;
};

static struct opened open_bytes(const char *text, size_t len)
{
	struct opened o = { 0 };

	CHECK(!capture_of_bytes((const uint8_t *)text, len, &o.k));
	if (o.k)
		o.s = snapshot_build(o.k, ALL, NULL);
	return o;
}

static struct opened open_text(const char *text)
{
	return open_bytes(text, strlen(text));
}

static void shut(struct opened *o)
{
	snapshot_free(o->s);
	kernel_close(o->k);
}

/* Issues of OBJECT. */
static uint64_t issues(const struct opened *o, const char *object)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < o->k->issues->n; i++)
		if (!strcmp(o->k->issues->v[i].object, object))
			n += o->k->issues->v[i].count;
	return n;
}

#define LINES "line of the capture"

/* ---- Figure 1 --------------------------------------------------------------------- */

struct seen {
	uint64_t n, first_pfn, young, writable, dirty;
};

static bool see(void *arg, const struct vma_page *p)
{
	struct seen *x = arg;

	x->first_pfn = x->n++ ? x->first_pfn : p->pfn;
	x->young += p->pte.flags & PTE_YOUNG ? 1 : 0;
	x->writable += p->pte.flags & PTE_WRITE ? 1 : 0;
	x->dirty += p->pte.flags & PTE_DIRTY ? 1 : 0;
	CHECK(p->captured && p->frame && p->frame->mapcount == p->captured->count);
	return true;
}

static void check_tasks(const struct snapshot *s)
{
	static const int32_t pids[] = { 0, 1, 2, 3, 19 };
	static const char *const comms[] = { "swapper", "init", "keventd", "ksoftirq", "tiny_sys" };

	CHECK_EQ(s->ntasks, 5);
	CHECK_EQ(s->nprocs, 5);
	for (uint32_t i = 0; i < s->nprocs && i < 5; i++) {
		CHECK_EQ(s->procs[i].pid, pids[i]);
		CHECK_STR(s->tasks[s->procs[i].leader].comm, comms[i]);
		CHECK_EQ(s->procs[i].kthread, i != 1 && i != 4);
		CHECK_EQ(snapshot_proc_by_pid(s, pids[i]), i);
	}
	CHECK_EQ(s->nmms, 2);
	CHECK_EQ(s->mms[0].addr, 0xc018c0a0);
	CHECK_EQ(s->mms[0].nvmas, 4);
	CHECK_EQ(s->mms[1].addr, 0xc018c2a0);
	CHECK_EQ(s->mms[1].nvmas, 3);
}

/* The P: lines of the figure, in pages: single and shared; 412 + 85 not listed. */
static void check_usage(const struct snapshot *s)
{
	static const struct { uint64_t single, shared, unlisted; } want[] = {
		{ 0, 93, 85 }, { 0, 0, 0 }, { 8, 0, 0 }, { 4, 0, 0 },
		{ 0, 3, 0 }, { 0, 0, 0 }, { 2, 0, 0 },
	};

	CHECK_EQ(s->nvmas, 7);
	for (uint32_t i = 0; i < s->nvmas && i < 7; i++) {
		const struct usage *u = &s->vmas[i].usage;

		CHECK_EQ(usage_uss(u), want[i].single << 12);
		CHECK_EQ(u->shared_clean + u->shared_dirty, want[i].shared << 12);
		CHECK_EQ(u->rss, (want[i].single + want[i].shared) << 12);
		CHECK_EQ(u->unknown, want[i].unlisted << 12);
	}
	CHECK_EQ(s->vmas[0].usage.size, 0x11d000);
	/* eight pages with 22 references, 4096 * 4096 / 22 each in fixed point */
	CHECK_EQ(s->vmas[0].usage.pss, 8 * ((UINT64_C(4096) << PSS_SHIFT) / 22));
	CHECK_EQ(s->vmas[2].usage.pss, UINT64_C(8 * 4096) << PSS_SHIFT);
	/* the eight entries of libc's data: 092 is not ACCESSED, all are DIRTY */
	CHECK_EQ(s->vmas[2].usage.private_dirty, 8 * 4096);
	CHECK_EQ(s->vmas[2].usage.referenced, 7 * 4096);
	CHECK_EQ(s->vmas[2].usage.anonymous, 8 * 4096);
	CHECK_EQ(s->vmas[0].usage.anonymous, 0);
}

static void check_walk(const struct snapshot *s)
{
	struct seen x = { 0 };

	vma_walk(s, NULL, &s->vmas[3], see, &x);	/* 692 492 092 5D2 */
	CHECK_EQ(x.n, 4);
	CHECK_EQ(x.first_pfn, 0x2860);
	CHECK_EQ(x.young, 3);
	CHECK_EQ(x.writable, 1);
	CHECK_EQ(x.dirty, 4);
	CHECK_EQ(s->frames.existing, 25);
	CHECK_EQ(frame_at(&s->frames, 0x2876)->mapcount, 22);
	CHECK_EQ(frame_found(&s->frames, 0x2876), 1);
	CHECK(s->frames.references);
	CHECK_EQ(source_given_vma(s, &s->vmas[3])->prot, 0x412);
	CHECK_EQ(s->k->capture->pages.v[s->k->capture->vmas.v[3].first_page].flags, 0x220d4);
}

TEST(figure1)
{
	struct opened o = open_text(figure1);

	check_tasks(o.s);
	check_usage(o.s);
	check_walk(o.s);
	CHECK_STR(o.k->arch->name, "ppc");
	CHECK_EQ(o.k->page_shift, 12);
	CHECK_EQ(o.k->offers & NEED_LOG, 0);
	/* the only list that the authors cut: rss, shared, user, read-only */
	CHECK_EQ(issues_total(o.k->issues), 4);
	CHECK_EQ(issues(&o, "count of the capture"), 4);
	shut(&o);
}

/* The same text indented, with CR LF, all entries of a list on one line. */
TEST(spaces)
{
	size_t len = strlen(figure1), n = 0;
	char *text = malloc(4 * len);
	struct opened o;

	for (size_t i = 0; i < len; i++) {
		if (!i || figure1[i - 1] == '\n')
			n += (size_t)sprintf(text + n, "\t  ");
		if (figure1[i] == '\n' && !strncmp(figure1 + i + 1, "0F", 2))
			continue;
		if (figure1[i] == '\n')
			text[n++] = '\r';
		text[n++] = figure1[i];
	}
	o = open_bytes(text, n);
	check_tasks(o.s);
	check_usage(o.s);
	check_walk(o.s);
	CHECK_EQ(issues_total(o.k->issues), 4);
	shut(&o);
	free(text);
}

/* ---- variants of the format --------------------------------------------------------- */

TEST(threads)
{
	struct opened o = open_text(
		"T: a,b: c, 9, c0001000, 1, 0, 0, 0, 0, 0, 0\n"
		"V: 10000000, 10001FFF, 00002000, 00001000, 00000412, 00001875, /bin/a, b\n"
		"M: 10000000=00001012, 2, 0 |\n"
		"T: thread, 7, c0001000, 0, 0, 0, 0, 0, 0, 0\n"
		"V: 10000000, 10001FFF, 00002000, 00001000, 00000412, 00001875, /bin/a, b\n"
		"M: 10000000=00001012, 2, 0 |\n");

	CHECK_EQ(issues_total(o.k->issues), 0);
	CHECK_EQ(o.s->nprocs, 1);
	CHECK_EQ(o.s->procs[0].pid, 7);
	CHECK_EQ(o.s->procs[0].ntasks, 2);
	CHECK_STR(o.s->tasks[1].comm, "a,b: c");
	CHECK_EQ(o.s->tasks[1].tgid, 7);
	CHECK_EQ(o.s->nvmas, 1);
	CHECK_STR(o.s->vmas[0].name, "/bin/a, b");
	CHECK_EQ(o.s->mms[0].exe, 0);		/* VM_EXECUTABLE */
	CHECK_EQ(frame_found(&o.s->frames, 1), 1);
	shut(&o);
}

/* Without any M: line the counts are believed. */
TEST(counts_alone)
{
	struct opened o = open_text(
		"T: x, 5, c0001000, 0, 0, 0, 0, 0, 0, 0\n"
		"V: 10000000, 1000FFFF, 00010000, 00003000, 00000412, 00000077, NULL\n"
		"P: 3, 0, 0, 1, 2\n"
		"V: 20000000, 2000FFFF, 00010000, 00002000, 00000412, 00000077, NULL\n");

	CHECK_EQ(issues_total(o.k->issues), 0);
	CHECK_EQ(o.s->vmas[0].usage.rss, 0x3000);
	CHECK_EQ(usage_uss(&o.s->vmas[0].usage), 0x1000);
	CHECK_EQ(o.s->vmas[0].usage.shared_clean, 0x2000);
	CHECK_EQ(o.s->vmas[1].usage.rss, 0x2000);
	CHECK_EQ(o.s->vmas[1].usage.unknown, 0x2000);
	CHECK(!o.k->arch);
	shut(&o);
}

/* A 64-bit machine with pages of 64 KiB, and an x86-64 one. */
TEST(wide)
{
	struct opened o = open_text(
		"T: x, 5, c000000012345678, 0, 0, 0, 0, 0, 0, 0\n"
		"V: 100000000, 10002FFFF, 30000, 00020000, 00000412, 00000077, NULL\n"
		"P: 2, 0, 0, 2, 0\n"
		"M: 100000000=300005D2, 1, 0 | 100010000=300105D2, 1, 0 |\n");

	CHECK_EQ(issues_total(o.k->issues), 0);
	CHECK_EQ(o.k->page_shift, 16);
	CHECK_EQ(o.k->arch->word_size, 8);
	CHECK_EQ(o.s->vmas[0].usage.private_dirty, 0x20000);
	CHECK(frame_at(&o.s->frames, 0x3001) && frame_found(&o.s->frames, 0x3001) == 1);
	shut(&o);
	o = open_text("T: x, 5, ffff888012345678, 0, 0, 0, 0, 0, 0, 0\n"
		      "V: 7f0000000000, 7f0000001FFF, 2000, 2000, 25, 73, NULL\n"
		      "P: 2, 0, 1, 1, 1\n"
		      "M: 7f0000000000=8000000123456067, 1, 0 | "
		      "7f0000001000=0000000123457025, 3, 0|");
	CHECK_EQ(issues_total(o.k->issues), 0);
	CHECK_STR(o.k->arch->name, "x86_64");
	CHECK_EQ(o.s->vmas[0].usage.private_dirty, 0x1000);
	CHECK_EQ(o.s->vmas[0].usage.shared_clean, 0x1000);
	CHECK(frame_at(&o.s->frames, 0x123456));
	shut(&o);
}

/* ---- damage --------------------------------------------------------------------------- */

#define TASK "T: x, 5, c0001000, 0, 0, 0, 0, 0, 0, 0\n"
#define VMA "V: 10000000, 1000FFFF, 00010000, 00001000, 00000412, 00000077, NULL\n"
#define PAGE "M: 10000000=00001012, 1, 0 |\n"

static void check_damage(const char *text, uint64_t lines, uint32_t nvmas, uint64_t rss)
{
	struct opened o = open_text(text);
	uint64_t sum = 0;

	CHECK_EQ(issues(&o, LINES), lines);
	CHECK_EQ(o.s->nvmas, nvmas);
	for (uint32_t i = 0; i < o.s->nvmas; i++)
		sum += o.s->vmas[i].usage.rss;
	CHECK_EQ(sum, rss);
	shut(&o);
}

TEST(damage)
{
	check_damage(TASK VMA PAGE, 0, 1, 4096);
	check_damage(TASK "garbage\n" VMA PAGE, 1, 1, 4096);
	/* overlap, order, alignment, size, a vma of a task without memory */
	check_damage(TASK VMA PAGE VMA PAGE, 1, 1, 4096);
	check_damage(TASK "V: 10000001, 1000FFFF, FFFF, 0, 0, 77, NULL\n", 1, 0, 0);
	check_damage(TASK "V: 10010000, 1000FFFF, 0, 0, 0, 77, NULL\n", 1, 0, 0);
	check_damage(TASK "V: 0, FFFFFFFFFFFFFFFF, 0, 0, 0, 77, NULL\n", 1, 0, 0);
	check_damage(TASK "V: 10000000, 1000FFFF, 1, 0, 0, 77, NULL\n", 1, 1, 0);
	check_damage(TASK "V: 10000000, 10000FFF, 1000, 2000, 0, 77, NULL\n", 1, 1, 0);
	check_damage("T: k, 6, 0, 0, 0, 0, 0, 0, 0, 0\n" VMA PAGE, 0, 0, 0);
	/* the same pid twice; an impossible pid */
	check_damage(TASK TASK VMA PAGE, 1, 0, 0);
	check_damage(TASK "T: y, 99999999999, 0, 0, 0, 0, 0, 0, 0, 0\n", 1, 0, 0);
	/* pages: outside, twice, without an end, impossible on any machine */
	check_damage(TASK VMA "M: 20000000=00001012, 1, 0 | 10000000=00002012, 1, 0 |", 1, 1, 4096);
	check_damage(TASK VMA "M: 10000000=1012, 1, 0 | 10000000=2012, 1, 0 |", 1, 1, 4096);
	check_damage(TASK VMA "M: 10000000=1012, 1, 0 | 10001000=2012, 1", 1, 1, 4096);
	check_damage(TASK VMA "M: 10000000=1012, 1, 0 | 10001000=000F000000001012, 1, 0", 1, 1,
		     4096);
	check_damage(TASK VMA "M: 10000000=1012, 99999999999, 0 |", 1, 1, 4096);
	check_damage(TASK VMA "P: 1, 2\n" PAGE, 1, 1, 4096);
}

/* One page in each of many far places: the report is complete and takes little memory. */
TEST(far_frames)
{
	char *text = malloc(400000);
	size_t n = (size_t)sprintf(text, TASK
				   "V: 10000000, 1FFFFFFF, 10000000, 0, 0, 77, NULL\nM:");
	uint64_t there = 0;
	struct opened o;

	for (unsigned i = 0; i < 4000; i++)
		n += (size_t)sprintf(text + n, "%X=%" PRIX64 ", 1, 0|", 0x10000000 + i * 4096,
				     (uint64_t)i << 30);
	o = open_bytes(text, n);
	CHECK_EQ(o.s->vmas[0].usage.rss, 4000 * 4096);
	for (uint64_t c = 0; c < o.s->frames.nchunks; c++)
		there += o.s->frames.chunk[c] != NULL;
	CHECK(there >= 64 && there < 128);
	CHECK_EQ(issues(&o, "page frame"), 4000 - there);
	shut(&o);
	free(text);
}

TEST(not_ours)
{
	static const char *const texts[] = { "", "T:", "T: x, 1\n", "V: 0, 0, 0, 0, 0, 0, 0\n",
					     "\x7f\x45LF,,,,,,,,,,,",
					     "T; x, 1, 2, 3, 4, 5, 6, 7, 8" };
	struct kernel *k;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK_EQ(capture_of_bytes((const uint8_t *)texts[i], strlen(texts[i]), &k),
			 ST_NOTMINE);
}
