/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first task by its content, in memory laid out by hand: pid 16, tgid 20, parent 24, tasks 32, comm 64. */
#include "facts/first_task.h"

#include <stdio.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/base.h"
#include "facts/layout/task.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define TASK 0x203ff0u		/* its name is on the next page */
#define INIT 0x300000u		/* pid 1 */
#define AGAIN 0x208000u

static char note[64];

static void put_task(struct fake *f, uint32_t at, uint32_t next, const char *comm)
{
	fake_put(f, at, "", 1);
	fake_put(f, at + 0x40, "", 1);
	fake_put_uint(f, at + 16, 0, 8);
	fake_put_uint(f, at + 24, fake_kva(f, at), 8);
	fake_put_uint(f, at + 32, fake_kva(f, next + 32), 8);
	fake_put_uint(f, at + 40, fake_kva(f, next + 32), 8);
	fake_put(f, at + 64, comm, 10);
}

static struct fake *machine(void)
{
	static const struct { enum layout_id id; uint32_t at, size; } members[] = {
		{ M_TASK_PID, 16, 4 }, { M_TASK_TGID, 20, 4 }, { M_TASK_PARENT, 24, 8 },
		{ M_TASK_TASKS, 32, 16 }, { M_TASK_COMM, 64, 16 },
	};
	struct fake *f = fake_new(8, false);

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		fake_member(f, members[i].id, members[i].at, members[i].size);
	fake_member(f, M_LIST_NEXT, 0, 8);
	fake_member(f, M_LIST_PREV, 8, 8);
	put_task(f, TASK, INIT, "swapper/0");
	fake_put(f, INIT, "", 1);
	fake_put_uint(f, INIT + 32, fake_kva(f, TASK + 32), 8);
	fake_put_uint(f, INIT + 40, fake_kva(f, TASK + 32), 8);
	snprintf(note, sizeof(note), "SYMBOL(init_uts_ns)=%llx\n",
		 (unsigned long long)fake_kva(f, 0x280010));
	f->dump.vmcoreinfo = note;
	return f;
}

static bool finds(struct fake *f)
{
	uint64_t at = 0;

	return !first_task_find(&f->dump, &f->kernel.layout, &at) && at == fake_kva(f, TASK);
}

static void test_found(void)
{
	struct fake *f = machine();

	CHECK(finds(f));
	fake_put_uint(f, INIT + 40, 0, 8);	/* one neighbour is enough */
	CHECK(finds(f));
	fake_put(f, INIT + 0x800, "swapper/0", 10);	/* a text */
	CHECK(finds(f));
	fake_free(f);
}

static void test_not_found(void)
{
	struct fake *f = machine();

	put_task(f, AGAIN, AGAIN, "swapper/0");	/* alone in its list */
	CHECK(finds(f));
	fake_put_uint(f, TASK + 20, 1, 4);	/* a process */
	CHECK(!finds(f));
	fake_put_uint(f, TASK + 20, 0, 4);
	fake_put_uint(f, TASK + 24, fake_kva(f, INIT), 8);	/* an idle task of another CPU has a parent */
	CHECK(!finds(f));
	fake_put_uint(f, TASK + 24, fake_kva(f, TASK), 8);
	fake_put_uint(f, INIT + 32, 0, 8);	/* nobody points back */
	fake_put_uint(f, INIT + 40, 0, 8);
	CHECK(!finds(f));
	fake_free(f);
}

/* Two of them, a kernel without the note, types that are lost. */
static void test_refused(void)
{
	struct fake *f = machine();
	uint64_t at;

	put_task(f, AGAIN, INIT + 0x1000, "swapper");
	fake_put(f, INIT + 0x1000, "", 1);
	fake_put_uint(f, INIT + 0x1000 + 40, fake_kva(f, AGAIN + 32), 8);
	CHECK_EQ(first_task_find(&f->dump, &f->kernel.layout, &at), ST_ABSENT);
	fake_drop(f, AGAIN);
	CHECK(finds(f));
	f->kernel.layout.v[M_TASK_TGID].alt = -1;
	CHECK(!finds(f));
	fake_member(f, M_TASK_TGID, 20, 4);
	f->dump.vmcoreinfo = "";
	CHECK(!finds(f));
	fake_free(f);
}

int main(void)
{
	test_found();
	test_not_found();
	test_refused();
	return check_done();
}
