/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmcoreinfo_scan.c - VMCOREINFO found in memory.
 *
 * Dumps that were made without the kernel's help (QEMU without its vmcoreinfo device, raw
 * memory, in-memory dumpers) lack the note. The kernel writes the same text at
 * boot into vmcoreinfo_data, and a copy with a note header into
 * vmcoreinfo_note (kernel/kexec.c, crash_core.c, vmcore_info.c), so it is
 * there twice and in one piece. Up to 4.12 both are static arrays that may
 * cross a page boundary; afterwards each begins a page.
 *
 * It always begins with "OSRELEASE=" (2.6.24). Other memory may hold such text
 * too: another kernel's (a crash kernel, one before kexec, a guest), the file of another
 * dump in the page cache, a log. A text counts only if it is whole, and one that is found
 * twice beats all others.
 *
 * A kernel that crashes goes on in a copy of its text, to which it adds CRASHTIME
 * (crash_save_vmcoreinfo()); the one that it began with stays. So a text that begins with
 * the whole of another is of the same kernel.
 */
#include "dumpread/vmcoreinfo_scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"

/* VMCOREINFO_BYTES: 4096 up to 4.12, PAGE_SIZE afterwards. */
#define TEXT_MAX  (64u << 10)
#define TRIES	  4096 /* places looked at: a forged dump may hold any number */
#define FIRST_KEY "OSRELEASE="

#define CHUNK 4096u /* frames that a thread looks through at a time */
#define BATCH 8u    /* chunks per thread between two looks at the results */

/* Places in a chunk where the text may begin. */
struct places {
	uint64_t *pa;
	unsigned n;
};

struct scan {
	struct dump *d;
	struct reader *r[JOBS_MAX];
	struct places *chunks;
	uint64_t first, end; /* frames: of the first chunk; after the last */
	struct vmcoreinfo_texts *to;
	unsigned tries;
	char *buf; /* TEXT_MAX and a NUL */
	struct arena mem;
};

/* Bytes of TEXT that are lines of "KEY=value\n" in printable ASCII. */
static size_t lines_len(const char *text, size_t max)
{
	size_t line = 0;
	bool equals = false;

	for (size_t i = 0; i < max; i++) {
		unsigned char ch = (unsigned char)text[i];

		if (ch == '\n') {
			if (!equals)
				return line;
			line = i + 1;
			equals = false;
		} else if (ch < ' ' || ch > '~') {
			return line;
		} else if (ch == '=') {
			equals = true;
		}
	}
	return line;
}

static bool is_whole(const char *text)
{
	const char *size = strstr(text, "\nPAGESIZE=");
	unsigned long v = size ? strtoul(size + 10, NULL, 10) : 0;

	return v >= 1024 && v <= IMAGE_PAGE_MAX && !(v & (v - 1)) && strstr(text, "\nSYMBOL(") &&
	       strstr(text, "\nSIZE(") && strstr(text, "\nOFFSET(");
}

/* Read as much as possible at PA, up to the largest VMCOREINFO. */
static size_t read_text(struct scan *s, uint64_t pa)
{
	uint32_t page = dump_page_size(s->d);
	size_t got = 0;

	while (got < TEXT_MAX) {
		size_t n = min_u64(page - ((pa + got) & (page - 1)), TEXT_MAX - got);

		if (read_pa(s->r[0], pa + got, s->buf + got, n))
			break;
		got += n;
		if (memchr(s->buf + got - n, 0, n))
			break;
	}
	return got;
}

/* The copy in vmcoreinfo_note: 11, length, 0, "VMCOREINFO" and two NULs before it. */
static void note_order(struct scan *s, uint64_t pa, struct vmcoreinfo_text *c)
{
	uint8_t h[24];

	if (pa < sizeof(h) || read_pa(s->r[0], pa - sizeof(h), h, sizeof(h)) ||
	    memcmp(h + 12, "VMCOREINFO", 11))
		return;
	c->little |= load32(h, false) == 11;
	c->big |= load32(h, true) == 11;
}

/* Does the longer begin with all of the other? */
static bool same_kernel(const struct vmcoreinfo_text *c, const char *text, size_t len)
{
	return !memcmp(c->text, text, len < c->len ? len : c->len);
}

static void add_text(struct scan *s, uint64_t pa)
{
	size_t len = lines_len(s->buf, read_text(s, pa));
	struct vmcoreinfo_texts *to = s->to;
	struct vmcoreinfo_text *c = NULL;

	s->buf[len] = '\0';
	if (!is_whole(s->buf))
		return;
	for (unsigned i = 0; i < to->n && !c; i++)
		if (same_kernel(&to->v[i], s->buf, len))
			c = &to->v[i];
	if (!c && to->n == VMCOREINFO_TEXTS)
		return;
	if (!c) {
		c = &to->v[to->n++];
		*c = (struct vmcoreinfo_text){ .pa = pa };
	}
	if (len > c->len) {
		c->text = arena_strndup(&to->mem, s->buf, len);
		c->len = len;
	}
	c->copies++;
	note_order(s, pa, c);
}

static void add_place(struct places *p, uint64_t pa)
{
	if (!(p->n & (p->n - 1)))
		p->pa = heap_grow(p->pa, p->n ? 2 * p->n : 1, sizeof(*p->pa));
	p->pa[p->n++] = pa;
}

/* Every place in the page where a text may begin: as an array of 4096 bytes,
   which compilers align, or after the padded name of a note. In the middle of
   other text it is someone's quotation. */
static void scan_page(const struct dump *d, struct reader *r, uint64_t pfn, struct places *p)
{
	uint32_t size = dump_page_size(d), off = 0;
	struct page_ref ref = { 0 };

	if (reader_page(r, pfn, &ref))
		return;
	while (off < size && p->n < TRIES) {
		const uint8_t *hit =
			memmem(ref.data + off, size - off, FIRST_KEY, strlen(FIRST_KEY));

		if (!hit)
			break;
		off = (uint32_t)(hit - ref.data);
		if (!(off & 31) || !hit[-1])
			add_place(p, (pfn << d->page_shift) + off);
		off++;
	}
	reader_release(r, &ref);
}

static void scan_chunk(void *ctx, unsigned worker, size_t item)
{
	struct scan *s = ctx;
	uint64_t pfn = s->first + item * CHUNK, end = min_u64(pfn + CHUNK, s->end);

	if (!s->r[worker])
		s->r[worker] = reader_new(s->d);
	for (; (pfn = reader_next(s->r[worker], pfn, end)) < end; pfn++)
		scan_page(s->d, s->r[worker], pfn, &s->chunks[item]);
}

/* In the order of addresses, so that the result does not depend on the threads. */
static void look_at_places(struct scan *s, size_t nchunks)
{
	for (size_t i = 0; i < nchunks; i++) {
		struct places *p = &s->chunks[i];

		for (unsigned k = 0; k < p->n && s->tries < TRIES; k++, s->tries++)
			add_text(s, p->pa[k]);
		free(p->pa);
		*p = (struct places){ 0 };
	}
}

static void scan_memory(struct scan *s)
{
	unsigned jobs = s->d->jobs ? s->d->jobs : jobs_default();
	uint64_t step;

	jobs = jobs > JOBS_MAX ? JOBS_MAX : jobs;
	step = (uint64_t)CHUNK * BATCH * jobs;
	s->r[0] = reader_new(s->d);
	s->chunks = arena_array(&s->mem, struct places, (size_t)BATCH * jobs);
	for (; (s->first = reader_next(s->r[0], s->first, s->end)) < s->end && s->tries < TRIES;
	     s->first += step) {
		size_t n = (min_u64(step, s->end - s->first) + CHUNK - 1) / CHUNK;

		jobs_run(jobs, n, scan_chunk, s);
		look_at_places(s, n);
	}
	for (unsigned i = 0; i < jobs; i++)
		reader_free(s->r[i]);
}

void vmcoreinfo_texts_find(struct dump *d, uint64_t first, uint64_t end,
			   struct vmcoreinfo_texts *to)
{
	struct scan s = { .d = d, .first = first, .end = min_u64(end, d->max_pfn), .to = to };

	s.buf = arena_alloc(&s.mem, TEXT_MAX + 1);
	scan_memory(&s);
	arena_release(&s.mem);
}

void vmcoreinfo_texts_free(struct vmcoreinfo_texts *t)
{
	arena_release(&t->mem);
	t->n = 0;
}

void vmcoreinfo_take_text(struct dump *d, const struct vmcoreinfo_text *t)
{
	if (!d->word_size && t->little != t->big)
		d->big_endian = t->big;
	d->build_id_len = 0;
	dump_take_vmcoreinfo(d, t->text, t->len);
}

bool vmcoreinfo_scan(struct dump *d)
{
	struct vmcoreinfo_texts own = { .n = 0 }, *t = d->texts ? d->texts : &own;
	const struct vmcoreinfo_text *best = NULL;

	log_info(d->log, "no VMCOREINFO note, looking for its text in memory");
	vmcoreinfo_texts_find(d, 0, UINT64_MAX, t);
	for (unsigned i = 0; i < t->n; i++)
		if (!best || t->v[i].copies > best->copies)
			best = &t->v[i];
	if (best) {
		log_info(d->log, "VMCOREINFO found at physical %#" PRIx64, best->pa);
		vmcoreinfo_take_text(d, best);
	}
	vmcoreinfo_texts_free(&own);
	return best;
}
