/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model.h - the objects in the memory of a crashed machine.
 *
 * snapshot_build() fills one struct snapshot from a kernel, left to right:
 *     tasks -> procs -> mms -> vmas -> files     walkers, one thread
 *     frames                                     one parallel pass over the page array
 *     usage of each vma                          one parallel pass over page tables
 * and it is read-only afterwards. Reports see nothing else. Arrays refer to
 * each other by index (NONE: no such), so an index is all that a row needs.
 * All memory belongs to snapshot.mem (frames to their own chunks): one
 * snapshot_free() ends it.
 *
 * Page-table entries are not stored: code that needs a map of one vma walks it again
 * with vma_walk() (model/memory/usage/account.h). Where a collector's text was opened
 * instead of a dump, the same arrays are filled from that (model/memory/source/).
 */
#ifndef VMCENSUS_MODEL_H
#define VMCENSUS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "dumpread/base/arena.h"
#include "dumpread/base/issues.h"
#include "model/kernel/kernel.h"

#define NONE UINT32_MAX

/* ---- usage: the cost of a range of memory ------------------------------ */

/*
 * Names and rules are those of /proc/PID/smaps (fs/proc/task_mmu.c, struct
 * mem_size_stats). Bytes; the pss family is bytes << PSS_SHIFT, as in the kernel: shift
 * right once, after adding up.
 */
#define PSS_SHIFT 12

struct usage {
	uint64_t size;			/* vm_end - vm_start */
	uint64_t rss;
	uint64_t pss, pss_anon, pss_file, pss_shmem, pss_dirty, pss_locked;
	uint64_t shared_clean, shared_dirty, private_clean, private_dirty;
	uint64_t referenced, anonymous, lazyfree, ksm;
	uint64_t anon_huge, shmem_huge, file_huge;
	uint64_t shared_hugetlb, private_hugetlb;
	uint64_t swap;			/* pte entries and shmem's own slots */
	uint64_t swap_pss;		/* << PSS_SHIFT */
	/* beyond smaps */
	uint64_t rss_anon, rss_file, rss_shmem;	/* of rss, by class of page */
	uint64_t swap_ptes;		/* bytes of swap from page-table entries only */
	uint64_t swap_uss;		/* of these, slots with no other reference */
	uint64_t swap_cached;		/* of these, slots whose page is in memory too */
	/* the part of the mm's counters beyond rss: huge pages that smaps leaves out, and all
	   of the above with them; less pages that smaps has and the counters lack (modulo
	   2^64): poisoned pages, huge entries of device memory */
	uint64_t hidden_anon, hidden_file, hidden_shmem;
	uint64_t special;		/* mapped without a page: zero page, PFNMAP */
	uint64_t table_bytes;		/* page-table pages met (levels below the root) */
	uint64_t lost;			/* bytes under unreadable tables */
	uint64_t unknown;		/* bytes mapped whose struct page is not readable */
	uint64_t unknown_slots;		/* bytes in swap whose slot is not readable: in swap, and in
					   no other of the above */
	uint64_t whole;			/* of pss: bytes counted whole, even if others map them */
};

void usage_add(struct usage *sum, const struct usage *u);
/* Private_Clean + Private_Dirty: memory that would be free without this. */
static inline uint64_t usage_uss(const struct usage *u)
{
	return u->private_clean + u->private_dirty;
}

/* ---- tasks and processes -------------------------------------------------- */

#define PF_KTHREAD 0x200000u	/* of task.flags; 246bb0b1deb2 (v2.6.27) */

#define PID_UNKNOWN (-1)

struct task {				/* one thread, or process of one thread */
	uint64_t addr;			/* of its task_struct */
	int32_t pid, tgid, ppid;	/* as the initial pid namespace counts; ppid PID_UNKNOWN:
					   the parent could not be read */
	uint32_t proc;			/* index in procs */
	uint32_t mm;			/* index in mms; NONE: kernel thread or past exit_mm */
	char comm[16];			/* may hold any byte; terminated */
	char state;			/* as ps prints: R S D T t X Z P I ... */
	uint32_t flags;			/* PF_* */
	bool in_execve;			/* from when execve() has the file until it is done */
	bool in_vfork;			/* its parent waits in vfork() and shares the mm */
	const char *unlisted;		/* it is in no list of tasks: how it was found; else NULL */
	uint32_t cpu;			/* last ran there */
	uint64_t utime, stime;		/* ns; of only this thread. These and the following:
					   UINT64_MAX if unknown */
	uint64_t min_flt, maj_flt;
	uint64_t start_boottime;	/* ns since boot */
};

struct proc {				/* a thread group */
	uint32_t leader;		/* index in tasks; may be a zombie */
	uint32_t first_task, ntasks;	/* its threads: tasks[first_task ..) */
	uint32_t mm;			/* of the leader, else of the first thread that has one */
	bool kthread;
	int32_t pid, ppid;		/* ppid: see task */
	uint32_t uid, euid, gid;	/* uid: real; kernel ids (initial user namespace);
					   UINT32_MAX (the kernel's INVALID_UID): unknown */
	int16_t oom_score_adj;
	bool adj_known;			/* oom_score_adj was read */
	int8_t nice;
	uint32_t cgroup;		/* index in cgroups, or NONE */
	uint64_t utime, stime;		/* ns, whole group incl. its dead threads */
	uint64_t min_flt, maj_flt;	/* the same */
	uint64_t start_boottime;
	uint32_t pidns_level;		/* depth of its pid namespace, 0 initial */
	int32_t pidns_pid;		/* its pid there */
	bool oom_victim;		/* signal->oom_mm is set */
	bool admin;			/* CAP_SYS_ADMIN is effective in the initial user
					   namespace; read before 6.3 */
	bool mm_unread;			/* it has an mm that could not be read: mm is NONE */
};

/* ---- mms ------------------------------------------------------------------- */

enum rss_counter { RSS_FILE, RSS_ANON, RSS_SWAP, RSS_SHMEM, RSS_COUNTERS };

struct bad_table;

struct mm {
	uint64_t addr;
	uint64_t pgd_pa;		/* physical address of the root; 0 unknown */
	int32_t users;			/* mm_users; 0: exit_mmap ran or runs */
	uint32_t owner;			/* index in procs: the first that uses it */
	uint32_t nprocs;		/* thread groups that share it */
	uint32_t first_vma, nvmas;
	int64_t map_count;		/* the kernel's own count of VMAs */
	int64_t counter[RSS_COUNTERS];	/* pages, exact */
	int64_t counter_shown[RSS_COUNTERS]; /* pages, as /proc/PID/status prints */
	int64_t counter_approx[RSS_COUNTERS]; /* pages, as /proc/PID/stat prints: without
					         counts that CPUs have not folded in yet */
	uint64_t total_vm, locked_vm, data_vm, exec_vm, stack_vm;	/* pages */
	uint64_t pgtables_bytes;
	uint64_t hiwater_rss, hiwater_vm;	/* pages */
	uint64_t start_code, end_code, start_data, end_data;
	uint64_t start_brk, brk, start_stack;
	uint64_t arg_start, arg_end, env_start, env_end;
	uint64_t flags;			/* MMF_* */
	uint32_t exe;			/* index in files, or NONE */
	const char *cmdline;		/* argv joined by blanks, or NULL: not in the dump */
	const char *args;		/* the same as in /proc/PID/cmdline: bytes, in which */
	uint32_t nargs;			/* a NUL ends each argument */
	const struct bad_table *bad_tables;	/* model/memory/usage/tables.h; ascending */
	uint32_t nbad_tables;
	bool reaped;			/* the OOM reaper ran on it */
	bool forked;			/* of a child inside fork(): no task has it yet */
	bool oom_disabled;		/* a task of it must not be killed (until 3.1) */
	bool broken;			/* its VMAs could not all be read */
	struct usage usage;		/* sum over its VMAs */
};

struct vma {
	uint64_t addr;			/* of its vm_area_struct */
	uint64_t start, end;		/* bytes, end exclusive */
	uint64_t flags;			/* VM_* as this kernel numbers them */
	uint64_t pgoff;			/* pages */
	uint32_t mm;			/* index in mms */
	uint32_t file;			/* index in files, or NONE */
	uint64_t file_addr;		/* struct file, 0 if none */
	uint64_t ops;			/* vm_ops, 0 if none */
	uint64_t private_data;		/* vm_private_data */
	uint64_t anon_vma;
	const char *name;		/* as the last field of maps, unescaped; "" if none */
	struct usage usage;
};

/* Permission and behaviour bits that never changed (include/linux/mm.h). */
enum vma_flag {
	VMA_READ = 0x1, VMA_WRITE = 0x2, VMA_EXEC = 0x4, VMA_SHARED = 0x8,
	VMA_MAYSHARE = 0x80, VMA_GROWSDOWN = 0x100, VMA_PFNMAP = 0x400,
	VMA_LOCKED = 0x2000, VMA_IO = 0x4000, VMA_HUGETLB = 0x400000,
	VMA_MIXEDMAP = 0x10000000,
};

/* ---- files ----------------------------------------------------------------- */

enum file_kind { FILE_REGULAR, FILE_SHMEM, FILE_HUGETLB, FILE_DEVICE, FILE_OTHER };

struct file {				/* one (inode, path) that VMAs map */
	uint64_t inode;			/* kernel address */
	uint64_t mapping;		/* struct address_space, 0 unknown */
	const char *path;		/* as maps prints it, unescaped, with " (deleted)" */
	bool deleted;
	enum file_kind kind;
	uint32_t dev_major, dev_minor;
	uint64_t ino;			/* UINT64_MAX: not known */
	uint64_t size;			/* i_size, bytes; UINT64_MAX: not known */
	uint64_t cached;		/* pages in its page cache; UINT64_MAX: not known */
	uint64_t shmem_swapped;		/* pages of a shmem file in swap */
	uint64_t huge_page_size;	/* FILE_HUGETLB: bytes, else 0 */
	uint8_t build_id[32];
	unsigned build_id_len;		/* 0: not known */
	bool status_known;		/* false: inode or path not complete in the dump */
};

/* ---- cgroups ---------------------------------------------------------------- */

struct cgroup {
	uint64_t css;			/* memory css if there is one, else the cgroup's */
	const char *path;		/* "/system.slice/x.service" */
	uint32_t parent;		/* index, NONE for the root */
	uint64_t usage, swap;		/* pages charged (memory, swap counters) */
	uint64_t max;			/* pages; UINT64_MAX: no limit */
	bool memory;			/* css is of the memory controller */
	bool dying;			/* removed, but still referenced */
};

/* ---- frames ----------------------------------------------------------------- */

enum frame_flag {
	FR_EXISTS = 1 << 0,	/* there is a struct page, and it was read */
	FR_ANON = 1 << 1,	/* folio is anonymous */
	FR_KSM = 1 << 2,
	FR_SWAPBACKED = 1 << 3,	/* of the folio */
	FR_DIRTY = 1 << 4,	/* of the folio */
	FR_REFERENCED = 1 << 5,	/* PG_referenced or young, as smaps asks */
	FR_SINGLE = 1 << 6,	/* folio refcount is 1: smaps' short cut */
	FR_HEAD = 1 << 7, FR_TAIL = 1 << 8,	/* of a compound page */
	FR_HUGETLB = 1 << 9,
	FR_SLAB = 1 << 10, FR_BUDDY = 1 << 11, FR_PGTABLE = 1 << 12,
	FR_RESERVED = 1 << 13, FR_LRU = 1 << 14, FR_SWAPCACHE = 1 << 15,
	FR_OFFLINE = 1 << 16, FR_HWPOISON = 1 << 17,
	FR_SHARED_FOLIO = 1 << 18,	/* folio_*_mapped_shared(), as hugetlb lines ask */
	FR_ZONE_DEVICE = 1 << 19,
	FR_CACHE = 1 << 20,	/* belongs to a file's page cache (shmem too) */
	FR_UNREAD = 1 << 21,	/* there is a struct page; it could not be read */
	FR_BLANK = 1 << 22,	/* its struct page is zeros: it was never set up, there is no
				   memory */
	FR_ORDER_SHIFT = 24,	/* 6 bits: order of the folio */
};

struct frame {
	uint32_t mapcount;	/* page_mapcount() as this kernel computes it */
	uint32_t flags;		/* enum frame_flag, order << FR_ORDER_SHIFT */
};

#define FRAME_CHUNK_SHIFT 15
#define FRAME_CHUNK (UINT64_C(1) << FRAME_CHUNK_SHIFT)
#define FRAME_RARE UINT16_MAX

/*
 * A machine has few distinct frames: kind[] has the index of each in frames.kind. Those that
 * do not fit there are FRAME_RARE and listed.
 */
struct frame_chunk {
	uint16_t kind[FRAME_CHUNK];
	struct frame_rare { uint32_t at; struct frame f; } *rare;	/* ascending */
	uint32_t nrare;
	uint64_t *parts;	/* a bit for each part that was read (model/memory/frames/parts.c); NULL: it
				   was read as a whole */
	uint32_t shared;	/* so many chunks are this one; 0: it is not in frame_store.same */
	uint32_t at;		/* its place there */
	bool alike;		/* all frames are of one kind; false: they may be */
};

struct frame_store;		/* model/memory/frames/frames.h */

struct frames {
	struct frame_store *store;	/* reads chunks when they are first asked for */
	struct frame_chunk **chunk;	/* [pfn >> FRAME_CHUNK_SHIFT], NULL: not kept (yet) */
	struct frame *kind;
	uint64_t nchunks;
	uint64_t max_pfn;
	uint64_t existing;	/* frames that have a struct page; of memory: at most */
	uint64_t unread;	/* frames met whose struct page is not in the dump */
	bool average;		/* mapcounts of large folios are averages over their
				   pages (CONFIG_NO_PAGE_MAPCOUNT, 6.15) */
	bool marks_tables;	/* FR_PGTABLE is set on all pages of PTEs (1d40a5ea01d5, v4.18) */
	bool references;	/* mapcount is the count of all references that the kernel gave
				   (page->count): in a capture */
};

/* Of a frame that is not kept or is FRAME_RARE. Reads its chunk if there is room. */
const struct frame *frame_fetch(const struct frames *f, uint64_t pfn);

/* NULL when no struct page exists, or pfn is out of range. Thread-safe; valid as long as F. */
static inline const struct frame *frame_at(const struct frames *f, uint64_t pfn)
{
	uint64_t c = pfn >> FRAME_CHUNK_SHIFT;
	const struct frame_chunk *chunk;
	uint16_t kind;

	if (c >= f->nchunks)
		return NULL;
	chunk = __atomic_load_n(&f->chunk[c], __ATOMIC_ACQUIRE);
	if (chunk && (kind = chunk->kind[pfn & (FRAME_CHUNK - 1)]) != FRAME_RARE)
		return &f->kind[kind];
	return frame_fetch(f, pfn);
}

/*
 * Who asks for frames, as a bit. Of struct pages that are not in the dump it is kept who asked for them, so that a
 * snapshot that serves several can tell each of them its own (model/memory/frames/lost.h).
 */
enum frames_asker {
	FRAMES_OPEN = 1 << 0,	/* NEED_FRAMES */
	FRAMES_TABLES = 1 << 1, /* page tables are checked: NEED_USAGE, NEED_SIZES */
	FRAMES_WALK = 1 << 2,	/* NEED_USAGE */
	FRAMES_IDS = 1 << 3,	/* NEED_BUILD_IDS */
	FRAMES_SIZES = 1 << 4,	/* NEED_SIZES */
	FRAMES_FOUND = 1 << 5,	/* NEED_FOUND */
	FRAMES_REPORT = 1 << 6, /* the report that is made */
	FRAMES_VIEW = 1 << 7,	/* the first of those of model/shared.h; the others are after it */
};
/* From now on WHO asks. Returns who did before. */
unsigned frames_ask_as(const struct frames *f, unsigned who);
/* What WHO asked for counts for the report that is made, too. */
void frames_ask_also(const struct frames *f, unsigned who);

/*
 * Asks for what frame_at() will read, where the chunk of PFN is kept. Frames of a page table come
 * in any order, so each is a cache miss: ask FRAME_AHEAD entries before the use.
 */
#define FRAME_AHEAD 16
static inline void frame_prefetch(const struct frames *f, uint64_t pfn)
{
	uint64_t c = pfn >> FRAME_CHUNK_SHIFT;
	const struct frame_chunk *chunk = NULL;

	if (c < f->nchunks)
		chunk = __atomic_load_n(&f->chunk[c], __ATOMIC_ACQUIRE);
	if (chunk)
		__builtin_prefetch(&chunk->kind[pfn & (FRAME_CHUNK - 1)]);
}

/* ---- the machine -------------------------------------------------------------- */

struct swap_area {
	const char *path;
	uint64_t pages, used;	/* pages */
	unsigned type;		/* its number in entries */
	int prio;
	bool active;
	bool blockdev;		/* a partition; else a file */
};

struct zone_count { const char *name; uint64_t value; };

#define LOG_LEVEL_UNKNOWN UINT8_MAX

struct log_line {
	uint64_t ts;		/* ns since boot; UINT64_MAX unknown; see machine.log_by_clock */
	const char *printed;	/* its time as the text of a log has it; NULL: as ts */
	uint8_t level, facility;
	uint32_t caller;
	const char *text;	/* without newline; may hold any byte, terminated */
	uint32_t len;
};

struct machine {
	int64_t crash_time;	/* seconds since 1970; 0 unknown */
	uint64_t uptime;	/* ns; 0 unknown */
	bool uptime_least;	/* it is that of the last line of the log: no clock could be read */
	uint32_t cpus_online, cpus_possible;	/* 0: unknown */
	uint64_t present;	/* pages of RAM, without holes and devices; 0 unknown */
	const char *panic;	/* panic message, or NULL: none found */
	int32_t panic_pid;	/* task that panicked, -1 unknown */
	const char *panic_comm;
	uint64_t oom_kills;	/* by the OOM killer since boot; UINT64_MAX unknown */
	/* the lines of /proc/meminfo, bytes (HugePages_*: counts); unreadable ones are
	   UINT64_MAX */
	struct zone_count *meminfo;
	uint32_t nmeminfo;
	/* Bytes that CPUs have counted but not added to the line Shmem yet. INT64_MIN: not known */
	int64_t shmem_on_cpus;
	int64_t mapped_on_cpus;		/* the same of AnonPages and Mapped together */
	struct zone_count *vmstat;	/* the lines of /proc/vmstat, except computed ones */
	uint32_t nvmstat;
	const char *banner;		/* /proc/version, or NULL */
	const char *boot_args;		/* /proc/cmdline, or NULL */
	uint64_t load[3];		/* averages of 1, 5, 15 minutes, times 2048; UINT64_MAX unknown */
	struct swap_area *swaps;
	uint32_t nswaps;
	struct log_line *log;
	uint32_t nlog;
	enum status log_status;	/* if it is 0: why; ST_OK: nobody looked */
	bool log_partial;	/* there are lines, but not all could be read */
	bool log_alone;		/* there is no more than the log */
	bool log_callers;	/* log_line.caller is known */
	bool log_by_clock;	/* the log has times of a clock: ts is after its first line, not after boot */
	uint32_t panic_line;	/* index in log of the panic line; nlog: none */
};

/* Why there is no line of the log: a sentence without a period. */
const char *machine_no_log(const struct machine *m);

/* Has meminfo the line NAME, if with a value that is not known? */
bool machine_prints(const struct machine *m, const char *name);
/* Value of a meminfo line ("MemTotal"), UINT64_MAX if unknown. */
uint64_t machine_meminfo(const struct machine *m, const char *name);
/* Value of a line of /proc/vmstat, UINT64_MAX if it is not known or not there. */
uint64_t machine_vmstat(const struct machine *m, const char *name);
/* The known lines that are NAME, or NAME, "_" and more: those of all zones ("allocstall_normal" ...,
   since v4.8) added up. UINT64_MAX: there is none. */
uint64_t machine_vmstat_sum(const struct machine *m, const char *name);
/* Pages of zsmalloc: those of zram, and of zswap if it uses zsmalloc (always since v6.18).
   UINT64_MAX: not known, or zsmalloc is not built in. */
uint64_t machine_zsmalloc(const struct machine *m);

/* ---- the snapshot ---------------------------------------------------------------- */

enum need {
	NEED_TASKS = 1 << 0,	/* tasks, procs, mms without VMAs */
	NEED_VMAS = 1 << 1,	/* VMAs and their files */
	NEED_FRAMES = 1 << 2,	/* frames, read when they are asked for */
	NEED_USAGE = 1 << 3,	/* page-table walk: usage */
	NEED_CGROUPS = 1 << 4,
	NEED_MACHINE = 1 << 5,	/* machine without its log */
	NEED_LOG = 1 << 6,
	NEED_SIZES = 1 << 7,	/* references counted (refs), effective sizes: two more
				   walks, with NEED_FOUND none of most vmas; model/memory/usage/refs.h
				   says how much memory they take */
	NEED_BUILD_IDS = 1 << 8,	/* file.build_id, read from the page cache */
	NEED_KERNEL = 1 << 9,	/* nothing built: symbols and types of the kernel */
	NEED_CONFIG = 1 << 10,	/* nothing built: the configuration in the kernel image */
	NEED_FOUND = 1 << 11,	/* all frames compared with the walk, frame_found() */
	NEED_CLASSES = 1 << 12,	/* classes are asked for: made while frames are read, if there is
				   room (model/memory/frames/classes.h) */
};

struct refs;
struct kept;			/* model/memory/usage/kept.h */
struct sizes;			/* model/memory/usage/refs.h */
struct class_pass;		/* model/memory/frames/classes.h */
struct verify;			/* model/memory/trust/verify.h */
struct shared;			/* model/shared.h */
struct met;			/* model/met.h */

struct snapshot {
	struct kernel *k;		/* borrowed; outlives the snapshot */
	unsigned built;			/* enum need that it holds */
	struct task *tasks; uint32_t ntasks;
	struct proc *procs; uint32_t nprocs;
	uint64_t tasks_counted, procs_counted; /* by the kernel, without the idle tasks; 0: not
					   known */
	struct mm *mms; uint32_t nmms;
	struct vma *vmas; uint32_t nvmas;
	struct file *files; uint32_t nfiles;
	struct cgroup *cgroups; uint32_t ncgroups;
	struct frames frames;
	struct machine machine;
	const bool *asked;		/* [nmms]: its pages are asked for; NULL: of all */
	bool tables_checked;		/* mm.bad_tables of all mms are there */
	bool forks_known;		/* mms of children inside fork() were looked for everywhere */
	bool sizes_only;		/* as in snapshot_opts */
	uint64_t told_pages;		/* of usage: their struct pages were not read, sizes_only */
	struct refs *refs;		/* NEED_SIZES; else NULL */
	struct sizes *sizes;		/* NEED_SIZES: [nvmas] */
	struct kept *kept;		/* pages of vmas that need not be walked again; or NULL */
	struct verify *verify;		/* NEED_USAGE: the kernel's counts against the walk */
	struct class_pass *classes;	/* of struct pages that were read; NULL: none */
	struct met *met;		/* parts of the build that met an issue: model/met.h */
	struct shared *shared;		/* views that several reports ask for; NULL: none yet */
	const char *refused;		/* a sentence: more memory is needed than is allowed, and
					   parts are not built. NULL: they are */
	struct arena mem;		/* owns all above except the frames and refs */
};

struct snapshot_opts {
	/* Walk only the pages of one process (0: all), or of those that map a file of this name
	   (object_is(); NULL: all). With both, of the process. */
	int32_t pid;
	const char *file;
	/* Of usage, only what page tables may tell without struct pages is asked for: all but what
	   is dirty, clean, referenced, lazyfree and unknown. */
	bool sizes_only;
	/* Called once, when MACHINE and the log are built and nothing else; NULL: they are built
	   in the order of the arrays. A source without memory never calls it. */
	void (*first)(void *arg, const struct snapshot *s);
	void *first_arg;
};

/* enum need: all that snapshot_build() builds of K for NEEDS. */
unsigned snapshot_parts(const struct kernel *k, unsigned needs);
/* Never fails as a whole: damage is recorded in k->issues. */
struct snapshot *snapshot_build(struct kernel *k, unsigned needs,
				const struct snapshot_opts *o);
void snapshot_free(struct snapshot *s);

/* Leader of P, or its first thread when the leader is not in the snapshot;
   NULL if there is none. */
static inline const struct task *proc_leader(const struct snapshot *s, const struct proc *p)
{
	uint32_t i = p->leader < s->ntasks ? p->leader : p->first_task;

	return i < s->ntasks ? &s->tasks[i] : NULL;
}

/* Its name; "" if it has no task. */
static inline const char *proc_comm(const struct snapshot *s, const struct proc *p)
{
	const struct task *t = proc_leader(s, p);

	return t ? t->comm : "";
}

/* Its mm, or NULL. */
static inline const struct mm *proc_mm(const struct snapshot *s, const struct proc *p)
{
	return p->mm < s->nmms ? &s->mms[p->mm] : NULL;
}

/* Are the pages of mms[i] walked? See snapshot_opts. */
static inline bool snapshot_asks(const struct snapshot *s, uint32_t mm)
{
	return !s->asked || s->asked[mm];
}

/* Process by pid, also as a log or a user has it; NONE if there is none. */
uint32_t snapshot_proc_by_pid(const struct snapshot *s, int64_t pid);
/* Is cgroup (an index in cgroups[]) TOP, or below it? */
bool snapshot_cgroup_within(const struct snapshot *s, uint32_t cgroup, uint32_t top);

#endif
