/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headers of kdump-compressed files (makedumpfile diskdump_mod.h, IMPLEMENTATION;
 * QEMU include/sysemu/dump.h). Everything is in the byte order of the machine.
 *
 * Block 0, struct disk_dump_header:
 *	0	8	"KDUMP   " or "DISKDUMP"
 *	8	4	header_version
 *	12	390	utsname: 6 strings of 65
 *	T	36	the tail; T is 412 (32-bit), 424 (64-bit, or 32-bit with
 *			64-bit time aligned to 8) or 420 (the same aligned to 4)
 *	T+0	4	status
 *	T+4	4	block_size, the page size
 *	T+8	4	sub_hdr_size, blocks
 *	T+12	4	bitmap_blocks, of both bitmaps
 *	T+16	4	max_mapnr, low 32 bits
 * Block 1, struct kdump_sub_header, sub_hdr_size blocks: the table below.
 * Then the bitmap of existing frames, the bitmap of dumped frames, one
 * descriptor for each dumped frame, the pages. DISKDUMP files may have the
 * first bitmap only, which then counts, and no sub-header that we know.
 */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/container/kdump.h"

#define UTS_OFF 12
#define UTS_LEN 65
#define HEADER_LEN 464
#define SUB_LEN 112
#define VERSION_MAX 64		/* 6 is the newest; no later one changed a field */
#define MAPNR_MAX ((uint64_t)1 << 36)
/* In a file that stores little, most of the bitmap is a hole. */
#define MAPNR_LEAST ((uint64_t)1 << 33)
#define FRAMES_PER_BYTE 64

/*
 * The sub-header is a C struct with longs and 64-bit file offsets: 32-bit
 * machines differ in whether those are aligned to 8 or 4. QEMU aligns to 4 for all.
 */
struct sub_layout {
	uint8_t word;		/* bytes of a long */
	uint8_t start_pfn, end_pfn;			/* long; version 2 */
	uint8_t vmcoreinfo_off, vmcoreinfo_len;		/* 8, long; version 3 */
	uint8_t notes_off, notes_len;			/* 8, long; version 4 */
	uint8_t erase_off, erase_len;			/* 8, long; version 5 */
	uint8_t start64, end64, mapnr64;		/* 8; version 6 */
};

static const struct sub_layout sub_layouts[] = {
	{ 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96 },	/* 64-bit */
	{ 4, 12, 16, 20, 28, 32, 40, 44, 52, 56, 64, 72 },	/* 32-bit, packed */
	{ 4, 12, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88 },	/* 32-bit, padded */
};

struct raw {
	uint8_t head[HEADER_LEN], sub[SUB_LEN];
	const struct image_part *part;
	uint32_t tail;			/* T of the comment above */
	uint32_t sub_blocks, bitmap_blocks, mapnr32;
};

static bool header_version(struct raw *r, struct kdump_header *h)
{
	for (int big = 0; big < 2; big++) {
		h->version = load32(r->head + 8, big);
		if (h->version <= VERSION_MAX) {
			h->big_endian = big;
			return true;
		}
	}
	return false;
}

static void copy_uts(char *to, const uint8_t *head, unsigned i)
{
	memcpy(to, head + UTS_OFF + i * UTS_LEN, UTS_LEN);
	to[UTS_LEN - 1] = '\0';
}

static bool plausible_tail(const uint8_t *t, uint64_t size, bool big)
{
	uint64_t block = load32(t + 4, big);
	uint64_t sub = load32(t + 8, big), bitmaps = load32(t + 12, big);

	return page_shift_of(block) && load32(t, big) <= 0xff && bitmaps && sub <= size / block + 1;
}

/* T: the one for the machine's word size, or the first that makes sense. */
static bool find_tail(struct raw *r, const struct kdump_header *h)
{
	static const uint16_t tails[2][3] = { { 412, 424, 420 }, { 424, 412, 420 } };

	for (int i = 0; i < 3; i++) {
		r->tail = tails[h->word_size == 8][i];
		if (plausible_tail(r->head + r->tail, r->part->size, h->big_endian))
			return true;
	}
	return false;
}

static uint64_t sub_long(const struct raw *r, const struct kdump_header *h,
			 const struct sub_layout *l, unsigned off)
{
	return load_uint(r->sub + off, l->word, h->big_endian);
}

static uint64_t sub_64(const struct raw *r, const struct kdump_header *h, unsigned off)
{
	return load64(r->sub + off, h->big_endian);
}

/*
 * Is MAPNR64 the frame count that the old word of 32 bits stands for? makedumpfile writes the
 * largest number there if the count is larger (write_kdump_header()); others its low bits.
 */
static bool is_mapnr(const struct raw *r, uint64_t mapnr64)
{
	return (uint32_t)mapnr64 == r->mapnr32 ||
	       (r->mapnr32 == UINT32_MAX && mapnr64 > UINT32_MAX);
}

/* An (offset, length) pair: 1 if inside the file, 0 if empty, -1 if nonsense. */
static int area_score(const struct raw *r, const struct kdump_header *h, const struct sub_layout *l,
		      unsigned off_at, unsigned len_at)
{
	uint64_t off = sub_64(r, h, off_at), len = sub_long(r, h, l, len_at);

	if (!len)
		return 0;
	return off >> h->page_shift && part_holds(r->part, off, len) ? 1 : -1;
}

/*
 * How well this layout fits the sub-header: the number of areas that it names with
 * this layout, -1 if any of them is nonsense.
 */
static int layout_score(const struct raw *r, const struct kdump_header *h,
			const struct sub_layout *l)
{
	int info = 0, notes = 0, erased = 0;

	if (l->word != h->word_size)
		return -1;
	if (h->version >= 6 && !is_mapnr(r, sub_64(r, h, l->mapnr64)))
		return -1;
	if (h->version >= 3)
		info = area_score(r, h, l, l->vmcoreinfo_off, l->vmcoreinfo_len);
	if (h->version >= 4)
		notes = area_score(r, h, l, l->notes_off, l->notes_len);
	if (h->version >= 5)
		erased = area_score(r, h, l, l->erase_off, l->erase_len);
	return info < 0 || notes < 0 || erased < 0 ? -1 : info + notes + erased;
}

/*
 * In a file cut off before the notes no layout fits by its areas. Then only the
 * frame count decides, and last the layout that makedumpfile writes on that CPU.
 */
static const struct sub_layout *find_layout(const struct raw *r, const struct kdump_header *h)
{
	const struct sub_layout *best = NULL;
	int score = -1;

	for (size_t i = 0; i < ARRAY_LEN(sub_layouts); i++) {
		int n = layout_score(r, h, &sub_layouts[i]);

		if (n > score) {
			best = &sub_layouts[i];
			score = n;
		}
	}
	if (best)
		return best;
	if (h->word_size == 8)
		return &sub_layouts[0];
	for (size_t i = 1; h->version >= 6 && i < ARRAY_LEN(sub_layouts); i++)
		if (sub_64(r, h, sub_layouts[i].mapnr64) == r->mapnr32)
			return &sub_layouts[i];
	return &sub_layouts[strncmp(h->about.machine, "i", 1) ? 2 : 1];
}

/* Version 6 has the frame count twice. */
static bool is_damaged(const struct raw *r, const struct kdump_header *h)
{
	for (size_t i = 0; i < ARRAY_LEN(sub_layouts); i++)
		if (sub_layouts[i].word == h->word_size &&
		    is_mapnr(r, sub_64(r, h, sub_layouts[i].mapnr64)))
			return false;
	return h->version >= 6;
}

static void parse_sub(const struct raw *r, struct kdump_header *h)
{
	const struct sub_layout *l = find_layout(r, h);

	h->no_sub = is_damaged(r, h);
	if (h->no_sub)
		return;
	if (h->version >= 1)
		h->about.dump_level = (int)load32(r->sub + l->word, h->big_endian);
	if (h->version >= 2) {
		h->split = load32(r->sub + l->word + 4, h->big_endian) == 1;
		h->start_pfn = sub_long(r, h, l, l->start_pfn);
		h->end_pfn = sub_long(r, h, l, l->end_pfn);
	}
	if (h->version >= 3) {
		h->vmcoreinfo_off = sub_64(r, h, l->vmcoreinfo_off);
		h->vmcoreinfo_len = sub_long(r, h, l, l->vmcoreinfo_len);
	}
	if (h->version >= 4) {
		h->notes_off = sub_64(r, h, l->notes_off);
		h->notes_len = sub_long(r, h, l, l->notes_len);
	}
	if (h->version >= 5) {
		h->erase_off = sub_64(r, h, l->erase_off);
		h->erase_len = sub_long(r, h, l, l->erase_len);
	}
	if (h->version >= 6 && is_mapnr(r, sub_64(r, h, l->mapnr64))) {
		h->max_mapnr = sub_64(r, h, l->mapnr64);
		h->start_pfn = sub_64(r, h, l->start64);
		h->end_pfn = sub_64(r, h, l->end64);
	}
}

/* Which of the two bitmaps lists the dumped pages, and where pages start. */
static void place_bitmaps(const struct raw *r, struct kdump_header *h)
{
	uint64_t block = (uint64_t)1 << h->page_shift;
	uint64_t first = (1 + (uint64_t)r->sub_blocks) * block;
	uint64_t total = r->bitmap_blocks * block;
	uint64_t need = ((h->max_mapnr + 7) / 8 + block - 1) / block * block;

	h->bitmap_off = first;
	h->bitmap_len = total;
	if (total >= need * 2) {
		h->first_bitmap_off = first;
		h->bitmap_off = first + total / 2;
		h->bitmap_len = total / 2;
	}
	h->desc_off = first + total;
}

static void parse_head(struct raw *r, struct kdump_header *h)
{
	struct image_header *a = &h->about;
	const struct machine *m;

	copy_uts(a->nodename, r->head, 1);
	copy_uts(a->release, r->head, 2);
	copy_uts(a->version, r->head, 3);
	copy_uts(a->machine, r->head, 4);
	m = machine_by_uname(a->machine);
	if (m) {
		h->elf_machine = m->elf_machine;
		h->word_size = m->word_size;
	}
}

static void parse_tail(struct raw *r, struct kdump_header *h)
{
	const uint8_t *t = r->head + r->tail;
	bool wide = r->tail != 412; /* 64-bit seconds, right before the tail */

	if (!h->word_size)
		h->word_size = r->tail == 424 ? 8 : 4;
	h->about.crash_time = (int64_t)load_uint(t - (wide ? 16 : 8), wide ? 8 : 4, h->big_endian);
	h->status = load32(t, h->big_endian);
	h->page_shift = page_shift_of(load32(t + 4, h->big_endian));
	r->sub_blocks = load32(t + 8, h->big_endian);
	r->bitmap_blocks = load32(t + 12, h->big_endian);
	r->mapnr32 = load32(t + 16, h->big_endian);
	h->max_mapnr = r->mapnr32;
}

enum status kdump_read_header(struct image *im, const struct image_part *p, struct kdump_header *h)
{
	struct raw r = { .part = p };
	bool is_kdump;
	enum status st;

	memset(h, 0, sizeof(*h));
	h->about.dump_level = -1;
	if (part_read(p, 0, r.head, 8) != ST_OK)
		return ST_NOTMINE;
	is_kdump = !memcmp(r.head, "KDUMP   ", 8);
	if (!is_kdump && memcmp(r.head, "DISKDUMP", 8))
		return ST_NOTMINE;
	st = part_read(p, 0, r.head, sizeof(r.head));
	if (st)
		return fail(&im->diag, st,
			    "%s: cut off inside the dump header: copy the "
			    "dump again",
			    p->path);
	if (!header_version(&r, h))
		return fail(&im->diag, ST_CORRUPT,
			    "%s: header version %#" PRIx32
			    " in a kdump-compressed dump is impossible",
			    p->path, h->version);
	parse_head(&r, h);
	if (!find_tail(&r, h))
		return fail(&im->diag, ST_CORRUPT,
			    "%s: no page size and bitmap size in the "
			    "dump header: the file is damaged",
			    p->path);
	parse_tail(&r, h);
	if (is_kdump && r.sub_blocks) {
		/* in a file cut off here, all before this is valid */
		if (part_claims(im, p, (uint64_t)1 << h->page_shift, sizeof(r.sub), "sub-header") &&
		    part_read(p, (uint64_t)1 << h->page_shift, r.sub, sizeof(r.sub)) == ST_OK)
			parse_sub(&r, h);
	}
	if (h->max_mapnr > MAPNR_MAX ||
	    h->max_mapnr > max_u64(MAPNR_LEAST, p->stored * FRAMES_PER_BYTE))
		return fail(&im->diag, ST_LIMIT,
			    "%s: %" PRIu64 " page frames is impossible: "
			    "the header is damaged",
			    p->path, h->max_mapnr);
	place_bitmaps(&r, h);
	return ST_OK;
}
