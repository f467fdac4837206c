/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_layout - a layout file of the fuzzer's bytes. If it is accepted, it is
 * written out again, and that file must be accepted, too.
 */
#include <stdlib.h>
#include <string.h>

#include "dumpread/types/layoutfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dump empty(void)
{
	return (struct dump){ .vmcoreinfo = "KERNELOFFSET=200000\n", .word_size = 8 };
}

static void again(struct dump *d)
{
	static const char *const member[] = { "a.b" }, *const other[] = { "a" };
	const struct layout_names names = { member, other, other, other, 1, 1, 1, 1, 1 };
	struct dump e = empty();
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out || layout_write(d, &names, out))
		abort();
	fclose(out);
	if (types_add_layout_text(&e, text, len, "again"))
		abort();
	types_close(&e.types);
	symbols_close(&e.symbols);
	arena_release(&e.mem);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dump d = empty();

	if (!types_add_layout_text(&d, (const char *)data, size, "fuzz"))
		again(&d);
	types_close(&d.types);
	symbols_close(&d.symbols);
	arena_release(&d.mem);
	return 0;
}
