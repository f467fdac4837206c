/* SPDX-License-Identifier: GPL-3.0-or-later */
/* btf_blob.h - BTF while it is checked and mended. Private to dumpread/types. */
#ifndef VMCENSUS_BTF_BLOB_H
#define VMCENSUS_BTF_BLOB_H

#include <linux/btf.h>

#include "dumpread/types/btf_check.h"

#define BTF_KINDS 128u			/* that 7 bits can name */
#define BTF_VLEN(info) ((info) & 0xffffffu)
#define BTF_KIND_OF(info) (((info) >> 24) & 0x7fu)
#define BTF_INERT ((uint32_t)BTF_KIND_FWD << 24)	/* info of a type of which nothing is asked */

/* The parts that follow the three words of a type, in words. */
struct btf_shape {
	uint8_t fixed, element;
	bool known;
	bool kept;			/* holds layout; else it becomes inert */
	bool ref;			/* third word is a type id */
};

struct btf_blob {
	uint32_t *types;		/* in this machine's order once they are swapped */
	size_t ntypes_words, nwords_out;
	size_t types_at, strs_at;	/* bytes from the start of the blob */
	char *strs;
	uint32_t str_len;
	uint32_t ntypes;		/* of its own; the last id is base.ntypes + ntypes */
	struct btf_base base;
	struct btf_shape shape[BTF_KINDS];
	struct diag *diag;
};

/* May a name begin at byte OFF of the strings? */
bool btf_name_ok(const struct btf_blob *b, uint32_t off);
bool btf_size_ok(uint32_t kind, uint32_t size);

/*
 * Types with holes: those that could not be read become inert ones, as many as there were, so that all others
 * keep their ids (btf_mend.c). What comes behind a hole of which that cannot be told is inert as well.
 */
void btf_mend_types(struct btf_blob *b, const struct holes *holes);

#endif
