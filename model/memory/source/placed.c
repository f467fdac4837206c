/* SPDX-License-Identifier: GPL-3.0-or-later */
/* placed.c - finds the pieces of a file of memory, and proves them by the kernel in it. */
#include "model/memory/source/placed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/e820.h"
#include "dumpread/image/whole.h"
#include "facts/layout/page.h"
#include "facts/layout/task.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/resources.h"
#include "model/memory/source/machines.h"

#define TASKS_MAX 100000u	/* of the list that is looked at */
#define BARE_SEARCH (UINT64_C(256) << 20)	/* bytes of a file that was named without an address */

struct placed {
	const struct kernel_opts *o;
	char *path;			/* of the file */
	bool bare;			/* it was named without an address */
	struct image_piece v[E820_ENTRIES];
	unsigned n;
	const char *names[E820_ENTRIES];	/* path@ADDRESS+OFFSET:LENGTH */
	struct arena mem;
};

/* ---- the pieces ------------------------------------------------------------------------------ */

static bool is_of_file(void *arg, const struct e820_table *t)
{
	struct placed *p = arg;
	struct image_piece v[E820_ENTRIES];
	uint64_t size = p->v[0].length;

	p->n = e820_pieces(t, size, v);
	if (p->n)
		memcpy(p->v, v, p->n * sizeof(*v));
	return p->n;
}

/* Numbers as a person writes them. */
static void name_pieces(struct placed *p)
{
	for (unsigned i = 0; i < p->n; i++)
		p->names[i] = p->n == 1 ? arena_printf(&p->mem, "%s@0", p->path)
					: arena_printf(&p->mem,
						       "%s@%#" PRIx64 "+%#" PRIx64 ":%#" PRIx64,
						       p->path, p->v[i].address, p->v[i].offset,
						       p->v[i].length);
}

/* Is the image one file of raw memory at 0, or one of no known format, whose own map has other places? */
static bool find_pieces(struct placed *p)
{
	const char *name = p->o->images[0];
	struct image_piece piece;
	struct image *im;
	struct diag none;
	size_t len;

	p->bare = !image_name_split(name, &len, &piece);
	if (!p->bare && (piece.address || piece.offset || piece.length != UINT64_MAX))
		return false;
	p->path = arena_strndup(&p->mem, name, len);
	name = p->bare ? arena_printf(&p->mem, "%s@0", p->path) : name;
	if (image_open(&name, 1, NULL, &none, &im))
		return false;
	p->v[0].length = strcmp(im->ops->name, "raw") ? im->max_pfn << im->page_shift
						      : im->parts[0].size;
	e820_find(im, p->bare ? BARE_SEARCH : UINT64_MAX, is_of_file, p);
	image_close(im);
	if (p->n == 1 && !p->bare)
		p->n = 0;
	name_pieces(p);
	return p->n;
}

/* ---- the proof ------------------------------------------------------------------------------- */

/* The end of RAM by the kernel's own tree, the nodes of which are mostly in the highest memory; 0: it cannot be read. */
static uint64_t end_of_ram(const struct kernel *k, struct reader *r)
{
	struct arena mem = { 0 };
	struct resources res;
	uint64_t end = 0;

	resources_read(k, r, &mem, &res);
	for (size_t i = 0; res.whole && i < res.lines.n; i++)
		if (resource_is_ram(res.lines.v[i].name))
			end = max_u64(end, res.lines.v[i].end + 1);
	arena_release(&mem);
	return end;
}

/* Each task of the list is where its neighbours say, to the end. */
static bool list_closes(const struct kernel *k, struct reader *r)
{
	uint64_t head = layout_symbol(&k->layout, Y_INIT_TASK), at, next, back;

	if (!head || !has(k, M_TASK_TASKS))
		return false;
	head += layout_offset(&k->layout, M_TASK_TASKS);
	at = head;
	for (unsigned n = 0; n < TASKS_MAX; n++) {
		if (read_kva_word(r, at, &next) || !kernel_ptr_ok(k, next, k->dump->word_size) ||
		    read_kva_word(r, next + k->dump->word_size, &back) || back != at)
			return false;
		at = next;
		if (at == head)
			return n > 0;
	}
	return true;
}

static bool is_proven(const struct placed *p, const struct kernel *k)
{
	const struct image_piece *last = &p->v[p->n - 1];
	struct reader *r = kernel_reader(k);
	uint64_t end = end_of_ram(k, r);
	bool ok = list_closes(k, r);

	reader_free(r);
	/* of one piece the file may have a firmware's tables after the last RAM */
	return ok && (p->n == 1 ? end && end <= last->length : end == last->address + last->length);
}

/* ---- what is said ---------------------------------------------------------------------------- */

#define TOLD 3u			/* pieces; LiME's raw format may have a dozen */

static const char *names_of(const struct placed *p, struct arena *mem)
{
	const char *text = "", *slash = strrchr(p->path, '/');
	size_t folder = slash ? (size_t)(slash + 1 - p->path) : 0;

	for (unsigned i = 0; i < p->n && i < TOLD; i++)
		text = arena_printf(mem, "%s%s%s", text, i ? " " : "", p->names[i] + folder);
	return p->n > TOLD ? arena_printf(mem, "%s and %u more", text, p->n - TOLD) : text;
}

static void tell(struct placed *p, struct kernel *k, bool proven)
{
	const char *names = names_of(p, &p->mem), *text;

	if (!proven)
		text = arena_printf(&p->mem, "holes of memory may be left out of the file: name %s",
				    names);
	else if (p->n == 1)
		text = arena_printf(&p->mem, "read as %s: the memory map in it fits", names);
	else
		text = arena_printf(
			&p->mem,
			"holes of memory are left out of the file: read as %s, by the map in it",
			names);
	cause_add(&k->dump->causes, CAUSE_PLACES, p->n, 0, text);
	if (proven)
		log_info(p->o->log, "%s", text);
	else
		log_warn(p->o->log, "%s", text);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* All memory that the kernel knows is in the image, as far as it can be told. */
static bool has_all(const struct kernel *k)
{
	struct reader *r = kernel_reader(k);
	uint64_t max = 0;
	bool ok;

	ok = layout_symbol(&k->layout, Y_MAX_PFN) && !kvar_u64(k, r, Y_MAX_PFN, 0, &max) &&
	     max <= k->dump->max_pfn;
	reader_free(r);
	return ok;
}

/* By QEMU, or by virsh. */
static bool is_saved(const char *path)
{
	uint8_t h[8];

	return file_head(path, h, sizeof(h)) == sizeof(h) &&
	       (!memcmp(h, "QEVM", 4) || !memcmp(h, "LibvirtQ", 8));
}

static bool is_asked(const struct kernel_opts *o, enum status st, const struct kernel *k)
{
	struct image_piece piece;
	size_t len;

	if (o->nimages != 1 || live_named(o->images[0]))
		return false;
	if (st)
		return st == ST_NOTMINE || image_name_split(o->images[0], &len, &piece) ||
		       is_saved(o->images[0]);
	return k->dump->image && k->dump->image->ops->placed && !has_all(k);
}

enum status placed_open(const struct kernel_opts *o, struct diag *diag, struct kernel **ret)
{
	enum status st = machines_open(o, diag, ret);
	struct placed p = { .o = o };
	struct kernel_opts with = *o;
	struct kernel *k;
	struct diag why;

	if (!is_asked(o, st, *ret) || !find_pieces(&p)) {
		arena_release(&p.mem);
		return st;
	}
	with.images = p.names;
	with.nimages = p.n;
	if (!machines_open(&with, &why, &k) && !is_proven(&p, k)) {
		kernel_close(k);
		k = NULL;
	}
	if (k) {
		kernel_close(*ret);
		*ret = k;
		tell(&p, k, true);
		st = ST_OK;
	} else if (!st) {
		tell(&p, *ret, false);
	} else {
		why = *diag;
		fail(diag, st, "%s; by the memory map in it, it may be %s", why.text,
		     names_of(&p, &p.mem));
	}
	arena_release(&p.mem);
	return st;
}
