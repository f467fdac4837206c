/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files.h - the files that VMAs map, under the names that the kernel would print.
 */
#ifndef VMCENSUS_FILES_H
#define VMCENSUS_FILES_H

#include "model/model.h"

/* A file table under construction: one for each snapshot, one thread. */
struct filetab;

struct filetab *filetab_new(struct snapshot *s, struct reader *r);

/*
 * Index in s->files of the struct file at FILE_KVA (0: NONE). The first call makes the
 * row; later calls find it by address, then by (inode, path). A file that cannot be read
 * still gets a row, with status_known false.
 */
uint32_t filetab_get(struct filetab *t, uint64_t file_kva);

/* The same for the file of a VMA, under the name that maps gives it there. */
uint32_t filetab_of_vma(struct filetab *t, const struct vma *v);

/* On a live machine: the data read for V's file was damaged; read it again next time. */
void filetab_forget(struct filetab *t, const struct vma *v);

/* s->files and s->nfiles are final after this. */
void filetab_finish(struct filetab *t);

/*
 * v->name: the text in the last column of /proc/PID/maps (show_map_vma(),
 * fs/proc/task_mmu.c): path, [heap], [stack], [vdso], [anon:NAME] ... Needs v->file, its
 * mm and its proc.
 */
void vma_name(struct snapshot *s, struct reader *r, struct vma *v);
/* The same as the file of P says, which shares the mm: its own stacks have names. In MEM, or as
   vma_name() found it. R may be NULL. */
const char *vma_name_in(const struct snapshot *s, struct reader *r, const struct vma *v,
			const struct proc *p, struct arena *mem);

/* vma_is_initial_heap() and is_stack() of this kernel, whatever V is. */
bool vma_is_heap(const struct snapshot *s, const struct vma *v);
bool vma_is_stack(const struct snapshot *s, const struct vma *v);

/*
 * Path of a struct path {mnt, dentry} as d_path() would print it for a reader
 * whose root is that of process 1; in ARENA, never NULL.
 */
const char *path_of(const struct kernel *k, struct reader *r, struct arena *mem,
		    uint64_t mnt, uint64_t dentry);

#endif
