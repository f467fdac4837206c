/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inode_users.c - the vmas of all processes, and their tables of open files. */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "model/file/inode_users.h"
#include "model/kobj.h"

#define FDS_MAX (64u << 20)	/* slots of all tables together */
#define FDS_CHUNK 64u		/* slots read at once */
#define WORD_MAX 8u

struct users {
	const struct snapshot *s;
	struct reader *r;
	const struct hash *by_inode;
	struct inode_users *v;
	uint32_t n;
	uint32_t *last;		/* [n]: the mm or process counted last, + 1 */
	uint64_t fds_left;
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

static void open_file(struct users *u, uint32_t proc, uint64_t file)
{
	uint64_t inode;
	uint32_t at;

	if (!kernel_ptr_ok(u->s->k, file, u->s->k->dump->word_size) ||
	    kmember_u64(u->s->k, u->r, file, M_FILE_INODE, &inode) || !inode)
		return;
	at = hash_get(u->by_inode, inode);
	if (at >= u->n || u->last[at] == proc + 1)
		return;
	u->last[at] = proc + 1;
	u->v[at].openers++;
	note_first(&u->v[at], proc);
}

static enum status open_files(struct users *u, uint32_t proc, uint64_t fd, uint64_t n)
{
	const struct dump *d = u->s->k->dump;
	uint8_t buf[FDS_CHUNK * WORD_MAX];

	for (uint64_t i = 0; i < n; i += FDS_CHUNK) {
		uint64_t k = min_u64(FDS_CHUNK, n - i);
		enum status st =
			read_kva(u->r, fd + i * d->word_size, buf, (size_t)k * d->word_size);

		if (st)
			return st;
		for (uint64_t j = 0; j < k; j++) {
			uint64_t file =
				load_uint(buf + j * d->word_size, d->word_size, d->big_endian);

			if (file)
				open_file(u, proc, file);
		}
	}
	return ST_OK;
}

/* The leader's table stands for the process; a leader that has ended has none. */
static enum status open_of_proc(struct users *u, uint32_t proc)
{
	const struct snapshot *s = u->s;
	const struct proc *p = &s->procs[proc];
	uint64_t files = 0, fdt = 0, max = 0, fd = 0;
	enum status st;

	if (p->leader >= s->ntasks || p->kthread)
		return ST_OK;
	st = kmember_u64(s->k, u->r, s->tasks[p->leader].addr, M_TASK_FILES, &files);
	if (st || !files)
		return st;
	st = kmember_u64(s->k, u->r, files, M_FILES_FDT, &fdt);
	if (!st)
		st = kmember_u64(s->k, u->r, fdt, M_FDT_MAX, &max);
	if (!st)
		st = kmember_u64(s->k, u->r, fdt, M_FDT_FD, &fd);
	if (!st && max > u->fds_left)
		st = ST_LIMIT;
	if (st)
		return st;
	u->fds_left -= max;
	return open_files(u, proc, fd, max);
}

void inode_users_find(const struct snapshot *s, struct reader *r, const struct hash *by_inode,
		      struct inode_users *v, uint32_t n, struct arena *mem)
{
	struct users u = { .s = s,
			   .r = r,
			   .by_inode = by_inode,
			   .v = v,
			   .n = n,
			   .last = arena_array(mem, uint32_t, n),
			   .fds_left = FDS_MAX };

	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct inode_users){ .first = NONE };
	find_mappers(&u);
	if (!r || !has(s->k, M_FILES_FDT) || !has(s->k, M_TASK_FILES) || !has(s->k, M_FDT_FD) ||
	    !has(s->k, M_FILE_INODE))
		return;
	memset(u.last, 0, n * sizeof(*u.last));
	for (uint32_t i = 0; i < s->nprocs; i++) {
		enum status st = open_of_proc(&u, i);

		if (st)
			issue_add(s->k->issues, st, "open files", 1, "of process %d",
				  s->procs[i].pid);
	}
}
