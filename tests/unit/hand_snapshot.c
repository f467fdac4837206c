/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hand_snapshot.c - a snapshot made by hand.
 */
#include "tests/unit/hand_snapshot.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/x86_64.h"
#include "model/shared.h"
#include "reports/core/pick.h"
#include "reports/render/render.h"

static const struct usage heap_usage = {
	.size = 135168, .rss = 20480, .pss = UINT64_C(10240) << PSS_SHIFT,
	.pss_anon = UINT64_C(10240) << PSS_SHIFT, .pss_dirty = UINT64_C(10240) << PSS_SHIFT,
	.shared_dirty = 12288, .private_dirty = 8192, .referenced = 20480,
	.anonymous = 20480, .rss_anon = 20480, .swap = 4096, .swap_ptes = 4096,
	.swap_pss = UINT64_C(2048) << PSS_SHIFT,
};

static const struct usage file_usage = {
	.size = 8192, .rss = 8192, .pss = UINT64_C(2730) << PSS_SHIFT,
	.pss_file = UINT64_C(2730) << PSS_SHIFT, .shared_clean = 4096, .private_clean = 4096,
	.referenced = 8192, .rss_file = 8192,
};

static bool no_entries(const struct snapshot *s, struct reader *r, const struct vma *v,
		       uint64_t start, uint64_t end, const struct pgvisit *visit, void *arg)
{
	(void)s, (void)r, (void)v, (void)start, (void)end, (void)visit, (void)arg;
	return true;
}

static void no_walk(const struct snapshot *s, struct reader *r, const struct vma *v,
		    bool (*fn)(void *arg, const struct vma_page *p), void *arg)
{
	(void)s, (void)r, (void)v, (void)fn, (void)arg;
}

static void no_about(const struct kernel *k, struct source_about *ret)
{
	(void)k, (void)ret;
}

const struct source source_by_hand = {
	.name = "hand", .has = SOURCE_COUNTERS | SOURCE_SETTINGS | SOURCE_FRAMES,
	.entries = no_entries, .walk = no_walk, .about = no_about,
};

static void kernel(struct hand *h, int major, int minor)
{
	struct kernel *k = &h->k;

	h->arch = (struct arch){ .name = "x86_64", .elf_machine = EM_X86_64, .word_size = 8,
				 .pkey_bits = 4, .vmflags = x86_64_vmflags };
	k->source = &source_by_hand;
	k->arch = &h->arch;
	k->page_shift = 12;
	k->version = (struct release){ .major = major, .minor = minor };
	strcpy(k->release, "6.1.0-hand");
	strcpy(k->nodename, "field \"7\"");
	k->issues = &h->issues;
	rules_decide(&k->version, NULL, &k->rules);
	for (int i = 0; i < LAYOUT_COUNT; i++)
		k->layout.v[i].alt = -1;
	issues_init(&h->issues);
}

static void tasks(struct hand *h)
{
	h->tasks[0] = (struct task){ .pid = 2, .tgid = 2, .proc = 0, .mm = NONE,
				     .comm = "kthreadd", .state = 'S', .flags = PF_KTHREAD };
	h->tasks[1] = (struct task){ .pid = 10, .tgid = 10, .ppid = 1, .proc = 1,
				     .comm = "sh\x1b[2J", .state = 'S', .utime = 61000000000 };
	h->tasks[2] = (struct task){ .pid = 12, .tgid = 10, .ppid = 1, .proc = 1,
				     .comm = "worker", .state = 'D', .min_flt = 7 };
	h->tasks[3] = (struct task){ .pid = 11, .tgid = 11, .ppid = 10, .proc = 2,
				     .comm = "child", .state = 'R' };
	h->procs[0] = (struct proc){ .leader = 0, .first_task = 0, .ntasks = 1, .mm = NONE,
				     .kthread = true, .pid = 2, .cgroup = NONE };
	h->procs[1] = (struct proc){ .leader = 1, .first_task = 1, .ntasks = 2, .pid = 10,
				     .ppid = 1, .uid = 1000, .oom_score_adj = -500,
				     .utime = 61000000000, .cgroup = 0 };
	h->procs[2] = (struct proc){ .leader = 3, .first_task = 3, .ntasks = 1, .pid = 11,
				     .ppid = 10, .uid = 1000, .cgroup = NONE };
	h->cgroups[0] = (struct cgroup){ .path = "/user.slice", .parent = NONE };
}

static void memory(struct hand *h)
{
	struct mm *mm = &h->mms[0];

	*mm = (struct mm){ .addr = 0xffff888000001000, .users = 2, .owner = 1, .nprocs = 2,
			   .first_vma = 0, .nvmas = 3, .map_count = 3, .exe = 0,
			   .counter = { 2, 5, 1, 0 }, .counter_shown = { 2, 5, 1, 0 },
			   .total_vm = 68, .pgtables_bytes = 8192, .cmdline = "sh -c \"a, b\"" };
	h->vmas[0] = (struct vma){ .start = 0x400000, .end = 0x402000, .flags = 0x75, .pgoff = 1,
				   .file = 0, .file_addr = 1, .name = "/bin/a\nb (deleted)",
				   .usage = file_usage };
	h->vmas[1] = (struct vma){ .start = 0x555000000000, .end = 0x555000021000,
				   .flags = 0x8100073, .pgoff = 9, .file = NONE, .name = "[heap]",
				   .usage = heap_usage };
	h->vmas[2] = (struct vma){ .start = 0x7ffc00000000, .end = 0x7ffc00021000,
				   .flags = 0x300100173, .file = NONE, .name = "" };
	h->vmas[2].usage.size = h->vmas[2].end - h->vmas[2].start;
	h->files[0] = (struct file){ .path = "/bin/a\nb (deleted)", .deleted = true,
				     .dev_major = 254, .dev_minor = 0, .ino = 16289 };
	for (int i = 0; i < 3; i++)
		usage_add(&mm->usage, &h->vmas[i].usage);
}

void hand_snapshot(struct hand *h, int major, int minor)
{
	memset(h, 0, sizeof(*h));
	kernel(h, major, minor);
	tasks(h);
	memory(h);
	h->log[0] = (struct log_line){ .ts = 0, .level = 5, .text = "Linux version\t6.1" };
	h->log[1] = (struct log_line){ .ts = 1234567890, .level = 3, .text = "bad \x80 \x1b]0;x\a" };
	h->log[2] = (struct log_line){ .ts = 99999000000000, .level = 6, .text = "" };
	h->s = (struct snapshot){
		.k = &h->k, .built = ~0u,
		.tasks = h->tasks, .ntasks = 4, .procs = h->procs, .nprocs = 3,
		.mms = h->mms, .nmms = 1, .vmas = h->vmas, .nvmas = 3,
		.files = h->files, .nfiles = 1, .cgroups = h->cgroups, .ncgroups = 1,
		.machine = { .log = h->log, .nlog = 3 },
		.verify = &h->verify,
	};
}

/* "oom --tasks": a part of a report. */
static const struct report *find(const char *name)
{
	char whole[40];
	size_t len = strcspn(name, " ");
	const struct report *r;

	snprintf(whole, sizeof(whole), "%.*s", (int)len, name);
	r = report_find(whole);
	for (const struct report_part *p = r->parts; name[len] && p && p->opt; p++)
		if (!strcmp(p->name, name + len + 3))
			return p->report;
	return r;
}

char *hand_print(struct hand *h, const char *name, const char *format, const char *columns,
		 const char *where, const char *sort, size_t top, const struct report_opts *opts)
{
	static const struct report_opts none;
	static const char *const paths[] = { "vm\xff" "core" };
	const struct report *r = find(name);
	const struct renderer *to = renderer_find(r, format);
	struct table t = { .cols = r->cols, .ncols = r->ncols };
	struct arena mem = { 0 };
	struct columns deflt, chosen;
	struct where *w = NULL;
	struct sort order = { .n = 0 };
	struct diag diag = { "" };
	char *text = NULL;
	size_t len;
	FILE *out;

	opts = opts ? opts : &none;
	columns_default(r->cols, r->ncols, opts->threads, &mem, &deflt);
	chosen = deflt;
	if (columns)
		columns_choose(columns, r->cols, r->ncols, &deflt, &mem, &diag, &chosen);
	if (where)
		where_parse(where, r->cols, r->ncols, &diag, &w);
	if (sort || r->sort)
		sort_parse(sort ? sort : r->sort, r->cols, r->ncols, &diag, &order);
	out = open_memstream(&text, &len);
	if (!diag.text[0] && !(to->load && to->load(&diag)) && !r->run(&h->s, opts, &t, &diag)) {
		const struct image_facts image = image_facts_of(&h->s, paths, 1);
		const struct render render = {
			.report = r, .opts = opts, .s = &h->s, .t = &t, .cols = chosen.v,
			.ncols = chosen.n, .chosen = columns != NULL,
			.top = top, .sorted = sort != NULL,
			.units = { UNIT_KIB, 4096 }, .image = &image, .issues = h->s.k->issues,
		};

		if (w)
			table_filter(&t, w);
		table_sort(&t, &order, to->of_chart ? 0 : top);
		to->render(&render, out);
	}
	fputs(diag.text, out);
	fclose(out);
	where_free(w);
	shared_free(&h->s);
	arena_release(&t.mem);
	arena_release(&mem);
	return text;
}
