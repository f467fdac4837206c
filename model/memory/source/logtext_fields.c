/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * logtext_fields.c - texts in which a record is a set of fields:
 *
 *	dmesg --json		objects with pri (a number; by -x fac and pri are names), time, caller, msg. Up to util-linux 2.39
 *				pri of another facility than the kernel's is wrong (LOG_MAKEPRI() of 3 and 6 is 7), and by -F
 *				msg has all that follows in the file: it is cut where the next record begins.
 *	journalctl -o json	an object a line (json-pretty, json-sse, json-seq: the same in other lines)
 *	journalctl -o export	KEY=value, or KEY, a line feed, 64 bits of length and the bytes; an empty line between records
 *	journalctl -o verbose	a line with the cursor, then "    KEY=value"; more lines of a value begin with more blanks
 *
 * Documentation: systemd.io/JOURNAL_EXPORT_FORMATS; systemd's src/shared/logs-show.c; util-linux's sys-utils/dmesg.c.
 */
#include <ctype.h>

#include "dumpread/base/bytes.h"
#include "model/memory/source/logtext.h"
#include "model/model.h"

#define USEC UINT64_C(1000)

struct fields {
	struct log_record r;
	bool message;		/* there is one */
	bool unread;		/* but the tool left it out */
	bool source_time;	/* the kernel's own is known */
	bool transport;		/* it is known: an identifier may be forged */
};

static const struct fields no_fields = {
	.r = { .boot = NO_TIME, .clock = NO_TIME, .level = LOG_LEVEL_UNKNOWN },
};

/* ---- fields ------------------------------------------------------------------------------------ */

static uint64_t number(struct slice v)
{
	uint64_t n = 0;

	slice_skip_blanks(&v);
	return slice_number(&v, 19, &n) ? n : UINT64_MAX;
}

static void set_level(struct fields *f, struct slice v)
{
	static const char *const levels[] = { "emerg", "alert",	 "crit", "err",
					      "warn",  "notice", "info", "debug" };
	uint64_t n = number(v);

	for (unsigned i = 0; i < ARRAY_LEN(levels); i++)
		if (slice_is(v, levels[i]))
			f->r.level = (uint8_t)i;
	if (n == UINT64_MAX)
		return;
	f->r.level = n & 7;
	f->r.facility = n >> 3 ? (uint8_t)min_u64(n >> 3, UINT8_MAX) : f->r.facility;
}

static void set_facility(struct fields *f, struct slice v)
{
	uint64_t n = number(v);

	f->r.facility = n != UINT64_MAX ? (uint8_t)min_u64(n, UINT8_MAX) : !slice_is(v, "kern");
}

static void set_caller(struct fields *f, struct slice v)
{
	uint64_t n;
	bool cpu = slice_skip(&v, "C");

	if ((cpu || slice_skip(&v, "T")) && slice_number(&v, 9, &n))
		f->r.caller = (uint32_t)n | (cpu ? UINT32_C(1) << 31 : 0);
}

/* "    1.500000" */
static void set_seconds(struct fields *f, struct slice v)
{
	uint64_t n;

	slice_skip_blanks(&v);
	if (slice_number(&v, 10, &n))
		f->r.boot = n * 1000 * 1000 * USEC + slice_fraction(&v);
}

static uint64_t from_usec(struct slice v)
{
	uint64_t n = number(v);

	return n < UINT64_MAX / USEC ? n * USEC : NO_TIME;
}

static void set_boot(struct fields *f, struct slice v)
{
	f->r.boot = from_usec(v);
	f->source_time = true;
}

/* When the journal got it: of no use beside the time that the kernel gave it. */
static void set_received(struct fields *f, struct slice v)
{
	if (!f->source_time)
		f->r.boot = from_usec(v);
}

static void set_clock(struct fields *f, struct slice v)
{
	f->r.clock = from_usec(v);
}

static void set_writer(struct fields *f, struct slice v)
{
	f->r.tagged = slice_is(v, "kernel");
	f->r.foreign = !f->r.tagged;
}

static void set_transport(struct fields *f, struct slice v)
{
	f->transport = true;
	set_writer(f, v);
}

static void set_identifier(struct fields *f, struct slice v)
{
	if (!f->transport)
		set_writer(f, v);
}

static void set_message(struct fields *f, struct slice v)
{
	f->r.text = v;
	f->message = true;
	f->unread |= log_is_blob(v);
}

static void set_field(struct fields *f, struct slice key, struct slice value)
{
	static const struct {
		const char *key;
		void (*set)(struct fields *f, struct slice v);
	} keys[] = {
		{ "msg", set_message },
		{ "MESSAGE", set_message },
		{ "pri", set_level },
		{ "PRIORITY", set_level },
		{ "fac", set_facility },
		{ "SYSLOG_FACILITY", set_facility },
		{ "time", set_seconds },
		{ "caller", set_caller },
		{ "_SOURCE_MONOTONIC_TIMESTAMP", set_boot },
		{ "__MONOTONIC_TIMESTAMP", set_received },
		{ "__REALTIME_TIMESTAMP", set_clock },
		{ "_TRANSPORT", set_transport },
		{ "SYSLOG_IDENTIFIER", set_identifier },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (slice_is(key, keys[i].key))
			keys[i].set(f, value);
}

/* Where a record of the whole file begins in MSG: "\n<6>[    2.500000] ". */
static const char *next_record(struct slice msg)
{
	const char *nl;

	while ((nl = slice_find(&msg, '\n'))) {
		struct slice at = { nl + 1, msg.end };
		uint64_t n;

		msg.p = nl + 1;
		if (!slice_skip(&at, "<") || !slice_number(&at, 3, &n) || !slice_skip(&at, ">["))
			continue;
		slice_skip_blanks(&at);
		if (slice_number(&at, 10, &n) && slice_skip(&at, "."))
			return nl;
	}
	return NULL;
}

/* A caller that dmesg did not know is still in the text. */
static void take_caller(struct fields *f)
{
	struct slice at = f->r.text, id;

	if (f->r.caller || !slice_skip(&at, "["))
		return;
	slice_skip_blanks(&at);
	id = at;
	id.end = slice_find(&at, ']');
	if (!id.end)
		return;
	set_caller(f, id);
	at.p = id.end + 1;
	slice_skip(&at, " ");
	if (f->r.caller)
		f->r.text = at;
}

/* The fields of a record are there. False: it has no text. */
static bool finish(struct log_reader *r, struct fields *f, struct log_record *ret)
{
	const char *end;

	if (!f->message)
		return false;
	/* of the kernel, if nothing says that it is not */
	f->r.of_kernel = !f->r.foreign;
	r->unread += f->unread && f->r.of_kernel;
	if (f->unread)
		return false;
	take_caller(f);
	end = next_record(f->r.text);
	f->r.text.end = end ? end : f->r.text.end;
	while (f->r.text.end > f->r.text.p && f->r.text.end[-1] == '\n')
		f->r.text.end--;
	r->of = f->r;
	r->lines = f->r.text;
	*ret = f->r;
	if (r->lines.p != r->lines.end)
		log_next_of_message(r, ret);
	return true;
}

/* ---- JSON -------------------------------------------------------------------------------------- */

/* The bytes of one code point as UTF-8; control codes are what the kernel's texts have. */
static size_t put_utf8(char *to, unsigned c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | c >> 12);
	to[1] = (char)(0x80 | (c >> 6 & 0x3f));
	to[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

static bool take_hex(const char **p, const char *end, unsigned *ret)
{
	if (end - *p < 4)
		return false;
	*ret = 0;
	for (int i = 0; i < 4; i++) {
		char c = (*p)[i];

		if (!isxdigit((unsigned char)c))
			return false;
		*ret = *ret << 4 |
		       (unsigned)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
	}
	*p += 4;
	return true;
}

static struct slice json_unescape(struct slice s, struct arena *mem)
{
	static const char from[] = "nrtbf", what[] = "\n\r\t\b\f";
	char *to;
	size_t n = 0;

	if (!slice_find(&s, '\\'))
		return s;
	to = arena_array(mem, char, slice_left(&s) + 1);
	while (s.p < s.end) {
		const char *at;
		unsigned c;

		if (*s.p != '\\' || s.p + 1 == s.end) {
			to[n++] = *s.p++;
			continue;
		}
		s.p += 2;
		at = strchr(from, s.p[-1]);
		if (s.p[-1] == 'u' && take_hex(&s.p, s.end, &c))
			n += put_utf8(to + n, c);
		else
			to[n++] = at && *at ? what[at - from] : s.p[-1];
	}
	return (struct slice){ to, to + n };
}

/* Behind the first quote; the text is not yet unescaped. False: it does not end in this line. */
static bool json_string(struct slice *s, struct slice *ret)
{
	const char *p = s->p;

	while (p < s->end && *p != '"' && *p != '\n')
		p += *p == '\\' && p + 1 < s->end ? 2 : 1;
	if (p >= s->end || *p != '"') {
		s->p = p;
		return false;
	}
	*ret = (struct slice){ s->p, p };
	s->p = p + 1;
	return true;
}

static void json_blanks(struct slice *s)
{
	while (s->p < s->end && strchr(" \t\r\n", *s->p))
		s->p++;
}

/* "[ 72, 105 ]": the bytes of a text that is not UTF-8. What is no number ends it. */
static struct slice json_bytes(struct slice *s, struct arena *mem)
{
	struct slice in = *s;
	size_t n = 0;
	uint64_t byte;
	char *to;

	while (s->p < s->end && *s->p && strchr("0123456789, \t\r\n", *s->p))
		s->p++;
	in.end = s->p;
	to = arena_array(mem, char, slice_left(&in) / 2 + 2);
	while (in.p < in.end) {
		if (slice_number(&in, 3, &byte))
			to[n++] = (char)byte;
		else
			in.p++;
	}
	return (struct slice){ to, to + n };
}

/* A value, and its field. Objects in objects and lists are passed: their parts are fields like others. */
static void json_value(struct log_reader *r, struct fields *f, struct slice key)
{
	struct slice *s = &r->rest, value = { s->p, s->p };

	json_blanks(s);
	if (s->p == s->end || *s->p == '{' || slice_is(key, "dmesg"))
		return;
	if (slice_skip(s, "\"")) {
		if (json_string(s, &value))
			set_field(f, key, json_unescape(value, r->mem));
		return;
	}
	if (slice_skip(s, "[")) {
		value = json_bytes(s, r->mem);
		/* the texts of a field that stands there several times: the first */
		if (!slice_skip(s, "\""))
			set_field(f, key, value);
		else if (json_string(s, &value))
			set_field(f, key, json_unescape(value, r->mem));
		return;
	}
	value.p = s->p;
	while (s->p < s->end && !strchr(",}\n", *s->p))
		s->p++;
	value.end = s->p;
	if (slice_is(value, "null") && slice_is(key, "MESSAGE"))
		f->message = f->unread = true;
	else
		set_field(f, key, value);
}

static bool next_json(struct log_reader *r, struct log_record *ret)
{
	struct slice *s = &r->rest, key;
	struct fields f = no_fields;
	bool open = false;

	if (log_next_of_message(r, ret))
		return true;
	while (s->p < s->end) {
		char c = *s->p++;

		if (c == '{') {
			f = no_fields;
			open = true;
		}
		if (c == '}' && open && finish(r, &f, ret))
			return true;
		if (c != '"' || !json_string(s, &key))
			continue;
		json_blanks(s);
		if (slice_skip(s, ":"))
			json_value(r, &f, key);
	}
	return false;
}

/* A tail: another record begins in its beginning. */
static bool is_json_tail(struct slice all)
{
	static const char *const signs[] = { "\n      },{\n         \"pri\":",
					     "\n      },{\n         \"fac\":",
					     "}\n{\"",
					     "}\n{ \"",
					     "\n}\n{\n",
					     "}\n\036{",
					     "}\n\ndata: {" };
	size_t n = min_u64(slice_left(&all), 4096);

	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (memmem(all.p, n, signs[i], strlen(signs[i])))
			return true;
	return false;
}

static bool is_json(struct slice all)
{
	if (is_json_tail(all))
		return true;
	if (slice_skip(&all, "\036") || slice_skip(&all, "data: "))
		json_blanks(&all);
	json_blanks(&all);
	if (!slice_skip(&all, "{"))
		return false;
	json_blanks(&all);
	return all.p < all.end && *all.p == '"';
}

/* ---- the journal's lines of fields ----------------------------------------------------------------- */

static bool is_key(struct slice s)
{
	if (s.p == s.end || slice_left(&s) > 64)
		return false;
	for (; s.p < s.end; s.p++)
		if (!isupper((unsigned char)*s.p) && !isdigit((unsigned char)*s.p) && *s.p != '_')
			return false;
	return true;
}

/* Behind "KEY\n": the bytes, of which the length stands before them. */
static bool take_bytes(struct slice *s, struct slice *ret)
{
	uint64_t n = slice_left(s) >= 8 ? load64(s->p, false) : UINT64_MAX;

	if (n > slice_left(s) - min_u64(8, slice_left(s)))
		return false;
	*ret = (struct slice){ s->p + 8, s->p + 8 + n };
	s->p += 8 + n;
	slice_skip(s, "\n");
	return true;
}

static void take_pair(struct log_reader *r, struct fields *f, struct slice line)
{
	const char *equal = slice_find(&line, '=');
	struct slice key = { line.p, equal ? equal : line.end }, value = { NULL, NULL };

	if (!is_key(key))
		return;
	if (equal)
		set_field(f, key, (struct slice){ equal + 1, line.end });
	else if (take_bytes(&r->rest, &value))
		set_field(f, key, value);
}

static bool next_export(struct log_reader *r, struct log_record *ret)
{
	struct fields f = no_fields;
	struct slice line;

	if (log_next_of_message(r, ret))
		return true;
	while (r->rest.p < r->rest.end) {
		const char *nl = slice_find(&r->rest, '\n');

		line = (struct slice){ r->rest.p, nl ? nl : r->rest.end };
		r->rest.p = nl ? nl + 1 : r->rest.end;
		if (line.p != line.end) {
			take_pair(r, &f, line);
			continue;
		}
		if (finish(r, &f, ret))
			return true;
		f = no_fields;
	}
	return finish(r, &f, ret);
}

/* Of a tail too: a whole record is in its beginning. */
static bool is_export(struct slice all)
{
	struct slice head = { all.p, all.p + min_u64(slice_left(&all), 4096) };

	return slice_skip(&all, "__CURSOR=") ||
	       memmem(head.p, slice_left(&head), "\n\n__CURSOR=s=", 12);
}

/* "Fri 2026-11-27 05:00:00.123456 UTC [s=..;i=..;b=..;m=..;t=..;x=..]" */
static bool is_verbose_head(struct slice line)
{
	const char *at = slice_left(&line) > 20 ? memmem(line.p, slice_left(&line), " [s=", 4)
						: NULL;

	return at && *line.p != ' ' && at - line.p < 64 && line.end[-1] == ']' &&
	       memmem(at, (size_t)(line.end - at), ";m=", 3);
}

static void verbose_head(struct fields *f, struct slice line)
{
	const char *m = memmem(line.p, slice_left(&line), ";m=", 3);
	uint64_t usec = 0;

	for (m += 3; m < line.end && isxdigit((unsigned char)*m) && usec < UINT64_C(1) << 56; m++)
		usec = usec << 4 |
		       (unsigned)(isdigit((unsigned char)*m) ? *m - '0' : (*m | 32) - 'a' + 10);
	if (!f->source_time)
		f->r.boot = usec < UINT64_MAX / USEC ? usec * USEC : NO_TIME;
}

static bool next_verbose(struct log_reader *r, struct log_record *ret)
{
	struct fields f = no_fields;
	struct slice line, before;
	bool in_message = false;

	r->indent = 4 + sizeof("MESSAGE=") - 1;
	if (log_next_of_message(r, ret))
		return true;
	for (before = r->rest; log_take_line(r, &line); before = r->rest) {
		if (is_verbose_head(line)) {
			if (f.message) {
				r->rest = before;
				break;
			}
			f = no_fields;
			verbose_head(&f, line);
		} else if (slice_skip(&line, "    ") && line.p < line.end && *line.p != ' ') {
			in_message = slice_left(&line) > 8 && !memcmp(line.p, "MESSAGE=", 8);
			if (slice_find(&line, '='))
				take_pair(r, &f, line);
		} else if (in_message && f.message) {
			/* it stands right behind the line before it, or was not plain */
			if (line.end > f.r.text.end && line.end <= r->rest.end &&
			    line.p > f.r.text.p)
				f.r.text.end = line.end;
		}
	}
	return finish(r, &f, ret);
}

static bool is_verbose(struct slice all)
{
	for (int i = 0; i < 64 && all.p < all.end; i++) {
		const char *nl = slice_find(&all, '\n');

		if (is_verbose_head((struct slice){ all.p, nl ? nl : all.end }))
			return true;
		all.p = nl ? nl + 1 : all.end;
	}
	return false;
}

log_next *log_form(struct slice all)
{
	return is_json(all)	 ? next_json
	       : is_export(all)	 ? next_export
	       : is_verbose(all) ? next_verbose
				 : log_next_line;
}
