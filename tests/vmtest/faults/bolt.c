// SPDX-License-Identifier: GPL-2.0
/*
 * Another driver with faults, for some of which the kernel has the same message, and the same function,
 * as for those of acme.c. "WHAT HOW" written to its parameter "fault" makes one happen: HOW is "call",
 * "work" (a work item) or "thread" (a kernel thread).
 */
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

struct request {
	struct list_head list;
	void (*done)(void);
	unsigned int length;
};

static struct request *current_request;
static LIST_HEAD(queue);
static DEFINE_MUTEX(device_lock);
static DECLARE_COMPLETION(reply);
static unsigned int status, sum;

/* ---- the faults ------------------------------------------------------------------- */

static noinline unsigned int bolt_submit(void)
{
	return READ_ONCE(READ_ONCE(current_request)->length) + 1;
}

static noinline void bolt_start(void)
{
	sum += bolt_submit();
}

static noinline void bolt_dequeue(struct request *r)
{
	list_del(&r->list);
	sum++;
}

static noinline void bolt_flush(void)
{
	static struct request a, b;

	list_add(&a.list, &queue);
	list_add(&b.list, &queue);
	bolt_dequeue(&b);
	bolt_dequeue(&b);
	sum++;
}

/* A tree that refers to itself. */
static noinline unsigned int bolt_walk(unsigned int node, unsigned int depth)
{
	unsigned int seen[32];

	memset(seen, node, sizeof(seen));
	OPTIMIZER_HIDE_VAR(depth);
	if (!depth)
		return seen[depth & 31];
	return bolt_walk(node + 1, depth - 1) + seen[node & 31];
}

static noinline void bolt_load_tree(void)
{
	sum += bolt_walk(1, 1000000);
}

static noinline void bolt_give_up(unsigned int slot)
{
	panic("bolt: slot %u: the firmware does not answer\n", slot);
}

static noinline void bolt_reset(void)
{
	bolt_give_up(2 + (sum & 7));
	sum++;
}

/* Waits with open eyes for what does not come. */
static noinline void bolt_poll_status(void)
{
	preempt_disable();
	while (!READ_ONCE(status))
		cpu_relax();
	preempt_enable();
}

static noinline void bolt_probe(void)
{
	bolt_poll_status();
	sum++;
}

static noinline void bolt_open(void)
{
	mutex_lock(&device_lock);
	sum++;
	mutex_unlock(&device_lock);
}

/* Does not give it back. */
static noinline void bolt_busy(void)
{
	mutex_lock(&device_lock);
	for (;;)
		schedule_timeout_interruptible(1000 * HZ);
}

static noinline void bolt_wait_reply(void)
{
	wait_for_completion(&reply);
	sum++;
}

static noinline void bolt_ioctl(void)
{
	bolt_wait_reply();
	sum++;
}

/* A callback in memory that has no code. */
static noinline void bolt_complete(struct request *r)
{
	READ_ONCE(r->done)();
	sum++;
}

static noinline void bolt_finish(void)
{
	struct request r = { .done = (void (*)(void))vzalloc(4096) };

	bolt_complete(&r);
	sum++;
}

static noinline void bolt_check_queue(void)
{
	WARN(!READ_ONCE(status), "bolt: queue %u has no owner\n", sum);
	sum++;
}

/* With interrupts off: nobody notices. */
static noinline void bolt_irq_loop(void)
{
	local_irq_disable();
	while (!READ_ONCE(status))
		cpu_relax();
	local_irq_enable();
}

static noinline void bolt_stop(void)
{
	bolt_irq_loop();
	sum++;
}

/* ---- how they come about ------------------------------------------------------------ */

static const struct {
	const char *name;
	void (*go)(void);
} faults[] = {
	{ "null", bolt_start },	  { "list", bolt_flush },    { "stack", bolt_load_tree },
	{ "panic", bolt_reset },  { "poll", bolt_probe },    { "open", bolt_open },
	{ "busy", bolt_busy },	  { "reply", bolt_ioctl },   { "jump", bolt_finish },
	{ "warn", bolt_check_queue }, { "stop", bolt_stop },
};

static void (*next)(void);

static void bolt_work(struct work_struct *work)
{
	next();
	sum++;
}

static DECLARE_WORK(work, bolt_work);

static int bolt_thread(void *unused)
{
	next();
	sum++;
	return 0;
}

static int bolt_set(const char *value, const struct kernel_param *kp)
{
	char what[16], how[16];
	unsigned int i;

	if (sscanf(value, "%15s %15s", what, how) != 2)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(faults) && strcmp(faults[i].name, what); i++)
		;
	if (i == ARRAY_SIZE(faults))
		return -EINVAL;
	next = faults[i].go;
	if (!strcmp(how, "work"))
		schedule_work(&work);
	else if (!strcmp(how, "thread"))
		kthread_run(bolt_thread, NULL, "bolt/%u", sum & 3);
	else
		next();
	sum++;
	return 0;
}

static const struct kernel_param_ops ops = { .set = bolt_set };
module_param_cb(fault, &ops, NULL, 0200);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("another driver with faults: for tests");
