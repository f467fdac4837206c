/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machines.c - finds the kernels of an image, and opens the one that is asked for. */
#include "model/memory/source/machines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/image/vmcoreinfo.h"
#include "dumpread/vmcoreinfo_scan.h"
#include "facts/layout/page.h"
#include "facts/layout/system.h"
#include "model/kernel/kobj.h"
#include "model/model.h"

#define UTS_LEN	  65u
#define BOOT_ARGS 4096u

struct found {
	const struct vmcoreinfo_text *text;
	char release[UTS_LEN];
	uint64_t root;	   /* the same, and the same release: the same kernel */
	int64_t time;	   /* of day, by its clock; 0 unknown */
	bool crash_kernel; /* booted to save the memory of another: elfcorehdr= */
	bool crashed;
};

struct machines {
	const struct kernel_opts *o;
	struct vmcoreinfo_texts texts;
	struct found v[VMCOREINFO_TEXTS + 1];
	unsigned n;
	unsigned others; /* texts of no kernel that can be shown */
	int running;	 /* of v: its CPUs are those of the notes; -1 unknown */
};

/* ---- VMCOREINFO against memory -------------------------------------------------------- */

/*
 * SYMBOL(init_uts_ns) is there since 2.6.24, OFFSET(uts_namespace.name) since it is no longer 4, behind a
 * kref (9a56493f6942, v5.11).
 */
static enum status read_release(struct dump *d, char buf[UTS_LEN])
{
	uint64_t at, off = 4;
	struct reader *r;
	enum status st;

	buf[0] = '\0';
	if (!vmcoreinfo_symbol(d, "init_uts_ns", &at))
		return ST_ABSENT;
	vmcoreinfo_offset(d, "uts_namespace.name", &off);
	r = reader_new(d);
	st = read_kva_str(r, at + off + 2 * UTS_LEN, buf, UTS_LEN);
	reader_free(r);
	return st;
}

bool machine_contradicts(struct dump *d)
{
	char said[UTS_LEN], has[UTS_LEN];
	enum status st;

	if (!d->kv || !vmcoreinfo_get(d, "OSRELEASE", said, sizeof(said)))
		return false;
	st = read_release(d, has);
	if (st == ST_ABSENT)
		return false;
	if (!st && !strcmp(said, has))
		return false;
	return !st || st == ST_FAULT || issues_reason(&d->issues, "kernel page tables");
}

/* ---- what is found ----------------------------------------------------------------------- */

/* The command line, with blanks around it; empty: unknown. */
static void read_boot_args(const struct kernel *k, char *buf, size_t size)
{
	struct reader *r = kernel_reader(k);
	uint64_t addr = layout_symbol(&k->layout, Y_COMMAND_LINE), at = 0;

	buf[0] = '\0';
	/* a pointer; formerly an array, whose first letters are no kernel address */
	if (addr && !read_kva_word(r, addr, &at) &&
	    read_kva_str(r, kernel_ptr_ok(k, at, 1) ? at : addr, buf, size))
		buf[0] = '\0';
	reader_free(r);
}

/* /proc/vmcore needs that option, which kexec adds (Documentation/admin-guide/kernel-parameters.txt). */
static bool is_crash_kernel(const struct kernel *k)
{
	char args[BOOT_ARGS];

	read_boot_args(k, args, sizeof(args));
	return strstr(args, "elfcorehdr=") != NULL;
}

/* The log begins with the command line, too. */
static bool says_crash_kernel(const struct machine *mc)
{
	for (uint32_t i = 0; i < mc->nlog; i++)
		if (strstr(mc->log[i].text, "ommand line: ") &&
		    strstr(mc->log[i].text, "elfcorehdr="))
			return true;
	return false;
}

static uint64_t root_of(const struct kernel *k)
{
	const struct paging *p;
	struct paging_env env;
	uint64_t root = 0, start;

	return arch_kernel_paging(k->dump, &p, &env, &root, &start) ? root : 0;
}

static void look(struct kernel *k, struct found *f)
{
	struct snapshot *s = snapshot_build(k, NEED_MACHINE | NEED_LOG, NULL);
	uint64_t when;

	f->crash_kernel = is_crash_kernel(k) || says_crash_kernel(&s->machine);
	f->time = s->machine.crash_time;
	f->crashed = s->machine.panic != NULL ||
		     vmcoreinfo_uint(k->dump->vmcoreinfo, "CRASHTIME", 10, &when);
	snapshot_free(s);
}

/* K, opened by TEXT, is one more kernel of the image, if it is one. */
static void add(struct machines *m, struct kernel *k, const struct vmcoreinfo_text *text)
{
	struct found *f = &m->v[m->n];
	char has[UTS_LEN];

	*f = (struct found){ .text = text, .root = root_of(k) };
	vmcoreinfo_get(k->dump, "OSRELEASE", f->release, sizeof(f->release));
	/* the first one was opened as it is: there may be nothing better */
	if (m->n && (read_release(k->dump, has) || strcmp(has, f->release) || !f->root)) {
		m->others++;
		return;
	}
	for (unsigned i = 0; i < m->n; i++)
		if (m->v[i].root == f->root)
			return;
	look(k, f);
	m->n++;
}

static void open_others(struct machines *m, const char *first)
{
	struct kernel_opts quiet = *m->o;

	quiet.log = NULL;
	for (unsigned i = 0; i < m->texts.n; i++) {
		const struct vmcoreinfo_text *t = &m->texts.v[i];
		struct kernel_try try = { .text = t };
		struct kernel *k;
		struct diag why;
		size_t len = strlen(first);

		if (!memcmp(first, t->text, len < t->len ? len : t->len))
			continue;
		if (kernel_try(&quiet, &try, &why, &k)) {
			m->others++;
			continue;
		}
		add(m, k, t);
		kernel_close(k);
	}
}

/* ---- where to look --------------------------------------------------------------------- */

/* Memory that is reserved for a crash kernel, if it is in the image. */
static bool crash_area(const struct kernel *k, uint64_t *first, uint64_t *end)
{
	uint64_t at, start = 0, last = 0;
	struct reader *r = kernel_reader(k);
	bool there;

	there = dump_symbol(k->dump, "crashk_res", &at) && has(k, M_RES_START) &&
		has(k, M_RES_END) && !kmember_u64(k, r, at, M_RES_START, &start) &&
		!kmember_u64(k, r, at, M_RES_END, &last) && last > start;
	*first = start >> k->page_shift;
	*end = (last >> k->page_shift) + 1;
	there = there && reader_present(r, *first);
	reader_free(r);
	return there;
}

/* Frames of RAM that K has, with those that it reserved at boot; 0 unknown. */
static uint64_t frames_of(const struct kernel *k)
{
	struct reader *r = kernel_reader(k);
	uint64_t max = 0;

	if (!layout_symbol(&k->layout, Y_MAX_PFN) || kvar_u64(k, r, Y_MAX_PFN, 0, &max))
		max = 0;
	reader_free(r);
	return max;
}

/* More in the image than K can use: firmware, video memory and holes have less than this. */
static bool is_small(const struct kernel *k)
{
	uint64_t max = frames_of(k), has = image_pages_present(k->dump->image);
	uint64_t spare = (UINT64_C(64) << 20) >> k->page_shift;

	return max && has > spare && has - spare > max + max / 4;
}

/* The others, where a note told of the one that is open. */
static void search(struct machines *m, struct kernel *k)
{
	struct dump *d = k->dump;
	uint64_t first, end, when;

	if (m->o->machine || is_crash_kernel(k) || is_small(k))
		vmcoreinfo_texts_find(d, 0, UINT64_MAX, &m->texts);
	else if (!vmcoreinfo_uint(d->vmcoreinfo, "CRASHTIME", 10, &when) &&
		 crash_area(k, &first, &end))
		vmcoreinfo_texts_find(d, first, end, &m->texts);
}

/* ---- which one ---------------------------------------------------------------------------- */

/*
 * Put the one that is asked for first: the one that crashed where there is a crash kernel, else the one that
 * ran last, by the clock.
 */
static void put_first(struct machines *m)
{
	unsigned best = 0, crash = m->n;
	struct found f;

	for (unsigned i = 0; i < m->n; i++)
		if (m->v[i].crash_kernel)
			crash = i;
	for (unsigned i = 1; i < m->n; i++) {
		const struct found *a = &m->v[i], *b = &m->v[best];
		bool better = a->time > b->time;

		if (a->crash_kernel != b->crash_kernel)
			better = b->crash_kernel;
		else if (crash < m->n && a->crashed != b->crashed)
			better = a->crashed;
		if (better)
			best = i;
	}
	f = m->v[best];
	memmove(&m->v[1], &m->v[0], best * sizeof(f));
	m->v[0] = f;
	m->running = 0;
	for (unsigned i = 0; i < m->n; i++)
		if (m->v[i].crash_kernel)
			m->running = (int)i;
}

static const char *what(const struct machines *m, unsigned i, char *buf, size_t size)
{
	const struct found *f = &m->v[i];

	if (f->crash_kernel)
		snprintf(buf, size, "%sits crash kernel, %s", i ? "" : "a crash kernel, not ",
			 f->release);
	else if (m->v[m->running].crash_kernel)
		snprintf(buf, size, "%s, which crashed", f->release);
	else
		snprintf(buf, size, "%s, which ran %s", f->release, i ? "before" : "last");
	return buf;
}

/* Which of the kernels this is, in the words of the summary and of stderr. */
static void tell(const struct machines *m, struct kernel *k, unsigned asked)
{
	static const char *const numbers[] = { "two", "three", "four", "five" };
	char one[128], other[128], text[240];

	if (asked > 1)
		snprintf(text, sizeof(text),
			 "this is kernel %u of %u in the image: %s; the first is %s", asked, m->n,
			 what(m, asked - 1, other, sizeof(other)), what(m, 0, one, sizeof(one)));
	else if (m->n == 2)
		snprintf(text, sizeof(text),
			 "two kernels are in this image: %s, and %s; --machine 2 shows the other",
			 what(m, 0, one, sizeof(one)), what(m, 1, other, sizeof(other)));
	else
		snprintf(
			text, sizeof(text),
			"%s kernels are in this image: %s, and others; --machine 2 to %u shows them",
			m->n - 2 < ARRAY_LEN(numbers) ? numbers[m->n - 2] : "several",
			what(m, 0, one, sizeof(one)), m->n);
	cause_add(&k->dump->causes, CAUSE_MACHINES, m->n, 0, text);
	log_warn(m->o->log, "%s", text);
}

/* K is the I-th of M. The notes have the state of CPUs that another kernel had. */
static void settle(const struct machines *m, struct kernel *k, unsigned i)
{
	if (m->n > 1)
		tell(m, k, i + 1);
	if (m->n > 1 && (int)i != m->running && k->dump->image)
		k->dump->image->notes_len = 0;
	if (m->n == 1 && is_small(k))
		issue_add(k->issues, ST_CORRUPT, "machine size", 1,
			  "the kernel has %" PRIu64 " MiB, the image %" PRIu64
			  " MiB: it may be of another machine inside it",
			  frames_of(k) << k->page_shift >> 20,
			  image_pages_present(k->dump->image) << k->page_shift >> 20);
}

/* All texts in memory; the dump that was opened is closed again. True if it has a note. */
static bool search_all(struct machines *m)
{
	struct diag none;
	struct dump *d;
	bool note;

	if (dump_open(m->o->images, m->o->nimages, NULL, &none, &d))
		return false;
	note = d->image->vmcoreinfo != NULL;
	if (!m->texts.n)
		vmcoreinfo_texts_find(d, 0, UINT64_MAX, &m->texts);
	dump_close(d);
	return note;
}

/* VMCOREINFO is of another kernel: of the texts in memory, the first that is of one there. */
static enum status replace(struct machines *m, struct diag *diag, struct kernel **ret)
{
	struct kernel_try believe = { .believe = true };
	bool note = search_all(m);
	struct diag why;

	for (unsigned i = 0; i < m->texts.n; i++) {
		struct kernel_try try = { .text = &m->texts.v[i] };

		if (kernel_try(m->o, &try, &why, ret))
			continue;
		if (!machine_contradicts((*ret)->dump)) {
			if (note)
				issue_add((*ret)->issues, ST_CORRUPT, "VMCOREINFO note", 1,
					  "is of another kernel; that of %s at physical %#" PRIx64
					  " is used",
					  (*ret)->dump->release, m->texts.v[i].pa);
			return ST_OK;
		}
		kernel_close(*ret);
		*ret = NULL;
	}
	return kernel_try(m->o, &believe, diag, ret);
}

/* What is in the image beside *K; *K becomes the one that is asked for. */
static enum status choose(struct machines *m, struct diag *diag, struct kernel **k)
{
	unsigned asked = m->o->machine ? m->o->machine - 1 : 0;
	struct kernel_try try = { .believe = true };
	const char *first = (*k)->dump->vmcoreinfo;

	add(m, *k, NULL);
	open_others(m, first);
	put_first(m);
	if (asked >= m->n) {
		kernel_close(*k);
		*k = NULL;
		return fail(diag, ST_ABSENT, "--machine %u: %u kernel%s in this image", asked + 1,
			    m->n, m->n == 1 ? " is" : "s are");
	}
	if (m->v[asked].text) {
		kernel_close(*k);
		try.text = m->v[asked].text;
		if (kernel_try(m->o, &try, diag, k))
			return ST_CORRUPT;
	}
	settle(m, *k, asked);
	return ST_OK;
}

enum status machines_open(const struct kernel_opts *o, struct diag *diag, struct kernel **ret)
{
	struct machines m = { .o = o };
	struct kernel_try try = { .texts = &m.texts };
	enum status st = kernel_try(o, &try, diag, ret);

	if (st && (try.doubted || m.texts.n > 1))
		st = replace(&m, diag, ret);
	if (!st && (*ret)->dump->image && !(*ret)->dump->live) {
		if (!m.texts.n)
			search(&m, *ret);
		if (m.texts.n > 1 || o->machine || is_small(*ret))
			st = choose(&m, diag, ret);
	}
	vmcoreinfo_texts_free(&m.texts);
	return st;
}
