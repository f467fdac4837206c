/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmcoreinfo.h - "KEY=value" lines, as the kernel exports them
 * (Documentation/admin-guide/kdump/vmcoreinfo.rst).
 */
#ifndef VMCENSUS_IMAGE_VMCOREINFO_H
#define VMCENSUS_IMAGE_VMCOREINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text after "KEY=" up to the end of its line, cut to SIZE; false if absent. */
bool vmcoreinfo_value(const char *text, const char *key, char *buf, size_t size);

/* The same as an unsigned integer of BASE (10 or 16, "0x" allowed). */
bool vmcoreinfo_uint(const char *text, const char *key, int base, uint64_t *ret);

#endif
