/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kpagecgroup.c - page_cgroup_ino() (mm/memcontrol.c, read in 4.9, 5.14, 6.1, 6.3, 6.4, 6.12, 7.1):
 * the inode of the page's group, or of the nearest one above it that was not removed. A tail page
 * has none before 6.4, and that of its folio since.
 */
#include "model/memory/census/kpagecgroup.h"

#include <stdlib.h>

#include "dumpread/base/hash.h"
#include "dumpread/base/heap.h"
#include "facts/layout/cgroup.h"
#include "facts/layout/origin.h"
#include "model/memory/census/page_charge.h"

#define DEPTH_MAX 4096u		/* groups above one another */

struct kpagecgroup {
	const struct kernel *k;
	struct reader *r;
	struct pagefmt f;
	bool tails;
	struct arena mem;
	struct hash seen;		/* css -> index in inodes */
	VEC(uint64_t) inodes;
};

struct kpagecgroup *kpagecgroup_new(const struct snapshot *s)
{
	static const struct era of_folio = { V(6, 4), 0 };
	const struct kernel *k = s->k;
	struct kpagecgroup *q;

	if (!k->dump || !k->memmap.n || !has(k, M_PAGE_MEMCG) || !has(k, M_MEMCG_CSS) ||
	    !has(k, M_CSS_CGROUP) || !has(k, M_CGROUP_KN) || !has(k, M_KN_INO))
		return NULL;
	q = heap_array(struct kpagecgroup, 1);
	q->k = k;
	q->r = kernel_reader(k);
	q->tails = in_era(k, of_folio);
	q->seen.mem = &q->mem;
	pagefmt_init(&q->f, k);
	return q;
}

void kpagecgroup_free(struct kpagecgroup *q)
{
	if (!q)
		return;
	reader_free(q->r);
	arena_release(&q->mem);
	free(q);
}

static uint64_t inode_of(struct kpagecgroup *q, uint64_t css)
{
	uint64_t online = (uint64_t)layout_enum(&q->k->layout, E_CSS_ONLINE, 0), flags, at;

	for (unsigned depth = 0; css && depth < DEPTH_MAX; depth++) {
		if (kmember_u64(q->k, q->r, css, M_CSS_FLAGS, &flags))
			return 0;
		if (!online || flags & online)
			break;
		if (kmember_u64(q->k, q->r, css, M_CSS_PARENT, &css))
			return 0;
	}
	if (!css || kmember_u64(q->k, q->r, css, M_CSS_CGROUP, &at) ||
	    kmember_u64(q->k, q->r, at, M_CGROUP_KN, &at) ||
	    kmember_u64(q->k, q->r, at, M_KN_INO, &at))
		return 0;
	return q->k->dump->word_size == 4 ? (uint32_t)at : at;
}

uint64_t kpagecgroup_read(struct kpagecgroup *q, uint64_t pfn)
{
	uint64_t kva = memmap_page_kva(&q->k->memmap, pfn), head, css;
	uint8_t raw[2 * STRUCT_PAGE_MAX];
	size_t n = page_role_size(&q->f, kva);
	uint32_t i;

	if (!kva || !memmap_is_online(&q->k->memmap, pfn) || read_kva(q->r, kva, raw, n))
		return 0;
	if (page_role(&q->f, raw, kva, n, &head) == PAGE_TAIL &&
	    (!q->tails || read_kva(q->r, head, raw, q->f.size)))
		return 0;
	css = page_charge(&q->f, q->r, raw);
	if (!css)
		return 0;
	i = hash_get(&q->seen, css);
	if (i == HASH_NONE) {
		i = (uint32_t)q->inodes.n;
		hash_put(&q->seen, css, i);
		*vec_push(&q->mem, &q->inodes) = inode_of(q, css);
	}
	return q->inodes.v[i];
}
