/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zones.h - nodes and zones: watermarks, free blocks, lists of CPUs, counters.
 *
 * As /proc/zoneinfo, buddyinfo and pagetypeinfo show them (mm/vmstat.c). Pages unless said.
 */
#ifndef VMCENSUS_KMEM_ZONES_H
#define VMCENSUS_KMEM_ZONES_H

#include "model/model.h"

#define ZONES_OF_NODE 8u	/* MAX_NR_ZONES is 6 at most */
#define ORDERS_MAX 32u
#define MIGRATE_MAX 16u
#define WMARKS_MAX 8u
#define CPU_LISTS_MAX 64u	/* lists of free pages of one CPU and zone */
#define ZONE_UNKNOWN UINT64_MAX

enum { WMARK_OF_MIN, WMARK_OF_LOW, WMARK_OF_HIGH, WMARK_OF_PROMO };

struct zone_cpu {		/* the list of free pages of one CPU */
	uint32_t cpu;
	int64_t count, high, batch;
	int64_t high_min, high_max;	/* 90b41691b988 (v6.7); before 0 */
	int64_t threshold;	/* of counts that the CPU keeps; INT64_MIN: uniprocessor */
	bool contradicts;	/* COUNT is 0 and a list has pages, or all lists are empty and COUNT is not 0 */
};

struct zone {
	uint64_t addr;
	uint32_t node;		/* index in zones.nodes */
	const char *name;
	uint64_t wmark[WMARKS_MAX];	/* without boost */
	unsigned nwmarks;
	uint64_t boost;		/* added to each of them */
	uint64_t start_pfn, spanned, present, managed, cma;
	int64_t reserve[ZONES_OF_NODE];	/* lowmem_reserve */
	unsigned nreserve;
	uint64_t *stat, *numa;	/* [zones.nstat], [zones.nnuma], as printed: not below 0 */
	uint64_t nr_free[ORDERS_MAX];	/* blocks, as counted */
	/* blocks in the list of each type and order: [type * norders + order];
	   ZONE_UNKNOWN: the list is damaged. Only of a zone with pages. */
	uint64_t *listed;
	uint64_t *blocks;	/* [ntypes] pageblocks of each type; NULL: not known */
	struct zone_cpu *cpu;	/* of CPUs that were online */
	uint32_t ncpus;
	uint64_t highatomic, free_highatomic;
};

struct node {
	int32_t id;
	uint32_t first_zone, nzones;
	uint64_t *stat;		/* [zones.nnode_stat], as printed */
	uint64_t failures;	/* of kswapd; ZONE_UNKNOWN: not known */
};

struct zones {
	struct node *nodes;
	uint32_t nnodes;
	struct zone *v;
	uint32_t n;
	unsigned norders, ntypes;
	unsigned block_order;	/* of a pageblock */
	const char *type_name[MIGRATE_MAX];
	unsigned nstat, nnuma, nnode_stat;
	const char **stat_name, **numa_name, **node_stat_name;	/* "": not printed; NULL: not known */
	uint32_t free_item;	/* index of NR_FREE_PAGES in stat */
	bool numa;		/* with CONFIG_NUMA */
};

enum zones_part { ZONES_LISTS = 1, ZONES_BLOCKS = 2 };

/*
 * In MEM. PARTS (enum zones_part): also zone.listed, zone.blocks, which read one object for each
 * free block, or a word for each pageblock. ST_ABSENT: the source or its kernel does not show
 * zones (before v4.8 their counters have other names). Damage is an issue of the kernel.
 */
enum status zones_build(const struct snapshot *s, struct arena *mem, unsigned parts,
			struct zones *ret);

struct reader;

/*
 * Where the I-th possible CPU keeps what ID (M_ZONE_PCP, M_ZONE_CPU_STATS) says of the zone at ADDR: per-CPU data since
 * 99dcc3e5a94e (v2.6.34); before, an array with a struct for each CPU, or with CONFIG_NUMA a pointer to one. ST_ABSENT:
 * that CPU has none.
 */
enum status zone_of_cpu(const struct kernel *k, struct reader *r, uint64_t addr,
			enum layout_id id, uint32_t i, uint64_t *ret);

/* Free pages of Z, as its counter says. */
uint64_t zone_free(const struct zones *zs, const struct zone *z);
/* numa.c: the counter or event NAME (as in zoneinfo) of N, or of its zones together, in pages but for
   stacks; ZONE_UNKNOWN: this kernel has none. */
uint64_t node_count(const struct zones *zs, const struct node *n, const char *name);
/* Index of the only node whose zones span PFN; NONE: there is none, or more than one. */
uint32_t zones_node_of(const struct zones *zs, uint64_t pfn);
/* The watermark, with boost; ZONE_UNKNOWN: there is none. */
uint64_t zone_wmark(const struct zone *z, unsigned i);

/* numa.c: "10 20": the distances of node N to each node, in MEM; NULL: not shown. */
const char *node_distances(const struct snapshot *s, const struct zones *zs, const struct node *n,
			   struct arena *mem);

/* pageblocks.c: the types of the pageblocks of one zone. */
struct pageblocks {
	const struct kernel *k;
	struct reader *r;
	const struct zones *zs;
	const struct zone *z;
	unsigned width;			/* bits of a block */
	uint64_t section, first;	/* the section that was looked up last, its first frame */
	uint64_t base, word_at, word;	/* its words; the one that was read last */
};

/* False: this kernel does not show them. All is lent. */
bool pageblocks_init(struct pageblocks *b, const struct kernel *k, struct reader *r,
		     const struct zones *zs, const struct zone *z);
/* Of the block that begins at frame PFN. ST_ABSENT: there is none. */
enum status pageblock_type(struct pageblocks *b, uint64_t pfn, unsigned *type);

/* Counts the pageblocks of Z by type into COUNT[MIGRATE_MAX]. */
enum status pageblocks_count(const struct kernel *k, struct reader *r, const struct zones *zs,
			     const struct zone *z, uint64_t *count);
/* Order of a pageblock. */
unsigned pageblock_order(const struct kernel *k, struct reader *r, unsigned norders);

#endif
