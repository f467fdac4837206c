/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mutate - prints where the data is that tests/damage/mutations.py alters.
 *
 *	mutate [-t FILE] PID,PID... IMAGE...
 *
 * For the first of these processes that has all kinds: "pid PID", and then one line each
 *	KIND ADDRESS OLD NEW
 * with the physical address, and in hex the bytes that are there and bytes that could
 * be there instead. Kinds: mapcount, pte and page (of one anonymous page), counter (of
 * anonymous pages), comm, dentry (a name in a path), flags (of a vma), list (of tasks),
 * and where the kernel has them: pools (their number), node (the address of its data).
 * Kinds of several lines, where the kernel shows its zones: hidden (a process is taken out of the
 * list of tasks), planted (its page is put on a free list), overlap (the second page of a free
 * block is put on another).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"
#include "facts/layout/file.h"
#include "facts/layout/kmem.h"
#include "facts/layout/mm.h"
#include "facts/layout/page.h"
#include "facts/layout/system.h"
#include "facts/layout/task.h"
#include "model/build.h"
#include "model/kernel/kobj.h"
#include "model/kernel/zone/zones.h"
#include "model/memory/usage/account.h"

#define BYTES 16

struct spot {
	const char *kind;
	uint64_t pa;
	unsigned size;
	uint8_t old[BYTES], new[BYTES];
};

struct finder {
	const struct snapshot *s;
	const struct kernel *k;
	struct reader *r;
	struct spot v[32];
	unsigned n;
	struct vma_page page;
	const struct vma *vma;		/* that the page is in */
};

static struct spot *spot_pa(struct finder *f, const char *kind, uint64_t pa, unsigned size)
{
	struct spot *s = &f->v[f->n];

	if (size > BYTES || read_pa(f->r, pa, s->old, size))
		return NULL;
	*s = (struct spot){ .kind = kind, .pa = pa, .size = size };
	read_pa(f->r, pa, s->old, size);
	memcpy(s->new, s->old, size);
	f->n++;
	return s;
}

static struct spot *spot_kva(struct finder *f, const char *kind, uint64_t kva, unsigned size)
{
	uint64_t pa;

	return reader_kvtop(f->r, kva, &pa, NULL) ? NULL : spot_pa(f, kind, pa, size);
}

static void set(const struct finder *f, struct spot *s, uint64_t value)
{
	for (unsigned i = 0; s && i < s->size; i++)
		s->new[f->k->dump->big_endian ? s->size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const struct finder *f, const struct spot *s)
{
	return s ? load_uint(s->old, s->size, f->k->dump->big_endian) : 0;
}

static const struct member *member(const struct finder *f, enum layout_id id)
{
	return &f->k->layout.v[id].m;
}

/* A single page: no part of a larger one, mapped once. */
static bool is_plain(void *arg, const struct vma_page *p)
{
	struct finder *f = arg;
	uint32_t flags = p->frame ? p->frame->flags : 0;

	if (p->pte.kind != PTE_PAGE || p->shift != f->k->page_shift || !(flags & FR_ANON) ||
	    flags & (FR_KSM | FR_HEAD | FR_TAIL) || p->frame->mapcount != 1 || !p->table)
		return true;
	f->page = *p;
	return false;
}

static void find_page(struct finder *f, const struct mm *mm)
{
	const struct paging *pg = f->k->paging;
	uint64_t page, index;

	for (uint32_t i = 0; i < mm->nvmas && !f->page.frame; i++) {
		f->vma = &f->s->vmas[mm->first_vma + i];
		if (f->vma->file == NONE)
			vma_walk(f->s, f->r, f->vma, is_plain, f);
	}
	if (!f->page.frame)
		return;
	page = memmap_page_kva(&f->k->memmap, f->page.pfn);
	set(f, spot_kva(f, "mapcount", page + member(f, M_PAGE_MAPCOUNT)->offset, 4), 1);
	set(f, spot_kva(f, "page", page + member(f, M_PAGE_MAPPING)->offset,
			f->k->dump->word_size), 0);
	index = f->page.va >> paging_shift(pg, 0) & ((UINT64_C(1) << pg->bits[0]) - 1);
	set(f, spot_pa(f, "pte", f->page.table + index * pg->entry_size[0], pg->entry_size[0]), 0);
}

static void find_counter(struct finder *f, const struct mm *mm)
{
	const struct member *m = member(f, M_MM_RSS_COUNT);
	uint64_t i = (uint64_t)rss_counter_index(f->k, RSS_ANON), at;
	unsigned size = m->stride;
	struct spot *s;

	at = mm->addr + m->offset + i * m->stride;
	if (has(f->k, M_MM_RSS_PERCPU)) {
		m = member(f, M_MM_RSS_STAT);
		at = mm->addr + m->offset + i * m->stride + member(f, M_PCC_COUNT)->offset;
		size = 8;
	}
	s = spot_kva(f, "counter", at, size);
	set(f, s, get(f, s) + 1);
}

static void find_names(struct finder *f, const struct mm *mm, const struct task *t)
{
	struct spot *s = spot_kva(f, "comm", t->addr + member(f, M_TASK_COMM)->offset, 1);
	uint64_t dentry, name;

	set(f, s, get(f, s) == 'x' ? 'y' : 'x');
	for (uint32_t i = 0; i < mm->nvmas; i++) {
		uint64_t file = f->s->vmas[mm->first_vma + i].file_addr;

		if (!file || kmember_u64(f->k, f->r, file, M_FILE_DENTRY, &dentry) ||
		    kmember_u64(f->k, f->r, dentry, M_DENTRY_NAME, &name))
			continue;
		s = spot_kva(f, "dentry", name, 1);
		set(f, s, get(f, s) == 'x' ? 'y' : 'x');
		return;
	}
}

static void find_links(struct finder *f, const struct task *t)
{
	unsigned word = f->k->dump->word_size;
	struct spot *s = spot_kva(f, "flags", f->vma->addr + member(f, M_VMA_FLAGS)->offset, word);

	set(f, s, get(f, s) ^ VMA_EXEC);
	s = spot_kva(f, "list", t->addr + member(f, M_TASK_TASKS)->offset, word);
	set(f, s, t->addr + member(f, M_TASK_TASKS)->offset);
}

/* Kinds for the machine. Kernels without hugetlb or NUMA do not have all of them. */
static void find_system(struct finder *f)
{
	uint64_t pools = layout_symbol(&f->k->layout, Y_MAX_HSTATE);
	uint64_t nodes = layout_symbol(&f->k->layout, Y_PGDATS);

	if (pools)
		set(f, spot_kva(f, "pools", pools, 4), 1000);
	if (nodes)
		set(f, spot_kva(f, "node", nodes, f->k->dump->word_size), 0x13);
}

static void set_word(struct finder *f, const char *kind, uint64_t kva, uint64_t value)
{
	set(f, spot_kva(f, kind, kva, f->k->dump->word_size), value);
}

/* As list_del(): both neighbours of the list_head at NODE. */
static void unlink_node(struct finder *f, const char *kind, uint64_t node)
{
	unsigned word = f->k->dump->word_size;
	uint64_t next, prev;

	if (read_kva_word(f->r, node, &next) || read_kva_word(f->r, node + word, &prev))
		return;
	set_word(f, kind, prev, next);
	set_word(f, kind, next + word, prev);
}

/* As list_add(): the list_head at NODE becomes the first of the list at HEAD, which may be empty. */
static void link_node(struct finder *f, const char *kind, uint64_t head, uint64_t node)
{
	unsigned word = f->k->dump->word_size;
	uint64_t first;

	if (read_kva_word(f->r, head, &first) || !first)
		return;
	set_word(f, kind, head, node);
	set_word(f, kind, first + word, node);
	set_word(f, kind, node, first);
	set_word(f, kind, node + word, head);
}

static uint64_t free_list(const struct finder *f, const struct zone *z, unsigned order, unsigned type)
{
	const struct member *area = member(f, M_ZONE_FREE_AREA), *lists = member(f, M_AREA_LISTS);

	return z->addr + area->offset + order * area->stride + lists->offset + type * lists->stride;
}

static const struct zone *zone_at(const struct zones *zs, uint64_t pfn)
{
	for (uint32_t i = 0; i < zs->n; i++)
		if (pfn >= zs->v[i].start_pfn && pfn < zs->v[i].start_pfn + zs->v[i].spanned)
			return &zs->v[i];
	return NULL;
}

/* The list that begins at *HEAD, of the first type and an order from ORDER on that has blocks. */
static bool find_list(const struct finder *f, const struct zones *zs, const struct zone *z,
		      unsigned order, uint64_t *head, uint64_t *first)
{
	for (; order < zs->norders; order++)
		for (unsigned t = 0; t < zs->ntypes; t++) {
			*head = free_list(f, z, order, t);
			if (!read_kva_word(f->r, *head, first) && *first != *head)
				return true;
		}
	return false;
}

static void find_places(struct finder *f, const struct task *t)
{
	uint64_t lru = member(f, M_PAGE_LRU)->offset, page, head, first, to = 0;
	struct arena mem = { 0 };
	struct zones zs;
	const struct zone *z;

	if (has(f->k, M_PIDNS_IDR) && has(f->k, M_TASK_PID_LINKS))
		unlink_node(f, "hidden", t->addr + member(f, M_TASK_TASKS)->offset);
	if (!zones_build(f->s, &mem, 0, &zs) && (z = zone_at(&zs, f->page.pfn))) {
		page = memmap_page_kva(&f->k->memmap, f->page.pfn);
		/* any page may be a block of order 0 */
		link_node(f, "planted", free_list(f, z, 0, 0), page + lru);
		/* the second page of another order's first block */
		if (find_list(f, &zs, z, 0, &to, &first) &&
		    find_list(f, &zs, z, 1, &head, &first) && head != to)
			link_node(f, "overlap", to, first + f->k->memmap.page_size);
	}
	arena_release(&mem);
}

static bool find(struct finder *f, const struct proc *p)
{
	const struct mm *mm = p->mm == NONE ? NULL : &f->s->mms[p->mm];
	const struct task *t = &f->s->tasks[p->leader];

	f->n = 0;
	f->page.frame = NULL;
	if (!mm || mm->nprocs != 1)
		return false;
	find_page(f, mm);
	if (f->n == 3) {
		find_counter(f, mm);
		find_names(f, mm, t);
		find_links(f, t);
	}
	if (f->n != 8)
		return false;
	find_system(f);
	find_places(f, t);
	return true;
}

static void put_hex(const uint8_t *p, unsigned n)
{
	putchar(' ');
	for (unsigned i = 0; i < n; i++)
		printf("%02x", p[i]);
}

static int print(struct finder *f, char *pids)
{
	for (char *end, *at = pids; *at; at = *end ? end + 1 : end) {
		uint32_t p = snapshot_proc_by_pid(f->s, (int32_t)strtol(at, &end, 10));

		if (end == at)
			break;
		if (p == NONE || !find(f, &f->s->procs[p]))
			continue;
		printf("pid %d\n", f->s->procs[p].pid);
		for (unsigned i = 0; i < f->n; i++) {
			printf("%s %#" PRIx64, f->v[i].kind, f->v[i].pa);
			put_hex(f->v[i].old, f->v[i].size);
			put_hex(f->v[i].new, f->v[i].size);
			putchar('\n');
		}
		return 0;
	}
	fprintf(stderr, "mutate: no process of these has all that is altered\n");
	return 1;
}

int main(int argc, char **argv)
{
	bool types = argc > 2 && !strcmp(argv[1], "-t");
	int first = types ? 4 : 2, ret;
	struct log log;
	struct kernel_opts o = {
		.images = (const char *const *)argv + first, .jobs = 1, .log = &log,
		.nimages = argc > first ? (unsigned)(argc - first) : 0,
		.types = (const char *const *)argv + 2, .ntypes = types,
	};
	struct finder f = { 0 };
	struct snapshot *s;
	struct diag diag;
	struct kernel *k;

	log_init(&log);
	if (!o.nimages || kernel_open(&o, &diag, &k)) {
		fprintf(stderr, "mutate: %s\n", o.nimages ? diag.text : "no image is named");
		return 1;
	}
	s = snapshot_build(k, NEED_TASKS | NEED_VMAS | NEED_FRAMES, NULL);
	f.s = s;
	f.k = k;
	f.r = reader_new(k->dump);
	ret = print(&f, argv[first - 1]);
	reader_free(f.r);
	snapshot_free(s);
	kernel_close(k);
	return ret;
}
