/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * standins.c - headers that a build generates, for a tree that was not built.
 *
 *	first/   before all others: autoconf.h of the configuration, bounds.h by the kernel's
 *	         own kernel/bounds.c, linux/compiler-gccN.h of newer compilers, the asm link of
 *	         old trees
 *	asm/     <asm/NAME.h> that is asm-generic/NAME.h, where the CPU has none of its own
 *	last/    what no type depends on: offsets for assembly, system calls, the release
 *
 * A tree that was built for another configuration is no obstacle: first/ goes first.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "facts/headers/tree.h"

#define NEWEST_GCC 40u

/* The file NAME in tmp, whose directories are made. NULL with DIAG. */
static FILE *create(struct headers *h, const char *name)
{
	char *path = headers_path(h, "%s/%s", h->tmp, name);
	FILE *f;

	for (char *p = path + strlen(h->tmp) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0700);
	}
	f = fopen(path, "wxe");
	if (!f)
		fail(h->diag, ST_IO, "%s: %s", path, strerror(errno));
	return f;
}

static enum status close_file(struct headers *h, FILE *f)
{
	return fclose(f) ? fail(h->diag, ST_IO, "%s: %s", h->tmp, strerror(errno)) : ST_OK;
}

static enum status write_file(struct headers *h, const char *name, const char *text)
{
	FILE *f = create(h, name);

	if (!f)
		return ST_IO;
	fputs(text, f);
	return close_file(h, f);
}

static void add_dir(struct headers *h, const char *path)
{
	if (!access(path, X_OK))
		*vec_push(&h->mem, &h->dirs) = path;
}

const char *headers_lookup(struct headers *h, const char *name)
{
	for (size_t i = 0; i < h->dirs.n; i++) {
		const char *path = headers_path(h, "%s/%s", h->dirs.v[i], name);

		if (!access(path, R_OK))
			return path;
	}
	return NULL;
}

/* ---- asm/ ----------------------------------------------------------------------------- */

/* Has the CPU's own folder, for the kernel or for user space, the file asm/NAME? */
static bool cpu_has(struct headers *h, const char *name)
{
	const char *cpu = h->cpu->dir;

	return !access(headers_path(h, "%s/arch/%s/include/asm/%s", h->common, cpu, name), R_OK) ||
	       !access(headers_path(h, "%s/arch/%s/include/uapi/asm/%s", h->common, cpu, name),
		       R_OK);
}

/* In the folder TO: NAME.h includes asm-generic/NAME.h, for each in FROM. */
static enum status wrap_generic(struct headers *h, const char *from, const char *to)
{
	DIR *d = opendir(headers_path(h, "%s/%s", h->common, from));
	enum status st = ST_OK;
	struct dirent *e;

	while (d && !st && (e = readdir(d))) {
		if (*e->d_name == '.' || cpu_has(h, e->d_name))
			continue;
		st = write_file(h, headers_path(h, "%s/asm/%s", to, e->d_name),
				headers_path(h, "#include <asm-generic/%s>\n", e->d_name));
	}
	if (d)
		closedir(d);
	return st;
}

/* Before 2.6.28 the CPU's headers are in include/asm-CPU, and asm is a link to it. */
static enum status link_old_asm(struct headers *h)
{
	const char *to = headers_path(h, "%s/first/asm", h->tmp);

	if (!access(headers_path(h, "%s/arch/%s/include/asm", h->common, h->cpu->dir), X_OK))
		return ST_OK;
	for (size_t i = 0; i < ARRAY_LEN(h->cpu->old) && h->cpu->old[i]; i++) {
		const char *dir = headers_path(h, "%s/include/%s", h->common, h->cpu->old[i]);

		if (!access(dir, X_OK) && !symlink(dir, to))
			return ST_OK;
	}
	return fail(h->diag, ST_ABSENT,
		    "%s: no headers for this CPU: neither arch/%s/include nor "
		    "include/%s",
		    h->o->dir, h->cpu->dir, h->cpu->old[0]);
}

/* ---- first/ --------------------------------------------------------------------------- */

static enum status write_autoconf(struct headers *h)
{
	FILE *f = create(h, "first/generated/autoconf.h");

	if (!f)
		return ST_IO;
	kconfig_macros(&h->config, f);
	if (close_file(h, f))
		return ST_IO;
	/* its place until 2.6.33 */
	return write_file(h, "first/linux/autoconf.h", "#include <generated/autoconf.h>\n");
}

/*
 * include/linux/compiler-gcc.h includes compiler-gcc<major>.h until cb984d101b30 (4.2), and
 * a tree has those of the compilers of its time: a newer one takes the newest of them.
 */
static enum status newer_compilers(struct headers *h)
{
	unsigned has = 0;
	enum status st = ST_OK;

	for (unsigned n = 3; n < 10; n++)
		if (!access(headers_path(h, "%s/include/linux/compiler-gcc%u.h", h->common, n),
			    R_OK))
			has = n;
	for (unsigned n = has + 1; has && n <= NEWEST_GCC && !st; n++)
		st = write_file(h, headers_path(h, "first/linux/compiler-gcc%u.h", n),
				headers_path(h, "#include <linux/compiler-gcc%u.h>\n", has));
	return st;
}

/* The lines "->NAME 12 comment" in the assembly of kernel/bounds.c, as macros. */
static void bounds_of(char *text, FILE *out)
{
	for (char *p = text; (p = strstr(p, "->"));) {
		size_t name, value;

		p += 2;
		name = strcspn(p, " \t\n");
		value = name + strspn(p + name, " \t$#");
		if (name && strspn(p + value, "-0123456789"))
			fprintf(out, "#define %.*s %.*s\n", (int)name, p,
				(int)strspn(p + value, "-0123456789"), p + value);
	}
}

/*
 * Numbers of page flags and zones, which headers need as macros. By kernel/bounds.c (since
 * 2.6.26) where the tree has it; packages of headers have the result.
 */
static enum status write_bounds(struct headers *h)
{
	const char *source = headers_path(h, "%s/kernel/bounds.c", h->common), *error;
	const char *assembly = headers_path(h, "%s/bounds.s", h->tmp);
	enum status st;
	char *text;
	FILE *f;

	if (access(source, R_OK))
		return ST_OK;
	if (headers_compile(h, STAGE_ASSEMBLY, source, NULL, assembly, &error))
		return fail(h->diag, ST_NOTMINE, "kernel/bounds.c does not compile: %s", error);
	text = headers_read(h, assembly);
	f = create(h, "first/generated/bounds.h");
	if (!f || !text)
		return ST_IO;
	bounds_of(text, f);
	st = close_file(h, f);
	/* its place until 2.6.33 */
	return st ? st : write_file(h, "first/linux/bounds.h", "#include <generated/bounds.h>\n");
}

/* ---- last/ ------------------------------------------------------------------------------ */

/* Constants of inline functions that change jiffies to other units: no type has them. */
static const char timeconst[] =
	"#define HZ_TO_MSEC_MUL32 1ULL\n#define HZ_TO_MSEC_ADJ32 0ULL\n#define HZ_TO_MSEC_SHR32 0\n"
	"#define MSEC_TO_HZ_MUL32 1ULL\n#define MSEC_TO_HZ_ADJ32 0ULL\n#define MSEC_TO_HZ_SHR32 0\n"
	"#define HZ_TO_USEC_MUL32 1ULL\n#define HZ_TO_USEC_ADJ32 0ULL\n#define HZ_TO_USEC_SHR32 0\n"
	"#define USEC_TO_HZ_MUL32 1ULL\n#define USEC_TO_HZ_ADJ32 0ULL\n#define USEC_TO_HZ_SHR32 0\n"
	"#define HZ_TO_MSEC_NUM 1\n#define HZ_TO_MSEC_DEN 1\n#define MSEC_TO_HZ_NUM 1\n"
	"#define MSEC_TO_HZ_DEN 1\n#define HZ_TO_USEC_NUM 1\n#define HZ_TO_USEC_DEN 1\n"
	"#define USEC_TO_HZ_NUM 1\n#define USEC_TO_HZ_DEN 1\n#define HZ_TO_NSEC_NUM 1\n"
	"#define HZ_TO_NSEC_DEN 1\n#define NSEC_TO_HZ_NUM 1\n#define NSEC_TO_HZ_DEN 1\n";

/* System calls that asm/seccomp.h of x86 has in inline functions: no type has them. */
static const char ia32_calls[] =
	"#define __NR_ia32_read 3\n#define __NR_ia32_write 4\n#define __NR_ia32_exit 1\n"
	"#define __NR_ia32_sigreturn 119\n#define __NR_ia32_rt_sigreturn 173\n";

static enum status write_last(struct headers *h)
{
	static const struct { const char *name, *text; } files[] = {
		{ "last/asm/asm-offsets.h", "" },
		{ "last/generated/asm-offsets.h", "" },
		{ "last/generated/autoksyms.h", "" },
		{ "last/generated/rq-offsets.h", "#define RQ_nr_pinned 0\n" },
		{ "last/generated/timeconst.h", timeconst },
		{ "last/generated/utsrelease.h", "#define UTS_RELEASE \"\"\n" },
		{ "last/linux/utsrelease.h", "#define UTS_RELEASE \"\"\n" },
		{ "last/generated/compile.h", "" },
		{ "last/asm/unistd_32.h", "" },
		{ "last/asm/unistd_64.h", "" },
		{ "last/asm/unistd_x32.h", "" },
		{ "last/asm/unistd_32_ia32.h", ia32_calls },
		{ "last/asm/unistd_64_x32.h", "" },
		{ "last/asm/syscalls_32.h", "" },
		{ "last/asm/syscalls_64.h", "" },
	};
	enum status st = ST_OK;

	for (size_t i = 0; i < ARRAY_LEN(files) && !st; i++)
		st = write_file(h, files[i].name, files[i].text);
	if (st)
		return st;
	return write_file(h, "last/linux/version.h",
			  headers_path(h,
				       "#define LINUX_VERSION_CODE %u\n"
				       "#define KERNEL_VERSION(a,b,c) (((a) << 16) + ((b) << 8) + "
				       "((c) > 255 ? 255 : (c)))\n",
				       h->version));
}

/* ---- all -------------------------------------------------------------------------------- */

/* In the order of LINUXINCLUDE in the kernel's Makefile. */
static void find_dirs(struct headers *h)
{
	const char *cpu = h->cpu->dir;

	add_dir(h, headers_path(h, "%s/first", h->tmp));
	add_dir(h, headers_path(h, "%s/arch/%s/include", h->common, cpu));
	add_dir(h, headers_path(h, "%s/arch/%s/include/generated", h->own, cpu));
	add_dir(h, headers_path(h, "%s/asm", h->tmp));
	add_dir(h, headers_path(h, "%s/include", h->common));
	add_dir(h, headers_path(h, "%s/include", h->own));
	add_dir(h, headers_path(h, "%s/include2", h->own)); /* 2.6.18, built elsewhere */
	add_dir(h, headers_path(h, "%s/arch/%s/include/uapi", h->common, cpu));
	add_dir(h, headers_path(h, "%s/arch/%s/include/generated/uapi", h->own, cpu));
	add_dir(h, headers_path(h, "%s/uapi", h->tmp));
	add_dir(h, headers_path(h, "%s/include/uapi", h->common));
	add_dir(h, headers_path(h, "%s/include/generated/uapi", h->own));
	/* powerpc until 3.x: #include "mm/..." */
	add_dir(h, headers_path(h, "%s/arch/%s", h->common, cpu));
	add_dir(h, h->common);
	add_dir(h, headers_path(h, "%s/last", h->tmp));
}

enum status headers_standins(struct headers *h)
{
	enum status st = write_autoconf(h);

	if (!st)
		st = link_old_asm(h);
	if (!st)
		st = newer_compilers(h);
	if (!st)
		st = wrap_generic(h, "include/asm-generic", "asm");
	if (!st)
		st = wrap_generic(h, "include/uapi/asm-generic", "uapi");
	if (!st)
		st = write_last(h);
	if (st)
		return st;
	find_dirs(h);
	st = headers_compiler(h);
	return st ? st : write_bounds(h);
}
