/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_pgwalk - page tables made of the fuzzer's bytes.
 *
 *	byte 0		bit 0: 5 levels; 1: encryption mask; 2: newer kernel;
 *			3: no L1TF; 4: the image tells the root's symbol;
 *			5..7: which machine, see machines[]
 *	1, 2		root: page frame, offset in it (times 16); bit 7 of the frame: arm64, with
 *			a row by bits 5..7 of byte 0 and a release by its bits 2 and 3; bit 6
 *			alone: riscv64, the same
 *	3..10, 11..18	start and end of a walk
 *	then records	op, frame, offset (u16), data:
 *			op odd: op/2 bytes of memory at that offset
 *			op even: an 8-byte entry, its frame kept small if op & 2
 *
 * Whatever the tables say, the calls of a walk must tile the range: each call
 * begins where the one before it ended, in order, up to the end.
 */
#include <elf.h>
#include <stdio.h>

#include "arch/arm/arm64.h"
#include "arch/ppc/ppc32.h"
#include "arch/ppc/ppc64.h"
#include "arch/riscv/riscv64.h"
#include "arch/x86/i386.h"
#include "tests/unit/tables.h"

#define HEADER 19

static const struct machine {
	uint16_t elf_machine;
	uint8_t word_size;
	uint64_t linear;		/* where its kernel maps memory */
} machines[8] = {
	{ EM_X86_64, 8, 0xffffffff80000000 }, { EM_386, 4, 0xc0000000 },
	{ EM_386, 4, 0xc0000000 }, { EM_PPC, 4, 0xc0000000 }, { EM_PPC, 4, 0xc0000000 },
	{ EM_PPC64, 8, 0xc000000000000000 }, { EM_PPC64, 8, 0xc000000000000000 },
	{ EM_PPC, 4, 0xc0000000 },
};

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

/* [va, end) comes next; the clipped parts may stick out on both sides. */
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
	if (!t.end) /* the very last byte cannot be asked for */
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

static const unsigned arm64_bits[] = { 39, 48, 52 };

static bool is_arm64(const uint8_t *data)
{
	return data[1] & 0x80;
}

static unsigned arm64_bits_of(const uint8_t *data)
{
	return arm64_bits[(data[0] >> 5) % 3];
}

/* VMCOREINFO of a kernel whose image is at its physical address above the linear map. */
static void arm64_info(struct tables *t, const uint8_t *data, char *info, size_t size)
{
	unsigned bits = arm64_bits_of(data);

	t->dump.elf_machine = EM_AARCH64;
	t->dump.word_size = 8;
	snprintf(info, size,
		 "OSRELEASE=%s\nNUMBER(VA_BITS)=%u\nNUMBER(TCR_EL1_T1SZ)=0x%x\nNUMBER(PHYS_OFFSET)=0x0\n"
		 "SYMBOL(_stext)=ffffffff80010000\nSYMBOL(swapper_pg_dir)=ffffffff80005000\n%s",
		 data[0] & 4 ? "5.4.0" : "6.12.0", bits, 64 - bits,
		 data[0] & 16 ? "NUMBER(kimage_voffset)=0xffffffff80000000\n" : "");
	t->dump.vmcoreinfo = info;
}

static const unsigned riscv64_bits[] = { 39, 48, 57 };

static bool is_riscv64(const uint8_t *data)
{
	return (data[1] & 0xc0) == 0x40;
}

/* The same; without those numbers (before 6.2) its root is looked for. */
static void riscv64_info(struct tables *t, const uint8_t *data, char *info, size_t size)
{
	int n = snprintf(info, size,
			 "OSRELEASE=6.12.0\nSYMBOL(_stext)=ffffffff80002000\nSYMBOL(swapper_pg_dir)=ffffffff80005000\n");

	t->dump.elf_machine = EM_RISCV;
	t->dump.word_size = 8;
	if (data[0] & 16)
		snprintf(info + n, size - (size_t)n,
			 "NUMBER(VA_BITS)=%u\nNUMBER(phys_ram_base)=0\nNUMBER(PAGE_OFFSET)=0xffffffd600000000\n"
			 "NUMBER(va_kernel_pa_offset)=0xffffffff80000000\n",
			 riscv64_bits[(data[0] >> 5) % 3]);
	t->dump.vmcoreinfo = info;
}

static void attach(struct tables *t, const uint8_t *data)
{
	const struct machine *m = &machines[data[0] >> 5];
	const struct arch *a;
	uint64_t pa, run;
	char info[320];
	struct reader *r;

	t->dump.elf_machine = m->elf_machine;
	t->dump.word_size = m->word_size;
	if (is_arm64(data)) {
		arm64_info(t, data, info, sizeof(info));
	} else if (is_riscv64(data)) {
		riscv64_info(t, data, info, sizeof(info));
	} else if (data[0] & 16) {
		snprintf(info, sizeof(info),
			 "SYMBOL(swapper_pg_dir)=%llx\n"
			 "SYMBOL(init_uts_ns)=%llx\nSYMBOL(prb)=%llx\n",
			 (unsigned long long)m->linear +
				 (m->word_size == 8 && m->elf_machine == EM_X86_64 ? 0x1005000
										   : 0x5000),
			 (unsigned long long)m->linear + 0x6000,
			 (unsigned long long)m->linear + 0x6800);
		t->dump.vmcoreinfo = info;
	}
	if (arch_attach(&t->dump, &a))
		return;
	arch_attach_late(&t->dump, a);
	r = reader_new(&t->dump);
	for (unsigned i = 3; i <= 11; i += 8)
		if (!reader_kvtop(r, load64(data + i, false), &pa, &run))
			must(run > 0);
	reader_free(r);
}

/* The row and the environment of machines[], in one of their forms. */
static const struct paging *choose(const uint8_t *data, struct paging_env *env)
{
	unsigned which = data[0] >> 5;
	struct ppc64_variant v;

	if (is_arm64(data)) {
		static const int releases[] = { V(4, 19), V(5, 10), V(6, 1), V(6, 12) };

		arm64_env_init(env, 12, arm64_bits_of(data), (uint64_t)TABLES_PAGES * TABLES_PAGE);
		arm64_env_of(env, releases[data[0] >> 2 & 3]);
		return arm64_row(12, arm64_bits_of(data));
	}
	if (is_riscv64(data)) {
		static const int releases[] = { V(5, 10), V(5, 19), V(6, 12), V(7, 2) };

		riscv64_env_init(env, (uint64_t)TABLES_PAGES * TABLES_PAGE);
		riscv64_env_of(env, releases[data[0] >> 2 & 3]);
		return riscv64_row(riscv64_bits[(data[0] >> 5) % 3]);
	}
	x86_64_env_init(env, (uint64_t)TABLES_PAGES * TABLES_PAGE);
	env->sme_mask = data[0] & 2 ? UINT64_C(1) << 47 : 0;
	env->saved_dirty = data[0] & 4;
	env->invert_swap = !(data[0] & 8);
	env->swap_form = data[0] & 8 ? X86_SWAP_4_6 : X86_SWAP_L1TF;
	if (!which)
		return &x86_64_paging[data[0] & 1];
	if (machines[which].elf_machine == EM_386) {
		env->form = which == 1 ? X86_FORM_PAE : X86_FORM_64;
		return &i386_paging[which == 1 ? I386_PAE : I386_2LEVEL];
	}
	env->swap_form = 0;
	env->big_endian = true;
	if (machines[which].elf_machine == EM_PPC64) {
		ppc64_variant(data[0] & 8 ? V(3, 10) : V(6, 10), 12, data[0] & 4, which == 5, &v);
		env->form = (uint8_t)v.form;
		env->table_offset = v.virtual ? -machines[which].linear : 0;
		return v.paging;
	}
	env->table_offset = which == 3 ? -machines[which].linear : 0;
	env->form = which == 3 ? PPC32_44X_2_6_26 : which == 4 ? PPC32_6XX : PPC32_8XX_5_0;
	if (which == 3 && data[0] & 4)
		env->form = PPC32_BOOK3E_6_11;
	return ppc32_paging(PPC_6XX, env->form, 12, which == 3 ? 8 : 4);
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
	p = choose(data, &env);
	t = tables_new();
	root = (uint64_t)(data[1] & (is_riscv64(data) ? 0x3f : 0x7f)) << 12 | data[2] << 4;
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
