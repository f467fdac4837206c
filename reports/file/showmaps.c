/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * showmaps - every mapping cut into what is an ELF file's, with the addresses of the
 * file, and the rest: "MAP: MEM (start,end) ELF (start,end)|undef FILE name".
 */
#include "reports/file/showmaps.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/elf/elfbss.h"
#include "model/views/objects.h"
#include "reports/core/common.h"
#include "reports/render/render.h"

struct maker {
	const struct snapshot *s;
	FILE *out;
	struct elf_heads *heads;
	struct elf_pieces pieces;	/* of the process at hand, by address */
};

static void put_map(struct maker *k, const struct vma *v, uint64_t start, uint64_t end,
		    const struct elf_piece *p)
{
	if (start >= end)
		return;
	fprintf(k->out, "MAP: MEM (%" PRIx64 ",%" PRIx64 ") ELF ", start, end);
	if (p)
		fprintf(k->out, "(%" PRIx64 ",%" PRIx64 ")", start - p->bias, end - p->bias);
	else
		fputs("undef", k->out);
	fputs(" FILE ", k->out);
	/* .bss is the file's, though it lies in anonymous memory */
	put_text(k->out, p ? k->s->files[p->file].path : object_name(k->s, v));
	putc('\n', k->out);
}

/* Segments lie in their file's mappings, and in anonymous ones behind (.bss). */
static void put_vma(struct maker *k, const struct vma *v)
{
	uint64_t at = v->start;

	for (size_t i = 0; i < k->pieces.n && k->pieces.v[i].start < v->end; i++) {
		const struct elf_piece *p = &k->pieces.v[i];
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
	elf_pieces_list(k->heads, m, &k->pieces);
	for (uint32_t i = m->first_vma; i < m->first_vma + m->nvmas && i < k->s->nvmas; i++)
		put_vma(k, &k->s->vmas[i]);
	fputs("\n\n", k->out);
}

void showmaps_text(const struct snapshot *s, const struct report_opts *o,
		   const struct table *t, FILE *out)
{
	struct maker k = { .s = s, .out = out };
	struct reader *r = kernel_reader(s->k);
	struct arena mem = { 0 };
	struct diag diag;
	uint32_t first, end;

	(void)t;
	if (!procs_range(s, o, &diag, &first, &end)) {
		k.heads = elf_heads_new(s, r, o->sysroot, &mem);
		for (uint32_t i = first; i < end; i++)
			if (proc_mm(s, &s->procs[i]))
				put_proc(&k, &s->procs[i], proc_mm(s, &s->procs[i]));
	}
	arena_release(&mem);
	reader_free(r);
}
