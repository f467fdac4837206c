/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * smem_pl.c - the listing of smem.pl (Ben Maurer, 2006): one process's vmas with private
 * pages, then those with shared pages, each largest first. A form feed separates the two,
 * as in its formats.
 */
#include <inttypes.h>

#include "dumpread/base/search.h"
#include "reports/compat/like.h"

struct line {
	const struct vma_row *r;
	uint64_t key, clean, dirty;	/* KiB */
};

static int sum_largest_first(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return a->r < b->r ? -1 : a->r > b->r;
}

static void section(const char *title, struct line *v, size_t n, FILE *out)
{
	if (!n)
		return;
	sort_array(v, n, sizeof(*v), sum_largest_first);
	fprintf(out, "%s\n%11s %11s  %10s   file\n", title, "vmsize", "rss clean", "rss dirty");
	for (size_t i = 0; i < n; i++) {
		bool named = v[i].r->name && *v[i].r->name;

		fprintf(out, "%8" PRIu64 " kb %8" PRIu64 " kb %8" PRIu64 " kb%s",
			v[i].r->u.size >> 10, v[i].clean, v[i].dirty, named ? "   " : "");
		put_field(out, named ? v[i].r->name : "", 0, 0);
		putc('\n', out);
	}
}

static void header(const struct vma_row *r, size_t n, FILE *out)
{
	struct sums sum = { 0 };

	for (size_t i = 0; i < n; i++)
		sums_add(&sum, &r[i].u, SUMS_KIB);
	fprintf(out, "VMSIZE:  %9s kb\n", number_of(sum.size).text);
	fprintf(out, "RSS:     %9s kb total\n", number_of(sum.rss).text);
	fprintf(out, "         %9s kb shared\n",
		number_of(sum_known(sum.shared_clean, sum.shared_dirty)).text);
	fprintf(out, "         %9s kb private clean\n", number_of(sum.private_clean).text);
	fprintf(out, "         %9s kb private dirty\n", number_of(sum.private_dirty).text);
}

/* In bytes; what is unknown is 0: such a mapping is not listed, and the head has "-". */
static struct sums known_of(const struct vma_row *r)
{
	return (struct sums){ .private_clean = sum_known(r->u.private_clean, 0),
			      .private_dirty = sum_known(r->u.private_dirty, 0),
			      .shared_clean = sum_known(r->u.shared_clean, 0),
			      .shared_dirty = sum_known(r->u.shared_dirty, 0) };
}

static void smem_pl_process(const struct vma_row *r, size_t n, FILE *out)
{
	struct arena mem = { 0 };
	struct line *private = arena_array(&mem, struct line, n);
	struct line *shared = arena_array(&mem, struct line, n);
	size_t np = 0, ns = 0;

	header(r, n, out);
	for (size_t i = 0; i < n; i++) {
		const struct sums known = known_of(&r[i]), *u = &known;

		if (u->private_clean + u->private_dirty)
		private[np++] = (struct line){ &r[i], u->private_dirty >> 10,
					       u->private_clean >> 10, u->private_dirty >> 10 };
		if (u->shared_clean + u->shared_dirty)
			shared[ns++] =
				(struct line){ &r[i], (u->shared_clean + u->shared_dirty) >> 10,
					       u->shared_clean >> 10, u->shared_dirty >> 10 };
	}
	section("PRIVATE MAPPINGS", private, np, out);
	if (np && ns)
		putc('\f', out);
	section("SHARED MAPPINGS", shared, ns, out);
	arena_release(&mem);
}

LIKE_TEXT(smem_pl_text)
{
	(void)s;
	each_process(o, t, smem_pl_process, out);
}
