/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Physical memory, from below: nothing | kernel variables | objects, tables, one to a
 * page so that each can be lost alone | the page array | frames that the text names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/types/layoutfile.h"
#include "tests/machine/machine.h"

#define PAGE 4096u
#define IMAGE_PAGES 32u			/* of the variables */
#define LOG_BUF 4096u
#define FUNCTIONS 120u

/* Page flags of 2.4.27, include/linux/mm.h; later kernels say theirs in an enum. */
#define PG_REFERENCED 0x4u
#define PG_UPTODATE 0x8u
#define PG_LRU 0x40u
#define PG_SLAB 0x100u
#define PG_RESERVED 0x4000u

/* ---- memory ------------------------------------------------------------------------ */

uint64_t mpages(struct machine *m, uint64_t bytes)
{
	uint64_t pa = m->next;

	m->next += (bytes + PAGE - 1) / PAGE * PAGE;
	if (m->next > m->nframes * PAGE)
		mdie("more frames are needed");
	return pa + m->cpu->page_offset;
}

void mset(struct machine *m, uint64_t kva, uint64_t v, unsigned size)
{
	if (mpa(m, kva) > m->nframes * PAGE - size)
		mdie("%#llx is outside of memory", (unsigned long long)kva);
	store_uint(m->mem + mpa(m, kva), v, size, m->cpu->big);
}

static void set_word(struct machine *m, uint64_t kva, uint64_t v)
{
	mset(m, kva, v, m->cpu->word);
}

static void set_bytes(struct machine *m, uint64_t kva, const void *p, size_t n)
{
	memcpy(m->mem + mpa(m, kva), p, n);
}

uint64_t mobject(struct machine *m, const char *kind, const char *name, uint64_t bytes)
{
	struct object *o = vec_push(&m->arena, &m->objects);

	snprintf(o->kind, sizeof(o->kind), "%s", kind);
	snprintf(o->name, sizeof(o->name), "%s", name);
	o->size = bytes;
	o->kva = mpages(m, bytes);
	return o->kva;
}

struct object *mfind(struct machine *m, const char *kind, const char *name)
{
	for (size_t i = 0; i < m->objects.n; i++)
		if (!strcmp(m->objects.v[i].kind, kind) && !strcmp(m->objects.v[i].name, name))
			return &m->objects.v[i];
	mdie("no %s %s", kind, name);
}

static uint64_t new_of(struct machine *m, const char *kind, const char *name, enum layout_id size)
{
	uint32_t n = layout_size(&m->layout, size);

	return mobject(m, kind, name, n ? n : 64);
}

void mput(struct machine *m, uint64_t kva, enum layout_id id, uint64_t v)
{
	const struct fact *f = &m->layout.v[id];

	if (layout_has(&m->layout, id))
		mset(m, kva + f->m.offset, v, f->m.size > 8 ? m->cpu->word : f->m.size);
}

static void put_elem(struct machine *m, uint64_t kva, enum layout_id id, int64_t i, uint64_t v)
{
	const struct fact *f = &m->layout.v[id];

	if (layout_has(&m->layout, id) && i >= 0)
		mset(m, kva + f->m.offset + (uint64_t)i * f->m.stride, v, f->m.stride);
}

/* The list_head of member ID in the object at KVA. */
static uint64_t node(const struct machine *m, uint64_t kva, enum layout_id id)
{
	return kva + layout_offset(&m->layout, id);
}

static void link_after(struct machine *m, uint64_t prev, uint64_t this, uint64_t next)
{
	mput(m, prev, M_LIST_NEXT, this);
	mput(m, this, M_LIST_PREV, prev);
	mput(m, this, M_LIST_NEXT, next);
	mput(m, next, M_LIST_PREV, this);
}

/* ---- variables --------------------------------------------------------------------- */

static const struct { const char *name; uint32_t bytes; } variables[] = {
	{ "_stext", PAGE }, { "init_task", 4 * PAGE }, { "init_task_union", 0 },
	{ "init_uts_ns", PAGE }, { "system_utsname", 0 }, { "swapper_pg_dir", PAGE },
	{ "mem_map", PAGE }, { "max_mapnr", PAGE }, { "log_buf", LOG_BUF }, { "log_end", PAGE },
	{ "logged_chars", PAGE }, { "swap_info", 2 * PAGE }, { "nr_swapfiles", PAGE },
};

/* Names for 2.4 stand behind the newer ones and share their place. */
static const char *const twins[][2] = {
	{ "init_task_union", "init_task" }, { "system_utsname", "init_uts_ns" },
};

static uint64_t address(const struct machine *m, const char *name)
{
	uint64_t at = 0;

	for (size_t i = 0; i < ARRAY_LEN(twins); i++)
		if (!strcmp(twins[i][0], name))
			name = twins[i][1];
	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		if (!strcmp(variables[i].name, name))
			return m->cpu->image_offset + m->base + at;
		at += variables[i].bytes;
	}
	mdie("no variable %s", name);
}

/* Only the names that a kernel of that kind has. */
static bool known(const struct machine *m, const char *name)
{
	bool old = !strncmp(m->release, "2.4", 3);

	if (!strcmp(name, "init_task") || !strcmp(name, "init_uts_ns"))
		return !old;
	if (!strcmp(name, "init_task_union") || !strcmp(name, "system_utsname") ||
	    !strncmp(name, "log", 3))
		return old;
	return true;
}

static void write_map(const struct machine *m, const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		mdie("%s: cannot be written", path);
	/* a System.map of less than a hundred lines is taken for none */
	for (unsigned i = 0; i < FUNCTIONS; i++)
		fprintf(out, "%0*llx t function_%u\n", 2 * m->cpu->word,
			(unsigned long long)(m->cpu->image_offset + m->base + 16 * i), i);
	if (m->cpu->mark)
		fprintf(out, "%0*llx T %s\n", 2 * m->cpu->word,
			(unsigned long long)(m->cpu->image_offset + m->base), m->cpu->mark);
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		if (known(m, variables[i].name))
			fprintf(out, "%0*llx %c %s\n", 2 * m->cpu->word,
				(unsigned long long)address(m, variables[i].name),
				i ? 'D' : 'T', variables[i].name);
	fclose(out);
}

static void resolve(struct machine *m, const char *map, const char *types)
{
	struct dump *d = &m->dump;

	d->elf_machine = m->cpu->elf_machine;
	d->word_size = m->cpu->word;
	d->big_endian = m->cpu->big;
	d->page_shift = 12;
	d->vmcoreinfo = "";
	issues_init(&d->issues);
	if (dump_add_file(d, types) || dump_add_file(d, map) ||
	    layout_resolve(d, &m->layout))
		mdie("%s", d->diag.text);
}

static void lay_uts(struct machine *m)
{
	uint64_t at = address(m, "init_uts_ns");
	static const char version[] = "#1 Thu Jan 1 00:00:00 UTC 1970";
	uint64_t release = at + layout_offset(&m->layout, M_UTS_RELEASE);

	/* new_utsname: six strings of 65 bytes, the third is the release */
	set_bytes(m, release - 2 * 65, "Linux", 6);
	set_bytes(m, release - 65, "machine", 8);
	set_bytes(m, release, m->release, strlen(m->release) + 1);
	set_bytes(m, release + 65, version, sizeof(version));
	set_bytes(m, release + 2 * 65, m->cpu->uname, strlen(m->cpu->uname) + 1);
}

static void lay_log(struct machine *m)
{
	if (!known(m, "log_buf") || m->log.n > LOG_BUF)
		return;
	if (m->log.n)
		set_bytes(m, address(m, "log_buf"), m->log.v, m->log.n);
	set_word(m, address(m, "log_end"), m->log.n);
	set_word(m, address(m, "logged_chars"), m->log.n);
}

/* ---- files ------------------------------------------------------------------------- */

static uint64_t lay_dentry(struct machine *m, const char *name, const char *text, size_t len,
			   uint64_t parent)
{
	uint64_t d = mobject(m, "dentry", name, PAGE / 2), s = d + PAGE / 2;

	set_bytes(m, s, text, len);
	mput(m, d, M_DENTRY_NAME, s);
	mput(m, d, M_DENTRY_NAME_LEN, len);
	mput(m, d, M_DENTRY_PARENT, parent ? parent : d);
	mput(m, d, M_DENTRY_SB, m->super);
	/* hashed: a neighbour, whoever it is */
	mput(m, d, M_DENTRY_HASH_NEXT, m->mount);
	mput(m, d, M_DENTRY_HASH_PPREV, m->mount);
	return d;
}

static void lay_mount(struct machine *m)
{
	bool narrow = m->layout.v[M_SB_DEV].m.size == 2;
	uint64_t mount = new_of(m, "mount", "root", S_MOUNT);

	m->mount = mount;
	m->super = mobject(m, "super", "root", PAGE);
	mput(m, m->super, M_SB_DEV, narrow ? 31u << 8 | 1 : 31u << 20 | 1);
	m->root_dentry = lay_dentry(m, "/", "/", 1, 0);
	mput(m, mount, M_MOUNT_ROOT, m->root_dentry);
	mput(m, mount, M_MOUNT_POINT, m->root_dentry);
	mput(m, mount, M_MOUNT_PARENT, mount);
	mput(m, mount, M_MOUNT_SB, m->super);
}

/* The dentry of the directory in front of the last name of PATH. */
static uint64_t lay_parents(struct machine *m, const char *path, const char **last)
{
	uint64_t parent = m->root_dentry;
	const char *s = path + 1, *slash;

	for (; (slash = strchr(s, '/')); s = slash + 1) {
		char prefix[48];
		size_t known_ones = m->objects.n, i = 0;

		snprintf(prefix, sizeof(prefix), "%.*s", (int)(slash - path), path);
		while (i < known_ones && (strcmp(m->objects.v[i].kind, "dentry") ||
					  strcmp(m->objects.v[i].name, prefix)))
			i++;
		parent = i < known_ones ? m->objects.v[i].kva :
			 lay_dentry(m, prefix, s, (size_t)(slash - s), parent);
	}
	*last = s;
	return parent;
}

static void lay_file(struct machine *m, struct mfile *f)
{
	const char *last;
	uint64_t parent = lay_parents(m, f->path, &last), mapping;

	f->dentry = lay_dentry(m, f->name, last, strlen(last), parent);
	f->inode = mobject(m, "inode", f->name, PAGE);
	f->file = new_of(m, "file", f->name, S_FILE);
	mapping = f->inode + PAGE / 2;		/* i_data, somewhere behind */
	mput(m, f->dentry, M_DENTRY_INODE, f->inode);
	mput(m, f->inode, M_INODE_INO, f->ino);
	mput(m, f->inode, M_INODE_MODE, 0100755);
	mput(m, f->inode, M_INODE_SB, m->super);
	mput(m, f->inode, M_INODE_MAPPING, mapping);
	mput(m, mapping, M_MAPPING_HOST, f->inode);
	mput(m, f->file, M_FILE_DENTRY, f->dentry);
	mput(m, f->file, M_FILE_MNT, m->mount + layout_offset(&m->layout, M_MOUNT_VFS));
	mput(m, f->file, M_FILE_INODE, f->inode);
	mput(m, f->file, M_FILE_MAPPING, mapping);
}

/* ---- address spaces ---------------------------------------------------------------- */

static void lay_areas(struct machine *m, struct mmm *mm)
{
	uint64_t prev = 0;

	for (size_t i = 0; i < mm->areas.n; i++) {
		struct marea *a = &mm->areas.v[i];
		char name[48];

		snprintf(name, sizeof(name), "%s:%#llx", mm->name, (unsigned long long)a->start);
		a->addr = new_of(m, "vma", name, S_VMA);
		mput(m, a->addr, M_VMA_MM, mm->addr);
		mput(m, a->addr, M_VMA_START, a->start);
		mput(m, a->addr, M_VMA_END, a->end);
		mput(m, a->addr, M_VMA_FLAGS, a->flags);
		mput(m, a->addr, M_VMA_PGOFF, a->file < 0 ? a->start >> 12 : a->pgoff);
		mput(m, a->addr, M_VMA_FILE, a->file < 0 ? 0 : m->files.v[a->file].file);
		if (prev)
			mput(m, prev, M_VMA_NEXT, a->addr);
		else
			mput(m, mm->addr, M_MM_MMAP, a->addr);
		prev = a->addr;
	}
}

/*
 * Maple tree of 6.1: leaves (maple_leaf_64, type 1) of up to 14 entries under one
 * maple_arange_64 (type 3) of up to 10: gaps are entries too.
 */
#define LEAF_SLOTS 14u
#define ROOT_SLOTS 10u

struct maple {
	struct machine *m;
	uint64_t leaf[ROOT_SLOTS], end[ROOT_SLOTS];
	unsigned nleaves, used;
};

static void maple_add(struct maple *t, uint64_t entry, uint64_t last)
{
	struct machine *m = t->m;

	if (!t->nleaves || t->used == LEAF_SLOTS) {
		if (t->nleaves == ROOT_SLOTS)
			mdie("more areas than two levels of a maple tree hold");
		t->leaf[t->nleaves++] = mobject(m, "maple", "leaf", 256);
		t->used = 0;
	}
	put_elem(m, t->leaf[t->nleaves - 1], M_MN_R64_SLOT, t->used, entry);
	put_elem(m, t->leaf[t->nleaves - 1], M_MN_R64_PIVOT, t->used, last);
	t->end[t->nleaves - 1] = last;
	t->used++;
}

static void lay_maple(struct machine *m, struct mmm *mm)
{
	struct maple t = { .m = m };
	uint64_t at = 0, root = mm->addr + layout_offset(&m->layout, M_MM_MT), top;

	for (size_t i = 0; i < mm->areas.n; i++) {
		if (mm->areas.v[i].start > at)
			maple_add(&t, 0, mm->areas.v[i].start - 1);
		maple_add(&t, mm->areas.v[i].addr, mm->areas.v[i].end - 1);
		at = mm->areas.v[i].end;
	}
	maple_add(&t, 0, UINT64_MAX);
	top = mobject(m, "maple", mm->name, 256);
	for (unsigned i = 0; i < t.nleaves; i++) {
		put_elem(m, top, M_MN_A64_SLOT, i, t.leaf[i] | 1 << 3 | 4);
		put_elem(m, top, M_MN_A64_PIVOT, i, t.end[i]);
		mput(m, t.leaf[i], M_MN_PARENT, top | i << 3 | 6);
	}
	mput(m, top, M_MN_A64_META_END, t.nleaves - 1);
	mput(m, top, M_MN_PARENT, root | 1);
	mput(m, root, M_MT_ROOT, top | 3 << 3 | 4 | 2);
	mput(m, root, M_MT_FLAGS, 0x303 | 2 << 2);
}

/* mm_rss_stat.count[] of 2.6.34 to 6.1; since then per-CPU counters, each with a sum. */
static void lay_counter(struct machine *m, uint64_t mm, enum layout_id e, uint64_t v)
{
	const struct layout *l = &m->layout;
	int64_t i = layout_enum(l, e, -1);

	put_elem(m, mm, M_MM_RSS_COUNT, i, v);
	if (layout_has(l, M_MM_RSS_PERCPU) && i >= 0)
		mput(m, mm + layout_offset(l, M_MM_RSS_STAT) +
			(uint64_t)i * l->v[M_MM_RSS_STAT].m.stride, M_PCC_COUNT, v);
}

static void lay_mm(struct machine *m, struct mmm *mm)
{
	const struct layout *l = &m->layout;
	uint64_t total = 0;

	mm->addr = new_of(m, "mm", mm->name, S_MM);
	mm->pgd = mobject(m, "pgd", mm->name, PAGE);
	lay_areas(m, mm);
	if (layout_has(l, M_MM_MT))
		lay_maple(m, mm);
	for (size_t i = 0; i < mm->areas.n; i++)
		total += (mm->areas.v[i].end - mm->areas.v[i].start) / PAGE;
	mput(m, mm->addr, M_MM_PGD, mm->pgd);
	mput(m, mm->addr, M_MM_USERS, mm->users);
	mput(m, mm->addr, M_MM_MAP_COUNT, mm->areas.n);
	mput(m, mm->addr, M_MM_TOTAL_VM, total);
	mput(m, mm->addr, M_MM_RSS, mm->rss);
	lay_counter(m, mm->addr, E_MM_FILEPAGES, mm->rss - mm->anon);
	lay_counter(m, mm->addr, E_MM_ANONPAGES, mm->anon);
	lay_counter(m, mm->addr, E_MM_SWAPENTS, mm->swapped);
	mput(m, mm->addr, M_MM_START_BRK, mm->brk0);
	mput(m, mm->addr, M_MM_BRK, mm->brk1);
	mput(m, mm->addr, M_MM_START_STACK, mm->stack);
	paging_user(m, mm);
}

/* ---- tasks ------------------------------------------------------------------------- */

static uint64_t state_bits(const struct machine *m, char c)
{
	bool old = !layout_has(&m->layout, M_TASK_EXIT_STATE);

	switch (c) {
	case 'R': return 0;
	case 'S': return 1;
	case 'D': return 2;
	case 'T': return old ? 8 : 4;
	case 'Z': return old ? 4 : 0;
	}
	mdie("state '%c'?", c);
}

static struct mtask *task_of(struct machine *m, int pid)
{
	for (size_t i = 0; i < m->tasks.n; i++)
		if (m->tasks.v[i].pid == pid)
			return &m->tasks.v[i];
	mdie("no task %d", pid);
}

static void lay_task(struct machine *m, struct mtask *t)
{
	uint64_t kthread = t->mm < 0 && layout_has(&m->layout, M_TASK_EXIT_STATE) ? 0x200000 : 0;

	mput(m, t->addr, M_TASK_PID, (uint64_t)t->pid);
	mput(m, t->addr, M_TASK_TGID, (uint64_t)t->tgid);
	set_bytes(m, t->addr + layout_offset(&m->layout, M_TASK_COMM), t->comm, sizeof(t->comm));
	mput(m, t->addr, M_TASK_MM, t->mm < 0 ? 0 : m->mms.v[t->mm].addr);
	mput(m, t->addr, M_TASK_STATE, state_bits(m, t->state));
	mput(m, t->addr, M_TASK_FLAGS, kthread);
	mput(m, t->addr, M_TASK_PARENT, task_of(m, t->ppid)->addr);
	mput(m, t->addr, M_TASK_MIN_FLT, t->min);
	mput(m, t->addr, M_TASK_MAJ_FLT, t->maj);
	/* jiffies of 10 ms; nanoseconds since 4.11 */
	mput(m, t->addr, M_TASK_UTIME, t->user * (m->layout.v[M_TASK_UTIME].alt ? 1 : 10000000));
	mput(m, t->addr, M_TASK_STIME, t->system *
	     (m->layout.v[M_TASK_STIME].alt ? 1 : 10000000));
}

/* Rings through the members NEXT of all tasks whose group is TGID; 0: of all. */
static void lay_ring(struct machine *m, enum layout_id id, int tgid, uint64_t head)
{
	uint64_t last = head;

	if (head)
		link_after(m, head, head, head);
	for (size_t i = 0; i < m->tasks.n; i++) {
		struct mtask *t = &m->tasks.v[i];
		uint64_t n = node(m, t->addr, id);

		if (tgid >= 0 ? t->tgid != tgid : t->pid != t->tgid)
			continue;
		if (!last)
			link_after(m, n, n, n);
		else
			link_after(m, last, n, head ? head : node(m, m->tasks.v[0].addr, id));
		last = n;
	}
}

static void lay_threads(struct machine *m, struct mtask *leader)
{
	uint64_t sig;
	char name[16];

	snprintf(name, sizeof(name), "%d", leader->pid);
	if (layout_has(&m->layout, M_SIG_THREAD_HEAD)) {
		sig = new_of(m, "signal", name, S_SIGNAL);
		lay_ring(m, M_TASK_THREAD_NODE, leader->tgid,
			 node(m, sig, M_SIG_THREAD_HEAD));
		for (size_t i = 0; i < m->tasks.n; i++)
			if (m->tasks.v[i].tgid == leader->tgid)
				mput(m, m->tasks.v[i].addr, M_TASK_SIGNAL, sig);
	}
}

static void lay_tasks(struct machine *m)
{
	for (size_t i = 0; i < m->tasks.n; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", m->tasks.v[i].pid);
		m->tasks.v[i].addr = i ? new_of(m, "task", name, S_TASK) : address(m, "init_task");
	}
	for (size_t i = 0; i < m->tasks.n; i++) {
		uint64_t next = m->tasks.v[(i + 1) % m->tasks.n].addr;

		lay_task(m, &m->tasks.v[i]);
		mput(m, m->tasks.v[i].addr, M_TASK_NEXT, next);
		if (m->tasks.v[i].pid == m->tasks.v[i].tgid)
			lay_threads(m, &m->tasks.v[i]);
	}
	if (layout_has(&m->layout, M_TASK_TASKS))
		lay_ring(m, M_TASK_TASKS, -1, 0);
}

/* ---- the page array ---------------------------------------------------------------- */

static uint64_t bit(const struct machine *m, enum layout_id id, uint64_t old)
{
	int64_t n = layout_enum(&m->layout, id, -1);

	return n < 0 ? layout_has(&m->layout, M_PAGE_MAPCOUNT) ? 0 : old : UINT64_C(1) << n;
}

static uint64_t page_kva(const struct machine *m, uint64_t pfn)
{
	return m->mem_map + pfn * layout_size(&m->layout, S_PAGE);
}

/* A page of nobody: free from END on, the kernel's before. */
static void lay_other_pages(struct machine *m, uint64_t end)
{
	uint64_t reserved = bit(m, E_PG_RESERVED, PG_RESERVED);

	for (uint64_t pfn = 0; pfn < m->nframes; pfn++) {
		uint64_t p = page_kva(m, pfn);
		bool image = pfn < (m->base >> 12) + IMAGE_PAGES;

		mput(m, p, M_PAGE_MAPCOUNT, UINT32_MAX);
		if (pfn >= end)
			continue;
		mput(m, p, M_PAGE_FLAGS, image ? reserved : bit(m, E_PG_SLAB, PG_SLAB));
		mput(m, p, M_PAGE_REFCOUNT, 1);
	}
}

static uint64_t usual_flags(const struct machine *m, const struct mframe *f)
{
	uint64_t v = bit(m, E_PG_LRU, PG_LRU) | bit(m, E_PG_REFERENCED, PG_REFERENCED);

	if (f->file < 0)
		return v | bit(m, E_PG_SWAPBACKED, 0);
	return layout_has(&m->layout, M_PAGE_MAPCOUNT) ? v : v | PG_UPTODATE;
}

static void lay_frame(struct machine *m, struct mframe *f)
{
	uint64_t p = page_kva(m, f->pfn), mapping = 0;
	bool counts = !layout_has(&m->layout, M_PAGE_MAPCOUNT);

	if (f->file >= 0)
		mapping = m->files.v[f->file].inode + PAGE / 2;
	else if (!counts)
		mapping = (m->mount | 1) & ~UINT64_C(2);	/* some anon_vma, PAGE_MAPPING_ANON */
	mput(m, p, M_PAGE_FLAGS, f->own_flags && counts ? f->flags : usual_flags(m, f));
	mput(m, p, M_PAGE_MAPPING, mapping);
	mput(m, p, M_PAGE_REFCOUNT, f->count ? f->count : f->mapped + f->refs + (f->file >= 0));
	mput(m, p, M_PAGE_MAPCOUNT, (uint32_t)(f->mapped - 1));
}

static void lay_swap(struct machine *m)
{
	uint64_t max = 0, info = address(m, "swap_info"), si = info, map;
	unsigned size = layout_has(&m->layout, M_SI_TYPE) ? 1 : 2;

	for (size_t i = 0; i < m->mms.n; i++)
		for (size_t j = 0; j < m->mms.v[i].pages.n; j++)
			if (m->mms.v[i].pages.v[j].frame < 0)
				max = max_u64(max, m->mms.v[i].pages.v[j].slot + 1);
	if (!max)
		return;
	map = mobject(m, "swap_map", "0", max * size);
	if (size == 1) {
		si = mobject(m, "swap_info", "0", PAGE);
		set_word(m, info, si);
	}
	mset(m, address(m, "nr_swapfiles"), 1, 4);
	mput(m, si, M_SI_FLAGS, 3);
	mput(m, si, M_SI_MAX, max);
	mput(m, si, M_SI_SWAP_MAP, map);
	for (size_t i = 0; i < m->mms.n; i++)
		for (size_t j = 0; j < m->mms.v[i].pages.n; j++) {
			const struct mpage *p = &m->mms.v[i].pages.v[j];
			uint64_t at = map + p->slot * size;

			if (p->frame < 0)
				mset(m, at, 1 + load_uint(m->mem + mpa(m, at), size, m->cpu->big),
				     size);
		}
}

static void lay_memmap(struct machine *m)
{
	m->mem_map = mpages(m, m->nframes * layout_size(&m->layout, S_PAGE));
	set_word(m, address(m, "mem_map"), m->mem_map);
	set_word(m, address(m, "max_mapnr"), m->nframes);
}

/* ---- damage ------------------------------------------------------------------------ */

static enum layout_id member_of(const char *id)
{
	for (int i = 0; i < LAYOUT_COUNT; i++)
		if (!strcmp(fact_specs[i].id, id))
			return (enum layout_id)i;
	mdie("no member %s", id);
}

static struct object object_of(struct machine *m, const struct damage *d)
{
	if (strcmp(d->kind, "frame") && strcmp(d->kind, "page"))
		return *mfind(m, d->kind, d->name);
	for (size_t i = 0; i < m->frames.n; i++) {
		const struct mframe *f = &m->frames.v[i];

		if (!strcmp(f->name, d->name))
			return (struct object){
				.kva = d->kind[0] == 'f' ? (f->pfn << 12) + m->cpu->page_offset
							 : page_kva(m, f->pfn), .size = 1 };
	}
	mdie("no frame %s", d->name);
}

static void lay_damage(struct machine *m)
{
	for (size_t i = 0; i < m->damage.n; i++) {
		const struct damage *d = &m->damage.v[i];
		struct object o = object_of(m, d);

		if (d->lose)
			for (uint64_t at = 0; at < o.size; at += PAGE)
				m->lost[(mpa(m, o.kva) + at) >> 12] = true;
		else
			mput(m, o.kva, member_of(d->member), d->value);
	}
}

void machine_lay(struct machine *m, const char *map, const char *types)
{
	m->mem = calloc(m->nframes, PAGE);
	m->lost = calloc(m->nframes, sizeof(*m->lost));
	if (!m->mem || !m->lost || m->nframes <= (m->base >> 12) + IMAGE_PAGES)
		mdie("no memory, or not enough frames");
	write_map(m, map);
	resolve(m, map, types);
	m->next = m->base + IMAGE_PAGES * PAGE;
	lay_memmap(m);
	lay_uts(m);
	lay_log(m);
	lay_mount(m);
	for (size_t i = 0; i < m->files.n; i++)
		lay_file(m, &m->files.v[i]);
	for (size_t i = 0; i < m->frames.n; i++)
		if (!m->frames.v[i].pfn)
			m->frames.v[i].pfn = mpa(m, mpages(m, PAGE)) >> 12;
		else if (m->frames.v[i].pfn >= m->base >> 12)
			mdie("frame %s lies in the kernel", m->frames.v[i].name);
	for (size_t i = 0; i < m->mms.n; i++)
		lay_mm(m, &m->mms.v[i]);
	lay_tasks(m);
	lay_swap(m);
	paging_kernel(m, address(m, "swapper_pg_dir"));
	lay_other_pages(m, m->next >> 12);
	for (size_t i = 0; i < m->frames.n; i++)
		lay_frame(m, &m->frames.v[i]);
	lay_damage(m);
}
