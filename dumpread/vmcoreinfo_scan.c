/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmcoreinfo_scan.c - VMCOREINFO found in memory.
 *
 * Dumps that no kernel had a hand in (QEMU without its vmcoreinfo device, raw
 * memory, in-memory dumpers) lack the note. The kernel writes the same text at
 * boot into vmcoreinfo_data, and a copy with a note header into
 * vmcoreinfo_note (kernel/kexec.c, crash_core.c, vmcore_info.c), so it is
 * there twice and in one piece. Up to 4.12 both are static arrays that may
 * cross a page boundary; afterwards each begins a page.
 *
 * It always begins with "OSRELEASE=" (2.6.24). Other memory may hold such text
 * too: the file of another dump in the page cache, a log. A text counts only
 * if it is whole, and one that is found twice beats all others.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/dump.h"

/* VMCOREINFO_BYTES: 4096 up to 4.12, PAGE_SIZE afterwards. */
#define TEXT_MAX (64u << 10)
#define CANDIDATES 16
#define TRIES 4096	/* places looked at: a forged dump may hold any number */
#define FIRST_KEY "OSRELEASE="

struct candidate {
	uint64_t hash, pa;
	char *text;
	size_t len;
	unsigned copies;
};

struct scan {
	struct reader *r;
	struct candidate c[CANDIDATES];
	unsigned n, tries;
	char *buf;		/* TEXT_MAX and a NUL */
	struct arena mem;
};

/* Bytes of TEXT that are lines of "KEY=value\n" in printable ASCII. */
static size_t lines_len(const char *text, size_t max)
{
	size_t line = 0;
	bool equals = false;

	for (size_t i = 0; i < max; i++) {
		unsigned char ch = (unsigned char)text[i];

		if (ch == '\n') {
			if (!equals)
				return line;
			line = i + 1;
			equals = false;
		} else if (ch < ' ' || ch > '~') {
			return line;
		} else if (ch == '=') {
			equals = true;
		}
	}
	return line;
}

static bool is_whole(const char *text)
{
	const char *size = strstr(text, "\nPAGESIZE=");
	unsigned long v = size ? strtoul(size + 10, NULL, 10) : 0;

	return v >= 1024 && v <= IMAGE_PAGE_MAX && !(v & (v - 1)) &&
	       strstr(text, "\nSYMBOL(") && strstr(text, "\nSIZE(") &&
	       strstr(text, "\nOFFSET(");
}

/* As much as can be read at PA, up to what VMCOREINFO may be. */
static size_t read_text(struct scan *s, uint64_t pa)
{
	uint32_t page = dump_page_size(reader_dump(s->r));
	size_t got = 0;

	while (got < TEXT_MAX) {
		size_t n = min_u64(page - ((pa + got) & (page - 1)), TEXT_MAX - got);

		if (read_pa(s->r, pa + got, s->buf + got, n))
			break;
		got += n;
		if (memchr(s->buf + got - n, 0, n))
			break;
	}
	return got;
}

/* True when the text at PA is the second copy of one seen before. */
static bool add_candidate(struct scan *s, uint64_t pa)
{
	size_t len = lines_len(s->buf, read_text(s, pa));
	struct candidate *c = NULL;
	uint64_t hash;

	s->buf[len] = '\0';
	if (!is_whole(s->buf))
		return false;
	hash = hash_bytes(s->buf, len);
	for (unsigned i = 0; i < s->n && !c; i++)
		if (s->c[i].hash == hash && s->c[i].len == len)
			c = &s->c[i];
	if (!c && s->n < CANDIDATES) {
		c = &s->c[s->n++];
		*c = (struct candidate){ hash, pa, arena_strndup(&s->mem, s->buf, len),
					 len, 0 };
	}
	return c && ++c->copies > 1;
}

/* Every place in the page where a text may begin: as an array of 4096 bytes,
   which compilers align, or after the padded name of a note. In the middle of
   other text it is someone's quotation. */
static bool scan_page(struct scan *s, uint64_t pfn)
{
	const struct dump *d = reader_dump(s->r);
	uint32_t size = dump_page_size(d), off = 0;
	struct page_ref ref = { 0 };
	bool done = false;

	if (!reader_present(s->r, pfn) || reader_page(s->r, pfn, &ref))
		return false;
	while (!done && off < size) {
		const uint8_t *hit = memmem(ref.data + off, size - off, FIRST_KEY,
					    strlen(FIRST_KEY));

		if (!hit)
			break;
		off = (uint32_t)(hit - ref.data);
		if (!(off & 31) || !hit[-1])
			done = add_candidate(s, (pfn << d->page_shift) + off) ||
			       ++s->tries == TRIES;
		off++;
	}
	reader_release(s->r, &ref);
	return done;
}

static void adopt(struct dump *d, const struct candidate *c)
{
	char hex[2 * sizeof(d->build_id) + 1] = "";
	unsigned n = 0, byte;

	d->vmcoreinfo = arena_strndup(&d->mem, c->text, c->len);
	vmcoreinfo_get(d, "OSRELEASE", d->release, sizeof(d->release));
	vmcoreinfo_get(d, "BUILD-ID", hex, sizeof(hex));
	while (n < sizeof(d->build_id) && sscanf(hex + 2 * n, "%2x", &byte) == 1)
		d->build_id[n++] = (uint8_t)byte;
	d->build_id_len = n;
}

bool vmcoreinfo_scan(struct dump *d)
{
	struct scan s = { .r = reader_new(d) };
	const struct candidate *best = NULL;

	s.buf = arena_alloc(&s.mem, TEXT_MAX + 1);
	log_info(d->log, "no VMCOREINFO note, looking for its text in memory");
	for (uint64_t pfn = 0; pfn < d->max_pfn; pfn++)
		if (scan_page(&s, pfn))
			break;
	for (unsigned i = 0; i < s.n; i++)
		if (!best || s.c[i].copies > best->copies)
			best = &s.c[i];
	if (best) {
		log_info(d->log, "VMCOREINFO found at physical %#" PRIx64, best->pa);
		adopt(d, best);
	}
	reader_free(s.r);
	arena_release(&s.mem);
	return best;
}
