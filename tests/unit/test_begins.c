/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How files begin. The bytes are those that the tools wrote: kdump, makedumpfile, LiME, AVML, QEMU, xz, gzip, zstd,
 * bzip2, lz4, zip, tar.
 */
#include "dumpread/image/begins.h"

#include <string.h>

#include "tests/unit/check.h"

static enum begins as(const char *head)
{
	return begins_as(head, strlen(head));
}

TEST(dumps)
{
	CHECK(as("KDUMP   \6") == BEGINS_KDUMP);
	CHECK(as("DISKDUMP\1") == BEGINS_DISKDUMP);
	CHECK(as("makedumpfile") == BEGINS_FLATTENED);
	CHECK(as("\xdd\xcc\x8b\x9a") == BEGINS_MCORE);
	CHECK(as("EMiL\1") == BEGINS_LIME);
	CHECK(as("AVML\2") == BEGINS_AVML);
	CHECK(as("QEVM") == BEGINS_QEMU);
	CHECK(as("\177ELF\2\1\1") == BEGINS_ELF);
	CHECK(begins_dump(BEGINS_ELF) && begins_dump(BEGINS_SADUMP));
	CHECK(!begins_dump(BEGINS_OTHER) && !begins_dump(BEGINS_XZ));
}

TEST(packed)
{
	char tar[BEGINS_HEAD] = "vmcore";

	CHECK(begins_as("\xfd" "7zXZ\0", 6) == BEGINS_XZ);
	CHECK(as("\x1f\x8b\x08") == BEGINS_GZIP);
	CHECK(as("\x28\xb5\x2f\xfd") == BEGINS_ZSTD);
	CHECK(as("BZh9") == BEGINS_BZIP2);
	CHECK(as("\x04\x22\x4d\x18") == BEGINS_LZ4);
	CHECK(begins_packed(BEGINS_XZ) && begins_packed(BEGINS_LZ4));
	CHECK(as("PK\3\4") == BEGINS_ZIP && !begins_packed(BEGINS_ZIP));
	memcpy(tar + 257, "ustar", 5);
	CHECK(begins_as(tar, sizeof(tar)) == BEGINS_TAR && !begins_packed(BEGINS_TAR));
	CHECK(begins_as(tar, sizeof(tar) - 1) == BEGINS_OTHER);
}

TEST(of_short_files)
{
	char media[BEGINS_MEDIA + 8] = "";

	CHECK(begins_as("", 0) == BEGINS_OTHER);
	CHECK(as("KDUMP  ") == BEGINS_OTHER);
	CHECK(as("\177EL") == BEGINS_OTHER);
	memcpy(media + BEGINS_MEDIA, "sadump\0", 8);
	CHECK(begins_as(media, sizeof(media)) == BEGINS_SADUMP);
	CHECK(begins_as(media, sizeof(media) - 1) == BEGINS_OTHER);
}
