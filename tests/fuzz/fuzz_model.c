/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A real dump with a few words of its memory replaced: every walker of the model must end,
 * whatever the words are.
 *
 * The dump named by VMCENSUS_FUZZ_IMAGE is opened once. A clean run records
 * which pages the walkers read; each input then names some of these and what
 * to write there: 12 bytes a patch,
 *     u16 page (index in that list)  u16 offset  u64 value
 * where a value below 65536 is the number of another page, whose word at the
 * same offset is copied: real pointers in wrong places find more than noise.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/model.h"
#include "reports/core/report.h"

#define PATCHES 64
#define PAGES 65536u
#define PATCH_BYTES 12u

struct patch {
	uint64_t pfn, value;
	uint32_t offset;
};

struct overlay {
	const struct pages_ops *ops;	/* of the dump itself */
	void *self;
	struct patch patch[PATCHES];
	unsigned npatches;
	uint64_t pages[PAGES];		/* pfns in the order in which they are first read */
	unsigned npages;
	bool recording;
	void *ctx;			/* to read what patches copy */
	uint8_t *scratch;		/* one page */
};

static struct overlay overlay;
static struct kernel *kernel;

static bool over_present(void *self, uint64_t pfn)
{
	struct overlay *o = self;

	return o->ops->present(o->self, pfn);
}

static void record(struct overlay *o, uint64_t pfn)
{
	for (unsigned i = 0; i < o->npages; i++)
		if (o->pages[i] == pfn)
			return;
	if (o->npages < PAGES)
		o->pages[o->npages++] = pfn;
}

static enum status over_read(void *self, void *ctx, uint64_t pfn, uint8_t *out)
{
	struct overlay *o = self;
	enum status st = o->ops->read(o->self, ctx, pfn, out);

	if (o->recording)
		record(o, pfn);
	for (unsigned i = 0; !st && i < o->npatches; i++)
		if (o->patch[i].pfn == pfn)
			store_uint(out + o->patch[i].offset, o->patch[i].value,
				   kernel->dump->word_size, kernel->dump->big_endian);
	return st;
}

static void *over_ctx_new(void *self)
{
	struct overlay *o = self;

	return o->ops->ctx_new ? o->ops->ctx_new(o->self) : NULL;
}

static void over_ctx_free(void *self, void *ctx)
{
	struct overlay *o = self;

	if (o->ops->ctx_free)
		o->ops->ctx_free(o->self, ctx);
}

static const struct pages_ops over_ops = {
	.present = over_present, .read = over_read, .ctx_new = over_ctx_new,
	.ctx_free = over_ctx_free,
};

#define LISTS (NEED_VMAS | NEED_CGROUPS | NEED_MACHINE | NEED_LOG)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *path = getenv("VMCENSUS_FUZZ_IMAGE");
	struct kernel_opts o = { .images = &path, .nimages = 1, .jobs = 1 };
	struct diag diag;

	(void)argc, (void)argv;
	if (!path || kernel_open(&o, &diag, &kernel)) {
		fprintf(stderr, "VMCENSUS_FUZZ_IMAGE must name a dump%s%s\n", path ? ": " : "",
			path ? diag.text : "");
		exit(1);
	}
	overlay.ops = kernel->dump->pages;
	overlay.self = kernel->dump->pages_self;
	kernel->dump->pages = &over_ops;
	kernel->dump->pages_self = &overlay;
	overlay.ctx = over_ctx_new(&overlay);
	overlay.scratch = malloc(dump_page_size(kernel->dump));
	if (!overlay.scratch)
		abort();
	overlay.recording = true;
	snapshot_free(snapshot_build(kernel, LISTS, NULL));
	overlay.recording = false;
	return 0;
}

static void take_patch(struct overlay *o, const uint8_t *raw)
{
	struct patch *p = &o->patch[o->npatches++];
	uint32_t mask = dump_page_size(kernel->dump) - kernel->dump->word_size;

	p->pfn = o->pages[load16(raw, false) % o->npages];
	p->offset = load16(raw + 2, false) & mask;
	p->value = load64(raw + 4, false);
	if (p->value < PAGES &&
	    !o->ops->read(o->self, o->ctx, o->pages[p->value % o->npages], o->scratch))
		p->value = load_uint(o->scratch + p->offset, kernel->dump->word_size,
				     kernel->dump->big_endian);
}

/* What is read when a report runs, and is in no snapshot. */
static const struct report *report_of(unsigned which)
{
	static const char *const names[] = {
		"swap", "shm", "cgroups", "dmesg", "cache", "slab", "vmalloc", "zones", "stacks",
		"pagetables", "hugetlb", "procs", "vmas", "files", "oom", "summary",
		"census", "numa", "panic", "thrash", "tasks", "units", "costs", "pages", "check",
		"total", "users", "programs", "alerts", "sections", "symbols", "config",
	};

	return report_find(names[which % ARRAY_LEN(names)]);
}

static void report(struct snapshot *s, const struct report *r)
{
	struct report_opts o = { 0 };
	struct table t = { .cols = r->cols, .ncols = r->ncols };
	struct diag diag;

	if (!(r->needs & ~(s->built | NEED_KERNEL | NEED_CONFIG)))
		r->run(s, &o, &t, &diag);
	arena_release(&t.mem);
}

/* The first byte: 3 bits that say whether page tables are walked, and 5 of a report. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct report *r;
	struct snapshot *s;

	overlay.npatches = 0;
	if (!size)
		return 0;
	for (size_t at = 1; at + PATCH_BYTES <= size && overlay.npatches < PATCHES;
	     at += PATCH_BYTES)
		take_patch(&overlay, data + at);
	/* page tables and the page array take longest: one input in eight */
	r = report_of(data[0] >> 3);
	s = snapshot_build(kernel, LISTS | (data[0] & 7 ? 0 : r->needs | NEED_USAGE), NULL);
	report(s, r);
	snapshot_free(s);
	issues_release(kernel->issues);
	issues_init(kernel->issues);
	return 0;
}
