/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * request.c - messages with descriptors, and the side that asks.
 */
#include "app/sandbox/request.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dumpread/base/heap.h"

/* ---- messages ----------------------------------------------------------------------- */

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(REQUEST_FDS * sizeof(int))];
};

bool request_send(int fd, const void *msg, size_t len, const int *fds, unsigned n)
{
	struct iovec v = { .iov_base = (void *)(uintptr_t)msg, .iov_len = len };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1 };
	union control c = { .head = { 0 } };
	ssize_t done;

	if (n) {
		h.msg_control = &c;
		h.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c.head.cmsg_level = SOL_SOCKET;
		c.head.cmsg_type = SCM_RIGHTS;
		c.head.cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(&c.head), fds, n * sizeof(int));
	}
	do {
		done = sendmsg(fd, &h, MSG_NOSIGNAL);
	} while (done < 0 && errno == EINTR);
	return done == (ssize_t)len;
}

size_t request_receive(int fd, void *msg, size_t len, int *fds, unsigned *n)
{
	struct iovec v = { .iov_base = msg, .iov_len = len };
	union control c;
	struct msghdr h = { .msg_iov = &v,
			    .msg_iovlen = 1,
			    .msg_control = &c,
			    .msg_controllen = CMSG_SPACE(*n * sizeof(int)) };
	struct cmsghdr *head;
	ssize_t got;

	do {
		got = recvmsg(fd, &h, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	*n = 0;
	head = got > 0 ? CMSG_FIRSTHDR(&h) : NULL;
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
		*n = (unsigned)((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(fds, CMSG_DATA(head), *n * sizeof(int));
	}
	return got > 0 ? (size_t)got : 0;
}

/* ---- the side that asks ----------------------------------------------------------------- */

struct asker {
	int fd;
	pthread_mutex_t lock;	/* one request at a time */
	struct outside way;
};

/* The answer's descriptor, 0 if it has none; -1: errno. */
static int ask(struct asker *a, const struct request *q, const int *fds, unsigned n,
	       struct answer *ret)
{
	unsigned got = 1;
	int fd = 0;
	bool ok;

	pthread_mutex_lock(&a->lock);
	ok = request_send(a->fd, q, sizeof(*q), fds, n) &&
	     request_receive(a->fd, ret, sizeof(*ret), &fd, &got) == sizeof(*ret);
	pthread_mutex_unlock(&a->lock);
	if (!ok)
		ret->err = EPIPE;
	if (!ret->err)
		return got ? fd : 0;
	errno = ret->err;
	return -1;
}

/* False: TEXT is too long. */
static bool put(char to[PATH_MAX], const char *text)
{
	size_t len = strlen(text);

	if (len >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(to, text, len + 1);
	return true;
}

static int ask_open(void *arg, const char *path)
{
	struct request q = { .op = ASK_OPEN };
	struct answer r;

	return put(q.a, path) ? ask(arg, &q, NULL, 0, &r) : -1;
}

static bool take_text(const struct answer *r, char *to, size_t size)
{
	size_t len = strnlen(r->text, sizeof(r->text));

	if (len >= size || len == sizeof(r->text))
		return false;
	memcpy(to, r->text, len + 1);
	return true;
}

static bool ask_real_path(void *arg, const char *path, char *real, size_t size)
{
	struct request q = { .op = ASK_REAL_PATH };
	struct answer r;

	return put(q.a, path) && !ask(arg, &q, NULL, 0, &r) && take_text(&r, real, size);
}

static int ask_below(void *arg, const char *root, const char *path)
{
	struct request q = { .op = ASK_BELOW };
	struct answer r;

	return put(q.a, path) && put(q.b, root) ? ask(arg, &q, NULL, 0, &r) : -1;
}

static enum status ask_debuginfo(void *arg, const uint8_t *id, unsigned len, char **path,
				 struct diag *diag)
{
	struct request q = { .op = ASK_DEBUGINFO, .id_len = len };
	struct answer r;
	size_t size;

	diag->text[0] = '\0';
	if (len > sizeof(q.id))
		return ST_ABSENT;
	memcpy(q.id, id, len);
	if (ask(arg, &q, NULL, 0, &r))
		return ST_ABSENT;
	r.text[sizeof(r.text) - 1] = '\0';
	if (r.status)
		return fail(diag, (enum status)r.status, "%s", r.text);
	size = strlen(r.text) + 1;
	*path = memcpy(heap_bytes(size), r.text, size);
	return ST_OK;
}

static int ask_kdumpfile(void *arg, unsigned n, const int *fds)
{
	struct request q = { .op = ASK_KDUMPFILE };
	struct answer r;

	if (n <= REQUEST_FDS)
		return ask(arg, &q, fds, n, &r);
	errno = EMFILE;
	return -1;
}

static enum status ask_tree_open(void *arg, const char *path, bool *owners, struct diag *diag)
{
	struct request q = { .op = ASK_TREE_OPEN };
	struct answer r;

	if (!put(q.a, path) || ask(arg, &q, NULL, 0, &r))
		return fail(diag, ST_IO, "%s: %s", path, strerror(errno));
	*owners = r.owners;
	r.text[sizeof(r.text) - 1] = '\0';
	return r.status ? fail(diag, (enum status)r.status, "%s", r.text) : ST_OK;
}

static int ask_tree_make(void *arg, const struct outside_entry *e)
{
	struct request q = { .op = ASK_TREE_MAKE,
			     .kind = e->kind,
			     .owned = e->owned,
			     .uid = e->uid,
			     .gid = e->gid };
	struct answer r;

	if (!put(q.a, e->path))
		return -1;
	if (e->target && !put(q.b, e->target))
		return 0; /* as a link that is too long */
	return ask(arg, &q, NULL, 0, &r);
}

static enum status ask_tree_close(void *arg, bool drop, struct diag *diag)
{
	struct request q = { .op = ASK_TREE_CLOSE, .drop = drop };
	struct answer r;

	if (ask(arg, &q, NULL, 0, &r))
		return fail(diag, ST_IO, "%s", strerror(errno));
	r.text[sizeof(r.text) - 1] = '\0';
	return r.status ? fail(diag, (enum status)r.status, "%s", r.text) : ST_OK;
}

struct asker *asker_new(int fd, int status_fd)
{
	struct asker *a = heap_array(struct asker, 1);

	a->fd = fd;
	pthread_mutex_init(&a->lock, NULL);
	a->way = (struct outside){
		.arg = a,
		.open = ask_open,
		.real_path = ask_real_path,
		.open_below = ask_below,
		.debuginfo = ask_debuginfo,
		.kdumpfile = ask_kdumpfile,
		.tree_open = ask_tree_open,
		.tree_make = ask_tree_make,
		.tree_close = ask_tree_close,
		.status = status_fd,
	};
	return a;
}

const struct outside *asker_outside(const struct asker *a)
{
	return &a->way;
}
