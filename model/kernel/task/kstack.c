/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kstack.c - where a stack begins, and its frames: by ORC, by frame pointers, or guessed. */
#include "model/kernel/task/kstack.h"

#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/image/image.h"
#include "facts/layout/census.h"
#include "facts/layout/cpu.h"
#include "facts/layout/signs.h"
#include "facts/layout/stack.h"
#include "model/kernel/kobj.h"
#include "model/kernel/stack/stacks.h"
#include "model/kernel/task/kstack_walk.h"

#define PR_PID 32u		/* of struct elf_prstatus, with 64 bits */
/* struct frame_record_meta of arm64 (c2c6b27b5aa1, v6.13) is two words of 0 and a type: this one lies in the
   registers of an interrupted function */
#define FRAME_META_TYPE_PT_REGS 2u
#define ARM64_FP 29u
#define ARM64_LR 30u

bool kwalk_is_text(struct kstacks *ks, uint64_t addr)
{
	const struct layout *l = &ks->k->layout;

	if (has(ks->k, Y_STEXT) && has(ks->k, Y_ETEXT) && addr >= layout_symbol(l, Y_STEXT) &&
	    addr < layout_symbol(l, Y_ETEXT))
		return true;
	return ksyms_in_module(&ks->syms, addr);
}

bool kwalk_word(const struct kwalk *w, uint64_t at, uint64_t *ret)
{
	unsigned word = w->ks->k->dump->word_size;

	return at >= w->low && at <= w->high - word && !(at & (word - 1)) &&
	       !read_kva_word(w->ks->r, at, ret);
}

bool kstacks_is_sched(const struct kstacks *ks, uint64_t addr)
{
	const struct layout *l = &ks->k->layout;

	return has(ks->k, Y_SCHED_TEXT_END) && addr >= layout_symbol(l, Y_SCHED_TEXT) &&
	       addr < layout_symbol(l, Y_SCHED_TEXT_END);
}

static bool put(struct kwalk *w, uint64_t addr, bool guessed)
{
	if (w->ret->n == KSTACK_MAX)
		return false;
	w->ret->f[w->ret->n++] = (struct kframe){ addr, guessed, w->exact && !guessed };
	return true;
}

/* ---- the ways up ------------------------------------------------------------------------- */

/* arch_stack_walk() of PowerPC: a frame begins with the address of the caller's; the return
   address is saved one word behind (64 bits: two), by the function that is called: in the first
   frame nobody has. */
static void walk_chain(struct kwalk *w)
{
	unsigned word = w->ks->k->dump->word_size, save = word == 8 ? 16 : 4;
	uint64_t next, ip;

	w->ret->state = KSTACK_CUT;
	if (!kwalk_word(w, w->sp, &next) || next <= w->sp)
		return;
	w->sp = next;
	while (kwalk_word(w, w->sp, &next) && kwalk_word(w, w->sp + save, &ip)) {
		if (kwalk_is_text(w->ks, ip) && !put(w, ip, false))
			return;
		/* the end of a kernel thread's stack, or the stack of user space */
		if (!kernel_ptr_ok(w->ks->k, next, word)) {
			w->ret->state = KSTACK_WHOLE;
			return;
		}
		if (next <= w->sp)
			return;
		w->sp = next;
	}
}

/* Is BP the mark of saved registers (ENCODE_FRAME_POINTER, v4.9): bit 0 set, on i386 the top bit
   cleared? */
static bool is_mark(const struct kwalk *w, uint64_t bp)
{
	uint64_t at = w->ks->k->dump->word_size == 8 ? bp & ~UINT64_C(1) : bp | 0x80000000u;

	return at != bp && at >= w->low && at < w->high;
}

/* Where a saved return address leads to. */
static uint64_t code_addr(const struct kwalk *w, uint64_t saved)
{
	const struct kernel *k = w->ks->k;

	return k->arch->code_addr ? k->arch->code_addr(k->dump, saved) : saved;
}

/* The frame that w->bp tells: that of its caller, and where it returns to. */
static bool frame_record(struct kwalk *w)
{
	unsigned word = w->ks->k->dump->word_size;
	uint64_t at = w->bp - w->ks->k->arch->frame_below;

	if (at < w->sp || !kwalk_word(w, at + word, &w->ip) || !kwalk_word(w, at, &w->bp))
		return false;
	w->sp = at + word;
	w->ip = code_addr(w, w->ip);
	return true;
}

/* A record of zeros ends the chain of arm64, unless the registers around it tell of a function that was
   interrupted: then its place is noted, and the walk goes on in its caller. */
static bool in_registers(struct kwalk *w)
{
	const struct kernel *k = w->ks->k;
	uint64_t record = w->sp - 8, type, regs, pc;

	if (!has(k, M_REGS_RECORD) || !has(k, M_REGS_PC) || !has(k, M_REGS_NUMBERED) ||
	    !kwalk_word(w, record + 16, &type) || type != FRAME_META_TYPE_PT_REGS)
		return false;
	regs = record - layout_offset(&k->layout, M_REGS_RECORD);
	w->exact = true;
	if (!kwalk_word(w, regs + layout_offset(&k->layout, M_REGS_PC), &pc) ||
	    !kwalk_is_text(w->ks, pc) || !put(w, pc, false))
		return false;
	w->exact = false;
	regs += layout_offset(&k->layout, M_REGS_NUMBERED);
	if (!kwalk_word(w, regs + ARM64_FP * 8, &w->bp) ||
	    !kwalk_word(w, regs + ARM64_LR * 8, &w->ip))
		return false;
	w->ip = code_addr(w, w->ip);
	return true;
}

/* Is BP what riscv64 starts a kernel thread with (s[0], copy_thread()): its function? */
static bool is_function(const struct kwalk *w, uint64_t bp)
{
	return w->ks->k->arch->frame_below && kwalk_is_text(w->ks, bp);
}

/* Frame pointers (CONFIG_FRAME_POINTER, arm64, riscv64): bp leads to the caller's, and the return address is behind
   it. Believed if the chain ends as it must: at zero, at saved registers, at the function of a thread, or
   (i386, riscv64) at what user space had in bp. */
static bool walk_pointers(struct kwalk *w)
{
	while (kwalk_is_text(w->ks, w->ip) && put(w, w->ip, false)) {
		bool last = !kernel_ptr_ok(w->ks->k, w->bp, 1) || is_mark(w, w->bp) ||
			    is_function(w, w->bp);

		if (!last && !frame_record(w))
			return false;
		if (last || (!w->bp && !w->ip && !in_registers(w))) {
			w->ret->state = KSTACK_WHOLE;
			return w->ret->n > 2;
		}
		w->exact = false;
	}
	return false;
}

static void walk_words(struct kwalk *w)
{
	unsigned word = w->ks->k->dump->word_size;
	uint64_t v;

	w->ret->state = KSTACK_GUESSED;
	for (uint64_t at = w->sp & ~(uint64_t)(word - 1); at < w->high; at += word)
		if (kwalk_word(w, at, &v) && kwalk_is_text(w->ks, v) && !put(w, v, true))
			return;
}

/* Where a step is lost, what lies above may still tell. (The address that a crash notes as that of
   its own instruction may be anywhere in the function.) */
static void walk_orc(struct kwalk *w)
{
	enum orc_step step = ORC_NEXT;

	while (step == ORC_NEXT && kwalk_is_text(w->ks, w->ip) && put(w, w->ip, w->guessed))
		step = orc_step(w);
	/* the end of a kernel thread's stack, or the registers of user space */
	w->ret->state = w->guessed ? KSTACK_GUESSED : step == ORC_END ? KSTACK_WHOLE : KSTACK_CUT;
	if (step == ORC_LOST)
		walk_words(w);
}

static void walk_no_orc(struct kwalk *w)
{
	struct kwalk again = *w;

	if (walk_pointers(w))
		return;
	w->ret->n = 0;
	if (!again.exact || put(&again, again.ip, false))
		walk_words(&again);
}

/* ---- where it begins ------------------------------------------------------------------------ */

/* Notes with the registers of a CPU, and others of QEMU, whose notes have the CPU for the pid. */
static bool is_registers(const struct kwalk *w, const struct image_note *n)
{
	return n->descsz && n->descsz == w->ks->k->arch->prstatus.bytes && n->namesz == 5 &&
	       !memcmp(n->name, "CORE", 5);
}

static bool is_qemu(const struct image_note *n)
{
	return n->namesz == 5 && !memcmp(n->name, "QEMU", 5);
}

/*
 * Registers of the CPU that ran task PID when the kernel died: its stack is that of the task, or
 * crash_save_cpu() noted the pid, of a CPU on another stack.
 */
static bool registers(struct kwalk *w, int32_t pid)
{
	const struct image *im = w->ks->k->dump->image;
	const struct arch_prstatus *pr = &w->ks->k->arch->prstatus;
	const uint8_t *found = NULL, *of_pid = NULL;
	struct image_note note;
	bool qemu = false;
	size_t at = 0;

	if (!im)
		return false;
	while (!found && image_next_note(im, &at, &note)) {
		qemu |= is_qemu(&note);
		if (!is_registers(w, &note))
			continue;
		if (load64(note.desc + pr->sp, false) - w->low < w->high - w->low)
			found = note.desc;
		else if (pid > 0 && (int32_t)load32(note.desc + PR_PID, false) == pid)
			of_pid = note.desc;
	}
	found = found ? found : qemu ? NULL : of_pid;
	if (!found)
		return false;
	w->ip = load64(found + pr->ip, false);
	w->sp = load64(found + pr->sp, false);
	w->bp = load64(found + pr->frame, false);
	w->exact = true;
	return kwalk_is_text(w->ks, w->ip);
}

/* struct inactive_task_frame lies at thread.sp; above it is the frame of __schedule(). */
static bool switched_away(struct kwalk *w)
{
	const struct kernel *k = w->ks->k;
	uint32_t size = layout_size(&k->layout, S_INACTIVE_FRAME);

	if (!size || !has(k, M_INACTIVE_BP) || !has(k, M_INACTIVE_RET) ||
	    !kwalk_word(w, w->sp + layout_offset(&k->layout, M_INACTIVE_BP), &w->bp) ||
	    !kwalk_word(w, w->sp + layout_offset(&k->layout, M_INACTIVE_RET), &w->ip))
		return false;
	w->sp += size;
	return true;
}

/* arm64 (struct cpu_context) and riscv64 keep what a function must preserve, and where it goes on. */
static bool saved_context(struct kwalk *w, uint64_t task)
{
	const struct kernel *k = w->ks->k;

	return has(k, M_TASK_FP) && has(k, M_TASK_PC) &&
	       !kmember_u64(k, w->ks->r, task, M_TASK_FP, &w->bp) &&
	       !kmember_u64(k, w->ks->r, task, M_TASK_PC, &w->ip);
}

/* Without SMP there is no on_cpu: one task that could run is running, and is not told apart. */
static bool is_running(const struct kstacks *ks, const struct task *t)
{
	uint64_t on = 0;

	if (!has(ks->k, M_TASK_ON_CPU))
		return t->state == 'R';
	return !kmember_u64(ks->k, ks->r, t->addr, M_TASK_ON_CPU, &on) && on;
}

void kstacks_read(struct kstacks *ks, const struct task *t, struct kstack *ret)
{
	struct kwalk w = { .ks = ks, .ret = ret };
	const struct kernel *k = ks->k;

	ret->n = 0;
	ret->state = KSTACK_UNREAD;
	if (kmember_u64(k, ks->r, t->addr, M_TASK_STACK, &w.low) ||
	    kmember_u64(k, ks->r, t->addr, M_TASK_SP, &w.sp))
		return;
	w.high = w.low + ks->size;
	if (!w.low || w.high < w.low) {
		ret->state = w.low ? KSTACK_UNREAD : KSTACK_NONE;
		return;
	}
	if (is_running(ks, t)) {
		ret->state = KSTACK_RUNNING;
		if (!registers(&w, t->pid))
			return;
		if (ks->orc)
			walk_orc(&w);
		else
			walk_no_orc(&w);
		return;
	}
	if (w.sp < w.low || w.sp >= w.high)
		return;
	if (k->layout.v[M_TASK_SP].alt == 1)
		walk_chain(&w);
	else if (!switched_away(&w) && !saved_context(&w, t->addr))
		walk_words(&w);
	else if (ks->orc)
		walk_orc(&w);
	else
		walk_no_orc(&w);
	if (!ret->n)
		ret->state = KSTACK_UNREAD;
}

struct kstacks *kstacks_open(const struct snapshot *s)
{
	struct reader *r = kernel_reader(s->k);
	struct kstacks *ks;
	uint64_t size = r ? stack_size(&s->k->layout) : 0;

	if (!size || !has(s->k, M_TASK_STACK) || !has(s->k, M_TASK_SP)) {
		reader_free(r);
		return NULL;
	}
	ks = heap_calloc(1, sizeof(*ks));
	ks->s = s;
	ks->k = s->k;
	ks->r = r;
	ks->size = size;
	ksyms_init(&ks->syms, s->k, r, &ks->mem);
	ks->orc = orc_open(ks);
	return ks;
}

void kstacks_close(struct kstacks *ks)
{
	if (!ks)
		return;
	reader_free(ks->r);
	arena_release(&ks->mem);
	free(ks);
}

/* sprint_backtrace(): a call at the end of a function returns to the next one. */
struct ksym kstacks_symbol(struct kstacks *ks, const struct kframe *f)
{
	struct ksym s = ksyms_at(&ks->syms, f->exact ? f->addr : f->addr - 1);

	if (!f->exact)
		s.offset++;
	return s;
}
