/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of /proc/meminfo that older kernels counted in other units or other places. */
#include "facts/layout/base.h"
#include "facts/layout/file.h"
#include "facts/layout/swap.h"
#include "facts/layout/system.h"
#include "model/kernel/machine/system.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum { COUNTERS = 0x1000, SPACES = 0x2000, VARS = 0x3000, ONE = 0x4000 };
enum { NR_FREE, NR_FILE, NR_STACKS, NR_ANON, NR_HUGE, NR_ITEMS, SPACE_SIZE = 168, NRPAGES = 88 };

static uint64_t line(const struct machine *m, const char *name)
{
	for (uint32_t i = 0; i < m->nmeminfo; i++)
		if (!strcmp(m->meminfo[i].name, name))
			return m->meminfo[i].value;
	return UNKNOWN;
}

static void put_counter(struct fake *f, unsigned item, uint64_t v)
{
	fake_put_uint(f, COUNTERS + 8 * item, v, 8);
}

/* 4.4 and similar kernels: one array of counters, two areas of swap. */
static struct fake *older(void)
{
	static const struct paging paging = { .nlevels = 4, .bits = { 9 } };
	struct fake *f = fake_new(8, false);

	f->kernel.paging = &paging;
	fake_symbol(f, Y_VM_ZONE_STAT, fake_kva(f, COUNTERS));
	fake_enum(f, E_NR_VM_ZONE_STAT_ITEMS, NR_ITEMS);
	fake_enum(f, E_NR_FREE_PAGES, NR_FREE);
	fake_enum(f, E_NR_FILE_PAGES, NR_FILE);
	fake_enum(f, E_NR_KERNEL_STACK, NR_STACKS);
	f->kernel.layout.v[E_NR_KERNEL_STACK].alt = 1;
	put_counter(f, NR_FREE, 1000);
	put_counter(f, NR_FILE, 100);
	put_counter(f, NR_STACKS, 277);
	fake_symbol(f, Y_SWAP_AREAS, fake_kva(f, VARS));
	fake_symbol(f, Y_SWAP_AREA_COUNT, fake_kva(f, VARS + 8));
	fake_put_uint(f, VARS + 8, 2, 4);
	fake_size(f, S_ADDRESS_SPACE, SPACE_SIZE);
	fake_member(f, M_MAPPING_NRPAGES, NRPAGES, 8);
	return f;
}

static void read_lines(struct fake *f, struct arena *mem, struct machine *m)
{
	struct system y = { .k = &f->kernel, .r = f->r, .mem = mem, .m = m };

	*mem = (struct arena){ 0 };
	*m = (struct machine){ 0 };
	read_meminfo(&y);
}

TEST(stacks)
{
	struct fake *f = older();
	struct machine m;
	struct arena mem;

	/* 4.4.0-210-generic said 4432 kB of 277 stacks */
	fake_size(f, S_THREAD_UNION, 16384);
	read_lines(f, &mem, &m);
	CHECK_EQ(line(&m, "KernelStack"), 4432 << 10);
	arena_release(&mem);
	/* the size of a stack is not known */
	f->kernel.layout.v[S_THREAD_UNION].alt = -1;
	f->kernel.layout.v[S_THREAD_UNION].size = 0;
	read_lines(f, &mem, &m);
	CHECK_EQ(line(&m, "KernelStack"), UNKNOWN);
	arena_release(&mem);
	f->kernel.layout.v[E_NR_KERNEL_STACK].alt = 0;
	read_lines(f, &mem, &m);
	CHECK_EQ(line(&m, "KernelStack"), 277 << 10);
	arena_release(&mem);
	fake_free(f);
}

TEST(swap_cache)
{
	struct fake *f = older();
	struct machine m;
	struct arena mem;

	read_lines(f, &mem, &m);
	CHECK_EQ(line(&m, "SwapCached"), UNKNOWN);
	arena_release(&mem);

	/* to 3.8: one space */
	fake_symbol(f, Y_SWAPPER_SPACE, fake_kva(f, ONE));
	fake_put_uint(f, ONE + NRPAGES, 5, 8);
	read_lines(f, &mem, &m);
	CHECK_EQ(line(&m, "SwapCached"), 5 * 4096);
	arena_release(&mem);
	fake_free(f);

	/* to 4.10: an array, one for each area */
	f = older();
	fake_symbol(f, Y_SWAPPER_SPACES, fake_kva(f, SPACES));
	fake_put_uint(f, SPACES + NRPAGES, 7, 8);
	fake_put_uint(f, SPACES + SPACE_SIZE + NRPAGES, 2, 8);
	fake_put_uint(f, SPACES + 2 * SPACE_SIZE + NRPAGES, 90, 8);
	read_lines(f, &mem, &m);
	CHECK_EQ(line(&m, "SwapCached"), 9 * 4096);
	arena_release(&mem);
	fake_free(f);
}

/* fs/proc/meminfo.c of 3.10: + NR_ANON_TRANSPARENT_HUGEPAGES * HPAGE_PMD_NR */
TEST(anon)
{
	struct fake *f = older();
	struct machine m;
	struct arena mem;

	fake_enum(f, E_NR_ANON_MAPPED, NR_ANON);
	fake_enum(f, E_NR_ANON_THPS, NR_HUGE);
	put_counter(f, NR_ANON, 9648);
	put_counter(f, NR_HUGE, 6);
	f->kernel.rules.on[RULE_ANON_WITHOUT_THP] = true;
	read_lines(f, &mem, &m);
	CHECK_EQ(line(&m, "AnonPages"), (9648 + 6 * 512) << 12);
	arena_release(&mem);
	f->kernel.rules.on[RULE_ANON_WITHOUT_THP] = false;
	read_lines(f, &mem, &m);
	CHECK_EQ(line(&m, "AnonPages"), 9648 << 12);
	arena_release(&mem);
	fake_free(f);
}

static bool has_line(const struct machine *m, const char *name)
{
	for (uint32_t i = 0; i < m->nmeminfo; i++)
		if (!strcmp(m->meminfo[i].name, name))
			return true;
	return false;
}

TEST(lines)
{
	struct fake *f = older();
	struct machine m;
	struct arena mem;

	for (int on = 0; on < 2; on++) {
		f->kernel.rules.on[RULE_LINE_MEM_AVAILABLE] = on;
		read_lines(f, &mem, &m);
		CHECK_EQ(has_line(&m, "MemAvailable"), on);
		arena_release(&mem);
	}
	/* the line came after both */
	fake_enum(f, E_NR_KERNEL_MISC_RECLAIMABLE, 0);
	f->kernel.rules.on[RULE_LINE_MEM_AVAILABLE] = false;
	read_lines(f, &mem, &m);
	CHECK(has_line(&m, "MemAvailable"));
	arena_release(&mem);
	fake_free(f);
}

/*
 * MemAvailable: half of the cache, what is free, less reserves (4.5) or the low watermark (3.14). RHEL 6
 * hides it by a setting.
 */
TEST(available)
{
	enum { NODE = 0x5000, RESERVE = 0x6000, LEGACY = 0x6010, LOW = 30 };
	struct fake *f = older();
	struct machine m;
	struct arena mem;

	fake_symbol(f, Y_ONE_PGDAT, fake_kva(f, NODE));
	fake_array(f, M_PGDAT_ZONES, 0, 64, 1);
	fake_array(f, M_ZONE_WATERMARK, 0, 8, 3);
	fake_put_uint(f, NODE + 8, LOW, 8);
	fake_enum(f, E_NR_ACTIVE_FILE, NR_ANON);
	fake_enum(f, E_NR_INACTIVE_FILE, NR_HUGE);
	fake_enum(f, E_NR_SLAB_RECLAIMABLE, NR_STACKS);
	put_counter(f, NR_ANON, 100);
	put_counter(f, NR_HUGE, 60);
	put_counter(f, NR_STACKS, 50);
	fake_symbol(f, Y_TOTALRESERVE, fake_kva(f, RESERVE));
	fake_put_uint(f, RESERVE, 200, 8);
	f->kernel.rules.on[RULE_LINE_MEM_AVAILABLE] = true;
	read_lines(f, &mem, &m);
	CHECK_EQ(line(&m, "MemAvailable"), (1000 - LOW + 160 - LOW + 50 - 25) << 12);
	arena_release(&mem);
	f->kernel.rules.on[RULE_AVAILABLE_RESERVES] = true;
	read_lines(f, &mem, &m);
	CHECK_EQ(line(&m, "MemAvailable"), (1000 - 200 + 160 - LOW + 50 - 25) << 12);
	arena_release(&mem);
	/* a lost type is no kernel without watermarks */
	f->kernel.layout.v[M_ZONE_WATERMARK].alt = FACT_LOST;
	read_lines(f, &mem, &m);
	CHECK_EQ(line(&m, "MemAvailable"), UNKNOWN);
	CHECK(has_line(&m, "MemAvailable"));
	arena_release(&mem);
	f->kernel.layout.v[M_ZONE_WATERMARK].alt = 0;
	fake_symbol(f, Y_MEMINFO_LEGACY, fake_kva(f, LEGACY));
	for (unsigned legacy = 0; legacy < 2; legacy++) {
		fake_put_uint(f, LEGACY, legacy, 4);
		read_lines(f, &mem, &m);
		CHECK_EQ(has_line(&m, "MemAvailable"), !legacy);
		arena_release(&mem);
	}
	fake_free(f);
}

/* Where names of symbols are lost, swap and huge pages without a name are unknown, and no longer none. */
TEST(names_lost)
{
	for (int lost = 0; lost < 2; lost++) {
		struct fake *f = older();
		struct machine m;
		struct arena mem;

		fake_size(f, S_HSTATE, 64);
		f->dump.kallsyms_lost = lost ? ST_CORRUPT : ST_OK;
		read_lines(f, &mem, &m);
		CHECK_EQ(line(&m, "SwapTotal"), lost ? UNKNOWN : 0);
		CHECK_EQ(line(&m, "SwapFree"), lost ? UNKNOWN : 0);
		CHECK_EQ(has_line(&m, "HugePages_Total"), lost);
		CHECK_EQ(line(&m, "HugePages_Total"), UNKNOWN);
		arena_release(&mem);
		fake_free(f);
	}
}

/* percpu_counter_sum() is two's complement, whatever the parts say. */
TEST(counter_wraps)
{
	static uint64_t percpu[] = { 0, 0x100 };
	struct fake *f = fake_new(8, false);
	int64_t exact = 0, approx = 0;

	fake_member(f, M_PCC_COUNT, 8, 8);
	fake_member(f, M_PCC_COUNTERS, 16, 8);
	f->kernel.percpu = percpu;
	f->kernel.ncpus = 2;
	fake_put_uint(f, 0x1008, (uint64_t)INT64_MIN, 8);
	fake_put_uint(f, 0x1010, fake_kva(f, 0x2000), 8);
	fake_put_uint(f, 0x2000, UINT32_MAX, 4);
	fake_put_uint(f, 0x2100, 3, 4);
	CHECK(!percpu_counter_read(&f->kernel, f->r, fake_kva(f, 0x1000), &exact, &approx));
	CHECK(exact == INT64_MIN + 2);
	CHECK(approx == INT64_MIN);
	fake_free(f);
}
