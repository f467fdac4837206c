/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * capture_snapshot.c - a capture as a snapshot.
 *
 * Usage of a VMA: the listed pages, by their counts; resident pages that are not listed,
 * by the counts of the VMA. The count of a page is the kernel's count for the frame: in
 * 2.4 page->count, which counts references of every kind (a page of a file has one more
 * than mappings, for the page cache).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"
#include "model/memory/frames/frames.h"
#include "model/memory/source/module.h"
#include "model/memory/usage/account.h"

#define UNKNOWN UINT64_MAX
/* A chunk of frames costs 384 KiB, an entry that names a far one 12 bytes of text. */
#define CHUNKS_MIN 64
#define TEXT_BYTES_CHUNK 8192
#define RUN_BYTES_CHUNK 2048

struct maker {
	struct snapshot *s;
	const struct capture *c;
	uint64_t page;			/* bytes */
	/* frames, in chunks that exist where one is listed */
	struct frame_given **chunk;
	uint64_t nchunks, max_pfn, chunks_left;
	struct hash files;		/* name -> index */
	VEC(struct file) file;
};

/* ---- tasks -------------------------------------------------------------------------- */

/* Order of tasks: by the process, its leader first. */
struct key {
	int32_t leader, pid;
	uint32_t task;
};

static int by_process(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->leader != y->leader)
		return x->leader < y->leader ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

/* Tasks with one mm are threads of one process, led by the lowest pid. */
static struct key *order(const struct capture *c)
{
	struct key *keys = heap_array(struct key, c->tasks.n);
	int32_t *leader = heap_array(int32_t, c->mms.n);

	for (size_t i = 0; i < c->tasks.n; i++) {
		const struct capture_task *t = &c->tasks.v[i];

		if (t->mm != NONE && (!leader[t->mm] || t->pid < leader[t->mm]))
			leader[t->mm] = t->pid;
	}
	for (uint32_t i = 0; i < c->tasks.n; i++) {
		const struct capture_task *t = &c->tasks.v[i];

		keys[i] = (struct key){ t->mm == NONE ? t->pid : leader[t->mm], t->pid, i };
		if (t->grouped)
			keys[i].leader = t->tgid;
	}
	free(leader);
	sort_array(keys, c->tasks.n, sizeof(*keys), by_process);
	return keys;
}

static void set_task(struct maker *m, uint32_t at, const struct key *key)
{
	const struct capture_task *t = &m->c->tasks.v[key->task];
	struct task *to = &m->s->tasks[at];

	*to = (struct task){
		.pid = t->pid,
		.tgid = key->leader,
		.proc = m->s->nprocs - 1,
		.mm = t->mm,
		.cpu = t->cpu,
		.utime = UNKNOWN,
		.stime = UNKNOWN,
		.min_flt = UNKNOWN,
		.maj_flt = UNKNOWN,
		.start_boottime = UNKNOWN,
	};
	memcpy(to->comm, t->comm, sizeof(to->comm));
	if (m->c->module)
		module_task(m->c->module, key->task, to);
}

static void new_proc(struct maker *m, uint32_t first, const struct key *key)
{
	struct snapshot *s = m->s;
	uint32_t mm = m->c->tasks.v[key->task].mm;

	s->procs[s->nprocs++] = (struct proc){
		.leader = first,
		.first_task = first,
		.mm = NONE,
		.kthread = mm == NONE,
		.pid = key->leader,
		.pidns_pid = key->leader,
		.cgroup = NONE,
		.uid = UINT32_MAX,
		.euid = UINT32_MAX,
		.gid = UINT32_MAX,
		.utime = UNKNOWN,
		.stime = UNKNOWN,
		.min_flt = UNKNOWN,
		.maj_flt = UNKNOWN,
		.start_boottime = UNKNOWN,
	};
	if (m->c->module)
		module_proc(m->c->module, key->task, &s->procs[s->nprocs - 1]);
}

/* A leader that has ended has no mm, but its threads may still have it. */
static void tie_mm(struct snapshot *s, uint32_t mm)
{
	struct proc *p = &s->procs[s->nprocs - 1];

	if (mm == NONE || p->mm != NONE)
		return;
	p->mm = mm;
	s->mms[mm].nprocs++;
	if (s->mms[mm].owner == NONE)
		s->mms[mm].owner = s->nprocs - 1;
}

static void make_tasks(struct maker *m)
{
	struct snapshot *s = m->s;
	struct key *keys = order(m->c);

	s->ntasks = (uint32_t)m->c->tasks.n;
	s->tasks = arena_array(&s->mem, struct task, s->ntasks);
	s->procs = arena_array(&s->mem, struct proc, s->ntasks);
	for (uint32_t i = 0; i < s->ntasks; i++) {
		uint32_t mm = m->c->tasks.v[keys[i].task].mm;

		if (!i || keys[i].leader != keys[i - 1].leader ||
		    (!m->c->module && s->procs[s->nprocs - 1].mm != mm))
			new_proc(m, i, &keys[i]);
		tie_mm(s, mm);
		s->procs[s->nprocs - 1].ntasks++;
		if (mm != NONE)
			s->mms[mm].users++;
		set_task(m, i, &keys[i]);
	}
	free(keys);
}

/* ---- mms ------------------------------------------------------------------------------- */

/* By name, and by inode if it is known: two deleted files may have one name. */
static uint32_t file_of(struct maker *m, const char *name, uint64_t inode)
{
	uint64_t key = (hash_str(name) ^ inode) | 1;
	uint32_t i;

	/* a collision, one in 2^63, takes the next key */
	while ((i = hash_get(&m->files, key)) != HASH_NONE &&
	       /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): I is one of file */
	       (strcmp(m->file.v[i].path, name) || m->file.v[i].inode != inode))
		key += 2;
	if (i != HASH_NONE)
		return i;
	i = (uint32_t)m->file.n;
	hash_put(&m->files, key, i);
	*vec_push(&m->s->mem, &m->file) = (struct file){ .path = name, .inode = inode };
	return i;
}

static uint64_t inode_of(const struct maker *m, size_t vma)
{
	return m->c->module ? m->c->module->vmas.v[vma].inode : 0;
}

/* The executable: usually a file that its process also maps. */
static uint32_t exe_of(struct maker *m, uint32_t mm)
{
	const struct capture_mm *from = &m->c->mms.v[mm];
	const char *exe = m->c->module->exes.v[mm];

	if (!exe || !*exe)
		return NONE;
	for (size_t v = from->first_vma; v < from->first_vma + from->nvmas; v++)
		if (m->c->vmas.v[v].file && !strcmp(m->c->vmas.v[v].file, exe))
			return file_of(m, exe, inode_of(m, v));
	return file_of(m, exe, 0);
}

static void make_vma(struct maker *m, uint32_t mm, size_t at)
{
	const struct capture_vma *from = &m->c->vmas.v[at];
	struct vma *v = &m->s->vmas[at];

	*v = (struct vma){
		.start = from->start,
		.end = from->end,
		.flags = from->flags,
		.mm = mm,
		.file = from->file ? file_of(m, from->file, inode_of(m, at)) : NONE,
		.name = from->file ? from->file : "",
	};
	v->usage.size = v->end - v->start;
	if (m->c->module) {
		module_vma(m->c->module, at, m->s->k, v, &m->s->mms[mm]);
		if (v->file != NONE)
			module_file(m->c->module, at, &m->file.v[v->file]);
		return;
	}
	m->s->mms[mm].total_vm += v->usage.size / m->page;
	/* VM_EXECUTABLE, in kernels to 3.6: a vma of the program itself */
	if (from->flags & 0x1000 && v->file != NONE && m->s->mms[mm].exe == NONE)
		m->s->mms[mm].exe = v->file;
}

static void make_mms(struct maker *m)
{
	struct snapshot *s = m->s;

	s->nmms = (uint32_t)m->c->mms.n;
	s->mms = arena_array(&s->mem, struct mm, s->nmms);
	s->nvmas = (uint32_t)m->c->vmas.n;
	s->vmas = arena_array(&s->mem, struct vma, s->nvmas);
	for (uint32_t i = 0; i < s->nmms; i++) {
		const struct capture_mm *from = &m->c->mms.v[i];

		s->mms[i] = (struct mm){
			.addr = from->addr,
			.owner = NONE,
			.exe = NONE,
			.first_vma = (uint32_t)from->first_vma,
			.nvmas = (uint32_t)from->nvmas,
			.map_count = (int64_t)from->nvmas,
		};
		if (m->c->module) {
			module_mm(m->c->module, i, &s->mms[i]);
			s->mms[i].exe = exe_of(m, i);
		}
		for (size_t v = 0; v < from->nvmas; v++)
			make_vma(m, i, from->first_vma + v);
	}
	s->files = m->file.v;
	s->nfiles = (uint32_t)m->file.n;
}

/* ---- frames ------------------------------------------------------------------------------ */

static uint64_t pfn_of(const struct maker *m, const struct capture_page *p)
{
	return p->pa >> m->s->k->page_shift;
}

static void make_chunks(struct maker *m)
{
	for (size_t i = 0; i < m->c->pages.n; i++)
		m->max_pfn = max_u64(m->max_pfn, pfn_of(m, &m->c->pages.v[i]) + 1);
	for (size_t i = 0; m->c->module && i < m->c->module->runs.n; i++) {
		const struct vmc_run *r = &m->c->module->runs.v[i];

		if (module_is_page(r))
			m->max_pfn = max_u64(m->max_pfn, r->where + r->pages);
	}
	m->nchunks = (m->max_pfn + FRAME_CHUNK - 1) >> FRAME_CHUNK_SHIFT;
	m->chunk = heap_array(struct frame_given *, m->nchunks);
	m->chunks_left =
		CHUNKS_MIN + m->c->size / (m->c->module ? RUN_BYTES_CHUNK : TEXT_BYTES_CHUNK);
}

static struct frame_given *frame_of(struct maker *m, uint64_t pfn)
{
	struct frame_given **chunk = &m->chunk[pfn >> FRAME_CHUNK_SHIFT];

	if (!*chunk) {
		if (!m->chunks_left) {
			issue_add(m->s->k->issues, ST_LIMIT, "page frame", 1,
				  "addresses too far apart: %#" PRIx64, pfn * m->page);
			return NULL;
		}
		m->chunks_left--;
		*chunk = heap_array(struct frame_given, FRAME_CHUNK);
	}
	return &(*chunk)[pfn & (FRAME_CHUNK - 1)];
}

/*
 * Does the page belong to no file? In a private vma of a file, the pages that a process
 * may write or has written are its own copies.
 */
static bool is_anon(const struct maker *m, const struct capture_vma *v,
		    const struct capture_page *p)
{
	unsigned flags = ptebits_decode(m->c->bits, p->bits);

	return !v->file || (!(v->flags & VMA_SHARED) && flags & (PTE_WRITE | PTE_DIRTY));
}

static void make_frame(struct maker *m, const struct capture_vma *v, const struct capture_page *p)
{
	struct frame_given *f = frame_of(m, pfn_of(m, p));

	if (!f)
		return;
	if (!(f->flags & FR_EXISTS)) {
		f->flags = FR_EXISTS | (is_anon(m, v, p) ? FR_ANON | FR_SWAPBACKED : FR_CACHE);
		f->mapcount = p->count;
	} else if (f->mapcount != p->count) {
		issue_add(m->s->k->issues, ST_CORRUPT, "page count", 1,
			  "the page at %#" PRIx64 " has %u references and %u", p->pa, f->mapcount,
			  p->count);
		f->mapcount = f->mapcount > p->count ? f->mapcount : p->count;
	}
	f->found++;
}

/* Each entry is one mapping; entries of migrating pages are none. */
static void make_run_frames(struct maker *m, const struct vmc_run *r, bool hugetlb)
{
	for (uint32_t i = 0; module_is_page(r) && i < r->pages; i++) {
		struct frame_given *f = frame_of(m, r->where + i);

		if (!f)
			return;
		if (!(f->flags & FR_EXISTS))
			module_frame(r, hugetlb, f);
		f->found += r->pte & VMC_PRESENT ? 1 : 0;
	}
}

static void make_frames(struct maker *m)
{
	const struct module *mod = m->c->module;

	make_chunks(m);
	for (size_t i = 0; mod && i < mod->vmas.n; i++) {
		const struct module_vma *v = &mod->vmas.v[i];

		for (size_t j = 0; j < v->nruns; j++)
			make_run_frames(m, &mod->runs.v[v->first_run + j],
					v->kind == VMC_HUGETLB_VMA);
	}
	for (size_t i = 0; i < m->c->vmas.n; i++) {
		const struct capture_vma *v = &m->c->vmas.v[i];

		for (size_t j = 0; j < v->npages; j++)
			make_frame(m, v, &m->c->pages.v[v->first_page + j]);
	}
	frames_give(m->s, m->chunk, m->nchunks, m->max_pfn);
	m->s->frames.references = !mod;
	for (uint64_t c = 0; c < m->nchunks; c++)
		free(m->chunk[c]);
	free(m->chunk);
}

/* ---- usage --------------------------------------------------------------------------------- */

static void add_hugetlb(const struct maker *m, const struct capture_page *p, struct usage *u)
{
	*(p->count < 2 ? &u->private_hugetlb : &u->shared_hugetlb) += m->page;
}

static void add_page(const struct maker *m, const struct capture_vma *v,
		     const struct capture_page *p, struct usage *u)
{
	unsigned flags = ptebits_decode(m->c->bits, p->bits);
	bool dirty = flags & PTE_DIRTY, alone = p->count < 2, anon = is_anon(m, v, p);
	uint64_t pss = (m->page << PSS_SHIFT) / (alone ? 1 : p->count);

	u->rss += m->page;
	u->pss += pss;
	*(anon ? &u->rss_anon : &u->rss_file) += m->page;
	*(anon ? &u->pss_anon : &u->pss_file) += pss;
	u->anonymous += anon ? m->page : 0;
	u->pss_dirty += dirty ? pss : 0;
	u->pss_locked += v->flags & VMA_LOCKED ? pss : 0;
	u->referenced += flags & PTE_YOUNG ? m->page : 0;
	if (alone)
		*(dirty ? &u->private_dirty : &u->private_clean) += m->page;
	else
		*(dirty ? &u->shared_dirty : &u->shared_clean) += m->page;
}

/* Resident pages that are not listed: by the counts, as far as they go. */
static void add_rest(const struct maker *m, const struct capture_vma *v, uint64_t listed_single,
		     struct usage *u)
{
	uint64_t rest = v->rss - u->rss, single = 0;

	if (v->counts.given && v->counts.single > listed_single)
		single = min_u64(v->counts.single - listed_single, rest / m->page) * m->page;
	u->rss += rest;
	*(v->file ? &u->rss_file : &u->rss_anon) += rest;
	u->anonymous += v->file ? 0 : rest;
	u->private_clean += single;
	u->pss += single << PSS_SHIFT;
	u->whole += single;
	*(v->file ? &u->pss_file : &u->pss_anon) += single << PSS_SHIFT;
	u->shared_clean += rest - single;
	u->unknown += rest - single;
}

static void differs(const struct maker *m, const struct capture_vma *v, const char *what,
		    uint64_t said, uint64_t listed)
{
	if (said != listed)
		issue_add(m->s->k->issues, ST_CORRUPT, "count of the capture", 1,
			  "line %zu: %s: %" PRIu64 " by the count, %" PRIu64 " listed", v->line,
			  what, said, listed);
}

static void compare(const struct maker *m, const struct capture_vma *v,
		    const struct capture_counts *n)
{
	differs(m, v, "bytes resident", v->rss, v->npages * m->page);
	if (!v->counts.given)
		return;
	differs(m, v, "single pages", v->counts.single, n->single);
	differs(m, v, "shared pages", v->counts.shared, n->shared);
	if (!m->c->bits)
		return;
	differs(m, v, "user pages", v->counts.user, n->user);
	differs(m, v, "read-only pages", v->counts.readonly, n->readonly);
}

static void make_usage(struct maker *m, size_t at)
{
	const struct capture_vma *v = &m->c->vmas.v[at];
	const struct ptebits *bits = m->c->bits;
	struct usage *u = &m->s->vmas[at].usage;
	struct capture_counts n = { 0 };

	for (size_t j = 0; j < v->npages; j++) {
		const struct capture_page *p = &m->c->pages.v[v->first_page + j];

		n.single += p->count == 1;
		n.shared += p->count > 1;
		n.user += bits && p->bits & bits->user;
		n.readonly += bits && !(p->bits & bits->rw);
		if (v->flags & VMA_HUGETLB)
			add_hugetlb(m, p, u);
		else
			add_page(m, v, p, u);
	}
	/* a list that is missing completely was not asked for */
	if (v->npages)
		compare(m, v, &n);
	if (v->rss > u->rss && !(v->flags & VMA_HUGETLB))
		add_rest(m, v, n.single, u);
}

static void capture_build(struct snapshot *s, unsigned needs, const struct snapshot_opts *o)
{
	struct maker m = { .s = s, .c = s->k->capture, .page = UINT64_C(1) << s->k->page_shift };

	(void)needs; /* everything is in memory already */
	(void)o;
	m.files.mem = &s->mem;
	make_mms(&m);
	make_tasks(&m);
	make_frames(&m);
	for (size_t i = 0; i < m.c->vmas.n; i++)
		if (m.c->module)
			module_usage(s, i);
		else
			make_usage(&m, i);
}

/* ---- one VMA again --------------------------------------------------------------------------- */

static struct pte pte_of(const struct capture *c, const struct capture_page *p)
{
	return (struct pte){ .pa = p->pa,
			     .kind = PTE_PAGE,
			     .flags = ptebits_decode(c->bits, p->bits) };
}

static const struct capture_vma *given(const struct snapshot *s, const struct vma *v)
{
	return &s->k->capture->vmas.v[v - s->vmas];
}

static bool capture_entries(const struct snapshot *s, struct reader *r, const struct vma *v,
			    uint64_t start, uint64_t end, const struct pgvisit *visit, void *arg)
{
	const struct capture *c = s->k->capture;
	const struct capture_vma *from = given(s, v);

	(void)r;
	for (size_t i = 0; visit->entries && i < from->npages; i++) {
		const struct capture_page *p = &c->pages.v[from->first_page + i];
		struct pte pte = pte_of(c, p);

		if (p->va >= start && p->va < end &&
		    !visit->entries(arg, p->va, s->k->page_shift, &pte, 1))
			return false;
	}
	return true;
}

static void capture_walk(const struct snapshot *s, struct reader *r, const struct vma *v,
			 bool (*fn)(void *arg, const struct vma_page *p), void *arg)
{
	const struct capture *c = s->k->capture;
	const struct capture_vma *from = given(s, v);

	(void)r;
	for (size_t i = 0; i < from->npages; i++) {
		const struct capture_page *p = &c->pages.v[from->first_page + i];
		struct vma_page page = {
			.va = p->va,
			.pfn = p->pa >> s->k->page_shift,
			.shift = s->k->page_shift,
			.pte = pte_of(c, p),
			.captured = p,
		};

		page.frame = frame_at(&s->frames, page.pfn);
		if (page.frame && !(page.frame->flags & FR_EXISTS))
			page.frame = NULL;
		if (!fn(arg, &page))
			return;
	}
}

/* ---- the sources ----------------------------------------------------------------------------- */

static void about(const struct kernel *k, struct source_about *ret)
{
	const struct capture *c = k->capture;

	ret->kind = "capture";
	ret->format = c->format;
	ret->pages = c->module ? c->module->runs.n : c->pages.n;
}

#define OFFERS (NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_FOUND | NEED_SIZES)

const struct source source_collector = {
	.name = "collector",
	.offers = OFFERS,
	.build = capture_build,
	.entries = capture_entries,
	.walk = capture_walk,
	.about = about,
};

const struct source source_module = {
	.name = "module",
	.has = SOURCE_COUNTERS,
	.offers = OFFERS,
	.build = capture_build,
	.entries = capture_entries,
	.walk = module_walk,
	.about = about,
};

const struct capture_vma *source_given_vma(const struct snapshot *s, const struct vma *v)
{
	return s->k->capture ? given(s, v) : NULL;
}

const uint64_t *source_given_numbers(const struct snapshot *s, int32_t pid)
{
	const struct capture *c = s->k->capture;
	uint32_t i = c && pid ? hash_get(&c->pids, (uint64_t)pid) : HASH_NONE;

	return i == HASH_NONE ? NULL : c->tasks.v[i].n;
}
