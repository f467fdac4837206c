/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.c - lays out the memory of the machine. Page tables of the processes lie
 * interleaved, as if they had grown at the same time; user pages are dealt out in runs
 * of RUN, so that neighbours in a process are seldom neighbours in memory.
 */
#include "tests/bench/machine/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_2M UINT64_C(512)
#define FRAMES_1G (UINT64_C(512) * 512)
#define WINDOW_2M 256		/* pages of hugetlb that a process maps, at most */
#define WINDOW_1G 16

/* Bits of page-table entries. */
#define USER_RW UINT64_C(0x8000000000000867)	/* with soft-dirty, no execute */
#define USER_RX UINT64_C(0x25)
#define HUGE UINT64_C(0x80)

void die(const char *what)
{
	fprintf(stderr, "mkmachine: %s\n", what);
	exit(1);
}

void *alloc(size_t n)
{
	void *p = calloc(1, n ? n : 1);

	if (!p)
		die("no memory");
	return p;
}

uint64_t up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit;
}

/* ---- extents ------------------------------------------------------------------- */

static void push(struct extents *e, struct extent x)
{
	if (e->n == e->cap) {
		e->cap = e->cap ? 2 * e->cap : 16;
		e->v = realloc(e->v, e->cap * sizeof(*e->v));
		if (!e->v)
			die("no memory");
	}
	e->v[e->n++] = x;
}

static uint64_t length_of(const struct extents *e)
{
	return e->n ? e->v[e->n - 1].first + e->v[e->n - 1].n : 0;
}

static void place(struct machine *m, enum part part, unsigned node, uint64_t pfn, uint64_t n)
{
	if (n)
		push(&m->part[part], (struct extent){ .pfn = pfn,
						      .n = n,
						      .part = part,
						      .node = node,
						      .first = length_of(&m->part[part]) });
}

/* Up to N frames from the node's bottom, in units; returns how many it has. */
static uint64_t take(struct machine *m, enum part part, unsigned node, uint64_t n, uint64_t unit)
{
	struct node *d = &m->node[node];
	uint64_t at = up(d->bottom, unit) * unit;
	uint64_t room = d->top > at ? (d->top - at) / unit * unit : 0;

	n = n < room ? n : room;
	if (n) {
		place(m, PART_FREE, node, d->bottom, at - d->bottom);
		place(m, part, node, at, n);
		d->bottom = at + n;
	}
	return n;
}

static void take_here(struct machine *m, enum part part, unsigned node, uint64_t n, uint64_t unit)
{
	if (take(m, part, node, n, unit) != n)
		die("a node is too small");
}

static void take_anywhere(struct machine *m, enum part part, uint64_t n, uint64_t unit)
{
	for (unsigned i = 0; i < m->size.nodes; i++)
		n -= take(m, part, i, n, unit);
	if (n)
		die("more memory is mapped than the machine has");
}

static const struct extent *find_first(const struct extents *e, uint64_t i)
{
	size_t lo = 0, hi = e->n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (e->v[mid].first <= i)
			lo = mid;
		else
			hi = mid;
	}
	return &e->v[lo];
}

uint64_t pfn_of(const struct machine *m, enum part part, uint64_t i)
{
	const struct extent *x = find_first(&m->part[part], i);

	return x->pfn + (i - x->first);
}

const struct extent *extent_of(const struct extents *e, uint64_t pfn)
{
	size_t lo = 0, hi = e->n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (e->v[mid].pfn <= pfn)
			lo = mid;
		else
			hi = mid;
	}
	return &e->v[lo];
}

/* ---- user pages ------------------------------------------------------------------ */

static uint64_t gcd(uint64_t a, uint64_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* MULT * x = 1 modulo N. */
static uint64_t inverse(uint64_t mult, uint64_t n)
{
	int64_t a = (int64_t)mult, b = (int64_t)n, x = 1, y = 0;

	while (b) {
		int64_t q = a / b, t = a - q * b;

		a = b;
		b = t;
		t = x - q * y;
		x = y;
		y = t;
	}
	return (uint64_t)(x < 0 ? x + (int64_t)n : x);
}

static void deal_out(struct machine *m)
{
	m->runs = up(m->user_pages, RUN);
	m->mult = m->runs * 618 / 1000 | 1;
	while (gcd(m->mult, m->runs) != 1)
		m->mult += 2;
	m->mult %= m->runs;
	if (m->runs == 1)
		m->mult = 0;
	m->inverse = inverse(m->mult, m->runs);
}

uint64_t user_of(const struct machine *m, uint64_t at)
{
	return at / RUN * m->inverse % m->runs * RUN + at % RUN;
}

uint64_t segment_pfn(const struct machine *m, const struct segment *s, uint64_t proc, uint64_t page)
{
	uint64_t i = s->first + s->stride * (s->windows ? proc % s->windows : proc) + page;

	if (s->part == PART_USER)
		return pfn_of(m, PART_USER, i / RUN * m->mult % m->runs * RUN + i % RUN);
	return pfn_of(m, s->part, i << 9 * (s->level - 1));
}

/* ---- segments ---------------------------------------------------------------------- */

static void add_segment(struct machine *m, struct segment s)
{
	unsigned shift = 9 * (s.level - 1);

	if (!s.pages)
		return;
	if (s.pages << shift > UINT64_C(1) << 27)
		die("a process has at most 512 GiB of each kind");
	s.pmds = s.level < 3 ? up(s.pages << shift, 512 * 512) : 0;
	s.tables = 1 + s.pmds + (s.level < 2 ? up(s.pages, 512) : 0);
	m->tables += s.tables;
	if (s.part == PART_USER) {
		s.first = m->user_pages;
		m->user_pages += s.stride ? s.stride * m->size.procs : s.pages;
	}
	m->seg[m->nseg++] = s;
}

/* A window of a pool of hugetlb: processes that have the same one share its pages. */
static struct segment huge_segment(uint64_t start, unsigned level, enum part part, uint64_t pool,
				   uint64_t window, uint64_t file)
{
	window = pool < window ? pool : window;
	return (struct segment){ .start = start,
				 .pages = window,
				 .pte = USER_RW | HUGE,
				 .level = level,
				 .part = part,
				 .stride = window,
				 .windows = window ? pool / window : 0,
				 .vm_flags = 0x4000fb,
				 .file = file };
}

/* In the order of addresses. */
static void plan_segments(struct machine *m)
{
	const struct size *z = &m->size;
	const struct kernel_image *im = &m->image;
	uint64_t thp = z->thp / FRAMES_2M / z->procs;
	const struct segment first[] = {
		{ .start = UINT64_C(0x550000000000), .pages = 16, .pte = USER_RX, .level = 1,
		  .part = PART_USER, .vm_flags = 0x75, .file = im->exe_file },
		huge_segment(UINT64_C(0x7a0000000000), 3, PART_HUGE_1G, z->huge_1g / FRAMES_1G,
			     WINDOW_1G, im->huge_1g_file),
		huge_segment(UINT64_C(0x7b0000000000), 2, PART_HUGE_2M, z->huge_2m / FRAMES_2M,
			     WINDOW_2M, im->huge_2m_file),
		{ .start = UINT64_C(0x7c0000000000), .pages = thp, .pte = USER_RW | HUGE,
		  .level = 2, .part = PART_THP, .stride = thp, .vm_flags = 0x100073 },
		{ .start = UINT64_C(0x7d0000000000), .pages = z->private, .pte = USER_RW,
		  .level = 1, .part = PART_USER, .stride = z->private, .vm_flags = 0x100073 },
		{ .start = UINT64_C(0x7e0000000000), .pages = z->shared, .pte = USER_RW,
		  .level = 1, .part = PART_USER, .vm_flags = 0xfb, .file = im->shared_file },
		{ .start = UINT64_C(0x7f0000000000), .pages = 32, .pte = USER_RW, .level = 1,
		  .part = PART_USER, .stride = 32, .vm_flags = 0x100173 },
	};

	m->tables = 1;
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		add_segment(m, first[i]);
	if (up(z->vmas, z->procs) > m->nseg)
		m->extra_vmas = up(z->vmas, z->procs) - m->nseg;
	m->object_pages = up(sizeof(struct process) +
				     (m->nseg + m->extra_vmas) * sizeof(struct vm_area_struct),
			     PAGE);
	deal_out(m);
}

/* ---- nodes, and their pools of huge pages ----------------------------------------------- */

static void plan_nodes(struct machine *m)
{
	struct size *z = &m->size;
	uint64_t sections = z->ram / SECTION_PAGES, at = 0;

	for (unsigned i = 0; i < z->nodes; i++) {
		uint64_t n = (sections + i) / z->nodes * SECTION_PAGES;

		m->node[i] =
			(struct node){ .start = at, .end = at + n, .bottom = at, .top = at + n };
		m->frames = at + n;
		at += n + z->hole;
	}
	m->nsections = m->frames / SECTION_PAGES;
	m->section = alloc(m->nsections * sizeof(*m->section));
}

/* A node's share of a pool, from its top down, in UNITs. */
static void take_pool(struct machine *m, unsigned node, enum part part, uint64_t pool,
		      uint64_t unit)
{
	struct node *d = &m->node[node];
	uint64_t n = (pool / unit + node) / m->size.nodes * unit, end = d->top / unit * unit;

	if (!n)
		return;
	if (end < d->start + n)
		die("a node is too small for its huge pages");
	place(m, PART_FREE, node, end, d->top - end);
	d->top = end - n;
	place(m, part, node, d->top, n);
	if (!m->size.hvo)
		return;
	for (uint64_t s = d->top / SECTION_PAGES; s < end / SECTION_PAGES; s++) {
		m->section[s].form = MEMMAP_HVO;
		m->section[s].order = part == PART_HUGE_1G ? 18 : 9;
	}
}

/* ---- struct pages --------------------------------------------------------------------- */

/* Numbers of sections' struct pages, in ascending order, so that they need no list. */
static void plan_memmap(struct machine *m)
{
	uint64_t nplain = 0, heads = 0;

	m->plain = alloc(m->nsections * sizeof(*m->plain));
	for (unsigned i = 0; i < m->size.nodes; i++) {
		uint64_t first = m->node[i].start / SECTION_PAGES;
		uint64_t end = m->node[i].end / SECTION_PAGES;

		for (uint64_t nr = first; nr < end; nr++) {
			struct section *s = &m->section[nr];
			uint64_t pfn = nr * SECTION_PAGES;

			if (s->form != MEMMAP_HVO) {
				s->form = MEMMAP_PLAIN;
				s->first = nplain * VPAGES_A_SECTION;
				m->plain[nplain++] = nr;
				continue;
			}
			s->table = m->hvo_tables++;
			if (!(pfn & ((UINT64_C(1) << s->order) - 1))) {
				uint64_t n = s->order == 9 ? SECTION_PAGES / FRAMES_2M : 1;

				push(&m->heads,
				     (struct extent){ .pfn = pfn, .first = heads, .n = n });
				heads += n;
			}
			s->first = m->heads.v[m->heads.n - 1].first;
		}
	}
}

static void count_memmap(const struct machine *m, unsigned node, uint64_t *plain, uint64_t *heads)
{
	const struct node *d = &m->node[node];

	*plain = *heads = 0;
	for (uint64_t s = d->start / SECTION_PAGES; s < d->end / SECTION_PAGES; s++)
		*plain += m->section[s].form == MEMMAP_PLAIN ? VPAGES_A_SECTION : 0;
	for (size_t i = 0; i < m->heads.n; i++)
		if (m->heads.v[i].pfn >= d->start && m->heads.v[i].pfn < d->end)
			*heads += m->heads.v[i].n;
}

uint64_t described_by(const struct machine *m, uint64_t pfn)
{
	const struct extent *x = extent_of(&m->all, pfn);
	uint64_t i = x->first + (pfn - x->pfn);

	if (x->part == PART_VMEMMAP)
		return m->plain[i / VPAGES_A_SECTION] * SECTION_PAGES +
		       i % VPAGES_A_SECTION * PAGES_A_PAGE;
	x = find_first(&m->heads, i);
	return x->pfn + (i - x->first) * FRAMES_2M;
}

uint64_t vmemmap_pfn(const struct machine *m, uint64_t first)
{
	const struct section *s = &m->section[first / SECTION_PAGES];
	uint64_t at = first % SECTION_PAGES;

	if (s->form == MEMMAP_PLAIN)
		return pfn_of(m, PART_VMEMMAP, s->first + at / PAGES_A_PAGE);
	return pfn_of(m, PART_HEADS, s->first + (s->order == 9 ? at / FRAMES_2M : 0));
}

/* ---- the plan ------------------------------------------------------------------------- */

static int by_pfn(const void *x, const void *y)
{
	const struct extent *a = x, *b = y;

	return a->pfn < b->pfn ? -1 : a->pfn > b->pfn;
}

static void finish(struct machine *m)
{
	for (unsigned i = 0; i < m->size.nodes; i++)
		place(m, PART_FREE, i, m->node[i].bottom, m->node[i].top - m->node[i].bottom);
	for (unsigned i = 0; i < PARTS; i++)
		for (size_t j = 0; j < m->part[i].n; j++)
			push(&m->all, m->part[i].v[j]);
	qsort(m->all.v, m->all.n, sizeof(*m->all.v), by_pfn);
}

static void plan_kernel(struct machine *m)
{
	m->direct_tables = up(m->frames, UINT64_C(1) << 27);
	m->vmemmap_pmds = up(m->nsections, 512);
	m->vmemmap_tables = up(m->vmemmap_pmds, 512);
	take_here(m, PART_LOW, 0, IMAGE_PFN, 1);
	take_here(m, PART_IMAGE, 0, m->image.pages, 1);
	take_here(m, PART_KTABLES, 0,
		  m->direct_tables + m->vmemmap_tables + 2 + m->vmemmap_pmds + m->hvo_tables, 1);
	take_here(m, PART_SECTIONS, 0, ROOTS_PAGES + up(m->nsections, SECTIONS_A_ROOT), 1);
	take_here(m, PART_OBJECTS, 0, m->size.procs * m->object_pages, 1);
}

void plan(struct machine *m)
{
	struct size *z = &m->size;
	uint64_t plain, heads;

	plan_nodes(m);
	z->huge_1g = z->huge_1g / FRAMES_1G * FRAMES_1G;
	z->huge_2m = z->huge_2m / SECTION_PAGES * SECTION_PAGES;
	for (unsigned i = 0; i < z->nodes; i++) {
		take_pool(m, i, PART_HUGE_1G, z->huge_1g, FRAMES_1G);
		take_pool(m, i, PART_HUGE_2M, z->huge_2m, SECTION_PAGES);
	}
	plan_segments(m);
	plan_memmap(m);
	plan_kernel(m);
	for (unsigned i = 0; i < z->nodes; i++) {
		count_memmap(m, i, &plain, &heads);
		take_here(m, PART_VMEMMAP, i, plain, VPAGES_A_SECTION);
		take_here(m, PART_HEADS, i, heads, 1);
	}
	take_anywhere(m, PART_UTABLES, z->procs * m->tables, 1);
	take_anywhere(m, PART_USER, m->runs * RUN, RUN);
	take_anywhere(m, PART_THP, z->thp / FRAMES_2M * FRAMES_2M, FRAMES_2M);
	take_anywhere(m, PART_CACHE, z->cache, PAGES_A_PAGE);
	finish(m);
}
