/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf.c - adds BTF as a source of types: from a file, or from the dump.
 */
#include "dumpread/types/btf_check.h"

#include <inttypes.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/heap.h"
#include "dumpread/symbols/kimage.h"
#include "dumpread/types/btf_index.h"
#include "dumpread/types/sources.h"

static const char kernels_own[] = "btf";	/* the name of the dump's own, known by its address */

static struct btf_base extent_of(const struct btf *btf)
{
	uint32_t len;
	const struct btf_header *h = btf__raw_data(btf, &len);

	return (struct btf_base){ btf__type_cnt(btf) - 1, h ? h->str_len : 0 };
}

/*
 * BASE, and the LEN bytes at DATA that were split from it and are checked, as one: ids and offsets
 * go on where those of the base end, so types and strings have only to follow each other. (libbpf
 * 1.1 declares btf__new_split(), and does not export it.) NULL: no memory, or refused.
 */
static struct btf *join(const struct btf *base, const uint8_t *data, uint32_t len)
{
	uint32_t base_len, types, strs;
	const struct btf_header *a = btf__raw_data(base, &base_len), *b = (const void *)data;
	const uint8_t *a_body = (const uint8_t *)a + (a ? a->hdr_len : 0), *b_body;
	struct btf_header *h;
	struct btf *btf;
	uint8_t *to;

	if (!a || len < sizeof(*b) || (uint64_t)base_len + len > BTF_MAX_BYTES)
		return NULL;
	b_body = data + b->hdr_len;
	types = a->type_len + b->type_len;
	strs = a->str_len + b->str_len;
	h = malloc(sizeof(*h) + types + strs);
	if (!h)
		return NULL;
	*h = *a;
	h->hdr_len = sizeof(*h);
	h->type_off = 0;
	h->type_len = h->str_off = types;
	h->str_len = strs;
	to = (uint8_t *)(h + 1);
	memcpy(to, a_body + a->type_off, a->type_len);
	memcpy(to + a->type_len, b_body + b->type_off, b->type_len);
	memcpy(to + types, a_body + a->str_off, a->str_len);
	memcpy(to + types + a->str_len, b_body + b->str_off, b->str_len);
	btf = btf__new(h, (uint32_t)sizeof(*h) + types + strs); /* takes a copy */
	free(h);
	return btf;
}

/* BASE: what DATA is split from; NULL: it stands alone. HOLES: of it; NULL: none. */
static enum status add_btf(struct dump *d, uint8_t *data, size_t len, const struct btf_index *base,
			   const struct holes *holes, const char *name)
{
	struct btf_base of = { 0 };
	bool big = d->big_endian;
	struct btf_index *x;
	struct btf *btf;
	enum status st;

	btf_sniff(data, len, &big);
	if (d->word_size && big != d->big_endian) {
		free(data);
		return fail(&d->diag, ST_CORRUPT, "BTF of a %s-endian kernel, the dump is not",
			    big ? "big" : "little");
	}
	if (base)
		of = extent_of(base->btf);
	st = btf_check(data, &len, of, holes, &d->diag);
	if (st) {
		free(data);
		return st;
	}
	btf = base ? join(base->btf, data, (uint32_t)len) : btf__new(data, (uint32_t)len);
	free(data);
	if (!btf)
		return fail(&d->diag, ST_CORRUPT, "BTF: refused by libbpf");
	log_debug(d->log, "%s: %u types", name, btf__type_cnt(btf) - 1 - of.ntypes);
	x = btf_index_new(btf, base, d->word_size, big);
	x->damaged = holes && holes->n;
	return btf_index_attach(x, d, name);
}

enum status types_add_btf(struct dump *d, uint8_t *data, size_t len, const char *name)
{
	return add_btf(d, data, len, NULL, NULL, name);
}

/* The kernel's own, of which pages may be missing. */
static enum status add_own(struct dump *d, uint8_t *data, size_t len, const struct holes *holes)
{
	enum status st;

	if (holes_in(holes, 0, sizeof(struct btf_header)))
		btf_mend_header(data, len, d->big_endian);
	st = add_btf(d, data, len, NULL, holes, kernels_own);
	if (!holes->n)
		return st;
	snprintf(d->types_lost, sizeof(d->types_lost), "%u of %u pages of BTF cannot be read",
		 holes->lost, holes->pages);
	if (!st)
		issue_add(&d->issues, holes->st, "types", holes->lost, "%s", d->types_lost);
	return st;
}

static enum status add_range(struct dump *d, struct reader *r, uint64_t start, uint64_t size,
			     const struct btf_index *base, const char *name)
{
	struct holes holes;
	uint8_t *data;

	if (!size || size > BTF_MAX_BYTES || size > d->max_pfn << d->page_shift)
		return fail(&d->diag, ST_CORRUPT, "BTF of %" PRIu64 " bytes", size);
	data = heap_try_large(size);
	if (!data)
		return fail(&d->diag, ST_LIMIT, "no memory for BTF of %" PRIu64 " bytes", size);
	holes_read(r, start, data, size, &holes);
	if (!base && holes.lost < holes.pages)
		return add_own(d, data, size, &holes);
	if (holes.n) {
		free(data);
		return fail(&d->diag, holes.st, "BTF at %#" PRIx64 " cannot be read (%s)", start,
			    status_name(holes.st));
	}
	return add_btf(d, data, size, base, NULL, name);
}

struct search {
	struct dump *d;
	const struct kimage *ki;
	enum status st;
	unsigned hits;
};

#define MAX_HITS 16u		/* headers that turn out not to be BTF */

static void try_header(struct search *s, uint64_t addr, size_t size)
{
	uint8_t *data = malloc(size);
	struct holes holes;

	if (!data)
		return;
	kimage_read(s->ki, addr, data, size);
	holes_of_zeros(data, addr, size, dump_page_size(s->d), &holes);
	s->st = add_own(s->d, data, size, &holes);
	s->hits++;
}

/* A 4-byte aligned header whose sections make sense (.BTF of vmlinux.lds.h). */
static bool look_at(void *arg, uint64_t addr, const uint8_t *buf, size_t len)
{
	static const struct kimage_word magic = { .mask = BTF_HEAD,
						  .either = BTF_LITTLE,
						  .or = BTF_BIG };
	struct search *s = arg;
	size_t end = min_u64(len & ~(size_t)3, KIMAGE_STEP), off = 0;

	for (; s->st && s->hits < MAX_HITS; off += 4) {
		size_t size;

		off = kimage_next(buf, off, end, &magic);
		if (off == end)
			break;
		size = btf_extent(buf + off, len - off);
		if (size && size <= s->ki->end - (addr + off))
			try_header(s, addr + off, size);
	}
	return !s->st || s->hits == MAX_HITS;
}

static enum status search_image(struct dump *d, struct reader *r)
{
	struct kimage ki;
	struct search s = { .d = d, .ki = &ki, .st = ST_ABSENT };

	kimage_init(&ki, r);
	kimage_scan(&ki, look_at, &s);
	return s.hits ? s.st : fail(&d->diag, ST_ABSENT, "no BTF in the dump");
}

enum status types_add_btf_dump(struct dump *d)
{
	struct reader *r = reader_new(d);
	uint64_t start, stop;
	enum status st;

	if (symbols_find(&d->symbols, "__start_BTF", &start, NULL) &&
	    symbols_find(&d->symbols, "__stop_BTF", &stop, NULL))
		st = add_range(d, r, start, stop - start, NULL, kernels_own);
	else
		st = search_image(d, r);
	reader_free(r);
	return st;
}

/* The dump's own BTF; NULL: it is not among the sources. */
static const struct btf_index *index_of_own(const struct dump *d)
{
	for (unsigned i = 0; i < d->types.n; i++)
		if (d->types.v[i].name == kernels_own)
			return d->types.v[i].self;
	return NULL;
}

/* Where the types come from elsewhere (DWARF, crash), the dump's own BTF is added as the last. */
enum status types_add_btf_module(struct dump *d, struct reader *r, uint64_t kva, uint64_t len,
				 const char *name)
{
	enum status st = index_of_own(d) ? ST_OK : types_add_btf_dump(d);

	return st ? st : add_range(d, r, kva, len, index_of_own(d), name);
}
