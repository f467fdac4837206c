/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * owners.c - who has most of a use. Each look costs a walk of some list of the kernel, so it is
 * taken only where the use is a large part of the scope. Two look at the page array (files of
 * ramfs; what no counter shows); they are left out on machines of more than LOOK_FRAMES.
 */
#include "dumpread/base/bytes.h"
#include "model/cause/verdict/gather.h"
#include "model/kernel/file/shm.h"
#include "model/kernel/slab/slab.h"
#include "model/kernel/source.h"
#include "model/kernel/vmalloc/vmalloc.h"
#include "model/memory/census/cached.h"

#define LOOK_SHARE 80u			/* thousandths of the scope */
#define LOOK_FRAMES (UINT64_C(1) << 28)	/* 1 TiB of 4 KiB pages: 16 GiB of struct pages */

static bool large(const struct gather *g, uint64_t bytes)
{
	return ev_share(g->e, bytes) >= LOOK_SHARE;
}

static bool may_read_pages(const struct gather *g)
{
	return source_has(g->s->k, SOURCE_MEMORY) && g->s->k->memmap.max_pfn <= LOOK_FRAMES;
}

int64_t gather_pid(const struct gather *g, uint32_t proc)
{
	return proc < g->s->nprocs ? g->s->procs[proc].pid : 0;
}

struct subject gather_subject(const struct gather *g, uint32_t proc)
{
	uint32_t t = proc < g->s->nprocs ? g->s->procs[proc].leader : NONE;

	return (struct subject){ .kind = SUBJECT_PROCESS,
				 .name = t < g->s->ntasks ? g->s->tasks[t].comm : NULL,
				 .pid = gather_pid(g, proc) };
}

/* A process that the log names. */
static struct subject told_subject(const char *comm, int64_t pid)
{
	return (struct subject){ .kind = SUBJECT_PROCESS, .name = comm, .pid = pid };
}

static struct subject of_path(enum subject_kind kind, const char *path)
{
	return (struct subject){ .kind = kind, .path = path };
}

struct ev_owner gather_process(struct subject who, uint64_t bytes)
{
	return (struct ev_owner){ .called = CALLED_PROCESS,
				  .name = who.name ? who.name : "",
				  .bytes = bytes,
				  .subject = who };
}

static struct ev_detail users(const struct gather *g, const struct inode_users *u)
{
	struct ev_detail d = { .told = TOLD_USERS };

	if (u->first == NONE)
		return d;
	d.n = u->mappers > u->openers ? u->mappers : u->openers;
	d.who = gather_subject(g, u->first);
	return d;
}

/* ---- shared memory ------------------------------------------------------------------------ */

static enum verdict_cause shm_cause(const struct shm_object *o)
{
	bool nobody = o->users.first == NONE;

	switch (o->kind) {
	case SHM_TMPFS: return o->unlinked ? VC_TMPFS_DELETED : VC_TMPFS;
	case SHM_MEMFD: return VC_MEMFD;
	case SHM_SYSV: return nobody ? VC_SYSV_NOBODY : VC_SYSV;
	case SHM_ANON: return VC_SHARED_ANON;
	default: return VC_SHMEM;
	}
}

/* Folder of PATH. */
static const char *folder(const struct gather *g, const char *path)
{
	const char *end = strrchr(path, '/');

	return !end || end == path ? "/" : arena_strndup(g->mem, path, (size_t)(end - path));
}

/* Objects of the dump that are a small part of what there was then explain nothing. */
static void forget_small(struct gather *g, enum use use)
{
	if (g->e->owner[use].bytes < g->e->size[use] / 10)
		g->e->owner[use] = (struct ev_owner){ .name = NULL };
}

static void shmem_owner(struct gather *g)
{
	struct ev_owner *to = &g->e->owner[USE_SHMEM];
	const struct shm *shm = shm_of(g->s);
	const struct shm_object *top = NULL;
	uint64_t of_kind[SHM_HUGETLB + 1] = { 0 }, n = 0;

	for (uint32_t i = 0; i < shm->n; i++) {
		const struct shm_object *o = &shm->v[i];

		if (o->kind == SHM_HUGETLB || o->resident >> 48 || o->swapped >> 48)
			continue;
		of_kind[o->kind] += o->resident + o->swapped;
		if (!top || o->resident + o->swapped > top->resident + top->swapped)
			top = o;
	}
	if (!top)
		return;
	to->bytes = gather_pages(g, top->resident + top->swapped);
	to->cause = shm_cause(top);
	to->called = top->kind == SHM_SYSV ? CALLED_SYSV : CALLED_SHM;
	to->name = top->path;
	to->shm = top->kind;
	to->unlinked = top->unlinked;
	to->detail = users(g, &top->users);
	if (top->kind == SHM_TMPFS || top->kind == SHM_MEMFD)
		to->subject = of_path(SUBJECT_FILE, top->path);
	if (top->kind == SHM_SYSV) {
		to->n = top->ino;
		to->key = top->key;
	}
	if ((top->resident + top->swapped) * 2 >= of_kind[top->kind])
		return;
	/* many: the kind is what they have in common */
	for (uint32_t i = 0; i < shm->n; i++)
		n += shm->v[i].kind == top->kind && shm->v[i].resident + shm->v[i].swapped;
	to->called = CALLED_SHM_MANY;
	to->n = n;
	to->of = top->kind == SHM_TMPFS ? folder(g, top->path) : NULL;
	to->subject = to->of ? of_path(SUBJECT_FOLDER, to->of)
			     : (struct subject){ .kind = SUBJECT_NONE };
	to->bytes = gather_pages(g, of_kind[top->kind]);
}

/* ---- files -------------------------------------------------------------------------------- */

/* The file with most pages that are not written yet. */
static void unwritten_owner(struct gather *g, const struct cached *c)
{
	struct ev_owner *to = &g->e->owner[USE_FILE];

	for (uint32_t i = 0; i < c->n; i++) {
		const struct cached_file *f = &c->v[i];
		uint64_t n = f->owner->count.dirty > f->owner->count.writeback
				     ? f->owner->count.dirty
				     : f->owner->count.writeback;

		if (f->owner->kind != CACHE_FILE || known(gather_pages(g, n)) <= to->bytes)
			continue;
		*to = (struct ev_owner){ .name = f->path,
					 .subject = of_path(SUBJECT_FILE, f->path),
					 .detail = users(g, &f->users),
					 .bytes = gather_pages(g, n) };
	}
}

/* Files of ramfs are page cache that cannot be reclaimed: they leave USE_FILE. */
static void file_owners(struct gather *g)
{
	struct ev_owner *to = &g->e->owner[USE_RAMFS];
	const struct cached_file *top = NULL;
	uint64_t sum = 0, n = 0;
	const struct cached *c = cached_of(g->s);

	for (uint32_t i = 0; i < c->n; i++) {
		const struct cached_file *f = &c->v[i];

		if (!f->fs || (strcmp(f->fs, "ramfs") && strcmp(f->fs, "rootfs")))
			continue;
		n++;
		sum += f->owner->count.pages;
		if (!top || f->owner->count.pages > top->owner->count.pages)
			top = f;
	}
	if (top) {
		to->called = n == 1 || top->owner->count.pages * 2 > sum ? CALLED_RAMFS
									 : CALLED_RAMFS_MANY;
		to->name = top->path;
		to->of = top->fs;
		to->n = n;
		to->unlinked = top->unlinked;
		to->subject = of_path(SUBJECT_FILE, top->path);
		to->bytes = gather_pages(g, sum);
		to->detail = users(g, &top->users);
		ledger_move(g->e, USE_FILE, USE_RAMFS, to->bytes);
	}
	if (large(g, g->e->unwritten))
		unwritten_owner(g, c);
}

/* ---- page tables, stacks -------------------------------------------------------------------- */

static void tables_owner(struct gather *g)
{
	struct ev_owner *to = &g->e->owner[USE_TABLES];
	const struct oom_event *v = g->e->event;
	const struct snapshot *s = g->s;

	for (size_t i = 0; v && g->e->from_log && i < v->tasks.n; i++) {
		uint64_t n = known(gather_told(v->tasks.v[i].tables_bytes, 0));

		if (n > to->bytes)
			*to = gather_process(told_subject(v->tasks.v[i].comm, v->tasks.v[i].pid),
					     n);
	}
	for (uint32_t i = 0; !g->e->from_log && i < s->nmms; i++)
		if (s->mms[i].pgtables_bytes > to->bytes && !(s->mms[i].pgtables_bytes >> 48))
			*to = gather_process(gather_subject(g, s->mms[i].owner),
					     s->mms[i].pgtables_bytes);
}

/* Threads of the scope: of a control group those of its processes. */
static uint32_t threads(const struct gather *g)
{
	uint32_t n = 0;

	if (g->memcg == NONE)
		return g->s->ntasks;
	for (uint32_t i = 0; i < g->s->nprocs; i++)
		n += gather_in_scope(g, i) ? g->s->procs[i].ntasks : 0;
	return n;
}

/* A stack comes with an object of task_struct: it leaves USE_SLAB. */
static void task_slab(struct gather *g)
{
	struct oom_evidence *e = g->e;
	struct slab_caches sc;
	uint64_t each = 0, stacks = known(e->size[USE_STACKS]);
	double n = threads(g);

	if (slab_caches_build(g->s, g->mem, false, &sc))
		return;
	for (uint32_t i = 0; i < sc.n; i++)
		if (sc.v[i].name && !strcmp(sc.v[i].name, "task_struct") && sc.v[i].size < 1 << 20)
			each = sc.v[i].size;
	/* as many as there were then */
	if (known(e->now[USE_STACKS]))
		n = n * (double)stacks / (double)e->now[USE_STACKS];
	if (n <= UINT32_MAX)
		ledger_move(e, USE_SLAB, USE_TASK_SLAB, (uint64_t)n * each);
}

static void stacks_owner(struct gather *g)
{
	struct ev_owner *to = &g->e->owner[USE_STACKS];
	const struct snapshot *s = g->s;
	uint64_t all = known(g->e->size[USE_STACKS]);
	uint32_t most = 0, n = 0, of = threads(g);

	for (uint32_t i = 0; i < s->nprocs; i++) {
		if (s->procs[i].ntasks <= n || !gather_in_scope(g, i))
			continue;
		n = s->procs[i].ntasks;
		most = i;
	}
	if (!n || !of)
		return;
	*to = gather_process(gather_subject(g, most), all / of * n);
	to->detail = (struct ev_detail){ .told = TOLD_THREADS, .n = n, .of = of };
}

/* ---- vmalloc ---------------------------------------------------------------------------------- */

static bool of_stacks(const struct vmalloc_area *a)
{
	return a->sym.name &&
	       (strstr(a->sym.name, "thread_stack") || !strcmp(a->sym.name, "dup_task_struct") ||
		!strcmp(a->sym.name, "copy_process"));
}

static bool same_caller(const struct vmalloc_area *a, const struct vmalloc_area *b)
{
	if (!a->sym.name || !b->sym.name)
		return a->caller == b->caller;
	return !strcmp(a->sym.name, b->sym.name) &&
	       (a->sym.module == b->sym.module ||
		(a->sym.module && b->sym.module && !strcmp(a->sym.module, b->sym.module)));
}

#define CALLERS 64	/* of more, the first ones are compared */

/* Pages of areas leave USE_OTHER; stacks are counted elsewhere. */
static void vmalloc_owner(struct gather *g)
{
	struct {
		const struct vmalloc_area *a;
		uint64_t pages, n;
	} by[CALLERS] = { { 0 } }, *top = by;
	struct oom_evidence *e = g->e;
	struct vmalloc va;
	struct ev_owner *to = &g->e->owner[USE_VMALLOC];
	uint64_t sum = 0, maps = 0;

	if (vmalloc_build(g->s, g->mem, &va))
		return;
	for (uint32_t i = 0; i < va.n; i++) {
		const struct vmalloc_area *a = &va.v[i];
		unsigned at = 0;

		if (!(a->flags & AREA_ALLOC) || a->npages >> 40 || of_stacks(a))
			continue;
		if (vmalloc_of_percpu(a)) {
			maps += a->npages;
			continue;
		}
		sum += a->npages;
		while (at < CALLERS && by[at].a && !same_caller(by[at].a, a))
			at++;
		if (at == CALLERS)
			continue;
		by[at].a = a;
		by[at].pages += a->npages;
		by[at].n++;
		if (by[at].pages > top->pages)
			top = &by[at];
	}
	if (ev_is_memcg(e))
		sum = maps = 0; /* areas of the machine */
	ledger_move(e, USE_OTHER, USE_PERCPU_AREAS, gather_pages(g, maps));
	if (sum && e->size[USE_OTHER] != EV_UNKNOWN)
		ledger_move(e, USE_OTHER, USE_VMALLOC, gather_pages(g, sum));
	if (!top->a)
		return;
	*to = (struct ev_owner){
		.called = CALLED_CALLER,
		.name = top->a->sym.name ? top->a->sym.name : "",
		.of = top->a->sym.module,
		.subject = { .kind = top->a->sym.name ? SUBJECT_CALLER : SUBJECT_NONE,
			     .name = top->a->sym.name,
			     .path = top->a->sym.module },
		.bytes = gather_pages(g, top->pages),
		.detail = { .told = TOLD_AREAS, .n = top->n },
	};
	to->detail.module = top->a->sym.module ? NULL : vmalloc_points_to(g, &va, top->a);
}

/* ---- compressed swap ---------------------------------------------------------------------------- */

/* Areas of swap that are disks of zram: bytes in use now; *all: there is no other area. */
static uint64_t zram_used(const struct gather *g, bool *all)
{
	const struct machine *m = &g->s->machine;
	uint64_t used = 0;

	*all = m->nswaps != 0;
	for (uint32_t i = 0; i < m->nswaps; i++) {
		if (!m->swaps[i].path || !strstr(m->swaps[i].path, "zram"))
			*all = false;
		else if (!(m->swaps[i].used >> 40))
			used += m->swaps[i].used;
	}
	return known(gather_pages(g, used));
}

/*
 * The log has no counter of zsmalloc before 6.18. If all swap was on zram, its memory is in what
 * no counter shows; it is not more than what was swapped.
 */
static void compressed_then(struct gather *g)
{
	struct oom_evidence *e = g->e;
	uint64_t used = less(e->swap_total, e->swap_free), n;
	bool all;

	zram_used(g, &all);
	if (!all || e->at_once || e->size[USE_OTHER] == EV_UNKNOWN || e->swap_total == EV_UNKNOWN)
		return;
	n = min_u64(used, known(e->size[USE_COMPRESSED]) + e->size[USE_OTHER]);
	if (n <= known(e->size[USE_COMPRESSED]) || !large(g, n))
		return;
	ledger_move(e, USE_OTHER, USE_COMPRESSED, n - known(e->size[USE_COMPRESSED]));
	e->stored = used;
	e->owner[USE_COMPRESSED] = (struct ev_owner){
		.name = "zram", .bytes = n, .subject = { .kind = SUBJECT_STORE, .name = "zram" }
	};
}

static void compressed_owner(struct gather *g)
{
	struct ev_owner *to = &g->e->owner[USE_COMPRESSED];
	bool all;
	uint64_t zram = zram_used(g, &all), zswapped = known(gather_info(g, "Zswapped"));

	g->e->stored = zram + zswapped ? zram + zswapped : EV_UNKNOWN;
	*to = (struct ev_owner){ .name = zram	    ? "zram"
					 : zswapped ? "zswap"
						    : "zsmalloc",
				 .bytes = g->e->size[USE_COMPRESSED] };
	to->subject = (struct subject){ .kind = SUBJECT_STORE, .name = to->name };
	if (zram && zswapped) {
		to->called = CALLED_BOTH;
		to->of = "zswap";
	}
	if (!zram && !zswapped)
		to->called = CALLED_ZSMALLOC;
}

/* Has the machine far more memory than it manages? */
static bool managed_little(const struct gather *g)
{
	uint64_t present = gather_pages(g, g->s->machine.present);

	return g->s->machine.present && present != EV_UNKNOWN && g->e->total != EV_UNKNOWN &&
	       present / 10 * 7 > g->e->total;
}

#define SHRUNK (UINT64_C(1) << 20)	/* bytes: more than a counter drifts between two reports */

/* Had USE begun to come free when the log told of the last event? Then an earlier victim had it. */
static bool was_coming_free(const struct gather *g, const struct oom_event *e, enum use use)
{
	static const char *const key[USES] = { [USE_SHMEM] = "shmem",
					       [USE_SLAB] = "slab_unreclaimable",
					       [USE_TABLES] = "pagetables" };
	uint64_t then, last;

	if (!key[use] || e == g->e->event)
		return false;
	then = gather_of_scope(g, e, key[use], key[use]);
	last = gather_of_scope(g, g->e->event, key[use], key[use]);
	return then != EV_UNKNOWN && last != EV_UNKNOWN && then >= SHRUNK && last <= then - SHRUNK;
}

static bool in_table(const struct oom_event *e, int64_t pid)
{
	for (size_t i = 0; i < e->tasks.n; i++)
		if (e->tasks.v[i].pid == pid)
			return true;
	return false;
}

#define GONE UINT64_C(2000000000)	/* ns: who has given up its memory has closed its files then */

/* Does the table of E have all that the table of the event OF had? */
static bool same_table(const struct oom_event *e, const struct oom_event *of)
{
	return e->constraint != OOM_MEMCG || gather_same_group(e, of);
}

/* Was the victim of event AT out of the kernel's table a while before the last event? */
static bool had_gone(const struct gather *g, size_t at, int64_t pid)
{
	const struct oom_event *last = g->e->event;

	for (size_t i = at + 1; i < g->e->number; i++) {
		const struct oom_event *e = &g->log->v[i];

		if (e->kind == OOM_KILL && e->tasks.n && !e->cut && same_table(e, &g->log->v[at]) &&
		    !in_table(e, pid) && last->time >= e->time + GONE)
			return true;
	}
	return false;
}

/* The killed processes that memory may have come free with. */
struct freed_with {
	const struct oom_victim *one;	/* that it came free with; NULL: several, or not known */
	enum verdict_reason sure;	/* why nobody else can have had it; or 0 */
	struct subject *who;		/* the first EV_AMONG of N */
	unsigned n;
};

/*
 * Whom BYTES of USE may have come free with. An earlier one may not have been gone yet: the log has the
 * page tables of each, and shows what had begun to come free; of the rest only a single victim can be told.
 */
static struct freed_with freed_with(const struct gather *g, enum use use, uint64_t bytes)
{
	struct freed_with f = { .who = arena_array(g->mem, struct subject, EV_AMONG) };
	const struct oom_event *last = g->e->event;
	const struct oom_victim *found = NULL;
	bool shrank = false;

	for (size_t i = 0; i < g->e->number; i++) {
		const struct oom_event *e = &g->log->v[i];

		if (e->kind != OOM_KILL || !gather_shortly_before(g->e, e))
			continue;
		if (e == last && shrank)
			break;
		shrank = shrank || was_coming_free(g, e, use);
		for (size_t j = 0; j < e->victims.n; j++) {
			const struct oom_victim *v = &e->victims.v[j];

			if (use == USE_TABLES && v->tables != OOM_UNKNOWN &&
			    known(gather_told(v->tables, 10)) < bytes / 2)
				continue;
			if (use != USE_TABLES && had_gone(g, i, v->pid))
				continue;
			if (found && found->pid == v->pid)
				continue;
			if (f.n++ < EV_AMONG)
				f.who[f.n - 1] = told_subject(v->comm ? v->comm : "?", v->pid);
			found = v;
		}
	}
	if (f.n != 1)
		return f;
	if (shrank)
		f.sure = WHY_COMING_FREE_BEFORE;
	else if (in_table(last, found->pid))
		f.sure = WHY_IN_TABLE_THEN;
	f.one = found->comm ? found : NULL;
	return f;
}

static bool is_last(const struct gather *g, const struct oom_victim *v)
{
	const struct oom_event *e = g->e->event;

	return v >= e->victims.v && v < e->victims.v + e->victims.n;
}

/*
 * What was there at the event and is not in the dump came free with a victim: a process held
 * it. Of the memory that no counter has that leaves what its descriptors held.
 */
static void came_free(struct gather *g)
{
	static const enum use uses[] = { USE_SHMEM, USE_SLAB, USE_TABLES, USE_STACKS, USE_OTHER };

	for (unsigned i = 0; i < ARRAY_LEN(uses); i++) {
		uint64_t then = g->e->size[uses[i]], now = g->e->now[uses[i]];
		enum verdict_cause cause = uses[i] == USE_OTHER ? VC_DESCRIPTORS : VC_NONE;
		struct ev_owner *to = &g->e->owner[uses[i]];
		struct freed_with f;

		if (!large(g, then) || now == EV_UNKNOWN || now > then / 2)
			continue;
		f = freed_with(g, uses[i], then - now);
		if (f.one)
			*to = gather_process(told_subject(f.one->comm, f.one->pid), then - now);
		else if (f.n && (uses[i] == USE_OTHER || uses[i] == USE_SHMEM))
			*to = (struct ev_owner){ .called = CALLED_ONE_OF,
						 .name = "",
						 .who = f.who,
						 .n = f.n,
						 .bytes = then - now,
						 .among = true };
		else
			continue;
		to->cause = cause;
		to->detail.told = TOLD_CAME_FREE;
		if (f.one && !is_last(g, f.one))
			g->e->earlier = (struct ev_victim){ .comm = f.one->comm,
							    .pid = f.one->pid,
							    .bytes = then - now,
							    .sure = f.sure };
	}
}

void gather_owners(struct gather *g)
{
	const uint64_t *v = g->e->size;
	bool memcg = ev_is_memcg(g->e);
	uint64_t stuck = less(gather_info(g, "Unevictable"), gather_info(g, "Mlocked"));

	came_free(g);
	if (!memcg && large(g, v[USE_FILE]) && large(g, g->e->locked))
		gather_freed_locked_files(g);
	if (!source_has(g->s->k, SOURCE_MEMORY))
		return;
	if (large(g, v[USE_STACKS]))
		task_slab(g);
	if (large(g, known(v[USE_SHMEM]) + g->e->shmem_swapped) && !g->e->owner[USE_SHMEM].name) {
		shmem_owner(g);
		forget_small(g, USE_SHMEM);
	}
	if (large(g, v[USE_FILE]) && (large(g, stuck) || large(g, g->e->unwritten)) &&
	    may_read_pages(g))
		file_owners(g);
	if (!memcg && large(g, v[USE_FILE]) && large(g, g->e->locked) &&
	    v[USE_LOCKED] == EV_UNKNOWN)
		gather_locked_files(g);
	if (!memcg && large(g, v[USE_HUGETLB]))
		gather_hugetlb(g);
	if (large(g, v[USE_SLAB]) && !g->e->owner[USE_SLAB].name)
		gather_slab_owner(g, USE_SLAB);
	if (large(g, v[USE_RECLAIMABLE]))
		gather_slab_owner(g, USE_RECLAIMABLE);
	if (large(g, v[USE_TABLES]))
		tables_owner(g);
	if (large(g, v[USE_STACKS]) && !g->e->owner[USE_STACKS].name)
		stacks_owner(g);
	if (!memcg && large(g, v[USE_OTHER]))
		compressed_then(g);
	if (large(g, memcg ? v[USE_VMALLOC] : v[USE_OTHER]))
		vmalloc_owner(g);
	if (large(g, v[USE_COMPRESSED]) && !g->e->owner[USE_COMPRESSED].name)
		compressed_owner(g);
	if (may_read_pages(g) &&
	    (large(g, v[USE_OTHER]) || large(g, v[USE_SLAB]) || large(g, v[USE_VMALLOC]) ||
	     large(g, v[USE_SOCKETS]) || (!memcg && managed_little(g))))
		gather_rest(g);
}
