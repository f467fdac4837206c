/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hints.c - whose memory it may be, where no symbol says so: the module that the first words of its
 * pages point to. A guess.
 */
#include "dumpread/base/bytes.h"
#include "model/verdict/gather.h"

#define AREAS 64u	/* that are looked at */
#define WORDS 64u	/* of each */
#define MODULES 32u	/* of more, the first ones are counted */

struct votes {
	const char *module[MODULES];
	unsigned n[MODULES], looked;
};

static bool is_of(const struct vmalloc_area *a, const struct vmalloc_area *like)
{
	return (a->flags & AREA_ALLOC) && a->caller == like->caller;
}

/* One vote of an area for each module, however often it points there. */
static void vote(struct votes *v, const struct ksyms *ks, const uint8_t *data, unsigned word,
		 bool big_endian)
{
	bool voted[MODULES] = { false };

	for (unsigned at = 0; at < WORDS * word; at += word) {
		const char *name = ksyms_module_at(ks, load_uint(data + at, word, big_endian));
		unsigned i = 0;

		while (name && i < MODULES && v->module[i] && strcmp(v->module[i], name))
			i++;
		if (!name || i == MODULES || voted[i])
			continue;
		v->module[i] = name;
		v->n[i]++;
		voted[i] = true;
	}
}

const char *vmalloc_points_to(const struct gather *g, const struct vmalloc *va,
			      const struct vmalloc_area *like)
{
	const struct kernel *k = g->s->k;
	struct reader *r = kernel_reader(k);
	uint8_t data[WORDS * 8];
	struct votes v = { .looked = 0 };
	struct ksyms ks;

	if (!r)
		return NULL;
	ksyms_init(&ks, k, r, g->mem);
	for (uint32_t i = 0; i < va->n && v.looked < AREAS; i++) {
		if (!is_of(&va->v[i], like) ||
		    read_kva(r, va->v[i].start, data, WORDS * k->dump->word_size))
			continue;
		v.looked++;
		vote(&v, &ks, data, k->dump->word_size, k->dump->big_endian);
	}
	reader_free(r);
	for (unsigned i = 0; i < MODULES && v.module[i]; i++)
		if (v.n[i] * 2 > v.looked)
			return v.module[i];
	return NULL;
}
