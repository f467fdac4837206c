/* SPDX-License-Identifier: GPL-3.0-or-later */
/* noted.c - a table of what the kernel's log may say. */
#include "reports/machine/noted.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"

/* A "^" stands for the start of the line. Neighbours with the same key are one entry. */
static const struct event { const char *key, *text; } events[] = {
	{ "OOM kill", "Out of memory: Kill" },
	{ "OOM kill", "Out of memory (oom_kill_allocating_task): Kill" },
	{ "memory cgroup OOM kill", "Memory cgroup out of memory: Kill" },
	{ "allocation failure", "page allocation failure" },
	{ "hung task", " blocked for more than " },
	{ "soft lockup", "soft lockup - CPU" },
	{ "hard lockup", "hard LOCKUP" },
	{ "RCU stall", "detected stall" },
	{ "kernel bug", "kernel BUG at " },
	{ "bad access", "Unable to handle kernel " },
	{ "bad access", "BUG: unable to handle " },
	{ "list corruption", "list_add corruption" },
	{ "list corruption", "list_del corruption" },
	{ "bad page", "BUG: Bad page " },
	{ "warning", "^WARNING: " },
	{ "hardware error", "[Hardware Error]" },
	{ "I/O error", "I/O error" },
	{ "segfault", "segfault at " },
};

static bool says(const char *line, const char *text)
{
	bool at_start = *text == '^';
	const char *at = strstr(line, text + at_start);

	return at_start ? at == line : at != NULL;
}

static bool says_any(const char *line, size_t from, size_t end)
{
	while (from < end && !says(line, events[from].text))
		from++;
	return from < end;
}

bool noted_next(const struct machine *mc, size_t *at, struct noted *ret)
{
	while (*at < ARRAY_LEN(events)) {
		size_t e = *at, end = e + 1;

		while (end < ARRAY_LEN(events) && !strcmp(events[end].key, events[e].key))
			end++;
		*at = end;
		*ret = (struct noted){ .key = events[e].key };
		for (uint32_t i = 0; i < mc->nlog; i++)
			if (says_any(mc->log[i].text, e, end)) {
				ret->last = &mc->log[i];
				ret->n++;
			}
		if (ret->n)
			return true;
	}
	return false;
}

const char *noted_text(const struct machine *mc, const struct log_line *l, struct arena *mem)
{
	if (mc->log_by_clock || l->ts == UINT64_MAX)
		return arena_printf(mem, "%s%s%s%s", l->printed ? "[" : "",
				    l->printed ? l->printed : "", l->printed ? "] " : "", l->text);
	return arena_printf(mem, "[%5" PRIu64 ".%06" PRIu64 "] %s", l->ts / 1000000000,
			    l->ts / 1000 % 1000000, l->text);
}
