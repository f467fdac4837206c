/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf.c - adds BTF as a source of types: from a file, or from the dump.
 */
#include "dumpread/types/btf_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/symbols/kimage.h"
#include "dumpread/types/btf_index.h"
#include "dumpread/types/sources.h"

enum status types_add_btf(struct dump *d, uint8_t *data, size_t len, const char *name)
{
	bool big = d->big_endian;
	struct btf *btf;
	enum status st;

	btf_sniff(data, len, &big);
	if (d->word_size && big != d->big_endian) {
		free(data);
		return fail(&d->diag, ST_CORRUPT, "BTF of a %s-endian kernel, the dump is not",
			    big ? "big" : "little");
	}
	st = btf_check(data, &len, &d->diag);
	if (st) {
		free(data);
		return st;
	}
	btf = btf__new(data, (uint32_t)len); /* takes a copy */
	free(data);
	if (!btf)
		return fail(&d->diag, ST_CORRUPT, "BTF: refused by libbpf");
	log_debug(d->log, "%s: %u types", name, btf__type_cnt(btf) - 1);
	return btf_index_attach(btf_index_new(btf, d->word_size, big), d, name);
}

static enum status add_range(struct dump *d, struct reader *r, uint64_t start, uint64_t size)
{
	enum status st;
	uint8_t *data;

	if (!size || size > BTF_MAX_BYTES || size > d->max_pfn << d->page_shift)
		return fail(&d->diag, ST_CORRUPT, "BTF of %" PRIu64 " bytes", size);
	data = malloc(size);
	if (!data)
		return fail(&d->diag, ST_LIMIT, "no memory for BTF of %" PRIu64 " bytes", size);
	st = read_kva(r, start, data, size);
	if (st) {
		free(data);
		return fail(&d->diag, st, "BTF at %#" PRIx64 " cannot be read (%s)", start,
			    status_name(st));
	}
	return types_add_btf(d, data, size, "btf");
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

	if (!data)
		return;
	kimage_read(s->ki, addr, data, size);
	s->st = types_add_btf(s->d, data, size, "btf");
	s->hits++;
}

/* A 4-byte aligned header whose sections make sense (.BTF of vmlinux.lds.h). */
static bool look_at(void *arg, uint64_t addr, const uint8_t *buf, size_t len)
{
	struct search *s = arg;
	size_t end = len < KIMAGE_STEP ? len : KIMAGE_STEP;

	for (size_t off = 0; off < end && s->st && s->hits < MAX_HITS; off += 4) {
		size_t size = btf_extent(buf + off, len - off);

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
		st = add_range(d, r, start, stop - start);
	else
		st = search_image(d, r);
	reader_free(r);
	return st;
}
