/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dump_find_kernel(): the needed facts about the kernel, from the dump or files around it. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/outside.h"
#include "dumpread/find/find.h"
#include "dumpread/find/kept_layout.h"
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
 * the release; the members before it in uts_namespace changed often.
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
	    !symbols_find(&d->symbols, "__stop_notes", &stop, NULL) || stop - start > MAX_NOTES)
		return;
	notes = malloc(MAX_NOTES);
	if (notes && !read_kva(r, start, notes, stop - start))
		d->build_id_len =
			build_id_in_notes(notes, stop - start, d->big_endian, d->build_id);
	free(notes);
}

/*
 * Every kernel has a variable init_task (init_task_union in 2.4): a chain that
 * does not know it has VMCOREINFO's few symbols at most, or the kallsyms of a
 * kernel that was built with CONFIG_KALLSYMS_ALL=n: functions only.
 */
static bool knows_data(const struct dump *d)
{
	uint64_t addr;

	return symbols_find(&d->symbols, "init_task", &addr, NULL) ||
	       symbols_find(&d->symbols, "init_task_union", &addr, NULL);
}

/* The parts of TAKE (enum vmlinux_take) that are still missing. */
static unsigned lacking(const struct dump *d, unsigned take)
{
	return take & ((d->types.n && !d->types_lost[0] ? 0 : VMLINUX_TYPES) |
		       (knows_data(d) ? 0 : VMLINUX_SYMBOLS));
}

/* Take the missing parts from the file at PATH if it exists; true: none is missing now. */
static bool try_vmlinux(struct dump *d, const char *path, unsigned take)
{
	if (outside_readable(path)) {
		unsigned had = d->types.n;

		if (vmlinux_add(d, path, lacking(d, take)))
			log_info(d->log, "not used: %s", d->diag.text);
		else
			log_info(d->log, "using %s", path);
		if (d->types.n > had)
			d->types_lost[0] = '\0';
	}
	return !lacking(d, take);
}

/* The layout that another dump of this kernel left, if nothing is lacking then. */
static bool try_kept(struct dump *d, unsigned take)
{
	bool types = lacking(d, take) & VMLINUX_TYPES;

	if (!kept_layout_add(d, types ? "types" : "symbols",
			     types ? d->types_lost[0] != 0 : d->kallsyms_lost != ST_OK))
		return false;
	if (types)
		d->types_lost[0] = '\0';
	return !lacking(d, take);
}

/* By build-id, by release, a layout by build-id, debuginfod. */
static void search_vmlinux(struct dump *d, unsigned take)
{
	static const char *const places[][2] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },		/* Debian, Ubuntu */
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },	/* RHEL */
		{ "/usr/lib/debug/boot/vmlinux-", ".debug" },	/* SLES */
		{ "/usr/lib/debug/usr/lib/modules/", "/vmlinux.debug" },
		{ "/usr/lib/debug/usr/lib/modules/", "/vmlinux" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux.debug" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/boot/vmlinux-", "" },
	};
	char path[PATH_MAX], hex[BUILD_ID_HEX], *cached;

	if (d->near_vmlinux && *d->release && !strcmp(d->near_release, d->release) &&
	    try_vmlinux(d, d->near_vmlinux, take))
		return;
	if (d->build_id_len > 1) {
		build_id_hex(d->build_id, d->build_id_len, hex);
		snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", hex,
			 hex + 2);
		if (try_vmlinux(d, path, take))
			return;
	}
	for (size_t i = 0; *d->release && i < ARRAY_LEN(places); i++) {
		snprintf(path, sizeof(path), "%s%s%s", places[i][0], d->release, places[i][1]);
		if (try_vmlinux(d, path, take))
			return;
	}
	if (try_kept(d, take))
		return;
	if (lacking(d, take) && !debuginfod_find(d, &cached)) {
		try_vmlinux(d, cached, take);
		free(cached);
	}
}

static bool search_systemmap(struct dump *d)
{
	static const char *const places[] = {
		"/boot/System.map-", "/usr/lib/debug/boot/System.map-",
	};
	char path[PATH_MAX];

	for (size_t i = 0; *d->release && i < ARRAY_LEN(places); i++) {
		snprintf(path, sizeof(path), "%s%s", places[i], d->release);
		if (!outside_readable(path))
			continue;
		if (!symbols_add_systemmap(d, path)) {
			log_info(d->log, "using %s", path);
			return true;
		}
		log_info(d->log, "not used: %s", d->diag.text);
	}
	return false;
}

/* The package with the types, as the distribution that built the kernel calls it; its banner and release tell. */
static const char *debug_package(const struct dump *d, char *buf, size_t size)
{
	const char *r = *d->release ? d->release : "RELEASE";
	const char *version = d->image ? d->image->header.version : "";
	size_t n = strlen(r);

	if (strstr(version, "Ubuntu") || strstr(r, "-generic"))
		snprintf(buf, size, "Ubuntu: linux-image-%s-dbgsym", r);
	else if (strstr(version, "Debian") || strstr(r, "+deb"))
		snprintf(buf, size, "Debian: linux-image-%s-dbg", r);
	else if (strstr(r, ".el") || strstr(r, ".fc"))
		snprintf(buf, size, "RHEL, Fedora: kernel-debuginfo-%s", r);
	else if (n > 8 && !strcmp(r + n - 8, "-default"))
		snprintf(buf, size, "SUSE: kernel-default-debuginfo of %s", r);
	else
		snprintf(buf, size,
			 "Debian: linux-image-%s-dbg, Ubuntu: linux-image-%s-dbgsym, RHEL: "
			 "kernel-debuginfo, SUSE: kernel-default-debuginfo",
			 r, r);
	return buf;
}

static enum status no_types(struct dump *d, const char *btf)
{
	const char *release = *d->release ? d->release : "unknown";
	char hex[BUILD_ID_HEX], cut[200] = "", package[320], offer[KEPT_LAYOUT_OFFER];

	if (d->image && d->issues.n && d->issues.v[0].ntexts)
		snprintf(cut, sizeof(cut), ", and the dump is incomplete (%s)",
			 issue_without_folder(d->issues.v[0].text[0]));
	build_id_hex(d->build_id, d->build_id_len, hex);
	return fail(
		&d->diag, ST_ABSENT,
		"cannot find the types of kernel %s (build-id %s): no usable BTF in the dump "
		"(%.200s)%s, and no vmlinux with debug information in the usual places; install "
		"its debug package (%s) or name a vmlinux, .btf or "
		"layout file with -t%s%s; only dmesg, and a part of summary, work without types",
		release, *hex ? hex : "unknown", btf, cut,
		debug_package(d, package, sizeof(package)), d->types_lost[0] ? "; " : "",
		d->types_lost[0] ? kept_layout_offer(d, offer, sizeof(offer)) : "");
}

static void search_symbols(struct dump *d)
{
	/* exported symbols have their names a second time */
	if (knows_data(d) && d->kallsyms_lost && !kept_layout_add(d, "symbols", true))
		symbols_add_ksymtab(d);
	if (knows_data(d) || search_systemmap(d))
		return;
	search_vmlinux(d, VMLINUX_SYMBOLS);
	if (knows_data(d))
		return;
	/* what is damaged is replaced whole, or not */
	d->exported_only = !d->kallsyms_lost && !symbols_add_ksymtab(d);
	log_warn(d->log,
		 "the dump's own symbols %s%s, and no System.map of %s was found: name it, or the "
		 "vmlinux, with -t",
		 d->kallsyms_lost ? "cannot all be read" : "hold no data (CONFIG_KALLSYMS_ALL=n?)",
		 d->exported_only ? " but what is exported to modules" : "",
		 *d->release ? d->release : "its kernel");
}

/* Where the kernel's own types in the dump are not whole, a vmlinux goes before them, or the few that
   VMCOREINFO has: the first that knows a type decides. */
static void add_before_own(struct dump *d)
{
	unsigned n = d->types.n;
	struct type_source own = d->types.v[n - 1];

	search_vmlinux(d, VMLINUX_TYPES);
	if (d->types.n == n && types_add_vmcoreinfo(d))
		return;
	d->types.v[n - 1] = d->types.v[n];
	d->types.v[n] = own;
}

void dump_add_running(struct dump *d)
{
	static const char *const files[] = { "/sys/kernel/btf/vmlinux", "/proc/kallsyms" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (dump_add_file(d, files[i]))
			log_info(d->log, "not used: %s", d->diag.text);
		else
			log_info(d->log, "using %s", files[i]);
	d->diag.text[0] = '\0';
}

/* The dump has no BTF, or what it has cannot be read. */
static void tell_no_btf(struct dump *d, enum status st)
{
	uint64_t start;

	log_info(d->log, "%s", d->diag.text);
	if (!d->types.n && !d->types_lost[0] &&
	    (st != ST_ABSENT || symbols_find(&d->symbols, "__start_BTF", &start, NULL)))
		snprintf(d->types_lost, sizeof(d->types_lost), "BTF cannot be read");
}

enum status dump_find_kernel(struct dump *d)
{
	struct reader *r = reader_new(d);
	char btf[sizeof(d->diag.text)] = "";
	enum status st = ST_OK;

	symbols_add_vmcoreinfo(d);
	if (!(d->live && knows_data(d)) && symbols_add_kallsyms(d))
		log_info(d->log, "%s", d->diag.text);
	find_release(d, r);
	find_build_id(d, r);
	reader_free(r);
	if (!(d->live && d->types.n))
		st = types_add_btf_dump(d);
	if (st) {
		tell_no_btf(d, st);
		memcpy(btf, d->diag.text, sizeof(btf));
	}
	if (!d->types.n)
		search_vmlinux(d, VMLINUX_TYPES | VMLINUX_SYMBOLS);
	else if (d->types_lost[0])
		add_before_own(d);
	if (!d->types.n)
		return no_types(d, btf);
	search_symbols(d);
	d->diag.text[0] = '\0';
	return ST_OK;
}
