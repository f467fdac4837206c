/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kallsyms.h - the symbol table that a kernel carries for itself.
 *
 *   names        for each symbol: length, then that many token numbers. Two
 *                bytes of length if the first has bit 7 set (6.1+, Linux
 *                commit 73bbb94466fd). The first character of the expanded
 *                name is the type letter of nm
 *   token_table  256 NUL-terminated strings
 *   token_index  u16[256]: where each of them starts
 *   addresses    one word for each symbol, ascending           (..4.5, and
 *                later where CONFIG_KALLSYMS_BASE_RELATIVE=n)
 *   offsets      32 bits for each symbol                       (4.6+)
 *   num_syms     unsigned long ..4.19, unsigned int since
 *
 * All in the byte order of the dump. The loader (kallsyms_load.c by
 * VMCOREINFO, kallsyms_scan.c by signature) fills the tables with bytes of the
 * dump, kallsyms_index() and kallsyms_choose_form() check them; after that the
 * object is read-only. A table may have holes, pages that could not be read: what lies in them is lost, the rest
 * stays. Names behind a hole begin at the next of the kernel's own marks.
 */
#ifndef VMCENSUS_KALLSYMS_H
#define VMCENSUS_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/arena.h"
#include "dumpread/base/status.h"
#include "dumpread/holes.h"

#define KALLSYMS_MAX_SYMS (2u << 20)	/* ten times a large kernel's */
#define KALLSYMS_MAX_NAMES (64u << 20)	/* bytes of compressed names */
#define KALLSYMS_MAX_TOKENS (64u << 10)	/* bytes of token_table */
#define KALLSYMS_MARK_STEP 256u		/* symbols between marks */
#define KALLSYMS_NAME_LEN 512		/* KSYM_NAME_LEN, 128 before 6.1 */

enum kallsyms_form {
	KALLSYMS_ADDRESS,	/* value is the address */
	KALLSYMS_RELATIVE,	/* base + (u32)value */
	KALLSYMS_PERCPU,	/* CONFIG_KALLSYMS_ABSOLUTE_PERCPU, 4.6..6.14:
				   value >= 0 is absolute, else base - 1 - value */
	KALLSYMS_PCREL,		/* 7.1+: address of the value itself + value */
	KALLSYMS_FORMS
};

/* A symbol whose address is known from elsewhere. */
struct kallsyms_anchor {
	const char *name;
	uint64_t addr;
};

struct kallsyms_token {
	const char *s;			/* NULL: it lies in a hole */
	uint32_t len;
	uint64_t hash, tail;		/* of its letters; of those after the first */
	uint64_t power;			/* the hash of what precedes it is multiplied by this */
};

struct kallsyms {
	/* set by the loader; bytes are in mem */
	struct arena mem;
	uint32_t num;
	uint8_t word_size;		/* 4 or 8 */
	bool big;
	const uint8_t *names;		/* may run on beyond the last name */
	size_t names_len;
	const uint8_t *tokens;
	size_t tokens_len;
	const uint8_t *token_index;	/* 512 bytes */
	const uint8_t *values;		/* num * value_size bytes */
	uint8_t value_size;		/* 4: offsets; word_size: addresses */
	uint64_t values_va;		/* kernel-virtual address of values */
	uint64_t base;			/* kallsyms_relative_base */
	bool has_base, is_address;	/* which of the forms are possible */
	bool base_lost;			/* it could not be read: an anchor tells it */
	struct {
		struct holes names, tokens, token_index, values;
	} lost;

	/* set by kallsyms_choose_form() */
	enum kallsyms_form form;
	/* set by kallsyms_index() */
	struct kallsyms_token token[256];
	uint32_t *marks;		/* offset in names of every 256th symbol */
	uint16_t *there;		/* of the 256 symbols from it on those that can be read */
	uint32_t *slots;		/* name hash: tag << 22 | index + 1, 0 empty */
	uint32_t mask;
};

/* Zeroed. Free with kallsyms_free(), also when half-built. */
struct kallsyms *kallsyms_new(void);
void kallsyms_free(struct kallsyms *k);

/* Check names and tokens and build the name hash. */
enum status kallsyms_index(struct kallsyms *k);
/* Its last part, for names whose tokens changed. */
void kallsyms_index_names(struct kallsyms *k);
/* Token CODE is the LEN characters at S, which K does not copy. */
void kallsyms_set_token(struct kallsyms *k, uint8_t code, const char *s, uint32_t len);

struct symlist;

/* After kallsyms_choose_form(): tokens that are lost, by KNOWN names of symbols; see kallsyms_tokens.c.
   False: names lack parts still that are none of the compiler's own. */
bool kallsyms_mend_tokens(struct kallsyms *k, const struct symlist *known);

/*
 * Choose the form of the values, after kallsyms_index(). ST_CORRUPT if no
 * form puts every anchor that the table names at its address; if there are
 * anchors, the table must name at least one. Without anchors, addresses must ascend.
 */
enum status kallsyms_choose_form(struct kallsyms *k, const struct kallsyms_anchor *a,
				 unsigned n);

/* After kallsyms_index(): are the kernel's own marks behind the names, which are at KVA? */
bool kallsyms_marked(const struct kallsyms *k, uint64_t kva);

/* Bytes of names that the num symbols take; 0 if they run out of names_len. */
size_t kallsyms_names_size(const struct kallsyms *k);

/* Fill marks and there, which have room; see kallsyms_marks.c. */
void kallsyms_find_marks(struct kallsyms *k);
/* Step over one length prefix at *POS; false when the names run out. */
bool kallsyms_name_len(const struct kallsyms *k, size_t *pos, uint32_t *len);

/* The token numbers of the name of symbol I; NULL: they cannot be read. */
const uint8_t *kallsyms_codes(const struct kallsyms *k, uint32_t i, uint32_t *len);
/* Name of symbol I with its type letter; length, 0 if it cannot be decoded. */
size_t kallsyms_name(const struct kallsyms *k, uint32_t i, char buf[KALLSYMS_NAME_LEN]);
/* Of a symbol whose value lies in a hole: that of the last before the hole. */
uint64_t kallsyms_address(const struct kallsyms *k, uint32_t i);
/* Pages of the tables that could not be read, of all; 0: none. */
unsigned kallsyms_lost(const struct kallsyms *k, unsigned *of, enum status *why);

/* If several symbols have the name: the first global one, else the first. */
bool kallsyms_find(const struct kallsyms *k, const char *name, uint64_t *addr);

/* The symbol that ADDR is in, as kallsyms_lookup() finds it. */
struct symbol_place;
bool kallsyms_at(const struct kallsyms *k, uint64_t addr, struct symbol_place *ret);

struct dump;
struct reader;

/* Fill K by the signature of the tables; see kallsyms_scan.c. ST_CORRUPT: there are only
   tokens. */
enum status kallsyms_scan(struct kallsyms *k, struct reader *r,
			  const struct kallsyms_anchor *a, unsigned n);

#endif
