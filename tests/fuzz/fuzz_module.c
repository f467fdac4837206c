/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_module - the fuzzer's bytes as records of vmcensus.ko, after a correct header; the
 * first byte chooses the byte order. Built into a snapshot, walked and reported.
 */
#include <stdlib.h>
#include <string.h>

#include "model/memory/frames/frames.h"
#include "model/memory/source/capture.h"
#include "model/memory/usage/account.h"
#include "tests/unit/mkmodule.h"
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
	return ++w->n < 1 << 20;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stream st;
	struct snapshot *s;
	struct kernel *k;
	struct walked walked = { 0 };
	uint8_t *bytes;

	if (!size)
		return 0;
	stream_begin(&st, data[0] & 1);
	bytes = malloc(st.len + size - 1);
	memcpy(bytes, st.data, st.len);
	memcpy(bytes + st.len, data + 1, size - 1);
	if (capture_of_bytes(bytes, st.len + size - 1, &k))
		abort();
	s = snapshot_build(k, NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE, NULL);
	walked.s = s;
	for (uint32_t i = 0; i < s->nvmas; i++)
		vma_walk(s, NULL, &s->vmas[i], count, &walked);
	tell(s, "procs", "json");
	tell(s, "vmas", "json");
	snapshot_free(s);
	kernel_close(k);
	free(bytes);
	return 0;
}
