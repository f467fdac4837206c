/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Raw memory: files of nothing but bytes, each named as FILE@ADDRESS, the
 * physical address of its first byte, or in pieces, FILE@ADDRESS+OFFSET:LENGTH. Such files cannot be recognised, so a file
 * without an address is never taken for one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/outside.h"
#include "dumpread/container/segments.h"
#include "dumpread/image/begins.h"

#define PAGE UINT64_C(4096)	/* the smallest of any kernel */

/* The number that *S begins with, "0x" and hexadecimal digits or decimal ones, and goes on to what
   follows it: no sign, blank or octal. */
static bool take_number(const char **s, uint64_t *ret)
{
	bool hex = (*s)[0] == '0' && ((*s)[1] == 'x' || (*s)[1] == 'X');
	const char *digits = hex ? *s + 2 : *s;
	size_t n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	errno = 0;
	*ret = strtoull(digits, NULL, hex ? 16 : 10);
	*s = digits + n;
	return n && !errno;
}

/* ADDRESS, ADDRESS+OFFSET or ADDRESS+OFFSET:LENGTH, of memory that ends below 2^64. */
static bool parse_piece(const char *s, struct image_piece *ret)
{
	*ret = (struct image_piece){ .length = UINT64_MAX };
	if (!take_number(&s, &ret->address))
		return false;
	if (*s == '+') {
		s++;
		if (!take_number(&s, &ret->offset))
			return false;
		if (*s == ':' && (s++, !take_number(&s, &ret->length) || !ret->length))
			return false;
	}
	return !*s && (ret->length == UINT64_MAX || ret->length <= UINT64_MAX - ret->address);
}

/* If a file has that very name, the name has no address. */
bool image_name_split(const char *name, size_t *len, struct image_piece *piece)
{
	const char *at = strrchr(name, '@');

	*len = strlen(name);
	if (!at || at == name || !parse_piece(at + 1, piece) || outside_exists(name))
		return false;
	*len = (size_t)(at - name);
	return true;
}

/* Memory may begin like this too, but hardly does. */
static void doubt(const struct image *im, const struct image_part *p)
{
	uint8_t head[BEGINS_HEAD];
	size_t got = 0;

	part_read_some(p, 0, head, sizeof(head), &got);
	if (begins_dump(begins_as(head, got)))
		log_warn(im->log,
			 "%s begins as a dump file does, but is read as raw "
			 "memory: name it without an address",
			 p->path);
}

/*
 * No kernel uses part of a page. Firmware's ranges end at any KiB (0x9fc00); a file
 * that ends elsewhere was cut off, and what its last page lacks is lost.
 */
static void take_file(struct image *im, unsigned i)
{
	const struct image_part *p = &im->parts[i];
	uint64_t pa = p->piece.address, off = p->piece.offset;
	uint64_t there = off < p->size ? p->size - off : 0;
	bool whole = p->piece.length == UINT64_MAX;
	uint64_t most = pa < UINT64_MAX - PAGE ? UINT64_MAX - PAGE - pa : 0;
	uint64_t end = pa + min_u64(whole ? there : p->piece.length, most);
	uint64_t round = whole && end % 1024 ? PAGE - 1 : 0;

	end = (end + round) & ~(PAGE - 1);
	if (end > pa)
		segments_take(im, &(struct segment){ .part = i,
						     .pa = pa,
						     .off = off,
						     .filesz = end - pa,
						     .memsz = end - pa });
}

static enum status raw_open(struct image *im)
{
	unsigned placed = 0;

	for (unsigned i = 0; i < im->nparts; i++)
		placed += im->parts[i].placed;
	if (!placed)
		return ST_NOTMINE;
	if (placed < im->nparts || im->nparts > SEGMENTS_PARTS)
		return fail(&im->diag, ST_UNSUPPORTED,
			    "%s: raw memory needs an address after "
			    "each file: FILE@ADDRESS",
			    im->parts[0].path);
	im->priv = arena_alloc(&im->mem, sizeof(struct segments));
	im->page_shift = 12;
	for (unsigned i = 0; i < im->nparts; i++)
		take_file(im, i);
	for (unsigned i = 0; i < im->nparts; i++)
		doubt(im, &im->parts[i]);
	segments_finish(im);
	snprintf(im->format, sizeof(im->format), "raw memory");
	snprintf(im->header.compression, sizeof(im->header.compression), "none");
	return ST_OK;
}

const struct image_ops raw_image_ops = {
	.name = "raw",
	.open = raw_open,
	.placed = true,
	SEGMENTS_OPS,
};
