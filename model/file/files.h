/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files.h - what VMAs map, under the name that the kernel itself would print.
 */
#ifndef VMCENSUS_FILES_H
#define VMCENSUS_FILES_H

#include "model/model.h"

/* A file table under construction: one for each snapshot, one thread. */
struct filetab;

struct filetab *filetab_new(struct snapshot *s, struct reader *r);

/*
 * Index in s->files of the struct file at FILE_KVA (0: NONE), made at the first
 * call and found by address, then by (inode, path), at later ones. A file that
 * cannot be read still gets a row, with status_known false.
 */
uint32_t filetab_get(struct filetab *t, uint64_t file_kva);

/* The same for the file of a VMA, under the name that maps gives it there. */
uint32_t filetab_of_vma(struct filetab *t, const struct vma *v);

/* Of a live machine: what was read of V's file was damaged; read it anew next time. */
void filetab_forget(struct filetab *t, const struct vma *v);

/* s->files and s->nfiles are final after this. */
void filetab_finish(struct filetab *t);

/*
 * v->name: what the last column of /proc/PID/maps says (show_map_vma(),
 * fs/proc/task_mmu.c): path, [heap], [stack], [vdso], [anon:NAME] ... Needs
 * v->file, its mm and its proc.
 */
void vma_name(struct snapshot *s, struct reader *r, struct vma *v);

/*
 * Path of a struct path {mnt, dentry} as d_path() would print it for a reader
 * whose root is that of process 1; in ARENA, never NULL.
 */
const char *path_of(const struct kernel *k, struct reader *r, struct arena *mem,
		    uint64_t mnt, uint64_t dentry);

#endif
