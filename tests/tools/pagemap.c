/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pagemap - the page-table walker against /proc/PID/pagemap.
 *
 *	pagemap VMCORE TRUTH
 *
 * TRUTH is the directory of files that the dumped kernel wrote just before:
 * TRUTH/PID/stat, and TRUTH/PID/pagemap.bin, which holds for each vma its
 * start, end and number of entries, then the entries themselves, all u64
 * (Documentation/admin-guide/mm/pagemap.rst has their bits). Every page of
 * every process in state T, frozen, must agree: the frame if present, type and
 * offset if swapped, and the write-protect bit of userfaultfd. The vma sets the
 * soft-dirty bit too, so the kernel's bit must only include that of the entry.
 * Exit status: 0 all agree, 1 not, 2 cannot compare.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "dumpread/base/bytes.h"

#define PM_PRESENT (UINT64_C(1) << 63)
#define PM_SWAP (UINT64_C(1) << 62)
#define PM_UFFD_WP (UINT64_C(1) << 57)	/* 5.14+ */
#define PM_SOFT_DIRTY (UINT64_C(1) << 55)
#define PM_FRAME ((UINT64_C(1) << 55) - 1)
#define PM_COMPARED (PM_PRESENT | PM_SWAP | PM_UFFD_WP | PM_FRAME)

#define TASKS_MAX 100000
#define SHOWN 20		/* differences printed in full */

struct counts {
	uint64_t processes, pages, present, swapped, differ, outside, lost, huge;
};

/* One vma: the kernel's entries, and those that the walk finds. */
struct compare {
	const char *pid;
	uint64_t start, end, *said, *found;
	unsigned page_shift;
	struct counts *c;
};

static uint64_t entry_of(const struct pte *p, uint64_t skip, unsigned page_shift)
{
	uint64_t flags = (p->flags & PTE_UFFD_WP ? PM_UFFD_WP : 0) |
			 (p->flags & PTE_SOFT_DIRTY ? PM_SOFT_DIRTY : 0);

	if (p->kind == PTE_PAGE)
		return PM_PRESENT | flags | ((p->pa >> page_shift) + skip);
	if (p->kind == PTE_SWAP)
		return PM_SWAP | flags | ((p->swap_type | p->pa << 5) & PM_FRAME);
	return 0;
}

static bool see_entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte,
			unsigned n)
{
	struct compare *m = arg;
	uint64_t pages = UINT64_C(1) << (shift - m->page_shift);

	for (unsigned i = 0; i < n; i++, va += UINT64_C(1) << shift) {
		if (pte[i].kind == PTE_BAD)
			printf("pid %s: bad entry at %#" PRIx64 "\n", m->pid, va);
		m->c->huge += pages > 1 && pte[i].kind == PTE_PAGE;
		for (uint64_t k = 0; k < pages; k++) {
			uint64_t at = va + (k << m->page_shift);

			if (at >= m->start && at < m->end)
				m->found[(at - m->start) >> m->page_shift] =
					entry_of(&pte[i], k, m->page_shift);
		}
	}
	return true;
}

static bool see_lost(void *arg, uint64_t va, uint64_t end, enum status st)
{
	struct compare *m = arg;

	printf("pid %s: table of %#" PRIx64 "-%#" PRIx64 " lost: %s\n", m->pid, va, end,
	       status_name(st));
	m->c->lost++;
	return true;
}

static const struct pgvisit visit = { .entries = see_entries, .lost = see_lost };

/* The number of leaves in a range without a vma: it should be 0. */
static bool see_outside(void *arg, uint64_t va, unsigned shift, const struct pte *pte,
			unsigned n)
{
	struct compare *m = arg;

	for (unsigned i = 0; i < n; i++) {
		uint64_t at = va + ((uint64_t)i << shift);

		if (pte[i].kind == PTE_NONE || at < m->start || at >= m->end)
			continue;
		printf("pid %s: %#" PRIx64 " is mapped outside of every VMA\n", m->pid, at);
		m->c->outside++;
	}
	return true;
}

static const struct pgvisit outside = { .entries = see_outside, .lost = see_lost };

static void compare_vma(struct compare *m)
{
	uint64_t n = (m->end - m->start) >> m->page_shift;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t said = m->said[i], found = m->found[i];

		m->c->pages++;
		m->c->present += !!(said & PM_PRESENT);
		m->c->swapped += !!(said & PM_SWAP);
		if (!((said ^ found) & PM_COMPARED) && !(found & ~said & PM_SOFT_DIRTY))
			continue;
		if (m->c->differ++ < SHOWN)
			printf("pid %s, %#" PRIx64 ": pagemap %#018" PRIx64
			       ", tables %#018" PRIx64 "\n", m->pid,
			       m->start + (i << m->page_shift), said, found);
	}
}

struct space {		/* data for the walk of one process */
	struct reader *r;
	const struct paging *p;
	struct paging_env env;
	uint64_t user_end, root;
};

static void compare_process(const struct space *s, const char *pid, FILE *f,
			    struct counts *c)
{
	uint64_t head[3], last = 0;
	struct compare m = { .pid = pid, .page_shift = s->p->page_shift, .c = c };

	while (fread(head, sizeof(head), 1, f) == 1) {
		uint64_t n = head[2];

		m.said = calloc(n + 1, sizeof(uint64_t));
		m.found = calloc(n + 1, sizeof(uint64_t));
		if (!m.said || !m.found || fread(m.said, 8, n, f) != n) {
			printf("pid %s: pagemap.bin is cut short\n", pid);
			exit(2);
		}
		m.start = last;
		m.end = head[0];
		pgwalk(s->r, s->p, &s->env, s->root, m.start, m.end, &outside, &m);
		m.start = head[0];
		m.end = last = head[0] + (n << m.page_shift);
		pgwalk(s->r, s->p, &s->env, s->root, m.start, m.end, &visit, &m);
		compare_vma(&m);
		free(m.said);
		free(m.found);
	}
	m.start = last;
	m.end = s->user_end;
	pgwalk(s->r, s->p, &s->env, s->root, m.start, m.end, &outside, &m);
	c->processes++;
}

/* Frozen: the third field of stat, after the name in parentheses. */
static bool is_frozen(const char *truth, const char *pid)
{
	char path[4096], line[512] = "", *after;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/stat", truth, pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	after = strrchr(line, ')');
	return after && (after[2] == 'T' || after[2] == 't');
}

static uint64_t need(const struct dump *d, const char *path)
{
	struct member m;

	if (types_member(&d->types, path, &m, NULL)) {
		fprintf(stderr, "this kernel has no %s\n", path);
		exit(2);
	}
	return m.offset;
}

/* The physical address of the page tables of PID, by the list of tasks. */
static bool find_root(const struct dump *d, struct reader *r, uint64_t pid, uint64_t *root)
{
	uint64_t tasks = need(d, "task_struct.tasks"), init, task, mm, pgd, id;

	if (!dump_symbol(d, "init_task", &init))
		return false;
	task = init;
	for (unsigned i = 0; i < TASKS_MAX; i++) {
		if (read_kva_uint(r, task + need(d, "task_struct.pid"), 4, &id))
			return false;
		if (id == pid)
			return !read_kva_word(r, task + need(d, "task_struct.mm"), &mm) && mm &&
			       !read_kva_word(r, mm + need(d, "mm_struct.pgd"), &pgd) &&
			       !reader_kvtop(r, pgd, root, NULL);
		if (read_kva_word(r, task + tasks, &task))
			return false;
		task -= tasks;
		if (task == init)
			return false;
	}
	return false;
}

static void compare_all(struct dump *d, const struct arch *a, const char *truth,
			struct counts *c)
{
	struct space s = { .r = reader_new(d), .user_end = a->user_end(d) };
	DIR *dir = opendir(truth);
	struct dirent *e;

	arch_user_paging(d, &s.p, &s.env);
	while (dir && (e = readdir(dir))) {
		char path[4096];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s/pagemap.bin", truth, e->d_name);
		if (!is_frozen(truth, e->d_name) || !(f = fopen(path, "rb")))
			continue;
		if (find_root(d, s.r, strtoul(e->d_name, NULL, 10), &s.root)) {
			compare_process(&s, e->d_name, f, c);
		} else {
			printf("pid %s: not found in the dump\n", e->d_name);
			c->lost++;
		}
		fclose(f);
	}
	if (dir)
		closedir(dir);
	reader_free(s.r);
}

int main(int argc, char **argv)
{
	struct counts c = { 0 };
	struct diag diag = { "" };
	const struct arch *a;
	struct dump *d;
	struct log log;

	if (argc != 3) {
		fprintf(stderr, "usage: pagemap VMCORE TRUTH\n");
		return 64;
	}
	log_init(&log);
	if (dump_open((const char *const *)argv + 1, 1, &log, &diag, &d)) {
		fprintf(stderr, "%s\n", diag.text);
		return 2;
	}
	if (arch_attach(d, &a) || dump_find_kernel(d) || arch_attach_late(d, a)) {
		fprintf(stderr, "%s: %s\n", argv[1], d->diag.text);
		return 2;
	}
	compare_all(d, a, argv[2], &c);
	printf("%" PRIu64 " processes, %" PRIu64 " pages: %" PRIu64 " present (%" PRIu64
	       " huge entries), %" PRIu64 " swapped; %" PRIu64 " differ, %" PRIu64
	       " outside of VMAs, %" PRIu64 " tables lost\n", c.processes, c.pages, c.present,
	       c.huge, c.swapped, c.differ, c.outside, c.lost);
	dump_close(d);
	return !c.processes || c.differ || c.outside || c.lost;
}
