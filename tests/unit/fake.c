/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fake.c - a dump made from pages, symbols and types of a test.
 */
#include "tests/unit/fake.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"
#include "model/kernel/source.h"

static bool fake_present(void *self, uint64_t pfn)
{
	struct fake *f = self;

	return pfn < FAKE_PAGES && f->page[pfn];
}

static enum status fake_read(void *self, void *ctx, uint64_t pfn, uint8_t *out)
{
	struct fake *f = self;

	(void)ctx;
	if (!fake_present(self, pfn))
		return ST_NODATA;
	memcpy(out, f->page[pfn], dump_page_size(&f->dump));
	return ST_OK;
}

static const struct pages_ops fake_pages = { .present = fake_present, .read = fake_read };

static uint64_t base(const struct dump *d)
{
	return d->word_size == 8 ? FAKE_BASE : FAKE_BASE32;
}

static enum status fake_kvtop(const struct dump *d, struct reader *r, uint64_t kva,
			      uint64_t *pa, uint64_t *run)
{
	uint64_t end = (uint64_t)FAKE_PAGES << d->page_shift;

	(void)r;
	if (kva < base(d) || kva - base(d) >= end)
		return ST_FAULT;
	*pa = kva - base(d);
	if (run)
		*run = end - *pa;
	return ST_OK;
}

static const struct kv_ops fake_kv = { .kvtop = fake_kvtop };

static bool fake_is_kernel_addr(const struct dump *d, uint64_t addr)
{
	return addr >= base(d);
}

struct fake *fake_new(unsigned word, bool big)
{
	struct fake *f = calloc(1, sizeof(*f));

	if (!f)
		abort();
	f->dump.pages = &fake_pages;
	f->dump.pages_self = f;
	f->dump.kv = &fake_kv;
	f->dump.word_size = (uint8_t)word;
	f->dump.big_endian = big;
	f->dump.page_shift = 12;
	f->dump.max_pfn = FAKE_PAGES;
	f->dump.vmcoreinfo = "";
	f->dump.elf_machine = word == 8 ? EM_X86_64 : EM_PPC;
	issues_init(&f->dump.issues);
	f->arch = (struct arch){ .name = "fake", .word_size = (uint8_t)word,
				 .is_kernel_addr = fake_is_kernel_addr };
	f->kernel = (struct kernel){ .source = &source_dump, .dump = &f->dump, .arch = &f->arch, .jobs = 1, .page_shift = 12,
				     .issues = &f->dump.issues };
	for (int i = 0; i < LAYOUT_COUNT; i++)
		f->kernel.layout.v[i].alt = -1;
	fake_member(f, M_LIST_NEXT, 0, word);
	fake_member(f, M_LIST_PREV, word, word);
	f->r = reader_new(&f->dump);
	return f;
}

void fake_free(struct fake *f)
{
	reader_free(f->r);
	for (unsigned i = 0; i < FAKE_PAGES; i++)
		free(f->page[i]);
	arena_release(&f->dump.mem);
	issues_release(&f->dump.issues);
	free(f);
}

uint64_t fake_kva(const struct fake *f, uint64_t pa)
{
	return base(&f->dump) + pa;
}

/* Readers cache pages: whoever changes memory needs a new one, which is small, for there are many. */
static void renew_reader(struct fake *f)
{
	reader_free(f->r);
	f->r = reader_new_forward(&f->dump);
}

void fake_put(struct fake *f, uint64_t pa, const void *data, size_t len)
{
	uint32_t size = dump_page_size(&f->dump);

	for (size_t i = 0, n; i < len; i += n) {
		uint8_t **p = &f->page[(pa + i) / size];

		n = min_u64(len - i, size - (pa + i) % size);
		if (!*p)
			*p = calloc(1, size);
		if (!*p)
			abort();
		memcpy(*p + (pa + i) % size, (const uint8_t *)data + i, n);
	}
	renew_reader(f);
}

static void note_word(struct fake *f, uint64_t pa, unsigned size)
{
	unsigned i = 0;

	while (i < f->nwords && f->word[i].pa != pa)
		i++;
	if (i == FAKE_WORDS)
		return;
	f->word[i] = (struct fake_word){ .pa = pa, .size = size };
	if (i == f->nwords)
		f->nwords++;
}

void fake_put_uint(struct fake *f, uint64_t pa, uint64_t v, unsigned size)
{
	uint8_t raw[8];

	note_word(f, pa, size);
	store_uint(raw, v, size, f->dump.big_endian);
	fake_put(f, pa, raw, size);
}

void fake_drop(struct fake *f, uint64_t pa)
{
	uint8_t **p = &f->page[pa / dump_page_size(&f->dump)];

	free(*p);
	*p = NULL;
	renew_reader(f);
}

void fake_member(struct fake *f, enum layout_id id, uint32_t offset, uint32_t size)
{
	f->kernel.layout.v[id] = (struct fact){ .from = "fake",
						.m = { .offset = offset, .size = size } };
}

void fake_members_until(struct fake *f, const struct fake_fact *facts)
{
	for (; facts->size != UINT32_MAX; facts++)
		fake_member(f, facts->id, facts->offset, facts->size);
}

void fake_array(struct fake *f, enum layout_id id, uint32_t offset, uint32_t stride,
		uint32_t count)
{
	f->kernel.layout.v[id] = (struct fact){
		.from = "fake",
		.m = { .offset = offset, .size = stride * count, .stride = stride,
		       .count = count, .is_array = true },
	};
}

void fake_size(struct fake *f, enum layout_id id, uint32_t size)
{
	f->kernel.layout.v[id] = (struct fact){ .from = "fake", .size = size };
	f->kernel.layout.extent[id] = size;
}

void fake_symbol(struct fake *f, enum layout_id id, uint64_t addr)
{
	f->kernel.layout.v[id] = (struct fact){ .from = "fake", .addr = addr };
}

void fake_enum(struct fake *f, enum layout_id id, int64_t value)
{
	f->kernel.layout.v[id] = (struct fact){ .from = "fake", .value = value };
}

uint64_t fake_issues(struct fake *f, const char *object)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < f->dump.issues.n; i++)
		if (!strcmp(f->dump.issues.v[i].object, object))
			n += f->dump.issues.v[i].count;
	return n;
}
