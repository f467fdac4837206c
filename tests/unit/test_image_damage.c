/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Damaged, cut off and hostile images, and files that are no images: no crash, no more
 * memory than the file's size allows, no wrong byte, and a message.
 */
#include <elf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/decompress.h"
#include "dumpread/image/format.h"
#include "tests/unit/check.h"
#include "tests/unit/mkimage.h"

#define INFO "OSRELEASE=6.1.0-test\nPAGESIZE=4096\n"

static const struct mkimage kdump = {
	.word = 8, .page_shift = 12, .max_pfn = 60, .machine = "x86_64",
	.elf_machine = EM_X86_64, .version = 6, .tail = 424, .compress = PAGE_ZLIB,
	.vmcoreinfo = INFO,
};
static const struct mkimage kdump32 = {
	.word = 4, .big = true, .padded = true, .page_shift = 12, .max_pfn = 60,
	.machine = "ppc", .elf_machine = EM_PPC, .version = 6, .tail = 412,
	.compress = PAGE_LZO, .vmcoreinfo = INFO,
};
static const struct mkimage elf = {
	.word = 8, .page_shift = 12, .max_pfn = 60, .elf_machine = EM_X86_64,
	.vmcoreinfo = INFO,
};
static const struct mkimage elf32 = {
	.word = 4, .big = true, .page_shift = 12, .max_pfn = 60,
	.elf_machine = EM_PPC, .vmcoreinfo = INFO,
};

struct tally {
	uint64_t ok, nodata, corrupt, other, wrong;
};

/* Read every page; `wrong` are those that differ from what was written. */
static struct tally read_all(const struct image *im, const struct mkimage *m)
{
	size_t size = (size_t)1 << im->page_shift;
	struct image_ctx *ctx = im->ops->ctx_new(im);
	uint8_t *want = malloc((size_t)1 << m->page_shift), *got = malloc(size);
	uint64_t end = min_u64(im->max_pfn, 100000);
	struct tally t = { 0 };

	for (uint64_t pfn = 0; pfn < end; pfn++) {
		switch (im->ops->read(im, ctx, pfn, got)) {
		case ST_OK:
			t.ok++;
			mk_page(m, pfn, want);
			t.wrong += im->page_shift != m->page_shift ||
				   memcmp(got, want, size) != 0;
			break;
		case ST_NODATA:
			t.nodata++;
			break;
		case ST_CORRUPT:
			t.corrupt++;
			break;
		default:
			t.other++;
		}
	}
	im->ops->ctx_free(ctx);
	free(want);
	free(got);
	return t;
}

/* Only our own readers are tested. */
static struct image *open_ours(const char *path, struct diag *g)
{
	struct image *im;

	g->text[0] = '\0';
	if (image_open_as(&path, 1, &elf_image_ops, NULL, g, &im) == ST_NOTMINE)
		image_open_as(&path, 1, &kdump_image_ops, NULL, g, &im);
	return im;
}

/* ---- cut off ---------------------------------------------------------- */

static void cut_at(const struct bytes *b, const struct mkimage *m, size_t len, uint64_t whole)
{
	unsigned long failed = check_counts.failed;
	struct diag g;
	struct tally t;
	char path[64];
	struct image *im = open_ours(mk_file(b, len, path), &g);

	if (im) {
		t = read_all(im, m);
		CHECK_EQ(t.wrong + t.corrupt + t.other, 0);
		CHECK(t.ok <= whole);
		CHECK_EQ(t.ok, image_pages_present(im));
		if (t.ok < whole)
			CHECK(issues_total(&im->issues) > 0);
		image_close(im);
	} else {
		CHECK(g.text[0] != '\0');
	}
	if (check_counts.failed > failed)
		printf("\tcut at %zu of %zu: %s\n", len, b->n, g.text);
	unlink(path);
}

static void test_cut(const struct mkimage *m, struct bytes b, size_t step)
{
	uint64_t whole = 0;

	for (uint64_t pfn = 0; pfn < m->max_pfn; pfn++)
		whole += mk_present(pfn);
	for (size_t len = 1; len < b.n; len += step)
		cut_at(&b, m, len, whole);
	cut_at(&b, m, b.n - 1, whole);
	mk_free(&b);
}

static struct bytes flat_of(struct bytes b)
{
	struct bytes f = mk_flat(&b, 3000);

	mk_free(&b);
	return f;
}

/* The count of lost pages is exact. */
static void test_lost_count(void)
{
	struct bytes b = mk_kdump(&kdump);
	struct diag g;
	struct tally t;
	char path[64];
	struct image *im = open_ours(mk_file(&b, b.n * 3 / 4, path), &g);

	if (CHECK(im != NULL)) {
		t = read_all(im, &kdump);
		CHECK(t.ok > 10 && t.ok < 45);
		CHECK_EQ(issues_total(&im->issues), 45 - t.ok);
	}
	image_close(im);
	unlink(path);
	mk_free(&b);
}

/* The file shrinks while it is read: pages get lost, nothing else happens. */
static void test_shrink(void)
{
	static const struct mkimage *const ms[] = { &kdump, &elf };

	for (unsigned i = 0; i < ARRAY_LEN(ms); i++) {
		struct bytes b = i ? mk_elf(ms[i]) : mk_kdump(ms[i]);
		struct diag g;
		struct tally t;
		char path[64];
		struct image *im = open_ours(mk_file(&b, b.n, path), &g);

		if (CHECK(im != NULL)) {
			CHECK(truncate(path, (off_t)b.n / 2) == 0);
			t = read_all(im, ms[i]);
			CHECK(t.ok > 0 && t.ok < 45);
			CHECK_EQ(t.wrong + t.corrupt + t.other, 0);
		}
		image_close(im);
		unlink(path);
		mk_free(&b);
	}
}

/* ---- hostile ---------------------------------------------------------- */

static void try_bytes(const struct bytes *b, const struct mkimage *m)
{
	struct diag g;
	char path[64];
	struct image *im = open_ours(mk_file(b, b->n, path), &g);

	if (im) {
		CHECK(im->mem.used <= 8 * b->n + (256u << 10));
		read_all(im, m);
		image_close(im);
	} else {
		CHECK(g.text[0] != '\0');
	}
	unlink(path);
}

/* Every word of the first LEN bytes in turn gets every nasty value. */
static void test_words(const struct mkimage *m, struct bytes b, size_t from, size_t len)
{
	static const uint32_t nasty[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff };

	if (len > b.n - 4)
		len = b.n - 4;
	for (size_t at = from; at < len; at += 4) {
		uint8_t saved[4];

		memcpy(saved, b.v + at, 4);
		for (unsigned i = 0; i < ARRAY_LEN(nasty); i++) {
			put_uint(&b, at, nasty[i], 4, m->big);
			try_bytes(&b, m);
		}
		memcpy(b.v + at, saved, 4);
	}
	mk_free(&b);
}

/* Reads all pages of B, a damaged dump; frees it. */
static void check_pages(struct bytes b, uint64_t corrupt, uint64_t ok)
{
	struct diag g;
	struct tally t;
	char path[64];
	struct image *im = open_ours(mk_file(&b, b.n, path), &g);

	if (CHECK(im != NULL)) {
		t = read_all(im, &kdump);
		CHECK_EQ(t.corrupt, corrupt);
		CHECK_EQ(t.ok, ok);
		CHECK_EQ(t.wrong, 0);
	}
	image_close(im);
	unlink(path);
	mk_free(&b);
}

/* A damaged page is corrupt; its neighbours are not. */
static void test_bad_page(void)
{
	struct bytes b = mk_kdump(&kdump);

	/* the second descriptor: of page 1; the third: of page 2 */
	put_uint(&b, 4096 * 4 + 24 * 2 + 12, PAGE_LZO, 4, false);
	check_pages(b, 1, 44);
}

/* Data that are moved by a few bytes begin or end in those of a neighbour; which one is wrong is unknown. */
static void test_overlap(void)
{
	static const int moves[] = { 4, -4 };

	for (size_t i = 0; i < ARRAY_LEN(moves); i++) {
		struct bytes b = mk_kdump(&kdump);
		size_t at = 4096 * 4 + 24 * 2;

		put_uint(&b, at, load64(b.v + at, false) + (uint64_t)moves[i], 8, false);
		check_pages(b, 2, 43);
	}
}

static uint64_t issues_of(struct bytes b)
{
	struct diag g;
	char path[64];
	struct image *im = open_ours(mk_file(&b, b.n, path), &g);
	uint64_t n = im ? issues_total(&im->issues) : UINT64_MAX;

	image_close(im);
	unlink(path);
	mk_free(&b);
	return n;
}

/* One bit of the bitmap more or less, and each page after it would have the data of another. */
static void test_bitmap(void)
{
	for (unsigned pfn = 0; pfn < kdump.max_pfn; pfn++) {
		struct bytes b = mk_kdump(&kdump);

		b.v[4096 * 3 + pfn / 8] ^= (uint8_t)(1u << pfn % 8);
		CHECK_EQ(issues_of(b), 1);
	}
	CHECK_EQ(issues_of(mk_kdump(&kdump)), 0);
}

/* VMCOREINFO has no checksum: impossible lines, and lines that the header contradicts. */
static void test_text(void)
{
	static const struct { const char *text; unsigned issues; } texts[] = {
		{ INFO "SYMBOL(x)=ffffffff81000000\nNUMBER(a)=-1\nNUMBER(b)=0x1f\nBUILD-ID=ab\n", 0 },
		{ INFO "SYMBOL(x)=ffffffff8100000g\nOFFSET(y)=\n", 2 },
		{ INFO "SIZE(list_head)=1v\nSIZE(page-=64\n", 2 },
		{ INFO "LENGTH x\nKEY=\x81\n", 2 },
		{ INFO "cut off", 1 },
		{ "OSRELEASE=6.1.1-test\n", 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct mkimage m = kdump;

		m.vmcoreinfo = texts[i].text;
		CHECK_EQ(issues_of(mk_kdump(&m)), texts[i].issues);
	}
}

/* The bitmaps of 8 TiB, all zeros in a sparse file: opened at no cost. */
static void test_terabytes(void)
{
	struct mkimage m = kdump;
	struct bytes b;
	char path[64];
	struct diag g;
	struct image *im;
	uint64_t frames = (uint64_t)1 << 31, blocks = frames / 8 / 4096;

	b = mk_kdump(&m);
	put_uint(&b, 424 + 12, blocks * 2, 4, false);
	put_uint(&b, 424 + 16, frames, 4, false);
	put_uint(&b, 4096 + 96, frames, 8, false);
	mk_file(&b, b.n, path);
	CHECK(truncate(path, (off_t)(2 + blocks * 2) * 4096) == 0);
	im = open_ours(path, &g);
	if (CHECK(im != NULL)) {
		CHECK_EQ(im->max_pfn, frames);
		CHECK(!im->ops->present(im, frames - 1));
	}
	image_close(im);
	unlink(path);
	mk_free(&b);
}

/* ---- files that are no dump ------------------------------------------- */

static void refused(const char *path, const char *sentence)
{
	struct diag g = { "" };
	struct image *im;

	CHECK(image_open(&path, 1, NULL, &g, &im) != ST_OK);
	CHECK(im == NULL);
	if (!CHECK(strstr(g.text, sentence) != NULL))
		printf("\t\"%s\" lacks \"%s\"\n", g.text, sentence);
	CHECK(strstr(g.text, path) != NULL);
}

static void refused_bytes(const void *p, size_t n, const char *sentence)
{
	struct bytes b = { 0 };
	char path[64];

	put_at(&b, 0, p, n);
	refused(mk_file(&b, n, path), sentence);
	unlink(path);
	mk_free(&b);
}

/*
 * Files that begin like those of libkdumpfile's formats: 0.5.1 dereferences a null pointer
 * after it has failed to open LKCD. It does so in a process of its own.
 */
static void test_library_dies(void)
{
	static const char *const magics[] = {
		"\xed\x23\x8f\x61\x73\x01\x19\xa8", "\xa8\x19\x01\x73\x61\x8f\x23\xed",
		"\xa8\x19\x01\x73\x61\x8f\x23\xfd", "sadump\0\0",
	};
	unsigned seed = 1;

	for (size_t i = 0; i < ARRAY_LEN(magics); i++)
		for (unsigned n = 8; n < 200000; n *= 4) {
			uint8_t *p = calloc(1, n);

			memcpy(p, magics[i], 8);
			refused_bytes(p, n, "");
			for (unsigned at = 8; at < n; at++) {
				seed = seed * 1103515245 + 12345;
				p[at] = (uint8_t)(seed >> 16);
			}
			refused_bytes(p, n, "");
			free(p);
		}
	/* an unknown compressor, and a page size of 4096: 0.5.1 crashes on close */
	refused_bytes("\xed\x23\x8f\x61\x73\x01\x19\xa8\0\1\0\xff\0\0\0\1"
		      "\0\0\xff\0\0\x10\0\0\x8b\1\1\0\0\0\0", 32, "not a memory dump");
}

static void test_refusals(void)
{
	struct bytes b = mk_elf(&elf);
	char path[64];

	refused("/nonexistent/vmcore", "no such file");
	refused("/", "is a directory");
	refused_bytes("", 0, "is empty");
	refused_bytes("hello, world\n", 13, "not a memory dump");
	for (size_t n = 1; n < 100000; n = n * 3 + 1) {
		struct bytes text = { 0 };

		for (size_t i = 0; i < n; i++)
			put_at(&text, i, &"lorem ipsum\n"[i % 12], 1);
		refused_bytes(text.v, n, "not a memory dump");
		mk_free(&text);
	}
	refused_bytes("\xfd" "7zXZ\0xxxx", 10, "xz -d");
	refused_bytes("\x1f\x8b\x08", 3, "gzip -d");
	refused_bytes("LibvirtQemudSave\2\0\0", 19, "no stream of QEMU is behind its header");
	refused_bytes("\xd2\xbe\xd2\xbe\x08\0\0", 7, ".vmem file beside it");
	refused_bytes("\xd1\xba\xd1\xba\x08\0\0", 7, ".vmem file beside it");
	refused_bytes("\xd0\xbe\xd2\xbe\x08\0\0", 7, ".vmem file beside it");
	refused_bytes("KDUMP   ", 8, "cut off inside the dump header");
	refused_bytes("\x7f" "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", 16, "cut off inside the ELF");
	put_uint(&b, 16, ET_EXEC, 2, false);
	refused_bytes(b.v, b.n, "name it with -t");
	put_uint(&b, 16, ET_CORE, 2, false);
	put_uint(&b, 56, 1, 2, false);		/* e_phnum: the notes only */
	refused_bytes(b.v, b.n, "without any memory");
	mk_free(&b);
	if (geteuid()) {
		b = mk_elf(&elf);
		mk_file(&b, b.n, path);
		CHECK(chmod(path, 0) == 0);
		refused(path, "permission denied");
		unlink(path);
		mk_free(&b);
	}
	refused("/dev/zero", "is a character device");
	strcpy(path, "/tmp/mkfifo-XXXXXX");
	if (CHECK(mkdtemp(path) != NULL)) {
		char fifo[80];

		snprintf(fifo, sizeof(fifo), "%s/f", path);
		if (CHECK(mkfifo(fifo, 0600) == 0))
			refused(fifo, "is a pipe");
		unlink(fifo);
		rmdir(path);
	}
}

/* Ranges each of which is broken: the search for the next header reads the file a few times, not
   a megabyte for each of them. */
static void test_broken_ranges(uint32_t magic, unsigned version)
{
	struct bytes b = { 0 };
	uint64_t size = 0;
	struct image *im;
	struct diag g;
	char path[64];
	const char *name = path;

	for (uint64_t i = 0; i < 3000; i++) {
		put_uint(&b, 80 * i, magic, 4, false);
		put_uint(&b, 80 * i + 4, version, 4, false);
		put_uint(&b, 80 * i + 8, 4096 * i, 8, false);
		put_uint(&b, 80 * i + 16, 4096 * i + 7, 8, false);
		put_uint(&b, 80 * i + 24, 0, 8, false);
		for (unsigned k = 32; k < 80; k += 8)
			put_uint(&b, 80 * i + k, UINT64_C(0xaaaaaaaaaaaaaaaa), 8, false);
	}
	mk_file(&b, b.n, path);
	if (CHECK_EQ(image_open(&name, 1, NULL, &g, &im), ST_OK)) {
		CHECK(image_bytes_read(im, &size) <= 8 * b.n);
		CHECK_EQ(size, b.n);
		CHECK(issues_total(&im->issues) >= 2999);
	}
	image_close(im);
	unlink(path);
	mk_free(&b);
}

int main(void)
{
	test_refusals();
	test_library_dies();
	test_cut(&kdump, mk_kdump(&kdump), 97);
	test_cut(&kdump32, mk_kdump(&kdump32), 97);
	test_cut(&elf, mk_elf(&elf), 797);
	test_cut(&elf32, mk_elf(&elf32), 797);
	test_cut(&kdump, flat_of(mk_kdump(&kdump)), 101);
	test_cut(&elf, flat_of(mk_elf(&elf)), 997);
	test_lost_count();
	test_shrink();
	test_bad_page();
	test_overlap();
	test_bitmap();
	test_text();
	test_terabytes();
	test_broken_ranges(0x4c694d45, 1);
	test_broken_ranges(0x4c4d5641, 2);
	test_words(&kdump, mk_kdump(&kdump), 400, 464);
	test_words(&kdump, mk_kdump(&kdump), 4096, 4096 + 112);
	test_words(&kdump, mk_kdump(&kdump), 4096 * 4, 4096 * 4 + 24 * 4);
	test_words(&kdump32, mk_kdump(&kdump32), 8, 464);
	test_words(&kdump32, mk_kdump(&kdump32), 4096, 4096 + 112);
	test_words(&elf, mk_elf(&elf), 4, 64 + 56 * 3);
	test_words(&elf32, mk_elf(&elf32), 4, 52 + 32 * 3);
	test_words(&kdump, flat_of(mk_kdump(&kdump)), 16, 32);
	test_words(&kdump, flat_of(mk_kdump(&kdump)), 4096, 4096 + 16 + 64 + 16);
	return check_done();
}
