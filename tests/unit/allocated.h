/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * allocated.h - who allocated a page, on a machine made by hand: page_ext, stacks of page_owner, allocation
 * tags and their counters, names of flags. All of it lies below the frames of a held machine
 * (held_machine.h), and beside its objects.
 */
#ifndef VMCENSUS_TESTS_ALLOCATED_H
#define VMCENSUS_TESTS_ALLOCATED_H

#include "tests/unit/fake.h"

/* Physical addresses. */
enum {
	AL_EXT = 0x100000,		/* page_ext of frame 0 */
	AL_POOLS = 0x150000, AL_POOL = 0x154000, AL_SITES = 0x160000, AL_MODULE_SITES = 0x168000,
	AL_STRINGS = 0x170000,
	AL_SECTION_AT = 0x180000,	/* struct mem_section { map, usage, page_ext } of section 0 */
	AL_VARS = 0x181000,		/* variables, 0x40 bytes each */
	AL_GFP = 0x190000, AL_FLAGS = 0x191000, AL_FIELDS = 0x192000, AL_TEXTS = 0x193000,
	AL_TYPE_VAR = 0x194000, AL_TYPE = 0x194100, AL_MODULE = 0x194200, AL_TAGS = 0x194300,
	AL_COUNTERS = 0x195000,
};
/* struct page_ext { flags, tag, page_owner { order, reason, gfp, handle, times, pid, tgid, comm } } */
enum { AL_EXT_BYTES = 80, AL_TAG_AT = 8, AL_OWNER_AT = 16, AL_HANDLE_IN_OWNER = 8, AL_OWNER_BIT = 0,
       AL_ALLOCATED_BIT = 1 };
enum { AL_SITE_BYTES = 40, AL_NAME = 16, AL_FIELD = 32, AL_TAG = 48, AL_CPU = 0x1000 };

/* A variable; returns where it is. */
uint64_t al_var(struct fake *f, enum layout_id id, unsigned no, uint64_t value, unsigned size);
/* A bit field of a handle. */
void al_bits(struct fake *f, enum layout_id id, unsigned first, unsigned n);

/* Frames have page_ext: those of section 0; that of section 1 is being removed. */
void al_page_ext(struct fake *f);
/* page_owner keeps stacks; the caller says what a handle is. */
void al_owner(struct fake *f);
void al_stack(struct fake *f, unsigned no);
void al_ext(struct fake *f, uint64_t pfn, uint64_t flags, uint32_t handle, uint64_t tag);
/* Two places of the source, of the kernel and of a module. */
void al_sites(struct fake *f);
/* The tag of a page is a number in its flags: 8 bits from bit 40 on. */
void al_sites_in_flags(struct fake *f);

/* Names of gfp flags and page flags; fields of page flags, since 5.12. */
void al_names(struct fake *f);
void al_fields(struct fake *f);

/* Two tags with counters on two processors: a page may be allocated on one and freed on the other. */
void al_counts(struct fake *f);

#endif
