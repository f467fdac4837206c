/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * descriptors.c - from open files, and files that vmas map, to the objects behind them.
 *
 * What a file is shows in its inode: pipes by the mode, sockets by the magic number of their file
 * system (include/uapi/linux/magic.h). Files of anonymous inodes have the name that
 * anon_inode_getfile() was given.
 */
#include <string.h>

#include "facts/layout/census.h"
#include "facts/layout/file.h"
#include "facts/layout/holder.h"
#include "model/kernel/file/open_files.h"
#include "model/kernel/file/path.h"
#include "model/memory/owners/holding.h"

#define S_IFMT 0170000u
#define S_IFIFO 0010000u
#define S_IFREG 0100000u
#define S_IFCHR 0020000u
#define TUN_DEVICE (10u << 20 | 200u)	/* MISC_MAJOR, TUN_MINOR: include/linux/miscdevice.h */
#define NAME_BYTES 32

struct open_file {
	uint64_t addr, inode;
	uint32_t mode;
	uint64_t magic;			/* of its file system */
	uint64_t device;		/* that a node of a character device is for; 0: it is none */
	char name[NAME_BYTES];		/* if its inode is anonymous */
};

/* A row matches by all that it names. */
static const struct row {
	enum owner_kind kind;
	uint32_t type;			/* of the inode */
	uint32_t magic;
	uint32_t device;
	const char *name;
	/* the object: this member of the inode, or of what the file's private_data points to */
	enum layout_id of_inode, of_private;
	enum layout_id around;		/* the object: what has the inode as this member */
	void (*read)(struct holding *h, struct held *o);
} rows[] = {
	{ .kind = OWNER_PIPE, .type = S_IFIFO, .of_inode = M_INODE_PIPE, .read = pipe_read },
	{ .kind = OWNER_SOCKET, .magic = MAGIC_SOCK, .of_private = M_SOCKET_SK, .read = socket_read },
	{ .kind = OWNER_URING, .magic = MAGIC_ANON_INODE, .name = "[io_uring]", .read = uring_read },
	{ .kind = OWNER_PERF, .magic = MAGIC_ANON_INODE, .name = "[perf_event]", .of_private = M_PERF_EVENT_RB, .read = perf_read },
	{ .kind = OWNER_EPOLL, .magic = MAGIC_ANON_INODE, .name = "[eventpoll]", .read = epoll_read },
	{ .kind = OWNER_WATCHES, .magic = MAGIC_ANON_INODE, .name = "inotify", .read = watches_read },
	{ .kind = OWNER_WATCHES, .magic = MAGIC_ANON_INODE, .name = "[fanotify]", .read = watches_read },
	{ .kind = OWNER_DMABUF, .magic = MAGIC_DMABUF, .read = dmabuf_read },
	{ .kind = OWNER_MESSAGES, .magic = MAGIC_MQUEUE, .type = S_IFREG, .around = M_MQUEUE_INODE, .read = mqueue_read },
	{ .kind = OWNER_QUEUE, .type = S_IFCHR, .device = TUN_DEVICE, .read = tun_read },
	{ .kind = OWNER_BPF, .magic = MAGIC_ANON_INODE, .name = "bpf-map", .read = bpf_map_read },
};

/* False: damaged. Without a name it is not known what the file is. */
static bool read_name(struct holding *h, struct open_file *f)
{
	uint64_t dentry, name;

	f->name[0] = 0;
	if (!has(h->k, M_FILE_DENTRY) || !has(h->k, M_DENTRY_NAME))
		return true;
	return !kmember_u64(h->k, h->r, f->addr, M_FILE_DENTRY, &dentry) &&
	       !kmember_u64(h->k, h->r, dentry, M_DENTRY_NAME, &name) &&
	       !read_kva_str(h->r, name, f->name, sizeof(f->name));
}

static bool read_file(struct holding *h, uint64_t addr, struct open_file *f)
{
	uint64_t mode, sb;

	*f = (struct open_file){ .addr = addr };
	if (kmember_u64(h->k, h->r, addr, M_FILE_INODE, &f->inode) || !f->inode ||
	    kmember_u64(h->k, h->r, f->inode, M_INODE_MODE, &mode) ||
	    kmember_u64(h->k, h->r, f->inode, M_INODE_SB, &sb) ||
	    kmember_u64(h->k, h->r, sb, M_SB_MAGIC, &f->magic))
		return false;
	f->mode = (uint32_t)mode;
	if ((mode & S_IFMT) == S_IFCHR && has(h->k, M_INODE_RDEV) &&
	    kmember_u64(h->k, h->r, f->inode, M_INODE_RDEV, &f->device))
		return false;
	return f->magic != MAGIC_ANON_INODE || read_name(h, f);
}

static bool matches(const struct row *w, const struct open_file *f)
{
	return (!w->type || w->type == (f->mode & S_IFMT)) && (!w->magic || w->magic == f->magic) &&
	       (!w->device || w->device == f->device) && (!w->name || !strcmp(w->name, f->name));
}

static enum status object_of(struct holding *h, const struct row *w, const struct open_file *f,
			     uint64_t *object)
{
	enum status st;

	if (w->around) {
		*object = f->inode - layout_offset(&h->k->layout, w->around);
		return has(h->k, w->around) ? ST_OK : ST_ABSENT;
	}
	if (w->of_inode)
		return kmember_u64(h->k, h->r, f->inode, w->of_inode, object);
	st = kmember_u64(h->k, h->r, f->addr, M_FILE_PRIVATE, object);
	return st || !w->of_private ? st : kmember_u64(h->k, h->r, *object, w->of_private, object);
}

/* The inode's number tells pipes and sockets apart, as /proc/PID/fd does. */
static void name_owner(struct holding *h, const struct open_file *f, struct held *o)
{
	uint64_t ino;

	if (*o->what || kmember_u64(h->k, h->r, f->inode, M_INODE_INO, &ino))
		return;
	o->what = arena_printf(h->mem, "%s:[%llu]", owner_kind_name(o->kind),
			       (unsigned long long)ino);
}

static struct held *find_owner(struct holding *h, uint64_t addr)
{
	struct open_file f;
	uint64_t object;

	if (!read_file(h, addr, &f)) {
		h->lost_files++;
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		enum status st;
		struct held *o;
		bool fresh;

		if (!matches(&rows[i], &f))
			continue;
		st = object_of(h, &rows[i], &f, &object);
		if (st == ST_ABSENT || (!st && !object)) /* none, or not known to this kernel */
			return NULL;
		if (st || !kernel_ptr_ok(h->k, object, h->k->dump->word_size)) {
			h->lost_files++;
			return NULL;
		}
		o = held_get(h, rows[i].kind, object, &fresh);
		o->files++;
		if (fresh)
			rows[i].read(h, o);
		name_owner(h, &f, o);
		return o;
	}
	return NULL;
}

static struct held *owner_of(struct holding *h, uint64_t file)
{
	uint32_t at = hash_get(&h->files, file);

	if (at == HASH_NONE) {
		at = (uint32_t)h->file_owners.n;
		hash_put(&h->files, file, at);
		vec_push(h->mem, &h->file_owners)->o = NULL;
		h->file_owners.v[at].o = find_owner(h, file);
	}
	return h->file_owners.v[at].o;
}

static void take_file(void *arg, uint32_t proc, uint64_t file)
{
	struct held *o = owner_of(arg, file);

	if (o)
		held_by(arg, o, proc);
}

/* A mapping keeps its file, also when the descriptor is closed. */
static void take_mapped(struct holding *h, uint32_t proc)
{
	const struct snapshot *s = h->s;
	uint32_t i = s->procs[proc].mm;
	const struct mm *m = i < s->nmms ? &s->mms[i] : NULL;

	for (uint32_t j = 0; m && j < m->nvmas; j++)
		if (s->vmas[m->first_vma + j].file_addr)
			take_file(h, proc, s->vmas[m->first_vma + j].file_addr);
}

bool descriptors_walk(struct holding *h)
{
	bool known;

	if (!has(h->k, M_FILE_INODE) || !has(h->k, M_FILE_PRIVATE) || !has(h->k, M_INODE_MODE) ||
	    !has(h->k, M_INODE_SB) || !has(h->k, M_SB_MAGIC))
		return false;
	for (uint32_t i = 0; i < h->s->nprocs; i++)
		take_mapped(h, i);
	known = open_files_walk(h->s, h->r, take_file, h);
	/* these may lead to sockets that carry more */
	for (size_t i = 0; i < h->in_flight.n; i++) {
		struct in_flight f = h->in_flight.v[i];
		struct held *o = owner_of(h, f.file);

		if (o && o != f.carrier && !o->carrier)
			o->carrier = f.carrier;
	}
	return known;
}
