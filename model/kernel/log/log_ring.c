/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The printk ring (kernel/printk/printk_ringbuffer.h, since 896fbe20b4e2, v5.10).
 *
 *   descs[]   state_var: id in the low bits, state in the top two; where the text lies
 *   infos[]   of the same index: time, level, text length
 *   data      blocks: unsigned long id, then text; a block that would wrap lies at 0
 *
 * Records run from tail_id to head_id; record ID is at index ID mod 2^count_bits.
 */
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/system.h"

#define COUNT_BITS_MAX 26	/* log_buf_len is 2 GiB at most, a record 32 bytes of it */
#define SIZE_BITS_MAX 31
#define BLOCK_REST_MAX 64u	/* bytes of a block that are not text */
/* Positions of a record without a block, both of them: its text found no room, or it is an empty line. */
#define FAILED_LPOS 1u
#define EMPTY_LINE_LPOS 3u	/* NO_LPOS before 6.9 */
#define TIME_MAX (UINT64_C(1) << 62)	/* ns: more than 100 years */

enum desc_state { DESC_RESERVED, DESC_COMMITTED, DESC_FINALIZED, DESC_REUSABLE };

struct ring {
	const struct system *y;
	uint64_t descs, infos, data;	/* kernel addresses */
	uint64_t head, tail;		/* ids */
	unsigned count_bits, size_bits;
	unsigned id_bits;		/* of state_var: all but the top two */
	unsigned word;
	struct kobj desc, info;
	uint8_t *text;			/* of one record */
};

#define TEXT_MAX 65536u		/* text_len is 16 bits */

/*
 * From the tail to the head there are at most as many records as descriptors, and the descriptor
 * at the tail has that id (printk_ringbuffer.c: "tail_id").
 */
static bool ends_sound(const struct ring *g)
{
	const struct layout *l = &g->y->k->layout;
	uint64_t mask = (1ull << g->id_bits) - 1, n = 1ull << g->count_bits, sv;
	uint64_t desc = g->descs + (g->tail & (n - 1)) * layout_size(l, S_PRB_DESC);

	return ((g->head - g->tail) & mask) < n && kernel_ptr_ok(g->y->k, g->descs, g->word) &&
	       kernel_ptr_ok(g->y->k, g->infos, g->word) &&
	       !kmember_u64(g->y->k, g->y->r, desc, M_DESC_STATE, &sv) &&
	       (sv & mask) == (g->tail & mask);
}

static bool ring_open(struct ring *g, const struct system *y)
{
	struct kobj o;
	uint64_t addr;
	enum status st = kvar_u64(y->k, y->r, Y_PRB, 0, &addr);

	*g = (struct ring){ .y = y, .word = y->k->dump->word_size };
	kobj_init(&o, y->k, S_PRB);
	if (!st)
		st = kobj_read(&o, y->r, addr);
	g->descs = kobj_u64(&o, M_PRB_DESCS);
	g->infos = kobj_u64(&o, M_PRB_INFOS);
	g->data = kobj_u64(&o, M_PRB_DATA);
	g->head = kobj_u64(&o, M_PRB_HEAD);
	g->tail = kobj_u64(&o, M_PRB_TAIL);
	g->count_bits = (unsigned)kobj_u64(&o, M_PRB_COUNT_BITS);
	g->size_bits = (unsigned)kobj_u64(&o, M_PRB_SIZE_BITS);
	g->id_bits = 8 * g->word - 2;
	kobj_release(&o);
	if (!st &&
	    (g->count_bits > COUNT_BITS_MAX || g->size_bits > SIZE_BITS_MAX || !ends_sound(g)))
		st = ST_CORRUPT;
	if (st)
		issue_add(y->k->issues, st, "kernel log", 1, "cannot read the printk ring");
	return st == ST_OK;
}

/*
 * Finds the text of the record: LEN bytes at *KVA; 0 bytes for an empty line.
 * ST_ABSENT: its text was lost. ST_CORRUPT: not a block of this record.
 */
static enum status text_block(const struct ring *g, uint64_t id, uint64_t *kva, uint64_t *len)
{
	uint64_t begin = kobj_u64(&g->desc, M_DESC_BEGIN), next = kobj_u64(&g->desc, M_DESC_NEXT);
	uint64_t size = 1ull << g->size_bits, start, bytes, owner;
	enum status st;

	*len = 0;
	/* no reader of the kernel shows a record that lost its text (desc_read_finalized_seq()) */
	if (begin == FAILED_LPOS && next == FAILED_LPOS)
		return ST_ABSENT;
	if (begin & 1 || next & 1)
		return begin == EMPTY_LINE_LPOS && next == begin ? ST_OK : ST_CORRUPT;
	/* next is the first byte after the block: the same wrap if the last byte has it (the
	   kernel's test since 6.19; before, a block at the end of the ring had no text) */
	if (next > begin && begin >> g->size_bits == (next - 1) >> g->size_bits) {
		start = begin & (size - 1);
		bytes = next - begin;
	} else {
		start = 0;
		bytes = next & (size - 1);
	}
	if (bytes < g->word || bytes > size - start)
		return ST_CORRUPT;
	st = read_kva_word(g->y->r, g->data + start, &owner);
	if (st)
		return st;
	if (owner != id)
		return ST_CORRUPT;
	*kva = g->data + start + g->word;
	*len = bytes - g->word;
	return ST_OK;
}

/* ST_ABSENT: the slot has nothing readable, which is no damage. */
static enum status read_record(struct ring *g, uint64_t id, struct log_line *like, uint64_t *len)
{
	uint64_t at = id & ((1ull << g->count_bits) - 1), sv, text, kva = 0;
	uint64_t mask = (1ull << g->id_bits) - 1;
	struct reader *r = g->y->r;
	enum status st = kobj_read(&g->desc, r, g->descs + at * g->desc.size);

	*len = 0;
	if (st)
		return st;
	sv = kobj_u64(&g->desc, M_DESC_STATE);
	/* each CPU may have moved the head on, and not yet written its descriptor */
	if ((sv & mask) != id && ((g->head - id) & mask) >= g->y->k->ncpus)
		return ST_CORRUPT;
	if ((sv & mask) != id ||
	    (sv >> g->id_bits != DESC_COMMITTED && sv >> g->id_bits != DESC_FINALIZED))
		return ST_ABSENT;
	st = kobj_read(&g->info, r, g->infos + at * g->info.size);
	if (!st)
		st = text_block(g, id, &kva, len);
	if (st)
		return st;
	*like = (struct log_line){
		.ts = kobj_u64(&g->info, M_INFO_TS),
		.level = (uint8_t)kobj_u64(&g->info, M_INFO_LEVEL),
		.facility = (uint8_t)kobj_u64(&g->info, M_INFO_FACILITY),
		.caller = (uint32_t)kobj_u64(&g->info, M_INFO_CALLER),
	};
	text = kobj_u64(&g->info, M_INFO_TEXT_LEN);
	/* the block was made for the text with prefix, newline and NUL, and is aligned */
	if (like->ts > TIME_MAX || (!text && *len > 2 * sizeof(uint64_t)) ||
	    (*len && (text > *len || *len - text > BLOCK_REST_MAX)))
		issue_add(g->y->k->issues, ST_CORRUPT, "log record", 1,
			  "length or time of record %llu", (unsigned long long)id);
	/* a truncated block is shorter than text_len says */
	*len = min_u64(*len, min_u64(text, TEXT_MAX));
	return *len ? read_kva(r, kva, g->text, *len) : ST_OK;
}

static void read_all(struct ring *g, struct log_lines *l)
{
	uint64_t mask = (1ull << g->id_bits) - 1, id, len;
	/* ids wrap; a head before the tail is damage; the size of the ring is a limit */
	uint64_t n = min_u64((g->head - g->tail) & mask, (1ull << g->count_bits) - 1) + 1;
	struct log_line like;

	/* if the log is too large, only its end */
	n = min_u64(n, LOG_LINES_MAX);
	id = (g->head - n + 1) & mask;
	/* blocks do not overlap: all text fits in the ring, and so do all records */
	l->budget = min_u64(1ull << g->size_bits, LOG_TEXT_MAX) + n;
	for (; n; n--, id = (id + 1) & mask) {
		enum status st = read_record(g, id, &like, &len);

		if (st == ST_ABSENT)
			continue;
		if (st) {
			issue_add(g->y->k->issues, st, "log record", 1, "record %llu of the log",
				  (unsigned long long)id);
			continue;
		}
		if (!log_add(l, &like, (const char *)g->text, len)) {
			issue_add(g->y->k->issues, ST_LIMIT, "kernel log", 1,
				  "too much text: %llu records left unread", (unsigned long long)n);
			return;
		}
	}
}

void log_ring_read(const struct system *y, struct log_lines *l)
{
	struct ring g;

	if (!ring_open(&g, y))
		return;
	g.text = heap_bytes(TEXT_MAX);
	kobj_init(&g.desc, y->k, S_PRB_DESC);
	kobj_init(&g.info, y->k, S_PRINTK_INFO);
	read_all(&g, l);
	kobj_release(&g.desc);
	kobj_release(&g.info);
	free(g.text);
}
