/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zonetest.h - could a zone that the log printed serve the request of its event? The test of
 * __zone_watermark_ok() (mm/page_alloc.c), done again.
 */
#ifndef VMCENSUS_OOM_ZONETEST_H
#define VMCENSUS_OOM_ZONETEST_H

#include "model/cause/event/oomlog.h"

enum zone_result {
	ZONE_NOT_KNOWN,		/* the log lacks figures, or the limit was another */
	ZONE_NOT_ALLOWED,	/* the request may not use it */
	ZONE_BELOW_MIN,		/* LACKING says by how much */
	ZONE_NO_BLOCK,		/* no free block of that order */
	ZONE_BELOW_HIGH,	/* which a last attempt before a kill asks for */
	ZONE_ENOUGH,
};

struct zone_test {
	enum zone_result result;
	int64_t lacking;	/* pages below min and reserve; OOM_UNKNOWN */
	int64_t reserve;	/* pages of lowmem_reserve[] that are kept from this request */
	int64_t usable;		/* free KiB, without what it may not use; OOM_UNKNOWN */
	int largest;		/* order of the largest free block; -1: none, -2: not printed */
};

void zone_test(const struct oom_event *e, const struct oom_zone *z, unsigned page_shift,
	       struct zone_test *ret);

/* Is NODE in "0-1,3"? */
bool oom_node_in(const char *list, int64_t node);

#endif
