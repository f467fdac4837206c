/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pmap.c - "pmap -x" of procps-ng 4: every vma with its size, rss and dirty pages
 * (Shared_Dirty and Private_Dirty) in KiB. It shows the last component of a path, the
 * stack, and "anon" for all others.
 */
#include <inttypes.h>
#include <string.h>

#include "reports/compat/like.h"

static const char *mapping(const struct snapshot *s, const struct vma_row *r)
{
	const struct mm *mm = r->proc ? proc_mm(s, r->proc) : NULL;
	const char *slash = r->name ? strrchr(r->name, '/') : NULL;

	if (slash && slash[1])
		return slash + 1;
	if (mm && mm->start_stack >= r->start && mm->start_stack <= r->end)
		return "  [ stack ]";
	return "  [ anon ]";
}

static uint64_t dirty_of(const struct sums *u)
{
	return sum_known(u->shared_dirty, u->private_dirty);
}

static void pmap_process(const struct snapshot *s, const struct vma_row *r, size_t n, FILE *out)
{
	int width = s->k->arch && s->k->arch->word_size == 4 ? 8 : 16;
	struct sums sum = { 0 };
	static const char rule[] = "----------------";

	fprintf(out, "%-*s  Kbytes     RSS   Dirty Mode  Mapping\n", width, "Address");
	for (size_t i = 0; i < n; i++) {
		struct sums one = { 0 };

		sums_add(&one, &r[i].u, SUMS_KIB);
		sums_add(&sum, &r[i].u, SUMS_KIB);
		fprintf(out, "%0*" PRIx64 " %7s %7s %7s %.3s%c- ", width, r[i].start,
			number_of(one.size).text, number_of(one.rss).text,
			number_of(dirty_of(&one)).text, r[i].perms,
			r[i].perms[3] == 's' ? 's' : '-');
		put_field(out, mapping(s, &r[i]), 0, 0);
		putc('\n', out);
	}
	fprintf(out, "%.*s ------- ------- ------- \n%-*s %7s %7s %7s\n", width, rule, width,
		"total kB", number_of(sum.size).text, number_of(sum.rss).text,
		number_of(dirty_of(&sum)).text);
}

LIKE_TEXT(pmap_text)
{
	struct arena mem = { 0 };

	(void)o;
	for (size_t i = 0, end; i < t->nrows; i = end) {
		const struct vma_row *r = (const struct vma_row *)t->rows + i;

		end = process_end(t, i);
		if (r->proc) {
			fprintf(out, "%d:   ", r->proc->pid);
			put_field(out, proc_command(s, r->proc, &mem), 0, 0);
			putc('\n', out);
		}
		pmap_process(s, r, end - i, out);
	}
	arena_release(&mem);
}
