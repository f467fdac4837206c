/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * objects.h - the objects that VMAs map, by name: a file, or [heap], [stack], [anon] ...
 *
 * The "files" of exmap, the "maps" of smem, the mappings of librank. A file is an object
 * by inode and path (an index in snapshot.files), so that a deleted library and its
 * replacement are two objects. Other memory is an object by its name in maps, or "[anon]"
 * if it has none.
 */
#ifndef VMCENSUS_OBJECTS_H
#define VMCENSUS_OBJECTS_H

#include "model/model.h"

struct object {
	const char *name;
	uint32_t file;		/* index in files, or NONE */
	uint32_t nvmas;
	uint32_t nmms;		/* mms that map it */
	uint32_t nprocs;	/* processes that do */
};

struct objects {
	struct object *v;
	uint32_t n;
	uint32_t *of_vma;	/* [snapshot.nvmas]: index in v */
};

/* The name of the object that V maps. */
const char *object_name(const struct snapshot *s, const struct vma *v);

/* Does NAME mean the object OBJECT? It is the whole name, or the part after its last slash; "
   (deleted)" may be left out. */
bool object_is(const char *object, const char *name);

/* In MEM; names belong to the snapshot. Order: that of the VMAs that have them first. */
void objects_build(const struct snapshot *s, struct arena *mem, struct objects *ret);

/* [NFILES]: the object that is the file, or NONE; in MEM. */
uint32_t *objects_by_file(const struct objects *o, uint32_t nfiles, struct arena *mem);

#endif
