/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manifest.c - reads the lines of an earlier run, and adds lines.
 */
#include "app/batch/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <nettle/sha2.h>

#include "dumpread/base/bytes.h"
#include "reports/render/render.h"

const char *const outcome_names[OUTCOMES] = {
	[OUTCOME_DONE] = "done",
	[OUTCOME_INCOMPLETE] = "incomplete",
	[OUTCOME_FAILED] = "failed",
	[OUTCOME_NO_DUMP] = "not a dump",
	[OUTCOME_TIMEOUT] = "timed out",
	[OUTCOME_MEMORY] = "out of memory",
	[OUTCOME_UNPACKED] = "unpacked",
};

static void put_hex(const struct sha256_ctx *hash, char ret[KEY_TEXT])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx h = *hash;

	sha256_digest(&h, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		sprintf(ret + 2 * i, "%02x", digest[i]);
}

static void add_number(struct sha256_ctx *hash, uint64_t v)
{
	uint8_t buf[8];

	store_uint(buf, v, sizeof(buf), false);
	sha256_update(hash, sizeof(buf), buf);
}

void manifest_key(const char *const *files, unsigned n, uint64_t bytes, int64_t changed,
		  char ret[KEY_TEXT])
{
	struct sha256_ctx hash;

	sha256_init(&hash);
	for (unsigned i = 0; i < n; i++)
		sha256_update(&hash, strlen(files[i]) + 1, (const uint8_t *)files[i]);
	add_number(&hash, bytes);
	add_number(&hash, (uint64_t)changed);
	put_hex(&hash, ret);
}

/* ---- the lines of an earlier run -------------------------------------------------------- */

/* The value of "NAME": "..." in a line of ours. */
static bool field(const char *line, const char *name, char *buf, size_t size)
{
	char want[32];
	const char *at;
	size_t n;

	snprintf(want, sizeof(want), "\"%s\": \"", name);
	at = strstr(line, want);
	if (!at)
		return false;
	at += strlen(want);
	n = strcspn(at, "\"");
	if (n >= size)
		return false;
	memcpy(buf, at, n);
	buf[n] = '\0';
	return true;
}

static void take_line(struct manifest *m, const char *line)
{
	char key[KEY_TEXT], outcome[32];

	/* both come before any name */
	if (!field(line, "key", key, sizeof(key)) ||
	    !field(line, "outcome", outcome, sizeof(outcome)))
		return;
	for (uint32_t i = 0; i < OUTCOMES; i++)
		if (!strcmp(outcome, outcome_names[i]))
			hash_put(&m->seen, hash_str(key), i);
}

/* What follows the last whole line was cut off: it is removed. */
static enum status read_lines(struct manifest *m, struct diag *diag)
{
	FILE *in = fopen(m->path, "re");
	char *line = NULL;
	off_t whole = 0;
	size_t cap = 0;
	ssize_t n;

	if (!in)
		return fail(diag, ST_IO, "%s: %s", m->path, strerror(errno));
	while ((n = getline(&line, &cap, in)) > 0 && line[n - 1] == '\n') {
		whole += n;
		take_line(m, line);
	}
	free(line);
	fclose(in);
	if (ftruncate(m->fd, whole))
		return fail(diag, ST_IO, "%s: %s", m->path, strerror(errno));
	return ST_OK;
}

enum status manifest_open(struct manifest *m, const char *dir, const char *name, struct diag *diag)
{
	*m = (struct manifest){ .fd = -1 };
	m->seen.mem = &m->mem;
	snprintf(m->path, sizeof(m->path), "%s/%s", dir, name);
	m->fd = open(m->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (m->fd < 0)
		return fail(diag, ST_IO, "%s: %s", m->path, strerror(errno));
	if (flock(m->fd, LOCK_EX | LOCK_NB)) {
		int err = errno;

		manifest_close(m);
		return err == EWOULDBLOCK
			       ? fail(diag, ST_IO, "%s: another run is writing here", m->path)
			       : fail(diag, ST_IO, "%s: cannot lock: %s", m->path, strerror(err));
	}
	return read_lines(m, diag);
}

int manifest_outcome(const struct manifest *m, const char *key)
{
	uint32_t o = hash_get(&m->seen, hash_str(key));

	return o == HASH_NONE ? -1 : (int)o;
}

/* ---- adding ------------------------------------------------------------------------------ */

static void put_line(const struct manifest_line *l, FILE *out)
{
	fputs("{\"key\": ", out);
	put_json(out, l->key);
	fputs(", \"outcome\": ", out);
	put_json(out, outcome_names[l->outcome]);
	fputs(", \"id\": ", out);
	if (l->id)
		put_json(out, l->id);
	else
		fputs("null", out);
	fputs(", \"files\": [", out);
	for (unsigned i = 0; i < l->nfiles; i++) {
		fputs(i ? ", " : "", out);
		put_json(out, l->files[i]);
	}
	fprintf(out, "], \"bytes\": %" PRIu64 ", \"why\": ", l->bytes);
	if (l->why && *l->why)
		put_json(out, l->why);
	else
		fputs("null", out);
	fprintf(out, ", \"seconds\": %.2f, \"memory\": %" PRIu64 "}\n", l->seconds, l->memory);
}

enum status manifest_add(struct manifest *m, const struct manifest_line *l, struct diag *diag)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	ssize_t n;

	if (!out)
		arena_die(0);
	put_line(l, out);
	if (fclose(out))
		arena_die(0);
	n = write(m->fd, text, len);
	free(text);
	if (n != (ssize_t)len || fsync(m->fd))
		return fail(diag, ST_IO, "%s: cannot write: %s", m->path,
			    n < 0 || n == (ssize_t)len ? strerror(errno) : "no space is left");
	hash_put(&m->seen, hash_str(l->key), l->outcome);
	return ST_OK;
}

void manifest_close(struct manifest *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	arena_release(&m->mem);
}
