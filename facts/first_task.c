/* SPDX-License-Identifier: GPL-3.0-or-later */
/* first_task.c - the first task of a kernel whose name for it is lost. */
#include "facts/first_task.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/reader.h"
#include "facts/layout/base.h"
#include "facts/layout/task.h"

#define COMM "swapper"		/* INIT_TASK_COMM (include/linux/init_task.h) in every release */
#define NEAR (UINT64_C(32) << 20) /* bytes on each side: no kernel's data is larger by far */
#define STEP 4096u

struct search {
	const struct layout *l;
	struct reader *r;
	uint64_t found;
	unsigned n;
	uint8_t buf[STEP + sizeof(COMM)];
};

static bool is_known(const struct layout *l)
{
	static const enum layout_id needed[] = { M_TASK_COMM,	M_TASK_PID,   M_TASK_TGID,
						 M_TASK_PARENT, M_TASK_TASKS, M_LIST_NEXT,
						 M_LIST_PREV };

	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (l->v[needed[i]].alt < 0)
			return false;
	return true;
}

static bool has_no_number(const struct search *s, uint64_t at)
{
	uint64_t v;

	return !read_kva_uint(s->r, at, 4, &v) && !v;
}

/* The neighbour in the list of tasks on the side of TO points back by FROM. */
static bool is_linked(const struct search *s, uint64_t list, enum layout_id to, enum layout_id from)
{
	uint64_t next, back;

	return !read_kva_word(s->r, list + layout_offset(s->l, to), &next) && next != list &&
	       !read_kva_word(s->r, next + layout_offset(s->l, from), &back) && back == list;
}

static bool is_first(const struct search *s, uint64_t task)
{
	uint64_t list = task + layout_offset(s->l, M_TASK_TASKS), parent;

	return has_no_number(s, task + layout_offset(s->l, M_TASK_PID)) &&
	       has_no_number(s, task + layout_offset(s->l, M_TASK_TGID)) &&
	       !read_kva_word(s->r, task + layout_offset(s->l, M_TASK_PARENT), &parent) &&
	       parent == task &&
	       (is_linked(s, list, M_LIST_NEXT, M_LIST_PREV) ||
		is_linked(s, list, M_LIST_PREV, M_LIST_NEXT));
}

static void search_page(struct search *s, uint64_t kva)
{
	const uint8_t *p = s->buf, *end = s->buf + sizeof(s->buf), *hit;

	if (read_kva(s->r, kva, s->buf, sizeof(s->buf)) && read_kva(s->r, kva, s->buf, STEP))
		return;
	while ((hit = memmem(p, (size_t)(end - p), COMM, strlen(COMM)))) {
		uint64_t task = kva + (uint64_t)(hit - s->buf) - layout_offset(s->l, M_TASK_COMM);

		p = hit + 1;
		if (hit >= s->buf + STEP || task == s->found || !is_first(s, task))
			continue;
		s->found = task;
		s->n++;
	}
}

enum status first_task_find(struct dump *d, const struct layout *l, uint64_t *addr)
{
	struct search s = { .l = l };
	uint64_t centre, kva, end;

	if (!is_known(l) || !vmcoreinfo_symbol(d, "init_uts_ns", &centre))
		return ST_ABSENT;
	centre &= ~(uint64_t)(STEP - 1);
	kva = centre > NEAR ? centre - NEAR : 0;
	end = centre + NEAR > centre ? centre + NEAR : UINT64_MAX - STEP;
	s.r = reader_new(d);
	for (; kva < end; kva += STEP)
		search_page(&s, kva);
	reader_free(s.r);
	*addr = s.found;
	return s.n == 1 ? ST_OK : ST_ABSENT;
}
