/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fd_vfs.h - SQLite reads a database through a descriptor that is open: a sandboxed process has no open(), and
 * a file need not be in memory.
 */
#ifndef VMCENSUS_FD_VFS_H
#define VMCENSUS_FD_VFS_H

#include <stdint.h>

#include <sqlite3.h>

/*
 * Opens FD (SIZE bytes; it is the caller's, and must be open until sqlite3_close()) to be read. Nothing is
 * locked, and no other file is opened: one that changes meanwhile is read as one that is damaged. SQLite's
 * result code; *ret is never NULL, but without memory.
 */
int fd_vfs_open(int fd, uint64_t size, sqlite3 **ret);

#endif
