/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check_main.c - runs the tests of a program in the order in which they stand: TEST() of check.h. */
#include "tests/unit/check.h"

static struct check_test *first, **last = &first;

void check_add(struct check_test *t)
{
	*last = t;
	last = &t->next;
}

/* Weak: a test that needs arguments or a machine of its own has its own. */
__attribute__((weak)) int main(void)
{
	int status = 0;

	for (struct check_test *t = first; t; t = t->next) {
		t->run();
		status = t->next ? 0 : t->done();
	}
	return status;
}
