/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkmodule.h - a stream of vmcensus.ko made by hand, in either byte order. */
#ifndef VMCENSUS_TESTS_MKMODULE_H
#define VMCENSUS_TESTS_MKMODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kmod/format.h"

struct stream {
	uint8_t data[16384];
	size_t len;
	bool big;		/* a machine of the other byte order */
};

void stream_begin(struct stream *s, bool big);
void stream_task(struct stream *s, int32_t pid, int32_t tgid, const char *comm, uint64_t mm);
void stream_mm(struct stream *s, uint64_t mm, const char *exe);
void stream_mm_at(struct stream *s, uint64_t mm, const char *exe, uint64_t stack);
/* A private, readable and writable mapping. */
void stream_vma(struct stream *s, uint64_t start, uint64_t end, uint64_t inode,
		const char *name);
/* One record of N runs. */
void stream_runs(struct stream *s, const struct vmc_run *runs, unsigned n);
void stream_end(struct stream *s);

#endif
