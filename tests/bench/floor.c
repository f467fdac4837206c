/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * floor - how fast could it be? The time to merely read and decompress the
 * pages that a report needs.
 *
 *	floor [-r REPORT] [-j THREADS] [-n RUNS] [-t FILE] IMAGE
 *
 * The report's snapshot is built once with a recorder between the readers and
 * the image: every page frame that was read, from the opening on. Then these
 * pages are read again, each once and in the order of the file, by THREADS
 * threads that do nothing else; opening the image counts too. Prints one line,
 *	pages N frames N wall SECONDS median SECONDS cpu SECONDS
 * with the best and the median of RUNS by the wall clock, and the least processor
 * time of any.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/jobs.h"
#include "model/model.h"
#include "reports/core/report.h"

#define BATCH 256	/* pages that a thread takes at a time */

static int die(const char *text)
{
	fprintf(stderr, "floor: %s\n", text);
	exit(1);
}

/* ---- which pages --------------------------------------------------------------- */

struct recorder {
	const struct pages_ops *ops;	/* of the dump itself */
	void *self;
	_Atomic uint64_t *seen;		/* a bit for each frame */
	uint64_t max_pfn;
};

static bool rec_present(void *self, uint64_t pfn)
{
	struct recorder *rec = self;

	return rec->ops->present(rec->self, pfn);
}

static enum status rec_read(void *self, void *ctx, uint64_t pfn, uint8_t *out)
{
	struct recorder *rec = self;

	if (pfn < rec->max_pfn)
		atomic_fetch_or(&rec->seen[pfn / 64], UINT64_C(1) << pfn % 64);
	return rec->ops->read(rec->self, ctx, pfn, out);
}

static void *rec_ctx_new(void *self)
{
	struct recorder *rec = self;

	return rec->ops->ctx_new ? rec->ops->ctx_new(rec->self) : NULL;
}

static void rec_ctx_free(void *self, void *ctx)
{
	struct recorder *rec = self;

	if (rec->ops->ctx_free)
		rec->ops->ctx_free(rec->self, ctx);
}

static const struct pages_ops rec_ops = {
	.present = rec_present, .read = rec_read, .ctx_new = rec_ctx_new, .ctx_free = rec_ctx_free,
};

struct pages {
	uint64_t *pfn;
	size_t n;
	uint64_t frames;		/* frames of the machine, for the promise on memory */
};

static void record(const char *path, const char *types, const struct report *report,
		   struct pages *ret)
{
	struct recorder rec = { 0 };
	struct kernel *k;
	struct diag diag;
	struct dump *d;

	if (dump_open(&path, 1, NULL, &diag, &d))
		die(diag.text);
	rec.ops = d->pages;
	rec.self = d->pages_self;
	rec.max_pfn = d->max_pfn;
	rec.seen = calloc(d->max_pfn / 64 + 1, sizeof(*rec.seen));
	if (!rec.seen)
		die("no memory for the list of pages");
	d->pages = &rec_ops;
	d->pages_self = &rec;
	if (types) {
		d->wanted = layout_type_names(&d->mem, &d->nwanted);
		if (dump_add_file(d, types))
			die(d->diag.text);
	}
	if (kernel_attach(d, 1, &diag, &k))
		die(diag.text);
	ret->frames = k->memmap.max_pfn;
	snapshot_free(snapshot_build(k, report->needs, NULL));
	ret->pfn = calloc(d->max_pfn + 1, sizeof(*ret->pfn));
	if (!ret->pfn)
		die("no memory for the list of pages");
	for (uint64_t pfn = 0; pfn < d->max_pfn; pfn++)
		if (rec.seen[pfn / 64] >> pfn % 64 & 1)
			ret->pfn[ret->n++] = pfn;
	kernel_close(k);
	free(rec.seen);
}

/* ---- reading them --------------------------------------------------------------- */

struct reading {
	const struct image *im;
	const struct pages *pages;
	struct image_ctx *ctx[JOBS_MAX];
	uint8_t *out[JOBS_MAX];
	atomic_size_t failed;
};

static void read_batch(void *arg, unsigned worker, size_t item)
{
	struct reading *rd = arg;
	const struct image *im = rd->im;
	size_t end = min_u64((item + 1) * BATCH, rd->pages->n);

	if (!rd->out[worker]) {
		rd->out[worker] = malloc((size_t)1 << im->page_shift);
		if (!rd->out[worker])
			die("no memory for a page");
		rd->ctx[worker] = im->ops->ctx_new ? im->ops->ctx_new(im) : NULL;
	}
	for (size_t i = item * BATCH; i < end; i++)
		if (im->ops->read(im, rd->ctx[worker], rd->pages->pfn[i], rd->out[worker]))
			atomic_fetch_add(&rd->failed, 1);
}

static void read_all(const char *path, const struct pages *pages, unsigned threads)
{
	struct reading *rd = calloc(1, sizeof(*rd));
	struct image *im;
	struct diag diag;

	if (!rd)
		die("no memory");
	if (image_open(&path, 1, NULL, &diag, &im))
		die(diag.text);
	rd->im = im;
	rd->pages = pages;
	jobs_run(threads, (pages->n + BATCH - 1) / BATCH, read_batch, rd);
	for (unsigned i = 0; i < JOBS_MAX; i++) {
		if (rd->ctx[i] && im->ops->ctx_free)
			im->ops->ctx_free(rd->ctx[i]);
		free(rd->out[i]);
	}
	if (rd->failed)
		fprintf(stderr, "floor: %zu pages cannot be read\n", (size_t)rd->failed);
	image_close(im);
	free(rd);
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

static void measure(const char *path, const struct pages *pages, unsigned threads,
		    unsigned runs)
{
	double *wall = calloc(runs, sizeof(*wall)), *cpu = calloc(runs, sizeof(*cpu));

	if (!wall || !cpu)
		die("no memory");
	for (unsigned i = 0; i < runs; i++) {
		wall[i] = -seconds(CLOCK_MONOTONIC);
		cpu[i] = -seconds(CLOCK_PROCESS_CPUTIME_ID);
		read_all(path, pages, threads);
		wall[i] += seconds(CLOCK_MONOTONIC);
		cpu[i] += seconds(CLOCK_PROCESS_CPUTIME_ID);
	}
	qsort(wall, runs, sizeof(*wall), by_value);
	qsort(cpu, runs, sizeof(*cpu), by_value);
	printf("pages %zu frames %" PRIu64 " wall %.4f median %.4f cpu %.4f\n", pages->n,
	       pages->frames, wall[0], wall[runs / 2], cpu[0]);
	free(wall);
	free(cpu);
}

int main(int argc, char **argv)
{
	const char *name = "procs", *types = NULL;
	unsigned threads = jobs_default(), runs = 5;
	const struct report *report;
	struct pages pages = { 0 };
	int c;

	while ((c = getopt(argc, argv, "r:j:n:t:")) != -1) {
		switch (c) {
		case 'r': name = optarg; break;
		case 'j': threads = (unsigned)atoi(optarg); break;
		case 'n': runs = (unsigned)atoi(optarg); break;
		case 't': types = optarg; break;
		default: return 64;
		}
	}
	report = report_find(name);
	if (optind + 1 != argc || !report || !threads || !runs)
		die("usage: floor [-r REPORT] [-j THREADS] [-n RUNS] [-t FILE] IMAGE");
	record(argv[optind], types, report, &pages);
	measure(argv[optind], &pages, threads, runs);
	free(pages.pfn);
	return 0;
}
