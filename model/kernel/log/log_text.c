/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plain log of 2.4 to 3.4 (kernel/printk.c): a ring of characters in log_buf, of which
 * the last min(logged_chars, log_buf_len) end before log_end. Lines have their level "<6>"
 * as text, and if the kernel was configured so, their time "[   12.345678] ".
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/system.h"

#define LOG_BUF_MAX (1u << 28)
#define LOG_ARRAY_MIN 4096u

/* Digits from *P on, before END. */
static uint64_t digits(const char **p, const char *end)
{
	uint64_t v = 0;

	for (; *p < end && isdigit((unsigned char)**p) && v < UINT64_MAX / 20; (*p)++)
		v = v * 10 + (uint64_t)(**p - '0');
	return v;
}

static const char *skip_level(const char *p, const char *end, struct log_line *l)
{
	if (end - p < 3 || p[0] != '<' || !isdigit((unsigned char)p[1]) || p[2] != '>')
		return p;
	l->level = (uint8_t)(p[1] - '0');
	return p + 3;
}

static const char *skip_time(const char *p, const char *end, struct log_line *l)
{
	const char *q = p;
	uint64_t sec, usec;

	if (q == end || *q++ != '[')
		return p;
	while (q < end && *q == ' ')
		q++;
	sec = digits(&q, end);
	if (q == end || *q++ != '.')
		return p;
	usec = digits(&q, end);
	if (end - q < 2 || q[0] != ']' || q[1] != ' ' || sec > UINT64_MAX / 2000000000)
		return p;
	l->ts = sec * 1000000000 + usec % 1000000 * 1000;
	return q + 2;
}

static void add_text(struct log_lines *l, const char *p, const char *end)
{
	struct log_line like = { 0 };

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;

		/* a line without a level continues the one before */
		p = skip_level(p, stop, &like);
		p = skip_time(p, stop, &like);
		if (!log_add(l, &like, p, (size_t)(stop - p)))
			return;
		p = stop + 1;
	}
}

/*
 * 2.4: log_buf is the array itself, of LOG_BUF_LEN bytes, a power of two. When it is full,
 * logged_chars is that number; before, nothing was overwritten and any size works.
 */
static uint64_t array_size(uint64_t last, uint64_t logged)
{
	uint64_t size = LOG_ARRAY_MIN;

	while (size < logged)
		size *= 2;
	if (size != logged && last != logged)
		return UNKNOWN; /* cleared and wrapped since */
	return size;
}

/* Why one of the variables is unknown: ST_NODATA if each can be read. */
static enum status unread(const struct system *y)
{
	static const enum layout_id vars[] = { Y_LOG_BUF, Y_LOG_BUF_LEN, Y_LOG_END,
					       Y_LOGGED_CHARS };
	enum status st = ST_OK;
	uint64_t v;

	for (size_t i = 0; i < ARRAY_LEN(vars) && !st; i++)
		if (has(y->k, vars[i]))
			st = kvar_u64(y->k, y->r, vars[i], 4, &v);
	return st ? st : ST_NODATA;
}

/*
 * The N bytes before the end of the ring of SIZE at BUF, from AT on; returns how many are in OUT. A page
 * that cannot be read is left out, and ends a line; *st says why.
 */
static size_t read_ring(const struct system *y, uint64_t buf, uint64_t size, uint64_t at,
			uint64_t n, char *out, enum status *st)
{
	uint64_t page = dump_page_size(y->k->dump), len;
	size_t got = 0;

	for (; n; n -= len, at = (at + len) & (size - 1)) {
		enum status one;

		len = min_u64(min_u64(n, size - at), page - ((buf + at) & (page - 1)));
		one = read_kva(y->r, buf + at, out + got, len);
		if (!one)
			got += len;
		else if (got && out[got - 1] != '\n')
			out[got++] = '\n';
		if (one)
			*st = one;
	}
	return got;
}

void log_text_read(const struct system *y, struct log_lines *l)
{
	bool array = !has(y->k, Y_LOG_BUF_LEN);
	uint64_t last = int_var(y, Y_LOG_END), n = int_var(y, Y_LOGGED_CHARS);
	uint64_t buf = array ? layout_symbol(&y->k->layout, Y_LOG_BUF) : word_var(y, Y_LOG_BUF);
	uint64_t size = !array		  ? int_var(y, Y_LOG_BUF_LEN)
			: n < LOG_BUF_MAX ? array_size(last, n)
					  : UNKNOWN;
	bool counted = n != UNKNOWN;
	enum status st = ST_OK;
	size_t got, blank = 0;
	char *text;

	n = min_u64(n, size);
	/* its length is a power of two (setup_log_buf()) */
	if (buf == UNKNOWN || size > LOG_BUF_MAX || size & (size - 1) || last == UNKNOWN || !n) {
		issue_add(y->k->issues, unread(y), "kernel log", 1, "cannot find its text");
		return;
	}
	text = heap_bytes(n);
	got = read_ring(y, buf, size, (last - n) & (size - 1), n, text, &st);
	if (st)
		issue_add(y->k->issues, st, "kernel log", 1, "cannot read %s of its text",
			  got ? "a part" : "any");
	if (!counted) {
		issue_add(y->k->issues, unread(y), "kernel log", 1,
			  "how much text it has is unknown");
		/* what was never written is zero, and comes first */
		while (blank < got && !text[blank])
			blank++;
	}
	/* each line costs one byte more than its text, and has its newline for that */
	l->budget = n + 1;
	add_text(l, text + blank, text + got);
	free(text);
}
