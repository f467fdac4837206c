/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What VMCOREINFO tells about types. Of the kernel log (log_buf_vmcoreinfo_setup() in kernel/printk/printk.c) that
 * is enough to read it where nothing else is known. Of pages, zones and nodes (crash_save_vmcoreinfo_init() in
 * kernel/crash_core.c, kernel/vmcore_info.c since v6.9) it stands in for types that a damaged dump has lost.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/types/sources.h"

#define WORD 0u
#define TWO_WORDS 255u		/* struct list_head */
#define MOST (1u << 20)		/* bytes: struct pglist_data has some 170 KiB with 1024 nodes */

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
#define MEMBER(path, size) { path, path, NULL, size, 0, 0, 0 }
#define DESC_RING "printk_ringbuffer.desc_ring"
#define DATA_RING "printk_ringbuffer.text_data_ring"
	{ DESC_RING ".count_bits", DESC_RING, "prb_desc_ring.count_bits", 4, 0, 0, 0 },
	{ DESC_RING ".descs", DESC_RING, "prb_desc_ring.descs", WORD, 0, 0, 0 },
	{ DESC_RING ".infos", DESC_RING, "prb_desc_ring.infos", WORD, 0, 0, 0 },
	{ DESC_RING ".head_id", DESC_RING, "prb_desc_ring.head_id", WORD, 0, 0, 0 },
	{ DESC_RING ".tail_id", DESC_RING, "prb_desc_ring.tail_id", WORD, 0, 0, 0 },
	{ DATA_RING ".size_bits", DATA_RING, "prb_data_ring.size_bits", 4, 0, 0, 0 },
	{ DATA_RING ".data", DATA_RING, "prb_data_ring.data", WORD, 0, 0, 0 },
	MEMBER("prb_desc.state_var", WORD),
	{ "prb_desc.text_blk_lpos.begin", "prb_desc.text_blk_lpos",
	  "prb_data_blk_lpos.begin", WORD, 0, 0, 0 },
	{ "prb_desc.text_blk_lpos.next", "prb_desc.text_blk_lpos",
	  "prb_data_blk_lpos.next", WORD, 0, 0, 0 },
	MEMBER("printk_info.ts_nsec", 8),
	MEMBER("printk_info.text_len", 2),
	{ "printk_info.facility", "printk_info.text_len", NULL, 1, 2, 0, 0 },
	{ "printk_info.level", "printk_info.text_len", NULL, 1, 3, 5, 3 },
	MEMBER("printk_info.caller_id", 4),
#define RECORD(type) \
	MEMBER(type ".ts_nsec", 8), \
	MEMBER(type ".len", 2), \
	MEMBER(type ".text_len", 2), \
	{ type ".facility", type ".dict_len", NULL, 1, 2, 0, 0 }, \
	{ type ".level", type ".dict_len", NULL, 1, 3, 5, 3 }
	RECORD("printk_log"),
	RECORD("log"),
	MEMBER("list_head.next", WORD),
	MEMBER("list_head.prev", WORD),
	MEMBER("page.flags", WORD),
	MEMBER("page.mapping", WORD),
	MEMBER("page.private", WORD),
	MEMBER("page.lru", TWO_WORDS),
	MEMBER("page.compound_head", WORD),
	MEMBER("page._refcount", 4),
	MEMBER("page._count", 4),
	MEMBER("page._mapcount", 4),
	MEMBER("page.compound_dtor", 1),
	MEMBER("page.compound_order", 1),
	MEMBER("zone.spanned_pages", WORD),
	MEMBER("pglist_data.node_mem_map", WORD),
	MEMBER("pglist_data.node_start_pfn", WORD),
	MEMBER("pglist_data.node_spanned_pages", WORD),
	MEMBER("pglist_data.node_id", 4),
	MEMBER("pglist_data.nr_zones", 4),
	MEMBER("mem_section.section_mem_map", WORD),
};

/* Arrays: LENGTH(path) elements of SIZE(element). */
static const struct {
	const char *path, *array, *element;
} arrays[] = {
	{ "zone.free_area[]", "zone.free_area", "free_area" },
	{ "free_area.free_list[]", "free_area.free_list", "list_head" },
};

static enum status array(const struct dump *d, const char *path, struct member *ret)
{
	uint64_t offset, length, size;

	for (size_t i = 0; i < ARRAY_LEN(arrays); i++) {
		if (strcmp(path, arrays[i].path) ||
		    !vmcoreinfo_offset(d, arrays[i].array, &offset) ||
		    !vmcoreinfo_length(d, arrays[i].array, &length) ||
		    !vmcoreinfo_size(d, arrays[i].element, &size) || offset > MOST || !length ||
		    length > UINT8_MAX || !size || size > UINT16_MAX)
			continue;
		*ret = (struct member){
			.offset = (uint32_t)offset,
			.size = (uint32_t)(length * size),
			.count = (uint32_t)length,
			.stride = (uint32_t)size,
			.is_array = true,
			.is_aggregate = true,
		};
		return ST_OK;
	}
	return ST_NOTMINE;
}

/*
 * page.page_type is the word of _mapcount (6e292b9be7f4, v4.18). A free page had -128 there before, and has another
 * number since, whatever the release calls it.
 */
static const char *member_that_has(const struct dump *d, const char *path)
{
	int64_t free_page;

	if (strcmp(path, "page.page_type"))
		return path;
	return vmcoreinfo_number(d, "PAGE_BUDDY_MAPCOUNT_VALUE", &free_page) && free_page != -128
		       ? "page._mapcount"
		       : path;
}

static uint32_t bytes_of(const struct dump *d, const struct part *p)
{
	if (p->size == TWO_WORDS)
		return 2u * d->word_size;
	return p->size == WORD ? d->word_size : p->size;
}

static enum status member(void *self, const char *path, struct member *ret)
{
	const struct dump *d = self;
	uint64_t outer, inner = 0;

	path = member_that_has(d, path);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const struct part *p = &parts[i];

		if (strcmp(path, p->path) || !vmcoreinfo_offset(d, p->outer, &outer) ||
		    (p->inner && !vmcoreinfo_offset(d, p->inner, &inner)) || outer > MOST ||
		    inner > MOST)
			continue;
		*ret = (struct member){
			.offset = (uint32_t)(outer + inner + p->after),
			.size = bytes_of(d, p),
			.is_aggregate = p->size == TWO_WORDS,
			.bit_offset = d->big_endian ? 0 : p->bits_before,
			.bit_size = p->bits,
		};
		return ST_OK;
	}
	return array(d, path, ret);
}

static enum status size(void *self, const char *type, uint32_t *bytes)
{
	uint64_t n;

	if (!vmcoreinfo_size(self, type, &n) || !n || n > MOST)
		return ST_NOTMINE;
	*bytes = (uint32_t)n;
	return ST_OK;
}

/*
 * A page type: the top byte of a word, which VMCOREINFO names as it did the values of _mapcount before (v6.12,
 * 4ffca5a96678). Until then the low bits were set.
 */
static enum status page_type(const struct dump *d, const char *name, int64_t *ret)
{
	static const struct {
		const char *name, *number;
	} types[] = {
		{ "PGTY_buddy", "PAGE_BUDDY_MAPCOUNT_VALUE" },
		{ "PGTY_offline", "PAGE_OFFLINE_MAPCOUNT_VALUE" },
		{ "PGTY_slab", "PAGE_SLAB_MAPCOUNT_VALUE" },
		{ "PGTY_hugetlb", "PAGE_HUGETLB_MAPCOUNT_VALUE" },
	};
	int64_t v;

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (strcmp(name, types[i].name) || !vmcoreinfo_number(d, types[i].number, &v) ||
		    v & 0xffffff)
			continue;
		*ret = v >> 24 & 0xff;
		return ST_OK;
	}
	return ST_NOTMINE;
}

/* Numbers that it has under the name of the enumerator; PG_head as a mask. */
static enum status enumerator(void *self, const char *name, int64_t *ret)
{
	static const char *const names[] = {
		"PG_lru",	 "PG_private",	  "PG_swapcache",  "PG_swapbacked",
		"PG_slab",	 "PG_hwpoison",	  "PG_hugetlb",	   "NR_FREE_PAGES",
		"HUGETLB_PAGE_DTOR",
	};
	int64_t mask;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return vmcoreinfo_number(self, name, ret) ? ST_OK : ST_NOTMINE;
	if (!strncmp(name, "PGTY_", 5))
		return page_type(self, name, ret);
	if (strcmp(name, "PG_head") || !vmcoreinfo_number(self, "PG_head_mask", &mask) ||
	    mask <= 0 || mask & (mask - 1))
		return ST_NOTMINE;
	*ret = __builtin_ctzll((uint64_t)mask);
	return ST_OK;
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
