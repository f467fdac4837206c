/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel prints about memory and tasks: zones, nodes, tables. */
#include <ctype.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/cause/event/events.h"

void oom_pair_add(struct oom_reader *rd, struct oom_pairs *to, struct span key, int64_t value,
		  bool kib)
{
	*vec_push(rd->mem, to) = (struct oom_pair){ oom_string(rd, key), value, kib };
}

void oom_pairs_add(struct oom_reader *rd, struct oom_pairs *to, struct span s)
{
	struct pair p;

	while (pair_next(&s, &p))
		oom_pair_add(rd, to, p.key, p.value, p.kib);
}

int64_t oom_pair(const struct oom_pairs *p, const char *key)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->v[i].key, key))
			return p->v[i].value;
	return OOM_UNKNOWN;
}

/* ---- zones and nodes ---------------------------------------------------------------- */

static struct oom_zone *zone_of(struct oom_reader *rd, struct oom_event *e, int64_t node,
				struct span name)
{
	struct oom_zone *z;

	/* the list of one machine is short: nodes times zones; lines repeat none soon */
	for (size_t i = e->zones.n; i-- && e->zones.n - i <= 64;)
		if (e->zones.v[i].node == node && span_is(name, e->zones.v[i].name))
			return &e->zones.v[i];
	z = vec_push(rd->mem, &e->zones);
	*z = (struct oom_zone){ .node = node, .name = oom_string(rd, name) };
	return z;
}

/* " 0 2964 3916" */
static void read_reserve(struct oom_event *e, struct span s)
{
	struct oom_zone *z = e->zones.n ? &e->zones.v[e->zones.n - 1] : NULL;

	while (z && z->nreserve < ARRAY_LEN(z->reserve)) {
		size_t n;

		s = span_trim(s);
		n = span_take('d', s);
		if (!n)
			return;
		z->reserve[z->nreserve++] = span_value((struct span){ s.p, n });
		s = span_from(s, n);
	}
}

/* The order of blocks of KIB, OOM_ORDERS if it is none. */
static unsigned order_of(const struct oom_zone *z, int64_t kib)
{
	unsigned order = 0;

	while (order < OOM_ORDERS && z->block_kib << order != (uint64_t)kib)
		order++;
	return order;
}

/* "1*4kB (U) 0*8kB ... = 15900kB"; the first are of order 0. */
static void read_blocks(struct oom_zone *z, struct span s)
{
	struct span f[TEXT_FIELDS];

	z->norders = 0;
	memset(z->blocks, 0, sizeof(z->blocks));
	while (text_match("%d*%dkB%*", s, f)) {
		int64_t kib = span_value(f[1]);
		unsigned order;

		if (kib <= 0 || kib >> 40)
			return;
		z->block_kib = z->norders ? z->block_kib : (uint64_t)kib;
		order = order_of(z, kib);
		if (order == OOM_ORDERS)
			return;
		z->blocks[order] = span_value(f[0]);
		z->norders = order >= z->norders ? order + 1 : z->norders;
		s = span_trim(f[2]);
		if (s.n && *s.p == '(')
			s = span_trim(span_from(s, span_find(s, ")") + 1));
	}
}

static void add_sum(struct oom_reader *rd, struct oom_pairs *to, const char *key, int64_t value)
{
	for (size_t i = 0; i < to->n; i++) {
		if (strcmp(to->v[i].key, key))
			continue;
		if (__builtin_add_overflow(to->v[i].value, value, &to->v[i].value))
			to->v[i].value = OOM_UNKNOWN;
		return;
	}
	oom_pair_add(rd, to, (struct span){ key, strlen(key) }, value, true);
}

/* hugetlb pages of one size of one node: sums over all, KiB. */
static void read_huge(struct oom_reader *rd, struct oom_event *e, const struct span *f)
{
	int64_t total = span_value(f[1]), left = span_value(f[2]), size = span_value(f[4]);

	if (__builtin_mul_overflow(total, size, &total) ||
	    __builtin_mul_overflow(left, size, &left))
		return;
	add_sum(rd, &e->counts, "hugepages_total", total);
	add_sum(rd, &e->counts, "hugepages_free", left);
}

/* "1234 pages RAM", "Free swap  = 0kB" */
static void read_total(struct oom_reader *rd, struct oom_event *e, struct span s)
{
	size_t n = span_take('d', s), end;

	if (span_starts(s, "Swap cache")) {
		oom_pairs_add(rd, &e->counts, span_from(s, span_find(s, ":") + 1));
		return;
	}
	if (n) {
		oom_pair_add(rd, &e->counts, span_trim(span_from(s, n)),
			     span_value((struct span){ s.p, n }), false);
		return;
	}
	end = span_find(s, "=") < s.n ? span_find(s, "=") : span_find(s, ":");
	n = end;
	s = span_trim(s);
	end = span_find(s, "kB");
	oom_pair_add(rd, &e->counts, span_trim((struct span){ s.p, n }),
		     span_value(span_trim((struct span){ s.p + n + 1, end > n ? end - n - 1 : 0 })),
		     true);
}

void oom_memory(struct oom_reader *rd, struct oom_event *e, const struct oom_text *t)
{
	const struct span *f = t->m->field;
	bool on_node = *t->m->form->pattern == 'N';
	int64_t node = on_node ? span_value(f[0]) : OOM_UNKNOWN;
	struct oom_zone *z;
	struct oom_node *n;

	switch (t->m->form->line) {
	case LINE_NODE:
		n = vec_push(rd->mem, &e->nodes);
		n->node = node;
		/* the first key is part of the form */
		oom_pairs_add(rd, &n->pairs,
			      span_from(t->text, span_find(t->text, "active_anon:")));
		break;
	case LINE_ZONE:
		z = zone_of(rd, e, node, f[on_node]);
		z->pairs.n = 0;
		oom_pairs_add(rd, &z->pairs,
			      span_from(t->text,
					(size_t)(f[on_node].p - t->text.p) + f[on_node].n));
		break;
	case LINE_RESERVE: read_reserve(e, f[0]); break;
	case LINE_BUDDY:
		z = zone_of(rd, e, node, f[on_node]);
		read_blocks(z, span_trim(span_from(t->text, (size_t)(f[on_node].p - t->text.p) +
								    f[on_node].n + 1)));
		break;
	case LINE_HUGE: read_huge(rd, e, f); break;
	default: read_total(rd, e, t->text); break;
	}
}

/* ---- tables ------------------------------------------------------------------------- */

enum column {
	COLUMN_OTHER, COLUMN_UID, COLUMN_TGID, COLUMN_TOTAL_VM, COLUMN_RSS, COLUMN_RSS_ANON,
	COLUMN_RSS_FILE, COLUMN_RSS_SHMEM, COLUMN_TABLES_BYTES, COLUMN_TABLES_PAGES,
	COLUMN_SWAPENTS, COLUMN_ADJ, COLUMN_NAME
};

static const struct { const char *name; enum column column; } column_names[] = {
	{ "uid", COLUMN_UID }, { "tgid", COLUMN_TGID }, { "total_vm", COLUMN_TOTAL_VM },
	{ "rss", COLUMN_RSS }, { "rss_anon", COLUMN_RSS_ANON }, { "rss_file", COLUMN_RSS_FILE },
	{ "rss_shmem", COLUMN_RSS_SHMEM }, { "pgtables_bytes", COLUMN_TABLES_BYTES },
	{ "nr_ptes", COLUMN_TABLES_PAGES }, { "nr_pmds", COLUMN_TABLES_PAGES },
	{ "nr_puds", COLUMN_TABLES_PAGES }, { "swapents", COLUMN_SWAPENTS },
	{ "oom_score_adj", COLUMN_ADJ }, { "name", COLUMN_NAME },
};

static size_t word_length(struct span s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] != ' ')
		n++;
	return n;
}

void oom_columns(struct oom_writer *w, struct span text)
{
	struct span s = span_trim(span_from(text, span_find(text, "]") + 1));

	w->ncolumns = 0;
	while (s.n && w->ncolumns < TASK_COLUMNS) {
		struct span word = { s.p, word_length(s) };
		uint8_t column = COLUMN_OTHER;

		for (size_t i = 0; i < ARRAY_LEN(column_names); i++)
			if (span_is(word, column_names[i].name))
				column = column_names[i].column;
		w->column[w->ncolumns++] = column;
		s = span_trim(span_from(s, word.n));
	}
	w->table = TABLE_TASKS;
}

/*
 * The headers of dump_header(), mm/oom_kill.c, by release and the numbers after the pid: nr_ptes since
 * 3.8, nr_pmds since 4.0, nr_puds in 4.14, pgtables_bytes since 4.15, the parts of rss since 6.8.
 */
static const struct {
	struct era era;
	unsigned numbers;
	const char *text;
} headers[] = {
	{ { V(6, 8), 0 }, 10, "] uid tgid total_vm rss rss_anon rss_file rss_shmem pgtables_bytes swapents oom_score_adj" },
	{ { V(4, 15), 0 }, 7, "] uid tgid total_vm rss pgtables_bytes swapents oom_score_adj" },
	{ { V(4, 14), V(4, 15) }, 9, "] uid tgid total_vm rss nr_ptes nr_pmds nr_puds swapents oom_score_adj" },
	{ { V(4, 0), V(4, 15) }, 8, "] uid tgid total_vm rss nr_ptes nr_pmds swapents oom_score_adj" },
	{ { V(3, 8), V(4, 0) }, 7, "] uid tgid total_vm rss nr_ptes swapents oom_score_adj" },
	{ { V26(36), V(3, 8) }, 7, "] uid tgid total_vm rss cpu oom_adj oom_score_adj" },
};

/* Numbers at the beginning of S, at most TASK_COLUMNS. */
static unsigned numbers_of(struct span s)
{
	unsigned n = 0;

	for (size_t len; n < TASK_COLUMNS; n++, s = span_from(s, len)) {
		while (s.n && *s.p == ' ')
			s = span_from(s, 1);
		len = span_take('d', s);
		if (!len || (s.n > len && s.p[len] != ' '))
			break;
	}
	return n;
}

/* The number in place N, from 0. */
static int64_t number_at(struct span s, unsigned n)
{
	for (size_t len;; s = span_from(s, len)) {
		s = span_trim(s);
		len = span_take('d', s);
		if (!n--)
			return span_value((struct span){ s.p, len });
	}
}

/*
 * Without a release: 10 numbers prove themselves, as rss is the sum of its parts, and tables in bytes are whole pages.
 * Of 7 others it is not known whether they are tables and swap or a CPU and oom_adj.
 */
static const char *header_by_look(struct span row, unsigned n)
{
	bool bytes = n > 4 && number_at(row, 4) >= 4096 && number_at(row, 4) % 4096 == 0;

	if (n == 10 &&
	    number_at(row, 3) == number_at(row, 4) + number_at(row, 5) + number_at(row, 6))
		return headers[0].text;
	if (n == 7)
		return bytes ? headers[1].text : "] uid tgid total_vm rss ? ? oom_score_adj";
	return !bytes && n == 9 ? headers[2].text : !bytes && n == 8 ? headers[3].text : NULL;
}

/* A name may begin with numbers too: a row has those of its release, or more. */
bool oom_columns_infer(const struct oom_reader *rd, struct oom_writer *w, struct span text)
{
	struct span f[TEXT_FIELDS];
	unsigned n = text_match("[%b%d]%*", text, f) ? numbers_of(f[1]) : 0;
	const char *look = n && !rd->o->release.major ? header_by_look(f[1], n) : NULL;

	if (look)
		oom_columns(w, (struct span){ look, strlen(look) });
	if (look || !rd->o->release.major)
		return look;
	for (size_t i = 0; n && i < ARRAY_LEN(headers); i++)
		if (n >= headers[i].numbers && release_in(&rd->o->release, headers[i].era)) {
			oom_columns(w, (struct span){ headers[i].text, strlen(headers[i].text) });
			return true;
		}
	return false;
}

static void set_column(struct oom_reader *rd, struct oom_task *t, uint8_t column, int64_t v)
{
	int64_t bytes;

	switch (column) {
	case COLUMN_UID: t->uid = v; break;
	case COLUMN_TGID: t->tgid = v; break;
	case COLUMN_TOTAL_VM: t->total_vm = v; break;
	case COLUMN_RSS: t->rss = v; break;
	case COLUMN_RSS_ANON: t->rss_anon = v; break;
	case COLUMN_RSS_FILE: t->rss_file = v; break;
	case COLUMN_RSS_SHMEM: t->rss_shmem = v; break;
	case COLUMN_TABLES_BYTES: t->tables_bytes = v; break;
	case COLUMN_TABLES_PAGES:
		if (v < 0 || v >> 40)
			break;
		bytes = v << rd->o->page_shift;
		t->tables_bytes = t->tables_bytes == OOM_UNKNOWN ? bytes : t->tables_bytes + bytes;
		break;
	case COLUMN_SWAPENTS: t->swapents = v; break;
	case COLUMN_ADJ: t->oom_score_adj = v; break;
	default: break;
	}
}

/* "[    123]  1000   123     4567 ... 0 name": one blank before the name, which may begin with more. */
static bool task_row(struct oom_reader *rd, const struct oom_writer *w, struct oom_event *e,
		     struct span s)
{
	struct span f[TEXT_FIELDS];
	struct oom_task t = {
		.uid = OOM_UNKNOWN,
		.tgid = OOM_UNKNOWN,
		.total_vm = OOM_UNKNOWN,
		.rss = OOM_UNKNOWN,
		.rss_anon = OOM_UNKNOWN,
		.rss_file = OOM_UNKNOWN,
		.rss_shmem = OOM_UNKNOWN,
		.tables_bytes = OOM_UNKNOWN,
		.swapents = OOM_UNKNOWN,
		.oom_score_adj = OOM_UNKNOWN,
	};

	if (!text_match("[%b%d]%*", s, f))
		return false;
	t.pid = span_value(f[0]);
	s = f[1];
	for (unsigned i = 0; i < w->ncolumns && w->column[i] != COLUMN_NAME; i++) {
		size_t n;

		while (s.n && *s.p == ' ')
			s = span_from(s, 1);
		n = span_take('d', s);
		if (!n)
			return false;
		set_column(rd, &t, w->column[i], span_value((struct span){ s.p, n }));
		s = span_from(s, n);
	}
	t.comm = oom_string(rd, span_from(s, 1));
	*vec_push(rd->mem, &e->tasks) = t;
	return true;
}

/* "kmalloc-64          1234KB       2345KB": names have no blanks, but what has none today? */
static bool slab_row(struct oom_reader *rd, struct oom_event *e, struct span s)
{
	struct span f[TEXT_FIELDS];

	if (span_starts(s, "Name") && span_ends(s, "Total"))
		return true;
	if (!text_match("%p %b%dKB%b%dKB", span_trim(s), f))
		return false;
	*vec_push(rd->mem, &e->slabs) = (struct oom_slab){ oom_string(rd, span_trim(f[0])),
							   span_value(f[1]), span_value(f[2]) };
	return true;
}

/* "12.3 MiB", as string_get_size() writes it. */
static int64_t size_value(struct span whole, struct span part, struct span unit)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	int64_t v = span_value(whole), frac = part.n ? span_value(part) : 0, scale = 1;

	for (size_t i = 0; i < part.n && i < 4; i++)
		scale *= 10;
	for (unsigned u = 0; u < ARRAY_LEN(units); u++)
		if (span_is(unit, units[u]) && v >= 0 && v < 1 << 13 && frac >= 0 && frac < scale)
			return (v << 10 * u) + ((frac << 10 * u) / scale);
	return OOM_UNKNOWN;
}

static bool site_row(struct oom_reader *rd, struct oom_event *e, struct span s)
{
	struct span f[TEXT_FIELDS];
	struct oom_site site;

	s = span_trim(s);
	if (text_match("%d.%d %w%b%d %*", s, f)) {
		site = (struct oom_site){ size_value(f[0], f[1], f[2]), span_value(f[3]),
					  oom_string(rd, f[4]) };
	} else if (text_match("%d %w%b%d %*", s, f)) {
		site = (struct oom_site){ size_value(f[0], (struct span){ "", 0 }, f[1]),
					  span_value(f[2]), oom_string(rd, f[3]) };
	} else {
		return false;
	}
	*vec_push(rd->mem, &e->sites) = site;
	return true;
}

/* "anon 12288", bytes or events, since 5.3. */
static void stat_row(struct oom_reader *rd, struct oom_event *e, struct span s)
{
	struct span f[TEXT_FIELDS];

	if (text_match("%w %d", s, f))
		oom_pair_add(rd, &e->stats, f[0], span_value(f[1]), false);
}

/* "active_anon:123 inactive_anon:45", pages. */
static bool counts_row(struct oom_reader *rd, struct oom_event *e, struct span s)
{
	struct span f[TEXT_FIELDS];

	s = span_trim(s);
	if (!text_match("%w:%d%*", s, f) || !isalpha((unsigned char)*f[0].p))
		return false;
	oom_pairs_add(rd, &e->counts, s);
	return true;
}

void oom_table_row(struct oom_reader *rd, struct oom_writer *w, struct oom_event *e,
		   struct span text)
{
	switch (w->table) {
	case TABLE_STATS: stat_row(rd, e, text); break;
	case TABLE_COUNTS: counts_row(rd, e, text); break;
	case TABLE_TASKS: task_row(rd, w, e, text); break;
	case TABLE_SLABS:
		if (!slab_row(rd, e, text))
			w->table = TABLE_NONE;
		break;
	case TABLE_SITES:
		if (!site_row(rd, e, text))
			w->table = TABLE_NONE;
		break;
	default: break;
	}
}
