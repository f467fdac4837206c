/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * source.h - the origin of a snapshot: a dump, the running kernel, a collector's text, the
 * module's stream. Only this room knows how they differ; other code asks source_has() or
 * calls an operation.
 *
 * To add a source: one struct source with its operations in this folder; opening a file of
 * it sets kernel.source (capture.c shows how). A unit test opens it.
 */
#ifndef VMCENSUS_SOURCE_H
#define VMCENSUS_SOURCE_H

#include "model/model.h"

struct vma_page;		/* model/memory/usage/account.h */
struct capture_vma;		/* model/memory/source/capture.h */

enum source_bit {
	SOURCE_MEMORY = 1 << 0,		/* the kernel's memory: kernel_reader() gives a reader */
	SOURCE_CHANGES = 1 << 1,	/* it changes while it is read */
	SOURCE_COUNTERS = 1 << 2,	/* counters of each mm: rss, total_vm, page tables */
	SOURCE_SETTINGS = 1 << 3,	/* settings of the kernel: huge pages */
	SOURCE_FRAMES = 1 << 4,		/* frames of all memory, not only of processes */
};

/* A source's description of itself. Strings live as long as the kernel. */
struct source_about {
	const char *kind;		/* "dump", "capture" */
	const char *format;		/* "kdump-compressed"; NULL: none */
	const char *compression;	/* "zlib"; NULL or "": not known */
	int level;			/* makedumpfile -d; -1: not known */
	bool no_memmap;			/* struct pages of absent frames were left out on purpose */
	uint64_t bytes;			/* bytes of memory that it holds; UINT64_MAX: not known */
	uint64_t pages;			/* entries or runs of pages listed by a collector */
	int64_t when;			/* seconds since 1970; 0: not known */
};

struct source {
	const char *name;		/* "dump", "live", "collector", "module" */
	unsigned has;			/* enum source_bit */
	unsigned offers;		/* enum need: parts that a snapshot of it can have */
	/* Fills the empty S with NEEDS; OPTS may be NULL. */
	void (*build)(struct snapshot *s, unsigned needs, const struct snapshot_opts *opts);
	/* Called by vma_entries() and vma_walk() of model/memory/usage/account.h, with the same
	   arguments. */
	bool (*entries)(const struct snapshot *s, struct reader *r, const struct vma *v,
			uint64_t start, uint64_t end, const struct pgvisit *visit, void *arg);
	void (*walk)(const struct snapshot *s, struct reader *r, const struct vma *v,
		     bool (*fn)(void *arg, const struct vma_page *p), void *arg);
	void (*about)(const struct kernel *k, struct source_about *ret);
};

/* A dump; the kernel of this machine. */
extern const struct source source_dump, source_live;

static inline bool source_has(const struct kernel *k, enum source_bit bit)
{
	return k->source && k->source->has & bit;
}

/* Facts about K's source; all unknown if it has none. */
void source_about(const struct kernel *k, struct source_about *ret);

/*
 * Values from the collector that do not follow from the snapshot: its numbers for a VMA;
 * the six numbers of the task PID. NULL: not a collector's.
 */
const struct capture_vma *source_given_vma(const struct snapshot *s, const struct vma *v);
const uint64_t *source_given_numbers(const struct snapshot *s, int32_t pid);

#endif
