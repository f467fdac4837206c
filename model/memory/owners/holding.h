/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * holding.h - owners under construction; private to model/memory/owners/.
 *
 * A walker asks for its object once (held_get()), and says what the object has: frames, folios,
 * or whatever lies behind a pointer. Frames without a class get one.
 */
#ifndef VMCENSUS_HOLDER_HOLDING_H
#define VMCENSUS_HOLDER_HOLDING_H

#include "dumpread/base/hash.h"
#include "model/kernel/kobj.h"
#include "model/kernel/page/pagefmt.h"
#include "model/kernel/vmalloc/vmalloc.h"
#include "model/memory/owners/owners.h"

#define HELD_PARTS 6		/* classes in which one object has memory */

struct held {
	enum owner_kind kind;
	uint64_t object;
	const char *what;
	struct held_part {
		enum page_class class;
		uint64_t size, pages;
	} part[HELD_PARTS];
	unsigned nparts;
	struct held_by *holders;	/* the newest first */
	uint32_t files;			/* open files that lead to it */
	struct held *carrier;		/* a socket in whose queue such a file waits; NULL: none */
	bool kernel, incomplete;
};

struct held_ref {
	struct held *o;			/* NULL: none */
};

struct in_flight {
	uint64_t file;
	struct held *carrier;
};

struct holding {
	const struct snapshot *s;
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	struct page_classes *c;
	const struct vmalloc *areas;
	uint64_t areas_start, areas_end;	/* all areas are in it; the linear memory may be, too */
	struct pagefmt fmt;
	struct hash by_object;		/* -> index in v */
	VEC(struct held_ref) v;
	struct hash files;		/* struct file -> index in file_owners */
	VEC(struct held_ref) file_owners;
	uint64_t lost_files;		/* of them: not readable, nor what they lead to */
	VEC(struct in_flight) in_flight;	/* files that sockets carry, and nobody looked at */
	struct hash seen;		/* objects of slabs that have an owner */
	struct hash caches;		/* slab cache -> bytes of an object */
	uint64_t left;			/* frames and objects that owners may still name */
	uint64_t slab_left, percpu_left; /* bytes that they may still have there */
};

void holding_init(struct holding *h, const struct snapshot *s, struct reader *r, struct arena *mem,
		  struct page_classes *c, const struct vmalloc *areas);
/* The rows, in MEM: H->mem may be released. */
void holding_finish(struct holding *h, struct arena *mem, struct owners *ret);

/* The owner OBJECT. *fresh: it was not known before. */
struct held *held_get(struct holding *h, enum owner_kind kind, uint64_t object, bool *fresh);
/* PROC holds O; it may be said several times. */
void held_by(struct holding *h, struct held *o, uint32_t proc);

/* Does this kernel have, and its types show, all N facts? */
bool holding_knows(const struct holding *h, const enum layout_id *facts, size_t n);
/* Member ID of OBJECT; 0: there is no object or no such member, or it cannot be read. */
uint64_t holding_get(struct holding *h, uint64_t object, enum layout_id id);
/* A member of OBJECT, 0 if this kernel has none; if it is not readable, O is incomplete. */
uint64_t held_member(struct holding *h, struct held *o, uint64_t object, enum layout_id id);

/* An issue: WHAT, which has no owner that could be incomplete. */
void holding_damaged(const struct holding *h, const char *what, uint64_t addr);
/* Can KVA be a pointer to an object: aligned, and mapped by the kernel? */
bool holding_mapped(struct holding *h, uint64_t kva);

/* The area of vmalloc() or vmap() that KVA is in, or NULL. */
const struct vmalloc_area *holding_area(const struct holding *h, uint64_t kva);
/* May KVA be memory that was allocated: a kernel's address, and none in its image? */
bool holding_allocated(const struct holding *h, uint64_t kva);

/* False if no more can be named: the lists of this dump are longer than its memory. */
bool holding_budget(struct holding *h, struct held *o, uint64_t n);

/* N frames from PFN on; those without a class are TO from now on. */
void held_frames(struct holding *h, struct held *o, uint64_t pfn, uint64_t n, enum page_class to);
/* The folio, or single page, that the struct page at PAGE_KVA is part of. */
void held_folio(struct holding *h, struct held *o, uint64_t page_kva, enum page_class to);
/* The same by an address in its linear memory; N: frames if it is no folio. */
void held_linear(struct holding *h, struct held *o, uint64_t kva, uint64_t n, enum page_class to);
/* The folios of N struct pages, whose addresses are in an array. */
void held_page_array(struct holding *h, struct held *o, uint64_t array, uint64_t n,
		     enum page_class to);
/* What kmalloc(), kvmalloc(), vmalloc() or a slab cache returned. */
void held_memory(struct holding *h, struct held *o, uint64_t kva);
/* FN for each object of a red-black tree; OFFSET: of its rb_node. */
void held_tree(struct holding *h, struct held *o, uint64_t root, uint32_t offset,
	       void (*fn)(void *holding, struct held *o, uint64_t object));
/* SIZE bytes of memory in CLASS that are known to be nobody else's. */
void held_bytes(struct held *o, enum page_class class, uint64_t size, uint64_t pages);
/* SIZE bytes of per-CPU areas. */
void held_percpu(struct holding *h, struct held *o, uint64_t size);

/* The sk_buff, its head and its fragments. */
void packet_read(struct holding *h, struct held *o, uint64_t skb);
/* Does this kernel show what an sk_buff has? */
bool packets_known(const struct holding *h);

/* ---- walkers: each fills an owner that a descriptor or a list led to ---- */

void pipe_read(struct holding *h, struct held *o);
void socket_read(struct holding *h, struct held *o);
/* The same of sk, which is of AF_ALG: what it has beside its queues. */
void crypto_read(struct holding *h, struct held *o, uint64_t sk);
void tun_read(struct holding *h, struct held *o);
void uring_read(struct holding *h, struct held *o);
void perf_read(struct holding *h, struct held *o);
void bpf_map_read(struct holding *h, struct held *o);
void epoll_read(struct holding *h, struct held *o);
void watches_read(struct holding *h, struct held *o);
void dmabuf_read(struct holding *h, struct held *o);
void mqueue_read(struct holding *h, struct held *o);
/* A struct zs_pool: what O stores in it. */
void zspool_read(struct holding *h, struct held *o, uint64_t pool);
/* The struct gendisk DISK, called NAME: what it stores, if it is of zram. */
void zram_read(struct holding *h, uint64_t disk, const char *name);
/* The same: its stripes, if it is an array of RAID 4, 5 or 6. */
void raid_read(struct holding *h, uint64_t disk, const char *name);
/* The same: what was written to it, if it is a disk in memory. */
void ramdisk_read(struct holding *h, uint64_t disk, const char *name);

/* Owners that processes hold by a descriptor or a mapping. Needs NEED_VMAS. */
bool descriptors_walk(struct holding *h);
/* Owners of which the kernel has lists. */
void bpf_maps_walk(struct holding *h);
void messages_walk(struct holding *h);
void trace_walk(struct holding *h);
void block_walk(struct holding *h);
void pools_walk(struct holding *h);
void hashes_walk(struct holding *h);
void balloons_walk(struct holding *h);
void page_pools_walk(struct holding *h);
void swapping_walk(struct holding *h);
void xfs_buffers_walk(struct holding *h);
void queues_walk(struct holding *h);
void rpc_servers_walk(struct holding *h);
void kexec_walk(struct holding *h);

#endif
