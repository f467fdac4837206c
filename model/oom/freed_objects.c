/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freed_objects.c - the slab objects whose number is known from the walks of tasks and vmas, and
 * the inodes of directories of /proc/PID, which release_task() drops (proc_flush_pid(),
 * 7bc3e6e55acf, v5.7; kernels before that find them by name). Inodes of files in these
 * directories are not listed: that part stays a lower bound.
 */
#include "model/oom/freed_objects.h"

#include <string.h>

#include "model/kmem/slab.h"
#include "model/kobj.h"

/* Memory of one object of cache NAME; 0: there is no such cache, or it is not known. */
static uint64_t cost(const struct kernel *k, const struct slab_caches *sc, const char *name)
{
	for (uint32_t i = 0; i < sc->n; i++) {
		const struct slab_cache *c = &sc->v[i];

		if (c->name && !strcmp(c->name, name) && c->per_slab &&
		    c->per_slab != SLAB_UNKNOWN && c->order < 20)
			return (UINT64_C(1) << (k->page_shift + c->order)) / c->per_slab;
	}
	return 0;
}

static uint64_t count(const struct slab_caches *sc, const char *name)
{
	for (uint32_t i = 0; i < sc->n; i++)
		if (sc->v[i].name && !strcmp(sc->v[i].name, name) &&
		    sc->v[i].objects != SLAB_UNKNOWN)
			return sc->v[i].objects;
	return 0;
}

void object_costs_read(const struct snapshot *s, struct arena *mem, struct object_costs *ret)
{
	const struct kernel *k = s->k;
	struct slab_caches sc;

	*ret = (struct object_costs){ 0 };
	if (slab_caches_build(s, mem, false, &sc))
		return;
	ret->task = cost(k, &sc, "task_struct") + cost(k, &sc, "pid");
	if (has(k, M_TASK_STACK_VM))
		ret->task += cost(k, &sc, "vmap_area");
	ret->vma = cost(k, &sc, "vm_area_struct");
	ret->inode = cost(k, &sc, "proc_inode_cache") + cost(k, &sc, "lsm_inode_cache") +
		     cost(k, &sc, "dentry");
	ret->ninodes = count(&sc, "proc_inode_cache");
}

/*
 * Inodes of /proc in the hlist of the struct pid of TASK, at most MAX. A node tells where the
 * pointer to it is (hlist_node.next, .pprev; include/linux/types.h), so that a list that runs in
 * circles or into another ends.
 */
static bool inodes(const struct kernel *k, struct reader *r, uint64_t task, uint64_t max,
		   uint64_t *n)
{
	uint64_t pid, node, from, back, word = k->dump->word_size;

	if (kmember_u64(k, r, task, M_TASK_THREAD_PID, &pid))
		return false;
	if (!pid)
		return true; /* it is reaped */
	from = pid + layout_offset(&k->layout, M_PID_INODES);
	for (;; from = node, ++*n) {
		if (read_kva_word(r, from, &node))
			return false;
		if (!node)
			return true;
		if (*n == max || read_kva_word(r, node + word, &back) || back != from)
			return false;
	}
}

uint64_t objects_of_proc(const struct snapshot *s, struct reader *r, const struct object_costs *c,
			 const struct proc *proc, bool *incomplete)
{
	uint64_t n = 0;

	if (r && has(s->k, M_PID_INODES) && has(s->k, M_TASK_THREAD_PID))
		for (uint32_t i = 0; i < proc->ntasks; i++)
			if (!inodes(s->k, r, s->tasks[proc->first_task + i].addr, c->ninodes, &n))
				*incomplete = true;
	return proc->ntasks * c->task + n * c->inode;
}
