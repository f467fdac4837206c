/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Log records of 3.5 to 5.9 (kernel/printk/printk.c, since 7ff9554bb578): in log_buf, from
 * log_first_idx to log_next_idx. Each has a header (struct printk_log), whose .len is the
 * size of the record, then its text. A .len of 0 means: continue at 0.
 */
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/system.h"

#define LOG_BUF_MAX (1u << 31)	/* log_buf_len_setup() takes no more */

/* The text of the record at IDX of the log of SIZE bytes. */
static enum status read_text(const struct system *y, const struct kobj *h, uint64_t space,
			     uint8_t *text, uint64_t *len)
{
	*len = kobj_u64(h, M_LOG_TEXT_LEN);
	if (*len > space)
		return ST_CORRUPT;
	return *len ? read_kva(y->r, h->addr + h->size, text, *len) : ST_OK;
}

static struct log_line header_line(const struct kobj *h)
{
	return (struct log_line){
		.ts = kobj_u64(h, M_LOG_TS),
		.level = (uint8_t)kobj_u64(h, M_LOG_LEVEL),
		.facility = (uint8_t)kobj_u64(h, M_LOG_FACILITY),
		.caller = (uint32_t)kobj_u64(h, M_LOG_CALLER),
	};
}

/* Records from FIRST to NEXT; each step is at least a header, and one step wraps. */
static enum status read_all(const struct system *y, struct log_lines *l, uint64_t buf,
			    uint64_t size, uint64_t next, uint64_t *at, uint8_t *text)
{
	struct kobj h;
	bool wrapped = false;
	enum status st = ST_OK;

	kobj_init(&h, y->k, S_PRINTK_LOG);
	while (!st && *at != next) {
		uint64_t len, total;
		struct log_line like;

		st = *at >= size || h.size > size - *at ? ST_CORRUPT
							: kobj_read(&h, y->r, buf + *at);
		if (st)
			break;
		total = kobj_u64(&h, M_LOG_LEN);
		if (!total && !wrapped) {
			wrapped = true;
			*at = 0;
			continue;
		}
		if (total < h.size || total > size - *at) {
			st = ST_CORRUPT;
			break;
		}
		st = read_text(y, &h, total - h.size, text, &len);
		like = header_line(&h);
		if (!st && !log_add(l, &like, (const char *)text, len))
			st = ST_LIMIT;
		*at += total;
		/* records that filled the buffer exactly */
		if (*at == size && next != size && !wrapped) {
			wrapped = true;
			*at = 0;
		}
	}
	kobj_release(&h);
	return st;
}

void log_records_read(const struct system *y, struct log_lines *l)
{
	uint64_t buf = word_var(y, Y_LOG_BUF), size = int_var(y, Y_LOG_BUF_LEN);
	uint64_t at = int_var(y, Y_LOG_FIRST_IDX), next = int_var(y, Y_LOG_NEXT_IDX);
	enum status st = ST_CORRUPT;
	uint8_t *text;

	if (buf == UNKNOWN || size == UNKNOWN || at == UNKNOWN || next == UNKNOWN)
		st = ST_NODATA;
	else if (!layout_size(&y->k->layout, S_PRINTK_LOG))
		st = ST_ABSENT;
	else if (size <= LOG_BUF_MAX && next <= size) {
		text = heap_bytes(65536); /* text_len is 16 bits */
		/* headers are part of the buffer, so the text is smaller */
		l->budget = min_u64(size, LOG_TEXT_MAX);
		st = read_all(y, l, buf, size, next, &at, text);
		free(text);
	}
	if (st)
		issue_add(y->k->issues, st, "kernel log", 1, "log records end at index %#llx",
			  (unsigned long long)at);
}
