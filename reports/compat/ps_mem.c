/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ps_mem.c - the listing of ps_mem 3.14 (Padraig Brady), the largest program last.
 *
 * Its numbers: private pages include private hugetlb. Shared is Pss less private pages,
 * plus half a KiB for the fraction that each Pss line lost, plus the largest
 * Shared_Hugetlb of the program's processes. Units are powers of 1024 and change at 1000.
 */
#include "reports/compat/like.h"
#include "reports/process/programs.h"

static void human(FILE *out, double kib)
{
	static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB" };
	unsigned u = 0;
	char text[48];

	while (kib >= 1000 && u < 3) {
		kib /= 1024;
		u++;
	}
	snprintf(text, sizeof(text), "%.1f %s", kib, unit[u]);
	fprintf(out, "%9s", text);
}

LIKE_TEXT(ps_mem_text)
{
	double total = 0;

	(void)s;
	(void)o;
	fputs(" Private  +   Shared  =  RAM used\tProgram\n\n", out);
	for (size_t i = 0; i < t->nrows; i++) {
		const struct program_row *r = (const struct program_row *)t->rows + i;
		double ram = r->ps_private + r->ps_shared;

		if (r->ram == COL_UNKNOWN) {
			fprintf(out, "%9s + %9s = %9s\t", "-", "-", "-");
			put_field(out, r->name, 0, 0);
			putc('\n', out);
			continue;
		}
		if (!ram)
			continue;
		human(out, r->ps_private);
		fputs(" + ", out);
		human(out, r->ps_shared);
		fputs(" = ", out);
		human(out, ram);
		putc('\t', out);
		put_field(out, r->name, 0, 0);
		if (r->procs > 1)
			fprintf(out, " (%u)", (unsigned)r->procs);
		putc('\n', out);
		total += ram;
	}
	fputs("---------------------------------\n                        ", out);
	human(out, total);
	fputs("\n=================================\n", out);
}
