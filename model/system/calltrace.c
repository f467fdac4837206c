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

/* ANY: is there a frame? Before the trace of a stall of RCU it says which CPU it is of. */
static bool is_end(const char *s, bool any)
{
	static const char *const marks[] = {
		"---[ end ", "Kernel Offset:", "Kernel panic - not syncing", "INFO: task ",
		"Showing all locks", "NMI backtrace for cpu", "Sending NMI",
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
		if (i > from && (is_end(s, ret->n) || (in && is_title(s))))
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
	"sysvec_apic_timer_interrupt", "__sysvec_apic_timer_interrupt",
	"asm_sysvec_apic_timer_interrupt", "smp_apic_timer_interrupt", "apic_timer_interrupt",
	"asm_call_irq_on_stack", "report_bug_entry",
	"do_mem_abort", "el1_abort", "el1h_64_sync_handler", "el1h_64_sync", "el1_da",
	/* how a hung task waits, not for what */
	"__schedule", "schedule", "preempt_schedule_common", "_cond_resched", "__cond_resched",
	"schedule_timeout", "io_schedule", "io_schedule_timeout", "schedule_preempt_disabled",
	"__io_schedule", "schedule_timeout_uninterruptible",
};

/* They find what their caller did wrong, or wait for what it waits for: they are of no cause. */
static const char *const helpers[] = {
	"check_panic_on_warn", "__list_add_valid", "__list_del_entry_valid",
	"__list_add_valid_or_report", "__list_del_entry_valid_or_report", "__list_add",
	"__list_del_entry", "list_del", "refcount_warn_saturate", "__stack_chk_fail",
	"fortify_panic", "__fortify_panic", "__fortify_report", "usercopy_abort",
	"__check_object_size", "__check_heap_object",
	/* locks and completions */
	"native_queued_spin_lock_slowpath", "queued_spin_lock_slowpath",
	"__pv_queued_spin_lock_slowpath", "queued_read_lock_slowpath",
	"queued_write_lock_slowpath", "_raw_spin_lock", "_raw_spin_lock_irq",
	"_raw_spin_lock_irqsave", "_raw_spin_lock_bh", "_raw_read_lock", "_raw_write_lock",
	"do_raw_spin_lock", "mutex_lock", "mutex_lock_killable", "mutex_lock_interruptible",
	"__mutex_lock", "__mutex_lock_common", "__mutex_lock_slowpath",
	"__mutex_lock_killable_slowpath", "__mutex_lock_interruptible_slowpath", "down",
	"__down", "__down_common", "down_read", "down_write", "down_read_killable",
	"down_write_killable", "rwsem_down_read_slowpath", "rwsem_down_write_slowpath",
	"rwsem_down_read_failed", "rwsem_down_write_failed", "call_rwsem_down_read_failed",
	"call_rwsem_down_write_failed", "wait_for_completion", "wait_for_common",
	"__wait_for_common", "do_wait_for_common", "wait_for_completion_timeout",
	"wait_for_completion_killable", "wait_for_completion_interruptible",
	/* of strings and memory */
	"memcpy", "__memcpy", "memcpy_erms", "memcpy_orig", "memset", "__memset", "memset_erms",
	"memset_orig", "memmove", "__memmove", "memcmp", "strlen", "strnlen", "strcmp", "strncmp",
	"strcpy", "strncpy", "strlcpy", "strscpy", "strchr", "strstr",
};

static bool is_one_of(const char *const *names, size_t n, const char *s, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], s, len))
			return true;
	return false;
}

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
	if (is_one_of(ways, ARRAY_LEN(ways), function, len) ||
	    is_one_of(helpers, ARRAY_LEN(helpers), function, len))
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

/* S begins a word. "/build/linux/mm/slub.c:305!": the folder is that of the build; behind it. */
static const char *skip_folder(const char *s)
{
	size_t len = strcspn(s, " ");
	const char *name = s;

	for (size_t i = 0; i + 2 < len; i++) {
		if (s[i] == '/')
			name = s + i + 1;
		if (s[i] == '.' && (s[i + 1] == 'c' || s[i + 1] == 'h') && s[i + 2] == ':')
			return name;
	}
	return s;
}

/* Is that what die() adds to its message: ": 0000 [#1] SMP PTI"? That is of the kernel's build. */
static bool is_of_die(const char *s)
{
	return str_begins(s, ": ") && strspn(s + 2, "0123456789abcdef") == 4 &&
	       str_begins(s + 6, " [");
}

/* Where a protection fault guesses an address. */
static bool is_guess(const char *s)
{
	return str_begins(s, ", probably for ") || str_begins(s, ", maybe for ");
}

const char *panic_plain(const char *message, struct arena *mem)
{
	const char *fault = strchr(message, '('), *s = message;
	char *ret, *to;

	/* "Fatal exception (BUG: ...)": the fault is what is wrong; v6.12 prints "Oops: " before it */
	if (str_begins(message, "Fatal exception") && fault)
		s = fault + 1;
	while (str_begins(s, "Oops: "))
		s += strlen("Oops: ");
	to = ret = arena_strdup(mem, s);
	while (*s && (size_t)(to - ret) < 160) {
		bool word = s > message && (isalnum((unsigned char)s[-1]) || s[-1] == '_');
		size_t n;

		if (is_of_die(s) || is_guess(s))
			break;
		if (s == message || s[-1] == ' ')
			s = skip_folder(s);
		n = word ? 0 : number_at(s);
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
