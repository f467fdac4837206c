/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arch.c - the table of CPUs.
 */
#include "arch/arch.h"

#include <elf.h>
#include <string.h>

#include "arch/arm/arm64.h"
#include "arch/linear.h"
#include "arch/ppc/ppc32.h"
#include "arch/ppc/ppc64.h"
#include "arch/riscv/riscv64.h"
#include "arch/x86/i386.h"
#include "arch/x86/x86_64.h"
#include "dumpread/base/bytes.h"
#include "dumpread/image/machines.h"
#include "facts/layout/cpu.h"

static const struct arch *const archs[] = {
	&arch_x86_64,
	&arch_i386,
	&arch_ppc32,
	&arch_ppc64,
	&arch_arm64,
	&arch_riscv64,
};

/* EM_386 without a word size is x86 in either mode. */
static bool x86_of_any_mode(const struct dump *d)
{
	return d->elf_machine == EM_386 && !d->word_size;
}

/* Raw memory images do not name their machine: all are tried then. */
static bool may_be(const struct dump *d, const struct arch *a)
{
	return (!d->elf_machine || d->elf_machine == a->elf_machine ||
		(x86_of_any_mode(d) && a->elf_machine == EM_X86_64)) &&
	       (!d->word_size || d->word_size == a->word_size);
}

/*
 * QEMU's kdump of an i386 guest (7.2, qemu-system-x86_64) says x86_64. The addresses of
 * its kernel show the truth: on x86-64 they have 64 bits.
 */
static void mend_machine(struct dump *d)
{
	uint64_t va;

	if (d->elf_machine == EM_X86_64 && fact_symbol(d, Y_SWAPPER_PG_DIR, &va) &&
	    va <= UINT32_MAX) {
		d->elf_machine = EM_386;
		d->word_size = 4;
	}
}

static enum status kvtop(const struct dump *d, struct reader *r, uint64_t kva, uint64_t *pa,
			 uint64_t *run)
{
	const struct kernel_map *m = d->kv_self;
	enum status st = ST_NODATA;
	uint64_t bytes;

	if (!m->arch->is_kernel_addr(d, kva))
		return ST_FAULT;
	if (m->arch->rule_first)
		st = m->arch->by_rule(d, kva, pa, &bytes);
	if (st && m->has_root)
		st = pgtrans(r, m->paging, &m->env, m->root, kva, pa, &bytes);
	if (st && st != ST_FAULT && !m->arch->rule_first && !m->arch->by_rule(d, kva, pa, &bytes))
		st = ST_OK;
	if (!st && run)
		*run = bytes;
	return st;
}

static enum status attach_as(struct dump *d, const struct arch *a)
{
	static const struct kv_ops kv = { kvtop };
	struct kernel_map *m = arena_alloc(&d->mem, a->state_size);
	enum status st;

	m->arch = a;
	d->kv_self = m;
	st = a->attach(d);
	if (!st && !d->kv)
		d->kv = &kv;
	return st;
}

static enum status unsupported(struct dump *d)
{
	static const char reads[] = "vmcensus reads x86-64, i386, PowerPC, arm64 and riscv64";
	const char *name = machine_name(d->elf_machine, d->word_size);

	if (!name)
		return fail(&d->diag, ST_UNSUPPORTED,
			    "no support for this machine: ELF machine %u, %u-bit; %s",
			    d->elf_machine, 8u * d->word_size, reads);
	return fail(&d->diag, ST_UNSUPPORTED, "a dump of %s %s machine; %s",
		    strchr("aeim", *name) ? "an" : "a", name, reads);
}

enum status arch_attach(struct dump *d, const struct arch **ret)
{
	enum status st = ST_UNSUPPORTED;
	unsigned tried = 0;

	*ret = NULL;
	/* Not in the notes: every kernel that has VMCOREINFO keeps it in memory too. */
	if (!d->vmcoreinfo[0] && !d->kv)
		vmcoreinfo_scan(d);
	mend_machine(d);
	if (d->elf_machine == EM_386 && d->word_size == 8) /* VMCOREINFO in memory told it */
		d->elf_machine = EM_X86_64;
	for (unsigned i = 0; i < ARRAY_LEN(archs); i++) {
		if (!may_be(d, archs[i]))
			continue;
		tried++;
		st = attach_as(d, archs[i]);
		if (st)
			continue;
		d->elf_machine = archs[i]->elf_machine;
		d->word_size = archs[i]->word_size;
		*ret = archs[i];
		return ST_OK;
	}
	if (tried == 1)
		return st;
	if (tried)
		return fail(
			&d->diag, ST_UNSUPPORTED,
			"the image does not tell its machine, and no "
			"kernel of a supported one was found in it; a vmlinux, a layout file or "
			"VMCOREINFO (-t) tells the machine");
	return unsupported(d);
}

enum status arch_attach_late(struct dump *d, const struct arch *a)
{
	return a->attach_late ? a->attach_late(d) : ST_OK;
}

struct arch_sections arch_sections(const struct arch *a, const struct paging *user)
{
	if (a && a->sections && user)
		return a->sections(user);
	return (struct arch_sections){ 24, a && a->word_size == 4 ? 36 : 46 };
}

void arch_user_paging(const struct dump *d, const struct paging **p, struct paging_env *env)
{
	const struct kernel_map *m = d->kv_self;

	*p = m->paging;
	*env = m->env;
}

bool arch_kernel_paging(const struct dump *d, const struct paging **p, struct paging_env *env,
			uint64_t *root, uint64_t *start)
{
	const struct kernel_map *m = d->kv_self;
	unsigned bits;

	if (!m || !m->has_root || !m->paging)
		return false;
	*p = m->paging;
	*env = m->env;
	*root = m->root;
	*start = m->start ? m->start : m->low.va;
	bits = paging_shift(m->paging, m->paging->nlevels);
	/* without a linear map at a known place: the upper half of the tables */
	if (!*start && bits < 64)
		*start = UINT64_MAX << (bits - 1);
	return *start != 0;
}
