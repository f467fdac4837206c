/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text.c - reads the text that describes a machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "tests/machine/machine.h"

#define WORDS 16

struct line {
	struct machine *m;
	unsigned nr, n;
	char *w[WORDS];
};

static uint64_t number(const struct line *l, const char *s)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(s, &end, 0);
	if (!*s || *end || errno)
		mdie("line %u: '%s' is no number", l->nr, s);
	return v;
}

/* An address or length of a process: "0x1000", "0x1000+2h". */
static uint64_t address(const struct line *l, char *s)
{
	char *plus = strchr(s, '+'), *h = plus ? strchr(plus, 'h') : NULL;
	uint64_t huge = 0;

	if (plus) {
		if (!h || h[1] || !l->m->huge)
			mdie("line %u: '%s' is no address", l->nr, s);
		*plus = *h = 0;
		huge = number(l, plus + 1) << l->m->huge;
	}
	return (number(l, s) << (l->m->cpu->page_shift - 12)) + huge;
}

static void name(const struct line *l, char *to, size_t size, const char *s)
{
	if (snprintf(to, size, "%s", s) >= (int)size)
		mdie("line %u: '%s' is too long", l->nr, s);
}

static int find_file(const struct line *l, const char *s)
{
	for (size_t i = 0; i < l->m->files.n; i++)
		if (!strcmp(l->m->files.v[i].name, s))
			return (int)i;
	mdie("line %u: no file %s", l->nr, s);
}

static int find_mm(const struct line *l, const char *s)
{
	for (size_t i = 0; i < l->m->mms.n; i++)
		if (!strcmp(l->m->mms.v[i].name, s))
			return (int)i;
	mdie("line %u: no mm %s", l->nr, s);
}

static struct mtask *find_task(const struct line *l, const char *s)
{
	int pid = (int)number(l, s);

	for (size_t i = 0; i < l->m->tasks.n; i++)
		if (l->m->tasks.v[i].pid == pid)
			return &l->m->tasks.v[i];
	mdie("line %u: no task %d", l->nr, pid);
}

static struct mmm *last_mm(const struct line *l)
{
	if (!l->m->mms.n)
		mdie("line %u: no mm before", l->nr);
	return &l->m->mms.v[l->m->mms.n - 1];
}

static int frame(const struct line *l, const char *s)
{
	struct machine *m = l->m;
	struct mframe *f;

	for (size_t i = 0; i < m->frames.n; i++)
		if (!strcmp(m->frames.v[i].name, s))
			return (int)i;
	f = vec_push(&m->arena, &m->frames);
	name(l, f->name, sizeof(f->name), s);
	f->file = f->mm = -1;
	return (int)m->frames.n - 1;
}

/* The same for "FRAME+K", the K-th part of a huge page. */
static int frame_part(const struct line *l, char *s, uint32_t *part)
{
	char *plus = strchr(s, '+');
	int f;

	*part = 0;
	if (plus) {
		*plus = 0;
		*part = (uint32_t)number(l, plus + 1);
	}
	f = frame(l, s);
	if (*part >> l->m->frames.v[f].order)
		mdie("line %u: %s has no part %u", l->nr, s, *part);
	return f;
}

/* ---- statements ------------------------------------------------------------------ */

static void on_release(struct line *l)
{
	name(l, l->m->release, sizeof(l->m->release), l->w[1]);
	l->m->number = release_number(l->m->release);
	l->m->cpu = cpu_find(l->m->cpu_name, l->m->release);
}

static void on_frames(struct line *l)
{
	l->m->nframes = number(l, l->w[1]);
	if (!l->m->nframes || l->m->nframes > 1u << 18)
		mdie("line %u: from 1 to 262144 frames", l->nr);
	l->m->nframes >>= l->m->cpu->page_shift - 12;
}

static void on_hole(struct line *l)
{
	*vec_push(&l->m->arena, &l->m->holes) =
		(struct hole){ number(l, l->w[1]), number(l, l->w[2]) };
}

static void on_base(struct line *l)
{
	l->m->base = number(l, l->w[1]) & ~UINT64_C(4095);
}

static void on_log(struct line *l)
{
	for (unsigned i = 1; i < l->n; i++) {
		for (const char *s = l->w[i]; *s; s++)
			*vec_push(&l->m->arena, &l->m->log) = *s;
		*vec_push(&l->m->arena, &l->m->log) = i + 1 < l->n ? ' ' : '\n';
	}
}

static void on_memory(struct line *l)
{
	const struct { const char *word; uint64_t *value; } words[] = {
		{ "total=", &l->m->total }, { "free=", &l->m->free }, { "cache=", &l->m->cache },
	};

	for (unsigned i = 1; i < l->n; i++)
		for (size_t w = 0; w < ARRAY_LEN(words); w++)
			if (!strncmp(l->w[i], words[w].word, strlen(words[w].word)))
				*words[w].value = number(l, l->w[i] + strlen(words[w].word));
}

static void on_file(struct line *l)
{
	struct mfile *f = vec_push(&l->m->arena, &l->m->files);

	name(l, f->name, sizeof(f->name), l->w[1]);
	name(l, f->path, sizeof(f->path), l->w[2]);
	f->ino = number(l, l->w[3]);
	if (l->n > 4 && !strcmp(l->w[4], "tmpfs"))
		f->fs = MFS_TMPFS;
	else if (l->n > 4 && !strcmp(l->w[4], "hugetlbfs"))
		f->fs = MFS_HUGETLBFS;
	else if (l->n > 4)
		mdie("line %u: '%s'?", l->nr, l->w[4]);
	if (f->path[0] != '/' || !f->path[1])
		mdie("line %u: a path begins with /", l->nr);
}

/* NAME FILE INDEX WORD... */
static struct mframe *named_frame(struct line *l)
{
	int at = frame(l, l->w[1]);
	struct mframe *f = &l->m->frames.v[at];

	f->file = strcmp(l->w[2], "-") ? find_file(l, l->w[2]) : -1;
	f->index = number(l, l->w[3]);
	for (unsigned i = 4; i < l->n; i++) {
		if (!strncmp(l->w[i], "refs=", 5)) {
			f->refs = (uint32_t)number(l, l->w[i] + 5);
		} else if (!strncmp(l->w[i], "count=", 6)) {
			f->count = (uint32_t)number(l, l->w[i] + 6);
		} else if (!strncmp(l->w[i], "at=", 3)) {
			f->pfn = number(l, l->w[i] + 3) >> l->m->cpu->page_shift;
		} else if (!strncmp(l->w[i], "flags=", 6)) {
			f->flags = number(l, l->w[i] + 6);
			f->own_flags = true;
		} else if (!strcmp(l->w[i], "dirty")) {
			f->dirty = true;
		} else if (!strcmp(l->w[i], "hugetlb")) {
			f->hugetlb = true;
		} else {
			mdie("line %u: '%s'?", l->nr, l->w[i]);
		}
	}
	return f;
}

static void on_frame(struct line *l)
{
	if (named_frame(l)->hugetlb)
		mdie("line %u: a frame is no huge page", l->nr);
}

static void on_huge(struct line *l)
{
	l->m->huge = (uint8_t)number(l, l->w[1]);
	if (l->m->huge <= l->m->cpu->page_shift || l->m->huge > 28)
		mdie("line %u: no size of huge pages", l->nr);
}

static void on_compound(struct line *l)
{
	struct mframe *f;

	if (!l->m->huge)
		mdie("line %u: how large?", l->nr);
	f = named_frame(l);
	f->order = (uint8_t)(l->m->huge - l->m->cpu->page_shift);
	f->parts = arena_array(&l->m->arena, uint32_t, UINT64_C(1) << f->order);
	f->index <<= f->order;
}

static void on_mm(struct line *l)
{
	name(l, vec_push(&l->m->arena, &l->m->mms)->name, sizeof(l->m->mms.v[0].name), l->w[1]);
}

static void on_brk(struct line *l)
{
	last_mm(l)->brk0 = address(l, l->w[1]);
	last_mm(l)->brk1 = address(l, l->w[2]);
}

static void on_stack(struct line *l)
{
	last_mm(l)->stack = address(l, l->w[1]);
}

static void on_area(struct line *l)
{
	struct mmm *mm = last_mm(l);
	struct marea *a = vec_push(&l->m->arena, &mm->areas);

	a->start = address(l, l->w[1]);
	a->end = address(l, l->w[2]);
	a->flags = number(l, l->w[3]);
	a->file = l->n > 5 ? find_file(l, l->w[4]) : -1;
	a->pgoff = l->n > 5 ? number(l, l->w[5]) : 0;
	if (a->end <= a->start || (mm->areas.n > 1 && a->start < a[-1].end))
		mdie("line %u: areas ascend", l->nr);
}

/* Count a mapping, in FRAME's own count and in the counters of MM. */
static void count_page(struct machine *m, const struct mpage *p)
{
	struct mframe *f = &m->frames.v[p->frame];
	int mm = (int)m->mms.n - 1;
	uint32_t n = p->whole ? 1u << f->order : 1;

	/* a page that migrates stays in the counters of its mm */
	if (!f->hugetlb) {
		m->mms.v[mm].rss += n;
		m->mms.v[mm].anon += f->file < 0 ? n : 0;
		m->mms.v[mm].shmem += f->file >= 0 && m->files.v[f->file].fs == MFS_TMPFS ? n : 0;
	}
	if (strchr(p->bits, 'm'))
		return;
	f->mms += f->mm != mm;
	f->mm = mm;
	if (p->whole)
		f->entire++;
	else if (f->order)
		f->parts[p->part]++;
	else
		f->mapped++;
}

static void add_page(struct line *l, uint64_t va, char *frame_name, const char *bits, bool whole)
{
	struct mpage p = { .va = va, .whole = whole };

	p.frame = frame_part(l, frame_name, &p.part);
	if (*bits == '=')
		p.raw = number(l, bits + 1);
	name(l, p.bits, sizeof(p.bits), *bits == '=' ? "" : bits);
	last_mm(l);
	count_page(l->m, &p);
	*vec_push(&l->m->arena, &last_mm(l)->pages) = p;
}

static void on_page(struct line *l)
{
	add_page(l, address(l, l->w[1]), l->w[2], l->w[3], false);
}

static void on_pages(struct line *l)
{
	uint64_t va = address(l, l->w[1]), n = number(l, l->w[2]);
	char s[80], *plus = strchr(l->w[3], '+');
	uint64_t first = plus ? number(l, plus + 1) : 0;

	if (plus)
		*plus = 0;
	for (uint64_t i = 0; i < n; i++) {
		snprintf(s, sizeof(s), "%s%c%u", l->w[3], plus ? '+' : '.', (unsigned)(first + i));
		add_page(l, va + (i << l->m->cpu->page_shift), s, l->w[4], false);
	}
}

static void on_entry(struct line *l)
{
	uint64_t va = address(l, l->w[1]);

	if (!l->m->huge || va & ((UINT64_C(1) << l->m->huge) - 1))
		mdie("line %u: no place of a huge page", l->nr);
	add_page(l, va, l->w[2], l->w[3], true);
	if (!l->m->frames.v[frame(l, l->w[2])].order)
		mdie("line %u: %s is no huge page", l->nr, l->w[2]);
}

static void on_swap(struct line *l)
{
	struct mpage *p = vec_push(&l->m->arena, &last_mm(l)->pages);

	p->va = address(l, l->w[1]);
	p->slot = number(l, l->w[2]);
	p->frame = -1;
	last_mm(l)->swapped++;
}

static void on_task(struct line *l)
{
	struct mtask *t = vec_push(&l->m->arena, &l->m->tasks);

	t->pid = (int)number(l, l->w[1]);
	t->tgid = (int)number(l, l->w[2]);
	name(l, t->comm, sizeof(t->comm), l->w[3]);
	t->mm = strcmp(l->w[4], "-") ? find_mm(l, l->w[4]) : -1;
	t->state = l->w[5][0];
	t->ppid = (int)number(l, l->w[6]);
	if (t->mm >= 0)
		l->m->mms.v[t->mm].users++;
}

static void on_faults(struct line *l)
{
	find_task(l, l->w[1])->min = number(l, l->w[2]);
	find_task(l, l->w[1])->maj = number(l, l->w[3]);
}

static void on_times(struct line *l)
{
	find_task(l, l->w[1])->user = number(l, l->w[2]);
	find_task(l, l->w[1])->system = number(l, l->w[3]);
}

static struct damage *damage(struct line *l)
{
	struct damage *d = vec_push(&l->m->arena, &l->m->damage);

	name(l, d->kind, sizeof(d->kind), l->w[1]);
	name(l, d->name, sizeof(d->name), l->w[2]);
	if (l->n > 3)
		name(l, d->member, sizeof(d->member), l->w[3]);
	return d;
}

static void on_lose(struct line *l)
{
	damage(l)->how = LOSE;
}

static void on_poke(struct line *l)
{
	struct damage *d = damage(l);

	d->how = POKE;
	d->unmapped = !strcmp(l->w[4], "unmapped");
	if (!d->unmapped)
		d->value = number(l, l->w[4]);
}

static void on_point(struct line *l)
{
	struct damage *d = damage(l);

	d->how = POINT;
	name(l, d->to_kind, sizeof(d->to_kind), l->w[4]);
	name(l, d->to_name, sizeof(d->to_name), l->w[5]);
	if (l->w[6][0] == 'M')
		name(l, d->to_member, sizeof(d->to_member), l->w[6]);
	else
		d->value = number(l, l->w[6]);
}

static void on_loop(struct line *l)
{
	struct damage *d = vec_push(&l->m->arena, &l->m->damage);

	d->how = LOOP;
	name(l, d->name, sizeof(d->name), l->m->mms.v[find_mm(l, l->w[1])].name);
	d->value = address(l, l->w[2]);
}

static void on_alone(struct line *l)
{
	damage(l)->how = ALONE;
}

static void on_unlink(struct line *l)
{
	damage(l)->how = UNLINK;
}

static void on_twin(struct line *l)
{
	struct damage *d = vec_push(&l->m->arena, &l->m->damage);

	d->how = TWIN;
	name(l, d->name, sizeof(d->name), l->m->mms.v[find_mm(l, l->w[1])].name);
	d->value = address(l, l->w[2]);
	name(l, d->to_name, sizeof(d->to_name), l->m->mms.v[find_mm(l, l->w[3])].name);
	d->to_value = address(l, l->w[4]);
}

static void on_vmcoreinfo(struct line *l)
{
	*vec_push(&l->m->arena, &l->m->lines) = arena_strdup(&l->m->arena, l->w[1]);
}

static const struct {
	const char *word;
	unsigned least;
	void (*run)(struct line *l);
} statements[] = {
	{ "release", 2, on_release }, { "frames", 2, on_frames }, { "log", 2, on_log },
	{ "base", 2, on_base }, { "memory", 2, on_memory }, { "hole", 3, on_hole },
	{ "file", 4, on_file }, { "frame", 4, on_frame }, { "mm", 2, on_mm },
	{ "huge", 2, on_huge }, { "compound", 4, on_compound }, { "entry", 4, on_entry },
	{ "brk", 3, on_brk }, { "stack", 2, on_stack }, { "area", 4, on_area },
	{ "page", 4, on_page }, { "pages", 5, on_pages }, { "swap", 3, on_swap },
	{ "task", 7, on_task }, { "faults", 4, on_faults }, { "times", 4, on_times },
	{ "lose", 3, on_lose }, { "poke", 5, on_poke }, { "point", 7, on_point },
	{ "loop", 3, on_loop }, { "twin", 5, on_twin },
	{ "alone", 4, on_alone },
	{ "unlink", 4, on_unlink }, { "vmcoreinfo", 2, on_vmcoreinfo },
};

static void run_line(struct line *l, char *text)
{
	char *save = NULL;

	text[strcspn(text, "#\n")] = 0;
	for (char *s = strtok_r(text, " \t", &save); s && l->n < WORDS;
	     s = strtok_r(NULL, " \t", &save))
		l->w[l->n++] = s;
	if (!l->n)
		return;
	if (!l->m->cpu && strcmp(l->w[0], "release"))
		mdie("line %u: the release comes first", l->nr);
	for (size_t i = 0; i < ARRAY_LEN(statements); i++) {
		if (strcmp(statements[i].word, l->w[0]))
			continue;
		if (l->n < statements[i].least)
			mdie("line %u: too few words", l->nr);
		statements[i].run(l);
		return;
	}
	mdie("line %u: '%s'?", l->nr, l->w[0]);
}

void machine_read(struct machine *m, FILE *in)
{
	char text[1024];

	m->base = 4 << 20;
	for (struct line l = { .m = m }; fgets(text, sizeof(text), in);) {
		l.nr++;
		l.n = 0;
		run_line(&l, text);
	}
	if (!m->nframes)
		mdie("how many frames?");
	if (!m->tasks.n || m->tasks.v[0].pid)
		mdie("the first task is pid 0");
}
