/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mkkallsyms.h - kallsyms tables as the kernel's build writes them, in any of
 * their forms (scripts/kallsyms.c), for tests.
 */
#ifndef VMCENSUS_TESTS_MKKALLSYMS_H
#define VMCENSUS_TESTS_MKKALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dumpread/symbols/kallsyms.h"

struct mk_symbol {
	char type;
	const char *name;
	uint64_t addr;		/* ascending */
};

struct mk_kallsyms {
	/* what to write */
	unsigned word;		/* 4 or 8 */
	bool big;
	enum kallsyms_form form;
	bool late_order;	/* 6.4+: offsets after the tokens */
	bool long_count;	/* num_syms and markers are longs (..4.19) */
	unsigned align;		/* of each table; 4 since 7.1, else the word */
	uint64_t va;		/* kernel-virtual address of the first byte */
	uint64_t base;		/* relative_base */
	/* where each table went */
	uint64_t names, num, markers, tokens, index, values, base_at;
};

/* Bytes written to BUF (SIZE of them are enough, or it aborts). */
size_t mk_kallsyms(struct mk_kallsyms *m, const struct mk_symbol *s, uint32_t n,
		   uint8_t *buf, size_t size);

#endif
