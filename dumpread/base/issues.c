/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * issues.c - counts issues, with the first texts of each kind.
 */
#include "dumpread/base/issues.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void issues_init(struct issues *is)
{
	memset(is, 0, sizeof(*is));
	pthread_mutex_init(&is->lock, NULL);
}

void issues_release(struct issues *is)
{
	pthread_mutex_destroy(&is->lock);
}

/* Where a thread counts. IS is locked. */
struct ledger {
	struct issue *v;
	unsigned *n;
};

static struct ledger ledger_of(struct issues *is, pthread_t thread)
{
	for (struct issues_aside *a = is->aside; a; a = a->next)
		if (pthread_equal(a->thread, thread))
			return (struct ledger){ a->v, &a->n };
	return (struct ledger){ is->v, &is->n };
}

static struct issue *find_or_add(struct ledger l, enum status kind, const char *object)
{
	struct issue *v = l.v;

	for (unsigned i = 0; i < *l.n; i++)
		if (v[i].kind == kind && !strcmp(v[i].object, object))
			return &v[i];
	if (*l.n == ISSUES_MAX)
		return &v[*l.n - 1];
	v[*l.n].kind = kind;
	v[*l.n].object = object;
	return &v[(*l.n)++];
}

void issue_add(struct issues *is, enum status kind, const char *object, uint64_t count,
	       const char *fmt, ...)
{
	struct issue *i;
	va_list ap;

	pthread_mutex_lock(&is->lock);
	i = find_or_add(ledger_of(is, pthread_self()), kind, object);
	i->count += count;
	if (i->ntexts < ISSUE_TEXTS) {
		va_start(ap, fmt);
		vsnprintf(i->text[i->ntexts++], sizeof(i->text[0]), fmt, ap);
		va_end(ap);
	}
	pthread_mutex_unlock(&is->lock);
}

void issues_begin_aside(struct issues *is, struct issues_aside *own)
{
	own->thread = pthread_self();
	own->n = 0;
	pthread_mutex_lock(&is->lock);
	own->next = is->aside;
	is->aside = own;
	pthread_mutex_unlock(&is->lock);
}

static void add_all(struct ledger to, const struct issue *from, unsigned n)
{
	for (const struct issue *end = from + n; from < end; from++) {
		struct issue *at = find_or_add(to, from->kind, from->object);

		at->count += from->count;
		for (unsigned t = 0; t < from->ntexts && at->ntexts < ISSUE_TEXTS; t++)
			memcpy(at->text[at->ntexts++], from->text[t], sizeof(at->text[0]));
	}
}

void issues_copy(struct issues *to, const struct issues *from)
{
	pthread_mutex_lock(&to->lock);
	add_all((struct ledger){ to->v, &to->n }, from->v, from->n);
	pthread_mutex_unlock(&to->lock);
}

void issues_end_aside(struct issues *is, struct issues_aside *own)
{
	struct issues_aside **link = &is->aside;

	pthread_mutex_lock(&is->lock);
	while (*link != own)
		link = &(*link)->next;
	*link = own->next;
	add_all((struct ledger){ is->v, &is->n }, own->v, own->n);
	memset(own->v, 0, own->n * sizeof(own->v[0]));
	own->n = 0;
	pthread_mutex_unlock(&is->lock);
}

enum status issues_reason(struct issues *is, const char *object)
{
	enum status st = ST_OK;

	pthread_mutex_lock(&is->lock);
	for (unsigned i = 0; i < is->n && !st; i++)
		if (is->v[i].count && !strcmp(is->v[i].object, object))
			st = is->v[i].kind;
	pthread_mutex_unlock(&is->lock);
	return st;
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
	struct ledger l;

	pthread_mutex_lock(&is->lock);
	l = ledger_of(is, pthread_self());
	m->n = *l.n;
	for (unsigned i = 0; i < m->n; i++) {
		m->count[i] = l.v[i].count;
		m->ntexts[i] = (uint8_t)l.v[i].ntexts;
	}
	pthread_mutex_unlock(&is->lock);
}

bool issues_since(struct issues *is, const struct issues_mark *m)
{
	struct ledger l;
	bool any;

	pthread_mutex_lock(&is->lock);
	l = ledger_of(is, pthread_self());
	any = *l.n != m->n;
	for (unsigned i = 0; i < m->n && !any; i++)
		any = l.v[i].count != m->count[i];
	pthread_mutex_unlock(&is->lock);
	return any;
}

void issues_undo(struct issues *is, const struct issues_mark *m)
{
	struct ledger l;

	pthread_mutex_lock(&is->lock);
	l = ledger_of(is, pthread_self());
	for (unsigned i = m->n; i < *l.n; i++)
		l.v[i] = (struct issue){ 0 };
	*l.n = m->n;
	for (unsigned i = 0; i < m->n; i++) {
		l.v[i].count = m->count[i];
		l.v[i].ntexts = m->ntexts[i];
	}
	pthread_mutex_unlock(&is->lock);
}

const char *issue_without_folder(const char *text)
{
	const char *colon = strstr(text, ": "), *name = colon;

	while (name && name > text && name[-1] != '/')
		name--;
	return name ? name : text;
}
