/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ikconfig.c - finds and expands the configuration in the kernel image.
 *
 * kernel/configs.c has it since 2.6.0, as gzip between two marks: "IKCFG_ST", "IKCFG_ED".
 * The marks are looked for, not kernel_config_data, which only kernels with data in
 * kallsyms tell.
 */
#include "model/kernel/machine/ikconfig.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/symbols/kimage.h"

#define MARK 8u			/* bytes of each mark */
#define MAX_PACKED ((size_t)1 << 20)	/* of gzip: distributions have 50 to 70 KiB */
#define MAX_TEXT ((size_t)8 << 20)
#define TRIES 64u		/* marks looked at: a forged dump may hold any number */

struct search {
	const struct kimage *ki;
	struct arena *mem;
	const char *text;
	unsigned tries;
};

/* Expand the gzip stream at P, of at most LEN bytes, that the end mark follows. The text is
   malloc()ed; NULL: it is none. */
static char *expand(const uint8_t *p, size_t len)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)p, .avail_in = (uInt)len };
	char *text = heap_bytes(MAX_TEXT + 1);
	int end = Z_ERRNO;

	if (inflateInit2(&z, 16 + MAX_WBITS) == Z_OK) {
		z.next_out = (uint8_t *)text;
		z.avail_out = MAX_TEXT;
		end = inflate(&z, Z_FINISH);
		inflateEnd(&z);
	}
	if (end != Z_STREAM_END || z.avail_in < MARK || memcmp(z.next_in, "IKCFG_ED", MARK)) {
		free(text);
		return NULL;
	}
	text[z.total_out] = '\0';
	return text;
}

static bool look_at(struct search *s, uint64_t addr)
{
	uint8_t *packed = heap_bytes(MAX_PACKED);
	char *text;

	kimage_read(s->ki, addr, packed, MAX_PACKED);
	text = expand(packed, MAX_PACKED);
	free(packed);
	if (!text)
		return false;
	s->text = arena_strdup(s->mem, text);
	free(text);
	return true;
}

static bool search_piece(void *arg, uint64_t addr, const uint8_t *buf, size_t len)
{
	static const uint8_t start[] = "IKCFG_ST\037\213\010";
	struct search *s = arg;
	const uint8_t *p = buf;

	while ((p = memmem(p, len - (size_t)(p - buf), start, sizeof(start) - 1)) &&
	       (size_t)(p - buf) < KIMAGE_STEP && s->tries++ < TRIES) {
		p += MARK;
		if (look_at(s, addr + (uint64_t)(p - buf)))
			return true;
	}
	return s->tries > TRIES;
}

enum status ikconfig_read(const struct kernel *k, struct arena *mem, const char **text,
			  struct diag *diag)
{
	struct reader *r = kernel_reader(k);
	struct kimage ki;
	struct search s = { .ki = &ki, .mem = mem };

	*text = NULL;
	if (r) {
		kimage_init(&ki, r);
		kimage_scan(&ki, search_piece, &s);
		reader_free(r);
	}
	*text = s.text;
	return s.text ? ST_OK
		      : fail(diag, ST_NODATA,
			     "the kernel image in the dump has no configuration: the kernel was built "
			     "without CONFIG_IKCONFIG=y, or the dump lacks that part");
}
