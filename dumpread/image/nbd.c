/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nbd.c - libnbd, loaded when an export is named, never linked: it brings TLS and XML, and most
 * dumps are files.
 */
#include "dumpread/image/nbd.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "dumpread/base/heap.h"

struct nbd_handle;

/* The used part of libnbd.h (its ABI is versioned by the soname). */
struct api {
	struct nbd_handle *(*create)(void);
	void (*close)(struct nbd_handle *h);
	int (*set_export_name)(struct nbd_handle *h, const char *name);
	int (*connect_socket)(struct nbd_handle *h, int sock);
	int64_t (*get_size)(struct nbd_handle *h);
	int (*pread)(struct nbd_handle *h, void *buf, size_t count, uint64_t offset,
		     uint32_t flags);
	const char *(*get_error)(void);
};

struct nbd {
	struct api api;
	void *lib;
	struct nbd_handle *h;
	uint64_t size;
};

/* It stays loaded: in a sandbox it is found by its name among the libraries that are. */
static void *load_lib(void)
{
	return dlopen("libnbd.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static bool load_api(void *lib, struct api *a)
{
	*(void **)&a->create = dlsym(lib, "nbd_create");
	*(void **)&a->close = dlsym(lib, "nbd_close");
	*(void **)&a->set_export_name = dlsym(lib, "nbd_set_export_name");
	*(void **)&a->connect_socket = dlsym(lib, "nbd_connect_socket");
	*(void **)&a->get_size = dlsym(lib, "nbd_get_size");
	*(void **)&a->pread = dlsym(lib, "nbd_pread");
	*(void **)&a->get_error = dlsym(lib, "nbd_get_error");
	return a->create && a->close && a->set_export_name && a->connect_socket && a->get_size &&
	       a->pread && a->get_error;
}

bool nbd_load(void)
{
	void *lib = load_lib();

	if (lib)
		dlclose(lib);
	return lib != NULL;
}

static enum status refused(const struct nbd *n, struct diag *diag)
{
	const char *why = n->api.get_error();

	return fail(diag, ST_IO, "the NBD server does not serve it: %s", why ? why : "unknown");
}

enum status nbd_open(int fd, const char *export, struct diag *diag, struct nbd **ret)
{
	struct nbd *n = heap_array(struct nbd, 1);
	enum status st = ST_OK;
	int64_t size = 0;

	*ret = NULL;
	n->lib = load_lib();
	if (!n->lib || !load_api(n->lib, &n->api)) {
		close(fd);
		nbd_close(n);
		return fail(diag, ST_UNSUPPORTED,
			    "libnbd.so.0 cannot be loaded: install it (Debian package libnbd0), or "
			    "copy the dump to a file");
	}
	n->h = n->api.create();
	if (!n->h || n->api.set_export_name(n->h, export) || n->api.connect_socket(n->h, fd)) {
		st = refused(n, diag);
		if (!n->h)
			close(fd);
	} else {
		size = n->api.get_size(n->h);
		st = size < 0 ? refused(n, diag) : ST_OK;
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
		n->api.close(n->h);
	if (n->lib)
		dlclose(n->lib);
	free(n);
}

uint64_t nbd_size(const struct nbd *n)
{
	return n->size;
}

enum status nbd_read(struct nbd *n, uint64_t off, void *buf, size_t len)
{
	return n->api.pread(n->h, buf, len, off, 0) ? ST_IO : ST_OK;
}
