/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dumpread/base/issues.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"

void issues_init(struct issues *is)
{
	memset(is, 0, sizeof(*is));
	pthread_mutex_init(&is->lock, NULL);
}

void issues_release(struct issues *is)
{
	pthread_mutex_destroy(&is->lock);
}

static struct issue *find_or_add(struct issues *is, enum status kind, const char *object)
{
	for (unsigned i = 0; i < is->n; i++)
		if (is->v[i].kind == kind && !strcmp(is->v[i].object, object))
			return &is->v[i];
	if (is->n == ARRAY_LEN(is->v))
		return &is->v[is->n - 1];
	is->v[is->n].kind = kind;
	is->v[is->n].object = object;
	return &is->v[is->n++];
}

void issue_add(struct issues *is, enum status kind, const char *object,
	       uint64_t count, const char *fmt, ...)
{
	struct issue *i;
	va_list ap;

	pthread_mutex_lock(&is->lock);
	i = find_or_add(is, kind, object);
	i->count += count;
	if (i->ntexts < ISSUE_TEXTS) {
		va_start(ap, fmt);
		vsnprintf(i->text[i->ntexts++], sizeof(i->text[0]), fmt, ap);
		va_end(ap);
	}
	pthread_mutex_unlock(&is->lock);
}

uint64_t issues_total(struct issues *is)
{
	uint64_t sum = 0;

	pthread_mutex_lock(&is->lock);
	for (unsigned i = 0; i < is->n; i++)
		sum += is->v[i].count;
	pthread_mutex_unlock(&is->lock);
	return sum;
}
