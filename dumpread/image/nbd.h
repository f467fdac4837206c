/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nbd.h - the export of an NBD server, read by libnbd over a socket that somebody else has
 * connected.
 */
#ifndef VMCENSUS_IMAGE_NBD_H
#define VMCENSUS_IMAGE_NBD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dumpread/base/diag.h"

struct nbd;

/* Loads libnbd: before a sandbox is entered, where it is asked for. False: it is not there. */
bool nbd_load(void);
/* Takes the socket FD, also if it fails. ST_UNSUPPORTED or ST_IO with DIAG. */
enum status nbd_open(int fd, const char *export, struct diag *diag, struct nbd **ret);
void nbd_close(struct nbd *n);
/* Bytes of the export. */
uint64_t nbd_size(const struct nbd *n);
/* LEN bytes at OFF, all within the size. One call at a time. ST_IO. */
enum status nbd_read(struct nbd *n, uint64_t off, void *buf, size_t len);

#endif
