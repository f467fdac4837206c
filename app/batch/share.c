/* SPDX-License-Identifier: GPL-3.0-or-later */
/* share.c - asks each dump for its identity, in a process that may crash. */
#include "app/batch/share.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include <nettle/sha2.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/image/whole.h"

#define HEAD_BYTES (64u << 10)	/* of the first file: headers, and in each format the kernel's notes */

static uint64_t number_of(const struct sha256_ctx *hash)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx h = *hash;

	sha256_digest(&h, sizeof(digest), digest);
	return load64(digest, false);
}

static uint64_t of_identity(const char *id)
{
	struct sha256_ctx hash;

	sha256_init(&hash);
	sha256_update(&hash, KEY_TEXT - 1, (const uint8_t *)id);
	return number_of(&hash);
}

static uint64_t of_file(const struct found_dump *d)
{
	uint8_t *buf = heap_bytes(HEAD_BYTES), size[8];
	struct sha256_ctx hash;

	sha256_init(&hash);
	sha256_update(&hash, file_head(d->paths[0], buf, HEAD_BYTES), buf);
	store_uint(size, d->bytes, sizeof(size), false);
	sha256_update(&hash, sizeof(size), size);
	free(buf);
	return number_of(&hash);
}

static void decide(const struct job *j, const struct job_opts *o, int status, struct share *ret)
{
	char id[KEY_TEXT];

	if (j->killed || WIFSIGNALED(status))
		ret->everybodys = true;
	else if (job_identity(j, o, id))
		ret->number = of_identity(id);
	else
		ret->number = of_file(j->dump);
}

/* Those of the SLOTS that ended are free again; returns how many run. */
static unsigned reap(struct job *const *jobs, const struct job_opts *o, size_t *slot,
		     unsigned slots, struct share *ret)
{
	unsigned running = 0;

	for (unsigned i = 0; i < slots; i++) {
		struct job *j = slot[i] == SIZE_MAX ? NULL : jobs[slot[i]];
		int status;

		if (!j)
			continue;
		if (job_now() - j->began > o->timeout && !j->killed) {
			j->killed = true;
			job_kill(j);
		}
		if (waitpid(j->pid, &status, WNOHANG) != j->pid) {
			running++;
			continue;
		}
		kill(-j->pid, SIGKILL); /* what it left behind in its group */
		j->pid = 0;
		decide(j, o, status, &ret[slot[i]]);
		job_forget(j, o);
		slot[i] = SIZE_MAX;
	}
	return running;
}

enum status shares_find(struct job *const *jobs, size_t n, const struct job_opts *o, unsigned slots,
			struct share *ret, struct diag *diag)
{
	const struct timespec second = { .tv_sec = 1 };
	size_t *slot = heap_array(size_t, slots), next = 0;
	enum status st = ST_OK;
	unsigned running = 0;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	for (unsigned i = 0; i < slots; i++)
		slot[i] = SIZE_MAX;
	while (running || (!st && next < n)) {
		for (unsigned i = 0; !st && i < slots && next < n; i++) {
			if (slot[i] != SIZE_MAX)
				continue;
			ret[next] = (struct share){ .number = 0 };
			if (jobs[next]->dump->packed) {
				ret[next].number = of_file(jobs[next]->dump);
			} else {
				jobs[next]->asks = true;
				st = job_start(jobs[next], o, diag);
				slot[i] = st ? SIZE_MAX : next;
			}
			next++;
		}
		running = reap(jobs, o, slot, slots, ret);
		if (running)
			sigtimedwait(&child, NULL, &second);
	}
	free(slot);
	return st;
}
