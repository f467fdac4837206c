/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evidence of an event from its log alone: the dump is of later, and shows nothing of it. Machines
 * of two nodes, worked out by hand; sizes in the log are KiB or pages of 4 KiB.
 */
#include "dumpread/base/bytes.h"
#include "facts/layout/cgroup.h"
#include "facts/layout/system.h"
#include "model/cause/verdict/ledger.h"
#include "model/shared.h"
#include "reports/oom/words.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"
#include "tests/unit/hand_snapshot.h"
#include "tests/unit/slab_machine.h"

#define MIB (UINT64_C(1) << 20)
#define PAIRS(a) { a, ARRAY_LEN(a), ARRAY_LEN(a) }

struct rig {
	struct hand h;
	struct oom_event event;
	struct oom_log log;
	struct arena mem;
	struct oom_evidence e;
};

static struct oom_pair zone0[] = { { "free", 400 << 10, true }, { "managed", 800 << 10, true } };
static struct oom_pair zone1[] = { { "free", 4 << 10, true }, { "managed", 100 << 10, true } };
static struct oom_pair node0[] = { { "active_anon", 300 << 10, true }, { "inactive_anon", 20 << 10, true },
				   { "shmem", 0, true } };
static struct oom_pair node1[] = { { "active_anon", 80 << 10, true }, { "inactive_anon", 2 << 10, true },
				   { "shmem", 0, true } };
static struct oom_pair counts[] = {
	{ "free", 404 << 8, false }, { "active_anon", 380 << 8, false }, { "inactive_anon", 22 << 8, false },
	{ "shmem", 0, false }, { "slab_unreclaimable", 30 << 8, false }, { "mlocked", 0, false },
	{ "pages RAM", 1000 << 8, false }, { "pages reserved", 100 << 8, false },
	{ "total pagecache pages", 10 << 8, false }, { "pages in swap cache", 0, false },
};
static struct oom_zone zones[] = { { .node = 0, .name = "Normal", .pairs = PAIRS(zone0) },
				   { .node = 1, .name = "Normal", .pairs = PAIRS(zone1) } };
static struct oom_node nodes[] = { { 0, PAIRS(node0) }, { 1, PAIRS(node1) } };
static struct oom_task tasks[] = {
	{ .pid = 900, .tgid = 900, .rss = 300 << 8, .rss_anon = 300 << 8, .tables_bytes = 4096, .comm = "server" },
	{ .pid = 901, .tgid = 901, .rss = 79 << 8, .rss_anon = 79 << 8, .tables_bytes = 4096, .comm = "leaker" },
	{ .pid = 902, .tgid = 902, .rss = 1 << 8, .rss_anon = 1 << 8, .tables_bytes = 4096, .comm = "shell" },
};
static struct oom_victim killed = { .pid = 900, .comm = "server", .anon_rss = 300 << 10, .tables = 4 };

static void start(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	hand_snapshot(&r->h, 6, 8);
	r->event = (struct oom_event){
		.kind = OOM_KILL, .time = 5000000000, .constraint = OOM_NONE, .comm = "leaker", .pid = 901,
		.zones = { zones, 2, 2 }, .nodes = { nodes, 2, 2 }, .counts = PAIRS(counts),
		.tasks = { tasks, 3, 3 }, .victims = { &killed, 1, 1 },
	};
	r->log = (struct oom_log){ .v = &r->event, .n = 1 };
}

static void gather(struct rig *r)
{
	evidence_gather(&r->h.s, &r->log, &r->mem, &r->e);
	CHECK(ledger_is_even(&r->e));
}

static void finish(struct rig *r)
{
	shared_free(&r->h.s);
	arena_release(&r->mem);
}

TEST(machine)
{
	struct rig r;

	start(&r);
	gather(&r);
	CHECK_EQ(r.e.sum, r.e.total);
	CHECK_EQ(r.e.total, 900 * MIB);
	CHECK_EQ(r.e.size[USE_FREE], 404 * MIB);
	CHECK_EQ(r.e.size[USE_ANON], 380 * MIB);	/* of the table */
	CHECK_EQ(r.e.size[USE_SLAB], 30 * MIB);
	CHECK_STR(r.e.largest.comm, "server");
	CHECK_EQ(r.e.largest.bytes, 300 * MIB);
	finish(&r);
}

/* Who asked is confined to node 1: the server, however large, has no page there. */
TEST(nodes)
{
	struct rig r;

	start(&r);
	r.event.constraint = OOM_CPUSET;
	r.event.cpuset = "job";
	r.event.mems_allowed = "1";
	gather(&r);
	CHECK_EQ(r.e.total, 100 * MIB);
	CHECK_EQ(r.e.size[USE_FREE], 4 * MIB);
	CHECK_EQ(r.e.size[USE_ANON], 82 * MIB);
	CHECK_EQ(r.e.size[USE_SLAB], 14 * MIB);	/* of the machine's 30: no more is left */
	CHECK_STR(r.e.largest.comm, "leaker");
	CHECK_EQ(r.e.largest.bytes, 79 * MIB);
	CHECK_EQ(r.e.second.bytes, 3 * MIB);	/* 82 less 79 */
	finish(&r);
}

/* 310 MiB are locked; others than the server have 80 together. */
TEST(locked)
{
	struct rig r;

	start(&r);
	counts[5].value = 310 << 8;
	gather(&r);
	CHECK_EQ(r.e.largest.locked, 230 * MIB);
	counts[5].value = 60 << 8;
	gather(&r);
	CHECK_EQ(r.e.largest.locked, 0);
	counts[5].value = 0;
	finish(&r);
}

/*
 * 200 MiB of shmem, of which 150 are locked with SHM_LOCK and on no list: of 450 MiB on the lists 50 are
 * shmem. Of 160 MiB that are unevictable, 10 are files of ramfs.
 */
TEST(locked_shmem)
{
	static struct oom_pair with[] = {
		{ "free", 100 << 8, false }, { "active_anon", 430 << 8, false }, { "inactive_anon", 20 << 8, false },
		{ "active_file", 5 << 8, false }, { "inactive_file", 15 << 8, false }, { "unevictable", 160 << 8, false },
		{ "shmem", 200 << 8, false }, { "slab_unreclaimable", 30 << 8, false }, { "mlocked", 0, false },
		{ "total pagecache pages", 230 << 8, false }, { "pages in swap cache", 0, false },
	};
	struct oom_task old[] = { tasks[0], tasks[1] };
	struct rig r;

	start(&r);
	old[0].rss_anon = old[1].rss_anon = OOM_UNKNOWN;	/* before 6.8 */
	r.event.tasks.v = old;
	r.event.tasks.n = r.event.tasks.cap = 2;
	r.event.counts = (struct oom_pairs)PAIRS(with);
	gather(&r);
	CHECK_EQ(r.e.size[USE_SHMEM], 200 * MIB);
	CHECK_EQ(r.e.size[USE_FILE], 30 * MIB);
	CHECK_EQ(r.e.size[USE_ANON], 400 * MIB);
	finish(&r);
}

/* A group of 300 MiB: the table shows libraries, too, which are charged to others. */
TEST(limit_holds)
{
	static struct oom_usage usage = { .what = "memory", .usage = 300 << 10, .limit = 300 << 10 };
	struct oom_task one = tasks[0];
	struct rig r;

	start(&r);
	one.rss = 303 << 8;
	one.rss_anon = OOM_UNKNOWN;
	r.event.constraint = OOM_MEMCG;
	r.event.oom_memcg = "/job";
	r.event.usages.v = &usage;
	r.event.usages.n = r.event.usages.cap = 1;
	r.event.tasks.v = &one;
	r.event.tasks.n = r.event.tasks.cap = 1;
	gather(&r);
	CHECK_EQ(r.e.total, 300 * MIB);
	CHECK_EQ(r.e.largest.bytes, 300 * MIB);
	finish(&r);
}

/* Each of them shows the pages that all share: together they are no more than there are. */
TEST(shared)
{
	static struct oom_task forks[40];
	struct rig r;

	for (unsigned i = 0; i < 40; i++)
		forks[i] = (struct oom_task){ .pid = 500 + i, .tgid = 500 + i, .rss = 40 << 8,
					      .rss_anon = OOM_UNKNOWN, .tables_bytes = 8192,
					      .comm = "worker" };
	start(&r);
	r.event.tasks.v = forks;
	r.event.tasks.n = r.event.tasks.cap = 40;
	gather(&r);
	CHECK_EQ(r.e.size[USE_ANON], 402 * MIB);	/* of the lists */
	CHECK_EQ(r.e.procs, 1600 * MIB);
	CHECK_EQ(r.e.name.n, 40);
	CHECK_EQ(r.e.name.bytes, 402 * MIB + UINT64_C(40) * 8192);
	CHECK_EQ(r.e.name.dated, 0);	/* none of them is in the dump */
	finish(&r);
}

/*
 * Two victims within a second, 460 MiB of shared memory, and none in the dump: it had begun to come
 * free with the first when the second was killed. If it had not, nobody knows whose it was.
 */
TEST(coming_free)
{
	static struct oom_pair before[] = { { "shmem", 460 << 8, false } };
	static struct oom_pair with[ARRAY_LEN(counts)];
	static struct oom_victim hog = { .pid = 905, .comm = "hog", .anon_rss = 92, .tables = 4 };
	static struct zone_count info[] = { { "MemTotal", 900 * MIB }, { "Shmem", 0 }, { "MemFree", 700 * MIB },
					    { "Cached", 10 * MIB }, { "AnonPages", 40 * MIB },
					    { "SUnreclaim", 30 * MIB } };
	static struct oom_victim last = { .pid = 902, .comm = "shell", .anon_rss = 1 << 10, .tables = 4 };
	struct oom_event two[2], three[3];
	struct rig r;

	start(&r);
	memcpy(with, counts, sizeof(with));
	with[3].value = 440 << 8;
	r.h.s.machine.meminfo = info;
	r.h.s.machine.nmeminfo = ARRAY_LEN(info);
	two[0] = two[1] = r.event;
	two[0].counts = (struct oom_pairs)PAIRS(before);
	two[0].victims.v = &hog;
	two[1].counts = (struct oom_pairs)PAIRS(with);
	r.log = (struct oom_log){ .v = two, .n = 2 };
	gather(&r);
	CHECK_EQ(r.e.size[USE_SHMEM], 440 * MIB);
	CHECK_STR(owner_text(&r.e.owner[USE_SHMEM], &r.mem), "hog (905)");
	CHECK_STR(r.e.earlier.comm, "hog");
	CHECK(r.e.earlier.sure);
	before[0].value = 440 << 8;
	gather(&r);
	CHECK(r.e.owner[USE_SHMEM].among && !r.e.owner[USE_SHMEM].subject.pid);
	/* a third is killed 3 s later: the hog had left the table before, so it is not the hog's */
	three[0] = two[0];
	three[1] = three[2] = two[1];
	three[2].time += 3000000000;
	three[1].victims.v = &last;
	three[2].victims.v = &killed;
	r.log = (struct oom_log){ .v = three, .n = 3 };
	gather(&r);
	CHECK(r.e.owner[USE_SHMEM].among && !r.e.owner[USE_SHMEM].subject.pid);	/* the second is in the table as well */
	last.pid = 906;
	three[1].time -= 3000000000;
	three[0].time -= 3000000000;
	gather(&r);
	CHECK(r.e.owner[USE_SHMEM].among && !r.e.owner[USE_SHMEM].subject.pid);	/* it was not looked for after its kill */
	three[1].victims.v = &killed;	/* twice */
	gather(&r);
	CHECK_STR(owner_text(&r.e.owner[USE_SHMEM], &r.mem), "server (900)");
	CHECK(!r.e.earlier.comm);		/* it was killed in the event itself */
	/* the table of a control group has only its own processes */
	three[1].constraint = OOM_MEMCG;
	gather(&r);
	CHECK(r.e.owner[USE_SHMEM].among && !r.e.owner[USE_SHMEM].subject.pid);
	three[1].constraint = OOM_NONE;
	three[1].time = three[2].time - 1000000000;	/* the hog may still have closed its files */
	gather(&r);
	CHECK(r.e.owner[USE_SHMEM].among && !r.e.owner[USE_SHMEM].subject.pid);
	finish(&r);
}

/* hog is killed for a request that is limited to node 1, which has NODE; the dump has INFO, of 6 lines. */
struct on_node {
	struct oom_pair counts[ARRAY_LEN(counts)];
	struct oom_node nodes[2];
};

static void start_on_node(struct rig *r, struct on_node *n, struct oom_pair node[3], struct zone_count info[6])
{
	static struct oom_victim hog = { .pid = 905, .comm = "hog", .anon_rss = 92, .tables = 4 };

	start(r);
	memcpy(n->counts, counts, sizeof(counts));
	n->nodes[0] = nodes[0];
	n->nodes[1] = (struct oom_node){ 1, { node, 3, 3 } };
	r->h.s.machine.meminfo = info;
	r->h.s.machine.nmeminfo = 6;
	r->event.counts = (struct oom_pairs)PAIRS(n->counts);
	r->event.nodes.v = n->nodes;
	r->event.victims.v = &hog;
}

/*
 * 90 MiB of shared memory fill node 1, and came free with who was killed.
 */
TEST(freed_on_node)
{
	static struct oom_pair node[] = { { "active_anon", 1 << 10, true }, { "inactive_anon", 90 << 10, true },
					  { "shmem", 90 << 10, true } };
	static struct zone_count info[] = { { "MemTotal", 900 * MIB }, { "Shmem", 1 * MIB }, { "MemFree", 700 * MIB },
					    { "Cached", 10 * MIB }, { "AnonPages", 40 * MIB },
					    { "SUnreclaim", 30 * MIB } };
	struct oom_event events[2];
	struct on_node n;
	struct rig r;

	start_on_node(&r, &n, node, info);
	n.counts[3].value = 100 << 8;
	r.event.constraint = OOM_MEMPOLICY;
	r.event.nodemask = "1";
	gather(&r);
	CHECK_EQ(r.e.size[USE_SHMEM], 90 * MIB);
	CHECK_STR(owner_text(&r.e.owner[USE_SHMEM], &r.mem), "hog (905)");
	CHECK_EQ(r.e.owner[USE_SHMEM].bytes, 90 * MIB);
	CHECK_EQ(r.e.owner[USE_SHMEM].subject.pid, 905);
	/* another was killed at once before: one of both had it */
	events[0] = events[1] = r.event;
	events[0].victims.v = &killed;
	r.log = (struct oom_log){ .v = events, .n = 2 };
	gather(&r);
	CHECK_STR(owner_text(&r.e.owner[USE_SHMEM], &r.mem), "that of one of server (900), hog (905)");
	CHECK(r.e.owner[USE_SHMEM].among && !r.e.owner[USE_SHMEM].subject.pid && !r.e.owner[USE_SHMEM].cause);
	r.log = (struct oom_log){ .v = &r.event, .n = 1 };
	info[1].value = 80 * MIB;	/* most is still there: of node 0, as it may be */
	gather(&r);
	CHECK(!r.e.owner[USE_SHMEM].name);
	finish(&r);
}

/*
 * Memory of no counter: 54 MiB of node 1, 134 of the machine. In the dump the machine has 40.
 */
TEST(other_on_node)
{
	static struct oom_pair node[] = { { "active_anon", 1 << 10, true }, { "inactive_anon", 1 << 10, true },
					  { "shmem", 0, true } };
	static struct zone_count info[] = { { "MemTotal", 900 * MIB }, { "Shmem", 0 }, { "MemFree", 500 * MIB },
					    { "Cached", 10 * MIB }, { "AnonPages", 320 * MIB },
					    { "SUnreclaim", 30 * MIB } };
	struct oom_event events[2];
	struct on_node n;
	struct rig r;

	start_on_node(&r, &n, node, info);
	n.counts[1].value = 300 << 8;
	r.event.constraint = OOM_CPUSET;
	r.event.mems_allowed = "1";
	gather(&r);
	CHECK_EQ(r.e.size[USE_OTHER], 54 * MIB);
	CHECK_EQ(r.e.now[USE_OTHER], 0);
	CHECK_STR(owner_text(&r.e.owner[USE_OTHER], &r.mem), "hog (905)");
	CHECK_STR(r.e.owner[USE_OTHER].subject.name, "hog");
	CHECK_EQ(r.e.owner[USE_OTHER].cause, VC_DESCRIPTORS);
	CHECK_EQ(r.e.owner[USE_OTHER].bytes, 54 * MIB);
	/* another was killed at once before: one of both had it */
	events[0] = events[1] = r.event;
	events[0].victims.v = &killed;
	r.log = (struct oom_log){ .v = events, .n = 2 };
	gather(&r);
	CHECK_STR(owner_text(&r.e.owner[USE_OTHER], &r.mem), "that of one of server (900), hog (905)");
	CHECK(r.e.owner[USE_OTHER].among && !r.e.owner[USE_OTHER].subject.pid);
	CHECK_EQ(r.e.owner[USE_OTHER].bytes, 54 * MIB);
	r.log = (struct oom_log){ .v = &r.event, .n = 1 };
	info[2].value = 420 * MIB;	/* most is still there */
	gather(&r);
	CHECK_EQ(r.e.now[USE_OTHER], 40 * MIB);
	CHECK(!r.e.owner[USE_OTHER].cause);
	finish(&r);
}

/*
 * 300 MiB of page cache, of which a process has locked 200: mapped in two pieces, and again by another.
 * A file of the second kind has a locked mapping that is larger than what is there of it.
 */
TEST(locked_files)
{
	static struct zone_count info[] = { { "MemTotal", 900 * MIB }, { "Shmem", 0 }, { "MemFree", 100 * MIB },
					    { "Cached", 300 * MIB }, { "Buffers", 0 }, { "AnonPages", 460 * MIB },
					    { "SUnreclaim", 30 * MIB }, { "Mlocked", 220 * MIB },
					    { "Unevictable", 220 * MIB } };
	struct file files[] = { { .path = "/data", .kind = FILE_REGULAR, .cached = 250 << 8 },
				{ .path = "/small", .kind = FILE_REGULAR, .cached = 10 << 8 } };
	struct mm mms[] = { { .owner = 2, .nprocs = 1, .nvmas = 4 }, { .owner = 1, .nprocs = 1, .first_vma = 4, .nvmas = 1 } };
	struct vma vmas[] = {
		{ .start = 0, .end = 150 * MIB, .flags = VMA_LOCKED, .file = 0 },
		{ .start = 200 * MIB, .end = 250 * MIB, .flags = VMA_LOCKED, .file = 0 },
		{ .start = 300 * MIB, .end = 350 * MIB, .file = 0 },
		{ .start = 400 * MIB, .end = 500 * MIB, .flags = VMA_LOCKED, .file = 1 },
		{ .start = 0, .end = 150 * MIB, .flags = VMA_LOCKED, .file = 0, .mm = 1 },
	};
	struct source with_memory = source_by_hand;
	struct rig r;

	start(&r);
	with_memory.has |= SOURCE_MEMORY;
	r.h.k.source = &with_memory;
	r.h.s.machine.meminfo = info;
	r.h.s.machine.nmeminfo = ARRAY_LEN(info);
	r.h.s.files = files;
	r.h.s.nfiles = 2;
	r.h.s.mms = mms;
	r.h.s.nmms = 2;
	r.h.s.vmas = vmas;
	r.h.s.nvmas = 5;
	r.h.s.nprocs = 3;
	r.log.n = 0;
	gather(&r);
	CHECK_EQ(r.e.size[USE_LOCKED], 210 * MIB);
	CHECK_EQ(r.e.size[USE_FILE], 90 * MIB);
	CHECK_STR(owner_text(&r.e.owner[USE_LOCKED], &r.mem), "file /data");
	CHECK_EQ(r.e.owner[USE_LOCKED].subject.kind, SUBJECT_FILE);
	CHECK_STR(r.e.owner[USE_LOCKED].subject.path, "/data");
	CHECK_EQ(r.e.owner[USE_LOCKED].subject.pid, 11);
	CHECK_EQ(r.e.owner[USE_LOCKED].bytes, 200 * MIB);
	CHECK_STR(detail_text(&r.e.owner[USE_LOCKED], &r.mem), "locked by child (11)");
	info[7].value = 190 * MIB;	/* no more than is locked */
	gather(&r);
	CHECK_EQ(r.e.size[USE_LOCKED], 190 * MIB);
	finish(&r);
}

/* The killed process had 400 MiB of files mapped and locked, 20 MiB of its own; 5 MiB are locked by others. */
TEST(freed_locked_files)
{
	static struct zone_count info[] = { { "MemTotal", 900 * MIB }, { "Shmem", 0 }, { "MemFree", 800 * MIB },
					    { "Cached", 10 * MIB }, { "AnonPages", 40 * MIB },
					    { "SUnreclaim", 30 * MIB }, { "Mlocked", 5 * MIB } };
	static struct oom_victim hog = { .pid = 900, .comm = "server", .anon_rss = 20 << 10,
					 .file_rss = 402 << 10, .tables = 4 };
	struct oom_task with_files[] = { tasks[0], tasks[1], tasks[2] };
	struct oom_pair with[ARRAY_LEN(counts)];
	struct rig r;

	start(&r);
	memcpy(with, counts, sizeof(with));
	with[5].value = 425 << 8;	/* mlocked */
	with[8].value = 430 << 8;	/* page cache */
	with_files[0].rss_anon = 20 << 8;
	r.h.s.machine.meminfo = info;
	r.h.s.machine.nmeminfo = ARRAY_LEN(info);
	r.event.counts = (struct oom_pairs)PAIRS(with);
	r.event.tasks.v = with_files;
	r.event.victims.v = &hog;
	gather(&r);
	CHECK_EQ(r.e.size[USE_LOCKED], 400 * MIB);
	CHECK_EQ(r.e.size[USE_FILE], 30 * MIB);
	CHECK_STR(owner_text(&r.e.owner[USE_LOCKED], &r.mem), "server (900)");
	info[6].value = 425 * MIB;	/* all is still locked: by another */
	gather(&r);
	CHECK_EQ(r.e.size[USE_LOCKED], EV_UNKNOWN);
	CHECK_EQ(r.e.size[USE_FILE], 430 * MIB);
	finish(&r);
}

/* 300 MiB of slabs, most in one cache: a process has nearly all mappings, or none has most. */
TEST(slab_user)
{
	static struct oom_slab slabs[] = { { "kmalloc-1k", 9 << 10, 10 << 10 },
					   { "vm_area_struct", 250 << 10, 260 << 10 } };
	struct mm mms[] = { { .owner = 0, .nprocs = 1, .nvmas = 40 },
			    { .owner = 2, .nprocs = 1, .nvmas = 1300000 } };
	struct source with_memory = source_by_hand;
	struct rig r;

	start(&r);
	with_memory.has |= SOURCE_MEMORY;
	r.h.k.source = &with_memory;
	r.h.k.memmap.max_pfn = UINT64_C(1) << 40;	/* so many are not looked at */
	r.event.slabs.v = slabs;
	r.event.slabs.n = r.event.slabs.cap = 2;
	r.h.s.mms = mms;
	r.h.s.nmms = 2;
	r.h.s.nprocs = 3;
	counts[4].value = 300 << 8;
	gather(&r);
	CHECK_STR(owner_text(&r.e.owner[USE_SLAB], &r.mem), "vm_area_struct");
	CHECK_EQ(r.e.owner[USE_SLAB].subject.kind, SUBJECT_CACHE);
	CHECK_STR(r.e.owner[USE_SLAB].subject.name, "vm_area_struct");
	CHECK_STR(detail_text(&r.e.owner[USE_SLAB], &r.mem), "child (11) has 1300000 of 1300040 mappings");
	CHECK_EQ(r.e.owner[USE_SLAB].subject.pid, 11);
	mms[0].nvmas = 1400000;
	mms[0].owner = NONE;
	gather(&r);
	CHECK(!detail_text(&r.e.owner[USE_SLAB], &r.mem));
	counts[4].value = 30 << 8;
	finish(&r);
}

/* 300 MiB of slabs: 30 caches of 9 MiB, no one of which says much, and a few small ones. */
TEST(many_caches)
{
	static struct oom_slab slabs[40];
	static char names[40][16];
	struct source with_memory = source_by_hand;
	struct rig r;

	start(&r);
	with_memory.has |= SOURCE_MEMORY;
	r.h.k.source = &with_memory;
	r.h.k.memmap.max_pfn = UINT64_C(1) << 40;	/* so many are not looked at */
	for (unsigned i = 0; i < 40; i++) {
		snprintf(names[i], sizeof(names[i]), "cache_%u", i);
		slabs[i] = (struct oom_slab){ names[i], 0, i < 30 ? 9 << 10 : 1 << 10 };
	}
	r.event.slabs.v = slabs;
	r.event.slabs.n = r.event.slabs.cap = 40;
	counts[4].value = 300 << 8;
	gather(&r);
	CHECK_STR(owner_text(&r.e.owner[USE_SLAB], &r.mem), "cache_0");
	CHECK_EQ(r.e.owner[USE_SLAB].bytes, 9 * MIB);
	/* half of 280 */
	CHECK_STR(detail_text(&r.e.owner[USE_SLAB], &r.mem),
		  "16 caches have half of it: cache_0, cache_1, cache_10 and 13 more");
	slabs[7].total = 200 << 10;
	gather(&r);
	CHECK_STR(owner_text(&r.e.owner[USE_SLAB], &r.mem), "cache_7");
	CHECK(!detail_text(&r.e.owner[USE_SLAB], &r.mem));
	counts[4].value = 30 << 8;
	finish(&r);
}

/* 467 MiB of slab, of which all caches have 7: the rest are large allocations of kmalloc(). */
TEST(large_kmalloc)
{
	static struct oom_slab slabs[] = { { "kernfs_node_cache", 1752, 1752 },
					   { "kmalloc-8k", 1600, 1600 },
					   { "inode_cache", 1500, 1500 },
					   { "vm_area_struct", 1300, 1300 },
					   { "filp", 1016, 1016 } };
	struct source with_memory = source_by_hand;
	struct rig r;

	start(&r);
	with_memory.has |= SOURCE_MEMORY;
	r.h.k.source = &with_memory;
	r.h.k.memmap.max_pfn = UINT64_C(1) << 40;	/* so many are not looked at */
	r.event.slabs.v = slabs;
	r.event.slabs.n = r.event.slabs.cap = 5;
	counts[4].value = 467 << 8;
	gather(&r);
	CHECK_STR(owner_text(&r.e.owner[USE_SLAB], &r.mem), "large kmalloc");
	CHECK_EQ(r.e.owner[USE_SLAB].bytes, 460 * MIB);
	CHECK(!r.e.owner[USE_SLAB].many);
	counts[4].value = 30 << 8;
	finish(&r);
}

/* 402 MiB are anonymous, the table has 80: the rest is of java, killed a second before. */
TEST(unfreed)
{
	static struct oom_victim java = { .pid = 950, .comm = "java", .anon_rss = 300 << 10, .tables = 700 };
	struct oom_task left[] = { tasks[1], tasks[2] };
	struct oom_event two[2];
	struct rig r;

	start(&r);
	two[0] = two[1] = r.event;
	two[0].time -= 1000000000;
	two[0].victims.v = &java;
	two[1].tasks.v = left;
	two[1].tasks.n = two[1].tasks.cap = 2;
	r.log = (struct oom_log){ .v = two, .n = 2 };
	gather(&r);
	CHECK_EQ(r.e.size[USE_ANON], 402 * MIB);
	for (unsigned i = 0; i < 2; i++)
		left[i].rss_anon = OOM_UNKNOWN;	/* before 6.8 */
	gather(&r);
	CHECK_EQ(r.e.size[USE_ANON], 402 * MIB);
	CHECK_STR(r.e.largest.comm, "java");
	CHECK_EQ(r.e.largest.bytes, 300 * MIB);
	CHECK_STR(r.e.earlier.comm, "java");
	two[1].time = two[0].time + 61000000000;	/* long ago */
	gather(&r);
	CHECK_STR(r.e.largest.comm, "leaker");
	two[0].time = two[1].time;
	two[1].tasks.v = tasks;		/* who is there explains it */
	two[1].tasks.n = 3;
	gather(&r);
	CHECK_STR(r.e.largest.comm, "server");
	finish(&r);
}

/* 400 MiB of shared memory: a file that the dump has explains a tenth of it, or nothing. */
TEST(small_object)
{
	struct file file = { .inode = 0x1000, .path = "/run/x", .kind = FILE_SHMEM, .cached = 39 << 8,
			     .status_known = true };
	struct oom_pair with[ARRAY_LEN(counts)];
	struct source with_memory = source_by_hand;
	struct rig r;

	start(&r);
	memcpy(with, counts, sizeof(with));
	with[3].value = 400 << 8;
	with_memory.has |= SOURCE_MEMORY;
	r.h.k.source = &with_memory;
	r.h.k.memmap.max_pfn = UINT64_C(1) << 40;	/* so many are not looked at */
	r.event.counts = (struct oom_pairs)PAIRS(with);
	r.h.s.files = &file;
	r.h.s.nfiles = 1;
	gather(&r);
	CHECK_EQ(r.e.size[USE_SHMEM], 400 * MIB);
	CHECK(!r.e.owner[USE_SHMEM].name);
	CHECK_EQ(r.e.owner[USE_SHMEM].bytes, 0);
	finish(&r);
	start(&r);
	r.h.k.source = &with_memory;
	r.h.k.memmap.max_pfn = UINT64_C(1) << 40;
	r.event.counts = (struct oom_pairs)PAIRS(with);
	r.h.s.files = &file;
	r.h.s.nfiles = 1;
	file.cached = 41 << 8;
	gather(&r);
	CHECK_STR(owner_text(&r.e.owner[USE_SHMEM], &r.mem), "a file of tmpfs /run/x");
	CHECK_STR(r.e.owner[USE_SHMEM].subject.path, "/run/x");
	CHECK_EQ(r.e.owner[USE_SHMEM].bytes, 41 * MIB);
	finish(&r);
}

/*
 * A group of 100 MiB, 90 of them shared memory, of which 1 MiB is left in the dump: it came free with the
 * process that was killed. Not if a removed group of that path still has it.
 */
TEST(freed_in_group)
{
	enum { CPU_STATS = 8, STATE = 512, NR_SHMEM = 4, AT = 0x10000 };
	static struct oom_usage usage = { .what = "memory", .usage = 100 << 10, .limit = 100 << 10 };
	static struct oom_pair stats[] = { { "anon", 5 << 20, false }, { "file", 92 << 20, false },
					   { "shmem", 90 << 20, false }, { "slab_unreclaimable", 1 << 20, false } };
	static struct oom_victim hog = { .pid = 905, .comm = "hog", .anon_rss = 92, .file_rss = 103 << 10,
					 .tables = 4 };
	static uint64_t percpu[1];
	struct fake *f = fake_new(8, false);
	struct cgroup groups[3] = { { .css = fake_kva(f, AT), .path = "/", .parent = NONE, .memory = true },
				    { .css = fake_kva(f, AT + 0x4000), .path = "/job", .parent = 0,
				      .memory = true, .usage = 2 << 8, .max = 100 << 8 },
				    { .css = fake_kva(f, AT + 0x8000), .path = "/job", .parent = 0,
				      .memory = true, .dying = true, .usage = 90 << 8 } };
	struct snapshot s = { .k = &f->kernel, .cgroups = groups, .ncgroups = 2 };
	struct rig r;

	start(&r);
	fake_member(f, M_MEMCG_CSS, 0, 56);
	fake_member(f, M_MEMCG_VMSTATS_PERCPU, 72, 8);
	fake_array(f, M_VMSTATS_CPU_STATE, CPU_STATS, 8, 32);
	fake_array(f, M_MEMCG_VMSTATS, STATE, 8, 32);
	fake_size(f, S_VMSTATS_CPU, 1024);
	f->kernel.layout.extent[S_VMSTATS_CPU] = 1024;
	fake_enum(f, E_NR_SHMEM, NR_SHMEM);
	fake_enum(f, E_MEMCG_NR_STAT, 32);
	f->kernel.layout.v[M_MEMCG_VMSTATS].m.size = 32 * 8;
	f->kernel.ncpus = 1;
	f->kernel.percpu = percpu;
	for (unsigned i = 0; i < 3; i++) {
		fake_put_uint(f, AT + i * 0x4000 + 0x2000, 0, 8);
		fake_put_uint(f, AT + i * 0x4000 + 72, fake_kva(f, AT + i * 0x4000 + 0x2000), 8);
		fake_put_uint(f, AT + i * 0x4000 + STATE + NR_SHMEM * 8, i == 2 ? 90 << 8 : 1 << 8, 8);
	}
	r.event.constraint = OOM_MEMCG;
	r.event.oom_memcg = "/job";
	r.event.usages.v = &usage;
	r.event.usages.n = r.event.usages.cap = 1;
	r.event.stats = (struct oom_pairs)PAIRS(stats);
	r.event.tasks.n = 0;
	r.event.victims.v = &hog;
	evidence_gather(&s, &r.log, &r.mem, &r.e);
	CHECK(ledger_is_even(&r.e));
	CHECK_EQ(r.e.size[USE_SHMEM], 90 * MIB);
	CHECK_EQ(r.e.now[USE_SHMEM], 1 * MIB);
	CHECK_STR(owner_text(&r.e.owner[USE_SHMEM], &r.mem), "hog (905)");
	CHECK_EQ(r.e.owner[USE_SHMEM].bytes, 89 * MIB);
	CHECK_EQ(r.e.victim.bytes, 100 * MIB);	/* libraries are charged to others */
	s.ncgroups = 3;
	evidence_gather(&s, &r.log, &r.mem, &r.e);
	CHECK(ledger_is_even(&r.e));
	CHECK_EQ(r.e.now[USE_SHMEM], 91 * MIB);
	CHECK(!r.e.owner[USE_SHMEM].subject.pid);
	shared_free(&s);
	finish(&r);
	fake_free(f);
}

/* 500 MiB of swap are full, the processes have 100 MiB there, 10 are in the swap cache: the rest is shared. */
TEST(swapped_shmem)
{
	static struct oom_pair with[ARRAY_LEN(counts) + 2];
	struct oom_task slept[] = { tasks[0], tasks[1], tasks[2] };
	struct rig r;

	start(&r);
	memcpy(with, counts, sizeof(counts));
	with[9].value = 10 << 8;
	with[ARRAY_LEN(counts)] = (struct oom_pair){ "Total swap", 500 << 10, true };
	with[ARRAY_LEN(counts) + 1] = (struct oom_pair){ "Free swap", 0, true };
	slept[1].swapents = 100 << 8;
	r.event.counts = (struct oom_pairs)PAIRS(with);
	r.event.tasks.v = slept;
	gather(&r);
	CHECK_EQ(r.e.shmem_swapped, 390 * MIB);
	slept[0].swapents = 300 << 8;	/* 90 of 500: counters may drift */
	gather(&r);
	CHECK_EQ(r.e.shmem_swapped, 0);
	slept[0].swapents = OOM_UNKNOWN;
	gather(&r);
	CHECK_EQ(r.e.shmem_swapped, 0);
	finish(&r);
}

/* 40 MiB of stacks of a group, of whose 2560 threads a process has 2500. Another, outside, has 3000. */
TEST(stacks_in_group)
{
	static struct oom_usage usage = { .what = "memory", .usage = 100 << 10, .limit = 100 << 10 };
	static struct oom_pair stats[] = { { "anon", 5 << 20, false }, { "file", 0, false }, { "shmem", 0, false },
					   { "kernel_stack", 40 << 20, false },
					   { "slab_unreclaimable", 30 << 20, false } };
	struct fake *f = sl_lists(false);
	struct task leaders[3] = { { .comm = "outside" }, { .comm = "threads" }, { .comm = "small" } };
	struct proc procs[3] = { { .pid = 5, .leader = 0, .first_task = 3, .ntasks = 3000, .cgroup = 0, .mm = NONE },
				 { .pid = 6, .leader = 1, .first_task = 3, .ntasks = 2500, .cgroup = 1, .mm = NONE },
				 { .pid = 7, .leader = 2, .first_task = 3, .ntasks = 60, .cgroup = 1, .mm = NONE } };
	struct cgroup groups[2] = { { .path = "/", .parent = NONE },
				    { .path = "/job", .parent = 0, .memory = true, .max = 100 << 8 } };
	struct snapshot s = { .k = &f->kernel, .cgroups = groups, .ncgroups = 2, .tasks = leaders,
			      .ntasks = 3, .procs = procs, .nprocs = 3 };
	struct rig r;

	start(&r);
	groups[1].css = fake_kva(f, 0x10000);
	fake_put(f, SL_NAME, "task_struct", 12);
	fake_put_uint(f, SL_CACHE + SL_SIZE, 8192, 4);
	r.event.constraint = OOM_MEMCG;
	r.event.oom_memcg = "/job";
	r.event.usages.v = &usage;
	r.event.usages.n = r.event.usages.cap = 1;
	r.event.stats = (struct oom_pairs)PAIRS(stats);
	r.event.tasks.n = 0;
	evidence_gather(&s, &r.log, &r.mem, &r.e);
	CHECK(ledger_is_even(&r.e));
	CHECK_STR(owner_text(&r.e.owner[USE_STACKS], &r.mem), "threads (6)");
	CHECK_EQ(r.e.owner[USE_STACKS].subject.kind, SUBJECT_PROCESS);
	CHECK_STR(r.e.owner[USE_STACKS].subject.name, "threads");
	CHECK_STR(detail_text(&r.e.owner[USE_STACKS], &r.mem), "2500 of 2560 threads");
	CHECK_EQ(r.e.owner[USE_STACKS].bytes, (40 * MIB) / 2560 * 2500);
	CHECK_EQ(r.e.size[USE_TASK_SLAB], 2560 * 8192);	/* of the group alone */
	CHECK_EQ(r.e.size[USE_SLAB], 10 * MIB);
	shared_free(&s);
	finish(&r);
	fake_free(f);
}

/* A group of version 2 has a line of its own for swap: 58 of 60 MiB; in version 1 "memory+swap" is something else. */
TEST(swap_of_group)
{
	static struct oom_usage usages[] = { { .what = "memory", .usage = 100 << 10, .limit = 100 << 10 },
					     { .what = "swap", .usage = 58 << 10, .limit = 60 << 10 } };
	struct rig r;

	start(&r);
	r.event.constraint = OOM_MEMCG;
	r.event.oom_memcg = "/job";
	r.event.usages.v = usages;
	r.event.usages.n = r.event.usages.cap = 2;
	gather(&r);
	CHECK_EQ(r.e.group_swap, 58 * MIB);
	CHECK_EQ(r.e.group_swap_limit, 60 * MIB);
	usages[1].what = "memory+swap";
	gather(&r);
	CHECK_EQ(r.e.group_swap, EV_UNKNOWN);
	CHECK_EQ(r.e.group_swap_limit, EV_UNKNOWN);
	finish(&r);
}

/* When the machine panicked, and when it was dumped. */
TEST(times)
{
	static struct log_line lines[] = { { .ts = 1000000000, .text = "" }, { .ts = 7000000000, .text = "" } };
	struct rig r;

	start(&r);
	r.h.s.machine.log = lines;
	r.h.s.machine.nlog = 2;
	r.h.s.machine.panic = "Fatal exception";
	r.h.s.machine.panic_line = 1;
	r.h.s.machine.uptime = 9000000000;
	gather(&r);
	CHECK_EQ(r.e.uptime, 9000000000);
	CHECK_STR(r.e.panic, "Fatal exception");
	CHECK_EQ(r.e.panic_time, 7000000000);
	r.h.s.machine.panic_line = 2;	/* not in the log */
	gather(&r);
	CHECK_EQ(r.e.panic_time, EV_UNKNOWN);
	r.h.s.machine.panic_line = 1;
	r.h.s.machine.panic = NULL;
	gather(&r);
	CHECK_EQ(r.e.panic_time, EV_UNKNOWN);
	finish(&r);
}

/* What a damaged log says to be used is more than all there is. */
TEST(share)
{
	struct oom_evidence e = { .total = 4096 };
	volatile uint64_t much = UINT64_MAX / 3;	/* the compiler must not know it */

	CHECK_EQ(ev_share(&e, 1024), 250);
	CHECK_EQ(ev_share(&e, much), UINT32_MAX);
	CHECK_EQ(ev_share(&e, EV_UNKNOWN), 0);
	e.total = 0;
	CHECK_EQ(ev_share(&e, 1024), 0);
}
