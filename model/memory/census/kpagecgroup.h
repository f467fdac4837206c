/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kpagecgroup.h - the words of /proc/kpagecgroup: the inode of the control group that is charged. */
#ifndef VMCENSUS_CENSUS_KPAGECGROUP_H
#define VMCENSUS_CENSUS_KPAGECGROUP_H

#include "model/model.h"

struct kpagecgroup;

/* NULL: this kernel does not show it. */
struct kpagecgroup *kpagecgroup_new(const struct snapshot *s);
void kpagecgroup_free(struct kpagecgroup *q);

/* Of frame PFN; 0: charged to none, or not readable. */
uint64_t kpagecgroup_read(struct kpagecgroup *q, uint64_t pfn);

#endif
