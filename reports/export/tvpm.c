/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of the collector of "Linux Physical Memory Analysis" (USENIX 2005), as
 * model/memory/source/tvpm.c reads it, for any dump: for the paper's own tools, and as a sample
 * of a machine that is small enough to keep.
 *
 * Entries have the low bits of the machine's own page tables on x86, and those of PowerPC
 * 40x on all others, as arch/ptebits.h says. Counts are page->count for 2.4, mapcounts for
 * later kernels. Pages that are not counted resident (zero page, device memory) are left
 * out.
 */
#include <inttypes.h>
#include <string.h>

#include "model/memory/areas/listed_pages.h"
#include "model/memory/source/capture.h"
#include "reports/core/common.h"
#include "reports/export/products.h"

#define ITEMS_LINE 3
#define JIFFY 10000000u		/* ns; HZ is 100 */

struct writer {
	const struct snapshot *s;
	const struct ptebits *bits;
	struct listed_pages *listed;
	FILE *out;
	/* of the vma */
	struct capture_counts n;
	uint64_t pages;
};

/* Text of the dump in a line: a newline would begin another. */
static void put_plain(FILE *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] == '\n' || s[i] == '\r')
			fputs(s[i] == '\n' ? "\\012" : "\\015", out);
		else
			putc(s[i], out);
}

/* ---- pages ------------------------------------------------------------------------- */

static bool put_page(void *arg, const struct listed_page *p)
{
	struct writer *w = arg;

	if (w->pages % ITEMS_LINE == 0)
		fputs(w->pages ? "\n" : "M: ", w->out);
	else
		putc(' ', w->out);
	fprintf(w->out, "%08" PRIX64 "=%08" PRIX64 ", %" PRIu32 ", %08" PRIX64 " |", p->va,
		p->pfn << w->s->k->page_shift | p->bits, p->count, p->flags);
	w->pages++;
	return !ferror(w->out);
}

static bool count_page(void *arg, const struct listed_page *p)
{
	struct writer *w = arg;

	w->n.user += p->bits & w->bits->user ? 1 : 0;
	/* Linux knows no such bit on the paper's 40x: 0 there */
	w->n.exec += p->exec ? 1 : 0;
	w->n.readonly += p->bits & w->bits->rw ? 0 : 1;
	w->n.single += p->count < 2;
	w->n.shared += p->count > 1;
	w->pages++;
	return true;
}

/* ---- tasks and VMAs -------------------------------------------------------------------- */

/* Up to the first dot of its last component, as the collector cut names. */
static size_t cut(const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t dir = slash ? (size_t)(slash + 1 - name) : 0;
	size_t dots = strspn(name + dir, ".");

	return dir + dots + strcspn(name + dir + dots, ".");
}

static void tvpm_vma(struct writer *w, const struct vma *v)
{
	const struct file *f = v->file < w->s->nfiles ? &w->s->files[v->file] : NULL;
	const struct capture_vma *given = source_given_vma(w->s, v);
	uint64_t prot = given ? given->prot : ptebits_prot(w->bits, v->flags);
	uint64_t size = v->end - v->start, rss;

	w->n = (struct capture_counts){ 0 };
	w->pages = 0;
	listed_pages_each(w->listed, v, count_page, w);
	rss = given ? given->rss : w->pages * page_size(w->s);
	if (given && given->counts.given)
		w->n = given->counts;
	fprintf(w->out,
		"V: %08" PRIX64 ", %08" PRIX64 ", %08" PRIX64 ", %08" PRIX64 ", %08" PRIX64
		", %08" PRIX64 ", ",
		v->start, v->end - 1, size, rss, prot, v->flags);
	if (f && f->path && *f->path)
		put_plain(w->out, f->path, cut(f->path));
	else
		fputs("NULL", w->out);
	fprintf(w->out, "\nP: %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "\n",
		w->n.user, w->n.exec, w->n.readonly, w->n.single, w->n.shared);
	if (!w->pages)
		return;
	w->pages = 0;
	listed_pages_each(w->listed, v, put_page, w);
	putc('\n', w->out);
}

/*
 * min_flt and maj_flt, the same for children (a dump's tasks do not have them), and utime
 * and stime in jiffies of 10 ms, as in 2.4.
 */
static void numbers(const struct writer *w, const struct task *t, uint64_t *n)
{
	const uint64_t *given = source_given_numbers(w->s, t->pid);

	memset(n, 0, 6 * sizeof(*n));
	if (given) {
		memcpy(n, given, 6 * sizeof(*n));
		return;
	}
	n[0] = known_or_0(t->min_flt);
	n[1] = known_or_0(t->maj_flt);
	n[4] = known_or_0(t->utime) / JIFFY;
	n[5] = known_or_0(t->stime) / JIFFY;
}

static void put_task(struct writer *w, const struct task *t, const struct mm *mm)
{
	size_t len = strnlen(t->comm, 8);
	uint64_t n[6];

	numbers(w, t, n);
	fputs("T: ", w->out);
	put_plain(w->out, t->comm, len);
	fprintf(w->out, "%*s, %d, %08" PRIx64 ", %" PRIu32, (int)(8 - len), "", t->pid,
		mm ? mm->addr : 0, t->cpu);
	for (unsigned i = 0; i < 6; i++)
		fprintf(w->out, ", %" PRIu64, n[i]);
	putc('\n', w->out);
}

static void tvpm_process(struct writer *w, const struct proc *p)
{
	for (uint32_t i = 0; i < p->ntasks && p->first_task + i < w->s->ntasks; i++) {
		const struct task *t = &w->s->tasks[p->first_task + i];
		const struct mm *mm = t->mm < w->s->nmms ? &w->s->mms[t->mm] : NULL;

		put_task(w, t, mm);
		for (uint32_t v = 0; mm && v < mm->nvmas; v++)
			tvpm_vma(w, &w->s->vmas[mm->first_vma + v]);
	}
}

enum status export_tvpm(const struct snapshot *s, const struct report_opts *o, const char *dest,
			FILE *out, struct diag *diag)
{
	struct writer w = { .s = s, .out = out };
	uint32_t first, end;
	enum status st = procs_range(s, o, diag, &first, &end);

	(void)dest;
	w.listed = listed_pages_new(s, 2); /* each page is counted, then written */
	w.bits = listed_pages_bits(w.listed);
	for (uint32_t i = first; !st && i < end && !ferror(out); i++)
		tvpm_process(&w, &s->procs[i]);
	listed_pages_free(w.listed);
	return st;
}
