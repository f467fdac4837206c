/* SPDX-License-Identifier: GPL-3.0-or-later */
/* logtext_lines.c - texts of a line for each record; what one record has on several lines is joined. */
#include <ctype.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "model/memory/source/logtext.h"

#define MESSAGE_MAX 65536u	/* bytes that netconsole sends in fragments; printk has at most 1 KiB and a dictionary */

/* The message of netconsole whose fragments are arriving. */
struct log_fragments {
	struct log_record of;	/* the first that came */
	bool open;
	uint64_t have, end;	/* bytes that are there; the place behind the last that came */
	uint8_t *there;		/* [MESSAGE_MAX] */
	char *text;		/* [MESSAGE_MAX] */
};

/* ---- bytes that are not as they were ----------------------------------------------------------- */

static bool is_plain(const struct slice *s)
{
	return !slice_find(s, '\r') && !slice_find(s, '\033');
}

bool log_take_line(struct log_reader *r, struct slice *ret)
{
	const char *nl = slice_find(&r->rest, '\n');
	size_t n = 0;
	char *to;

	if (r->rest.p == r->rest.end)
		return false;
	*ret = (struct slice){ r->rest.p, nl ? nl : r->rest.end };
	r->rest.p = nl ? nl + 1 : r->rest.end;
	if (is_plain(ret))
		return true;
	to = arena_array(r->mem, char, slice_left(ret) + 1);
	for (const char *p = ret->p; p < ret->end; p++) {
		if (*p == '\033' && p + 1 < ret->end && p[1] == '[')
			for (p += 2; p < ret->end && !isalpha((unsigned char)*p);)
				p++;
		else if (*p != '\r' && *p != '\033')
			to[n++] = *p;
	}
	*ret = (struct slice){ to, to + n };
	return true;
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct slice log_unescape(struct slice s, struct arena *mem)
{
	char *to;
	size_t n = 0;

	if (!slice_find(&s, '\\'))
		return s;
	to = arena_array(mem, char, slice_left(&s) + 1);
	for (const char *p = s.p; p < s.end; p++) {
		if (s.end - p >= 4 && p[0] == '\\' && p[1] == 'x' && hex(p[2]) >= 0 &&
		    hex(p[3]) >= 0) {
			to[n++] = (char)(hex(p[2]) << 4 | hex(p[3]));
			p += 3;
		} else {
			to[n++] = *p;
		}
	}
	return (struct slice){ to, to + n };
}

bool log_is_blob(struct slice text)
{
	static const char end[] = " blob data]";
	const size_t n = sizeof(end) - 1;

	return slice_left(&text) > n && slice_left(&text) < 32 && *text.p == '[' &&
	       isdigit((unsigned char)text.p[1]) && !memcmp(text.end - n, end, n);
}

/* ---- netconsole: messages in fragments ----------------------------------------------------------- */

/* The newline behind the last line of the message ends a line of the file. */
static bool fragments_are_all(const struct log_fragments *f)
{
	return f->have + 1 >= f->of.of;
}

/* The message as far as it is there. */
static bool fragments_end(struct log_reader *r, struct log_record *ret)
{
	struct log_fragments *f = r->fragments;
	size_t n = 0;
	char *text;

	if (!f || !f->open)
		return false;
	f->open = false;
	while (n < f->of.of && f->there[n] && f->text[n] != '\n')
		n++;
	r->cut += !fragments_are_all(f);
	text = arena_strndup(r->mem, f->text, n);
	*ret = f->of;
	ret->fragment = false;
	ret->text = log_unescape((struct slice){ text, text + n }, r->mem);
	return true;
}

static void fragments_begin(struct log_reader *r, const struct log_record *part)
{
	struct log_fragments *f = r->fragments;

	if (!f) {
		f = r->fragments = arena_array(r->mem, struct log_fragments, 1);
		f->there = arena_array(r->mem, uint8_t, MESSAGE_MAX);
		f->text = arena_array(r->mem, char, MESSAGE_MAX);
	}
	memset(f->there, 0, min_u64(part->of, MESSAGE_MAX));
	f->of = *part;
	f->of.of = min_u64(part->of, MESSAGE_MAX);
	f->have = 0;
	f->open = true;
}

static void fragments_add(struct log_fragments *f, const struct log_record *part)
{
	for (size_t i = 0; i < slice_left(&part->text) && part->at + i < f->of.of; i++) {
		f->have += !f->there[part->at + i];
		f->there[part->at + i] = 1;
		f->text[part->at + i] = part->text.p[i];
	}
	f->end = min_u64(part->at + slice_left(&part->text), f->of.of);
}

static bool is_same_message(const struct log_fragments *f, const struct log_record *part)
{
	return f && f->of.sequence == part->sequence && f->of.boot == part->boot &&
	       f->of.of == min_u64(part->of, MESSAGE_MAX);
}

/*
 * A fragment that is not the last ends without a newline: nc writes the next behind it, with the same header up
 * to "ncfrag=". LINE begins with a fragment; it is cut there, and the rest is read next.
 */
static void split_fragments(struct log_reader *r, struct slice line, struct slice *text)
{
	const char *sign = memmem(line.p, (size_t)(text->p - line.p), "ncfrag=", 7);
	size_t n = sign ? (size_t)(sign + 7 - line.p) : 0;
	const char *next = n ? memmem(text->p, slice_left(text), line.p, n) : NULL;

	/* a line that was copied is not a part of the rest */
	if (!next || line.end > r->rest.p || line.end + 1 < r->rest.p)
		return;
	text->end = next;
	r->rest.p = next;
}

/* True: *PART is a whole record now. */
static bool take_fragment(struct log_reader *r, struct slice line, struct log_record *part)
{
	struct log_record before = { 0 };
	bool ended = false;

	split_fragments(r, line, &part->text);
	if (is_same_message(r->fragments, part) && !r->fragments->open)
		return false; /* sent again */
	if (!is_same_message(r->fragments, part)) {
		ended = fragments_end(r, &before);
		fragments_begin(r, part);
	}
	fragments_add(r->fragments, part);
	if (ended) {
		*part = before;
		return true;
	}
	return fragments_are_all(r->fragments) && fragments_end(r, part);
}

/* A line " KEY=value" behind a fragment is of its dictionary, which begins where the text ends. */
static bool take_dictionary(struct log_fragments *f, struct slice line)
{
	if (!f || !f->open || line.p == line.end || *line.p != ' ' || f->end >= f->of.of)
		return false;
	f->text[f->end] = '\n';
	f->have += !f->there[f->end] + slice_left(&line);
	f->there[f->end] = 1;
	f->end = min_u64(f->end + 1 + slice_left(&line), f->of.of);
	return true;
}

/* ---- logcat ---------------------------------------------------------------------------------------- */

/* Numbers follow the names of counters ("active_anon:12", "Normal free:34kB") without a blank. */
static bool has_blank(struct slice tag, struct slice text)
{
	const char *word = tag.end;

	while (word > tag.p && word[-1] != ' ')
		word--;
	if (slice_is(tag, "oom-kill") || text.p == text.end)
		return false;
	return !isdigit((unsigned char)*text.p) || !(islower((unsigned char)*word) || *word == 'A');
}

/* The text as the kernel wrote it: a blank behind the colon is lost. */
static struct slice with_tag(const struct log_record *rec, struct arena *mem)
{
	struct slice tag = rec->tag;
	size_t a = slice_left(&tag), b = slice_left(&rec->text);
	char *to;

	if (!a)
		return rec->text;
	to = arena_array(mem, char, a + b + 3);
	memcpy(to, tag.p, a);
	to[a++] = ':';
	if (has_blank(tag, rec->text))
		to[a++] = ' ';
	memcpy(to + a, rec->text.p, b);
	return (struct slice){ to, to + a + b };
}

static void join_android(struct log_reader *r, struct log_record *rec)
{
	if (rec->on_next_line)
		log_take_line(r, &rec->text);
	if (slice_is(rec->text, " ")) /* of a tag alone */
		rec->text.p++;
	rec->text = with_tag(rec, r->mem);
}

/* ---- records ----------------------------------------------------------------------------------------- */

/* The next line of a message that has several. */
bool log_next_of_message(struct log_reader *r, struct log_record *ret)
{
	const char *nl;

	if (r->lines.p == r->lines.end)
		return false;
	nl = slice_find(&r->lines, '\n');
	*ret = r->of;
	ret->text = (struct slice){ r->lines.p, nl ? nl : r->lines.end };
	if (r->lines.p != r->of.text.p)
		for (unsigned i = 0; i < r->indent; i++)
			slice_skip(&ret->text, " ");
	r->lines.p = nl ? nl + 1 : r->lines.end;
	return true;
}

static void take_escapes(struct log_reader *r, struct log_record *ret)
{
	r->lines = log_unescape(ret->text, r->mem);
	r->of = *ret;
	if (r->lines.p != r->lines.end)
		log_next_of_message(r, ret);
}

/* Digits where the other has digits, and else the same. */
static bool is_alike(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isdigit((unsigned char)a[i]) ? !isdigit((unsigned char)b[i]) : a[i] != b[i])
			return false;
	return true;
}

/* LINE has "STAMP HOST kernel: [" before the seconds: lines like it are quickly read. */
static void learn_shape(struct log_reader *r, struct slice line, const struct log_record *rec)
{
	const char *bracket;

	if (!rec->tagged || rec->stamp.p != line.p || rec->boot == NO_TIME)
		return;
	line.p = rec->stamp.end;
	bracket = memmem(line.p, slice_left(&line), " kernel: [", 10);
	if (!bracket)
		return;
	r->stamp = rec->stamp;
	r->tag = (struct slice){ rec->stamp.end, bracket + 9 };
}

/* Another program's, of the same host: "sshd[77]: " */
static bool is_foreign(struct slice at, size_t host)
{
	struct slice word;

	at.p += host;
	word = slice_word(&at);
	return slice_left(&word) && word.end[-1] == ':' && !slice_is(word, "kernel:");
}

/* As log_parse() would, where LINE has the shape. */
static bool by_shape(const struct log_reader *r, struct slice line, struct log_record *ret)
{
	size_t stamp = slice_left(&r->stamp), tag = slice_left(&r->tag), host = tag - 8;

	if (!r->no_clock || !stamp || slice_left(&line) <= stamp + tag ||
	    !is_alike(r->stamp.p, line.p, stamp))
		return false;
	line.p += stamp;
	if (memcmp(line.p, r->tag.p, host))
		return false;
	*ret = log_no_record;
	if (memcmp(line.p, r->tag.p, tag))
		return ret->foreign = is_foreign(line, host);
	line.p += tag;
	if (!logtext_seconds(&line, ret))
		return false;
	ret->of_kernel = ret->tagged = true;
	ret->text = line;
	return true;
}

bool log_next_line(struct log_reader *r, struct log_record *ret)
{
	struct slice line;

	if (log_next_of_message(r, ret))
		return true;
	while (log_take_line(r, &line)) {
		if (take_dictionary(r->fragments, line)) {
			if (fragments_are_all(r->fragments))
				return fragments_end(r, ret);
			continue;
		}
		if (by_shape(r, line, ret))
			return true;
		*ret = log_parse(line);
		learn_shape(r, line, ret);
		if (ret->fragment && !take_fragment(r, line, ret))
			continue;
		if (ret->android)
			join_android(r, ret);
		else if (ret->kmsg && slice_find(&ret->text, '\\'))
			take_escapes(r, ret);
		r->unread += (ret->tagged || ret->of_kernel) && log_is_blob(ret->text);
		return true;
	}
	return fragments_end(r, ret);
}
