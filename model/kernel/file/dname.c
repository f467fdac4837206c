/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dentries of file systems without a tree of names: their names are made up when they are
 * printed (d_op->d_dname). The magic of the file system shows which hook of v2.6.22 ..
 * v7.3 it has; all others use simple_dname(): memfd, SysV shared memory, shared /dev/zero,
 * anonymous huge pages, AIO rings and secret memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "facts/layout/file.h"
#include "model/kernel/file/path.h"

#define DMA_BUF_NAME_LEN 32	/* include/uapi/linux/dma-buf.h, with its NUL */

static bool put_text(struct pathwalk *w, const char *s, size_t n)
{
	if (path_prepend(w, s, n))
		return true;
	path_damaged(w, ST_LIMIT, w->dentry.addr);
	return false;
}

#define put_literal(w, s) put_text((w), (s), sizeof(s) - 1)

/* dmabuffs_dname(), drivers/dma-buf/dma-buf.c: "/dmabuf:" and the name that its owner gave. */
static void put_dmabuf(struct pathwalk *w)
{
	uint64_t buf = kobj_u64(&w->dentry, M_DENTRY_FSDATA), p = 0;
	char name[DMA_BUF_NAME_LEN] = "";
	enum status st = ST_CORRUPT;

	if (kernel_ptr_ok(w->k, buf, w->k->dump->word_size))
		st = kmember_u64(w->k, w->r, buf, M_DMABUF_NAME, &p);
	if (!st && p)
		st = read_kva_str(w->r, p, name, sizeof(name));
	if (st && st != ST_ABSENT) {
		path_damaged(w, st, buf);
		snprintf(name, sizeof(name), PATH_UNKNOWN);
	}
	if (put_text(w, name, strlen(name)) && put_literal(w, ":") && path_prepend_name(w))
		put_literal(w, "/");
}

/* "pipe:[4711]" */
static void put_inode(struct pathwalk *w, const char *what)
{
	uint64_t inode = kobj_u64(&w->dentry, M_DENTRY_INODE), ino = 0;
	enum status st = ST_CORRUPT;
	char text[64];
	int n;

	if (kernel_ptr_ok(w->k, inode, w->k->dump->word_size))
		st = kmember_u64(w->k, w->r, inode, M_INODE_INO, &ino);
	if (st) {
		path_damaged(w, st, inode);
		n = snprintf(text, sizeof(text), "%s:[" PATH_UNKNOWN "]", what);
	} else {
		n = snprintf(text, sizeof(text), "%s:[%" PRIu64 "]", what, ino);
	}
	put_text(w, text, (size_t)n);
}

static uint64_t magic_of(struct pathwalk *w)
{
	uint64_t sb = kobj_u64(&w->dentry, M_DENTRY_SB), magic = 0;
	enum status st = ST_CORRUPT;

	if (kernel_ptr_ok(w->k, sb, w->k->dump->word_size))
		st = kmember_u64(w->k, w->r, sb, M_SB_MAGIC, &magic);
	if (st)
		path_damaged(w, st, sb);
	return magic;
}

void path_dname(struct pathwalk *w, bool *deleted)
{
	switch (magic_of(w)) {
	case MAGIC_ANON_INODE:
		if (path_prepend_name(w) && kernel_rule(w->k, RULE_ANON_INODE_PREFIX))
			put_literal(w, "anon_inode:");
		return;
	case MAGIC_PIPE: put_inode(w, "pipe"); return;
	case MAGIC_SOCK: put_inode(w, "socket"); return;
	case MAGIC_DMABUF: put_dmabuf(w); return;
	case MAGIC_PID: put_literal(w, "anon_inode:[pidfd]"); return;
	}
	*deleted = true;
	if (put_literal(w, " (deleted)") && path_prepend_name(w))
		put_literal(w, "/");
}
