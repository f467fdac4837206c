/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * allocation_text.c - sources: print_page_owner() in mm/page_owner.c, read in 5.10, 5.18, 6.1, 6.12;
 * allocinfo_show() in lib/alloc_tag.c and codetag_to_text() in lib/codetag.c, read in 6.12, 6.18.
 */
#include "reports/export/allocation_text.h"

#include <inttypes.h>

struct out {
	struct tree *t;
	FILE *f;
	bool begun;
};

static void put_stack(const struct page_allocation *a, FILE *f)
{
	for (unsigned i = 0; i < a->depth; i++) {
		const struct ksym *s = &a->stack[i];

		if (!s->name)
			fprintf(f, " 0x%" PRIx64 "\n", a->address[i]);
		else
			fprintf(f,
				s->module ? " %s+0x%" PRIx64 "/0x%" PRIx64 " [%s]\n"
					  : " %s+0x%" PRIx64 "/0x%" PRIx64 "\n",
				s->name, s->offset, s->size, s->module);
	}
}

static void put_allocation(void *arg, const struct allocations_shown *x,
			   const struct page_allocation *a)
{
	struct out *o = arg;
	char text[FLAG_TEXT];

	if (!o->begun)
		o->f = tree_file(o->t, "page_owner");
	o->begun = true;
	if (!o->f)
		return;
	flag_names_gfp(&x->gfp, a->gfp, text);
	fprintf(o->f, "Page allocated via order %u, mask 0x%" PRIx64 "(%s)", a->order, a->gfp,
		text);
	if (x->pid)
		fprintf(o->f, ", pid %" PRId64, a->pid);
	if (x->tgid)
		fprintf(o->f, ", tgid %" PRId64, a->tgid);
	if (x->comm)
		fprintf(o->f, " (%s)", a->comm);
	if (x->time)
		fprintf(o->f, ", ts %" PRIu64 " ns", a->time);
	if (x->free_time)
		fprintf(o->f, ", free_ts %" PRIu64 " ns", a->free_time);
	flag_names_page(&x->page, a->flags, text);
	fprintf(o->f, x->hex ? "\nPFN 0x%" PRIx64 : "\nPFN %" PRIu64, a->pfn);
	fprintf(o->f, " type %s Block %" PRIu64 " type %s Flags %s\n", a->wanted, a->block, a->type,
		text);
	put_stack(a, o->f);
	if (a->reason)
		fprintf(o->f, "Page has been migrated, last migrate reason: %s\n", a->reason);
	if (x->charge && a->slab)
		fputs("Slab cache page\n", o->f);
	if (a->charged)
		fprintf(o->f, "Charged %sto %smemcg %s\n", a->by_objcg ? "(via objcg) " : "",
			a->online ? "" : "offline ", a->charged);
	fputc('\n', o->f);
}

void put_page_owner(struct tree *t, const struct snapshot *s)
{
	struct out o = { .t = t };

	page_allocations_each(s, put_allocation, &o);
	if (o.begun)
		tree_done(t, o.f);
}

void put_allocinfo(struct tree *t, const struct snapshot *s)
{
	bool accurate = kernel_rule(s->k, RULE_ALLOCINFO_ACCURATE);
	struct arena mem = { 0 };
	struct tag_counts tags;
	FILE *f;

	if (!tag_counts_read(s, &mem, &tags)) {
		f = tree_file(t, "allocinfo");
		if (f)
			fprintf(f, "allocinfo - version: %s\n#     <size>  <calls> <tag info>\n",
				accurate ? "2.0" : "1.0");
		for (size_t i = 0; f && i < tags.v.n; i++) {
			const struct tag_count *c = &tags.v.v[i];

			fprintf(f, "%12" PRId64 " %8" PRIu64 " %s:%" PRIu64, c->bytes, c->calls,
				c->file, c->line);
			fprintf(f, c->module ? " [%s]" : "%s", c->module ? c->module : "");
			fprintf(f, " func:%s%s \n", c->function,
				c->inaccurate ? " accurate:no" : "");
		}
		tree_done(t, f);
	}
	arena_release(&mem);
}
