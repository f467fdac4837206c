/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mkimage.c - writes small dumps in every container.
 */
#include "tests/unit/mkimage.h"

#include <elf.h>
#include <lzo/lzo1x.h>
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/decompress.h"

/* ---- memory and files ------------------------------------------------- */

bool mk_present(uint64_t pfn)
{
	return pfn % 4 != 3;
}

bool mk_has(const struct mkimage *m, uint64_t pfn)
{
	return m->has ? m->has(m->arg, pfn) : mk_present(pfn);
}

uint64_t mk_run(const struct mkimage *m, uint64_t *first)
{
	uint64_t pfn = *first;

	while (pfn < m->max_pfn && !mk_has(m, pfn))
		pfn++;
	*first = pfn;
	while (pfn < m->max_pfn && mk_has(m, pfn))
		pfn++;
	return pfn - *first;
}

void mk_page(const struct mkimage *m, uint64_t pfn, uint8_t *out)
{
	size_t size = (size_t)1 << m->page_shift;
	uint64_t x = pfn * 0x9e3779b97f4a7c15u + 1;

	if (m->get) {
		m->get(m->arg, pfn, out);
		return;
	}
	if (pfn % 8 == 0) {
		memset(out, 0, size);
		return;
	}
	for (size_t i = 0; i < size; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		out[i] = pfn % 8 == 1 ? (uint8_t)(x >> 56) : (uint8_t)(pfn + i / 64);
	}
}

static void need(struct bytes *b, size_t n)
{
	if (n <= b->n)
		return;
	if (n > b->cap) {
		b->cap = n * 2;
		b->v = realloc(b->v, b->cap);
		if (!b->v)
			abort();
	}
	memset(b->v + b->n, 0, n - b->n);
	b->n = n;
}

void put_at(struct bytes *b, uint64_t off, const void *p, size_t n)
{
	need(b, off + n);
	if (n)
		memcpy(b->v + off, p, n);
}

void put_uint(struct bytes *b, uint64_t off, uint64_t v, unsigned size, bool big)
{
	uint8_t raw[8];

	store_uint(raw, v, size, big);
	put_at(b, off, raw, size);
}

void mk_free(struct bytes *b)
{
	free(b->v);
	memset(b, 0, sizeof(*b));
}

const char *mk_file(const struct bytes *b, size_t n, char buf[64])
{
	const char *dir = getenv("TMPDIR");
	int fd;

	if (!dir || strlen(dir) > 40)
		dir = "/tmp";
	snprintf(buf, 64, "%s/mkimage-XXXXXX", dir);
	fd = mkstemp(buf);
	if (fd < 0 || write(fd, b->v, n) != (ssize_t)n)
		abort();
	close(fd);
	return buf;
}

/* ---- kdump-compressed ------------------------------------------------- */

/* Into OUT (twice a page); 0 if it does not shrink. */
static size_t squeeze(uint32_t how, const uint8_t *page, size_t size, uint8_t *out)
{
	uLongf z = size * 2;
	lzo_uint l = 0;
	size_t n = size * 2;
	void *work;

	switch (how) {
	case PAGE_ZLIB:
		n = compress2(out, &z, page, size, 1) == Z_OK ? z : 0;
		break;
	case PAGE_LZO:
		work = malloc(LZO1X_1_MEM_COMPRESS);
		n = lzo1x_1_compress(page, size, out, &l, work) == LZO_E_OK ? l : 0;
		free(work);
		break;
	case PAGE_SNAPPY:
		if (snappy_compress((const char *)page, size, (char *)out, &n) != SNAPPY_OK)
			n = 0;
		break;
	case PAGE_ZSTD:
		n = ZSTD_compress(out, n, page, size, 1);
		break;
	default:
		return 0;
	}
	return n < size ? n : 0;
}

static void put_head(const struct mkimage *m, struct bytes *b, uint32_t bitmap_blocks)
{
	unsigned block = 1u << m->page_shift, t = m->tail;
	const char *release = m->release ? m->release : "6.1.0-test";
	bool wide = t != 412;

	put_at(b, 0, m->one_bitmap ? "DISKDUMP" : "KDUMP   ", 8);
	put_uint(b, 8, m->version, 4, m->big);
	put_at(b, 12, "Linux", 5);
	put_at(b, 12 + 65, "node", 4);
	put_at(b, 12 + 130, release, strlen(release));
	put_at(b, 12 + 195, "#1 SMP", 6);
	put_at(b, 12 + 260, m->machine, strlen(m->machine));
	put_uint(b, t - (wide ? 16 : 8), 1700000000, wide ? 8 : 4, m->big);
	put_uint(b, t, m->compress, 4, m->big);
	put_uint(b, t + 4, block, 4, m->big);
	put_uint(b, t + 8, 1, 4, m->big);
	put_uint(b, t + 12, bitmap_blocks, 4, m->big);
	put_uint(b, t + 16, m->max_pfn, 4, m->big);
}

/* The texts follow the sub-header in its block, as makedumpfile has them. */
static void put_sub(const struct mkimage *m, struct bytes *b)
{
	/* phys_base, level, split, start, end, text, its length, notes, their length,
	   erased, its length, start, end, max_mapnr */
	static const unsigned offs[3][14] = {
		{ 0, 8, 12, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96 },
		{ 0, 4, 8, 12, 16, 20, 28, 32, 40, 44, 52, 56, 64, 72 },
		{ 0, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88 },
	};
	const unsigned *o = offs[m->word == 8 ? 0 : m->padded ? 2 : 1];
	uint64_t s = (uint64_t)1 << m->page_shift, text = s + 256;
	size_t len = m->vmcoreinfo ? strlen(m->vmcoreinfo) : 0;
	size_t note = text - 12 - 12;	/* header, padded name */

	need(b, 2 * s);
	if (m->version >= 1)
		put_uint(b, s + o[1], 31, 4, m->big);
	if (m->version >= 2 && m->split) {
		put_uint(b, s + o[2], 1, 4, m->big);
		put_uint(b, s + o[3], m->split_start, m->word, m->big);
		put_uint(b, s + o[4], m->split_end, m->word, m->big);
	}
	if (m->version >= 3 && len && !m->vmcoreinfo_in_notes) {
		put_uint(b, s + o[5], text, 8, m->big);
		put_uint(b, s + o[6], len, m->word, m->big);
	}
	if (m->version >= 4 && len) {
		put_uint(b, s + o[7], note, 8, m->big);
		put_uint(b, s + o[8], 24 + len, m->word, m->big);
		put_uint(b, note, 11, 4, m->big);
		put_uint(b, note + 4, len, 4, m->big);
		put_at(b, note + 12, "VMCOREINFO", 11);
	}
	if (m->version >= 6) {
		put_uint(b, s + o[11], m->split_start, 8, m->big);
		put_uint(b, s + o[12], m->split_end, 8, m->big);
		put_uint(b, s + o[13], m->max_pfn, 8, m->big);
	}
	if (len)
		put_at(b, text, m->vmcoreinfo, len);
}

static void put_desc(const struct mkimage *m, struct bytes *b, uint64_t at, uint64_t off,
		     size_t size, uint32_t flags)
{
	put_uint(b, at, off, 8, m->big);
	put_uint(b, at + 8, size, 4, m->big);
	put_uint(b, at + 12, flags, 4, m->big);
}

struct bytes mk_kdump(const struct mkimage *m)
{
	uint64_t block = (uint64_t)1 << m->page_shift, n = 0, at, off, zero;
	uint64_t blocks = ((m->max_pfn + 7) / 8 + block - 1) / block;
	uint64_t nmaps = m->one_bitmap ? 1 : 2, last = m->split ? m->split_end : m->max_pfn;
	uint8_t *page = malloc(block), *out = malloc(block * 2);
	struct bytes b = { 0 };

	put_head(m, &b, (uint32_t)(blocks * nmaps));
	if (!m->one_bitmap)
		put_sub(m, &b);
	at = (2 + blocks * nmaps) * block;
	need(&b, at);
	for (uint64_t pfn = 0; pfn < m->max_pfn; pfn++) {
		uint8_t bit = (uint8_t)(1u << pfn % 8);

		if (!m->one_bitmap)
			b.v[2 * block + pfn / 8] |= bit;
		if (mk_has(m, pfn))
			b.v[(2 + (nmaps - 1) * blocks) * block + pfn / 8] |= bit;
	}
	for (uint64_t pfn = m->split_start; pfn < last; pfn++)
		n += mk_has(m, pfn);
	/* the page of zeros comes first, if there is one */
	zero = off = at + n * 24;
	memset(page, 0, block);
	put_at(&b, zero, page, block);
	off += block;
	for (uint64_t pfn = m->split_start; pfn < last; pfn++) {
		size_t size;

		if (!mk_has(m, pfn))
			continue;
		mk_page(m, pfn, page);
		size = squeeze(m->compress, page, block, out);
		if (is_zero(page, block)) {
			put_desc(m, &b, at, zero, block, 0);
		} else {
			put_desc(m, &b, at, off, size ? size : block, size ? m->compress : 0);
			put_at(&b, off, size ? out : page, size ? size : block);
			off += size ? size : block;
		}
		at += 24;
	}
	free(page);
	free(out);
	return b;
}

/* ---- ELF -------------------------------------------------------------- */

static void put_ehdr(const struct mkimage *m, struct bytes *b, uint64_t phoff, uint64_t shoff,
		     unsigned phnum)
{
	bool is64 = m->word == 8;
	unsigned phent = is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	unsigned shent = is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	bool xnum = m->xnum || phnum >= PN_XNUM;
	unsigned at = 16 + 2 + 2 + 4 + m->word, ehsize = at + 2 * m->word + 4 + 12;

	need(b, ehsize);
	put_at(b, 0, ELFMAG, SELFMAG);
	b->v[EI_CLASS] = is64 ? ELFCLASS64 : ELFCLASS32;
	b->v[EI_DATA] = m->big ? ELFDATA2MSB : ELFDATA2LSB;
	b->v[EI_VERSION] = EV_CURRENT;
	put_uint(b, 16, ET_CORE, 2, m->big);
	put_uint(b, 18, m->elf_machine, 2, m->big);
	put_uint(b, 20, EV_CURRENT, 4, m->big);
	put_uint(b, at, phoff, m->word, m->big);
	put_uint(b, at + m->word, shoff, m->word, m->big);
	at += 2 * m->word + 4;
	put_uint(b, at, m->sections_first ? 8 : ehsize, 2, m->big);
	put_uint(b, at + 2, phent, 2, m->big);
	put_uint(b, at + 4, xnum ? PN_XNUM : phnum, 2, m->big);
	put_uint(b, at + 6, shent, 2, m->big);
	put_uint(b, at + 8, 1, 2, m->big);
	if (xnum)
		put_uint(b, shoff + (is64 ? 44 : 28), phnum, 4, m->big);
}

static void put_phdr(const struct mkimage *m, struct bytes *b, uint64_t at, uint32_t type,
		     uint64_t off, uint64_t pa, uint64_t filesz, uint64_t memsz)
{
	bool is64 = m->word == 8;
	uint64_t f[6] = { off, 0, pa, filesz, memsz, 0 };

	put_uint(b, at, type, 4, m->big);
	at += is64 ? 8 : 4;
	for (unsigned i = 0; i < 5; i++, at += m->word)
		put_uint(b, at, f[i], m->word, m->big);
}

/* Runs of present pages, ascending; the last entry is the end of memory. */
static uint64_t *find_runs(const struct mkimage *m, unsigned *n)
{
	uint64_t *v = NULL, first = 0, len;

	for (*n = 0; (len = mk_run(m, &first)); first += len, ++*n) {
		v = realloc(v, (*n + 2) * sizeof(*v));
		if (!v)
			abort();
		v[*n] = first;
	}
	if (v)
		v[*n] = m->max_pfn;
	return v;
}

struct bytes mk_elf(const struct mkimage *m)
{
	uint64_t size = (uint64_t)1 << m->page_shift;
	unsigned phent = m->word == 8 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), nruns, i = 1;
	uint64_t *run = find_runs(m, &nruns);
	unsigned phnum = 1 + nruns;
	uint64_t phoff = m->sections_first ? 192 : m->word == 8 ? 64 : 52;
	uint64_t shoff = m->sections_first ? 64 : phoff + phnum * phent;
	uint64_t off = 192 + (uint64_t)phnum * phent + 128;
	size_t len = m->vmcoreinfo ? strlen(m->vmcoreinfo) : 0;
	uint8_t *page = malloc(size);
	struct bytes b = { 0 };

	put_ehdr(m, &b, phoff, shoff, phnum);
	put_phdr(m, &b, phoff, PT_NOTE, off, 0, 24 + len, 24 + len);
	put_uint(&b, off, 11, 4, m->big);
	put_uint(&b, off + 4, len, 4, m->big);
	put_at(&b, off + 12, "VMCOREINFO", 11);
	if (len)
		put_at(&b, off + 24, m->vmcoreinfo, len);
	off += 24 + len;
	/* highest first; the hole after each is p_memsz */
	for (unsigned r = nruns; r-- > 0; i++) {
		uint64_t first = run[r], n = mk_run(m, &first);

		put_phdr(m, &b, phoff + i * phent, PT_LOAD, off, first * size, n * size,
			 (run[r + 1] - first) * size);
		for (uint64_t pfn = first; pfn < first + n; pfn++, off += size) {
			mk_page(m, pfn, page);
			put_at(&b, off, page, size);
		}
	}
	free(page);
	free(run);
	return b;
}

/* ---- flattened -------------------------------------------------------- */

static uint64_t put_record(struct bytes *f, uint64_t at, uint64_t off, const void *p, size_t n)
{
	put_uint(f, at, off, 8, true);
	put_uint(f, at + 8, n, 8, true);
	put_at(f, at + 16, p, n);
	return at + 16 + n;
}

struct bytes mk_flat(const struct bytes *b, size_t chunk)
{
	struct bytes f = { 0 };
	uint64_t at = 4096;
	uint8_t wrong[64];

	memset(wrong, 0xee, sizeof(wrong));
	put_at(&f, 0, "makedumpfile", 12);
	put_uint(&f, 16, 1, 8, true);
	put_uint(&f, 24, 1, 8, true);
	at = put_record(&f, at, 0, wrong, min_u64(sizeof(wrong), b->n));
	for (size_t off = 0; off < b->n; off += chunk) {
		size_t n = min_u64(chunk, b->n - off);

		/* the first chunk is written last */
		if (off)
			at = put_record(&f, at, off, b->v + off, n);
	}
	at = put_record(&f, at, 0, b->v, min_u64(chunk, b->n));
	put_uint(&f, at, UINT64_MAX, 8, true);
	put_uint(&f, at + 8, UINT64_MAX, 8, true);
	return f;
}
