/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames of the kernel's call traces by release and CPU, written from the formats of its printk;
 * names of panics. The hash is compared with the one that satyr's own tests have for the same
 * functions (tests/python/koops.py), and with sha1sum.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/machine/system.h"
#include "model/kernel/stack/calltrace.h"
#include "model/kernel/stack/hang.h"
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

static const char *asked(const char *const *lines, uint32_t panic_line, const char *panic, uint64_t last,
			 uint32_t *line)
{
	struct task tasks[] = { { .pid = 17, .state = 'S' }, { .pid = 18, .state = 'D' } };
	struct snapshot s = { .machine = log_of(lines, panic_line, panic),
			      .built = NEED_TASKS,
			      .tasks = tasks,
			      .ntasks = ARRAY_LEN(tasks) };

	for (uint32_t i = 0; i < s.machine.nlog; i++)
		s.machine.log[i].ts = i + 1 == s.machine.nlog ? last : 0;
	return hang_of_asked(&s, line);
}

/* What hangs when somebody asks for a dump. */
static void test_asked(void)
{
	static const char *const hung[] = {
		"INFO: task tar:17 blocked for more than 120 seconds.",
		"INFO: task a:b c:18 blocked for more than 120 seconds.",
		"INFO: task cp:19 blocked for more than 120 seconds.",
		"rcu: INFO: rcu_sched self-detected stall on CPU", "sysrq: Trigger a crash",
		"Kernel panic - not syncing: sysrq triggered crash", "x", NULL
	};
	static const char *const oops[] = {
		"watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [sh:7]", "SysRq : Trigger a crash",
		"BUG: unable to handle kernel NULL pointer dereference at (null)", NULL
	};
	const uint64_t s = 1000000000;
	uint32_t line = 99;

	CHECK_STR(asked(hung, 5, "sysrq triggered crash", 0, &line), "RCU Stall");
	CHECK_EQ(line, 3);
	/* the CPU goes on since; 17 does, and 19 ended */
	CHECK_STR(asked(hung, 7, NULL, 601 * s, &line), "hung_task: blocked tasks");
	CHECK_EQ(line, 1);
	CHECK(!asked(hung, 3, "Attempted to kill init!", 0, &line));
	CHECK_STR(asked(oops, 2, oops[2], 9 * s, &line), "softlockup: hung tasks");
	CHECK_EQ(line, 0);
	CHECK(!asked(oops + 2, 0, oops[2], 9 * s, &line));
	CHECK(!asked(oops + 3, 0, NULL, 0, &line));
	CHECK_STR(hang_reason("Watchdog detected hard LOCKUP on cpu 3"), "hard LOCKUP");
	CHECK(!hang_reason("Fatal exception"));
}

/* The log's panic by its message without what differs, and the functions that name it. */
static void check_crash(const char *const *lines, const char *reason, const char *names)
{
	struct machine m = log_of(lines, 0, NULL);
	struct system y = { .m = &m, .mem = &mem };
	char *text = arena_strdup(&mem, "");
	struct calltrace t;

	find_panic_text(&y);
	CHECK_STR(panic_plain(m.panic, &mem), reason);
	calltrace_of(&m, &mem, &t);
	for (unsigned i = 0; i < t.n; i++) {
		const char *name = call_plain(t.v[i].function, &mem);

		if (name && t.v[i].reliable)
			text = arena_printf(&mem, "%s%s%s%s", text, *text ? " " : "", name,
					    t.v[i].stack ? "!" : "");
	}
	CHECK_STR(text, names);
}

/* As printk of that release writes them (kernel/panic.c, kernel/watchdog.c, mm/kasan/report.c, arch/). */
static void test_releases(void)
{
	static const char *const null_2_6_32[] = {
		"BUG: unable to handle kernel NULL pointer dereference at (null)",
		"IP: [<ffffffffa0001234>] acme_rx+0x14/0x90 [acme]", "PGD 37a1d067 PUD 37a1e067 PMD 0",
		"Oops: 0002 [#1] SMP", "last sysfs file: /sys/devices/system/cpu/online", "CPU 1",
		"Pid: 1422, comm: sh Not tainted 2.6.32-754.el6.x86_64 #1",
		"RIP: 0010:[<ffffffffa0001234>]  [<ffffffffa0001234>] acme_rx+0x14/0x90 [acme]",
		"RSP: 0018:ffff880037a1fe18  EFLAGS: 00010096", "Call Trace:",
		" [<ffffffff81193a1e>] proc_reg_write+0x7e/0xc0", " [<ffffffff8117b068>] vfs_write+0xb8/0x1a0",
		" [<ffffffff8117ba81>] sys_write+0x51/0x90", " [<ffffffff8100b0f2>] system_call_fastpath+0x16/0x1b",
		"Code: 00 00", "RIP  [<ffffffffa0001234>] acme_rx+0x14/0x90 [acme]", "CR2: 0000000000000000",
		"---[ end trace 5d0b5a0a ]---", "Kernel panic - not syncing: Fatal exception", "Call Trace:",
		" [<ffffffff81527943>] ? panic+0xa7/0x16f", NULL
	};
	static const char *const i386_3_2[] = {
		"BUG: unable to handle kernel paging request at f8a3c010",
		"IP: [<f8a2b07c>] acme_rx+0x1c/0x30 [acme]", "*pde = 00000000", "Oops: 0000 [#1] SMP",
		"EIP: 0060:[<f8a2b07c>] EFLAGS: 00010246 CPU: 0", "EIP is at acme_rx+0x1c/0x30 [acme]",
		"Call Trace:", " [<c10d2b1f>] ? vfs_write+0x8f/0x160", " [<c10d2df1>] sys_write+0x41/0x70",
		" [<c12d4a7c>] syscall_call+0x7/0xb", "Code: 00",
		"EIP: [<f8a2b07c>] acme_rx+0x1c/0x30 [acme] SS:ESP 0068:f5e0bf30", "CR2: 00000000f8a3c010",
		"---[ end trace 0 ]---", "Kernel panic - not syncing: Fatal exception in interrupt", NULL
	};
	static const char *const hard_3_10[] = {
		"Kernel panic - not syncing: Watchdog detected hard LOCKUP on cpu 2", "Call Trace:",
		" <NMI>  [<ffffffff81602785>] dump_stack+0x19/0x1b", " [<ffffffff815fc010>] panic+0xd8/0x1e7",
		" [<ffffffff81107660>] watchdog_overflow_callback+0xc0/0xd0",
		" [<ffffffff8100a910>] do_nmi+0x1a0/0x3c0", " [<ffffffff816039a1>] end_repeat_nmi+0x1e/0x2e",
		" <<EOE>>  [<ffffffffa0001099>] acme_spin+0x19/0x40 [acme]",
		" [<ffffffff811c2f2d>] SyS_ioctl+0x8d/0xa0", NULL
	};
	static const char *const warn_5_10[] = {
		"WARNING: CPU: 1 PID: 32 at /build/acme-1/ring.c:128 acme_check+0x1b/0x30 [acme]",
		"Kernel panic - not syncing: panic_on_warn set ...", "CPU: 1 PID: 32 Comm: sh", "Call Trace:",
		" dump_stack+0x6b/0x83", " panic+0x101/0x2d7", " __warn.cold+0x24/0x4f",
		" report_bug+0xb0/0xe0", " handle_bug+0x3c/0x60", " exc_invalid_op+0x13/0x60",
		" asm_exc_invalid_op+0x12/0x20", "RIP: 0010:acme_check+0x1b/0x30 [acme]",
		" acme_poll+0x10/0x20 [acme]", NULL
	};
	static const char *const warn_3_10[] = {
		"WARNING: at ring.c:131 acme_check+0x1b/0x30 [acme]() (Tainted: G   O)",
		"Kernel panic - not syncing: panic_on_warn set ...", "Call Trace:",
		" [<ffffffff8106e61d>] warn_slowpath_common+0x61/0x80",
		" [<ffffffffa0001099>] acme_check+0x1b/0x30 [acme]", NULL
	};
	static const char *const warn_7_3[] = {
		"WARNING: ring.c:128 at acme_check+0x1f/0x30 [acme], CPU#1: cat/7", "Modules linked in: acme",
		"RIP: 0010:acme_check+0x1f/0x30 [acme]", "Call Trace:", " <TASK>", " acme_poll+0x10/0x20 [acme]",
		" </TASK>", "---[ end trace 0000000000000000 ]---",
		"Kernel panic - not syncing: kernel: panic_on_warn set ...", "Call Trace:", " vpanic+0x1/0x2", NULL
	};
	static const char *const kasan_6_1[] = {
		"BUG: KASAN: use-after-free in acme_get+0x1b/0x30 [acme]",
		"Read of size 8 at addr ffff888012345678 by task cat/117", "Call Trace:", " <TASK>",
		" dump_stack_lvl+0x34/0x44", " print_report+0x15e/0x461", " kasan_report+0xbb/0xf0",
		" __asan_report_load8_noabort+0x14/0x20", " acme_get+0x1b/0x30 [acme]",
		" ksys_read+0x5e/0xe0", " __x64_sys_read+0x1/0x2", " do_syscall_64+0x5b/0xc0", " </TASK>",
		"Allocated by task 9:", " kasan_save_stack+0x1e/0x40", " acme_new+0x1/0x20 [acme]",
		"Kernel panic - not syncing: KASAN: panic_on_warn set ...", "Call Trace:", " panic+0x1/0x2", NULL
	};
	static const char *const stack_5_4[] = {
		"BUG: stack guard page was hit at 00000000f5d5c6c2 (stack is 0000000012345678..00000000abcdef01)",
		"kernel stack overflow (double-fault): 0000 [#1] SMP PTI",
		"RIP: 0010:acme_deep+0x1a/0x50 [acme]", "Call Trace:", " acme_deep+0x30/0x50 [acme]",
		" acme_deep+0x30/0x50 [acme]", "---[ end trace 0 ]---",
		"Kernel panic - not syncing: Fatal exception in interrupt", NULL
	};
	static const char *const mce_4_18[] = {
		"mce: [Hardware Error]: CPU 0: Machine Check Exception: 5 Bank 4: be00000000800400",
		"Kernel panic - not syncing: Fatal machine check", "Call Trace:", " <#MC>",
		" dump_stack+0x5c/0x80", " panic+0xe7/0x2a9", " mce_panic+0x1/0x2", " do_machine_check+0x1/0x2",
		" </#MC>", " cpuidle_enter_state+0x1/0x2", NULL
	};
	static const char *const stall_ppc[] = {
		"rcu: INFO: rcu_sched self-detected stall on CPU", "Call Trace:",
		"[c0000000fffb7d10] [c000000000a1b2c4] dump_stack+0xb0/0xf4 (unreliable)",
		"[c0000000fffb7d60] [c0000000001a1b2c] rcu_sched_clock_irq+0x40/0x80",
		"[c0000000fffb7d90] [c00000000001b2c4] timer_interrupt+0x140/0x380",
		"--- interrupt: 901 at acme_spin+0x14/0x40 [acme]", "    LR = acme_ioctl+0x20/0x60 [acme]",
		"[c0000000f1b7d10] [c008000000a1b2c4] acme_ioctl+0x20/0x60 [acme]",
		"[c0000000f1b7d60] [c000000000512345] ksys_ioctl+0x40/0x80",
		"--- interrupt: c00 at 0x7fff9d1b2c44", "Kernel panic - not syncing: RCU Stall", "Call Trace:", NULL
	};
	static const char *const ppc_2_6_32[] = {
		"Unable to handle kernel paging request for data at address 0x00000000",
		"Faulting instruction address: 0xd000000000a10034", "Oops: Kernel access of bad area, sig: 11 [#1]",
		"NIP: d000000000a10034 LR: d000000000a10028 CTR: c000000000123456",
		"NIP [d000000000a10034] .acme_rx+0x34/0x90 [acme]", "LR [d000000000a10028] .acme_rx+0x28/0x90 [acme]",
		"Call Trace:", "[c00000007a1b7d10] [d000000000a10028] .acme_rx+0x28/0x90 [acme] (unreliable)",
		"[c00000007a1b7d60] [c000000000212345] .vfs_write+0xf0/0x210",
		"[c00000007a1b7db0] [c0000000000085b4] syscall_exit+0x0/0x40", "---[ end trace 0 ]---",
		"Kernel panic - not syncing: Fatal exception", NULL
	};
	static const char *const idle[] = {
		"general protection fault: 0000 [#1] SMP", "RIP: 0010:[<ffffffff812a1b2c>]  [<ffffffff812a1b2c>] f+0x1/0x2",
		"Call Trace:", " <IRQ>  [<ffffffff811c6ed5>] g+0x1/0x2", "---[ end trace 0 ]---",
		"Kernel panic - not syncing: Aiee, killing interrupt handler!", NULL
	};

	check_crash(null_2_6_32, "BUG: kernel NULL pointer dereference", "acme_rx proc_reg_write vfs_write sys_write");
	check_crash(i386_3_2, "BUG: unable to handle page fault", "acme_rx sys_write");
	check_crash(hard_3_10, "Watchdog detected hard LOCKUP on cpu #",
		    "watchdog_overflow_callback! acme_spin sys_ioctl");
	check_crash(warn_5_10, "WARNING: ring.c:# acme_check", "acme_check acme_poll");
	check_crash(warn_3_10, "WARNING: ring.c:# acme_check", "acme_check");
	check_crash(warn_7_3, "WARNING: ring.c:# acme_check", "acme_check acme_poll");
	check_crash(kasan_6_1, "BUG: KASAN: use-after-free in acme_get+#/# [acme]", "acme_get sys_read sys_read");
	check_crash(stack_5_4, "BUG: stack guard page was hit at # (stack is #..#", "acme_deep acme_deep acme_deep");
	check_crash(mce_4_18, "Fatal machine check", "mce_panic! do_machine_check! cpuidle_enter_state");
	check_crash(stall_ppc, "RCU Stall", "rcu_sched_clock_irq! acme_spin acme_ioctl sys_ioctl");
	check_crash(ppc_2_6_32, "BUG: unable to handle page fault", "acme_rx vfs_write");
	check_crash(idle, "general protection fault", "f g!");
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
	check_plain("SyS_write", "sys_write");
	check_plain("__x64_sys_write", "sys_write");
	check_plain("__se_sys_openat", "sys_openat");
	check_plain("sys_", "sys_");
	check_plain("__asan_load8", "(none)");
	check_plain("f.cfi", "f");
	check_plain("panic_on_something", "panic_on_something");
	check_plain("__list_del_entry_valid.cold", "(none)");
	check_plain("__mutex_lock.constprop.0", "(none)");
	check_plain("list_del_of_mine", "list_del_of_mine");
	CHECK_STR(panic_plain("Attempted to kill init! exitcode=0x00000009", &mem),
		  "Attempted to kill init! exitcode=#");
	CHECK_STR(panic_plain("Fatal exception (BUG: unable to handle page fault for address: "
			      "ffffa8c0deadbee0)", &mem),
		  "BUG: unable to handle page fault");
	CHECK_STR(panic_plain("EXT4-fs (device sda2): panic forced after error", &mem),
		  "EXT4-fs (device #): panic forced after error");
	CHECK_STR(panic_plain("WARNING: of something else", &mem), "WARNING: of something else");
	CHECK_STR(panic_plain("WARNING: ", &mem), "WARNING:");
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
	test_asked();
	test_releases();
	test_names();
	arena_release(&mem);
	return check_done();
}
