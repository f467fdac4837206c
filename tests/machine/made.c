/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/machine/made.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/machine/machine.h"

#define FRAMES_MAX 32768u
/* Flags of vmas of which every page counts as the text says. */
#define PLAIN_FLAGS UINT64_C(0x19ff)

void __wrap_mdie(const char *fmt, ...) __attribute__((noreturn));

static jmp_buf no_machine;

/* The text describes no machine. */
void __wrap_mdie(const char *fmt, ...)
{
	(void)fmt;
	longjmp(no_machine, 1);
}

static bool has_page(void *arg, uint64_t pfn)
{
	const struct machine *m = arg;

	return !m->lost[pfn];
}

static void get_page(void *arg, uint64_t pfn, uint8_t *out)
{
	const struct machine *m = arg;

	memcpy(out, m->mem + (pfn << m->cpu->page_shift), mpage_size(m));
}

static void save_image(const struct machine *m, int image_fd)
{
	struct mkimage im = {
		.has = has_page,
		.get = get_page,
		.arg = (void *)(uintptr_t)m,
		.version = 6,
		.big = m->cpu->big,
		.word = m->cpu->word,
		.page_shift = m->cpu->page_shift,
		.max_pfn = m->nframes,
		.elf_machine = m->cpu->elf_machine,
		.machine = m->cpu->uname,
		.release = m->release,
		.tail = m->cpu->word == 8 ? 424 : 412,
		.padded = m->cpu->big,
		.identity = m->cpu->page_offset,
		.vmcoreinfo = m->vmcoreinfo,
	};
	/* an ELF file does not tell pages of 64 KiB without VMCOREINFO; a kdump does */
	struct bytes b = m->vmcoreinfo ? mk_elf(&im) : mk_kdump(&im);

	if (ftruncate(image_fd, 0) || pwrite(image_fd, b.v, b.n, 0) != (ssize_t)b.n)
		abort();
	mk_free(&b);
}

static void machine_end(struct machine *m)
{
	free(m->mem);
	free(m->lost);
	types_close(&m->dump.types);
	symbols_close(&m->dump.symbols);
	issues_release(&m->dump.issues);
	arena_release(&m->dump.mem);
	arena_release(&m->arena);
}

/* ---- what the text says ----------------------------------------------------------------- */

static bool only_once(const struct machine *m, const struct mtask *t)
{
	unsigned n = 0;

	for (size_t i = 0; i < m->tasks.n; i++)
		n += m->tasks.v[i].pid == t->pid;
	return n == 1;
}

/* Is each entry in an area, and the only one of its page? Others are missed where the mm's counters say so. */
static bool all_are_mapped(const struct machine *m, const struct mmm *mm)
{
	for (size_t i = 0; i < mm->pages.n; i++) {
		uint64_t va = mm->pages.v[i].va & ~(mpage_size(m) - 1);
		bool in_area = false;

		for (size_t j = 0; j < i; j++)
			if ((mm->pages.v[j].va & ~(mpage_size(m) - 1)) == va)
				return false;
		for (size_t j = 0; j < mm->areas.n; j++)
			in_area |= mm->areas.v[j].start <= va && va < mm->areas.v[j].end;
		if (!in_area)
			return false;
	}
	return true;
}

/*
 * Do the counters of MM tell what the walk must find? Mms count what is swapped out since b084d4353ff9
 * (v2.6.34), and those of a process that ran may be behind.
 */
static bool counts_all(const struct machine *m, const struct mmm *mm)
{
	bool ran = false;

	for (size_t i = 0; i < m->tasks.n; i++)
		ran |= m->tasks.v[i].mm == (int)(mm - m->mms.v) && m->tasks.v[i].state == 'R';
	return !ran && m->number >= 2634;
}

static struct made_proc truth_of(const struct machine *m, const struct mmm *mm)
{
	struct made_proc t = { .rss_known = true, .pss_known = m->number >= 2600 };
	uint64_t page = mpage_size(m);

	t.pages = (uint32_t)mm->pages.n;
	if (!counts_all(m, mm) && !all_are_mapped(m, mm))
		t.rss_known = false;
	for (size_t i = 0; i < mm->areas.n; i++) {
		const struct marea *a = &mm->areas.v[i];

		t.size += a->end - a->start;
		if (a->flags & ~PLAIN_FLAGS || (a->file >= 0 && m->files.v[a->file].fs))
			t.rss_known = false;
	}
	for (size_t i = 0; i < mm->pages.n; i++) {
		const struct mpage *p = &mm->pages.v[i];
		const struct mframe *f = p->frame >= 0 ? &m->frames.v[p->frame] : NULL;

		if (!f) {
			t.swap += page;
			continue;
		}
		if (p->raw || f->order || f->own_flags || f->pfn << m->cpu->page_shift < m->base ||
		    strpbrk(p->bits, "nmo"))
			t.rss_known = false;
		t.rss += page;
		t.pss += f->mapped ? page / f->mapped : 0;
		t.uss += f->mapped == 1 ? page : 0;
		if (f->count || f->refs)
			t.pss_known = false;
	}
	t.pss_known &= t.rss_known;
	return t;
}

static void tell(const struct machine *m, struct made *ret)
{
	ret->n = 0;
	ret->damaged = m->damage.n || m->lines.n || m->holes.n > 2;
	for (size_t i = 0; i < m->tasks.n && ret->n < MADE_PROCS; i++) {
		const struct mtask *t = &m->tasks.v[i];

		if (t->mm < 0 || t->pid != t->tgid || !only_once(m, t) || strchr("ZX", t->state))
			continue;
		ret->proc[ret->n] = truth_of(m, &m->mms.v[t->mm]);
		ret->proc[ret->n++].pid = t->pid;
	}
}

/* ---- a machine ---------------------------------------------------------------------------- */

static bool make(struct machine *m, FILE *in, const char *map, const char *layout, int image)
{
	if (setjmp(no_machine))
		return false;
	machine_read(m, in);
	if (m->nframes << m->cpu->page_shift > (uint64_t)FRAMES_MAX << 12)
		return false;
	machine_lay(m, map, layout);
	save_image(m, image);
	return true;
}

bool machine_make(const char *cpu, const char *layout, char *text, size_t n, const char *map,
		  int image, struct made *ret)
{
	FILE *in = fmemopen(text, n, "r");
	static struct machine m;
	bool made;

	if (!in)
		return false;
	memset(&m, 0, sizeof(m));
	m.cpu_name = cpu;
	made = make(&m, in, map, layout, image);
	if (made)
		tell(&m, ret);
	fclose(in);
	machine_end(&m);
	return made;
}
