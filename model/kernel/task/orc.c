/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * orc.c - one step up a stack of x86-64 (arch/x86/kernel/unwind_orc.c and
 * arch/x86/include/asm/orc_types.h, read in 4.14, 5.10, 6.1, 6.4, 7.2).
 *
 * A table has the addresses from which an entry holds, as distances of 32 bits from the place
 * of each, ascending; another has the entries:
 *
 *	0	2	sp_offset, signed: to what the stack pointer was before the call
 *	2	2	bp_offset, signed: to where the caller's bp is saved
 *	4	2	bits: 0-3 the register that sp_offset counts from, 4-7 that of bp_offset,
 *			then type, and by version signal and end
 *
 * The registers have other numbers in 7.2 (seen there; in 6.12 still those of 4.14). Nothing
 * names them, but the table shows them: most entries count from SP.
 */
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "facts/layout/file.h"
#include "facts/layout/kmem.h"
#include "facts/layout/stack.h"
#include "model/kernel/kobj.h"
#include "model/kernel/task/kstack_walk.h"
#include "model/kernel/walk/list.h"

#define ENTRY_BYTES 6u
#define ENTRIES_MAX (UINT64_C(1) << 26)	/* of one table; 7.2 has 0.6 million */
#define MODULES_MAX 16384u

enum reg { REG_UNDEFINED, REG_PREV_SP, REG_BP, REG_SP, REG_BP_INDIRECT, REG_SP_INDIRECT,
	   REG_OTHER };
enum type { TYPE_UNDEFINED, TYPE_END, TYPE_CALL, TYPE_REGS, TYPE_REGS_PARTIAL };

struct orc_table {
	uint64_t ip, entries, n;	/* addresses of the two arrays */
	uint64_t first, last;		/* addresses that it begins and ends with */
};

/* Numbers of SP, and what each number is; the others are of entry code. */
#define NUMBERS 16
#define SAMPLE 4096u		/* entries that are looked at */

static const struct numbering {
	unsigned sp;
	uint8_t reg[NUMBERS];
} numberings[] = {
	{ 5, { REG_UNDEFINED, REG_PREV_SP, REG_OTHER, REG_OTHER, REG_BP, REG_SP, REG_OTHER,
	       REG_OTHER, REG_BP_INDIRECT, REG_SP_INDIRECT, REG_OTHER, REG_OTHER, REG_OTHER,
	       REG_OTHER, REG_OTHER, REG_OTHER } },
	{ 3, { REG_UNDEFINED, REG_OTHER, REG_OTHER, REG_SP, REG_BP, REG_OTHER, REG_OTHER,
	       REG_OTHER, REG_PREV_SP, REG_SP_INDIRECT, REG_BP_INDIRECT, REG_OTHER, REG_OTHER,
	       REG_OTHER, REG_OTHER, REG_OTHER } },
};

struct orc {
	VEC(struct orc_table) tables;	/* that of the kernel first */
	const struct numbering *numbers;
};

struct entry {
	int16_t sp_offset, bp_offset;
	enum reg sp_reg, bp_reg;
	enum type type;
};

/* ---- the tables -------------------------------------------------------------------------- */

static bool start_of(const struct kstacks *ks, const struct orc_table *t, uint64_t i, uint64_t *ret)
{
	uint64_t v;

	if (read_kva_uint(ks->r, t->ip + i * 4, 4, &v))
		return false;
	*ret = t->ip + i * 4 + (uint64_t)sign_extend(v, 32);
	return true;
}

static void add_table(struct kstacks *ks, struct orc *o, uint64_t ip, uint64_t entries, uint64_t n)
{
	struct orc_table t = { .ip = ip, .entries = entries, .n = n };

	if (ip && entries && n && n < ENTRIES_MAX && start_of(ks, &t, 0, &t.first) &&
	    start_of(ks, &t, n - 1, &t.last) && t.first <= t.last)
		*vec_push(&ks->mem, &o->tables) = t;
}

static void add_modules(struct kstacks *ks, struct orc *o)
{
	const struct kernel *k = ks->k;
	struct listwalk w;

	if (!has(k, Y_MODULES) || !has(k, M_MODULE_LIST) || !has(k, M_MODULE_ORC_COUNT) ||
	    !has(k, M_MODULE_ORC_IP) || !has(k, M_MODULE_ORC))
		return;
	w = listwalk_start(k, ks->r, layout_symbol(&k->layout, Y_MODULES), MODULES_MAX);
	while (listwalk_next(&w)) {
		uint64_t m = w.node - layout_offset(&k->layout, M_MODULE_LIST), n, ip, entries;

		if (!kmember_u64(k, ks->r, m, M_MODULE_ORC_COUNT, &n) &&
		    !kmember_u64(k, ks->r, m, M_MODULE_ORC_IP, &ip) &&
		    !kmember_u64(k, ks->r, m, M_MODULE_ORC, &entries))
			add_table(ks, o, ip, entries, n);
	}
}

/* The numbers of the registers: more than half of the entries count from SP. */
static const struct numbering *numbers_of(const struct kstacks *ks, const struct orc_table *t)
{
	unsigned n[NUMBERS] = { 0 }, seen = 0;
	uint8_t raw[ENTRY_BYTES];

	for (uint64_t i = 0; i < t->n && i < SAMPLE; i++)
		if (!read_kva(ks->r, t->entries + i * ENTRY_BYTES, raw, sizeof(raw)) &&
		    raw[4] & 15) {
			n[raw[4] & 15]++;
			seen++;
		}
	for (size_t i = 0; i < ARRAY_LEN(numberings); i++)
		if (n[numberings[i].sp] > seen / 2)
			return &numberings[i];
	return NULL;
}

struct orc *orc_open(struct kstacks *ks)
{
	const struct layout *l = &ks->k->layout;
	uint64_t ip = layout_symbol(l, Y_ORC_IP), end = layout_symbol(l, Y_ORC_IP_END);
	struct orc *o = arena_calloc(&ks->mem, 1, sizeof(*o));

	if (ks->k->dump->word_size != 8 || !ip || end <= ip || !has(ks->k, Y_ORC) ||
	    !has(ks->k, M_ORC_TYPE) || layout_size(l, S_ORC_ENTRY) != ENTRY_BYTES ||
	    !has(ks->k, M_REGS_IP) || !has(ks->k, M_REGS_SP) || !has(ks->k, M_REGS_BP))
		return NULL;
	add_table(ks, o, ip, layout_symbol(l, Y_ORC), (end - ip) / 4);
	o->numbers = o->tables.n ? numbers_of(ks, &o->tables.v[0]) : NULL;
	if (!o->numbers)
		return NULL;
	add_modules(ks, o);
	return o;
}

/* A member of one or more bits, in the 16 that begin at byte 4. */
static unsigned bits_of(const struct kstacks *ks, enum layout_id id, unsigned bits)
{
	const struct member *m = &ks->k->layout.v[id].m;
	unsigned at = m->offset * 8 + m->bit_offset;

	if (!has(ks->k, id) || at < 32 || at > 47)
		return 0;
	return bits >> (at - 32) & ((1u << (m->bit_size & 15)) - 1);
}

/* The numbers of types changed in fb799447ae29 (v6.4), when the field grew to 3 bits. */
static enum type type_of(const struct kstacks *ks, const struct entry *e, unsigned bits)
{
	static const enum type old[] = { TYPE_CALL, TYPE_REGS, TYPE_REGS_PARTIAL, TYPE_UNDEFINED };
	unsigned t = bits_of(ks, M_ORC_TYPE, bits);

	if (ks->k->layout.v[M_ORC_TYPE].m.bit_size == 3)
		return t <= TYPE_REGS_PARTIAL ? (enum type)t : TYPE_UNDEFINED;
	if (e->sp_reg != REG_UNDEFINED)
		return old[t & 3];
	return !has(ks->k, M_ORC_END) || bits_of(ks, M_ORC_END, bits) ? TYPE_END : TYPE_UNDEFINED;
}

/* The last entry that begins at ADDR or before; *AT: where. */
static bool place_in(const struct kstacks *ks, const struct orc_table *t, uint64_t addr,
		     uint64_t *ret, uint64_t *at)
{
	uint64_t low = 0, high = t->n, start;

	while (high - low > 1) {
		uint64_t mid = low + (high - low) / 2;

		if (!start_of(ks, t, mid, &start))
			return false;
		if (start <= addr)
			low = mid;
		else
			high = mid;
	}
	*ret = low;
	return start_of(ks, t, low, at);
}

static bool entry_at(const struct kstacks *ks, const struct orc_table *t, uint64_t i,
		     struct entry *e)
{
	uint8_t raw[ENTRY_BYTES];

	if (read_kva(ks->r, t->entries + i * ENTRY_BYTES, raw, sizeof(raw)))
		return false;
	e->sp_offset = (int16_t)load16(raw, false);
	e->bp_offset = (int16_t)load16(raw + 2, false);
	e->sp_reg = ks->orc->numbers->reg[raw[4] & 15];
	e->bp_reg = ks->orc->numbers->reg[raw[4] >> 4];
	e->type = type_of(ks, e, load16(raw + 4, false));
	return true;
}

/*
 * A module's table also has its code for initialization, which lay elsewhere: others may lie between.
 * The entry that begins last is of the code that is there.
 */
static bool find(const struct kstacks *ks, uint64_t addr, struct entry *e)
{
	const struct orc *o = ks->orc;
	const struct orc_table *best = NULL;
	uint64_t best_at = 0, best_i = 0, at, n;

	for (size_t i = 0; i < o->tables.n; i++) {
		const struct orc_table *t = &o->tables.v[i];

		/* the last entry of a table ends it */
		if (addr < t->first || addr >= t->last || !place_in(ks, t, addr, &n, &at) ||
		    (best && at <= best_at))
			continue;
		best = t;
		best_at = at;
		best_i = n;
	}
	return best && entry_at(ks, best, best_i, e);
}

/* ---- a step -------------------------------------------------------------------------------- */

/* The stack pointer of the caller; REG_SP_INDIRECT was read before its offset was added to
   the address until v5.12. False: from a register that is not known. */
static bool caller_sp(const struct kwalk *w, const struct entry *e, uint64_t *sp)
{
	static const struct era late = { V(5, 12), 0 };
	uint64_t off = (uint64_t)(int64_t)e->sp_offset;

	switch (e->sp_reg) {
	case REG_SP: *sp = w->sp + off; return true;
	case REG_BP: *sp = w->bp + off; return true;
	case REG_BP_INDIRECT: return kwalk_word(w, w->bp + off, sp);
	case REG_SP_INDIRECT:
		if (!in_era(w->ks->k, late))
			return kwalk_word(w, w->sp + off, sp);
		if (!kwalk_word(w, w->sp, sp))
			return false;
		*sp += off;
		return true;
	default: return false;
	}
}

/* The registers that an interrupt or a system call saved; the last five of them are always
   there. */
static enum orc_step regs_at(struct kwalk *w, uint64_t regs, bool all)
{
	const struct layout *l = &w->ks->k->layout;
	uint64_t ip, sp, bp;

	if (!kwalk_word(w, regs + layout_offset(l, M_REGS_IP), &ip) ||
	    !kwalk_word(w, regs + layout_offset(l, M_REGS_SP), &sp))
		return ORC_LOST;
	if (!kwalk_is_text(w->ks, ip))
		return ORC_END; /* of user space */
	if (all && kwalk_word(w, regs + layout_offset(l, M_REGS_BP), &bp))
		w->bp = bp;
	if (sp <= w->sp)
		return ORC_LOST;
	w->ip = ip;
	w->sp = sp;
	w->exact = true;
	return ORC_NEXT;
}

static enum orc_step call_at(struct kwalk *w, const struct entry *e, uint64_t sp)
{
	uint64_t ip, bp = w->bp;

	if (sp <= w->sp || !kwalk_word(w, sp - 8, &ip))
		return ORC_LOST;
	if ((e->bp_reg == REG_PREV_SP &&
	     !kwalk_word(w, sp + (uint64_t)(int64_t)e->bp_offset, &bp)) ||
	    (e->bp_reg == REG_BP && !kwalk_word(w, w->bp + (uint64_t)(int64_t)e->bp_offset, &bp)))
		return ORC_LOST;
	w->ip = ip;
	w->sp = sp;
	w->bp = bp;
	w->exact = false;
	return ip ? ORC_NEXT : ORC_END;
}

enum orc_step orc_step(struct kwalk *w)
{
	/* code without an entry (BPF, a module that is gone) may keep a chain of frames */
	static const struct entry chain = { 16, -16, REG_BP, REG_PREV_SP, TYPE_CALL };
	struct entry e;
	uint64_t sp;

	if (!find(w->ks, w->exact ? w->ip : w->ip - 1, &e)) {
		w->guessed = true;
		e = chain;
	}
	if (e.type == TYPE_END)
		return ORC_END;
	if (e.type == TYPE_UNDEFINED || !caller_sp(w, &e, &sp))
		return ORC_LOST;
	if (e.type == TYPE_CALL)
		return call_at(w, &e, sp);
	if (e.type == TYPE_REGS_PARTIAL)
		sp -= layout_offset(&w->ks->k->layout, M_REGS_IP);
	return regs_at(w, sp, e.type == TYPE_REGS);
}
