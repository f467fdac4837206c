/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lies - one member of one object of a real dump is altered, and every report that reads it is
 * asked again.
 *
 *	lies --facts		each fact of the tables: its name, and what kind it is
 *	lies [-p I/N] [-s FACT] [-d DIR] IMAGE...
 *				for every N-th member and variable from the I-th on (or FACT only),
 *				and each lie: a line MEMBER LIE OUTCOME. DIR gets what each report
 *				printed without a lie (REPORT) and what was believed
 *				(MEMBER.LIE.REPORT)
 *
 * The accessors of model/kernel/kobj.h are wrapped by the linker: a run without damage tells which
 * members each report reads, and of which objects. A member whose value is an address of the
 * kernel's gets the lies of pointers; any other those of numbers:
 *
 *	null self neighbour unaligned user top cycle	zero ones top
 *
 * "cycle" points to the object that the member is in, "self" to the member. Outcomes:
 *
 *	same		exit status 0, and what is printed has not changed
 *	told		exit status 1 or 2, or a row of "check"
 *	believed	exit status 0, and something else is printed
 *	crash, slow, big	a signal, more than 10 s of processor time, more than 512 MiB
 *
 * Members that no wrapped accessor reads (lists, trees, struct page) are altered in the objects
 * that are known of their struct. Truth is the run without damage. Exit status: 1 if it is not 0
 * there.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/run.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "model/kernel/kobj.h"
#include "model/kernel/page/memmap.h"
#include "reports/core/list.h"

#define SECONDS 10
#define BYTES_MAX (512l << 10)		/* KiB, as rusage has them */
#define OBJECTS 512u			/* remembered of one struct */
#define STRUCTS 512u

/* Reports that are not asked: their rows are sums of those of others, as many as pages, or of no memory;
   this kernel has none (config); or their answers to lies are not in lies.txt yet. The pages of zeros that this dump
   lacks leave the answer to "unreached", "paths" and "refs" open; "who" and "sql" need a word. */
static const char *const left_out[] = {
	"programs", "users", "costs", "smaps", "maps", "files", "sections", "symbols", "units", "total",
	"alerts", "pages", "layout", "config", "tasks", "panic", "oom", "thrash", "numa",
	"unreached", "paths", "refs", "who", "sql",
};

#define R(name, room) +1
enum { REPORTS = 0
#include "reports/core/reports.def"
};
#undef R
static_assert(REPORTS <= 64, "a bit for each report");


struct of_struct {
	char name[64];
	uint64_t addr[OBJECTS];
	unsigned n;
	uint64_t reports;	/* bits of reports[] that read one */
};

static struct of_struct structs[STRUCTS];
static unsigned nstructs;
static struct {
	uint64_t reports;
	unsigned width;
} variables[LAYOUT_COUNT];	/* of the kernel, by symbol */
static struct kernel *kernel;
static uint64_t recording;	/* the bit of the report that runs; 0: none */

/* ---- which members are read, of which objects ------------------------------------------ */

static struct of_struct *struct_of(enum layout_id id)
{
	const struct fact *f = &kernel->layout.v[id];
	const char *spelling = fact_specs[id].alt[f->alt];
	size_t n = strcspn(spelling, ".");
	unsigned i;

	for (i = 0; i < nstructs; i++)
		if (!strncmp(structs[i].name, spelling, n) && !structs[i].name[n])
			return &structs[i];
	if (n >= sizeof(structs->name) || nstructs == STRUCTS)
		abort();
	memcpy(structs[nstructs].name, spelling, n);
	return &structs[nstructs++];
}

static void note(const struct kernel *k, uint64_t addr, enum layout_id id)
{
	struct of_struct *s;

	if (!recording || k != kernel || !has(k, id))
		return;
	s = struct_of(id);
	s->reports |= recording;
	for (unsigned i = s->n; i-- > 0 && i + 64 > s->n;)
		if (s->addr[i] == addr)
			return;
	if (s->n < OBJECTS)
		s->addr[s->n++] = addr;
}

uint64_t __real_kobj_u64(const struct kobj *o, enum layout_id id);
uint64_t __wrap_kobj_u64(const struct kobj *o, enum layout_id id);
int64_t __real_kobj_int(const struct kobj *o, enum layout_id id);
int64_t __wrap_kobj_int(const struct kobj *o, enum layout_id id);
uint64_t __real_kobj_elem(const struct kobj *o, enum layout_id id, uint32_t i);
uint64_t __wrap_kobj_elem(const struct kobj *o, enum layout_id id, uint32_t i);
uint64_t __real_kobj_member_kva(const struct kobj *o, enum layout_id id);
uint64_t __wrap_kobj_member_kva(const struct kobj *o, enum layout_id id);
enum status __real_kmember_u64(const struct kernel *k, struct reader *r, uint64_t addr,
			       enum layout_id id, uint64_t *ret);
enum status __wrap_kmember_u64(const struct kernel *k, struct reader *r, uint64_t addr,
			       enum layout_id id, uint64_t *ret);

enum status __real_kvar_u64(const struct kernel *k, struct reader *r, enum layout_id id,
			    unsigned size, uint64_t *ret);
enum status __wrap_kvar_u64(const struct kernel *k, struct reader *r, enum layout_id id,
			    unsigned size, uint64_t *ret);

enum status __wrap_kvar_u64(const struct kernel *k, struct reader *r, enum layout_id id,
			    unsigned size, uint64_t *ret)
{
	variables[id].reports |= k == kernel ? recording : 0;
	variables[id].width = size ? size : k->dump->word_size;
	return __real_kvar_u64(k, r, id, size, ret);
}

uint64_t __wrap_kobj_u64(const struct kobj *o, enum layout_id id)
{
	note(o->k, o->addr, id);
	return __real_kobj_u64(o, id);
}

int64_t __wrap_kobj_int(const struct kobj *o, enum layout_id id)
{
	note(o->k, o->addr, id);
	return __real_kobj_int(o, id);
}

uint64_t __wrap_kobj_elem(const struct kobj *o, enum layout_id id, uint32_t i)
{
	note(o->k, o->addr, id);
	return __real_kobj_elem(o, id, i);
}

uint64_t __wrap_kobj_member_kva(const struct kobj *o, enum layout_id id)
{
	note(o->k, o->addr, id);
	return __real_kobj_member_kva(o, id);
}

enum status __wrap_kmember_u64(const struct kernel *k, struct reader *r, uint64_t addr,
			       enum layout_id id, uint64_t *ret)
{
	note(k, addr, id);
	return __real_kmember_u64(k, r, addr, id, ret);
}

/* ---- the dump, with one word replaced ----------------------------------------------------- */

static struct {
	const struct pages_ops *ops;
	void *self;
	uint64_t pa, value;
	unsigned width;		/* 0: no lie */
	char name[96];		/* as a prefix of files: "MEMBER.LIE." */
} lie;

static bool lie_present(void *self, uint64_t pfn)
{
	(void)self;
	return lie.ops->present(lie.self, pfn);
}

static enum status lie_read(void *self, void *ctx, uint64_t pfn, uint8_t *out)
{
	enum status st = lie.ops->read(lie.self, ctx, pfn, out);
	unsigned shift = kernel->page_shift;

	(void)self;
	if (!st && lie.width && lie.pa >> shift == pfn)
		store_uint(out + (lie.pa & ((UINT64_C(1) << shift) - 1)), lie.value, lie.width,
			   kernel->dump->big_endian);
	return st;
}

static void *lie_ctx_new(void *self)
{
	(void)self;
	return lie.ops->ctx_new ? lie.ops->ctx_new(lie.self) : NULL;
}

static void lie_ctx_free(void *self, void *ctx)
{
	(void)self;
	if (lie.ops->ctx_free)
		lie.ops->ctx_free(lie.self, ctx);
}

static const struct pages_ops lie_ops = {
	.present = lie_present, .read = lie_read, .ctx_new = lie_ctx_new,
	.ctx_free = lie_ctx_free,
};

/* ---- reports ------------------------------------------------------------------------------- */

struct answer {
	int32_t status;		/* of the report, or -1: it was not asked */
	uint64_t sum;		/* of what it printed */
};

static enum status give_kernel(void *host, const struct kernel_opts *ko, struct diag *diag,
			       struct kernel **ret)
{
	(void)host, (void)ko, (void)diag;
	*ret = kernel;
	return ST_OK;
}

static const char *kept;		/* a directory for what was printed; NULL: not kept */

/* TEXT as a file of KEPT: REPORT, after the name of the lie if there is one. */
static void keep(const char *report, const char *text, size_t len)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s%s", kept, lie.width ? lie.name : "", report);
	f = fopen(path, "w");
	if (!f)
		abort();
	fwrite(text, 1, len, f);
	fclose(f);
}

static struct answer whole[REPORTS];	/* without damage */

static struct answer ask(unsigned which)
{
	const char *report = reports[which]->name;
	const char *const words[] = { "lies", "-q", "-j1", "-f", "csv", report };
	char *argv[ARRAY_LEN(words)];
	struct run run = { .open = give_kernel };
	struct answer a = { .sum = UINT64_C(0xcbf29ce484222325) };
	char *text = NULL;
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		argv[i] = strdup(words[i]);
	run.out = open_memstream(&text, &len);
	a.status = options_parse_hosted(&run.o, ARRAY_LEN(words), argv, "dump", &run.diag);
	if (!a.status)
		a.status = run_report(&run);
	run.k = NULL; /* it is ours */
	fflush(run.out);
	for (size_t i = 0; i < len; i++)
		a.sum = (a.sum ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
	fclose(run.out);
	if (kept && !a.status && a.sum != whole[which].sum)
		keep(report, text, len);
	run_end(&run);
	issues_release(kernel->issues);
	issues_init(kernel->issues);
	free(text);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		free(argv[i]);
	return a;
}

/* In a process of its own: the reports of WHICH; its end says the outcome. */
static __attribute__((noreturn)) void try_lie(uint64_t which)
{
	const struct rlimit cpu = { SECONDS, SECONDS + 2 }, core = { 0, 0 };
	bool told = false, changed = false, finds;

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
	for (unsigned i = 0; i < REPORTS; i++) {
		struct answer a;

		if (!(which >> i & 1))
			continue;
		a = ask(i);
		/* what check prints are findings */
		finds = reports[i] == &report_check;
		told |= a.status != 0 || (finds && a.sum != whole[i].sum);
		changed |= !finds && !a.status && a.sum != whole[i].sum;
	}
	_exit(changed ? 2 : told ? 1 : 0);
}

static const char *outcome(uint64_t which)
{
	static const char *const ends[] = { "same", "told", "believed" };
	struct rusage used;
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		try_lie(which);
	if (pid < 0 || wait4(pid, &status, 0, &used) < 0)
		abort();
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? "slow"
										  : "crash";
	if (used.ru_maxrss > BYTES_MAX)
		return "big";
	return WEXITSTATUS(status) < 3 ? ends[WEXITSTATUS(status)] : "crash";
}

/* ---- the lies of a member --------------------------------------------------------------------- */

struct victim {
	uint64_t base, kva, old, other;	/* OTHER: the value in another object */
	bool is_pointer;
};

static bool readable(struct reader *r, uint64_t kva)
{
	uint8_t byte;

	return kva >> 63 && !read_kva(r, kva, &byte, 1);
}

static unsigned width_of(const struct member *m)
{
	unsigned w = m->is_array ? m->stride : m->size;

	/* a list or a lock: its first word */
	return w > kernel->dump->word_size ? kernel->dump->word_size : w;
}

/* The middle one of the objects whose member is a pointer; else of all of them. */
static bool find_victim(struct reader *r, const struct of_struct *s, const struct member *m,
			struct victim *v)
{
	struct victim found[OBJECTS];
	unsigned n = 0, pointers = 0, w = width_of(m);

	for (unsigned i = 0; i < s->n; i++) {
		struct victim x = { .base = s->addr[i], .kva = s->addr[i] + m->offset };

		if (!readable(r, x.kva) || read_kva_uint(r, x.kva, w, &x.old))
			continue;
		x.is_pointer = w == kernel->dump->word_size && readable(r, x.old);
		if (x.is_pointer && !pointers)
			n = 0;
		if (pointers && !x.is_pointer)
			continue;
		pointers += x.is_pointer;
		found[n++] = x;
	}
	if (!n)
		return false;
	*v = found[n / 2];
	v->other = v->old;
	for (unsigned i = 0; i < n && v->other == v->old; i++)
		v->other = found[i].old;
	return true;
}

static void tell_lie(enum layout_id id, const struct victim *v, uint64_t which, const char *name,
		     uint64_t value)
{
	if (value == v->old)
		return;
	lie.value = value;
	snprintf(lie.name, sizeof(lie.name), "%s.%s.", fact_specs[id].id, name);
	printf("%s %s %s\n", fact_specs[id].id, name, outcome(which));
	fflush(stdout);
}

static void lies_of(enum layout_id id, const struct victim *v, unsigned w, uint64_t which)
{
	lie.width = w;
	if (v->is_pointer) {
		tell_lie(id, v, which, "null", 0);
		tell_lie(id, v, which, "self", v->kva);
		tell_lie(id, v, which, "neighbour", v->other);
		tell_lie(id, v, which, "unaligned", v->old + 1);
		tell_lie(id, v, which, "user", 0x400000);
		tell_lie(id, v, which, "top", UINT64_C(1) << 63);
		tell_lie(id, v, which, "cycle", v->base);
	} else {
		tell_lie(id, v, which, "zero", 0);
		tell_lie(id, v, which, "ones", w < 8 ? (UINT64_C(1) << 8 * w) - 1 : UINT64_MAX);
		tell_lie(id, v, which, "top", UINT64_C(1) << (8 * w - 1));
	}
	lie.width = 0;
}

static bool of_member(struct reader *r, enum layout_id id)
{
	const struct of_struct *s = struct_of(id);
	const struct member *m = &kernel->layout.v[id].m;
	unsigned w = width_of(m);
	struct victim v;

	if (!w || !s->reports || !find_victim(r, s, m, &v) || reader_kvtop(r, v.kva, &lie.pa, NULL))
		return false;
	lies_of(id, &v, w, s->reports);
	return true;
}

static bool of_variable(struct reader *r, enum layout_id id)
{
	struct victim v = { .kva = layout_symbol(&kernel->layout, id) };
	unsigned w = variables[id].width;

	v.base = v.kva;
	if (!variables[id].reports || read_kva_uint(r, v.kva, w, &v.old) ||
	    reader_kvtop(r, v.kva, &lie.pa, NULL))
		return false;
	v.other = v.old;
	v.is_pointer = w == kernel->dump->word_size && readable(r, v.old);
	lies_of(id, &v, w, variables[id].reports);
	return true;
}

static void of_fact(struct reader *r, enum layout_id id)
{
	bool member = fact_specs[id].kind == FACT_MEMBER;

	if (!has(kernel, id))
		printf("%s - absent\n", fact_specs[id].id);
	else if (!(member ? of_member(r, id) : of_variable(r, id)))
		printf("%s - unread\n", fact_specs[id].id);
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static int list_facts(void)
{
	static const char *const kinds[] = { "member", "size", "enum", "symbol" };

	for (int i = 0; i < LAYOUT_COUNT; i++)
		if (fact_specs[i].id)
			printf("%s %s\n", fact_specs[i].id, kinds[fact_specs[i].kind]);
	return 0;
}

/* Is it made of one dump, and asked? */
static bool is_asked(const struct report *r)
{
	for (unsigned i = 0; i < ARRAY_LEN(left_out); i++)
		if (!strcmp(r->name, left_out[i]))
			return false;
	return r->run && !r->products && !r->compares && !r->many;
}

static bool run_whole(void)
{
	for (unsigned i = 0; i < REPORTS; i++) {
		if (!is_asked(reports[i]))
			continue;
		recording = UINT64_C(1) << i;
		whole[i] = ask(i);
		recording = 0;
		if (!whole[i].status)
			continue;
		fprintf(stderr, "lies: %s has exit status %d without a lie\n", reports[i]->name,
			whole[i].status);
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct kernel_opts o = { .jobs = 1 };
	unsigned part = 0, parts = 1;
	const char *only = NULL;
	struct reader *r;
	struct diag diag;
	int c;

	if (argc > 1 && !strcmp(argv[1], "--facts"))
		return list_facts();
	while ((c = getopt(argc, argv, "p:s:d:")) > 0) {
		if (c == 's')
			only = optarg;
		else if (c == 'd')
			kept = optarg;
		else if (c != 'p' || sscanf(optarg, "%u/%u", &part, &parts) != 2 || !parts)
			return 64;
	}
	o.images = (const char *const *)argv + optind;
	o.nimages = (unsigned)(argc - optind);
	if (!o.nimages || kernel_open(&o, &diag, &kernel)) {
		fprintf(stderr, "lies: %s\n", o.nimages ? diag.text : "name a dump");
		return 64;
	}
	lie.ops = kernel->dump->pages;
	lie.self = kernel->dump->pages_self;
	kernel->dump->pages = &lie_ops;
	if (!run_whole())
		return 1;
	r = kernel_reader(kernel);
	for (int i = 0; i < LAYOUT_COUNT; i++) {
		bool in_memory = fact_specs[i].id && (fact_specs[i].kind == FACT_MEMBER ||
						      fact_specs[i].kind == FACT_SYMBOL);

		if (in_memory && (unsigned)i % parts == part % parts &&
		    (!only || !strcmp(only, fact_specs[i].id)))
			of_fact(r, (enum layout_id)i);
	}
	reader_free(r);
	kernel_close(kernel);
	return 0;
}
