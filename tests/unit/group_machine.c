/* SPDX-License-Identifier: GPL-3.0-or-later */
/* group_machine.c - control groups in memory laid out by hand. */
#include "tests/unit/group_machine.h"
#include "facts/layout/cgroup.h"
#include "facts/layout/pressure.h"

#include <string.h>

static void layout(struct fake *f)
{
	fake_members(f, { M_MEMCG_CSS, 0, 56 }, { M_CSS_CGROUP, GM_CSS_CGROUP, 8 },
		     { M_CSS_REF, GM_CSS_REF, 16 }, { M_REF_DATA, 8, 8 }, { M_REF_COUNT, 0, 8 },
		     { M_MEMCG_USAGE, GM_USAGE, 8 }, { M_MEMCG_MAX, GM_MAX, 8 },
		     { M_MEMCG_MEMSW_MAX, GM_MEMSW_MAX, 8 }, { M_MEMCG_SOFT, GM_SOFT, 8 },
		     { M_MEMCG_FAILCNT, GM_FAILCNT, 8 }, { M_MEMCG_OOM_GROUP, GM_GROUP, 1 },
		     { M_MEMCG_RES_PEAK, GM_PEAK, 8 });
	fake_array(f, M_MEMCG_EVENTS, GM_EVENTS, 8, 10);
	fake_array(f, M_MEMCG_EVENTS_LOCAL, GM_LOCAL, 8, 10);
	fake_enum(f, E_MEMCG_OOM, 3);
	fake_enum(f, E_MEMCG_SWAP_FAIL, 9);
	fake_enum(f, E_MEMCG_SOCK_THROTTLED, 10);	/* beyond the array */
	fake_member(f, M_CGROUP_ROOT, GM_CG_ROOT, 8);
	fake_member(f, M_CGROOT_CGRP, 0, 512);
	fake_symbol(f, Y_CGRP_DFL_ROOT, fake_kva(f, GM_ROOT));
	fake_member(f, M_CGROUP_PSI, GM_CG_PSI, 8);
	f->kernel.layout.v[M_CGROUP_PSI].m.is_pointer = true;
	fake_members(f, { M_PSI_AVG, GM_AVG, 168 }, { M_PSI_TOTAL, GM_TOTAL, 112 },
		     { M_PSI_UPDATED, GM_UPDATED, 8 });
	fake_enum(f, E_PSI_MEM_SOME, 2);
	fake_enum(f, E_PSI_MEM_FULL, 3);
	fake_symbol(f, Y_PSI_SYSTEM, fake_kva(f, GM_SYSTEM));
	fake_symbol(f, Y_PSI_DISABLED, fake_kva(f, GM_KEY));
}

void gm_put(struct group_machine *r, uint64_t pa, uint64_t v)
{
	fake_put_uint(r->f, pa, v, 8);
}

void gm_start(struct group_machine *r)
{
	memset(r, 0, sizeof(*r));
	r->f = fake_new(8, false);
	layout(r->f);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t cgrp = i ? GM_CGROUP(i) : GM_ROOT;

		r->groups[i] = (struct cgroup){ .css = fake_kva(r->f, GM_MEM(i)), .memory = true,
						.parent = i == 1 ? 0 : NONE };
		gm_put(r, GM_MEM(i) + GM_CSS_CGROUP, fake_kva(r->f, cgrp));
		gm_put(r, cgrp + GM_CG_ROOT, fake_kva(r->f, i == 2 ? GM_CGROUP(2) : GM_ROOT));
		gm_put(r, GM_MEM(i) + GM_MAX, 1000 + i);
		gm_put(r, GM_MEM(i) + GM_USAGE, (uint64_t)-3);
		gm_put(r, GM_MEM(i) + GM_MEMSW_MAX, INT64_MAX >> 12);
		gm_put(r, GM_MEM(i) + GM_SOFT, 55);
		gm_put(r, GM_MEM(i) + GM_FAILCNT, 66);
		gm_put(r, GM_MEM(i) + GM_GROUP, 1);
		gm_put(r, GM_MEM(i) + GM_PEAK, 77);
		gm_put(r, GM_MEM(i) + GM_EVENTS + 3 * 8, 5);
		gm_put(r, GM_MEM(i) + GM_LOCAL + 3 * 8, 4);
		gm_put(r, GM_MEM(i) + GM_EVENTS + 9 * 8, 9);
	}
	gm_put(r, GM_KEY, 0);
	gm_put(r, GM_CGROUP(1) + GM_CG_PSI, fake_kva(r->f, GM_OWN));
	gm_put(r, GM_SYSTEM + GM_TOTAL + 3 * 8, 7000);
	gm_put(r, GM_OWN + GM_TOTAL + 3 * 8, 1000);
	/* full, over 60 s: 12.5 percent */
	gm_put(r, GM_OWN + GM_AVG + (3 * 3 + 1) * 8, (12 << 11) + 1024);
	gm_put(r, GM_OWN + GM_UPDATED, 12345);
	r->s = (struct snapshot){ .k = &r->f->kernel, .cgroups = r->groups, .ncgroups = 3 };
}

void gm_end(struct group_machine *r)
{
	arena_release(&r->mem);
	fake_free(r->f);
}
