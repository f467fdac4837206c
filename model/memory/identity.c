/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * identity.c - a hash over the banner, the names and the clocks of a kernel.
 *
 * What is hashed, by the first symbol of each line that the kernel has:
 *   the banner        release, compiler, number and time of the build: one for each build
 *   the names         nodename, domain: one for each machine
 *   ticks since boot  jiffies_64; jiffies in 2.4
 *   the timekeeper    counter of the clock source, wall time and boot time, to the ns
 * The last two differ between two crashes of one machine.
 */
#include "model/memory/identity.h"

#include <stdio.h>
#include <string.h>

#include <nettle/sha2.h>

#include "dumpread/base/bytes.h"

/* Bytes are those that all kernels have after the symbol: variables of the kernel image are
   not at its end. */
static const struct { const char *names[5]; size_t bytes; bool text; } parts[] = {
	{ { "linux_banner" }, 512, true },
	/* system_utsname: to 2.6.18 */
	{ { "init_uts_ns", "system_utsname" }, 390, false },
	{ { "jiffies_64", "jiffies" }, 8, false },
	/* timekeeper_data: 6.17; tk_core: 3.17 */
	{ { "timekeeper_data", "tk_core", "timekeeper", "xtime" }, 128, false },
};

static uint64_t address_of(const struct dump *d, const char *const *names)
{
	uint64_t addr;

	for (; *names; names++)
		if (dump_symbol(d, *names, &addr))
			return addr;
	return 0;
}

static void put_hex(const uint8_t *bytes, size_t n, char *ret)
{
	for (size_t i = 0; i < n; i++)
		sprintf(ret + 2 * i, "%02x", bytes[i]);
}

bool identity_of(const struct kernel *k, char ret[IDENTITY_TEXT])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct reader *r = kernel_reader(k);
	struct sha256_ctx hash;
	unsigned found = 0;

	ret[0] = '\0';
	if (!r)
		return false;
	sha256_init(&hash);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		uint64_t addr = address_of(k->dump, parts[i].names);
		uint8_t buf[513] = { 0 };
		uint8_t length[8];
		uint64_t n = 0;

		if (addr && !read_kva(r, addr, buf, parts[i].bytes))
			n = parts[i].text ? strlen((char *)buf) : parts[i].bytes;
		found += n > 0;
		/* its length first: two parts never read as one */
		store_uint(length, n, sizeof(length), false);
		sha256_update(&hash, sizeof(length), length);
		sha256_update(&hash, n, buf);
	}
	reader_free(r);
	sha256_digest(&hash, sizeof(digest), digest);
	if (found)
		put_hex(digest, sizeof(digest), ret);
	return found;
}

void identity_build_id(const struct kernel *k, char ret[IDENTITY_TEXT])
{
	ret[0] = '\0';
	if (k->dump)
		put_hex(k->dump->build_id, min_u64(k->dump->build_id_len, 32), ret);
}
