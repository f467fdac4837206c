/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Control groups: first all that the memory controller knows, from root_mem_cgroup down,
 * so that removed groups which still hold memory are included; then those of processes,
 * with their parents.
 */
#include "model/kernel/cgroup/cgroups.h"

#include "model/kernel/cgroup/memcg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "facts/layout/cgroup.h"
#include "facts/layout/task.h"
#include "model/kernel/file/path.h"
#include "model/kernel/kobj.h"
#include "model/kernel/walk/list.h"

#define CGROUPS_MAX (4u << 20)	/* groups; live ones have 16-bit ids */
#define DEPTH_MAX 2048u		/* a path of PATH_MAX bytes has no more components */
#define CGROUP_PATH_MAX 4096u	/* proc_cgroup_show(), kernel/cgroup/cgroup.c */
#define CGROUP_NAME_MAX 256u
#define PATHS_MAX (256u << 20)	/* bytes of all paths together */
#define PF_EXITING 0x4

struct cgbuild {
	struct snapshot *s;		/* NULL: for cgroup_lines() */
	const struct kernel *k;
	struct reader *r;
	struct arena *names;		/* owns paths */
	VEC(struct cgroup) rows;	/* in s->mem */
	VEC(uint64_t) todo;		/* css of memory, last one first */
	struct hash by_addr;		/* struct cgroup -> row */
	uint64_t dfl_root;		/* struct cgroup_root of cgroup2; 0 not known */
	int64_t memory_id;		/* in subsys[]; -1: no such controller */
	uint64_t paths_left;		/* bytes */
	bool full;
	struct arena mem;
};

static void damaged(struct cgbuild *b, enum status st, const char *what, uint64_t addr)
{
	issue_add(b->k->issues, st, "cgroup", 1, "%s at %#" PRIx64, what, addr);
}

/* A pointer member of the object at ADDR; 0 if there is none or it is not readable. */
static uint64_t pointer(struct cgbuild *b, uint64_t addr, enum layout_id member)
{
	unsigned word = b->k->dump->word_size;
	uint64_t p = 0;
	enum status st = ST_CORRUPT;

	if (kernel_ptr_ok(b->k, addr, word))
		st = kmember_u64(b->k, b->r, addr, member, &p);
	if (!st && p && !kernel_ptr_ok(b->k, p, 1))
		st = ST_CORRUPT;
	if (st == ST_ABSENT)
		return 0;
	if (st) {
		damaged(b, st, "object", addr);
		return 0;
	}
	return p;
}

/* The memory controller's element of subsys[] in the object at ADDR. */
static uint64_t memory_css(struct cgbuild *b, uint64_t addr, enum layout_id subsys)
{
	const struct member *m = &b->k->layout.v[subsys].m;
	uint64_t p = 0;
	enum status st;

	if (!has(b->k, subsys) || b->memory_id < 0 || b->memory_id >= m->count)
		return 0;
	st = read_kva_word(b->r, addr + m->offset + (uint64_t)b->memory_id * m->stride, &p);
	if (!st && p && !kernel_ptr_ok(b->k, p, b->k->dump->word_size))
		st = ST_CORRUPT;
	if (st) {
		damaged(b, st, "subsys[]", addr);
		return 0;
	}
	return p;
}

static uint64_t parent_of(struct cgbuild *b, uint64_t cgrp)
{
	uint64_t self = layout_offset(&b->k->layout, M_CGROUP_SELF), p;

	if (!has(b->k, M_CGROUP_SELF))
		return pointer(b, cgrp, M_CGROUP_PARENT);
	p = pointer(b, cgrp + self, M_CSS_PARENT);
	return p ? p - self : 0;
}

/* cgroup_is_dead(), include/linux/cgroup.h */
static bool is_dead(struct cgbuild *b, uint64_t cgrp)
{
	int64_t online = layout_enum(&b->k->layout, E_CSS_ONLINE, 0);
	uint64_t self = cgrp + layout_offset(&b->k->layout, M_CGROUP_SELF), flags;

	if (!online || !has(b->k, M_CGROUP_SELF) ||
	    kmember_u64(b->k, b->r, self, M_CSS_FLAGS, &flags))
		return false;
	return !(flags & (uint64_t)online);
}

/* Is CSS online? Then subsys[] of its group points to it (online_css(), kernel/cgroup/cgroup.c). */
static bool css_sound(struct cgbuild *b, uint64_t css, uint64_t cgrp)
{
	int64_t online = layout_enum(&b->k->layout, E_CSS_ONLINE, 0);
	uint64_t flags = 0;

	return !online || !has(b->k, M_CGROUP_SUBSYS) || b->memory_id < 0 ||
	       kmember_u64(b->k, b->r, css, M_CSS_FLAGS, &flags) || !(flags & (uint64_t)online) ||
	       memory_css(b, cgrp, M_CGROUP_SUBSYS) == css;
}

/* ---- path ---------------------------------------------------------------------------- */

/* Writes "/NAME" before the text at AT; returns the new start, or 0 if there is no room. */
static size_t prepend(char *buf, size_t at, const char *name)
{
	size_t n = strnlen(name, CGROUP_NAME_MAX);

	if (n + 1 > at)
		return 0;
	memcpy(buf + at - n, name, n);
	buf[at - n - 1] = '/';
	return at - n - 1;
}

/* kernfs_name_hash() with full_name_hash(), fs/kernfs/dir.c, in this form since v4.8. */
static uint32_t name_hash(const struct kernel *k, const char *name)
{
	bool wide = k->dump->word_size == 8;
	uint64_t h = 0;

	for (const uint8_t *p = (const uint8_t *)name; *p; p++)
		h = (h + ((uint64_t)*p << 4) + (*p >> 4)) * 11;
	h = wide ? h * UINT64_C(0x61c8864680b583eb) >> 32 : (uint32_t)h * UINT64_C(0x61c88647);
	h &= INT32_MAX;
	if (h < 2)
		h += 2;
	return h >= INT32_MAX ? INT32_MAX - 1 : (uint32_t)h;
}

/* The name of a kernfs node, which has a hash of it beside. */
static enum status node_name(struct cgbuild *b, uint64_t kn, char *name)
{
	static const struct era hashed_so = { V(4, 8), 0 };
	uint64_t p = pointer(b, kn, M_KN_NAME), hash;
	enum status st = p ? read_kva_str(b->r, p, name, CGROUP_NAME_MAX) : ST_CORRUPT;

	if (!st && has(b->k, M_KN_HASH) && in_era(b->k, hashed_so) &&
	    !kmember_u64(b->k, b->r, kn, M_KN_HASH, &hash) && hash != name_hash(b->k, name))
		st = ST_CORRUPT;
	if (st)
		damaged(b, st, "name", kn);
	return st;
}

/* kernfs_path(): names up to the node that has no parent. */
static const char *kernfs_path(struct cgbuild *b, uint64_t kn, bool dead)
{
	static const char suffix[] = " (deleted)";
	char buf[CGROUP_PATH_MAX + sizeof(suffix)], name[CGROUP_NAME_MAX];
	size_t end = CGROUP_PATH_MAX, at = end;
	uint64_t up;

	memcpy(buf + end, dead ? suffix : "", dead ? sizeof(suffix) : 1);
	for (unsigned n = 0; (up = pointer(b, kn, M_KN_PARENT)); n++, kn = up) {
		if (node_name(b, kn, name))
			snprintf(name, sizeof(name), PATH_UNKNOWN);
		at = n < DEPTH_MAX ? prepend(buf, at, name) : 0;
		if (!at || end - at > b->paths_left) {
			damaged(b, ST_LIMIT, "path", kn);
			return PATH_UNKNOWN;
		}
	}
	if (at == end)
		buf[--at] = '/';
	b->paths_left -= min_u64(b->paths_left, end - at);
	return arena_strdup(b->names, buf + at);
}

/* cgroup.dentry, before 2bd59d48ebfb (v3.15) */
static const char *dentry_path(struct cgbuild *b, uint64_t dentry)
{
	struct pathwalk w;
	struct path_text text;
	const char *s;

	pathwalk_init(&w, b->k, b->r);
	path_in_fs(&w, dentry, &text);
	s = arena_strndup(b->names, text.s, text.len);
	pathwalk_release(&w);
	return s;
}

/*
 * The node of a group points back to it, until nothing refers to the group
 * (css_release_work_fn()); and its parent is the node of the group's parent.
 */
static bool node_sound(struct cgbuild *b, uint64_t cgrp, uint64_t kn, bool dead)
{
	uint64_t back = has(b->k, M_KN_PRIV) ? pointer(b, kn, M_KN_PRIV) : cgrp, up;

	if (!kn || (back != cgrp && !(dead && !back)))
		return false;
	if (dead)
		return true;
	up = parent_of(b, cgrp);
	return pointer(b, kn, M_KN_PARENT) == (up ? pointer(b, up, M_CGROUP_KN) : 0);
}

static const char *path_of_cgroup(struct cgbuild *b, uint64_t cgrp)
{
	uint64_t p = pointer(b, cgrp, M_CGROUP_KN);
	bool dead = is_dead(b, cgrp);

	if (has(b->k, M_CGROUP_KN) && !node_sound(b, cgrp, p, dead)) {
		damaged(b, ST_CORRUPT, "node of the group", cgrp);
		return PATH_UNKNOWN;
	}
	if (p)
		return kernfs_path(b, p, dead);
	p = has(b->k, M_CGROUP_KN) ? 0 : pointer(b, cgrp, M_CGROUP_DENTRY);
	return p ? dentry_path(b, p) : PATH_UNKNOWN;
}

/* ---- counters ------------------------------------------------------------------------ */

/* Pages of a counter: res_counter, the third spelling, has bytes. */
static uint64_t counter(struct cgbuild *b, uint64_t memcg, enum layout_id id)
{
	uint64_t v = 0;

	if (!has(b->k, id))
		return 0;
	if (kmember_u64(b->k, b->r, memcg, id, &v)) {
		damaged(b, ST_NODATA, "counter of mem_cgroup", memcg);
		return 0;
	}
	return b->k->layout.v[id].alt == 2 ? v >> b->k->dump->page_shift : v;
}

/* The largest value of a limit: PAGE_COUNTER_MAX, RES_COUNTER_MAX. */
static uint64_t no_limit(const struct kernel *k)
{
	if (k->dump->word_size == 8 || k->layout.v[M_MEMCG_MAX].alt == 2)
		return (uint64_t)INT64_MAX >> k->dump->page_shift;
	return INT32_MAX;
}

/* A counter may be below zero for a moment: charges and uncharges are lazy. */
static uint64_t not_negative(const struct kernel *k, uint64_t v)
{
	return sign_extend(v, 8 * k->dump->word_size) < 0 ? 0 : v;
}

static void fill_counters(struct cgbuild *b, struct cgroup *g, uint64_t cgrp)
{
	const struct kernel *k = b->k;
	uint64_t memcg = g->css - layout_offset(&k->layout, M_MEMCG_CSS);
	uint64_t max = counter(b, memcg, M_MEMCG_MAX), both;

	g->usage = not_negative(k, counter(b, memcg, M_MEMCG_USAGE));
	if (has(k, M_MEMCG_MAX) && max < no_limit(k))
		g->max = max;
	if (b->dfl_root && pointer(b, cgrp, M_CGROUP_ROOT) == b->dfl_root) {
		g->swap = not_negative(k, counter(b, memcg, M_MEMCG_SWAP));
	} else {
		both = not_negative(k, counter(b, memcg, M_MEMCG_MEMSW));
		g->swap = both > g->usage ? both - g->usage : 0;
	}
}

/* Charges of a group are charges of its parent, since bef8620cd8e0 (v5.11) always. Each CPU may be
   between the two. A group that exists has a parent that exists. */
static void check_counters(struct cgbuild *b, const struct cgroup *g)
{
	static const struct era hierarchy = { V(5, 11), 0 };
	const struct cgroup *up = g->parent == NONE ? NULL : &b->rows.v[g->parent];

	if (!up)
		return;
	if (!g->dying && up->dying)
		damaged(b, ST_CORRUPT, "a group in the removed group", up->css);
	if (g->memory && up->memory && in_era(b->k, hierarchy) &&
	    g->usage > up->usage + memcg_slack(b->k))
		damaged(b, ST_CORRUPT, "less memory than the groups below it, the group", up->css);
}

/* ---- rows ------------------------------------------------------------------------------ */

/* CSS: that of the memory controller, 0 to look it up; cgroup.subsys[] forgets it when a group
   dies. */
static uint32_t add_row(struct cgbuild *b, uint64_t cgrp, uint32_t parent, uint64_t css)
{
	struct cgroup *g;
	uint32_t row = (uint32_t)b->rows.n;

	if (row >= CGROUPS_MAX) {
		if (!b->full)
			damaged(b, ST_LIMIT, "too many, the next", cgrp);
		b->full = true;
		return NONE;
	}
	g = vec_push(&b->s->mem, &b->rows);
	*g = (struct cgroup){ .parent = parent, .max = UINT64_MAX, .dying = is_dead(b, cgrp) };
	g->path = path_of_cgroup(b, cgrp);
	g->css = css ? css : memory_css(b, cgrp, M_CGROUP_SUBSYS);
	g->memory = g->css != 0;
	if (g->css)
		fill_counters(b, g, cgrp);
	else
		g->css = cgrp + layout_offset(&b->k->layout, M_CGROUP_SELF);
	hash_put(&b->by_addr, cgrp, row);
	return row;
}

/* The row of the struct cgroup at CGRP; its ancestors get theirs before it. */
static uint32_t row_of(struct cgbuild *b, uint64_t cgrp, uint64_t css)
{
	uint64_t chain[DEPTH_MAX];
	unsigned n = 0;
	uint32_t row = NONE;

	while (cgrp && n < DEPTH_MAX) {
		row = hash_get(&b->by_addr, cgrp);
		if (row != HASH_NONE)
			break;
		chain[n++] = cgrp;
		cgrp = parent_of(b, cgrp);
	}
	if (n == DEPTH_MAX) {
		damaged(b, ST_LIMIT, "ancestors", chain[0]);
		n = 1; /* the group itself deserves a row */
	}
	while (n--)
		row = add_row(b, chain[n], row, n ? 0 : css);
	return row;
}

/* Pushes the children of CSS on todo, the first of them on top. */
static void push_children(struct cgbuild *b, uint64_t css)
{
	size_t first = b->todo.n;
	uint64_t head = css + layout_offset(&b->k->layout, M_CSS_CHILDREN);
	struct listwalk w = listwalk_start(b->k, b->r, head, CGROUPS_MAX);

	while (listwalk_next(&w)) {
		uint64_t child = w.node - layout_offset(&b->k->layout, M_CSS_SIBLING);

		if (has(b->k, M_CSS_PARENT) && pointer(b, child, M_CSS_PARENT) != css)
			damaged(b, ST_CORRUPT, "parent of css", child);
		*vec_push(&b->mem, &b->todo) = child;
	}
	if (w.st)
		damaged(b, w.st, "children of css", css);
	for (size_t i = first, j = b->todo.n; i + 1 < j; i++, j--) {
		uint64_t css_i = b->todo.v[i];

		b->todo.v[i] = b->todo.v[j - 1];
		b->todo.v[j - 1] = css_i;
	}
}

/* All groups of the memory controller, parents before children. */
static void walk_memory(struct cgbuild *b)
{
	const struct kernel *k = b->k;
	uint64_t memcg = 0;

	if (!has(k, M_CSS_CHILDREN) || !has(k, M_CSS_SIBLING) || !has(k, M_MEMCG_CSS) ||
	    kvar_u64(k, b->r, Y_ROOT_MEM_CGROUP, 0, &memcg) || !memcg)
		return;
	*vec_push(&b->mem, &b->todo) = memcg + layout_offset(&k->layout, M_MEMCG_CSS);
	while (b->todo.n && !b->full) {
		uint64_t css = b->todo.v[--b->todo.n];
		uint64_t cgrp = pointer(b, css, M_CSS_CGROUP);

		if (!cgrp || !css_sound(b, css, cgrp))
			damaged(b, ST_CORRUPT, "group of css", css);
		/* a group that is known already was visited: no circles */
		if (!cgrp || hash_get(&b->by_addr, cgrp) != HASH_NONE)
			continue;
		row_of(b, cgrp, css);
		push_children(b, css);
	}
}

/* ---- processes --------------------------------------------------------------------------- */

/* The memory of a group's processes is charged to it, or to the nearest one above it that has the
   controller: CSS. */
static void check_controller(struct cgbuild *b, uint32_t row, uint64_t css)
{
	for (; row != NONE && !b->rows.v[row].dying; row = b->rows.v[row].parent) {
		if (!b->rows.v[row].memory)
			continue;
		if (b->rows.v[row].css != css)
			damaged(b, ST_CORRUPT,
				"memory of processes is not charged to their group, but to", css);
		return;
	}
}

static uint32_t row_of_proc(struct cgbuild *b, uint64_t css_set, bool exiting)
{
	uint64_t dfl = pointer(b, css_set, M_CSET_DFL);
	uint64_t css = memory_css(b, css_set, M_CSET_SUBSYS);
	uint64_t cgrp = css ? pointer(b, css, M_CSS_CGROUP) : 0;
	uint32_t row;

	if (!cgrp || (dfl && pointer(b, cgrp, M_CGROUP_ROOT) == b->dfl_root)) {
		row = dfl ? row_of(b, dfl, 0) : NONE;
		if (cgrp && !exiting)
			check_controller(b, row, css);
		return row;
	}
	row = row_of(b, cgrp, 0);
	/* legacy hierarchies show exiting processes at the root */
	while (exiting && row != NONE && b->rows.v[row].parent != NONE)
		row = b->rows.v[row].parent;
	return row;
}

/* Every css_set points to a group of cgroup2, mounted or not. This finds its root. */
static void find_dfl_root(struct cgbuild *b, const uint64_t *css_sets)
{
	for (uint32_t i = 0; i < b->s->nprocs && !b->dfl_root; i++) {
		uint64_t dfl = css_sets[i] ? pointer(b, css_sets[i], M_CSET_DFL) : 0;

		if (dfl)
			b->dfl_root = pointer(b, dfl, M_CGROUP_ROOT);
	}
}

void cgroups_build(struct snapshot *s, struct reader *r, const uint64_t *css_sets)
{
	struct cgbuild b = { .s = s, .k = s->k, .r = r, .names = &s->mem, .paths_left = PATHS_MAX };

	b.by_addr.mem = &b.mem;
	b.memory_id = layout_enum(&s->k->layout, E_MEMORY_CGRP, -1);
	find_dfl_root(&b, css_sets);
	walk_memory(&b);
	for (uint32_t i = 0; i < s->nprocs; i++) {
		struct proc *p = &s->procs[i];
		bool exiting = s->tasks[p->leader].flags & PF_EXITING;

		p->cgroup = css_sets[i] ? row_of_proc(&b, css_sets[i], exiting) : NONE;
		/* no group is removed while a process is in it */
		if (!exiting && p->cgroup != NONE && b.rows.v[p->cgroup].dying)
			damaged(&b, ST_CORRUPT, "a process in the removed group",
				b.rows.v[p->cgroup].css);
	}
	for (uint32_t i = 0; i < b.rows.n; i++)
		check_counters(&b, &b.rows.v[i]);
	s->cgroups = b.rows.v;
	s->ncgroups = (uint32_t)b.rows.n;
	arena_release(&b.mem);
}

/* ---- /proc/PID/cgroup: proc_cgroup_show(), kernel/cgroup/cgroup.c ---------------------------- */

#define ROOTS_MAX 64u		/* hierarchies; each but named ones has a controller */
#define LINKS_MAX 4096u		/* groups of one css_set: one per hierarchy */
#define SUBSYS_MAX 32u		/* bits of subsys_mask */

/* The group of CSS_SET in the hierarchy ROOT; 0: none. */
static uint64_t group_in(struct cgbuild *b, uint64_t css_set, uint64_t root)
{
	const struct layout *l = &b->k->layout;
	struct listwalk w =
		listwalk_start(b->k, b->r, css_set + layout_offset(l, M_CSET_LINKS), LINKS_MAX);

	if (root == b->dfl_root)
		return pointer(b, css_set, M_CSET_DFL);
	while (listwalk_next(&w)) {
		uint64_t cgrp = pointer(b, w.node - layout_offset(l, M_LINK_NODE), M_LINK_CGRP);

		if (cgrp && pointer(b, cgrp, M_CGROUP_ROOT) == root)
			return cgrp;
	}
	return 0;
}

/* "cpu,cpuacct", and ",name=NAME" if the hierarchy has a name. */
static const char *controllers_of(struct cgbuild *b, uint64_t root)
{
	const struct layout *l = &b->k->layout;
	char all[CGROUP_PATH_MAX] = "", name[64];
	uint64_t mask = 0, subsys, p;
	size_t n = 0;

	if (kmember_u64(b->k, b->r, root, M_CGROOT_MASK, &mask) || root == b->dfl_root)
		mask = 0;
	for (unsigned i = 0; i < SUBSYS_MAX && has(b->k, Y_CGROUP_SUBSYS); i++) {
		uint64_t at = layout_symbol(l, Y_CGROUP_SUBSYS) + i * b->k->dump->word_size;

		if (!(mask >> i & 1) || read_kva_word(b->r, at, &subsys))
			continue;
		p = pointer(b, subsys, M_SUBSYS_NAME);
		if (p && !read_kva_str(b->r, p, name, sizeof(name)))
			n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s", n ? "," : "", name);
	}
	if (!read_kva_str(b->r, root + layout_offset(l, M_CGROOT_NAME), name, sizeof(name)) &&
	    *name)
		snprintf(all + n, sizeof(all) - n, "%sname=%s", n ? "," : "", name);
	return arena_strdup(b->names, all);
}

static bool is_listed(struct cgbuild *b, uint64_t root)
{
	uint64_t visible = 1;

	if (root == b->dfl_root && has(b->k, Y_CGRP_DFL_VISIBLE) &&
	    kvar_u64(b->k, b->r, Y_CGRP_DFL_VISIBLE, 1, &visible))
		visible = 1;
	return visible & 0xff;
}

static void add_line(struct cgbuild *b, uint64_t css_set, uint64_t root, bool exiting,
		     struct cgroup_line *line, unsigned *n)
{
	uint64_t cgrp = is_listed(b, root) ? group_in(b, css_set, root) : 0, id = 0;

	if (!cgrp || kmember_u64(b->k, b->r, root, M_CGROOT_ID, &id))
		return;
	line[(*n)++] = (struct cgroup_line){
		.id = (int32_t)id,
		.controllers = controllers_of(b, root),
		.path = exiting && root != b->dfl_root ? "/" : path_of_cgroup(b, cgrp),
	};
}

unsigned cgroup_lines(const struct snapshot *s, struct reader *r, const struct proc *p,
		      struct arena *mem, const struct cgroup_line **ret)
{
	struct cgbuild b = { .k = s->k, .r = r, .names = mem, .paths_left = PATHS_MAX };
	const struct task *t = p->leader < s->ntasks ? &s->tasks[p->leader] : NULL;
	const struct layout *l = &s->k->layout;
	struct cgroup_line *line = arena_array(mem, struct cgroup_line, ROOTS_MAX);
	struct listwalk w;
	uint64_t css_set;
	unsigned n = 0;

	*ret = line;
	if (!t || !r || !has(s->k, Y_CGROUP_ROOTS) || !has(s->k, M_CGROOT_LIST) ||
	    !has(s->k, M_CSET_LINKS) || !has(s->k, M_LINK_NODE) || !has(s->k, M_CGROUP_SELF))
		return 0;
	css_set = pointer(&b, t->addr, M_TASK_CGROUPS);
	if (!css_set)
		return 0;
	b.dfl_root = has(s->k, Y_CGRP_DFL_ROOT) ? layout_symbol(l, Y_CGRP_DFL_ROOT) : 0;
	w = listwalk_start(s->k, r, layout_symbol(l, Y_CGROUP_ROOTS), ROOTS_MAX);
	while (listwalk_next(&w))
		add_line(&b, css_set, w.node - layout_offset(l, M_CGROOT_LIST),
			 t->flags & PF_EXITING, line, &n);
	return n;
}
