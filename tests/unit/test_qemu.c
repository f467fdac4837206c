/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines that QEMU saved: mkimage's stream, damaged; mapped-ram, libvirt's header, places, other devices. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/format.h"
#include "tests/unit/check.h"
#include "tests/unit/mkimage.h"

#define PAGES 45u	/* of the 60 of a plain machine */

static const struct mkimage plain = { .word = 8, .page_shift = 12, .max_pfn = 60 };

struct seen {
	char format[64], why[1024];
	uint64_t pages, max_pfn, issues;
	unsigned ok, wrong;
	bool cut;
};

/* What an image of B is; SUFFIX: of its name, NULL none. */
static struct seen look(const struct bytes *b, const char *suffix)
{
	char path[64], name[128];
	const char *names[] = { name };
	uint8_t want[4096], got[4096];
	struct seen s = { .pages = 0 };
	struct diag g = { "" };
	struct image *im;

	snprintf(name, sizeof(name), "%s%s", mk_file(b, b->n, path), suffix ? suffix : "");
	if (image_open(names, 1, NULL, &g, &im)) {
		snprintf(s.why, sizeof(s.why), "%s", g.text);
		unlink(path);
		return s;
	}
	for (uint64_t pfn = 0; pfn < im->max_pfn + 2; pfn++) {
		bool ok = im->ops->read(im, NULL, pfn, got) == ST_OK;

		mk_page(&plain, pfn, want);
		s.ok += ok;
		s.wrong += ok != im->ops->present(im, pfn) || (ok && memcmp(want, got, 4096));
	}
	snprintf(s.format, sizeof(s.format), "%s", im->format);
	s.pages = im->pages_present;
	s.max_pfn = im->max_pfn;
	s.issues = issues_total(&im->issues);
	s.cut = cause_find(&im->causes, CAUSE_CUT);
	image_close(im);
	unlink(path);
	return s;
}

static bool is_whole(const struct seen *s)
{
	return s->pages == PAGES && s->ok == PAGES && !s->wrong && !s->issues && s->max_pfn == 60;
}

TEST(stream)
{
	struct bytes b = mk_qemu(&plain);
	struct seen s = look(&b, NULL);

	CHECK_STR(s.format, "QEMU migration stream");
	CHECK(is_whole(&s));
	mk_free(&b);
}

/* Where the records of the last section begin in mk_qemu(): the text of its first block name. */
static uint64_t find_last(const struct bytes *b, const char *text)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i + strlen(text) <= b->n; i++)
		if (!memcmp(b->v + i, text, strlen(text)))
			at = i;
	return at;
}

TEST(damage)
{
	struct bytes b = mk_qemu(&plain);
	uint64_t last = find_last(&b, "mk.ram");
	struct seen s;

	/* the block of all pages is another, which is not there */
	b.v[last] = 'x';
	s = look(&b, NULL);
	CHECK_EQ(s.ok, 1); /* of the section before */
	CHECK_EQ(s.issues, PAGES);
	b.v[last] = 'm';
	/* no record where one should be: what follows is lost, and what came before is not */
	b.v[last + 6 + 1 + 7] ^= 0x80;
	s = look(&b, NULL);
	CHECK(s.ok == 1 && s.issues && !s.cut);
	b.v[last + 6 + 1 + 7] ^= 0x80;
	/* the file ends: in a page, in the header of a section, in the list of blocks, before it */
	b.n -= 3000;
	s = look(&b, NULL);
	CHECK(s.cut && s.ok && s.ok < PAGES && !s.wrong && s.issues == 60 - s.ok);
	b.n = last - 10;
	s = look(&b, NULL);
	CHECK(s.cut && s.ok == 1);
	b.n = 60;
	CHECK(strstr(look(&b, NULL).why, "ends before the memory"));
	b.n = 20;
	CHECK(strstr(look(&b, NULL).why, "ends before the memory"));
	mk_free(&b);
	/* lengths that no list has */
	b = mk_qemu(&plain);
	put_uint(&b, 15 + 5 + 4 + 8 + 8 + 7, UINT64_C(1) << 60, 8, true);
	CHECK(strstr(look(&b, NULL).why, "list of memory blocks"));
	put_uint(&b, 15 + 5 + 4 + 8 + 8 + 7, 60 * 4096 + 1, 8, true);
	CHECK(strstr(look(&b, NULL).why, "list of memory blocks"));
	mk_free(&b);
}

/* Pages that are packed: xbzrle. */
TEST(packed)
{
	struct bytes b = mk_qemu(&plain);
	uint64_t last = find_last(&b, "mk.ram");

	b.v[last - 2] = 0x40;
	CHECK(strstr(look(&b, NULL).why, "compressed pages"));
	mk_free(&b);
}

/* The header of a section is damaged: what is in it is lost, and told, though the end is found. */
TEST(lost_section)
{
	static const uint8_t none[] = { 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 8 };
	struct bytes b = mk_qemu(&plain), with = { 0 };
	uint64_t at = find_last(&b, "mk.ram") - 1 - 8 - 5;
	struct seen s;

	/* the last section becomes one before the last, which has a footer */
	b.v[at] = 2;
	put_at(&b, b.n, "\x7e\0\0\0\2\3\0\0\0\2\0\0\0\0\0\0\0\x10", 18);
	s = look(&b, NULL);
	CHECK(is_whole(&s));
	for (int i = 0; i < 5; i++) {
		b.v[at + i] ^= 0x40;
		s = look(&b, NULL);
		CHECK(s.ok == 1 && s.wrong <= 1 && s.issues == 59 && !s.cut);
		b.v[at + i] ^= 0x40;
	}
	/* the search finds what is no section, and goes on */
	b.v[at] ^= 0x40;
	put_at(&with, 0, b.v, b.n - 13);
	put_at(&with, with.n, none, sizeof(none));
	put_at(&with, with.n, "\6mk.ram", 7);
	put_uint(&with, with.n + 4095, 0, 1, true);
	put_at(&with, with.n, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	put_at(&with, with.n, b.v + at, b.n - at);
	with.v[with.n - (b.n - at)] ^= 0x40;
	s = look(&with, NULL);
	CHECK(s.ok == PAGES && s.issues == 15 && !s.cut);
	mk_free(&with);
	mk_free(&b);
}

/* Between two sections of RAM there may be others, of unknown length, which have its number in them. */
TEST(others)
{
	static const uint8_t other[] = { 2, 0, 0, 0, 9, 3, 0, 0, 0, 2, 7, 7, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1 };
	struct bytes b = mk_qemu(&plain), with = { 0 };
	uint64_t at = find_last(&b, "mk.ram") - 1 - 8 - 5;
	struct seen s;

	put_at(&with, 0, b.v, at);
	put_at(&with, at, other, sizeof(other));
	put_at(&with, with.n, b.v + at, b.n - at);
	s = look(&with, NULL);
	CHECK(is_whole(&s));
	mk_free(&b);
	mk_free(&with);
}

/* "virsh save", by a host of either order; packed; not ended. */
TEST(libvirt)
{
	static const char xml[] = "<domain type='kvm'/>";
	struct bytes b = mk_qemu(&plain);

	for (int big = 0; big < 2; big++) {
		struct bytes f = { 0 };
		struct seen s;

		put_at(&f, 0, "LibvirtQemudSave", 16);
		put_uint(&f, 16, 2, 4, big);
		put_uint(&f, 20, sizeof(xml), 4, big);
		put_uint(&f, 91, 0, 1, big);
		put_at(&f, 92, xml, sizeof(xml));
		put_at(&f, f.n, b.v, b.n);
		s = look(&f, NULL);
		CHECK_STR(s.format, "virsh save");
		CHECK(is_whole(&s));
		memcpy(f.v + 12, "Part", 4);
		s = look(&f, NULL);
		CHECK(is_whole(&s));
		put_uint(&f, 28, 3, 4, big);
		CHECK(strstr(look(&f, NULL).why, "tail -c +114 "));
		CHECK(strstr(look(&f, NULL).why, "xz -dc"));
		put_uint(&f, 28, 0, 4, big);
		f.v[92 + sizeof(xml)] = 'X';
		CHECK(strstr(look(&f, NULL).why, "no stream of QEMU"));
		mk_free(&f);
	}
	mk_free(&b);
}

/* ---- places ------------------------------------------------------------------------------- */

/* A stream of MACHINE with a block NAME of PAGES pages, of which the page N is there, filled with 0xdd. */
static struct bytes one_page(const char *machine, const char *name, uint64_t pages, uint64_t n)
{
	struct bytes b = { 0 };

	put_at(&b, 0, "QEVM\0\0\0\3\7\0\0\0", 12);
	put_uint(&b, b.n, strlen(machine), 1, true);
	put_at(&b, b.n, machine, strlen(machine));
	put_at(&b, b.n, "\1\0\0\0\2\3ram\0\0\0\0\0\0\0\4", 17);
	put_uint(&b, b.n, pages * 4096 | 4, 8, true);
	put_uint(&b, b.n, strlen(name), 1, true);
	put_at(&b, b.n, name, strlen(name));
	put_uint(&b, b.n, pages * 4096, 8, true);
	put_uint(&b, b.n, n * 4096 | 2, 8, true);
	put_uint(&b, b.n, strlen(name), 1, true);
	put_at(&b, b.n, name, strlen(name));
	put_uint(&b, b.n, 0xdd, 1, true);
	put_uint(&b, b.n, 0x10, 8, true);
	put_at(&b, b.n, "\3\0\0\0\2\0\0\0\0\0\0\0\x10", 13);
	return b;
}

static bool has_page(const char *path, const char *suffix, uint64_t pfn, uint64_t max_pfn)
{
	char name[128];
	const char *names[] = { name };
	uint8_t got[4096];
	struct diag g = { "" };
	struct image *im;
	bool ok;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	if (image_open(names, 1, NULL, &g, &im)) {
		printf("\t%s\n", g.text);
		return false;
	}
	ok = !im->ops->read(im, NULL, pfn, got) && got[7] == 0xdd && im->ops->next(im, 0) == pfn &&
	     im->max_pfn == max_pfn && im->pages_present == 1;
	image_close(im);
	return ok;
}

TEST(boards)
{
	static const struct {
		const char *machine, *ram, *suffix;
		uint64_t gib, page, pfn, max_pfn;
	} v[] = {
		{ "pc-i440fx-7.2", "pc.ram", "", 3, 5, 5, 3 << 18 },
		{ "pc-i440fx-7.2", "pc.ram", "", 4, 5, 5, 5 << 18 },
		{ "pc-i440fx-7.2", "pc.ram", "", 4, 3 << 18, 4 << 18, 5 << 18 },
		{ "pc-q35-jammy", "mem", "", 4, 2 << 18, 4 << 18, 6 << 18 },
		{ "pc-q35-jammy", "mem", "", 2, (2 << 18) - 1, (2 << 18) - 1, 2 << 18 },
		{ "virt-7.2", "mach-virt.ram", "", 4, 1, (1 << 18) + 1, 5 << 18 },
		{ "virt", "riscv_virt_board.ram", "", 4, 1, (2 << 18) + 1, 6 << 18 },
		{ "pseries-7.2", "ppc_spapr.ram", "", 4, 1, 1, 4 << 18 },
		/* as it was asked for */
		{ "pc-i440fx-7.2", "pc.ram", "@0x100000000+0x40000000", 4, (1 << 18) + 3, (4 << 18) + 3,
		  7 << 18 },
		{ "pc-i440fx-7.2", "pc.ram", "@0", 4, (4 << 18) - 1, (4 << 18) - 1, 4 << 18 },
	};

	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		struct bytes b = one_page(v[i].machine, v[i].ram, v[i].gib << 18, v[i].page);
		char path[64];

		mk_file(&b, b.n, path);
		if (!CHECK(has_page(path, v[i].suffix, v[i].pfn, v[i].max_pfn)))
			printf("\trow %zu\n", i);
		unlink(path);
		mk_free(&b);
	}
}

/* ---- mapped-ram ---------------------------------------------------------------------------- */

/* Beside RAM there is a block of DEVICE, which is none. */
static void look_beside(const char *device)
{
	struct bytes b = { 0 };
	uint64_t bits = 0;
	uint8_t page[4096];
	struct seen s;

	put_at(&b, 0, "QEVM\0\0\0\3\1\0\0\0\2\3ram\0\0\0\0\0\0\0\4", 25);
	put_uint(&b, b.n, (60 + 2) * 4096 | 4, 8, true);
	put_at(&b, b.n, "\6mk.ram", 7);
	put_uint(&b, b.n, 60 * 4096, 8, true);
	put_uint(&b, b.n, 1, 4, true);
	put_uint(&b, b.n, 4096, 8, true);
	put_uint(&b, b.n, 0x800, 8, true);
	put_uint(&b, b.n, 0x1000, 8, true);
	for (uint64_t pfn = 0; pfn < 60; pfn++) {
		bits |= (uint64_t)(pfn % 8 != 0) << pfn;
		mk_page(&plain, pfn, page);
		if (pfn % 8)
			put_at(&b, 0x1000 + pfn * 4096, page, 4096);
	}
	put_uint(&b, 0x800, bits, 8, false);
	put_uint(&b, 0x1000 + 60 * 4096, strlen(device), 1, true);
	put_at(&b, b.n, device, strlen(device));
	put_uint(&b, b.n, 8192, 8, true);
	put_uint(&b, b.n, 1, 4, true);
	put_uint(&b, b.n, 4096, 8, true);
	put_uint(&b, b.n, b.n + 16, 8, true);
	put_uint(&b, b.n, b.n + 16, 8, true);
	put_uint(&b, b.n + 8191 + 8, 0, 1, true);
	put_uint(&b, b.n, 0x10, 8, true);
	put_at(&b, b.n, "\3\0\0\0\2\0\0\0\0\0\0\0\x10", 13);
	s = look(&b, NULL);
	CHECK_EQ(s.ok, 60);
	CHECK_EQ(s.wrong, 0);
	CHECK_EQ(s.issues, 0);
	mk_free(&b);
}

TEST(mapped)
{
	look_beside("vram");
	look_beside("riscv_virt_board.mrom");
}

/* Places that no file has: of the bitmap, of the pages; a block of more bytes than a file. */
TEST(mapped_hostile)
{
	static const uint64_t v[][3] = {
		{ 60 * 4096, UINT64_MAX - 3, 0x1000 },
		{ 60 * 4096, UINT64_C(1) << 63, 0x1000 },
		{ 60 * 4096, INT64_MAX, 0x1000 },
		{ 60 * 4096, 0x800, UINT64_MAX - 4095 },
		{ 60 * 4096, 0x800, INT64_MAX - 4095 },
		{ (UINT64_C(1) << 63) + 4096, 0x800, UINT64_MAX - 4095 },
	};

	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		struct bytes b = { 0 };
		struct seen s;

		put_at(&b, 0, "QEVM\0\0\0\3\1\0\0\0\2\3ram\0\0\0\0\0\0\0\4", 25);
		put_uint(&b, b.n, v[i][0] | 4, 8, true);
		put_at(&b, b.n, "\6mk.ram", 7);
		put_uint(&b, b.n, v[i][0], 8, true);
		put_uint(&b, b.n, 1, 4, true);
		put_uint(&b, b.n, 4096, 8, true);
		put_uint(&b, b.n, v[i][1], 8, true);
		put_uint(&b, b.n, v[i][2], 8, true);
		put_uint(&b, 0x1000 + 60 * 4096, 0x10, 8, true);
		s = look(&b, NULL);
		if (!CHECK(v[i][1] == INT64_MAX ? !s.ok : strstr(s.why, "list of memory blocks") != NULL))
			printf("\trow %zu: %s\n", i, s.why);
		mk_free(&b);
	}
}
