/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.c - what a tree of headers is: its parts, CPU, version and configuration.
 */
#include "facts/headers/tree.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"

#define MAX_FILE ((off_t)16 << 20)

/* The flags are those of arch/CPU/Makefile on which the place of a member can depend, and
   those without which headers do not compile. */
static const struct headers_cpu cpus[] = {
	{ "CONFIG_X86_64", NULL, "x86", { "asm-x86_64", "asm-x86" }, EM_X86_64,
	  { "-m64", "-mcmodel=kernel", "-mno-red-zone", "-mno-mmx", "-mno-sse" },
	  "x86_64-linux-gnu-gcc" },
	{ "CONFIG_X86", NULL, "x86", { "asm-i386", "asm-x86" }, EM_386,
	  { "-m32", "-mregparm=3", "-freg-struct-return", "-mno-mmx", "-mno-sse" },
	  "i686-linux-gnu-gcc" },
	{ "CONFIG_PPC64", "CONFIG_CPU_LITTLE_ENDIAN", "powerpc", { "asm-powerpc" }, EM_PPC64,
	  { "-m64", "-mlittle-endian", "-mno-altivec", "-msoft-float" },
	  "powerpc64le-linux-gnu-gcc" },
	{ "CONFIG_PPC64", NULL, "powerpc", { "asm-powerpc" }, EM_PPC64,
	  { "-m64", "-mbig-endian", "-mno-altivec", "-msoft-float" }, "powerpc64-linux-gnu-gcc" },
	{ "CONFIG_PPC", NULL, "powerpc", { "asm-powerpc", "asm-ppc" }, EM_PPC,
	  { "-m32", "-mbig-endian", "-msoft-float" }, "powerpc-linux-gnu-gcc" },
};

char *headers_read(struct headers *h, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	struct stat sb;
	ssize_t n = 0;
	off_t at = 0;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &sb) && S_ISREG(sb.st_mode) && sb.st_size <= MAX_FILE) {
		text = arena_alloc(&h->mem, (size_t)sb.st_size + 1);
		while (at < sb.st_size && (n = read(fd, text + at, (size_t)(sb.st_size - at))) > 0)
			at += n;
		text[at] = '\0';
	}
	close(fd);
	return n < 0 ? NULL : text;
}

static bool exists(struct headers *h, const char *dir, const char *name)
{
	return !access(headers_path(h, "%s/%s", dir, name), R_OK);
}

/* ---- the common part ------------------------------------------------------------ */

static bool is_common(struct headers *h, const char *dir)
{
	return exists(h, dir, "include/linux/mm.h") && realpath(dir, h->common);
}

/* The directory in "include DIR/Makefile", which the Makefile of a built part begins with. */
static bool makefile_names(struct headers *h)
{
	const char *text = headers_read(h, headers_path(h, "%s/Makefile", h->own)), *end;

	for (; text && *text; text = end + (*end == '\n')) {
		end = text + strcspn(text, "\n");
		if (!strncmp(text, "include ", 8) && end - text > 17 &&
		    !strncmp(end - 9, "/Makefile", 9))
			return is_common(h, headers_path(h, "%s%.*s", text[8] == '/' ? "" : h->own,
							 (int)(end - text - 17), text + 8));
	}
	return false;
}

/*
 * Beside linux-headers-5.10.0-8-amd64: linux-headers-5.10.0-8-common (Debian), or without
 * its last word (Ubuntu). Or /lib/modules/X/source; or as the Makefile says (SLES).
 */
static bool find_common(struct headers *h)
{
	const char *last = strrchr(h->own, '-');
	int cut = last ? (int)(last - h->own) : 0;

	return is_common(h, h->own) ||
	       (last && (is_common(h, headers_path(h, "%.*s-common", cut, h->own)) ||
			 is_common(h, headers_path(h, "%.*s", cut, h->own)))) ||
	       is_common(h, headers_path(h, "%s/source", h->own)) || makefile_names(h);
}

/* ---- what it says of itself ------------------------------------------------------- */

/* "NAME = 4" in a Makefile, 0 if there is none. */
static unsigned make_number(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, name, len) && (p[len] == ' ' || p[len] == '='))
			return (unsigned)strtoul(p + len + strspn(p + len, " ="), NULL, 10);
	}
	return 0;
}

static void read_version(struct headers *h)
{
	const char *text = headers_read(h, headers_path(h, "%s/Makefile", h->common));
	unsigned patch;

	if (!text)
		return;
	patch = make_number(text, "SUBLEVEL");
	h->version = make_number(text, "VERSION") << 16 | make_number(text, "PATCHLEVEL") << 8 |
		     (patch < 255 ? patch : 255);
}

static void take_release(struct headers *h, const char *s)
{
	size_t n = strcspn(s, "\"\n ");

	if (n && n < sizeof(h->release)) {
		memcpy(h->release, s, n);
		h->release[n] = '\0';
	}
}

static void read_release(struct headers *h)
{
	static const char *const files[] = {
		"include/generated/utsrelease.h",
		"include/linux/utsrelease.h",	/* until 2.6.33 */
	};
	static const char key[] = "#define UTS_RELEASE \"";
	const char *text;

	for (size_t i = 0; !*h->release && i < ARRAY_LEN(files); i++) {
		text = headers_read(h, headers_path(h, "%s/%s", h->own, files[i]));
		text = text ? strstr(text, key) : NULL;
		if (text)
			take_release(h, text + strlen(key));
	}
	/* Debian's has another number than its kernels print, so it is the last */
	text = headers_read(h, headers_path(h, "%s/include/config/kernel.release", h->own));
	if (!*h->release && text)
		take_release(h, text);
}

static enum status check_release(struct headers *h)
{
	if (!*h->release || !h->o->release || !strcmp(h->release, h->o->release))
		return ST_OK;
	return fail(h->diag, ST_CORRUPT, "%s has the headers of kernel %s, the dump's is %s",
		    h->o->dir, h->release, h->o->release);
}

/* ---- configuration and CPU -------------------------------------------------------- */

static bool is_set(const struct headers *h, const char *option)
{
	const char *v = kconfig_get(&h->config, option);

	return v && !strcmp(v, "y");
}

static enum status read_config(struct headers *h)
{
	const char *text = h->o->config;

	if (!text)
		text = headers_read(h, headers_path(h, "%s/.config", h->own));
	if (!text)
		return fail(h->diag, ST_ABSENT,
			    "%s: no .config in it; name the kernel's with --config", h->o->dir);
	kconfig_parse(text, &h->mem, &h->config);
	if (!h->config.options.n)
		return fail(h->diag, ST_NOTMINE, "%s: sets no CONFIG_ option",
			    h->o->config_name ? h->o->config_name : ".config");
	/* GCC_PLUGIN_RANDSTRUCT until 5.18 */
	if (is_set(h, "CONFIG_GCC_PLUGIN_RANDSTRUCT") || is_set(h, "CONFIG_RANDSTRUCT"))
		return fail(h->diag, ST_UNSUPPORTED,
			    "this kernel has its members in random order (RANDSTRUCT): only its "
			    "vmlinux knows it");
	return ST_OK;
}

static enum status find_cpu(struct headers *h)
{
	for (size_t i = 0; !h->cpu && i < ARRAY_LEN(cpus); i++)
		if (is_set(h, cpus[i].option) && (!cpus[i].too || is_set(h, cpus[i].too)))
			h->cpu = &cpus[i];
	if (!h->cpu)
		return fail(h->diag, ST_UNSUPPORTED,
			    "the configuration is for none of x86-64, i386, ppc64, ppc32");
	return ST_OK;
}

enum status headers_find(struct headers *h)
{
	enum status st;

	if (!realpath(h->o->dir, h->own))
		return fail(h->diag, ST_IO, "%s: %s", h->o->dir, strerror(errno));
	if (!find_common(h))
		return fail(h->diag, ST_NOTMINE,
			    "%s: no headers of a kernel (include/linux/mm.h), nor in the package "
			    "that it belongs to",
			    h->o->dir);
	read_version(h);
	read_release(h);
	st = check_release(h);
	if (!st)
		st = read_config(h);
	return st ? st : find_cpu(h);
}
