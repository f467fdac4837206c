/* SPDX-License-Identifier: GPL-3.0-or-later */
/* crash.c - the calls of a panic, from two places. */
#include "model/memory/crash.h"

#include <string.h>

#include "model/kernel/stack/hang.h"
#include "model/kernel/task/kstack.h"

static const struct task *panic_task(const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->ntasks; i++)
		if (s->tasks[i].pid == s->machine.panic_pid)
			return &s->tasks[i];
	return NULL;
}

static void add(struct crash *c, const struct call *call, bool of_stack, struct arena *mem)
{
	struct crash_call *to = &c->v[c->n++];

	to->call = *call;
	to->of_stack = of_stack;
	to->plain = call->function ? call_plain(call->function, mem) : NULL;
}

static void add_stack(const struct snapshot *s, struct arena *mem, struct crash *c)
{
	const struct task *t = s->machine.panic_pid >= 0 ? panic_task(s) : NULL;
	struct kstacks *ks = t ? kstacks_open(s) : NULL;
	struct kstack st;

	if (!ks)
		return;
	kstacks_read(ks, t, &st);
	for (unsigned i = 0; i < st.n; i++) {
		struct ksym k = kstacks_symbol(ks, &st.f[i]);
		const struct call call = {
			.function = k.name ? arena_strdup(mem, k.name) : NULL,
			.offset = k.offset,
			.size = k.size,
			.module = k.module ? arena_strdup(mem, k.module) : NULL,
			.reliable = !st.f[i].guessed,
			.at = st.f[i].exact,
		};

		add(c, &call, true, mem);
	}
	kstacks_close(ks);
}

void crash_of(const struct snapshot *s, struct arena *mem, struct crash *ret)
{
	const struct machine *m = &s->machine;
	struct calltrace t;
	uint32_t line;

	*ret = (struct crash){ .n = 0 };
	ret->reason = hang_of_asked(s, &line);
	if (ret->reason) {
		ret->hang = m->log[line].text;
		calltrace_at(m, line, mem, &t);
	} else {
		calltrace_of(m, mem, &t);
	}
	ret->v = arena_array(mem, struct crash_call, t.n + KSTACK_MAX);
	for (unsigned i = 0; i < t.n; i++)
		add(ret, &t.v[i], false, mem);
	calltrace_duphash(&t, ret->hash);
	if (m->panic && !ret->reason) {
		ret->reason = hang_reason(m->panic);
		if (!ret->reason)
			ret->reason = panic_plain(m->panic, mem);
	}
	if (s->built & NEED_TASKS)
		add_stack(s, mem, ret);
}
