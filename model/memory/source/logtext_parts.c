/* SPDX-License-Identifier: GPL-3.0-or-later */
/* logtext_parts.c - files of pstore, one after the other: their parts in the order of time. */
#include "dumpread/base/search.h"
#include "model/memory/source/logtext.h"

/* What follows a line "Panic#1 Part2". */
struct part {
	struct slice text;
	size_t dump;		/* parts of one dump have the same */
	uint64_t number;
};

typedef VEC(struct part) parts;

/* kmsg_dump_reason_str(), kernel/printk/printk.c, of 3.1 to 7.3. */
static bool take_reason(struct slice *s)
{
	static const char *const reasons[] = {
		"Panic", "Oops", "Emergency", "Restart", "Halt", "Poweroff", "Shutdown", "Unknown", "Kexec",
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (slice_skip(s, reasons[i]))
			return true;
	return false;
}

/* "Panic#1 Part2" */
static bool is_header(struct slice line, uint64_t *dump, uint64_t *part)
{
	if (line.end > line.p && line.end[-1] == '\r')
		line.end--;
	return take_reason(&line) && slice_skip(&line, "#") && slice_number(&line, 9, dump) &&
	       slice_skip(&line, " Part") && slice_number(&line, 9, part) && line.p == line.end;
}

static void find_parts(struct slice all, struct arena *mem, parts *v)
{
	uint64_t dump = 0, number;
	struct part now = { .text = { all.p, all.p } };

	while (all.p < all.end) {
		const char *nl = slice_find(&all, '\n');
		struct slice line = { all.p, nl ? nl : all.end };

		all.p = nl ? nl + 1 : all.end;
		if (is_header(line, &dump, &number)) {
			size_t place = now.dump;

			*vec_push(mem, v) = now;
			/* of another dump: the number of it is another, or its parts begin again */
			place += v->n == 1 || dump != now.number >> 32 ||
				 number <= (uint32_t)now.number;
			now = (struct part){ { all.p, all.p }, place, dump << 32 | number };
		}
		now.text.end = all.p;
	}
	*vec_push(mem, v) = now;
}

static int by_time(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	if (a->dump != b->dump)
		return a->dump < b->dump ? -1 : 1;
	return a->number > b->number ? -1 : a->number < b->number;
}

struct slice log_order_parts(struct slice all, struct arena *mem)
{
	struct arena scratch = { 0 };
	struct slice ret = all;
	parts v = { 0 };
	char *to;

	if (!memmem(all.p, slice_left(&all) < 4096 ? slice_left(&all) : 4096, " Part", 5))
		return all;
	find_parts(all, &scratch, &v);
	if (v.n > 1) {
		to = arena_alloc(mem, slice_left(&all) + v.n + 1);
		ret.p = to;
		sort_array(v.v, v.n, sizeof(*v.v), by_time);
		for (size_t i = 0; i < v.n; i++) {
			memcpy(to, v.v[i].text.p, slice_left(&v.v[i].text));
			to += slice_left(&v.v[i].text);
			if (slice_left(&v.v[i].text) && to[-1] != '\n')
				*to++ = '\n';
		}
		ret.end = to;
	}
	arena_release(&scratch);
	return ret;
}
