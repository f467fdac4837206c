/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * origin.c - page_ext, page_owner, its stacks in the depot, allocation tags.
 *
 * Sources: mm/page_ext.c, mm/page_owner.c, lib/stackdepot.c, include/linux/pgalloc_tag.h, read in
 * 4.9, 4.18, 5.4, 5.14, 6.1, 6.6, 6.12, 6.14, 7.1. page_ext is read where the kernel has sections
 * (SPARSEMEM).
 */
#include "model/kernel/origin/origin.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/origin.h"
#include "model/kernel/kobj.h"

#define EXT_INVALID 1u		/* of mem_section.page_ext: in 6.1, not in 5.17 */
#define EXT_MAX 256u		/* bytes; all users of page_ext together take some 100 */
#define STACK_ALIGN_SHIFT 4u	/* of records in a pool */
#define STACK_MAX 256u		/* CONFIG_STACKDEPOT_MAX_FRAMES is 64 */
#define TAGS_FIRST 2u		/* CODETAG_ID_FIRST: 0 is none, 1 allocated without a tag */
#define TAG_EMPTY 1u		/* CODETAG_EMPTY */
#define TEXT_MAX 4096u

/* ---- page_ext -------------------------------------------------------------------------- */

/* A variable that this kernel has, SIZE bytes; what is not readable is an issue. */
static bool get_var(const struct kernel *k, struct reader *r, enum layout_id id, unsigned size,
		    uint64_t *ret)
{
	enum status st = has(k, id) ? kvar_u64(k, r, id, size, ret) : ST_ABSENT;

	if (st && st != ST_ABSENT)
		issue_add(k->issues, st, "page_ext", 1, "a variable at %#" PRIx64,
			  layout_symbol(&k->layout, id));
	return !st;
}

static uint64_t ext_bytes(const struct kernel *k, struct reader *r)
{
	uint64_t n = 0, extra;

	if (has(k, Y_PAGE_EXT_SIZE))
		get_var(k, r, Y_PAGE_EXT_SIZE, 0, &n);
	else if (has(k, S_PAGE_EXT) && get_var(k, r, Y_PAGE_EXT_EXTRA, 0, &extra))
		n = layout_size(&k->layout, S_PAGE_EXT) + extra;
	return n <= EXT_MAX && has(k, M_SECTION_PAGE_EXT) && k->memmap.sections.kva ? n : 0;
}

/* Where the user of page_ext with the operations OPS has its data in one. */
static bool user_offset(const struct origins *o, enum layout_id ops, uint64_t *ret)
{
	uint64_t at = layout_symbol(&o->k->layout, ops);

	if (!at || !has(o->k, M_EXT_OPS_OFFSET) || !o->size)
		return false;
	if (!kmember_u64(o->k, o->r, at, M_EXT_OPS_OFFSET, ret) && *ret < o->size)
		return true;
	issue_add(o->k->issues, ST_CORRUPT, "page_ext", 1, "the offset of a user at %#" PRIx64, at);
	return false;
}

/* A section has one array of them, from which the address of that of frame 0 would be is kept
   (lookup_page_ext()). */
uint64_t page_ext_of(struct origins *o, uint64_t pfn)
{
	const struct memmap *m = &o->k->memmap;
	uint64_t no = pfn / m->sections.pages, kva;

	if (no != o->section) {
		o->section = no;
		o->section_base = 0;
		kva = memmap_section_kva(m, o->r, pfn);
		if (kva && kmember_u64(o->k, o->r, kva, M_SECTION_PAGE_EXT, &o->section_base)) {
			o->section_base = 0;
			o->unread++;
		}
		if (o->section_base & EXT_INVALID)
			o->section_base = 0;
	}
	return o->section_base ? o->section_base + pfn * o->size : 0;
}

/* ---- of one frame ---------------------------------------------------------------------- */

static uint64_t tag_of_index(const struct origins *o, uint64_t i)
{
	uint64_t size = layout_size(&o->k->layout, S_ALLOC_TAG);

	if (i < TAGS_FIRST)
		return 0;
	i -= TAGS_FIRST;
	if (i < o->nkernel_tags)
		return o->kernel_tags + i * size;
	return o->module_tags ? o->module_tags + (i - o->nkernel_tags) * size : 0;
}

static uint64_t tag_at(struct origins *o, uint64_t ext)
{
	uint64_t tag;

	if (read_kva_word(o->r, ext + o->tag_at, &tag)) {
		o->unread++;
		return 0;
	}
	if (tag <= TAG_EMPTY)
		return 0;
	if (kernel_ptr_ok(o->k, tag, 4))
		return tag;
	o->unread++;
	return 0;
}

/* The flags of page_ext say that a stack was kept, and that the page was not freed since. */
static uint32_t stack_at(struct origins *o, uint64_t ext)
{
	const struct layout *l = &o->k->layout;
	uint64_t need = UINT64_C(1) << (layout_enum(l, E_PAGE_EXT_OWNER, 0) & 63), flags, handle;

	if (has(o->k, E_PAGE_EXT_ALLOCATED))
		need |= UINT64_C(1) << (layout_enum(l, E_PAGE_EXT_ALLOCATED, 0) & 63);
	if (kmember_u64(o->k, o->r, ext, M_PAGE_EXT_FLAGS, &flags) ||
	    kmember_u64(o->k, o->r, ext + o->owner_at, M_OWNER_HANDLE, &handle)) {
		o->unread++;
		return 0;
	}
	return (flags & need) == need ? (uint32_t)handle : 0;
}

struct origin origin_of(struct origins *o, uint64_t pfn, uint64_t flags)
{
	struct origin ret = { 0 };
	uint64_t ext = o->size ? page_ext_of(o, pfn) : 0;

	if (o->compressed)
		ret.tag = tag_of_index(o, flags >> o->shift & o->mask);
	else if (o->tags && ext)
		ret.tag = tag_at(o, ext);
	if (o->stacks && ext)
		ret.stack = stack_at(o, ext);
	return ret;
}

/* ---- text ------------------------------------------------------------------------------- */

/* Empty: there is none. False: not readable. */
static bool text_of(const struct origins *o, uint64_t tag, enum layout_id id, char *buf, size_t n)
{
	uint64_t at;

	buf[0] = 0;
	if (!has(o->k, id))
		return true;
	return !kmember_u64(o->k, o->r, tag, id, &at) && (!at || !read_kva_str(o->r, at, buf, n));
}

const char *origin_site(const struct origins *o, uint64_t tag, struct arena *mem)
{
	char file[256], function[256], module[64];
	uint64_t line;

	if (!text_of(o, tag, M_CODETAG_FILE, file, sizeof(file)) || !*file ||
	    kmember_u64(o->k, o->r, tag, M_CODETAG_LINE, &line) ||
	    !text_of(o, tag, M_CODETAG_FUNCTION, function, sizeof(function)) ||
	    !text_of(o, tag, M_CODETAG_MODULE, module, sizeof(module)))
		return NULL;
	if (!*module)
		return arena_printf(mem, "%s:%" PRIu64 " %s", file, line, function);
	return arena_printf(mem, "%s:%" PRIu64 " %s [%s]", file, line, function, module);
}

static uint32_t bits_of(const struct origins *o, uint32_t handle, enum layout_id id)
{
	const struct member *m = &o->k->layout.v[id].m;

	return m->bit_size && m->bit_size < 32 ? handle >> m->bit_offset & ((1u << m->bit_size) - 1)
					       : 0;
}

/* Address of the stack_record of HANDLE, 0: it is in no pool. */
static uint64_t record_of(const struct origins *o, uint32_t handle)
{
	uint64_t offset = (uint64_t)bits_of(o, handle, M_HANDLE_OFFSET) << STACK_ALIGN_SHIFT, no,
		 at;

	if (has(o->k, M_HANDLE_POOL_1)) {
		no = bits_of(o, handle, M_HANDLE_POOL_1);
		if (!no--)
			return 0;
	} else {
		no = bits_of(o, handle, M_HANDLE_POOL);
	}
	if (offset >= (uint64_t)DEPOT_POOL_PAGES << o->k->page_shift ||
	    depot_pool(&o->depot, no, &at))
		return 0;
	return at + offset;
}

/* Is FUNCTION a part of the page allocator, or of what keeps the stack? */
static bool is_allocator(const char *function)
{
	static const char *const begin[] = {
		"save_stack", "__set_page_owner", "set_page_owner", "register_", "post_alloc_hook",
		"prep_new_page", "get_page_from_freelist", "__alloc_pages", "alloc_pages",
		"__alloc_frozen_pages", "alloc_frozen_pages", "__folio_alloc", "folio_alloc",
		"__get_free_page", "get_free_page", "get_zeroed_page", "stack_depot_save",
	};

	for (size_t i = 0; i < ARRAY_LEN(begin); i++)
		if (!strncmp(function, begin[i], strlen(begin[i])))
			return true;
	return false;
}

unsigned origin_frames(const struct origins *o, uint32_t handle, uint64_t *addr, unsigned max)
{
	uint64_t at = record_of(o, handle), n, entries, word = o->k->dump->word_size;

	if (!at || kmember_u64(o->k, o->r, at, M_STACK_SIZE, &n) || !n || n > STACK_MAX || n > max)
		return 0;
	entries = at + layout_offset(&o->k->layout, M_STACK_ENTRIES);
	for (uint64_t i = 0; i < n; i++)
		if (read_kva_word(o->r, entries + i * word, &addr[i]))
			return 0;
	return (unsigned)n;
}

const char *origin_stack(const struct origins *o, uint32_t handle, struct arena *mem)
{
	uint64_t addr[STACK_MAX];
	unsigned n = origin_frames(o, handle, addr, STACK_MAX);
	char text[TEXT_MAX];
	size_t len = 0;

	for (unsigned i = 0; i < n; i++) {
		struct ksym sym = ksyms_at(o->ks, addr[i]);

		if (!len && i + 1 < n && sym.name && is_allocator(sym.name))
			continue;
		if (len + SYMBOL_NAME_MAX + 100 > sizeof(text))
			break;
		len += (size_t)snprintf(text + len, sizeof(text) - len, len ? " < " : "");
		if (!sym.name)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%#" PRIx64,
						addr[i]);
		else
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						sym.module ? "%s [%s]" : "%s", sym.name,
						sym.module);
	}
	return n ? arena_strdup(mem, text) : NULL;
}

/* ---- what this kernel keeps ------------------------------------------------------------- */

static void find_compressed(struct origins *o)
{
	const struct layout *l = &o->k->layout;
	uint64_t on = 0, shift, mask, at = layout_symbol(l, Y_KERNEL_TAGS);
	/* static_key.enabled is the first member: an int */
	if (!get_var(o->k, o->r, Y_TAGS_COMPRESSED, 4, &on) || !on || !at ||
	    !has(o->k, S_ALLOC_TAG) || !get_var(o->k, o->r, Y_TAG_REF_SHIFT, 4, &shift) ||
	    !get_var(o->k, o->r, Y_TAG_REF_MASK, 0, &mask))
		return;
	if (shift > 63 || kmember_u64(o->k, o->r, at, M_KERNEL_TAGS_FIRST, &o->kernel_tags) ||
	    kmember_u64(o->k, o->r, at, M_KERNEL_TAGS_COUNT, &o->nkernel_tags)) {
		issue_add(o->k->issues, ST_CORRUPT, "page_ext", 1, "the numbers of tags");
		return;
	}
	o->compressed = o->tags = true;
	o->shift = (unsigned)shift;
	o->mask = mask;
	if (has(o->k, Y_MODULE_TAGS) && kmember_u64(o->k, o->r, layout_symbol(l, Y_MODULE_TAGS),
						    M_MODULE_TAGS_FIRST, &o->module_tags)) {
		o->module_tags = 0;
		o->unread++;
	}
}

/* need_page_alloc_tagging(): page_ext has the tags if they are wanted and not in page->flags. */
static void find_tags(struct origins *o)
{
	uint64_t wanted = 1;

	find_compressed(o);
	if (o->compressed)
		return;
	if (has(o->k, Y_TAGS_WANTED) && !get_var(o->k, o->r, Y_TAGS_WANTED, 1, &wanted))
		wanted = 0;
	o->tags = wanted && user_offset(o, Y_ALLOC_TAG_OPS, &o->tag_at);
}

static bool find_stacks(struct origins *o)
{
	const struct kernel *k = o->k;

	return !depot_find(&o->depot, k, o->r) && o->depot.array && has(k, M_HANDLE_OFFSET) &&
	       (has(k, M_HANDLE_POOL_1) || has(k, M_HANDLE_POOL)) && has(k, M_STACK_SIZE) &&
	       has(k, M_STACK_ENTRIES) && has(k, M_OWNER_HANDLE) && has(k, M_PAGE_EXT_FLAGS);
}

bool origins_init(struct origins *o, const struct kernel *k, struct reader *r, struct ksyms *ks)
{
	*o = (struct origins){ .k = k, .r = r, .ks = ks, .section = UINT64_MAX };
	o->size = ext_bytes(k, r);
	if (has(k, M_CODETAG_FILE) && has(k, M_CODETAG_LINE))
		find_tags(o);
	/* behind the flags of page_ext; 0: page_owner was not switched on */
	o->stacks = user_offset(o, Y_PAGE_OWNER_OPS, &o->owner_at) && o->owner_at && find_stacks(o);
	return o->tags || o->stacks;
}
