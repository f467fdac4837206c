/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exmtool of exmap 0.10: KiB with two decimals, between tabs. */
#include <inttypes.h>
#include <string.h>

#include "reports/compat/like.h"
#include "reports/core/cell.h"
#include "reports/process/procs.h"
#include "reports/render/render.h"

LIKE_TEXT(exmap_procs_text)
{
	(void)s;
	(void)o;
	fprintf(out, "PID\t%s\tCMD\n", sizes_names_like_exmap);
	for (size_t i = 0; i < t->nrows; i++) {
		const struct proc_row *r = table_row(t, i);
		const char *cmd = r->cmdline && *r->cmdline ? r->cmdline : "[nocmdline]";

		if (r->mm == COL_UNKNOWN)
			continue;
		fprintf(out, "%" PRId64 "\t", r->pid);
		sizes_like_exmap(&r->z, out);
		put_text_len(out, cmd, strcspn(cmd, " "));
		putc('\n', out);
	}
}
