/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "live": the running kernel through /proc/kcore (fs/proc/kcore.c). Its PT_LOADs
 * of the direct map cover "System RAM" and nothing else (walk_system_ram_range(),
 * pfn_is_ram()); pages that are offline, or poisoned, read as zeros. Only these are
 * read, so no device's memory ever is.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "dumpread/image/format.h"

#define KCORE "/proc/kcore"
#define ELSEWHERE "run it on the host, or use the module vmcensus.ko"
#define LOCKDOWN "/sys/kernel/security/lockdown"

const char *live_path(const char *path)
{
	return strcmp(path, IMAGE_LIVE) ? path : KCORE;
}

bool live_is(int fd, const char *path)
{
	const char *base = strrchr(path, '/');
	struct statfs fs;

	/* /proc/vmcore, a dead kernel's memory, lies there too */
	return !strcmp(base ? base + 1 : path, "kcore") && !fstatfs(fd, &fs) &&
	       fs.f_type == PROC_SUPER_MAGIC;
}

bool live_named(const char *name)
{
	int fd = open(live_path(name), O_PATH | O_CLOEXEC);
	bool yes = !strcmp(name, IMAGE_LIVE) || (fd >= 0 && live_is(fd, name));

	if (fd >= 0)
		close(fd);
	return yes;
}

/* "none integrity [confidentiality]" */
static bool is_locked_down(void)
{
	FILE *f = fopen(LOCKDOWN, "re");
	char line[80] = "";
	bool yes;

	yes = f && fgets(line, sizeof(line), f) && strstr(line, "[confidentiality]");
	if (f)
		fclose(f);
	return yes;
}

enum status live_refused(struct diag *g, int err)
{
	switch (err) {
	case ENOENT:
		return fail(g, ST_IO,
			    KCORE
			    ": not there: this kernel was built without "
			    "CONFIG_PROC_KCORE, or this is a container that hides it; " ELSEWHERE);
	case EACCES:
	case EPERM:
		if (is_locked_down())
			return fail(g, ST_IO,
				    KCORE ": the kernel is locked down (" LOCKDOWN
					  " says confidentiality) and does not let anyone read its "
					  "memory");
		if (!geteuid())
			return fail(g, ST_IO,
				    KCORE ": permission denied, although root: the "
					  "capability CAP_SYS_RAWIO is missing (a container?)");
		return fail(g, ST_IO,
			    KCORE ": permission denied; only root may read the "
				  "running kernel (CAP_SYS_RAWIO)");
	}
	return fail(g, ST_IO, KCORE ": cannot open: %s", strerror(err));
}

enum status live_masked(struct diag *g)
{
	return fail(g, ST_IO,
		    KCORE ": not the kernel's: another file is mounted over it, as "
			  "containers do; " ELSEWHERE);
}
