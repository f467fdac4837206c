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

static const char *expanded;	/* the name of a packed file ... */
static int expanded_fd = -1;	/* ... which stands for this one */
static bool damaged;		/* it ends where the packed file is damaged */
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

bool elsewhere_named(const char *name)
{
	return !strcmp(name, ELSEWHERE_STDIN) || (expanded && !strcmp(name, expanded)) ||
	       elsewhere_is_nbd(name, NULL, 0, NULL, 0);
}

void elsewhere_file(const char *name, int fd)
{
	expanded = name;
	expanded_fd = fd;
}

void elsewhere_damaged(void)
{
	damaged = true;
}

bool elsewhere_is_damaged(const char *name)
{
	return damaged && expanded && !strcmp(name, expanded);
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
	if (expanded && !strcmp(name, expanded))
		return open_again(expanded_fd);
	return strcmp(name, ELSEWHERE_STDIN) ? open_socket(name) : open_again(input);
}
