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
#include "model/system/calltrace.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/sha1.h>

#include "dumpread/base/bytes.h"

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

/* Panics about others: the trace below an earlier line is the one that counts. */
static const struct { const char *panic, *line; } others[] = {
	{ "hung_task: ", "INFO: task " },
	{ "softlockup: ", "BUG: soft lockup" },
	{ "Hard LOCKUP", "detected hard LOCKUP" },
	{ "Watchdog detected hard LOCKUP", "detected hard LOCKUP" },
	{ "RCU Stall", "detected stall" },
};

/* The last one before the panic; of hung tasks the first of the log, which waits longest. */
static uint32_t first_line(const struct machine *m)
{
	for (size_t i = 0; m->panic && i < ARRAY_LEN(others); i++) {
		uint32_t found = m->panic_line;

		if (!str_begins(m->panic, others[i].panic))
			continue;
		for (uint32_t j = m->panic_line; j-- > 0;)
			if (strstr(m->log[j].text, others[i].line)) {
				found = j;
				if (i)
					break;
			}
		return found;
	}
	return m->panic_line;
}

static bool is_end(const char *s)
{
	static const char *const marks[] = {
		"---[ end ", "Kernel Offset:", "Kernel panic - not syncing", "INFO: task ",
		"Showing all locks", "NMI backtrace for cpu", "Sending NMI",
	};

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (str_begins(s, marks[i]))
			return true;
	return false;
}

static bool is_title(const char *s)
{
	return str_begins(blanks(s), "Call Trace:") || str_begins(blanks(s), "Call trace:");
}

void calltrace_of(const struct machine *m, struct arena *mem, struct calltrace *ret)
{
	const char *stack = "";
	uint32_t from = first_line(m);
	bool in = false, at = false;

	*ret = (struct calltrace){ .v = arena_array(mem, struct call, CALLS_MAX) };
	for (uint32_t i = from; i < m->nlog && i - from < LINES_MAX && ret->n < CALLS_MAX; i++) {
		const char *s = blanks(m->log[i].text);
		struct call c;

		/* the trace of another */
		if (i > from && (is_end(s) || (in && is_title(s))))
			break;
		in |= is_title(s);
		for (const char *p; *s == '<' && (p = take_stack(s, mem, &stack)) != s;)
			s = blanks(p);
		if (!calltrace_line(s, mem, &c))
			continue;
		/* of registers in the middle: what an interrupt met */
		if (c.at && in && !str_begins(s, "EIP: "))
			c.at = c.hashed = false;
		if (c.at ? at : !in)
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

/* ---- names ---------------------------------------------------------------------------------- */

/* On the traces of many panics: they report, enter a fault, or wait. */
static const char *const ways[] = {
	"dump_stack", "dump_stack_lvl", "__dump_stack", "show_stack", "show_trace", "panic",
	"vpanic", "nmi_panic", "die", "__die", "__die_body", "die_addr", "oops_end", "oops_exit",
	"oops_begin", "no_context", "__bad_area", "__bad_area_nosemaphore",
	"bad_area_nosemaphore", "bad_area", "page_fault_oops", "kernelmode_fixup_or_oops",
	"do_page_fault", "__do_page_fault", "do_user_addr_fault", "do_kern_addr_fault",
	"exc_page_fault", "asm_exc_page_fault", "page_fault", "async_page_fault",
	"do_async_page_fault", "trace_do_page_fault", "do_trap", "do_error_trap",
	"exc_invalid_op", "asm_exc_invalid_op", "invalid_op", "do_invalid_op", "handle_bug",
	"exc_general_protection", "asm_exc_general_protection", "general_protection",
	"do_general_protection", "report_bug", "__warn", "warn_slowpath_common",
	"warn_slowpath_null", "warn_slowpath_fmt", "__warn_printk", "crash_kexec", "__crash_kexec",
	"machine_kexec", "fixup_bug", "__report_bug", "rewind_stack_do_exit",
	"rewind_stack_and_make_dead", "make_task_dead", "do_divide_error", "exc_divide_error",
	"asm_exc_divide_error", "exc_double_fault", "___do_page_fault", "data_access_common_virt",
	"do_exception", "__do_kernel_fault", "die_kernel_fault", "do_translation_fault",
	"do_mem_abort", "el1_abort", "el1h_64_sync_handler", "el1h_64_sync", "el1_da",
	/* how a hung task waits, not for what */
	"__schedule", "schedule", "preempt_schedule_common", "_cond_resched", "__cond_resched",
	"schedule_timeout", "io_schedule", "io_schedule_timeout", "schedule_preempt_disabled",
	"__io_schedule", "schedule_timeout_uninterruptible",
};

const char *call_plain(const char *function, struct arena *mem)
{
	static const char *const adds[] = { ".isra", ".part", ".constprop",
					    ".cold", ".llvm", ".lto_priv" };
	size_t len;

	function += *function == '.';
	len = strlen(function);
	for (size_t i = 0; i < ARRAY_LEN(adds); i++) {
		const char *at = strstr(function, adds[i]);

		if (at && at > function && (size_t)(at - function) < len)
			len = (size_t)(at - function);
	}
	for (size_t i = 0; i < ARRAY_LEN(ways); i++)
		if (strlen(ways[i]) == len && !memcmp(ways[i], function, len))
			return NULL;
	return arena_strndup(mem, function, len);
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

/* The length of the number at S, decimal or hexadecimal; 0: none. */
static size_t number_at(const char *s)
{
	size_t n = strspn(s, "0123456789abcdefABCDEF"), digits = strspn(s, "0123456789");

	if (str_begins(s, "0x"))
		return 2 + strspn(s + 2, "0123456789abcdefABCDEF");
	return n >= 8 && !isalnum((unsigned char)s[n]) ? n : digits;
}

const char *panic_plain(const char *message, struct arena *mem)
{
	const char *fault = strchr(message, '('), *s = message;
	char *ret, *to;

	/* "Fatal exception (BUG: ...)": the fault is what is wrong */
	if (str_begins(message, "Fatal exception") && fault)
		s = fault + 1;
	to = ret = arena_strdup(mem, s);
	while (*s && (size_t)(to - ret) < 160) {
		bool word = s > message && (isalnum((unsigned char)s[-1]) || s[-1] == '_');
		size_t n = word ? 0 : number_at(s);

		if (n)
			*to++ = '#';
		else
			*to++ = *s;
		s += n ? n : 1;
	}
	while (to > ret && (to[-1] == ')' || to[-1] == ' '))
		to--;
	*to = '\0';
	return ret;
}
