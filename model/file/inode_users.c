/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inode_users.c - the vmas of all processes, and their tables of open files. */
#include "model/file/inode_users.h"

#include <string.h>

#include "dumpread/base/hash.h"
#include "model/file/open_files.h"
#include "model/kobj.h"

struct users {
	const struct snapshot *s;
	struct reader *r;
	const struct hash *by_inode;
	struct inode_users *v;
	uint32_t n;
	uint32_t *last;		/* [n]: the mm or process counted last, + 1 */
};

static void note_first(struct inode_users *o, uint32_t proc)
{
	if (o->first == NONE || proc < o->first)
		o->first = proc;
}

static void find_mappers(struct users *u)
{
	const struct snapshot *s = u->s;

	for (uint32_t i = 0; i < s->nvmas; i++) {
		const struct vma *v = &s->vmas[i];
		uint64_t inode = v->file < s->nfiles ? s->files[v->file].inode : 0;
		uint32_t at = inode ? hash_get(u->by_inode, inode) : HASH_NONE;
		struct inode_users *o = at < u->n ? &u->v[at] : NULL;

		if (!o)
			continue;
		o->nvmas++;
		if (u->last[at] == v->mm + 1 || v->mm >= s->nmms)
			continue;
		u->last[at] = v->mm + 1;
		o->mappers += s->mms[v->mm].nprocs;
		if (s->mms[v->mm].owner < s->nprocs)
			note_first(o, s->mms[v->mm].owner);
	}
}

static void open_file(void *arg, uint32_t proc, uint64_t file)
{
	struct users *u = arg;
	uint64_t inode;
	uint32_t at;

	if (kmember_u64(u->s->k, u->r, file, M_FILE_INODE, &inode) || !inode)
		return;
	at = hash_get(u->by_inode, inode);
	if (at >= u->n || u->last[at] == proc + 1)
		return;
	u->last[at] = proc + 1;
	u->v[at].openers++;
	note_first(&u->v[at], proc);
}

void inode_users_find(const struct snapshot *s, struct reader *r, const struct hash *by_inode,
		      struct inode_users *v, uint32_t n, struct arena *mem)
{
	struct users u = { .s = s,
			   .r = r,
			   .by_inode = by_inode,
			   .v = v,
			   .n = n,
			   .last = arena_array(mem, uint32_t, n) };

	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct inode_users){ .first = NONE };
	find_mappers(&u);
	memset(u.last, 0, n * sizeof(*u.last));
	if (has(s->k, M_FILE_INODE))
		open_files_walk(s, r, open_file, &u);
}
