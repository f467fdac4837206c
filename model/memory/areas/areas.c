/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * areas.c - gives each vma its class.
 */
#include "model/memory/areas/areas.h"

#include <string.h>

#include "dumpread/base/bytes.h"

#define VM_EXECUTABLE 0x1000u	/* include/linux/mm.h of 2.4 to 3.6 */

struct maker {
	const struct snapshot *s;
	const struct mm *mm;
	bool *code;		/* by file: a process executes it */
	uint32_t text_of;	/* file of the last executable area in this mm */
};

static unsigned access_flags(uint64_t vm)
{
	return (vm & VMA_READ ? AREA_R : 0) | (vm & VMA_WRITE ? AREA_W : 0) |
	       (vm & VMA_EXEC ? AREA_E : 0);
}

static bool no_access(const struct vma *v)
{
	return !(v->flags & (VMA_READ | VMA_WRITE | VMA_EXEC));
}

static bool same_file(const struct snapshot *s, uint32_t a, uint32_t b)
{
	if (a >= s->nfiles || b >= s->nfiles)
		return false;
	/* one inode may be known by two paths */
	return a == b || (s->files[a].inode && s->files[a].inode == s->files[b].inode);
}

static bool marked_executable(const struct snapshot *s, const struct vma *v)
{
	return kernel_rule(s->k, RULE_VM_EXECUTABLE) && v->flags & VM_EXECUTABLE;
}

/* Programs, and files mapped privately with the right to execute. A compiler at run time uses
   shared ones for its code. */
static void mark_code(struct maker *m)
{
	const struct snapshot *s = m->s;

	for (uint32_t i = 0; i < s->nmms; i++)
		if (s->mms[i].exe < s->nfiles)
			m->code[s->mms[i].exe] = true;
	for (uint32_t i = 0; i < s->nvmas; i++) {
		const struct vma *v = &s->vmas[i];

		if (v->file < s->nfiles && !(v->flags & VMA_SHARED) &&
		    (v->flags & VMA_EXEC || marked_executable(s, v)))
			m->code[v->file] = true;
	}
}

/*
 * Data that ld.so made read-only after relocation (RELRO): the head of the data segment,
 * still adjacent to the rest of it, or written to once.
 */
static bool is_relro(const struct maker *m, const struct vma *v, const struct vma *next)
{
	uint64_t pages = (v->end - v->start) >> m->s->k->page_shift;

	if (v->flags & VMA_EXEC)
		return false;
	if (next && next->file == v->file && next->start == v->end &&
	    next->pgoff == v->pgoff + pages && next->flags & VMA_WRITE)
		return true;
	return v->anon_vma && m->text_of == v->file;
}

static void set_code(struct maker *m, const struct vma *v, const struct vma *next, struct area *a)
{
	bool own = marked_executable(m->s, v) || same_file(m->s, v->file, m->mm->exe);

	if (no_access(v)) {
		a->class = AREA_NONE;
		a->flags |= AREA_GAP;
		return;
	}
	if (v->flags & VMA_EXEC)
		m->text_of = v->file;
	a->flags |= own ? AREA_X : 0;
	if (v->flags & VMA_WRITE || is_relro(m, v, next))
		a->class = own ? AREA_DATA : AREA_LIB_DATA;
	else
		a->class = own ? AREA_TEXT : AREA_LIB_TEXT;
}

static void set_file_area(struct maker *m, const struct vma *v, const struct vma *next,
			  struct area *a)
{
	enum file_kind kind = m->s->files[v->file].kind;

	a->file = v->file;
	if (kind == FILE_HUGETLB)
		a->class = AREA_HUGETLB;
	else if (v->flags & (VMA_PFNMAP | VMA_IO))
		a->class = AREA_OTHER;
	else if (kind == FILE_DEVICE)
		/* a private vma of /dev/zero is anonymous memory */
		a->class = v->ops || v->flags & VMA_SHARED ? AREA_OTHER : AREA_ANON;
	else if (m->code[v->file] && !(v->flags & VMA_SHARED))
		set_code(m, v, next, a);
	else if (kind == FILE_SHMEM)
		a->class = AREA_SHMEM;
	else if (no_access(v))
		a->class = AREA_NONE;
	else
		a->class = kind == FILE_REGULAR ? AREA_FILE : AREA_OTHER;
}

static bool in_heap(const struct mm *mm, const struct vma *v)
{
	return mm->start_brk < mm->brk && v->start < mm->brk && v->end > mm->start_brk;
}

/* A name given by prctl(PR_SET_VMA) shows the role; Android's linker names .bss. */
static bool named_otherwise(const struct vma *v)
{
	return v->name && !strncmp(v->name, "[anon:", 6) && strcmp(v->name, "[anon:.bss]") != 0;
}

/*
 * Is V, anonymous memory right after library A, its .bss? The kernel may by chance put a
 * library right below older anonymous memory, and merge both: if V is larger than the
 * whole file, that is assumed.
 */
static bool may_be_bss(const struct snapshot *s, const struct area *a, const struct vma *v)
{
	uint64_t size = a->file < s->nfiles ? s->files[a->file].size : 0;

	return a->flags & AREA_X || !size || v->end - v->start <= size;
}

/* PREV: the area that ends where V begins, or NULL. */
static void set_anon(struct maker *m, const struct vma *v, const struct area *prev, struct area *a)
{
	if (v->flags & VMA_HUGETLB) {
		a->class = AREA_HUGETLB;
	} else if (v->ops || v->flags & (VMA_PFNMAP | VMA_IO)) {
		a->class = AREA_OTHER; /* as in vma_is_anonymous(): no vm_ops */
	} else if (v->flags & VMA_GROWSDOWN) {
		a->class = AREA_STACK;
		a->flags |= AREA_S;
	} else if (no_access(v)) {
		a->class = AREA_NONE;
	} else if (in_heap(m->mm, v)) {
		a->class = AREA_HEAP;
		a->flags |= AREA_X | AREA_B;
		a->file = m->mm->exe < m->s->nfiles	 ? m->mm->exe
			  : prev && prev->flags & AREA_X ? prev->file
							 : NONE;
	} else if (prev && area_is_code(prev) && !named_otherwise(v) && may_be_bss(m->s, prev, v)) {
		a->flags |= (prev->flags & AREA_X) | AREA_B;
		a->file = prev->file;
		a->class = prev->flags & AREA_X ? AREA_HEAP : AREA_LIB_BSS;
	} else {
		a->class = AREA_ANON;
	}
}

static void classify_mm(struct maker *m, struct area *areas)
{
	uint32_t first = m->mm->first_vma, n = m->mm->nvmas;

	m->text_of = NONE;
	for (uint32_t i = first; i < first + n && i < m->s->nvmas; i++) {
		const struct vma *v = &m->s->vmas[i];
		bool last = i + 1 == first + n || i + 1 == m->s->nvmas;
		bool adjacent = i > first && v[-1].end == v->start;
		struct area *a = &areas[i];

		*a = (struct area){ .file = NONE, .flags = (uint8_t)access_flags(v->flags) };
		if (v->file < m->s->nfiles)
			set_file_area(m, v, last ? NULL : v + 1, a);
		else
			set_anon(m, v, adjacent ? a - 1 : NULL, a);
	}
}

struct area *areas_build(const struct snapshot *s, struct arena *mem)
{
	struct area *areas = arena_array(mem, struct area, s->nvmas);
	struct maker m = { .s = s, .code = arena_array(mem, bool, s->nfiles) };

	mark_code(&m);
	for (uint32_t i = 0; i < s->nmms; i++) {
		m.mm = &s->mms[i];
		classify_mm(&m, areas);
	}
	return areas;
}

const char *area_class_name(unsigned class)
{
	static const char *const names[AREA_CLASSES] = {
		[AREA_STACK] = "stack", [AREA_DATA] = "data", [AREA_TEXT] = "text",
		[AREA_HEAP] = "heap", [AREA_LIB_BSS] = "lib_bss", [AREA_LIB_DATA] = "lib_data",
		[AREA_LIB_TEXT] = "lib_text", [AREA_ANON] = "anon", [AREA_FILE] = "file",
		[AREA_SHMEM] = "shmem", [AREA_HUGETLB] = "hugetlb", [AREA_OTHER] = "other",
		[AREA_NONE] = "none",
	};

	return class < AREA_CLASSES ? names[class] : "";
}

void area_sym(unsigned flags, char buf[AREA_SYM])
{
	static const char letters[] = "SXrwxB";

	for (unsigned i = 0; i < AREA_SYM - 1; i++)
		buf[i] = flags >> i & 1 ? letters[i] : '.';
	buf[AREA_SYM - 1] = '\0';
}

uint64_t area_paper_flags(const struct snapshot *s, const struct vma *v, const struct area *a)
{
	/* later kernels use both bits for something else */
	if (!(a->flags & AREA_B) || !kernel_rule(s->k, RULE_VM_EXECUTABLE))
		return v->flags;
	return v->flags | AREA_PAPER_BSS | (a->flags & AREA_X ? AREA_PAPER_EXECUTABLE : 0);
}

void area_sums(const struct snapshot *s, const struct area *areas, const struct mm *mm,
	       struct area_sums *ret)
{
	*ret = (struct area_sums){ .lib_single = 0 };
	for (uint32_t i = mm->first_vma; i - mm->first_vma < mm->nvmas && i < s->nvmas; i++) {
		const struct usage *u = &s->vmas[i].usage;
		unsigned class = areas[i].class;

		ret->virt[class] += s->vmas[i].end - s->vmas[i].start;
		ret->phys[class] += u->rss;
		if (class == AREA_HUGETLB)
			ret->phys[class] += u->shared_hugetlb + u->private_hugetlb;
		if (class == AREA_LIB_TEXT) {
			ret->lib_single += usage_uss(u);
			ret->lib_multi += u->shared_clean + u->shared_dirty;
		}
	}
}

uint64_t area_rw(const uint64_t sum[AREA_CLASSES])
{
	return sum[AREA_STACK] + sum[AREA_DATA] + sum[AREA_HEAP] + sum[AREA_LIB_BSS] +
	       sum[AREA_LIB_DATA];
}

uint64_t area_rx(const uint64_t sum[AREA_CLASSES])
{
	return sum[AREA_TEXT] + sum[AREA_LIB_TEXT];
}
