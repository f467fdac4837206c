/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machines.h - what people call a machine. */
#ifndef VMCENSUS_MACHINES_H
#define VMCENSUS_MACHINES_H

#include <stdint.h>

/* "aarch64", as uname -m prints it; NULL: not known. WORD_SIZE may be 0. */
const char *machine_name(uint16_t elf_machine, uint8_t word_size);

#endif
