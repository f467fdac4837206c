/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * librank.c - Android's librank (libmeminfo/tools/librank.cpp): mapped objects by name,
 * and below each its processes. [heap] and [stack] are left out without --all. The column
 * that it calls RSStot is the sum of pss.
 */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/search.h"
#include "reports/compat/like.h"

static int names_by_pss(const void *pa, const void *pb)
{
	const struct mapped_name *const *a = pa, *const *b = pb;

	if ((*a)->bytes.pss != (*b)->bytes.pss)
		return (*a)->bytes.pss > (*b)->bytes.pss ? -1 : 1;
	return strcmp((*a)->name, (*b)->name);
}

static int shares_by_name(const void *pa, const void *pb)
{
	const struct share *a = pa, *b = pb;

	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	if (a->bytes.pss != b->bytes.pss)
		return a->bytes.pss > b->bytes.pss ? -1 : 1;
	return a->proc < b->proc ? -1 : a->proc > b->proc;
}

static void share_line(const struct snapshot *s, const struct share *sh, bool swap,
		       struct arena *mem, FILE *out)
{
	const struct sums *u = &sh->bytes;

	fprintf(out, " %6s  %7sK  %6sK  %6sK  %6sK  ", "", kib_number(u->size).text,
		kib_number(u->rss).text, kib_number(u->pss).text, kib_number(u->uss).text);
	if (swap)
		fprintf(out, "%6sK  ", kib_number(u->swap_ptes).text);
	fputs("  ", out);
	if (sh->proc) {
		put_field(out, proc_command(s, sh->proc, mem), 0, 0);
		fprintf(out, " [%d]", sh->proc->pid);
	}
	putc('\n', out);
}

static void name_block(const struct snapshot *s, const struct shares *all, uint32_t name, bool swap,
		       struct arena *mem, FILE *out)
{
	const struct mapped_name *n = &all->names.v[name];
	size_t lo;

	fprintf(out, "%6sK   %7s   %6s   %6s   %6s  ", kib_number(n->bytes.pss).text, "", "", "",
		"");
	if (swap)
		fprintf(out, " %6s  ", "");
	put_field(out, n->name, 0, 0);
	putc('\n', out);
	lo = search_first(all->v.n, mid, all->v.v[mid].name < name);
	for (; lo < all->v.n && all->v.v[lo].name == name; lo++)
		share_line(s, &all->v.v[lo], swap, mem, out);
}

static bool hidden(const struct report_opts *o, const char *name)
{
	return !o->all && (!strcmp(name, "[heap]") || !strcmp(name, "[stack]"));
}

LIKE_TEXT(librank_text)
{
	struct arena mem = { 0 };
	const struct mapped_name **order;
	struct shares sh;
	bool swap = false;

	shares_build(t, "[anon]", &mem, &sh);
	order = arena_array(&mem, const struct mapped_name *, sh.names.n);
	for (size_t i = 0; i < sh.names.n; i++) {
		order[i] = &sh.names.v[i];
		swap |= sh.names.v[i].bytes.swap_ptes != 0;
	}
	if (sh.names.n) {
		sort_array(order, sh.names.n, sizeof(const struct mapped_name *), names_by_pss);
		sort_array(sh.v.v, sh.v.n, sizeof(*sh.v.v), shares_by_name);
	}
	fprintf(out, " %6s   %7s   %6s   %6s   %6s  ", "RSStot", "VSS", "RSS", "PSS", "USS");
	if (swap)
		fprintf(out, " %6s  ", "Swap");
	fputs("Name/PID\n", out);
	for (size_t i = 0; i < sh.names.n; i++)
		if (!hidden(o, order[i]->name))
			name_block(s, &sh, (uint32_t)(order[i] - sh.names.v), swap, &mem, out);
	arena_release(&mem);
}
