/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slab_free.h - the free objects of SLUB: lists in slabs and of CPUs, whose links may be encoded, and
 * sheaves. For use by several threads once it is made, each with a reader of its own.
 */
#ifndef VMCENSUS_SLAB_FREE_H
#define VMCENSUS_SLAB_FREE_H

#include "dumpread/base/hash.h"
#include "model/kernel/slab/slab.h"

/* How a link is written: freelist_ptr(), mm/slub.c. */
enum slab_link {
	LINK_PLAIN,
	LINK_XOR,		/* with kmem_cache.random and its own address: 2482ddec670f (v4.14) */
	LINK_XOR_SWAPPED,	/* of which the bytes are swapped: 1ad53d9fa3f6 (v5.7) */
};

/* One slab: N objects from KVA, the first object's address, on. */
struct slab_place {
	uint64_t kva;
	uint32_t cache;		/* index in slab_caches */
	uint32_t n;
};

struct slab_form {
	uint64_t random;
	uint32_t offset;	/* of the link in a free object */
	uint32_t left;		/* bytes before the first object of a slab */
	uint32_t inuse;		/* of an object, before metadata; 0: not known */
	bool known;		/* these, and the sizes of the cache, could be read and can be true */
};

struct slab_free {
	const struct kernel *k;
	const struct slab_caches *sc;
	struct slab_form *form;		/* [sc->n] */
	enum slab_link link;
};

/* In MEM; SC is borrowed. ST_ABSENT: the allocator is not SLUB, or its members are not known. */
enum status slab_free_init(struct slab_free *f, const struct kernel *k, struct reader *r,
			   const struct slab_caches *sc, struct arena *mem);

/* Does the list of P that begins with FIRST look right when links are written as LINK? *LEN: its objects. */
bool slab_free_fits(const struct slab_free *f, struct reader *r, const struct slab_place *p, uint64_t first,
		    enum slab_link link, uint32_t *len);

/*
 * FN for the number of each object in the list of P that begins with FIRST, which may be 0. ST_CORRUPT: the list
 * leaves its slab or is longer than it; FN was called for what came before. ST_NODATA: a page is missing.
 */
enum status slab_free_each(const struct slab_free *f, struct reader *r, const struct slab_place *p,
			   uint64_t first, void (*fn)(void *arg, uint32_t object), void *arg);

/* What lies outside of slabs; a function may be NULL. */
struct slab_free_ops {
	/* The first free object of a list that a CPU has taken over from its slab. */
	void (*list)(void *arg, uint64_t kva);
	/* An object in a sheaf. */
	void (*object)(void *arg, uint64_t kva);
	void *arg;
};

/* Of all CPUs and nodes. Damage is an issue of the kernel. */
void slab_free_outside(const struct slab_free *f, struct reader *r, const struct slab_free_ops *ops);

/*
 * Bytes of the object at P, of cache CACHE and SIZE bytes, that mean something: of a sheaf (v6.18) those up to its
 * last object, as what follows is left from earlier ones; else SIZE. BY_ADDR: kmem_cache -> index.
 */
uint32_t slab_sheaf_bytes(const struct slab_free *f, const struct hash *by_addr, uint32_t cache,
			  const uint8_t *p, uint32_t size);

#endif
