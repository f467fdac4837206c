/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slabusers.c - whose the objects of a slab cache are, where processes have them made: files that
 * they have open, mappings. The dump tells, so the process has to be there still.
 */
#include "dumpread/base/bytes.h"
#include "model/cause/verdict/gather.h"
#include "model/kernel/file/open_files.h"

enum { OF_FILES, OF_VMAS, MADE_BY };

/* Caches by their names; SLUB may have merged others into them. */
static const char *const made_by[MADE_BY][20] = {
	[OF_FILES] = { "filp", "sock_inode_cache", "UNIX", "UNIX-STREAM", "TCP", "TCPv6", "UDP",
		       "UDPv6", "RAW", "PING", "PACKET", "eventpoll_epi", "eventpoll_pwq",
		       "ep_head", "inotify_inode_mark", "fsnotify_mark_connector", "file_lock_cache" },
	[OF_VMAS] = { "vm_area_struct", "anon_vma", "anon_vma_chain", "maple_node", "vma_lock" },
};

struct tally {
	uint64_t *n, all;	/* for each process */
};

static void count_file(void *arg, uint32_t proc, uint64_t file)
{
	struct tally *t = arg;

	(void)file;
	t->n[proc]++;
	t->all++;
}

static bool count_files(const struct gather *g, struct tally *t)
{
	struct reader *r = kernel_reader(g->s->k);
	bool known = r && open_files_walk(g->s, r, count_file, t);

	reader_free(r);
	return known;
}

static void count_vmas(const struct gather *g, struct tally *t)
{
	for (uint32_t i = 0; i < g->s->nmms; i++) {
		const struct mm *m = &g->s->mms[i];

		t->all += m->nvmas;
		if (m->owner < g->s->nprocs)
			t->n[m->owner] += m->nvmas;
	}
}

static unsigned kind_of(const char *cache)
{
	for (unsigned i = 0; i < MADE_BY; i++)
		for (unsigned j = 0; j < ARRAY_LEN(made_by[i]) && made_by[i][j]; j++)
			if (!strcmp(made_by[i][j], cache))
				return i;
	return MADE_BY;
}

void gather_slab_user(const struct gather *g, struct ev_owner *to)
{
	struct tally t = { .n = arena_calloc(g->mem, g->s->nprocs, sizeof(*t.n)) };
	unsigned kind = to->name ? kind_of(to->name) : MADE_BY;
	uint32_t top = 0;

	if (kind == MADE_BY || !g->s->nprocs)
		return;
	if (kind == OF_VMAS)
		count_vmas(g, &t);
	else if (!count_files(g, &t))
		return;
	for (uint32_t i = 0; i < g->s->nprocs; i++)
		top = t.n[i] > t.n[top] ? i : top;
	if (t.n[top] < 1000 || t.n[top] < t.all / 2)
		return;
	to->subject.pid = gather_pid(g, top);
	to->many = false;
	to->detail = (struct ev_detail){ .told = kind == OF_VMAS ? TOLD_MAPPINGS : TOLD_OPEN_FILES,
					 .who = gather_subject(g, top),
					 .n = t.n[top],
					 .of = t.all };
}
