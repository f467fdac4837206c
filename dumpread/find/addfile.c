/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dump_add_file(): what the user named, told apart by its content. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/outside.h"
#include "dumpread/find/find.h"
#include "dumpread/image/vmcoreinfo.h"
#include "dumpread/symbols/sources.h"
#include "dumpread/types/btf_check.h"
#include "dumpread/types/layoutfile.h"
#include "dumpread/types/sources.h"

#define HEAD 4096u		/* bytes that tell what a file is */
#define TEXT_MAX (1u << 20)	/* VMCOREINFO is a page or two */

static enum status add_vmlinux(struct dump *d, const char *path)
{
	return vmlinux_add(d, path, VMLINUX_SYMBOLS | VMLINUX_TYPES);
}

static enum status read_all(int fd, uint8_t *buf, size_t len)
{
	ssize_t n;

	for (size_t at = 0; at < len; at += (size_t)n) {
		n = read(fd, buf + at, len - at);
		if (n <= 0)
			return ST_IO;
	}
	return ST_OK;
}

static enum status add_btf(struct dump *d, const char *path)
{
	int fd = outside_open(path);
	enum status st = ST_IO;
	uint8_t *data = NULL;
	struct stat sb;

	if (fd < 0 || fstat(fd, &sb))
		fail(&d->diag, st, "%s", strerror(errno));
	else if (sb.st_size > (off_t)BTF_MAX_BYTES)
		st = fail(&d->diag, ST_LIMIT, "too large for BTF");
	else if (!(data = malloc((size_t)sb.st_size + 1)))
		st = fail(&d->diag, ST_LIMIT, "no memory for it");
	else if (read_all(fd, data, (size_t)sb.st_size))
		fail(&d->diag, st, "cannot be read");
	else
		st = ST_OK;
	if (fd >= 0)
		close(fd);
	if (st)
		free(data);
	else
		st = types_add_btf(d, data, (size_t)sb.st_size, "btf file");
	return st ? fail_in(&d->diag, st, "%s", path) : ST_OK;
}

/* ---- VMCOREINFO as text -------------------------------------------------- */

/* The whole text, or as -g of crash and makedumpfile leaves it: any line may be first. */
static bool is_vmcoreinfo(const uint8_t *p, size_t len)
{
	static const char *const firsts[] = { "OSRELEASE=", "BUILD-ID=", "PAGESIZE=", "SYMBOL(" };

	for (size_t i = 0; i < ARRAY_LEN(firsts); i++)
		if (len > strlen(firsts[i]) && !memcmp(p, firsts[i], strlen(firsts[i])))
			return true;
	return false;
}

static enum status add_vmcoreinfo(struct dump *d, const char *path)
{
	FILE *in = outside_fopen(path);
	char *text = heap_calloc(1, TEXT_MAX + 1), release[65] = "";
	enum status st = ST_OK;
	size_t n = 0;

	if (in)
		n = fread(text, 1, TEXT_MAX, in);
	if (!in || ferror(in))
		st = fail(&d->diag, ST_IO, "%s: %s", path, strerror(errno));
	else if (vmcoreinfo_value(text, "OSRELEASE", release, sizeof(release)) && *d->release &&
		 strcmp(release, d->release))
		st = fail(&d->diag, ST_CORRUPT,
			  "%s: belongs to another kernel: its release is %s, "
			  "the dump's is %s",
			  path, release, d->release);
	else
		dump_take_vmcoreinfo(d, text, strnlen(text, n));
	if (in)
		fclose(in);
	free(text);
	return st;
}

/* ---- what is it? ------------------------------------------------------- */

static bool is_elf(const uint8_t *p, size_t len)
{
	return len >= 4 && !memcmp(p, "\177ELF", 4);
}

static bool is_btf(const uint8_t *p, size_t len)
{
	return btf_sniff(p, len, NULL);
}

static bool is_layout(const uint8_t *p, size_t len)
{
	return layout_sniff((const char *)p, len);
}

static bool is_map(const uint8_t *p, size_t len)
{
	return systemmap_sniff((const char *)p, len);
}

/* Documentation/arch/x86/boot.rst */
static bool is_bzimage(const uint8_t *p, size_t len)
{
	return len >= 0x206 && !memcmp(p + 0x202, "HdrS", 4);
}

static bool is_compressed(const uint8_t *p, size_t len)
{
	return len >= 6 && (!memcmp(p,
				    "\375"
				    "7zXZ",
				    6) ||
			    !memcmp(p, "\037\213", 2) || !memcmp(p, "BZh", 3) ||
			    !memcmp(p, "\x28\xb5\x2f\xfd", 4));
}

static const struct kind {
	bool (*is)(const uint8_t *p, size_t len);
	enum status (*add)(struct dump *d, const char *path);
	const char *refusal;
} kinds[] = {
	{ is_elf, add_vmlinux, NULL },
	{ is_btf, add_btf, NULL },
	{ is_layout, types_add_layout, NULL },
	{ is_vmcoreinfo, add_vmcoreinfo, NULL },
	{ is_map, symbols_add_systemmap, NULL },
	{ is_bzimage, NULL, "is a boot image (vmlinuz), which has no debug information; "
			    "use the vmlinux of the kernel's debug package" },
	{ is_compressed, NULL, "is compressed; uncompress it first" },
};

/* Move the sources added from OLD on to the front: the user's files go first. */
static void to_front(void *v, unsigned old, unsigned n, size_t size)
{
	uint8_t tmp[sizeof(struct type_source) + sizeof(struct symbol_source)], *p = v;

	for (unsigned i = old; i < n; i++) {
		unsigned to = i - old;

		memcpy(tmp, p + i * size, size);
		memmove(p + (to + 1) * size, p + to * size, (i - to) * size);
		memcpy(p + to * size, tmp, size);
	}
}

static enum status read_head(struct dump *d, const char *path, uint8_t *buf, size_t *len)
{
	int fd = outside_open(path);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, HEAD);
	int err = errno;

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return fail(&d->diag, ST_IO, "%s: %s", path, strerror(err));
	*len = (size_t)n;
	return ST_OK;
}

enum status dump_add_file(struct dump *d, const char *path)
{
	unsigned nsymbols = d->symbols.n, ntypes = d->types.n;
	uint8_t head[HEAD + 1] = { 0 };
	enum status st;
	size_t len = 0;

	st = read_head(d, path, head, &len);
	if (st)
		return st;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (!kinds[i].is(head, len))
			continue;
		if (!kinds[i].add)
			return fail(&d->diag, ST_NOTMINE, "%s: %s", path, kinds[i].refusal);
		st = kinds[i].add(d, path);
		to_front(d->symbols.v, nsymbols, d->symbols.n, sizeof(d->symbols.v[0]));
		to_front(d->types.v, ntypes, d->types.n, sizeof(d->types.v[0]));
		return st;
	}
	return fail(&d->diag, ST_NOTMINE,
		    "%s: cannot be used with -t, which takes a vmlinux with debug information, "
		    "raw BTF, a System.map, a layout file, VMCOREINFO as text",
		    path);
}

/* ---- before the machine is known ----------------------------------------- */

static void know_elf(struct dump *d, const uint8_t *h, size_t len)
{
	if (len < 20 || d->word_size)
		return;
	d->word_size = h[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	d->big_endian = h[EI_DATA] == ELFDATA2MSB;
	/* EM_386 without a word size was x86 in either mode */
	if (!d->elf_machine || d->elf_machine == EM_386)
		d->elf_machine = load16(h + 18, d->big_endian);
}

void dump_know_machine(struct dump *d, const char *path)
{
	uint8_t head[HEAD + 1] = { 0 };
	size_t len = 0;

	/* dump_add_file() will say what is wrong with it */
	if (read_head(d, path, head, &len))
		return;
	if (is_vmcoreinfo(head, len))
		add_vmcoreinfo(d, path);
	else if (is_elf(head, len))
		know_elf(d, head, len);
	else if (is_layout(head, len))
		layout_know_machine(d, (const char *)head, len);
}
