/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Types: the path language over BTF (both byte orders, old and new headers)
 * and over DWARF 2 to 5 as this machine's compilers write it; hostile BTF.
 */
#include <bpf/btf.h>
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/types/btf_check.h"
#include "dumpread/types/path.h"
#include "dumpread/types/sources.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"
#include "tests/unit/types_sample.h"

static struct member ask(struct fake *f, const char *path)
{
	struct member m;

	memset(&m, 0xee, sizeof(m));
	if (!CHECK_EQ(types_member(&f->dump.types, path, &m, NULL), ST_OK))
		printf("\t%s\n", path);
	return m;
}

static bool absent(struct fake *f, const char *path)
{
	struct member m;

	return types_member(&f->dump.types, path, &m, NULL) == ST_ABSENT;
}

static int64_t enum_value(struct fake *f, const char *name)
{
	int64_t v = -12345;

	CHECK_EQ(types_enumerator(&f->dump.types, name, &v, NULL), ST_OK);
	return v;
}

static uint32_t size_of(struct fake *f, const char *type)
{
	uint32_t n = 0;

	CHECK_EQ(types_size(&f->dump.types, type, &n, NULL), ST_OK);
	return n;
}

/* ---- against the compiler ------------------------------------------------ */

#define AT(path, type, field)                                                        \
	do {                                                                         \
		struct member at_m = ask(f, path);                                   \
		CHECK_EQ(at_m.offset, offsetof(type, field));                        \
		CHECK_EQ(at_m.size, sizeof(((type *)0)->field));                     \
	} while (0)

/* Exactly the bits of M are ones in the SIZE bytes at P. */
static void check_ones(const void *p, size_t size, struct member m, unsigned bits)
{
	uint64_t word;

	if (!CHECK(m.offset + m.size <= size))
		return;
	word = load_uint((const uint8_t *)p + m.offset, m.size, false);
	CHECK_EQ(m.bit_size, bits);
	CHECK_EQ(word, (bits == 64 ? ~0ull : (1ull << bits) - 1) << m.bit_offset);
}

#define BITS(path, type, field, bits)                                                \
	do {                                                                         \
		type bits_v;                                                         \
		memset(&bits_v, 0, sizeof(bits_v));                                  \
		bits_v.field = ~bits_v.field;                                        \
		check_ones(&bits_v, sizeof(bits_v), ask(f, path), bits);             \
	} while (0)

static void check_places(struct fake *f)
{
	AT("sample_outer.flags", struct sample_outer, flags);
	AT("sample_outer.prev", struct sample_outer, prev);
	AT("sample_outer.in", struct sample_outer, in);
	AT("sample_outer.in.refs[]", struct sample_outer, in.refs);
	AT("sample_outer.in.pair[].hi", struct sample_outer, in.pair[0].hi);
	AT("sample_outer.shared", struct sample_outer, shared);
	AT("sample_outer.kind", struct sample_outer, kind);
	AT("sample_outer.yes", struct sample_outer, yes);
	AT("sample_outer.comm", struct sample_outer, comm);
	AT("sample_outer.list[].refs[].counter", struct sample_outer, list[0].refs[0].counter);
	AT("sample_outer.grid[]", struct sample_outer, grid);
	AT("sample_outer.bits.after", struct sample_outer, bits.after);
	AT("sample_outer.call", struct sample_outer, call);
	AT("sample_outer.table[]", struct sample_outer, table);
	AT("sample_outer.real", struct sample_outer, real);
	AT("sample_outer_alias.comm", struct sample_outer, comm);
	AT("sample_atomic_t.counter", sample_atomic_t, counter);
	CHECK_EQ(ask(f, "sample_outer.tail").offset, offsetof(struct sample_outer, tail));
	CHECK_EQ(size_of(f, "sample_outer"), sizeof(struct sample_outer));
	CHECK_EQ(size_of(f, "sample_atomic_t"), sizeof(sample_atomic_t));
	CHECK_EQ(size_of(f, "sample_packed"), sizeof(struct sample_packed));
}

static void check_bits(struct fake *f)
{
	BITS("sample_bits.first", struct sample_bits, first, 3);
	BITS("sample_bits.second", struct sample_bits, second, 7);
	BITS("sample_bits.third", struct sample_bits, third, 22);
	BITS("sample_bits.wide", struct sample_bits, wide, 33);
	BITS("sample_bits.byte_low", struct sample_bits, byte_low, 5);
	BITS("sample_bits.byte_high", struct sample_bits, byte_high, 3);
	BITS("sample_packed.a", struct sample_packed, a, 13);
	BITS("sample_packed.b", struct sample_packed, b, 11);
	BITS("sample_packed.c", struct sample_packed, c, 8);
}

static void check_shapes(struct fake *f)
{
	struct member m = ask(f, "sample_outer.grid");

	CHECK(m.is_array && m.is_signed && !m.is_aggregate);
	CHECK_EQ(m.count, 15);
	CHECK_EQ(m.stride, 4);
	m = ask(f, "sample_outer.list[]");
	CHECK(m.is_array && m.is_aggregate);
	CHECK_EQ(m.stride, sizeof(struct sample_inner));
	m = ask(f, "sample_outer.tail");
	CHECK(m.is_array);
	CHECK_EQ(m.count, 0);
	CHECK_EQ(m.size, 0);
	CHECK_EQ(m.stride, 1);
	CHECK(ask(f, "sample_outer.table").is_pointer);
	CHECK(ask(f, "sample_outer.next").is_pointer);
	CHECK(!ask(f, "sample_outer.flags").is_signed);
	CHECK(ask(f, "sample_inner.tag").is_signed);
	CHECK(!ask(f, "sample_outer.yes").is_signed);
	/* "[]" tells shapes apart */
	CHECK(absent(f, "sample_outer.list.refs"));
	CHECK(absent(f, "sample_outer.in[].refs"));
	CHECK(absent(f, "sample_outer.in[]"));
	CHECK(absent(f, "sample_outer.nosuch"));
	CHECK(absent(f, "sample_outer.next.flags"));
	CHECK(absent(f, "sample_outer.bits.first.x"));
	CHECK(absent(f, "nosuch.x"));
	CHECK(absent(f, "sample_outer"));
	CHECK(absent(f, "sample_outer."));
	CHECK(absent(f, "sample_outer.list[]."));
	CHECK(absent(f, "sample_outer.list[]x"));
	CHECK(absent(f, "sample_outer[].flags"));
	CHECK(absent(f, ".flags"));
	CHECK(absent(f, ""));
}

static void check_enums(struct fake *f)
{
	int64_t v;

	CHECK_EQ(enum_value(f, "SAMPLE_NEGATIVE"), -2);
	CHECK_EQ(enum_value(f, "SAMPLE_SEVEN"), 7);
	CHECK_EQ(enum_value(f, "SAMPLE_BIG"), 0x80000000u);
	CHECK_EQ(enum_value(f, "SAMPLE_BYTE"), 0xf0);
	CHECK_EQ(enum_value(f, "SAMPLE_WIDE"), 0x123456789abcll);
	CHECK_EQ(types_enumerator(&f->dump.types, "SAMPLE_NONE", &v, NULL), ST_ABSENT);
}

static const char *const wanted[] = {
	"sample_outer", "sample_atomic_t", "sample_packed", "sample_outer_alias", "sample_inner",
	"sample_bits", "nosuch_type", "SAMPLE_BIG", "SAMPLE_WIDE", "sample_outer",
};

/* A shared object: a vmlinux is linked, too. */
static bool compile(const char *cc, int version, const char *flags, const char *out)
{
	char cmd[1024];

	snprintf(cmd, sizeof(cmd),
		 "command -v %s >/dev/null 2>&1 && "
		 "printf '#include \"tests/unit/types_sample.h\"\\n"
		 "extern struct sample_outer *f(struct sample_packed *);\\n"
		 "struct sample_outer o; struct sample_packed p; sample_outer_alias *q;\\n"
		 "enum sample_wide w; sample_anon_t a;\\n' | "
		 "%s -w -I. -x c -g -gdwarf-%d %s -shared -nostdlib -fPIC -o %s - 2>/dev/null",
		 cc, cc, version, flags, out);
	return system(cmd) == 0;
}

static void one_dwarf(const char *file, const char *how)
{
	struct fake *f = fake_new(8, false);
	unsigned long failed = check_counts.failed;

	f->dump.wanted = (const char **)wanted;
	f->dump.nwanted = ARRAY_LEN(wanted);
	if (CHECK_EQ(dump_add_file(&f->dump, file), ST_OK) && CHECK_EQ(f->dump.types.n, 1)) {
		CHECK_STR(f->dump.types.v[0].name, "dwarf");
		check_places(f);
		check_bits(f);
		check_shapes(f);
		check_enums(f);
	} else {
		printf("\t%s\n", f->dump.diag.text);
	}
	if (check_counts.failed != failed)
		printf("\t%s\n", how);
	types_close(&f->dump.types);
	symbols_close(&f->dump.symbols);
	fake_free(f);
}

TEST(dwarf)
{
	static const char *const compilers[] = { "gcc", "clang" };
	static const char *const flags[] = { "", "-gz", "-fdebug-types-section",
					     "-Wl,--build-id" };
	char file[] = "/tmp/vmcensus-types-XXXXXX";
	unsigned done = 0;
	int fd = mkstemp(file);
	char how[80];

	for (size_t c = 0; c < ARRAY_LEN(compilers); c++)
		for (int version = 2; version <= 5; version++)
			for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
				if (!compile(compilers[c], version, flags[i], file))
					continue;
				snprintf(how, sizeof(how), "%s -gdwarf-%d %s", compilers[c],
					 version, flags[i]);
				one_dwarf(file, how);
				done++;
			}
	if (!done)
		printf("no compiler: DWARF was not tested\n");
	close(fd);
	unlink(file);
}

/* ---- BTF ----------------------------------------------------------------- */

/* Ids: 1 int, 2 char, 3 long, 4 ptr, 5 array ... in the order of the calls. */
static struct btf *make_btf(void)
{
	struct btf *b = btf__new_empty();
	int u32, s8, ptr, arr, inner, mod, u, outer, wide;

	u32 = btf__add_int(b, "unsigned int", 4, 0);
	s8 = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	ptr = btf__add_ptr(b, 0);
	arr = btf__add_array(b, u32, s8, 16);
	inner = btf__add_struct(b, "inner", 8);
	btf__add_field(b, "level", u32, 29, 3);
	btf__add_field(b, "flags", u32, 24, 5);
	btf__add_field(b, "last", u32, 32, 0);
	mod = btf__add_const(b, btf__add_volatile(b, btf__add_typedef(b, "inner_t", inner)));
	u = btf__add_union(b, NULL, 16);
	btf__add_field(b, "name", arr, 0, 0);
	btf__add_field(b, "in", mod, 0, 0);
	outer = btf__add_struct(b, "outer", 40);
	btf__add_field(b, "next", ptr, 0, 0);
	btf__add_field(b, NULL, u, 64, 0);
	btf__add_field(b, "list", btf__type_cnt(b), 192, 0);
	btf__add_array(b, u32, inner, 2);
	btf__add_enum(b, "kind", 4);
	btf__add_enum_value(b, "MINUS", -1);
	btf__add_enum_value(b, "FIVE", 5);
	wide = btf__add_enum64(b, NULL, 8, false);
	btf__add_enum64_value(b, "WIDE", 1ull << 40);
	btf__add_var(b, "variable", 1, outer);
	btf__add_func(b, "function", 1, btf__add_func_proto(b, wide));
	btf__add_typedef(b, "outer_t", outer);
	return b;
}

static uint8_t *btf_bytes(bool big, uint32_t *len)
{
	struct btf *b = make_btf();
	const void *raw;
	uint8_t *copy;

	if (big)
		btf__set_endianness(b, BTF_BIG_ENDIAN);
	raw = btf__raw_data(b, len);
	copy = malloc(*len);
	if (!raw || !copy)
		abort();
	memcpy(copy, raw, *len);
	btf__free(b);
	return copy;
}

static void check_btf(struct fake *f, unsigned word)
{
	bool big = f->dump.big_endian;
	struct member m = ask(f, "outer_t.in.level");

	CHECK_EQ(m.offset, 8);
	CHECK_EQ(m.size, 4);
	CHECK_EQ(m.bit_size, 3);
	CHECK_EQ(m.bit_offset, big ? 0 : 29);
	m = ask(f, "inner_t.flags");
	CHECK_EQ(m.bit_offset, big ? 3 : 24);
	m = ask(f, "outer.next");
	CHECK_EQ(m.size, word);
	m = ask(f, "outer.list[].last");
	CHECK_EQ(m.offset, 28);
	m = ask(f, "outer.name");
	CHECK_EQ(m.count, 16);
	CHECK_EQ(enum_value(f, "MINUS"), -1);
	CHECK_EQ(enum_value(f, "FIVE"), 5);
	CHECK_EQ(enum_value(f, "WIDE"), 1ll << 40);
	CHECK_EQ(size_of(f, "outer_t"), 40);
	CHECK_EQ(size_of(f, "kind"), 4);
	CHECK(absent(f, "variable.next"));
}

TEST(btf)
{
	for (int big = 0; big < 2; big++) {
		struct fake *f = fake_new(big ? 4 : 8, big);
		uint32_t len;
		uint8_t *data = btf_bytes(big, &len);

		if (CHECK_EQ(types_add_btf(&f->dump, data, len, "btf"), ST_OK))
			check_btf(f, big ? 4 : 8);
		types_close(&f->dump.types);
		fake_free(f);
	}
}

/* The other byte order is another machine's. */
TEST(wrong_order)
{
	struct fake *f = fake_new(8, false);
	uint32_t len;
	uint8_t *data = btf_bytes(true, &len);

	CHECK_EQ(types_add_btf(&f->dump, data, len, "btf"), ST_CORRUPT);
	CHECK_EQ(f->dump.types.n, 0);
	fake_free(f);
}

/*
 * BTF of 7.1 and later: a layout section tells the size of kinds that came
 * after this program, and vlen has 24 bits.
 */
static uint8_t *future_btf(bool big, size_t *len)
{
	enum { NEW = 70000, KINDS = 24 };
	uint32_t old_len, types, strs, hdr[8];
	uint8_t *old = btf_bytes(big, &old_len), *data, *p;
	size_t news = 12 + 4 + 8 * (size_t)NEW, layout = 4 * KINDS;

	types = load32(old + 12, big);
	strs = load32(old + 20, big);
	*len = 32 + news + types + layout + strs;
	data = calloc(1, *len);
	if (!data)
		abort();
	memcpy(data, old, 8);
	hdr[0] = 0;
	hdr[1] = (uint32_t)(news + types);
	hdr[4] = hdr[1];
	hdr[5] = (uint32_t)layout;
	hdr[2] = (uint32_t)(hdr[4] + layout);
	hdr[3] = strs;
	store_uint(data + 4, 32, 4, big);
	for (unsigned i = 0; i < 6; i++)
		store_uint(data + 8 + 4 * i, hdr[i], 4, big);
	/* type ids are fixed: the new kind follows the known ones */
	p = data + 32;
	memcpy(p, old + 24, types);
	store_uint(p + types + 4, (uint32_t)(KINDS - 1) << 24 | NEW, 4, big);
	p += types + news;
	p[4 * (KINDS - 1)] = 4;
	p[4 * (KINDS - 1) + 1] = 8;
	memcpy(p + layout, old + 24 + types, strs);
	free(old);
	return data;
}

TEST(future_btf)
{
	for (int big = 0; big < 2; big++) {
		struct fake *f = fake_new(big ? 4 : 8, big);
		size_t len;
		uint8_t *data = future_btf(big, &len);

		CHECK_EQ(btf_extent(data, len), len);
		if (CHECK_EQ(types_add_btf(&f->dump, data, len, "btf"), ST_OK))
			check_btf(f, big ? 4 : 8);
		types_close(&f->dump.types);
		/* without the layout section the end of the kind is unknown */
		data = future_btf(big, &len);
		store_uint(data + 28, 4, 4, big);
		CHECK_EQ(types_add_btf(&f->dump, data, len, "btf"), ST_UNSUPPORTED);
		fake_free(f);
	}
}

/* Each word of the blob replaced: refused or answered, without a crash. */
TEST(hostile_btf)
{
	static const uint32_t evil[] = { 0, 1, 0x7fffffff, 0xffffffff, 0x04ffffff, 0x84000001 };
	uint32_t len;
	uint8_t *good = btf_bytes(false, &len);

	for (uint32_t at = 0; at + 4 <= len; at += 4)
		for (size_t i = 0; i < ARRAY_LEN(evil); i++) {
			struct fake *f = fake_new(8, false);
			uint8_t *data = malloc(len);
			struct member m;

			memcpy(data, good, len);
			store_uint(data + at, evil[i], 4, false);
			if (!types_add_btf(&f->dump, data, len, "btf")) {
				types_member(&f->dump.types, "outer_t.in.level", &m, NULL);
				types_member(&f->dump.types, "outer.list[].last", &m, NULL);
				types_member(&f->dump.types, "outer.nosuch", &m, NULL);
			}
			types_close(&f->dump.types);
			fake_free(f);
		}
	for (uint32_t n = 0; n < len; n++) {
		struct fake *f = fake_new(8, false);
		uint8_t *data = malloc(len);

		memcpy(data, good, len);
		CHECK(types_add_btf(&f->dump, data, n, "btf") != ST_OK);
		fake_free(f);
	}
	free(good);
}

/* A struct that holds itself, anonymously and twice: bounded. */
TEST(loops)
{
	struct fake *f = fake_new(8, false);
	struct btf *b = btf__new_empty();
	uint32_t len;
	const void *raw;
	uint8_t *data;
	struct member m;
	uint32_t size;

	btf__add_struct(b, "loop", 8);
	btf__add_field(b, NULL, 1, 0, 0);
	btf__add_field(b, NULL, 1, 0, 0);
	btf__add_typedef(b, "round", 3);
	btf__add_const(b, 2);
	btf__add_array(b, 1, 4, 2);
	raw = btf__raw_data(b, &len);
	data = malloc(len);
	memcpy(data, raw, len);
	btf__free(b);
	CHECK_EQ(types_add_btf(&f->dump, data, len, "btf"), ST_OK);
	CHECK_EQ(types_member(&f->dump.types, "loop.x", &m, NULL), ST_ABSENT);
	CHECK_EQ(types_member(&f->dump.types, "round.x", &m, NULL), ST_ABSENT);
	CHECK_EQ(types_size(&f->dump.types, "round", &size, NULL), ST_OK);
	CHECK_EQ(size, 0);
	types_close(&f->dump.types);
	fake_free(f);
}

/* ---- invalid files, and files of other kernels ----------------------------- */

static void refused(const char *content, size_t len, const char *word)
{
	struct fake *f = fake_new(8, false);
	char file[] = "/tmp/vmcensus-file-XXXXXX";
	int fd = mkstemp(file);

	CHECK(write(fd, content, len) == (ssize_t)len);
	close(fd);
	CHECK(dump_add_file(&f->dump, file) != ST_OK);
	if (!CHECK(strstr(f->dump.diag.text, word) && strstr(f->dump.diag.text, file)))
		printf("\t%s\n", f->dump.diag.text);
	unlink(file);
	types_close(&f->dump.types);
	symbols_close(&f->dump.symbols);
	fake_free(f);
}

TEST(refusals)
{
	static char boot[1024];
	static unsigned char elf[64] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 };

	memcpy(boot + 0x202, "HdrS", 4);
	refused(boot, sizeof(boot), "boot image");
	refused("\x1f\x8b\x08\0\0\0\0\0", 8, "uncompress");
	refused("hello\n", 6, "cannot be used with -t");
	refused("", 0, "cannot be used with -t");
	elf[16] = ET_CORE;
	elf[18] = EM_X86_64;
	elf[20] = 1;
	elf[52] = 64;
	refused((char *)elf, sizeof(elf), "is a dump");
	elf[16] = ET_EXEC;
	refused((char *)elf, sizeof(elf), "no debug information");
	elf[18] = EM_PPC;
	refused((char *)elf, sizeof(elf), "another machine");
}

TEST(wrong_build_id)
{
	struct fake *f = fake_new(8, false);
	char file[] = "/tmp/vmcensus-types-XXXXXX";
	int fd = mkstemp(file);

	f->dump.build_id_len = 20;
	memset(f->dump.build_id, 0xab, 20);
	if (compile("gcc", 4, "-Wl,--build-id=0x0123456789", file)) {
		CHECK_EQ(dump_add_file(&f->dump, file), ST_CORRUPT);
		CHECK(strstr(f->dump.diag.text, "0123456789"));
		CHECK(strstr(f->dump.diag.text, "abababababababababababababababababababab"));
	}
	close(fd);
	unlink(file);
	fake_free(f);
}

TEST(steps)
{
	const char *p = "a.b[].c";
	struct path_step s;

	CHECK(path_step(&p, &s) && s.len == 1 && !s.array && !s.last);
	CHECK(path_step(&p, &s) && s.array && !s.last && *s.name == 'b');
	CHECK(path_step(&p, &s) && s.last && *s.name == 'c');
	CHECK(!path_step(&p, &s));
	p = "a..b";
	CHECK(path_step(&p, &s));
	CHECK(!path_step(&p, &s));
	CHECK_EQ(path_type_len("page.flags"), 4);
	CHECK_EQ(path_type_len("page[].flags"), 4);
	CHECK_EQ(path_type_len("page"), 4);
}
