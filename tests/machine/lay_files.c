/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files: inodes, page caches, the directories of their paths, a mount for the disk and for each
 * directory with files in memory.
 */
#include "facts/layout/file.h"
#include "tests/machine/lay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t lay_dentry(struct machine *m, enum mfs fs, const char *name, const char *text,
			   size_t len, uint64_t parent)
{
	uint64_t d = mobject(m, "dentry", name, OBJECT / 2), s = d + OBJECT / 2;

	mset_bytes(m, s, text, len);
	mput(m, d, M_DENTRY_NAME, s);
	mput(m, d, M_DENTRY_NAME_LEN, len);
	mput(m, d, M_DENTRY_PARENT, parent ? parent : d);
	mput(m, d, M_DENTRY_SB, m->super[fs]);
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

void lay_mount(struct machine *m)
{
	uint64_t mount = mobject_of(m, "mount", "root", S_MOUNT);

	m->mount = mount;
	m->super[MFS_DISK] = lay_super(m, "root", 31, 0);
	m->root_dentry = lay_dentry(m, MFS_DISK, "/", "/", 1, 0);
	mput(m, mount, M_MOUNT_ROOT, m->root_dentry);
	mput(m, mount, M_MOUNT_POINT, m->root_dentry);
	mput(m, mount, M_MOUNT_PARENT, mount);
	mput(m, mount, M_MOUNT_SB, m->super[MFS_DISK]);
}

static const struct object *known_dentry(const struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->objects.n; i++)
		if (!strcmp(m->objects.v[i].kind, "dentry") && !strcmp(m->objects.v[i].name, name))
			return &m->objects.v[i];
	return NULL;
}

/* The dentry of the directory before the last name of PATH. */
static uint64_t lay_parents(struct machine *m, const char *path, const char **last)
{
	uint64_t parent = m->root_dentry;
	const char *s = path + 1, *slash;

	for (; (slash = strchr(s, '/')); s = slash + 1) {
		char prefix[48];
		const struct object *known;

		snprintf(prefix, sizeof(prefix), "%.*s", (int)(slash - path), path);
		known = known_dentry(m, prefix);
		parent = known ? known->kva
			       : lay_dentry(m, MFS_DISK, prefix, s, (size_t)(slash - s), parent);
	}
	*last = s;
	return parent;
}

/* The mount of FS on the directory POINT; its root becomes *PARENT. */
static uint64_t lay_memory_mount(struct machine *m, enum mfs fs, uint64_t point, uint64_t *parent)
{
	char name[48];
	uint64_t mount;
	const struct object *known;

	snprintf(name, sizeof(name), "%d at %" PRIx64, (int)fs, point);
	known = known_dentry(m, name);
	if (known) {
		*parent = known->kva;
		return mfind(m, "mount", name)->kva;
	}
	*parent = lay_dentry(m, fs, name, "/", 1, 0);
	mount = mobject_of(m, "mount", name, S_MOUNT);
	mput(m, mount, M_MOUNT_ROOT, *parent);
	mput(m, mount, M_MOUNT_POINT, point);
	mput(m, mount, M_MOUNT_PARENT, m->mount);
	mput(m, mount, M_MOUNT_SB, m->super[fs]);
	return mount;
}

/* i_data, somewhere after the inode */
uint64_t mmapping_of(const struct mfile *f)
{
	return f->inode + OBJECT / 2;
}

void lay_file(struct machine *m, struct mfile *f)
{
	const char *last;
	uint64_t parent = lay_parents(m, f->path, &last), mount = m->mount, mapping;

	lay_memory_fs(m, f->fs);
	if (f->fs != MFS_DISK)
		mount = lay_memory_mount(m, f->fs, parent, &parent);
	f->dentry = lay_dentry(m, f->fs, f->name, last, strlen(last), parent);
	/* in a shmem_inode_info, but not at its start */
	mobject(m, "inode", f->name, OBJECT);
	f->inode = mfind(m, "inode", f->name)->kva += OBJECT / 4;
	f->file = mobject_of(m, "file", f->name, S_FILE);
	mapping = mmapping_of(f);
	mput(m, f->dentry, M_DENTRY_INODE, f->inode);
	mput(m, f->inode, M_INODE_INO, f->ino);
	mput(m, f->inode, M_INODE_MODE, 0100755);
	mput(m, f->inode, M_INODE_SB, m->super[f->fs]);
	mput(m, f->inode, M_INODE_MAPPING, mapping);
	mput(m, mapping, M_MAPPING_HOST, f->inode);
	mput(m, f->file, M_FILE_DENTRY, f->dentry);
	mput(m, f->file, M_FILE_MNT, mount + layout_offset(&m->layout, M_MOUNT_VFS));
	mput(m, f->file, M_FILE_INODE, f->inode);
	mput(m, f->file, M_FILE_MAPPING, mapping);
}
