/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vmcoreinfo_scan.h - all texts of VMCOREINFO in a dump's memory: one for each kernel that wrote one. */
#ifndef VMCENSUS_VMCOREINFO_SCAN_H
#define VMCENSUS_VMCOREINFO_SCAN_H

#include "dumpread/dump.h"

#define VMCOREINFO_TEXTS 16u /* more are not looked at */

struct vmcoreinfo_text {
	char *text; /* NUL-terminated, with CRASHTIME if any copy has it */
	size_t len;
	uint64_t pa; /* of the first copy */
	unsigned copies;
	bool little, big; /* what the note's header in front of a copy says */
};

struct vmcoreinfo_texts {
	struct vmcoreinfo_text v[VMCOREINFO_TEXTS]; /* by address */
	unsigned n;
	struct arena mem; /* owns the texts */
};

/* Add those in the frames [FIRST, END) to TO, which is zeroed at first. Reads all of them. */
void vmcoreinfo_texts_find(struct dump *d, uint64_t first, uint64_t end,
			   struct vmcoreinfo_texts *to);
void vmcoreinfo_texts_free(struct vmcoreinfo_texts *t);

/* D is the dump of the kernel that wrote T: VMCOREINFO, release and build-id are T's. */
void vmcoreinfo_take_text(struct dump *d, const struct vmcoreinfo_text *t);

#endif
