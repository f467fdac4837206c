/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fd_vfs.c - a file of SQLite that is a descriptor, only to be read ("The SQLite OS Interface or VFS"). */
#include "reports/capsule/fd_vfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"

#define NAME	     "vmcensus-fd"
#define SECTOR_BYTES 4096

struct file {
	sqlite3_file base; /* first */
	int fd;
	uint64_t size;
};

static int close_none(sqlite3_file *f)
{
	(void)f;
	return SQLITE_OK;
}

static int read_at(sqlite3_file *base, void *buf, int n, sqlite3_int64 at)
{
	struct file *f = (struct file *)base;
	int got = 0;

	while (got < n && (uint64_t)at + (uint64_t)got < f->size) {
		ssize_t more = pread(f->fd, (char *)buf + got, (size_t)(n - got), (off_t)at + got);

		if (more < 0)
			return SQLITE_IOERR_READ;
		if (!more)
			break;
		got += (int)more;
	}
	memset((char *)buf + got, 0, (size_t)(n - got));
	return got == n ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int write_none(sqlite3_file *f, const void *buf, int n, sqlite3_int64 at)
{
	(void)f, (void)buf, (void)n, (void)at;
	return SQLITE_READONLY;
}

static int truncate_none(sqlite3_file *f, sqlite3_int64 size)
{
	(void)f, (void)size;
	return SQLITE_READONLY;
}

static int sync_none(sqlite3_file *f, int flags)
{
	(void)f, (void)flags;
	return SQLITE_OK;
}

static int size_of(sqlite3_file *base, sqlite3_int64 *size)
{
	*size = (sqlite3_int64)((struct file *)base)->size;
	return SQLITE_OK;
}

static int lock_none(sqlite3_file *f, int level)
{
	(void)f, (void)level;
	return SQLITE_OK;
}

static int is_locked(sqlite3_file *f, int *is)
{
	(void)f;
	*is = 0;
	return SQLITE_OK;
}

static int control_none(sqlite3_file *f, int op, void *arg)
{
	(void)f, (void)op, (void)arg;
	return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *f)
{
	(void)f;
	return SECTOR_BYTES;
}

static int traits(sqlite3_file *f)
{
	(void)f;
	return SQLITE_IOCAP_IMMUTABLE;
}

/* Version 1 has no shared memory: a database that says that it has a WAL is refused. */
static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = close_none,
	.xRead = read_at,
	.xWrite = write_none,
	.xTruncate = truncate_none,
	.xSync = sync_none,
	.xFileSize = size_of,
	.xLock = lock_none,
	.xUnlock = lock_none,
	.xCheckReservedLock = is_locked,
	.xFileControl = control_none,
	.xSectorSize = sector_size,
	.xDeviceCharacteristics = traits,
};

/* "/FD/SIZE", which are numbers. */
static bool parse_name(const char *name, struct file *f)
{
	char *end;

	if (*name != '/')
		return false;
	f->fd = (int)strtol(name + 1, &end, 10);
	if (*end != '/')
		return false;
	f->size = strtoull(end + 1, &end, 10);
	return !*end;
}

/* NAME is "/FD/SIZE", as fd_vfs_open() has it. Files for sorting and journals are none. */
static int open_fd(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *ret)
{
	struct file *f = (struct file *)base;

	(void)vfs;
	f->base.pMethods = NULL;
	if (!(flags & SQLITE_OPEN_MAIN_DB) || !name || !parse_name(name, f))
		return SQLITE_CANTOPEN;
	f->base.pMethods = &methods;
	if (ret)
		*ret = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
	return SQLITE_OK;
}

static int delete_none(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs, (void)name, (void)sync;
	return SQLITE_READONLY;
}

static int access_none(sqlite3_vfs *vfs, const char *name, int flags, int *is)
{
	(void)vfs, (void)name, (void)flags;
	*is = 0;
	return SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *name, int n, char *buf)
{
	(void)vfs;
	return snprintf(buf, (size_t)n, "%s", name) < n ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int registered(void)
{
	static sqlite3_vfs vfs;
	const sqlite3_vfs *usual = sqlite3_vfs_find(NULL);

	if (vfs.zName || !usual)
		return vfs.zName ? SQLITE_OK : SQLITE_ERROR;
	vfs = *usual; /* time and random numbers are those of any other */
	vfs.iVersion = 1;
	vfs.szOsFile = (int)sizeof(struct file);
	vfs.pNext = NULL;
	vfs.zName = NAME;
	vfs.xOpen = open_fd;
	vfs.xDelete = delete_none;
	vfs.xAccess = access_none;
	vfs.xFullPathname = full_path;
	return sqlite3_vfs_register(&vfs, 0);
}

int fd_vfs_open(int fd, uint64_t size, sqlite3 **ret)
{
	char name[64];
	int rc = registered();

	*ret = NULL;
	snprintf(name, sizeof(name), "/%d/%" PRIu64, fd, size);
	if (!rc)
		rc = sqlite3_open_v2(name, ret, SQLITE_OPEN_READONLY, NAME);
	if (!rc) /* a sandboxed process cannot make files for sorting */
		rc = sqlite3_exec(*ret, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
	return rc;
}
