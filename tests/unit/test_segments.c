/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Segments of an ELF dump that share a page, lack a part of one, or say no physical address.
 */
#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/format.h"
#include "tests/unit/check.h"
#include "tests/unit/mkimage.h"

#define LOADS_MAX 3
#define INFO "OSRELEASE=6.1.0-test\nPAGESIZE=4096\n"

struct load {
	uint64_t va, pa, filesz, memsz;
	char fill;			/* of each byte in the file */
};

/* A dump with these PT_LOADs, cut by CUT bytes. */
static struct bytes make_dump(const struct load *v, unsigned n, const char *info, uint64_t cut)
{
	struct mkimage m = { .word = 8, .page_shift = 12, .elf_machine = EM_X86_64,
			     .vmcoreinfo = info, .max_pfn = 4 * LOADS_MAX };
	struct bytes b = mk_elf(&m);
	uint8_t bytes[0x3000];
	uint64_t off = 0x8000;

	for (unsigned i = 0; i < LOADS_MAX; i++) {	/* program header 0 has the notes */
		uint64_t at = 64 + 56 * (i + 1);
		struct load g = i < n ? v[i] : (struct load){ 0 };

		memset(bytes, g.fill, sizeof(bytes));
		put_at(&b, off, bytes, g.filesz);
		put_uint(&b, at, i < n ? PT_LOAD : PT_NULL, 4, false);
		put_uint(&b, at + 8, off, 8, false);
		put_uint(&b, at + 16, g.va, 8, false);
		put_uint(&b, at + 24, g.pa, 8, false);
		put_uint(&b, at + 32, g.filesz, 8, false);
		put_uint(&b, at + 40, g.memsz, 8, false);
		off += g.filesz;
	}
	b.n = off - cut;
	return b;
}

/* The byte at each quarter of the frame, '-' for a frame that is not there. */
static void look(const struct image *im, struct image_ctx *ctx, uint64_t pfn, char out[5])
{
	uint8_t got[4096];
	enum status st = im->ops->read(im, ctx, pfn, got);

	CHECK_EQ(im->ops->present(im, pfn), st == ST_OK);
	for (unsigned i = 0; i < 4; i++)
		out[i] = st ? '-' : got[1024 * i] ? (char)got[1024 * i] : '0';
	out[4] = 0;
}

/* WANT: frames from 1 on, four characters each. */
static void check_frames(const struct load *v, unsigned n, uint64_t cut, const char *want,
			 uint64_t present)
{
	struct bytes b = make_dump(v, n, INFO, cut);
	struct diag g = { "" };
	struct image *im = NULL;
	char path[64], seen[5];
	const char *paths[] = { mk_file(&b, b.n, path) };
	uint64_t found = 0;

	if (CHECK(!image_open_as(paths, 1, NULL, NULL, &g, &im))) {
		struct image_ctx *ctx = im->ops->ctx_new(im);

		for (uint64_t pfn = 1; want[4 * (pfn - 1)]; pfn++) {
			look(im, ctx, pfn, seen);
			CHECK(!memcmp(seen, want + 4 * (pfn - 1), 4));
		}
		CHECK_EQ(image_pages_present(im), present);
		for (uint64_t pfn = im->ops->next(im, 0); pfn < im->max_pfn;
		     pfn = im->ops->next(im, pfn + 1), found++)
			CHECK(im->ops->present(im, pfn));
		CHECK_EQ(found, present);
		im->ops->ctx_free(ctx);
	}
	image_close(im);
	unlink(path);
	mk_free(&b);
}

static void test_shared_page(void)
{
	static const struct load over[] = { { 0, 0x1000, 0x2000, 0x2000, 'a' },
					    { 0, 0x2800, 0x1c00, 0x1c00, 'c' } };
	static const struct load beside[] = { { 0, 0x1000, 0x400, 0x400, 'a' },
					      { 0, 0x1800, 0x400, 0x400, 'c' } };

	/* the first in the file wins; what is in no segment is zeros */
	check_frames(over, 2, 0, "aaaaaaaaccccc000----", 4);
	check_frames(beside, 2, 0, "a0c0----", 1);
}

/* p_memsz has more than p_filesz: those bytes were left out, and are not known to be zeros. */
static void test_left_out(void)
{
	static const struct load tail[] = { { 0, 0x1000, 0x1400, 0x3000, 'a' } };
	static const struct load shared[] = { { 0, 0x1000, 0x1400, 0x1800, 'a' },
					      { 0, 0x2800, 0x800, 0x800, 'c' } };
	static const struct load given[] = { { 0, 0x1000, 0x1400, 0x2000, 'a' },
					     { 0, 0x2400, 0xc00, 0xc00, 'c' } };

	check_frames(tail, 1, 0, "aaaa--------", 1);
	check_frames(shared, 2, 0, "aaaa--------", 1);
	check_frames(given, 2, 0, "aaaaaccc----", 2);
}

/* The file ends inside a page; another segment has a part of the same page. */
static void test_cut(void)
{
	static const struct load v[] = { { 0, 0x2800, 0x800, 0x800, 'c' },
					 { 0, 0x1000, 0x1800, 0x1800, 'a' } };

	check_frames(v, 2, 0, "aaaaaacc----", 2);
	check_frames(v, 2, 0x400, "aaaa--------", 1);
}

static void check_refused(const char *info, const char *why)
{
	static const struct load v[] = { { 0xffff888000000000, 0, 0x1000, 0x1000, 'a' },
					 { 0xffff888000002000, 0, 0x1000, 0x1000, 'c' } };
	struct bytes b = make_dump(v, 2, info, 0);
	struct diag g = { "" };
	struct image *im = NULL;
	char path[64];
	const char *paths[] = { mk_file(&b, b.n, path) };

	CHECK_EQ(image_open_as(paths, 1, NULL, NULL, &g, &im), ST_UNSUPPORTED);
	CHECK(strstr(g.text, why) != NULL);
	image_close(im);
	unlink(path);
	mk_free(&b);
}

/* gcore writes 0 for each p_paddr; /proc/kcore did before 464920104bf7, v4.11. */
static void test_no_address(void)
{
	check_refused(NULL, "the core file of a process");
	check_refused(INFO, "no physical addresses");
}

int main(void)
{
	test_shared_page();
	test_left_out();
	test_cut();
	test_no_address();
	return check_done();
}
