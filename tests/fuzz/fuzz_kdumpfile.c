/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_kdumpfile - what the process that calls libkdumpfile sends (kdumpfile.h): a damaged file may have
 * taken it over. An input is all of its bytes: struct kdumpfile_told, VMCOREINFO, its map, then statuses
 * and pages for the frames that are asked for.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/outside.h"
#include "dumpread/container/kdumpfile.h"

#define PROBES 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *bytes;
static size_t nbytes;

/* A server that has said everything already. */
static int serve(void *arg, unsigned n, const int *fds)
{
	int pair[2];

	(void)arg, (void)n, (void)fds;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	if (send(pair[1], bytes, nbytes, MSG_DONTWAIT) < 0)
		shutdown(pair[1], SHUT_WR);
	close(pair[1]);
	return pair[0];
}

static int open_here(void *arg, const char *path)
{
	int fd = memfd_create("lkcd", MFD_CLOEXEC);

	(void)arg, (void)path;
	if (fd < 0 || write(fd, "\xed\x23\x8f\x61\x73\x01\x19\xa8", 8) != 8)
		abort();
	return fd;
}

static void read_pages(const struct image *im)
{
	uint8_t *page = malloc((size_t)1 << im->page_shift);
	uint64_t step = im->max_pfn / PROBES + 1;

	for (uint64_t pfn = 0; page && pfn < im->max_pfn; pfn += step)
		if (im->ops->present(im, pfn))
			im->ops->read(im, NULL, pfn, page);
	free(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct outside outside = { .open = open_here, .kdumpfile = serve, .status = -1 };
	const char *const paths[] = { "lkcd" };
	struct diag diag;
	struct image *im;

	bytes = data;
	nbytes = size;
	outside_use(&outside);
	if (!image_open_as(paths, 1, &kdumpfile_image_ops, NULL, &diag, &im)) {
		/* texts end */
		if (strlen(im->format) >= sizeof(im->format) || im->page_shift > 24)
			abort();
		read_pages(im);
		image_close(im);
	}
	outside_use(NULL);
	return 0;
}
