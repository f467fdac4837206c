/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refcounts.c - compares the counts of dentries, inodes and open files with the pointers to them.
 *
 * What is being freed has a count of 0 or below. What is not sound is not listed: a dentry has a parent, a file a
 * dentry, and all of them a super block whose file system has a name.
 */
#include "model/memory/reach/refcounts.h"

#include <ctype.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/search.h"
#include "facts/layout/census.h"
#include "facts/layout/file.h"
#include "facts/layout/module.h"
#include "model/kernel/file/inode_path.h"
#include "model/kernel/kobj.h"
#include "model/memory/reach/pointers.h"

#define SUPERS	 65536u		   /* super blocks, at most */
#define MOST	 (UINT64_C(1) << 30) /* references; more are no count */
#define NAME	 64u
#define PATHS	 (UINT64_C(16) << 20) /* bytes of all paths */

struct super {
	uint64_t kva;
	const char *fs; /* NULL: it is no super block */
	bool pins;	/* its dentries have a reference of their own while they can be found */
	uint32_t group[REFCOUNTS_TYPES]; /* place in groups, and 1; 0: none yet */
};

/* An object with too many references. */
struct over {
	uint64_t node, kva; /* kva: of the inode, if it is one */
	uint32_t group;
};

struct judge {
	struct pointers c;
	const struct kernel *k;
	struct reader *r;
	struct arena *mem;
	struct refcounts *ret;
	struct hash by_super;
	struct pathwalk path;
	uint64_t paths_left;
	VEC(struct super) supers;
	VEC(struct over) over;
	VEC(struct refcounts_group) groups;
	uint64_t *counted; /* a bit for each node: its memory is in a group */
};

/* ---- super blocks -------------------------------------------------------------------------------- */

/*
 * File systems in memory take a reference to each dentry that they make, and d_genocide() gives it back at unmount:
 * d_instantiate() and dget() until d_make_persistent() (v7.0 or near), which marks the dentry.
 */
static const char *const pinning[] = {
	"tmpfs",      "ramfs",	   "rootfs",	   "devtmpfs", "shm",	   "hugetlbfs", "debugfs",
	"tracefs",    "securityfs", "configfs",	   "mqueue",   "bpf",	   "devpts",	"autofs",
	"selinuxfs",  "smackfs",   "apparmorfs",   "fusectl",  "efivarfs", "pstore",	"binfmt_misc",
	"rpc_pipefs", "nfsd",	   "functionfs",   "gadgetfs", "binder",   "ibmasmfs",	"qib_ipathfs",
	"spufs",      "oprofilefs", "s390_hypfs",  "xenfs",    "usbfs",	   "resctrl",	"dlmfs",
	"ocfs2_dlmfs", "inotifyfs", "futexfs",	   "lockd",
};

static bool is_pinning(const char *fs)
{
	for (size_t i = 0; i < ARRAY_LEN(pinning); i++)
		if (!strcmp(fs, pinning[i]))
			return true;
	return false;
}

static const char *fs_name(struct judge *j, uint64_t sb)
{
	uint64_t type, name;
	char text[NAME];

	if (kernel_ptr_ok(j->k, sb, j->k->dump->word_size) &&
	    !kmember_u64(j->k, j->r, sb, M_SB_TYPE, &type) && kernel_static_ok(j->k, type, 1) &&
	    !kmember_u64(j->k, j->r, type, M_FSTYPE_NAME, &name) &&
	    kernel_static_ok(j->k, name, 1) && !read_kva_str(j->r, name, text, sizeof(text)) &&
	    isalnum((unsigned char)*text))
		return arena_strdup(j->mem, text);
	return NULL;
}

/* The place of SB in supers; UINT32_MAX: it is no super block. */
static uint32_t super_of(struct judge *j, uint64_t sb)
{
	uint32_t i = sb ? hash_get(&j->by_super, sb) : HASH_NONE;
	struct super *s;

	if (i == HASH_NONE) {
		if (!sb || j->supers.n == SUPERS)
			return UINT32_MAX;
		i = (uint32_t)j->supers.n;
		s = vec_push(j->mem, &j->supers);
		s->kva = sb;
		s->fs = fs_name(j, sb);
		s->pins = s->fs && is_pinning(s->fs);
		hash_put(&j->by_super, sb, i);
	}
	return j->supers.v[i].fs ? i : UINT32_MAX;
}

static const char *device(struct judge *j, const struct super *s)
{
	char text[NAME];

	if (!has(j->k, M_SB_NAME) ||
	    read_kva_str(j->r, s->kva + layout_offset(&j->k->layout, M_SB_NAME), text,
			 sizeof(text)) ||
	    !isprint((unsigned char)*text) || !strcmp(text, s->fs))
		return NULL;
	return arena_strdup(j->mem, text);
}

/* Where it is mounted, in the namespace of process 1. */
static const char *mount_point(struct judge *j, const struct super *s)
{
	uint64_t mnt = sb_mount(j->k, j->r, s->kva), root;
	struct path_text text;

	if (!mnt || !has(j->k, M_MOUNT_ROOT) ||
	    kmember_u64(j->k, j->r, mnt - layout_offset(&j->k->layout, M_MOUNT_VFS), M_MOUNT_ROOT,
			&root))
		return NULL;
	path_read(&j->path, mnt, root, &text);
	/* "/" of a file system that only the kernel mounts says nothing */
	if (!text.whole || text.s[0] != '/' || (text.len == 1 && mnt != j->path.root_mnt))
		return NULL;
	return arena_strndup(j->mem, text.s, text.len);
}

/* ---- one object ------------------------------------------------------------------------------------ */

/* References of the object at KVA; 0: it is not sound, or being freed. */
static uint64_t references(struct judge *j, enum refcounts_type type, uint64_t kva)
{
	static const enum layout_id of[REFCOUNTS_TYPES] = { M_DENTRY_COUNT, M_INODE_COUNT,
							    M_FILE_COUNT };
	bool less = type == REFCOUNTS_FILE && !has(j->k, M_FILE_COUNT);
	enum layout_id id = less ? M_FILE_REF : of[type];
	unsigned bits = 8 * j->k->layout.v[id].m.size;
	uint64_t n;

	if (kmember_u64(j->k, j->r, kva, id, &n))
		return 0;
	n += less;
	return n >= MOST || (bits < 64 && n >> (bits - 1)) ? 0 : n;
}

static bool is_persistent(struct judge *j, uint64_t dentry, const struct super *s)
{
	int64_t bit = layout_enum(&j->k->layout, E_DENTRY_PERSISTENT, 0);
	struct kobj *d = &j->path.dentry;

	if (kobj_read(d, j->r, dentry))
		return true;
	return bit > 0 ? kobj_u64(d, M_DENTRY_FLAGS) & (uint64_t)bit
		       : s->pins && !dentry_unhashed(d);
}

/* The super block of the object, and *KEEPS: what it has a reference to. */
static uint32_t owner(struct judge *j, enum refcounts_type type, uint64_t kva, uint64_t *keeps)
{
	uint64_t sb, up;

	*keeps = 0;
	if (type == REFCOUNTS_FILE) {
		if (kmember_u64(j->k, j->r, kva, M_FILE_DENTRY, keeps) ||
		    !refcounts_is(&j->c, *keeps, REFCOUNTS_DENTRY, NULL))
			return UINT32_MAX;
		kva = *keeps;
	} else if (type == REFCOUNTS_DENTRY) {
		if (kmember_u64(j->k, j->r, kva, M_DENTRY_PARENT, &up) ||
		    !refcounts_is(&j->c, up, REFCOUNTS_DENTRY, NULL) ||
		    kmember_u64(j->k, j->r, kva, M_DENTRY_INODE, keeps))
			return UINT32_MAX;
	}
	if (kmember_u64(j->k, j->r, kva, type == REFCOUNTS_INODE ? M_INODE_SB : M_DENTRY_SB, &sb))
		return UINT32_MAX;
	return super_of(j, sb);
}

/* ---- groups ------------------------------------------------------------------------------------------ */

static void add_memory(struct judge *j, struct refcounts_group *g, uint64_t node)
{
	struct reach_node n;

	if (node >= j->c.x->unit_nodes || reach_set(j->counted, node))
		return;
	reach_describe(j->c.x, node, &n);
	if (n.unit->cache != REACH_BLOCK)
		g->bytes += j->c.x->caches.v[n.unit->cache].size;
}

static void name_group(struct judge *j, struct refcounts_group *g, uint64_t kva, uint64_t keeps)
{
	uint64_t mnt = sb_mount(j->k, j->r, g->sb);
	struct path_text text;

	g->example = kva;
	if (g->type == REFCOUNTS_INODE) {
		g->name = inode_path(&j->path, kva, mnt, &j->paths_left, j->mem);
		return;
	}
	if (g->type == REFCOUNTS_FILE)
		if (kmember_u64(j->k, j->r, kva, M_FILE_MNT, &mnt))
			mnt = 0;
	if (mnt)
		path_read(&j->path, mnt, g->type == REFCOUNTS_FILE ? keeps : kva, &text);
	else
		path_in_fs(&j->path, kva, &text);
	g->name = arena_strndup(j->mem, text.s, text.len);
}

static uint32_t group_of(struct judge *j, enum refcounts_type type, uint32_t super, uint64_t kva,
			 uint64_t keeps)
{
	struct super *s = &j->supers.v[super];
	struct refcounts_group *g;

	if (s->group[type])
		return s->group[type] - 1;
	if (j->groups.n == REFCOUNTS_GROUPS)
		return UINT32_MAX;
	g = vec_push(j->mem, &j->groups);
	*g = (struct refcounts_group){ .type = type,
				       .sb = s->kva,
				       .fs = s->fs,
				       .device = device(j, s),
				       .mount = mount_point(j, s) };
	name_group(j, g, kva, keeps);
	s->group[type] = (uint32_t)j->groups.n;
	return s->group[type] - 1;
}

static void compare(struct judge *j, enum refcounts_type type, uint64_t node, uint64_t kva)
{
	uint64_t n = references(j, type, kva), held = j->c.pointers[node], keeps;
	uint32_t super, group;

	if (n <= held)
		return;
	super = owner(j, type, kva, &keeps);
	if (super == UINT32_MAX)
		return;
	if (type == REFCOUNTS_DENTRY && is_persistent(j, kva, &j->supers.v[super]) && n <= ++held)
		return;
	group = group_of(j, type, super, kva, keeps);
	if (group == UINT32_MAX) {
		issue_add(j->k->issues, ST_LIMIT, "reference", 1,
			  "there are more than %u groups of objects", REFCOUNTS_GROUPS);
		return;
	}
	j->groups.v[group].objects++;
	j->groups.v[group].excess += n - held;
	*vec_push(j->mem, &j->over) = (struct over){ node, kva, group };
}

static void compare_slab(struct judge *j, const struct reach_unit *u)
{
	const struct refcounts_cache *of = &j->c.of[u->cache];
	uint64_t kva = reach_slab(j->c.x, u) + of->at;

	for (uint32_t i = 0; i < u->n; i++, kva += j->c.x->caches.v[u->cache].size)
		if (!reach_bit(j->c.x->freed, u->first + i)) {
			j->ret->seen[of->type]++;
			compare(j, of->type, u->first + i, kva);
		}
}

/* ---- all ------------------------------------------------------------------------------------------------ */

/* First the objects themselves, so that what one of them keeps is not taken from another group. */
static void add_all_memory(struct judge *j)
{
	uint64_t keeps, node;

	for (size_t i = 0; i < j->over.n; i++)
		add_memory(j, &j->groups.v[j->over.v[i].group], j->over.v[i].node);
	for (size_t i = 0; i < j->over.n; i++) {
		const struct over *o = &j->over.v[i];
		struct refcounts_group *g = &j->groups.v[o->group];

		owner(j, g->type, o->kva, &keeps);
		if (g->type == REFCOUNTS_FILE &&
		    refcounts_is(&j->c, keeps, REFCOUNTS_DENTRY, &node)) {
			add_memory(j, g, node);
			if (kmember_u64(j->k, j->r, keeps, M_DENTRY_INODE, &keeps))
				keeps = 0;
		}
		if (refcounts_is(&j->c, keeps, REFCOUNTS_INODE, &node))
			add_memory(j, g, node);
	}
}

static int by_excess(const void *a, const void *b)
{
	const struct refcounts_group *p = a, *q = b;

	if (p->excess != q->excess)
		return p->excess > q->excess ? -1 : 1;
	return p->example < q->example ? -1 : p->example > q->example;
}

void refcounts_build(const struct reach *x, struct arena *mem, struct refcounts *ret)
{
	struct judge *j = arena_array(mem, struct judge, 1);

	*ret = (struct refcounts){ 0 };
	*j = (struct judge){ .c.x = x, .k = x->k, .mem = mem, .ret = ret, .paths_left = PATHS };
	j->by_super.mem = mem;
	j->r = kernel_reader(x->k);
	refcounts_caches(&j->c, j->r, mem);
	refcounts_points(&j->c, mem);
	j->counted = arena_array(mem, uint64_t, x->unit_nodes / 64 + 1);
	pathwalk_init(&j->path, x->k, j->r);
	for (uint32_t i = 0; i < x->caches.n; i++)
		if (j->c.of[i].type != REFCOUNTS_NONE)
			ret->known[j->c.of[i].type] = true;
	for (uint64_t i = 0; i < x->units.n; i++)
		if (x->units.v[i].cache != REACH_BLOCK &&
		    j->c.of[x->units.v[i].cache].type != REFCOUNTS_NONE)
			compare_slab(j, &x->units.v[i]);
	add_all_memory(j);
	sort_array(j->groups.v, j->groups.n, sizeof(*j->groups.v), by_excess);
	ret->v = j->groups.v;
	ret->n = (uint32_t)j->groups.n;
	pathwalk_release(&j->path);
	reader_free(j->r);
}
