/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The archive of smemcap, the collector of smem: an uncompressed tar with a few files of
 * /proc. Its directories give users and groups. Format: POSIX ustar; members are in the
 * order of smemcap.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "reports/core/common.h"
#include "reports/export/machine_text.h"
#include "reports/export/products.h"
#include "reports/export/task_text.h"

#define BLOCK 512
#define RECORD (20 * BLOCK)	/* archives are padded to whole records */
#define ID_MAX 07777777u	/* seven octal digits */

/* The header of ustar: IEEE Std 1003.1, pax, "ustar Interchange Format". */
struct ustar {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type;
	char link[100], magic[6], version[2], uname[32], gname[32], major[8], minor[8];
	char prefix[155], pad[12];
};
_Static_assert(sizeof(struct ustar) == BLOCK, "a header is one block");

struct tar {
	FILE *out;
	uint64_t written;
	int64_t mtime;
	uint32_t uid, gid;
};

static void pad(struct tar *t, uint64_t to)
{
	for (; t->written % to; t->written++)
		putc(0, t->out);
}

/* Octal digits; if these are too few, a binary number with the top bit set (GNU tar). */
static void put_id(char *field, uint32_t id)
{
	if (id <= ID_MAX) {
		snprintf(field, 8, "%07o", id);
		return;
	}
	memset(field, 0, 8);
	field[0] = (char)0x80;
	store_uint(field + 4, id, 4, true);
}

static void member(struct tar *t, const char *name, char type, const char *data, size_t len)
{
	struct ustar h = { .type = type, .magic = "ustar", .version = { '0', '0' } };
	const unsigned char *p = (const unsigned char *)&h;
	unsigned sum = 0;

	snprintf(h.name, sizeof(h.name), "%s", name);
	snprintf(h.mode, sizeof(h.mode), "%07o", type == '5' ? 0555u : 0444u);
	put_id(h.uid, t->uid);
	put_id(h.gid, t->gid);
	snprintf(h.size, sizeof(h.size), "%011llo", (unsigned long long)len);
	snprintf(h.mtime, sizeof(h.mtime), "%011llo", (unsigned long long)t->mtime & 077777777777);
	memset(h.sum, ' ', sizeof(h.sum));
	for (size_t i = 0; i < sizeof(h); i++)
		sum += p[i];
	snprintf(h.sum, sizeof(h.sum), "%06o", sum);
	fwrite(&h, 1, sizeof(h), t->out);
	fwrite(data, 1, len, t->out);
	t->written += sizeof(h) + len;
	pad(t, BLOCK);
}

/* A file whose length is known only after its text is made. */
struct text {
	char *p;
	size_t len;
	FILE *f;
};

static FILE *text_open(struct text *x)
{
	x->f = heap_got(open_memstream(&x->p, &x->len), BLOCK);
	return x->f;
}

static void text_member(struct text *x, struct tar *t, const char *name)
{
	fclose(x->f);
	member(t, name, '0', x->p, x->len);
	free(x->p);
}

static void smemcap_process(struct tar *t, const struct task_text *task)
{
	static const char *const names[] = { "smaps", "cmdline", "stat" };
	char name[32];

	t->uid = task->p->euid;
	t->gid = task->d.gid[1];
	snprintf(name, sizeof(name), "%d", task->p->pid);
	member(t, name, '5', "", 0);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct text x = { 0 };

		snprintf(name, sizeof(name), "%d/%s", task->p->pid, names[i]);
		task_file(names[i])->write(task, text_open(&x));
		text_member(&x, t, name);
	}
}

static void put_machine(struct tar *t, const struct snapshot *s)
{
	static const char *const names[] = { "meminfo", "version" };

	t->uid = t->gid = 0;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct text x = { 0 };

		machine_file(names[i])->write(s, text_open(&x));
		text_member(&x, t, names[i]);
	}
}

enum status export_smemcap(const struct snapshot *s, const struct report_opts *o, const char *dest,
			   FILE *out, struct diag *diag)
{
	struct tar t = { .out = out, .mtime = s->machine.crash_time };
	struct process_shown *shown = process_shown_new(s);
	struct table rows = { 0 };
	struct arena mem = { 0 };
	struct hash seen = { .mem = &mem };
	uint32_t first, end;
	enum status st = procs_range(s, o, diag, &first, &end);
	struct task_text task;

	(void)dest;
	if (!st)
		st = task_rows(s, o, &rows, diag);
	if (!st)
		put_machine(&t, s);
	for (uint32_t i = first; !st && i < end && !ferror(out); i++) {
		if (!export_takes(s, &seen, s->procs[i].pid, "process"))
			continue;
		task_text_set(&task, s, shown, &s->procs[i], &rows);
		smemcap_process(&t, &task);
	}
	/* two empty blocks end an archive */
	for (unsigned i = 0; !st && i < 2 * BLOCK; i++, t.written++)
		putc(0, out);
	pad(&t, RECORD);
	arena_release(&mem);
	arena_release(&rows.mem);
	process_shown_free(shown);
	return st;
}
