/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of pages that the walk keeps: what is written is read again, or not kept at all. */
#include "model/memory/usage/kept.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define PAGE UINT64_C(4096)
#define AT UINT64_C(0x400000)
#define ROOM (UINT64_C(1) << 20)
#define VMAS 4
#define MANY 300000u

static struct vma vmas[VMAS];
static const struct frame anon = { .mapcount = 1, .flags = FR_EXISTS | FR_ANON };
static const struct frame file = { .mapcount = 70000, .flags = FR_EXISTS | FR_CACHE };

static void set_up(struct snapshot *s, struct fake *f)
{
	*s = (struct snapshot){ .k = &f->kernel, .vmas = vmas, .nvmas = VMAS };
	s->frames.max_pfn = 1 << 20;
	f->kernel.page_shift = 12;
	for (unsigned i = 0; i < VMAS; i++)
		vmas[i] = (struct vma){ .start = AT, .end = AT + 16 * PAGE };
}

/* VMA i has the group 9 - i. */
static struct kept *new_kept(const struct snapshot *s, uint64_t bytes)
{
	uint32_t *group = calloc(VMAS, sizeof(*group));

	for (uint32_t i = 0; group && i < VMAS; i++)
		group[i] = 9 - i;
	return kept_new(s, bytes, group);
}

/* N entries from page AT_PAGE on, of frames from PFN on. */
static void put(struct kept_writer *w, uint64_t at_page, unsigned n, uint64_t pfn,
		const struct frame *f, bool writable)
{
	struct pte pte[8];

	for (unsigned i = 0; i < n; i++)
		pte[i] = (struct pte){ .kind = PTE_PAGE,
				       .pa = (pfn + i) * PAGE,
				       .flags = writable ? PTE_WRITE : 0 };
	kept_add(w, AT + at_page * PAGE, pte, n, f);
}

static bool print_run(void *arg, const struct page_run *run)
{
	char *to = arg;

	sprintf(to + strlen(to), "%d:%d%s*%u ", (int)run->pages, run->kind,
		run->writable ? "w" : "", run->count);
	return true;
}

static const char *runs_of(const struct kept *k, uint32_t vma)
{
	static char text[200];

	text[0] = '\0';
	if (!kept_has(k, vma))
		return "not kept";
	kept_each(k, vma, print_run, text);
	return text;
}

TEST(runs)
{
	struct fake *f = fake_new(8, false);
	uint64_t first[10] = { 0 };
	struct kept_writer *w;
	struct snapshot s;
	struct kept *k;

	set_up(&s, f);
	k = new_kept(&s, ROOM);
	w = kept_writer_new(k);
	/* 1 has two pieces, the second first; 0 a hole and equal neighbours */
	kept_begin(w, &s, 1, AT + 8 * PAGE, AT + 16 * PAGE);
	put(w, 10, 2, 500, &file, false);
	kept_end(w);
	kept_begin(w, &s, 0, AT, AT + 16 * PAGE);
	put(w, 0, 3, 100, &anon, true);
	put(w, 3, 1, 200, &anon, true);
	put(w, 8, 2, 501, &file, false);
	kept_end(w);
	kept_begin(w, &s, 1, AT, AT + 8 * PAGE);
	put(w, 0, 1, 104, &anon, false);
	kept_end(w);
	/* an entry of another kind; only a part was walked */
	kept_begin(w, &s, 2, AT, AT + 16 * PAGE);
	put(w, 0, 1, 105, &anon, true);
	kept_spoil(w);
	put(w, 1, 1, 106, &anon, true);
	kept_end(w);
	kept_begin(w, &s, 3, AT, AT + 8 * PAGE);
	kept_end(w);
	kept_writer_close(w);
	kept_close(k, &s);
	CHECK_STR(runs_of(k, 0), "4:3w*1 4:0*0 2:4*70000 ");
	CHECK_STR(runs_of(k, 1), "1:3*1 7:0*0 2:0*0 2:4*70000 ");
	CHECK_STR(runs_of(k, 2), "not kept");
	CHECK_STR(runs_of(k, 3), "not kept");
	/* frames 500 and 501 are of group 8, 502 is of 9; another vma has group 0 */
	kept_meet(k, 700, 0);
	kept_meet(k, 700, 4);
	kept_count_first(k, first);
	CHECK_EQ(first[8], 2);
	CHECK_EQ(first[9], 1);
	CHECK_EQ(first[0], 1);
	CHECK_EQ(first[4], 0);
	kept_free(k);
	fake_free(f);
}

/* Without room vmas are not kept; those that were are. */
TEST(bound)
{
	struct fake *f = fake_new(8, false);
	struct kept_writer *w;
	struct snapshot s;
	struct kept *k;

	set_up(&s, f);
	vmas[1].end = AT + MANY * PAGE;
	k = new_kept(&s, 80000);
	w = kept_writer_new(k);
	kept_begin(w, &s, 0, AT, AT + 16 * PAGE);
	put(w, 2, 1, 100, &anon, true);
	kept_end(w);
	kept_begin(w, &s, 1, AT, vmas[1].end);
	for (unsigned i = 0; i < MANY; i++)
		put(w, i, 1, 100, &anon, i & 1);
	kept_end(w);
	kept_writer_close(w);
	kept_close(k, &s);
	CHECK_STR(runs_of(k, 0), "2:0*0 1:3w*1 ");
	CHECK_STR(runs_of(k, 1), "not kept");
	kept_free(k);
	fake_free(f);
}
