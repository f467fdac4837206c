/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * edits.h - the text of a machine (machine.h) as lines, and small changes to them by numbers: a fuzzer
 * makes other machines, and damage to them, out of one text.
 *
 * An edit is 8 bytes: u8 what (enum edit)  u8 line  u8 word  u8 other  u32 value, little-endian. Each
 * number counts modulo what there is, so that any bytes are edits.
 */
#ifndef VMCENSUS_TESTS_EDITS_H
#define VMCENSUS_TESTS_EDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EDIT_BYTES 8u
#define EDITS_MAX 24u

enum edit {
	EDIT_DELETE,		/* the line */
	EDIT_COPY,		/* the other line, before this one */
	EDIT_SWAP,		/* the two */
	EDIT_NUMBER,		/* the word becomes VALUE, or one that is a limit of something */
	EDIT_ADD,		/* VALUE, in pages if it is an address */
	EDIT_WORD,		/* the word becomes one of the other line */
	EDIT_BITS,		/* the last word becomes bits of an entry */
	EDIT_PAGE,		/* a page in an area: a frame of its own, or another line's */
	EDIT_POKE,		/* damage: a member of an object becomes a number */
	EDIT_POINT,		/* ... an address in another object */
	EDIT_LOSE,		/* an object is not in the dump */
	EDIT_LINKS,		/* lists and tables that lead elsewhere */
	EDIT_COUNT
};

struct script {
	char **line;
	unsigned nlines;
	char *text;		/* all lines, each ended, for machine_read() */
	size_t n;
};

/* The text in PATH, for a kernel of RELEASE, with huge pages of 1 << HUGE bytes (0: none). */
bool script_read(struct script *s, const char *path, const char *release, int huge);
/* A copy of FROM, changed by as many edits as DATA has. */
void script_edit(struct script *to, const struct script *from, const uint8_t *data, size_t size);
void script_free(struct script *s);

#endif
