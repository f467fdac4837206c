/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freed_percpu.c - chunks of mm/percpu.c that go with a large map of BPF.
 *
 * A chunk that is free as a whole goes with its maps: a bit and, for control groups, a pointer for
 * every 4 bytes (3c7be18ac9a0, v5.9), which are larger than the memory of one CPU. One such chunk
 * is kept. Of others the pages come back since f183324133ea (v5.14), which has the member
 * "isolated". Areas are allocated one behind the other: in a run as long as N chunks lie at least
 * N - 1 whole ones.
 */
#include "model/cause/freed/freed_percpu.h"

#include "facts/layout/census.h"
#include "model/kernel/kobj.h"
#include "model/kernel/vmalloc/vmalloc.h"

#define UNIT_PAGES_MAX (1u << 16)	/* a unit of 256 MiB: VMALLOC space limits it */

void percpu_costs_read(const struct snapshot *s, struct arena *mem, struct percpu_costs *ret)
{
	const struct kernel *k = s->k;
	struct reader *r = kernel_reader(k);
	uint64_t pages = 0, sum = 0, most = 0, n = 0;
	struct vmalloc va;

	*ret = (struct percpu_costs){ .kept = !has(k, M_PCPU_CHUNK_ISOLATED) };
	if (r && !kvar_u64(k, r, Y_PCPU_UNIT_PAGES, 4, &pages) && pages <= UNIT_PAGES_MAX)
		ret->chunk = (pages << k->page_shift) * k->ncpus;
	reader_free(r);
	if (!ret->chunk || vmalloc_build(s, mem, &va))
		return;
	/* the pointers are the largest of them, one area for each chunk */
	for (uint32_t i = 0; i < va.n; i++) {
		if (!vmalloc_of_percpu(&va.v[i]) || va.v[i].npages >> 24)
			continue;
		sum += va.v[i].npages;
		n = va.v[i].npages > most ? 1 : n + (va.v[i].npages == most);
		most = va.v[i].npages > most ? va.v[i].npages : most;
	}
	ret->maps = n ? (sum / n) << k->page_shift : 0;
}

uint64_t percpu_freed(const struct percpu_costs *c, uint64_t bytes)
{
	uint64_t n = c->chunk ? bytes / c->chunk : 0, gone = n > 2 ? n - 2 : 0;

	return (c->kept && c->chunk ? gone * c->chunk : bytes) + gone * c->maps;
}
