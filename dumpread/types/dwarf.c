/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Types from a vmlinux's DWARF. Half a gigabyte is not indexed for sixty
 * structs: compile units are gone through in their order, only the DIEs right
 * below each are looked at, and the unit that completes the wanted set is the
 * last. Names that do not occur in .debug_str at all are given up beforehand,
 * else one member of a later kernel would cost the whole file.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/types/btf_index.h"
#include "dumpread/types/dwarf_types.h"
#include "dumpread/types/sources.h"

#define MAX_NAME 128u		/* bytes of a type's name that are looked at */
#define UNITS_KEPT 128u		/* compile units between giving memory back */
#define MIN_MERGED 4u		/* shorter names stand in .debug_info itself */

struct wanted {
	const char *const *name;
	bool *have;
	unsigned n, missing;
	struct hash index;	/* hash_str(name) -> number */
};

struct scan {
	struct dwarf_types types;
	struct wanted want;
	struct arena mem;
	bool took;		/* a wanted type, of the unit at work */
	bool split;		/* a unit whose types are in a .dwo file was met */
};

static unsigned want_find(const struct wanted *w, const char *name)
{
	uint32_t i = hash_get(&w->index, hash_str(name));

	return i != HASH_NONE && !strcmp(w->name[i], name) ? i : w->n;
}

static void want_got(struct wanted *w, unsigned i)
{
	if (!w->have[i])
		w->missing--;
	w->have[i] = true;
}

static void want_init(struct scan *s, const struct dump *d)
{
	struct wanted *w = &s->want;

	w->name = (const char *const *)d->wanted;
	w->n = w->missing = d->nwanted;
	w->have = arena_array(&s->mem, bool, w->n + 1);
	w->index.mem = &s->mem;
	for (unsigned i = 0; i < w->n; i++)
		hash_put(&w->index, hash_str(w->name[i]), i);
	/* a name that occurs twice is found once */
	for (unsigned i = 0; i < w->n; i++)
		if (hash_get(&w->index, hash_str(w->name[i])) != i)
			want_got(w, i);
}

/* ---- names that are nowhere -------------------------------------------- */

static Elf_Scn *find_section(Elf *elf, const char *want, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, sh))
			continue;
		name = elf_strptr(elf, names, sh->sh_name);
		if (name && !strcmp(name, want))
			return scn;
	}
	return NULL;
}

static Elf_Data *section_data(Elf *elf, const char *want)
{
	GElf_Shdr sh;
	Elf_Scn *scn = find_section(elf, want, &sh);

	/* decompressed here, it is also what libdw sees */
	if (!scn || (sh.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0))
		return NULL;
	return elf_getdata(scn, NULL);
}

static uint64_t reverse_step(uint64_t h, char c)
{
	return (h ^ (uint8_t)c) * 0x100000001b3ull;
}

/*
 * Linkers share the tails of strings ("page" is the end of "homepage"), so
 * every tail of every string is a string: hash each from its end on.
 */
static void mark_tails(const struct hash *names, bool *seen, const char *s, size_t len)
{
	uint64_t h = 1;

	for (size_t n = 1; n <= len && n <= MAX_NAME; n++) {
		uint32_t i = hash_get(names, h = reverse_step(h, s[len - n]));

		if (i != HASH_NONE)
			seen[i] = true;
	}
}

static void give_up_absent(struct scan *s, Elf *elf)
{
	struct wanted *w = &s->want;
	Elf_Data *data = section_data(elf, ".debug_str");
	bool *seen = arena_array(&s->mem, bool, w->n + 1), any = false;
	struct hash names = { .mem = &s->mem };

	if (!data || !data->d_buf)
		return;
	for (unsigned i = 0; i < w->n; i++) {
		uint64_t h = 1;

		for (size_t n = strlen(w->name[i]); n; n--)
			h = reverse_step(h, w->name[i][n - 1]);
		hash_put(&names, h, i);
	}
	for (size_t at = 0; at < data->d_size;) {
		const char *str = (const char *)data->d_buf + at;
		size_t len = strnlen(str, data->d_size - at);

		mark_tails(&names, seen, str, len);
		at += len + 1;
	}
	for (unsigned i = 0; i < w->n; i++)
		any |= seen[i];
	/* none is there: this compiler keeps its names elsewhere */
	for (unsigned i = 0; any && i < w->n; i++)
		if (!seen[i] && !w->have[i] && strlen(w->name[i]) >= MIN_MERGED)
			want_got(w, i);
}

/* ---- compile units ----------------------------------------------------- */

static void look_at_enum(struct scan *s, Dwarf_Die *die)
{
	Dwarf_Die child;
	bool take = false;

	if (dwarf_child(die, &child))
		return;
	do {
		const char *name = dwarf_diename(&child);
		unsigned i = name ? want_find(&s->want, name) : s->want.n;

		if (i < s->want.n && !s->want.have[i]) {
			want_got(&s->want, i);
			take = true;
		}
	} while (!dwarf_siblingof(&child, &child));
	if (take)
		dwarf_type(&s->types, die);
}

static void look_at(struct scan *s, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	const char *name;
	unsigned i;

	if (tag == DW_TAG_enumeration_type)
		look_at_enum(s, die);
	else if (tag != DW_TAG_structure_type && tag != DW_TAG_union_type && tag != DW_TAG_typedef)
		return;
	name = dwarf_diename(die);
	i = name ? want_find(&s->want, name) : s->want.n;
	if (i == s->want.n || s->want.have[i] || dwarf_declared(die))
		return;
	if (tag == DW_TAG_typedef ? dwarf_typedef(&s->types, die) : dwarf_type(&s->types, die)) {
		want_got(&s->want, i);
		s->took = true;
	}
}

/* All enums of the unit, by their first enumerator. */
static void take_enums(struct scan *s, Dwarf_Die *unit, struct hash *seen)
{
	Dwarf_Die die, first;

	if (dwarf_child(unit, &die))
		return;
	do {
		const char *name;
		uint64_t key;

		if (dwarf_tag(&die) != DW_TAG_enumeration_type || dwarf_child(&die, &first))
			continue;
		name = dwarf_diename(&first);
		key = name ? hash_str(name) : 0;
		if (!key || hash_get(seen, key) != HASH_NONE)
			continue;
		hash_put(seen, key, 1);
		dwarf_type(&s->types, &die);
	} while (!dwarf_siblingof(&die, &die));
}

static void look_at_unit(struct scan *s, Dwarf_Die *unit, struct hash *enums)
{
	Dwarf_Die die;

	s->split |= dwarf_hasattr(unit, DW_AT_GNU_dwo_name) || dwarf_hasattr(unit, DW_AT_dwo_name);
	/* names of Rust's types say nothing about the kernel's */
	if (dwarf_srclang(unit) == DW_LANG_Rust || dwarf_child(unit, &die))
		return;
	s->took = false;
	do {
		look_at(s, &die);
	} while (s->want.missing && !dwarf_siblingof(&die, &die));
	/*
	 * Enumerators are asked for by name, of enums without one: where the
	 * wanted names do not hold them, those of the same headers are.
	 */
	if (s->took)
		take_enums(s, unit, enums);
}

/* The whole pages of .debug_info in the mapping of the file. */
struct pages {
	uint8_t *start;
	size_t len;
};

static struct pages info_pages(const struct mapped_elf *m)
{
	struct pages p = { m->map, 0 };
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start, end;
	GElf_Shdr sh;

	if (!find_section(m->elf, ".debug_info", &sh) || sh.sh_flags & SHF_COMPRESSED ||
	    sh.sh_offset > m->size || sh.sh_size > m->size - sh.sh_offset)
		return p;
	start = (sh.sh_offset + page - 1) & ~(page - 1);
	end = (sh.sh_offset + sh.sh_size) & ~(page - 1);
	if (start < end) {
		p.start += start;
		p.len = end - start;
	}
	return p;
}

static unsigned scan_units(struct scan *s, Dwarf *dw, struct pages info)
{
	struct hash enums = { .mem = &s->mem };
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	unsigned n = 0;

	while (s->want.missing && !dwarf_get_units(dw, cu, &cu, NULL, NULL, &unit, NULL)) {
		look_at_unit(s, &unit, &enums);
		/* never written to: they come back when touched again */
		if (++n % UNITS_KEPT == 0 && info.len)
			madvise(info.start, info.len, MADV_DONTNEED);
	}
	return n;
}

static enum status finish_dwarf(struct scan *s, struct dump *d, const char *path)
{
	struct btf_index *x;

	if (btf__type_cnt(s->types.btf) > 1) {
		x = btf_index_new(s->types.btf, NULL, d->word_size, s->types.big);
		s->types.btf = NULL;
		x->signs = true; /* libbpf sets them where a value is negative */
		return btf_index_attach(x, d, "dwarf");
	}
	if (s->split)
		return fail(&d->diag, ST_UNSUPPORTED,
			    "%s: its debug information is in .dwo files (split DWARF), which are "
			    "not read; a kernel built with CONFIG_DEBUG_INFO_BTF needs none",
			    path);
	return fail(&d->diag, ST_ABSENT, "%s: its DWARF has none of the kernel's types", path);
}

enum status types_add_dwarf(struct dump *d, const struct mapped_elf *m)
{
	struct scan s = { .want.n = 0 };
	const char *ident = elf_getident(m->elf, NULL);
	struct pages info = info_pages(m);
	enum status st;
	unsigned units;
	Dwarf *dw;

	s.types.mem = s.types.done.mem = &s.mem;
	s.types.big = ident && ident[EI_DATA] == ELFDATA2MSB;
	want_init(&s, d);
	give_up_absent(&s, m->elf);
	dw = ident ? dwarf_begin_elf(m->elf, DWARF_C_READ, NULL) : NULL;
	s.types.btf = btf__new_empty();
	if (!dw || !s.types.btf) {
		st = fail(&d->diag, ST_ABSENT, "%s: no debug information in it", m->path);
	} else {
		btf__set_pointer_size(s.types.btf, ident[EI_CLASS] == ELFCLASS32 ? 4 : 8);
		units = scan_units(&s, dw, info);
		log_debug(d->log, "dwarf: %u compile units read, %u wanted names not found", units,
			  s.want.missing);
		st = finish_dwarf(&s, d, m->path);
	}
	btf__free(s.types.btf);
	if (dw)
		dwarf_end(dw);
	arena_release(&s.mem);
	return st;
}
