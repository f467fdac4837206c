/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Linux 2.6.18 looks like, as far as vmcensus reads it: the declarations of
 * include/linux/{sched,mm,mmzone,fs,dcache,mount,swap,pid}.h, with members in their order
 * and their #ifdefs resolved for
 *
 *	UP, no preemption, no debugging of locks, no SCHEDSTATS, TASK_DELAY_ACCT, KEYS,
 *	PROFILING, LSF, highmem, NUMA; FLATMEM
 *
 * as tests/machine/layouts/README.md says. thread_struct, and with it all that task_struct has behind
 * it, is left out: it is another on each CPU. Other structures end behind the last
 * member that is read; their sizes are no true ones.
 */
typedef unsigned short umode_t;
#ifdef __i386__
typedef unsigned short mode_t;
#else
typedef unsigned int mode_t;
#endif
typedef unsigned int uid_t, gid_t, dev_t, u32;
typedef int pid_t;
typedef long long loff_t;
typedef unsigned long size_t, pgoff_t, cputime_t, sector_t, blkcnt_t;
typedef struct { volatile int counter; } atomic_t;
typedef struct { } spinlock_t;
typedef struct { } rwlock_t;
struct list_head { struct list_head *next, *prev; };
struct hlist_node { struct hlist_node *next, **pprev; };
struct rb_node { unsigned long rb_parent_color; struct rb_node *rb_right, *rb_left; };
struct rb_root { struct rb_node *rb_node; };
struct timespec { long tv_sec, tv_nsec; };
struct mutex { atomic_t count; spinlock_t wait_lock; struct list_head wait_list; };
typedef struct { unsigned long bits[1]; } cpumask_t;
struct rw_semaphore { int count; spinlock_t wait_lock; struct list_head wait_list; };
#ifdef PTE64
typedef struct { unsigned long long pte; } pte_t;
typedef struct { unsigned long long pgprot; } pgprot_t;
#else
typedef struct { unsigned long pte; } pte_t;
typedef struct { unsigned long pgprot; } pgprot_t;
#endif
typedef unsigned long pgd_t;

struct new_utsname {
	char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};

/* ---- linux/sched.h ------------------------------------------------------------- */

struct pid_link { struct hlist_node node; struct pid *pid; };
enum sleep_type { SLEEP_NORMAL, SLEEP_NONINTERACTIVE, SLEEP_INTERACTIVE, SLEEP_INTERRUPTED };

struct task_struct {
	volatile long state;
	struct thread_info *thread_info;
	atomic_t usage;
	unsigned long flags, ptrace;
	int lock_depth, load_weight;
	int prio, static_prio, normal_prio;
	struct list_head run_list;
	struct prio_array *array;
	unsigned short ioprio;
	unsigned int btrace_seq;
	unsigned long sleep_avg;
	unsigned long long timestamp, last_ran, sched_time;
	enum sleep_type sleep_type;
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
	struct pid_link pids[3];		/* PIDTYPE_MAX */
	struct list_head thread_group;
	struct completion *vfork_done;
	int *set_child_tid, *clear_child_tid;
	unsigned long rt_priority;
	cputime_t utime, stime;
	unsigned long nvcsw, nivcsw;
	struct timespec start_time;
	unsigned long min_flt, maj_flt;
	cputime_t it_prof_expires, it_virt_expires;
	unsigned long long it_sched_expires;
	struct list_head cpu_timers[3];
	uid_t uid, euid, suid, fsuid;
	gid_t gid, egid, sgid, fsgid;
	struct group_info *group_info;
	u32 cap_effective, cap_inheritable, cap_permitted;
	unsigned keep_capabilities : 1;
	struct user_struct *user;
	int oomkilladj;
	char comm[16];
	int link_count, total_link_count;
};

struct file;
typedef unsigned long mm_counter_t;		/* fewer CPUs than SPLIT_PTLOCK_CPUS */
struct mm_struct {
	struct vm_area_struct *mmap;
	struct rb_root mm_rb;
	struct vm_area_struct *mmap_cache;
	unsigned long (*get_unmapped_area)(struct file *filp, unsigned long addr,
					   unsigned long len, unsigned long pgoff,
					   unsigned long flags);
	void (*unmap_area)(struct mm_struct *mm, unsigned long addr);
	unsigned long mmap_base, task_size, cached_hole_size, free_area_cache;
	pgd_t *pgd;
	atomic_t mm_users, mm_count;
	int map_count;
	struct rw_semaphore mmap_sem;
	spinlock_t page_table_lock;
	struct list_head mmlist;
	mm_counter_t _file_rss, _anon_rss;
	unsigned long hiwater_rss, hiwater_vm;
	unsigned long total_vm, locked_vm, shared_vm, exec_vm;
	unsigned long stack_vm, reserved_vm, def_flags, nr_ptes;
	unsigned long start_code, end_code, start_data, end_data;
	unsigned long start_brk, brk, start_stack;
	unsigned long arg_start, arg_end, env_start, env_end;
};

/* ---- linux/mm.h, mmzone.h, swap.h ------------------------------------------------------ */

struct page {
	unsigned long flags;
	atomic_t _count, _mapcount;
	union {
		struct { unsigned long private; struct address_space *mapping; };
		spinlock_t ptl;
	};
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

enum zone_stat_item {
	NR_ANON_PAGES, NR_FILE_MAPPED, NR_FILE_PAGES, NR_SLAB, NR_PAGETABLE, NR_FILE_DIRTY,
	NR_WRITEBACK, NR_UNSTABLE_NFS, NR_BOUNCE, NR_VM_ZONE_STAT_ITEMS
};

struct swap_info_struct {
	unsigned int flags;
	int prio;
	struct file *swap_file;
	struct block_device *bdev;
	struct list_head extent_list;
	struct swap_extent *curr_swap_extent;
	unsigned old_block_size;
	unsigned short *swap_map;
	unsigned int lowest_bit, highest_bit, cluster_next, cluster_nr;
	unsigned int pages, max, inuse_pages;
	int next;
};

/* ---- linux/fs.h, dcache.h, mount.h ------------------------------------------------------ */

struct address_space {
	struct inode *host;
	struct { unsigned int height, gfp_mask; void *rnode; } page_tree;
	rwlock_t tree_lock;
	unsigned int i_mmap_writable;
	struct { void *prio_tree_node; unsigned short index_bits, raw; } i_mmap;
	struct list_head i_mmap_nonlinear;
	spinlock_t i_mmap_lock;
	unsigned int truncate_count;
	unsigned long nrpages;
	pgoff_t writeback_index;
	const struct address_space_operations *a_ops;
} __attribute__((aligned(sizeof(long))));

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
	unsigned long i_blksize, i_version;
	blkcnt_t i_blocks;
	unsigned short i_bytes;
	spinlock_t i_lock;
	struct mutex i_mutex;
	struct rw_semaphore i_alloc_sem;
	struct inode_operations *i_op;
	const struct file_operations *i_fop;
	struct super_block *i_sb;
	struct file_lock *i_flock;
	struct address_space *i_mapping;
	struct address_space i_data;
};

struct block_device {
	dev_t bd_dev;
	struct inode *bd_inode;
	int bd_openers;
	struct mutex bd_mutex, bd_mount_mutex;
	struct list_head bd_inodes;
	void *bd_holder;
	int bd_holders;
	struct list_head bd_holder_list;	/* SYSFS */
	struct block_device *bd_contains;
	unsigned bd_block_size;
	struct hd_struct *bd_part;
	unsigned bd_part_count;
	int bd_invalidated;
	struct gendisk *bd_disk;
	struct list_head bd_list;
};

struct fown_struct {
	rwlock_t lock;
	int pid;
	uid_t uid, euid;
	void *security;
	int signum;
};

struct file_ra_state {
	unsigned long start, size, flags, cache_hit, prev_page, ahead_start, ahead_size;
	unsigned long ra_pages, mmap_hit, mmap_miss;
};

struct file {
	struct list_head f_u;
	struct dentry *f_dentry;
	struct vfsmount *f_vfsmnt;
	const struct file_operations *f_op;
	atomic_t f_count;
	unsigned int f_flags;
	mode_t f_mode;
	loff_t f_pos;
	struct fown_struct f_owner;
	unsigned int f_uid, f_gid;
	struct file_ra_state f_ra;
	unsigned long f_version;
	void *f_security, *private_data;
	struct list_head f_ep_links;		/* EPOLL */
	spinlock_t f_ep_lock;
	struct address_space *f_mapping;
};

struct qstr { unsigned int hash, len; const unsigned char *name; };

struct dentry {
	atomic_t d_count;
	unsigned int d_flags;
	spinlock_t d_lock;
	struct inode *d_inode;
	struct hlist_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct list_head d_lru, d_u, d_subdirs, d_alias;
	unsigned long d_time;
	struct dentry_operations *d_op;
	struct super_block *d_sb;
	void *d_fsdata;
	int d_mounted;
	unsigned char d_iname[36];
};

struct vfsmount {
	struct list_head mnt_hash;
	struct vfsmount *mnt_parent;
	struct dentry *mnt_mountpoint, *mnt_root;
	struct super_block *mnt_sb;
	struct list_head mnt_mounts, mnt_child;
};

struct super_block {
	struct list_head s_list;
	dev_t s_dev;
	unsigned long s_blocksize;
	unsigned char s_blocksize_bits, s_dirt;
	unsigned long long s_maxbytes;
	struct file_system_type *s_type;
	struct super_operations *s_op;
	struct dquot_operations *dq_op;
	struct quotactl_ops *s_qcop;
	struct export_operations *s_export_op;
	unsigned long s_flags, s_magic;
	struct dentry *s_root;
	struct rw_semaphore s_umount;
	struct mutex s_lock;
	int s_count, s_syncing, s_need_sync_fs;
	atomic_t s_active;
	void *s_security;
	struct xattr_handler **s_xattr;
	struct list_head s_inodes;
};

#if defined(__x86_64__) || !defined(__LP64__)
#define THREAD_SIZE 8192		/* asm/thread_info.h, page.h */
#else
#define THREAD_SIZE 16384
#endif
union thread_union { unsigned long stack[THREAD_SIZE / sizeof(long)]; };

/* Debug information has what something uses. */
struct task_struct init_task;
union thread_union *thread_union;
struct block_device *block_device;
struct new_utsname system_utsname;
struct page *mem_map;
struct swap_info_struct swap_info[32];
pte_t pte;
enum zone_stat_item zone_stat_item;
struct vm_operations_struct *vm_ops;
struct mm_struct *mm_struct;
struct inode *inode;
struct dentry *dentry;
struct file *file;
struct vfsmount *vfsmount;
struct super_block *super_block;
struct vm_area_struct *vm_area_struct;
