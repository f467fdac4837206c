/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sums.c - sums that several layouts of older tools print.
 */
#include <string.h>

#include "reports/compat/like.h"
#include "reports/core/pick.h"
#include "reports/render/render.h"

void sums_add(struct sums *sum, const struct usage_cells *u, unsigned shift)
{
	sum->size += u->size >> shift;
	sum->rss += u->rss >> shift;
	sum->pss += u->pss >> shift;
	sum->uss += u->uss >> shift;
	sum->swap += u->swap >> shift;
	sum->swap_pss += u->swap_pss >> shift;
	sum->swap_ptes += u->swap_ptes >> shift;
	sum->swap_uss += u->swap_uss >> shift;
	sum->shared_clean += u->shared_clean >> shift;
	sum->shared_dirty += u->shared_dirty >> shift;
	sum->private_clean += u->private_clean >> shift;
	sum->private_dirty += u->private_dirty >> shift;
}

struct sums sums_of_mm(const struct snapshot *s, const struct mm *mm, unsigned shift)
{
	struct sums sum = { 0 };

	for (uint32_t i = 0; i < mm->nvmas && mm->first_vma + i < s->nvmas; i++) {
		struct usage_cells u;

		usage_cells_set(&u, &s->vmas[mm->first_vma + i].usage);
		sums_add(&sum, &u, shift);
	}
	return sum;
}

static int64_t id_of(const struct table *t, size_t i, const char *column)
{
	const struct column *c = column_find(t->cols, t->ncols, column);

	return c ? cell_int(c, table_row(t, i)) : COL_UNKNOWN_INT;
}

const struct proc *row_proc(const struct snapshot *s, const struct table *t, size_t i)
{
	int64_t pid = id_of(t, i, "pid"), tid = id_of(t, i, "tid");
	uint32_t p;

	if (pid <= 0 || pid > INT32_MAX || (tid != pid && tid != COL_UNKNOWN_INT))
		return NULL;
	p = snapshot_proc_by_pid(s, (int32_t)pid);
	return p == NONE ? NULL : &s->procs[p];
}

const char *proc_command(const struct snapshot *s, const struct proc *p, struct arena *mem)
{
	const struct mm *mm = proc_mm(s, p);

	if (mm && mm->cmdline && *mm->cmdline)
		return mm->cmdline;
	return arena_printf(mem, "[%s]", proc_comm(s, p));
}

void put_field(FILE *out, const char *s, size_t width, size_t max)
{
	size_t len = 0, columns = 0;

	while (s[len]) {
		unsigned n = utf8_char(s + len);
		char one[8] = { 0 };

		n = n ? n : 1;
		memcpy(one, s + len, n);
		if (max && columns + text_width(one) > max)
			break;
		columns += text_width(one);
		len += n;
	}
	put_text_len(out, s, len);
	if (columns < width)
		fprintf(out, "%*s", (int)(width - columns), "");
}

size_t process_end(const struct table *t, size_t i)
{
	const struct vma_row *first = table_row(t, i), *r = first;

	while (r->proc == first->proc && ++i < t->nrows)
		r = table_row(t, i);
	return i;
}

static void heading(const struct vma_row *r, FILE *out)
{
	fputs("==> ", out);
	if (r->proc)
		fprintf(out, "%d ", r->proc->pid);
	put_text(out, r->comm ? r->comm : "-");
	fputs(" <==\n", out);
}

void each_process(const struct report_opts *o, const struct table *t,
		  void (*print)(const struct vma_row *r, size_t n, FILE *out), FILE *out)
{
	for (size_t i = 0, end; i < t->nrows; i = end) {
		const struct vma_row *r = table_row(t, i);

		end = process_end(t, i);
		if (!o->pid)
			heading(r, out);
		print(r, end - i, out);
	}
}
