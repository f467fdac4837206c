/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crypto.c - what was sent to sockets of AF_ALG and waits for its cipher (crypto/af_alg.c; types of 6.1, 6.12, 7.3): a
 * list of tables of pages. The socket of a hash keeps no page, and one that nobody has accepted has only a key.
 */
#include <string.h>

#include "facts/layout/holder.h"
#include "facts/layout/module.h"
#include "model/kernel/walk/list.h"
#include "model/memory/owners/holding.h"

#define NAME_BYTES 16
#define TABLES_MAX (1u << 22)
#define SG_FLAGS UINT64_C(3)	/* of scatterlist.page_link */

/* The entries of a table, which is less than a page. Returns the bytes that wait in them. */
static uint64_t take_table(struct holding *h, struct held *o, uint64_t table)
{
	uint64_t n = held_member(h, o, table, M_ALGSGL_USED), bytes = 0;
	uint64_t at = table + layout_offset(&h->k->layout, M_ALGSGL_SG);
	uint32_t size = layout_size(&h->k->layout, S_SCATTERLIST);

	if (!size || n > (UINT64_C(1) << h->k->page_shift) / size) {
		o->incomplete = true;
		return 0;
	}
	held_memory(h, o, table);
	for (uint64_t i = 0; i < n; i++, at += size) {
		uint64_t page = held_member(h, o, at, M_SG_LINK) & ~SG_FLAGS;

		if (!page) /* it is done with */
			continue;
		held_folio(h, o, page, CLASS_SOCKET);
		bytes += held_member(h, o, at, M_SG_LENGTH);
	}
	return bytes;
}

/* The bytes must be as many as it counts. */
static void take_context(struct holding *h, struct held *o, uint64_t context)
{
	const struct layout *l = &h->k->layout;
	uint64_t head = context + layout_offset(l, M_ALGCTX_TABLES), bytes = 0;
	struct listwalk w = listwalk_start(h->k, h->r, head, TABLES_MAX);

	held_memory(h, o, context);
	while (listwalk_next(&w) && holding_budget(h, o, 1))
		bytes += take_table(h, o, w.node - layout_offset(l, M_ALGSGL_LIST));
	o->incomplete |= w.st != ST_OK || bytes != held_member(h, o, context, M_ALGCTX_BYTES);
}

/* What "private" is, the name of the type says. */
static bool has_context(struct holding *h, struct held *o, uint64_t type)
{
	char name[NAME_BYTES];

	if (read_kva_str(h->r, type + layout_offset(&h->k->layout, M_ALGTYPE_NAME), name,
			 sizeof(name))) {
		o->incomplete = true;
		return false;
	}
	return !strcmp(name, "skcipher") || !strcmp(name, "aead");
}

void crypto_read(struct holding *h, struct held *o, uint64_t sk)
{
	static const enum layout_id needs[] = {
		M_ALG_PARENT,	 M_ALG_TYPE,	 M_ALG_PRIVATE, M_ALGTYPE_NAME,
		M_ALGCTX_TABLES, M_ALGCTX_BYTES, M_ALGSGL_LIST, M_ALGSGL_USED,
		M_ALGSGL_SG,	 S_SCATTERLIST,	 M_SG_LINK,	M_SG_LENGTH,
	};
	uint64_t type, context;

	if (!holding_knows(h, needs, ARRAY_LEN(needs))) {
		o->incomplete = true;
		return;
	}
	if (!held_member(h, o, sk, M_ALG_PARENT))
		return;
	type = held_member(h, o, sk, M_ALG_TYPE);
	context = held_member(h, o, sk, M_ALG_PRIVATE);
	if (type && context && has_context(h, o, type))
		take_context(h, o, context);
	o->incomplete |= !type || !context;
}
