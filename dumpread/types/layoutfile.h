/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layoutfile.h - the facts about a kernel, as text: twenty kilobytes in place of
 * its vmlinux.
 *
 *	# vmcensus layout 1
 *	# anything after a '#' that starts a line is a remark
 *	release 6.1.0-56-amd64
 *	build-id eb4fbcd037e7253717950bf2b93bd5566f47c56f
 *	machine 62
 *	word 8
 *	order little
 *	facts 1
 *	size TYPE BYTES
 *	member PATH OFFSET SIZE COUNT STRIDE BIT_OFFSET BIT_SIZE FLAGS
 *	enum NAME VALUE
 *	symbol NAME LINK_ADDRESS
 *
 * One fact per line, fields separated by one space. Sizes and offsets are decimal,
 * addresses hexadecimal, without KASLR. machine is the number in the ELF
 * header (EM_*). FLAGS are letters of "aspg" (array, signed, pointer,
 * aggregate) or "-". PATH is one of types.h; as a source the file answers the
 * very paths that it has, and knows nothing else. Facts that the kernel does
 * not have are not in the file: "facts" is the version of the table of facts (FACTS_VERSION)
 * that was asked, so a fact of a later version is unknown to the file. Files
 * written before version 1 also have "absent" lines, which are read.
 */
#ifndef VMCENSUS_LAYOUTFILE_H
#define VMCENSUS_LAYOUTFILE_H

#include <stdio.h>

#include "dumpread/dump.h"

#define LAYOUT_MAGIC "# vmcensus layout 1\n"
#define LAYOUT_MAX_BYTES (4u << 20)

bool layout_sniff(const char *text, size_t len);

/* Take machine, word and order from the head of a layout file, if D lacks them; a NUL
   follows its LEN bytes. */
void layout_know_machine(struct dump *d, const char *head, size_t len);

/*
 * Add symbols and types of the layout file at PATH. Refuses one of another
 * machine, build-id or (where a build-id is unknown) release. On failure
 * nothing was added and d->diag holds the reason.
 */
enum status types_add_layout(struct dump *d, const char *path);

/* The same of a file that must say the dump's build-id. */
enum status types_add_kept_layout(struct dump *d, const char *path);

/* As types_add_layout(), from LEN bytes of text; NAME is for messages. */
enum status types_add_layout_text(struct dump *d, const char *text, size_t len,
				  const char *name);

/* The names to write the answers for: arrays of N strings each. */
struct layout_names {
	const char *const *members, *const *sizes, *const *enums, *const *symbols;
	unsigned nmembers, nsizes, nenums, nsymbols;
	unsigned facts;			/* version of the table that has these names */
};

/*
 * Write what D answers to all of NAMES, so that a dump that has only this file
 * gives the same answers. A name may occur more than once.
 */
enum status layout_write(struct dump *d, const struct layout_names *names, FILE *out);

#endif
