/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * left_out.c - counts the pages that makedumpfile filtered out of the dump.
 */
#include "reports/machine/left_out.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "model/system/resources.h"
#include "reports/core/common.h"

/* No filter level asks for the kernel's own pages to go: a filter that is older than
   the kernel takes some for user pages (makedumpfile up to 1.7.8 on 7.x). */
#define OLD_FILTER "the kernel's own: filter older than the kernel? -d 23 keeps them"
/* Pages of zeros go with -d 1, too. kdump-compressed files refer to one that they
   keep; ELF files (makedumpfile -E) do not tell them from others that went. */
#define ZEROS "of zeros, or the kernel's own: filter older than the kernel? -d 22 keeps them"

static const struct kind { const char *key; uint32_t flags; const char *note; } kinds[] = {
	/* the first whose flags are all there */
	{ "free", FR_BUDDY, "" },
	{ "offline", FR_OFFLINE, "" },
	{ "hugetlb", FR_HUGETLB, "" },
	{ "anonymous", FR_ANON, "" },
	{ "shared memory", FR_CACHE | FR_SWAPBACKED, "" },
	{ "file cache", FR_CACHE, "" },
	{ "slab", FR_SLAB, OLD_FILTER },
	{ "page tables", FR_PGTABLE, OLD_FILTER },
	{ "reserved", FR_RESERVED, "" },
	{ "other", 0, "" },
};

_Static_assert(ARRAY_LEN(kinds) == LEFT_OUT_KINDS, "each kind has a place");

/* What no kind of page explains is told by the resource that has its address. */
#define NAMES 32		/* the others are one */
#define NAMES_SHOWN 4

struct named { const char *name; uint64_t frames; };

struct counter {
	const struct snapshot *s;
	struct resources resources;
	size_t at;			/* in resources */
	uint64_t absent[LEFT_OUT_KINDS];
	struct named names[LEFT_OUT_KINDS][NAMES];
};

static bool by_address(size_t kind)
{
	return kinds[kind].flags == FR_RESERVED || !kinds[kind].flags;
}

static void count_name(struct counter *c, size_t kind, uint64_t pfn)
{
	const char *name = resource_name(&c->resources, pfn << c->s->k->page_shift, &c->at);
	struct named *n = c->names[kind];
	unsigned i = 0;

	/* what lies in plain memory has no cause to tell */
	if (!name || !strcmp(name, "System RAM"))
		return;
	while (i < NAMES - 1 && n[i].name && strcmp(n[i].name, name))
		i++;
	n[i].name = i == NAMES - 1 ? "others" : name;
	n[i].frames++;
}

static void count(struct counter *c, uint64_t pfn, const struct frame *fr)
{
	size_t i = 0;

	while ((fr->flags & kinds[i].flags) != kinds[i].flags)
		i++;
	c->absent[i]++;
	if (by_address(i))
		count_name(c, i, pfn);
}

static int most_first(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;

	return a->frames < b->frames ? 1 : -(a->frames > b->frames);
}

/* "Crash kernel 262144, Reserved 568 KiB" */
static const char *names_text(struct counter *c, size_t kind, struct arena *mem)
{
	const char *text = "";
	struct named *n = c->names[kind];

	sort_array(n, NAMES, sizeof(*n), most_first);
	for (unsigned i = 0; i < NAMES_SHOWN && n[i].frames; i++)
		text = arena_printf(mem, "%s%s%s %" PRIu64, text, i ? ", " : "", n[i].name,
				    n[i].frames << c->s->k->page_shift >> 10);
	return *text ? arena_printf(mem, "%s KiB", text) : text;
}

static const char *note(struct counter *c, size_t kind, struct arena *mem)
{
	const struct dump *d = c->s->k->dump;

	if (by_address(kind))
		return names_text(c, kind, mem);
	return *kinds[kind].note && d->image && d->image->header.dump_level < 0
		? ZEROS : kinds[kind].note;
}

void left_out_count(const struct snapshot *s, struct arena *mem, struct left_out *ret)
{
	const struct frames *f = &s->frames;
	const struct dump *d = s->k->dump;
	struct counter c = { .s = s };
	struct reader *r;

	ret->n = 0;
	if (!d || !d->pages)
		return;
	r = kernel_reader(s->k);
	if (r)
		resources_read(s->k, r, mem, &c.resources);
	reader_free(r);
	for (uint64_t pfn = 0; pfn < f->max_pfn; pfn++) {
		const struct frame *fr = frame_at(f, pfn);

		if (!fr)
			pfn |= (UINT64_C(1) << FRAME_CHUNK_SHIFT) - 1;
		else if (fr->flags & FR_EXISTS && !d->pages->present(d->pages_self, pfn))
			count(&c, pfn, fr);
	}
	for (size_t i = 0; i < LEFT_OUT_KINDS; i++)
		if (c.absent[i]) {
			ret->v[ret->n].key = kinds[i].key;
			ret->v[ret->n].note = note(&c, i, mem);
			ret->v[ret->n++].frames = c.absent[i];
		}
}
