/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small machines made by hand (tests/unit/held_objects.h, held_servers.h), each with one object that no dump of the other
 * targets has: pipes, sockets, rings, maps of BPF, pools, zram, balloons, buffers of xfs, page_owner, tags,
 * slab caches, control groups. Some of their words are altered, and all readers of such an object run to
 * their end. Not only crashes are found, but wrong answers:
 *	- the frames of all classes are those of the machine, and no class has owners of more than it has;
 *	- a row is not less than its pages, and its holders are processes of the machine;
 *	- what killing frees is what the owners say; two victims free no less than one;
 *	- a pointer that cannot be one, or a page that is not in the dump, is told - an issue, a row that is
 *	  incomplete, a number that is unknown - or it changes no row;
 *	- two threads give the same rows; processor time and memory are bounded;
 *	- the machine that nothing was done to has no issue.
 *
 * An input is
 *     u8 machine  u8 how: bit 0: in a census, bit 1: two threads too
 *     patches of 4 bytes: u16 where  u8 what  u8 argument
 * where below 0x8000 is one of the words that the machine is made of; above it bits 0..11 are a frame, and
 * bits 0..2 of the argument a word of its struct page. enum evil has what goes there.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "dumpread/base/bytes.h"
#include "model/cause/freed/freed.h"
#include "model/kernel/cgroup/memcg_limits.h"
#include "model/kernel/machine/psi.h"
#include "model/kernel/origin/allocations.h"
#include "model/kernel/origin/origin.h"
#include "model/kernel/slab/slab.h"
#include "model/memory/census/census.h"
#include "model/shared.h"
#include "tests/unit/group_machine.h"
#include "tests/unit/held_hidden.h"
#include "tests/unit/held_servers.h"
#include "tests/unit/slab_machine.h"

#define PATCHES 16u
#define PATCH_BYTES 4u
#define SECONDS_MAX 4
#define MEMORY_MAX (1024L << 10)	/* KiB that an input may add */
#define FRAMES_SHOWN 8u

enum { CENSUS = 1, THREADS = 2, WAYS = 2 };

/* What goes into a word. */
enum evil {
	NOTHING, ITSELF, AFTER, BEFORE, UNALIGNED, ALL_ONES, OTHER_VALUE, OTHER_WORD, NEXT_PAGE, A_PAGE, A_FRAME,
	SMALL, A_BIT, FLIPPED,
	/* no pointer can be these */
	USERS, BIT_63, NOT_MAPPED, LOST,
	EVILS
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- machines ---------------------------------------------------------------------------------- */

static struct held_machine *slab_array(void) { return hm_of(sl_lists(false)); }
static struct held_machine *slab_pointer(void) { return hm_of(sl_lists(true)); }

static struct held_machine *groups(void)
{
	struct group_machine *g = calloc(1, sizeof(*g));
	struct held_machine *m;

	gm_start(g);
	g->groups[1].dying = true;
	gm_put(g, GM_MEM(1) + GM_CSS_REF + 8, fake_kva(g->f, GM_REF));
	gm_put(g, GM_REF, 321);
	m = hm_of(g->f);
	m->s = g->s;
	m->s.k = &g->f->kernel;
	return m;
}

enum reads { OWNERS = 1, SLABS = 2, ALLOCATED = 4, GROUPS = 8 };

struct answer {
	char *text;
	uint64_t told;		/* issues, rows that are incomplete, numbers that are unknown */
};

/* New ones come last: inputs name them by number. */
static struct subject {
	const char *name;
	struct held_machine *(*make)(void);
	unsigned reads;
	struct held_machine *m;
	struct answer good[WAYS];
} machines[] = {
	{ "pipe and socket", hm_new, OWNERS, NULL, { { NULL, 0 } } },
#define MACHINE(make, reads) { #make, make, reads, NULL, { { NULL, 0 } } }
	MACHINE(hm_epoll, OWNERS), MACHINE(hm_epoll_list, OWNERS), MACHINE(hm_inotify, OWNERS),
	MACHINE(hm_mqueue, OWNERS), MACHINE(hm_trie, OWNERS), MACHINE(hm_bpf_percpu, OWNERS),
	MACHINE(hm_bpf_chains, OWNERS), MACHINE(hm_bpf_ring, OWNERS), MACHINE(hm_bpf_stacks, OWNERS),
	MACHINE(hm_uring, OWNERS), MACHINE(hm_uring_arrays, OWNERS), MACHINE(hm_uring_regions, OWNERS),
	MACHINE(hm_perf, OWNERS), MACHINE(hm_perf_area, OWNERS), MACHINE(hm_dmabuf, OWNERS),
	MACHINE(hm_packet, OWNERS), MACHINE(hm_xdp, OWNERS), MACHINE(hm_tcp, OWNERS),
	MACHINE(hm_tcp_listens, OWNERS), MACHINE(hm_udp, OWNERS), MACHINE(hm_unix_listens, OWNERS),
	MACHINE(hm_ipc, OWNERS), MACHINE(hm_trace, OWNERS), MACHINE(hm_pools, OWNERS),
	MACHINE(hm_hashes, OWNERS), MACHINE(hm_page_pool, OWNERS), MACHINE(hm_zbud, OWNERS),
	MACHINE(hm_zbud_lru, OWNERS), MACHINE(hm_zswap, OWNERS), MACHINE(hm_swap_charges, OWNERS),
	MACHINE(hm_block, OWNERS), MACHINE(hm_block_class, OWNERS), MACHINE(hm_balloon, OWNERS),
	MACHINE(hm_xfs, OWNERS), MACHINE(hm_xfs_groups, OWNERS), MACHINE(hm_slub, SLABS | OWNERS),
	MACHINE(slab_array, SLABS), MACHINE(slab_pointer, SLABS), MACHINE(hm_page_owner, ALLOCATED),
	MACHINE(hm_page_owner_new, ALLOCATED), MACHINE(hm_tags, ALLOCATED),
	MACHINE(hm_tags_in_flags, ALLOCATED), MACHINE(groups, GROUPS),
	MACHINE(hm_rpc, OWNERS), MACHINE(hm_rpc_arrays, OWNERS), MACHINE(hm_raid, OWNERS),
	MACHINE(hm_kexec, OWNERS), MACHINE(hm_ramdisk, OWNERS),
	MACHINE(hm_crypto, OWNERS), MACHINE(hm_queues, OWNERS), MACHINE(hm_fair_queues, OWNERS), MACHINE(hm_tun, OWNERS), MACHINE(hm_bpf_arena, OWNERS),
};

static const struct subject *now;
static const char *telling;	/* the reader that is asked */

__attribute__((noreturn)) static void wrong(const char *what, uint64_t is, uint64_t want)
{
	fprintf(stderr, "%s, %s: %s: %llu, not %llu\n", now->name, telling, what, (unsigned long long)is,
		(unsigned long long)want);
	abort();
}

/* ---- what is altered ---------------------------------------------------------------------------- */

struct undo {
	uint64_t pa, value;
	unsigned size;		/* 0: a page */
	uint8_t *page;
};

static struct undo undo[PATCHES];
static unsigned nundo;

static uint8_t *byte_of(const struct fake *f, uint64_t pa)
{
	uint8_t *page = pa >> 12 < FAKE_PAGES ? f->page[pa >> 12] : NULL;

	return page ? page + (pa & 4095) : NULL;
}

static uint64_t value_at(const struct fake *f, const struct fake_word *w)
{
	const uint8_t *p = byte_of(f, w->pa);

	return p ? load_uint(p, w->size, false) : 0;
}

static bool is_pointer(const struct fake_word *w, uint64_t value)
{
	return w->size == 8 && value - FAKE_BASE < (uint64_t)FAKE_PAGES << 12;
}

static uint64_t evil_value(const struct fake *f, const struct fake_word *w, uint8_t what, uint8_t arg)
{
	const struct fake_word *other = &f->word[(arg + (what & 0xe0u) * 8u) % f->nwords];
	uint64_t v = value_at(f, w);

	switch ((enum evil)(what % 32 % EVILS)) {
	case ITSELF: return fake_kva(f, w->pa - arg % 8 * 8);
	case AFTER: return v + (arg ? arg : 8);
	case BEFORE: return v - (arg ? arg : 8);
	case UNALIGNED: return v | (arg % 7 + 1);
	case ALL_ONES: return UINT64_MAX >> arg % 64;
	case OTHER_VALUE: return value_at(f, other);
	case OTHER_WORD: return fake_kva(f, other->pa);
	case NEXT_PAGE: return v + 4096;
	case A_PAGE: return fake_kva(f, PAGES + ((DATA >> 12) + arg) * STRUCT_PAGE);
	case A_FRAME: return fake_kva(f, DATA + ((uint64_t)arg << 12));
	case SMALL: return arg;
	case A_BIT: return UINT64_C(1) << arg % 64;
	case FLIPPED: return v ^ UINT64_C(1) << arg % 64;
	case USERS: return 0x1000;
	case BIT_63: return UINT64_C(1) << 63;
	case NOT_MAPPED: return fake_kva(f, (uint64_t)FAKE_PAGES << 12) + 0x1000;
	default: return 0;
	}
}

/* Nothing says what the data of a kernel thread are, but that they name the thread. */
static bool may_be_anything(const struct fake_word *w)
{
	return !strncmp(now->name, "hm_rpc", 6) && (w->pa == KTHREAD || w->pa == RQST1 + R_TASK);
}

/* Returns whether no kernel could have it so. */
static bool alter(struct fake *f, const uint8_t *raw)
{
	uint16_t where = load16(raw, false);
	uint8_t what = raw[2], arg = raw[3];
	struct fake_word in_page = { .pa = PAGES + (where & 0xfffu) % HELD_FRAMES * STRUCT_PAGE + (arg & 7) * 8u, .size = 8 };
	const struct fake_word *w = where & 0x8000 ? &in_page : &f->word[where % f->nwords];
	uint8_t *p = byte_of(f, w->pa);
	uint64_t old = value_at(f, w);

	if (!p)
		return true;
	if (what % 32 % EVILS == LOST) {
		undo[nundo++] = (struct undo){ .pa = w->pa, .page = f->page[w->pa >> 12] };
		f->page[w->pa >> 12] = NULL;
		return true;
	}
	undo[nundo++] = (struct undo){ .pa = w->pa, .value = old, .size = w->size };
	store_uint(p, evil_value(f, w, what, arg), w->size, false);
	return what % 32 % EVILS >= USERS && is_pointer(w, old) && !may_be_anything(w);
}

static void restore(struct fake *f)
{
	while (nundo) {
		const struct undo *u = &undo[--nundo];

		if (u->size)
			store_uint(byte_of(f, u->pa), u->value, u->size, false);
		else
			f->page[u->pa >> 12] = u->page;
	}
}

/* ---- owners ---------------------------------------------------------------------------------------- */

static void check_classes(const struct page_classes *c)
{
	uint64_t found[PAGE_CLASSES] = { 0 }, sum = 0;

	telling = "classes";
	for (uint64_t pfn = 0; pfn < HELD_FRAMES; pfn++)
		found[page_class_at(c, pfn)]++;
	for (unsigned i = 0; i < PAGE_CLASSES; i++) {
		if (i != CLASS_NONE && found[i] != c->count[i].pages)
			wrong(page_class_name((enum page_class)i), c->count[i].pages, found[i]);
		sum += found[i];
	}
	if (sum != HELD_FRAMES)
		wrong("sum", sum, HELD_FRAMES);
}

static bool in_frames(enum page_class c)
{
	return c != CLASS_SLAB && c != CLASS_PERCPU;
}

static void check_owner(const struct snapshot *s, const struct owners *all, const struct owner *o)
{
	if (in_frames(o->class) && o->size != o->pages << 12)
		wrong("bytes of frames", o->size, o->pages << 12);
	for (uint32_t i = 0; i < o->nholders; i++) {
		const uint32_t *holder = &all->holder[o->first_holder + i];

		if (*holder >= s->nprocs)
			wrong("holder", *holder, s->nprocs);
		if (i && *holder <= holder[-1])
			wrong("order of holders", *holder, holder[-1]);
	}
}

/* What the kernel does not hold, and only killed processes do. */
static uint64_t freed_bytes(const struct owners *all, uint32_t killed)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < all->n; i++) {
		const struct owner *o = &all->v[i];
		uint32_t holders = 0;

		for (uint32_t j = 0; j < o->nholders; j++)
			holders |= 1u << all->holder[o->first_holder + j];
		if (holders && !o->kernel && !(holders & ~killed) && o->class != CLASS_PERCPU)
			sum += o->size;
	}
	return sum;
}

static void check_freed(const struct snapshot *s, const struct owners *all)
{
	static const uint32_t victims[] = { 0, 1 };
	struct arena mem = { 0 };
	struct freer *f = freer_new(s, all, NULL, NULL, 0, &mem);
	uint64_t before = 0;

	telling = "kills";
	for (uint32_t n = 1; n <= 2; n++) {
		struct freed ret;
		uint64_t want = freed_bytes(all, (1u << n) - 1);

		freed_by(f, victims, n, &ret);
		if (ret.descriptors < want || (ret.descriptors != want && all->n == 0))
			wrong("descriptors", ret.descriptors, want);
		if (ret.exit != ret.anon + ret.tables + ret.stacks + ret.objects + ret.shmem + ret.cache +
					ret.descriptors)
			wrong("sum of what exit frees", ret.exit, ret.descriptors);
		if (ret.exit < before)
			wrong("two victims, and one", ret.exit, before);
		before = ret.exit;
	}
	freer_free(f);
	arena_release(&mem);
}

static void put_owners(const struct snapshot *s, const struct page_classes *c, const struct owners *all, FILE *out,
		       struct answer *a)
{
	uint64_t bytes[PAGE_CLASSES] = { 0 };

	telling = "owners";
	for (uint32_t i = 0; i < all->n; i++) {
		const struct owner *o = &all->v[i];

		check_owner(s, all, o);
		bytes[o->class] += o->size;
		a->told += o->incomplete;
		fprintf(out, "%u %u %llx %llu %llu %u%s\n", o->kind, o->class, (unsigned long long)o->object,
			(unsigned long long)o->size, (unsigned long long)o->pages, o->nholders,
			o->kernel ? " kernel" : "");
	}
	for (unsigned i = 0; i < PAGE_CLASSES; i++)
		if (bytes[i] > (i == CLASS_PERCPU ? HELD_FRAMES : c->count[i].pages) << 12)
			wrong(page_class_name((enum page_class)i), bytes[i], c->count[i].pages << 12);
	check_freed(s, all);
}

static void read_owners(struct held_machine *m, struct snapshot *s, unsigned how, FILE *out, struct answer *a)
{
	struct page_classes *c;
	struct owners owners;
	struct arena mem = { 0 };
	struct reader *r;

	if (how & CENSUS) {
		const struct census *census = census_of(s);

		check_classes(census->classes);
		put_owners(s, census->classes, &census->owners, out, a);
		return;
	}
	r = reader_new_forward(s->k->dump);
	c = page_classes_build(s->k, true);
	check_classes(c);
	holders_build(s, r, &mem, c, &m->areas, &owners);
	check_classes(c);
	put_owners(s, c, &owners, out, a);
	page_classes_free(c);
	reader_free(r);
	arena_release(&mem);
}

/* ---- slabs, allocations, groups ---------------------------------------------------------------------- */

static void put_number(uint64_t v, FILE *out, struct answer *a)
{
	a->told += v == UINT64_MAX;
	fprintf(out, " %llu", (unsigned long long)v);
}

static void read_slabs(const struct snapshot *s, FILE *out, struct answer *a)
{
	struct arena mem = { 0 };
	struct slab_caches sc;

	telling = "slabs";
	if (slab_caches_build(s, &mem, true, &sc))
		wrong("no caches", 0, 1);
	for (uint32_t i = 0; i < sc.n; i++) {
		const struct slab_cache *c = &sc.v[i];
		const uint64_t v[] = { c->size, c->object_size, c->per_slab, c->slabs, c->objects, c->partial,
				       c->shown_free, c->found_slabs, c->found_pages, c->found_objects,
				       c->found_inuse };

		for (size_t j = 0; j < ARRAY_LEN(v); j++)
			put_number(v[j], out, a);
		fprintf(out, " %llu %llu %llu %llu\n", (unsigned long long)c->cpu_partial,
			(unsigned long long)c->cpu_partial_free, (unsigned long long)c->sheaves,
			(unsigned long long)c->sheaf_room);
		if (c->found_inuse != SLAB_UNKNOWN && c->found_objects != SLAB_UNKNOWN &&
		    c->found_inuse > c->found_objects && !a->told && !issues_total(s->k->issues))
			wrong("objects in use", c->found_inuse, c->found_objects);
	}
	fprintf(out, "%llu\n", (unsigned long long)sc.stray_pages);
	a->told += !sc.whole;
	arena_release(&mem);
}

struct shown {
	FILE *out;
	struct answer *a;
	uint64_t next;		/* frames ascend */
};

static void put_allocation(void *arg, const struct allocations_shown *x, const struct page_allocation *p)
{
	char gfp[FLAG_TEXT], flags[FLAG_TEXT];
	struct shown *to = arg;

	if (p->pfn < to->next || p->pfn >= HELD_FRAMES)
		wrong("frame", p->pfn, to->next);
	if (p->order >= 32 || p->pfn & ((UINT64_C(1) << p->order) - 1))
		wrong("order", p->order, p->pfn);
	if (p->depth > ALLOCATION_DEPTH)
		wrong("depth", p->depth, ALLOCATION_DEPTH);
	to->next = p->pfn + 1;
	/* names that are not readable are shown so */
	to->a->told += (p->charged && !strcmp(p->charged, "?")) || !strcmp(p->type, "?") ||
		       !strcmp(p->wanted, "?") || (p->reason && !strcmp(p->reason, "?"));
	flag_names_gfp(&x->gfp, p->gfp, gfp);
	/* the table of fields has no length: a damaged one is its end */
	flag_names_page(&x->page, p->flags, flags);
	fprintf(to->out, "%llu %u %s %lld %d %s\n", (unsigned long long)p->pfn, p->order, gfp,
		(long long)p->pid, x->charge, p->charged ? p->charged : "");
	for (unsigned i = 0; i < p->depth; i++)
		fprintf(to->out, " %llx", (unsigned long long)p->address[i]);
}

/* The text of what allocated some frames. */
static void put_origins(const struct snapshot *s, struct reader *r, struct arena *mem, FILE *out, struct answer *a)
{
	struct ksyms ks = { .k = s->k, .r = r, .mem = mem, .seen.mem = mem };
	struct origins o;

	if (!origins_init(&o, s->k, r, &ks))
		return;
	for (uint64_t pfn = MORE >> 12; pfn < (MORE >> 12) + FRAMES_SHOWN; pfn++) {
		uint64_t flags = 0;
		struct origin from;
		const char *site, *stack;

		a->told += read_kva_word(r, memmap_page_kva(&s->k->memmap, pfn), &flags) != 0;
		from = origin_of(&o, pfn, flags);
		site = from.tag ? origin_site(&o, from.tag, mem) : "";
		stack = from.stack ? origin_stack(&o, from.stack, mem) : "";
		a->told += !site + !stack;
		fprintf(out, "%s %s\n", site ? site : "?", stack ? stack : "?");
	}
	a->told += o.unread;
}

static void read_allocated(const struct snapshot *s, FILE *out, struct answer *a)
{
	struct shown to = { .out = out, .a = a };
	struct arena mem = { 0 };
	struct reader *r = reader_new_forward(s->k->dump);
	struct tag_counts t;

	telling = "page_owner";
	page_allocations_each(s, put_allocation, &to);
	telling = "tags";
	tag_counts_read(s, &mem, &t);
	for (size_t i = 0; i < t.v.n; i++)
		fprintf(out, "%s %s %lld %llu\n", t.v.v[i].file, t.v.v[i].function, (long long)t.v.v[i].bytes,
			(unsigned long long)t.v.v[i].calls);
	put_origins(s, r, &mem, out, a);
	reader_free(r);
	arena_release(&mem);
}

static void put_psi(const struct psi *p, FILE *out)
{
	fprintf(out, "%d", p->known);
	for (unsigned i = 0; p->known && i < PSI_STATES; i++)
		fprintf(out, " %llu %llu", (unsigned long long)p->total[i], (unsigned long long)p->avg[i][0]);
	for (unsigned i = 0; p->known && i < PSI_STATES; i++)
		if (psi_percent100(p->avg[i][0]) > 10100)
			wrong("percent", psi_percent100(p->avg[i][0]), 10000);
}

static void read_groups(const struct snapshot *s, FILE *out)
{
	struct arena mem = { 0 };
	const struct memcg_limits *l = memcg_limits_read(s, &mem);
	const struct psi *groups = psi_of_cgroups(s, &mem);
	struct psi all;

	telling = "groups";
	psi_of_machine(s->k, &all);
	put_psi(&all, out);
	for (uint32_t i = 0; i < s->ncgroups; i++) {
		put_psi(&groups[i], out);
		for (unsigned j = 0; j < MEMCG_VALUES; j++)
			fprintf(out, " %llu", (unsigned long long)l[i].v[j]);
		for (unsigned j = 0; j < MEMCG_COUNTS; j++)
			fprintf(out, " %llu %llu", (unsigned long long)l[i].count[j],
				(unsigned long long)l[i].local[j]);
		fputc('\n', out);
	}
	arena_release(&mem);
}

/* ---- answers -------------------------------------------------------------------------------------------- */

/* Two processes have the same descriptors. */
static struct answer answer(struct subject *of, unsigned how, unsigned jobs)
{
	struct held_machine *m = of->m;
	struct task tasks[2] = { m->task, m->task };
	struct proc procs[2] = { m->proc, m->proc };
	struct snapshot s = m->s;
	struct answer a = { NULL, 0 };
	size_t n;
	FILE *out = open_memstream(&a.text, &n);

	if (s.nprocs) {
		tasks[1].proc = procs[1].leader = procs[1].first_task = 1;
		s.tasks = tasks;
		s.procs = procs;
		s.ntasks = s.nprocs = 2;
	}
	m->f->kernel.jobs = jobs;
	issues_release(s.k->issues);
	issues_init(s.k->issues);
	if (of->reads & OWNERS)
		read_owners(m, &s, how, out, &a);
	if (of->reads & SLABS)
		read_slabs(&s, out, &a);
	if (of->reads & ALLOCATED)
		read_allocated(&s, out, &a);
	if (of->reads & GROUPS)
		read_groups(&s, out);
	a.told += issues_total(s.k->issues);
	shared_free(&s);
	fclose(out);
	return a;
}

static void check_same(const char *what, const char *a, const char *b)
{
	if (!strcmp(a, b))
		return;
	fprintf(stderr, "%s: %s\n%s\n%s\n", now->name, what, a, b);
	abort();
}

/* The machine as it was made. Areas of vmalloc() are given to readers, and no list has them. */
static struct subject *machine_of(uint8_t which)
{
	struct subject *m = &machines[which % ARRAY_LEN(machines)];

	now = m;
	if (m->m)
		return m;
	m->m = m->make();
	reader_free(m->m->f->r);
	m->m->f->r = NULL;
	for (unsigned i = 0; i < WAYS; i++) {
		m->good[i] = answer(m, i, 1);
		if (m->good[i].told && !(i && m->m->areas.n))
			wrong("issues of the good machine", m->good[i].told, 0);
	}
	return m;
}

static void check_bounds(const struct rusage *from)
{
	struct rusage to;

	getrusage(RUSAGE_SELF, &to);
	telling = "bounds";
	if (to.ru_utime.tv_sec - from->ru_utime.tv_sec > SECONDS_MAX)
		wrong("seconds", (uint64_t)(to.ru_utime.tv_sec - from->ru_utime.tv_sec), SECONDS_MAX);
	if (to.ru_maxrss - from->ru_maxrss > MEMORY_MAX)
		wrong("KiB", (uint64_t)(to.ru_maxrss - from->ru_maxrss), (uint64_t)MEMORY_MAX);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	/* a reader has 2 MiB, of which a small machine touches little: fresh pages are cheaper */
	mallopt(M_MMAP_THRESHOLD, 1 << 19);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct subject *m;
	struct rusage before;
	struct answer one, two;
	bool impossible = true;
	unsigned how;

	if (size < 2)
		return 0;
	m = machine_of(data[0]);
	how = m->m->areas.n ? 0 : data[1] & CENSUS;
	for (size_t i = 2; i + PATCH_BYTES <= size && nundo < PATCHES; i += PATCH_BYTES)
		impossible &= alter(m->m->f, data + i);
	getrusage(RUSAGE_SELF, &before);
	one = answer(m, how, 1);
	check_bounds(&before);
	if (getenv("VMCENSUS_FUZZ_SHOW"))
		fprintf(stderr, "%s: told %llu\n%s", m->name, (unsigned long long)one.told, one.text);
	if (impossible && !one.told)
		check_same("an impossible word is not told", m->good[how].text, one.text);
	if (data[1] & THREADS) {
		two = answer(m, how, 2);
		if (one.told != two.told)
			wrong("told by two threads", two.told, one.told);
		check_same("one thread, and two", one.text, two.text);
		free(two.text);
	}
	free(one.text);
	restore(m->m->f);
	return 0;
}
