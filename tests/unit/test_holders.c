/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owners of the kernel's memory: pipes, sockets and what they carry, on a machine made by hand. */
#include "model/holder/holders.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/fake.h"

/* Physical addresses. Frames from DATA on have no class; those below are a slab. */
enum {
	PAGES = 0x400000, TASK = 0x1000, FILES = 0x1100, FDT = 0x1200, FDS = 0x1300,
	FILE_PIPE = 0x2000, FILE_SOCKET = 0x2100, FILE_SENT = 0x2200,
	INODE_PIPE = 0x3000, INODE_SOCKET = 0x3100, INODE_SENT = 0x3200, SB_PIPE = 0x3300,
	SB_SOCKET = 0x3400, PIPE = 0x4000, BUFS = 0x4100, SENT = 0x4200, SENT_BUFS = 0x4300,
	SOCKET = 0x5000, SK = 0x5100, SKB = 0x5200, SKB2 = 0x5300, HEAD = 0x5400, HEAD2 = 0x5800,
	RIGHTS = 0x5c00, CACHE = 0x6000, DATA = 0x200000,
};
enum { STRUCT_PAGE = 64, SLOTS = 4, OBJECT = 96, HEAD_BYTES = 0x100 };
enum { PIPE_HEAD = 0, PIPE_TAIL = 4, PIPE_SLOTS = 8, PIPE_BUFS = 16, BUFFER = 40 };
enum { SK_FAMILY = 0, SK_STATE = 2, SK_TYPE = 4, SK_PROTOCOL = 6, SK_FRAG = 8, SK_BACKLOG = 16,
       SK_RECEIVE = 24, SK_WRITE = 40, SK_ERROR = 56 };
enum { SKB_SK = 16, SKB_CB = 24, SKB_HEAD = 72, SKB_END = 80, SKB_HEAD_FRAG = 84 };
enum { INFO_NR = 0, INFO_LIST = 8, INFO_FRAGS = 16 };

struct made {
	struct fake *f;
	struct snapshot s;
	struct task task;
	struct proc proc;
	struct memmap_range range;
	struct page_classes c;
	uint8_t *chunk;
	struct arena mem;
	struct owners owners;
};

static uint64_t page_of(const struct made *m, uint64_t pa)
{
	return fake_kva(m->f, PAGES + (pa >> 12) * STRUCT_PAGE);
}

static void put(struct made *m, uint64_t pa, uint64_t v, unsigned size)
{
	fake_put_uint(m->f, pa, v, size);
}

static void point(struct made *m, uint64_t pa, uint64_t to)
{
	put(m, pa, fake_kva(m->f, to), 8);
}

static void state_pages(struct fake *f)
{
	fake_size(f, S_PAGE, STRUCT_PAGE);
	fake_member(f, M_PAGE_FLAGS, 0, 8);
	fake_member(f, M_PAGE_COMPOUND_HEAD, 8, 8);
	fake_member(f, M_PAGE_COMPOUND_ORDER, 16, 1);
	fake_member(f, M_PAGE_REFCOUNT, 52, 4);
	fake_member(f, M_PAGE_MAPCOUNT, 48, 4);
	fake_enum(f, E_PG_HEAD, 16);
	fake_member(f, M_SLAB_CACHE, 24, 8);
	fake_member(f, M_CACHE_SIZE, 0, 4);
	fake_member(f, M_LIST_NEXT, 0, 8);
	fake_member(f, M_LIST_PREV, 8, 8);
}

static void state_files(struct fake *f)
{
	fake_member(f, M_TASK_FILES, 0, 8);
	fake_member(f, M_FILES_FDT, 0, 8);
	fake_member(f, M_FDT_MAX, 0, 4);
	fake_member(f, M_FDT_FD, 8, 8);
	fake_member(f, M_FILE_INODE, 0, 8);
	fake_member(f, M_FILE_PRIVATE, 8, 8);
	fake_member(f, M_INODE_MODE, 0, 2);
	fake_member(f, M_INODE_SB, 8, 8);
	fake_member(f, M_INODE_INO, 16, 8);
	fake_member(f, M_INODE_PIPE, 24, 8);
	fake_member(f, M_SB_MAGIC, 0, 8);
	fake_member(f, M_PIPE_HEAD, PIPE_HEAD, 4);
	fake_member(f, M_PIPE_TAIL, PIPE_TAIL, 4);
	fake_member(f, M_PIPE_SLOTS, PIPE_SLOTS, 4);
	fake_member(f, M_PIPE_BUFS, PIPE_BUFS, 8);
	fake_size(f, S_PIPE_BUFFER, BUFFER);
	fake_member(f, M_PIPE_BUFFER_PAGE, 0, 8);
}

static void state_sockets(struct fake *f)
{
	fake_member(f, M_SOCKET_SK, 0, 8);
	fake_member(f, M_SK_FAMILY, SK_FAMILY, 2);
	fake_member(f, M_SK_STATE, SK_STATE, 1);
	fake_member(f, M_SK_TYPE, SK_TYPE, 2);
	fake_member(f, M_SK_PROTOCOL, SK_PROTOCOL, 2);
	fake_member(f, M_SK_FRAG, SK_FRAG, 8);
	fake_member(f, M_SK_BACKLOG, SK_BACKLOG, 8);
	fake_member(f, M_SK_RECEIVE, SK_RECEIVE, 16);
	fake_member(f, M_SK_WRITE, SK_WRITE, 16);
	fake_member(f, M_SK_ERROR, SK_ERROR, 16);
	fake_member(f, M_SKB_NEXT, 0, 8);
	fake_member(f, M_SKB_SK, SKB_SK, 8);
	fake_member(f, M_SKB_CB, SKB_CB, 48);
	fake_member(f, M_SKB_HEAD, SKB_HEAD, 8);
	fake_member(f, M_SKB_END, SKB_END, 4);
	fake_member(f, M_SKB_HEAD_FRAG, SKB_HEAD_FRAG, 1);
	fake_member(f, M_SHINFO_NR_FRAGS, INFO_NR, 1);
	fake_member(f, M_SHINFO_LIST, INFO_LIST, 8);
	fake_array(f, M_SHINFO_FRAGS, INFO_FRAGS, 16, 17);
	fake_member(f, M_UNIX_FILES, 0, 8);
	fake_member(f, M_SCM_COUNT, 0, 2);
	fake_array(f, M_SCM_FILES, 8, 8, 253);
}

static void put_file(struct made *m, uint64_t file, uint64_t inode, uint64_t sb, uint64_t mode,
		     uint64_t ino)
{
	point(m, file, inode);
	put(m, inode, mode, 2);
	point(m, inode + 8, sb);
	put(m, inode + 16, ino, 8);
}

/* A pipe whose head and tail have wrapped: the pages of its N used slots begin at PA. */
static void put_pipe(struct made *m, uint64_t pipe, uint64_t bufs, uint32_t tail, uint32_t n,
		     uint64_t pa)
{
	put(m, pipe + PIPE_HEAD, tail + n, 4);
	put(m, pipe + PIPE_TAIL, tail, 4);
	put(m, pipe + PIPE_SLOTS, SLOTS, 4);
	point(m, pipe + PIPE_BUFS, bufs);
	for (uint32_t i = 0; i < n; i++)
		put(m, bufs + (uint64_t)((tail + i) % SLOTS) * BUFFER,
		    page_of(m, pa + i * 0x1000ull), 8);
}

static void put_queue(struct made *m, uint64_t at, uint64_t first, uint64_t second)
{
	uint64_t n[3] = { at, first, second };
	unsigned count = first ? 3 : 1;

	for (unsigned i = 0; i < count; i++) {
		point(m, n[i], n[(i + 1) % count]);
		point(m, n[i] + 8, n[(i + count - 1) % count]);
	}
}

static void put_skb(struct made *m, uint64_t skb, uint64_t head, uint64_t page)
{
	point(m, skb + SKB_HEAD, head);
	put(m, skb + SKB_END, HEAD_BYTES, 4);
	put(m, head + HEAD_BYTES + INFO_NR, 1, 1);
	put(m, head + HEAD_BYTES + INFO_LIST, 0, 8);
	put(m, head + HEAD_BYTES + INFO_FRAGS, page, 8);
}

/* A folio of 4 pages at PA. */
static void put_folio(struct made *m, uint64_t pa)
{
	uint64_t at = PAGES + (pa >> 12) * STRUCT_PAGE;

	put(m, at, 1u << 16, 8);
	for (unsigned i = 1; i < 4; i++)
		put(m, at + i * STRUCT_PAGE + 8, page_of(m, pa) | 1, 8);
	put(m, at + STRUCT_PAGE + 16, 2, 1);
}

static void put_socket(struct made *m)
{
	put(m, SK + SK_FAMILY, 1, 2);
	put(m, SK + SK_TYPE, 1, 2);
	put_queue(m, SK + SK_RECEIVE, SKB, SKB2);
	put_queue(m, SK + SK_WRITE, 0, 0);
	put_queue(m, SK + SK_ERROR, 0, 0);
	put_folio(m, DATA + 0x8000);
	/* both fragments are in tails of one folio */
	put_skb(m, SKB, HEAD, page_of(m, DATA + 0x9000));
	put_skb(m, SKB2, HEAD2, page_of(m, DATA + 0xa000));
	point(m, SKB2 + SKB_CB, RIGHTS);
	put(m, RIGHTS, 1, 2);
	point(m, RIGHTS + 8, FILE_SENT);
}

static void put_process(struct made *m)
{
	point(m, TASK, FILES);
	point(m, FILES, FDT);
	put(m, FDT, 64, 4);
	point(m, FDT + 8, FDS);
	for (unsigned i = 0; i < 64; i++)
		put(m, FDS + 8 * i, 0, 8);
	point(m, FDS, FILE_PIPE);
	point(m, FDS + 16, FILE_PIPE);
	point(m, FDS + 24, FILE_SOCKET);
	put(m, SB_PIPE, 0x50495045, 8);
	put(m, SB_SOCKET, 0x534f434b, 8);
	put_file(m, FILE_PIPE, INODE_PIPE, SB_PIPE, 0010600, 7);
	point(m, INODE_PIPE + 24, PIPE);
	put_file(m, FILE_SENT, INODE_SENT, SB_PIPE, 0010600, 8);
	point(m, INODE_SENT + 24, SENT);
	put_file(m, FILE_SOCKET, INODE_SOCKET, SB_SOCKET, 0140777, 9);
	point(m, FILE_SOCKET + 8, SOCKET);
	point(m, SOCKET, SK);
	put_pipe(m, PIPE, BUFS, UINT32_MAX - 1, 3, DATA);
	put_pipe(m, SENT, SENT_BUFS, 0, 2, DATA + 0x4000);
	put_socket(m);
}

static void put_frames(struct made *m)
{
	for (uint64_t pfn = 0; pfn < FAKE_PAGES; pfn++) {
		put(m, PAGES + pfn * STRUCT_PAGE, 0, 8);
		put(m, PAGES + pfn * STRUCT_PAGE + 48, UINT32_MAX, 4);
	}
	for (uint64_t pfn = 0; pfn < DATA >> 12; pfn++)
		point(m, PAGES + pfn * STRUCT_PAGE + 24, CACHE);
	put(m, CACHE, OBJECT, 4);
	m->chunk = calloc(1, 1u << FRAME_CHUNK_SHIFT);
	memset(m->chunk, CLASS_SLAB, DATA >> 12);
	memset(m->chunk + (DATA >> 12), CLASS_UNKNOWN, FAKE_PAGES - (DATA >> 12));
	m->c = (struct page_classes){ .chunk = &m->chunk, .nchunks = 1 };
	m->c.count[CLASS_UNKNOWN].pages = FAKE_PAGES - (DATA >> 12);
}

static struct made *make_machine(void)
{
	struct made *m = calloc(1, sizeof(*m));

	m->f = fake_new(8, false);
	m->range = (struct memmap_range){ .end = FAKE_PAGES, .page_kva = fake_kva(m->f, PAGES) };
	m->f->kernel.memmap = (struct memmap){ .v = &m->range, .n = 1, .page_size = STRUCT_PAGE,
					       .max_pfn = FAKE_PAGES, .ram_end = FAKE_PAGES };
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

static void build(struct made *m)
{
	struct vmalloc areas = { 0 };

	holders_build(&m->s, m->f->r, &m->mem, &m->c, &areas, &m->owners);
}

static void end(struct made *m)
{
	arena_release(&m->mem);
	fake_free(m->f);
	free(m->chunk);
	free(m);
}

static const struct owner *owner(const struct made *m, uint64_t pa, enum page_class class)
{
	static const struct owner none;

	for (uint32_t i = 0; i < m->owners.n; i++)
		if (m->owners.v[i].object == fake_kva(m->f, pa) && m->owners.v[i].class == class)
			return &m->owners.v[i];
	return &none;
}

static void check_held(const struct made *m, const struct owner *o)
{
	CHECK_EQ(o->nholders, 1);
	CHECK(o->nholders && m->owners.holder[o->first_holder] == 0);
	CHECK(!o->kernel);
}

static void test_whole(void)
{
	struct made *m = make_machine();
	const struct owner *o;

	build(m);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	/* three slots are used, of which two lie before the wrap */
	o = owner(m, PIPE, CLASS_PIPE);
	CHECK_EQ(o->pages, 3);
	CHECK_EQ(o->size, 3 * 4096);
	CHECK_STR(o->what, "pipe:[7]");
	check_held(m, o);
	/* the pipe, and its array */
	CHECK_EQ(owner(m, PIPE, CLASS_SLAB)->size, 2 * OBJECT);
	/* a folio counts once, however many fragments it has */
	o = owner(m, SK, CLASS_SOCKET);
	CHECK_EQ(o->pages, 4);
	check_held(m, o);
	/* the socket, two sk_buffs with heads, the list of files */
	CHECK_EQ(owner(m, SK, CLASS_SLAB)->size, 6 * OBJECT);
	/* the pipe in flight: who has the socket holds it */
	o = owner(m, SENT, CLASS_PIPE);
	CHECK_EQ(o->pages, 2);
	check_held(m, o);
	CHECK_EQ(m->c.count[CLASS_PIPE].pages, 5);
	CHECK_EQ(m->c.count[CLASS_SOCKET].pages, 4);
	end(m);
}

/* To 2.6.34: the slots are in the pipe, which says which is the first and how many are used. */
static void test_slots_inside(void)
{
	struct made *m = make_machine();

	m->f->kernel.layout.v[M_PIPE_HEAD].alt = m->f->kernel.layout.v[M_PIPE_SLOTS].alt = -1;
	fake_member(m->f, M_PIPE_FIRST, PIPE_TAIL, 4);
	fake_member(m->f, M_PIPE_USED, PIPE_HEAD, 4);
	fake_array(m->f, M_PIPE_BUFS, PIPE_BUFS, BUFFER, SLOTS);
	put_pipe(m, PIPE, PIPE + PIPE_BUFS, SLOTS - 1, 2, DATA);
	put(m, PIPE + PIPE_HEAD, 2, 4);
	put(m, SENT + PIPE_HEAD, SLOTS + 1, 4);	/* more than there are */
	put(m, PIPE + PIPE_BUFS, page_of(m, DATA + 0x1000), 8);
	build(m);
	CHECK_EQ(owner(m, PIPE, CLASS_PIPE)->pages, 2);
	CHECK_EQ(owner(m, PIPE, CLASS_SLAB)->size, OBJECT);
	CHECK(owner(m, SENT, CLASS_PIPE)->pages == 0);
	end(m);
}

/* A page in two pipes is the first one's; pages of others stay theirs. */
static void test_shared(void)
{
	struct made *m = make_machine();

	put(m, SENT_BUFS, page_of(m, DATA), 8);
	m->chunk[(DATA >> 12) + 1] = CLASS_FILE;
	build(m);
	CHECK_EQ(owner(m, PIPE, CLASS_PIPE)->pages, 2);
	CHECK_EQ(owner(m, SENT, CLASS_PIPE)->pages, 1);
	CHECK_EQ(page_class_at(&m->c, (DATA >> 12) + 1), CLASS_FILE);
	CHECK_EQ(owner(m, PIPE, CLASS_FILE)->size, 0);
	CHECK_EQ(fake_issues(m->f, "owner"), 0);
	end(m);
}

/* Damage ends, is told, and the rest is still found. */
static void test_damaged(void)
{
	struct made *m = make_machine();

	put(m, PIPE + PIPE_HEAD, 1000, 4);	/* more slots than there are */
	point(m, HEAD + HEAD_BYTES + INFO_LIST, SKB);	/* a fragment list that comes back */
	put(m, HEAD2 + HEAD_BYTES + INFO_NR, 200, 1);
	build(m);
	CHECK_EQ(fake_issues(m->f, "owner"), 2);
	CHECK_EQ(owner(m, PIPE, CLASS_PIPE)->pages, 0);
	CHECK(owner(m, SK, CLASS_SOCKET)->incomplete);
	CHECK_EQ(owner(m, SENT, CLASS_PIPE)->pages, 2);
	end(m);
}

/* A queue whose links do not agree, and one that is not in the dump. */
static void test_broken_queue(void)
{
	struct made *m = make_machine();

	point(m, SKB2 + 8, SKB2);
	build(m);
	CHECK_EQ(fake_issues(m->f, "owner"), 1);
	CHECK(owner(m, SK, CLASS_SOCKET)->incomplete);
	end(m);
	m = make_machine();
	fake_drop(m->f, SK);	/* and all that is in its page */
	build(m);
	CHECK_EQ(fake_issues(m->f, "open file"), 1);
	CHECK_EQ(owner(m, PIPE, CLASS_PIPE)->pages, 3);
	end(m);
}

int main(void)
{
	test_whole();
	test_slots_inside();
	test_shared();
	test_damaged();
	test_broken_queue();
	return check_done();
}
