/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forked.c - mms that no task has yet: those of children inside fork().
 *
 * copy_process() makes the mm of a child before the child is in any list. While dup_mmap() fills
 * it, the lock of the parent's mm is held for writing (kernel/fork.c, 4.4 .. 7.3), and where
 * memory is short that takes long. anon_vma_fork() has put each vma of the child into the trees of
 * the parent's anon_vmas before copy_page_range() maps pages in it: so the trees lead to the mm.
 * A mm without such a vma maps nothing that would have been copied (vma_needs_copy()).
 */
#include <inttypes.h>

#include "dumpread/base/hash.h"
#include "dumpread/base/issues.h"
#include "facts/layout/holder.h"
#include "facts/layout/mm.h"
#include "model/build.h"
#include "model/kernel/kobj.h"
#include "model/kernel/task/mmlocks.h"
#include "model/kernel/walk/rbtree.h"

#define NODES (UINT64_C(1) << 22)	/* of all trees that are looked at */

struct search {
	struct build *b;
	struct hash mms;		/* known, or found */
	struct hash trees;		/* anon_vmas that were walked */
	VEC(uint64_t) found;
	uint64_t left;			/* nodes */
};

static bool word_of(struct search *x, uint64_t object, enum layout_id id, uint64_t *ret)
{
	const struct kernel *k = x->b->k;

	return kernel_ptr_ok(k, object, k->dump->word_size) &&
	       !kmember_u64(k, x->b->r, object, id, ret);
}

/* The vma of an anon_vma_chain, and its mm. */
static bool visit(struct search *x, uint64_t chain)
{
	uint64_t vma, mm, users;

	if (!word_of(x, chain, M_AVC_VMA, &vma) || !word_of(x, vma, M_VMA_MM, &mm))
		return false;
	if (hash_get(&x->mms, mm) != HASH_NONE)
		return true;
	if (!word_of(x, mm, M_MM_USERS, &users))
		return false;
	hash_put(&x->mms, mm, 0);
	/* without users it is being taken down */
	if ((int32_t)users > 0)
		*vec_push(&x->b->scratch, &x->found) = mm;
	return true;
}

static bool walk(struct search *x, uint64_t anon_vma)
{
	uint32_t rb = layout_offset(&x->b->k->layout, M_AVC_RB);
	struct rbwalk w;
	uint64_t node;
	bool whole = true;

	if (!word_of(x, anon_vma, M_ANON_VMA_ROOT, &node))
		return false;
	w = rbwalk_start(x->b->k, x->b->r, node, x->left);
	while (whole && rbwalk_next(&w, &node))
		whole = visit(x, node - rb);
	x->left = w.budget;
	return whole && !w.st;
}

static bool look_at(struct search *x, const struct vma *v)
{
	if (!v->anon_vma || hash_get(&x->trees, v->anon_vma) != HASH_NONE)
		return true;
	hash_put(&x->trees, v->anon_vma, 0);
	return walk(x, v->anon_vma);
}

/* Could the mm of each task be read? */
static bool mms_are_all(const struct build *b)
{
	for (uint32_t i = 0; i < b->s->ntasks; i++)
		if (b->task_mm[i] && b->s->tasks[i].mm == NONE)
			return false;
	return true;
}

size_t build_find_forked(struct build *b, const struct vma *vmas, uint64_t **ret)
{
	struct search x = { .b = b, .left = NODES };
	const struct kernel *k = b->k;
	const struct snapshot *s = b->s;

	x.mms.mem = x.trees.mem = &b->scratch;
	if (k->dump->live || !mmlock_writers_known(k) || !has(k, M_ANON_VMA_ROOT) ||
	    !has(k, M_AVC_RB) || !has(k, M_AVC_VMA) || !has(k, M_RB_LEFT) || !has(k, M_RB_RIGHT))
		return 0;
	for (uint32_t i = 0; i < s->nmms; i++)
		hash_put(&x.mms, s->mms[i].addr, 0);
	b->s->forks_known = mms_are_all(b);
	for (uint32_t i = 0; i < s->nmms; i++) {
		const struct mm *m = &s->mms[i];
		bool whole = true;

		if (!m->users || !b->mm_written[i])
			continue;
		for (uint32_t v = 0; whole && v < m->nvmas; v++)
			whole = look_at(&x, &vmas[m->first_vma + v]);
		b->s->forks_known &= whole && !m->broken;
		if (!whole)
			issue_add(k->issues, ST_CORRUPT, "anon_vma", 1, "of mm %#" PRIx64, m->addr);
	}
	*ret = x.found.v;
	return x.found.n;
}
