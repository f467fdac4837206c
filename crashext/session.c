/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session.c - opens the kernel of crash's dump.
 */
#include "crashext/session.h"

#include <stdlib.h>
#include <string.h>

#include "crashext/host.h"
#include "dumpread/base/heap.h"
#include "dumpread/find/find.h"
#include "dumpread/image/format.h"
#include "facts/layout.h"

/* The kernel's max_pfn is that of usable memory. Struct pages, and memory that firmware
   reserved after it, go on to the end of a section (SECTION_SIZE_BITS <= 27). */
#define SECTION (UINT64_C(128) << 20)

static bool live;

/* ---- pages through crash --------------------------------------------------------- */

/* crash fails to read pages that its file lacks; on a live machine all pages exist. */
static bool crash_present(void *self, uint64_t pfn)
{
	const struct dump *d = self;
	uint8_t byte;

	return pfn < d->max_pfn && (live || host_read_pa(pfn << d->page_shift, &byte, 1));
}

static enum status crash_read(void *self, void *ctx, uint64_t pfn, uint8_t *out)
{
	const struct dump *d = self;

	(void)ctx;
	if (!host_read_pa(pfn << d->page_shift, out, dump_page_size(d)))
		return ST_NODATA;
	return ST_OK;
}

static void *crash_ctx_new(void *self)
{
	(void)self;
	return NULL;
}

static void crash_ctx_free(void *self, void *ctx)
{
	(void)self;
	(void)ctx;
}

static const struct pages_ops crash_pages = {
	.present = crash_present,
	.read = crash_read,
	.ctx_new = crash_ctx_new,
	.ctx_free = crash_ctx_free,
};

static bool variable(const char *name, void *buf, size_t len)
{
	uint64_t addr;

	return host_symbol(name, &addr) && host_read_kva(addr, buf, len);
}

/* The text of VMCOREINFO as in a dump's header; since 2.6.24. */
static void read_vmcoreinfo(struct dump *d)
{
	unsigned long data, size;
	char *text;

	if (!variable("vmcoreinfo_data", &data, sizeof(data)) ||
	    !variable("vmcoreinfo_size", &size, sizeof(size)) || size > VMCOREINFO_MAX)
		return;
	text = arena_alloc(&d->mem, size + 1);
	if (host_read_kva(data, text, size))
		dump_take_vmcoreinfo(d, text, strnlen(text, size));
}

static enum status open_through_crash(const struct host *h, const struct log *log,
				      struct diag *diag, struct dump **ret)
{
	const struct machine *m = machine_by_uname(h->machine);
	struct dump *d = heap_array(struct dump, 1);
	unsigned long max_pfn;

	*ret = d;
	issues_init(&d->issues);
	d->log = log;
	d->pages = &crash_pages;
	d->pages_self = d;
	d->vmcoreinfo = "";
	if (!m || !variable("max_pfn", &max_pfn, sizeof(max_pfn)))
		return fail(diag, ST_UNSUPPORTED,
			    "neither vmcensus nor crash can tell how the memory of %s is laid "
			    "out",
			    h->dumpfile);
	d->elf_machine = m->elf_machine;
	d->word_size = h->word_size;
	d->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; /* crash supports no other order */
	d->page_shift = (uint8_t)__builtin_ctz(h->page_size);
	d->max_pfn = (max_pfn | ((SECTION >> d->page_shift) - 1)) + 1;
	read_vmcoreinfo(d);
	return ST_OK;
}

/* ---- symbols and types ------------------------------------------------------------ */

static bool find_symbol(void *self, const char *name, uint64_t *addr)
{
	(void)self;
	return host_symbol(name, addr);
}

/*
 * Our own reader takes types from the same file as crash: its .BTF, or the DWARF of only
 * the wanted types. That takes a tenth of a second for all facts, is the same in every
 * version of crash, and knows arrays and bit fields. crash's gdb needs one evaluation of
 * an expression for each fact and expands a compile unit for each type, and gdb before 8.1
 * (crash 7) cannot tell where in its word a bit field is. If the vmlinux was stripped, BTF
 * in the dump is used.
 */
static void add_sources(struct dump *d, const struct host *h)
{
	symbols_add(&d->symbols, &(struct symbol_source){ .name = "crash", .find = find_symbol });
	d->wanted = layout_type_names(&d->mem, &d->nwanted);
	if (h->vmlinux && vmlinux_add(d, h->vmlinux, VMLINUX_TYPES))
		log_info(d->log, "no types from crash's vmlinux: %s", d->diag.text);
}

/* ---- the session -------------------------------------------------------------------- */

enum status session_open(void *host, const struct kernel_opts *ko, struct diag *diag,
			 struct kernel **ret)
{
	struct dump *d = NULL;
	struct host h;
	enum status st;

	(void)host;
	host_describe(&h);
	live = h.live;
	st = h.whole ? dump_open(&h.dumpfile, 1, ko->log, diag, &d) : ST_NOTMINE;
	if (st)
		st = open_through_crash(&h, ko->log, diag, &d);
	if (st)
		return st;
	add_sources(d, &h);
	/* crash's reader serves only one thread */
	st = kernel_attach(d, d->image ? ko->jobs : 1, diag, ret);
	if (!st)
		(*ret)->memory = ko->memory;
	return st;
}

const char *session_image(void)
{
	struct host h;

	host_describe(&h);
	return h.dumpfile;
}

const char *session_vmlinux(const char **release)
{
	struct host h;

	host_describe(&h);
	*release = h.release;
	return h.vmlinux;
}
