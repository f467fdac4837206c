/* SPDX-License-Identifier: GPL-3.0-or-later */
/* psi.h - pressure stall information (v4.20), of the machine and of a control group. */
#ifndef VMCENSUS_PSI_H
#define VMCENSUS_PSI_H

#include "model/model.h"

/* In this order: SOME and FULL of one resource follow each other. */
enum psi_state {
	PSI_IO_SOME, PSI_IO_FULL, PSI_MEMORY_SOME, PSI_MEMORY_FULL, PSI_CPU_SOME, PSI_CPU_FULL,
	PSI_IRQ_FULL, PSI_STATES
};

/* As the kernel last averaged it, which it does every 2 s while there is something to add. */
struct psi {
	bool known;			/* else the kernel has none, or it could not be read */
	bool has[PSI_STATES];		/* states that this kernel keeps */
	uint64_t avg[PSI_STATES][3];	/* over 10, 60 and 300 s: percent times 2048 (FSHIFT) */
	uint64_t total[PSI_STATES];	/* ns */
	uint64_t updated;		/* ns since boot, when; 0 unknown */
};

/* Of the machine (psi_system). False: the kernel keeps none, it is disabled, or not readable. */
bool psi_of_machine(const struct kernel *k, struct psi *ret);
/* Of each of s->cgroups, in MEM; those of a legacy hierarchy have none. */
struct psi *psi_of_cgroups(const struct snapshot *s, struct arena *mem);

/* Hundredths of a percent, as the file's two decimals: LOAD_INT() and LOAD_FRAC(). */
static inline uint64_t psi_percent100(uint64_t avg)
{
	return (avg >> 11) * 100 + (((avg & 2047) * 100) >> 11);
}

#endif
