/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/memory/frames/file_bytes.h"

#include "dumpread/base/bytes.h"
#include "facts/layout/swap.h"
#include "model/kernel/kernel.h"
#include "model/kernel/walk/xarray.h"
#include "model/memory/frames/frames.h"

struct lookup {
	const struct snapshot *s;
	uint64_t index, pfn;
	bool found;
};

/*
 * An entry is the head of a folio. It stands for all pages of the folio since 6b24ca4a1a8d
 * (v5.17); before, each page had an entry, which was the head.
 */
static bool see_entry(void *arg, const struct xa_entry *e)
{
	struct lookup *l = arg;
	const struct frame *f;

	if (e->is_value || !memmap_page_pfn(&l->s->k->memmap, e->value, &l->pfn))
		return false;
	f = frame_at(&l->s->frames, l->pfn);
	if (e->order)
		l->pfn += l->index - e->index;
	else if (f && f->flags & FR_HEAD)
		l->pfn += l->index & ((UINT64_C(1) << (f->flags >> FR_ORDER_SHIFT)) - 1);
	l->found = true;
	return false;
}

static bool find_page(const struct snapshot *s, struct reader *r, const struct file *f,
		      uint64_t index, uint64_t *pfn)
{
	const struct kernel *k = s->k;
	struct lookup l = { .s = s, .index = index };

	xarray_walk(k, r, f->mapping + layout_offset(&k->layout, M_MAPPING_I_PAGES), index, index,
		    see_entry, &l);
	*pfn = l.pfn;
	return l.found;
}

bool file_read_cached(const struct snapshot *s, struct reader *r, const struct file *f,
		      uint64_t off, void *buf, size_t len)
{
	uint64_t page = UINT64_C(1) << s->k->page_shift, pfn;
	uint8_t *to = buf;

	while (len) {
		uint64_t in = off & (page - 1);
		size_t n = min_u64(page - in, len);

		if (!find_page(s, r, f, off >> s->k->page_shift, &pfn) ||
		    read_pa(r, (pfn << s->k->page_shift) + in, to, n))
			return false;
		to += n;
		off += n;
		len -= n;
	}
	return true;
}
