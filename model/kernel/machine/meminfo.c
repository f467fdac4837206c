/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines of /proc/meminfo, by the kernel's own sums (fs/proc/meminfo.c; mm/show_mem.c,
 * si_mem_available(); mm/util.c, vm_commit_limit()), in the kernel's order. A line that
 * this kernel does not print is left out; a line with an unreadable part is UNKNOWN.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/system.h"
#include "model/kernel/hugetlb/hugetlb.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/system.h"

/* The parts of lines, read once. */
struct meminfo {
	const struct system *y;
	struct counters c;
	struct zone_sums zones;
	struct hugetlb_sums huge;
	uint64_t total, buffers, swapcache;		/* pages */
	uint64_t swap_total, swap_free;			/* pages */
};

enum how { PAGES, KIB, THP, FN };

struct line {
	const char *name;
	enum how how;
	enum layout_id item;		/* of PAGES, KIB, THP */
	/* FN: false if this kernel prints no such line. Bytes, or a count. */
	bool (*fn)(const struct meminfo *i, uint64_t *ret);
	enum layout_id if_item;		/* the line is there if this fact is; or ALWAYS */
};

/* Sums: if one part is unknown, the sum is unknown. */
static uint64_t plus(uint64_t a, uint64_t b)
{
	return a == UNKNOWN || b == UNKNOWN || a + b < a ? UNKNOWN : a + b;
}

/* a - b, clamped at 0 as in the kernel. */
static uint64_t minus(uint64_t a, uint64_t b)
{
	if (a == UNKNOWN || b == UNKNOWN)
		return UNKNOWN;
	return a > b ? a - b : 0;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t x;

	return a == UNKNOWN || __builtin_mul_overflow(a, b, &x) ? UNKNOWN : x;
}

static uint64_t bytes(const struct meminfo *i, uint64_t pages)
{
	return times(pages, dump_page_size(i->y->k->dump));
}

static uint64_t item(const struct meminfo *i, enum layout_id id)
{
	return counter(i->y, &i->c, id);
}

/* ---- lines that are not just a counter -------------------------------------------- */

static bool mem_total(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, i->total);
	return true;
}

static uint64_t half_or(uint64_t pages, uint64_t wmark)
{
	return pages == UNKNOWN ? UNKNOWN : pages - min_u64(pages / 2, wmark);
}

/* Does the kernel print the line of rule R? Those of 4.20 do; older images are searched. */
static bool prints(const struct meminfo *i, enum rule r)
{
	return has(i->y->k, E_NR_KERNEL_MISC_RECLAIMABLE) || kernel_rule(i->y->k, r);
}

/* sysctl_meminfo_legacy_layout of RHEL 6: its meminfo is that of 2.6.32 unless this is 0. */
static bool hidden(const struct meminfo *i)
{
	uint64_t v;

	return has(i->y->k, Y_MEMINFO_LEGACY) &&
	       !kvar_u64(i->y->k, i->y->r, Y_MEMINFO_LEGACY, 4, &v) && v;
}

/* 34e431b0ae39 (v3.14); since b29940c1abd7 (v4.20) with other reclaimable memory */
static bool mem_available(const struct meminfo *i, uint64_t *ret)
{
	uint64_t cache = plus(item(i, E_NR_ACTIVE_FILE), item(i, E_NR_INACTIVE_FILE));
	uint64_t slab = plus(item(i, E_NR_SLAB_RECLAIMABLE), item(i, E_NR_KERNEL_MISC_RECLAIMABLE));
	uint64_t low = i->zones.wmark_low, sum;
	bool reserves = has(i->y->k, E_NR_KERNEL_MISC_RECLAIMABLE) ||
			kernel_rule(i->y->k, RULE_AVAILABLE_RESERVES);

	if (!prints(i, RULE_LINE_MEM_AVAILABLE) || hidden(i))
		return false;
	*ret = UNKNOWN;
	if (!i->zones.known)
		return true;
	/* free memory may be less than the reserve: subtract last */
	sum = plus(half_or(cache, low), half_or(slab, low));
	sum = plus(sum, item(i, E_NR_FREE_PAGES));
	*ret = bytes(i, minus(sum, reserves ? word_var(i->y, Y_TOTALRESERVE) : low));
	return true;
}

/* In huge pages until 69473e5de873 (v5.12), the release of NR_SWAPCACHE. */
static uint64_t thp_bytes(const struct meminfo *i, enum layout_id id)
{
	uint64_t v = bytes(i, item(i, id));

	return has(i->y->k, E_NR_SWAPCACHE) ? v : times(v, 1ull << i->y->k->paging->bits[0]);
}

static bool anon_pages(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, item(i, E_NR_ANON_MAPPED));
	if (kernel_rule(i->y->k, RULE_ANON_WITHOUT_THP))
		*ret = plus(*ret, thp_bytes(i, E_NR_ANON_THPS));
	return true;
}

static bool buffers(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, i->buffers);
	return true;
}

static bool cached(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, minus(item(i, E_NR_FILE_PAGES), plus(i->swapcache, i->buffers)));
	return true;
}

static bool swap_cached(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, i->swapcache);
	return true;
}

static bool active(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, plus(item(i, E_NR_ACTIVE_ANON), item(i, E_NR_ACTIVE_FILE)));
	return true;
}

static bool inactive(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, plus(item(i, E_NR_INACTIVE_ANON), item(i, E_NR_INACTIVE_FILE)));
	return true;
}

static bool high_total(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, word_var(i->y, Y_TOTALHIGH));
	return true;
}

static uint64_t high_free_pages(const struct meminfo *i)
{
	return i->zones.known ? i->zones.free_high : UNKNOWN;
}

static bool high_free(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, high_free_pages(i));
	return true;
}

static bool low_total(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, minus(i->total, word_var(i->y, Y_TOTALHIGH)));
	return true;
}

static bool low_free(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, minus(item(i, E_NR_FREE_PAGES), high_free_pages(i)));
	return true;
}

static bool swap_total(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, i->swap_total);
	return true;
}

static bool swap_free(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, i->swap_free);
	return true;
}

static bool zswap(const struct meminfo *i, uint64_t *ret)
{
	*ret = zswap_bytes(i->y);
	return has(i->y->k, Y_ZSWAP_STORED);
}

/* An int until it became a long (v6.13): on a little-endian machine the low half is right for
   both. */
static bool zswapped(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, int_var(i->y, Y_ZSWAP_STORED));
	return has(i->y->k, Y_ZSWAP_STORED);
}

static bool kreclaimable(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i,
		     plus(item(i, E_NR_SLAB_RECLAIMABLE), item(i, E_NR_KERNEL_MISC_RECLAIMABLE)));
	return true;
}

static bool slab(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, plus(item(i, E_NR_SLAB_RECLAIMABLE), item(i, E_NR_SLAB_UNRECLAIMABLE)));
	return true;
}

/* In stacks of THREAD_SIZE bytes, not KiB, before d30dd8be06a2 (v4.8). */
static bool kernel_stack(const struct meminfo *i, uint64_t *ret)
{
	uint64_t stack = layout_size(&i->y->k->layout, S_THREAD_UNION);

	if (i->y->k->layout.v[E_NR_KERNEL_STACK].alt == 0)
		stack = 1024;
	*ret = stack ? times(item(i, E_NR_KERNEL_STACK), stack) : UNKNOWN;
	return true;
}

static bool commit_limit(const struct meminfo *i, uint64_t *ret)
{
	uint64_t kbytes = word_var(i->y, Y_OVERCOMMIT_KBYTES);
	uint64_t ratio = int_var(i->y, Y_OVERCOMMIT_RATIO);
	uint64_t allowed;

	if (has(i->y->k, Y_OVERCOMMIT_KBYTES) && kbytes) {
		allowed = times(kbytes, 1024);
		if (allowed != UNKNOWN)
			allowed >>= i->y->k->dump->page_shift;
	} else {
		allowed = i->huge.there && !i->huge.known
				  ? UNKNOWN
				  : times(minus(i->total, i->huge.all_pages), ratio);
		if (allowed != UNKNOWN)
			allowed /= 100;
	}
	*ret = bytes(i, plus(allowed, word_var(i->y, Y_TOTAL_SWAP)));
	return true;
}

/* The exact sum since v5.9, the release that brought the "_B"
   of slab counters; the counter without its per-CPU parts before. */
static bool committed(const struct meminfo *i, uint64_t *ret)
{
	bool sum = i->y->k->layout.v[E_NR_SLAB_RECLAIMABLE].alt == 0;
	int64_t exact, approx, v;

	*ret = UNKNOWN;
	if (!has(i->y->k, Y_VM_COMMITTED) ||
	    percpu_counter_read(i->y->k, i->y->r, layout_symbol(&i->y->k->layout, Y_VM_COMMITTED),
				&exact, &approx))
		return true;
	v = sum ? exact : approx;
	*ret = bytes(i, v > 0 ? (uint64_t)v : 0);
	return true;
}

static bool vmalloc_total(const struct meminfo *i, uint64_t *ret)
{
	const struct arch *arch = i->y->k->arch;

	if (!arch->vmalloc_total || !arch->vmalloc_total(i->y->k->dump, ret))
		*ret = UNKNOWN;
	return true;
}

/* 0 since a5ad88ce8c7f (v4.4), until it was counted again */
static bool vmalloc_used(const struct meminfo *i, uint64_t *ret)
{
	if (has(i->y->k, E_NR_VMALLOC))
		*ret = bytes(i, item(i, E_NR_VMALLOC));
	else if (has(i->y->k, Y_NR_VMALLOC))
		*ret = bytes(i, word_var(i->y, Y_NR_VMALLOC));
	else
		*ret = kernel_rule(i->y->k, RULE_VMALLOC_SUMMED) ? UNKNOWN : 0;
	return true;
}

static bool vmalloc_chunk(const struct meminfo *i, uint64_t *ret)
{
	*ret = kernel_rule(i->y->k, RULE_VMALLOC_SUMMED) ? UNKNOWN : 0;
	return true;
}

static bool percpu(const struct meminfo *i, uint64_t *ret)
{
	uint64_t units = int_var(i->y, Y_PCPU_UNITS);

	*ret = units == UNKNOWN ? UNKNOWN
				: bytes(i, times(word_var(i->y, Y_PCPU_POPULATED), units));
	return true;
}

static bool memtest(const struct meminfo *i, uint64_t *ret)
{
	uint64_t done;

	if (kvar_u64(i->y->k, i->y->r, Y_MEMTEST_DONE, 1, &done) || !done)
		return false;
	*ret = word_var(i->y, Y_MEMTEST_BAD);
	return true;
}

static bool poisoned(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, word_var(i->y, Y_POISONED));
	return true;
}

static bool cma_total(const struct meminfo *i, uint64_t *ret)
{
	*ret = bytes(i, word_var(i->y, Y_TOTALCMA));
	return true;
}

static bool huge_value(const struct meminfo *i, uint64_t v, uint64_t *ret)
{
	*ret = i->huge.known ? v : UNKNOWN;
	return i->huge.there && (!i->huge.known || i->huge.page_size);
}

static bool huge_total(const struct meminfo *i, uint64_t *ret)
{
	return huge_value(i, i->huge.total, ret);
}

static bool huge_free(const struct meminfo *i, uint64_t *ret)
{
	return huge_value(i, i->huge.free, ret);
}

static bool huge_resv(const struct meminfo *i, uint64_t *ret)
{
	return huge_value(i, i->huge.resv, ret);
}

static bool huge_surplus(const struct meminfo *i, uint64_t *ret)
{
	return huge_value(i, i->huge.surplus, ret);
}

static bool huge_size(const struct meminfo *i, uint64_t *ret)
{
	return huge_value(i, i->huge.page_size, ret);
}

static bool huge_all(const struct meminfo *i, uint64_t *ret)
{
	return prints(i, RULE_LINE_HUGETLB) && huge_value(i, bytes(i, i->huge.all_pages), ret);
}

/* Memory mapped linearly by entries of the size NAME, if this kernel shows that. */
static bool direct_map(const struct meminfo *i, const char *name, uint64_t *ret)
{
	const struct kernel *k = i->y->k;
	const struct direct_size *d = k->arch->direct_sizes ? k->arch->direct_sizes(k->dump) : NULL;
	uint64_t n, base = layout_symbol(&k->layout, Y_DIRECT_PAGES);

	while (d && d->name && strcmp(d->name, name))
		d++;
	if (!d || !d->name || !base)
		return false;
	if (read_kva_word(i->y->r, base + (uint64_t)d->index * k->dump->word_size, &n))
		n = UNKNOWN;
	*ret = times(n, UINT64_C(1) << d->shift);
	return true;
}

static bool direct_4k(const struct meminfo *i, uint64_t *ret)
{
	return direct_map(i, "4k", ret);
}

static bool direct_64k(const struct meminfo *i, uint64_t *ret)
{
	return direct_map(i, "64k", ret);
}

static bool direct_2m(const struct meminfo *i, uint64_t *ret)
{
	return direct_map(i, "2M", ret);
}

static bool direct_4m(const struct meminfo *i, uint64_t *ret)
{
	return direct_map(i, "4M", ret);
}

static bool direct_1g(const struct meminfo *i, uint64_t *ret)
{
	return direct_map(i, "1G", ret);
}

/* ---- the table ------------------------------------------------------------------------ */

#define ALWAYS LAYOUT_COUNT

/* HugePages_* are counts, all others bytes. */
static const struct line lines[] = {
	{ "MemTotal", FN, 0, mem_total, ALWAYS },
	{ "MemFree", PAGES, E_NR_FREE_PAGES, NULL, ALWAYS },
	{ "MemAvailable", FN, 0, mem_available, ALWAYS },
	{ "Buffers", FN, 0, buffers, ALWAYS },
	{ "Cached", FN, 0, cached, ALWAYS },
	{ "SwapCached", FN, 0, swap_cached, ALWAYS },
	{ "Active", FN, 0, active, ALWAYS },
	{ "Inactive", FN, 0, inactive, ALWAYS },
	{ "Active(anon)", PAGES, E_NR_ACTIVE_ANON, NULL, ALWAYS },
	{ "Inactive(anon)", PAGES, E_NR_INACTIVE_ANON, NULL, ALWAYS },
	{ "Active(file)", PAGES, E_NR_ACTIVE_FILE, NULL, ALWAYS },
	{ "Inactive(file)", PAGES, E_NR_INACTIVE_FILE, NULL, ALWAYS },
	{ "Unevictable", PAGES, E_NR_UNEVICTABLE, NULL, ALWAYS },
	{ "Mlocked", PAGES, E_NR_MLOCK, NULL, ALWAYS },
	{ "HighTotal", FN, 0, high_total, E_ZONE_HIGHMEM },
	{ "HighFree", FN, 0, high_free, E_ZONE_HIGHMEM },
	{ "LowTotal", FN, 0, low_total, E_ZONE_HIGHMEM },
	{ "LowFree", FN, 0, low_free, E_ZONE_HIGHMEM },
	{ "SwapTotal", FN, 0, swap_total, ALWAYS },
	{ "SwapFree", FN, 0, swap_free, ALWAYS },
	{ "Zswap", FN, 0, zswap, E_ZSWPIN },
	{ "Zswapped", FN, 0, zswapped, E_ZSWPIN },
	{ "Dirty", PAGES, E_NR_FILE_DIRTY, NULL, ALWAYS },
	{ "Writeback", PAGES, E_NR_WRITEBACK, NULL, ALWAYS },
	{ "AnonPages", FN, 0, anon_pages, ALWAYS },
	{ "Mapped", PAGES, E_NR_FILE_MAPPED, NULL, ALWAYS },
	{ "Shmem", PAGES, E_NR_SHMEM, NULL, ALWAYS },
	{ "KReclaimable", FN, 0, kreclaimable, E_NR_KERNEL_MISC_RECLAIMABLE },
	{ "Slab", FN, 0, slab, ALWAYS },
	{ "SReclaimable", PAGES, E_NR_SLAB_RECLAIMABLE, NULL, ALWAYS },
	{ "SUnreclaim", PAGES, E_NR_SLAB_UNRECLAIMABLE, NULL, ALWAYS },
	{ "KernelStack", FN, 0, kernel_stack, E_NR_KERNEL_STACK },
	{ "ShadowCallStack", KIB, E_NR_KERNEL_SCS, NULL, E_NR_KERNEL_SCS },
	{ "PageTables", PAGES, E_NR_PAGETABLE, NULL, ALWAYS },
	{ "SecPageTables", PAGES, E_NR_SECONDARY_PAGETABLE, NULL, E_NR_SECONDARY_PAGETABLE },
	{ "NFS_Unstable", PAGES, E_NR_UNSTABLE_NFS, NULL, ALWAYS },
	{ "Bounce", PAGES, E_NR_BOUNCE, NULL, ALWAYS },
	{ "WritebackTmp", PAGES, E_NR_WRITEBACK_TEMP, NULL, ALWAYS },
	{ "CommitLimit", FN, 0, commit_limit, ALWAYS },
	{ "Committed_AS", FN, 0, committed, ALWAYS },
	{ "VmallocTotal", FN, 0, vmalloc_total, ALWAYS },
	{ "VmallocUsed", FN, 0, vmalloc_used, ALWAYS },
	{ "VmallocChunk", FN, 0, vmalloc_chunk, ALWAYS },
	{ "Percpu", FN, 0, percpu, Y_PCPU_POPULATED },
	{ "EarlyMemtestBad", FN, 0, memtest, Y_MEMTEST_DONE },
	{ "HardwareCorrupted", FN, 0, poisoned, Y_POISONED },
	{ "AnonHugePages", THP, E_NR_ANON_THPS, NULL, Y_THP_FLAGS },
	{ "ShmemHugePages", THP, E_NR_SHMEM_THPS, NULL, Y_THP_FLAGS },
	{ "ShmemPmdMapped", THP, E_NR_SHMEM_PMDMAPPED, NULL, Y_THP_FLAGS },
	{ "FileHugePages", THP, E_NR_FILE_THPS, NULL, Y_THP_FLAGS },
	{ "FilePmdMapped", THP, E_NR_FILE_PMDMAPPED, NULL, Y_THP_FLAGS },
	{ "CmaTotal", FN, 0, cma_total, Y_CMA_AREAS },
	{ "CmaFree", PAGES, E_NR_FREE_CMA_PAGES, NULL, Y_CMA_AREAS },
	{ "Unaccepted", PAGES, E_NR_UNACCEPTED, NULL, E_NR_UNACCEPTED },
	{ "Balloon", PAGES, E_NR_BALLOON, NULL, E_NR_BALLOON },
	{ "GPUActive", PAGES, E_NR_GPU_ACTIVE, NULL, E_NR_GPU_ACTIVE },
	{ "GPUReclaim", PAGES, E_NR_GPU_RECLAIM, NULL, E_NR_GPU_RECLAIM },
	{ "HugePages_Total", FN, 0, huge_total, ALWAYS },
	{ "HugePages_Free", FN, 0, huge_free, ALWAYS },
	{ "HugePages_Rsvd", FN, 0, huge_resv, ALWAYS },
	{ "HugePages_Surp", FN, 0, huge_surplus, ALWAYS },
	{ "Hugepagesize", FN, 0, huge_size, ALWAYS },
	{ "Hugetlb", FN, 0, huge_all, ALWAYS },
	{ "DirectMap4k", FN, 0, direct_4k, ALWAYS },
	{ "DirectMap64k", FN, 0, direct_64k, ALWAYS },
	{ "DirectMap2M", FN, 0, direct_2m, ALWAYS },
	{ "DirectMap4M", FN, 0, direct_4m, ALWAYS },
	{ "DirectMap1G", FN, 0, direct_1g, ALWAYS },
};

/* Has the kernel ITEM? RHEL 7 prints the lines of CMA, and has no cma_areas. */
static bool has_item(const struct kernel *k, enum layout_id item)
{
	return has(k, item) || (item == Y_CMA_AREAS && !has(k, E_NR_KERNEL_MISC_RECLAIMABLE) &&
				kernel_rule(k, RULE_LINE_CMA_EARLY));
}

static bool line_value(const struct meminfo *i, const struct line *l, uint64_t *ret)
{
	if (l->if_item != ALWAYS && !has_item(i->y->k, l->if_item))
		return false;
	switch (l->how) {
	case PAGES: *ret = bytes(i, item(i, l->item)); return true;
	case KIB: *ret = times(item(i, l->item), 1024); return true;
	case THP: *ret = thp_bytes(i, l->item); return has(i->y->k, l->item);
	case FN: return l->fn(i, ret);
	}
	return false;
}

/* si_swapinfo(): an area that is being switched off counts as swap while it is in use. */
static void swap_sums(struct meminfo *i)
{
	uint64_t leaving = 0;

	for (uint32_t a = 0; a < i->y->m->nswaps; a++)
		if (!i->y->m->swaps[a].active)
			leaving = plus(leaving, i->y->m->swaps[a].used);
	if (!has(i->y->k, Y_TOTAL_SWAP)) { /* no CONFIG_SWAP, or not known */
		i->swap_total = i->swap_free = kernel_hides_symbols(i->y->k) ? UNKNOWN : 0;
		return;
	}
	i->swap_total = plus(word_var(i->y, Y_TOTAL_SWAP), leaving);
	i->swap_free = plus(word_var(i->y, Y_FREE_SWAP), leaving);
}

static void keep_line(struct machine *m, const char *name, uint64_t v)
{
	m->meminfo[m->nmeminfo++] = (struct zone_count){ name, v };
}

/* 2.4: meminfo_read_proc(), fs/proc/proc_misc.c of 2.4.27. */
static void read_2_4(struct meminfo *i)
{
	const struct system *y = i->y;
	uint64_t high = word_var(y, Y_TOTALHIGH), total = word_var(y, Y_TOTALRAM);
	uint64_t free_high = i->zones.known ? i->zones.free_high : UNKNOWN;
	uint64_t free_all = i->zones.known ? i->zones.free : UNKNOWN;
	uint64_t buffer = int_var(y, Y_BUFFERMEM), swapcache = swapcache_pages(y, &i->c);
	const struct zone_count lines_2_4[] = {
		{ "MemTotal", total }, { "MemFree", free_all }, { "Buffers", buffer },
		{ "Cached", minus(word_var(y, Y_PAGE_CACHE_SIZE), plus(buffer, swapcache)) },
		{ "SwapCached", swapcache }, { "Active", int_var(y, Y_NR_ACTIVE) },
		{ "Inactive", int_var(y, Y_NR_INACTIVE) }, { "HighTotal", high },
		{ "HighFree", free_high }, { "LowTotal", minus(total, high) },
		{ "LowFree", minus(free_all, free_high) },
		{ "SwapTotal", int_var(y, Y_TOTAL_SWAP) },
		{ "SwapFree", int_var(y, Y_FREE_SWAP) },
	};

	y->m->meminfo = arena_array(y->mem, struct zone_count, ARRAY_LEN(lines_2_4));
	for (size_t l = 0; l < ARRAY_LEN(lines_2_4); l++)
		keep_line(y->m, lines_2_4[l].name, bytes(i, lines_2_4[l].value));
}

/*
 * Sizes that no machine has: more than its memory, none at all, fewer units of per-CPU variables
 * than CPUs, no reserve although zones have watermarks (calculate_totalreserve_pages()).
 */
static void check_totals(const struct meminfo *i)
{
	const struct kernel *k = i->y->k;
	uint64_t reserve = word_var(i->y, Y_TOTALRESERVE), units = int_var(i->y, Y_PCPU_UNITS);
	uint64_t populated = word_var(i->y, Y_PCPU_POPULATED);
	uint64_t stored = int_var(i->y, Y_ZSWAP_STORED), used = 0;
	const char *what = NULL;

	if (!i->total || (k->memmap.max_pfn && i->total > k->memmap.max_pfn))
		what = "totalram_pages";
	else if (reserve > i->total || (!reserve && i->zones.known && i->zones.wmark_low))
		what = reserve == UNKNOWN ? NULL : "totalreserve_pages";
	if (!what && has(k, Y_PCPU_POPULATED) && units != UNKNOWN && populated != UNKNOWN &&
	    (units < k->ncpus || !populated || populated > i->total / units))
		what = "pcpu_nr_populated or pcpu_nr_units";
	for (uint32_t a = 0; a < i->y->m->nswaps; a++)
		used += i->y->m->swaps[a].used;
	/* each page of zswap has a slot */
	if (has(k, Y_ZSWAP_STORED) && stored != UNKNOWN && stored > used + k->ncpus * SWAP_BATCH)
		what = "zswap_stored_pages";
	if (what && i->total != UNKNOWN)
		issue_add(k->issues, ST_CORRUPT, "counter", 1, "%s", what);
}

void read_meminfo(struct system *y)
{
	struct meminfo i = { .y = y };
	struct machine *m = y->m;

	counters_read(y, &i.c);
	if (!i.c.nzone && !has(y->k, M_ZONE_FREE))
		return;
	if (!i.c.nzone) {
		zones_read(y, &i.zones);
		read_2_4(&i);
		return;
	}
	zones_read(y, &i.zones);
	hugetlb_sums_read(y->k, y->r, &i.huge);
	i.total = word_var(y, Y_TOTALRAM);
	if (i.total == UNKNOWN && i.zones.known && i.zones.managed)
		i.total = i.zones.managed; /* adjust_managed_page_count() keeps both alike */
	check_totals(&i);
	i.buffers = blockdev_pages(y);
	i.swapcache = swapcache_pages(y, &i.c);
	swap_sums(&i);
	m->meminfo = arena_array(y->mem, struct zone_count, ARRAY_LEN(lines));
	for (size_t l = 0; l < ARRAY_LEN(lines); l++) {
		uint64_t v;

		if (line_value(&i, &lines[l], &v))
			keep_line(m, lines[l].name, v);
	}
}
