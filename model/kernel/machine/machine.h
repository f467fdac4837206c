/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machine.h - the machine as a whole: counters, swap areas, log, panic.
 */
#ifndef VMCENSUS_MACHINE_H
#define VMCENSUS_MACHINE_H

#include "dumpread/base/hash.h"
#include "model/model.h"

/* Fills s->machine except its log. */
void machine_build(struct snapshot *s, struct reader *r);

/* Fills s->machine.log (printk ring 5.10+, records 3.5+, plain log_buf before), and panic from
   the log if the kernel keeps no other trace. */
void machine_log(struct snapshot *s, struct reader *r);
/* The same from N lines at V, which outlive S: of a text that has no memory beside it. */
void machine_log_lines(struct snapshot *s, struct log_line *v, uint32_t n);

/* The task_structs that ran on CPUs; the CPUs go into CPU_OF. Returns the number of the CPU
   that panicked or started the crash kernel, NONE if none did. */
uint32_t machine_running(const struct kernel *k, struct reader *r, struct hash *cpu_of);

#endif
