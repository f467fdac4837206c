/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What VMCOREINFO tells about the types of the kernel log (log_buf_vmcoreinfo_setup()
 * in kernel/printk/printk.c): enough to read it where nothing else is known. And about a few others.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/types/sources.h"

#define WORD 0u

/*
 * A member is at OFFSET(outer), plus OFFSET(inner) of the type that is embedded
 * there, plus AFTER. Not exported: sizes, and the two bytes after text_len
 * (printk_info, 896fbe20b4e2, v5.10) and dict_len (printk_log, 7ff9554bb578, v3.5):
 * u8 facility; u8 flags:5, level:3. Bit fields begin at the low bit on little-endian
 * machines, at the high one on others.
 */
static const struct part {
	const char *path, *outer, *inner;
	uint8_t size, after, bits_before, bits;
} parts[] = {
#define DESC_RING "printk_ringbuffer.desc_ring"
#define DATA_RING "printk_ringbuffer.text_data_ring"
	{ DESC_RING ".count_bits", DESC_RING, "prb_desc_ring.count_bits", 4, 0, 0, 0 },
	{ DESC_RING ".descs", DESC_RING, "prb_desc_ring.descs", WORD, 0, 0, 0 },
	{ DESC_RING ".infos", DESC_RING, "prb_desc_ring.infos", WORD, 0, 0, 0 },
	{ DESC_RING ".head_id", DESC_RING, "prb_desc_ring.head_id", WORD, 0, 0, 0 },
	{ DESC_RING ".tail_id", DESC_RING, "prb_desc_ring.tail_id", WORD, 0, 0, 0 },
	{ DATA_RING ".size_bits", DATA_RING, "prb_data_ring.size_bits", 4, 0, 0, 0 },
	{ DATA_RING ".data", DATA_RING, "prb_data_ring.data", WORD, 0, 0, 0 },
	{ "prb_desc.state_var", "prb_desc.state_var", NULL, WORD, 0, 0, 0 },
	{ "prb_desc.text_blk_lpos.begin", "prb_desc.text_blk_lpos",
	  "prb_data_blk_lpos.begin", WORD, 0, 0, 0 },
	{ "prb_desc.text_blk_lpos.next", "prb_desc.text_blk_lpos",
	  "prb_data_blk_lpos.next", WORD, 0, 0, 0 },
	{ "printk_info.ts_nsec", "printk_info.ts_nsec", NULL, 8, 0, 0, 0 },
	{ "printk_info.text_len", "printk_info.text_len", NULL, 2, 0, 0, 0 },
	{ "printk_info.facility", "printk_info.text_len", NULL, 1, 2, 0, 0 },
	{ "printk_info.level", "printk_info.text_len", NULL, 1, 3, 5, 3 },
	{ "printk_info.caller_id", "printk_info.caller_id", NULL, 4, 0, 0, 0 },
#define RECORD(type) \
	{ type ".ts_nsec", type ".ts_nsec", NULL, 8, 0, 0, 0 }, \
	{ type ".len", type ".len", NULL, 2, 0, 0, 0 }, \
	{ type ".text_len", type ".text_len", NULL, 2, 0, 0, 0 }, \
	{ type ".facility", type ".dict_len", NULL, 1, 2, 0, 0 }, \
	{ type ".level", type ".dict_len", NULL, 1, 3, 5, 3 }
	RECORD("printk_log"),
	RECORD("log"),
	/* what nothing works without, where BTF has lost it (crash_save_vmcoreinfo_init()) */
	{ "list_head.next", "list_head.next", NULL, WORD, 0, 0, 0 },
	{ "list_head.prev", "list_head.prev", NULL, WORD, 0, 0, 0 },
	{ "page.flags", "page.flags", NULL, WORD, 0, 0, 0 },
};

static enum status member(void *self, const char *path, struct member *ret)
{
	const struct dump *d = self;
	uint64_t outer, inner = 0;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const struct part *p = &parts[i];

		if (strcmp(path, p->path) || !vmcoreinfo_offset(d, p->outer, &outer) ||
		    (p->inner && !vmcoreinfo_offset(d, p->inner, &inner)) || outer > UINT16_MAX ||
		    inner > UINT16_MAX)
			continue;
		*ret = (struct member){
			.offset = (uint32_t)(outer + inner + p->after),
			.size = p->size == WORD ? d->word_size : p->size,
			.bit_offset = d->big_endian ? 0 : p->bits_before,
			.bit_size = p->bits,
		};
		return ST_OK;
	}
	return ST_NOTMINE;
}

static enum status size(void *self, const char *type, uint32_t *bytes)
{
	uint64_t n;

	if (!vmcoreinfo_size(self, type, &n) || !n || n > UINT16_MAX)
		return ST_NOTMINE;
	*bytes = (uint32_t)n;
	return ST_OK;
}

static enum status enumerator(void *self, const char *name, int64_t *ret)
{
	(void)self;
	(void)name;
	(void)ret;
	return ST_NOTMINE;
}

enum status types_add_vmcoreinfo(struct dump *d)
{
	const struct type_source src = {
		.name = "vmcoreinfo", .member = member, .size = size,
		.enumerator = enumerator, .self = d,
	};
	uint32_t bytes;

	if (size(d, "printk_info", &bytes) && size(d, "printk_log", &bytes) &&
	    size(d, "log", &bytes))
		return fail(&d->diag, ST_ABSENT, "VMCOREINFO does not describe the kernel log");
	return types_add(&d->types, &src) ? ST_OK : ST_LIMIT;
}
