/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * identity.h - which crash a dump shows, whatever file it is in.
 *
 * Two files have one identity if they are of one crash: recompressed, converted to another
 * container, or filtered by makedumpfile (at level 31 too). It is a SHA-256 over memory that
 * makedumpfile never leaves out: variables of the kernel image. Those are read by symbol alone,
 * so that it does not depend on types that the user gave.
 */
#ifndef VMCENSUS_IDENTITY_H
#define VMCENSUS_IDENTITY_H

#include "model/model.h"

#define IDENTITY_TEXT 65	/* 64 hexadecimal digits, with the NUL */

/*
 * Writes the identity of K's dump. False with "" if there is none: a collector's text, or no
 * variable could be read. Reads memory; K stays as it is.
 */
bool identity_of(const struct kernel *k, char ret[IDENTITY_TEXT]);

/* The build-id of the kernel as hexadecimal digits; "" if the dump does not tell it. */
void identity_build_id(const struct kernel *k, char ret[IDENTITY_TEXT]);

#endif
