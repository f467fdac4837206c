/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/cause/verdict/ledger.h"

#include "dumpread/base/bytes.h"

static uint64_t sum_of(const struct oom_evidence *e)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < USES; i++)
		sum += ev_known(e->size[i]);
	return sum;
}

void ledger_open(struct oom_evidence *e)
{
	e->sum = sum_of(e);
}

static uint64_t take(struct oom_evidence *e, enum use from, uint64_t bytes)
{
	uint64_t n = min_u64(ev_known(bytes), ev_known(e->size[from]));

	if (n)
		e->size[from] -= n;
	return n;
}

uint64_t ledger_move(struct oom_evidence *e, enum use from, enum use to, uint64_t bytes)
{
	uint64_t n = take(e, from, bytes);

	if (e->size[from] == EV_UNKNOWN)
		return 0;
	e->size[to] = ev_known(e->size[to]) + n;
	return n;
}

void ledger_add(struct oom_evidence *e, enum use to, uint64_t bytes)
{
	e->size[to] = ev_known(e->size[to]) + bytes;
	e->sum += bytes;
}

void ledger_drop(struct oom_evidence *e, enum use from, uint64_t bytes)
{
	e->sum -= take(e, from, bytes);
}

bool ledger_is_even(const struct oom_evidence *e)
{
	return sum_of(e) == e->sum;
}
