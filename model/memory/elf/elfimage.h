/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elfimage.h - the ELF file of a vma, from any place: a file of the analysing machine, the
 * page cache in the dump, or memory.
 *
 * Pages that a dump does not hold are missing, never zero: every read says whether all of
 * it was there. Both word sizes and byte orders. No value in the file is trusted: counts,
 * offsets and strings are bounded here.
 */
#ifndef VMCENSUS_ELFIMAGE_H
#define VMCENSUS_ELFIMAGE_H

#include "model/model.h"

struct elf_segment {		/* PT_LOAD */
	uint64_t offset, vaddr, filesz, memsz;
	uint32_t flags;		/* PF_* */
};

struct elf_section {
	const char *name;
	uint64_t addr, offset, size, flags, entsize;
	uint32_t type, link;
};

struct elf_image;

/*
 * ST_OK; ST_ABSENT: it is no ELF file, or the file does not exist; ST_NODATA: its first
 * page is not there. *ret is NULL on failure. Sections may be missing although segments
 * are known.
 */
enum status elf_open_fd(int fd, struct elf_image **ret);	/* takes FD */
enum status elf_open_memory(const void *p, size_t size, struct elf_image **ret); /* borrowed */
/* R is used until elf_close(). */
enum status elf_open_cache(const struct snapshot *s, struct reader *r, const struct file *f,
			   struct elf_image **ret);
void elf_close(struct elf_image *e);

/* LEN bytes at file offset OFF: false if not all of them are there. */
bool elf_read(struct elf_image *e, uint64_t off, void *buf, size_t len);
uint64_t elf_size(const struct elf_image *e);	/* of the file, bytes */

struct elf_head {
	uint8_t word;		/* bytes: 4 or 8 */
	bool big_endian;
	uint16_t type, machine;	/* ET_*, EM_* */
	struct elf_segment *segments;
	struct elf_section *sections;	/* without the first, empty one */
	unsigned nsegments, nsections;
	uint8_t build_id[32];
	unsigned build_id_len;	/* 0: has none, or it could not be read */
};

const struct elf_head *elf_head(const struct elf_image *e);
const struct elf_section *elf_section(const struct elf_image *e, const char *name);
/* The bytes of a section, malloc'ed; NULL if not all of it is there or it is too large. */
void *elf_section_data(struct elf_image *e, const struct elf_section *s);

#endif
