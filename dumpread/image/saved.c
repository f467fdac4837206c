/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of --index. */
#include "dumpread/image/saved.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/log.h"
#include "dumpread/base/outside.h"
#include "dumpread/image/format.h"

#define MAGIC_SIZE 24u
#define KIND_SIZE 8u
#define NAME 24u		/* kind, bytes and hash of the file: whose entry it is */
#define HEAD 40u
#define ENDS (64u << 10)	/* bytes at the start and at the end of the file that are hashed ... */
#define SAMPLE 4096u		/* ... and of each of */
#define SAMPLES 64u		/* samples between */

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t mix_words(uint64_t hash, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = mix(hash, v[i]);
	return hash;
}

static uint64_t mix_file(uint64_t hash, const struct image_part *p, uint64_t off, size_t len,
			 uint8_t *buf)
{
	size_t got;

	if (part_read_some(p, off, buf, len, &got))
		got = 0;
	for (size_t i = 0; i + 8 <= got; i += 8)
		hash = mix(hash, load64(buf + i, false));
	return mix(hash, got);
}

/* Two dumps differ at their start; two copies of one are cut off, or have holes, anywhere. */
static uint64_t mark_of(const struct image_part *p)
{
	uint8_t *buf = heap_bytes(ENDS);
	uint64_t hash = mix_file(p->raw_size, p, 0, ENDS, buf);

	for (uint64_t i = 1; i < SAMPLES; i++)
		hash = mix_file(hash, p, p->raw_size / SAMPLES * i & ~UINT64_C(7), SAMPLE, buf);
	if (p->raw_size > ENDS)
		hash = mix_file(hash, p, p->raw_size - ENDS, ENDS, buf);
	free(buf);
	return hash;
}

static void pad(uint8_t *to, size_t size, const char *text)
{
	memset(to, 0, size);
	snprintf((char *)to, size, "%s", text);
}

static void name_entry(uint8_t *name, const struct image_part *p, const char *kind)
{
	pad(name, KIND_SIZE, kind);
	store_uint(name + 8, p->raw_size, 8, false);
	store_uint(name + 16, mark_of(p), 8, false);
}

/* The entry that F is at, if it has NAME; else F moves to the next. *END: there is none. */
static uint64_t *read_entry(FILE *f, uint64_t size, const uint8_t *name, size_t *n, bool *end)
{
	uint8_t head[HEAD];
	uint64_t words, *v;
	off_t at = ftello(f);

	*end = at < 0 || fread(head, 1, HEAD, f) != HEAD;
	if (*end)
		return NULL;
	words = load64(head + 24, false);
	*end = words > (size - min_u64(size, (uint64_t)at + HEAD)) / 8;
	if (*end)
		return NULL;
	if (memcmp(head, name, NAME)) {
		*end = fseeko(f, (off_t)(words * 8), SEEK_CUR) != 0;
		return NULL;
	}
	*end = true;
	v = heap_array(uint64_t, words + 1);
	*n = words;
	if (fread(v, 8, words, f) == words) {
		for (size_t i = 0; i < words; i++)
			v[i] = load64((const uint8_t *)&v[i], false);
		if (mix_words(words, v, words) == load64(head + 32, false))
			return v;
	}
	free(v);
	return NULL;
}

uint64_t *saved_get(const struct image *im, const struct image_part *p, const char *kind, size_t *n)
{
	const char *path = im->index ? im->index->path : NULL;
	FILE *f = path ? outside_fopen(path) : NULL;
	uint8_t magic[MAGIC_SIZE], head[MAGIC_SIZE], name[NAME];
	uint64_t *v = NULL;
	struct stat st;
	bool end;

	if (!f)
		return NULL;
	pad(magic, MAGIC_SIZE, SAVED_MAGIC);
	end = fstat(fileno(f), &st) || fread(head, 1, MAGIC_SIZE, f) != MAGIC_SIZE ||
	      memcmp(head, magic, MAGIC_SIZE);
	if (!end)
		name_entry(name, p, kind);
	while (!end && !v)
		v = read_entry(f, (uint64_t)st.st_size, name, n, &end);
	fclose(f);
	if (!v)
		saved_refuse(im, p);
	else
		log_info(im->log, "index of %s: %s", p->path, path);
	return v;
}

void saved_refuse(const struct image *im, const struct image_part *p)
{
	log_warn(im->log,
		 "%s is not an index of %s, and is not used; a file that does not exist is made",
		 im->index->path, p->path);
}

bool saved_wanted(const struct image *im)
{
	return im->index && im->index->to;
}

void saved_put(const struct image *im, const struct image_part *p, const char *kind,
	       const uint64_t *v, size_t n)
{
	FILE *to = im->index->to;
	uint8_t head[HEAD];

	if (!ftello(to)) {
		pad(head, MAGIC_SIZE, SAVED_MAGIC);
		fwrite(head, 1, MAGIC_SIZE, to);
	}
	name_entry(head, p, kind);
	store_uint(head + 24, n, 8, false);
	store_uint(head + 32, mix_words(n, v, n), 8, false);
	fwrite(head, 1, HEAD, to);
	for (size_t i = 0; i < n; i++) {
		store_uint(head, v[i], 8, false);
		fwrite(head, 1, 8, to);
	}
	if (!fflush(to) && !ferror(to))
		return;
	log_warn(im->log, "the index of %s cannot be written: %s", p->path, strerror(errno));
	if (ftruncate(fileno(to), 0))
		log_warn(im->log, "remove its file: it is incomplete");
}
