/* SPDX-License-Identifier: GPL-3.0-or-later */
/* older.c - rows of older programs, which have words and no ids. */
#include "reports/fleet/older.h"

#include <ctype.h>
#include <string.h>

#include "dumpread/base/bytes.h"

const char *older_id(const char *words, struct arena *mem)
{
	char *id = arena_strdup(mem, words), *to = id;

	for (; *words; words++)
		if (isalnum((unsigned char)*words))
			*to++ = (char)tolower((unsigned char)*words);
		else if (to > id && to[-1] != '_')
			*to++ = '_';
	*to = '\0';
	return id;
}

/* Words that are no name, and numbers. */
static bool is_filler(const char *s, size_t len)
{
	static const char *const words[] = {
		"a",	  "an",	     "of",    "the",	 "by",	   "no",       "is",
		"nobody", "deleted", "file",  "files",	 "tmpfs",  "SysV",     "segment",
		"shmid",  "key",     "pipes", "sockets", "maps",   "bpf",      "rings",
		"frames", "known",   "use",   "unknown", "caller", "attached", "attach",
	};

	if (strspn(s, "0123456789") >= len || (len > 2 && !strncmp(s, "0x", 2)))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == len && !memcmp(words[i], s, len))
			return true;
	return false;
}

const char *older_subject(const char *owner, struct arena *mem)
{
	static const char between[] = " \t,()[]\"'";
	char *ret = arena_strdup(mem, owner), *to = ret;

	while (*(owner += strspn(owner, between))) {
		size_t len = strcspn(owner, between);

		if (!is_filler(owner, len)) {
			if (to > ret)
				*to++ = ' ';
			memcpy(to, owner, len);
			to += len;
		}
		owner += len;
	}
	*to = '\0';
	return *ret ? ret : NULL;
}
