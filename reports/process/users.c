/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * users - one row per user: the memory of all processes of the user.
 */
#include "reports/process/users.h"

#include "dumpread/base/bytes.h"
#include "model/memory/trust/incomplete.h"
#include "reports/core/group_cols.h"
#include "reports/process/accounts.h"

static const struct column cols[] = {
	COL(struct user_row, user, COL_STR, COL_SHOWN, "",
	    "name from etc/passwd below --sysroot; without it the number"),
	COL(struct user_row, uid, COL_UINT, 0, "", "effective user id, which ps and smem use"),
	COL(struct user_row, procs, COL_UINT, COL_SHOWN | COL_TOTAL, "", "processes"),
	COL(struct user_row, mms, COL_UINT, COL_TOTAL, "", "distinct mms"),
	GROUP_USAGE_COLUMNS(struct user_row),
	U_INCOMPLETE(struct user_row),
};

struct maker {
	const struct snapshot *s;
	struct table *t;
	struct accounts accounts;
	VEC(struct user_row) rows;
	struct hash by_uid;
};

static struct user_row *user_row_of(struct maker *m, uint32_t uid)
{
	uint32_t i = hash_get(&m->by_uid, (uint64_t)uid + 1);
	struct user_row *r;

	if (i != HASH_NONE)
		return &m->rows.v[i];
	hash_put(&m->by_uid, (uint64_t)uid + 1, (uint32_t)m->rows.n);
	r = vec_push(&m->t->mem, &m->rows);
	r->uid = uid;
	r->user = accounts_name(&m->accounts, uid, &m->t->mem);
	return r;
}

static void add_process(struct maker *m, uint32_t index)
{
	const struct proc *p = &m->s->procs[index];
	const struct mm *mm = proc_mm(m->s, p);
	struct user_row *r;

	/* smem shows processes with memory */
	if ((!mm || !mm->nvmas) && !proc_incomplete(m->s, p))
		return;
	r = user_row_of(m, p->euid);
	r->procs++;
	if (!mm)
		usage_sum_none(&r->sum, m->s, p);
	if (!mm || (mm->nprocs > 1 && mm->owner != index))
		return;
	r->mms++;
	usage_sum_mm(&r->sum, m->s, mm);
	sums_add_mm(&r->kib, m->s, mm, SUMS_KIB);
}

static enum status users_report(const struct snapshot *s, const struct report_opts *o,
				struct table *t, struct diag *diag)
{
	struct maker m = { .s = s, .t = t, .by_uid.mem = &t->mem };

	(void)diag;
	accounts_read(&m.accounts, o->sysroot, &t->mem);
	for (uint32_t i = 0; i < s->nprocs; i++)
		add_process(&m, i);
	for (size_t i = 0; i < m.rows.n; i++) {
		struct user_row *r = &m.rows.v[i];

		usage_cells_of(&r->u, &r->sum);
		r->incomplete = incomplete_text(r->sum.incomplete);
	}
	t->rows = m.rows.v;
	t->nrows = m.rows.n;
	t->row_size = sizeof(struct user_row);
	t->incomplete = offsetof(struct user_row, incomplete);
	return ST_OK;
}

const struct report report_users = {
	.name = "users",
	.about = "memory of each user's processes",
	.needs = NEED_TASKS | NEED_VMAS | NEED_FRAMES | NEED_USAGE,
	.opts = OPT_SYSROOT,
	.of_sizes = true,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-pss,uid",
	.run = users_report,
	.likes = users_likes,
	.help = "One row for each user with a process that has memory. Processes that share one mm\n"
		"count it once, for the user of the first of them. Names come from etc/passwd below\n"
		"--sysroot DIR; without it users are numbers.",
};
