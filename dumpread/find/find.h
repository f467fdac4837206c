/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * find.h - functions shared by dump_add_file() and dump_find_kernel().
 */
#ifndef VMCENSUS_FIND_H
#define VMCENSUS_FIND_H

#include "dumpread/dump.h"

#define BUILD_ID_HEX (2 * 32 + 1)	/* bytes of a build-id as text */

/* Text of the build-id; BUF is returned. */
const char *build_id_hex(const uint8_t *id, unsigned len, char buf[BUILD_ID_HEX]);

/* The GNU build-id among LEN bytes of ELF notes; its length, 0 if none. */
unsigned build_id_in_notes(const uint8_t *notes, size_t len, bool big, uint8_t id[32]);

enum vmlinux_take {
	VMLINUX_SYMBOLS = 1 << 0,
	VMLINUX_TYPES = 1 << 1,
};

/*
 * Take symbols, types or both (enum vmlinux_take) from the ELF file at PATH: a
 * vmlinux, or its separate debug file. Types come from .BTF, else from DWARF
 * (of a separate debug file where it names one). Refuses another kernel's.
 * ST_OK if the file gave any of them.
 */
enum status vmlinux_add(struct dump *d, const char *path, unsigned take);

/*
 * Ask the debuginfod servers of $DEBUGINFOD_URLS for the kernel's debug file.
 * *path is malloc()ed. ST_ABSENT: no servers, no library, not there.
 */
enum status debuginfod_find(struct dump *d, char **path);
/* The same for the build-id ID of LEN bytes. DIAG: a sentence if the library is missing. */
enum status debuginfod_ask(const uint8_t *id, unsigned len, char **path, struct diag *diag);

#endif
