/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lost.h - struct pages that could not be read, and who asked for them.
 *
 * A chunk is read once, for whoever asks first. What it lacks is an issue of each who asks. So that a snapshot can
 * serve several reports, and each has the losses that it would have alone, it is noted who asked for a chunk that
 * lacks something. While reports are served such chunks are veiled: frame_at() goes through frame_fetch() for them.
 */
#ifndef VMCENSUS_LOST_H
#define VMCENSUS_LOST_H

#include "model/memory/frames/frames.h"

/* Chunk C lacks what SUMS says. Caller holds the lock; once for each chunk. */
void lost_note(struct frame_store *st, uint64_t c, const struct frame_sums *sums);
/* The one who asks now asks for chunk C. */
void lost_ask(struct frame_store *st, uint64_t c);
/* Those in which the walk found mappings were asked for by it. After the walk. */
void lost_ask_seen(const struct frames *f);
/* What was lost so far does not count: all is read again. */
void lost_forget(struct frame_store *st);

/* The chunk that is kept in place C, behind the veil too; NULL: none. */
struct frame_chunk *lost_unveiled(const struct frames *f, uint64_t c);
/* What is to be in place C for CHUNK, which was read. Caller holds the lock. */
struct frame_chunk *lost_veiled(struct frame_store *st, uint64_t c, struct frame_chunk *chunk);
/* What place C keeps is given back. */
void lost_drop(struct frame_store *st, uint64_t c);

/*
 * A report is made, of a snapshot in which WHO (of enum frames_asker) asked for frames: frames.unread and the heads
 * that are lost are theirs, and the report's.
 */
void frames_serve(const struct snapshot *s, unsigned who);
/* No report is. What is lost is what the build told. */
void frames_serve_end(const struct snapshot *s);
/* Issues of the struct pages that WHO lacks, as frames_tell() has them. Returns their number; IS may be NULL. */
uint64_t frames_tell_of(const struct snapshot *s, unsigned who, struct issues *is);

#endif
