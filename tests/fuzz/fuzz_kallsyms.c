/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_kallsyms - the kernel's symbol table made of the fuzzer's bytes.
 *
 *	byte 0	bit 0: big-endian; 1: 32 bits; 2: a base; 3: addresses;
 *		4: an anchor; 5: the rest is memory, to be searched
 *	then, except for a search: u16 bytes of names, u16 of tokens, u16 symbols,
 *	names, tokens, token_index (512 bytes), values
 */
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/symbols/kallsyms.h"
#include "dumpread/symbols/sources.h"
#include "tests/unit/fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct kallsyms *k)
{
	char name[KALLSYMS_NAME_LEN];
	uint64_t addr;

	for (uint32_t i = 0; i < k->num && i < 300; i++) {
		addr = kallsyms_address(k, i);
		if (kallsyms_name(k, i, name) > 1)
			kallsyms_find(k, name + 1, &addr);
	}
}

static void tables(uint8_t flags, const uint8_t *p, size_t size)
{
	static const struct kallsyms_anchor anchor = { "_stext", 0x1234 };
	struct kallsyms *k = kallsyms_new();
	size_t used;

	k->big = flags & 1;
	k->word_size = flags & 2 ? 4 : 8;
	k->has_base = flags & 4;
	k->is_address = flags & 8;
	k->value_size = k->is_address ? k->word_size : 4;
	k->base = 0xc0000000;
	k->names_len = load16(p, false);
	k->tokens_len = load16(p + 2, false);
	k->num = load16(p + 4, false);
	k->names = p + 6;
	k->tokens = k->names + k->names_len;
	k->token_index = k->tokens + k->tokens_len;
	k->values = k->token_index + 512;
	used = 6 + k->names_len + k->tokens_len + 512;
	if (used <= size && (size_t)k->num * k->value_size <= size - used && !kallsyms_index(k) &&
	    !kallsyms_choose_form(k, &anchor, flags & 16 ? 1 : 0))
		ask(k);
	kallsyms_free(k);
}

static void memory(uint8_t flags, const uint8_t *p, size_t size)
{
	struct fake *f = fake_new(flags & 2 ? 4 : 8, flags & 1);

	if (size > 1 << 20)
		size = 1 << 20;
	fake_put(f, 0, p, size);
	f->dump.max_pfn = (size >> 12) + 1;
	if (flags & 16)
		f->dump.vmcoreinfo = flags & 2 ? "SYMBOL(_stext)=c0000000\n"
					       : "SYMBOL(_stext)=ffff888000000000\n";
	if (!symbols_add_kallsyms(&f->dump))
		ask(f->dump.symbols.v[0].self);
	symbols_close(&f->dump.symbols);
	fake_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 8)
		return 0;
	if (data[0] & 32)
		memory(data[0], data + 1, size - 1);
	else
		tables(data[0], data + 1, size - 1);
	return 0;
}
