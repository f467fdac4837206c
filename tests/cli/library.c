/* SPDX-License-Identifier: GPL-3.0-or-later */
/* library PROGRAM REPORT IMAGE [OPTION]...: the csv of a report, made again of the library's cells. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <vmcensus.h>

static void put(const char *cell, bool last)
{
	bool quoted = cell && strpbrk(cell, ",\"\n\r");

	if (quoted)
		putchar('"');
	for (; cell && *cell; cell++)
		printf(*cell == '"' ? "\"\"" : "%c", *cell);
	printf("%s%c", quoted ? "\"" : "", last ? '\n' : ',');
}

int main(int argc, char **argv)
{
	const char *images[] = { argc > 3 ? argv[3] : NULL, NULL };
	struct vmcensus_options o = { .program = argv[1] };
	char error[VMCENSUS_ERROR_SIZE];
	struct vmcensus_table *t = NULL;
	struct vmcensus *v;
	int status = vmcensus_open(images, &o, &v, error);

	if (!status)
		status = vmcensus_table(v, argv[2], (const char *const *)argv + 4, &t, error);
	if (status)
		fprintf(stderr, "vmcensus: %s\n", error);
	for (size_t i = 0; t && i < vmcensus_table_columns(t); i++)
		put(vmcensus_table_column(t, i)->name, i + 1 == vmcensus_table_columns(t));
	for (size_t r = 0; t && r < vmcensus_table_rows(t); r++)
		for (size_t i = 0; i < vmcensus_table_columns(t); i++)
			put(vmcensus_table_cell(t, r, i), i + 1 == vmcensus_table_columns(t));
	vmcensus_table_free(t);
	vmcensus_close(v);
	return status;
}
