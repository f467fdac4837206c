/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Linux 2.4.27 looks like, as far as vmcensus reads it: the declarations of
 * include/linux/{sched,mm,mmzone,fs,dcache,mount,swap,utsname}.h and of asm-ppc,
 * asm-i386, with members in their order and their #ifdefs resolved for
 *
 *	UP, no SMP, gcc 3 (an empty spinlock_t), no debugging of locks, CONFIG_HIGHMEM=n
 *
 * so that a compiler for that machine gives the offsets: tests/machine/layouts/make. What stands
 * behind the last member that is read is left out (thread_struct in task_struct, the
 * unions of file systems), which is why sizes of these types are no true ones.
 * 2.4.18 to 2.4.37 have the same but for what is said at a member.
 */
typedef unsigned short kdev_t, umode_t;
typedef unsigned int uid_t, gid_t, u32;
typedef int pid_t;
typedef long long loff_t;
typedef long time_t;
typedef struct { volatile int counter; } atomic_t;
typedef struct { } spinlock_t;			/* UP and gcc 3: linux/spinlock.h */
struct list_head { struct list_head *next, *prev; };
typedef struct { spinlock_t lock; struct list_head task_list; } wait_queue_head_t;
typedef struct { unsigned long seg; } mm_segment_t;
typedef struct { unsigned long pgprot; } pgprot_t;
#ifdef __powerpc__
typedef unsigned int mode_t;			/* asm-ppc/posix_types.h */
typedef unsigned long pte_t;			/* 40x: asm-ppc/page.h */
struct semaphore { atomic_t count; wait_queue_head_t wait; };
typedef unsigned long mm_context_t;
#else
typedef unsigned short mode_t;			/* asm-i386/posix_types.h */
typedef struct { unsigned long pte_low; } pte_t;	/* no PAE: asm-i386/page.h */
struct semaphore { atomic_t count; int sleepers; wait_queue_head_t wait; };
typedef struct { void *segments; unsigned long cpuvalid; } mm_context_t;
#endif
struct rw_semaphore { signed long count; spinlock_t wait_lock; struct list_head wait_list; };
typedef struct rb_node_s {
	struct rb_node_s *rb_parent;
	int rb_color;
	struct rb_node_s *rb_right, *rb_left;
} rb_node_t;
typedef struct rb_root_s { struct rb_node_s *rb_node; } rb_root_t;

struct new_utsname {
	char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};

/* ---- linux/sched.h ------------------------------------------------------------- */

struct mm_struct {
	struct vm_area_struct *mmap;
	rb_root_t mm_rb;
	struct vm_area_struct *mmap_cache;
	pte_t *pgd;
	atomic_t mm_users, mm_count;
	int map_count;
	struct rw_semaphore mmap_sem;
	spinlock_t page_table_lock;
	struct list_head mmlist;
	unsigned long start_code, end_code, start_data, end_data;
	unsigned long start_brk, brk, start_stack;
	unsigned long arg_start, arg_end, env_start, env_end;
	unsigned long rss, total_vm, locked_vm;
	unsigned long def_flags, cpu_vm_mask, swap_address;
	unsigned dumpable : 1;
	mm_context_t context;
};

struct timer_list {
	struct list_head list;
	unsigned long expires, data;
	void (*function)(unsigned long);
};
struct tms { long tms_utime, tms_stime, tms_cutime, tms_cstime; };
struct rlimit { unsigned long rlim_cur, rlim_max; };

struct task_struct {
	volatile long state;
	unsigned long flags;
	int sigpending;
	mm_segment_t addr_limit;
	struct exec_domain *exec_domain;
	volatile long need_resched;
	unsigned long ptrace;
	int lock_depth;
	long counter, nice;
	unsigned long policy;
	struct mm_struct *mm;
	int processor;
	unsigned long cpus_runnable, cpus_allowed;
	struct list_head run_list;
	unsigned long sleep_time;
	struct task_struct *next_task, *prev_task;
	struct mm_struct *active_mm;
	struct list_head local_pages;
	unsigned int allocation_order, nr_local_pages;
	struct linux_binfmt *binfmt;
	int exit_code, exit_signal, pdeath_signal;
	unsigned long personality;
	int did_exec : 1;
	unsigned task_dumpable : 1;
	pid_t pid, pgrp, tty_old_pgrp, session, tgid;
	int leader;
	struct task_struct *p_opptr, *p_pptr, *p_cptr, *p_ysptr, *p_osptr;
	struct list_head thread_group;
	struct task_struct *pidhash_next, **pidhash_pprev;
	wait_queue_head_t wait_chldexit;
	struct completion *vfork_done;
	unsigned long rt_priority;
	unsigned long it_real_value, it_prof_value, it_virt_value;
	unsigned long it_real_incr, it_prof_incr, it_virt_incr;
	struct timer_list real_timer;
	struct tms times;
	unsigned long start_time;
	long per_cpu_utime[1], per_cpu_stime[1];	/* NR_CPUS */
	unsigned long min_flt, maj_flt, nswap, cmin_flt, cmaj_flt, cnswap;
	int swappable : 1;
	uid_t uid, euid, suid, fsuid;
	gid_t gid, egid, sgid, fsgid;
	int ngroups;
	gid_t groups[32];
	u32 cap_effective, cap_inheritable, cap_permitted;
	int keep_capabilities : 1;
	struct user_struct *user;
	struct rlimit rlim[11];			/* RLIM_NLIMITS */
	unsigned short used_math;
	char comm[16];
};

union task_union {
	struct task_struct task;
	unsigned long stack[2048];
};

/* ---- linux/mm.h, mmzone.h, swap.h ---------------------------------------------------- */

typedef struct page {
	struct list_head list;
	struct address_space *mapping;
	unsigned long index;
	struct page *next_hash;
	atomic_t count;
	unsigned long flags;
	struct list_head lru;
	struct page **pprev_hash;
	struct buffer_head *buffers;
} mem_map_t;					/* "virtual" with CONFIG_HIGHMEM */

typedef struct zone_struct {
	spinlock_t lock;
	unsigned long free_pages;
	struct { unsigned long min, low, high; } watermarks[3];	/* MAX_NR_ZONES */
	unsigned long need_balance, nr_active_pages, nr_inactive_pages, nr_cache_pages;
	/* MAX_ORDER */
	struct { struct list_head free_list; unsigned long *map; } free_area[10];
	wait_queue_head_t *wait_table;
	unsigned long wait_table_size, wait_table_shift;
	struct pglist_data *zone_pgdat;
	struct page *zone_mem_map;
	unsigned long zone_start_paddr, zone_start_mapnr;
	char *name;
	unsigned long size, realsize;
} zone_t;

typedef struct pglist_data {
	zone_t node_zones[3];
	struct { zone_t *zones[4]; } node_zonelists[16];
	int nr_zones;
	struct page *node_mem_map;
	unsigned long *valid_addr_bitmap;
	struct bootmem_data *bdata;
	unsigned long node_start_paddr, node_start_mapnr, node_size;
	int node_id;
	struct pglist_data *node_next;
} pg_data_t;

struct vm_area_struct {
	struct mm_struct *vm_mm;
	unsigned long vm_start, vm_end;
	struct vm_area_struct *vm_next;
	pgprot_t vm_page_prot;
	unsigned long vm_flags;
	rb_node_t vm_rb;
	struct vm_area_struct *vm_next_share, **vm_pprev_share;
	struct vm_operations_struct *vm_ops;
	unsigned long vm_pgoff;
	struct file *vm_file;
	unsigned long vm_raend;
	void *vm_private_data;
};

struct vm_operations_struct {
	void (*open)(struct vm_area_struct *area);
	void (*close)(struct vm_area_struct *area);
	struct page *(*nopage)(struct vm_area_struct *area, unsigned long address, int unused);
};

struct swap_info_struct {
	unsigned int flags;
	kdev_t swap_device;
	spinlock_t sdev_lock;
	struct dentry *swap_file;
	struct vfsmount *swap_vfsmnt;
	unsigned short *swap_map;
	unsigned int lowest_bit, highest_bit, cluster_next, cluster_nr;
	int prio, pages;
	unsigned long max;
	int next;
};

/* ---- linux/fs.h, dcache.h, mount.h ------------------------------------------------------ */

struct address_space {
	struct list_head clean_pages, dirty_pages, locked_pages;
	unsigned long nrpages;
	struct address_space_operations *a_ops;
	struct inode *host;
	struct vm_area_struct *i_mmap, *i_mmap_shared;
	spinlock_t i_shared_lock;
	int gfp_mask;
};

struct inode {
	struct list_head i_hash, i_list, i_dentry, i_dirty_buffers, i_dirty_data_buffers;
	unsigned long i_ino;
	atomic_t i_count;
	kdev_t i_dev;
	umode_t i_mode;
	unsigned int i_nlink;
	uid_t i_uid;
	gid_t i_gid;
	kdev_t i_rdev;
	loff_t i_size;
	time_t i_atime, i_mtime, i_ctime;
	unsigned int i_blkbits;
	unsigned long i_blksize, i_blocks, i_version;
	unsigned short i_bytes;			/* since 2.4.20 */
	struct semaphore i_sem;
	struct rw_semaphore i_alloc_sem;	/* since 2.4.21 or near */
	struct semaphore i_zombie;
	struct inode_operations *i_op;
	struct file_operations *i_fop;
	struct super_block *i_sb;
	wait_queue_head_t i_wait;
	struct file_lock *i_flock;
	struct address_space *i_mapping;
	struct address_space i_data;
};

struct qstr {
	const unsigned char *name;
	unsigned int len, hash;
};

struct dentry {
	atomic_t d_count;
	unsigned int d_flags;
	struct inode *d_inode;
	struct dentry *d_parent;
	struct list_head d_hash, d_lru, d_child, d_subdirs, d_alias;
	int d_mounted;
	struct qstr d_name;
	unsigned long d_time;
	struct dentry_operations *d_op;
	struct super_block *d_sb;
	unsigned long d_vfs_flags;
	void *d_fsdata;
	unsigned char d_iname[16];
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
	kdev_t s_dev;
	unsigned long s_blocksize;
	unsigned char s_blocksize_bits, s_dirt;
	unsigned long long s_maxbytes;
	struct file_system_type *s_type;
	struct super_operations *s_op;
	struct dquot_operations *dq_op;
	struct quotactl_ops *s_qcop;		/* since 2.4.22 or near */
	unsigned long s_flags, s_magic;
};

/* Debug information has what something uses. */
union task_union init_task_union;
struct new_utsname system_utsname;
mem_map_t *mem_map;
pg_data_t *pgdat_list;
struct swap_info_struct swap_info[32];
struct vm_operations_struct *vm_ops;
struct inode *inode;
struct dentry *dentry;
struct file *file;
struct vfsmount *vfsmount;
struct super_block *super_block;
struct vm_area_struct *vm_area_struct;
