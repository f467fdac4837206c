/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_elf - an ELF file as a page cache could hold it: headers, build-id, sections,
 * symbols and those packed with xz, names demangled, loads in a process that maps it.
 */
#include <stdlib.h>
#include <string.h>

#include "model/memory/elf/demangle.h"
#include "model/memory/elf/elfloads.h"
#include "model/memory/elf/elfsymbols.h"

#define PAGE 4096u
#define NAMES_MAX 256		/* that are demangled */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Four mappings of the file, and what may be its .bss. */
static void find_loads(const struct elf_head *h)
{
	struct kernel k = { .page_shift = 12 };
	struct mm mm = { .nvmas = 5, .nprocs = 1 };
	struct vma vmas[5];
	struct snapshot s = {
		.k = &k, .mms = &mm, .nmms = 1, .vmas = vmas, .nvmas = 5, .nfiles = 1
	};
	struct elf_loads loads = { 0 };
	struct arena mem = { 0 };

	for (unsigned i = 0; i < 5; i++)
		vmas[i] = (struct vma){ .start = (0x7f0000000ull + i) * PAGE,
					.end = (0x7f0000001ull + i) * PAGE,
					.flags = VMA_READ,
					.pgoff = i,
					.file = i < 4 ? 0 : NONE };
	elf_loads_find(&s, &mm, 0, h, &mem, &loads);
	arena_release(&mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena mem = { 0 };
	struct elf_symbols y;
	struct demangler *d;
	struct elf_image *e;
	uint8_t *copy;

	copy = malloc(size + 1);
	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	if (!elf_open_memory(copy, size, &e)) {
		d = demangler_new();
		elf_symbols_read(e, &mem, &y);
		for (size_t i = 0; i < y.n && i < NAMES_MAX; i++)
			demangle(d, y.v[i].name, &mem);
		find_loads(elf_head(e));
		demangler_free(d);
		elf_close(e);
	}
	arena_release(&mem);
	free(copy);
	return 0;
}
