/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Linux 4.19 looks like, as far as vmcensus reads it: the declarations of
 * include/linux/{sched,mm_types,mmzone,page-flags,fs,dcache,mount,swap,cred}.h of
 * 4.19, with members in their order and their #ifdefs resolved for
 *
 *	UP, no preemption, no debugging of locks, no statistics (SCHEDSTATS, TASKSTATS,
 *	DELAY_ACCT), no groups (CGROUP_SCHED), no COMPAT, no COMPAT_BRK, no POSIX_ACL, no SECURITY,
 *	no CGROUPS, no QUOTA, no highmem, no NUMA; FLATMEM on 32 bits, SPARSEMEM_VMEMMAP on 64 bits
 *
 * as tests/machine/layouts/README.md says. thread_struct, and with it all that task_struct has behind
 * it, is left out: it is another on each CPU. Other structures end behind the last
 * member that is read; their sizes are no true ones.
 */
typedef unsigned char u8;
typedef unsigned short u16, umode_t;
typedef unsigned int u32, uid_t, gid_t, dev_t, fmode_t;
typedef unsigned long long u64;
typedef int pid_t;
typedef long long loff_t;
typedef unsigned long size_t, pgoff_t, cputime_t, sector_t;
typedef struct { volatile int counter; } atomic_t;
typedef struct { volatile long counter; } atomic_long_t;
typedef struct { } spinlock_t;
typedef struct { } rwlock_t;
struct list_head { struct list_head *next, *prev; };
struct hlist_node { struct hlist_node *next, **pprev; };
struct hlist_head { struct hlist_node *first; };
struct rb_node { unsigned long rb_parent_color; struct rb_node *rb_right, *rb_left; };
struct rb_root { struct rb_node *rb_node; };
struct timespec64 { long long tv_sec; long tv_nsec; };
typedef struct { uid_t val; } kuid_t;
typedef struct { gid_t val; } kgid_t;
struct mutex { atomic_t count; spinlock_t wait_lock; struct list_head wait_list; };
typedef struct { spinlock_t lock; struct list_head task_list; } wait_queue_head_t;
typedef struct { unsigned long bits[1]; } cpumask_t;
struct rw_semaphore { atomic_long_t count; struct list_head wait_list; spinlock_t wait_lock; };
#ifdef PTE64
typedef unsigned long long pte_t, pgprot_t;
#else
typedef unsigned long pte_t, pgprot_t;
#endif
typedef unsigned long pgd_t;

struct new_utsname {
	char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};
struct uts_namespace { struct { atomic_t refcount; } kref; struct new_utsname name; };

/* ---- linux/sched.h ------------------------------------------------------------- */

struct load_weight { unsigned long weight; u32 inv_weight; };
struct sched_entity {
	struct load_weight load;
	unsigned long runnable_weight;
	struct rb_node run_node;
	struct list_head group_node;
	unsigned int on_rq;
	u64 exec_start, sum_exec_runtime, vruntime, prev_sum_exec_runtime;
	u64 nr_migrations;
};
struct sched_rt_entity {
	struct list_head run_list;
	unsigned long timeout, watchdog_stamp;
	unsigned int time_slice;
	unsigned short on_rq, on_list;
	struct sched_rt_entity *back;
};
typedef long long ktime_t;
struct hrtimer {
	struct { struct rb_node node; ktime_t expires; } node;
	ktime_t _softexpires;
	int (*function)(struct hrtimer *timer);
	struct hrtimer_clock_base *base;
	u8 state, is_rel, is_soft;
};
struct sched_dl_entity {
	struct rb_node rb_node;
	u64 dl_runtime, dl_deadline, dl_period, dl_bw, dl_density;
	long long runtime;
	u64 deadline;
	unsigned int flags;
	unsigned int dl_throttled : 1, dl_boosted : 1, dl_yielded : 1, dl_non_contending : 1;
	struct hrtimer dl_timer, inactive_timer;
};
struct restart_block {
	long (*fn)(struct restart_block *block);
	struct { u32 *uaddr; u32 val, flags, bitset; u64 time; u32 *uaddr2; } futex;
};
struct task_cputime { u64 utime, stime; unsigned long long sum_exec_runtime; };

struct task_struct {
#if defined(__x86_64__) || defined(__i386__)	/* THREAD_INFO_IN_TASK */
	struct { unsigned long flags; u32 status; } thread_info;
#endif
	volatile long state;
	void *stack;
	atomic_t usage;
	unsigned int flags, ptrace;
	int on_rq;
	int prio, static_prio, normal_prio;
	unsigned int rt_priority;
	const struct sched_class *sched_class;
	struct sched_entity se;
	struct sched_rt_entity rt;
	struct sched_dl_entity dl;
	unsigned int policy;
	int nr_cpus_allowed;
	cpumask_t cpus_allowed;
	struct list_head tasks;
	struct mm_struct *mm, *active_mm;
	struct { u64 seqnum; struct vm_area_struct *vmas[4]; } vmacache;
	int exit_state;
	int exit_code, exit_signal;
	int pdeath_signal;
	unsigned long jobctl;
	unsigned int personality;
	unsigned sched_reset_on_fork : 1, sched_contributes_to_load : 1, sched_migrated : 1;
	unsigned : 0;
	unsigned in_execve : 1, in_iowait : 1;
	unsigned long atomic_flags;
	struct restart_block restart_block;
	pid_t pid, tgid;
	struct task_struct *real_parent, *parent;
	struct list_head children, sibling;
	struct task_struct *group_leader;
	struct list_head ptraced, ptrace_entry;
	struct pid *thread_pid;
	struct hlist_node pid_links[4];		/* PIDTYPE_MAX */
	struct list_head thread_group, thread_node;
	struct completion *vfork_done;
	int *set_child_tid, *clear_child_tid;
	u64 utime, stime, gtime;
	struct { u64 utime, stime; } prev_cputime;
	unsigned long nvcsw, nivcsw;
	u64 start_time, real_start_time;
	unsigned long min_flt, maj_flt;
	struct task_cputime cputime_expires;
	struct list_head cpu_timers[3];
	const struct cred *ptracer_cred;
	const struct cred *real_cred, *cred;
	char comm[16];
	struct nameidata *nameidata;
};

struct cred {				/* no DEBUG_CREDENTIALS */
	atomic_t usage;
	kuid_t uid;
	kgid_t gid;
	kuid_t suid;
	kgid_t sgid;
	kuid_t euid;
	kgid_t egid;
	kuid_t fsuid;
	kgid_t fsgid;
};

/* ---- linux/mm_types.h, mmzone.h, page-flags.h, swap.h --------------------------------- */

struct page {
	unsigned long flags;
	union {
		struct {
			struct list_head lru;
			struct address_space *mapping;
			pgoff_t index;
			unsigned long private;
		};
		struct {
			unsigned long compound_head;
			unsigned char compound_dtor, compound_order;
			atomic_t compound_mapcount;
		};
	};
	union { atomic_t _mapcount; unsigned int page_type; };
	atomic_t _refcount;
}
#ifdef __x86_64__				/* HAVE_ALIGNED_STRUCT_PAGE */
__attribute__((aligned(16)))
#endif
;

enum compound_dtor_id {
	NULL_COMPOUND_DTOR, COMPOUND_PAGE_DTOR, HUGETLB_PAGE_DTOR, TRANSHUGE_PAGE_DTOR,
	NR_COMPOUND_DTORS
};

struct vm_area_struct {
	unsigned long vm_start, vm_end;
	struct vm_area_struct *vm_next, *vm_prev;
	struct rb_node vm_rb;
	unsigned long rb_subtree_gap;
	struct mm_struct *vm_mm;
	pgprot_t vm_page_prot;
	unsigned long vm_flags;
	struct { struct rb_node rb; unsigned long rb_subtree_last; } shared;
	struct list_head anon_vma_chain;
	struct anon_vma *anon_vma;
	const struct vm_operations_struct *vm_ops;
	unsigned long vm_pgoff;
	struct file *vm_file;
	void *vm_private_data;
};

struct vm_fault;
struct vm_operations_struct {
	void (*open)(struct vm_area_struct *area);
	void (*close)(struct vm_area_struct *area);
	int (*split)(struct vm_area_struct *area, unsigned long addr);
	int (*mremap)(struct vm_area_struct *area);
	int (*fault)(struct vm_fault *vmf);
	int (*huge_fault)(struct vm_fault *vmf, int size);
	void (*map_pages)(struct vm_fault *vmf, pgoff_t start, pgoff_t end);
	unsigned long (*pagesize)(struct vm_area_struct *area);
	int (*page_mkwrite)(struct vm_fault *vmf);
	int (*pfn_mkwrite)(struct vm_fault *vmf);
	int (*access)(struct vm_area_struct *area, unsigned long addr, void *buf, int len,
		      int write);
	const char *(*name)(struct vm_area_struct *area);
};
struct vm_special_mapping { const char *name; struct page **pages; };

enum mm_counters {			/* no name */
	MM_FILEPAGES, MM_ANONPAGES, MM_SWAPENTS, MM_SHMEMPAGES, NR_MM_COUNTERS
};
struct mm_rss_stat { atomic_long_t count[NR_MM_COUNTERS]; };
#ifdef __powerpc__
#define AT_VECTOR 2 * (6 + 20 + 1)		/* AT_VECTOR_SIZE_ARCH 6, _BASE 20 */
#else
#define AT_VECTOR 2 * (2 + 20 + 1)
#endif

struct mm_struct {
	struct vm_area_struct *mmap;
	struct rb_root mm_rb;
	u64 vmacache_seqnum;
	unsigned long (*get_unmapped_area)(struct file *filp, unsigned long addr,
					   unsigned long len, unsigned long pgoff,
					   unsigned long flags);
	unsigned long mmap_base, mmap_legacy_base, task_size, highest_vm_end;
	pgd_t *pgd;
	atomic_t mm_users, mm_count;
	atomic_long_t pgtables_bytes;
	int map_count;
	spinlock_t page_table_lock;
	struct rw_semaphore mmap_sem;
	struct list_head mmlist;
	unsigned long hiwater_rss, hiwater_vm;
	unsigned long total_vm, locked_vm, pinned_vm, data_vm, exec_vm;
	unsigned long stack_vm, def_flags;
	unsigned long start_code, end_code, start_data, end_data;
	unsigned long start_brk, brk, start_stack;
	unsigned long arg_start, arg_end, env_start, env_end;
	unsigned long saved_auxv[AT_VECTOR];
	struct mm_rss_stat rss_stat;
};

enum pageflags {
	PG_locked, PG_error, PG_referenced, PG_uptodate, PG_dirty, PG_lru, PG_active,
	PG_waiters, PG_slab, PG_owner_priv_1, PG_arch_1, PG_reserved, PG_private, PG_private_2,
	PG_writeback, PG_head, PG_mappedtodisk, PG_reclaim, PG_swapbacked, PG_unevictable,
	PG_mlocked, PG_swapcache = PG_owner_priv_1, PG_double_map = PG_private_2
};

enum zone_stat_item {
	NR_FREE_PAGES, NR_ZONE_INACTIVE_ANON, NR_ZONE_ACTIVE_ANON, NR_ZONE_INACTIVE_FILE,
	NR_ZONE_ACTIVE_FILE, NR_ZONE_UNEVICTABLE, NR_ZONE_WRITE_PENDING, NR_MLOCK, NR_PAGETABLE,
	NR_KERNEL_STACK_KB, NR_BOUNCE, NR_FREE_CMA_PAGES, NR_VM_ZONE_STAT_ITEMS
};
enum node_stat_item {
	NR_INACTIVE_ANON, NR_ACTIVE_ANON, NR_INACTIVE_FILE, NR_ACTIVE_FILE, NR_UNEVICTABLE,
	NR_SLAB_RECLAIMABLE, NR_SLAB_UNRECLAIMABLE, NR_ISOLATED_ANON, NR_ISOLATED_FILE,
	WORKINGSET_REFAULT, WORKINGSET_ACTIVATE, WORKINGSET_NODERECLAIM, NR_ANON_MAPPED,
	NR_FILE_MAPPED, NR_FILE_PAGES, NR_FILE_DIRTY, NR_WRITEBACK, NR_WRITEBACK_TEMP, NR_SHMEM,
	NR_SHMEM_THPS, NR_SHMEM_PMDMAPPED, NR_ANON_THPS, NR_UNSTABLE_NFS, NR_VMSCAN_WRITE,
	NR_VMSCAN_IMMEDIATE, NR_DIRTIED, NR_WRITTEN, NR_INDIRECTLY_RECLAIMABLE_BYTES,
	NR_VM_NODE_STAT_ITEMS
};
enum zone_watermarks { WMARK_MIN, WMARK_LOW, WMARK_HIGH };

#ifdef __LP64__
struct mem_section { unsigned long section_mem_map; unsigned long *pageblock_flags; };
#endif

struct plist_node { int prio; struct list_head prio_list, node_list; };
struct swap_cluster_info { unsigned int data : 24, flags : 8; };
struct swap_extent { struct list_head list; pgoff_t start_page, nr_pages; sector_t start_block; };
struct swap_info_struct {
	unsigned long flags;
	signed short prio;
	struct plist_node list;
	signed char type;
	unsigned int max;
	unsigned char *swap_map;
	struct swap_cluster_info *cluster_info;
	struct { struct swap_cluster_info head, tail; } free_clusters;
	unsigned int lowest_bit, highest_bit, pages, inuse_pages, cluster_next, cluster_nr;
	struct percpu_cluster *percpu_cluster;
	struct swap_extent *curr_swap_extent, first_swap_extent;
	struct block_device *bdev;
	struct file *swap_file;
};

struct printk_log {			/* kernel/printk/printk.c */
	u64 ts_nsec;
	u16 len, text_len, dict_len;
	u8 facility;
	u8 flags : 5, level : 3;
};

/* ---- linux/fs.h, dcache.h, mount.h ------------------------------------------------------ */

struct radix_tree_root { spinlock_t xa_lock; unsigned int gfp_mask; void *rnode; };
struct rb_root_cached { struct rb_root rb_root; struct rb_node *rb_leftmost; };

struct address_space {
	struct inode *host;
	struct radix_tree_root i_pages;
	atomic_t i_mmap_writable;
	struct rb_root_cached i_mmap;
	struct rw_semaphore i_mmap_rwsem;
	unsigned long nrpages, nrexceptional;
	pgoff_t writeback_index;
	const struct address_space_operations *a_ops;
} __attribute__((aligned(sizeof(long))));

struct inode {
	umode_t i_mode;
	unsigned short i_opflags;
	kuid_t i_uid;
	kgid_t i_gid;
	unsigned int i_flags;
	const struct inode_operations *i_op;
	struct super_block *i_sb;
	struct address_space *i_mapping;
	unsigned long i_ino;
	unsigned int i_nlink;
	dev_t i_rdev;
	loff_t i_size;
	struct timespec64 i_atime, i_mtime, i_ctime;
	spinlock_t i_lock;
	unsigned short i_bytes;
	u8 i_blkbits, i_write_hint;
	sector_t i_blocks;
	unsigned long i_state;
	struct rw_semaphore i_rwsem;
	unsigned long dirtied_when, dirtied_time_when;
	struct hlist_node i_hash;
	struct list_head i_io_list, i_lru, i_sb_list, i_wb_list;
	struct hlist_head i_dentry;
	void *i_rcu_func;			/* of the union's rcu_head */
	u64 i_version;				/* atomic64_t */
	atomic_t i_count, i_dio_count, i_writecount;
	const struct file_operations *i_fop;
	struct file_lock_context *i_flctx;
	struct address_space i_data;
};

struct block_device {
	dev_t bd_dev;
	int bd_openers;
	struct inode *bd_inode;
	struct super_block *bd_super;
	struct mutex bd_mutex;
	void *bd_claiming, *bd_holder;
	int bd_holders;
	_Bool bd_write_holder;
	struct list_head bd_holder_disks;	/* SYSFS */
	struct block_device *bd_contains;
	unsigned bd_block_size;
	u8 bd_partno;
	struct hd_struct *bd_part;
	unsigned bd_part_count;
	int bd_invalidated;
	struct gendisk *bd_disk;
	struct request_queue *bd_queue;
	struct backing_dev_info *bd_bdi;
	struct list_head bd_list;
};

struct path { struct vfsmount *mnt; struct dentry *dentry; };

struct fown_struct {
	rwlock_t lock;
	struct pid *pid;
	int pid_type;
	kuid_t uid, euid;
	int signum;
};

struct file_ra_state {
	pgoff_t start;
	unsigned int size, async_size, ra_pages, mmap_miss;
	loff_t prev_pos;
};

struct file {
	struct { void *next, *func; } f_u;	/* of the union's rcu_head */
	struct path f_path;
	struct inode *f_inode;
	const struct file_operations *f_op;
	spinlock_t f_lock;
	int f_write_hint;
	atomic_long_t f_count;
	unsigned int f_flags;
	fmode_t f_mode;
	struct mutex f_pos_lock;
	loff_t f_pos;
	struct fown_struct f_owner;
	const struct cred *f_cred;
	struct file_ra_state f_ra;
	u64 f_version;
	void *private_data;
	struct list_head f_ep_links, f_tfile_llink;	/* EPOLL */
	struct address_space *f_mapping;
};

struct hlist_bl_node { struct hlist_bl_node *next, **pprev; };
struct qstr {
	union {
		struct {		/* HASH_LEN_DECLARE */
#ifdef __BIG_ENDIAN__
			unsigned int len, hash;
#else
			unsigned int hash, len;
#endif
		};
		u64 hash_len;
	};
	const unsigned char *name;
};

struct dentry {
	unsigned int d_flags;
	struct { unsigned sequence; } d_seq;
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	unsigned char d_iname[sizeof(long) == 8 ? 32 : 40];
	struct { spinlock_t lock; int count; } d_lockref;
	const struct dentry_operations *d_op;
	struct super_block *d_sb;
	unsigned long d_time;
	void *d_fsdata;
	struct list_head d_lru, d_child, d_subdirs;
	union { struct hlist_node d_alias; } d_u;
};

struct vfsmount { struct dentry *mnt_root; struct super_block *mnt_sb; int mnt_flags; };

struct mount {				/* fs/mount.h; UP: no mnt_pcp */
	struct hlist_node mnt_hash;
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	struct { void *next, *func; } mnt_rcu;
	int mnt_count, mnt_writers;
	struct list_head mnt_mounts, mnt_child, mnt_instance;
};

struct super_block {
	struct list_head s_list;
	dev_t s_dev;
	unsigned char s_blocksize_bits;
	unsigned long s_blocksize;
	loff_t s_maxbytes;
	struct file_system_type *s_type;
	const struct super_operations *s_op;
	const struct dquot_operations *dq_op;
	const struct quotactl_ops *s_qcop;
	const struct export_operations *s_export_op;
	unsigned long s_flags, s_iflags, s_magic;
};

#ifdef __powerpc__
struct cpu_spec {			/* asm/cputable.h */
	unsigned int pvr_mask, pvr_value;
	char *cpu_name;
	unsigned long cpu_features;
	unsigned int cpu_user_features, cpu_user_features2, mmu_features;
};
struct cpu_spec *cur_cpu_spec;
#ifdef __LP64__
struct mmu_psize_def {			/* asm/mmu-hash64.h */
	unsigned int shift;
	int penc[16];			/* MMU_PAGE_COUNT */
	unsigned int tlbiel;
	unsigned long avpnm, sllp;
};
struct vmemmap_backing {		/* asm/pgalloc-64.h */
	struct vmemmap_backing *list;
	unsigned long phys, virt_addr;
};
struct mmu_psize_def mmu_psize_defs[1];
struct vmemmap_backing *vmemmap_list;
#endif
#endif

#if defined(__x86_64__) || !defined(__LP64__)
#define THREAD_SIZE 8192		/* asm/thread_info.h, page_64_types.h */
#else
#define THREAD_SIZE 16384
#endif
union thread_union { unsigned long stack[THREAD_SIZE / sizeof(long)]; };

/* Debug information has what something uses. */
struct task_struct init_task;
union thread_union *thread_union;
struct block_device *block_device;
struct uts_namespace init_uts_ns;
struct swap_info_struct *swap_info[32];
struct printk_log *printk_log;
struct page *page;
pte_t pte;
enum pageflags pageflags;
enum mm_counters mm_counters;
enum zone_stat_item zone_stat_item;
enum node_stat_item node_stat_item;
enum compound_dtor_id compound_dtor_id;
enum zone_watermarks zone_watermarks;
struct cred *cred;
struct mm_struct *mm_struct;
struct vm_area_struct *vm_area_struct;
struct vm_operations_struct *vm_ops;
struct vm_special_mapping *vm_special_mapping;
struct inode *inode;
struct dentry *dentry;
struct file *file;
struct mount *mount;
struct super_block *super_block;
#ifdef __LP64__
struct mem_section **mem_section;	/* SPARSEMEM_EXTREME */
#endif
