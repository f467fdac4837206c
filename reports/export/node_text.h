/* SPDX-License-Identifier: GPL-3.0-or-later */
/* node_text.h - the files of /sys/devices/system/node; private to reports/export. */
#ifndef VMCENSUS_NODE_TEXT_H
#define VMCENSUS_NODE_TEXT_H

#include "model/kernel/zone/zones.h"
#include "reports/export/tree.h"

/* node/nodeN/{meminfo,numastat,distance} of a kernel with CONFIG_NUMA, from the top of T on. */
void put_nodes(struct tree *t, const struct snapshot *s, const struct zones *zs);

#endif
