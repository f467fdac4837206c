/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_capture - the fuzzer's bytes as a collector's text: opened, built into a snapshot,
 * walked and reported.
 */
#include <stdlib.h>

#include "model/memory/frames/frames.h"
#include "model/memory/source/capture.h"
#include "model/memory/usage/account.h"
#include "tests/unit/tell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct walked {
	const struct snapshot *s;
	uint64_t n;
};

static bool count(void *arg, const struct vma_page *p)
{
	struct walked *w = arg;

	if (p->frame && !frame_found(&w->s->frames, p->pfn))
		abort();
	w->n++;
	return true;
}

/* The counts of frames must be those that the walks find. */
static void walk(const struct snapshot *s)
{
	struct walked walked = { .s = s };
	uint64_t found = 0;

	for (uint32_t i = 0; i < s->nvmas; i++)
		vma_walk(s, NULL, &s->vmas[i], count, &walked);
	for (uint64_t pfn = 0; pfn < s->frames.max_pfn; pfn++) {
		const struct frame *f = frame_at(&s->frames, pfn);

		if (f)
			found += frame_found(&s->frames, pfn);
		else
			pfn |= (UINT64_C(1) << FRAME_CHUNK_SHIFT) - 1;
	}
	if (found > walked.n)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshot *s;
	struct kernel *k;

	if (capture_of_bytes(data, size, &k))
		return 0;
	s = snapshot_build(k, NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_LOG | NEED_MACHINE,
			   NULL);
	if (k->offers & NEED_LOG) {
		tell(s, "oom", "text");
		tell(s, "dmesg", "text");
		tell(s, "panic", "json");
		snapshot_free(s);
		kernel_close(k);
		return 0;
	}
	walk(s);
	tell(s, "summary", "text");
	tell(s, "procs", "csv");
	tell(s, "vmas", "json");
	tell(s, "smaps", "text");
	tell(s, "check", "text");
	snapshot_free(s);
	kernel_close(k);
	return 0;
}
