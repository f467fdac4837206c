// SPDX-License-Identifier: GPL-2.0
/*
 * A driver with faults. "WHAT HOW" written to its parameter "fault" makes one happen: HOW is "call",
 * "work" (a work item) or "timer" (a softirq).
 */
#include <linux/bug.h>
#include <linux/delay.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

struct session {
	struct list_head list;
	struct session *peer;
	unsigned int size, used;
};

static struct session *table[4];	/* empty */
static LIST_HEAD(ports);
static DEFINE_SPINLOCK(stats_lock);
static unsigned int speed, sum;

/* ---- the faults ------------------------------------------------------------------- */

/* Of a table without an entry. */
static noinline unsigned int acme_lookup(unsigned int i)
{
	struct session *s = READ_ONCE(table[i]);

	return READ_ONCE(s->size) + i;
}

static noinline void acme_refresh(void)
{
	sum += acme_lookup(1);
}

/* Of a session that was freed and overwritten. */
static noinline unsigned int acme_peer_size(struct session *s)
{
	return READ_ONCE(s->peer->size) + 1;
}

static noinline void acme_expire(void)
{
	struct session *s = kzalloc(sizeof(*s), GFP_ATOMIC);

	memset(s, 0x6b, sizeof(*s));
	sum += acme_peer_size(s);
}

static noinline void acme_rx_complete(struct session *s)
{
	BUG_ON(READ_ONCE(s->used) > READ_ONCE(s->size));
	sum++;
}

static noinline void acme_rx(void)
{
	static struct session s = { .size = 8, .used = 9 };

	acme_rx_complete(&s);
	sum++;
}

/* An entry is taken out of a list twice; beside it others are. */
static noinline void acme_remove_port(struct session *s)
{
	list_del(&s->list);
	sum++;
}

static noinline void acme_ports_down(void)
{
	static struct session a, b;

	list_add(&a.list, &ports);
	list_add(&b.list, &ports);
	acme_remove_port(&a);
	acme_remove_port(&a);
	sum++;
}

static noinline void acme_set_rate(void)
{
	sum += 100000 / READ_ONCE(speed);
}

/* Of a lock that is never given back. */
static noinline void acme_stats_update(void)
{
	spin_lock(&stats_lock);
	sum++;
	spin_unlock(&stats_lock);
}

static noinline void acme_stats(void)
{
	spin_lock(&stats_lock);
	acme_stats_update();
	spin_unlock(&stats_lock);
}

/* A reader that does not come to an end. */
static noinline void acme_scan_ring(void)
{
	rcu_read_lock();
	preempt_disable();
	while (!READ_ONCE(speed))
		cpu_relax();
	preempt_enable();
	rcu_read_unlock();
}

static noinline void acme_scan(void)
{
	acme_scan_ring();
	sum++;
}

static noinline void acme_check_ring(void)
{
	WARN_ON(!READ_ONCE(speed));
	sum++;
}

/* ---- how they come about ------------------------------------------------------------ */

static const struct {
	const char *name;
	void (*go)(void);
} faults[] = {
	{ "null", acme_refresh },      { "freed", acme_expire }, { "bug", acme_rx },
	{ "list", acme_ports_down },   { "zero", acme_set_rate }, { "lock", acme_stats },
	{ "scan", acme_scan },	       { "warn", acme_check_ring },
};

static void (*next)(void);

static void acme_work(struct work_struct *work)
{
	next();
	sum++;
}

static void acme_timer(struct timer_list *timer)
{
	next();
	sum++;
}

static DECLARE_WORK(work, acme_work);
static DEFINE_TIMER(timer, acme_timer);

static int acme_set(const char *value, const struct kernel_param *kp)
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
	else if (!strcmp(how, "timer"))
		mod_timer(&timer, jiffies + 1);
	else
		next();
	sum++;
	return 0;
}

static const struct kernel_param_ops ops = { .set = acme_set };
module_param_cb(fault, &ops, NULL, 0200);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a driver with faults: for tests");
