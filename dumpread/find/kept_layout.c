/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kept_layout.c - the layout that was made of another dump of the same kernel, by build-id. */
#include "dumpread/find/kept_layout.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "dumpread/base/outside.h"
#include "dumpread/find/find.h"
#include "dumpread/types/layoutfile.h"

#define ID_MIN 8u		/* bytes of a build-id that is taken for one; SHA-1 has 20 */

bool kept_layout_name(const struct dump *d, const char *dir, char *buf, size_t size)
{
	char hex[BUILD_ID_HEX];
	int n;

	if (d->build_id_len < ID_MIN)
		return false;
	n = snprintf(buf, size, "%s/%s" KEPT_LAYOUT_END, dir,
		     build_id_hex(d->build_id, d->build_id_len, hex));
	return n > 0 && (size_t)n < size;
}

/* Where the dump has lost WHAT, pages of it may be counted already. */
static void tell(struct dump *d, const char *path, const char *what, bool lost)
{
	enum status counted = issues_reason(&d->issues, what);
	const char *name = strrchr(path, '/') + 1;

	log_warn(d->log, "%s from layout %s of the same build-id", what, name);
	log_info(d->log, "using %s", path);
	if (lost)
		issue_add(&d->issues, counted ? counted : ST_NODATA, what, !counted,
			  "%s from layout %s of the same build-id", what, name);
}

bool kept_layout_add(struct dump *d, const char *what, bool lost)
{
	char path[PATH_MAX];

	for (unsigned i = 0; i < d->nlayouts && !d->kept_layout; i++) {
		if (!kept_layout_name(d, d->layouts[i], path, sizeof(path)) ||
		    !outside_exists(path))
			continue;
		if (types_add_kept_layout(d, path)) {
			log_warn(d->log, "not used: %s", d->diag.text);
			continue;
		}
		d->kept_layout = true;
		tell(d, path, what, lost);
		return true;
	}
	return false;
}

const char *kept_layout_offer(const struct dump *d, char *buf, size_t size)
{
	char hex[BUILD_ID_HEX];

	if (d->build_id_len < ID_MIN)
		snprintf(
			buf, size,
			"another dump of this kernel helps: \"vmcensus layout OTHER -o FILE\", then "
			"-t FILE");
	else
		snprintf(buf, size,
			 KEPT_LAYOUT_HELPS "%s) helps: \"vmcensus layout --keep OTHER\", then this "
					   "command again",
			 build_id_hex(d->build_id, d->build_id_len, hex));
	return buf;
}
