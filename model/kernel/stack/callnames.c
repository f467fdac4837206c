/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * callnames.c - what names a panic across machines, builds and releases: functions without those
 * that are on the traces of many panics, messages without what differs.
 */
#include <ctype.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/stack/calltrace.h"

/* ---- functions ------------------------------------------------------------------------------ */

/* They report. */
static const char *const reporters[] = {
	"dump_stack", "dump_stack_lvl", "__dump_stack", "show_stack", "show_trace", "panic",
	"vpanic", "nmi_panic", "die", "__die", "__die_body", "die_addr", "oops_end", "oops_exit",
	"oops_begin", "crash_kexec", "__crash_kexec", "machine_kexec", "report_bug", "__report_bug",
	"report_bug_entry", "handle_bug", "fixup_bug", "__warn", "warn_slowpath_common",
	"warn_slowpath_null", "warn_slowpath_fmt", "warn_slowpath_fmt_taint", "__warn_printk",
	"check_panic_on_warn", "rewind_stack_do_exit", "rewind_stack_and_make_dead",
	"make_task_dead", "die_kernel_fault",
	/* KASAN, KFENCE, KCSAN, UBSAN: from mm/kasan/, mm/kfence/, kernel/kcsan/, lib/ubsan.c */
	"kasan_report", "__kasan_report", "kasan_report_error", "kasan_end_report", "end_report",
	"kasan_report_invalid_free", "kasan_report_double_free", "kasan_object_err",
	"print_report", "print_address_description", "kasan_check_range", "__kasan_check_read",
	"__kasan_check_write", "check_memory_region", "kasan_check_byte", "__kasan_check_byte",
	"kasan_complete_mode_report_info", "__kasan_slab_free", "kasan_slab_free",
	"____kasan_slab_free", "__kasan_kfree_large", "check_slab_allocation", "poison_slab_object",
	"kfence_report_error", "kfence_handle_page_fault", "check_canary", "kfence_guarded_free",
	"kcsan_report_known_origin", "kcsan_report_unknown_origin", 	"ubsan_epilogue", "__ubsan_handle_out_of_bounds", "__ubsan_handle_shift_out_of_bounds",
	"__ubsan_handle_load_invalid_value", "__ubsan_handle_type_mismatch_v1",
	"handle_null_ptr_deref", "ubsan_type_mismatch_common", "__ubsan_handle_divrem_overflow",
	"object_err", "slab_err", "print_trailer", "print_unreferenced",
};

/* They enter a fault, an interrupt or the kernel. */
static const char *const entries[] = {
	"no_context", "__bad_area", "__bad_area_nosemaphore", "bad_area_nosemaphore", "bad_area",
	"page_fault_oops", "kernelmode_fixup_or_oops", "do_page_fault", "__do_page_fault",
	"___do_page_fault", "do_user_addr_fault", "do_kern_addr_fault", "exc_page_fault",
	"asm_exc_page_fault", "page_fault", "async_page_fault", "do_async_page_fault",
	"trace_do_page_fault", "trace_page_fault", "mm_fault_error", "bad_page_fault",
	"__bad_page_fault", "handle_page_fault", "do_trap", "do_error_trap", "exc_invalid_op",
	"asm_exc_invalid_op", "invalid_op", "do_invalid_op", "exc_general_protection",
	"asm_exc_general_protection", "general_protection", "do_general_protection",
	"do_divide_error", "divide_error", "exc_divide_error", "asm_exc_divide_error",
	"do_stack_segment", "stack_segment", "exc_stack_segment", "asm_exc_stack_segment",
	"double_fault", "do_double_fault", "exc_double_fault", "asm_exc_double_fault",
	"df_debug", "handle_stack_overflow", "do_int3", "int3", "exc_int3", "asm_exc_int3",
	"do_nmi", "nmi", "end_repeat_nmi", "exc_nmi", "asm_exc_nmi", "default_do_nmi",
	"nmi_handle", "nmi_handle.part", "nmi_restore", "error_code", "error_exit", "error_entry",
	"data_access_common_virt", "data_access_common_real", "instruction_access_common_virt",
	"handle_page_fault_error", "program_check_exception", "program_check_common_virt",
	"do_program_check", "_exception", "_exception_pkey", "machine_check_exception",
	"alignment_exception", "unrecoverable_exception", "system_reset_exception",
	"do_exception", "__do_kernel_fault", "do_translation_fault", "do_mem_abort", "el1_abort",
	"el1h_64_sync_handler", "el1h_64_sync", "el1_da",
	"sysvec_apic_timer_interrupt", "__sysvec_apic_timer_interrupt",
	"asm_sysvec_apic_timer_interrupt", "smp_apic_timer_interrupt", "apic_timer_interrupt",
	"asm_call_irq_on_stack", "asm_call_on_stack", "ret_from_intr", "retint_kernel",
	"common_interrupt", "asm_common_interrupt", "do_IRQ", "call_softirq",
	"do_softirq_own_stack", "timer_interrupt", "__do_irq",
	/* system calls and threads, which all come the same way */
	"do_syscall_64", "do_syscall_x64", "x64_sys_call", "ia32_sys_call",
	"entry_SYSCALL_64_after_hwframe", "entry_SYSCALL_64_fastpath", "entry_SYSCALL_64",
	"system_call_fastpath", "system_call", "tracesys", "sysenter_do_call", "syscall_call",
	"sysret_check", "sysret_signal", "int_signal", "do_int80_syscall_32",
	"do_fast_syscall_32", "do_SYSENTER_32", "entry_INT80_32", "entry_SYSENTER_32",
	"__do_fast_syscall_32", "ia32_sysret", "syscall_exit", "system_call_common",
	"system_call_exception", "system_call_vectored_common", "ret_from_syscall",
	"ret_from_fork", "ret_from_fork_asm", "kernel_thread_helper", "child_rip",
	"kernel_thread_starter", "ret_from_kernel_thread", "ret_from_kernel_user_thread",
	"start_kernel_thread", "kthread", "worker_thread", "process_one_work",
	"process_scheduled_works",
};

/* How a task waits, not for what. */
static const char *const waits[] = {
	"__schedule", "schedule", "preempt_schedule_common", "preempt_schedule",
	"preempt_schedule_irq", "_cond_resched", "__cond_resched", "__switch_to", "__switch_to_asm",
	"context_switch", "schedule_timeout", "io_schedule", "io_schedule_timeout",
	"schedule_preempt_disabled", "__io_schedule", "schedule_timeout_uninterruptible",
	"schedule_timeout_interruptible", "schedule_timeout_killable", "schedule_hrtimeout",
	"schedule_hrtimeout_range", "schedule_hrtimeout_range_clock", "do_nanosleep", "msleep",
	"usleep_range", "usleep_range_state", "schedule_rtlock", "rt_mutex_schedule",
	/* for a lock or a completion */
	"native_queued_spin_lock_slowpath", "queued_spin_lock_slowpath", "queued_spin_lock",
	"__pv_queued_spin_lock_slowpath", "queued_read_lock_slowpath",
	"queued_write_lock_slowpath", "_raw_spin_lock", "_raw_spin_lock_irq",
	"_raw_spin_lock_irqsave", "_raw_spin_lock_bh", "_raw_read_lock", "_raw_write_lock",
	"_raw_spin_unlock", "_raw_spin_unlock_irq", "_raw_spin_unlock_irqrestore",
	"__raw_spin_unlock_irqrestore", "do_raw_spin_lock", "do_raw_spin_unlock", "_spin_lock",
	"_spin_lock_irq", "_spin_lock_irqsave", "_spin_lock_bh", "_spin_unlock_irqrestore",
	"_read_lock", "_write_lock", "__ticket_spin_lock", "__read_lock_failed",
	"__write_lock_failed", "pv_wait", "kvm_wait", "rt_spin_lock", "rtlock_slowlock_locked",
	"rt_mutex_slowlock", "__rt_mutex_lock", "rt_mutex_lock", "mutex_lock",
	"mutex_lock_killable", "mutex_lock_interruptible", "mutex_lock_nested", "__mutex_lock",
	"__mutex_lock_common", "__mutex_lock_slowpath", "mutex_spin_on_owner",
	"mutex_optimistic_spin", "osq_lock", "__mutex_lock_killable_slowpath",
	"__mutex_lock_interruptible_slowpath", "down", "__down", "__down_common", "down_timeout",
	"__down_timeout", "down_interruptible", "__down_interruptible", "down_killable",
	"__down_killable", "down_read", "__down_read", "__down_read_common", "down_write",
	"__down_write", "__down_write_common", "down_read_killable", "down_write_killable",
	"rwsem_down_read_slowpath", "rwsem_down_write_slowpath", "rwsem_down_read_failed",
	"rwsem_down_write_failed", "rwsem_down_failed_common", "rwsem_optimistic_spin",
	"call_rwsem_down_read_failed", "call_rwsem_down_write_failed", "rwbase_write_lock",
	"rwbase_read_lock", "__rwbase_read_lock", "wait_for_completion", "wait_for_common",
	"__wait_for_common", "do_wait_for_common", "wait_for_completion_timeout",
	"wait_for_completion_killable", "wait_for_completion_interruptible",
	"wait_for_completion_state", "wait_for_completion_io",
	/* for a page, a work item or a grace period */
	"__wait_on_bit", "__wait_on_bit_lock", "out_of_line_wait_on_bit", "bit_wait",
	"bit_wait_io", "out_of_line_wait_on_bit_lock", "wait_on_page_bit",
	"wait_on_page_bit_common", "folio_wait_bit", "folio_wait_bit_common", "sleep_on_page",
	"__lock_page", "__folio_lock", "wait_woken", "flush_work", "__flush_work",
	"flush_workqueue", "__flush_workqueue", "synchronize_rcu", "synchronize_sched",
	"wait_rcu_gp", "__wait_rcu_gp", "synchronize_srcu", "__synchronize_srcu",
	"synchronize_rcu_normal", "synchronize_rcu_expedited",
	/* for time, which a loop spends there */
	"delay_tsc", "__delay", "__const_udelay", "__udelay", "delay_halt", "delay_halt_tpause",
	"udelay", "__cpu_relax", "rep_nop", "cpu_relax",
};

/* They find what their caller did wrong. */
static const char *const helpers[] = {
	"__list_add_valid", "__list_del_entry_valid", "__list_add_valid_or_report",
	"__list_del_entry_valid_or_report", "__list_add", "__list_del_entry", "list_del",
	"list_add", "refcount_warn_saturate", "refcount_error_report", "refcount_inc",
	"refcount_inc_checked", "refcount_sub_and_test", "refcount_sub_and_test_checked",
	"refcount_dec_and_test", "refcount_dec_and_test_checked", "refcount_inc_not_zero_checked",
	"refcount_add_not_zero_checked", "kref_get", "__stack_chk_fail", "fortify_panic",
	"__fortify_panic", "__fortify_report", "usercopy_abort", "__check_object_size",
	"__check_heap_object", "check_heap_object",
	/* of strings and memory */
	"memcpy", "__memcpy", "memcpy_erms", "memcpy_orig", "memset", "__memset", "memset_erms",
	"memset_orig", "memmove", "__memmove", "memmove_erms", "memcmp", "strlen", "strnlen",
	"strcmp", "strncmp", "strcpy", "strncpy", "strlcpy", "strscpy", "sized_strscpy", "strchr",
	"strstr", "strcasecmp", "memchr", "rep_movs_alternative", "rep_stos_alternative",
	"copy_user_generic_string", "copy_user_enhanced_fast_string",
	"copy_user_generic_unrolled",
	/* of freed memory, whoever frees it twice */
	"kfree", "kmem_cache_free", "__slab_free", "slab_free_freelist_hook", "do_slab_free",
	"set_freepointer", "slab_fix", "free_debug_processing", "cache_free_debugcheck",
	"__free_to_partial_list", "free_to_partial_list",
};

static bool is_one_of(const char *const *names, size_t n, const char *s, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], s, len))
			return true;
	return false;
}

/* "__asan_load8_noabort", "__asan_report_store4", "__tsan_read8": what the compiler calls. */
static bool is_sanitizer(const char *s)
{
	return str_begins(s, "__asan_") || str_begins(s, "__hwasan_") || str_begins(s, "__tsan_") ||
	       str_begins(s, "__msan_");
}

static bool names_nothing(const char *s, size_t len)
{
	return is_one_of(reporters, ARRAY_LEN(reporters), s, len) ||
	       is_one_of(entries, ARRAY_LEN(entries), s, len) ||
	       is_one_of(waits, ARRAY_LEN(waits), s, len) ||
	       is_one_of(helpers, ARRAY_LEN(helpers), s, len) || is_sanitizer(s);
}

/*
 * The function of a system call has the name SyS_write (3.7 to 4.16), __x64_sys_write with its
 * inner __se_sys_write and __do_sys_write (fa697140f9a2, 4.17), or ksys_write beside them.
 */
static const char *skip_of_syscall(const char *s)
{
	static const char *const begins[] = { "compat_SyS_",
					      "SyS_",
					      "SYSC_",
					      "__x64_sys_",
					      "__ia32_sys_",
					      "__se_sys_",
					      "__do_sys_",
					      "__se_compat_sys_",
					      "__ia32_compat_sys_",
					      "__do_compat_sys_",
					      "compat_sys_",
					      "__arm64_sys_",
					      "ksys_",
					      "sys_" };

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (str_begins(s, begins[i]) && s[strlen(begins[i])])
			return s + strlen(begins[i]);
	return NULL;
}

const char *call_plain(const char *function, struct arena *mem)
{
	static const char *const adds[] = { ".isra", ".part",	".constprop",
					    ".cold", ".llvm",	".lto_priv",
					    ".cfi",  ".__uniq", ".localalias" };
	const char *call;
	size_t len;

	function += *function == '.';
	len = strlen(function);
	for (size_t i = 0; i < ARRAY_LEN(adds); i++) {
		const char *at = strstr(function, adds[i]);

		if (at && at > function && (size_t)(at - function) < len)
			len = (size_t)(at - function);
	}
	if (names_nothing(function, len))
		return NULL;
	function = arena_strndup(mem, function, len);
	call = skip_of_syscall(function);
	return call ? arena_printf(mem, "sys_%s", call) : function;
}

/* ---- messages ------------------------------------------------------------------------------- */

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

/* Where a protection fault guesses an address, and KASAN of before 4.9 knows it. */
static bool is_guess(const char *s)
{
	return str_begins(s, ", probably for ") || str_begins(s, ", maybe for ") ||
	       str_begins(s, " at addr ");
}

/* What has other words in other releases and on other CPUs, in those of the newest of x86. An address
   follows, and with PowerPC whether it was read. */
static const struct { const char *begin, *same; } said[] = {
	{ "BUG: kernel NULL pointer dereference", "BUG: kernel NULL pointer dereference" },
	{ "BUG: unable to handle kernel NULL pointer dereference", "BUG: kernel NULL pointer dereference" },
	{ "BUG: Kernel NULL pointer dereference", "BUG: kernel NULL pointer dereference" },
	{ "Unable to handle kernel NULL pointer dereference", "BUG: kernel NULL pointer dereference" },
	{ "BUG: unable to handle page fault", "BUG: unable to handle page fault" },
	{ "BUG: unable to handle kernel paging request", "BUG: unable to handle page fault" },
	{ "BUG: Unable to handle kernel data access", "BUG: unable to handle page fault" },
	{ "Unable to handle kernel paging request", "BUG: unable to handle page fault" },
};

/* "WARNING: CPU: 0 PID: 7 at mm/a.c:9 f+0x1/0x2 [m]"; "WARNING: at mm/a.c:9 f+0x1/0x2()" up to 3.11;
   "WARNING: mm/a.c:9 at f+0x1/0x2, CPU#0: cat/7" of late. NULL: it is none. */
static const char *warning_plain(const char *s, struct arena *mem)
{
	const char *file, *at;
	size_t len;

	if (!str_begins(s, "WARNING: "))
		return NULL;
	s += strlen("WARNING: ");
	at = strstr(s, "at ");
	if (str_begins(s, "CPU: ") && at)
		s = at;
	s += str_begins(s, "at ") ? 3 : 0;
	file = skip_folder(s);
	len = strcspn(file, ":");
	if (!file[len] || strcspn(file, " ") < len)
		return NULL;
	s = file + strcspn(file, " ");
	s += strspn(s, " ");
	s += str_begins(s, "at ") ? 3 : 0;
	return arena_printf(mem, "WARNING: %.*s:# %.*s", (int)len, file, (int)strcspn(s, "+ (,"),
			    s);
}

bool panic_is_asked(const char *message)
{
	return str_begins(message, "sysrq") || str_begins(message, "SysRq") ||
	       str_begins(message, "NMI: Not continuing") || strstr(message, "System Reset");
}

/* The report is above: die(), check_panic_on_warn() and what a sanitizer does at the end of its own. */
bool panic_is_of_report(const char *message)
{
	return str_begins(message, "Fatal exception") || strstr(message, "panic_on_warn set") ||
	       str_begins(message, "kasan.fault=panic") ||
	       str_begins(message, "Aiee, killing interrupt handler") ||
	       str_begins(message, "Attempted to kill the idle task") ||
	       str_begins(message, "Machine halted");
}

const char *panic_plain(const char *message, struct arena *mem)
{
	const char *fault = strchr(message, '('), *s = message, *warning;
	char *ret, *to;

	/* "Fatal exception (BUG: ...)": the fault is what is wrong; v6.12 prints "Oops: " before it */
	if (fault && panic_is_of_report(message))
		s = fault + 1;
	while (str_begins(s, "Oops: "))
		s += strlen("Oops: ");
	for (size_t i = 0; i < ARRAY_LEN(said); i++)
		if (str_begins(s, said[i].begin))
			return said[i].same;
	warning = warning_plain(s, mem);
	if (warning)
		return warning;
	to = ret = arena_strdup(mem, s);
	while (*s && (size_t)(to - ret) < 160) {
		bool word = s > message && (isalnum((unsigned char)s[-1]) || s[-1] == '_');
		size_t n;

		if (is_of_die(s) || is_guess(s))
			break;
		if (s == message || s[-1] == ' ')
			s = skip_folder(s);
		n = word ? 0 : number_at(s);
		/* "EXT4-fs (device sda2)" */
		if (!n && s >= message + 8 && !memcmp(s - 8, "(device ", 8))
			n = strcspn(s, ") ");
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
