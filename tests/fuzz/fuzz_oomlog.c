/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_oomlog - the fuzzer's bytes as a kernel's log. The first byte chooses the release and
 * whether records have callers; then each line is a record, whose first byte is its caller,
 * from 'A' on; lower-case letters are of programs.
 */
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/cause/event/oomlog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define R(a, b, c) { .major = a, .minor = b, .patch = c }
static const struct release releases[] = {
	R(2, 4, 27), R(2, 6, 12), R(2, 6, 18), R(2, 6, 32), R(3, 10, 0), R(4, 4, 0),
	R(4, 19, 0), R(5, 0, 0),  R(5, 10, 0), R(6, 1, 0),  R(6, 12, 0), R(7, 3, 0),
};

static void add(struct arena *mem, struct log_line *l, const char *p, size_t n)
{
	*l = (struct log_line){ .text = "" };
	if (!n)
		return;
	l->caller = (uint8_t)*p;
	l->facility = *p >= 'a' && *p <= 'z';
	/* a copy of its own: reading past its end is seen */
	l->text = arena_strndup(mem, p + 1, n - 1);
	l->len = (uint32_t)n - 1;
}

/* Each text must be one that the log can hold, and each line one of the log. */
static void check(const struct oom_log *log, uint32_t nlines)
{
	for (size_t i = 0; i < log->n; i++) {
		const struct oom_event *e = &log->v[i];

		if (e->first_line >= nlines || !oom_kind_text(e->kind) ||
		    (i && log->v[i - 1].first_line > e->first_line))
			abort();
		for (size_t j = 0; j < e->tasks.n; j++)
			if (!e->tasks.v[j].comm)
				abort();
		for (size_t j = 0; j < e->zones.n; j++)
			if (e->zones.v[j].norders > OOM_ORDERS || !e->zones.v[j].name)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	VEC(struct log_line) lines = { 0 };
	struct arena mem = { 0 };
	struct oom_log log;
	struct oom_opts o = { .page_shift = 12 };
	const char *p = (const char *)data + 1, *end = (const char *)data + size;

	if (!size)
		return 0;
	o.release = releases[(data[0] & 0x7f) % ARRAY_LEN(releases)];
	o.callers = data[0] & 0x80;
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;

		add(&mem, vec_push(&mem, &lines), p, (size_t)(stop - p));
		p = stop + 1;
	}
	oom_log_read(lines.v, (uint32_t)lines.n, &o, &mem, &log);
	check(&log, (uint32_t)lines.n);
	arena_release(&mem);
	return 0;
}
