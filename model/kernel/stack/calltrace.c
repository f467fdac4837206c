/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calltrace.c - reads the call trace of a panic out of the log.
 *
 * A frame by architecture and release:
 *   x86 to 4.9      " [<ffffffff81057adf>] ? f+0x7f/0xc0 [module]", " <IRQ>  [<...>] f+..."
 *   x86 from 4.10   " ? f+0x7f/0xc0 [module]" (commit bb5e5ce545f2), "RIP: 0010:f+0x1/0x2"
 *   modules, 5.16   " f+0x7f/0xc0 [module 0123...]" with CONFIG_STACKTRACE_BUILD_ID
 *   PowerPC         "[c000...] [c000...] .f+0x40/0x80 (unreliable)", "NIP [c000...] f+0x40/0x80"
 *   arm64           " f+0x7f/0xc0", "pc : f+0x7f/0xc0"
 */
#include "model/kernel/stack/calltrace.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/sha1.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/stack/hang.h"

#define LINES_MAX 400u		/* of one trace, with registers, code and modules */
#define NAME_MAX_ 512u		/* KSYM_NAME_LEN is 512 since 6.1, 128 before */
#define HASHED 6u		/* frames in ABRT's hash */

/* ---- one line ---------------------------------------------------------------------------- */

static const char *blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* "<IRQ>", "</TASK>", "<<EOE>>" at S: behind it, and the name into *NAME ("" ends a stack). */
static const char *take_stack(const char *s, struct arena *mem, const char **name)
{
	size_t open = strspn(s, "<"), len = strcspn(s + open, "> \t\n");

	if (!open || s[open + len] != '>' || !len)
		return s;
	if (s[open] == '/' || str_begins(s + open, "EO") || str_begins(s + open, "TASK>"))
		*name = "";
	else
		*name = arena_strndup(mem, s + open, len);
	s += open + len;
	return s + strspn(s, ">");
}

/* "[<ffff...>]" or "[c000...]" at S; behind it. */
static const char *take_address(const char *s)
{
	const char *p = s;
	size_t n;

	if (*p++ != '[')
		return s;
	p += *p == '<';
	n = strspn(p, "0123456789abcdefABCDEF");
	if (n < 8)
		return s;
	p += n;
	p += *p == '>';
	return *p == ']' ? blanks(p + 1) : s;
}

/* What stands before an instruction: "RIP: 0010:", "NIP ", "pc : ". */
static const char *take_at(const char *s, struct call *c)
{
	static const char *const marks[] = { "RIP: ", "EIP: ", "NIP ", "pc : ", "PC is at " };

	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		const char *p = s + strlen(marks[i]);
		size_t segment;

		if (!str_begins(s, marks[i]))
			continue;
		c->at = true;
		segment = strspn(p, "0123456789abcdef");
		if (i < 2 && segment == 4 && p[4] == ':')
			p += 5;
		/* ABRT's parser reads EIP, and RIP in the form with two addresses */
		c->hashed = i == 1 || (i == 0 && *p == '[');
		return p;
	}
	c->hashed = true;
	return s;
}

/* "+0x1/0x2" at S: behind it; NULL: it is none. */
static const char *take_offset(const char *s, struct call *c)
{
	char *end;

	if (!str_begins(s, "+0x"))
		return NULL;
	c->offset = strtoull(s + 1, &end, 16);
	if (!str_begins(end, "/0x"))
		return NULL;
	c->size = strtoull(end + 1, &end, 16);
	return end;
}

static void take_module(const char *s, struct arena *mem, struct call *c)
{
	s = blanks(s);
	if (*s == '[')
		c->module = arena_strndup(mem, s + 1, strcspn(s + 1, " ]"));
	if (strstr(s, "(unreliable)"))
		c->reliable = false;
}

bool calltrace_line(const char *s, struct arena *mem, struct call *c)
{
	const char *name;
	size_t len;

	*c = (struct call){ .reliable = true };
	s = take_at(blanks(s), c);
	for (const char *p; (p = take_address(s)) != s;)
		s = p;
	if (*s == '?') {
		c->reliable = false;
		s = blanks(s + 1);
	}
	s += *s == '(';
	s += *s == '.';
	name = s;
	len = strcspn(s, " \t\n)+<");
	if (!len || len >= NAME_MAX_ || !(s = take_offset(s + len, c)) ||
	    !(*s == '\0' || *s == ' ' || *s == ')'))
		return false;
	c->function = arena_strndup(mem, name, len);
	take_module(s, mem, c);
	return true;
}

/* ---- the trace ------------------------------------------------------------------------------ */

/* ANY: is there a frame? Before the trace of a stall of RCU it says which CPU it is of. */
static bool is_end(const char *s, bool any)
{
	static const char *const marks[] = {
		"---[ end ", "Kernel Offset:", "Kernel panic - not syncing", "INFO: task ",
		"Showing all locks", "Allocated by task", "Freed by task", "The buggy address",
		"Last potentially related work", "NMI backtrace for cpu", "Sending NMI",
	};
	size_t n = any ? ARRAY_LEN(marks) : ARRAY_LEN(marks) - 2;

	for (size_t i = 0; i < n; i++)
		if (str_begins(s, marks[i]))
			return true;
	return false;
}

static bool is_title(const char *s)
{
	return str_begins(blanks(s), "Call Trace:") || str_begins(blanks(s), "Call trace:");
}

/*
 * "--- interrupt: 901 at f+0x1/0x2", before 5.0 "--- Exception: ...": PowerPC has one stack for what
 * interrupts and what is interrupted. The frames so far are of an interrupt if the vector is one that comes
 * from outside (arch/powerpc/include/asm/interrupt.h). Behind it: what was interrupted.
 */
static const char *take_vector(const char *s, struct calltrace *t)
{
	static const unsigned outside[] = { 0x100, 0x500, 0x900, 0x980, 0xa00,
					    0xa80, 0xe60, 0xe80, 0xea0, 0xf00 };
	const char *at = strstr(s, " at ");
	unsigned long vector;

	if (!at || !(str_begins(s, "--- interrupt: ") || str_begins(s, "--- Exception: ")))
		return s;
	vector = strtoul(s + strlen("--- interrupt: "), NULL, 16) & ~1UL;
	for (size_t i = 0; i < ARRAY_LEN(outside); i++)
		for (unsigned j = 0; outside[i] == vector && j < t->n; j++)
			if (!t->v[j].stack && !t->v[j].at)
				t->v[j].stack = "IRQ";
	return at + strlen(" at ");
}

void calltrace_at(const struct machine *m, uint32_t from, struct arena *mem, struct calltrace *ret)
{
	const char *stack = "";
	bool in = false, at = false;

	*ret = (struct calltrace){ .v = arena_array(mem, struct call, CALLS_MAX) };
	for (uint32_t i = from; i < m->nlog && i - from < LINES_MAX && ret->n < CALLS_MAX; i++) {
		const char *s = blanks(m->log[i].text);
		struct call c;

		/* the trace of another; but check_panic_on_warn() may panic before the report has one */
		if (i > from && (ret->n || !str_begins(s, "Kernel panic")) &&
		    (is_end(s, ret->n) || (in && is_title(s))))
			break;
		in |= is_title(s);
		for (const char *p; *s == '<' && (p = take_stack(s, mem, &stack)) != s;)
			s = blanks(p);
		if (in)
			s = take_vector(s, ret);
		if (!calltrace_line(s, mem, &c))
			continue;
		/* of registers in the middle: what an interrupt met */
		if (c.at && in && !str_begins(s, "EIP: "))
			c.at = c.hashed = false;
		if (c.at ? at : !in)
			continue;
		/* beside the line of the vector there are registers since 5.12 */
		if (ret->n && !strcmp(ret->v[ret->n - 1].function, c.function) &&
		    ret->v[ret->n - 1].offset == c.offset && str_begins(s, "NIP "))
			continue;
		c.stack = *stack ? stack : NULL;
		if (c.at) {
			/* i386 prints it last */
			memmove(ret->v + 1, ret->v, ret->n * sizeof(*ret->v));
			at = true;
		}
		ret->v[c.at ? 0 : ret->n] = c;
		ret->n++;
	}
}

void calltrace_of(const struct machine *m, struct arena *mem, struct calltrace *ret)
{
	calltrace_at(m, m->panic ? hang_line(m, m->panic, m->panic_line) : m->panic_line, mem, ret);
}

/*
 * As satyr computes it for ABRT and FAF (sr_thread_get_duphash() with SR_DUPHASH_NONORMALIZE and
 * SR_DUPHASH_KOOPS_COMPAT over 6 frames; satyr 6153441, lib/generic_thread.c and
 * lib/koops_frame.c): SHA-1 of the names of the first six reliable frames, each with a newline.
 */
bool calltrace_duphash(const struct calltrace *t, char ret[DUPHASH_TEXT])
{
	uint8_t digest[SHA1_DIGEST_SIZE];
	struct sha1_ctx hash;
	unsigned n = 0;

	ret[0] = '\0';
	sha1_init(&hash);
	for (unsigned i = 0; i < t->n && n < HASHED; i++) {
		const struct call *c = &t->v[i];

		if (!c->reliable || !c->hashed)
			continue;
		sha1_update(&hash, strlen(c->function), (const uint8_t *)c->function);
		sha1_update(&hash, 1, (const uint8_t *)"\n");
		n++;
	}
	sha1_digest(&hash, sizeof(digest), digest);
	for (size_t i = 0; n && i < sizeof(digest); i++)
		snprintf(ret + 2 * i, 3, "%02x", digest[i]);
	return n;
}
