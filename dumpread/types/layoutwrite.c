/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layoutwrite.c - writes a layout file.
 */
#include <inttypes.h>

#include "dumpread/find/find.h"
#include "dumpread/symbols/symlist.h"
#include "dumpread/types/layoutfile.h"

static void write_header(const struct dump *d, unsigned facts, FILE *out)
{
	char hex[BUILD_ID_HEX];

	fputs(LAYOUT_MAGIC
	      "# What one kernel looks like: sizes, members and enumerators of its types, and\n"
	      "# addresses of its symbols (without KASLR). Use it with -t in place of a vmlinux.\n"
	      "# member PATH OFFSET SIZE COUNT STRIDE BIT_OFFSET BIT_SIZE FLAGS\n",
	      out);
	if (*d->release)
		fprintf(out, "release %s\n", d->release);
	if (d->build_id_len)
		fprintf(out, "build-id %s\n", build_id_hex(d->build_id, d->build_id_len, hex));
	fprintf(out, "machine %u\nword %u\norder %s\n", d->elf_machine, d->word_size,
		d->big_endian ? "big" : "little");
	fprintf(out, "facts %u\n", facts);
}

static void write_member(const struct dump *d, const char *path, FILE *out)
{
	struct member m;

	if (types_member(&d->types, path, &m, NULL))
		return;
	fprintf(out, "member %s %u %u %u %u %u %u %s%s%s%s%s\n", path, m.offset, m.size, m.count,
		m.stride, m.bit_offset, m.bit_size, m.is_array ? "a" : "", m.is_signed ? "s" : "",
		m.is_pointer ? "p" : "", m.is_aggregate ? "g" : "",
		m.is_array || m.is_signed || m.is_pointer || m.is_aggregate ? "" : "-");
}

static void write_size(const struct dump *d, const char *type, FILE *out)
{
	uint32_t bytes;

	if (!types_size(&d->types, type, &bytes, NULL))
		fprintf(out, "size %s %u\n", type, bytes);
}

static void write_enum(const struct dump *d, const char *name, FILE *out)
{
	int64_t value;

	if (!types_enumerator(&d->types, name, &value, NULL))
		fprintf(out, "enum %s %" PRId64 "\n", name, value);
}

static void write_symbol(const struct dump *d, const char *name, FILE *out)
{
	uint64_t addr;

	if (symbols_find(&d->symbols, name, &addr, NULL))
		fprintf(out, "symbol %s %" PRIx64 "\n", name, kaslr_link_address(d, addr));
}

/* Symbols that VMCOREINFO has too: by them the reader checks and undoes KASLR. */
static const char *const anchors[] = { "_stext", "init_uts_ns" };

enum status layout_write(struct dump *d, const struct layout_names *names, FILE *out)
{
	write_header(d, names->facts, out);
	for (unsigned i = 0; i < names->nsizes; i++)
		write_size(d, names->sizes[i], out);
	for (unsigned i = 0; i < names->nmembers; i++)
		write_member(d, names->members[i], out);
	for (unsigned i = 0; i < names->nenums; i++)
		write_enum(d, names->enums[i], out);
	for (size_t i = 0; i < sizeof(anchors) / sizeof(anchors[0]); i++)
		write_symbol(d, anchors[i], out);
	for (unsigned i = 0; i < names->nsymbols; i++)
		write_symbol(d, names->symbols[i], out);
	return fflush(out) || ferror(out) ? fail(&d->diag, ST_IO, "cannot write the layout")
					  : ST_OK;
}
