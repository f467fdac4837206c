/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machines made by altering the text of a described machine (tests/machine/machine.h): it is laid
 * out, and every report runs to its end. Not only crashes are found, but wrong answers:
 *	- of a process that is not damaged, size, rss, swap, and where they follow from the text pss
 *	  and uss, are what the text says, or an issue is counted;
 *	- what is unknown in a row of procs is an issue;
 *	- uss <= pss <= rss, the vmas of a process add up to it, processes to no more than RAM;
 *	- two threads, or little memory, give the same rows of every report, and the same issues.
 *
 * VMCENSUS_FUZZ_MACHINES: "CPU,LAYOUT,TEXT,RELEASE,HUGE" with blanks between (HUGE: log2 of huge
 * pages, 0 none). An input is
 *     u8 machine (an index of those)  u8: 1: two threads too, 2: little memory too
 *     u8 a report beside procs, of all with their parts and options; 255: each of them
 *     edits of 8 bytes: u8 what  u8 line  u8 word  u8 other line  u32 value
 * enum edit has the kinds. Damage names objects of the text, not what the fuzzer makes up.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/memory.h"
#include "reports/capsule/capsule.h"
#include "reports/core/list.h"
#include "reports/process/procs.h"
#include "tests/machine/edits.h"
#include "tests/machine/made.h"

#define MACHINES 64u
#define PARTS 128u
#define NEEDS_LATER (NEED_KERNEL | NEED_CONFIG)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct spec {
	const char *cpu, *layout;
	struct script script;
} specs[MACHINES];
static unsigned nspecs;
static struct arena specs_mem;
static int map_fd = -1, image_fd = -1;
static char map_path[32], image_path[32];
static const char *telling;		/* the oracle that is asked */

__attribute__((noreturn)) static void wrong(const char *what, uint64_t is, uint64_t want)
{
	fprintf(stderr, "%s: %s: %llu, not %llu\n", telling, what, (unsigned long long)is,
		(unsigned long long)want);
	abort();
}

/* ---- machines ------------------------------------------------------------------------ */

static bool open_spec(char *line)
{
	char *words[5] = { NULL };
	unsigned n = 0;

	for (char *s = strtok(line, ","); s && n < 5; s = strtok(NULL, ","))
		words[n++] = s;
	if (n < 5)
		return false;
	specs[nspecs].cpu = words[0];
	specs[nspecs].layout = words[1];
	return script_read(&specs[nspecs++].script, words[2], words[3], atoi(words[4]));
}

static int memory_file(const char *name, char *path, size_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *all = getenv("VMCENSUS_FUZZ_MACHINES");
	char *rest = arena_strdup(&specs_mem, all ? all : "");

	(void)argc, (void)argv;
	/* a reader has 2 MiB, of which a small machine touches little: fresh pages are cheaper */
	mallopt(M_MMAP_THRESHOLD, 1 << 19);
	map_fd = memory_file("map", map_path, sizeof(map_path));
	image_fd = memory_file("image", image_path, sizeof(image_path));
	for (char *s; nspecs < MACHINES && (s = strsep(&rest, " "));)
		if (*s && !open_spec(s))
			exit(1);
	if (nspecs && map_fd >= 0 && image_fd >= 0)
		return 0;
	fputs("VMCENSUS_FUZZ_MACHINES must name machines\n", stderr);
	exit(1);
}

/* ---- oracles ------------------------------------------------------------------------------- */

static void check_value(const char *what, uint64_t is, uint64_t want)
{
	if (is != want)
		wrong(what, is, want);
}

static const struct proc_row *row_of(const struct table *t, int pid)
{
	for (size_t i = 0; i < t->nrows; i++) {
		const struct proc_row *r = table_row(t, i);

		if (r->pid == pid)
			return r;
	}
	wrong("no such process", 0, (uint64_t)pid);
}

static void check_truth(const struct made *m, const struct table *t)
{
	for (unsigned i = 0; i < m->n; i++) {
		const struct made_proc *want = &m->proc[i];
		const struct proc_row *row = row_of(t, want->pid);

		check_value("size", row->u.size, want->size);
		if (!want->rss_known)
			continue;
		check_value("rss", row->u.rss, want->rss);
		check_value("swap", row->u.swap, want->swap);
		if (!want->pss_known)
			continue;
		check_value("uss", row->u.uss, want->uss);
		if (row->u.pss < want->pss || row->u.pss > want->pss + want->pages)
			wrong("pss", row->u.pss, want->pss);
	}
}

static void check_rows(const struct snapshot *s, const struct table *t, bool clean)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->nrows; i++) {
		const struct proc_row *r = table_row(t, i);

		if (clean && r->mm && (r->u.rss == COL_UNKNOWN || r->u.swap == COL_UNKNOWN))
			wrong("unknown, and no issue", 0, (uint64_t)r->pid);
		if (r->u.rss == COL_UNKNOWN || r->u.pss == COL_UNKNOWN || r->u.huge)
			continue;
		if (clean && r->u.uss != COL_UNKNOWN && r->u.uss > r->u.pss + 4095)
			wrong("uss above pss", r->u.uss, r->u.pss);
		if (r->u.pss > r->u.rss + 4095)
			wrong("pss above rss", r->u.pss, r->u.rss);
		if (r->mm_shared < 2)
			sum += r->u.pss;
	}
	if (clean && sum > s->k->dump->max_pfn << s->k->page_shift)
		wrong("pss above RAM", sum, s->k->dump->max_pfn << s->k->page_shift);
}

/* The vmas of each process add up to it. */
static void check_vmas(const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nmms; i++) {
		const struct mm *mm = &s->mms[i];
		struct usage sum = { 0 };

		for (uint32_t v = 0; v < mm->nvmas; v++)
			usage_add(&sum, &s->vmas[mm->first_vma + v].usage);
		check_value("rss of vmas", sum.rss, mm->usage.rss);
		check_value("pss of vmas", sum.pss, mm->usage.pss);
		check_value("swap of vmas", sum.swap, mm->usage.swap);
	}
}

/* ---- answers ------------------------------------------------------------------------------ */

static void print(const struct snapshot *s, const struct report *r, const struct report_opts *o,
		  const struct table *t, FILE *out)
{
	const struct column *cols[256];
	struct render render = {
		.report = r,
		.opts = o,
		.s = s,
		.t = t,
		.cols = cols,
		.units = { UNIT_BYTES, UINT32_C(1) << s->k->page_shift },
	};

	for (unsigned i = 0; i < r->ncols && render.ncols < ARRAY_LEN(cols); i++)
		if (!(r->cols[i].needs & ~s->built))
			cols[render.ncols++] = &r->cols[i];
	fprintf(out, "== %s\n", r->name);
	render_csv(&render, out);
}

static void run(const struct made *m, struct snapshot *s, const struct capsule_part *p, FILE *out)
{
	const struct report *r = p->report;
	struct table t = { .cols = r->cols, .ncols = r->ncols };
	bool clean = !issues_total(s->k->issues);
	struct diag diag;

	if (!(r->needs & ~(s->built | NEEDS_LATER)) && !r->run(s, &p->opts, &t, &diag)) {
		print(s, r, &p->opts, &t, out);
		if (r == &report_procs && !p->opts.by) {
			telling = "procs";
			check_rows(s, &t, clean);
			if (clean && !m->damaged)
				check_truth(m, &t);
		}
	}
	arena_release(&t.mem);
}

static void put_issues(const struct issues *is, FILE *out)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < is->n; i++)
		if (is->v[i].kind != ST_TORN)
			sum += is->v[i].count * (is->v[i].kind + 1u) * (uint8_t)is->v[i].object[0];
	fprintf(out, "issues %llu\n", (unsigned long long)sum);
}

/* What an input asks for. */
struct ask {
	struct capsule_part part[PARTS];
	unsigned n, needs, how;
};

static void ask_of(struct ask *ask, unsigned which, unsigned how)
{
	unsigned all = 0;

	ask->how = how;
	ask->needs = NEED_LOG;
	while (all < PARTS && capsule_part(all, &ask->part[all]))
		all++;
	ask->n = which == 255 ? all : 1;
	if (ask->n == 1)
		ask->part[0] = ask->part[which % all];
	for (unsigned i = 0; i < ask->n; i++)
		ask->needs |= ask->part[i].report->needs | ask->part[i].report->wants;
}

/* PART[0..n) of a snapshot with NEEDS, beside the issues of OPENED. False: its memory is too little. */
static bool snapshot_run(const struct made *m, struct kernel *k, const struct issues *opened,
			 unsigned needs, const struct capsule_part *part, unsigned n, FILE *out)
{
	struct snapshot *s;
	bool built;

	issues_release(k->issues);
	issues_init(k->issues);
	issues_copy(k->issues, opened);
	s = snapshot_build(k, needs, NULL);
	built = !s->refused;
	telling = "snapshot";
	if (built && needs & NEED_USAGE)
		check_vmas(s);
	for (unsigned i = 0; built && i < n; i++)
		run(m, s, &part[i], out);
	put_issues(k->issues, out);
	snapshot_free(s);
	return built;
}

/* The reports of K that are asked for; NULL: its memory is too little. */
static char *answers(const struct made *m, struct kernel *k, const struct issues *opened,
		     const struct ask *ask)
{
	/* alone: what others find is none of its issues */
	const struct capsule_part procs = { .report = &report_procs };
	unsigned needs = report_procs.needs;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	bool whole = snapshot_run(m, k, opened, needs, &procs, 1, out) &&
		     snapshot_run(m, k, opened, ask->needs, ask->part, ask->n, out);

	fclose(out);
	if (!whole) {
		free(text);
		text = NULL;
	}
	return text;
}

static void check_same(const char *what, const char *a, const char *b)
{
	size_t i = 0, line = 0;

	if (!a || !b || !strcmp(a, b))
		return;
	for (; a[i] && a[i] == b[i]; i++)
		if (a[i] == '\n')
			line = i + 1;
	fprintf(stderr, "%s\n%.300s\n%.300s\n", what, a + line, b + line);
	abort();
}

static void analyse(const struct made *m, const struct spec *spec, const struct ask *ask)
{
	const char *images[] = { image_path }, *types[] = { spec->layout, map_path };
	struct kernel_opts ko = {
		.images = images, .nimages = 1, .types = types, .ntypes = 2, .jobs = 1
	};
	struct issues opened;
	struct kernel *k;
	struct diag diag;
	char *one, *other;

	if (kernel_open(&ko, &diag, &k))
		return;
	issues_init(&opened);
	issues_copy(&opened, k->issues);
	one = answers(m, k, &opened, ask);
	if (ask->how & 1) {
		k->jobs = 2;
		other = answers(m, k, &opened, ask);
		check_same("one thread, and two", one, other);
		free(other);
		k->jobs = 1;
	}
	if (ask->how & 2) {
		k->memory = memory_resident() + (UINT64_C(4) << 20);
		other = answers(m, k, &opened, ask);
		check_same("all memory, and little", one, other);
		free(other);
	}
	free(one);
	issues_release(&opened);
	kernel_close(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct spec *spec;
	struct script edited;
	struct made made;
	struct ask ask;

	if (size < 3)
		return 0;
	ask_of(&ask, data[2], data[1]);
	spec = &specs[data[0] % nspecs];
	script_edit(&edited, &spec->script, data + 3, size - 3);
	if (getenv("VMCENSUS_FUZZ_SHOW"))
		fprintf(stderr, "%s %s\n%.*s", spec->cpu, spec->layout, (int)edited.n, edited.text);
	if (machine_make(spec->cpu, spec->layout, edited.text, edited.n, map_path, image_fd, &made))
		analyse(&made, spec, &ask);
	script_free(&edited);
	return 0;
}
