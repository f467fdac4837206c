/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freed.c - a page is freed when its last mapping goes: when as many mappings were met in the
 * killed processes as the kernel counts in all.
 */
#include "model/cause/freed/freed.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "model/cause/freed/freed_objects.h"
#include "model/cause/freed/freed_percpu.h"
#include "model/kernel/file/shm.h"
#include "model/kernel/stack/stacks.h"
#include "model/memory/census/cached.h"
#include "model/memory/owners/owners.h"
#include "model/memory/trust/incomplete.h"
#include "model/memory/usage/account.h"
#include "model/memory/usage/residency.h"

/* Who uses an object of shared memory, or a file. */
struct object_user {
	uint32_t at, user;	/* index in objects; in mms if it maps, else in procs */
	bool maps;
};

struct freer {
	const struct snapshot *s;
	const struct owners *owners;
	const struct freed_range *ranges;
	uint32_t nranges;
	struct arena *mem;
	struct reader *r;
	const struct shm *shm;
	const struct cached *cached;	/* may be NULL */
	uint32_t *file, nfiles;		/* of cached: files that end with their last user */
	uint32_t nobjects;		/* those of shm, then files */
	VEC(struct object_user) users;	/* by object */
	uint32_t *first_user;		/* [nobjects + 1] */
	uint32_t *used, nused;		/* objects that have users */
	uint64_t stack;			/* bytes of one */
	struct object_costs cost;
	struct percpu_costs percpu;
	uint8_t *proc, *mm;		/* [nprocs], [nmms]: killed */
	uint64_t left;			/* pages that may still be visited for this question */
};

/* ---- users of shared memory ------------------------------------------------------------------ */

static void note_user(void *arg, uint32_t at, uint32_t user, bool maps)
{
	struct freer *f = arg;

	*vec_push(f->mem, &f->users) = (struct object_user){ at, user, maps };
}

/* A counting sort: users are noted by mm, then by process. */
static void sort_users(struct freer *f)
{
	struct object_user *v = arena_array(f->mem, struct object_user, f->users.n);
	uint32_t *next = arena_array(f->mem, uint32_t, f->nobjects + 1);

	f->first_user = arena_array(f->mem, uint32_t, f->nobjects + 1);
	for (size_t i = 0; i < f->users.n; i++)
		f->first_user[f->users.v[i].at + 1]++;
	for (uint32_t i = 0; i < f->nobjects; i++)
		f->first_user[i + 1] += f->first_user[i];
	memcpy(next, f->first_user, (f->nobjects + 1) * sizeof(*next));
	for (size_t i = 0; i < f->users.n; i++)
		v[next[f->users.v[i].at]++] = f->users.v[i];
	f->users.v = v;
	f->used = arena_array(f->mem, uint32_t, f->nobjects);
	for (uint32_t i = 0; i < f->nobjects; i++)
		if (f->first_user[i] < f->first_user[i + 1])
			f->used[f->nused++] = i;
}

/*
 * A deleted file is truncated when its last user is gone (iput_final(), evict(), fs/inode.c), and so is
 * secret memory, which never has a name.
 */
static bool ends_with_users(const struct cached_file *c)
{
	if (!c->inode || c->lost)
		return false;
	return c->owner->kind == CACHE_SECRETMEM || (c->owner->kind == CACHE_FILE && c->unlinked);
}

static void find_files(struct freer *f)
{
	uint32_t n = f->cached ? f->cached->n : 0;

	f->file = arena_array(f->mem, uint32_t, n);
	for (uint32_t i = 0; i < n; i++)
		if (ends_with_users(&f->cached->v[i]))
			f->file[f->nfiles++] = i;
}

struct freer *freer_new(const struct snapshot *s, const struct owners *owners,
			const struct cached *cached, const struct freed_range *ranges, uint32_t n,
			struct arena *mem)
{
	struct freer *f = heap_array(struct freer, 1);
	struct hash by_inode = { .mem = mem };

	*f = (struct freer){ .s = s,
			     .owners = owners,
			     .cached = cached,
			     .ranges = ranges,
			     .nranges = n,
			     .mem = mem };
	f->r = kernel_reader(s->k);
	f->stack = f->r ? stack_size(&s->k->layout) : 0;
	object_costs_read(s, mem, &f->cost);
	percpu_costs_read(s, mem, &f->percpu);
	f->proc = arena_array(mem, uint8_t, s->nprocs);
	f->mm = arena_array(mem, uint8_t, s->nmms);
	f->shm = shm_of(s);
	for (uint32_t i = 0; i < f->shm->n; i++)
		if (f->shm->v[i].inode)
			hash_put(&by_inode, f->shm->v[i].inode, i);
	find_files(f);
	for (uint32_t i = 0; i < f->nfiles; i++)
		hash_put(&by_inode, cached->v[f->file[i]].inode, f->shm->n + i);
	f->nobjects = f->shm->n + f->nfiles;
	inode_users_each(s, f->r, &by_inode, f->nobjects, mem, note_user, f);
	sort_users(f);
	return f;
}

void freer_free(struct freer *f)
{
	reader_free(f->r);
	free(f);
}

/* ---- pages ----------------------------------------------------------------------------------- */

struct pages {
	struct freer *f;
	struct freed *ret;
	const struct vma *v;
	bool reaped;			/* the reaper unmaps this vma */
	struct residency met;		/* mappings met of pages that have several */
};

static bool is_usable(const struct freer *f, uint64_t pfn)
{
	bool in = !f->nranges;

	for (uint32_t i = 0; i < f->nranges && !in; i++)
		in = pfn >= f->ranges[i].pfn && pfn < f->ranges[i].end;
	return in;
}

/* Was this the last mapping of the frame at PFN? */
static bool was_last(struct pages *x, const struct frame *fr, uint64_t pfn)
{
	const uint8_t *met;

	if (x->f->s->frames.average && fr->flags & (FR_HEAD | FR_TAIL))
		return !(fr->flags & FR_SHARED_FOLIO);
	if (fr->mapcount <= 1)
		return fr->mapcount == 1;
	if (fr->mapcount >= UINT8_MAX)
		return false;
	residency_add(&x->met, pfn, 1);
	met = residency_chunk(&x->met, pfn / RESIDENCY_CHUNK);
	return met && met[pfn % RESIDENCY_CHUNK] == fr->mapcount;
}

static void one_page(struct pages *x, uint64_t pfn)
{
	const struct frame *fr = frame_at(&x->f->s->frames, pfn);
	uint64_t size = UINT64_C(1) << x->f->s->k->page_shift;

	if (!fr || !(fr->flags & FR_EXISTS) || !(fr->flags & FR_ANON) || !was_last(x, fr, pfn))
		return;
	x->ret->anon += size;
	if (x->reaped)
		x->ret->reaped += size;
	if (is_usable(x->f, pfn))
		x->ret->usable += size;
}

static bool leaf(void *arg, const struct vma_page *p)
{
	struct pages *x = arg;
	uint64_t first, end;

	if (p->pte.kind != PTE_PAGE || p->pte.flags & PTE_SPECIAL)
		return true;
	vma_page_clip(x->f->s, x->v, p, &first, &end);
	if (end - first > x->f->left) {
		x->ret->incomplete = true;
		return false;
	}
	x->f->left -= end - first;
	for (uint64_t i = first; i < end; i++)
		one_page(x, p->pfn + i);
	return true;
}

/* __oom_reap_task_mm(); before aac453635549 (v4.6) nothing is reaped. */
static bool is_reaped(const struct kernel *k, const struct vma *v)
{
	if (!kernel_rule(k, RULE_OOM_SKIP) || v->flags & (VMA_HUGETLB | VMA_PFNMAP))
		return false;
	if (v->flags & VMA_LOCKED && !kernel_rule(k, RULE_OOM_REAP_LOCKED))
		return false;
	return !v->ops || !(v->flags & VMA_SHARED);
}

static void pages_of_mm(struct pages *x, const struct mm *m)
{
	const struct snapshot *s = x->f->s;

	x->ret->incomplete = x->ret->incomplete || mm_incomplete(s, m);
	for (uint32_t i = 0; i < m->nvmas; i++) {
		const struct vma *v = &s->vmas[m->first_vma + i];

		x->ret->swap += v->usage.swap_uss;
		x->ret->never += v->usage.private_hugetlb + v->usage.shared_hugetlb;
		if (v->flags & VMA_HUGETLB || (!v->usage.rss_anon && !v->usage.hidden_anon))
			continue;
		x->v = v;
		x->reaped = is_reaped(s->k, v);
		vma_walk(s, x->f->r, v, leaf, x);
	}
	x->ret->tables += m->pgtables_bytes + (UINT64_C(1) << s->k->page_shift); /* and the root */
}

/* ---- what they hold ----------------------------------------------------------------------------- */

/* Are all users of object AT killed? */
static bool object_dies(const struct freer *f, uint32_t at)
{
	for (uint32_t i = f->first_user[at]; i < f->first_user[at + 1]; i++) {
		const struct object_user *u = &f->users.v[i];

		if (!(u->maps ? f->mm[u->user] : f->proc[u->user]))
			return false;
	}
	return true;
}

static uint64_t in_bytes(const struct freer *f, uint64_t pages)
{
	return pages >> 40 ? 0 : pages << f->s->k->page_shift;
}

static void one_object(const struct freer *f, const struct shm_object *o, struct freed *ret)
{
	uint64_t bytes = o->kind == SHM_HUGETLB ? 0 : in_bytes(f, o->resident);

	/* a segment of SysV stays until somebody removes it */
	if (o->unlinked && !o->segment)
		ret->shmem += bytes;
	else
		ret->never += bytes;
}

static void objects(struct freer *f, struct freed *ret)
{
	for (uint32_t i = 0; i < f->nused; i++) {
		uint32_t at = f->used[i];

		if (!object_dies(f, at))
			continue;
		if (at < f->shm->n)
			one_object(f, &f->shm->v[at], ret);
		else
			ret->cache +=
				in_bytes(f,
					 f->cached->v[f->file[at - f->shm->n]].owner->count.pages);
	}
}

static void descriptors(struct freer *f, struct freed *ret)
{
	uint64_t percpu = 0;

	for (uint32_t i = 0; f->owners && i < f->owners->n; i++) {
		const struct owner *o = &f->owners->v[i];
		bool all = o->nholders && !o->kernel;

		for (uint32_t j = 0; all && j < o->nholders; j++)
			all = f->proc[f->owners->holder[o->first_holder + j]];
		if (!all || o->size >> 48)
			continue;
		*(o->class == CLASS_PERCPU ? &percpu : &ret->descriptors) += o->size;
		ret->incomplete = ret->incomplete || o->incomplete;
	}
	ret->descriptors += percpu_freed(&f->percpu, percpu);
}

/* Marks PROCS and all that share an mm with them. */
static void mark(struct freer *f, const uint32_t *procs, uint32_t n)
{
	const struct snapshot *s = f->s;

	memset(f->proc, 0, s->nprocs);
	memset(f->mm, 0, s->nmms);
	for (uint32_t i = 0; i < n; i++) {
		f->proc[procs[i]] = 1;
		if (s->procs[procs[i]].mm < s->nmms)
			f->mm[s->procs[procs[i]].mm] = 1;
	}
	for (uint32_t i = 0; i < s->nprocs; i++)
		if (s->procs[i].mm < s->nmms && f->mm[s->procs[i].mm])
			f->proc[i] = 1;
}

void freed_by(struct freer *f, const uint32_t *procs, uint32_t n, struct freed *ret)
{
	const struct snapshot *s = f->s;
	struct arena scratch = { 0 };
	struct pages x = { .f = f, .ret = ret };
	uint64_t vmas = 0, tasks = 0, inodes = 0;

	memset(ret, 0, sizeof(*ret));
	mark(f, procs, n);
	f->left = account_pages_max(s);
	residency_init(&x.met, s, &scratch);
	for (uint32_t i = 0; i < s->nmms; i++) {
		if (!f->mm[i])
			continue;
		pages_of_mm(&x, &s->mms[i]);
		vmas += s->mms[i].nvmas;
	}
	for (uint32_t i = 0; i < s->nprocs; i++) {
		if (!f->proc[i])
			continue;
		ret->stacks += s->procs[i].ntasks * f->stack;
		tasks += s->procs[i].ntasks;
		inodes += inodes_of_proc(s, f->r, &f->cost, &s->procs[i], &ret->incomplete);
		ret->incomplete = ret->incomplete || proc_incomplete(s, &s->procs[i]);
	}
	ret->objects = group_freed(&f->cost.task, tasks, &ret->incomplete) +
		       group_freed(&f->cost.vma, vmas, &ret->incomplete) +
		       group_freed(&f->cost.inode, inodes, &ret->incomplete);
	objects(f, ret);
	descriptors(f, ret);
	ret->incomplete = ret->incomplete || x.met.full || !f->shm->whole;
	ret->exit = ret->anon + ret->tables + ret->stacks + ret->objects + ret->shmem + ret->cache +
		    ret->descriptors;
	arena_release(&scratch);
}
