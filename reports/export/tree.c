/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.c - writes a directory tree, and replaces an earlier export.
 */
#include "reports/export/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static enum status failed(struct tree *t, const char *name)
{
	if (!t->st)
		t->st = fail(t->diag, ST_IO, "%s/%s: %s", t->path, name, strerror(errno));
	return t->st;
}

/* ---- the earlier contents ----------------------------------------------------------- */

static bool is_number(const char *name)
{
	return *name && !name[strspn(name, "0123456789")];
}

static bool dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Is NAME one that an export has at its top? */
static bool ours(const char *name)
{
	static const char *const names[] = {
		TREE_MARK, "meminfo", "vmstat", "swaps", "version", "uptime", "stat", "sys",
		"kpagecount", "kpageflags", "kpagecgroup", "proc", "zoneinfo", "buddyinfo", "pagetypeinfo",
		"slabinfo", "vmallocinfo", "iomem", "pressure", "cgroup", "node", "page_owner",
		"allocinfo",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return is_number(name);
}

static void remove_in(struct tree *t, int parent, const char *name, unsigned depth);

static void remove_entry(struct tree *t, int dir, const char *name, unsigned depth)
{
	struct stat st;
	bool there = !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);

	if (there && S_ISDIR(st.st_mode))
		remove_in(t, dir, name, depth + 1);
	else if (!there || unlinkat(dir, name, 0))
		failed(t, name);
}

/* Removes directory NAME of PARENT and its contents, no deeper than an export is. */
static void remove_in(struct tree *t, int parent, const char *name, unsigned depth)
{
	int fd = openat(parent, name, DIR_FLAGS);
	DIR *d = fd >= 0 && depth <= TREE_DEPTH ? fdopendir(fd) : NULL;
	const struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		failed(t, name);
		return;
	}
	while (!t->st && (e = readdir(d)))
		if (!dots(e->d_name))
			remove_entry(t, dirfd(d), e->d_name, depth);
	closedir(d);
	if (!t->st && unlinkat(parent, name, AT_REMOVEDIR))
		failed(t, name);
}

/* Is directory TOP empty, or only an export? A sentence if not. */
static bool may_replace(struct tree *t, int top)
{
	bool marked = !faccessat(top, TREE_MARK, F_OK, AT_SYMLINK_NOFOLLOW);
	int fd = openat(top, ".", DIR_FLAGS);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		failed(t, "");
		return false;
	}
	while (!t->st && (e = readdir(d)))
		if (!dots(e->d_name) && (!marked || !ours(e->d_name)))
			t->st = fail(t->diag, ST_IO,
				     "%s holds \"%.60s\", which is not of an "
				     "export; choose a new directory",
				     t->path, e->d_name);
	closedir(d);
	return !t->st;
}

/* ---- the tree ------------------------------------------------------------------------ */

static void put_mark(struct tree *t)
{
	FILE *f = tree_file(t, TREE_MARK);

	if (f)
		fputs("vmcensus " VMCENSUS_VERSION " wrote this directory from a dump, and will "
		      "take it away\nwhen asked to export here again.\n",
		      f);
	tree_done(t, f);
}

/* The directory that contains PATH, and its name there. */
static bool open_parent(struct tree *t)
{
	size_t end = strlen(t->path), len;
	char dir[PATH_MAX];

	while (end > 1 && t->path[end - 1] == '/')
		end--;
	for (len = 0; len < end && t->path[end - 1 - len] != '/'; len++)
		;
	if (end - len + 2 > sizeof(dir) || len >= sizeof(t->name)) {
		errno = ENAMETOOLONG;
		return !failed(t, "");
	}
	snprintf(dir, sizeof(dir), "%.*s.", (int)(end - len), t->path);
	snprintf(t->name, sizeof(t->name), "%.*s", (int)len, t->path + end - len);
	t->parent = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return t->parent >= 0 || !failed(t, "");
}

/* Opens the directory that is there already; -1 if there is none. It is replaced by its name,
   as a whole. */
static int open_old(struct tree *t, struct stat *st)
{
	struct stat parent;
	int fd = openat(t->parent, t->name, DIR_FLAGS);

	if (fd < 0) {
		if (errno != ENOENT || !*t->name)
			failed(t, "");
		return -1;
	}
	if (fstat(fd, st) || fstat(t->parent, &parent))
		failed(t, "");
	else if (dots(t->name) || st->st_dev != parent.st_dev)
		t->st = fail(t->diag, ST_IO,
			     "%s cannot be replaced (\".\", or a mount point); name "
			     "a new directory in it",
			     t->path);
	else
		may_replace(t, fd);
	return fd;
}

/* A name that does not exist yet, beside the tree. */
static void next_beside(struct tree *t, char *name, size_t size)
{
	snprintf(name, size, ".vmcensus-%ld-%u", (long)getpid(), t->tried++);
}

/* The directory that is filled; with mode and owner of OLD, if there is one. */
static void make_beside(struct tree *t, int old, const struct stat *st)
{
	int err;

	do {
		next_beside(t, t->beside, sizeof(t->beside));
		err = mkdirat(t->parent, t->beside, old >= 0 ? 0700 : 0777) ? errno : 0;
	} while (err == EEXIST);
	if (err) {
		*t->beside = '\0';
		failed(t, "");
		return;
	}
	t->top = openat(t->parent, t->beside, DIR_FLAGS);
	if (t->top < 0 || (old >= 0 && ((t->owners && fchown(t->top, st->st_uid, st->st_gid)) ||
					fchmod(t->top, st->st_mode & 07777))))
		failed(t, "");
}

/* The tree is made by the process outside of the sandbox. */
static enum status open_outside(struct tree *t)
{
	const struct outside *o = outside_now();

	t->st = o->tree_open(o->arg, t->path, &t->owners, t->diag);
	return t->st;
}

enum status tree_open(struct tree *t, const char *path, struct diag *diag)
{
	struct stat st;
	int old;

	*t = (struct tree){
		.top = -1, .parent = -1, .path = path, .diag = diag, .owners = geteuid() == 0
	};
	if (outside_now())
		return open_outside(t);
	if (!open_parent(t))
		return t->st;
	old = open_old(t, &st);
	if (!t->st)
		make_beside(t, old, &st);
	if (old >= 0)
		close(old);
	if (!t->st)
		put_mark(t);
	return t->st;
}

/* The new tree gets the name; the old one is removed after that. */
static void put_in_place(struct tree *t)
{
	char was[sizeof(t->beside)] = "";
	struct stat st;
	int old = open_old(t, &st);

	if (old >= 0) {
		close(old);
		next_beside(t, was, sizeof(was));
		if (!t->st && renameat(t->parent, t->name, t->parent, was))
			failed(t, "");
	}
	if (t->st)
		return;
	if (renameat(t->parent, t->beside, t->parent, t->name)) {
		failed(t, "");
		if (*was)
			renameat(t->parent, was, t->parent, t->name);
		return;
	}
	*t->beside = '\0';
	if (*was)
		remove_in(t, t->parent, was, 0);
}

/* Removes a tree that failed. */
static void take_away(const struct tree *t)
{
	struct diag unsaid;
	struct tree left = { .path = t->path, .diag = &unsaid };

	if (*t->beside)
		remove_in(&left, t->parent, t->beside, 0);
}

enum status tree_close(struct tree *t)
{
	const struct outside *o = outside_now();

	if (o) {
		struct diag why;
		enum status st = o->tree_close(o->arg, t->st != ST_OK, &why);

		if (!t->st && st)
			t->st = fail(t->diag, st, "%s", why.text);
		return t->st;
	}
	if (!t->st)
		put_in_place(t);
	if (t->st)
		take_away(t);
	if (t->top >= 0)
		close(t->top);
	if (t->parent >= 0)
		close(t->parent);
	t->top = t->parent = -1;
	return t->st;
}

/* ---- files, directories and links in it ------------------------------------------------ */

/*
 * The directory of PATH, entered name by name: none may be a link. *LAST is its last name.
 * -1: there is none, or no export has such a path.
 */
static int open_dir_of(int top, const char *path, const char **last)
{
	char name[NAME_MAX + 1];
	int dir = openat(top, ".", DIR_FLAGS);

	for (unsigned depth = 0; dir >= 0; depth++) {
		size_t n = strcspn(path, "/");
		int next;

		if (!n || n > NAME_MAX || depth >= TREE_DEPTH || path[0] == '.') {
			errno = EINVAL;
			break;
		}
		*last = path;
		if (!path[n])
			return dir;
		memcpy(name, path, n);
		name[n] = '\0';
		path += n + 1;
		next = openat(dir, name, DIR_FLAGS);
		close(dir);
		dir = next;
	}
	if (dir >= 0)
		close(dir);
	return -1;
}

static int put_dir(int in, const char *name, const struct outside_entry *e)
{
	int fd = mkdirat(in, name, 0777) && errno != EEXIST ? -1 : openat(in, name, DIR_FLAGS);
	bool bad = fd < 0 || (e->owned && fchown(fd, e->uid, e->gid));

	if (fd >= 0)
		close(fd);
	return bad ? -1 : 0;
}

static int put_file(int in, const char *name, const struct outside_entry *e)
{
	int fd = openat(in, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

	if (fd >= 0 && e->owned && fchown(fd, e->uid, e->gid)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* A link to a name that is too long is left out. */
static int put_link(int in, const char *name, const struct outside_entry *e)
{
	if (symlinkat(e->target, in, name))
		return errno == ENAMETOOLONG ? 0 : -1;
	return e->owned ? fchownat(in, name, e->uid, e->gid, AT_SYMLINK_NOFOLLOW) : 0;
}

int tree_put(const struct tree *t, const struct outside_entry *e)
{
	const char *name;
	int in = open_dir_of(t->top, e->path, &name), ret, err;

	if (in < 0)
		return -1;
	ret = e->kind == OUTSIDE_DIR	? put_dir(in, name, e)
	      : e->kind == OUTSIDE_LINK ? put_link(in, name, e)
					: put_file(in, name, e);
	err = errno;
	close(in);
	errno = err;
	return ret;
}

/* Makes NAME in the present directory: what tree_put() returns, -1 after a failure. */
static int make(struct tree *t, enum outside_kind kind, const char *name, const char *target)
{
	const struct outside *o = outside_now();
	char path[sizeof(t->at) + NAME_MAX + 2];
	const struct outside_entry e = {
		.kind = kind,
		.path = path,
		.target = target,
		.owned = t->owners && t->uid != UINT32_MAX,
		.uid = t->uid,
		.gid = t->gid,
	};
	int ret;

	if (t->st)
		return -1;
	snprintf(path, sizeof(path), "%s%s%s", t->at, *t->at ? "/" : "", name);
	errno = ENAMETOOLONG;
	ret = strlen(path) >= PATH_MAX ? -1 : o ? o->tree_make(o->arg, &e) : tree_put(t, &e);
	if (ret < 0)
		failed(t, path);
	return ret;
}

void tree_leave(struct tree *t)
{
	t->at[0] = '\0';
	t->uid = t->gid = 0;
}

void tree_enter(struct tree *t, const char *name, uint32_t uid, uint32_t gid)
{
	tree_leave(t);
	t->uid = uid;
	t->gid = gid;
	tree_enter_sub(t, name);
}

void tree_enter_sub(struct tree *t, const char *sub)
{
	size_t n = strlen(t->at);

	if (!make(t, OUTSIDE_DIR, sub, NULL))
		snprintf(t->at + n, sizeof(t->at) - n, "%s%s", n ? "/" : "", sub);
}

void tree_up(struct tree *t)
{
	char *slash = strrchr(t->at, '/');

	*(slash ? slash : t->at) = '\0';
}

FILE *tree_file(struct tree *t, const char *name)
{
	int fd = make(t, OUTSIDE_FILE, name, NULL);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (fd >= 0 && !f) {
		failed(t, name);
		close(fd);
	}
	return f;
}

void tree_done(struct tree *t, FILE *f)
{
	bool bad;

	if (!f)
		return;
	bad = ferror(f);
	if (fclose(f) || bad)
		failed(t, "");
}

void tree_link(struct tree *t, const char *name, const char *target)
{
	if (*target)
		make(t, OUTSIDE_LINK, name, target);
}

/* ---- files of holes -------------------------------------------------------------------- */

/*
 * Words of addresses above 47 bits are 256 TiB and more after a file's start. Few
 * filesystems have such files: those words are left out (docs/export.md).
 */
static void lost(struct words *w)
{
	if (errno != EFBIG)
		failed(w->t, "");
}

void words_open(struct words *w, struct tree *t, const char *name)
{
	w->t = t;
	w->first = w->end = 0;
	w->n = 0;
	w->fd = make(t, OUTSIDE_FILE, name, NULL);
}

static void flush(struct words *w)
{
	size_t len = w->n * sizeof(w->v[0]), done = 0;

	while (w->fd >= 0 && !w->t->st && done < len) {
		ssize_t n = pwrite(w->fd, (char *)w->v + done, len - done,
				   (off_t)(w->first * sizeof(w->v[0]) + done));

		if (n < 0 && errno != EINTR) {
			lost(w);
			break;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	w->n = 0;
}

void words_put(struct words *w, uint64_t index, uint64_t v)
{
	if (index >= w->end)
		w->end = index + 1;
	if (!v)
		return;
	/* a gap between gathered words is cheaper to fill than to leave */
	if (w->n && (index - w->first >= ARRAY_LEN(w->v) || index < w->first + w->n))
		flush(w);
	if (!w->n)
		w->first = index;
	while (w->first + w->n < index)
		w->v[w->n++] = 0;
	w->v[w->n++] = v;
}

void words_close(struct words *w, uint64_t count)
{
	flush(w);
	if (w->fd < 0)
		return;
	if (!w->t->st && ftruncate(w->fd, (off_t)(max_u64(count, w->end) * sizeof(w->v[0]))))
		lost(w);
	close(w->fd);
	w->fd = -1;
}
