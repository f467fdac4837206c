/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine that QEMU saved: its migration stream (qemu_stream.c), alone or as "virsh save" writes it (virsh.h).
 *
 * The stream has the RAM of the machine in one line. Where it belongs is a property of the machine (hw/i386/pc_piix.c,
 * pc_q35.c, hw/arm/virt.c, hw/riscv/virt.c). FILE@ADDRESS+OFFSET:LENGTH says otherwise, with offsets in that line:
 * model/memory/source/placed.c finds them where the property max-ram-below-4g was set.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/container/qemu.h"
#include "dumpread/container/virsh.h"
#include "dumpread/image/blocks.h"

#define PIECES_MAX 128u
#define PA_BITS 52

struct qemu {
	struct qemu_stream s;
	struct image_piece v[PIECES_MAX];	/* of the line; the first that has an address is read */
	unsigned n;
	struct blocks *blocks;
};

/* ---- places ------------------------------------------------------------------------------- */

/* Machines by what their name, or that of their RAM, has. Of more than MOST bytes LOW are below the hole. */
static const struct board {
	const char *machine, *ram;
	uint64_t base, most, low;
} boards[] = {
	{ "q35", NULL, 0, 0xb0000000, 0x80000000 },
	{ "microvm", NULL, 0, 0xc0000000, 0xc0000000 },
	{ "pc", NULL, 0, 0xe0000000, 0xc0000000 },
	{ NULL, "mach-virt.ram", 0x40000000, UINT64_MAX, 0 },
	{ NULL, "riscv_virt_board.ram", 0x80000000, UINT64_MAX, 0 },
};

static const struct board *board_of(const struct qemu_stream *s)
{
	for (size_t i = 0; i < ARRAY_LEN(boards); i++) {
		const struct board *b = &boards[i];

		/* "pseries" has no hole and no "pc" */
		if (b->machine && strstr(s->machine, b->machine))
			return b;
		for (unsigned k = 0; b->ram && k < s->nblocks; k++)
			if (!strcmp(s->blocks[k].name, b->ram))
				return b;
	}
	return NULL;
}

static void place_by_board(struct qemu *q)
{
	const struct board *b = board_of(&q->s);
	uint64_t size = q->s.pages * QEMU_PAGE;

	q->n = 1;
	q->v[0] = (struct image_piece){ .address = b ? b->base : 0, .length = size };
	if (!b || size < b->most)
		return;
	q->v[0].length = b->low;
	q->v[1] = (struct image_piece){ .address = UINT64_C(4) << 30,
					.offset = b->low,
					.length = size - b->low };
	q->n = 2;
}

static enum status place_by_name(struct image *im)
{
	struct qemu *q = im->priv;
	uint64_t size = q->s.pages * QEMU_PAGE;

	for (unsigned i = 0; i < im->nparts; i++) {
		struct image_piece p = im->parts[i].piece;

		if (!im->parts[i].placed || strcmp(im->parts[i].path, im->parts[0].path))
			return fail(&im->diag, ST_UNSUPPORTED,
				    "%s: a saved machine is one file; name each on its own",
				    im->parts[i].path);
		if (i == PIECES_MAX || (p.address | p.offset) % QEMU_PAGE || p.offset >= size ||
		    p.address >= UINT64_C(1) << PA_BITS)
			return fail(&im->diag, ST_UNSUPPORTED,
				    "%s: the machine has %" PRIu64 " bytes of memory; pieces of it "
				    "begin at pages",
				    im->parts[i].path, size);
		p.length = min_u64(p.length, size - p.offset);
		p.length = min_u64(p.length, (UINT64_C(1) << PA_BITS) - p.address);
		q->v[q->n++] = p;
	}
	return ST_OK;
}

/* What the stream has of the page at PA. */
static uint64_t look_up(const struct qemu *q, uint64_t pa)
{
	for (unsigned i = 0; i < q->n; i++)
		if (pa >= q->v[i].address && pa - q->v[i].address < q->v[i].length)
			return q->s.where[(q->v[i].offset + (pa - q->v[i].address)) / QEMU_PAGE];
	return QEMU_ABSENT;
}

/* ---- pages ------------------------------------------------------------------------------------ */

/* All of the page is there. */
static bool qemu_present(const struct image *im, uint64_t pfn)
{
	uint64_t at = pfn << im->page_shift, end = at + (UINT64_C(1) << im->page_shift);

	if (pfn >= im->max_pfn)
		return false;
	for (; at < end; at += QEMU_PAGE)
		if (look_up(im->priv, at) == QEMU_ABSENT)
			return false;
	return true;
}

/* Pages that are zeros are as those of a hole of a file. */
static uint64_t qemu_next(const struct image *im, uint64_t pfn)
{
	const struct qemu *q = im->priv;

	while (pfn < im->max_pfn) {
		uint64_t at = pfn << im->page_shift, next = UINT64_MAX;

		if (qemu_present(im, pfn) && (im->page_shift != 12 || look_up(q, at) != QEMU_FILL))
			return pfn;
		for (unsigned i = 0; i < q->n; i++) {
			uint64_t start = q->v[i].address, end = start + q->v[i].length;

			if (at + QEMU_PAGE >= end)
				continue;
			next = min_u64(next, max_u64(start, at));
		}
		/* from a hole to the piece after it */
		if (next == UINT64_MAX)
			return im->max_pfn;
		pfn = max_u64(pfn + 1, next >> im->page_shift);
	}
	return pfn;
}

static enum status qemu_read(const struct image *im, struct image_ctx *ctx, uint64_t pfn,
			     uint8_t *out)
{
	const struct qemu *q = im->priv;
	uint64_t at = pfn << im->page_shift, end = at + (UINT64_C(1) << im->page_shift);

	(void)ctx;
	if (!qemu_present(im, pfn))
		return ST_NODATA;
	for (; at < end; at += QEMU_PAGE, out += QEMU_PAGE) {
		uint64_t where = look_up(q, at);
		enum status st = ST_OK;

		if (where & QEMU_FILL)
			memset(out, (uint8_t)where, QEMU_PAGE);
		else
			st = blocks_read(q->blocks, &im->parts[0], where, out, QEMU_PAGE);
		if (st)
			return st;
	}
	return ST_OK;
}

static void set_page_shift(struct image *im, uint8_t shift)
{
	const struct qemu *q = im->priv;
	uint64_t top = 0;

	for (unsigned i = 0; i < q->n; i++)
		top = max_u64(top, q->v[i].address + q->v[i].length);
	im->page_shift = shift;
	im->max_pfn = (top + (UINT64_C(1) << shift) - 1) >> shift;
	im->pages_present = 0;
	for (uint64_t i = 0; i < q->s.pages; i++)
		im->pages_present += q->s.where[i] != QEMU_ABSENT;
	im->pages_present >>= shift - 12;
}

/* ---- opening ------------------------------------------------------------------------------------ */

/* The stream behind the header of "virsh save", at *AT. */
static enum status skip_header(struct image *im, uint64_t *at)
{
	static const char *const packers[] = { NULL, "gzip", "bzip2", "xz", "lzop", "zstd" };
	const struct image_part *p = &im->parts[0];
	uint8_t raw[VIRSH_HEADER];
	struct virsh_header h;

	*at = 0;
	if (part_read(p, 0, raw, sizeof(raw)) || !virsh_header_read(raw, &h))
		return ST_OK;
	*at = h.stream;
	if (h.packed && h.packed < ARRAY_LEN(packers))
		return fail(&im->diag, ST_UNSUPPORTED,
			    "%s: is packed; unpack it with: tail -c +%" PRIu64
			    " %s | %s -dc > FILE, and "
			    "name that FILE",
			    p->path, *at + 1, p->path, packers[h.packed]);
	if (h.partial)
		log_warn(im->log, "%s: its saving did not end", p->path);
	return ST_OK;
}

static bool is_ours(const struct image *im)
{
	char head[16] = { 0 };
	size_t got;

	part_read_some(&im->parts[0], 0, head, sizeof(head), &got);
	return !memcmp(head, "QEVM", 4) || virsh_is(head);
}

static enum status qemu_open(struct image *im)
{
	struct qemu *q;
	enum status st;
	uint64_t at;

	if (!is_ours(im))
		return ST_NOTMINE;
	im->priv = q = arena_alloc(&im->mem, sizeof(*q));
	st = skip_header(im, &at);
	if (!st)
		st = qemu_stream_read(im, at, &q->s);
	if (st == ST_NOTMINE)
		return fail(&im->diag, ST_CORRUPT, "%s: no stream of QEMU is behind its header",
			    im->parts[0].path);
	if (st)
		return st;
	if (im->nparts > 1 || im->parts[0].placed)
		st = place_by_name(im);
	else
		place_by_board(q);
	if (st)
		return st;
	q->blocks = blocks_new(im);
	set_page_shift(im, 12);
	snprintf(im->format, sizeof(im->format), at ? "virsh save" : "QEMU migration stream");
	snprintf(im->header.compression, sizeof(im->header.compression), "none");
	return ST_OK;
}

static void qemu_close(struct image *im)
{
	struct qemu *q = im->priv;

	if (q) {
		qemu_stream_free(&q->s);
		blocks_free(q->blocks);
	}
	im->priv = NULL;
}

const struct image_ops qemu_image_ops = {
	.name = "qemu",
	.open = qemu_open,
	.placed = true,
	.present = qemu_present,
	.next = qemu_next,
	.read = qemu_read,
	.close = qemu_close,
	.set_page_shift = set_page_shift,
};
