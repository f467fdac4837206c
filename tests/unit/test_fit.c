/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layout files that do not fit their dump; the configuration in a kernel image. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dumpread/symbols/sources.h"
#include "dumpread/types/layoutfile.h"
#include "facts/layout/task.h"
#include "model/kernel/fit.h"
#include "model/kernel/machine/ikconfig.h"
#include "tests/unit/check.h"
#include "tests/unit/fake.h"

#define TASK 0x4000u		/* init_task */
#define OTHER 0x8000u		/* the next task */

/* pid 16, parent 24, tasks 32, comm 64 */
#define LAYOUT                                                                                     \
	"# vmcensus layout 1\nmachine 62\nword 8\norder little\n"                                  \
	"size page 64\nmember page.lru 8 16 0 0 0 0 g\n"                                           \
	"member list_head.next 0 8 0 0 0 0 p\nmember list_head.prev 8 8 0 0 0 0 p\n"               \
	"size list_head 16\nmember task_struct.pid 16 4 0 0 0 0 s\n"                               \
	"member task_struct.real_parent 24 8 0 0 0 0 p\n"                                          \
	"member task_struct.tasks 32 16 0 0 0 0 g\n"                                               \
	"member task_struct.comm 64 16 16 1 0 0 a\n"

/* A machine whose first task is as the layout says, SHIFT bytes further on. */
static struct fake *machine(unsigned shift)
{
	struct fake *f = fake_new(8, false);
	uint64_t task = fake_kva(f, TASK);

	f->dump.elf_machine = 62;
	f->kernel.dump = &f->dump;
	fake_put(f, TASK, "", 1);
	fake_put(f, OTHER, "", 1);
	fake_put_uint(f, TASK + shift + 24, task, 8);
	fake_put_uint(f, TASK + shift + 32, fake_kva(f, OTHER), 8);
	fake_put_uint(f, OTHER + 8, task + shift + 32, 8);
	fake_put(f, TASK + shift + 64, "swapper/0", 10);
	return f;
}

static void machine_free(struct fake *f)
{
	types_close(&f->dump.types);
	symbols_close(&f->dump.symbols);
	fake_free(f);
}

static enum status fits(struct fake *f, const char *vmcoreinfo)
{
	f->dump.vmcoreinfo = vmcoreinfo;
	CHECK_EQ(types_add_layout_text(&f->dump, LAYOUT, strlen(LAYOUT), "test.layout"), ST_OK);
	layout_resolve(&f->dump, &f->kernel.layout);
	fake_symbol(f, Y_INIT_TASK, fake_kva(f, TASK));
	return layout_fits(&f->kernel, f->r);
}

static void check_fit(unsigned shift, const char *vmcoreinfo, const char *why)
{
	struct fake *f = machine(shift);
	enum status st = fits(f, vmcoreinfo);

	CHECK_EQ(st, why ? ST_CORRUPT : ST_OK);
	if (why && !CHECK(strstr(f->dump.diag.text, why) != NULL))
		printf("# %s\n", f->dump.diag.text);
	machine_free(f);
}

TEST(fit)
{
	check_fit(0, "", NULL);
	check_fit(0, "SIZE(page)=64\nOFFSET(page.lru)=8\nSIZE(nosuch)=3\nOFFSET(x\n", NULL);
	/* one contradiction may be damage */
	check_fit(0, "SIZE(page)=56\nOFFSET(page.lru)=8\n", NULL);
	check_fit(0, "SIZE(page)=56\nOFFSET(page.lru)=32\n",
		  "test.layout: is not of this kernel: VMCOREINFO has the size of page 56, the "
		  "file 64");
	check_fit(0, "OFFSET(page.lru)=32\nOFFSET(list_head.prev)=0\n",
		  "the offset of page.lru 32, the file 8");
	check_fit(8, "", "is at byte 72 of task_struct, in the file at 64");
}

TEST(damage)
{
	struct fake *f = machine(0);

	/* the page of the first task is zeros */
	for (unsigned i = 0; i < 256; i += 8)
		fake_put_uint(f, TASK + i, 0, 8);
	CHECK_EQ(fits(f, ""), ST_OK);
	machine_free(f);
	/* it is not in the dump */
	f = machine(0);
	fake_drop(f, TASK);
	CHECK_EQ(fits(f, ""), ST_OK);
	machine_free(f);
	/* one member is wrong, then two */
	f = machine(0);
	fake_put_uint(f, TASK + 24, fake_kva(f, OTHER), 8);
	CHECK_EQ(fits(f, ""), ST_OK);
	machine_free(f);
	f = machine(0);
	fake_put_uint(f, TASK + 24, fake_kva(f, OTHER), 8);
	fake_put_uint(f, TASK + 16, 7, 4);
	CHECK_EQ(fits(f, ""), ST_CORRUPT);
	CHECK(strstr(f->dump.diag.text, "not its own parent") != NULL);
	machine_free(f);
}

/* ---- the configuration ------------------------------------------------------------- */

#define CONFIG "# a remark\nCONFIG_SMP=y\n# CONFIG_NUMA is not set\n"

/* TEXT between the marks, as kernel/configs.c has it; the number of bytes. */
static size_t image(const char *text, const char *end, uint8_t *out, size_t size)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)text, .avail_in = (uInt)strlen(text) };

	for (unsigned i = 0; i < 8; i++)
		out[i] = (uint8_t) "IKCFG_ST"[i];
	deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
	z.next_out = out + 8;
	z.avail_out = (uInt)(size - 16);
	CHECK_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	memcpy(z.next_out, end, 8);
	return 16 + z.total_out;
}

static void check_config(const uint8_t *bytes, size_t len, uint64_t at, const char *want)
{
	struct fake *f = fake_new(8, false);
	struct arena mem = { 0 };
	struct diag diag;
	const char *text;

	f->kernel.dump = &f->dump;
	f->dump.vmcoreinfo = "";
	fake_put(f, at, bytes, len);
	CHECK_EQ(ikconfig_read(&f->kernel, &mem, &text, &diag), want ? ST_OK : ST_NODATA);
	if (want)
		CHECK_STR(text ? text : "", want);
	else
		CHECK(strstr(diag.text, "CONFIG_IKCONFIG=y") != NULL);
	arena_release(&mem);
	machine_free(f);
}

TEST(config)
{
	uint8_t buf[4096] = "IKCFG_ST\037\213\010 no stream, then the configuration:";
	size_t n = 64 + image(CONFIG, "IKCFG_ED", buf + 64, sizeof(buf) - 64);

	check_config(buf, n, 0x3000, CONFIG);
	check_config(buf, n, 0x3fb0, CONFIG); /* over the end of a page */
	buf[64 + 8 + 16] ^= 1;		      /* damaged */
	check_config(buf, n, 0x3000, NULL);
	n = image(CONFIG, "IKCFG_EX", buf, sizeof(buf));
	check_config(buf, n, 0x3000, NULL);  /* no end mark: other data */
	check_config(buf, 20, 0x3000, NULL); /* cut off */
}
