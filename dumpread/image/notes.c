/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ELF notes, as /proc/vmcore, QEMU and makedumpfile keep them (elf(5), "Notes"):
 *
 *	0	4	namesz: bytes of the name, with its NUL
 *	4	4	descsz
 *	8	4	type
 *	12	namesz	name, padded to 4
 *	...	descsz	descriptor, padded to 4
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/format.h"

#define NOTE_HEADER 12

static size_t pad4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* A line: KEY=VALUE in printable ASCII; values of addresses and numbers are checked too. */
static bool is_line(const char *line, size_t len)
{
	static const struct { const char *kind, *digits; } kinds[] = {
		{ "SYMBOL(", "0123456789abcdef" }, { "SIZE(", "0123456789" },
		{ "OFFSET(", "0123456789-" }, { "LENGTH(", "0123456789" },
		{ "NUMBER(", "0123456789abcdefx-" },
	};
	const char *value = memchr(line, '=', len);

	for (size_t i = 0; i < len; i++)
		if (line[i] < ' ' || line[i] > '~')
			return false;
	if (!value || value == line)
		return false;
	value++;
	len -= (size_t)(value - line);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strncmp(line, kinds[i].kind, strlen(kinds[i].kind)))
			return value[-2] == ')' && len && strspn(value, kinds[i].digits) >= len;
	return true;
}

static void text_damaged(struct image *im, unsigned lines)
{
	cause_table(&im->causes, "VMCOREINFO", 0, 0);
	issue_add(&im->issues, ST_CORRUPT, "VMCOREINFO line", lines,
		  "%s: the text of VMCOREINFO is damaged", im->parts[0].path);
}

/* The text has no checksum, but a form. */
static void check_vmcoreinfo(struct image *im, size_t len)
{
	const char *line = im->vmcoreinfo, *end;
	unsigned bad = im->vmcoreinfo_len < len; /* a NUL within */

	for (; (end = strchr(line, '\n')); line = end + 1)
		bad += !is_line(line, (size_t)(end - line));
	bad += *line != '\0';
	if (bad)
		text_damaged(im, bad);
}

void image_take_vmcoreinfo(struct image *im, const uint8_t *text, size_t len)
{
	size_t whole = len;

	while (whole && !text[whole - 1]) /* the padding of the note */
		whole--;
	len = strnlen((const char *)text, len);
	if (!len || len > VMCOREINFO_MAX) {
		if (whole)
			text_damaged(im, 1);
		return;
	}
	im->vmcoreinfo = arena_strndup(&im->mem, (const char *)text, len);
	im->vmcoreinfo_len = len;
	check_vmcoreinfo(im, whole);
}

bool image_next_note(const struct image *im, size_t *at, struct image_note *ret)
{
	size_t left = im->notes_len - min_u64(*at, im->notes_len);
	const uint8_t *h;

	if (!im->notes || left < NOTE_HEADER)
		return false;
	h = im->notes + im->notes_len - left;
	left -= NOTE_HEADER;
	*ret = (struct image_note){ .namesz = load32(h, im->big_endian),
				    .descsz = load32(h + 4, im->big_endian) };
	/* 32-bit sizes: no sum of them overflows a size_t */
	if (pad4(ret->namesz) > left || ret->descsz > left - pad4(ret->namesz))
		return false;
	ret->name = h + NOTE_HEADER;
	ret->desc = ret->name + pad4(ret->namesz);
	/* beyond the end where the last padding is cut off */
	*at += NOTE_HEADER + pad4(ret->namesz) + pad4(ret->descsz);
	return true;
}

static bool is_named(const struct image_note *n, const char *name)
{
	return n->namesz == strlen(name) + 1 && !memcmp(n->name, name, n->namesz);
}

void image_take_notes(struct image *im, uint8_t *buf, size_t len)
{
	struct image_note n;
	size_t at = 0;

	im->notes = buf;
	im->notes_len = len;
	while (image_next_note(im, &at, &n))
		if (!im->vmcoreinfo && is_named(&n, "VMCOREINFO"))
			image_take_vmcoreinfo(im, n.desc, n.descsz);
		else if (is_named(&n, "ERASEINFO"))
			image_take_eraseinfo(im, n.desc, n.descsz);
}
