/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THPeligible: addresses that wrap at the bottom of the address space, and sizes of tmpfs
 * by release. */
#include "model/kernel/mm/thp.h"

#include "facts/layout/file.h"
#include "facts/layout/gate.h"
#include "facts/layout/system.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define MB (1ull << 20)
#define FILE_PA 0x1000
#define INODE 0x2000
#define MAPPING 0x3000
#define SB 0x4000
#define INFO 0x5000
#define FLAGS 0x6000
#define SHMEM_AOPS 0x7000
#define WITHIN_SIZE 2

struct rig {
	struct fake *f;
	struct snapshot s;
	struct mm mm;
	struct arena mem;
	struct thp thp;
};

static void machine(struct rig *m, unsigned word, const char *release)
{
	*m = (struct rig){ .f = fake_new(word, false) };
	m->s = (struct snapshot){ .k = &m->f->kernel, .mms = &m->mm, .nmms = 1 };
	release_parse(release, &m->f->kernel.version);
	rules_decide(&m->f->kernel.version, NULL, &m->f->kernel.rules);
	fake_symbol(m->f, Y_THP_FLAGS, fake_kva(m->f, FLAGS));
	fake_put_uint(m->f, FLAGS, 0, word);
	m->thp = (struct thp){ .s = &m->s, .r = m->f->r, .offered = true, .always = true,
			       .pmd_order = word == 8 ? 9 : 10, .cache_order = word == 8 ? 9 : 10 };
	m->thp.by_file.mem = m->thp.huge_fault.mem = &m->mem;
}

static void machine_free(struct rig *m)
{
	arena_release(&m->mem);
	fake_free(m->f);
}

static bool anon(struct rig *m, uint64_t start, uint64_t end)
{
	struct vma v = { .start = start, .end = end };

	return thp_eligible(&m->thp, &v);
}

/* "The last huge page before the end", with an end below the first huge page. */
static void test_low(const char *release, unsigned word)
{
	uint64_t huge = word == 8 ? 2 * MB : 4 * MB;
	struct rig m;

	machine(&m, word, release);
	CHECK(anon(&m, 0, 0x1000));
	CHECK(anon(&m, 0x10000, huge - 0x1000));
	CHECK(anon(&m, 0, huge));
	CHECK(!anon(&m, 0x1000, huge));
	CHECK(!anon(&m, huge + 0x1000, 2 * huge + 0x1000));
	CHECK(anon(&m, huge - 0x1000, 2 * huge));
	machine_free(&m);
}

/* A file of tmpfs, huge=within_size, of 1 MiB, mapped from its start at a multiple of 2 MiB. */
static bool tmpfs(const char *release, uint64_t size)
{
	struct vma v = { .start = 64 * MB, .end = 68 * MB, .file = 0, .ops = FAKE_BASE };
	struct rig m;
	struct fake *f;
	bool yes;

	machine(&m, 8, release);
	f = m.f;
	v.file_addr = fake_kva(f, FILE_PA);
	fake_symbol(f, Y_SHMEM_AOPS, fake_kva(f, SHMEM_AOPS));
	/* settings of each size: since v6.11 all are looked at */
	fake_symbol(f, Y_SHMEM_ORDERS_ALWAYS, fake_kva(f, FLAGS));
	fake_members(f, { M_FILE_INODE, 0, 8 }, { M_FILE_MAPPING, 8, 8 }, { M_INODE_SIZE, 0, 8 },
		     { M_INODE_MODE, 8, 2 }, { M_INODE_SB, 16, 8 }, { M_MAPPING_AOPS, 0, 8 },
		     { M_SB_FS_INFO, 0, 8 }, { M_SHMEM_SB_HUGE, 0, 1 });
	fake_put_uint(f, FILE_PA, fake_kva(f, INODE), 8);
	fake_put_uint(f, FILE_PA + 8, fake_kva(f, MAPPING), 8);
	fake_put_uint(f, INODE, size, 8);
	fake_put_uint(f, INODE + 8, 0100644, 2);
	fake_put_uint(f, INODE + 16, fake_kva(f, SB), 8);
	fake_put_uint(f, MAPPING, fake_kva(f, SHMEM_AOPS), 8);
	fake_put_uint(f, SB, fake_kva(f, INFO), 8);
	fake_put_uint(f, INFO, WITHIN_SIZE, 1);
	m.thp.r = f->r;			/* writing memory made a new reader */
	yes = thp_eligible(&m.thp, &v);
	machine_free(&m);
	return yes;
}

int main(void)
{
	static const char *const releases[] = { "5.10.0", "6.1.0", "6.12.0", "7.2.0" };

	for (unsigned i = 0; i < 4; i++)
		for (unsigned word = 4; word <= 8; word += 4)
			test_low(releases[i], word);
	CHECK(!tmpfs("6.12.0", MB) && tmpfs("6.12.0", 2 * MB));
	CHECK(!tmpfs("6.14.0", MB) && tmpfs("6.14.0", 2 * MB));
	CHECK(!tmpfs("6.17.0", MB) && tmpfs("6.17.0", 2 * MB));
	CHECK(!tmpfs("6.18.15", MB) && tmpfs("6.18.15", 2 * MB));	/* as booted */
	CHECK(tmpfs("6.19.0", MB) && !tmpfs("6.19.0", 4096));
	CHECK(tmpfs("7.2.0", MB) && tmpfs("7.2.0", 2 * MB));
	return check_done();
}
