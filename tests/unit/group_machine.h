/* SPDX-License-Identifier: GPL-3.0-or-later */
/* group_machine.h - a machine made by hand with control groups: their limits, events and pressure. */
#ifndef VMCENSUS_TESTS_GROUP_MACHINE_H
#define VMCENSUS_TESTS_GROUP_MACHINE_H

#include "model/model.h"
#include "tests/unit/fake.h"

/* A mem_cgroup: its css, then what is read. */
enum {
	GM_CSS_CGROUP = 8, GM_CSS_REF = 16, GM_USAGE = 64, GM_MAX = 72, GM_MEMSW_MAX = 80, GM_SOFT = 88, GM_FAILCNT = 96,
	GM_GROUP = 104, GM_PEAK = 112, GM_EVENTS = 128, GM_LOCAL = 256, GM_CG_ROOT = 8, GM_CG_PSI = 16,
	GM_AVG = 0, GM_TOTAL = 256, GM_UPDATED = 512,
};

#define GM_MEM(n) (0x10000 + (n) * 0x1000)
#define GM_CGROUP(n) (0x20000 + (n) * 0x1000)
#define GM_ROOT 0x30000		/* struct cgroup_root of cgroup2; its cgroup is at the start */
#define GM_REF 0x31000
#define GM_SYSTEM 0x32000
#define GM_OWN 0x33000
#define GM_KEY 0x34000

struct group_machine {
	struct fake *f;
	struct snapshot s;
	struct cgroup groups[3];
	struct arena mem;
};

void gm_put(struct group_machine *r, uint64_t pa, uint64_t v);
/* The root, a group of cgroup2, and one of a legacy hierarchy. */
void gm_start(struct group_machine *r);
void gm_end(struct group_machine *r);

#endif
