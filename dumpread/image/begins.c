/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * begins.c - the magic numbers of dumps and of what packs them.
 */
#include "dumpread/image/begins.h"

#include <string.h>

#include "dumpread/base/bytes.h"

static const struct {
	uint16_t offset;
	uint8_t len;
	const char *magic;
	enum begins as;
} magics[] = {
	{ 0, 4, "\177ELF",				BEGINS_ELF },
	{ 0, 8, "KDUMP   ",				BEGINS_KDUMP },
	{ 0, 8, "DISKDUMP",				BEGINS_DISKDUMP },
	{ 0, 12, "makedumpfile",			BEGINS_FLATTENED },
	{ 0, 4, "\xdd\xcc\x8b\x9a",			BEGINS_MCORE },	/* little-endian */
	{ 0, 4, "\x9a\x8b\xcc\xdd",			BEGINS_MCORE },	/* and big-endian */
	{ 0, 4, "EMiL",					BEGINS_LIME },
	{ 0, 4, "AVML",					BEGINS_AVML },
	{ 0, 4, "QEVM",					BEGINS_QEMU },
	/* src/kdumpfile of libkdumpfile 0.5.1: *_probe() */
	{ 0, 8, "\xed\x23\x8f\x61\x73\x01\x19\xa8",	BEGINS_LKCD },	/* little-endian */
	{ 0, 8, "\xa8\x19\x01\x73\x61\x8f\x23\xed",	BEGINS_LKCD },	/* big-endian */
	{ 0, 8, "\xa8\x19\x01\x73\x61\x8f\x23\xfd",	BEGINS_LKCD },	/* s390 */
	{ 0, 8, "sadump\0\0",				BEGINS_SADUMP },
	{ BEGINS_MEDIA, 8, "sadump\0\0",		BEGINS_SADUMP },
	{ 0, 6, "\xfd" "7zXZ\0",			BEGINS_XZ },
	{ 0, 2, "\x1f\x8b",				BEGINS_GZIP },
	{ 0, 4, "\x28\xb5\x2f\xfd",			BEGINS_ZSTD },
	{ 0, 3, "BZh",					BEGINS_BZIP2 },
	{ 0, 4, "\x04\x22\x4d\x18",			BEGINS_LZ4 },
	{ 0, 4, "PK\x03\x04",				BEGINS_ZIP },
	{ 257, 5, "ustar",				BEGINS_TAR },
};

enum begins begins_as(const void *head, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(magics); i++)
		if (n >= (size_t)magics[i].offset + magics[i].len &&
		    !memcmp((const uint8_t *)head + magics[i].offset, magics[i].magic,
			    magics[i].len))
			return magics[i].as;
	return BEGINS_OTHER;
}
