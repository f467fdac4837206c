/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * asker - the program, asked many questions of a dump that is opened once.
 *
 *	asker [-t FILE]... [IMAGE]...
 *
 * Each question on stdin is the arguments of one run: their number and a line end, then of each
 * its length, a line end and its bytes. The answer on stdout is the line STATUS OUT ERR, then OUT
 * bytes that the run wrote on stdout and ERR bytes that it wrote on stderr. STATUS is the exit
 * status, or minus the signal that ended it.
 *
 * Each question is asked in a child process, of main() with its sandbox. The linker wraps
 * kernel_open(): a run that names the same images and types gets the child's copy of the kernel
 * that is open, and what was said while it was opened. Any other run opens what it names. The
 * parent reads, too, each page that a run read: the next runs have it in their copy of its memory.
 */
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/hash.h"
#include "dumpread/base/heap.h"
#include "dumpread/dump.h"
#include "model/kernel/kernel.h"

#define main program_main
int program_main(int argc, char **argv);
#include "cli/main.c"
#undef main

#define SECONDS 180u		/* of one run */
#define WORDS 64u		/* of one question */
#define LINES 256u		/* said while the dump was opened */
#define KEPT_BYTES (96u << 20)	/* pages that were read */
#define MISSED 65536u		/* pages of one run */

enum status __real_kernel_open(const struct kernel_opts *o, struct diag *diag, struct kernel **ret);
enum status __wrap_kernel_open(const struct kernel_opts *o, struct diag *diag, struct kernel **ret);

static struct kernel_opts opened;
static struct kernel *kernel;		/* NULL: it could not be opened */
static struct log current;		/* of the kernel: that of the run which has it */
static struct {
	enum log_level level;
	char *text;
} said[LINES];
static unsigned nsaid;

static void remember(void *arg, enum log_level level, const char *line)
{
	(void)arg;
	if (nsaid == LINES)
		abort();
	said[nsaid].level = level;
	said[nsaid++].text = strdup(line);
}

/* ---- pages that were read before ------------------------------------------ */

static const struct pages_ops *of_dump;
static struct pages_ops with_kept;
static struct {
	uint8_t *pages;			/* KEPT_BYTES of huge pages: cheap to fork */
	struct hash places;		/* pfn + 1 -> place in pages */
	struct arena mem;		/* of places */
	unsigned page_shift;
	void *ctx;			/* of the dump's pages_ops */
} kept;
static struct missed {			/* shared with the child */
	uint32_t n;
	uint64_t pfn[MISSED];
} *missed;

static uint8_t *kept_page(uint32_t place)
{
	return kept.pages + ((size_t)place << kept.page_shift);
}

/* In a child, by any thread. What could not be read is not kept: it is read, and said, again. */
static enum status read_page(void *self, void *ctx, uint64_t pfn, uint8_t *out)
{
	uint32_t place = hash_get(&kept.places, pfn + 1), n;
	enum status st;

	if (place != HASH_NONE) {
		memcpy(out, kept_page(place), (size_t)1 << kept.page_shift);
		return ST_OK;
	}
	st = of_dump->read(self, ctx, pfn, out);
	if (!st) {
		n = __atomic_fetch_add(&missed->n, 1, __ATOMIC_RELAXED);
		if (n < MISSED)
			missed->pfn[n] = pfn;
	}
	return st;
}

/* In the parent: the next child has what this one missed. */
static void keep_missed(void)
{
	const struct dump *d = kernel->dump;

	for (uint32_t i = 0; i < missed->n && i < MISSED; i++) {
		uint64_t pfn = missed->pfn[i];
		uint32_t place = (uint32_t)kept.places.n;

		if (place < KEPT_BYTES >> kept.page_shift &&
		    hash_get(&kept.places, pfn + 1) == HASH_NONE &&
		    !of_dump->read(d->pages_self, kept.ctx, pfn, kept_page(place)))
			hash_put(&kept.places, pfn + 1, place);
	}
	missed->n = 0;
}

static void keep_pages(struct dump *d)
{
	kept.page_shift = d->page_shift;
	kept.places.mem = &kept.mem;
	kept.pages = heap_large(KEPT_BYTES);
	missed = mmap(NULL, sizeof(*missed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (missed == MAP_FAILED)
		abort();
	of_dump = d->pages;
	if (of_dump->ctx_new)
		kept.ctx = of_dump->ctx_new(d->pages_self);
	with_kept = *of_dump;
	with_kept.read = read_page;
	d->pages = &with_kept;
}

/* ---- questions ------------------------------------------------------------ */

static bool same_words(const char *const *a, unsigned na, const char *const *b, unsigned nb)
{
	for (unsigned i = 0; na == nb && i < na; i++)
		if (strcmp(a[i], b[i]))
			return false;
	return na == nb;
}

enum status __wrap_kernel_open(const struct kernel_opts *o, struct diag *diag, struct kernel **ret)
{
	if (!kernel || !o->log || o->jobs || o->memory || o->near_vmlinux || o->near_release ||
	    !same_words(o->images, o->nimages, opened.images, opened.nimages) ||
	    !same_words(o->types, o->ntypes, opened.types, opened.ntypes))
		return __real_kernel_open(o, diag, ret);
	current = *o->log;
	for (unsigned i = 0; i < nsaid; i++)
		log_at(&current, said[i].level, "%s", said[i].text);
	*ret = kernel;
	kernel = NULL; /* the run closes it */
	return ST_OK;
}

static size_t get_number(void)
{
	size_t n;

	if (scanf("%zu", &n) != 1 || getchar() != '\n')
		exit(0);
	return n;
}

/* The words of a question, which end with NULL; their number. */
static unsigned get_words(char **words)
{
	size_t n = get_number();

	if (n >= WORDS)
		exit(EXIT_USAGE);
	for (size_t i = 0; i < n; i++) {
		size_t len = get_number();

		words[i] = calloc(1, len + 1);
		if (!words[i] || fread(words[i], 1, len, stdin) != len)
			exit(EXIT_USAGE);
	}
	words[n] = NULL;
	return (unsigned)n;
}

static __attribute__((noreturn)) void ask(unsigned n, char **words, const int *to)
{
	if (!freopen("/dev/null", "r", stdin) || dup2(to[0], 1) < 0 || dup2(to[1], 2) < 0)
		abort();
	close(to[0]);
	close(to[1]);
	alarm(SECONDS);
	exit(program_main((int)n, words));
}

static void put_file(int fd, size_t size)
{
	char *text;

	if (size) {
		text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (text == MAP_FAILED || fwrite(text, 1, size, stdout) != size)
			abort();
		munmap(text, size);
	}
	close(fd);
}

static void answer(unsigned n, char **words)
{
	int to[2] = { memfd_create("stdout", 0), memfd_create("stderr", 0) }, status;
	size_t size[2];
	pid_t pid = to[0] < 0 || to[1] < 0 ? -1 : fork();

	if (!pid)
		ask(n, words, to);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		abort();
	for (unsigned i = 0; i < 2; i++)
		size[i] = (size_t)lseek(to[i], 0, SEEK_END);
	printf("%d %zu %zu\n", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status),
	       size[0], size[1]);
	for (unsigned i = 0; i < 2; i++)
		put_file(to[i], size[i]);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char **types = calloc((size_t)argc, sizeof(*types));
	char *words[WORDS];
	struct diag diag;
	unsigned n;
	int c;

	while ((c = getopt(argc, argv, "t:")) == 't')
		types[opened.ntypes++] = optarg;
	current = (struct log){ .level = LOG_DEBUG, .write = remember };
	opened.types = types;
	opened.images = (const char *const *)argv + optind;
	opened.nimages = (unsigned)(argc - optind);
	opened.log = &current;
	if (c >= 0 || (opened.nimages && __real_kernel_open(&opened, &diag, &kernel)))
		kernel = NULL;
	if (kernel && kernel->dump)
		keep_pages(kernel->dump);
	malloc_trim(0); /* a child takes new pages, instead of a copy of what was there */
	for (;;) {
		n = get_words(words);
		answer(n, words);
		if (kept.pages)
			keep_missed();
		while (n)
			free(words[--n]);
	}
}
