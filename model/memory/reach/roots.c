/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * roots.c - what is read whether something points to it or not. Registers of CPUs are in their crash notes, which are
 * per-CPU memory, and on the stack of the task that panicked.
 */
#include "dumpread/base/bytes.h"
#include "dumpread/base/jobs.h"
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"
#include "facts/layout/signs.h"
#include "model/kernel/kobj.h"
#include "model/kernel/page/scan.h"
#include "model/kernel/stack/stacks.h"
#include "model/memory/reach/scan.h"

#define CHUNK  4096u /* frames of one job */
#define STACKS 64u   /* tasks of one job */
#define UNITS  2048u /* units of one job */
#define MODULES (UINT64_C(2) << 30) /* bytes: the largest area for them, that of arm64 and riscv64 */

struct pass {
	const struct reach *x;
	struct reach_scan *scans;
	uint64_t stack_size;
};

static bool is_root(enum page_class c, enum reach_root *root)
{
	switch (c) {
	case CLASS_IMAGE: *root = ROOT_IMAGE; break;
	case CLASS_PERCPU: *root = ROOT_PERCPU; break;
	case CLASS_BOOT:
	case CLASS_HASH: *root = ROOT_BOOT; break;
	default: return false; /* modules and stacks are read by their addresses */
	}
	return true;
}

/* ---- per-CPU memory ----------------------------------------------------------------------- */

/* A variable of a CPU has the address of its symbol, and the offset of the CPU. */
bool reach_percpu_at(const struct kernel *k, uint64_t at, uint32_t *cpu, struct symbol_place *ret)
{
	const struct symbols *s = &k->dump->symbols;
	uint64_t mask = k->dump->word_size == 4 ? UINT32_MAX : UINT64_MAX, start, end;

	if (!symbols_find(s, "__per_cpu_start", &start, NULL) ||
	    !symbols_find(s, "__per_cpu_end", &end, NULL))
		return false;
	for (*cpu = 0; *cpu < k->ncpus; ++*cpu) {
		uint64_t off = (at - k->percpu[*cpu]) & mask;

		if (off >= start && off < end)
			return symbols_at(s, off, ret) && ret->name[0];
	}
	return false;
}

/* napi_alloc_cache.skb_cache has old pointers above skb_count. The part of [AT, END) before them, and what is left
   of it behind them. */
static uint64_t before_skbs(struct reach_scan *sc, uint64_t at, uint64_t end, uint64_t *behind)
{
	const struct kernel *k = sc->x->k;
	uint64_t word = k->dump->word_size, mask = word == 4 ? UINT32_MAX : UINT64_MAX, count;

	*behind = end;
	if (!has(k, Y_NAPI_CACHE) || !has(k, M_NAPI_COUNT) || !has(k, M_NAPI_SKBS))
		return end;
	for (uint32_t i = 0; i < k->ncpus; i++) {
		uint64_t cache = (layout_symbol(&k->layout, Y_NAPI_CACHE) + k->percpu[i]) & mask,
			 from, to;

		from = cache + layout_offset(&k->layout, M_NAPI_SKBS);
		to = from + (uint64_t)k->layout.v[M_NAPI_SKBS].m.count * word;
		if (from >= end || to <= at || kmember_u64(k, sc->r, cache, M_NAPI_COUNT, &count))
			continue;
		from += min_u64(count, k->layout.v[M_NAPI_SKBS].m.count) * word;
		*behind = min_u64(max_u64(to, at), end);
		return min_u64(max_u64(from, at), end);
	}
	return end;
}

static void scan_percpu(struct reach_scan *sc, uint64_t pfn, uint64_t kva)
{
	uint32_t page = UINT32_C(1) << sc->x->k->page_shift;
	uint64_t behind, before = before_skbs(sc, kva, kva + page, &behind);

	if (before > kva)
		reach_scan_page(sc, pfn, kva, 0, (uint32_t)(before - kva));
	if (behind < kva + page)
		reach_scan_page(sc, pfn, kva, (uint32_t)(behind - kva), page);
}

/* ---- frames ------------------------------------------------------------------------------------- */

/* Code has no pointers to memory that is allocated, and is left out of some dumps. */
static bool is_text(const struct reach *x, uint64_t kva)
{
	const struct layout *l = &x->k->layout;

	return kva >= layout_symbol(l, Y_IMAGE_START) &&
	       kva + (UINT64_C(1) << x->k->page_shift) <= layout_symbol(l, Y_ETEXT);
}

static void scan_frame(struct reach_scan *sc, uint64_t pfn)
{
	const struct reach *x = sc->x;
	uint64_t pa = pfn << x->k->page_shift;

	if (!is_root(page_class_at(x->census->classes, pfn), &sc->root) ||
	    is_text(x, x->image_at + pa))
		return;
	if (sc->root == ROOT_PERCPU)
		scan_percpu(sc, pfn, x->linear + pa);
	else
		reach_scan_page(sc, pfn, (sc->root == ROOT_IMAGE ? x->image_at : x->linear) + pa, 0,
				UINT32_C(1) << x->k->page_shift);
}

static void scan_frames(void *ctx, unsigned worker, size_t item)
{
	struct pass *p = ctx;
	struct reach_scan *sc = reach_scan_of(p->scans, worker);
	uint64_t end = min_u64((item + 1) * CHUNK, p->x->max_pfn);

	sc->from = REACH_NONE;
	for (uint64_t pfn = item * CHUNK; pfn < end; pfn++)
		scan_frame(sc, pfn);
}

/* ---- modules, stacks ------------------------------------------------------------------------------ */

static void scan_modules(const struct pass *p)
{
	struct reach_scan *sc = reach_scan_of(p->scans, 0);
	struct arena mem = { 0 };
	uint64_t left = p->x->max_pfn << p->x->k->page_shift; /* of all together */
	uint32_t module = 0, part = 0;
	struct module_part q;
	struct ksyms ks;

	ksyms_init(&ks, p->x->k, sc->r, &mem);
	sc->from = REACH_NONE;
	sc->root = ROOT_MODULE;
	while (ksyms_module_part(&ks, &module, &part, &q)) {
		if (q.end - q.start > min_u64(left, MODULES)) {
			issue_add(p->x->k->issues, ST_LIMIT, "module", 1,
				  "%s: it is larger than the modules of this machine can be",
				  q.name);
			continue;
		}
		left -= q.end - q.start;
		reach_scan_kva(sc, q.start, q.end);
	}
	arena_release(&mem);
}

static void scan_stacks(void *ctx, unsigned worker, size_t item)
{
	struct pass *p = ctx;
	const struct snapshot *s = p->x->s;
	struct reach_scan *sc = reach_scan_of(p->scans, worker);
	uint64_t start, end = min_u64((item + 1) * STACKS, s->ntasks);

	sc->from = REACH_NONE;
	sc->root = ROOT_STACK;
	for (uint64_t i = item * STACKS; i < end; i++) {
		sc->task = (uint32_t)i;
		if (!stack_start(s->k, sc->r, &s->tasks[i], &start) && start)
			reach_scan_kva(sc, start, start + p->stack_size);
	}
}

/* ---- struct pages ------------------------------------------------------------------------------------ */

static void scan_struct_pages(void *arg, unsigned worker, struct reader *r,
			      const struct page_run *run)
{
	struct pass *p = arg;
	const struct reach *x = p->x;
	struct reach_scan *sc = reach_scan_of(p->scans, worker);

	(void)r;
	sc->from = REACH_NONE;
	sc->root = ROOT_STRUCT_PAGE;
	for (uint64_t i = 0; run->p && i < run->n; i++) {
		enum page_class c = page_class_at(x->census->classes, run->pfn + i);

		if (c == CLASS_NONE || c == CLASS_HOLE || c == CLASS_UNREAD ||
		    page_class_is(c, CF_SPARE) || reach_is_block(c))
			continue;
		reach_scan_words(sc, run->p + i * x->fmt.size, run->kva + i * x->fmt.size,
				 x->fmt.size);
	}
}

void reach_variables(const struct reach *x, struct reach_scan *scans)
{
	struct pass p = { .x = x, .scans = scans };

	jobs_run(x->jobs, (x->max_pfn + CHUNK - 1) / CHUNK, scan_frames, &p);
	scan_modules(&p);
}

void reach_stacks(const struct reach *x, struct reach_scan *scans)
{
	struct pass p = { .x = x, .scans = scans, .stack_size = stack_size(&x->k->layout) };

	jobs_run(x->jobs, (x->s->ntasks + STACKS - 1) / STACKS, scan_stacks, &p);
}

void reach_struct_pages(const struct reach *x, struct reach_scan *scans)
{
	struct pass p = { .x = x, .scans = scans };
	const struct page_scan scan = { .run = scan_struct_pages, .arg = &p };

	page_scan(x->k, x->fmt.size, &scan);
}

void reach_roots(const struct reach *x, struct reach_scan *scans)
{
	reach_variables(x, scans);
	reach_stacks(x, scans);
	reach_struct_pages(x, scans);
}

static void scan_units(void *ctx, unsigned worker, size_t item)
{
	struct pass *p = ctx;
	const struct reach *x = p->x;
	struct reach_scan *sc = reach_scan_of(p->scans, worker);
	uint64_t end = min_u64((item + 1) * UNITS, x->units.n + x->nareas);

	for (uint64_t unit = item * UNITS; unit < end; unit++) {
		uint64_t n, first = reach_nodes_of(x, unit, &n);

		for (uint64_t i = first; i < first + n; i++)
			if (!reach_bit(x->freed, i))
				reach_scan_node(sc, i, unit);
	}
}

void reach_all(const struct reach *x, struct reach_scan *scans)
{
	struct pass p = { .x = x, .scans = scans };

	reach_roots(x, scans);
	jobs_run(x->k->jobs, (x->units.n + x->nareas + UNITS - 1) / UNITS, scan_units, &p);
}
