/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sections - memory of each section of mapped ELF files.
 */
#include <elf.h>

#include "dumpread/base/bytes.h"
#include "reports/file/elf_files.h"
#include "reports/file/sizes_cols.h"

struct row {
	const char *file, *section, *perms, *from;
	uint64_t procs, addr, offset, size;
	struct sizes_cells z;
};

#define P COL_SHOWN
#define PT (COL_SHOWN | COL_TOTAL)

static const struct column cols[] = {
	COL(struct row, procs, COL_UINT, P, "", "processes that map the file"),
	Z_COLUMNS(struct row, PT),
	COL(struct row, addr, COL_HEX, 0, "", "address in the file (sh_addr)"),
	COL(struct row, offset, COL_BYTES, 0, "bytes", "offset in the file"),
	COL(struct row, size, COL_BYTES, 0, "bytes", "size by the file (sh_size)"),
	COL(struct row, perms, COL_STR, P, "", "r, w, x, from the file"),
	COL(struct row, section, COL_STR, P, "", "name; a segment if section names are missing"),
	COL(struct row, file, COL_STR, P, "", "path"),
	COL(struct row, from, COL_STR, 0, "", "where the file's headers were read"),
};

struct maker {
	struct table *t;
	VEC(struct row) rows;
};

static const char *perms(bool w, bool x)
{
	return w ? x ? "rwx" : "rw-" : x ? "r-x" : "r--";
}

static void add_section(struct maker *k, struct elf_mapped *m, struct row row)
{
	struct row *r = vec_push(&k->t->mem, &k->rows);
	struct elf_range range = { row.addr, row.addr + row.size };
	struct sizes z;

	*r = row;
	r->file = m->s->files[m->file].path;
	r->from = m->found.from;
	r->procs = m->procs;
	elf_mapped_sizes(m, &range, 1, &z);
	sizes_cells_set(&r->z, &z);
}

static void add_sections(void *arg, struct elf_mapped *m)
{
	const struct elf_head *h = m->head;
	struct maker *k = arg;

	for (unsigned i = 0; i < h->nsections; i++) {
		const struct elf_section *c = &h->sections[i];

		/* .tbss is room in each thread's block, and none at its own address */
		if (!c->addr || (c->type == SHT_NOBITS && c->flags & SHF_TLS))
			continue;
		add_section(k, m,
			    (struct row){
				    .section = arena_strdup(&k->t->mem, c->name),
				    .addr = c->addr,
				    .offset = c->offset,
				    .size = c->size,
				    .perms = perms(c->flags & SHF_WRITE, c->flags & SHF_EXECINSTR),
			    });
	}
	for (unsigned i = 0; !h->nsections && i < h->nsegments; i++) {
		const struct elf_segment *g = &h->segments[i];

		add_section(k, m,
			    (struct row){
				    .section = arena_printf(&k->t->mem, "segment %u", i),
				    .addr = g->vaddr,
				    .offset = g->offset,
				    .size = g->memsz,
				    .perms = perms(g->flags & PF_W, g->flags & PF_X),
			    });
	}
}

static enum status sections_report(const struct snapshot *s, const struct report_opts *o,
				   struct table *t, struct diag *diag)
{
	struct maker k = { .t = t };
	enum status st = elf_files_each(s, o, t, diag, add_sections, &k);

	t->rows = k.rows.v;
	t->nrows = k.rows.n;
	t->row_size = sizeof(struct row);
	return st;
}

const struct report report_sections = {
	.name = "sections",
	.about = "memory of each section of mapped ELF files",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_SIZES,
	.opts = OPT_PID | OPT_FILE | OPT_SYSROOT,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-eff_resident,file,addr",
	.run = sections_report,
	.dump_only = "it reads the program files",
	.help = "One row for each section that has an address (also .bss), for all mapped ELF files or\n"
		"--file NAME, over all processes or in --pid N. Sizes are those of exmap (see files),\n"
		"to the byte. The file's headers are read below --sysroot DIR, if the file there has\n"
		"the same build-id as the mapped one; without --sysroot they are read from the page\n"
		"cache, in a dump that was not filtered. If section names are missing, segments are\n"
		"shown.",
};
