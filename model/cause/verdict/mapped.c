/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mapped.c - memory that vmas show: page cache that processes locked with mlock(), and who maps
 * huge pages of hugetlb. By the dump.
 */
#include "dumpread/base/bytes.h"
#include "model/cause/verdict/gather.h"

/* Bytes of a file that one mm has locked. */
struct locked_file {
	uint64_t bytes, sum;	/* the most of one mm; of the mm that is being read */
	uint32_t mm, most;	/* index of the one being read; of the one with most */
};

static uint64_t bytes_of(const struct vma *v)
{
	return v->end - v->start;
}

static void add(struct locked_file *f, const struct vma *v)
{
	if (f->mm != v->mm)
		f->sum = 0;
	f->mm = v->mm;
	f->sum += bytes_of(v);
	if (f->sum <= f->bytes)
		return;
	f->bytes = f->sum;
	f->most = v->mm;
}

/* Pages of files that are locked leave USE_FILE: they cannot be reclaimed. */
void gather_locked_files(struct gather *g)
{
	const struct snapshot *s = g->s;
	struct oom_evidence *e = g->e;
	struct locked_file *of = arena_array(g->mem, struct locked_file, s->nfiles + 1u);
	uint64_t sum = 0, most = 0;
	uint32_t top = NONE;
	struct subject by;

	for (uint32_t i = 0; i < s->nvmas; i++) {
		const struct vma *v = &s->vmas[i];

		if (v->flags & VMA_LOCKED && v->file < s->nfiles &&
		    s->files[v->file].kind == FILE_REGULAR)
			add(&of[v->file], v);
	}
	for (uint32_t i = 0; i < s->nfiles; i++) {
		/* no more than is there of it */
		uint64_t n = min_u64(of[i].bytes, known(gather_pages(g, s->files[i].cached)));

		sum += n;
		if (n <= most)
			continue;
		most = n;
		top = i;
	}
	if (top == NONE || e->size[USE_FILE] == EV_UNKNOWN || e->locked == EV_UNKNOWN)
		return;
	sum = min_u64(sum, min_u64(e->locked, e->size[USE_FILE]));
	ledger_move(e, USE_FILE, USE_LOCKED, sum);
	/* the log does not tell which of the locked pages are of files (sizes.c) */
	if (!e->at_once)
		ledger_drop(e, USE_ANON, sum);
	by = gather_subject(g, of[top].most < s->nmms ? s->mms[of[top].most].owner : NONE);
	e->owner[USE_LOCKED] = (struct ev_owner){
		.called = CALLED_FILE,
		.name = s->files[top].path,
		.bytes = min_u64(most, sum),
		.detail = { .told = TOLD_LOCKED, .who = by },
		.subject = { .kind = SUBJECT_FILE, .path = s->files[top].path, .pid = by.pid },
	};
}

/*
 * The same of a killed process that the dump has not any more: its pages of files, as far as so much
 * was locked that no longer is. Before 6.8 the table counts them with its anonymous ones (people.c).
 */
void gather_freed_locked_files(struct gather *g)
{
	struct oom_evidence *e = g->e;
	const struct oom_event *v = e->event;
	const struct oom_victim *o = v && v->victims.n ? &v->victims.v[0] : NULL;
	uint64_t n;

	if (!o || !o->comm || e->at_once || !v->tasks.n || v->tasks.v[0].rss_anon == OOM_UNKNOWN ||
	    e->locked == EV_UNKNOWN || e->locked_now == EV_UNKNOWN ||
	    e->size[USE_FILE] == EV_UNKNOWN)
		return;
	n = less(less(e->locked, e->locked_now), gather_told(o->anon_rss, 10));
	n = min_u64(n, min_u64(known(gather_told(o->file_rss, 10)), e->size[USE_FILE]));
	if (!n)
		return;
	ledger_move(e, USE_FILE, USE_LOCKED, n);
	e->owner[USE_LOCKED] = gather_process((struct subject){ .kind = SUBJECT_PROCESS,
								.name = o->comm,
								.pid = o->pid },
					      n);
	e->owner[USE_LOCKED].detail.told = TOLD_CAME_FREE;
}

/* Who has most vmas of hugetlb: pages of the pool are in use by it, or reserved for it. */
void gather_hugetlb(struct gather *g)
{
	const struct snapshot *s = g->s;
	struct ev_owner *to = &g->e->owner[USE_HUGETLB];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->nvmas; i++) {
		const struct vma *v = &s->vmas[i];

		sum = i && v->mm == s->vmas[i - 1].mm ? sum : 0;
		sum += v->flags & VMA_HUGETLB ? bytes_of(v) : 0;
		if (sum <= to->bytes || v->mm >= s->nmms)
			continue;
		*to = gather_process(gather_subject(g, s->mms[v->mm].owner), sum);
	}
}
