/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * status.h - the results of a read or a look-up.
 *
 * Three results about memory stay apart from the first byte to the last column
 * of a report: ST_NODATA (the dump does not hold it), ST_FAULT (nothing is
 * mapped there) and ST_CORRUPT (it is there and contradicts itself).
 */
#ifndef VMCENSUS_STATUS_H
#define VMCENSUS_STATUS_H

enum status {
	ST_OK = 0,
	ST_NODATA,	/* not in the dump: filtered out, or lost with the file's tail */
	ST_FAULT,	/* no mapping for that virtual address */
	ST_CORRUPT,	/* in the dump, and cannot be true */
	ST_ABSENT,	/* this kernel has no such symbol, type or member */
	ST_NOTMINE,	/* a probe's answer: another format */
	ST_IO,		/* the operating system refused: errno is in the message */
	ST_UNSUPPORTED,	/* understood, and not handled by this build */
	ST_LIMIT,	/* a bound on untrusted input was reached */
	ST_TORN,	/* a live machine changed it meanwhile; read again, or gone.
			   No damage: issues_total() leaves it out */
	ST_COUNT
};

/* One lower-case word for STATUS, as in the "kind" of an issue. */
const char *status_name(enum status st);
/* The status that WORD is the word of; ST_CORRUPT if there is none, or WORD is NULL. */
enum status status_of_name(const char *word);

#endif
