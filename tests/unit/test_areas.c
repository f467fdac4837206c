/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The class of each vma. The first address space is that of Figure 4 of the USENIX
 * 2005 paper, with the flags and the letters that it prints; the others are programs on
 * later kernels.
 */
#include "model/memory/areas/areas.h"
#include "tests/unit/check.h"

enum { EXE, LIB, LD, DATA, TMPFS, MEMFD, HUGE_FILE, ZERO, CARD, TINY, NFILES };

static struct file files[NFILES] = {
	[EXE] = { .path = "/bin/myinit", .inode = 1 },
	[LIB] = { .path = "/lib/libc-2", .inode = 2 },
	[LD] = { .path = "/lib/ld-2", .inode = 3 },
	[DATA] = { .path = "/usr/lib/locale/C", .inode = 4 },
	[TMPFS] = { .path = "/dev/shm/x", .inode = 5, .kind = FILE_SHMEM },
	[MEMFD] = { .path = "/memfd:jit (deleted)", .inode = 6, .kind = FILE_SHMEM },
	[HUGE_FILE] = { .path = "/anon_hugepage (deleted)", .inode = 7, .kind = FILE_HUGETLB },
	[ZERO] = { .path = "/dev/zero", .inode = 8, .kind = FILE_DEVICE },
	[CARD] = { .path = "/dev/dri/card0", .inode = 9, .kind = FILE_DEVICE },
	[TINY] = { .path = "/lib/tiny.so", .inode = 10, .size = 0x3000 },
};

#define VMAS 24

struct set {
	struct kernel k;
	struct mm mm;
	struct vma vmas[VMAS];
	struct snapshot s;
	struct area *areas;
	struct arena mem;
};

static void setup(struct set *m, int major, int minor, uint32_t exe, uint32_t n)
{
	m->k = (struct kernel){ .page_shift = 12, .version.major = major, .version.minor = minor };
	rules_decide(&m->k.version, NULL, &m->k.rules);
	m->mm.exe = exe;
	m->mm.nvmas = n;
	m->mm.nprocs = 1;
	m->s = (struct snapshot){ .k = &m->k, .mms = &m->mm, .nmms = 1, .vmas = m->vmas,
				  .nvmas = n, .files = files, .nfiles = NFILES };
	m->mem = (struct arena){ 0 };
	m->areas = areas_build(&m->s, &m->mem);
}

static void check_area(const struct set *m, uint32_t i, const char *sym, const char *class,
		       uint32_t owner)
{
	char buf[AREA_SYM];

	area_sym(m->areas[i].flags, buf);
	CHECK_STR(buf, sym);
	CHECK_STR(area_class_name(m->areas[i].class), class);
	CHECK_EQ(m->areas[i].file, owner);
}

/* Figure 4, with its letters; the kernel's flags are as in Figures 1 and 9. */
static const struct {
	uint64_t start, last, flags;
	uint32_t file;
	const char *sym, *class;
	uint32_t owner;
	uint64_t paper;
} figure4[] = {
	{ 0x0FE94000, 0x0FFB0FFF, 0x75, LIB, "..r.x.", "lib_text", LIB, 0x75 },
	{ 0x0FFB1000, 0x0FFB3FFF, 0x70, LIB, "......", "none", LIB, 0x70 },
	{ 0x0FFB4000, 0x0FFC7FFF, 0x77, LIB, "..rwx.", "lib_data", LIB, 0x77 },
	{ 0x0FFC8000, 0x0FFCCFFF, 0x77, NONE, "..rwxB", "lib_bss", LIB, 0x20000077 },
	{ 0x10000000, 0x1000EFFF, 0x1875, EXE, ".Xr.x.", "text", EXE, 0x1875 },
	{ 0x1001E000, 0x1001EFFF, 0x1877, EXE, ".Xrwx.", "data", EXE, 0x1877 },
	{ 0x1001F000, 0x10025FFF, 0x77, NONE, ".XrwxB", "heap", EXE, 0x20001077 },
	{ 0x30000000, 0x30016FFF, 0x875, LD, "..r.x.", "lib_text", LD, 0x875 },
	{ 0x30026000, 0x30026FFF, 0x877, LD, "..rwx.", "lib_data", LD, 0x877 },
	{ 0x30027000, 0x30027FFF, 0x77, NONE, "..rwxB", "lib_bss", LD, 0x20000077 },
	{ 0x7FFFC000, 0x7FFFFFFF, 0x177, NONE, "S.rwx.", "stack", NONE, 0x177 },
};

TEST(paper)
{
	struct set m = { 0 };
	uint32_t n = sizeof(figure4) / sizeof(figure4[0]);
	struct area_sums sums;

	for (uint32_t i = 0; i < n; i++) {
		m.vmas[i] = (struct vma){ .start = figure4[i].start, .end = figure4[i].last + 1,
					  .flags = figure4[i].flags, .file = figure4[i].file };
		m.vmas[i].usage.rss = UINT64_C(4096) << i;
	}
	setup(&m, 2, 4, NONE, n);
	for (uint32_t i = 0; i < n; i++) {
		check_area(&m, i, figure4[i].sym, figure4[i].class, figure4[i].owner);
		CHECK_EQ(area_paper_flags(&m.s, &m.vmas[i], &m.areas[i]), figure4[i].paper);
	}
	area_sums(&m.s, m.areas, &m.mm, &sums);
	CHECK_EQ(sums.phys[AREA_LIB_TEXT], 4096 << 0 | 4096 << 7);
	CHECK_EQ(sums.virt[AREA_LIB_BSS], 6 * 4096);
	CHECK_EQ(area_rw(sums.phys), UINT64_C(4096) * (4 + 8 + 32 + 64 + 256 + 512 + 1024));
	CHECK_EQ(area_rx(sums.phys), UINT64_C(4096) * (1 + 16 + 128));
	arena_release(&m.mem);
}

/* A PIE of today: four segments, RELRO, the heap far from .bss, locale files. */
TEST(modern)
{
	struct set m = { .mm = { .start_brk = 0x900000, .brk = 0x921000 } };
	const struct vma v[] = {
		{ .start = 0x400000, .end = 0x401000, .flags = 0x71, .file = EXE },
		{ .start = 0x401000, .end = 0x402000, .flags = 0x75, .file = EXE, .pgoff = 1 },
		{ .start = 0x402000, .end = 0x403000, .flags = 0x71, .file = EXE, .pgoff = 2 },
		/* RELRO beside the rest of data */
		{ .start = 0x403000, .end = 0x404000, .flags = 0x71, .file = EXE, .pgoff = 2 },
		{ .start = 0x404000, .end = 0x405000, .flags = 0x73, .file = EXE, .pgoff = 3 },
		{ .start = 0x405000, .end = 0x406000, .flags = 0x73, .file = NONE },
		{ .start = 0x900000, .end = 0x921000, .flags = 0x73, .file = NONE },
		{ .start = 0x7000000, .end = 0x7001000, .flags = 0x71, .file = DATA },
		/* right after a file without an executable vma */
		{ .start = 0x7001000, .end = 0x7002000, .flags = 0x73, .file = NONE },
		{ .start = 0x7100000, .end = 0x7101000, .flags = 0x75, .file = LIB },
		/* RELRO that is all of the data: it was written to */
		{ .start = 0x7101000, .end = 0x7102000, .flags = 0x71, .file = LIB, .pgoff = 7,
		  .anon_vma = 1 },
		{ .start = 0x7200000, .end = 0x7201000, .flags = 0x75, .file = TINY },
		{ .start = 0x7201000, .end = 0x7202000, .flags = 0x73, .file = TINY, .pgoff = 1 },
		/* more .bss than the file could have: merged with an earlier mapping */
		{ .start = 0x7202000, .end = 0x7402000, .flags = 0x73, .file = NONE },
		{ .start = 0x7500000, .end = 0x7501000, .flags = 0x70, .file = NONE },
		{ .start = 0x7600000, .end = 0x7601000, .flags = 0xfb, .file = TMPFS },
		{ .start = 0x7700000, .end = 0x7701000, .flags = 0xff, .file = MEMFD },
		{ .start = 0x7800000, .end = 0x7a00000, .flags = 0x4000fb, .file = HUGE_FILE },
		{ .start = 0x7b00000, .end = 0x7b01000, .flags = 0x73, .file = ZERO },
		{ .start = 0x7c00000, .end = 0x7c01000, .flags = 0x44fb, .file = CARD, .ops = 1 },
		{ .start = 0x7d00000, .end = 0x7d01000, .flags = 0x75, .file = NONE, .ops = 1 },
		{ .start = 0x7e00000, .end = 0x7e01000, .flags = 0x173, .file = NONE },
	};
	static const struct { const char *sym, *class; uint32_t owner; } is[] = {
		{ ".Xr...", "text", EXE }, { ".Xr.x.", "text", EXE }, { ".Xr...", "text", EXE },
		{ ".Xr...", "data", EXE }, { ".Xrw..", "data", EXE }, { ".Xrw.B", "heap", EXE },
		{ ".Xrw.B", "heap", EXE }, { "..r...", "file", DATA }, { "..rw..", "anon", NONE },
		{ "..r.x.", "lib_text", LIB }, { "..r...", "lib_data", LIB },
		{ "..r.x.", "lib_text", TINY }, { "..rw..", "lib_data", TINY },
		{ "..rw..", "anon", NONE }, { "......", "none", NONE },
		{ "..rw..", "shmem", TMPFS }, { "..rwx.", "shmem", MEMFD },
		{ "..rw..", "hugetlb", HUGE_FILE }, { "..rw..", "anon", ZERO },
		{ "..rw..", "other", CARD }, { "..r.x.", "other", NONE },
		{ "S.rw..", "stack", NONE },
	};
	uint32_t n = sizeof(v) / sizeof(v[0]);

	for (uint32_t i = 0; i < n; i++)
		m.vmas[i] = v[i];
	setup(&m, 6, 1, EXE, n);
	for (uint32_t i = 0; i < n; i++)
		check_area(&m, i, is[i].sym, is[i].class, is[i].owner);
	/* bits whose meaning has changed are not added */
	CHECK_EQ(area_paper_flags(&m.s, &m.vmas[5], &m.areas[5]), 0x73);
	arena_release(&m.mem);
}

/* 0x1000 is VM_EXECUTABLE to 3.6 and something else later. */
TEST(marked)
{
	struct set m = { .vmas = {
		{ .start = 0x1000, .end = 0x2000, .flags = 0x1075, .file = LIB } } };

	setup(&m, 3, 6, NONE, 1);
	check_area(&m, 0, ".Xr.x.", "text", LIB);
	arena_release(&m.mem);
	setup(&m, 5, 10, NONE, 1);
	check_area(&m, 0, "..r.x.", "lib_text", LIB);
	arena_release(&m.mem);
}
