/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every other container, by libkdumpfile: LKCD, s390, sadump, Xen, and what
 * its next version learns. It also reads ELF and kdump-compressed files, which
 * is how tests check our own readers.
 *
 * Guards against what 0.5.1 to 0.5.6 do: mmap of a file that is cut off ends
 * in SIGBUS (so: never); an ELF file without VMCOREINFO leaves the page size 0
 * and divides by it (so: 4096 before any read); a page that is excluded costs
 * ten microseconds and an error text (so: its page map is copied and asked
 * first). One clone of the handle for each reader, as its threads.md demands.
 */
#include <libkdumpfile/kdumpfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/image/format.h"

#define MAP_AT_ONCE ((uint64_t)32 << 10)	/* frames asked for at once */
#define MAX_PFN ((uint64_t)1 << 36)

struct kdumpfile {
	kdump_ctx_t *ctx;
	uint8_t *map;		/* bit set: page is in the dump; NULL: unknown */
};

static bool get_number(kdump_ctx_t *c, const char *key, uint64_t *ret)
{
	kdump_num_t v;

	if (kdump_get_number_attr(c, key, &v) != KDUMP_OK)
		return false;
	*ret = v;
	return true;
}

static void get_string(kdump_ctx_t *c, const char *key, char *buf, size_t size)
{
	const char *s;

	if (kdump_get_string_attr(c, key, &s) == KDUMP_OK)
		snprintf(buf, size, "%s", s);
}

static enum status open_files(struct image *im, kdump_ctx_t *c)
{
	int *fds = arena_array(&im->mem, int, im->nparts);
	kdump_status st;

	for (unsigned i = 0; i < im->nparts; i++)
		fds[i] = im->parts[i].fd;
	kdump_set_number_attr(c, KDUMP_ATTR_FILE_MMAP_POLICY, KDUMP_MMAP_NEVER);
	st = kdump_open_fdset(c, im->nparts, fds);
	switch (st) {
	case KDUMP_OK:
		return ST_OK;
	case KDUMP_ERR_NOTIMPL:
		/* unknown to it, or recognised and not handled */
		return ST_NOTMINE;
	default:
		return fail(&im->diag, st == KDUMP_ERR_SYSTEM ? ST_IO : ST_CORRUPT,
			    "%s: libkdumpfile: %s", im->parts[0].path, kdump_get_err(c));
	}
}

/*
 * Its names of CPUs are uname's, but for i386. Where it found no page size, its
 * max_pfn is in bytes.
 */
static void find_machine(struct image *im, kdump_ctx_t *c, uint64_t *max_pfn)
{
	const struct machine *m;
	char arch[32] = "";
	uint64_t n;

	get_string(c, KDUMP_ATTR_ARCH_NAME, arch, sizeof(arch));
	m = machine_by_uname(strcmp(arch, KDUMP_ARCH_IA32) ? arch : "i386");
	if (m) {
		im->elf_machine = m->elf_machine;
		im->word_size = m->word_size;
	}
	if (get_number(c, KDUMP_ATTR_PTR_SIZE, &n) && (n == 4 || n == 8))
		im->word_size = (uint8_t)n;
	if (get_number(c, KDUMP_ATTR_BYTE_ORDER, &n))
		im->big_endian = n == KDUMP_BIG_ENDIAN;
	if (!get_number(c, KDUMP_ATTR_PAGE_SIZE, &n) || !page_shift_of(n)) {
		n = (uint64_t)1 << (m ? m->page_shift : 12);
		kdump_set_number_attr(c, KDUMP_ATTR_PAGE_SIZE, (kdump_num_t)n);
		*max_pfn = (*max_pfn + n - 1) >> page_shift_of(n);
	}
	im->page_shift = page_shift_of(n);
}

static void find_header(struct image *im, kdump_ctx_t *c)
{
	struct image_header *h = &im->header;

	get_string(c, "linux.uts.release", h->release, sizeof(h->release));
	get_string(c, "linux.uts.version", h->version, sizeof(h->version));
	get_string(c, "linux.uts.machine", h->machine, sizeof(h->machine));
	get_string(c, "linux.uts.nodename", h->nodename, sizeof(h->nodename));
}

/* As kdump_get_typed_attr(), whose arguments changed from 0.5.4 to 0.5.6. */
static bool get_typed(kdump_ctx_t *c, const char *key, kdump_attr_type_t type, kdump_attr_t *ret)
{
	return kdump_get_attr(c, key, ret) == KDUMP_OK && ret->type == type;
}

static void find_vmcoreinfo(struct image *im, kdump_ctx_t *c)
{
	kdump_attr_t attr;
	const void *text;

	/* kdump_vmcoreinfo_raw() would want the OS type, which reads memory */
	if (!get_typed(c, "linux.vmcoreinfo.raw", KDUMP_BLOB, &attr))
		return;
	text = kdump_blob_pin(attr.val.blob);
	if (text)
		image_take_vmcoreinfo(im, text, kdump_blob_size(attr.val.blob));
	kdump_blob_unpin(attr.val.blob);
}

/* Copy its page map; without one, every frame is taken to be there. */
static void find_pages(struct image *im, kdump_ctx_t *c)
{
	struct kdumpfile *kf = im->priv;
	kdump_attr_t attr;

	if (!get_typed(c, KDUMP_ATTR_FILE_PAGEMAP, KDUMP_BITMAP, &attr))
		return;
	kf->map = arena_alloc(&im->mem, im->max_pfn / 8 + MAP_AT_ONCE / 8);
	for (uint64_t pfn = 0; pfn < im->max_pfn; pfn += MAP_AT_ONCE) {
		uint8_t *p = kf->map + pfn / 8;

		if (kdump_bmp_get_bits(attr.val.bitmap, pfn, pfn + MAP_AT_ONCE - 1, p))
			memset(p, 0, MAP_AT_ONCE / 8);
		for (uint64_t i = 0; i < MAP_AT_ONCE / 8; i += 8)
			im->pages_present += (unsigned)__builtin_popcountll(
				load64(p + i, false));
	}
}

static enum status kdumpfile_open(struct image *im)
{
	struct kdumpfile *kf = arena_alloc(&im->mem, sizeof(*kf));
	uint64_t max_pfn = 0;
	enum status st;

	kf->ctx = heap_got(kdump_new(), 0);
	im->priv = kf;
	st = open_files(im, kf->ctx);
	if (st)
		return st;
	get_number(kf->ctx, "max_pfn", &max_pfn);
	find_machine(im, kf->ctx, &max_pfn);
	find_header(im, kf->ctx);
	find_vmcoreinfo(im, kf->ctx);
	if (!max_pfn || max_pfn > MAX_PFN)
		return fail(&im->diag, ST_CORRUPT, "%s: libkdumpfile: no believable end of "
			    "memory", im->parts[0].path);
	im->max_pfn = max_pfn;
	find_pages(im, kf->ctx);
	get_string(kf->ctx, "file.description", im->format, sizeof(im->format));
	if (!im->format[0])
		get_string(kf->ctx, KDUMP_ATTR_FILE_FORMAT, im->format, sizeof(im->format));
	return ST_OK;
}

static bool kdumpfile_present(const struct image *im, uint64_t pfn)
{
	const struct kdumpfile *kf = im->priv;

	return pfn < im->max_pfn && (!kf->map || (kf->map[pfn / 8] >> pfn % 8 & 1));
}

/* The clone hides behind the opaque context: it is all there is. */
static struct image_ctx *kdumpfile_ctx_new(const struct image *im)
{
	const struct kdumpfile *kf = im->priv;

	return heap_got(kdump_clone(kf->ctx, 0), 0);
}

static void kdumpfile_ctx_free(struct image_ctx *ctx)
{
	kdump_free((kdump_ctx_t *)ctx);
}

/* Machine addresses: the only kind that needs no translation it may lack. */
static enum status kdumpfile_read(const struct image *im, struct image_ctx *ctx,
				  uint64_t pfn, uint8_t *out)
{
	kdump_ctx_t *c = (kdump_ctx_t *)ctx;
	size_t size = (size_t)1 << im->page_shift, len = size;
	kdump_status st;

	if (!kdumpfile_present(im, pfn))
		return ST_NODATA;
	st = kdump_read(c, KDUMP_MACHPHYSADDR, pfn << im->page_shift, out, &len);
	if (st == KDUMP_OK && len == size)
		return ST_OK;
	kdump_clear_err(c);
	switch (st) {
	case KDUMP_ERR_NODATA:
	case KDUMP_ERR_EOF:
		return ST_NODATA;
	case KDUMP_ERR_SYSTEM:
		return ST_IO;
	default:
		return ST_CORRUPT;
	}
}

static void kdumpfile_close(struct image *im)
{
	struct kdumpfile *kf = im->priv;

	if (kf)
		kdump_free(kf->ctx);
	im->priv = NULL;
}

const struct image_ops kdumpfile_image_ops = {
	.name = "libkdumpfile",
	.open = kdumpfile_open,
	.present = kdumpfile_present,
	.read = kdumpfile_read,
	.ctx_new = kdumpfile_ctx_new,
	.ctx_free = kdumpfile_ctx_free,
	.close = kdumpfile_close,
};
