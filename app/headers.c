/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * headers.c - the dump's part in a layout from headers: its configuration, and who its
 * kernel is.
 */
#include "app/headers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/confined.h"
#include "dumpread/base/heap.h"
#include "facts/headers/headers.h"
#include "model/system/ikconfig.h"

#define MAX_CONFIG ((size_t)8 << 20)

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

/* Nothing is written while the line of progress is on the terminal. */
static enum status make_layout(struct run *run, const struct headers_opts *ho)
{
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);
	enum status st = mem ? headers_layout(ho, mem, &run->diag)
			     : fail(&run->diag, ST_LIMIT, "no memory");

	progress_stop(run->progress);
	if (mem)
		fclose(mem);
	if (!st) {
		fwrite(text, 1, len, run->output.file);
		st = output_done(&run->output, &run->diag);
	}
	free(text);
	return st;
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
	return make_layout(run, &ho) ? EXIT_NO_ANSWER : 0;
}
