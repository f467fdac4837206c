/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/render/render.h"

#include <string.h>

const struct renderer renderers[] = {
	{ "text", "aligned columns, or the report's own form", render_text },
	{ "csv", "a header line, quoted as RFC 4180 says; sizes in bytes", render_csv },
	{ "json", "one object with image, columns, rows, issues", render_json },
	{ 0 }
};

const struct renderer *renderer_find(const char *name)
{
	for (const struct renderer *r = renderers; r->name; r++)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}
