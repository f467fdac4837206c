/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elf_mapped.c - selects mapped ELF files, opens them, and adds up their sizes.
 */
#include "model/memory/areas/elf_mapped.h"

#include <string.h>

#include "dumpread/base/jobs.h"
#include "model/memory/areas/objects.h"

struct elf_readers { struct reader *v[JOBS_MAX]; };

struct search {
	const struct snapshot *s;
	const struct elf_select *which;
	struct arena *mem;
	struct reader *r;		/* NULL: the source has no memory */
	struct elf_readers readers;
	struct elf_tally *tally;
	void (*fn)(void *arg, struct elf_mapped *m);
	void *arg;
};

static void find_loads(const struct search *x, struct elf_mapped *m)
{
	const struct snapshot *s = x->s;

	for (uint32_t i = 0; i < s->nmms; i++) {
		size_t before = m->loads.n;

		if (x->which->mm != NONE && x->which->mm != i)
			continue;
		elf_loads_find(s, &s->mms[i], m->file, m->head, x->mem, &m->loads);
		if (m->loads.n > before)
			m->procs += m->one || !s->mms[i].nprocs ? 1 : s->mms[i].nprocs;
	}
}

static void look_at(struct search *x, uint32_t file)
{
	struct elf_mapped m = { .s = x->s,
				.file = file,
				.one = x->which->mm != NONE,
				.credit = ELF_CREDIT,
				.readers = &x->readers };
	struct elf_tally *tally = x->tally;
	enum status st = elf_find(x->s, x->r, &x->s->files[file], x->which->sysroot, x->mem,
				  &m.found, &tally->why);

	if (st) {
		if (st == ST_ABSENT)
			tally->foreign++;
		else if (st == ST_NOTMINE)
			tally->others++;
		else
			tally->missing++;
		return;
	}
	tally->found++;
	if (m.found.note)
		tally->note = m.found.note;
	m.head = elf_head(m.found.e);
	find_loads(x, &m);
	if (m.loads.n)
		x->fn(x->arg, &m);
	elf_close(m.found.e);
}

/* Marks the files that the selected vmas map. */
static void mark_files(const struct search *x, bool *wanted)
{
	const struct snapshot *s = x->s;

	for (uint32_t i = 0; i < s->nvmas; i++) {
		const struct vma *v = &s->vmas[i];
		const char *object = object_name(s, v);

		if ((x->which->mm != NONE && v->mm != x->which->mm) ||
		    (x->which->object && !object_is(object, x->which->object)))
			continue;
		x->tally->object = object;
		if (v->file < s->nfiles)
			wanted[v->file] = true;
	}
}

void elf_mapped_each(const struct snapshot *s, const struct elf_select *which, struct arena *mem,
		     struct elf_tally *ret, void (*fn)(void *arg, struct elf_mapped *m), void *arg)
{
	struct search x = {
		.s = s, .which = which, .mem = mem, .tally = ret, .fn = fn, .arg = arg
	};
	bool *wanted = arena_array(mem, bool, s->nfiles);

	*ret = (struct elf_tally){ 0 };
	mark_files(&x, wanted);
	x.r = kernel_reader(s->k);
	for (uint32_t i = 0; i < s->nfiles; i++)
		if (wanted[i])
			look_at(&x, i);
	for (unsigned i = 0; i < JOBS_MAX; i++)
		reader_free(x.readers.v[i]);
	reader_free(x.r);
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

struct sizing {
	struct elf_mapped *m;
	const struct elf_range *v;
	struct sizes *ret;
};

static void size_range(void *ctx, unsigned worker, size_t item)
{
	struct sizing *z = ctx;
	struct elf_mapped *m = z->m;
	struct reader **r = &m->readers->v[worker];

	if (!*r)
		*r = kernel_reader(m->s->k);
	z->ret[item] = (struct sizes){ 0 };
	for (size_t i = 0; i < m->loads.n; i++) {
		const struct elf_load *l = &m->loads.v[i];
		uint32_t n = m->s->mms[l->mm].nprocs;
		struct sizes one = { 0 };

		elf_load_sizes(m->s, *r, m->head, m->file, l, z->v[item].start, z->v[item].end,
			       &m->credit, &one);
		sizes_add_times(&z->ret[item], &one, m->one || !n ? 1 : n);
	}
}

void elf_mapped_sizes(struct elf_mapped *m, const struct elf_range *v, size_t n, struct sizes *ret)
{
	struct sizing z = { m, v, ret };

	jobs_run(m->s->k->jobs, n, size_range, &z);
}
