/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arch.c - the table of CPUs.
 */
#include "arch/arch.h"

#include "arch/ppc/ppc32.h"
#include "arch/ppc/ppc64.h"
#include "arch/x86/i386.h"
#include "arch/x86/x86_64.h"
#include "dumpread/base/bytes.h"

static const struct arch *const archs[] = {
	&arch_x86_64,
	&arch_i386,
	&arch_ppc32,
	&arch_ppc64,
};

/* Raw memory images do not say what machine they are of: then all are tried. */
static bool may_be(const struct dump *d, const struct arch *a)
{
	return (!d->elf_machine || d->elf_machine == a->elf_machine) &&
	       (!d->word_size || d->word_size == a->word_size);
}

enum status arch_attach(struct dump *d, const struct arch **ret)
{
	enum status st = ST_UNSUPPORTED;
	bool tried = false;

	*ret = NULL;
	/* Not in the notes: every kernel that has it keeps it in memory too. */
	if (!d->vmcoreinfo[0] && !d->kv)
		vmcoreinfo_scan(d);
	for (unsigned i = 0; i < ARRAY_LEN(archs); i++) {
		if (!may_be(d, archs[i]))
			continue;
		tried = true;
		st = archs[i]->attach(d);
		if (st)
			continue;
		d->elf_machine = archs[i]->elf_machine;
		d->word_size = archs[i]->word_size;
		*ret = archs[i];
		return ST_OK;
	}
	if (tried)
		return st;
	return fail(&d->diag, ST_UNSUPPORTED,
		    "no support for this machine: ELF machine %u, %u-bit",
		    d->elf_machine, 8u * d->word_size);
}

enum status arch_attach_late(struct dump *d, const struct arch *a)
{
	return a->attach_late ? a->attach_late(d) : ST_OK;
}
