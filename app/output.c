/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * output.c - opens the output, and gives the file of -o its name when it is
 * complete.
 */
#include "app/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MAX 40		/* as path_resolution(7) */

static enum status failed(const struct output *o, struct diag *diag)
{
	return fail(diag, ST_IO, "%s: cannot write: %s; choose another -o FILE", o->name,
		    strerror(errno));
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ---- names --------------------------------------------------------------------- */

/* Length of the directory in PATH, with its slash; 0: the working directory. */
static int dir_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash + 1 - path) : 0;
}

/* Follows links: if the last component of PATH is a link, PATH becomes its final target. */
static int follow(char *path)
{
	char link[PATH_MAX], next[2 * PATH_MAX];

	for (int i = 0; i < LINKS_MAX; i++) {
		ssize_t n = readlink(path, link, sizeof(link) - 1);

		if (n < 0)
			return errno == EINVAL || errno == ENOENT ? 0 : -1;
		link[n] = '\0';
		n = snprintf(next, sizeof(next), "%.*s%s", *link == '/' ? 0 : dir_len(path), path,
			     link);
		if (n >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(path, next, (size_t)n + 1);
	}
	errno = ELOOP;
	return -1;
}

/* Paths that name open descriptors: their files must not be replaced. */
static bool of_descriptor(const char *name)
{
	return !strncmp(name, "/dev/std", 8) || !strncmp(name, "/dev/fd/", 8) ||
	       !strncmp(name, "/proc/", 6);
}

/* ---- opening --------------------------------------------------------------------- */

static enum status take_fd(struct output *o, int fd, struct diag *diag)
{
	o->file = fd < 0 ? NULL : fdopen(fd, "w");
	o->ours = true;
	if (o->file)
		return ST_OK;
	if (fd >= 0)
		close(fd);
	return failed(o, diag);
}

/* A new file in the directory of PATH; its mode is 0666 less the umask. */
static enum status open_aside(struct output *o, struct diag *diag)
{
	char dir[PATH_MAX];
	int fd;

	snprintf(dir, sizeof(dir), "%.*s.", dir_len(o->path), o->path);
	fd = open(dir, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	o->aside = true;
	o->named = fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL);
	for (unsigned i = 0; o->named && fd < 0; i++) {
		snprintf(o->beside, sizeof(o->beside), "%.*s.vmcensus-%ld-%u", dir_len(o->path),
			 o->path, (long)getpid(), i);
		fd = open(o->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		o->named = fd >= 0 || errno == EEXIST;
	}
	return take_fd(o, fd, diag);
}

enum status output_open(struct output *o, const char *name, FILE *stream, struct diag *diag)
{
	struct stat out;
	int fd;

	*o = (struct output){ .file = name ? NULL : stream, .name = name ? name : "stdout" };
	if (!name)
		return ST_OK;
	if (strlen(name) >= sizeof(o->path) - sizeof(".vmcensus-") - 24)
		errno = ENAMETOOLONG;
	else
		errno = !*name ? ENOENT : name[strlen(name) - 1] == '/' ? EISDIR : 0;
	if (!errno)
		memcpy(o->path, name, strlen(name) + 1);
	if (errno || (!of_descriptor(name) && follow(o->path)))
		return failed(o, diag);
	o->exists = !stat(o->path, &o->was);
	if (!o->exists)
		return errno == ENOENT ? open_aside(o, diag) : failed(o, diag);
	if (!fstat(STDOUT_FILENO, &out) && same_inode(&o->was, &out)) {
		o->file = stdout;
		return ST_OK;
	}
	fd = open(o->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || !S_ISREG(o->was.st_mode) || of_descriptor(name))
		return take_fd(o, fd, diag);
	close(fd); /* it is writable, so it may be replaced */
	return open_aside(o, diag);
}

bool output_is(const struct output *o, const struct stat *file)
{
	return o->exists && same_inode(&o->was, file);
}

bool output_is_terminal(const struct output *o)
{
	return o->file && isatty(fileno(o->file));
}

/* ---- the end ---------------------------------------------------------------------- */

/* Gives the file a name of its own, if it has none. */
static int give_name(struct output *o)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(o->file));
	for (unsigned i = 0; !o->named; i++) {
		snprintf(o->beside, sizeof(o->beside), "%.*s.vmcensus-%ld-%u", dir_len(o->path),
			 o->path, (long)getpid(), i);
		if (!linkat(AT_FDCWD, self, AT_FDCWD, o->beside, AT_SYMLINK_FOLLOW))
			o->named = true;
		else if (errno != EEXIST)
			return -1;
	}
	return 0;
}

/* Owner and mode of the replaced file; only root may give files away. */
static int inherit(const struct output *o)
{
	int fd = fileno(o->file);

	if (!o->exists)
		return 0;
	if ((o->was.st_uid != geteuid() || o->was.st_gid != getegid()) &&
	    fchown(fd, o->was.st_uid, o->was.st_gid) && errno != EPERM)
		return -1;
	return fchmod(fd, o->was.st_mode & 07777);
}

/* On disk first: after a power cut, the file with the name is still complete. */
static int take_name(struct output *o)
{
	if (inherit(o) || (fsync(fileno(o->file)) && errno != EINVAL) || give_name(o) ||
	    rename(o->beside, o->path))
		return -1;
	o->aside = o->named = false;
	return 0;
}

static enum status unwritten(const struct output *o, int err, struct diag *diag)
{
	if (err == EPIPE)
		return ST_OK;
	return fail(diag, ST_IO, "%s: cannot write: %s; the result is incomplete", o->name,
		    strerror(err));
}

enum status output_flush(struct output *o, struct diag *diag)
{
	return fflush(o->file) || ferror(o->file) ? unwritten(o, errno, diag) : ST_OK;
}

enum status output_done(struct output *o, struct diag *diag)
{
	bool bad = fflush(o->file) || ferror(o->file);
	int err;

	if (!bad && o->aside)
		bad = take_name(o) != 0;
	err = errno;
	output_drop(o);
	return bad ? unwritten(o, err, diag) : ST_OK;
}

void output_drop(struct output *o)
{
	if (o->aside && o->named)
		unlink(o->beside);
	if (o->ours && o->file)
		fclose(o->file);
	o->file = NULL;
}
