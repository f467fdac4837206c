/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smem.c - the four views of smem 1.5 (Matt Mackall), in KiB as smaps has them.
 *
 * Column widths, order and arithmetic are those of smem, without its known errors: a name
 * with blanks is complete, a process without arguments is shown, processes that share an
 * mm cost once.
 */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/search.h"
#include "reports/compat/like.h"
#include "reports/process/accounts.h"
#include "reports/process/users.h"

#define N8 "%8s "

/* ---- smem --------------------------------------------------------------------- */

static void proc_line(const struct snapshot *s, const struct accounts *a, const struct proc *p,
		      struct arena *mem, FILE *out)
{
	const struct sums sum = sums_of_mm(s, proc_mm(s, p), SUMS_KIB);

	fprintf(out, "%5d ", p->pid);
	put_field(out, accounts_name(a, p->euid, mem), 8, 0);
	putc(' ', out);
	put_field(out, proc_command(s, p, mem), 27, 27);
	fprintf(out, " " N8 N8 N8 N8 "\n", number_of(sum.swap).text, number_of(sum.uss).text,
		number_of(sum.pss).text, number_of(sum.rss).text);
}

LIKE_TEXT(smem_procs_text)
{
	struct arena mem = { 0 };
	struct accounts a;

	accounts_read(&a, o->sysroot, &mem);
	fprintf(out, "%5s %-8s %-27s %8s %8s %8s %8s \n", "PID", "User", "Command", "Swap", "USS",
		"PSS", "RSS");
	for (size_t i = 0; i < t->nrows; i++) {
		const struct proc *p = row_proc(s, t, i);

		if (p && proc_mm(s, p) && proc_mm(s, p)->nvmas)
			proc_line(s, &a, p, &mem, out);
	}
	arena_release(&mem);
}

/* ---- smem -u ------------------------------------------------------------------ */

LIKE_TEXT(smem_users_text)
{
	(void)s;
	(void)o;
	fprintf(out, "%-8s %5s %8s %8s %8s %8s \n", "User", "Count", "Swap", "USS", "PSS", "RSS");
	for (size_t i = 0; i < t->nrows; i++) {
		const struct user_row *r = (const struct user_row *)t->rows + i;

		put_field(out, r->user, 8, 0);
		fprintf(out, " %5" PRIu64 " " N8 N8 N8 N8 "\n", r->procs,
			number_of(r->kib.swap).text, number_of(r->kib.uss).text,
			number_of(r->kib.pss).text, number_of(r->kib.rss).text);
	}
}

/* ---- smem -m ------------------------------------------------------------------ */

static int by_pss(const void *pa, const void *pb)
{
	const struct mapped_name *a = pa, *b = pb;

	if (a->kib.pss != b->kib.pss)
		return a->kib.pss < b->kib.pss ? -1 : 1;
	return strcmp(a->name, b->name);
}

LIKE_TEXT(smem_maps_text)
{
	struct arena mem = { 0 };
	struct shares sh;

	(void)s;
	(void)o;
	shares_build(t, "<anonymous>", &mem, &sh);
	sort_array(sh.names.v, sh.names.n, sizeof(*sh.names.v), by_pss);
	fprintf(out, "%-40s %5s %8s %8s \n", "Map", "PIDs", "AVGPSS", "PSS");
	for (size_t i = 0; i < sh.names.n; i++) {
		const struct mapped_name *n = &sh.names.v[i];

		put_field(out, n->name, 40, 40);
		fprintf(out, " %5u " N8 N8 "\n", n->nprocs,
			number_of(n->kib.pss == COL_UNKNOWN ? COL_UNKNOWN : n->kib.pss / n->nprocs)
				.text,
			number_of(n->kib.pss).text);
	}
	arena_release(&mem);
}

/* ---- smem -w ------------------------------------------------------------------ */

struct kib {
	int64_t v;
	bool unknown;
};

static struct kib kib_of(const struct snapshot *s, const char *line)
{
	uint64_t v = meminfo_bytes(s, line);

	return (struct kib){ (int64_t)(v >> 10), v == COL_UNKNOWN };
}

static struct kib plus(struct kib a, struct kib b)
{
	return (struct kib){ a.v + b.v, a.unknown || b.unknown };
}

static struct kib minus(struct kib a, struct kib b)
{
	return (struct kib){ a.v - b.v, a.unknown || b.unknown };
}

static void put_kib(FILE *out, struct kib n)
{
	if (n.unknown)
		fprintf(out, "%10s ", "-");
	else
		fprintf(out, "%10" PRId64 " ", n.v);
}

static void area(FILE *out, const char *name, struct kib used, struct kib cache)
{
	fprintf(out, "%-24s ", name);
	put_kib(out, used);
	put_kib(out, cache);
	put_kib(out, minus(used, cache));
	putc('\n', out);
}

LIKE_TEXT(smem_system_text)
{
	struct kib mapped = kib_of(s, "Mapped"), free_ = kib_of(s, "MemFree");
	struct kib user = plus(kib_of(s, "AnonPages"), mapped), none = { 0 };
	struct kib buffers = plus(kib_of(s, "Buffers"), kib_of(s, "SReclaimable"));

	(void)o;
	(void)t;
	fprintf(out, "%-24s %10s %10s %10s \n", "Area", "Used", "Cache", "Noncache");
	/* smem knows these two only from options: the size of RAM and the kernel's file */
	area(out, "firmware/hardware", none, none);
	area(out, "kernel image", none, none);
	area(out, "kernel dynamic memory", minus(minus(kib_of(s, "MemTotal"), free_), user),
	     plus(buffers, minus(kib_of(s, "Cached"), mapped)));
	area(out, "userspace memory", user, mapped);
	area(out, "free memory", free_, free_);
}
