/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Paths, files, names of vmas and control groups over a machine of a few objects,
 * with some of its words replaced. An input is
 *     u8 flags: bit 0 32-bit, 1 big-endian, 2 before v6.7 (no backing files),
 *               3 legacy control groups, 4 before kernfs; bits 5.. choose the
 *               file system whose names are made up
 *     patches of 4 bytes: u16 where (in words), u16 what
 * `what` below 32768 is the address of that many half-words into the memory of
 * the machine, else a small number, or, at 65535, an address outside of it.
 */
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/layout/cgroup.h"
#include "facts/layout/file.h"
#include "facts/layout/mm.h"
#include "facts/layout/task.h"
#include "model/kernel/cgroup/cgroups.h"
#include "model/kernel/file/files.h"
#include "model/kernel/file/path.h"
#include "tests/unit/fake.h"

#define SLOT 256u
#define SLOTS 48u
#define MEMORY (SLOTS * SLOT)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Objects of the good machine, by slot. */
enum {
	ZERO, FILES, FILE_END = FILES + 4, DENTRIES = FILE_END, DENTRY_END = DENTRIES + 6,
	MOUNTS = DENTRY_END, MOUNT_END = MOUNTS + 2, INODES = MOUNT_END, INODE_END = INODES + 2,
	SBS = INODE_END, SB_END = SBS + 2, MAPPING = SB_END, OPS, VMA, SPECIAL, NS, TASK, FS,
	CGROUPS, CGROUP_END = CGROUPS + 4, MEMCGS = CGROUP_END, MEMCG_END = MEMCGS + 4,
	KNS = MEMCG_END, KN_END = KNS + 4, SETS = KN_END, SET_END = SETS + 2, ROOTPTR = SET_END,
	NAME, MM
};

/* A pointer member: the slot it points to, plus an offset in words. */
struct link { uint8_t slot, word, to, to_word; };

/* Members are words; each type has its own. */
#define MEMBERS(M)									\
	M(M_FILE_MNT, 0) M(M_FILE_DENTRY, 1) M(M_FILE_INODE, 2) M(M_FILE_MAPPING, 3)	\
	M(M_FILE_MODE, 4) M(M_BACKING_MNT, 6) M(M_BACKING_DENTRY, 7) M(M_FOP_FLAGS, 0)	\
	M(M_DENTRY_PARENT, 0) M(M_DENTRY_NAME, 1) M(M_DENTRY_NAME_LEN, 2)		\
	M(M_DENTRY_INODE, 3) M(M_DENTRY_FLAGS, 4) M(M_DENTRY_OPS, 5) M(M_DENTRY_SB, 6)	\
	M(M_DENTRY_FSDATA, 7) M(M_DENTRY_HASH_NEXT, 8) M(M_DENTRY_HASH_PPREV, 9)	\
	M(M_DOP_DNAME, 0) M(M_MOUNT_VFS, 2) M(M_MOUNT_ROOT, 2) M(M_MOUNT_SB, 3)		\
	M(M_MOUNT_PARENT, 0) M(M_MOUNT_POINT, 1) M(M_INODE_INO, 0) M(M_INODE_MODE, 1)	\
	M(M_INODE_SIZE, 2) M(M_INODE_SB, 3) M(M_INODE_MAPPING, 4) M(M_SB_DEV, 0)	\
	M(M_SB_MAGIC, 1) M(M_SB_FS_INFO, 2) M(M_MAPPING_HOST, 0) M(M_MAPPING_NRPAGES, 1)\
	M(M_MAPPING_AOPS, 2) M(M_SHMEM_INODE, 2) M(M_SHMEM_SWAPPED, 0)			\
	M(M_HUGETLBFS_HSTATE, 0) M(M_HSTATE_ORDER, 1) M(M_DMABUF_NAME, 0)		\
	M(M_PIDNS_REAPER, 0) M(M_TASK_FS, 0) M(M_FS_ROOT_MNT, 0) M(M_FS_ROOT_DENTRY, 1)	\
	M(M_VMOPS_NAME, 1) M(M_VMOPS_FAULT, 2) M(M_SPECIAL_NAME, 0) M(M_MM_VDSO, 0)	\
	M(M_VMA_ANON_NAME, 1) M(M_VMA_SHARED, 2) M(M_ANON_NAME_TEXT, 1) M(M_CSET_DFL, 4)\
	M(M_CSS_CGROUP, 0) M(M_CSS_FLAGS, 1) M(M_CSS_PARENT, 2) M(M_CSS_CHILDREN, 3)	\
	M(M_CSS_SIBLING, 5) M(M_CGROUP_SELF, 0) M(M_CGROUP_ROOT, 8) M(M_CGROUP_KN, 9)	\
	M(M_CGROUP_DENTRY, 7) M(M_KN_PARENT, 0) M(M_KN_NAME, 1) M(M_MEMCG_CSS, 0)	\
	M(M_MEMCG_USAGE, 8) M(M_MEMCG_MAX, 9) M(M_MEMCG_SWAP, 10) M(M_MEMCG_MEMSW, 10)

static const struct link links[] = {
	{ FILES, 0, MOUNTS, 2 }, { FILES, 1, DENTRIES + 2, 0 }, { FILES, 2, INODES, 0 },
	{ FILES, 3, MAPPING, 0 }, { FILES, 6, MOUNTS + 1, 2 }, { FILES, 7, DENTRIES + 4, 0 },
	{ FILES + 1, 0, MOUNTS + 1, 2 }, { FILES + 1, 1, DENTRIES + 4, 0 },
	{ FILES + 1, 2, INODES + 1, 0 }, { FILES + 2, 0, MOUNTS + 1, 2 },
	{ FILES + 2, 1, DENTRIES + 5, 0 }, { FILES + 2, 2, INODES + 1, 0 },
	{ DENTRIES, 0, DENTRIES, 0 }, { DENTRIES + 1, 0, DENTRIES, 0 },
	{ DENTRIES + 2, 0, DENTRIES + 1, 0 }, { DENTRIES + 3, 0, DENTRIES + 3, 0 },
	{ DENTRIES + 4, 0, DENTRIES + 3, 0 }, { DENTRIES + 5, 0, DENTRIES + 5, 0 },
	{ DENTRIES + 5, 5, OPS, 0 }, { OPS, 0, NAME, 0 }, { OPS, 1, NAME, 2 },
	{ MOUNTS, 0, MOUNTS, 0 }, { MOUNTS, 1, DENTRIES, 0 }, { MOUNTS, 2, DENTRIES, 0 },
	{ MOUNTS, 3, SBS, 0 }, { MOUNTS + 1, 0, MOUNTS, 0 }, { MOUNTS + 1, 1, DENTRIES + 1, 0 },
	{ MOUNTS + 1, 2, DENTRIES + 3, 0 }, { MOUNTS + 1, 3, SBS + 1, 0 },
	{ INODES, 3, SBS, 0 }, { INODES, 4, MAPPING, 0 }, { INODES + 1, 3, SBS + 1, 0 },
	{ INODES + 1, 4, MAPPING, 0 }, { SBS + 1, 2, NAME, 0 }, { MAPPING, 0, INODES, 0 },
	{ VMA, 1, NAME, 0 }, { SPECIAL, 0, NAME, 1 }, { NS, 0, TASK, 0 }, { TASK, 0, FS, 0 },
	{ FS, 0, MOUNTS, 2 }, { FS, 1, DENTRIES, 0 }, { ROOTPTR, 0, MEMCGS, 0 },
	{ CGROUPS + 1, 2, CGROUPS, 0 }, { CGROUPS + 2, 2, CGROUPS + 1, 0 },
	{ CGROUPS + 3, 2, CGROUPS, 0 }, { KNS + 1, 0, KNS, 0 }, { KNS + 2, 0, KNS + 1, 0 },
	{ KNS + 3, 0, KNS, 0 },
	{ MEMCGS, 3, MEMCGS + 1, 5 }, { MEMCGS + 1, 5, MEMCGS + 3, 5 },
	{ MEMCGS + 3, 5, MEMCGS, 3 }, { MEMCGS, 4, MEMCGS + 3, 5 },
	{ MEMCGS + 3, 6, MEMCGS + 1, 5 },
	{ MEMCGS + 1, 6, MEMCGS, 3 }, { MEMCGS + 1, 3, MEMCGS + 2, 5 },
	{ MEMCGS + 1, 4, MEMCGS + 2, 5 }, { MEMCGS + 2, 5, MEMCGS + 1, 3 },
	{ MEMCGS + 2, 6, MEMCGS + 1, 3 }, { MEMCGS + 2, 3, MEMCGS + 2, 3 },
	{ MEMCGS + 2, 4, MEMCGS + 2, 3 }, { MEMCGS + 3, 3, MEMCGS + 3, 3 },
	{ MEMCGS + 3, 4, MEMCGS + 3, 3 }, { SETS, 1, MEMCGS + 2, 0 }, { SETS, 4, CGROUPS + 2, 0 },
	{ SETS + 1, 1, MEMCGS, 0 }, { SETS + 1, 4, CGROUPS + 3, 0 },
};

static uint64_t at(const struct fake *f, unsigned slot, unsigned word)
{
	return fake_kva(f, slot * SLOT + word * f->dump.word_size);
}

static void set(struct fake *f, uint8_t *mem, unsigned slot, unsigned word, uint64_t v)
{
	unsigned w = f->dump.word_size;

	store_uint(mem + slot * SLOT + word * w, v, w, f->dump.big_endian);
}

static void describe(struct fake *f, uint8_t flags)
{
	unsigned w = f->dump.word_size;

#define M(id, word) fake_member(f, id, (word)*w, w);
	MEMBERS(M)
#undef M
	fake_member(f, M_FILE_MODE, 4 * w, 4);
	fake_member(f, M_DENTRY_NAME_LEN, 2 * w, 4);
	fake_size(f, S_FILE, 6 * w);
	fake_size(f, S_DENTRY, 16 * w);
	fake_size(f, S_MOUNT, 8 * w);
	fake_size(f, S_INODE, 8 * w);
	fake_size(f, S_HLIST_BL_NODE, 2 * w);
	fake_array(f, M_CSET_SUBSYS, 0, w, 4);
	fake_array(f, M_CGROUP_SUBSYS, 10 * w, w, 4);
	fake_enum(f, E_MEMORY_CGRP, 1);
	fake_enum(f, E_CSS_ONLINE, 2);
	fake_symbol(f, Y_ROOT_MEM_CGROUP, at(f, ROOTPTR, 0));
	fake_symbol(f, Y_INIT_PID_NS, at(f, NS, 0));
	fake_symbol(f, Y_SPECIAL_MAPPING_NAME, at(f, NAME, 2));
	fake_symbol(f, Y_SPECIAL_MAPPING_FAULT, at(f, NAME, 3));
	f->kernel.rules.on[RULE_MAPS_USER_INODE] = true;
	if (flags & 4)
		f->kernel.layout.v[M_BACKING_MNT].alt = -1;
	if (flags & 16)
		f->kernel.layout.v[M_CGROUP_KN].alt = -1;
}

static void put_good(struct fake *f, uint8_t *mem, uint8_t flags)
{
	static const uint32_t magic[] = {
		MAGIC_HUGETLBFS, MAGIC_TMPFS, MAGIC_PIPE, MAGIC_SOCK, MAGIC_DMABUF,
		MAGIC_ANON_INODE, MAGIC_PID, 0,
	};
	unsigned w = f->dump.word_size;

	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		set(f, mem, links[i].slot, links[i].word, at(f, links[i].to, links[i].to_word));
	memcpy(mem + NAME * SLOT, "[a name of some length, 64 bytes of it or more]", 48);
	store_uint(mem + FILES * SLOT + 4 * w, 1u << 24, 4, f->dump.big_endian);
	set(f, mem, INODES, 1, 0100644);
	set(f, mem, SBS + 1, 1, magic[flags >> 5]);
	for (unsigned i = DENTRIES; i < DENTRY_END; i++) {
		set(f, mem, i, 1, at(f, i, 10));
		store_uint(mem + i * SLOT + 2 * w, 3, 4, f->dump.big_endian);
		set(f, mem, i, 3, at(f, INODES, 0));
		set(f, mem, i, 6, at(f, i < DENTRIES + 3 ? SBS : SBS + 1, 0));
		memcpy(mem + i * SLOT + 10 * w, "dir", 3);
	}
	for (unsigned i = 0; i < 4; i++) {
		set(f, mem, CGROUPS + i, 0, at(f, CGROUPS + i, 0));
		set(f, mem, CGROUPS + i, 8, at(f, flags & 8 ? MM : NAME, 0));
		set(f, mem, CGROUPS + i, 7, at(f, DENTRIES + i, 0));
		set(f, mem, CGROUPS + i, 9, at(f, KNS + i, 0));
		set(f, mem, CGROUPS + i, 11, at(f, MEMCGS + i, 0));
		set(f, mem, KNS + i, 1, at(f, NAME, i));
		set(f, mem, MEMCGS + i, 0, at(f, CGROUPS + i, 0));
	}
}

static void patch(struct fake *f, uint8_t *mem, const uint8_t *p)
{
	unsigned w = f->dump.word_size;
	unsigned where = load16(p, false) % (MEMORY / w), what = load16(p + 2, false);
	uint64_t v = what - 0x8000u;

	if (what < 0x8000)
		v = fake_kva(f, what * 2u % MEMORY);
	else if (what == 0xffff)
		v = fake_kva(f, 0x800000);
	store_uint(mem + where * w, v, w, f->dump.big_endian);
}

static void name_all(struct fake *f)
{
	struct mm mm = { .addr = at(f, MM, 0), .start_brk = 0x1000, .brk = 0x3000 };
	struct task task = { .flags = 4 };
	struct proc procs[2] = { { .leader = 0 }, { .leader = 0 } };
	struct snapshot s = { .k = &f->kernel,
			      .mms = &mm,
			      .nmms = 1,
			      .tasks = &task,
			      .ntasks = 1,
			      .procs = procs,
			      .nprocs = 2 };
	uint64_t sets[2] = { at(f, SETS, 0), at(f, SETS + 1, 0) };
	struct filetab *t = filetab_new(&s, f->r);
	struct vma v = { .addr = at(f, VMA, 0),
			 .start = 0x4000,
			 .end = 0x5000,
			 .ops = at(f, OPS, 0),
			 .private_data = at(f, SPECIAL, 0) };

	for (unsigned i = FILES; i < FILE_END; i++)
		filetab_get(t, at(f, i, 0));
	filetab_finish(t);
	vma_name(&s, f->r, &v);
	v.file = NONE;
	vma_name(&s, f->r, &v);
	v.ops = 0;
	vma_name(&s, f->r, &v);
	for (unsigned i = 0; i < 2; i++)
		path_of(&f->kernel, f->r, &s.mem, at(f, MOUNTS + i, 2), at(f, DENTRIES + 2, 0));
	cgroups_build(&s, f->r, sets);
	arena_release(&s.mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t mem[MEMORY] = { 0 };
	struct fake *f;

	if (!size)
		return 0;
	f = fake_new(data[0] & 1 ? 4 : 8, data[0] & 2);
	describe(f, data[0]);
	put_good(f, mem, data[0]);
	for (size_t i = 1; i + 4 <= size && i < 4 * 64; i += 4)
		patch(f, mem, data + i);
	fake_put(f, 0, mem, sizeof(mem));
	name_all(f);
	fake_free(f);
	return 0;
}
