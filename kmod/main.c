// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The devices /dev/vmcensus (binary) and /dev/vmcensus-text.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "census.h"

void census_put(struct census *c, const void *data, size_t n)
{
	if (WARN_ON_ONCE(n > OUT_BYTES - c->len))
		return;
	memcpy(c->out + c->len, data, n);
	c->len += n;
}

void census_printf(struct census *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	c->len += vscnprintf(c->out + c->len, OUT_BYTES - c->len, fmt, args);
	va_end(args);
}

static void census_free(struct census *c)
{
	census_drop(c);
	kvfree(c->out);
	kvfree(c->runs);
	kfree(c->path);
	kfree(c);
}

static int open_form(struct inode *inode, struct file *file, const struct census_form *form)
{
	struct census *c;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	mutex_init(&c->lock);
	c->form = form;
	c->out = kvmalloc(OUT_BYTES, GFP_KERNEL);
	c->runs = kvmalloc_array(RUNS_MAX, sizeof(*c->runs), GFP_KERNEL);
	c->path = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!c->out || !c->runs || !c->path) {
		census_free(c);
		return -ENOMEM;
	}
	file->private_data = c;
	return stream_open(inode, file);
}

static int open_text(struct inode *inode, struct file *file)
{
	return open_form(inode, file, &census_text);
}

static int open_binary(struct inode *inode, struct file *file)
{
	return open_form(inode, file, &census_binary);
}

static int release(struct inode *inode, struct file *file)
{
	census_free(file->private_data);
	return 0;
}

/* Make pieces until there is something to give. */
static int fill(struct census *c)
{
	int err = 0;

	while (!err && c->pos == c->len && c->stage != STAGE_DONE) {
		c->pos = 0;
		c->len = 0;
		err = fatal_signal_pending(current) ? -EINTR : census_step(c);
		cond_resched();
	}
	return err;
}

static ssize_t read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct census *c = file->private_data;
	ssize_t done = 0;
	int err;

	if (mutex_lock_interruptible(&c->lock))
		return -ERESTARTSYS;
	while (count) {
		size_t n;

		err = fill(c);
		if (!err && done && signal_pending(current))
			break;
		if (err) {
			done = done ? done : err;
			break;
		}
		n = min(count, c->len - c->pos);
		if (!n)
			break;
		if (copy_to_user(buf + done, c->out + c->pos, n)) {
			done = done ? done : -EFAULT;
			break;
		}
		c->pos += n;
		done += n;
		count -= n;
	}
	mutex_unlock(&c->lock);
	return done;
}

static const struct file_operations text_fops = {
	.owner = THIS_MODULE, .open = open_text, .read = read, .release = release,
};

static const struct file_operations binary_fops = {
	.owner = THIS_MODULE, .open = open_binary, .read = read, .release = release,
};

static struct miscdevice devices[] = {
	{ .minor = MISC_DYNAMIC_MINOR, .name = "vmcensus", .fops = &binary_fops, .mode = 0400 },
	{ .minor = MISC_DYNAMIC_MINOR, .name = "vmcensus-text", .fops = &text_fops,
	  .mode = 0400 },
};

static int __init vmcensus_init(void)
{
	int err = misc_register(&devices[0]);

	if (err)
		return err;
	err = misc_register(&devices[1]);
	if (err)
		misc_deregister(&devices[0]);
	return err;
}

static void __exit vmcensus_exit(void)
{
	misc_deregister(&devices[1]);
	misc_deregister(&devices[0]);
}

module_init(vmcensus_init);
module_exit(vmcensus_exit);
MODULE_LICENSE("GPL");
MODULE_AUTHOR("the vmcensus authors");
MODULE_DESCRIPTION("A census of the pages of all processes");
MODULE_VERSION("0.1.0");
