/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dump.h - the seam: all that the model may ask of the outside.
 *
 *     physical pages       dump->image, or a host's reader (crash)
 *     kernel-virtual       dump->kv, attached by arch/ once it is known
 *     symbols and types    dump->symbols, dump->types: chains of sources
 *
 * One dump, one object; nothing is global. Opening goes in this order:
 *     dump_open()          container, VMCOREINFO          (dumpread)
 *     dump_know_machine()  what -t says of the machine    (dumpread)
 *     arch_attach()        translation of kernel addresses (arch)
 *     dump_find_kernel()   symbols and types from inside   (dumpread)
 * and dump_add_file() puts what the user gave (-t) in front of them.
 * model/memory/source/open.c is the one place that does these in order.
 */
#ifndef VMCENSUS_DUMP_H
#define VMCENSUS_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/arena.h"
#include "dumpread/base/diag.h"
#include "dumpread/base/issues.h"
#include "dumpread/base/log.h"
#include "dumpread/image/image.h"
#include "dumpread/reader.h"
#include "dumpread/symbols/symbols.h"
#include "dumpread/types/types.h"

struct dump;

/* Physical pages, from an image or a host; image_pages of dump.c wraps an image. */
struct pages_ops {
	bool (*present)(void *self, uint64_t pfn);
	enum status (*read)(void *self, void *ctx, uint64_t pfn, uint8_t *out);
	void *(*ctx_new)(void *self);
	void (*ctx_free)(void *self, void *ctx);
	uint64_t (*next)(void *self, uint64_t pfn);	/* as of struct image_ops; may be NULL */
};

/* Kernel-virtual translation; set by arch_attach(), or by a host. */
struct kv_ops {
	/* Physical address of KVA and the bytes contiguous from there. Reads
	   page tables through R. ST_FAULT, ST_NODATA or ST_CORRUPT on failure. */
	enum status (*kvtop)(const struct dump *d, struct reader *r, uint64_t kva,
			     uint64_t *pa, uint64_t *run);
};

struct dump {
	struct image *image;		/* NULL under a host */
	const struct pages_ops *pages;
	void *pages_self;

	const struct kv_ops *kv;
	void *kv_self;			/* arch's own state, in mem */

	struct symbols symbols;
	enum status kallsyms_lost;	/* why the kernel's own table, which is there, cannot be
					   used; ST_OK: it is used, or there is none */
	bool tokens_lost;		/* of kallsyms: most names lack a part */
	bool exported_only;		/* of variables only those are known that modules may use */
	struct types types;
	char types_lost[64];		/* what of the kernel's own types could not be read; "" if nothing */

	uint16_t elf_machine;		/* EM_* */
	uint8_t word_size;		/* bytes: 4 or 8 */
	bool big_endian;
	uint8_t page_shift;
	bool live;			/* memory changes while it is read */
	uint64_t max_pfn;		/* one past the last frame; bounded */

	const char **wanted;		/* type names that will be asked for: DWARF is */
	unsigned nwanted;		/* read only for these; set before find_kernel */

	unsigned layout_facts;		/* of a layout file in use: version of the table of
					   facts that it answers; 0: none, or not stated */
	const char *layout_file;	/* its name, for messages; NULL: none in use */
	const char *const *layouts;	/* directories with layouts by build-id (dumpread/find/kept_layout.h) */
	unsigned nlayouts;
	bool kept_layout;		/* layout_file is one of those */

	struct vmcoreinfo_texts *texts;	/* gets all that vmcoreinfo_scan() finds; NULL: nobody asks */
	const char *vmcoreinfo;		/* text, NUL-terminated; "" if none */
	char release[65];		/* uts release; "" until known */
	uint8_t build_id[32];		/* of the kernel; from VMCOREINFO */
	unsigned build_id_len;

	/* A vmlinux at hand and its release, used as if it lay where debug packages
	   put theirs; NULL: none. */
	const char *near_vmlinux, *near_release;

	uint64_t pages_read;		/* by all readers; a page that is read again counts again */
	unsigned jobs;			/* threads to use; 0: one for each processor */
	struct arena mem;
	struct issues issues;
	struct causes causes;		/* what is wrong with it as a whole */
	struct diag diag;
	const struct log *log;
};

static inline uint32_t dump_page_size(const struct dump *d)
{
	return 1u << d->page_shift;
}

/* Open container and VMCOREINFO. On failure *ret is NULL and DIAG is set. */
enum status dump_open(const char *const *paths, unsigned n, const struct log *log,
		      struct diag *diag, struct dump **ret);
/* The same, with an index that is read or written (dumpread/image/saved.h). */
enum status dump_open_indexed(const char *const *paths, unsigned n,
			      const struct image_index *index, const struct log *log,
			      struct diag *diag, struct dump **ret);
void dump_close(struct dump *d);

/* d->causes, and the damage of the container that reading has met since. */
void dump_causes(const struct dump *d, struct causes *ret);

/*
 * Add what the user named: a vmlinux (DWARF or .BTF), a raw .btf, a System.map
 * or a layout file, told apart by content. Refuses a vmlinux whose build-id is
 * not the dump's.
 */
enum status dump_add_file(struct dump *d, const char *path);

/*
 * For a live dump: add what the running kernel itself says, /sys/kernel/btf/vmlinux and
 * /proc/kallsyms. Facts that it withholds are found as in any other dump.
 */
void dump_add_running(struct dump *d);

/*
 * Take from a file that the user named the facts about the machine that arch_attach()
 * needs: VMCOREINFO as text; machine, word size and byte order of a
 * vmlinux or a layout file, where the container does not tell them.
 */
void dump_know_machine(struct dump *d, const char *path);

/*
 * Find symbols (VMCOREINFO, kallsyms) and types (BTF) in the dump, else a
 * vmlinux by build-id or release in the usual places, else debuginfod.
 * Fails only when nothing gives the types; d->diag says what would help.
 */
enum status dump_find_kernel(struct dump *d);

/* LEN bytes of VMCOREINFO found elsewhere than in the image's notes. */
void dump_take_vmcoreinfo(struct dump *d, const char *text, size_t len);
/* VMCOREINFO: value text of "KEY=" into BUF; false if absent. */
bool vmcoreinfo_get(const struct dump *d, const char *key, char *buf, size_t size);
/* SYMBOL(name), NUMBER(name), OFFSET(name), SIZE(name), LENGTH(name). */
bool vmcoreinfo_symbol(const struct dump *d, const char *name, uint64_t *ret);
bool vmcoreinfo_number(const struct dump *d, const char *name, int64_t *ret);
bool vmcoreinfo_offset(const struct dump *d, const char *name, uint64_t *ret);
bool vmcoreinfo_size(const struct dump *d, const char *name, uint64_t *ret);
bool vmcoreinfo_length(const struct dump *d, const char *name, uint64_t *ret);

/*
 * Find the VMCOREINFO text in memory, where the notes have none, and fill
 * d->vmcoreinfo, release and build_id from it. Reads the whole dump, because the text that
 * is found first may be that of another kernel (d->texts).
 */
bool vmcoreinfo_scan(struct dump *d);

/* Symbol address through the chain. */
bool dump_symbol(const struct dump *d, const char *name, uint64_t *addr);

#endif
