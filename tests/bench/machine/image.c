/* SPDX-License-Identifier: GPL-3.0-or-later */
/* image.c - the kernel image: kernel.c as it is linked. */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/machine/memory.h"

static Elf *elf;

uint64_t image_symbol(const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 0; gelf_getsym(elf_getdata(scn, NULL), i, &sym); i++)
			if (!strcmp(elf_strptr(elf, sh.sh_link, sym.st_name), name))
				return sym.st_value;
	}
	die(name);
}

static void read_build_id(char *out)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		const uint8_t *note;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE || sh.sh_size < 36)
			continue;
		note = elf_rawdata(scn, NULL)->d_buf;
		for (unsigned i = 0; i < 20; i++)
			snprintf(out + 2 * i, 3, "%02x", note[16 + i]);
	}
}

static void load_segments(struct kernel_image *im, int fd)
{
	GElf_Phdr ph;

	for (int i = 0; gelf_getphdr(elf, i, &ph); i++) {
		uint64_t at = ph.p_vaddr - TEXT;

		if (ph.p_type != PT_LOAD)
			continue;
		if (at > im->pages * PAGE || ph.p_memsz > im->pages * PAGE - at ||
		    pread(fd, im->bytes + at, ph.p_filesz, (off_t)ph.p_offset) !=
			    (ssize_t)ph.p_filesz)
			die("the vmlinux does not lie where it should");
	}
}

/* The file at NAME and its mapping. */
static uint64_t file_of(const struct kernel_image *im, const char *name, uint64_t *mapping)
{
	uint64_t kva = image_symbol(name);
	const struct file *f = (const struct file *)(im->bytes + (kva - TEXT));

	*mapping = (uint64_t)(uintptr_t)f->f_mapping;
	return kva;
}

void image_load(struct machine *m, const char *vmlinux, char *build_id)
{
	struct kernel_image *im = &m->image;
	int fd = open(vmlinux, O_RDONLY);

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		die("cannot read the vmlinux");
	im->pages = 512;
	im->bytes = alloc(im->pages * PAGE);
	load_segments(im, fd);
	read_build_id(build_id);
	im->init_task = image_symbol("init_task");
	im->exe_file = file_of(im, "exe_file", &im->exe_mapping);
	im->shared_file = file_of(im, "shared_file", &im->shared_mapping);
	im->huge_2m_file = file_of(im, "huge_2m_file", &im->huge_2m_mapping);
	im->huge_1g_file = file_of(im, "huge_1g_file", &im->huge_1g_mapping);
}
