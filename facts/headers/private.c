/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * private.c - types that are defined in source files, or in headers beside them.
 *
 * A type is compiled as its own file has it: the file is copied as far as the end of the
 * definition, so that what the definition needs stands before it as it does in the kernel.
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "facts/headers/tree.h"

/* Where definitions are looked for, in this order. */
static const char *const folders[] = {
	"include/linux", "mm", "kernel", "kernel/printk", "kernel/sched", "kernel/cgroup",
	"kernel/time", "kernel/locking", "kernel/events", "kernel/trace", "kernel/bpf", "lib",
	"fs", "fs/hugetlbfs", "ipc", "block", "drivers/base", "net/core", "net/packet", "net/xdp",
	"io_uring", "drivers/dma-buf/heaps",
};

struct search {
	struct headers *h;
	const char *const *names;
	bool *found;
	unsigned n;
	struct headers_units *units;
};

/* ---- one file -------------------------------------------------------------------- */

/* The wanted type that the line P begins to define, N if none: "struct NAME {". */
static unsigned defines(const struct search *s, const char *p)
{
	size_t len;

	if (strncmp(p, "struct ", 7) && strncmp(p, "union ", 6))
		return s->n;
	p += strcspn(p, " ") + 1;
	len = strcspn(p, " \t\n;{");
	if (p[len + strspn(p + len, " \t\n")] != '{')
		return s->n;
	for (unsigned i = 0; i < s->n; i++)
		if (!s->found[i] && strlen(s->names[i]) == len && !memcmp(s->names[i], p, len))
			return i;
	return s->n;
}

/* The end of the definition that begins at P: the line with the first ';' from the line on
   that begins with '}'; attributes may stand between, with conditions of their own. */
static const char *definition_end(const char *p)
{
	const char *brace = strstr(p, "\n}"), *last = brace ? strchr(brace, ';') : NULL;
	const char *end = last ? strchr(last, '\n') : NULL;

	return end ? end + 1 : NULL;
}

/* How the condition of the preprocessor in the line P changes the depth. */
static int condition(const char *p)
{
	p += strspn(p, " \t");
	if (*p != '#')
		return 0;
	p += 1 + strspn(p + 1, " \t");
	return !strncmp(p, "if", 2) ? 1 : !strncmp(p, "endif", 5) ? -1 : 0;
}

/* The text from START to END with its conditions closed, and without the order to define
   tracepoints, which needs the rest of the kernel. */
static void copy(const char *start, const char *end, FILE *out)
{
	int depth = 0;

	while (start < end) {
		size_t len = strcspn(start, "\n") + 1;

		depth += condition(start);
		if (strncmp(start, "#define CREATE_TRACE_POINTS", 27))
			fwrite(start, 1, len, out);
		else
			putc('\n', out);
		start += len;
	}
	while (depth-- > 0)
		fputs("#endif\n", out);
}

static void add_unit(struct search *s, const char *folder, const char *name, const char *text,
		     const char *end, const char *types)
{
	struct headers *h = s->h;
	const char *source = headers_path(h, "%s/private%zu.c", h->tmp, s->units->v.n);
	bool header = name[strlen(name) - 1] == 'h';
	FILE *out = fopen(source, "wxe");
	struct headers_unit *u;

	if (!out)
		return;
	/* a header may need what its users include before it */
	if (header)
		fputs("#include \"types.c\"\n", out);
	fprintf(out, "#line 1 \"%s/%s\"\n", folder, name);
	copy(text, end, out);
	fclose(out);
	u = vec_push(&h->mem, &s->units->v);
	u->source = source;
	u->from = headers_path(h, "%s/%s", folder, name);
	u->quote = headers_path(h, "%s/%s", h->common, folder);
	u->types = types;
}

/* Is the file of an allocator that the kernel does not have? Each has its struct kmem_cache. */
static bool other_allocator(const struct headers *h, const char *name)
{
	static const struct {
		const char *file, *option;
	} allocators[] = {
		{ "slab_def.h", "CONFIG_SLAB" }, { "slab.c", "CONFIG_SLAB" },
		{ "slub_def.h", "CONFIG_SLUB" }, { "slub.c", "CONFIG_SLUB" },
		{ "slob_def.h", "CONFIG_SLOB" }, { "slob.c", "CONFIG_SLOB" },
	};

	for (size_t i = 0; i < ARRAY_LEN(allocators); i++)
		if (!strcmp(name, allocators[i].file))
			return !kconfig_get(&h->config, allocators[i].option);
	return false;
}

static void search_file(struct search *s, const char *folder, const char *name)
{
	const char *text =
		headers_read(s->h, headers_path(s->h, "%s/%s/%s", s->h->common, folder, name));
	const char *last = NULL, *types = "";

	for (const char *p = text; p && *p; p += strcspn(p, "\n"), p += *p == '\n') {
		unsigned i = *p == 's' || *p == 'u' ? defines(s, p) : s->n;
		const char *end = i < s->n ? definition_end(p) : NULL;

		if (!end)
			continue;
		s->found[i] = true;
		last = end;
		types = headers_path(s->h, "%s %s", types, s->names[i]);
	}
	if (last)
		add_unit(s, folder, name, text, last, types + 1);
}

static bool is_source(const char *name)
{
	size_t n = strlen(name);

	return *name != '.' && n > 2 && name[n - 2] == '.' &&
	       (name[n - 1] == 'c' || name[n - 1] == 'h');
}

void headers_private(struct headers *h, const char *const *names, unsigned n,
		     struct headers_units *ret)
{
	struct search s = { h, names, arena_array(&h->mem, bool, n), n, ret };

	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		DIR *d = opendir(headers_path(h, "%s/%s", h->common, folders[i]));
		struct dirent *e;

		while (d && (e = readdir(d)))
			if (is_source(e->d_name) && !other_allocator(h, e->d_name))
				search_file(&s, folders[i], e->d_name);
		if (d)
			closedir(d);
	}
}
