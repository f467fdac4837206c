/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elsewhere.c - standard input and sockets of NBD servers. */
#include "dumpread/base/elsewhere.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define NBD "nbd+unix:"

/* Packed files: that of the dump, and of the one that it is compared with. */
static struct {
	const char *name;	/* NULL: there is none */
	int fd;			/* stands for it */
	bool damaged;		/* ends where the packed file is damaged */
} expanded[ELSEWHERE_FILES];
static int input = STDIN_FILENO;	/* of the process, as its standard input is */

/* Copies N bytes with %XX decoded; false: they are too long, or no text. */
static bool decode(const char *s, size_t n, char *to, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned v = (unsigned char)s[i];

		if (s[i] == '%') {
			char hex[3] = { 0 };

			if (n - i < 3 || !isxdigit((unsigned char)s[i + 1]) ||
			    !isxdigit((unsigned char)s[i + 2]))
				return false;
			memcpy(hex, s + i + 1, 2);
			v = (unsigned)strtoul(hex, NULL, 16);
			i += 2;
		}
		if (!v || at + 1 >= size)
			return false;
		to[at++] = (char)v;
	}
	to[at] = '\0';
	return true;
}

bool elsewhere_is_nbd(const char *name, char *export, size_t export_size, char *socket,
		      size_t socket_size)
{
	const char *at = name + strlen(NBD), *query;

	if (strncmp(name, NBD, strlen(NBD)))
		return false;
	/* "//" without a host, then "/EXPORT" */
	at += strncmp(at, "//", 2) ? 0 : 2;
	at += *at == '/';
	query = strchr(at, '?');
	if (!query || strncmp(query, "?socket=", 8))
		return false;
	return (!export || decode(at, (size_t)(query - at), export, export_size)) &&
	       (!socket || decode(query + 8, strcspn(query + 8, "&"), socket, socket_size));
}

/* Its place in expanded[]; ELSEWHERE_FILES: it is none of them. */
static unsigned find(const char *name)
{
	unsigned i = 0;

	while (i < ELSEWHERE_FILES && (!expanded[i].name || strcmp(expanded[i].name, name)))
		i++;
	return i;
}

bool elsewhere_named(const char *name)
{
	return !strcmp(name, ELSEWHERE_STDIN) || find(name) < ELSEWHERE_FILES ||
	       elsewhere_is_nbd(name, NULL, 0, NULL, 0);
}

void elsewhere_file(const char *name, int fd, bool damaged)
{
	unsigned i = 0;

	while (i + 1 < ELSEWHERE_FILES && expanded[i].name)
		i++;
	expanded[i].name = name;
	expanded[i].fd = fd;
	expanded[i].damaged = damaged;
}

bool elsewhere_is_damaged(const char *name)
{
	unsigned i = find(name);

	return i < ELSEWHERE_FILES && expanded[i].damaged;
}

void elsewhere_stdin(int fd)
{
	input = fd;
}

/* With a place of its own in the file, where that is allowed. */
static int open_again(int from)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", from);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd >= 0 ? fd : fcntl(from, F_DUPFD_CLOEXEC, 0);
}

static int open_socket(const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd, err;

	if (!elsewhere_is_nbd(name, NULL, 0, to.sun_path, sizeof(to.sun_path))) {
		errno = EINVAL;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || !connect(fd, (const struct sockaddr *)&to, sizeof(to)))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

int elsewhere_open(const char *name)
{
	unsigned i = find(name);

	if (i < ELSEWHERE_FILES)
		return open_again(expanded[i].fd);
	return strcmp(name, ELSEWHERE_STDIN) ? open_socket(name) : open_again(input);
}
