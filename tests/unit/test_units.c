/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Units and maps of pages, and the reports total and alerts over them; from the text of a
 * collector, because its pages can be counted by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "model/memory/areas/units.h"
#include "model/memory/source/capture.h"
#include "reports/core/pick.h"
#include "reports/page/glyphs.h"
#include "reports/render/render.h"
#include "tests/unit/check.h"

/* Two processes with one library: text at 10000000 (shared frames 100, 101; only the
   second has 102), its data (frames of their own; one mapped by both, after fork), .bss. */
static const char text[] =
	"T: a, 5, c0001000, 0, 0, 0, 0, 0, 0, 0\n"
	"V: 08000000, 08000FFF, 00001000, 00001000, 00000412, 00001875, /bin/a\n"
	"M: 08000000=00090012, 2, 0 |\n"
	"V: 10000000, 10003FFF, 00004000, 00002000, 00000412, 00000075, /lib/l\n"
	"M: 10000000=00100012, 3, 0 | 10001000=00101012, 3, 0 |\n"
	"V: 10004000, 10005FFF, 00002000, 00002000, 00000412, 00000077, /lib/l\n"
	"M: 10004000=00200052, 1, 0 | 10005000=002010D2, 2, 0 |\n"
	"V: 10006000, 10006FFF, 00001000, 00001000, 00000412, 00000077, NULL\n"
	"M: 10006000=00202052, 1, 0 |\n"
	"V: 7FFFF000, 7FFFFFFF, 00001000, 00001000, 00000412, 00000177, NULL\n"
	"M: 7FFFF000=00203052, 1, 0 |\n"
	"T: b, 6, c0002000, 0, 0, 0, 0, 0, 0, 0\n"
	"V: 10000000, 10003FFF, 00004000, 00003000, 00000412, 00000075, /lib/l\n"
	"M: 10000000=00100012, 3, 0 | 10001000=00101012, 3, 0 | 10003000=00102012, 2, 0 |\n"
	"V: 10004000, 10005FFF, 00002000, 00001000, 00000412, 00000077, /lib/l\n"
	"M: 10005000=002010D2, 2, 0 |\n"
	"V: 10006000, 10006FFF, 00001000, 00001000, 00000412, 00000077, NULL\n"
	"M: 10006000=00204052, 1, 0 |\n";

static struct kernel *k;
static struct snapshot *s;

static const struct unit *find(const struct unit_list *l, const char *name, unsigned class)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i].class == class && !strcmp(unit_name(s, &l->v[i]), name))
			return &l->v[i];
	return NULL;
}

/* virt, virt_all, resident, mapped, copies, frames, new_frames */
static void check_unit(const struct unit *u, uint32_t nprocs, const uint64_t want[7])
{
	CHECK(u != NULL);
	if (!u)
		return;
	CHECK_EQ(u->nprocs, nprocs);
	CHECK_EQ(u->virt, want[0]);
	CHECK_EQ(u->virt_all, want[1]);
	CHECK_EQ(u->resident, want[2]);
	CHECK_EQ(u->mapped, want[3]);
	CHECK_EQ(u->copies, want[4]);
	CHECK_EQ(u->frames, want[5]);
	CHECK_EQ(u->new_frames, want[6]);
}

static char *draw(const struct residency *map, uint64_t n)
{
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	glyphs_print(map, n, f);
	fclose(f);
	return out;
}

static void test_units(void)
{
	struct arena mem = { 0 };
	struct unit_list l;
	uint64_t new_frames = 0;
	char *map;

	units_build(s, areas_build(s, &mem), UNITS_CODE | UNITS_FILES | UNITS_REST | UNITS_MAPS,
		    &mem, &l);
	check_unit(find(&l, "/lib/l", AREA_LIB_TEXT), 2, (uint64_t[]){ 4, 8, 3, 5, 0, 3, 3 });
	check_unit(find(&l, "/lib/l", AREA_LIB_DATA), 2, (uint64_t[]){ 2, 4, 2, 3, 3, 2, 2 });
	check_unit(find(&l, "/lib/l", AREA_LIB_BSS), 2, (uint64_t[]){ 1, 2, 1, 2, 2, 2, 2 });
	check_unit(find(&l, "/bin/a", AREA_TEXT), 1, (uint64_t[]){ 1, 1, 1, 1, 0, 1, 1 });
	check_unit(find(&l, "[stack]", AREA_STACK), 1, (uint64_t[]){ 1, 1, 1, 1, 1, 1, 1 });
	for (uint32_t i = 0; i < l.n; i++)
		new_frames += l.v[i].new_frames;
	CHECK_EQ(new_frames, 9);
	CHECK_EQ(new_frames, s->frames.existing);
	map = draw(&find(&l, "/lib/l", AREA_LIB_TEXT)->map, 4);
	CHECK_STR(map, "[22.1                                                            ]\n");
	free(map);
	arena_release(&mem);
	/* units that are not asked for have only their virtual size */
	units_build(s, areas_build(s, &mem), UNITS_REST, &mem, &l);
	check_unit(find(&l, "/lib/l", AREA_LIB_TEXT), 2, (uint64_t[]){ 4, 8, 0, 0, 0, 0, 0 });
	arena_release(&mem);
}

/* Counts to 9, then '#'; empty lines, and more of them than are drawn. */
static void test_glyphs(void)
{
	struct arena mem = { 0 };
	struct residency map;
	char *out;

	residency_init(&map, s, &mem);
	for (unsigned i = 0; i < 12; i++)
		residency_add(&map, i, i);
	residency_add(&map, 11, 300);
	CHECK_EQ(map.pages, 11);
	residency_add(&map, 130, 1);
	out = draw(&map, 131);
	CHECK_STR(out,
		  "[.123456789##....................................................]\n"
		  "[................................................................]\n"
		  "[..1                                                             ]\n");
	free(out);
	residency_add(&map, 64 * 10000, 1);
	out = draw(&map, 64 * 10000 + 1);
	CHECK(strstr(out, "\n[639808 pages that are not resident]\n[1  ") != NULL);
	free(out);
	out = draw(&map, UINT64_C(1) << 35);
	CHECK(strlen(out) < 1000);
	free(out);
	arena_release(&mem);
}

/* The number of kept pages is bounded; `full` is set at the bound. */
static void test_bound(void)
{
	struct arena mem = { 0 };
	struct residency map;

	residency_init(&map, s, &mem);
	map.limit = 2;
	residency_add(&map, 0, 1);
	residency_add(&map, RESIDENCY_CHUNK, 1);
	CHECK(!map.full);
	residency_add(&map, UINT64_C(7) * RESIDENCY_CHUNK, 1);
	CHECK(map.full);
	CHECK_EQ(map.pages, 2);
	CHECK(!residency_chunk(&map, 7));
	arena_release(&mem);
}

/* ---- alerts ------------------------------------------------------------------------------ */

/* A library that relocated its text, two copies of another, one of them deleted. */
static const char bad_text[] =
	"T: a, 5, c0001000, 0, 0, 0, 0, 0, 0, 0\n"
	"V: 10000000, 10001FFF, 00002000, 00002000, 00000412, 00000075, /lib/nopic\n"
	"M: 10000000=00100092, 1, 0 | 10001000=00101012, 2, 0 |\n"
	"V: 20000000, 20001FFF, 00002000, 00002000, 00000412, 00000075, /lib/twice\n"
	"M: 20000000=00110012, 2, 0 | 20001000=00111012, 2, 0 |\n"
	"V: 30000000, 30001FFF, 00002000, 00001000, 00000412, 00000077, NULL\n"
	"M: 30000000=00120052, 1, 0 |\n"
	"T: b, 6, c0002000, 0, 0, 0, 0, 0, 0, 0\n"
	"V: 20000000, 20001FFF, 00002000, 00001000, 00000412, 00000075, /old/twice\n"
	"M: 20000000=00130012, 2, 0 |\n";

static char *report(const struct snapshot *of, const char *name, const char *columns,
		    const char *sort, size_t top, bool all,
		    void (*print)(const struct render *r, FILE *f))
{
	const struct report *r = report_find(name);
	const struct report_opts o = { .all = all };
	struct table t = { .cols = r->cols, .ncols = r->ncols };
	struct columns chosen, none = { 0 };
	struct sort order;
	struct diag diag;
	struct arena mem = { 0 };
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	CHECK_EQ(columns_choose(columns, r->cols, r->ncols, &none, &mem, &diag, &chosen), ST_OK);
	CHECK_EQ(sort_parse(sort ? sort : r->sort, r->cols, r->ncols, &diag, &order), ST_OK);
	CHECK_EQ(r->run(of, &o, &t, &diag), ST_OK);
	table_sort(&t, &order, top);
	print(&(struct render){ .report = r, .opts = &o, .s = of, .t = &t,
				.cols = chosen.v, .ncols = chosen.n }, f);
	fclose(f);
	arena_release(&t.mem);
	arena_release(&mem);
	return out;
}

static char *alerts(const struct snapshot *of, const char *columns, bool all,
		    void (*print)(const struct render *r, FILE *f))
{
	return report(of, "alerts", columns, "kind,name", 0, all, print);
}

/* Frames that two processes map count once; the sum is that of all rows. */
static void test_total(void)
{
	char *got = report(s, "total", "total,mapped,text,data,bss,rest,name", NULL, 0, false,
			   render_text);

	CHECK_STR(got, "TOTAL MAPPED TEXT DATA BSS REST NAME\n"
		       "   28     40   12    8   8    0 /lib/l\n"
		       "    4      4    4    0   0    0 /bin/a\n"
		       "    4      4    0    0   0    4 [stack]\n"
		       "   36     48   16    8   8    4 total\n"
		       "User space pages: 9\n");
	free(got);
	got = report(s, "total", "total,name", NULL, 1, false, render_text);
	CHECK_STR(got, "TOTAL NAME\n   28 /lib/l\n   36 total\n1 of 3 rows\n"
		       "User space pages: 9\n");
	free(got);
	got = report(s, "units", "frames,cost,mapped,name", NULL, 1, false, render_text);
	CHECK_STR(got, "FRAMES COST MAPPED NAME\n    12   12     20 /lib/l\n"
		       " total   32     44\n1 of 4 rows\n");
	free(got);
}

/* Memory without a file is sorted by its size, too. */
static void test_order(void)
{
	static const char large[] =
		"T: a, 5, c0001000, 0, 0, 0, 0, 0, 0, 0\n"
		"V: 08000000, 08000FFF, 00001000, 00001000, 00000412, 00001875, /bin/a\n"
		"M: 08000000=00090012, 2, 0 |\n"
		"V: 7FFFE000, 7FFFFFFF, 00002000, 00002000, 00000412, 00000177, NULL\n"
		"M: 7FFFE000=00203052, 1, 0 | 7FFFF000=00204052, 1, 0 |\n";
	struct snapshot *of;
	struct kernel *its;
	char *got;

	CHECK_EQ(capture_of_bytes((const uint8_t *)large, strlen(large), &its), ST_OK);
	of = snapshot_build(its, NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE, NULL);
	got = report(of, "total", "total,name", NULL, 0, false, render_csv);
	CHECK_STR(got, "total,name\n8192,[stack]\n4096,/bin/a\n");
	free(got);
	snapshot_free(of);
	kernel_close(its);
}

static void test_alerts(void)
{
	struct snapshot *of;
	struct kernel *its;
	char *got;

	CHECK_EQ(capture_of_bytes((const uint8_t *)bad_text, strlen(bad_text), &its), ST_OK);
	of = snapshot_build(its, NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE, NULL);
	CHECK_EQ(of->nfiles, 3);
	/* fields that a collector's text lacks */
	for (uint32_t i = 0; i < of->nfiles; i++) {
		of->files[i].inode = i + 1;
		of->files[i].ino = 70 + i;
		of->files[i].size = 0x2000 + (i ? 0 : 0x1000);
	}
	of->files[2].deleted = true;
	of->files[2].path = "/old/twice (deleted)";
	got = alerts(of, "kind,cost,uses,pid,name", false, render_csv);
	CHECK_STR(got, "kind,cost,uses,pid,name\n"
		       "deleted,4096,1,,/old/twice (deleted)\n"
		       "duplicate,4096,1,,/old/twice (deleted)\n"
		       "text copied,4096,1,,/lib/nopic\n"
		       "write+exec,4096,1,5,\n");
	free(got);
	/* two builds stay apart, even with equal names */
	of->files[1].build_id_len = of->files[2].build_id_len = 2;
	of->files[2].build_id[1] = 1;
	/* the longest evidence fits, and the names after it have one column */
	got = alerts(of, "evidence,name", false, render_text);
	CHECK_STR(got, "EVIDENCE                                                    "
		       "        NAME\n"
		       "deleted or replaced, and still mapped                       "
		       "        /old/twice (deleted)\n"
		       "1 pages of text are private copies (relocated text, or break"
		       "points) /lib/nopic\n"
		       "1 vmas can be written and executed                          "
		       "        -\n");
	free(got);
	got = alerts(of, "kind,start,single,shared", true, render_csv);
	CHECK_STR(got, "kind,start,single,shared\n"
		       "deleted,,,\nmixed,0x10000000,1,1\ntext copied,,,\nwrite+exec,,,\n");
	free(got);
	snapshot_free(of);
	kernel_close(its);
	/* a page of data that two processes share since fork counts once: 5 mapped, 4 frames */
	got = alerts(s, "kind,cost,uses,name", true, render_csv);
	CHECK(strstr(got, "\nlibrary data,16384,2,/lib/l\n") != NULL);
	free(got);
}

int main(void)
{
	CHECK_EQ(capture_of_bytes((const uint8_t *)text, strlen(text), &k), ST_OK);
	s = snapshot_build(k, NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE, NULL);
	test_units();
	test_glyphs();
	test_bound();
	test_total();
	test_order();
	test_alerts();
	snapshot_free(s);
	kernel_close(k);
	return check_done();
}
