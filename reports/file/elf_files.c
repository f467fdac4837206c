/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elf_files.c - the options --pid, --file and --sysroot of sections and symbols, and the
 * note about files that were not found.
 */
#include "reports/file/elf_files.h"

#include "reports/core/common.h"

static const char *files_note(const struct elf_tally *x, const struct report_opts *o,
			      struct arena *mem)
{
	const char *dir = o->sysroot ? "below --sysroot" : "in the dump; try --sysroot DIR";

	if (o->file || !(x->missing | x->others))
		return x->note;
	if (!x->others)
		return arena_printf(mem, "%u mapped files are not %s", x->missing, dir);
	return arena_printf(mem, "%u mapped files are not %s; %u are other files than those mapped",
			    x->missing, dir, x->others);
}

enum status elf_files_each(const struct snapshot *s, const struct report_opts *o, struct table *t,
			   struct diag *diag, void (*fn)(void *arg, struct elf_mapped *m),
			   void *arg)
{
	struct elf_select which = { .mm = NONE, .object = o->file, .sysroot = o->sysroot };
	struct elf_tally x;
	uint32_t first, end;
	enum status st = procs_range(s, o, diag, &first, &end);

	if (st)
		return st;
	if (o->pid && s->procs[first].mm == NONE)
		return fail(diag, ST_ABSENT, "process %d has no mm", o->pid);
	if (o->pid)
		which.mm = s->procs[first].mm;
	elf_mapped_each(s, &which, &t->mem, &x, fn, arg);
	if (o->file && !x.object)
		return fail(diag, ST_ABSENT,
			    "no process maps %.200s; \"files\" lists the mapped "
			    "files",
			    o->file);
	t->note = files_note(&x, o, &t->mem);
	if (o->file && !x.found)
		return x.why ? fail(diag, ST_ABSENT, "%.400s", x.why)
			     : fail(diag, ST_ABSENT, "%.200s is not an ELF file", x.object);
	return ST_OK;
}
