/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.c - reads /proc/self/status, and reckons.
 */
#include "dumpread/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"

/* A line of the form "VmHWM:	   1234 kB". */
static uint64_t status_line(const char *name)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long kib = 0;
	size_t len = strlen(name);
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len) && line[len] == ':')
			kib = strtoull(line + len + 1, NULL, 10);
	if (f)
		fclose(f);
	return (uint64_t)kib << 10;
}

uint64_t memory_resident(void)
{
	return status_line("VmRSS");
}

uint64_t memory_peak(void)
{
	return status_line("VmHWM");
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
