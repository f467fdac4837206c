/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * showmap.c - Android's showmap (libmeminfo/tools/showmap.cpp): a process's vmas by name,
 * in KiB. A vma without a name directly after a library is the library's .bss; others are
 * [anon].
 */
#include <inttypes.h>
#include <string.h>

#include "dumpread/base/hash.h"
#include "dumpread/base/search.h"
#include "reports/compat/like.h"

struct line {
	const char *name;
	bool bss;		/* only .bss */
	uint32_t count;
	struct sums u;
};

static bool is_library(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && name[0] == '/' && !strcmp(name + n - 3, ".so");
}

static int by_name(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

static void header(FILE *out)
{
	fputs(" virtual                     shared   shared  private  private\n"
	      "    size      RSS      PSS    clean    dirty    clean    dirty     swap  swapPSS"
	      "   #  object\n",
	      out);
}

static void divider(FILE *out)
{
	for (int i = 0; i < 9; i++)
		fputs("-------- ", out);
	fputs("---- ------------------------------\n", out);
}

static void showmap_line(const struct line *l, FILE *out)
{
	const struct sums *u = &l->u;
	const uint64_t v[] = { u->size,		 u->rss,	  u->pss,
			       u->shared_clean,	 u->shared_dirty, u->private_clean,
			       u->private_dirty, u->swap,	  u->swap_pss };

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		fprintf(out, "%8s ", number_of(v[i]).text);
	fprintf(out, "%4u ", l->count);
	put_field(out, l->name, 0, 0);
	fputs(l->bss ? " [bss]\n" : "\n", out);
}

/* R's name, and whether it is .bss of the row before it. */
static const char *showmap_name(const struct vma_row *r, const struct vma_row *before, bool *bss)
{
	*bss = false;
	if (r->name && *r->name)
		return r->name;
	*bss = before && before->end == r->start && before->name && is_library(before->name);
	return *bss ? before->name : "[anon]";
}

static size_t merge(const struct vma_row *r, size_t n, struct line *v, struct arena *mem)
{
	struct hash names = { .mem = mem };
	size_t lines = 0;

	for (size_t i = 0; i < n; i++) {
		bool bss;
		const char *name = showmap_name(&r[i], i ? &r[i - 1] : NULL, &bss);
		uint64_t key = hash_str(name);
		uint32_t at;

		while ((at = hash_get(&names, key)) != HASH_NONE && strcmp(v[at].name, name))
			key = key + 1 ? key + 1 : 1;
		if (at == HASH_NONE) {
			at = (uint32_t)lines++;
			hash_put(&names, key, at);
			v[at] = (struct line){ .name = name, .bss = bss };
		}
		v[at].bss &= bss;
		v[at].count++;
		sums_add(&v[at].u, &r[i].u, SUMS_KIB);
	}
	return lines;
}

static void showmap_process(const struct vma_row *r, size_t n, FILE *out)
{
	struct arena mem = { 0 };
	struct line *v = arena_array(&mem, struct line, n), total = { .name = "TOTAL" };
	size_t lines = merge(r, n, v, &mem);

	for (size_t i = 0; i < n; i++)
		sums_add(&total.u, &r[i].u, SUMS_KIB);
	total.count = (uint32_t)n;
	sort_array(v, lines, sizeof(*v), by_name);
	header(out);
	divider(out);
	for (size_t i = 0; i < lines; i++)
		showmap_line(&v[i], out);
	divider(out);
	header(out);
	divider(out);
	showmap_line(&total, out);
	arena_release(&mem);
}

LIKE_TEXT(showmap_text)
{
	(void)s;
	each_process(o, t, showmap_process, out);
}
