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
#include "model/source/attempt.h"
#include "model/build.h"
#include "model/file/files.h"
#include "model/kobj.h"
#include "model/walk/maple.h"

#define VM_EXECUTABLE 0x1000	/* until v3.7 */
#define VM_MAY_OR_MAPS 0xff	/* VM_READ .. VM_MAYSHARE: each vma may at least be read */
#define VMAS_MAX_MM (16u << 20)	/* of one mm; vm.max_map_count is 65530 by default */

struct vmas_builder {
	struct build *b;
	struct kobj vma;
	VEC(struct vma) all;
	uint32_t mm;		/* the one being read */
	uint64_t last_end;	/* of its latest VMA */
	uint64_t user_end;
};

static void reject(struct vmas_builder *vb, enum status st, uint64_t addr)
{
	struct mm *m = &vb->b->s->mms[vb->mm];

	m->broken = true;
	issue_add(vb->b->k->issues, st, "vma", 1, "at %#" PRIx64 " of mm %#" PRIx64, addr, m->addr);
}

static bool plausible(const struct vmas_builder *vb, const struct vma *v, uint64_t mm)
{
	uint64_t page = dump_page_size(vb->b->k->dump);

	return v->start < v->end && !((v->start | v->end) & (page - 1)) && v->end <= vb->user_end &&
	       v->start >= vb->last_end && mm == vb->b->s->mms[vb->mm].addr;
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
static void check_vma(const struct vmas_builder *vb, const struct vma *v)
{
	const struct kernel *k = vb->b->k;
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
static bool add_vma(struct vmas_builder *vb, uint64_t addr, struct vma **ret)
{
	struct kernel *k = vb->b->k;
	enum status st = ST_CORRUPT;
	struct vma v;

	if (kernel_ptr_ok(k, addr, k->dump->word_size))
		st = kobj_read(&vb->vma, vb->b->r, addr);
	/* where dup_mmap() copies the tree first (v6.8, d24062914837), the rest is the parent's */
	if (!st && vb->b->s->mms[vb->mm].forked &&
	    kobj_u64(&vb->vma, M_VMA_MM) != vb->b->s->mms[vb->mm].addr)
		return false;
	if (!st) {
		read_vma(&vb->vma, &v);
		if (!plausible(vb, &v, kobj_u64(&vb->vma, M_VMA_MM)))
			st = ST_CORRUPT;
	}
	if (st) {
		reject(vb, st, addr);
		return false;
	}
	check_vma(vb, &v);
	v.mm = vb->mm;
	v.usage.size = v.end - v.start;
	vb->last_end = v.end;
	*ret = vec_push(&vb->b->s->mem, &vb->all);
	**ret = v;
	return true;
}

static bool add_from_tree(void *arg, uint64_t entry, uint64_t first, uint64_t last)
{
	struct vmas_builder *vb = arg;
	struct vma *v;

	if (vb->b->s->mms[vb->mm].nvmas >= VMAS_MAX_MM) {
		reject(vb, ST_LIMIT, entry);
		return false;
	}
	if (!add_vma(vb, entry, &v))
		return true;
	if (v->start != first || v->end - 1 != last)
		issue_add(vb->b->k->issues, ST_CORRUPT, "vma", 1,
			  "at %#" PRIx64 ": the tree gives it another range", entry);
	vb->b->s->mms[vb->mm].nvmas++;
	return true;
}

static void add_from_list(struct vmas_builder *vb, uint64_t mm_kva)
{
	struct kernel *k = vb->b->k;
	struct mm *m = &vb->b->s->mms[vb->mm];
	uint64_t addr;
	enum status st = kmember_u64(k, vb->b->r, mm_kva, M_MM_MMAP, &addr);
	struct vma *v;

	if (st)
		reject(vb, st, mm_kva);
	/* addresses ascend, so that the list cannot run in a circle */
	while (addr && add_vma(vb, addr, &v)) {
		if (++m->nvmas >= VMAS_MAX_MM) {
			reject(vb, ST_LIMIT, addr);
			break;
		}
		addr = kobj_u64(&vb->vma, M_VMA_NEXT);
	}
}

static void walk_mm_vmas(struct vmas_builder *vb, struct mm *m)
{
	struct kernel *k = vb->b->k;

	vb->last_end = 0;
	vb->all.n = m->first_vma;
	m->nvmas = 0;
	m->broken = false;
	if (has(k, M_MM_MT)) {
		if (maple_walk(k, vb->b->r, m->addr + layout_offset(&k->layout, M_MM_MT),
			       add_from_tree, vb))
			m->broken = true;
	} else if (has(k, M_MM_MMAP)) {
		add_from_list(vb, m->addr);
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

static void add_mm_vmas(struct vmas_builder *vb, uint32_t mi)
{
	struct build *b = vb->b;
	struct mm *m = &b->s->mms[mi];
	struct attempt a;
	uint64_t count;

	vb->mm = mi;
	m->first_vma = (uint32_t)vb->all.n;
	attempt_begin(&a, b->k, b->r);
	do {
		if (b->k->dump->live && !kmember_u64(b->k, b->r, m->addr, M_MM_MAP_COUNT, &count))
			m->map_count = (int32_t)count;
		walk_mm_vmas(vb, m);
	} while (attempt_again(&a, "vmas"));
	if (attempt_failed(&a) && !mm_still_used(b->s, b->r, mi)) {
		attempt_gone(&a, "process", "ended while its vmas were read");
		vb->all.n = m->first_vma;
		m->nvmas = 0;
		m->broken = false;
	}
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

static void add_forked(struct vmas_builder *vb)
{
	uint32_t first = vb->b->s->nmms;
	uint64_t *addr = NULL;
	size_t n = build_find_forked(vb->b, vb->all.v, &addr);

	if (!n)
		return;
	build_forked(vb->b, addr, n);
	for (uint32_t i = first; i < vb->b->s->nmms; i++)
		add_mm_vmas(vb, i);
}

void build_vmas(struct build *b, uint32_t only)
{
	struct snapshot *s = b->s;
	struct vmas_builder vb = { .b = b, .user_end = b->k->arch->user_end(b->k->dump) };

	kobj_init(&vb.vma, b->k, S_VMA);
	for (uint32_t i = 0; i < s->nmms; i++)
		if (only == NONE || only == i)
			add_mm_vmas(&vb, i);
	if (only == NONE)
		add_forked(&vb);
	kobj_release(&vb.vma);
	s->nvmas = (uint32_t)vb.all.n;
	s->vmas = vb.all.v ? vb.all.v : arena_array(&s->mem, struct vma, 0);
	add_files(b);
}
