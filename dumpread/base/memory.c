/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.c - reads /proc/self/status, and reckons.
 */
#include "dumpread/base/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/outside.h"

/* All of /proc/self/status; in a sandbox, from the descriptor that was kept open. */
static size_t read_status(char *buf, size_t size)
{
	const struct outside *o = outside_now();
	int fd = o ? o->status : open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? pread(fd, buf, size - 1, 0) : -1;

	if (!o && fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* A line of the form "VmHWM:	   1234 kB". */
static uint64_t status_line(const char *name)
{
	char text[8192];
	const char *at;

	if (!read_status(text, sizeof(text)))
		return 0;
	at = strstr(text, name);
	return at ? (uint64_t)strtoull(at + strlen(name), NULL, 10) << 10 : 0;
}

uint64_t memory_virtual(void)
{
	return status_line("\nVmSize:");
}

uint64_t memory_resident(void)
{
	return status_line("\nVmRSS:");
}

uint64_t memory_peak(void)
{
	return status_line("\nVmHWM:");
}

static uint64_t of_machine(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

uint64_t memory_bound(uint64_t allowed)
{
	uint64_t half = of_machine() / 2;

	return allowed ? allowed : half ? half : UINT64_MAX;
}

uint64_t memory_tolerance(uint64_t bound)
{
	return max_u64(bound / 16, UINT64_C(1) << 20);
}

uint64_t memory_left(uint64_t allowed)
{
	uint64_t bound = memory_bound(allowed), used = memory_resident();

	bound += min_u64(memory_tolerance(bound), UINT64_MAX - bound);
	return used < bound ? bound - used : 0;
}
