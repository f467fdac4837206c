/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xfs_buffers.c - metadata that xfs keeps outside the page cache (fs/xfs/xfs_buf.c; types of 6.1, 6.12, 7.3).
 * A buffer has pages, a folio, or memory of kmalloc() or vmalloc(). All that are cached are in hash tables
 * (lib/rhashtable.c): one for each device, or until 6.19 or near for each allocation group.
 */
#include <inttypes.h>

#include "facts/layout/file.h"
#include "facts/layout/module.h"
#include "model/kernel/walk/list.h"
#include "model/kernel/walk/xarray.h"
#include "model/memory/owners/holding.h"

#define MAGIC_XFS 0x58465342u	 /* include/uapi/linux/magic.h */
#define FROM_KMALLOC (1u << 21)	 /* _XBF_KMEM of b_flags */
#define BLOCK_SHIFT 9		 /* of b_length */
#define SBS_MAX (1u << 20)
#define GROUPS_MAX UINT32_MAX
#define TABLES_MAX 8u		 /* of one hash, while it grows */
#define DEVICES 3u		 /* of a file system: data, log, realtime */
#define BUCKETS 64u		 /* that are read at once */
#define NAME_BYTES 32		 /* s_id */

struct mounted {
	struct holding *h;
	struct held *o;
	uint64_t mount;
	uint64_t buffers;	/* found in this hash */
};

/* ---- one buffer ---------------------------------------------------------------------------- */

static bool is_in_slab(const struct holding *h, uint64_t kva)
{
	uint64_t pa;

	return !reader_kvtop(h->r, kva, &pa, NULL) &&
	       page_class_at(h->c, pa >> h->k->page_shift) == CLASS_SLAB;
}

static void take_memory(struct mounted *m, uint64_t buffer)
{
	uint64_t addr = held_member(m->h, m->o, buffer, M_XFSBUF_ADDR);
	uint64_t flags = held_member(m->h, m->o, buffer, M_XFSBUF_FLAGS), n;

	if (has(m->h->k, M_XFSBUF_PAGES) && !(flags & FROM_KMALLOC)) {
		held_page_array(m->h, m->o, held_member(m->h, m->o, buffer, M_XFSBUF_PAGES),
				held_member(m->h, m->o, buffer, M_XFSBUF_NR_PAGES), CLASS_FS);
		return;
	}
	if (!addr)
		return;
	if (holding_area(m->h, addr) || is_in_slab(m->h, addr)) {
		held_memory(m->h, m->o, addr);
		return;
	}
	n = held_member(m->h, m->o, buffer, M_XFSBUF_LENGTH) << BLOCK_SHIFT >> m->h->k->page_shift;
	held_linear(m->h, m->o, addr, max_u64(n, 1), CLASS_FS);
}

static bool take_buffer(struct mounted *m, uint64_t buffer)
{
	if (held_member(m->h, m->o, buffer, M_XFSBUF_MOUNT) != m->mount) {
		m->o->incomplete = true;
		return false;
	}
	held_memory(m->h, m->o, buffer);
	take_memory(m, buffer);
	m->buffers++;
	return true;
}

/* ---- hash tables --------------------------------------------------------------------------- */

/* A chain ends with an odd number (NULLS_MARKER()). */
static void take_chain(struct mounted *m, uint64_t node)
{
	while (node && !(node & 1) && holding_budget(m->h, m->o, 1)) {
		if (!take_buffer(m, node - layout_offset(&m->h->k->layout, M_XFSBUF_HASH)))
			return;
		if (read_kva_word(m->h->r, node, &node)) {
			m->o->incomplete = true;
			return;
		}
	}
}

/* Bit 0 of a bucket is its lock (8f0db018006a, v5.2). */
static void take_buckets(struct mounted *m, uint64_t at, uint64_t n)
{
	const struct dump *d = m->h->k->dump;
	uint8_t raw[BUCKETS * 8];

	for (uint64_t i = 0, some; i < n && holding_budget(m->h, m->o, 1); i += some) {
		some = min_u64(BUCKETS, n - i);
		if (read_kva(m->h->r, at + i * d->word_size, raw, (size_t)some * d->word_size)) {
			m->o->incomplete = true;
			return;
		}
		for (uint64_t j = 0; j < some; j++)
			take_chain(m,
				   load_uint(raw + j * d->word_size, d->word_size, d->big_endian) &
					   ~UINT64_C(1));
	}
}

/* Its buffers must be as many as it counts. A table of tables (nest) is made only where memory was short. */
static void take_hash(struct mounted *m, uint64_t hash)
{
	struct holding *h = m->h;
	uint64_t table = held_member(h, m->o, hash, M_RHASH_TABLE);

	m->buffers = 0;
	for (unsigned i = 0; table && i < TABLES_MAX; i++) {
		uint64_t n = held_member(h, m->o, table, M_RHASH_SIZE);

		held_memory(h, m->o, table);
		if (held_member(h, m->o, table, M_RHASH_NEST) || n > h->k->memmap.max_pfn)
			m->o->incomplete = true;
		else
			take_buckets(m, table + layout_offset(&h->k->layout, M_RHASH_BUCKETS), n);
		table = held_member(h, m->o, table, M_RHASH_FUTURE);
	}
	m->o->incomplete |= m->buffers != held_member(h, m->o, hash, M_RHASH_COUNT);
}

/* ---- file systems -------------------------------------------------------------------------- */

static bool take_group(void *arg, const struct xa_entry *e)
{
	struct mounted *m = arg;
	const struct layout *l = &m->h->k->layout;

	if (e->is_value)
		m->o->incomplete = true;
	else
		take_hash(m,
			  e->value -
				  (has(m->h->k, M_XFS_GROUP) ? layout_offset(l, M_XFS_GROUP) : 0) +
				  layout_offset(l, M_XFS_GROUP_HASH));
	return true;
}

static void take_mount(struct holding *h, uint64_t sb, uint64_t mount)
{
	static const enum layout_id device[DEVICES] = { M_XFS_DATA, M_XFS_LOG, M_XFS_REALTIME };
	const struct layout *l = &h->k->layout;
	struct mounted m = { .h = h, .mount = mount };
	uint64_t done[DEVICES] = { 0 };
	char name[NAME_BYTES] = "";
	bool fresh;

	m.o = held_get(h, OWNER_XFS, mount, &fresh);
	if (!fresh)
		return;
	m.o->kernel = true;
	if (!has(h->k, M_SB_NAME) ||
	    read_kva_str(h->r, sb + layout_offset(l, M_SB_NAME), name, sizeof(name)))
		m.o->what = "of xfs";
	else
		m.o->what = arena_printf(h->mem, "of xfs on %s", name);
	if (held_member(h, m.o, mount, M_XFS_SUPER) != sb) {
		m.o->incomplete = true;
		return;
	}
	if (!has(h->k, M_XFS_DEVICE_HASH)) {
		m.o->incomplete |= xarray_walk(h->k, h->r, mount + layout_offset(l, M_XFS_GROUPS),
					       0, GROUPS_MAX, take_group, &m) != ST_OK;
		return;
	}
	for (unsigned i = 0; i < DEVICES; i++) {
		done[i] = held_member(h, m.o, mount, device[i]);
		if (done[i] && (!i || done[i] != done[0]) && (i < 2 || done[i] != done[1]))
			take_hash(&m, done[i] + layout_offset(l, M_XFS_DEVICE_HASH));
	}
}

/* Are the members of the types there that the walk needs? */
static bool is_known(const struct kernel *k)
{
	return has(k, Y_SUPER_BLOCKS) && has(k, M_SB_LIST) && has(k, M_SB_MAGIC) &&
	       has(k, M_SB_FS_INFO) && has(k, M_XFS_SUPER) && has(k, M_XFSBUF_HASH) &&
	       has(k, M_XFSBUF_MOUNT) && has(k, M_XFSBUF_ADDR) && has(k, M_XFSBUF_FLAGS) &&
	       has(k, M_XFSBUF_LENGTH) && has(k, M_RHASH_TABLE) && has(k, M_RHASH_SIZE) &&
	       has(k, M_RHASH_NEST) && has(k, M_RHASH_COUNT) && has(k, M_RHASH_FUTURE) &&
	       has(k, M_RHASH_BUCKETS) &&
	       (has(k, M_XFS_DEVICE_HASH) || (has(k, M_XFS_GROUPS) && has(k, M_XFS_GROUP_HASH)));
}

void xfs_buffers_walk(struct holding *h)
{
	const struct kernel *k = h->k;
	uint64_t magic, mount;
	struct listwalk w;

	if (!is_known(k))
		return;
	w = listwalk_start(k, h->r, layout_symbol(&k->layout, Y_SUPER_BLOCKS), SBS_MAX);
	while (listwalk_next(&w)) {
		uint64_t sb = w.node - layout_offset(&k->layout, M_SB_LIST);

		if (kmember_u64(k, h->r, sb, M_SB_MAGIC, &magic) || magic != MAGIC_XFS)
			continue;
		if (!kmember_u64(k, h->r, sb, M_SB_FS_INFO, &mount) && mount)
			take_mount(h, sb, mount);
	}
	if (w.st)
		issue_add(k->issues, w.st, "owner", 1, "list of super blocks");
}
