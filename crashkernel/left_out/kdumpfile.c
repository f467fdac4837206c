/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kdumpfile.c - stands in for dumpread/container/kdumpfile.c: LKCD, s390, sadump and Xen are
 * not recognised.
 */
#include <errno.h>

#include "dumpread/container/kdumpfile.h"

int kdumpfile_start(unsigned n, const int *fds, void (*confine)(void *arg), void *arg, pid_t *pid)
{
	(void)n, (void)fds, (void)confine, (void)arg;
	*pid = -1;
	errno = ENOSYS;
	return -1;
}

static enum status open_none(struct image *im)
{
	return fail(&im->diag, ST_NOTMINE, "%s: libkdumpfile is not in this program",
		    im->parts[0].path);
}

static void close_none(struct image *im)
{
	(void)im;
}

const struct image_ops kdumpfile_image_ops = {
	.name = "libkdumpfile",
	.open = open_none,
	.close = close_none,
};
