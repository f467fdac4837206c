/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ksymtab.c - the symbols that a kernel exports to modules, for kernels whose kallsyms have functions only
 * (CONFIG_KALLSYMS_ALL=n: Debian's 6.1 for arm64).
 *
 * An entry is { s32 value, s32 name, s32 namespace }, each relative to its own address, since
 * 7290d5809571 (v4.19) where the CPU has such relocations (x86, arm64, powerpc 64); without the namespace before
 * cb9b55d21fe0 (v5.4). Names are strings of __ksymtab_strings; the linker merges a name that is
 * the tail of another. The table has no name of its own here: it is found by init_task, which each
 * kernel exports, and reaches as far as entries have names. That of GPL-only symbols touches it.
 */
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/symbols/kimage.h"
#include "dumpread/symbols/sources.h"
#include "dumpread/symbols/symlist.h"

#define ANCHOR "init_task"
#define ENTRY "__ksymtab_"	/* and the name: the symbol of the entry itself */
#define STRINGS_MAX 32u		/* places where the anchor is the end of some string */
#define ENTRIES_MAX (64u << 10)	/* each way: five times those of a large kernel */
#define ENTRIES_MIN 100u
#define NAME_BYTES SYMBOL_NAME_MAX
#define VALUE 0
#define NAME 4

struct scan {
	struct kimage ki;
	bool big;
	uint64_t string[STRINGS_MAX];
	unsigned nstrings;
	uint64_t entry;			/* of the anchor; 0: not found */
	unsigned stride;
};

/* ---- entries ----------------------------------------------------------------------------- */

/* Where the word at ADDR points to. */
static bool pointee(const struct scan *s, uint64_t addr, uint64_t *ret)
{
	uint8_t raw[4];

	if (addr < s->ki.start || addr >= s->ki.end || kimage_read(&s->ki, addr, raw, sizeof(raw)))
		return false;
	*ret = addr + (uint64_t)(int64_t)(int32_t)load32(raw, s->big);
	return true;
}

static bool is_name(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!((s[i] | 0x20) >= 'a' && (s[i] | 0x20) <= 'z') && s[i] != '_' && s[i] != '.' &&
		    !(i && s[i] >= '0' && s[i] <= '9'))
			return false;
	return len > 0;
}

/* The name of the entry at ADDR into BUF (NAME_BYTES); its length, 0: it is no entry. */
static size_t entry_name(const struct scan *s, uint64_t addr, char *buf)
{
	uint64_t at;
	size_t len;

	if (!pointee(s, addr + NAME, &at) || at < s->ki.start || at >= s->ki.end)
		return 0;
	kimage_read(&s->ki, at, (uint8_t *)buf, min_u64(NAME_BYTES, s->ki.end - at));
	len = strnlen(buf, NAME_BYTES);
	return len < NAME_BYTES && is_name(buf, len) ? len : 0;
}

/* The distance of entries, by the neighbours of that at ADDR; 0: it has none. */
static unsigned find_stride(const struct scan *s, uint64_t addr)
{
	char buf[NAME_BYTES] = "";

	for (unsigned stride = 12; stride >= 8; stride -= 4)
		if (entry_name(s, addr + stride, buf) && entry_name(s, addr - stride, buf) &&
		    entry_name(s, addr + UINT64_C(2) * stride, buf))
			return stride;
	return 0;
}

/* ---- the anchor --------------------------------------------------------------------------- */

static bool find_strings(void *arg, uint64_t addr, const uint8_t *buf, size_t len)
{
	struct scan *s = arg;
	size_t end = min_u64(len, KIMAGE_STEP + sizeof(ANCHOR) - 1);

	for (const uint8_t *p = buf;
	     s->nstrings < STRINGS_MAX &&
	     (p = memmem(p, end - (size_t)(p - buf), ANCHOR, sizeof(ANCHOR)));
	     p++)
		s->string[s->nstrings++] = addr + (uint64_t)(p - buf);
	return s->nstrings == STRINGS_MAX;
}

static bool is_string(const struct scan *s, uint64_t addr)
{
	unsigned i = 0;

	while (i < s->nstrings && s->string[i] != addr)
		i++;
	return i < s->nstrings;
}

static bool find_entry(void *arg, uint64_t addr, const uint8_t *buf, size_t len)
{
	struct scan *s = arg;
	uint64_t low = s->string[0], high = low;

	for (unsigned i = 1; i < s->nstrings; i++) {
		low = min_u64(low, s->string[i]);
		high = max_u64(high, s->string[i]);
	}
	for (size_t off = 0; off + 4 <= min_u64(len, KIMAGE_STEP); off += 4) {
		uint64_t to = addr + off + (uint64_t)(int64_t)(int32_t)load32(buf + off, s->big);

		if (to - low > high - low || !is_string(s, to))
			continue;
		s->entry = addr + off - NAME;
		s->stride = find_stride(s, s->entry);
		if (s->stride)
			return true;
	}
	return false;
}

/* ---- the table ------------------------------------------------------------------------------ */

/* Entries from ADDR on, STEP bytes apart (negative: downwards). */
static void take_entries(const struct scan *s, struct symlist *l, uint64_t addr, uint64_t step)
{
	char buf[sizeof(ENTRY) + NAME_BYTES] = ENTRY, *name = buf + sizeof(ENTRY) - 1;
	uint64_t value;
	size_t len;

	for (unsigned i = 0; i < ENTRIES_MAX && (len = entry_name(s, addr, name));
	     i++, addr += step)
		if (pointee(s, addr + VALUE, &value) &&
		    (!symlist_add(l, name, len, value, true) ||
		     !symlist_add(l, buf, sizeof(ENTRY) - 1 + len, addr, false)))
			return;
}

struct symlist *ksymtab_read(struct dump *d)
{
	struct reader *r = reader_new(d);
	struct scan s = { .big = d->big_endian };
	struct symlist *l;

	kimage_init(&s.ki, r);
	if (!s.ki.physical && d->word_size == 8) {
		kimage_scan(&s.ki, find_strings, &s);
		if (s.nstrings)
			kimage_scan(&s.ki, find_entry, &s);
	}
	l = symlist_new();
	if (s.stride) {
		take_entries(&s, l, s.entry, s.stride);
		take_entries(&s, l, s.entry - s.stride, -(uint64_t)s.stride);
	}
	reader_free(r);
	symlist_finish(l);
	if (l->n >= 2 * ENTRIES_MIN)
		return l;
	symlist_free(l);
	return NULL;
}

enum status symbols_add_ksymtab(struct dump *d)
{
	struct symlist *l = ksymtab_read(d);

	return l ? symlist_attach(l, d, "ksymtab")
		 : fail(&d->diag, ST_ABSENT,
			"no table of exported symbols was found in the kernel image");
}
