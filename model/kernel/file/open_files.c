/* SPDX-License-Identifier: GPL-3.0-or-later */
/* open_files.c - files_struct and fdtable of each process (include/linux/fdtable.h). */
#include "model/kernel/file/open_files.h"

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "facts/layout/file.h"
#include "model/kernel/kobj.h"

#define FDS_MAX (64u << 20)	/* slots of all tables together */
#define FDS_CHUNK 64u		/* slots read at once */
#define WORD_MAX 8u

struct tables {
	const struct snapshot *s;
	struct reader *r;
	uint64_t left;			/* slots */
	struct arena mem;
	struct hash files_of;		/* array of pointers -> index in files */
	VEC(uint64_t) files;		/* files_struct */
	void (*fn)(void *arg, uint32_t proc, uint64_t file);
	void *arg;
};

static enum status slots(struct tables *t, uint32_t proc, uint64_t fd, uint64_t n)
{
	const struct dump *d = t->s->k->dump;
	uint8_t buf[FDS_CHUNK * WORD_MAX];
	enum status worst = ST_OK;

	for (uint64_t i = 0; i < n; i += FDS_CHUNK) {
		uint64_t k = min_u64(FDS_CHUNK, n - i);
		enum status st =
			read_kva(t->r, fd + i * d->word_size, buf, (size_t)k * d->word_size);

		if (st)
			return st;
		for (uint64_t j = 0; j < k; j++) {
			uint64_t file =
				load_uint(buf + j * d->word_size, d->word_size, d->big_endian);

			if (kernel_ptr_ok(t->s->k, file, d->word_size))
				t->fn(t->arg, proc, file);
			else if (file)
				worst = ST_CORRUPT;
		}
	}
	return worst;
}

/*
 * A table is of one files_struct, has whole words of bits (alloc_fdtable(), fs/file.c), and is
 * aligned as its pointers are.
 */
static bool table_sound(struct tables *t, uint64_t files, uint64_t fdt, uint64_t max, uint64_t fd)
{
	const struct kernel *k = t->s->k;
	unsigned word = k->dump->word_size;
	uint32_t at = hash_get(&t->files_of, fd);

	if (!kernel_ptr_ok(k, fdt, word) || !kernel_ptr_ok(k, fd, word) || !max || max % (8 * word))
		return false;
	if (at == HASH_NONE) {
		at = (uint32_t)t->files.n;
		*vec_push(&t->mem, &t->files) = files;
		hash_put(&t->files_of, fd, at);
	}
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): AT is one of v */
	return t->files.v[at] == files;
}

static enum status table(struct tables *t, uint32_t proc, uint64_t files)
{
	const struct kernel *k = t->s->k;
	uint64_t fdt = 0, max = 0, fd = 0;
	enum status st = kmember_u64(k, t->r, files, M_FILES_FDT, &fdt);

	if (!st)
		st = kmember_u64(k, t->r, fdt, M_FDT_MAX, &max);
	if (!st)
		st = kmember_u64(k, t->r, fdt, M_FDT_FD, &fd);
	if (!st && !table_sound(t, files, fdt, max, fd))
		st = ST_CORRUPT;
	if (!st && max > t->left)
		st = ST_LIMIT;
	if (st)
		return st;
	t->left -= max;
	return slots(t, proc, fd, max);
}

/* Threads nearly always share one table; those that have ended have none. */
static enum status tables_of(struct tables *t, uint32_t proc)
{
	const struct snapshot *s = t->s;
	const struct proc *p = &s->procs[proc];
	uint64_t last = 0, files;
	enum status worst = ST_OK;

	for (uint32_t i = p->first_task; i < p->first_task + p->ntasks && i < s->ntasks; i++) {
		enum status st = kmember_u64(s->k, t->r, s->tasks[i].addr, M_TASK_FILES, &files);

		if (!st && (!files || files == last))
			continue;
		if (!st)
			st = table(t, proc, files);
		last = files;
		worst = st ? st : worst;
	}
	return worst;
}

bool open_files_walk(const struct snapshot *s, struct reader *r,
		     void (*fn)(void *arg, uint32_t proc, uint64_t file), void *arg)
{
	struct tables t = { .s = s, .r = r, .left = FDS_MAX, .fn = fn, .arg = arg };

	t.files_of.mem = &t.mem;
	if (!r || !has(s->k, M_FILES_FDT) || !has(s->k, M_TASK_FILES) || !has(s->k, M_FDT_FD))
		return false;
	for (uint32_t i = 0; i < s->nprocs; i++) {
		enum status st = s->procs[i].kthread ? ST_OK : tables_of(&t, i);

		if (st)
			issue_add(s->k->issues, st, "open files", 1, "of process %d",
				  s->procs[i].pid);
	}
	arena_release(&t.mem);
	return true;
}
