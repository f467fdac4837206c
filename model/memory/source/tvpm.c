/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tvpm.c - the text of the collector of "Linux Physical Memory Analysis"
 * (P. Movall, W. Nelson, S. Wetzstein; USENIX 2005, Figure 1):
 *
 *     T: comm, pid, mm, cpu, n1, n2, n3, n4, n5, n6           a task
 *     V: start, last, vsize, rss, page prot, flags, file      a VMA of it
 *     P: user, exec, read-only, single, shared                its present pages
 *     M: vaddr=PTE, count, page flags | ... |                 each of them, and
 *     vaddr=PTE, count, page flags |                          on, over lines
 *
 * Addresses and flags are hex, of 8 digits or more; a file NULL is none. A
 * name may hold commas; so the fields before and after it are counted instead. Lines
 * may be indented and end in CR LF.
 */
#include "model/memory/source/capture.h"

#include <ctype.h>
#include <string.h>

#define PROBE_BLANKS 64		/* before the first T: */

struct span {
	const uint8_t *p, *end;
};

struct parser {
	struct capture *c;
	size_t line;
	bool in_task;		/* a T: was believed, and it has an mm */
	bool again;		/* its V: came with another T: of the same mm */
	bool in_vma, in_pages;
};

/* ---- words ----------------------------------------------------------------------- */

static bool blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static struct span trim(struct span s)
{
	while (s.p < s.end && blank(*s.p))
		s.p++;
	while (s.p < s.end && blank(s.end[-1]))
		s.end--;
	return s;
}

/* The text up to DELIM, or all of it; *rest is the text after DELIM. */
static struct span until(struct span s, uint8_t delim, struct span *rest)
{
	const uint8_t *at = s.p < s.end ? memchr(s.p, delim, (size_t)(s.end - s.p)) : NULL;

	*rest = (struct span){ at ? at + 1 : s.end, s.end };
	return trim((struct span){ s.p, at ? at : s.end });
}

static bool number(struct span s, unsigned base, uint64_t max, uint64_t *ret)
{
	uint64_t v = 0;

	if (s.p == s.end)
		return false;
	for (; s.p < s.end; s.p++) {
		unsigned c = *s.p, d = 16;

		if (c >= '0' && c <= '9')
			d = c - '0';
		else if (isxdigit((int)c))
			d = (c | 0x20) - 'a' + 10;

		if (d >= base || v > (max - d) / base)
			return false;
		v = v * base + d;
	}
	*ret = v;
	return true;
}

static bool hex(struct span s, uint64_t *ret)
{
	return number(s, 16, UINT64_MAX, ret);
}

/* N fields of S, the first of them hex where bit 0 of HEX is set, and so on. */
static bool numbers(struct span s, unsigned n, unsigned hexes, uint64_t *v)
{
	for (unsigned i = 0; i < n; i++) {
		struct span f = until(s, ',', &s);

		if (!number(f, hexes >> i & 1 ? 16 : 10, UINT64_MAX, &v[i]))
			return false;
	}
	return s.p == s.end;
}

static void damaged(const struct parser *p, const char *why)
{
	issue_add(&p->c->issues, ST_CORRUPT, "line of the capture", 1, "line %zu: %s", p->line,
		  why);
}

/* ---- lines ------------------------------------------------------------------------- */

/* The name may hold commas: nine follow it. */
static bool split_comm(struct span s, struct span *comm, struct span *rest)
{
	const uint8_t *at = s.end;
	unsigned commas = 0;

	while (at > s.p && commas < 9)
		commas += *--at == ',';
	if (commas < 9)
		return false;
	*comm = trim((struct span){ s.p, at });
	*rest = (struct span){ at + 1, s.end };
	return true;
}

static void take_task(struct parser *p, struct span s)
{
	struct capture_task t = { .mm = NONE };
	struct span comm;
	uint64_t v[9];
	size_t len;

	p->in_task = p->in_vma = p->in_pages = false;
	if (!split_comm(s, &comm, &s) || !numbers(s, 9, 1 << 1, v) || v[0] > INT32_MAX ||
	    v[2] > UINT32_MAX) {
		damaged(p, "a task is T: comm, pid, mm, cpu and six numbers");
		return;
	}
	len = (size_t)(comm.end - comm.p);
	if (len >= sizeof(t.comm))
		len = sizeof(t.comm) - 1;
	memcpy(t.comm, comm.p, len);
	t.pid = (int32_t)v[0];
	t.cpu = (uint32_t)v[2];
	memcpy(t.n, &v[3], sizeof(t.n));
	p->in_task = capture_task(p->c, &t, v[1], p->line, &p->again) && v[1];
}

static void take_vma(struct parser *p, struct span s)
{
	struct capture_vma v = { .line = p->line };
	struct span f[6], name;
	uint64_t last, size;

	p->in_vma = p->in_pages = false;
	if (!p->in_task || p->again)
		return;
	for (unsigned i = 0; i < 6; i++)
		f[i] = until(s, ',', &s);
	name = trim(s);
	if (!hex(f[0], &v.start) || !hex(f[1], &last) || !hex(f[2], &size) || !hex(f[3], &v.rss) ||
	    !hex(f[4], &v.prot) || !hex(f[5], &v.flags)) {
		damaged(p, "a VMA is V: six hex numbers and a name");
		return;
	}
	v.end = last + 1;
	if (v.end - v.start != size)
		damaged(p, "the size of the VMA is not that of its addresses");
	if (name.p < name.end && !(name.end - name.p == 4 && !memcmp(name.p, "NULL", 4)))
		v.file = arena_strndup(&p->c->mem, (const char *)name.p,
				       (size_t)(name.end - name.p));
	p->in_vma = capture_vma(p->c, &v);
}

static void take_counts(struct parser *p, struct span s)
{
	struct capture_counts *n;
	uint64_t v[5];

	p->in_pages = false;
	if (!p->in_vma)
		return;
	if (!numbers(s, 5, 0, v)) {
		damaged(p, "counts are P: five numbers");
		return;
	}
	n = &p->c->vmas.v[p->c->vmas.n - 1].counts;
	*n = (struct capture_counts){ v[0], v[1], v[2], v[3], v[4], true };
}

static void take_pages(struct parser *p, struct span s)
{
	p->in_pages = true;
	while (p->in_vma && s.p < s.end) {
		struct span item = until(s, '|', &s), va = until(item, '=', &item);
		struct capture_page page = { 0 };
		uint64_t v[3];

		if (va.p == va.end && item.p == item.end)
			continue;
		if (!hex(va, &page.va) || !numbers(item, 3, 1 | 1 << 2, v) || v[1] > UINT32_MAX) {
			damaged(p, "a page is vaddr=PTE, count, flags");
			continue;
		}
		page.count = (uint32_t)v[1];
		page.flags = v[2];
		capture_page(p->c, &page, v[0], p->line);
	}
}

static void take_line(struct parser *p, struct span s)
{
	static const struct {
		uint8_t key;
		void (*take)(struct parser *p, struct span s);
	} keys[] = {
		{ 'T', take_task },
		{ 'V', take_vma },
		{ 'P', take_counts },
		{ 'M', take_pages },
	};

	s = trim(s);
	if (s.p == s.end)
		return;
	for (size_t i = 0; s.end - s.p >= 2 && s.p[1] == ':' && i < 4; i++)
		if (s.p[0] == keys[i].key) {
			s.p += 2;
			keys[i].take(p, s);
			return;
		}
	if (p->in_pages)
		take_pages(p, s);
	else
		damaged(p, "begins with none of T: V: P: M:");
}

static bool tvpm_parse(struct capture *c, uint8_t *data, size_t len)
{
	struct parser p = { .c = c };
	struct span s = { data, data + len };

	while (s.p < s.end) {
		struct span line = until(s, '\n', &s);

		p.line++;
		take_line(&p, line);
	}
	return true;
}

static bool probe(const uint8_t *head, size_t len)
{
	struct span s = { head, head + len };
	struct span comm;

	while (s.p < s.end && (size_t)(s.p - head) < PROBE_BLANKS && (blank(*s.p) || *s.p == '\n'))
		s.p++;
	if (s.end - s.p < 2 || s.p[0] != 'T' || s.p[1] != ':')
		return false;
	s.p += 2;
	return split_comm(until(s, '\n', &(struct span){ 0, 0 }), &comm, &s);
}

const struct capture_format capture_tvpm = {
	.name = "T:/V:/P:/M: text", .source = &source_collector, .probe = probe, .parse = tvpm_parse,
};
