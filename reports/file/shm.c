/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shm - one row per object of shared memory: its pages and its users.
 */
#include <inttypes.h>

#include "dumpread/base/bytes.h"
#include "model/kernel/file/shm.h"
#include "reports/core/common.h"

struct row {
	const char *kind, *path, *comm;
	uint64_t size, resident, swapped;
	uint64_t mappers, vmas, openers, uid, ino, shmid, key, unlinked, inode;
	int64_t pid;
};

#define P COL_SHOWN
#define BYTES(name, about) COL(struct row, name, COL_BYTES, P | COL_TOTAL, "bytes", about)

static const struct column cols[] = {
	COL(struct row, kind, COL_STR, P, "",
	    "tmpfs, memfd, sysv, anon (shared anonymous memory), kernel (no process's), hugetlb"),
	COL(struct row, size, COL_BYTES, P, "bytes", "size, including parts never written"),
	BYTES(resident, "pages in memory; their sum without hugetlb is Shmem of meminfo"),
	BYTES(swapped, "pages in swap"),
	COL(struct row, mappers, COL_UINT, P, "", "processes that map it"),
	COL(struct row, vmas, COL_UINT, 0, "", "vmas that map it (nattch of SysV)"),
	COL(struct row, openers, COL_UINT, P, "", "processes that have it open"),
	COL(struct row, unlinked, COL_UINT, P, "", "1: deleted; no path leads to it"),
	COL(struct row, uid, COL_UINT, P, "", "owner"),
	COL(struct row, shmid, COL_UINT, 0, "", "of sysv"),
	COL(struct row, key, COL_HEX, 0, "", "of sysv; 0: private"),
	COL(struct row, ino, COL_UINT, 0, "", "inode number"),
	COL(struct row, inode, COL_HEX, 0, "", "address of the inode"),
	COL(struct row, pid, COL_INT, P, "", "first process that maps it or has it open"),
	COL(struct row, comm, COL_STR, P, "", "its name"),
	COL(struct row, path, COL_STR, P, "", "path"),
};

static void set_row(const struct snapshot *s, const struct shm_object *o, struct row *r)
{
	static const char *const kinds[] = {
		[SHM_TMPFS] = "tmpfs", [SHM_MEMFD] = "memfd", [SHM_SYSV] = "sysv",
		[SHM_ANON] = "anon", [SHM_KERNEL] = "kernel", [SHM_HUGETLB] = "hugetlb",
	};
	const struct proc *p = o->users.first < s->nprocs ? &s->procs[o->users.first] : NULL;
	bool sysv = o->segment;

	*r = (struct row){
		.kind = kinds[o->kind],
		.path = o->path,
		.size = o->size,
		.resident = o->resident * page_size(s),
		.swapped = o->swapped * page_size(s),
		.mappers = o->users.mappers,
		.vmas = o->users.nvmas,
		.openers = o->users.openers,
		.uid = o->uid == UINT32_MAX ? COL_UNKNOWN : o->uid,
		.ino = o->ino,
		.shmid = sysv ? o->ino : COL_UNKNOWN,
		.key = sysv ? o->key : COL_UNKNOWN,
		.unlinked = o->unlinked,
		.inode = o->inode,
		.pid = p ? p->pid : COL_UNKNOWN_INT,
		.comm = p ? proc_comm(s, p) : NULL,
	};
}

/* /run has many files without pages that nobody uses. They cost nothing. */
static bool shm_wanted(const struct shm_object *o, const struct report_opts *opts)
{
	return opts->all || o->resident || o->swapped ||
	       (o->regular && (o->users.mappers || o->users.openers));
}

static const char *shm_note(const struct snapshot *s, const struct shm *shm, struct arena *mem)
{
	uint64_t pages = 0, kernels = machine_meminfo(&s->machine, "Shmem"), sum;
	int64_t on_cpus = s->machine.shmem_on_cpus;
	const char *also = "";

	for (uint32_t i = 0; i < shm->n; i++)
		pages += shm->v[i].kind == SHM_HUGETLB ? 0 : shm->v[i].resident;
	sum = pages * page_size(s);
	if (!shm->whole)
		return "only mapped objects: not all file systems could be walked";
	if (kernels == UINT64_MAX)
		return NULL;
	if (on_cpus == INT64_MIN)
		on_cpus = 0;
	else if (on_cpus)
		also = arena_printf(mem, " and %+" PRId64 " KiB by CPUs that have not handed it in",
				    on_cpus / 1024);
	return arena_printf(mem,
			    "resident without hugetlb %" PRIu64 " KiB; the kernel counted %" PRIu64
			    " KiB (Shmem)%s, difference %+" PRId64 " KiB",
			    sum >> 10, kernels >> 10, also,
			    ((int64_t)sum - (int64_t)kernels - on_cpus) / 1024);
}

static enum status shm_report(const struct snapshot *s, const struct report_opts *o,
			      struct table *t, struct diag *diag)
{
	const struct shm *shm = shm_of(s);
	struct row *rows;

	(void)diag;
	t->rows = rows = arena_array(&t->mem, struct row, shm->n);
	t->row_size = sizeof(*rows);
	for (uint32_t i = 0; i < shm->n; i++)
		if (shm_wanted(&shm->v[i], o))
			set_row(s, &shm->v[i], &rows[t->nrows++]);
	t->note = shm_note(s, shm, &t->mem);
	return ST_OK;
}

const struct report report_shm = {
	.name = "shm",
	.about = "shared memory and tmpfs, object by object, mapped or not",
	.needs = NEED_TASKS | NEED_VMAS | NEED_MACHINE,
	.opts = OPT_ALL,
	.cols = cols,
	.ncols = ARRAY_LEN(cols),
	.sort = "-resident,-swapped,path",
	.run = shm_report,
	.help = "One row for each object of shared memory: files of tmpfs and devtmpfs, memfd, SysV\n"
		"segments and shared anonymous memory. Objects that no process maps are included;\n"
		"no process's rss shows them. --all adds unused objects without pages. Objects of\n"
		"huge pages have the kind hugetlb; the kernel counts them separately (Hugetlb). Huge\n"
		"pages in private vmas belong to no object. The line below compares the sum of\n"
		"all other objects with the kernel's own counter.",
};
