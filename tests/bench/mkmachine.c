/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mkmachine - writes the dump of a machine that never was, of any size up to 32 TiB.
 *
 *	mkmachine VMLINUX OUT NAME=VALUE...
 *
 *	RAM_MIB NODES HOLE_MIB		memory, in so many nodes, with holes between them
 *	PROCS SHARED_MIB PRIVATE_MIB	processes; each maps the same of a tmpfs file, all
 *					touched, and anonymous memory of its own
 *	THP_MIB				anonymous memory in huge pages, divided among all
 *	HUGE_2M_MIB HUGE_1G_MIB		pools of hugetlb; a process maps up to 512 MiB and
 *					16 GiB of them, together with others
 *	CACHE_MIB			page cache that nothing maps
 *	VMAS				of all processes; what is beyond the above is empty
 *	HVO				1: struct pages of hugetlb's tails are shared (default)
 *	EXCLUDED			1: as makedumpfile -e
 *	SHARE				1: struct pages of free memory and page cache share data
 *					in the dump, which stays small, and compresses too well
 *	ZSTD				1: the compressor, in place of zlib
 *
 * A kdump-compressed file as makedumpfile -d 31 leaves it: the kernel's memory, no user
 * pages. Prints the pages written, the pages mapped and the processes' vmas. The machine
 * is planned in machine/plan.c; machine/memory.c computes each page when it is written.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/machine/kdump.h"
#include "tests/bench/machine/memory.h"

static void set_size(struct size *z, const char *arg)
{
	const struct {
		const char *name;
		uint64_t *value, unit;
	} sizes[] = {
		{ "RAM_MIB", &z->ram, 256 },
		{ "NODES", &z->nodes, 1 },
		{ "HOLE_MIB", &z->hole, 256 },
		{ "PROCS", &z->procs, 1 },
		{ "SHARED_MIB", &z->shared, 256 },
		{ "PRIVATE_MIB", &z->private, 256 },
		{ "THP_MIB", &z->thp, 256 },
		{ "HUGE_2M_MIB", &z->huge_2m, 256 },
		{ "HUGE_1G_MIB", &z->huge_1g, 256 },
		{ "CACHE_MIB", &z->cache, 256 },
		{ "VMAS", &z->vmas, 1 },
		{ "HVO", &z->hvo, 1 },
		{ "EXCLUDED", &z->excluded, 1 },
		{ "SHARE", &z->share, 1 },
		{ "ZSTD", &z->zstd, 1 },
	};
	size_t len = strcspn(arg, "=");

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (arg[len] && strlen(sizes[i].name) == len && !strncmp(arg, sizes[i].name, len)) {
			*sizes[i].value = strtoull(arg + len + 1, NULL, 10) * sizes[i].unit;
			return;
		}
	die(arg);
}

int main(int argc, char **argv)
{
	static struct machine m = { .size = { .ram = 6144 * 256, .procs = 61, .nodes = 1, .hvo = 1 } };
	uint64_t mapped = 0, pages;
	char build_id[41] = "";

	if (argc < 3)
		die("usage: mkmachine VMLINUX OUT NAME=VALUE...");
	for (int i = 3; i < argc; i++)
		set_size(&m.size, argv[i]);
	m.size.ram = up(m.size.ram, SECTION_PAGES) * SECTION_PAGES;
	m.size.hole = up(m.size.hole, SECTION_PAGES) * SECTION_PAGES;
	if (!m.size.procs || m.size.procs > 4000000 || !m.size.nodes ||
	    m.size.nodes > BENCH_NODES || m.size.nodes > m.size.ram / SECTION_PAGES ||
	    m.size.ram + m.size.nodes * m.size.hole > UINT64_C(1) << 33)
		die("at least one process, 64 nodes and 32 TiB of addresses at most");
	image_load(&m, argv[1], build_id);
	plan(&m);
	image_patch(&m);
	pages = kdump_write(&m, argv[2], build_id);
	for (unsigned i = 0; i < m.nseg; i++)
		mapped += m.size.procs * m.seg[i].pages;
	printf("written %" PRIu64 " mapped %" PRIu64 " vmas %" PRIu64 "\n", pages, mapped,
	       m.size.procs * (m.nseg + m.extra_vmas));
	return 0;
}
