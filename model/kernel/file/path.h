/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * path.h - struct path {mnt, dentry} to text, as d_path() (fs/d_path.c) does it.
 *
 *     struct pathwalk w;
 *     pathwalk_init(&w, k, r);         finds the root of process 1, once
 *     path_read(&w, mnt, dentry, &text);
 *     ... text.s is valid until the next path_read() ...
 *     pathwalk_release(&w);
 *
 * Each part of a path that the dump lacks is shown as a component "(?)": in
 * front, if nothing above it is known ("(?)/lib/libc.so.6"), else in its place
 * ("/usr/(?)/libc.so.6"). Each such path is one issue of the object "path",
 * and its text.whole is false.
 */
#ifndef VMCENSUS_FILES_PATH_H
#define VMCENSUS_FILES_PATH_H

#include "model/kernel/kobj.h"

/*
 * The kernel sets no limit for the paths in maps (seq_file grows its buffer); only
 * path_openat() has PATH_MAX. A tree of directories may be deeper than that.
 */
#define PATH_LIMIT 65536u	/* bytes of one path */
#define PATH_STEPS 33000u	/* dentries and mounts of one path; shortest name: "/x" */
#define NAME_LIMIT 4096u	/* bytes of one component; NAME_MAX is 255 in most */
#define PATH_UNKNOWN "(?)"

struct path_text {
	const char *s;		/* terminated, unescaped; PATH_UNKNOWN at the least */
	size_t len;
	uint64_t inode, sb;	/* d_inode and d_sb of the dentry; 0 if it is not readable */
	bool deleted;		/* " (deleted)" is not part of a name */
	bool made_up;		/* by the file system: nobody can open this name */
	bool whole;		/* no part of it is missing */
};

struct pathwalk {
	const struct kernel *k;
	struct reader *r;
	uint64_t root_mnt, root_dentry;	/* of process 1; 0 not known */
	uint64_t steps_left;	/* over the whole life of this pathwalk */
	struct kobj dentry, mount;
	char *buf;		/* PATH_LIMIT bytes, filled from the end */
	size_t at;		/* first byte used */
	bool whole;
};

void pathwalk_init(struct pathwalk *w, const struct kernel *k, struct reader *r);
void pathwalk_release(struct pathwalk *w);

void path_read(struct pathwalk *w, uint64_t mnt, uint64_t dentry, struct path_text *ret);

/* d_unhashed() of the dentry D, which is read: a lookup does not find it. */
bool dentry_unhashed(const struct kobj *d);

/* The names from DENTRY up to the root of its file system, without mounts. */
void path_in_fs(struct pathwalk *w, uint64_t dentry, struct path_text *ret);

/* ---- between path.c and dname.c ---- */

/* Puts N bytes, or the name of the dentry in w->dentry, before the text; false: too long. */
bool path_prepend(struct pathwalk *w, const char *s, size_t n);
/* An unreadable name becomes PATH_UNKNOWN and sets w->whole to false. */
bool path_prepend_name(struct pathwalk *w);
/* One issue of the object "path". */
void path_damaged(struct pathwalk *w, enum status st, uint64_t addr);

/*
 * The text of a dentry whose file system makes up names (d_op->d_dname); the
 * dentry is in w->dentry. *deleted: the text ends in " (deleted)".
 */
void path_dname(struct pathwalk *w, bool *deleted);

/* s_magic of file systems that are recognized by it (include/uapi/linux/magic.h). */
enum sb_magic {
	MAGIC_ANON_INODE = 0x09041934,
	MAGIC_PIPE = 0x50495045,
	MAGIC_SOCK = 0x534f434b,
	MAGIC_DMABUF = 0x444d4142,
	MAGIC_PID = 0x50494446,
	MAGIC_TMPFS = 0x01021994,
	MAGIC_BDEV = 0x62646576,
	MAGIC_MQUEUE = 0x19800202,
};
#define MAGIC_HUGETLBFS 0x958458f6u
#define MAGIC_OVERLAYFS 0x794c7630u
#define MAGIC_AUFS 0x61756673u

#endif
