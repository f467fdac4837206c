/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rootpath.c - opens paths below --sysroot, following symbolic links inside it.
 */
#include "model/memory/elf/rootpath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dumpread/base/outside.h"

#define LINKS_MAX 40		/* as the kernel follows */
/* so as not to wait for a writer, if it is a pipe */
#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_CLOEXEC)

struct walk {
	int root;
	char done[PATH_MAX];	/* below ROOT, no links in it; "" at first */
	char left[PATH_MAX];
	unsigned links;
};

static bool append(char *to, const char *s, size_t n)
{
	size_t len = strlen(to);

	if (len + n + 2 > PATH_MAX)
		return false;
	if (len)
		to[len++] = '/';
	memcpy(to + len, s, n);
	to[len + n] = '\0';
	return true;
}

static void drop_last(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

/* DONE ends in a link to TARGET, which is put before the rest of the path. */
static bool follow(struct walk *w, const char *target)
{
	char left[PATH_MAX];
	int n = snprintf(left, sizeof(left), "%s/%s", target, w->left);

	if (++w->links > LINKS_MAX || n < 0 || (size_t)n >= sizeof(left))
		return false;
	memcpy(w->left, left, (size_t)n + 1);
	if (*target == '/')
		w->done[0] = '\0';
	else
		drop_last(w->done);
	return true;
}

/* Takes one component of the rest; false: the path does not exist. */
static bool step(struct walk *w)
{
	char target[PATH_MAX], name[PATH_MAX];
	size_t n = strcspn(w->left, "/");
	ssize_t len;

	memcpy(name, w->left, n);
	name[n] = '\0';
	memmove(w->left, w->left + n + (w->left[n] == '/'),
		strlen(w->left + n + (w->left[n] == '/')) + 1);
	if (!n || !strcmp(name, "."))
		return true;
	if (!strcmp(name, "..")) {
		drop_last(w->done);
		return true;
	}
	if (!append(w->done, name, n))
		return false;
	len = readlinkat(w->root, w->done, target, sizeof(target) - 1);
	if (len < 0)
		return true;
	target[len] = '\0';
	return follow(w, target);
}

/* By hand, for kernels before 5.6 and where openat2() is refused. */
static int open_stepwise(int root, const char *path)
{
	struct walk w = { .root = root };
	size_t len = strlen(path);
	bool ok = len < sizeof(w.left);

	if (ok)
		memcpy(w.left, path, len + 1);
	while (ok && w.left[0])
		ok = step(&w);
	errno = ENOENT;
	return ok && w.done[0] ? openat(root, w.done, OPEN_FLAGS | O_NOFOLLOW) : -1;
}

static int open_in(int root, const char *path)
{
	struct open_how how = {
		.flags = OPEN_FLAGS,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 && (errno == ENOSYS || errno == EPERM) ? open_stepwise(root, path) : fd;
}

int rootpath_open(const char *root, const char *path)
{
	const struct outside *o = outside_now();
	struct stat st;
	int dir, fd;

	if (o)
		return o->open_below(o->arg, root, path);
	dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = dir >= 0 ? open_in(dir, path) : -1;
	if (dir >= 0)
		close(dir);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = ENOENT;
		fd = -1;
	}
	return fd;
}

bool rootpath_exists(const char *root, const char *path)
{
	int fd = rootpath_open(root, path);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno == EACCES || errno == EPERM;
}
