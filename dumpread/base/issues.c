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
		sum += is->v[i].kind == ST_TORN ? 0 : is->v[i].count;
	pthread_mutex_unlock(&is->lock);
	return sum;
}

void issues_mark(struct issues *is, struct issues_mark *m)
{
	pthread_mutex_lock(&is->lock);
	m->n = is->n;
	for (unsigned i = 0; i < is->n; i++) {
		m->count[i] = is->v[i].count;
		m->ntexts[i] = (uint8_t)is->v[i].ntexts;
	}
	pthread_mutex_unlock(&is->lock);
}

bool issues_since(struct issues *is, const struct issues_mark *m)
{
	bool any;

	pthread_mutex_lock(&is->lock);
	any = is->n != m->n;
	for (unsigned i = 0; i < m->n && !any; i++)
		any = is->v[i].count != m->count[i];
	pthread_mutex_unlock(&is->lock);
	return any;
}

void issues_undo(struct issues *is, const struct issues_mark *m)
{
	pthread_mutex_lock(&is->lock);
	for (unsigned i = m->n; i < is->n; i++)
		is->v[i] = (struct issue){ 0 };
	is->n = m->n;
	for (unsigned i = 0; i < m->n; i++) {
		is->v[i].count = m->count[i];
		is->v[i].ntexts = m->ntexts[i];
	}
	pthread_mutex_unlock(&is->lock);
}
