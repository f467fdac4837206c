/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nbd.c - stands in for dumpread/image/nbd.c: a static program loads no library. */
#include <unistd.h>

#include "dumpread/image/nbd.h"

bool nbd_load(void)
{
	return false;
}

enum status nbd_open(int fd, const char *export, struct diag *diag, struct nbd **ret)
{
	(void)export;
	close(fd);
	*ret = NULL;
	return fail(diag, ST_UNSUPPORTED, "this program was built without libnbd");
}

void nbd_close(struct nbd *n)
{
	(void)n;
}

uint64_t nbd_size(const struct nbd *n)
{
	(void)n;
	return 0;
}

enum status nbd_read(struct nbd *n, uint64_t off, void *buf, size_t len)
{
	(void)n, (void)off, (void)buf, (void)len;
	return ST_IO;
}
