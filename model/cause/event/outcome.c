/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who was killed, and how it ended. */
#include <string.h>

#include "model/cause/event/events.h"

#define REAPED_BACK 64		/* events that a line of the reaper may be late */

const struct oom_victim oom_no_victim = {
	.pid = OOM_UNKNOWN,
	.uid = OOM_UNKNOWN,
	.oom_score_adj = OOM_UNKNOWN,
	.total_vm = OOM_UNKNOWN,
	.anon_rss = OOM_UNKNOWN,
	.file_rss = OOM_UNKNOWN,
	.shmem_rss = OOM_UNKNOWN,
	.tables = OOM_UNKNOWN,
};

static struct oom_victim *add_victim(struct oom_reader *rd, struct oom_event *e, struct span pid,
				     struct span comm)
{
	struct oom_victim *v = vec_push(rd->mem, &e->victims);

	*v = oom_no_victim;
	v->pid = span_value(pid);
	v->comm = oom_string(rd, comm);
	return v;
}

/*
 * Who was chosen is killed, then all of its group (memory.oom.group), and so the chosen one again, or
 * it is exiting by then: oom_kill_process(), oom_kill_memcg_member(), mm/oom_kill.c.
 */
static bool is_first_again(const struct oom_event *e, struct span pid)
{
	return e->group && e->kind == OOM_KILL && e->victims.n &&
	       e->victims.v[0].pid == span_value(pid);
}

/*
 * The line says kB and prints bytes from 70cb6d267790 (v5.4) to 941f762bcb27 (v5.5, 5.4.9). Ubuntu's and Red Hat's
 * own trees began after that, or took both.
 */
static bool tables_in_bytes(const struct release *r)
{
	return release_mainline(r) == V(5, 4) && r->patch < 9 && !r->ubuntu && !r->el;
}

/* The same size in the table of tasks, which never was wrong; the last row of it is nearest. */
static int64_t tables_of_row(const struct oom_event *e, int64_t pid)
{
	for (size_t i = e->tasks.n; i--;)
		if (e->tasks.v[i].pid == pid)
			return e->tasks.v[i].tables_bytes;
	return OOM_UNKNOWN;
}

/* A release that does not tell its patch level (5.4.0-1-amd64) is decided by the table. */
static void mend_tables(const struct oom_event *e, struct oom_victim *v, const struct release *r)
{
	int64_t row = tables_of_row(e, v->pid);

	if (v->tables == OOM_UNKNOWN || release_mainline(r) != V(5, 4))
		return;
	v->mended = row > 0 && (row == v->tables || row >> 10 == v->tables) ? row == v->tables
									    : tables_in_bytes(r);
	v->tables = v->mended ? v->tables >> 10 : v->tables;
}

/* "total-vm:%lukB, anon-rss:%lukB ..." */
static void victim_sizes(struct oom_victim *v, struct span s)
{
	struct pair p;

	while (pair_next(&s, &p)) {
		if (span_is(p.key, "total-vm") || span_is(p.key, "vsz"))
			v->total_vm = p.value;
		else if (span_is(p.key, "anon-rss"))
			v->anon_rss = p.value;
		else if (span_is(p.key, "file-rss"))
			v->file_rss = p.value;
		else if (span_is(p.key, "shmem-rss"))
			v->shmem_rss = p.value;
		else if (span_is(p.key, "pgtables"))
			v->tables = p.value;
		else if (span_is(p.key, "UID"))
			v->uid = p.value;
		else if (span_is(p.key, "oom_score_adj"))
			v->oom_score_adj = p.value;
	}
}

/*
 * The summary line ends with ",task=COMM,pid=..". The last ",task=" of it ended the path of
 * the control group, but it may be one in COMM: then the path has the beginning of COMM.
 */
static const char *without_comm(struct oom_reader *rd, const char *path, const char *comm)
{
	static const char mark[] = ",task=";
	struct span p = { path, strlen(path) }, head = { comm, 0 };
	size_t cut;

	for (const char *at = comm; (at = strstr(at, mark)); at++)
		head.n = (size_t)(at - comm) + 1;
	cut = head.n ? sizeof(mark) - 1 + head.n - 1 : 0;
	if (!cut || p.n < cut || memcmp(path + p.n - cut, mark, sizeof(mark) - 1) ||
	    memcmp(path + p.n - head.n + 1, comm, head.n - 1))
		return path;
	p.n -= cut;
	return oom_string(rd, p);
}

static void killed(struct oom_reader *rd, struct oom_event *e, const struct oom_text *t)
{
	const char *pattern = t->m->form->pattern;
	const struct span *f = t->m->field;
	bool named = *pattern == '%', uid_first = strstr(pattern, "%d, UID") != NULL;
	struct span pid = f[named], comm = f[named + 1 + uid_first];
	struct oom_victim *v;

	if (is_first_again(e, pid)) {
		e->again++;
		return;
	}
	v = add_victim(rd, e, pid, comm);
	if (named)
		e->prefix = oom_string(rd, f[0]);
	if (e->task_memcg)
		e->task_memcg = without_comm(rd, e->task_memcg, v->comm);
	if (uid_first)
		v->uid = span_value(f[1]);
	victim_sizes(v, span_from(t->text, (size_t)(comm.p - t->text.p) + comm.n));
	mend_tables(e, v, &rd->o->release);
}

void oom_outcome(struct oom_reader *rd, struct oom_event *e, const struct oom_text *t)
{
	static const char panic[] = "Kernel panic - not syncing: ";
	const struct span *f = t->m->field;
	struct span g[TEXT_FIELDS];

	switch (t->m->form->line) {
	case LINE_CHOSEN:
		e->prefix = oom_string(rd, f[0]);
		e->chosen_pid = span_value(f[1]);
		e->chosen_comm = oom_string(rd, f[2]);
		e->chosen_score = span_value(f[3]);
		break;
	case LINE_KILLED: killed(rd, e, t); break;
	case LINE_EXITING:
		if (is_first_again(e, f[1]))
			break;
		e->prefix = oom_string(rd, f[0]);
		add_victim(rd, e, f[1], f[2]);
		e->exiting = true;
		break;
	case LINE_GROUP:
		if (text_match(t->m->form->whole, t->text, g))
			e->group = oom_string(rd, g[0]);
		break;
	case LINE_NO_TASK: e->no_task = true; break;
	case LINE_PANIC: e->panic = oom_string(rd, span_from(t->text, sizeof(panic) - 1)); break;
	case LINE_LEAKED:
		if (strchr(t->m->form->pattern, '%'))
			add_victim(rd, e, (struct span){ "", 0 }, f[0]);
		break;
	default: /* LINE_LOWMEMORYKILLER */
		if (*t->m->form->pattern == 's')
			add_victim(rd, e, f[0], f[1]);
		else
			add_victim(rd, e, f[1], f[0]);
		break;
	}
}

void oom_after(struct oom_reader *rd, const struct oom_text *t)
{
	enum oom_reaped how = t->m->form->line == LINE_REAPED ? OOM_REAPED : OOM_UNABLE;
	int64_t pid = span_value(t->m->field[0]);

	for (size_t i = rd->events.n; i-- && rd->events.n - i <= REAPED_BACK;) {
		struct oom_event *e = &rd->events.v[i];

		for (size_t j = e->victims.n; j--;) {
			if (e->victims.v[j].pid != pid || e->kind != OOM_KILL)
				continue;
			e->victims.v[j].reaped = how;
			return;
		}
	}
}

/* The name in quotes: COMM of earlyoom's  uid 1000 "COMM": badness 2, VmRSS 3 MiB. */
static struct span quoted(struct span s)
{
	size_t at = span_find(s, "\"");
	struct span in = span_from(s, at + 1), f[TEXT_FIELDS];

	return text_match("%c\": %*", in, f) ? f[0] : (struct span){ "", 0 };
}

void oom_program(struct oom_reader *rd, struct oom_event *e, const struct oom_text *t)
{
	const struct span *f = t->m->field;
	struct span name = f[0];

	e->text = oom_string(rd, t->text);
	if (*t->m->form->pattern == 'l') {
		e->comm = "lmkd";
		add_victim(rd, e, f[1], f[0]);
		return;
	}
	name.n = span_find(name, "[") < name.n ? span_find(name, "[") : name.n;
	e->comm = oom_string(rd, name);
	if (strstr(t->m->form->pattern, "sending"))
		add_victim(rd, e, f[2], quoted(f[3]));
	else
		e->group = oom_string(rd, f[1]);
}
