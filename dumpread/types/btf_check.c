/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Format (Documentation/bpf/btf.rst; include/uapi/linux/btf.h):
 *
 *   header    u16 magic 0xeb9f, u8 version 1, u8 flags, u32 hdr_len,
 *             u32 type_off, type_len, str_off, str_len
 *             [, layout_off, layout_len since 7.1: hdr_len 32]
 *   types     from id 1 on: u32 name_off, u32 info, u32 size or type id, then
 *             by kind a fixed part and vlen elements, all in units of u32
 *   info      vlen bits 0-15, kind 24-28, kind flag 31; since 7.1 vlen is bits
 *             0-23 and kind 24-30 (the added bits were 0 before)
 *   layout    for each kind: u8 bytes of the fixed part, u8 bytes of one
 *             element, u16 flags
 *   strings   NUL-terminated, the first is ""
 */
#include "dumpread/types/btf_check.h"

#include <assert.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/types/btf_blob.h"

#define HDR_LEN 24u			/* of the header that libbpf 1.1 takes */
#define HDR_LEN_MAX 4096u
#define KNOWN_KINDS (BTF_KIND_ENUM64 + 1u)
#define LIBBPF_VLEN 0xffffu		/* libbpf 1.1 takes 16 bits of vlen */
#define MAX_INT 16u			/* bytes */

static const struct btf_shape shapes[KNOWN_KINDS] = {
	[BTF_KIND_INT] = { 1, 0, true, true, false },
	[BTF_KIND_PTR] = { 0, 0, true, true, true },
	[BTF_KIND_ARRAY] = { 3, 0, true, true, false },
	[BTF_KIND_STRUCT] = { 0, 3, true, true, false },
	[BTF_KIND_UNION] = { 0, 3, true, true, false },
	[BTF_KIND_ENUM] = { 0, 2, true, true, false },
	[BTF_KIND_FWD] = { 0, 0, true, false, false },
	[BTF_KIND_TYPEDEF] = { 0, 0, true, true, true },
	[BTF_KIND_VOLATILE] = { 0, 0, true, true, true },
	[BTF_KIND_CONST] = { 0, 0, true, true, true },
	[BTF_KIND_RESTRICT] = { 0, 0, true, true, true },
	[BTF_KIND_FUNC] = { 0, 0, true, false, true },
	[BTF_KIND_FUNC_PROTO] = { 0, 2, true, false, true },
	[BTF_KIND_VAR] = { 1, 0, true, false, true },
	[BTF_KIND_DATASEC] = { 0, 3, true, false, false },
	[BTF_KIND_FLOAT] = { 0, 0, true, true, false },
	[BTF_KIND_DECL_TAG] = { 1, 0, true, false, true },
	[BTF_KIND_TYPE_TAG] = { 0, 0, true, true, true },
	[BTF_KIND_ENUM64] = { 0, 3, true, true, false },
};

bool btf_sniff(const uint8_t *data, size_t len, bool *big)
{
	uint32_t head;
	bool b;

	if (len < HDR_LEN)
		return false;
	head = load32(data, false) & BTF_HEAD;
	b = head == BTF_BIG;
	if (!b && head != BTF_LITTLE)
		return false;
	if (load32(data + 4, b) < HDR_LEN || load32(data + 4, b) > HDR_LEN_MAX)
		return false;
	if (big)
		*big = b;
	return true;
}

size_t btf_extent(const uint8_t *data, size_t len)
{
	uint64_t end = 0;
	uint32_t hdr_len;
	bool big;

	if (!btf_sniff(data, len, &big))
		return 0;
	hdr_len = load32(data + 4, big);
	for (unsigned at = 8; at + 8 <= (hdr_len >= 32 ? 32 : HDR_LEN) && at + 8 <= len; at += 8)
		end = max_u64(end, (uint64_t)hdr_len + load32(data + at, big) +
					   load32(data + at + 4, big));
	return end > BTF_MAX_BYTES ? 0 : (size_t)end;
}

/* Is [off, off + n) inside the LEN bytes after the header? */
static bool section_ok(uint64_t off, uint64_t n, uint64_t len)
{
	return off <= len && n <= len - off;
}

/* Shapes of kinds that came after this table was written. */
static bool read_layout(struct btf_blob *b, const uint8_t *p, uint32_t bytes)
{
	for (uint32_t k = KNOWN_KINDS; k < BTF_KINDS && (k + 1) * 4 <= bytes; k++) {
		uint8_t fixed = p[4 * k], element = p[4 * k + 1];

		if (fixed % 4 || element % 4)
			return false;
		b->shape[k] = (struct btf_shape){ fixed / 4, element / 4, true, false, false };
	}
	return true;
}

/* The shapes of all kinds; BODY: bytes after the header. */
static enum status read_kinds(struct btf_blob *b, const uint8_t *data, uint32_t hdr_len,
			      size_t body, bool big)
{
	uint32_t off, n;

	memcpy(b->shape, shapes, sizeof(shapes));
	if (hdr_len < 32)
		return ST_OK;
	off = load32(data + 24, big);
	n = load32(data + 28, big);
	if (!section_ok(off, n, body) || !read_layout(b, data + hdr_len + off, n))
		return fail(b->diag, ST_CORRUPT, "BTF: bad layout section");
	return ST_OK;
}

/* Names that could not be read are not those that anybody asks for. */
static void mark_lost_names(struct btf_blob *b, const struct holes *holes)
{
	size_t end = b->strs_at + b->str_len;

	for (unsigned i = 0; i < holes->n; i++) {
		size_t from = max_u64(holes->v[i].from, b->strs_at),
		       to = min_u64(holes->v[i].to, end);

		if (from < to)
			memset(b->strs + (from - b->strs_at), BTF_LOST_CHAR, to - from);
	}
	/* the first string is "", the last ends here */
	if (holes->n && b->str_len) {
		if (b->strs[0] == BTF_LOST_CHAR)
			b->strs[0] = '\0';
		if (b->strs[b->str_len - 1] == BTF_LOST_CHAR)
			b->strs[b->str_len - 1] = '\0';
	}
}

static enum status read_header(struct btf_blob *b, uint8_t *data, size_t len,
			       const struct holes *holes, bool *big)
{
	uint32_t hdr_len, type_off, type_len, str_off;
	size_t body;

	if (!btf_sniff(data, len, big))
		return fail(b->diag, ST_CORRUPT, "BTF: no valid header");
	hdr_len = load32(data + 4, *big);
	type_off = load32(data + 8, *big);
	type_len = load32(data + 12, *big);
	str_off = load32(data + 16, *big);
	b->str_len = load32(data + 20, *big);
	body = hdr_len <= len ? len - hdr_len : 0;
	/* close_up() moves types, then strings, to the front */
	if (hdr_len % 4 || type_off % 4 || type_len % 4 || !section_ok(type_off, type_len, body) ||
	    !section_ok(str_off, b->str_len, body) || type_off + type_len > str_off)
		return fail(b->diag, ST_CORRUPT, "BTF: sections outside of its %zu bytes", len);
	b->types_at = hdr_len + type_off;
	b->strs_at = hdr_len + str_off;
	b->types = (uint32_t *)(void *)(data + b->types_at);
	b->ntypes_words = type_len / 4;
	b->strs = (char *)data + b->strs_at;
	if (holes)
		mark_lost_names(b, holes);
	if (!b->str_len || (!b->base.ntypes && b->strs[0]) || b->strs[b->str_len - 1])
		return fail(b->diag, ST_CORRUPT, "BTF: strings are not terminated");
	return read_kinds(b, data, hdr_len, body, *big);
}

/* Every field of the type section is a u32. */
static void swap_types(struct btf_blob *b)
{
	for (size_t i = 0; i < b->ntypes_words; i++)
		b->types[i] = __builtin_bswap32(b->types[i]);
}

bool btf_size_ok(uint32_t kind, uint32_t size)
{
	bool power = size && !(size & (size - 1));

	switch (kind) {
	case BTF_KIND_INT: return power && size <= MAX_INT;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return power && size <= 8;
	}
	return true;
}

bool btf_name_ok(const struct btf_blob *b, uint32_t off)
{
	return off < b->base.str_len || off - b->base.str_len < b->str_len;
}

/* Are the names of the VLEN elements of WORDS each, name first, in bounds? */
static bool names_ok(const struct btf_blob *b, const uint32_t *e, uint32_t vlen, unsigned words)
{
	for (uint32_t i = 0; i < vlen; i++, e += words)
		if (!btf_name_ok(b, e[0]))
			return false;
	return true;
}

/*
 * Check the type at T, of WORDS words, and move it to OUT; returns its words
 * there. 0: corrupt.
 */
static size_t take_type(const struct btf_blob *b, uint32_t *out, const uint32_t *t, size_t words)
{
	uint32_t kind = BTF_KIND_OF(t[1]), vlen = BTF_VLEN(t[1]);
	const struct btf_shape *s = &b->shape[kind];

	/*
	 * No kernel type that holds layout has more than LIBBPF_VLEN members;
	 * sections may, and hold none.
	 */
	if (!s->kept || vlen > LIBBPF_VLEN) {
		memmove(out, (uint32_t[3]){ 0, BTF_INERT, 0 }, 12);
		return 3;
	}
	if (!btf_name_ok(b, t[0]) || !btf_size_ok(kind, t[2]))
		return 0;
	if (s->element && !names_ok(b, t + 3, vlen, s->element))
		return 0;
	memmove(out, t, words * 4);
	if (!s->element)
		out[1] &= ~0xffffffu;
	return words;
}

/* First pass: step over all types, check each by itself, compact. */
static enum status take_types(struct btf_blob *b)
{
	size_t in = 0, out = 0;

	while (in < b->ntypes_words) {
		const uint32_t *t = b->types + in;
		size_t words = 3, left = b->ntypes_words - in, n;
		const struct btf_shape *s;

		if (left < words)
			return fail(b->diag, ST_CORRUPT, "BTF: types end inside of a type");
		s = &b->shape[BTF_KIND_OF(t[1])];
		if (!s->known)
			return fail(b->diag, ST_UNSUPPORTED, "BTF: type %u is of unknown kind %u",
				    b->ntypes + 1, BTF_KIND_OF(t[1]));
		words += s->fixed + (size_t)s->element * BTF_VLEN(t[1]);
		if (words > left)
			return fail(b->diag, ST_CORRUPT, "BTF: types end inside of a type");
		n = take_type(b, b->types + out, t, words);
		if (!n)
			return fail(b->diag, ST_CORRUPT, "BTF: type %u is damaged", b->ntypes + 1);
		if (++b->ntypes > BTF_MAX_TYPES)
			return fail(b->diag, ST_LIMIT, "BTF: more than %u types", BTF_MAX_TYPES);
		in += words;
		out += n;
	}
	b->nwords_out = out;
	return ST_OK;
}

/* A name that is lost ends where the next one begins that a type has, so that its length is known. */
static void end_lost_name(const struct btf_blob *b, uint32_t off)
{
	if (off && off < b->str_len && b->strs[off] == BTF_LOST_CHAR &&
	    b->strs[off - 1] == BTF_LOST_CHAR)
		b->strs[off - 1] = '\0';
}

static void end_lost_names(const struct btf_blob *b)
{
	const uint32_t *t = b->types;

	for (uint32_t id = 1; id <= b->ntypes; id++) {
		const struct btf_shape *s = &b->shape[BTF_KIND_OF(t[1])];
		const uint32_t *e = t + 3 + s->fixed;

		end_lost_name(b, t[0]);
		for (uint32_t i = 0; i < (s->element ? BTF_VLEN(t[1]) : 0); i++, e += s->element)
			end_lost_name(b, e[0]);
		t += 3 + s->fixed + (size_t)s->element * BTF_VLEN(t[1]);
	}
}

static bool type_ok(const struct btf_blob *b, uint32_t id)
{
	return id <= b->base.ntypes || id - b->base.ntypes <= b->ntypes;
}

static bool members_refer(const struct btf_blob *b, const uint32_t *t)
{
	for (uint32_t i = 0; i < BTF_VLEN(t[1]); i++)
		if (!type_ok(b, t[3 + 3 * i + 1]))
			return false;
	return true;
}

static bool refers_ok(const struct btf_blob *b, const uint32_t *t)
{
	switch (BTF_KIND_OF(t[1])) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return members_refer(b, t);
	case BTF_KIND_ARRAY: return type_ok(b, t[3]) && type_ok(b, t[4]);
	}
	return !b->shape[BTF_KIND_OF(t[1])].ref || type_ok(b, t[2]);
}

/*
 * Second pass: every reference leads to a type. Loops among them are left to
 * the walkers, which are bounded in depth (as libbpf's own are).
 */
static enum status check_references(struct btf_blob *b)
{
	const uint32_t *t = b->types;

	for (uint32_t id = 1; id <= b->ntypes; id++) {
		const struct btf_shape *s = &b->shape[BTF_KIND_OF(t[1])];

		if (!refers_ok(b, t))
			return fail(b->diag, ST_CORRUPT, "BTF: type %u refers to no type", id);
		t += 3 + s->fixed + (size_t)s->element * BTF_VLEN(t[1]);
	}
	return ST_OK;
}

/* Header, types and strings closed up, in this machine's byte order. */
static void close_up(const struct btf_blob *b, uint8_t *data, size_t *len)
{
	uint32_t type_len = (uint32_t)(b->nwords_out * 4);
	struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t hdr_len, type_off, type_len, str_off, str_len;
	} h = { BTF_MAGIC, BTF_VERSION, 0, HDR_LEN, 0, type_len, type_len, b->str_len };

	_Static_assert(sizeof(h) == HDR_LEN, "the header has no padding");
	assert(b->types && b->strs);
	memmove(data + HDR_LEN, b->types, type_len);
	memmove(data + HDR_LEN + type_len, b->strs, b->str_len);
	memcpy(data, &h, sizeof(h));
	*len = HDR_LEN + (size_t)type_len + b->str_len;
}

enum status btf_check(uint8_t *data, size_t *len, struct btf_base base, const struct holes *holes,
		      struct diag *diag)
{
	struct btf_blob b = { .diag = diag, .base = base };
	enum status st;
	bool big = false;

	if (*len > BTF_MAX_BYTES)
		return fail(diag, ST_LIMIT, "BTF: %zu bytes", *len);
	st = read_header(&b, data, *len, holes, &big);
	if (st)
		return st;
	if (big)
		swap_types(&b);
	if (holes && holes->n)
		btf_mend_types(&b, holes);
	st = take_types(&b);
	if (!st)
		st = check_references(&b);
	if (!st && holes && holes->n)
		end_lost_names(&b);
	if (!st)
		close_up(&b, data, len);
	return st;
}
