/* SPDX-License-Identifier: GPL-3.0-or-later */
/* commands.c - stands in for app/commands.c, app/merge.c, app/batch and app/serve: there are no commands. */
#include "app/commands.h"

#include <stddef.h>

const struct command commands[] = { { NULL, NULL, NULL, NULL, NULL } };

bool command_run(int argc, char **argv, int *status)
{
	(void)argc, (void)argv, (void)status;
	return false;
}
