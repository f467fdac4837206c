/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arguments of processes, where their pages are in the dump: makedumpfile
 * leaves user pages out at most levels (-d 8 and up), QEMU keeps them.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/build.h"

#define ARGS_MAX 4096u		/* bytes shown of one command line */

struct uread {
	struct reader *r;
	uint64_t uva, len;	/* the wanted range */
	char *buf;
	uint64_t got;		/* bytes read without a gap from uva on */
};

/* Copies the part of the wanted range that one mapped entry holds. */
static bool copy_entry(struct uread *u, uint64_t va, unsigned shift, const struct pte *pte)
{
	uint64_t at = u->uva + u->got, end = va + (1ull << shift), n;

	if (pte->kind != PTE_PAGE || at < va || at >= end)
		return false;
	n = min_u64(end - at, u->len - u->got);
	if (read_pa(u->r, pte->pa + (at - va), u->buf + u->got, n))
		return false;
	u->got += n;
	return u->got < u->len;
}

static bool copy_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!copy_entry(arg, va + ((uint64_t)i << shift), shift, &pte[i]))
			return false;
	return true;
}

static bool stop_hole(void *arg, uint64_t va, uint64_t end, unsigned shift)
{
	(void)arg, (void)va, (void)end, (void)shift;
	return false;
}

static bool stop_lost(void *arg, uint64_t va, uint64_t end, enum status st)
{
	(void)arg, (void)va, (void)end, (void)st;
	return false;
}

/* Reads user memory of the mm; returns the number of bytes before the first gap. */
static uint64_t read_user(struct build *b, const struct mm *m, uint64_t uva, char *buf,
			  uint64_t len)
{
	static const struct pgvisit visit = { .entries = copy_entries,
					      .hole = stop_hole,
					      .lost = stop_lost };
	struct uread u = { .r = b->r, .uva = uva, .len = len, .buf = buf };
	uint64_t mask = dump_page_size(b->k->dump) - 1;

	pgwalk(b->r, b->k->paging, &b->k->env, m->pgd_pa, uva & ~mask, (uva + len + mask) & ~mask,
	       &visit, &u);
	return u.got;
}

/* The title in BUF: up to its NUL, inclusive. */
static uint64_t title(struct build *b, const struct mm *m, char *buf)
{
	uint64_t n =
		read_user(b, m, m->arg_start, buf, min_u64(m->env_end - m->arg_start, ARGS_MAX));
	uint64_t len = strnlen(buf, n);

	return len + (len < n);
}

void build_cmdlines(struct build *b, uint32_t only)
{
	struct snapshot *s = b->s;
	uint64_t user_end = b->k->arch->user_end(b->k->dump);
	char buf[ARGS_MAX];

	for (uint32_t i = 0; i < s->nmms; i++) {
		struct mm *m = &s->mms[i];
		uint64_t n, whole;

		if (only != NONE && i != only)
			continue;
		if (!m->pgd_pa || m->arg_end <= m->arg_start || m->arg_end > user_end)
			continue;
		n = read_user(b, m, m->arg_start, buf,
			      min_u64(m->arg_end - m->arg_start, sizeof(buf)));
		/* a title written over the arguments may continue into the environment
		   (fs/proc/base.c, get_mm_proctitle()) */
		if (n && n == m->arg_end - m->arg_start && buf[n - 1] &&
		    m->env_start == m->arg_end && m->env_end > m->env_start)
			n = title(b, m, buf);
		whole = n;
		while (n && !buf[n - 1])
			n--;
		if (!n)
			continue;
		m->args = memcpy(arena_alloc(&s->mem, whole), buf, whole);
		m->nargs = (uint32_t)whole;
		for (uint64_t c = 0; c < n; c++)
			if (!buf[c])
				buf[c] = ' ';
		m->cmdline = arena_strndup(&s->mem, buf, n);
	}
}
