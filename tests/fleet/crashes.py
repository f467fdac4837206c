# SPDX-License-Identifier: GPL-3.0-or-later
"""Crashes of planted causes: described machines whose log has what such a kernel prints.

Panics have the form of printk by release (model/kernel/stack/calltrace.c lists them); names of functions,
offsets, modules and the frames around differ from crash to crash as those of builds and machines do.
"""
import hashlib
import os
import random
import re
import shutil
import sqlite3
import struct
import subprocess

from lib.scratch import scratch_of

RELEASES = '2.6.32', '3.10', '3.16', '4.19'      # tests/machine/layouts
ENTRY = ['do_syscall_64', 'system_call_fastpath', 'entry_SYSCALL_64_after_hwframe', 'ret_from_fork', 'kthread']
STALE = ['schedule', '__schedule', 'mutex_lock', 'kmem_cache_free', 'up_read', 'default_wake_function',
         '__switch_to', 'finish_wait', 'pick_next_task_fair']

NULL = 'BUG: unable to handle kernel NULL pointer dereference at {addr}'
PAGING = 'BUG: unable to handle kernel paging request at {addr}'
GPF = 'general protection fault: 0000 [1] SMP'

# cause: messages that it may have, the panic itself, and its calls, innermost first
PANICS = {
    'ext4 write': ([NULL, PAGING], 'Fatal exception',
                   ['ext4_da_write_begin', 'generic_perform_write', 'ext4_buffered_write_iter',
                    'ext4_file_write_iter', 'vfs_write', 'ksys_write', 'sys_write']),
    # the same message, and the same way in
    'pipe write': ([NULL], 'Fatal exception',
                   ['pipe_write', 'anon_pipe_get_page', 'do_sync_write', 'vfs_write', 'ksys_write', 'sys_write']),
    'nf_conntrack': ([GPF], 'Fatal exception in interrupt',
                     ['nf_ct_delete', 'death_by_timeout', 'call_timer_fn', 'run_timer_softirq', '__do_softirq',
                      'irq_exit']),
    'driver irq': ([PAGING], 'Fatal exception in interrupt',
                   ['acme_rx_poll', 'acme_poll', 'net_rx_action', '__do_softirq', 'irq_exit', 'do_IRQ']),
    'list corruption': (['kernel BUG at lib/list_debug.c:{line}!'], 'Fatal exception',
                        ['__list_del_entry', 'list_del', 'acme_remove', 'device_release_driver', 'bus_remove_device',
                         'device_del']),
    'init killed': ([None], 'Attempted to kill init! exitcode=0x0000000{digit}',
                    ['do_exit', 'do_group_exit', 'get_signal_to_deliver', 'do_signal', 'do_notify_resume']),
}

# the hung task's own calls; the panic has those of khungtaskd
HUNG = {
    'hung nfs': ['io_schedule', 'nfs_wait_bit_killable', '__wait_on_bit', 'nfs_wait_on_request', 'nfs_updatepage',
                 'nfs_write_end', 'generic_perform_write'],
    'hung xfs': ['schedule_timeout', '__down', 'down', 'xfs_buf_lock', 'xfs_buf_find', 'xfs_buf_get_map',
                 'xfs_buf_read_map'],
}

# what is reported, whose panic says only that it is fatal, or who watched: its calls
REPORTS = {
    'ring warning': ('warn', ['acme_check_ring', 'acme_clean', 'acme_poll', 'net_rx_action', '__do_softirq']),
    'queue warning': ('warn', ['bolt_check_queue', 'bolt_submit', 'vfs_write', 'ksys_write']),
    'ring use after free': ('kasan', ['acme_get', 'acme_read', 'vfs_read', 'ksys_read']),
    'request use after free': ('kasan', ['bolt_done', 'blk_mq_complete_request', 'blk_done_softirq', '__do_softirq']),
    'hard spin': ('hard', ['acme_wait_idle', 'acme_reset', 'acme_ioctl', 'do_vfs_ioctl', 'sys_ioctl']),
    'hard poll': ('hard', ['bolt_poll', 'bolt_flush', 'bolt_sync', 'vfs_fsync_range', 'do_fsync']),
    'soft spin': ('soft', ['acme_drain', 'acme_close', '__fput', 'task_work_run']),
    'soft scan': ('soft', ['bolt_scan', 'bolt_work', 'process_one_work', 'worker_thread']),
    'deep recursion': ('stack', ['acme_walk', 'acme_walk', 'acme_walk', 'acme_walk', 'acme_walk', 'acme_open']),
}

# limit, the program that grew, its processes
OOMS = {
    'java grew': ('machine', 'java', 1),
    'mysqld grew': ('machine', 'mysqld', 1),
    'java in its group': ('group', 'java', 1),
    'many apache2': ('machine', 'apache2', 12),
}
CAUSES = [*PANICS, *HUNG, *REPORTS, *OOMS]
HANGS = {*HUNG, *(c for c, (form, _) in REPORTS.items() if form in ('soft', 'hard'))}


class Crash:
    def __init__(self, cause, seed):
        self.cause = cause
        self.rand = random.Random(f'{cause}/{seed}')
        self.release = self.rand.choice(RELEASES)
        self.old = self.release < '4'
        # every other hang does not end in a panic: somebody asks for the dump
        self.asked = cause in HANGS and REPORTS.get(cause, [''])[0] != 'hard' and seed % 2 == 1
        self.waits = None       # pid of a task in state D
        if cause in PANICS:
            self.log = self.panic(*PANICS[cause])
        elif cause in HUNG:
            self.log = self.hung(HUNG[cause])
        elif cause in REPORTS:
            self.log = self.report(*REPORTS[cause])
            while sum(32 + len(line) for line in self.log) > 3000:      # LOG_BUF of a described machine
                self.log.pop()
        else:
            self.log = self.oom(*OOMS[cause])

    # ---- call traces ----

    def frame(self, function, sure=True):
        r = self.rand
        name = function + (r.choice(['.isra.{}', '.part.{}', '.constprop.{}']).format(r.randrange(40))
                           if sure and r.random() < 0.2 else '')
        size = r.randrange(0x20, 0x900)
        text = ('' if sure else '? ') + f'{name}+{r.randrange(1, size):#x}/{size:#x}'
        return f'[<{self.address()}>] {text}' if self.old else text

    def address(self):
        return f'ffffffff81{self.rand.randrange(1 << 24):06x}'

    def trace(self, calls, front=()):
        """Some calls are inlined in this build; on the stack lie remains of others."""
        r = self.rand
        drop = r.randrange(2, len(calls)) if len(calls) > 2 and r.random() < 0.3 else None
        lines = ['Call Trace:'] + ([] if self.old else [r.choice(['<IRQ>', '<TASK>'])])
        for i, f in enumerate([*front, *calls, *r.sample(ENTRY, 2)]):
            while r.random() < 0.25:
                lines.append(self.frame(r.choice(STALE), False))
            if drop is None or i != drop + len(front):
                lines.append(self.frame(f))
        return lines

    def at(self, function):
        a = self.address()
        return f'RIP: 0010:[<{a}>] [<{a}>] {self.frame(function).split("] ")[-1]}' if self.old else \
            f'RIP: 0010:{self.frame(function)}'

    def noise(self):
        r = self.rand
        return [f'eth0: renamed from veth{r.randrange(10 ** 6)}' for _ in range(r.randrange(4))]

    def panic(self, messages, last, calls):
        r = self.rand
        say = r.choice(messages)
        last = last.format(digit=r.randrange(1, 10))
        who = f'CPU: {r.randrange(8)} PID: {r.randrange(9999)} Comm: {r.choice(["cp", "kworker/1:2", "sh"])}'
        if say is None:
            return [*self.noise(), f'Kernel panic - not syncing: {last}', who,
                    *self.trace(calls, ['dump_stack', 'panic'])]
        return [*self.noise(), say.format(addr=f'{r.randrange(1 << 62):016x}', line=r.randrange(20, 90)),
                who, self.at(calls[0]), 'Code: 48 89 45', *self.trace(calls[1:]),
                '---[ end trace 0123456789abcdef ]---', f'Kernel panic - not syncing: {last}',
                *self.trace(['panic', 'oops_end', 'no_context', 'do_page_fault'])]

    def sysrq(self):
        """Since 5.1 a panic; a NULL pointer before."""
        return ['SysRq : Trigger a crash', 'BUG: unable to handle kernel NULL pointer dereference at (null)',
                self.at('sysrq_handle_crash'), 'Call Trace:', self.frame('__handle_sysrq'), 'Kernel panic - not syncing: Fatal exception']

    def hung(self, calls):
        r = self.rand
        self.waits = r.randrange(2, 9999)
        name = r.choice(["tar", "rsync", "postgres"])
        # the first waits no longer
        before = [f'INFO: task kjournald:{self.waits + 1} blocked for more than 120 seconds.', 'Call Trace:', self.frame('down')]
        return [*self.noise(), *(before if self.asked else []),
                f'INFO: task {name}:{self.waits} blocked for more than 120 seconds.',
                *self.trace(calls, ['__schedule', 'schedule']),
                *(self.sysrq() if self.asked else
                  ['Kernel panic - not syncing: hung_task: blocked tasks', *self.trace(['watchdog', 'kthread'], ['dump_stack', 'panic'])])]

    def report(self, form, calls):
        r = self.rand
        who = f'CPU: {r.randrange(8)} PID: {r.randrange(9999)} Comm: {r.choice(["cp", "kworker/1:2", "sh"])}'
        at = re.sub(r'^\[<.*?>\] ', '', self.frame(calls[0]))
        where = f'{r.choice(["", "/build/a-1/"])}{calls[0]}.c:{r.randrange(99)} {at}'
        last = ['Kernel panic - not syncing: ' + {
            'warn': 'panic_on_warn set ...', 'kasan': 'KASAN: panic_on_warn set ...', 'stack': 'Fatal exception in interrupt',
            'soft': 'softlockup: hung tasks', 'hard': f'Watchdog detected hard LOCKUP on cpu {r.randrange(8)}'}[form], who]
        if form == 'warn':
            say = {'2.6.32': 'WARNING: at ', '3.10': 'WARNING: at '}.get(self.release, 'WARNING: CPU: 1 PID: 7 at ')
            front = ['warn_slowpath_common', 'warn_slowpath_null'] if self.old else ['__warn', 'report_bug', 'invalid_op']
            # the panic comes before the trace, or after it
            trace = [self.at(calls[0]), *self.trace(calls[1:])] if r.random() < 0.5 else []
            return [*self.noise(), say + where + '()', *trace, *last, *self.trace(calls, ['dump_stack', 'panic', *front])]
        if form == 'kasan':
            what = f'BUG: KASAN: use-after-free in {at}' + (f' at addr {self.address()}' if self.old else '')
            checks = ['print_address_description', 'kasan_report', r.choice(['__asan_load8', '__asan_report_load4_noabort'])]
            return [*self.noise(), what, 'Read of size 8', *self.trace(calls, ['dump_stack', *checks]), 'Allocated by task 9:',
                    self.frame('kasan_save_stack'), self.frame(r.choice(STALE)), *last, *self.trace(calls, ['end_report', *checks])]
        if form == 'stack':
            return [*self.noise(), f'BUG: stack guard page was hit at {self.address()} (stack is {self.address()}..{self.address()})',
                    'kernel stack overflow (double-fault): 0000 [1] SMP', self.at(calls[0]), *self.trace(calls[1:]),
                    '---[ end trace 0 ]---', *last]
        if form == 'soft':
            return [*self.noise(), f'BUG: soft lockup - CPU{r.randrange(8)} stuck for 2{r.randrange(10)}s! [{r.choice(["sh", "cp"])}:7]',
                    who, self.at(r.choice([calls[0], '_raw_spin_unlock_irqrestore'])), *self.trace(calls),
                    *(self.sysrq() if self.asked else [*last, *self.trace(
                        ['watchdog_timer_fn', 'hrtimer_interrupt', 'smp_apic_timer_interrupt', *calls])])]
        nmi = [self.frame(f) for f in ('dump_stack', 'panic', 'watchdog_overflow_callback', '__perf_event_overflow',
                                       'perf_event_nmi_handler', 'nmi_handle', 'do_nmi', 'end_repeat_nmi')]
        return [*self.noise(), *last, 'Call Trace:', f' <NMI>  {nmi[0]}', *nmi[1:-1],
                f'{nmi[-1]}', f' {"<<EOE>>" if self.old else "</NMI>"}', *self.trace(calls)[1:]]

    # ---- the OOM killer ----

    def oom(self, limit, program, count):
        r = self.rand
        each = r.randrange(1900, 2300) // count
        tasks = [(100 + i, each if i else each + 9, program) for i in range(count)]
        tasks += [(50, r.randrange(4, 30), 'sshd'), (51, r.randrange(4, 30), r.choice(['cron', 'atd']))]
        pid, rss, _ = tasks[0]
        mask = '0x6200ca(GFP_HIGHUSER_MOVABLE), nodemask=(null)' if not self.old else '0x280da'
        adj = 'oom_adj=0' if self.release == '2.6.32' else 'oom_score_adj=0'
        out = [*self.noise(), f'{program} invoked oom-killer: gfp_mask={mask}, order=0, {adj}',
               f'{program} cpuset=/ mems_allowed=0']
        if limit == 'group':
            out += ['Task in /shop/java killed as a result of limit of /shop',
                    f'memory: usage {rss * 4}kB, limit {rss * 4}kB, failcnt {r.randrange(999)}']
        else:
            out += ['Mem-Info:', f'active_anon:{each * count} inactive_anon:0 isolated_anon:0',
                    'active_file:20 inactive_file:10 isolated_file:0',
                    'unevictable:0 dirty:0 writeback:0 unstable:0',
                    *(['free:20 slab_reclaimable:30 slab_unreclaimable:90', 'mapped:5 shmem:0 pagetables:20 bounce:0']
                      if self.release == '2.6.32' else
                      ['slab_reclaimable:30 slab_unreclaimable:90', 'mapped:5 shmem:0 pagetables:20 bounce:0',
                       'free:20 free_cma:0'])]
        out += ['[ pid ] uid tgid total_vm rss ' + {
            '2.6.32': 'cpu oom_adj name', '4.19': 'pgtables_bytes swapents oom_score_adj name'}.get(
                self.release, 'nr_ptes swapents oom_score_adj name')]
        rest = {'2.6.32': '0 0', '4.19': '40960 0 0'}.get(self.release, '10 0 0')
        out += [f'[ {p}] 0 {p} {2 * n} {n} {rest} {name}' for p, n, name in tasks]
        what = 'Memory cgroup out of memory' if limit == 'group' else 'Out of memory'
        return out + ([f'{what}: kill process {pid} ({program}) score 9 or a child', f'Killed process {pid} ({program})']
                      if self.release == '2.6.32' else
                      [f'{what}: Kill process {pid} ({program}) score 900 or sacrifice child',
                       f'Killed process {pid} ({program}) total-vm:{8 * rss}kB, anon-rss:{4 * rss}kB, file-rss:0kB'])

    def text(self):
        """As tests/machine reads it: "#" begins a remark there."""
        return ('release RELEASE\nframes 4096\nbase 0x100000\nmemory total=3000 free=100 cache=50\n' +
                ''.join(f'log <4>{line}\n' for line in self.log).replace('#', '') +
                'mm one\nbrk 0x10020000 0x10023000\nstack 0x7ffffe00\narea 0x10020000 0x10023000 0x77\n'
                'area 0x7fffe000 0x80000000 0x177\npages 0x10020000 2 one.heap wdy\n'
                'page 0x7ffff000 one.stack wdy\ntask 0 0 swapper - R 0\ntask 1 1 init one S 0\n' +
                (f'task {self.waits} {self.waits} waits one D 1\n' if self.waits else ''))


def store_digests(path):
    """The digests of the tables as they are now: --help-schema says how."""
    with sqlite3.connect(path) as db:
        if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'digests'").fetchone():
            return
        db.execute('DELETE FROM digests')
        made = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name <> 'digests'").fetchall()
        for name, sql in made:
            h, n = hashlib.sha256(sql.encode() + b'\0'), 0
            for row in db.execute(f'SELECT * FROM "{name}" NOT INDEXED'):
                n += 1
                for cell in row:
                    kind = {int: 1, float: 2, str: 3, bytes: 4, type(None): 5}[type(cell)]
                    h.update(struct.pack('<Q', kind))
                    if kind == 1:
                        h.update(struct.pack('<q', cell))
                    elif kind == 2:
                        h.update(struct.pack('<d', cell))
                    elif kind in (3, 4):
                        raw = cell.encode() if kind == 3 else cell
                        h.update(struct.pack('<Q', len(raw)) + raw)
            h.update(struct.pack('<Q', n))
            db.execute('INSERT INTO digests VALUES (?, ?)', (name, h.digest()))


def capsule_of(program, build, crash, name, d):
    """(file, '') of CRASH as a capsule in D/caps, named by what would be its identity; or why there is none."""
    base, tool = os.path.join(d, 'm'), os.path.join(build, 'tools', 'mkdump')
    to = os.path.join(d, 'caps', hashlib.sha256(name.encode()).hexdigest() + '.vmc')
    kept = scratch_of(build, 'planted', os.path.basename(to))     # another test wants it too
    layout = os.path.join(build, 'layouts', f'linux-{crash.release}-x86_64.layout')
    os.makedirs(d + '/caps', exist_ok=True)
    if os.path.exists(kept) and os.path.getmtime(kept) > max(map(os.path.getmtime, (program, tool, layout, __file__))):
        shutil.copy(kept, to)
        return os.path.basename(to), ''
    with open(base + '.machine', 'w', encoding='utf-8') as f:
        f.write(crash.text().replace('RELEASE', crash.release + '.0-fleet'))
    made = subprocess.run([tool, 'x86_64', layout, base + '.machine', base, 'elf'],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    done = subprocess.run([program, 'capsule', *made.stdout.decode().split()[:1], '-t', layout, '-t', base + '.map',
                           '-o', to, '-q'], stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 2):
        return os.path.basename(to), made.stderr + done.stderr
    # described machines have no clock: those of one release are one crash
    with sqlite3.connect(to) as db:
        db.execute("DELETE FROM capsule WHERE key = 'id'")
    store_digests(to)
    os.makedirs(os.path.dirname(kept), exist_ok=True)
    part = f'{kept}.{os.getpid()}'
    shutil.copy(to, part)
    os.rename(part, kept)
    return os.path.basename(to), ''
