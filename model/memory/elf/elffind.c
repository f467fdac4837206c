/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elffind.c - finds the ELF file and debug file of a mapped file.
 */
#include "model/memory/elf/elffind.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "model/memory/elf/rootpath.h"

#define DEBUG_DIR "usr/lib/debug"
#define HEX_ID 65		/* text of the longest build-id */

static void hex_id(const struct elf_head *h, char *text)
{
	text[0] = '\0';
	for (unsigned i = 0; i < h->build_id_len; i++)
		snprintf(text + 2 * i, 3, "%02x", h->build_id[i]);
}

static bool same_id(const struct elf_head *a, const struct elf_head *b)
{
	return a->build_id_len == b->build_id_len &&
	       !memcmp(a->build_id, b->build_id, a->build_id_len);
}

/* ---- the file -------------------------------------------------------------------- */

/* The path without " (deleted)". */
static const char *plain_path(const struct file *f, struct arena *mem)
{
	static const char mark[] = " (deleted)";
	size_t n = strlen(f->path), m = sizeof(mark) - 1;

	if (f->deleted && n > m && !strcmp(f->path + n - m, mark))
		n -= m;
	return arena_strndup(mem, f->path, n);
}

/* Is the file below SYSROOT the one that was mapped? CACHE: the file in the dump, or NULL. */
static enum status check_same(const struct file *f, const struct elf_image *cache,
			      const struct elf_found *found, struct arena *mem, const char **note,
			      const char **why)
{
	const struct elf_head *h = elf_head(found->e);
	char want[HEX_ID], got[HEX_ID];

	if (cache && elf_head(cache)->build_id_len) {
		if (same_id(elf_head(cache), h))
			return ST_OK;
		hex_id(elf_head(cache), want);
		hex_id(h, got);
		*why = arena_printf(mem, "%s has build-id %s, but the mapped file has %s",
				    found->from, got[0] ? got : "none", want);
		return ST_NOTMINE;
	}
	if (elf_size(found->e) != f->size) {
		*why = arena_printf(mem,
				    "%s has %" PRIu64 " bytes, but the mapped file has %" PRIu64,
				    found->from, elf_size(found->e), f->size);
		return ST_NOTMINE;
	}
	*note = arena_printf(mem,
			     "%s: accepted by path and length only: the dump does not have "
			     "the build-id of the mapped file",
			     found->from);
	return ST_OK;
}

static enum status find_below(const struct file *f, const char *sysroot,
			      const struct elf_image *cache, struct arena *mem,
			      struct elf_found *ret, const char **why)
{
	const char *path = plain_path(f, mem);
	int fd = rootpath_open(sysroot, path);
	enum status st;

	if (fd < 0 && errno == EPERM) { /* it is there; a sandbox gets ELF files only */
		*why = arena_printf(mem, "%s below %s is not an ELF file", path, sysroot);
		return ST_ABSENT;
	}
	if (fd < 0) {
		*why = arena_printf(mem, "there is no file %s below %s", path, sysroot);
		return ST_NODATA;
	}
	ret->from = arena_printf(mem, "%s%s%s", sysroot, *path == '/' ? "" : "/", path);
	st = elf_open_fd(fd, &ret->e);
	if (st) {
		*why = arena_printf(mem, "%s is not an ELF file", ret->from);
		return ST_ABSENT;
	}
	st = check_same(f, cache, ret, mem, &ret->note, why);
	if (st) {
		elf_close(ret->e);
		ret->e = NULL;
	}
	return st;
}

enum status elf_find(const struct snapshot *s, struct reader *r, const struct file *f,
		     const char *sysroot, struct arena *mem, struct elf_found *ret,
		     const char **why)
{
	struct elf_image *cache;
	enum status st = elf_open_cache(s, r, f, &cache);

	*ret = (struct elf_found){ 0 };
	if (st == ST_ABSENT) {
		*why = arena_printf(mem, "%s is not an ELF file", f->path);
		return st;
	}
	if (sysroot) {
		st = find_below(f, sysroot, cache, mem, ret, why);
		elf_close(cache);
		return st;
	}
	if (st) {
		*why = arena_printf(mem,
				    "the dump does not hold the bytes of %s; name a directory "
				    "with the machine's files: --sysroot DIR",
				    f->path);
		return st;
	}
	ret->e = cache;
	ret->from = "page cache";
	return ST_OK;
}

/* ---- its debug file ----------------------------------------------------------------- */

static struct elf_image *open_debug(const char *root, const char *path, const struct elf_head *want,
				    struct arena *mem, const char **from)
{
	int fd = rootpath_open(root, path);
	struct elf_image *e;

	if (fd < 0 || elf_open_fd(fd, &e))
		return NULL;
	if (!want || same_id(elf_head(e), want)) {
		*from = arena_printf(mem, "%s/%s", strcmp(root, "/") ? root : "", path);
		return e;
	}
	elf_close(e);
	return NULL;
}

static struct elf_image *by_build_id(const struct elf_head *h, const char *sysroot,
				     struct arena *mem, const char **from)
{
	struct elf_image *e = NULL;
	char id[HEX_ID];
	const char *path;

	if (h->build_id_len < 2)
		return NULL;
	hex_id(h, id);
	path = arena_printf(mem, DEBUG_DIR "/.build-id/%.2s/%s.debug", id, id + 2);
	if (sysroot)
		e = open_debug(sysroot, path, h, mem, from);
	return e ? e : open_debug("/", path, h, mem, from);
}

/* CRC-32 of a whole file, as .gnu_debuglink has it. */
static uint32_t file_crc(struct elf_image *e)
{
	uint8_t buf[16384];
	uLong crc = crc32(0, NULL, 0);

	for (uint64_t off = 0; off < elf_size(e); off += sizeof(buf)) {
		size_t n = min_u64(sizeof(buf), elf_size(e) - off);

		if (!elf_read(e, off, buf, n))
			return 0;
		crc = crc32(crc, buf, (uInt)n);
	}
	return (uint32_t)crc;
}

/* A file name, padded to four bytes, and a checksum (GDB manual, separate debug files). */
static bool read_link(struct elf_image *e, char *name, size_t size, uint32_t *crc)
{
	const struct elf_section *s = elf_section(e, ".gnu_debuglink");
	uint8_t *p = s ? elf_section_data(e, s) : NULL;
	size_t len = p ? strnlen((char *)p, s->size) : 0, at = (len + 4) & ~(size_t)3;
	bool ok = p && len && len < size && at + 4 <= s->size && !memchr(p, '/', len);

	if (ok) {
		memcpy(name, p, len);
		name[len] = '\0';
		*crc = load32(p + at, elf_head(e)->big_endian);
	}
	free(p);
	return ok;
}

static struct elf_image *by_link(struct elf_image *e, const char *path, const char *sysroot,
				 struct arena *mem, const char **from)
{
	static const char *const forms[] = { "%.*s/%s", "%.*s/.debug/%s", DEBUG_DIR "%.*s/%s" };
	const char *slash = strrchr(path, '/');
	char name[256];
	uint32_t crc;

	if (!slash || !read_link(e, name, sizeof(name), &crc))
		return NULL;
	for (unsigned i = 0; i < ARRAY_LEN(forms); i++) {
		struct elf_image *d;
		char *at;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		at = arena_printf(mem, forms[i], (int)(slash - path), path, name);
#pragma GCC diagnostic pop
		d = open_debug(sysroot, at, NULL, mem, from);
		if (d && file_crc(d) == crc)
			return d;
		elf_close(d);
	}
	return NULL;
}

struct elf_image *elf_find_debug(struct elf_image *e, const char *path, const char *sysroot,
				 struct arena *mem, const char **from)
{
	struct elf_image *d = by_build_id(elf_head(e), sysroot, mem, from);

	return d || !sysroot ? d : by_link(e, path, sysroot, mem, from);
}

/* ---- build-ids ----------------------------------------------------------------------- */

void elf_build_ids(struct snapshot *s, struct reader *r)
{
	for (uint32_t i = 0; i < s->nfiles; i++) {
		struct file *f = &s->files[i];
		struct elf_image *e;

		if (elf_open_cache(s, r, f, &e))
			continue;
		memcpy(f->build_id, elf_head(e)->build_id, sizeof(f->build_id));
		f->build_id_len = elf_head(e)->build_id_len;
		elf_close(e);
	}
}
