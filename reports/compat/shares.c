/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shares.c - the memory of mapped files and other names, and the part of each process in
 * it, for layouts that group vmas.
 */
#include <string.h>

#include "dumpread/base/hash.h"
#include "reports/compat/like.h"

struct maker {
	struct shares *ret;
	struct arena *mem;
	struct hash names;	/* of the text -> index in names */
	struct hash by_both;	/* name and process -> index in v */
	struct hash mms;	/* mm + 1 -> the pid that counts for it */
};

static uint32_t name_index(struct maker *m, const char *name)
{
	/* names with the same hash take the keys after it */
	for (uint64_t key = hash_str(name);; key++) {
		uint32_t i = hash_get(&m->names, key ? key : 1);

		if (i == HASH_NONE) {
			i = (uint32_t)m->ret->names.n;
			vec_push(m->mem, &m->ret->names)->name = name;
			hash_put(&m->names, key ? key : 1, i);
			return i;
		}
		if (!strcmp(m->ret->names.v[i].name, name))
			return i;
	}
}

/* Does P stand for its mm? Of the processes that share it, the first does. */
static bool counts(struct maker *m, const struct proc *p)
{
	uint32_t pid;

	if (!p || p->mm == NONE)
		return true;
	pid = hash_get(&m->mms, (uint64_t)p->mm + 1);
	if (pid == HASH_NONE)
		hash_put(&m->mms, (uint64_t)p->mm + 1, (uint32_t)p->pid);
	return pid == HASH_NONE || pid == (uint32_t)p->pid;
}

static struct share *share_of(struct maker *m, uint32_t name, const struct proc *p)
{
	uint64_t key = (uint64_t)(p ? (uint32_t)p->pid : 0) << 32 | (name + 1);
	uint32_t i = hash_get(&m->by_both, key);
	struct share *sh;

	if (i != HASH_NONE)
		return &m->ret->v.v[i];
	hash_put(&m->by_both, key, (uint32_t)m->ret->v.n);
	sh = vec_push(m->mem, &m->ret->v);
	sh->name = name;
	sh->proc = p;
	sh->counted = counts(m, p);
	m->ret->names.v[name].nprocs++;
	return sh;
}

void shares_build(const struct table *t, const char *anon, struct arena *mem, struct shares *ret)
{
	struct maker m = { .ret = ret, .mem = mem };

	memset(ret, 0, sizeof(*ret));
	m.names.mem = m.by_both.mem = m.mms.mem = mem;
	for (size_t i = 0; i < t->nrows; i++) {
		const struct vma_row *r = (const struct vma_row *)t->rows + i;
		uint32_t n = name_index(&m, r->name && *r->name ? r->name : anon);
		struct share *sh = share_of(&m, n, r->proc);
		struct mapped_name *name = &ret->names.v[n];

		sums_add(&sh->kib, &r->u, SUMS_KIB);
		sums_add(&sh->bytes, &r->u, SUMS_BYTES);
		if (!sh->counted)
			continue;
		name->nvmas++;
		sums_add(&name->kib, &r->u, SUMS_KIB);
		sums_add(&name->bytes, &r->u, SUMS_BYTES);
	}
}
