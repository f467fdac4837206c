/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held_servers.c - the held machine with threads of RPC servers, stripes of md, a kernel loaded by kexec. */
#include "tests/unit/held_servers.h"
#include "facts/layout/holder.h"
#include "facts/layout/module.h"
#include "facts/layout/page.h"
#include "facts/layout/proc.h"

/* ---- threads of RPC servers ----------------------------------------------------------------- */

enum { T_KTHREAD = 0x20 };

static void state_rpc(struct fake *f)
{
	fake_members(f, { M_TASK_KTHREAD, T_KTHREAD, 8 }, { M_KTHREAD_DATA, 0, 8 },
		     { M_RQST_ALL, 0, 16 }, { M_RQST_SERVER, R_SERVER, 8 },
		     { M_RQST_POOL, R_POOL, 8 }, { M_RQST_TASK, R_TASK, 8 },
		     { M_RQST_ARGUMENTS, R_ARGUMENTS, 8 }, { M_RQST_SCRATCH, R_SCRATCH, 8 },
		     { M_RQST_REPLY, R_REPLY, 8 }, { M_RPCPOOL_THREADS, 0, 16 },
		     { M_RPCPOOL_COUNT, POOL_COUNT, 4 }, { M_RPCSERV_NAME, 0, 8 });
}

/* COUNT pointers to pages from PA on, and one that is empty. */
static void put_array(struct held_machine *m, uint64_t at, uint64_t pa, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		hm_put(m, at + 8 * i, hm_page(m, pa + 0x1000 * i), 8);
	hm_put(m, at + 8 * count, 0, 8);
}

static void put_thread(struct held_machine *m, uint64_t at)
{
	hm_point(m, at + R_SERVER, SERVER);
	hm_point(m, at + R_POOL, POOL);
	hm_put(m, at + R_TASK, 0, 8);
	hm_put(m, at + R_ARGUMENTS, 0, 8);
	hm_put(m, at + R_SCRATCH, 0, 8);
}

static struct held_machine *rpc_machine(void)
{
	struct held_machine *m = hm_new();

	state_rpc(m->f);
	m->task.flags = 0x200000;
	hm_point(m, TASK + T_KTHREAD, KTHREAD);
	hm_point(m, KTHREAD, RQST1);
	hm_point(m, SERVER, NAME);
	fake_put(m->f, NAME, "nfsd", 5);
	hm_queue(m, POOL, RQST1, RQST2);
	hm_put(m, POOL + POOL_COUNT, 2, 4);
	put_thread(m, RQST1);
	put_thread(m, RQST2);
	hm_point(m, RQST1 + R_TASK, TASK);
	hm_point(m, RQST1 + R_ARGUMENTS, ARGUMENTS);
	hm_put(m, RQST1 + R_SCRATCH, hm_page(m, FREE + 0x10000), 8);
	return m;
}

struct held_machine *hm_rpc(void)
{
	struct held_machine *m = rpc_machine();

	fake_array(m->f, M_RQST_PAGE_ARRAY, R_PAGES, 8, RPC_ARRAY);
	put_array(m, RQST1 + R_PAGES, FREE, RPC_ARRAY - 1);
	put_array(m, RQST2 + R_PAGES, FREE + 0x4000, RPC_ARRAY - 1);
	hm_point(m, RQST1 + R_REPLY, RQST1 + R_PAGES + 16);
	hm_point(m, RQST2 + R_REPLY, RQST2 + R_PAGES + 16);
	return m;
}

struct held_machine *hm_rpc_arrays(void)
{
	struct held_machine *m = rpc_machine();

	fake_members(m->f, { M_RQST_PAGES, R_PAGES, 8 }, { M_RQST_MAXPAGES, R_MAXPAGES, 8 },
		     { M_RQST_BVEC, R_BVEC, 8 });
	for (unsigned i = 0; i < 2; i++) {
		uint64_t rqst = i ? RQST2 : RQST1, call = i ? CALL2 : CALL1;

		hm_put(m, rqst + R_MAXPAGES, 3, 8);
		hm_point(m, rqst + R_PAGES, call);
		hm_point(m, rqst + R_REPLY, i ? REPLY2 : REPLY1);
		hm_put(m, rqst + R_BVEC, 0, 8);
		put_array(m, call, FREE + i * 0x8000, 3);
		put_array(m, i ? REPLY2 : REPLY1, FREE + i * 0x8000 + 0x3000, 3);
	}
	hm_point(m, RQST1 + R_BVEC, BVEC);
	return m;
}

/* ---- stripes of md -------------------------------------------------------------------------- */

static void state_raid(struct fake *f)
{
	fake_members(f, { M_MD_DISK, 0, 8 }, { M_MD_LEVEL, MD_LEVEL, 4 },
		     { M_MD_PRIVATE, MD_CONF, 8 }, { M_R5_ARRAY, C_MDDEV, 8 },
		     { M_R5_HASH, C_HASH, 8 });
	fake_array(f, M_R5_INACTIVE, C_LISTS, 16, LISTS);
	fake_members(f, { M_R5_STRIPES, C_STRIPES, 4 }, { M_R5_DEVICES, C_DEVICES, 4 },
		     { M_R5_CPUS, C_CPUS, 8 }, { M_R5CPU_PAGE, 0, 8 }, { M_R5CPU_SCRIBBLE, 8, 8 },
		     { M_STRIPE_HASH, 0, 16 }, { M_STRIPE_LIST, S_LRU, 16 },
		     { M_STRIPE_CONF, S_CONF, 8 }, { M_STRIPE_DEVICES, S_DEVICES, 0 });
	fake_size(f, S_R5DEV, R5_DEVICE);
	fake_members(f, { M_R5DEV_PAGE, 0, 8 }, { M_R5DEV_OWN, D_OWN, 8 },
		     { M_R5DEV_FLAGS, D_FLAGS, 8 });
	fake_enum(f, E_R5_SKIP_COPY, SKIP_COPY);
}

uint64_t hm_stripe_device(uint64_t stripe, unsigned i)
{
	return stripe + S_DEVICES + i * R5_DEVICE;
}

static void put_stripe(struct held_machine *m, uint64_t at, uint64_t next, uint64_t pa)
{
	hm_put(m, at, next ? fake_kva(m->f, next) : 0, 8);
	hm_point(m, at + S_CONF, CONF);
	for (unsigned i = 0; i < DEVICES; i++) {
		hm_put(m, hm_stripe_device(at, i), hm_page(m, pa + i * 0x1000), 8);
		hm_put(m, hm_stripe_device(at, i) + D_OWN, hm_page(m, pa + i * 0x1000), 8);
		hm_put(m, hm_stripe_device(at, i) + D_FLAGS, 0, 8);
	}
}

struct held_machine *hm_raid(void)
{
	struct held_machine *m = hm_block_class();

	state_raid(m->f);
	fake_put(m->f, MD_DISK + layout_offset(&m->f->kernel.layout, M_DISK_NAME), "md7", 4);
	hm_point(m, MD_DISK + layout_offset(&m->f->kernel.layout, M_DISK_PRIVATE), MDDEV);
	hm_point(m, MDDEV, MD_DISK);
	hm_put(m, MDDEV + MD_LEVEL, 5, 4);
	hm_point(m, MDDEV + MD_CONF, CONF);
	hm_point(m, CONF + C_MDDEV, MDDEV);
	hm_point(m, CONF + C_HASH, TABLE);
	hm_put(m, CONF + C_STRIPES, 3, 4);
	hm_put(m, CONF + C_DEVICES, DEVICES, 4);
	hm_put(m, CONF + C_CPUS, 0, 8);
	for (unsigned i = 0; i < 0x1000; i += 8)
		hm_put(m, TABLE + i, 0, 8);
	hm_point(m, TABLE + 0xff8, STRIPE1);
	put_stripe(m, STRIPE1, STRIPE2, FREE);
	put_stripe(m, STRIPE2, 0, FREE + 0x4000);
	put_stripe(m, STRIPE3, 0, FREE + 0x8000);
	hm_queue(m, CONF + C_LISTS, 0, 0);
	hm_queue(m, CONF + C_LISTS + 16, STRIPE2 + S_LRU, STRIPE3 + S_LRU);
	return m;
}

/* ---- kexec ---------------------------------------------------------------------------------- */

uint64_t hm_lru(uint64_t pa)
{
	return PAGES + (pa >> 12) * STRUCT_PAGE + P_LRU;
}

struct held_machine *hm_kexec(void)
{
	struct held_machine *m = hm_new();

	fake_symbol(m->f, Y_KEXEC_IMAGE, fake_kva(m->f, KEXEC_VAR));
	fake_member(m->f, M_KIMAGE_HEAD, 0, 8);
	fake_member(m->f, M_KIMAGE_CONTROL, I_CONTROL, 16);
	fake_array(m->f, M_KIMAGE_CMA, I_CMA, 8, 2);
	fake_member(m->f, M_PAGE_LRU, P_LRU, 16);
	fake_member(m->f, M_PAGE_PRIVATE, P_PRIVATE, 8);
	hm_point(m, KEXEC_VAR, IMAGE);
	hm_put(m, IMAGE, LIST1 | NEXT, 8);
	hm_put(m, LIST1, 0x1000000 | DESTINATION, 8);
	hm_put(m, LIST1 + 8, (FREE + 0x2000) | SOURCE, 8);
	hm_put(m, LIST1 + 16, (FREE + 0x3000) | SOURCE, 8);
	hm_put(m, LIST1 + 24, LIST2 | NEXT, 8);
	hm_put(m, LIST2, (FREE + 0x4000) | SOURCE, 8);
	hm_put(m, LIST2 + 8, DONE, 8);
	hm_put(m, IMAGE + I_CMA, 0, 8);
	hm_put(m, IMAGE + I_CMA + 8, 0, 8);
	hm_queue(m, IMAGE + I_CONTROL, hm_lru(CONTROL1), hm_lru(CONTROL2));
	hm_put(m, hm_lru(CONTROL1) - P_LRU + P_PRIVATE, 1, 8);
	hm_put(m, hm_lru(CONTROL2) - P_LRU + P_PRIVATE, 0, 8);
	/* what was reserved is of no other class */
	m->chunk[(FREE + 0x2000) >> 12] = CLASS_BOOT;
	m->c.count[CLASS_BOOT].pages = 1;
	return m;
}
