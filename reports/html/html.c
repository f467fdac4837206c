/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html - an interactive HTML report in one file, for any browser.
 *
 * The build puts page.html, page.css and the scripts into the program (embed.sh). The
 * charts and the data are written between their parts here.
 */
#include "dumpread/base/bytes.h"
#include "model/cause/verdict/verdict.h"
#include "model/memory/elf/demangle.h"
#include "reports/charts/chart.h"
#include "reports/core/list.h"
#include "reports/core/pick.h"
#include "reports/html/data.h"
#include "reports/html/page_parts.h"
#include "reports/render/render.h"

#define NEEDS (NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_FOUND | NEED_SIZES)

static void figure(const struct render *r, FILE *out)
{
	fputs("<figure>\n", out);
	if (r)
		render_svg(r, out);
	fputs("</figure>\n", out);
}

static void chart(const struct snapshot *s, const struct report *r, FILE *out)
{
	const struct image_facts f = image_facts_of(s, NULL, 0);
	static const struct report_opts none;
	struct table t = { .cols = r->cols, .ncols = r->ncols };
	const struct render render = {
		.report = r,
		.opts = &none,
		.s = s,
		.t = &t,
		.amounts = true,
		.image = &f,
		.units = { UNIT_KIB, UINT32_C(1) << s->k->page_shift },
	};
	struct diag diag;

	figure(r->run(s, &none, &t, &diag) ? NULL : &render, out);
	arena_release(&t.mem);
}

static enum status write_html(const struct snapshot *s, const struct report_opts *o,
			      const char *dest, FILE *out, struct diag *diag)
{
	(void)dest;
	(void)diag;
	fwrite(page_part_0, 1, sizeof(page_part_0), out);
	for (const struct report *const *r = reports; *r; r++)
		if ((*r)->chart && !(((*r)->needs | chart_needs(*r)) & ~s->built))
			chart(s, *r, out);
	fwrite(page_part_1, 1, sizeof(page_part_1), out);
	html_data(s, o, out);
	fwrite(page_part_2, 1, sizeof(page_part_2), out);
	return ST_OK;
}

static void write_data(const struct snapshot *s, FILE *out)
{
	static const struct report_opts none;

	html_data(s, &none, out);
}

static enum status write_kept(const struct kept_page *p, FILE *out, struct diag *diag)
{
	enum status st;

	fwrite(page_part_0, 1, sizeof(page_part_0), out);
	for (unsigned i = 0; i < p->ncharts; i++)
		figure(&p->charts[i], out);
	fwrite(page_part_1, 1, sizeof(page_part_1), out);
	st = p->data(p->arg, out, diag);
	fwrite(page_part_2, 1, sizeof(page_part_2), out);
	return st;
}

static const struct product products[] = {
	{ .name = "html",
	  .about = "one file for a browser; needs no network and no other file",
	  .dest_word = true,
	  .write = write_html,
	  .write_data = write_data,
	  .write_kept = write_kept,
	  .write_fleet = html_fleet },
	{ .name = NULL }
};

const struct report report_html = {
	.name = "html",
	.about = "interactive HTML report: processes, files, pages, charts",
	.needs = NEEDS,
	.wants = NEED_VERDICT | NEED_KERNEL | NEED_CLASSES,
	.opts = OPT_SYSROOT,
	.products = products,
	.prepare = demangle_prepare,
	.help = "One file for any browser, without network: the verdict, a map of all memory, the\n"
		"processes and files with their own and shared memory, their pages, charts, and the\n"
		"log. Give -o FILE. Sections and symbols are shown for binaries that are found below\n"
		"--sysroot DIR, or in the page cache of the dump. Of a fleet (merge) the page has an index of\n"
		"its dumps, clusters and trends.",
};
