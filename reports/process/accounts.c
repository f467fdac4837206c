/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * accounts.c - user names from etc/passwd below --sysroot.
 */
#include "reports/process/accounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/memory/elf/rootpath.h"

#define LINES_MAX 1000000	/* a file that goes on longer is no passwd */

/* "name:password:uid:..." (passwd(5)); the first line of a uid counts. */
static void add_line(struct accounts *a, char *line, struct arena *mem)
{
	char *password = strchr(line, ':'), *uid = password ? strchr(password + 1, ':') : NULL;
	unsigned long long v;
	char *end;

	if (!uid || uid[1] < '0' || uid[1] > '9')
		return;
	v = strtoull(uid + 1, &end, 10);
	if (*end != ':' || v > UINT32_MAX || hash_get(&a->by_uid, v + 1) != HASH_NONE)
		return;
	hash_put(&a->by_uid, v + 1, (uint32_t)a->names.n);
	*vec_push(mem, &a->names) = arena_strndup(mem, line, (size_t)(password - line));
}

void accounts_read(struct accounts *a, const char *sysroot, struct arena *mem)
{
	char line[1024];
	int fd = sysroot ? rootpath_open(sysroot, ROOTPATH_PASSWD) : -1;
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;

	memset(a, 0, sizeof(*a));
	a->by_uid.mem = mem;
	if (!f && fd >= 0)
		close(fd);
	if (!f)
		return;
	for (int i = 0; i < LINES_MAX && fgets(line, sizeof(line), f); i++)
		add_line(a, line, mem);
	fclose(f);
}

const char *accounts_name(const struct accounts *a, uint32_t uid, struct arena *mem)
{
	uint32_t i = hash_get(&a->by_uid, (uint64_t)uid + 1);

	return i < a->names.n ? a->names.v[i] : arena_printf(mem, "%u", uid);
}
