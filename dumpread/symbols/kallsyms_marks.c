/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kallsyms_marks.c - where every 256th name of kallsyms begins. The names themselves tell, and so does a table
 * of the kernel behind them (kallsyms_markers). Behind a hole in the names only the table tells; where it
 * begins is found by its form, because the end of the names is not known then.
 */
#include "dumpread/base/bytes.h"
#include "dumpread/symbols/kallsyms.h"

/* A table of the kernel: N words of WIDTH bytes at AT of the names. N 0: none. */
struct markers {
	size_t at;
	unsigned width;
	uint32_t n;
};

static uint32_t count(const struct kallsyms *k)
{
	return (k->num - 1) / KALLSYMS_MARK_STEP + 1;
}

/* False: it lies in a hole. */
static bool marker(const struct kallsyms *k, const struct markers *m, uint32_t i, uint64_t *ret)
{
	size_t at = m->at + (size_t)i * m->width;

	if (holes_in(&k->lost.names, at, at + m->width))
		return false;
	*ret = load_uint(k->names + at, m->width, k->big);
	return true;
}

/* From 0 on they ascend, by no more than 256 names take, up to the table itself. */
static bool looks_like(const struct kallsyms *k, const struct markers *m)
{
	const uint64_t most = (uint64_t)KALLSYMS_MARK_STEP * (KALLSYMS_NAME_LEN + 2);
	uint64_t last = 0, v;
	uint32_t known = 0, at = 0;

	for (uint32_t i = 0; i < m->n; i++) {
		if (!marker(k, m, i, &v))
			continue;
		if (i ? v <= last || v - last > (i - at) * most : v != 0)
			return false;
		last = v;
		at = i;
		known++;
	}
	return known > m->n / 2 && last < m->at && m->at - last <= (m->n - at) * most;
}

/* Names have two bytes at least. */
static struct markers find_markers(const struct kallsyms *k)
{
	struct markers m = { .n = count(k) };

	for (m.width = 4; m.width <= 8; m.width += 4)
		for (m.at = ((size_t)k->num * 2 + 3) & ~(size_t)3;
		     m.at + (size_t)m.n * m.width <= k->names_len; m.at += 4)
			if (looks_like(k, &m))
				return m;
	return (struct markers){ 0 };
}

/* Names from *POS on that can be read, at most N. *POS: behind them. */
static uint16_t names_there(const struct kallsyms *k, size_t *pos, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		size_t at = *pos;
		uint32_t len;

		if (!kallsyms_name_len(k, &at, &len) ||
		    (k->lost.names.n && holes_in(&k->lost.names, *pos, at + len)))
			return (uint16_t)i;
		*pos = at + len;
	}
	return (uint16_t)n;
}

void kallsyms_find_marks(struct kallsyms *k)
{
	struct markers m = k->lost.names.n ? find_markers(k) : (struct markers){ 0 };
	bool known = true;
	size_t pos = 0;

	for (uint32_t g = 0; g < count(k); g++) {
		uint32_t n = (uint32_t)min_u64(KALLSYMS_MARK_STEP, k->num - g * KALLSYMS_MARK_STEP);
		uint64_t own;

		/* after a wrong length of one name all others are of wrong symbols */
		if (m.n && marker(k, &m, g, &own)) {
			if (known && own != pos && g)
				k->there[g - 1] = 0;
			pos = own;
			known = true;
		}
		k->marks[g] = (uint32_t)pos;
		k->there[g] = known ? names_there(k, &pos, n) : 0;
		known = known && k->there[g] == n;
	}
}

/* Marks of WIDTH bytes at P, which has LEN bytes. */
static bool marks_at(const struct kallsyms *k, const uint8_t *p, size_t len, unsigned width)
{
	for (uint32_t i = 0; i <= (k->num - 1) / KALLSYMS_MARK_STEP; i++)
		if ((i + 1) * (size_t)width > len ||
		    load_uint(p + i * (size_t)width, width, k->big) != k->marks[i])
			return false;
	return true;
}

/* They are longs up to 4.19. The table begins at a word, since 7.1 at 4 bytes. */
bool kallsyms_marked(const struct kallsyms *k, uint64_t kva)
{
	uint64_t end = kva + kallsyms_names_size(k);

	for (unsigned align = 4; align <= 8; align += 4) {
		uint64_t at = ((end + align - 1) & ~(uint64_t)(align - 1)) - kva;

		for (unsigned width = 4; width <= 8 && at <= k->names_len; width += 4)
			if (marks_at(k, k->names + at, k->names_len - at, width))
				return true;
	}
	return false;
}
