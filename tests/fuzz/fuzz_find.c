/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_find - the search for a kernel's types and symbols: by build-id, by release, by debuginfod. The dump
 * is a described machine, whose types are in no file but this. An input is
 *	u8: 1: only the log is needed, 2: only the configuration, 4: only debuginfod has a file,
 *	    8: VMCOREINFO describes the log
 *	bytes of each file that is opened
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dumpread/base/outside.h"
#include "model/kernel/kernel.h"
#include "tests/machine/edits.h"
#include "tests/machine/made.h"

#define DEBUG_FILE "/debuginfod"
#define ID "BUILD-ID=eb4fbcd037e7253717950bf2b93bd5566f47c56f"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char log_lines[] =
	"\nvmcoreinfo SYMBOL(log_buf)=c0500000\nvmcoreinfo SYMBOL(log_buf_len)=c0500010"
	"\nvmcoreinfo SYMBOL(log_first_idx)=c0500020\nvmcoreinfo SYMBOL(log_next_idx)=c0500030"
	"\nvmcoreinfo SIZE(printk_log)=16\nvmcoreinfo OFFSET(printk_log.ts_nsec)=0"
	"\nvmcoreinfo OFFSET(printk_log.len)=8\nvmcoreinfo OFFSET(printk_log.text_len)=10"
	"\nvmcoreinfo OFFSET(printk_log.dict_len)=12\n";

static int images[2] = { -1, -1 };
static const uint8_t *bytes;
static size_t nbytes;
static unsigned how;

static int make_image(char *spec, const char *more)
{
	char *words[5] = { NULL }, text[16384], map[32];
	int image = memfd_create("image", MFD_CLOEXEC), fd = memfd_create("map", MFD_CLOEXEC);
	unsigned n = 0;
	struct script script;
	struct made made;

	for (char *s = strtok(spec, ","); s && n < 5; s = strtok(NULL, ","))
		words[n++] = s;
	if (n < 5 || image < 0 || fd < 0 ||
	    !script_read(&script, words[2], words[3], atoi(words[4])))
		return -1;
	n = 0;
	for (unsigned i = 0; i < script.nlines; i++)
		n += (unsigned)snprintf(text + n, sizeof(text) - n, "%s\n", script.line[i]);
	n += (unsigned)snprintf(text + n, sizeof(text) - n, "vmcoreinfo " ID "%s\n", more);
	snprintf(map, sizeof(map), "/proc/self/fd/%d", fd);
	if (!machine_make(words[0], words[1], text, n, map, image, &made))
		image = -1;
	close(fd);
	script_free(&script);
	return image;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *all = getenv("VMCENSUS_FUZZ_MACHINES");

	(void)argc, (void)argv;
	for (unsigned i = 0; i < 2; i++) {
		char *spec = strndup(all ? all : "", all ? strcspn(all, " ") : 0);

		images[i] = make_image(spec, i ? log_lines : "");
		free(spec);
	}
	if (images[0] >= 0 && images[1] >= 0)
		return 0;
	fprintf(stderr, "VMCENSUS_FUZZ_MACHINES must name machines: image %d, %d; %s; %s\n", images[0], images[1],
		strerror(errno), all ? all : "it is not set");
	exit(1);
}

static int open_here(void *arg, const char *path)
{
	char image[32];
	int fd;

	(void)arg;
	if (!strcmp(path, "image")) {
		snprintf(image, sizeof(image), "/proc/self/fd/%d", images[!!(how & 8)]);
		return open(image, O_RDONLY | O_CLOEXEC);
	}
	if (how & 4 && strcmp(path, DEBUG_FILE)) {
		errno = ENOENT;
		return -1;
	}
	fd = memfd_create("file", MFD_CLOEXEC);
	if (fd < 0 || write(fd, bytes, nbytes) != (ssize_t)nbytes)
		abort();
	return fd;
}

static bool real_path(void *arg, const char *path, char *real, size_t size)
{
	(void)arg;
	return (size_t)snprintf(real, size, "%s", path) < size;
}

static enum status debuginfo(void *arg, const uint8_t *id, unsigned len, char **path,
			     struct diag *diag)
{
	(void)arg, (void)id, (void)len;
	diag->text[0] = 0;
	*path = strdup(DEBUG_FILE);
	return ST_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct outside outside = {
		.open = open_here, .real_path = real_path, .debuginfo = debuginfo, .status = -1,
	};
	const char *const names[] = { "image" };
	struct kernel_opts o = { .images = names, .nimages = 1, .jobs = 1 };
	struct kernel *k;
	struct diag diag;

	if (!size)
		return 0;
	how = data[0];
	bytes = data + 1;
	nbytes = size - 1;
	o.log_only = how & 1;
	o.config_only = how & 2;
	setenv("DEBUGINFOD_URLS", "http://nowhere", 1);
	outside_use(&outside);
	if (!kernel_open(&o, &diag, &k))
		kernel_close(k);
	outside_use(NULL);
	return 0;
}
