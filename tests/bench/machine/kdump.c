/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kdump.c - struct disk_dump_header, kdump_sub_header, bitmaps, page descriptors, pages:
 * makedumpfile's IMPLEMENTATION.
 *
 * Descriptors of equal pages name the same data. A hole of a sparse file stands for zeros
 * in the bitmaps. The first bitmap, which says what is memory, is written for machines of
 * up to 1 TiB: it is all ones, and only the crash utility looks at it.
 */
#include "tests/bench/machine/kdump.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "dumpread/base/jobs.h"
#include "tests/bench/machine/memory.h"

#define SUB_BLOCKS 2		/* the sub-header, and the notes after it */
#define PRSTATUS 336		/* bytes */
#define INFO_AT (20 + PRSTATUS + 24)	/* VMCOREINFO in the notes */
#define DESC 24
#define FLAG_ZLIB 1		/* of the status, and of descriptors */
#define FLAG_ZSTD 0x20
#define EXCLUDED_VMEMMAP 0x10	/* of the status: makedumpfile -e */
#define BATCH 512		/* pages that a thread takes at a time */
#define BATCHES 64		/* before they are written */

struct file_desc {
	uint64_t off;
	uint32_t size, flags;
	uint64_t page_flags;
};

_Static_assert(sizeof(struct file_desc) == DESC, "as in the file");

struct run {
	uint64_t pfn, n, first;		/* first: number of its first page in the file */
};

struct batch {
	uint8_t *data;
	size_t len;
	unsigned n;
	struct file_desc desc[BATCH];	/* offsets: in data */
	unsigned twin[BATCH];		/* of pages that are not in data unless they are the first */
	ZSTD_CCtx *zstd;
	z_stream zlib;			/* its memory costs more than a page */
	bool zlib_ready;
};

struct writer {
	const struct machine *m;
	int fd;
	struct run *runs;		/* dumped pages, ascending */
	size_t nruns, cap;
	uint64_t pages;
	uint64_t first;			/* page of the batches now */
	uint64_t desc_off, data_off;
	struct batch *batch;
	struct file_desc twin[TWINS];
};

static void put(const struct writer *w, const void *p, size_t n, uint64_t off)
{
	for (ssize_t got; n; n -= (size_t)got, off += (size_t)got) {
		got = pwrite(w->fd, p, n, (off_t)off);
		if (got <= 0)
			die("cannot write");
		p = (const uint8_t *)p + got;
	}
}

static void set32(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

static void set64(uint8_t *at, uint64_t v)
{
	memcpy(at, &v, sizeof(v));
}

/* ---- which pages ------------------------------------------------------------------ */

static void add_run(struct writer *w, uint64_t pfn, uint64_t n)
{
	struct run *last = w->nruns ? &w->runs[w->nruns - 1] : NULL;

	if (last && last->pfn + last->n == pfn) {
		last->n += n;
	} else {
		if (w->nruns == w->cap) {
			w->cap = w->cap ? 2 * w->cap : 64;
			w->runs = realloc(w->runs, w->cap * sizeof(*w->runs));
			if (!w->runs)
				die("no memory");
		}
		w->runs[w->nruns++] = (struct run){ pfn, n, w->pages };
	}
	w->pages += n;
}

/* Is one of the frames that the page of struct pages at PFN describes in the dump? */
static bool describes_dumped(const struct machine *m, uint64_t pfn)
{
	uint64_t first = described_by(m, pfn);
	const struct extent *x = extent_of(&m->all, first);

	for (; x < m->all.v + m->all.n && x->pfn < first + PAGES_A_PAGE; x++)
		if (x->part < PARTS_DUMPED)
			return true;
	return false;
}

static void choose_pages(struct writer *w)
{
	const struct machine *m = w->m;

	for (size_t i = 0; i < m->all.n; i++) {
		const struct extent *x = &m->all.v[i];
		bool describes = x->part == PART_VMEMMAP || x->part == PART_HEADS;

		if (x->part >= PARTS_DUMPED)
			continue;
		if (!describes || !m->size.excluded) {
			add_run(w, x->pfn, x->n);
			continue;
		}
		for (uint64_t pfn = x->pfn; pfn < x->pfn + x->n; pfn++)
			if (describes_dumped(m, pfn))
				add_run(w, pfn, 1);
	}
}

/* ---- headers ------------------------------------------------------------------------ */

/* init_top_pgt is not in a real one; libkdumpfile 0.5.1, hence drgn, looks for it. */
static size_t vmcoreinfo(char *buf, size_t size, const char *build_id)
{
	uint64_t pgt = image_symbol("init_top_pgt");

	return (size_t)
		snprintf(buf, size,
			 "OSRELEASE=6.0.0-bench\nBUILD-ID=%s\nPAGESIZE=%u\n"
			 "SYMBOL(init_uts_ns)=%" PRIx64 "\nSYMBOL(swapper_pg_dir)=%" PRIx64 "\n"
			 "SYMBOL(init_top_pgt)=%" PRIx64 "\nSYMBOL(_stext)=%" PRIx64 "\n"
			 "SYMBOL(mem_section)=%" PRIx64 "\n"
			 "NUMBER(SECTION_SIZE_BITS)=27\nNUMBER(MAX_PHYSMEM_BITS)=46\n"
			 "NUMBER(phys_base)=%u\nNUMBER(pgtable_l5_enabled)=0\nNUMBER(sme_mask)=0\n"
			 "KERNELOFFSET=0\n",
			 build_id, PAGE, image_symbol("init_uts_ns"), pgt, pgt, TEXT,
			 image_symbol("mem_section"), PHYS_BASE);
}

static void put_headers(const struct writer *w, uint64_t bitmap_blocks, const char *build_id)
{
	const struct machine *m = w->m;
	uint8_t head[PAGE] = "KDUMP   ", sub[PAGE] = { 0 };
	char notes[PAGE] = { [12] = 'C', 'O', 'R', 'E' };
	uint8_t *prstatus = (uint8_t *)notes, *info = prstatus + 20 + PRSTATUS;
	size_t len = vmcoreinfo(notes + INFO_AT, sizeof(notes) - INFO_AT, build_id);

	set32(prstatus, 5);
	set32(prstatus + 4, PRSTATUS);
	set32(prstatus + 8, 1); /* NT_PRSTATUS */
	set32(info, 11);
	set32(info + 4, (uint32_t)len);
	memcpy(info + 12, "VMCOREINFO", 11);
	set32(head + 8, 6);
	memcpy(head + 12, m->image.bytes + (image_symbol("init_uts_ns") - TEXT),
	       sizeof(struct new_utsname));
	set64(head + 408, 1700000000);
	set32(head + 424,
	      (m->size.zstd ? FLAG_ZSTD : FLAG_ZLIB) | (m->size.excluded ? EXCLUDED_VMEMMAP : 0));
	set32(head + 428, PAGE);
	set32(head + 432, SUB_BLOCKS);
	set32(head + 436, (uint32_t)bitmap_blocks);
	set32(head + 440, m->frames > UINT32_MAX ? UINT32_MAX : (uint32_t)m->frames);
	set32(head + 460, 1);
	set64(sub, PHYS_BASE);
	set32(sub + 8, 31); /* the dump level */
	set64(sub + 32, 2 * PAGE + INFO_AT);
	set64(sub + 40, len);
	set64(sub + 48, 2 * PAGE);
	set64(sub + 56, INFO_AT + (len + 3) / 4 * 4);
	set64(sub + 96, m->frames);
	put(w, head, PAGE, 0);
	put(w, sub, PAGE, PAGE);
	put(w, notes, PAGE, 2 * PAGE);
}

/* Bits of RUNS; a block without any is not written. */
static void put_bitmap(const struct writer *w, const struct run *runs, size_t n, uint64_t off)
{
	const uint64_t per_block = UINT64_C(8) * PAGE;
	uint8_t bits[PAGE] = { 0 };
	uint64_t block = 0;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		for (uint64_t pfn = runs[i].pfn; pfn < runs[i].pfn + runs[i].n; pfn++) {
			if (any && pfn / per_block != block) {
				put(w, bits, PAGE, off + block * PAGE);
				memset(bits, 0, PAGE);
			}
			block = pfn / per_block;
			bits[pfn / 8 % PAGE] |= (uint8_t)(1 << pfn % 8);
			any = true;
		}
	}
	if (any)
		put(w, bits, PAGE, off + block * PAGE);
}

static void put_bitmaps(const struct writer *w, uint64_t bitmap_blocks)
{
	const struct machine *m = w->m;
	uint64_t off = (1 + SUB_BLOCKS) * PAGE;
	struct run nodes[BENCH_NODES];

	for (unsigned i = 0; i < m->size.nodes; i++)
		nodes[i] = (struct run){ m->node[i].start, m->node[i].end - m->node[i].start, 0 };
	if (m->frames <= UINT64_C(1) << 28)
		put_bitmap(w, nodes, m->size.nodes, off);
	put_bitmap(w, w->runs, w->nruns, off + bitmap_blocks / 2 * PAGE);
}

/* ---- pages ---------------------------------------------------------------------------- */

static size_t run_zlib(struct batch *b, const uint8_t *page, uint8_t *out)
{
	z_stream *z = &b->zlib;

	if (b->zlib_ready ? deflateReset(z) : deflateInit(z, Z_BEST_SPEED))
		die("zlib");
	b->zlib_ready = true;
	z->next_in = (z_const Bytef *)page;
	z->avail_in = PAGE;
	z->next_out = out;
	z->avail_out = 2 * PAGE;
	if (deflate(z, Z_FINISH) != Z_STREAM_END)
		die("zlib");
	return 2 * PAGE - z->avail_out;
}

static size_t run_zstd(struct batch *b, const uint8_t *page, uint8_t *out)
{
	size_t len;

	if (!b->zstd)
		b->zstd = ZSTD_createCCtx();
	len = ZSTD_compressCCtx(b->zstd, out, (size_t)2 * PAGE, page, PAGE, 1);
	if (ZSTD_isError(len))
		die("zstd");
	return len;
}

/* OUT has room for two pages. Returns the size, *FLAGS the compressor. */
static uint32_t pack(const struct machine *m, struct batch *b, const uint8_t *page, uint8_t *out,
		     uint32_t *flags)
{
	size_t len = m->size.zstd ? run_zstd(b, page, out) : run_zlib(b, page, out);

	*flags = m->size.zstd ? FLAG_ZSTD : FLAG_ZLIB;
	if (len < PAGE)
		return (uint32_t)len;
	memcpy(out, page, PAGE);
	*flags = 0;
	return PAGE;
}

static uint64_t nth_page(const struct writer *w, uint64_t i)
{
	size_t lo = 0, hi = w->nruns;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (w->runs[mid].first <= i)
			lo = mid;
		else
			hi = mid;
	}
	return w->runs[lo].pfn + (i - w->runs[lo].first);
}

/* Pages of one batch. Neighbours that are equal share their data at once. */
static void fill_batch(void *arg, unsigned worker, size_t item)
{
	struct writer *w = arg;
	struct batch *b = &w->batch[item];
	uint64_t first = w->first + item * BATCH;
	uint8_t page[2][PAGE] __attribute__((aligned(8))), packed[2 * PAGE];
	unsigned now = 0;
	int last = -1; /* the page in page[!now] */

	(void)worker;
	b->len = 0;
	b->n = (unsigned)(w->pages - first < BATCH ? w->pages - first : BATCH);
	for (unsigned i = 0; i < b->n; i++) {
		uint64_t pfn = nth_page(w, first + i);
		struct file_desc *d = &b->desc[i];

		b->twin[i] = twin_of(w->m, pfn);
		if (b->twin[i] && (w->twin[b->twin[i]].size || (i && b->twin[i] == b->twin[i - 1])))
			continue;
		fill_page(w->m, pfn, page[now]);
		if (last >= 0 && !memcmp(page[0], page[1], PAGE)) {
			*d = b->desc[last];
			continue;
		}
		d->size = pack(w->m, b, page[now], packed, &d->flags);
		d->off = b->len;
		memcpy(b->data + b->len, packed, d->size);
		b->len += d->size;
		last = (int)i;
		now = !now;
	}
}

/* Offsets in the file; the first of the twins keeps its data. */
static void place_batch(struct writer *w, struct batch *b)
{
	for (unsigned i = 0; i < b->n; i++) {
		struct file_desc *twin = b->twin[i] ? &w->twin[b->twin[i]] : NULL;

		if (twin && twin->size) {
			b->desc[i] = *twin;
			continue;
		}
		b->desc[i].off += w->data_off;
		if (twin)
			*twin = b->desc[i];
	}
}

static void put_pages(struct writer *w)
{
	w->batch = alloc(BATCHES * sizeof(*w->batch));
	for (unsigned i = 0; i < BATCHES; i++)
		w->batch[i].data = alloc((size_t)BATCH * PAGE);
	for (; w->first < w->pages; w->first += (uint64_t)BATCH * BATCHES) {
		uint64_t left = up(w->pages - w->first, BATCH);
		unsigned n = (unsigned)(left < BATCHES ? left : BATCHES);

		jobs_run(jobs_default(), n, fill_batch, w);
		for (unsigned i = 0; i < n; i++) {
			struct batch *b = &w->batch[i];

			place_batch(w, b);
			put(w, b->data, b->len, w->data_off);
			put(w, b->desc, b->n * sizeof(*b->desc),
			    w->desc_off + (w->first + (uint64_t)i * BATCH) * DESC);
			w->data_off += b->len;
		}
	}
	for (unsigned i = 0; i < BATCHES; i++) {
		free(w->batch[i].data);
		ZSTD_freeCCtx(w->batch[i].zstd);
		if (w->batch[i].zlib_ready)
			deflateEnd(&w->batch[i].zlib);
	}
	free(w->batch);
}

uint64_t kdump_write(const struct machine *m, const char *path, const char *build_id)
{
	struct writer *w = alloc(sizeof(*w));
	uint64_t bitmap_blocks = 2 * up(m->frames, UINT64_C(8) * PAGE), pages;

	w->m = m;
	w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (w->fd < 0)
		die("cannot write there");
	choose_pages(w);
	put_headers(w, bitmap_blocks, build_id);
	put_bitmaps(w, bitmap_blocks);
	w->desc_off = (1 + SUB_BLOCKS + bitmap_blocks) * PAGE;
	w->data_off = w->desc_off + w->pages * DESC;
	put_pages(w);
	if (close(w->fd))
		die("cannot write");
	pages = w->pages;
	free(w->runs);
	free(w);
	return pages;
}
