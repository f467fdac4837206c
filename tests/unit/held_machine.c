/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/held_machine.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"
#include "facts/layout/file.h"
#include "facts/layout/holder.h"
#include "facts/layout/kmem.h"
#include "facts/layout/page.h"

uint64_t hm_page(const struct held_machine *m, uint64_t pa)
{
	return fake_kva(m->f, PAGES + (pa >> 12) * STRUCT_PAGE);
}

void hm_put(struct held_machine *m, uint64_t pa, uint64_t v, unsigned size)
{
	fake_put_uint(m->f, pa, v, size);
}

void hm_point(struct held_machine *m, uint64_t pa, uint64_t to)
{
	hm_put(m, pa, fake_kva(m->f, to), 8);
}

static void state_pages(struct fake *f)
{
	fake_size(f, S_PAGE, STRUCT_PAGE);
	fake_members(f, { M_PAGE_FLAGS, 0, 8 }, { M_PAGE_COMPOUND_HEAD, 8, 8 },
		     { M_PAGE_LRU, 8, 16 }, { M_PAGE_COMPOUND_ORDER, 16, 1 },
		     { M_PAGE_MAPPING, 24, 8 }, { M_PAGE_PRIVATE, 40, 8 },
		     { M_PAGE_REFCOUNT, 52, 4 }, { M_PAGE_MAPCOUNT, 48, 4 });
	fake_enum(f, E_PG_SLAB, 7);
	fake_enum(f, E_PG_HEAD, 16);
	fake_members(f, { M_SLAB_CACHE, 24, 8 }, { M_CACHE_SIZE, 0, 4 }, { M_LIST_NEXT, 0, 8 },
		     { M_LIST_PREV, 8, 8 });
}

static void state_files(struct fake *f)
{
	fake_members(f, { M_TASK_FILES, 0, 8 }, { M_FILES_FDT, 0, 8 }, { M_FDT_MAX, 0, 4 },
		     { M_FDT_FD, 8, 8 }, { M_FILE_INODE, 0, 8 }, { M_FILE_PRIVATE, 8, 8 },
		     { M_INODE_MODE, 0, 2 }, { M_INODE_SB, 8, 8 }, { M_INODE_INO, 16, 8 },
		     { M_INODE_PIPE, 24, 8 }, { M_SB_MAGIC, 0, 8 }, { M_PIPE_HEAD, PIPE_HEAD, 4 },
		     { M_PIPE_TAIL, PIPE_TAIL, 4 }, { M_PIPE_SLOTS, PIPE_SLOTS, 4 },
		     { M_PIPE_BUFS, PIPE_BUFS, 8 });
	fake_size(f, S_PIPE_BUFFER, BUFFER);
	fake_member(f, M_PIPE_BUFFER_PAGE, 0, 8);
}

static void state_sockets(struct fake *f)
{
	fake_members(f, { M_SOCKET_SK, 0, 8 }, { M_SK_FAMILY, SK_FAMILY, 2 },
		     { M_SK_STATE, SK_STATE, 1 }, { M_SK_TYPE, SK_TYPE, 2 },
		     { M_SK_PROTOCOL, SK_PROTOCOL, 2 }, { M_SK_FRAG, SK_FRAG, 8 },
		     { M_SK_BACKLOG, SK_BACKLOG, 8 }, { M_SK_RECEIVE, SK_RECEIVE, 16 },
		     { M_SK_WRITE, SK_WRITE, 16 }, { M_SK_ERROR, SK_ERROR, 16 },
		     { M_SKB_NEXT, 0, 8 }, { M_SKB_SK, SKB_SK, 8 }, { M_SKB_CB, SKB_CB, 48 },
		     { M_SKB_HEAD, SKB_HEAD, 8 }, { M_SKB_END, SKB_END, 4 },
		     { M_SKB_HEAD_FRAG, SKB_HEAD_FRAG, 1 }, { M_SHINFO_NR_FRAGS, INFO_NR, 1 },
		     { M_SHINFO_LIST, INFO_LIST, 8 });
	fake_array(f, M_SHINFO_FRAGS, INFO_FRAGS, 16, 17);
	fake_member(f, M_UNIX_FILES, 0, 8);
	fake_member(f, M_SCM_COUNT, 0, 2);
	fake_array(f, M_SCM_FILES, 8, 8, 253);
}

void hm_cpus(struct held_machine *m)
{
	static uint64_t percpu[] = { 0, CPU_BYTES };
	static uint32_t possible[] = { 0, 1 };

	m->f->kernel.percpu = percpu;
	m->f->kernel.possible = possible;
	m->f->kernel.ncpus = 2;
}

void hm_xarrays(struct held_machine *m)
{
	fake_member(m->f, M_XA_HEAD, 0, 8);
	fake_member(m->f, M_XA_NODE_SHIFT, 0, 1);
	fake_array(m->f, M_XA_NODE_SLOTS, 16, 8, 64);
	fake_size(m->f, S_XA_NODE, 16 + 8 * 64);
}

void hm_file(struct held_machine *m, uint64_t file, uint64_t inode, uint64_t sb, uint64_t mode,
		     uint64_t ino)
{
	hm_point(m, file, inode);
	hm_put(m, inode, mode, 2);
	hm_point(m, inode + 8, sb);
	hm_put(m, inode + 16, ino, 8);
}

void hm_pipe(struct held_machine *m, uint64_t pipe, uint64_t bufs, uint32_t tail, uint32_t n,
		     uint64_t pa)
{
	hm_put(m, pipe + PIPE_HEAD, tail + n, 4);
	hm_put(m, pipe + PIPE_TAIL, tail, 4);
	hm_put(m, pipe + PIPE_SLOTS, SLOTS, 4);
	hm_point(m, pipe + PIPE_BUFS, bufs);
	for (uint32_t i = 0; i < n; i++)
		hm_put(m, bufs + (uint64_t)((tail + i) % SLOTS) * BUFFER,
		    hm_page(m, pa + i * 0x1000ull), 8);
}

void hm_queue(struct held_machine *m, uint64_t at, uint64_t first, uint64_t second)
{
	uint64_t n[3] = { at, first, second };
	unsigned count = second ? 3 : first ? 2 : 1;

	for (unsigned i = 0; i < count; i++) {
		hm_point(m, n[i], n[(i + 1) % count]);
		hm_point(m, n[i] + 8, n[(i + count - 1) % count]);
	}
}

void hm_skb(struct held_machine *m, uint64_t skb, uint64_t head, uint64_t page)
{
	hm_point(m, skb + SKB_HEAD, head);
	hm_put(m, skb + SKB_END, HEAD_BYTES, 4);
	hm_put(m, head + HEAD_BYTES + INFO_NR, 1, 1);
	hm_put(m, head + HEAD_BYTES + INFO_LIST, 0, 8);
	hm_put(m, head + HEAD_BYTES + INFO_FRAGS, page, 8);
}

/* A folio of 4 pages at PA. */
static void put_folio(struct held_machine *m, uint64_t pa)
{
	uint64_t at = PAGES + (pa >> 12) * STRUCT_PAGE;

	hm_put(m, at, 1u << 16, 8);
	for (unsigned i = 1; i < 4; i++)
		hm_put(m, at + i * STRUCT_PAGE + 8, hm_page(m, pa) | 1, 8);
	hm_put(m, at + STRUCT_PAGE + 16, 2, 1);
}

static void put_socket(struct held_machine *m)
{
	hm_put(m, SK + SK_FAMILY, 1, 2);
	hm_put(m, SK + SK_TYPE, 1, 2);
	hm_queue(m, SK + SK_RECEIVE, SKB, SKB2);
	hm_queue(m, SK + SK_WRITE, 0, 0);
	hm_queue(m, SK + SK_ERROR, 0, 0);
	put_folio(m, DATA + 0x8000);
	/* both fragments are in tails of one folio */
	hm_skb(m, SKB, HEAD, hm_page(m, DATA + 0x9000));
	hm_skb(m, SKB2, HEAD2, hm_page(m, DATA + 0xa000));
	hm_point(m, SKB2 + SKB_CB, RIGHTS);
	hm_put(m, RIGHTS, 1, 2);
	hm_point(m, RIGHTS + 8, FILE_SENT);
}

static void put_process(struct held_machine *m)
{
	hm_point(m, TASK, FILES);
	hm_point(m, FILES, FDT);
	hm_put(m, FDT, 64, 4);
	hm_point(m, FDT + 8, FDS);
	for (unsigned i = 0; i < 64; i++)
		hm_put(m, FDS + 8 * i, 0, 8);
	hm_point(m, FDS, FILE_PIPE);
	hm_point(m, FDS + 16, FILE_PIPE);
	hm_point(m, FDS + 24, FILE_SOCKET);
	hm_put(m, SB_PIPE, 0x50495045, 8);
	hm_put(m, SB_SOCKET, 0x534f434b, 8);
	hm_file(m, FILE_PIPE, INODE_PIPE, SB_PIPE, 0010600, 7);
	hm_point(m, INODE_PIPE + 24, PIPE);
	hm_file(m, FILE_SENT, INODE_SENT, SB_PIPE, 0010600, 8);
	hm_point(m, INODE_SENT + 24, SENT);
	hm_file(m, FILE_SOCKET, INODE_SOCKET, SB_SOCKET, 0140777, 9);
	hm_point(m, FILE_SOCKET + 8, SOCKET);
	hm_point(m, SOCKET, SK);
	hm_pipe(m, PIPE, BUFS, UINT32_MAX - 1, 3, DATA);
	hm_pipe(m, SENT, SENT_BUFS, 0, 2, DATA + 0x4000);
	put_socket(m);
}

/* Struct pages: they are no words that somebody put. */
static void put_pages(struct fake *f)
{
	uint8_t *raw = calloc(HELD_FRAMES, STRUCT_PAGE);

	for (uint64_t pfn = 0; pfn < HELD_FRAMES; pfn++) {
		uint8_t *page = raw + pfn * STRUCT_PAGE;

		store_uint(page + 48, UINT32_MAX, 4, false);
		if (pfn >= DATA >> 12)
			continue;
		store_uint(page, 1u << 7, 8, false);
		store_uint(page + 24, fake_kva(f, CACHE), 8, false);
		store_uint(page + PAGE_INUSE, PER_SLAB, 2, false);
		store_uint(page + PAGE_OBJECTS, PER_SLAB, 2, false);
	}
	fake_put(f, PAGES, raw, (size_t)HELD_FRAMES * STRUCT_PAGE);
	free(raw);
}

static void put_frames(struct held_machine *m)
{
	put_pages(m->f);
	hm_put(m, CACHE, OBJECT, 4);
	m->chunk = calloc(1, 1u << FRAME_CHUNK_SHIFT);
	memset(m->chunk, CLASS_SLAB, DATA >> 12);
	memset(m->chunk + (DATA >> 12), CLASS_UNKNOWN, HELD_FRAMES - (DATA >> 12));
	m->c = (struct page_classes){ .chunk = &m->chunk, .nchunks = 1 };
	m->c.count[CLASS_SLAB].pages = DATA >> 12;
	m->c.count[CLASS_UNKNOWN].pages = HELD_FRAMES - (DATA >> 12);
}

struct held_machine *hm_of(struct fake *f)
{
	struct held_machine *m = calloc(1, sizeof(*m));

	m->f = f;
	m->s.k = &f->kernel;
	return m;
}

struct held_machine *hm_new(void)
{
	struct held_machine *m = hm_of(fake_new(8, false));

	m->range = (struct memmap_range){ .end = HELD_FRAMES, .page_kva = fake_kva(m->f, PAGES) };
	m->f->kernel.memmap = (struct memmap){ .v = &m->range, .n = 1, .page_size = STRUCT_PAGE,
					       .max_pfn = HELD_FRAMES, .ram_end = HELD_FRAMES };
	state_pages(m->f);
	state_files(m->f);
	state_sockets(m->f);
	m->task = (struct task){ .addr = fake_kva(m->f, TASK), .mm = NONE };
	m->proc = (struct proc){ .ntasks = 1, .mm = NONE, .pid = 42 };
	m->s = (struct snapshot){ .k = &m->f->kernel, .tasks = &m->task, .ntasks = 1,
				  .procs = &m->proc, .nprocs = 1 };
	put_frames(m);
	put_process(m);
	return m;
}

void hm_build(struct held_machine *m)
{
	holders_build(&m->s, m->f->r, &m->mem, &m->c, &m->areas, &m->owners);
}

void hm_free(struct held_machine *m)
{

	arena_release(&m->mem);
	fake_free(m->f);
	free(m->chunk);
	free(m);
}

const struct owner *hm_owner(const struct held_machine *m, uint64_t pa, enum page_class class)
{
	static const struct owner none;

	for (uint32_t i = 0; i < m->owners.n; i++)
		if (m->owners.v[i].object == fake_kva(m->f, pa) && m->owners.v[i].class == class)
			return &m->owners.v[i];
	return &none;
}
