/* SPDX-License-Identifier: GPL-3.0-or-later */
/* e820.c - looks for the entry of RAM at 1 MiB, which every map of a PC has, and for its neighbours. */
#include "dumpread/image/e820.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"

#define ENTRY 20u
#define PAGE 4096u		/* of x86 */
#define AROUND ((E820_ENTRIES * ENTRY + PAGE - 1) / PAGE * PAGE) /* bytes before and after */
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define VIDEO (640u << 10)	/* no RAM from here to 1 MiB */
#define TYPES 20u		/* numbers of types that are believed; 7 and 12 are the highest of ACPI and Linux ... */
#define SOFT_RESERVED 0xefffffffu /* ... but this one */
#define ADDRESS_BITS 52
/* Tables of firmware at the end of the memory below the hole, which the map may not name */
#define FIRMWARE (256 * MIB)

/* ---- the map ------------------------------------------------------------------------------- */

static bool parse(const uint8_t *p, struct e820_entry *e)
{
	uint64_t size = load64(p + 8, false), most = UINT64_C(1) << ADDRESS_BITS;

	e->start = load64(p, false);
	e->type = load32(p + 16, false);
	if (!size || size > most || e->start > most - size)
		return false;
	e->end = e->start + size;
	return e->type && (e->type <= TYPES || e->type == SOFT_RESERVED);
}

/* The map of which the entry at AT of BUF is one. */
static bool take(const uint8_t *buf, size_t len, size_t at, struct e820_table *t)
{
	struct e820_entry e, first;
	size_t start = at;

	if (!parse(buf + at, &first))
		return false;
	while (start >= ENTRY && at - start < AROUND - ENTRY && parse(buf + start - ENTRY, &e) &&
	       e.end <= first.start) {
		start -= ENTRY;
		first = e;
	}
	t->n = 0;
	for (; t->n < E820_ENTRIES && start + ENTRY <= len && parse(buf + start, &e);
	     start += ENTRY) {
		if (t->n && e.start < t->v[t->n - 1].end)
			break;
		t->v[t->n++] = e;
	}
	return t->n >= 2 && t->v[0].type == E820_RAM && t->v[0].start < VIDEO;
}

struct search {
	const struct image *im;
	struct image_ctx *ctx;
	uint8_t *buf;		/* a page, and AROUND bytes before and after it */
	bool (*fn)(void *arg, const struct e820_table *t);
	void *arg;
};

static void read_page(struct search *s, uint64_t pfn, uint8_t *to)
{
	if (!s->im->ops->present(s->im, pfn) || s->im->ops->read(s->im, s->ctx, pfn, to))
		memset(to, 0, PAGE);
}

static void read_neighbours(struct search *s, uint64_t pfn)
{
	for (uint64_t i = 1; i <= AROUND / PAGE; i++) {
		uint8_t *page = s->buf + AROUND;

		if (pfn >= i)
			read_page(s, pfn - i, page - i * PAGE);
		else
			memset(page - i * PAGE, 0, PAGE);
		read_page(s, pfn + i, page + i * PAGE);
	}
}

static bool look(struct search *s, uint64_t pfn)
{
	static const uint8_t mark[] = { 0, 0, 0x10, 0, 0, 0, 0, 0 };
	uint8_t *page = s->buf + AROUND, *hit = page;
	struct e820_entry e;
	struct e820_table t;
	bool around = false;

	while ((hit = memmem(hit, (size_t)(page + PAGE - hit), mark, sizeof(mark)))) {
		if (!around && (size_t)(page + PAGE - hit) < ENTRY)
			read_neighbours(s, pfn);
		around |= (size_t)(page + PAGE - hit) < ENTRY;
		if (parse(hit, &e) && e.type == E820_RAM) {
			if (!around)
				read_neighbours(s, pfn);
			around = true;
			if (take(s->buf, 2 * AROUND + PAGE, (size_t)(hit - s->buf), &t) &&
			    s->fn(s->arg, &t))
				return true;
		}
		hit++;
	}
	return false;
}

bool e820_find(const struct image *im, uint64_t limit,
	       bool (*fn)(void *arg, const struct e820_table *t), void *arg)
{
	struct search s = { .im = im, .fn = fn, .arg = arg };
	uint64_t end = min_u64(im->max_pfn, limit / PAGE);
	bool found = false;

	if (im->page_shift != 12)
		return false;
	s.buf = heap_calloc(1, 2 * AROUND + PAGE);
	s.ctx = im->ops->ctx_new ? im->ops->ctx_new(im) : NULL;
	for (uint64_t pfn = 0; pfn < end && !found; pfn++) {
		if (im->ops->next)
			pfn = im->ops->next(im, pfn);
		if (pfn >= end)
			break;
		read_page(&s, pfn, s.buf + AROUND);
		found = !is_zero(s.buf + AROUND, PAGE) && look(&s, pfn);
	}
	if (im->ops->ctx_free)
		im->ops->ctx_free(s.ctx);
	free(s.buf);
	return found;
}

/* ---- where memory belongs ------------------------------------------------------------------- */

/* Each range of RAM, one after the other. */
static unsigned one_after_other(const struct e820_table *t, uint64_t size, struct image_piece *v)
{
	uint64_t sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < t->n; i++) {
		const struct e820_entry *e = &t->v[i];

		if (e->type != E820_RAM)
			continue;
		if (n && v[n - 1].address + v[n - 1].length == e->start)
			v[n - 1].length += e->end - e->start;
		else
			v[n++] = (struct image_piece){ .address = e->start,
						       .offset = sum,
						       .length = e->end - e->start };
		sum += e->end - e->start;
	}
	return sum == size ? n : 0;
}

/* From 0 to a hole below 4 GiB, and from 4 GiB or above it on. */
static unsigned around_hole(const struct e820_table *t, uint64_t size, struct image_piece *v)
{
	uint64_t low = 0, high = 0, top = 0, below;

	for (unsigned i = 0; i < t->n; i++) {
		const struct e820_entry *e = &t->v[i];

		if (e->type != E820_RAM)
			continue;
		if (e->start < 4 * GIB)
			low = e->end;
		else if (!high)
			high = e->start;
		top = e->end;
	}
	v[0] = (struct image_piece){ .length = size };
	/* nothing is left out */
	if (!high ? size >= low && size - low <= FIRMWARE : size >= top && size - top <= FIRMWARE)
		return 1;
	if (!high || size <= top - high)
		return 0;
	below = size - (top - high);
	if (below < low || below - low > FIRMWARE || below > 4 * GIB)
		return 0;
	v[0].length = below;
	v[1] = (struct image_piece){ .address = high, .offset = below, .length = top - high };
	return 2;
}

unsigned e820_pieces(const struct e820_table *t, uint64_t size, struct image_piece *v)
{
	unsigned n = one_after_other(t, size, v);

	return n > 1 ? n : around_hole(t, size, v);
}
