/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cache - the page cache by file: one row per file with a page in memory, mapped or not.
 */
#include "dumpread/base/bytes.h"
#include "model/memory/census/cached.h"
#include "reports/core/common.h"

struct cache_row {
	const char *kind, *fs, *dev, *path, *comm;
	uint64_t cached, counted, mapped, dirty, writeback, active, unevictable, size;
	uint64_t mappers, openers, unlinked, ino, inode;
	int64_t pid;
};

#define SHOWN COL_SHOWN
#define BYTES(name, fl, about) COL(struct cache_row, name, COL_BYTES, fl | COL_TOTAL, "bytes", about)

static const struct column cols[] = {
	COL(struct cache_row, kind, COL_STR, SHOWN, "", "file, block, shmem, secretmem"),
	BYTES(cached, SHOWN, "pages in memory"),
	BYTES(counted, 0, "the same by the file's own count (nrpages)"),
	BYTES(mapped, SHOWN, "of cached: mapped by processes"),
	BYTES(dirty, SHOWN, "of cached: not yet written; all of shmem is"),
	BYTES(writeback, 0, "of cached: being written"),
	BYTES(active, SHOWN, "of cached: on an active LRU list"),
	BYTES(unevictable, 0, "of cached: cannot be reclaimed: mlocked, ramfs"),
	COL(struct cache_row, size, COL_BYTES, 0, "bytes", "size of the file"),
	COL(struct cache_row, mappers, COL_UINT, SHOWN, "", "processes that map it"),
	COL(struct cache_row, openers, COL_UINT, SHOWN, "", "processes that have it open"),
	COL(struct cache_row, unlinked, COL_UINT, SHOWN, "", "1: deleted; no path leads to it"),
	COL(struct cache_row, pid, COL_INT, SHOWN, "", "first process that maps it or has it open"),
	COL(struct cache_row, comm, COL_STR, 0, "", "its name"),
	COL(struct cache_row, fs, COL_STR, SHOWN, "", "type of the file system"),
	COL(struct cache_row, dev, COL_STR, 0, "", "device of the file system, major:minor"),
	COL(struct cache_row, ino, COL_UINT, 0, "", "inode number"),
	COL(struct cache_row, inode, COL_HEX, 0, "", "address of the inode"),
	COL(struct cache_row, path, COL_STR, SHOWN, "", "path"),
};

static const char *const kinds[] = {
	[CACHE_FILE] = "file", [CACHE_BDEV] = "block", [CACHE_SHMEM] = "shmem",
	[CACHE_SECRETMEM] = "secretmem", [CACHE_PERF] = NULL, [CACHE_LOST] = NULL,
};

static void set_cache_row(const struct snapshot *s, const struct cached_file *f, struct arena *mem,
			  struct cache_row *r)
{
	const struct class_counts *n = &f->owner->count;
	const struct proc *p = f->users.first < s->nprocs ? &s->procs[f->users.first] : NULL;
	uint64_t page = page_size(s);

	*r = (struct cache_row){
		.kind = kinds[f->owner->kind],
		.fs = f->fs,
		.dev = f->lost ? NULL : arena_printf(mem, "%u:%u", f->dev_major, f->dev_minor),
		.path = f->path,
		.comm = p ? proc_comm(s, p) : NULL,
		.cached = n->pages * page,
		.counted = f->lost ? COL_UNKNOWN : f->owner->nrpages * page,
		.mapped = n->mapped * page,
		.dirty = n->dirty * page,
		.writeback = n->writeback * page,
		.active = n->active * page,
		.unevictable = n->unevictable * page,
		.size = f->size,
		.mappers = f->lost ? COL_UNKNOWN : f->users.mappers,
		.openers = f->lost ? COL_UNKNOWN : f->users.openers,
		.unlinked = f->lost ? COL_UNKNOWN : f->unlinked,
		.ino = f->ino,
		.inode = f->inode ? f->inode : COL_UNKNOWN,
		.pid = p ? p->pid : COL_UNKNOWN_INT,
	};
}

static enum status cache_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	const struct cached *c = cached_of(s);
	struct cache_row *rows;

	(void)o;
	(void)diag;
	rows = arena_array(&t->mem, struct cache_row, c->n);
	for (uint32_t i = 0; i < c->n; i++)
		set_cache_row(s, &c->v[i], &t->mem, &rows[i]);
	t->rows = rows;
	t->nrows = c->n;
	t->row_size = sizeof(*rows);
	return ST_OK;
}

const struct report report_cache = {
	.name = "cache",
	.about = "the page cache by file, mapped or not: pages, dirty pages, users",
	.needs = NEED_VMAS | NEED_KERNEL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-cached",
	.run = cache_report,
	.help = "One row per file with a page in memory: files, block devices, tmpfs and other shared "
		"memory, also files of ramfs and deleted files. The sum of cached is Cached and "
		"Buffers of /proc/meminfo. A file without users is kept only as cache; one that is "
		"unlinked ends with its last user.",
};
