/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/machine/edits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout.h"
#include "facts/layout/base.h"
#include "facts/layout/task.h"

#define LINES_MAX 400u
#define WORDS 16u
#define LINE_BYTES 512u

/* What a line may name, and how the ids of its members begin. */
static const struct kind { const char *name, *members, *word; unsigned at; } kinds[] = {
	{ "task", "M_TASK_", "task", 1 }, { "mm", "M_MM_", "mm", 1 }, { "pgd", "M_MM_", "mm", 1 },
	{ "vma", "M_VMA_", "area", 1 }, { "file", "M_FILE_", "file", 1 },
	{ "dentry", "M_DENTRY_", "file", 1 }, { "inode", "M_INODE_", "file", 1 },
	{ "page", "M_PAGE_", "frame", 1 }, { "page", "M_PAGE_", "page", 2 },
	{ "page", "M_PAGE_", "compound", 1 }, { "frame", "M_PAGE_", "page", 2 },
	{ "maple", "M_MN_", "mm", 1 }, { "table", "M_MM_", "page", 1 },
};

static void *grown(void *p, size_t n)
{
	void *q = realloc(p, n);

	if (!q)
		abort();
	return q;
}

static char *printed(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static char *printed(const char *fmt, ...)
{
	char text[LINE_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return strdup(text);
}

/* LINE belongs to S afterwards. */
static void insert(struct script *s, unsigned at, char *line)
{
	if (s->nlines == LINES_MAX) {
		free(line);
		return;
	}
	s->line = grown(s->line, (s->nlines + 1) * sizeof(*s->line));
	memmove(s->line + at + 1, s->line + at, (s->nlines - at) * sizeof(*s->line));
	s->line[at] = line;
	s->nlines++;
}

static void delete (struct script *s, unsigned at)
{
	free(s->line[at]);
	s->nlines--;
	memmove(s->line + at, s->line + at + 1, (s->nlines - at) * sizeof(*s->line));
}

static bool begins(const char *line, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(line, word, n) && line[n] == ' ';
}

struct words {
	char text[LINE_BYTES];
	char *w[WORDS];
	unsigned n;
};

static void split(const char *line, struct words *w)
{
	char *save = NULL;

	snprintf(w->text, sizeof(w->text), "%s", line);
	w->n = 0;
	for (char *s = strtok_r(w->text, " \t", &save); s && w->n < WORDS;
	     s = strtok_r(NULL, " \t", &save))
		w->w[w->n++] = s;
}

static void join(struct script *s, unsigned at, const struct words *w)
{
	char text[2 * LINE_BYTES] = "";
	size_t n = 0;

	for (unsigned i = 0; i < w->n && n < LINE_BYTES; i++)
		n += (size_t)snprintf(text + n, LINE_BYTES - n, "%s%s", i ? " " : "", w->w[i]);
	free(s->line[at]);
	s->line[at] = printed("%s", text);
}

static const char *with(const char *word, const char *key, const char *value)
{
	return strcmp(word, key) ? word : value;
}

bool script_read(struct script *s, const char *path, const char *release, int huge)
{
	char text[LINE_BYTES], shift[12], frames[24];
	FILE *in = fopen(path, "re");

	memset(s, 0, sizeof(*s));
	if (!in) {
		fprintf(stderr, "%s: cannot be read\n", path);
		return false;
	}
	snprintf(shift, sizeof(shift), "%d", huge);
	snprintf(frames, sizeof(frames), "%d", 4096 + (huge > 12 ? 6 << (huge - 12) : 0));
	while (fgets(text, sizeof(text), in)) {
		struct words w;

		text[strcspn(text, "#\n")] = 0;
		split(text, &w);
		if (!w.n)
			continue;
		for (unsigned i = 1; i < w.n; i++) {
			const char *word = with(with(w.w[i], "RELEASE", release), "HUGE", shift);

			w.w[i] = (char *)(uintptr_t)with(word, "FRAMES", frames);
		}
		insert(s, s->nlines, NULL);
		join(s, s->nlines - 1, &w);
	}
	fclose(in);
	return true;
}

/* ---- edits ---------------------------------------------------------------------------- */

struct order {
	unsigned what, line, word, other;
	uint32_t value;
};

/* The line from AT on, round the end, that begins with WORD; -1: there is none. */
static int find(const struct script *s, unsigned at, const char *word)
{
	for (unsigned i = 0; i < s->nlines; i++)
		if (begins(s->line[(at + i) % s->nlines], word))
			return (int)((at + i) % s->nlines);
	return -1;
}

static uint64_t limit(uint32_t value)
{
	static const uint64_t limits[] = {
		0, 1, 2, 3, 7, 0x13, 0xff, 0x1000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
		UINT64_C(1) << 32, UINT64_C(1) << 47, UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX - 4095,
		0xc0000000, 0xffff888000000000, 0xffffffff81000000, 0x10000000,
	};

	return value < 256 ? limits[value % ARRAY_LEN(limits)] : value;
}

static void set_number(struct script *s, const struct order *o)
{
	struct words w;
	char text[32], *end;
	uint64_t v = limit(o->value);

	split(s->line[o->line], &w);
	if (w.n < 2)
		return;
	if (o->what == EDIT_ADD) {
		v = strtoull(w.w[1 + o->word % (w.n - 1)], &end, 0);
		if (*end)
			return;
		v += (uint64_t)(int64_t)(int8_t)o->value * (v >= 0x10000 ? 4096 : 1);
	}
	snprintf(text, sizeof(text), v < 0x10000 ? "%" PRIu64 : "%#" PRIx64, v);
	w.w[1 + o->word % (w.n - 1)] = text;
	join(s, o->line, &w);
}

static void set_word(struct script *s, const struct order *o)
{
	struct words w, from;

	split(s->line[o->line], &w);
	split(s->line[o->other], &from);
	if (w.n < 2 || from.n < 2)
		return;
	w.w[1 + o->word % (w.n - 1)] = from.w[1 + o->value % (from.n - 1)];
	join(s, o->line, &w);
}

static const char *bits_of(unsigned i)
{
	static const char *const bits[] = {
		"-", "y", "x", "xy", "wdy", "wd", "w", "d", "dy", "yn", "wdyn", "m", "wm", "ym", "o",
	};

	return bits[i % ARRAY_LEN(bits)];
}

static void set_bits(struct script *s, const struct order *o)
{
	int at = find(s, o->line, o->word & 1 ? "page" : "entry");
	struct words w;
	char bits[16];

	if (at < 0)
		at = find(s, o->line, "page");
	if (at < 0)
		return;
	split(s->line[at], &w);
	snprintf(bits, sizeof(bits), "%s", bits_of(o->value));
	w.w[w.n - 1] = bits;
	join(s, (unsigned)at, &w);
}

static bool of_mm(const char *line)
{
	static const char *const words[] = {
		"area", "page", "pages", "swap", "entry", "brk", "stack",
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (begins(line, words[i]))
			return true;
	return false;
}

static void add_page(struct script *s, const struct order *o)
{
	int area = find(s, o->line, "area"), page = find(s, o->other, "page");
	struct words w;
	char frame[64];
	uint64_t start, pages;
	unsigned at = (unsigned)area;

	if (area < 0)
		return;
	split(s->line[area], &w);
	start = strtoull(w.w[1], NULL, 0);
	pages = w.n > 2 ? (strtoull(w.w[2], NULL, 0) - start) >> 12 : 0;
	if (!pages || pages > 1u << 20)
		return;
	snprintf(frame, sizeof(frame), "new.%u", o->word & 15);
	if (page >= 0 && !(o->word & 16)) {
		split(s->line[page], &w);
		snprintf(frame, sizeof(frame), "%s", w.w[2]);
	}
	start += (o->value >> 8) % pages << 12;
	while (at < s->nlines && of_mm(s->line[at]))
		at++;
	if (o->word & 32)
		insert(s, at, printed("swap %#" PRIx64 " %u", start, o->value & 15));
	else
		insert(s, at,
		       printed("page %#" PRIx64 " %s %s", start, frame, bits_of(o->value & 255)));
}

/* "KIND NAME" of the object of that number. */
static const struct kind *object(const struct script *s, unsigned which, unsigned from, char *to,
				 size_t size)
{
	const struct kind *k = &kinds[which % ARRAY_LEN(kinds)];
	int at = find(s, from, k->word);
	struct words w;
	const char *mm = "";

	if (at < 0)
		return NULL;
	split(s->line[at], &w);
	for (int i = at; i >= 0 && !*mm; i--)
		if (begins(s->line[i], "mm"))
			mm = s->line[i] + 3;
	if (!strcmp(k->name, "vma"))
		snprintf(to, size, "%s %s:%s", k->name, mm, w.w[1]);
	else if (!strcmp(k->name, "table"))
		snprintf(to, size, "%s %s:%#llx", k->name, mm,
			 strtoull(w.w[1], NULL, 0) & ~0x1fffffULL);
	else if (w.n > k->at)
		snprintf(to, size, "%s %s", k->name, w.w[k->at]);
	else
		return NULL;
	return k;
}

static const char *member(const struct kind *k, unsigned which)
{
	const char *found[LAYOUT_COUNT];
	unsigned n = 0;

	for (int i = 0; i < LAYOUT_COUNT; i++)
		if (fact_specs[i].id && !strncmp(fact_specs[i].id, k->members, strlen(k->members)))
			found[n++] = fact_specs[i].id;
	return n ? found[which % n] : "M_LIST_NEXT";
}

static void damage(struct script *s, const struct order *o)
{
	char from[128], to[128];
	const struct kind *k = object(s, o->word, o->line, from, sizeof(from));
	const char *id = k ? member(k, o->value >> 8 & 0xff) : NULL;
	char *line = NULL;

	if (!k)
		return;
	if (o->what == EDIT_LOSE)
		line = printed("lose %s", from);
	else if (o->what == EDIT_POKE && (o->value & 0xff) == 0xff)
		line = printed("poke %s %s unmapped", from, id);
	else if (o->what == EDIT_POKE)
		line = printed("poke %s %s %#" PRIx64, from, id,
			       limit(o->value & 0x80 ? o->value >> 16 : o->value & 0x7f));
	else if (object(s, o->value >> 16, o->other, to, sizeof(to)))
		line = printed("point %s %s %s %u", from, id, to, (o->value & 0xff) * 8);
	if (line)
		insert(s, s->nlines, line);
}

static void links(struct script *s, const struct order *o)
{
	static const char *const lists[] = {
		"alone task %u M_TASK_TASKS", "unlink task %u M_TASK_TASKS", "alone task %u M_TASK_CHILDREN",
		"unlink task %u M_TASK_SIBLING", "alone task %u M_TASK_THREAD_NODE",
	};
	int a = find(s, o->line, "page"), b = find(s, o->other, "page"),
	    t = find(s, o->line, "task");
	struct words w, v;
	const char *mm = "", *mm2 = "";

	if (o->value & 1 && t >= 0) {
		char text[LINE_BYTES];
		const char *list = lists[(o->value >> 1) % ARRAY_LEN(lists)];
		const char *number = strchr(list, '%');

		split(s->line[t], &w);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(number - list), list, w.w[1],
			 number + 2);
		insert(s, s->nlines, printed("%s", text));
		return;
	}
	if (a < 0)
		return;
	split(s->line[a], &w);
	split(s->line[b], &v);
	for (int i = 0; i < a; i++)
		mm = begins(s->line[i], "mm") ? s->line[i] + 3 : mm;
	for (int i = 0; i < b; i++)
		mm2 = begins(s->line[i], "mm") ? s->line[i] + 3 : mm2;
	insert(s, s->nlines,
	       o->value & 2 ? printed("loop %s %s", mm, w.w[1])
			    : printed("twin %s %s %s %s", mm, w.w[1], mm2, v.w[1]));
}

static void edit(struct script *s, const struct order *o)
{
	char *kept;

	switch (o->what) {
	case EDIT_DELETE: delete (s, o->line); break;
	case EDIT_COPY: insert(s, o->line, strdup(s->line[o->other])); break;
	case EDIT_SWAP:
		kept = s->line[o->line];
		s->line[o->line] = s->line[o->other];
		s->line[o->other] = kept;
		break;
	case EDIT_NUMBER:
	case EDIT_ADD: set_number(s, o); break;
	case EDIT_WORD: set_word(s, o); break;
	case EDIT_BITS: set_bits(s, o); break;
	case EDIT_PAGE: add_page(s, o); break;
	case EDIT_LINKS: links(s, o); break;
	default: damage(s, o);
	}
}

void script_edit(struct script *to, const struct script *from, const uint8_t *data, size_t size)
{
	memset(to, 0, sizeof(*to));
	for (unsigned i = 0; i < from->nlines; i++)
		insert(to, i, strdup(from->line[i]));
	for (size_t at = 0; at + EDIT_BYTES <= size && at < EDITS_MAX * EDIT_BYTES;
	     at += EDIT_BYTES) {
		const uint8_t *e = data + at;
		struct order o = {
			.what = e[0] % EDIT_COUNT,
			.word = e[2],
			.value = load32(e + 4, false),
		};

		if (to->nlines < 2)
			break;
		/* the first line is the release */
		o.line = 1 + e[1] % (to->nlines - 1);
		o.other = 1 + e[3] % (to->nlines - 1);
		edit(to, &o);
	}
	for (unsigned i = 0; i < to->nlines; i++) {
		size_t n = strlen(to->line[i]);

		to->text = grown(to->text, to->n + n + 2);
		memcpy(to->text + to->n, to->line[i], n);
		to->text[to->n + n] = '\n';
		to->n += n + 1;
	}
	if (to->text)
		to->text[to->n] = 0;
}

void script_free(struct script *s)
{
	for (unsigned i = 0; i < s->nlines; i++)
		free(s->line[i]);
	free(s->line);
	free(s->text);
	memset(s, 0, sizeof(*s));
}
