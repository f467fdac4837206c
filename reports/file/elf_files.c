/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elf_files.c - selects the mapped ELF files for sections and symbols.
 */
#include "reports/file/elf_files.h"

#include <string.h>

#include "model/views/objects.h"
#include "reports/core/common.h"

struct search {
	const struct snapshot *s;
	const struct report_opts *o;
	struct table *t;
	struct reader *r;
	void (*fn)(void *arg, struct elf_mapped *m);
	void *arg;
	uint32_t only;			/* mm, or NONE: all */
	const char *why;		/* of the file that was looked for last */
	const char *note;
	unsigned found, foreign, missing, others;
};

static void find_loads(const struct search *x, struct elf_mapped *m)
{
	const struct snapshot *s = x->s;

	for (uint32_t i = 0; i < s->nmms; i++) {
		size_t before = m->loads.n;

		if (x->only != NONE && x->only != i)
			continue;
		elf_loads_find(s, &s->mms[i], m->file, m->head, &x->t->mem, &m->loads);
		if (m->loads.n > before)
			m->procs += m->one || !s->mms[i].nprocs ? 1 : s->mms[i].nprocs;
	}
}

static void look_at(struct search *x, uint32_t file)
{
	struct elf_mapped m = { .s = x->s, .r = x->r, .file = file, .one = x->o->pid != 0,
				.credit = ELF_CREDIT };
	enum status st = elf_find(x->s, x->r, &x->s->files[file], x->o->sysroot, &x->t->mem,
				  &m.found, &x->why);

	if (st) {
		*(st == ST_ABSENT ? &x->foreign : st == ST_NOTMINE ? &x->others
		  : &x->missing) += 1;
		return;
	}
	x->found++;
	if (m.found.note)
		x->note = m.found.note;
	m.head = elf_head(m.found.e);
	find_loads(x, &m);
	if (m.loads.n)
		x->fn(x->arg, &m);
	elf_close(m.found.e);
}

/* Files that are mapped by those asked for, marked. */
static void mark_files(const struct search *x, bool *wanted, const char **name)
{
	const struct snapshot *s = x->s;

	for (uint32_t i = 0; i < s->nvmas; i++) {
		const struct vma *v = &s->vmas[i];
		const char *object = object_name(s, v);

		if ((x->only != NONE && v->mm != x->only) ||
		    (x->o->file && !object_is(object, x->o->file)))
			continue;
		*name = object;
		if (v->file < s->nfiles)
			wanted[v->file] = true;
	}
}

static const char *note(const struct search *x, struct arena *mem)
{
	const char *dir = x->o->sysroot ? "below --sysroot" : "in the dump; try --sysroot DIR";

	if (x->o->file || !(x->missing | x->others))
		return x->note;
	if (!x->others)
		return arena_printf(mem, "%u mapped files are not %s", x->missing, dir);
	return arena_printf(mem, "%u mapped files are not %s; %u are other files than those mapped",
			    x->missing, dir, x->others);
}

enum status elf_files_each(const struct snapshot *s, const struct report_opts *o,
			   struct table *t, struct diag *diag,
			   void (*fn)(void *arg, struct elf_mapped *m), void *arg)
{
	struct search x = { .s = s, .o = o, .t = t, .fn = fn, .arg = arg, .only = NONE };
	bool *wanted = arena_array(&t->mem, bool, s->nfiles);
	const char *name = NULL;
	uint32_t first, end;
	enum status st = procs_range(s, o, diag, &first, &end);

	if (st)
		return st;
	if (o->pid && s->procs[first].mm == NONE)
		return fail(diag, ST_ABSENT, "process %d has no address space", o->pid);
	if (o->pid)
		x.only = s->procs[first].mm;
	mark_files(&x, wanted, &name);
	if (o->file && !name)
		return fail(diag, ST_ABSENT, "no process maps %.200s; \"files\" lists the mapped "
			    "files", o->file);
	x.r = kernel_reader(s->k);
	for (uint32_t i = 0; i < s->nfiles; i++)
		if (wanted[i])
			look_at(&x, i);
	reader_free(x.r);
	t->note = note(&x, &t->mem);
	if (o->file && !x.found)
		return x.why ? fail(diag, ST_ABSENT, "%.400s", x.why)
			     : fail(diag, ST_ABSENT, "%.200s is not an ELF file", name);
	return ST_OK;
}

void elf_mapped_symbols(struct elf_mapped *m, const char *sysroot, struct arena *mem,
			struct elf_symbols *ret, const char **from)
{
	struct elf_image *debug;
	const char *where = NULL;

	elf_symbols_read(m->found.e, mem, ret);
	*from = ret->from ? arena_printf(mem, "%s of %s", ret->from, m->found.from) : NULL;
	if (ret->from && !strcmp(ret->from, ".symtab"))
		return;
	debug = elf_find_debug(m->found.e, m->s->files[m->file].path, sysroot, mem, &where);
	if (debug) {
		struct elf_symbols more;

		elf_symbols_read(debug, mem, &more);
		if (more.n > ret->n) {
			*ret = more;
			*from = arena_printf(mem, "%s of %s", more.from, where);
		}
		elf_close(debug);
	}
}

void elf_mapped_sizes(struct elf_mapped *m, struct reader *r, uint64_t start,
		      uint64_t end, struct sizes *ret)
{
	*ret = (struct sizes){ 0 };
	for (size_t i = 0; i < m->loads.n; i++) {
		const struct elf_load *l = &m->loads.v[i];
		uint32_t n = m->s->mms[l->mm].nprocs;
		struct sizes z = { 0 };

		elf_load_sizes(m->s, r, m->head, m->file, l, start, end, &m->credit, &z);
		sizes_add_times(ret, &z, m->one || !n ? 1 : n);
	}
}
