/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The process that calls libkdumpfile.
 *
 * Guards against what 0.5.1 to 0.5.6 do: mmap of a file that is cut off ends
 * in SIGBUS (so: never); an ELF file without VMCOREINFO leaves the page size 0
 * and divides by it (so: 4096 before any read); a failed open is cleaned up twice,
 * through a null pointer (so: this process). Each request has a limit of processor
 * time, and the process one of memory: a file that makes the library loop, or take
 * all memory, ends only this process.
 */
#include <libkdumpfile/kdumpfile.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/memory.h"
#include "dumpread/container/kdumpfile.h"

#define MAP_AT_ONCE ((uint64_t)32 << 10)	/* frames asked for at once */
#define SECONDS 20			/* of processor time for a request */
#define MEMORY ((rlim_t)2 << 30)	/* bytes, besides those in use at the start */

struct server {
	int to;
	kdump_ctx_t *c;
	struct kdumpfile_told told;
	const void *vmcoreinfo;
};

static void send_bytes(const struct server *s, const void *p, size_t n)
{
	for (const char *at = p; n;) {
		ssize_t done = write(s->to, at, n);

		if (done <= 0)
			_exit(0); /* nobody reads any more */
		at += done;
		n -= (size_t)done;
	}
}

static bool get_number(kdump_ctx_t *c, const char *key, uint64_t *ret)
{
	kdump_num_t v;

	if (kdump_get_number_attr(c, key, &v) != KDUMP_OK)
		return false;
	*ret = v;
	return true;
}

static void get_string(kdump_ctx_t *c, const char *key, char *buf, size_t size)
{
	const char *s;

	if (kdump_get_string_attr(c, key, &s) == KDUMP_OK)
		snprintf(buf, size, "%s", s);
}

static bool fail_told(struct server *s, enum status st, const char *why)
{
	s->told.st = st;
	snprintf(s->told.text, sizeof(s->told.text), "%s", why);
	return false;
}

static bool open_files(struct server *s, unsigned n, const int *fds)
{
	kdump_status st;

	kdump_set_number_attr(s->c, KDUMP_ATTR_FILE_MMAP_POLICY, KDUMP_MMAP_NEVER);
	st = kdump_open_fdset(s->c, n, fds);
	switch (st) {
	case KDUMP_OK: return true;
	case KDUMP_ERR_NOTIMPL:
		/* unknown to it, or recognised and not handled */
		return fail_told(s, ST_NOTMINE, "");
	default:
		return fail_told(s, st == KDUMP_ERR_SYSTEM ? ST_IO : ST_CORRUPT,
				 kdump_get_err(s->c));
	}
}

/* Where libkdumpfile found no page size, its max_pfn is in bytes. */
static bool find_machine(struct server *s)
{
	struct kdumpfile_told *t = &s->told;
	const struct machine *m;
	char arch[32] = "";
	uint64_t n;

	get_number(s->c, "max_pfn", &t->max_pfn);
	get_string(s->c, KDUMP_ATTR_ARCH_NAME, arch, sizeof(arch));
	m = machine_by_uname(arch);
	if (m) {
		t->elf_machine = m->elf_machine;
		t->word_size = m->word_size;
	}
	if (get_number(s->c, KDUMP_ATTR_PTR_SIZE, &n) && (n == 4 || n == 8))
		t->word_size = (uint8_t)n;
	if (get_number(s->c, KDUMP_ATTR_BYTE_ORDER, &n))
		t->big_endian = n == KDUMP_BIG_ENDIAN;
	if (!get_number(s->c, KDUMP_ATTR_PAGE_SIZE, &n) || !page_shift_of(n)) {
		n = (uint64_t)1 << (m ? m->page_shift : 12);
		kdump_set_number_attr(s->c, KDUMP_ATTR_PAGE_SIZE, (kdump_num_t)n);
		t->max_pfn = (t->max_pfn + n - 1) >> page_shift_of(n);
	}
	t->page_shift = page_shift_of(n);
	if (!t->max_pfn || t->max_pfn > KDUMPFILE_MAX_PFN)
		return fail_told(s, ST_CORRUPT, "no believable end of memory");
	return true;
}

static void find_header(struct server *s)
{
	struct kdumpfile_told *t = &s->told;
	struct image_header *h = &t->header;

	get_string(s->c, "linux.uts.release", h->release, sizeof(h->release));
	get_string(s->c, "linux.uts.version", h->version, sizeof(h->version));
	get_string(s->c, "linux.uts.machine", h->machine, sizeof(h->machine));
	get_string(s->c, "linux.uts.nodename", h->nodename, sizeof(h->nodename));
	get_string(s->c, "file.description", t->format, sizeof(t->format));
	if (!t->format[0])
		get_string(s->c, KDUMP_ATTR_FILE_FORMAT, t->format, sizeof(t->format));
}

/* As kdump_get_typed_attr(), whose arguments changed from 0.5.4 to 0.5.6. */
static bool get_typed(kdump_ctx_t *c, const char *key, kdump_attr_type_t type, kdump_attr_t *ret)
{
	return kdump_get_attr(c, key, ret) == KDUMP_OK && ret->type == type;
}

static void find_vmcoreinfo(struct server *s)
{
	kdump_attr_t attr;

	/* kdump_vmcoreinfo_raw() would want the OS type, which reads memory */
	if (!get_typed(s->c, "linux.vmcoreinfo.raw", KDUMP_BLOB, &attr))
		return;
	s->vmcoreinfo = kdump_blob_pin(attr.val.blob);
	if (s->vmcoreinfo)
		s->told.vmcoreinfo_len = min_u64(kdump_blob_size(attr.val.blob), VMCOREINFO_MAX);
}

/*
 * Send its page map, without empty pieces; 0 bytes end it. For ELF files 0.5.1 sets bits
 * up to the end of a segment, beyond those asked for: there must be room for all.
 */
static void put_map(const struct server *s, kdump_bmp_t *map)
{
	static const uint8_t none[MAP_AT_ONCE / 8];
	uint8_t *all = calloc(s->told.max_pfn / 8 + 2 * sizeof(none), 1);
	struct kdumpfile_piece piece = { .bytes = sizeof(none) };

	if (!all)
		_exit(1);
	for (uint64_t pfn = 0; pfn < s->told.max_pfn; pfn += MAP_AT_ONCE)
		if (kdump_bmp_get_bits(map, pfn, pfn + MAP_AT_ONCE - 1, all + pfn / 8))
			memset(all + pfn / 8, 0, sizeof(none));
	for (; piece.pfn < s->told.max_pfn; piece.pfn += MAP_AT_ONCE)
		if (memcmp(all + piece.pfn / 8, none, sizeof(none))) {
			send_bytes(s, &piece, sizeof(piece));
			send_bytes(s, all + piece.pfn / 8, sizeof(none));
		}
	piece.bytes = 0;
	send_bytes(s, &piece, sizeof(piece));
	free(all);
}

/* Machine addresses: the only kind that needs no translation it may lack. */
static uint32_t read_page(const struct server *s, uint64_t pfn, uint8_t *out)
{
	size_t size = (size_t)1 << s->told.page_shift, len = size;
	kdump_status st =
		kdump_read(s->c, KDUMP_MACHPHYSADDR, pfn << s->told.page_shift, out, &len);

	if (st == KDUMP_OK && len == size)
		return ST_OK;
	kdump_clear_err(s->c);
	switch (st) {
	case KDUMP_ERR_NODATA:
	case KDUMP_ERR_EOF: return ST_NODATA;
	case KDUMP_ERR_SYSTEM: return ST_IO;
	default: return ST_CORRUPT;
	}
}

/* SIGXCPU ends the process when this request takes too long. */
static void limit_time(void)
{
	struct rusage used;
	struct rlimit l;

	getrusage(RUSAGE_SELF, &used);
	getrlimit(RLIMIT_CPU, &l);
	l.rlim_cur = (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec + SECONDS;
	setrlimit(RLIMIT_CPU, &l);
}

static void limit_memory(void)
{
	uint64_t mapped = memory_virtual();
	struct rlimit l = { 0, 0 };

	setrlimit(RLIMIT_CORE, &l);
	l.rlim_cur = l.rlim_max = (rlim_t)mapped + MEMORY;
	if (mapped)
		setrlimit(RLIMIT_AS, &l);
}

/* Reports of sanitizers about the library are not ours; a core dump is of no use. */
static void enter(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	signal(SIGXCPU, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	limit_memory();
	limit_time();
}

void kdumpfile_serve(int to, unsigned n, const int *fds, void (*confine)(void *arg), void *arg)
{
	struct server s = { .to = to };
	uint8_t *page = malloc(IMAGE_PAGE_MAX);
	kdump_attr_t map = { 0 };
	uint64_t pfn;

	enter();
	if (confine)
		confine(arg);
	s.c = kdump_new();
	if (!s.c || !page)
		_exit(1);
	if (open_files(&s, n, fds) && find_machine(&s)) {
		find_header(&s);
		find_vmcoreinfo(&s);
		s.told.has_map = get_typed(s.c, KDUMP_ATTR_FILE_PAGEMAP, KDUMP_BITMAP, &map);
	}
	send_bytes(&s, &s.told, sizeof(s.told));
	send_bytes(&s, s.vmcoreinfo, s.told.vmcoreinfo_len);
	if (s.told.has_map)
		put_map(&s, map.val.bitmap);
	while (!s.told.st && recv(to, &pfn, sizeof(pfn), MSG_WAITALL) == sizeof(pfn)) {
		uint32_t st;

		limit_time();
		st = read_page(&s, pfn, page);
		send_bytes(&s, &st, sizeof(st));
		if (!st)
			send_bytes(&s, page, (size_t)1 << s.told.page_shift);
	}
	_exit(0);
}
