/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elfsymbols.c - reads the symbols that occupy memory.
 */
#include "model/memory/elf/elfsymbols.h"

#include <elf.h>
#include <lzma.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"

#define SYMBOLS_MAX (8u << 20)
#define NAME_MAX_LEN 65536u
#define DEBUGDATA_MAX (256u << 20)	/* bytes, unpacked */
#define XZ_MEMORY (64u << 20)

/* A symbol table being read. */
struct reading {
	struct arena *mem;
	struct elf_symbols *to;
	const char *names;
	uint64_t names_len;
};

static bool wanted(uint64_t shndx, uint64_t size, uint64_t value, unsigned type)
{
	return shndx != SHN_UNDEF && shndx != SHN_ABS && shndx != SHN_COMMON && size && value &&
	       (type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC ||
		type == STT_GNU_IFUNC);
}

static void add_symbol(struct reading *rd, uint64_t name, uint64_t value, uint64_t size,
		       unsigned info)
{
	unsigned type = info & 15, bind = info >> 4;
	struct elf_symbol *s;
	size_t len;

	if (name >= rd->names_len || !rd->names[name] || rd->to->n >= SYMBOLS_MAX)
		return;
	len = strnlen(rd->names + name, min_u64(rd->names_len - name, NAME_MAX_LEN));
	s = vec_push(rd->mem, rd->to);
	s->name = arena_strndup(rd->mem, rd->names + name, len);
	s->value = value;
	s->size = size;
	s->bind = bind == STB_LOCAL ? 'l' : bind == STB_WEAK ? 'w' : 'g';
	s->type = type == STT_OBJECT ? 'o' : type == STT_NOTYPE ? 'n' : 'f';
}

static void add_all(struct reading *rd, const struct elf_head *h, const uint8_t *p, uint64_t len)
{
	bool big = h->big_endian, wide = h->word == 8;
	size_t step = wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

	for (; len >= step; p += step, len -= step) {
		/* name, then 64 bits: info, other, shndx, value, size; 32: value, size,
		   info, other, shndx */
		uint64_t name = load_uint(p, 4, big);
		unsigned info = p[wide ? 4 : 12];
		uint64_t shndx = load_uint(p + (wide ? 6 : 14), 2, big);
		uint64_t value = load_uint(p + (wide ? 8 : 4), wide ? 8 : 4, big);
		uint64_t size = load_uint(p + (wide ? 16 : 8), wide ? 8 : 4, big);

		if (wanted(shndx, size, value, info & 15))
			add_symbol(rd, name, value, size, info);
	}
}

/* Adds the symbols of section NAME; false if there are none. */
static bool read_table(struct elf_image *e, const char *name, struct arena *mem,
		       struct elf_symbols *to)
{
	const struct elf_head *h = elf_head(e);
	const struct elf_section *s = elf_section(e, name), *strings;
	struct reading rd = { .mem = mem, .to = to };
	uint8_t *table = NULL;
	char *names = NULL;
	size_t before = to->n;

	if (!s || !s->link || s->link > h->nsections)
		return false;
	strings = &h->sections[s->link - 1]; /* the first, empty one is left out */
	table = elf_section_data(e, s);
	names = table ? elf_section_data(e, strings) : NULL;
	if (names) {
		rd.names = names;
		rd.names_len = strings->size;
		add_all(&rd, h, table, s->size);
	}
	free(names);
	free(table);
	return to->n > before;
}

/* An xz stream, unpacked; NULL if it is not one, or too large. */
static uint8_t *unpack(const uint8_t *in, size_t len, size_t *ret)
{
	lzma_stream z = LZMA_STREAM_INIT;
	size_t cap = len < (1 << 20) ? 4 << 20 : len * 8;
	uint8_t *out = NULL;
	lzma_ret st = lzma_stream_decoder(&z, XZ_MEMORY, 0);

	z.next_in = in;
	z.avail_in = len;
	while (st == LZMA_OK && z.total_out < DEBUGDATA_MAX) {
		cap = min_u64(z.total_out ? cap * 2 : cap, DEBUGDATA_MAX);
		out = heap_grow(out, cap, 1);
		z.next_out = out + z.total_out;
		z.avail_out = cap - z.total_out;
		st = lzma_code(&z, LZMA_FINISH);
	}
	*ret = z.total_out;
	lzma_end(&z);
	if (st == LZMA_STREAM_END)
		return out;
	free(out);
	return NULL;
}

/* The symbols of local functions that distributions keep in stripped files. */
static bool read_debugdata(struct elf_image *e, struct arena *mem, struct elf_symbols *to)
{
	const struct elf_section *s = elf_section(e, ".gnu_debugdata");
	uint8_t *packed = s ? elf_section_data(e, s) : NULL, *plain = NULL;
	struct elf_image *inner;
	bool found = false;
	size_t len = 0;

	if (packed)
		plain = unpack(packed, s->size, &len);
	if (plain && !elf_open_memory(plain, len, &inner)) {
		found = read_table(inner, ".symtab", mem, to);
		elf_close(inner);
	}
	free(plain);
	free(packed);
	return found;
}

void elf_symbols_read(struct elf_image *e, struct arena *mem, struct elf_symbols *ret)
{
	*ret = (struct elf_symbols){ 0 };
	if (read_table(e, ".symtab", mem, ret)) {
		ret->from = ".symtab";
		return;
	}
	if (read_debugdata(e, mem, ret))
		ret->from = ".gnu_debugdata";
	if (read_table(e, ".dynsym", mem, ret))
		ret->from = ret->from ? ".gnu_debugdata and .dynsym" : ".dynsym";
}
