/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Containers, their files and the reader over them, by our own readers. An
 * input is
 *	u8 0, bytes		a file, used unchanged
 *	u8 1, bytes		two files, each half of the bytes: a split dump
 *	u8 k, 8-byte patches	good image number k with words replaced:
 *				u24 offset, u8 size (1, 2, 4 or 8), u32 value
 *	u8 k | 128, u16, patches	the same, cut off after that share of it
 * so that the fuzzer starts from images that open.
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/dump.h"
#include "dumpread/image/decompress.h"
#include "dumpread/image/format.h"
#include "tests/unit/mkimage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PATCH 8u
#define PROBES 512u		/* frames asked for in each image */
#define INFO "OSRELEASE=6.1.0\nPAGESIZE=4096\nSYMBOL(x)=ffff\n"

static const struct mkimage specs[] = {
	{ .word = 8, .machine = "x86_64", .version = 6, .tail = 424, .compress = PAGE_ZLIB },
	{ .word = 8, .machine = "x86_64", .version = 6, .tail = 424, .compress = PAGE_LZO },
	{ .word = 8, .machine = "x86_64", .version = 6, .tail = 424, .compress = PAGE_SNAPPY },
	{ .word = 8, .machine = "x86_64", .version = 6, .tail = 424, .compress = PAGE_ZSTD },
	{ .word = 4, .machine = "ppc", .version = 6, .tail = 412, .compress = PAGE_ZLIB,
	  .big = true, .padded = true },
	{ .word = 4, .machine = "i686", .version = 4, .tail = 412, .compress = PAGE_ZLIB },
	{ .word = 8, .machine = "x86_64", .version = 6, .tail = 424, .split = true,
	  .split_start = 4, .split_end = 9 },
	{ .word = 8, .machine = "x86_64", .version = 1, .tail = 424, .one_bitmap = true },
	{ .word = 8, .elf_machine = EM_X86_64 },
	{ .word = 4, .elf_machine = EM_PPC, .big = true },
	{ .word = 8, .elf_machine = EM_PPC64, .xnum = true, .sections_first = true },
	{ .word = 8, .elf_machine = EM_X86_64 },	/* LiME */
	{ .word = 8, .elf_machine = EM_X86_64 },	/* AVML */
	{ .word = 4, .elf_machine = EM_PPC, .big = true, .identity = 0xc0000000 }, /* mcore 1 */
	{ .word = 8, .elf_machine = EM_X86_64, .identity = 0xc0000000 },	/* mcore 2 */
	{ .word = 8, .elf_machine = EM_X86_64 },	/* QEMU */
};

#define NSPECS ARRAY_LEN(specs)

/* Good images: each spec plain, then each flattened. */
struct good {
	struct bytes image[2 * NSPECS];
};

/* The last are those of mk_containers, in its order. */
static struct bytes make(size_t i, const struct mkimage *m)
{
	size_t first = NSPECS - MK_CONTAINERS;

	return i < first ? mk_elf(m) : mk_containers[i - first].make(m);
}

static struct good *good_images(void)
{
	static struct good g;

	if (g.image[0].n)
		return &g;
	for (size_t i = 0; i < NSPECS; i++) {
		struct mkimage m = specs[i];

		m.page_shift = 12;
		m.max_pfn = 10;
		m.vmcoreinfo = INFO;
		g.image[i] = m.version ? mk_kdump(&m) : make(i, &m);
		g.image[NSPECS + i] = mk_flat(&g.image[i], 3000);
	}
	return &g;
}

/* Fills *file with what the input says. */
static void build(const uint8_t *data, size_t size, struct bytes *file)
{
	const struct bytes *b = &good_images()->image[(data[0] & 127) % (2 * NSPECS)];
	size_t len = b->n;

	put_at(file, 0, b->v, b->n);
	if (data[0] & 128 && size >= 3) {
		len = len * load16(data + 1, false) >> 16;
		data += 2;
		size -= 2;
	}
	for (data++, size--; size >= PATCH; data += PATCH, size -= PATCH) {
		uint32_t word = load32(data, false);
		unsigned n = 1u << (word >> 24) % 4;

		put_uint(file, (word & 0xffffff) % (b->n - 8), load32(data + 4, false), n,
			 word >> 31);
	}
	file->n = len;
}

static void read_dump(struct dump *d)
{
	uint64_t step = d->max_pfn / PROBES + 1, v;
	struct reader *r = reader_new(d);
	struct page_ref p;
	char buf[64];
	int64_t n;

	for (uint64_t pfn = 0; pfn < d->max_pfn + step; pfn += step) {
		reader_present(r, pfn);
		if (reader_page(r, pfn, &p) == ST_OK) {
			memcpy(buf, p.data + dump_page_size(d) - sizeof(buf), sizeof(buf));
			reader_release(r, &p);
		}
	}
	read_pa(r, 0x800, buf, sizeof(buf));
	reader_free(r);
	vmcoreinfo_symbol(d, "x", &v);
	vmcoreinfo_number(d, "x", &n);
}

/* What begins as nothing else, at an address. */
static void try_raw(const char *path)
{
	char name[64];
	const char *const names[] = { name };
	struct diag g = { "" };
	struct dump *d;

	snprintf(name, sizeof(name), "%s@0x1000+24:0x7000", path);
	if (dump_open(names, 1, NULL, &g, &d))
		return;
	read_dump(d);
	dump_close(d);
}

/* libkdumpfile is not tested: only files of our own formats come to dump_open(). */
static void try_paths(const char *const *paths, unsigned n)
{
	static const struct image_ops *const ours[] = {
		&elf_image_ops, &kdump_image_ops, &mcore_image_ops, &lime_image_ops,
		&avml_image_ops, &qemu_image_ops,
	};
	struct diag g = { "" };

	for (size_t i = 0; i < ARRAY_LEN(ours); i++) {
		struct image *im;
		struct dump *d;

		if (image_open_as(paths, n, ours[i], NULL, &g, &im))
			continue;
		image_close(im);
		if (dump_open(paths, n, NULL, &g, &d) == ST_OK) {
			read_dump(d);
			dump_close(d);
		}
		return;
	}
	if (n == 1)
		try_raw(paths[0]);
}

static int make_file(const uint8_t *data, size_t size, char path[32])
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[2][32];
	const char *paths[2] = { path[0], path[1] };
	struct bytes file = { 0 };
	size_t half = size / 2;
	int fd[2] = { -1, -1 };

	if (!size)
		return 0;
	if (data[0] == 0) {
		fd[0] = make_file(data + 1, size - 1, path[0]);
	} else if (data[0] == 1) {
		fd[0] = make_file(data + 1, half, path[0]);
		fd[1] = make_file(data + 1 + half, size - 1 - half, path[1]);
	} else {
		build(data, size, &file);
		fd[0] = make_file(file.v, file.n, path[0]);
		mk_free(&file);
	}
	try_paths(paths, fd[1] < 0 ? 1 : 2);
	close(fd[0]);
	if (fd[1] >= 0)
		close(fd[1]);
	return 0;
}
