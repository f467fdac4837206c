/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf_check.h - checks BTF before libbpf reads it.
 *
 * libbpf trusts BTF (it comes from the running kernel); ours comes from a dump.
 * btf_check() verifies every offset, size, string and reference, and rewrites
 * the blob, in place, into a form that libbpf 1.1 takes:
 *   - this machine's byte order and a 24-byte header, whatever was there;
 *   - kinds that hold no layout (functions, variables, sections, tags, and
 *     whatever kinds came after ENUM64) become nameless forward declarations
 *     with the same type id. Kinds unknown here are stepped over by the layout
 *     section of 7.1 and later.
 */
#ifndef VMCENSUS_BTF_CHECK_H
#define VMCENSUS_BTF_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/diag.h"
#include "dumpread/base/status.h"
#include "dumpread/holes.h"

#define BTF_MAX_BYTES (256u << 20)
#define BTF_MAX_TYPES (4u << 20)

#define BTF_LOST_CHAR '\1'		/* stands for each letter of a name that could not be read */

/* Does BTF of either byte order start here? *big (may be NULL): which. */
bool btf_sniff(const uint8_t *data, size_t len, bool *big);

/* Magic number and version, the first 3 bytes as a little-endian number (linux/btf.h). */
#define BTF_HEAD 0xffffffu
#define BTF_LITTLE 0x01eb9fu
#define BTF_BIG 0x019febu

/* Bytes of the blob that starts here by its header; 0 if it makes no sense. */
size_t btf_extent(const uint8_t *data, size_t len);

/*
 * What the BTF of a module builds on: it goes on counting types and bytes of strings where that of
 * the kernel ends (split BTF). All 0: it stands alone.
 */
struct btf_base {
	uint32_t ntypes;		/* without type 0 */
	uint32_t str_len;
};

/*
 * A header for LEN bytes at DATA whose own is lost, from where the strings begin: they are text to the end. Of a
 * header with a layout section (7.1 and later) that cannot be told; what does not fit is found by btf_check().
 */
void btf_mend_header(uint8_t *data, size_t len, bool big);

/* DATA: 4-byte aligned, *len bytes; *len becomes the new, smaller length. HOLES of it could not be read and
   are zeros; NULL: none. */
enum status btf_check(uint8_t *data, size_t *len, struct btf_base base, const struct holes *holes,
		      struct diag *diag);

#endif
