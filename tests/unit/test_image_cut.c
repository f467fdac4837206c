/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that are shorter than their headers claim, by one byte or by any number, must be an
 * issue. Sparse files of the claimed length that store next to nothing must cost no more time
 * and memory than the stored part.
 */
#include <elf.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/dump.h"
#include "dumpread/image/decompress.h"
#include "dumpread/image/format.h"
#include "tests/unit/check.h"
#include "tests/unit/mkimage.h"

#define INFO "OSRELEASE=6.1.0-test\nPAGESIZE=4096\n"

static const struct mkimage plain = {
	.word = 8, .page_shift = 12, .max_pfn = 60, .machine = "x86_64",
	.elf_machine = EM_X86_64, .version = 6, .tail = 424, .vmcoreinfo = INFO,
	.identity = UINT64_C(0xffff888000000000),
};

static struct bytes zlib(const struct mkimage *m)
{
	struct mkimage z = *m;

	z.compress = PAGE_ZLIB;
	return mk_kdump(&z);
}

/* Its last 5000 pages are zeros: they have no data at the file's end. */
static bool has_all(void *arg, uint64_t pfn)
{
	(void)arg;
	return pfn < 5060;
}

static void get_few(void *arg, uint64_t pfn, uint8_t *out)
{
	(void)arg;
	memset(out, 0, 4096);
	for (unsigned i = 0; pfn < 60 && i < 4096; i++)
		out[i] = (uint8_t)(pfn + i);
}

static struct bytes zeros_last(const struct mkimage *m)
{
	struct mkimage z = *m;

	z.has = has_all;
	z.get = get_few;
	z.max_pfn = 5060;
	z.compress = PAGE_ZLIB;
	return mk_kdump(&z);
}

static struct bytes flat(const struct mkimage *m)
{
	struct bytes b = mk_kdump(m), f = mk_flat(&b, 3000);

	mk_free(&b);
	return f;
}

static struct bytes notes_last(const struct mkimage *m)
{
	struct bytes b = mk_elf(m);
	uint64_t from = load64(b.v + 64 + 8, false), len = load64(b.v + 64 + 32, false);
	uint8_t *notes = malloc(len);

	memcpy(notes, b.v + from, len);
	put_uint(&b, 64 + 8, b.n, 8, false);
	put_at(&b, b.n, notes, len);
	free(notes);
	return b;
}

static struct bytes raw(const struct mkimage *m)
{
	return mk_raw(m, 0, m->max_pfn);
}

static const struct {
	const char *name;
	struct bytes (*make)(const struct mkimage *m);
	const char *suffix;
	unsigned blind;		/* cuts at multiples of this many bytes cannot be seen */
} containers[] = {
	{ "ELF", mk_elf, "", 0 }, { "ELF, notes last", notes_last, "", 0 },
	{ "kdump", mk_kdump, "", 0 }, { "kdump, zlib", zlib, "", 0 },
	{ "kdump, zeros last", zeros_last, "", 0 }, { "flattened", flat, "", 0 },
	{ "mcore 1", mk_mcore1, "", 0 }, { "mcore 2", mk_mcore2, "", 0 },
	/* ranges that are gone together with their headers are not noticed */
	{ "LiME", mk_lime, "", 32 + 3 * 4096 }, { "AVML", mk_avml, "", 0 },
	{ "raw", raw, "@0", 1024 }, { "QEMU", mk_qemu, "", 0 },
};

/* Through the dump, whose issues every report has. */
static struct dump *open_cut(const struct bytes *b, size_t len, const char *suffix)
{
	char path[64], name[80];
	const char *names[] = { name };
	struct dump *d = NULL;
	struct diag g;

	snprintf(name, sizeof(name), "%s%s", mk_file(b, len, path), suffix);
	dump_open(names, 1, NULL, &g, &d);
	unlink(path);
	return d;
}

static bool is_noticed(const struct bytes *b, size_t len, const char *suffix)
{
	struct dump *d = open_cut(b, len, suffix);
	bool noticed = !d || issues_total(&d->issues);

	dump_close(d);
	return noticed;
}

TEST(cuts)
{
	for (size_t i = 0; i < ARRAY_LEN(containers); i++) {
		struct bytes b = containers[i].make(&plain);
		const char *suffix = containers[i].suffix;
		unsigned silent = 0;

		CHECK(!is_noticed(&b, b.n, suffix));
		if (!CHECK(is_noticed(&b, b.n - 1, suffix)))
			printf("\t%s: one byte less\n", containers[i].name);
		for (size_t len = 1; len < b.n; len += 331)
			silent += (!containers[i].blind || len % containers[i].blind) &&
				  !is_noticed(&b, len, suffix);
		if (!CHECK_EQ(silent, 0))
			printf("\t%s\n", containers[i].name);
		mk_free(&b);
	}
}

/* ---- sparse ------------------------------------------------------------------ */

#define HUGE_FILE (INT64_C(1) << 43)	/* the limit of ext4 is twice that */
#define SECONDS 5.0

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A file of SIZE bytes, of which B is stored; then all code that searches it. */
static void check_sparse(const char *what, const struct bytes *b, const char *suffix, int64_t size)
{
	char path[64], name[80];
	const char *names[] = { name };
	double begin = now();
	struct dump *d = NULL;
	struct diag g;

	snprintf(name, sizeof(name), "%s%s", mk_file(b, b->n, path), suffix);
	if (truncate(path, size)) {
		printf("\tnot tested, for want of long files: %s\n", what);
	} else if (dump_open(names, 1, NULL, &g, &d) == ST_OK) {
		d->jobs = 1;
		if (!*d->vmcoreinfo)
			vmcoreinfo_scan(d);
		dump_close(d);
	}
	unlink(path);
	if (!CHECK(now() - begin < SECONDS))
		printf("\t%s: %.1f s\n", what, now() - begin);
}

TEST(sparse)
{
	struct mkimage bare = plain;
	struct bytes b, f;

	bare.vmcoreinfo = NULL;
	b = mk_raw(&bare, 0, 60);
	check_sparse("raw", &b, "@0", HUGE_FILE);
	mk_free(&b);
	/* the last segment is as long as the file; then as many headers as there can be */
	b = mk_elf(&bare);
	put_uint(&b, 64 + 56 + 32, (uint64_t)HUGE_FILE, 8, false);
	put_uint(&b, 64 + 56 + 40, (uint64_t)HUGE_FILE, 8, false);
	check_sparse("ELF", &b, "", HUGE_FILE);
	put_uint(&b, 56, PN_XNUM, 2, false);
	put_uint(&b, 40, 192, 8, false);
	put_uint(&b, 192 + 44, UINT32_MAX, 4, false);
	check_sparse("ELF, its headers", &b, "", HUGE_FILE);
	mk_free(&b);
	b = mk_lime(&bare);
	put_uint(&b, 16, (uint64_t)HUGE_FILE, 8, false);
	check_sparse("LiME", &b, "", HUGE_FILE);
	/* no range where the second should be: it is searched */
	put_uint(&b, 16, 4095, 8, false);
	b.n = 32 + 4096;
	check_sparse("LiME, searched", &b, "", HUGE_FILE);
	mk_free(&b);
	/* no end of the section: the next is searched */
	b = mk_qemu(&bare);
	b.n -= 8;
	check_sparse("QEMU", &b, "", HUGE_FILE);
	mk_free(&b);
	b = mk_avml(&bare);
	b.n -= 100;
	check_sparse("AVML", &b, "", HUGE_FILE);
	mk_free(&b);
	/* bitmaps of all frames that are believed; pages at their end */
	b = mk_kdump(&bare);
	put_uint(&b, 424 + 12, UINT32_C(1) << 19, 4, false);
	put_uint(&b, 424 + 16, 0, 4, false);
	put_uint(&b, 4096 + 96, UINT64_C(1) << 33, 8, false);
	check_sparse("kdump", &b, "", HUGE_FILE);
	put_uint(&b, 4096 + 96, UINT64_C(1) << 36, 8, false);
	check_sparse("kdump, 256 TiB", &b, "", HUGE_FILE);
	mk_free(&b);
	/* empty records at 0, and one at the largest offset of a file */
	b = mk_kdump(&bare);
	f = mk_flat(&b, 4096);
	mk_free(&b);
	f.n -= 16;
	check_sparse("flattened", &f, "", HUGE_FILE);
	put_uint(&f, f.n, INT64_MAX - 1, 8, true);
	put_uint(&f, f.n, 1, 8, true);
	check_sparse("flattened, far apart", &f, "", HUGE_FILE);
	mk_free(&f);
	for (unsigned version = 1; version <= 2; version++) {
		b = version == 1 ? mk_mcore1(&bare) : mk_mcore2(&bare);
		/* the map's length, and units of the largest size */
		put_uint(&b, (version == 1 ? 4096 : 0) + 32 + 8, INT32_MAX, 4, false);
		put_uint(&b, (version == 1 ? 4096 : 0) + 32 + 12, UINT32_MAX, 4, false);
		check_sparse(version == 1 ? "mcore 1" : "mcore 2", &b, "", HUGE_FILE);
		mk_free(&b);
	}
}
