/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * VMCOREINFO that is not in the notes: found in raw memory, where it gives the word size,
 * page size and, by the header of the kernel's own note, the byte order; and given as a text
 * file. The note's layout: elf(5), "Notes".
 */
#include <elf.h>
#include <unistd.h>

#include "dumpread/dump.h"
#include "tests/unit/check.h"
#include "tests/unit/mkimage.h"

#define TEXT(page, list) "OSRELEASE=4.4.0-test\nPAGESIZE=" page "\nSYMBOL(x)=c0000000\n" \
	"SIZE(list_head)=" list "\nOFFSET(page.flags)=0\n"
#define PAGES 700u

/* Memory with TEXT as data at DATA and as a note at NOTE (both 0: none). */
static struct bytes memory(const char *text, uint64_t data, uint64_t note, bool big)
{
	struct bytes b = { 0 };

	put_uint(&b, PAGES * 4096 - 1, 0, 1, false);
	if (data)
		put_at(&b, data, text, strlen(text));
	if (note) {
		put_uint(&b, note, 11, 4, big);
		put_uint(&b, note + 4, strlen(text), 4, big);
		put_at(&b, note + 12, "VMCOREINFO\0", 12);
		put_at(&b, note + 24, text, strlen(text));
	}
	return b;
}

static struct dump *open_raw(const struct bytes *b)
{
	char path[64], name[96];
	const char *names[] = { name };
	struct diag g = { "" };
	struct dump *d;

	snprintf(name, sizeof(name), "%s@0", mk_file(b, b->n, path));
	if (!CHECK(dump_open(names, 1, NULL, &g, &d) == ST_OK))
		d = NULL;
	unlink(path);
	return d;
}

static void check_found(bool big, const char *text, unsigned word, unsigned shift, unsigned jobs)
{
	struct bytes b = memory(text, 600 * 4096 + 64, 64 * 4096, big);
	struct dump *d = open_raw(&b);

	if (d) {
		d->jobs = jobs;
		CHECK_EQ(d->word_size, 0);
		CHECK(vmcoreinfo_scan(d));
		CHECK_STR(d->release, "4.4.0-test");
		CHECK_STR(d->vmcoreinfo, text);
		CHECK_EQ(d->word_size, word);
		CHECK_EQ(d->big_endian, big);
		CHECK_EQ(d->page_shift, shift);
		CHECK_EQ(d->image->page_shift, shift);
		CHECK_EQ(d->max_pfn, (PAGES * 4096 + (1u << shift) - 1) >> shift);
		dump_close(d);
	}
	mk_free(&b);
}

/* Two different texts, each once: the lower address wins, for any number of threads. */
static void test_lower_wins(void)
{
	static const char other[] = TEXT("65536", "8");

	for (unsigned jobs = 1; jobs < 9; jobs += 3) {
		struct bytes b = memory(TEXT("4096", "16"), 600 * 4096, 0, false);
		struct dump *d;

		put_at(&b, 20 * 4096, other, sizeof(other) - 1);
		d = open_raw(&b);
		if (d) {
			d->jobs = jobs;
			CHECK(vmcoreinfo_scan(d));
			CHECK_STR(d->vmcoreinfo, other);
			dump_close(d);
		}
		mk_free(&b);
	}
}

static void test_text_file(void)
{
	static const char text[] = TEXT("4096", "8"), wrong[] = "OSRELEASE=5.0.0\nPAGESIZE=4096\n";
	struct bytes b = memory("", 0, 0, false), t = { 0 }, w = { 0 };
	struct dump *d = open_raw(&b);
	char path[64], bad[64];

	put_at(&t, 0, text, sizeof(text) - 1);
	put_at(&w, 0, wrong, sizeof(wrong) - 1);
	mk_file(&t, t.n, path);
	mk_file(&w, w.n, bad);
	if (d) {
		dump_know_machine(d, path);
		CHECK_STR(d->vmcoreinfo, text);
		CHECK_STR(d->release, "4.4.0-test");
		CHECK_EQ(d->word_size, 4);
		CHECK_EQ(dump_add_file(d, path), ST_OK);
		CHECK_EQ(dump_add_file(d, bad), ST_CORRUPT);
		CHECK_STR(d->vmcoreinfo, text);
		dump_close(d);
	}
	unlink(path);
	unlink(bad);
	mk_free(&b);
	mk_free(&t);
	mk_free(&w);
}

/* The head of a layout file; an ELF header. Neither replaces known values. */
static void test_machine(void)
{
	static const char layout[] = "# vmcensus layout 1\nmachine 20\nword 4\norder big\n";
	static const uint8_t elf[64] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1,
					 [16] = 2, [18] = EM_X86_64 };
	struct bytes b = memory("", 0, 0, false), l = { 0 }, e = { 0 };
	struct dump *d = open_raw(&b);
	char path[64], elf_path[64];

	put_at(&l, 0, layout, sizeof(layout) - 1);
	put_at(&e, 0, elf, sizeof(elf));
	mk_file(&l, l.n, path);
	mk_file(&e, e.n, elf_path);
	if (d) {
		dump_know_machine(d, path);
		dump_know_machine(d, elf_path);
		CHECK_EQ(d->elf_machine, EM_PPC);
		CHECK_EQ(d->word_size, 4);
		CHECK(d->big_endian);
		dump_close(d);
	}
	d = open_raw(&b);
	if (d) {
		dump_know_machine(d, elf_path);
		CHECK_EQ(d->elf_machine, EM_X86_64);
		CHECK_EQ(d->word_size, 8);
		CHECK(!d->big_endian);
		dump_close(d);
	}
	unlink(path);
	unlink(elf_path);
	mk_free(&b);
	mk_free(&l);
	mk_free(&e);
}

int main(void)
{
	check_found(false, TEXT("4096", "16"), 8, 12, 1);
	check_found(true, TEXT("4096", "8"), 4, 12, 3);
	check_found(true, TEXT("65536", "16"), 8, 16, 7);
	test_lower_wins();
	test_text_file();
	test_machine();
	return check_done();
}
