/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bigpage - the HTML page of a synthetic machine of any size.
 *
 *	bigpage OUT PROCS VMAS
 *
 * PROCS processes share out VMAS mappings of many files among them; sizes are drawn
 * by a fixed rule, and some names are those that a hostile machine would choose. It
 * has no dump, hence no page maps. tests/browser/report.py opens it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "model/memory/frames/frames.h"
#include "model/memory/trust/verify.h"
#include "model/memory/usage/refs.h"
#include "model/shared.h"
#include "reports/core/report.h"
#include "tests/unit/hand_snapshot.h"

#define FILES 3000u

static const char *const hostile[] = {
	"</script><b>x", "\"'><img src=x>", "\xff\xfe\x80 \x1b[2J", "<!--<script>", "&lt;\\u003c\n",
	"\xe2\x80\xae-drowssap", "\xf0\x9f\x90\xa7 \xc3\xa9", "\xe2\x81\xa6\xd8\x9c x", "' onclick=x y='",
	"*/</style><svg", "${x}`]]>",
};

static uint64_t next(uint64_t *state)
{
	/* Knuth, MMIX */
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static void make_files(struct snapshot *s)
{
	s->nfiles = FILES;
	s->files = arena_array(&s->mem, struct file, FILES);
	for (uint32_t i = 0; i < FILES; i++) {
		const char *name = i < ARRAY_LEN(hostile) ? hostile[i] : "";

		s->files[i] = (struct file){
			.path = arena_printf(&s->mem, "/usr/lib/package-%u/lib%s%u.so", i / 7,
					     name, i),
			.inode = 0x1000 + i, .mapping = 0x1000 + i, .ino = i + 1,
			.cached = 40 + i % 90, .status_known = true,
		};
	}
}

static void make_usage(struct vma *v, struct sizes *z, uint64_t *seed)
{
	uint64_t pages = 1 + next(seed) % 256, rss = next(seed) % (pages + 1);
	uint64_t users = 1 + next(seed) % 40;

	v->end = v->start + pages * 4096;
	v->usage = (struct usage){
		.size = pages * 4096, .rss = rss * 4096, .pss = (rss * 4096 << PSS_SHIFT) / users,
	};
	if (users == 1)
		v->usage.private_dirty = v->usage.rss;
	else
		v->usage.shared_clean = v->usage.rss;
	*(v->file == NONE ? &v->usage.rss_anon : &v->usage.rss_file) = v->usage.rss;
	*(v->file == NONE ? &v->usage.pss_anon : &v->usage.pss_file) = v->usage.pss;
	*z = (struct sizes){
		.vm = v->usage.size, .mapped = v->usage.rss, .resident = v->usage.rss,
		.eff_resident = ((effective_t)v->usage.rss << SIZES_SHIFT) / users,
		.eff_mapped = ((effective_t)v->usage.rss << SIZES_SHIFT) / users,
	};
}

static void make_mm(struct snapshot *s, uint32_t i, uint32_t nvmas, uint64_t *seed)
{
	struct mm *mm = &s->mms[i];
	uint64_t at = 0x400000;

	*mm = (struct mm){ .addr = UINT64_C(0xffff888000000000) + i * 4096, .users = 1,
			   .owner = i, .nprocs = 1, .first_vma = s->nvmas, .nvmas = nvmas, .exe = NONE };
	for (uint32_t j = 0; j < nvmas; j++) {
		struct vma *v = &s->vmas[s->nvmas];
		bool anon = j % 4 == 3;

		v->mm = i;
		v->start = at;
		v->flags = j % 4 == 0 ? 0x71 : j % 4 == 1 ? 0x75 : 0x73;
		v->file = anon ? NONE : (uint32_t)(j < 40 ? j / 4 : next(seed) % FILES);
		v->file_addr = !anon;
		v->name = anon ? (j == 3 ? "[heap]" : "") : s->files[v->file].path;
		make_usage(v, &s->sizes[s->nvmas++], seed);
		at = v->end + (next(seed) % 64 + 1) * 4096;
		usage_add(&mm->usage, &v->usage);
	}
}

static void make_procs(struct snapshot *s, uint32_t procs, uint32_t vmas)
{
	uint64_t seed = 1;

	s->tasks = arena_array(&s->mem, struct task, procs);
	s->procs = arena_array(&s->mem, struct proc, procs);
	s->mms = arena_array(&s->mem, struct mm, procs);
	s->vmas = arena_array(&s->mem, struct vma, vmas);
	s->sizes = arena_array(&s->mem, struct sizes, vmas);
	s->ntasks = s->nprocs = s->nmms = procs;
	for (uint32_t i = 0; i < procs; i++) {
		s->tasks[i] = (struct task){ .pid = (int32_t)i + 1, .tgid = (int32_t)i + 1,
					     .proc = i, .mm = i, .state = 'S' };
		snprintf(s->tasks[i].comm, sizeof(s->tasks[i].comm), "%s",
			 i < ARRAY_LEN(hostile) ? hostile[i]
				: arena_printf(&s->mem, "worker-%u", i % 37));
		s->procs[i] = (struct proc){ .leader = i, .first_task = i, .ntasks = 1, .mm = i,
					     .pid = (int32_t)i + 1, .cgroup = NONE };
		make_mm(s, i, vmas / procs, &seed);
	}
}

/* As many frames as there are pages of usage, and a third more of other kinds. */
static void make_frames(struct snapshot *s)
{
	uint64_t anon = 0, file = 0, n, nchunks, seed = 2;
	struct frame_given **chunk;

	for (uint32_t i = 0; i < s->nmms; i++) {
		anon += (s->mms[i].usage.pss_anon >> PSS_SHIFT) / 4096;
		file += (s->mms[i].usage.pss_file >> PSS_SHIFT) / 4096;
	}
	n = (anon + file + 1) * 4 / 3;
	nchunks = (n >> FRAME_CHUNK_SHIFT) + 1;
	chunk = arena_array(&s->mem, struct frame_given *, nchunks);
	for (uint64_t i = 0; i < nchunks; i++)
		chunk[i] = arena_array(&s->mem, struct frame_given, FRAME_CHUNK);
	for (uint64_t i = 0; i < n; i++) {
		static const uint32_t other[] = { FR_BUDDY, FR_BUDDY, FR_SLAB, FR_CACHE, 0 };
		struct frame_given *f = &chunk[i >> FRAME_CHUNK_SHIFT][i & (FRAME_CHUNK - 1)];

		f->flags = FR_EXISTS | (i < anon ? FR_ANON : i < anon + file ? FR_CACHE
						: other[next(&seed) % ARRAY_LEN(other)]);
		f->mapcount = i < anon + file;
	}
	frames_give(s, chunk, nchunks, n);
	s->machine.present = n;
}

/* The same names where the kernel logs them, and where an issue has them. */
static void make_log(struct snapshot *s)
{
	struct machine *m = &s->machine;

	m->nlog = ARRAY_LEN(hostile);
	m->log = arena_array(&s->mem, struct log_line, m->nlog);
	for (uint32_t i = 0; i < m->nlog; i++) {
		m->log[i] = (struct log_line){ .ts = UINT64_C(1234567890) * i, .level = (uint8_t)i,
					       .text = hostile[i] };
		issue_add(s->k->issues, ST_NODATA, "task", 1, "%s", hostile[i]);
	}
	m->panic = hostile[0];
	m->panic_line = 0;
	s->built |= NEED_LOG | NEED_MACHINE;
}

int main(int argc, char **argv)
{
	const struct report *r = report_find("html");
	static struct kernel k;
	struct issues issues;
	struct verify verify = { .mapped = 0 };
	struct snapshot s = { .k = &k, .built = r->needs, .verify = &verify,
			      .machine = { .panic_pid = -1 } };
	struct report_opts o = { .pid = 0 };
	struct diag diag;
	FILE *out = argc == 4 ? fopen(argv[1], "w") : NULL;
	unsigned long procs = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long vmas = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;

	if (!out || !procs || vmas < procs || vmas > 10000000) {
		fprintf(stderr, "usage: bigpage OUT PROCS VMAS\n");
		return 64;
	}
	issues_init(&issues);
	k.source = &source_by_hand;
	k.issues = &issues;
	k.page_shift = 12;
	strcpy(k.release, "6.1.0");
	strcpy(k.nodename, "</title><i>host");
	make_files(&s);
	make_procs(&s, (uint32_t)procs, (uint32_t)vmas);
	make_frames(&s);
	if (procs < 100)
		make_log(&s);
	if (r->products->write(&s, &o, NULL, out, &diag) || fclose(out))
		return 1;
	shared_free(&s);
	frames_free(&s.frames);
	issues_release(&issues);
	arena_release(&s.mem);
	return 0;
}
