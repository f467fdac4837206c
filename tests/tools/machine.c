/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machine - the model's data about the machine as a whole, in the form of /proc.
 *
 *	machine [-t FILE] IMAGE...
 *
 * Lines "meminfo NAME: VALUE kB" as in /proc/meminfo, "swap FILE SIZE USED PRIORITY" as
 * in /proc/swaps, "uptime SECONDS", and "panic TEXT", "panic_task PID COMM" where known.
 * A value that could not be read is "-".
 * tests/exact/system.py compares it with what the kernel said.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

static void put_meminfo(const struct machine *m)
{
	for (uint32_t i = 0; i < m->nmeminfo; i++) {
		const struct zone_count *c = &m->meminfo[i];
		bool count = !strncmp(c->name, "HugePages_", 10);

		if (c->value == UINT64_MAX)
			printf("meminfo %s: -\n", c->name);
		else if (count)
			printf("meminfo %s: %" PRIu64 "\n", c->name, c->value);
		else
			printf("meminfo %s: %" PRIu64 " kB\n", c->name, c->value / 1024);
	}
}

static void put_swaps(const struct snapshot *s)
{
	unsigned shift = s->k->dump->page_shift;

	for (uint32_t i = 0; i < s->machine.nswaps; i++) {
		const struct swap_area *a = &s->machine.swaps[i];

		printf("swap %s %" PRIu64 " %" PRIu64 " %d\n", a->path ? a->path : "-",
		       a->pages << shift >> 10, a->used << shift >> 10, a->prio);
	}
}

int main(int argc, char **argv)
{
	bool types = argc > 2 && !strcmp(argv[1], "-t");
	int first = types ? 3 : 1;
	struct log log;
	struct kernel_opts o = {
		.images = (const char *const *)argv + first, .jobs = 1, .log = &log,
		.nimages = argc > first ? (unsigned)(argc - first) : 0,
		.types = (const char *const *)argv + 2, .ntypes = types,
	};
	struct diag diag;
	struct kernel *k;
	struct snapshot *s;

	log_init(&log);
	if (!o.nimages || kernel_open(&o, &diag, &k)) {
		fprintf(stderr, "machine: %s\n", o.nimages ? diag.text : "no image is named");
		return 1;
	}
	s = snapshot_build(k, NEED_MACHINE | NEED_LOG, NULL);
	put_meminfo(&s->machine);
	put_swaps(s);
	printf("uptime %.2f\n", (double)s->machine.uptime / 1e9);
	if (s->machine.panic)
		printf("panic %s\n", s->machine.panic);
	if (s->machine.panic_pid >= 0)
		printf("panic_task %d %s\n", s->machine.panic_pid, s->machine.panic_comm);
	snapshot_free(s);
	kernel_close(k);
	return 0;
}
