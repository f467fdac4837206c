/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * left_out.c - names the kinds of page frames that are not in the dump.
 */
#include "reports/machine/left_out.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "model/source/source.h"

/* No filter level leaves out the kernel's own pages. A filter that is older than the kernel
   takes some of them for user pages (makedumpfile up to 1.7.8 on 7.x). */
#define OLD_FILTER "the kernel's own: filter older than the kernel? -d 23 keeps them"
/* -d 1 leaves out pages of zeros, too. kdump-compressed files refer to one such page that they
   keep; ELF files (makedumpfile -E) do not distinguish them from other absent pages. */
#define ZEROS "of zeros, or the kernel's own: filter older than the kernel? -d 22 keeps them"

static const struct { const char *key; bool kernels_own; } kinds[] = {
	[ABSENT_FREE] = { "free", false },
	[ABSENT_OFFLINE] = { "offline", false },
	[ABSENT_HUGETLB] = { "hugetlb", false },
	[ABSENT_ANON] = { "anonymous", false },
	[ABSENT_SHMEM] = { "shared memory", false },
	[ABSENT_CACHE] = { "file cache", false },
	[ABSENT_SLAB] = { "slab", true },
	[ABSENT_TABLES] = { "page tables", true },
	[ABSENT_RESERVED] = { "reserved", false },
	[ABSENT_OTHER] = { "other", false },
};

_Static_assert(ARRAY_LEN(kinds) == ABSENT_KINDS, "each kind has a name");

#define NAMES_SHOWN 4

/* "Crash kernel 262144, Reserved 568 KiB" */
static const char *names_text(const struct snapshot *s, const struct absent_name *n,
			      struct arena *mem)
{
	const char *text = "";

	for (unsigned i = 0; i < NAMES_SHOWN && n[i].frames; i++)
		text = arena_printf(mem, "%s%s%s %" PRIu64, text, i ? ", " : "", n[i].name,
				    n[i].frames << s->k->page_shift >> 10);
	return *text ? arena_printf(mem, "%s KiB", text) : text;
}

static const char *kind_note(const struct snapshot *s, const struct absent_frames *a, unsigned kind,
			     struct arena *mem)
{
	if (kind == ABSENT_RESERVED)
		return names_text(s, a->reserved, mem);
	if (kind == ABSENT_OTHER)
		return names_text(s, a->other, mem);
	if (!kinds[kind].kernels_own)
		return "";
	return a->zeros_absent ? ZEROS : OLD_FILTER;
}

void left_out_count(const struct snapshot *s, struct arena *mem, struct left_out *ret)
{
	struct source_about about;
	struct absent_frames a;

	absent_frames_count(s, mem, &a);
	ret->n = 0;
	for (unsigned i = 0; i < ABSENT_KINDS; i++)
		if (a.n[i]) {
			ret->v[ret->n].key = kinds[i].key;
			ret->v[ret->n].note = kind_note(s, &a, i, mem);
			ret->v[ret->n++].frames = a.n[i];
		}
	source_about(s->k, &about);
	if (!about.no_memmap || !s->frames.unread)
		return;
	ret->v[ret->n].key = "not described";
	ret->v[ret->n].note = "of any kind: makedumpfile -e left out their struct pages as well";
	ret->v[ret->n++].frames = s->frames.unread;
}
