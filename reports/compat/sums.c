/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sums.c - sums that several layouts of older tools print.
 */
#include <inttypes.h>
#include <string.h>

#include "reports/compat/like.h"
#include "reports/core/pick.h"
#include "reports/render/render.h"

/* A sum of which something is known is a lower bound. */
static void add_cell(uint64_t *sum, uint64_t cell, unsigned shift)
{
	if (cell == COL_UNKNOWN)
		*sum = *sum ? *sum : COL_UNKNOWN;
	else if (*sum != COL_UNKNOWN)
		*sum += cell >> shift;
	else if (cell >> shift)
		*sum = cell >> shift;
}

void sums_add(struct sums *sum, const struct usage_cells *u, unsigned shift)
{
	add_cell(&sum->size, u->size, shift);
	add_cell(&sum->rss, u->rss, shift);
	add_cell(&sum->pss, u->pss, shift);
	add_cell(&sum->uss, u->uss, shift);
	add_cell(&sum->swap, u->swap, shift);
	add_cell(&sum->swap_pss, u->swap_pss, shift);
	add_cell(&sum->swap_ptes, u->swap_ptes, shift);
	add_cell(&sum->swap_uss, u->swap_uss, shift);
	add_cell(&sum->shared_clean, u->shared_clean, shift);
	add_cell(&sum->shared_dirty, u->shared_dirty, shift);
	add_cell(&sum->private_clean, u->private_clean, shift);
	add_cell(&sum->private_dirty, u->private_dirty, shift);
}

struct number number_of(uint64_t v)
{
	struct number n = { "-" };

	if (v != COL_UNKNOWN)
		snprintf(n.text, sizeof(n.text), "%" PRIu64, v);
	return n;
}

struct number kib_number(uint64_t bytes)
{
	return number_of(bytes == COL_UNKNOWN ? bytes : bytes >> 10);
}

uint64_t meminfo_bytes(const struct snapshot *s, const char *line)
{
	if (machine_prints(&s->machine, line))
		return machine_meminfo(&s->machine, line);
	return s->machine.nmeminfo ? 0 : COL_UNKNOWN;
}

uint64_t sum_known(uint64_t a, uint64_t b)
{
	return a == COL_UNKNOWN || (b != COL_UNKNOWN && !a) ? b : b == COL_UNKNOWN ? a : a + b;
}

void sums_add_mm(struct sums *sum, const struct snapshot *s, const struct mm *mm, unsigned shift)
{
	for (uint32_t i = 0; i < mm->nvmas && mm->first_vma + i < s->nvmas; i++) {
		struct usage_cells u;

		usage_cells_of_vma(&u, s, &s->vmas[mm->first_vma + i]);
		sums_add(sum, &u, shift);
	}
}

struct sums sums_of_mm(const struct snapshot *s, const struct mm *mm, unsigned shift)
{
	struct sums sum = { 0 };

	sums_add_mm(&sum, s, mm, shift);
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
