/* SPDX-License-Identifier: GPL-3.0-or-later */
/* crashed.c - what a crash is, and the order of crashes. */
#include <string.h>
#include <time.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "facts/release.h"
#include "model/kernel/stack/calltrace.h"
#include "model/kernel/stack/hang.h"
#include "reports/fleet/fleet.h"

/* ---- the order ------------------------------------------------------------------------------ */

static int crash_order(const void *pa, const void *pb)
{
	const struct crashed *a = pa, *b = pb;

	if (a->crash_time != b->crash_time)
		return a->crash_time < b->crash_time ? -1 : 1;
	return strcmp(a->id, b->id);
}

void fleet_done(struct fleet *f)
{
	size_t kept = 0;

	if (f->v.n)
		sort_array(f->v.v, f->v.n, sizeof(*f->v.v), crash_order);
	for (size_t i = 0; i < f->v.n; i++)
		if (!kept || strcmp(f->v.v[kept - 1].id, f->v.v[i].id))
			f->v.v[kept++] = f->v.v[i];
	f->v.n = kept;
}

/* Numbers of the name are compared as numbers: "6.1.0-9" is before "6.1.0-56". */
int release_order(const char *a, const char *b)
{
	struct release x, y;

	if (!a || !b)
		return (a == NULL) - (b == NULL);
	release_parse(a, &x);
	release_parse(b, &y);
	if (release_mainline(&x) != release_mainline(&y))
		return release_mainline(&x) < release_mainline(&y) ? -1 : 1;
	return strverscmp(a, b);
}

uint32_t release_insert(const char **v, uint32_t n, uint32_t max, const char *release)
{
	uint32_t at = 0;

	while (release && at < n && release_order(v[at], release) < 0)
		at++;
	if (!release || n == max || (at < n && !strcmp(v[at], release)))
		return n;
	memmove(v + at + 1, v + at, (n - at) * sizeof(*v));
	v[at] = release;
	return n + 1;
}

/* ---- kinds ---------------------------------------------------------------------------------- */

/* Panics that the OOM killer makes (mm/oom_kill.c). */
static bool is_of_memory(const char *panic)
{
	return panic && (str_begins(panic, "Out of memory") ||
			 str_begins(panic, "System is deadlocked on memory"));
}

/* Somebody asked for a dump: by sysrq, which followed a NULL pointer before 5.1, or by an NMI. */
static bool is_asked(const struct crashed *c)
{
	return !c->panic || panic_is_asked(c->panic) || (c->hang && !hang_reason(c->panic)) ||
	       (c->function && !strcmp(c->function, "sysrq_handle_crash"));
}

enum crash_kind crash_kind_of(const struct crashed *c)
{
	bool asked = is_asked(c);

	bool oom = c->limit.id != VC_NONE && c->limit.id != VC_ENOUGH && c->event.id != VC_NONE &&
		   c->event.id != VC_NO_OOM;

	if (is_of_memory(c->panic) || (asked && oom))
		return CRASH_MEMORY;
	if (c->hang || !asked)
		return c->hang ? CRASH_HANG : CRASH_PANIC;
	return !c->panic && c->unread ? CRASH_UNKNOWN : CRASH_ASKED;
}

const char *crash_kind_text(enum crash_kind k)
{
	static const char *const text[] = { "panic", "hang", "memory", "asked for", "unknown" };

	return text[k];
}

bool crash_has_calls(enum crash_kind k)
{
	return k == CRASH_PANIC || k == CRASH_HANG;
}

/* ---- texts ---------------------------------------------------------------------------------- */

const char *name_plain(const char *name, struct arena *mem)
{
	char *ret = arena_strdup(mem, name), *to = ret;

	while (*name) {
		size_t n = str_begins(name, "0x") ? 2 + strspn(name + 2, "0123456789abcdefABCDEF")
						  : strspn(name, "0123456789");

		*to++ = n ? '#' : *name;
		name += n ? n : 1;
	}
	*to = '\0';
	return ret;
}

const char *date_text(int64_t when, struct arena *mem)
{
	char buf[40];
	struct tm tm;
	time_t t = (time_t)when;

	if (when == COL_UNKNOWN_INT || !when || !gmtime_r(&t, &tm) ||
	    !strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M", &tm))
		return NULL;
	return arena_strdup(mem, buf);
}
