/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attributed.c - compares the pss of all mms with the kernel's count of mapped
 * memory.
 */
#include "model/memory/trust/attributed.h"

#include <inttypes.h>

#include "facts/rules.h"
#include "model/kernel/source.h"

/* calculate_normal_threshold() (mm/vmstat.c) is at most this, for each CPU and zone; the
   zones of a machine with one node are at most five. */
#define STAT_THRESHOLD 125
#define ZONES 5

/* Counts that CPUs have not folded in; if they are not known, their upper limit. */
static uint64_t add_pending(const struct snapshot *s, uint64_t counted, uint64_t *doubt)
{
	int64_t held = s->machine.mapped_on_cpus;

	*doubt = 0;
	if (held == INT64_MIN || source_has(s->k, SOURCE_CHANGES))
		*doubt = (uint64_t)s->k->ncpus * 2 * ZONES * STAT_THRESHOLD << s->k->page_shift;
	if (held == INT64_MIN)
		return counted;
	if (held < 0 && counted < -(uint64_t)held)
		return 0;
	return counted + (uint64_t)held;
}

void attributed(const struct snapshot *s, struct attributed *ret)
{
	uint64_t anon = machine_meminfo(&s->machine, "AnonPages");
	uint64_t mapped = machine_meminfo(&s->machine, "Mapped");
	uint64_t pss = 0, over = 0, huge = 0;

	for (uint32_t i = 0; i < s->nmms; i++) {
		const struct usage *u = &s->mms[i].usage;
		int64_t hidden = (int64_t)(u->hidden_anon + u->hidden_file + u->hidden_shmem);

		pss += u->pss;
		over += hidden > 0 ? (uint64_t)hidden : 0;
		huge += u->anon_huge + u->shmem_huge + u->file_huge;
	}
	*ret = (struct attributed){ .pss = pss >> PSS_SHIFT,
				    .counted = UINT64_MAX,
				    .missing = UINT64_MAX };
	if (anon == UINT64_MAX || mapped == UINT64_MAX || anon + mapped < anon)
		return;
	ret->counted = add_pending(s, anon + mapped, &ret->doubt);
	ret->missing = ret->counted > ret->pss ? ret->counted - ret->pss : 0;
	/* divisions cut off less than a page */
	ret->missing = ret->missing >> s->k->page_shift << s->k->page_shift;
	if (ret->missing && ret->missing <= over)
		ret->why = "huge pages that smaps passes over";
	else if (ret->missing && ret->missing <= huge && pss_overflows(s->k))
		ret->why = "Pss of this kernel overflows on huge pages";
}

const char *attributed_text(const struct snapshot *s, struct arena *mem)
{
	struct attributed a;

	attributed(s, &a);
	if (a.missing == UINT64_MAX || a.missing <= a.doubt)
		return NULL;
	return arena_printf(mem,
			    "not attributed: %" PRIu64 " of the %" PRIu64 " KiB that the "
			    "kernel counts as mapped (AnonPages, Mapped) are in no pss%s%s",
			    a.missing >> 10, a.counted >> 10, a.why ? ": " : "",
			    a.why ? a.why : "");
}
