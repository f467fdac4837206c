/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * showmaps - every vma cut into the parts that belong to an ELF file, with the addresses
 * in the file, and the rest: "MAP: MEM (start,end) ELF (start,end)|undef FILE name".
 */
#include "reports/file/showmaps.h"

#include <inttypes.h>
#include <string.h>

#include "model/memory/areas/objects.h"
#include "model/memory/areas/vma_pieces.h"
#include "reports/core/common.h"
#include "reports/render/render.h"

struct maker {
	const struct snapshot *s;
	FILE *out;
	struct vma_pieces *pieces;
};

static void put_piece(void *arg, const struct vma *v, const struct vma_piece *p)
{
	struct maker *k = arg;

	fprintf(k->out, "MAP: MEM (%" PRIx64 ",%" PRIx64 ") ELF ", p->start, p->end);
	if (p->file != NONE)
		fprintf(k->out, "(%" PRIx64 ",%" PRIx64 ")", p->start - p->bias, p->end - p->bias);
	else
		fputs("undef", k->out);
	fputs(" FILE ", k->out);
	/* .bss is the file's, though it lies in anonymous memory */
	put_text(k->out, p->file != NONE ? k->s->files[p->file].path : object_name(k->s, v));
	putc('\n', k->out);
}

static void showmaps_process(struct maker *k, const struct proc *p, const struct mm *m)
{
	const char *cmd = m->cmdline && *m->cmdline ? m->cmdline : "[nocmdline]";

	fprintf(k->out, "PID: %" PRId32 "\nCMD: ", p->pid);
	put_text_len(k->out, cmd, strcspn(cmd, " "));
	putc('\n', k->out);
	vma_pieces_each(k->pieces, m, put_piece, k);
	fputs("\n\n", k->out);
}

void showmaps_text(const struct snapshot *s, const struct report_opts *o, const struct table *t,
		   FILE *out)
{
	struct maker k = { .s = s, .out = out };
	struct arena mem = { 0 };
	struct diag diag;
	uint32_t first, end;

	(void)t;
	if (!procs_range(s, o, &diag, &first, &end)) {
		k.pieces = vma_pieces_new(s, o->sysroot, &mem);
		for (uint32_t i = first; i < end; i++)
			if (proc_mm(s, &s->procs[i]))
				showmaps_process(&k, &s->procs[i], proc_mm(s, &s->procs[i]));
		vma_pieces_free(k.pieces);
	}
	arena_release(&mem);
}
