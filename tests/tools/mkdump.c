/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mkdump - a machine described in text (tests/machine/machine.h), in every container.
 *
 *	mkdump CPU LAYOUT TEXT OUT [CONTAINER...]
 *
 * CPU is ppc-40x, i386 or x86_64, LAYOUT a layout file for it. Writes OUT.map, a
 * System.map; OUT.vmcoreinfo where that kernel needs one; OUT.elf, .kdump, .lime, .avml,
 * .raw, .mcore1, .mcore2, or those named. Prints the names to open each by.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dumpread/image/decompress.h"
#include "tests/machine/machine.h"

static bool has(void *arg, uint64_t pfn)
{
	const struct machine *m = arg;

	return !m->lost[pfn];
}

static void get(void *arg, uint64_t pfn, uint8_t *out)
{
	const struct machine *m = arg;

	memcpy(out, m->mem + (pfn << 12), 4096);
}

static void save(const char *path, const void *data, size_t n)
{
	FILE *out = fopen(path, "we");

	if (!out || fwrite(data, 1, n, out) != n || fclose(out))
		mdie("%s: cannot be written", path);
}

struct job {
	const char *prefix;
	char **forms;			/* ended by NULL; none: all */
	const struct mkimage *im;
};

static bool wanted(const struct job *j, const char *form)
{
	for (char **s = j->forms; *s; s++)
		if (!strcmp(*s, form))
			return true;
	return !*j->forms;
}

static void put(const struct job *j, const char *form, struct bytes (*make)(const struct mkimage *))
{
	char path[4096];
	struct bytes b;

	if (!wanted(j, form))
		return;
	b = make(j->im);
	snprintf(path, sizeof(path), "%s.%s", j->prefix, form);
	save(path, b.v, b.n);
	mk_free(&b);
	printf("%s\n", path);
}

static uint64_t identity(const struct mkimage *im)
{
	const struct machine *m = im->arg;

	return m->cpu->page_offset;
}

static struct bytes mcore1(const struct mkimage *im)
{
	return mk_mcore(im, 1, identity(im));
}

static struct bytes mcore2(const struct mkimage *im)
{
	return mk_mcore(im, 2, identity(im));
}

/* What 2.6.24 and later say of themselves. */
static char *vmcoreinfo(struct machine *m)
{
	static const char *const names[] = { "_stext", "swapper_pg_dir", "init_uts_ns" };
	char *text = arena_printf(&m->arena, "OSRELEASE=%s\nPAGESIZE=4096\nSIZE(list_head)=%u\n"
				  "OFFSET(list_head.next)=0\nNUMBER(phys_base)=0\n"
				  "NUMBER(pgtable_l5_enabled)=0\nKERNELOFFSET=0\n",
				  m->release, 2 * m->cpu->word);
	uint64_t v;

	if (!strncmp(m->release, "2.4", 3))
		return NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (dump_symbol(&m->dump, names[i], &v))
			text = arena_printf(&m->arena, "%sSYMBOL(%s)=%llx\n", text, names[i],
					    (unsigned long long)v);
	return text;
}

/* One file for each run: an address space with holes. */
static void put_raw(const char *prefix, const struct mkimage *im)
{
	uint64_t n;
	unsigned i = 0;

	for (uint64_t first = 0; (n = mk_run(im, &first)); first += n, i++) {
		struct bytes b = mk_raw(im, first, n);
		char path[4096];

		snprintf(path, sizeof(path), "%s.raw.%u", prefix, i);
		save(path, b.v, b.n);
		mk_free(&b);
		printf("%s%s@%#llx", i ? " " : "", path, (unsigned long long)first << 12);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	static struct machine m;
	struct mkimage im = { .has = has, .get = get, .arg = &m, .page_shift = 12, .version = 6 };
	FILE *in = argc >= 5 ? fopen(argv[3], "re") : NULL;
	struct job j = { .prefix = argc >= 5 ? argv[4] : "", .im = &im };
	char path[4096];

	if (!in)
		mdie(argc >= 5 ? "cannot read the text" : "usage: mkdump CPU LAYOUT TEXT OUT");
	m.cpu = cpu_find(argv[1]);
	machine_read(&m, in);
	fclose(in);
	snprintf(path, sizeof(path), "%s.map", argv[4]);
	machine_lay(&m, path, argv[2]);
	im.big = m.cpu->big;
	im.word = m.cpu->word;
	im.max_pfn = m.nframes;
	im.elf_machine = m.cpu->elf_machine;
	im.machine = m.cpu->uname;
	im.release = m.release;
	im.compress = PAGE_ZLIB;
	im.tail = m.cpu->word == 8 ? 424 : 412;
	im.padded = m.cpu->big;
	im.vmcoreinfo = vmcoreinfo(&m);
	if (im.vmcoreinfo) {
		snprintf(path, sizeof(path), "%s.vmcoreinfo", argv[4]);
		save(path, im.vmcoreinfo, strlen(im.vmcoreinfo));
	}
	j.forms = argv + 5;
	put(&j, "elf", mk_elf);
	put(&j, "kdump", mk_kdump);
	put(&j, "lime", mk_lime);
	if (!im.big)
		put(&j, "avml", mk_avml);
	put(&j, "mcore1", mcore1);
	put(&j, "mcore2", mcore2);
	if (wanted(&j, "raw"))
		put_raw(argv[4], &im);
	return 0;
}
