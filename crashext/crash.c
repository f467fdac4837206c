/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The extension as crash sees it: one command, and the few calls into crash.
 *
 * It uses only the interface that crash 7.2.9 to 9.0 share, always by the names of the
 * installed header: the offsets of its structs are those of that version.
 */
#include <crash/defs.h>

#include "crashext/census.h"
#include "crashext/host.h"
#include "crashext/usage.h"

void host_describe(struct host *ret)
{
	*ret = (struct host){
		.dumpfile = ACTIVE() && pc->live_memsrc ? pc->live_memsrc : pc->dumpfile,
		.vmlinux = pc->debuginfo_file ? pc->debuginfo_file
			 : pc->namelist_debug ? pc->namelist_debug : pc->namelist,
		.machine = kt->utsname.machine,
		.release = kt->utsname.release,
		.live = ACTIVE() || REMOTE(),
		/* the API does not have the names of a split dump's other parts; for RAM files
		   crash shows an ELF header of its own */
		.whole = !ACTIVE() && !REMOTE() && !dumpfile_is_split() &&
			 !(pc->flags2 & RAMDUMP),
		.word_size = (uint8_t)(machdep->bits / 8),
		.page_size = (uint32_t)PAGESIZE(),
	};
}

bool host_symbol(const char *name, uint64_t *addr)
{
	/* symbol_value() of an unknown name is fatal */
	if (!symbol_exists((char *)name))
		return false;
	*addr = symbol_value((char *)name);
	return true;
}

bool host_read_pa(uint64_t pa, void *buf, size_t len)
{
	return readmem(pa, PHYSADDR, buf, (long)len, "census page", RETURN_ON_ERROR | QUIET);
}

bool host_read_kva(uint64_t kva, void *buf, size_t len)
{
	return readmem(kva, KVADDR, buf, (long)len, "census variable", RETURN_ON_ERROR | QUIET);
}

/* Every error in crash leaves through pc->main_loop_env: borrow it. */
bool host_guard(void (*fn)(void *), void *arg)
{
	jmp_buf main_loop;
	bool whole;

	memcpy(&main_loop, &pc->main_loop_env, sizeof(main_loop));
	whole = !setjmp(pc->main_loop_env);
	if (whole)
		fn(arg);
	memcpy(&pc->main_loop_env, &main_loop, sizeof(main_loop));
	return whole;
}

static void cmd_census(void)
{
	census_command(argcnt, args, fp);
}

static struct command_table_entry commands[] = {
	{ "census", cmd_census, NULL, MINIMAL },
	{ .name = NULL }
};

static __attribute__((constructor)) void load(void)
{
	/* crash itself reports that it unloads an object without commands */
	if (strcmp(pc->machine_type, MACHINE_TYPE)) {
		fprintf(stderr, "vmcensus: built for a crash for " MACHINE_TYPE
			" dumps, and this one is for %s: build it against that crash's "
			"header\n", pc->machine_type);
		return;
	}
	commands[0].help_data = usage_load();
	register_extension(commands);
}

static __attribute__((destructor)) void unload(void)
{
	usage_free();
}
