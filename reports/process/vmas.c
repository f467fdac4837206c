/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmas - one row per vma. smaps and maps are the same rows in the kernel's
 * own words (maps_text.c).
 */
#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "model/kernel/source.h"
#include "model/memory/areas/areas.h"
#include "model/memory/areas/vma_shown.h"
#include "model/memory/trust/incomplete.h"
#include "reports/compat/like.h"
#include "reports/core/common.h"
#include "reports/file/showmaps.h"
#include "reports/process/vma_rows.h"
#include "reports/process/vmflags.h"

#define STR(name, fl, about) COL(struct vma_row, name, COL_STR, fl, "", about)

/* The columns of maps. */
#define MAPS_COLUMNS                                                                       \
	COL(struct vma_row, pid, COL_INT, COL_SHOWN, "", "process id"),                    \
	STR(comm, COL_SHOWN, "name of the process"),                                       \
	COL(struct vma_row, start, COL_HEX, COL_SHOWN, "", "first address"),               \
	COL(struct vma_row, end, COL_HEX, 0, "", "end address (exclusive)"),               \
	STR(perms, COL_SHOWN, "r, w, x, and p for private or s for shared"),               \
	COL(struct vma_row, offset, COL_BYTES, 0, "bytes", "offset in the file"),          \
	STR(dev, 0, "device of the file's filesystem, major:minor in hex"),                \
	COL(struct vma_row, ino, COL_UINT, 0, "", "inode number of the file"),             \
	COL(struct vma_row, kernel_page, COL_BYTES, 0, "bytes", "page size (KernelPageSize)"), \
	COL(struct vma_row, pkey, COL_UINT, 0, "", "protection key"),                      \
	STR(vmflags, 0, "flags, as in VmFlags of smaps"),                         \
	U_SIZE(struct vma_row, COL_SHOWN | COL_TOTAL)
#define NAME_COLUMN                                                                        \
	STR(name, COL_SHOWN, "file, [heap], [stack] ... as maps names it; empty: anonymous")

static const struct column maps_cols[] = { MAPS_COLUMNS, NAME_COLUMN };

static const struct column vma_cols[] = {
	MAPS_COLUMNS,
	U_RSS(struct vma_row, COL_SHOWN | COL_TOTAL),
	U_PSS(struct vma_row, COL_SHOWN | COL_TOTAL),
	U_USS(struct vma_row, COL_SHOWN | COL_TOTAL),
	U_SWAP(struct vma_row, COL_SHOWN | COL_TOTAL),
	U_SWAP_PSS(struct vma_row, COL_TOTAL), U_ANON(struct vma_row, COL_TOTAL),
	U_FILE(struct vma_row, COL_TOTAL), U_SHMEM(struct vma_row, COL_TOTAL),
	U_PSS_ANON(struct vma_row, COL_TOTAL), U_PSS_FILE(struct vma_row, COL_TOTAL),
	U_PSS_SHMEM(struct vma_row, COL_TOTAL), U_PSS_DIRTY(struct vma_row, COL_TOTAL),
	U_PSS_LOCKED(struct vma_row, COL_TOTAL), U_SHARED_CLEAN(struct vma_row, COL_TOTAL),
	U_SHARED_DIRTY(struct vma_row, COL_TOTAL), U_PRIVATE_CLEAN(struct vma_row, COL_TOTAL),
	U_PRIVATE_DIRTY(struct vma_row, COL_TOTAL), U_REFERENCED(struct vma_row, COL_TOTAL),
	U_ANONYMOUS(struct vma_row, COL_TOTAL), U_LAZYFREE(struct vma_row, COL_TOTAL),
	U_KSM(struct vma_row, COL_TOTAL), U_HUGE(struct vma_row, COL_TOTAL),
	U_ANON_HUGE(struct vma_row, COL_TOTAL), U_SHMEM_HUGE(struct vma_row, COL_TOTAL),
	U_FILE_HUGE(struct vma_row, COL_TOTAL), U_SHARED_HUGETLB(struct vma_row, COL_TOTAL),
	U_PRIVATE_HUGETLB(struct vma_row, COL_TOTAL), U_SWAP_PTES(struct vma_row, COL_TOTAL),
	U_SWAP_USS(struct vma_row, COL_TOTAL), U_SWAP_CACHED(struct vma_row, COL_TOTAL),
	U_SPECIAL(struct vma_row, COL_TOTAL), U_TABLES(struct vma_row, COL_TOTAL),
	U_LOST(struct vma_row, COL_TOTAL), U_UNKNOWN(struct vma_row, COL_TOTAL),
	STR(class, 0, "role in its process: stack, data, text, heap, lib_text ..."),
	NAME_COLUMN,
	U_INCOMPLETE(struct vma_row),
};

/* Rows under construction, and the few distinct strings they share. */
struct maker {
	const struct snapshot *s;
	struct table *t;
	const struct area *areas;
	VEC(struct vma_row) rows;
	struct hash devs, flags;	/* value -> index in strings */
	VEC(const char *) strings;
	struct vma_shown *shown;
};

static const char *perms(uint64_t flags)
{
	static const char *const text[] = {
		"---p", "r--p", "-w-p", "rw-p", "--xp", "r-xp", "-wxp", "rwxp",
		"---s", "r--s", "-w-s", "rw-s", "--xs", "r-xs", "-wxs", "rwxs",
	};

	return text[(flags & 7) | (flags & VMA_MAYSHARE ? 8 : 0)];
}

static const char *keep_text(struct maker *m, struct hash *h, uint64_t key, const char *text)
{
	hash_put(h, key, (uint32_t)m->strings.n);
	*vec_push(&m->t->mem, &m->strings) = text;
	return text;
}

static const char *dev_text(struct maker *m, uint32_t major, uint32_t minor)
{
	uint64_t key = ((uint64_t)major << 32 | minor) + 1; /* 0 is no key */
	uint32_t i = hash_get(&m->devs, key);

	if (i < m->strings.n)
		return m->strings.v[i];
	return keep_text(m, &m->devs, key, arena_printf(&m->t->mem, "%02x:%02x", major, minor));
}

static const char *flags_text(struct maker *m, uint64_t flags)
{
	char buf[VMFLAGS_TEXT];
	uint64_t key = flags ? flags : UINT64_MAX;
	uint32_t i = hash_get(&m->flags, key);
	size_t n;

	if (i < m->strings.n)
		return m->strings.v[i];
	n = vmflags_text(m->s->k, flags, buf);
	return keep_text(m, &m->flags, key, arena_strndup(&m->t->mem, buf, n ? n - 1 : 0));
}

void usage_cells_of_vma(struct usage_cells *c, const struct snapshot *s, const struct vma *v)
{
	usage_cells_set(c, &v->usage);
	if (source_has(s->k, SOURCE_MEMORY))
		usage_cells_forget(c, vma_incomplete(s, v));
}

static void add_vma(struct maker *m, const struct proc *p, const char *comm, const struct vma *v)
{
	struct vma_row *r = vec_push(&m->t->mem, &m->rows);
	const struct file *f = v->file < m->s->nfiles ? &m->s->files[v->file] : NULL;

	r->proc = p;
	r->vma = v;
	/* the gate belongs to no process */
	r->class = area_class_name(v >= m->s->vmas && v < m->s->vmas + m->s->nvmas
					   ? m->areas[v - m->s->vmas].class
					   : AREA_OTHER);
	r->pid = p ? p->pid : COL_UNKNOWN_INT;
	r->comm = comm;
	r->thp = vma_shown_thp(m->shown, v);
	r->start = v->start;
	r->end = v->end;
	r->perms = perms(v->flags);
	/* since 2.6.30, a vma without a file shows offset 0 (6260a4b05210) */
	r->offset = v->file_addr ? v->pgoff * page_size(m->s) : 0;
	r->dev = dev_text(m, f ? f->dev_major : 0, f ? f->dev_minor : 0);
	r->ino = f ? f->ino : 0;
	r->name = vma_shown_name(m->shown, v, p);
	r->kernel_page = f && v->flags & VMA_HUGETLB && f->huge_page_size ? f->huge_page_size
									  : page_size(m->s);
	r->vmflags = flags_text(m, v->flags);
	r->pkey = vma_shown_pkeys(m->shown) ? vmflags_pkey(m->s->k, v->flags) : COL_UNKNOWN;
	r->incomplete = incomplete_text(vma_incomplete(m->s, v));
	usage_cells_of_vma(&r->u, m->s, v);
	r->u.size = v->end - v->start;
}

static void add_mm(struct maker *m, const struct mm *mm, const struct proc *p, unsigned flags)
{
	const char *comm = p ? proc_comm(m->s, p) : NULL;
	const struct vma *gate;

	for (uint32_t i = 0; i < mm->nvmas && mm->first_vma + i < m->s->nvmas; i++)
		add_vma(m, p, comm, &m->s->vmas[mm->first_vma + i]);
	gate = flags & ROWS_GATE ? vma_shown_gate(m->shown, mm) : NULL;
	if (gate)
		add_vma(m, p, comm, gate);
}

enum status vma_rows(const struct snapshot *s, const struct report_opts *o, unsigned flags,
		     struct table *t, struct diag *diag)
{
	struct maker m = { .s = s, .t = t };
	uint32_t first, end;
	enum status st = procs_range(s, o, diag, &first, &end);

	if (st)
		return st;
	m.devs.mem = m.flags.mem = &t->mem;
	m.areas = areas_build(s, &t->mem);
	m.shown = vma_shown_new(s, &t->mem);
	if (flags & ROWS_EACH_PROC || o->pid) {
		for (uint32_t i = first; i < end; i++)
			if (proc_mm(s, &s->procs[i]))
				add_mm(&m, proc_mm(s, &s->procs[i]), &s->procs[i], flags);
	} else {
		for (uint32_t i = 0; i < s->nmms; i++)
			add_mm(&m, &s->mms[i],
			       s->mms[i].owner < s->nprocs ? &s->procs[s->mms[i].owner] : NULL,
			       flags);
	}
	vma_shown_free(m.shown);
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	t->row_size = sizeof(struct vma_row);
	return ST_OK;
}

static enum status vmas_report(const struct snapshot *s, const struct report_opts *o,
			       struct table *t, struct diag *diag)
{
	/* older tools show a shared mm in each of its processes */
	enum status st = vma_rows(s, o, o->like ? ROWS_EACH_PROC | ROWS_GATE : 0, t, diag);
	t->incomplete = offsetof(struct vma_row, incomplete);
	return st;
}

static enum status maps_report(const struct snapshot *s, const struct report_opts *o,
			       struct table *t, struct diag *diag)
{
	return vma_rows(s, o, ROWS_EACH_PROC | ROWS_GATE, t, diag);
}

const struct report report_vmas = {
	.name = "vmas",
	.about = "every vma of every process, with all counters",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.opts = OPT_PID,
	.cols = vma_cols,
	.ncols = ARRAY_LEN(vma_cols),
	.run = vmas_report,
	.likes = vmas_likes,
	.help = "One row for each vma, by process and address. The vmas of an mm that several\n"
		"processes share appear once, under the first of them; with --pid, under that\n"
		"process. --all: librank shows heaps and stacks too.\n"
		"\n"
		"--paper draws the pages of each vma, 64 per line: '.' not resident, '1' to '9' the\n"
		"number of mappings of that page, '#' ten or more. It adds the process's memory in\n"
		"each class. Flags: S stack, X the program itself, r w x, B .bss or heap.",
};

const struct report report_smaps = {
	.name = "smaps",
	.about = "/proc/PID/smaps, as that kernel would have printed it",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.opts = OPT_PID,
	.cols = vma_cols,
	.ncols = ARRAY_LEN(vma_cols),
	.run = maps_report,
	.text = smaps_text,
	.dump_only = "its rows are those of vmas",
	.help = "The text of /proc/PID/smaps, byte for byte, in the format of the dumped kernel.\n"
		"Without --pid all processes follow one another, each after a line\n"
		"\"==> PID COMM <==\". csv, json and -c give rows.",
};

static const struct like maps_likes[] = {
	{ .name = "exmap", .about = "exmtool showmaps: where the addresses of ELF files are mapped",
	  .text = showmaps_text, .needs = NEED_FRAMES, .opts = OPT_SYSROOT,
	  .refuses = OPT_SORT | OPT_TOP },
	{ .name = NULL }
};

const struct report report_maps = {
	.name = "maps",
	.about = "/proc/PID/maps, as that kernel would have printed it",
	.needs = NEED_TASKS | NEED_VMAS,
	.opts = OPT_PID,
	.cols = maps_cols,
	.ncols = ARRAY_LEN(maps_cols),
	.run = maps_report,
	.text = maps_text,
	.likes = maps_likes,
	.dump_only = "its rows are those of vmas",
	.help = "The text of /proc/PID/maps, byte for byte. Without --pid all processes follow one\n"
		"another, each after a line \"==> PID COMM <==\". csv, json and -c give rows.",
};
