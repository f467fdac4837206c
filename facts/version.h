/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * version.h - the version of the tables of facts. It stands alone: a fact more is built into those who ask for its
 * subject, not into all who ask for any.
 */
#ifndef VMCENSUS_FACTS_VERSION_H
#define VMCENSUS_FACTS_VERSION_H

/*
 * Version of the tables, which layout files state. Raise it by one in a commit that
 * adds facts: a layout file of an earlier version does not know them, and the log
 * says so. Layout files in the tree need no change unless their kernel has the fact.
 */
#define FACTS_VERSION 46
#define FACTS_COUNT 1580	/* of that version: the two are raised together */
/*
 * Version in which the newest fact came that a rule asks for (rules.def). In a layout file of this version or
 * a later one what is missing is a sign; an older one does not tell.
 */
#define FACTS_OF_RULES 26

#endif
