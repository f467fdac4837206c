/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inode_path.c - from inode.i_dentry: one of the dentries that name it. */
#include "model/kernel/file/inode_path.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/issues.h"
#include "facts/layout/file.h"

uint64_t sb_mount(const struct kernel *k, struct reader *r, uint64_t sb)
{
	const struct layout *l = &k->layout;
	uint64_t at = sb + layout_offset(l, M_SB_MOUNTS), first = 0;

	if (!has(k, M_SB_MOUNTS) || !has(k, M_MOUNT_VFS) || read_kva_word(r, at, &first) ||
	    first == at || !first)
		return 0;
	return first - layout_offset(l, M_MOUNT_INSTANCE) + layout_offset(l, M_MOUNT_VFS);
}

const char *inode_path(struct pathwalk *w, uint64_t inode, uint64_t mnt, uint64_t *left,
		       struct arena *mem)
{
	static const char deleted[] = " (deleted)";
	uint64_t alias = 0, head = inode + layout_offset(&w->k->layout, M_INODE_DENTRY), dentry;
	struct path_text text;
	uint64_t back;
	bool mark;

	if (!has(w->k, M_INODE_DENTRY) || !has(w->k, M_DENTRY_ALIAS) ||
	    kmember_u64(w->k, w->r, inode, M_INODE_DENTRY, &alias) || !alias)
		return PATH_UNKNOWN;
	/* hlist_node.pprev; before 3.6 list_head.prev of a ring, where the head itself is the end */
	if (read_kva_word(w->r, alias + w->k->dump->word_size, &back) || back != head) {
		issue_add(w->k->issues, ST_CORRUPT, "file", 1, "names of the inode at %#" PRIx64,
			  inode);
		return PATH_UNKNOWN;
	}
	if (alias == head)
		return PATH_UNKNOWN;
	dentry = alias - layout_offset(&w->k->layout, M_DENTRY_ALIAS);
	if (mnt)
		path_read(w, mnt, dentry, &text);
	else
		path_in_fs(w, dentry, &text);
	if (text.len > *left)
		return PATH_UNKNOWN;
	*left -= text.len;
	mark = text.deleted && (text.len < sizeof(deleted) - 1 ||
				strcmp(text.s + text.len - sizeof(deleted) + 1, deleted));
	return arena_printf(mem, "%s%s", text.s, mark ? deleted : "");
}
