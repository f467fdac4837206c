/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source: show_numa_map() of fs/proc/task_mmu.c, read in 5.10, 6.1, 6.12, 7.1. */
#include "reports/export/numa_text.h"

#include <inttypes.h>
#include <string.h>

#include "model/kernel/file/files.h"

/* seq_path(m, path, "\n\t= ") */
static void put_path(FILE *out, const char *path)
{
	for (; *path; path++)
		if (strchr("\n\t= ", *path))
			fprintf(out, "\\%03o", (unsigned char)*path);
		else
			putc(*path, out);
}

static void put_what(const struct snapshot *s, const struct vma *v, FILE *out)
{
	if (v->file < s->nfiles) {
		fputs(" file=", out);
		put_path(out, s->files[v->file].path ? s->files[v->file].path : "");
	} else if (vma_is_heap(s, v)) {
		fputs(" heap", out);
	} else if (vma_is_stack(s, v)) {
		fputs(" stack", out);
	}
	if (v->flags & VMA_HUGETLB)
		fputs(" huge", out);
}

static void put_count(FILE *out, const char *name, uint64_t n)
{
	if (n)
		fprintf(out, " %s=%" PRIu64, name, n);
}

static void put_pages(const struct vma *v, const struct numa_counts *c, const struct zones *zs,
		      FILE *out)
{
	put_count(out, "anon", c->anon);
	put_count(out, "dirty", c->dirty);
	if (c->pages != c->anon && c->pages != c->dirty)
		put_count(out, "mapped", c->pages);
	if (c->mapmax > 1)
		put_count(out, "mapmax", c->mapmax);
	put_count(out, "swapcache", c->swapcache);
	if (c->active < c->pages && !(v->flags & VMA_HUGETLB))
		fprintf(out, " active=%" PRIu64, c->active);
	put_count(out, "writeback", c->writeback);
	for (uint32_t i = 0; i < zs->nnodes; i++)
		if (c->node[i])
			fprintf(out, " N%" PRId32 "=%" PRIu64, zs->nodes[i].id, c->node[i]);
	fprintf(out, " kernelpagesize_kB=%" PRIu64, c->page_size >> 10);
}

bool has_numa_maps(const struct snapshot *s, struct process_shown *shown, const struct mm *mm)
{
	/* read in releases from 5.10 on; to 4.4 stacks of threads are named, too */
	static const struct era read = { V(5, 10), 0 };

	return mm && mm->nvmas && in_era(s->k, read) && process_shown_zones(shown);
}

void write_numa_maps(const struct snapshot *s, struct process_shown *shown, const struct proc *p,
		     const struct mm *mm, FILE *out)
{
	const struct task *leader = proc_leader(s, p);
	uint64_t task = leader ? leader->addr : 0;

	for (uint32_t i = 0; i < mm->nvmas; i++) {
		const struct vma *v = &s->vmas[mm->first_vma + i];
		const struct numa_counts *c;

		if (!v->addr) /* the gate, of no mm */
			continue;
		c = process_shown_numa(shown, v, task);
		fprintf(out, "%08" PRIx64 " %s", v->start, c->policy);
		put_what(s, v, out);
		if (c->pages)
			put_pages(v, c, process_shown_zones(shown), out);
		fputc('\n', out);
	}
}
