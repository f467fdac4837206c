/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * answers.h - ways to an answer other than one report over one snapshot of one dump. Each fills
 * RUN as analyse() of run.c does, and returns an exit status, with RUN's diag if it is not 0.
 */
#ifndef VMCENSUS_ANSWERS_H
#define VMCENSUS_ANSWERS_H

#include "app/run.h"

/* Report id: a row for each of the images, which run_find() looked up before: outside of the
   sandbox, where directories can be read. */
int run_find(struct run *run);
int run_ids(struct run *run);
struct id_row;
/* The row of the dump that KO names, as far as it can be read. */
void run_id_row(struct kernel_opts *ko, struct id_row *r, struct arena *mem);

/* Report capsule: all reports of the dump. */
int run_capsule(struct run *run);

/* Is an image a capsule? Then its rows are the answer. */
bool run_has_capsule(const struct run *run);
int run_stored(struct run *run);
/* The product of RUN, whose report run_stored() has looked up. DIAG of RUN has a sentence on failure. */
enum status stored_page_write(struct run *run, FILE *out);
/* Report diff, if one of its images is a capsule. */
int run_compared(struct run *run);
bool stored_is(const char *path);
/* Opens the capsule PATH; DIAG has a sentence on failure. */
enum status stored_open(const char *path, struct diag *diag, struct capsule_file **ret);

/* Of many crashes: the report is, or the image of one that can be. First the files in the
   directories that were named, outside of the sandbox; then the answer. */
bool run_is_of_fleet(const struct run *run);
int run_find_fleet(struct run *run);
int run_fleet(struct run *run);

/* What run.c gives them. */

/* Options for opening the images of RUN. */
struct kernel_opts run_kernel_opts(struct run *run);
/* Has K all that report R needs? If not, DIAG has a sentence that names IMAGE. */
bool run_offers(const struct kernel *k, const struct report *r, unsigned needs, const char *image,
		struct diag *diag);
/* Filter and order of the rows in RUN. */
void run_pick_rows(struct run *run);
/* plan.c: format, columns, order and conditions from the options. The exit status, with a
   sentence in run->diag. */
int run_plan(struct run *run);
/* Is the dump named in a column? */
bool run_names_dump(const struct run *run);

#endif
