/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mkmachine - writes the dump of a machine that never was, of any size.
 *
 *	mkmachine VMLINUX OUT RAM_MIB PROCS SHARED_MIB PRIVATE_MIB
 *
 * A kdump-compressed file (zlib) as makedumpfile -d 31 leaves it: the kernel's
 * memory, no user pages. PROCS processes each map the same SHARED_MIB of a tmpfs
 * file, all touched, PRIVATE_MIB of anonymous memory, a few pages of program and
 * of stack. Prints the pages written and the pages mapped.
 *
 * Physical memory, in this order; each page is computed when it is written:
 *	kernel image | kernel page tables | sections | one page of objects
 *	for each process | user page tables | struct pages | user pages | free
 * Tables of the processes lie interleaved, as if they had grown at the same time;
 * user pages are dealt out in runs of RUN over all of the rest, so that
 * neighbours in a process are seldom neighbours in memory.
 */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/bench/kernel/kernel.h"

#define PAGE 4096u
#define TEXT UINT64_C(0xffffffff81000000)	/* _stext; kernel.c is linked there */
#define DIRECT UINT64_C(0xffff888000000000)	/* page_offset_base of kernel.c */
#define VMEMMAP UINT64_C(0xffffea0000000000)	/* vmemmap_base */
#define PHYS_BASE (32u << 20)	/* what KASLR added to physical addresses */
#define IMAGE_PFN ((PHYS_BASE >> 12) + (16u << 8))
#define SECTION_PAGES (UINT64_C(1) << 15)
#define SECTIONS_A_ROOT (PAGE / sizeof(struct mem_section))
#define NSECTIONS (UINT64_C(1) << (46 - 27))
#define ROOTS_PAGES (NSECTIONS / SECTIONS_A_ROOT * 8 / PAGE)
#define RUN 8u
#define SEGMENTS 4

_Static_assert(sizeof(struct page) == 64, "a page of struct pages has 64 of them");

/* Bits of page-table entries. */
#define TABLE UINT64_C(0x67)
#define KERNEL_LEAF UINT64_C(0x80000000000001e3)	/* huge, global, no execute */
#define TEXT_LEAF UINT64_C(0x1e1)
#define USER_RW UINT64_C(0x8000000000000867)	/* with soft-dirty, no execute */
#define USER_RX UINT64_C(0x25)

/* Pages of a process; each segment has a slot of the top table for itself. */
struct segment {
	uint64_t start, pages, pte;
	uint64_t tables;		/* below the top: 1, level 2, level 1 */
	uint64_t pmds;
	uint64_t first_user;		/* user page of its first page */
	uint64_t stride;		/* more for each further process; 0: shared */
	unsigned long vm_flags;
};

struct machine {
	uint64_t frames, procs;
	struct segment seg[SEGMENTS];
	uint64_t tables;		/* of a process */
	uint64_t user_pages;
	uint64_t mult, inverse, runs;	/* how user pages are dealt out */
	/* first frame of each part */
	uint64_t ktables, sections, objects, utables, vmemmap, user;
	uint64_t vmemmap_pages;
	uint8_t *image;
	uint64_t image_pages;
	Elf *elf;
};

struct process {
	struct task_struct task;
	struct signal_struct signal;
	struct mm_struct mm;
	struct vm_area_struct vma[SEGMENTS];
	struct cred cred;
};

_Static_assert(sizeof(struct process) <= PAGE, "a process fits a page");

static void die(const char *what)
{
	fprintf(stderr, "mkmachine: %s\n", what);
	exit(1);
}

static void *alloc(size_t n)
{
	void *p = calloc(1, n);

	if (!p)
		die("no memory");
	return p;
}

static uint64_t up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit;
}

/* ---- the kernel image ----------------------------------------------------------- */

static uint64_t symbol(const struct machine *m, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;

	while ((scn = elf_nextscn(m->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 0; gelf_getsym(elf_getdata(scn, NULL), i, &sym); i++)
			if (!strcmp(elf_strptr(m->elf, sh.sh_link, sym.st_name), name))
				return sym.st_value;
	}
	die(name);
	return 0;
}

/* The variable at NAME, in the image. */
static void *variable(const struct machine *m, const char *name)
{
	return m->image + (symbol(m, name) - TEXT);
}

static void load_image(struct machine *m, const char *path)
{
	int fd = open(path, O_RDONLY);
	GElf_Phdr ph;

	elf_version(EV_CURRENT);
	m->elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	m->image_pages = 512;
	m->image = alloc(m->image_pages * PAGE);
	for (int i = 0; m->elf && gelf_getphdr(m->elf, i, &ph); i++) {
		uint64_t at = ph.p_vaddr - TEXT;

		if (ph.p_type != PT_LOAD)
			continue;
		if (at > m->image_pages * PAGE || ph.p_memsz > m->image_pages * PAGE - at ||
		    pread(fd, m->image + at, ph.p_filesz, (off_t)ph.p_offset) !=
			    (ssize_t)ph.p_filesz)
			die("the vmlinux does not lie where it should");
	}
	if (!m->elf)
		die("cannot read the vmlinux");
}

/* ---- the plan ---------------------------------------------------------------------- */

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

static uint64_t user_pfn(const struct machine *m, uint64_t user)
{
	return m->user + user / RUN * m->mult % m->runs * RUN + user % RUN;
}

static uint64_t user_of_pfn(const struct machine *m, uint64_t pfn)
{
	uint64_t at = pfn - m->user;

	return at / RUN * m->inverse % m->runs * RUN + at % RUN;
}

static void plan(struct machine *m, uint64_t shared, uint64_t private)
{
	const struct segment seg[SEGMENTS] = {
		{ .start = UINT64_C(0x550000000000), .pages = 16, .pte = USER_RX,
		  .vm_flags = 0x75 },
		{ .start = UINT64_C(0x7d0000000000), .pages = private, .pte = USER_RW,
		  .stride = private, .vm_flags = 0x100073 },
		{ .start = UINT64_C(0x7e0000000000), .pages = shared, .pte = USER_RW,
		  .vm_flags = 0xfb },
		{ .start = UINT64_C(0x7f0000000000), .pages = 32, .pte = USER_RW,
		  .stride = 32, .vm_flags = 0x100173 },
	};
	uint64_t pfn = IMAGE_PFN + m->image_pages;

	m->tables = 1;
	for (unsigned i = 0; i < SEGMENTS; i++) {
		struct segment *s = &m->seg[i];

		*s = seg[i];
		s->pmds = up(s->pages, 512 * 512);
		s->tables = 1 + s->pmds + up(s->pages, 512);
		m->tables += s->tables;
		s->first_user = m->user_pages;
		m->user_pages += s->stride ? s->stride * m->procs : s->pages;
	}
	m->vmemmap_pages = up(up(m->frames, 64), 512) * 512;
	m->ktables = pfn;
	pfn += 4 + up(m->vmemmap_pages, 512 * 512);
	m->sections = pfn;
	pfn += ROOTS_PAGES + up(up(m->frames, SECTION_PAGES), SECTIONS_A_ROOT);
	m->objects = pfn;
	pfn += m->procs;
	m->utables = pfn;
	pfn += m->procs * m->tables;
	m->vmemmap = up(pfn, 512) * 512;
	m->user = m->vmemmap + m->vmemmap_pages;
	deal_out(m);
	if (m->user + m->runs * RUN > m->frames)
		die("more memory is mapped than the machine has");
}

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
	return (struct process *)(uintptr_t)direct(m->objects + proc);
}

/* Table number T of a process: its top table is 0. */
static uint64_t table_pfn(const struct machine *m, uint64_t proc, uint64_t t)
{
	return m->utables + t * m->procs + proc;
}

static void *kernel_ptr(uint64_t kva)
{
	return (void *)(uintptr_t)kva;
}

/* ---- kernel page tables --------------------------------------------------------------- */

static void kernel_half(const struct machine *m, uint64_t *top)
{
	top[DIRECT >> 39 & 511] = m->ktables * PAGE | TABLE;
	top[VMEMMAP >> 39 & 511] = (m->ktables + 1) * PAGE | TABLE;
	top[511] = (m->ktables + 2) * PAGE | TABLE;
}

static void fill_ktable(const struct machine *m, uint64_t nr, uint64_t *out)
{
	for (uint64_t i = 0; i < 512; i++) {
		uint64_t at = (nr - 4) * 512 + i;	/* huge page of the vmemmap */

		if (nr == 0 && i << 18 < m->frames)
			out[i] = i << 30 | KERNEL_LEAF;
		else if (nr == 1 && i < up(m->vmemmap_pages, 512 * 512))
			out[i] = (m->ktables + 4 + i) * PAGE | TABLE;
		else if (nr == 2 && i == 510)
			out[i] = (m->ktables + 3) * PAGE | TABLE;
		else if (nr == 3 && i >= 8 && i - 8 < m->image_pages / 512)
			out[i] = (PHYS_BASE + (i << 21)) | TEXT_LEAF;
		else if (nr >= 4 && at < m->vmemmap_pages / 512)
			out[i] = (m->vmemmap + at * 512) * PAGE | KERNEL_LEAF;
	}
}

/* ---- sections of memory ------------------------------------------------------------------ */

static void fill_sections(const struct machine *m, uint64_t nr, uint8_t *out)
{
	uint64_t total = up(m->frames, SECTION_PAGES);

	if (nr < ROOTS_PAGES) {
		for (uint64_t i = 0; i < 512; i++) {
			uint64_t root = nr * 512 + i;

			if (root * SECTIONS_A_ROOT < total)
				((uint64_t *)out)[i] = direct(m->sections + ROOTS_PAGES + root);
		}
		return;
	}
	for (uint64_t i = 0; i < SECTIONS_A_ROOT; i++)
		if ((nr - ROOTS_PAGES) * SECTIONS_A_ROOT + i < total)
			((struct mem_section *)out)[i].section_mem_map = VMEMMAP | 0xf;
}

/* ---- processes ----------------------------------------------------------------------------- */

static void link_task(const struct machine *m, uint64_t proc, struct process *p)
{
	struct process *self = process_at(m, proc);
	struct task_struct *init = kernel_ptr(symbol(m, "init_task"));

	p->task.tasks.prev = proc ? &process_at(m, proc - 1)->task.tasks : &init->tasks;
	p->task.tasks.next = proc + 1 < m->procs ? &process_at(m, proc + 1)->task.tasks
						 : &init->tasks;
	p->task.real_parent = init;
	p->task.thread_node = (struct list_head){ &self->signal.thread_head,
						  &self->signal.thread_head };
	p->signal.thread_head = (struct list_head){ &self->task.thread_node,
						    &self->task.thread_node };
	p->task.mm = &self->mm;
	p->task.signal = &self->signal;
	p->task.real_cred = &self->cred;
}

static void fill_vmas(const struct machine *m, uint64_t proc, struct process *p)
{
	struct process *self = process_at(m, proc);

	for (unsigned i = 0; i < SEGMENTS; i++) {
		struct vm_area_struct *v = &p->vma[i];
		const struct segment *s = &m->seg[i];

		v->vm_start = s->start;
		v->vm_end = s->start + s->pages * PAGE;
		v->vm_prev = i ? &self->vma[i - 1] : NULL;
		v->vm_next = i + 1 < SEGMENTS ? &self->vma[i + 1] : NULL;
		v->vm_mm = &self->mm;
		v->vm_flags = s->vm_flags;
		v->vm_pgoff = s->stride ? s->start / PAGE : 0;
		v->anon_vma = s->stride ? self : NULL;
	}
	p->vma[0].vm_file = kernel_ptr(symbol(m, "exe_file"));
	p->vma[2].vm_file = kernel_ptr(symbol(m, "shared_file"));
}

static void fill_mm(const struct machine *m, uint64_t proc, struct process *p)
{
	struct mm_struct *mm = &p->mm;

	mm->mmap = &process_at(m, proc)->vma[0];
	mm->pgd = kernel_ptr(direct(table_pfn(m, proc, 0)));
	mm->mm_users.counter = mm->mm_count.counter = 1;
	mm->map_count = SEGMENTS;
	mm->pgtables_bytes.counter = (long)((m->tables - 1) * PAGE);
	mm->exe_file = kernel_ptr(symbol(m, "exe_file"));
	for (unsigned i = 0; i < SEGMENTS; i++)
		mm->total_vm += m->seg[i].pages;
	mm->hiwater_rss = mm->hiwater_vm = mm->total_vm;
	mm->start_stack = m->seg[3].start + m->seg[3].pages * PAGE - 8;
	mm->rss_stat.count[MM_FILEPAGES].counter = (long)m->seg[0].pages;
	mm->rss_stat.count[MM_ANONPAGES].counter = (long)(m->seg[1].pages + m->seg[3].pages);
	mm->rss_stat.count[MM_SHMEMPAGES].counter = (long)m->seg[2].pages;
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

/* ---- user page tables ------------------------------------------------------------------------ */

static void fill_top(const struct machine *m, uint64_t proc, uint64_t *out)
{
	uint64_t t = 1;

	kernel_half(m, out);
	for (unsigned i = 0; i < SEGMENTS; i++) {
		out[m->seg[i].start >> 39 & 511] = table_pfn(m, proc, t) * PAGE | TABLE;
		t += m->seg[i].tables;
	}
}

/* Table T of the segment whose first is FIRST. */
static void fill_utable(const struct machine *m, uint64_t proc, const struct segment *s,
			uint64_t first, uint64_t t, uint64_t *out)
{
	uint64_t ptes = s->tables - 1 - s->pmds, user = s->first_user + s->stride * proc;

	for (uint64_t i = 0; i < 512; i++) {
		uint64_t pmd = (t - 1) * 512 + i, page = (t - 1 - s->pmds) * 512 + i;

		if (t == 0 && i < s->pmds)
			out[i] = table_pfn(m, proc, first + 1 + i) * PAGE | TABLE;
		else if (t && t <= s->pmds && pmd < ptes)
			out[i] = table_pfn(m, proc, first + 1 + s->pmds + pmd) * PAGE | TABLE;
		else if (t > s->pmds && page < s->pages)
			out[i] = user_pfn(m, user + page) * PAGE | s->pte;
	}
}

static void fill_table(const struct machine *m, uint64_t nr, uint64_t *out)
{
	uint64_t proc = nr % m->procs, t = nr / m->procs, first = 1;
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

static void user_page(const struct machine *m, uint64_t pfn, struct page *p)
{
	uint64_t user = user_of_pfn(m, pfn);
	const struct segment *s = &m->seg[SEGMENTS - 1];
	struct file *file;
	uint64_t at;

	while (user < s->first_user)
		s--;
	at = user - s->first_user;
	p->flags = UINT64_C(2) << 62 | 1 << PG_uptodate | 1 << PG_lru | 1 << PG_referenced;
	p->lru.next = &struct_page(pfn + 1)->lru;
	p->lru.prev = &struct_page(pfn - 1)->lru;
	p->_mapcount.counter = s->stride ? 0 : (int)m->procs - 1;
	p->_refcount.counter = s->stride ? 1 : (int)m->procs + 1;
	if (s->stride) {
		p->flags |= 1 << PG_swapbacked | 1 << PG_dirty;
		p->mapping = kernel_ptr(direct(m->objects + at / s->stride) | 1);
		p->index = s->start / PAGE + at % s->stride;
		return;
	}
	file = variable(m, s == &m->seg[0] ? "exe_file" : "shared_file");
	p->mapping = file->f_mapping;
	p->index = at;
	if (s != &m->seg[0])
		p->flags |= 1 << PG_swapbacked | 1 << PG_dirty;
}

/* The rest is free, in blocks of order 10 where they are aligned. */
static void free_page(const struct machine *m, uint64_t pfn, struct page *p)
{
	uint64_t first = m->user + m->runs * RUN;
	uint64_t block = pfn & ~UINT64_C(1023);
	bool whole = block >= first && block + 1024 <= m->frames;

	if (!whole || pfn == block) {
		p->page_type = 0xffffff7f;	/* PG_buddy */
		p->private = whole ? 10 : 0;
	}
}

static void fill_struct_pages(const struct machine *m, uint64_t nr, struct page *out)
{
	for (unsigned i = 0; i < 64; i++) {
		uint64_t pfn = nr * 64 + i;
		struct page *p = &out[i];

		p->flags = UINT64_C(2) << 62;	/* the zone */
		p->_mapcount.counter = -1;
		if (pfn >= m->user && pfn < m->user + m->runs * RUN &&
		    user_of_pfn(m, pfn) < m->user_pages)
			user_page(m, pfn, p);
		else if (pfn >= m->user)
			free_page(m, pfn, p);
		else
			p->_refcount.counter = 1;
		if (pfn >= m->utables && pfn < m->utables + m->procs * m->tables)
			p->page_type = 0xfffffbff;	/* PG_table */
		else if (pfn >= m->objects && pfn < m->utables)
			p->flags |= 1 << PG_slab;
		else if (pfn < m->objects || (pfn >= m->vmemmap && pfn < m->user))
			p->flags |= 1 << PG_reserved;
	}
}

static void fill_page(const struct machine *m, uint64_t pfn, uint8_t *out)
{
	memset(out, 0, PAGE);
	if (pfn < m->ktables)
		memcpy(out, m->image + (pfn - IMAGE_PFN) * PAGE, PAGE);
	else if (pfn < m->sections)
		fill_ktable(m, pfn - m->ktables, (uint64_t *)out);
	else if (pfn < m->objects)
		fill_sections(m, pfn - m->sections, out);
	else if (pfn < m->utables)
		fill_process(m, pfn - m->objects, (struct process *)out);
	else if (pfn < m->utables + m->procs * m->tables)
		fill_table(m, pfn - m->utables, (uint64_t *)out);
	else if (pfn >= m->vmemmap)
		fill_struct_pages(m, pfn - m->vmemmap, (struct page *)out);
}

/* What kernel.c left to be known. */
static void patch_image(struct machine *m)
{
	struct task_struct *init = variable(m, "init_task");
	struct file *shared = variable(m, "shared_file"), *exe = variable(m, "exe_file");
	struct inode *inode;

	kernel_half(m, variable(m, "init_top_pgt"));
	*(uint64_t *)variable(m, "mem_section") = direct(m->sections);
	*(uint64_t *)variable(m, "max_pfn") = m->frames;
	init->tasks.next = &process_at(m, 0)->task.tasks;
	init->tasks.prev = &process_at(m, m->procs - 1)->task.tasks;
	inode = (struct inode *)(m->image + ((uintptr_t)shared->f_inode - TEXT));
	inode->i_size = (long)(m->seg[2].pages * PAGE);
	inode->i_data.nrpages = m->seg[2].pages;
	inode = (struct inode *)(m->image + ((uintptr_t)exe->f_inode - TEXT));
	inode->i_size = (long)(m->seg[0].pages * PAGE);
	inode->i_data.nrpages = m->seg[0].pages;
}

/* ---- the file ---------------------------------------------------------------- */

#define SUB_BLOCKS 2		/* the sub-header, and the notes after it */
#define PRSTATUS 336		/* bytes */
#define INFO_AT (20 + PRSTATUS + 24)	/* VMCOREINFO in the notes */

static void put(FILE *f, const void *p, size_t n)
{
	if (fwrite(p, n, 1, f) != 1)
		die("cannot write");
}

static void set32(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

static void set64(uint8_t *at, uint64_t v)
{
	memcpy(at, &v, sizeof(v));
}

/* init_top_pgt is not in a real one; libkdumpfile 0.5.1, hence drgn, looks for it. */
static size_t vmcoreinfo(const struct machine *m, char *buf, size_t size)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	char id[41] = "";

	while ((scn = elf_nextscn(m->elf, scn))) {
		const uint8_t *note;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE || sh.sh_size < 36)
			continue;
		note = elf_rawdata(scn, NULL)->d_buf;
		for (unsigned i = 0; i < 20; i++)
			snprintf(id + 2 * i, 3, "%02x", note[16 + i]);
	}
	return (size_t)snprintf(buf, size,
		"OSRELEASE=6.0.0-bench\nBUILD-ID=%s\nPAGESIZE=%u\n"
		"SYMBOL(init_uts_ns)=%" PRIx64 "\nSYMBOL(swapper_pg_dir)=%" PRIx64 "\n"
		"SYMBOL(init_top_pgt)=%" PRIx64 "\nSYMBOL(_stext)=%" PRIx64 "\n"
		"SYMBOL(mem_section)=%" PRIx64 "\n"
		"NUMBER(SECTION_SIZE_BITS)=27\nNUMBER(MAX_PHYSMEM_BITS)=46\n"
		"NUMBER(phys_base)=%u\nNUMBER(pgtable_l5_enabled)=0\nNUMBER(sme_mask)=0\n"
		"KERNELOFFSET=0\n",
		id, PAGE, symbol(m, "init_uts_ns"), symbol(m, "init_top_pgt"),
		symbol(m, "init_top_pgt"), TEXT, symbol(m, "mem_section"), PHYS_BASE);
}

/* struct disk_dump_header and kdump_sub_header: makedumpfile's IMPLEMENTATION. */
static void put_headers(const struct machine *m, FILE *f, uint64_t bitmap_blocks)
{
	uint8_t head[PAGE] = "KDUMP   ", sub[PAGE] = { 0 };
	char notes[PAGE] = { [12] = 'C', 'O', 'R', 'E' };
	uint8_t *prstatus = (uint8_t *)notes, *info = prstatus + 20 + PRSTATUS;
	size_t len = vmcoreinfo(m, notes + INFO_AT, sizeof(notes) - INFO_AT);

	set32(prstatus, 5);
	set32(prstatus + 4, PRSTATUS);
	set32(prstatus + 8, 1);			/* NT_PRSTATUS */
	set32(info, 11);
	set32(info + 4, (uint32_t)len);
	memcpy(info + 12, "VMCOREINFO", 11);
	set32(head + 8, 6);
	memcpy(head + 12, variable(m, "init_uts_ns"), sizeof(struct new_utsname));
	set64(head + 408, 1700000000);
	set32(head + 424, 1);			/* zlib */
	set32(head + 428, PAGE);
	set32(head + 432, SUB_BLOCKS);
	set32(head + 436, (uint32_t)bitmap_blocks);
	set32(head + 440, (uint32_t)m->frames);
	set32(head + 460, 1);
	set64(sub, PHYS_BASE);
	set32(sub + 8, 31);			/* the dump level */
	set64(sub + 32, 2 * PAGE + INFO_AT);
	set64(sub + 40, len);
	set64(sub + 48, 2 * PAGE);
	set64(sub + 56, INFO_AT + (len + 3) / 4 * 4);
	set64(sub + 96, m->frames);
	put(f, head, PAGE);
	put(f, sub, PAGE);
	put(f, notes, PAGE);
}

static void put_bitmaps(const struct machine *m, FILE *f, uint64_t bitmap_blocks)
{
	size_t half = bitmap_blocks / 2 * PAGE;
	uint8_t *bits = alloc(half);

	for (uint64_t pfn = 0; pfn < m->frames; pfn++)
		bits[pfn / 8] |= (uint8_t)(1 << pfn % 8);
	put(f, bits, half);
	memset(bits, 0, half);
	for (uint64_t pfn = IMAGE_PFN; pfn < m->user; pfn++)
		bits[pfn / 8] |= (uint8_t)(1 << pfn % 8);
	put(f, bits, half);
	free(bits);
}

/* Pages follow their descriptors, which are written last. */
static void put_pages(const struct machine *m, FILE *f, uint64_t desc_off)
{
	uint64_t n = m->user - IMAGE_PFN, off = desc_off + n * 24;
	uint8_t *descs = alloc(n * 24), page[PAGE] __attribute__((aligned(8)));
	uint8_t packed[PAGE + 64];

	if (fseeko(f, (off_t)off, SEEK_SET))
		die("cannot write");
	for (uint64_t i = 0; i < n; i++) {
		uLongf len = sizeof(packed);

		fill_page(m, IMAGE_PFN + i, page);
		if (compress2(packed, &len, page, PAGE, Z_BEST_SPEED) != Z_OK)
			die("zlib");
		set64(descs + i * 24, off);
		set32(descs + i * 24 + 8, len < PAGE ? (uint32_t)len : PAGE);
		set32(descs + i * 24 + 12, len < PAGE);
		put(f, len < PAGE ? packed : page, len < PAGE ? len : PAGE);
		off += len < PAGE ? len : PAGE;
	}
	if (fseeko(f, (off_t)desc_off, SEEK_SET))
		die("cannot write");
	put(f, descs, n * 24);
	free(descs);
}

int main(int argc, char **argv)
{
	struct machine m = { 0 };
	uint64_t bitmap_blocks;
	FILE *f;

	if (argc != 7)
		die("usage: mkmachine VMLINUX OUT RAM_MIB PROCS SHARED_MIB PRIVATE_MIB");
	m.frames = strtoull(argv[3], NULL, 10) << 8;
	m.procs = strtoull(argv[4], NULL, 10);
	if (!m.procs || m.procs > 100000 || m.frames > UINT64_C(1) << 27)
		die("at least one process, at most 100000, and 512 GiB of memory");
	load_image(&m, argv[1]);
	plan(&m, strtoull(argv[5], NULL, 10) << 8, strtoull(argv[6], NULL, 10) << 8);
	patch_image(&m);
	f = fopen(argv[2], "w");
	if (!f)
		die("cannot write there");
	bitmap_blocks = 2 * up(m.frames, UINT64_C(8) * PAGE);
	put_headers(&m, f, bitmap_blocks);
	put_bitmaps(&m, f, bitmap_blocks);
	put_pages(&m, f, (1 + SUB_BLOCKS + bitmap_blocks) * PAGE);
	if (fclose(f))
		die("cannot write");
	printf("written %" PRIu64 " mapped %" PRIu64 "\n", m.user - IMAGE_PFN,
	       m.procs * (m.seg[0].pages + m.seg[1].pages + m.seg[2].pages + m.seg[3].pages));
	elf_end(m.elf);
	free(m.image);
	return 0;
}
