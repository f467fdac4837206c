/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * classes.c - gives every frame one class.
 */
#include "reports/html/classes.h"

#include "dumpread/base/bytes.h"
#include "model/page/frames.h"

const struct frame_class frame_classes[] = {
	{ "not readable", "struct page not in the dump", FR_UNREAD, -1 },
	{ "offline", "not onlined, or given back to the host", FR_OFFLINE, -1 },
	{ "poisoned", "taken out after memory errors", FR_HWPOISON, -1 },
	{ "device memory", "memory of devices with struct pages", FR_ZONE_DEVICE, -1 },
	{ "free", "in the buddy allocator", FR_BUDDY, -1 },
	{ "hugetlb", "huge page pools, used or not", FR_HUGETLB, -1 },
	{ "anonymous", "of processes: heaps, stacks, copied pages", FR_ANON, -1 },
	{ "shared memory", "tmpfs, memfd, SysV, shared anonymous", FR_CACHE | FR_SWAPBACKED,
	  -1 },
	{ "mapped files", "page cache that processes map", FR_CACHE, 1 },
	{ "page cache", "contents of files that no process maps", FR_CACHE, 0 },
	{ "slab", "the kernel's small objects", FR_SLAB, -1 },
	{ "page tables", "of processes, below their roots", FR_PGTABLE, -1 },
	{ "reserved", "kernel image, memory for a crash kernel (crashkernel=), firmware, struct pages",
	  FR_RESERVED, -1 },
	{ "other kernel memory", "stacks, vmalloc, per-CPU, drivers, pages held by CPUs", 0,
	  -1 },
};

const unsigned frame_nclasses = ARRAY_LEN(frame_classes);

static bool fits(const struct frame_class *c, const struct frame *f)
{
	if ((f->flags & c->with) != c->with)
		return false;
	return c->mapped < 0 || (f->mapcount > 0) == c->mapped;
}

/* Struct pages of holes between RAM are reserved, and no memory. Their number follows from the
   rest: PRESENT pages of RAM, and device memory. */
static uint64_t holes(uint64_t frames, uint64_t present, const uint64_t *count)
{
	uint64_t memory = present, reserved = 0;

	for (unsigned i = 0; i < frame_nclasses; i++) {
		if (frame_classes[i].with == FR_ZONE_DEVICE)
			memory += count[i];
		if (frame_classes[i].with == FR_RESERVED)
			reserved = count[i];
	}
	return present && memory < frames ? min_u64(frames - memory, reserved) : 0;
}

uint64_t frame_classes_count(const struct frames *f, uint64_t present, uint64_t *count,
			     uint64_t *ret_holes)
{
	uint64_t sum = 0;

	for (uint64_t pfn = 0; pfn < f->max_pfn; pfn++) {
		const struct frame *fr = frame_of_all(f, pfn);
		unsigned i = 0;

		if (!fr) {
			pfn |= FRAME_CHUNK - 1;
			continue;
		}
		if (!(fr->flags & (FR_EXISTS | FR_UNREAD)))
			continue;
		while (i + 1 < frame_nclasses && !fits(&frame_classes[i], fr))
			i++;
		count[i]++;
		sum++;
	}
	*ret_holes = holes(sum, present, count);
	for (unsigned i = 0; i < frame_nclasses; i++)
		if (frame_classes[i].with == FR_RESERVED)
			count[i] -= *ret_holes;
	return sum - *ret_holes;
}
