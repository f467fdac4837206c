/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/fleet/things.h"

#include <string.h>

#include "dumpread/base/hash.h"
#include "dumpread/base/search.h"

static int thing_order(const void *pa, const void *pb)
{
	const struct thing *a = pa, *b = pb;
	int d = strcmp(a->kind, b->kind);

	return d ? d : strcmp(a->name, b->name);
}

size_t things_of(const struct fleet *f, const uint32_t *v, uint32_t n, struct arena *mem,
		 struct thing **ret)
{
	struct hash at = { .mem = mem };
	VEC(struct thing) things = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		const struct crashed *c = &f->v.v[v[i]];

		for (size_t j = 0; j < c->costs.n; j++) {
			const struct cost *x = &c->costs.v[j];
			/* equal names are one pointer */
			const uint64_t key[] = { (uintptr_t)x->kind, (uintptr_t)x->name };
			uint64_t h = hash_bytes(key, sizeof(key));
			uint32_t k = hash_get(&at, h);

			if (k == HASH_NONE) {
				k = (uint32_t)things.n;
				hash_put(&at, h, k);
				*vec_push(mem, &things) =
					(struct thing){ x->kind, x->name, x->class,
							arena_array(mem, uint64_t, n) };
			}
			/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): K is one of v */
			things.v[k].bytes[i] += x->bytes;
		}
	}
	if (things.n)
		sort_array(things.v, things.n, sizeof(*things.v), thing_order);
	*ret = things.v;
	return things.n;
}
