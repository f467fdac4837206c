/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * open.c - opens a kernel: its source, layout, rules, per-CPU data, page tables, struct pages.
 */
#include "model/kernel/kernel.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/base/bytes.h"
#include "dumpread/base/heap.h"
#include "dumpread/base/issues.h"
#include "dumpread/base/jobs.h"
#include "dumpread/types/sources.h"
#include "dumpread/vmcoreinfo_scan.h"
#include "facts/layout/base.h"
#include "facts/layout/proc.h"
#include "model/kernel/cpus.h"
#include "model/kernel/fit.h"
#include "model/kernel/kobj.h"
#include "model/kernel/module/modtypes.h"
#include "model/kernel/source.h"
#include "model/kernel/texts.h"
#include "model/memory/source/capture.h"
#include "model/memory/source/machines.h"
#include "model/memory/source/placed.h"

/* ---- who it is --------------------------------------------------------------- */

static void read_uts_field(struct kernel *k, struct reader *r, enum layout_id id, char *buf)
{
	uint64_t base = layout_symbol(&k->layout, Y_INIT_UTS_NS);
	enum status st = ST_OK;

	buf[0] = 0;
	if (base && has(k, id))
		st = read_kva_str(r, base + layout_offset(&k->layout, id), buf, 65);
	/* the release decides which rules hold */
	if (st)
		issue_add(k->issues, st, "utsname", 1, "%s", fact_specs[id].id);
	for (char *c = buf; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
}

static void read_uts(struct kernel *k, struct reader *r)
{
	uint64_t banner = layout_symbol(&k->layout, Y_LINUX_BANNER);
	char text[512];

	read_uts_field(k, r, M_UTS_RELEASE, k->release);
	read_uts_field(k, r, M_UTS_VERSION, k->uts_version);
	read_uts_field(k, r, M_UTS_MACHINE, k->machine);
	read_uts_field(k, r, M_UTS_NODENAME, k->nodename);
	if (!k->release[0])
		snprintf(k->release, sizeof(k->release), "%s", k->dump->release);
	if (!k->dump->release[0])
		snprintf(k->dump->release, sizeof(k->dump->release), "%s", k->release);
	release_of(k->release, k->uts_version, &k->version);
	if (banner && !read_kva_str(r, banner, text, sizeof(text)))
		release_of_banner(text, &k->version);
}

/* ---- per-CPU data ---------------------------------------------------------------- */

/* ---- opening ------------------------------------------------------------------------ */

static enum status add_types(struct dump *d, const struct kernel_opts *o)
{
	enum status st = ST_OK;

	for (unsigned i = 0; i < o->ntypes && !st; i++)
		st = dump_add_file(d, o->types[i]);
	return st;
}

/* No types, but VMCOREINFO describes the log. The log does not need the other facts. */
static enum status understand_log(struct kernel *k)
{
	struct dump *d = k->dump;
	struct diag none = d->diag;

	if (types_add_vmcoreinfo(d)) {
		d->diag = none;
		return ST_ABSENT;
	}
	layout_resolve(d, &k->layout);
	k->offers = NEED_LOG;
	return ST_OK;
}

/* A text of another kernel, or of another place of this one: nothing that follows would be right. */
static bool doubt(struct dump *d, struct kernel_try *t)
{
	if (!t || t->text || t->believe || !d->image)
		return false;
	t->doubted = machine_contradicts(d);
	if (t->doubted)
		fail(&d->diag, ST_CORRUPT,
		     "VMCOREINFO is of another kernel than the one in memory");
	return t->doubted;
}

static enum status understand(struct kernel *k, const struct kernel_opts *o, struct kernel_try *t)
{
	struct dump *d = k->dump;
	struct reader *r;
	enum status st;

	d->wanted = layout_type_names(&d->mem, &d->nwanted);
	for (unsigned i = 0; i < o->ntypes; i++)
		dump_know_machine(d, o->types[i]);
	st = arch_attach(d, &k->arch);
	if (!st && doubt(d, t))
		st = ST_CORRUPT;
	if (!st && d->live)
		dump_add_running(d);
	if (!st)
		st = add_types(d, o);
	if (!st)
		st = dump_find_kernel(d);
	if (st && o->log_only && !d->types.n)
		return understand_log(k);
	if (st && o->config_only && !d->types.n) {
		k->offers = NEED_CONFIG;
		return ST_OK;
	}
	if (!st)
		st = layout_resolve(d, &k->layout);
	if (st && o->log_only && (d->types_lost[0] || d->kallsyms_lost))
		return understand_log(k);
	if (!st)
		st = arch_attach_late(d, k->arch);
	if (st)
		return st;
	k->page_shift = d->page_shift; /* VMCOREINFO found in memory may have changed it */
	r = reader_new(d);
	st = layout_fits(k, r);
	if (st) {
		reader_free(r);
		return st;
	}
	read_uts(k, r);
	kernel_rules(k);
	cpus_read(k, r);
	arch_user_paging(d, &k->paging, &k->env);
	st = memmap_init(k, r);
	if (st)
		issue_add(k->issues, st, "page array", 1, "cannot find the struct pages");
	kernel_add_module_types(k, r);
	reader_free(r);
	return ST_OK;
}

/* What is wrong with the file is more than likely why nothing could be made of it. */
static void tell_cause(struct dump *d)
{
	const struct issues *is = d->image ? &d->issues : NULL;
	const char *text = is && is->n && is->v[0].ntexts ? issue_without_folder(is->v[0].text[0])
							  : NULL;
	size_t n = strlen(d->diag.text);

	if (text && !strstr(d->diag.text, text))
		snprintf(d->diag.text + n, sizeof(d->diag.text) - n,
			 "; the dump is incomplete (%s)", text);
}

static enum status attach_dump(struct dump *d, const struct kernel_opts *o, struct kernel_try *t,
			       struct diag *diag, struct kernel **ret)
{
	struct kernel *k = heap_array(struct kernel, 1);
	enum status st;

	*ret = NULL;
	k->dump = d;
	k->source = d->live ? &source_live : &source_dump;
	k->offers = k->source->offers;
	k->issues = &d->issues;
	k->jobs = o->jobs ? o->jobs : jobs_default();
	d->jobs = k->jobs;
	k->memory = o->memory;
	d->near_vmlinux = o->near_vmlinux;
	d->near_release = o->near_release;
	d->layouts = o->layouts;
	d->nlayouts = o->nlayouts;
	st = understand(k, o, t);
	if (st) {
		if (t)
			t->misfit = d->kept_layout;
		tell_cause(d);
		*diag = d->diag;
		kernel_close(k);
		return st;
	}
	*ret = k;
	return ST_OK;
}

enum status kernel_open(const struct kernel_opts *o, struct diag *diag, struct kernel **ret)
{
	enum status st = ST_NOTMINE;

	*ret = NULL;
	if (o->nimages == 1 && strcmp(o->images[0], IMAGE_LIVE))
		st = capture_open(o->images[0], diag, ret);
	return st != ST_NOTMINE ? st : placed_open(o, diag, ret);
}

static enum status try_once(const struct kernel_opts *o, struct kernel_try *t, struct diag *diag,
			    struct kernel **ret)
{
	struct dump *d;
	enum status st;

	*ret = NULL;
	st = dump_open_indexed(o->images, o->nimages, o->index, o->log, diag, &d);
	if (st)
		return st;
	d->texts = t->texts;
	if (t->text)
		vmcoreinfo_take_text(d, t->text);
	st = attach_dump(d, o, t, diag, ret);
	if (!st)
		d->texts = NULL;
	return st;
}

enum status kernel_try(const struct kernel_opts *o, struct kernel_try *t, struct diag *diag,
		       struct kernel **ret)
{
	enum status st = try_once(o, t, diag, ret);
	struct kernel_opts without = *o;

	if (!st || !t->misfit)
		return st;
	log_warn(o->log, "not used: %s", diag->text);
	without.nlayouts = 0;
	return try_once(&without, t, diag, ret);
}

enum status kernel_attach(struct dump *d, unsigned jobs, struct diag *diag, struct kernel **ret)
{
	struct kernel_opts o = { .jobs = jobs };

	return attach_dump(d, &o, NULL, diag, ret);
}

void kernel_close(struct kernel *k)
{
	if (!k)
		return;
	texts_free(k->texts);
	capture_close(k->capture);
	dump_close(k->dump);
	free(k);
}
