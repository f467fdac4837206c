/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Linux 2.6.11 looks like, as far as vmcensus reads it: the declarations of
 * include/linux/{sched,mm,fs,dcache,mount,swap,pid}.h, with members in their order and
 * their #ifdefs resolved for
 *
 *	UP, no preemption, no debugging of locks, no SCHEDSTATS, KEYS, highmem, NUMA;
 *	FLATMEM; 32 bits
 *
 * as tests/machine/layouts/README.md says. thread_struct, and with it all that task_struct has behind
 * it, is left out. Other structures end behind the last member that is read; their
 * sizes are no true ones.
 */
typedef unsigned short umode_t, mode_t;
typedef unsigned int uid_t, gid_t, dev_t, u32;
typedef int pid_t;
typedef long long loff_t;
typedef unsigned long size_t, pgoff_t, cputime_t, page_flags_t;
typedef struct { volatile int counter; } atomic_t;
typedef struct { } spinlock_t;
struct list_head { struct list_head *next, *prev; };
struct hlist_node { struct hlist_node *next, **pprev; };
struct rb_node { struct rb_node *rb_parent; int rb_color; struct rb_node *rb_right, *rb_left; };
struct rb_root { struct rb_node *rb_node; };
struct timespec { long tv_sec, tv_nsec; };
typedef struct { spinlock_t lock; struct list_head task_list; } wait_queue_head_t;
typedef struct { unsigned long bits[1]; } cpumask_t;
#ifdef __powerpc__
struct semaphore { atomic_t count; wait_queue_head_t wait; };
#else
struct semaphore { atomic_t count; int sleepers; wait_queue_head_t wait; };
#endif
struct rw_semaphore { signed long count; spinlock_t wait_lock; struct list_head wait_list; };
typedef struct { unsigned long pte; } pte_t;
typedef struct { unsigned long pgprot; } pgprot_t;
typedef unsigned long pgd_t;

struct new_utsname {
	char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};

/* ---- linux/sched.h ------------------------------------------------------------- */

struct pid {				/* linux/pid.h; one for each type in a task */
	int nr;
	struct hlist_node pid_chain;
	struct list_head pid_list;
};
struct timer_list {
	struct list_head entry;
	unsigned long expires;
	spinlock_t lock;
	unsigned long magic;
	void (*function)(unsigned long);
	unsigned long data;
	struct tvec_t_base_s *base;
};

struct task_struct {
	volatile long state;
	struct thread_info *thread_info;
	atomic_t usage;
	unsigned long flags, ptrace;
	int lock_depth;
	int prio, static_prio;
	struct list_head run_list;
	struct prio_array *array;
	unsigned long sleep_avg;
	unsigned long long timestamp, last_ran;
	int activated;
	unsigned long policy;
	cpumask_t cpus_allowed;
	unsigned int time_slice, first_time_slice;
	struct list_head tasks, ptrace_children, ptrace_list;
	struct mm_struct *mm, *active_mm;
	struct linux_binfmt *binfmt;
	long exit_state;
	int exit_code, exit_signal, pdeath_signal;
	unsigned long personality;
	unsigned did_exec : 1;
	pid_t pid, tgid;
	struct task_struct *real_parent, *parent;
	struct list_head children, sibling;
	struct task_struct *group_leader;
	struct pid pids[4];			/* PID, TGID, PGID, SID */
	struct completion *vfork_done;
	int *set_child_tid, *clear_child_tid;
	unsigned long rt_priority, it_real_value, it_real_incr;
	cputime_t it_virt_value, it_virt_incr, it_prof_value, it_prof_incr;
	struct timer_list real_timer;
	cputime_t utime, stime;
	unsigned long nvcsw, nivcsw;
	struct timespec start_time;
	unsigned long min_flt, maj_flt;
	uid_t uid, euid, suid, fsuid;
	gid_t gid, egid, sgid, fsgid;
	struct group_info *group_info;
	u32 cap_effective, cap_inheritable, cap_permitted;
	unsigned keep_capabilities : 1;
	struct user_struct *user;
	int oomkilladj;
	char comm[16];
};

struct file;
struct mm_struct {
	struct vm_area_struct *mmap;
	struct rb_root mm_rb;
	struct vm_area_struct *mmap_cache;
	unsigned long (*get_unmapped_area)(struct file *filp, unsigned long addr,
					   unsigned long len, unsigned long pgoff,
					   unsigned long flags);
	void (*unmap_area)(struct vm_area_struct *area);
	unsigned long mmap_base, free_area_cache;
	pgd_t *pgd;
	atomic_t mm_users, mm_count;
	int map_count;
	struct rw_semaphore mmap_sem;
	spinlock_t page_table_lock;
	struct list_head mmlist;
	unsigned long start_code, end_code, start_data, end_data;
	unsigned long start_brk, brk, start_stack;
	unsigned long arg_start, arg_end, env_start, env_end;
	unsigned long rss, anon_rss, total_vm, locked_vm, shared_vm;
	unsigned long exec_vm, stack_vm, reserved_vm, def_flags, nr_ptes;
};

/* ---- linux/mm.h, swap.h ---------------------------------------------------------------- */

struct page {
#ifdef __powerpc__			/* ARCH_HAS_ATOMIC_UNSIGNED is i386's */
	page_flags_t flags;
#else
	unsigned flags;
#endif
	atomic_t _count, _mapcount;
	unsigned long private;
	struct address_space *mapping;
	pgoff_t index;
	struct list_head lru;
};

struct vm_area_struct {
	struct mm_struct *vm_mm;
	unsigned long vm_start, vm_end;
	struct vm_area_struct *vm_next;
	pgprot_t vm_page_prot;
	unsigned long vm_flags;
	struct rb_node vm_rb;
	union {
		struct { struct list_head list; void *parent; struct vm_area_struct *head; } vm_set;
		struct { void *left, *right, *parent; } prio_tree_node;
	} shared;
	struct list_head anon_vma_node;
	struct anon_vma *anon_vma;
	struct vm_operations_struct *vm_ops;
	unsigned long vm_pgoff;
	struct file *vm_file;
	void *vm_private_data;
};

struct vm_operations_struct {
	void (*open)(struct vm_area_struct *area);
	void (*close)(struct vm_area_struct *area);
	struct page *(*nopage)(struct vm_area_struct *area, unsigned long address, int *type);
};

struct swap_info_struct {
	unsigned int flags;
	spinlock_t sdev_lock;
	struct file *swap_file;
	struct block_device *bdev;
	struct list_head extent_list;
	int nr_extents;
	struct swap_extent *curr_swap_extent;
	unsigned old_block_size;
	unsigned short *swap_map;
	unsigned int lowest_bit, highest_bit, cluster_next, cluster_nr;
	int prio, pages;
	unsigned long max, inuse_pages;
	int next;
};

/* ---- linux/fs.h, dcache.h, mount.h ------------------------------------------------------ */

struct address_space {
	struct inode *host;
	struct { unsigned int height; int gfp_mask; void *rnode; } page_tree;
	spinlock_t tree_lock;
	unsigned int i_mmap_writable;
	struct { void *prio_tree_node; unsigned short index_bits, raw; } i_mmap;
	struct list_head i_mmap_nonlinear;
	spinlock_t i_mmap_lock;
	unsigned int truncate_count;
	unsigned long nrpages;
	pgoff_t writeback_index;
	struct address_space_operations *a_ops;
};

struct inode {
	struct hlist_node i_hash;
	struct list_head i_list, i_sb_list, i_dentry;
	unsigned long i_ino;
	atomic_t i_count;
	umode_t i_mode;
	unsigned int i_nlink;
	uid_t i_uid;
	gid_t i_gid;
	dev_t i_rdev;
	loff_t i_size;
	struct timespec i_atime, i_mtime, i_ctime;
	unsigned int i_blkbits;
	unsigned long i_blksize, i_version, i_blocks;
	unsigned short i_bytes;
	unsigned char i_sock;
	spinlock_t i_lock;
	struct semaphore i_sem;
	struct rw_semaphore i_alloc_sem;
	struct inode_operations *i_op;
	struct file_operations *i_fop;
	struct super_block *i_sb;
	struct file_lock *i_flock;
	struct address_space *i_mapping;
	struct address_space i_data;
};

struct qstr { unsigned int hash, len; const unsigned char *name; };
struct rcu_head { struct rcu_head *next; void (*func)(struct rcu_head *head); };

struct dentry {
	atomic_t d_count;
	unsigned int d_flags;
	spinlock_t d_lock;
	struct inode *d_inode;
	struct dentry *d_parent;
	struct qstr d_name;
	struct list_head d_lru, d_child, d_subdirs, d_alias;
	unsigned long d_time;
	struct dentry_operations *d_op;
	struct super_block *d_sb;
	void *d_fsdata;
	struct rcu_head d_rcu;
	struct dcookie_struct *d_cookie;
	struct hlist_node d_hash;
	int d_mounted;
	unsigned char d_iname[36];
};

struct file {
	struct list_head f_list;
	struct dentry *f_dentry;
	struct vfsmount *f_vfsmnt;
	struct file_operations *f_op;
	atomic_t f_count;
	unsigned int f_flags;
	mode_t f_mode;
};

struct vfsmount {
	struct list_head mnt_hash;
	struct vfsmount *mnt_parent;
	struct dentry *mnt_mountpoint, *mnt_root;
	struct super_block *mnt_sb;
};

struct super_block {
	struct list_head s_list;
	dev_t s_dev;
	unsigned long s_blocksize, s_old_blocksize;
	unsigned char s_blocksize_bits, s_dirt;
	unsigned long long s_maxbytes;
	struct file_system_type *s_type;
	struct super_operations *s_op;
	struct dquot_operations *dq_op;
	struct quotactl_ops *s_qcop;
	struct export_operations *s_export_op;
	unsigned long s_flags, s_magic;
};

/* Debug information has what something uses. */
struct task_struct init_task;
struct new_utsname system_utsname;
struct page *mem_map;
struct swap_info_struct swap_info[32];
pte_t pte;
struct vm_operations_struct *vm_ops;
struct mm_struct *mm_struct;
struct inode *inode;
struct dentry *dentry;
struct file *file;
struct vfsmount *vfsmount;
struct super_block *super_block;
struct vm_area_struct *vm_area_struct;
