/* SPDX-License-Identifier: GPL-3.0-or-later */
/* age - pages that may be taken, by control group, node, and how long nobody used them. */
#include "dumpread/base/bytes.h"
#include "model/kernel/zone/lru_age.h"
#include "reports/core/common.h"

struct row {
	const char *cgroup, *list;
	int64_t node;
	uint64_t seq, age, anon, file, size, active;
};

#define P COL_SHOWN
#define BYTES(name, about) COL(struct row, name, COL_BYTES, P | COL_TOTAL, "bytes", about)

static const struct column cols[] = {
	COL(struct row, cgroup, COL_STR, P | COL_WIDE, "", "charged with them, itself"),
	COL(struct row, node, COL_INT, P, "", "number of the node"),
	COL(struct row, list, COL_STR, P, "",
	    "generation (MGLRU), or inactive, active; unevictable: locked or pinned, never taken"),
	COL(struct row, seq, COL_UINT, P, "", "of a generation: its number, the oldest first"),
	COL(struct row, age, COL_UINT, P, "ms", "since the generation began: no page of an older one was used later"),
	BYTES(anon, "anonymous pages, tmpfs and shared memory included; of unevictable not told apart"),
	BYTES(file, "pages of files"),
	COL(struct row, size, COL_BYTES, P | COL_TOTAL, "bytes", "both"),
	COL(struct row, active, COL_UINT, 0, "", "1: active_anon and active_file of memory.stat have them"),
};

static uint64_t bytes_of(const struct snapshot *s, uint64_t pages)
{
	return pages == LRU_UNKNOWN ? COL_UNKNOWN : pages * page_size(s);
}

static void set_row(const struct snapshot *s, const struct lru_age *a, struct row *r)
{
	static const char *const lists[] = { [LRU_GENERATION] = "generation",
					     [LRU_INACTIVE] = "inactive",
					     [LRU_ACTIVE] = "active",
					     [LRU_UNEVICTABLE] = "unevictable" };
	bool known = a->anon != LRU_UNKNOWN && a->file != LRU_UNKNOWN;
	bool both = a->kind == LRU_UNEVICTABLE;

	*r = (struct row){
		.cgroup = s->cgroups[a->cgroup].path,
		.list = lists[a->kind],
		.node = a->node,
		.seq = a->kind == LRU_GENERATION ? a->seq : COL_UNKNOWN,
		.age = a->ms == LRU_UNKNOWN ? COL_UNKNOWN : a->ms,
		.anon = both ? COL_UNKNOWN : bytes_of(s, a->anon),
		.file = both ? COL_UNKNOWN : bytes_of(s, a->file),
		.size = known ? bytes_of(s, a->anon + a->file) : COL_UNKNOWN,
		.active = a->youngest,
	};
}

static enum status age_report(const struct snapshot *s, const struct report_opts *o,
			      struct table *t, struct diag *diag)
{
	struct lru_ages ages;
	struct row *rows;

	(void)o;
	if (lru_ages_build(s, &t->mem, &ages))
		return fail(diag, ST_ABSENT,
			    "this image does not show the lists of pages of control groups");
	t->rows = rows = arena_array(&t->mem, struct row, ages.n);
	t->nrows = ages.n;
	t->row_size = sizeof(struct row);
	for (uint32_t i = 0; i < ages.n; i++)
		set_row(s, &ages.v[i], &rows[i]);
	return ST_OK;
}

const struct report report_age = {
	.name = "age",
	.about = "age of memory: generations (MGLRU), or active and inactive lists, by control group",
	.needs = NEED_TASKS | NEED_CGROUPS | NEED_MACHINE,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.run = age_report,
	.help = "Which memory was cold when the machine stopped. One row for each control group, node and\n"
		"generation, by the kernel's own counters, as /sys/kernel/debug/lru_gen has them. Pages are\n"
		"those charged to the group itself, not to groups below it; what is charged to none is the\n"
		"root's. A page is in the generation in which it was last found used; the kernel looks only\n"
		"when it runs short, so that without pressure all pages are young. The two youngest count as\n"
		"active in memory.stat. Where MGLRU is off there are an active and an inactive list, without\n"
		"a time.",
};
