// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * T:, V:, P: and M: lines, as the collector of "Linux Physical Memory
 * Analysis" (USENIX 2005, Figure 1) wrote them; 64-bit values are wider.
 */
#include <linux/ctype.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/param.h>

#include "census.h"
#include "cpu.h"

#define ITEMS 3u		/* pages of one line */

static u64 ticks(u64 ns)
{
	return div_u64(ns, NSEC_PER_SEC / USER_HZ);
}

static void text_task(struct census *c, const struct vmc_task *t)
{
	char comm[9] = "";
	int i;

	for (i = 0; i < 8 && t->comm[i]; i++)
		comm[i] = isprint(t->comm[i]) && isascii(t->comm[i]) ? t->comm[i] : '?';
	census_printf(c, "T: %-8s, %d, %08llx, %u, %llu, %llu, %llu, %llu, %llu, %llu\n", comm,
		      t->pid, t->mm, t->cpu, t->min_flt, t->maj_flt, t->cmin_flt, t->cmaj_flt,
		      ticks(t->utime), ticks(t->stime));
}

/* A newline would end the line: octal, as in /proc/PID/maps. */
static void put_name(struct census *c, const char *name)
{
	for (; *name; name++)
		if (*name == '\n' || *name == '\r')
			census_printf(c, "\\%03o", *name);
		else
			census_put(c, name, 1);
}

static void text_vma(struct census *c, const struct vmc_vma *v, const char *name)
{
	const struct counts *n = &c->counts;

	census_printf(c, "V: %08llX, %08llX, %08llX, %08llX, %08llX, %08llX, ", v->start,
		      v->end - 1, v->end - v->start, n->present << PAGE_SHIFT, v->prot, v->flags);
	put_name(c, *name ? name : "NULL");
	census_printf(c, "\nP: %llu, %llu, %llu, %llu, %llu\n", n->user, n->exec, n->readonly,
		      n->single, n->shared);
}

static void put_item(struct census *c, const struct vmc_run *run, unsigned int i)
{
	u64 pte = (run->where + i) << PAGE_SHIFT | cpu_raw_bits(run);

	if (!c->listed)
		census_printf(c, "M: ");
	else
		census_printf(c, c->listed % ITEMS ? " " : "\n");
	census_printf(c, "%08llX=%08llX, %u, %08lX |", run->va + ((u64)i << PAGE_SHIFT), pte,
		      run->refcount, entries_page_flags(run->where + i));
	c->listed++;
}

static void text_pages(struct census *c, const struct vmc_run *run, unsigned int n)
{
	unsigned int i;

	for (; n; n--, run++)
		for (i = 0; run->pte & VMC_PRESENT && !(run->pte & VMC_SPECIAL) &&
		     i < run->pages; i++)
			put_item(c, run, i);
}

/* The paper's form knows no mm: each task names its own. */
static void text_mm(struct census *c, const struct vmc_mm *m, const char *exe)
{
}

static void text_nothing(struct census *c)
{
}

const struct census_form census_text = {
	.name = "vmcensus-text", .counts = true, .begin = text_nothing,
	.task = text_task, .mm = text_mm, .vma = text_vma, .pages = text_pages,
	.end = text_nothing,
};
