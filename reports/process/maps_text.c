/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of /proc/PID/maps and /proc/PID/smaps, as the dumped kernel's
 * version prints it. Sources: show_map_vma(), show_smap() and __show_smap() of
 * fs/proc/task_mmu.c, seq_pad() and mangle_path() of fs/seq_file.c, read in
 * 2.6.32 ... 7.3.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/source.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/cell.h"
#include "reports/process/vma_rows.h"
#include "reports/process/vmflags.h"
#include "reports/render/render.h"

/* FIRST, LAST: in kernels that print the page sizes there. ASKED: in those that ask whether a
   vma is locked, UNASKED: in others. */
enum text_of { SMAPS = 1, ROLLUP = 2, FIRST = 4, LAST = 8, ASKED = 16, UNASKED = 32 };

/* One counter's line: label of 16 characters, number right-aligned in 8. */
static const struct line {
	const char *label;
	size_t offset;		/* in struct vma_row: bytes */
	int rule;		/* enum rule that must hold, -1 none */
	unsigned in;		/* enum text_of */
} lines[] = {
#define L_IN(in, label, member, rule) { label, offsetof(struct vma_row, member), rule, in }
#define L(...) L_IN(SMAPS | ROLLUP, __VA_ARGS__)
	L_IN(SMAPS, "Size:           ", u.size, -1),
	L_IN(SMAPS | FIRST, "KernelPageSize: ", kernel_page, RULE_LINE_PAGE_SIZES),
	L_IN(SMAPS | FIRST, "MMUPageSize:    ", kernel_page, RULE_LINE_PAGE_SIZES),
	L("Rss:            ", u.rss, -1),
	L("Pss:            ", u.pss, RULE_LINE_PSS),
	L("Pss_Dirty:      ", u.pss_dirty, RULE_PSS_DIRTY_LINE),
	L_IN(ROLLUP, "Pss_Anon:       ", u.pss_anon, RULE_LINE_PSS_ANON),
	L_IN(ROLLUP, "Pss_File:       ", u.pss_file, RULE_LINE_PSS_ANON),
	L_IN(ROLLUP, "Pss_Shmem:      ", u.pss_shmem, RULE_LINE_PSS_ANON),
	L("Shared_Clean:   ", u.shared_clean, -1),
	L("Shared_Dirty:   ", u.shared_dirty, -1),
	L("Private_Clean:  ", u.private_clean, -1),
	L("Private_Dirty:  ", u.private_dirty, -1),
	L("Referenced:     ", u.referenced, RULE_LINE_REFERENCED),
	L("Anonymous:      ", u.anonymous, RULE_LINE_ANONYMOUS),
	L("KSM:            ", u.ksm, RULE_KSM_LINE),
	L("LazyFree:       ", u.lazyfree, RULE_LINE_LAZYFREE),
	L("AnonHugePages:  ", u.anon_huge, RULE_LINE_ANON_HUGE),
	L("ShmemPmdMapped: ", u.shmem_huge, RULE_LINE_SHMEM_HUGE),
	L("FilePmdMapped: ", u.file_huge, RULE_LINE_FILE_HUGE_NARROW),
	L("FilePmdMapped:  ", u.file_huge, RULE_LINE_FILE_HUGE),
	L("Shared_Hugetlb: ", u.shared_hugetlb, RULE_LINE_SHARED_HUGETLB),
	L("Private_Hugetlb: ", u.private_hugetlb, RULE_LINE_SHARED_HUGETLB),
	L("Swap:           ", u.swap, RULE_LINE_SWAP),
	L("SwapPss:        ", u.swap_pss, RULE_LINE_SWAP_PSS),
	L_IN(SMAPS | LAST, "KernelPageSize: ", kernel_page, RULE_LINE_PAGE_SIZES),
	L_IN(SMAPS | LAST, "MMUPageSize:    ", kernel_page, RULE_LINE_PAGE_SIZES),
	L_IN(SMAPS | ROLLUP | ASKED, "Locked:         ", u.pss_locked, RULE_LINE_LOCKED),
	L_IN(SMAPS | ROLLUP | UNASKED, "Locked:         ", u.pss, RULE_LINE_LOCKED),
};

#define LABEL 16	/* Private_Hugetlb is one longer, and its number narrower */

/* A growing line in a buffer that is large enough for all but names. */
struct text {
	char buf[4096];
	size_t n;
	bool terminal;		/* it is for a person to read */
};

static void append(struct text *x, const char *s, size_t n)
{
	memcpy(x->buf + x->n, s, n);
	x->n += n;
}

static void add_hex(struct text *x, uint64_t v, unsigned width)
{
	char tmp[24];
	int n = snprintf(tmp, sizeof(tmp), "%0*" PRIx64, (int)width, v);

	append(x, tmp, (size_t)n);
}

static void add_right(struct text *x, uint64_t v, size_t width)
{
	char tmp[24];
	size_t n = put_decimal(tmp, v);

	for (; width > n; width--)
		x->buf[x->n++] = ' ';
	append(x, tmp, n);
}

/* mangle_path(s, p, "\n") leaves all other bytes as they are, for files and pipes. A terminal
   would obey them. */
static void put_name(const struct text *x, FILE *out, const char *s)
{
	if (x->terminal) {
		put_text(out, s);
		return;
	}
	for (size_t n; *s; s += n) {
		n = strcspn(s, "\n");
		fwrite(s, 1, n, out);
		if (s[n]) {
			fputs("\\012", out);
			n++;
		}
	}
}

/*
 * The first address that maps shows. A stack that grows down begins with a guard page,
 * unless another one ends there (stack_guard_page_start(), vma_growsdown(), linux/mm.h of
 * 3.10).
 */
static uint64_t shown_start(const struct snapshot *s, const struct vma_row *r)
{
	const struct vma *v = r->vma, *prev;

	if (!kernel_rule(s->k, RULE_STACK_GUARD) || !v || !(v->flags & VMA_GROWSDOWN) ||
	    v < s->vmas || v >= s->vmas + s->nvmas)
		return r->start;
	prev = v > &s->vmas[s->mms[v->mm].first_vma] ? v - 1 : NULL;
	if (prev && prev->end == v->start && prev->flags & VMA_GROWSDOWN)
		return r->start;
	return r->start + (UINT64_C(1) << s->k->page_shift);
}

static void put_map_line(const struct snapshot *s, const struct vma_row *r, struct text *x,
			 FILE *out)
{
	unsigned word = s->k->arch ? s->k->arch->word_size : 8;
	size_t width = 25 + word * 6 - 1;

	x->n = 0;
	add_hex(x, shown_start(s, r), 8);
	append(x, "-", 1);
	add_hex(x, r->end, 8);
	append(x, " ", 1);
	append(x, r->perms, 4);
	append(x, " ", 1);
	add_hex(x, r->offset, 8);
	append(x, " ", 1);
	append(x, r->dev, strlen(r->dev));
	append(x, " ", 1);
	add_right(x, r->ino == COL_UNKNOWN ? 0 : r->ino, 0);
	append(x, " ", 1);
	if (*r->name) {
		while (x->n < width)
			append(x, " ", 1);
		append(x, " ", 1);
	}
	fwrite(x->buf, 1, x->n, out);
	put_name(x, out, r->name);
	putc('\n', out);
}

/* "==> PID COMM <==" where another process begins. */
static void put_header(const struct report_opts *o, const struct vma_row *r,
		       const struct proc **last, FILE *out)
{
	if (o->pid || r->proc == *last)
		return;
	*last = r->proc;
	fprintf(out, "==> %" PRId64 " ", r->pid);
	put_text(out, r->comm);
	fputs(" <==\n", out);
}

void maps_text(const struct snapshot *s, const struct report_opts *o, const struct table *t,
	       FILE *out)
{
	const struct proc *last = NULL;
	struct text x = { .terminal = o->width || isatty(fileno(out)) };

	for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
		const struct vma_row *r = table_row(t, i);

		put_header(o, r, &last, out);
		put_map_line(s, r, &x, out);
	}
}

/* The lines of this kernel, in order. */
static unsigned choose_lines(const struct kernel *k, enum text_of text, const struct line **ret)
{
	unsigned other = kernel_rule(k, RULE_PAGE_SIZES_LAST) ? FIRST : LAST, n = 0;

	other |= kernel_rule(k, RULE_SMAPS_ROLLUP) && !kernel_rule(k, RULE_LOCKED_ASKED) ? ASKED
											 : UNASKED;

	for (unsigned i = 0; i < ARRAY_LEN(lines); i++)
		if (lines[i].in & text && !(lines[i].in & other) &&
		    (lines[i].rule < 0 || kernel_rule(k, lines[i].rule)))
			ret[n++] = &lines[i];
	return n;
}

static void add_counters(struct text *x, const struct vma_row *r, const struct line *const *v,
			 unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		size_t len = strlen(v[i]->label);
		uint64_t bytes = *(const uint64_t *)((const char *)r + v[i]->offset);

		append(x, v[i]->label, len);
		if (bytes == COL_UNKNOWN)
			append(x, len > LABEL ? "      -" : "       -", len > LABEL ? 7 : 8);
		else
			add_right(x, bytes >> 10, len > LABEL ? 7 : 8);
		append(x, " kB\n", 4);
	}
}

static void add_tail(const struct snapshot *s, struct text *x, const struct vma_row *r)
{
	const struct kernel *k = s->k;
	bool tabs = kernel_rule(k, RULE_LINE_THP_TABS);

	if ((tabs || kernel_rule(k, RULE_LINE_THP)) && source_has(k, SOURCE_SETTINGS)) {
		append(x, tabs ? "THPeligible:\t\t" : "THPeligible:    ", tabs ? 14 : LABEL);
		add_right(x, r->thp, kernel_rule(k, RULE_LINE_THP_WIDE) ? 8 : 0);
		append(x, "\n", 1);
	}
	if (r->pkey != COL_UNKNOWN && kernel_rule(k, RULE_LINE_PKEY)) {
		append(x, "ProtectionKey:  ", LABEL);
		add_right(x, r->pkey, 8);
		append(x, "\n", 1);
	}
	if (kernel_rule(k, RULE_LINE_VMFLAGS)) {
		append(x, "VmFlags: ", 9);
		append(x, r->vmflags, strlen(r->vmflags));
		if (*r->vmflags)
			append(x, " ", 1);
		append(x, "\n", 1);
	}
}

void smaps_text(const struct snapshot *s, const struct report_opts *o, const struct table *t,
		FILE *out)
{
	const struct line *v[ARRAY_LEN(lines)];
	unsigned n = choose_lines(s->k, SMAPS, v);
	const struct proc *last = NULL;
	struct text x = { .terminal = o->width || isatty(fileno(out)) };

	for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
		const struct vma_row *r = table_row(t, i);

		put_header(o, r, &last, out);
		put_map_line(s, r, &x, out);
		x.n = 0;
		add_counters(&x, r, v, n);
		add_tail(s, &x, r);
		fwrite(x.buf, 1, x.n, out);
	}
}

/* show_smaps_rollup(): one line for all of MM, and the sums. */
void smaps_rollup_text(const struct snapshot *s, const struct mm *mm, FILE *out)
{
	const struct line *v[ARRAY_LEN(lines)];
	unsigned n = choose_lines(s->k, ROLLUP, v);
	struct vma_row r = { .perms = "---p", .dev = "00:00", .name = "[rollup]" };
	struct text x = { .terminal = false };

	if (mm->nvmas) {
		r.start = s->vmas[mm->first_vma].start;
		r.end = s->vmas[mm->first_vma + mm->nvmas - 1].end;
	}
	usage_cells_set(&r.u, &mm->usage);
	if (source_has(s->k, SOURCE_MEMORY))
		usage_cells_forget(&r.u, mm_incomplete(s, mm));
	put_map_line(s, &r, &x, out);
	x.n = 0;
	add_counters(&x, &r, v, n);
	fwrite(x.buf, 1, x.n, out);
}
