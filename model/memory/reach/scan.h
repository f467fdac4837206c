/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan.h - words of nodes and roots; private to model/memory/reach. */
#ifndef VMCENSUS_REACH_SCAN_H
#define VMCENSUS_REACH_SCAN_H

#include "model/memory/reach/reach.h"

enum reach_root {
	ROOT_IMAGE,
	ROOT_MODULE,
	ROOT_PERCPU,
	ROOT_STACK,
	ROOT_BOOT,
	ROOT_STRUCT_PAGE,
};

/* One thread that reads words. */
struct reach_scan {
	const struct reach *x;
	struct reader *r;
	/* for each word that may be the address of a node */
	void (*hit)(struct reach_scan *sc, uint64_t at, uint64_t word);
	void *arg;
	uint64_t from; /* the node whose words these are; REACH_NONE: a root */
	enum reach_root root;
	uint32_t task; /* of ROOT_STACK: index in tasks */
	/* the piece that is being read */
	const uint8_t *p;
	uint64_t kva, len;
	uint64_t pages, unread; /* asked for; of them, missing */
	uint64_t unmapped;	/* of these, without a translation */
};

/* Words of LEN bytes at P, whose address is KVA; both aligned to a word. */
void reach_scan_words(struct reach_scan *sc, const uint8_t *p, uint64_t kva, uint64_t len);
/* The page of frame PFN, from byte FROM to TO of it; its address is KVA. */
void reach_scan_page(struct reach_scan *sc, uint64_t pfn, uint64_t kva, uint32_t from, uint32_t to);
/* Kernel addresses that page tables translate. */
void reach_scan_kva(struct reach_scan *sc, uint64_t kva, uint64_t end);
/* Words of the struct page of PFN. */
void reach_scan_struct_page(struct reach_scan *sc, uint64_t pfn);
/* All words of NODE, of which UNIT is the place; sc->from is set. */
void reach_scan_node(struct reach_scan *sc, uint64_t node, uint64_t unit);

/* Kernel address of the first object of slab U. */
static inline uint64_t reach_slab(const struct reach *x, const struct reach_unit *u)
{
	return x->linear + (u->pfn << x->k->page_shift) + x->free_lists.form[u->cache].left;
}

/* The node that WORD at address AT refers to: reach_at(), but not if it is where an area says that itself lies. */
uint64_t reach_target(const struct reach_scan *sc, uint64_t at, uint64_t word, uint64_t *unit);

/* The first of the nodes of UNIT, a place in units or, behind them, in areas; *N: how many it has. */
uint64_t reach_nodes_of(const struct reach *x, uint64_t unit, uint64_t *n);
/* One way, up or DOWN, through the units of [FROM, END) of x->units_wait: each node that waits is read, also one that
   begins to wait in a unit that is being visited. Bits are taken when they are read. True: there was one. */
bool reach_sweep(struct reach *x, struct reach_scan *sc, uint64_t from, uint64_t end, bool down);

/* Scans of JOBS_MAX threads with HIT and ARG, whose readers are made when they are needed. */
struct reach_scan *reach_scans_new(const struct reach *x,
				   void (*hit)(struct reach_scan *sc, uint64_t at, uint64_t word),
				   void *arg);
/* Adds what they counted to *PAGES, *UNREAD and *UNMAPPED, which may be NULL. */
void reach_scans_free(struct reach_scan *v, uint64_t *pages, uint64_t *unread, uint64_t *unmapped);
/* The scan of WORKER, with a reader. */
struct reach_scan *reach_scan_of(struct reach_scan *v, unsigned worker);

/* roots.c: the words of variables (also per CPU, and of what was reserved at boot), of kernel stacks, of struct pages
   that are in use; and of all of these. */
void reach_variables(const struct reach *x, struct reach_scan *scans);
void reach_stacks(const struct reach *x, struct reach_scan *scans);
void reach_struct_pages(const struct reach *x, struct reach_scan *scans);
void reach_roots(const struct reach *x, struct reach_scan *scans);
/* The words of roots and of all nodes that are not free. */
void reach_all(const struct reach *x, struct reach_scan *scans);
/* The variable of a CPU that kernel address AT is in, by the symbols of the static area. False: it is in none of them,
   as all that alloc_percpu() gave. */
bool reach_percpu_at(const struct kernel *k, uint64_t at, uint32_t *cpu, struct symbol_place *ret);
/* units.c: units, areas, addresses. A reason to refuse, or REACH_SOUND. */
enum reach_doubt reach_units_build(struct reach *x);
/* Frames of class C are a block, which is scanned once something points to it. */
bool reach_is_block(enum page_class c);
/* freed.c: the bits of free objects. */
void reach_freed_build(struct reach *x);

#endif
