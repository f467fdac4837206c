/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kimage.c - searches the kernel image in the dump for a signature.
 */
#include "dumpread/symbols/kimage.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"

#define MAX_IMAGE ((uint64_t)512 << 20)	/* no kernel image is larger */
#define MAX_GAP ((uint64_t)16 << 20)	/* nothing at all mapped: the image is over */
#define PART ((size_t)64 << 10)		/* read at once */
#define BLOCK ((size_t)16)		/* words looked at together */
#define TEXT_ALIGN ((uint64_t)2 << 20)	/* the image may start so much before _stext */

void kimage_init(struct kimage *ki, struct reader *r)
{
	const struct dump *d = reader_dump(r);
	uint64_t most = min_u64(d->max_pfn << d->page_shift, MAX_IMAGE), stext, uts;

	ki->r = r;
	ki->physical = !vmcoreinfo_symbol(d, "_stext", &stext);
	if (ki->physical) {
		ki->start = ki->data = 0;
		ki->end = most;
		return;
	}
	ki->start = stext & ~(TEXT_ALIGN - 1);
	ki->end = ki->start + min_u64(most, UINT64_MAX - ki->start);
	if (d->word_size == 4)
		ki->end = min_u64(ki->end, UINT32_MAX);
	ki->data = ki->start;
	if (vmcoreinfo_symbol(d, "init_uts_ns", &uts) && uts > ki->start && uts < ki->end)
		ki->data += (uts - ki->start) & ~(uint64_t)(KIMAGE_STEP - 1);
}

static enum status read_some(const struct kimage *ki, uint64_t addr, uint8_t *buf, size_t len)
{
	return ki->physical ? read_pa(ki->r, addr, buf, len) : read_kva(ki->r, addr, buf, len);
}

/* LEN bytes in parts of PART, so that one page that is missing has few others read twice; what fails
   is read page by page. Returns as kimage_read(). *ANY: set if something could be read. */
static enum status read_parts(const struct kimage *ki, uint64_t addr, uint8_t *buf, size_t len,
			      size_t part, bool *any)
{
	size_t page = dump_page_size(reader_dump(ki->r));
	enum status ret = ST_OK;

	for (size_t n; len; addr += n, buf += n, len -= n) {
		enum status st;

		n = min_u64(len, part - (addr & (part - 1)));
		st = read_some(ki, addr, buf, n);
		if (st && part > page)
			st = read_parts(ki, addr, buf, n, page, any);
		else if (st)
			memset(buf, 0, n);
		else
			*any = true;
		if (st && (!ret || ret == ST_FAULT))
			ret = st;
	}
	return ret;
}

enum status kimage_read(const struct kimage *ki, uint64_t addr, uint8_t *buf, size_t len)
{
	bool any = false;

	return read_parts(ki, addr, buf, len, PART, &any);
}

/* ---- pieces --------------------------------------------------------------------- */

struct piece {
	uint8_t *buf;
	uint64_t addr;		/* of the piece that is in BUF */
	size_t len;		/* of that piece; 0: none is */
	bool any;		/* something could be read when it came */
	bool beside;		/* something of the piece before it, which it has in part */
};

/* Reads the piece at ADDR; what it has in common with the one before is not read again. */
static void read_piece(const struct kimage *ki, struct piece *p, uint64_t addr)
{
	size_t len = min_u64(KIMAGE_STEP + KIMAGE_OVERLAP, ki->end - addr), from = 0, to = len;

	p->beside = p->len && p->any;
	if (p->len && addr + KIMAGE_STEP == p->addr) {
		to = min_u64(to, KIMAGE_STEP);
		memmove(p->buf + to, p->buf, len - to);
	} else if (p->len && addr == p->addr + KIMAGE_STEP) {
		from = min_u64(len, p->len - KIMAGE_STEP);
		memmove(p->buf, p->buf + KIMAGE_STEP, from);
	} else {
		p->beside = false;
	}
	p->any = false;
	read_parts(ki, addr + from, p->buf + from, to - from, PART, &p->any);
	p->addr = addr;
	p->len = len;
}

bool kimage_scan(const struct kimage *ki,
		 bool (*fn)(void *arg, uint64_t addr, const uint8_t *buf, size_t len), void *arg)
{
	struct piece p = { .buf = heap_bytes(KIMAGE_STEP + KIMAGE_OVERLAP) };
	bool found = false;
	uint64_t gap = 0;

	for (uint64_t a = ki->data; !found && a > ki->start;) {
		a -= KIMAGE_STEP;
		read_piece(ki, &p, a);
		found = (p.any || p.beside) && fn(arg, a, p.buf, p.len);
	}
	for (uint64_t a = ki->data; !found && a < ki->end && gap < MAX_GAP; a += KIMAGE_STEP) {
		read_piece(ki, &p, a);
		found = (p.any || p.beside) && fn(arg, a, p.buf, p.len);
		gap = p.any || ki->physical ? 0 : gap + KIMAGE_STEP;
	}
	free(p.buf);
	return found;
}

/* ---- words ---------------------------------------------------------------------- */

static bool begins(uint32_t word, struct kimage_word b)
{
	uint32_t bits = word & b.mask;

	return (word != 0) & ((bits == b.either) | (bits == b.or));
}

size_t kimage_next(const uint8_t *buf, size_t off, size_t end, const struct kimage_word *begin)
{
	const struct kimage_word b = *begin;

	while (off < end) {
		/* nearly all blocks have none: no branch for each word, so that it is one for several */
		if (end - off >= BLOCK * sizeof(uint32_t)) {
			uint32_t any = 0;

			for (size_t i = 0; i < BLOCK; i++)
				any |= begins(load32(buf + off + 4 * i, false), b);
			if (!any) {
				off += BLOCK * sizeof(uint32_t);
				continue;
			}
		}
		for (size_t i = 0; i < BLOCK && off < end; i++, off += 4)
			if (begins(load32(buf + off, false), b))
				return off;
	}
	return end;
}
