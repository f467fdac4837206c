/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * module.c - the records of /dev/vmcensus (kmod/format.h), in any byte order.
 *
 * Hostile input: only complete records are used, a run has no more pages than its VMA, and
 * the size of the file limits the pages of all runs together.
 */
#include "model/memory/source/module.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"

/* Pages per byte of the file: a huge page is a run of 48 bytes with 512 pages. */
#define PAGES_BYTE 64u
#define PAGES_MIN (UINT64_C(1) << 24)
#define PA_BITS 46		/* 64 TiB: PA_END of capture.c */

struct parser {
	struct capture *c;
	struct module *m;
	bool big;
	size_t n;			/* records, for messages */
	bool in_mm, in_vma;		/* the next records belong to one that was believed */
	bool again;			/* the task's mm came before, or another one at its
					   address */
	bool ended;
};

static void damaged(const struct parser *p, const char *what, const char *why)
{
	issue_add(&p->c->issues, ST_CORRUPT, "record of the capture", 1, "record %zu: %s: %s", p->n,
		  what, why);
}

/* The fields of WIDTH bytes from FROM to TO of a record. */
static void to_host(const struct parser *p, void *rec, unsigned width, size_t from, size_t to)
{
	uint8_t *at = rec;

	for (size_t i = from; p->big && i < to; i += width)
		store_uint(at + i, load_uint(at + i, width, true), width, false);
}

/* The string after SIZE bytes of a record of LEN; "" if there is none. */
static const char *string(const struct parser *p, const uint8_t *rec, size_t size, size_t len)
{
	const char *s = (const char *)rec + size;

	return arena_strndup(&p->c->mem, s, strnlen(s, len - size));
}

/* ---- records ---------------------------------------------------------------------- */

static void begin_mm(struct parser *p)
{
	p->in_mm = true;
	/* the same mm may start again if it has no VMAs yet */
	if (p->m->mms.n < p->c->mms.n) {
		*vec_push(p->m->mem, &p->m->mms) = (struct vmc_mm){ .mm = 0 };
		*vec_push(p->m->mem, &p->m->exes) = NULL;
	}
}

static void take_task(struct parser *p, const uint8_t *rec, size_t len)
{
	struct vmc_task r;
	struct capture_task t = { .mm = NONE, .grouped = true };
	bool again;

	(void)len;
	p->in_mm = p->in_vma = p->again = false;
	memcpy(&r, rec, sizeof(r));
	to_host(p, &r, 4, 0, offsetof(struct vmc_task, comm));
	to_host(p, &r, 8, offsetof(struct vmc_task, mm), sizeof(r));
	r.comm[sizeof(r.comm) - 1] = '\0';
	memcpy(t.comm, r.comm, sizeof(t.comm));
	t.pid = r.pid;
	t.tgid = r.tgid;
	t.cpu = r.cpu;
	if (r.tgid < 0) {
		damaged(p, "task", "its process cannot be");
		return;
	}
	if (!capture_task(p->c, &t, r.mm, p->n, &again))
		return;
	*vec_push(p->m->mem, &p->m->tasks) = r;
	p->again = r.mm && again;
	if (r.mm && !again)
		begin_mm(p);
}

/* Counts of pages: no machine has 2^40. */
static bool counts_ok(const struct vmc_mm *m)
{
	const uint64_t n[] = { m->rss_file,
			       m->rss_anon,
			       m->rss_shmem,
			       m->swap,
			       m->locked_vm,
			       m->hiwater_rss,
			       m->pgtables_bytes >> 12,
			       m->map_count };

	for (size_t i = 0; i < ARRAY_LEN(n); i++)
		if (n[i] >> 40)
			return false;
	return true;
}

/*
 * Processes that share an mm gave it with the same addresses, which each execve() chooses
 * at random. With other addresses it is another mm, in the memory of one that had ended.
 */
static bool is_another(const struct parser *p, const struct vmc_mm *m)
{
	const struct vmc_mm *before = &p->m->mms.v[p->c->tasks.v[p->c->tasks.n - 1].mm];

	return before->mm &&
	       (before->start_code != m->start_code || before->start_stack != m->start_stack ||
		before->arg_start != m->arg_start || before->env_start != m->env_start);
}

static void take_mm(struct parser *p, const uint8_t *rec, size_t len)
{
	struct vmc_mm m;

	memcpy(&m, rec, sizeof(m));
	to_host(p, &m, 8, sizeof(m.rec), sizeof(m));
	if (p->again && counts_ok(&m) && is_another(p, &m)) {
		capture_mm_anew(p->c);
		begin_mm(p);
	}
	p->again = false;
	if (!p->in_mm)
		return;
	if (!counts_ok(&m)) {
		damaged(p, "mm", "its counts cannot be");
		return;
	}
	p->m->mms.v[p->m->mms.n - 1] = m;
	p->m->exes.v[p->m->exes.n - 1] = string(p, rec, sizeof(m), len);
}

static void take_vma(struct parser *p, const uint8_t *rec, size_t len)
{
	struct vmc_vma r;
	struct capture_vma v;
	const char *name;

	p->in_vma = false;
	if (!p->in_mm)
		return;
	memcpy(&r, rec, sizeof(r));
	to_host(p, &r, 8, sizeof(r.rec), offsetof(struct vmc_vma, major));
	to_host(p, &r, 4, offsetof(struct vmc_vma, major), sizeof(r));
	name = string(p, rec, sizeof(r), len);
	v = (struct capture_vma){ .start = r.start,
				  .end = r.end,
				  .prot = r.prot,
				  .flags = r.flags,
				  .line = p->n,
				  .file = r.file_id ? name : NULL };
	if (r.huge_bytes & (r.huge_bytes - 1) || r.kind > VMC_HUGETLB_VMA) {
		damaged(p, "VMA", "no kernel has such");
		return;
	}
	if (!capture_vma(p->c, &v))
		return;
	p->in_vma = true;
	*vec_push(p->m->mem, &p->m->vmas) = (struct module_vma){
		.pgoff = r.pgoff,
		.ino = r.ino,
		.size = r.size,
		.swapped = min_u64(r.swapped, (r.end - r.start) >> p->m->header.page_shift),
		.inode = r.file_id,
		.huge_bytes = r.huge_bytes,
		.major = r.major,
		.minor = r.minor,
		.kind = r.kind,
		.name = name,
		.first_run = p->m->runs.n,
	};
}

static const char *wrong_with(const struct parser *p, const struct vmc_run *r)
{
	const struct capture_vma *v = &p->c->vmas.v[p->c->vmas.n - 1];
	const struct module_vma *mv = &p->m->vmas.v[p->m->vmas.n - 1];
	const struct vmc_run *before = mv->nruns ? &p->m->runs.v[p->m->runs.n - 1] : NULL;
	unsigned shift = p->m->header.page_shift;
	uint64_t from = before ? before->va + ((uint64_t)before->pages << shift) : v->start;

	if (!r->pages || r->va & ((UINT64_C(1) << shift) - 1))
		return "its address or length cannot be";
	if (r->va < from || r->va >= v->end || r->pages > (v->end - r->va) >> shift)
		return "it is not in the VMA, or not after the previous run";
	if (module_is_page(r) &&
	    (r->where >> (PA_BITS - shift) || (r->where + r->pages) >> (PA_BITS - shift)))
		return "no machine has that page frame";
	return NULL;
}

static void take_run(struct parser *p, const uint8_t *at)
{
	struct vmc_run r;
	const char *why;

	memcpy(&r, at, sizeof(r));
	to_host(p, &r, 8, 0, offsetof(struct vmc_run, pages));
	to_host(p, &r, 4, offsetof(struct vmc_run, pages), sizeof(r));
	why = wrong_with(p, &r);
	if (!why && r.pages > p->m->pages_left)
		why = "more pages than such a file can describe";
	if (why) {
		damaged(p, "run", why);
		return;
	}
	p->m->pages_left -= r.pages;
	if (r.pte & VMC_PRESENT && !(r.pte & VMC_SPECIAL))
		p->c->vmas.v[p->c->vmas.n - 1].rss += (uint64_t)r.pages << p->m->header.page_shift;
	p->m->vmas.v[p->m->vmas.n - 1].nruns++;
	*vec_push(p->m->mem, &p->m->runs) = r;
}

static void take_pages(struct parser *p, const uint8_t *rec, size_t len)
{
	if (!p->in_vma)
		return;
	for (size_t at = sizeof(struct vmc_pages); len - at >= sizeof(struct vmc_run);
	     at += sizeof(struct vmc_run))
		take_run(p, rec + at);
}

static void take_end(struct parser *p, const uint8_t *rec, size_t len)
{
	struct vmc_end r;

	(void)len;
	memcpy(&r, rec, sizeof(r));
	to_host(p, &r, 8, sizeof(r.rec), sizeof(r));
	p->ended = true;
	if (r.torn)
		issue_add(&p->c->issues, ST_TORN, "vma", r.torn,
			  "changed while the module read them");
}

/* ---- the stream -------------------------------------------------------------------- */

static void take_record(struct parser *p, const uint8_t *rec, size_t len)
{
	static const struct {
		void (*take)(struct parser *p, const uint8_t *rec, size_t len);
		size_t bytes;
	} types[] = {
		[VMC_TASK] = { take_task, sizeof(struct vmc_task) },
		[VMC_MM] = { take_mm, sizeof(struct vmc_mm) },
		[VMC_VMA] = { take_vma, sizeof(struct vmc_vma) },
		[VMC_PAGES] = { take_pages, sizeof(struct vmc_pages) },
		[VMC_END] = { take_end, sizeof(struct vmc_end) },
	};
	uint32_t type = load32(rec, p->big);

	if (type >= ARRAY_LEN(types) || !types[type].take)
		return; /* of a later version */
	if (len < types[type].bytes)
		damaged(p, "record", "too short for its type");
	else
		types[type].take(p, rec, len);
}

static void cut(const struct parser *p, size_t at)
{
	issue_add(&p->c->issues, ST_NODATA, "record of the capture", 1,
		  "the stream ends after %zu records, at byte %zu: the rest is lost", p->n, at);
}

static void take_records(struct parser *p, const uint8_t *data, size_t len, size_t at)
{
	while (!p->ended && len - at >= sizeof(struct vmc_rec)) {
		size_t bytes = load32(data + at + 4, p->big);

		if (bytes < sizeof(struct vmc_rec) || bytes % 8 || bytes > len - at)
			break;
		p->n++;
		take_record(p, data + at, bytes);
		at += bytes;
	}
	if (!p->ended)
		cut(p, at);
}

static void read_header(struct parser *p, const uint8_t *data)
{
	struct vmc_header *h = &p->m->header;

	memcpy(h, data, sizeof(*h));
	to_host(p, h, 4, sizeof(h->magic), offsetof(struct vmc_header, word));
	to_host(p, h, 8, offsetof(struct vmc_header, time), offsetof(struct vmc_header, release));
	h->release[64] = h->build[64] = h->machine[64] = h->nodename[64] = '\0';
}

/* Counts the entries that name each slot. These are all entries of the machine, because all
   processes are here. */
static void count_slots(struct module *m)
{
	for (size_t i = 0; i < m->runs.n; i++) {
		const struct vmc_run *r = &m->runs.v[i];

		for (uint32_t j = 0; r->pte & VMC_SWAP && j < r->pages; j++) {
			uint64_t key = module_slot(r, j);
			uint32_t n = hash_get(&m->slots, key);

			hash_put(&m->slots, key, n == HASH_NONE ? 1 : n + 1);
		}
	}
}

static bool module_parse(struct capture *c, uint8_t *data, size_t len)
{
	struct module *m = arena_alloc(&c->mem, sizeof(*m));
	struct parser p = { .c = c, .m = m };

	*m = (struct module){ .mem = &c->mem, .slots.mem = &c->mem };
	c->module = m;
	m->pages_left = len * PAGES_BYTE + PAGES_MIN;
	m->header.page_shift = 12;
	if (len < sizeof(struct vmc_header)) {
		cut(&p, len);
		return true;
	}
	p.big = load32(data + 8, false) != VMC_ORDER;
	read_header(&p, data);
	if (m->header.order != VMC_ORDER || m->header.version != VMC_VERSION ||
	    m->header.bytes < sizeof(struct vmc_header) || m->header.bytes > len ||
	    m->header.page_shift < 12 || m->header.page_shift > 18 ||
	    (m->header.word != 4 && m->header.word != 8)) {
		m->header.page_shift = 12;
		issue_add(&c->issues, ST_UNSUPPORTED, "record of the capture", 1,
			  "the header is damaged, or of another version than %d", VMC_VERSION);
		return true;
	}
	c->wide |= m->header.word == 8;
	take_records(&p, data, len, m->header.bytes);
	count_slots(m);
	return true;
}

static bool probe(const uint8_t *head, size_t len)
{
	return len >= 8 && !memcmp(head, VMC_MAGIC, 8);
}

const struct capture_format capture_module = {
	.name = "vmcensus module", .source = &source_module, .probe = probe, .parse = module_parse,
};
