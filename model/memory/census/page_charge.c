/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_charge.c - page.memcg_data, and page.mem_cgroup before it (include/linux/memcontrol.h, read
 * in 4.4, 5.10, 5.11, 5.12, 5.15, 6.1, 6.12, 7.1).
 */
#include "model/memory/census/page_charge.h"
#include "facts/layout/cgroup.h"
#include "facts/layout/origin.h"

#define CHARGE_FLAGS UINT64_C(7)
#define CHARGE_OBJECTS 1u	/* MEMCG_DATA_OBJEXTS, _OBJCGS: an array, one of each object */
#define CHARGE_KMEM 2u		/* MEMCG_DATA_KMEM: kernel memory */

/* With MEMCG_DATA_KMEM: a struct mem_cgroup before b4e0b68fbd9d (v5.13), an obj_cgroup since. */
static bool by_objcg(const struct kernel *k, uint64_t data)
{
	static const struct era kmem_by_objcg = { V(5, 13), 0 };

	return has(k, M_OBJCG_ROOT) || (data & CHARGE_KMEM && in_era(k, kmem_by_objcg));
}

uint64_t page_charge(const struct pagefmt *f, struct reader *r, const uint8_t *p)
{
	const struct kernel *k = f->k;
	uint64_t data, memcg;

	if (!has(k, M_PAGE_MEMCG) || !has(k, M_MEMCG_CSS))
		return 0;
	data = page_word(f, p, layout_offset(&k->layout, M_PAGE_MEMCG));
	memcg = data & ~CHARGE_FLAGS;
	if (data & CHARGE_OBJECTS || !kernel_ptr_ok(k, memcg, k->dump->word_size))
		return 0;
	if (by_objcg(k, data) && kmember_u64(k, r, memcg, M_OBJCG_MEMCG, &memcg))
		return 0;
	return memcg + layout_offset(&k->layout, M_MEMCG_CSS);
}
