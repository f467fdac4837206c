/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * texts.c - looks through the constant data of the kernel image.
 */
#include "model/texts.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/symbols/kimage.h"

#define STEP ((size_t)1 << 20)
#define MOST ((uint64_t)48 << 20)	/* .rodata of Debian's 7.3 has 14 MiB, with BTF */
#define GUESS ((uint64_t)16 << 20)	/* after _etext, if __end_rodata is not known */

/* The range of the image's constants; false: its symbols do not show it. */
static bool constants(const struct kernel *k, uint64_t *start, uint64_t *end)
{
	const struct layout *l = &k->layout;

	*start = layout_symbol(l, Y_START_RODATA);
	if (!*start)
		*start = layout_symbol(l, Y_ETEXT);
	*end = layout_symbol(l, Y_END_RODATA);
	if (*end <= *start)
		*end = *start + GUESS;
	*end = min_u64(*end, *start + MOST);
	return *start && *end > *start;
}

void kernel_rules(struct kernel *k, struct reader *r)
{
	const struct dump *d = k->dump;
	const struct kimage image = { .r = r };
	struct evidence e = { .layout = &k->layout, .texts = &k->texts };
	const char *from = k->layout.v[S_PAGE].from;
	uint64_t at, end;

	e.types_whole = !from || strcmp(from, "layout file") != 0 ||
			d->layout_facts >= FACTS_VERSION;
	if (constants(k, &at, &end)) {
		uint8_t *buf = heap_bytes(STEP + IMAGE_TEXT_MAX);

		for (; at < end; at += STEP) {
			size_t len = min_u64(STEP + IMAGE_TEXT_MAX, end - at);

			kimage_read(&image, at, buf, len);
			image_texts_look(&k->texts, buf, len, d->word_size);
		}
		free(buf);
	}
	rules_decide(&k->version, &e, &k->rules);
}
