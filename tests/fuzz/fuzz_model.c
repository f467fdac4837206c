/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A real dump with a few words of its memory replaced: every walker of the model must end,
 * whatever the words are.
 *
 * The dumps named by VMCENSUS_FUZZ_IMAGE (with blanks between; files for -t after a dump, with
 * commas) are opened once. A clean run records which pages the walkers read. An input is
 *     u8 what: 3 bits, 0: page tables are walked; 5 bits: a report
 *     patches of 12 bytes: u16 page (index in that list)  u16 offset  u64 value
 *     what is left: u8 dump (none: the first)  u8 report, of all with their parts and options;
 *     255: each of them, and exports; 254: of one process; u8 log: in place of the dump's (none: its own)
 * where a value below 65536 is the number of another page, whose word at the
 * same offset is copied: real pointers in wrong places find more than noise.
 * VMCENSUS_FUZZ_LOGS names logs (with blanks between), each line after a byte for its caller.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/outside.h"
#include "model/model.h"
#include "reports/capsule/capsule.h"
#include "reports/core/list.h"
#include "reports/sql/statement.h"

#define DUMPS 24
#define LOGS 32
#define SEEDED 64u
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

/* A dump, and what lies over it. */
static struct { struct kernel *kernel; struct overlay overlay; } dumps[DUMPS];
static unsigned ndumps;
/* Those of the input. */
static struct kernel *kernel;
static FILE *nowhere;
static struct { struct log_line *v; uint32_t n; } logs[LOGS];
static unsigned nlogs;
static struct arena log_mem;

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

/* Exports are written into nothing, and below --sysroot each path is the file of VMCENSUS_FUZZ_ELF. */
static int open_none(void *arg, const char *path)
{
	(void)arg, (void)path;
	errno = ENOENT;
	return -1;
}

static int open_below(void *arg, const char *root, const char *path)
{
	const char *elf = getenv("VMCENSUS_FUZZ_ELF");

	(void)arg, (void)root, (void)path;
	errno = ENOENT;
	return elf ? open(elf, O_RDONLY | O_CLOEXEC) : -1;
}

static enum status tree_begin(void *arg, const char *path, bool *owners, struct diag *diag)
{
	(void)arg, (void)path, (void)diag;
	*owners = true;
	return ST_OK;
}

static int tree_make(void *arg, const struct outside_entry *e)
{
	(void)arg;
	return e->kind == OUTSIDE_FILE ? open("/dev/null", O_WRONLY | O_CLOEXEC) : 0;
}

static enum status tree_end(void *arg, bool drop, struct diag *diag)
{
	(void)arg, (void)drop, (void)diag;
	return ST_OK;
}

static const struct outside outside = {
	.open = open_none, .open_below = open_below, .tree_open = tree_begin,
	.tree_make = tree_make, .tree_close = tree_end, .status = -1,
};

#define LISTS (NEED_VMAS | NEED_CGROUPS | NEED_MACHINE | NEED_LOG)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* SPEC: the dump, and types. False: it cannot be opened, which was said. */
static bool open_dump(char *spec)
{
	struct overlay *o = &dumps[ndumps].overlay;
	const char *names[8];
	struct kernel_opts ko = { .images = names, .nimages = 1, .types = names + 1, .jobs = 1 };
	struct diag diag;
	unsigned n = 0;

	for (char *s = strtok(spec, ","); s && n < ARRAY_LEN(names); s = strtok(NULL, ","))
		names[n++] = s;
	ko.ntypes = n ? n - 1 : 0;
	if (!n || kernel_open(&ko, &diag, &kernel)) {
		fprintf(stderr, "VMCENSUS_FUZZ_IMAGE must name dumps%s%s\n", n ? ": " : "",
			n ? diag.text : "");
		return false;
	}
	dumps[ndumps++].kernel = kernel;
	o->ops = kernel->dump->pages;
	o->self = kernel->dump->pages_self;
	kernel->dump->pages = &over_ops;
	kernel->dump->pages_self = o;
	o->ctx = over_ctx_new(o);
	o->scratch = malloc(dump_page_size(kernel->dump));
	if (!o->scratch)
		abort();
	o->recording = true;
	snapshot_free(snapshot_build(kernel, LISTS, NULL));
	o->recording = false;
	return true;
}

static void open_log(const char *path)
{
	VEC(struct log_line) lines = { 0 };
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	while (in && (n = getline(&line, &cap, in)) > 1)
		*vec_push(&log_mem, &lines) = (struct log_line){
			.caller = (uint8_t)*line,
			.text = arena_strndup(&log_mem, line + 1, (size_t)n - 2),
			.len = (uint32_t)n - 2,
		};
	free(line);
	if (in)
		fclose(in);
	logs[nlogs].v = lines.v;
	logs[nlogs++].n = (uint32_t)lines.n;
}

static void open_logs(void)
{
	const char *all = getenv("VMCENSUS_FUZZ_LOGS");
	char *names = strdup(all ? all : ""), *rest = names;

	for (char *s; nlogs < LOGS && (s = strsep(&rest, " "));)
		if (*s)
			open_log(s);
	free(names);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *all = getenv("VMCENSUS_FUZZ_IMAGE");
	char *specs = strdup(all ? all : ""), *rest = specs;

	(void)argc, (void)argv;
	nowhere = fopen("/dev/null", "we");
	open_logs();
	for (char *s; ndumps < DUMPS && (s = strsep(&rest, " "));)
		if (*s && !open_dump(s))
			exit(1);
	free(specs);
	if (ndumps && nowhere)
		return 0;
	fputs("VMCENSUS_FUZZ_IMAGE must name a dump\n", stderr);
	exit(1);
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

static bool of_one_dump(const struct report *r)
{
	return r->run && !r->products && !r->compares && !r->many;
}

/* The Nth of the reports that are made of one dump; NULL: there are fewer. */
static const struct report *report_at(unsigned n)
{
	for (const struct report *const *r = reports; *r; r++)
		if (of_one_dump(*r) && !n--)
			return *r;
	return NULL;
}

static const struct report *report_of(unsigned which)
{
	unsigned n = 0;

	while (report_at(n))
		n++;
	return report_at(which % n);
}

/* A report over the rows of another. */
static void statement(struct snapshot *s, const struct report *r)
{
	static const struct statement_limits limits = { .steps = 100000, .bytes = 1 << 20 };
	struct report_opts o = { 0 };
	struct table t = { 0 };
	struct diag diag;

	if (statement_new("SELECT uid, sum(pss), max(comm) FROM procs GROUP BY uid ORDER BY 2", false,
			  &limits, &diag, &o.statement))
		abort();
	t.cols = statement_cols(o.statement, &t.ncols);
	if (!(statement_needs(o.statement) & ~s->built))
		r->run(s, &o, &t, &diag);
	arena_release(&t.mem);
	statement_free(o.statement);
}

static void report(struct snapshot *s, const struct report *r, const struct report_opts *o)
{
	struct table t = { .cols = r->cols, .ncols = r->ncols };
	struct diag diag;

	if (r->statement) {
		statement(s, r);
		return;
	}
	if (!(r->needs & ~(s->built | NEED_KERNEL | NEED_CONFIG)) && !r->run(s, o, &t, &diag) &&
	    r->text)
		r->text(s, o, &t, nowhere);
	arena_release(&t.mem);
}

/* Products of a report. */
static void product(struct snapshot *s, const struct report *r)
{
	static const struct report_opts none;
	struct diag diag;

	for (const struct product *p = r->products; p->name; p++)
		if (p->write && !((r->needs | p->needs) & ~s->built))
			p->write(s, &none, p->dir ? "/tree" : NULL, p->dir ? NULL : nowhere, &diag);
}

/* What an input asks for: a report, or all. */
struct ask {
	struct capsule_part one;
	struct snapshot_opts built;	/* of one process */
	bool all;
	unsigned needs;
};

static struct ask ask_of(const uint8_t *data, size_t size, size_t left)
{
	struct ask ask = { .one.report = report_of(data[0] >> 3) };
	struct capsule_part p;

	ask.all = left > 1 && data[size - left + 1] == 0xff;
	if (left > 1 && data[size - left + 1] == 0xfe) {
		ask.built.pid = ask.one.opts.pid = 1;
		ask.one.report = data[0] & 8 ? &report_smaps : &report_procs;
		ask.needs = ask.one.report->needs;
	} else if (left > 1 && !ask.all && capsule_part(data[size - left + 1], &p))
		ask.one = p;
	ask.needs = ask.one.report->needs;
	for (unsigned i = 0; ask.all && capsule_part(i, &p); i++)
		ask.needs |= p.report->needs | p.report->wants;
	if (ask.all)
		ask.needs |= report_html.needs | report_export.needs | NEED_MACHINE | NEED_CGROUPS;
	return ask;
}

static void answer(struct snapshot *s, const struct ask *ask)
{
	struct capsule_part p;

	if (!ask->all)
		report(s, ask->one.report, &ask->one.opts);
	for (unsigned i = 0; ask->all && capsule_part(i, &p); i++)
		report(s, p.report, &p.opts);
	for (unsigned i = 0; ask->all && report_at(i); i++)
		report(s, report_at(i), &(struct report_opts){ .kernel_threads = true });
	for (unsigned i = 0; ask->all && report_at(i); i++)
		report(s, report_at(i),
		       &(struct report_opts){
			       .sysroot = "/sysroot", .all = true, .threads = true, .virt = true });
	if (ask->all) {
		product(s, &report_html);
		product(s, &report_export);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct overlay *o;
	struct snapshot *s;
	struct ask ask;
	size_t at = 1, left;

	if (!size)
		return 0;
	left = (size - 1) % PATCH_BYTES;
	/* seeds name dumps that not every run has: what another one finds is not found twice */
	if (left && data[size - left] >= ndumps && data[size - left] < SEEDED)
		return 0;
	kernel = dumps[left ? data[size - left] % ndumps : 0].kernel;
	o = &dumps[left ? data[size - left] % ndumps : 0].overlay;
	ask = ask_of(data, size, left);
	for (o->npatches = 0; at + PATCH_BYTES <= size && o->npatches < PATCHES; at += PATCH_BYTES)
		take_patch(o, data + at);
	/* page tables and the page array take longest: one input in eight */
	outside_use(&outside);
	s = snapshot_build(kernel, LISTS | (data[0] & 7 ? 0 : ask.needs | NEED_USAGE),
			   ask.built.pid ? &ask.built : NULL);
	if (left > 2 && nlogs) {
		s->machine.log = logs[data[size - left + 2] % nlogs].v;
		s->machine.nlog = logs[data[size - left + 2] % nlogs].n;
		s->machine.panic_line = s->machine.nlog;
	}
	answer(s, &ask);
	snapshot_free(s);
	outside_use(NULL);
	issues_release(kernel->issues);
	issues_init(kernel->issues);
	return 0;
}
