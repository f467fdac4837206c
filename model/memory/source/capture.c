/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * capture.c - the table of formats, and the checks that all of them share: the size of the
 * file limits the number of tasks, VMAs and pages, and impossible values are refused.
 */
#include "model/memory/source/module.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/jobs.h"
#include "dumpread/base/outside.h"
#include "model/memory/source/logtext_unpack.h"

#define HEAD_BYTES 4096
#define PACKED_HEAD (256u << 10)	/* a block of zstd has 128 KiB */
#define SIZE_MAX_FILE (UINT64_C(16) << 30)
#define SMALL_PAGE UINT64_C(4096)
#define RAW_BITS ((UINT64_C(1) << 52) - 1)	/* above: permissions, not address */
#define VA_END (UINT64_C(1) << 57)	/* no user address of any CPU is larger */
#define PA_END (UINT64_C(1) << 46)	/* 64 TiB: it also limits the table of frame chunks */

static const struct capture_format *const formats[] = { &capture_tvpm, &capture_module, &capture_log };

/* ---- checks of the input --------------------------------------------------------- */

static bool reject(struct capture *c, size_t line, const char *object, const char *why)
{
	issue_add(&c->issues, ST_CORRUPT, "line of the capture", 1, "line %zu: %s: %s", line,
		  object, why);
	return false;
}

static void note_width(struct capture *c, uint64_t v)
{
	c->wide |= v > UINT32_MAX;
}

static uint32_t new_mm(struct capture *c, uint64_t mm, uint32_t task)
{
	uint32_t at = (uint32_t)c->mms.n;

	hash_put(&c->mm_index, mm, at);
	*vec_push(&c->mem, &c->mms) =
		(struct capture_mm){ .addr = mm, .task = task, .first_vma = c->vmas.n };
	return at;
}

bool capture_task(struct capture *c, const struct capture_task *t, uint64_t mm, size_t line,
		  bool *again)
{
	uint32_t n = (uint32_t)c->tasks.n, at;

	*again = true;
	if (t->pid < 0 || n >= NONE - 1)
		return reject(c, line, "task", "its pid cannot be");
	if (t->pid && hash_get(&c->pids, (uint64_t)t->pid) != HASH_NONE)
		return reject(c, line, "task", "another has the same pid");
	if (t->pid)
		hash_put(&c->pids, (uint64_t)t->pid, n);
	note_width(c, mm);
	*vec_push(&c->mem, &c->tasks) = *t;
	c->tasks.v[n].mm = NONE;
	if (!mm)
		return true;
	at = hash_get(&c->mm_index, mm);
	if (at == HASH_NONE) {
		at = new_mm(c, mm, n);
		*again = false;
	} else if (!c->mms.v[at].nvmas && at + 1 == c->mms.n) {
		*again = false; /* the first had none; no other task came since */
	}
	c->tasks.v[n].mm = at;
	return true;
}

void capture_mm_anew(struct capture *c)
{
	uint32_t n = (uint32_t)c->tasks.n - 1;
	struct capture_task *t = &c->tasks.v[n];

	t->mm = new_mm(c, c->mms.v[t->mm].addr, n);
}

bool capture_vma(struct capture *c, const struct capture_vma *v)
{
	struct capture_mm *mm = &c->mms.v[c->mms.n - 1];
	const struct capture_vma *before = mm->nvmas ? &c->vmas.v[c->vmas.n - 1] : NULL;

	if (v->start >= v->end || v->end > VA_END || (v->start | v->end) & (SMALL_PAGE - 1))
		return reject(c, v->line, "VMA", "its addresses cannot be");
	if (before && v->start < before->end)
		return reject(c, v->line, "VMA", "it overlaps the one before it");
	if (c->vmas.n >= NONE - 1)
		return reject(c, v->line, "VMA", "too many");
	note_width(c, v->end - 1);
	mm->nvmas++;
	*vec_push(&c->mem, &c->vmas) = *v;
	c->vmas.v[c->vmas.n - 1].first_page = c->pages.n;
	if (v->rss > v->end - v->start) {
		reject(c, v->line, "VMA", "more resident bytes than bytes");
		c->vmas.v[c->vmas.n - 1].rss = 0;
	}
	return true;
}

void capture_page(struct capture *c, const struct capture_page *p, uint64_t raw, size_t line)
{
	struct capture_vma *v = &c->vmas.v[c->vmas.n - 1];
	struct capture_page *at;

	if (p->va < v->start || p->va >= v->end || p->va & (SMALL_PAGE - 1)) {
		reject(c, line, "page", "its address is not in the VMA");
		return;
	}
	if (v->npages && p->va <= c->pages.v[c->pages.n - 1].va) {
		reject(c, line, "page", "its address is not after the previous one");
		return;
	}
	raw &= RAW_BITS;
	if (raw >= PA_END) {
		reject(c, line, "page", "no machine has that physical address");
		return;
	}
	at = vec_push(&c->mem, &c->pages);
	*at = *p;
	at->pa = raw & ~(uint64_t)PTEBITS_MASK;
	at->bits = raw & PTEBITS_MASK;
	v->npages++;
}

/* ---- what the numbers show about the machine --------------------------------------- */

/*
 * A count of pages beside a number of bytes shows the page size. The size that most VMAs
 * show is taken.
 */
static unsigned page_shift(const struct capture *c)
{
	static const unsigned shifts[] = { 12, 13, 14, 16 };
	uint64_t votes[ARRAY_LEN(shifts)] = { 0 };
	size_t best = 0;

	for (size_t i = 0; i < c->vmas.n; i++) {
		const struct capture_vma *v = &c->vmas.v[i];
		uint64_t pages = v->counts.given ? v->counts.single + v->counts.shared : v->npages;

		for (size_t j = 0; pages && j < ARRAY_LEN(shifts); j++)
			votes[j] += v->rss >> shifts[j] == pages &&
				    !(v->rss & ((UINT64_C(1) << shifts[j]) - 1));
	}
	for (size_t j = 1; j < ARRAY_LEN(shifts); j++)
		if (votes[j] > votes[best])
			best = j;
	return shifts[best];
}

static const struct ptebits *bits(const struct capture *c)
{
	const struct ptebits *best = NULL;
	size_t most = 0;

	for (unsigned r = 0; ptebits_rows[r]; r++) {
		size_t fit = 0;

		for (size_t i = 0; i < c->pages.n; i++)
			fit += ptebits_fit(ptebits_rows[r], c->pages.v[i].bits);
		if (fit > most) {
			most = fit;
			best = ptebits_rows[r];
		}
	}
	return best;
}

static void understand(struct kernel *k)
{
	struct capture *c = k->capture;

	c->bits = bits(c);
	if (c->module)
		c->bits = ptebits_of_machine(c->module->header.machine);
	if (c->bits)
		k->arch = c->wide ? c->bits->arch64 : c->bits->arch32;
	k->page_shift = page_shift(c);
	if (c->module)
		module_machine(k);
	for (int i = 0; i < LAYOUT_COUNT; i++)
		k->layout.v[i].alt = -1;
	rules_decide(&k->version, NULL, &k->rules);
}

/* ---- opening ------------------------------------------------------------------------- */

static const struct capture_format *format_of(const uint8_t *head, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (formats[i]->probe(head, len))
			return formats[i];
	return NULL;
}

/* Takes DATA, which has one byte behind its LEN. */
static enum status take_bytes(uint8_t *data, size_t len, struct kernel **ret)
{
	const struct capture_format *f = format_of(data, min_u64(len, HEAD_BYTES));
	struct capture *c;
	struct kernel *k;

	*ret = NULL;
	if (!f) {
		free(data);
		return ST_NOTMINE;
	}
	data[len] = 0;
	c = heap_array(struct capture, 1);
	c->data = data;
	c->format = f->name;
	c->size = len;
	c->mm_index.mem = c->pids.mem = &c->mem;
	issues_init(&c->issues);
	if (!f->parse(c, data, len)) {
		capture_close(c);
		return ST_NOTMINE;
	}
	if (!f->keeps) {
		free(c->data);
		c->data = NULL;
	}
	k = heap_array(struct kernel, 1);
	k->capture = c;
	k->issues = &c->issues;
	k->jobs = 1;
	k->source = f->source;
	if (c->release) {
		snprintf(k->release, sizeof(k->release), "%s", c->release);
		release_of(c->release, c->version ? c->version : "", &k->version);
	}
	k->offers = k->source->offers;
	understand(k);
	*ret = k;
	return ST_OK;
}

enum status capture_of_bytes(const uint8_t *data, size_t len, struct kernel **ret)
{
	uint8_t *copy = heap_bytes(len + 1);

	memcpy(copy, data, len);
	return take_bytes(copy, len, ret);
}

static uint64_t read_at(int fd, uint8_t *buf, uint64_t len)
{
	uint64_t n = 0;

	while (n < len) {
		ssize_t got = pread(fd, buf + n, len - n, (off_t)n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (uint64_t)got;
	}
	return n;
}

/* Is the beginning of what FD is compressed from one of the formats? */
static bool is_known_packed(int fd)
{
	uint8_t *in = heap_bytes(PACKED_HEAD);
	struct unpacked un;
	bool known = false;

	log_unpack(in, read_at(fd, in, PACKED_HEAD), HEAD_BYTES, &un);
	free(in);
	if (un.len)
		known = format_of(un.data, un.len) != NULL;
	free(un.data);
	return known;
}

static enum status open_packed(int fd, uint64_t len, const char *path, struct diag *diag,
			       struct kernel **ret)
{
	uint8_t *in;
	struct unpacked un;
	enum status err;

	if (len > SIZE_MAX_FILE)
		return ST_NOTMINE;
	in = heap_large(len);
	err = log_unpack(in, read_at(fd, in, len), log_unpack_max(len), &un);
	free(in);
	if (err == ST_LIMIT) {
		free(un.data);
		return fail(diag, err, "%s: it unpacks to more than %zu bytes, which no log does",
			    path, log_unpack_max(len));
	}
	err = err ? err : take_bytes(un.data, un.len, ret);
	if (!err && un.cut)
		issue_add((*ret)->issues, ST_NODATA, "end of the log", 1,
			  "the compressed file is cut or damaged behind %zu bytes of text", un.len);
	return err;
}

static enum status open_fd(int fd, const char *path, struct diag *diag, struct kernel **ret)
{
	uint8_t head[HEAD_BYTES], *data;
	uint64_t n = read_at(fd, head, sizeof(head)), len;
	struct stat st;

	if (fstat(fd, &st) || st.st_size < 0)
		return ST_NOTMINE;
	len = (uint64_t)st.st_size;
	if (log_is_packed(head, n))
		return is_known_packed(fd) ? open_packed(fd, len, path, diag, ret) : ST_NOTMINE;
	if (!format_of(head, n))
		return ST_NOTMINE;
	if (len > SIZE_MAX_FILE)
		return fail(diag, ST_LIMIT, "%s: larger than any collector's text", path);
	data = heap_large(len + 1);
	return take_bytes(data, read_at(fd, data, len), ret);
}

enum status capture_open(const char *path, struct diag *diag, struct kernel **ret)
{
	int fd = outside_open(path);
	struct stat st;
	enum status err = ST_NOTMINE;

	*ret = NULL;
	if (fd < 0)
		return ST_NOTMINE; /* the next one to open it reports why */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		err = open_fd(fd, path, diag, ret);
	close(fd);
	return err;
}

void capture_close(struct capture *c)
{
	if (!c)
		return;
	issues_release(&c->issues);
	arena_release(&c->mem);
	free(c->data);
	free(c);
}
