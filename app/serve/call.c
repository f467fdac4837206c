/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/serve/call.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/run.h"
#include "dumpread/base/heap.h"

#define FILE_BYTES (UINT64_C(64) << 20)	/* that the process may write: a wild one fills no memory */

static int report(char **words)
{
	struct run run = { .out = NULL };
	int n = 0, status;

	while (words[n])
		n++;
	status = options_parse(&run.o, n, words, &run.diag);
	if (!status && run.o.action != DO_REPORT)
		status = fail(&run.diag, ST_ABSENT, "this is no report of a dump") ? EXIT_USAGE : 0;
	if (status)
		run_complain(&run);
	else
		status = run_report(&run);
	run_end(&run);
	return status;
}

static __attribute__((noreturn)) void inside(const struct call *c, char **words, pid_t parent)
{
	struct rlimit most = { FILE_BYTES, FILE_BYTES };
	int none = open("/dev/null", O_RDONLY | O_CLOEXEC), status;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_FSIZE, &most);
	if (getppid() != parent || none < 0 || dup2(none, STDIN_FILENO) < 0 ||
	    dup2(c->out, STDOUT_FILENO) < 0 || dup2(c->err, STDERR_FILENO) < 0)
		_exit(EXIT_NO_ANSWER);
	status = report(words);
	fflush(stdout);
	fflush(stderr);
	_exit(status);
}

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
}

int call_start(struct call *c, char **words)
{
	pid_t parent = getpid();
	int alive[2] = { -1, -1 }, e;

	*c = (struct call){ .pid = -1 };
	c->out = memfd_create("answer", MFD_CLOEXEC);
	c->err = memfd_create("stderr", MFD_CLOEXEC);
	if (c->out >= 0 && c->err >= 0 && !fcntl(c->err, F_SETFL, O_APPEND) &&
	    !pipe2(alive, O_CLOEXEC)) {
		fflush(NULL);
		c->pid = fork();
	}
	if (!c->pid) {
		close(alive[0]);
		inside(c, words, parent);
	}
	e = c->pid < 0 ? errno : 0;
	close_if(alive[1]);
	c->alive = alive[0];
	if (e) {
		close_if(c->out);
		close_if(c->err);
		close_if(c->alive);
	}
	return e;
}

void call_stop(struct call *c, const char *why)
{
	c->stopped = why;
	/* it may not be the first of its group yet */
	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
}

/* The text of a file in memory, for free(). *LEN: it may have a NUL inside. */
static char *text_of(int fd, size_t *len)
{
	char *text = heap_bytes(CALL_BYTES + 1);
	ssize_t n;

	*len = 0;
	while (*len < CALL_BYTES &&
	       (n = pread(fd, text + *len, CALL_BYTES - *len, (off_t)*len)) > 0)
		*len += (size_t)n;
	text[*len] = '\0';
	return text;
}

/* The last line, without the name of the program. */
static const char *sentence(char *text)
{
	static const char name[] = "vmcensus: ";
	size_t len = strlen(text);
	char *line;

	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	return strncmp(line, name, sizeof(name) - 1) ? line : line + sizeof(name) - 1;
}

static int status_of(const struct call *c)
{
	int status;

	while (waitpid(c->pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_NO_ANSWER;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The process may be in somebody's hands: what it wrote is sent on as a text, never as part of the message. */
void call_end(struct call *c, FILE *out)
{
	int status = status_of(c);
	size_t len, nsaid;
	char *text = text_of(c->out, &len), *said = text_of(c->err, &nsaid);
	const char *why = c->stopped   ? c->stopped
			  : status < 0 ? "the process was killed"
				       : sentence(said);
	bool failed = c->stopped || (status && status != EXIT_DAMAGED);

	if (!failed && (!len || len >= CALL_BYTES || strlen(text) != len)) {
		failed = true;
		why = "the answer is no text, or too long";
	}
	fputs("{\"content\": [{\"type\": \"text\", \"text\": ", out);
	put_json(out, failed ? why : text);
	putc('}', out);
	if (!failed && status) {
		fputs(", {\"type\": \"text\", \"text\": ", out);
		put_json(out, why);
		putc('}', out);
	}
	fprintf(out, "], \"isError\": %s}", failed ? "true" : "false");
	free(text);
	free(said);
	close(c->out);
	close(c->err);
	close(c->alive);
}
