/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_types - a file of -t: ELF with DWARF (libelf, libdw), BTF, System.map, VMCOREINFO, a layout
 * file, told apart by its content. What is accepted is asked for names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dumpread/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct dump *d)
{
	static const char *const names[] = {
		"task_struct", "task_struct.mm", "task_struct.mm.pgd", "task_struct.v[]", "nosuch.x",
		"sample_outer.list", "sample_outer.bits.third", "sample_outer.table", "sample_kind.SAMPLE_SEVEN",
	};
	struct member m;
	uint32_t bytes;
	int64_t value;
	uint64_t addr;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		types_member(&d->types, names[i], &m, NULL);
		types_size(&d->types, names[i], &bytes, NULL);
		types_enumerator(&d->types, names[i], &value, NULL);
	}
	symbols_find(&d->symbols, "init_task", &addr, NULL);
	symbols_find(&d->symbols, "", &addr, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *wanted[] = { "task_struct", "sample_outer", "sample_bits", "sample_kind",
				 "word" };
	struct dump d = { .vmcoreinfo = "",
			  .word_size = 8,
			  .elf_machine = 62,
			  .wanted = wanted,
			  .nwanted = sizeof(wanted) / sizeof(wanted[0]) };
	int fd = memfd_create("input", MFD_CLOEXEC);
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	dump_know_machine(&d, path);
	if (!dump_add_file(&d, path))
		ask(&d);
	close(fd);
	types_close(&d.types);
	symbols_close(&d.symbols);
	arena_release(&d.mem);
	return 0;
}
