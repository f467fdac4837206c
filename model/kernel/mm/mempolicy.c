/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mempolicy.c - finds and prints the policy of a VMA.
 *
 * Sources: __get_vma_policy(), mpol_to_str(), sp_lookup() of mm/mempolicy.c, shmem_get_policy() of
 * mm/shmem.c, read in 5.10, 6.1, 6.12, 7.1.
 */
#include "model/kernel/mm/mempolicy.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/file.h"
#include "facts/layout/holder.h"
#include "facts/layout/mm.h"
#include "model/kernel/kobj.h"

/* include/uapi/linux/mempolicy.h: modes, and flags that are printed */
enum { MODE_DEFAULT, MODE_PREFERRED, MODE_BIND, MODE_INTERLEAVE, MODE_LOCAL, MODE_PREFERRED_MANY,
       MODE_WEIGHTED_INTERLEAVE, MODES };
#define FLAG_STATIC 0x8000u
#define FLAG_RELATIVE 0x4000u
#define FLAG_BALANCING 0x2000u
#define FLAG_LOCAL 0x2u		/* MPOL_F_LOCAL, with MPOL_PREFERRED: not in 5.14 */

#define TREE_DEPTH 128u		/* of a red-black tree of all that fits into 64 bits */

bool mempolicy_known(const struct kernel *k)
{
	return has(k, M_TASK_MEMPOLICY) && has(k, M_VMA_POLICY) && has(k, M_MEMPOLICY_MODE) &&
	       has(k, M_MEMPOLICY_FLAGS) && has(k, M_MEMPOLICY_NODES);
}

/* ---- which ------------------------------------------------------------------------------- */

/* The policy of page INDEX in the tree of ranges of a shmem inode; *ret is 0 if there is none. */
static enum status shared_policy(const struct kernel *k, struct reader *r, uint64_t inode,
				 uint64_t index, uint64_t *ret)
{
	uint64_t node, info = inode - layout_offset(&k->layout, M_SHMEM_INODE);
	enum status st = kmember_u64(k, r, info, M_SHMEM_POLICY, &node);

	*ret = 0;
	for (unsigned depth = 0; !st && node; depth++) {
		uint64_t range = node - layout_offset(&k->layout, M_SP_NODE), start, end;

		if (depth == TREE_DEPTH || !kernel_ptr_ok(k, node, k->dump->word_size))
			return ST_CORRUPT;
		st = kmember_u64(k, r, range, M_SP_START, &start);
		if (!st)
			st = kmember_u64(k, r, range, M_SP_END, &end);
		if (st)
			break;
		if (index >= end)
			st = kmember_u64(k, r, node, M_RB_RIGHT, &node);
		else if (index < start)
			st = kmember_u64(k, r, node, M_RB_LEFT, &node);
		else
			return kmember_u64(k, r, range, M_SP_POLICY, ret);
	}
	return st;
}

/* vm_ops->get_policy() is that of shmem, or one that asks for vm_policy. */
static enum status policy_of(const struct snapshot *s, struct reader *r, const struct vma *v,
			     uint64_t task, uint64_t *ret)
{
	const struct file *f = v->file < s->nfiles ? &s->files[v->file] : NULL;
	enum status st;

	if (f && f->kind == FILE_SHMEM && f->inode && has(s->k, M_SHMEM_POLICY) &&
	    has(s->k, M_SP_NODE))
		st = shared_policy(s->k, r, f->inode, v->pgoff, ret);
	else
		st = kmember_u64(s->k, r, v->addr, M_VMA_POLICY, ret);
	if (!st && !*ret)
		st = kmember_u64(s->k, r, task, M_TASK_MEMPOLICY, ret);
	return st;
}

/* ---- its text ------------------------------------------------------------------------------ */

struct text {
	char *buf;
	size_t n;		/* characters in it */
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(t->buf + t->n, MEMPOLICY_TEXT - t->n, format, list);
	va_end(list);
	t->n = min_u64(t->n + (n > 0 ? (size_t)n : 0), MEMPOLICY_TEXT - 1);
}

static void add_range(struct text *t, bool first, uint64_t from, uint64_t to)
{
	add(t, "%s%" PRIu64, first ? ":" : ",", from);
	if (to > from)
		add(t, "-%" PRIu64, to);
}

/* "%*pbl" of a nodemask */
static void add_nodes(const struct kernel *k, const struct kobj *o, struct text *t)
{
	uint64_t bits = k->dump->word_size * 8, from = UINT64_MAX, word = 0;
	uint64_t n = min_u64(k->layout.v[M_MEMPOLICY_NODES].m.count * bits, NODES_MAX);
	bool first = true;

	for (uint64_t i = 0; i <= n; i++) {
		if (i < n && i % bits == 0)
			word = kobj_elem(o, M_MEMPOLICY_NODES, (uint32_t)(i / bits));
		if (i < n && word >> i % bits & 1) {
			from = from == UINT64_MAX ? i : from;
		} else if (from != UINT64_MAX) {
			add_range(t, first, from, i - 1);
			from = UINT64_MAX;
			first = false;
		}
	}
}

static void add_flags(const struct kernel *k, struct text *t, uint64_t flags)
{
	bool balancing = flags & FLAG_BALANCING && kernel_rule(k, RULE_MPOL_BALANCING);

	if (flags & (FLAG_STATIC | FLAG_RELATIVE | FLAG_BALANCING))
		add(t, "=%s%s%s",
		    flags & FLAG_STATIC	    ? "static"
		    : flags & FLAG_RELATIVE ? "relative"
					    : "",
		    balancing && flags & (FLAG_STATIC | FLAG_RELATIVE) ? "|" : "",
		    balancing ? "balancing" : "");
}

static void print(const struct kernel *k, const struct kobj *o, struct text *t)
{
	static const char *const names[MODES] = { "default",
						  "prefer",
						  "bind",
						  "interleave",
						  "local",
						  "prefer (many)",
						  "weighted interleave" };
	uint64_t mode = kobj_u64(o, M_MEMPOLICY_MODE), flags = kobj_u64(o, M_MEMPOLICY_FLAGS);
	bool by_number = mode == MODE_PREFERRED && has(k, M_MEMPOLICY_PREFERRED);

	if (by_number && flags & FLAG_LOCAL)
		mode = MODE_LOCAL;
	if (mode >= MODES) {
		add(t, "unknown");
		return;
	}
	add(t, "%s", names[mode]);
	add_flags(k, t, flags);
	if (mode == MODE_DEFAULT || mode == MODE_LOCAL)
		return;
	if (by_number)
		add(t, ":%" PRId64, kobj_int(o, M_MEMPOLICY_PREFERRED));
	else
		add_nodes(k, o, t);
}

bool mempolicy_text(const struct snapshot *s, struct reader *r, const struct vma *v, uint64_t task,
		    char text[MEMPOLICY_TEXT])
{
	struct text t = { .buf = text };
	struct kobj o;
	uint64_t policy;
	bool good = !policy_of(s, r, v, task, &policy);

	text[0] = '\0';
	if (!good)
		return false;
	if (!policy) {
		add(&t, "default");
		return true;
	}
	kobj_init(&o, s->k, S_MEMPOLICY);
	good = kernel_ptr_ok(s->k, policy, s->k->dump->word_size) && !kobj_read(&o, r, policy);
	if (good)
		print(s->k, &o, &t);
	kobj_release(&o);
	return good;
}
