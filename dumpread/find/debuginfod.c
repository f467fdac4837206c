/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdebuginfod is loaded when it is asked for, never linked: it brings an HTTP
 * client, and most machines that analyse dumps need none.
 */
#include <stdlib.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/library.h"
#include "dumpread/base/outside.h"
#include "dumpread/find/find.h"

struct debuginfod_client;

/* The used part of elfutils/debuginfod.h (its ABI is versioned by the soname). */
static struct {
	struct debuginfod_client *(*begin)(void);
	int (*find)(struct debuginfod_client *c, const unsigned char *id, int len, char **path);
	void (*end)(struct debuginfod_client *c);
} lib;

static const struct library_function functions[] = {
	{ "debuginfod_begin", &lib.begin },
	{ "debuginfod_find_debuginfo", &lib.find },
	{ "debuginfod_end", &lib.end },
};

/* Are there servers to ask? */
static bool has_servers(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

enum status debuginfod_ask(const uint8_t *id, unsigned len, char **path, struct diag *diag)
{
	struct debuginfod_client *c;
	int fd = -1;

	*path = NULL;
	diag->text[0] = '\0';
	if (!has_servers())
		return ST_ABSENT;
	if (!library_load("libdebuginfod.so.1", functions, ARRAY_LEN(functions)))
		return fail(diag, ST_UNSUPPORTED,
			    "DEBUGINFOD_URLS is set, but libdebuginfod.so.1 cannot be "
			    "loaded: install it, or name a vmlinux with -t");
	c = lib.begin();
	if (c) {
		fd = lib.find(c, id, (int)len, path);
		lib.end(c);
	}
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && *path)
		return ST_OK;
	free(*path);
	*path = NULL;
	return ST_ABSENT;
}

enum status debuginfod_find(struct dump *d, char **path)
{
	const struct outside *o = outside_now();
	struct diag why;
	enum status st;

	*path = NULL;
	if (!has_servers() || !d->build_id_len)
		return ST_ABSENT;
	log_info(d->log, "asking debuginfod for the kernel's debug information");
	st = o ? o->debuginfo(o->arg, d->build_id, d->build_id_len, path, &why)
	       : debuginfod_ask(d->build_id, d->build_id_len, path, &why);
	if (st && why.text[0])
		log_warn(d->log, "%s", why.text);
	return st ? ST_ABSENT : ST_OK;
}
