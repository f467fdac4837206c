/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keep.c - keeps the layout of a kernel for other dumps of it. */
#include "app/keep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/find/find.h"
#include "dumpread/find/kept_layout.h"
#include "dumpread/types/layoutfile.h"
#include "reports/render/render.h"

#define BELOW_CACHE "vmcensus/layouts"
#define HEAD 2048u		/* bytes in which a layout says its build-id */

/* ---- where ----------------------------------------------------------------------------- */

/* NULL: the user has no home. A relative $XDG_CACHE_HOME is ignored (XDG Base Directory Specification). */
static const char *users_cache(struct arena *mem)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return arena_printf(mem, "%s/" BELOW_CACHE, cache);
	return home && *home == '/' ? arena_printf(mem, "%s/.cache/" BELOW_CACHE, home) : NULL;
}

void keep_find(struct run *run)
{
	const char *cache = users_cache(&run->mem);

	if (run->o.layouts)
		run->layouts[run->nlayouts++] = run->o.layouts;
	if (cache)
		run->layouts[run->nlayouts++] = cache;
}

int keep_begin(struct run *run)
{
	int fd;

	if (run->o.keep && (run->o.output || run->o.report_opts.headers)) {
		fail(&run->diag, ST_ABSENT, "--keep goes without %s: it keeps what the dump has",
		     run->o.output ? "-o" : "--headers");
		return EXIT_USAGE;
	}
	if (run->o.keep && run->nlayouts)
		run->keep = run->layouts[0];
	if (run->o.keep && !run->keep) {
		fail(&run->diag, ST_IO, "HOME is not set: name a directory with --layouts DIR");
		return EXIT_NO_ANSWER;
	}
	if (!run->keep)
		return 0;
	fd = memfd_create("layout", MFD_CLOEXEC);
	run->keep_to = fd < 0 ? NULL : fdopen(fd, "w+");
	if (run->keep_to)
		return 0;
	fail(&run->diag, ST_LIMIT, "no memory");
	return EXIT_NO_ANSWER;
}

/* ---- where the dump is read ------------------------------------------------------------- */

/* Why the layout is not one for other dumps; NULL: it is. */
static const char *why_not(const struct kernel *k)
{
	char path[PATH_MAX];
	const struct dump *d = k ? k->dump : NULL;

	if (!d)
		return "there is no kernel in it";
	if (d->layout_file)
		return "its types are those of a layout file";
	if (d->types_lost[0] || d->kallsyms_lost || k->layout.lost)
		return "a part of its types or symbols is lost";
	return kept_layout_name(d, "", path, sizeof(path)) ? NULL : "its build-id is not known";
}

int keep_write(struct run *run, int status)
{
	const char *against;
	struct arena mem = { 0 };
	struct layout_names names;

	if (!run->keep_to || (status && status != EXIT_DAMAGED))
		return status;
	against = why_not(run->k);
	if (against && run->o.keep) {
		fail(&run->diag, ST_NODATA, "%s: its layout is not kept: %s", run->o.images[0],
		     against);
		return EXIT_NO_ANSWER;
	}
	if (against)
		return status;
	layout_names(&mem, &names);
	if (layout_write(run->k->dump, &names, run->keep_to))
		status = EXIT_NO_ANSWER;
	arena_release(&mem);
	return status;
}

/* ---- outside ---------------------------------------------------------------------------- */

/* The file is a stranger's: only hexadecimal digits become a part of a name. */
static bool build_id_of(const char *text, size_t len, char hex[BUILD_ID_HEX])
{
	static const char key[] = "\nbuild-id ";
	char head[HEAD + 1];
	const char *at;
	size_t n;

	snprintf(head, sizeof(head), "%.*s", (int)min_u64(len, HEAD), text);
	at = layout_sniff(text, len) ? strstr(head, key) : NULL;
	n = at ? strspn(at + strlen(key), "0123456789abcdef") : 0;
	if (!n || n >= BUILD_ID_HEX || at[strlen(key) + n] != '\n')
		return false;
	snprintf(hex, BUILD_ID_HEX, "%.*s", (int)n, at + strlen(key));
	return true;
}

/* With the directories above it, as mkdir -p. */
static void make_dirs(const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", dir);
	for (char *c = path + 1; *c; c++)
		if (*c == '/') {
			*c = '\0';
			mkdir(path, 0777);
			*c = '/';
		}
	mkdir(path, 0777);
}

/* In a batch the first one stays. */
static enum status put(struct run *run, const char *text, size_t len, const char *hex)
{
	char path[PATH_MAX];
	struct output out;
	enum status st;

	if (snprintf(path, sizeof(path), "%s/%s" KEPT_LAYOUT_END, run->keep, hex) >= PATH_MAX ||
	    (!run->o.keep && !access(path, F_OK)))
		return ST_OK;
	make_dirs(run->keep);
	st = output_open(&out, path, NULL, &run->diag);
	if (st)
		return st;
	fwrite(text, 1, len, out.file);
	st = output_done(&out, &run->diag);
	if (!st && run->o.keep && !run->o.quiet) {
		fputs("vmcensus: kept as ", stderr);
		put_text(stderr, path);
		putc('\n', stderr);
	}
	return st;
}

int keep_end(struct run *run, int status)
{
	char *text, hex[BUILD_ID_HEX];
	enum status st = ST_OK;
	size_t len;

	if (!run->keep_to || (status && status != EXIT_DAMAGED))
		return status;
	text = heap_array(char, LAYOUT_MAX_BYTES);
	rewind(run->keep_to);
	len = fread(text, 1, LAYOUT_MAX_BYTES, run->keep_to);
	if (build_id_of(text, len, hex))
		st = put(run, text, len, hex);
	free(text);
	/* a batch makes capsules: what it keeps beside them may fail */
	if (!st || !run->o.keep)
		return status;
	run_complain(run);
	return EXIT_NO_ANSWER;
}
