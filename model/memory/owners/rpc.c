/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rpc.c - threads of RPC servers: nfsd, lockd, callbacks of NFS clients (net/sunrpc/svc.c; types of 6.1, 6.12,
 * 7.3). Each keeps pages for the largest request and reply, also while it waits. The data of such a kernel
 * thread are a struct svc_rqst, which points back to its task. The list of its pool has the others.
 */
#include "facts/layout/module.h"
#include "facts/layout/proc.h"
#include "model/kernel/walk/list.h"
#include "model/memory/owners/holding.h"

#define NAME_BYTES 32

struct server {
	struct holding *h;
	struct held *o;
	uint64_t addr;
	struct hash *known;	/* threads and pools that were read */
};

/* N pointers to pages at ARRAY. */
static void take_pages(const struct server *s, uint64_t array, uint64_t n)
{
	if (array && holding_budget(s->h, s->o, n))
		held_page_array(s->h, s->o, array, n, CLASS_RPC);
}

/* Arrays that were allocated. That of replies is a part of the other, or one of its own. */
static void take_arrays(const struct server *s, uint64_t rqst)
{
	struct holding *h = s->h;
	uint64_t call = held_member(h, s->o, rqst, M_RQST_PAGES),
		 reply = held_member(h, s->o, rqst, M_RQST_REPLY),
		 n = held_member(h, s->o, rqst, M_RQST_MAXPAGES), bytes = n * h->k->dump->word_size,
		 bvec;

	if (n > h->k->memmap.max_pfn) {
		s->o->incomplete = true;
		return;
	}
	take_pages(s, call, n);
	if (call)
		held_memory(h, s->o, call);
	if (reply && (reply < call || reply - call > bytes)) {
		take_pages(s, reply, n);
		held_memory(h, s->o, reply);
	}
	bvec = has(h->k, M_RQST_BVEC_ARRAY) ? 0 : held_member(h, s->o, rqst, M_RQST_BVEC);
	if (bvec)
		held_memory(h, s->o, bvec);
}

static void take_thread(const struct server *s, uint64_t rqst)
{
	static const enum layout_id memory[] = { M_RQST_ARGUMENTS, M_RQST_RESULTS };
	struct holding *h = s->h;
	uint64_t at;

	if (held_member(h, s->o, rqst, M_RQST_SERVER) != s->addr) {
		s->o->incomplete = true;
		return;
	}
	if (hash_get(s->known, rqst) != HASH_NONE)
		return;
	hash_put(s->known, rqst, 0);
	held_memory(h, s->o, rqst);
	if (has(h->k, M_RQST_PAGE_ARRAY))
		take_pages(s, rqst + layout_offset(&h->k->layout, M_RQST_PAGE_ARRAY),
			   h->k->layout.v[M_RQST_PAGE_ARRAY].m.count);
	else
		take_arrays(s, rqst);
	for (unsigned i = 0; i < ARRAY_LEN(memory); i++) {
		at = held_member(h, s->o, rqst, memory[i]);
		if (at)
			held_memory(h, s->o, at);
	}
	at = held_member(h, s->o, rqst, M_RQST_SCRATCH);
	if (at)
		held_folio(h, s->o, at, CLASS_RPC);
}

/* The threads of POOL must be as many as it counts. */
static void take_pool(const struct server *s, uint64_t pool)
{
	const struct layout *l = &s->h->k->layout;
	uint64_t threads = 0;
	struct listwalk w;

	if (!pool || hash_get(s->known, pool) != HASH_NONE)
		return;
	hash_put(s->known, pool, 0);
	w = listwalk_start(s->h->k, s->h->r, pool + layout_offset(l, M_RPCPOOL_THREADS),
			   s->h->k->memmap.max_pfn);
	while (listwalk_next(&w) && holding_budget(s->h, s->o, 1)) {
		take_thread(s, w.node - layout_offset(l, M_RQST_ALL));
		threads++;
	}
	s->o->incomplete |= w.st || threads != held_member(s->h, s->o, pool, M_RPCPOOL_COUNT);
}

static const char *name_of(struct holding *h, uint64_t server)
{
	uint64_t at = holding_get(h, server, M_RPCSERV_NAME);
	char name[NAME_BYTES];

	if (!at || read_kva_str(h->r, at, name, sizeof(name)) || !*name)
		return "of no name";
	return arena_strdup(h->mem, name);
}

/*
 * The struct svc_rqst that TASK serves; 0: it is no thread of a server. The data of a kernel thread may be anything,
 * also memory that was freed.
 */
static uint64_t rqst_of(struct holding *h, uint64_t task)
{
	uint64_t kthread = holding_get(h, task, M_TASK_KTHREAD), data;

	if (!kthread)
		return 0;
	if (kmember_u64(h->k, h->r, kthread, M_KTHREAD_DATA, &data)) {
		holding_damaged(h, "data of the kernel thread", task);
		return 0;
	}
	if (!holding_allocated(h, data) || holding_get(h, data, M_RQST_TASK) != task)
		return 0;
	return data;
}

/* Are the members of the types there that the walk needs? */
static bool is_known(const struct kernel *k)
{
	return has(k, M_TASK_KTHREAD) && has(k, M_KTHREAD_DATA) && has(k, M_RQST_ALL) &&
	       has(k, M_RQST_SERVER) && has(k, M_RQST_POOL) && has(k, M_RQST_TASK) &&
	       has(k, M_RQST_REPLY) && has(k, M_RPCPOOL_THREADS) && has(k, M_RPCPOOL_COUNT) &&
	       (has(k, M_RQST_PAGE_ARRAY) || (has(k, M_RQST_PAGES) && has(k, M_RQST_MAXPAGES)));
}

void rpc_servers_walk(struct holding *h)
{
	struct hash known = { .mem = h->mem };
	bool fresh;

	if (!is_known(h->k))
		return;
	for (uint32_t i = 0; i < h->s->ntasks; i++) {
		const struct task *t = &h->s->tasks[i];
		struct server s = { .h = h, .known = &known };
		uint64_t rqst = t->flags & PF_KTHREAD ? rqst_of(h, t->addr) : 0;

		if (!rqst)
			continue;
		s.addr = holding_get(h, rqst, M_RQST_SERVER);
		if (!holding_allocated(h, s.addr)) {
			holding_damaged(h, "server of the RPC thread", rqst);
			continue;
		}
		s.o = held_get(h, OWNER_RPC, s.addr, &fresh);
		if (fresh) {
			s.o->kernel = true;
			s.o->what = name_of(h, s.addr);
			held_memory(h, s.o, s.addr);
		}
		take_pool(&s, held_member(h, s.o, rqst, M_RQST_POOL));
		take_thread(&s, rqst);
	}
}
