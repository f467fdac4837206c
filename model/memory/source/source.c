/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * source.c - the sources that have memory: a dump and the running kernel. Both are walked
 * in the same way; the running kernel changes meanwhile (attempt.h).
 */
#include "model/kernel/source.h"

#include "dumpread/image/image.h"
#include "model/build.h"
#include "model/memory/usage/account.h"
#include "model/memory/usage/tables.h"

static bool dump_entries(const struct snapshot *s, struct reader *r, const struct vma *v,
			 uint64_t start, uint64_t end, const struct pgvisit *visit, void *arg)
{
	const struct mm *m = &s->mms[v->mm];

	return !m->pgd_pa || tables_walk(s->k, r, m, start, end, visit, arg);
}

static void about(const struct kernel *k, struct source_about *ret)
{
	const struct image *im = k->dump->image;

	ret->kind = "dump";
	if (!im)
		return; /* inside a host, which reads the dump */
	ret->format = im->format;
	ret->compression = im->header.compression;
	ret->level = im->header.dump_level;
	ret->no_memmap = im->header.no_memmap;
	ret->bytes = image_pages_present(im) << im->page_shift;
	ret->when = im->header.crash_time;
}

#define OF_MEMORY(name_, more)                                                             \
	.name = name_, .offers = ~0u,                                                      \
	.has = SOURCE_MEMORY | SOURCE_COUNTERS | SOURCE_SETTINGS | SOURCE_FRAMES | (more), \
	.build = snapshot_from_memory, .entries = dump_entries, .walk = account_revisit,        \
	.about = about

const struct source source_dump = { OF_MEMORY("dump", 0) };
const struct source source_live = { OF_MEMORY("live", SOURCE_CHANGES) };

void source_about(const struct kernel *k, struct source_about *ret)
{
	*ret = (struct source_about){ .level = -1, .bytes = UINT64_MAX };
	if (k->source)
		k->source->about(k, ret);
}
