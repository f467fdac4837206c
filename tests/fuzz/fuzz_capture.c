/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_capture - a collector's text of the fuzzer's bytes: opened, made a
 * snapshot of, walked, and told by the reports.
 */
#include <stdlib.h>

#include "model/capture/capture.h"
#include "model/pages/account.h"
#include "reports/pick.h"
#include "reports/render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool count(void *arg, const struct vma_page *p)
{
	uint64_t *n = arg;

	if (p->frame && !p->frame->found)
		abort();
	++*n;
	return true;
}

/* What is told of frames must be what the walks find. */
static void walk(const struct snapshot *s)
{
	uint64_t found = 0, walked = 0;

	for (uint32_t i = 0; i < s->nvmas; i++)
		vma_walk(s, NULL, &s->vmas[i], count, &walked);
	for (uint64_t pfn = 0; pfn < s->frames.max_pfn; pfn++) {
		const struct frame *f = frame_at(&s->frames, pfn);

		if (f)
			found += f->found;
		else
			pfn |= (UINT64_C(1) << FRAME_CHUNK_SHIFT) - 1;
	}
	if (found > walked)
		abort();
}

static void tell(const struct snapshot *s, const char *name, const char *format)
{
	const struct report_opts opts = { .all = true, .kernel_threads = true };
	const struct report *r = report_find(name);
	struct table t = { .cols = r->cols, .ncols = r->ncols };
	struct arena mem = { 0 };
	struct columns deflt, cols;
	struct diag diag;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	columns_default(r->cols, r->ncols, false, &mem, &deflt);
	columns_all(r->cols, r->ncols, &deflt, &mem, &cols);
	if (!out || r->run(s, &opts, &t, &diag))
		abort();
	renderer_find(r, format)->render(&(struct render){
		.report = r, .opts = &opts, .s = s, .t = &t, .cols = cols.v, .ncols = cols.n,
		.units = { UNIT_KIB, 4096 } }, out);
	fclose(out);
	free(text);
	arena_release(&t.mem);
	arena_release(&mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshot *s;
	struct kernel *k;

	if (capture_of_bytes(data, size, &k))
		return 0;
	s = snapshot_build(k, NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE, NULL);
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
