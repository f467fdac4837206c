/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * find.c - looks at the first bytes of files, and joins the parts of split dumps.
 *
 * This runs in the process that starts the others: it reads only headers, by our own readers.
 */
#include "app/batch/find.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/elsewhere.h"
#include "dumpread/base/search.h"
#include "dumpread/image/begins.h"
#include "dumpread/image/whole.h"
#include "reports/capsule/capsule.h"

#define LIST_LINE 4096
#define DEPTH_MAX 32 /* of directories */

enum content { OTHER, DUMP, PACKED, CAPSULE, LIST };

/* HEAD has FIND_HEAD bytes, of which N are the file's, and others 0. */
static enum content content_in(const uint8_t *head, size_t n)
{
	enum begins b = begins_as(head, n);

	if (capsule_is(head, n))
		return CAPSULE;
	switch (b) {
	case BEGINS_KDUMP:
	case BEGINS_DISKDUMP:
	case BEGINS_FLATTENED:
	case BEGINS_MCORE:
	case BEGINS_LIME:
	case BEGINS_AVML: return DUMP;
	/* e_type is at 16 in both classes, in the file's byte order: ET_CORE is 4 */
	case BEGINS_ELF: return n > 18 && load16(head + 16, head[5] == 2) == 4 ? DUMP : OTHER;
	case BEGINS_XZ:
	case BEGINS_GZIP:
	case BEGINS_ZSTD:
	case BEGINS_BZIP2:
	case BEGINS_LZ4:
	case BEGINS_ZIP:
	case BEGINS_TAR: return PACKED;
	/* told by their names alone */
	case BEGINS_QEMU:
	case BEGINS_LKCD:
	case BEGINS_SADUMP:
	case BEGINS_OTHER: break;
	}
	return OTHER;
}

static enum content content_of(const char *path)
{
	uint8_t head[FIND_HEAD] = { 0 };

	return content_in(head, file_head(path, head, sizeof(head)));
}

static bool is_called_vmcore(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strncmp(name, "vmcore", 6) && !strstr(name, "dmesg") && !strstr(name, ".txt");
}

bool find_takes(const char *name, const uint8_t *bytes, size_t n)
{
	uint8_t head[FIND_HEAD] = { 0 };
	enum content is;

	n = min_u64(n, sizeof(head));
	memcpy(head, bytes, n);
	is = content_in(head, n);
	return is == DUMP || is == PACKED || is_called_vmcore(name);
}

/* ---- adding ------------------------------------------------------------------------ */

static void add_file(struct found *f, const char *path, const struct stat *st, bool named)
{
	struct found_dump *d = vec_push(f->mem, &f->v);

	*d = (struct found_dump){
		.npaths = 1,
		.bytes = (uint64_t)st->st_size,
		.changed = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
		.packed = content_of(path) == PACKED,
		.named = named,
	};
	d->paths = arena_array(f->mem, const char *, 1);
	d->paths[0] = arena_strdup(f->mem, path);
}

static enum status add_name(struct found *f, const char *name, bool named, unsigned depth,
			    struct diag *diag);

/* In the order of names, so that a run does not depend on the file system. */
static enum status add_dir(struct found *f, const char *name, unsigned depth, struct diag *diag)
{
	struct dirent **v;
	int n = scandir(name, &v, NULL, alphasort);

	if (n < 0)
		return fail(diag, ST_IO, "%s: %s", name, strerror(errno));
	for (int i = 0; i < n; i++) {
		/* one that cannot be read hides no other */
		if (v[i]->d_name[0] != '.' && depth < DEPTH_MAX)
			add_name(f, arena_printf(f->mem, "%s/%s", name, v[i]->d_name), false,
				 depth + 1, diag);
		free(v[i]);
	}
	free(v);
	return ST_OK;
}

/* The first line of a list names a file. */
static bool is_list(const char *path, struct arena *mem)
{
	char head[LIST_LINE + 1] = { 0 };
	const char *slash = strrchr(path, '/');
	size_t n = file_head(path, (uint8_t *)head, LIST_LINE), line = strcspn(head, "\n");
	struct stat st;

	if (!n || !line || memchr(head, '\0', n))
		return false;
	head[line] = '\0';
	return !stat(*head == '/' || !slash
			     ? head
			     : arena_printf(mem, "%.*s%s", (int)(slash + 1 - path), path, head),
		     &st);
}

static enum status add_list(struct found *f, const char *path, unsigned depth, struct diag *diag)
{
	const char *slash = strrchr(path, '/');
	FILE *in = fopen(path, "re");
	enum status st = ST_OK;
	char *line = NULL;
	size_t cap = 0;

	if (!in)
		return fail(diag, ST_IO, "%s: %s", path, strerror(errno));
	while (!st && getline(&line, &cap, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!*line || *line == '#')
			continue;
		st = add_name(f,
			      *line == '/' || !slash
				      ? line
				      : arena_printf(f->mem, "%.*s%s", (int)(slash + 1 - path),
						     path, line),
			      true, depth + 1, diag);
	}
	free(line);
	fclose(in);
	return st;
}

static enum status add_name(struct found *f, const char *name, bool named, unsigned depth,
			    struct diag *diag)
{
	struct stat st;

	if (depth > DEPTH_MAX)
		return fail(diag, ST_LIMIT, "%s: lists name one another", name);
	if (named && elsewhere_named(name)) {
		add_file(f, name, &(struct stat){ .st_size = 0 }, named);
		return ST_OK;
	}
	if (stat(name, &st))
		return named ? fail(diag, ST_IO, "%s: %s", name, strerror(errno)) : ST_OK;
	if (S_ISDIR(st.st_mode))
		return add_dir(f, name, depth, diag);
	if (!S_ISREG(st.st_mode))
		return named ? fail(diag, ST_IO, "%s: is not a file", name) : ST_OK;
	if (named && content_of(name) == OTHER && is_list(name, f->mem))
		return add_list(f, name, depth, diag);
	if (named || content_of(name) == DUMP || content_of(name) == PACKED ||
	    is_called_vmcore(name))
		add_file(f, name, &st, named);
	else
		f->others++;
	return ST_OK;
}

enum status find_dumps(struct found *f, const char *name, struct diag *diag)
{
	return add_name(f, name, true, 0, diag);
}

/* ---- joining -------------------------------------------------------------------------- */

struct part {
	size_t at; /* in found.v */
	uint64_t start;
	char key[SPLIT_KEY + PATH_MAX]; /* its directory, and what its dump's parts share */
};

static int part_order(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;
	int d = strcmp(a->key, b->key);

	return d ? d : (a->start > b->start) - (a->start < b->start);
}

static int name_order(const void *pa, const void *pb)
{
	const struct found_dump *a = pa, *b = pb;

	return strcmp(a->paths[0], b->paths[0]);
}

static void join(struct found *f, const struct part *v, size_t n)
{
	struct found_dump *to = &f->v.v[v[0].at];
	const char **paths = arena_array(f->mem, const char *, n);

	for (size_t i = 0; i < n; i++) {
		struct found_dump *from = &f->v.v[v[i].at];

		paths[i] = from->paths[0];
		if (!i)
			continue;
		to->bytes += from->bytes;
		to->named |= from->named;
		if (from->changed > to->changed)
			to->changed = from->changed;
		from->npaths = 0;
	}
	to->paths = paths;
	to->npaths = (unsigned)n;
}

static void join_parts(struct found *f)
{
	VEC(struct part) parts = { 0 };
	struct arena mem = { 0 };

	for (size_t i = 0; i < f->v.n; i++) {
		const char *path = f->v.v[i].paths[0], *slash = strrchr(path, '/');
		char key[SPLIT_KEY];
		uint64_t start;
		struct part *p;

		if (!file_is_split(path, key, &start))
			continue;
		p = vec_push(&mem, &parts);
		p->at = i;
		p->start = start;
		snprintf(p->key, sizeof(p->key), "%.*s\n%s", slash ? (int)(slash - path) : 0, path,
			 key);
	}
	if (parts.n)
		sort_array(parts.v, parts.n, sizeof(*parts.v), part_order);
	for (size_t i = 0, n; i < parts.n; i += n) {
		for (n = 1; i + n < parts.n && !strcmp(parts.v[i].key, parts.v[i + n].key); n++)
			;
		join(f, &parts.v[i], n);
	}
	arena_release(&mem);
}

void find_done(struct found *f)
{
	size_t kept = 0;

	if (f->v.n)
		sort_array(f->v.v, f->v.n, sizeof(*f->v.v), name_order);
	/* doubles first: a part that is named twice is one part */
	for (size_t i = 0; i < f->v.n; i++)
		if (!kept || strcmp(f->v.v[kept - 1].paths[0], f->v.v[i].paths[0]))
			f->v.v[kept++] = f->v.v[i];
	f->v.n = kept;
	join_parts(f);
	kept = 0;
	for (size_t i = 0; i < f->v.n; i++)
		if (f->v.v[i].npaths)
			f->v.v[kept++] = f->v.v[i];
	f->v.n = kept;
}
