/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/kernel/reach_words.h"

const char *reach_doubt_words(enum reach_doubt why)
{
	switch (why) {
	case REACH_SOUND: break;
	case REACH_CHANGES:
		return "pointers of a running kernel change while they are read: it needs a dump";
	case REACH_NO_TYPES:
		return "this image does not show its slab caches, or where the kernel's memory is mapped";
	case REACH_NOT_SLUB:
		return "only SLUB's free objects are known, and this kernel has another allocator";
	case REACH_NO_MEMMAP:
		return "struct pages are missing, which point to objects and say where they are";
	case REACH_NO_TABLES:
		return "much of the kernel's own memory cannot be read, as if its page tables were missing";
	case REACH_SLABS_MISSING: return "more than 0.02 % of the pages of slabs are missing";
	case REACH_ROOTS_MISSING:
		return "more than 0.02 % of the kernel's variables and stacks are missing";
	case REACH_FRAMES_MISSING: return "more than 0.02 % of the struct pages are missing";
	}
	return "";
}

void reach_tell(const struct snapshot *s, const struct reach *x)
{
	if (x->slab_unread)
		issue_add(s->k->issues, ST_NODATA, "slab", x->slab_unread,
			  "pages of slabs, in search of pointers");
	if (x->root_unread)
		issue_add(s->k->issues, ST_NODATA, "root", x->root_unread,
			  "pages of variables and stacks");
}
