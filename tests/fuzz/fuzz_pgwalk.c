/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_pgwalk - page tables made of the fuzzer's bytes.
 *
 *	byte 0		bit 0: 5 levels; 1: encryption mask; 2: newer kernel;
 *			3: no L1TF; 4: the image tells the root's symbol
 *	1, 2		root: page frame, offset in it (times 16)
 *	3..10, 11..18	start and end of a walk
 *	then records	op, frame, offset (u16), data:
 *			op odd: op/2 bytes of memory at that offset
 *			op even: an 8-byte entry, its frame kept small if op & 2
 *
 * Whatever the tables say, what a walk hands over must tile the range: each
 * call begins where the one before it ended, in order, up to the end.
 */
#include <elf.h>

#include "arch/x86/x86_64.h"
#include "tests/unit/tables.h"

#define HEADER 19

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct tiling {
	uint64_t start, at, end;
	bool limit;
};

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* [va, end) comes next; what was clipped away may stick out on both sides. */
static void next(struct tiling *t, uint64_t va, uint64_t last)
{
	must(max_u64(va, t->start) == t->at && last >= t->at && va < t->end);
	t->at = min_u64(last, t->end - 1) + 1;
}

static bool entries(void *arg, uint64_t va, unsigned shift, const struct pte *pte, unsigned n)
{
	must(n && n <= 512 && !(va & ((UINT64_C(1) << shift) - 1)));
	for (unsigned i = 0; i < n; i++)
		must(pte[i].kind != PTE_TABLE && (pte[i].kind != PTE_NONE || shift == 12));
	next(arg, va, va + ((uint64_t)n << shift) - 1);
	return true;
}

static bool hole(void *arg, uint64_t va, uint64_t end, unsigned shift)
{
	struct tiling *t = arg;

	must(va < end && va >= t->start && end <= t->end && shift > 12);
	next(t, va, end - 1);
	return true;
}

static bool lost(void *arg, uint64_t va, uint64_t end, enum status st)
{
	struct tiling *t = arg;

	must(va < end && va >= t->start && end <= t->end && st);
	t->limit |= st == ST_LIMIT;
	next(t, va, end - 1);
	return true;
}

static void walk(struct reader *r, const struct paging *p, const struct paging_env *env,
		 uint64_t root, uint64_t start, uint64_t end)
{
	static const struct pgvisit visit = { .entries = entries, .hole = hole, .lost = lost };
	uint64_t half = (UINT64_C(1) << paging_shift(p, p->nlevels)) - 1;
	struct tiling t = { .start = start, .at = start };

	if (start >= end)
		return;
	t.end = min_u64(end - 1, start | half) + 1;
	if (!t.end)		/* the very last byte cannot be asked for */
		return;
	must(pgwalk(r, p, env, root, start, end, &visit, &t));
	must(t.limit || t.at == t.end);
}

static void fill(struct tables *t, const uint8_t *p, size_t size)
{
	while (size >= 4) {
		uint8_t *page = t->page[p[1] % TABLES_PAGES];
		unsigned op = p[0], off = load16(p + 2, false);
		size_t len = op & 1 ? op / 2 : 8;

		p += 4;
		size -= 4;
		if (len > size)
			return;
		if (op & 1) {
			off %= TABLES_PAGE;
			memcpy(page + off, p, min_u64(len, TABLES_PAGE - off));
		} else {
			uint64_t v = load64(p, false);

			if (op & 2)
				v &= ~(UINT64_C(0xffffffffff) << 12) | 0x3f000;
			store_uint(page + off % 512 * 8, v, 8, false);
		}
		p += len;
		size -= len;
	}
}

static void attach(struct tables *t, const uint8_t *data)
{
	const struct arch *a;
	uint64_t pa, run;
	struct reader *r;

	t->dump.elf_machine = EM_X86_64;
	t->dump.word_size = 8;
	if (data[0] & 16)
		t->dump.vmcoreinfo = "SYMBOL(swapper_pg_dir)=ffffffff81005000\n";
	if (arch_attach(&t->dump, &a))
		return;
	arch_attach_late(&t->dump, a);
	r = reader_new(&t->dump);
	for (unsigned i = 3; i <= 11; i += 8)
		if (!reader_kvtop(r, load64(data + i, false), &pa, &run))
			must(run > 0);
	reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct paging *p;
	uint64_t root, start, end, pa, run;
	struct paging_env env;
	struct tables *t;
	struct reader *r;

	if (size < HEADER)
		return 0;
	p = &x86_64_paging[data[0] & 1];
	t = tables_new();
	x86_64_env_init(&env, (uint64_t)TABLES_PAGES * TABLES_PAGE);
	env.sme_mask = data[0] & 2 ? UINT64_C(1) << 47 : 0;
	env.saved_dirty = data[0] & 4;
	env.invert_swap = !(data[0] & 8);
	env.swap_form = data[0] & 8 ? X86_SWAP_4_6 : X86_SWAP_L1TF;
	root = (uint64_t)data[1] << 12 | data[2] << 4;
	start = load64(data + 3, false);
	end = load64(data + 11, false);
	fill(t, data + HEADER, size - HEADER);
	r = reader_new(&t->dump);
	walk(r, p, &env, root, start, end);
	walk(r, p, &env, root, 0, UINT64_C(1) << 47);
	walk(r, p, &env, root, UINT64_C(0xffff800000000000), UINT64_MAX);
	if (!pgtrans(r, p, &env, root, start, &pa, &run))
		must(run > 0);
	reader_free(r);
	attach(t, data);
	tables_free(t);
	return 0;
}
