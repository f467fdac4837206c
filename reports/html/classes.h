/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * classes.h - every page frame in exactly one class, so that the classes add up to
 * the machine.
 */
#ifndef VMCENSUS_HTML_CLASSES_H
#define VMCENSUS_HTML_CLASSES_H

#include "model/model.h"

struct frame_class {
	const char *key, *about;
	uint32_t with;			/* enum frame_flag: all of these */
	int mapped;			/* 1: mapcount > 0; 0: mapcount 0; -1: either */
};

/* A frame belongs to the first class that fits; the last fits all. */
extern const struct frame_class frame_classes[];
extern const unsigned frame_nclasses;

/* Counts the frames of each class into COUNT[frame_nclasses]; returns their sum. HOLES: frames
   in no class, which have struct pages and are no memory, by PRESENT (struct machine). */
uint64_t frame_classes_count(const struct frames *f, uint64_t present, uint64_t *count,
			     uint64_t *holes);

#endif
