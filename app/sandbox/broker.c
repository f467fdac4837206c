/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * broker.c - starts the sandboxed process, and answers it until it ends.
 *
 * Every message of it is taken for hostile: its length is checked, its texts are ended, and
 * what it asks for is judged by app/sandbox/permits.h or by the one directory of an export.
 */
#include "app/sandbox/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/sandbox/request.h"
#include "dumpread/base/bytes.h"
#include "dumpread/container/kdumpfile.h"
#include "dumpread/find/find.h"
#include "reports/export/tree.h"

#define HELPERS_MAX 4		/* of libkdumpfile: one for each dump */
#define BUILD_ID_LEN 20u	/* SHA-1: the kernel's Makefile wants --build-id=sha1 (5.10) */

struct serving {
	struct broker *b;
	int fd;
	struct tree tree;
	struct diag tree_diag;
	bool tree_open;
	int into;		/* descriptor of the directory for new files; -1: none */
	pid_t helpers[HELPERS_MAX];
	unsigned nhelpers;
	unsigned asked;		/* of debuginfod */
	struct request q;
	struct answer r;
	int fds[REQUEST_FDS];	/* that came with it */
	unsigned nfds;
	int give;		/* goes along with the answer; -1: none */
};

/* ---- what is asked ------------------------------------------------------------------- */

static void give(struct serving *v, int fd)
{
	v->give = fd;
	v->r.err = fd < 0 ? errno : 0;
}

static void real_path(struct serving *v)
{
	if (!permits_real_path(&v->b->permits, v->q.a, v->r.text))
		v->r.err = errno;
}

/*
 * What is asked leaves this machine, and the other side may have put anything into it: there is one
 * question for each dump, of the length that a kernel's build-id has.
 */
static void debuginfo(struct serving *v)
{
	struct diag why;
	char *path;

	if (v->q.id_len != BUILD_ID_LEN || v->asked == v->b->debuginfo) {
		v->r.err = EPERM;
		return;
	}
	v->asked++;
	v->r.status = (int32_t)debuginfod_ask(v->q.id, v->q.id_len, &path, &why);
	snprintf(v->r.text, sizeof(v->r.text), "%s", v->r.status ? why.text : path);
	if (!v->r.status)
		permits_add(&v->b->permits, path);
	free(path);
}

static void confine_helper(void *arg)
{
	const struct serving *v = arg;

	sandbox_close_inherited();
	close(v->fd);
	sandbox_enter(&v->b->limits);
}

static void kdumpfile(struct serving *v)
{
	if (!v->nfds || v->nhelpers == HELPERS_MAX) {
		v->r.err = EMFILE;
		return;
	}
	give(v, kdumpfile_start(v->nfds, v->fds, confine_helper, v, &v->helpers[v->nhelpers]));
	if (v->give >= 0)
		v->nhelpers++;
}

static void say(struct serving *v, enum status st)
{
	v->r.status = (int32_t)st;
	snprintf(v->r.text, sizeof(v->r.text), "%s", st ? v->tree_diag.text : "");
}

static void open_tree(struct serving *v)
{
	if (v->tree_open || !v->b->tree || strcmp(v->q.a, v->b->tree)) {
		v->r.err = EPERM;
		return;
	}
	v->tree_open = true;
	say(v, tree_open(&v->tree, v->b->tree, &v->tree_diag));
	v->r.owners = v->tree.owners;
}

static void make_entry(struct serving *v)
{
	const struct request *q = &v->q;
	const struct outside_entry e = {
		.kind = (enum outside_kind)q->kind,
		.path = q->a,
		.target = q->b,
		.owned = q->owned && v->tree.owners,
		.uid = q->uid,
		.gid = q->gid,
	};
	const struct tree into = { .top = v->into };
	int fd;

	if (v->b->file && q->kind == OUTSIDE_FILE && !e.owned) {
		give(v, fcntl(*v->b->file, F_DUPFD_CLOEXEC, 0));
		return;
	}
	if (v->into >= 0 ? q->kind != OUTSIDE_FILE || e.owned || strchr(q->a, '/')
			 : !v->tree_open || q->kind > OUTSIDE_LINK) {
		v->r.err = EPERM;
		return;
	}
	fd = tree_put(v->into >= 0 ? &into : &v->tree, &e);
	give(v, fd);
	if (!fd)
		v->give = -1;
}

static void close_tree(struct serving *v, bool drop)
{
	if (!v->tree_open) {
		v->r.err = EPERM;
		return;
	}
	v->tree_open = false;
	if (drop && !v->tree.st)
		v->tree.st = fail(&v->tree_diag, ST_IO, "not complete");
	say(v, tree_close(&v->tree));
}

static void answer(struct serving *v)
{
	v->r = (struct answer){ .err = 0 };
	v->give = -1;
	switch (v->q.op) {
	case ASK_OPEN: give(v, permits_open(&v->b->permits, v->q.a)); break;
	case ASK_BELOW: give(v, permits_open_below(&v->b->permits, v->q.b, v->q.a)); break;
	case ASK_REAL_PATH: real_path(v); break;
	case ASK_DEBUGINFO: debuginfo(v); break;
	case ASK_KDUMPFILE: kdumpfile(v); break;
	case ASK_TREE_OPEN: open_tree(v); break;
	case ASK_TREE_MAKE: make_entry(v); break;
	case ASK_TREE_CLOSE: close_tree(v, v->q.drop); break;
	default: v->r.err = ENOSYS;
	}
}

/* Until the other side is gone, or sends what is no request. */
static void serve(struct serving *v)
{
	for (v->nfds = REQUEST_FDS;
	     request_receive(v->fd, &v->q, sizeof(v->q), v->fds, &v->nfds) == sizeof(v->q);
	     v->nfds = REQUEST_FDS) {
		bool ok;

		v->q.a[PATH_MAX - 1] = v->q.b[PATH_MAX - 1] = '\0';
		answer(v);
		ok = request_send(v->fd, &v->r, sizeof(v->r), &v->give, v->give >= 0);
		if (v->give >= 0)
			close(v->give);
		for (unsigned i = 0; i < v->nfds; i++)
			close(v->fds[i]);
		if (!ok)
			break;
	}
	if (v->tree_open)
		close_tree(v, true);
}

/* ---- the two processes -------------------------------------------------------------------- */

/*
 * Ends without atexit(): what is flushed there is flushed here, and a leak checker would want
 * to trace this process.
 */
static __attribute__((noreturn)) void be_inside(struct broker *b, int fd)
{
	struct sandbox_lacks lacks;
	struct asker *a;
	int status;

	sandbox_close_inherited();
	a = asker_new(fd, open("/proc/self/status", O_RDONLY | O_CLOEXEC));
	if (b->prepare)
		b->prepare(b->arg);
	lacks = b->below ? sandbox_enter_below(b->below, &b->limits) : sandbox_enter(&b->limits);
	if (!b->below)
		outside_use(asker_outside(a));
	status = b->inside(b->arg, &lacks);
	fflush(NULL);
	_exit(status);
}

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
}

static int await(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Waiting for a request ends after that time: the other side may sleep. */
static void be_patient(const struct serving *v)
{
	const struct timeval t = { .tv_sec = v->b->patience };

	if (t.tv_sec)
		setsockopt(v->fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
}

enum status broker_run(struct broker *b, int *status, struct diag *diag)
{
	struct serving v = { .b = b, .into = -1 };
	int pair[2];
	pid_t pid;

	if (b->into)
		v.into = open(b->into, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (b->into && v.into < 0)
		return fail(diag, ST_IO, "%s: %s", b->into, strerror(errno));
	fflush(NULL); /* otherwise buffers would be written twice */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		close_if(v.into);
		return fail(diag, ST_IO, "cannot start a process: %s", strerror(errno));
	}
	pid = fork();
	if (!pid) {
		close(pair[0]);
		close_if(v.into);
		be_inside(b, pair[1]);
	}
	close(pair[1]);
	v.fd = pair[0];
	if (pid > 0) {
		be_patient(&v);
		serve(&v);
		shutdown(v.fd, SHUT_RDWR);
		if (b->patience)
			kill(pid, SIGKILL); /* of one that has ended nothing is left to kill */
		*status = await(pid);
	}
	close(v.fd);
	close_if(v.into);
	for (unsigned i = 0; i < v.nhelpers; i++) {
		kill(v.helpers[i], SIGKILL);
		await(v.helpers[i]);
	}
	permits_release(&b->permits);
	return pid > 0 ? ST_OK : fail(diag, ST_IO, "cannot start a process: %s", strerror(errno));
}
