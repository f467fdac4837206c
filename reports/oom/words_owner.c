/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words_owner.c - who has most of a use of memory, and what else is known of it, in words. */
#include <inttypes.h>

#include "reports/oom/words.h"

const char *subject_text(const struct subject *s, struct arena *mem)
{
	return s->name ? arena_printf(mem, "%s (%" PRId64 ")", s->name, s->pid) : "a process";
}

/* ---- what it is called ---------------------------------------------------------------------- */

static const char *shm_word(const struct ev_owner *o)
{
	switch (o->shm) {
	case SHM_TMPFS: return o->unlinked ? "a deleted file of tmpfs" : "a file of tmpfs";
	case SHM_MEMFD: return "memfd";
	case SHM_SYSV: return "a SysV segment";
	case SHM_ANON: return "shared anonymous memory";
	case SHM_KERNEL: return "an object of the kernel";
	case SHM_HUGETLB: break;
	}
	return "shared memory";
}

static const char *shm_words(enum shm_kind kind)
{
	switch (kind) {
	case SHM_TMPFS: return "files of tmpfs";
	case SHM_MEMFD: return "objects of memfd";
	case SHM_SYSV: return "SysV segments";
	case SHM_ANON: return "objects of shared anonymous memory";
	case SHM_KERNEL:
	case SHM_HUGETLB: break;
	}
	return "objects";
}

/* "pipes of python3 (123)" */
static const char *held_text(const struct ev_owner *o, struct arena *mem)
{
	const char *words = cause_facts[o->cause].words;

	return o->subject.kind == SUBJECT_NONE
		       ? arena_printf(mem, "%s that no process holds", words)
		       : arena_printf(mem, "%s of %s", words, subject_text(&o->subject, mem));
}

static const char *one_of_text(const struct ev_owner *o, struct arena *mem)
{
	const char *text = "";

	if (o->n > EV_AMONG)
		return arena_printf(mem, "that of one of %" PRIu64 " killed processes", o->n);
	for (uint64_t i = 0; i < o->n; i++)
		text = arena_printf(mem, "%s%s%s", text, i ? ", " : "",
				    subject_text(&o->who[i], mem));
	return arena_printf(mem, "that of one of %s", text);
}

static const char *caller_text(const struct ev_owner *o, struct arena *mem)
{
	return arena_printf(mem, "%s%s%s%s", *o->name ? o->name : "an unknown caller",
			    o->of ? " [" : "", o->of ? o->of : "", o->of ? "]" : "");
}

const char *owner_text(const struct ev_owner *o, struct arena *mem)
{
	switch (o->called) {
	case CALLED_NAME: break;
	case CALLED_BOTH: return arena_printf(mem, "%s and %s", o->name, o->of);
	case CALLED_PROCESS: return subject_text(&o->subject, mem);
	case CALLED_HELD: return held_text(o, mem);
	case CALLED_OBJECT:
		return arena_printf(mem, "%s (%s)", cause_facts[o->cause].words, o->name);
	case CALLED_ONE_OF: return one_of_text(o, mem);
	case CALLED_FILE: return arena_printf(mem, "file %s", o->name);
	case CALLED_RAMFS:
		return arena_printf(mem, "a file of %s, %s%s", o->of, o->name,
				    o->unlinked ? ", deleted" : "");
	case CALLED_RAMFS_MANY:
		return arena_printf(mem, "%" PRIu64 " files of %s, the largest %s", o->n, o->of,
				    o->name);
	case CALLED_SHM: return arena_printf(mem, "%s %s", shm_word(o), o->name);
	case CALLED_SYSV:
		return arena_printf(mem, "%s, shmid %" PRIu64 ", key %#" PRIx64, shm_word(o), o->n,
				    o->key);
	case CALLED_SHM_MANY:
		return arena_printf(mem, "%" PRIu64 " %s%s%s", o->n, shm_words(o->shm),
				    o->of ? ", the largest in " : "", o->of ? o->of : "");
	case CALLED_CALLER: return caller_text(o, mem);
	case CALLED_ZSMALLOC: return "zsmalloc, perhaps a disk of zram that is no swap";
	case CALLED_NO_USE: return "frames of no known use";
	}
	return o->name;
}

/* ---- what else is known ----------------------------------------------------------------------- */

/* "used by python3 (123) and 2 more" */
static const char *users_text(const struct ev_detail *d, struct arena *mem)
{
	if (d->who.kind == SUBJECT_NONE)
		return "no process maps it or has it open";
	return d->n > 1 ? arena_printf(mem, "used by %s and %" PRIu64 " more",
				       subject_text(&d->who, mem), d->n - 1)
			: arena_printf(mem, "used by %s", subject_text(&d->who, mem));
}

static const char *caches_text(const struct ev_detail *d, struct arena *mem)
{
	return arena_printf(mem, "%" PRIu64 " caches have half of it: %s, %s, %s%s", d->n,
			    d->name[0], d->name[1], d->name[2],
			    d->n == 3 ? "" : arena_printf(mem, " and %" PRIu64 " more", d->n - 3));
}

static const char *made_text(const struct ev_detail *d, const char *what, struct arena *mem)
{
	return arena_printf(mem, "%s has %" PRIu64 " of %" PRIu64 " %s", subject_text(&d->who, mem),
			    d->n, d->of, what);
}

/* NULL: nothing */
static const char *told_text(const struct ev_owner *o, struct arena *mem)
{
	const struct ev_detail *d = &o->detail;

	switch (d->told) {
	case TOLD_NOTHING:
	case TOLD_KINDS: break;
	case TOLD_USERS: return users_text(d, mem);
	case TOLD_THREADS:
		return arena_printf(mem, "%" PRIu64 " of %" PRIu64 " threads", d->n, d->of);
	case TOLD_AREAS: return arena_printf(mem, "%" PRIu64 " area%s", d->n, d->n == 1 ? "" : "s");
	case TOLD_CAME_FREE:
		return o->among ? "it came free when these were killed"
				: "it came free when that was killed";
	case TOLD_LOCKED: return arena_printf(mem, "locked by %s", subject_text(&d->who, mem));
	case TOLD_ALLOCATED: return arena_printf(mem, "allocated by %s", d->name[0]);
	case TOLD_POINTS_TO: return arena_printf(mem, "they point to %s, a guess", d->name[0]);
	case TOLD_CACHES: return caches_text(d, mem);
	case TOLD_LARGE_BLOCKS: return "allocations larger than the caches of kmalloc()";
	case TOLD_OBJECTS: return arena_printf(mem, "%" PRIu64 " objects", d->n);
	case TOLD_MAPPINGS: return made_text(d, "mappings", mem);
	case TOLD_OPEN_FILES: return made_text(d, "open files", mem);
	}
	return NULL;
}

const char *detail_text(const struct ev_owner *o, struct arena *mem)
{
	const char *text = told_text(o, mem);

	if (!o->detail.module)
		return text;
	return arena_printf(mem, "%s%sthey point to module %s, a guess", text ? text : "",
			    text ? "; " : "", o->detail.module);
}
