/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dump_find_kernel(): symbols, types, release and build-id from the memory of a
 * dump, with VMCOREINFO and without, and the messages if they are missing.
 */
#include <bpf/btf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/find/find.h"
#include "dumpread/symbols/sources.h"
#include "dumpread/types/sources.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"
#include "tests/unit/mkkallsyms.h"

#define NSYMS 600u
#define TEXT_PA 0x100000u
#define NOTES_PA 0x180000u
#define BTF_PA 0x200000u
#define TABLES_PA 0x300000u
#define UTS_PA 0x400000u

static struct mk_symbol symbols[NSYMS];
static char names[NSYMS][32];

static uint8_t *btf_bytes(uint32_t *len, bool big)
{
	struct btf *b = btf__new_empty();
	const void *raw;
	uint8_t *copy;

	btf__add_struct(b, "task_struct", 64);
	btf__add_field(b, "pid", btf__add_int(b, "int", 4, BTF_INT_SIGNED), 0, 0);
	btf__add_struct(b, "page", 64);
	btf__add_field(b, "flags", 2, 32, 0);
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

static void name_symbol(unsigned i, const char *name, uint64_t addr)
{
	snprintf(names[i], sizeof(names[i]), "%s", name);
	symbols[i].addr = addr;
}

/* Which parts of the kernel are in memory. */
enum { HAS_SYMBOLS = 1, HAS_BTF = 2, NAMES_BTF = 4 };

static void put_tables(struct fake *f, uint32_t btf_len, unsigned parts)
{
	unsigned word = f->dump.word_size;
	struct mk_kallsyms m = {
		.word = word, .big = f->dump.big_endian, .form = KALLSYMS_RELATIVE,
		.align = word, .va = fake_kva(f, TABLES_PA), .base = fake_kva(f, TEXT_PA),
	};
	static uint8_t buf[64 << 10];

	for (unsigned i = 0; i < NSYMS; i++) {
		name_symbol(i, "", fake_kva(f, TEXT_PA) + i * 16ull);
		snprintf(names[i], sizeof(names[i]), "sym_%u", i);
		symbols[i].type = 'T';
		symbols[i].name = names[i];
	}
	name_symbol(0, "_stext", fake_kva(f, TEXT_PA));
	name_symbol(590, "__start_notes", fake_kva(f, NOTES_PA));
	name_symbol(591, "__stop_notes", fake_kva(f, NOTES_PA) + 36);
	name_symbol(592, parts & NAMES_BTF ? "__start_BTF" : "a", fake_kva(f, BTF_PA));
	name_symbol(593, parts & NAMES_BTF ? "__stop_BTF" : "b", fake_kva(f, BTF_PA) + btf_len);
	for (unsigned i = 594; i < NSYMS; i++)
		symbols[i].addr = fake_kva(f, UTS_PA) + (i - 594) * 8;
	name_symbol(594, "init_uts_ns", fake_kva(f, UTS_PA));
	fake_put(f, TABLES_PA, buf, mk_kallsyms(&m, symbols, NSYMS, buf, sizeof(buf)));
}

static void put_uts(struct fake *f)
{
	char uts[6 * 65 + 4] = { 4 };

	strcpy(uts + 4, "Linux");
	strcpy(uts + 4 + 65, "host");
	strcpy(uts + 4 + 130, "5.4.0-test");
	fake_put(f, UTS_PA, uts, sizeof(uts));
}

static void put_notes(struct fake *f)
{
	uint8_t note[36] = { 0 };
	bool big = f->dump.big_endian;

	store_uint(note, 4, 4, big);
	store_uint(note + 4, 20, 4, big);
	store_uint(note + 8, 3, 4, big);
	memcpy(note + 12, "GNU", 4);
	for (unsigned i = 0; i < 20; i++)
		note[16 + i] = (uint8_t)(i + 1);
	fake_put(f, NOTES_PA, note, sizeof(note));
}

static struct fake *machine(unsigned word, bool big, unsigned parts)
{
	struct fake *f = fake_new(word, big);
	uint32_t len = 0;
	uint8_t *btf = btf_bytes(&len, big);

	if (parts & HAS_SYMBOLS)
		put_tables(f, len, parts);
	if (parts & HAS_BTF)
		fake_put(f, BTF_PA, btf, len);
	put_uts(f);
	put_notes(f);
	free(btf);
	return f;
}

static void machine_free(struct fake *f)
{
	types_close(&f->dump.types);
	symbols_close(&f->dump.symbols);
	fake_free(f);
}

static void found_in_memory(unsigned word, bool big, unsigned parts, const char *info)
{
	struct fake *f = machine(word, big, parts);
	const char *from;
	struct member m;
	uint64_t addr;

	f->dump.vmcoreinfo = info;
	if (!CHECK_EQ(dump_find_kernel(&f->dump), ST_OK))
		printf("\t%s\n", f->dump.diag.text);
	CHECK_EQ(types_member(&f->dump.types, "page.flags", &m, &from), ST_OK);
	CHECK_STR(from, "btf");
	CHECK_EQ(m.offset, 4);
	if (parts & HAS_SYMBOLS) {
		CHECK(symbols_find(&f->dump.symbols, "sym_77", &addr, &from));
		CHECK_STR(from, "kallsyms");
		CHECK_EQ(addr, fake_kva(f, TEXT_PA) + 77 * 16);
		CHECK_STR(f->dump.release, "5.4.0-test");
		CHECK_EQ(f->dump.build_id_len, 20);
		CHECK_EQ(f->dump.build_id[19], 20);
	}
	machine_free(f);
}

TEST(in_memory)
{
	for (int big = 0; big < 2; big++)
		for (unsigned word = 4; word <= 8; word += 4) {
			char info[80];

			snprintf(info, sizeof(info), "SYMBOL(_stext)=%" PRIx64 "\n",
				 (uint64_t)(word == 8 ? FAKE_BASE : FAKE_BASE32) + TEXT_PA);
			found_in_memory(word, big, HAS_SYMBOLS | HAS_BTF | NAMES_BTF, "");
			found_in_memory(word, big, HAS_SYMBOLS | HAS_BTF | NAMES_BTF, info);
			/* BTF by its header */
			found_in_memory(word, big, HAS_SYMBOLS | HAS_BTF, info);
			found_in_memory(word, big, HAS_BTF, "");
		}
}

/* Nothing found: the message names the missing part, and what would help. */
TEST(no_types)
{
	struct fake *f = machine(8, false, HAS_SYMBOLS);

	unsetenv("DEBUGINFOD_URLS");
	CHECK_EQ(dump_find_kernel(&f->dump), ST_ABSENT);
	CHECK(strstr(f->dump.diag.text, "5.4.0-test"));
	CHECK(strstr(f->dump.diag.text, "0102030405060708090a0b0c0d0e0f1011121314"));
	CHECK(strstr(f->dump.diag.text, "linux-image-5.4.0-test-dbg"));
	CHECK(strstr(f->dump.diag.text, "-t"));
	machine_free(f);
}

/* A release goes into paths: "../../etc" from a dump must not. */
TEST(hostile_release)
{
	struct fake *f = machine(8, false, HAS_SYMBOLS);
	char uts[6 * 65] = "Linux";

	strcpy(uts + 130, "../../etc/shadow");
	fake_put(f, UTS_PA, uts, sizeof(uts));
	strcpy(f->dump.release, "../../x");
	CHECK_EQ(dump_find_kernel(&f->dump), ST_ABSENT);
	CHECK_STR(f->dump.release, "");
	machine_free(f);
}

/* debuginfod from a directory: the library takes file:// as a server. */
TEST(debuginfod)
{
	char dir[] = "/tmp/vmcensus-debuginfod-XXXXXX", cmd[1024], url[128];
	static const char *wanted[] = { "sample" };
	struct fake *f = machine(8, false, HAS_SYMBOLS);
	struct member m;

	if (!CHECK(mkdtemp(dir)))
		return;
	snprintf(cmd, sizeof(cmd),
		 "cd %s && mkdir -p s/buildid/0102030405060708090a0b0c0d0e0f1011121314 && "
		 "echo 'struct sample { int a, b; } s;' | gcc -x c -g -shared -nostdlib -fPIC "
		 "-Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011121314 -o "
		 "s/buildid/0102030405060708090a0b0c0d0e0f1011121314/debuginfo - 2>/dev/null", dir);
	snprintf(url, sizeof(url), "file://%s/s", dir);
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", dir, 1);
	f->dump.wanted = wanted;
	f->dump.nwanted = 1;
	/* needs a compiler and the library; without them it was not tested */
	if (!system(cmd) && dump_find_kernel(&f->dump) == ST_OK) {
		CHECK_EQ(types_member(&f->dump.types, "sample.b", &m, NULL), ST_OK);
		CHECK_EQ(m.offset, 4);
	} else {
		printf("debuginfod was not tested: %s\n", f->dump.diag.text);
	}
	unsetenv("DEBUGINFOD_URLS");
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	CHECK_EQ(system(cmd), 0);
	machine_free(f);
}

/* A vmlinux on this machine is accepted only for its own release, and never for another build. */
static void near_vmlinux(const char *path, const char *release, bool taken)
{
	static const char *wanted[] = { "sample" };
	struct fake *f = machine(8, false, HAS_SYMBOLS);
	struct member m;

	f->dump.near_vmlinux = path;
	f->dump.near_release = release;
	f->dump.wanted = wanted;
	f->dump.nwanted = 1;
	CHECK_EQ(dump_find_kernel(&f->dump), taken ? ST_OK : ST_ABSENT);
	CHECK_EQ(types_member(&f->dump.types, "sample.b", &m, NULL), taken ? ST_OK : ST_ABSENT);
	machine_free(f);
}

TEST(near_vmlinux)
{
	char dir[] = "/tmp/vmcensus-near-XXXXXX", cmd[1024], ours[64], other[64];

	if (!CHECK(mkdtemp(dir)))
		return;
	snprintf(ours, sizeof(ours), "%s/ours", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	snprintf(cmd, sizeof(cmd),
		 "cd %s && echo 'struct sample { int a, b; } s;' > s.c && "
		 "for f in ours:0x0102030405060708090a0b0c0d0e0f1011121314 other:0xff; do "
		 "gcc -g -shared -nostdlib -fPIC -Wl,--build-id=${f#*:} -o ${f%%:*} s.c "
		 "2>/dev/null || exit 1; done", dir);
	unsetenv("DEBUGINFOD_URLS");
	if (!system(cmd)) {
		near_vmlinux(ours, "5.4.0-test", true);
		near_vmlinux(ours, "5.4.0-other", false);
		near_vmlinux(other, "5.4.0-test", false);
	} else {
		printf("a vmlinux at hand was not tested: no compiler\n");
	}
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	CHECK_EQ(system(cmd), 0);
}
