/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader over a made-up machine: NPAGES frames, every 16th not in the dump,
 * frame BAD damaged; a linear map, and a region whose pages are shuffled.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/dump.h"
#include "dumpread/image/decompress.h"
#include "tests/unit/check.h"
#include "tests/unit/mkimage.h"

#define PAGE 4096u
#define NPAGES 4096u		/* 16 MiB: far more than the cache */
#define BAD 777u
#define FAILS 778u		/* the disk has an error there */
#define LINEAR 0xffff888000000000ull
#define SHUFFLED 0xffffc90000000000ull
#define SHUFFLED_PAGES 1024u

struct machine_state {
	unsigned reads, walks;
	uint64_t shift;		/* of the linear map: 0, or a page */
	bool disk;		/* has an error at FAILS */
};

static uint8_t byte_at(uint64_t pa)
{
	return (uint8_t)(pa * 0x9e3779b1u >> 24 ^ pa >> 12);
}

static bool there(uint64_t pfn)
{
	return pfn < NPAGES && pfn % 16 != 15;
}

static bool m_present(void *self, uint64_t pfn)
{
	(void)self;
	return there(pfn);
}

static enum status m_read(void *self, void *ctx, uint64_t pfn, uint8_t *out)
{
	struct machine_state *m = self;

	(void)ctx;
	m->reads++;
	memset(out, 0xdd, PAGE);
	if (pfn == BAD)
		return ST_CORRUPT;
	if (pfn == FAILS && m->disk)
		return ST_IO;
	for (unsigned i = 0; i < PAGE; i++)
		out[i] = byte_at(pfn * PAGE + i);
	return ST_OK;
}

static uint64_t shuffled(uint64_t page)
{
	return page * 613 % NPAGES;
}

static enum status m_kvtop(const struct dump *d, struct reader *r, uint64_t kva,
			   uint64_t *pa, uint64_t *run)
{
	struct machine_state *m = d->kv_self;
	uint64_t scratch;

	m->walks++;
	read_pa(r, 0x5000, &scratch, 8);	/* as page tables are read */
	if (kva >= LINEAR && kva < LINEAR + (uint64_t)NPAGES * PAGE) {
		*pa = kva - LINEAR + m->shift;
		*run = LINEAR + (uint64_t)NPAGES * PAGE - kva;
		return ST_OK;
	}
	if (kva >= SHUFFLED && kva < SHUFFLED + SHUFFLED_PAGES * PAGE) {
		*pa = shuffled((kva - SHUFFLED) / PAGE) * PAGE + kva % PAGE;
		*run = PAGE - kva % PAGE;
		return ST_OK;
	}
	return ST_FAULT;
}

static const struct pages_ops m_pages = { .present = m_present, .read = m_read };
static const struct kv_ops m_kv = { m_kvtop }, m_kv2 = { m_kvtop };

static struct machine_state state;

static void setup(struct dump *d, bool big)
{
	memset(&state, 0, sizeof(state));
	memset(d, 0, sizeof(*d));
	d->pages = &m_pages;
	d->pages_self = &state;
	d->kv = &m_kv;
	d->kv_self = &state;
	d->page_shift = 12;
	d->max_pfn = NPAGES;
	d->word_size = 8;
	d->big_endian = big;
	d->vmcoreinfo = "";
}

static unsigned next_random(void)
{
	static unsigned seed = 7;

	seed = seed * 1103515245 + 12345;
	return seed >> 8;
}

/* ---- pages ------------------------------------------------------------ */

static void test_pages(void)
{
	unsigned wrong = 0;
	struct page_ref p;
	struct reader *r;
	struct dump d;

	setup(&d, false);
	r = reader_new(&d);
	CHECK(reader_dump(r) == &d);
	for (unsigned i = 0; i < 100000; i++) {
		/* half of the reads in a small set: hits and misses mix */
		uint64_t pfn = next_random() % (i & 1 ? NPAGES : 64);
		enum status st = reader_page(r, pfn, &p);

		wrong += reader_present(r, pfn) != there(pfn);
		if (!there(pfn) || pfn == BAD) {
			wrong += st != (pfn == BAD ? ST_CORRUPT : ST_NODATA) || p.data;
			continue;
		}
		wrong += st != ST_OK || p.data[0] != byte_at(pfn * PAGE) ||
			 p.data[PAGE - 1] != byte_at(pfn * PAGE + PAGE - 1);
		reader_release(r, &p);
		wrong += p.data != NULL;
	}
	CHECK_EQ(wrong, 0);
	CHECK(reader_page(r, UINT64_MAX, &p) == ST_NODATA);

	state.reads = 0;
	for (unsigned i = 0; i < 1000; i++) {
		CHECK(reader_page(r, 3, &p) == ST_OK);
		reader_release(r, &p);
	}
	CHECK(state.reads <= 1);
	reader_free(r);
}

static void test_pins(void)
{
	struct page_ref held[READER_PINS], more;
	struct reader *r;
	unsigned wrong = 0;
	struct dump d;

	setup(&d, false);
	r = reader_new(&d);
	for (unsigned i = 0; i < READER_PINS; i++)
		CHECK(reader_page(r, i * 16, &held[i]) == ST_OK);
	CHECK(reader_page(r, 5, &more) == ST_LIMIT);
	CHECK(more.data == NULL);
	/* everything else goes through the cache; the borrowed stay */
	for (uint64_t pa = 0; pa < (uint64_t)NPAGES * PAGE; pa += PAGE) {
		uint8_t b;

		if (there(pa / PAGE) && pa / PAGE != BAD)
			wrong += read_pa(r, pa, &b, 1) != ST_OK || b != byte_at(pa);
	}
	for (unsigned i = 0; i < READER_PINS; i++)
		wrong += held[i].data[100] != byte_at(i * 16 * PAGE + 100);
	CHECK_EQ(wrong, 0);
	/* one page may be borrowed twice */
	reader_release(r, &held[0]);
	CHECK(reader_page(r, 16, &held[0]) == ST_OK);
	CHECK(held[0].data == held[1].data);
	for (unsigned i = 0; i < READER_PINS; i++)
		reader_release(r, &held[i]);
	reader_release(r, &held[0]);	/* harmless */
	reader_free(r);
}

static void test_read_pa(void)
{
	unsigned wrong = 0;
	uint8_t buf[3 * PAGE];
	struct reader *r;
	struct dump d;

	setup(&d, false);
	r = reader_new(&d);
	for (unsigned i = 0; i < 5000; i++) {
		uint64_t pa = next_random() % (NPAGES * PAGE);
		size_t len = next_random() % sizeof(buf);
		enum status want = ST_OK, st = read_pa(r, pa, buf, len);

		for (uint64_t f = pa / PAGE; len && !want && f <= (pa + len - 1) / PAGE; f++)
			want = !there(f) ? ST_NODATA : f == BAD ? ST_CORRUPT : ST_OK;
		wrong += st != want;
		for (size_t k = 0; !want && k < len; k += 61)
			wrong += buf[k] != byte_at(pa + k);
	}
	CHECK_EQ(wrong, 0);
	CHECK(read_pa(r, UINT64_MAX - 1, buf, 8) == ST_NODATA);
	reader_free(r);
}

/* ---- kernel-virtual --------------------------------------------------- */

/* The expected place of KVA. */
static bool where(uint64_t kva, uint64_t *pa)
{
	if (kva >= LINEAR && kva < LINEAR + (uint64_t)NPAGES * PAGE)
		*pa = kva - LINEAR;
	else if (kva >= SHUFFLED && kva < SHUFFLED + SHUFFLED_PAGES * PAGE)
		*pa = shuffled((kva - SHUFFLED) / PAGE) * PAGE + kva % PAGE;
	else
		return false;
	return true;
}

static void test_read_kva(void)
{
	unsigned wrong = 0;
	uint8_t buf[3 * PAGE];
	struct reader *r;
	struct dump d;

	setup(&d, false);
	r = reader_new(&d);
	for (unsigned i = 0; i < 20000; i++) {
		/* both regions, and 16 pages beyond their ends */
		uint64_t kva = (i & 1 ? LINEAR + next_random() % ((NPAGES + 16) * PAGE)
				      : SHUFFLED + next_random() % ((SHUFFLED_PAGES + 16) * PAGE));
		size_t len = 1 + next_random() % (sizeof(buf) - 1);
		enum status want = ST_OK, st = read_kva(r, kva, buf, len);
		uint64_t pa = 0;

		for (uint64_t a = kva; !want && a < kva + len; a = (a | (PAGE - 1)) + 1) {
			if (!where(a, &pa))
				want = ST_FAULT;
			else if (!there(pa / PAGE))
				want = ST_NODATA;
			else if (pa / PAGE == BAD)
				want = ST_CORRUPT;
		}
		wrong += st != want;
		for (size_t k = 0; !want && k < len; k += 61)
			wrong += !where(kva + k, &pa) || buf[k] != byte_at(pa);
	}
	CHECK_EQ(wrong, 0);
	CHECK(read_kva(r, UINT64_MAX - 2, buf, 8) == ST_FAULT);
	CHECK(read_kva(r, 0, buf, 0) == ST_OK);
	reader_free(r);
}

static void test_tlb(void)
{
	uint64_t pa, run, v;
	struct reader *r;
	struct dump d;

	setup(&d, false);
	r = reader_new(&d);
	/* the linear map: two questions for each region of 2 MiB */
	for (uint64_t off = 0; off < (uint64_t)NPAGES * PAGE; off += 512)
		CHECK(reader_kvtop(r, LINEAR + off, &pa, &run) == ST_OK && pa == off && run);
	CHECK(state.walks <= 2 * (NPAGES * PAGE >> 21));
	state.walks = 0;
	for (uint64_t off = 0; off < 64 * PAGE; off += 64)
		CHECK(reader_kvtop(r, SHUFFLED + off, &pa, &run) == ST_OK && run <= PAGE);
	CHECK_EQ(state.walks, 64);
	CHECK(reader_kvtop(r, 0x1000, &pa, NULL) == ST_FAULT);
	/* another translation: the old one is dropped */
	CHECK(read_kva_word(r, LINEAR, &v) == ST_OK);
	state.shift = PAGE;
	d.kv = &m_kv2;
	CHECK(reader_kvtop(r, LINEAR, &pa, NULL) == ST_OK);
	CHECK_EQ(pa, PAGE);
	d.kv = NULL;
	CHECK(reader_kvtop(r, LINEAR, &pa, NULL) == ST_FAULT);
	reader_free(r);
}

static void test_words(bool big)
{
	uint64_t v, want;
	struct reader *r;
	uint8_t raw[8];
	struct dump d;

	setup(&d, big);
	r = reader_new(&d);
	for (unsigned size = 1; size <= 8; size *= 2)
		for (uint64_t pa = PAGE - 9; pa < PAGE + 9; pa++) {
			for (unsigned i = 0; i < 8; i++)
				raw[i] = byte_at(pa + i);
			want = load_uint(raw, size, big);
			CHECK(read_kva_uint(r, LINEAR + pa, size, &v) == ST_OK);
			CHECK_EQ(v, want);
		}
	d.word_size = 4;
	CHECK(read_kva_word(r, LINEAR, &v) == ST_OK);
	CHECK(v <= UINT32_MAX);
	CHECK(read_kva_uint(r, LINEAR, 16, &v) == ST_LIMIT);
	CHECK(read_kva_word(r, LINEAR + 15 * PAGE, &v) == ST_NODATA);
	CHECK(read_kva_word(r, 0, &v) == ST_FAULT);
	reader_free(r);
}

static void test_str(void)
{
	uint64_t end = LINEAR + 15 * PAGE, nul = LINEAR;
	struct reader *r;
	char buf[PAGE];
	struct dump d;
	size_t n;

	setup(&d, false);
	r = reader_new(&d);
	while (byte_at(nul - LINEAR))
		nul++;
	for (n = 1; n < PAGE - 1 && byte_at(nul - LINEAR + n); n++)
		;
	CHECK(read_kva_str(r, nul, buf, sizeof(buf)) == ST_OK);
	CHECK_STR(buf, "");
	CHECK(read_kva_str(r, nul + 1, buf, sizeof(buf)) == ST_OK);
	CHECK_EQ(strlen(buf), n - 1);
	CHECK(read_kva_str(r, nul + 1, buf, 2) == ST_OK);
	CHECK(strlen(buf) <= 1);
	/* stops where memory ends */
	buf[0] = 'x';
	CHECK(read_kva_str(r, end - 3, buf, sizeof(buf)) == ST_OK);
	CHECK(strlen(buf) <= 3);
	CHECK(read_kva_str(r, end, buf, sizeof(buf)) == ST_NODATA);
	CHECK_STR(buf, "");
	CHECK(read_kva_str(r, 0, buf, sizeof(buf)) == ST_FAULT);
	reader_free(r);
}

/* ---- a real image, many readers --------------------------------------- */

static const struct mkimage kdump = {
	.word = 8, .page_shift = 12, .max_pfn = 2000, .machine = "x86_64", .version = 6,
	.tail = 424, .compress = PAGE_ZLIB,
	.vmcoreinfo = "OSRELEASE=6.1.0-x\nBUILD-ID=00ff10ab\nPAGESIZE=4096\n"
		      "SYMBOL(init_task)=ffffffff82a12940\nNUMBER(phys_base)=-2097152\n"
		      "NUMBER(kimage_voffset)=0xffff7fffb8000000\nOFFSET(page.flags)=8\n"
		      "NUMBER(sme_mask)=140737488355328\nSIZE(page)=64\n"
		      "LENGTH(zone.free_area)=11\n",
};

static void *read_everything(void *arg)
{
	struct dump *d = arg;
	struct reader *r = reader_new(d);
	uint8_t want[PAGE];
	uintptr_t wrong = 0;

	for (unsigned i = 0; i < 3 * kdump.max_pfn; i++) {
		uint64_t pfn = i * 7 % kdump.max_pfn;
		struct page_ref p;
		enum status st = reader_page(r, pfn, &p);

		wrong += st != (mk_present(pfn) ? ST_OK : ST_NODATA);
		if (!p.data)
			continue;
		mk_page(&kdump, pfn, want);
		wrong += memcmp(p.data, want, PAGE) != 0;
		reader_release(r, &p);
	}
	reader_free(r);
	return (void *)wrong;
}

static void check_vmcoreinfo(const struct dump *d)
{
	char buf[16];
	uint64_t v;
	int64_t n;

	CHECK_STR(d->release, "6.1.0-x");
	CHECK_EQ(d->build_id_len, 4);
	CHECK(!memcmp(d->build_id, "\x00\xff\x10\xab", 4));
	CHECK(vmcoreinfo_symbol(d, "init_task", &v) && v == 0xffffffff82a12940);
	CHECK(!vmcoreinfo_symbol(d, "init", &v));
	CHECK(vmcoreinfo_number(d, "phys_base", &n) && n == -2097152);
	CHECK(vmcoreinfo_number(d, "kimage_voffset", &n) &&
	      n == (int64_t)0xffff7fffb8000000);
	CHECK(vmcoreinfo_number(d, "sme_mask", &n) && n == 140737488355328);
	CHECK(vmcoreinfo_offset(d, "page.flags", &v) && v == 8);
	CHECK(vmcoreinfo_size(d, "page", &v) && v == 64);
	CHECK(vmcoreinfo_get(d, "SIZE(page)", buf, sizeof(buf)) && !strcmp(buf, "64"));
	CHECK(vmcoreinfo_get(d, "OSRELEASE", buf, 4) && !strcmp(buf, "6.1"));
	CHECK(!vmcoreinfo_get(d, "SIZE", buf, sizeof(buf)));
}

static void test_threads(void)
{
	struct bytes b = mk_kdump(&kdump);
	struct diag g = { "" };
	struct dump *d;
	pthread_t t[4];
	void *wrong;
	char path[64];
	const char *paths[] = { mk_file(&b, b.n, path) };

	if (CHECK(dump_open(paths, 1, NULL, &g, &d) == ST_OK)) {
		check_vmcoreinfo(d);
		for (unsigned i = 0; i < ARRAY_LEN(t); i++)
			pthread_create(&t[i], NULL, read_everything, d);
		for (unsigned i = 0; i < ARRAY_LEN(t); i++) {
			pthread_join(t[i], &wrong);
			CHECK_EQ((uintptr_t)wrong, 0);
		}
	}
	dump_close(d);
	unlink(path);
	mk_free(&b);
}

/* A read that fails is an issue, also if nobody looks at the status. */
static void test_disk_error(void)
{
	struct page_ref p;
	struct reader *r;
	struct dump d;

	setup(&d, false);
	issues_init(&d.issues);
	state.disk = true;
	r = reader_new(&d);
	CHECK_EQ(reader_page(r, FAILS - 2, &p), ST_OK);
	reader_release(r, &p);
	CHECK_EQ(reader_page(r, BAD, &p), ST_CORRUPT);
	CHECK_EQ(issues_total(&d.issues), 0);
	CHECK_EQ(reader_page(r, FAILS, &p), ST_IO);
	CHECK_EQ(issues_total(&d.issues), 1);
	d.live = true;
	CHECK_EQ(reader_page(r, FAILS, &p), ST_IO);
	CHECK_EQ(issues_total(&d.issues), 1);
	reader_free(r);
	issues_release(&d.issues);
}

int main(void)
{
	test_pages();
	test_disk_error();
	test_pins();
	test_read_pa();
	test_read_kva();
	test_tlb();
	test_words(false);
	test_words(true);
	test_str();
	test_threads();
	return check_done();
}
