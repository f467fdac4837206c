/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mkmodule.c - writes the stream of vmcensus.ko.
 */
#include "tests/unit/mkmodule.h"

#include <string.h>

#include "dumpread/base/bytes.h"

/* The fields of WIDTH bytes from FROM to TO at P in the stream's order. */
static void swap(const struct stream *s, void *p, unsigned width, size_t from, size_t to)
{
	uint8_t *at = p;

	for (size_t i = from; s->big && i < to; i += width)
		store_uint(at + i, load_uint(at + i, width, true), width, false);
}

static void put(struct stream *s, const void *p, size_t n)
{
	memcpy(s->data + s->len, p, n);
	s->len += n;
}

static struct vmc_rec rec_of(const struct stream *s, uint32_t type, size_t bytes)
{
	struct vmc_rec r = { type, (uint32_t)bytes };

	swap(s, &r, 4, 0, sizeof(r));
	return r;
}

static void put_text(struct stream *s, const char *text)
{
	static const char zeros[8];

	put(s, text, strlen(text));
	put(s, zeros, 8 - strlen(text) % 8);
}

static size_t padded(const char *text)
{
	return strlen(text) + 8 - strlen(text) % 8;
}

void stream_begin(struct stream *s, bool big)
{
	struct vmc_header h = {
		.magic = { 'V', 'M', 'C', 'E', 'N', 'S', 'U', 'S' }, .order = VMC_ORDER,
		.version = VMC_VERSION, .bytes = sizeof(h), .word = 8, .page_shift = 12,
		.time = 1000, .release = "6.1.0-test", .machine = "x86_64",
	};

	s->len = 0;
	s->big = big;
	swap(s, &h, 4, 8, offsetof(struct vmc_header, word));
	swap(s, &h, 8, offsetof(struct vmc_header, time), offsetof(struct vmc_header, release));
	put(s, &h, sizeof(h));
}

void stream_task(struct stream *s, int32_t pid, int32_t tgid, const char *comm, uint64_t mm)
{
	struct vmc_task t = { .pid = pid, .tgid = tgid, .ppid = 1, .uid = 1000, .state = 'S',
			      .oom_score_adj = -17, .mm = mm, .min_flt = 3 };

	strncpy(t.comm, comm, sizeof(t.comm) - 1);
	swap(s, &t, 4, sizeof(t.rec), offsetof(struct vmc_task, comm));
	swap(s, &t, 8, offsetof(struct vmc_task, mm), sizeof(t));
	t.rec = rec_of(s, VMC_TASK, sizeof(t));
	put(s, &t, sizeof(t));
}

void stream_mm(struct stream *s, uint64_t mm, const char *exe)
{
	stream_mm_at(s, mm, exe, 0x7ff000);
}

void stream_mm_at(struct stream *s, uint64_t mm, const char *exe, uint64_t stack)
{
	struct vmc_mm m = { .mm = mm, .total_vm = 12, .rss_anon = 5, .map_count = 2,
			    .start_brk = 0x600000, .brk = 0x700000, .start_stack = stack };

	swap(s, &m, 8, sizeof(m.rec), sizeof(m));
	m.rec = rec_of(s, VMC_MM, sizeof(m) + padded(exe));
	put(s, &m, sizeof(m));
	put_text(s, exe);
}

void stream_vma(struct stream *s, uint64_t start, uint64_t end, uint64_t inode,
		const char *name)
{
	struct vmc_vma v = { .start = start, .end = end, .flags = 0x73, .pgoff = 1,
			     .ino = inode ? 42 : 0, .file_id = inode, .major = 8, .minor = 1,
			     .kind = inode ? VMC_FILE_VMA : VMC_ANON_VMA };

	swap(s, &v, 8, sizeof(v.rec), offsetof(struct vmc_vma, major));
	swap(s, &v, 4, offsetof(struct vmc_vma, major), sizeof(v));
	v.rec = rec_of(s, VMC_VMA, sizeof(v) + padded(name));
	put(s, &v, sizeof(v));
	put_text(s, name);
}

void stream_runs(struct stream *s, const struct vmc_run *runs, unsigned n)
{
	struct vmc_pages p = { rec_of(s, VMC_PAGES, sizeof(p) + n * sizeof(*runs)) };

	put(s, &p, sizeof(p));
	for (unsigned i = 0; i < n; i++) {
		struct vmc_run r = runs[i];

		swap(s, &r, 8, 0, offsetof(struct vmc_run, pages));
		swap(s, &r, 4, offsetof(struct vmc_run, pages), sizeof(r));
		put(s, &r, sizeof(r));
	}
}

void stream_end(struct stream *s)
{
	struct vmc_end e = { .tasks = 0 };

	e.rec = rec_of(s, VMC_END, sizeof(e));
	put(s, &e, sizeof(e));
}
