/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_module - records of vmcensus.ko of the fuzzer's bytes, behind a header that
 * is in order; the first byte chooses the byte order. Made a snapshot of, walked
 * and told.
 */
#include <stdlib.h>
#include <string.h>

#include "model/capture/capture.h"
#include "model/pages/account.h"
#include "reports/pick.h"
#include "reports/render/render.h"
#include "tests/unit/mkmodule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool count(void *arg, const struct vma_page *p)
{
	uint64_t *n = arg;

	if (p->frame && !p->frame->found)
		abort();
	return ++*n < 1 << 20;
}

static void tell(const struct snapshot *s, const char *name)
{
	const struct report_opts opts = { .all = true, .kernel_threads = true };
	const struct report *r = report_find(name);
	struct table t = { .cols = r->cols, .ncols = r->ncols };
	struct arena mem = { 0 };
	struct columns cols;
	struct diag diag;
	FILE *out = fopen("/dev/null", "w");

	columns_all(r->cols, r->ncols, &mem, &cols);
	if (!out || r->run(s, &opts, &t, &diag))
		abort();
	renderer_find("json")->render(&(struct render){
		.report = r, .opts = &opts, .s = s, .t = &t, .cols = cols.v, .ncols = cols.n,
		.units = { UNIT_KIB, 4096 } }, out);
	fclose(out);
	arena_release(&t.mem);
	arena_release(&mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stream st;
	struct snapshot *s;
	struct kernel *k;
	uint64_t walked = 0;
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
	for (uint32_t i = 0; i < s->nvmas; i++)
		vma_walk(s, NULL, &s->vmas[i], count, &walked);
	tell(s, "procs");
	tell(s, "vmas");
	snapshot_free(s);
	kernel_close(k);
	free(bytes);
	return 0;
}
