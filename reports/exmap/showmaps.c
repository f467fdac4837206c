/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * showmaps - every mapping cut into what is an ELF file's, with the addresses of the
 * file, and the rest: "MAP: MEM (start,end) ELF (start,end)|undef FILE name".
 */
#include "reports/exmap/showmaps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/elf/elffind.h"
#include "model/elf/elfloads.h"
#include "model/objects.h"
#include "reports/common.h"
#include "reports/render/render.h"

#define PIECES_MAX 65536	/* of one process */

/* A segment in memory. */
struct piece {
	uint64_t start, end, bias;
	uint32_t file;
};

struct maker {
	const struct snapshot *s;
	const struct report_opts *o;
	FILE *out;
	struct reader *r;
	struct elf_image **images;	/* [nfiles]; NULL: not looked at, or none */
	bool *looked;			/* [nfiles] */
	struct arena mem;
	VEC(struct piece) pieces;	/* of the process at hand, by address */
};

static const struct elf_head *head_of(struct maker *k, uint32_t file)
{
	struct elf_found found;
	const char *why;

	if (!k->looked[file]) {
		k->looked[file] = true;
		if (!elf_find(k->s, k->r, &k->s->files[file], k->o->sysroot, &k->mem, &found,
			      &why))
			k->images[file] = found.e;
	}
	return k->images[file] ? elf_head(k->images[file]) : NULL;
}

static void add_pieces(struct maker *k, const struct mm *m, uint32_t file,
		       const struct elf_head *h)
{
	struct elf_loads loads = { 0 };

	elf_loads_find(k->s, m, file, h, &k->mem, &loads);
	for (size_t i = 0; i < loads.n; i++)
		for (unsigned j = 0; j < h->nsegments && k->pieces.n < PIECES_MAX; j++) {
			struct piece *p = vec_push(&k->mem, &k->pieces);

			p->bias = loads.v[i].bias;
			p->start = h->segments[j].vaddr + p->bias;
			p->end = p->start + h->segments[j].memsz;
			p->file = file;
		}
}

static int by_start(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Each file of the process once. */
static void list_pieces(struct maker *k, const struct mm *m)
{
	bool *seen = arena_array(&k->mem, bool, k->s->nfiles);

	k->pieces.n = 0;
	for (uint32_t i = m->first_vma; i < m->first_vma + m->nvmas && i < k->s->nvmas; i++) {
		uint32_t file = k->s->vmas[i].file;
		const struct elf_head *h;

		if (file >= k->s->nfiles || seen[file])
			continue;
		seen[file] = true;
		h = head_of(k, file);
		if (h)
			add_pieces(k, m, file, h);
	}
	if (k->pieces.n)
		qsort(k->pieces.v, k->pieces.n, sizeof(*k->pieces.v), by_start);
}

static void put_map(struct maker *k, const struct vma *v, uint64_t start, uint64_t end,
		    const struct piece *p)
{
	if (start >= end)
		return;
	fprintf(k->out, "MAP: MEM (%" PRIx64 ",%" PRIx64 ") ELF ", start, end);
	if (p)
		fprintf(k->out, "(%" PRIx64 ",%" PRIx64 ")", start - p->bias, end - p->bias);
	else
		fputs("undef", k->out);
	fputs(" FILE ", k->out);
	put_text(k->out, object_name(k->s, v));
	putc('\n', k->out);
}

/* Segments lie in their file's mappings, and in anonymous ones behind (.bss). */
static void put_vma(struct maker *k, const struct vma *v)
{
	uint64_t at = v->start;

	for (size_t i = 0; i < k->pieces.n && k->pieces.v[i].start < v->end; i++) {
		const struct piece *p = &k->pieces.v[i];
		uint64_t lo = max_u64(p->start, at), hi = min_u64(p->end, v->end);

		if (lo >= hi || (v->file != NONE && v->file != p->file))
			continue;
		put_map(k, v, at, lo, NULL);
		put_map(k, v, lo, hi, p);
		at = hi;
	}
	put_map(k, v, at, v->end, NULL);
}

static void put_proc(struct maker *k, const struct proc *p, const struct mm *m)
{
	const char *cmd = m->cmdline && *m->cmdline ? m->cmdline : "[nocmdline]";

	fprintf(k->out, "PID: %" PRId32 "\nCMD: ", p->pid);
	put_text_len(k->out, cmd, strcspn(cmd, " "));
	putc('\n', k->out);
	list_pieces(k, m);
	for (uint32_t i = m->first_vma; i < m->first_vma + m->nvmas && i < k->s->nvmas; i++)
		put_vma(k, &k->s->vmas[i]);
	fputs("\n\n", k->out);
}

void showmaps_text(const struct snapshot *s, const struct report_opts *o,
		   const struct table *t, FILE *out)
{
	struct maker k = { .s = s, .o = o, .out = out };
	struct diag diag;
	uint32_t first, end;

	(void)t;
	if (procs_range(s, o, &diag, &first, &end))
		return;
	k.r = kernel_reader(s->k);
	k.images = arena_array(&k.mem, struct elf_image *, s->nfiles);
	k.looked = arena_array(&k.mem, bool, s->nfiles);
	for (uint32_t i = first; i < end; i++)
		if (proc_mm(s, &s->procs[i]))
			put_proc(&k, &s->procs[i], proc_mm(s, &s->procs[i]));
	for (uint32_t i = 0; i < s->nfiles; i++)
		elf_close(k.images[i]);
	reader_free(k.r);
	arena_release(&k.mem);
}
