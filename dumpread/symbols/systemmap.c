/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * System.map, the output of nm, /proc/kallsyms: "ADDRESS LETTER NAME [MODULE]"
 * in each line. Addresses are of link time in the first two, of run time in
 * the last; symlist_relocate() sees which.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/heap.h"
#include "dumpread/base/outside.h"
#include "dumpread/symbols/sources.h"
#include "dumpread/symbols/symlist.h"

#define MAX_FILE ((off_t)128 << 20)
#define SNIFF_LINES 4		/* lines that must look right */
#define MIN_SYMS 100u		/* less is a package's "see elsewhere" */

struct line {
	uint64_t addr;
	char type;
	const char *name;
	size_t len;
};

/* One line of LEN bytes, without its newline. */
static bool parse_line(const char *s, size_t len, struct line *ret)
{
	size_t i = 0;

	ret->addr = 0;
	for (; i < len && isxdigit((unsigned char)s[i]); i++) {
		int c = tolower((unsigned char)s[i]);

		ret->addr = ret->addr << 4 | (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	if (i < 8 || i > 16 || len - i < 4 || s[i] != ' ' || s[i + 2] != ' ')
		return false;
	ret->type = s[i + 1];
	ret->name = s + i + 3;
	ret->len = 0;
	while (i + 3 + ret->len < len && !isspace((unsigned char)ret->name[ret->len]))
		ret->len++;
	return ret->len && (isalpha((unsigned char)ret->type) || ret->type == '?');
}

bool systemmap_sniff(const char *text, size_t len)
{
	const char *end = text + len;

	for (int i = 0; i < SNIFF_LINES; i++) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		struct line l;

		if (!nl)
			return i > 0;
		if (!parse_line(text, (size_t)(nl - text), &l))
			return false;
		text = nl + 1;
	}
	return true;
}

static char *read_file(struct dump *d, const char *path, size_t *len)
{
	int fd = outside_open(path);
	char *buf = NULL;
	struct stat sb;
	ssize_t n;

	*len = 0;
	if (fd < 0 || fstat(fd, &sb)) {
		fail(&d->diag, ST_IO, "%s: %s", path, strerror(errno));
	} else if (sb.st_size > MAX_FILE) {
		fail(&d->diag, ST_LIMIT, "%s: too large for a System.map", path);
	} else {
		/* /proc/kallsyms says 0 bytes: read until the end */
		size_t cap = sb.st_size ? (size_t)sb.st_size + 1 : 16u << 20;

		buf = malloc(cap);
		while (buf && *len < cap && (n = read(fd, buf + *len, cap - *len)) > 0) {
			*len += (size_t)n;
			if (*len == cap && cap < (size_t)MAX_FILE && !sb.st_size)
				buf = heap_grow(buf, cap *= 2, 1);
		}
	}
	if (fd >= 0)
		close(fd);
	return buf;
}

static bool take_lines(struct symlist *l, const char *text, size_t len)
{
	const char *end = text + len;
	bool any = false;

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		struct line line;

		if (!nl)
			nl = end;
		/* undefined symbols of nm have no address; weak ones may be 0 */
		if (parse_line(text, (size_t)(nl - text), &line)) {
			any |= line.addr != 0;
			if (!symlist_add(l, line.name, line.len, line.addr,
					 isupper((unsigned char)line.type)))
				break;
		}
		text = nl + 1;
	}
	return any;
}

enum status symbols_add_systemmap(struct dump *d, const char *path)
{
	struct symlist *l;
	enum status st;
	size_t len;
	char *text = read_file(d, path, &len);
	bool any;

	if (!text)
		return ST_IO;
	l = symlist_new();
	any = take_lines(l, text, len);
	free(text);
	symlist_finish(l);
	if (l->n < MIN_SYMS) {
		st = fail(&d->diag, ST_ABSENT,
			  "%s: no symbol table in it (Debian's is in the kernel's debug package)",
			  path);
	} else if (!any) {
		st = fail(&d->diag, ST_ABSENT,
			  "%s: all addresses are 0: read it as root (kptr_restrict)", path);
	} else {
		st = symlist_relocate(l, d);
		if (st)
			fail_in(&d->diag, st, "%s", path);
	}
	if (!st)
		return symlist_attach(l, d, "System.map");
	symlist_free(l);
	return st;
}
