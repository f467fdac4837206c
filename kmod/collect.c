// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks by pid, the mappings of each mm by address, the pages of each
 * mapping by table. An object that goes away between two pieces is left out from there on.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/kdev_t.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/cputime.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/shmem_fs.h>
#include <linux/uidgid.h>
#include <linux/version.h>
#include <linux/xarray.h>

#include "census.h"

#define LOOKUPS 1024		/* pids tried in one go */
#define COUNTED (64ul << 20)	/* bytes of a mapping counted under one lock */

void census_drop(struct census *c)
{
	if (c->last_mm)
		mmdrop(c->last_mm);
	c->last_mm = NULL;
	c->mm = NULL;
}

/* ---- tasks --------------------------------------------------------------------- */

/* The highest pid in use: pid_max may be 4 million, and is not exported. */
static int highest_pid(void)
{
	struct task_struct *p, *t;
	int last = 0;

	rcu_read_lock();
	for_each_process_thread(p, t)
		last = max(last, task_pid_nr(t));
	rcu_read_unlock();
	return last;
}

/* The task with the lowest pid from c->pid on, with a reference; NULL: none yet. */
static struct task_struct *next_task_by_pid(struct census *c)
{
	struct task_struct *t = NULL;
	int i;

	rcu_read_lock();
	for (i = 0; !t && i < LOOKUPS && c->pid <= c->last_pid; i++, c->pid++) {
		t = c->pid ? pid_task(find_pid_ns(c->pid, &init_pid_ns), PIDTYPE_PID) : &init_task;
		if (t)
			get_task_struct(t);
	}
	rcu_read_unlock();
	return t;
}

static char state_of(struct task_struct *t)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
	unsigned int state = READ_ONCE(t->__state);
#else
	unsigned int state = READ_ONCE(t->state);
#endif
	int exit = READ_ONCE(t->exit_state);

	if (exit & EXIT_ZOMBIE)
		return 'Z';
	if (exit)
		return 'X';
	if (state & __TASK_STOPPED)
		return 'T';
	if (state & __TASK_TRACED)
		return 't';
	if (state & TASK_UNINTERRUPTIBLE)
		return state & TASK_NOLOAD ? 'I' : 'D';
	return state & TASK_INTERRUPTIBLE ? 'S' : 'R';
}

/* Under RCU: parent, credentials and the signal_struct of a task that has one. */
static void describe_links(struct task_struct *t, struct vmc_task *r)
{
	const struct cred *cred;

	rcu_read_lock();
	r->ppid = pid_alive(t) ? task_tgid_nr(rcu_dereference(t->real_parent)) : 0;
	cred = __task_cred(t);
	r->uid = __kuid_val(cred->uid);
	r->euid = __kuid_val(cred->euid);
	r->gid = __kgid_val(cred->gid);
	if (pid_alive(t)) {	/* signal_struct goes with the task_struct, by RCU */
		r->oom_score_adj = READ_ONCE(t->signal->oom_score_adj);
		r->cmin_flt = t->signal->cmin_flt;
		r->cmaj_flt = t->signal->cmaj_flt;
	}
	rcu_read_unlock();
}

static void describe_task(struct task_struct *t, struct mm_struct *mm, struct vmc_task *r)
{
	*r = (struct vmc_task){
		.pid = task_pid_nr(t), .tgid = task_tgid_nr(t), .cpu = task_cpu(t),
		.flags = t->flags, .nice = task_nice(t), .state = state_of(t),
		.mm = (unsigned long)mm, .min_flt = t->min_flt, .maj_flt = t->maj_flt,
		.utime = t->utime, .stime = t->stime, .start = t->start_boottime,
	};
	memcpy(r->comm, t->comm, sizeof(r->comm));
	r->comm[sizeof(r->comm) - 1] = 0;
	describe_links(t, r);
}

/* Threads have the mm of their leader, while the leader lives. */
static bool given_before(struct census *c, struct task_struct *t, struct mm_struct *mm)
{
	struct task_struct *leader;
	bool before = false;

	if (mm == c->last_mm)
		return true;
	rcu_read_lock();
	if (pid_alive(t)) {	/* or the leader may be gone */
		leader = READ_ONCE(t->group_leader);
		before = leader != t && READ_ONCE(leader->mm) == mm;
	}
	rcu_read_unlock();
	return before;
}

/* Kept until the next mm is written: one at the same address would be taken for it. */
static void give_mm(struct census *c, struct mm_struct *mm)
{
	census_drop(c);
	mmgrab(mm);
	c->last_mm = mm;
	c->mm = mm;
	c->addr = 0;
	c->stage = STAGE_MM;
}

static int step_task(struct census *c)
{
	struct task_struct *t = next_task_by_pid(c);
	struct mm_struct *mm;
	struct vmc_task r;

	if (!t) {
		if (c->pid > c->last_pid)
			c->stage = STAGE_END;
		return 0;
	}
	mm = get_task_mm(t);	/* NULL for kernel threads */
	describe_task(t, mm, &r);
	c->form->task(c, &r);
	c->sums.tasks++;
	if (mm && !given_before(c, t, mm))
		give_mm(c, mm);
	if (mm)
		mmput(mm);
	put_task_struct(t);
	return 0;
}

/* ---- address spaces ------------------------------------------------------------ */

static void next_task_then(struct census *c)
{
	c->mm = NULL;
	c->stage = STAGE_TASK;
}

/* Take a user of the mm and its lock for reading; 1: it is gone. */
static int lock_mm(struct census *c)
{
	if (!mmget_not_zero(c->mm))
		return 1;
	if (!mmap_read_lock_killable(c->mm))
		return 0;
	mmput(c->mm);
	return -EINTR;
}

static void unlock_mm(struct census *c)
{
	mmap_read_unlock(c->mm);
	mmput(c->mm);
}

static struct file *exe_of(struct mm_struct *mm)
{
	struct file *exe;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	rcu_read_lock();
	exe = get_file_rcu(&mm->exe_file);
	rcu_read_unlock();
#else
	rcu_read_lock();
	exe = rcu_dereference(mm->exe_file);
	if (exe && !get_file_rcu(exe))
		exe = NULL;
	rcu_read_unlock();
#endif
	return exe;
}

/*
 * overlayfs maps a file of the layer below; maps prints the file that was opened: its
 * path since 6.5, its inode since 6.8 (file_user_path() came in 6.8).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define opened_path(file) file_user_path(file)
#define opened_inode(file) file_user_inode(file)
#else
#define opened_path(file) (&(file)->f_path)
#define opened_inode(file) file_inode(file)
#endif

/* As the reader's root sees it, and as /proc/PID/maps prints it; "" if too long. */
static const char *path_of(struct census *c, struct file *file)
{
	char *path = d_path(opened_path(file), c->path, PATH_MAX);

	return IS_ERR(path) ? "" : path;
}

static void describe_mm(struct mm_struct *mm, struct vmc_mm *r)
{
	*r = (struct vmc_mm){
		.mm = (unsigned long)mm,
		.rss_file = get_mm_counter(mm, MM_FILEPAGES),
		.rss_anon = get_mm_counter(mm, MM_ANONPAGES),
		.rss_shmem = get_mm_counter(mm, MM_SHMEMPAGES),
		.swap = get_mm_counter(mm, MM_SWAPENTS),
		.total_vm = mm->total_vm, .locked_vm = mm->locked_vm, .data_vm = mm->data_vm,
		.exec_vm = mm->exec_vm, .stack_vm = mm->stack_vm,
		.hiwater_rss = mm->hiwater_rss, .hiwater_vm = mm->hiwater_vm,
		.pgtables_bytes = mm_pgtables_bytes(mm), .map_count = mm->map_count,
		.users = atomic_read(&mm->mm_users) - 1,	/* without ours */
		.start_code = mm->start_code, .end_code = mm->end_code,
		.start_data = mm->start_data, .end_data = mm->end_data,
		.start_brk = mm->start_brk, .brk = mm->brk, .start_stack = mm->start_stack,
		.arg_start = mm->arg_start, .arg_end = mm->arg_end,
		.env_start = mm->env_start, .env_end = mm->env_end,
	};
}

static int step_mm(struct census *c)
{
	struct file *exe;
	struct vmc_mm r;
	int err = lock_mm(c);

	if (err) {
		next_task_then(c);
		return min(err, 0);
	}
	describe_mm(c->mm, &r);
	exe = exe_of(c->mm);
	unlock_mm(c);
	c->form->mm(c, &r, exe ? path_of(c, exe) : "");
	if (exe)
		fput(exe);
	c->sums.mms++;
	c->stage = STAGE_VMA;
	return 0;
}

/* ---- mappings ------------------------------------------------------------------ */

/* Is there no entry for ADDR? */
static bool is_hole(struct census *c, struct vm_area_struct *vma, unsigned long addr)
{
	return !entries_get(vma, &addr, addr + PAGE_SIZE, c->runs);
}

/*
 * Pages of a shmem file that VMA maps and that are in swap: shmem_swap_usage()
 * (mm/shmem.c). In a private, writable mapping only pages count that it has no copy
 * of, as smaps_pte_hole() (fs/proc/task_mmu.c) asks entry by entry.
 */
static u64 shmem_in_swap(struct census *c, struct vm_area_struct *vma)
{
	struct xarray *pages = &vma->vm_file->f_mapping->i_pages;
	bool copies = (vma->vm_flags & (VM_SHARED | VM_WRITE)) == VM_WRITE;
	unsigned long first = vma->vm_pgoff, last = first + vma_pages(vma) - 1, at, i, end;
	void *entry;
	u64 n = 0;

	xa_for_each_range(pages, at, entry, first, last) {
		if (fatal_signal_pending(current))
			break;
		cond_resched();
		if (!xa_is_value(entry))
			continue;
		i = at;
		end = at + 1;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
		/* one entry for all pages of a folio */
		i = round_down(at, 1ul << xa_get_order(pages, at));
		end = i + (1ul << xa_get_order(pages, at));
#endif
		for (i = max(i, first); i < min(end, last + 1); i++)
			n += !copies || is_hole(c, vma, vma->vm_start +
						((i - first) << PAGE_SHIFT));
	}
	return n;
}

static void describe_file(struct census *c, struct vm_area_struct *vma, struct vmc_vma *r)
{
	const struct inode *opened = opened_inode(vma->vm_file);
	struct inode *inode = file_inode(vma->vm_file);

	r->kind = VMC_FILE_VMA;
	r->ino = opened->i_ino;
	r->size = i_size_read(inode);
	r->file_id = (unsigned long)inode;
	r->major = MAJOR(opened->i_sb->s_dev);
	r->minor = MINOR(opened->i_sb->s_dev);
	if (is_vm_hugetlb_page(vma)) {
		r->kind = VMC_HUGETLB_VMA;
		r->huge_bytes = 1ul << huge_page_shift(hstate_file(vma->vm_file));
	} else if (inode->i_sb->s_magic == TMPFS_MAGIC && S_ISREG(inode->i_mode)) {
		r->kind = VMC_SHMEM_VMA;
		if (SHMEM_I(inode)->swapped)
			r->swapped = shmem_in_swap(c, vma);
	}
}

#ifdef CONFIG_ANON_VMA_NAME
/* Up to 6.1 a file's mapping has something else in that place (d09e8ca6cb93, 6.2). */
static bool may_be_named(const struct vm_area_struct *vma)
{
	return !vma->vm_file || LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0);
}
#endif

/* The name that maps prints in place of a path: [vdso], [anon:NAME]; into c->path. */
static void special_name(struct census *c, struct vm_area_struct *vma)
{
	const char *name = NULL;

	c->path[0] = 0;
	if (!vma->vm_file && vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (name)
		strscpy(c->path, name, PATH_MAX);
#ifdef CONFIG_ANON_VMA_NAME
	else if (vma->anon_name && may_be_named(vma))
		snprintf(c->path, PATH_MAX, vma->vm_file ? "[anon_shmem:%s]" : "[anon:%s]",
			 vma->anon_name->name);
#endif
}

static void describe_vma(struct census *c, struct vm_area_struct *vma, struct vmc_vma *r)
{
	*r = (struct vmc_vma){
		.start = vma->vm_start, .end = vma->vm_end, .flags = vma->vm_flags,
		.prot = pgprot_val(vma->vm_page_prot), .pgoff = vma->vm_pgoff,
	};
	if (vma->vm_file)
		describe_file(c, vma, r);
}

static void count_run(struct counts *n, const struct vmc_run *run)
{
	if (!(run->pte & VMC_PRESENT) || run->pte & VMC_SPECIAL)
		return;
	n->present += run->pages;
	n->user += run->pages;
	n->exec += run->pte & VMC_EXEC ? run->pages : 0;
	n->readonly += run->pte & VMC_WRITE ? 0 : run->pages;
	*(run->refcount == 1 ? &n->single : &n->shared) += run->pages;
}

static u64 file_id(const struct vm_area_struct *vma)
{
	return vma->vm_file ? (unsigned long)file_inode(vma->vm_file) : 0;
}

/* Find the mapping again after its lock was released: NULL if it changed. */
static struct vm_area_struct *same_vma(struct census *c)
{
	struct vm_area_struct *vma = find_vma(c->mm, c->start);

	return vma && vma->vm_start == c->start && vma->vm_end == c->end &&
	       vma->vm_pgoff == c->pgoff && file_id(vma) == c->file_id ? vma : NULL;
}

/* Count a part of the mapping, from c->at on; mmap_lock is held. */
static void count_part(struct census *c, struct vm_area_struct *vma)
{
	unsigned long stop = min(c->end, c->at + COUNTED);
	unsigned int i, n;

	if (stop < c->at)
		stop = c->end;
	while (c->at < stop && !fatal_signal_pending(current)) {
		n = entries_get(vma, &c->at, stop, c->runs);
		for (i = 0; i < n; i++)
			count_run(&c->counts, &c->runs[i]);
	}
}

static int count_all(struct census *c)
{
	struct vm_area_struct *vma;
	int err = 0;

	c->counts = (struct counts){ 0 };
	for (c->at = c->start; !err && c->at < c->end;) {
		err = lock_mm(c);
		if (err)
			break;
		vma = same_vma(c);
		if (vma)
			count_part(c, vma);
		else
			err = 1;
		unlock_mm(c);
		if (fatal_signal_pending(current))
			err = -EINTR;
	}
	c->at = c->start;
	return min(err, 0);
}

static int step_vma(struct census *c)
{
	struct vm_area_struct *vma;
	struct file *file = NULL;
	struct vmc_vma r;
	int err = lock_mm(c);

	if (err) {
		next_task_then(c);
		return min(err, 0);
	}
	vma = find_vma(c->mm, c->addr);
	if (vma) {
		describe_vma(c, vma, &r);
		special_name(c, vma);
		file = *c->path || !vma->vm_file ? NULL : get_file(vma->vm_file);
	}
	unlock_mm(c);
	if (!vma) {
		next_task_then(c);
		return 0;
	}
	c->start = r.start;
	c->at = r.start;
	c->end = r.end;
	c->addr = r.end;
	c->pgoff = r.pgoff;
	c->file_id = r.file_id;
	c->listed = 0;
	c->sums.vmas++;
	c->stage = STAGE_PAGES;
	if (c->form->counts)
		err = count_all(c);
	c->form->vma(c, &r, file ? path_of(c, file) : c->path);
	if (file)
		fput(file);
	return err;
}

/* ---- pages --------------------------------------------------------------------- */

static int step_pages(struct census *c)
{
	struct vm_area_struct *vma;
	unsigned int n = 0;
	int err = lock_mm(c);

	if (err) {
		next_task_then(c);
		return min(err, 0);
	}
	vma = same_vma(c);
	if (vma)
		n = entries_get(vma, &c->at, c->end, c->runs);
	unlock_mm(c);
	if (n)
		c->form->pages(c, c->runs, n);
	c->sums.runs += n;
	c->sums.torn += !vma;
	if (vma && c->at < c->end)
		return 0;
	if (c->listed)
		census_put(c, "\n", 1);
	c->stage = STAGE_VMA;
	return 0;
}

int census_step(struct census *c)
{
	switch (c->stage) {
	case STAGE_BEGIN:
		c->last_pid = highest_pid();
		c->form->begin(c);
		c->stage = STAGE_TASK;
		return 0;
	case STAGE_TASK:
		return step_task(c);
	case STAGE_MM:
		return step_mm(c);
	case STAGE_VMA:
		return step_vma(c);
	case STAGE_PAGES:
		return step_pages(c);
	case STAGE_END:
		c->form->end(c);
		c->stage = STAGE_DONE;
		return 0;
	case STAGE_DONE:
		break;
	}
	return 0;
}
