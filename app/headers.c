/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * headers.c - the dump's part in a layout from headers: its configuration, and who its
 * kernel is.
 */
#include "app/headers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* The release and build-id of the dump, and its configuration if none was named. */
static enum status ask_dump(struct run *run, struct headers_opts *ho)
{
	const struct kernel_opts ko = {
		.images = run->o.images,
		.nimages = run->o.nimages,
		.jobs = run->o.jobs,
		.log = &run->log,
		.config_only = true,
	};
	const struct dump *d;
	struct diag none;

	if (kernel_open(&ko, &run->diag, &run->k))
		return ST_NOTMINE;
	d = run->k->dump;
	if (!d)
		return fail(&run->diag, ST_NOTMINE, "%s is no dump of memory", ko.images[0]);
	ho->release = *d->release ? d->release : NULL;
	ho->build_id = d->build_id;
	ho->build_id_len = d->build_id_len;
	if (ho->config || ikconfig_read(run->k, &run->mem, &ho->config, &none))
		return ST_OK; /* without one: .config of the headers */
	ho->config_name = ko.images[0];
	log_info(&run->log, "using the configuration in the dump");
	return ST_OK;
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

int run_headers(struct run *run)
{
	struct headers_opts ho = {
		.dir = run->o.report_opts.headers,
		.log = &run->log,
	};

	if (run->o.report_opts.config && read_config(run, &ho))
		return EXIT_NO_ANSWER;
	if (run->o.nimages) {
		progress_phase(run->progress, "opening the dump");
		if (ask_dump(run, &ho))
			return EXIT_NO_ANSWER;
	}
	progress_phase(run->progress, "compiling the headers");
	return make_layout(run, &ho) ? EXIT_NO_ANSWER : 0;
}
