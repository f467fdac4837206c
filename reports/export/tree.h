/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.h - a directory that is filled file by file.
 *
 * It is new, or empty, or an earlier export (it has the file MARK). It is filled under
 * another name in the same directory, and renamed when it is complete. After a failure
 * nothing of it is left, and the earlier contents are still there. All is done relative to
 * descriptors of directories that were made here: no symbolic link is followed, nothing is
 * overwritten, and the only names from the dump are numbers of tasks and, checked, those of
 * control groups.
 */
#ifndef VMCENSUS_EXPORT_TREE_H
#define VMCENSUS_EXPORT_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dumpread/base/diag.h"
#include "dumpread/base/outside.h"

#define TREE_MARK "vmcensus-export"
#define TREE_DEPTH 40		/* directories below it: control groups lie deep */

struct tree {
	int top;		/* descriptor of the tree; -1 in a sandbox, where others hold it */
	char at[PATH_MAX];	/* where files go now, below it; "": its top */
	int parent;		/* of the directory that the tree is in */
	char name[256];		/* its name there */
	char beside[48];	/* its name until it is complete; "": it has no directory */
	unsigned tried;		/* names tried for it */
	const char *path;	/* for messages */
	bool owners;		/* give files to their owners: we are root */
	uint32_t uid, gid;	/* of files made now */
	struct diag *diag;
	enum status st;		/* the first failure; after it nothing is done */
};

enum status tree_open(struct tree *t, const char *path, struct diag *diag);
/* Gives the tree its name, or removes it if anything failed. Returns the first failure. */
enum status tree_close(struct tree *t);

/* From here on files go to directory NAME of the tree (made if new), as UID and GID. */
void tree_enter(struct tree *t, const char *name, uint32_t uid, uint32_t gid);
/* ... of its directory SUB. */
void tree_enter_sub(struct tree *t, const char *sub);
void tree_leave(struct tree *t);
/* Back to the directory that the present one is in. */
void tree_up(struct tree *t);

/* A stream to write the file to, NULL after a failure; give it to tree_done(). */
FILE *tree_file(struct tree *t, const char *name);
void tree_done(struct tree *t, FILE *f);
void tree_link(struct tree *t, const char *name, const char *target);

/*
 * Makes E in the tree of T; no part of its path may be a link. A descriptor for a file, else
 * 0; -1: errno says why not.
 */
int tree_put(const struct tree *t, const struct outside_entry *e);

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
