/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * oomlog - the events of the OOM killer in a log, as JSON, one event in a line.
 *
 *	oomlog RELEASE callers|plain < RECORDS
 *
 * A record is "CALLER FACILITY TEXT", its time the number of its line in seconds. A kernel
 * has pages of 4 KiB. A line "--" ends a log, and one follows its events. Numbers that are not known and texts that are not there are left out.
 * tests/oom/ compares it with what it made the records of.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/cause/event/oomlog.h"

static bool first;

static void key(const char *name)
{
	printf("%s\"%s\": ", first ? "" : ", ", name);
	first = false;
}

static void put_number(const char *name, int64_t v)
{
	if (v == OOM_UNKNOWN)
		return;
	key(name);
	printf("%" PRId64, v);
}

/* Bytes as the code points of the same number. */
static void put_bytes(const char *s)
{
	putchar('"');
	for (; *s; s++)
		printf("\\u%04x", (unsigned char)*s);
	putchar('"');
}

static void put_text(const char *name, const char *s)
{
	if (!s)
		return;
	key(name);
	put_bytes(s);
}

static void open_list(const char *name)
{
	key(name);
	putchar('[');
	first = true;
}

static void open_object(void)
{
	printf("%s{", first ? "" : ", ");
	first = true;
}

static void shut(char c)
{
	putchar(c);
	first = false;
}

static void put_pairs(const char *name, const struct oom_pairs *p)
{
	key(name);
	putchar('{');
	first = true;
	for (size_t i = 0; i < p->n; i++) {
		printf("%s", first ? "" : ", ");
		put_bytes(p->v[i].key);
		printf(": [%" PRId64 ", %d]", p->v[i].value, p->v[i].kib);
		first = false;
	}
	shut('}');
}

static void put_victims(const struct oom_event *e)
{
	open_list("victims");
	for (size_t i = 0; i < e->victims.n; i++) {
		const struct oom_victim *v = &e->victims.v[i];

		open_object();
		put_number("pid", v->pid);
		put_text("comm", v->comm);
		put_number("uid", v->uid);
		put_number("oom_score_adj", v->oom_score_adj);
		put_number("total_vm", v->total_vm);
		put_number("anon_rss", v->anon_rss);
		put_number("file_rss", v->file_rss);
		put_number("shmem_rss", v->shmem_rss);
		put_number("tables", v->tables);
		put_number("reaped", v->reaped);
		shut('}');
	}
	shut(']');
}

static void put_tasks(const struct oom_event *e)
{
	open_list("tasks");
	for (size_t i = 0; i < e->tasks.n; i++) {
		const struct oom_task *t = &e->tasks.v[i];

		open_object();
		put_number("pid", t->pid);
		put_number("uid", t->uid);
		put_number("tgid", t->tgid);
		put_number("total_vm", t->total_vm);
		put_number("rss", t->rss);
		put_number("rss_anon", t->rss_anon);
		put_number("rss_file", t->rss_file);
		put_number("rss_shmem", t->rss_shmem);
		put_number("tables_bytes", t->tables_bytes);
		put_number("swapents", t->swapents);
		put_number("oom_score_adj", t->oom_score_adj);
		put_text("comm", t->comm);
		shut('}');
	}
	shut(']');
}

static void put_zones(const struct oom_event *e)
{
	open_list("zones");
	for (size_t i = 0; i < e->zones.n; i++) {
		const struct oom_zone *z = &e->zones.v[i];

		open_object();
		put_number("node", z->node);
		put_text("name", z->name);
		put_pairs("pairs", &z->pairs);
		open_list("reserve");
		for (unsigned j = 0; j < z->nreserve; j++)
			printf("%s%" PRId64, j ? ", " : "", z->reserve[j]);
		shut(']');
		open_list("blocks");
		for (unsigned j = 0; j < z->norders; j++)
			printf("%s%" PRId64, j ? ", " : "", z->blocks[j]);
		shut(']');
		shut('}');
	}
	shut(']');
	open_list("nodes");
	for (size_t i = 0; i < e->nodes.n; i++) {
		open_object();
		put_number("node", e->nodes.v[i].node);
		put_pairs("pairs", &e->nodes.v[i].pairs);
		shut('}');
	}
	shut(']');
}

static void put_rest(const struct oom_event *e)
{
	put_pairs("counts", &e->counts);
	put_pairs("stats", &e->stats);
	put_text("stats_of", e->stats_of);
	open_list("usages");
	for (size_t i = 0; i < e->usages.n; i++) {
		open_object();
		put_text("what", e->usages.v[i].what);
		put_number("usage", e->usages.v[i].usage);
		put_number("limit", e->usages.v[i].limit);
		put_number("failcnt", e->usages.v[i].failcnt);
		shut('}');
	}
	shut(']');
	open_list("slabs");
	for (size_t i = 0; i < e->slabs.n; i++) {
		open_object();
		put_text("name", e->slabs.v[i].name);
		put_number("used", e->slabs.v[i].used);
		put_number("total", e->slabs.v[i].total);
		shut('}');
	}
	shut(']');
	open_list("sites");
	for (size_t i = 0; i < e->sites.n; i++) {
		open_object();
		put_number("bytes", e->sites.v[i].bytes);
		put_number("calls", e->sites.v[i].calls);
		put_text("where", e->sites.v[i].where);
		shut('}');
	}
	shut(']');
}

static void put_event(const struct oom_event *e)
{
	putchar('{');
	first = true;
	put_text("kind", oom_kind_text(e->kind));
	put_number("line", e->first_line);
	put_text("comm", e->comm);
	put_number("pid", e->pid);
	put_number("gfp", e->gfp);
	put_text("gfp_names", e->gfp_names);
	put_number("order", e->order);
	put_number("oom_score_adj", e->oom_score_adj);
	put_text("constraint", oom_constraint_text(e->constraint));
	put_number("inferred", e->inferred);
	put_text("nodemask", e->nodemask);
	put_text("cpuset", e->cpuset);
	put_text("mems_allowed", e->mems_allowed);
	put_text("oom_memcg", e->oom_memcg);
	put_text("task_memcg", e->task_memcg);
	put_number("global", e->global);
	put_text("prefix", e->prefix);
	put_number("chosen_pid", e->chosen_pid);
	put_number("chosen_score", e->chosen_score);
	put_text("chosen_comm", e->chosen_comm);
	put_text("group", e->group);
	put_text("panic", e->panic);
	put_text("text", e->text);
	put_number("no_task", e->no_task);
	put_number("exiting", e->exiting);
	put_victims(e);
	put_tasks(e);
	put_zones(e);
	put_rest(e);
	puts("}");
}

static bool take(char *record, uint32_t n, struct log_line *l)
{
	char *caller = strtok(record, " "), *facility = strtok(NULL, " ");

	if (!facility)
		return false;
	*l = (struct log_line){
		.ts = n * UINT64_C(1000000000),
		.caller = (uint32_t)strtoul(caller, NULL, 10),
		.facility = (uint8_t)strtoul(facility, NULL, 10),
		.text = facility + strlen(facility) + 1,
	};
	l->len = (uint32_t)strlen(l->text);
	return true;
}

static void read_log(const struct log_line *v, size_t n, const struct oom_opts *o)
{
	struct arena mem = { 0 };
	struct oom_log log;

	oom_log_read(v, (uint32_t)n, o, &mem, &log);
	for (size_t i = 0; i < log.n; i++)
		put_event(&log.v[i]);
	puts("--");
	arena_release(&mem);
}

int main(int argc, char **argv)
{
	VEC(struct log_line) lines = { 0 };
	struct arena mem = { 0 };
	struct oom_opts o = { .page_shift = 12 };
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (argc != 3)
		return 64;
	release_parse(argv[1], &o.release);
	o.callers = !strcmp(argv[2], "callers");
	while ((n = getline(&line, &room, stdin)) > 0) {
		char *record = arena_strdup(&mem, line);
		struct log_line l;

		if (record[n - 1] == '\n')
			record[n - 1] = '\0';
		if (!strcmp(record, "--")) {
			read_log(lines.v, lines.n, &o);
			lines.n = 0;
			continue;
		}
		if (!take(record, (uint32_t)lines.n, &l))
			return 64;
		*vec_push(&mem, &lines) = l;
	}
	free(line);
	arena_release(&mem);
	return 0;
}
