/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * system.h - shared by the files of this folder.
 *
 *     clock.c    crash time and uptime          counters.c  vm_zone_stat, vm_node_stat
 *     panic.c    who panicked, and of what      memory.c    sizes that no counter holds
 *     swaps.c    swap areas                     meminfo.c   the lines of /proc/meminfo
 *     log.c      the kernel log: chooses between log_ring.c, log_records.c, log_text.c
 *     vmstat.c   the lines of /proc/vmstat    machine.c  puts them together
 */
#ifndef VMCENSUS_SYSTEM_H
#define VMCENSUS_SYSTEM_H

#include "model/model.h"

#define UNKNOWN UINT64_MAX	/* of a meminfo value */
#define SWAP_BATCH 64u		/* slots that a CPU takes at once; include/linux/swap.h */

/* The arguments of every function here. */
struct system {
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;	/* of the snapshot */
	struct machine *m;
};

/* ---- clock.c, panic.c, swaps.c ------------------------------------------------ */

void read_clock(struct system *y);
/* CPU that panicked or started the crash kernel, -1: none did. */
int32_t crashed_cpu(const struct system *y);
void read_panic_task(struct system *y);
/* The panic message, from m->log. */
void find_panic_text(struct system *y);
void read_swaps(struct system *y);
void read_meminfo(struct system *y);
void read_vmstat(struct system *y);
/* The name of line AT of /proc/vmstat, in y->mem; "": the kernel does not print it
   (eb59254608bc, v4.17 to 4.19); NULL: not readable. */
const char *vmstat_name(const struct system *y, uint64_t at);
/* The counter at index ITEM of those of a node is of huge pages: in pages by the kernel, in
   huge pages where it prints it. */
bool counts_huge_pages(const struct system *y, uint64_t item);
/* Is CPU online, or was it until a crash stopped it? */
bool cpu_was_online(const struct system *y, uint32_t cpu);
/* "Linux version ...", as /proc/version has it; NULL if not found. */
const char *read_banner(const struct system *y);

/* ---- counters.c ---------------------------------------------------------------- */

#define STAT_ITEMS_MAX 512	/* more counters than any kernel has */

/* Only the global atomics, clamped at 0, as /proc shows them: without the counts that CPUs
   have not folded in yet (mm/vmstat.h, global_node_page_state()). */
struct counters {
	uint64_t zone[STAT_ITEMS_MAX], node[STAT_ITEMS_MAX];
	unsigned nzone, nnode;		/* 0: not readable */
};

void counters_read(const struct system *y, struct counters *c);
/* Value of the counter, UNKNOWN if unreadable; 0 where this kernel has none. */
uint64_t counter(const struct system *y, const struct counters *c, enum layout_id item);

/* ---- memory.c ------------------------------------------------------------------- */

/* A word-sized variable; UNKNOWN if it cannot be read or does not exist. */
uint64_t word_var(const struct system *y, enum layout_id symbol);
uint64_t int_var(const struct system *y, enum layout_id symbol);

/* Pages; UNKNOWN if they cannot be read. */
uint64_t blockdev_pages(const struct system *y);
uint64_t swapcache_pages(const struct system *y, const struct counters *c);
uint64_t zswap_bytes(const struct system *y);

/* Sums over all zones. */
struct zone_sums {
	uint64_t wmark_low;	/* pages, boost included */
	uint64_t free;		/* 2.4: free pages */
	uint64_t free_high;	/* free pages of highmem zones */
	uint64_t managed;	/* pages of the buddy allocator; 0: not counted, before v3.8 */
	bool known;
};

/* FN for each pgdat; false: there is none, or not all could be read. */
bool nodes_each(const struct system *y,
		bool (*fn)(const struct system *y, uint64_t pgdat, void *arg), void *arg);
/* struct machine.present: pages; 0 unknown. */
uint64_t nodes_present(const struct system *y);
void zones_read(const struct system *y, struct zone_sums *z);
/* Does this kernel count ITEM on each CPU first? */
bool counter_is_held_back(const struct system *y, enum layout_id item);
/* Counts of ITEM that CPUs have not folded in; INT64_MIN: not known. */
int64_t counter_pending(const struct system *y, enum layout_id item);
/* The same of what meminfo has as AnonPages. */
int64_t anon_pending(const struct system *y);
/* Is ITEM counted by zones, not by nodes? */
bool counter_is_of_zones(const struct system *y, enum layout_id item);

/* ---- the log ---------------------------------------------------------------------- */

/* Far more than any log has; it limits the memory for a hostile one. */
#define LOG_LINES_MAX (1u << 22)
#define LOG_TEXT_MAX (1u << 28)	/* bytes */

struct log_lines {
	VEC(struct log_line) v;
	struct arena *mem;
	uint64_t budget;	/* bytes of text that may still be read: the log's own size */
};

/* One record: a line for each line of its text. False: a limit is reached. */
bool log_add(struct log_lines *l, const struct log_line *like, const char *text, size_t len);

void log_ring_read(const struct system *y, struct log_lines *l);
void log_records_read(const struct system *y, struct log_lines *l);
void log_text_read(const struct system *y, struct log_lines *l);

#endif
