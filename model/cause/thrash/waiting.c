/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waiting.c - stacks put into words. */
#include "model/cause/thrash/waiting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "facts/layout/pressure.h"
#include "model/kernel/kobj.h"

#define STACK_TEXT_MAX 8192u
#define PF_MEMSTALL 0x01000000u	/* 4.20 to 5.9 */

/* Functions that tell what a task waits for, the most telling first. */
static const struct telling {
	const char *name;
	enum wait_for why;
} signs[] = {
	{ "out_of_memory", WAIT_OOM },
	{ "mem_cgroup_oom_synchronize", WAIT_OOM },
	{ "mem_cgroup_out_of_memory", WAIT_OOM },
	{ "try_to_free_mem_cgroup_pages", WAIT_MEMCG },
	{ "mem_cgroup_handle_over_high", WAIT_MEMCG },
	{ "__mem_cgroup_handle_over_high", WAIT_MEMCG },
	{ "try_to_free_pages", WAIT_RECLAIM },
	{ "throttle_direct_reclaim", WAIT_RECLAIM },
	{ "reclaim_throttle", WAIT_RECLAIM },
	{ "balance_pgdat", WAIT_RECLAIM },
	{ "shrink_node", WAIT_RECLAIM },
	{ "try_to_compact_pages", WAIT_COMPACTION },
	{ "do_swap_page", WAIT_SWAP },
	{ "shmem_swapin_folio", WAIT_SWAP },
	{ "shmem_swapin_page", WAIT_SWAP },
	{ "filemap_fault", WAIT_FILE },
};

static const char *const lock_signs[] = {
	"rwsem_down_read_slowpath", "rwsem_down_write_slowpath", "rwsem_down_read_failed",
	"rwsem_down_write_failed",
};

/* psi_memstall_enter() marks the task: with a flag until v5.10. */
int task_is_stalled(const struct kernel *k, struct reader *r, const struct task *t)
{
	static const struct era flag = { V(4, 20), V(5, 10) };
	uint64_t v;

	if (has(k, M_TASK_MEMSTALL))
		return !r || kmember_u64(k, r, t->addr, M_TASK_MEMSTALL, &v) ? -1 : v != 0;
	return in_era(k, flag) && has(k, Y_PSI_SYSTEM) ? (t->flags & PF_MEMSTALL) != 0 : -1;
}

/* The name, or a part of it that the compiler made (NAME.isra.0, NAME.part.0, NAME.cold). */
static bool is_function(const char *name, const char *of)
{
	size_t n = strlen(of);

	return !strncmp(name, of, n) && (!name[n] || name[n] == '.');
}

static void take_signs(struct waiting *w, const char *name, size_t *best)
{
	for (size_t i = 0; i < *best; i++)
		if (is_function(name, signs[i].name)) {
			w->why = signs[i].why;
			*best = i;
		}
}

static size_t put_frame(char *buf, size_t n, size_t size, const struct kframe *f,
			const struct ksym *s)
{
	const char *between = n ? " < " : "";
	int len;

	if (!s->name)
		len = snprintf(buf + n, size - n, "%s%s%#" PRIx64, between, f->guessed ? "? " : "",
			       f->addr);
	else
		len = snprintf(buf + n, size - n, "%s%s%s+%#" PRIx64 "/%#" PRIx64 "%s%s%s", between,
			       f->guessed ? "? " : "", s->name, s->offset, s->size,
			       s->module ? " [" : "", s->module ? s->module : "",
			       s->module ? "]" : "");
	return len > 0 ? min_u64(n + (size_t)len, size - 1) : n;
}

/* Texts of stacks: many tasks have the same. */
struct texts_kept {
	struct hash at;			/* key -> index */
	VEC(const char *) text;
	struct arena *mem;
};

static const char *keep_text(struct texts_kept *t, uint64_t key, const char *text)
{
	uint32_t i = hash_get(&t->at, key);

	if (i != HASH_NONE)
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): I is one of text */
		return t->text.v[i];
	hash_put(&t->at, key, (uint32_t)t->text.n);
	return *vec_push(t->mem, &t->text) = arena_strdup(t->mem, text);
}

/* Guessed frames may be of calls that ended: they tell nothing. */
static void describe(struct kstacks *ks, const struct kstack *st, struct texts_kept *texts,
		     struct waiting *w)
{
	char buf[STACK_TEXT_MAX] = "";
	size_t n = 0, best = ARRAY_LEN(signs);
	bool lock = false;

	w->state = st->state;
	w->nframes = st->n;
	w->why = st->n && !st->f[0].guessed ? WAIT_NOTHING_OF_MEMORY : WAIT_UNKNOWN;
	for (unsigned i = 0; i < st->n; i++) {
		const struct kframe *f = &st->f[i];
		struct ksym s = kstacks_symbol(ks, f);

		for (size_t j = 0; s.name && !f->guessed && j < ARRAY_LEN(lock_signs); j++)
			lock |= is_function(s.name, lock_signs[j]);
		/* of PowerPC it is not among the functions of the scheduler */
		if (kstacks_is_sched(ks, f->addr) || (s.name && is_function(s.name, "__switch_to")))
			continue;
		if (!w->function && s.name && !f->guessed)
			w->function = s.name;
		if (s.name && !f->guessed)
			take_signs(w, s.name, &best);
		n = put_frame(buf, n, sizeof(buf), f, &s);
		w->key = (w->key ^ f->addr) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	}
	if (w->function)
		w->function = arena_strdup(texts->mem, w->function);
	if (lock && w->lock >= MMLOCK_WAITS_WRITE)
		w->why = WAIT_MMAP_LOCK;
	if (n)
		w->stack = keep_text(texts, w->key, buf);
}

enum status waiting_read(const struct snapshot *s, struct arena *mem, struct waiting **ret)
{
	struct kstacks *ks = kstacks_open(s);
	struct waiting *v;
	enum mmlock *locks;
	struct reader *r;
	struct texts_kept texts = { .at.mem = mem, .mem = mem };
	uint64_t unread = 0;

	*ret = NULL;
	if (!ks)
		return ST_ABSENT;
	r = kernel_reader(s->k);
	v = arena_array(mem, struct waiting, s->ntasks);
	locks = mmlocks_read(s, mem);
	for (uint32_t i = 0; i < s->ntasks; i++) {
		struct kstack st;

		v[i].lock = locks ? locks[i] : MMLOCK_NONE;
		v[i].stalled = task_is_stalled(s->k, r, &s->tasks[i]);
		kstacks_read(ks, &s->tasks[i], &st);
		describe(ks, &st, &texts, &v[i]);
		unread += st.state == KSTACK_UNREAD;
	}
	if (unread)
		issue_add(s->k->issues, ST_NODATA, "kernel stack", unread, "of tasks");
	reader_free(r);
	kstacks_close(ks);
	*ret = v;
	return ST_OK;
}
