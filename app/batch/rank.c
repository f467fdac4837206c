/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rank.c - compares capsules by what they say of their dumps. */
#include "app/batch/rank.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/answers/answers.h"
#include "app/sandbox/broker.h"

#define SPARE (UINT64_C(1) << 30)	/* bytes beyond three times the capsule */
#define SECONDS 600u			/* of processor time, and of patience */
#define FILES 16u

void rank_of(const char *path, struct rank *r)
{
	struct capsule_file *f;
	struct diag none;
	const char *id;

	*r = (struct rank){ .known = false };
	if (stored_open(path, &none, &f))
		return;
	id = capsule_text_fact(f, "id");
	r->known = true;
	r->level = capsule_image(f)->level;
	r->damaged = capsule_is_damaged(f);
	snprintf(r->path, sizeof(r->path), "%s",
		 capsule_image(f)->npaths ? capsule_image(f)->paths[0] : "");
	snprintf(r->id, sizeof(r->id), "%s", id ? id : "");
	capsule_close(f);
}

/* ---- in a sandbox ------------------------------------------------------------------------ */

/* What the process tells, without what C has no word for: a hostile one writes any bytes. */
struct told {
	uint8_t known, damaged;
	int32_t level;
	char path[sizeof(((struct rank *)NULL)->path)];
	char id[sizeof(((struct rank *)NULL)->id)];
};

struct asked {
	const char *path;
	const int *kept;
	int to;		/* file in memory */
};

static void prepare(void *arg)
{
	const struct asked *a = arg;

	for (unsigned i = 0; i < 2; i++)
		if (a->kept[i] >= 0)
			close(a->kept[i]);
}

static int tell(void *arg, const struct sandbox_lacks *lacks)
{
	const struct asked *a = arg;
	struct told t = { .known = 0 };
	struct rank r;

	(void)lacks; /* the capsule's own run has said it */
	rank_of(a->path, &r);
	t.known = r.known;
	t.damaged = r.damaged;
	t.level = r.level;
	memcpy(t.path, r.path, sizeof(t.path));
	memcpy(t.id, r.id, sizeof(t.id));
	return write(a->to, &t, sizeof(t)) != sizeof(t);
}

static void take(int from, struct rank *r)
{
	struct told t;

	if (pread(from, &t, sizeof(t), 0) != sizeof(t) || !t.known)
		return;
	r->known = true;
	r->damaged = t.damaged != 0;
	r->level = t.level;
	snprintf(r->path, sizeof(r->path), "%.*s", (int)sizeof(t.path) - 1, t.path);
	snprintf(r->id, sizeof(r->id), "%.*s", (int)sizeof(t.id) - 1, t.id);
}

void rank_confined(const char *path, const int kept[2], struct rank *r)
{
	struct asked a = { path, kept, memfd_create("rank", MFD_CLOEXEC) };
	struct broker b = {
		.permits = { .files = &path, .nfiles = 1 },
		.patience = SECONDS,
		.limits = { .memory = SPARE, .seconds = SECONDS, .files = FILES },
		.prepare = prepare,
		.inside = tell,
		.arg = &a,
	};
	struct stat st;
	struct diag none;
	int status;

	*r = (struct rank){ .known = false };
	if (!stat(path, &st) && a.to >= 0) {
		b.limits.memory += 3 * (uint64_t)st.st_size;
		if (!broker_run(&b, &status, &none) && WIFEXITED(status) && !WEXITSTATUS(status))
			take(a.to, r);
	}
	if (a.to >= 0)
		close(a.to);
}

bool rank_is_better(const struct rank *a, const struct rank *b)
{
	if (a->damaged != b->damaged)
		return b->damaged;
	if (a->level != b->level)
		return a->level < b->level;
	return strcmp(a->path, b->path) < 0;
}
