/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cause.h - what rows of a verdict name: a cause, and who or what it is about. */
#ifndef VMCENSUS_VERDICT_CAUSE_H
#define VMCENSUS_VERDICT_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

enum verdict_cause {
#define CAUSE(cause, id, words, family, ranks) cause,
#include "model/cause/verdict/causes.def"
#undef CAUSE
	VERDICT_CAUSES
};

/* What is known of a cause: causes.def. */
extern const struct cause_facts {
	const char *id, *words;
	enum verdict_cause family;
	bool ranks;
} cause_facts[VERDICT_CAUSES];

/* VERDICT_CAUSES: there is none. */
enum verdict_cause cause_of_id(const char *id);

enum subject_kind {
	SUBJECT_NONE,	 /* not known, or not one */
	SUBJECT_PROCESS, /* name, pid */
	SUBJECT_PROGRAM, /* processes of one name */
	SUBJECT_FILE,	 /* path; the pid of who locked it, if anybody did */
	SUBJECT_FOLDER,	 /* path: of many files */
	SUBJECT_CACHE,	 /* of slabs: name; the pid of who has most objects, if one has */
	SUBJECT_CALLER,	 /* name; path: its module */
	SUBJECT_STORE,	 /* of compressed pages: name */
	SUBJECT_KINDS
};

/* Who or what has memory. */
struct subject {
	enum subject_kind kind;
	const char *name, *path; /* NULL: none */
	int64_t pid;		 /* 0: none */
};

/* "process", "" of SUBJECT_NONE: it never changes. */
const char *subject_kind_id(enum subject_kind k);

#endif
