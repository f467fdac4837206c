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

const char *capsule_table(const struct report *r, char *buf, size_t size)
{
	(void)buf, (void)size;
	return r->name;
}

const struct report *capsule_report(unsigned i)
{
	(void)i;
	return NULL;
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

void capsule_text(struct capsule *c, const struct report *r, const char *text)
{
	(void)c, (void)r, (void)text;
}

void capsule_fact(struct capsule *c, const char *key, const char *text)
{
	(void)c, (void)key, (void)text;
}

void capsule_lacks(struct capsule *c, const struct report *r, const char *why)
{
	(void)c, (void)r, (void)why;
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

enum status capsule_load(struct capsule_file *f, const struct report *r, struct table *t,
			 bool *stored, struct issues *is, struct capsule_more *more,
			 struct diag *diag)
{
	(void)f, (void)r, (void)t, (void)stored, (void)is, (void)more;
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
