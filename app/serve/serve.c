/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve.c - reads messages, answers them in their order, one call at a time. While a call runs, messages wait in a
 * list that is bounded; a ping is answered, and "cancelled" ends the call, at once.
 *
 * Facts of the protocol: modelcontextprotocol.io/specification, versions below.
 */
#include "app/serve/serve.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/options.h"
#include "app/serve/call.h"
#include "app/serve/tools.h"
#include "app/spool.h"
#include "app/tell.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "reports/render/render.h"

#define WAITING 64u		/* messages behind a call, before no more are read */
#define TIMEOUT 600u		/* seconds for a call, unless --timeout says more */

/* The newest first. 2025-03-26 has batches, which no other has: it is left out. */
static const char *const versions[] = { "2025-11-25", "2025-06-18", "2024-11-05" };

const struct option serve_options[] = {
	{ "stdio", no_argument, NULL, 's' },	 { "types", required_argument, NULL, 't' },
	{ "t", required_argument, NULL, 't' },	 { "jobs", required_argument, NULL, 'j' },
	{ "j", required_argument, NULL, 'j' },	 { "memory", required_argument, NULL, 'm' },
	{ "timeout", required_argument, NULL, 'T' }, { NULL, 0, NULL, 0 },
};

void serve_help(void)
{
	puts("usage: vmcensus serve --stdio [OPTIONS] IMAGE...\n"
	     "\n"
	     "Answers programs: JSON-RPC 2.0 in the form of the Model Context Protocol, a message on each\n"
	     "line of stdin and stdout. Each report is a tool, with its columns, their units, rows, and\n"
	     "what is damaged or missing. Only the dumps that are named here are read, each call in a\n"
	     "sandbox of its own; nothing is written: a packed dump has to be expanded first. An answer has\n"
	     "50 rows, or \"top\" of them, and at most 96 KiB.\n"
	     "\n"
	     "  -t FILE         types, for every dump; may be given more than once\n"
	     "  -j N            number of threads (default: number of CPUs)\n"
	     "  --memory SIZE   bytes of memory to use (default: half of this machine's)\n"
	     "  --timeout N     seconds for each call (default: 600)\n"
	     "\n"
	     "Exit status: 0 stdin has ended, 1 failed, 64 wrong usage.");
}

struct server {
	struct parser *parser;
	struct served served;
	struct arena mem;
	unsigned timeout;
	bool begun, ended;		/* initialize was asked; stdin has ended */
	char *line;			/* what came since the last whole line */
	size_t len;
	bool skipping;			/* the rest of a line that is too long */
	struct message *waiting[WAITING];
	unsigned nwaiting;
	struct message *running;	/* of CALL; NULL: none */
	struct call call;
	time_t deadline;		/* seconds(): a clock that is set does not move it */
};

/* ---- answers ------------------------------------------------------------------------------ */

static void begin_answer(const char *id, const char *what)
{
	printf("{\"jsonrpc\": \"2.0\", \"id\": %s, \"%s\": ", id ? id : "null", what);
}

static void end_answer(void)
{
	puts("}");
	fflush(stdout);
}

static void answer_error(const char *id, enum rpc_error code, const char *why)
{
	begin_answer(id, "error");
	printf("{\"code\": %d, \"message\": ", code);
	put_json(stdout, why);
	putchar('}');
	end_answer();
}

/* The newest of ours that is not newer than the client's, else the newest. */
static const char *version_for(const char *asked)
{
	for (size_t i = 0; asked && i < ARRAY_LEN(versions); i++)
		if (strcmp(versions[i], asked) <= 0)
			return versions[i];
	return versions[0];
}

static void initialize(struct server *s, const struct message *m)
{
	char *asked = message_string(s->parser, m, "$.params.protocolVersion");

	if (!asked) {
		answer_error(m->id, RPC_PARAMS, "protocolVersion is missing");
		return;
	}
	s->begun = true;
	begin_answer(m->id, "result");
	printf("{\"protocolVersion\": \"%s\", \"capabilities\": {\"tools\": {}}, \"serverInfo\": {\"name\": \"vmcensus\", "
	       "\"version\": \"" VMCENSUS_VERSION "\"}, \"instructions\": ",
	       version_for(asked));
	put_json(
		stdout,
		"Where the memory of a crashed Linux machine was. Begin with \"oom\" and verdict: true, which says why memory "
		"ran out, how certain that is, and which report proves each sentence; then \"summary\", \"census\", \"procs\". "
		"Each answer has columns with units; null is unknown, which is not 0; issues count what the dump has lost.");
	putchar('}');
	end_answer();
	free(asked);
}

static void put_refusal(const struct message *m, const char *why)
{
	begin_answer(m->id, "result");
	fputs("{\"content\": [{\"type\": \"text\", \"text\": ", stdout);
	put_json(stdout, why);
	fputs("}], \"isError\": true}", stdout);
	end_answer();
}

static time_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* Takes M if a process runs for it. */
static bool start_call(struct server *s, struct message *m)
{
	char *name = message_string(s->parser, m, "$.params.name"), **words;
	struct arena mem = { 0 };
	struct diag diag = { 0 };
	int e;

	if (!name || !tool_find(name)) {
		answer_error(m->id, RPC_PARAMS,
			     name ? "there is no tool of this name" : "name is missing");
		free(name);
		return false;
	}
	free(name);
	words = tool_words(s->parser, m, &s->served, &mem, &diag);
	e = words ? call_start(&s->call, words) : 0;
	if (!words)
		put_refusal(m, diag.text);
	else if (e)
		answer_error(m->id, RPC_INTERNAL, strerror(e));
	arena_release(&mem);
	if (!words || e)
		return false;
	s->running = m;
	s->deadline = seconds() + s->timeout;
	return true;
}

static void ping(const struct message *m)
{
	begin_answer(m->id, "result");
	fputs("{}", stdout);
	end_answer();
}

/* Is M about the request with this id? */
static bool is_about(struct server *s, const struct message *m, const char *id)
{
	char *about = message_json(s->parser, m, "$.params.requestId");
	bool same = about && id && !strcmp(about, id);

	free(about);
	return same;
}

static void cancel(struct server *s, const struct message *m)
{
	unsigned n = 0;

	if (s->running && is_about(s, m, s->running->id))
		call_stop(&s->call, "cancelled");
	for (unsigned i = 0; i < s->nwaiting; i++) {
		if (is_about(s, m, s->waiting[i]->id))
			message_free(s->waiting[i]);
		else
			s->waiting[n++] = s->waiting[i];
	}
	s->nwaiting = n;
}

static void answer(struct server *s, struct message *m)
{
	if (m->error)
		answer_error(m->id, m->error, m->why);
	else if (!m->id || !m->method)
		;
	else if (!strcmp(m->method, "ping"))
		ping(m);
	else if (!strcmp(m->method, "initialize"))
		initialize(s, m);
	else if (!s->begun)
		answer_error(m->id, RPC_INVALID, "initialize comes first");
	else if (!strcmp(m->method, "tools/list")) {
		begin_answer(m->id, "result");
		fputs("{\"tools\": ", stdout);
		tools_put(&s->served, stdout);
		putchar('}');
		end_answer();
	} else if (strcmp(m->method, "tools/call"))
		answer_error(m->id, RPC_METHOD, "there is no such method");
	else if (start_call(s, m))
		return;
	message_free(m);
}

/* ---- messages ------------------------------------------------------------------------------- */

/* What must not wait is answered, the rest is kept. */
static void arrive(struct server *s, struct message *m)
{
	if (!m->error && m->method && !m->id) {
		if (!strcmp(m->method, "notifications/cancelled"))
			cancel(s, m);
		message_free(m);
	} else if (!s->running || (m->method && m->id && !strcmp(m->method, "ping")))
		answer(s, m);
	else
		s->waiting[s->nwaiting++] = m;
}

static void end_line(struct server *s)
{
	char *text;

	if (s->skipping) {
		s->skipping = false;
		answer_error(NULL, RPC_PARSE, "the message is longer than 1 MiB");
	} else if (s->len) {
		text = heap_bytes(s->len + 1);
		memcpy(text, s->line, s->len);
		text[s->len] = '\0';
		arrive(s, message_read(s->parser, text, s->len));
	}
	s->len = 0;
}

static void take_input(struct server *s)
{
	char buf[4096];
	/* no more than there is room for: a line has a byte at least, and its end */
	ssize_t n = read(STDIN_FILENO, buf,
			 min_u64(sizeof(buf), 2 * (uint64_t)(WAITING - s->nwaiting)));

	s->ended = n == 0 || (n < 0 && errno != EINTR);
	for (ssize_t i = 0; i < n; i++) {
		if (buf[i] == '\n')
			end_line(s);
		else if (s->len < MESSAGE_MAX && !s->skipping)
			s->line[s->len++] = buf[i];
		else
			s->skipping = true;
	}
	if (s->ended && (s->len || s->skipping))
		end_line(s);
}

static void finish_call(struct server *s)
{
	begin_answer(s->running->id, "result");
	call_end(&s->call, stdout);
	end_answer();
	message_free(s->running);
	s->running = NULL;
	while (!s->running && s->nwaiting) {
		struct message *m = s->waiting[0];

		s->nwaiting--;
		for (unsigned i = 0; i < s->nwaiting; i++)
			s->waiting[i] = s->waiting[i + 1];
		answer(s, m);
	}
}

/* Until stdin has ended and all is answered, or nobody reads the answers. */
static void serve(struct server *s)
{
	while ((!s->ended || s->running) && !ferror(stdout)) {
		struct pollfd fds[] = {
			{ s->ended || s->nwaiting == WAITING ? -1 : STDIN_FILENO, POLLIN, 0 },
			{ s->running ? s->call.alive : -1, POLLIN, 0 },
		};

		poll(fds, 2, s->running ? 1000 : -1);
		if (fds[0].revents)
			take_input(s);
		if (fds[1].revents)
			finish_call(s);
		else if (s->running && seconds() > s->deadline && !s->call.stopped)
			call_stop(&s->call, "the call took too long (--timeout)");
	}
}

/* ---- the command line --------------------------------------------------------------------- */

static void add_word(struct server *s, const char *name, const char *value)
{
	((const char **)s->served.words)[s->served.nwords++] =
		arena_printf(&s->mem, "--%s=%s", name, value);
}

/* 0: it is no number of seconds. */
static unsigned timeout_of(const char *text)
{
	char *end;
	unsigned long v;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	v = strtoul(text, &end, 10);
	return errno || *end || v > INT_MAX ? 0 : (unsigned)v;
}

static int parse(struct server *s, int argc, char **argv)
{
	bool stdio = false;
	int c;

	s->served.words = arena_array(&s->mem, const char *, (size_t)argc);
	optind = 1;
	while ((c = getopt_long(argc, argv, "t:j:", serve_options, NULL)) != -1) {
		switch (c) {
		case 's': stdio = true; break;
		case 't': add_word(s, "types", optarg); break;
		case 'j': add_word(s, "jobs", optarg); break;
		case 'm': add_word(s, "memory", optarg); break;
		case 'T': s->timeout = timeout_of(optarg); break;
		default: return EXIT_USAGE;
		}
	}
	s->served.images = (const char *const *)argv + optind;
	s->served.nimages = (unsigned)(argc - optind);
	if (stdio && s->served.nimages && s->timeout)
		return 0;
	tell(NULL, !stdio ? "serve needs --stdio: there is no other way"
		   : s->served.nimages
			   ? "--timeout is a number of seconds"
			   : "no dump was named; usage: vmcensus serve --stdio IMAGE...");
	return EXIT_USAGE;
}

/* A call may write little, and each one would expand it again. */
static int refuse_packed(const struct served *s)
{
	for (unsigned i = 0; i < s->nimages; i++)
		if (spool_is_packed_dump(s->images[i])) {
			tell(s->images[i], "is a packed dump, which serve does not expand: "
					   "expand it to a file first");
			return EXIT_NO_ANSWER;
		}
	return 0;
}

int serve_main(int argc, char **argv)
{
	struct server s = { .timeout = TIMEOUT };
	int status = parse(&s, argc, argv);

	if (!status)
		status = refuse_packed(&s.served);
	s.parser = status ? NULL : parser_open();
	if (s.parser) {
		s.line = heap_bytes(MESSAGE_MAX);
		serve(&s);
		status = ferror(stdout) ? EXIT_NO_ANSWER : 0;
		parser_close(s.parser);
		free(s.line);
	} else if (!status) {
		tell(NULL, "no memory for a parser");
		status = EXIT_NO_ANSWER;
	}
	arena_release(&s.mem);
	return status;
}
