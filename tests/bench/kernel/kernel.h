/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel.h - the kernel of the synthetic machine: as much of Linux 6.0's types
 * as a census reads.
 *
 * kernel.c compiles them, with DWARF, to the vmlinux of that machine, from which
 * vmcensus (-t) and drgn take every offset; mkmachine.c fills the very same
 * structs. So no offset is written down anywhere.
 */
#ifndef VMCENSUS_BENCH_KERNEL_H
#define VMCENSUS_BENCH_KERNEL_H

#include <stdint.h>

#define BENCH_NODES 64		/* as many as there may be */

typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic_long_t;

struct list_head {
	struct list_head *next, *prev;
};

/* ---- who it is -------------------------------------------------------------- */

struct new_utsname {
	char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};

struct uts_namespace {
	struct new_utsname name;
};

/* ---- page frames -------------------------------------------------------------- */

enum pageflags {
	PG_locked, PG_referenced, PG_uptodate, PG_dirty, PG_lru, PG_active, PG_workingset,
	PG_waiters, PG_error, PG_slab, PG_owner_priv_1, PG_arch_1, PG_reserved, PG_private,
	PG_private_2, PG_writeback, PG_head, PG_mappedtodisk, PG_reclaim, PG_swapbacked,
	PG_unevictable, PG_mlocked, __NR_PAGEFLAGS, PG_swapcache = PG_owner_priv_1,
};

struct page {
	unsigned long flags;
	union {
		struct {
			struct list_head lru;
			struct address_space *mapping;
			unsigned long index;
			unsigned long private;
		};
		struct {
			unsigned long compound_head;
			unsigned char compound_dtor, compound_order;
			atomic_t compound_mapcount;
		};
	};
	union {
		atomic_t _mapcount;
		unsigned int page_type;
	};
	atomic_t _refcount;
	unsigned long memcg_data;
};

/* How a compound page is freed; kept in its second struct page. */
enum compound_dtor_id {
	NULL_COMPOUND_DTOR, COMPOUND_PAGE_DTOR, HUGETLB_PAGE_DTOR, TRANSHUGE_PAGE_DTOR,
};

struct pglist_data {
	unsigned long node_start_pfn, node_present_pages, node_spanned_pages;
	int node_id;
};

struct mem_section {
	unsigned long section_mem_map;
	void *usage;
};

/* ---- files ---------------------------------------------------------------------- */

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct super_block {
	unsigned int s_dev;
	unsigned long s_magic;
	void *s_fs_info;
};

struct hstate {
	unsigned int order;
};

struct hugetlbfs_sb_info {
	struct hstate *hstate;
};

struct xarray {
	unsigned int xa_flags;
	void *xa_head;
};

struct address_space_operations {
	int (*writepage)(struct page *page, void *wbc);
};

struct address_space {
	struct inode *host;
	struct xarray i_pages;
	unsigned long nrpages;
	const struct address_space_operations *a_ops;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	struct address_space *i_mapping;
	unsigned long i_ino;
	long i_size;
	struct address_space i_data;
};

struct shmem_inode_info {
	unsigned long alloced, swapped;
	struct inode vfs_inode;
};

struct hlist_bl_node {
	struct hlist_bl_node *next, **pprev;
};

struct qstr {
	unsigned int hash, len;
	const unsigned char *name;
};

struct dentry_operations {
	char *(*d_dname)(struct dentry *dentry, char *buffer, int len);
};

struct dentry {
	unsigned int d_flags;
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	const struct dentry_operations *d_op;
	struct super_block *d_sb;
	void *d_fsdata;
};

struct vfsmount {
	struct dentry *mnt_root;
	struct super_block *mnt_sb;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
	unsigned int f_mode;
	struct address_space *f_mapping;
};

/* ---- processes -------------------------------------------------------------------- */

enum { MM_FILEPAGES, MM_ANONPAGES, MM_SWAPENTS, MM_SHMEMPAGES, NR_MM_COUNTERS };

struct mm_rss_stat {
	atomic_long_t count[NR_MM_COUNTERS];
};

struct vm_area_struct;

struct vm_operations_struct {
	int (*fault)(void *vmf);
	const char *(*name)(struct vm_area_struct *vma);
};

struct vm_area_struct {
	unsigned long vm_start, vm_end;
	struct vm_area_struct *vm_next, *vm_prev;
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
	void *anon_vma;
	const struct vm_operations_struct *vm_ops;
	unsigned long vm_pgoff;
	struct file *vm_file;
	void *vm_private_data;
};

struct mm_struct {
	struct vm_area_struct *mmap;
	uint64_t *pgd;
	atomic_t mm_users, mm_count;
	int map_count;
	atomic_long_t pgtables_bytes, hugetlb_usage;
	unsigned long hiwater_rss, hiwater_vm;
	unsigned long total_vm, locked_vm, data_vm, exec_vm, stack_vm;
	unsigned long start_code, end_code, start_data, end_data;
	unsigned long start_brk, brk, start_stack;
	unsigned long arg_start, arg_end, env_start, env_end;
	struct mm_rss_stat rss_stat;
	unsigned long flags;
	struct file *exe_file;
};

struct cred {
	struct { unsigned int val; } uid, euid, gid;
};

struct signal_struct {
	struct list_head thread_head;
	short oom_score_adj;
	unsigned long utime, stime, min_flt, maj_flt;
};

struct task_struct {
	unsigned int __state;
	int exit_state;
	unsigned int flags;
	int static_prio;
	struct list_head tasks;
	struct mm_struct *mm;
	int pid, tgid;
	struct task_struct *real_parent;
	struct list_head thread_node;
	unsigned long utime, stime, start_boottime;
	unsigned long min_flt, maj_flt;
	const struct cred *real_cred;
	char comm[16];
	struct signal_struct *signal;
};

#endif
