/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format.h - shared by the containers; no other code includes it.
 */
#ifndef VMCENSUS_IMAGE_FORMAT_H
#define VMCENSUS_IMAGE_FORMAT_H

#include "dumpread/image/image.h"

extern const struct image_ops qemu_image_ops;
extern const struct image_ops raw_image_ops;
extern const struct image_ops elf_image_ops;
extern const struct image_ops kdump_image_ops;
extern const struct image_ops mcore_image_ops;
extern const struct image_ops lime_image_ops;
extern const struct image_ops avml_image_ops;
extern const struct image_ops kdumpfile_image_ops;

/*
 * As image_open(), with one format only (NULL: all in turn). Tests compare the
 * answers of two formats about one file with it.
 */
enum status image_open_as(const char *const *paths, unsigned n,
			  const struct image_ops *only, const struct log *log,
			  struct diag *diag, struct image **ret);

/* Open PATH, find its size, and rearrange it if it is flattened. */
enum status part_open(struct image *im, struct image_part *p, const char *path);
void part_close(struct image_part *p);

/* The file that "live" stands for, or PATH itself. */
const char *live_path(const char *path);
/* Is FD, opened as PATH, the running kernel's memory? */
bool live_is(int fd, const char *path);
/* The sentence why it cannot be opened: ERR is errno. */
enum status live_refused(struct diag *g, int err);
/* The sentence that it is another file than the kernel's. */
enum status live_masked(struct diag *g);

/* Up to LEN bytes at OFF; *got is less than LEN only at the end of the file. */
enum status part_read_some(const struct image_part *p, uint64_t off, void *buf,
			   size_t len, size_t *got);

/* The first byte at OFF or after it that the file stores; those before it are zeros. */
uint64_t part_next(const struct image_part *p, uint64_t off);

/* Is [off, off + len) inside the file? If not, the missing part of WHAT is an issue. */
bool part_claims(struct image *im, const struct image_part *p, uint64_t off, uint64_t len,
		 const char *what);

/* Is [off, off + len) inside the file? */
static inline bool part_holds(const struct image_part *p, uint64_t off, uint64_t len)
{
	return off <= p->size && len <= p->size - off;
}

/* The properties of a CPU family, by its name in utsname.machine or an ELF header. */
struct machine {
	const char *uname;	/* a prefix of utsname.machine */
	uint16_t elf_machine;
	uint8_t word_size;	/* 4 or 8 */
	uint8_t page_shift;	/* used if the dump does not tell */
};

/* NULL if unknown. */
const struct machine *machine_by_uname(const char *uname);
/* WORD_SIZE decides if one EM_ stands for both sizes (MIPS, RISC-V, s390). */
const struct machine *machine_by_elf(uint16_t elf_machine, uint8_t word_size);

/* Highest physical address believed, exclusive; from the size of the files. */
uint64_t image_address_limit(const struct image *im);

/* Keep LEN bytes of notes at BUF (in im->mem), VMCOREINFO among them. */
void image_take_notes(struct image *im, uint8_t *buf, size_t len);
void image_take_vmcoreinfo(struct image *im, const uint8_t *text, size_t len);

/* Notes in IM->causes what LEN bytes of ERASEINFO say. */
void image_take_eraseinfo(struct image *im, const uint8_t *text, size_t len);

#define ERASEINFO_MAX ((uint64_t)1 << 20)	/* bytes of it believed */
#define NOTES_MAX ((uint64_t)64 << 20)		/* bytes of notes believed */
#define VMCOREINFO_MAX ((uint64_t)1 << 20)	/* the kernel's is a page or two */

#endif
