/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbol table of a vmlinux, copied: the file is not kept open for it. */
#include <gelf.h>
#include <string.h>

#include "dumpread/symbols/sources.h"
#include "dumpread/symbols/symlist.h"

static bool wanted(const GElf_Sym *s)
{
	unsigned type = GELF_ST_TYPE(s->st_info);

	return s->st_shndx != SHN_UNDEF &&
	       (type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC);
}

static void take_section(struct symlist *l, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;

	for (size_t i = 0; i < n; i++) {
		const char *name;
		GElf_Sym s;

		if (!gelf_getsym(data, (int)i, &s) || !wanted(&s))
			continue;
		name = elf_strptr(elf, sh->sh_link, s.st_name);
		if (name && !symlist_add(l, name, strlen(name), s.st_value,
					 GELF_ST_BIND(s.st_info) != STB_LOCAL))
			return;
	}
}

enum status symbols_add_elf(struct dump *d, Elf *elf, const char *path)
{
	struct symlist *l = symlist_new();
	Elf_Scn *scn = NULL;
	enum status st;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			take_section(l, elf, scn, &sh);
	}
	symlist_finish(l);
	st = l->n ? symlist_relocate(l, d) : fail(&d->diag, ST_ABSENT, "no symbol table in it");
	if (st) {
		fail_in(&d->diag, st, "%s", path);
		symlist_free(l);
		return st;
	}
	return symlist_attach(l, d, "vmlinux");
}
