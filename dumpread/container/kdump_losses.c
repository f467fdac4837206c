/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kdump_losses.c - the table of page descriptors: how many there are, and which the end of the file or damage lost. */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "dumpread/container/kdump_parts.h"
#include "dumpread/image/decompress.h"

#define DESCS_AT_ONCE 1024

struct desc kdump_parse_desc(const uint8_t *d, bool big)
{
	return (struct desc){ load64(d, big), load32(d + 8, big), load32(d + 12, big) };
}

/* Read up to MAX descriptors from FIRST on, at most DESCS_AT_ONCE; returns how many. */
static size_t read_descs(const struct kdump_part *kp, uint64_t first, uint64_t max,
			 struct desc *out)
{
	uint8_t buf[KDUMP_DESC * DESCS_AT_ONCE];
	size_t n = min_u64(DESCS_AT_ONCE, max), got;

	if (part_read_some(kp->file, kp->h.desc_off + first * KDUMP_DESC, buf, n * KDUMP_DESC,
			   &got))
		return 0;
	n = got / KDUMP_DESC;
	for (size_t i = 0; i < n; i++)
		out[i] = kdump_parse_desc(buf + i * KDUMP_DESC, kp->h.big_endian);
	return n;
}

/* The highest place of data in a file of LIMIT pages; the bytes of headers before them are not known here. */
#define SLACK ((uint64_t)64 << 20)

static bool is_desc(const struct kdump_part *kp, const struct desc *d, uint64_t from,
		    uint64_t pages)
{
	uint64_t block = kdump_block(kp);

	return d->off >= from && d->off <= from + SLACK + pages * (KDUMP_DESC + block) && d->size &&
	       d->size <= block && __builtin_popcount(d->flags & PAGE_COMPRESSED) <= 1;
}

bool kdump_desc_ok(const struct kdump_part *kp, const struct desc *d)
{
	return is_desc(kp, d, kp->h.desc_off + kp->ndescs * KDUMP_DESC, kp->ndescs);
}

/* ---- how many there are ------------------------------------------------------------------------ */

static bool is_zero_page(const struct kdump_part *kp, uint64_t off)
{
	uint8_t buf[4096];

	for (uint64_t at = 0; at < kdump_block(kp); at += sizeof(buf)) {
		if (part_read(kp->file, off + at, buf, sizeof(buf)))
			return false;
		for (size_t i = 0; i < sizeof(buf); i++)
			if (buf[i])
				return false;
	}
	return true;
}

/* Descriptors up to the lowest data at OFF, or up to a page of zeros right before; 0: neither fits. */
static uint64_t descs_before(const struct kdump_part *kp, uint64_t off)
{
	uint64_t bytes = off - kp->h.desc_off, block = kdump_block(kp);

	if (bytes % KDUMP_DESC == 0)
		return bytes / KDUMP_DESC;
	if (bytes <= block || (bytes - block) % KDUMP_DESC || !is_zero_page(kp, off - block))
		return 0;
	return (bytes - block) / KDUMP_DESC;
}

uint64_t kdump_count_descs(const struct kdump_part *kp, uint64_t total)
{
	struct desc d[DESCS_AT_ONCE], next;
	uint64_t from = kp->h.desc_off + KDUMP_DESC, least = UINT64_MAX, n;
	size_t got = read_descs(kp, 0, UINT64_MAX, d);

	if (!got || !is_desc(kp, &d[0], from, kp->h.max_mapnr))
		return total;
	for (size_t i = 0; i < got && (i < total || d[i].off >= from + i * KDUMP_DESC); i++)
		if (is_desc(kp, &d[i], from + i * KDUMP_DESC, kp->h.max_mapnr))
			least = min_u64(least, d[i].off);
	n = descs_before(kp, least);
	if (!n || n == total || n > kp->h.max_mapnr)
		return total;
	/* what the two counts differ in must be what it says: a descriptor, or data */
	if (!read_descs(kp, min_u64(n, total), 1, &next) ||
	    is_desc(kp, &next, kp->h.desc_off + n * KDUMP_DESC, n) != (n > total))
		return total;
	return n;
}

/* ---- which are lost ------------------------------------------------------------------------------ */

static void mark_lost(struct image *im, struct kdump_part *kp, uint64_t i)
{
	if (!kp->lost)
		kp->lost = arena_alloc(&im->mem, kp->ndescs / 8 + 1);
	kp->lost[i / 8] |= (uint8_t)(1u << i % 8);
}

/* A writer that ran out of space leaves descriptors empty. */
static bool is_empty(const struct desc *d)
{
	return !d->off && !d->size;
}

static bool is_lost(const struct kdump_part *kp, const struct desc *d)
{
	return kdump_desc_ok(kp, d) ? !part_holds(kp->file, d->off, d->size) : is_empty(d);
}

static uint64_t mark_all_lost(struct image *im, struct kdump_part *kp)
{
	struct desc d[DESCS_AT_ONCE];
	uint64_t lost = 0;
	size_t n;

	for (uint64_t i = 0; i < kp->ndescs && (n = read_descs(kp, i, kp->ndescs - i, d)); i += n)
		for (size_t j = 0; j < n; j++)
			if (is_lost(kp, &d[j])) {
				lost++;
				mark_lost(im, kp, i + j);
			}
	return lost;
}

/* Is there more in the file than the data that end at END: those of N descriptors that are empty? */
static bool holds_more(const struct kdump_part *kp, uint64_t end, uint64_t n)
{
	return kp->file->size > end && kp->file->size - end > n;
}

/*
 * Data follow the order of descriptors, except the page that all pages of zeros share:
 * the last descriptor of another page tells whether the file was cut off. In files that
 * were packed anew the shared page is not the first of all data; the last descriptors
 * name it then. Damaged descriptors tell nothing; empty ones that follow all data which the file
 * has were never written.
 */
static bool tail_is_lost(const struct kdump_part *kp)
{
	struct desc d[DESCS_AT_ONCE];
	uint64_t shared = UINT64_MAX, empty = 0;
	bool incomplete = kp->h.status & KDUMP_INCOMPLETE;

	for (uint64_t end = kp->ndescs; end;) {
		uint64_t first = end > DESCS_AT_ONCE ? end - DESCS_AT_ONCE : 0;
		size_t n = min_u64(read_descs(kp, first, kp->ndescs - first, d), end - first);

		if (n < end - first)
			return true;
		if (end == kp->ndescs)
			/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): n were read */
			shared = d[n - 1].off;
		while (n--) {
			empty += is_empty(&d[n]);
			if (kdump_desc_ok(kp, &d[n]) && d[n].off != kp->zero_off &&
			    (d[n].off != shared || !part_holds(kp->file, d[n].off, d[n].size)))
				return !part_holds(kp->file, d[n].off, d[n].size) ||
				       (empty && (incomplete ||
						  !holds_more(kp, d[n].off + d[n].size, empty)));
		}
		end = first;
	}
	return empty;
}

uint64_t kdump_find_losses(struct image *im, struct kdump_part *kp, uint64_t total)
{
	uint64_t left = kp->file->size > kp->h.desc_off
				? (kp->file->size - kp->h.desc_off) / KDUMP_DESC
				: 0;
	uint64_t data = kp->h.desc_off + total * KDUMP_DESC, lost;
	bool incomplete = kp->h.status & KDUMP_INCOMPLETE;

	/* makedumpfile writes one page of zeros, first of all data, for all pages that are zero:
	   going back there for each of them would defeat reading ahead */
	kp->zero_off = is_zero_page(kp, data) ? data : 0;
	kp->ndescs = min_u64(total, left);
	lost = total - kp->ndescs;
	if (lost || incomplete || tail_is_lost(kp))
		lost += mark_all_lost(im, kp);
	if (lost || incomplete)
		cause_add(&im->causes, incomplete ? CAUSE_UNFINISHED : CAUSE_CUT, lost, total,
			  NULL);
	if (lost)
		issue_add(&im->issues, ST_NODATA, "truncated image", lost,
			  "%s: %" PRIu64 " of %" PRIu64 " pages are after the end of the file",
			  kp->file->path, lost, total);
	else if (incomplete)
		issue_add(&im->issues, ST_NODATA, "truncated image", 1,
			  "%s: its writer says that it ran out of space", kp->file->path);
	return lost;
}

/* ---- damage that is met later --------------------------------------------------------------------- */

void kdump_meet_bad(const struct image *im, struct kdump_part *kp)
{
	struct desc d[DESCS_AT_ONCE];
	uint64_t bad = 0;
	size_t n;

	if (__atomic_exchange_n(&kp->counted, true, __ATOMIC_ACQ_REL))
		return;
	for (uint64_t i = 0; i < kp->ndescs && (n = read_descs(kp, i, kp->ndescs - i, d)); i += n)
		for (size_t j = 0; j < n; j++)
			bad += !kdump_desc_ok(kp, &d[j]) &&
			       !(kp->lost && kp->lost[(i + j) / 8] >> (i + j) % 8 & 1);
	__atomic_store_n(&kp->bad, max_u64(bad, 1), __ATOMIC_RELEASE);
	if (im->counted)
		issue_add(im->counted, ST_CORRUPT, "page descriptor", max_u64(bad, 1),
			  "%s: %" PRIu64 " of %" PRIu64 " page descriptors are damaged",
			  kp->file->path, bad, kp->ndescs);
}
