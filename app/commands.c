/* SPDX-License-Identifier: GPL-3.0-or-later */
/* commands.c - the table of commands. */
#include "app/commands.h"

#include <stdio.h>
#include <string.h>

#include "app/batch/batch.h"
#include "app/merge.h"
#include "app/options.h"
#include "app/serve/serve.h"

const struct command commands[] = {
	{ "batch", "a capsule of each of many dumps", batch_main, batch_help, batch_options },
	{ "merge", "capsules to a fleet: one database", merge_main, merge_help, merge_options },
	{ "serve", "reports as tools of programs (Model Context Protocol)", serve_main, serve_help, serve_options },
	{ NULL, NULL, NULL, NULL, NULL }
};

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

bool command_run(int argc, char **argv, int *status)
{
	bool help = argc > 2 && (is_help(argv[1]) || is_help(argv[2]));
	const char *name = argc > 2 && is_help(argv[1]) ? argv[2] : argc > 1 ? argv[1] : "";
	const struct command *c = commands;

	while (c->name && strcmp(c->name, name))
		c++;
	if (!c->name)
		return false;
	if (help)
		c->help();
	*status = !help ? c->run(argc - 1, argv + 1) : fflush(stdout) ? EXIT_NO_ANSWER : 0;
	return true;
}
