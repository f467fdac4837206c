/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dump_find_kernel(): what is needed of the kernel, from the dump or around. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/find/find.h"
#include "dumpread/symbols/sources.h"
#include "dumpread/types/sources.h"

#define MAX_NOTES (64u << 10)	/* bytes of the kernel's own notes */
#define UTS_FIELD 65u		/* __NEW_UTS_LEN + 1, since 2.4 */

/* The release goes into paths and messages: one component, printable. */
static bool release_ok(const char *s)
{
	if (!*s || *s == '.')
		return false;
	for (; *s; s++)
		if (*s <= ' ' || *s > '~' || *s == '/')
			return false;
	return true;
}

/*
 * struct new_utsname is six strings of 65 bytes, the first "Linux", the third
 * the release; what stands before it in uts_namespace changed often.
 */
static void find_release(struct dump *d, struct reader *r)
{
	uint8_t buf[UTS_FIELD * 3 + 64];
	uint64_t addr;

	if (release_ok(d->release))
		return;
	d->release[0] = '\0';
	if (!symbols_find(&d->symbols, "init_uts_ns", &addr, NULL) &&
	    !symbols_find(&d->symbols, "system_utsname", &addr, NULL))
		return;
	if (read_kva(r, addr, buf, sizeof(buf)))
		return;
	for (size_t i = 0; i < 64; i++) {
		const char *s = (const char *)buf + i + 2 * UTS_FIELD;

		if (memcmp(buf + i, "Linux", 6) || strnlen(s, UTS_FIELD) == UTS_FIELD)
			continue;
		if (release_ok(s))
			memcpy(d->release, s, UTS_FIELD);
		return;
	}
}

/* The build-id of a kernel whose VMCOREINFO has none (before 5.10, 5.15). */
static void find_build_id(struct dump *d, struct reader *r)
{
	uint64_t start, stop;
	uint8_t *notes;

	if (d->build_id_len || !symbols_find(&d->symbols, "__start_notes", &start, NULL) ||
	    !symbols_find(&d->symbols, "__stop_notes", &stop, NULL) ||
	    stop - start > MAX_NOTES)
		return;
	notes = malloc(MAX_NOTES);
	if (notes && !read_kva(r, start, notes, stop - start))
		d->build_id_len = build_id_in_notes(notes, stop - start, d->big_endian,
						    d->build_id);
	free(notes);
}

/* Take what is asked of the file at PATH if it exists; false if it is no help. */
static bool try_vmlinux(struct dump *d, const char *path, unsigned take)
{
	if (access(path, R_OK))
		return false;
	if (!vmlinux_add(d, path, take)) {
		log_info(d->log, "using %s", path);
		return true;
	}
	log_info(d->log, "not used: %s", d->diag.text);
	return false;
}

/* By build-id, by release, by debuginfod. */
static bool search_vmlinux(struct dump *d, unsigned take)
{
	static const char *const places[][2] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/boot/vmlinux-", "" },
	};
	char path[PATH_MAX], hex[BUILD_ID_HEX], *cached;
	bool found = false;

	if (d->build_id_len > 1) {
		build_id_hex(d->build_id, d->build_id_len, hex);
		snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", hex,
			 hex + 2);
		if (try_vmlinux(d, path, take))
			return true;
	}
	for (size_t i = 0; *d->release && i < ARRAY_LEN(places); i++) {
		snprintf(path, sizeof(path), "%s%s%s", places[i][0], d->release, places[i][1]);
		if (try_vmlinux(d, path, take))
			return true;
	}
	if (!debuginfod_find(d, &cached))
		found = try_vmlinux(d, cached, take);
	free(cached);
	return found;
}

static bool search_systemmap(struct dump *d)
{
	static const char *const places[] = {
		"/boot/System.map-", "/usr/lib/debug/boot/System.map-",
	};
	char path[PATH_MAX];

	for (size_t i = 0; *d->release && i < ARRAY_LEN(places); i++) {
		snprintf(path, sizeof(path), "%s%s", places[i], d->release);
		if (access(path, R_OK))
			continue;
		if (!symbols_add_systemmap(d, path)) {
			log_info(d->log, "using %s", path);
			return true;
		}
		log_info(d->log, "not used: %s", d->diag.text);
	}
	return false;
}

static enum status no_types(struct dump *d)
{
	const char *release = *d->release ? d->release : "unknown";
	char hex[BUILD_ID_HEX];

	build_id_hex(d->build_id, d->build_id_len, hex);
	return fail(&d->diag, ST_ABSENT,
		    "cannot find the types of kernel %s (build-id %s): there is no usable BTF in "
		    "the dump and no vmlinux with debug information in the usual places; install "
		    "its debug package (Debian: linux-image-%s-dbg) or name a vmlinux, .btf or "
		    "layout file with -t", release, *hex ? hex : "unknown", release);
}

/* Has the chain a whole symbol table, and not only VMCOREINFO's few? */
static bool has_table(const struct dump *d)
{
	for (unsigned i = 0; i < d->symbols.n; i++)
		if (d->symbols.v[i].at)
			return true;
	return false;
}

enum status dump_find_kernel(struct dump *d)
{
	struct reader *r = reader_new(d);

	symbols_add_vmcoreinfo(d);
	if (symbols_add_kallsyms(d))
		log_info(d->log, "%s", d->diag.text);
	find_release(d, r);
	find_build_id(d, r);
	reader_free(r);
	if (types_add_btf_dump(d))
		log_info(d->log, "%s", d->diag.text);
	if (!d->types.n)
		search_vmlinux(d, VMLINUX_TYPES | (has_table(d) ? 0 : VMLINUX_SYMBOLS));
	if (!has_table(d) && !search_systemmap(d))
		search_vmlinux(d, VMLINUX_SYMBOLS);
	if (!d->types.n)
		return no_types(d);
	d->diag.text[0] = '\0';
	return ST_OK;
}
