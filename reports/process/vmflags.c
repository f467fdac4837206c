/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Source: show_smap_vma_flags() of fs/proc/task_mmu.c and the VM_* of include/linux/mm.h,
 * read in 3.10 ... 7.3. Bits that moved have one row per era. If the kernel's own table
 * was found in its image, it is used instead: distributions have bits that do not follow
 * from the release.
 */
#include "reports/process/vmflags.h"

#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/texts.h"

#define PKEY_BIT 32		/* VM_PKEY_SHIFT, 4.6 */

static const struct mnemonic {
	uint8_t bit;
	char text[3];
	struct era era;
} mnemonics[] = {
	{ 0, "rd", { 0, 0 } },
	{ 1, "wr", { 0, 0 } },
	{ 2, "ex", { 0, 0 } },
	{ 3, "sh", { 0, 0 } },
	{ 4, "mr", { 0, 0 } },
	{ 5, "mw", { 0, 0 } },
	{ 6, "me", { 0, 0 } },
	{ 7, "ms", { 0, 0 } },
	{ 8, "gd", { 0, 0 } },
	{ 9, "um", { V(4, 3), 0 } },		/* VM_UFFD_MISSING */
	{ 10, "pf", { 0, 0 } },
	{ 11, "dw", { 0, V(5, 16) } },		/* VM_DENYWRITE */
	{ 11, "gu", { V(6, 19), 0 } },		/* VM_MAYBE_GUARD */
	{ 12, "uw", { V(4, 3), 0 } },		/* VM_UFFD_WP */
	{ 13, "lo", { 0, 0 } },
	{ 14, "io", { 0, 0 } },
	{ 15, "sr", { 0, 0 } },
	{ 16, "rr", { 0, 0 } },
	{ 17, "dc", { 0, 0 } },
	{ 18, "de", { 0, 0 } },
	{ 19, "lf", { V(6, 11), 0 } },		/* VM_LOCKONFAULT */
	{ 20, "ac", { 0, 0 } },
	{ 21, "nr", { 0, 0 } },
	{ 22, "ht", { 0, 0 } },
	{ 23, "nl", { 0, V(4, 1) } },		/* VM_NONLINEAR */
	{ 23, "sf", { V(4, 15), 0 } },		/* VM_SYNC */
	{ 24, "ar", { 0, 0 } },
	{ 25, "mp", { V(3, 19), V(4, 14) } },	/* VM_MPX as VM_ARCH_2 */
	{ 25, "wf", { V(4, 14), 0 } },		/* VM_WIPEONFORK */
	{ 26, "dd", { 0, 0 } },
	{ 27, "sd", { V(3, 11), 0 } },
	{ 28, "mm", { 0, 0 } },
	{ 29, "hg", { 0, 0 } },
	{ 30, "nh", { 0, 0 } },
	{ 31, "mg", { 0, 0 } },
	{ 37, "ui", { V(5, 13), V(6, 6) } },	/* VM_UFFD_MINOR */
	{ 38, "ui", { V(6, 6), V(6, 16) } },
	{ 41, "ui", { V(6, 16), 0 } },
	{ 40, "dp", { V(6, 11), 0 } },		/* VM_DROPPABLE, 64-bit */
	{ 63, "sl", { V(6, 10), V(6, 17) } },	/* VM_SEALED */
	{ 42, "sl", { V(6, 17), 0 } },
	{ 43, "ur", { V(7, 3), 0 } },		/* VM_UFFD_RWP */
};

/* Bits of a protection key, which has its own line in smaps. */
static unsigned pkey_bits(const struct kernel *k)
{
	return k->arch ? k->arch->pkey_bits : 0;
}

static const char *spell(const struct kernel *k, unsigned bit)
{
	static const struct era keys = { V(4, 6), 0 };
	const struct image_texts *t = kernel_texts(k);

	if (t && t->spells)
		return bit < SPELLINGS ? t->spelling[bit] : "";
	if (bit >= PKEY_BIT && bit < PKEY_BIT + pkey_bits(k) && in_era(k, keys))
		return "";
	for (const struct arch_vmflag *f = k->arch ? k->arch->vmflags : NULL; f && f->text; f++)
		if (f->bit == bit && in_era(k, f->era))
			return f->text;
	for (unsigned i = 0; i < ARRAY_LEN(mnemonics); i++)
		if (mnemonics[i].bit == bit && in_era(k, mnemonics[i].era))
			return mnemonics[i].text;
	return "??";
}

size_t vmflags_text(const struct kernel *k, uint64_t flags, char *buf)
{
	char *p = buf;

	for (unsigned bit = 0; bit < 64; bit++) {
		const char *m = flags >> bit & 1 ? spell(k, bit) : "";

		if (!*m)
			continue;
		*p++ = m[0];
		*p++ = m[1];
		*p++ = ' ';
	}
	*p = '\0';
	return (size_t)(p - buf);
}

unsigned vmflags_pkey(const struct kernel *k, uint64_t flags)
{
	return (unsigned)(flags >> PKEY_BIT & ((1u << pkey_bits(k)) - 1));
}
