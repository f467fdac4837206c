/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ELF dumps: /proc/vmcore, QEMU's dump-guest-memory, makedumpfile -E
 * (elf(5); Documentation/admin-guide/kdump/kdump.rst); /proc/kcore, live or
 * copied (fs/proc/kcore.c).
 *
 *	PT_NOTE		CPU states, VMCOREINFO
 *	PT_LOAD		p_filesz bytes of physical memory at p_paddr; if p_memsz
 *			is larger, the rest was left out of the dump
 *
 * No order is assumed: QEMU puts section headers first, program
 * headers anywhere and writes e_ehsize 8; segments may overlap, be unsorted or
 * start inside a page. Of overlapping segments the first in the file is read.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/container/segments.h"
#include "dumpread/image/extents.h"
#include "dumpread/image/format.h"
#include "dumpread/image/vmcoreinfo.h"

#define PHDRS_AT_ONCE 512
#define ELF_INCOMPLETE 1u	/* of e_flags */
#define MAPPED_MAX 4096		/* most pieces of memory whose kernel addresses are kept */

struct phdr {
	uint32_t type;
	uint64_t offset, vaddr, paddr, filesz, memsz;
};

struct ehdr {
	bool is64;
	uint64_t phoff, shoff;
	uint32_t phentsize, phnum;
	uint32_t flags;
	uint16_t type, shentsize, shstrndx;
};

/* The results of the pass over the program headers. */
struct gather {
	struct ehdr eh;
	VEC(struct image_mapped) mapped;
	struct extents notes;
	uint64_t loads;
	uint64_t virtual;	/* of them, those with only a virtual address */
	uint64_t areas;		/* of them, kcore's that have no place in memory */
	uint64_t empty, damaged;	/* headers without a type; those that no writer wrote */
	uint64_t end;		/* of all that headers name, in the file */
};

static bool parse_ehdr(struct image *im, const uint8_t *h, size_t len, struct ehdr *eh)
{
	bool big = h[EI_DATA] == ELFDATA2MSB;

	eh->is64 = h[EI_CLASS] == ELFCLASS64;
	if (len < (eh->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return false;
	im->big_endian = big;
	eh->type = load16(h + 16, big);
	im->elf_machine = load16(h + 18, big);
	if (eh->is64) {
		eh->phoff = load64(h + 32, big);
		eh->shoff = load64(h + 40, big);
		eh->flags = load32(h + 48, big);
		eh->phentsize = load16(h + 54, big);
		eh->phnum = load16(h + 56, big);
		eh->shentsize = load16(h + 58, big);
		eh->shstrndx = load16(h + 62, big);
	} else {
		eh->phoff = load32(h + 28, big);
		eh->shoff = load32(h + 32, big);
		eh->flags = load32(h + 36, big);
		eh->phentsize = load16(h + 42, big);
		eh->phnum = load16(h + 44, big);
		eh->shentsize = load16(h + 46, big);
		eh->shstrndx = load16(h + 50, big);
	}
	return true;
}

static struct phdr parse_phdr(const uint8_t *h, bool is64, bool big)
{
	if (is64)
		return (struct phdr){
			.type = load32(h, big),
			.offset = load64(h + 8, big),
			.vaddr = load64(h + 16, big),
			.paddr = load64(h + 24, big),
			.filesz = load64(h + 32, big),
			.memsz = load64(h + 40, big),
		};
	return (struct phdr){
		.type = load32(h, big),
		.offset = load32(h + 4, big),
		.vaddr = load32(h + 8, big),
		.paddr = load32(h + 12, big),
		.filesz = load32(h + 16, big),
		.memsz = load32(h + 20, big),
	};
}

/* More than 65534 program headers: their number is in section 0 (sh_info). */
static void find_phnum(const struct image *im, struct ehdr *eh)
{
	uint8_t info[4];

	if (eh->phnum != PN_XNUM)
		return;
	if (part_read(&im->parts[0], eh->shoff + (eh->is64 ? 44 : 28), info, 4) == ST_OK)
		eh->phnum = load32(info, im->big_endian);
}

/* Headers of /proc/vmcore and /proc/kcore have virtual addresses, those of QEMU 0. */
static void take_mapped(struct image *im, struct gather *g, const struct phdr *ph)
{
	if (ph->vaddr && ph->memsz && ph->vaddr + ph->memsz >= ph->vaddr &&
	    ph->paddr + ph->memsz >= ph->paddr && g->mapped.n < MAPPED_MAX)
		*vec_push(&im->mem, &g->mapped) = (struct image_mapped){
			.va = ph->vaddr,
			.pa = ph->paddr,
			.size = ph->memsz,
		};
}

static void take_load(struct image *im, struct gather *g, const struct phdr *ph)
{
	uint64_t filesz = min_u64(ph->filesz, ph->memsz ? ph->memsz : ph->filesz);

	g->loads++;
	g->virtual += !ph->paddr && ph->vaddr;
	/* kcore's vmalloc area, modules, vmemmap: all ones. Memory mapped there is also
	   in the direct map, found through page tables; the rest may be a device's. */
	if (ph->paddr == UINT64_MAX || (!g->eh.is64 && ph->paddr == UINT32_MAX)) {
		g->areas++;
		return;
	}
	take_mapped(im, g, ph);
	segments_take(im, &(struct segment){ .pa = ph->paddr,
					     .off = ph->offset,
					     .filesz = filesz,
					     .memsz = max_u64(ph->memsz, filesz) });
}

/*
 * Dumps have notes and memory. Headers without a type are damaged, but at the end of the table, where a writer may have
 * had room for more than it used.
 */
static void check_phdr(struct image *im, struct gather *g, const struct phdr *ph)
{
	(void)im;
	if (ph->type == PT_NULL) {
		g->empty++;
		return;
	}
	g->damaged += g->empty + (ph->type != PT_LOAD && ph->type != PT_NOTE);
	g->empty = 0;
	if (ph->filesz <= UINT64_MAX - ph->offset)
		g->end = max_u64(g->end, ph->offset + ph->filesz);
}

#define ANY_TYPE UINT32_MAX

/* One pass for each kind: loads are counted in pages, whose size is in the notes. */
static void each_phdr(struct image *im, struct gather *g, uint32_t type,
		      void (*take)(struct image *, struct gather *, const struct phdr *))
{
	const struct ehdr *eh = &g->eh;
	uint8_t buf[PHDRS_AT_ONCE * sizeof(Elf64_Phdr)];
	size_t size = eh->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	size_t step = eh->phentsize, got;

	if (step < size || step > sizeof(buf))
		return;
	/* no more than fit into the stored part of the file: holes hold none */
	for (uint32_t i = 0; i < min_u64(eh->phnum, im->parts[0].stored / size);) {
		uint64_t off = eh->phoff + (uint64_t)i * step;
		size_t want = sizeof(buf) / step * step;

		if (off < eh->phoff || part_read_some(&im->parts[0], off, buf, want, &got) ||
		    got < size)
			return;
		for (size_t at = 0; at + size <= got && i < eh->phnum; at += step, i++) {
			struct phdr ph = parse_phdr(buf + at, eh->is64, im->big_endian);

			if (type == ANY_TYPE || ph.type == type)
				take(im, g, &ph);
		}
	}
}

static void take_note(struct image *im, struct gather *g, const struct phdr *ph)
{
	const struct image_part *p = &im->parts[0];
	uint64_t n = im->notes_len;

	part_claims(im, p, ph->offset, ph->filesz, "notes");
	if (ph->offset >= p->size || n >= NOTES_MAX)
		return;
	/* "addresses" of the notes are their places in the joined buffer */
	n = min_u64(min_u64(ph->filesz, p->size - ph->offset), NOTES_MAX - n);
	extents_add(&g->notes, im->notes_len, im->notes_len + n, ph->offset);
	im->notes_len += (n + 3) & ~(uint64_t)3;
}

static void read_notes(struct image *im, struct gather *g)
{
	uint64_t total;
	uint8_t *buf;

	im->notes_len = 0;
	each_phdr(im, g, PT_NOTE, take_note);
	total = min_u64(im->notes_len, im->parts[0].stored);
	im->notes_len = 0;
	if (!total)
		return;
	buf = arena_alloc(&im->mem, total);
	for (size_t i = 0; i < g->notes.n; i++) {
		const struct extent *x = &g->notes.v[i];

		if (x->end <= total)
			part_read(&im->parts[0], x->pos, buf + x->start,
				  (size_t)(x->end - x->start));
	}
	image_take_notes(im, buf, (size_t)total);
}

/*
 * QEMU says of an x86 machine what the first CPU is doing: EM_386 if it is not in long mode,
 * as after a reset, whatever the kernel is (cpu_get_dump_info(), target/i386/arch_dump.c of
 * 7.2). The class follows the addresses of memory. So EM_386 says x86 and no more, if
 * VMCOREINFO does not tell the word size: SIZE(list_head) is that of two pointers.
 */
static void settle_x86(struct image *im)
{
	uint64_t bytes = 0;

	if (im->elf_machine != EM_386)
		return;
	if (im->vmcoreinfo)
		vmcoreinfo_uint(im->vmcoreinfo, "SIZE(list_head)", 10, &bytes);
	im->word_size = bytes == 16 || bytes == 8 ? (uint8_t)(bytes / 2) : 0;
	if (im->word_size == 8)
		im->elf_machine = EM_X86_64;
}

static void find_page_size(struct image *im)
{
	const struct machine *m = machine_by_elf(im->elf_machine, im->word_size);
	uint64_t bytes;

	if (m && im->word_size)
		im->word_size = m->word_size;
	im->page_shift = m ? m->page_shift : 12;
	if (im->vmcoreinfo && vmcoreinfo_uint(im->vmcoreinfo, "PAGESIZE", 10, &bytes) &&
	    page_shift_of(bytes))
		im->page_shift = page_shift_of(bytes);
}

/*
 * Xen's xc_core dumps keep pages in sections; libkdumpfile reads them. It must
 * not see any other file without PT_LOADs: 0.5.1 crashes on them.
 */
static bool is_xen(const struct image *im, const struct ehdr *eh)
{
	uint64_t at = eh->shoff + (uint64_t)eh->shstrndx * eh->shentsize;
	bool big = im->big_endian;
	uint8_t sh[sizeof(Elf64_Shdr)] = { 0 }, names[1024];
	uint64_t off, size;
	size_t got;

	if (at < eh->shoff ||
	    part_read(&im->parts[0], at, sh, eh->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return false;
	off = eh->is64 ? load64(sh + 24, big) : load32(sh + 16, big);
	size = eh->is64 ? load64(sh + 32, big) : load32(sh + 20, big);
	return part_read_some(&im->parts[0], off, names, min_u64(size, sizeof(names)), &got) ==
		       ST_OK &&
	       memmem(names, got, ".xen_pages", sizeof(".xen_pages"));
}

/* In a file that goes on behind all that the headers name, the last of them are lost. */
static void note_damaged(struct image *im, struct gather *g)
{
	const struct image_part *p = &im->parts[0];

	each_phdr(im, g, ANY_TYPE, check_phdr);
	if (g->empty && p->size > g->end && p->size - g->end > (uint64_t)1 << im->page_shift)
		g->damaged += g->empty;
	if (!g->damaged)
		return;
	cause_table(&im->causes, "program headers", 0, 0);
	issue_add(&im->issues, ST_CORRUPT, "program header", g->damaged,
		  "%s: %" PRIu64 " of %" PRIu32 " program headers are damaged", p->path, g->damaged,
		  g->eh.phnum);
}

static enum status finish_open(struct image *im, struct gather *g)
{
	const struct segments *s = im->priv;
	bool cut = !part_holds(&im->parts[0], g->eh.phoff, (uint64_t)g->eh.phnum * g->eh.phentsize);

	if (!im->live && !is_xen(im, &g->eh))
		note_damaged(im, g);
	if (!g->loads && g->damaged)
		return fail(
			&im->diag, ST_CORRUPT,
			"%s: the program headers are damaged: nothing else says where the memory "
			"in the file was",
			im->parts[0].path);
	if (!g->loads && !cut)
		return is_xen(im, &g->eh) ? ST_NOTMINE
					  : fail(&im->diag, ST_CORRUPT,
						 "%s: an ELF core file without any memory "
						 "in it",
						 im->parts[0].path);
	if (g->loads > 1 && g->virtual == g->loads)
		return fail(&im->diag, ST_UNSUPPORTED,
			    im->vmcoreinfo ? "%s: its segments have no physical addresses"
					   : "%s: the core file of a process, not of a machine",
			    im->parts[0].path);
	segments_finish(im);
	if (!s->x.n && (cut || !im->vmcoreinfo))
		return fail(&im->diag, ST_NODATA,
			    "%s: cut off before any memory: copy the dump again",
			    im->parts[0].path);
	if (!part_claims(im, &im->parts[0], g->eh.phoff, (uint64_t)g->eh.phnum * g->eh.phentsize,
			 "program headers"))
		cause_add(&im->causes, CAUSE_HEADER, 0, 0, NULL);
	/* DUMP_ELF_INCOMPLETE of makedumpfile's elf_info.h: there was no space left */
	if (g->eh.flags & ELF_INCOMPLETE) {
		issue_add(&im->issues, ST_NODATA, "truncated image", 1,
			  "%s: its writer says that it ran out of space", im->parts[0].path);
		cause_add(&im->causes, CAUSE_UNFINISHED, 0, 0, NULL);
	}
	snprintf(im->format, sizeof(im->format), "ELF%s%s%s", g->eh.is64 ? "64" : "32",
		 g->areas ? ", kcore" : "", im->parts[0].flat ? ", flattened" : "");
	snprintf(im->header.compression, sizeof(im->header.compression), "none");
	return ST_OK;
}

static enum status elf_open(struct image *im)
{
	uint8_t h[sizeof(Elf64_Ehdr)];
	struct gather g = { 0 };
	enum status st;
	size_t got;

	if (part_read_some(&im->parts[0], 0, h, sizeof(h), &got) || got < EI_NIDENT ||
	    memcmp(h, ELFMAG, SELFMAG))
		return ST_NOTMINE;
	if (!parse_ehdr(im, h, got, &g.eh))
		return fail(&im->diag, ST_NODATA,
			    "%s: cut off inside the ELF header: "
			    "copy the dump again",
			    im->parts[0].path);
	if (g.eh.type != ET_CORE)
		return fail(&im->diag, ST_UNSUPPORTED,
			    "%s: an ELF file, but not a dump; "
			    "if it is a kernel, name it with -t",
			    im->parts[0].path);
	if (im->nparts > 1)
		return fail(&im->diag, ST_UNSUPPORTED,
			    "%s: an ELF dump is one file; name "
			    "each dump on its own",
			    im->parts[0].path);
	im->priv = arena_alloc(&im->mem, sizeof(struct segments));
	im->live = im->parts[0].live;
	im->word_size = g.eh.is64 ? 8 : 4;
	find_phnum(im, &g.eh);
	read_notes(im, &g);
	settle_x86(im);
	find_page_size(im);
	each_phdr(im, &g, PT_LOAD, take_load);
	im->mapped = g.mapped.v;
	im->nmapped = (unsigned)g.mapped.n;
	st = finish_open(im, &g);
	extents_free(&g.notes);
	if (st == ST_NOTMINE) {
		im->elf_machine = 0;
		im->word_size = 0;
		im->vmcoreinfo = NULL;
		im->notes = NULL;
		im->nmapped = 0;
	}
	return st;
}

const struct image_ops elf_image_ops = {
	.name = "elf",
	.open = elf_open,
	SEGMENTS_OPS,
};
