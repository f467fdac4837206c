/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * permits.c - which files a sandboxed process may be given. Runs outside of the sandbox: it
 * looks at names, and at the first bytes of a file, at no more.
 */
#include "app/sandbox/permits.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/elsewhere.h"
#include "dumpread/find/kept_layout.h"
#include "dumpread/types/layoutfile.h"
#include "model/memory/elf/rootpath.h"
#include "reports/capsule/capsule.h"

#define FOUND_MAX 64		/* a run asks for two or three */
#define DEBUG_DIR "/usr/lib/debug/"

/* No part of it is "..", and nothing in it is of terminals. */
static bool is_plain(const char *path)
{
	for (const char *s = path; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f ||
		    (*s == '.' && s[1] == '.' && (s == path || s[-1] == '/') &&
		     (!s[2] || s[2] == '/')))
			return false;
	return true;
}

/* ---- names --------------------------------------------------------------------------- */

/* Is PATH a name that a piece of FILE has: FILE, of which LEN bytes count, @ADDRESS+OFFSET:LENGTH? */
static bool is_piece(const char *file, size_t len, const char *path)
{
	return !strncmp(file, path, len) && path[len] == '@' &&
	       !path[len + 1 + strspn(path + len + 1, "0123456789abcdefx+:")];
}

/* The part of a name before its last @. */
static size_t before_address(const char *name)
{
	const char *at = strrchr(name, '@');

	return at ? (size_t)(at - name) : strlen(name);
}

/*
 * FILE of FILE@ADDRESS is a name of the user's as well. So is FILE@ADDRESS+OFFSET:LENGTH, whose place the reader finds
 * in the file: it asks whether there is a file of that very name.
 */
static bool is_named(const struct permits *p, const char *path)
{
	size_t len = strlen(path);

	for (unsigned i = 0; i < p->nfiles; i++)
		if (str_begins(p->files[i], path) &&
		    (!p->files[i][len] || strrchr(p->files[i], '@') == p->files[i] + len))
			return true;
	for (unsigned i = 0; i < p->nfiles; i++)
		if (p->files[i] && (is_piece(p->files[i], strlen(p->files[i]), path) ||
				    is_piece(p->files[i], before_address(p->files[i]), path)))
			return true;
	for (size_t i = 0; i < p->found.n; i++)
		if (!strcmp(p->found.v[i], path))
			return true;
	return false;
}

static bool is_map(const char *path)
{
	return str_begins(path, "/boot/System.map-") ||
	       str_begins(path, DEBUG_DIR "boot/System.map-");
}

static bool is_debug(const char *path)
{
	return str_begins(path, DEBUG_DIR) || str_begins(path, "/lib/modules/") ||
	       str_begins(path, "/usr/lib/modules/") || str_begins(path, "/boot/vmlinux-");
}

/* DIR/NAME or DIR/.debug/NAME, where .gnu_debuglink leads. */
static bool is_beside(const struct permits *p, const char *path)
{
	for (size_t i = 0; i < p->dirs.n; i++) {
		const char *rest = path + strlen(p->dirs.v[i]);

		if (!str_begins(path, p->dirs.v[i]) || *rest++ != '/')
			continue;
		if (str_begins(rest, ".debug/"))
			rest += strlen(".debug/");
		if (*rest && !strchr(rest, '/'))
			return true;
	}
	return false;
}

/* FOLDER/NAME of one of N folders. */
static bool is_in_one(const char *const *folders, unsigned n, const char *path)
{
	const char *name = strrchr(path, '/');

	for (unsigned i = 0; name && i < n; i++)
		if (strlen(folders[i]) == (size_t)(name - path) && str_begins(path, folders[i]))
			return true;
	return false;
}

static bool is_in_folder(const struct permits *p, const char *path)
{
	return is_in_one(p->folders, p->nfolders, path);
}

/* Its name is a build-id. */
static bool is_kept_layout(const struct permits *p, const char *path)
{
	const char *name;

	if (!is_in_one(p->layouts, p->nlayouts, path))
		return false;
	name = strrchr(path, '/') + 1;
	return !strcmp(name + strspn(name, "0123456789abcdef"), KEPT_LAYOUT_END) &&
	       strcmp(name, KEPT_LAYOUT_END);
}

/* ---- opening ---------------------------------------------------------------------------- */

static int refuse(int fd, int err)
{
	if (fd >= 0)
		close(fd);
	errno = err;
	return -1;
}

/* FD if it is a regular file that begins with MAGIC. */
static int only_begins(int fd, const char *magic)
{
	ssize_t n = (ssize_t)strlen(magic);
	struct stat st;
	char head[32];

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || pread(fd, head, (size_t)n, 0) != n ||
	    memcmp(head, magic, (size_t)n))
		return refuse(fd, EPERM);
	return fd;
}

/* Code and its debug information; a core is a process's memory. */
static int only_elf(int fd)
{
	uint8_t head[EI_NIDENT + 2];
	unsigned type;

	fd = only_begins(fd, ELFMAG);
	if (fd < 0)
		return -1;
	if (pread(fd, head, sizeof(head), 0) != sizeof(head))
		return refuse(fd, EPERM);
	type = head[EI_DATA] == ELFDATA2MSB ? head[EI_NIDENT] << 8 | head[EI_NIDENT + 1]
					    : head[EI_NIDENT + 1] << 8 | head[EI_NIDENT];
	return type == ET_REL || type == ET_EXEC || type == ET_DYN ? fd : refuse(fd, EPERM);
}

static int only_file(int fd)
{
	struct stat st;

	return fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode)) ? refuse(fd, EPERM) : fd;
}

/* Of any name. */
static int only_capsule(int fd)
{
	uint8_t head[CAPSULE_HEAD];

	fd = only_begins(fd, "SQLite format 3");
	if (fd < 0)
		return -1;
	return pread(fd, head, sizeof(head), 0) == sizeof(head) && capsule_is(head, sizeof(head))
		       ? fd
		       : refuse(fd, EPERM);
}

/* A link to a file of another kind is none. A manifest is empty if the share of its task is. */
static int open_in_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (str_ends(path, ".vmc"))
		return only_begins(fd, "SQLite format 3");
	if (!str_ends(path, ".jsonl"))
		return only_capsule(fd);
	return fd >= 0 && !fstat(fd, &st) && !st.st_size ? only_file(fd) : only_begins(fd, "{");
}

int permits_open(struct permits *p, const char *path)
{
	bool named = is_named(p, path);
	int fd;

	if (!named && is_in_folder(p, path))
		return open_in_folder(path);
	if (!named && is_kept_layout(p, path))
		return only_begins(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY),
				   LAYOUT_MAGIC);
	if (!named && (!is_plain(path) || !(is_map(path) || is_debug(path) || is_beside(p, path))))
		return refuse(-1, EPERM);
	if (named && elsewhere_named(path))
		return elsewhere_open(path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return named ? fd : is_map(path) ? only_file(fd) : only_elf(fd);
}

int permits_open_below(struct permits *p, const char *root, const char *path)
{
	if (!strcmp(root, "/") && str_begins(path, DEBUG_DIR) && is_plain(path))
		return only_elf(rootpath_open(root, path));
	if (!p->sysroot || strcmp(root, p->sysroot))
		return refuse(-1, EPERM);
	return strcmp(path, ROOTPATH_PASSWD) ? only_elf(rootpath_open(root, path))
					     : rootpath_open(root, path);
}

static bool is_types(const struct permits *p, const char *path)
{
	for (unsigned i = 0; i < p->ntypes; i++)
		if (!strcmp(p->types[i], path))
			return true;
	return false;
}

bool permits_real_path(struct permits *p, const char *path, char *real)
{
	int fd = permits_open(p, path);
	const char *slash;

	if (fd < 0)
		return false;
	close(fd);
	if (!realpath(path, real))
		return false;
	slash = strrchr(real, '/');
	if (p->dirs.n < FOUND_MAX && is_types(p, path))
		*vec_push(&p->mem, &p->dirs) = arena_strndup(&p->mem, real, (size_t)(slash - real));
	return true;
}

void permits_add(struct permits *p, const char *path)
{
	if (p->found.n < FOUND_MAX)
		*vec_push(&p->mem, &p->found) = arena_strdup(&p->mem, path);
}

void permits_release(struct permits *p)
{
	arena_release(&p->mem);
}
