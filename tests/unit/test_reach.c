/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What points to what, on a machine made by hand: each object is reached in another way, or in none. */
#include "facts/layout/kmem.h"
#include "model/kernel/source.h"
#include "model/memory/reach/paths.h"
#include "model/memory/reach/who.h"
#include "tests/unit/check.h"
#include "tests/unit/reach_machine.h"

static uint64_t first(unsigned i)
{
	return rm_object(RM_SLAB, i);
}

static uint64_t second(unsigned i)
{
	return rm_object(RM_SECOND, i);
}

/*
 * Objects of the first slab:
 *	0	a variable points to it; it points into the middle of 1, 1 to 2, 2 back to 0
 *	3	nothing; it points to 4, and 4 to itself
 *	5	the struct page of a page of a file
 *	6	a block that object 2 points to; the block by the address of its second struct page
 *	7	the struct page of that block
 *	8	a free object of the second slab, which is no reason
 *	9	another page of unknown use that nothing points to
 *	10 ...	free
 * Those of the second slab are kept in an array in the block, but for the free ones.
 */
static void lay(struct reach_machine *m)
{
	unsigned word = m->f->dump.word_size;

	rm_point(m, RM_IMAGE + 16, first(0));
	rm_point(m, first(0) + 8, first(1) + 24);
	rm_point(m, first(1), first(2));
	rm_point(m, first(2) + 56, first(0));
	rm_point(m, first(3) + 8, first(4));
	rm_point(m, first(4), first(4));
	rm_point(m, RM_PAGES + (RM_FILE >> 12) * RM_STRUCT_PAGE + RM_PAGE_PRIVATE, first(5));
	rm_put(m, first(2), rm_page(m, RM_BLOCK + 0x1000) | 1, word);
	rm_point(m, RM_BLOCK + 0x1ff8, first(6));
	rm_point(m, RM_PAGES + (RM_BLOCK >> 12) * RM_STRUCT_PAGE + RM_PAGE_PRIVATE, first(7));
	rm_free_from(m, RM_SLAB, 10);
	rm_free_from(m, RM_SECOND, 20);
	rm_point(m, second(21), first(8));
	for (unsigned i = 0; i < 20; i++)
		rm_point(m, RM_BLOCK + 0x100 + (uint64_t)i * word, second(i));
	rm_point(m, RM_BLOCK + 0x2000, first(9));
}

static void check_lay(struct reach_machine *m)
{
	enum reach_doubt why;
	struct reach *x;
	struct unreached u;

	lay(m);
	x = rm_build(m, &why);
	if (!CHECK_EQ(why, REACH_SOUND))
		return;
	CHECK_EQ(x->doubt, REACH_SOUND);
	CHECK_EQ(x->in_use, 30);
	for (unsigned i = 0; i < 10; i++)
		CHECK_EQ(rm_reached(m, x, first(i)), i < 3 || (i >= 5 && i <= 7));
	for (unsigned i = 0; i < 20; i++)
		CHECK(rm_reached(m, x, second(i)));
	CHECK(rm_reached(m, x, RM_BLOCK) && !rm_reached(m, x, RM_BLOCK + 0x2000));
	CHECK_EQ(x->unsure, 0);
	unreached_build(x, UNREACHED_GROUPS, &m->mem, &u);
	CHECK_EQ(u.objects, 4);
	CHECK_EQ(u.bytes, 4 * RM_SIZE);
	CHECK_EQ(u.pages, 1);
	reach_free(x);
	CHECK_EQ(issues_total(m->f->kernel.issues), 0);
}

TEST(machines)
{
	for (int i = 0; i < 9; i++) {
		struct reach_machine *m = rm_new(i / 3 == 1 ? 4 : 8, i / 3 == 2, i % 3);

		check_lay(m);
		rm_free(m);
	}
}

/* The head of a chain, and what hangs on it; objects that look alike are one group. */
TEST(groups)
{
	struct reach_machine *m = rm_new(8, false, LINK_PLAIN);
	enum reach_doubt why;
	struct unreached u;
	struct reach *x;

	rm_free_from(m, RM_SLAB, 12);
	rm_free_from(m, RM_SECOND, 0);
	for (unsigned i = 0; i < 10; i++)
		rm_point(m, first(i) + 8, first(i + 1));
	fake_put(m->f, first(11) + 16, "a text", 7);
	x = rm_build(m, &why);
	unreached_build(x, UNREACHED_GROUPS, &m->mem, &u);
	if (CHECK_EQ(u.n, 5)) {
		/* the pages first: they are larger */
		CHECK(u.v[0].kind == UNREACHED_PAGES_OF && u.v[0].pages == 2 && u.v[0].heads == 1);
		CHECK_EQ(u.v[0].certainty, UNREACHED_USUAL);
		CHECK_STR(u.v[0].signature, "zeros");
		CHECK(u.v[1].pages == 1);
		CHECK(u.v[2].objects == 10 && u.v[2].heads == 1 && u.v[2].of == 12);
		CHECK_STR(u.v[2].signature, "[8] unreached first");
		CHECK_EQ(u.v[2].example, fake_kva(m->f, first(0)));
		CHECK_EQ(u.v[2].certainty, UNREACHED_NO_POINTER);
		CHECK_STR(u.v[3].signature, "zeros");
		CHECK_EQ(u.v[3].certainty, UNREACHED_FROM_UNREACHED);
		CHECK_STR(u.v[4].signature, "data");
		CHECK_EQ(u.v[4].heads, 1);
	}
	CHECK_EQ(fake_issues(m->f, "unreached object"), 0);
	/* what finds no place is in a group of its own, that says nothing of its objects */
	unreached_build(x, 3, &m->mem, &u);
	if (CHECK_EQ(u.n, 3)) {
		CHECK(u.v[0].kind == UNREACHED_OTHERS && u.v[0].objects == 3 && u.v[0].bytes == 0x3000 + RM_SIZE);
		CHECK(!u.v[0].signature && !u.v[0].from && u.v[0].certainty == UNREACHED_MIXED);
		CHECK(u.v[1].objects == 10 && u.v[2].objects == 1);
	}
	CHECK_EQ(u.objects, 12);
	CHECK_EQ(fake_issues(m->f, "unreached object"), 3);
	reach_free(x);
	rm_free(m);
}

/* A CPU has taken the list of a slab: its objects are free, and the slab knows nothing of it. */
TEST(of_a_cpu)
{
	struct reach_machine *m = rm_new(8, false, LINK_XOR_SWAPPED);
	enum reach_doubt why;
	struct reach *x;

	rm_free_from(m, RM_SLAB, 4);
	rm_point(m, RM_PAGES + (RM_SLAB >> 12) * RM_STRUCT_PAGE + RM_PAGE_FREELIST, 0);
	rm_put(m, RM_PAGES + (RM_SLAB >> 12) * RM_STRUCT_PAGE + RM_PAGE_INUSE, RM_PER_SLAB, 2);
	rm_free_from(m, RM_SECOND, 30);
	x = rm_build(m, &why);
	CHECK_EQ(x->used[0], RM_PER_SLAB);
	reach_free(x);
	rm_point(m, RM_PERCPU, first(4));
	x = rm_build(m, &why);
	CHECK_EQ(x->used[0], 4);
	CHECK_EQ(x->used[1], 30);
	reach_free(x);
	rm_free(m);
}

/* A list that leaves its slab, a cycle, a count that differs: none of that slab is reported, nor free. A CPU has a part
   of the same list: the slab counts once. */
TEST(contradictions)
{
	static const struct { unsigned at; bool cycle; } bad[] = { { 11, false }, { 31, true } };

	for (unsigned i = 0; i < 3; i++) {
		struct reach_machine *m = rm_new(8, false, LINK_PLAIN);
		enum reach_doubt why;
		struct unreached u;
		struct reach *x;

		lay(m);
		if (i < 2)
			rm_point(m, first(bad[i].at) + RM_LINK, bad[i].cycle ? first(10) : RM_FILE);
		rm_point(m, RM_PERCPU, first(11));
		if (i == 2)
			rm_put(m, RM_PAGES + (RM_SLAB >> 12) * RM_STRUCT_PAGE + RM_PAGE_INUSE, 9, 2);
		x = rm_build(m, &why);
		unreached_build(x, UNREACHED_GROUPS, &m->mem, &u);
		CHECK_EQ(x->unsure, 1);
		CHECK_EQ(x->used[0], RM_PER_SLAB);
		CHECK_EQ(u.objects, 0);
		CHECK_EQ(fake_issues(m->f, "slab"), 1);
		/* they are read all the same */
		CHECK(rm_reached(m, x, second(0)));
		reach_free(x);
		rm_free(m);
	}
}

TEST(missing)
{
	struct reach_machine *m = rm_new(8, false, LINK_PLAIN);
	enum reach_doubt why;
	struct unreached u;
	struct reach *x;

	lay(m);
	fake_drop(m->f, RM_SECOND);
	x = rm_build(m, &why);
	if (CHECK(x != NULL)) {
		CHECK_EQ(x->doubt, REACH_SLABS_MISSING);
		unreached_build(x, UNREACHED_GROUPS, &m->mem, &u);
		for (uint32_t i = 0; i < u.n; i++)
			CHECK_EQ(u.v[i].certainty,
				 u.v[i].kind == UNREACHED_PAGES_OF ? UNREACHED_USUAL : UNREACHED_CANNOT_TELL);
		reach_free(x);
	}
	rm_free(m);
	m = rm_new(8, false, LINK_PLAIN);
	lay(m);
	fake_drop(m->f, RM_IMAGE);
	x = rm_build(m, &why);
	if (CHECK(x != NULL))
		CHECK_EQ(x->doubt, REACH_ROOTS_MISSING);
	reach_free(x);
	rm_free(m);
}

static void check_refused(enum reach_doubt want, void (*spoil)(struct reach_machine *m))
{
	struct reach_machine *m = rm_new(8, false, LINK_PLAIN);
	enum reach_doubt why;

	lay(m);
	spoil(m);
	CHECK(!rm_build(m, &why));
	CHECK_EQ(why, want);
	rm_free(m);
}

static void runs(struct reach_machine *m)
{
	static const struct source live = { .has = SOURCE_MEMORY | SOURCE_CHANGES };

	m->f->kernel.source = &live;
}

static void no_pages(struct reach_machine *m)
{
	m->f->kernel.memmap.partial = true;
}

static void slab_of_old(struct reach_machine *m)
{
	m->f->kernel.layout.v[M_CACHE_OO].alt = -1;
	fake_member(m->f, M_CACHE_NUM, 12, 4);
}

static void no_offset(struct reach_machine *m)
{
	m->f->kernel.layout.v[M_CACHE_OFFSET].alt = -1;
}

TEST(refused)
{
	check_refused(REACH_CHANGES, runs);
	check_refused(REACH_NO_MEMMAP, no_pages);
	check_refused(REACH_NOT_SLUB, slab_of_old);
	check_refused(REACH_NO_TYPES, no_offset);
}

/*
 * An area of vmalloc is kept by a variable, or by nothing: the area's own structures say where it is and do not keep
 * it, nor does the end of the area before it.
 */
TEST(areas)
{
	enum { VMAP = 0x2900, NEXT = 0x2a00, VM = 0x2b00, VM_NEXT = 0x2c00, HEAD = 0x2f00, AREA = 0x800000, SIZE = 0x2000 };
	enum { VA_START = 0, VA_END = 8, VA_LIST = 16, VA_VM = 32, ALLOC = 2 };

	for (int kept = 0; kept < 3; kept++) {
		struct reach_machine *m = rm_new(8, false, LINK_PLAIN);
		enum reach_doubt why;
		struct reach *x;

		fake_symbol(m->f, Y_VMAP_AREAS, fake_kva(m->f, HEAD));
		fake_members(m->f, { M_VA_START, VA_START, 8 }, { M_VA_END, VA_END, 8 }, { M_VA_LIST, VA_LIST, 16 },
			     { M_VA_VM, VA_VM, 8 }, { M_VM_FLAGS_OF_AREA, 24, 8 }, { M_VM_NR_PAGES, 40, 4 });
		for (unsigned i = 0; i < 2; i++) {
			uint64_t va = i ? NEXT : VMAP, vm = i ? VM_NEXT : VM, start = AREA + i * SIZE;

			rm_point(m, va + VA_START, start);
			rm_point(m, va + VA_END, start + SIZE);
			rm_point(m, va + VA_LIST, i ? HEAD : NEXT + VA_LIST);
			rm_point(m, va + VA_LIST + 8, i ? VMAP + VA_LIST : HEAD);
			rm_point(m, va + VA_VM, vm);
			rm_point(m, vm + 8, start);
			rm_put(m, vm + 16, SIZE, 8);
			rm_put(m, vm + 24, ALLOC, 8);
			rm_put(m, vm + 40, 1, 4);
			/* the same in objects that are reached: copies of what the allocator has */
			rm_point(m, first(i) + 8, start);
			rm_put(m, first(i) + 16, SIZE, 8);
			rm_point(m, second(i), start);
			rm_point(m, second(i) + 8, start + SIZE);
			rm_point(m, second(i) + VA_LIST, VMAP + VA_LIST);
			rm_point(m, second(i) + VA_LIST + 8, VMAP + VA_LIST);
			/* free: up to where an area begins */
			rm_point(m, second(i + 2), 0x600000);
			rm_point(m, second(i + 2) + 8, start);
			rm_point(m, second(i + 2) + VA_LIST, HEAD);
			rm_point(m, second(i + 2) + VA_LIST + 8, HEAD);
			rm_point(m, RM_IMAGE + 0x100 + 8 * (uint64_t)i, second(i + 2));
			rm_point(m, RM_IMAGE + 16 + 16 * (uint64_t)i, first(i));
			rm_point(m, RM_IMAGE + 24 + 16 * (uint64_t)i, second(i));
		}
		rm_point(m, HEAD, VMAP + VA_LIST);
		rm_point(m, HEAD + 8, NEXT + VA_LIST);
		if (kept == 1)
			rm_point(m, RM_IMAGE + 0x80, AREA + SIZE + 0x100);
		/* an array of both: they follow each other */
		rm_point(m, RM_IMAGE + 0x88, second(5));
		rm_point(m, second(5), kept == 2 ? AREA : 0);
		rm_point(m, second(5) + 8, kept == 2 ? AREA + SIZE : 0);
		x = rm_build(m, &why);
		if (CHECK_EQ(x->nareas, 2)) {
			CHECK(rm_reached(m, x, second(1)));
			CHECK_EQ(reach_bit(x->reached, x->unit_nodes), kept == 2);
			CHECK_EQ(reach_bit(x->reached, x->unit_nodes + 1), kept > 0);
		}
		reach_free(x);
		rm_free(m);
	}
}

static const struct reach_path *path_of(const struct reach_paths *p, const char *step, const char *root)
{
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t top = i;

		while (p->v[top].up != UINT32_MAX)
			top = p->v[top].up;
		if (p->v[i].depth && !strcmp(p->v[i].step, step) && !strcmp(p->v[top].step, root))
			return &p->v[i];
	}
	return NULL;
}

/* Objects of one cache are one step, also if a block lies between them; a variable goes before a struct page. */
TEST(paths)
{
	struct reach_machine *m = rm_new(8, false, LINK_XOR);
	const struct reach_path *p;
	enum reach_doubt why;
	struct reach_paths paths;
	struct reach *x;

	lay(m);
	rm_point(m, RM_PAGES + (RM_FILE >> 12) * RM_STRUCT_PAGE + 24, first(0));
	x = rm_build(m, &why);
	paths_build(x, PATHS_MAX, &m->mem, &paths);
	p = path_of(&paths, "first", "kernel image");
	CHECK(p && p->objects == 5 && p->bytes == 5 * RM_SIZE && p->example == fake_kva(m->f, first(0)) && p->depth == 1);
	p = path_of(&paths, "unknown", "kernel image");
	CHECK(p && p->objects == 1 && p->bytes == 0x2000 && p->depth == 2);
	p = path_of(&paths, "second", "kernel image");
	CHECK(p && p->objects == 20 && p->depth == 3);
	p = path_of(&paths, "first", "struct pages");
	CHECK(p && p->objects == 1 && p->example == fake_kva(m->f, first(5)));
	CHECK_EQ(paths.bytes, 26 * RM_SIZE + 0x2000);
	CHECK(!paths.v[0].objects && !fake_issues(m->f, "path of pointers"));
	reach_free(x);
	/* room for two paths: the others are one, also of another root */
	x = rm_build(m, &why);
	paths_build(x, 3, &m->mem, &paths);
	p = path_of(&paths, "first", "kernel image");
	CHECK(p && p->objects == 3 && paths.n == 3);
	CHECK_STR(paths.v[0].step, "others");
	CHECK(paths.v[0].objects == 24 && paths.v[0].up == UINT32_MAX);
	CHECK_EQ(paths.bytes, 26 * RM_SIZE + 0x2000);
	CHECK_EQ(fake_issues(m->f, "path of pointers"), 24);
	reach_free(x);
	rm_free(m);
}

TEST(who)
{
	struct reach_machine *m = rm_new(8, false, LINK_XOR);
	enum reach_doubt why;
	struct reach *x;
	struct who w;

	lay(m);
	x = rm_build(m, &why);
	CHECK_EQ(who_build(x, fake_kva(m->f, first(0)) + 5, &m->mem, &w), ST_OK);
	if (CHECK(w.n == 2 && w.all == 2)) {
		CHECK(w.state == WHO_REACHED && w.kva == fake_kva(m->f, first(0)) && w.size == RM_OBJECT);
		CHECK(w.v[0].kind == WHO_VARIABLE && w.v[0].at == fake_kva(m->f, RM_IMAGE + 16) && !w.v[0].to);
		CHECK(w.v[1].kind == WHO_OBJECT && w.v[1].from == fake_kva(m->f, first(2)) && w.v[1].reached);
		CHECK_STR(w.v[1].name, "first+0x38");
	}
	CHECK_EQ(who_build(x, fake_kva(m->f, first(4)), &m->mem, &w), ST_OK);
	CHECK(w.n == 1 && w.state == WHO_UNREACHED && !w.v[0].reached && w.v[0].from == fake_kva(m->f, first(3)));
	/* a struct page of its own block, and the block itself by its struct page */
	CHECK_EQ(who_build(x, fake_kva(m->f, first(7)), &m->mem, &w), ST_OK);
	CHECK(w.n == 1 && w.v[0].kind == WHO_STRUCT_PAGE && w.v[0].from == fake_kva(m->f, RM_BLOCK));
	CHECK_EQ(who_build(x, rm_page(m, RM_BLOCK + 0x1000), &m->mem, &w), ST_OK);
	CHECK(w.n == 1 && w.kva == fake_kva(m->f, RM_BLOCK) && w.v[0].to == WHO_STRUCT);
	/* of a page of a file nobody keeps a kernel address */
	CHECK_EQ(who_build(x, fake_kva(m->f, RM_FILE), &m->mem, &w), ST_ABSENT);
	CHECK_EQ(who_build(x, 17, &m->mem, &w), ST_ABSENT);
	reach_free(x);
	rm_free(m);
}

/* A source of symbols with the static area of CPUs: one variable, and its end. */
static bool percpu_find(void *self, const char *name, uint64_t *addr)
{
	(void)self;
	*addr = strcmp(name, "__per_cpu_end") ? 0 : 0x400;
	return !strncmp(name, "__per_cpu_", 10);
}

static bool percpu_symbol(void *self, uint64_t addr, struct symbol_place *ret)
{
	(void)self;
	*ret = (struct symbol_place){ .offset = addr < 0x400 ? addr : addr - 0x400 };
	snprintf(ret->name, sizeof(ret->name), "%s", addr < 0x400 ? "a_variable" : "__per_cpu_end");
	return true;
}

/* What alloc_percpu() gave lies behind the static area, and has no symbol. */
TEST(percpu)
{
	static const struct symbol_source symbols = { .name = "hand", .find = percpu_find, .at = percpu_symbol };
	struct reach_machine *m = rm_new(8, false, LINK_PLAIN);
	struct reach_paths paths;
	enum reach_doubt why;
	struct reach *x;
	struct who w;

	lay(m);
	symbols_add(&m->f->dump.symbols, &symbols);
	m->f->kernel.percpu[0] = fake_kva(m->f, RM_PERCPU);
	m->chunk[RM_PERCPU >> 12] = CLASS_PERCPU;
	rm_point(m, RM_PERCPU, 0);
	rm_point(m, RM_PERCPU + 0x3f8, first(3));
	rm_point(m, RM_PERCPU + 0x400, first(9));
	x = rm_build(m, &why);
	CHECK_EQ(who_build(x, fake_kva(m->f, first(3)), &m->mem, &w), ST_OK);
	if (CHECK(w.n == 1 && w.v[0].kind == WHO_PERCPU))
		CHECK_STR(w.v[0].name, "a_variable+0x3f8 of CPU 0");
	CHECK_EQ(who_build(x, fake_kva(m->f, first(9)), &m->mem, &w), ST_OK);
	CHECK(w.n == 2 && w.v[0].kind == WHO_PERCPU && !w.v[0].name);
	paths_build(x, PATHS_MAX, &m->mem, &paths);
	CHECK(path_of(&paths, "first", "a_variable") && path_of(&paths, "first", "per-CPU"));
	reach_free(x);
	m->f->kernel.percpu[0] = 0;
	rm_free(m);
}

/* Areas that have more pages than the machine together: what is read of them is bounded by its frames. */
TEST(areas_bounded)
{
	enum { VMAP = 0x2900, VM = 0x2b00, HEAD = 0x2f00, STEP = 0x40, PAGES = 48, AREAS = 3 };
	struct reach_machine *m = rm_new(8, false, LINK_PLAIN);
	enum reach_doubt why;
	struct reach *x;

	fake_symbol(m->f, Y_VMAP_AREAS, fake_kva(m->f, HEAD));
	fake_members(m->f, { M_VA_START, 0, 8 }, { M_VA_END, 8, 8 }, { M_VA_LIST, 16, 16 }, { M_VA_VM, 32, 8 },
		     { M_VM_FLAGS_OF_AREA, 24, 8 }, { M_VM_NR_PAGES, 40, 4 });
	for (unsigned i = 0; i < AREAS; i++) {
		uint64_t va = VMAP + i * STEP, vm = VM + i * STEP, start = 0x800000 + i * PAGES * 0x1000;

		rm_point(m, va, start);
		rm_point(m, va + 8, start + PAGES * 0x1000);
		rm_point(m, va + 16, i + 1 < AREAS ? va + STEP + 16 : HEAD);
		rm_point(m, va + 24, i ? va - STEP + 16 : HEAD);
		rm_point(m, va + 32, vm);
		rm_point(m, vm + 8, start);
		rm_put(m, vm + 16, PAGES * 0x1000, 8);
		rm_put(m, vm + 24, 2, 8);
		rm_put(m, vm + 40, PAGES, 4);
	}
	rm_point(m, HEAD, VMAP + 16);
	rm_point(m, HEAD + 8, VMAP + (AREAS - 1) * STEP + 16);
	x = rm_build(m, &why);
	if (CHECK_EQ(x->nareas, AREAS)) {
		CHECK_EQ(x->area_pages[0] + x->area_pages[1] + x->area_pages[2], RM_FRAMES);
		CHECK_EQ(fake_issues(m->f, "vmalloc area"), 2);
	}
	reach_free(x);
	rm_free(m);
}

/* Sheaves of a CPU and of a node: what they have is free. Together it is no more than the cache has; a node that is lost
   is told. */
TEST(sheaves)
{
	enum { NODE = 0x3400, BARN = 0x3500, SHEAVES = 0x3100, MAIN = 0x3200, FULL = 0x3600, OBJECTS = 24, LOST = 0x700000 };
	static const struct { uint64_t objects, node, used; } ways[] = { { 32, NODE, 28 }, { 3, NODE, 30 }, { 32, LOST, 30 } };

	for (unsigned i = 0; i < 3; i++) {
		struct reach_machine *m = rm_new(8, false, LINK_PLAIN);
		enum reach_doubt why;
		struct reach *x;

		fake_array(m->f, M_CACHE_NODES, 72, 8, 1);
		fake_members(m->f, { M_CACHE_SHEAVES, 64, 8 }, { M_KCN_OBJECTS, 8, 8 }, { M_KCN_NR_SLABS, 24, 8 }, { M_KCN_BARN, 16, 8 },
			     { M_SHEAVES_MAIN, 0, 8 }, { M_SHEAF_SIZE, 0, 4 }, { M_SHEAF_LIST, 8, 16 },
			     { M_SHEAF_OBJECTS, OBJECTS, 0 }, { M_BARN_FULL, 0, 16 });
		rm_point(m, RM_CACHE + 64, SHEAVES);
		rm_point(m, RM_CACHE + 72, ways[i].node);
		rm_point(m, RM_CACHE + 0x100 + 64, 0);
		rm_point(m, RM_CACHE + 0x100 + 72, 0);
		rm_put(m, NODE + 8, ways[i].objects, 8);
		rm_point(m, NODE + 16, BARN);
		rm_put(m, NODE + 24, 1, 8);
		rm_point(m, SHEAVES, MAIN);
		rm_point(m, BARN, FULL + 8);
		rm_point(m, BARN + 8, FULL + 8);
		rm_point(m, FULL + 8, BARN);
		rm_point(m, FULL + 16, BARN);
		for (unsigned j = 0; j < 2; j++) {
			rm_put(m, j ? FULL : MAIN, 2, 4);
			rm_point(m, (j ? FULL : MAIN) + OBJECTS, first(2 * j));
			rm_point(m, (j ? FULL : MAIN) + OBJECTS + 8, first(2 * j + 1));
		}
		x = rm_build(m, &why);
		if (CHECK(x != NULL)) {
			CHECK_EQ(x->used[0], ways[i].used);
			CHECK_EQ(fake_issues(m->f, "slab cache"), i);
		}
		reach_free(x);
		rm_free(m);
	}
}
