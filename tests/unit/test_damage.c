/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong with a dump as a whole: causes are kept once, and each has its sentence. */
#include <elf.h>

#include "dumpread/image/format.h"
#include "dumpread/image/machines.h"
#include "reports/core/damage.h"
#include "tests/unit/check.h"

static struct arena mem;

static const char *words(enum cause_id id, uint64_t n, uint64_t of, const char *name)
{
	struct causes c = { .n = 0 };
	struct damage d;

	cause_add(&c, id, n, of, name);
	damage_words(&c.v[0], &mem, &d);
	return d.text;
}

static void test_list(void)
{
	struct causes c = { .n = 0 };

	CHECK(!cause_find(&c, CAUSE_CUT));
	/* of two parts that are cut off the numbers add up */
	cause_add(&c, CAUSE_CUT, 10, 100, NULL);
	cause_add(&c, CAUSE_CUT, 5, 50, NULL);
	CHECK_EQ(c.n, 1);
	CHECK_EQ(cause_find(&c, CAUSE_CUT)->n, 15);
	CHECK_EQ(cause_find(&c, CAUSE_CUT)->of, 150);
	/* a flattened file is cut off, and so is the dump in it: the second tells how much */
	c.n = 0;
	cause_add(&c, CAUSE_CUT, 0, 0, NULL);
	cause_add(&c, CAUSE_CUT, 7, 70, NULL);
	CHECK_EQ(cause_find(&c, CAUSE_CUT)->of, 70);
	cause_add(&c, CAUSE_CUT, 0, 0, NULL);
	CHECK_EQ(cause_find(&c, CAUSE_CUT)->n, 7);
	/* each table once */
	cause_table(&c, "the page bitmap", 0, 0);
	cause_table(&c, "page descriptors", 3, 9);
	cause_table(&c, "the page bitmap", 1, 9);
	CHECK(!strcmp(cause_find(&c, CAUSE_TABLE)->name, "the page bitmap and page descriptors"));
	CHECK_EQ(cause_find(&c, CAUSE_TABLE)->n, 4);
}

static void test_words(void)
{
	CHECK_STR(words(CAUSE_CUT, 2085, 29790, NULL),
		  "the file ends after 93 %: 2085 of 29790 pages are after its end");
	/* what is lost is never nothing */
	CHECK_STR(words(CAUSE_CUT, 1, 29790, NULL),
		  "the file ends after 99 %: 1 of 29790 pages are after its end");
	CHECK_STR(words(CAUSE_CUT, 0, 0, NULL),
		  "the file ends early: how much is missing is not known");
	CHECK_STR(words(CAUSE_PART, 19991, 59974, "3"),
		  "part 3 of the split dump was not named: 19991 pages are in it");
	CHECK_STR(words(CAUSE_PART, 39982, 59974, "1 and 3"),
		  "parts 1 and 3 of the split dump were not named: 39982 pages are in them");
	CHECK_STR(words(CAUSE_UNFINISHED, 0, 0, NULL),
		  "makedumpfile could not finish it: there was no space left");
	CHECK_STR(words(CAUSE_UNFINISHED, 3, 40, NULL),
		  "makedumpfile could not finish it, there was no space left: 3 of 40 pages are "
		  "missing");
	CHECK_STR(words(CAUSE_TASKS, 129, 169, "processes"),
		  "129 of 169 processes were found, kernel threads among them");
	CHECK_STR(words(CAUSE_ERASED, 1, 0, "task_struct.comm"),
		  "erased on purpose: 1 rule of makedumpfile --config (task_struct.comm)");
	CHECK_STR(words(CAUSE_KEPT, 31, 0, "user pages are in the dump: hugetlb 20480 KiB"),
		  "level 31, but user pages are in the dump: hugetlb 20480 KiB");
	CHECK_STR(words(CAUSE_MACHINES, 2, 0, "the first of 2"), "the first of 2");
	CHECK_STR(words(CAUSE_PLACES, 2, 0, "m@0+0:4096"), "m@0+0:4096");
	CHECK_STR(words(CAUSE_HEADER, 0, 0, NULL),
		  "the file ends in its headers: most pages are missing");
	CHECK_STR(words(CAUSE_TABLE, 0, 0, "the page bitmap"),
		  "damaged in the file: the page bitmap");
	CHECK_STR(words(CAUSE_TABLE, 3, 9, "page descriptors"),
		  "damaged in the file: page descriptors: 3 of 9 pages cannot be found");
	CHECK_STR(words(CAUSE_FILTER, 8192, 0, NULL),
		  "filtered by a makedumpfile older than the kernel: 8 KiB of the kernel's own "
		  "are left out");
	CHECK_STR(words(CAUSE_LIST, 0, 0, NULL), "the list of tasks is not in the dump");
	CHECK_STR(words(CAUSE_LIST, 7, 0, NULL),
		  "the list of tasks is not in the dump: the kernel counts 7 tasks");
	CHECK_STR(words(CAUSE_SIZES, 2, 5, NULL),
		  "the memory of 2 of 5 processes could not all be read: their sizes, and all "
		  "sums, are lower bounds");
	CHECK_STR(words(CAUSE_LOG, 0, 0, "the log is not in the dump"),
		  "the log is not in the dump: why the machine crashed is unknown");
	CHECK_STR(words(CAUSE_LOG_PART, 0, 0, NULL), "a part of the kernel's log could not be read");
	for (unsigned id = 0; id < CAUSES; id++)
		CHECK(*words((enum cause_id)id, 1, 2, "x"));
}

/* makedumpfile.conf(5): one line for each rule that was followed. */
static void test_erased(void)
{
	static const char text[] = "erase task_struct.comm 0 16\nerase saved_command_line size 40\n";
	struct image im = { .elf_machine = 0 };
	const struct cause *c;

	image_take_eraseinfo(&im, (const uint8_t *)text, sizeof(text) - 1);
	c = cause_find(&im.causes, CAUSE_ERASED);
	CHECK(c && c->n == 2);
	CHECK_STR(c ? c->name : "", "task_struct.comm, saved_command_line");
	im.causes.n = 0;
	image_take_eraseinfo(&im, (const uint8_t *)"\0\377nothing", 9);
	CHECK_EQ(im.causes.n, 0);
	arena_release(&im.mem);
}

static void test_machines(void)
{
	CHECK_STR(machine_name(EM_AARCH64, 8), "aarch64");
	CHECK_STR(machine_name(EM_S390, 8), "s390x");
	CHECK(!machine_name(0x1234, 8));
}

int main(void)
{
	test_list();
	test_words();
	test_erased();
	test_machines();
	arena_release(&mem);
	return check_done();
}
