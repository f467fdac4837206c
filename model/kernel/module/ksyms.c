/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ksyms.c - the symbol that an address is in, as the kernel prints it with %pS.
 *
 * Of the kernel image from kallsyms; of modules from their own tables (find_kallsyms_symbol(),
 * kernel/module/kallsyms.c, read in 5.10, 6.1, 7.2).
 */
#include "model/kernel/module/ksyms.h"

#include <inttypes.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/kmem.h"
#include "model/kernel/kobj.h"
#include "model/kernel/walk/list.h"

#define MODULE_MAX (UINT64_C(1) << 30)	/* bytes; x86-64 has room for 1.5 GiB of all */
#define MODULES_MAX 16384u
#define SYMBOLS_MAX 1000000u	/* of a module; amdgpu has some 40000 */
#define PARTS_MAX 8u		/* MOD_MEM_NUM_TYPES is 7 */

/* struct elf64_sym, elf32_sym */
#define SYM_BYTES(word) ((word) == 8 ? 24u : 16u)
#define SYM_NAME 0u
#define SYM_SECTION(word) ((word) == 8 ? 6u : 14u)
#define SYM_VALUE(word) ((word) == 8 ? 8u : 4u)

struct ksym_module {
	uint64_t addr;
	const char *name;
	uint64_t start, end;		/* of its text */
	struct { uint64_t start, end; } part[PARTS_MAX];	/* all its memory */
	uint32_t nparts;
	bool sized;			/* this kernel has the sizes of its memory */
	const uint8_t *symbols;		/* NULL: not read yet */
	uint64_t nsymbols, strings;
};

/* ---- modules --------------------------------------------------------------------------- */

static uint64_t get(const struct ksyms *ks, uint64_t object, enum layout_id id)
{
	uint64_t v;

	return kmember_u64(ks->k, ks->r, object, id, &v) ? 0 : v;
}

static void add_part(struct ksym_module *m, uint64_t start, uint64_t size)
{
	if (!start || !size || start + size < start || m->nparts == PARTS_MAX)
		return;
	m->part[m->nparts].start = start;
	m->part[m->nparts++].end = start + size;
}

/* The memory of its initialization is given back, and its address is 0 then. */
static void read_parts(const struct ksyms *ks, struct ksym_module *m)
{
	const struct member *a = &ks->k->layout.v[M_MODULE_MEM].m;

	if (!has(ks->k, M_MODULE_MEM)) {
		m->start = get(ks, m->addr, M_MODULE_BASE);
		m->sized = has(ks->k, M_MODULE_CORE);
		m->end = m->start + get(ks, m->addr, M_MODULE_TEXT);
		add_part(m, m->start, get(ks, m->addr, M_MODULE_CORE));
		add_part(m, get(ks, m->addr, M_MODULE_DATA_BASE), get(ks, m->addr, M_MODULE_DATA));
		return;
	}
	m->sized = has(ks->k, M_MODMEM_SIZE);
	for (uint32_t i = 0; i < a->count && i < PARTS_MAX; i++) {
		uint64_t mem = m->addr + a->offset + (uint64_t)i * a->stride;
		uint64_t base = get(ks, mem, M_MODMEM_BASE), size = get(ks, mem, M_MODMEM_SIZE);

		add_part(m, base, size);
		if (i == 0) { /* MOD_TEXT */
			m->start = base;
			m->end = base + size;
		}
	}
}

/* struct module is part of the module's own memory (.gnu.linkonce.this_module, layout_sections() in
   kernel/module/main.c). Memory of another place is not that of this module. */
static bool has_itself(const struct ksym_module *m)
{
	for (uint32_t i = 0; i < m->nparts; i++)
		if (m->part[i].end - m->part[i].start > MODULE_MAX || m->part[i].start & 0xfff)
			return false;
	for (uint32_t i = 0; i < m->nparts; i++)
		if (m->addr >= m->part[i].start && m->addr < m->part[i].end)
			return true;
	return !m->nparts && !m->sized;
}

static void add_module(struct ksyms *ks, uint64_t addr)
{
	struct ksym_module m = { .addr = addr };
	char buf[64];

	read_parts(ks, &m);
	if (!has_itself(&m)) {
		issue_add(ks->k->issues, ST_CORRUPT, "module", 1, "memory of that at %#" PRIx64,
			  addr);
		return;
	}
	if (!m.start || read_kva_str(ks->r, addr + layout_offset(&ks->k->layout, M_MODULE_NAME),
				     buf, sizeof(buf))) {
		issue_add(ks->k->issues, ST_NODATA, "module", 1, "at %#" PRIx64, addr);
		return;
	}
	m.name = arena_strdup(ks->mem, buf);
	*vec_push(ks->mem, &ks->modules) = m;
}

void ksyms_init(struct ksyms *ks, const struct kernel *k, struct reader *r, struct arena *mem)
{
	struct listwalk w;

	*ks = (struct ksyms){ .k = k, .r = r, .mem = mem, .seen.mem = mem };
	if (!has(k, Y_MODULES) || !has(k, M_MODULE_LIST) || !has(k, M_MODULE_NAME))
		return;
	w = listwalk_start(k, r, layout_symbol(&k->layout, Y_MODULES), MODULES_MAX);
	while (listwalk_next(&w))
		add_module(ks, w.node - layout_offset(&k->layout, M_MODULE_LIST));
	if (w.st)
		issue_add(k->issues, w.st, "module", 1, "list after %" PRIu64, w.seen);
}

/* False: the module has no symbols, or they are not readable. */
static bool load(struct ksyms *ks, struct ksym_module *m)
{
	unsigned bytes = SYM_BYTES(ks->k->dump->word_size);
	uint64_t tables = m->addr, n, at, end;
	uint8_t *raw;

	if (m->symbols)
		return m->nsymbols;
	m->symbols = (const uint8_t *)"";
	if (has(ks->k, M_MODULE_KALLSYMS))
		tables = get(ks, m->addr, M_MODULE_KALLSYMS);
	n = get(ks, tables, M_MODSYM_COUNT);
	at = get(ks, tables, M_MODSYM_TABLE);
	raw = n && n <= SYMBOLS_MAX ? arena_calloc(ks->mem, n, bytes) : NULL;
	m->strings = get(ks, tables, M_MODSYM_STRINGS);
	/* both tables begin with the empty symbol (gABI: index 0) */
	if (!tables || m->strings - tables < 4 * ks->k->dump->word_size ||
	    !kernel_ptr_ok(ks->k, at, ks->k->dump->word_size) || !raw ||
	    read_kva(ks->r, at, raw, n * bytes) || load32(raw + SYM_NAME, false) ||
	    read_kva_uint(ks->r, m->strings, 1, &end) || end) {
		issue_add(ks->k->issues, ST_NODATA, "module", 1, "%s: its symbols", m->name);
		return false;
	}
	m->symbols = raw;
	m->nsymbols = n;
	return true;
}

/* Labels that an assembler left there, which the kernel passes over: is_mapping_symbol(), include/linux/module_symbol.h
   (6.12); modules of riscv64 are full of them. */
static bool is_label(const char *name)
{
	return *name == '$' || str_begins(name, ".L") || str_begins(name, "L0");
}

static bool named(const struct ksyms *ks, const struct ksym_module *m, const uint8_t *sym,
		  char *buf, size_t size)
{
	uint64_t at = m->strings + load32(sym + SYM_NAME, ks->k->dump->big_endian);

	return !read_kva_str(ks->r, at, buf, size) && *buf && !is_label(buf);
}

/* The symbol before ADDR of those in PIECE of M. */
static bool at_module(struct ksyms *ks, struct ksym_module *m, const struct module_part *piece,
		      uint64_t addr, struct symbol_place *ret)
{
	unsigned word = ks->k->dump->word_size;
	bool big = ks->k->dump->big_endian;
	uint64_t best = 0, next = piece->end;

	if (!load(ks, m))
		return false;
	for (uint64_t i = 1; i < m->nsymbols; i++) {
		const uint8_t *sym = m->symbols + i * SYM_BYTES(word);
		uint64_t value = load_uint(sym + SYM_VALUE(word), word, big);
		char buf[SYMBOL_NAME_MAX];

		/* SHN_UNDEF */
		if (!load16(sym + SYM_SECTION(word), big) || value < piece->start || value >= next)
			continue;
		if ((value > addr || value > best) && named(ks, m, sym, buf, sizeof(buf))) {
			if (value > addr) {
				next = value;
				continue;
			}
			best = value;
			memcpy(ret->name, buf, sizeof(buf));
		}
	}
	ret->offset = addr - best;
	ret->size = next - best;
	return best;
}

/* ---- addresses ------------------------------------------------------------------------- */

bool ksyms_in_module(const struct ksyms *ks, uint64_t addr)
{
	for (size_t i = 0; i < ks->modules.n; i++)
		if (addr >= ks->modules.v[i].start && addr < ks->modules.v[i].end)
			return true;
	return false;
}

void ksyms_tell_lost(const struct kernel *k, uint64_t addr)
{
	if (k->dump->kallsyms_lost && kernel_static_ok(k, addr, 1))
		issue_add(k->issues, k->dump->kallsyms_lost, "symbol name", 1, "of %#" PRIx64,
			  addr);
}

/* The piece of M that ADDR is in: its text, which may be a part of a larger one, or another. */
static bool piece_of(const struct ksym_module *m, uint64_t addr, struct module_part *ret)
{
	*ret = (struct module_part){ m->name, m->start, m->end };
	for (uint32_t i = 0; i < m->nparts && (addr < ret->start || addr >= ret->end); i++)
		*ret = (struct module_part){ m->name, m->part[i].start, m->part[i].end };
	return addr >= ret->start && addr < ret->end;
}

static struct ksym look_up(struct ksyms *ks, uint64_t addr)
{
	struct symbol_place p = { .name = "" };
	struct ksym s = { .name = NULL };
	struct module_part piece;

	for (size_t i = 0; i < ks->modules.n; i++) {
		struct ksym_module *m = &ks->modules.v[i];

		if (!piece_of(m, addr, &piece))
			continue;
		if (!at_module(ks, m, &piece, addr, &p))
			return s;
		s.module = m->name;
		break;
	}
	if (!s.module && !symbols_at(&ks->k->dump->symbols, addr, &p)) {
		ksyms_tell_lost(ks->k, addr);
		return s;
	}
	s.name = arena_strdup(ks->mem, p.name);
	s.offset = p.offset;
	s.size = p.size;
	return s;
}

struct ksym ksyms_at(struct ksyms *ks, uint64_t addr)
{
	uint32_t i = addr ? hash_get(&ks->seen, addr) : HASH_NONE;
	struct ksym s = { .name = NULL };

	if (i != HASH_NONE)
		return ks->found.v[i];
	if (!addr)
		return s;
	s = look_up(ks, addr);
	hash_put(&ks->seen, addr, (uint32_t)ks->found.n);
	*vec_push(ks->mem, &ks->found) = s;
	return s;
}

const char *ksyms_module_at(const struct ksyms *ks, uint64_t addr)
{
	for (size_t i = 0; i < ks->modules.n; i++) {
		const struct ksym_module *m = &ks->modules.v[i];

		for (uint32_t j = 0; j < m->nparts; j++)
			if (addr >= m->part[j].start && addr < m->part[j].end)
				return m->name;
	}
	return NULL;
}

struct ksym ksyms_place(struct ksyms *ks, uint64_t addr)
{
	struct ksym s = ksyms_at(ks, addr);

	if (!s.module)
		s.module = ksyms_module_at(ks, addr);
	return s;
}

bool ksyms_module_part(const struct ksyms *ks, uint32_t *module, uint32_t *part,
		       struct module_part *ret)
{
	for (; *module < ks->modules.n; ++*module, *part = 0) {
		const struct ksym_module *m = &ks->modules.v[*module];

		if (*part == m->nparts)
			continue;
		*ret = (struct module_part){ m->name, m->part[*part].start, m->part[*part].end };
		++*part;
		return true;
	}
	return false;
}
