/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Containers: each variant is written, opened and read back page by page, by
 * our own reader and, where it can, by libkdumpfile.
 */
#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/container/kdump.h"
#include "dumpread/image/decompress.h"
#include "dumpread/image/extents.h"
#include "dumpread/image/format.h"
#include "tests/unit/check.h"
#include "tests/unit/mkimage.h"

#define INFO "OSRELEASE=6.1.0-test\nPAGESIZE=4096\nCRASHTIME=1700000001\n"
#define INFO_I386 INFO "SIZE(list_head)=8\n"
#define INFO64K "OSRELEASE=6.1.0-test\nPAGESIZE=65536\nCRASHTIME=1700000001\n"
#define PARTS 3

static struct image *open_files(const char *const *paths, unsigned n,
				const struct image_ops *only)
{
	struct diag g = { "" };
	struct image *im;

	if (image_open_as(paths, n, only, NULL, &g, &im))
		printf("\t%s\n", g.text);
	return im;
}

/* Pages of IM whose presence or content differs from M. */
static unsigned wrong_pages(const struct image *im, const struct mkimage *m)
{
	size_t size = (size_t)1 << m->page_shift;
	struct image_ctx *ctx = im->ops->ctx_new ? im->ops->ctx_new(im) : NULL;
	uint8_t *want = malloc(size), *got = malloc(size);
	unsigned wrong = 0;

	for (uint64_t pfn = 0; pfn < m->max_pfn + 3; pfn++) {
		bool here = pfn < m->max_pfn && mk_present(pfn);
		enum status st = im->ops->read(im, ctx, pfn, got);

		wrong += im->ops->present(im, pfn) != here;
		wrong += st != (here ? ST_OK : ST_NODATA);
		if (!here || st)
			continue;
		mk_page(m, pfn, want);
		wrong += memcmp(want, got, size) != 0;
	}
	free(want);
	free(got);
	if (ctx)
		im->ops->ctx_free(ctx);
	return wrong;
}

static uint64_t count_present(const struct mkimage *m)
{
	uint64_t n = 0;

	for (uint64_t pfn = 0; pfn < m->max_pfn; pfn++)
		n += mk_present(pfn);
	return n;
}

static void check_image(const struct bytes *b, const struct mkimage *m, const char *format)
{
	char path[64];
	const char *paths[] = { mk_file(b, b->n, path) };
	struct image *im = open_files(paths, 1, NULL);

	if (CHECK(im != NULL)) {
		unsigned long failed = check_counts.failed;

		CHECK_STR(im->format, format);
		CHECK_EQ(im->page_shift, m->page_shift);
		CHECK_EQ(im->word_size, m->word);
		CHECK_EQ(im->big_endian, m->big);
		CHECK_EQ(im->elf_machine, m->elf_machine);
		CHECK_EQ(im->max_pfn, m->max_pfn);
		CHECK_EQ(image_pages_present(im), count_present(m));
		CHECK_EQ(wrong_pages(im, m), 0);
		CHECK_EQ(issues_total(&im->issues), 0);
		if (m->vmcoreinfo && (!m->version || m->version >= (m->vmcoreinfo_in_notes ? 4u : 3u))) {
			CHECK_STR(im->vmcoreinfo, m->vmcoreinfo);
			CHECK_STR(im->header.release, "6.1.0-test");
			CHECK_EQ(im->header.crash_time, 1700000001);
		}
		if (check_counts.failed > failed)
			printf("\t%s: %s, %u-byte words, %s-endian, version %u, tail %u%s%s\n",
			       format, m->machine ? m->machine : "", m->word,
			       m->big ? "big" : "little", m->version, m->tail,
			       m->padded ? ", padded" : "",
			       m->vmcoreinfo_in_notes ? ", text in notes" : "");
		image_close(im);
	}
	unlink(path);
}

/* The library must agree, which also shows that our test images are right. */
static void check_library(const struct bytes *b, const struct mkimage *m)
{
	char path[64];
	const char *paths[] = { mk_file(b, b->n, path) };
	struct image *im = open_files(paths, 1, &kdumpfile_image_ops);

	if (CHECK(im != NULL)) {
		CHECK_EQ(wrong_pages(im, m), 0);
		image_close(im);
	}
	unlink(path);
}

/* ---- kdump-compressed ------------------------------------------------- */

static const struct mkimage x86_64 = {
	.word = 8, .page_shift = 12, .max_pfn = 1100, .machine = "x86_64",
	.elf_machine = EM_X86_64, .version = 6, .tail = 424, .compress = PAGE_ZLIB,
	.vmcoreinfo = INFO,
};

/* Word size, byte order, alignment and time type, as real writers mix them. */
static const struct mkimage abis[] = {
	{ .word = 8, .page_shift = 12, .machine = "x86_64", .tail = 424,
	  .elf_machine = EM_X86_64, .vmcoreinfo = INFO },
	{ .word = 8, .page_shift = 16, .machine = "ppc64le", .tail = 424,
	  .elf_machine = EM_PPC64, .vmcoreinfo = INFO64K },
	{ .word = 8, .page_shift = 16, .machine = "ppc64", .tail = 424, .big = true,
	  .elf_machine = EM_PPC64, .vmcoreinfo = INFO64K },
	{ .word = 4, .page_shift = 12, .machine = "i686", .tail = 412,
	  .elf_machine = EM_386, .vmcoreinfo = INFO },
	{ .word = 4, .page_shift = 12, .machine = "i686", .tail = 420,
	  .elf_machine = EM_386, .vmcoreinfo = INFO },
	{ .word = 4, .page_shift = 12, .machine = "ppc", .tail = 412, .big = true,
	  .padded = true, .elf_machine = EM_PPC, .vmcoreinfo = INFO },
	{ .word = 4, .page_shift = 12, .machine = "ppc", .tail = 412, .big = true,
	  .elf_machine = EM_PPC, .vmcoreinfo = INFO },		/* QEMU */
	{ .word = 4, .page_shift = 12, .machine = "ppc", .tail = 424, .big = true,
	  .padded = true, .elf_machine = EM_PPC, .vmcoreinfo = INFO },
	{ .word = 4, .page_shift = 12, .machine = "armv7l", .tail = 412,
	  .padded = true, .elf_machine = EM_ARM, .vmcoreinfo = INFO },
};

static void test_kdump_abis(void)
{
	for (unsigned a = 0; a < ARRAY_LEN(abis); a++)
		for (unsigned version = 1; version <= 6; version++)
			for (unsigned notes = 0; notes < 2; notes++) {
				struct mkimage m = abis[a];
				struct bytes b;

				m.version = version;
				m.vmcoreinfo_in_notes = notes;
				m.max_pfn = m.page_shift == 16 ? 70 : 300;
				m.compress = PAGE_ZLIB;
				b = mk_kdump(&m);
				check_image(&b, &m, "kdump-compressed");
				mk_free(&b);
			}
}

static void test_kdump_compressors(void)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} how[] = {
		{ 0, "none" }, { PAGE_ZLIB, "zlib" }, { PAGE_LZO, "lzo" },
		{ PAGE_SNAPPY, "snappy" }, { PAGE_ZSTD, "zstd" },
	};

	for (unsigned i = 0; i < ARRAY_LEN(how); i++) {
		struct mkimage m = x86_64;
		char path[64];
		const char *paths[] = { path };
		struct image *im;
		struct bytes b;

		m.compress = how[i].flag;
		b = mk_kdump(&m);
		check_image(&b, &m, "kdump-compressed");
		check_library(&b, &m);
		/* old headers do not name the compressor: the pages do */
		put_uint(&b, 424, 0, 4, false);
		mk_file(&b, b.n, path);
		im = open_files(paths, 1, NULL);
		if (CHECK(im != NULL))
			CHECK_STR(im->header.compression, how[i].name);
		image_close(im);
		unlink(path);
		mk_free(&b);
	}
}

/* Blocks of 64K, of which the kernel makes pages of 4K: QEMU's dump of a pseries guest. */
static void test_kdump_blocks(void)
{
	enum { FOLD = 4, SLICES = 1 << FOLD };
	struct mkimage m = abis[2];
	struct bytes b;
	char path[64];
	const char *paths[] = { path };
	uint8_t *block = malloc(1 << 16), page[4096];
	struct image_ctx *ctx;
	unsigned wrong = 0;
	struct image *im;

	m.version = 6;
	m.max_pfn = 70;
	m.compress = PAGE_ZLIB;
	b = mk_kdump(&m);
	mk_file(&b, b.n, path);
	im = open_files(paths, 1, NULL);
	if (CHECK(im != NULL)) {
		image_set_page_shift(im, 12);
		CHECK_EQ(im->page_shift, 12);
		CHECK_EQ(im->max_pfn, m.max_pfn << FOLD);
		CHECK_EQ(image_pages_present(im), count_present(&m) << FOLD);
		ctx = im->ops->ctx_new(im);
		for (uint64_t pfn = m.max_pfn << FOLD; pfn-- > 0;) {
			bool here = mk_present(pfn >> FOLD);
			enum status st = im->ops->read(im, ctx, pfn, page);

			mk_page(&m, pfn >> FOLD, block);
			wrong += im->ops->present(im, pfn) != here;
			wrong += st != (here ? ST_OK : ST_NODATA);
			wrong += here && memcmp(page, block + pfn % SLICES * 4096, 4096);
		}
		CHECK_EQ(wrong, 0);
		im->ops->ctx_free(ctx);
		image_set_page_shift(im, 16);
		CHECK_EQ(im->max_pfn, m.max_pfn);
		CHECK_EQ(image_pages_present(im), count_present(&m));
		image_set_page_shift(im, 18);		/* larger than a block: no */
		CHECK_EQ(im->page_shift, 16);
		image_close(im);
	}
	unlink(path);
	mk_free(&b);
	free(block);
}

static void test_kdump_header(void)
{
	struct mkimage m = x86_64;
	struct bytes b = mk_kdump(&m);
	char path[64];
	const char *paths[] = { mk_file(&b, b.n, path) };
	struct image *im = open_files(paths, 1, NULL);

	if (CHECK(im != NULL)) {
		CHECK_STR(im->header.nodename, "node");
		CHECK_STR(im->header.version, "#1 SMP");
		CHECK_STR(im->header.machine, "x86_64");
		CHECK_STR(im->header.compression, "zlib");
		CHECK_EQ(im->header.dump_level, 31);
		CHECK(im->notes != NULL);
	}
	image_close(im);
	unlink(path);
	mk_free(&b);
}

/* Above 16 TiB the old word of 32 bits has its largest value, and the sub-header the count. */
static void test_kdump_frames(void)
{
	static const struct { uint32_t word; uint64_t count, want; } cases[] = {
		{ UINT32_MAX, UINT64_C(0x180f00000), UINT64_C(0x180f00000) },
		{ 0x80f00000, UINT64_C(0x180f00000), UINT64_C(0x180f00000) },
		{ 0x1000, 0x1000, 0x1000 },
		{ 0x1000, UINT64_C(0x180f00000), 0x1000 },	/* they contradict each other */
	};
	struct mkimage m = x86_64;
	struct bytes b = mk_kdump(&m);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		static struct image im;
		struct image_part p = { .path = "kdump" };
		struct kdump_header h;
		FILE *f = tmpfile();

		store_uint(b.v + 440, cases[i].word, 4, false);
		store_uint(b.v + 4096 + 96, cases[i].count, 8, false);
		CHECK(f && fwrite(b.v, b.n, 1, f) == 1 && !fflush(f));
		p.fd = fileno(f);
		p.size = p.raw_size = b.n;
		p.stored = UINT64_C(1) << 32;
		kdump_read_header(&im, &p, &h);
		CHECK_EQ(h.max_mapnr, cases[i].want);
		fclose(f);
	}
	mk_free(&b);
}

static void test_diskdump(void)
{
	struct mkimage m = x86_64;
	struct bytes b;

	m.one_bitmap = true;
	m.version = 1;
	m.vmcoreinfo = NULL;
	b = mk_kdump(&m);
	check_image(&b, &m, "kdump-compressed");
	mk_free(&b);
}

/* ---- split ------------------------------------------------------------ */

static void mk_parts(char path[PARTS][64], const char **paths, bool flat)
{
	static const uint64_t bounds[PARTS + 1] = { 0, 333, 700, 1100 };

	for (unsigned i = 0; i < PARTS; i++) {
		struct mkimage m = x86_64;
		struct bytes b, f;

		m.split = true;
		m.split_start = bounds[i];
		m.split_end = bounds[i + 1];
		b = mk_kdump(&m);
		f = mk_flat(&b, 5000);
		/* named last first */
		paths[PARTS - 1 - i] = mk_file(flat ? &f : &b, flat ? f.n : b.n, path[i]);
		mk_free(&b);
		mk_free(&f);
	}
}

static void test_split(bool flat)
{
	char path[PARTS][64], other[64];
	const char *paths[PARTS], *mixed[2] = { NULL, other };
	struct mkimage m = x86_64;
	struct diag g = { "" };
	struct image *im;
	struct bytes b;

	mk_parts(path, paths, flat);
	im = open_files(paths, PARTS, NULL);
	if (CHECK(im != NULL)) {
		CHECK_STR(im->format, flat ? "kdump-compressed, flattened, split, 3 parts"
					   : "kdump-compressed, split, 3 parts");
		CHECK_EQ(image_pages_present(im), count_present(&m));
		CHECK_EQ(wrong_pages(im, &m), 0);
		CHECK_EQ(issues_total(&im->issues), 0);
	}
	image_close(im);

	im = open_files(paths, 2, NULL);	/* the first part is missing */
	if (CHECK(im != NULL)) {
		CHECK(!im->ops->present(im, 0));
		CHECK(im->ops->present(im, 701));
		CHECK_EQ(issues_total(&im->issues), 250);
		CHECK_EQ(image_pages_present(im), count_present(&m) - 250);
	}
	image_close(im);

	m.max_pfn = 1000;
	b = mk_kdump(&m);
	mixed[0] = paths[0];
	mk_file(&b, b.n, other);
	CHECK(image_open(mixed, 2, NULL, &g, &im) == ST_CORRUPT);
	CHECK(strstr(g.text, "not parts of one dump") != NULL);
	unlink(other);
	mk_free(&b);
	for (unsigned i = 0; i < PARTS; i++)
		unlink(path[i]);
}

/* ---- ELF -------------------------------------------------------------- */

static void test_elf(void)
{
	for (unsigned i = 0; i < 32; i++) {
		struct mkimage m = {
			.word = i & 1 ? 8 : 4, .big = i & 2, .page_shift = 12,
			.max_pfn = 500, .sections_first = i & 4, .xnum = i & 8,
			.vmcoreinfo = i & 16 ? INFO : NULL,
		};
		struct bytes b;

		m.elf_machine = m.word == 8 ? (m.big ? EM_S390 : EM_X86_64)
					    : (m.big ? EM_PPC : EM_386);
		if (m.elf_machine == EM_386) /* without it, it may be x86-64 */
			m.vmcoreinfo = INFO_I386;
		b = mk_elf(&m);
		check_image(&b, &m, m.word == 8 ? "ELF64" : "ELF32");
		/* 0.5.1: e_ehsize must be true, and no more than 65534 headers */
		if (!m.sections_first && !m.xnum)
			check_library(&b, &m);
		mk_free(&b);
	}
}

/* QEMU's dump after a reset: the first CPU is not in long mode. VMCOREINFO knows better. */
static void test_elf_reset(void)
{
	static const struct {
		const char *info;
		unsigned word, machine;
	} said[] = {
		{ INFO "SIZE(list_head)=16\n", 8, EM_X86_64 },
		{ INFO_I386, 4, EM_386 },
		{ INFO, 0, EM_386 },
		{ NULL, 0, EM_386 },
	};

	for (unsigned i = 0; i < 2 * ARRAY_LEN(said); i++) {
		struct mkimage m = {
			.word = i & 1 ? 4 : 8, .page_shift = 12, .max_pfn = 50,
			.elf_machine = EM_386, .vmcoreinfo = said[i / 2].info,
		};
		struct bytes b = mk_elf(&m);
		char path[64];
		const char *paths[] = { mk_file(&b, b.n, path) };
		struct image *im = open_files(paths, 1, NULL);

		CHECK(im);
		if (im) {
			CHECK_EQ(im->word_size, said[i / 2].word);
			CHECK_EQ(im->elf_machine, said[i / 2].machine);
		}
		image_close(im);
		unlink(path);
		mk_free(&b);
	}
}

static void test_elf_64k(void)
{
	struct mkimage m = {
		.word = 8, .page_shift = 16, .max_pfn = 50, .elf_machine = EM_PPC64,
		.vmcoreinfo = NULL,
	};
	struct bytes b = mk_elf(&m);

	check_image(&b, &m, "ELF64");	/* 64K is what ppc64 has by default */
	mk_free(&b);
}

/* ---- by libkdumpfile -------------------------------------------------- */

/* The process of libkdumpfile is our only child. */
static bool kill_child(void)
{
	FILE *f = fopen("/proc/thread-self/children", "re");
	int pid = 0;

	if (f && fscanf(f, "%d", &pid) != 1)
		pid = 0;
	if (f)
		fclose(f);
	return pid > 0 && CHECK(!kill(pid, SIGKILL));
}

/*
 * An s390 stand-alone dump (zipl; libkdumpfile src/kdumpfile/s390dump.c): a
 * header of one page, all memory, an end marker. It has no map of its pages.
 */
static void test_s390(void)
{
	struct mkimage m = { .page_shift = 12, .max_pfn = 10 };
	struct bytes b = { 0 };
	uint8_t page[4096], got[4096];
	char path[64];
	const char *paths[] = { path };
	struct image *im;
	unsigned wrong = 0;

	put_uint(&b, 0, 0xa8190173618f23fd, 8, true);
	put_uint(&b, 12, 4096, 4, true);		/* hdr_size */
	put_uint(&b, 20, 4096, 4, true);		/* page_size */
	put_uint(&b, 24, m.max_pfn * 4096, 8, true);	/* mem_size */
	put_uint(&b, 48, m.max_pfn, 4, true);		/* num_pages */
	put_uint(&b, 72, 2, 4, true);			/* arch: 64-bit */
	for (uint64_t pfn = 0; pfn < m.max_pfn; pfn++) {
		mk_page(&m, pfn, page);
		put_at(&b, 4096 * (pfn + 1), page, 4096);
	}
	put_at(&b, 4096 * (m.max_pfn + 1), "DUMP_END\0\0\0\0\0\0\0\0", 16);
	mk_file(&b, b.n, path);
	im = open_files(paths, 1, NULL);
	if (CHECK(im != NULL)) {
		CHECK_STR(im->ops->name, "libkdumpfile");
		CHECK_STR(im->format, "S390 Dump");
		CHECK_EQ(im->elf_machine, EM_S390);
		CHECK_EQ(im->word_size, 8);
		CHECK(im->big_endian);
		CHECK_EQ(im->max_pfn, m.max_pfn);
		for (uint64_t pfn = 0; pfn < m.max_pfn; pfn++) {
			mk_page(&m, pfn, page);
			wrong += !im->ops->present(im, pfn) ||
				 im->ops->read(im, NULL, pfn, got) || memcmp(page, got, 4096);
		}
		CHECK_EQ(wrong, 0);
		CHECK(im->ops->read(im, NULL, m.max_pfn, got) == ST_NODATA);
		/* the library's process ends: pages are lost, nothing else */
		if (kill_child()) {
			CHECK(im->ops->read(im, NULL, 1, got) == ST_CORRUPT);
			CHECK(im->ops->read(im, NULL, 2, got) == ST_CORRUPT);
			CHECK(im->ops->read(im, NULL, m.max_pfn, got) == ST_NODATA);
		}
	}
	image_close(im);
	unlink(path);
	mk_free(&b);
}

/* ---- flattened -------------------------------------------------------- */

static void test_flat(void)
{
	static const size_t chunks[] = { 64, 1000, 4096, 70000, 1 << 20 };
	struct mkimage m = x86_64, e = x86_64;
	struct bytes k, f;

	e.version = 0;
	for (unsigned i = 0; i < ARRAY_LEN(chunks); i++) {
		k = mk_kdump(&m);
		f = mk_flat(&k, chunks[i]);
		check_image(&f, &m, "kdump-compressed, flattened");
		mk_free(&k);
		mk_free(&f);
		k = mk_elf(&e);
		f = mk_flat(&k, chunks[i]);
		check_image(&f, &e, "ELF64, flattened");
		mk_free(&k);
		mk_free(&f);
	}
}

/* ---- extents ---------------------------------------------------------- */

/* Compared with painting byte by byte. */
static void test_extents(void)
{
	unsigned seed = 1, wrong = 0;

	for (unsigned round = 0; round < 400; round++) {
		enum extents_order order = round & 1 ? EXTENTS_LAST_WINS : EXTENTS_FIRST_WINS;
		uint64_t paint[256] = { 0 };
		struct extents x = { 0 };

		for (unsigned i = 0; i < 1 + round % 12; i++) {
			uint64_t start, end, pos = 1000 * (i + 1);

			seed = seed * 1103515245 + 12345;
			start = seed >> 16 & 0xff;
			end = start + (seed >> 24 & 0x3f);
			if (end > 256)
				end = 256;
			extents_add(&x, start, end, pos);
			for (uint64_t a = start; a < end; a++)
				if (!paint[a] || order == EXTENTS_LAST_WINS)
					paint[a] = pos + (a - start);
		}
		extents_resolve(&x, order);
		for (uint64_t a = 0; a < 256; a++) {
			size_t i = extents_find(&x, a);
			uint64_t got = i < x.n && x.v[i].start <= a ?
				       x.v[i].pos + (a - x.v[i].start) : 0;

			wrong += got != paint[a];
		}
		for (size_t i = 1; i < x.n; i++)
			wrong += x.v[i].start < x.v[i - 1].end;
		extents_free(&x);
	}
	CHECK_EQ(wrong, 0);
}

int main(void)
{
	test_extents();
	test_kdump_abis();
	test_kdump_compressors();
	test_kdump_blocks();
	test_kdump_header();
	test_kdump_frames();
	test_diskdump();
	test_split(false);
	test_split(true);
	test_elf();
	test_elf_reset();
	test_elf_64k();
	test_flat();
	test_s390();
	return check_done();
}
