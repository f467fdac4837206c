/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Physical memory, from below: nothing | kernel variables | the page array | objects,
 * tables, one to a page so that each can be lost alone | frames that the text names.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/types/layoutfile.h"
#include "tests/machine/machine.h"

#define OBJECT 4096u			/* bytes of one whose size nobody tells */
#define IMAGE_BYTES (512u << 10)	/* of the variables */
#define LOG_BUF 4096u
#define FUNCTIONS 120u

/* Page flags of 2.4.27, include/linux/mm.h; later kernels say theirs in an enum. */
#define PG_REFERENCED 0x4u
#define PG_UPTODATE 0x8u
#define PG_DIRTY 0x10u
#define PG_LRU 0x40u
#define PG_SLAB 0x100u
#define PG_RESERVED 0x4000u

/* ---- memory ------------------------------------------------------------------------ */

static uint64_t whole_pages(const struct machine *m, uint64_t bytes)
{
	return (bytes + mpage_size(m) - 1) & ~(mpage_size(m) - 1);
}

uint64_t mpages(struct machine *m, uint64_t bytes)
{
	uint64_t pa = m->next;

	m->next += whole_pages(m, bytes);
	if (m->next > m->nframes << m->cpu->page_shift)
		mdie("more frames are needed");
	return pa + m->cpu->page_offset;
}

uint64_t mpages_at(struct machine *m, uint64_t kva, uint64_t bytes)
{
	struct mapped *p = vec_push(&m->arena, &m->mapped);

	*p = (struct mapped){ kva, m->next, whole_pages(m, bytes) };
	mpages(m, bytes);
	if (!kva) {
		p->kva = m->cpu->vmalloc + m->next_vmalloc;
		m->next_vmalloc += p->size + mpage_size(m);	/* a guard page */
	}
	return p->kva;
}

uint64_t mpa(const struct machine *m, uint64_t kva)
{
	for (size_t i = 0; i < m->mapped.n; i++)
		if (kva - m->mapped.v[i].kva < m->mapped.v[i].size)
			return kva - m->mapped.v[i].kva + m->mapped.v[i].pa;
	return kva - (kva >= m->cpu->image_offset ? m->cpu->image_offset : m->cpu->page_offset);
}

void mset(struct machine *m, uint64_t kva, uint64_t v, unsigned size)
{
	if (mpa(m, kva) > (m->nframes << m->cpu->page_shift) - size)
		mdie("%#llx is outside of memory", (unsigned long long)kva);
	store_uint(m->mem + mpa(m, kva), v, size, m->cpu->big);
}

static void set_word(struct machine *m, uint64_t kva, uint64_t v)
{
	mset(m, kva, v, m->cpu->word);
}

static void set_bytes(struct machine *m, uint64_t kva, const void *p, size_t n)
{
	memcpy(m->mem + mpa(m, kva), p, n);
}

uint64_t mobject(struct machine *m, const char *kind, const char *name, uint64_t bytes)
{
	struct object *o = vec_push(&m->arena, &m->objects);

	snprintf(o->kind, sizeof(o->kind), "%s", kind);
	snprintf(o->name, sizeof(o->name), "%s", name);
	o->size = bytes;
	o->kva = mpages(m, bytes);
	return o->kva;
}

struct object *mfind(struct machine *m, const char *kind, const char *name)
{
	for (size_t i = 0; i < m->objects.n; i++)
		if (!strcmp(m->objects.v[i].kind, kind) && !strcmp(m->objects.v[i].name, name))
			return &m->objects.v[i];
	mdie("no %s %s", kind, name);
}

static uint64_t new_of(struct machine *m, const char *kind, const char *name, enum layout_id size)
{
	uint32_t n = layout_size(&m->layout, size);

	return mobject(m, kind, name, n ? n : 64);
}

void mput(struct machine *m, uint64_t kva, enum layout_id id, uint64_t v)
{
	const struct fact *f = &m->layout.v[id];

	if (layout_has(&m->layout, id))
		mset(m, kva + f->m.offset, v, f->m.size > 8 ? m->cpu->word : f->m.size);
}

static void put_elem(struct machine *m, uint64_t kva, enum layout_id id, int64_t i, uint64_t v)
{
	const struct fact *f = &m->layout.v[id];

	if (layout_has(&m->layout, id) && i >= 0)
		mset(m, kva + f->m.offset + (uint64_t)i * f->m.stride, v, f->m.stride);
}

/* The list_head of member ID in the object at KVA. */
static uint64_t node(const struct machine *m, uint64_t kva, enum layout_id id)
{
	return kva + layout_offset(&m->layout, id);
}

static void link_after(struct machine *m, uint64_t prev, uint64_t this, uint64_t next)
{
	mput(m, prev, M_LIST_NEXT, this);
	mput(m, this, M_LIST_PREV, prev);
	mput(m, this, M_LIST_NEXT, next);
	mput(m, next, M_LIST_PREV, this);
}

/* ---- variables --------------------------------------------------------------------- */

/* SINCE, BEFORE: releases that have it, 0: all. */
static const struct { const char *name; uint32_t bytes; uint16_t since, before; } variables[] = {
	{ "_stext", OBJECT, 0, 0 }, { "init_task", 4 * OBJECT, 2600, 0 },
	{ "init_uts_ns", OBJECT, 2619, 0 }, { "swapper_pg_dir", 16 * OBJECT, 0, 0 },
	{ "mem_map", OBJECT, 0, 0 }, { "max_mapnr", OBJECT, 0, 0 },
	{ "log_buf", LOG_BUF, 0, 5010 }, { "log_end", OBJECT, 0, 3005 },
	{ "logged_chars", OBJECT, 0, 3005 }, { "log_buf_len", OBJECT, 2600, 5010 },
	{ "log_first_idx", OBJECT, 3005, 5010 }, { "log_next_idx", OBJECT, 3005, 5010 },
	{ "prb", OBJECT, 5010, 0 }, { "swap_info", 2 * OBJECT, 0, 0 },
	{ "nr_swapfiles", OBJECT, 0, 0 }, { "mem_section", OBJECT, 2632, 0 },
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
	{ "tick_nsec", OBJECT, 2600, 0 },
	{ "vm_stat", OBJECT, 2618, 4008 }, { "vm_zone_stat", OBJECT, 4008, 0 },
	{ "vm_node_stat", OBJECT, 4008, 0 }, { "all_bdevs", OBJECT, 2600, 5009 },
	{ "blockdev_superblock", OBJECT, 5009, 0 },
	{ "free_huge_page", OBJECT, 2616, 4004 }, { "migrate_pages", OBJECT, 2616, 0 },
	/* the names of 2.4 stand behind the newer ones and share their place */
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

/* Only the names that a kernel of that kind has. */
static bool known(const struct machine *m, const char *name)
{
	static const char *const ppc[] = { "cur_cpu_spec", NULL };
	static const char *const book3s[] = { "__pte_index_size", "__pmd_index_size",
					      "__pud_index_size", "__pgd_index_size", NULL };
	static const char *const hash[] = { "vmemmap_list", "mmu_vmemmap_psize",
					    "mmu_psize_defs", NULL };
	static const char *const flat[] = { "mem_map", NULL }, *const sparse[] = {
		"mem_section", NULL };
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
	/* a System.map of less than a hundred lines is taken for none */
	for (unsigned i = 0; i < FUNCTIONS; i++)
		fprintf(out, "%0*llx t function_%u\n", 2 * m->cpu->word,
			(unsigned long long)(m->cpu->image_offset + m->base + 16 * i), i);
	if (m->cpu->mark)
		fprintf(out, "%0*llx T %s\n", 2 * m->cpu->word,
			(unsigned long long)(m->cpu->image_offset + m->base), m->cpu->mark);
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		if (known(m, variables[i].name))
			fprintf(out, "%0*llx %c %s\n", 2 * m->cpu->word,
				(unsigned long long)msymbol(m, variables[i].name),
				i ? 'D' : 'T', variables[i].name);
	fclose(out);
}

static void resolve(struct machine *m, const char *map, const char *types)
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

static void lay_uts(struct machine *m)
{
	uint64_t at = msymbol(m, "init_uts_ns");
	static const char version[] = "#1 Thu Jan 1 00:00:00 UTC 1970";
	uint64_t release = at + layout_offset(&m->layout, M_UTS_RELEASE);

	/* new_utsname: six strings of 65 bytes, the third is the release */
	set_bytes(m, release - 2 * 65, "Linux", 6);
	set_bytes(m, release - 65, "machine", 8);
	set_bytes(m, release, m->release, strlen(m->release) + 1);
	set_bytes(m, release + 65, version, sizeof(version));
	set_bytes(m, release + 2 * 65, m->cpu->uname, strlen(m->cpu->uname) + 1);
}

/* A line of the text and its level: what stands in "<N>" before it. */
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
		set_bytes(m, to + header, text, len);
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
	uint64_t prb = new_of(m, "log", "prb", S_PRB), data = mobject(m, "log", "log", LOG_BUF);
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
		set_word(m, data + at, id);
		set_bytes(m, data + at + word, text, len);
		at = next;
		s = text + len + 1;
	}
	set_word(m, msymbol(m, "prb"), prb);
	mput(m, prb, M_PRB_COUNT_BITS, RING_BITS);
	mput(m, prb, M_PRB_SIZE_BITS, 12);	/* LOG_BUF */
	mput(m, prb, M_PRB_DESCS, descs);
	mput(m, prb, M_PRB_INFOS, infos);
	mput(m, prb, M_PRB_DATA, data);
	mput(m, prb, M_PRB_HEAD, id - 1);
}

/* Plain text, records, or the ring of records. */
static void lay_log(struct machine *m)
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
		set_word(m, msymbol(m, "log_buf"), buf);
		mset(m, msymbol(m, "log_buf_len"), LOG_BUF, 4);
	}
	if (m->number >= 3005) {
		lay_records(m, buf);
		return;
	}
	set_bytes(m, buf, m->log.v, m->log.n);
	mset(m, msymbol(m, "log_end"), m->log.n, m->number >= 2600 ? 4 : m->cpu->word);
	mset(m, msymbol(m, "logged_chars"), m->log.n, m->number >= 2600 ? 4 : m->cpu->word);
}

/* ---- counters ------------------------------------------------------------------------ */

/* Two nodes, the second without a zone that has anything. */
static void lay_zones_2_4(struct machine *m)
{
	uint64_t node = mobject(m, "node", "0", OBJECT), next = mobject(m, "node", "1", OBJECT);
	const struct member *zones = &m->layout.v[M_PGDAT_ZONES].m;

	set_word(m, msymbol(m, "pgdat_list"), node);
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
		set_word(m, msymbol(m, array) + (uint64_t)i * m->cpu->word, v);
}

static void lay_counters(struct machine *m)
{
	bool nodes = known(m, "vm_node_stat");
	uint64_t list;

	set_word(m, msymbol(m, known(m, "totalram_pages") ? "totalram_pages" : "_totalram_pages"),
		 m->total);
	if (m->number < 2600) {
		lay_zones_2_4(m);
		return;
	}
	mset(m, msymbol(m, "tick_nsec"), 10000000, m->cpu->word);
	if (m->number < 2618)
		return;		/* per-CPU page_states, which nobody reads */
	put_stat(m, nodes ? "vm_zone_stat" : "vm_stat", E_NR_FREE_PAGES, m->free);
	put_stat(m, nodes ? "vm_node_stat" : "vm_stat", E_NR_FILE_PAGES, m->cache);
	/* no block device has pages */
	list = msymbol(m, "all_bdevs");
	if (known(m, "blockdev_superblock")) {
		list = mobject(m, "super", "bdev", OBJECT);
		set_word(m, msymbol(m, "blockdev_superblock"), list);
		list = node(m, list, M_SB_INODES);
	}
	link_after(m, list, list, list);
}

/* ---- what PowerPC says of itself ------------------------------------------------------ */

static void lay_cpu_spec(struct machine *m)
{
	static const char *const names[] = { "__pte_index_size", "__pmd_index_size",
					     "__pud_index_size", "__pgd_index_size" };
	uint64_t spec;

	if (!known(m, "cur_cpu_spec"))
		return;
	spec = mobject(m, "cpu_spec", "0", OBJECT);
	set_word(m, msymbol(m, "cur_cpu_spec"), spec);
	mput(m, spec, M_CPU_SPEC_MMU_FEATURES, m->cpu->features);
	for (unsigned i = 0; i < 4 && known(m, names[i]); i++)
		set_word(m, msymbol(m, names[i]), m->cpu->bits[i]);
}

/* One struct vmemmap_backing for all struct pages; its size is that of a psize. */
static void lay_vmemmap_list(struct machine *m)
{
	uint64_t at;

	if (!known(m, "vmemmap_list"))
		return;
	at = mobject(m, "vmemmap", "0", OBJECT);
	set_word(m, msymbol(m, "vmemmap_list"), at);
	mput(m, at, M_VMEMMAP_PHYS, m->mapped.v[0].pa);	/* lay_memmap() was the first */
	mput(m, at, M_VMEMMAP_VIRT, m->cpu->vmemmap);
	mset(m, msymbol(m, "mmu_psize_defs") + layout_offset(&m->layout, M_PSIZE_SHIFT), 24, 4);
}

/* ---- VMCOREINFO -------------------------------------------------------------------------- */

/* TEXT with LINE in place of that of the same name. */
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

/* What 2.6.24 and later say of themselves. */
static void lay_vmcoreinfo(struct machine *m)
{
	static const char *const names[] = { "_stext", "swapper_pg_dir", "init_uts_ns" };
	bool x86 = m->cpu->elf_machine == EM_X86_64;
	char *text = arena_printf(&m->arena, "OSRELEASE=%s\nPAGESIZE=%u\nSIZE(list_head)=%u\n"
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
	for (size_t i = 0; i < m->lines.n; i++)
		text = with_line(m, text, m->lines.v[i]);
	m->vmcoreinfo = text;
	/* vmcoreinfo_data, and vmcoreinfo_note with the header of a note before it */
	at = mobject(m, "vmcoreinfo", "data", OBJECT);
	set_bytes(m, at, text, strlen(text));
	at = mobject(m, "vmcoreinfo", "note", 2 * OBJECT);
	mset(m, at, 11, 4);
	mset(m, at + 4, strlen(text), 4);
	set_bytes(m, at + 12, "VMCOREINFO", 11);
	set_bytes(m, at + 24, text, strlen(text));
}

/* ---- files ------------------------------------------------------------------------- */

static uint64_t lay_dentry(struct machine *m, const char *name, const char *text, size_t len,
			   uint64_t parent)
{
	uint64_t d = mobject(m, "dentry", name, OBJECT / 2), s = d + OBJECT / 2;

	set_bytes(m, s, text, len);
	mput(m, d, M_DENTRY_NAME, s);
	mput(m, d, M_DENTRY_NAME_LEN, len);
	mput(m, d, M_DENTRY_PARENT, parent ? parent : d);
	mput(m, d, M_DENTRY_SB, m->super[MFS_DISK]);
	/* hashed: a neighbour, whoever it is */
	mput(m, d, M_DENTRY_HASH_NEXT, m->mount);
	mput(m, d, M_DENTRY_HASH_PPREV, m->mount);
	return d;
}

static uint64_t lay_super(struct machine *m, const char *name, unsigned major, uint32_t magic)
{
	bool narrow = m->layout.v[M_SB_DEV].m.size == 2;
	uint64_t sb = mobject(m, "super", name, OBJECT);

	mput(m, sb, M_SB_DEV, (uint64_t)major << (narrow ? 8 : 20) | 1);
	mput(m, sb, M_SB_MAGIC, magic);
	return sb;
}

/* TMPFS_MAGIC and HUGETLBFS_MAGIC, include/linux/magic.h; the size of huge pages. */
static void lay_memory_fs(struct machine *m, enum mfs fs)
{
	uint64_t info, hstate;

	if (m->super[fs])
		return;
	if (fs == MFS_TMPFS) {
		m->super[fs] = lay_super(m, "tmpfs", 0, 0x01021994);
		return;
	}
	m->super[fs] = lay_super(m, "hugetlbfs", 0, 0x958458f6);
	info = mobject(m, "super", "hugetlbfs_sb_info", OBJECT);
	hstate = mobject(m, "hstate", "0", OBJECT);
	mput(m, m->super[fs], M_SB_FS_INFO, info);
	mput(m, info, M_HUGETLBFS_HSTATE, hstate);
	mput(m, hstate, M_HSTATE_ORDER, m->huge - (unsigned)m->cpu->page_shift);
}

static void lay_mount(struct machine *m)
{
	uint64_t mount = new_of(m, "mount", "root", S_MOUNT);

	m->mount = mount;
	m->super[MFS_DISK] = lay_super(m, "root", 31, 0);
	m->root_dentry = lay_dentry(m, "/", "/", 1, 0);
	mput(m, mount, M_MOUNT_ROOT, m->root_dentry);
	mput(m, mount, M_MOUNT_POINT, m->root_dentry);
	mput(m, mount, M_MOUNT_PARENT, mount);
	mput(m, mount, M_MOUNT_SB, m->super[MFS_DISK]);
}

/* The dentry of the directory in front of the last name of PATH. */
static uint64_t lay_parents(struct machine *m, const char *path, const char **last)
{
	uint64_t parent = m->root_dentry;
	const char *s = path + 1, *slash;

	for (; (slash = strchr(s, '/')); s = slash + 1) {
		char prefix[48];
		size_t known_ones = m->objects.n, i = 0;

		snprintf(prefix, sizeof(prefix), "%.*s", (int)(slash - path), path);
		while (i < known_ones && (strcmp(m->objects.v[i].kind, "dentry") ||
					  strcmp(m->objects.v[i].name, prefix)))
			i++;
		parent = i < known_ones ? m->objects.v[i].kva :
			 lay_dentry(m, prefix, s, (size_t)(slash - s), parent);
	}
	*last = s;
	return parent;
}

/* i_data, somewhere behind */
static uint64_t mapping_of(const struct mfile *f)
{
	return f->inode + OBJECT / 2;
}

static void lay_file(struct machine *m, struct mfile *f)
{
	const char *last;
	uint64_t parent = lay_parents(m, f->path, &last), mapping;

	f->dentry = lay_dentry(m, f->name, last, strlen(last), parent);
	lay_memory_fs(m, f->fs);
	/* in a shmem_inode_info, whose first part it is not */
	mobject(m, "inode", f->name, OBJECT);
	f->inode = mfind(m, "inode", f->name)->kva += OBJECT / 4;
	f->file = new_of(m, "file", f->name, S_FILE);
	mapping = mapping_of(f);
	mput(m, f->dentry, M_DENTRY_INODE, f->inode);
	mput(m, f->inode, M_INODE_INO, f->ino);
	mput(m, f->inode, M_INODE_MODE, 0100755);
	mput(m, f->inode, M_INODE_SB, m->super[f->fs]);
	mput(m, f->inode, M_INODE_MAPPING, mapping);
	mput(m, mapping, M_MAPPING_HOST, f->inode);
	mput(m, f->file, M_FILE_DENTRY, f->dentry);
	mput(m, f->file, M_FILE_MNT, m->mount + layout_offset(&m->layout, M_MOUNT_VFS));
	mput(m, f->file, M_FILE_INODE, f->inode);
	mput(m, f->file, M_FILE_MAPPING, mapping);
}

/* ---- address spaces ---------------------------------------------------------------- */

static void lay_areas(struct machine *m, struct mmm *mm)
{
	uint64_t prev = 0;

	for (size_t i = 0; i < mm->areas.n; i++) {
		struct marea *a = &mm->areas.v[i];
		char name[48];

		snprintf(name, sizeof(name), "%s:%#llx", mm->name, (unsigned long long)a->start);
		a->addr = new_of(m, "vma", name, S_VMA);
		mput(m, a->addr, M_VMA_MM, mm->addr);
		mput(m, a->addr, M_VMA_START, a->start);
		mput(m, a->addr, M_VMA_END, a->end);
		mput(m, a->addr, M_VMA_FLAGS, a->flags);
		mput(m, a->addr, M_VMA_PGOFF,
		     a->file < 0 ? a->start >> m->cpu->page_shift : a->pgoff);
		mput(m, a->addr, M_VMA_FILE, a->file < 0 ? 0 : m->files.v[a->file].file);
		if (prev)
			mput(m, prev, M_VMA_NEXT, a->addr);
		else
			mput(m, mm->addr, M_MM_MMAP, a->addr);
		prev = a->addr;
	}
}

/*
 * Maple tree of 6.1: leaves (maple_leaf_64, type 1) of up to 14 entries under one
 * maple_arange_64 (type 3) of up to 10: gaps are entries too.
 */
#define LEAF_SLOTS 14u
#define ROOT_SLOTS 10u

struct maple {
	struct machine *m;
	uint64_t leaf[ROOT_SLOTS], end[ROOT_SLOTS];
	unsigned nleaves, used;
};

static void maple_add(struct maple *t, uint64_t entry, uint64_t last)
{
	struct machine *m = t->m;

	if (!t->nleaves || t->used == LEAF_SLOTS) {
		if (t->nleaves == ROOT_SLOTS)
			mdie("more areas than two levels of a maple tree hold");
		t->leaf[t->nleaves++] = mobject(m, "maple", "leaf", 256);
		t->used = 0;
	}
	put_elem(m, t->leaf[t->nleaves - 1], M_MN_R64_SLOT, t->used, entry);
	put_elem(m, t->leaf[t->nleaves - 1], M_MN_R64_PIVOT, t->used, last);
	t->end[t->nleaves - 1] = last;
	t->used++;
}

static void lay_maple(struct machine *m, struct mmm *mm)
{
	struct maple t = { .m = m };
	uint64_t at = 0, root = mm->addr + layout_offset(&m->layout, M_MM_MT), top;

	for (size_t i = 0; i < mm->areas.n; i++) {
		if (mm->areas.v[i].start > at)
			maple_add(&t, 0, mm->areas.v[i].start - 1);
		maple_add(&t, mm->areas.v[i].addr, mm->areas.v[i].end - 1);
		at = mm->areas.v[i].end;
	}
	maple_add(&t, 0, UINT64_MAX);
	top = mobject(m, "maple", mm->name, 256);
	for (unsigned i = 0; i < t.nleaves; i++) {
		put_elem(m, top, M_MN_A64_SLOT, i, t.leaf[i] | 1 << 3 | 4);
		put_elem(m, top, M_MN_A64_PIVOT, i, t.end[i]);
		mput(m, t.leaf[i], M_MN_PARENT, top | i << 3 | 6);
	}
	mput(m, top, M_MN_A64_META_END, t.nleaves - 1);
	mput(m, top, M_MN_PARENT, root | 1);
	mput(m, root, M_MT_ROOT, top | 3 << 3 | 4 | 2);
	mput(m, root, M_MT_FLAGS, 0x303 | 2 << 2);
}

/* mm_rss_stat.count[] of 2.6.34 to 6.1; since then per-CPU counters, each with a sum. */
static void lay_counter(struct machine *m, uint64_t mm, enum layout_id e, uint64_t v)
{
	const struct layout *l = &m->layout;
	int64_t i = layout_enum(l, e, -1);

	put_elem(m, mm, M_MM_RSS_COUNT, i, v);
	if (layout_has(l, M_MM_RSS_PERCPU) && i >= 0)
		mput(m, mm + layout_offset(l, M_MM_RSS_STAT) +
			(uint64_t)i * l->v[M_MM_RSS_STAT].m.stride, M_PCC_COUNT, v);
}

static void lay_mm(struct machine *m, struct mmm *mm)
{
	const struct layout *l = &m->layout;
	uint32_t shmem = layout_has(l, E_MM_SHMEMPAGES) ? mm->shmem : 0;
	uint64_t total = 0;

	mm->addr = new_of(m, "mm", mm->name, S_MM);
	mm->pgd = mobject(m, "pgd", mm->name, paging_root_bytes(m));
	lay_areas(m, mm);
	if (layout_has(l, M_MM_MT))
		lay_maple(m, mm);
	for (size_t i = 0; i < mm->areas.n; i++)
		total += (mm->areas.v[i].end - mm->areas.v[i].start) >> m->cpu->page_shift;
	mput(m, mm->addr, M_MM_PGD, mm->pgd);
	mput(m, mm->addr, M_MM_USERS, mm->users);
	mput(m, mm->addr, M_MM_MAP_COUNT, mm->areas.n);
	mput(m, mm->addr, M_MM_TOTAL_VM, total);
	mput(m, mm->addr, M_MM_RSS, mm->rss);
	mput(m, mm->addr, M_MM_FILE_RSS, mm->rss - mm->anon);
	mput(m, mm->addr, M_MM_ANON_RSS, mm->anon);
	lay_counter(m, mm->addr, E_MM_FILEPAGES, mm->rss - mm->anon - shmem);
	lay_counter(m, mm->addr, E_MM_SHMEMPAGES, shmem);
	lay_counter(m, mm->addr, E_MM_ANONPAGES, mm->anon);
	lay_counter(m, mm->addr, E_MM_SWAPENTS, mm->swapped);
	mput(m, mm->addr, M_MM_START_BRK, mm->brk0);
	mput(m, mm->addr, M_MM_BRK, mm->brk1);
	mput(m, mm->addr, M_MM_START_STACK, mm->stack);
	paging_user(m, mm);
}

/* ---- tasks ------------------------------------------------------------------------- */

static uint64_t state_bits(const struct machine *m, char c)
{
	bool old = !layout_has(&m->layout, M_TASK_EXIT_STATE);

	switch (c) {
	case 'R': return 0;
	case 'S': return 1;
	case 'D': return 2;
	case 'T': return old ? 8 : 4;
	case 'Z': return old ? 4 : 0;
	}
	mdie("state '%c'?", c);
}

static struct mtask *task_of(struct machine *m, int pid)
{
	for (size_t i = 0; i < m->tasks.n; i++)
		if (m->tasks.v[i].pid == pid)
			return &m->tasks.v[i];
	mdie("no task %d", pid);
}

static void lay_task(struct machine *m, struct mtask *t)
{
	uint64_t kthread = t->mm < 0 && layout_has(&m->layout, M_TASK_EXIT_STATE) ? 0x200000 : 0;

	mput(m, t->addr, M_TASK_PID, (uint64_t)t->pid);
	mput(m, t->addr, M_TASK_TGID, (uint64_t)t->tgid);
	set_bytes(m, t->addr + layout_offset(&m->layout, M_TASK_COMM), t->comm, sizeof(t->comm));
	mput(m, t->addr, M_TASK_MM, t->mm < 0 ? 0 : m->mms.v[t->mm].addr);
	mput(m, t->addr, M_TASK_STATE, state_bits(m, t->state));
	mput(m, t->addr, M_TASK_FLAGS, kthread);
	mput(m, t->addr, M_TASK_PARENT, task_of(m, t->ppid)->addr);
	mput(m, t->addr, M_TASK_MIN_FLT, t->min);
	mput(m, t->addr, M_TASK_MAJ_FLT, t->maj);
	/* ticks, here of 10 ms; nanoseconds since 4.11 */
	mput(m, t->addr, M_TASK_UTIME, t->user * (m->number < 4011 ? 1 : 10000000));
	mput(m, t->addr, M_TASK_STIME, t->system * (m->number < 4011 ? 1 : 10000000));
	mput(m, t->addr, M_TASK_EXEC_RUNTIME, (t->user + t->system) * 10000000);
}

/* A ring through the nodes at OFF of all tasks whose group is TGID; -1: of all leaders. */
static void lay_ring(struct machine *m, uint32_t off, int tgid, uint64_t head)
{
	uint64_t last = head, first = head;

	if (head)
		link_after(m, head, head, head);
	for (size_t i = 0; i < m->tasks.n; i++) {
		struct mtask *t = &m->tasks.v[i];
		uint64_t n = t->addr + off;

		if (tgid >= 0 ? t->tgid != tgid : t->pid != t->tgid)
			continue;
		if (!last)
			link_after(m, first = n, n, n);
		else
			link_after(m, last, n, first);
		last = n;
	}
}

static void lay_threads(struct machine *m, struct mtask *leader)
{
	uint64_t sig;
	char name[16];

	if (layout_has(&m->layout, M_TASK_THREAD_GROUP))
		lay_ring(m, layout_offset(&m->layout, M_TASK_THREAD_GROUP), leader->tgid, 0);
	/* 2.6.0 to 2.6.16: pids[PIDTYPE_TGID].pid_list */
	else if (layout_has(&m->layout, M_TASK_PIDS) && layout_has(&m->layout, M_PID_LIST))
		lay_ring(m, layout_offset(&m->layout, M_TASK_PIDS) +
			 m->layout.v[M_TASK_PIDS].m.stride +
			 layout_offset(&m->layout, M_PID_LIST), leader->tgid, 0);
	snprintf(name, sizeof(name), "%d", leader->pid);
	if (layout_has(&m->layout, M_SIG_THREAD_HEAD)) {
		sig = new_of(m, "signal", name, S_SIGNAL);
		lay_ring(m, layout_offset(&m->layout, M_TASK_THREAD_NODE), leader->tgid,
			 node(m, sig, M_SIG_THREAD_HEAD));
		for (size_t i = 0; i < m->tasks.n; i++)
			if (m->tasks.v[i].tgid == leader->tgid)
				mput(m, m->tasks.v[i].addr, M_TASK_SIGNAL, sig);
	}
}

static void lay_tasks(struct machine *m)
{
	for (size_t i = 0; i < m->tasks.n; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", m->tasks.v[i].pid);
		m->tasks.v[i].addr = i ? new_of(m, "task", name, S_TASK) : msymbol(m, "init_task");
	}
	for (size_t i = 0; i < m->tasks.n; i++) {
		uint64_t next = m->tasks.v[(i + 1) % m->tasks.n].addr;

		lay_task(m, &m->tasks.v[i]);
		mput(m, m->tasks.v[i].addr, M_TASK_NEXT, next);
		if (m->tasks.v[i].pid == m->tasks.v[i].tgid)
			lay_threads(m, &m->tasks.v[i]);
	}
	if (layout_has(&m->layout, M_TASK_TASKS))
		lay_ring(m, layout_offset(&m->layout, M_TASK_TASKS), -1, 0);
}

/* ---- the page array ---------------------------------------------------------------- */

/* Flags of pages were macros before 2.6.26: OLD with 2.4, of 2.6.11, 2.6.18 in the list. */
uint64_t mpage_flag(const struct machine *m, enum layout_id id, uint64_t old)
{
	const struct { enum layout_id id; uint64_t bit; } of_2_6_11[] = {
		{ E_PG_REFERENCED, 0x4 }, { E_PG_DIRTY, 0x10 }, { E_PG_LRU, 0x20 }, { E_PG_SLAB, 0x80 },
		{ E_PG_RESERVED, m->number < 2613 ? 0x800 : 0x400 },
	};
	int64_t n = layout_enum(&m->layout, id, -1);

	for (size_t i = 0; i < ARRAY_LEN(of_2_6_11) && m->number / 100 == 26; i++)
		if (n < 0 && of_2_6_11[i].id == id)
			return of_2_6_11[i].bit;
	return n < 0 ? layout_has(&m->layout, M_PAGE_MAPCOUNT) ? 0 : old : UINT64_C(1) << n;
}

uint64_t mpage_struct(const struct machine *m, uint64_t pfn)
{
	return m->mem_map + pfn * layout_size(&m->layout, S_PAGE);
}

/* What refers to it: its cache to each page of it, or once to all of hugetlb's. */
static uint32_t references(const struct mframe *f)
{
	uint32_t n = f->mapped + f->entire + f->refs;

	for (uint32_t i = 0; i < 1u << f->order && f->parts; i++)
		n += f->parts[i];
	if (f->file >= 0)
		n += f->hugetlb ? 1 : 1u << f->order;
	return f->count ? f->count : n;
}

/* Of a free page 0, or with 2.6.0 to 2.6.16 -1. */
static void put_count(struct machine *m, uint64_t page, uint32_t references)
{
	bool from_minus_1 = m->number >= 2600 && m->number < 2617;

	mput(m, page, M_PAGE_REFCOUNT, (uint32_t)(references - from_minus_1));
}

/* A page of nobody: free from END on, the kernel's before. */
static void lay_other_pages(struct machine *m, uint64_t end)
{
	uint64_t reserved = mpage_flag(m, E_PG_RESERVED, PG_RESERVED);

	for (uint64_t pfn = 0; pfn < m->npages; pfn++) {
		uint64_t p = mpage_struct(m, pfn);
		bool image = pfn << m->cpu->page_shift < m->base + IMAGE_BYTES;

		mput(m, p, M_PAGE_MAPCOUNT, UINT32_MAX);
		put_count(m, p, 0);
		if (pfn >= end)
			continue;
		mput(m, p, M_PAGE_FLAGS, image ? reserved : mpage_flag(m, E_PG_SLAB, PG_SLAB));
		put_count(m, p, 1);
	}
}

static uint64_t usual_flags(const struct machine *m, const struct mframe *f)
{
	uint64_t v = mpage_flag(m, E_PG_LRU, PG_LRU) |
		     mpage_flag(m, E_PG_REFERENCED, PG_REFERENCED) |
		     (f->dirty ? mpage_flag(m, E_PG_DIRTY, PG_DIRTY) : 0);

	if (f->file < 0 || m->files.v[f->file].fs == MFS_TMPFS)
		return v | mpage_flag(m, E_PG_SWAPBACKED, 0);
	return layout_has(&m->layout, M_PAGE_MAPCOUNT) ? v : v | PG_UPTODATE;
}

static void lay_frame(struct machine *m, struct mframe *f)
{
	uint64_t p = mpage_struct(m, f->pfn), mapping = 0;
	bool counts = !layout_has(&m->layout, M_PAGE_MAPCOUNT);

	if (f->file >= 0)
		mapping = mapping_of(&m->files.v[f->file]);
	else if (!counts)
		/* some anon_vma, PAGE_MAPPING_ANON */
		mapping = (m->mount | 1) & ~UINT64_C(2);
	mput(m, p, M_PAGE_FLAGS, f->own_flags && counts ? f->flags : usual_flags(m, f));
	mput(m, p, M_PAGE_MAPPING, mapping);
	put_count(m, p, references(f));
	mput(m, p, M_PAGE_MAPCOUNT, (uint32_t)(f->mapped - 1));
	if (f->order)
		compound_lay(m, f, usual_flags(m, f), mapping);
}

/* One entry more for the slot at AT, of SIZE bytes. */
static void count_slot(struct machine *m, uint64_t at, unsigned size, uint64_t used, uint64_t one)
{
	mset(m, at, (load_uint(m->mem + mpa(m, at), size, m->cpu->big) | used) + one, size);
}

/*
 * swap_map, or since 7.1 (mm/swap_table.h) the table of a cluster of slots: a word for
 * each, bit 0 of one that is swapped out, four bits of count at the top.
 */
static void lay_swap(struct machine *m)
{
	uint64_t max = 0, info = msymbol(m, "swap_info"), si = info, map, cluster, one = 1;
	bool in_table = !layout_has(&m->layout, M_SI_SWAP_MAP);
	unsigned size = layout_has(&m->layout, M_SI_TYPE) ? 1 : 2;

	for (size_t i = 0; i < m->mms.n; i++)
		for (size_t j = 0; j < m->mms.v[i].pages.n; j++)
			if (m->mms.v[i].pages.v[j].frame < 0)
				max = max_u64(max, m->mms.v[i].pages.v[j].slot + 1);
	if (!max)
		return;
	if (layout_has(&m->layout, M_SI_TYPE)) {
		si = mobject(m, "swap_info", "0", OBJECT);
		set_word(m, info, si);
	}
	mset(m, msymbol(m, "nr_swapfiles"), 1, 4);
	mput(m, si, M_SI_FLAGS, 3);
	mput(m, si, M_SI_MAX, max);
	if (in_table) {
		size = m->cpu->word;
		one <<= 8 * size - 4;
		cluster = mobject(m, "swap_cluster", "0", OBJECT);
		map = mobject(m, "swap_table", "0", OBJECT);
		if (max > OBJECT / size)
			mdie("more slots than one cluster has");
		mput(m, si, M_SI_CLUSTER_INFO, cluster);
		mput(m, cluster, M_SWAP_CLUSTER_TABLE, map);
	} else {
		map = mpages_at(m, 0, max * size);	/* vmalloc() */
		mput(m, si, M_SI_SWAP_MAP, map);
	}
	for (size_t i = 0; i < m->mms.n; i++)
		for (size_t j = 0; j < m->mms.v[i].pages.n; j++) {
			const struct mpage *p = &m->mms.v[i].pages.v[j];

			if (p->frame < 0)
				count_slot(m, map + p->slot * size, size, in_table, one);
		}
}

/* SECTION_SIZE_BITS, arch/{x86,powerpc}/include/asm/sparsemem.h */
static unsigned section_bits(const struct machine *m)
{
	return m->cpu->elf_machine == EM_X86_64 ? 27 : 24;
}

/*
 * SPARSEMEM_EXTREME: one page of sections; its address is in the first place of
 * mem_section[], which since 4.15 is itself behind a pointer.
 */
static void lay_sections(struct machine *m)
{
	uint64_t bits = section_bits(m);
	uint64_t end = m->nframes << m->cpu->page_shift;
	uint64_t roots = msymbol(m, "mem_section"), page = mobject(m, "sections", "0", OBJECT);
	uint32_t size = layout_size(&m->layout, S_MEM_SECTION);

	if (m->number >= 4015) {
		set_word(m, roots, mobject(m, "sections", "roots", OBJECT));
		roots = mfind(m, "sections", "roots")->kva;
	}
	set_word(m, roots, page);
	/* present, has a memory map, online; of the address that frame 0 would have */
	for (uint64_t i = 0; i << bits < end; i++)
		mput(m, page + i * size, M_SECTION_MEM_MAP, m->cpu->vmemmap | 7);
}

static void lay_memmap(struct machine *m)
{
	uint64_t section = UINT64_C(1) << (section_bits(m) - m->cpu->page_shift), bytes;

	/* a section has all its struct pages, whether there is memory or not */
	m->npages = m->nframes;
	if (m->sparse)
		m->npages = (m->nframes + section - 1) / section * section;
	bytes = m->npages * layout_size(&m->layout, S_PAGE);
	if (m->sparse) {
		m->mem_map = mpages_at(m, m->cpu->vmemmap, bytes);
		lay_sections(m);
		return;
	}
	m->mem_map = mpages(m, bytes);
	set_word(m, msymbol(m, "mem_map"), m->mem_map);
	set_word(m, msymbol(m, "max_mapnr"), m->nframes);
}

/* ---- damage ------------------------------------------------------------------------ */

static enum layout_id member_of(const char *id)
{
	for (int i = 0; i < LAYOUT_COUNT; i++)
		if (!strcmp(fact_specs[i].id, id))
			return (enum layout_id)i;
	mdie("no member %s", id);
}

static struct object frame_object(struct machine *m, const char *kind, const char *name)
{
	for (size_t i = 0; i < m->frames.n; i++) {
		const struct mframe *f = &m->frames.v[i];

		if (!strcmp(f->name, name))
			return (struct object){
				.kva = kind[0] == 'f'
					? (f->pfn << m->cpu->page_shift) + m->cpu->page_offset
					: mpage_struct(m, f->pfn), .size = 1 };
	}
	mdie("no frame %s", name);
}

static struct object object_of(struct machine *m, const char *kind, const char *name)
{
	uint64_t first = strtoull(name, NULL, 0);

	if (!strcmp(kind, "memmap"))
		return (struct object){ .kva = mpage_struct(m, first),
					.size = mpage_struct(m, m->npages) -
						mpage_struct(m, first) };
	if (!strcmp(kind, "frame") || !strcmp(kind, "page"))
		return frame_object(m, kind, name);
	return *mfind(m, kind, name);
}

static struct mmm *mm_of(struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->mms.n; i++)
		if (!strcmp(m->mms.v[i].name, name))
			return &m->mms.v[i];
	mdie("no mm %s", name);
}

static void lose(struct machine *m, const struct object *o)
{
	for (uint64_t at = 0; at < o->size; at += mpage_size(m))
		m->lost[mpa(m, o->kva + at) >> m->cpu->page_shift] = true;
}

/* A pointer, or the first of a list_head. */
static void point(struct machine *m, const struct object *o, const struct damage *d)
{
	enum layout_id id = member_of(d->member);
	uint64_t to = object_of(m, d->to_kind, d->to_name).kva + d->value;

	if (*d->to_member)
		to += layout_offset(&m->layout, member_of(d->to_member));
	if (layout_has(&m->layout, id))
		set_word(m, o->kva + layout_offset(&m->layout, id), to);
}

static void lay_damage(struct machine *m)
{
	for (size_t i = 0; i < m->damage.n; i++) {
		const struct damage *d = &m->damage.v[i];
		uint64_t value = d->value;
		struct object o;

		if (d->how == LOOP) {
			paging_loop(m, mm_of(m, d->name), d->value);
			continue;
		}
		o = object_of(m, d->kind, d->name);
		if (d->how == LOSE) {
			lose(m, &o);
			continue;
		}
		if (d->unmapped)
			value = m->cpu->vmalloc + m->next_vmalloc + (8u << 20);
		if (d->how == POINT) {
			point(m, &o, d);
			continue;
		}
		mput(m, o.kva, member_of(d->member), value);
	}
}

static void lay_holes(struct machine *m)
{
	for (size_t i = 0; i < m->holes.n; i++) {
		uint64_t at = m->holes.v[i].start;

		if (m->holes.v[i].end > m->base)
			mdie("a hole in the kernel");
		for (; at < m->holes.v[i].end; at += mpage_size(m))
			m->lost[at >> m->cpu->page_shift] = true;
	}
}

static void place_frame(struct machine *m, struct mframe *f)
{
	uint64_t bytes = mpage_size(m) << f->order;

	if (f->pfn) {
		if (f->pfn >= m->base >> m->cpu->page_shift)
			mdie("frame %s lies in the kernel", f->name);
		return;
	}
	m->next = (m->next + bytes - 1) & ~(bytes - 1);
	f->pfn = mpa(m, mpages(m, bytes)) >> m->cpu->page_shift;
	for (uint64_t i = 0; f->order && i < UINT64_C(1) << f->order; i++)
		m->lost[f->pfn + i] = true;
}

/* As makedumpfile leaves them out with level 16. */
static void lose_free_pages(struct machine *m)
{
	for (uint64_t pfn = m->next >> m->cpu->page_shift; pfn < m->nframes; pfn++)
		m->lost[pfn] = true;
}

void machine_lay(struct machine *m, const char *map, const char *types)
{
	m->mem = calloc(m->nframes, mpage_size(m));
	m->lost = calloc(m->nframes, sizeof(*m->lost));
	if (!m->mem || !m->lost || m->nframes << m->cpu->page_shift <= m->base + IMAGE_BYTES)
		mdie("no memory, or not enough frames");
	resolve(m, map, types);
	m->next = m->base + IMAGE_BYTES;
	lay_memmap(m);
	lay_uts(m);
	lay_log(m);
	lay_counters(m);
	lay_cpu_spec(m);
	lay_vmemmap_list(m);
	lay_vmcoreinfo(m);
	lay_mount(m);
	for (size_t i = 0; i < m->files.n; i++)
		lay_file(m, &m->files.v[i]);
	for (size_t i = 0; i < m->frames.n; i++)
		place_frame(m, &m->frames.v[i]);
	for (size_t i = 0; i < m->mms.n; i++)
		lay_mm(m, &m->mms.v[i]);
	lay_tasks(m);
	lay_swap(m);
	paging_kernel(m, msymbol(m, "swapper_pg_dir"));
	lay_other_pages(m, m->next >> m->cpu->page_shift);
	for (size_t i = 0; i < m->frames.n; i++)
		lay_frame(m, &m->frames.v[i]);
	lay_holes(m);
	lose_free_pages(m);
	lay_damage(m);
}
