/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_btf - BTF as it could lie in a dump: the input is the blob. If it passes
 * btf_check(), it goes through libbpf, the name hashes and the path language.
 */
#include <stdio.h>
#include <stdlib.h>

#include "dumpread/types/btf_check.h"
#include "dumpread/types/btf_index.h"
#include "dumpread/types/sources.h"

#define MAX_ASKED 64u		/* types whose members are asked for */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *name_of(const struct btf_index *x, uint32_t off)
{
	const char *s = btf__name_by_offset(x->btf, off);

	return s ? s : "";
}

static void ask_members(const struct dump *d, const struct btf_index *x, const struct btf_type *t)
{
	const struct btf_member *v = btf_members(t);
	char path[256];
	struct member m;

	for (uint32_t i = 0; i < btf_vlen(t) && i < 8; i++) {
		snprintf(path, sizeof(path), "%.60s.%.60s", name_of(x, t->name_off),
			 name_of(x, v[i].name_off));
		types_member(&d->types, path, &m, NULL);
		snprintf(path, sizeof(path), "%.60s.%.60s[].x", name_of(x, t->name_off),
			 name_of(x, v[i].name_off));
		types_member(&d->types, path, &m, NULL);
	}
	snprintf(path, sizeof(path), "%.60s.nosuch", name_of(x, t->name_off));
	types_member(&d->types, path, &m, NULL);
}

static void ask(const struct dump *d, const struct btf_index *x)
{
	for (uint32_t id = 1; id < btf__type_cnt(x->btf) && id < MAX_ASKED; id++) {
		const struct btf_type *t = btf__type_by_id(x->btf, id);
		int64_t value;
		uint32_t bytes;

		types_size(&d->types, name_of(x, t->name_off), &bytes, NULL);
		types_enumerator(&d->types, name_of(x, t->name_off), &value, NULL);
		if (btf_is_composite(t))
			ask_members(d, x, t);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dump d = { .vmcoreinfo = "" }; /* word size 0: either byte order */
	uint8_t *copy = malloc(size + 1);

	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	btf_extent(copy, size);
	if (!types_add_btf(&d, copy, size, "btf"))
		ask(&d, d.types.v[0].self);
	types_close(&d.types);
	return 0;
}
