/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout.h - every fact about kernel types that this program relies on.
 *
 * The facts are in facts/layout/<subject>.def, one line each:
 *
 *     M(M_TASK_STATE, NEED, "task_struct.__state", "task_struct.state")
 *       a member: newest form first, older forms after it, each with the
 *       version and commit that changed it in a comment
 *     S(S_PAGE, NEED, "page")                      size of a type
 *     E(E_MM_ANONPAGES, OPT, "MM_ANONPAGES")       value of an enumerator
 *     Y(Y_INIT_TASK, NEED, "init_task")            address of a symbol
 *
 * NEED: nothing works without it. OPT: its absence is an answer, too.
 * All are resolved once, at layout_resolve(); afterwards has() and the matched
 * alternative (alt) decide what a kernel is, never its version number.
 */
#ifndef VMCENSUS_LAYOUT_H
#define VMCENSUS_LAYOUT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "dumpread/dump.h"
#include "dumpread/types/layoutfile.h"

/* Where the ids of a subject begin, and end. */
enum {
#define SUBJECT(name, room) FACTS_##name, FACTS_##name##_last = FACTS_##name + (room) - 1,
#include "facts/subjects.def"
#undef SUBJECT
};

/*
 * Their numbers are in headers of the subjects, which facts/ids.sh makes: "facts/layout/task.h" has the ids of
 * task.def. Not each number is one of a fact: those that are have a name in fact_specs[].
 */
enum layout_id {
	LAYOUT_COUNT = FACTS_levels_last + 1,
};

#define LAYOUT_ALTS 5		/* spellings of one fact, at most */

enum fact_kind { FACT_MEMBER, FACT_SIZE, FACT_ENUM, FACT_SYMBOL };

/* One line of the tables. */
struct fact_spec {
	enum fact_kind kind;
	const char *id;			/* "M_TASK_PID" */
	bool needed;
	const char *alt[LAYOUT_ALTS];	/* newest first, NULL-padded */
};

extern const struct fact_spec fact_specs[LAYOUT_COUNT];

/* The kernel may have it, but its type could not be read. */
#define FACT_LOST (-2)

/* What was found for it. */
struct fact {
	int8_t alt;			/* index of the spelling that matched, -1 absent, FACT_LOST */
	const char *from;		/* "btf", "kallsyms", ... NULL if absent */
	union {
		struct member m;	/* FACT_MEMBER */
		uint32_t size;		/* FACT_SIZE, bytes */
		int64_t value;		/* FACT_ENUM */
		uint64_t addr;		/* FACT_SYMBOL, kernel-virtual */
	};
};

struct layout {
	struct fact v[LAYOUT_COUNT];
	/*
	 * S_...: bytes up to the end of the last member that the tables name, at
	 * most the size. Only these are read of an object: a task_struct ends in FPU
	 * state of which the kernel allocates only what the CPU has
	 * (arch_task_struct_size), so that its last bytes may belong to others.
	 */
	uint32_t extent[LAYOUT_COUNT];
	/* Facts that the kernel may have, on types that could not be read: of processes, and of all. */
	unsigned lost_of_processes, lost;
};

/*
 * Resolve all facts against the dump's symbols and types. Fails with
 * ST_ABSENT, and d->diag naming the first missing NEED fact.
 */
enum status layout_resolve(struct dump *d, struct layout *ret);

/* Is there a kept layout of this table? What it does not have, the kernel does not have. */
bool layout_kept_knows_all(const struct dump *d);

/* Modules whose own types (layout/module.def) are asked for, up to a NULL. */
extern const char *const fact_modules[];
/* Resolve the facts about types that are not known yet, after these modules' types were added. */
void layout_resolve_modules(const struct dump *d, struct layout *l);

/*
 * One fact, before the layout is resolved (arch/ finds the page tables first), from
 * the sources that there are so far. False: none has it.
 */
bool fact_symbol(const struct dump *d, enum layout_id id, uint64_t *addr);
bool fact_member(const struct dump *d, enum layout_id id, struct member *ret);
bool fact_size(const struct dump *d, enum layout_id id, uint32_t *bytes);
/* The variable ID of SIZE bytes (0: a word). */
bool fact_variable(const struct dump *d, struct reader *r, enum layout_id id, unsigned size,
		   uint64_t *ret);

/* All spellings of all facts, for layout_write(); the arrays lie in MEM. */
void layout_names(struct arena *mem, struct layout_names *ret);

/* Names of all types and enumerators that the tables mention, without repeats (for DWARF). */
const char **layout_type_names(struct arena *mem, unsigned *n);

static inline bool layout_has(const struct layout *l, enum layout_id id)
{
	return l->v[id].alt >= 0;
}

/* Is it not known whether the kernel has it, because its type could not be read? */
static inline bool layout_lost(const struct layout *l, enum layout_id id)
{
	return l->v[id].alt == FACT_LOST;
}

/* Bytes of S_...; 0 if absent. */
static inline uint32_t layout_size(const struct layout *l, enum layout_id id)
{
	return layout_has(l, id) ? l->v[id].size : 0;
}

/* Bytes to read of an object of type S_...; 0 if the type is absent. */
static inline uint32_t layout_extent(const struct layout *l, enum layout_id id)
{
	return layout_has(l, id) ? l->extent[id] : 0;
}

/* Byte offset of M_... in its outer type; 0 if absent. */
static inline uint32_t layout_offset(const struct layout *l, enum layout_id id)
{
	return layout_has(l, id) ? l->v[id].m.offset : 0;
}

/* Value of E_..., or DEFLT. */
static inline int64_t layout_enum(const struct layout *l, enum layout_id id, int64_t deflt)
{
	return layout_has(l, id) ? l->v[id].value : deflt;
}

/* Address of Y_..., 0 if absent. */
static inline uint64_t layout_symbol(const struct layout *l, enum layout_id id)
{
	return layout_has(l, id) ? l->v[id].addr : 0;
}

#endif
