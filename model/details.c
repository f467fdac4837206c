/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sources: do_task_stat() and proc_pid_status() of fs/proc/array.c, read in 5.10 ... 7.3. */
#include "model/details.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kobj.h"

#define RLIMIT_RSS_INDEX 5
#define RLIMIT_SIGPENDING_INDEX 11
#define STOPPED_OR_EXIT 0x5u	/* SIGNAL_STOP_STOPPED | SIGNAL_GROUP_EXIT */
#define SIGNALS 64
#define PFA_NO_NEW_PRIVS 0x1u	/* bit 0 of task_struct.atomic_flags */

struct reading {
	const struct kernel *k;
	struct reader *r;
	struct details *d;
	uint32_t level;			/* of its pid namespace */
};

/* Number at LEVEL of namespaces of the struct pid at ADDR; 0: none there. */
static int32_t pid_nr(const struct reading *x, uint64_t addr, uint32_t level)
{
	const struct layout *l = &x->k->layout;
	uint64_t nr, its;

	if (!addr || !has(x->k, M_PID_NUMBERS) || !has(x->k, M_UPID_NR) ||
	    kmember_u64(x->k, x->r, addr, M_PID_LEVEL, &its) || level > its ||
	    read_kva_uint(x->r, addr + layout_offset(l, M_PID_NUMBERS) +
			  (uint64_t)level * layout_size(l, S_UPID) +
			  layout_offset(l, M_UPID_NR), 4, &nr))
		return 0;
	return (int32_t)nr;
}

static int32_t pid_of_type(const struct reading *x, const struct kobj *sig,
			   enum layout_id type, uint32_t level)
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
		d->cmin_flt = kobj_u64(&o, M_SIG_CMIN_FLT);
		d->cmaj_flt = kobj_u64(&o, M_SIG_CMAJ_FLT);
		d->cutime = kobj_u64(&o, M_SIG_CUTIME);
		d->cstime = kobj_u64(&o, M_SIG_CSTIME);
		d->gtime += kobj_u64(&o, M_SIG_GTIME);
		d->cgtime = kobj_u64(&o, M_SIG_CGTIME);
		d->rss_limit = limit(x, &o, RLIMIT_RSS_INDEX);
		d->sigpending_limit = limit(x, &o, RLIMIT_SIGPENDING_INDEX);
		d->shared_pending = kobj_elem(&o, M_SIG_SHARED_PENDING, 0);
		if (kobj_u64(&o, M_SIG_FLAGS) & STOPPED_OR_EXIT)
			d->exit_code = (int32_t)kobj_int(&o, M_SIG_GROUP_EXIT_CODE);
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
		if (v == 1)		/* SIG_IGN; SIG_DFL is 0 */
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
		d->cap_inh = caps(&o, M_CRED_CAP_INH);
		d->cap_prm = caps(&o, M_CRED_CAP_PRM);
		d->cap_eff = caps(&o, M_CRED_CAP_EFF);
		d->cap_bnd = caps(&o, M_CRED_CAP_BND);
		d->cap_amb = caps(&o, M_CRED_CAP_AMB);
	}
	kobj_release(&o);
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

	d->prio = (int32_t)kobj_int(o, M_TASK_PRIO);
	d->rt_priority = (uint32_t)kobj_u64(o, M_TASK_RT_PRIO);
	d->policy = (uint32_t)kobj_u64(o, M_TASK_POLICY);
	d->exit_signal = (int32_t)kobj_int(o, M_TASK_EXIT_SIGNAL);
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
	read_pointers(x, o);
}

void details_read(const struct snapshot *s, struct reader *r, const struct proc *p,
		  struct details *ret)
{
	const struct reading x = { .k = s->k, .r = r, .d = ret,
				   .level = p->pidns_level };
	const struct task *leader = p->leader < s->ntasks ? &s->tasks[p->leader] : NULL;
	const struct mm *mm = p->mm < s->nmms ? &s->mms[p->mm] : NULL;
	struct kobj o;

	memset(ret, 0, sizeof(*ret));
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
