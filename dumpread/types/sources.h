/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sources.h - the type sources, one add function for each.
 *
 *     btf       the kernel's own, in the dump; a raw .btf file; .BTF of a vmlinux
 *     dwarf     .debug_info of a vmlinux, only the wanted types
 *     vmcoreinfo  only the kernel log, if no other source
 *     layout    the text that "vmcensus layout" writes (layoutfile.h)
 *
 * A source that was added belongs to the chain and is closed with it. On
 * failure nothing was added and d->diag holds the reason.
 */
#ifndef VMCENSUS_TYPE_SOURCES_H
#define VMCENSUS_TYPE_SOURCES_H

#include <libelf.h>

#include "dumpread/dump.h"

/* Between __start_BTF and __stop_BTF, else by its signature in the image. */
enum status types_add_btf_dump(struct dump *d);
/* DATA is LEN bytes from malloc(); freed here in any case. */
enum status types_add_btf(struct dump *d, uint8_t *data, size_t len, const char *name);
/* The LEN bytes of split BTF of module NAME at KVA, after all sources that there are. */
enum status types_add_btf_module(struct dump *d, struct reader *r, uint64_t kva, uint64_t len,
				 const char *name);

/*
 * An ELF file of elf_memory() over a private, writable mapping of the whole file
 * (libelf writes to section headers when it decompresses).
 */
struct mapped_elf {
	Elf *elf;
	void *map;
	size_t size;
	const char *path;
};

/* The types of the kernel log, as the dump's VMCOREINFO has them. */
enum status types_add_vmcoreinfo(struct dump *d);

/*
 * Take d->wanted (types and enumerators) from the DWARF of M, and little
 * else. Reading stops at the compile unit that completes them.
 */
enum status types_add_dwarf(struct dump *d, const struct mapped_elf *m);

#endif
