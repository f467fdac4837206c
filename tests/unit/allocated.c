/* SPDX-License-Identifier: GPL-3.0-or-later */
/* allocated.c - who allocated a page, on a machine made by hand. */
#include "tests/unit/allocated.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/holder.h"
#include "facts/layout/origin.h"
#include "facts/layout/page.h"

/* ---- page_ext, stacks, tags of pages ---------------------------------------------------------- */

uint64_t al_var(struct fake *f, enum layout_id id, unsigned no, uint64_t value, unsigned size)
{
	fake_symbol(f, id, fake_kva(f, AL_VARS + no * 0x40));
	fake_put_uint(f, AL_VARS + no * 0x40, value, size);
	return AL_VARS + no * 0x40;
}

void al_page_ext(struct fake *f)
{
	f->kernel.memmap.sections = (struct memmap_sections){
		.kva = fake_kva(f, AL_SECTION_AT), .per_root = 1, .bytes = 32, .pages = 32768, .n = 2
	};
	fake_member(f, M_SECTION_PAGE_EXT, 16, 8);
	fake_put_uint(f, AL_SECTION_AT + 16, fake_kva(f, AL_EXT), 8);
	fake_put_uint(f, AL_SECTION_AT + 32 + 16, fake_kva(f, AL_EXT) | 1, 8);	/* invalid */
	al_var(f, Y_PAGE_EXT_SIZE, 0, AL_EXT_BYTES, 8);
	fake_member(f, M_PAGE_EXT_FLAGS, 0, 8);
	fake_member(f, M_EXT_OPS_OFFSET, 0, 8);
	fake_enum(f, E_PAGE_EXT_OWNER, AL_OWNER_BIT);
	fake_enum(f, E_PAGE_EXT_ALLOCATED, AL_ALLOCATED_BIT);
}

void al_bits(struct fake *f, enum layout_id id, unsigned first, unsigned n)
{
	fake_member(f, id, 0, 4);
	f->kernel.layout.v[id].m.bit_offset = (uint8_t)first;
	f->kernel.layout.v[id].m.bit_size = (uint8_t)n;
}

void al_owner(struct fake *f)
{
	al_var(f, Y_PAGE_OWNER_OPS, 1, AL_OWNER_AT, 8);
	fake_members(f, { M_OWNER_HANDLE, AL_HANDLE_IN_OWNER, 4 }, { M_STACK_SIZE, 20, 4 },
		     { M_STACK_ENTRIES, 32, 8 });
	al_bits(f, M_HANDLE_OFFSET, 17, 10);
}

/* A record of two frames, 0x40 bytes into pool NO. */
void al_stack(struct fake *f, unsigned no)
{
	fake_put_uint(f, AL_POOLS + 8 * no, fake_kva(f, AL_POOL), 8);
	fake_put_uint(f, AL_POOL + 0x40 + 20, 2, 4);
	fake_put_uint(f, AL_POOL + 0x40 + 32, 0x1111, 8);
	fake_put_uint(f, AL_POOL + 0x40 + 40, 0x2222, 8);
}

void al_ext(struct fake *f, uint64_t pfn, uint64_t flags, uint32_t handle, uint64_t tag)
{
	fake_put_uint(f, AL_EXT + pfn * AL_EXT_BYTES, flags, 8);
	fake_put_uint(f, AL_EXT + pfn * AL_EXT_BYTES + AL_TAG_AT, tag, 8);
	fake_put_uint(f, AL_EXT + pfn * AL_EXT_BYTES + AL_OWNER_AT + AL_HANDLE_IN_OWNER, handle, 4);
}

static void put_site(struct fake *f, uint64_t at, unsigned line, const char *module)
{
	fake_put_uint(f, at + 4, line, 4);
	fake_put_uint(f, at + 8, module ? fake_kva(f, AL_STRINGS + 0x80) : 0, 8);
	fake_put_uint(f, at + 16, fake_kva(f, AL_STRINGS), 8);
	fake_put_uint(f, at + 24, fake_kva(f, AL_STRINGS + 0x40), 8);
	fake_put(f, AL_STRINGS, "take", 5);
	fake_put(f, AL_STRINGS + 0x40, "drivers/hog.c", 14);
	if (module)
		fake_put(f, AL_STRINGS + 0x80, module, strlen(module) + 1);
}

void al_sites(struct fake *f)
{
	fake_size(f, S_ALLOC_TAG, AL_SITE_BYTES);
	fake_members(f, { M_CODETAG_LINE, 4, 4 }, { M_CODETAG_MODULE, 8, 8 },
		     { M_CODETAG_FUNCTION, 16, 8 }, { M_CODETAG_FILE, 24, 8 });
	put_site(f, AL_SITES, 11, NULL);
	put_site(f, AL_MODULE_SITES + AL_SITE_BYTES, 42, "hog");
}

void al_sites_in_flags(struct fake *f)
{
	al_var(f, Y_ALLOC_TAG_OPS, 1, 0, 8);
	al_var(f, Y_TAGS_COMPRESSED, 2, 1, 4);
	al_var(f, Y_TAG_REF_MASK, 3, 0xff, 8);
	al_var(f, Y_TAG_REF_SHIFT, 4, 40, 4);
	fake_put_uint(f, al_var(f, Y_KERNEL_TAGS, 5, fake_kva(f, AL_SITES), 8) + 8, 7, 8);
	al_var(f, Y_MODULE_TAGS, 6, fake_kva(f, AL_MODULE_SITES), 8);
	fake_members(f, { M_KERNEL_TAGS_FIRST, 0, 8 }, { M_KERNEL_TAGS_COUNT, 8, 8 },
		     { M_MODULE_TAGS_FIRST, 0, 8 });
}

/* ---- names of flags ------------------------------------------------------------------------------ */

static uint64_t texts;

static uint64_t text(struct fake *f, const char *s)
{
	uint64_t at = AL_TEXTS + texts;

	fake_put(f, at, s, strlen(s) + 1);
	texts += strlen(s) + 1;
	return fake_kva(f, at);
}

static void put_name(struct fake *f, uint64_t table, unsigned i, uint64_t mask, const char *name)
{
	fake_put_uint(f, table + i * AL_NAME, mask, 8);
	fake_put_uint(f, table + i * AL_NAME + 8, name ? text(f, name) : 0, 8);
}

static void put_field(struct fake *f, unsigned i, unsigned width, unsigned shift, const char *name)
{
	uint64_t at = AL_FIELDS + i * AL_FIELD;

	fake_put_uint(f, at, width, 4);
	fake_put_uint(f, at + 4, shift, 4);
	fake_put_uint(f, at + 8, (1u << width) - 1, 4);
	fake_put_uint(f, at + 24, text(f, name), 8);
}

void al_names(struct fake *f)
{
	static const char *const flags[] = { "locked", "referenced", "uptodate", "dirty", "lru",
					     "active" };

	texts = 0;
	fake_size(f, S_FLAG_NAME, AL_NAME);
	fake_member(f, M_FLAG_MASK, 0, 8);
	fake_member(f, M_FLAG_NAME, 8, 8);
	fake_symbol(f, Y_GFP_NAMES, fake_kva(f, AL_GFP));
	fake_symbol(f, Y_PAGEFLAG_NAMES, fake_kva(f, AL_FLAGS));
	put_name(f, AL_GFP, 0, 0xcc0, "GFP_KERNEL");
	put_name(f, AL_GFP, 1, 0x100, "__GFP_ZERO");
	put_name(f, AL_GFP, 2, 0, NULL);
	for (unsigned i = 0; i < 6; i++)
		put_name(f, AL_FLAGS, i, 1u << i, flags[i]);
	put_name(f, AL_FLAGS, 6, 1u << 13, "private");
	put_name(f, AL_FLAGS, 7, 0, NULL);
}

void al_fields(struct fake *f)
{
	fake_size(f, S_FLAG_FIELD, AL_FIELD);
	fake_members(f, { M_FLAG_FIELD_WIDTH, 0, 4 }, { M_FLAG_FIELD_SHIFT, 4, 4 },
		     { M_FLAG_FIELD_MASK, 8, 4 }, { M_FLAG_FIELD_NAME, 24, 8 });
	fake_symbol(f, Y_FLAG_FIELDS, fake_kva(f, AL_FIELDS));
	put_field(f, 0, 0, 0, "section");
	put_field(f, 1, 10, 53, "node");
	put_field(f, 2, 2, 51, "zone");
	put_field(f, 3, 21, 30, "lastcpupid");
	/* what follows the table is none: its mask has not as many bits as it says */
	put_field(f, 4, 5, 3, "other");
	fake_put_uint(f, AL_FIELDS + 4 * AL_FIELD + 8, 0x77, 4);
}

/* ---- what each tag counts ---------------------------------------------------------------------- */

static void put_tag(struct fake *f, unsigned i, const char *file, unsigned line, const char *module)
{
	uint64_t at = AL_TAGS + i * AL_TAG;

	fake_put_uint(f, at + 4, line, 4);
	fake_put_uint(f, at + 8, module ? text(f, module) : 0, 8);
	fake_put_uint(f, at + 16, text(f, "fn"), 8);
	fake_put_uint(f, at + 24, text(f, file), 8);
	fake_put_uint(f, at + 32, fake_kva(f, AL_COUNTERS + i * 16), 8);
}

/* Two processors: a page may be allocated on one and freed on the other. */
void al_counts(struct fake *f)
{
	static uint64_t percpu[2] = { 0, AL_CPU };

	f->kernel.percpu = percpu;
	f->kernel.ncpus = 2;
	fake_member(f, M_XA_HEAD, 0, 8);
	fake_member(f, M_XA_NODE_SHIFT, 0, 1);
	fake_array(f, M_XA_NODE_SLOTS, 16, 8, 64);
	fake_size(f, S_XA_NODE, 16 + 8 * 64);
	fake_members(f, { M_IDR_ROOT, 0, 16 }, { M_CODETAG_MODULES, 24, 24 },
		     { M_CODETAG_SIZE, 64, 8 }, { M_CODETAG_START, 8, 8 },
		     { M_CODETAG_STOP, 16, 8 }, { M_CODETAG_LINE, 4, 4 },
		     { M_CODETAG_MODULE, 8, 8 }, { M_CODETAG_FUNCTION, 16, 8 },
		     { M_CODETAG_FILE, 24, 8 }, { M_TAG_COUNTERS, 32, 8 }, { M_TAG_BYTES, 0, 8 },
		     { M_TAG_CALLS, 8, 8 });
	fake_symbol(f, Y_TAG_TYPE, fake_kva(f, AL_TYPE_VAR));
	fake_put_uint(f, AL_TYPE_VAR, fake_kva(f, AL_TYPE), 8);
	fake_put_uint(f, AL_TYPE + 24, fake_kva(f, AL_MODULE), 8);
	fake_put_uint(f, AL_TYPE + 64, AL_TAG, 8);
	fake_put_uint(f, AL_MODULE + 8, fake_kva(f, AL_TAGS), 8);
	fake_put_uint(f, AL_MODULE + 16, fake_kva(f, AL_TAGS + 2 * AL_TAG), 8);
	put_tag(f, 0, "mm/slub.c", 2325, NULL);
	put_tag(f, 1, "silent.c", 119, "silent");
	fake_put_uint(f, AL_COUNTERS, 8192, 8);
	fake_put_uint(f, AL_COUNTERS + 8, 2, 8);
	fake_put_uint(f, AL_COUNTERS + AL_CPU, (uint64_t)-4096, 8);
	fake_put_uint(f, AL_COUNTERS + AL_CPU + 8, UINT64_MAX, 8);
	fake_put_uint(f, AL_COUNTERS + 16, 0, 8);
	fake_put_uint(f, AL_COUNTERS + 24, 0, 8);
	fake_put_uint(f, AL_COUNTERS + AL_CPU + 16, 48 << 20, 8);
	fake_put_uint(f, AL_COUNTERS + AL_CPU + 24, 12288, 8);
}
