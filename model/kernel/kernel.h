/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel.h - a dump with a known kernel: the input of every walker.
 *
 * kernel_open() combines dumpread/ and arch/ in the order that dump.h gives, and resolves
 * the layout. Read-only afterwards, shared by all threads.
 */
#ifndef VMCENSUS_KERNEL_H
#define VMCENSUS_KERNEL_H

#include "arch/arch.h"
#include "dumpread/dump.h"
#include "facts/layout.h"
#include "facts/release.h"
#include "facts/rules.h"
#include "model/kernel/page/memmap.h"

struct capture;
struct source;

struct kernel {
	const struct source *source;	/* where it comes from: model/kernel/source.h */
	struct dump *dump;		/* for users of a reader; NULL: no memory */
	struct capture *capture;	/* of model/memory/source */
	unsigned offers;		/* enum need: what can be built from it */
	const struct arch *arch;
	const struct paging *paging;	/* of user page tables */
	struct paging_env env;
	struct layout layout;
	enum status module_types;	/* of modules (modtypes.h); else why not all are known */
	struct release version;		/* patch: the stable number where known */
	char release[65], uts_version[65], machine[65], nodename[65];
	struct rules rules;		/* behaviour that types do not describe: kernel_rule() */
	struct texts *texts;		/* of the kernel image (texts.h); NULL: it has none */
	struct memmap memmap;		/* pfn <-> struct page */
	uint64_t *percpu;		/* __per_cpu_offset[0..ncpus) */
	uint32_t ncpus;			/* possible CPUs whose per-CPU data can be found */
	uint32_t cpus_possible;		/* all of them; 0: unknown */
	uint32_t *possible;		/* their numbers */
	unsigned page_shift;		/* log2 bytes of a page frame */
	unsigned jobs;			/* threads to use */
	uint64_t memory;		/* bytes that may be used; 0: half of this machine's */
	struct issues *issues;		/* of the dump */
};

struct kernel_opts {
	const char *const *images;	/* paths; more than one: a split dump */
	unsigned nimages;
	const char *const *types;	/* -t FILE ... */
	unsigned ntypes;
	const char *near_vmlinux, *near_release;	/* as of struct dump */
	const char *const *layouts;	/* the same: directories */
	unsigned nlayouts;
	unsigned jobs;			/* 0: as many as there are processors */
	uint64_t memory;		/* as in struct kernel */
	bool log_only;			/* only the kernel's log is needed: it can be read
					   without types */
	bool config_only;		/* the same for the configuration in the kernel image */
	const struct image_index *index; /* of the images; NULL: none */
	unsigned machine;		/* which kernel of several in the images: 0 the one that
					   crashed (model/memory/source/machines.h), N the N-th */
	const struct log *log;
};

struct vmcoreinfo_text;
struct vmcoreinfo_texts;

/* How machines.c opens a kernel. */
struct kernel_try {
	const struct vmcoreinfo_text *text;	/* the kernel that wrote it; NULL: the notes', or any */
	struct vmcoreinfo_texts *texts;		/* gets those that were found in memory */
	bool believe;		/* VMCOREINFO, whatever memory says */
	bool doubted;		/* result: memory has another kernel than VMCOREINFO says */
	bool misfit;		/* result: a kept layout was taken, and with it there is no kernel */
};
enum status kernel_try(const struct kernel_opts *o, struct kernel_try *t, struct diag *diag,
		       struct kernel **ret);

/* On failure *ret is NULL and DIAG holds one sentence for the user. */
enum status kernel_open(const struct kernel_opts *o, struct diag *diag, struct kernel **ret);
/* The same for a dump that is open already (a host such as crash, a test); the kernel owns D
   afterwards. */
enum status kernel_attach(struct dump *d, unsigned jobs, struct diag *diag,
			  struct kernel **ret);
void kernel_close(struct kernel *k);

static inline bool has(const struct kernel *k, enum layout_id id)
{
	return layout_has(&k->layout, id);
}

/* Of a rule that the texts of the image may change (texts.c). */
bool kernel_text_rule(const struct kernel *k, enum rule r);

/* Does rule R hold? The first question that needs the texts of the image looks for them. */
static inline bool kernel_rule(const struct kernel *k, enum rule r)
{
	return k->rules.texts[r] ? kernel_text_rule(k, r) : k->rules.on[r];
}

/* A reader of K's memory, or NULL where there is none; reader_free() takes both. */
struct reader *kernel_reader(const struct kernel *k);

/* What the kernel itself contradicts: it changed meanwhile, or is damaged. */
static inline enum status kernel_contradicts(const struct kernel *k)
{
	return k->dump->live ? ST_TORN : ST_CORRUPT;
}

/* May the kernel have a symbol that is not known? Names of symbols were lost, and no kept layout has all of them; or
   only those that modules may use are known. */
bool kernel_hides_symbols(const struct kernel *k);

/* Is this kernel in era E? For text that /proc gained or lost, which types do not show. */
static inline bool in_era(const struct kernel *k, struct era e)
{
	return release_in(&k->version, e);
}

/* 2.4: pages have a count of references, and none of mappings. */
bool counts_references(const struct kernel *k);

/* Does Pss of a whole huge page lose its high bits? */
static inline bool pss_overflows(const struct kernel *k)
{
	return k->dump && k->dump->word_size == 4 && !kernel_rule(k, RULE_PSS_WIDE);
}

/* Are those N bytes what makedumpfile --config leaves of what it erases: the letter X? Only of a dump that says that
   some were erased. */
bool kernel_is_erased(const struct kernel *k, const void *bytes, size_t n);
/* Can ADDR be a pointer to a kernel object aligned to ALIGN bytes? */
bool kernel_ptr_ok(const struct kernel *k, uint64_t addr, unsigned align);
/* May it point to code or to a table of functions: in the kernel's image or in a module, not in
   memory that is allocated? */
bool kernel_static_ok(const struct kernel *k, uint64_t addr, unsigned align);

/*
 * Exact value of the struct percpu_counter at ADDR (s64): its count plus the s32 of every
 * possible CPU (lib/percpu_counter.c, __percpu_counter_sum). *approx (may be NULL) is only
 * the count, as percpu_counter_read() returns it.
 */
enum status percpu_counter_read(const struct kernel *k, struct reader *r, uint64_t addr,
				int64_t *exact, int64_t *approx);

#endif
