/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bad_pages.c - counts of single pages that cannot be. As the kernel's own check when it frees a
 * page (free_page_is_bad(), mm/page_alloc.c), and two that hold while it is in use: each mapping
 * has a reference (mm/rmap.c), and no count is below 0.
 */
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "model/kernel/page/pagefmt.h"
#include "model/kernel/page/scan.h"
#include "model/memory/census/misplaced.h"

enum bad { BAD_FREE_REFS, BAD_FREE_LRU, BAD_NEGATIVE, BAD_MAPPED, BADS };

static const char *const names[BADS] = {
	[BAD_FREE_REFS] = "free, with references",
	[BAD_FREE_LRU] = "free, on an LRU list",
	[BAD_NEGATIVE] = "references below 0",
	[BAD_MAPPED] = "mapped more often than referenced",
};

static const char *const meanings[BADS] = {
	[BAD_FREE_REFS] = "somebody still uses it: it will be handed out twice",
	[BAD_FREE_LRU] = "reclaim will free it again",
	[BAD_NEGATIVE] = "given back more often than taken",
	[BAD_MAPPED] = "it will be freed while processes map it",
};

struct worker {
	struct class_conflict n[BADS];
	uint64_t kernel[BADS], found[BADS], pages;
};

struct pass {
	struct pagefmt f;
	struct worker *workers[JOBS_MAX];
};

static enum bad bad_of(const struct pagefmt *f, const uint8_t *p, uint64_t kva, uint32_t *mapped)
{
	uint64_t flags = page_flags(f, p);
	uint32_t type = page_type(f, p), refs = page_refcount(f, p);
	uint32_t fr = flags_class(f, flags) | type_class(f, type);

	*mapped = 0;
	if (fr & FR_RESERVED || page_is_blank(f, p, kva))
		return BADS;
	if (fr & FR_BUDDY)
		return refs ? BAD_FREE_REFS : fr & FR_LRU ? BAD_FREE_LRU : BADS;
	if ((int32_t)refs < 0)
		return BAD_NEGATIVE;
	if (fr & FR_SLAB || type_is_type(f, type) || !(fr & FR_LRU))
		return BADS;
	*mapped = page_own_mapcount(f, type);
	return *mapped > refs ? BAD_MAPPED : BADS;
}

static void take(struct worker *w, const struct pagefmt *f, const struct page_run *run, uint64_t i)
{
	uint64_t kva = run->kva + i * f->size, head;
	const uint8_t *p = run->p + i * f->size;
	uint32_t mapped;
	enum bad b;

	if (page_role(f, p, kva, run->len - (kva - run->here_kva), &head) != PAGE_SINGLE)
		return;
	w->pages++;
	b = bad_of(f, p, kva, &mapped);
	if (b == BADS)
		return;
	if (!w->n[b].frames++ || w->n[b].pfn > run->pfn + i)
		w->n[b].pfn = run->pfn + i;
	w->kernel[b] += page_refcount(f, p);
	w->found[b] += mapped;
}

static void bad_run(void *arg, unsigned worker, struct reader *r, const struct page_run *run)
{
	struct pass *p = arg;

	(void)r;
	if (!p->workers[worker])
		p->workers[worker] = heap_array(struct worker, 1);
	for (uint64_t i = 0; run->p && i < run->n; i++)
		take(p->workers[worker], &p->f, run, i);
}

static void add_up(struct worker *sum, const struct worker *w)
{
	sum->pages += w->pages;
	for (unsigned b = 0; b < BADS; b++) {
		if (w->n[b].frames && (!sum->n[b].frames || w->n[b].pfn < sum->n[b].pfn))
			sum->n[b].pfn = w->n[b].pfn;
		sum->n[b].frames += w->n[b].frames;
		sum->kernel[b] += w->kernel[b];
		sum->found[b] += w->found[b];
	}
}

void bad_pages_find(const struct snapshot *s, struct arena *mem, struct misplaced_list *ret)
{
	struct pass p = { .workers = { NULL } };
	struct page_scan scan = { .run = bad_run, .arg = &p };
	struct worker sum = { .pages = 0 };

	if (counts_references(s->k))
		return;
	pagefmt_init(&p.f, s->k);
	page_scan(s->k, p.f.size, &scan);
	for (unsigned i = 0; i < JOBS_MAX; i++)
		if (p.workers[i]) {
			add_up(&sum, p.workers[i]);
			free(p.workers[i]);
		}
	ret->pages = sum.pages;
	for (unsigned b = 0; b < BADS; b++)
		if (sum.n[b].frames)
			*vec_push(mem, &ret->v) = (struct misplaced){
				.what = names[b],
				.means = meanings[b],
				.pfn = sum.n[b].pfn,
				.frames = sum.n[b].frames,
				.kernel = sum.kernel[b],
				.found = b == BAD_MAPPED ? sum.found[b] : UINT64_MAX,
			};
}
