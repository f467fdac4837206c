/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lay.h - shared by the files that lay a machine out. Private to tests/machine/.
 */
#ifndef VMCENSUS_TESTS_LAY_H
#define VMCENSUS_TESTS_LAY_H

#include "tests/machine/machine.h"

#define OBJECT 4096u			/* bytes of an object of unknown size */
#define ROOTS (256u << 10)		/* bytes of mem_section[] at its longest */
#define IMAGE_BYTES (768u << 10)	/* of the variables */

/* objects.c */
void mset_word(struct machine *m, uint64_t kva, uint64_t v);
void mset_bytes(struct machine *m, uint64_t kva, const void *p, size_t n);
uint64_t mobject_of(struct machine *m, const char *kind, const char *name, enum layout_id size);
void mput_elem(struct machine *m, uint64_t kva, enum layout_id id, int64_t i, uint64_t v);
uint64_t mnode(const struct machine *m, uint64_t kva, enum layout_id id);
void mlink_after(struct machine *m, uint64_t prev, uint64_t this, uint64_t next);

/* lay_kernel.c */
void lay_symbols(struct machine *m, const char *map, const char *types);
void lay_uts(struct machine *m);
void lay_log(struct machine *m);
void lay_counters(struct machine *m);
void lay_cpu_spec(struct machine *m);
void lay_vmemmap_list(struct machine *m);
void lay_vmcoreinfo(struct machine *m);

/* lay_files.c */
void lay_mount(struct machine *m);
uint64_t mmapping_of(const struct mfile *f);
void lay_file(struct machine *m, struct mfile *f);

/* lay_tasks.c */
void lay_mm(struct machine *m, struct mmm *mm);
void lay_tasks(struct machine *m);

/* lay_pages.c */
void lay_other_pages(struct machine *m, uint64_t end);
void lay_table_pages(struct machine *m);
void lay_frame(struct machine *m, struct mframe *f);
void lay_swap(struct machine *m);
void lay_memmap(struct machine *m);

/* damage.c */
void lay_damage(struct machine *m);

#endif
