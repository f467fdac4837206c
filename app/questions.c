/* SPDX-License-Identifier: GPL-3.0-or-later */
/* questions.c - which command answers what: the tables of docs/questions.md. */
#include "app/help.h"
#include "app/questions.h"

void help_questions(void)
{
	fputs("Your question, the command (vmcore: any dump; oom.vmcore: one of an OOM):\n",
	      stdout);
	fputs(questions, stdout);
}
