/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unreached.c - groups of unreached objects. Two objects are alike if they are of the same cache and what their first
 * words point to is of the same kind. Numbers and texts in them do not count.
 */
#include "model/memory/reach/unreached.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"
#include "model/kernel/kobj.h"
#include "model/kernel/origin/origin.h"

#define WORDS	   16u	    /* of the beginning, that make a group */
#define NAMED	   6u	    /* of them, that are shown */
#define READ	   4096u    /* bytes of an object that are looked at */
#define STORE_USER 0x10000u /* SLAB_STORE_USER, until v6.8 or near a macro */

/* What a word points to. */
struct target {
	uint64_t off; /* of the word */
	uint64_t key; /* alike if equal */
	uint64_t word;
};

struct maker {
	const struct reach *x;
	struct reader *r;
	struct arena *mem;
	struct ksyms ks;
	struct origins origins;
	bool has_origins;
	uint64_t user_flag;
	struct hash by_key;
	VEC(struct unreached_group) groups;
	uint32_t most; /* groups */
	struct unreached *ret;
	/* the object that is looked at */
	uint8_t raw[READ];
	uint64_t len;
	struct reach_node node;
	uint64_t number; /* of the node */
	struct target to[WORDS];
	unsigned nto;
};

/* ---- targets --------------------------------------------------------------------------------------- */

static bool is_static(const struct maker *m, uint64_t word)
{
	const struct layout *l = &m->x->k->layout;

	return (word >= layout_symbol(l, Y_IMAGE_START) && word < layout_symbol(l, Y_IMAGE_END)) ||
	       ksyms_module_at(&m->ks, word);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	const uint64_t v[2] = { a, b };

	return hash_bytes(v, sizeof(v));
}

/* 0: it points to nothing that tells. */
static uint64_t key_of(struct maker *m, uint64_t word)
{
	uint64_t unit, node;
	struct ksym y;

	if (!word || !kernel_ptr_ok(m->x->k, word, 1))
		return 0;
	if (is_static(m, word)) {
		y = ksyms_at(&m->ks, word);
		return mix(1, y.name ? hash_str(y.name) : word);
	}
	node = reach_at(m->x, word, &unit);
	if (node == REACH_NONE)
		return 0;
	if (node == m->number)
		return mix(2, 0);
	if (unit >= m->x->units.n)
		return mix(3, unit);
	return mix(4 + reach_bit(m->x->reached, node), m->x->units.v[unit].cache);
}

static const char *target_text(struct maker *m, uint64_t word)
{
	const struct reach *x = m->x;
	uint64_t unit, node;
	struct reach_node to;
	const char *mark;
	struct ksym y;

	if (is_static(m, word)) {
		y = ksyms_place(&m->ks, word);
		return arena_printf(m->mem, "%s%s%s", y.module ? y.module : "", y.module ? ":" : "",
				    y.name     ? y.name
				    : y.module ? "?"
					       : "kernel image");
	}
	node = reach_at(x, word, &unit);
	if (node == m->number)
		return "self";
	mark = node < x->unit_nodes && !reach_bit(x->reached, node)
		       ? reach_bit(x->freed, node) ? "freed " : "unreached "
		       : "";
	reach_describe(x, node, &to);
	if (to.area)
		return arena_printf(m->mem, "%svmalloc %s", mark,
				    to.area->sym.name ? to.area->sym.name : "");
	return arena_printf(m->mem, "%s%s", mark,
			    to.unit->cache == REACH_BLOCK ? page_class_name(to.class)
							  : x->caches.v[to.unit->cache].name);
}

static bool is_text(const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] >= ' ' && p[i] < 0x7f)
		i++;
	return i >= 4 && (i == n || !p[i]);
}

static const char *signature(struct maker *m)
{
	const char *text = NULL;

	if (!m->len)
		return NULL;
	for (unsigned i = 0; i < m->nto && i < NAMED; i++)
		text = arena_printf(m->mem, "%s%s[%" PRIu64 "] %s", text ? text : "",
				    text ? ", " : "", m->to[i].off, target_text(m, m->to[i].word));
	if (text)
		return m->nto > NAMED ? arena_printf(m->mem, "%s, ...", text) : text;
	if (is_zero(m->raw, (size_t)m->len))
		return "zeros";
	return is_text(m->raw, (size_t)min_u64(m->len, 16)) ? "text" : "data";
}

/* ---- who made it ------------------------------------------------------------------------------------- */

static const char *function_text(struct maker *m, uint64_t addr)
{
	struct ksym y = ksyms_at(&m->ks, addr);

	if (!y.name)
		return NULL;
	return arena_printf(m->mem, "%s+%#" PRIx64 "%s%s%s", y.name, y.offset, y.module ? " [" : "",
			    y.module ? y.module : "", y.module ? "]" : "");
}

/* slub_debug=U: struct track follows the object, and the link if that is not inside (get_track(), mm/slub.c). */
static uint64_t track_addr(struct maker *m)
{
	const struct reach *x = m->x;
	const struct reach_unit *u = m->node.unit;
	const struct slab_form *f = &x->free_lists.form[u->cache];
	uint64_t at = f->inuse, addr;

	if (x->caches.v[u->cache].flags == SLAB_UNKNOWN ||
	    !(x->caches.v[u->cache].flags & m->user_flag) || !f->inuse)
		return 0;
	if (f->offset >= f->inuse)
		at += x->k->dump->word_size;
	if (at >= x->caches.v[u->cache].size ||
	    kmember_u64(x->k, m->r, m->node.kva + at, M_TRACK_ADDR, &addr))
		return 0;
	return kernel_static_ok(x->k, addr, 1) ? addr : 0;
}

static const char *pages_from(struct maker *m)
{
	struct origin o;
	uint8_t raw[STRUCT_PAGE_MAX];
	const struct reach *x = m->x;
	const char *site;

	if (!m->has_origins ||
	    read_kva(m->r, memmap_page_kva(&x->k->memmap, m->node.unit->pfn), raw, x->fmt.size))
		return NULL;
	o = origin_of(&m->origins, m->node.unit->pfn, page_flags(&x->fmt, raw));
	site = o.tag ? origin_site(&m->origins, o.tag, m->mem) : NULL;
	return site || !o.stack ? site : origin_stack(&m->origins, o.stack, m->mem);
}

/* What of a module the object points to, anywhere in it. */
static const char *module_from(struct maker *m)
{
	const struct dump *d = m->x->k->dump;

	for (uint64_t i = 0; i + d->word_size <= m->len; i += d->word_size) {
		uint64_t word = load_uint(m->raw + i, d->word_size, d->big_endian);

		if (kernel_ptr_ok(m->x->k, word, 1) && ksyms_module_at(&m->ks, word))
			return target_text(m, word);
	}
	return NULL;
}

/* FROM, or the function at MAKER; unless that is a module's, with what of a module the object points to. */
static const char *from_of(struct maker *m, const char *from, uint64_t maker)
{
	const char *module = module_from(m);

	if (!from && maker)
		from = function_text(m, maker);
	if (!from || !module || (maker && ksyms_module_at(&m->ks, maker)))
		return from ? from : module;
	return arena_printf(m->mem, "%s, %s", from, module);
}

/* ---- one object -------------------------------------------------------------------------------------- */

static void read_object(struct maker *m)
{
	const struct dump *d = m->x->k->dump;

	m->nto = 0;
	m->len = min_u64(m->node.size, READ);
	if (read_kva(m->r, m->node.kva, m->raw, (size_t)m->len))
		m->len = 0;
	for (uint64_t i = 0; i + d->word_size <= m->len && i / d->word_size < WORDS;
	     i += d->word_size) {
		uint64_t word = load_uint(m->raw + i, d->word_size, d->big_endian),
			 key = key_of(m, word);

		if (key)
			m->to[m->nto++] = (struct target){ i, key, word };
	}
}

static bool is_known(const struct maker *m)
{
	const struct kernel *k = m->x->k;
	uint32_t off = layout_offset(&k->layout, M_SYSCTL_HEADER_ROOT);

	return has(k, M_SYSCTL_HEADER_ROOT) && has(k, Y_SYSCTL_ROOT) &&
	       off + k->dump->word_size <= m->len &&
	       load_uint(m->raw + off, k->dump->word_size, k->dump->big_endian) ==
		       layout_symbol(&k->layout, Y_SYSCTL_ROOT);
}

static enum unreached_kind kind_of(const struct reach_node *n)
{
	if (n->area)
		return UNREACHED_AREA;
	if (n->unit->cache != REACH_BLOCK)
		return UNREACHED_OBJECT;
	return n->class == CLASS_KMALLOC ? UNREACHED_KMALLOC : UNREACHED_PAGES_OF;
}

/* The last one, of all for which there is no place. */
static struct unreached_group *others(struct maker *m)
{
	if (m->groups.n < m->most)
		*vec_push(m->mem, &m->groups) =
			(struct unreached_group){ .kind = UNREACHED_OTHERS,
						  .example = m->node.kva,
						  .certainty = UNREACHED_MIXED };
	return &m->groups.v[m->most - 1];
}

static struct unreached_group *group_of(struct maker *m, uint64_t maker)
{
	enum unreached_kind kind = kind_of(&m->node);
	uint64_t key = mix(kind, m->node.area ? 0 : m->node.unit->cache);
	struct unreached_group *g;
	uint32_t i;

	if (!m->node.area && kind != UNREACHED_OBJECT)
		key = mix(key, m->node.unit->n);
	key = mix(mix(key, maker),
		  (is_known(m) ? 2u : 0) | (m->len && is_zero(m->raw, (size_t)m->len) ? 1u : 0));
	for (unsigned j = 0; j < m->nto; j++)
		key = mix(key, mix(m->to[j].off, m->to[j].key));
	i = hash_get(&m->by_key, key);
	if (i != HASH_NONE)
		return &m->groups.v[i];
	if (m->groups.n + 1 >= m->most)
		return others(m);
	hash_put(&m->by_key, key, (uint32_t)m->groups.n);
	g = vec_push(m->mem, &m->groups);
	*g = (struct unreached_group){ .kind = kind,
				       .example = m->node.kva,
				       .signature = signature(m) };
	g->certainty = is_known(m) ? UNREACHED_KNOWN : UNREACHED_NO_POINTER;
	if (kind == UNREACHED_OBJECT) {
		g->cache = m->node.unit->cache;
		g->of = m->x->used[g->cache];
	} else if (kind == UNREACHED_PAGES_OF) {
		g->pages = m->node.unit->n;
		g->from = pages_from(m);
	}
	return g;
}

static void take(struct maker *m, uint64_t node)
{
	struct unreached_group *g;
	uint64_t maker;
	enum unreached_kind kind;

	m->number = node;
	reach_describe(m->x, node, &m->node);
	if (!reach_judged(m->x, &m->node))
		return;
	kind = kind_of(&m->node);
	maker = kind == UNREACHED_OBJECT ? track_addr(m) : m->node.area ? m->node.area->caller : 0;
	read_object(m);
	g = group_of(m, maker);
	if (g->kind == UNREACHED_OTHERS)
		; /* many made them */
	else if (!g->objects)
		g->from = from_of(m, g->from, maker);
	else if (!g->from)
		g->from = module_from(m);
	g->objects++;
	g->heads += !reach_bit(m->x->waits, node);
	g->bytes += kind == UNREACHED_OBJECT ? m->x->caches.v[m->node.unit->cache].size
					     : m->node.size;
	if (kind == UNREACHED_OBJECT) {
		m->ret->objects++;
		m->ret->bytes += m->x->caches.v[m->node.unit->cache].size;
	} else if (kind == UNREACHED_PAGES_OF) {
		m->ret->pages += m->node.unit->n;
	}
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static int by_bytes(const void *a, const void *b)
{
	const struct unreached_group *p = a, *q = b;

	if (p->bytes != q->bytes)
		return p->bytes > q->bytes ? -1 : 1;
	return p->example < q->example ? -1 : p->example > q->example;
}

static void settle(const struct maker *m, struct unreached_group *g)
{
	if (g->kind == UNREACHED_OTHERS)
		issue_add(m->x->k->issues, ST_LIMIT, "unreached object", g->objects,
			  "there are more than %u groups of them", m->most);
	else if (g->kind == UNREACHED_PAGES_OF && g->pages * g->objects <= UNREACHED_PAGES)
		g->certainty = UNREACHED_USUAL;
	else if (m->x->doubt)
		g->certainty = UNREACHED_CANNOT_TELL;
	else if (!g->certainty && !g->heads)
		g->certainty = UNREACHED_FROM_UNREACHED;
}

static void init(struct maker *m)
{
	const struct kernel *k = m->x->k;
	int64_t bit = layout_enum(&k->layout, E_SLAB_USER_BIT, -1);

	m->r = kernel_reader(k);
	m->by_key.mem = m->mem;
	ksyms_init(&m->ks, k, m->r, m->mem);
	m->has_origins = origins_init(&m->origins, k, m->r, &m->ks);
	m->user_flag = bit >= 0 && bit < 64 ? UINT64_C(1) << bit : STORE_USER;
}

void unreached_build(const struct reach *x, uint32_t most, struct arena *mem, struct unreached *ret)
{
	struct maker *m = arena_array(mem, struct maker, 1);

	*ret = (struct unreached){ 0 };
	m->x = x;
	m->mem = mem;
	m->most = most;
	m->ret = ret;
	init(m);
	for (uint64_t i = 0; i < x->nodes; i++) {
		if (!(i % 64) && i + 64 <= x->nodes && !(~x->freed[i / 64] & ~x->reached[i / 64])) {
			i += 63;
			continue;
		}
		if (!reach_bit(x->freed, i) && !reach_bit(x->reached, i))
			take(m, i);
	}
	for (size_t i = 0; i < m->groups.n; i++)
		settle(m, &m->groups.v[i]);
	sort_array(m->groups.v, m->groups.n, sizeof(*m->groups.v), by_bytes);
	ret->v = m->groups.v;
	ret->n = (uint32_t)m->groups.n;
	reader_free(m->r);
}
