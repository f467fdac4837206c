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
#include "model/source/source.h"
#include "reports/core/cell.h"
#include "reports/render/render.h"
#include "reports/process/vma_rows.h"
#include "reports/process/vmflags.h"

enum text_of { SMAPS = 1, ROLLUP = 2 };

/* One counter's line: label of 16 characters, number right-aligned in 8. */
static const struct line {
	const char *label;
	size_t offset;		/* in struct vma_row: bytes */
	struct era era;
	int rule;		/* enum rule that must hold, -1 none */
	unsigned in;		/* enum text_of */
} lines[] = {
#define L_IN(in, label, member, from, until) \
	{ label, offsetof(struct vma_row, member), { from, until }, -1, in }
#define L(...) L_IN(SMAPS | ROLLUP, __VA_ARGS__)
#define L_RULE(label, member, rule) \
	{ label, offsetof(struct vma_row, member), { 0, 0 }, rule, SMAPS | ROLLUP }
	L_IN(SMAPS, "Size:           ", u.size, 0, 0),
	L_IN(SMAPS, "KernelPageSize: ", kernel_page, V(4, 14), 0),
	L_IN(SMAPS, "MMUPageSize:    ", kernel_page, V(4, 14), 0),
	L("Rss:            ", u.rss, 0, 0),
	L("Pss:            ", u.pss, V26(25), 0),
	L_RULE("Pss_Dirty:      ", u.pss_dirty, RULE_PSS_DIRTY_LINE),
	/* ee2ad71b0756 (v5.3) */
	L_IN(ROLLUP, "Pss_Anon:       ", u.pss_anon, V(5, 3), 0),
	L_IN(ROLLUP, "Pss_File:       ", u.pss_file, V(5, 3), 0),
	L_IN(ROLLUP, "Pss_Shmem:      ", u.pss_shmem, V(5, 3), 0),
	L("Shared_Clean:   ", u.shared_clean, 0, 0),
	L("Shared_Dirty:   ", u.shared_dirty, 0, 0),
	L("Private_Clean:  ", u.private_clean, 0, 0),
	L("Private_Dirty:  ", u.private_dirty, 0, 0),
	L("Referenced:     ", u.referenced, V26(22), 0),
	L("Anonymous:      ", u.anonymous, V26(37), 0),
	L_RULE("KSM:            ", u.ksm, RULE_KSM_LINE),
	L("LazyFree:       ", u.lazyfree, V(4, 12), 0),
	L("AnonHugePages:  ", u.anon_huge, V26(39), 0),
	L("ShmemPmdMapped: ", u.shmem_huge, V(4, 8), 0),
	L("FilePmdMapped: ", u.file_huge, V(5, 4), V(5, 8)),
	L("FilePmdMapped:  ", u.file_huge, V(5, 8), 0),
	L("Shared_Hugetlb: ", u.shared_hugetlb, V(4, 4), 0),
	L("Private_Hugetlb: ", u.private_hugetlb, V(4, 4), 0),
	L("Swap:           ", u.swap, V26(26), 0),
	L("SwapPss:        ", u.swap_pss, V(4, 3), 0),
	L("KernelPageSize: ", kernel_page, V26(29), V(4, 14)),
	L("MMUPageSize:    ", kernel_page, V26(29), V(4, 14)),
	L("Locked:         ", u.pss_locked, V26(38), 0),
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

/* mangle_path(s, p, "\n"), whose other bytes are for files and pipes: a terminal would
   obey them. */
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

static void put_map_line(const struct snapshot *s, const struct vma_row *r, struct text *x,
			 FILE *out)
{
	unsigned word = s->k->arch ? s->k->arch->word_size : 8;
	size_t width = 25 + word * 6 - 1;

	x->n = 0;
	add_hex(x, r->start, 8);
	append(x, "-", 1);
	add_hex(x, r->end, 8);
	append(x, " ", 1);
	append(x, r->perms, 4);
	append(x, " ", 1);
	add_hex(x, r->offset, 8);
	append(x, " ", 1);
	append(x, r->dev, strlen(r->dev));
	append(x, " ", 1);
	add_right(x, r->ino, 0);
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
	struct text x = { .terminal = isatty(fileno(out)) };

	for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
		const struct vma_row *r = table_row(t, i);

		put_header(o, r, &last, out);
		put_map_line(s, r, &x, out);
	}
}

/* The lines of this kernel, in order. */
static unsigned choose_lines(const struct kernel *k, enum text_of text, const struct line **ret)
{
	unsigned n = 0;

	for (unsigned i = 0; i < ARRAY_LEN(lines); i++)
		if (!(lines[i].in & text))
			continue;
		else if (lines[i].rule < 0 ? in_era(k, lines[i].era) : k->rules.on[lines[i].rule])
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
		add_right(x, bytes >> 10, len > LABEL ? 7 : 8);
		append(x, " kB\n", 4);
	}
}

static void add_tail(const struct snapshot *s, struct text *x, const struct vma_row *r)
{
	static const struct era thp = { V(5, 0), 0 }, thp_wide = { V(6, 5), 0 },
				keys = { V(4, 9), 0 }, flags = { V(3, 8), 0 };

	if (in_era(s->k, thp) && source_has(s->k, SOURCE_SETTINGS)) {
		append(x, "THPeligible:    ", LABEL);
		add_right(x, r->thp, in_era(s->k, thp_wide) ? 8 : 0);
		append(x, "\n", 1);
	}
	if (r->pkey != COL_UNKNOWN && in_era(s->k, keys)) {
		append(x, "ProtectionKey:  ", LABEL);
		add_right(x, r->pkey, 8);
		append(x, "\n", 1);
	}
	if (in_era(s->k, flags)) {
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
	struct text x = { .terminal = isatty(fileno(out)) };

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

/* show_smaps_rollup(): one line for the whole of MM, and the sums. */
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
	put_map_line(s, &r, &x, out);
	x.n = 0;
	add_counters(&x, &r, v, n);
	fwrite(x.buf, 1, x.n, out);
}
