/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/screen.h"

#include <stdlib.h>
#include <unistd.h>

void screen_open(struct run *run)
{
	bool shown = output_is_terminal(&run->output);
	FILE *to;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &run->screen) || !run->screen.ws_row ||
	    !run->screen.ws_col)
		run->screen = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	if (!shown)
		return;
	run->o.report_opts.width = run->screen.ws_col;
	if (run->out || run->o.output || run->o.no_pager || !isatty(STDERR_FILENO))
		return;
	to = pager_open(&run->pager);
	if (!to)
		return;
	run->output.file = to;
	run->output.ours = true;
}

static void show_first(void *arg, const struct snapshot *s)
{
	struct run *run = arg;
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return;
	run->o.report->first(s, &run->o.report_opts, to);
	if (!fclose(to))
		progress_head(run->progress, text);
	free(text);
}

void (*screen_first(const struct run *run))(void *arg, const struct snapshot *s)
{
	const struct report *r = run->o.report;

	return r->first && !run->product && run->renderer->render == render_text &&
			       !run->o.columns && !run->where &&
			       !report_like(r, &run->o.report_opts) && run->o.report_opts.width
		       ? show_first
		       : NULL;
}

int screen_leave(struct run *run)
{
	output_drop(&run->output);
	if (pager_wait(&run->pager))
		return 0;
	fail(&run->diag, ST_IO, "the pager cannot be run; --no-pager prints without one");
	return EXIT_NO_ANSWER;
}
