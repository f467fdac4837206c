/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page cache of one reader: slots found through a hash of the page frame
 * number, replaced by the clock algorithm, pinned while borrowed. Two
 * direct-mapped translation buffers save walks of the kernel's page tables, one
 * for regions mapped in a piece (the direct map, vmemmap) and one for pages.
 */
#include "dumpread/reader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/dump.h"

#ifdef CACHE_BYTES		/* "make fuzz" has it small: each input makes some readers */
#define CACHE_BYTES_WIDE CACHE_BYTES
#else
#define CACHE_BYTES (2u << 20)
#define CACHE_BYTES_WIDE (32u << 20)
#endif
#define MEMORY_PER_CACHE 8192u	/* bytes of the machine for a byte of a wide reader's cache */
#define CACHE_PAGES_MIN 64	/* more than READER_PINS, even with 64K pages */
#define LONG_READ 16u		/* pages; what is longer leaves the cache to others */
#define NO_SLOT UINT32_MAX

#define REGION_SHIFT 21
#define TLB_REGIONS 64
#define TLB_PAGES 256

struct slot {
	uint64_t pfn;
	uint32_t next;		/* in its bucket */
	uint16_t pins;
	bool used;		/* holds a page and is in a bucket */
	bool recent;		/* read since the clock hand passed */
};

struct tlb_entry {
	uint64_t kva;		/* first byte; 1 (never aligned): empty */
	uint64_t pa;
};

struct reader {
	struct dump *dump;
	void *ctx;		/* of dump->pages */
	unsigned page_shift;

	uint8_t *pages;
	struct slot *slots;
	uint32_t nslots, hand;
	uint32_t *buckets;
	unsigned bucket_shift;	/* 64 - log2 of their number */
	uint32_t last;		/* slot of the last page: reads come in bursts */
	unsigned pins;

	const struct kv_ops *kv;	/* that the buffers were filled from */
	struct tlb_entry regions[TLB_REGIONS], tlb_pages[TLB_PAGES];
	struct reader_path path;

	struct arena mem;
};

static void tlb_clear(struct reader *r)
{
	for (unsigned i = 0; i < TLB_REGIONS; i++)
		r->regions[i].kva = 1;
	for (unsigned i = 0; i < TLB_PAGES; i++)
		r->tlb_pages[i].kva = 1;
	r->path.of = NULL;
	r->kv = r->dump->kv;
}

static struct reader *new_reader(struct dump *d, uint32_t nslots)
{
	struct reader *r = heap_array(struct reader, 1);
	uint32_t nbuckets = 1;

	r->dump = d;
	r->page_shift = d->page_shift;
	r->nslots = nslots < CACHE_PAGES_MIN ? CACHE_PAGES_MIN : nslots;
	r->bucket_shift = 64;
	while (nbuckets < r->nslots * 2) {
		nbuckets *= 2;
		r->bucket_shift--;
	}
	r->pages = heap_large((size_t)r->nslots << d->page_shift);
	r->slots = arena_array(&r->mem, struct slot, r->nslots);
	r->buckets = arena_array(&r->mem, uint32_t, nbuckets);
	memset(r->buckets, 0xff, nbuckets * sizeof(*r->buckets));
	if (d->pages->ctx_new)
		r->ctx = d->pages->ctx_new(d->pages_self);
	tlb_clear(r);
	return r;
}

struct reader *reader_new(struct dump *d)
{
	return new_reader(d, CACHE_BYTES >> d->page_shift);
}

struct reader *reader_new_wide(struct dump *d)
{
	uint64_t bytes = max_u64(CACHE_BYTES, (d->max_pfn << d->page_shift) / MEMORY_PER_CACHE);

	return new_reader(d, (uint32_t)(min_u64(bytes, CACHE_BYTES_WIDE) >> d->page_shift));
}

struct reader *reader_new_forward(struct dump *d)
{
	return new_reader(d, CACHE_PAGES_MIN);
}

void reader_free(struct reader *r)
{
	struct dump *d;

	if (!r)
		return;
	d = r->dump;
	if (d->pages->ctx_free)
		d->pages->ctx_free(d->pages_self, r->ctx);
	arena_release(&r->mem);
	free(r->pages);
	free(r);
}

struct dump *reader_dump(const struct reader *r)
{
	return r->dump;
}

/* ---- pages ------------------------------------------------------------ */

static uint32_t *bucket_of(const struct reader *r, uint64_t pfn)
{
	return &r->buckets[pfn * 0x9e3779b97f4a7c15u >> r->bucket_shift];
}

static uint8_t *slot_data(const struct reader *r, uint32_t i)
{
	return r->pages + ((size_t)i << r->page_shift);
}

static uint32_t find_slot(const struct reader *r, uint64_t pfn)
{
	uint32_t i = *bucket_of(r, pfn);

	while (i != NO_SLOT && r->slots[i].pfn != pfn)
		i = r->slots[i].next;
	return i;
}

static void drop_slot(struct reader *r, uint32_t i)
{
	uint32_t *link = bucket_of(r, r->slots[i].pfn);

	while (*link != i)
		link = &r->slots[*link].next;
	*link = r->slots[i].next;
	r->slots[i].used = false;
}

/* A slot to read into; there is one, as pins are fewer than slots. */
static uint32_t take_slot(struct reader *r)
{
	for (;;) {
		uint32_t i = r->hand;
		struct slot *s = &r->slots[i];

		r->hand = i + 1 == r->nslots ? 0 : i + 1;
		if (s->pins)
			continue;
		if (s->used && s->recent) {
			s->recent = false;
			continue;
		}
		if (s->used)
			drop_slot(r, i);
		return i;
	}
}

static enum status read_page(struct reader *r, uint64_t pfn, uint8_t *out)
{
	struct dump *d = r->dump;
	enum status st;

	__atomic_fetch_add(&d->pages_read, 1, __ATOMIC_RELAXED);
	st = d->pages->read(d->pages_self, r->ctx, pfn, out);
	/* the dump has the page: that it could not be read is told here, whatever a walk makes of it */
	if (st == ST_IO && !d->live)
		issue_add(&d->issues, st, "page", 1, "the file could not be read there");
	return st;
}

static enum status fill_slot(struct reader *r, uint64_t pfn, uint32_t *ret)
{
	uint32_t i, *bucket;
	enum status st;

	if (!reader_present(r, pfn))
		return ST_NODATA;
	i = take_slot(r);
	st = read_page(r, pfn, slot_data(r, i));
	if (st)
		return st;
	bucket = bucket_of(r, pfn);
	r->slots[i] = (struct slot){ .pfn = pfn, .next = *bucket, .used = true };
	*bucket = i;
	*ret = i;
	return ST_OK;
}

/* The page's slot, valid until the next call. */
static enum status get_slot(struct reader *r, uint64_t pfn, uint32_t *ret)
{
	uint32_t i = r->last;
	enum status st;

	if (r->slots[i].pfn != pfn || !r->slots[i].used) {
		i = find_slot(r, pfn);
		if (i == NO_SLOT) {
			st = fill_slot(r, pfn, &i);
			if (st)
				return st;
		}
		r->last = i;
	}
	r->slots[i].recent = true;
	*ret = i;
	return ST_OK;
}

enum status reader_page(struct reader *r, uint64_t pfn, struct page_ref *ret)
{
	enum status st;
	uint32_t i;

	ret->data = NULL;
	if (r->pins >= READER_PINS)
		return ST_LIMIT;
	st = get_slot(r, pfn, &i);
	if (st)
		return st;
	r->slots[i].pins++;
	r->pins++;
	ret->data = slot_data(r, i);
	ret->slot = i;
	return ST_OK;
}

void reader_release(struct reader *r, struct page_ref *p)
{
	if (!p->data)
		return;
	assert(p->slot < r->nslots && r->slots[p->slot].pins && r->pins);
	r->slots[p->slot].pins--;
	r->pins--;
	p->data = NULL;
}

void reader_renew(struct reader *r)
{
	if (!r->dump->live)
		return;
	for (uint32_t i = 0; i < r->nslots; i++)
		if (r->slots[i].used && !r->slots[i].pins)
			drop_slot(r, i);
	tlb_clear(r);
}

bool reader_present(const struct reader *r, uint64_t pfn)
{
	return r->dump->pages->present(r->dump->pages_self, pfn);
}

uint64_t reader_next(const struct reader *r, uint64_t pfn, uint64_t end)
{
	const struct pages_ops *ops = r->dump->pages;

	for (; pfn < end; pfn++) {
		if (ops->next)
			pfn = ops->next(r->dump->pages_self, pfn);
		if (pfn < end && ops->present(r->dump->pages_self, pfn))
			return pfn;
	}
	return end;
}

bool reader_step(const struct reader *r, uint64_t *pa, uint64_t step)
{
	uint64_t max = r->dump->max_pfn, pfn, next;

	while ((pfn = *pa >> r->page_shift) < max) {
		next = reader_next(r, pfn, max);
		if (next == pfn)
			return true;
		*pa += ((next << r->page_shift) - *pa + step - 1) / step * step;
	}
	return false;
}

/* The bytes at PA, and how many of them *n are in the same page. */
static enum status lend_pa(struct reader *r, uint64_t pa, const uint8_t **ret, size_t *n)
{
	size_t off = pa & (((uint64_t)1 << r->page_shift) - 1);
	enum status st;
	uint32_t i;

	st = get_slot(r, pa >> r->page_shift, &i);
	if (st)
		return st;
	*ret = slot_data(r, i) + off;
	*n = ((size_t)1 << r->page_shift) - off;
	return ST_OK;
}

/* Where the byte AT is, and how many bytes *run follow it there. */
typedef enum status where_fn(struct reader *r, uint64_t at, uint64_t *pa, uint64_t *run);

/* LEN bytes from AT on, piece by piece. Of a long read whole pages go past the cache. */
static enum status copy(struct reader *r, uint64_t at, void *buf, size_t len, where_fn *where)
{
	size_t page = (size_t)1 << r->page_shift;
	bool is_long = len >= LONG_READ * page;
	uint8_t *out = buf;

	while (len) {
		const uint8_t *data;
		uint64_t pa, run;
		size_t n = 0;
		enum status st = where(r, at, &pa, &run);

		if (st)
			return st;
		if (is_long && len >= page && run >= page && !(pa & (page - 1)) &&
		    reader_present(r, pa >> r->page_shift) &&
		    find_slot(r, pa >> r->page_shift) == NO_SLOT) {
			n = page;
			st = read_page(r, pa >> r->page_shift, out);
		} else {
			st = lend_pa(r, pa, &data, &n);
			n = min_u64(min_u64(n, run), len);
			if (!st)
				memcpy(out, data, n);
		}
		if (st)
			return st;
		out += n;
		len -= n;
		if (len && at > UINT64_MAX - n)
			return ST_FAULT;
		at += n;
	}
	return ST_OK;
}

static enum status where_pa(struct reader *r, uint64_t at, uint64_t *pa, uint64_t *run)
{
	(void)r;
	*pa = at;
	*run = UINT64_MAX;
	return ST_OK;
}

enum status read_pa(struct reader *r, uint64_t pa, void *buf, size_t len)
{
	return copy(r, pa, buf, len, where_pa);
}

/* ---- kernel-virtual --------------------------------------------------- */

struct reader_path *reader_path(struct reader *r)
{
	return &r->path;
}

static enum status ask_tables(struct reader *r, uint64_t kva, uint64_t *pa, uint64_t *run)
{
	const struct dump *d = r->dump;
	enum status st = d->kv->kvtop(d, r, kva, pa, run);

	if (st == ST_OK && !*run)
		*run = 1;
	return st;
}

/* Translate the page of KVA, and its whole region if that is one piece. */
static enum status tlb_fill(struct reader *r, uint64_t kva, uint64_t *pa, uint64_t *run)
{
	uint64_t page = (uint64_t)1 << r->page_shift, size = (uint64_t)1 << REGION_SHIFT;
	uint64_t base = kva & ~(page - 1), region = kva & ~(size - 1);
	uint64_t region_pa, region_run;
	struct tlb_entry *e;
	enum status st;

	st = ask_tables(r, base, pa, run);
	if (st)
		return st;
	if (*run <= kva - base) /* a host that answers byte by byte */
		return ask_tables(r, kva, pa, run);
	if (*run >= page) {
		e = &r->tlb_pages[(base >> r->page_shift) % TLB_PAGES];
		*e = (struct tlb_entry){ base, *pa };
	}
	/* Worth a second look only if the run goes to the end of its region. */
	if (*run >= region + size - base &&
	    ask_tables(r, region, &region_pa, &region_run) == ST_OK && region_run >= size) {
		e = &r->regions[(region >> REGION_SHIFT) % TLB_REGIONS];
		*e = (struct tlb_entry){ region, region_pa };
	}
	*pa += kva - base;
	*run -= kva - base;
	return ST_OK;
}

enum status reader_kvtop(struct reader *r, uint64_t kva, uint64_t *pa, uint64_t *run)
{
	uint64_t page = (uint64_t)1 << r->page_shift, size = (uint64_t)1 << REGION_SHIFT;
	const struct tlb_entry *e;
	uint64_t left;
	enum status st;

	if (r->kv != r->dump->kv)
		tlb_clear(r);
	if (!r->kv)
		return ST_FAULT;
	e = &r->regions[(kva >> REGION_SHIFT) % TLB_REGIONS];
	if (e->kva == (kva & ~(size - 1))) {
		left = size - (kva - e->kva);
	} else {
		e = &r->tlb_pages[(kva >> r->page_shift) % TLB_PAGES];
		left = page - (kva - e->kva);
		if (e->kva != (kva & ~(page - 1))) {
			st = tlb_fill(r, kva, pa, &left);
			if (st == ST_OK && run)
				*run = left;
			return st;
		}
	}
	*pa = e->pa + (kva - e->kva);
	if (run)
		*run = left;
	return ST_OK;
}

/* The bytes at KVA that follow each other in one page: *n of them. */
static enum status lend_kva(struct reader *r, uint64_t kva, const uint8_t **ret, size_t *n)
{
	uint64_t pa, run;
	enum status st = reader_kvtop(r, kva, &pa, &run);

	if (st)
		return st;
	st = lend_pa(r, pa, ret, n);
	*n = min_u64(*n, run);
	return st;
}

enum status read_kva(struct reader *r, uint64_t kva, void *buf, size_t len)
{
	return copy(r, kva, buf, len, reader_kvtop);
}

enum status read_kva_uint(struct reader *r, uint64_t kva, unsigned size, uint64_t *ret)
{
	const uint8_t *data;
	uint8_t buf[8];
	size_t n = 0;
	enum status st;

	if (size > sizeof(buf))
		return ST_LIMIT;
	st = lend_kva(r, kva, &data, &n);
	if (st == ST_OK && n < size) {
		st = read_kva(r, kva, buf, size);
		data = buf;
	}
	if (st)
		return st;
	*ret = load_uint(data, size, r->dump->big_endian);
	return ST_OK;
}

enum status read_kva_word(struct reader *r, uint64_t kva, uint64_t *ret)
{
	return read_kva_uint(r, kva, r->dump->word_size, ret);
}

enum status read_kva_str(struct reader *r, uint64_t kva, char *buf, size_t size)
{
	size_t done = 0;

	if (!size)
		return ST_LIMIT;
	buf[0] = '\0';
	while (done < size - 1) {
		const uint8_t *data, *nul;
		size_t n = 0;
		enum status st = lend_kva(r, kva + done, &data, &n);

		if (st)
			return done ? ST_OK : st;
		n = min_u64(n, size - 1 - done);
		nul = memchr(data, 0, n);
		if (nul)
			n = (size_t)(nul - data);
		memcpy(buf + done, data, n);
		done += n;
		buf[done] = '\0';
		if (nul || kva + done < kva)
			break;
	}
	return ST_OK;
}
