/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freed_objects.c - the slab objects whose number is known from the walks of tasks and vmas, and
 * the inodes of directories of /proc/PID, which release_task() drops (proc_flush_pid(),
 * 7bc3e6e55acf, v5.7; kernels before that find them by name). Inodes of files in these
 * directories are not listed: that part stays a lower bound.
 *
 * Not every object that is freed gives memory back. Since v6.18 sheaves keep the first ones, of each
 * cache two of each CPU and ten of each node (__pcs_replace_full_main(), barn_replace_full_sheaf(),
 * mm/slub.c); of these caches all but that of vmas have sheaves since v7.0.
 */
#include "model/cause/freed/freed_objects.h"

#include <string.h>

#include "facts/layout/kmem.h"
#include "facts/layout/task.h"
#include "model/kernel/kobj.h"
#include "model/kernel/slab/slab.h"

/* Adds cache NAME to G, if there is one and the memory of its objects is known. */
static void group_add(struct object_group *g, const struct kernel *k, const struct slab_caches *sc,
		      const char *name)
{
	for (uint32_t i = 0; i < sc->n; i++) {
		const struct slab_cache *c = &sc->v[i];

		if (!c->name || strcmp(c->name, name) || !c->per_slab ||
		    c->per_slab == SLAB_UNKNOWN || c->order >= 20 || g->n == OBJECT_CACHES)
			continue;
		g->v[g->n++] = (struct object_cache){
			(UINT64_C(1) << (k->page_shift + c->order)) / c->per_slab,
			c->sheaf_room == SLAB_UNKNOWN ? 0 : c->sheaf_room,
			c->sheaf_room == SLAB_UNKNOWN,
		};
		return;
	}
}

uint64_t group_freed(const struct object_group *g, uint64_t n, bool *incomplete)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; n && i < g->n; i++) {
		sum += n > g->v[i].kept ? (n - g->v[i].kept) * g->v[i].bytes : 0;
		*incomplete = *incomplete || g->v[i].unknown;
	}
	return sum;
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
	group_add(&ret->task, k, &sc, "task_struct");
	group_add(&ret->task, k, &sc, "pid");
	if (has(k, M_TASK_STACK_VM))
		group_add(&ret->task, k, &sc, "vmap_area");
	group_add(&ret->vma, k, &sc, "vm_area_struct");
	group_add(&ret->inode, k, &sc, "proc_inode_cache");
	group_add(&ret->inode, k, &sc, "lsm_inode_cache");
	group_add(&ret->inode, k, &sc, "dentry");
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

uint64_t inodes_of_proc(const struct snapshot *s, struct reader *r, const struct object_costs *c,
			const struct proc *proc, bool *incomplete)
{
	uint64_t n = 0;

	if (r && has(s->k, M_PID_INODES) && has(s->k, M_TASK_THREAD_PID))
		for (uint32_t i = 0; i < proc->ntasks; i++)
			if (!inodes(s->k, r, s->tasks[proc->first_task + i].addr, c->ninodes, &n))
				*incomplete = true;
	return n;
}
