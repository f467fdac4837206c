/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * events.h - shared by the files that make events of lines. Private to model/cause/event/.
 *
 *     oomlog.c   records to lines, lines to events      request.c   who asked for what
 *     memory.c   zones, nodes, slabs                    outcome.c   victims
 *     asker.c    functions on the way to the request
 */
#ifndef VMCENSUS_OOM_EVENTS_H
#define VMCENSUS_OOM_EVENTS_H

#include "model/cause/event/lines.h"
#include "model/cause/event/oomlog.h"

/* The table that is being printed: its rows have no form of their own. */
enum oom_table { TABLE_NONE, TABLE_STATS, TABLE_COUNTS, TABLE_TASKS, TABLE_SLABS, TABLE_SITES };

#define TASK_COLUMNS 16

/* Who writes to the log: a task, or a CPU in an interrupt. */
struct oom_writer {
	uint32_t event;			/* index + 1 of the event it is writing; 0: none */
	enum oom_table table;
	uint8_t column[TASK_COLUMNS];	/* of the table of tasks: what each is (memory.c) */
	unsigned ncolumns;
	bool told;			/* the event has its Mem-Info */
	bool done;			/* the event has its victim */
	/* a line of which pieces are missing */
	const struct oom_form *open_form;	/* NULL: none */
	uint32_t open_line;
	VEC(char) open;
};

struct oom_reader {
	const struct log_line *lines;
	const struct oom_opts *o;
	struct arena *mem;
	struct arena scratch;
	VEC(struct oom_event) events;
	uint64_t left_out;
};

/* A line that is complete. */
struct oom_text {
	const struct oom_match *m;
	struct span text;
};

static inline int64_t span_value(struct span s)
{
	int64_t v;

	return span_number(s, &v) ? v : OOM_UNKNOWN;
}

/* In rd->mem. */
const char *oom_string(struct oom_reader *rd, struct span s);
/* All pairs of S. */
void oom_pairs_add(struct oom_reader *rd, struct oom_pairs *to, struct span s);
void oom_pair_add(struct oom_reader *rd, struct oom_pairs *to, struct span key, int64_t value,
		  bool kib);

/* request.c: lines of the request and its control group. */
void oom_request(struct oom_reader *rd, struct oom_event *e, const struct oom_text *t);
void oom_memcg(struct oom_reader *rd, struct oom_event *e, const struct oom_text *t);
/* asker.c: a line between the request and the figures, which may be of its call trace. */
void oom_asker(struct oom_reader *rd, struct oom_event *e, struct span text);
/* What older releases do not print, from what they do. */
void oom_infer(struct oom_event *e);

/* nodes.c: the same by the nodes of the dump that the log left out. */
void oom_infer_nodes(const struct snapshot *s, struct oom_log *log, struct arena *mem);

/* memory.c: lines below Mem-Info, and rows of tables. */
void oom_memory(struct oom_reader *rd, struct oom_event *e, const struct oom_text *t);
void oom_columns(struct oom_writer *w, struct span text);
/* The same where the log has lost the header of the table; false: TEXT is no row of one. */
bool oom_columns_infer(const struct oom_reader *rd, struct oom_writer *w, struct span text);
/* A line without a form. */
void oom_table_row(struct oom_reader *rd, struct oom_writer *w, struct oom_event *e,
		   struct span text);

/* outcome.c */
void oom_outcome(struct oom_reader *rd, struct oom_event *e, const struct oom_text *t);
/* Lines that the reaper writes later, about a victim of an event before. */
void oom_after(struct oom_reader *rd, const struct oom_text *t);
void oom_program(struct oom_reader *rd, struct oom_event *e, const struct oom_text *t);

#endif
