/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page_charge.h - the control group that is charged with a page; private to model/memory/census/. */
#ifndef VMCENSUS_CENSUS_PAGE_CHARGE_H
#define VMCENSUS_CENSUS_PAGE_CHARGE_H

#include "model/kernel/page/pagefmt.h"

/*
 * Address of the css of the memory controller (struct cgroup has it) that the page at P, of a
 * compound page its head, is charged to; 0: none, or not readable. Objects of a slab are charged
 * one by one: its pages have none.
 */
uint64_t page_charge(const struct pagefmt *f, struct reader *r, const uint8_t *p);

#endif
