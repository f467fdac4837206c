/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nbd.c - libnbd, loaded when an export is named, never linked: it brings TLS and XML, and most
 * dumps are files.
 */
#include "dumpread/image/nbd.h"

#include <stdlib.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/library.h"

struct nbd_handle;

/* The used part of libnbd.h (its ABI is versioned by the soname). */
static struct {
	struct nbd_handle *(*create)(void);
	void (*close)(struct nbd_handle *h);
	int (*set_export_name)(struct nbd_handle *h, const char *name);
	int (*connect_socket)(struct nbd_handle *h, int sock);
	int64_t (*get_size)(struct nbd_handle *h);
	int (*pread)(struct nbd_handle *h, void *buf, size_t count, uint64_t offset,
		     uint32_t flags);
	const char *(*get_error)(void);
} lib;

static const struct library_function functions[] = {
	{ "nbd_create", &lib.create },
	{ "nbd_close", &lib.close },
	{ "nbd_set_export_name", &lib.set_export_name },
	{ "nbd_connect_socket", &lib.connect_socket },
	{ "nbd_get_size", &lib.get_size },
	{ "nbd_pread", &lib.pread },
	{ "nbd_get_error", &lib.get_error },
};

struct nbd {
	struct nbd_handle *h;
	uint64_t size;
};

bool nbd_load(void)
{
	return library_load("libnbd.so.0", functions, ARRAY_LEN(functions));
}

static enum status refused(struct diag *diag)
{
	const char *why = lib.get_error();

	return fail(diag, ST_IO, "the NBD server does not serve it: %s", why ? why : "unknown");
}

enum status nbd_open(int fd, const char *export, struct diag *diag, struct nbd **ret)
{
	struct nbd *n = heap_array(struct nbd, 1);
	enum status st = ST_OK;
	int64_t size = 0;

	*ret = NULL;
	if (!nbd_load()) {
		close(fd);
		nbd_close(n);
		return fail(diag, ST_UNSUPPORTED,
			    "libnbd.so.0 cannot be loaded: install it (Debian package libnbd0), or "
			    "copy the dump to a file");
	}
	n->h = lib.create();
	if (!n->h || lib.set_export_name(n->h, export) || lib.connect_socket(n->h, fd)) {
		st = refused(diag);
		if (!n->h)
			close(fd);
	} else {
		size = lib.get_size(n->h);
		st = size < 0 ? refused(diag) : ST_OK;
	}
	n->size = size > 0 ? (uint64_t)size : 0;
	if (st)
		nbd_close(n);
	else
		*ret = n;
	return st;
}

void nbd_close(struct nbd *n)
{
	if (!n)
		return;
	if (n->h)
		lib.close(n->h);
	free(n);
}

uint64_t nbd_size(const struct nbd *n)
{
	return n->size;
}

enum status nbd_read(struct nbd *n, uint64_t off, void *buf, size_t len)
{
	return lib.pread(n->h, buf, len, off, 0) ? ST_IO : ST_OK;
}
