/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * details.c - reads the values of /proc/PID/stat and status for one process.
 */
/* Sources: do_task_stat() and proc_pid_status() of fs/proc/array.c, read in 5.10 ... 7.3. */
#include "model/kernel/task/details.h"

#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/file.h"
#include "facts/layout/proc.h"
#include "facts/layout/task.h"
#include "model/kernel/kobj.h"

#define NGROUPS_MOST 65536		/* include/uapi/linux/limits.h: NGROUPS_MAX */
#define RLIMIT_RSS_INDEX 5
#define RLIMIT_SIGPENDING_INDEX 11
#define STOPPED_OR_EXIT 0x5u	/* SIGNAL_STOP_STOPPED | SIGNAL_GROUP_EXIT */
#define SIGNALS 64
#define PF_WQ_WORKER 0x20u
#define PFA_NO_NEW_PRIVS 0x1u	/* bit 0 of task_struct.atomic_flags */

struct reading {
	const struct kernel *k;
	struct reader *r;
	struct details *d;
	uint32_t level;			/* of its pid namespace */
	bool kthread;
};

/* Number at LEVEL of namespaces of the struct pid at ADDR; 0: none there. */
static int32_t pid_nr(const struct reading *x, uint64_t addr, uint32_t level)
{
	const struct layout *l = &x->k->layout;
	uint64_t nr, its;

	if (!addr || !has(x->k, M_PID_NUMBERS) || !has(x->k, M_UPID_NR) ||
	    kmember_u64(x->k, x->r, addr, M_PID_LEVEL, &its) || level > its ||
	    read_kva_uint(x->r,
			  addr + layout_offset(l, M_PID_NUMBERS) +
				  (uint64_t)level * layout_size(l, S_UPID) +
				  layout_offset(l, M_UPID_NR),
			  4, &nr))
		return 0;
	return (int32_t)nr;
}

static int32_t pid_of_type(const struct reading *x, const struct kobj *sig, enum layout_id type,
			   uint32_t level)
{
	int64_t i = layout_enum(&x->k->layout, type, -1);

	return i >= 0 && i < 8 ? pid_nr(x, kobj_elem(sig, M_SIG_PIDS, (uint32_t)i), level) : 0;
}

static uint64_t limit(const struct reading *x, const struct kobj *sig, uint32_t i)
{
	const struct fact *f = &x->k->layout.v[M_SIG_RLIM];
	uint64_t v;

	if (f->alt < 0 || i >= f->m.count ||
	    kmember_u64(x->k, x->r, sig->addr + f->m.offset + (uint64_t)i * f->m.stride,
			M_RLIMIT_CUR, &v))
		return 0;
	return v;
}

/* tty_devnum() and tty_get_pgrp(), as do_task_stat() prints them */
static void read_tty(const struct reading *x, uint64_t tty)
{
	uint64_t driver, major, minor, index, pgrp = 0;

	if (!tty || kmember_u64(x->k, x->r, tty, M_TTY_DRIVER, &driver) || !driver ||
	    kmember_u64(x->k, x->r, driver, M_TTY_DRIVER_MAJOR, &major) ||
	    kmember_u64(x->k, x->r, driver, M_TTY_DRIVER_MINOR, &minor) ||
	    kmember_u64(x->k, x->r, tty, M_TTY_INDEX, &index))
		return;
	minor = (minor + index) & 0xfffff;
	x->d->tty = (uint32_t)((minor & 0xff) | (major & 0xfff) << 8 | (minor & ~0xffu) << 12);
	if (!kmember_u64(x->k, x->r, tty, M_TTY_PGRP, &pgrp))
		x->d->tty_pgrp = pid_nr(x, pgrp, 0);
}

static void read_signal(const struct reading *x, uint64_t addr)
{
	struct details *d = x->d;
	struct kobj o;

	kobj_init(&o, x->k, S_SIGNAL);
	if (addr && !kobj_read(&o, x->r, addr)) {
		d->pgrp = pid_of_type(x, &o, E_PIDTYPE_PGID, 0);
		d->session = pid_of_type(x, &o, E_PIDTYPE_SID, 0);
		for (uint32_t i = 0; i <= x->level && i < DETAILS_NS_LEVELS; i++) {
			d->ns_pgrp[i] = pid_of_type(x, &o, E_PIDTYPE_PGID, i);
			d->ns_session[i] = pid_of_type(x, &o, E_PIDTYPE_SID, i);
		}
		read_tty(x, kobj_u64(&o, M_SIG_TTY));
		d->cmin_flt = kobj_u64(&o, M_SIG_CMIN_FLT);
		d->cmaj_flt = kobj_u64(&o, M_SIG_CMAJ_FLT);
		d->cutime = kobj_u64(&o, M_SIG_CUTIME);
		d->cstime = kobj_u64(&o, M_SIG_CSTIME);
		d->gtime += kobj_u64(&o, M_SIG_GTIME);
		d->cgtime = kobj_u64(&o, M_SIG_CGTIME);
		d->rss_limit = limit(x, &o, RLIMIT_RSS_INDEX);
		d->sigpending_limit = limit(x, &o, RLIMIT_SIGPENDING_INDEX);
		d->shared_pending = kobj_elem(&o, M_SIG_SHARED_PENDING, 0);
		d->group_exit = kobj_u64(&o, M_SIG_FLAGS) & STOPPED_OR_EXIT;
		d->group_exit_code = (int32_t)kobj_int(&o, M_SIG_GROUP_EXIT_CODE);
	}
	kobj_release(&o);
}

static void read_handlers(const struct reading *x, uint64_t addr)
{
	const struct fact *f = &x->k->layout.v[M_SIGHAND_ACTION];

	for (uint32_t i = 0; addr && f->alt >= 0 && i < f->m.count && i < SIGNALS; i++) {
		uint64_t v;

		if (kmember_u64(x->k, x->r, addr + f->m.offset + (uint64_t)i * f->m.stride,
				M_KSIGACTION_HANDLER, &v))
			return;
		if (v == 1) /* SIG_IGN; SIG_DFL is 0 */
			x->d->ignored |= UINT64_C(1) << i;
		else if (v)
			x->d->caught |= UINT64_C(1) << i;
	}
}

static uint64_t caps(const struct kobj *o, enum layout_id m)
{
	if (o->k->layout.v[m].alt == 0)
		return kobj_u64(o, m);
	return kobj_elem(o, m, 0) | kobj_elem(o, m, 1) << 32;
}

static void read_groups(const struct reading *x, uint64_t info)
{
	uint64_t n;

	if (!info || !has(x->k, M_GROUPS_GID) ||
	    kmember_u64(x->k, x->r, info, M_GROUPS_COUNT, &n) || n > NGROUPS_MOST)
		return;
	x->d->groups = info + layout_offset(&x->k->layout, M_GROUPS_GID);
	x->d->ngroups = (uint32_t)n;
}

static void read_cred(const struct reading *x, uint64_t addr)
{
	struct details *d = x->d;
	struct kobj o;

	kobj_init(&o, x->k, S_CRED);
	if (addr && !kobj_read(&o, x->r, addr)) {
		d->uid[0] = (uint32_t)kobj_u64(&o, M_CRED_UID);
		d->uid[1] = (uint32_t)kobj_u64(&o, M_CRED_EUID);
		d->uid[2] = (uint32_t)kobj_u64(&o, M_CRED_SUID);
		d->uid[3] = (uint32_t)kobj_u64(&o, M_CRED_FSUID);
		d->gid[0] = (uint32_t)kobj_u64(&o, M_CRED_GID);
		d->gid[1] = (uint32_t)kobj_u64(&o, M_CRED_EGID);
		d->gid[2] = (uint32_t)kobj_u64(&o, M_CRED_SGID);
		d->gid[3] = (uint32_t)kobj_u64(&o, M_CRED_FSGID);
		read_groups(x, kobj_u64(&o, M_CRED_GROUPS));
		d->cap_inh = caps(&o, M_CRED_CAP_INH);
		d->cap_prm = caps(&o, M_CRED_CAP_PRM);
		d->cap_eff = caps(&o, M_CRED_CAP_EFF);
		d->cap_bnd = caps(&o, M_CRED_CAP_BND);
		d->cap_amb = caps(&o, M_CRED_CAP_AMB);
	}
	kobj_release(&o);
}

/* format_worker_id(), kernel/workqueue.c */
static void put_worker_id(const struct reading *x, const struct kobj *w, uint64_t pool)
{
	uint64_t wq = kobj_u64(w, M_WORKER_RESCUE_WQ), cpu = 0, id = 0, attrs = 0, nice = 0;
	int n = (int)kobj_int(w, M_WORKER_ID);
	char *name = x->d->name, wq_name[32]; /* WQ_NAME_LEN */

	if (wq && has(x->k, M_WQ_NAME)) {
		wq += layout_offset(&x->k->layout, M_WQ_NAME);
		if (!read_kva_str(x->r, wq, wq_name, sizeof(wq_name)))
			snprintf(name, DETAILS_NAME, "kworker/R-%s", wq_name);
	} else if (!pool) {
		snprintf(name, DETAILS_NAME, "kworker/dying");
	} else if (!kmember_u64(x->k, x->r, pool, M_POOL_CPU, &cpu) && (int32_t)cpu < 0) {
		if (!kmember_u64(x->k, x->r, pool, M_POOL_ID, &id))
			snprintf(name, DETAILS_NAME, "kworker/u%d:%d", (int32_t)id, n);
	} else if (!kmember_u64(x->k, x->r, pool, M_POOL_ATTRS, &attrs) &&
		   !kmember_u64(x->k, x->r, attrs, M_WQ_ATTRS_NICE, &nice)) {
		snprintf(name, DETAILS_NAME, "kworker/%d:%d%s", (int32_t)cpu, n,
			 (int32_t)nice < 0 ? "H" : "");
	}
}

/* wq_worker_comm(): after its name, its present work, or if idle, its last. */
static void read_worker_name(const struct reading *x, uint64_t worker)
{
	char desc[32]; /* WORKER_DESC_LEN */
	struct kobj w;
	uint64_t pool;
	size_t n;

	kobj_init(&w, x->k, S_WORKER);
	if (!kobj_read(&w, x->r, worker)) {
		pool = kobj_u64(&w, M_WORKER_POOL);
		if (has(x->k, E_WORKER_ID_LEN))
			put_worker_id(x, &w, pool);
		kobj_str(&w, M_WORKER_DESC, desc, sizeof(desc));
		n = strlen(x->d->name);
		if (pool && desc[0])
			snprintf(x->d->name + n, DETAILS_NAME - n, "%c%s",
				 kobj_u64(&w, M_WORKER_CURRENT) ? '+' : '-', desc);
	}
	kobj_release(&w);
}

/* proc_task_name(), fs/proc/array.c */
static void read_name(const struct reading *x, const struct kobj *task)
{
	uint64_t kthread = kobj_u64(task, M_TASK_KTHREAD), at;
	char name[DETAILS_NAME];

	if (!x->kthread || !kthread)
		return;
	if (kobj_u64(task, M_TASK_FLAGS) & PF_WQ_WORKER) {
		if (!kmember_u64(x->k, x->r, kthread, M_KTHREAD_DATA, &at))
			read_worker_name(x, at);
	} else if (!kmember_u64(x->k, x->r, kthread, M_KTHREAD_FULL_NAME, &at) && at &&
		   !read_kva_str(x->r, at, name, sizeof(name))) {
		memcpy(x->d->name, name, sizeof(name));
	}
}

static void read_pointers(const struct reading *x, const struct kobj *task)
{
	uint64_t fs = kobj_u64(task, M_TASK_FS), files = kobj_u64(task, M_TASK_FILES), v;

	if (fs && !kmember_u64(x->k, x->r, fs, M_FS_UMASK, &v)) {
		x->d->umask = (uint32_t)v;
		x->d->has_fs = true;
	}
	if (files && !kmember_u64(x->k, x->r, files, M_FILES_FDT, &v) &&
	    !kmember_u64(x->k, x->r, v, M_FDT_MAX, &v))
		x->d->fd_size = (uint32_t)v;
	for (uint32_t i = 0; i <= x->level && i < DETAILS_NS_LEVELS; i++)
		x->d->ns_pid[i] = pid_nr(x, kobj_u64(task, M_TASK_THREAD_PID), i);
	read_handlers(x, kobj_u64(task, M_TASK_SIGHAND));
	read_cred(x, kobj_u64(task, M_TASK_CRED));
	read_signal(x, kobj_u64(task, M_TASK_SIGNAL));
}

static void read_task(const struct reading *x, const struct kobj *o)
{
	const struct fact *cpus = &x->k->layout.v[M_TASK_CPUS];
	struct details *d = x->d;
	uint64_t tracer;

	if (has(x->k, M_TASK_PRIO))
		d->prio = (int32_t)kobj_int(o, M_TASK_PRIO);
	d->rt_priority = (uint32_t)kobj_u64(o, M_TASK_RT_PRIO);
	d->policy = (uint32_t)kobj_u64(o, M_TASK_POLICY);
	d->exit_signal = (int32_t)kobj_int(o, M_TASK_EXIT_SIGNAL);
	d->exit_code = (int32_t)kobj_int(o, M_TASK_EXIT_CODE);
	if (kobj_u64(o, M_TASK_PTRACE) &&
	    !kmember_u64(x->k, x->r, kobj_u64(o, M_TASK_TRACER), M_TASK_PID, &tracer))
		d->tracer = (int32_t)tracer;
	d->nvcsw = kobj_u64(o, M_TASK_NVCSW);
	d->nivcsw = kobj_u64(o, M_TASK_NIVCSW);
	d->gtime = kobj_u64(o, M_TASK_GTIME);
	d->pending = kobj_elem(o, M_TASK_PENDING, 0);
	d->blocked = kobj_elem(o, M_TASK_BLOCKED, 0);
	d->no_new_privs = kobj_u64(o, M_TASK_ATOMIC_FLAGS) & PFA_NO_NEW_PRIVS;
	d->seccomp = (uint32_t)kobj_u64(o, M_TASK_SECCOMP_MODE);
	d->seccomp_filters = (uint32_t)kobj_u64(o, M_TASK_SECCOMP_FILTERS);
	for (uint32_t i = 0; cpus->alt >= 0 && i < cpus->m.count && i < DETAILS_CPU_WORDS; i++)
		d->cpus[i] = kobj_elem(o, M_TASK_CPUS, i);
	read_name(x, o);
	read_pointers(x, o);
}

void details_read(const struct snapshot *s, struct reader *r, const struct proc *p,
		  struct details *ret)
{
	const struct reading x = {
		.k = s->k, .r = r, .d = ret, .level = p->pidns_level, .kthread = p->kthread
	};
	const struct task *leader = p->leader < s->ntasks ? &s->tasks[p->leader] : NULL;
	const struct mm *mm = proc_mm(s, p);
	struct kobj o;

	memset(ret, 0, sizeof(*ret));
	ret->tty_pgrp = -1;
	ret->prio = MAX_RT_PRIO;
	if (leader)
		memcpy(ret->name, leader->comm, sizeof(leader->comm));
	if (!r || !leader)
		return;
	kobj_init(&o, s->k, S_TASK);
	if (!kobj_read(&o, r, leader->addr))
		read_task(&x, &o);
	kobj_release(&o);
	if (mm && kmember_u64(s->k, r, mm->addr, M_MM_PINNED_VM, &ret->pinned))
		ret->pinned = 0;
	if (mm && kmember_u64(s->k, r, mm->addr, M_MM_HUGETLB_USAGE, &ret->hugetlb))
		ret->hugetlb = 0;
}
