/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf_index.h - names of a struct btf, found at once.
 *
 * libbpf's btf__find_by_name() is a linear scan; here are two hash tables over
 * its strings, built in one pass. BTF and DWARF (rewritten to BTF, dwarf.c)
 * both end here, so that the path language of types.h exists once (path.c).
 */
#ifndef VMCENSUS_BTF_INDEX_H
#define VMCENSUS_BTF_INDEX_H

#include <bpf/btf.h>
#include <stdbool.h>
#include <stdint.h>

#include "dumpread/base/arena.h"
#include "dumpread/dump.h"

struct btf_index {
	struct btf *btf;
	uint32_t first;		/* id of the first type to be found: 1, or where the base ends */
	bool big_endian;	/* of the kernel described, for bit fields */
	bool signs;		/* enums say whether they are signed */
	bool damaged;		/* types or names of it could not be read */
	uint32_t *types;	/* hash -> type id, 0 empty */
	uint32_t types_mask;
	struct { uint32_t id, nr; } *enums;	/* hash -> type id, enumerator */
	uint32_t enums_mask;
	struct arena mem;
};

/* Takes BTF over. BASE: the one that it goes on from, whose types are not found here; NULL: none. */
struct btf_index *btf_index_new(struct btf *btf, const struct btf_index *base, unsigned word_size,
				bool big_endian);
void btf_index_free(struct btf_index *x);

/*
 * Type id of NAME (LEN bytes), 0 if there is none. A struct or union goes before a
 * typedef, a typedef before an enum, an enum before an integer; among equals the first.
 */
uint32_t btf_index_type(const struct btf_index *x, const char *name, size_t len);
/* Of a type or enumerator that is not found: is it among what could not be read? A string that nothing has is the
   name of what is lost, and so is one of a member that leads there; an enumerator whose letters are lost is known by
   its length, and by others of its enum. */
bool btf_index_lost(const struct btf_index *x, const char *name, size_t len);
/* Can S, of which letters may be lost, be NAME? */
bool btf_may_be(const char *s, const char *name, size_t len);
bool btf_index_enumerator(const struct btf_index *x, const char *name, int64_t *ret);

/* Put X in the chain of D under NAME; X then belongs to it. */
enum status btf_index_attach(struct btf_index *x, struct dump *d, const char *name);

#endif
