/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_sizes.c - the memory that docs/design.md (1) promises for a page frame, a chunk of them,
 * a process and a vma.
 */
#include <malloc.h>
#include <stdlib.h>

#include "model/memory/frames/frames.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define CHUNKS 32u
/* Tables of distinct frames, one thread; addresses that are left out before a huge page, which take no memory. */
#define FIXED (UINT64_C(4) << 20)
#define OF_CHUNK 64u

static uint64_t in_use(void)
{
	const struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* Bytes that CHUNKS chunks of frames take, with KINDS distinct ones in each. */
static uint64_t measure(uint32_t kinds)
{
	struct frame_given *chunk[CHUNKS];
	struct fake *f = fake_new(8, false);
	struct snapshot s = { .k = &f->kernel };
	uint64_t before, took;

	for (unsigned c = 0; c < CHUNKS; c++) {
		chunk[c] = calloc(FRAME_CHUNK, sizeof(*chunk[c]));
		if (!chunk[c])
			abort();
		for (unsigned i = 0; i < FRAME_CHUNK; i++)
			chunk[c][i] = (struct frame_given){ .flags = FR_EXISTS,
							    .mapcount = c * 1000 + i % kinds };
	}
	before = in_use();
	frames_give(&s, chunk, CHUNKS, CHUNKS * FRAME_CHUNK);
	frames_found_drop(&s.frames);
	took = in_use() - before;
	for (unsigned c = 0; c < CHUNKS; c++)
		for (unsigned i = 0; i < FRAME_CHUNK; i += 97)
			CHECK_EQ(frame_at(&s.frames, c * FRAME_CHUNK + i)->mapcount,
				 chunk[c][i].mapcount);
	frames_free(&s.frames);
	for (unsigned c = 0; c < CHUNKS; c++)
		free(chunk[c]);
	fake_free(f);
	return took;
}

TEST(frames)
{
	uint64_t took = measure(1000);

	CHECK(took <= 2 * FRAME_CHUNK * CHUNKS + OF_CHUNK * CHUNKS + FIXED);
	/* more kinds than the table has room for: the others are listed */
	took = measure(30000);
	CHECK(took <= 16 * FRAME_CHUNK * CHUNKS + FIXED);
	CHECK_EQ(sizeof(struct frame_sum) + sizeof(void *) * 2 + 2 + 8 <= OF_CHUNK, true);
}

TEST(processes)
{
	CHECK(sizeof(struct task) + sizeof(struct proc) + sizeof(struct mm) <= 1024);
	CHECK(sizeof(struct vma) <= 512);
}
