/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * convert - one dump in every container.
 *
 *	convert [-p ADDRESS=HEX] OUT IMAGE...
 *
 * -p puts other bytes at a physical address, within a page.
 * Writes OUT.elf (without notes), OUT.NAME for each of mk_containers, OUT.vmcoreinfo (its
 * text) and OUT.raw.N for the runs of pages, with gaps of less than 8 MiB filled with zeros.
 * Prints one line per container: the names to open it by. Raw memory has several,
 * FILE@ADDRESS. mcore's identity map is taken to be at that of x86-64.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/dump.h"
#include "tests/unit/mkimage.h"

#define GAP 2048u			/* pages */
#define IDENTITY UINT64_C(0xffff888000000000)

static struct {
	uint64_t at;
	uint8_t v[16];
	unsigned n;
} patch;

static bool has(void *arg, uint64_t pfn)
{
	return reader_present(arg, pfn);
}

static void get(void *arg, uint64_t pfn, uint8_t *out)
{
	uint32_t size = dump_page_size(reader_dump(arg));
	struct page_ref ref;

	if (reader_page(arg, pfn, &ref))
		exit(1);
	memcpy(out, ref.data, size);
	reader_release(arg, &ref);
	if (patch.n && patch.at / size == pfn && patch.at % size + patch.n <= size)
		memcpy(out + patch.at % size, patch.v, patch.n);
}

static bool read_patch(const char *text)
{
	char *end;

	patch.at = strtoull(text, &end, 0);
	for (text = end + (*end == '='); *text && patch.n < sizeof(patch.v); text += 2)
		if (sscanf(text, "%2hhx", &patch.v[patch.n++]) != 1 || !text[1])
			return false;
	return patch.n && !*text;
}

static void save(const char *path, const void *data, size_t n)
{
	FILE *out = fopen(path, "we");

	if (!out || fwrite(data, 1, n, out) != n || fclose(out)) {
		perror(path);
		exit(1);
	}
}

static void put(const char *prefix, const char *form, struct bytes b)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s.%s", prefix, form);
	save(path, b.v, b.n);
	mk_free(&b);
	printf("%s\n", path);
}

static void put_raw(const char *prefix, const struct mkimage *m)
{
	uint64_t first = 0, n = mk_run(m, &first), next, more;
	char path[4096];
	unsigned i = 0;

	for (; n; first = next, n = more, i++) {
		struct bytes b;

		for (;;) {
			next = first + n;
			more = mk_run(m, &next);
			if (!more || next - (first + n) > GAP)
				break;
			n = next + more - first;
		}
		snprintf(path, sizeof(path), "%s.raw.%u", prefix, i);
		b = mk_raw(m, first, n);
		save(path, b.v, b.n);
		mk_free(&b);
		/* both spellings of an address */
		printf(i % 2 ? "%s%s@%" PRIu64 : "%s%s@%#" PRIx64, i ? " " : "", path,
		       first << m->page_shift);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	struct mkimage m = { .has = has, .get = get, .identity = IDENTITY };
	bool patched = argc > 2 && !strcmp(argv[1], "-p") && read_patch(argv[2]);
	struct diag diag;
	struct dump *d;
	char path[4096];

	argc -= patched ? 2 : 0;
	argv += patched ? 2 : 0;
	if (argc < 3 || dump_open((const char *const *)argv + 2, (unsigned)argc - 2, NULL, &diag,
				  &d)) {
		fprintf(stderr, "convert: %s\n", argc < 3 ? "usage: convert [-p "
									   "ADDRESS=HEX] OUT IMAGE..."
							  : diag.text);
		return 1;
	}
	m.arg = reader_new(d);
	m.big = d->big_endian;
	m.word = d->word_size;
	m.page_shift = d->page_shift;
	m.max_pfn = d->max_pfn;
	m.elf_machine = d->elf_machine;
	put(argv[1], "elf", mk_elf(&m));
	for (unsigned i = 0; i < MK_CONTAINERS; i++)
		put(argv[1], mk_containers[i].name, mk_containers[i].make(&m));
	put_raw(argv[1], &m);
	snprintf(path, sizeof(path), "%s.vmcoreinfo", argv[1]);
	save(path, d->vmcoreinfo, strlen(d->vmcoreinfo));
	reader_free(m.arg);
	dump_close(d);
	return 0;
}
