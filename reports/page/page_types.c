/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_types.c - page flags in the format of the kernel's page-types.
 */
#include "reports/page/page_types.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/memory/frames/kpageflags.h"

/* Letter and name, in the order of bits. Flags of page-types itself, which it takes from
   /proc/PID/pagemap or makes from overloaded flags, are columns without a name. */
static const struct { uint8_t bit; char letter; const char *name; } names[] = {
	{ KPF_LOCKED, 'L', "locked" }, { KPF_ERROR, 'E', "error" },
	{ KPF_REFERENCED, 'R', "referenced" }, { KPF_UPTODATE, 'U', "uptodate" },
	{ KPF_DIRTY, 'D', "dirty" }, { KPF_LRU, 'l', "lru" }, { KPF_ACTIVE, 'A', "active" },
	{ KPF_SLAB, 'S', "slab" }, { KPF_WRITEBACK, 'W', "writeback" },
	{ KPF_RECLAIM, 'I', "reclaim" }, { KPF_BUDDY, 'B', "buddy" },
	{ KPF_MMAP, 'M', "mmap" }, { KPF_ANON, 'a', "anonymous" },
	{ KPF_SWAPCACHE, 's', "swapcache" }, { KPF_SWAPBACKED, 'b', "swapbacked" },
	{ KPF_COMPOUND_HEAD, 'H', "compound_head" },
	{ KPF_COMPOUND_TAIL, 'T', "compound_tail" }, { KPF_HUGE, 'G', "huge" },
	{ KPF_UNEVICTABLE, 'u', "unevictable" }, { KPF_HWPOISON, 'X', "hwpoison" },
	{ KPF_NOPAGE, 'n', "nopage" }, { KPF_KSM, 'x', "ksm" }, { KPF_THP, 't', "thp" },
	{ KPF_OFFLINE, 'o', "offline" }, { KPF_ZERO_PAGE, 'z', "zero_page" },
	{ KPF_IDLE, 'i', "idle_page" }, { KPF_PGTABLE, 'g', "pgtable" },
	{ KPF_RESERVED, 'r', "reserved" }, { KPF_MLOCKED, 'm', "mlocked" },
	{ KPF_MAPPEDTODISK, 'd', "mappedtodisk" }, { KPF_PRIVATE, 'P', "private" },
	{ KPF_PRIVATE_2, 'p', "private_2" }, { KPF_OWNER_PRIVATE, 'O', "owner_private" },
	{ KPF_ARCH, 'h', "arch" }, { KPF_UNCACHED, 'c', "uncached" },
	{ KPF_SOFTDIRTY, 'f', "softdirty" }, { KPF_ARCH_2, 'H', "arch_2" },
	{ KPF_ARCH_3, 'H', "arch_3" },
};

#define OWN_COLUMNS 7		/* anon_exclusive readahead slub_frozen slub_debug file swap
				   mmap_exclusive */

uint64_t page_types_well_known(uint64_t kpf)
{
	const uint64_t compound = KPF(COMPOUND_HEAD) | KPF(COMPOUND_TAIL);

	kpf &= ~(UINT64_C(0xffff) << 32);
	return kpf & KPF(HUGE) ? kpf : kpf & ~compound;
}

static size_t put_names(uint64_t kpf, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (kpf >> names[i].bit & 1 && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? "," : "",
					      names[i].name);
	return n;
}

const char *page_types_names(uint64_t kpf, struct arena *mem)
{
	char buf[512];

	put_names(kpf, buf, sizeof(buf));
	return arena_strdup(mem, buf);
}

void page_types_head(FILE *out)
{
	fputs("             flags\tpage-count       MB  symbolic-flags\t\t\tlong-symbolic-flags\n",
	      out);
}

static uint64_t mib(uint64_t pages, unsigned page_shift)
{
	return pages << page_shift >> 20;
}

void page_types_line(uint64_t kpf, uint64_t pages, unsigned page_shift, FILE *out)
{
	char letters[ARRAY_LEN(names) + OWN_COLUMNS + 1], text[512];

	memset(letters, '_', sizeof(letters) - 1);
	letters[sizeof(letters) - 1] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (kpf >> names[i].bit & 1)
			letters[i] = names[i].letter;
	put_names(kpf, text, sizeof(text));
	fprintf(out, "0x%016" PRIx64 "\t%10" PRIu64 " %8" PRIu64 "  %s\t%s\n", kpf, pages,
		mib(pages, page_shift), letters, text);
}

void page_types_total(uint64_t pages, unsigned page_shift, FILE *out)
{
	fprintf(out, "             total\t%10" PRIu64 " %8" PRIu64 "\n", pages,
		mib(pages, page_shift));
}
