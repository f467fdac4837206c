/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch.c - starts as many processes as memory and processors allow, and writes down what
 * became of each dump.
 *
 * A dump is done when its line is in the manifest. Everything before that (the capsule under a
 * temporary name, unpacked files) is in a scratch directory, which the next run empties.
 */
#include "app/batch/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/batch/jobs.h"
#include "app/batch/share.h"
#include "app/batch/words.h"
#include "app/options.h"
#include "app/tell.h"
#include "dumpread/base/bytes.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/memory.h"

#define SMALLEST (UINT64_C(256) << 20)	/* bytes for one dump, unless there are fewer for all */

struct batch {
	struct batch_words w;
	struct job_opts jo;
	struct manifest manifest;
	VEC(struct job *) queue;	/* jobs that did not start are [next, n) */
	size_t next;
	VEC(struct job *) waiting;	/* those that have lost types, until all others are done */
	unsigned long again;		/* jobs that are in the queue twice */
	struct job **slot;		/* those that run */
	unsigned nslots, running;
	unsigned long done[OUTCOMES], earlier, others;
	uint64_t bytes_left, bytes_done;	/* of dumps, in this run */
	double began;
	bool tty, shown;
	char scratch[4200], layouts[4200];
	int placing;			/* of struct job_opts */
	struct arena mem;
	struct diag diag;
};

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	stopped = sig;
}

/* ---- what is to be done --------------------------------------------------------------------- */

static bool is_wanted(const struct batch *b, const char *key)
{
	int o = manifest_outcome(&b->manifest, key);

	return o < 0 || (b->w.retry && o != OUTCOME_DONE && o != OUTCOME_INCOMPLETE &&
			 o != OUTCOME_UNPACKED);
}

static void add_job(struct batch *b, const struct found_dump *d, const char *const *names,
		    struct job *archive)
{
	struct job *j = arena_array(&b->mem, struct job, 1);

	j->dump = d;
	j->err = -1;
	j->names = names;
	j->archive = archive;
	j->no = (unsigned)b->queue.n;
	/* the time of a file that was unpacked is the time of unpacking */
	manifest_key(names, d->npaths, d->bytes, archive ? 0 : d->changed, j->key);
	if (!is_wanted(b, j->key)) {
		b->earlier++;
		return;
	}
	if (archive)
		archive->left++;
	b->bytes_left += d->bytes;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): a vector of pointers */
	*vec_push(&b->mem, &b->queue) = j;
}

static int find_all(struct batch *b)
{
	struct found *f = arena_array(&b->mem, struct found, 1);

	f->mem = &b->mem;
	for (unsigned i = 0; i < b->w.ninputs; i++)
		if (find_dumps(f, b->w.inputs[i], &b->diag))
			return -1;
	find_done(f);
	b->others = f->others;
	for (size_t i = 0; i < f->v.n; i++)
		add_job(b, &f->v.v[i], f->v.v[i].paths, NULL);
	return 0;
}

/* Leaves in the queue what is in our share. What an earlier run did is in it. */
static int keep_share(struct batch *b)
{
	struct share *share = arena_array(&b->mem, struct share, b->queue.n);
	size_t kept = 0;

	if (b->w.shards < 2)
		return 0;
	if (shares_find(b->queue.v, b->queue.n, &b->jo, b->nslots, share, &b->diag))
		return -1;
	for (size_t i = 0; i < b->queue.n; i++) {
		struct job *j = b->queue.v[i];

		if (share[i].everybodys || share[i].number % b->w.shards == b->w.shard ||
		    manifest_outcome(&b->manifest, j->key) >= 0) {
			j->no = (unsigned)kept;
			b->queue.v[kept++] = j;
		} else {
			b->bytes_left -= j->dump->bytes;
		}
		j->asks = j->killed = false;
	}
	b->queue.n = kept;
	return 0;
}

/* The dumps in an archive that was unpacked. */
static void add_members(struct batch *b, struct job *archive)
{
	struct found *f = arena_array(&b->mem, struct found, 1);
	char dir[4300];
	struct diag none;

	job_unpacked_dir(archive, &b->jo, dir, sizeof(dir));
	f->mem = &b->mem;
	find_dumps(f, dir, &none);
	find_done(f);
	for (size_t i = 0; i < f->v.n; i++) {
		struct found_dump *d = &f->v.v[i];
		const char **names = arena_array(&b->mem, const char *, d->npaths);

		d->packed = false; /* an archive in an archive is not unpacked */
		for (unsigned p = 0; p < d->npaths; p++)
			names[p] = arena_printf(&b->mem, "%s!%s", archive->dump->paths[0],
						d->paths[p] + strlen(dir) + 1);
		add_job(b, d, names, archive);
	}
}

/* ---- files ------------------------------------------------------------------------------------ */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

static void remove_tree(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int make_dir(struct batch *b, const char *dir)
{
	if (!mkdir(dir, 0777) || errno == EEXIST)
		return 0;
	fail(&b->diag, ST_IO, "%s: %s", dir, strerror(errno));
	return -1;
}

/* Shards may have one directory in common. */
static int open_dir(struct batch *b)
{
	char name[64] = "manifest.jsonl", scratch[64] = ".scratch", lock[4200];

	b->placing = -1;
	if (b->w.shards > 1) {
		snprintf(name, sizeof(name), "manifest.%u-%u.jsonl", b->w.shard, b->w.shards);
		snprintf(scratch, sizeof(scratch), ".scratch.%u-%u", b->w.shard, b->w.shards);
	}
	snprintf(b->scratch, sizeof(b->scratch), "%s/%s", b->w.dir, scratch);
	snprintf(b->layouts, sizeof(b->layouts), "%s/layouts", b->w.dir);
	if (make_dir(b, b->w.dir) || manifest_open(&b->manifest, b->w.dir, name, &b->diag))
		return -1;
	remove_tree(b->scratch);
	if (b->w.shards > 1) {
		snprintf(lock, sizeof(lock), "%s/.lock", b->w.dir);
		b->placing = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		if (b->placing < 0) {
			fail(&b->diag, ST_IO, "%s: %s", lock, strerror(errno));
			return -1;
		}
	}
	return make_dir(b, b->scratch);
}

/* ---- progress ----------------------------------------------------------------------------------- */

static void say(struct batch *b, bool last)
{
	double took = job_now() - b->began;
	unsigned long bad = 0, all = b->earlier + b->queue.n - b->again;
	unsigned long good = b->done[OUTCOME_DONE] + b->done[OUTCOME_INCOMPLETE];

	if (b->w.quiet || (!b->tty && !last))
		return;
	for (int i = OUTCOME_FAILED; i < OUTCOME_UNPACKED; i++)
		bad += b->done[i];
	fprintf(stderr, "%svmcensus: batch: %lu of %lu", b->shown ? "\r\033[K" : "",
		b->earlier + good + bad + b->done[OUTCOME_UNPACKED], all);
	for (int i = 0; i < OUTCOMES; i++)
		if (b->done[i])
			fprintf(stderr, ", %lu %s", b->done[i], outcome_names[i]);
	if (b->earlier)
		fprintf(stderr, ", %lu in earlier runs", b->earlier);
	if (!last && b->bytes_done)
		fprintf(stderr, "; %.0f s left",
			took * (double)b->bytes_left / (double)b->bytes_done);
	if (last && b->others)
		fprintf(stderr, "; %lu other files", b->others);
	b->shown = !last;
	if (last)
		fprintf(stderr, "; %.0f s\n", took);
	fflush(stderr);
}

/* ---- the loop ------------------------------------------------------------------------------------- */

static int write_line(struct batch *b, const struct manifest_line *l)
{
	b->done[l->outcome]++;
	return manifest_add(&b->manifest, l, &b->diag) ? -1 : 0;
}

/* All dumps of an archive are done: so is the archive. */
static int end_archive(struct batch *b, struct job *j, double seconds)
{
	const struct manifest_line l = {
		.files = j->names, .nfiles = 1, .bytes = j->dump->bytes, .key = j->key,
		.outcome = j->torn ? OUTCOME_FAILED : OUTCOME_UNPACKED, .why = j->torn,
		.seconds = seconds,
	};
	char dir[4300];

	job_unpacked_dir(j, &b->jo, dir, sizeof(dir));
	remove_tree(dir);
	return write_line(b, &l);
}

/*
 * A dump that has lost types waits for the others: the layout of its kernel may be one of theirs. Its line is of
 * what comes then, so that the result does not depend on the order, nor on a kill. What was in an archive would
 * have to be unpacked again.
 */
static bool waits(struct batch *b, struct job *j)
{
	if (j->again || j->archive || j->dump->packed || !job_has_lost_types(j))
		return false;
	j->again = true;
	j->pid = 0;
	job_forget(j, &b->jo);
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): a vector of pointers */
	*vec_push(&b->mem, &b->waiting) = j;
	return true;
}

static void read_waiting(struct batch *b)
{
	for (size_t i = 0; i < b->waiting.n; i++)
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): a vector of pointers */
		*vec_push(&b->mem, &b->queue) = b->waiting.v[i];
	b->again += b->waiting.n;
	b->waiting.n = 0;
}

/* Once more, when nothing else runs: memory may have been short. */
static void try_again(struct batch *b, struct job *j)
{
	char dir[4300];

	j->tries++;
	j->pid = 0;
	job_forget(j, &b->jo);
	if (j->dump->packed) {
		job_unpacked_dir(j, &b->jo, dir, sizeof(dir));
		remove_tree(dir);
	}
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): a vector of pointers */
	*vec_push(&b->mem, &b->queue) = j;
}

static int end_job(struct batch *b, struct job *j, int status, const struct rusage *ru)
{
	struct manifest_line l;
	struct arena mem = { 0 };
	size_t before = b->queue.n;
	unsigned long earlier = b->earlier;
	int err;

	if (!j->tries && job_ended_outside(j, status)) {
		try_again(b, j);
		return 0;
	}
	if (waits(b, j))
		return 0;
	err = job_end(j, &b->jo, status, (uint64_t)ru->ru_maxrss << 10, &l, &mem, &b->diag);
	b->bytes_left -= min_u64(b->bytes_left, j->dump->bytes);
	b->bytes_done += j->dump->bytes;
	if (!err && l.outcome == OUTCOME_UNPACKED) {
		j->torn = l.why ? arena_strdup(&b->mem, l.why) : NULL;
		add_members(b, j);
		if (b->queue.n == before && b->earlier == earlier) {
			l.outcome = l.why ? OUTCOME_FAILED : OUTCOME_NO_DUMP;
			l.why = l.why ? l.why : "no dump is in it";
			err = write_line(b, &l);
		} else if (!j->left) {
			err = end_archive(b, j, l.seconds);
		}
	} else if (!err) {
		if (l.outcome == OUTCOME_FAILED && j->dump->packed && !j->dump->named)
			l.outcome = OUTCOME_NO_DUMP;
		err = write_line(b, &l);
		if (!err && j->archive && !--j->archive->left)
			err = end_archive(b, j->archive, 0);
	}
	arena_release(&mem);
	return err;
}

static int reap(struct batch *b)
{
	for (unsigned i = 0; i < b->nslots; i++) {
		struct job *j = b->slot[i];
		struct rusage ru;
		int status, err;

		if (j && job_now() - j->began > b->jo.timeout && !j->killed) {
			j->killed = true;
			job_kill(j);
		}
		if (j)
			job_trim(j);
		if (!j || wait4(j->pid, &status, WNOHANG, &ru) != j->pid)
			continue;
		kill(-j->pid, SIGKILL); /* what it left behind in its group */
		b->slot[i] = NULL;
		b->running--;
		err = end_job(b, j, status, &ru);
		if (err)
			return -1;
	}
	return 0;
}

static int fill(struct batch *b)
{
	for (unsigned i = 0; i < b->nslots && b->next < b->queue.n; i++) {
		if (b->slot[i])
			continue;
		if (b->queue.v[b->next]->tries && b->running)
			break;
		if (job_start(b->queue.v[b->next], &b->jo, &b->diag))
			return -1;
		b->slot[i] = b->queue.v[b->next++];
		b->running++;
	}
	return 0;
}

static void kill_all(struct batch *b)
{
	for (unsigned i = 0; i < b->nslots; i++)
		if (b->slot[i]) {
			job_kill(b->slot[i]);
			waitpid(b->slot[i]->pid, NULL, 0);
		}
}

static int work(struct batch *b)
{
	const struct timespec second = { .tv_sec = 1 };
	sigset_t child;
	int err = 0;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	while (!err && !stopped && (b->next < b->queue.n || b->running)) {
		err = fill(b);
		say(b, false);
		if (!err)
			sigtimedwait(&child, NULL, &second);
		if (!err)
			err = reap(b);
		if (!err && b->next == b->queue.n && !b->running)
			read_waiting(b);
	}
	kill_all(b);
	if (stopped)
		fail(&b->diag, ST_IO, "stopped; the same command goes on with what is left");
	return err || stopped ? -1 : 0;
}

/* ---- the command ------------------------------------------------------------------------------------ */

/* Of the room where DIR is. */
static uint64_t quarter_free(const char *dir)
{
	struct statvfs st;

	return statvfs(dir, &st) ? UINT64_MAX : (uint64_t)st.f_bavail * st.f_frsize / 4;
}

static void share_out(struct batch *b)
{
	uint64_t memory = memory_bound(b->w.memory);
	unsigned cpus = jobs_default(), n = b->w.jobs ? b->w.jobs : cpus;

	if (n > memory / SMALLEST)
		n = memory / SMALLEST ? (unsigned)(memory / SMALLEST) : 1;
	b->nslots = n;
	b->slot = arena_array(&b->mem, struct job *, n);
	b->jo = (struct job_opts){ .dir = b->w.dir,
				   .scratch = b->scratch,
				   .types = b->w.types,
				   .ntypes = b->w.ntypes,
				   .layouts = b->layouts,
				   .memory = memory / n,
				   .threads = cpus > n ? cpus / n : 1,
				   .timeout = b->w.timeout,
				   .unpack = b->w.unpack ? b->w.unpack : quarter_free(b->w.dir),
				   .lock = b->manifest.fd,
				   .placing = b->placing };
}

/* EXIT_DAMAGED: there are dumps without a capsule. */
static int status_of(const struct batch *b)
{
	for (int i = OUTCOME_FAILED; i < OUTCOME_UNPACKED; i++)
		if (b->done[i])
			return EXIT_DAMAGED;
	return 0;
}

int batch_main(int argc, char **argv)
{
	struct batch b = { .manifest = { .fd = -1 }, .tty = isatty(STDERR_FILENO) };
	int status = batch_words(&b.w, argc, argv, &b.mem, &b.diag);

	b.began = job_now();
	if (!status && (open_dir(&b) || find_all(&b)))
		status = EXIT_NO_ANSWER;
	if (!status)
		share_out(&b);
	if (!status && keep_share(&b))
		status = EXIT_NO_ANSWER;
	if (!status) {
		status = work(&b) ? EXIT_NO_ANSWER : status_of(&b);
		say(&b, true);
		remove_tree(b.scratch);
	}
	if (status && status != EXIT_DAMAGED)
		tell(NULL, b.diag.text);
	manifest_close(&b.manifest);
	arena_release(&b.mem);
	return status;
}
