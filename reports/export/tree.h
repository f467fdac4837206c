/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.h - a directory of our own making, filled file by file.
 *
 * It is new, or empty, or an export that came before (the file MARK says so). It is
 * filled under another name in the same directory, and takes its own when it is
 * whole; after a failure nothing is left of it, and what was there is there still.
 * All is done relative to descriptors of directories that were made here; no
 * symbolic link is followed, nothing is overwritten, and no name but numbers of
 * tasks comes from the dump.
 */
#ifndef VMCENSUS_EXPORT_TREE_H
#define VMCENSUS_EXPORT_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dumpread/base/diag.h"

#define TREE_MARK "vmcensus-export"

struct tree {
	int top, dir;		/* descriptors: of the tree, of where files go now */
	int parent;		/* of the directory that the tree is in */
	char name[256];		/* its name there */
	char beside[48];	/* until it is whole; "": it has no directory */
	unsigned tried;		/* names for it */
	const char *path;	/* for messages */
	bool owners;		/* files are given to whom they belonged: we are root */
	uint32_t uid, gid;	/* of files made now */
	struct diag *diag;
	enum status st;		/* the first failure; all that follows does nothing */
};

enum status tree_open(struct tree *t, const char *path, struct diag *diag);
/* Put the tree where it belongs, or take it away if anything failed. The first failure. */
enum status tree_close(struct tree *t);

/* Files go to directory NAME of the tree from here on (made if new), as UID and GID. */
void tree_enter(struct tree *t, const char *name, uint32_t uid, uint32_t gid);
/* ... of its directory SUB. */
void tree_enter_sub(struct tree *t, const char *sub);
void tree_leave(struct tree *t);
/* The same, and tree_back() with the descriptor T->dir had, undoes it. */
void tree_stay(struct tree *t, const char *sub);
void tree_back(struct tree *t, int outer);

/* A stream to write the file to, NULL after a failure; give it to tree_done(). */
FILE *tree_file(struct tree *t, const char *name);
void tree_done(struct tree *t, FILE *f);
void tree_link(struct tree *t, const char *name, const char *target);

/* ---- files of holes ------------------------------------------------------------ */

/* Words of 8 bytes in the machine's order, by index; zeroes become holes. */
struct words {
	struct tree *t;
	int fd;
	uint64_t first;		/* index of v[0] */
	unsigned n;
	uint64_t v[1024];
	uint64_t end;		/* one past the largest index */
};

void words_open(struct words *w, struct tree *t, const char *name);
/* Indexes ascend. */
void words_put(struct words *w, uint64_t index, uint64_t v);
/* The file is COUNT words long, at least. */
void words_close(struct words *w, uint64_t count);

#endif
