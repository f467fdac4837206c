/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bounds.c - reports sums that exceed their whole.
 */
#include "model/memory/trust/bounds.h"

#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/source.h"

#define ANON_SHARE 64u		/* of RAM */
#define ANON_LEAST 4096u	/* pages */

void bound_check(struct issues *is, const char *what, uint64_t sum, const char *of, uint64_t whole)
{
	if (sum > whole)
		issue_add(is, ST_CORRUPT, "sum above its whole", 1,
			  "%s: %" PRIu64 " KiB, more than the %" PRIu64 " KiB of %s", what,
			  sum >> 10, whole >> 10, of);
}

static void check_mm(const struct snapshot *s, const struct mm *m)
{
	const struct kernel *k = s->k;
	const struct usage *u = &m->usage;
	uint64_t pss = u->pss >> PSS_SHIFT, uss = usage_uss(u);

	if (!pss_overflows(k) && !s->frames.average)
		bound_check(k->issues, "uss of a process", uss, "its pss", pss);
	bound_check(k->issues, "uss of a process", uss, "its rss", u->rss);
	bound_check(k->issues, "pss of a process", pss, "its rss", u->rss);
	bound_check(k->issues, "swap_pss of a process", u->swap_pss >> PSS_SHIFT, "its swap",
		    u->swap);
}

/* Bytes of all frames, and other memory that may count. */
static uint64_t frame_bytes(const struct snapshot *s, uint64_t beside)
{
	uint64_t frames = s->frames.existing;

	if (s->frames.average)
		frames += frames / 2;
	return (frames << s->k->page_shift) + beside;
}

static void check_swap(const struct snapshot *s, uint64_t swap_pss)
{
	uint64_t total = machine_meminfo(&s->machine, "SwapTotal");
	uint64_t unused = machine_meminfo(&s->machine, "SwapFree");

	if (total == UINT64_MAX)
		return;
	bound_check(s->k->issues, "swap_pss of all processes", swap_pss, "swap", total);
	if (unused != UINT64_MAX)
		bound_check(s->k->issues, "free swap", unused, "swap", total);
	for (uint32_t i = 0; i < s->machine.nswaps; i++)
		bound_check(s->k->issues, "used of a swap area",
			    s->machine.swaps[i].used << s->k->page_shift, "the area",
			    s->machine.swaps[i].pages << s->k->page_shift);
}

/*
 * Where page tables told what pages are, their mapcounts were not compared: the kernel's count of anonymous
 * pages is. Pages on their way and batches of CPUs are a small part of RAM.
 */
static void check_anon(const struct snapshot *s, uint64_t pss)
{
	uint64_t counted = machine_meminfo(&s->machine, "AnonPages");
	uint64_t most = max_u64(s->frames.existing / ANON_SHARE, ANON_LEAST) << s->k->page_shift;

	if (pss > counted && pss - counted > most)
		bound_check(s->k->issues, "pss_anon of all processes", pss, "AnonPages", counted);
}

void bounds_check(const struct snapshot *s)
{
	uint64_t pss = 0, anon = 0, swap_pss = 0, whole = 0;

	if (source_has(s->k, SOURCE_CHANGES))
		return;
	for (uint32_t i = 0; i < s->nmms; i++) {
		const struct usage *u = &s->mms[i].usage;

		check_mm(s, &s->mms[i]);
		pss += u->pss;
		anon += u->pss_anon;
		swap_pss += u->swap_pss;
		whole += u->whole;
	}
	bound_check(s->k->issues, "pss of all processes", pss >> PSS_SHIFT, "page frames",
		    frame_bytes(s, whole));
	if (!(s->built & NEED_MACHINE))
		return;
	check_swap(s, swap_pss >> PSS_SHIFT);
	/* the counter has no page that is not present */
	if (s->told_pages && anon >> PSS_SHIFT > whole)
		check_anon(s, (anon >> PSS_SHIFT) - whole);
}
