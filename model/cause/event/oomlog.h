/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * oomlog.h - what the kernel's log says about running out of memory: events of the OOM
 * killer, failed and stalled allocations, kills by programs. Kernels 2.4 to 7.3.
 *
 * It is the kernel's own account of that moment, taken from text. Reports lay it beside the
 * structures in the dump. Numbers that the log does not have are OOM_UNKNOWN, texts NULL.
 */
#ifndef VMCENSUS_OOMLOG_H
#define VMCENSUS_OOMLOG_H

#include "facts/release.h"
#include "model/model.h"

#define OOM_UNKNOWN INT64_MIN

enum oom_kind {
	OOM_KILL,	/* the OOM killer ran. Its header may be missing: the kernel prints 10 in
			   5 s, and the log may begin after it */
	OOM_FAILURE,	/* an allocation failed, and said so */
	OOM_STALL,	/* an allocation took long */
	OOM_FAULT,	/* a page fault ended with VM_FAULT_OOM */
	OOM_ANDROID,	/* lowmemorykiller of the kernel */
	OOM_PROGRAM,	/* a program killed: systemd-oomd, earlyoom, lmkd */
	OOM_KINDS
};

enum oom_constraint {
	OOM_NOT_TOLD, OOM_NONE, OOM_CPUSET, OOM_MEMPOLICY, OOM_MEMCG, OOM_CONSTRAINTS
};

enum oom_reaped { OOM_NOT_REAPED, OOM_REAPED, OOM_UNABLE };

/* A key and its number, as printed: "active_anon" 12 kB. */
struct oom_pair {
	const char *key;
	int64_t value;
	bool kib;		/* KiB; else pages, a count or bytes, as the line has it */
};

struct oom_pairs {
	struct oom_pair *v;
	size_t n, cap;
};

/* A row of the kernel's table of tasks; pages, tables in bytes. */
struct oom_task {
	int64_t pid, uid, tgid, total_vm, rss, rss_anon, rss_file, rss_shmem, tables_bytes,
		swapents, oom_score_adj;
	const char *comm;
};

#define OOM_ORDERS 16

struct oom_zone {
	int64_t node;		/* OOM_UNKNOWN: before nodes had names */
	const char *name;	/* "DMA32" */
	struct oom_pairs pairs;	/* free, min, low, high, managed ...; KiB */
	int64_t reserve[8];	/* lowmem_reserve[], pages */
	unsigned nreserve;
	int64_t blocks[OOM_ORDERS];	/* free blocks by order */
	unsigned norders;
	uint64_t block_kib;	/* of order 0 */
};

struct oom_node {
	int64_t node;
	struct oom_pairs pairs;
};

struct oom_slab { const char *name; int64_t used, total; };	/* KiB */
struct oom_site { int64_t bytes, calls; const char *where; };	/* allocations of a place in code */

/* A line of a counter of a control group: usage and limit in KiB. */
struct oom_usage { const char *what; int64_t usage, limit, failcnt; };

struct oom_victim {
	int64_t pid, uid, oom_score_adj;
	const char *comm;
	/* KiB */
	int64_t total_vm, anon_rss, file_rss, shmem_rss, tables;
	enum oom_reaped reaped;
	bool mended;		/* TABLES: the kernel printed bytes as kB */
};

extern const struct oom_victim oom_no_victim;	/* nothing is known of it */

struct oom_event {
	enum oom_kind kind;
	uint64_t time;			/* of its first line, as log_line.ts */
	const char *printed;		/* the same as log_line.printed */
	uint32_t first_line;		/* index in the log */
	uint32_t caller;		/* as the log has it; 0: it does not tell */
	const char *comm;		/* who asked for memory, or the program that killed */
	int64_t pid;
	const char *asker;		/* function that asked, of the kernel or of a module */
	const char *asker_module;	/* NULL: of the kernel */
	unsigned frames;		/* of the trace that were read */
	int64_t gfp, order;
	const char *gfp_names;
	int64_t oom_score_adj;		/* of who asked; oom_adj before 2.6.36 */
	enum oom_constraint constraint;
	bool inferred;			/* the constraint: it was not printed before 5.0 */
	const char *nodemask, *cpuset, *mems_allowed;
	const char *oom_memcg, *task_memcg;
	bool global;			/* "global_oom" */
	const char *prefix;		/* what the kill line begins with: "Out of memory" */
	int64_t chosen_pid, chosen_score;	/* to 5.1: a child may have been killed instead */
	const char *chosen_comm;
	VEC(struct oom_victim) victims;
	const char *group;		/* memory.oom.group: all tasks of this control group */
	const char *panic;		/* the line of the panic that followed */
	bool no_task;			/* there was nobody to kill */
	bool exiting;			/* the victim was exiting already */
	uint32_t again;			/* times that the first victim was killed again */
	const char *text;		/* of a program's kill: the whole line */
	/* what was printed about memory */
	VEC(struct oom_task) tasks;
	bool cut;			/* the beginning of that table is not in the log */
	VEC(struct oom_zone) zones;
	VEC(struct oom_node) nodes;
	struct oom_pairs counts;	/* of the machine, pages; "Free swap", KiB */
	VEC(struct oom_slab) slabs;
	VEC(struct oom_site) sites;
	VEC(struct oom_usage) usages;
	const char *stats_of;		/* a control group, and what memory.stat has of it */
	struct oom_pairs stats;
};

struct oom_log {
	struct oom_event *v;
	size_t n;
	uint64_t left_out;	/* events beyond OOM_EVENTS_MAX */
};

/* The kernel prints at most 10 in 5 s, each of some hundred bytes. */
#define OOM_EVENTS_MAX 65536u

struct oom_opts {
	struct release release;
	bool callers;		/* log_line.caller tells who wrote a line */
	unsigned page_shift;
};

/*
 * The events in N lines, in the order of their first lines; everything is in MEM. The time
 * and memory are bounded by the size of the text.
 */
void oom_log_read(const struct log_line *lines, uint32_t n, const struct oom_opts *o,
		  struct arena *mem, struct oom_log *ret);

/* The same for a snapshot with NEED_LOG, as long as that is there. */
const struct oom_log *oom_log_of(const struct snapshot *s);

/* Value of KEY, or OOM_UNKNOWN. */
int64_t oom_pair(const struct oom_pairs *p, const char *key);

/* "none", "memcg" ...; NULL for OOM_NOT_TOLD. */
const char *oom_constraint_text(enum oom_constraint c);
const char *oom_kind_text(enum oom_kind k);

#endif
