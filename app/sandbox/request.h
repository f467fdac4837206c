/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * request.h - what a sandboxed process asks the one outside, and the answers. Each is one
 * message on a pair of SOCK_SEQPACKET sockets; descriptors go along with it.
 */
#ifndef VMCENSUS_REQUEST_H
#define VMCENSUS_REQUEST_H

#include <limits.h>

#include "dumpread/base/outside.h"

#define REQUEST_FDS 128		/* parts of a dump that libkdumpfile is given */

enum request_op {
	ASK_OPEN, ASK_REAL_PATH, ASK_BELOW, ASK_DEBUGINFO, ASK_KDUMPFILE, ASK_TREE_OPEN,
	ASK_TREE_MAKE, ASK_TREE_CLOSE,
};

struct request {
	uint32_t op;
	uint32_t kind, owned, uid, gid;	/* of ASK_TREE_MAKE: struct outside_entry */
	uint32_t drop;			/* of ASK_TREE_CLOSE */
	uint32_t id_len;
	uint8_t id[32];			/* of ASK_DEBUGINFO */
	char a[PATH_MAX], b[PATH_MAX];	/* path; root, target */
};

struct answer {
	int32_t err;			/* errno; 0: it worked, and a descriptor may follow */
	int32_t status;			/* enum status of ASK_TREE_* */
	uint32_t owners;
	char text[PATH_MAX];		/* path, or a sentence */
};

/* The way out over socket FD. */
struct asker;
struct asker *asker_new(int fd, int status_fd);
const struct outside *asker_outside(const struct asker *a);

/* One message with N descriptors; false: the other side is gone. */
bool request_send(int fd, const void *msg, size_t len, const int *fds, unsigned n);
/* The bytes received, 0 if the other side is gone; *N: room in FDS, then how many came. */
size_t request_receive(int fd, void *msg, size_t len, int *fds, unsigned *n);

#endif
