/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_nbd - what an NBD server sends: the input is all of its bytes. A dump is looked for in the export
 * as in a file. libnbd parses the protocol; without it (Debian package libnbd0) nothing is tested.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dumpread/base/outside.h"
#include "dumpread/image/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *bytes;
static size_t nbytes;
static int server = -1;

static int open_here(void *arg, const char *path)
{
	int pair[2];

	(void)arg, (void)path;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	if (nbytes && send(pair[1], bytes, nbytes, MSG_DONTWAIT) < 0)
		abort();
	/* the client may go on to ask: nobody answers */
	shutdown(pair[1], SHUT_WR);
	server = pair[1];
	return pair[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct outside outside = { .open = open_here, .status = -1 };
	const char *const paths[] = { "nbd+unix:///dump?socket=/s" };
	struct diag diag;
	struct image *im;

	/* what fits into the socket at once */
	bytes = data;
	nbytes = size < 65536 ? size : 65536;
	outside_use(&outside);
	if (!image_open(paths, 1, NULL, &diag, &im)) {
		uint8_t *page = malloc((size_t)1 << im->page_shift);
		struct image_ctx *ctx = im->ops->ctx_new ? im->ops->ctx_new(im) : NULL;

		for (uint64_t pfn = 0; page && pfn < im->max_pfn && pfn < 64; pfn++)
			if (im->ops->present(im, pfn))
				im->ops->read(im, ctx, pfn, page);
		if (im->ops->ctx_free)
			im->ops->ctx_free(ctx);
		free(page);
		image_close(im);
	}
	outside_use(NULL);
	if (server >= 0)
		close(server);
	server = -1;
	return 0;
}
