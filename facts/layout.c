/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout.c - resolves the members, sizes and symbols of layout.h for one dump.
 */
#include "facts/layout.h"

#include "facts/first_task.h"
#include "facts/layout/base.h"
#include "facts/layout/census.h"
#include "facts/layout/cgroup.h"
#include "facts/layout/cpu.h"
#include "facts/layout/file.h"
#include "facts/layout/gate.h"
#include "facts/layout/holder.h"
#include "facts/layout/kmem.h"
#include "facts/layout/levels.h"
#include "facts/layout/mm.h"
#include "facts/layout/module.h"
#include "facts/layout/network.h"
#include "facts/layout/origin.h"
#include "facts/layout/page.h"
#include "facts/layout/pressure.h"
#include "facts/layout/proc.h"
#include "facts/layout/signs.h"
#include "facts/layout/stack.h"
#include "facts/layout/swap.h"
#include "facts/layout/system.h"
#include "facts/layout/task.h"
#include "facts/version.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/find/kept_layout.h"

#define NEED true
#define OPT false

/* How many there are. */
enum {
#define M(id, ...) AT_##id,
#define S(id, ...) AT_##id,
#define E(id, ...) AT_##id,
#define Y(id, ...) AT_##id,
#define LEVEL(version, id, name) AT_##id,
#include "facts/layout/all.def"
#undef LEVEL
#undef M
#undef S
#undef E
#undef Y
	FACTS_THERE
};
static_assert(FACTS_THERE == FACTS_COUNT, "a new fact: raise FACTS_VERSION, and FACTS_COUNT");

/* all.def begins with the subjects that rows of processes hang on, up to control groups. */
#define FACTS_OF_PROCESSES FACTS_pressure

const struct fact_spec fact_specs[LAYOUT_COUNT] = {
#define M(id, need, ...) [id] = { FACT_MEMBER, #id, need, { __VA_ARGS__ } },
#define S(id, need, ...) [id] = { FACT_SIZE, #id, need, { __VA_ARGS__ } },
#define E(id, need, ...) [id] = { FACT_ENUM, #id, need, { __VA_ARGS__ } },
#define Y(id, need, ...) [id] = { FACT_SYMBOL, #id, need, { __VA_ARGS__ } },
#define LEVEL(version, id, name) [id] = { FACT_SYMBOL, #id, OPT, { name } },
#include "facts/layout/all.def"
#undef LEVEL
#undef M
#undef S
#undef E
#undef Y
};

static enum status resolve_alt(const struct dump *d, enum fact_kind kind, const char *name,
			       struct fact *f)
{
	switch (kind) {
	case FACT_MEMBER: return types_member(&d->types, name, &f->m, &f->from);
	case FACT_SIZE: return types_size(&d->types, name, &f->size, &f->from);
	case FACT_ENUM: return types_enumerator(&d->types, name, &f->value, &f->from);
	case FACT_SYMBOL: break;
	}
	return symbols_find(&d->symbols, name, &f->addr, &f->from) ? ST_OK : ST_ABSENT;
}

bool layout_kept_knows_all(const struct dump *d)
{
	return d->kept_layout && d->layout_facts >= FACTS_VERSION;
}

/* ST_NODATA: the kernel may have it, but it is on what could not be read. */
static enum status resolve_one(const struct dump *d, const struct fact_spec *spec, struct fact *f)
{
	enum status none = ST_ABSENT;

	for (int i = 0; i < LAYOUT_ALTS && spec->alt[i]; i++) {
		enum status st = resolve_alt(d, spec->kind, spec->alt[i], f);

		if (!st) {
			f->alt = (int8_t)i;
			return ST_OK;
		}
		if (st == ST_NODATA)
			none = st;
	}
	memset(f, 0, sizeof(*f));
	f->alt = none == ST_NODATA && !layout_kept_knows_all(d) ? FACT_LOST : -1;
	return none;
}

/* "mm_struct.rss_stat[].count" -> length of "mm_struct". */
static size_t outer_len(const char *path)
{
	return strcspn(path, ".[");
}

/* See struct layout. */
static void find_extents(struct layout *l)
{
	for (int s = 0; s < LAYOUT_COUNT; s++) {
		const char *type;

		if (fact_specs[s].kind != FACT_SIZE || l->v[s].alt < 0)
			continue;
		type = fact_specs[s].alt[l->v[s].alt];
		for (int m = 0; m < LAYOUT_COUNT; m++) {
			const char *path;
			uint32_t end;

			if (fact_specs[m].kind != FACT_MEMBER || l->v[m].alt < 0)
				continue;
			path = fact_specs[m].alt[l->v[m].alt];
			if (outer_len(path) != strlen(type) || strncmp(path, type, strlen(type)))
				continue;
			end = l->v[m].m.offset + l->v[m].m.size;
			if (end > l->extent[s])
				l->extent[s] = end;
		}
		if (!l->extent[s] || l->extent[s] > l->v[s].size)
			l->extent[s] = l->v[s].size;
	}
}

/* There is a result, which lacks what hangs on types or symbols that are lost. */
static void offer_help(const struct dump *d, const struct layout *l)
{
	char offer[KEPT_LAYOUT_OFFER];

	if (l->lost || (d->kallsyms_lost && !d->kept_layout))
		log_warn(d->log, "a part of the kernel's %s is lost: %s",
			 l->lost ? "types" : "symbols", kept_layout_offer(d, offer, sizeof(offer)));
}

/* Variables that the kernel may have: nothing lists them. */
static void count_unlisted(struct dump *d, const struct layout *l)
{
	unsigned n = 0;

	for (int id = 0; d->exported_only && id < LAYOUT_COUNT; id++)
		n += fact_specs[id].kind == FACT_SYMBOL && l->v[id].alt < 0;
	if (n)
		issue_add(
			&d->issues, ST_NODATA, "variable", n,
			"the dump lists functions and exported variables: what hangs on others is unknown");
}

/*
 * Without its name it is found by its content, where a page of names is lost. Where tokens are, so many other
 * symbols have no name that what hangs on them would be told as absent.
 */
static void replace_first_task(struct dump *d, struct layout *l)
{
	struct fact *f = &l->v[Y_INIT_TASK];

	if (f->alt >= 0 || !d->kallsyms_lost || d->tokens_lost || first_task_find(d, l, &f->addr))
		return;
	f->alt = 0;
	f->from = "its content";
	log_info(d->log, "init_task is found by its content, at %#llx",
		 (unsigned long long)f->addr);
}

static const struct fact_spec *first_missing(const struct layout *l)
{
	for (int id = 0; id < LAYOUT_COUNT; id++)
		if (l->v[id].alt < 0 && fact_specs[id].needed)
			return &fact_specs[id];
	return NULL;
}

enum status layout_resolve(struct dump *d, struct layout *ret)
{
	static const char *const what[] = {
		[FACT_MEMBER] = "member", [FACT_SIZE] = "type",
		[FACT_ENUM] = "enumerator", [FACT_SYMBOL] = "symbol",
	};
	const struct fact_spec *missing;
	char offer[KEPT_LAYOUT_OFFER];

	ret->lost = ret->lost_of_processes = 0;
	for (int id = 0; id < LAYOUT_COUNT; id++) {
		resolve_one(d, &fact_specs[id], &ret->v[id]);
		if (layout_lost(ret, id)) {
			log_debug(d->log, "%s is on types that could not be read",
				  fact_specs[id].alt[0]);
			ret->lost++;
			ret->lost_of_processes += id < FACTS_OF_PROCESSES;
		}
	}
	replace_first_task(d, ret);
	missing = first_missing(ret);
	find_extents(ret);
	count_unlisted(d, ret);
	if (ret->lost)
		issue_add(&d->issues, ST_NODATA, "member", ret->lost,
			  "of types that could not be read: what hangs on them is unknown");
	if (d->layout_facts && d->layout_facts < FACTS_VERSION)
		log_info(d->log,
			 "the layout file has the facts of version %u, this program uses "
			 "version %d: newer facts are unknown",
			 d->layout_facts, FACTS_VERSION);
	if (missing && (d->types_lost[0] || d->kallsyms_lost))
		return fail(
			&d->diag, ST_NODATA,
			"kernel %s: %s %s is on what is lost (%s); %s; with -t its vmlinux with debug "
			"information helps as well, or /sys/kernel/btf/vmlinux of a machine that "
			"runs it",
			d->release[0] ? d->release : "(release unknown)", what[missing->kind],
			missing->alt[0],
			d->types_lost[0] ? d->types_lost : "pages of kallsyms cannot be read",
			kept_layout_offer(d, offer, sizeof(offer)));
	if (missing)
		return fail(&d->diag, ST_ABSENT,
			    "kernel %s: %s %s not found; give a vmlinux with debug info, "
			    "a .btf or a layout file with -t",
			    d->release[0] ? d->release : "(release unknown)", what[missing->kind],
			    missing->alt[0]);
	offer_help(d, ret);
	return ST_OK;
}

const char *const fact_modules[] = { "zsmalloc", "zram", "virtio_balloon", "xfs", "sunrpc", "raid456", "brd", "af_alg", "sch_netem", "sch_fq_codel", "sch_fq", "sch_htb", "tun", NULL };

void layout_resolve_modules(const struct dump *d, struct layout *l)
{
	for (int id = 0; id < LAYOUT_COUNT; id++)
		if (l->v[id].alt < 0 && fact_specs[id].kind != FACT_SYMBOL)
			resolve_one(d, &fact_specs[id], &l->v[id]);
}

/* VMCOREINFO is asked directly: while arch/ attaches it is not yet a source of symbols. */
bool fact_symbol(const struct dump *d, enum layout_id id, uint64_t *addr)
{
	const struct fact_spec *s = &fact_specs[id];

	for (int i = 0; i < LAYOUT_ALTS && s->alt[i]; i++)
		if (dump_symbol(d, s->alt[i], addr) || vmcoreinfo_symbol(d, s->alt[i], addr))
			return true;
	return false;
}

bool fact_member(const struct dump *d, enum layout_id id, struct member *ret)
{
	struct fact f;

	resolve_one(d, &fact_specs[id], &f);
	*ret = f.m;
	return f.alt >= 0;
}

bool fact_size(const struct dump *d, enum layout_id id, uint32_t *bytes)
{
	struct fact f;

	resolve_one(d, &fact_specs[id], &f);
	*bytes = f.size;
	return f.alt >= 0;
}

bool fact_variable(const struct dump *d, struct reader *r, enum layout_id id, unsigned size,
		   uint64_t *ret)
{
	uint64_t va;

	return fact_symbol(d, id, &va) && !read_kva_uint(r, va, size ? size : d->word_size, ret);
}

static const char *const *spellings(struct arena *mem, enum fact_kind kind, unsigned *n)
{
	const char **v = arena_array(mem, const char *, (size_t)LAYOUT_COUNT *LAYOUT_ALTS);

	*n = 0;
	for (int id = 0; id < LAYOUT_COUNT; id++)
		for (int a = 0; a < LAYOUT_ALTS && fact_specs[id].alt[a]; a++)
			if (fact_specs[id].kind == kind)
				v[(*n)++] = fact_specs[id].alt[a];
	return v;
}

void layout_names(struct arena *mem, struct layout_names *ret)
{
	ret->members = spellings(mem, FACT_MEMBER, &ret->nmembers);
	ret->sizes = spellings(mem, FACT_SIZE, &ret->nsizes);
	ret->enums = spellings(mem, FACT_ENUM, &ret->nenums);
	ret->symbols = spellings(mem, FACT_SYMBOL, &ret->nsymbols);
	ret->facts = FACTS_VERSION;
}

const char **layout_type_names(struct arena *mem, unsigned *n)
{
	const char **v = arena_array(mem, const char *, (size_t)LAYOUT_COUNT *LAYOUT_ALTS);
	struct hash seen = { .mem = mem };

	*n = 0;
	for (int id = 0; id < LAYOUT_COUNT; id++) {
		const struct fact_spec *s = &fact_specs[id];

		if (s->kind != FACT_MEMBER && s->kind != FACT_SIZE && s->kind != FACT_ENUM)
			continue;
		for (int i = 0; i < LAYOUT_ALTS && s->alt[i]; i++) {
			size_t len = outer_len(s->alt[i]);
			uint64_t key = hash_bytes(s->alt[i], len);

			if (hash_get(&seen, key) != HASH_NONE)
				continue;
			hash_put(&seen, key, 1);
			v[(*n)++] = arena_strndup(mem, s->alt[i], len);
		}
	}
	return v;
}
