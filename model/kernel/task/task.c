/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One task_struct: its numbers, in the same units for all kernels.
 */
#include "facts/layout/task.h"
#include "model/kernel/task/tasks.h"

#include <string.h>

#define TICK_MAX 100000000u	/* HZ is 24 at least (Alpha, simulators) */

/*
 * The letter of /proc/PID/stat (fs/proc/array.c, task_state_array): the highest
 * bit of state | exit_state among TASK_REPORT, which has not TASK_DEAD (0x40 to 4.13).
 * 0x402 is an idle kernel thread; RTLOCK_WAIT (0x1000) and FROZEN (0x8000) are shown as D.
 * To 4.13 parked (0x200) is shown as S (read: 4.4, 4.9, RHEL 7; 3.10 says R).
 */
static char state_letter(const struct kernel *k, uint64_t state, uint64_t exit_state)
{
	/* 2.4: zombies have a state of their own, and there is no exit_state */
	static const char letters_2_4[] = "RSDZTW";
	static const char zombie_first[] = "RSDTtZX", dead_first[] = "RSDTtXZP";
	bool old = !has(k, M_TASK_EXIT_STATE), now = kernel_rule(k, RULE_STATE_PARKED);
	uint64_t v = (state | exit_state) & (old ? 0x1f : now ? 0x7f : 0x3f);
	unsigned i = 0;

	if (now && (state & 0x402) == 0x402 && !exit_state)
		return 'I';
	if (now && state & (0x1000 | 0x8000) && !v)
		return 'D';
	if (!now && !old && state == 0x200 && !exit_state)
		return 'S';
	for (; v; v >>= 1)
		i++;
	if (old)
		return letters_2_4[i];
	if (i == 4 && !kernel_rule(k, RULE_STATE_TRACED))
		return 'T';
	return kernel_rule(k, RULE_STATE_DEAD_FIRST) ? dead_first[i] : zombie_first[i];
}

/*
 * Nanoseconds per unit of utime and stime: jiffies in 2.4, 100 per second on all machines
 * supported; ticks later. 0: not known, as on 64-bit PowerPC, which counted its timebase.
 */
uint64_t task_time_unit(const struct kernel *k, struct reader *r)
{
	uint64_t tick;

	if (k->layout.v[M_TASK_UTIME].alt == 1)
		return 10000000;
	if (!kernel_rule(k, RULE_TIME_IN_TICKS))
		return 1;
	if (k->arch->timebase || kvar_u64(k, r, Y_TICK_NSEC, 0, &tick))
		return 0;
	return tick <= TICK_MAX ? tick : 0;
}

/* A struct timespec to 3.16; jiffies in 2.4; otherwise nanoseconds. */
static uint64_t read_start(const struct tasks_builder *tb)
{
	const struct kernel *k = tb->b->k;
	const struct member *m = &k->layout.v[M_TASK_START].m;
	unsigned word = k->dump->word_size;
	uint64_t at = tb->task.addr + m->offset, sec, nsec;

	if (!has(k, M_TASK_START))
		return 0;
	if (!m->is_aggregate)
		return kobj_u64(&tb->task, M_TASK_START) *
		       (k->layout.v[M_TASK_UTIME].alt == 1 ? tb->unit : 1);
	if (m->size != 2 * word || read_kva_word(tb->b->r, at, &sec) ||
	    read_kva_word(tb->b->r, at + word, &nsec) || sec > NSEC_MAX_SANE / 1000000000)
		return 0;
	return sec * 1000000000 + nsec;
}

static void describe(const struct tasks_builder *tb, struct raw_task *ret)
{
	const struct kobj *o = &tb->task;
	struct task *t = &ret->t;
	char comm[17];

	t->addr = o->addr;
	t->pid = (int32_t)kobj_int(o, M_TASK_PID);
	t->tgid = (int32_t)kobj_int(o, M_TASK_TGID);
	kobj_str(o, M_TASK_COMM, comm, sizeof(comm));
	memcpy(t->comm, comm, sizeof(t->comm));
	t->comm[sizeof(t->comm) - 1] = 0;
	if (kernel_is_erased(tb->b->k, t->comm, strlen(t->comm)))
		memcpy(t->comm, "erased", sizeof("erased"));
	t->state = state_letter(o->k, kobj_u64(o, M_TASK_STATE), kobj_u64(o, M_TASK_EXIT_STATE));
	t->flags = (uint32_t)kobj_u64(o, M_TASK_FLAGS);
	t->in_execve = kobj_u64(o, M_TASK_IN_EXECVE) != 0;
	t->cpu = (uint32_t)kobj_u64(o, M_TASK_CPU);
	t->utime = kobj_u64(o, M_TASK_UTIME) * tb->unit;
	t->stime = kobj_u64(o, M_TASK_STIME) * tb->unit;
	t->min_flt = kobj_u64(o, M_TASK_MIN_FLT);
	t->maj_flt = kobj_u64(o, M_TASK_MAJ_FLT);
	t->start_boottime = read_start(tb);
	t->mm = NONE;
	t->proc = NONE;
	ret->uid = (uint32_t)kobj_u64(o, M_TASK_UID);
	ret->euid = (uint32_t)kobj_u64(o, M_TASK_EUID);
	ret->gid = (uint32_t)kobj_u64(o, M_TASK_GID);
	ret->mm = kobj_u64(o, M_TASK_MM);
	ret->signal = kobj_u64(o, M_TASK_SIGNAL);
	ret->cred = kobj_u64(o, M_TASK_CRED);
	ret->parent = kobj_u64(o, M_TASK_PARENT);
	ret->vfork_done = kobj_u64(o, M_TASK_VFORK_DONE);
	ret->cgroups = kobj_u64(o, M_TASK_CGROUPS);
	ret->thread_pid = kobj_u64(o, M_TASK_THREAD_PID);
	ret->runtime = kobj_u64(o, M_TASK_EXEC_RUNTIME);
	ret->static_prio = (int32_t)kobj_int(o, M_TASK_STATIC_PRIO);
	for (unsigned i = 0; has(o->k, M_TASK_RSS_CACHE) && i < RSS_COUNTERS; i++) {
		int64_t at = rss_counter_index(o->k, i);

		if (i == RSS_SHMEM && has(o->k, M_TASK_SHMEM_CACHE))
			ret->rss[i] = (int32_t)kobj_int(o, M_TASK_SHMEM_CACHE);
		else if (at >= 0)
			ret->rss[i] = (int32_t)kobj_elem(o, M_TASK_RSS_CACHE, (uint32_t)at);
	}
}

/* If a task_struct was freed and reused, its numbers show it first. */
static bool task_plausible(const struct raw_task *t)
{
	return t->t.pid >= 0 && t->t.pid < (int32_t)TASKS_MAX && t->t.tgid >= 0 &&
	       t->t.tgid < (int32_t)TASKS_MAX;
}

enum status task_read(struct tasks_builder *tb, uint64_t addr, struct raw_task *ret)
{
	enum status st = kobj_read(&tb->task, tb->b->r, addr);

	if (st)
		return st;
	describe(tb, ret);
	return task_plausible(ret) ? ST_OK : ST_CORRUPT;
}
