/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdebuginfod is loaded when it is asked for, never linked: it brings an HTTP
 * client, and most machines that analyse dumps need none.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "dumpread/base/outside.h"
#include "dumpread/find/find.h"

struct debuginfod_client;

/* The used part of elfutils/debuginfod.h (its ABI is versioned by the soname). */
struct api {
	struct debuginfod_client *(*begin)(void);
	int (*find)(struct debuginfod_client *c, const unsigned char *id, int len, char **path);
	void (*end)(struct debuginfod_client *c);
};

static bool load_api(void *lib, struct api *a)
{
	*(void **)&a->begin = dlsym(lib, "debuginfod_begin");
	*(void **)&a->find = dlsym(lib, "debuginfod_find_debuginfo");
	*(void **)&a->end = dlsym(lib, "debuginfod_end");
	return a->begin && a->find && a->end;
}

enum status debuginfod_ask(const uint8_t *id, unsigned len, char **path, struct diag *diag)
{
	struct debuginfod_client *c;
	struct api api = { NULL, NULL, NULL };
	void *lib;
	int fd = -1;

	*path = NULL;
	diag->text[0] = '\0';
	/* stays loaded: the libraries that it uses keep state of their own */
	lib = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!lib || !load_api(lib, &api)) {
		if (lib)
			dlclose(lib);
		return fail(diag, ST_UNSUPPORTED,
			    "DEBUGINFOD_URLS is set, but libdebuginfod.so.1 cannot be "
			    "loaded: install it, or name a vmlinux with -t");
	}
	c = api.begin();
	if (c) {
		fd = api.find(c, id, (int)len, path);
		api.end(c);
	}
	if (fd >= 0)
		close(fd);
	dlclose(lib);
	if (fd >= 0 && *path)
		return ST_OK;
	free(*path);
	*path = NULL;
	return ST_ABSENT;
}

enum status debuginfod_find(struct dump *d, char **path)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	const struct outside *o = outside_now();
	struct diag why;
	enum status st;

	*path = NULL;
	if (!urls || !*urls || !d->build_id_len)
		return ST_ABSENT;
	log_info(d->log, "asking debuginfod for the kernel's debug information");
	st = o ? o->debuginfo(o->arg, d->build_id, d->build_id_len, path, &why)
	       : debuginfod_ask(d->build_id, d->build_id_len, path, &why);
	if (st && why.text[0])
		log_warn(d->log, "%s", why.text);
	return st ? ST_ABSENT : ST_OK;
}
