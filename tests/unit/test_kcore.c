/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file in the shape of /proc/kcore of x86-64 (fs/proc/kcore.c): offsets are
 * addresses less the top bits, segments overlap in memory, and areas without a
 * place in memory say so with a physical address of all ones.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "dumpread/image/image.h"
#include "tests/unit/check.h"

#define PAGE 4096
#define NOTE "OSRELEASE=6.1.0-test\nPAGESIZE=4096\n"
#define DIRECT 0x40000000	/* of the direct map, in the file */
#define TEXT 0x80000000		/* of the kernel image */
#define VMALLOC 0x60000000

static void write_at(int fd, off_t at, const void *p, size_t n)
{
	CHECK(pwrite(fd, p, n, at) == (ssize_t)n);
}

static Elf64_Phdr load(uint64_t offset, uint64_t pa, uint64_t size)
{
	return (Elf64_Phdr){ .p_type = PT_LOAD, .p_offset = offset, .p_paddr = pa,
			     .p_vaddr = 0xffff800000000000 + offset, .p_filesz = size,
			     .p_memsz = size };
}

static void write_page(int fd, off_t at, uint8_t fill)
{
	uint8_t page[PAGE];

	memset(page, fill, sizeof(page));
	write_at(fd, at, page, sizeof(page));
}

/* 16 pages of memory, a hole of 16, 16 more; text is in the second half. */
static void write_kcore(int fd)
{
	struct { Elf64_Nhdr h; char name[12], text[64]; } note = {
		{ 11, sizeof(note.text), 0 }, "VMCOREINFO", NOTE };
	Elf64_Phdr ph[] = {
		{ .p_type = PT_NOTE, .p_offset = 2048, .p_filesz = sizeof(note) },
		load(TEXT, 40 * PAGE, 2 * PAGE),
		load(VMALLOC, UINT64_MAX, UINT64_C(0x20000000)),
		load(DIRECT, 0, 16 * PAGE),
		load(DIRECT + 32 * PAGE, 32 * PAGE, 16 * PAGE),
	};
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			  .e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = 1,
			  .e_phoff = sizeof(eh), .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(ph[0]), .e_phnum = sizeof(ph) / sizeof(ph[0]) };

	write_at(fd, 0, &eh, sizeof(eh));
	write_at(fd, sizeof(eh), ph, sizeof(ph));
	write_at(fd, 2048, &note, sizeof(note));
	write_page(fd, VMALLOC, 0xee);
	write_page(fd, DIRECT + 3 * PAGE, 3);
	write_page(fd, DIRECT + 47 * PAGE, 47);
	write_page(fd, DIRECT + 40 * PAGE, 40);
	write_page(fd, TEXT, 40);
	CHECK(!ftruncate(fd, TEXT + 2 * PAGE));
}

static uint8_t byte_of(struct image *im, struct image_ctx *ctx, uint64_t pfn)
{
	uint8_t page[PAGE] = { 0xff };

	CHECK(!im->ops->read(im, ctx, pfn, page));
	return page[PAGE - 1];
}

static void test_copy(const char *path)
{
	struct image_ctx *ctx;
	struct image *im;
	struct diag diag;

	CHECK(!image_open(&path, 1, NULL, &diag, &im));
	CHECK_STR(im->format, "ELF64, kcore");
	CHECK(!im->live);
	CHECK_EQ(im->max_pfn, 48);
	CHECK_EQ(im->pages_present, 32);
	CHECK_EQ(issues_total(&im->issues), 0);
	CHECK_STR(im->header.release, "6.1.0-test");
	/* where the kernel has it mapped; vmalloc has no one place */
	if (CHECK_EQ(im->nmapped, 3)) {
		CHECK_EQ(im->mapped[0].va, 0xffff800000000000 + TEXT);
		CHECK_EQ(im->mapped[0].pa, 40 * PAGE);
		CHECK_EQ(im->mapped[2].size, 16 * PAGE);
	}
	ctx = im->ops->ctx_new(im);
	CHECK_EQ(byte_of(im, ctx, 3), 3);
	CHECK_EQ(byte_of(im, ctx, 4), 0);
	CHECK_EQ(byte_of(im, ctx, 40), 40);
	CHECK_EQ(byte_of(im, ctx, 47), 47);
	CHECK(im->ops->present(im, 15) && !im->ops->present(im, 16));
	CHECK(!im->ops->present(im, 31) && im->ops->present(im, 32));
	im->ops->ctx_free(ctx);
	image_close(im);
}

/* A file is live if it lies in procfs, whatever its name. */
static void test_name(const char *path)
{
	char dir[] = "/tmp/vmcensus-kcore-XXXXXX", name[80];
	struct image *im;
	struct diag diag;
	const char *p = name;

	CHECK(mkdtemp(dir) != NULL);
	snprintf(name, sizeof(name), "%s/kcore", dir);
	CHECK(!rename(path, name));
	CHECK(!image_open(&p, 1, NULL, &diag, &im));
	CHECK(!im->live);
	image_close(im);
	snprintf(name, sizeof(name), "%s/live", dir);
	CHECK(!symlink("kcore", name));
	CHECK(!image_open(&p, 1, NULL, &diag, &im));
	CHECK(!im->live);
	image_close(im);
	unlink(name);
	snprintf(name, sizeof(name), "%s/kcore", dir);
	unlink(name);
	rmdir(dir);
}

/* The word itself: the running kernel, or one sentence that says why not. */
static void test_word(void)
{
	const char *word = "live";
	struct image *im;
	struct diag diag = { "" };

	if (!image_open(&word, 1, NULL, &diag, &im)) {
		CHECK(im->live);
		image_close(im);
	} else {
		CHECK(!strncmp(diag.text, "/proc/kcore: ", 13));
	}
}

int main(void)
{
	char path[] = "/tmp/vmcensus-kcore-XXXXXX";
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	write_kcore(fd);
	close(fd);
	test_copy(path);
	test_name(path);
	test_word();
	return check_done();
}
