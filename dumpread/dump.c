/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dump.c - opens a dump, and frees all that belongs to it.
 */
#include "dumpread/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/image/vmcoreinfo.h"

/* ---- pages of an image ------------------------------------------------ */

static bool image_present(void *self, uint64_t pfn)
{
	const struct image *im = self;

	return im->ops->present(im, pfn);
}

static enum status image_read(void *self, void *ctx, uint64_t pfn, uint8_t *out)
{
	const struct image *im = self;

	return im->ops->read(im, ctx, pfn, out);
}

static void *image_ctx_new(void *self)
{
	const struct image *im = self;

	return im->ops->ctx_new ? im->ops->ctx_new(im) : NULL;
}

static void image_ctx_free(void *self, void *ctx)
{
	const struct image *im = self;

	if (im->ops->ctx_free)
		im->ops->ctx_free(ctx);
}

static uint64_t image_next(void *self, uint64_t pfn)
{
	const struct image *im = self;

	return im->ops->next ? im->ops->next(im, pfn) : pfn;
}

static const struct pages_ops image_pages = {
	.present = image_present,
	.read = image_read,
	.ctx_new = image_ctx_new,
	.ctx_free = image_ctx_free,
	.next = image_next,
};

/* ---- the dump --------------------------------------------------------- */

/* "BUILD-ID=<hex>", since 0935288c6e00 (v5.15). */
static void find_build_id(struct dump *d)
{
	char hex[2 * sizeof(d->build_id) + 1];
	unsigned n = 0;

	if (!vmcoreinfo_get(d, "BUILD-ID", hex, sizeof(hex)))
		return;
	for (; n < sizeof(d->build_id) && strlen(hex) >= 2 * n + 2; n++) {
		char byte[3] = { hex[2 * n], hex[2 * n + 1] }, *end;

		d->build_id[n] = (uint8_t)strtoul(byte, &end, 16);
		if (end != byte + 2)
			break;
	}
	d->build_id_len = n;
}

/* Facts that the container did not give; SIZE(list_head): two pointers. */
static void complete_machine(struct dump *d)
{
	uint64_t bytes;

	if (!d->word_size && vmcoreinfo_size(d, "list_head", &bytes) && (bytes == 8 || bytes == 16))
		d->word_size = (uint8_t)(bytes / 2);
	if (d->image && vmcoreinfo_uint(d->vmcoreinfo, "PAGESIZE", 10, &bytes) &&
	    page_shift_of(bytes)) {
		image_set_page_shift(d->image, page_shift_of(bytes));
		d->page_shift = d->image->page_shift;
		d->max_pfn = d->image->max_pfn;
	}
}

void dump_take_vmcoreinfo(struct dump *d, const char *text, size_t len)
{
	d->vmcoreinfo = arena_strndup(&d->mem, text, len);
	vmcoreinfo_get(d, "OSRELEASE", d->release, sizeof(d->release));
	find_build_id(d);
	complete_machine(d);
}

enum status dump_open(const char *const *paths, unsigned n, const struct log *log,
		      struct diag *diag, struct dump **ret)
{
	return dump_open_indexed(paths, n, NULL, log, diag, ret);
}

enum status dump_open_indexed(const char *const *paths, unsigned n, const struct image_index *index,
			      const struct log *log, struct diag *diag, struct dump **ret)
{
	struct image *im;
	struct dump *d;
	enum status st;

	*ret = NULL;
	st = image_open_indexed(paths, n, index, log, diag, &im);
	if (st)
		return st;
	d = heap_array(struct dump, 1);
	issues_init(&d->issues);
	issues_copy(&d->issues, &im->issues); /* all are known when an image is open */
	d->causes = im->causes;
	im->counted = &d->issues;
	d->log = log;
	d->image = im;
	d->pages = &image_pages;
	d->pages_self = im;
	d->elf_machine = im->elf_machine;
	d->word_size = im->word_size;
	d->big_endian = im->big_endian;
	d->page_shift = im->page_shift;
	d->live = im->live;
	if (d->live)
		heap_small_pages();
	d->max_pfn = im->max_pfn;
	d->vmcoreinfo = im->vmcoreinfo ? im->vmcoreinfo : "";
	snprintf(d->release, sizeof(d->release), "%s", im->header.release);
	vmcoreinfo_get(d, "OSRELEASE", d->release, sizeof(d->release));
	find_build_id(d);
	complete_machine(d);
	*ret = d;
	return ST_OK;
}

void dump_causes(const struct dump *d, struct causes *ret)
{
	*ret = d->causes;
	if (d->image && d->image->ops->causes)
		d->image->ops->causes(d->image, ret);
}

void dump_close(struct dump *d)
{
	if (!d)
		return;
	symbols_close(&d->symbols);
	types_close(&d->types);
	image_close(d->image);
	issues_release(&d->issues);
	arena_release(&d->mem);
	free(d);
}

/* ---- VMCOREINFO ------------------------------------------------------- */

bool vmcoreinfo_get(const struct dump *d, const char *key, char *buf, size_t size)
{
	return vmcoreinfo_value(d->vmcoreinfo, key, buf, size);
}

/* "KIND(NAME)=value". */
static bool get_entry(const struct dump *d, const char *kind, const char *name, char *buf,
		      size_t size)
{
	char key[128];
	int n = snprintf(key, sizeof(key), "%s(%s)", kind, name);

	return n > 0 && (size_t)n < sizeof(key) && vmcoreinfo_get(d, key, buf, size);
}

static bool get_uint(const struct dump *d, const char *kind, const char *name, int base,
		     uint64_t *ret)
{
	char text[64], *end;

	if (!get_entry(d, kind, name, text, sizeof(text)))
		return false;
	*ret = strtoull(text, &end, base);
	return end != text;
}

bool vmcoreinfo_symbol(const struct dump *d, const char *name, uint64_t *ret)
{
	return get_uint(d, "SYMBOL", name, 16, ret);
}

/* Decimal, signed or unsigned, except arm64's, which begin with 0x. */
bool vmcoreinfo_number(const struct dump *d, const char *name, int64_t *ret)
{
	char text[64];
	uint64_t v;

	if (!get_entry(d, "NUMBER", name, text, sizeof(text)) ||
	    !get_uint(d, "NUMBER", name, strncmp(text, "0x", 2) ? 10 : 16, &v))
		return false;
	*ret = (int64_t)v; /* strtoull() negates what begins with '-' */
	return true;
}

bool vmcoreinfo_offset(const struct dump *d, const char *name, uint64_t *ret)
{
	return get_uint(d, "OFFSET", name, 10, ret);
}

bool vmcoreinfo_size(const struct dump *d, const char *name, uint64_t *ret)
{
	return get_uint(d, "SIZE", name, 10, ret);
}

bool vmcoreinfo_length(const struct dump *d, const char *name, uint64_t *ret)
{
	return get_uint(d, "LENGTH", name, 10, ret);
}

bool dump_symbol(const struct dump *d, const char *name, uint64_t *addr)
{
	return symbols_find(&d->symbols, name, addr, NULL);
}
