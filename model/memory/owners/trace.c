/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace.c - ring buffers of ftrace, by instance and CPU (kernel/trace/ring_buffer.c), its table of
 * functions (kernel/trace/ftrace.c), and the names of tasks that it keeps (saved_cmdlines_buffer of
 * kernel/trace/trace.c, since 6.9 trace_sched_switch.c). Read in 5.10, 6.1, 6.12, 7.1.
 *
 * The list of a buffer's pages is circular and without a head; the low two bits of its links are
 * flags. The page that is being read is outside of it.
 */
#include "facts/layout/base.h"
#include "facts/layout/holder.h"
#include "model/kernel/walk/list.h"
#include "model/memory/owners/holding.h"

#define INSTANCES_MAX 65536u
#define TABLES_MAX 1000000u
#define ORDER_MAX 10u
#define NAME_BYTES 64
#define SAVED_BYTES 20u	/* of a task: TASK_COMM_LEN, and its pid */
#define SAVED_MAX (1u << 20)

/* Whole pages at KVA, which no other owner has. */
static bool is_own_page(const struct holding *h, uint64_t kva)
{
	uint64_t pa;

	return kva && !(kva & ((UINT64_C(1) << h->k->page_shift) - 1)) &&
	       (reader_kvtop(h->r, kva, &pa, NULL) ||
		!page_class_marked(h->c, pa >> h->k->page_shift));
}

static void take_page(struct holding *h, struct held *o, uint64_t bpage)
{
	uint64_t data = held_member(h, o, bpage, M_RING_PAGE_DATA),
		 order = held_member(h, o, bpage, M_RING_PAGE_ORDER);

	held_memory(h, o, bpage);
	/* each has pages of its own */
	o->incomplete |= !is_own_page(h, data);
	if (data && order <= ORDER_MAX)
		held_linear(h, o, data, UINT64_C(1) << order, CLASS_TRACE);
	o->incomplete |= order > ORDER_MAX;
}

static void take_cpu(struct holding *h, struct held *o, uint64_t cpu)
{
	const struct layout *l = &h->k->layout;
	uint64_t first = held_member(h, o, cpu, M_RING_PAGES),
		 n = held_member(h, o, cpu, M_RING_NR_PAGES),
		 reader = held_member(h, o, cpu, M_RING_READER), node = first, i = 0;

	/* all three are made with the buffer, which each of its CPUs points back to */
	o->incomplete |= !first || !n || !reader;
	for (; node && i < n && holding_budget(h, o, 1);) {
		i++;
		take_page(h, o, node - layout_offset(l, M_RING_PAGE_LIST));
		if (read_kva_word(h->r, node + layout_offset(l, M_LIST_NEXT), &node))
			break;
		node &= ~UINT64_C(3);
		if (node == first)
			break;
	}
	o->incomplete |= node != first || i != n;
	if (reader)
		take_page(h, o, reader);
}

static void take_buffer(struct holding *h, struct held *o, uint64_t buffer)
{
	uint64_t cpus = held_member(h, o, buffer, M_RING_BUFFERS), cpu;

	o->incomplete |= !cpus;
	for (uint32_t i = 0; cpus && i < h->k->ncpus; i++) {
		if (read_kva_word(h->r, cpus + (uint64_t)h->k->possible[i] * h->k->dump->word_size,
				  &cpu) ||
		    (cpu && has(h->k, M_RING_BUFFER) &&
		     held_member(h, o, cpu, M_RING_BUFFER) != buffer))
			o->incomplete = true;
		else if (cpu)
			take_cpu(h, o, cpu);
	}
}

static void take_instance(struct holding *h, uint64_t addr)
{
	bool fresh;
	struct held *o = held_get(h, OWNER_TRACE, addr, &fresh);
	uint64_t buffer = held_member(h, o, addr, M_TRACE_BUFFER),
		 copy = held_member(h, o, addr, M_TRACE_SNAPSHOT),
		 name = held_member(h, o, addr, M_TRACE_NAME);
	char text[NAME_BYTES];

	o->kernel = true;
	o->what = "the first instance";
	if (name && !read_kva_str(h->r, name, text, sizeof(text)))
		o->what = arena_printf(h->mem, "instance %s", text);
	o->incomplete |= !buffer || (has(h->k, M_TRACE_OF_BUFFER) &&
				     held_member(h, o, addr, M_TRACE_OF_BUFFER) != addr);
	if (buffer)
		take_buffer(h, o, buffer);
	if (copy)
		take_buffer(h, o, copy);
}

/* The functions that can be traced: tables in a list, of which the kernel counts the pages. */
static void take_functions(struct holding *h)
{
	struct held *o = NULL;
	uint64_t table, seen = 0, pages = 0, counted;
	bool known = !kvar_u64(h->k, h->r, Y_FTRACE_NR_PAGES, 0, &counted), fresh;

	if (!has(h->k, M_FTRACE_ORDER) || kvar_u64(h->k, h->r, Y_FTRACE_PAGES, 0, &table))
		return;
	if (!table && known && counted)
		holding_damaged(h, "tables of functions that can be traced", table);
	for (unsigned i = 0; table; i++) {
		uint64_t order, records;

		/* Brent: a list that leads back */
		if (i >= TABLES_MAX || table == seen) {
			o->incomplete = true;
			break;
		}
		if (!(i & (i - 1)))
			seen = table;

		if (!o)
			o = held_get(h, OWNER_TRACE, table, &fresh);
		order = held_member(h, o, table, M_FTRACE_ORDER);
		records = held_member(h, o, table, M_FTRACE_RECORDS);
		o->incomplete |= !is_own_page(h, records);
		if (records && order <= ORDER_MAX)
			held_linear(h, o, records, UINT64_C(1) << order, CLASS_TRACE);
		o->incomplete |= order > ORDER_MAX;
		pages += order <= ORDER_MAX ? UINT64_C(1) << order : 0;
		table = held_member(h, o, table, M_FTRACE_NEXT);
	}
	if (!o)
		return;
	o->incomplete |= known && pages != counted;
	o->kernel = true;
	o->what = "functions that can be traced";
}

/*
 * One block of 2^n pages, as large as the struct and its arrays need. Where the arrays are not in it
 * (until 6.8 and its stable releases), they are small: the struct has a number for each pid.
 */
static void take_names(struct holding *h)
{
	uint64_t addr, num, bytes, page = UINT64_C(1) << h->k->page_shift, block = page;
	struct held *o;
	bool fresh;

	if (!has(h->k, S_SAVED_CMDLINES) || !has(h->k, M_SAVED_CMDLINES_NUM) ||
	    kvar_u64(h->k, h->r, Y_SAVED_CMDLINES, 0, &addr) || !addr)
		return;
	o = held_get(h, OWNER_TRACE, addr, &fresh);
	o->kernel = true;
	o->what = "names of tasks";
	num = held_member(h, o, addr, M_SAVED_CMDLINES_NUM);
	o->incomplete |= num > SAVED_MAX || !holding_allocated(h, addr);
	bytes = layout_size(&h->k->layout, S_SAVED_CMDLINES) +
		(num > SAVED_MAX ? 0 : num * SAVED_BYTES);
	while (block < bytes)
		block <<= 1;
	held_linear(h, o, addr, block >> h->k->page_shift, CLASS_TRACE);
}

void trace_walk(struct holding *h)
{
	struct listwalk w;

	take_functions(h);
	take_names(h);
	if (!has(h->k, Y_TRACE_ARRAYS) || !has(h->k, M_TRACE_BUFFER) || !has(h->k, M_RING_BUFFERS))
		return;
	w = listwalk_start(h->k, h->r, layout_symbol(&h->k->layout, Y_TRACE_ARRAYS), INSTANCES_MAX);
	while (listwalk_next(&w))
		take_instance(h, w.node - layout_offset(&h->k->layout, M_TRACE_LIST));
	if (w.st)
		issue_add(h->k->issues, w.st, "owner", 1, "list of trace instances");
}
