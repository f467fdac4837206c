/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kobj.h - one kernel object, read whole; members are taken from the copy.
 *
 * Only this code handles width, sign, byte order, bit fields and bounds. A member that
 * this kernel lacks reads as 0: ask layout_has() first if 0 is a possible value.
 *
 *     struct kobj task;
 *     kobj_init(&task, k, S_TASK);             once, before the loop
 *     st = kobj_read(&task, r, addr);          one read of sizeof(task_struct)
 *     pid = kobj_int(&task, M_TASK_PID);
 *     kobj_release(&task);
 */
#ifndef VMCENSUS_KOBJ_H
#define VMCENSUS_KOBJ_H

#include "model/kernel/kernel.h"

struct kobj {
	const struct kernel *k;
	uint8_t *data;
	uint32_t size;		/* bytes of the type */
	uint32_t extent;	/* of them, the bytes that are read (see struct layout) */
	uint64_t addr;		/* of the object last read */
};

/* SIZE_ID is an S_... fact; an absent type gives an object of 0 bytes, whose
   reads fail with ST_ABSENT. */
void kobj_init(struct kobj *o, const struct kernel *k, enum layout_id size_id);
void kobj_release(struct kobj *o);

enum status kobj_read(struct kobj *o, struct reader *r, uint64_t addr);

uint64_t kobj_u64(const struct kobj *o, enum layout_id member);
/* Sign-extended from the member's own width. */
int64_t kobj_int(const struct kobj *o, enum layout_id member);
/* Element I of an array member; 0 beyond its end. */
uint64_t kobj_elem(const struct kobj *o, enum layout_id member, uint32_t i);
/* Kernel-virtual address of the member in the dumped machine. */
uint64_t kobj_member_kva(const struct kobj *o, enum layout_id member);
/* Copy at most SIZE-1 bytes of a char array member, always terminated. */
void kobj_str(const struct kobj *o, enum layout_id member, char *buf, size_t size);

/* One member of the object at ADDR, without reading the rest. */
enum status kmember_u64(const struct kernel *k, struct reader *r, uint64_t addr,
			enum layout_id member, uint64_t *ret);
/* The value of a variable: SIZE bytes (0: a word) at symbol Y_.... */
enum status kvar_u64(const struct kernel *k, struct reader *r, enum layout_id symbol,
		     unsigned size, uint64_t *ret);

#endif
