/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fleet.h - many crashes, as the reports of a fleet see them: plain structs, out of a fleet
 * (vmcensus merge) or of capsules. All is in the fleet's arena.
 */
#ifndef VMCENSUS_FLEET_H
#define VMCENSUS_FLEET_H

#include "dumpread/base/hash.h"
#include "model/cause/verdict/cause.h"
#include "model/memory/frames/classes.h"
#include "reports/core/report.h"

#define FRAMES_KEPT 8u		/* of a panic: the innermost that name it */

/* A thing that costs memory: a program, library, object, cache or class. */
struct thing_name {
	const char *kind, *name;	/* strings that are equal are one pointer */
};

/* What it costs in a dump. */
struct cost {
	uint32_t thing;			/* index in fleet.things */
	enum page_class class;		/* of kind "class"; PAGE_CLASSES: none, or one that is not known */
	uint64_t bytes;
};

/* A cause, and what it is called today; VERDICT_CAUSES: one that is not known here, as it was called then. */
struct told {
	enum verdict_cause id;		/* VC_NONE: none is told */
	const char *words;		/* NULL: the same */
};

/* One crash. Strings may be NULL, numbers COL_UNKNOWN or COL_UNKNOWN_INT. */
struct crashed {
	const char *id, *release, *version, *arch, *nodename, *dump, *panic;
	int64_t crash_time;		/* seconds since 1970 */
	uint64_t uptime, ram, unused;	/* ns; bytes, unused: of the census, free */
	const char *damage;		/* what is wrong with the dump; NULL: nothing is known of it */
	bool unread;			/* why it was made is not known: its log could not be read */
	struct told event, limit;	/* of the verdict */
	struct told cause;		/* of its first holder */
	const char *owner;		/* who that is, in words */
	const char *subject, *path;	/* and the names alone */
	uint64_t held;			/* bytes of it */
	const char *reason, *hash;	/* of the panic: panic_plain() or hang_reason(), ABRT's hash */
	bool hang;			/* the reason is a hang_reason() */
	const char *function;		/* where it happened */
	const char *frame[FRAMES_KEPT];	/* plain names, innermost first */
	unsigned nframes;
	bool sure;			/* the kernel was, of a frame so far */
	bool begun, registers;		/* frames were seen; the first was the instruction */
	bool interrupt, left;		/* the frames came to one's stack; and to what is below it */
	VEC(struct cost) costs;		/* classes first; with fleet.costs others too */
	size_t nclasses;
};

/* A dump without a capsule. */
struct failed {
	const char *file, *outcome, *why;
};

struct fleet {
	VEC(struct crashed) v;		/* by crash time, then id */
	VEC(struct failed) failed;
	bool costs;			/* are all costs wanted, or classes only? Set before fleet_add() */
	VEC(struct thing_name) things;
	struct hash thing_at;		/* hash of kind and name (pointers) -> index in things */
	unsigned long undigested;	/* capsules without digests of their tables */
	struct hash names;		/* hash of a name -> its number in kept */
	VEC(const char *) kept;
	struct arena *mem;
};

/* Does a file that begins with HEAD (N bytes) hold a fleet? */
bool fleet_is(const uint8_t *head, size_t n);

/* Adds the crashes in BYTES (SIZE of them, from malloc(); it owns them), a fleet or a capsule
   of PATH. ST_CORRUPT or ST_UNSUPPORTED with DIAG; nothing of it is added then. F->mem is set. */
enum status fleet_add(struct fleet *f, uint8_t *bytes, size_t size, const char *path,
		      struct diag *diag);
/* The same of the fleet that the descriptor FD is (SIZE bytes), which is the caller's. It is not in memory as a whole. */
enum status fleet_add_fd(struct fleet *f, int fd, uint64_t size, const char *path,
			 struct diag *diag);
/* To be called once all are added: order, and one of each crash. */
void fleet_done(struct fleet *f);

/* ---- what a crash is ------------------------------------------------------------ */

/* A panic for another reason; a task or CPU hung, and the kernel panicked or somebody asked for the dump;
   memory ran out; somebody asked for the dump, and nothing tells why; its log could not be read. */
enum crash_kind { CRASH_PANIC, CRASH_HANG, CRASH_MEMORY, CRASH_ASKED, CRASH_UNKNOWN };
/* Are crashes of kind K compared by message, function and frames? */
bool crash_has_calls(enum crash_kind k);
enum crash_kind crash_kind_of(const struct crashed *c);
const char *crash_kind_text(enum crash_kind k);

/* A name without numbers: "SysV segment, shmid #". In MEM. */
const char *name_plain(const char *name, struct arena *mem);
/* The date of seconds since 1970, UTC; NULL: unknown. In MEM. */
const char *date_text(int64_t when, struct arena *mem);
/* The order of releases: older first, unknown last. */
int release_order(const char *a, const char *b);
/* Puts RELEASE in V (N of at most MAX, in that order) if it is known and not there; their number. */
uint32_t release_insert(const char **v, uint32_t n, uint32_t max, const char *release);

/* ---- clusters --------------------------------------------------------------------- */

/* Crashes are of one cause if their distance is at most this. With the crashes 0 to 4 of each cause of
   tests/fleet, none is wrong from 0.40 to 0.60, and from 0.10 to 0.32. */
#define NEAR_PANIC 0.50
#define NEAR_MEMORY 0.26

struct cluster {
	enum crash_kind kind;
	uint32_t *member;		/* indices in fleet.v, by time */
	uint32_t n;
	uint32_t exemplar;		/* index in fleet.v */
	double spread;			/* largest distance from the exemplar */
};

/* From 0, the same, to 1. Crashes of different kinds have 1. */
double crash_distance(const struct crashed *a, const struct crashed *b);
/* The clusters of F, the largest first; their number. In MEM. */
size_t clusters_of(const struct fleet *f, struct arena *mem, struct cluster **ret);

#endif
