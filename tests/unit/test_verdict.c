/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules of the verdict, each on evidence made by hand: a machine of 1 GiB that ran out of
 * memory, with one thing that is not as usual. The causes expected are those that the evidence
 * was made for.
 */
#include "dumpread/base/bytes.h"
#include "reports/oom/verdict_text.h"
#include "tests/unit/check.h"

#define MIB (UINT64_C(1) << 20)

struct hand {
	struct oom_evidence e;
	struct oom_event event;
	struct oom_victim victim;
	struct arena mem;
	struct verdict v;
};

/* 1 GiB, of which 900 MiB are in no use that a rule looks at. */
static void usual(struct hand *h)
{
	static const uint64_t mib[USES] = {
		[USE_FREE] = 10, [USE_ANON] = 30, [USE_FILE] = 20, [USE_SHMEM] = 4,
		[USE_SLAB] = 12, [USE_RECLAIMABLE] = 8, [USE_TABLES] = 4, [USE_STACKS] = 4,
		[USE_PERCPU] = 4, [USE_OTHER] = 20,
	};

	memset(h, 0, sizeof(*h));
	h->victim = (struct oom_victim){ .pid = 7, .comm = "victim" };
	h->event = (struct oom_event){ .kind = OOM_KILL, .time = 5000000000, .comm = "asker",
				       .pid = 9, .constraint = OOM_NONE,
				       .victims = { &h->victim, 1, 1 } };
	h->e = (struct oom_evidence){
		.event = &h->event, .number = 1, .events = 1, .kills = 1, .total = 1024 * MIB,
		.available = 12 * MIB, .swap_total = 100 * MIB, .swap_free = 90 * MIB,
		.stored = EV_UNKNOWN, .machine_free = EV_UNKNOWN, .group_swap = EV_UNKNOWN,
		.group_swap_limit = EV_UNKNOWN, .nprocs = 20, .procs = 40 * MIB,
		.largest = { .comm = "sshd", .pid = 3, .bytes = 4 * MIB, .locked = 0 },
		.second = { .comm = "bash", .pid = 4, .bytes = 3 * MIB, .locked = 0 },
		.name = { .comm = "sshd", .n = 2, .bytes = 6 * MIB },
		.victim = { .comm = "victim", .pid = 7, .bytes = 3 * MIB, .state = 'R' },
		.zone = { .name = "DMA32", .node = 0, .lacking = 4 * MIB, .free = 9 * MIB },
	};
	for (unsigned i = 0; i < USES; i++)
		h->e.size[i] = mib[i] * MIB;
}

static const struct verdict_row *row(const struct hand *h, enum verdict_kind kind)
{
	for (unsigned i = 0; i < h->v.n; i++)
		if (h->v.v[i].kind == kind)
			return &h->v.v[i];
	return NULL;
}

static const char *text(struct hand *h, enum verdict_kind kind)
{
	const struct verdict_row *r = row(h, kind);

	return r ? verdict_text(&h->v, r, &h->mem) : "none";
}

static const char *why(struct hand *h, enum verdict_kind kind)
{
	const struct verdict_row *r = row(h, kind);

	return r ? verdict_why(&h->v, r, &h->mem) : "none";
}

static bool has_cause(const struct hand *h, const char *cause)
{
	for (unsigned i = 0; i < h->v.n; i++)
		if (!strcmp(cause_facts[h->v.v[i].cause].words, cause))
			return true;
	return false;
}

static const char *cause(const struct hand *h, enum verdict_kind kind)
{
	const struct verdict_row *r = row(h, kind);

	return r ? cause_facts[r->cause].words : "none";
}

static void judge(struct hand *h)
{
	verdict_find(&h->e, &h->mem, &h->v);
	for (unsigned i = 0; i < h->v.n; i++)
		CHECK(*verdict_text(&h->v, &h->v.v[i], &h->mem) && h->v.v[i].report && h->v.v[i].why != WHY_NOT_TOLD);
}

/* ---- holders -------------------------------------------------------------------------------- */

static void one_process(struct hand *h)
{
	h->e.size[USE_ANON] = 800 * MIB;
	h->e.largest = (struct ev_proc){ .comm = "hog", .pid = 7, .bytes = 780 * MIB };
	h->e.procs = 800 * MIB;
}

static void swapped(struct hand *h)
{
	/* most of it is in swap: its rss is not the largest */
	one_process(h);
	h->e.size[USE_ANON] = 200 * MIB;
	h->e.size[USE_SHMEM] = 300 * MIB;
	h->e.swap_total = 700 * MIB;
	h->e.swap_free = 1 * MIB;
}

static void of_a_name(struct hand *h)
{
	one_process(h);
	h->e.largest.bytes = 45 * MIB;
	h->e.second = h->e.largest;
	h->e.name = (struct ev_name){ .comm = "worker", .n = 19, .bytes = 790 * MIB };
}

static void many(struct hand *h)
{
	of_a_name(h);
	h->e.name.bytes = 90 * MIB;
}

static void fork_bomb(struct hand *h)
{
	h->e.size[USE_ANON] = 150 * MIB;
	h->e.size[USE_TABLES] = 250 * MIB;
	h->e.size[USE_STACKS] = 100 * MIB;
	h->e.size[USE_SLAB] = 200 * MIB;
	h->e.nprocs = 5010;
	h->e.procs = 150 * MIB;
	h->e.name = (struct ev_name){ .comm = "bomb", .n = 5000, .bytes = 480 * MIB };
}

/* 60 are few, but they are young. */
static void young_bomb(struct hand *h)
{
	fork_bomb(h);
	h->e.nprocs = 80;
	h->e.name = (struct ev_name){ .comm = "bomb", .n = 60, .dated = 50, .young = 40,
				      .bytes = 200 * MIB };
}

/* As many as a bomb has, which piled up over days. */
static void piled_up(struct hand *h)
{
	fork_bomb(h);
	h->e.name.dated = 5000;
	h->e.name.young = 100;
}

/* Each shows all pages that it shares with the others after fork(). */
static void sharing(struct hand *h)
{
	h->e.size[USE_ANON] = 500 * MIB;
	h->e.nprocs = 40;
	h->e.procs = 3000 * MIB;
	h->e.largest = h->e.second = (struct ev_proc){ .comm = "worker", .pid = 8, .bytes = 99 * MIB };
	h->e.name = (struct ev_name){ .comm = "worker", .n = 30, .bytes = 490 * MIB };
}

/* Anonymous memory of several processes is more than the stacks, that of one is not. */
static void threads(struct hand *h)
{
	h->e.size[USE_ANON] = 250 * MIB;
	h->e.procs = 160 * MIB;
	h->e.largest = (struct ev_proc){ .comm = "client", .pid = 7, .bytes = 90 * MIB };
	h->e.second = (struct ev_proc){ .comm = "server", .pid = 8, .bytes = 40 * MIB };
	h->e.victim.bytes = 90 * MIB;
	h->e.size[USE_STACKS] = 150 * MIB;
	h->e.size[USE_TASK_SLAB] = 80 * MIB;
}

static void locked(struct hand *h)
{
	one_process(h);
	h->e.largest.locked = 770 * MIB;
}

static void of_shmem(struct hand *h)
{
	h->e.size[USE_SHMEM] = 700 * MIB;
	h->e.owner[USE_SHMEM] = (struct ev_owner){ .called = CALLED_SHM, .shm = SHM_MEMFD, .name = "/memfd:x", .cause = VC_MEMFD,
						   .bytes = 690 * MIB };
}

/* Most of it is in swap: all that the processes have is less. */
static void of_swapped_shmem(struct hand *h)
{
	one_process(h);
	h->e.size[USE_ANON] = 380 * MIB;
	h->e.procs = h->e.largest.bytes = 380 * MIB;
	h->e.size[USE_SHMEM] = 250 * MIB;
	h->e.swap_total = 510 * MIB;
	h->e.swap_free = 0;
	h->e.shmem_swapped = 500 * MIB;
	h->e.owner[USE_SHMEM] = (struct ev_owner){ .called = CALLED_SHM, .name = "/x", .cause = VC_TMPFS, .bytes = 750 * MIB };
}

static void of_slab(struct hand *h)
{
	h->e.size[USE_SLAB] = 700 * MIB;
}

static void dentries(struct hand *h)
{
	h->e.size[USE_RECLAIMABLE] = 700 * MIB;
	h->e.owner[USE_RECLAIMABLE] = (struct ev_owner){ .name = "dentry", .bytes = 690 * MIB };
}

static void of_other_slab(struct hand *h)
{
	dentries(h);
	h->e.owner[USE_RECLAIMABLE].name = "ext4_inode_cache";
}

static void of_cache(struct hand *h)
{
	h->e.size[USE_FILE] = 900 * MIB;
}

/* Reclaimable as it is, it is no cause beside what cannot be reclaimed. */
/* Half of it cannot be dropped: it is more than the slabs. */
static void of_unwritten(struct hand *h)
{
	h->e.size[USE_FILE] = 500 * MIB;
	h->e.unwritten = 400 * MIB;
	h->e.size[USE_SLAB] = 300 * MIB;
}

static void cache_and_slab(struct hand *h)
{
	h->e.size[USE_FILE] = 500 * MIB;
	h->e.size[USE_SLAB] = 300 * MIB;
}

#define USE(name, use, mib)                                                     \
	static void name(struct hand *h)                                        \
	{                                                                       \
		h->e.size[use] = (mib) * MIB;                                   \
	}

USE(of_ramfs, USE_RAMFS, 600)
USE(of_locked_files, USE_LOCKED, 600)
USE(of_tables, USE_TABLES, 600)
USE(of_stacks, USE_STACKS, 600)
USE(of_percpu, USE_PERCPU, 600)
USE(of_hugetlb, USE_HUGETLB, 600)
USE(of_vmalloc, USE_VMALLOC, 600)
USE(of_compressed, USE_COMPRESSED, 600)
USE(of_balloon, USE_BALLOON, 600)
USE(of_descriptors, USE_DESCRIPTORS, 600)
USE(of_other, USE_OTHER, 600)

/* Swap on zram is memory: its pages are in the pool, not beside it. */
static void zram_first(struct hand *h)
{
	one_process(h);
	h->e.size[USE_ANON] = 200 * MIB;
	h->e.procs = h->e.largest.bytes = 700 * MIB;
	h->e.swap_total = 600 * MIB;
	h->e.swap_free = 10 * MIB;
	h->e.size[USE_COMPRESSED] = 500 * MIB;
	h->e.stored = 590 * MIB;
	h->e.largest.pid = 2;
}

static const struct {
	void (*make)(struct hand *h);
	const char *holder;
} holders[] = {
	{ one_process, "one process grew" },
	{ swapped, "one process grew" },
	{ of_a_name, "processes of one name grew" },
	{ many, "many processes grew" },
	{ sharing, "processes of one name grew" },
	{ young_bomb, "fork bomb" },
	{ piled_up, "processes of one name grew" },
	{ threads, "kernel stacks" },
	{ fork_bomb, "fork bomb" },
	{ locked, "mlock" },
	{ of_shmem, "memfd" },
	{ of_swapped_shmem, "tmpfs" },
	{ of_slab, "unreclaimable slab" },
	{ dentries, "dentries" },
	{ of_other_slab, "reclaimable slab" },
	{ of_cache, "page cache" },
	{ cache_and_slab, "unreclaimable slab" },
	{ of_unwritten, "page cache not written yet" },
	{ of_ramfs, "ramfs" },
	{ of_locked_files, "locked page cache" },
	{ of_tables, "page tables" },
	{ of_stacks, "kernel stacks" },
	{ of_percpu, "per-CPU memory" },
	{ of_hugetlb, "hugetlb" },
	{ of_vmalloc, "vmalloc" },
	{ of_compressed, "compressed swap" },
	{ zram_first, "compressed swap" },
	{ of_balloon, "balloon" },
	{ of_descriptors, "pages behind descriptors" },
	{ of_other, "driver or unknown" },
};

TEST(holders)
{
	for (size_t i = 0; i < sizeof(holders) / sizeof(holders[0]); i++) {
		struct hand h;

		usual(&h);
		holders[i].make(&h);
		judge(&h);
		CHECK_STR(cause(&h, VERDICT_EVENT), "OOM kill");
		CHECK_STR(cause(&h, VERDICT_LIMIT), "memory of the machine");
		CHECK_STR(cause(&h, VERDICT_HOLDER), holders[i].holder);
		/* the victim is the hog where the hog is a process */
		CHECK(has_cause(&h, "right victim") == (h.e.largest.pid == 7 && (i < 2 || i == 3)) || i == 9);
		arena_release(&h.mem);
	}
}

/* What no descriptor leads to is called by its own name, and is not behind one. */
TEST(of_devices)
{
	struct hand h;

	usual(&h);
	of_descriptors(&h);
	h.e.owner[USE_DESCRIPTORS] = (struct ev_owner){ .called = CALLED_OBJECT, .name = "ram0", .cause = VC_RAM_DISKS, .bytes = 590 * MIB };
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_HOLDER), "ram disks");
	CHECK(strstr(text(&h, VERDICT_HOLDER), "Memory that devices of the kernel keep was 600 MiB"));
	CHECK(strstr(text(&h, VERDICT_HOLDER), "ram disks (ram0), 590 MiB"));
	h.e.owner[USE_DESCRIPTORS] = (struct ev_owner){ .called = CALLED_HELD, .name = "", .cause = VC_PIPES, .bytes = 590 * MIB };
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_HOLDER), "pipes");
	CHECK(strstr(text(&h, VERDICT_HOLDER), "Pages behind file descriptors were 600 MiB"));
	CHECK(strstr(text(&h, VERDICT_HOLDER), "pipes that no process holds"));
	arena_release(&h.mem);
}

/* Two that grew side by side are both named; a much smaller one is not. */
TEST(two_grew)
{
	struct hand h;

	usual(&h);
	h.e.size[USE_ANON] = h.e.procs = 800 * MIB;
	h.e.largest = (struct ev_proc){ .comm = "ingest", .pid = 7, .bytes = 380 * MIB };
	h.e.second = (struct ev_proc){ .comm = "indexer", .pid = 8, .bytes = 370 * MIB };
	h.e.name = (struct ev_name){ .comm = "ingest", .n = 1, .bytes = 381 * MIB };
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_HOLDER), "many processes grew");
	CHECK(strstr(text(&h, VERDICT_HOLDER),
		     "the largest are ingest (7) with 380 MiB and indexer (8) with 370 MiB."));
	h.e.largest.bytes = 200 * MIB;
	h.e.second.bytes = 90 * MIB;
	h.e.name.bytes = 200 * MIB;
	h.e.size[USE_ANON] = 850 * MIB;
	judge(&h);
	CHECK(strstr(text(&h, VERDICT_HOLDER), "the largest is ingest (7) with 200 MiB."));
	arena_release(&h.mem);
}

/* ---- limits, victims, the rest ------------------------------------------------------------------ */

static void of_memcg(struct hand *h)
{
	h->event.constraint = OOM_MEMCG;
	h->event.oom_memcg = "/pod";
	h->e.total = 64 * MIB;
}

static void cpuset(struct hand *h)
{
	h->event.constraint = OOM_CPUSET;
}

static void mempolicy(struct hand *h)
{
	h->event.constraint = OOM_MEMPOLICY;
	h->event.nodemask = "1";
	h->e.zone.free_of_others = 2 * h->e.total;
}

static void low_zone(struct hand *h)
{
	h->e.zone.free_of_others = 400 * MIB;
}

static void pieces(struct hand *h)
{
	h->event.order = 3;
	h->e.zone.no_block = true;
	h->e.zone.lacking = 0;
}

static void costly(struct hand *h)
{
	h->event.order = 5;
	h->event.kind = OOM_FAILURE;
}

/* Low in all zones: the order is not what failed. */
static void low_and_order(struct hand *h)
{
	h->event.order = 2;
}

static const struct {
	void (*make)(struct hand *h);
	const char *limit;
} limits[] = {
	{ of_memcg, "memory limit of a control group" },
	{ cpuset, "cpuset" },
	{ mempolicy, "memory policy" },
	{ low_zone, "low zone" },
	{ pieces, "fragmentation" },
	{ costly, "fragmentation" },
	{ low_and_order, "memory of the machine" },
};

TEST(limits)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct hand h;

		usual(&h);
		limits[i].make(&h);
		judge(&h);
		CHECK_STR(cause(&h, VERDICT_LIMIT), limits[i].limit);
		arena_release(&h.mem);
	}
}

static const char *limit_of(struct hand *h, void (*make)(struct hand *h), const char *nodes)
{
	usual(h);
	make(h);
	h->event.nodemask = nodes;
	judge(h);
	for (unsigned i = 0; i < h->v.n; i++)
		if (h->v.v[i].kind == VERDICT_LIMIT) {
			CHECK(h->v.v[i].elsewhere);
			return verdict_text(&h->v, &h->v.v[i], &h->mem);
		}
	return "";
}

TEST(nodes)
{
	struct hand h;

	CHECK(strstr(limit_of(&h, mempolicy, "1"), "the request to node 1;"));
	arena_release(&h.mem);
	CHECK(strstr(limit_of(&h, mempolicy, "0-1"), "the request to nodes 0-1;"));
	arena_release(&h.mem);
	CHECK(strstr(limit_of(&h, cpuset, NULL), "limited the request; "));
	arena_release(&h.mem);
}

static void victim_in_d(struct hand *h)
{
	h->e.stuck = h->e.victim;
}

static void not_reaped(struct hand *h)
{
	h->e.victim.reaped = OOM_UNABLE;
}

static void immortal(struct hand *h)
{
	one_process(h);
	h->e.largest.adj = -1000;
	h->e.largest.pid = 2;
}

static void wrong_process(struct hand *h)
{
	one_process(h);
	h->e.largest.pid = 2;
}

static void swap_full(struct hand *h)
{
	h->e.swap_free = 1 * MIB;
}

/* The group may have 60 MiB in swap, and has. */
static void caged(struct hand *h)
{
	one_process(h);
	h->event.constraint = OOM_MEMCG;
	h->e.group_swap = h->e.group_swap_limit = 60 * MIB;
}

static void caged_without(struct hand *h)
{
	caged(h);
	h->e.group_swap = h->e.group_swap_limit = 0;
}

/* No limit but that of the machine. */
static void caged_free(struct hand *h)
{
	caged(h);
	h->e.group_swap_limit = UINT64_C(1) << 50;
}

/* The machine has less swap than the group may have: that of the machine is full. */
static void caged_above(struct hand *h)
{
	caged(h);
	h->e.group_swap = h->e.swap_total - MIB;
	h->e.group_swap_limit = h->e.swap_total + MIB;
}

/* Half of what it may have. */
static void caged_half(struct hand *h)
{
	caged(h);
	h->e.group_swap = 30 * MIB;
}

/* The limit of its memory; the machine has no swap, which another row says. */
static void caged_no_swap(struct hand *h)
{
	caged_without(h);
	h->e.swap_total = h->e.swap_free = 0;
}

/* The group is known, but this event is not of its limit. */
static void not_caged(struct hand *h)
{
	caged(h);
	h->event.constraint = OOM_NONE;
}

static void no_swap(struct hand *h)
{
	h->e.swap_total = h->e.swap_free = 0;
}

static void removed_groups(struct hand *h)
{
	h->e.ndying = 30;
	h->e.dying = 300 * MIB;
}

static void pool(struct hand *h)
{
	one_process(h);
	h->e.size[USE_HUGETLB] = h->e.huge_unused = 150 * MIB;
}

static void asker_killed(struct hand *h)
{
	one_process(h);
	h->event.prefix = "Out of memory (oom_kill_allocating_task)";
}

static void noise(struct hand *h)
{
	h->e.size[USE_COMPRESSED] = 300 * MIB;
	h->e.stored = 310 * MIB;
}

/* It held a third of what the slabs have; of processes that grew it would be one. */
static void large_victim(struct hand *h)
{
	of_slab(h);
	h->e.victim.bytes = 230 * MIB;
}

static void larger_victim(struct hand *h)
{
	of_slab(h);
	h->e.victim.bytes = 360 * MIB;
}

/* The owner of the slabs has other memory as well. */
static void owner_of_two(struct hand *h)
{
	larger_victim(h);
	h->e.size[USE_RECLAIMABLE] = 150 * MIB;
	h->e.owner[USE_SLAB].subject.pid = h->e.owner[USE_RECLAIMABLE].subject.pid = 8;
	h->e.owner[USE_SLAB].bytes = 700 * MIB;
	h->e.owner[USE_RECLAIMABLE].bytes = 150 * MIB;
}

static void large_of_many(struct hand *h)
{
	many(h);
	h->e.victim.bytes = 230 * MIB;
}

/* The killed process had the page tables. */
static void owner_killed(struct hand *h)
{
	of_tables(h);
	h->e.owner[USE_TABLES] = (struct ev_owner){ .called = CALLED_PROCESS, .name = "victim", .bytes = 580 * MIB, .subject = { .name = "victim", .pid = 7 } };
}

static void other_owner(struct hand *h)
{
	owner_killed(h);
	h->e.owner[USE_TABLES].subject.pid = 8;
	h->e.earlier = (struct ev_victim){ .comm = "hog", .pid = 8, .bytes = 580 * MIB };
}

/* Memory of no counter that one of several had who were killed: perhaps the last. */
static void of_one_of_them(struct hand *h)
{
	h->e.size[USE_OTHER] = 700 * MIB;
	h->e.owner[USE_OTHER] = (struct ev_owner){ .called = CALLED_ONE_OF, .n = 5, .name = "", .bytes = 690 * MIB, .among = true };
}

static void of_nobody(struct hand *h)
{
	h->e.size[USE_OTHER] = 700 * MIB;
}

static void thrice(struct hand *h)
{
	one_process(h);
	h->e.repeated.kills = 3;
	h->e.repeated.bytes = 900 * MIB;
}

/* The zone has enough: what the first victim had came free meanwhile. */
static void too_late(struct hand *h)
{
	one_process(h);
	h->e.repeated.kills = 2;
	h->e.zone.lacking = 0;
}

static void still_low(struct hand *h)
{
	too_late(h);
	h->e.zone.lacking = 1 * MIB;
}

static void bomb_killed(struct hand *h)
{
	fork_bomb(h);
	h->e.victim.comm = "bomb";
}

static const struct {
	void (*make)(struct hand *h);
	const char *cause;
	bool there;
} others[] = {
	{ bomb_killed, "one of many", true },
	{ bomb_killed, "innocent victim", false },
	{ fork_bomb, "innocent victim", true },
	{ zram_first, "incompressible data", true },
	{ owner_killed, "right victim", true },
	{ owner_killed, "innocent victim", false },
	{ other_owner, "innocent victim", true },
	{ of_one_of_them, "innocent victim", false },
	{ of_nobody, "innocent victim", true },
	{ other_owner, "victim not gone yet", true },
	{ threads, "innocent victim", true },
	{ of_slab, "innocent victim", true },
	{ large_victim, "innocent victim", true },
	{ larger_victim, "innocent victim", false },
	{ owner_of_two, "innocent victim", true },
	{ large_of_many, "innocent victim", false },
	{ wrong_process, "innocent victim", true },
	{ one_process, "innocent victim", false },
	{ immortal, "unkillable hog", true },
	{ one_process, "unkillable hog", false },
	{ victim_in_d, "victim in D state", true },
	{ one_process, "victim in D state", false },
	{ not_reaped, "victim not reaped", true },
	{ asker_killed, "kills who asks", true },
	{ one_process, "kills who asks", false },
	{ swap_full, "swap full", true },
	{ caged, "swap limit of the control group", true },
	{ caged_without, "swap limit of the control group", true },
	{ caged_free, "swap limit of the control group", false },
	{ caged_above, "swap limit of the control group", false },
	{ caged_half, "swap limit of the control group", false },
	{ caged_no_swap, "swap limit of the control group", false },
	{ not_caged, "swap limit of the control group", false },
	{ swap_full, "swap limit of the control group", false },
	{ one_process, "swap full", false },
	{ no_swap, "no swap", true },
	{ no_swap, "swap full", false },
	{ removed_groups, "dying control groups", true },
	{ pool, "unused huge pages", true },
	{ of_hugetlb, "unused huge pages", false },
	{ noise, "incompressible data", true },
	{ thrice, "repeated kills", true },
	{ one_process, "repeated kills", false },
	{ too_late, "memory was free again", true },
	{ still_low, "memory was free again", false },
	{ one_process, "memory was free again", false },
	{ large_of_many, "user-space killer", false },
};

TEST(others)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct hand h;

		usual(&h);
		others[i].make(&h);
		judge(&h);
		if (!CHECK(has_cause(&h, others[i].cause) == others[i].there))
			printf("\t%s, row %zu\n", others[i].cause, i);
		arena_release(&h.mem);
	}
}

TEST(no_event)
{
	struct hand h;

	usual(&h);
	h.e.event = NULL;
	h.e.events = h.e.kills = 0;
	h.e.victim.comm = NULL;
	h.e.panic = "Fatal exception";
	h.e.size[USE_ANON] = 300 * MIB;
	h.e.available = 400 * MIB;
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_EVENT), "no OOM");
	CHECK(strstr(text(&h, VERDICT_EVENT), "Fatal exception") != NULL);
	CHECK_STR(cause(&h, VERDICT_LIMIT), "no lack of memory");
	CHECK_STR(cause(&h, VERDICT_HOLDER), "largest use of memory");
	/* all is promised, and nothing more is given */
	h.e.committed = 500 * MIB;
	h.e.commit_limit = 512 * MIB;
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_LIMIT), "no lack of memory");
	h.e.strict = true;
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_EVENT), "no OOM");
	CHECK_STR(cause(&h, VERDICT_LIMIT), "commit limit");
	h.e.committed = 400 * MIB;
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_LIMIT), "no lack of memory");
	/* a program that kills; its message; a group that is slowed down */
	h.e.killer = (struct subject){ SUBJECT_PROCESS, "earlyoom", NULL, 5 };
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_EVENT), "no OOM");
	CHECK(has_cause(&h, "user-space killer"));
	h.e.said = "Killed /a due to memory pressure";
	h.e.throttled = (struct ev_throttled){ .path = "/b", .usage = 60, .high = 60, .times = 9 };
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_EVENT), "killed by a program");
	CHECK(!has_cause(&h, "user-space killer"));
	CHECK_STR(cause(&h, VERDICT_LIMIT), "memory.high of a control group");
	h.e.killer.name = h.e.said = h.e.throttled.path = NULL;
	/* parts as small as these are no answer */
	h.e.size[USE_ANON] = 30 * MIB;
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_HOLDER), "none");
	h.e.available = 20 * MIB;
	h.e.direct_reclaims = 5000;
	h.e.refaults = 100000;
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_EVENT), "memory was short");
	/* that is no thrashing if nobody waits for memory */
	h.e.thrash = THRASH_NO;
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_EVENT), "no OOM");
	/* programs thrash while memory is available: their pages are */
	h.e.thrash = THRASH_YES;
	h.e.thrash_why.why = THRASH_WHY_MEMORY;
	h.e.available = 300 * MIB;
	h.e.size[USE_ANON] = 500 * MIB;
	h.e.procs = h.e.largest.bytes = 500 * MIB;
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_EVENT), "thrashing");
	CHECK_STR(cause(&h, VERDICT_LIMIT), "none");
	CHECK_STR(cause(&h, VERDICT_HOLDER), "one process grew");
	h.e.kills = 3;
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_EVENT), "OOM kill, not in the log");
	arena_release(&h.mem);
}

/* In memory and swap together there may be more than the scope has: that is no part of it. */
TEST(shares)
{
	struct hand h;

	usual(&h);
	one_process(&h);
	judge(&h);
	CHECK(strstr(text(&h, VERDICT_HOLDER), "780 MiB in memory and swap, 76 % of RAM; "));
	swapped(&h);
	h.e.largest.bytes = 1200 * MIB;
	h.e.procs = 1300 * MIB;
	h.e.swap_total = 1400 * MIB;
	judge(&h);
	CHECK(strstr(text(&h, VERDICT_HOLDER), "1200 MiB in memory and swap, more than 100 % of RAM; "));
	arena_release(&h.mem);
}

/* A small part of a use is not told as the largest; who has half of it together is. */
TEST(small_parts)
{
	static const struct { enum use use; const char *cause; } of[] = {
		{ USE_SLAB, "unreclaimable slab" }, { USE_SHMEM, "shared memory" },
		{ USE_TABLES, "page tables" },	    { USE_HUGETLB, "hugetlb" },
		{ USE_OTHER, "driver or unknown" },
	};
	struct hand h;

	for (unsigned i = 0; i < ARRAY_LEN(of); i++)
		for (uint64_t part = 2; part <= 460; part += 458) {
			usual(&h);
			h.e.size[of[i].use] = 500 * MIB;
			h.e.owner[of[i].use] = (struct ev_owner){ .name = "kernfs_node_cache", .bytes = part * MIB };
			judge(&h);
			CHECK_STR(cause(&h, VERDICT_HOLDER), of[i].cause);
			CHECK(!strstr(text(&h, VERDICT_HOLDER), "kernfs_node_cache") == (part == 2));
			CHECK(!row(&h, VERDICT_HOLDER)->told == (part == 2));
			arena_release(&h.mem);
		}
	/* less than a third is a part, and not the largest */
	for (uint64_t part = 166; part <= 168; part += 2) {
		usual(&h);
		h.e.size[USE_VMALLOC] = h.e.size[USE_HUGETLB] = 500 * MIB;
		h.e.owner[USE_VMALLOC] = h.e.owner[USE_HUGETLB] =
			(struct ev_owner){ .called = CALLED_NAME, .name = "bpf_map_area_alloc", .bytes = part * MIB };
		judge(&h);
		for (unsigned i = 0; i < h.v.n; i++) {
			const char *said = verdict_text(&h.v, &h.v.v[i], &h.mem);

			if (h.v.v[i].kind == VERDICT_HOLDER)
				CHECK(!strstr(said, "largest part") == (part == 166) && strstr(said, "; ") != NULL);
		}
		arena_release(&h.mem);
	}
	usual(&h);
	h.e.size[USE_HUGETLB] = 500 * MIB;
	h.e.owner[USE_HUGETLB] = (struct ev_owner){ .called = CALLED_PROCESS, .name = "qemu", .bytes = 100 * MIB };
	judge(&h);
	CHECK(!strstr(text(&h, VERDICT_HOLDER), "most is"));
	arena_release(&h.mem);
	usual(&h);
	of_slab(&h);
	h.e.owner[USE_SLAB] = (struct ev_owner){ .name = "a", .bytes = 20 * MIB, .many = true,
						 .detail = { TOLD_CACHES, .n = 16, .name = { "a", "b", "c" } } };
	judge(&h);
	CHECK(strstr(text(&h, VERDICT_HOLDER), "RAM; 16 caches have half of it: a, b, c and 13 more."));
	arena_release(&h.mem);
}

/* A kill of long ago, and a panic that has nothing to do with it. */
TEST(long_ago)
{
	struct hand h;

	usual(&h);
	one_process(&h);
	h.e.uptime = UINT64_C(604000000000);	/* the event was at 5 s */
	judge(&h);
	CHECK(strstr(text(&h, VERDICT_EVENT), "5 s after boot: "));
	h.e.uptime = UINT64_C(10805000000000);
	judge(&h);
	CHECK(strstr(text(&h, VERDICT_EVENT), "5 s after boot, 3 hours before this dump: "));
	h.e.uptime = UINT64_C(905000000000);
	judge(&h);
	CHECK(strstr(text(&h, VERDICT_EVENT), "5 s after boot, 15 minutes before this dump: "));
	h.e.uptime = UINT64_C(259205000000000);
	judge(&h);
	CHECK(strstr(text(&h, VERDICT_EVENT), "5 s after boot, 3 days before this dump: "));
	h.e.uptime = 0;	/* not known */
	judge(&h);
	CHECK(strstr(text(&h, VERDICT_EVENT), "5 s after boot: "));
	h.e.uptime = UINT64_C(10805000000000);
	h.event.kind = OOM_FAILURE;
	judge(&h);
	CHECK(strstr(text(&h, VERDICT_EVENT), "5 s after boot, 3 hours before this dump: "));
	h.event.kind = OOM_PROGRAM;
	judge(&h);
	CHECK(strstr(text(&h, VERDICT_EVENT), "5 s after boot, 3 hours before this dump."));
	h.event.kind = OOM_KILL;
	judge(&h);
	CHECK(!has_cause(&h, "another panic"));
	h.e.panic = "Fatal exception";
	h.e.panic_time = UINT64_C(65000000000);
	judge(&h);
	CHECK_STR(text(&h, VERDICT_MORE), "The panic is another, 60 s after this event: Fatal exception.");
	h.e.panic_time = EV_UNKNOWN;
	judge(&h);
	CHECK_STR(text(&h, VERDICT_MORE), "The panic is another: Fatal exception.");
	h.e.panic_time = UINT64_C(1000000000);	/* before the event */
	judge(&h);
	CHECK_STR(text(&h, VERDICT_MORE), "The panic is another: Fatal exception.");
	h.event.panic = "Out of memory: compulsory panic_on_oom is enabled";
	judge(&h);
	CHECK(!has_cause(&h, "another panic"));
	arena_release(&h.mem);
}

/* lru_gen/min_ttl_ms: memory is not out, and no zone is low. */
TEST(kswapd)
{
	struct hand h;

	usual(&h);
	one_process(&h);
	h.e.zone.free = 20 * MIB;
	h.e.zone.free_of_others = 90 * MIB;
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_LIMIT), "low zone");
	h.event.comm = "kswapd1";
	judge(&h);
	CHECK_STR(cause(&h, VERDICT_LIMIT), "memory of the machine");
	CHECK(has_cause(&h, "thrashing prevention"));
	h.event.order = 3;	/* min_ttl_ms asks for order 0 */
	judge(&h);
	CHECK(!has_cause(&h, "thrashing prevention"));
	h.event.order = 0;
	h.event.kind = OOM_FAILURE;	/* kswapd may also want a page for swap, and not get it */
	judge(&h);
	CHECK(!has_cause(&h, "thrashing prevention"));
	h.event.kind = OOM_KILL;
	for (int i = 0; i < 3; i++) {	/* programs that are called so */
		static const char *const names[] = { "kswapd", "kswapd.sh", "kswapdx" };

		h.event.comm = names[i];
		judge(&h);
		CHECK(!has_cause(&h, "thrashing prevention"));
	}
	arena_release(&h.mem);
}

/* Nothing is known: no figure is made up. */
TEST(unknown)
{
	struct hand h;

	usual(&h);
	memset(h.e.size, 0xff, sizeof(h.e.size));
	h.e.total = h.e.available = h.e.swap_total = h.e.swap_free = h.e.locked = EV_UNKNOWN;
	h.e.zone = (struct ev_zone){ .name = NULL };
	h.e.nprocs = 0;
	h.e.procs = 0;
	h.e.largest = h.e.second = (struct ev_proc){ .comm = NULL };
	h.e.name = (struct ev_name){ .comm = NULL };
	h.e.victim.bytes = EV_UNKNOWN;
	judge(&h);
	CHECK_EQ(h.v.n, 1);
	CHECK_STR(cause(&h, VERDICT_EVENT), "OOM kill");
	arena_release(&h.mem);
}

/* A damaged log has a number that is no order. */
TEST(order)
{
	struct hand h;

	usual(&h);
	h.event.order = -7;
	judge(&h);
	CHECK(strstr(text(&h, VERDICT_EVENT), "asker (9) asked for memory;"));
	arena_release(&h.mem);
}

/* A dump that is not whole: who has most may be what is missing. */
TEST(doubt)
{
	struct hand h;

	usual(&h);
	h.e.event = NULL;
	h.e.size[USE_ANON] = h.e.procs = 800 * MIB;
	h.e.largest.bytes = 700 * MIB;
	judge(&h);
	CHECK_EQ(row(&h, VERDICT_HOLDER)->certainty, CERTAIN);
	CHECK(!strstr(text(&h, VERDICT_HOLDER), "of those found"));
	h.e.lost = true;
	judge(&h);
	CHECK_EQ(row(&h, VERDICT_HOLDER)->certainty, LIKELY);
	h.e.lost = false;
	h.e.unlisted = true;
	judge(&h);
	CHECK_EQ(row(&h, VERDICT_HOLDER)->certainty, LIKELY);
	CHECK(strstr(why(&h, VERDICT_HOLDER), "not all variables of the kernel are known"));
	h.e.unlisted = false;
	h.e.lost = true;
	h.e.found = "129 of 169 processes";
	judge(&h);
	CHECK_EQ(row(&h, VERDICT_HOLDER)->certainty, LIKELY);
	CHECK(strstr(text(&h, VERDICT_HOLDER), " (of those found: 129 of 169 processes)."));
	CHECK(strstr(why(&h, VERDICT_HOLDER), "129 of 169 processes were found"));
	/* the log has a table of all */
	h.e.from_log = true;
	h.e.lost = false;
	judge(&h);
	CHECK(!strstr(text(&h, VERDICT_HOLDER), "of those found"));
	h.e.log_partial = true;
	judge(&h);
	CHECK(row(&h, VERDICT_EVENT)->certainty != CERTAIN);
	arena_release(&h.mem);
}

/* All that made it worse is told, however much that is. */
TEST(all_rows)
{
	struct hand h;
	unsigned more = 0;

	usual(&h);
	h.event.comm = "kswapd0";
	h.event.prefix = "oom_kill_allocating_task";
	h.e.panic = "Fatal exception";
	h.e.panic_time = EV_UNKNOWN;
	h.e.largest = (struct ev_proc){ .comm = "hog", .pid = 3, .adj = -1000, .bytes = 300 * MIB };
	h.e.repeated.kills = 3;
	h.e.zone.lacking = 0;
	h.e.swap_free = 0;
	h.e.stored = 100 * MIB;
	h.e.size[USE_COMPRESSED] = 90 * MIB;
	h.e.ndying = 1;
	h.e.dying = h.e.huge_unused = 60 * MIB;
	h.e.ngroups = 1000;
	h.e.size[USE_SLAB] = 300 * MIB;
	h.e.locked = 200 * MIB;
	judge(&h);
	for (unsigned i = 0; i < h.v.n; i++)
		more += h.v.v[i].kind == VERDICT_MORE;
	CHECK_EQ(more, 12);
	arena_release(&h.mem);
}

/* Rows that were stored know a cause by its id; a family is no circle. */
TEST(causes)
{
	for (unsigned i = 0; i < VERDICT_CAUSES; i++) {
		enum verdict_cause family = cause_facts[i].family;

		CHECK_EQ(cause_of_id(cause_facts[i].id), i);
		CHECK(family == VC_NONE || cause_facts[family].family == VC_NONE ||
		      cause_facts[cause_facts[family].family].family == VC_NONE);
		for (unsigned j = 0; j < i; j++)
			CHECK(strcmp(cause_facts[i].words, cause_facts[j].words));
	}
}
