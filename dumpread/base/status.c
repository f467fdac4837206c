/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * status.c - names of status codes.
 */
#include "dumpread/base/status.h"

#include <string.h>

const char *status_name(enum status st)
{
	static const char *const names[ST_COUNT] = {
		[ST_OK] = "ok",
		[ST_NODATA] = "nodata",
		[ST_FAULT] = "fault",
		[ST_CORRUPT] = "corrupt",
		[ST_ABSENT] = "absent",
		[ST_NOTMINE] = "notmine",
		[ST_IO] = "io",
		[ST_UNSUPPORTED] = "unsupported",
		[ST_LIMIT] = "limit",
		[ST_TORN] = "torn",
	};

	return (unsigned)st < ST_COUNT ? names[st] : "unknown";
}

enum status status_of_name(const char *word)
{
	for (int i = 1; word && i < ST_COUNT; i++)
		if (!strcmp(status_name((enum status)i), word))
			return (enum status)i;
	return ST_CORRUPT;
}
