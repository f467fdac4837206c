/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel.c - addresses and counters of a kernel. */
#include "model/kernel/kernel.h"

#include <inttypes.h>

#include "dumpread/base/issues.h"
#include "facts/layout/base.h"
#include "facts/layout/origin.h"
#include "facts/layout/page.h"
#include "model/kernel/kobj.h"

#define ERRNO_MAX 4095u

struct reader *kernel_reader(const struct kernel *k)
{
	return k->dump ? reader_new(k->dump) : NULL;
}

bool kernel_is_erased(const struct kernel *k, const void *bytes, size_t n)
{
	const char *s = bytes;
	size_t i = 0;

	if (!n || !k->dump || !cause_find(&k->dump->causes, CAUSE_ERASED))
		return false;
	while (i < n && s[i] == 'X')
		i++;
	return i == n;
}

bool kernel_hides_symbols(const struct kernel *k)
{
	const struct dump *d = k->dump;

	return d && ((d->kallsyms_lost && !layout_kept_knows_all(d)) || d->exported_only);
}

bool kernel_ptr_ok(const struct kernel *k, uint64_t addr, unsigned align)
{
	if (addr && !(addr & (align - 1)) && k->arch->is_kernel_addr(k->dump, addr))
		return true;
	/* what follows from it is no damage */
	if (kernel_is_erased(k, &addr, k->dump->word_size))
		issue_add(k->issues, ST_NODATA, "erased pointer", 1, "%#" PRIx64, addr);
	return false;
}

bool kernel_static_ok(const struct kernel *k, uint64_t addr, unsigned align)
{
	uint64_t start = layout_symbol(&k->layout, Y_IMAGE_START), pa, run;
	uint64_t end = layout_symbol(&k->layout, Y_IMAGE_END);

	/* the last page is that of errors (include/linux/err.h) */
	if (!kernel_ptr_ok(k, addr, align) || addr + ERRNO_MAX < addr ||
	    (k->dump->word_size == 4 && addr > UINT32_MAX - ERRNO_MAX) ||
	    addr < k->arch->static_start)
		return false;
	if (!start || !end || (addr >= start && addr < end))
		return true;
	return k->arch->by_rule(k->dump, addr, &pa, &run) != ST_OK;
}

enum status percpu_counter_read(const struct kernel *k, struct reader *r, uint64_t addr,
				int64_t *exact, int64_t *approx)
{
	uint64_t count, counters;
	enum status st = kmember_u64(k, r, addr, M_PCC_COUNT, &count);

	if (st)
		return st;
	*exact = (int64_t)count;
	if (approx)
		*approx = (int64_t)count;
	if (kmember_u64(k, r, addr, M_PCC_COUNTERS, &counters) || !counters)
		return ST_OK;
	/* it wraps as the kernel's own sum does */
	for (uint32_t i = 0; i < k->ncpus; i++) {
		uint64_t v;

		st = read_kva_uint(r, counters + k->percpu[i], 4, &v);
		if (st)
			return st;
		count += (uint64_t)(int32_t)v;
	}
	*exact = (int64_t)count;
	return ST_OK;
}

bool counts_references(const struct kernel *k)
{
	return has(k, M_PAGE_REFCOUNT) && !has(k, M_PAGE_MAPCOUNT);
}
