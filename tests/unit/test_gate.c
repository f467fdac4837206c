/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes see [vsyscall]: get_gate_vma() of 2.6.32, 2.6.39 and 5.11. */
#include "model/kernel/mm/gate.h"

#include "facts/layout/census.h"
#include "facts/layout/gate.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

enum { TASK = 0x1000, INFO = 0x2000, MM = 0x3000 };
enum { STACK = 8, INFO_TASK = 0, INFO_FLAGS = 16, COMPAT = 24, FLAGS = 32 };

static const struct arch_gate x86 = {
	.name = "[vsyscall]", .vma = Y_GATE_VMA, .mode = Y_VSYSCALL_MODE, .flags = M_MM_CONTEXT_FLAGS,
	.flag = 2, .compat = M_MM_CONTEXT_IA32, .thread = 1u << 17,
};

static bool seen(struct fake *f)
{
	static const struct gate g = { .present = true };
	struct task task = { .addr = fake_kva(f, TASK) };
	struct proc proc = { .leader = 0 };
	struct mm mm = { .addr = fake_kva(f, MM), .owner = 0 };
	struct snapshot s = { .k = &f->kernel, .tasks = &task, .ntasks = 1, .procs = &proc, .nprocs = 1 };

	return gate_in_mm(&s, f->r, &g, &mm);
}

int main(void)
{
	struct fake *f = fake_new(8, false);

	f->arch.gate = &x86;
	fake_members(f, { M_TASK_STACK, STACK, 8 }, { M_THREAD_INFO_TASK, INFO_TASK, 8 },
		     { M_THREAD_INFO_FLAGS, INFO_FLAGS, 4 });
	fake_put_uint(f, TASK + STACK, fake_kva(f, INFO), 8);
	fake_put_uint(f, INFO + INFO_TASK, fake_kva(f, TASK), 8);
	fake_put_uint(f, INFO + INFO_FLAGS, 1u << 16 | 1u << 18, 4);
	CHECK(seen(f));
	fake_put_uint(f, INFO + INFO_FLAGS, 1u << 17, 4);
	CHECK(!seen(f));
	/* not a thread_info: a stack since 4.9 */
	fake_put_uint(f, INFO + INFO_TASK, 0x57ac6e9d, 8);
	CHECK(seen(f));
	fake_member(f, M_MM_CONTEXT_IA32, COMPAT, 2);
	fake_put_uint(f, MM + COMPAT, 1, 2);
	CHECK(!seen(f));
	fake_put_uint(f, MM + COMPAT, 0, 2);
	CHECK(seen(f));
	fake_member(f, M_MM_CONTEXT_FLAGS, FLAGS, 8);
	fake_put_uint(f, MM + FLAGS, 1, 8);
	CHECK(!seen(f));
	fake_put_uint(f, MM + FLAGS, 2, 8);
	CHECK(seen(f));
	fake_free(f);
	return check_done();
}
