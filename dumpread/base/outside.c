/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * outside.c - opens files, or asks the process that may.
 */
#include "dumpread/base/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "dumpread/base/elsewhere.h"

static const struct outside *now;

void outside_use(const struct outside *o)
{
	now = o;
}

const struct outside *outside_now(void)
{
	return now;
}

int outside_open(const char *path)
{
	if (now)
		return now->open(now->arg, path);
	if (elsewhere_named(path))
		return elsewhere_open(path);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

FILE *outside_fopen(const char *path)
{
	int fd = outside_open(path);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (fd >= 0 && !f)
		close(fd);
	return f;
}

bool outside_readable(const char *path)
{
	int fd = outside_open(path);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool outside_exists(const char *path)
{
	return outside_readable(path) || (errno != ENOENT && errno != ENOTDIR);
}

bool outside_real_path(const char *path, char *real)
{
	if (now)
		return now->real_path(now->arg, path, real, PATH_MAX);
	return realpath(path, real) != NULL;
}
