/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walk of prepend_path() (fs/d_path.c): from the dentry up through d_parent, from the
 * root of a mount on to its mountpoint, until the root of the reader, or the root of a
 * mount namespace or of a detached mount. In all of these cases d_path() prints the
 * components so far; only getcwd() adds "(unreachable)".
 */
#include "model/kernel/file/path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "facts/layout/file.h"
#include "facts/layout/task.h"
#include "model/kernel/file/files.h"

#define DCACHE_UNHASHED 0x10	/* d_flags, until v2.6.38 */
#define STEPS_OF_ALL_PATHS (UINT64_C(1) << 24)

static const char deleted_suffix[] = " (deleted)";

/* The position of the walk. */
struct place {
	uint64_t dentry;
	uint64_t vfsmnt;	/* the struct vfsmount, as in struct path */
	uint64_t mount;		/* address of the contents of w->mount; 0 nothing */
	uint64_t sb;		/* the super block of all dentries up to the next mount */
};

/* ---- the buffer ---------------------------------------------------------------- */

/* Room for PATH_UNKNOWN is always left. */
bool path_prepend(struct pathwalk *w, const char *s, size_t n)
{
	if (n + strlen(PATH_UNKNOWN) > w->at)
		return false;
	w->at -= n;
	memcpy(w->buf + w->at, s, n);
	return true;
}

static bool prepend_str(struct pathwalk *w, const char *s)
{
	return path_prepend(w, s, strlen(s));
}

static void prepend_unknown(struct pathwalk *w)
{
	w->at -= strlen(PATH_UNKNOWN);
	memcpy(w->buf + w->at, PATH_UNKNOWN, strlen(PATH_UNKNOWN));
}

void path_damaged(struct pathwalk *w, enum status st, uint64_t addr)
{
	/* one issue for a path, however many of its components are lost */
	if (w->whole)
		issue_add(w->k->issues, st, "path", 1, "at %#" PRIx64, addr);
	w->whole = false;
}

/*
 * N bytes of the name at P, of the dentry D: a short one is in the dentry itself, and nowhere
 * else in it. Behind each is a NUL (__d_alloc(), fs/dcache.c), and none inside, where the
 * kernel's own printing would end too.
 */
static enum status read_name(const struct pathwalk *w, uint64_t p, uint64_t n, char *to)
{
	const struct kobj *d = &w->dentry;
	uint64_t in = p - d->addr;
	bool inside = in < d->size && n < d->size - in;
	char end = 1;
	enum status st = ST_OK;

	if (inside && has(w->k, M_DENTRY_INAME) &&
	    in != layout_offset(&w->k->layout, M_DENTRY_INAME))
		return ST_CORRUPT;
	if (inside)
		memcpy(to, d->data + in, n), end = (char)d->data[in + n];
	else if (n)
		st = read_kva(w->r, p, to, n);
	if (!st && !inside)
		st = read_kva(w->r, p + n, &end, 1);
	return !st && (end || memchr(to, 0, n)) ? ST_CORRUPT : st;
}

/* The length is part of the name (struct qstr). */
bool path_prepend_name(struct pathwalk *w)
{
	const struct kobj *d = &w->dentry;
	uint64_t p = kobj_u64(d, M_DENTRY_NAME), n = kobj_u64(d, M_DENTRY_NAME_LEN);
	enum status st;

	if (n > NAME_LIMIT || !kernel_ptr_ok(w->k, p, 1)) {
		path_damaged(w, ST_CORRUPT, d->addr);
		return prepend_str(w, PATH_UNKNOWN);
	}
	if (n + strlen(PATH_UNKNOWN) > w->at)
		return false;
	st = read_name(w, p, n, w->buf + w->at - n);
	if (st) {
		path_damaged(w, st, p);
		return prepend_str(w, PATH_UNKNOWN);
	}
	w->at -= n;
	return true;
}

/* ---- one dentry, one mount ------------------------------------------------------- */

static enum status load_object(struct kobj *o, struct reader *r, uint64_t addr)
{
	if (!kernel_ptr_ok(o->k, addr, o->k->dump->word_size))
		return ST_CORRUPT;
	return kobj_read(o, r, addr);
}

/* The root of a mount is in the file system that is mounted. */
static bool mount_sound(const struct pathwalk *w)
{
	uint64_t root = kobj_u64(&w->mount, M_MOUNT_ROOT), sb;

	if (!has(w->k, M_MOUNT_SB) || !has(w->k, M_DENTRY_SB))
		return true;
	return kernel_ptr_ok(w->k, root, w->k->dump->word_size) &&
	       !kmember_u64(w->k, w->r, root, M_DENTRY_SB, &sb) &&
	       sb == kobj_u64(&w->mount, M_MOUNT_SB);
}

static enum status load_mount(struct pathwalk *w, struct place *p, uint64_t mount)
{
	enum status st = load_object(&w->mount, w->r, mount);

	if (!st && !mount_sound(w))
		st = ST_CORRUPT;
	p->sb = st ? 0 : kobj_u64(&w->mount, M_MOUNT_SB);

	p->mount = st ? 0 : mount;
	p->vfsmnt = mount + layout_offset(&w->k->layout, M_MOUNT_VFS);
	return st;
}

/* By d_hash since v2.6.38, before that by a flag, in 2.4 by a list_head. */
bool dentry_unhashed(const struct kobj *d)
{
	if (has(d->k, S_HLIST_BL_NODE))
		return !kobj_u64(d, M_DENTRY_HASH_PPREV);
	if (has(d->k, M_DENTRY_HASH_PPREV))
		return kobj_u64(d, M_DENTRY_FLAGS) & DCACHE_UNHASHED;
	return kobj_u64(d, M_DENTRY_HASH_NEXT) == kobj_member_kva(d, M_DENTRY_HASH_NEXT);
}

static bool has_dname(struct pathwalk *w)
{
	uint64_t ops = kobj_u64(&w->dentry, M_DENTRY_OPS), hook = 0;
	enum status st = ST_CORRUPT;

	if (!ops || !has(w->k, M_DOP_DNAME))
		return false;
	if (kernel_static_ok(w->k, ops, w->k->dump->word_size))
		st = kmember_u64(w->k, w->r, ops, M_DOP_DNAME, &hook);
	if (!st && hook && !kernel_static_ok(w->k, hook, 1))
		st = ST_CORRUPT;
	if (st)
		path_damaged(w, st, ops);
	return hook;
}

/* ---- the walk ---------------------------------------------------------------------- */

/* Brent's cycle finder over (dentry, mount), because parents can point anywhere. */
struct brent {
	uint64_t dentry, vfsmnt;
	uint64_t power, lam;
};

static bool brent_seen(struct brent *b, const struct place *p)
{
	if (p->dentry == b->dentry && p->vfsmnt == b->vfsmnt)
		return true;
	if (++b->lam >= b->power) {
		b->power *= 2;
		b->lam = 0;
		b->dentry = p->dentry;
		b->vfsmnt = p->vfsmnt;
	}
	return false;
}

enum step {
	STEP_ON,
	STEP_END,
	STEP_ESCAPED,	/* the root of a file system, and not that of its mount */
	STEP_BROKEN,	/* the next dentry or mount is not readable */
	STEP_LOST,	/* in a circle, or beyond all bounds */
};

/*
 * The root of a mount that is mounted nowhere. By RULE_ROOT_NAMED its own name takes the place of
 * the first slash: "/", or what a file system that nobody mounts calls it.
 */
static enum step end_at_root(struct pathwalk *w, const struct place *p, enum status *st)
{
	if (!kernel_rule(w->k, RULE_ROOT_NAMED))
		return STEP_END;
	*st = load_object(&w->dentry, w->r, p->dentry);
	if (*st)
		return STEP_BROKEN;
	if (w->buf[w->at] == '/')
		w->at++;
	if (path_prepend_name(w))
		return STEP_END;
	*st = ST_LIMIT;
	return STEP_LOST;
}

/* From the root of a mount to its mountpoint. */
static enum step step_mount(struct pathwalk *w, struct place *p, enum status *st)
{
	uint64_t parent = kobj_u64(&w->mount, M_MOUNT_PARENT);

	/*
	 * Root of a namespace, or of a mount that is in none, or no longer. Its mountpoint says nothing: of a
	 * tree that was cloned (open_tree()) it is that of its source, by copy_tree(); prepend_path() does not
	 * look at it (fs/namespace.c, fs/d_path.c, 6.12).
	 */
	if (parent == p->mount)
		return end_at_root(w, p, st);
	p->dentry = kobj_u64(&w->mount, M_MOUNT_POINT);
	*st = load_mount(w, p, parent);
	return *st ? STEP_BROKEN : STEP_ON;
}

/* The dentry is in the file system that the walk is in. */
static bool same_fs(const struct pathwalk *w, const struct place *p)
{
	return !p->sb || !has(w->k, M_DENTRY_SB) || kobj_u64(&w->dentry, M_DENTRY_SB) == p->sb;
}

/* A dentry without a parent is called "/", unless it was made for one file and is on no list. */
static bool is_root(const struct pathwalk *w)
{
	return kobj_u64(&w->dentry, M_DENTRY_NAME_LEN) <= 1 || dentry_unhashed(&w->dentry);
}

static enum step step_up(struct pathwalk *w, struct place *p, enum status *st)
{
	uint64_t parent;

	if (w->root_dentry && p->dentry == w->root_dentry && p->vfsmnt == w->root_mnt)
		return STEP_END;
	if (p->mount && p->dentry == kobj_u64(&w->mount, M_MOUNT_ROOT))
		return step_mount(w, p, st);
	*st = w->dentry.addr == p->dentry ? ST_OK : load_object(&w->dentry, w->r, p->dentry);
	parent = kobj_u64(&w->dentry, M_DENTRY_PARENT);
	if (!*st && (!same_fs(w, p) || (parent == p->dentry && !is_root(w))))
		*st = ST_CORRUPT;
	if (*st)
		return STEP_BROKEN;
	/* moved out of the part of its file system that is mounted here; without a mount
	   (path_in_fs) this is the end */
	if (parent == p->dentry)
		return p->mount ? STEP_ESCAPED : STEP_END;
	if (!path_prepend_name(w) || !path_prepend(w, "/", 1)) {
		*st = ST_LIMIT;
		return STEP_LOST;
	}
	p->dentry = parent;
	return STEP_ON;
}

/*
 * Puts all components before the end of the buffer, at END. If the walk breaks off, the
 * components found are kept; if it is lost, only the last one.
 */
static void walk_up(struct pathwalk *w, struct place *p, size_t end)
{
	struct brent b = { .power = 1 };
	enum status st = ST_OK;
	enum step next = STEP_ON;
	size_t last = end;

	for (unsigned n = 0; next == STEP_ON; n++) {
		if (n >= PATH_STEPS || !w->steps_left)
			st = ST_LIMIT;
		else if (brent_seen(&b, p))
			st = ST_CORRUPT;
		if (st) {
			next = STEP_LOST;
			break;
		}
		w->steps_left--;
		next = step_up(w, p, &st);
		if (last == end)
			last = w->at;
	}
	if (next == STEP_ESCAPED)
		w->at = end;
	if (next == STEP_LOST)
		w->at = last;
	if (st) {
		path_damaged(w, st, p->dentry);
		prepend_unknown(w);
	} else if (w->at == end) {
		prepend_str(w, "/");
	}
}

static void finish_path(struct pathwalk *w, struct path_text *ret)
{
	ret->s = w->buf + w->at;
	ret->len = PATH_LIMIT - 1 - w->at;
	ret->whole = w->whole;
}

/* Empties the buffer and loads the dentry; false: the text is complete. */
static bool start(struct pathwalk *w, uint64_t dentry, struct path_text *ret)
{
	enum status st;

	*ret = (struct path_text){ 0 };
	w->whole = true;
	w->at = PATH_LIMIT - 1;
	w->buf[w->at] = 0;
	st = load_object(&w->dentry, w->r, dentry);
	if (st) {
		path_damaged(w, st, dentry);
		prepend_unknown(w);
		finish_path(w, ret);
		return false;
	}
	ret->inode = kobj_u64(&w->dentry, M_DENTRY_INODE);
	ret->sb = kobj_u64(&w->dentry, M_DENTRY_SB);
	return true;
}

void path_read(struct pathwalk *w, uint64_t mnt, uint64_t dentry, struct path_text *ret)
{
	struct place p = { .dentry = dentry, .vfsmnt = mnt };
	bool has_no_parent;
	enum status st;

	if (!start(w, dentry, ret))
		return;
	has_no_parent = kobj_u64(&w->dentry, M_DENTRY_PARENT) == dentry;
	st = load_mount(w, &p, mnt - layout_offset(&w->k->layout, M_MOUNT_VFS));
	if (!st && !same_fs(w, &p)) {
		st = ST_CORRUPT;
		p.mount = p.sb = 0;
	}
	/* a mounted pseudo file system is printed by its mountpoint */
	if (has_dname(w) &&
	    (!has_no_parent || !p.mount || dentry != kobj_u64(&w->mount, M_MOUNT_ROOT))) {
		ret->made_up = true;
		if (st)
			path_damaged(w, st, mnt);
		path_dname(w, &ret->deleted);
		finish_path(w, ret);
		return;
	}
	ret->deleted = dentry_unhashed(&w->dentry) && !has_no_parent;
	if (ret->deleted)
		prepend_str(w, deleted_suffix);
	if (st)
		path_damaged(w, st, mnt);
	walk_up(w, &p, w->at);
	/* without its mount, the names up to the root of its file system are still known */
	if (st && w->buf[w->at] == '/')
		prepend_unknown(w);
	finish_path(w, ret);
}

void path_in_fs(struct pathwalk *w, uint64_t dentry, struct path_text *ret)
{
	struct place p = { .dentry = dentry };

	if (!start(w, dentry, ret))
		return;
	walk_up(w, &p, w->at);
	finish_path(w, ret);
}

/* ---- setting up -------------------------------------------------------------------- */

/* fs->root of process 1: readers of /proc/PID/maps are assumed to have the same root. */
static void find_root(struct pathwalk *w)
{
	const struct kernel *k = w->k;
	uint64_t ns = layout_symbol(&k->layout, Y_INIT_PID_NS), task = 0, fs = 0;
	enum status st = ST_ABSENT;

	if (ns && has(k, M_PIDNS_REAPER))
		st = kmember_u64(k, w->r, ns, M_PIDNS_REAPER, &task);
	else if (has(k, Y_CHILD_REAPER))
		st = kvar_u64(k, w->r, Y_CHILD_REAPER, 0, &task);
	if (!st && task)
		st = kmember_u64(k, w->r, task, M_TASK_FS, &fs);
	if (st || !fs || kmember_u64(k, w->r, fs, M_FS_ROOT_MNT, &w->root_mnt) ||
	    kmember_u64(k, w->r, fs, M_FS_ROOT_DENTRY, &w->root_dentry))
		w->root_mnt = w->root_dentry = 0;
}

void pathwalk_init(struct pathwalk *w, const struct kernel *k, struct reader *r)
{
	*w = (struct pathwalk){ .k = k, .r = r, .steps_left = STEPS_OF_ALL_PATHS };
	w->buf = heap_bytes(PATH_LIMIT);
	kobj_init(&w->dentry, k, S_DENTRY);
	kobj_init(&w->mount, k, S_MOUNT);
	find_root(w);
}

void pathwalk_release(struct pathwalk *w)
{
	kobj_release(&w->dentry);
	kobj_release(&w->mount);
	free(w->buf);
}

const char *path_of(const struct kernel *k, struct reader *r, struct arena *mem, uint64_t mnt,
		    uint64_t dentry)
{
	struct pathwalk w;
	struct path_text text;
	const char *s;

	pathwalk_init(&w, k, r);
	path_read(&w, mnt, dentry, &text);
	s = arena_strndup(mem, text.s, text.len);
	pathwalk_release(&w);
	return s;
}
