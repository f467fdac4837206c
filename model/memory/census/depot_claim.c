/* SPDX-License-Identifier: GPL-3.0-or-later */
/* depot_claim.c - the pools of the stack depot, of which struct pages show nothing. */
#include "facts/layout/origin.h"
#include "model/kernel/origin/depot.h"
#include "model/memory/census/claims.h"

/* False: its pages are not all there. */
static bool claim_pool(const struct depot *d, struct page_classes *c, uint64_t kva)
{
	uint64_t end = kva + ((uint64_t)DEPOT_POOL_PAGES << d->k->page_shift);

	return !claim_kva(d->k, d->r, c, kva, end, CLASS_DEPOT);
}

/* Returns the pools that are lost. */
static uint64_t claim_array(const struct depot *d, struct page_classes *c, uint64_t n)
{
	uint64_t lost = 0, kva;

	for (uint64_t i = 0; i < n; i++) {
		enum status st = depot_pool(d, i, &kva);

		/* those after it are not made, either: the array has no gaps */
		if (st == ST_ABSENT && d->k->layout.v[Y_DEPOT_USED].alt)
			break;
		lost += st || !claim_pool(d, c, kva);
	}
	return lost;
}

bool claim_depot(const struct kernel *k, struct reader *r, struct page_classes *c)
{
	struct depot d;
	uint64_t n, spare, lost;
	enum status st = depot_find(&d, k, r);

	if (st == ST_ABSENT)
		return !has(k, M_STACK_SIZE);
	if (st || depot_used(&d, &n) || depot_spare(&d, &spare))
		return false;
	lost = claim_array(&d, c, n);
	lost += spare && !claim_pool(&d, c, spare);
	if (lost)
		issue_add(k->issues, kernel_contradicts(k), "stack depot", lost,
			  "pools that are not there");
	return !lost;
}
