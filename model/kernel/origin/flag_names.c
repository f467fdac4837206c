/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flag_names.c - the kernel's own tables of names (mm/debug.c) and what printf makes of them:
 * format_flags(), format_page_flags() in lib/vsprintf.c, read in 5.10, 5.14, 6.1, 6.12, 7.1.
 */
#include "model/kernel/origin/flag_names.h"
#include "facts/layout/origin.h"

#include <inttypes.h>
#include <string.h>

#define NAME_BYTES 64

static const char *name_at(struct reader *r, struct arena *mem, uint64_t at)
{
	char name[NAME_BYTES];

	return read_kva_str(r, at, name, sizeof(name)) ? NULL : arena_strdup(mem, name);
}

/* The table has no length: fields without bits are left out, and the first that is no field ends it. */
static void read_fields(struct flag_names *f, const struct kernel *k, struct reader *r,
			struct arena *mem)
{
	uint64_t at = layout_symbol(&k->layout, Y_FLAG_FIELDS), width, shift, mask, name;
	uint32_t size = layout_size(&k->layout, S_FLAG_FIELD);

	f->fields = at && size;
	for (unsigned i = 0; f->fields && i < FLAG_FIELDS; i++, at += size) {
		if (kmember_u64(k, r, at, M_FLAG_FIELD_WIDTH, &width) || width > 64 ||
		    kmember_u64(k, r, at, M_FLAG_FIELD_SHIFT, &shift) || shift > 63 ||
		    kmember_u64(k, r, at, M_FLAG_FIELD_MASK, &mask) ||
		    kmember_u64(k, r, at, M_FLAG_FIELD_NAME, &name) || !kernel_ptr_ok(k, name, 1))
			return;
		if (mask != (width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX))
			return;
		if (!width)
			continue;
		f->field[f->nfields] = (struct flag_field){ .shift = (unsigned)shift,
							    .mask = mask,
							    .name = name_at(r, mem, name) };
		if (!f->field[f->nfields].name)
			return;
		f->nfields++;
	}
}

bool flag_names_read(struct flag_names *f, const struct kernel *k, struct reader *r,
		     struct arena *mem, enum layout_id symbol)
{
	uint64_t at = layout_symbol(&k->layout, symbol), name;
	uint32_t size = layout_size(&k->layout, S_FLAG_NAME);

	*f = (struct flag_names){ 0 };
	if (!at || !size || !has(k, M_FLAG_MASK) || !has(k, M_FLAG_NAME))
		return false;
	for (; f->n < FLAG_NAMES; f->n++, at += size) {
		struct flag_name *v = &f->v[f->n];

		bool read = !kmember_u64(k, r, at, M_FLAG_MASK, &v->mask) &&
			    !kmember_u64(k, r, at, M_FLAG_NAME, &name);

		if (read && !name)
			break;
		v->name = read ? name_at(r, mem, name) : NULL;
		if (!v->name) {
			issue_add(k->issues, ST_NODATA, "page_owner", 1, "the name of a flag");
			return false;
		}
	}
	if (symbol == Y_PAGEFLAG_NAMES)
		read_fields(f, k, r, mem);
	return f->n && f->n < FLAG_NAMES;
}

static size_t add(char *buf, size_t len, const char *text)
{
	size_t n = strlen(text);

	if (len + n >= FLAG_TEXT)
		return len;
	memcpy(buf + len, text, n + 1);
	return len + n;
}

/* The first names whose bits are all set take them; what is left is a number. */
static size_t put_names(const struct flag_names *f, uint64_t flags, char *buf, size_t len)
{
	char rest[32];

	for (unsigned i = 0; flags && i < f->n; i++) {
		if ((flags & f->v[i].mask) != f->v[i].mask)
			continue;
		len = add(buf, len, f->v[i].name);
		flags &= ~f->v[i].mask;
		if (flags)
			len = add(buf, len, "|");
	}
	if (flags) {
		snprintf(rest, sizeof(rest), "0x%" PRIx64, flags);
		len = add(buf, len, rest);
	}
	return len;
}

void flag_names_gfp(const struct flag_names *f, uint64_t flags, char buf[FLAG_TEXT])
{
	buf[0] = 0;
	put_names(f, flags, buf, 0);
}

void flag_names_page(const struct flag_names *f, uint64_t flags, char buf[FLAG_TEXT])
{
	/* these are printed as default_flag_spec says, the others as default_dec_spec */
	static const char *const hex[] = { "lastcpupid", "kasantag" };
	uint64_t named = 0;
	size_t len;

	for (unsigned i = 0; i < f->n; i++)
		named |= f->v[i].mask;
	len = (size_t)snprintf(buf, FLAG_TEXT, "0x%" PRIx64 "(", flags);
	len = put_names(f, flags & named, buf, len);
	for (unsigned i = 0; i < f->nfields; i++) {
		uint64_t value = flags >> f->field[i].shift & f->field[i].mask;
		const char *name = f->field[i].name;
		bool as_hex = !strcmp(name, hex[0]) || !strcmp(name, hex[1]);
		char text[NAME_BYTES + 32];

		snprintf(text, sizeof(text), as_hex ? "%s%s=0x%" PRIx64 : "%s%s=%" PRIu64,
			 i || flags & named ? "|" : "", name, value);
		len = add(buf, len, text);
	}
	add(buf, len, ")");
}
