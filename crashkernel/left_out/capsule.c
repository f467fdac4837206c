/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * capsule.c - stands in for reports/capsule/store.c and load.c, and for reports/fleet/load.c: nothing is written as a
 * database, and none is recognised as an image.
 */
#include <stdlib.h>

#include "reports/capsule/capsule.h"
#include "reports/fleet/fleet.h"

const bool capsule_here = false;

void render_sqlite(const struct render *r, FILE *out)
{
	(void)r, (void)out;
}

struct capsule *capsule_new(const struct image_facts *f)
{
	(void)f;
	fputs("vmcensus: this program was built without SQLite, and writes no capsule\n", stderr);
	exit(1);
}

void capsule_add(struct capsule *c, const struct capsule_rows *rows)
{
	(void)c, (void)rows;
}

void capsule_text(struct capsule *c, const struct capsule_part *p, const char *text)
{
	(void)c, (void)p, (void)text;
}

void capsule_fact(struct capsule *c, const char *key, const char *text)
{
	(void)c, (void)key, (void)text;
}

void capsule_lacks(struct capsule *c, const struct capsule_part *p, const char *why)
{
	(void)c, (void)p, (void)why;
}

void capsule_write(struct capsule *c, FILE *out)
{
	(void)c, (void)out;
}

void capsule_drop(struct capsule *c)
{
	(void)c;
}

bool capsule_is(const uint8_t *head, size_t n)
{
	(void)head, (void)n;
	return false;
}

enum status capsule_open(uint8_t *bytes, size_t size, struct diag *diag, struct capsule_file **ret)
{
	(void)size;
	free(bytes);
	*ret = NULL;
	return fail(diag, ST_UNSUPPORTED, "this program was built without SQLite");
}

void capsule_close(struct capsule_file *f)
{
	(void)f;
}

const struct image_facts *capsule_image(const struct capsule_file *f)
{
	(void)f;
	return NULL;
}

bool capsule_undigested(const struct capsule_file *f)
{
	(void)f;
	return false;
}

enum status capsule_load(struct capsule_file *f, const struct capsule_part *p, struct table *t,
			 bool *stored, struct issues *is, struct capsule_more *more,
			 struct diag *diag)
{
	(void)f, (void)p, (void)t, (void)stored, (void)is, (void)more;
	return fail(diag, ST_UNSUPPORTED, "this program was built without SQLite");
}

void capsule_page(struct capsule *c, const char *name, const char *text, size_t size,
		  const struct issues *is)
{
	(void)c, (void)name, (void)text, (void)size, (void)is;
}

enum status capsule_page_check(struct capsule_file *f, const char *name, struct issues *is,
			       struct diag *diag)
{
	(void)f, (void)name, (void)is;
	return fail(diag, ST_UNSUPPORTED, "this program was built without SQLite");
}

enum status capsule_page_write(struct capsule_file *f, const char *name, FILE *out,
			       struct diag *diag)
{
	(void)f, (void)name, (void)out;
	return fail(diag, ST_UNSUPPORTED, "this program was built without SQLite");
}

bool fleet_is(const uint8_t *head, size_t n)
{
	(void)head, (void)n;
	return false;
}

enum status fleet_add(struct fleet *f, uint8_t *bytes, size_t size, const char *path,
		      struct diag *diag)
{
	(void)f, (void)size, (void)path;
	free(bytes);
	return fail(diag, ST_UNSUPPORTED, "this program was built without SQLite");
}

enum status fleet_add_fd(struct fleet *f, int fd, uint64_t size, const char *path,
			 struct diag *diag)
{
	(void)f, (void)fd, (void)size, (void)path;
	return fail(diag, ST_UNSUPPORTED, "this program was built without SQLite");
}
