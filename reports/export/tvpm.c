/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of the collector of "Linux Physical Memory Analysis" (USENIX 2005),
 * as model/source/tvpm.c reads it, of any dump: for the paper's own tools, and
 * as a sample of a machine that is small enough to keep.
 *
 * Entries carry the low bits of the machine's own page tables where it is an
 * x86, and those of PowerPC 40x for all others, as arch/ptebits.h
 * says. Counts are page->count with 2.4, and map counts since. Pages that are
 * not counted resident (zero page, device memory) are left out.
 */
#include <inttypes.h>
#include <string.h>

#include "model/source/capture.h"
#include "model/usage/account.h"
#include "model/page/pageraw.h"
#include "reports/core/common.h"
#include "reports/export/products.h"

#define ITEMS_LINE 3
#define JIFFY 10000000u		/* ns; HZ is 100 */

struct writer {
	const struct snapshot *s;
	const struct ptebits *bits;
	struct reader *r;
	struct pageraw raw;
	uint64_t zero, huge_zero;	/* frames that are nobody's */
	uint64_t left;			/* pages that may be written yet */
	FILE *out;
	/* of the VMA */
	const struct vma *v;
	struct capture_counts n;
	uint64_t pages;
	bool print;			/* second round: entries, not counts */
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

static uint32_t count_of(const struct writer *w, const struct vma_page *p, uint64_t pfn)
{
	const struct frame *f;

	if (p->captured)
		return p->captured->count;
	f = frame_at(&w->s->frames, pfn);
	/* 2.4 counts references alone */
	if (w->raw.f && !has(w->s->k, M_PAGE_MAPCOUNT))
		return pageraw_references(&w->raw, pfn);
	return f ? f->mapcount : 0;
}

static void put_page(struct writer *w, const struct vma_page *p, uint64_t va, uint64_t pfn)
{
	uint64_t flags = p->captured ? p->captured->flags : pageraw_flags(&w->raw, pfn);
	unsigned bits = p->captured ? p->captured->bits
				    : ptebits_encode(w->bits, p->pte.flags);

	if (w->pages % ITEMS_LINE == 0)
		fputs(w->pages ? "\n" : "M: ", w->out);
	else
		putc(' ', w->out);
	fprintf(w->out, "%08" PRIX64 "=%08" PRIX64 ", %" PRIu32 ", %08" PRIX64 " |", va,
		pfn << w->s->k->page_shift | bits, count_of(w, p, pfn), flags);
}

static void count_page(struct writer *w, const struct vma_page *p, uint64_t pfn)
{
	unsigned bits = p->captured ? p->captured->bits
				    : ptebits_encode(w->bits, p->pte.flags);
	uint32_t count = count_of(w, p, pfn);

	w->n.user += bits & w->bits->user ? 1 : 0;
	/* the paper's 40x has no such bit that Linux knows: 0 there */
	w->n.exec += !p->captured && p->pte.flags & PTE_EXEC ? 1 : 0;
	w->n.readonly += bits & w->bits->rw ? 0 : 1;
	w->n.single += count < 2;
	w->n.shared += count > 1;
}

/* Is it a page, and counted as resident? */
static bool counts(const struct writer *w, const struct vma_page *p, uint64_t pfn)
{
	const struct frame *f = frame_at(&w->s->frames, pfn);

	if (p->captured)
		return true;
	return !(p->pte.flags & PTE_SPECIAL) && p->pfn != w->zero && p->pfn != w->huge_zero &&
	       f && (f->flags & (FR_EXISTS | FR_UNREAD)) == FR_EXISTS;
}

static bool see(void *arg, const struct vma_page *p)
{
	struct writer *w = arg;
	uint64_t page = page_size(w->s), i, end;

	if (p->pte.kind != PTE_PAGE)
		return true;
	for (vma_page_clip(w->s, w->v, p, &i, &end); i < end; i++) {
		if (!counts(w, p, p->pfn + i))
			continue;
		if (!w->left)
			return false;
		if (!--w->left)
			issue_add(w->s->k->issues, ST_LIMIT, "page table", 1,
				  "more pages mapped than is believed");
		if (w->print)
			put_page(w, p, p->va + i * page, p->pfn + i);
		else
			count_page(w, p, p->pfn + i);
		w->pages++;
	}
	return !ferror(w->out);
}

/* ---- tasks and VMAs -------------------------------------------------------------------- */

/* Up to the first dot of its last part, as the collector cut names. */
static size_t cut(const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t dir = slash ? (size_t)(slash + 1 - name) : 0;
	size_t dots = strspn(name + dir, ".");

	return dir + dots + strcspn(name + dir + dots, ".");
}

static void put_vma(struct writer *w, const struct vma *v)
{
	const struct file *f = v->file < w->s->nfiles ? &w->s->files[v->file] : NULL;
	const struct capture_vma *given = source_given_vma(w->s, v);
	uint64_t prot = given ? given->prot : ptebits_prot(w->bits, v->flags);
	uint64_t size = v->end - v->start, rss;

	w->v = v;
	w->n = (struct capture_counts){ 0 };
	w->pages = 0;
	w->print = false;
	vma_walk(w->s, w->r, v, see, w);
	rss = given ? given->rss : w->pages * page_size(w->s);
	if (given && given->counts.given)
		w->n = given->counts;
	fprintf(w->out, "V: %08" PRIX64 ", %08" PRIX64 ", %08" PRIX64 ", %08" PRIX64 ", %08" PRIX64
		", %08" PRIX64 ", ", v->start, v->end - 1, size, rss, prot, v->flags);
	if (f && f->path && *f->path)
		put_plain(w->out, f->path, cut(f->path));
	else
		fputs("NULL", w->out);
	fprintf(w->out, "\nP: %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "\n",
		w->n.user, w->n.exec, w->n.readonly, w->n.single, w->n.shared);
	if (!w->pages)
		return;
	w->pages = 0;
	w->print = true;
	vma_walk(w->s, w->r, v, see, w);
	putc('\n', w->out);
}

static uint64_t known(uint64_t v)
{
	return v == UINT64_MAX ? 0 : v;
}

/*
 * min_flt and maj_flt, the same of children, which a dump's tasks do not tell,
 * and utime and stime in jiffies of 10 ms, as with 2.4.
 */
static void numbers(const struct writer *w, const struct task *t, uint64_t *n)
{
	const uint64_t *given = source_given_numbers(w->s, t->pid);

	memset(n, 0, 6 * sizeof(*n));
	if (given) {
		memcpy(n, given, 6 * sizeof(*n));
		return;
	}
	n[0] = known(t->min_flt);
	n[1] = known(t->maj_flt);
	n[4] = known(t->utime) / JIFFY;
	n[5] = known(t->stime) / JIFFY;
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

static void put_proc(struct writer *w, const struct proc *p)
{
	for (uint32_t i = 0; i < p->ntasks && p->first_task + i < w->s->ntasks; i++) {
		const struct task *t = &w->s->tasks[p->first_task + i];
		const struct mm *mm = t->mm < w->s->nmms ? &w->s->mms[t->mm] : NULL;

		put_task(w, t, mm);
		for (uint32_t v = 0; mm && v < mm->nvmas; v++)
			put_vma(w, &w->s->vmas[mm->first_vma + v]);
	}
}

enum status export_tvpm(const struct snapshot *s, const struct report_opts *o,
			const char *dest, FILE *out, struct diag *diag)
{
	struct writer w = { .s = s, .out = out, .r = kernel_reader(s->k) };
	uint32_t first, end;
	enum status st = procs_range(s, o, diag, &first, &end);

	(void)dest;
	w.bits = ptebits_of_arch(s->k->arch);
	pageraw_init(&w.raw, s, w.r);
	w.zero = w.huge_zero = UINT64_MAX;
	w.left = 2 * account_pages_max(s);	/* each is seen twice: counted, written */
	if (w.r)
		zero_frames(s->k, w.r, &w.zero, &w.huge_zero);
	for (uint32_t i = first; !st && i < end && !ferror(out); i++)
		put_proc(&w, &s->procs[i]);
	pageraw_release(&w.raw);
	reader_free(w.r);
	return st;
}
