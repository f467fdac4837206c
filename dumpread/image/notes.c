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

void image_take_vmcoreinfo(struct image *im, const uint8_t *text, size_t len)
{
	len = strnlen((const char *)text, len);
	if (!len || len > VMCOREINFO_MAX)
		return;
	im->vmcoreinfo = arena_strndup(&im->mem, (const char *)text, len);
	im->vmcoreinfo_len = len;
}

void image_take_notes(struct image *im, uint8_t *buf, size_t len)
{
	size_t at = 0;

	im->notes = buf;
	im->notes_len = len;
	while (!im->vmcoreinfo && len - at >= NOTE_HEADER) {
		const uint8_t *h = buf + at;
		size_t namesz = load32(h, im->big_endian);
		size_t descsz = load32(h + 4, im->big_endian);
		size_t left = len - at - NOTE_HEADER;

		/* 32-bit sizes: no sum of them overflows a size_t */
		if (pad4(namesz) > left || descsz > left - pad4(namesz))
			return;
		h += NOTE_HEADER;
		if (namesz == sizeof("VMCOREINFO") && !memcmp(h, "VMCOREINFO", namesz))
			image_take_vmcoreinfo(im, h + pad4(namesz), descsz);
		at += NOTE_HEADER + pad4(namesz) + pad4(descsz);
		if (at > len)
			return;		/* the last padding may be cut off */
	}
}
