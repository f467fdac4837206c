/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Physical memory, from below: nothing | kernel variables | the page array | objects,
 * tables, one per page, so that each can be lost by itself | frames that the text names.
 */
#include "tests/machine/lay.h"

#include <stdlib.h>

static void lay_holes(struct machine *m)
{
	for (size_t i = 0; i < m->holes.n; i++) {
		uint64_t at = m->holes.v[i].start;

		if (m->holes.v[i].end > m->base || m->holes.v[i].start >= m->holes.v[i].end)
			mdie("a hole in the kernel");
		for (; at < m->holes.v[i].end; at += mpage_size(m))
			m->lost[at >> m->cpu->page_shift] = true;
	}
}

static void place_frame(struct machine *m, struct mframe *f)
{
	uint64_t bytes = mpage_size(m) << f->order;

	if (f->pfn) {
		if (f->pfn >= m->base >> m->cpu->page_shift)
			mdie("frame %s lies in the kernel", f->name);
		return;
	}
	m->next = (m->next + bytes - 1) & ~(bytes - 1);
	f->pfn = mpa(m, mpages(m, bytes)) >> m->cpu->page_shift;
	for (uint64_t i = 0; f->order && i < UINT64_C(1) << f->order; i++)
		m->lost[f->pfn + i] = true;
}

/* As makedumpfile leaves them out with level 16. */
static void lose_free_pages(struct machine *m)
{
	for (uint64_t pfn = m->next >> m->cpu->page_shift; pfn < m->nframes; pfn++)
		m->lost[pfn] = true;
}

void machine_lay(struct machine *m, const char *map, const char *types)
{
	m->mem = calloc(m->nframes, mpage_size(m));
	m->lost = calloc(m->nframes, sizeof(*m->lost));
	if (!m->mem || !m->lost || m->nframes << m->cpu->page_shift <= m->base + IMAGE_BYTES)
		mdie("no memory, or not enough frames");
	lay_symbols(m, map, types);
	m->next = m->base + IMAGE_BYTES;
	lay_memmap(m);
	lay_uts(m);
	lay_log(m);
	lay_counters(m);
	lay_cpu_spec(m);
	lay_vmemmap_list(m);
	lay_vmcoreinfo(m);
	lay_mount(m);
	for (size_t i = 0; i < m->files.n; i++)
		lay_file(m, &m->files.v[i]);
	for (size_t i = 0; i < m->frames.n; i++)
		place_frame(m, &m->frames.v[i]);
	for (size_t i = 0; i < m->mms.n; i++)
		lay_mm(m, &m->mms.v[i]);
	lay_tasks(m);
	lay_swap(m);
	paging_kernel(m, msymbol(m, "swapper_pg_dir"));
	lay_other_pages(m, m->next >> m->cpu->page_shift);
	lay_table_pages(m);
	for (size_t i = 0; i < m->frames.n; i++)
		lay_frame(m, &m->frames.v[i]);
	lay_holes(m);
	lose_free_pages(m);
	lay_damage(m);
}
