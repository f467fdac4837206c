/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mmlocks.c - struct rw_semaphore (kernel/locking/rwsem.c, read in 5.10, 6.1, 7.2).
 *
 * Since 94a9717b3c40 (v5.3) bit 0 of count says that a writer holds it, count from bit 8 on how
 * many readers do; owner is the task with flags in the low bits, of which bit 0 says that it is
 * a reader: the last that came.
 *
 * Before, count does not tell a writer from tasks that wait. But since 4fc828e24cd9 (v3.16) a writer
 * puts its task into owner and takes it out again, where CONFIG_RWSEM_SPIN_ON_OWNER is on; readers
 * leave owner 0, or set bit 0 of it since 19c5d690e416 (v4.8), and bit 1 too in 5.1 and 5.2.
 */
#include "model/kernel/task/mmlocks.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "facts/layout/stack.h"
#include "model/kernel/kobj.h"
#include "model/kernel/walk/list.h"

#define COUNT_WRITER 1u
#define COUNT_READER_SHIFT 8
#define OWNER_FLAGS 7u
#define OWNER_READER 1u

struct locks {
	const struct snapshot *s;
	struct reader *r;
	struct hash tasks;		/* task_struct -> index */
	enum mmlock *of;
};

static void set(struct locks *l, uint64_t task, enum mmlock what)
{
	uint32_t i = task ? hash_get(&l->tasks, task) : HASH_NONE;

	if (i != HASH_NONE)
		l->of[i] = what;
}

static void read_owner(struct locks *l, uint64_t lock)
{
	const struct kernel *k = l->s->k;
	uint64_t count, owner;

	if (kmember_u64(k, l->r, lock, M_RWSEM_COUNT, &count) ||
	    kmember_u64(k, l->r, lock, M_RWSEM_OWNER, &owner))
		return;
	if (count & COUNT_WRITER)
		set(l, owner & ~(uint64_t)OWNER_FLAGS, MMLOCK_WRITER);
	else if (count >> COUNT_READER_SHIFT && owner & OWNER_READER)
		set(l, owner & ~(uint64_t)OWNER_FLAGS, MMLOCK_READER);
}

static void read_waiters(struct locks *l, uint64_t lock)
{
	const struct kernel *k = l->s->k;
	int64_t write = layout_enum(&k->layout, E_RWSEM_FOR_WRITE, 0);
	struct listwalk w = listwalk_start(k, l->r,
					   lock + layout_offset(&k->layout, M_RWSEM_WAITERS),
					   l->s->ntasks);

	/* RHEL 7: struct slist_head, include/linux/rwsem.h of 3.10.0-1160 */
	w.next_only = k->layout.v[M_RWSEM_WAITERS].m.size == k->dump->word_size;
	while (listwalk_next(&w)) {
		uint64_t waiter = w.node - layout_offset(&k->layout, M_WAITER_LIST), task, type;

		if (!kmember_u64(k, l->r, waiter, M_WAITER_TASK, &task) &&
		    !kmember_u64(k, l->r, waiter, M_WAITER_TYPE, &type))
			set(l, task,
			    type == (uint64_t)write ? MMLOCK_WAITS_WRITE : MMLOCK_WAITS_READ);
	}
	if (w.st)
		issue_add(k->issues, w.st, "mmap_lock", 1, "waiters at %#" PRIx64, lock);
}

/* Has count the form that it has since v5.3? */
static bool mmlocks_counted(const struct kernel *k)
{
	static const struct era form = { V(5, 3), 0 };

	return in_era(k, form) && has(k, M_MM_LOCK) && has(k, M_RWSEM_COUNT);
}

bool mmlock_writers_known(const struct kernel *k)
{
	return mmlocks_counted(k) || (has(k, M_MM_LOCK) && has(k, M_RWSEM_OWNER));
}

bool mmlock_may_be_written(const struct kernel *k, struct reader *r, uint64_t mm)
{
	uint64_t word, lock = mm + layout_offset(&k->layout, M_MM_LOCK);

	if (!kernel_ptr_ok(k, lock, k->dump->word_size))
		return false;
	if (mmlocks_counted(k))
		return kmember_u64(k, r, lock, M_RWSEM_COUNT, &word) || word & COUNT_WRITER;
	return kmember_u64(k, r, lock, M_RWSEM_OWNER, &word) ||
	       (!(word & OWNER_FLAGS) && kernel_ptr_ok(k, word, k->dump->word_size));
}

/* Owner and count have this form in all kernels whose lock has this name: v5.8. */
enum mmlock *mmlocks_read(const struct snapshot *s, struct arena *mem)
{
	const struct kernel *k = s->k;
	struct locks l = { .s = s, .r = kernel_reader(k), .tasks.mem = mem };
	bool owners = mmlocks_counted(k) && has(k, M_RWSEM_OWNER);
	bool waiters = has(k, M_RWSEM_WAITERS) && has(k, M_WAITER_LIST) && has(k, M_WAITER_TASK) &&
		       has(k, M_WAITER_TYPE);

	if (!l.r || !has(k, M_MM_LOCK) || (!owners && !waiters)) {
		reader_free(l.r);
		return NULL;
	}
	l.of = arena_array(mem, enum mmlock, s->ntasks);
	for (uint32_t i = 0; i < s->ntasks; i++)
		hash_put(&l.tasks, s->tasks[i].addr, i);
	for (uint32_t i = 0; owners && i < s->nmms; i++)
		read_owner(&l, s->mms[i].addr + layout_offset(&k->layout, M_MM_LOCK));
	for (uint32_t i = 0; waiters && i < s->nmms; i++)
		read_waiters(&l, s->mms[i].addr + layout_offset(&k->layout, M_MM_LOCK));
	reader_free(l.r);
	return l.of;
}
