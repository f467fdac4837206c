/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.h - the sentences of a verdict, one for each rule; private to reports/oom/. */
#ifndef VMCENSUS_VERDICT_WORDS_H
#define VMCENSUS_VERDICT_WORDS_H

#include "reports/oom/verdict_text.h"

/* A row that is being told. */
struct telling {
	const struct oom_evidence *e;
	const struct verdict_row *r;
	struct arena *mem;
};

/* The sentence of a row of that rule, in MEM or constant. */
#define RULE(kind, use, rule, cause, report) const char *say_##rule(const struct telling *t);
#include "model/cause/verdict/rules.def"

/* "12 MiB" */
const char *size_text(const struct telling *t, uint64_t bytes);
/* "84 % of RAM", of the limit, of those nodes */
const char *share_text(const struct telling *t, uint64_t bytes);
/* "python3 (123)" */
const char *proc_text(const struct telling *t, const char *comm, int64_t pid);
/* A process, as proc_text(); "a process" if its name is not known. */
const char *subject_text(const struct subject *s, struct arena *mem);
/* What is known of O beside its name; NULL: nothing. */
const char *detail_text(const struct ev_owner *o, struct arena *mem);
const char *reason_text(enum verdict_reason why);

#endif
