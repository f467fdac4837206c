/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * left_out.c - names the kinds of page frames that are not in the dump.
 */
#include "reports/machine/left_out.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/source.h"

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

/* Is all there that the file had once? */
static bool is_whole(const struct snapshot *s)
{
	static const enum cause_id ids[] = { CAUSE_UNFINISHED, CAUSE_HEADER, CAUSE_CUT,
					     CAUSE_PART };

	for (size_t i = 0; s->k->dump && i < ARRAY_LEN(ids); i++)
		if (cause_find(&s->k->dump->causes, ids[i]))
			return false;
	return true;
}

#define KEPT_LEAST 1000u	/* a thousandth of RAM: pages on their way to a list are of no kind yet */

/* Not if it is not known of how many. */
static bool is_part(const struct snapshot *s, uint64_t frames)
{
	uint64_t of = s->machine.present ? s->machine.present : s->frames.existing;

	return frames && of && frames >= of / KEPT_LEAST;
}

/* "user pages are in the dump: hugetlb 20 MiB" */
static const char *kept_text(const struct snapshot *s, const struct absent_frames *a,
			     struct arena *mem)
{
	static const struct { const char *what; unsigned kind[2]; } sorts[] = {
		{ "user pages are in the dump: ", { ABSENT_HUGETLB, ABSENT_ANON } },
		{ "pages of files are in the dump: ", { ABSENT_CACHE, ABSENT_SHMEM } },
		{ "free pages are in the dump: ", { ABSENT_FREE, ABSENT_FREE } },
	};
	const char *text = "";

	for (size_t i = 0; i < ARRAY_LEN(sorts); i++) {
		bool first = true;

		for (unsigned j = 0; j < 2 && (!j || sorts[i].kind[1] != sorts[i].kind[0]); j++) {
			unsigned kind = sorts[i].kind[j];
			uint64_t n = a->kept[kind];

			if (!is_part(s, n))
				continue;
			text = arena_printf(mem, "%s%s%s%s %" PRIu64 " KiB", text,
					    first && *text ? "; "
					    : first	   ? ""
							   : ", ",
					    first ? sorts[i].what : "", kinds[kind].key,
					    n << s->k->page_shift >> 10);
			first = false;
		}
	}
	return *text ? text : NULL;
}

void left_out_causes(const struct left_out *l, struct causes *c)
{
	if (l->kernels_own)
		cause_add(c, CAUSE_FILTER, l->kernels_own, 0, NULL);
	if (l->kept)
		cause_add(c, CAUSE_KEPT, (uint64_t)l->level, 0, l->kept);
}

void left_out_count(const struct snapshot *s, struct arena *mem, struct left_out *ret)
{
	struct source_about about;
	struct absent_frames a;

	absent_frames_count(s, mem, &a);
	*ret = (struct left_out){ .kept = kept_text(s, &a, mem) };
	for (unsigned i = 0; i < ABSENT_KINDS; i++)
		if (a.n[i]) {
			ret->v[ret->n].key = kinds[i].key;
			ret->v[ret->n].note = kind_note(s, &a, i, mem);
			ret->v[ret->n++].frames = a.n[i];
			if (kinds[i].kernels_own && !a.zeros_absent && is_whole(s))
				ret->kernels_own += a.n[i] << s->k->page_shift;
		}
	if (a.zeros) {
		ret->v[ret->n].key = "zeros";
		ret->v[ret->n].note =
			"of any kind: the program that wrote the file left out blocks of zeros";
		ret->v[ret->n++].frames = a.zeros;
	}
	source_about(s->k, &about);
	ret->level = about.level;
	if (!about.no_memmap || !s->frames.unread)
		return;
	ret->v[ret->n].key = "not described";
	ret->v[ret->n].note = "of any kind: makedumpfile -e left out their struct pages as well";
	ret->v[ret->n++].frames = s->frames.unread;
}
