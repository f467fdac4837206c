/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.c - pages: the kernel's tables, processes, their page tables, struct pages.
 *
 * Struct pages hold what those of Linux 6.1 hold after boot, also where nothing reads it, as a
 * dump has to be decompressed as a whole: __init_single_page() makes an empty list of lru, and
 * prep_compound_tail() leaves half of it. With SHARE those of free memory and page cache have no
 * lists, and the file of the cache has 64 pages that come again and again: pages of them share
 * their data in the dump.
 */
#include "tests/bench/machine/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE UINT64_C(0x67)
#define KERNEL_LEAF UINT64_C(0x80000000000001e3)	/* huge, global, no execute */
#define KERNEL_PTE UINT64_C(0x8000000000000163)
#define TEXT_LEAF UINT64_C(0x1e1)
#define FREE_ORDER 10
#define NODE_SHIFT 54		/* of page flags: node, zone, flags */
#define ZONE_NORMAL (UINT64_C(2) << 52)
#define TYPE_BUDDY 0xffffff7fu
#define TYPE_TABLE 0xfffffdffu
#define TAIL_MAPPING UINT64_C(0xdead000000000400)	/* include/linux/poison.h */

/* ---- where things are, as the kernel sees them ------------------------------------------ */

static uint64_t direct(uint64_t pfn)
{
	return DIRECT + pfn * PAGE;
}

static struct page *struct_page(uint64_t pfn)
{
	return (struct page *)(uintptr_t)(VMEMMAP + pfn * sizeof(struct page));
}

static struct process *process_at(const struct machine *m, uint64_t proc)
{
	return (struct process *)(uintptr_t)direct(pfn_of(m, PART_OBJECTS, proc * m->object_pages));
}

static void *kernel_ptr(uint64_t kva)
{
	return (void *)(uintptr_t)kva;
}

/* Table number T of a process: its top table is 0. */
static uint64_t table_pfn(const struct machine *m, uint64_t proc, uint64_t t)
{
	return pfn_of(m, PART_UTABLES, t * m->size.procs + proc);
}

/* ---- kernel page tables --------------------------------------------------------------- */

static uint64_t ktable(const struct machine *m, uint64_t nr)
{
	return pfn_of(m, PART_KTABLES, nr) * PAGE;
}

static void kernel_half(const struct machine *m, uint64_t *top)
{
	for (uint64_t i = 0; i < m->direct_tables; i++)
		top[(DIRECT >> 39 & 511) + i] = ktable(m, i) | TABLE;
	for (uint64_t i = 0; i < m->vmemmap_tables; i++)
		top[(VMEMMAP >> 39 & 511) + i] = ktable(m, m->direct_tables + i) | TABLE;
	top[511] = ktable(m, m->direct_tables + m->vmemmap_tables) | TABLE;
}

/* Is any of the GiB from PFN on memory? */
static bool has_memory(const struct machine *m, uint64_t pfn)
{
	for (uint64_t s = pfn / SECTION_PAGES; s < pfn / SECTION_PAGES + 8; s++)
		if (s < m->nsections && m->section[s].form)
			return true;
	return false;
}

/* A section's struct pages fill one entry of the second level. */
static void fill_vmemmap_pmd(const struct machine *m, uint64_t nr, uint64_t *out)
{
	uint64_t tables = m->direct_tables + m->vmemmap_tables + 2 + m->vmemmap_pmds;

	for (uint64_t i = 0; i < 512 && nr * 512 + i < m->nsections; i++) {
		const struct section *s = &m->section[nr * 512 + i];

		if (s->form == MEMMAP_PLAIN)
			out[i] = pfn_of(m, PART_VMEMMAP, s->first) * PAGE | KERNEL_LEAF;
		else if (s->form == MEMMAP_HVO)
			out[i] = ktable(m, tables + s->table) | TABLE;
	}
}

static void fill_hvo_table(const struct machine *m, uint64_t nr, uint64_t *out)
{
	uint64_t s = 0;

	for (uint64_t lo = 0, hi = m->nsections; lo < hi;) { /* NR ascends with the section */
		s = lo + (hi - lo) / 2;
		while (s < hi && m->section[s].form != MEMMAP_HVO)
			s++;
		if (s == hi || m->section[s].table > nr)
			hi = lo + (hi - lo) / 2;
		else if (m->section[s].table < nr)
			lo = s + 1;
		else
			break;
	}
	for (uint64_t i = 0; i < 512; i++)
		out[i] = vmemmap_pfn(m, s * SECTION_PAGES + i * PAGES_A_PAGE) * PAGE | KERNEL_PTE;
}

static void fill_ktable(const struct machine *m, uint64_t nr, uint64_t *out)
{
	const uint64_t vmemmap = m->direct_tables, text = vmemmap + m->vmemmap_tables;
	const uint64_t pmds = text + 2;

	if (nr >= pmds + m->vmemmap_pmds)
		return fill_hvo_table(m, nr - pmds - m->vmemmap_pmds, out);
	if (nr >= pmds)
		return fill_vmemmap_pmd(m, nr - pmds, out);
	for (uint64_t i = 0; i < 512; i++) {
		uint64_t at = nr * 512 + i, pmd = (nr - vmemmap) * 512 + i;

		if (nr < vmemmap && has_memory(m, at << 18))
			out[i] = at << 30 | KERNEL_LEAF;
		else if (nr >= vmemmap && nr < text && pmd < m->vmemmap_pmds)
			out[i] = ktable(m, pmds + pmd) | TABLE;
		else if (nr == text && i == 510)
			out[i] = ktable(m, text + 1) | TABLE;
		else if (nr == text + 1 && i >= 8 && i - 8 < m->image.pages / 512)
			out[i] = (PHYS_BASE + (i << 21)) | TEXT_LEAF;
	}
}

/* ---- sections of memory ------------------------------------------------------------------ */

static void fill_sections(const struct machine *m, uint64_t nr, uint8_t *out)
{
	if (nr < ROOTS_PAGES) {
		for (uint64_t i = 0; i < 512; i++) {
			uint64_t root = nr * 512 + i;

			if (root * SECTIONS_A_ROOT < m->nsections)
				((uint64_t *)out)[i] =
					direct(pfn_of(m, PART_SECTIONS, ROOTS_PAGES + root));
		}
		return;
	}
	for (uint64_t i = 0; i < SECTIONS_A_ROOT; i++) {
		uint64_t s = (nr - ROOTS_PAGES) * SECTIONS_A_ROOT + i;

		if (s < m->nsections && m->section[s].form)
			((struct mem_section *)out)[i].section_mem_map = VMEMMAP | 0xf;
	}
}

/* ---- processes ----------------------------------------------------------------------------- */

static void link_task(const struct machine *m, uint64_t proc, struct process *p)
{
	struct process *self = process_at(m, proc);
	struct task_struct *init = kernel_ptr(m->image.init_task);

	p->task.tasks.prev = proc ? &process_at(m, proc - 1)->task.tasks : &init->tasks;
	p->task.tasks.next = proc + 1 < m->size.procs ? &process_at(m, proc + 1)->task.tasks
						      : &init->tasks;
	p->task.real_parent = init;
	p->task.thread_node =
		(struct list_head){ &self->signal.thread_head, &self->signal.thread_head };
	p->signal.thread_head =
		(struct list_head){ &self->task.thread_node, &self->task.thread_node };
	p->task.mm = &self->mm;
	p->task.signal = &self->signal;
	p->task.real_cred = &self->cred;
}

/* Extra vmas, of a page each, come after the program. */
static void fill_vmas(const struct machine *m, uint64_t proc, struct process *p)
{
	struct process *self = process_at(m, proc);
	uint64_t n = m->nseg + m->extra_vmas;

	for (uint64_t i = 0; i < n; i++) {
		struct vm_area_struct *v = &p->vma[i];
		bool extra = i && i <= m->extra_vmas;
		const struct segment *s = &m->seg[i > m->extra_vmas ? i - m->extra_vmas : 0];

		v->vm_start = extra ? UINT64_C(0x560000000000) + 2 * i * PAGE : s->start;
		v->vm_end = v->vm_start + (extra ? PAGE : (s->pages * PAGE) << 9 * (s->level - 1));
		v->vm_prev = i ? &self->vma[i - 1] : NULL;
		v->vm_next = i + 1 < n ? &self->vma[i + 1] : NULL;
		v->vm_mm = &self->mm;
		v->vm_flags = extra ? 0x100073 : s->vm_flags;
		v->vm_file = extra ? NULL : kernel_ptr(s->file);
		v->vm_pgoff = v->vm_file ? 0 : v->vm_start / PAGE;
		if (v->vm_file && s->windows)
			v->vm_pgoff = proc % s->windows * s->pages << 9 * (s->level - 1);
		v->anon_vma = v->vm_file ? NULL : self;
	}
}

static void fill_mm(const struct machine *m, uint64_t proc, struct process *p)
{
	struct process *self = process_at(m, proc);
	struct mm_struct *mm = &p->mm;

	mm->mmap = &self->vma[0];
	mm->pgd = kernel_ptr(direct(table_pfn(m, proc, 0)));
	mm->mm_users.counter = mm->mm_count.counter = 1;
	mm->map_count = (int)(m->nseg + m->extra_vmas);
	mm->pgtables_bytes.counter = (long)((m->tables - 1) * PAGE);
	mm->exe_file = kernel_ptr(m->image.exe_file);
	mm->total_vm = m->extra_vmas;
	for (unsigned i = 0; i < m->nseg; i++) {
		const struct segment *s = &m->seg[i];
		uint64_t pages = s->pages << 9 * (s->level - 1);

		mm->total_vm += pages;
		if (s->windows)
			mm->hugetlb_usage.counter += (long)pages;
		else if (s->file)
			mm->rss_stat.count[i ? MM_SHMEMPAGES : MM_FILEPAGES].counter += (long)pages;
		else
			mm->rss_stat.count[MM_ANONPAGES].counter += (long)pages;
	}
	mm->hiwater_rss = mm->hiwater_vm = mm->total_vm;
	mm->start_stack = m->seg[m->nseg - 1].start + m->seg[m->nseg - 1].pages * PAGE - 8;
}

static void fill_process(const struct machine *m, uint64_t proc, struct process *p)
{
	p->task.__state = 1;
	p->task.static_prio = 120;
	p->task.pid = p->task.tgid = (int)proc + 1;
	p->task.start_boottime = (proc + 1) * 1000000;
	snprintf(p->task.comm, sizeof(p->task.comm), "bench-%" PRIu64, proc + 1);
	link_task(m, proc, p);
	fill_mm(m, proc, p);
	fill_vmas(m, proc, p);
}

/* One page of a process's objects. */
static void fill_objects(const struct machine *m, uint64_t nr, uint8_t *out)
{
	uint8_t *all = alloc(m->object_pages * PAGE);

	fill_process(m, nr / m->object_pages, (struct process *)all);
	memcpy(out, all + nr % m->object_pages * PAGE, PAGE);
	free(all);
}

/* ---- user page tables ------------------------------------------------------------------------ */

static void fill_top(const struct machine *m, uint64_t proc, uint64_t *out)
{
	uint64_t t = 1;

	kernel_half(m, out);
	for (unsigned i = 0; i < m->nseg; i++) {
		out[m->seg[i].start >> 39 & 511] = table_pfn(m, proc, t) * PAGE | TABLE;
		t += m->seg[i].tables;
	}
}

/* Table T of the segment whose first is FIRST. */
static void fill_utable(const struct machine *m, uint64_t proc, const struct segment *s,
			uint64_t first, uint64_t t, uint64_t *out)
{
	unsigned level = t == 0 ? 3 : t <= s->pmds ? 2 : 1;
	uint64_t nr = level == 3 ? 0 : level == 2 ? t - 1 : t - 1 - s->pmds; /* of its level */
	uint64_t below = level == 3 ? s->pmds : s->tables - 1 - s->pmds;

	for (uint64_t i = 0, at = nr * 512; i < 512; i++, at++) {
		if (level == s->level && at < s->pages)
			out[i] = segment_pfn(m, s, proc, at) * PAGE | s->pte;
		else if (level != s->level && at < below)
			out[i] = table_pfn(m, proc, first + 1 + (level == 3 ? 0 : s->pmds) + at) *
					 PAGE |
				 TABLE;
	}
}

static void fill_table(const struct machine *m, uint64_t nr, uint64_t *out)
{
	uint64_t proc = nr % m->size.procs, t = nr / m->size.procs, first = 1;
	const struct segment *s = m->seg;

	if (!t) {
		fill_top(m, proc, out);
		return;
	}
	while (t - first >= s->tables)
		first += s++->tables;
	fill_utable(m, proc, s, first, t - first, out);
}

/* ---- struct pages ------------------------------------------------------------ */

static const struct segment *segment_of(const struct machine *m, enum part part, uint64_t page)
{
	const struct segment *got = NULL;

	for (unsigned i = 0; i < m->nseg; i++)
		if (m->seg[i].part == part && (!got || m->seg[i].first <= page) &&
		    (!got || m->seg[i].first >= got->first))
			got = &m->seg[i];
	return got;
}

static uint64_t anon_mapping(const struct machine *m, uint64_t proc)
{
	return (uint64_t)(uintptr_t)process_at(m, proc) | 1;
}

/* A list of which nothing else is a member. */
static void empty_list(uint64_t pfn, struct page *p)
{
	p->lru.next = p->lru.prev = &struct_page(pfn)->lru;
}

/* Its neighbours were added to the list before it and after it. */
static void list_in_order(uint64_t pfn, struct page *p)
{
	p->lru.next = &struct_page(pfn + 1)->lru;
	p->lru.prev = &struct_page(pfn - 1)->lru;
}

static void user_page(const struct machine *m, uint64_t pfn, uint64_t at, struct page *p)
{
	uint64_t user = user_of(m, at);
	const struct segment *s;

	if (user >= m->user_pages)
		return;
	s = segment_of(m, PART_USER, user);
	user -= s->first;
	p->flags |= 1 << PG_uptodate | 1 << PG_lru | 1 << PG_referenced;
	list_in_order(pfn, p);
	p->_mapcount.counter = s->stride ? 0 : (int)m->size.procs - 1;
	p->_refcount.counter = s->stride ? 1 : (int)m->size.procs + 1;
	if (s != &m->seg[0])
		p->flags |= 1 << PG_swapbacked | 1 << PG_dirty;
	if (s->stride) {
		p->mapping = kernel_ptr(anon_mapping(m, user / s->stride));
		p->index = s->start / PAGE + user % s->stride;
		return;
	}
	p->mapping = kernel_ptr(s == &m->seg[0] ? m->image.exe_mapping : m->image.shared_mapping);
	p->index = user;
}

/* Frame number AT of PART_THP, PART_HUGE_2M or PART_HUGE_1G. */
static void huge_page(const struct machine *m, enum part part, uint64_t pfn, uint64_t at,
		      struct page *p)
{
	unsigned order = part == PART_HUGE_1G ? 18 : 9;
	uint64_t huge = at >> order, i = at & ((UINT64_C(1) << order) - 1), maps = 0;
	const struct segment *s = segment_of(m, part, 0);
	uint64_t proc = s ? huge / s->stride : 0;

	if (s && !s->windows)
		maps = proc < m->size.procs;
	else if (s && proc < s->windows)
		maps = m->size.procs / s->windows + (proc < m->size.procs % s->windows);
	if (i) {
		p->mapping = kernel_ptr(TAIL_MAPPING);
		p->compound_head = (uint64_t)(uintptr_t)struct_page(pfn - i) | 1;
		if (i == 1) {
			p->compound_dtor = part == PART_THP ? TRANSHUGE_PAGE_DTOR
							    : HUGETLB_PAGE_DTOR;
			p->compound_order = (unsigned char)order;
			p->compound_mapcount.counter = (int)maps - 1;
		}
		return;
	}
	p->flags |= 1 << PG_uptodate | 1 << PG_head | 1 << PG_referenced;
	list_in_order(pfn, p);
	p->_refcount.counter = (int)maps + (part != PART_THP);
	if (part == PART_THP) {
		p->flags |= 1 << PG_swapbacked | 1 << PG_dirty | 1 << PG_lru;
		p->mapping = kernel_ptr(anon_mapping(m, maps ? proc : 0));
		p->index = s ? s->start / PAGE + huge % s->stride * 512 : 0;
		return;
	}
	if (maps)
		p->mapping = kernel_ptr(order == 18 ? m->image.huge_1g_mapping
						    : m->image.huge_2m_mapping);
	p->index = huge;
}

/* Is the block of order FREE_ORDER that PFN lies in all free? */
static bool free_block(const struct extent *x, uint64_t pfn, uint64_t *first)
{
	uint64_t size = UINT64_C(1) << FREE_ORDER;

	*first = pfn & ~(size - 1);
	return *first >= x->pfn && *first + size <= x->pfn + x->n;
}

static void free_page(const struct extent *x, uint64_t pfn, struct page *p)
{
	uint64_t block;
	bool whole = free_block(x, pfn, &block);

	if (!whole || pfn == block) {
		p->page_type = TYPE_BUDDY;
		p->private = whole ? FREE_ORDER : 0;
	}
}

static void fill_struct_page(const struct machine *m, const struct extent *x, uint64_t pfn,
			     struct page *p)
{
	uint64_t at = x->first + (pfn - x->pfn);

	p->flags = (uint64_t)x->node << NODE_SHIFT | ZONE_NORMAL;
	p->_mapcount.counter = -1;
	p->_refcount.counter = x->part <= PART_LOW || x->part == PART_CACHE;
	if (!m->size.share)
		empty_list(pfn, p);
	switch (x->part) {
	case PART_OBJECTS: p->flags |= 1 << PG_slab; break;
	case PART_UTABLES: p->page_type = TYPE_TABLE; break;
	case PART_USER: user_page(m, pfn, at, p); break;
	case PART_THP:
	case PART_HUGE_2M:
	case PART_HUGE_1G: huge_page(m, x->part, pfn, at, p); break;
	case PART_CACHE:
		p->flags |= 1 << PG_uptodate | 1 << PG_lru;
		p->mapping = kernel_ptr(m->image.exe_mapping);
		p->index = m->size.share ? pfn % PAGES_A_PAGE : at;
		if (!m->size.share)
			list_in_order(pfn, p);
		break;
	case PART_FREE: free_page(x, pfn, p); break;
	default: p->flags |= 1 << PG_reserved;
	}
}

static void fill_struct_pages(const struct machine *m, uint64_t first, struct page *out)
{
	const struct extent *x = extent_of(&m->all, first);

	for (unsigned i = 0; i < PAGES_A_PAGE; i++) {
		if (first + i >= x->pfn + x->n)
			x++;
		fill_struct_page(m, x, first + i, &out[i]);
	}
}

unsigned twin_of(const struct machine *m, uint64_t pfn)
{
	const struct extent *x = extent_of(&m->all, pfn);
	unsigned variant = 0;
	uint64_t first, block;

	if (!m->size.share || x->part != PART_VMEMMAP)
		return 0;
	first = described_by(m, pfn);
	x = extent_of(&m->all, first);
	if (first + PAGES_A_PAGE > x->pfn + x->n || x->part == PART_USER || x->part == PART_THP ||
	    x->part == PART_HUGE_2M || x->part == PART_HUGE_1G)
		return 0;
	if (x->part == PART_FREE) {
		bool whole = free_block(x, first, &block);

		if (whole != free_block(x, first + PAGES_A_PAGE - 1, &block))
			return 0;
		variant = !whole ? 2 : first == block;
	}
	return 1 + (x->node * PARTS + x->part) * 3 + variant;
}

/* ---- a page ------------------------------------------------------------------------ */

void fill_page(const struct machine *m, uint64_t pfn, uint8_t *out)
{
	const struct extent *x = extent_of(&m->all, pfn);
	uint64_t at = x->first + (pfn - x->pfn);

	memset(out, 0, PAGE);
	switch (x->part) {
	case PART_IMAGE: memcpy(out, m->image.bytes + at * PAGE, PAGE); break;
	case PART_KTABLES: fill_ktable(m, at, (uint64_t *)out); break;
	case PART_SECTIONS: fill_sections(m, at, out); break;
	case PART_OBJECTS: fill_objects(m, at, out); break;
	case PART_UTABLES: fill_table(m, at, (uint64_t *)out); break;
	case PART_VMEMMAP:
	case PART_HEADS: fill_struct_pages(m, described_by(m, pfn), (struct page *)out); break;
	default: die("a page that is not in the dump");
	}
}

/* ---- the kernel image --------------------------------------------------------------- */

/* The variable at KVA, in the image. */
static void *variable(const struct machine *m, uint64_t kva)
{
	return m->image.bytes + (kva - TEXT);
}

static void patch_file(struct machine *m, uint64_t file, uint64_t pages)
{
	struct file *f = variable(m, file);
	struct inode *inode = variable(m, (uint64_t)(uintptr_t)f->f_inode);

	inode->i_size = (long)(pages * PAGE);
	inode->i_data.nrpages = pages;
}

void image_patch(struct machine *m)
{
	struct task_struct *init = variable(m, m->image.init_task);
	struct pglist_data *nodes = variable(m, image_symbol("nodes"));
	uint64_t *node_data = variable(m, image_symbol("node_data"));

	kernel_half(m, variable(m, image_symbol("init_top_pgt")));
	*(uint64_t *)variable(m, image_symbol("mem_section")) = direct(pfn_of(m, PART_SECTIONS, 0));
	*(uint64_t *)variable(m, image_symbol("max_pfn")) = m->frames;
	init->tasks.next = &process_at(m, 0)->task.tasks;
	init->tasks.prev = &process_at(m, m->size.procs - 1)->task.tasks;
	for (unsigned i = 0; i < m->size.nodes; i++) {
		uint64_t n = m->node[i].end - m->node[i].start;

		nodes[i] = (struct pglist_data){ m->node[i].start, n, n, (int)i };
		node_data[i] = image_symbol("nodes") + i * sizeof(*nodes);
	}
	patch_file(m, m->image.exe_file, m->size.share || m->size.cache < 16 ? 16 : m->size.cache);
	patch_file(m, m->image.shared_file, m->size.shared);
	patch_file(m, m->image.huge_2m_file, m->size.huge_2m);
	patch_file(m, m->image.huge_1g_file, m->size.huge_1g);
}
