/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pages - one row per frame: the kernel's flags and counts, and who maps it.
 * Figure 9 of the USENIX 2005 paper; by distinct flags, page-types' summary.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/memory.h"
#include "model/kernel/source.h"
#include "model/memory/areas/areas.h"
#include "model/memory/areas/first_maps.h"
#include "model/memory/frames/frames.h"
#include "model/memory/frames/kpageflags.h"
#include "reports/core/cell.h"
#include "reports/core/common.h"
#include "reports/page/page_types.h"
#include "reports/render/render.h"

struct row {
	const char *sym, *flags, *owner;
	uint64_t pfn, address, pte, vmflags, pageflags, kpf, mapcount, found, frames;
	int64_t refcount, pid;
};

#define STR(name, fl, about) COL(struct row, name, COL_STR, fl, "", about)
#define NUM(name, type, fl, about) COL(struct row, name, type, fl, "", about)

static const struct column cols[] = {
	NUM(pfn, COL_UINT, 0, "number of the page frame"),
	NUM(address, COL_HEX, COL_SHOWN, "its physical address"),
	NUM(pte, COL_HEX, 0, "flags of the entry that maps it: the low 12 bits"),
	NUM(vmflags, COL_HEX, 0, "flags of the vma, as the kernel numbers them"),
	STR(sym, COL_SHOWN, "the vma: S stack, X of the program, r w x, B .bss or heap"),
	NUM(pageflags, COL_HEX, 0, "page.flags"),
	NUM(kpf, COL_HEX, 0, "flags as /proc/kpageflags has them"),
	NUM(refcount, COL_INT, COL_SHOWN, "references; of a compound page to its head"),
	NUM(mapcount, COL_UINT, COL_SHOWN, "mappings, by the kernel's count"),
	NUM(found, COL_UINT, COL_SHOWN, "mappings that the walk found"),
	NUM(frames, COL_UINT, 0, "frames in this row: 1; with page-types, the number with these flags"),
	NUM(pid, COL_INT, COL_SHOWN, "first process that maps it"),
	STR(owner, COL_SHOWN, "file, process or other use"),
	STR(flags, COL_SHOWN, "kpf by name"),
};

#define CHUNK_FRAMES (UINT64_C(1) << FRAME_CHUNK_SHIFT)

struct maker {
	const struct snapshot *s;
	const struct report_opts *o;
	const struct area *areas;
	struct arena *mem;
	struct first_maps maps;		/* chunk NULL: not asked for */
	struct kpageflags *q;		/* NULL: the source has no such frames */
	struct hash flag_names, syms;	/* value + 1 -> index in strings */
	VEC(const char *) strings;
	VEC(struct row) rows;
	struct hash by_flags;		/* kpf + 1 -> index in rows: page-types */
	uint64_t unread;
};

/* ---- a row ------------------------------------------------------------------------------- */

static const char *keep_text(struct maker *m, struct hash *h, uint64_t key, const char *text)
{
	hash_put(h, key, (uint32_t)m->strings.n);
	*vec_push(m->mem, &m->strings) = text;
	return text;
}

static const char *flag_names(struct maker *m, uint64_t kpf)
{
	uint32_t i = hash_get(&m->flag_names, kpf + 1);

	return i != HASH_NONE
		       ? m->strings.v[i]
		       : keep_text(m, &m->flag_names, kpf + 1, page_types_names(kpf, m->mem));
}

static const char *sym_text(struct maker *m, unsigned flags)
{
	uint32_t i = hash_get(&m->syms, flags + 1);
	char sym[AREA_SYM];

	if (i != HASH_NONE)
		return m->strings.v[i];
	area_sym(flags, sym);
	return keep_text(m, &m->syms, flags + 1, arena_strdup(m->mem, sym));
}

static const char *frame_kind_name(const struct frame *f)
{
	static const struct { uint32_t flag; const char *name; } kinds[] = {
		{ FR_UNREAD, NULL }, { FR_BUDDY, "[free]" }, { FR_SLAB, "[slab]" },
		{ FR_PGTABLE, "[page table]" }, { FR_HUGETLB, "[hugetlb]" },
		{ FR_OFFLINE, "[offline]" }, { FR_ZONE_DEVICE, "[device]" },
		{ FR_ANON, "[anon]" }, { FR_CACHE, "[page cache]" },
		{ FR_RESERVED, "[reserved]" },
	};

	for (size_t i = 0; f && i < ARRAY_LEN(kinds); i++)
		if (f->flags & kinds[i].flag)
			return kinds[i].name;
	return f ? "[kernel]" : NULL;
}

static void set_mapping(struct maker *m, struct row *r, struct first_map from)
{
	const struct vma *v = &m->s->vmas[from.vma - 1];
	const struct area *a = &m->areas[from.vma - 1];
	const struct mm *mm = &m->s->mms[v->mm];

	r->pte = from.pte;
	r->vmflags = area_paper_flags(m->s, v, a);
	r->sym = sym_text(m, a->flags);
	r->owner = a->file < m->s->nfiles ? m->s->files[a->file].path : "?";
	if (mm->owner >= m->s->nprocs)
		return;
	r->pid = m->s->procs[mm->owner].pid;
	if (a->file >= m->s->nfiles)
		r->owner = proc_comm(m->s, &m->s->procs[mm->owner]);
}

static void set_words(struct maker *m, struct row *r, uint64_t pfn)
{
	const struct given_page *given = m->q || !m->maps.chunk ? NULL
								: first_maps_given(&m->maps, pfn);
	struct page_words w;

	if (given) {
		r->pageflags = given->flags;
		r->refcount = given->count;
	}
	if (!m->q)
		return;
	if (kpageflags_read(m->q, pfn, &w)) {
		m->unread++;
		return;
	}
	r->pageflags = w.none ? COL_UNKNOWN : w.flags;
	r->kpf = w.kpf;
	r->refcount = w.refcount;
	r->flags = flag_names(m, w.kpf);
}

static void add_frame(struct maker *m, uint64_t pfn, struct first_map map)
{
	struct row *r = vec_push(m->mem, &m->rows);
	const struct frame *f = frame_at(&m->s->frames, pfn);

	*r = (struct row){
		.pfn = pfn,
		.address = pfn << m->s->k->page_shift,
		.pte = COL_UNKNOWN,
		.vmflags = COL_UNKNOWN,
		.pageflags = COL_UNKNOWN,
		.kpf = COL_UNKNOWN,
		.mapcount = f ? f->mapcount : COL_UNKNOWN,
		/* counted when all processes are walked */
		.found = f && (!m->o->pid || !m->q) ? frame_found(&m->s->frames, pfn) : COL_UNKNOWN,
		.frames = 1,
		.refcount = COL_UNKNOWN_INT,
		.pid = COL_UNKNOWN_INT,
		.owner = frame_kind_name(f),
	};
	set_words(m, r, pfn);
	if (map.vma)
		set_mapping(m, r, map);
}

/* ---- by distinct flags: page-types ------------------------------------------------------- */

static void count_frames(struct maker *m, uint64_t pfn, uint64_t n)
{
	struct page_words w;
	uint32_t i;

	if (kpageflags_read(m->q, pfn, &w)) {
		m->unread++;
		return;
	}
	if (!m->o->all)
		w.kpf = page_types_well_known(w.kpf);
	i = hash_get(&m->by_flags, w.kpf + 1);
	if (i == HASH_NONE) {
		i = (uint32_t)m->rows.n;
		*vec_push(m->mem, &m->rows) = (struct row){
			.kpf = w.kpf,
			.pfn = COL_UNKNOWN,
			.address = COL_UNKNOWN,
			.pte = COL_UNKNOWN,
			.vmflags = COL_UNKNOWN,
			.pageflags = COL_UNKNOWN,
			.mapcount = COL_UNKNOWN,
			.found = COL_UNKNOWN,
			.refcount = COL_UNKNOWN_INT,
			.pid = COL_UNKNOWN_INT,
			.flags = page_types_names(w.kpf, m->mem),
		};
		hash_put(&m->by_flags, w.kpf + 1, i);
	}
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): I is one of v */
	m->rows.v[i].frames += n;
}

static bool is_histogram(const struct report_opts *o)
{
	return like_is(o, "page-types");
}

/* A machine has millions of frames: their rows are not made one by one. */
static enum status reserve(struct maker *m, struct diag *diag)
{
	size_t n = 0;

	for (uint64_t c = 0; c < m->s->frames.nchunks; c++)
		if (m->o->all && !m->o->pid)
			n += frames_next_chunk(&m->s->frames, c) == c ? CHUNK_FRAMES : 0;
		else
			/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): built without a histogram */
			for (uint64_t i = 0; m->maps.chunk[c] && i < CHUNK_FRAMES; i++)
				n += m->maps.chunk[c][i].vma != 0;
	if (n > memory_left(m->s->k->memory) / sizeof(struct row))
		return fail(
			diag, ST_LIMIT,
			"%zu pages take %zu MiB, more than may be used; show one process (--pid), "
			"or allow more with --memory",
			n, n * sizeof(struct row) >> 20);
	m->rows.v = arena_array(m->mem, struct row, n);
	m->rows.cap = n;
	return ST_OK;
}

/* ---- the report -------------------------------------------------------------------------- */

static void all_frames(struct maker *m)
{
	bool histogram = is_histogram(m->o);

	for (uint64_t pfn = 0; pfn < m->s->frames.max_pfn; pfn++) {
		bool there = frame_of_all(&m->s->frames, pfn);
		uint64_t last = pfn | (CHUNK_FRAMES - 1);

		if (!there) /* nor are those after it, to the chunk's end */
			last = min_u64(last, m->s->frames.max_pfn - 1);
		if (histogram && !m->maps.chunk)
			count_frames(m, pfn, there ? 1 : last - pfn + 1);
		else if (there)
			add_frame(m, pfn, first_maps_at(&m->maps, pfn));
		if (!there)
			pfn = last;
	}
}

static void mapped_frames(struct maker *m)
{
	bool histogram = is_histogram(m->o);

	for (uint64_t c = 0; c < m->s->frames.nchunks; c++)
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): built for a process, and without a histogram */
		for (uint64_t i = 0; m->maps.chunk[c] && i < CHUNK_FRAMES; i++) {
			uint64_t pfn = (c << FRAME_CHUNK_SHIFT) + i;

			if (!m->maps.chunk[c][i].vma)
				continue;
			if (histogram)
				count_frames(m, pfn, 1);
			else
				add_frame(m, pfn, m->maps.chunk[c][i]);
		}
}

static enum status make_rows(struct maker *m, struct diag *diag)
{
	enum status st = is_histogram(m->o) ? ST_OK : reserve(m, diag);

	if (st)
		return st;
	if ((m->o->all || is_histogram(m->o)) && !m->o->pid)
		all_frames(m);
	else
		mapped_frames(m);
	return ST_OK;
}

static enum status pages_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct maker m = { .s = s, .o = o, .mem = &t->mem };
	uint32_t first, end, only = NONE;
	enum status st = procs_range(s, o, diag, &first, &end);

	if (!st && is_histogram(o) && !source_has(s->k, SOURCE_FRAMES))
		st = fail(diag, ST_ABSENT, "a capture has only pages of processes");
	if (st)
		return st;
	t->row_size = sizeof(struct row);
	if (o->pid && (only = s->procs[first].mm) == NONE)
		return ST_OK;
	m.flag_names.mem = m.syms.mem = m.by_flags.mem = &t->mem;
	m.areas = areas_build(s, &t->mem);
	if (source_has(s->k, SOURCE_FRAMES))
		m.q = kpageflags_new(s);
	if (!is_histogram(o) || o->pid)
		first_maps_build(s, only, m.mem, &m.maps);
	st = make_rows(&m, diag);
	first_maps_release(&m.maps);
	if (m.q)
		kpageflags_free(m.q);
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	if (m.unread)
		t->note = arena_printf(&t->mem, "%" PRIu64 " struct pages are not readable",
				       m.unread);
	return st;
}

static void pages_paper(const struct snapshot *s, const struct report_opts *o,
			const struct table *t, FILE *out)
{
	(void)s;
	(void)o;
	/* tabs and blanks are the paper's */
	fputs("Address\t\tPTE Flag\t\tVMA Flag\t\tVMA Sym \tPage Flags\tCount   \tOwner   \t"
	      "        \n",
	      out);
	for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
		const struct row *r = table_row(t, i);
		bool mapped = r->sym != NULL;

		fprintf(out,
			"0X%08" PRIX64 "\t0X%08" PRIX64 "\t0X%08" PRIX64 "\t%s\t0X%08" PRIX64
			"\t%" PRId64 "\t",
			r->address, mapped ? r->pte : 0, mapped ? r->vmflags : 0,
			mapped ? r->sym : "......", r->pageflags == COL_UNKNOWN ? 0 : r->pageflags,
			r->refcount == COL_UNKNOWN_INT ? 0 : r->refcount);
		put_text(out, r->owner ? r->owner : "?");
		putc('\n', out);
	}
}

static void page_types_text(const struct snapshot *s, const struct report_opts *o,
			    const struct table *t, FILE *out)
{
	uint64_t total = 0;

	(void)o;
	page_types_head(out);
	for (size_t i = 0; i < t->nrows && !ferror(out); i++) {
		const struct row *r = table_row(t, i);

		page_types_line(r->kpf, r->frames, s->k->page_shift, out);
		total += r->frames;
	}
	page_types_total(total, s->k->page_shift, out);
}

static const struct like likes[] = {
	{ .name = "paper",
	  .about = "one line per page of user space: Figure 9 of the USENIX 2005 paper",
	  .text = pages_paper },
	{ .name = "page-types",
	  .about = "frames by distinct flags, as the kernel's tools/mm/page-types",
	  .sort = "kpf", .text = page_types_text },
	{ 0 }
};

const struct report report_pages = {
	.name = "pages",
	.about = "every page frame that processes map: flags, counts, owner",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE | NEED_FOUND,
	.opts = OPT_ALL | OPT_PID,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = pages_report,
	.likes = likes,
	.dump_only = "it has a row for each page frame",
	.help = "One row for each frame that a process maps, by address: class and owner of the\n"
		"vma (the first, if there are several), the page's flags by the rules of that\n"
		"kernel's /proc/kpageflags, and its counts. --all: every frame of the machine.\n"
		"--pid: the frames of one process.\n"
		"\n"
		"--like page-types counts all frames by distinct flags; --all includes the flags that\n"
		"page-types shows only with --raw. --paper prints the page structures as in the\n"
		"USENIX 2005 paper; pte then has the bits of the machine's entries.",
};
