/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * issues.c - counts issues, with the first texts of each kind.
 */
#include "dumpread/base/issues.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dumpread/base/jobs.h"

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

/* V[I], moved up to where its place is. */
static struct issue *in_order(struct issue *v, unsigned i)
{
	struct issue moved;
	unsigned to = i;

	while (to && v[to - 1].first > v[i].first)
		to--;
	if (to == i)
		return &v[i];
	moved = v[i];
	memmove(v + to + 1, v + to, (i - to) * sizeof(*v));
	v[to] = moved;
	return &v[to];
}

static struct issue *find_or_add(struct ledger l, enum status kind, const char *object,
				 uint64_t place)
{
	struct issue *v = l.v;
	unsigned i = 0;

	while (i < *l.n && (v[i].kind != kind || strcmp(v[i].object, object)))
		i++;
	if (i == ISSUES_MAX)
		return &v[i - 1];
	if (i == *l.n) {
		v[i] = (struct issue){ .kind = kind, .object = object, .first = place };
		++*l.n;
	} else if (place < v[i].first) {
		v[i].first = place;
	}
	return in_order(v, i);
}

/* Room for a text of PLACE behind those of the same or smaller ones; NULL: there is none. */
static char *text_at(struct issue *i, uint64_t place)
{
	unsigned n = i->ntexts < ISSUE_TEXTS ? i->ntexts : ISSUE_TEXTS - 1, to = n;

	if (i->ntexts == ISSUE_TEXTS && place >= i->place[n])
		return NULL;
	while (to && i->place[to - 1] > place)
		to--;
	memmove(i->text[to + 1], i->text[to], (n - to) * sizeof(i->text[0]));
	memmove(&i->place[to + 1], &i->place[to], (n - to) * sizeof(i->place[0]));
	i->place[to] = place;
	i->ntexts = n + 1;
	return i->text[to];
}

void issue_add(struct issues *is, enum status kind, const char *object, uint64_t count,
	       const char *fmt, ...)
{
	const uint64_t place = jobs_place();
	struct issue *i;
	va_list ap;
	char *text;

	pthread_mutex_lock(&is->lock);
	i = find_or_add(ledger_of(is, pthread_self()), kind, object, place);
	i->count += count;
	text = text_at(i, place);
	if (text) {
		va_start(ap, fmt);
		vsnprintf(text, sizeof(i->text[0]), fmt, ap);
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
		struct issue *at = find_or_add(to, from->kind, from->object, from->first);

		at->count += from->count;
		for (unsigned t = 0; t < from->ntexts; t++) {
			char *text = text_at(at, from->place[t]);

			if (text)
				memcpy(text, from->text[t], sizeof(at->text[0]));
		}
	}
}

void issues_copy_one(struct issues *to, const struct issue *from)
{
	pthread_mutex_lock(&to->lock);
	add_all((struct ledger){ to->v, &to->n }, from, 1);
	pthread_mutex_unlock(&to->lock);
}

void issues_copy(struct issues *to, const struct issues *from)
{
	pthread_mutex_lock(&to->lock);
	add_all((struct ledger){ to->v, &to->n }, from->v, from->n);
	pthread_mutex_unlock(&to->lock);
}

void issues_clear(struct issues *is)
{
	const struct issues_mark none = { .n = 0 };

	issues_undo(is, &none);
}

/* Text FROM of I becomes text TO. */
static void keep_text(struct issue *i, unsigned to, unsigned from)
{
	memmove(i->text[to], i->text[from], sizeof(i->text[0]));
	i->place[to] = i->place[from];
}

/* One text of LESS takes away one of FROM. */
static void take_away(struct issue *from, const struct issue *less)
{
	unsigned kept = 0, taken = 0;

	from->count -= from->count < less->count ? from->count : less->count;
	for (unsigned t = 0; t < from->ntexts; t++) {
		unsigned i = 0;

		while (i < less->ntexts &&
		       (taken & 1u << i || strcmp(less->text[i], from->text[t])))
			i++;
		if (i < less->ntexts)
			taken |= 1u << i;
		else
			keep_text(from, kept++, t);
	}
	from->ntexts = kept;
}

void issues_take_away(struct issues *from, const struct issues *less)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < less->n; i++)
		take_away(find_or_add((struct ledger){ from->v, &from->n }, less->v[i].kind,
				      less->v[i].object, UINT64_MAX),
			  &less->v[i]);
	for (unsigned i = 0; i < from->n; i++)
		if (from->v[i].count)
			from->v[kept++] = from->v[i];
	memset(from->v + kept, 0, (from->n - kept) * sizeof(from->v[0]));
	from->n = kept;
}

void issues_begin_part(struct issues *is, struct issues_part *part)
{
	pthread_mutex_lock(&is->lock);
	memcpy(part->v, is->v, is->n * sizeof(is->v[0]));
	part->n = is->n;
	part->outer = is->outer;
	memset(is->v, 0, is->n * sizeof(is->v[0]));
	is->n = 0;
	is->outer = part;
	pthread_mutex_unlock(&is->lock);
}

void issues_end_part(struct issues *is, struct issues_part *part, struct issues *own)
{
	pthread_mutex_lock(&is->lock);
	if (own)
		add_all((struct ledger){ own->v, &own->n }, is->v, is->n);
	add_all((struct ledger){ part->v, &part->n }, is->v, is->n);
	memset(is->v, 0, is->n * sizeof(is->v[0]));
	memcpy(is->v, part->v, part->n * sizeof(is->v[0]));
	is->n = part->n;
	is->outer = part->outer;
	pthread_mutex_unlock(&is->lock);
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

static enum status reason_among(const struct issue *v, unsigned n, const char *object)
{
	for (unsigned i = 0; i < n; i++)
		if (v[i].count && !strcmp(v[i].object, object))
			return v[i].kind;
	return ST_OK;
}

enum status issues_reason(struct issues *is, const char *object)
{
	enum status st = ST_OK;

	pthread_mutex_lock(&is->lock);
	for (const struct issues_part *p = is->outer; p; p = p->outer)
		st = reason_among(p->v, p->n, object) ? reason_among(p->v, p->n, object) : st;
	if (!st)
		st = reason_among(is->v, is->n, object);
	pthread_mutex_unlock(&is->lock);
	return st;
}

static uint64_t total_among(const struct issue *v, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += v[i].kind == ST_TORN ? 0 : v[i].count;
	return sum;
}

uint64_t issues_total(struct issues *is)
{
	uint64_t sum;

	pthread_mutex_lock(&is->lock);
	sum = total_among(is->v, is->n);
	for (const struct issues_part *p = is->outer; p; p = p->outer)
		sum += total_among(p->v, p->n);
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
