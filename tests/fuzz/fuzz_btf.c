/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_btf - BTF as it could lie in a dump. If it passes btf_check(), it goes through libbpf, the name
 * hashes and the path language. An input is the blob, or
 *     'S'  u8 flags: bit 0: symbols say where the kernel's is, bit 1: big-endian
 *     u16 bytes of the kernel's BTF, that BTF, and the BTF of a module
 */
#include <stdio.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/symbols/sources.h"
#include "dumpread/types/btf_check.h"
#include "dumpread/types/btf_index.h"
#include "dumpread/types/sources.h"
#include "tests/unit/fake.h"

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

#define MODULE_AT 0x20000u	/* physical addresses: the kernel's is at 0 */
#define MODULE_BYTES 0x10000u

/* A module's BTF is split from that of the kernel, which is in the same memory. */
static void split(uint8_t flags, const uint8_t *p, size_t size)
{
	size_t len = load16(p, false);
	char info[128];
	struct fake *f;

	p += 2;
	size -= 2;
	if (len > size || size - len > MODULE_BYTES)
		return;
	f = fake_new(8, flags & 2);
	fake_put(f, 0, p, len);
	fake_put(f, MODULE_AT, p + len, size - len);
	f->dump.max_pfn = (MODULE_AT + MODULE_BYTES) >> 12;
	if (flags & 1) {
		snprintf(info, sizeof(info), "SYMBOL(__start_BTF)=%llx\nSYMBOL(__stop_BTF)=%llx\n", FAKE_BASE,
			 FAKE_BASE + len);
		f->dump.vmcoreinfo = info;
		symbols_add_vmcoreinfo(&f->dump);
	}
	if (!types_add_btf_module(&f->dump, f->r, FAKE_BASE + MODULE_AT, size - len, "module"))
		for (unsigned i = 0; i < f->dump.types.n; i++)
			ask(&f->dump, f->dump.types.v[i].self);
	symbols_close(&f->dump.symbols);
	types_close(&f->dump.types);
	fake_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dump d = { .vmcoreinfo = "" }; /* word size 0: either byte order */
	uint8_t *copy;

	if (size >= 4 && *data == 'S') {
		split(data[1], data + 2, size - 2);
		return 0;
	}
	copy = malloc(size + 1);
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
