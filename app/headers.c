/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * headers.c - the dump's part in a layout from headers: its configuration, and who its
 * kernel is. And the directory in which the compiler works, which is all that it can write to.
 */
#include "app/headers.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/sandbox/broker.h"
#include "app/sandbox/confined.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "facts/headers/headers.h"
#include "model/kernel/machine/ikconfig.h"

#define MAX_CONFIG ((size_t)8 << 20)
#define MAX_LAYOUT ((uint64_t)64 << 20)
#define COMPILER_MEMORY (UINT64_C(16) << 30)	/* of address space, for each of its processes */
#define COMPILER_SECONDS 3600u			/* of processor time, likewise */
#define COMPILER_FILES 1024u

int run_headers_check(struct run *run)
{
	const struct options *o = &run->o;

	if (!o->report_opts.headers) {
		if (!o->report_opts.config)
			return 0;
		fail(&run->diag, ST_ABSENT, "--config is for --headers DIR");
	} else if (o->columns || run->renderer->render != render_text) {
		fail(&run->diag, ST_ABSENT, "--headers makes a layout file: it takes no %s",
		     o->columns ? "--columns" : "other --format");
	} else if (o->ntypes) {
		fail(&run->diag, ST_ABSENT,
		     "--headers takes the place of --types; give one of them");
	} else {
		return 0;
	}
	return EXIT_USAGE;
}

/* All of the file of --config, in RUN's memory. */
static enum status read_config(struct run *run, struct headers_opts *ho)
{
	const char *name = run->o.report_opts.config;
	FILE *in = fopen(name, "re");
	char *text = heap_bytes(MAX_CONFIG + 1);
	size_t n = in ? fread(text, 1, MAX_CONFIG, in) : 0;
	enum status st = ST_OK;

	if (!in || ferror(in))
		st = fail(&run->diag, ST_IO, "%s: %s", name, strerror(errno));
	else if (n > 2 && !memcmp(text, "\037\213", 2))
		st = fail(&run->diag, ST_NOTMINE, "%s: is compressed; uncompress it first", name);
	text[n] = '\0';
	ho->config = arena_strdup(&run->mem, text);
	ho->config_name = name;
	if (in)
		fclose(in);
	free(text);
	return st;
}

/* ---- the dump's part, read in the sandbox -------------------------------------------- */

/* Written to run->told, with the configuration behind it. */
struct told {
	char release[65];
	uint8_t build_id[32];
	uint32_t build_id_len, config_len;
};

static enum status write_told(const struct run *run, const struct told *t, const char *config)
{
	return write(run->told, t, sizeof(*t)) != sizeof(*t) ||
			       write(run->told, config, t->config_len) != (ssize_t)t->config_len
		       ? ST_IO
		       : ST_OK;
}

/* Reads the dump; the exit status. */
static int tell(struct run *run)
{
	const struct kernel_opts ko = {
		.images = run->o.images,
		.nimages = run->o.nimages,
		.jobs = run->o.jobs,
		.log = &run->log,
		.config_only = true,
	};
	const char *config = NULL;
	const struct dump *d;
	struct told t = { .config_len = 0 };
	struct diag none;

	run_say_lacks(run);
	if (kernel_open(&ko, &run->diag, &run->k))
		return EXIT_NO_ANSWER;
	d = run->k->dump;
	if (!d) {
		fail(&run->diag, ST_NOTMINE, "%s is no dump of memory", ko.images[0]);
		return EXIT_NO_ANSWER;
	}
	memcpy(t.release, d->release, sizeof(t.release));
	memcpy(t.build_id, d->build_id, sizeof(t.build_id));
	t.build_id_len = d->build_id_len;
	/* without one: .config of the headers */
	if (!run->o.report_opts.config && !ikconfig_read(run->k, &run->mem, &config, &none))
		t.config_len = (uint32_t)strlen(config);
	return write_told(run, &t, config) ? EXIT_NO_ANSWER : 0;
}

/* Only this process has the sentence. */
static int tell_inside(struct run *run)
{
	int status;

	progress_resume(run->progress);
	status = tell(run);
	if (status)
		run_complain(run);
	return status;
}

/* Takes what was told, as from a stranger. */
static enum status take_told(struct run *run, struct headers_opts *ho)
{
	struct told *t = arena_alloc(&run->mem, sizeof(*t));
	char *config;

	if (pread(run->told, t, sizeof(*t), 0) != sizeof(*t) || t->config_len > MAX_CONFIG ||
	    t->build_id_len > sizeof(t->build_id))
		return fail(&run->diag, ST_IO, "%s: nothing was read", run->o.images[0]);
	t->release[sizeof(t->release) - 1] = '\0';
	ho->release = *t->release ? t->release : NULL;
	ho->build_id = t->build_id;
	ho->build_id_len = t->build_id_len;
	if (ho->config || !t->config_len)
		return ST_OK;
	config = arena_calloc(&run->mem, t->config_len + 1, 1);
	if (pread(run->told, config, t->config_len, sizeof(*t)) != (ssize_t)t->config_len)
		return fail(&run->diag, ST_IO, "%s: nothing was read", run->o.images[0]);
	ho->config = config;
	ho->config_name = run->o.images[0];
	log_info(&run->log, "using the configuration in the dump");
	return ST_OK;
}

/*
 * The release and build-id of the dump, and its configuration if none was named. The exit
 * status; SAID: it was complained about.
 */
static int ask_dump(struct run *run, struct headers_opts *ho, bool *said)
{
	bool confined = run_is_confined(run);
	int status;

	run->told = memfd_create("told", MFD_CLOEXEC);
	/* its line would be written by two processes */
	if (confined)
		progress_pause(run->progress);
	status = confined ? run_confined(run, tell_inside) : tell(run);
	if (confined)
		progress_resume(run->progress);
	*said = status && confined;
	if (!status && take_told(run, ho))
		status = EXIT_NO_ANSWER;
	close(run->told);
	return status;
}

/* ---- the compiler --------------------------------------------------------------------- */

struct compiling {
	struct run *run;
	const struct headers_opts *ho;
	int to;		/* a file in memory */
};

/* It alone has the sentence. */
static int compile(void *arg, const struct sandbox_lacks *lacks)
{
	struct compiling *c = arg;
	struct run *run = c->run;
	int fd = dup(c->to);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	struct diag d;
	int status = out ? 0 : EXIT_NO_ANSWER;

	progress_resume(run->progress);
	if (lacks->seccomp || lacks->landlock)
		log_info(&run->log, "the compiler can write to any file: %s",
			 lacks->landlock ? "this kernel lacks Landlock" : "seccomp is refused");
	if (!out)
		fail(&run->diag, ST_LIMIT, "no memory");
	else if (headers_layout(c->ho, out, &d) || fflush(out)) {
		run->diag = d;
		status = EXIT_NO_ANSWER;
	}
	if (out)
		fclose(out);
	if (status)
		run_complain(run);
	return status;
}

/* What the process wrote goes to the output. */
static enum status take_layout(struct run *run, int from)
{
	struct stat st;
	char *text;
	size_t len;
	bool whole;

	if (fstat(from, &st) || st.st_size < 0 || (uint64_t)st.st_size > MAX_LAYOUT)
		return fail(&run->diag, ST_LIMIT, "the layout has more than %u MiB",
			    (unsigned)(MAX_LAYOUT >> 20));
	len = (size_t)st.st_size;
	text = heap_bytes(len + 1);
	whole = pread(from, text, len, 0) == (ssize_t)len;
	if (whole)
		fwrite(text, 1, len, run->output.file);
	free(text);
	return whole ? output_done(&run->output, &run->diag)
		     : fail(&run->diag, ST_IO, "the layout cannot be read");
}

/* Compiles in the directory HO->tmp. The exit status; SAID: it was complained about. */
static int compile_confined(struct run *run, const struct headers_opts *ho, bool *said)
{
	struct compiling c = { run, ho, memfd_create("layout", MFD_CLOEXEC) };
	struct broker b = {
		.below = ho->tmp,
		.limits = { .memory = COMPILER_MEMORY,
			    .seconds = COMPILER_SECONDS,
			    .files = COMPILER_FILES },
		.inside = compile,
		.arg = &c,
	};
	int status = EXIT_NO_ANSWER;

	*said = false;
	if (c.to < 0) {
		fail(&run->diag, ST_LIMIT, "no memory");
	} else if (run->o.no_sandbox) {
		status = compile(&c, &(struct sandbox_lacks){ .error = 0 });
		progress_pause(run->progress);
		*said = status;
		status = status || take_layout(run, c.to) ? EXIT_NO_ANSWER : 0;
	} else if (!broker_run(&b, &status, &run->diag)) {
		*said = WIFEXITED(status) && WEXITSTATUS(status);
		if (WIFSIGNALED(status))
			fail(&run->diag, ST_CORRUPT,
			     "the process that reads the headers was ended by signal %d (%s)",
			     WTERMSIG(status), strsignal(WTERMSIG(status)));
		status = status || take_layout(run, c.to) ? EXIT_NO_ANSWER : 0;
	}
	if (c.to >= 0)
		close(c.to);
	return status;
}

static int remove_one(const char *path, const struct stat *sb, int type, struct FTW *at)
{
	(void)sb;
	(void)type;
	(void)at;
	return remove(path);
}

static enum status make_tmp(struct run *run, char tmp[PATH_MAX])
{
	const char *dir = getenv("TMPDIR");

	if (snprintf(tmp, PATH_MAX, "%s/vmcensus-XXXXXX", dir && *dir ? dir : "/tmp") < PATH_MAX &&
	    mkdtemp(tmp))
		return ST_OK;
	return fail(&run->diag, ST_IO, "cannot make a temporary directory: %s", strerror(errno));
}

/*
 * A signal that would end the program waits until the directory is removed. The compiler
 * gets it at once. Two processes would write the line of progress.
 */
static int make_layout(struct run *run, struct headers_opts *ho, bool *said)
{
	sigset_t ending, was;
	char tmp[PATH_MAX];
	int status;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ending, &was);
	ho->tmp = tmp;
	status = make_tmp(run, tmp) ? EXIT_NO_ANSWER : 0;
	if (!status) {
		progress_pause(run->progress);
		status = compile_confined(run, ho, said);
		progress_resume(run->progress);
		nftw(tmp, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	}
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	ho->tmp = NULL;
	return status;
}

int run_headers(struct run *run, bool *said)
{
	struct headers_opts ho = {
		.dir = run->o.report_opts.headers,
		.log = &run->log,
	};
	int status;

	*said = false;
	if (run->o.report_opts.config && read_config(run, &ho))
		return EXIT_NO_ANSWER;
	if (run->o.nimages) {
		progress_phase(run->progress, "opening the dump");
		status = ask_dump(run, &ho, said);
		if (status)
			return status;
	}
	progress_phase(run->progress, "compiling the headers");
	return make_layout(run, &ho, said);
}
