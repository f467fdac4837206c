/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * linear.c - the linear map of a kernel, and how it is found in a dump.
 */
#include "arch/linear.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"
#include "facts/layout/cpu.h"
#include "facts/layout/origin.h"

enum status linear_kvtop(const struct linear *l, uint64_t kva, uint64_t *pa, uint64_t *run)
{
	if (kva - l->va >= l->size)
		return ST_NODATA;
	*pa = l->pa + (kva - l->va);
	*run = l->size - (kva - l->va);
	return ST_OK;
}

void linear_end(struct linear *l, const struct dump *d, struct reader *r, uint64_t most)
{
	uint64_t end;

	if (fact_variable(d, r, Y_HIGH_MEMORY, 0, &end) && end > l->va && end - l->va <= most)
		l->size = end - l->va;
}

bool lowmem_is_kernel_addr(const struct dump *d, uint64_t addr)
{
	const struct kernel_map *m = d->kv_self;

	return addr >= m->low.va && addr <= UINT32_MAX;
}

uint64_t lowmem_user_end(const struct dump *d)
{
	const struct kernel_map *m = d->kv_self;

	return m->low.va;
}

enum status lowmem_by_rule(const struct dump *d, uint64_t kva, uint64_t *pa, uint64_t *run)
{
	const struct kernel_map *m = d->kv_self;

	return linear_kvtop(&m->low, kva, pa, run);
}

#define UTS_FIELD 65u		/* __NEW_UTS_LEN + 1, since 2.4 */
#define UTS_BEFORE 64u		/* the members before the name changed often */

/* struct new_utsname: sysname, nodename, release, version, machine ... */
static bool is_uts(struct reader *r, uint64_t pa, const char *machine)
{
	char buf[UTS_BEFORE + 5 * UTS_FIELD];
	const char *name;

	if (read_pa(r, pa, buf, sizeof(buf)))
		return false;
	name = memmem(buf, UTS_BEFORE, "Linux", 6);
	return name && !strncmp(name + 4 * UTS_FIELD, machine, strlen(machine));
}

bool linear_find(struct dump *d, struct linear *l, const char *machine, uint64_t step,
		 uint64_t max_pa)
{
	struct reader *r;
	uint64_t uts;
	bool found;

	l->pa = 0;
	if (!fact_symbol(d, Y_INIT_UTS_NS, &uts))
		return d->elf_machine != 0;
	if (uts < l->va)
		return false;
	r = reader_new(d);
	found = is_uts(r, uts - l->va, machine);
	uts -= l->va;
	for (uint64_t at = uts + step;
	     !found && step && reader_step(r, &at, step) && at - uts < max_pa; at += step) {
		found = is_uts(r, at, machine);
		l->pa = found ? at - uts : 0;
	}
	reader_free(r);
	return found;
}

bool root_at(struct reader *r, struct kernel_map *m, uint64_t root, uint64_t va)
{
	uint64_t pa;

	m->root = root;
	return root < m->env.max_pa && !pgtrans(r, m->paging, &m->env, root, va, &pa, NULL) &&
	       pa == root;
}

bool root_search(struct reader *r, struct kernel_map *m, uint64_t va, uint64_t step)
{
	uint64_t root;

	for (root = va & (step - 1); reader_step(r, &root, step) && root < m->env.max_pa;
	     root += step)
		if (root_at(r, m, root, va))
			return true;
	return false;
}

enum status root_told(struct dump *d, const struct kernel_map *m, bool by_rule)
{
	if (m->has_root)
		log_debug(d->log, "%s page tables at physical %#" PRIx64, m->paging->name, m->root);
	else if (!by_rule)
		return fail(&d->diag, ST_UNSUPPORTED,
			    "cannot find the kernel's page tables: swapper_pg_dir is not where "
			    "VMCOREINFO says");
	else
		issue_add(&d->issues, ST_CORRUPT, "kernel page tables", 1,
			  "the kernel's page tables are not in the dump or are damaged");
	return ST_OK;
}

void image_late(const struct dump *d, struct linear *image)
{
	uint64_t start, end;

	if (image->size && fact_symbol(d, Y_IMAGE_START, &start) &&
	    fact_symbol(d, Y_IMAGE_END, &end) && end > start)
		*image = (struct linear){ start, image->pa + (start - image->va), end - start };
}

bool told_vmalloc_total(struct dump *d, uint64_t *ret)
{
	int64_t start, end;

	if (!vmcoreinfo_number(d, "VMALLOC_START", &start) ||
	    !vmcoreinfo_number(d, "VMALLOC_END", &end))
		return false;
	*ret = (uint64_t)end - (uint64_t)start;
	return (uint64_t)end > (uint64_t)start;
}

uint64_t linear_max_pa(const struct dump *d)
{
	return d->max_pfn < UINT64_C(1) << 40 ? d->max_pfn << d->page_shift : UINT64_MAX;
}

struct release kernel_release(const struct dump *d)
{
	struct release r;

	if (release_parse(d->release, &r) < 2)
		r = (struct release){ .major = 6, .minor = 99 };
	return r;
}
