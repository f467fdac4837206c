/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The layout file: the symbols and types of one dump, written out and used in their place
 * on a boot with another KASLR offset.
 */
#include <bpf/btf.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/symbols/sources.h"
#include "dumpread/types/layoutfile.h"
#include "dumpread/types/sources.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

static const char *const members[] = {
	"zone.flags", "zone.list[].word", "zone.list[]", "zone.name", "zone.bits", "zone.next",
	"zone.nosuch", "zone.list.word", "nosuch.member", "zone.tail", "zone.in",
};
static const char *const sizes[] = { "zone", "inner", "nosuch" };
static const char *const enums[] = { "MINUS", "FIVE", "WIDE", "NOSUCH" };
static const char *const symbols[] = { "prb", "per_cpu_var", "_stext", "nosuch" };

static const struct layout_names all = {
	members, sizes, enums, symbols,
	ARRAY_LEN(members), ARRAY_LEN(sizes), ARRAY_LEN(enums), ARRAY_LEN(symbols), 7,
};

#define STEXT 0xffffffff81000000ull
#define PRB 0xffffffff82a643e0ull

static bool find(void *self, const char *name, uint64_t *addr)
{
	uint64_t kaslr = *(uint64_t *)self;

	if (!strcmp(name, "per_cpu_var"))
		*addr = 0x2dfa0;
	else if (!strcmp(name, "prb"))
		*addr = PRB + kaslr;
	else if (!strcmp(name, "_stext"))
		*addr = STEXT + kaslr;
	else
		return false;
	return true;
}

static void add_btf(struct dump *d)
{
	struct btf *b = btf__new_empty();
	int u32, s8, inner, ptr;
	const void *raw;
	uint8_t *data;
	uint32_t len;

	u32 = btf__add_int(b, "unsigned int", 4, 0);
	s8 = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	ptr = btf__add_ptr(b, 0);
	inner = btf__add_struct(b, "inner", 4);
	btf__add_field(b, "word", u32, 0, 0);
	btf__add_struct(b, "zone", 64);
	btf__add_field(b, "flags", u32, 0, 0);
	btf__add_field(b, "bits", u32, 37, 9);
	btf__add_field(b, "next", ptr, 64, 0);
	btf__add_field(b, "in", inner, 128, 0);
	btf__add_field(b, "list", (int)btf__type_cnt(b), 160, 0);
	btf__add_field(b, "name", (int)btf__type_cnt(b) + 1, 288, 0);
	btf__add_field(b, "tail", (int)btf__type_cnt(b) + 2, 512, 0);
	btf__add_array(b, u32, inner, 4);
	btf__add_array(b, u32, s8, 16);
	btf__add_array(b, u32, s8, 0);
	btf__add_enum(b, "kind", 4);
	btf__add_enum_value(b, "MINUS", -1);
	btf__add_enum_value(b, "FIVE", 5);
	btf__add_enum64(b, NULL, 8, false);
	btf__add_enum64_value(b, "WIDE", 1ull << 40);
	raw = btf__raw_data(b, &len);
	data = malloc(len);
	if (!raw || !data)
		abort();
	memcpy(data, raw, len);
	btf__free(b);
	CHECK_EQ(types_add_btf(d, data, len, "btf"), ST_OK);
}

static void set_kernel(struct dump *d, const char *vmcoreinfo)
{
	d->vmcoreinfo = vmcoreinfo;
	strcpy(d->release, "6.1.0-56-amd64");
	d->build_id_len = 20;
	memset(d->build_id, 0xab, 20);
}

/* The text for a kernel that runs 0xbc00000 from where it was linked. */
static char *written(void)
{
	static uint64_t kaslr = 0xbc00000;
	struct symbol_source src = { .name = "test", .find = find, .self = &kaslr };
	struct fake *f = fake_new(8, false);
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	set_kernel(&f->dump, "KERNELOFFSET=bc00000\nSYMBOL(_stext)=ffffffff8cc00000\n");
	symbols_add(&f->dump.symbols, &src);
	add_btf(&f->dump);
	CHECK_EQ(layout_write(&f->dump, &all, out), ST_OK);
	fclose(out);
	types_close(&f->dump.types);
	fake_free(f);
	return text;
}

static void same_members(struct fake *a, struct fake *b)
{
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		struct member x, y;
		enum status st = types_member(&a->dump.types, members[i], &x, NULL);

		memset(&x, 0, sizeof(x));
		memset(&y, 0, sizeof(y));
		CHECK_EQ(types_member(&b->dump.types, members[i], &y, NULL), st);
		st = types_member(&a->dump.types, members[i], &x, NULL);
		if (!CHECK(st || !memcmp(&x, &y, sizeof(x))))
			printf("\t%s\n", members[i]);
	}
}

static void same_answers(struct fake *a, struct fake *b)
{
	same_members(a, b);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		uint32_t x = 0, y = 0;

		CHECK_EQ(types_size(&a->dump.types, sizes[i], &x, NULL),
			 types_size(&b->dump.types, sizes[i], &y, NULL));
		CHECK_EQ(x, y);
	}
	for (size_t i = 0; i < ARRAY_LEN(enums); i++) {
		int64_t x = 0, y = 0;

		CHECK_EQ(types_enumerator(&a->dump.types, enums[i], &x, NULL),
			 types_enumerator(&b->dump.types, enums[i], &y, NULL));
		CHECK_EQ(x, y);
	}
}

static enum status read_back(struct fake *f, const char *text)
{
	return types_add_layout_text(&f->dump, text, strlen(text), "test.layout");
}

TEST(round_trip)
{
	struct fake *a = fake_new(8, false), *b = fake_new(8, false);
	char *text = written();
	const char *from;
	uint64_t addr;
	struct member m;

	add_btf(&a->dump);
	/* another boot of that kernel, moved by 0x200000 */
	set_kernel(&b->dump, "KERNELOFFSET=200000\nSYMBOL(_stext)=ffffffff81200000\n");
	CHECK_EQ(read_back(b, text), ST_OK);
	same_answers(a, b);
	CHECK(symbols_find(&b->dump.symbols, "prb", &addr, &from));
	CHECK_EQ(addr, PRB + 0x200000);
	CHECK_STR(from, "layout file");
	CHECK(symbols_find(&b->dump.symbols, "per_cpu_var", &addr, NULL));
	CHECK_EQ(addr, 0x2dfa0);
	CHECK(!symbols_find(&b->dump.symbols, "nosuch", &addr, NULL));
	CHECK_EQ(b->dump.layout_facts, 7);
	/* the next source is asked for facts that the file lacks */
	CHECK_EQ(b->dump.types.v[0].member(b->dump.types.v[0].self, "zone.other", &m),
		 ST_NOTMINE);
	CHECK_EQ(b->dump.types.v[0].member(b->dump.types.v[0].self, "zone.nosuch", &m),
		 ST_NOTMINE);
	CHECK(!strstr(text, "absent"));
	types_close(&a->dump.types);
	types_close(&b->dump.types);
	symbols_close(&b->dump.symbols);
	fake_free(a);
	fake_free(b);
	free(text);
}

/* A kernel without VMCOREINFO is assumed to run where it was linked. */
TEST(no_vmcoreinfo)
{
	struct fake *f = fake_new(8, false);
	char *text = written();
	uint64_t addr;

	CHECK_EQ(read_back(f, text), ST_OK);
	CHECK(symbols_find(&f->dump.symbols, "prb", &addr, NULL));
	CHECK_EQ(addr, PRB);
	types_close(&f->dump.types);
	symbols_close(&f->dump.symbols);
	fake_free(f);
	free(text);
}

static void refused(struct fake *f, const char *text, const char *word)
{
	CHECK(read_back(f, text) != ST_OK);
	if (!CHECK(strstr(f->dump.diag.text, word)))
		printf("\t%s\n", f->dump.diag.text);
	CHECK_EQ(f->dump.types.n, 0);
	CHECK_EQ(f->dump.symbols.n, 0);
}

TEST(other_kernel)
{
	struct fake *f = fake_new(8, false), *g = fake_new(4, true);
	char *text = written();

	set_kernel(&f->dump, "");
	f->dump.build_id[3] = 1;
	refused(f, text, "build-id is abab");
	strcpy(f->dump.release, "5.10");
	refused(f, text, "release is 6.1.0-56-amd64, the dump's is 5.10");
	refused(g, text, "machine");
	g->dump.elf_machine = 0;
	refused(g, text, "word size");
	set_kernel(&f->dump, "SYMBOL(_stext)=ffffffff81234560\nKERNELOFFSET=200000\n");
	refused(f, text, "another kernel");
	fake_free(f);
	fake_free(g);
	free(text);
}

#define HEAD LAYOUT_MAGIC "word 8\norder little\n"

TEST(bad_lines)
{
	static const char *const bad[] = {
		"member a.b 0 4 0 0 0 0\n", "member a.b 0 4 0 0 0 0 z\n",
		"member a.b -1 4 0 0 0 0 -\n", "member a.b 0 4 0 0 30 3 -\n",
		"member a.b 0 16 0 0 0 3 -\n", "member a.b 0 4 3 4 0 0 a\n",
		"member a.b 0 4 3 4 0 0 -\n", "member a.b 4294967295 4 0 0 0 0 -\n",
		"member a.b 0x10 4 0 0 0 0 -\n", "size a\n", "size a 4294967296\n",
		"size a 1 2\n", "enum A x\n", "enum A 9223372036854775808\n", "enum A -\n",
		"symbol a xyz\n", "symbol a\n", "absent\n", "absent a b c\n", "absent what b\n",
		"nonsense\n", "nonsense a\n", "machine x\n", "facts x\n", "facts\n",
	};
	struct fake *f = fake_new(8, false);
	char text[256];

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		snprintf(text, sizeof(text), "%s%s", HEAD, bad[i]);
		refused(f, text, "line 4 is not understood");
	}
	refused(f, LAYOUT_MAGIC "word 8\n", "byte order");
	refused(f, "word 8\n", "not a layout file");
	fake_free(f);
}

TEST(good_lines)
{
	struct fake *f = fake_new(8, false);
	int64_t v;

	CHECK_EQ(read_back(f, HEAD "# remark\n\nenum A -9223372036854775808\n"
			      "enum B 9223372036854775807\nabsent symbol x\nabsent enum C"), ST_OK);
	CHECK_EQ(types_enumerator(&f->dump.types, "A", &v, NULL), ST_OK);
	CHECK_EQ(v, INT64_MIN);
	CHECK_EQ(types_enumerator(&f->dump.types, "B", &v, NULL), ST_OK);
	CHECK_EQ(v, INT64_MAX);
	CHECK_EQ(types_enumerator(&f->dump.types, "C", &v, NULL), ST_ABSENT);
	CHECK(layout_sniff(HEAD, strlen(HEAD)));
	CHECK(!layout_sniff("# vmcensus", 10));
	types_close(&f->dump.types);
	symbols_close(&f->dump.symbols);
	fake_free(f);
}
