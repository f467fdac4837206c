/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stream that QEMU writes when a machine is migrated or saved (docs/devel/migration/main.rst,
 * migration/savevm.c and ram.c of QEMU 7.2 to 9.1). All integers are big-endian.
 *
 *	0	"QEVM"		u32
 *	4	version		u32	3
 *	8	sections, each
 *		type		u8	1 start, 2 part, 3 end, 4 full, 7 configuration, 8 command
 *		id		u32	types 1 to 4
 *		name		u8, bytes; then instance u32, version u32: types 1 and 4
 *		...		of the device, of no stated length
 *		footer		u8 0x7e, id u32: since 2.4
 *
 * A configuration has the machine's name (u32, bytes). Of the devices only "ram" is read, version 4: records of
 *	u64	address | flags, the flags being the low 12 bits
 * Flag 4 (first of all) is the list of blocks, whose pages the address counts: name (u8, bytes), u64 bytes, and what
 * capabilities add: u64 (page size, address), which are told from a name by their first byte, 0; or with mapped-ram
 * (9.0) u32 1, u64 page size, u64 place of a bitmap of 64-bit words in the writer's order, u64 place of the pages: the
 * next name follows the pages. Flags 2 (a page filled with the byte that follows) and 8 (the page follows) have the
 * block's name before that (u8, bytes) unless flag 0x20 says "the same"; 0x10 ends the section, 0x200 says nothing.
 * A page that was changed while the machine was saved comes again: the last counts.
 */
#include "dumpread/container/qemu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/search.h"

#define SECTION_START 1
#define SECTION_PART  2
#define SECTION_END   3
#define SECTION_FULL  4
#define CONFIGURATION 7
#define COMMAND	      8
#define FOOTER	      0x7e

#define RAM_VERSION	4
#define FLAG_FILL	0x02u
#define FLAG_BLOCKS	0x04u
#define FLAG_PAGE	0x08u
#define FLAG_END	0x10u
#define FLAG_SAME	0x20u
#define FLAG_DIFFERENCE 0x40u
#define FLAG_ZLIB	0x100u
#define FLAG_FLUSH	0x200u
#define FLAGS		(QEMU_PAGE - 1)

#define START_SEARCH (16u << 20)	 /* bytes in which the section of RAM begins */
#define GAP_SEARCH   (UINT64_C(1) << 30) /* bytes of other devices between two of its sections */
/* Each page takes a record of nine bytes, or a bit of a bitmap; a stream that was cut off says more. */
#define PAGES_MIN (UINT64_C(1) << 24)
#define WINDOW	  (256u << 10)

struct source {
	struct image *im;
	struct qemu_stream *s;
	uint64_t at; /* in the file */
	uint8_t *window;
	uint64_t window_at;
	size_t window_len;
	uint32_t id;	  /* of the section of RAM */
	uint64_t strange; /* records that name no page of a block */
	bool searched;	  /* the section did not begin where the one before had ended */
	uint64_t damage;  /* the first place that no stream has so; 0: none was seen */
};

/* ---- bytes --------------------------------------------------------------------------------- */

static void damaged_at(struct source *r, uint64_t at)
{
	r->damage = r->damage ? r->damage : at;
}

/* N bytes from the place on, which moves behind them; NULL: the file ends before. N: at most 512. */
static const uint8_t *take(struct source *r, size_t n)
{
	if (r->at > INT64_MAX - n)
		return NULL;
	if (r->at < r->window_at || r->at + n > r->window_at + r->window_len) {
		r->window_at = r->at;
		if (part_read_some(&r->im->parts[0], r->at, r->window, WINDOW, &r->window_len))
			r->window_len = 0;
		if (r->window_len < n)
			return NULL;
	}
	r->at += n;
	return r->window + (r->at - n - r->window_at);
}

static const uint8_t *peek(struct source *r, size_t n)
{
	uint64_t at = r->at;
	const uint8_t *p = take(r, n);

	r->at = at;
	return p;
}

static bool take_uint(struct source *r, unsigned size, uint64_t *ret)
{
	const uint8_t *p = take(r, size);

	*ret = p ? load_uint(p, size, true) : 0;
	return p;
}

static bool take_name(struct source *r, char to[QEMU_NAME])
{
	const uint8_t *n = take(r, 1), *p;
	size_t len = n ? *n : 0;

	p = n ? take(r, len) : NULL;
	if (!p)
		return false;
	memcpy(to, p, len);
	to[len] = '\0';
	for (char *c = to; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return true;
}

/* The first place of LEN bytes, at most MOST bytes on, which becomes the place; false: there is none. */
static bool seek(struct source *r, const uint8_t *what, size_t len, uint64_t most)
{
	uint64_t end = r->at + most;

	while (r->at < end && take(r, len)) {
		size_t in;
		const uint8_t *hit;

		r->at -= len;
		in = (size_t)(r->at - r->window_at);
		hit = memmem(r->window + in, r->window_len - in, what, len);
		if (hit) {
			r->at = r->window_at + (uint64_t)(hit - r->window);
			return r->at < end;
		}
		r->at = r->window_at + r->window_len - (len - 1);
	}
	return false;
}

/* ---- the list of blocks ------------------------------------------------------------------------ */

/* Memory of devices: none of it is the machine's RAM. */
static bool is_device(const char *name)
{
	static const char *const marks[] = { "/rom@", ".rom",  "mrom", "bios",	"vram",
					     "flash", "0000:", "pci",  "fw_cfg" };

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (strstr(name, marks[i]))
			return true;
	return false;
}

/* Of each page of a block with mapped-ram: at a fixed place, or zeros. */
struct mapped {
	uint64_t bitmap, pages;
};

/* What may follow a block's length: at most two words, or the header of mapped-ram. */
static bool take_more(struct source *r, const struct qemu_block *b, struct mapped *m)
{
	const uint8_t *p;
	uint64_t size = b->pages * QEMU_PAGE;

	*m = (struct mapped){ 0 };
	for (unsigned i = 0; i < 2 && (p = peek(r, 12)) && !*p; i++) {
		if (load32(p, true) == 1 && load64(p + 4, true) == QEMU_PAGE) {
			r->at += 12;
			if (!take_uint(r, 8, &m->bitmap) || !take_uint(r, 8, &m->pages))
				return false;
			if (size > INT64_MAX || m->bitmap > INT64_MAX ||
			    m->pages > INT64_MAX - size)
				return false;
			if (m->pages)
				r->at = m->pages + size;
			return true;
		}
		if (load64(p, true) & FLAGS) /* a record */
			return true;
		r->at += 8;
	}
	return true;
}

static void take_bitmap(struct source *r, const struct qemu_block *b, const struct mapped *m)
{
	uint64_t *where = r->s->where + b->first, at = r->at;

	r->at = m->bitmap;
	for (uint64_t i = 0; i < b->pages; i += 64) {
		const uint8_t *p = take(r, 8);
		uint64_t bits = p ? load64(p, false) : 0;

		if (!p)
			damaged_at(r, r->at);
		for (uint64_t k = i; k < min_u64(i + 64, b->pages); k++, bits >>= 1)
			if (p)
				where[k] = bits & 1 ? m->pages + k * QEMU_PAGE : QEMU_FILL;
	}
	r->at = at;
}

static int by_name(const void *pa, const void *pb)
{
	const struct qemu_block *a = *(const struct qemu_block *const *)pa;
	const struct qemu_block *b = *(const struct qemu_block *const *)pb;
	size_t na = strlen(a->name), nb = strlen(b->name);

	return na != nb ? (na > nb) - (na < nb) : strcmp(a->name, b->name);
}

/* "ram-node0", "/objects/ram-node0" */
static bool is_node(const char *name)
{
	const char *at = strstr(name, "ram-node");

	return at && at[8] && strspn(at + 8, "0123456789") == strlen(at + 8);
}

/*
 * Which blocks are the machine's RAM: those of its nodes, by their numbers, else the one of a board's name (pc.ram,
 * mach-virt.ram), else the largest that is no device's. Modules that were plugged in are not placed.
 */
static void choose_ram(struct qemu_stream *s)
{
	struct qemu_block *ram[QEMU_BLOCKS], *one = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < s->nblocks; i++) {
		struct qemu_block *b = &s->blocks[i];
		bool named = str_ends(b->name, ".ram") && !is_device(b->name);

		if (is_node(b->name))
			ram[n++] = b;
		else if (!is_device(b->name) &&
			 (!one || (named ? !str_ends(one->name, ".ram")
					 : !str_ends(one->name, ".ram") && b->pages > one->pages)))
			one = b;
	}
	if (!n && one)
		ram[n++] = one;
	sort_array(ram, n, sizeof(struct qemu_block *), by_name);
	for (unsigned i = 0; i < n; i++) {
		ram[i]->first = s->pages;
		s->pages += ram[i]->pages;
	}
}

/* Memory that is in the stream, and has no place here. */
static void tell_others(struct source *r)
{
	for (unsigned i = 0; i < r->s->nblocks; i++) {
		const struct qemu_block *b = &r->s->blocks[i];

		if (b->first == UINT64_MAX && !is_device(b->name))
			issue_add(&r->im->issues, ST_UNSUPPORTED, "block of memory", b->pages,
				  "%s: the address of %s is not known", r->im->parts[0].path,
				  b->name);
	}
}

static enum status take_blocks(struct source *r, uint64_t total)
{
	struct qemu_stream *s = r->s;
	struct mapped m[QEMU_BLOCKS];
	uint64_t bytes, most = max_u64(PAGES_MIN, r->im->parts[0].stored / 8);

	s->blocks = heap_array(struct qemu_block, QEMU_BLOCKS);
	while (total) {
		struct qemu_block *b = &s->blocks[s->nblocks];

		if (s->nblocks == QEMU_BLOCKS)
			return ST_CORRUPT;
		if (!take_name(r, b->name) || !take_uint(r, 8, &bytes))
			return ST_NODATA;
		if (!bytes || bytes > total || bytes % QEMU_PAGE)
			return ST_CORRUPT;
		total -= bytes;
		b->pages = bytes / QEMU_PAGE;
		b->first = UINT64_MAX;
		if (!take_more(r, b, &m[s->nblocks]))
			return ST_CORRUPT;
		s->nblocks++;
	}
	choose_ram(s);
	if (!s->pages || s->pages > most)
		return ST_CORRUPT;
	s->where = heap_calloc(s->pages, sizeof(*s->where));
	for (unsigned i = 0; i < s->nblocks; i++)
		if (m[i].pages && s->blocks[i].first != UINT64_MAX)
			take_bitmap(r, &s->blocks[i], &m[i]);
	tell_others(r);
	return ST_OK;
}

/* ---- records ---------------------------------------------------------------------------------- */

static const struct qemu_block *find_block(const struct qemu_stream *s, const char *name)
{
	for (unsigned i = 0; i < s->nblocks; i++)
		if (!strcmp(s->blocks[i].name, name))
			return &s->blocks[i];
	return NULL;
}

static void put_page(struct source *r, const struct qemu_block *b, uint64_t addr, uint64_t what)
{
	uint64_t page = addr / QEMU_PAGE;

	if (!b || page >= b->pages)
		r->strange++;
	else if (b->first != UINT64_MAX)
		r->s->where[b->first + page] = what;
}

/* The difference to the page before, or zlib's. */
static bool is_packed(unsigned flags)
{
	return flags == FLAG_DIFFERENCE || flags == FLAG_ZLIB;
}

/* The records of a section: ST_OK at its end, ST_NODATA at that of the file. */
static enum status take_records(struct source *r, const struct qemu_block **last)
{
	char name[QEMU_NAME];
	const uint8_t *fill;
	uint64_t word;

	while (take_uint(r, 8, &word)) {
		unsigned flags = word & FLAGS;

		if (flags == FLAG_END)
			return ST_OK;
		if (flags == FLAG_FLUSH)
			continue;
		if (flags == FLAG_BLOCKS && !r->s->blocks) {
			enum status st = take_blocks(r, word & ~(uint64_t)FLAGS);

			if (st)
				return st;
			continue;
		}
		if (is_packed(flags & ~FLAG_SAME))
			return ST_UNSUPPORTED;
		if ((flags & ~FLAG_SAME) != FLAG_FILL && (flags & ~FLAG_SAME) != FLAG_PAGE)
			return ST_CORRUPT;
		if (!(flags & FLAG_SAME)) {
			if (!take_name(r, name))
				return ST_NODATA;
			*last = find_block(r->s, name);
		}
		if (flags & FLAG_PAGE) {
			if (r->at > r->im->parts[0].size - min_u64(QEMU_PAGE, r->im->parts[0].size))
				return ST_NODATA;
			put_page(r, *last, word & ~(uint64_t)FLAGS, r->at);
			r->at += QEMU_PAGE;
			continue;
		}
		fill = take(r, 1);
		if (!fill)
			return ST_NODATA;
		put_page(r, *last, word & ~(uint64_t)FLAGS, QEMU_FILL | *fill);
	}
	return ST_NODATA;
}

/* Does a section of RAM begin here? Its records, too: its number alone may be anything in other sections. */
static bool begins_section(struct source *r, bool *end)
{
	const uint8_t *p = peek(r, 13);
	unsigned flags;

	if (!p || (*p != SECTION_PART && *p != SECTION_END) || load32(p + 1, true) != r->id)
		return false;
	*end = *p == SECTION_END;
	flags = load64(p + 5, true) & FLAGS;
	if (flags == FLAG_END || flags == FLAG_FLUSH)
		return !(load64(p + 5, true) & ~(uint64_t)FLAGS);
	flags &= ~FLAG_SAME;
	return flags == FLAG_FILL || flags == FLAG_PAGE || is_packed(flags);
}

/* May another section than one of RAM begin so? A start, part, end, all of a device; a command. */
static bool may_be_other(const struct source *r, const uint8_t *p)
{
	return *p == COMMAND ||
	       (*p >= SECTION_START && *p <= SECTION_FULL && load32(p + 1, true) != r->id);
}

/*
 * The next section of RAM; false: there is none. *END: it is the last. Those of other devices may stand between, of no
 * stated length; a section of RAM whose header is damaged is told from them by its first bytes, and by its footer.
 */
static bool next_section(struct source *r, bool *end)
{
	uint64_t from, most;
	uint8_t id[4];
	const uint8_t *p = peek(r, 5);

	store_uint(id, r->id, 4, true);
	if (p && p[0] == FOOTER && !memcmp(p + 1, id, 4))
		r->at += 5;
	from = r->at;
	most = from + GAP_SEARCH;
	p = peek(r, 13);
	r->searched = !begins_section(r, end);
	if (r->searched && p && !may_be_other(r, p))
		damaged_at(r, from);
	while (!begins_section(r, end)) {
		r->at += 2;
		if (r->at >= most || !seek(r, id, sizeof(id), most - r->at)) {
			r->at = from;
			return false;
		}
		r->at--;
		p = peek(r, 1);
		if (p && *p == FOOTER)
			damaged_at(r, from);
	}
	r->at += 5;
	return true;
}

/* ---- the stream ---------------------------------------------------------------------------------- */

static void take_machine(struct source *r)
{
	const uint8_t *p = take(r, 1);
	uint64_t len;

	if (!p || *p != CONFIGURATION || !take_uint(r, 4, &len) || len >= QEMU_NAME)
		return;
	p = take(r, len);
	if (p)
		memcpy(r->s->machine, p, len);
}

/* Where the records of RAM begin. */
static bool find_start(struct source *r)
{
	static const uint8_t mark[] = { 3, 'r', 'a', 'm', 0, 0, 0, 0, 0, 0, 0, RAM_VERSION };
	const uint8_t *p;

	if (!seek(r, mark, sizeof(mark), START_SEARCH) || r->at < 5)
		return false;
	r->at -= 5;
	p = take(r, 5);
	if (!p || *p != SECTION_START)
		return false;
	r->id = load32(p + 1, true);
	r->at += sizeof(mark);
	return true;
}

static enum status unreadable(struct source *r, enum status st)
{
	const char *path = r->im->parts[0].path;

	if (st == ST_UNSUPPORTED)
		return fail(&r->im->diag, st,
			    "%s: was saved with compressed pages (capabilities xbzrle, compress or "
			    "multifd of QEMU); save it without, or use dump-guest-memory",
			    path);
	if (st == ST_NODATA)
		return fail(&r->im->diag, st,
			    "%s: ends before the memory of the machine that QEMU saved", path);
	return fail(&r->im->diag, ST_CORRUPT,
		    "%s: the list of memory blocks of this saved QEMU machine cannot be read; use "
		    "dump-guest-memory, or virsh dump --memory-only",
		    path);
}

/* Of a page without a record that is no damage nothing is said: it may be free (hints), or not plugged (virtio-mem). */
static void tell_damage(struct source *r, enum status st)
{
	const char *path = r->im->parts[0].path;
	bool cut = st == ST_NODATA && !r->s->ended;
	uint64_t lost = 0;

	for (uint64_t i = 0; i < r->s->pages; i++)
		lost += r->s->where[i] == QEMU_ABSENT;
	if (cut) {
		issue_add(&r->im->issues, ST_NODATA, "truncated image", max_u64(lost, 1),
			  "%s: the stream ends before the end of the memory", path);
		cause_add(&r->im->causes, CAUSE_CUT, lost, r->s->pages, NULL);
	} else if (r->damage || !r->s->ended) {
		issue_add(&r->im->issues, ST_CORRUPT, "record of a page", max_u64(lost, 1),
			  "%s: no record is at byte %" PRIu64 ", where one should%s", path,
			  r->damage ? r->damage : r->at,
			  r->s->ended ? "; some pages may be free (hints) or not plugged "
					"(virtio-mem)"
				      : "");
		cause_table(&r->im->causes, "the records of pages", lost, r->s->pages);
	}
	if (r->strange)
		issue_add(&r->im->issues, ST_CORRUPT, "record of a page", r->strange,
			  "%s: pages of no block of memory", path);
}

/*
 * The sections behind the first, to the last. What was found by a search may be none: the search goes on behind the
 * word that is no record.
 */
static enum status take_sections(struct source *r, const struct qemu_block *last)
{
	enum status st = ST_OK;
	bool end = false;

	while ((!st && !end) || (st == ST_CORRUPT && r->searched)) {
		if (st) {
			r->at -= 8;
			damaged_at(r, r->at);
		}
		if (!next_section(r, &end))
			return r->damage ? ST_CORRUPT : ST_NODATA;
		st = take_records(r, &last);
		if (st == ST_UNSUPPORTED && r->searched && r->damage)
			st = ST_CORRUPT;
	}
	r->s->ended = !st;
	return st;
}

static enum status read_stream(struct source *r)
{
	const struct qemu_block *last = NULL;
	const uint8_t *p = take(r, 8);
	enum status st;

	if (!p || memcmp(p, "QEVM", 4))
		return ST_NOTMINE;
	take_machine(r);
	if (!find_start(r))
		return unreadable(r, ST_NODATA);
	st = take_records(r, &last);
	if (!r->s->where)
		return unreadable(r, st);
	if (!st)
		st = take_sections(r, last);
	if (st == ST_UNSUPPORTED)
		return unreadable(r, st);
	tell_damage(r, st);
	return ST_OK;
}

enum status qemu_stream_read(struct image *im, uint64_t at, struct qemu_stream *s)
{
	struct source r = { .im = im, .s = s, .at = at, .window = heap_bytes(WINDOW) };
	enum status st = read_stream(&r);

	free(r.window);
	return st;
}

void qemu_stream_free(struct qemu_stream *s)
{
	free(s->blocks);
	free(s->where);
	*s = (struct qemu_stream){ .pages = 0 };
}
