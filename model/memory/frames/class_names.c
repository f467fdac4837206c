/* SPDX-License-Identifier: GPL-3.0-or-later */
/* class_names.c - what is known of the classes themselves. */
#include "model/memory/frames/classes.h"

const char *page_class_name(enum page_class c)
{
	static const char *const names[] = {
#define C(id, name, what) name,
#include "model/memory/frames/classes.def"
#undef C
	};

	return names[c];
}

const char *page_class_what(enum page_class c)
{
	static const char *const texts[] = {
#define C(id, name, what) what,
#include "model/memory/frames/classes.def"
#undef C
	};

	return texts[c];
}

bool page_class_uncounted(enum page_class c)
{
	switch (c) {
	case CLASS_FREE_CPU:
	case CLASS_SWAPCACHE:
	case CLASS_TRUNCATED:
	case CLASS_PERF:
	case CLASS_ZERO:
	case CLASS_TABLES_OWN:
	case CLASS_MODULE:
	case CLASS_DEPOT:
	case CLASS_VMALLOC:
	case CLASS_VMAP:
	case CLASS_PIPE:
	case CLASS_SOCKET:
	case CLASS_PACKET:
	case CLASS_URING:
	case CLASS_BPF:
	case CLASS_TRACE:
	case CLASS_BLOCK:
	case CLASS_FS:
	case CLASS_RPC:
	case CLASS_STRIPES:
	case CLASS_KEXEC:
	case CLASS_HASH:
	case CLASS_FRAGS:
	case CLASS_PAGE_POOL:
	case CLASS_DMABUF:
	case CLASS_SWAP_MAP:
	case CLASS_DMA:
	case CLASS_SWIOTLB:
	case CLASS_UNKNOWN: return true;
	default: return false;
	}
}

bool page_class_private(enum page_class c)
{
	switch (c) {
	case CLASS_FREE_CPU:
	case CLASS_TABLES:
	case CLASS_TABLES_OWN:
	case CLASS_STACK:
	case CLASS_PAGE_EXT:
	case CLASS_KFENCE:
	case CLASS_DEPOT:
	case CLASS_BLOCK:
	case CLASS_FS:
	case CLASS_STRIPES:
	case CLASS_KEXEC:
	case CLASS_ZBUD:
	case CLASS_SWAP_MAP: return true;
	default: return false;
	}
}
