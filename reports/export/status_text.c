/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources: fs/proc/array.c (proc_pid_status() and what it calls), task_mem() of
 * fs/proc/task_mmu.c, hugetlb_report_usage() of mm/hugetlb.c, read in 5.10 ... 7.3.
 */
#include "reports/export/status_text.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/mm.h"
#include "facts/layout/proc.h"
#include "facts/layout/system.h"
#include "facts/layout/task.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/common.h"

#define MMF_DISABLE_THP (UINT64_C(1) << 24)

/* proc_task_name(): newline and backslash escaped. */
static void put_task_name(FILE *out, const char *name)
{
	for (; *name; name++)
		if (*name == '\n' || *name == '\\')
			fputs(*name == '\n' ? "\\n" : "\\\\", out);
		else
			putc(*name, out);
}

static const char *state_text(char state)
{
	static const char *const texts[] = {
		"R (running)", "S (sleeping)", "D (disk sleep)", "T (stopped)",
		"t (tracing stop)", "X (dead)", "Z (zombie)", "P (parked)", "I (idle)",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i][0] == state)
			return texts[i];
	return "? (unknown)";
}

static void put_groups(FILE *out, const struct task_text *x)
{
	uint32_t gid;

	bool old = kernel_rule(x->s->k, RULE_IDS_SIGNED); /* f7a5f132b447 (v4.9) */

	for (uint32_t i = 0; process_shown_group(x->shown, &x->d, i, &gid); i++)
		if (old)
			fprintf(out, "%d ", (int)gid);
		else
			fprintf(out, "%s%" PRIu32, i ? " " : "", gid);
	fputs(old ? "\n" : " \n", out);
}

static void put_ids(FILE *out, const struct kernel *k, const char *label, const uint32_t *v)
{
	if (kernel_rule(k, RULE_IDS_SIGNED)) {
		fprintf(out, "%s:\t%d\t%d\t%d\t%d\n", label, (int)v[0], (int)v[1], (int)v[2],
			(int)v[3]);
		return;
	}
	fprintf(out, "%s:\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\n", label, v[0], v[1],
		v[2], v[3]);
}

/* Numbers in the pid namespaces, from the initial one to its own. */
static void put_ns(FILE *out, const struct task_text *x, const char *label, int32_t nr,
		   const int32_t *inner)
{
	fprintf(out, "%s:\t%d", label, nr);
	for (uint32_t i = 1; i <= x->p->pidns_level && i < DETAILS_NS_LEVELS; i++)
		fprintf(out, "\t%d", inner[i]);
	putc('\n', out);
}

/* With CONFIG_PID_NS, that is where its function is, or no function is known at all. */
static void put_namespaces(FILE *out, const struct task_text *x)
{
	const struct kernel *k = x->s->k;

	if ((!has(k, Y_COPY_PID_NS) && has(k, Y_COPY_NAMESPACES)) ||
	    !kernel_rule(k, RULE_STATUS_NS))
		return;
	put_ns(out, x, "NStgid", x->p->pid, x->d.ns_pid);
	put_ns(out, x, "NSpid", x->p->pid, x->d.ns_pid);
	put_ns(out, x, "NSpgid", x->d.pgrp, x->d.ns_pgrp);
	put_ns(out, x, "NSsid", x->d.session, x->d.ns_session);
}

static void put_who(const struct task_text *x, FILE *out)
{
	static const struct era kthread = { V(6, 11), 0 }; /* 6c56b9ec8ba5 */
	const struct proc *p = x->p;
	const struct task *t = proc_leader(x->s, p);
	char state = t ? t->state : '\0';

	fputs("Name:\t", out);
	put_task_name(out, x->d.name);
	putc('\n', out);
	if (x->d.has_fs && kernel_rule(x->s->k, RULE_STATUS_UMASK))
		fprintf(out, "Umask:\t%04o\n", x->d.umask);
	fprintf(out, "State:\t%s\nTgid:\t%d\n%sPid:\t%d\nPPid:\t%d\nTracerPid:\t%d\n",
		state_text(state), p->pid,
		kernel_rule(x->s->k, RULE_STATUS_NGID) ? "Ngid:\t0\n" : "", p->pid, p->ppid,
		x->d.tracer);
	put_ids(out, x->s->k, "Uid", x->d.uid);
	put_ids(out, x->s->k, "Gid", x->d.gid);
	fprintf(out, "FDSize:\t%" PRIu32 "\nGroups:\t", x->d.fd_size);
	put_groups(out, x);
	put_namespaces(out, x);
	if (in_era(x->s->k, kthread))
		fprintf(out, "Kthread:\t%c\n", p->kthread ? '1' : '0');
}

/* ---- memory ----------------------------------------------------------------------- */

static void put_kib(FILE *out, const char *label, uint64_t bytes)
{
	fprintf(out, "%s:\t%8" PRIu64 " kB\n", label, bytes >> 10);
}

static uint64_t shown(const struct task_text *x, enum rss_counter c)
{
	return pages_bytes(x->s, x->mm->counter_shown[c]);
}

static void put_sizes(const struct task_text *x, FILE *out)
{
	const struct mm *mm = x->mm;
	uint64_t page = page_size(x->s), mask = ~(page - 1);
	uint64_t rss = shown(x, RSS_ANON) + shown(x, RSS_FILE) + shown(x, RSS_SHMEM);
	uint64_t exec = mm->exec_vm * page;
	uint64_t text = ((mm->end_code + page - 1) & mask) - (mm->start_code & mask);

	text = min_u64(text, exec);
	put_kib(out, "VmPeak", max_u64(mm->hiwater_vm, mm->total_vm) * page);
	put_kib(out, "VmSize", mm->total_vm * page);
	put_kib(out, "VmLck", mm->locked_vm * page);
	put_kib(out, "VmPin", x->d.pinned * page);
	put_kib(out, "VmHWM", max_u64(mm->hiwater_rss * page, rss));
	put_kib(out, "VmRSS", rss);
	if (has(x->s->k, E_MM_SHMEMPAGES)) {
		put_kib(out, "RssAnon", shown(x, RSS_ANON));
		put_kib(out, "RssFile", shown(x, RSS_FILE));
		put_kib(out, "RssShmem", shown(x, RSS_SHMEM));
	}
	put_kib(out, "VmData", mm->data_vm * page);
	put_kib(out, "VmStk", mm->stack_vm * page);
	put_kib(out, "VmExe", text);
	put_kib(out, "VmLib", exec - text);
	put_kib(out, "VmPTE", mm->pgtables_bytes);
	if (mm_counts_swap(x->s->k))
		put_kib(out, "VmSwap", shown(x, RSS_SWAP));
	if (has(x->s->k, M_MM_HUGETLB_USAGE))
		put_kib(out, "HugetlbPages", x->d.hugetlb * page);
}

static void put_mm(const struct task_text *x, FILE *out)
{
	static const struct era core = { V(4, 15), 0 }, thp = { V(5, 0), 0 };
	const struct kernel *k = x->s->k;

	if (!x->mm)
		return;
	put_sizes(x, out);
	if (in_era(k, core))
		fputs("CoreDumping:\t0\n", out);
	if (in_era(k, thp))
		fprintf(out, "THP_enabled:\t%d\n",
			has(k, Y_THP_FLAGS) && !(x->mm->flags & MMF_DISABLE_THP));
	if (k->arch && k->arch->status.text && release_since(&k->version, k->arch->status.since))
		fputs(k->arch->status.text, out);
}

/* ---- signals, capabilities, CPUs ------------------------------------------------------ */

static void put_mask(FILE *out, const char *label, uint64_t v)
{
	fprintf(out, "%s:\t%016" PRIx64 "\n", label, v);
}

static uint32_t cpu_ids(const struct kernel *k)
{
	return k->ncpus && k->possible ? k->possible[k->ncpus - 1] + 1 : 1;
}

static bool cpu_allowed(const struct task_text *x, uint32_t cpu)
{
	unsigned word = 8u * (x->s->k->arch ? x->s->k->arch->word_size : 8);
	uint32_t w = cpu / word;

	return w < DETAILS_CPU_WORDS && x->d.cpus[w] >> cpu % word & 1;
}

/* %*pb: words of 32 bits, the last first, of nr_cpu_ids bits. */
static void put_cpu_mask(const struct task_text *x, FILE *out)
{
	uint32_t n = cpu_ids(x->s->k);

	for (uint32_t word = (n + 31) / 32; word--;) {
		uint32_t v = 0, bits = n - word * 32 < 32 ? n - word * 32 : 32;

		for (uint32_t i = 0; i < bits; i++)
			v |= (uint32_t)cpu_allowed(x, word * 32 + i) << i;
		fprintf(out, "%0*" PRIx32 "%s", (int)((bits + 3) / 4), v, word ? "," : "\n");
	}
}

static void put_cpu_list(const struct task_text *x, FILE *out)
{
	uint32_t n = cpu_ids(x->s->k), last;
	const char *comma = "";

	for (uint32_t cpu = 0; cpu < n; cpu = last + 1) {
		last = cpu;
		if (!cpu_allowed(x, cpu))
			continue;
		while (last + 1 < n && cpu_allowed(x, last + 1))
			last++;
		fprintf(out, "%s%" PRIu32, comma, cpu);
		if (last > cpu)
			fprintf(out, "-%" PRIu32, last);
		comma = ",";
	}
	putc('\n', out);
}

static void put_rest(const struct task_text *x, FILE *out)
{
	const struct details *d = &x->d;

	fprintf(out, "Threads:\t%" PRIu32 "\nSigQ:\t0/%" PRIu64 "\n", x->p->ntasks,
		d->sigpending_limit);
	put_mask(out, "SigPnd", d->pending);
	put_mask(out, "ShdPnd", d->shared_pending);
	put_mask(out, "SigBlk", d->blocked);
	put_mask(out, "SigIgn", d->ignored);
	put_mask(out, "SigCgt", d->caught);
	put_mask(out, "CapInh", d->cap_inh);
	put_mask(out, "CapPrm", d->cap_prm);
	put_mask(out, "CapEff", d->cap_eff);
	put_mask(out, "CapBnd", d->cap_bnd);
	if (has(x->s->k, M_CRED_CAP_AMB))
		put_mask(out, "CapAmb", d->cap_amb);
	if (has(x->s->k, M_TASK_ATOMIC_FLAGS))
		fprintf(out, "NoNewPrivs:\t%d\n", d->no_new_privs);
	if (has(x->s->k, M_TASK_SECCOMP_MODE))
		fprintf(out, "Seccomp:\t%" PRIu32 "\n", d->seccomp);
	if (has(x->s->k, M_TASK_SECCOMP_FILTERS))
		fprintf(out, "Seccomp_filters:\t%" PRIu32 "\n", d->seccomp_filters);
	fputs("Cpus_allowed:\t", out);
	put_cpu_mask(x, out);
	fputs("Cpus_allowed_list:\t", out);
	put_cpu_list(x, out);
	fprintf(out,
		"voluntary_ctxt_switches:\t%" PRIu64 "\nnonvoluntary_ctxt_switches:\t%" PRIu64 "\n",
		d->nvcsw, d->nivcsw);
}

void write_status(const struct task_text *x, FILE *out)
{
	put_who(x, out);
	put_mm(x, out);
	put_rest(x, out);
}
