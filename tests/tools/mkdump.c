/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mkdump - a machine described in text (tests/machine/machine.h), in every container.
 *
 *	mkdump CPU LAYOUT TEXT OUT [CONTAINER...]
 *
 * CPU is a row of tests/machine/paging.c, LAYOUT a layout file for it. Writes OUT.map, a
 * System.map, and OUT.CONTAINER in all containers that the machine can be in, or in those
 * named: elf, elf-bare (without notes), kdump-{zlib,lzo,snappy,zstd,none}, flat (the
 * first of these, flattened), split, raw, and those of mk_containers (lime, avml, mcore1,
 * mcore2, qemu). Prints one line per container: the names to open it by.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/image/decompress.h"
#include "tests/machine/machine.h"

static bool has(void *arg, uint64_t pfn)
{
	const struct machine *m = arg;

	return !m->lost[pfn];
}

static void get(void *arg, uint64_t pfn, uint8_t *out)
{
	const struct machine *m = arg;

	memcpy(out, m->mem + (pfn << m->cpu->page_shift), mpage_size(m));
}

static void save(const char *path, const void *data, size_t n)
{
	FILE *out = fopen(path, "we");

	if (!out || fwrite(data, 1, n, out) != n || fclose(out))
		mdie("%s: cannot be written", path);
}

struct job {
	const char *prefix;
	char **forms;			/* ended by NULL; none: all */
	struct mkimage *im;
};

static bool wanted(const struct job *j, const char *form)
{
	for (char **s = j->forms; *s; s++)
		if (!strcmp(*s, form))
			return true;
	return !*j->forms;
}

static void put(const struct job *j, const char *form, struct bytes (*make)(const struct mkimage *))
{
	char path[4096];
	struct bytes b;

	if (!wanted(j, form))
		return;
	b = make(j->im);
	snprintf(path, sizeof(path), "%s.%s", j->prefix, form);
	save(path, b.v, b.n);
	mk_free(&b);
	printf("%s\n", path);
}

static struct bytes elf_bare(const struct mkimage *im)
{
	struct mkimage bare = *im;

	bare.vmcoreinfo = NULL;
	return mk_elf(&bare);
}

static struct bytes flat(const struct mkimage *im)
{
	struct bytes b = mk_kdump(im), f = mk_flat(&b, 4096);

	mk_free(&b);
	return f;
}

static void put_kdumps(const struct job *j)
{
	static const struct { const char *name; uint32_t how; } ways[] = {
		{ "kdump-none", 0 }, { "kdump-zlib", PAGE_ZLIB }, { "kdump-lzo", PAGE_LZO },
		{ "kdump-snappy", PAGE_SNAPPY }, { "kdump-zstd", PAGE_ZSTD },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		j->im->compress = ways[i].how;
		put(j, ways[i].name, mk_kdump);
	}
	j->im->compress = PAGE_ZLIB;
	put(j, "flat", flat);
}

/* The frame before which half of the pages in the dump are. */
static uint64_t middle_of(const struct mkimage *im)
{
	uint64_t n = 0, half = 0, pfn = 0;

	for (uint64_t i = 0; i < im->max_pfn; i++)
		n += mk_has(im, i);
	for (; pfn < im->max_pfn && half < n / 2; pfn++)
		half += mk_has(im, pfn);
	return pfn;
}

/* makedumpfile --split: each file has a part of the frames. */
static void put_split(const struct job *j)
{
	uint64_t middle = middle_of(j->im);

	if (!wanted(j, "split"))
		return;
	j->im->split = true;
	for (unsigned i = 0; i < 2; i++) {
		char path[4096];
		struct bytes b;

		j->im->split_start = i ? middle : 0;
		j->im->split_end = i ? j->im->max_pfn : middle;
		b = mk_kdump(j->im);
		snprintf(path, sizeof(path), "%s.split.%u", j->prefix, i);
		save(path, b.v, b.n);
		mk_free(&b);
		printf("%s%s", i ? " " : "", path);
	}
	printf("\n");
	j->im->split = false;
}

/* One file for each run: an address space with holes. */
static void put_raw(const char *prefix, const struct mkimage *im)
{
	uint64_t n;
	unsigned i = 0;

	for (uint64_t first = 0; (n = mk_run(im, &first)); first += n, i++) {
		struct bytes b = mk_raw(im, first, n);
		char path[4096];

		snprintf(path, sizeof(path), "%s.raw.%u", prefix, i);
		save(path, b.v, b.n);
		mk_free(&b);
		printf("%s%s@%#llx", i ? " " : "", path,
		       (unsigned long long)first << im->page_shift);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	static struct machine m;
	struct mkimage im = { .has = has, .get = get, .arg = &m, .version = 6 };
	FILE *in = argc >= 5 ? fopen(argv[3], "re") : NULL;
	struct job j = { .prefix = argc >= 5 ? argv[4] : "", .im = &im };
	char path[4096];

	if (!in)
		mdie(argc >= 5 ? "cannot read the text" : "usage: mkdump CPU LAYOUT TEXT OUT");
	m.cpu_name = argv[1];
	machine_read(&m, in);
	fclose(in);
	snprintf(path, sizeof(path), "%s.map", argv[4]);
	machine_lay(&m, path, argv[2]);
	im.big = m.cpu->big;
	im.word = m.cpu->word;
	im.page_shift = m.cpu->page_shift;
	im.max_pfn = m.nframes;
	im.elf_machine = m.cpu->elf_machine;
	im.machine = m.cpu->uname;
	im.release = m.release;
	im.tail = m.cpu->word == 8 ? 424 : 412;
	im.padded = m.cpu->big;
	im.identity = m.cpu->page_offset;
	im.vmcoreinfo = m.vmcoreinfo;
	j.forms = argv + 5;
	put(&j, "elf", mk_elf);
	if (im.vmcoreinfo)
		put(&j, "elf-bare", elf_bare);
	put_kdumps(&j);
	put_split(&j);
	for (unsigned i = 0; i < MK_CONTAINERS; i++)
		if (!im.big || !mk_containers[i].little)
			put(&j, mk_containers[i].name, mk_containers[i].make);
	if (wanted(&j, "raw"))
		put_raw(argv[4], &im);
	return 0;
}
