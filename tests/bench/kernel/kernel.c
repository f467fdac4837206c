/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The variables of the synthetic kernel. Linked at the kernel's addresses, it is
 * the vmlinux of that machine, and its segments are the kernel image in memory.
 * What depends on the size of the machine is filled in by mkmachine.
 */
#include "kernel.h"

extern struct task_struct init_task;
extern struct file exe_file, shared_file, huge_2m_file, huge_1g_file;
extern struct pglist_data nodes[BENCH_NODES], *node_data[BENCH_NODES];
extern struct mem_section **mem_section;
extern unsigned long max_pfn, page_offset_base, vmemmap_base;
extern uint64_t init_top_pgt[512];
extern const struct address_space_operations shmem_aops;
extern struct uts_namespace init_uts_ns;
extern enum compound_dtor_id dtor_of_bench;
void start_kernel(void);

uint64_t init_top_pgt[512] __attribute__((aligned(4096))) = { 0 };
struct mem_section **mem_section;
unsigned long max_pfn;
struct pglist_data nodes[BENCH_NODES], *node_data[BENCH_NODES];
enum compound_dtor_id dtor_of_bench = HUGETLB_PAGE_DTOR;	/* keeps the type */
unsigned long page_offset_base = 0xffff888000000000;
unsigned long vmemmap_base = 0xffffea0000000000;

struct uts_namespace init_uts_ns = {
	.name = { "Linux", "bench", "6.0.0-bench", "#1 SMP", "x86_64", "(none)" },
};

/* ---- files -------------------------------------------------------------- */

#define NAME(text) { .len = sizeof(text) - 1, .name = (const unsigned char *)(text) }

const struct address_space_operations shmem_aops;
static const struct address_space_operations disk_aops;
static struct super_block disk_sb = { .s_dev = 8 << 20 | 1, .s_magic = 0xef53 };
static struct super_block shm_sb = { .s_dev = 23, .s_magic = 0x01021994 };

static struct inode root_inode = { .i_mode = 040755, .i_sb = &disk_sb, .i_ino = 2 };
static struct inode shm_root_inode = { .i_mode = 041777, .i_sb = &shm_sb, .i_ino = 1 };
static struct inode exe_inode = {
	.i_mode = 0100755, .i_sb = &disk_sb, .i_mapping = &exe_inode.i_data, .i_ino = 77,
	.i_data = { .host = &exe_inode, .a_ops = &disk_aops },
};
static struct shmem_inode_info shared_inode = {
	.vfs_inode = {
		.i_mode = 0100600, .i_sb = &shm_sb, .i_ino = 78,
		.i_mapping = &shared_inode.vfs_inode.i_data,
		.i_data = { .host = &shared_inode.vfs_inode, .a_ops = &shmem_aops },
	},
};

static struct hlist_bl_node *hashed;
static struct dentry root = {
	.d_parent = &root, .d_name = NAME("/"), .d_inode = &root_inode, .d_sb = &disk_sb,
	.d_hash.pprev = &hashed,
};
static struct dentry exe = {
	.d_parent = &root, .d_name = NAME("bench"), .d_inode = &exe_inode, .d_sb = &disk_sb,
	.d_hash.pprev = &hashed,
};
static struct dentry shm = {
	.d_parent = &root, .d_name = NAME("shm"), .d_inode = &root_inode, .d_sb = &disk_sb,
	.d_hash.pprev = &hashed,
};
static struct dentry shm_root = {
	.d_parent = &shm_root, .d_name = NAME("/"), .d_inode = &shm_root_inode,
	.d_sb = &shm_sb, .d_hash.pprev = &hashed,
};
static struct dentry shared = {
	.d_parent = &shm_root, .d_name = NAME("shared"), .d_inode = &shared_inode.vfs_inode,
	.d_sb = &shm_sb, .d_hash.pprev = &hashed,
};

static struct mount root_mount = {
	.mnt_parent = &root_mount, .mnt_mountpoint = &root,
	.mnt = { .mnt_root = &root, .mnt_sb = &disk_sb },
};
static struct mount shm_mount = {
	.mnt_parent = &root_mount, .mnt_mountpoint = &shm,
	.mnt = { .mnt_root = &shm_root, .mnt_sb = &shm_sb },
};

struct file exe_file = {
	.f_path = { &root_mount.mnt, &exe }, .f_inode = &exe_inode,
	.f_mapping = &exe_inode.i_data,
};
struct file shared_file = {
	.f_path = { &shm_mount.mnt, &shared }, .f_inode = &shared_inode.vfs_inode,
	.f_mapping = &shared_inode.vfs_inode.i_data,
};

/* ---- huge pages: a mount for each size ---------------------------------------- */

static const struct address_space_operations hugetlbfs_aops;

#define HUGE_FILE(which, bits, dev, ino)                                               \
	static struct hstate which##_hstate = { .order = (bits) };                     \
	static struct hugetlbfs_sb_info which##_info = { .hstate = &which##_hstate };  \
	static struct super_block which##_sb = {                                       \
		.s_dev = (dev), .s_magic = 0x958458f6, .s_fs_info = &which##_info,     \
	};                                                                             \
	static struct inode which##_inode = {                                          \
		.i_mode = 0100600, .i_sb = &which##_sb, .i_ino = (ino),                \
		.i_mapping = &which##_inode.i_data,                                    \
		.i_data = { .host = &which##_inode, .a_ops = &hugetlbfs_aops },        \
	};                                                                             \
	static struct inode which##_root_inode = {                                     \
		.i_mode = 0040755, .i_sb = &which##_sb, .i_ino = 1,                    \
	};                                                                             \
	static struct dentry which##_root = {                                          \
		.d_parent = &which##_root, .d_name = NAME("/"),                        \
		.d_inode = &which##_root_inode, .d_sb = &which##_sb, .d_hash.pprev = &hashed, \
	};                                                                             \
	static struct mount which##_mount = {                                          \
		.mnt_parent = &root_mount, .mnt_mountpoint = &huge,                    \
		.mnt = { .mnt_root = &which##_root, .mnt_sb = &which##_sb },           \
	};                                                                             \
	static struct dentry which##_dentry = {                                        \
		.d_parent = &which##_root, .d_name = NAME(#which),                     \
		.d_inode = &which##_inode, .d_sb = &which##_sb, .d_hash.pprev = &hashed, \
	};                                                                             \
	struct file which##_file = {                                                   \
		.f_path = { &which##_mount.mnt, &which##_dentry },                     \
		.f_inode = &which##_inode, .f_mapping = &which##_inode.i_data,         \
	}

static struct dentry huge = {
	.d_parent = &root, .d_name = NAME("huge"), .d_inode = &root_inode, .d_sb = &disk_sb,
	.d_hash.pprev = &hashed,
};
HUGE_FILE(huge_2m, 9, 24, 79);
HUGE_FILE(huge_1g, 18, 25, 80);

/* ---- the idle task ------------------------------------------------------------ */

static struct cred init_cred;
static struct signal_struct init_signals = {
	.thread_head = { &init_task.thread_node, &init_task.thread_node },
};
struct task_struct init_task = {
	.flags = 0x00200000,	/* PF_KTHREAD */
	.static_prio = 120,
	.tasks = { &init_task.tasks, &init_task.tasks },
	.real_parent = &init_task,
	.thread_node = { &init_signals.thread_head, &init_signals.thread_head },
	.real_cred = &init_cred,
	.comm = "swapper/0",
	.signal = &init_signals,
};

/* drgn knows a vmlinux by this section. */
__attribute__((section(".init.text"))) void start_kernel(void)
{
}
