/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elfbss.c - finds .bss in anonymous memory.
 */
#include "model/memory/areas/elfbss.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "model/memory/areas/areas.h"
#include "model/memory/elf/elffind.h"
#include "model/memory/elf/elfloads.h"

#define PIECES_MAX 65536	/* of one process */
#define LOOKS_MAX (INT64_C(1) << 26)	/* at pieces, for all .bss of a dump */

enum known { NOT_LOOKED, IS_ELF, IS_OTHER, NOT_THERE };

struct elf_heads {
	const struct snapshot *s;
	struct reader *r;
	const char *sysroot;
	struct arena *mem;
	struct elf_head *v;	/* [nfiles]: only type and segments */
	uint8_t *known;		/* [nfiles]: enum known */
	uint32_t *seen;		/* [nfiles]: pass in which its pieces were listed */
	uint32_t pass;
};

struct elf_heads *elf_heads_new(const struct snapshot *s, struct reader *r, const char *sysroot,
				struct arena *mem)
{
	struct elf_heads *h = arena_alloc(mem, sizeof(*h));

	*h = (struct elf_heads){
		.s = s,
		.r = r,
		.sysroot = sysroot,
		.mem = mem,
		.v = arena_array(mem, struct elf_head, s->nfiles),
		.known = arena_array(mem, uint8_t, s->nfiles),
		.seen = arena_array(mem, uint32_t, s->nfiles),
	};
	return h;
}

static void look_for(struct elf_heads *h, uint32_t file)
{
	struct elf_head *copy = &h->v[file];
	struct elf_found found;
	const char *why;
	enum status st = elf_find(h->s, h->r, &h->s->files[file], h->sysroot, h->mem, &found, &why);

	h->known[file] = !st ? IS_ELF : st == ST_ABSENT ? IS_OTHER : NOT_THERE;
	if (st)
		return;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): v has all files */
	*copy = *elf_head(found.e);
	copy->sections = NULL;
	copy->nsections = 0;
	copy->segments = arena_array(h->mem, struct elf_segment, copy->nsegments);
	if (copy->nsegments)
		memcpy(copy->segments, elf_head(found.e)->segments,
		       copy->nsegments * sizeof(*copy->segments));
	elf_close(found.e);
}

static const struct elf_head *head_of(struct elf_heads *h, uint32_t file)
{
	if (h->known[file] == NOT_LOOKED)
		look_for(h, file);
	return h->known[file] == IS_ELF ? &h->v[file] : NULL;
}

static void add_pieces(struct elf_heads *k, const struct mm *m, uint32_t file,
		       const struct elf_head *h, struct elf_pieces *ret)
{
	struct elf_loads loads = { 0 };

	elf_loads_find(k->s, m, file, h, k->mem, &loads);
	for (size_t i = 0; i < loads.n; i++)
		for (unsigned j = 0; j < h->nsegments && ret->n < PIECES_MAX; j++) {
			struct elf_piece *p = vec_push(k->mem, ret);

			p->bias = loads.v[i].bias;
			p->start = h->segments[j].vaddr + p->bias;
			p->end = p->start + h->segments[j].memsz;
			p->file = file;
		}
}

static int by_start(const void *a, const void *b)
{
	const struct elf_piece *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void elf_pieces_list(struct elf_heads *h, const struct mm *m, struct elf_pieces *ret)
{
	ret->n = 0;
	h->pass++;
	for (uint32_t i = m->first_vma; i < m->first_vma + m->nvmas && i < h->s->nvmas; i++) {
		uint32_t file = h->s->vmas[i].file;
		const struct elf_head *head;

		if (file >= h->s->nfiles || h->seen[file] == h->pass)
			continue;
		h->seen[file] = h->pass;
		head = head_of(h, file);
		if (head)
			add_pieces(h, m, file, head, ret);
	}
	sort_array(ret->v, ret->n, sizeof(*ret->v), by_start);
}

static void add_bss(struct arena *mem, struct elf_bss_list *ret, uint32_t vma, uint32_t file,
		    uint64_t start, uint64_t end)
{
	*vec_push(mem, ret) = (struct elf_bss){
		.start = start,
		.end = end,
		.vma = vma,
		.file = file,
	};
}

/*
 * By segments; false: the VMA has none of them. *LEFT: number of looks, which hostile
 * headers would not limit.
 */
static bool by_pieces(const struct snapshot *s, const struct elf_pieces *p, uint32_t vma,
		      int64_t *left, struct arena *mem, struct elf_bss_list *ret)
{
	const struct vma *v = &s->vmas[vma];
	uint64_t at = v->start;
	size_t before = ret->n;

	for (size_t i = 0; i < p->n && p->v[i].start < v->end; i++) {
		uint64_t lo = max_u64(p->v[i].start, at), hi = min_u64(p->v[i].end, v->end);

		if (!--*left)
			issue_add(s->k->issues, ST_LIMIT, "ELF file", 1, ".bss in too many vmas");
		if (*left <= 0)
			break;
		if (lo >= hi)
			continue;
		add_bss(mem, ret, vma, p->v[i].file, lo, hi);
		at = hi;
	}
	return ret->n > before;
}

/* The file that V is the .bss of, as far as its neighbours tell; NONE: of none. */
static uint32_t by_neighbours(const struct vma *v, const struct area *a)
{
	bool heap = v->name && !strcmp(v->name, "[heap]");

	return a->flags & AREA_B && !heap ? a->file : NONE;
}

void elf_bss_find(const struct snapshot *s, struct reader *r, const char *sysroot, uint32_t only,
		  struct arena *mem, struct elf_bss_list *ret)
{
	struct elf_heads *h = elf_heads_new(s, r, sysroot, mem);
	struct area *areas = areas_build(s, mem);
	struct elf_pieces pieces = { 0 };
	int64_t left = LOOKS_MAX;

	*ret = (struct elf_bss_list){ 0 };
	for (uint32_t i = 0; i < s->nmms; i++) {
		const struct mm *m = &s->mms[i];

		if (only != NONE && only != i)
			continue;
		elf_pieces_list(h, m, &pieces);
		for (uint32_t k = m->first_vma; k < m->first_vma + m->nvmas && k < s->nvmas; k++) {
			const struct vma *v = &s->vmas[k];
			uint32_t file;

			if (v->file < s->nfiles || by_pieces(s, &pieces, k, &left, mem, ret))
				continue;
			file = by_neighbours(v, &areas[k]);
			if (file >= s->nfiles || h->known[file] != NOT_THERE)
				continue;
			add_bss(mem, ret, k, file, v->start, v->end);
			ret->whole++;
		}
	}
}

size_t elf_bss_at(const struct elf_bss_list *l, uint32_t vma)
{
	return search_first(l->n, mid, l->v[mid].vma < vma);
}
