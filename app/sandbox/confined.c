/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * confined.c - what a run gives to its sandbox: permits and limits.
 */
#include "app/sandbox/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/sandbox/broker.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/elsewhere.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/memory.h"
#include "dumpread/image/image.h"
#include "dumpread/image/nbd.h"

#define GIB (UINT64_C(1) << 30)
#define SECONDS 3600u		/* of processor time, for any dump ... */
#define SECONDS_A_GIB 60u	/* ... and for each GiB of it: 500 times what any took */
#define SPARE (4 * GIB)		/* of address space: a vmlinux of 1 GiB, mapped, and its DWARF */
#define SPARE_A_THREAD (UINT64_C(160) << 20)	/* its stack, and an arena of malloc() */
#define SPARE_FILES 64u
#define ASKS 4u			/* of debuginfod: parts of a dump are images, too */

bool run_is_confined(const struct run *run)
{
	if (run->open || run->o.no_sandbox)
		return false;
	for (unsigned i = 0; i < run->o.nimages; i++)
		if (live_named(run->o.images[i]))
			return false;
	return true;
}

static uint64_t bytes_of(const struct options *o)
{
	uint64_t sum = 0;
	struct stat st;

	for (unsigned i = 0; i < o->nimages; i++)
		if (!stat(o->images[i], &st) && st.st_size > 0)
			sum += (uint64_t)st.st_size;
	return sum;
}

static struct sandbox_limits limits_of(const struct options *o)
{
	uint64_t bound = min_u64(memory_bound(o->memory), UINT64_MAX / 4);
	uint64_t threads = o->jobs ? o->jobs : jobs_default();

	return (struct sandbox_limits){
		.memory = 2 * bound + SPARE + threads * SPARE_A_THREAD,
		.seconds = SECONDS + bytes_of(o) / GIB * SECONDS_A_GIB,
		.files = o->nimages + o->ntypes + SPARE_FILES,
	};
}

struct confined {
	struct run *run;
	int (*read)(struct run *run);
};

static void prepare(void *arg)
{
	const struct run *run = ((struct confined *)arg)->run;

	if (run->renderer && run->renderer->prepare)
		run->renderer->prepare();
	if (run->o.report->prepare)
		run->o.report->prepare();
	for (unsigned i = 0; i < run->o.nimages; i++)
		if (elsewhere_is_nbd(run->o.images[i], NULL, 0, NULL, 0))
			nbd_load();
}

static int inside(void *arg, const struct sandbox_lacks *lacks)
{
	struct confined *c = arg;

	c->run->inside = true;
	c->run->lacks = lacks;
	return c->read(c->run);
}

/* The process inside ended by signal SIG: of those that a user sends, nothing is said. */
static __attribute__((noreturn)) void die_of(struct run *run, int sig, uint64_t seconds)
{
	if (sig == SIGXCPU)
		fail(&run->diag, ST_LIMIT,
		     "the process that reads the dump took more than %llu seconds of processor "
		     "time, and was ended",
		     (unsigned long long)seconds);
	else
		fail(&run->diag, ST_CORRUPT,
		     "the process that reads the dump was ended by signal %d (%s)", sig,
		     strsignal(sig));
	if (sig != SIGINT && sig != SIGTERM && sig != SIGPIPE && sig != SIGQUIT && sig != SIGHUP)
		run_complain(run);
	run_end(run);
	signal(sig, SIG_DFL);
	raise(sig);
	_exit(EXIT_NO_ANSWER);
}

int run_confined(struct run *run, int (*read)(struct run *run))
{
	struct confined c = { run, read };
	unsigned nfiles = run->o.nimages + run->o.ntypes;
	const char **files = arena_array(&run->mem, const char *, nfiles + 1);
	struct broker b = {
		.permits = { .files = files,
			     .nfiles = nfiles + !!run->o.index,
			     .types = run->o.types,
			     .ntypes = run->o.ntypes,
			     .sysroot = run->o.report_opts.sysroot,
			     .layouts = run->layouts,
			     .nlayouts = run->nlayouts },
		.tree = run->product && run->product->dir ? run->o.output : NULL,
		.debuginfo = (unsigned)min_u64(run->o.nimages, ASKS),
		.limits = limits_of(&run->o),
		.prepare = prepare,
		.inside = inside,
		.arg = &c,
	};
	int status;

	for (unsigned i = 0; i < run->o.nimages; i++)
		files[i] = run->o.images[i];
	for (unsigned i = 0; i < run->o.ntypes; i++)
		files[run->o.nimages + i] = run->o.types[i];
	files[nfiles] = run->o.index;
	if (broker_run(&b, &status, &run->diag)) {
		run_complain(run);
		return EXIT_NO_ANSWER;
	}
	if (WIFSIGNALED(status))
		die_of(run, WTERMSIG(status), b.limits.seconds);
	return WEXITSTATUS(status);
}

int run_end_output(struct run *run, struct output *o, int status)
{
	if (!o->file || !output_done(o, &run->diag))
		return status;
	run_complain(run);
	return EXIT_NO_ANSWER;
}

void run_say_lacks(struct run *run)
{
	struct diag d;

	if (!run->inside || !sandbox_says(run->lacks, &d))
		return;
	if (run->lacks->seccomp)
		log_warn(&run->log, "%s", d.text);
	else
		log_info(&run->log, "%s", d.text);
}

enum status run_written(struct run *run)
{
	return run->inside ? output_flush(&run->output, &run->diag)
			   : output_done(&run->output, &run->diag);
}
