/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit.c - compares a layout file with the dump.
 */
#include "model/kernel/fit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/task.h"

#define ENOUGH 2u		/* contradictions that are no damage of one place */
#define NEAR 16384u		/* bytes of a task_struct that are searched for its name */
#define COMM "swapper"		/* INIT_TASK_COMM: the name of the first task in every release */

struct signs {
	const struct kernel *k;
	struct reader *r;
	unsigned against;	/* contradictions */
	char first[160];	/* the first of them, as words */
};

static bool from_file(const char *from)
{
	return from && !strcmp(from, "layout file");
}

#define contradicts(s, ...)                                                                        \
	((s)->against++ ? 0 : snprintf((s)->first, sizeof((s)->first), __VA_ARGS__))

/* ---- VMCOREINFO ------------------------------------------------------------------- */

/* One line: "SIZE(page)=64", "OFFSET(page.flags)=0"; others say nothing of types. */
static void compare_line(struct signs *s, const char *line)
{
	const struct types *t = &s->k->dump->types;
	bool size = !strncmp(line, "SIZE(", 5), offset = !strncmp(line, "OFFSET(", 7);
	const char *from, *open = strchr(line, '('), *close = strchr(line, ')');
	struct member m = { 0 };
	char name[96];
	uint32_t bytes = 0;
	uint64_t want;

	if ((!size && !offset) || !close || close[1] != '=' ||
	    (size_t)(close - open) > sizeof(name))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)(close - open - 1), open + 1);
	want = strtoull(close + 2, NULL, 10);
	if (size ? types_size(t, name, &bytes, &from) : types_member(t, name, &m, &from))
		return;
	if (from_file(from) && (size ? bytes : m.offset) != want)
		contradicts(s, "VMCOREINFO has %s %s %" PRIu64 ", the file %u",
			    size ? "the size of" : "the offset of", name, want,
			    size ? bytes : m.offset);
}

static void compare_vmcoreinfo(struct signs *s)
{
	const char *p = s->k->dump->vmcoreinfo;
	char line[160];

	while (*p) {
		size_t len = strcspn(p, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)min_u64(len, sizeof(line) - 1), p);
		compare_line(s, line);
		p += len + (p[len] == '\n');
	}
}

/* ---- the first task ---------------------------------------------------------------- */

static bool file_has(const struct signs *s, enum layout_id id)
{
	return has(s->k, id) && from_file(s->k->layout.v[id].from);
}

static uint64_t place(const struct signs *s, enum layout_id id)
{
	return layout_symbol(&s->k->layout, Y_INIT_TASK) + layout_offset(&s->k->layout, id);
}

/* Where in the task its name is, page by page; NEAR if it is not there. */
static uint32_t find_comm(struct signs *s)
{
	uint64_t task = layout_symbol(&s->k->layout, Y_INIT_TASK);
	uint8_t buf[256 + sizeof(COMM)];

	for (uint32_t at = 0; at < NEAR; at += 256) {
		const uint8_t *hit;

		if (read_kva(s->r, task + at, buf, sizeof(buf)))
			continue;
		hit = memmem(buf, sizeof(buf), COMM, strlen(COMM));
		/* "swapper", or "swapper/0" since f1c6f1a7eed9 (3.3) */
		if (hit && (!hit[strlen(COMM)] || hit[strlen(COMM)] == '/'))
			return at + (uint32_t)(hit - buf);
	}
	return NEAR;
}

/* The name at another place is no damage: it counts as enough. */
static void compare_comm(struct signs *s)
{
	char comm[sizeof(COMM)] = "";
	uint32_t at;

	if (!file_has(s, M_TASK_COMM) ||
	    read_kva(s->r, place(s, M_TASK_COMM), comm, strlen(COMM)) || !strcmp(comm, COMM))
		return;
	at = find_comm(s);
	if (at == NEAR)
		return;
	contradicts(s, "the name of the first task is at byte %u of task_struct, in the file at %u",
		    at, layout_offset(&s->k->layout, M_TASK_COMM));
	s->against += ENOUGH;
}

/* The word at ADDR, if it can be a pointer to a kernel object. */
static bool read_pointer(const struct signs *s, uint64_t addr, uint64_t *ret)
{
	return !read_kva_word(s->r, addr, ret) && kernel_ptr_ok(s->k, *ret, s->k->dump->word_size);
}

/* The first task is its own parent, and its neighbour in the list of tasks points back. */
static void compare_pointers(struct signs *s)
{
	uint64_t task = layout_symbol(&s->k->layout, Y_INIT_TASK), p;

	if (file_has(s, M_TASK_PARENT) && read_pointer(s, place(s, M_TASK_PARENT), &p) && p != task)
		contradicts(s, "the first task is not its own parent, by the file's place of it");
	if (file_has(s, M_TASK_TASKS) && read_pointer(s, place(s, M_TASK_TASKS), &p) &&
	    read_pointer(s, p + s->k->dump->word_size, &p) && p != place(s, M_TASK_TASKS))
		contradicts(s, "the list of tasks is not at the file's place of it");
}

/* The pid of the first task is 0. */
static void compare_pid(struct signs *s)
{
	uint64_t pid;

	if (file_has(s, M_TASK_PID) && !read_kva_uint(s->r, place(s, M_TASK_PID), 4, &pid) && pid)
		contradicts(s, "the first task has pid %" PRIu64 ", by the file's place of it",
			    pid);
}

enum status layout_fits(const struct kernel *k, struct reader *r)
{
	struct dump *d = k->dump;
	struct signs s = { .k = k, .r = r };

	if (!d->layout_file)
		return ST_OK;
	compare_vmcoreinfo(&s);
	if (layout_symbol(&k->layout, Y_INIT_TASK)) {
		compare_comm(&s);
		compare_pointers(&s);
		compare_pid(&s);
	}
	if (s.against < ENOUGH)
		return ST_OK;
	return fail(&d->diag, ST_CORRUPT,
		    "%s: is not of this kernel: %s; the places of members depend on the "
		    "configuration: give the kernel's vmlinux, or make a layout of its own headers "
		    "and .config with \"vmcensus layout --headers\"",
		    d->layout_file, s.first);
}
