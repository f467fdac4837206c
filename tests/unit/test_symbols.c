/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbols: kallsyms in all its forms, by VMCOREINFO and by signature; lists
 * from files and KASLR; the chain.
 */
#include <stdlib.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/symbols/sources.h"
#include "dumpread/symbols/symlist.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"
#include "tests/unit/mkkallsyms.h"

#define NSYMS 1500u
#define PAGE 4096u
#define NPERCPU 20u
#define TABLES_PA 0x300000u	/* where the tables lie in the fake machine */
#define TEXT_PA 0x200000u

static struct mk_symbol symbols[NSYMS];
static char names[NSYMS][160];

/* Two symbols of one name, a long name, symbols at one address. */
static void make_symbols(uint64_t text, bool percpu)
{
	for (uint32_t i = 0; i < NSYMS; i++) {
		bool absolute = percpu && i < NPERCPU;

		snprintf(names[i], sizeof(names[i]), "sym_%u", i);
		symbols[i] = (struct mk_symbol){
			i % 3 ? 't' : 'D', names[i],
			absolute ? i * 8 : text + i * 16ull,
		};
	}
	strcpy(names[NPERCPU], "_stext");
	strcpy(names[100], "twice");
	symbols[100].type = 'd';
	strcpy(names[1200], "twice");
	symbols[1200].type = 'D';
	memset(names[300], 'x', 150);
	symbols[401].addr = symbols[400].addr;
	strcpy(names[1400], "init_uts_ns");
}

struct variant {
	const char *what;
	unsigned word;
	enum kallsyms_form form;
	bool late_order, long_count;
	unsigned align;
};

static const struct variant variants[] = {
	{ "2.6.24 i386", 4, KALLSYMS_ADDRESS, false, true, 4 },
	{ "4.4 x86-64", 8, KALLSYMS_ADDRESS, false, true, 8 },
	{ "4.19 ppc32", 4, KALLSYMS_RELATIVE, false, true, 4 },
	{ "4.19 x86-64", 8, KALLSYMS_PERCPU, false, true, 8 },
	{ "4.19 ppc64", 8, KALLSYMS_RELATIVE, false, true, 8 },
	{ "5.10 x86-64", 8, KALLSYMS_PERCPU, false, false, 8 },
	{ "6.1 ppc64", 8, KALLSYMS_RELATIVE, false, false, 8 },
	{ "6.12 x86-64", 8, KALLSYMS_PERCPU, true, false, 8 },
	{ "6.17 x86-64", 8, KALLSYMS_RELATIVE, true, false, 8 },
	{ "7.3 x86-64", 8, KALLSYMS_PCREL, true, false, 4 },
	{ "7.3 ppc32", 4, KALLSYMS_ADDRESS, true, false, 4 },
};

enum found_by { BY_NAME, BY_SIGNATURE, BY_MEMORY };

static void vmcoreinfo(char *buf, size_t size, const struct mk_kallsyms *m, enum found_by by)
{
	size_t n = 0;

	*buf = '\0';
	if (by == BY_MEMORY)
		return;
	n = (size_t)snprintf(buf, size, "OSRELEASE=1\nSYMBOL(_stext)=%" PRIx64
			     "\nSYMBOL(init_uts_ns)=%" PRIx64 "\nSYMBOL(mem_section)=123\n",
			     symbols[NPERCPU].addr, symbols[1400].addr);
	if (by != BY_NAME)
		return;
	n += (size_t)snprintf(buf + n, size - n, "SYMBOL(kallsyms_names)=%" PRIx64
			      "\nSYMBOL(kallsyms_num_syms)=%" PRIx64
			      "\nSYMBOL(kallsyms_token_table)=%" PRIx64
			      "\nSYMBOL(kallsyms_token_index)=%" PRIx64 "\n",
			      m->names, m->num, m->tokens, m->index);
	n += (size_t)snprintf(buf + n, size - n, "SYMBOL(kallsyms_%s)=%" PRIx64 "\n",
			      m->form == KALLSYMS_ADDRESS && !m->late_order ? "addresses"
									    : "offsets",
			      m->values);
	if (m->base_at)
		snprintf(buf + n, size - n, "SYMBOL(kallsyms_relative_base)=%" PRIx64 "\n",
			 m->base_at);
}

static struct mk_kallsyms tables_of(const struct variant *v, const struct fake *f)
{
	return (struct mk_kallsyms){
		.word = v->word, .big = f->dump.big_endian, .form = v->form,
		.late_order = v->late_order, .long_count = v->long_count, .align = v->align,
		.va = fake_kva(f, TABLES_PA), .base = fake_kva(f, TEXT_PA),
	};
}

static void check_answers(struct dump *d)
{
	uint64_t addr;

	for (uint32_t i = 0; i < NSYMS; i++) {
		if (i == 100)
			continue;	/* the local one of two; 1200 is found by name */
		CHECK(symbols_find(&d->symbols, names[i], &addr, NULL));
		CHECK_EQ(addr, symbols[i].addr);
	}
	CHECK(!symbols_find(&d->symbols, "nosuch", &addr, NULL));
	CHECK(!symbols_find(&d->symbols, "", &addr, NULL));
}

static void one_variant(const struct variant *v, bool big, enum found_by by)
{
	struct fake *f = fake_new(v->word, big);
	struct mk_kallsyms m = tables_of(v, f);
	static uint8_t buf[256 << 10];
	char info[1024];
	size_t len;

	make_symbols(fake_kva(f, TEXT_PA), v->form == KALLSYMS_PERCPU);
	len = mk_kallsyms(&m, symbols, NSYMS, buf, sizeof(buf));
	fake_put(f, TABLES_PA, buf, len);
	vmcoreinfo(info, sizeof(info), &m, by);
	f->dump.vmcoreinfo = info;
	if (CHECK_EQ(symbols_add_kallsyms(&f->dump), ST_OK))
		check_answers(&f->dump);
	else
		printf("\t%s, %s-endian, %d: %s\n", v->what, big ? "big" : "little", by,
		       f->dump.diag.text);
	CHECK_EQ(f->dump.kallsyms_lost, ST_OK);
	symbols_close(&f->dump.symbols);
	fake_free(f);
}

TEST(forms)
{
	for (size_t i = 0; i < ARRAY_LEN(variants); i++)
		for (int big = 0; big < 2; big++) {
			one_variant(&variants[i], big, BY_NAME);
			one_variant(&variants[i], big, BY_SIGNATURE);
			/* relative to themselves, tables need an address */
			if (variants[i].form != KALLSYMS_PCREL)
				one_variant(&variants[i], big, BY_MEMORY);
		}
}

/* Symbols that are found, all of them where they are, of tables without the page at PA. */
static uint32_t found_without(const struct variant *v, bool big, uint64_t pa, size_t *size)
{
	struct fake *f = fake_new(v->word, big);
	struct mk_kallsyms m = tables_of(v, f);
	static uint8_t buf[256 << 10];
	uint32_t found = 0;
	char info[1024];
	uint64_t addr;

	make_symbols(fake_kva(f, TEXT_PA), v->form == KALLSYMS_PERCPU);
	*size = mk_kallsyms(&m, symbols, NSYMS, buf, sizeof(buf));
	fake_put(f, TABLES_PA, buf, *size);
	vmcoreinfo(info, sizeof(info), &m, BY_NAME);
	f->dump.vmcoreinfo = info;
	fake_drop(f, pa);
	if (!symbols_add_kallsyms(&f->dump)) {
		CHECK_EQ(f->dump.kallsyms_lost, ST_NODATA);
		CHECK_EQ(issues_total(&f->dump.issues) > 0, true);
	}
	for (uint32_t i = 0; i < NSYMS; i++) {
		/* two have one name */
		if (i == 100 || i == 1200 || !symbols_find(&f->dump.symbols, names[i], &addr, NULL))
			continue;
		CHECK_EQ(addr, symbols[i].addr);
		found++;
	}
	symbols_close(&f->dump.symbols);
	fake_free(f);
	return found;
}

/* A page that is lost costs the symbols on it, and those up to the next mark; not if it has the tokens. */
TEST(holes)
{
	for (size_t i = 0; i < ARRAY_LEN(variants); i++)
		for (int big = 0; big < 2; big++) {
			size_t size = PAGE;
			unsigned none = 0;

			for (uint64_t at = 0; at < size; at += PAGE)
				none += found_without(&variants[i], big, TABLES_PA + at, &size) < NSYMS / 4;
			CHECK(none <= 2);
		}
}

/* A table that puts _stext elsewhere is not this kernel's. */
TEST(wrong_anchor)
{
	struct fake *f = fake_new(8, false);
	struct mk_kallsyms m = tables_of(&variants[5], f);
	static uint8_t buf[256 << 10];
	char info[1024];

	make_symbols(fake_kva(f, TEXT_PA), true);
	fake_put(f, TABLES_PA, buf, mk_kallsyms(&m, symbols, NSYMS, buf, sizeof(buf)));
	symbols[NPERCPU].addr += 16;
	vmcoreinfo(info, sizeof(info), &m, BY_NAME);
	f->dump.vmcoreinfo = info;
	CHECK(symbols_add_kallsyms(&f->dump) != ST_OK);
	CHECK_EQ(f->dump.symbols.n, 0);
	fake_free(f);
}

/* One wrong byte: the tables are not used, and it is known that they are there. */
static void damaged(const struct variant *v, enum found_by by, bool second_name)
{
	struct fake *f = fake_new(v->word, false);
	struct mk_kallsyms m = tables_of(v, f);
	static uint8_t buf[256 << 10];
	char info[1024];
	size_t len;

	make_symbols(fake_kva(f, TEXT_PA), v->form == KALLSYMS_PERCPU);
	len = mk_kallsyms(&m, symbols, NSYMS, buf, sizeof(buf));
	if (second_name)
		buf[m.names - m.va + 1 + buf[m.names - m.va]]++;	/* its length */
	else
		buf[m.markers - m.va + 4]++;
	fake_put(f, TABLES_PA, buf, len);
	vmcoreinfo(info, sizeof(info), &m, by);
	f->dump.vmcoreinfo = info;
	CHECK(symbols_add_kallsyms(&f->dump) != ST_OK);
	CHECK_EQ(f->dump.kallsyms_lost, ST_CORRUPT);
	symbols_close(&f->dump.symbols);
	fake_free(f);
}

TEST(lost)
{
	for (size_t i = 0; i < ARRAY_LEN(variants); i++) {
		/* 4.19 has longs */
		damaged(&variants[i], BY_NAME, true);
		damaged(&variants[i], BY_SIGNATURE, true);
		if (!variants[i].long_count)
			damaged(&variants[i], BY_NAME, false);
	}
}

/* Every byte of the small tables, and some of the large, set to 0xff. */
TEST(damage)
{
	struct fake *f = fake_new(8, false);
	struct mk_kallsyms m = tables_of(&variants[7], f);
	static uint8_t buf[256 << 10];
	size_t len;

	make_symbols(fake_kva(f, TEXT_PA), true);
	len = mk_kallsyms(&m, symbols, NSYMS, buf, sizeof(buf));
	for (size_t at = 0; at < len; at += at < 16 || at > m.tokens - m.va ? 1 : 97) {
		struct kallsyms *k = kallsyms_new();
		uint64_t addr;
		uint8_t old = buf[at];

		buf[at] = 0xff;
		*k = (struct kallsyms){
			.num = load32(buf + (m.num - m.va), false), .word_size = 8,
			.names = buf + (m.names - m.va), .names_len = m.markers - m.names,
			.tokens = buf + (m.tokens - m.va), .tokens_len = m.index - m.tokens,
			.token_index = buf + (m.index - m.va),
			.values = buf + (m.values - m.va), .value_size = 4,
			.base = m.base, .has_base = true,
		};
		if (k->num == NSYMS && !kallsyms_index(k) && !kallsyms_choose_form(k, NULL, 0))
			kallsyms_find(k, "sym_7", &addr);
		kallsyms_free(k);
		buf[at] = old;
	}
	CHECK(true);
	fake_free(f);
}

/* ---- lists from files ---------------------------------------------------- */

static char *write_map(uint64_t shift, unsigned n)
{
	char *path = strdup("/tmp/vmcensus-map-XXXXXX");
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w");

	fprintf(out, "0000000000001000 D percpu_var\n");
	for (unsigned i = 0; i < n; i++)
		fprintf(out, "%016" PRIx64 " %c %s\n",
			(uint64_t)0xffffffff81000000 + shift + i * 64, i == 5 ? 't' : 'T',
			i == 0 ? "_stext" : i == 7 ? "init_uts_ns" :
			i == 5 || i == 9 ? "both" : names[i]);
	fclose(out);
	return path;
}

static enum status add_map(struct fake *f, uint64_t shift, unsigned n)
{
	char *path = write_map(shift, n);
	enum status st = symbols_add_systemmap(&f->dump, path);

	unlink(path);
	free(path);
	return st;
}

TEST(systemmap)
{
	struct fake *f = fake_new(8, false);
	uint64_t addr;
	const char *from;

	f->dump.vmcoreinfo = "SYMBOL(_stext)=ffffffff8cc00000\n"
			     "SYMBOL(init_uts_ns)=ffffffff8cc001c0\n"
			     "SYMBOL(mem_section)=ffff88803ffd4f40\nKERNELOFFSET=bc00000\n";
	/* link addresses: shifted by KASLR, except absolute ones */
	CHECK_EQ(add_map(f, 0, 500), ST_OK);
	CHECK(symbols_find(&f->dump.symbols, "sym_33", &addr, &from));
	CHECK_EQ(addr, 0xffffffff8cc00000ull + 33 * 64);
	CHECK_STR(from, "System.map");
	CHECK(symbols_find(&f->dump.symbols, "percpu_var", &addr, NULL));
	CHECK_EQ(addr, 0x1000);
	CHECK(symbols_find(&f->dump.symbols, "both", &addr, NULL));
	CHECK_EQ(addr, 0xffffffff8cc00000ull + 9 * 64);
	CHECK_EQ(kaslr_link_address(&f->dump, 0xffffffff8cc00000ull), 0xffffffff81000000ull);
	CHECK_EQ(kaslr_link_address(&f->dump, 0x1000), 0x1000);
	symbols_close(&f->dump.symbols);
	/* run-time addresses, as in /proc/kallsyms */
	CHECK_EQ(add_map(f, 0xbc00000, 500), ST_OK);
	CHECK(symbols_find(&f->dump.symbols, "sym_33", &addr, NULL));
	CHECK_EQ(addr, 0xffffffff8cc00000ull + 33 * 64);
	symbols_close(&f->dump.symbols);
	/* neither: another kernel */
	CHECK_EQ(add_map(f, 0x200000, 500), ST_CORRUPT);
	CHECK(strstr(f->dump.diag.text, "another kernel"));
	/* Debian's /boot/System.map-* has one line */
	CHECK_EQ(add_map(f, 0, 1), ST_ABSENT);
	CHECK_EQ(f->dump.symbols.n, 0);
	fake_free(f);
}

TEST(sniff)
{
	static const char map[] = "ffffffff81000000 T _stext\nffffffff81000040 t a.b\n";
	static const char text[] = "root:x:0:0:root:/root:/bin/bash\n";

	CHECK(systemmap_sniff(map, strlen(map)));
	CHECK(!systemmap_sniff(text, strlen(text)));
	CHECK(!systemmap_sniff("", 0));
	CHECK(!systemmap_sniff("ffffffff81000000 T", 18));
}

/* SYMBOL(mem_section) in VMCOREINFO is the value of that pointer. */
TEST(vmcoreinfo)
{
	struct fake *f = fake_new(8, false);
	const char *from;
	uint64_t addr;

	CHECK_EQ(symbols_add_vmcoreinfo(&f->dump), ST_ABSENT);
	f->dump.vmcoreinfo = "SYMBOL(mem_section)=ffff88803ffd4f40\nSYMBOL(prb)=1234\n";
	CHECK_EQ(symbols_add_vmcoreinfo(&f->dump), ST_OK);
	CHECK(symbols_find(&f->dump.symbols, "prb", &addr, &from));
	CHECK_EQ(addr, 0x1234);
	CHECK_STR(from, "vmcoreinfo");
	CHECK(!symbols_find(&f->dump.symbols, "mem_section", &addr, NULL));
	symbols_close(&f->dump.symbols);
	fake_free(f);
}

TEST(chain_full)
{
	struct fake *f = fake_new(8, false);
	unsigned n = 0;

	f->dump.vmcoreinfo = "SYMBOL(prb)=1234\n";
	while (symbols_add_vmcoreinfo(&f->dump) == ST_OK && n < 100)
		n++;
	CHECK_EQ(n, ARRAY_LEN(f->dump.symbols.v));
	symbols_close(&f->dump.symbols);
	CHECK_EQ(f->dump.symbols.n, 0);
	fake_free(f);
}
