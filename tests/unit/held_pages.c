/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_pages.c - the held machine, whose kernel keeps who allocated its frames. */
#include <stdlib.h>
#include <string.h>

#include "facts/layout/cgroup.h"
#include "facts/layout/kmem.h"
#include "facts/layout/origin.h"
#include "facts/layout/page.h"
#include "facts/layout/system.h"
#include "tests/unit/allocated.h"
#include "tests/unit/held_objects.h"

enum { NODE = 0x1a0000, ZONE = NODE + 0x100, ZONE_BYTES = 0x200, USAGE = 0x1a1000, NAMES = 0x1a2000, TYPES = 0x1a2100,
       REASONS = 0x1a2180, OBJCG = 0x1a3000, MEMCG = 0x1a3100, CGROUP = 0x1a3200, KN = 0x1a3300, TEXTS = 0x1a4000 };
enum { AREAS = 64, AREA_BYTES = 72, AREA_FREE = 64, CHARGE = 56, BY_OBJCG = 2 };
enum { OWNER_TIME = 16, OWNER_FREE_TIME = 24, OWNER_PID = 32, OWNER_TGID = 36, OWNER_COMM = 40 };

static void put_text(struct held_machine *m, uint64_t pointer, unsigned no, const char *text)
{
	hm_point(m, pointer, TEXTS + no * 0x20);
	fake_put(m->f, TEXTS + no * 0x20, text, strlen(text) + 1);
}

/* A node with one zone of three orders and four types; pageblocks of four frames, all movable. */
static void put_zone(struct held_machine *m)
{
	static const char *const types[] = { "Unmovable", "Movable", "Reclaimable", "HighAtomic" };
	struct fake *f = m->f;

	f->kernel.version = (struct release){ .major = 6, .minor = 1 };
	fake_symbol(f, Y_ONE_PGDAT, fake_kva(f, NODE));
	fake_array(f, M_PGDAT_ZONES, ZONE - NODE, ZONE_BYTES, 1);
	fake_size(f, S_ZONE, ZONE_BYTES);
	fake_members(f, { M_ZONE_NAME, 0, 8 }, { M_ZONE_START_PFN, 8, 8 },
		     { M_ZONE_SPANNED, 16, 8 }, { M_ZONE_PRESENT, 24, 8 });
	fake_array(f, M_ZONE_WATERMARK, 32, 8, 3);
	fake_array(f, M_ZONE_FREE_AREA, AREAS, AREA_BYTES, 3);
	fake_array(f, M_AREA_LISTS, 0, 16, 4);
	fake_member(f, M_AREA_NR_FREE, AREA_FREE, 8);
	fake_array(f, M_ZONE_VM_STAT, 400, 8, 2);
	fake_enum(f, E_NR_FREE_PAGES, 0);
	fake_enum(f, E_MIGRATE_TYPES, 4);
	fake_member(f, M_SECTION_USAGE, 8, 8);
	fake_member(f, M_USAGE_BLOCK_FLAGS, 8, 0);
	fake_symbol(f, Y_MIGRATE_NAMES, fake_kva(f, TYPES));
	put_text(m, ZONE, 0, "Normal");
	hm_put(m, ZONE + 8, 0, 8);
	hm_put(m, ZONE + 16, HELD_FRAMES, 8);
	hm_put(m, ZONE + 24, HELD_FRAMES, 8);
	for (unsigned i = 0; i < 3; i++)
		hm_put(m, ZONE + AREAS + i * AREA_BYTES + AREA_FREE, 0, 8);
	hm_put(m, AL_SECTION_AT + 8, fake_kva(f, USAGE), 8);
	for (unsigned i = 0; i < HELD_FRAMES / 4 / 16; i++)
		fake_put(f, USAGE + 8 + i * 8, "\x11\x11\x11\x11\x11\x11\x11\x11", 8);
	for (unsigned i = 0; i < 4; i++)
		put_text(m, TYPES + 8 * i, 1 + i, types[i]);
}

/* Frames that are charged: to a control group, by an obj_cgroup. */
static void put_charges(struct held_machine *m)
{
	fake_members(m->f, { M_PAGE_MEMCG, CHARGE, 8 }, { M_OBJCG_MEMCG, 0, 8 },
		     { M_MEMCG_CSS, 0, 64 }, { M_CSS_FLAGS, 8, 4 }, { M_CSS_CGROUP, 16, 8 },
		     { M_CGROUP_KN, 0, 8 }, { M_KN_NAME, 0, 8 });
	fake_enum(m->f, E_CSS_ONLINE, 2);
	hm_put(m, PAGES + (MORE >> 12) * STRUCT_PAGE + CHARGE, fake_kva(m->f, OBJCG) | BY_OBJCG, 8);
	hm_point(m, PAGES + ((MORE >> 12) + 4) * STRUCT_PAGE + CHARGE, MEMCG);
	hm_point(m, OBJCG, MEMCG);
	hm_put(m, MEMCG + 8, 2, 4);
	hm_point(m, MEMCG + 16, CGROUP);
	hm_point(m, CGROUP, KN);
	put_text(m, KN, 6, "user.slice");
}

static void put_owner(struct held_machine *m, uint64_t pfn, unsigned order, uint32_t handle)
{
	uint64_t at = AL_EXT + pfn * AL_EXT_BYTES + AL_OWNER_AT;

	al_ext(m->f, pfn, 3, handle, 0);
	hm_put(m, at, order, 2);
	hm_put(m, at + 2, order ? 1 : 0xffff, 2);
	hm_put(m, at + 4, 0xdc0, 4);
	hm_put(m, at + OWNER_TIME, 5000000000 + pfn, 8);
	hm_put(m, at + OWNER_FREE_TIME, 4000000000 + pfn, 8);
	hm_put(m, at + OWNER_PID, 42, 4);
	hm_put(m, at + OWNER_TGID, 40, 4);
	fake_put(m->f, at + OWNER_COMM, "worker", 7);
}

static struct held_machine *machine(void)
{
	struct held_machine *m = hm_new();
	uint8_t *none = calloc(HELD_FRAMES, AL_EXT_BYTES);

	fake_put(m->f, AL_EXT, none, (size_t)HELD_FRAMES * AL_EXT_BYTES);
	free(none);
	al_page_ext(m->f);
	return m;
}

static struct held_machine *owner_machine(uint32_t handle)
{
	static const uint64_t first = MORE >> 12;
	struct held_machine *m = machine();

	al_owner(m->f);
	al_stack(m->f, 3);
	al_names(m->f);
	al_fields(m->f);
	fake_members(m->f, { M_OWNER_ORDER, 0, 2 }, { M_OWNER_REASON, 2, 2 }, { M_OWNER_GFP, 4, 4 },
		     { M_OWNER_TIME, OWNER_TIME, 8 }, { M_OWNER_FREE_TIME, OWNER_FREE_TIME, 8 },
		     { M_OWNER_PID, OWNER_PID, 4 }, { M_OWNER_TGID, OWNER_TGID, 4 },
		     { M_OWNER_COMM, OWNER_COMM, 16 });
	fake_symbol(m->f, Y_MIGRATE_REASONS, fake_kva(m->f, REASONS));
	put_text(m, REASONS, 8, "compaction");
	put_text(m, REASONS + 8, 9, "memory_failure");
	hm_put(m, REASONS + 16, 0, 8);
	put_zone(m);
	put_charges(m);
	put_owner(m, first, 0, handle);
	put_owner(m, first + 1, 0, handle);
	put_owner(m, first + 4, 2, handle);
	return m;
}

struct held_machine *hm_page_owner(void)
{
	struct held_machine *m = owner_machine(3 | 4 << 21 | 1u << 31);

	al_bits(m->f, M_HANDLE_POOL, 0, 21);
	al_bits(m->f, M_HANDLE_OFFSET, 21, 10);
	fake_symbol(m->f, Y_DEPOT_POOLS, fake_kva(m->f, AL_POOLS));
	return m;
}

struct held_machine *hm_page_owner_new(void)
{
	struct held_machine *m = owner_machine(4 | 4 << 17);

	al_bits(m->f, M_HANDLE_POOL_1, 0, 17);
	al_var(m->f, Y_DEPOT_POOLS, 3, fake_kva(m->f, AL_POOLS), 8);
	al_var(m->f, Y_DEPOT_MAX_POOLS, 4, 8192, 4);
	return m;
}

struct held_machine *hm_tags(void)
{
	struct held_machine *m = machine();

	al_counts(m->f);
	al_sites(m->f);
	al_var(m->f, Y_ALLOC_TAG_OPS, 1, AL_TAG_AT, 8);
	al_ext(m->f, MORE >> 12, 0, 0, fake_kva(m->f, AL_SITES));
	al_ext(m->f, (MORE >> 12) + 1, 0, 0, 1);	/* CODETAG_EMPTY */
	al_ext(m->f, (MORE >> 12) + 2, 0, 0, fake_kva(m->f, AL_MODULE_SITES + AL_SITE_BYTES));
	return m;
}

struct held_machine *hm_tags_in_flags(void)
{
	struct held_machine *m = machine();

	al_sites(m->f);
	al_sites_in_flags(m->f);
	hm_put(m, PAGES + (MORE >> 12) * STRUCT_PAGE, UINT64_C(2) << 40, 8);
	hm_put(m, PAGES + ((MORE >> 12) + 1) * STRUCT_PAGE, UINT64_C(10) << 40, 8);
	return m;
}
