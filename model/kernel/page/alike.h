/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * alike.h - struct pages that are as the one before them: most are, and what was found out about that
 * one holds for them.
 */
#ifndef VMCENSUS_PAGE_ALIKE_H
#define VMCENSUS_PAGE_ALIKE_H

#include "model/kernel/page/pagefmt.h"

/* The words of a struct page that say what it is, without its neighbours in a list or a folio. */
struct alike_words {
	uint64_t flags, mapping, compound;
	uint32_t type, refs;
};

/* Is a tail told by bit 0 of a word that says which its folio is (4.4 and later), and not by its flags? */
static inline bool page_tails_by_word(const struct pagefmt *f)
{
	return f->compound_form == COMPOUND_HEAD || f->compound_form == COMPOUND_INFO;
}

static inline bool page_may_be_single(const struct pagefmt *f, const uint8_t *p)
{
	if (page_tails_by_word(f))
		return !(page_word(f, p, f->compound) & 1);
	return !f->tail || (page_flags(f, p) & f->tail) != f->tail;
}

static inline struct alike_words alike_words(const struct pagefmt *f, const uint8_t *p)
{
	return (struct alike_words){
		.flags = page_flags(f, p),
		.mapping = page_mapping(f, p),
		.compound = page_word(f, p, f->compound),
		.type = page_type(f, p),
		.refs = page_refcount(f, p),
	};
}

/*
 * 0: the struct page at P is a single page, as W is, with its flags, mapping, type and references.
 * Heads are told by a flag, and tails too where they are not told by a word.
 */
static inline __attribute__((always_inline)) uint64_t
single_differs(const struct pagefmt *f, const uint8_t *p,
				      const struct alike_words *w)
{
	return (page_may_be_single(f, p) ? 0 : 1) | (page_flags(f, p) ^ w->flags) |
	       (page_mapping(f, p) ^ w->mapping) | (page_type(f, p) ^ w->type) |
	       (page_refcount(f, p) ^ w->refs);
}

/* 0: it is a tail of the folio of which W is a tail, with its flags and type. */
static inline __attribute__((always_inline)) uint64_t
tail_differs(const struct pagefmt *f, const uint8_t *p,
				    const struct alike_words *w)
{
	return (page_word(f, p, f->compound) ^ w->compound) | (page_flags(f, p) ^ w->flags) |
	       (page_type(f, p) ^ w->type);
}

typedef uint64_t alike_fn(const struct pagefmt *f, const uint8_t *p, const struct alike_words *w);

/* How many of the N struct pages from P on do not differ? Four at once, without a branch for each. */
static inline __attribute__((always_inline)) uint64_t
alike_loop(alike_fn *differs, const struct pagefmt *f, const uint8_t *p, uint64_t n,
	   const struct alike_words *w)
{
	uint64_t i = 0, size = f->size;

	for (; i + 4 <= n; i += 4, p += 4 * size)
		if (differs(f, p, w) | differs(f, p + size, w) | differs(f, p + 2 * size, w) |
		    differs(f, p + 3 * size, w))
			break;
	for (; i < n && !differs(f, p, w); i++)
		p += size;
	return i;
}

/* Compiled twice: with words as this computer has them each is one load. The compiler does not know
   that native64 is never big. */
static inline __attribute__((always_inline)) uint64_t
alike_count(alike_fn *differs, const struct pagefmt *f, const uint8_t *p, uint64_t n,
	    const struct alike_words *w)
{
	if (f->native64 && !f->big)
		return alike_loop(differs, f, p, n, w);
	return alike_loop(differs, f, p, n, w);
}

/* How many of the N struct pages from P on are as W, a single page? */
static inline uint64_t pages_like_single(const struct pagefmt *f, const uint8_t *p, uint64_t n,
					 const struct alike_words *w)
{
	return alike_count(single_differs, f, p, n, w);
}

/* The same for a tail; page_tails_by_word() holds. LEFT: pages of the folio from P on, which counts
   where the word is a mask and not the head's address. */
static inline uint64_t pages_like_tail(const struct pagefmt *f, const uint8_t *p, uint64_t n,
				       const struct alike_words *w, uint64_t left)
{
	return alike_count(tail_differs, f, p,
			   f->compound_form == COMPOUND_INFO ? min_u64(n, left) : n, w);
}

/* How many of the N pages from PFN on are below END. */
static inline uint64_t pages_below(uint64_t end, uint64_t pfn, uint64_t n)
{
	return end > pfn ? min_u64(n, end - pfn) : 0;
}

/* Pages of the folio V from its page at KVA on. */
static inline uint64_t folio_left(const struct pagefmt *f, const struct folio_view *v, uint64_t kva)
{
	uint64_t at = (kva - v->kva) / f->size, n = v->order < 64 ? UINT64_C(1) << v->order : 0;

	return kva >= v->kva && at < n ? n - at : 0;
}

#endif
