/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * image.c - tries the known containers in order, and opens the one that fits.
 */
#include "dumpread/image/image.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/elsewhere.h"
#include "dumpread/base/heap.h"
#include "dumpread/image/begins.h"
#include "dumpread/image/format.h"
#include "dumpread/image/vmcoreinfo.h"

/*
 * Tried in this order. Raw memory comes early, because the user named it so; a saved machine before it,
 * because its pieces are named like those of raw memory. Our own
 * readers come before the library because it takes microseconds for a page that
 * is excluded or cached, and 0.5.1 knows no flattened files.
 */
static const struct image_ops *const image_formats[] = {
	&qemu_image_ops,
	&raw_image_ops,
	&elf_image_ops,
	&kdump_image_ops,
	&mcore_image_ops,
	&lime_image_ops,
	&avml_image_ops,
	&kdumpfile_image_ops,
};

#define VMWARE_SAVED \
	"is a saved VMware machine; its memory is in the .vmem file beside it: name that as " \
	"NAME.vmem@0 (if the kernel in it does not tell where the memory above 3 GiB belongs: " \
	"NAME.vmem@0+0:0xc0000000 NAME.vmem@0x100000000+0xc0000000). If there is none, the memory is in " \
	"this file: vmss2core -N6 makes a dump of it"

/* Files that people name by mistake, and what they should do. */
static const char *const packed_hints[] = {
	[BEGINS_XZ] = "is compressed with xz; run xz -d on it first",
	[BEGINS_GZIP] = "is compressed with gzip; run gzip -d on it first",
	[BEGINS_ZSTD] = "is compressed with zstd; run zstd -d on it first",
	[BEGINS_BZIP2] = "is compressed with bzip2; run bzip2 -d on it first",
	[BEGINS_LZ4] = "is compressed with lz4; run lz4 -d on it first",
	[BEGINS_ZIP] = "is a zip archive; unpack it and name the dump in it",
	[BEGINS_TAR] = "is a tar archive; unpack it and name the dump in it",
};

static const struct {
	uint8_t len;
	const char *magic;
	const char *hint;
} hints[] = {
	/* checkpoint files of VMware; the first two bytes tell little and big, old and new */
	{ 4, "\xd0\xbe\xd2\xbe",	VMWARE_SAVED },
	{ 4, "\xd1\xba\xd1\xba",	VMWARE_SAVED },
	{ 4, "\xd2\xbe\xd2\xbe",	VMWARE_SAVED },
	{ 4, "\xd3\xbe\xd3\xbe",	VMWARE_SAVED },
	{ 4, "QFI\xfb",		"is a disk image; copy the dump out of it first (a snapshot of "
				"savevm: start it with -loadvm NAME -S, then dump-guest-memory)" },
	{ 4, "PAGE",		"is a Windows dump" },
};

static const char *hint_of(const uint8_t *head, size_t n)
{
	enum begins b = begins_as(head, n);

	if (b < ARRAY_LEN(packed_hints) && packed_hints[b])
		return packed_hints[b];
	for (size_t i = 0; i < ARRAY_LEN(hints); i++)
		if (!memcmp(head, hints[i].magic, hints[i].len))
			return hints[i].hint;
	return NULL;
}

static enum status not_a_dump(struct image *im)
{
	const struct image_part *p = &im->parts[0];
	uint8_t head[512] = { 0 };
	const char *hint;
	size_t got = 0;

	part_read_some(p, 0, head, sizeof(head), &got);
	hint = hint_of(head, got);
	if (hint)
		return fail(&im->diag, ST_NOTMINE, "%s: %s", p->path, hint);
	return fail(
		&im->diag, ST_NOTMINE,
		"%s: not a memory dump that this program knows (ELF core, "
		"kdump-compressed, flattened, mcore, LiME, AVML, LKCD, saved by QEMU ...), nor a text of the kernel's "
		"log; raw memory is named with the address where it begins: %s@0",
		p->path, p->path);
}

static enum status probe(struct image *im, const struct image_ops *only)
{
	for (size_t i = 0; i < ARRAY_LEN(image_formats); i++) {
		enum status st;

		if (only && only != image_formats[i])
			continue;
		im->ops = image_formats[i];
		st = im->ops->open(im);
		if (st == ST_OK)
			return ST_OK;
		im->ops->close(im);
		if (st != ST_NOTMINE)
			return st;
	}
	im->ops = NULL;
	return not_a_dump(im);
}

/* Fill what the container's header lacks from VMCOREINFO. */
static void complete_header(struct image *im)
{
	struct image_header *h = &im->header;
	char release[sizeof(h->release)];
	uint64_t when;

	if (!im->vmcoreinfo)
		return;
	if (vmcoreinfo_value(im->vmcoreinfo, "OSRELEASE", release, sizeof(release))) {
		if (h->release[0] && strcmp(h->release, release))
			issue_add(&im->issues, ST_CORRUPT, "image header", 1,
				  "%s: is of kernel %s by its header, of %s by VMCOREINFO",
				  im->parts[0].path, h->release, release);
		if (!h->release[0])
			memcpy(h->release, release, sizeof(release));
	}
	if (vmcoreinfo_uint(im->vmcoreinfo, "CRASHTIME", 10, &when))
		h->crash_time = (int64_t)when;
}

static enum status open_parts(struct image *im, const char *const *paths, unsigned n)
{
	if (!n)
		return fail(&im->diag, ST_IO, "no dump file was named");
	im->parts = arena_array(&im->mem, struct image_part, n);
	for (unsigned i = 0; i < n; i++)
		im->parts[i].fd = -1;
	im->nparts = n;
	for (unsigned i = 0; i < n; i++) {
		enum status st = part_open(im, &im->parts[i], paths[i]);

		if (st)
			return st;
	}
	return ST_OK;
}

/* ONLY and INDEX may be NULL: any format, no index. */
static enum status open_image(const char *const *paths, unsigned n, const struct image_ops *only,
			      const struct image_index *index, const struct log *log,
			      struct diag *diag, struct image **ret)
{
	struct image *im = heap_array(struct image, 1);
	enum status st;

	*ret = NULL;
	issues_init(&im->issues);
	im->log = log;
	im->index = index;
	im->header.dump_level = -1;
	st = open_parts(im, paths, n);
	if (st == ST_OK)
		st = probe(im, only);
	im->index = NULL;
	if (st) {
		im->ops = NULL;
		*diag = im->diag;
		image_close(im);
		return st;
	}
	complete_header(im);
	if (elsewhere_is_damaged(paths[0]))
		issue_add(&im->issues, ST_CORRUPT, "packed file", 1,
			  "%s: is damaged; what was expanded before that is read", paths[0]);
	log_info(log, "%s: %s, %s-endian, %u-byte pages", im->parts[0].path, im->format,
		 im->big_endian ? "big" : "little", 1u << im->page_shift);
	*ret = im;
	return ST_OK;
}

enum status image_open_as(const char *const *paths, unsigned n, const struct image_ops *only,
			  const struct log *log, struct diag *diag, struct image **ret)
{
	return open_image(paths, n, only, NULL, log, diag, ret);
}

enum status image_open_indexed(const char *const *paths, unsigned n,
			       const struct image_index *index, const struct log *log,
			       struct diag *diag, struct image **ret)
{
	return open_image(paths, n, NULL, index, log, diag, ret);
}

enum status image_open(const char *const *paths, unsigned n, const struct log *log,
		       struct diag *diag, struct image **ret)
{
	return open_image(paths, n, NULL, NULL, log, diag, ret);
}

void image_close(struct image *im)
{
	if (!im)
		return;
	if (im->ops)
		im->ops->close(im);
	for (unsigned i = 0; i < im->nparts; i++)
		part_close(&im->parts[i]);
	issues_release(&im->issues);
	arena_release(&im->mem);
	free(im);
}

void image_set_page_shift(struct image *im, uint8_t shift)
{
	if (shift != im->page_shift && im->ops->set_page_shift)
		im->ops->set_page_shift(im, shift);
}

uint64_t image_pages_present(const struct image *im)
{
	return im->pages_present;
}
