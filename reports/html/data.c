/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * data.c - writes the data of the HTML report as JSON.
 */
#include "reports/html/data.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "model/kernel/source.h"
#include "model/memory/areas/object_sizes.h"
#include "model/memory/areas/objects.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/common.h"
#include "reports/core/list.h"
#include "reports/core/pick.h"
#include "reports/core/usage_cols.h"
#include "reports/file/sizes_cols.h"
#include "reports/html/binaries.h"
#include "reports/html/emit.h"
#include "reports/html/runs.h"
#include "reports/oom/oom.h"
#include "reports/page/census.h"

/* Columns for a process. The sizes of a VMA below are columns of it too. */
static const char *const proc_columns[] = {
	"pid", "ppid", "uid", "state", "threads", "pss", "uss", "rss", "swap", "swap_pss", "anon",
	"file", "shmem", "pss_anon", "pss_file", "pss_shmem", "vsz", "pgtables", "locked",
	"vm", "mapped", "eff_mapped", "sole", "resident", "eff_resident", "writable",
	"oom_score_adj", "oom_victim", "note", "cgroup", "exe", "cmdline", "comm", "incomplete",
	NULL
};

static const char *const log_columns[] = { "ts", "level", "text", NULL };

/* Sizes of a VMA: smaps' and exmap's. */
struct vma_cells {
	struct usage_cells u;
	struct sizes_cells z;
};

static const struct { const char *name; size_t offset; } sizes[] = {
#define SIZE(name) { #name, offsetof(struct vma_cells, u.name) }
	SIZE(size), SIZE(rss), SIZE(pss), SIZE(uss), SIZE(swap), SIZE(swap_pss), SIZE(anon),
	SIZE(file), SIZE(shmem), SIZE(pss_anon), SIZE(pss_file), SIZE(pss_shmem),
#undef SIZE
#define SIZE(name) { #name, offsetof(struct vma_cells, z.name) }
	SIZE(vm), SIZE(mapped), SIZE(eff_mapped), SIZE(sole), SIZE(resident), SIZE(eff_resident),
	SIZE(writable),
#undef SIZE
};

#define TABLES_MAX 16
#define OWNERS_SHOWN 1000	/* rows of a list of owners; the rest is one area of the map */

struct data {
	const struct snapshot *s;
	struct emit e;
	struct objects objects;
	struct runs runs;
	struct table tables[TABLES_MAX];	/* whose strings are written at the end */
	unsigned ntables;
	struct arena mem;
};

/* ---- reports ------------------------------------------------------------------ */

/* The table NAME of R's rows, at most MOST of them, the largest; 0: all. */
static void put_table(struct data *d, const char *name, const struct report *r,
		      const char *const *columns, size_t most)
{
	static const struct report_opts none;
	struct table *t = &d->tables[d->ntables];
	struct diag diag = { "" };
	struct sort sort = { .n = 0 };

	if (d->ntables)
		fputs(",\n", d->e.out);
	d->ntables++;
	t->cols = r->cols;
	t->ncols = r->ncols;
	fprintf(d->e.out, " \"%s\": ", name);
	if (r->run(d->s, &none, t, &diag)) {
		emit_text(&d->e, diag.text);
		return;
	}
	if (r->sort && !sort_parse(r->sort, r->cols, r->ncols, &diag, &sort))
		table_sort(t, &sort, most);
	if (most && t->nrows > most)
		t->nrows = most;
	emit_table(&d->e, t, columns);
}

/* The verdict, the census, and tables of owners: what its classes consist of. Left out where this
   source does not offer what they need. */
static void memory_tables(struct data *d)
{
	static const char *const verdict[] = { "kind", "report", "certainty", "why", "text", NULL };
	static const char *const census[] = { "class",	"size",	    "what", "counter",
					      "kernel", "class_id", NULL };
	static const char *const holders[] = {
		"class", "kind", "what", "size", "pid", "comm", "class_id", NULL
	};
	static const char *const slab[] = { "cache", "memory", NULL };
	static const char *const cache[] = { "kind", "cached", "mapped", "path", NULL };
	static const char *const vmalloc[] = { "kind", "memory", "module", "caller", NULL };
	static const char *const stacks[] = { "pid", "memory", "comm", NULL };
	const struct { const char *name; const struct report *r; const char *const *columns; } all[] = {
		{ "verdict", &report_oom_verdict, verdict },
		{ "census", &report_census, census },
		{ "holders", &report_census_holders, holders },
		{ "slab", &report_slab, slab },
		{ "cache", &report_cache, cache },
		{ "vmalloc", &report_vmalloc, vmalloc },
		{ "stacks", &report_stacks, stacks },
	};

	if (!source_has(d->s->k, SOURCE_MEMORY))
		return;
	for (unsigned i = 0; i < ARRAY_LEN(all); i++)
		if (!(all[i].r->needs & ~d->s->built))
			put_table(d, all[i].name, all[i].r, all[i].columns, OWNERS_SHOWN);
}

/* Index in mms of each row of procs: the reports have addresses of mms. */
static void proc_mms(struct data *d)
{
	const struct snapshot *s = d->s;

	fputs("\"proc_mm\": {", d->e.out);
	for (uint32_t i = 0, n = 0; i < s->nprocs; i++) {
		if (s->procs[i].mm >= s->nmms)
			continue;
		emit_comma(&d->e, n++);
		fprintf(d->e.out, "\"%d\": %" PRIu32, s->procs[i].pid, s->procs[i].mm);
	}
	fputs("},\n", d->e.out);
}

/* ---- who maps what --------------------------------------------------------------- */

static void mms(struct data *d)
{
	const struct snapshot *s = d->s;

	fputs("\"mms\": {\"first\": [", d->e.out);
	for (uint32_t i = 0; i < s->nmms; i++) {
		emit_comma(&d->e, i);
		emit_uint(&d->e, s->mms[i].first_vma);
	}
	fputs("], \"n\": [", d->e.out);
	for (uint32_t i = 0; i < s->nmms; i++) {
		emit_comma(&d->e, i);
		emit_uint(&d->e, s->mms[i].nvmas);
	}
	fputs("], \"procs\": [", d->e.out);
	for (uint32_t i = 0; i < s->nmms; i++) {
		emit_comma(&d->e, i);
		emit_uint(&d->e, s->mms[i].nprocs);
	}
	fputs("], \"incomplete\": [", d->e.out);
	for (uint32_t i = 0; i < s->nmms; i++) {
		emit_comma(&d->e, i);
		emit_str(&d->e, incomplete_text(mm_incomplete(s, &s->mms[i])));
	}
	fputs("]},\n", d->e.out);
}

/* Pages in the page cache, given once for an inode with several paths. */
static uint64_t cached_pages(struct data *d, struct hash *inodes, uint32_t file)
{
	const struct file *f = file < d->s->nfiles ? &d->s->files[file] : NULL;

	if (!f || f->cached == UINT64_MAX)
		return 0;
	if (!f->mapping)
		return f->cached;
	if (hash_get(inodes, f->mapping) != HASH_NONE)
		return 0;
	hash_put(inodes, f->mapping, file);
	return f->cached;
}

static void put_objects(struct data *d)
{
	static const char *const kinds[] = {
		[FILE_REGULAR] = "file", [FILE_SHMEM] = "shmem", [FILE_HUGETLB] = "hugetlb",
		[FILE_DEVICE] = "device", [FILE_OTHER] = "other",
	};
	const struct objects *o = &d->objects;
	struct hash inodes = { .mem = &d->mem };

	fputs("\"objects\": {\"name\": [", d->e.out);
	for (uint32_t i = 0; i < o->n; i++) {
		emit_comma(&d->e, i);
		emit_str(&d->e, o->v[i].name);
	}
	fputs("], \"kind\": [", d->e.out);
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t f = o->v[i].file;

		emit_comma(&d->e, i);
		emit_text(&d->e, f < d->s->nfiles ? kinds[d->s->files[f].kind] : "");
	}
	fputs("], \"cached\": [", d->e.out);
	for (uint32_t i = 0; i < o->n; i++) {
		emit_comma(&d->e, i);
		emit_uint(&d->e, cached_pages(d, &inodes, o->v[i].file));
	}
	fputs("]},\n", d->e.out);
}

static void vma_sizes(struct data *d)
{
	struct vma_cells *cells = heap_array(struct vma_cells, d->s->nvmas);

	for (uint32_t i = 0; i < d->s->nvmas; i++) {
		const struct vma *v = &d->s->vmas[i];

		usage_cells_set(&cells[i].u, &v->usage);
		cells[i].u.size = v->end - v->start;
		sizes_cells_set(&cells[i].z, &d->s->sizes[i]);
	}
	fputs("\n  \"sizes\": {", d->e.out);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		emit_comma(&d->e, i);
		emit_sizes(&d->e, sizes[i].name, (const char *)cells + sizes[i].offset,
			   sizeof(*cells), d->s->nvmas, page_size(d->s));
	}
	fputs("}", d->e.out);
	free(cells);
}

/* Parts of anonymous VMAs that are files' .bss: exmap's sizes of them are the files'. */
static void bss(struct data *d, const char *sysroot)
{
	uint32_t *object = objects_by_file(&d->objects, d->s->nfiles, &d->mem);
	struct object_sizes *o = object_sizes_new(d->s, sysroot, NONE, &d->mem);
	const struct elf_bss_list *list = object_sizes_bss(o);
	struct sizes_cells *cells;

	cells = heap_array(struct sizes_cells, list->n);
	fputs("\"bss\": {\"vma\": [", d->e.out);
	for (size_t i = 0; i < list->n; i++) {
		struct sizes z;

		object_sizes_of_bss(o, i, &z);
		sizes_cells_set(&cells[i], &z);
		emit_comma(&d->e, i);
		emit_uint(&d->e, list->v[i].vma);
	}
	fputs("], \"object\": [", d->e.out);
	for (size_t i = 0; i < list->n; i++) {
		uint32_t of = object[list->v[i].file];

		emit_comma(&d->e, i);
		emit_uint(&d->e, of == NONE ? COL_UNKNOWN : of);
	}
	fputs("], \"sizes\": {", d->e.out);
	for (size_t i = 0, n = 0; i < ARRAY_LEN(sizes); i++) {
		size_t first = offsetof(struct vma_cells, z);

		if (sizes[i].offset < first)
			continue;
		emit_comma(&d->e, n++);
		emit_sizes(&d->e, sizes[i].name, (const char *)cells + (sizes[i].offset - first),
			   sizeof(*cells), list->n, page_size(d->s));
	}
	fputs("}},\n", d->e.out);
	free(cells);
	object_sizes_free(o);
}

static uint64_t start_page(const struct data *d, uint32_t i)
{
	return d->s->vmas[i].start >> d->s->k->page_shift;
}

static uint64_t permissions(const struct data *d, uint32_t i)
{
	uint64_t flags = d->s->vmas[i].flags;

	return (flags & 7) | (flags & VMA_MAYSHARE ? 8 : 0);
}

static uint64_t file_page(const struct data *d, uint32_t i)
{
	return d->s->vmas[i].file_addr ? d->s->vmas[i].pgoff : 0;
}

static uint64_t object_of(const struct data *d, uint32_t i)
{
	return d->objects.of_vma[i] < d->objects.n ? d->objects.of_vma[i] : COL_UNKNOWN;
}

static uint64_t map_at(const struct data *d, uint32_t i)
{
	return d->runs.of_vma[i].at == UINT32_MAX ? COL_UNKNOWN : d->runs.of_vma[i].at;
}

static uint64_t map_len(const struct data *d, uint32_t i)
{
	return d->runs.of_vma[i].len;
}

static void vmas(struct data *d)
{
	static const struct {
		const char *name;
		uint64_t (*value)(const struct data *d, uint32_t vma);
	} columns[] = {
		{ "start", start_page }, { "flags", permissions }, { "offset", file_page },
		{ "object", object_of }, { "map_at", map_at },	   { "map_len", map_len },
	};

	fputs("\"vmas\": {", d->e.out);
	for (size_t c = 0; c < ARRAY_LEN(columns); c++) {
		fprintf(d->e.out, "\n  \"%s\": [", columns[c].name);
		for (uint32_t i = 0; i < d->s->nvmas; i++) {
			emit_comma(&d->e, i);
			emit_uint(&d->e, columns[c].value(d, i));
		}
		fputs("],", d->e.out);
	}
	vma_sizes(d);
	fputs("},\n", d->e.out);
}

/* ---- pages ------------------------------------------------------------------------ */

/* RFC 4648 */
static void put_base64(FILE *out, const uint8_t *p, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		unsigned have = n - i < 3 ? (unsigned)(n - i) : 3;
		uint32_t x = (uint32_t)p[i] << 16;
		char text[4];

		x |= have > 1 ? (uint32_t)p[i + 1] << 8 : 0;
		x |= have > 2 ? p[i + 2] : 0;
		for (unsigned j = 0; j < 4; j++)
			text[j] = j <= have ? digit[x >> (18 - 6 * j) & 63] : '=';
		fwrite(text, 1, sizeof(text), out);
	}
}

static void maps(struct data *d)
{
	const struct runs *m = &d->runs;

	fputs("\"states\": [", d->e.out);
	for (size_t i = 0; i < m->states.n; i++) {
		const struct page_run *st = &m->states.v[i];

		emit_comma(&d->e, i);
		fprintf(d->e.out, "[%u,%u,%" PRIu32 "]", st->kind, st->writable, st->count);
	}
	fprintf(d->e.out, "],\n\"maps_left_out\": %" PRIu64 ",\n\"maps\": \"", m->left_out);
	put_base64(d->e.out, m->bytes, m->n);
	fputs("\",\n", d->e.out);
}

/* ---- all of it ---------------------------------------------------------------------- */

static void head(struct data *d)
{
	const struct kernel *k = d->s->k;
	struct source_about a;
	const struct machine *m = &d->s->machine;
	const struct issues *is = k->issues;

	source_about(k, &a);
	fputs("{\"version\": ", d->e.out);
	emit_text(&d->e, VMCENSUS_VERSION);
	fputs(",\n\"host\": ", d->e.out);
	emit_text(&d->e, k->nodename);
	fputs(", \"release\": ", d->e.out);
	emit_text(&d->e, k->release);
	fputs(", \"format\": ", d->e.out);
	emit_text(&d->e, a.format);
	fprintf(d->e.out,
		", \"crash_time\": %" PRId64 ", \"page_size\": %" PRIu32 ", \"panic_line\": ",
		d->s->machine.crash_time, page_size(d->s));
	emit_uint(&d->e, m->panic_line < m->nlog ? m->panic_line : COL_UNKNOWN);
	fputs(", \"dump_bytes\": ", d->e.out);
	emit_uint(&d->e, a.bytes);
	fputs(", \"ram\": ", d->e.out);
	emit_uint(&d->e, m->present ? m->present * page_size(d->s) : COL_UNKNOWN);
	fputs(",\n\"issues\": [", d->e.out);
	for (unsigned i = 0; is && i < is->n; i++) {
		emit_comma(&d->e, i);
		fputs("\n  [", d->e.out);
		emit_text(&d->e, is->v[i].object);
		fputs(", ", d->e.out);
		emit_text(&d->e, status_name(is->v[i].kind));
		fprintf(d->e.out, ", %" PRIu64 ", [", is->v[i].count);
		for (unsigned j = 0; j < is->v[i].ntexts; j++) {
			emit_comma(&d->e, j);
			emit_text(&d->e, is->v[i].text[j]);
		}
		fputs("]]", d->e.out);
	}
	fputs("],\n", d->e.out);
}

void html_data(const struct snapshot *s, const struct report_opts *o, FILE *out)
{
	struct data d = { .s = s };

	emit_init(&d.e, out);
	objects_build(s, &d.mem, &d.objects);
	runs_build(s, &d.runs);
	head(&d);
	fputs("\"tables\": {\n", out);
	put_table(&d, "summary", &report_summary, NULL, 0);
	put_table(&d, "procs", &report_procs, proc_columns, 0);
	put_table(&d, "dmesg", &report_dmesg, log_columns, 0);
	memory_tables(&d);
	fputs("\n},\n", out);
	proc_mms(&d);
	mms(&d);
	put_objects(&d);
	vmas(&d);
	bss(&d, o->sysroot);
	maps(&d);
	html_binaries(&d.e, s, o, &d.objects, &d.tables[d.ntables++]);
	emit_strings(&d.e);
	fputs("}\n", out);
	for (unsigned i = 0; i < d.ntables; i++)
		arena_release(&d.tables[i].mem);
	runs_release(&d.runs);
	emit_release(&d.e);
	arena_release(&d.mem);
}
