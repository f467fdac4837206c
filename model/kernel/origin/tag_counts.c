/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tag_counts.c - what each line of the kernel's source has allocated: lib/alloc_tag.c, lib/codetag.c,
 * read in 6.12; the mark of inaccurate counters in 6.18.
 */
#include "facts/layout/holder.h"
#include "facts/layout/origin.h"
#include "model/kernel/kobj.h"
#include "model/kernel/origin/allocations.h"
#include "model/kernel/walk/xarray.h"

#define TAGS_MAX (1u << 20)	/* of all modules; a distribution's kernel has some 20,000 */
#define TEXT_BYTES 256
#define ERRORS 4095u		/* MAX_ERRNO: include/linux/err.h */
#define FLAG_INACCURATE 1u	/* CODETAG_FLAG_INACCURATE */

struct pass {
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	struct tag_counts *to;
	uint64_t size, lost;
	struct hash texts;		/* address -> index in text */
	VEC(const char *) text;
};

static const char *text_at(struct pass *p, uint64_t tag, enum layout_id id)
{
	char buf[TEXT_BYTES];
	uint64_t at;
	uint32_t known;

	if (!has(p->k, id) || kmember_u64(p->k, p->r, tag, id, &at) || !at)
		return NULL;
	known = hash_get(&p->texts, at);
	if (known != HASH_NONE)
		return p->text.v[known];
	hash_put(&p->texts, at, (uint32_t)p->text.n);
	*vec_push(p->mem, &p->text) =
		read_kva_str(p->r, at, buf, sizeof(buf)) ? NULL : arena_strdup(p->mem, buf);
	return p->text.v[p->text.n - 1];
}

static bool read_counts(struct pass *p, uint64_t tag, struct tag_count *c)
{
	uint64_t counters, bytes, calls;

	if (kmember_u64(p->k, p->r, tag, M_TAG_COUNTERS, &counters))
		return false;
	for (uint32_t i = 0; i < p->k->ncpus; i++) {
		uint64_t at = counters + p->k->percpu[i];

		if (kmember_u64(p->k, p->r, at, M_TAG_BYTES, &bytes) ||
		    kmember_u64(p->k, p->r, at, M_TAG_CALLS, &calls))
			return false;
		c->bytes += (int64_t)bytes;
		c->calls += calls;
	}
	return true;
}

static void take_tag(struct pass *p, uint64_t tag)
{
	struct tag_count c = { 0 };
	uint64_t flags = 0;

	c.file = text_at(p, tag, M_CODETAG_FILE);
	c.function = text_at(p, tag, M_CODETAG_FUNCTION);
	c.module = text_at(p, tag, M_CODETAG_MODULE);
	if (!c.file || !c.function || kmember_u64(p->k, p->r, tag, M_CODETAG_LINE, &c.line) ||
	    !read_counts(p, tag, &c)) {
		p->lost++;
		return;
	}
	if (has(p->k, M_CODETAG_FLAGS) && kernel_rule(p->k, RULE_ALLOCINFO_ACCURATE) &&
	    !kmember_u64(p->k, p->r, tag, M_CODETAG_FLAGS, &flags))
		c.inaccurate = flags & FLAG_INACCURATE;
	*vec_push(p->mem, &p->to->v) = c;
}

static bool take_module(void *arg, const struct xa_entry *e)
{
	struct pass *p = arg;
	uint64_t start, stop;

	if (e->is_value || kmember_u64(p->k, p->r, e->value, M_CODETAG_START, &start) ||
	    kmember_u64(p->k, p->r, e->value, M_CODETAG_STOP, &stop) || stop < start) {
		p->lost++;
		return true;
	}
	for (uint64_t at = start; at < stop; at += p->size) {
		if (p->to->v.n + p->lost >= TAGS_MAX) {
			p->lost++;
			return false;
		}
		take_tag(p, at);
	}
	return true;
}

/* 0 or an error (ERR_PTR()): it was switched off when the machine started. */
static bool is_off(const struct kernel *k, uint64_t type)
{
	uint64_t last = k->dump->word_size == 4 ? UINT32_MAX : UINT64_MAX;

	return !type || type > last - ERRORS;
}

static bool known(const struct kernel *k)
{
	return has(k, Y_TAG_TYPE) && has(k, M_CODETAG_MODULES) && has(k, M_CODETAG_SIZE) &&
	       has(k, M_CODETAG_START) && has(k, M_CODETAG_STOP) && has(k, M_TAG_COUNTERS) &&
	       has(k, M_TAG_BYTES) && has(k, M_TAG_CALLS) && has(k, M_CODETAG_FILE) &&
	       has(k, M_CODETAG_LINE) && has(k, M_IDR_ROOT);
}

enum status tag_counts_read(const struct snapshot *s, struct arena *mem, struct tag_counts *ret)
{
	struct pass p = { .k = s->k, .mem = mem, .to = ret, .texts.mem = mem };
	uint64_t type = 0;

	*ret = (struct tag_counts){ 0 };
	if (!known(s->k))
		return ST_ABSENT;
	p.r = kernel_reader(s->k);
	p.lost = kvar_u64(s->k, p.r, Y_TAG_TYPE, 0, &type) ? 1 : 0;
	if (!p.lost && !is_off(s->k, type)) {
		if (!kernel_ptr_ok(s->k, type, s->k->dump->word_size) ||
		    kmember_u64(s->k, p.r, type, M_CODETAG_SIZE, &p.size) || !p.size)
			p.lost++;
		else
			xarray_walk(s->k, p.r,
				    type + layout_offset(&s->k->layout, M_CODETAG_MODULES) +
					    layout_offset(&s->k->layout, M_IDR_ROOT),
				    0, UINT32_MAX, take_module, &p);
	}
	if (p.lost)
		issue_add(s->k->issues, ST_NODATA, "allocation tag", p.lost, "not readable");
	reader_free(p.r);
	return ret->v.n ? ST_OK : ST_ABSENT;
}
