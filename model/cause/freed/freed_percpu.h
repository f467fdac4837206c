/* SPDX-License-Identifier: GPL-3.0-or-later */
/* freed_percpu.h - what of per-CPU memory comes back when it is freed. Private to model/cause/freed/. */
#ifndef VMCENSUS_OOM_FREED_PERCPU_H
#define VMCENSUS_OOM_FREED_PERCPU_H

#include "model/model.h"

struct percpu_costs {
	uint64_t chunk;		/* bytes of a chunk, of all CPUs; 0: not known */
	uint64_t maps;		/* bytes of what the kernel keeps of one */
	bool kept;		/* pages stay in a chunk that is partly in use */
};

void percpu_costs_read(const struct snapshot *s, struct arena *mem, struct percpu_costs *ret);

/* Bytes that come back when areas of BYTES, of all CPUs, are freed: a lower bound. */
uint64_t percpu_freed(const struct percpu_costs *c, uint64_t bytes);

#endif
