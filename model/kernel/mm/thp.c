/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources: transparent_hugepage_active() of v5.0 ... v5.19, hugepage_vma_check() of v6.0 ...
 * v6.6, __thp_vma_allowable_orders() since (mm/huge_memory.c, include/linux/huge_mm.h),
 * shmem_huge_enabled(), shmem_is_huge() and shmem_allowable_huge_orders() (mm/shmem.c).
 */
#include "model/kernel/mm/thp.h"

#include <sys/stat.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/file.h"
#include "facts/layout/gate.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"

#define VM_DONTEXPAND 0x40000
#define VM_HUGEPAGE 0x20000000		/* MADV_HUGEPAGE */
#define VM_NOHUGEPAGE 0x40000000	/* MADV_NOHUGEPAGE */
/* a stack that execve() is still building: VM_STACK_INCOMPLETE_SETUP */
#define VM_SEQ_AND_RAND_READ (0x8000 | 0x10000)
#define VM_NO_KHUGEPAGED (VMA_IO | VM_DONTEXPAND | VMA_PFNMAP | VMA_MIXEDMAP | VMA_HUGETLB)
#define MMF_DISABLE_THP (UINT64_C(1) << 24)	/* prctl(PR_SET_THP_DISABLE) */
#define MMF_DISABLE_THP_EXCEPT_ADVISED (UINT64_C(1) << 23)	/* 9dc21bbd62ed (v6.18) */
#define S_DAX (1u << 13)		/* of inode.i_flags; else never set */
#define S_ANON_INODE (1u << 19)		/* v6.15 */
#define AS_FOLIO_ORDER_BITS 5		/* include/linux/pagemap.h */
#define MAX_XAS_ORDER 11		/* XA_CHUNK_SHIFT * 2 - 1 */

enum shmem_huge {	/* mm/shmem.c; the last two are only for shmem_enabled */
	SHMEM_NEVER, SHMEM_ALWAYS, SHMEM_WITHIN_SIZE, SHMEM_ADVISE,
	SHMEM_DENY = -1, SHMEM_FORCE = -2,
};

struct thp_file {		/* facts about a struct file */
	bool shmem, dax, regular, written, secret, nameless;
	bool huge_folios;	/* its page cache may hold folios of a huge page's size */
	unsigned mount;		/* enum shmem_huge of its file system */
	uint64_t pages;		/* i_size, rounded up */
};

static uint64_t var(const struct thp *t, enum layout_id symbol)
{
	uint64_t v = 0;

	if (has(t->s->k, symbol))
		kvar_u64(t->s->k, t->r, symbol, 0, &v);
	return v;
}

static void read_settings(struct thp *t)
{
	const struct kernel *k = t->s->k;
	uint64_t flags, shmem = 0;

	if (!has(k, Y_THP_FLAGS) || kvar_u64(k, t->r, Y_THP_FLAGS, 0, &flags))
		return;
	t->offered = !has(k, E_THP_UNSUPPORTED) ||
		     !(flags >> (layout_enum(&k->layout, E_THP_UNSUPPORTED, 0) & 63) & 1);
	t->always = has(k, E_THP_ALWAYS) &&
		    flags >> (layout_enum(&k->layout, E_THP_ALWAYS, 0) & 63) & 1;
	t->madvise = has(k, E_THP_MADVISE) &&
		     flags >> (layout_enum(&k->layout, E_THP_MADVISE, 0) & 63) & 1;
	if (has(k, Y_SHMEM_HUGE) && !kvar_u64(k, t->r, Y_SHMEM_HUGE, 4, &shmem))
		t->shmem = (int32_t)(uint32_t)shmem;
	t->sized = has(k, Y_ANON_ORDERS_ALWAYS);
	t->anon = (struct thp_orders){ var(t, Y_ANON_ORDERS_ALWAYS), var(t, Y_ANON_ORDERS_MADVISE),
				       var(t, Y_ANON_ORDERS_INHERIT), 0 };
	t->anon_shmem = (struct thp_orders){ var(t, Y_SHMEM_ORDERS_ALWAYS),
					     var(t, Y_SHMEM_ORDERS_MADVISE),
					     var(t, Y_SHMEM_ORDERS_INHERIT),
					     var(t, Y_SHMEM_ORDERS_WITHIN_SIZE) };
}

void thp_init(struct thp *t, const struct snapshot *s, struct reader *r, struct arena *mem)
{
	const struct kernel *k = s->k;

	*t = (struct thp){ .s = s, .r = r };
	t->by_file.mem = t->huge_fault.mem = mem;
	if (!r || !k->paging || k->paging->nlevels < 2)
		return;
	t->pmd_order = paging_shift(k->paging, 1) - k->page_shift;
	t->cache_order = t->pmd_order < MAX_XAS_ORDER ? t->pmd_order : MAX_XAS_ORDER;
	read_settings(t);
}

/* ---- facts about files --------------------------------------------------------------- */

static uint64_t member(const struct thp *t, uint64_t addr, enum layout_id id)
{
	uint64_t v = 0;

	if (addr && has(t->s->k, id))
		kmember_u64(t->s->k, t->r, addr, id, &v);
	return v;
}

static bool huge_folios(const struct thp *t, uint64_t mapping)
{
	const struct layout *l = &t->s->k->layout;
	uint64_t flags = member(t, mapping, M_MAPPING_FLAGS),
		 mask = (1u << AS_FOLIO_ORDER_BITS) - 1;

	if (!has(t->s->k, E_FOLIO_ORDER_MIN) || !has(t->s->k, E_FOLIO_ORDER_MAX))
		return false;
	return (flags >> layout_enum(l, E_FOLIO_ORDER_MIN, 0) & mask) <= t->pmd_order &&
	       (flags >> layout_enum(l, E_FOLIO_ORDER_MAX, 0) & mask) >= t->pmd_order;
}

static void read_file(const struct thp *t, uint64_t addr, struct thp_file *f)
{
	const struct kernel *k = t->s->k;
	uint64_t inode = member(t, addr, M_FILE_INODE), mapping = member(t, addr, M_FILE_MAPPING);
	uint64_t aops = member(t, mapping, M_MAPPING_AOPS), size = member(t, inode, M_INODE_SIZE);
	uint64_t host = member(t, mapping, M_MAPPING_HOST);

	if (!inode)
		inode = member(t, member(t, addr, M_FILE_DENTRY), M_DENTRY_INODE);
	f->shmem = has(k, Y_SHMEM_AOPS) && aops == layout_symbol(&k->layout, Y_SHMEM_AOPS);
	f->secret = has(k, Y_SECRETMEM_AOPS) && aops == layout_symbol(&k->layout, Y_SECRETMEM_AOPS);
	f->dax = member(t, host, M_INODE_FLAGS) & S_DAX;
	f->nameless = member(t, inode, M_INODE_FLAGS) & S_ANON_INODE;
	f->regular = S_ISREG(member(t, inode, M_INODE_MODE));
	f->written = (int32_t)member(t, inode, M_INODE_WRITECOUNT) > 0;
	f->huge_folios = huge_folios(t, mapping);
	f->pages = (size >> k->page_shift) + !!(size & ((1u << k->page_shift) - 1));
	if (f->shmem)
		f->mount = (unsigned)member(t,
					    member(t, member(t, inode, M_INODE_SB), M_SB_FS_INFO),
					    M_SHMEM_SB_HUGE);
}

/* For the vma's struct file; valid until the next call. */
static const struct thp_file *file_of(struct thp *t, const struct vma *v)
{
	static const struct thp_file none;
	uint32_t i;

	if (!v->file_addr)
		return &none;
	i = hash_get(&t->by_file, v->file_addr);
	if (i == HASH_NONE) {
		i = (uint32_t)t->files.n;
		hash_put(&t->by_file, v->file_addr, i);
		read_file(t, v->file_addr, vec_push(t->by_file.mem, &t->files));
	}
	return &t->files.v[i];
}

static bool has_huge_fault(struct thp *t, const struct vma *v)
{
	uint32_t known = hash_get(&t->huge_fault, v->ops);

	if (known == HASH_NONE) {
		known = member(t, v->ops, M_VMOPS_HUGE_FAULT) != 0;
		hash_put(&t->huge_fault, v->ops, known);
	}
	return known;
}

static bool ops_are(const struct thp *t, const struct vma *v, enum layout_id symbol)
{
	return has(t->s->k, symbol) && v->ops == layout_symbol(&t->s->k->layout, symbol);
}

/* ---- sizes ----------------------------------------------------------------------------- */

/*
 * transhuge_vma_suitable() of v5.3 to v6.6, thp_vma_suitable_order(): the last huge page
 * before the end, in the kernel's unsigned long. If the vma ends below the size of one,
 * the difference wraps, and the page fits.
 */
static bool suits(const struct thp *t, const struct vma *v, unsigned order)
{
	unsigned shift = t->s->k->page_shift;
	uint64_t word = t->s->k->dump->word_size == 4 ? UINT32_MAX : UINT64_MAX;
	uint64_t size, last, mask = (UINT64_C(1) << order) - 1;

	/* a damaged setting has orders that no address space has */
	if (order + shift >= 8 * sizeof(size))
		return false;
	size = UINT64_C(1) << (order + shift);
	last = ((v->end & -size) - size) & word;
	if (v->ops && ((v->start >> shift) - v->pgoff) & mask)
		return false;
	return last >= v->start && ((last + size) & word) <= v->end;
}

/* The orders in ORDERS up to the largest that has room. */
static uint64_t suitable(const struct thp *t, const struct vma *v, uint64_t orders)
{
	for (unsigned order = 63; order > 0; order--)
		if (orders >> order & 1 && suits(t, v, order))
			return orders & ((UINT64_C(2) << order) - 1);
	return 0;
}

static uint64_t orders_to(unsigned order, unsigned from)
{
	return ((UINT64_C(2) << order) - 1) & -(UINT64_C(1) << from);
}

/* ---- shared memory ------------------------------------------------------------------------ */

static bool within(const struct thp *t, const struct thp_file *f, uint64_t pgoff, unsigned order)
{
	uint64_t n = UINT64_C(1) << order;

	if (kernel_rule(t->s->k, RULE_THP_WITHIN_NEXT))
		pgoff++;
	else if (f->pages < n)
		return false;
	return f->pages >= (pgoff + n - 1) / n * n;
}

/* The orders in ORDERS up to the largest that ends within the file. */
static uint64_t orders_within(const struct thp *t, const struct thp_file *f, uint64_t pgoff,
			      uint64_t orders)
{
	for (unsigned order = 63; order > 0; order--)
		if (orders >> order & 1 && within(t, f, pgoff, order))
			return orders & ((UINT64_C(2) << order) - 1);
	return 0;
}

/* The setting of the mount's huge= and shmem_enabled, for a whole file system. */
static uint64_t mount_orders(const struct thp *t, const struct vma *v, const struct thp_file *f)
{
	uint64_t huge = UINT64_C(1) << t->pmd_order, all, n = 0;

	all = kernel_rule(t->s->k, RULE_THP_TMPFS_ORDERS) ? orders_to(t->cache_order, 1) : huge;
	if (!f->regular || t->shmem == SHMEM_DENY)
		return 0;
	if (t->shmem == SHMEM_FORCE)
		return huge;
	if (f->mount == SHMEM_ALWAYS)
		return all;
	if (f->mount == SHMEM_WITHIN_SIZE)
		n = orders_within(t, f, v->pgoff, all);
	if (!n && (f->mount == SHMEM_WITHIN_SIZE || f->mount == SHMEM_ADVISE) &&
	    v->flags & VM_HUGEPAGE)
		n = all;
	return n;
}

static uint64_t shmem_orders(const struct thp *t, const struct vma *v, const struct thp_file *f)
{
	const struct thp_orders *o = &t->anon_shmem;
	uint64_t of_mount = mount_orders(t, v, f), n;

	if (!has(t->s->k, Y_SHMEM_ORDERS_ALWAYS) || !ops_are(t, v, Y_SHMEM_ANON_OPS))
		return of_mount;
	if (t->shmem == SHMEM_DENY)
		return 0;
	if (t->shmem == SHMEM_FORCE)
		return o->inherit;
	n = o->always | orders_within(t, f, v->pgoff, o->within_size);
	if (v->flags & VM_HUGEPAGE)
		n |= o->madvise;
	if (of_mount)
		n |= o->inherit;
	return n & orders_to(t->cache_order, 1);
}

/* ---- the decision -------------------------------------------------------------------------- */

static bool disabled(const struct thp *t, const struct vma *v)
{
	uint64_t flags = t->s->mms[v->mm].flags;

	if (v->flags & VM_NOHUGEPAGE || flags & MMF_DISABLE_THP)
		return true;
	return kernel_rule(t->s->k, RULE_THP_EXCEPT_ADVISED) && !(v->flags & VM_HUGEPAGE) &&
	       flags & MMF_DISABLE_THP_EXCEPT_ADVISED;
}

static bool being_made(const struct vma *v)
{
	return v->flags & VMA_GROWSDOWN &&
	       (v->flags & VM_SEQ_AND_RAND_READ) == VM_SEQ_AND_RAND_READ;
}

static bool asked_for(const struct thp *t, const struct vma *v)
{
	return t->always || (t->madvise && v->flags & VM_HUGEPAGE);
}

static bool file_allows(const struct thp *t, const struct vma *v, const struct thp_file *f)
{
	const struct kernel *k = t->s->k;

	if (kernel_rule(k, RULE_THP_FILE_FOLIOS))
		return v->file_addr && !f->nameless && f->huge_folios && f->regular;
	/* CONFIG_READ_ONLY_THP_FOR_FS: then files count such pages */
	if (!has(k, M_MAPPING_NR_THPS) || !v->file_addr || f->written)
		return false;
	if (kernel_rule(k, RULE_THP_EXEC) && !(v->flags & VMA_EXEC))
		return false;
	return !kernel_rule(k, RULE_THP_ONE_CHECK) || (f->regular && !f->secret);
}

/* Before v6.0: a separate check for each kind of vma. */
static bool by_kind(struct thp *t, const struct vma *v)
{
	const struct kernel *k = t->s->k;
	bool sized = kernel_rule(k, RULE_THP_SIZE), anon;

	if ((sized && !suits(t, v, t->pmd_order)) || disabled(t, v))
		return false;
	anon = t->offered && !being_made(v) && asked_for(t, v);
	if (!v->ops)
		return anon;
	if (ops_are(t, v, Y_SHMEM_VM_OPS))
		return mount_orders(t, v, file_of(t, v)) && (sized || anon);
	return has(k, Y_THP_ACTIVE) && file_allows(t, v, file_of(t, v));
}

static uint64_t anon_orders(const struct thp *t, const struct vma *v)
{
	uint64_t n = t->anon.always;

	if (!t->sized)
		return asked_for(t, v) ? UINT64_C(1) << t->pmd_order : 0;
	if (v->flags & VM_HUGEPAGE)
		n |= t->anon.madvise;
	if (asked_for(t, v))
		n |= t->anon.inherit;
	return n & orders_to(t->pmd_order, 2);
}

/* Since v6.0: one check for all. */
static bool by_orders(struct thp *t, const struct vma *v)
{
	const struct kernel *k = t->s->k;
	const struct thp_file *f = file_of(t, v);
	bool special = v->flags & (VMA_PFNMAP | VMA_MIXEDMAP);
	uint64_t orders = UINT64_C(1) << t->pmd_order;

	if (!v->ops)
		orders = anon_orders(t, v);
	else if (has(k, Y_SHMEM_ORDERS_ALWAYS) && !special)
		orders = orders_to(t->cache_order, 1);
	if (!t->offered || disabled(t, v) || f->dax ||
	    (kernel_rule(k, RULE_THP_NOT_SPECIAL) && v->flags & VM_NO_KHUGEPAGED))
		return false;
	orders = suitable(t, v, orders);
	if (!orders)
		return false;
	if (f->shmem)
		return shmem_orders(t, v, f) &
		       (kernel_rule(k, RULE_THP_SHMEM_FITS) ? orders : UINT64_MAX);
	if (!v->ops)
		return !being_made(v);
	if (kernel_rule(k, RULE_THP_NOT_SPECIAL))
		return asked_for(t, v) && file_allows(t, v, f);
	if (has_huge_fault(t, v))
		return asked_for(t, v) || v->flags & VMA_PFNMAP;
	return asked_for(t, v) && file_allows(t, v, f);
}

bool thp_eligible(struct thp *t, const struct vma *v)
{
	if (!t->r || !t->pmd_order || !has(t->s->k, Y_THP_FLAGS) || v->mm >= t->s->nmms)
		return false;
	return kernel_rule(t->s->k, RULE_THP_ONE_CHECK) ? by_orders(t, v) : by_kind(t, v);
}
