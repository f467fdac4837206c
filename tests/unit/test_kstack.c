/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel stacks laid out by hand: by ORC in its forms, by PowerPC's chain, guessed. */
#include "facts/layout/census.h"
#include "facts/layout/cpu.h"
#include "facts/layout/file.h"
#include "facts/layout/kmem.h"
#include "facts/layout/signs.h"
#include "facts/layout/stack.h"
#include "facts/layout/system.h"
#include "model/kernel/task/kstack.h"
#include "model/kernel/task/mmlocks.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define TASK 0x2000
#define STACK 0x4000		/* of 16 KiB */
#define SP (STACK + 0x3000)
#define IPS 0x20000
#define ENTRIES 0x21000
#define TEXT 0x100000
enum { TASK_STACK = 8, TASK_SP = 16, ON_CPU = 24, FRAME = 56, FRAME_BP = 40, FRAME_RET = 48 };

struct rig {
	struct fake *f;
	struct snapshot s;
	struct task task;
	struct kstack st;
	unsigned entries;
};

static void put(struct rig *r, uint64_t pa, uint64_t v)
{
	fake_put_uint(r->f, pa, v, r->f->kernel.dump->word_size);
}

static uint64_t kva(const struct rig *r, uint64_t pa)
{
	return fake_kva(r->f, pa);
}

static void start(struct rig *r, unsigned word, bool big)
{
	memset(r, 0, sizeof(*r));
	r->f = fake_new(word, big);
	fake_size(r->f, S_THREAD_UNION, 0x4000);
	fake_members(r->f, { M_TASK_STACK, TASK_STACK, word }, { M_TASK_SP, TASK_SP, word },
		     { M_TASK_ON_CPU, ON_CPU, 4 });
	fake_symbol(r->f, Y_STEXT, kva(r, TEXT));
	fake_symbol(r->f, Y_ETEXT, kva(r, TEXT + 0x10000));
	put(r, TASK + TASK_STACK, kva(r, STACK));
	put(r, TASK + TASK_SP, kva(r, SP));
	fake_put_uint(r->f, TASK + ON_CPU, 0, 4);
	for (uint64_t pa = STACK; pa < STACK + 0x4000; pa += 0x1000)
		put(r, pa, 0);
	r->task = (struct task){ .addr = kva(r, TASK), .pid = 7, .state = 'S' };
	r->s = (struct snapshot){ .k = &r->f->kernel, .tasks = &r->task, .ntasks = 1 };
}

static void end(struct rig *r)
{
	fake_free(r->f);
}

static const struct kstack *walk(struct rig *r)
{
	struct kstacks *ks = kstacks_open(&r->s);

	CHECK(ks != NULL);
	kstacks_read(ks, &r->task, &r->st);
	kstacks_close(ks);
	return &r->st;
}

/* An entry for addresses from TEXT + AT on. */
static void entry(struct rig *r, uint64_t at, int sp_offset, int bp_offset, unsigned bits)
{
	uint64_t ip = IPS + r->entries * 4, e = ENTRIES + r->entries * 6;

	fake_put_uint(r->f, ip, (uint32_t)(TEXT + at - ip), 4);
	fake_put_uint(r->f, e, (uint16_t)sp_offset, 2);
	fake_put_uint(r->f, e + 2, (uint16_t)bp_offset, 2);
	fake_put_uint(r->f, e + 4, bits, 2);
	r->entries++;
	fake_symbol(r->f, Y_ORC_IP_END, kva(r, IPS + r->entries * 4));
}

/* A field of the last 16 bits of an entry, in the byte that BTF names. */
static void field(struct fake *f, enum layout_id id, unsigned bit, unsigned bits)
{
	fake_member(f, id, 5, 1);
	f->kernel.layout.v[id].m.bit_offset = (uint8_t)bit;
	f->kernel.layout.v[id].m.bit_size = (uint8_t)bits;
}

/*
 * Three functions: one with a frame of 16 bytes, one with a frame pointer, one at which the stack
 * ends. SP_REG and PREV: the numbers of registers; CALL and END: bits for these types.
 */
static void orc(struct rig *r, unsigned sp_reg, unsigned prev, unsigned call, unsigned stop)
{
	struct fake *f = r->f;

	fake_size(f, S_ORC_ENTRY, 6);
	fake_size(f, S_INACTIVE_FRAME, FRAME);
	fake_members(f, { M_INACTIVE_BP, FRAME_BP, 8 }, { M_INACTIVE_RET, FRAME_RET, 8 },
		     { M_REGS_IP, 128, 8 }, { M_REGS_SP, 152, 8 }, { M_REGS_BP, 32, 8 });
	fake_symbol(f, Y_ORC_IP, kva(r, IPS));
	fake_symbol(f, Y_ORC, kva(r, ENTRIES));
	entry(r, 0, 8, 0, call | sp_reg);
	entry(r, 0x10, 16, 0, call | sp_reg);
	entry(r, 0x20, 24, 0, call | sp_reg);
	entry(r, 0x100, 16, -16, call | prev << 4 | 4);
	entry(r, 0x200, 0, 0, stop);
	entry(r, 0x300, 0, 0, 0);
	put(r, SP + FRAME_BP, kva(r, SP + 0x100));
	put(r, SP + FRAME_RET, kva(r, TEXT + 0x18));
	put(r, SP + FRAME + 8, kva(r, TEXT + 0x110));	/* from a call at 0x10f */
	put(r, SP + 0x108, kva(r, TEXT + 0x200 + 5));
}

static void check_frames(struct rig *r)
{
	const struct kstack *st = walk(r);

	CHECK_EQ(st->state, KSTACK_WHOLE);
	CHECK_EQ(st->n, 3);
	CHECK_EQ(st->f[0].addr, kva(r, TEXT + 0x18));
	CHECK_EQ(st->f[1].addr, kva(r, TEXT + 0x110));
	CHECK_EQ(st->f[2].addr, kva(r, TEXT + 0x205));
	CHECK(!st->f[0].guessed && !st->f[2].guessed);
}

static void test_forms(void)
{
	struct rig r;

	/* 6.4: a type of 3 bits; 7.2: other numbers of registers */
	for (unsigned i = 0; i < 2; i++) {
		start(&r, 8, false);
		field(r.f, M_ORC_TYPE, 0, 3);
		orc(&r, i ? 3 : 5, i ? 8 : 1, 2 << 8, 1 << 8);
		check_frames(&r);
		end(&r);
	}
	/* 5.8: a type of 2 bits, and end */
	start(&r, 8, false);
	field(r.f, M_ORC_TYPE, 0, 2);
	field(r.f, M_ORC_END, 2, 1);
	orc(&r, 5, 1, 0, 1 << 10);
	check_frames(&r);
	end(&r);
	/* 4.14: an entry without a register is the end */
	start(&r, 8, false);
	field(r.f, M_ORC_TYPE, 0, 2);
	orc(&r, 5, 1, 0, 0);
	check_frames(&r);
	end(&r);
}

/* A module's table: N entries of BITS and SP_OFFSET, from TEXT + FIRST on and at TEXT + LAST. */
static void module(struct rig *r, uint64_t at, uint64_t next, uint64_t first, uint64_t last,
		   int sp_offset, unsigned bits)
{
	uint64_t ip = at + 0x400, e = at + 0x800;

	put(r, at, kva(r, next));
	put(r, next + 8, kva(r, at));
	fake_put_uint(r->f, at + 16, 2, 4);
	put(r, at + 24, kva(r, ip));
	put(r, at + 32, kva(r, e));
	fake_put_uint(r->f, ip, (uint32_t)(TEXT + first - ip), 4);
	fake_put_uint(r->f, ip + 4, (uint32_t)(TEXT + last - ip - 4), 4);
	for (unsigned i = 0; i < 2; i++, e += 6) {
		fake_put_uint(r->f, e, (uint16_t)sp_offset, 2);
		fake_put_uint(r->f, e + 2, 0, 2);
		fake_put_uint(r->f, e + 4, bits, 2);
	}
}

/* One module lies between the code of another and where that had its code for initialization. */
static void test_modules(void)
{
	enum { HEAD = 0x30000, SPREAD = 0x31000, BETWEEN = 0x32000 };
	struct rig r;

	start(&r, 8, false);
	field(r.f, M_ORC_TYPE, 0, 3);
	orc(&r, 5, 1, 2 << 8, 1 << 8);
	fake_members(r.f, { M_MODULE_LIST, 0, 16 }, { M_MODULE_ORC_COUNT, 16, 4 },
		     { M_MODULE_ORC_IP, 24, 8 }, { M_MODULE_ORC, 32, 8 });
	fake_symbol(r.f, Y_MODULES, kva(&r, HEAD));
	put(&r, HEAD, kva(&r, SPREAD));
	put(&r, SPREAD + 8, kva(&r, HEAD));
	module(&r, SPREAD, BETWEEN, 0x1000, 0x8000, 0, 0);
	module(&r, BETWEEN, HEAD, 0x2000, 0x2100, 24, 2 << 8 | 5);
	put(&r, SP + FRAME_RET, kva(&r, TEXT + 0x2005));
	put(&r, SP + FRAME + 16, kva(&r, TEXT + 0x205));
	walk(&r);
	CHECK_EQ(r.st.state, KSTACK_WHOLE);
	CHECK_EQ(r.st.n, 2);
	CHECK_EQ(r.st.f[1].addr, kva(&r, TEXT + 0x205));
	end(&r);
}

static void test_damage(void)
{
	struct rig r;

	start(&r, 8, false);
	field(r.f, M_ORC_TYPE, 0, 3);
	orc(&r, 5, 1, 2 << 8, 1 << 8);
	put(&r, SP + FRAME_BP, kva(&r, STACK));		/* leads back: the chain does not go on */
	walk(&r);
	CHECK(r.st.state == KSTACK_GUESSED && r.st.n >= 2 && !r.st.f[1].guessed);
	CHECK(r.st.f[2].guessed);			/* what lies above */
	put(&r, SP + FRAME_RET, 0x1234);		/* no text */
	walk(&r);
	CHECK_EQ(r.st.n, 0);
	put(&r, TASK + TASK_SP, kva(&r, STACK + 0x4000));
	CHECK_EQ(walk(&r)->state, KSTACK_UNREAD);
	put(&r, TASK + TASK_STACK, 0);
	CHECK_EQ(walk(&r)->state, KSTACK_NONE);
	put(&r, TASK + TASK_STACK, kva(&r, STACK));
	fake_put_uint(r.f, TASK + ON_CPU, 1, 4);
	CHECK_EQ(walk(&r)->state, KSTACK_RUNNING);
	end(&r);
}

static void test_guessed(void)
{
	struct rig r;

	start(&r, 4, false);
	put(&r, SP - 4, kva(&r, TEXT + 1));		/* below the stack pointer */
	put(&r, SP + 8, kva(&r, TEXT + 0x40));
	put(&r, SP + 12, kva(&r, STACK));
	put(&r, STACK + 0x3ffc, kva(&r, TEXT + 0x80));
	walk(&r);
	CHECK_EQ(r.st.state, KSTACK_GUESSED);
	CHECK_EQ(r.st.n, 2);
	CHECK(r.st.f[0].guessed && r.st.f[0].addr == kva(&r, TEXT + 0x40));
	CHECK_EQ(r.st.f[1].addr, kva(&r, TEXT + 0x80));
	end(&r);
}

/* x86 with frame pointers: the chain ends at zero, or where registers were saved. */
static void test_pointers(void)
{
	struct rig r;

	start(&r, 8, false);
	fake_size(r.f, S_INACTIVE_FRAME, FRAME);
	fake_member(r.f, M_INACTIVE_BP, FRAME_BP, 8);
	fake_member(r.f, M_INACTIVE_RET, FRAME_RET, 8);
	put(&r, SP + FRAME_BP, kva(&r, SP + 0x80));
	put(&r, SP + FRAME_RET, kva(&r, TEXT + 8));
	put(&r, SP + 0x60, kva(&r, TEXT + 0x99));	/* left there by a call that ended */
	put(&r, SP + 0x80, kva(&r, SP + 0xc0));
	put(&r, SP + 0x88, kva(&r, TEXT + 0x10));
	put(&r, SP + 0xc0, 0);
	put(&r, SP + 0xc8, kva(&r, TEXT + 0x20));
	walk(&r);
	CHECK_EQ(r.st.state, KSTACK_WHOLE);
	CHECK_EQ(r.st.n, 3);
	CHECK(!r.st.f[2].guessed && r.st.f[2].addr == kva(&r, TEXT + 0x20));
	put(&r, SP + 0xc0, kva(&r, SP + 0x100) | 1);
	CHECK_EQ(walk(&r)->state, KSTACK_WHOLE);
	put(&r, SP + 0xc0, kva(&r, SP + 0x80));		/* a circle: not such a chain */
	CHECK_EQ(walk(&r)->state, KSTACK_GUESSED);
	CHECK(r.st.f[0].guessed);
	end(&r);
}

/* A frame: the address of the next, and behind it what the function that it called saved. */
static void test_chain(bool wide)
{
	unsigned word = wide ? 8 : 4, save = wide ? 16 : 4;
	struct rig r;

	start(&r, word, true);
	r.f->kernel.layout.v[M_TASK_SP].alt = 1;
	put(&r, SP, kva(&r, SP + 0x40));
	put(&r, SP + save, kva(&r, TEXT + 1));		/* nobody's */
	put(&r, SP + 0x40, kva(&r, SP + 0x80));
	put(&r, SP + 0x40 + save, kva(&r, TEXT + 0x10));
	put(&r, SP + 0x80, 0);
	put(&r, SP + 0x80 + save, kva(&r, TEXT + 0x20));
	walk(&r);
	CHECK_EQ(r.st.state, KSTACK_WHOLE);
	CHECK_EQ(r.st.n, 2);
	CHECK_EQ(r.st.f[0].addr, kva(&r, TEXT + 0x10));
	CHECK_EQ(r.st.f[1].addr, kva(&r, TEXT + 0x20));
	put(&r, SP + 0x80, kva(&r, SP + 0x40));		/* a circle */
	CHECK_EQ(walk(&r)->state, KSTACK_CUT);
	end(&r);
}

/* The signature of a return address (arm64, PAC) is a number in the bits that no address has. */
static uint64_t strip(const struct dump *d, uint64_t addr)
{
	(void)d;
	return addr >> 47 & 1 ? addr | UINT64_C(0xffff) << 48 : addr;
}

/* arm64: records of frame and return address; a record of zeros ends them, or lies in the registers of a
   function that was interrupted. */
static void test_records(void)
{
	enum { FP = 32, PC = 40, REGS = SP + 0x200, RECORD = 304, PAC = 0x1234 };
	struct rig r;

	start(&r, 8, false);
	r.f->arch.code_addr = strip;
	fake_members(r.f, { M_TASK_FP, FP, 8 }, { M_TASK_PC, PC, 8 });
	put(&r, TASK + FP, kva(&r, SP + 0x10));
	put(&r, TASK + PC, kva(&r, TEXT + 8));
	put(&r, SP + 0x10, kva(&r, SP + 0x40));
	put(&r, SP + 0x18, (kva(&r, TEXT + 0x10) & ~(UINT64_C(0xffff) << 48)) | (uint64_t)PAC << 48);
	put(&r, SP + 0x40, kva(&r, REGS + RECORD));
	put(&r, SP + 0x48, kva(&r, TEXT + 0x20));
	put(&r, REGS + RECORD, 0);
	put(&r, REGS + RECORD + 8, 0);
	walk(&r);
	CHECK_EQ(r.st.state, KSTACK_WHOLE);
	CHECK_EQ(r.st.n, 3);
	CHECK_EQ(r.st.f[1].addr, kva(&r, TEXT + 0x10));
	CHECK_EQ(r.st.f[2].addr, kva(&r, TEXT + 0x20));
	/* struct frame_record_meta: FRAME_META_TYPE_PT_REGS 2 */
	fake_members(r.f, { M_REGS_RECORD, RECORD, 24 }, { M_REGS_PC, 256, 8 }, { M_REGS_NUMBERED, 0, 248 });
	put(&r, REGS + RECORD + 16, 2);
	put(&r, REGS + 256, kva(&r, TEXT + 0x30));
	put(&r, REGS + 29 * 8, kva(&r, REGS + 0x180));
	put(&r, REGS + 30 * 8, kva(&r, TEXT + 0x40));
	put(&r, REGS + 0x180, 0);
	put(&r, REGS + 0x188, 0);
	put(&r, REGS + 0x190, 1);
	walk(&r);
	CHECK_EQ(r.st.state, KSTACK_WHOLE);
	CHECK_EQ(r.st.n, 5);
	CHECK(r.st.f[3].exact && r.st.f[3].addr == kva(&r, TEXT + 0x30));
	CHECK(!r.st.f[4].exact && r.st.f[4].addr == kva(&r, TEXT + 0x40));
	put(&r, SP + 0x40, kva(&r, SP + 0x10));		/* a circle */
	CHECK_EQ(walk(&r)->state, KSTACK_GUESSED);
	end(&r);
}

/* riscv64: the record lies in the 16 bytes below the frame pointer. */
static void test_records_below(void)
{
	enum { FP = 32, PC = 40 };
	struct rig r;

	start(&r, 8, false);
	r.f->arch.frame_below = 16;
	fake_members(r.f, { M_TASK_FP, FP, 8 }, { M_TASK_PC, PC, 8 });
	put(&r, TASK + FP, kva(&r, SP + 0x20));
	put(&r, TASK + PC, kva(&r, TEXT + 8));
	put(&r, SP + 0x10, kva(&r, SP + 0x50));
	put(&r, SP + 0x18, kva(&r, TEXT + 0x10));
	put(&r, SP + 0x20, kva(&r, SP + 0x30));		/* where others have it */
	put(&r, SP + 0x28, kva(&r, TEXT + 0x99));
	put(&r, SP + 0x40, 0);
	put(&r, SP + 0x48, kva(&r, TEXT + 0x20));
	walk(&r);
	CHECK_EQ(r.st.state, KSTACK_WHOLE);
	CHECK_EQ(r.st.n, 3);
	CHECK_EQ(r.st.f[1].addr, kva(&r, TEXT + 0x10));
	CHECK_EQ(r.st.f[2].addr, kva(&r, TEXT + 0x20));
	put(&r, SP + 0x40, kva(&r, TEXT + 0x30));	/* the function of a kernel thread */
	CHECK_EQ(walk(&r)->state, KSTACK_WHOLE);
	CHECK_EQ(r.st.n, 3);
	put(&r, SP + 0x40, kva(&r, SP + 0x50));		/* a circle */
	CHECK_EQ(walk(&r)->state, KSTACK_GUESSED);
	end(&r);
}

/* Of two mms: one is held for writing, and a task waits for the other, which a reader holds. */
static void test_locks(void)
{
	enum { MM = 0x6000, LOCK = 64, COUNT = 0, OWNER = 8, WAITERS = 16, WAITER = 0x7000 };
	struct arena mem = { 0 };
	struct task tasks[3];
	struct mm mms[2];
	enum mmlock *l;
	struct rig r;

	start(&r, 8, false);
	r.f->kernel.version = (struct release){ .major = 6, .minor = 1 };
	fake_members(r.f, { M_MM_LOCK, LOCK, 40 }, { M_RWSEM_COUNT, COUNT, 8 },
		     { M_RWSEM_OWNER, OWNER, 8 }, { M_RWSEM_WAITERS, WAITERS, 16 },
		     { M_WAITER_LIST, 0, 16 }, { M_WAITER_TASK, 16, 8 }, { M_WAITER_TYPE, 24, 4 });
	fake_enum(r.f, E_RWSEM_FOR_WRITE, 0);
	for (unsigned i = 0; i < 3; i++)
		tasks[i] = (struct task){ .addr = kva(&r, TASK + 0x100 * i) };
	for (unsigned i = 0; i < 2; i++) {
		uint64_t lock = MM + 0x100 * i + LOCK;

		mms[i] = (struct mm){ .addr = kva(&r, MM + 0x100 * i) };
		put(&r, lock + WAITERS, kva(&r, i ? WAITER : lock + WAITERS));
		put(&r, lock + WAITERS + 8, kva(&r, i ? WAITER : lock + WAITERS));
	}
	put(&r, MM + LOCK + COUNT, 1);
	put(&r, MM + LOCK + OWNER, tasks[0].addr);
	put(&r, MM + 0x100 + LOCK + COUNT, 0x100 | 2);
	put(&r, MM + 0x100 + LOCK + OWNER, tasks[1].addr | 1);
	put(&r, WAITER, kva(&r, MM + 0x100 + LOCK + WAITERS));
	put(&r, WAITER + 8, kva(&r, MM + 0x100 + LOCK + WAITERS));
	put(&r, WAITER + 16, tasks[2].addr);
	fake_put_uint(r.f, WAITER + 24, 0, 4);
	r.s.tasks = tasks;
	r.s.ntasks = 3;
	r.s.mms = mms;
	r.s.nmms = 2;
	l = mmlocks_read(&r.s, &mem);
	CHECK(l != NULL);
	CHECK_EQ(l[0], MMLOCK_WRITER);
	CHECK_EQ(l[1], MMLOCK_READER);
	CHECK_EQ(l[2], MMLOCK_WAITS_WRITE);
	/* RHEL 7: the list has no prev pointers, the owner is next to its head */
	fake_member(r.f, M_RWSEM_WAITERS, WAITERS, 8);
	for (unsigned i = 0; i < 2; i++)
		put(&r, MM + 0x100 * i + LOCK + WAITERS + 8, tasks[i].addr);
	put(&r, WAITER + 8, 0);
	l = mmlocks_read(&r.s, &mem);
	CHECK_EQ(l[2], MMLOCK_WAITS_WRITE);
	CHECK_EQ(fake_issues(r.f, "mmap_lock"), 0);
	arena_release(&mem);
	end(&r);
}

int main(void)
{
	test_forms();
	test_modules();
	test_damage();
	test_guessed();
	test_pointers();
	test_records();
	test_records_below();
	test_chain(true);
	test_chain(false);
	test_locks();
	return check_done();
}
