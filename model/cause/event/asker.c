/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * asker.c - which function asked for the memory, and of which module it is: from the call trace
 * that stands between the header of an event and its figures (dump_stack() in dump_header() and
 * warn_alloc(), mm/oom_kill.c and mm/page_alloc.c of 2.6.12 .. 7.3).
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/cause/event/events.h"
#include "model/kernel/stack/calltrace.h"

#define FRAMES 64u		/* of a trace; of more, the innermost are looked at */

/* How a request comes to the page allocator: beginnings of names, without underscores. */
static const char *const ways[] = {
	"dump_", "show_stack", "warn_alloc", "out_of_memory", "oom_kill", "check_panic_on_oom",
	"pagefault_out_of_memory", "alloc_page", "alloc_frozen_pages", "get_free_page",
	"get_zeroed_page", "folio_alloc", "vma_alloc_", "page_cache_alloc", "filemap_alloc_folio",
	"new_slab", "allocate_slab", "alloc_slab_page", "slab_alloc", "slab_pre_alloc",
	"refill_objects", "refill_sheaf", "alloc_from_pcs", "kmem_cache_alloc", "kmem_cache_charge",
	"kmem_getpages", "cache_grow", "cache_alloc_refill", "fallback_alloc", "kmalloc", "krealloc",
	"kmemdup", "kvmalloc", "kvrealloc", "vmalloc", "vzalloc", "try_charge", "charge_memcg",
	"mem_cgroup", "memcg", "obj_cgroup", "page_frag_alloc", "do_kmalloc",
};

static bool is_way(const char *function)
{
	function += strspn(function, "_.");
	for (size_t i = 0; i < ARRAY_LEN(ways); i++)
		if (!strncmp(function, ways[i], strlen(ways[i])))
			return true;
	return false;
}

/*
 * The function of a module that is nearest to the request, else the first that is no way to the
 * allocator. Frames with "?" may be left from calls before.
 */
void oom_asker(struct oom_reader *rd, struct oom_event *e, struct span text)
{
	const char *line, *name;
	struct call c;

	if (e->asker_module || e->frames >= FRAMES || span_find(text, "+0x") == text.n)
		return;
	line = arena_strndup(&rd->scratch, text.p, text.n);
	if (!calltrace_line(line, &rd->scratch, &c) || c.at || !c.reliable)
		return;
	e->frames++;
	name = call_plain(c.function, rd->mem);
	if (!name || is_way(name) || (e->asker && !c.module))
		return;
	e->asker = name;
	e->asker_module = c.module ? arena_strndup(rd->mem, c.module, strlen(c.module)) : NULL;
}
