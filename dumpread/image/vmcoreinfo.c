/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmcoreinfo.c - finds a key in the text of VMCOREINFO.
 */
#include "dumpread/image/vmcoreinfo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool vmcoreinfo_value(const char *text, const char *key, char *buf, size_t size)
{
	size_t klen = strlen(key), len;
	const char *line = text;

	while (line && *line) {
		if (!strncmp(line, key, klen) && line[klen] == '=') {
			line += klen + 1;
			len = strcspn(line, "\n");
			if (!size)
				return true;
			if (len >= size)
				len = size - 1;
			memcpy(buf, line, len);
			buf[len] = '\0';
			return true;
		}
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return false;
}

bool vmcoreinfo_uint(const char *text, const char *key, int base, uint64_t *ret)
{
	char buf[32], *end;

	if (!vmcoreinfo_value(text, key, buf, sizeof(buf)))
		return false;
	errno = 0;
	*ret = strtoull(buf, &end, base);
	return end != buf && !*end && !errno;
}
