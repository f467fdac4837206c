/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The three forms of the kernel log, whole and damaged, and the panic message in it. */
#include "dumpread/base/bytes.h"
#include "dumpread/types/sources.h"
#include "facts/layout/system.h"
#include "model/kernel/machine/machine.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

/* ---- the ring of 5.10 ------------------------------------------------------------- */

enum { PRB = 0x1000, DESCS = 0x2000, INFOS = 0x3000, DATA = 0x8000, COUNT_BITS = 3 };
enum { COMMITTED = 1, FINALIZED = 2, REUSABLE = 3 };
#define INFO_SIZE 32

static void ring_layout(struct fake *f)
{
	unsigned w = f->dump.word_size;

	fake_symbol(f, Y_PRB, fake_kva(f, 0x100));
	fake_put_uint(f, 0x100, fake_kva(f, PRB), w);
	fake_size(f, S_PRB, 16 * w);
	fake_members(f, { M_PRB_COUNT_BITS, 0, 4 }, { M_PRB_DESCS, w, w },
		     { M_PRB_INFOS, 2 * w, w }, { M_PRB_HEAD, 3 * w, w }, { M_PRB_TAIL, 4 * w, w },
		     { M_PRB_SIZE_BITS, 5 * w, 4 }, { M_PRB_DATA, 6 * w, w });
	fake_size(f, S_PRB_DESC, 3 * w);
	fake_members(f, { M_DESC_STATE, 0, w }, { M_DESC_BEGIN, w, w }, { M_DESC_NEXT, 2 * w, w });
	fake_size(f, S_PRINTK_INFO, INFO_SIZE);
	fake_members(f, { M_INFO_TS, 8, 8 }, { M_INFO_TEXT_LEN, 16, 2 }, { M_INFO_FACILITY, 18, 1 },
		     { M_INFO_LEVEL, 19, 1 }, { M_INFO_CALLER, 20, 4 });
}

static void put_ring(struct fake *f, uint64_t tail, uint64_t head, unsigned size_bits)
{
	unsigned w = f->dump.word_size;

	fake_put_uint(f, PRB, COUNT_BITS, 4);
	fake_put_uint(f, PRB + w, fake_kva(f, DESCS), w);
	fake_put_uint(f, PRB + 2 * w, fake_kva(f, INFOS), w);
	fake_put_uint(f, PRB + 3 * w, head, w);
	fake_put_uint(f, PRB + 4 * w, tail, w);
	fake_put_uint(f, PRB + 5 * w, size_bits, 4);
	fake_put_uint(f, PRB + 6 * w, fake_kva(f, DATA), w);
	fake_put_uint(f, DATA, 0, 1);
}

/* Record ID in STATE with its block at [begin, next) of the data ring. */
static void put_desc(struct fake *f, uint64_t id, unsigned state, uint64_t begin, uint64_t next)
{
	unsigned w = f->dump.word_size;
	uint64_t at = DESCS + (id & 7) * 3 * w;
	uint64_t mask = (1ull << (8 * w - 2)) - 1;

	fake_put_uint(f, at, (id & mask) | (uint64_t)state << (8 * w - 2), w);
	fake_put_uint(f, at + w, begin, w);
	fake_put_uint(f, at + 2 * w, next, w);
}

static void put_text(struct fake *f, uint64_t id, uint64_t data_at, const char *text)
{
	unsigned w = f->dump.word_size;
	uint64_t at = INFOS + (id & 7) * INFO_SIZE;

	fake_put_uint(f, at + 8, (id & 0xffff) * 1000, 8);
	fake_put_uint(f, at + 16, strlen(text), 2);
	fake_put_uint(f, at + 18, 0, 1);
	fake_put_uint(f, at + 19, 6, 1);
	fake_put_uint(f, at + 20, 0x8000001, 4);
	fake_put_uint(f, DATA + data_at, id & ((1ull << (8 * w - 2)) - 1), w);
	fake_put(f, DATA + data_at + w, text, strlen(text));
}

/* A record with a 64-byte block, in its place. */
static void put_record(struct fake *f, uint64_t id, uint64_t lpos, const char *text)
{
	put_desc(f, id, FINALIZED, lpos, lpos + 64);
	put_text(f, id, lpos & 1023, text);
}

static struct machine *read_log(struct fake *f, struct snapshot *s)
{
	memset(s, 0, sizeof(*s));
	s->k = &f->kernel;
	machine_log(s, f->r);
	return &s->machine;
}

static void test_ring(unsigned word, bool big)
{
	struct fake *f = fake_new(word, big);
	struct snapshot s;
	struct machine *m;
	/* ids that wrap within the ring of records, and in the word */
	uint64_t id = (1ull << (8 * word - 2)) - 2, mask = (1ull << (8 * word - 2)) - 1;

	ring_layout(f);
	put_ring(f, id, (id + 7) & mask, 10);
	put_record(f, id, 0, "first");
	put_record(f, (id + 1) & mask, 64, "two\nlines\n");
	put_desc(f, (id + 2) & mask, REUSABLE, 128, 192);
	put_desc(f, (id + 3) & mask, COMMITTED, 3, 3);		/* an empty line */
	put_text(f, (id + 3) & mask, 512, "");
	put_desc(f, (id + 4) & mask, FINALIZED, 1024 - 32, 1024 + 64);	/* wraps: lies at 0 */
	put_text(f, (id + 4) & mask, 0, "wrapped");
	put_desc(f, (id + 5) & mask, FINALIZED, 1024 - 64, 1024);	/* ends the ring exactly */
	put_text(f, (id + 5) & mask, 1024 - 64, "at the end");
	put_desc(f, (id + 6) & mask, FINALIZED, 1, 1);		/* there was no room for its text */
	put_text(f, (id + 6) & mask, 512, "");
	put_desc(f, (id + 7) & mask, 0, 0, 0);				/* reserved */
	m = read_log(f, &s);
	/* the first one's block was overwritten by the one that wrapped */
	CHECK_EQ(fake_issues(f, "log record"), 1);
	CHECK_EQ(m->nlog, 5);
	if (m->nlog == 5) {
		CHECK_STR(m->log[0].text, "two");
		CHECK_STR(m->log[1].text, "lines");
		CHECK_STR(m->log[2].text, "");
		CHECK_STR(m->log[3].text, "wrapped");
		CHECK_STR(m->log[4].text, "at the end");
		CHECK_EQ(m->log[1].ts, ((id + 1) & 0xffff) * 1000);
		CHECK_EQ(m->log[1].level, 6);
		CHECK_EQ(m->log[4].caller, 0x8000001);
	}
	arena_release(&s.mem);
	fake_free(f);
}

/* Text lengths and blocks that disagree; a ring of absurd size; missing pages. */
static void test_ring_damage(void)
{
	struct fake *f = fake_new(8, false);
	struct snapshot s;
	struct machine *m;

	ring_layout(f);
	put_ring(f, 0, 3, 10);
	put_record(f, 0, 0, "good");
	put_record(f, 1, 64, "cut short");
	fake_put_uint(f, INFOS + INFO_SIZE + 16, 65535, 2);	/* more than the block holds */
	put_desc(f, 2, FINALIZED, 128, 130);			/* not even an id */
	put_desc(f, 3, FINALIZED, 128, 128 + 4096);		/* longer than the ring */
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 2);
	CHECK_EQ(fake_issues(f, "log record"), 3);
	if (m->nlog == 2) {
		CHECK_EQ(m->log[1].len, 56);
		CHECK(!strncmp(m->log[1].text, "cut short", 9));
	}
	arena_release(&s.mem);

	put_ring(f, 5, 1, 10);		/* head before tail */
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 0);
	arena_release(&s.mem);

	put_ring(f, 0, 3, 200);
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 0);
	CHECK_EQ(fake_issues(f, "kernel log"), 2);
	arena_release(&s.mem);

	put_ring(f, 0, 0, 10);
	fake_drop(f, DATA);
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 0);
	arena_release(&s.mem);
	fake_drop(f, PRB);
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 0);
	arena_release(&s.mem);
	fake_free(f);
}

/* ---- the records of 3.5 ----------------------------------------------------------- */

static void records_layout(struct fake *f, uint64_t size, uint64_t first, uint64_t next)
{
	unsigned w = f->dump.word_size;

	fake_symbol(f, Y_LOG_BUF, fake_kva(f, 0x100));
	fake_symbol(f, Y_LOG_BUF_LEN, fake_kva(f, 0x108));
	fake_symbol(f, Y_LOG_FIRST_IDX, fake_kva(f, 0x110));
	fake_symbol(f, Y_LOG_NEXT_IDX, fake_kva(f, 0x118));
	fake_put_uint(f, 0x100, fake_kva(f, 0x2000), w);
	fake_put_uint(f, 0x108, size, 4);
	fake_put_uint(f, 0x110, first, 4);
	fake_put_uint(f, 0x118, next, 4);
	fake_size(f, S_PRINTK_LOG, 16);
	fake_members(f, { M_LOG_TS, 0, 8 }, { M_LOG_LEN, 8, 2 }, { M_LOG_TEXT_LEN, 10, 2 },
		     { M_LOG_LEVEL, 15, 1 });
}

static uint64_t put_old_record(struct fake *f, uint64_t at, const char *text)
{
	uint64_t len = (16 + strlen(text) + 7) / 8 * 8;

	fake_put_uint(f, 0x2000 + at, 5000000000, 8);
	fake_put_uint(f, 0x2000 + at + 8, len, 2);
	fake_put_uint(f, 0x2000 + at + 10, strlen(text), 2);
	fake_put_uint(f, 0x2000 + at + 15, 4, 1);
	fake_put(f, 0x2000 + at + 16, text, strlen(text));
	return at + len;
}

static void test_records(bool big)
{
	struct fake *f = fake_new(4, big);
	struct snapshot s;
	struct machine *m;
	uint64_t at;

	records_layout(f, 256, 160, 24);
	at = put_old_record(f, 160, "older");
	at = put_old_record(f, at, "old");
	fake_put_uint(f, 0x2000 + at, 0, 8);
	fake_put_uint(f, 0x2000 + at + 8, 0, 8);	/* go on at 0 */
	put_old_record(f, 0, "newest");
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 3);
	if (m->nlog == 3) {
		CHECK_STR(m->log[0].text, "older");
		CHECK_STR(m->log[2].text, "newest");
		CHECK_EQ(m->log[0].ts, 5000000000);
		CHECK_EQ(m->log[0].level, 4);
	}
	CHECK_EQ(fake_issues(f, "kernel log"), 0);
	arena_release(&s.mem);

	/* a second wrap, or a next index between records, never ends by itself */
	fake_put_uint(f, 0x2008, 0, 4);
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 2);
	CHECK_EQ(fake_issues(f, "kernel log"), 1);
	arena_release(&s.mem);
	put_old_record(f, 0, "newest");
	fake_put_uint(f, 0x118, 12, 4);
	m = read_log(f, &s);
	CHECK(m->nlog < 16);
	CHECK_EQ(fake_issues(f, "kernel log"), 2);
	arena_release(&s.mem);
	fake_put_uint(f, 0x110, 100000, 4);
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 0);
	arena_release(&s.mem);
	fake_free(f);
}

/* ---- plain text --------------------------------------------------------------------- */

static void text_layout(struct fake *f, uint64_t size, uint64_t end, uint64_t chars)
{
	fake_symbol(f, Y_LOG_BUF, fake_kva(f, 0x100));
	fake_symbol(f, Y_LOG_BUF_LEN, fake_kva(f, 0x108));
	fake_symbol(f, Y_LOG_END, fake_kva(f, 0x110));
	fake_symbol(f, Y_LOGGED_CHARS, fake_kva(f, 0x118));
	fake_put_uint(f, 0x100, fake_kva(f, 0x2000), 4);
	fake_put_uint(f, 0x108, size, 4);
	fake_put_uint(f, 0x110, end, 4);
	fake_put_uint(f, 0x118, chars, 4);
}

static void test_text(void)
{
	static const char log[] = "tail of a lost line\n<6>[   12.500000] hello\n"
				  "<4>no stamp\n<0>[x] odd\n";
	struct fake *f = fake_new(4, true);
	struct snapshot s;
	struct machine *m;
	uint64_t size = 128, n = sizeof(log) - 1, start = 100;

	text_layout(f, size, start + n, n);
	for (uint64_t i = 0; i < n; i++)
		fake_put_uint(f, 0x2000 + (start + i) % size, (uint8_t)log[i], 1);
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 4);
	if (m->nlog == 4) {
		CHECK_STR(m->log[0].text, "tail of a lost line");
		CHECK_STR(m->log[1].text, "hello");
		CHECK_EQ(m->log[1].ts, 12500000000);
		CHECK_EQ(m->log[1].level, 6);
		CHECK_STR(m->log[2].text, "no stamp");
		CHECK_STR(m->log[3].text, "[x] odd");
		CHECK_EQ(m->log[3].level, 0);
	}
	arena_release(&s.mem);
	fake_put_uint(f, 0x108, 12345, 4);	/* not a power of two */
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 0);
	CHECK_EQ(fake_issues(f, "kernel log"), 1);
	arena_release(&s.mem);
	fake_free(f);
}

/* A ring of two pages that has wrapped, and one of them is not in the dump: the other is shown. */
static void test_text_page(void)
{
	static const char log[] = "<6>one\n<4>cut off here";
	struct fake *f = fake_new(4, true);
	uint64_t n = sizeof(log) - 1;
	struct snapshot s;
	struct machine *m;

	text_layout(f, 0x2000, 0x2000 + 100, n + 100);
	fake_put(f, 0x4000 - n, log, n);
	fake_drop(f, 0x2000);
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 2);
	if (m->nlog == 2) {
		CHECK_STR(m->log[0].text, "one");
		CHECK_STR(m->log[1].text, "cut off here");
		CHECK_EQ(m->log[1].level, 4);
	}
	CHECK_EQ(fake_issues(f, "kernel log"), 1);
	arena_release(&s.mem);
	fake_drop(f, 0x3000);
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 0);
	CHECK_STR(machine_no_log(m), "the kernel's log is not in the dump");
	CHECK_EQ(fake_issues(f, "kernel log"), 2);
	m->log_status = ST_CORRUPT;
	CHECK_STR(machine_no_log(m), "the kernel's log is damaged: no line of it can be read");
	arena_release(&s.mem);
	fake_free(f);
}

/* The number of its characters cannot be read: what the ring has is shown, and an issue. */
static void test_text_uncounted(void)
{
	static const char log[] = "<6>one\n<4>two\n";
	struct fake *f = fake_new(4, true);
	struct snapshot s;
	struct machine *m;

	text_layout(f, 0x1000, sizeof(log) - 1, 0);
	fake_symbol(f, Y_LOGGED_CHARS, fake_kva(f, 0x5000));
	fake_put(f, 0x2000, log, sizeof(log) - 1);
	fake_drop(f, 0x5000);
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, 2);
	if (m->nlog == 2) {
		CHECK_STR(m->log[0].text, "one");
		CHECK_STR(m->log[1].text, "two");
	}
	CHECK_EQ(fake_issues(f, "kernel log"), 1);
	arena_release(&s.mem);
	fake_free(f);
}

/* 2.4: the array itself, of unknown length: not yet full, full, cleared since. */
static void test_array(void)
{
	static const char log[] = "<6>one\n<4>two\n";
	static const struct { uint64_t end, chars; unsigned lines; } cases[] = {
		{ 14, 14, 2 }, { 8192 + 14, 8192, 2 }, { 5000, 14, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fake *f = fake_new(4, true);
		struct snapshot s;
		struct machine *m;

		fake_symbol(f, Y_LOG_BUF, fake_kva(f, 0x2000));
		fake_symbol(f, Y_LOG_END, fake_kva(f, 0x110));
		fake_symbol(f, Y_LOGGED_CHARS, fake_kva(f, 0x118));
		fake_put_uint(f, 0x110, cases[i].end, 4);
		fake_put_uint(f, 0x118, cases[i].chars, 4);
		fake_put(f, 0x2000, log, sizeof(log) - 1);
		fake_put_uint(f, 0x3ffc, 0, 4);
		m = read_log(f, &s);
		if (cases[i].lines && CHECK(m->nlog >= cases[i].lines)) {
			CHECK_STR(m->log[m->nlog - 1].text, "two");
			CHECK_EQ(m->log[m->nlog - 1].level, 4);
		} else if (!cases[i].lines) {
			CHECK_EQ(m->nlog, 0);
			CHECK_EQ(fake_issues(f, "kernel log"), 1);
		}
		arena_release(&s.mem);
		fake_free(f);
	}
}

/* ---- the panic message ----------------------------------------------------------------- */

/* The panic found in a log of these lines; CPU: what panic_cpu holds. */
static void check_panic(const char *const *lines, int cpu, const char *want)
{
	struct fake *f = fake_new(8, false);
	struct snapshot s;
	struct machine *m;
	unsigned n = 0;

	ring_layout(f);
	fake_symbol(f, Y_PANIC_CPU, fake_kva(f, 0x200));
	fake_put_uint(f, 0x200, (uint32_t)cpu, 4);
	for (; lines[n]; n++)
		put_record(f, n, 64 * n, lines[n]);
	put_ring(f, 0, n - 1, 10);
	m = read_log(f, &s);
	CHECK_EQ(m->nlog, n);
	if (want)
		CHECK_STR(m->panic, want);
	else
		CHECK(!m->panic);
	arena_release(&s.mem);
	fake_free(f);
}

static void test_panic(void)
{
	static const char *const plain[] = {
		"sysrq: Trigger a crash", "Kernel panic - not syncing: sysrq triggered crash",
		NULL };
	static const char *const oops[] = {
		"BUG: unable to handle page fault", "#PF: supervisor write", "Oops: 0002 [#1]",
		"CPU: 1", "Kernel panic - not syncing: Fatal exception", NULL };
	static const char *const kexec[] = {
		"x", "BUG: kernel NULL pointer dereference", "x", "Oops: 0000 [#1]", "RIP:", NULL };
	static const char *const sysrq[] = { "sysrq: Trigger a crash", "x", NULL };
	static const char *const alive[] = { "BUG: scheduling while atomic", "x", NULL };

	check_panic(plain, 0, "sysrq triggered crash");
	check_panic(plain, -1, "sysrq triggered crash");
	check_panic(oops, 1, "Fatal exception (BUG: unable to handle page fault)");
	check_panic(kexec, 0, "BUG: kernel NULL pointer dereference");
	check_panic(sysrq, 0, "sysrq: Trigger a crash");
	check_panic(alive, -1, NULL);
}

/* ---- the types of the log by VMCOREINFO ----------------------------------------------- */

static void check_member(struct fake *f, const char *path, uint32_t offset, uint32_t size)
{
	struct member m = { 0 };

	CHECK_EQ(types_member(&f->dump.types, path, &m, NULL), ST_OK);
	CHECK_EQ(m.offset, offset);
	CHECK_EQ(m.size, size);
}

/* Of pages and zones, as 6.1 on x86-64 says it: types that BTF has lost. */
static void test_vmcoreinfo_of_pages(void)
{
	struct fake *f = fake_new(8, false);
	struct types *t = &f->dump.types;
	struct member m = { 0 };
	uint32_t bytes;
	int64_t v;

	f->dump.vmcoreinfo = "SIZE(printk_info)=88\nOFFSET(page.mapping)=24\nOFFSET(page._mapcount)=48\n"
			     "OFFSET(page.lru)=8\nOFFSET(pglist_data.node_id)=171584\n"
			     "OFFSET(zone.free_area)=256\nLENGTH(zone.free_area)=11\nSIZE(free_area)=88\n"
			     "OFFSET(free_area.free_list)=0\nLENGTH(free_area.free_list)=5\n"
			     "SIZE(pglist_data)=174208\nNUMBER(PG_lru)=4\nNUMBER(PG_head_mask)=65536\n"
			     "NUMBER(PAGE_BUDDY_MAPCOUNT_VALUE)=-129\n";
	CHECK_EQ(types_add_vmcoreinfo(&f->dump), ST_OK);
	check_member(f, "page.mapping", 24, 8);
	check_member(f, "page.lru", 8, 16);
	check_member(f, "page._mapcount", 48, 4);
	check_member(f, "page.page_type", 48, 4);
	check_member(f, "pglist_data.node_id", 171584, 4);
	CHECK_EQ(types_size(t, "pglist_data", &bytes, NULL), ST_OK);
	CHECK_EQ(bytes, 174208);
	check_member(f, "zone.free_area[]", 256, 11 * 88);
	CHECK_EQ(types_member(t, "zone.free_area[]", &m, NULL), ST_OK);
	CHECK_EQ(m.count, 11);
	CHECK_EQ(m.stride, 88);
	/* SIZE(list_head) is not there */
	CHECK_EQ(types_member(t, "free_area.free_list[]", &m, NULL), ST_ABSENT);
	CHECK_EQ(types_enumerator(t, "PG_lru", &v, NULL), ST_OK);
	CHECK_EQ(v, 4);
	CHECK_EQ(types_enumerator(t, "PG_head", &v, NULL), ST_OK);
	CHECK_EQ(v, 16);
	CHECK_EQ(types_enumerator(t, "PG_slab", &v, NULL), ST_ABSENT);
	/* 4.17: the word has no type yet */
	f->dump.vmcoreinfo = "OFFSET(page._mapcount)=24\nNUMBER(PAGE_BUDDY_MAPCOUNT_VALUE)=-128\n"
			     "NUMBER(PG_head_mask)=49152\n";
	CHECK_EQ(types_member(t, "page.page_type", &m, NULL), ST_ABSENT);
	CHECK_EQ(types_enumerator(t, "PG_head", &v, NULL), ST_ABSENT);
	CHECK_EQ(types_enumerator(t, "PGTY_buddy", &v, NULL), ST_ABSENT);
	/* 6.12 */
	f->dump.vmcoreinfo = "NUMBER(PAGE_BUDDY_MAPCOUNT_VALUE)=-268435456\n"
			     "NUMBER(PAGE_SLAB_MAPCOUNT_VALUE)=4110417920\n";
	CHECK_EQ(types_enumerator(t, "PGTY_buddy", &v, NULL), ST_OK);
	CHECK_EQ(v, 0xf0);
	CHECK_EQ(types_enumerator(t, "PGTY_slab", &v, NULL), ST_OK);
	CHECK_EQ(v, 0xf5);
	CHECK_EQ(types_enumerator(t, "PGTY_table", &v, NULL), ST_ABSENT);
	types_close(t);
	fake_free(f);
}

static void test_vmcoreinfo(void)
{
	struct fake *f = fake_new(8, false), *big = fake_new(4, true);
	struct member m = { 0 };
	uint32_t bytes;

	CHECK_EQ(types_add_vmcoreinfo(&f->dump), ST_ABSENT);
	/* 5.10 and later */
	f->dump.vmcoreinfo = "SIZE(printk_ringbuffer)=80\nOFFSET(printk_ringbuffer.desc_ring)=0\n"
			     "OFFSET(printk_ringbuffer.text_data_ring)=40\n"
			     "OFFSET(prb_desc_ring.head_id)=24\nOFFSET(prb_data_ring.data)=8\n"
			     "SIZE(printk_info)=88\nOFFSET(printk_info.text_len)=16\n"
			     "OFFSET(printk_info.caller_id)=99999999\n";
	CHECK_EQ(types_add_vmcoreinfo(&f->dump), ST_OK);
	CHECK_EQ(types_size(&f->dump.types, "printk_ringbuffer", &bytes, NULL), ST_OK);
	CHECK_EQ(bytes, 80);
	check_member(f, "printk_ringbuffer.desc_ring.head_id", 24, 8);
	check_member(f, "printk_ringbuffer.text_data_ring.data", 48, 8);
	check_member(f, "printk_info.text_len", 16, 2);
	check_member(f, "printk_info.facility", 18, 1);
	check_member(f, "printk_info.level", 19, 1);
	CHECK_EQ(types_member(&f->dump.types, "printk_info.caller_id", &m, NULL), ST_ABSENT);
	CHECK_EQ(types_member(&f->dump.types, "printk_info.ts_nsec", &m, NULL), ST_ABSENT);
	/* 3.5 to 5.9; a bit field begins at the other end */
	big->dump.vmcoreinfo = "SIZE(log)=16\nOFFSET(log.len)=8\nOFFSET(log.dict_len)=12\n";
	CHECK_EQ(types_add_vmcoreinfo(&big->dump), ST_OK);
	check_member(big, "log.len", 8, 2);
	CHECK_EQ(types_member(&big->dump.types, "log.level", &m, NULL), ST_OK);
	CHECK_EQ(m.offset, 15);
	CHECK_EQ(m.bit_offset, 0);
	CHECK_EQ(m.bit_size, 3);
	types_close(&f->dump.types);
	types_close(&big->dump.types);
	fake_free(f);
	fake_free(big);
}

int main(void)
{
	test_vmcoreinfo();
	test_vmcoreinfo_of_pages();
	test_ring(8, false);
	test_ring(8, true);
	test_ring(4, false);
	test_ring(4, true);
	test_ring_damage();
	test_records(false);
	test_records(true);
	test_text();
	test_text_page();
	test_text_uncounted();
	test_array();
	test_panic();
	return check_done();
}
