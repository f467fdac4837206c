/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stream of /dev/vmcensus: the module writes it, vmcensus reads it
 * (model/memory/source/module.c).
 *
 * A header, then records, all in the byte order and word size of the machine.
 * Every record begins with struct vmc_rec; its size is a multiple of 8 and counts
 * the whole record. A string ends a record: it takes the rest of it and is padded
 * with at least one NUL. A reader skips records of unknown types, and ignores the
 * part of a record that it does not know. So fields can be added before the string
 * only with a new version.
 *
 *     header
 *     task            every task, threads too, by pid
 *       mm            if its mm was not written with an earlier task
 *         vma         by address
 *           pages     runs of mapped or swapped pages of it, by address; may repeat
 *     end             totals; a stream without it was cut
 */
#ifndef VMCENSUS_FORMAT_H
#define VMCENSUS_FORMAT_H

#ifdef __KERNEL__
#include <linux/types.h>
typedef u8 vmc_u8;
typedef u16 vmc_u16;
typedef u32 vmc_u32;
typedef s32 vmc_s32;
typedef u64 vmc_u64;
#else
#include <stdint.h>
typedef uint8_t vmc_u8;
typedef uint16_t vmc_u16;
typedef uint32_t vmc_u32;
typedef int32_t vmc_s32;
typedef uint64_t vmc_u64;
#endif

#define VMC_MAGIC "VMCENSUS"	/* 8 bytes, no NUL */
#define VMC_VERSION 1
#define VMC_ORDER 0x01020304	/* as the machine stores it */

/* struct vmc_header.total: bytes, except the last */
enum vmc_total {
	VMC_MEMTOTAL, VMC_MEMFREE, VMC_SHMEM, VMC_BUFFERS, VMC_ANON, VMC_FILE_MAPPED,
	VMC_FILE, VMC_PAGETABLES, VMC_TOTALS
};

struct vmc_header {
	char magic[8];
	vmc_u32 order;
	vmc_u32 version;
	vmc_u32 bytes;		/* of the header */
	vmc_u8 word;		/* bytes of a long: 4 or 8 */
	vmc_u8 page_shift;
	vmc_u16 flags;		/* 0 */
	vmc_u64 time;		/* seconds since 1970 */
	vmc_u64 uptime;		/* ns */
	vmc_u64 total[VMC_TOTALS];
	char release[65], build[65], machine[65], nodename[65];	/* of utsname */
	char pad[4];
};

enum vmc_type { VMC_TASK = 1, VMC_MM, VMC_VMA, VMC_PAGES, VMC_END };

struct vmc_rec {
	vmc_u32 type;
	vmc_u32 bytes;
};

struct vmc_task {
	struct vmc_rec rec;
	vmc_s32 pid, tgid, ppid;
	vmc_u32 uid, euid, gid;
	vmc_u32 cpu, flags;	/* PF_* */
	vmc_s32 oom_score_adj, nice;
	vmc_u32 state;		/* the letter that ps prints */
	vmc_u32 pad;
	char comm[16];
	vmc_u64 mm;		/* its address; 0: none */
	vmc_u64 min_flt, maj_flt, cmin_flt, cmaj_flt;
	vmc_u64 utime, stime;	/* ns, of this task only */
	vmc_u64 start;		/* ns since boot */
};

struct vmc_mm {
	struct vmc_rec rec;
	vmc_u64 mm;
	vmc_u64 rss_file, rss_anon, rss_shmem, swap;	/* pages, by the mm's counters */
	vmc_u64 total_vm, locked_vm, data_vm, exec_vm, stack_vm;	/* pages */
	vmc_u64 hiwater_rss, hiwater_vm;
	vmc_u64 pgtables_bytes;
	vmc_u64 map_count, users;
	vmc_u64 start_code, end_code, start_data, end_data;
	vmc_u64 start_brk, brk, start_stack;
	vmc_u64 arg_start, arg_end, env_start, env_end;
	/* path of the executable */
};

enum vmc_vma_kind { VMC_ANON_VMA, VMC_FILE_VMA, VMC_SHMEM_VMA, VMC_HUGETLB_VMA };

struct vmc_vma {
	struct vmc_rec rec;
	vmc_u64 start, end;	/* end exclusive */
	vmc_u64 flags, prot;	/* vm_flags, vm_page_prot */
	vmc_u64 pgoff;		/* pages */
	vmc_u64 ino, size;	/* of the file */
	vmc_u64 swapped;	/* pages of a shmem file in the range that are in swap */
	vmc_u64 file_id;	/* address of the inode; 0: no file */
	vmc_u64 huge_bytes;	/* hugetlb: of one page */
	vmc_u32 major, minor, kind, pad;
	/* name as maps prints it; "" for anonymous memory, and where ranges of the mm tell it */
};

enum vmc_pte {			/* struct vmc_run.pte */
	VMC_PRESENT = 1 << 0, VMC_WRITE = 1 << 1, VMC_DIRTY = 1 << 2, VMC_YOUNG = 1 << 3,
	VMC_SPECIAL = 1 << 4,	/* no normal page: the zero page, a device */
	VMC_HUGE = 1 << 5,	/* of a larger entry than a page's */
	VMC_EXEC = 1 << 6,
	VMC_SWAP = 1 << 8,	/* not present: a slot */
	VMC_MIGRATION = 1 << 9,	/* not present: `where` is still a pfn */
	VMC_DEVICE = 1 << 10,	/* the same, device memory */
	VMC_OTHER = 1 << 11,	/* not present: poisoned, a marker ... */
	VMC_SWAP_TYPE_SHIFT = 24	/* 8 bits */
};

#define VMC_KPF_YOUNG 63	/* struct vmc_run.kpf: PG_young, which kpageflags hides */

struct vmc_run {		/* PAGES pages from VA on */
	vmc_u64 va;
	vmc_u64 where;		/* pfn, or offset in the swap area, of the first page; then + 1 */
	vmc_u64 kpf;		/* of each: bits of /proc/kpageflags, VMC_KPF_YOUNG */
	vmc_u32 pages, pte;
	vmc_u32 mapcount, refcount;	/* of each */
};

struct vmc_pages {
	struct vmc_rec rec;
	/* struct vmc_run, to the end */
};

struct vmc_end {
	struct vmc_rec rec;
	vmc_u64 tasks, mms, vmas, runs;
	vmc_u64 torn;		/* mappings that changed while they were read */
};

#endif
