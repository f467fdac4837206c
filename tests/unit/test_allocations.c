/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What page_owner and allocation tags print. The words of flags are those of the kernel's own examples: %pGp in
 * Documentation/core-api/printk-formats.rst, and the mask of an OOM report.
 */
#include "model/kernel/origin/allocations.h"

#include "facts/layout/origin.h"
#include "tests/unit/allocated.h"
#include "tests/unit/check.h"

static struct fake *names_machine(void)
{
	struct fake *f = fake_new(8, false);

	al_names(f);
	return f;
}

TEST(words)
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
	al_fields(f);
	CHECK(flag_names_read(&n, &f->kernel, f->r, &mem, Y_PAGEFLAG_NAMES) && n.fields);
	CHECK_EQ(n.nfields, 3);
	flag_names_page(&n, 0x17ffffc0002036, buf);
	CHECK_STR(buf, "0x17ffffc0002036(referenced|uptodate|lru|active|private|node=0|zone=2|"
		       "lastcpupid=0x1fffff)");
	flag_names_page(&n, 0, buf);
	CHECK_STR(buf, "0x0(node=0|zone=0|lastcpupid=0x0)");	/* number(): also of 0 */
	/* a name that is not in the dump */
	fake_put_uint(f, AL_FLAGS + 8, 0x1234, 8);
	CHECK(!flag_names_read(&n, &f->kernel, f->r, &mem, Y_PAGEFLAG_NAMES));
	arena_release(&mem);
	fake_free(f);
}

TEST(tags)
{
	struct fake *f = fake_new(8, false);
	struct snapshot s = { .k = &f->kernel };
	struct arena mem = { 0 };
	struct tag_counts t;
	uint64_t lost;

	al_counts(f);
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
	fake_put_uint(f, AL_MODULE + 16, fake_kva(f, AL_TAGS) - AL_TAG, 8);
	CHECK_EQ(tag_counts_read(&s, &mem, &t), ST_ABSENT);
	CHECK_EQ(fake_issues(f, "allocation tag"), 1);
	fake_put_uint(f, AL_MODULE + 16, UINT64_MAX, 8);
	CHECK_EQ(tag_counts_read(&s, &mem, &t), ST_OK);
	CHECK(fake_issues(f, "allocation tag") > 1);
	/* switched off when the machine started */
	lost = fake_issues(f, "allocation tag");
	fake_put_uint(f, AL_TYPE_VAR, 0, 8);
	CHECK_EQ(tag_counts_read(&s, &mem, &t), ST_ABSENT);
	fake_put_uint(f, AL_TYPE_VAR, (uint64_t)-12, 8);
	CHECK_EQ(tag_counts_read(&s, &mem, &t), ST_ABSENT);
	CHECK_EQ(fake_issues(f, "allocation tag"), lost);
	/* damaged */
	fake_put_uint(f, AL_TYPE_VAR, 0x1000, 8);
	CHECK_EQ(tag_counts_read(&s, &mem, &t), ST_ABSENT);
	CHECK_EQ(fake_issues(f, "allocation tag"), lost + 1);
	fake_put_uint(f, AL_TYPE_VAR, fake_kva(f, 0x800000), 8);
	CHECK_EQ(tag_counts_read(&s, &mem, &t), ST_ABSENT);
	CHECK_EQ(fake_issues(f, "allocation tag"), lost + 2);
	arena_release(&mem);
	fake_free(f);
}
