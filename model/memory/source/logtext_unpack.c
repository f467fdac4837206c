/* SPDX-License-Identifier: GPL-3.0-or-later */
/* logtext_unpack.c - each library behind the same three functions. */
#include "model/memory/source/logtext_unpack.h"

#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"

#define XZ_MEMORY (UINT64_C(128) << 20)	/* xz -9 needs 65 MiB */
#define SMALL_LOG (UINT64_C(64) << 20)
#define LARGE_LOG (UINT64_C(16) << 30)
#define RATIO 256u			/* of repeated lines xz makes 1/150 */
#define FIRST (UINT64_C(1) << 20)

struct stream {
	const uint8_t *in;
	size_t nin;
	uint8_t *out;
	size_t nout;
	union {
		z_stream gz;
		lzma_stream xz;
		ZSTD_DStream *zst;
	} of;
};

enum step { STEP_MORE, STEP_END, STEP_BAD };

struct packing {
	uint8_t len;
	const char *magic;
	bool (*begin)(struct stream *s);
	enum step (*step)(struct stream *s);	/* takes of in, gives to out */
	void (*end)(struct stream *s);
};

/* ---- gzip -------------------------------------------------------------------------------------- */

static bool gz_begin(struct stream *s)
{
	return inflateInit2(&s->of.gz, 16 + MAX_WBITS) == Z_OK;
}

static enum step gz_step(struct stream *s)
{
	z_stream *z = &s->of.gz;
	uInt nin = (uInt)min_u64(s->nin, UINT_MAX), nout = (uInt)min_u64(s->nout, UINT_MAX);
	int st;

	z->next_in = (Bytef *)s->in;
	z->avail_in = nin;
	z->next_out = s->out;
	z->avail_out = nout;
	st = inflate(z, Z_NO_FLUSH);
	s->in += nin - z->avail_in;
	s->nin -= nin - z->avail_in;
	s->out += nout - z->avail_out;
	s->nout -= nout - z->avail_out;
	if (st != Z_STREAM_END)
		return st == Z_OK ? STEP_MORE : STEP_BAD;
	/* another file behind it; what is none is left alone, as gzip does with zeros */
	if (s->nin < 2 || s->in[0] != 0x1f || s->in[1] != 0x8b)
		return STEP_END;
	return inflateReset(z) == Z_OK ? STEP_MORE : STEP_BAD;
}

static void gz_end(struct stream *s)
{
	inflateEnd(&s->of.gz);
}

/* ---- xz ---------------------------------------------------------------------------------------- */

static bool xz_begin(struct stream *s)
{
	s->of.xz = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&s->of.xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
}

static enum step xz_step(struct stream *s)
{
	lzma_stream *z = &s->of.xz;
	lzma_ret st;

	z->next_in = s->in;
	z->avail_in = s->nin;
	z->next_out = s->out;
	z->avail_out = s->nout;
	st = lzma_code(z, LZMA_FINISH);
	s->in = z->next_in;
	s->nin = z->avail_in;
	s->out = z->next_out;
	s->nout = z->avail_out;
	return st == LZMA_OK ? STEP_MORE : st == LZMA_STREAM_END ? STEP_END : STEP_BAD;
}

static void xz_end(struct stream *s)
{
	lzma_end(&s->of.xz);
}

/* ---- zstd -------------------------------------------------------------------------------------- */

static bool zst_begin(struct stream *s)
{
	s->of.zst = ZSTD_createDStream();
	return s->of.zst && !ZSTD_isError(ZSTD_initDStream(s->of.zst));
}

static enum step zst_step(struct stream *s)
{
	ZSTD_inBuffer in = { s->in, s->nin, 0 };
	ZSTD_outBuffer out = { s->out, s->nout, 0 };
	size_t left = ZSTD_decompressStream(s->of.zst, &out, &in);
	bool stuck = !in.pos && !out.pos;

	s->in += in.pos;
	s->nin -= in.pos;
	s->out += out.pos;
	s->nout -= out.pos;
	if (ZSTD_isError(left))
		return STEP_BAD;
	if (!left && !s->nin)
		return STEP_END;
	return stuck ? STEP_BAD : STEP_MORE;
}

static void zst_end(struct stream *s)
{
	ZSTD_freeDStream(s->of.zst);
}

/* ---- any ----------------------------------------------------------------------------------------- */

static const struct packing packings[] = {
	{ 2, "\x1f\x8b", gz_begin, gz_step, gz_end },
	{ 6, "\xfd" "7zXZ\0", xz_begin, xz_step, xz_end },
	{ 4, "\x28\xb5\x2f\xfd", zst_begin, zst_step, zst_end },
};

static const struct packing *packing_of(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(packings); i++)
		if (n > packings[i].len && !memcmp(head, packings[i].magic, packings[i].len))
			return &packings[i];
	return NULL;
}

bool log_is_packed(const uint8_t *head, size_t n)
{
	return packing_of(head, n) != NULL;
}

size_t log_unpack_max(uint64_t len)
{
	return min_u64(max_u64(SMALL_LOG, min_u64(len, LARGE_LOG) * RATIO), LARGE_LOG);
}

/* Room for more: at least one byte of what is allowed, and one behind that. */
static void make_room(struct stream *s, struct unpacked *to, size_t *room, size_t max)
{
	if (s->nout)
		return;
	*room = min_u64(*room ? *room * 2 : FIRST, max);
	to->data = heap_got(realloc(to->data, *room + 1), *room + 1);
	s->out = to->data + to->len;
	s->nout = *room - to->len;
}

enum status log_unpack(const uint8_t *in, size_t len, size_t max, struct unpacked *ret)
{
	const struct packing *p = packing_of(in, len);
	struct stream s = { .in = in, .nin = len };
	enum step step = STEP_MORE;
	size_t room = 0;

	*ret = (struct unpacked){ 0 };
	if (!p || !p->begin(&s))
		return ST_NOTMINE;
	while (step == STEP_MORE && (!ret->data || ret->len < max)) {
		make_room(&s, ret, &room, max);
		step = p->step(&s);
		ret->len = (size_t)(s.out - ret->data);
	}
	p->end(&s);
	ret->cut = step == STEP_BAD;
	if (step == STEP_MORE)
		return ST_LIMIT;
	if (ret->len)
		return ST_OK;
	free(ret->data);
	ret->data = NULL;
	return ST_NOTMINE;
}
