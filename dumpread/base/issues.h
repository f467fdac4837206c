/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * issues.h - damage is a result, not an error.
 *
 * Whatever could not be read or believed is counted here by (kind, object):
 * ("nodata", "vma", 12) is twelve vmas that the dump does not hold. The first
 * few of each keep a sentence; counts are exact. Thread-safe. First is what one
 * thread would meet first (jobs_place()), so that the number of threads changes
 * neither the sentences nor the order.
 * "nodata", "fault", "corrupt", "limit" ... are status_name() of the reason.
 */
#ifndef VMCENSUS_ISSUES_H
#define VMCENSUS_ISSUES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "dumpread/base/status.h"

#define ISSUE_TEXTS 3		/* sentences kept for each (kind, object) */
#define ISSUES_MAX 96		/* (kind, object) pairs are few: both are ours */

struct issue {
	enum status kind;
	const char *object;	/* static string: "task", "vma", "page table" ... */
	uint64_t count;
	char text[ISSUE_TEXTS][160];
	uint64_t place[ISSUE_TEXTS];	/* of each text; they and the issues are in this order */
	uint64_t first;			/* the smallest place */
	unsigned ntexts;
};

struct issues {
	pthread_mutex_t lock;
	struct issue v[ISSUES_MAX];
	unsigned n;
	struct issues_aside *aside;	/* threads that count for themselves */
	struct issues_part *outer;	/* what was counted before the part that is running */
};

void issues_init(struct issues *is);
void issues_release(struct issues *is);

/*
 * Count COUNT more of (KIND, OBJECT). OBJECT must be a string literal.
 * FMT says which and where, once; it is kept for the first ISSUE_TEXTS.
 */
void issue_add(struct issues *is, enum status kind, const char *object,
	       uint64_t count, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Add all of FROM to TO, with its sentences; nobody else may count in FROM. */
void issues_copy(struct issues *to, const struct issues *from);
void issues_copy_one(struct issues *to, const struct issue *from);
/* Takes LESS, that was added to FROM, away again. Nobody else may count in either. */
void issues_take_away(struct issues *from, const struct issues *less);
/* No issue any more. */
void issues_clear(struct issues *is);

/* Sum of all counts except those of ST_TORN, which was read again. */
uint64_t issues_total(struct issues *is);

/* Why the first issue of OBJECT is one; ST_OK: there is none. */
enum status issues_reason(struct issues *is, const char *object);

/*
 * From issues_begin_aside() to issues_end_aside() this thread counts in OWN, which is
 * the caller's and zeroed; at the end OWN is added to the rest. A thread has one at a
 * time.
 */
struct issues_aside {
	pthread_t thread;
	struct issues_aside *next;
	struct issue v[ISSUES_MAX];
	unsigned n;
};

void issues_begin_aside(struct issues *is, struct issues_aside *own);
void issues_end_aside(struct issues *is, struct issues_aside *own);

/*
 * The counts so far. A walk of a live machine that failed takes back what it counted
 * and is done again. No other thread may count meanwhile, unless this one counts
 * aside: then the three functions below handle only its own counts.
 */
struct issues_mark {
	uint64_t count[ISSUES_MAX];
	uint8_t ntexts[ISSUES_MAX];
	unsigned n;
};

void issues_mark(struct issues *is, struct issues_mark *m);
/* Has anything been added since? */
bool issues_since(struct issues *is, const struct issues_mark *m);
void issues_undo(struct issues *is, const struct issues_mark *m);

/*
 * From issues_begin_part() to issues_end_part() it is counted apart what a part of the work meets, in
 * any thread. At the end that is added to what was counted before, and to OWN, if it is not NULL. PART
 * is the caller's. A part may have parts. issues_total() and issues_reason() know of all.
 */
struct issues_part {
	struct issue v[ISSUES_MAX];	/* what was counted before it */
	unsigned n;
	struct issues_part *outer;
};

void issues_begin_part(struct issues *is, struct issues_part *part);
void issues_end_part(struct issues *is, struct issues_part *part, struct issues *own);

/* TEXT that may begin with the path of a file ("/tmp/x/vmcore: half of it"), from the file's name on. The folder may
   be one that a member of an archive is unpacked to. */
const char *issue_without_folder(const char *text);

#endif
