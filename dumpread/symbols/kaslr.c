/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * KASLR moves the image as a whole: run time = link time + KERNELOFFSET. The
 * symbols in VMCOREINFO tell it without that key, and whether a list (a
 * System.map, say) belongs to this kernel.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/symbols/sources.h"
#include "dumpread/symbols/symlist.h"

#define MAX_ANCHORS 64u

static bool moves(const struct dump *d, uint64_t addr)
{
	return d->word_size == 4 ? addr >= 0x10000000 : addr >> 32 != 0;
}

static uint64_t kernel_offset(const struct dump *d)
{
	char text[32];

	return vmcoreinfo_get(d, "KERNELOFFSET", text, sizeof(text)) ? strtoull(text, NULL, 16) : 0;
}

static uint64_t wrap(const struct dump *d, uint64_t addr)
{
	return d->word_size == 4 ? (uint32_t)addr : addr;
}

uint64_t kaslr_link_address(const struct dump *d, uint64_t addr)
{
	return moves(d, addr) ? wrap(d, addr - kernel_offset(d)) : addr;
}

/* Differences of the symbols that both VMCOREINFO and the list have. */
static unsigned differences(const struct symlist *l, const struct dump *d, uint64_t *diff)
{
	static const char key[] = "SYMBOL(";
	unsigned n = 0;

	for (const char *p = strstr(d->vmcoreinfo, key); p && n < MAX_ANCHORS; p = strstr(p, key)) {
		size_t len;
		char name[128];
		uint64_t run, link;

		p += strlen(key);
		len = strcspn(p, ")\n");
		if (len >= sizeof(name) || p[len] != ')')
			continue;
		memcpy(name, p, len);
		name[len] = '\0';
		if (!vmcoreinfo_is_value(name) && vmcoreinfo_symbol(d, name, &run) &&
		    symlist_find(l, name, &link))
			diff[n++] = wrap(d, run - link);
	}
	return n;
}

/* How many of the N values equal the most frequent one, *ret. */
static unsigned mode_of(const uint64_t *v, unsigned n, uint64_t *ret)
{
	unsigned best = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned same = 0;

		for (unsigned j = 0; j < n; j++)
			same += v[j] == v[i];
		if (same > best) {
			best = same;
			*ret = v[i];
		}
	}
	return best;
}

enum status symlist_relocate(struct symlist *l, struct dump *d)
{
	uint64_t diff[MAX_ANCHORS], shift = kernel_offset(d);
	unsigned n = d->vmcoreinfo ? differences(l, d, diff) : 0;

	/* one in four may be a value that VMCOREINFO prints as a symbol */
	if (n && mode_of(diff, n, &shift) * 4 < n * 3)
		return fail(&d->diag, ST_CORRUPT,
			    "its symbols do not match the dump: it belongs to another kernel");
	if (n && shift && kernel_offset(d) && shift != kernel_offset(d))
		return fail(&d->diag, ST_CORRUPT,
			    "its symbols are %#" PRIx64 " away from the dump's, KASLR moved them "
			    "by %#" PRIx64 ": it belongs to another kernel",
			    shift, kernel_offset(d));
	for (uint32_t i = 0; i < l->n; i++)
		if (moves(d, l->v[i].addr))
			l->v[i].addr = wrap(d, l->v[i].addr + shift);
	return ST_OK;
}
