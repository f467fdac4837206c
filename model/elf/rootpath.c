/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rootpath.c - opens paths below --sysroot, following symbolic links inside it.
 */
#include "model/elf/rootpath.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40		/* as the kernel follows */

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

int rootpath_open(const char *root, const char *path)
{
	struct walk w = { .root = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	struct stat st;
	size_t len = strlen(path);
	bool ok = w.root >= 0 && len < sizeof(w.left);
	int fd = -1;

	if (ok)
		memcpy(w.left, path, len + 1);
	while (ok && w.left[0])
		ok = step(&w);
	/* so as not to wait for a writer, if it is a pipe */
	if (ok && w.done[0])
		fd = openat(w.root, w.done, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (w.root >= 0)
		close(w.root);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}
