/* SPDX-License-Identifier: GPL-3.0-or-later */
/* logtext.c - a text of the kernel's log as a source. logtext.h lists its forms. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/machine/machine.h"
#include "model/memory/source/capture.h"
#include "model/memory/source/logtext.h"

#define LINES_MAX 50000000u

/* ---- what the records are like ------------------------------------------------------------------ */

struct habits {
	bool of_kernel, boot, callers;	/* some are */
	struct slice host;		/* short-monotonic: of its first line */
};

/* True: records before this one are to be seen in another way. */
static bool learn(struct habits *h, const struct log_record *r)
{
	struct habits before = *h;

	if (r->foreign)
		return false;
	h->of_kernel |= r->of_kernel;
	h->boot |= r->boot != NO_TIME;
	h->callers |= r->caller != 0;
	if (!slice_left(&h->host))
		h->host = r->host;
	return before.of_kernel != h->of_kernel || before.boot != h->boot ||
	       before.host.p != h->host.p;
}

/* Is it the kernel's? With "HOST kernel:" on some lines, lines with HOST and another word are other programs'. */
static bool is_record(const struct habits *h, const struct log_record *r)
{
	struct slice text = r->text, word;

	if (r->foreign)
		return false;
	if (slice_left(&h->host) && !r->tagged) {
		word = slice_word(&text);
		if (slice_left(&word) == slice_left(&h->host) &&
		    !memcmp(h->host.p, word.p, slice_left(&word)))
			return false;
	}
	return r->of_kernel || !h->of_kernel;
}

static const char *slice_search(const struct slice *s, const char *word)
{
	return slice_left(s) ? memmem(s->p, slice_left(s), word, strlen(word)) : NULL;
}

/* Words of which a file without any prefix must have one. */
static bool is_sign(const struct slice *text)
{
	static const char *const signs[] = {
		"Linux version ",  "oom-killer: ",	 "Out of memory",
		"out of memory: ", "Kernel panic - not syncing", "page allocation ",
		"lowmemorykiller: ", "send sigkill to ", "VM_FAULT_OOM"
	};

	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (slice_search(text, signs[i]))
			return true;
	return false;
}

/* ---- the release ----------------------------------------------------------------------------------- */

/* "CPU: 0 PID: 1 Comm: a Not tainted 3.10.0-1127.el7.x86_64 #1", "Pid: 1, comm: a Tainted: G 2.6.32 #1" */
static struct slice release_of_header(const struct slice *text)
{
	struct slice none = { NULL, NULL }, at = *text, ret;

	if (!slice_left(&at) || !strchr("CP", *at.p))
		return none;
	at.p = slice_search(text, "ainted");
	ret.end = at.p ? slice_search(&at, " #") : NULL;
	if (!ret.end)
		return none;
	for (ret.p = ret.end; ret.p > at.p && ret.p[-1] != ' ';)
		ret.p--;
	return ret;
}

/* The same, or "Linux version 6.1.0 (...)". */
static void find_release(struct capture *c, struct slice text)
{
	struct slice r;

	if (c->release)
		return;
	if (slice_skip(&text, "Linux version "))
		r = slice_word(&text);
	else
		r = release_of_header(&text);
	if (!slice_left(&r) || !isdigit((unsigned char)*r.p))
		return;
	c->release = arena_strndup(&c->mem, r.p, slice_left(&r));
	c->version = arena_printf(&c->mem, "%.*s ",
				  (int)min_u64((uint64_t)(text.end - r.end), 1024), r.end);
}

/* ---- reading ---------------------------------------------------------------------------------------- */

/* What is found in one pass over the text. */
struct pass {
	struct capture *c;
	struct habits h;
	uint64_t first;		/* the clock of the first record that has one */
	uint64_t of_kernel;	/* records with a prefix of the kernel */
	bool sign;
	bool open;		/* some texts end with another byte than a newline, and are not yet terminated */
};

/* What is behind a text separates it from the next, and was passed if it is a newline. */
static void terminate(struct pass *p, const struct log_line *l)
{
	char *end = (char *)l->text + l->len;

	if (*end == '\n')
		*end = 0;
	else
		p->open |= *end;
}

static void terminate_all(const struct pass *p)
{
	const struct capture *c = p->c;

	for (size_t i = 0; p->open && i < c->log.n; i++)
		((char *)c->log.v[i].text)[c->log.v[i].len] = 0;
}

/* Before the text is read again. */
static void forget(struct pass *p)
{
	struct capture *c = p->c;

	for (size_t i = 0; i < c->log.n; i++)
		if (!c->log.v[i].text[c->log.v[i].len])
			((char *)c->log.v[i].text)[c->log.v[i].len] = '\n';
	c->log.n = 0;
	p->of_kernel = p->sign = p->open = 0;
	p->first = NO_TIME;
}

static void add(struct pass *p, const struct log_record *r)
{
	struct capture *c = p->c;
	uint64_t clock = r->clock == NO_TIME ? NO_TIME : r->clock - p->first;
	const char *stamp = !p->h.boot && slice_left(&r->stamp)
				    ? arena_strndup(&c->mem, r->stamp.p, slice_left(&r->stamp))
				    : NULL;
	struct log_line l = {
		.ts = p->h.boot ? r->boot : clock,
		.level = r->level,
		.facility = r->facility,
		.caller = r->caller,
		.printed = stamp,
		.text = r->text.p,
		.len = (uint32_t)min_u64(slice_left(&r->text), UINT32_MAX),
	};

	/* a record of several lines has its time on the first */
	if (l.ts == NO_TIME && c->log.n)
		l.ts = c->log.v[c->log.n - 1].ts;
	find_release(c, r->text);
	*vec_push(&c->mem, &c->log) = l;
	terminate(p, &l);
}

static void take(struct pass *p, struct log_record *r)
{
	/* a clock that was set back: no time is before the first */
	if (r->clock != NO_TIME) {
		p->first = p->first == NO_TIME ? r->clock : p->first;
		r->clock = max_u64(r->clock, p->first);
	}
	add(p, r);
	p->of_kernel += r->of_kernel;
	if (!p->sign && p->of_kernel < 3)
		p->sign = is_sign(&r->text);
}

/* What a record is depends on all of them: false, if it turned out otherwise, and all are to be read again. */
static bool read_all(struct pass *p, struct log_reader *r, log_next *next)
{
	struct log_record rec;

	forget(p);
	while (next(r, &rec)) {
		if (learn(&p->h, &rec) && p->c->log.n)
			return false;
		r->no_clock = p->h.boot;
		if (!is_record(&p->h, &rec))
			continue;
		if (p->c->log.n == LINES_MAX) {
			issue_add(&p->c->issues, ST_LIMIT, "line of the log", 1, "more than %u",
				  LINES_MAX);
			break;
		}
		take(p, &rec);
	}
	return true;
}

static void tell_lacks(struct capture *c, const struct log_reader *r)
{
	if (r->unread)
		issue_add(&c->issues, ST_NODATA, "message of the log", r->unread,
			  "journalctl left it out, as blob data or null: --all writes it");
	if (r->cut)
		issue_add(&c->issues, ST_NODATA, "message of the log", r->cut,
			  "fragments that netconsole sent did not arrive");
}

static bool logtext_parse(struct capture *c, uint8_t *data, size_t len)
{
	struct slice all = { (const char *)data, (const char *)data + len };
	struct pass p = { .c = c };
	struct log_reader r;
	bool whole;

	all = log_order_parts(all, &c->mem);
	do {
		r = (struct log_reader){ .rest = all, .mem = &c->mem };
		whole = read_all(&p, &r, log_form(all));
	} while (!whole);
	tell_lacks(c, &r);
	c->callers = p.h.callers;
	c->by_clock = !p.h.boot;
	terminate_all(&p);
	return c->log.n && (p.sign || p.of_kernel >= 3);
}

/* Text: no bytes that only data has. What it says is looked at when it is read. */
static bool logtext_probe(const uint8_t *head, size_t len)
{
	const struct slice s = { (const char *)head, (const char *)head + len };

	if (log_form(s) != log_next_line)
		return true;
	for (size_t i = 0; i < len; i++)
		if (head[i] < ' ' && !strchr("\t\n\r\f\033", head[i]))
			return false;
	return len;
}

const struct capture_format capture_log = {
	.name = "kernel log", .source = &source_log, .probe = logtext_probe, .parse = logtext_parse, .keeps = true,
};

/* ---- the source ------------------------------------------------------------------------------ */

static void build(struct snapshot *s, unsigned needs, const struct snapshot_opts *o)
{
	struct capture *c = s->k->capture;

	(void)needs;
	(void)o;
	s->machine.oom_kills = UINT64_MAX;
	s->machine.panic_pid = -1;
	memset(s->machine.load, 0xff, sizeof(s->machine.load));
	s->machine.log_alone = true;
	s->machine.log_callers = c->callers;
	s->machine.log_by_clock = c->by_clock;
	machine_log_lines(s, c->log.v, (uint32_t)c->log.n);
}

static void about(const struct kernel *k, struct source_about *ret)
{
	ret->kind = "log";
	ret->format = k->capture->format;
}

const struct source source_log = {
	.name = "log",
	.offers = NEED_LOG | NEED_MACHINE,
	.build = build,
	.about = about,
};
