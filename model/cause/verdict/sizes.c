/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sizes.c - where the memory of the scope was, by the log, by a control group, by the dump. */
#include "dumpread/base/bytes.h"
#include "model/cause/verdict/gather.h"
#include "model/kernel/cgroup/memcg.h"

uint64_t gather_count(const struct gather *g, const struct oom_event *v, const char *key)
{
	const struct oom_pairs *c = &v->counts;

	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].key, key))
			return gather_told(c->v[i].value, c->v[i].kib ? 10 : g->s->k->page_shift);
	return EV_UNKNOWN;
}

static uint64_t told_of_machine(const struct gather *g, const char *key)
{
	return gather_count(g, g->e->event, key);
}

/*
 * A counter that the log printed: of the machine, else added up over nodes, else zones; bytes.
 * Where the request was limited to some nodes: of these alone, unless G->of_machine.
 */
static uint64_t told(const struct gather *g, const char *key)
{
	const struct oom_event *v = g->e->event;
	uint64_t sum = 0, n;
	bool found = false, all = g->of_machine || !gather_is_of_nodes(g);

	if (all && told_of_machine(g, key) != EV_UNKNOWN)
		return told_of_machine(g, key);
	for (size_t i = 0; i < v->nodes.n; i++) {
		n = gather_told(oom_pair(&v->nodes.v[i].pairs, key), 10);
		found = found || n != EV_UNKNOWN;
		sum += all || !gather_other_node(v, v->nodes.v[i].node) ? known(n) : 0;
	}
	for (size_t i = 0; !found && i < v->zones.n; i++) {
		n = gather_told(oom_pair(&v->zones.v[i].pairs, key), 10);
		sum += all || !gather_other_node(v, v->zones.v[i].node) ? known(n) : 0;
	}
	for (size_t i = 0; !found && i < v->zones.n; i++)
		found = oom_pair(&v->zones.v[i].pairs, key) != OOM_UNKNOWN;
	return found ? sum : EV_UNKNOWN;
}

static uint64_t less_of(uint64_t a, uint64_t b)
{
	return a == EV_UNKNOWN || b == EV_UNKNOWN ? EV_UNKNOWN : less(a, b);
}

/* ---- the dump ------------------------------------------------------------------------- */

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a == EV_UNKNOWN ? a : a + known(b);
}

static void sizes_of_dump(struct gather *g)
{
	uint64_t *v = g->e->size, zs = machine_zsmalloc(&g->s->machine);

	g->e->total = gather_info(g, "MemTotal");
	g->e->swap_total = gather_info(g, "SwapTotal");
	g->e->swap_free = gather_info(g, "SwapFree");
	g->e->locked = g->e->locked_now = gather_info(g, "Mlocked");
	g->e->unwritten = plus(gather_info(g, "Dirty"), gather_info(g, "Writeback"));
	v[USE_FREE] = gather_info(g, "MemFree");
	v[USE_ANON] = gather_info(g, "AnonPages");
	v[USE_SHMEM] = gather_info(g, "Shmem");
	v[USE_FILE] =
		less_of(plus(gather_info(g, "Cached"), gather_info(g, "Buffers")), v[USE_SHMEM]);
	v[USE_SLAB] = gather_info(g, "SUnreclaim");
	v[USE_RECLAIMABLE] = gather_info(g, "SReclaimable");
	v[USE_TABLES] = plus(gather_info(g, "PageTables"), gather_info(g, "SecPageTables"));
	v[USE_STACKS] = gather_info(g, "KernelStack");
	v[USE_PERCPU] = gather_info(g, "Percpu");
	v[USE_HUGETLB] = gather_info(g, "Hugetlb");
	v[USE_COMPRESSED] = gather_pages(g, zs);
	v[USE_BALLOON] = gather_info(g, "Balloon");
}

/* Pools of the default size, where there is no line of all sizes (before 4.19). */
static void sizes_of_hugetlb(struct gather *g)
{
	uint64_t n = gather_info(g, "HugePages_Total"), free = gather_info(g, "HugePages_Free"),
		 size = gather_info(g, "Hugepagesize");

	if (n >> 32 || free >> 32 || size >> 32) /* or unknown */
		return;
	g->e->huge_unused = free * size;
	if (g->e->size[USE_HUGETLB] == EV_UNKNOWN)
		g->e->size[USE_HUGETLB] = n * size;
}

/* ---- the log -------------------------------------------------------------------------- */

static void put(uint64_t *to, uint64_t v)
{
	if (v != EV_UNKNOWN)
		*to = v;
}

/* Sum of the resident anonymous memory of the table (since 6.8). */
static uint64_t anon_of_tasks(const struct gather *g)
{
	const struct oom_event *v = g->e->event;
	uint64_t sum = 0, n;

	for (size_t i = 0; i < v->tasks.n; i++) {
		n = gather_told(v->tasks.v[i].rss_anon, g->s->k->page_shift);
		if (n == EV_UNKNOWN)
			return n;
		sum += n;
	}
	return v->tasks.n && !v->cut ? sum : EV_UNKNOWN;
}

/* Was somebody killed shortly before, and may not have given all back? */
static bool killed_before(const struct gather *g)
{
	size_t i = g->e->number - 1;

	while (i-- > 0 && gather_shortly_before(g->e, &g->log->v[i]))
		if (g->log->v[i].kind == OOM_KILL && g->log->v[i].victims.n)
			return true;
	return false;
}

/* Page cache without shmem: that of files. */
static uint64_t files_of_log(const struct gather *g)
{
	return less_of(less_of(told(g, "total pagecache pages"), told(g, "shmem")),
		       told(g, "pages in swap cache"));
}

/*
 * Shmem that no list has: SHM_LOCK makes it unevictable, and NR_MLOCK does not count it
 * (mm/vmscan.c: folio_evictable(); mm/mlock.c). So are files of ramfs, which are on no list of files.
 */
static uint64_t locked_shmem(const struct gather *g)
{
	uint64_t lists = plus(told(g, "active_file"), told(g, "inactive_file"));
	uint64_t ramfs = less_of(files_of_log(g), lists);
	uint64_t n = less_of(less_of(told(g, "unevictable"), told(g, "mlocked")), ramfs);

	return n == EV_UNKNOWN ? 0 : min_u64(n, known(told(g, "shmem")));
}

static void sizes_of_log(struct gather *g)
{
	uint64_t *v = g->e->size, of_tasks;
	uint64_t lru = plus(told(g, "active_anon"), told(g, "inactive_anon"));

	/* pages of shmem are on the anonymous lists; locked ones are on none of both */
	lru = plus(plus(lru, told(g, "mlocked")), locked_shmem(g));
	lru = less_of(lru, told(g, "shmem"));
	put(&g->e->total, less_of(told(g, "pages RAM"), told(g, "pages reserved")));
	put(&v[USE_FREE], told(g, "free"));
	put(&v[USE_ANON], lru);
	of_tasks = gather_is_of_nodes(g) ? EV_UNKNOWN : anon_of_tasks(g);
	/* who was killed before has left the table */
	if (lru == EV_UNKNOWN || lru < of_tasks || !killed_before(g))
		put(&v[USE_ANON], of_tasks);
	put(&v[USE_SHMEM], told(g, "shmem"));
	put(&v[USE_FILE], files_of_log(g));
	put(&v[USE_SLAB], told(g, "slab_unreclaimable"));
	put(&v[USE_RECLAIMABLE], told(g, "slab_reclaimable"));
	put(&v[USE_TABLES], plus(told(g, "pagetables"), told(g, "sec_pagetables")));
	put(&v[USE_STACKS], told(g, "kernel_stack"));
	put(&v[USE_HUGETLB], told(g, "hugepages_total"));
	put(&g->e->huge_unused, told(g, "hugepages_free"));
	put(&g->e->swap_total, told(g, "Total swap"));
	put(&g->e->swap_free, told(g, "Free swap"));
	put(&g->e->locked, told(g, "mlocked"));
	put(&g->e->unwritten, plus(told(g, "dirty"), told(g, "writeback")));
}

/* What the log has not by node cannot be more than what is left of the nodes. */
static void sizes_of_nodes(struct gather *g)
{
	static const enum use rest[] = { USE_SLAB,   USE_RECLAIMABLE, USE_HUGETLB,
					 USE_PERCPU, USE_COMPRESSED,  USE_BALLOON };
	uint64_t *v = g->e->size, left, total = told(g, "managed");

	if (total == EV_UNKNOWN)
		total = told(g, "present");
	if (total == EV_UNKNOWN)
		return;
	g->e->total = left = total;
	put(&v[USE_SLAB], told_of_machine(g, "slab_unreclaimable"));
	put(&v[USE_RECLAIMABLE], told_of_machine(g, "slab_reclaimable"));
	put(&v[USE_FILE], plus(told(g, "active_file"), told(g, "inactive_file")));
	left = less(left, known(v[USE_FREE]) + known(v[USE_ANON]) + known(v[USE_SHMEM]));
	left = less(left, known(v[USE_FILE]) + known(v[USE_TABLES]) + known(v[USE_STACKS]));
	for (unsigned i = 0; i < ARRAY_LEN(rest); i++) {
		if (v[rest[i]] == EV_UNKNOWN)
			continue;
		v[rest[i]] = min_u64(v[rest[i]], left);
		left -= v[rest[i]];
	}
}

static void rest(struct gather *g)
{
	uint64_t sum = 0, *v = g->e->size;

	/* without one of these the rest would be nonsense */
	if (v[USE_FREE] == EV_UNKNOWN || v[USE_FILE] == EV_UNKNOWN || v[USE_ANON] == EV_UNKNOWN ||
	    v[USE_SLAB] == EV_UNKNOWN || g->e->total == EV_UNKNOWN)
		return;
	for (unsigned i = 0; i < USE_OTHER; i++)
		sum += known(v[i]);
	v[USE_OTHER] = less(g->e->total, sum);
}

/* What no counter of the machine had at the event. */
static uint64_t other_of_machine(const struct gather *g)
{
	struct oom_evidence e = *g->e;
	struct gather machine = *g;

	machine.e = &e;
	machine.of_machine = true;
	e.size[USE_OTHER] = EV_UNKNOWN;
	sizes_of_log(&machine);
	rest(&machine);
	return e.size[USE_OTHER];
}

/*
 * What the machine has no longer was on those nodes, as far as they had as much: who may use these
 * alone was killed. NOW is of the machine, OTHER what no counter of the machine had then.
 */
static void nodes_now(struct gather *g, const uint64_t now[USES], uint64_t other)
{
	static const char *const key[USES] = { [USE_SHMEM] = "shmem",
					       [USE_SLAB] = "slab_unreclaimable",
					       [USE_TABLES] = "pagetables",
					       [USE_STACKS] = "kernel_stack" };

	for (unsigned i = 0; i < USES; i++) {
		uint64_t then = i == USE_OTHER ? other
				: key[i]       ? told_of_machine(g, key[i])
					       : EV_UNKNOWN;

		if (then != EV_UNKNOWN && now[i] != EV_UNKNOWN && g->e->size[i] != EV_UNKNOWN)
			g->e->now[i] = less(g->e->size[i], less(then, now[i]));
	}
}

/* ---- a control group ------------------------------------------------------------------ */

static uint64_t stat_of(const struct oom_event *v, const char *name, const char *old)
{
	for (size_t i = 0; i < v->stats.n; i++)
		if (!strcmp(v->stats.v[i].key, name) || (old && !strcmp(v->stats.v[i].key, old)))
			return gather_told(v->stats.v[i].value, v->stats.v[i].kib ? 10 : 0);
	return EV_UNKNOWN;
}

static uint64_t stat(const struct gather *g, const char *name, const char *old)
{
	return stat_of(g->e->event, name, old);
}

static const char *limited_group(const struct oom_event *v)
{
	return v->oom_memcg ? v->oom_memcg : v->stats_of;
}

bool gather_same_group(const struct oom_event *a, const struct oom_event *b)
{
	const char *pa = limited_group(a), *pb = limited_group(b);

	return a->constraint == OOM_MEMCG && b->constraint == OOM_MEMCG && pa && pb &&
	       !strcmp(pa, pb);
}

uint64_t gather_of_scope(const struct gather *g, const struct oom_event *v, const char *counter,
			 const char *line)
{
	if (!ev_is_memcg(g->e))
		return v->constraint == OOM_MEMCG ? EV_UNKNOWN : gather_count(g, v, counter);
	return line && gather_same_group(v, g->e->event) ? stat_of(v, line, NULL) : EV_UNKNOWN;
}

static void limits_of_memcg(struct gather *g)
{
	const struct oom_event *v = g->e->event;

	g->e->total = g->memcg == NONE ? EV_UNKNOWN : gather_pages(g, g->s->cgroups[g->memcg].max);
	for (size_t i = 0; i < v->usages.n; i++)
		if (!strcmp(v->usages.v[i].what, "memory"))
			put(&g->e->total, gather_told(v->usages.v[i].limit, 10));
}

static void memcg_of_dump(const struct memcg *m, uint64_t v[USES])
{
	v[USE_ANON] = m->stat[MEMCG_STAT_ANON];
	v[USE_SHMEM] = m->stat[MEMCG_STAT_SHMEM];
	v[USE_FILE] = less_of(m->stat[MEMCG_STAT_FILE], v[USE_SHMEM]);
	v[USE_SLAB] = m->stat[MEMCG_STAT_SLAB_UNRECLAIMABLE];
	v[USE_RECLAIMABLE] = m->stat[MEMCG_STAT_SLAB_RECLAIMABLE];
	v[USE_TABLES] = m->stat[MEMCG_STAT_PAGETABLES];
	v[USE_STACKS] = m->stat[MEMCG_STAT_KERNEL_STACK];
	v[USE_PERCPU] = m->stat[MEMCG_STAT_PERCPU];
	v[USE_VMALLOC] = m->stat[MEMCG_STAT_VMALLOC];
	v[USE_SOCKETS] = m->stat[MEMCG_STAT_SOCK];
}

/* What is charged and in no line of V: no more than all, unless a line is unknown. */
static uint64_t in_no_line(const uint64_t v[USES], uint64_t all)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < USE_OTHER; i++)
		sum += known(v[i]);
	return v[USE_SLAB] == EV_UNKNOWN || v[USE_ANON] == EV_UNKNOWN || v[USE_FILE] == EV_UNKNOWN
		       ? EV_UNKNOWN
		       : less_of(all, sum);
}

/*
 * The group as the dump shows it: the moment itself, where the log has no statistics of it, or what
 * is left of it. What a removed group of that path still has is not gone.
 */
static void dump_of_memcg(struct gather *g)
{
	const struct memcg *m;
	const char *path;

	if (g->memcg == NONE)
		return;
	m = memcgs_read(g->s, g->mem);
	memcg_of_dump(&m[g->memcg], g->e->at_once ? g->e->size : g->e->now);
	if (g->e->at_once)
		return;
	g->e->now[USE_OTHER] =
		in_no_line(g->e->now, gather_pages(g, g->s->cgroups[g->memcg].usage));
	path = g->s->cgroups[g->memcg].path;
	for (uint32_t i = 0; i < g->s->ncgroups; i++) {
		const struct cgroup *c = &g->s->cgroups[i];

		if (i != g->memcg && c->memory && c->path && !strcmp(c->path, path))
			g->e->now[USE_SHMEM] =
				m[i].stat[MEMCG_STAT_SHMEM] == EV_UNKNOWN
					? EV_UNKNOWN
					: plus(g->e->now[USE_SHMEM], m[i].stat[MEMCG_STAT_SHMEM]);
	}
}

static uint64_t usage(const struct gather *g, const char *what)
{
	const struct oom_event *v = g->e->event;

	for (size_t i = 0; i < v->usages.n; i++)
		if (!strcmp(v->usages.v[i].what, what))
			return gather_told(v->usages.v[i].usage, 10);
	return EV_UNKNOWN;
}

/*
 * What is charged and in no line. Version 1 may have no lines of slab and the like: all that the
 * kernel has for the group is one counter.
 */
static void rest_of_memcg(struct gather *g)
{
	uint64_t *v = g->e->size, all = usage(g, "memory");

	if (all == EV_UNKNOWN)
		all = g->e->total;
	v[USE_OTHER] = v[USE_SLAB] == EV_UNKNOWN ? usage(g, "kmem") : in_no_line(v, all);
}

/* Version 2 counts swap by itself; without a limit it is the largest number that there is. */
static void limits_of_swap(struct gather *g)
{
	const struct oom_event *v = g->e->event;

	for (size_t i = 0; i < v->usages.n; i++) {
		if (strcmp(v->usages.v[i].what, "swap"))
			continue;
		g->e->group_swap = gather_told(v->usages.v[i].usage, 10);
		g->e->group_swap_limit = gather_told(v->usages.v[i].limit, 10);
	}
}

static void sizes_of_memcg(struct gather *g)
{
	uint64_t *v = g->e->size;

	g->e->machine_free = v[USE_FREE];
	memset(v, 0xff, sizeof(g->e->size));
	dump_of_memcg(g);
	limits_of_memcg(g);
	put(&v[USE_ANON], stat(g, "anon", "rss"));
	put(&v[USE_SHMEM], stat(g, "shmem", NULL));
	put(&v[USE_FILE], less(stat(g, "file", "cache"), stat(g, "shmem", NULL)));
	put(&v[USE_SLAB], stat(g, "slab_unreclaimable", NULL));
	put(&v[USE_RECLAIMABLE], stat(g, "slab_reclaimable", NULL));
	put(&v[USE_TABLES], stat(g, "pagetables", NULL));
	put(&v[USE_STACKS], stat(g, "kernel_stack", NULL));
	put(&v[USE_PERCPU], stat(g, "percpu", NULL));
	put(&v[USE_VMALLOC], stat(g, "vmalloc", NULL));
	put(&v[USE_SOCKETS], stat(g, "sock", NULL));
	limits_of_swap(g);
	g->e->locked = stat(g, "unevictable", NULL);
	g->e->unwritten =
		plus(stat(g, "file_dirty", "dirty"), stat(g, "file_writeback", "writeback"));
	rest_of_memcg(g);
}

void gather_sizes(struct gather *g)
{
	const struct oom_event *v = g->e->event;
	uint64_t dumped[USES], other = EV_UNKNOWN;

	sizes_of_dump(g);
	memcpy(dumped, g->e->size, sizeof(dumped));
	g->all_free = v ? told_of_machine(g, "free") : EV_UNKNOWN;
	if (v && (!g->e->at_once || gather_is_of_nodes(g))) {
		rest(g);
		dumped[USE_OTHER] = g->e->size[USE_OTHER];
		if (v->constraint != OOM_MEMCG && !gather_is_of_nodes(g))
			memcpy(g->e->now, g->e->size, sizeof(g->e->now));
		other = gather_is_of_nodes(g) ? other_of_machine(g) : EV_UNKNOWN;
		g->e->size[USE_OTHER] = EV_UNKNOWN;
		sizes_of_log(g);
	}
	sizes_of_hugetlb(g);
	if (v && gather_is_of_nodes(g))
		sizes_of_nodes(g);
	if (v && v->constraint == OOM_MEMCG)
		sizes_of_memcg(g);
	else
		rest(g);
	ledger_open(g->e);
	if (v && gather_is_of_nodes(g) && !g->e->at_once)
		nodes_now(g, dumped, other);
}
