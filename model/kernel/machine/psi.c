/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * psi.c - struct psi_group (kernel/sched/psi.c, read in 5.10, 6.1, 6.12, 7.2).
 *
 * total[] and avg[] are what psi_show() prints after it has added the times that CPUs keep.
 * These times are added every 2 s; what came after the last time is not here.
 */
#include "model/kernel/machine/psi.h"

#include <inttypes.h>

#include "facts/layout/cgroup.h"
#include "facts/layout/pressure.h"
#include "model/kernel/kobj.h"

#define AVERAGES 3u		/* windows: 10, 60, 300 s */
#define STATES_MAX 16		/* of enum psi_states; 7.2 has 8 */
#define PERCENT_MAX (UINT64_C(101) << 11)

static const enum layout_id states[PSI_STATES] = {
	E_PSI_IO_SOME, E_PSI_IO_FULL, E_PSI_MEM_SOME, E_PSI_MEM_FULL,
	E_PSI_CPU_SOME, E_PSI_CPU_FULL, E_PSI_IRQ_FULL,
};

/* A static key: static_key.enabled.counter is its first member. */
static bool is_disabled(const struct kernel *k, struct reader *r)
{
	uint64_t v = 0;

	return has(k, Y_PSI_DISABLED) && !kvar_u64(k, r, Y_PSI_DISABLED, 4, &v) && v;
}

static enum status read_state(const struct kernel *k, struct reader *r, uint64_t group, unsigned i,
			      struct psi *p)
{
	int64_t at = layout_enum(&k->layout, states[i], -1);
	unsigned word = k->dump->word_size;
	uint64_t total, avg;
	enum status st;

	if (at < 0 || at >= STATES_MAX)
		return ST_OK;
	total = group + layout_offset(&k->layout, M_PSI_TOTAL) + (uint64_t)at * 8;
	avg = group + layout_offset(&k->layout, M_PSI_AVG) + (uint64_t)at * AVERAGES * word;
	st = read_kva_uint(r, total, 8, &p->total[i]);
	for (unsigned w = 0; !st && w < AVERAGES; w++) {
		st = read_kva_word(r, avg + w * word, &p->avg[i][w]);
		if (!st && p->avg[i][w] > PERCENT_MAX)
			st = ST_CORRUPT;
	}
	p->has[i] = !st;
	return st;
}

static void read_group(const struct kernel *k, struct reader *r, uint64_t group, struct psi *ret)
{
	enum status st = ST_OK;

	*ret = (struct psi){ .known = true };
	for (unsigned i = 0; !st && i < PSI_STATES; i++)
		st = read_state(k, r, group, i, ret);
	if (!st && has(k, M_PSI_UPDATED))
		st = kmember_u64(k, r, group, M_PSI_UPDATED, &ret->updated);
	if (!st)
		return;
	*ret = (struct psi){ .known = false };
	issue_add(k->issues, st, "pressure", 1, "psi_group at %#" PRIx64, group);
}

static bool is_kept(const struct kernel *k, struct reader *r)
{
	return r && has(k, Y_PSI_SYSTEM) && has(k, M_PSI_TOTAL) && has(k, M_PSI_AVG) &&
	       !is_disabled(k, r);
}

bool psi_of_machine(const struct kernel *k, struct psi *ret)
{
	struct reader *r = kernel_reader(k);

	*ret = (struct psi){ .known = false };
	if (is_kept(k, r))
		read_group(k, r, layout_symbol(&k->layout, Y_PSI_SYSTEM), ret);
	reader_free(r);
	return ret->known;
}

/* cgroup_pressure_show(): the root's pressure is that of the machine. */
static enum status find_group(const struct kernel *k, struct reader *r, uint64_t css, uint64_t *ret)
{
	uint64_t dfl = layout_symbol(&k->layout, Y_CGRP_DFL_ROOT), cgrp, root;
	enum status st = kmember_u64(k, r, css, M_CSS_CGROUP, &cgrp);

	if (!st)
		st = kmember_u64(k, r, cgrp, M_CGROUP_ROOT, &root);
	if (st)
		return st;
	if (!kernel_ptr_ok(k, root, k->dump->word_size))
		return ST_CORRUPT;
	if (root != dfl)
		return ST_ABSENT;
	*ret = cgrp + layout_offset(&k->layout, M_CGROUP_PSI);
	if (cgrp == dfl + layout_offset(&k->layout, M_CGROOT_CGRP))
		*ret = layout_symbol(&k->layout, Y_PSI_SYSTEM);
	else if (k->layout.v[M_CGROUP_PSI].m.is_pointer)
		st = read_kva_word(r, *ret, ret);
	if (!st && !*ret)
		return ST_ABSENT;
	return !st && !kernel_ptr_ok(k, *ret, k->dump->word_size) ? ST_CORRUPT : st;
}

struct psi *psi_of_cgroups(const struct snapshot *s, struct arena *mem)
{
	const struct kernel *k = s->k;
	struct psi *v = arena_array(mem, struct psi, s->ncgroups);
	struct reader *r = kernel_reader(k);

	if (is_kept(k, r) && has(k, M_CGROUP_PSI) && has(k, M_CSS_CGROUP) &&
	    has(k, M_CGROUP_ROOT) && has(k, Y_CGRP_DFL_ROOT)) {
		for (uint32_t i = 0; i < s->ncgroups; i++) {
			uint64_t css = s->cgroups[i].css, group;
			enum status st = find_group(k, r, css, &group);

			if (!st)
				read_group(k, r, group, &v[i]);
			else if (st != ST_ABSENT)
				issue_add(k->issues, st, "pressure", 1, "of css at %#" PRIx64, css);
		}
	}
	reader_free(r);
	return v;
}
