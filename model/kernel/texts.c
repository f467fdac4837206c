/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * texts.c - looks through the constant data of the kernel image.
 */
#include "model/kernel/texts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/symbols/kimage.h"
#include "facts/layout/page.h"
#include "facts/layout/signs.h"
#include "facts/version.h"

#define STEP ((size_t)1 << 20)
#define MOST ((uint64_t)48 << 20)	/* .rodata of Debian's 7.3 has 14 MiB, with BTF */
#define GUESS ((uint64_t)16 << 20)	/* after _etext, if no end is known */

/* The range of the image's constants; false: its symbols do not show it. */
static bool constants(const struct kernel *k, uint64_t *start, uint64_t *end)
{
	const struct layout *l = &k->layout;

	*start = layout_symbol(l, Y_START_RODATA);
	if (!*start)
		*start = layout_symbol(l, Y_ETEXT);
	*end = layout_symbol(l, Y_END_RODATA);
	if (*end <= *start)
		*end = layout_symbol(l, Y_SINITTEXT);
	if (*end <= *start)
		*end = *start + GUESS;
	*end = min_u64(*end, *start + MOST);
	return *start && *end > *start;
}

struct texts {
	pthread_mutex_t lock;
	bool ready;			/* what follows is there */
	struct image_texts found;
	struct rules rules;		/* with them */
};

/* Has the source FROM of a fact all facts that rules ask for? A layout file may be older. */
static bool whole(const struct kernel *k, const char *from)
{
	return !from || strcmp(from, "layout file") != 0 || k->dump->layout_facts >= FACTS_OF_RULES;
}

/* A function that is not found may be one whose name is lost. */
static bool names_lost(const struct dump *d)
{
	return d->kallsyms_lost && !layout_kept_knows_all(d);
}

static struct evidence evidence(const struct kernel *k)
{
	const struct layout *l = &k->layout;

	return (struct evidence){
		.layout = l,
		.types_whole = whole(k, l->v[S_PAGE].from),
		.symbols_whole = whole(k, l->v[Y_SEQ_PRINTF].from) && !names_lost(k->dump),
	};
}

static void look(const struct kernel *k, struct image_texts *t)
{
	struct kimage image = { 0 };
	uint64_t at, end;
	uint8_t *buf;

	if (!constants(k, &at, &end)) {
		t->partial = true;
		return;
	}
	image.r = reader_new(k->dump);
	buf = heap_bytes(STEP + IMAGE_TEXT_MAX);
	for (; at < end; at += STEP) {
		size_t len = min_u64(STEP + IMAGE_TEXT_MAX, end - at);
		enum status st = kimage_read(&image, at, buf, len);

		/* what is not mapped is not of the image */
		if (st && st != ST_FAULT)
			t->partial = true;
		image_texts_look(t, buf, len, k->dump->word_size);
	}
	free(buf);
	reader_free(image.r);
}

static const struct texts *looked(const struct kernel *k)
{
	struct texts *t = k->texts;
	struct evidence e;

	if (!t || __atomic_load_n(&t->ready, __ATOMIC_ACQUIRE))
		return t;
	pthread_mutex_lock(&t->lock);
	if (!t->ready) {
		look(k, &t->found);
		e = evidence(k);
		e.texts = &t->found;
		rules_decide(&k->version, &e, &t->rules);
		__atomic_store_n(&t->ready, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&t->lock);
	return t;
}

const struct image_texts *kernel_texts(const struct kernel *k)
{
	const struct texts *t = looked(k);

	return t ? &t->found : NULL;
}

const struct rules *kernel_texts_rules(const struct kernel *k)
{
	const struct texts *t = looked(k);

	return t ? &t->rules : &k->rules;
}

bool kernel_text_rule(const struct kernel *k, enum rule r)
{
	return kernel_texts_rules(k)->on[r];
}

void kernel_rules(struct kernel *k)
{
	struct evidence e = evidence(k);

	rules_decide(&k->version, &e, &k->rules);
	k->texts = heap_array(struct texts, 1);
	pthread_mutex_init(&k->texts->lock, NULL);
}

void texts_free(struct texts *t)
{
	if (!t)
		return;
	pthread_mutex_destroy(&t->lock);
	free(t);
}
