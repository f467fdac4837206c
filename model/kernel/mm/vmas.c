/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * VMAs of each mm, from the maple tree (6.1+) or the vm_next list; then their files and
 * names. A VMA is believed if its bounds are page-aligned, inside user space and
 * ascending, and it names its own mm.
 */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/issues.h"
#include "facts/layout/mm.h"
#include "model/build.h"
#include "model/kernel/attempt.h"
#include "model/kernel/file/files.h"
#include "model/kernel/kobj.h"
#include "model/kernel/mm/vmas.h"
#include "model/kernel/walk/maple.h"

#define VM_EXECUTABLE 0x1000	/* until v3.7 */
#define VM_MAY_OR_MAPS 0xff	/* VM_READ .. VM_MAYSHARE: each vma may at least be read */
#define VMAS_MAX_MM (16u << 20)	/* of one mm; vm.max_map_count is 65530 by default */

static void reject(struct vma_walker *w, enum status st, uint64_t addr)
{
	w->mm->broken = true;
	issue_add(w->k->issues, st, "vma", 1, "at %#" PRIx64 " of mm %#" PRIx64, addr, w->mm->addr);
}

static bool plausible(const struct vma_walker *w, const struct vma *v, uint64_t mm)
{
	uint64_t page = dump_page_size(w->k->dump);

	return v->start < v->end && !((v->start | v->end) & (page - 1)) && v->end <= w->user_end &&
	       v->start >= w->last_end && mm == w->mm->addr;
}

static void read_vma(const struct kobj *o, struct vma *v)
{
	*v = (struct vma){
		.addr = o->addr,
		.start = kobj_u64(o, M_VMA_START),
		.end = kobj_u64(o, M_VMA_END),
		.flags = kobj_u64(o, M_VMA_FLAGS),
		.pgoff = kobj_u64(o, M_VMA_PGOFF),
		.file_addr = kobj_u64(o, M_VMA_FILE),
		.ops = kobj_u64(o, M_VMA_OPS),
		.private_data = kobj_u64(o, M_VMA_PRIVATE),
		.anon_vma = kobj_u64(o, M_VMA_ANON_VMA),
		.file = NONE,
		.name = "",
	};
}

/* Values that mmap() gives to none: EOVERFLOW of do_mmap(), operations in allocated memory. */
static void check_vma(const struct vma_walker *w, const struct vma *v)
{
	const struct kernel *k = w->k;
	uint64_t last = v->pgoff + ((v->end - v->start) >> k->page_shift) - 1;
	const char *what = NULL;

	if (!(v->flags & VM_MAY_OR_MAPS))
		what = "flags";
	else if (last < v->pgoff || (k->dump->word_size == 4 && last > UINT32_MAX))
		what = "offset";
	else if (v->ops && !kernel_static_ok(k, v->ops, k->dump->word_size))
		what = "operations";
	if (what)
		issue_add(k->issues, ST_CORRUPT, "vma", 1, "%s of the vma at %#" PRIx64, what,
			  v->addr);
}

/* Makes the VMA at ADDR the next of the current mm; false if it cannot be one. */
static bool add_vma(struct vma_walker *w, uint64_t addr, struct vma **ret)
{
	struct kernel *k = w->k;
	enum status st = ST_CORRUPT;
	struct vma v;

	if (kernel_ptr_ok(k, addr, k->dump->word_size))
		st = kobj_read(&w->vma, w->r, addr);
	/* where dup_mmap() copies the tree first (v6.8, d24062914837), the rest is the parent's */
	if (!st && w->mm->forked && kobj_u64(&w->vma, M_VMA_MM) != w->mm->addr)
		return false;
	if (!st) {
		read_vma(&w->vma, &v);
		if (!plausible(w, &v, kobj_u64(&w->vma, M_VMA_MM)))
			st = ST_CORRUPT;
	}
	if (st) {
		reject(w, st, addr);
		return false;
	}
	check_vma(w, &v);
	v.usage.size = v.end - v.start;
	w->last_end = v.end;
	*ret = vec_push(w->mem, &w->all);
	**ret = v;
	return true;
}

static bool add_from_tree(void *arg, uint64_t entry, uint64_t first, uint64_t last)
{
	struct vma_walker *w = arg;
	struct vma *v;

	if (w->mm->nvmas >= VMAS_MAX_MM) {
		reject(w, ST_LIMIT, entry);
		return false;
	}
	if (!add_vma(w, entry, &v))
		return true;
	if (v->start != first || v->end - 1 != last)
		issue_add(w->k->issues, ST_CORRUPT, "vma", 1,
			  "at %#" PRIx64 ": the tree gives it another range", entry);
	w->mm->nvmas++;
	return true;
}

static void add_from_list(struct vma_walker *w, uint64_t mm_kva)
{
	struct kernel *k = w->k;
	struct mm *m = w->mm;
	uint64_t addr;
	enum status st = kmember_u64(k, w->r, mm_kva, M_MM_MMAP, &addr);
	struct vma *v;

	if (st)
		reject(w, st, mm_kva);
	/* addresses ascend, so that the list cannot run in a circle */
	while (addr && add_vma(w, addr, &v)) {
		if (++m->nvmas >= VMAS_MAX_MM) {
			reject(w, ST_LIMIT, addr);
			break;
		}
		addr = kobj_u64(&w->vma, M_VMA_NEXT);
	}
}

void vma_walker_read(struct vma_walker *w, struct mm *m)
{
	struct kernel *k = w->k;

	w->mm = m;
	w->last_end = 0;
	m->first_vma = (uint32_t)w->all.n;
	m->nvmas = 0;
	m->broken = false;
	if (has(k, M_MM_MT)) {
		if (maple_walk(k, w->r, m->addr + layout_offset(&k->layout, M_MM_MT), add_from_tree,
			       w))
			m->broken = true;
	} else if (has(k, M_MM_MMAP)) {
		add_from_list(w, m->addr);
	}
	if (m->users > 0 && !m->forked && m->map_count != m->nvmas)
		issue_add(k->issues, ST_CORRUPT, "map_count", 1,
			  "mm %#" PRIx64 " says %" PRId64 " vmas, %u found", m->addr, m->map_count,
			  m->nvmas);
}

/* Before 925d1c401fa6 (v2.6.26): the first file that is mapped with VM_EXECUTABLE. */
static uint64_t executable(const struct snapshot *s, const struct mm *m)
{
	for (uint32_t i = m->first_vma; i < m->first_vma + m->nvmas; i++)
		if (s->vmas[i].flags & VM_EXECUTABLE && s->vmas[i].file_addr)
			return s->vmas[i].file_addr;
	return 0;
}

/* Live: a walk that failed is repeated. */
static void add_vmas(struct build *b, struct vma_walker *w, uint32_t mi)
{
	struct mm *m = &b->s->mms[mi];
	struct attempt a;
	uint64_t count;

	attempt_begin(&a, b->k, b->r);
	do {
		if (b->k->dump->live && !kmember_u64(b->k, b->r, m->addr, M_MM_MAP_COUNT, &count))
			m->map_count = (int32_t)count;
		w->all.n = 0;
		vma_walker_read(w, m);
	} while (attempt_again(&a, "vmas"));
	if (attempt_failed(&a) && !mm_still_used(b->s, b->r, mi)) {
		attempt_gone(&a, "process", "ended while its vmas were read");
		m->nvmas = 0;
		m->broken = false;
	}
	build_keep_vmas(b, mi, w->all.v, 0);
}

/* On a live machine: could V's file or name not be read because V is gone? */
static void forget_unmapped(struct attempt *a, const struct snapshot *s, const struct vma *v)
{
	if (attempt_failed(a) && !(mm_still_used(s, a->r, v->mm) && vma_still_there(s, a->r, v)))
		attempt_gone(a, "vma", "was unmapped while its name was read");
}

/* Files are read once each, for the first VMA that has them. */
static void add_file(struct build *b, struct filetab *t, struct vma *v)
{
	struct attempt a;

	attempt_begin(&a, b->k, b->r);
	v->file = filetab_of_vma(t, v);
	while (attempt_again(&a, "file")) {
		filetab_forget(t, v);
		v->file = filetab_of_vma(t, v);
	}
	forget_unmapped(&a, b->s, v);
}

/* Since e9714acf8c43 (v3.7) a program keeps its file until its last user is gone. */
static void check_exe(const struct build *b, uint32_t mi)
{
	static const struct era kept = { V(3, 7), 0 };
	const struct mm *m = &b->s->mms[mi];

	if (has(b->k, M_MM_EXE_FILE) && !b->mm_exe[mi] && m->users > 0 && m->arg_start &&
	    in_era(b->k, kept))
		issue_add(b->k->issues, ST_CORRUPT, "mm", 1, "%#" PRIx64 " has no program",
			  m->addr);
}

static void add_exe(struct build *b, struct filetab *t, uint32_t mi)
{
	struct mm *m = &b->s->mms[mi];
	struct attempt a;

	attempt_begin(&a, b->k, b->r);
	check_exe(b, mi);
	m->exe = filetab_get(t, has(b->k, M_MM_EXE_FILE) ? b->mm_exe[mi] : executable(b->s, m));
	if (attempt_failed(&a) && !mm_still_used(b->s, b->r, mi))
		attempt_gone(&a, "process", "ended while its executable was read");
}

static void add_name(struct build *b, struct vma *v)
{
	struct attempt a;

	attempt_begin(&a, b->k, b->r);
	do {
		vma_name(b->s, b->r, v);
	} while (attempt_again(&a, "vma name"));
	forget_unmapped(&a, b->s, v);
}

static void add_files(struct build *b)
{
	struct snapshot *s = b->s;
	struct filetab *t = filetab_new(s, b->r);

	for (uint32_t i = 0; i < s->nmms; i++)
		add_exe(b, t, i);
	for (uint32_t i = 0; i < s->nvmas; i++)
		add_file(b, t, &s->vmas[i]);
	filetab_finish(t);
	for (uint32_t i = 0; i < s->nvmas; i++)
		add_name(b, &s->vmas[i]);
}

static void add_forked(struct build *b, struct vma_walker *w)
{
	uint32_t first = b->s->nmms;
	uint64_t *addr = NULL;
	size_t n = build_find_forked(b, b->vmas.v, &addr);

	if (!n)
		return;
	build_forked(b, addr, n);
	for (uint32_t i = first; i < b->s->nmms; i++)
		add_vmas(b, w, i);
}

void vma_walker_open(struct vma_walker *w, struct kernel *k, struct reader *r, struct arena *mem)
{
	*w = (struct vma_walker){ .k = k, .r = r, .mem = mem };
	w->user_end = k->arch->user_end(k->dump);
	kobj_init(&w->vma, k, S_VMA);
}

void vma_walker_close(struct vma_walker *w)
{
	kobj_release(&w->vma);
}

void build_keep_vmas(struct build *b, uint32_t mi, const struct vma *v, size_t first)
{
	struct mm *m = &b->s->mms[mi];

	m->first_vma = (uint32_t)b->vmas.n;
	for (uint32_t i = 0; i < m->nvmas; i++) {
		struct vma *to = vec_push(&b->s->mem, &b->vmas);

		*to = v[first + i];
		to->mm = mi;
	}
}

void build_vmas(struct build *b, uint32_t only)
{
	struct snapshot *s = b->s;
	struct vma_walker w;

	vma_walker_open(&w, b->k, b->r, &b->scratch);
	for (uint32_t i = 0; !b->vmas_read && i < s->nmms; i++)
		if (only == NONE || only == i)
			add_vmas(b, &w, i);
	if (only == NONE)
		add_forked(b, &w);
	vma_walker_close(&w);
	s->nvmas = (uint32_t)b->vmas.n;
	s->vmas = b->vmas.v ? b->vmas.v : arena_array(&s->mem, struct vma, 0);
	add_files(b);
}
