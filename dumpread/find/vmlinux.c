/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmlinux.c - recognizes a vmlinux or debug file, and adds its symbols and types.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/outside.h"
#include "dumpread/find/find.h"
#include "dumpread/symbols/sources.h"
#include "dumpread/types/btf_check.h"
#include "dumpread/types/sources.h"

struct vmlinux {
	const char *path;
	void *map;		/* the whole file, our own copy of what is written */
	size_t size;
	Elf *elf;
	bool big;
};

const char *build_id_hex(const uint8_t *id, unsigned len, char buf[BUILD_ID_HEX])
{
	static const char digit[] = "0123456789abcdef";
	unsigned i;

	for (i = 0; i < len && i < 32; i++) {
		buf[2 * i] = digit[id[i] >> 4];
		buf[2 * i + 1] = digit[id[i] & 15];
	}
	buf[2 * i] = '\0';
	return buf;
}

/* ELF notes: u32 name size, u32 descriptor size, u32 type, both padded to 4. */
unsigned build_id_in_notes(const uint8_t *notes, size_t len, bool big, uint8_t id[32])
{
	while (len >= 12) {
		uint64_t name = load32(notes, big), desc = load32(notes + 4, big);
		uint64_t at = 12 + ((name + 3) & ~3ull), end = at + ((desc + 3) & ~3ull);

		if (at > len || desc > len - at)
			return 0;
		if (load32(notes + 8, big) == NT_GNU_BUILD_ID && name == 4 &&
		    !memcmp(notes + 12, "GNU", 4) && desc && desc <= 32) {
			memcpy(id, notes + at, desc);
			return (unsigned)desc;
		}
		end = min_u64(end, len); /* the last need not be padded */
		notes += end;
		len -= end;
	}
	return 0;
}

static Elf_Data *section(const struct vmlinux *v, const char *want, unsigned type)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(v->elf, &names))
		return NULL;
	while ((scn = elf_nextscn(v->elf, scn))) {
		GElf_Shdr sh;
		const char *name;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type)
			continue;
		name = elf_strptr(v->elf, names, sh.sh_name);
		if (name && !strcmp(name, want))
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

static unsigned file_build_id(const struct vmlinux *v, uint8_t id[32])
{
	Elf_Scn *scn = NULL;
	unsigned n = 0;

	while (!n && (scn = elf_nextscn(v->elf, scn))) {
		GElf_Shdr sh;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			n = build_id_in_notes(data->d_buf, data->d_size, v->big, id);
	}
	return n;
}

/* Is it a kernel for the dumped machine, and the same build? */
static enum status check_kernel(const struct vmlinux *v, struct dump *d)
{
	char ours[BUILD_ID_HEX], theirs[BUILD_ID_HEX];
	uint8_t id[32];
	GElf_Ehdr eh;
	unsigned n;

	if (!gelf_getehdr(v->elf, &eh))
		return fail(&d->diag, ST_CORRUPT, "%s: damaged ELF header", v->path);
	if (eh.e_type == ET_CORE)
		return fail(&d->diag, ST_NOTMINE, "%s: is a dump; -t takes the kernel's vmlinux",
			    v->path);
	if (eh.e_type == ET_REL)
		return fail(&d->diag, ST_NOTMINE,
			    "%s: is an object file or a module; -t takes the kernel's vmlinux",
			    v->path);
	if (d->elf_machine && (eh.e_machine != d->elf_machine || v->big != d->big_endian))
		return fail(&d->diag, ST_CORRUPT,
			    "%s: is for another machine (ELF machine %u, the dump's is %u)",
			    v->path, eh.e_machine, d->elf_machine);
	n = file_build_id(v, id);
	if (!n || !d->build_id_len || (n == d->build_id_len && !memcmp(id, d->build_id, n)))
		return ST_OK;
	build_id_hex(id, n, theirs);
	build_id_hex(d->build_id, d->build_id_len, ours);
	return fail(&d->diag, ST_CORRUPT,
		    "%s: belongs to another kernel: its build-id is %s, the dump's is %s (%s)",
		    v->path, theirs, ours, d->release);
}

/*
 * Mapped here and not by libelf, so that pages of half a gigabyte can be given
 * back while it is read (types_add_dwarf()).
 */
static enum status map_file(struct vmlinux *v, struct dump *d, const char *path)
{
	int fd = outside_open(path);
	struct stat sb;

	if (fd < 0 || fstat(fd, &sb)) {
		fail(&d->diag, ST_IO, "%s: %s", path, strerror(errno));
	} else {
		v->size = (size_t)sb.st_size;
		v->map = mmap(NULL, v->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		if (v->map == MAP_FAILED) {
			v->map = NULL;
			fail(&d->diag, ST_IO, "%s: cannot be mapped: %s", path, strerror(errno));
		}
	}
	if (fd >= 0)
		close(fd);
	return v->map ? ST_OK : ST_IO;
}

static enum status vmlinux_open(struct vmlinux *v, struct dump *d, const char *path)
{
	const char *ident;
	enum status st;

	*v = (struct vmlinux){ .path = path };
	st = map_file(v, d, path);
	if (st)
		return st;
	elf_version(EV_CURRENT);
	v->elf = elf_memory(v->map, v->size);
	ident = v->elf && elf_kind(v->elf) == ELF_K_ELF ? elf_getident(v->elf, NULL) : NULL;
	if (!ident)
		return fail(&d->diag, ST_CORRUPT, "%s: not a readable ELF file", path);
	v->big = ident[EI_DATA] == ELFDATA2MSB;
	return check_kernel(v, d);
}

static void vmlinux_close(struct vmlinux *v)
{
	if (v->elf)
		elf_end(v->elf);
	if (v->map)
		munmap(v->map, v->size);
}

static enum status take_dwarf(const struct vmlinux *v, struct dump *d)
{
	struct mapped_elf m = { v->elf, v->map, v->size, v->path };

	return types_add_dwarf(d, &m);
}

static enum status take_btf(const struct vmlinux *v, struct dump *d)
{
	Elf_Data *data = section(v, ".BTF", SHT_PROGBITS);
	uint8_t *copy;

	if (!data || !data->d_buf || !data->d_size || data->d_size > BTF_MAX_BYTES)
		return ST_ABSENT;
	copy = malloc(data->d_size);
	if (!copy)
		return fail(&d->diag, ST_LIMIT, "%s: no memory for its BTF", v->path);
	memcpy(copy, data->d_buf, data->d_size);
	return types_add_btf(d, copy, data->d_size, "btf of vmlinux");
}

/* DWARF of the separate debug file at PATH, if it is there and the right one. */
static bool try_debug_file(struct dump *d, const char *path)
{
	struct vmlinux v;
	bool ok;

	if (!outside_readable(path))
		return false;
	ok = !vmlinux_open(&v, d, path) && section(&v, ".debug_info", SHT_PROGBITS) &&
	     !take_dwarf(&v, d);
	vmlinux_close(&v);
	return ok;
}

/* Where gdb looks: by build-id, then by .gnu_debuglink. */
static bool take_separate(const struct vmlinux *v, struct dump *d)
{
	static const char *const places[][2] = {
		{ "", "" }, { "", "/.debug" }, { "/usr/lib/debug", "" },
	};
	Elf_Data *link = section(v, ".gnu_debuglink", SHT_PROGBITS);
	char path[2 * PATH_MAX], dir[PATH_MAX], hex[BUILD_ID_HEX];
	uint8_t id[32];
	unsigned len = file_build_id(v, id);

	if (len > 1) {
		build_id_hex(id, len, hex);
		snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", hex,
			 hex + 2);
		if (try_debug_file(d, path))
			return true;
	}
	if (!link || !link->d_buf || !memchr(link->d_buf, 0, link->d_size) ||
	    strchr(link->d_buf, '/') || !outside_real_path(v->path, dir))
		return false;
	*strrchr(dir, '/') = '\0';
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		snprintf(path, sizeof(path), "%s%s%s/%s", places[i][0], dir, places[i][1],
			 (const char *)link->d_buf);
		if (try_debug_file(d, path))
			return true;
	}
	return false;
}

static enum status take_types(const struct vmlinux *v, struct dump *d)
{
	enum status st = take_btf(v, d);

	if (!st)
		return ST_OK;
	if (section(v, ".debug_info", SHT_PROGBITS))
		return take_dwarf(v, d);
	if (take_separate(v, d))
		return ST_OK;
	return fail(&d->diag, ST_ABSENT,
		    "%s: no debug information in it (neither .BTF nor .debug_info): use the "
		    "vmlinux of the kernel's debug package",
		    v->path);
}

enum status vmlinux_add(struct dump *d, const char *path, unsigned take)
{
	enum status st, symbols = ST_ABSENT, types = ST_ABSENT;
	struct vmlinux v;

	st = vmlinux_open(&v, d, path);
	if (!st && take & VMLINUX_SYMBOLS) {
		symbols = symbols_add_elf(d, v.elf, path);
		/* symbols that do not fit: types would not fit either */
		if (symbols == ST_CORRUPT)
			st = symbols;
	}
	if (!st && take & VMLINUX_TYPES) {
		types = take_types(&v, d);
		if (types && !symbols)
			log_warn(d->log, "%s; only its symbols are used", d->diag.text);
	}
	vmlinux_close(&v);
	if (st)
		return st;
	return !symbols || !types ? ST_OK : take & VMLINUX_TYPES ? types : symbols;
}
