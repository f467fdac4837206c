/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols - memory of each symbol of mapped ELF files.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"
#include "model/memory/elf/demangle.h"
#include "model/memory/elf/elfsymbols.h"
#include "reports/file/elf_files.h"
#include "reports/file/sizes_cols.h"

struct row {
	const char *file, *section, *symbol, *linkage, *from;
	uint64_t addr, size;
	char bind, type;
	struct sizes_cells z;
};

#define P COL_SHOWN

/* Symbols share bytes (aliases): their sum would say nothing. */
static const struct column cols[] = {
	Z_COLUMNS(struct row, P),
	COL(struct row, addr, COL_HEX, 0, "", "address in the file (st_value)"),
	COL(struct row, size, COL_BYTES, 0, "bytes", "size by the file (st_size)"),
	COL(struct row, type, COL_CHAR, 0, "", "f: function, o: object, n: not specified"),
	COL(struct row, bind, COL_CHAR, 0, "", "g: global, w: weak, l: local"),
	COL(struct row, section, COL_STR, P, "", "section of its first byte"),
	COL(struct row, symbol, COL_STR, P, "", "name; C++ names are demangled"),
	COL(struct row, linkage, COL_STR, 0, "", "name in the file, not demangled"),
	COL(struct row, file, COL_STR, P, "", "path"),
	COL(struct row, from, COL_STR, 0, "", "where the symbols were read"),
};

struct maker {
	struct table *t;
	const struct report_opts *o;
	struct demangler *names;
	VEC(struct row) rows;
	struct elf_section *by_addr;	/* of the file at hand; names are the table's */
	unsigned nsections;
};

static int by_addr(const void *a, const void *b)
{
	const struct elf_section *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void list_sections(struct maker *k, const struct elf_head *h)
{
	k->by_addr = arena_array(&k->t->mem, struct elf_section, h->nsections);
	k->nsections = 0;
	for (unsigned i = 0; i < h->nsections; i++) {
		struct elf_section *to = &k->by_addr[k->nsections];

		if (!h->sections[i].addr || h->sections[i].flags & SHF_TLS)
			continue;
		*to = h->sections[i];
		to->name = arena_strdup(&k->t->mem, to->name);
		k->nsections++;
	}
	sort_array(k->by_addr, k->nsections, sizeof(*k->by_addr), by_addr);
}

static const char *section_of(const struct maker *k, uint64_t addr)
{
	unsigned lo = search_first(k->nsections, mid, k->by_addr[mid].addr <= addr);

	if (!lo || addr - k->by_addr[lo - 1].addr >= k->by_addr[lo - 1].size)
		return NULL;
	return k->by_addr[lo - 1].name;
}

static void size_symbols(struct maker *k, struct elf_mapped *m, size_t first)
{
	size_t n = k->rows.n - first;
	struct row *rows = k->rows.v + first;
	struct elf_range *ranges = heap_array(struct elf_range, n);
	struct sizes *sizes = heap_array(struct sizes, n);

	for (size_t i = 0; i < n; i++)
		ranges[i] = (struct elf_range){ rows[i].addr, rows[i].addr + rows[i].size };
	elf_mapped_sizes(m, ranges, n, sizes);
	for (size_t i = 0; i < n; i++)
		sizes_cells_set(&rows[i].z, &sizes[i]);
	free(ranges);
	free(sizes);
}

static void add_symbols(void *arg, struct elf_mapped *m)
{
	struct maker *k = arg;
	struct elf_symbols symbols;
	const char *from = NULL;
	size_t first;

	elf_mapped_symbols(m, k->o->sysroot, &k->t->mem, &symbols, &from);
	list_sections(k, m->head);
	first = k->rows.n;
	for (size_t i = 0; i < symbols.n; i++) {
		const struct elf_symbol *y = &symbols.v[i];
		struct row *r = vec_push(&k->t->mem, &k->rows);

		*r = (struct row){
			.file = m->s->files[m->file].path,
			.from = from,
			.section = section_of(k, y->value),
			.symbol = demangle(k->names, y->name, &k->t->mem),
			.linkage = y->name,
			.addr = y->value,
			.size = y->size,
			.bind = y->bind,
			.type = y->type,
		};
	}
	if (symbols.n)
		size_symbols(k, m, first);
}

static enum status symbols_report(const struct snapshot *s, const struct report_opts *o,
				  struct table *t, struct diag *diag)
{
	struct maker k = { .t = t, .o = o };
	enum status st;

	k.names = demangler_new();
	st = elf_files_each(s, o, t, diag, add_symbols, &k);
	demangler_free(k.names);
	t->rows = k.rows.v;
	t->nrows = k.rows.n;
	t->row_size = sizeof(struct row);
	if (!st && o->file && !t->nrows)
		return fail(diag, ST_ABSENT,
			    "no symbols found in %.200s; a debug file below "
			    "use --sysroot DIR",
			    o->file);
	return st;
}

const struct report report_symbols = {
	.name = "symbols",
	.about = "memory of each symbol of mapped ELF files",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_SIZES,
	.opts = OPT_PID | OPT_FILE | OPT_SYSROOT,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-eff_resident,addr,linkage",
	.run = symbols_report,
	.dump_only = "it reads the program files",
	.prepare = demangle_prepare,
	.help = "One row for each symbol with a size, for all mapped ELF files or --file NAME, over all\n"
		"processes or in --pid N; -w 'section=\".data\"' for one section. Sizes are those of\n"
		"exmap (see files), to the byte. Symbols come from .symtab, or from the debug file (by\n"
		"build-id in usr/lib/debug, or .gnu_debuglink, below --sysroot DIR), or from\n"
		".gnu_debugdata and .dynsym. See sections for where the file itself is read.",
};
