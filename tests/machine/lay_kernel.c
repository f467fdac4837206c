/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's own: its variables and symbols, log, counters, VMCOREINFO.
 */
#include "tests/machine/lay.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"
#include "facts/layout/cpu.h"
#include "facts/layout/page.h"
#include "facts/layout/system.h"

#define LOG_BUF 4096u
#define FUNCTIONS 120u

/* ---- variables --------------------------------------------------------------------- */

/* SINCE, BEFORE: the releases that have it; 0: no limit. */
static const struct { const char *name; uint32_t bytes; uint16_t since, before; } variables[] = {
	{ "_stext", OBJECT, 0, 0 }, { "init_task", 4 * OBJECT, 2600, 0 },
	{ "init_uts_ns", OBJECT, 2619, 0 }, { "swapper_pg_dir", 16 * OBJECT, 0, 0 },
	{ "mem_map", OBJECT, 0, 0 }, { "max_mapnr", OBJECT, 0, 0 },
	{ "log_buf", LOG_BUF, 0, 5010 }, { "log_end", OBJECT, 0, 3005 },
	{ "logged_chars", OBJECT, 0, 3005 }, { "log_buf_len", OBJECT, 2600, 5010 },
	{ "log_first_idx", OBJECT, 3005, 5010 }, { "log_next_idx", OBJECT, 3005, 5010 },
	{ "prb", OBJECT, 5010, 0 }, { "swap_info", 2 * OBJECT, 0, 0 },
	{ "nr_swapfiles", OBJECT, 0, 0 }, { "mem_section", ROOTS, 2632, 0 },
	{ "cur_cpu_spec", OBJECT, 2600, 0 }, { "__pte_index_size", OBJECT, 4007, 0 },
	{ "__pmd_index_size", OBJECT, 4007, 0 }, { "__pud_index_size", OBJECT, 4007, 0 },
	{ "__pgd_index_size", OBJECT, 4007, 0 }, { "vmemmap_list", OBJECT, 2636, 0 },
	{ "mmu_vmemmap_psize", OBJECT, 2636, 0 }, { "mmu_psize_defs", OBJECT, 2636, 0 },
	{ "totalram_pages", OBJECT, 0, 5000 }, { "_totalram_pages", OBJECT, 5000, 0 },
	{ "pgdat_list", OBJECT, 0, 2600 }, { "page_cache_size", OBJECT, 0, 2600 },
	{ "buffermem_pages", OBJECT, 0, 2600 }, { "nr_active_pages", OBJECT, 0, 2600 },
	{ "nr_inactive_pages", OBJECT, 0, 2600 }, { "swapper_space", OBJECT, 0, 3009 },
	{ "swapper_spaces", 4 * OBJECT, 3009, 0 }, { "nr_swapper_spaces", OBJECT, 4011, 0 },
	{ "total_swap_pages", OBJECT, 0, 0 }, { "nr_swap_pages", OBJECT, 0, 0 },
	{ "tick_nsec", OBJECT, 2600, 0 }, { "nr_threads", OBJECT, 2600, 0 },
	{ "vm_stat", OBJECT, 2618, 4008 }, { "vm_zone_stat", OBJECT, 4008, 0 },
	{ "vm_node_stat", OBJECT, 4008, 0 }, { "all_bdevs", OBJECT, 2600, 5009 },
	{ "blockdev_superblock", OBJECT, 5009, 0 },
	{ "free_huge_page", OBJECT, 2616, 4004 }, { "migrate_pages", OBJECT, 2616, 0 },
	/* names of 2.4 come after the newer ones and share their place */
	{ "init_task_union", 0, 0, 2600 }, { "system_utsname", 0, 0, 2619 },
};

static const char *const twins[][2] = {
	{ "init_task_union", "init_task" }, { "system_utsname", "init_uts_ns" },
};

uint64_t msymbol(const struct machine *m, const char *name)
{
	uint64_t at = 0;

	for (size_t i = 0; i < ARRAY_LEN(twins); i++)
		if (!strcmp(twins[i][0], name))
			name = twins[i][1];
	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		if (!strcmp(variables[i].name, name))
			return m->cpu->image_offset + m->base + at;
		at += variables[i].bytes;
	}
	mdie("no variable %s", name);
}

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names))
		names++;
	return *names != NULL;
}

/* Only the names that such a kernel has. */
static bool known(const struct machine *m, const char *name)
{
	static const char *const ppc[] = { "cur_cpu_spec", NULL };
	static const char *const book3s[] = { "__pte_index_size", "__pmd_index_size",
					      "__pud_index_size", "__pgd_index_size", NULL };
	static const char *const hash[] = { "vmemmap_list", "mmu_vmemmap_psize", "mmu_psize_defs",
					    NULL };
	static const char *const flat[] = { "mem_map", NULL }, *const sparse[] = { "mem_section",
										   NULL };
	bool ppc64 = m->cpu->elf_machine == EM_PPC64, is_hash = m->cpu->features == 0x1;

	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		if (!strcmp(variables[i].name, name) &&
		    (m->number < variables[i].since ||
		     (variables[i].before && m->number >= variables[i].before)))
			return false;
	if (is_one_of(name, ppc))
		return ppc64 || m->cpu->elf_machine == EM_PPC;
	if (is_one_of(name, book3s))
		return ppc64 && m->cpu->features != 0x10;
	if (is_one_of(name, hash))
		return ppc64 && is_hash && m->sparse;
	if (is_one_of(name, flat))
		return !m->sparse;
	return !is_one_of(name, sparse) || m->sparse;
}

static void write_map(const struct machine *m, const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		mdie("%s: cannot be written", path);
	/* a System.map of less than a hundred lines is not accepted */
	for (unsigned i = 0; i < FUNCTIONS; i++)
		fprintf(out, "%0*llx t function_%u\n", 2 * m->cpu->word,
			(unsigned long long)(m->cpu->image_offset + m->base + 16 * i), i);
	if (m->cpu->mark)
		fprintf(out, "%0*llx T %s\n", 2 * m->cpu->word,
			(unsigned long long)(m->cpu->image_offset + m->base), m->cpu->mark);
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		if (known(m, variables[i].name))
			fprintf(out, "%0*llx %c %s\n", 2 * m->cpu->word,
				(unsigned long long)msymbol(m, variables[i].name), i ? 'D' : 'T',
				variables[i].name);
	fclose(out);
}

void lay_symbols(struct machine *m, const char *map, const char *types)
{
	struct dump *d = &m->dump;
	struct member section;

	d->elf_machine = m->cpu->elf_machine;
	d->word_size = m->cpu->word;
	d->big_endian = m->cpu->big;
	d->page_shift = m->cpu->page_shift;
	d->vmcoreinfo = "";
	issues_init(&d->issues);
	if (dump_add_file(d, types))
		mdie("%s", d->diag.text);
	/* which names there are depends on the types */
	m->sparse = m->cpu->vmemmap &&
		    !types_member(&d->types, "mem_section.section_mem_map", &section, NULL);
	write_map(m, map);
	if (dump_add_file(d, map) || layout_resolve(d, &m->layout))
		mdie("%s", d->diag.text);
}

void lay_uts(struct machine *m)
{
	uint64_t at = msymbol(m, "init_uts_ns");
	static const char version[] = "#1 Thu Jan 1 00:00:00 UTC 1970";
	uint64_t release = at + layout_offset(&m->layout, M_UTS_RELEASE);

	/* new_utsname: six strings of 65 bytes, the third is the release */
	mset_bytes(m, release - 2 * 65, "Linux", 6);
	mset_bytes(m, release - 65, "machine", 8);
	mset_bytes(m, release, m->release, strlen(m->release) + 1);
	mset_bytes(m, release + 65, version, sizeof(version));
	mset_bytes(m, release + 2 * 65, m->cpu->uname, strlen(m->cpu->uname) + 1);
}

/* A line of the text and its level, which "<N>" before it gives. */
static const char *log_line(const char *at, const char *end, unsigned *level, size_t *len)
{
	const char *nl = memchr(at, '\n', (size_t)(end - at));

	*level = 6;
	if (at[0] == '<' && at[2] == '>') {
		*level = (unsigned)(at[1] - '0');
		at += 3;
	}
	*len = (size_t)((nl ? nl : end) - at);
	return at;
}

/* kernel/printk.c of 3.5 to 5.9: a header, the text, up to a multiple of 8. */
static void lay_records(struct machine *m, uint64_t buf)
{
	uint32_t header = layout_size(&m->layout, S_PRINTK_LOG);
	const char *at = m->log.v, *end = at + m->log.n;
	uint64_t to = buf;

	while (at < end) {
		unsigned level;
		size_t len, whole;
		const char *text = log_line(at, end, &level, &len);
		const struct member *bits = &m->layout.v[M_LOG_LEVEL].m;

		whole = (header + len + 7) / 8 * 8;
		mput(m, to, M_LOG_LEN, whole);
		mput(m, to, M_LOG_TEXT_LEN, len);
		mset(m, to + bits->offset, m->cpu->big ? level : level << 5, 1);
		mset_bytes(m, to + header, text, len);
		to += whole;
		at = text + len + 1;
	}
	mset(m, msymbol(m, "log_next_idx"), to - buf, 4);
}

#define RING_BITS 4u			/* descriptors */

/* kernel/printk/printk_ringbuffer.h, 5.10: text in blocks of an id and the text. */
static void lay_ring_buffer(struct machine *m)
{
	uint32_t desc = layout_size(&m->layout, S_PRB_DESC), id = 0, word = m->cpu->word;
	uint32_t info = layout_size(&m->layout, S_PRINTK_INFO);
	uint64_t prb = mobject_of(m, "log", "prb", S_PRB), data = mobject(m, "log", "log", LOG_BUF);
	uint64_t descs = mobject(m, "log", "descs", (uint64_t)desc << RING_BITS), at = 0;
	uint64_t infos = mobject(m, "log", "infos", (uint64_t)info << RING_BITS);
	const struct member *level_at = &m->layout.v[M_INFO_LEVEL].m;
	const char *s = m->log.v, *end = s + m->log.n;

	for (; s < end && id < 1u << RING_BITS; id++) {
		unsigned level;
		size_t len;
		const char *text = log_line(s, end, &level, &len);
		uint64_t next = at + word + (len + word - 1) / word * word;

		/* finalized: state 2 above the id */
		mput(m, descs + id * desc, M_DESC_STATE, UINT64_C(2) << (8 * word - 2) | id);
		mput(m, descs + id * desc, M_DESC_BEGIN, at);
		mput(m, descs + id * desc, M_DESC_NEXT, next);
		mput(m, infos + id * info, M_INFO_TEXT_LEN, len);
		mset(m, infos + id * info + level_at->offset, m->cpu->big ? level : level << 5, 1);
		mset_word(m, data + at, id);
		mset_bytes(m, data + at + word, text, len);
		at = next;
		s = text + len + 1;
	}
	mset_word(m, msymbol(m, "prb"), prb);
	mput(m, prb, M_PRB_COUNT_BITS, RING_BITS);
	mput(m, prb, M_PRB_SIZE_BITS, 12); /* LOG_BUF */
	mput(m, prb, M_PRB_DESCS, descs);
	mput(m, prb, M_PRB_INFOS, infos);
	mput(m, prb, M_PRB_DATA, data);
	mput(m, prb, M_PRB_HEAD, id - 1);
}

/* Plain text, records, or the ring of records. */
void lay_log(struct machine *m)
{
	uint64_t buf = msymbol(m, "log_buf");

	if (!m->log.n || m->log.n > LOG_BUF / 2)
		return;
	if (known(m, "prb")) {
		lay_ring_buffer(m);
		return;
	}
	if (m->number >= 2600) {
		buf = mobject(m, "log", "log", LOG_BUF);
		mset_word(m, msymbol(m, "log_buf"), buf);
		mset(m, msymbol(m, "log_buf_len"), LOG_BUF, 4);
	}
	if (m->number >= 3005) {
		lay_records(m, buf);
		return;
	}
	mset_bytes(m, buf, m->log.v, m->log.n);
	mset(m, msymbol(m, "log_end"), m->log.n, m->number >= 2600 ? 4 : m->cpu->word);
	mset(m, msymbol(m, "logged_chars"), m->log.n, m->number >= 2600 ? 4 : m->cpu->word);
}

/* ---- counters ------------------------------------------------------------------------ */

/* Two nodes, the second without a zone that has anything. */
static void lay_zones_2_4(struct machine *m)
{
	uint64_t node = mobject(m, "node", "0", OBJECT), next = mobject(m, "node", "1", OBJECT);
	const struct member *zones = &m->layout.v[M_PGDAT_ZONES].m;

	mset_word(m, msymbol(m, "pgdat_list"), node);
	mput(m, node, M_PGDAT_NEXT, next);
	/* a part of what is free in the first zone, the rest in the second */
	mput(m, node + zones->offset, M_ZONE_FREE, m->free / 3);
	mput(m, node + zones->offset + zones->stride, M_ZONE_FREE, m->free - m->free / 3);
	mset(m, msymbol(m, "page_cache_size"), m->cache, m->cpu->word);
}

static void put_stat(struct machine *m, const char *array, enum layout_id item, uint64_t v)
{
	int64_t i = layout_enum(&m->layout, item, -1);

	if (i >= 0)
		mset_word(m, msymbol(m, array) + (uint64_t)i * m->cpu->word, v);
}

void lay_counters(struct machine *m)
{
	bool nodes = known(m, "vm_node_stat");
	uint64_t list;

	mset_word(m, msymbol(m, known(m, "totalram_pages") ? "totalram_pages" : "_totalram_pages"),
		  m->total);
	if (m->number < 2600) {
		lay_zones_2_4(m);
		return;
	}
	mset(m, msymbol(m, "tick_nsec"), 10000000, m->cpu->word);
	if (m->number < 2618)
		return; /* per-CPU page_states, which are never read */
	put_stat(m, nodes ? "vm_zone_stat" : "vm_stat", E_NR_FREE_PAGES, m->free);
	put_stat(m, nodes ? "vm_node_stat" : "vm_stat", E_NR_FILE_PAGES, m->cache);
	/* no block device has pages */
	list = msymbol(m, "all_bdevs");
	if (known(m, "blockdev_superblock")) {
		list = mobject(m, "super", "bdev", OBJECT);
		mset_word(m, msymbol(m, "blockdev_superblock"), list);
		list = mnode(m, list, M_SB_INODES);
	}
	mlink_after(m, list, list, list);
}

/* ---- facts for PowerPC only ----------------------------------------------------------- */

void lay_cpu_spec(struct machine *m)
{
	static const char *const names[] = { "__pte_index_size", "__pmd_index_size",
					     "__pud_index_size", "__pgd_index_size" };
	uint64_t spec;

	if (!known(m, "cur_cpu_spec"))
		return;
	spec = mobject(m, "cpu_spec", "0", OBJECT);
	mset_word(m, msymbol(m, "cur_cpu_spec"), spec);
	mput(m, spec, M_CPU_SPEC_MMU_FEATURES, m->cpu->features);
	for (unsigned i = 0; i < 4 && known(m, names[i]); i++)
		mset_word(m, msymbol(m, names[i]), m->cpu->bits[i]);
}

/* One struct vmemmap_backing for all struct pages; its size is that of a psize. */
void lay_vmemmap_list(struct machine *m)
{
	uint64_t at;

	if (!known(m, "vmemmap_list"))
		return;
	at = mobject(m, "vmemmap", "0", OBJECT);
	mset_word(m, msymbol(m, "vmemmap_list"), at);
	mput(m, at, M_VMEMMAP_PHYS, m->mapped.v[0].pa); /* lay_memmap() was the first */
	mput(m, at, M_VMEMMAP_VIRT, m->cpu->vmemmap);
	mset(m, msymbol(m, "mmu_psize_defs") + layout_offset(&m->layout, M_PSIZE_SHIFT), 24, 4);
}

/* ---- VMCOREINFO -------------------------------------------------------------------------- */

/* TEXT with LINE in place of the line of the same name. */
static char *with_line(struct machine *m, const char *text, const char *line)
{
	size_t key = strcspn(line, "=") + 1;
	char *out = arena_printf(&m->arena, "%s\n", line);
	const char *end;

	for (; (end = strchr(text, '\n')); text = end + 1)
		if (strncmp(text, line, key))
			out = arena_printf(&m->arena, "%s%.*s\n", out, (int)(end - text), text);
	return out;
}

static unsigned va_bits(const struct machine *m)
{
	unsigned bits = m->cpu->page_shift;

	for (unsigned l = 0; l < m->cpu->levels; l++)
		bits += m->cpu->bits[l];
	return bits;
}

/* arch/arm64/kernel/vmcore_info.c of 6.12. */
static char *arm64_numbers(struct machine *m, const char *text)
{
	unsigned bits = va_bits(m);

	return arena_printf(&m->arena,
			    "%sNUMBER(VA_BITS)=%u\nNUMBER(TCR_EL1_T1SZ)=0x%x\nNUMBER(PHYS_OFFSET)=0x0\n"
			    "NUMBER(kimage_voffset)=0x%llx\nNUMBER(SECTION_SIZE_BITS)=%d\nNUMBER(MAX_PHYSMEM_BITS)=48\n",
			    text, bits, 64 - bits, (unsigned long long)m->cpu->image_offset,
			    m->cpu->page_shift == 16 ? 29 : 27);
}

/* arch/riscv/kernel/vmcore_info.c of 6.12. MAX_PHYSMEM_BITS is 56 there: an array of 16 MiB, for which this memory
   has no room. */
static char *riscv64_numbers(struct machine *m, const char *text)
{
	return arena_printf(&m->arena,
			    "%sNUMBER(VA_BITS)=%u\nNUMBER(phys_ram_base)=0\nNUMBER(PAGE_OFFSET)=0x%llx\n"
			    "NUMBER(va_kernel_pa_offset)=0x%llx\nNUMBER(SECTION_SIZE_BITS)=27\n"
			    "NUMBER(MAX_PHYSMEM_BITS)=48\n",
			    text, va_bits(m), (unsigned long long)m->cpu->page_offset,
			    (unsigned long long)m->cpu->image_offset);
}

/* The text of 2.6.24 and later. */
void lay_vmcoreinfo(struct machine *m)
{
	static const char *const names[] = { "_stext", "swapper_pg_dir", "init_uts_ns" };
	bool x86 = m->cpu->elf_machine == EM_X86_64;
	char *text = arena_printf(&m->arena,
				  "OSRELEASE=%s\nPAGESIZE=%u\nSIZE(list_head)=%u\n"
				  "OFFSET(list_head.next)=0\n",
				  m->release, (unsigned)mpage_size(m), 2 * m->cpu->word);
	uint64_t at;

	if (m->number < 2624)
		return;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		text = arena_printf(&m->arena, "%sSYMBOL(%s)=%llx\n", text, names[i],
				    (unsigned long long)msymbol(m, names[i]));
	if (x86 && m->number >= 4010)
		text = arena_printf(&m->arena, "%sNUMBER(phys_base)=0\nKERNELOFFSET=0\n", text);
	if (x86 && m->number >= 5010)
		text = arena_printf(&m->arena, "%sNUMBER(pgtable_l5_enabled)=%d\n", text,
				    m->cpu->levels == 5);
	if (m->cpu->elf_machine == EM_AARCH64)
		text = arm64_numbers(m, text);
	if (m->cpu->elf_machine == EM_RISCV)
		text = riscv64_numbers(m, text);
	for (size_t i = 0; i < m->lines.n; i++)
		text = with_line(m, text, m->lines.v[i]);
	m->vmcoreinfo = text;
	/* vmcoreinfo_data, and vmcoreinfo_note with the header of a note before it */
	at = mobject(m, "vmcoreinfo", "data", OBJECT);
	mset_bytes(m, at, text, strlen(text));
	at = mobject(m, "vmcoreinfo", "note", 2 * OBJECT);
	mset(m, at, 11, 4);
	mset(m, at + 4, strlen(text), 4);
	mset_bytes(m, at + 12, "VMCOREINFO", 11);
	mset_bytes(m, at + 24, text, strlen(text));
}
