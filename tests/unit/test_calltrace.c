/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames of the kernel's call traces by release and CPU, written from the formats of its printk;
 * names of panics. The hash is compared with the one that satyr's own tests have for the same
 * functions (tests/python/koops.py), and with sha1sum.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/system/calltrace.h"
#include "tests/unit/check.h"

static struct arena mem;

static void check_line(const char *text, const char *function, const char *module, bool reliable)
{
	struct call c;
	bool is = calltrace_line(text, &mem, &c);

	CHECK_STR(is ? c.function : "", function ? function : "");
	if (!is || !function)
		return;
	CHECK_STR(c.module ? c.module : "", module);
	CHECK(c.reliable == reliable);
}

static void test_lines(void)
{
	check_line(" [<ffffffff81057adf>] f+0x7f/0xc0", "f", "", true);
	check_line(" [<ffffffff8151fd80>] ? g.isra.3+0x1/0x2 [l2tp_ppp]", "g.isra.3", "l2tp_ppp", false);
	check_line(" ? g+0x1/0x2", "g", "", false);
	check_line(" f.cold+0x67/0x7e", "f.cold", "", true);
	check_line(" f+0x1/0x2 [nf 0123456789abcdef0123456789abcdef01234567]", "f", "nf", true);
	check_line("[c000000003f6b870] [c000000000a1b2c4] .f+0x40/0x80 (unreliable)", "f", "", false);
	check_line("[c000000003f6b870] [c000000000a1b2c4] f+0x40/0x80", "f", "", true);
	check_line("NIP [c000000000a1b2c4] f+0x40/0x80", "f", "", true);
	check_line("pc : f+0x40/0x80 [m]", "f", "m", true);
	check_line("RIP: 0010:f+0x40/0x80", "f", "", true);
	check_line("RIP: 0010:[<ffffffff811c6ed5>]  [<ffffffff811c6ed5>] f+0xa5/0x350", "f", "", true);
	check_line("EIP: f+0x3/0x5", "f", "", true);
	check_line("RIP: 0033:0x7f9076aa3c27", NULL, "", true);
	check_line("Code: Unable to access opcode bytes at 0x7f9076aa3bfd.", NULL, "", true);
	check_line("RSP: 002b:00007ffc33668020 EFLAGS: 00000246", NULL, "", true);
	check_line("Modules linked in: a b+c [last unloaded: d]", NULL, "", true);
	check_line("LR [c000000000a1b2c4] f+0x40", NULL, "", true);
	check_line("", NULL, "", true);
	check_line("f+0x", NULL, "", true);
	check_line("f+0x1/0x2x", NULL, "", true);
}

static struct machine log_of(const char *const *lines, uint32_t panic_line, const char *panic)
{
	struct machine m = { .panic_line = panic_line, .panic = panic };

	while (lines[m.nlog])
		m.nlog++;
	m.log = arena_array(&mem, struct log_line, m.nlog);
	for (uint32_t i = 0; i < m.nlog; i++)
		m.log[i] = (struct log_line){ .text = lines[i], .len = (uint32_t)strlen(lines[i]) };
	return m;
}

static void check_names(const struct calltrace *t, const char *want)
{
	char *text = arena_strdup(&mem, "");

	for (unsigned i = 0; i < t->n; i++)
		text = arena_printf(&mem, "%s%s%s%s%s", text, i ? " " : "",
				    t->v[i].at ? "@" : t->v[i].reliable ? "" : "?",
				    t->v[i].function, t->v[i].stack ? "!" : "");
	CHECK_STR(text, want);
}

static void test_hash(void)
{
	static const char *const lines[] = {
		"WARNING: at mm/page_alloc.c:2204", "Call Trace:",
		" [<ffffffff811296d1>] __alloc_pages_nodemask+0x231/0x8f0",
		" [<ffffffff8151fd80>] ? ip_copy_metadata+0x1c0/0x1c0",
		" [<ffffffff81160a93>] alloc_pages_current+0xa3/0x110",
		" [<ffffffff81125514>] __get_free_pages+0x14/0x50",
		" [<ffffffff8116bb5f>] kmalloc_order_trace+0x3f/0xd0",
		" [<ffffffff8116ca87>] __kmalloc+0x177/0x1a0",
		" [<ffffffffa0642332>] ? pppol2tp_xmit+0x42/0x220 [l2tp_ppp]",
		" [<ffffffff814db0a7>] pskb_expand_head+0x87/0x310",
		" [<ffffffffa06424dd>] pppol2tp_xmit+0x1ed/0x220 [l2tp_ppp]", NULL
	};
	struct machine m = log_of(lines, 0, lines[0]);
	struct calltrace t;
	char hash[DUPHASH_TEXT];

	calltrace_of(&m, &mem, &t);
	CHECK(calltrace_duphash(&t, hash));
	CHECK_STR(hash, "5718b3a86c64e7bed5e8ead08ae3084e447ddbee");
	t.n = 0;
	CHECK(!calltrace_duphash(&t, hash));
}

/* printf 'b\nc\n' | sha1sum: the newer form of RIP is not in ABRT's hash; the older one is. */
static void test_instruction(void)
{
	static const char *const lines[] = {
		"BUG: kernel NULL pointer dereference, address: 0000000000000010",
		"RIP: 0010:a+0x1/0x2", "Code: 00", "Call Trace:", " <IRQ>", " b+0x1/0x2",
		" ? x+0x1/0x2", " </IRQ>", " <TASK>", "RIP: 0010:inner+0x1/0x2", " c.part.0+0x1/0x2",
		" </TASK>", "Kernel panic - not syncing: Fatal exception", "Call Trace:", " d+0x1/0x2",
		NULL
	};
	static const char *const old[] = {
		"BUG: unable to handle kernel", "RIP: 0010:[<ffffffff811c6ed5>]  [<ffffffff811c6ed5>] b+0xa5/0x350",
		"Call Trace:", " <IRQ>  [<ffffffff811c6ed5>] c+0x1/0x2", "---[ end trace 0 ]---",
		" [<ffffffff811c6ed5>] d+0x1/0x2", NULL
	};
	struct machine m = log_of(lines, 0, lines[0]);
	struct calltrace t;
	char hash[DUPHASH_TEXT];

	calltrace_of(&m, &mem, &t);
	check_names(&t, "@a b! ?x! inner c.part.0");
	m = log_of(old, 0, old[0]);
	calltrace_of(&m, &mem, &t);
	check_names(&t, "@b c!");
	CHECK(calltrace_duphash(&t, hash));
	CHECK_STR(hash, "7a6478264aa11a0f4befef356c03e83f2b1f6eba");
}

/* The panic of a hung task prints the trace of khungtaskd; the task's own was printed before. */
static void test_others(void)
{
	static const char *const lines[] = {
		"INFO: task tar:17 blocked for more than 120 seconds.", "Call Trace:", " <TASK>",
		" __schedule+0x1/0x2", " io_schedule+0x1/0x2", " </TASK>",
		"INFO: task cp:18 blocked for more than 120 seconds.", "Call Trace:", " other+0x1/0x2",
		"Kernel panic - not syncing: hung_task: blocked tasks", "Call Trace:",
		" dump_stack+0x1/0x2", " watchdog+0x1/0x2", NULL
	};
	static const char *const stall[] = {
		"rcu: INFO: rcu_sched self-detected stall on CPU", "NMI backtrace for cpu 1", "Call Trace:",
		" <IRQ>", " dump_stack+0x1/0x2", " </IRQ>", "RIP: 0010:inner+0x1/0x2", " c+0x1/0x2",
		"Kernel panic - not syncing: RCU Stall", "Call Trace:", " panic+0x1/0x2", NULL
	};
	struct machine m = log_of(lines, 9, "hung_task: blocked tasks");
	struct calltrace t;

	calltrace_of(&m, &mem, &t);
	check_names(&t, "__schedule io_schedule");
	m = log_of(stall, 8, "RCU Stall");
	calltrace_of(&m, &mem, &t);
	check_names(&t, "dump_stack! inner c");
	m = log_of(lines, 9, "hung_task: blocked tasks");
	m.panic = "Attempted to kill init! exitcode=0x00000009";
	calltrace_of(&m, &mem, &t);
	check_names(&t, "dump_stack watchdog");
	m.panic = NULL;
	m.panic_line = m.nlog;
	calltrace_of(&m, &mem, &t);
	CHECK(!t.n);
}

static void check_plain(const char *function, const char *want)
{
	const char *got = call_plain(function, &mem);

	CHECK_STR(got ? got : "(none)", want);
}

static void test_names(void)
{
	check_plain("f", "f");
	check_plain("f.isra.0.cold", "f");
	check_plain("f.constprop.3.isra.1", "f");
	check_plain(".f.part.2", "f");
	check_plain("panic", "(none)");
	check_plain("panic_on_something", "panic_on_something");
	check_plain("__list_del_entry_valid.cold", "(none)");
	check_plain("__mutex_lock.constprop.0", "(none)");
	check_plain("list_del_of_mine", "list_del_of_mine");
	CHECK_STR(panic_plain("Attempted to kill init! exitcode=0x00000009", &mem),
		  "Attempted to kill init! exitcode=#");
	CHECK_STR(panic_plain("Fatal exception (BUG: unable to handle page fault for address: "
			      "ffffa8c0deadbee0)", &mem),
		  "BUG: unable to handle page fault for address: #");
	CHECK_STR(panic_plain("Fatal exception in interrupt (kernel BUG at /build/acme-3.1/rx.c:59!)", &mem),
		  "kernel BUG at rx.c:#!");
	CHECK_STR(panic_plain("kernel BUG at lib/list_debug.c:53!", &mem), "kernel BUG at list_debug.c:#!");
	CHECK_STR(panic_plain("Fatal exception (Oops: general protection fault, probably for non-canonical "
			      "address 0x6b6b6b6b6b6b6b83: 0000 [#1] PREEMPT SMP NOPTI)", &mem),
		  "general protection fault");
	CHECK_STR(panic_plain("divide error: 0000 [#1] SMP", &mem), "divide error");
	CHECK_STR(panic_plain("/sys/a/b 3.c", &mem), "/sys/a/b #.c");
	CHECK_STR(panic_plain("Out of memory: x86 i2c_1", &mem), "Out of memory: x86 i2c_1");
	CHECK_STR(panic_plain("", &mem), "");
}

int main(void)
{
	test_lines();
	test_hash();
	test_instruction();
	test_others();
	test_names();
	arena_release(&mem);
	return check_done();
}
