/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bpf.c - maps of BPF: those that processes have open, and those that programs use or that are
 * pinned in a file system of BPF. A map's memory is in areas of vmalloc(), in slabs, in per-CPU
 * areas, and, for ring buffers, in pages. Read in 5.10, 6.1, 6.12, 7.2: kernel/bpf/.
 */
#include "dumpread/base/bytes.h"
#include "facts/layout/holder.h"
#include "facts/layout/kmem.h"
#include "model/kernel/walk/xarray.h"
#include "model/memory/owners/holding.h"

#define NAME_BYTES 16
#define BUCKETS_MAX (1u << 27)
#define FLAG_NO_PREALLOC 1u	/* BPF_F_NO_PREALLOC */

/* enum bpf_map_type (include/uapi/linux/bpf.h): numbers never change */
enum {
	MAP_HASH = 1, MAP_PERCPU_HASH = 5, MAP_PERCPU_ARRAY = 6, MAP_STACK_TRACE = 7,
	MAP_LRU_HASH = 9, MAP_LRU_PERCPU_HASH = 10, MAP_LPM_TRIE = 11, MAP_HASH_OF_MAPS = 13,
	MAP_PERCPU_CGROUP_STORAGE = 21, MAP_RINGBUF = 27, MAP_USER_RINGBUF = 31, MAP_ARENA = 33,
};

static const char *const types[] = {
	"unspecified", "hash", "array", "prog array", "perf event array", "percpu hash",
	"percpu array", "stack trace", "cgroup array", "lru hash", "lru percpu hash", "lpm trie",
	"array of maps", "hash of maps", "devmap", "sockmap", "cpumap", "xskmap", "sockhash",
	"cgroup storage", "reuseport sockarray", "percpu cgroup storage", "queue", "stack",
	"sk storage", "devmap hash", "struct ops", "ringbuf", "inode storage", "task storage",
	"bloom filter", "user ringbuf", "cgrp storage", "arena", "insn array",
};

struct map {
	struct holding *h;
	struct held *o;
	uint64_t type, key, value, entries, flags;
};

static uint64_t get(const struct map *m, uint64_t object, enum layout_id id)
{
	return held_member(m->h, m->o, object, id);
}

/* Values of N elements on all CPUs (bpf_array_alloc_percpu(), prealloc_init()). */
static void take_percpu(const struct map *m, uint64_t n)
{
	uint64_t each = ((m->value + 7) & ~UINT64_C(7)) * m->h->k->ncpus;

	if (each && n <= (m->h->k->memmap.max_pfn << m->h->k->page_shift) / each)
		held_percpu(m->h, m->o, n * each);
	else
		m->o->incomplete = true;
}

/* Elements that were allocated one by one. A chain ends in a value with bit 0 set (hlist_nulls). */
static uint64_t take_elements(const struct map *m, uint64_t buckets, uint64_t n)
{
	uint32_t size = layout_size(&m->h->k->layout, S_BPF_BUCKET);
	uint64_t found = 0, elem;

	if (!size || n > BUCKETS_MAX)
		return 0;
	for (uint64_t i = 0; i < n; i++) {
		if (read_kva_word(m->h->r, buckets + i * size, &elem)) {
			m->o->incomplete = true;
			return found;
		}
		for (; elem && !(elem & 1) && holding_budget(m->h, m->o, 1); found++) {
			held_memory(m->h, m->o, elem);
			if (read_kva_word(m->h->r, elem, &elem))
				m->o->incomplete = true;
			if (m->o->incomplete)
				return found;
		}
	}
	return found;
}

static void take_hash(const struct map *m)
{
	bool percpu = m->type == MAP_PERCPU_HASH || m->type == MAP_LRU_PERCPU_HASH;
	uint64_t buckets = get(m, m->o->object, M_BPF_BUCKETS), elems, n;

	if (buckets)
		held_memory(m->h, m->o, buckets);
	if (buckets && m->flags & FLAG_NO_PREALLOC) {
		n = take_elements(m, buckets, get(m, m->o->object, M_BPF_NR_BUCKETS));
	} else {
		elems = get(m, m->o->object, M_BPF_ELEMS);
		if (elems)
			held_memory(m->h, m->o, elems);
		/* one more for each CPU, unless the map forgets the oldest */
		n = m->entries + (m->type == MAP_LRU_PERCPU_HASH ? 0 : m->h->k->ncpus);
	}
	if (percpu)
		take_percpu(m, n);
}

static void take_ring(const struct map *m)
{
	uint64_t ring = get(m, m->o->object, M_BPF_RING), pages;

	if (!ring)
		return;
	pages = get(m, ring, M_BPF_RING_PAGES);
	held_page_array(m->h, m->o, pages, get(m, ring, M_BPF_RING_NR_PAGES), CLASS_BPF);
	if (pages)
		held_memory(m->h, m->o, pages);
}

/* Nodes were allocated one by one. */
static void take_trie(const struct map *m)
{
	const struct member *child = &m->h->k->layout.v[M_LPM_CHILD].m;
	VEC(uint64_t) todo = { 0 };
	uint64_t node = get(m, m->o->object, M_LPM_ROOT);

	if (!has(m->h->k, M_LPM_CHILD))
		return;
	while (node && holding_budget(m->h, m->o, 1)) {
		held_memory(m->h, m->o, node);
		for (unsigned i = 0; i < 2; i++) {
			uint64_t next;

			if (read_kva_word(m->h->r, node + child->offset + i * child->stride, &next))
				m->o->incomplete = true;
			else if (next)
				*vec_push(m->h->mem, &todo) = next;
		}
		node = todo.n ? todo.v[--todo.n] : 0;
	}
}

static void take_page(void *arg, uint64_t pfn)
{
	const struct map *m = arg;

	held_frames(m->h, m->o, pfn, 1, CLASS_VMALLOC);
}

/*
 * No array has the pages of an arena: the kernel's page tables show which of its area there are (kernel/bpf/arena.c,
 * 317460317a02, v6.9). Programs and processes share them.
 */
static void take_arena(struct map *m)
{
	uint64_t area = get(m, m->o->object, M_ARENA_AREA), n,
		 start = area ? get(m, area, M_VM_ADDR) : 0;
	const struct vmalloc_area *v = start ? holding_area(m->h, start) : NULL;

	if (!v || v->start != start || !(v->flags & AREA_SPARSE) ||
	    vmalloc_sparse_pages(m->h->k, m->h->r, v, &n, take_page, m))
		m->o->incomplete = true;
}

static void take_kind(struct map *m)
{
	uint64_t elems;

	switch (m->type) {
	case MAP_HASH:
	case MAP_PERCPU_HASH:
	case MAP_LRU_HASH:
	case MAP_LRU_PERCPU_HASH:
	case MAP_HASH_OF_MAPS: take_hash(m); break;
	case MAP_LPM_TRIE: take_trie(m); break;
	case MAP_PERCPU_ARRAY: take_percpu(m, m->entries); break;
	case MAP_RINGBUF:
	case MAP_USER_RINGBUF: take_ring(m); break;
	case MAP_ARENA: take_arena(m); break;
	case MAP_STACK_TRACE:
		elems = get(m, m->o->object, M_BPF_STACK_ELEMS);
		if (elems)
			held_memory(m->h, m->o, elems);
		break;
	default: break;
	}
}

void bpf_map_read(struct holding *h, struct held *o)
{
	struct map m = { .h = h, .o = o };
	char name[NAME_BYTES + 1];

	m.type = get(&m, o->object, M_BPF_TYPE);
	m.key = get(&m, o->object, M_BPF_KEY_SIZE);
	m.value = get(&m, o->object, M_BPF_VALUE_SIZE);
	m.entries = get(&m, o->object, M_BPF_MAX_ENTRIES);
	m.flags = get(&m, o->object, M_BPF_FLAGS);
	if (!has(h->k, M_BPF_NAME) ||
	    read_kva_str(h->r, o->object + layout_offset(&h->k->layout, M_BPF_NAME), name,
			 sizeof(name)))
		name[0] = 0;
	o->what = arena_printf(h->mem, "%s %s id %llu",
			       m.type < ARRAY_LEN(types) ? types[m.type] : "map", name,
			       (unsigned long long)get(&m, o->object, M_BPF_ID));
	held_memory(h, o, o->object);
	take_kind(&m);
	/* a program, a pin in a file system, another map */
	o->kernel = get(&m, o->object, M_BPF_REFS) > o->files;
}

static bool take_map(void *arg, const struct xa_entry *e)
{
	struct holding *h = arg;
	struct held *o;
	bool fresh;

	if (e->is_value || !kernel_ptr_ok(h->k, e->value, h->k->dump->word_size)) {
		holding_damaged(h, "map of BPF", e->value);
		return true;
	}
	o = held_get(h, OWNER_BPF, e->value, &fresh);
	if (fresh)
		bpf_map_read(h, o);
	return true;
}

void bpf_maps_walk(struct holding *h)
{
	if (has(h->k, Y_MAP_IDR) && has(h->k, M_IDR_ROOT) && has(h->k, M_BPF_TYPE))
		xarray_walk(h->k, h->r,
			    layout_symbol(&h->k->layout, Y_MAP_IDR) +
				    layout_offset(&h->k->layout, M_IDR_ROOT),
			    0, UINT32_MAX, take_map, h);
}
