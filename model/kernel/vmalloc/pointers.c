/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pointers.c - the text of %pK, as root reads it: lib/vsprintf.c, restricted_pointer().
 *
 * Since ad67b74d2469 (v4.15) it is the SipHash-2-4 (Aumasson, Bernstein 2012) of the address
 * with a key made at boot; 32 bits of it. A key of zeros was not made yet.
 */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/kmem.h"
#include "model/kernel/kobj.h"
#include "model/kernel/vmalloc/vmalloc.h"

static uint64_t rotate(uint64_t v, unsigned n)
{
	return v << n | v >> (64 - n);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	sip_round(v);
	v[0] ^= word;
}

/* Of the N bytes of VALUE, 4 or 8. */
static uint64_t sip_hash(const uint64_t key[2], uint64_t value, unsigned n)
{
	uint64_t v[4] = { key[0] ^ UINT64_C(0x736f6d6570736575),
			  key[1] ^ UINT64_C(0x646f72616e646f6d),
			  key[0] ^ UINT64_C(0x6c7967656e657261),
			  key[1] ^ UINT64_C(0x7465646279746573) };
	uint64_t last = (uint64_t)n << 56;

	if (n == 8)
		sip_word(v, value);
	else
		last |= value;
	sip_word(v, last);
	v[2] ^= 0xff;
	for (unsigned i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void pointer_print_init(struct pointer_print *p, const struct kernel *k, struct reader *r)
{
	uint64_t at = layout_symbol(&k->layout, Y_PTR_KEY), restrict_to = 0, plain = 0;

	*p = (struct pointer_print){ .width = 2 * k->dump->word_size };
	kvar_u64(k, r, Y_KPTR_RESTRICT, 4, &restrict_to);
	kvar_u64(k, r, Y_NO_HASH_POINTERS, 1, &plain);
	if (restrict_to > 1)
		p->how = POINTERS_ZERO;
	else if (restrict_to || plain || !at)
		p->how = POINTERS_PLAIN;
	else if (read_kva_uint(r, at, 8, &p->key[0]) || read_kva_uint(r, at + 8, 8, &p->key[1]))
		issue_add(k->issues, ST_NODATA, "key of printed pointers", 1, "at %#" PRIx64, at);
	if (p->how == POINTERS_HASHED && !(p->key[0] | p->key[1]))
		p->how = POINTERS_NO_KEY;
}

uint64_t pointer_print(const struct pointer_print *p, uint64_t addr)
{
	switch (p->how) {
	case POINTERS_PLAIN: return addr;
	case POINTERS_HASHED: return (uint32_t)sip_hash(p->key, addr, p->width / 2);
	default: return 0;
	}
}
