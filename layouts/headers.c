/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What vmcensus asks of a kernel's types, for from-headers: the headers, and the two
 * structs that they leave out. Compiled with debug information, never run. 4.4 to 4.18.
 */
#include <linux/version.h>
#include <linux/sched.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 11, 0)
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#endif
#include <linux/blkdev.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/dma-buf.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/huge_mm.h>
#include <linux/hugetlb.h>
#include <linux/kernfs.h>
#include <linux/list_bl.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/percpu_counter.h>
#include <linux/pid_namespace.h>
#include <linux/radix-tree.h>
#include <linux/shmem_fs.h>
#include <linux/swap.h>
#include <linux/timekeeper_internal.h>
#include <linux/utsname.h>
#include <linux/vmstat.h>

/* fs/mount.h, with CONFIG_SMP; the same from 3.14 to 6.5 as far as mnt_devname */
struct mount {
	struct hlist_node mnt_hash;
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	union {
		struct rcu_head mnt_rcu;
		struct llist_node mnt_llist;
	};
	void *mnt_pcp;
	struct list_head mnt_mounts, mnt_child, mnt_instance;
	const char *mnt_devname;
};

/* kernel/printk/printk.c, 3.11 to 5.0 */
struct printk_log {
	u64 ts_nsec;
	u16 len, text_len, dict_len;
	u8 facility;
	u8 flags : 5, level : 3;
};

/* A variable of each type has the compiler describe it. */
#define STRUCT(name) struct name *of_##name;
#define ENUM(name) enum name of_##name;

STRUCT(address_space) STRUCT(block_device) STRUCT(cgroup) STRUCT(cgroup_root)
STRUCT(cgroup_subsys_state) STRUCT(cpuinfo_x86) STRUCT(cred) STRUCT(css_set)
STRUCT(dentry) STRUCT(dentry_operations) STRUCT(dma_buf) STRUCT(fdtable) STRUCT(file)
STRUCT(file_operations) STRUCT(files_struct) STRUCT(fs_struct) STRUCT(hlist_bl_node)
STRUCT(hstate) STRUCT(hugetlbfs_sb_info) STRUCT(inode) STRUCT(k_sigaction)
STRUCT(kernfs_node) STRUCT(mem_cgroup) STRUCT(mem_section) STRUCT(mm_struct)
STRUCT(mount) STRUCT(new_utsname) STRUCT(page) STRUCT(percpu_counter) STRUCT(pglist_data)
STRUCT(pid) STRUCT(pid_namespace) STRUCT(printk_log) STRUCT(pt_regs)
STRUCT(radix_tree_node) STRUCT(radix_tree_root) STRUCT(rlimit) STRUCT(shmem_inode_info)
STRUCT(sighand_struct) STRUCT(signal_struct) STRUCT(super_block) STRUCT(swap_cluster_info)
STRUCT(swap_info_struct) STRUCT(task_struct) STRUCT(timekeeper) STRUCT(upid)
STRUCT(uts_namespace) STRUCT(vfsmount) STRUCT(vm_area_struct) STRUCT(vm_event_state)
STRUCT(vm_operations_struct) STRUCT(vm_special_mapping) STRUCT(zone)
ENUM(cgroup_subsys_id) ENUM(compound_dtor_id) ENUM(node_states) ENUM(pageflags)
ENUM(pid_type) ENUM(transparent_hugepage_flag) ENUM(vm_event_item) ENUM(zone_stat_item)
ENUM(zone_type) ENUM(zone_watermarks)
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 8, 0)
ENUM(node_stat_item)
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 14, 0)
ENUM(numa_stat_item)
#endif
union thread_union *of_thread_union;
nodemask_t of_nodemask;
pte_t of_pte;
int of_nameless = CSS_ONLINE + MM_FILEPAGES;
