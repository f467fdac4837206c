/* SPDX-License-Identifier: GPL-3.0-or-later */
/* commands.c - the table of commands. */
#include "app/commands.h"

#include <stdio.h>
#include <string.h>

#include "app/batch/batch.h"
#include "app/help.h"
#include "app/merge.h"
#include "app/options.h"
#include "app/serve/serve.h"

static const struct option no_options[] = { { NULL, 0, NULL, 0 } };

static int help_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	help_questions();
	return fflush(stdout) ? EXIT_NO_ANSWER : 0;
}

const struct command commands[] = {
	{ "help", "of a report or command; \"help questions\": which command answers what", help_main,
	  help_questions, no_options },
	{ "batch", "a capsule of each of many dumps", batch_main, batch_help, batch_options },
	{ "merge", "capsules to a fleet: one database", merge_main, merge_help, merge_options },
	{ "serve", "reports as tools of programs (Model Context Protocol)", serve_main, serve_help, serve_options },
	{ NULL, NULL, NULL, NULL, NULL }
};

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

static bool run_command(int argc, char **argv, int *status)
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

bool command_run(int argc, char **argv, int *status)
{
	static char option[] = "--help";
	/* "help procs" is "--help procs" */
	bool asked = argc > 1 && !strcmp(argv[1], "help") &&
		     (argc != 3 || strcmp(argv[2], "questions"));

	if (asked)
		argv[1] = option;
	return run_command(argc, argv, status);
}
