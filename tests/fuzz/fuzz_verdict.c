/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules of the verdict over evidence that no single log and dump have: a machine of 1 GiB that ran out of
 * memory, of which some figures and names are replaced. Wrong rows are found, not only crashes: texts that lack,
 * rows out of their order, shares that are not those of the bytes, an unknown size that is shown as a number.
 *
 * An input is patches of 2 bytes: u8 field (of fields[])  u8 value (value_of(), names[])
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/cause/verdict/ledger.h"
#include "reports/oom/verdict_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MIB (UINT64_C(1) << 20)
#define RAM (1024 * MIB)
#define HOLDERS 4u

struct scene {
	struct oom_evidence e;
	struct oom_event event;
	struct oom_victim victim;
	uint64_t present;	/* bit 0: an event, bit 1: a victim */
};

enum form { NUMBER, KNOWN, COUNT, TOLD, TEXT, FLAG, OF_ENUM };

/* New ones come last: inputs name them by number. */
#define PROC(p)										\
	{ TEXT, offsetof(struct scene, p.comm), 0 }, { TOLD, offsetof(struct scene, p.pid), 0 },	\
	{ TOLD, offsetof(struct scene, p.adj), 0 }, { KNOWN, offsetof(struct scene, p.bytes), 0 },	\
	{ NUMBER, offsetof(struct scene, p.tables), 0 }, { NUMBER, offsetof(struct scene, p.locked), 0 },	\
	{ NUMBER, offsetof(struct scene, p.start), 0 }, { COUNT, offsetof(struct scene, p.threads), 0 }
#define VICTIM(p)									\
	{ TEXT, offsetof(struct scene, p.comm), 0 }, { TOLD, offsetof(struct scene, p.pid), 0 },	\
	{ KNOWN, offsetof(struct scene, p.bytes), 0 }, { FLAG, offsetof(struct scene, p.alive), 0 },	\
	{ FLAG, offsetof(struct scene, p.state), 0 }, { OF_ENUM, offsetof(struct scene, p.reaped), 3 },	\
	{ OF_ENUM, offsetof(struct scene, p.sure), VERDICT_REASONS }
#define N(m) { NUMBER, offsetof(struct scene, m), 0 }
#define K(m) { KNOWN, offsetof(struct scene, m), 0 }
#define C(m) { COUNT, offsetof(struct scene, m), 0 }
#define T(m) { TEXT, offsetof(struct scene, m), 0 }
#define S(m) { TOLD, offsetof(struct scene, m), 0 }
#define F(m) { FLAG, offsetof(struct scene, m), 0 }

static const struct field {
	enum form form;
	size_t offset;
	unsigned limit;		/* of an enum */
} fields[] = {
	K(present), K(e.number), K(e.events), N(e.kills), F(e.at_once), T(e.panic), N(e.panic_time), K(e.uptime),
	N(e.log_begins), N(e.total), K(e.size[USE_TASK_SLAB]), K(e.size[USE_PERCPU_AREAS]), N(e.available), N(e.swap_total),
	N(e.swap_free), K(e.shmem_swapped), N(e.group_swap), N(e.group_swap_limit), N(e.locked), N(e.locked_now),
	N(e.unwritten), K(e.huge_unused), N(e.stored), F(e.strict), N(e.committed), N(e.commit_limit), K(e.dying),
	C(e.ndying), C(e.ngroups), C(e.nprocs), K(e.procs), PROC(e.largest), PROC(e.second), PROC(e.most_locked),
	T(e.name.comm), C(e.name.n), C(e.name.dated), C(e.name.young), K(e.name.bytes), F(e.from_log),
	VICTIM(e.victim), VICTIM(e.earlier), VICTIM(e.stuck), C(e.repeated.kills), K(e.repeated.since),
	K(e.repeated.bytes), T(e.killer.name), T(e.said), T(e.throttled.path), K(e.throttled.usage),
	K(e.throttled.high), K(e.throttled.times), T(e.zone.name), S(e.zone.node), K(e.zone.lacking),
	F(e.zone.no_block), K(e.zone.free), K(e.zone.free_of_others), N(e.machine_free), N(e.direct_reclaims),
	N(e.refaults), { OF_ENUM, offsetof(struct scene, e.thrash), 3 },
	{ OF_ENUM, offsetof(struct scene, e.thrash_sure), 3 }, { OF_ENUM, offsetof(struct scene, e.thrash_why.why), THRASH_WHYS }, T(e.sufferer.name),
	{ OF_ENUM, offsetof(struct scene, event.kind), OOM_KINDS },
	{ OF_ENUM, offsetof(struct scene, event.constraint), OOM_CONSTRAINTS }, K(event.time), T(event.comm),
	S(event.pid), T(event.asker), T(event.asker_module), S(event.gfp), S(event.order), T(event.gfp_names),
	F(event.inferred), T(event.nodemask), T(event.cpuset), T(event.mems_allowed), T(event.oom_memcg),
	T(event.task_memcg), F(event.global), T(event.prefix), T(event.group), T(event.panic), F(event.no_task),
	F(event.exiting), C(event.again), T(event.text), T(event.stats_of), S(victim.pid), T(victim.comm),
	S(victim.anon_rss), { OF_ENUM, offsetof(struct scene, victim.reaped), 3 },
	T(e.found), F(e.log_partial), F(e.lost), F(e.unlisted), F(e.by_clock), T(e.printed), F(e.log_alone),
};

/* Fields from here on are of a use: six of each. After them come those of fields[] from OF_USES on. */
enum { OF_USES = 128, MORE_FIELDS = OF_USES + 6 * (USE_OTHER + 1) };
static_assert(ARRAY_LEN(fields) <= OF_USES + 256 - MORE_FIELDS, "an input names each field by a byte");

static const char *const names[] = {
	NULL, "", "a program", "java", "0", "0-1", "kswapd0", "systemd-oomd (7)", "/", "/pod", "tmpfs /a file",
	"GFP_KERNEL", "GFP_ATOMIC|__GFP_NOWARN", "Out of memory", "Memory cgroup out of memory", "nvme",
	"Kernel panic - not syncing: Out of memory: compulsory panic_on_oom is enabled",
	"Kernel panic - not syncing: System is deadlocked on memory", "Fatal exception", "earlyoom (12)",
	"fork bomb", "pages behind descriptors", "a%sb%n", "worker/7",
};

/* Parts of RAM, powers of two, nothing, and not known. */
static uint64_t value_of(uint8_t v)
{
	if (v < 2)
		return v ? EV_UNKNOWN : 0;
	return v < 128 ? (v - 2) * (RAM / 64) : UINT64_C(1) << v % 128 % 56;
}

static void put(struct scene *s, const struct field *f, uint8_t v)
{
	char *at = (char *)s + f->offset;

	switch (f->form) {
	case NUMBER: *(uint64_t *)at = value_of(v); break;
	case KNOWN: *(uint64_t *)at = v == 1 ? 1 : value_of(v); break;
	case COUNT: *(uint32_t *)at = v < 128 ? v : (uint32_t)1 << v % 128 % 32; break;
	case TOLD: *(int64_t *)at = v == 1 ? OOM_UNKNOWN : v < 128 ? v : -(int64_t)v; break;
	case TEXT: *(const char **)at = names[v % ARRAY_LEN(names)]; break;
	case FLAG: *(uint8_t *)at = v & 1; break;
	case OF_ENUM: *(unsigned *)at = v % f->limit; break;
	}
}

static void put_detail(struct ev_detail *d, uint8_t v)
{
	const char *name = names[1 + v % (ARRAY_LEN(names) - 1)];

	*d = (struct ev_detail){ .told = (enum ev_told)(v % TOLD_KINDS), .n = v, .of = value_of(v),
				 .who = { .kind = (enum subject_kind)(v % 2), .name = names[v % ARRAY_LEN(names)] },
				 .name = { name, name, name }, .module = v & 64 ? name : NULL };
}

static void put_use(struct scene *s, unsigned which, uint8_t v)
{
	enum use use = which / 6 % (USE_OTHER + 1);
	struct ev_owner *o = &s->e.owner[use];

	switch (which % 6) {
	case 0: s->e.size[use] = value_of(v); break;
	case 1: o->name = names[v % ARRAY_LEN(names)]; break;
	case 2: o->cause = (enum verdict_cause)(v % VERDICT_CAUSES); break;
	case 3: put_detail(&o->detail, v); break;
	case 4: o->bytes = v == 1 ? 1 : value_of(v); break;
	default: o->subject.pid = v; o->among = v & 1;
	}
}

static void usual(struct scene *s)
{
	static const uint64_t mib[USES] = {
		[USE_FREE] = 10, [USE_ANON] = 30, [USE_FILE] = 20, [USE_SHMEM] = 4, [USE_SLAB] = 12,
		[USE_RECLAIMABLE] = 8, [USE_TABLES] = 4, [USE_STACKS] = 4, [USE_PERCPU] = 4, [USE_OTHER] = 20,
	};

	s->present = 3;
	s->victim = (struct oom_victim){ .pid = 7, .comm = "victim" };
	s->event = (struct oom_event){ .kind = OOM_KILL, .time = 5000000000, .comm = "asker", .pid = 9,
				       .constraint = OOM_NONE };
	s->e = (struct oom_evidence){
		.number = 1, .events = 1, .kills = 1, .total = RAM, .available = 12 * MIB, .swap_total = 100 * MIB,
		.swap_free = 90 * MIB, .stored = EV_UNKNOWN, .machine_free = EV_UNKNOWN,
		.group_swap = EV_UNKNOWN, .group_swap_limit = EV_UNKNOWN, .nprocs = 20, .procs = 40 * MIB,
		.largest = { .comm = "sshd", .pid = 3, .bytes = 4 * MIB },
		.second = { .comm = "bash", .pid = 4, .bytes = 3 * MIB },
		.name = { .comm = "sshd", .n = 2, .bytes = 6 * MIB },
		.victim = { .comm = "victim", .pid = 7, .bytes = 3 * MIB, .state = 'R' },
		.zone = { .name = "DMA32", .lacking = 4 * MIB, .free = 9 * MIB },
	};
	for (unsigned i = 0; i < USES; i++)
		s->e.size[i] = mib[i] * MIB;
}

__attribute__((noreturn)) static void wrong(const struct verdict_row *r, const char *what, const char *text)
{
	fprintf(stderr, "%s: %s: %s\n", what, cause_facts[r->cause].id, text);
	abort();
}

static void check_row(const struct verdict *v, const struct verdict_row *r, struct arena *mem)
{
	/* EV_UNKNOWN in each unit */
	static const char *const unknown[] = { "17179869183 GiB", "17592186044415 MiB", "18014398509481983 KiB",
					       "18446744073709551615", "9223372036854775808" };

	const char *text = verdict_text(v, r, mem);

	if (r->cause == VC_NONE || !r->report || !*text || !*verdict_why(v, r, mem) || r->certainty > GUESS)
		wrong(r, "a text lacks", text);
	if (r->share != (v->e->total == EV_UNKNOWN ? SHARE_UNKNOWN : ev_share(v->e, r->bytes)))
		wrong(r, "share", text);
	for (size_t i = 0; i < ARRAY_LEN(unknown); i++)
		if (strstr(text, unknown[i]))
			wrong(r, "an unknown size", text);
	if (strstr(text, "(null)"))
		wrong(r, "no name", text);
}

static void check(const struct verdict *v, struct arena *mem)
{
	unsigned of_kind[VERDICT_KINDS] = { 0 };

	for (unsigned i = 0; i < v->n; i++) {
		if (i && v->v[i].kind < v->v[i - 1].kind)
			abort();
		of_kind[v->v[i].kind]++;
		check_row(v, &v->v[i], mem);
	}
	if (of_kind[VERDICT_EVENT] > 1 || of_kind[VERDICT_LIMIT] > 1 ||
	    of_kind[VERDICT_HOLDER] > HOLDERS)
		abort();
}

/* Without a name there is none. */
static void drop_nameless(struct oom_evidence *e)
{
	struct ev_proc *const procs[] = { &e->largest, &e->second, &e->most_locked };
	struct ev_victim *const victims[] = { &e->victim, &e->earlier, &e->stuck };

	for (size_t i = 0; i < ARRAY_LEN(procs); i++)
		if (!procs[i]->comm || (i == 1 && !e->largest.comm))
			*procs[i] = (struct ev_proc){ .comm = NULL };
	for (size_t i = 0; i < ARRAY_LEN(victims); i++)
		if (!victims[i]->comm)
			*victims[i] = (struct ev_victim){ .bytes = EV_UNKNOWN };
	if (!e->largest.comm)
		e->procs = 0;
	if (!e->name.comm)
		e->name = (struct ev_name){ .n = 0 };
	if (!e->throttled.path)
		e->throttled = (struct ev_throttled){ .usage = 0 };
	if (!e->thrash_why.why)
		e->thrash = THRASH_UNKNOWN;
	e->sufferer.kind = e->sufferer.name ? SUBJECT_PROCESS : SUBJECT_NONE;
	if (!e->killer.name)
		e->said = NULL;
}

/* What evidence_gather() never has otherwise. */
static void keep_promises(struct scene *s)
{
	drop_nameless(&s->e);
	s->e.event = s->present & 1 ? &s->event : NULL;
	if (s->present & 2) {
		s->event.victims.v = &s->victim;
		s->event.victims.n = 1;
	}
	if (s->e.event)
		return;
	s->e.events = s->e.number = 0;
	s->e.from_log = false;
	s->e.at_once = true;
	s->e.repeated.kills = 0;
	s->e.zone = (struct ev_zone){ .name = NULL };
}

/* Whatever is moved, the sum stays, and nothing has more than all. */
static void check_ledger(struct oom_evidence e, unsigned step)
{
	ledger_open(&e);
	for (unsigned i = 0; i < USES; i++) {
		enum use to = (i * step + 3) % USES;
		uint64_t asked = e.size[i * 5 % USES], had = e.size[i];
		uint64_t n = ledger_move(&e, (enum use)i, to, asked);

		if (n > asked || n > ev_known(had) || (to != i && e.size[i] != (had == EV_UNKNOWN ? had : had - n)))
			abort();
		if (!ledger_is_even(&e) || (e.size[to] != EV_UNKNOWN && e.size[to] > e.sum))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scene s;
	unsigned step = size ? data[0] : 1;
	struct arena mem = { 0 };
	struct verdict v;

	usual(&s);
	for (; size >= 2; data += 2, size -= 2) {
		if (data[0] >= MORE_FIELDS)
			put(&s, &fields[(OF_USES + data[0] - MORE_FIELDS) % ARRAY_LEN(fields)], data[1]);
		else if (data[0] >= OF_USES)
			put_use(&s, data[0] - OF_USES, data[1]);
		else
			put(&s, &fields[data[0] % ARRAY_LEN(fields)], data[1]);
	}
	keep_promises(&s);
	check_ledger(s.e, step);
	verdict_find(&s.e, &mem, &v);
	check(&v, &mem);
	arena_release(&mem);
	return 0;
}
