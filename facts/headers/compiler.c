/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compiler.c - runs the compiler. Its arguments are words, no shell reads them.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "facts/headers/tree.h"

extern char **environ;

static void add(struct headers *h, const char *word)
{
	*vec_push(&h->mem, &h->cc) = word;
}

#if defined(__x86_64__) || defined(__i386__)
#define HOST_DIR "x86"
#elif defined(__powerpc__)
#define HOST_DIR "powerpc"
#else
#define HOST_DIR ""
#endif

/* $CC, which may have options, as make takes it. */
static void add_compiler(struct headers *h)
{
	const char *cc = getenv("CC");

	if (!cc || !cc[strspn(cc, " \t")])
		cc = strcmp(h->cpu->dir, HOST_DIR) ? h->cpu->cross : "cc";
	for (cc += strspn(cc, " \t"); *cc; cc += strspn(cc, " \t")) {
		size_t n = strcspn(cc, " \t");

		add(h, arena_strndup(&h->mem, cc, n));
		cc += n;
	}
}

/* Our environment, with TMPDIR in tmp: a compiler that crashes leaves files. It may write
   nowhere else, so ccache has no cache. */
static char **environment(struct headers *h)
{
	size_t n = 0, kept = 0;
	char **env;

	while (environ[n])
		n++;
	env = arena_array(&h->mem, char *, n + 3);
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "TMPDIR=", 7))
			env[kept++] = environ[i];
	env[kept++] = headers_path(h, "TMPDIR=%s", h->tmp);
	env[kept] = headers_path(h, "CCACHE_DISABLE=1");
	return env;
}

/*
 * Run h->cc and the N words MORE; standard output and errors go to the file TO in tmp.
 * False: it cannot be started (errno), or failed (errno is 0).
 */
static bool run(struct headers *h, const char *const *more, size_t n, const char *to)
{
	const char **argv = arena_array(&h->mem, const char *, h->cc.n + n + 1);
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	int status = 0;
	pid_t pid;

	memcpy(argv, h->cc.v, h->cc.n * sizeof(*argv));
	memcpy(argv + h->cc.n, more, n * sizeof(*argv));
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&files, 1, 2);
	errno = posix_spawnp(&pid, argv[0], &files, &attr, (char *const *)argv, environment(h));
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	if (errno)
		return false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	errno = 0;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The first line of the file TO that tells an error, in MEM. */
static const char *first_error(struct headers *h, const char *to)
{
	const char *text = headers_read(h, to), *at = text ? strstr(text, "error: ") : NULL;

	if (!at)
		return text && *text ? arena_strndup(&h->mem, text, strcspn(text, "\n"))
				     : "no reason given";
	while (at > text && at[-1] != '\n')
		at--;
	return arena_strndup(&h->mem, at, strcspn(at, "\n"));
}

/* ---- its options ---------------------------------------------------------------------- */

static const char *const always[] = {
	"-nostdinc", "-g", "-gdwarf-4", "-O1", "-w", "-fno-eliminate-unused-debug-types",
	"-ffreestanding", "-fno-pie", "-fno-pic", "-fno-strict-aliasing", "-fno-common",
	"-fms-extensions", "-fgnu89-inline", "-D__KERNEL__", "-DKBUILD_MODNAME=\"types\"",
	"-DKBUILD_BASENAME=\"types\"", "-DKBUILD_MODFILE=\"types\"",
	/* what Makefiles found out of a compiler, before Kconfig did (4.17, 5.0) */
	"-DCC_HAVE_ASM_GOTO", "-DCC_USING_FENTRY", "-DCONFIG_AS_CFI=1", "-DCONFIG_AS_CFI_SIGNAL_FRAME=1",
};

/* Headers that come before all, where the tree has them. */
static const char *const before[] = {
	"generated/autoconf.h",
	"linux/kconfig.h",		/* 2a11c8ea20bf (3.2) */
	"linux/compiler_types.h",	/* d15155824c50 (4.15) */
};

/* Where the compiler has its own headers (stdarg.h). */
static enum status find_own_headers(struct headers *h)
{
	const char *to = headers_path(h, "%s/where", h->tmp);
	const char *ask = "-print-file-name=include";
	char *dir;

	if (!run(h, &ask, 1, to))
		return fail(h->diag, errno ? ST_ABSENT : ST_NOTMINE,
			    "cannot run the compiler '%s'%s%s; install one for this kernel's CPU, "
			    "or name it in CC",
			    h->cc.v[0], errno ? ": " : "", errno ? strerror(errno) : "");
	dir = headers_read(h, to);
	if (!dir || !*dir)
		return fail(h->diag, ST_NOTMINE,
			    "the compiler '%s' does not say where its headers are", h->cc.v[0]);
	dir[strcspn(dir, "\n")] = '\0';
	add(h, "-isystem");
	add(h, dir);
	return ST_OK;
}

enum status headers_compiler(struct headers *h)
{
	enum status st;

	add_compiler(h);
	st = find_own_headers(h);
	if (st)
		return st;
	for (size_t i = 0; i < ARRAY_LEN(always); i++)
		add(h, always[i]);
	/* e8c07082a810 (5.18) */
	add(h, h->version && h->version < 0x051200 ? "-std=gnu89" : "-std=gnu11");
	/* 3bc753c06dd0 (6.2) */
	if (h->version >= 0x060200)
		add(h, "-funsigned-char");
	for (size_t i = 0; i < ARRAY_LEN(h->cpu->flags) && h->cpu->flags[i]; i++)
		add(h, h->cpu->flags[i]);
	for (size_t i = 0; i < h->dirs.n; i++)
		add(h, headers_path(h, "-I%s", h->dirs.v[i]));
	for (size_t i = 0; i < ARRAY_LEN(before); i++)
		if (headers_lookup(h, before[i])) {
			add(h, "-include");
			add(h, before[i]);
		}
	return ST_OK;
}

/* ---- its work -------------------------------------------------------------------------- */

enum status headers_compile(struct headers *h, enum headers_stage stage, const char *source,
			    const char *quote, const char *output, const char **error)
{
	const char *to = headers_path(h, "%s/errors", h->tmp);
	const char *words[8] = { stage == STAGE_ASSEMBLY ? "-S" : "-c", "-o", output, source };
	size_t n = 4;

	if (quote) {
		words[n++] = "-iquote";
		words[n++] = quote;
	}
	if (run(h, words, n, to))
		return ST_OK;
	if (error)
		*error = first_error(h, to);
	return ST_NOTMINE;
}

enum status headers_link(struct headers *h, const char *const *objects, unsigned n,
			 const char *output)
{
	static const char *const how[] = {
		"-nostdlib", "-static", "-no-pie", "-Wl,-e,0", "-Wl,--unresolved-symbols=ignore-all",
		"-Wl,-z,muldefs", "-Wl,--build-id=none", "-o",
	};
	const char *to = headers_path(h, "%s/errors", h->tmp);
	size_t nhow = ARRAY_LEN(how);
	const char **words = arena_array(&h->mem, const char *, nhow + 1 + n);

	memcpy(words, how, sizeof(how));
	words[nhow] = output;
	memcpy(words + nhow + 1, objects, n * sizeof(*words));
	if (run(h, words, nhow + 1 + n, to))
		return ST_OK;
	return fail(h->diag, ST_NOTMINE, "the compiler does not link: %s", first_error(h, to));
}
