/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.h - the memory of this process and of this machine, in bytes.
 */
#ifndef VMCENSUS_MEMORY_H
#define VMCENSUS_MEMORY_H

#include <stdint.h>

/* Resident now, and at most so far; 0: not known (no /proc). */
uint64_t memory_resident(void);
uint64_t memory_peak(void);
/* All that is mapped. */
uint64_t memory_virtual(void);
/* The bound for ALLOWED: itself, or half of this machine's memory if it is 0. UINT64_MAX:
   nothing is known. */
uint64_t memory_bound(uint64_t allowed);
/* What may be exceeded, and is not worth a refusal. */
uint64_t memory_tolerance(uint64_t bound);
/* What may still be used under memory_bound(ALLOWED) and its tolerance. */
uint64_t memory_left(uint64_t allowed);

#endif
