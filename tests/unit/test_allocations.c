/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What page_owner and allocation tags print. The words of flags are those of the kernel's own examples: %pGp in
 * Documentation/core-api/printk-formats.rst, and the mask of an OOM report.
 */
#include "model/views/allocations.h"

#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum { GFP = 0x1000, FLAGS = 0x2000, FIELDS = 0x3000, TEXTS = 0x4000, NAME = 16, FIELD = 32 };
enum { TYPE_VAR = 0x5000, TYPE = 0x5100, MODULE = 0x5200, TAGS = 0x5300, TAG = 48, COUNTERS = 0x6000, CPU = 0x1000 };

static uint64_t texts;

static uint64_t text(struct fake *f, const char *s)
{
	uint64_t at = TEXTS + texts;

	fake_put(f, at, s, strlen(s) + 1);
	texts += strlen(s) + 1;
	return fake_kva(f, at);
}

static void put_name(struct fake *f, uint64_t table, unsigned i, uint64_t mask, const char *name)
{
	fake_put_uint(f, table + i * NAME, mask, 8);
	fake_put_uint(f, table + i * NAME + 8, name ? text(f, name) : 0, 8);
}

static void put_field(struct fake *f, unsigned i, unsigned width, unsigned shift, const char *name)
{
	uint64_t at = FIELDS + i * FIELD;

	fake_put_uint(f, at, width, 4);
	fake_put_uint(f, at + 4, shift, 4);
	fake_put_uint(f, at + 8, (1u << width) - 1, 4);
	fake_put_uint(f, at + 24, text(f, name), 8);
}

static struct fake *names_machine(void)
{
	static const char *const flags[] = { "locked", "referenced", "uptodate", "dirty", "lru",
					     "active" };
	struct fake *f = fake_new(8, false);

	texts = 0;
	fake_size(f, S_FLAG_NAME, NAME);
	fake_member(f, M_FLAG_MASK, 0, 8);
	fake_member(f, M_FLAG_NAME, 8, 8);
	fake_symbol(f, Y_GFP_NAMES, fake_kva(f, GFP));
	fake_symbol(f, Y_PAGEFLAG_NAMES, fake_kva(f, FLAGS));
	put_name(f, GFP, 0, 0xcc0, "GFP_KERNEL");
	put_name(f, GFP, 1, 0x100, "__GFP_ZERO");
	put_name(f, GFP, 2, 0, NULL);
	for (unsigned i = 0; i < 6; i++)
		put_name(f, FLAGS, i, 1u << i, flags[i]);
	put_name(f, FLAGS, 6, 1u << 13, "private");
	put_name(f, FLAGS, 7, 0, NULL);
	return f;
}

static void state_fields(struct fake *f)
{
	fake_size(f, S_FLAG_FIELD, FIELD);
	fake_member(f, M_FLAG_FIELD_WIDTH, 0, 4);
	fake_member(f, M_FLAG_FIELD_SHIFT, 4, 4);
	fake_member(f, M_FLAG_FIELD_MASK, 8, 4);
	fake_member(f, M_FLAG_FIELD_NAME, 24, 8);
	fake_symbol(f, Y_FLAG_FIELDS, fake_kva(f, FIELDS));
	put_field(f, 0, 0, 0, "section");
	put_field(f, 1, 10, 53, "node");
	put_field(f, 2, 2, 51, "zone");
	put_field(f, 3, 21, 30, "lastcpupid");
	/* what follows the table is none: its mask has not as many bits as it says */
	put_field(f, 4, 5, 3, "other");
	fake_put_uint(f, FIELDS + 4 * FIELD + 8, 0x77, 4);
}

static void test_words(void)
{
	struct fake *f = names_machine();
	struct arena mem = { 0 };
	struct flag_names n;
	char buf[FLAG_TEXT];

	if (!CHECK(flag_names_read(&n, &f->kernel, f->r, &mem, Y_GFP_NAMES)))
		return;
	flag_names_gfp(&n, 0xdc0, buf);
	CHECK_STR(buf, "GFP_KERNEL|__GFP_ZERO");
	flag_names_gfp(&n, 0x80cc0, buf);
	CHECK_STR(buf, "GFP_KERNEL|0x80000");
	flag_names_gfp(&n, 0, buf);
	CHECK_STR(buf, "");
	/* without fields, before 5.12 */
	CHECK(flag_names_read(&n, &f->kernel, f->r, &mem, Y_PAGEFLAG_NAMES) && !n.fields);
	flag_names_page(&n, 0x2036, buf);
	CHECK_STR(buf, "0x2036(referenced|uptodate|lru|active|private)");
	state_fields(f);
	CHECK(flag_names_read(&n, &f->kernel, f->r, &mem, Y_PAGEFLAG_NAMES) && n.fields);
	CHECK_EQ(n.nfields, 3);
	flag_names_page(&n, 0x17ffffc0002036, buf);
	CHECK_STR(buf, "0x17ffffc0002036(referenced|uptodate|lru|active|private|node=0|zone=2|"
		       "lastcpupid=0x1fffff)");
	flag_names_page(&n, 0, buf);
	CHECK_STR(buf, "0x0(node=0|zone=0|lastcpupid=0x0)");	/* number(): also of 0 */
	/* a name that is not in the dump */
	fake_put_uint(f, FLAGS + 8, 0x1234, 8);
	CHECK(!flag_names_read(&n, &f->kernel, f->r, &mem, Y_PAGEFLAG_NAMES));
	arena_release(&mem);
	fake_free(f);
}

static void put_tag(struct fake *f, unsigned i, const char *file, unsigned line, const char *module)
{
	uint64_t at = TAGS + i * TAG;

	fake_put_uint(f, at + 4, line, 4);
	fake_put_uint(f, at + 8, module ? text(f, module) : 0, 8);
	fake_put_uint(f, at + 16, text(f, "fn"), 8);
	fake_put_uint(f, at + 24, text(f, file), 8);
	fake_put_uint(f, at + 32, fake_kva(f, COUNTERS + i * 16), 8);
}

/* Two processors: a page may be allocated on one and freed on the other. */
static struct fake *tags_machine(void)
{
	static uint64_t percpu[2] = { 0, CPU };
	struct fake *f = fake_new(8, false);

	texts = 0;
	f->kernel.percpu = percpu;
	f->kernel.ncpus = 2;
	fake_member(f, M_XA_HEAD, 0, 8);
	fake_member(f, M_XA_NODE_SHIFT, 0, 1);
	fake_array(f, M_XA_NODE_SLOTS, 16, 8, 64);
	fake_size(f, S_XA_NODE, 16 + 8 * 64);
	fake_member(f, M_IDR_ROOT, 0, 16);
	fake_member(f, M_CODETAG_MODULES, 24, 24);
	fake_member(f, M_CODETAG_SIZE, 64, 8);
	fake_member(f, M_CODETAG_START, 8, 8);
	fake_member(f, M_CODETAG_STOP, 16, 8);
	fake_member(f, M_CODETAG_LINE, 4, 4);
	fake_member(f, M_CODETAG_MODULE, 8, 8);
	fake_member(f, M_CODETAG_FUNCTION, 16, 8);
	fake_member(f, M_CODETAG_FILE, 24, 8);
	fake_member(f, M_TAG_COUNTERS, 32, 8);
	fake_member(f, M_TAG_BYTES, 0, 8);
	fake_member(f, M_TAG_CALLS, 8, 8);
	fake_symbol(f, Y_TAG_TYPE, fake_kva(f, TYPE_VAR));
	fake_put_uint(f, TYPE_VAR, fake_kva(f, TYPE), 8);
	fake_put_uint(f, TYPE + 24, fake_kva(f, MODULE), 8);
	fake_put_uint(f, TYPE + 64, TAG, 8);
	fake_put_uint(f, MODULE + 8, fake_kva(f, TAGS), 8);
	fake_put_uint(f, MODULE + 16, fake_kva(f, TAGS + 2 * TAG), 8);
	put_tag(f, 0, "mm/slub.c", 2325, NULL);
	put_tag(f, 1, "silent.c", 119, "silent");
	fake_put_uint(f, COUNTERS, 8192, 8);
	fake_put_uint(f, COUNTERS + 8, 2, 8);
	fake_put_uint(f, COUNTERS + CPU, (uint64_t)-4096, 8);
	fake_put_uint(f, COUNTERS + CPU + 8, UINT64_MAX, 8);
	fake_put_uint(f, COUNTERS + 16, 0, 8);
	fake_put_uint(f, COUNTERS + 24, 0, 8);
	fake_put_uint(f, COUNTERS + CPU + 16, 48 << 20, 8);
	fake_put_uint(f, COUNTERS + CPU + 24, 12288, 8);
	return f;
}

static void test_tags(void)
{
	struct fake *f = tags_machine();
	struct snapshot s = { .k = &f->kernel };
	struct arena mem = { 0 };
	struct tag_counts t;

	CHECK_EQ(tag_counts_read(&s, &mem, &t), ST_OK);
	if (CHECK(t.v.n == 2)) {
		CHECK_EQ(t.v.v[0].bytes, 4096);
		CHECK_EQ(t.v.v[0].calls, 1);
		CHECK_STR(t.v.v[0].file, "mm/slub.c");
		CHECK_EQ(t.v.v[0].line, 2325);
		CHECK(!t.v.v[0].module && !t.v.v[0].inaccurate);
		CHECK_EQ(t.v.v[1].bytes, 48 << 20);
		CHECK_EQ(t.v.v[1].calls, 12288);
		CHECK_STR(t.v.v[1].module ? t.v.v[1].module : "", "silent");
	}
	/* a section that ends before it begins, and one without an end */
	fake_put_uint(f, MODULE + 16, fake_kva(f, TAGS) - TAG, 8);
	CHECK_EQ(tag_counts_read(&s, &mem, &t), ST_ABSENT);
	CHECK_EQ(fake_issues(f, "allocation tag"), 1);
	fake_put_uint(f, MODULE + 16, UINT64_MAX, 8);
	CHECK_EQ(tag_counts_read(&s, &mem, &t), ST_OK);
	CHECK(fake_issues(f, "allocation tag") > 1);
	/* switched off when the machine started */
	fake_put_uint(f, TYPE_VAR, 0, 8);
	CHECK_EQ(tag_counts_read(&s, &mem, &t), ST_ABSENT);
	arena_release(&mem);
	fake_free(f);
}

int main(void)
{
	test_words();
	test_tags();
	return check_done();
}
