/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frames.h - the kind of each page frame, in proportion to what is asked.
 *
 * Frames come in chunks of FRAME_CHUNK. A chunk is read from the page array when one of its
 * frames is first asked for (frame_at()), and kept in 2 bytes a frame, in bounded memory.
 * Where the bound does not hold all chunks that a walk meets, the walk is done in rounds:
 * in each it counts only the entries that map frames whose turn it is.
 *
 * The mappings of single frames are not kept. For each chunk there is one sum over its
 * mappings, each weighted by its frame: it equals the same sum over the kernel's mapcounts
 * if the counts of all its frames do. Where the sums differ, the mappings of that chunk are
 * counted one by one, in another walk (model/memory/usage/account.h).
 */
#ifndef VMCENSUS_FRAMES_H
#define VMCENSUS_FRAMES_H

#include <pthread.h>

#include "dumpread/base/pool.h"
#include "model/memory/frames/frame_read.h"
#include "model/model.h"

/* Bytes that a chunk takes, and bytes with its mappings counted one by one. */
#define FRAMES_CHUNK_BYTES (sizeof(struct frame_chunk) + 16)
#define FRAMES_FOUND_BYTES (FRAMES_CHUNK_BYTES + FRAME_CHUNK * sizeof(uint32_t))

#define FRAMES_TABLE (UINT32_C(1) << 17)	/* slots of frame_store.by_value */
#define FRAMES_GUESTS 256		/* of frames.kind, behind those with an index */
#define FRAMES_RECENT 1024u		/* kinds that a filler remembers */
#define FRAMES_SAME 1024u	/* distinct chunks that may be shared */
#define FRAMES_RUNS 512u	/* of equal frames, in a chunk that may be shared */

/* A frame whose mappings are known, to be packed by frames_give(). */
struct frame_given {
	uint32_t mapcount, flags;	/* as in struct frame */
	uint32_t found;			/* mappings */
};

/* What is known of a chunk that was read, whether it is kept or not. */
struct frame_sum {
	uint64_t expected;		/* sum of mapcounts, each times frame_weight() */
	uint32_t there;			/* frames with a struct page, read or not */
	uint32_t mapped;		/* of them, with a mapcount */
};

/* Of a chunk, in a walk that has turns. */
enum frame_turn { TURN_OPEN, TURN_NOW, TURN_DONE };

/* A chunk some of whose struct pages could not be read: lost.h. */
struct frame_lost {
	uint32_t unread, heads;
	unsigned asked;		    /* enum frames_asker: who asked for the chunk */
	struct frame_chunk *behind; /* what is kept of it, while it is veiled */
};

struct frame_filler;
struct pagefmt;

struct frame_store {
	struct frames *frames;
	const struct kernel *k;		/* NULL: they were given */
	struct pagefmt *fmt;
	bool by_head;			/* for a huge page, only its head has counts */
	bool in_parts;			/* chunks are read in parts, see frames_in_parts() */
	bool *whole;			/* but for these; NULL: none */
	pthread_mutex_t lock;
	pthread_cond_t ready;		/* a chunk was read */
	struct frame_filler *idle;
	unsigned nfillers;		/* that were made */
	struct class_pass *classes;	/* gets struct pages that are read; NULL: none */
	/* distinct frames */
	pthread_mutex_t kinds_lock;
	uint16_t *by_value;		/* hash table: index in frames.kind, + 1 */
	uint32_t nkinds;
	uint32_t nguests;		/* frames beyond them that were asked for, one by one */
	/* chunks */
	struct pool pool;		/* has them */
	uint8_t *state;			/* of each: enum chunk_state of frames.c */
	struct frame_sum *sum;
	uint64_t kept, limit;		/* bytes of those that are kept */
	struct frame_chunk *same[FRAMES_SAME];	/* by a hash of the kinds: chunks that are shared */
	struct frame_chunk *spare;	/* kept beyond the limit, for frames_load() */
	uint64_t spare_at;
	/* the walk */
	uint8_t *turn;			/* enum frame_turn of each; NULL: all fit at once */
	bool walking;			/* chunks are only read when they get their turn */
	bool closed;			/* one did not get it for want of room */
	uint64_t chunk_bytes;		/* that a chunk takes meanwhile */
	uint64_t *seen;			/* of each: the sum over mappings; NULL: none was made */
	uint32_t **found;		/* of each: mappings of each frame; NULL: not counted */
	uint64_t lost_heads;
	struct frame_lost *lost;  /* of each chunk; NULL: nothing is lost */
	struct frame_chunk *veil; /* in the place of chunks that lack something; NULL: none is */
	unsigned asker,
		counted; /* who asks now; whose losses are in frames.unread and lost_heads */
	uint64_t told_unread, told_lost;	/* of these, in an issue */
};

/*
 * Prepares s->frames; nothing but what decides frames.average is read. The bound is
 * k->memory less what is in use. S->refused is set if that leaves nothing.
 */
void frames_open(struct snapshot *s);
/* Makes s->frames of CHUNKS[nchunks], each of FRAME_CHUNK frames; NULL: it has none. */
void frames_give(struct snapshot *s, struct frame_given *const *chunks, uint64_t nchunks,
		 uint64_t max_pfn);
void frames_free(struct frames *f);

/* Issues of the struct pages read since the last call. */
void frames_tell(const struct snapshot *s);

/* Makes frame_at() quick for the chunk of PFN, also without room. For loops over all frames,
   in one thread. */
void frames_load(const struct frames *f, uint64_t pfn);
/* frame_at() in a loop over all frames. */
static inline const struct frame *frame_of_all(const struct frames *f, uint64_t pfn)
{
	uint64_t c = pfn >> FRAME_CHUNK_SHIFT;

	if (c < f->nchunks && !f->chunk[c])
		frames_load(f, pfn);
	return frame_at(f, pfn);
}
/* Reads all chunks for which there is room, in parallel. */
void frames_load_all(const struct snapshot *s);
/* Gives back what can be read again. */
void frames_drop(const struct frames *f);
/* Chunks that were read and have frames. */
uint64_t frames_chunks(const struct frames *f);
/* Is there room for BYTES of each chunk of the machine, and for MORE? */
bool frames_fit(const struct frames *f, uint64_t bytes, uint64_t more);
/* Room for more, in bytes. */
uint64_t frames_room(const struct frames *f);

/* The first chunk from C on that may have frames; nchunks: none. */
uint64_t frames_next_chunk(const struct frames *f, uint64_t c);
/* Was chunk C read? Then frame_store.sum has its sums. */
bool frames_summed(const struct frames *f, uint64_t c);
/* Reads it without keeping it. */
void frames_sum(const struct frames *f, uint64_t c);
/* Frames marked as page tables, in all of memory; reads all of it. */
uint64_t frames_count_tables(const struct frames *f);

/*
 * From now on, of a chunk only the parts are read that are asked for: a page of struct pages. There
 * are no sums of its mappings then. Chunks of WHOLE[nchunks], which the frames take, are read as
 * ever; NULL: none is.
 */
void frames_in_parts(const struct frames *f, bool *whole);
/* Is chunk C read so? */
bool frames_are_parts(const struct frames *f, uint64_t c);

/* From now on, struct pages of whole chunks go to CLASSES, too; NULL: no more. */
void frames_classify(const struct frames *f, struct class_pass *classes);

/* ---- for frames.c, frame_pack.c, frames_open.c and parts.c ---------------------------------------- */

/* What one thread needs to read a chunk. */
struct frame_filler {
	struct frame_filler *next;
	struct frame_reader *reader;	/* NULL: frames are given */
	unsigned number;
	struct frame_sums sums;
	struct { struct frame f; uint16_t kind; bool used; } recent[FRAMES_RECENT];
	struct frame frames[FRAME_CHUNK];
};

/* OUT[n] = KIND, a line of the cache at a time. */
static inline void frame_kinds_repeat(uint16_t *out, uint16_t kind, size_t n)
{
	uint16_t line[32];
	size_t step = ARRAY_LEN(line);

	for (size_t i = 0; i < step; i++)
		line[i] = kind;
	for (; n >= step; n -= step, out += step)
		memcpy(out, line, sizeof(line));
	memcpy(out, line, n * sizeof(*out));
}

static inline uint64_t frame_hash(uint64_t x)
{
	x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
	return (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
}

/* The hash of a chunk's kinds, up to a run of KIND that ends before frame END, from that before it. */
static inline uint64_t frame_kinds_hash(uint64_t before, uint16_t kind, uint32_t end)
{
	return frame_hash(before ^ ((uint64_t)end << 16 | kind));
}

struct frame_filler *frames_take_filler(struct frame_store *st);
void frames_give_filler(struct frame_store *st, struct frame_filler *fi);
/* The index of F in frames.kind, or FRAME_RARE. */
uint16_t frames_kind_of(struct frame_store *st, struct frame_filler *fi, const struct frame *f);
/* Writes the frames of FI to CHUNK, which has none yet. Returns the hash of its kinds; 0: another is
   hardly the same. */
uint64_t frames_pack(struct frame_store *st, struct frame_filler *fi, struct frame_chunk *chunk);
/* The sums of chunk C. Of FRAMES that are ALIKE only the first is looked at. */
void frames_sum_up(struct frame_store *st, uint64_t c, const struct frame *frames, bool alike);
/* A frame whose chunk is not kept. */
const struct frame *frames_peek(struct frame_store *st, uint64_t pfn);
/* A chunk of which nothing was read, and a frame of it. */
struct frame_chunk *parts_new(struct frame_store *st);
const struct frame *parts_frame(struct frame_store *st, struct frame_chunk *chunk, uint64_t pfn);

void frames_put(struct frames *f, uint64_t c, const struct frame *frames);
void frames_put_none(struct frames *f, uint64_t c);
void frames_free_chunk(struct frame_store *st, struct frame_chunk *chunk);
void frames_free_fillers(struct frame_store *st);
/* Reads chunk C, and keeps it if there is room. Are parts of a folio mapped there, and have
   they mapcounts of their own? */
void frames_probe(struct frames *f, uint64_t c, bool *in_parts, bool *own);

/* ---- mappings ---------------------------------------------------------------------- */

/*
 * The sum of the weights of the N frames from PFN on. A weight is the difference of the hashes of two
 * neighbours, so that a range costs what a frame costs. Of a difference of counts remains what changes from
 * frame to frame, times a hash, and at both ends of the chunk: it is not 0, but by chance.
 */
static inline uint64_t frame_weights(uint64_t pfn, uint64_t n)
{
	return frame_hash(pfn + n) - frame_hash(pfn);
}

static inline uint64_t frame_weight(uint64_t pfn)
{
	return frame_weights(pfn, 1);
}

/* Does only the head of FR's page have a count? */
static inline bool frame_counts_by_head(const struct frame_store *st, const struct frame *fr)
{
	return st->by_head && fr->flags & FR_TAIL && fr->flags & (FR_ANON | FR_HUGETLB);
}

/* The kernel's count for the frame at PFN, FR. Huge pages are mapped whole before 4.5
   (53f9263baba6), and their heads have that count. */
uint32_t frame_counted(const struct frames *f, const struct frame *fr, uint64_t pfn);

/* No page: the value in its struct page is not a count. */
static inline bool frame_is_blank(const struct frame *fr)
{
	return fr->flags & FR_BLANK;
}

/* Mappings of PFN that the walk found. With NEED_FOUND, or where they were given. */
uint32_t frame_found(const struct frames *f, uint64_t pfn);
/* Are the mappings of all frames in the chunk of PFN equal, as is known without a look at each? */
bool frames_found_alike(const struct frames *f, uint64_t pfn);
/* Where they are counted: zeroed counters of chunk C, made by any thread. */
uint32_t *frames_found_make(const struct frames *f, uint64_t c);
void frames_found_drop(const struct frames *f);

/* A walk with turns begins; a walk may have to be repeated while frames_turn_end(). BYTES:
   what a chunk takes meanwhile. */
void frames_turns_begin(const struct frames *f, uint64_t bytes);
bool frames_turn_end(const struct frames *f);
/* A walk in which only CHUNKS[n] have a turn, until frames_turns_over(). */
void frames_turns_only(const struct frames *f, const uint64_t *chunks, size_t n);
void frames_turns_over(const struct frames *f);
/* Gives chunk C its turn, if it had none and there is room. */
bool frames_admit(const struct frames *f, uint64_t c);

#endif
