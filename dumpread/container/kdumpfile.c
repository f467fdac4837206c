/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every other container, by libkdumpfile: LKCD, s390, sadump, Xen. It also reads ELF and
 * kdump-compressed files, which is how tests check our own readers.
 *
 * The library trusts its input: 0.5.1 crashes on 32 bytes that begin like LKCD. So it is
 * called in a process of its own (kdumpfile_serve.c), and only for files that begin like
 * one of its formats. When that process dies, its pages cannot be read, and nothing else
 * happens. Requests go one after the other; a page costs some ten microseconds, less
 * than half of it because of the other process.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/outside.h"
#include "dumpread/container/kdumpfile.h"
#include "dumpread/image/begins.h"

/* Bytes of a block of the map. A damaged file may claim 2^36 frames: a block is made when the dump has pages there. */
#define MAP_BLOCK 65536u

struct kdumpfile {
	pthread_mutex_t lock;	/* one request at a time */
	pid_t pid;		/* -1: none, or it is not our child */
	int fd;			/* of the process; -1: none, or it is dead */
	uint8_t **map;		/* in blocks; bit set: page is in the dump; a block of NULL: none is; NULL: unknown */
};

/* Which of them are its formats. */
static const bool reads[] = {
	[BEGINS_ELF] = true,	/* Xen's, with pages in sections */
	[BEGINS_KDUMP] = true, [BEGINS_DISKDUMP] = true, [BEGINS_LKCD] = true, [BEGINS_SADUMP] = true,
};

static bool begins_as_one(const struct image_part *p)
{
	uint8_t head[BEGINS_MEDIA + 8];
	enum begins b;
	size_t got = 0;

	if (p->remote) /* the library wants a file */
		return false;
	part_read_some(p, 0, head, sizeof(head), &got);
	b = begins_as(head, got);
	return b < ARRAY_LEN(reads) && reads[b];
}

static void stop(struct kdumpfile *kf)
{
	if (kf->pid > 0) {
		kill(kf->pid, SIGKILL);
		while (waitpid(kf->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (kf->fd >= 0)
		close(kf->fd);
	kf->pid = kf->fd = -1;
}

/* False: the other process is dead, and we know it from now on. */
static bool receive(struct kdumpfile *kf, void *p, size_t n)
{
	for (char *at = p; n;) {
		ssize_t got = kf->fd >= 0 ? recv(kf->fd, at, n, MSG_WAITALL) : 0;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			stop(kf);
			return false;
		}
		at += got;
		n -= (size_t)got;
	}
	return true;
}

int kdumpfile_start(unsigned n, const int *fds, void (*confine)(void *arg), void *arg, pid_t *pid)
{
	int pair[2];

	*pid = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	*pid = fork();
	if (!*pid) {
		close(pair[0]);
		kdumpfile_serve(pair[1], n, fds, confine, arg);
	}
	close(pair[1]);
	if (*pid >= 0)
		return pair[0];
	close(pair[0]);
	return -1;
}

static enum status start(struct image *im)
{
	const struct outside *o = outside_now();
	struct kdumpfile *kf = im->priv;
	int *fds = arena_array(&im->mem, int, im->nparts);

	for (unsigned i = 0; i < im->nparts; i++)
		fds[i] = im->parts[i].fd;
	kf->fd = o ? o->kdumpfile(o->arg, im->nparts, fds)
		   : kdumpfile_start(im->nparts, fds, NULL, NULL, &kf->pid);
	return kf->fd >= 0
		       ? ST_OK
		       : fail(&im->diag, ST_IO, "%s: cannot start the process that reads it: %s",
			      im->parts[0].path, strerror(errno));
}

static enum status died(struct image *im)
{
	return fail(&im->diag, ST_CORRUPT,
		    "%s: libkdumpfile, which reads files that begin like "
		    "this one, crashed or did not finish: the file is damaged or not a dump",
		    im->parts[0].path);
}

static bool get_vmcoreinfo(struct image *im, uint64_t len)
{
	uint8_t *text;

	if (!len)
		return true;
	text = arena_alloc(&im->mem, len);
	if (!receive(im->priv, text, len))
		return false;
	image_take_vmcoreinfo(im, text, len);
	return true;
}

/* The block of the map with byte AT. */
static uint8_t *block_of(struct image *im, uint64_t at)
{
	struct kdumpfile *kf = im->priv;
	uint8_t **block = &kf->map[at / MAP_BLOCK];

	if (!*block)
		*block = arena_calloc(&im->mem, MAP_BLOCK, 1);
	return *block;
}

static bool is_in_map(const struct kdumpfile *kf, uint64_t pfn)
{
	const uint8_t *block = kf->map[pfn / 8 / MAP_BLOCK];

	return block && block[pfn / 8 % MAP_BLOCK] >> pfn % 8 & 1;
}

static bool get_map(struct image *im)
{
	struct kdumpfile *kf = im->priv;
	uint64_t bytes = im->max_pfn / 8 + 1;
	struct kdumpfile_piece piece;

	kf->map = arena_calloc(&im->mem, bytes / MAP_BLOCK + 1, sizeof(*kf->map));
	while (receive(kf, &piece, sizeof(piece))) {
		uint64_t first = piece.pfn / 8, n;

		if (!piece.bytes)
			return true;
		for (; piece.bytes; piece.bytes -= n, first += n) {
			uint8_t buf[4096];

			n = min_u64(piece.bytes, sizeof(buf) - first % sizeof(buf));
			if (!receive(kf, buf, n))
				return false;
			if (first < bytes)
				memcpy(block_of(im, first) + first % MAP_BLOCK, buf,
				       min_u64(n, bytes - first));
		}
	}
	return false;
}

static void count_pages(struct image *im)
{
	const struct kdumpfile *kf = im->priv;
	uint64_t last = im->max_pfn / 8;

	if (kf->map[last / MAP_BLOCK])
		kf->map[last / MAP_BLOCK][last % MAP_BLOCK] &=
			(uint8_t)((1u << im->max_pfn % 8) - 1);
	for (uint64_t i = 0; i <= last / MAP_BLOCK; i++)
		for (unsigned j = 0; kf->map[i] && j < MAP_BLOCK; j++)
			im->pages_present += (unsigned)__builtin_popcount(kf->map[i][j]);
}

/* A damaged file may have taken the other process over: nothing that it says is taken on trust. */
static bool is_believable(const struct kdumpfile_told *t)
{
	return (!t->word_size || t->word_size == 4 || t->word_size == 8) &&
	       (UINT64_C(1) << (t->page_shift & 63)) <= IMAGE_PAGE_MAX && t->page_shift < 64 &&
	       t->max_pfn && t->max_pfn <= KDUMPFILE_MAX_PFN && t->vmcoreinfo_len <= VMCOREINFO_MAX;
}

static void end_texts(struct kdumpfile_told *t)
{
	t->text[sizeof(t->text) - 1] = 0;
	t->format[sizeof(t->format) - 1] = 0;
	t->header.compression[sizeof(t->header.compression) - 1] = 0;
	t->header.no_memmap = false;
	t->header.release[sizeof(t->header.release) - 1] = 0;
	t->header.version[sizeof(t->header.version) - 1] = 0;
	t->header.machine[sizeof(t->header.machine) - 1] = 0;
	t->header.nodename[sizeof(t->header.nodename) - 1] = 0;
}

static enum status kdumpfile_open(struct image *im)
{
	struct kdumpfile *kf;
	struct kdumpfile_told t;
	enum status st;

	if (!begins_as_one(&im->parts[0]))
		return ST_NOTMINE;
	kf = arena_alloc(&im->mem, sizeof(*kf));
	kf->pid = kf->fd = -1;
	pthread_mutex_init(&kf->lock, NULL);
	im->priv = kf;
	st = start(im);
	if (st)
		return st;
	if (!receive(kf, &t, sizeof(t)))
		return died(im);
	end_texts(&t);
	if (t.st == ST_NOTMINE)
		return ST_NOTMINE;
	if (t.st)
		return fail(&im->diag, t.st, "%s: libkdumpfile: %s", im->parts[0].path, t.text);
	if (!is_believable(&t))
		return died(im);
	im->elf_machine = t.elf_machine;
	im->word_size = t.word_size;
	im->page_shift = t.page_shift;
	im->big_endian = t.big_endian != 0;
	im->max_pfn = t.max_pfn;
	im->header = t.header;
	im->header.dump_level = -1;
	memcpy(im->format, t.format, sizeof(im->format));
	if (!get_vmcoreinfo(im, t.vmcoreinfo_len) || (t.has_map && !get_map(im)))
		return died(im);
	if (kf->map)
		count_pages(im);
	return ST_OK;
}

/* Without a map, every frame is taken to be there. */
static bool kdumpfile_present(const struct image *im, uint64_t pfn)
{
	const struct kdumpfile *kf = im->priv;

	return pfn < im->max_pfn && (!kf->map || is_in_map(kf, pfn));
}

static enum status kdumpfile_read(const struct image *im, struct image_ctx *ctx, uint64_t pfn,
				  uint8_t *out)
{
	struct kdumpfile *kf = im->priv;
	uint32_t st = ST_CORRUPT;

	(void)ctx;
	if (!kdumpfile_present(im, pfn))
		return ST_NODATA;
	pthread_mutex_lock(&kf->lock);
	if (kf->fd >= 0 && (send(kf->fd, &pfn, sizeof(pfn), MSG_NOSIGNAL) != sizeof(pfn) ||
			    !receive(kf, &st, sizeof(st)) ||
			    (!st && !receive(kf, out, (size_t)1 << im->page_shift)))) {
		stop(kf);
		st = ST_CORRUPT;
	}
	pthread_mutex_unlock(&kf->lock);
	return (enum status)st;
}

static void kdumpfile_close(struct image *im)
{
	struct kdumpfile *kf = im->priv;

	if (kf) {
		stop(kf);
		pthread_mutex_destroy(&kf->lock);
	}
	im->priv = NULL;
}

const struct image_ops kdumpfile_image_ops = {
	.name = "libkdumpfile",
	.open = kdumpfile_open,
	.present = kdumpfile_present,
	.read = kdumpfile_read,
	.close = kdumpfile_close,
};
