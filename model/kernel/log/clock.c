/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The clocks as the timekeeper last set them: at the last tick before the crash, so up to
 * one tick early (10 ms; about a second if all CPUs were idle).
 */
#include <elf.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"
#include "model/kernel/machine/system.h"

#define NSEC_PER_SEC 1000000000ull
#define YEARS_100 (100ull * 366 * 86400)	/* seconds; no machine is older */

/* Address of the struct timekeeper of the core clocks; 0 if not found. */
static uint64_t timekeeper(const struct system *y)
{
	const struct layout *l = &y->k->layout;
	uint64_t base = layout_symbol(l, Y_TIMEKEEPERS);
	uint64_t lock, align;

	if (!base)
		return layout_symbol(l, Y_TIMEKEEPER);
	if (layout_has(l, M_TKDATA_TIMEKEEPER))
		return base + layout_offset(l, M_TKDATA_TIMEKEEPER);
	/* tk_core's type has no name: a seqcount, then the timekeeper, which holds 64-bit
	   members; i386 aligns them to 4 bytes */
	lock = layout_size(l, S_TK_SEQCOUNT);
	align = y->k->arch->elf_machine == EM_386 ? 4 : 8;
	return lock ? base + (lock + align - 1) / align * align : 0;
}

/* The base of CLOCK_MONOTONIC is the time of day and the difference between the two
   (tk_update_ktime_data()). */
static bool same_clock(const struct kobj *tk)
{
	int64_t base = kobj_int(tk, M_TK_MONO_BASE) / (int64_t)NSEC_PER_SEC;
	int64_t sum =
		(int64_t)(kobj_u64(tk, M_TK_XTIME_SEC) + (uint64_t)kobj_int(tk, M_TK_TO_MONO_SEC));

	return !has(tk->k, M_TK_XTIME_SEC) || !has(tk->k, M_TK_TO_MONO_SEC) ||
	       (base >= sum - 1 && base <= sum + 1);
}

/* The value of /proc/uptime: CLOCK_BOOTTIME, suspended time included. */
static uint64_t boottime(const struct kobj *tk)
{
	uint64_t shift = kobj_u64(tk, M_TK_MONO_SHIFT);
	uint64_t ns = kobj_u64(tk, M_TK_MONO_BASE) + kobj_u64(tk, M_TK_OFFS_BOOT);

	uint64_t rest = shift < 64 ? kobj_u64(tk, M_TK_MONO_NSEC) >> shift : UINT64_MAX;

	/* less than a second is left over (tk_normalize_xtime(), kernel/time/timekeeping.c) */
	if (rest > 2 * NSEC_PER_SEC || kobj_int(tk, M_TK_OFFS_BOOT) < 0 || !same_clock(tk) ||
	    (ns + rest) / NSEC_PER_SEC >= YEARS_100) {
		issue_add(tk->k->issues, ST_CORRUPT, "clock", 1, "the time since boot");
		return 0;
	}
	return ns + rest;
}

/* The same if the clock is kept as the time of day, to 3.16. */
static uint64_t boottime_of_day(const struct kobj *tk)
{
	uint64_t shift = kobj_u64(tk, M_TK_SHIFT);
	int64_t sec = kobj_int(tk, M_TK_XTIME_SEC) + kobj_int(tk, M_TK_XTIME) +
		      kobj_int(tk, M_TK_TO_MONO_SEC) + kobj_int(tk, M_TK_SLEPT_SEC);
	uint64_t ns = kobj_u64(tk, M_TK_TO_MONO_NSEC) + kobj_u64(tk, M_TK_SLEPT_NSEC) +
		      kobj_u64(tk, M_TK_XTIME_TV_NSEC);

	/* beside tv_nsec, which is rounded up, it is a negative rest (update_wall_time(), 2.6.32) */
	if (shift < 63)
		ns += (uint64_t)(kobj_int(tk, M_TK_XTIME_NSEC) / (INT64_C(1) << shift));
	return sec >= 0 && (uint64_t)sec < YEARS_100 ? (uint64_t)sec * NSEC_PER_SEC + ns : 0;
}

/* The same from variables of their own; a struct timespec begins with its seconds. */
static uint64_t boottime_of_variables(const struct system *y, uint64_t now)
{
	unsigned word = y->k->dump->word_size;
	uint64_t mono, slept = 0;

	if (kvar_u64(y->k, y->r, Y_WALL_TO_MONOTONIC, word, &mono) ||
	    (has(y->k, Y_TOTAL_SLEEP_TIME) &&
	     kvar_u64(y->k, y->r, Y_TOTAL_SLEEP_TIME, word, &slept)))
		return 0;
	now += (uint64_t)sign_extend(mono, 8 * word) + slept;
	return now < YEARS_100 ? now * NSEC_PER_SEC : 0;
}

static int64_t crashtime(const struct dump *d)
{
	char buf[32];
	int64_t t = 0;

	if (!vmcoreinfo_get(d, "CRASHTIME", buf, sizeof(buf)))
		return 0;
	for (const char *c = buf; *c >= '0' && *c <= '9' && t < INT64_MAX / 20; c++)
		t = t * 10 + (*c - '0');
	return t;
}

void read_clock(struct system *y)
{
	const struct image *im = y->k->dump->image;
	uint64_t addr = timekeeper(y), now = 0;
	struct kobj tk;

	kobj_init(&tk, y->k, S_TIMEKEEPER);
	if (addr && !kobj_read(&tk, y->r, addr)) {
		now = kobj_u64(&tk, has(y->k, M_TK_XTIME) ? M_TK_XTIME : M_TK_XTIME_SEC);
		if (now >= 10 * YEARS_100)
			issue_add(y->k->issues, ST_CORRUPT, "clock", 1, "the time of day");
		if (has(y->k, M_TK_MONO_BASE))
			y->m->uptime = boottime(&tk);
		else if (has(y->k, M_TK_TO_MONO_SEC))
			y->m->uptime = boottime_of_day(&tk);
	}
	kobj_release(&tk);
	if (!now && has(y->k, Y_XTIME) && has(y->k, Y_WALL_TO_MONOTONIC) &&
	    !kvar_u64(y->k, y->r, Y_XTIME, y->k->dump->word_size, &now))
		y->m->uptime = boottime_of_variables(y, now);
	/*
	 * CRASHTIME is the kernel's own value. A dump taken from outside has none, and its file's
	 * header has the time of writing: then the kernel's clock is better.
	 */
	y->m->crash_time = crashtime(y->k->dump);
	if (!y->m->crash_time && now < 10 * YEARS_100)
		y->m->crash_time = (int64_t)now;
	if (!y->m->crash_time && im)
		y->m->crash_time = im->header.crash_time;
}
