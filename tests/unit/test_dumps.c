/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every dump named on the command line is read by our own reader and by
 * libkdumpfile, and compared page by page: which pages are there, and their
 * bytes. A file that the installed library cannot open (0.5.1: flattened) is only
 * read through, unless a twin that it can open is named:
 *	test_dumps vmcore vmcore.flat=vmcore part1,part2,part3=vmcore
 * Without arguments: skipped.
 */
#include <stdlib.h>

#include "dumpread/image/format.h"
#include "tests/unit/check.h"

struct side {
	struct image *im;
	struct image_ctx *ctx;
	uint8_t *page;
};

#define PARTS_MAX 16

/* NAMES: one file, or the parts of a split dump with commas between. */
static bool side_open(struct side *s, char *names, const struct image_ops *only,
		      struct diag *g)
{
	const char *paths[PARTS_MAX];
	unsigned n = 0;

	memset(s, 0, sizeof(*s));
	for (char *p = strtok(names, ","); p && n < PARTS_MAX; p = strtok(NULL, ","))
		paths[n++] = p;
	if (image_open_as(paths, n, only, NULL, g, &s->im))
		return false;
	if (s->im->ops->ctx_new)
		s->ctx = s->im->ops->ctx_new(s->im);
	s->page = malloc((size_t)1 << s->im->page_shift);
	return true;
}

static void side_close(struct side *s)
{
	if (!s->im)
		return;
	if (s->ctx)
		s->im->ops->ctx_free(s->ctx);
	free(s->page);
	image_close(s->im);
}

static enum status side_read(struct side *s, uint64_t pfn)
{
	return s->im->ops->read(s->im, s->ctx, pfn, s->page);
}

static void read_through(struct side *s)
{
	uint64_t present = 0, bad = 0;

	for (uint64_t pfn = 0; pfn < s->im->max_pfn; pfn++) {
		bool here = s->im->ops->present(s->im, pfn);
		enum status st = side_read(s, pfn);

		present += here;
		bad += st != (here ? ST_OK : ST_NODATA);
	}
	CHECK_EQ(bad, 0);
	CHECK_EQ(present, image_pages_present(s->im));
}

static void compare_heads(const struct image *a, const struct image *b)
{
	CHECK_EQ(a->page_shift, b->page_shift);
	CHECK_EQ(a->big_endian, b->big_endian);
	CHECK_EQ(a->word_size, b->word_size);
	if (b->elf_machine)	/* not every header gives it */
		CHECK_EQ(a->elf_machine, b->elf_machine);
	CHECK_EQ(a->max_pfn, b->max_pfn);
	CHECK_EQ(a->vmcoreinfo != NULL, b->vmcoreinfo != NULL);
	if (a->vmcoreinfo && b->vmcoreinfo)
		CHECK_STR(a->vmcoreinfo, b->vmcoreinfo);
}

static void compare_pages(struct side *a, struct side *b)
{
	size_t size = (size_t)1 << a->im->page_shift;
	uint64_t presence = 0, status = 0, bytes = 0;

	if (a->im->page_shift != b->im->page_shift)
		return;
	for (uint64_t pfn = 0; pfn < a->im->max_pfn + 16; pfn++) {
		enum status st;

		if (a->im->ops->present(a->im, pfn) != b->im->ops->present(b->im, pfn))
			presence++;
		if (!a->im->ops->present(a->im, pfn))
			continue;
		st = side_read(a, pfn);
		if (st != side_read(b, pfn))
			status++;
		else if (!st && memcmp(a->page, b->page, size))
			bytes++;
	}
	CHECK_EQ(presence, 0);
	CHECK_EQ(status, 0);
	CHECK_EQ(bytes, 0);
}

static void one_dump(char *path)
{
	char *twin = strchr(path, '='), *again;
	struct side ours, theirs;
	struct diag g = { "" };

	if (twin)
		*twin++ = '\0';
	/* opening changes the names */
	again = strdup(twin ? twin : path);

	if (!CHECK(side_open(&ours, path, NULL, &g))) {
		printf("\t%s\n", g.text);
		free(again);
		return;
	}
	printf("%s: %s, %s, %" PRIu64 " of %" PRIu64 " pages, release \"%s\"\n", path,
	       ours.im->format, ours.im->header.compression,
	       image_pages_present(ours.im), ours.im->max_pfn, ours.im->header.release);
	CHECK_EQ(issues_total(&ours.im->issues), 0);
	read_through(&ours);
	if (side_open(&theirs, again, &kdumpfile_image_ops, &g)) {
		compare_heads(ours.im, theirs.im);
		compare_pages(&ours, &theirs);
	} else {
		printf("\tnot compared: %s\n", g.text);
		CHECK(!strstr(g.text, "died of it"));
	}
	side_close(&theirs);
	side_close(&ours);
	free(again);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return CHECK_SKIPPED;
	for (int i = 1; i < argc; i++)
		one_dump(argv[i]);
	return check_done();
}
