/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.c - parses the words of the command batch; its help. */
#include "app/batch/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/batch/batch.h"
#include "app/options.h"

#define TIMEOUT 3600.0		/* seconds, unless --timeout says more */
#define SHARDS_MAX 1000000u

void batch_help(void)
{
	puts("usage: vmcensus batch [OPTIONS] DUMP|DIR|LIST... -o DIR\n"
	     "\n"
	     "Makes a capsule of each dump (DIR/ID.vmc, see --help capsule) in a process of its own,\n"
	     "and writes a line about each to DIR/manifest.jsonl: done, incomplete, failed, not a\n"
	     "dump, timed out, out of memory. In a directory it finds what begins as a dump, or is\n"
	     "named vmcore*; parts of a split dump are one; gz, xz, zst, bz2, lz4, tar, cpio and zip\n"
	     "are unpacked. A LIST is a text file with a name on each line. The same command again\n"
	     "goes on where it was stopped or killed. Of several dumps of one crash the one that\n"
	     "lacks least has the capsule. The layouts of the kernels are in DIR/layouts, by build-id:\n"
	     "dumps that have lost types are read again at the end, with those of other dumps.\n"
	     "\n"
	     "  -o DIR          where the result goes\n"
	     "  -j N            as many dumps at once (default: number of CPUs)\n"
	     "  --memory SIZE   for all of them together (default: half of this machine's)\n"
	     "  --timeout TIME  for each dump: 90s, 10m, 2h (default: 1h)\n"
	     "  --unpack SIZE   that an archive may take, unpacked (default: a quarter of the free\n"
	     "                  space where the result goes)\n"
	     "  -t FILE         types, for every dump that they fit; may be given more than once\n"
	     "  --shard I/N     the share I (from 0) of N; without it, that of a task of a Slurm\n"
	     "                  array or of AWS Batch, and \"--shard auto/N\" that of a Kubernetes Job\n"
	     "  --retry         also dumps that failed, took too long or too much memory before\n"
	     "  -q              no progress\n"
	     "\n"
	     "Exit status: 0 each dump has a capsule, 2 some have none, 1 stopped, 64 wrong usage.");
}

static int bad(struct diag *diag, const char *option, const char *text, const char *want)
{
	fail(diag, ST_ABSENT, "%s '%.60s' is not %s", option, text, want);
	return EXIT_USAGE;
}

/* A number and one of UNITS, whose worth is in WORTH; 0 without a unit means WORTH[0]. */
static int scaled(const char *text, const char *units, const double *worth, double *ret)
{
	char *end;
	const char *unit;

	errno = 0;
	*ret = strtod(text, &end);
	if (errno || end == text || !isdigit((unsigned char)*text) || *ret <= 0)
		return -1;
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : units;
	if (!unit || (*end && end[1]))
		return -1;
	*ret *= worth[unit - units];
	return 0;
}

static bool number_of(const char *text, unsigned *ret)
{
	char *end;
	unsigned long v;

	if (!text || !isdigit((unsigned char)*text))
		return false;
	errno = 0;
	v = strtoul(text, &end, 10);
	*ret = (unsigned)v;
	return !errno && !*end && v <= SHARDS_MAX;
}

/* The share that an engine gave to this process: its number from 0, and how many there are. */
static bool from_engine(unsigned *i, unsigned *n)
{
	unsigned first;

	if (number_of(getenv("SLURM_ARRAY_TASK_ID"), i) &&
	    number_of(getenv("SLURM_ARRAY_TASK_COUNT"), n)) {
		if (number_of(getenv("SLURM_ARRAY_TASK_MIN"), &first) && *i >= first)
			*i -= first;
		return true;
	}
	if (number_of(getenv("AWS_BATCH_JOB_ARRAY_INDEX"), i))
		return number_of(getenv("AWS_BATCH_JOB_ARRAY_SIZE"), n) || *n;
	return number_of(getenv("JOB_COMPLETION_INDEX"), i) && *n;
}

static int take_shard(struct batch_words *w, const char *text, struct diag *diag)
{
	const char *slash = text ? strchr(text, '/') : NULL;
	char first[16];

	if (!text) {
		if (from_engine(&w->shard, &w->shards) && w->shard >= w->shards)
			return bad(diag, "the number of this task", "", "below that of all tasks");
		return 0;
	}
	if (!slash || slash - text >= (int)sizeof(first) || !number_of(slash + 1, &w->shards))
		return bad(diag, "--shard", text, "a share such as 0/8");
	snprintf(first, sizeof(first), "%.*s", (int)(slash - text), text);
	if (!strcmp(first, "auto") ? !from_engine(&w->shard, &w->shards)
				   : !number_of(first, &w->shard))
		return bad(diag, "--shard", text,
			   "a share such as 0/8, or no engine gave a number");
	if (!w->shards || w->shard >= w->shards)
		return bad(diag, "--shard", text, "a share below the number of shares");
	return 0;
}

static int take_option(struct batch_words *w, int c, const char **shard, struct diag *diag)
{
	static const double seconds[] = { 1, 60, 3600 };
	static const double bytes[] = { 1, 1024, 1048576, 1073741824, 1099511627776.0 };
	double v;

	switch (c) {
	case 'o': w->dir = optarg; return 0;
	case 'q': w->quiet = true; return 0;
	case 'r': w->retry = true; return 0;
	case 's': *shard = optarg; return 0;
	case 't': w->types[w->ntypes++] = optarg; return 0;
	case 'j':
		if (!number_of(optarg, &w->jobs) || !w->jobs || w->jobs > 4096)
			return bad(diag, "-j", optarg, "a number of dumps");
		return 0;
	case 'm':
		if (scaled(optarg, "BKMGT", bytes, &v))
			return bad(diag, "--memory", optarg, "a size such as 512M or 8G");
		w->memory = (uint64_t)v;
		return 0;
	case 'u':
		if (scaled(optarg, "BKMGT", bytes, &v))
			return bad(diag, "--unpack", optarg, "a size such as 500M or 2T");
		w->unpack = (uint64_t)v;
		return 0;
	case 'T':
		if (scaled(optarg, "SMH", seconds, &w->timeout))
			return bad(diag, "--timeout", optarg, "a time such as 90s or 10m");
		return 0;
	}
	fail(diag, ST_ABSENT, "wrong usage; vmcensus --help batch lists the options");
	return EXIT_USAGE;
}

const struct option batch_options[] = {
	{ "output", 1, NULL, 'o' }, { "jobs", 1, NULL, 'j' },	{ "memory", 1, NULL, 'm' },
	{ "timeout", 1, NULL, 'T' }, { "unpack", 1, NULL, 'u' }, { "types", 1, NULL, 't' },
	{ "shard", 1, NULL, 's' },  { "retry", 0, NULL, 'r' },	{ "quiet", 0, NULL, 'q' },
	{ 0 },
};

int batch_words(struct batch_words *w, int argc, char **argv, struct arena *mem, struct diag *diag)
{
	const char *shard = NULL;
	int c, err = 0;

	*w = (struct batch_words){ .timeout = TIMEOUT };
	w->types = arena_array(mem, const char *, (size_t)argc + 1);
	opterr = 0;
	optind = 1;
	while (!err && (c = getopt_long(argc, argv, "o:j:t:q", batch_options, NULL)) != -1)
		err = take_option(w, c, &shard, diag);
	if (!err)
		err = take_shard(w, shard, diag);
	w->inputs = (const char **)argv + optind;
	w->ninputs = (unsigned)(argc - optind);
	if (err || (w->dir && w->ninputs))
		return err;
	fail(diag, ST_ABSENT,
	     w->dir ? "no dump was named; usage: vmcensus batch DUMP... -o DIR"
		    : "-o DIR is missing: where the result goes");
	return EXIT_USAGE;
}
