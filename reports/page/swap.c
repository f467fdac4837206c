/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swap - the areas, and the users of their slots. Each slot in use has one owner:
 * processes by their page tables, an object of shared memory, only the swap cache, or a
 * CPU that reserved it. The rest has no owner that the dump shows.
 */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/file/shm.h"
#include "model/memory/usage/swap_use.h"
#include "reports/core/common.h"

struct row {
	const char *kind, *name;
	int64_t pid, prio;
	uint64_t size, used;		/* of areas */
	uint64_t share;			/* its slots; shared ones divided */
	uint64_t swap, swap_uss, cached;
};

#define P COL_SHOWN
#define BYTES(name, fl, about) COL(struct row, name, COL_BYTES, fl, "bytes", about)

static const struct column cols[] = {
	COL(struct row, kind, COL_STR, P, "",
	    "area, process, shmem (an object of shared memory), cache, reserved, unowned, zswap, zsmalloc"),
	COL(struct row, pid, COL_INT, P, "", "of process"),
	COL(struct row, prio, COL_INT, P, "", "of area: priority"),
	BYTES(size, P, "of area: its size; of zswap: the pages before compression"),
	BYTES(used, P, "of area: slots in use; of zswap, zsmalloc: memory that it takes"),
	BYTES(share, P | COL_TOTAL,
	      "its slots, shared slots divided; the sum is the slots in use"),
	BYTES(swap, P, "slots that it refers to, shared slots not divided"),
	BYTES(swap_uss, 0, "of swap: slots with no other reference"),
	BYTES(cached, P, "of swap: slots whose page is also in memory (swap cache)"),
	COL(struct row, name, COL_STR, P, "", "path of the area or object, name of the process"),
};

struct maker {
	const struct snapshot *s;
	struct table *t;
	VEC(struct row) rows;
	uint64_t used, cached, procs, shmem, cache, reserved;	/* bytes */
};

static struct row *add_swap_row(struct maker *m, const char *kind, const char *name)
{
	struct row *r = vec_push(&m->t->mem, &m->rows);

	*r = (struct row){ .kind = kind,
			   .name = name,
			   .pid = COL_UNKNOWN_INT,
			   .prio = COL_UNKNOWN_INT,
			   .size = COL_UNKNOWN,
			   .used = COL_UNKNOWN,
			   .share = COL_UNKNOWN,
			   .swap = COL_UNKNOWN,
			   .swap_uss = COL_UNKNOWN,
			   .cached = COL_UNKNOWN };
	return r;
}

static void areas(struct maker *m, const struct swap_use *use)
{
	uint64_t page = page_size(m->s);

	for (uint32_t i = 0; i < m->s->machine.nswaps; i++) {
		const struct swap_area *a = &m->s->machine.swaps[i];
		struct row *r = add_swap_row(m, "area", a->path);

		r->prio = a->prio;
		r->size = a->pages * page;
		r->used = a->used * page;
		r->cached = use[i].cached * page;
		m->used += r->used;
		m->cached += r->cached;
		m->cache += use[i].cache_only * page;
	}
}

static void swap_processes(struct maker *m, const struct report_opts *o)
{
	for (uint32_t i = 0; i < m->s->nprocs; i++) {
		const struct proc *p = &m->s->procs[i];
		const struct mm *mm = proc_mm(m->s, p);
		struct row *r;

		/* a shared mm counts only for its first process */
		if (!mm || mm->owner != i || (!mm->usage.swap_ptes && !o->all))
			continue;
		r = add_swap_row(m, "process", proc_comm(m->s, p));
		r->pid = p->pid;
		r->swap = mm->usage.swap_ptes;
		r->swap_uss = mm->usage.swap_uss;
		r->cached = mm->usage.swap_cached;
		r->share = mm->usage.swap_pss >> PSS_SHIFT;
		m->procs += r->share;
	}
}

static void swap_objects(struct maker *m, const struct report_opts *o)
{
	const struct shm *shm = shm_of(m->s);

	for (uint32_t i = 0; i < shm->n; i++) {
		struct row *r;

		if (shm->v[i].kind == SHM_HUGETLB || (!shm->v[i].swapped && !o->all))
			continue;
		r = add_swap_row(m, "shmem", shm->v[i].path);
		r->swap = r->share = shm->v[i].swapped * page_size(m->s);
		r->swap_uss = r->swap;
		m->shmem += r->share;
	}
}

/*
 * Until 6.15 a CPU reserves slots in advance, marked as cached and without a reference
 * (mm/swap_slots.c). So more slots are marked as cached than the kernel counts as
 * SwapCached.
 */
static void set_reserved(struct maker *m)
{
	uint64_t counted = machine_meminfo(&m->s->machine, "SwapCached");

	if (counted != UINT64_MAX && m->cached > counted)
		m->reserved = min_u64(m->cached - counted, m->cache);
	m->cache -= m->reserved;
}

static void rest(struct maker *m)
{
	uint64_t owned = m->procs + m->shmem + m->cache + m->reserved;
	uint64_t pool = machine_meminfo(&m->s->machine, "Zswap");
	uint64_t stored = machine_meminfo(&m->s->machine, "Zswapped");
	uint64_t zsmalloc = machine_zsmalloc(&m->s->machine);
	struct row *r;

	if (m->cache) {
		r = add_swap_row(m, "cache", "pages in memory that still have their slots");
		r->share = r->swap = r->cached = m->cache;
	}
	if (m->reserved)
		add_swap_row(m, "reserved", "slots that CPUs keep for the next pages")->share =
			m->reserved;
	if (m->used > owned + page_size(m->s)) {
		r = add_swap_row(m, "unowned", "slots in use that nothing in the dump refers to");
		r->share = m->used - owned;
	}
	if (zsmalloc && zsmalloc != UINT64_MAX)
		add_swap_row(m, "zsmalloc", "memory that holds compressed pages: zram, zswap")
			->used = zsmalloc * page_size(m->s);
	if (pool != UINT64_MAX && stored != UINT64_MAX && stored) {
		r = add_swap_row(m, "zswap", "compressed in memory, on the way to the areas");
		r->size = stored;
		r->used = pool;
	}
}

static const char *swap_note(const struct maker *m, struct arena *mem)
{
	uint64_t owned = m->procs + m->shmem + m->cache + m->reserved;
	int64_t delta = (int64_t)owned - (int64_t)m->used;

	return arena_printf(mem,
			    "in use %" PRIu64 " KiB; processes %" PRIu64 ", shared memory %" PRIu64
			    ", swap cache only %" PRIu64 ", reserved %" PRIu64
			    " KiB, difference %+" PRId64 " KiB",
			    m->used >> 10, m->procs >> 10, m->shmem >> 10, m->cache >> 10,
			    m->reserved >> 10, delta / 1024);
}

static enum status swap_report(const struct snapshot *s, const struct report_opts *o,
			       struct table *t, struct diag *diag)
{
	struct maker m = { .s = s, .t = t };

	(void)diag;
	areas(&m, swap_uses(s, &t->mem));
	swap_processes(&m, o);
	swap_objects(&m, o);
	set_reserved(&m);
	rest(&m);
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	t->row_size = sizeof(struct row);
	t->note = swap_note(&m, &t->mem);
	return ST_OK;
}

const struct report report_swap = {
	.name = "swap",
	.about = "swap areas, and the users of their slots",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_MACHINE,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "kind,-share,pid",
	.run = swap_report,
	.help = "One row for each swap area, each process whose page tables refer to slots, and each\n"
		"object of shared memory with pages in swap. share counts each slot once: divided\n"
		"among the page tables that refer to it, or for an object, for the swap cache only, or\n"
		"for the CPU that reserved it. The line below compares the sum with the slots in use.\n"
		"--all adds processes and objects without swap. zsmalloc is the memory of all its\n"
		"pools, for zram and zswap.",
};
