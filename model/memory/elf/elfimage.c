/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elfimage.c - a bounded parser of ELF headers and sections.
 */
#include "model/memory/elf/elfimage.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "facts/layout/swap.h"
#include "model/kernel/kobj.h"
#include "model/memory/frames/file_bytes.h"

#define HEADERS_MAX 1024		/* program headers that are looked at */
#define SEGMENTS_MAX 64			/* of them, segments to load: compilers make about five */
#define SECTIONS_MAX 65535
#define NOTES_MAX 65536			/* bytes of one note segment that are looked at */
#define SECTION_MAX (256u << 20)	/* bytes of a section that is read whole */

struct elf_image {
	int fd;				/* -1: no file */
	const uint8_t *mem;		/* NULL: not in memory */
	const struct snapshot *s;	/* the page cache */
	struct reader *r;
	const struct file *file;
	uint64_t size;
	struct elf_head head;
	struct arena arena;
};

/* ---- bytes ---------------------------------------------------------------------- */

static bool read_fd(const struct elf_image *e, uint64_t off, uint8_t *buf, size_t len)
{
	while (len) {
		ssize_t n = pread(e->fd, buf, len, (off_t)off);

		if (n <= 0)
			return false;
		buf += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

bool elf_read(struct elf_image *e, uint64_t off, void *buf, size_t len)
{
	if (off > e->size || len > e->size - off)
		return false;
	if (e->mem) {
		memcpy(buf, e->mem + off, len);
		return true;
	}
	return e->fd >= 0 ? read_fd(e, off, buf, len)
			  : file_read_cached(e->s, e->r, e->file, off, buf, len);
}

uint64_t elf_size(const struct elf_image *e)
{
	return e->size;
}

/* ---- headers -------------------------------------------------------------------- */

/* A field of a structure whose layout differs between 32 and 64 bits. */
#define FIELD(e, p, type, f)                                                            \
	((e)->head.word == 8                                                            \
	 ? load_uint((p) + offsetof(Elf64_##type, f), sizeof(((Elf64_##type *)0)->f),   \
		     (e)->head.big_endian)                                              \
	 : load_uint((p) + offsetof(Elf32_##type, f), sizeof(((Elf32_##type *)0)->f),   \
		     (e)->head.big_endian))
#define SIZE_OF(e, type) ((e)->head.word == 8 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

static void find_build_id(struct elf_image *e, const uint8_t *p, size_t len, uint64_t align)
{
	struct elf_head *h = &e->head;
	uint64_t mask = align == 8 ? 7 : 3;

	while (len >= 12 && !h->build_id_len) {
		uint64_t name = load_uint(p, 4, h->big_endian);
		uint64_t desc = load_uint(p + 4, 4, h->big_endian);
		uint64_t type = load_uint(p + 8, 4, h->big_endian);
		uint64_t at = (12 + name + mask) & ~mask, end = (at + desc + mask) & ~mask;

		if (at > len || desc > len - at)
			return;
		if (type == NT_GNU_BUILD_ID && name == 4 && !memcmp(p + 12, "GNU", 4) && desc &&
		    desc <= sizeof(h->build_id)) {
			memcpy(h->build_id, p + at, desc);
			h->build_id_len = (unsigned)desc;
		}
		if (end >= len)
			return;
		p += end;
		len -= end;
	}
}

static void read_notes(struct elf_image *e, const uint8_t *phdr)
{
	uint64_t off = FIELD(e, phdr, Phdr, p_offset), len = FIELD(e, phdr, Phdr, p_filesz);
	uint8_t *notes;

	if (!len || len > NOTES_MAX)
		return;
	notes = heap_calloc(len, 1);
	if (elf_read(e, off, notes, len))
		find_build_id(e, notes, len, FIELD(e, phdr, Phdr, p_align));
	free(notes);
}

static void read_segments(struct elf_image *e, const uint8_t *ehdr)
{
	struct elf_head *h = &e->head;
	uint64_t at = FIELD(e, ehdr, Ehdr, e_phoff), n = FIELD(e, ehdr, Ehdr, e_phnum);
	uint8_t phdr[sizeof(Elf64_Phdr)];

	if (FIELD(e, ehdr, Ehdr, e_phentsize) != SIZE_OF(e, Phdr) || n > HEADERS_MAX)
		return;
	h->segments = arena_array(&e->arena, struct elf_segment, SEGMENTS_MAX);
	for (uint64_t i = 0; i < n; i++) {
		if (!elf_read(e, at + i * SIZE_OF(e, Phdr), phdr, SIZE_OF(e, Phdr)))
			return;
		if (FIELD(e, phdr, Phdr, p_type) == PT_NOTE)
			read_notes(e, phdr);
		if (FIELD(e, phdr, Phdr, p_type) != PT_LOAD || h->nsegments == SEGMENTS_MAX)
			continue;
		h->segments[h->nsegments++] = (struct elf_segment){
			.offset = FIELD(e, phdr, Phdr, p_offset),
			.vaddr = FIELD(e, phdr, Phdr, p_vaddr),
			.filesz = FIELD(e, phdr, Phdr, p_filesz),
			.memsz = FIELD(e, phdr, Phdr, p_memsz),
			.flags = (uint32_t)FIELD(e, phdr, Phdr, p_flags),
		};
	}
}

static void take_section(struct elf_image *e, const uint8_t *shdr, const char *names,
			 uint64_t names_len)
{
	struct elf_head *h = &e->head;
	uint64_t name = FIELD(e, shdr, Shdr, sh_name);

	h->sections[h->nsections++] = (struct elf_section){
		.name = name < names_len ? arena_strndup(&e->arena, names + name,
							 strnlen(names + name,
								 min_u64(names_len - name, 256)))
					 : "",
		.addr = FIELD(e, shdr, Shdr, sh_addr),
		.offset = FIELD(e, shdr, Shdr, sh_offset),
		.size = FIELD(e, shdr, Shdr, sh_size),
		.flags = FIELD(e, shdr, Shdr, sh_flags),
		.entsize = FIELD(e, shdr, Shdr, sh_entsize),
		.type = (uint32_t)FIELD(e, shdr, Shdr, sh_type),
		.link = (uint32_t)FIELD(e, shdr, Shdr, sh_link),
	};
}

static void read_sections(struct elf_image *e, const uint8_t *ehdr)
{
	struct elf_head *h = &e->head;
	uint64_t at = FIELD(e, ehdr, Ehdr, e_shoff), n = FIELD(e, ehdr, Ehdr, e_shnum);
	uint64_t names_at = FIELD(e, ehdr, Ehdr, e_shstrndx), size = SIZE_OF(e, Shdr), len = 0;
	uint8_t *table, *names = NULL;

	if (FIELD(e, ehdr, Ehdr, e_shentsize) != size || n < 2 || n > SECTIONS_MAX)
		return;
	table = heap_calloc(n, size);
	if (elf_read(e, at, table, n * size) && names_at < n) {
		const uint8_t *s = table + names_at * size;

		len = FIELD(e, s, Shdr, sh_size);
		if (len && len <= SECTION_MAX) {
			names = heap_calloc(len, 1);
			if (!elf_read(e, FIELD(e, s, Shdr, sh_offset), names, len))
				len = 0;
		}
		h->sections = arena_array(&e->arena, struct elf_section, n);
		for (uint64_t i = 1; i < n; i++)
			take_section(e, table + i * size, (char *)names, names ? len : 0);
	}
	free(names);
	free(table);
}

static enum status read_head(struct elf_image *e)
{
	uint8_t ehdr[sizeof(Elf64_Ehdr)];
	struct elf_head *h = &e->head;

	if (e->size < EI_NIDENT)
		return ST_ABSENT;
	if (!elf_read(e, 0, ehdr, EI_NIDENT))
		return ST_NODATA;
	if (memcmp(ehdr, ELFMAG, SELFMAG) ||
	    (ehdr[EI_CLASS] != ELFCLASS32 && ehdr[EI_CLASS] != ELFCLASS64) ||
	    (ehdr[EI_DATA] != ELFDATA2LSB && ehdr[EI_DATA] != ELFDATA2MSB))
		return ST_ABSENT;
	h->word = ehdr[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	h->big_endian = ehdr[EI_DATA] == ELFDATA2MSB;
	if (!elf_read(e, 0, ehdr, SIZE_OF(e, Ehdr)))
		return ST_ABSENT;
	h->type = (uint16_t)FIELD(e, ehdr, Ehdr, e_type);
	h->machine = (uint16_t)FIELD(e, ehdr, Ehdr, e_machine);
	read_segments(e, ehdr);
	read_sections(e, ehdr);
	return ST_OK;
}

/* ---- life ----------------------------------------------------------------------- */

static enum status opened(struct elf_image *e, struct elf_image **ret)
{
	enum status st = read_head(e);

	*ret = e;
	if (!st)
		return ST_OK;
	elf_close(e);
	*ret = NULL;
	return st;
}

enum status elf_open_fd(int fd, struct elf_image **ret)
{
	struct elf_image *e = heap_array(struct elf_image, 1);
	struct stat st;

	e->fd = fd;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		e->size = (uint64_t)st.st_size;
	return opened(e, ret);
}

enum status elf_open_memory(const void *p, size_t size, struct elf_image **ret)
{
	struct elf_image *e = heap_array(struct elf_image, 1);

	e->fd = -1;
	e->mem = p;
	e->size = size;
	return opened(e, ret);
}

enum status elf_open_cache(const struct snapshot *s, struct reader *r, const struct file *f,
			   struct elf_image **ret)
{
	struct elf_image *e;

	*ret = NULL;
	if (f->kind == FILE_HUGETLB || f->kind == FILE_DEVICE)
		return ST_ABSENT;
	if (!r || !f->mapping || !has(s->k, M_MAPPING_I_PAGES))
		return ST_NODATA;
	e = heap_array(struct elf_image, 1);
	e->fd = -1;
	e->s = s;
	e->r = r;
	e->file = f;
	e->size = f->size;
	return opened(e, ret);
}

void elf_close(struct elf_image *e)
{
	if (!e)
		return;
	if (e->fd >= 0)
		close(e->fd);
	arena_release(&e->arena);
	free(e);
}

const struct elf_head *elf_head(const struct elf_image *e)
{
	return &e->head;
}

const struct elf_section *elf_section(const struct elf_image *e, const char *name)
{
	for (unsigned i = 0; i < e->head.nsections; i++)
		if (!strcmp(e->head.sections[i].name, name))
			return &e->head.sections[i];
	return NULL;
}

void *elf_section_data(struct elf_image *e, const struct elf_section *s)
{
	void *p;

	if (!s->size || s->size > SECTION_MAX || s->size > e->size || s->type == SHT_NOBITS ||
	    s->flags & SHF_COMPRESSED)
		return NULL;
	p = heap_calloc(s->size, 1);
	if (elf_read(e, s->offset, p, s->size))
		return p;
	free(p);
	return NULL;
}
