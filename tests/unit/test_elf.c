/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ELF files byte by byte, their place in memory, and trees of another machine. */
#include <elf.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumpread/base/bytes.h"
#include "model/memory/areas/elfbss.h"
#include "model/memory/elf/elfloads.h"
#include "model/memory/elf/elfsymbols.h"
#include "model/memory/elf/rootpath.h"
#include "tests/unit/check.h"
#include "tests/unit/rig.h"

/* ---- a file, in either word size and byte order ------------------------------------ */

#define FILE_SIZE 1024

struct maker {
	uint8_t b[FILE_SIZE];
	bool wide, big;
};

static void put(struct maker *m, unsigned at, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		m->b[at + (m->big ? size - 1 - i : i)] = (uint8_t)(v >> 8 * i);
}

static void ehdr(struct maker *m)
{
	memcpy(m->b, ELFMAG, SELFMAG);
	m->b[EI_CLASS] = m->wide ? ELFCLASS64 : ELFCLASS32;
	m->b[EI_DATA] = m->big ? ELFDATA2MSB : ELFDATA2LSB;
	put(m, 16, ET_DYN, 2);
	put(m, 18, EM_PPC, 2);
	if (m->wide) {
		put(m, 32, 64, 8);		/* e_phoff, e_shoff */
		put(m, 40, 512, 8);
		put(m, 54, 56, 2);		/* sizes and numbers */
		put(m, 56, 2, 2);
		put(m, 58, 64, 2);
		put(m, 60, 4, 2);
		put(m, 62, 3, 2);
	} else {
		put(m, 28, 64, 4);
		put(m, 32, 512, 4);
		put(m, 42, 32, 2);
		put(m, 44, 2, 2);
		put(m, 46, 40, 2);
		put(m, 48, 4, 2);
		put(m, 50, 3, 2);
	}
}

static void phdr(struct maker *m, unsigned i, uint32_t type, uint64_t offset, uint64_t vaddr,
		 uint64_t filesz, uint64_t memsz)
{
	unsigned at = 64 + i * (m->wide ? 56 : 32);

	put(m, at, type, 4);
	put(m, at + (m->wide ? 4 : 24), PF_R | PF_W, 4);
	put(m, at + (m->wide ? 8 : 4), offset, m->wide ? 8 : 4);
	put(m, at + (m->wide ? 16 : 8), vaddr, m->wide ? 8 : 4);
	put(m, at + (m->wide ? 32 : 16), filesz, m->wide ? 8 : 4);
	put(m, at + (m->wide ? 40 : 20), memsz, m->wide ? 8 : 4);
}

static void shdr(struct maker *m, unsigned i, unsigned name, uint32_t type, uint64_t addr,
		 uint64_t offset, uint64_t size, uint32_t link)
{
	unsigned at = 512 + i * (m->wide ? 64 : 40);

	put(m, at, name, 4);
	put(m, at + 4, type, 4);
	put(m, at + (m->wide ? 16 : 12), addr, m->wide ? 8 : 4);
	put(m, at + (m->wide ? 24 : 16), offset, m->wide ? 8 : 4);
	put(m, at + (m->wide ? 32 : 20), size, m->wide ? 8 : 4);
	put(m, at + (m->wide ? 40 : 24), link, 4);
}

static void symbol(struct maker *m, unsigned i, unsigned name, uint64_t value, uint64_t size,
		   unsigned info, unsigned shndx)
{
	unsigned at = 300 + i * (m->wide ? 24 : 16);

	put(m, at, name, 4);
	m->b[at + (m->wide ? 4 : 12)] = (uint8_t)info;
	put(m, at + (m->wide ? 6 : 14), shndx, 2);
	put(m, at + (m->wide ? 8 : 4), value, m->wide ? 8 : 4);
	put(m, at + (m->wide ? 16 : 8), size, m->wide ? 8 : 4);
}

static void make(struct maker *m, bool wide, bool big)
{
	static const char names[] = "\0.bss\0.symtab\0.strtab\0main\0errno\0undefined";

	*m = (struct maker){ .wide = wide, .big = big };
	ehdr(m);
	phdr(m, 0, PT_NOTE, 200, 0, 20, 0);
	phdr(m, 1, PT_LOAD, 0x18, 0x10018, 0x1000, 0x2000);
	put(m, 200, 4, 4);
	put(m, 204, 4, 4);
	put(m, 208, NT_GNU_BUILD_ID, 4);
	memcpy(m->b + 212, "GNU\0\xde\xad\xbe\xef", 8);
	memcpy(m->b + 240, names, sizeof(names));
	symbol(m, 1, 22, 0x10020, 8, STB_GLOBAL << 4 | STT_FUNC, 1);
	symbol(m, 2, 27, 0x10, 4, STB_GLOBAL << 4 | STT_TLS, 1);
	symbol(m, 3, 33, 0x30, 4, STB_GLOBAL << 4 | STT_FUNC, SHN_UNDEF);
	symbol(m, 4, 200, 0x30, 4, STB_GLOBAL << 4 | STT_FUNC, 1);	/* no such name */
	shdr(m, 1, 1, SHT_NOBITS, 0x11018, 0x1018, 0x1000, 0);
	shdr(m, 2, 6, SHT_SYMTAB, 0, 300, 5 * (wide ? 24 : 16), 3);
	shdr(m, 3, 14, SHT_STRTAB, 0, 240, sizeof(names), 0);
}

static void test_parse(bool wide, bool big)
{
	struct arena mem = { 0 };
	struct elf_symbols y;
	struct elf_image *e;
	const struct elf_head *h;
	struct maker m;

	make(&m, wide, big);
	if (!CHECK_EQ(elf_open_memory(m.b, FILE_SIZE, &e), ST_OK))
		return;
	h = elf_head(e);
	CHECK_EQ(h->word, wide ? 8 : 4);
	CHECK_EQ(h->big_endian, big);
	CHECK_EQ(h->machine, EM_PPC);
	CHECK_EQ(h->nsegments, 1);
	CHECK_EQ(h->segments[0].offset, 0x18);
	CHECK_EQ(h->segments[0].vaddr, 0x10018);
	CHECK_EQ(h->segments[0].filesz, 0x1000);
	CHECK_EQ(h->segments[0].memsz, 0x2000);
	CHECK_EQ(h->segments[0].flags, PF_R | PF_W);
	CHECK_EQ(h->build_id_len, 4);
	CHECK(!memcmp(h->build_id, "\xde\xad\xbe\xef", 4));
	CHECK_EQ(h->nsections, 3);
	CHECK_STR(h->sections[0].name, ".bss");
	CHECK_EQ(h->sections[0].addr, 0x11018);
	CHECK_EQ(h->sections[0].size, 0x1000);
	elf_symbols_read(e, &mem, &y);
	CHECK_STR(y.from, ".symtab");
	if (CHECK_EQ(y.n, 1)) {
		CHECK_STR(y.v[0].name, "main");
		CHECK_EQ(y.v[0].value, 0x10020);
		CHECK_EQ(y.v[0].size, 8);
		CHECK_EQ(y.v[0].type, 'f');
	}
	elf_close(e);
	arena_release(&mem);
}

/* A file cut anywhere, and one wrong byte anywhere: a result, or none. */
static void test_damage(void)
{
	struct arena mem = { 0 };
	struct elf_symbols y;
	struct elf_image *e;
	struct maker m;

	make(&m, true, false);
	for (size_t n = 0; n < FILE_SIZE; n++) {
		uint8_t *cut = malloc(n ? n : 1);

		if (!cut)
			abort();
		memcpy(cut, m.b, n);
		if (!elf_open_memory(cut, n, &e)) {
			CHECK(n >= sizeof(Elf64_Ehdr));
			CHECK(elf_head(e)->nsections == 0 || n >= 512 + 4 * 64);
			elf_symbols_read(e, &mem, &y);
			elf_close(e);
		}
		free(cut);
	}
	for (size_t at = 0; at < FILE_SIZE; at++)
		for (unsigned v = 0; v < 256; v += 51) {
			uint8_t was = m.b[at];

			m.b[at] = (uint8_t)v;
			if (!elf_open_memory(m.b, FILE_SIZE, &e)) {
				elf_symbols_read(e, &mem, &y);
				elf_close(e);
			}
			m.b[at] = was;
		}
	CHECK_EQ(elf_open_memory("\177ELF", 4, &e), ST_ABSENT);
	CHECK(!e);
	CHECK_EQ(elf_open_memory("#!/bin/sh\nexit 0\n", 17, &e), ST_ABSENT);
	arena_release(&mem);
}

/* ---- in memory -------------------------------------------------------------------- */

#define GIGA (1ull << 30)

static struct vma *file_vma(struct rig *g, uint64_t start, uint64_t end, uint64_t flags,
			    uint64_t pgoff)
{
	struct vma *v = add_vma(g, start, end - start, flags);

	v->file = 0;
	v->pgoff = pgoff;
	return v;
}

static uint64_t vm_of(struct rig *g, const struct elf_head *h, const struct elf_load *l,
		      uint64_t start, uint64_t end)
{
	int64_t credit = ELF_CREDIT;
	struct sizes z = { 0 };

	elf_load_sizes(&g->s, g->f->r, h, 0, l, start, end, &credit, &z);
	return z.vm;
}

/* Text and data share a page of the file; the data was cut by RELRO; .bss goes on in an
   anonymous mapping that is longer than it; a second copy is loaded further up. */
static void test_loads(void)
{
	struct elf_segment segments[] = {
		{ .offset = 0, .vaddr = 0, .filesz = 0x1800, .memsz = 0x1800 },
		{ .offset = 0x1800, .vaddr = 0x3800, .filesz = 0x1000, .memsz = 0x4000 },
	};
	struct elf_head h = { .word = 8, .type = ET_DYN, .segments = segments, .nsegments = 2 };
	struct rig *g = rig_new();
	struct elf_loads loads = { 0 };
	struct arena mem = { 0 };
	struct sizes z = { 0 };
	int64_t credit = -63;

	add_mm(g)->nprocs = 1;
	file_vma(g, VA, VA + 0x2000, VMA_READ | VMA_EXEC, 0);
	file_vma(g, VA + 0x2000, VA + 0x3000, 0, 2);		/* kept free by ld.so */
	file_vma(g, VA + 0x3000, VA + 0x4000, VMA_READ, 1);
	file_vma(g, VA + 0x4000, VA + 0x5000, VMA_READ | VMA_WRITE, 2);
	add_vma(g, VA + 0x5000, 0x4000, VMA_READ | VMA_WRITE);
	file_vma(g, VA + GIGA, VA + GIGA + 0x2000, VMA_READ | VMA_EXEC, 0);
	map(g, VA + 0x4000, 0, 10 << 12 | P | RW);
	map(g, VA + 0x7000, 0, 11 << 12 | P | RW);
	g->s.nfiles = 1;
	g->s.refs = refs_count(&g->s);
	elf_loads_find(&g->s, &g->mms[0], 0, &h, &mem, &loads);
	if (CHECK_EQ(loads.n, 2)) {
		const struct elf_load *l = &loads.v[0];

		CHECK_EQ(l->bias, VA);
		CHECK_EQ(loads.v[1].bias, VA + GIGA);
		CHECK_EQ(vm_of(g, &h, l, 0, 0x1800), 0x1800);		/* .text */
		CHECK_EQ(vm_of(g, &h, l, 0x3800, 0x4800), 0x1000);	/* .data, in two pieces */
		CHECK_EQ(vm_of(g, &h, l, 0x4800, 0x7800), 0x3000);	/* .bss */
		CHECK_EQ(vm_of(g, &h, l, 0x7800, 0x9000), 0);	/* possibly of the heap */
		CHECK_EQ(vm_of(g, &h, l, 0x2000, 0x3000), 0);
		CHECK_EQ(vm_of(g, &h, &loads.v[1], 0, 0x7800), 0x2000);
		elf_load_sizes(&g->s, g->f->r, &h, 0, l, 0x4800, 0x7800, &credit, &z);
		CHECK_EQ(z.vm, 0);	/* no credit left */
		CHECK_EQ(fake_issues(g->f, "ELF file"), 1);
		credit = ELF_CREDIT;
		elf_load_sizes(&g->s, g->f->r, &h, 0, l, 0x4800, 0x7800, &credit, &z);
		/* the last half page of the file, and half of the page at 0x7000 */
		CHECK_EQ(z.resident, 0x800 + 0x800);
		CHECK_EQ(z.sole, 0x1000);
	}
	/* a file that is not relocated cannot be elsewhere */
	h.type = ET_EXEC;
	loads.n = 0;
	elf_loads_find(&g->s, &g->mms[0], 0, &h, &mem, &loads);
	CHECK_EQ(loads.n, 0);
	segments[0].vaddr += VA;
	segments[1].vaddr += VA;
	elf_loads_find(&g->s, &g->mms[0], 0, &h, &mem, &loads);
	if (CHECK_EQ(loads.n, 1)) {
		CHECK_EQ(loads.v[0].bias, 0);
		CHECK_EQ(vm_of(g, &h, &loads.v[0], VA + 0x4800, VA + 0x7800), 0x3000);
	}
	refs_free(g->s.refs);
	arena_release(&mem);
	rig_free(g);
}

/* ---- trees -------------------------------------------------------------------------- */

static void file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static char opened(const char *path)
{
	int fd = rootpath_open("root", path);
	char c = '-';

	if (fd >= 0 && read(fd, &c, 1) != 1)
		c = '?';
	if (fd >= 0)
		close(fd);
	return c;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void test_root(void)
{
	char dir[] = "/tmp/test_elf.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) || mkdir("root", 0755) || mkdir("root/usr", 0755) ||
	    mkdir("root/usr/bin", 0755) || symlink("/usr/bin", "root/bin") ||
	    symlink("../../../../usr/bin/a", "root/usr/bin/up") ||
	    symlink("loop", "root/loop") || symlink("/etc/passwd", "root/usr/bin/out") ||
	    mkfifo("root/pipe", 0600) || symlink("nowhere", "root/usr/bin/none"))
		abort();
	file("root/usr/bin/a", "A");
	file("outside", "O");
	CHECK_EQ(opened("/usr/bin/a"), 'A');
	CHECK_EQ(opened("/bin/a"), 'A');
	CHECK_EQ(opened("bin//./a"), 'A');
	CHECK_EQ(opened("/bin/up"), 'A');
	CHECK_EQ(opened("/../outside"), '-');
	CHECK_EQ(opened("/usr/../../outside"), '-');
	CHECK_EQ(opened("/bin/out"), '-');
	CHECK_EQ(opened("/bin/none"), '-');
	CHECK_EQ(opened("/loop"), '-');
	CHECK_EQ(opened("/pipe"), '-');
	CHECK_EQ(opened("/usr"), '-');
	CHECK_EQ(opened(""), '-');
	CHECK_EQ(rootpath_open("nosuch", "/a"), -1);
	CHECK(!chdir("/") && !nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS));
}

/* Two pages of a file, then two anonymous ones, of which .bss has 0x18 bytes. */
static void test_bss(void)
{
	char dir[] = "/tmp/test_elf.XXXXXX";
	struct file f = { .path = "/lib", .size = FILE_SIZE, .kind = FILE_REGULAR };
	struct rig *g = rig_new();
	struct elf_bss_list l;
	struct arena mem = { 0 };
	struct maker m;
	FILE *out;

	if (!mkdtemp(dir) || chdir(dir) || mkdir("root", 0755) || mkdir("text", 0755))
		abort();
	make(&m, true, false);
	out = fopen("root/lib", "w");
	if (!out || fwrite(m.b, FILE_SIZE, 1, out) != 1 || fclose(out))
		abort();
	file("text/lib", "#!/bin/sh\n");
	add_mm(g)->exe = 0;
	file_vma(g, VA, VA + 0x2000, VMA_READ | VMA_WRITE | VMA_EXEC, 0);
	add_vma(g, VA + 0x2000, 0x2000, VMA_READ | VMA_WRITE)->file = NONE;
	g->s.files = &f;
	g->s.nfiles = 1;

	elf_bss_find(&g->s, g->f->r, "root", NONE, &mem, &l);
	if (CHECK_EQ(l.n, 1)) {
		CHECK_EQ(l.v[0].vma, 1);
		CHECK_EQ(l.v[0].file, 0);
		CHECK_EQ(l.v[0].start, VA + 0x2000);
		CHECK_EQ(l.v[0].end, VA + 0x2018);
		CHECK_EQ(elf_bss_at(&l, 0), 0);
		CHECK_EQ(elf_bss_at(&l, 1), 0);
		CHECK_EQ(elf_bss_at(&l, 2), 1);
	}
	CHECK_EQ(l.whole, 0);
	elf_bss_find(&g->s, g->f->r, "nosuch", NONE, &mem, &l);
	if (CHECK_EQ(l.n, 1))
		CHECK_EQ(l.v[0].end, VA + 0x4000);
	CHECK_EQ(l.whole, 1);
	elf_bss_find(&g->s, g->f->r, "nosuch", 1, &mem, &l);	/* of another mm */
	CHECK_EQ(l.n, 0);
	elf_bss_find(&g->s, g->f->r, "text", NONE, &mem, &l);
	CHECK_EQ(l.n, 0);
	g->s.files = NULL;
	arena_release(&mem);
	rig_free(g);
	CHECK(!chdir("/") && !nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS));
}

int main(void)
{
	for (unsigned i = 0; i < 4; i++)
		test_parse(i & 1, i & 2);
	test_damage();
	test_loads();
	test_root();
	test_bss();
	return check_done();
}
