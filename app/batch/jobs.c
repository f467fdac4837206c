/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jobs.c - runs the report capsule on a dump, and says what became of it.
 *
 * The process does what "vmcensus capsule" does, sandbox and all. What it writes to stderr is
 * kept: its last lines say why.
 */
#include "app/batch/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/answers/answers.h"
#include "app/batch/rank.h"
#include "app/batch/unpack.h"
#include "app/tell.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/find/kept_layout.h"

#define PATH_TEXT 4200
#define WHY_TEXT  600
#define SAID_MAX  (1 << 20)
#define SAID_LOST 4096		/* bytes, from the first, in which it says what it has lost */

double job_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void file_of(const struct job *j, const struct job_opts *o, const char *ext, char *buf)
{
	snprintf(buf, PATH_TEXT, "%s/%u.%s", o->scratch, j->no, ext);
}

void job_unpacked_dir(const struct job *j, const struct job_opts *o, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%u.d", o->scratch, j->no);
}

/* ---- inside the process ------------------------------------------------------------------- */

/* The identity is in the only row of a table, or the capsule. */
static int read_with(const struct job *j, const struct job_opts *o, unsigned ntypes)
{
	unsigned n = 0, all = j->dump->npaths + 2 * ntypes + 18;
	char **argv = heap_array(char *, all), threads[16], memory[32], to[PATH_TEXT];
	/* a .btf of -t may be of another build: nothing is kept by it */
	struct run run = { .names = j->names, .keep = j->asks || ntypes ? NULL : o->layouts };
	int status;

	file_of(j, o, j->asks ? "id" : "vmc", to);
	snprintf(threads, sizeof(threads), "%u", o->threads);
	snprintf(memory, sizeof(memory), "%llu", (unsigned long long)o->memory);
	argv[n++] = (char *)"vmcensus";
	argv[n++] = (char *)(j->asks ? "id" : "capsule");
	if (j->asks) {
		argv[n++] = (char *)"-fcsv";
		argv[n++] = (char *)"-cid";
	}
	argv[n++] = (char *)"-j";
	argv[n++] = threads;
	argv[n++] = (char *)"--memory";
	argv[n++] = memory;
	if (j->again) {
		argv[n++] = (char *)"--layouts";
		argv[n++] = (char *)o->layouts;
	}
	argv[n++] = (char *)"-o";
	argv[n++] = to;
	for (unsigned i = 0; i < ntypes; i++) {
		argv[n++] = (char *)"-t";
		argv[n++] = (char *)o->types[i];
	}
	argv[n++] = (char *)"--";
	for (unsigned i = 0; i < j->dump->npaths; i++)
		argv[n++] = (char *)j->dump->paths[i];
	status = options_parse(&run.o, (int)n, argv, &run.diag);
	if (status)
		run_complain(&run);
	else
		status = run_report(&run);
	run_end(&run);
	free(argv);
	return status;
}

static bool says_misfit(int err_fd)
{
	char buf[WHY_TEXT + 1] = { 0 };

	return pread(err_fd, buf, WHY_TEXT, 0) > 0 && strstr(buf, "belongs to another kernel");
}

/* -t names types of some of the dumps: one that they do not fit is read without them. */
static int read_dump(const struct job *j, const struct job_opts *o, int err_fd)
{
	int status = read_with(j, o, o->ntypes);

	if (!status || !o->ntypes || !says_misfit(err_fd) || ftruncate(err_fd, 0))
		return status;
	return read_with(j, o, 0);
}

static int unpack_archive(const struct job *j, const struct job_opts *o)
{
	char dir[PATH_TEXT];

	job_unpacked_dir(j, o, dir, sizeof(dir));
	if (mkdir(dir, 0700)) {
		tell(dir, strerror(errno));
		return UNPACK_OURS;
	}
	return unpack(j->dump->paths[0], dir, o->unpack);
}

static __attribute__((noreturn)) void inside(const struct job *j, const struct job_opts *o,
					     int err_fd, pid_t parent)
{
	sigset_t none;
	int status;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(o->lock);
	if (o->placing >= 0)
		close(o->placing);
	if (getppid() != parent || dup2(err_fd, STDERR_FILENO) < 0)
		_exit(EXIT_NO_ANSWER);
	status = j->dump->packed ? unpack_archive(j, o) : read_dump(j, o, err_fd);
	fflush(stderr);
	_exit(status);
}

/* ---- outside ------------------------------------------------------------------------------- */

/* A file in memory: a disk that is full does not hide why. */
static void forget_said(struct job *j)
{
	if (j->err >= 0)
		close(j->err);
	j->err = -1;
}

enum status job_start(struct job *j, const struct job_opts *o, struct diag *diag)
{
	pid_t parent = getpid();

	forget_said(j);
	j->err = memfd_create("stderr", MFD_CLOEXEC);
	if (j->err < 0 || fcntl(j->err, F_SETFL, O_APPEND))
		return fail(diag, ST_IO, "cannot start a process: %s", strerror(errno));
	fflush(NULL);
	j->began = job_now();
	j->killed = false;
	j->pid = fork();
	if (!j->pid)
		inside(j, o, j->err, parent);
	if (j->pid < 0) {
		j->pid = 0;
		return fail(diag, ST_IO, "cannot start a process: %s", strerror(errno));
	}
	setpgid(j->pid, j->pid);
	return ST_OK;
}

void job_trim(struct job *j)
{
	struct stat st;

	if (j->err >= 0 && !fstat(j->err, &st) && st.st_size > SAID_MAX && ftruncate(j->err, 0))
		job_kill(j);
}

void job_kill(struct job *j)
{
	if (!j->pid)
		return;
	kill(-j->pid, SIGKILL);
	kill(j->pid, SIGKILL);
}

bool job_has_lost_types(const struct job *j)
{
	char buf[SAID_LOST + 1] = { 0 };

	return pread(j->err, buf, SAID_LOST, 0) > 0 && strstr(buf, KEPT_LAYOUT_HELPS);
}

/* The last lines that the process wrote, in one. */
static const char *why_of(const struct job *j, struct arena *mem)
{
	char buf[WHY_TEXT + 1] = { 0 };
	const char *text = buf;
	struct stat st;
	ssize_t n;

	if (fstat(j->err, &st))
		st.st_size = 0;
	n = pread(j->err, buf, WHY_TEXT, st.st_size > WHY_TEXT ? st.st_size - WHY_TEXT : 0);
	while (n > 0 && buf[n - 1] == '\n')
		buf[--n] = '\0';
	for (ssize_t i = 0; i < n; i++)
		if (buf[i] == '\n')
			buf[i] = ' ';
	if (!strncmp(text, "vmcensus: ", 10))
		text += 10;
	return n > 0 ? arena_strdup(mem, text) : NULL;
}

bool job_ended_outside(const struct job *j, int status)
{
	static const int ends[] = { SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (!j->killed && WIFSIGNALED(status) && WTERMSIG(status) == ends[i])
			return true;
	return false;
}

/* Did what it made not fit into the directory? Then the dump is not to blame. */
static bool is_ours(const struct job *j, const struct job_opts *o, int status, const char *why)
{
	if (!WIFEXITED(status) || j->killed)
		return false;
	if (j->dump->packed)
		return WEXITSTATUS(status) == UNPACK_OURS;
	/* output.c says it */
	return WEXITSTATUS(status) == EXIT_NO_ANSWER && why && strstr(why, o->scratch) &&
	       strstr(why, ": cannot write: ");
}

static enum outcome outcome_of(const struct job *j, int status, const char *why)
{
	if (j->killed)
		return OUTCOME_TIMEOUT;
	if (WIFSIGNALED(status))
		/* of the signals that end a process, only the OOM killer sends this one */
		return WTERMSIG(status) == SIGKILL ? OUTCOME_MEMORY : OUTCOME_FAILED;
	switch (WEXITSTATUS(status)) {
	case 0: return j->dump->packed ? OUTCOME_UNPACKED : OUTCOME_DONE;
	case EXIT_DAMAGED: return j->dump->packed ? OUTCOME_UNPACKED : OUTCOME_INCOMPLETE;
	}
	if (why && (strstr(why, "--memory") || strstr(why, "out of memory")))
		return OUTCOME_MEMORY;
	return why && strstr(why, "not a memory dump") ? OUTCOME_NO_DUMP : OUTCOME_FAILED;
}

/* ---- the capsule gets its name ---------------------------------------------------------------- */

static bool is_hex(const char *s)
{
	return strlen(s) == KEY_TEXT - 1 && strspn(s, "0123456789abcdef") == KEY_TEXT - 1;
}

static enum status sync_dir(const char *dir, struct diag *diag)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = fd < 0 || fsync(fd) ? errno : 0;

	if (fd >= 0)
		close(fd);
	return err && err != EINVAL ? fail(diag, ST_IO, "%s: %s", dir, strerror(err)) : ST_OK;
}

bool job_identity(const struct job *j, const struct job_opts *o, char id[KEY_TEXT])
{
	char path[PATH_TEXT], line[KEY_TEXT + 2] = "";
	FILE *in;

	file_of(j, o, "id", path);
	in = fopen(path, "re");
	/* after the line with the name of the column */
	if (!in || !fgets(line, sizeof(line), in) || !fgets(line, sizeof(line), in))
		line[0] = '\0';
	if (in)
		fclose(in);
	line[strcspn(line, "\n")] = '\0';
	if (!is_hex(line))
		return false;
	memcpy(id, line, KEY_TEXT);
	return true;
}

void job_forget(struct job *j, const struct job_opts *o)
{
	static const char *const exts[] = { "id", "vmc" };
	char path[PATH_TEXT];

	forget_said(j);
	for (size_t i = 0; i < ARRAY_LEN(exts); i++) {
		file_of(j, o, exts[i], path);
		unlink(path);
	}
}

/* The best capsule of a crash keeps its name, whoever comes first. */
static enum status give_name(const char *from, const char *to, const struct rank *new,
			     const struct job_opts *o, struct diag *diag)
{
	const int kept[] = { o->lock, o->placing };
	enum status st = ST_OK;
	struct rank old;

	if (o->placing >= 0 && flock(o->placing, LOCK_EX))
		return fail(diag, ST_IO, "%s: cannot lock: %s", o->dir, strerror(errno));
	rank_confined(to, kept, &old);
	if (!old.known || !rank_is_better(&old, new))
		st = rename(from, to) ? fail(diag, ST_IO, "%s: %s", to, strerror(errno))
				      : sync_dir(o->dir, diag);
	if (o->placing >= 0)
		flock(o->placing, LOCK_UN);
	return st;
}

/* A dump without an identity (a collector's text) has that of its file. */
static enum status place(struct job *j, const struct job_opts *o, struct manifest_line *l,
			 struct arena *mem, struct diag *diag)
{
	const int kept[] = { o->lock, o->placing };
	char from[PATH_TEXT], to[PATH_TEXT];
	struct rank new;

	file_of(j, o, "vmc", from);
	rank_confined(from, kept, &new);
	if (!new.known) {
		l->outcome = OUTCOME_FAILED;
		l->why = "its capsule cannot be read";
		return ST_OK;
	}
	if (!is_hex(new.id))
		memcpy(new.id, j->key, sizeof(new.id));
	l->id = arena_strdup(mem, new.id);
	snprintf(to, sizeof(to), "%s/%s.vmc", o->dir, new.id);
	return give_name(from, to, &new, o, diag);
}

enum status job_end(struct job *j, const struct job_opts *o, int status, uint64_t memory,
		    struct manifest_line *l, struct arena *mem, struct diag *diag)
{
	enum status st = ST_OK;
	const char *why = why_of(j, mem);

	if (is_ours(j, o, status, why)) {
		job_forget(j, o);
		return fail(diag, ST_IO, "%s", why ? why : "the result cannot be written");
	}
	*l = (struct manifest_line){
		.files = j->names,
		.nfiles = j->dump->npaths,
		.bytes = j->dump->bytes,
		.key = j->key,
		.outcome = outcome_of(j, status, why),
		.why = why,
		.seconds = job_now() - j->began,
		.memory = memory,
	};
	j->pid = 0;
	if (l->outcome == OUTCOME_DONE || (l->outcome == OUTCOME_UNPACKED && !WEXITSTATUS(status)))
		l->why = NULL;
	else if (l->outcome == OUTCOME_TIMEOUT)
		l->why = arena_printf(mem, "it took more than %.0f s", o->timeout);
	else if (WIFSIGNALED(status) && (!why || j->tries))
		l->why = arena_printf(mem, "ended by signal %d%s", WTERMSIG(status),
				      j->tries ? ", and so it was before" : "");
	if (l->outcome == OUTCOME_DONE || l->outcome == OUTCOME_INCOMPLETE)
		st = place(j, o, l, mem, diag);
	job_forget(j, o);
	return st;
}
