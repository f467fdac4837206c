/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gather.h - shared by the files that gather evidence. Private to model/cause/verdict/.
 *
 *     evidence.c  which event, which moment      sizes.c   where memory is
 *     people.c    processes and the victim       owners.c  who has most of a use
 *     mapped.c    what vmas show: locked files, huge pages
 *     rest.c      what no counter of the kernel shows
 *     hints.c     whose it may be                       caches.c, slabusers.c   whose slab objects are
 *     others.c    earlier kills, programs that kill, memory.high      journal.c   their messages
 */
#ifndef VMCENSUS_VERDICT_GATHER_H
#define VMCENSUS_VERDICT_GATHER_H

#include <string.h>

#include "model/cause/verdict/ledger.h"
#include "model/kernel/vmalloc/vmalloc.h"

struct gather {
	const struct snapshot *s;
	struct arena *mem;
	const struct oom_log *log;
	struct oom_evidence *e;
	uint64_t all_free;		/* bytes, of the machine; EV_UNKNOWN */
	uint32_t memcg;			/* index in cgroups of the group at its limit, or NONE */
	bool of_machine;		/* sizes of the log are of all nodes, whatever the request asked for */
};

static inline uint64_t gather_info(const struct gather *g, const char *name)
{
	return machine_meminfo(&g->s->machine, name);
}

static inline uint64_t gather_pages(const struct gather *g, uint64_t pages)
{
	return pages >> (63 - g->s->k->page_shift) ? EV_UNKNOWN : pages << g->s->k->page_shift;
}

/* A number of the log in units of 1 << SHIFT bytes; not more than any machine has. */
static inline uint64_t gather_told(int64_t v, unsigned shift)
{
	return v < 0 || v >> (52 - shift) ? EV_UNKNOWN : (uint64_t)v << shift;
}

static inline uint64_t known(uint64_t v)
{
	return ev_known(v);
}

static inline uint64_t less(uint64_t a, uint64_t b)
{
	return a == EV_UNKNOWN ? a : known(b) > a ? 0 : a - known(b);
}


#define GATHER_BEFORE UINT64_C(60000000000)	/* ns: the end of an earlier victim may take so long */

/* Is V so shortly before the event that who was killed then may not have been gone? */
static inline bool gather_shortly_before(const struct oom_evidence *e, const struct oom_event *v)
{
	return e->event->time < v->time || e->event->time - v->time <= GATHER_BEFORE;
}

/* evidence.c: was the request of V limited to others than NODE? To some nodes at all? */
bool gather_other_node(const struct oom_event *v, int64_t node);
bool gather_is_of_nodes(const struct gather *g);
/* sizes.c: a counter that the log printed of the machine with event V; bytes. */
uint64_t gather_count(const struct gather *g, const struct oom_event *v, const char *key);
/* Of the scope: by COUNTER of the machine, or by LINE of the statistics of the same group (NULL: none). */
uint64_t gather_of_scope(const struct gather *g, const struct oom_event *v, const char *counter,
			 const char *line);
/* Were A and B at the limit of one control group? */
bool gather_same_group(const struct oom_event *a, const struct oom_event *b);
/* Total, size[], swap, as the event's moment had them. */
void gather_sizes(struct gather *g);
/* people.c: is PROC in the control group at its limit, if that is the scope? */
bool gather_in_scope(const struct gather *g, uint32_t proc);
void gather_processes(struct gather *g);
void gather_victim(struct gather *g);
int64_t gather_pid(const struct gather *g, uint32_t proc);	/* 0: none */
struct subject gather_subject(const struct gather *g, uint32_t proc);
/* Owner of BYTES: the process WHO. */
struct ev_owner gather_process(struct subject who, uint64_t bytes);
/* mapped.c: parts of USE_FILE go to USE_LOCKED; the owner of USE_HUGETLB. */
void gather_locked_files(struct gather *g);
void gather_freed_locked_files(struct gather *g);
void gather_hugetlb(struct gather *g);
/* rest.c: what no counter shows; reads the page array. */
void gather_rest(struct gather *g);
/* hints.c: the module that most areas of the caller of LIKE point to; NULL: none. */
const char *vmalloc_points_to(const struct gather *g, const struct vmalloc *va,
			      const struct vmalloc_area *like);
/* The same of the slabs of CACHE. */
const char *slab_points_to(const struct gather *g, const struct page_classes *c, uint64_t cache);
/* others.c: repeated, killer, throttled. */
void gather_repeated(struct gather *g);
void gather_killer(struct gather *g);
void gather_throttled(struct gather *g);
/* journal.c: said; after killer. */
void gather_journal(struct gather *g);
/* caches.c: the owner of USE, one of both of slabs. */
void gather_slab_owner(struct gather *g, enum use use);
/* slabusers.c: the process that has most objects of the cache TO->name made. */
void gather_slab_user(const struct gather *g, struct ev_owner *to);
/* owners.c: owner[]; moves parts of USE_OTHER and USE_FILE to other uses. */
void gather_owners(struct gather *g);

#endif
