/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mklayout - the layout file of a kernel without a dump of it.
 *
 *	mklayout VMLINUX > FILE
 *
 * VMLINUX may be anything with debug information of the kernel's types. No release is
 * written, because the file is valid for a configuration, not only for one build. No symbols
 * are written: they come from -t System.map.
 */
#include <stdio.h>
#include <stdlib.h>

#include "dumpread/types/layoutfile.h"
#include "facts/layout.h"

int main(int argc, char **argv)
{
	struct dump d = { .page_shift = 12 };
	struct layout_names n = { 0 };
	struct log log;

	log_init(&log);
	d.log = &log;
	issues_init(&d.issues);
	d.wanted = layout_type_names(&d.mem, &d.nwanted);
	if (argc != 2)
		return 64;
	dump_know_machine(&d, argv[1]);
	if (dump_add_file(&d, argv[1])) {
		fprintf(stderr, "mklayout: %s\n", d.diag.text);
		return 1;
	}
	d.build_id_len = 0;
	layout_names(&d.mem, &n);
	n.nsymbols = 0;
	layout_write(&d, &n, stdout);
	symbols_close(&d.symbols);
	types_close(&d.types);
	arena_release(&d.mem);
	return 0;
}
