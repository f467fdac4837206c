/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * virsh.h - the header of a file that "virsh save" wrote, before QEMU's migration stream (libvirt
 * src/qemu/qemu_saveimage.h), in the byte order of that host:
 *
 *	0	"LibvirtQemudSave", or "LibvirtQemudPart" if saving did not end
 *	16	version u32 2; 20 bytes of XML u32; 24 was running u32
 *	28	format u32	0 plain, 1 gzip, 2 bzip2, 3 xz, 4 lzop, 5 zstd: of the stream
 *	92	the XML, then the stream
 */
#ifndef VMCENSUS_VIRSH_H
#define VMCENSUS_VIRSH_H

#include <stdbool.h>
#include <stdint.h>

#define VIRSH_HEADER 92u	/* bytes */

struct virsh_header {
	uint64_t stream;	/* where it begins in the file */
	uint32_t packed;	/* the format */
	bool partial;		/* its saving did not end */
};

/* Do the 16 bytes at H begin such a file? */
bool virsh_is(const void *h);
/* False: the VIRSH_HEADER bytes at H are those of another file. */
bool virsh_header_read(const uint8_t *h, struct virsh_header *ret);

#endif
