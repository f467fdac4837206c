/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arrow_abi.h - the public structures of the Arrow C data and C stream interfaces, as their specification has them
   (arrow.apache.org/docs/format: CDataInterface, CStreamInterface). */
#ifndef VMCENSUS_LIBRARY_ARROW_ABI_H
#define VMCENSUS_LIBRARY_ARROW_ABI_H

#include <stdint.h>

#define ARROW_FLAG_NULLABLE 2

struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

#endif
