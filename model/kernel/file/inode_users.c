/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inode_users.c - the vmas of all processes, and their tables of open files. */
#include "model/kernel/file/inode_users.h"

#include <string.h>

#include "dumpread/base/hash.h"
#include "facts/layout/file.h"
#include "model/kernel/file/open_files.h"
#include "model/kernel/kobj.h"

struct users {
	const struct snapshot *s;
	struct reader *r;
	const struct hash *by_inode;
	uint32_t n;
	inode_user_fn *fn;
	void *arg;
	uint32_t *last;		/* [n]: the mm or process counted last, + 1 */
};

static void find_mappers(struct users *u)
{
	const struct snapshot *s = u->s;

	for (uint32_t i = 0; i < s->nvmas; i++) {
		const struct vma *v = &s->vmas[i];
		uint64_t inode = v->file < s->nfiles ? s->files[v->file].inode : 0;
		uint32_t at = inode ? hash_get(u->by_inode, inode) : HASH_NONE;

		if (at >= u->n || v->mm >= s->nmms || u->last[at] == v->mm + 1)
			continue;
		u->last[at] = v->mm + 1;
		u->fn(u->arg, at, v->mm, true);
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
	u->fn(u->arg, at, proc, false);
}

void inode_users_each(const struct snapshot *s, struct reader *r, const struct hash *by_inode,
		      uint32_t n, struct arena *mem, inode_user_fn *fn, void *arg)
{
	struct users u = { .s = s,
			   .r = r,
			   .by_inode = by_inode,
			   .n = n,
			   .fn = fn,
			   .arg = arg,
			   .last = arena_array(mem, uint32_t, n) };

	find_mappers(&u);
	memset(u.last, 0, n * sizeof(*u.last));
	if (has(s->k, M_FILE_INODE))
		open_files_walk(s, r, open_file, &u);
}

struct found {
	const struct snapshot *s;
	struct inode_users *v;
};

static void add_user(void *arg, uint32_t at, uint32_t user, bool maps)
{
	const struct found *f = arg;
	struct inode_users *o = &f->v[at];
	uint32_t proc = maps ? f->s->mms[user].owner : user;

	if (maps)
		o->mappers += f->s->mms[user].nprocs;
	else
		o->openers++;
	if (proc < f->s->nprocs && (o->first == NONE || proc < o->first))
		o->first = proc;
}

void inode_users_find(const struct snapshot *s, struct reader *r, const struct hash *by_inode,
		      struct inode_users *v, uint32_t n, struct arena *mem)
{
	struct found f = { .s = s, .v = v };

	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct inode_users){ .first = NONE };
	for (uint32_t i = 0; i < s->nvmas; i++) {
		uint32_t file = s->vmas[i].file;
		uint64_t inode = file < s->nfiles ? s->files[file].inode : 0;
		uint32_t at = inode ? hash_get(by_inode, inode) : HASH_NONE;

		if (at < n)
			v[at].nvmas++;
	}
	inode_users_each(s, r, by_inode, n, mem, add_user, &f);
}
