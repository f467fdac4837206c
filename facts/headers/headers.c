/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * headers.c - a layout file from headers: the headers compiled, then the private types,
 * then the facts read from the debug information.
 */
#include "facts/headers/headers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/dump.h"
#include "dumpread/types/layoutfile.h"
#include "facts/headers/tree.h"
#include "facts/layout.h"

/* The headers that define what the tables of facts name. Others are found by
   headers_private(), but a typedef or an enumeration only here. */
static const char *const includes[] = {
#define H(name) name,
#include "facts/headers/includes.def"
#undef H
};

/* Types that headers packages do not have, and what is then unknown. */
static const struct private_type {
	const char *name, *from;
	const char *option;		/* without it the kernel has no such type; NULL: always */
	unsigned since, until;		/* releases that have it, as headers.version */
	const char *loses;
} private_types[] = {
	{ "mount", "fs/mount.h", NULL, 0x030300, ~0u, "paths of files" },
	{ "rq", "kernel/sched/sched.h", NULL, 0, ~0u, "idle tasks" },
	{ "log", "kernel/printk.c", "CONFIG_PRINTK", 0x030500, 0x030b00, "the kernel's log" },
	{ "printk_log", "kernel/printk/printk.c", "CONFIG_PRINTK", 0x030b00, 0x050a00,
	  "the kernel's log" },
	{ "printk_ringbuffer", "kernel/printk/printk_ringbuffer.h", "CONFIG_PRINTK", 0x050a00, ~0u,
	  "the kernel's log" },
	{ "mem_cgroup", "mm/memcontrol.c", "CONFIG_MEMCG", 0x030600, 0x040300,
	  "memory of control groups" },
	{ "mem_cgroup", "mm/memcontrol.c", "CONFIG_CGROUP_MEM_RES_CTLR", 0, 0x030600,
	  "memory of control groups" },
	{ "radix_tree_node", "lib/radix-tree.c", NULL, 0, 0x030f00, "the page cache" },
	{ "cgrp_cset_link", "kernel/cgroup", "CONFIG_CGROUPS", 0x030b00, ~0u,
	  "mounted hierarchies of cgroups" },
	{ "zs_pool", "mm/zsmalloc.c", "CONFIG_ZSMALLOC", 0x030e00, ~0u,
	  "memory of zram and zswap" },
};

/* A dump that consists of types only. */
struct found {
	struct dump d;
};

static void found_release(struct found *f)
{
	symbols_close(&f->d.symbols);
	types_close(&f->d.types);
	issues_release(&f->d.issues);
	arena_release(&f->d.mem);
}

/* The types in the debug information of the file at PATH. */
static enum status found_read(struct headers *h, const char *path, struct found *f)
{
	struct dump *d = &f->d;

	memset(f, 0, sizeof(*f));
	d->page_shift = 12; /* not used: types have no pages */
	d->log = h->o->log;
	issues_init(&d->issues);
	d->wanted = layout_type_names(&d->mem, &d->nwanted);
	dump_know_machine(d, path);
	if (dump_add_file(d, path))
		return fail(h->diag, ST_CORRUPT, "%s", d->diag.text);
	return ST_OK;
}

/* ---- the headers ------------------------------------------------------------------- */

/* Write the unit SOURCE: the headers that the tree has, without those of which OUT is set. */
static enum status write_unit(struct headers *h, const char *source, const bool *out)
{
	FILE *f = fopen(source, "we");

	if (!f)
		return fail(h->diag, ST_IO, "%s: %s", source, strerror(errno));
	for (size_t i = 0; i < ARRAY_LEN(includes); i++)
		if (!out[i] && headers_lookup(h, includes[i]))
			fprintf(f, "#include <%s>\n", includes[i]);
	return fclose(f) ? fail(h->diag, ST_IO, "%s: %s", source, strerror(errno)) : ST_OK;
}

#define BASE 2u			/* headers that the others need */

/* Does the unit of the first headers and header I compile? */
static bool compiles(struct headers *h, const char *source, const char *object, size_t i,
		     const char **error)
{
	bool out[ARRAY_LEN(includes)];

	for (size_t k = 0; k < ARRAY_LEN(out); k++)
		out[k] = k >= BASE && k != i;
	return !write_unit(h, source, out) &&
	       !headers_compile(h, STAGE_OBJECT, source, NULL, object, error);
}

/* What does not compile is left out, except the first headers. */
static enum status compile_most(struct headers *h, const char *source, const char *object,
				const char **error)
{
	bool out[ARRAY_LEN(includes)] = { false };

	if (!compiles(h, source, object, 0, error))
		return ST_NOTMINE;
	for (size_t i = BASE; i < ARRAY_LEN(includes); i++) {
		out[i] = headers_lookup(h, includes[i]) && !compiles(h, source, object, i, error);
		if (out[i])
			log_warn(h->o->log, "%s is left out: %s", includes[i], *error);
	}
	if (write_unit(h, source, out))
		return ST_IO;
	return headers_compile(h, STAGE_OBJECT, source, NULL, object, error);
}

static enum status compile_headers(struct headers *h, const char *object)
{
	const char *source = headers_path(h, "%s/types.c", h->tmp), *error = "";
	const bool none[ARRAY_LEN(includes)] = { false };
	enum status st = write_unit(h, source, none);

	if (st || !headers_compile(h, STAGE_OBJECT, source, NULL, object, &error))
		return st;
	if (!compile_most(h, source, object, &error))
		return ST_OK;
	return fail(h->diag, ST_NOTMINE, "the headers of %s do not compile: %s", h->o->dir, error);
}

/* ---- private types ------------------------------------------------------------------- */

/* The structs in the tables that F does not know. */
static const char **unknown_types(struct headers *h, struct found *f, unsigned *n)
{
	const char **v = arena_array(&h->mem, const char *, f->d.nwanted);
	uint32_t bytes;

	*n = 0;
	for (unsigned i = 0; i < f->d.nwanted; i++)
		if (types_size(&f->d.types, f->d.wanted[i], &bytes, NULL))
			v[(*n)++] = f->d.wanted[i];
	return v;
}

/* Compile the private types that F lacks; their objects follow *N in OBJECTS. */
static void compile_private(struct headers *h, struct found *f, const char **objects, unsigned *n,
			    unsigned max)
{
	struct headers_units units = { 0 };
	unsigned lacking;
	const char **names = unknown_types(h, f, &lacking);

	headers_private(h, names, lacking, &units);
	for (size_t i = 0; i < units.v.n && *n < max; i++) {
		const struct headers_unit *u = &units.v.v[i];
		const char *object = headers_path(h, "%s/private%zu.o", h->tmp, i), *error;

		if (headers_compile(h, STAGE_OBJECT, u->source, u->quote, object, &error)) {
			log_info(h->o->log, "%s of %s: %s", u->types, u->from, error);
			continue;
		}
		log_info(h->o->log, "%s: from %s", u->types, u->from);
		objects[(*n)++] = object;
	}
}

/* ---- the file -------------------------------------------------------------------------- */

static void say_lacking(struct headers *h, struct found *f, FILE *out)
{
	uint32_t bytes;

	for (size_t i = 0; i < ARRAY_LEN(private_types); i++) {
		const struct private_type *p = &private_types[i];

		if (h->version < p->since || h->version >= p->until ||
		    (p->option && !kconfig_get(&h->config, p->option)) ||
		    !types_size(&f->d.types, p->name, &bytes, NULL))
			continue;
		fprintf(out, "# not found: struct %s (%s); not known: %s\n", p->name, p->from,
			p->loses);
		log_warn(h->o->log, "no struct %s (%s) from %s: %s will not be known", p->name,
			 p->from, h->o->dir, p->loses);
	}
}

static enum status write_layout(struct headers *h, struct found *f, FILE *out)
{
	const char *release = h->o->release ? h->o->release : h->release;
	struct layout_names names;

	layout_names(&h->mem, &names);
	names.nsymbols = 0;
	symbols_close(&f->d.symbols); /* of the linked objects: no addresses of the kernel */
	snprintf(f->d.release, sizeof(f->d.release), "%s", release);
	f->d.build_id_len = h->o->build_id_len;
	if (f->d.build_id_len)
		memcpy(f->d.build_id, h->o->build_id, f->d.build_id_len);
	if (layout_write(&f->d, &names, out))
		return fail(h->diag, ST_IO, "%s", f->d.diag.text);
	fprintf(out, "# from headers of %u.%u.%u; the configuration sets %zu options\n",
		h->version >> 16, h->version >> 8 & 255, h->version & 255, h->config.options.n);
	say_lacking(h, f, out);
	return ST_OK;
}

static enum status check_machine(struct headers *h, const char *object)
{
	struct dump d = { .log = h->o->log };

	dump_know_machine(&d, object);
	if (d.elf_machine == h->cpu->machine)
		return ST_OK;
	return fail(
		h->diag, ST_NOTMINE,
		"the compiler '%s' makes code for another CPU than the kernel's (ELF machine %u, "
		"not %u); name one in CC, e.g. CC=%s",
		h->cc.v[0], d.elf_machine, h->cpu->machine, h->cpu->cross);
}

#define MAX_OBJECTS 64u

static enum status make_layout(struct headers *h, FILE *out)
{
	const char *objects[MAX_OBJECTS] = { headers_path(h, "%s/types.o", h->tmp) };
	const char *first = headers_path(h, "%s/types", h->tmp);
	const char *all = headers_path(h, "%s/all", h->tmp);
	struct found f = { 0 };
	unsigned n = 1;
	enum status st = headers_find(h);

	if (!st)
		st = headers_standins(h);
	if (!st)
		st = compile_headers(h, objects[0]);
	if (!st)
		st = check_machine(h, objects[0]);
	if (!st)
		st = headers_link(h, objects, 1, first);
	if (!st)
		st = found_read(h, first, &f);
	if (!st)
		compile_private(h, &f, objects, &n, MAX_OBJECTS);
	if (!st && n > 1) {
		found_release(&f);
		st = headers_link(h, objects, n, all);
		if (!st)
			st = found_read(h, all, &f);
	}
	if (!st)
		st = write_layout(h, &f, out);
	found_release(&f);
	return st;
}

enum status headers_layout(const struct headers_opts *o, FILE *out, struct diag *diag)
{
	struct headers h = { .o = o, .tmp = o->tmp, .diag = diag };
	enum status st = make_layout(&h, out);

	arena_release(&h.mem);
	return st;
}
