# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests that crash or hang for a known cause.

A guest is an initramfs and two drivers with faults (faults/).  What does not matter for the cause differs
from kernel to kernel: how the fault is come to, memory, processors, the process, load, time.  The truth is
what the kernel printed on its console.
"""
import glob
import hashlib
import os
import random
import re
import shutil
import time
from dataclasses import dataclass, replace

from .kmod import BuildRoot
from .machine import HERE, Kernel, Machine, Monitor, Plan, unpack_module
from .packages import run

COMMS = ('rsync', 'postgres', 'kubelet', 'backup', 'nginx')
SOFT = 'set_to /proc/sys/kernel/softlockup_panic 1; set_to /proc/sys/kernel/watchdog_thresh 2\n'
HUNG = 'set_to /proc/sys/kernel/hung_task_panic 1; set_to /proc/sys/kernel/hung_task_timeout_secs 4\n'
STALL = ('set_to /proc/sys/kernel/watchdog 0; set_to /proc/sys/kernel/panic_on_rcu_stall 1\n'
         'set_to /sys/module/rcupdate/parameters/rcu_cpu_stall_timeout 4; load 3\n')
WARN = 'set_to /proc/sys/kernel/panic_on_warn 1\n'
EXT4 = ('virtio_pci', 'virtio_blk', 'crc32c_generic', 'libcrc32c', 'ext4')


@dataclass
class Fault:
    text: str               # one sentence: what happened
    script: tuple           # of the guest's init, {comm} in it; one per kernel, in turn: ways to the fault
    panic: str = ''         # regular expression of the panic's message; "": there is none
    function: str = ''      # the function that is at fault, on the trace of the console; "": there is none
    module: str = ''        # its module
    hung: bool = False      # the trace is that of a task that waits, which the panic is about
    modules: tuple = ()     # of the kernel
    processors: tuple = (1, 2, 2, 3)        # one of these
    disk: bool = False      # with a file system that is damaged
    host: tuple = ()        # it does not panic; in turn: "nmi": the host asks for it by NMI, "": only for the dump
    append: str = ''


def driver(name, fault, ways, before=''):
    return tuple(f'{before}{name} {{comm}} {fault} {how}\n' for how in ways)


def acme(text, fault, function, panic, ways=('call', 'work', 'timer', 'call'), before='', **kw):
    return Fault(text, driver('acme', fault, ways, before), panic, 'acme_' + function, 'acme', **kw)


def bolt(text, fault, function, panic, ways=('call', 'work', 'thread', 'work'), before='', **kw):
    return Fault(text, driver('bolt', fault, ways, before), panic, 'bolt_' + function, 'bolt', **kw)


NULL = 'Fatal exception.*(BUG: kernel NULL pointer dereference|BUG: unable to handle)'
FAULTS = {
    'null': acme('acme_lookup() follows a pointer that is NULL', 'null', 'lookup', NULL),
    'null-bolt': bolt('bolt_submit() follows a pointer that is NULL', 'null', 'submit', NULL, ('work', 'call', 'work', 'thread')),
    'freed': acme('acme_peer_size() follows a pointer of a freed object', 'freed', 'peer_size',
                  'Fatal exception.*general protection fault', ('timer', 'call', 'work', 'call')),
    'bug': acme('BUG_ON() in acme_rx_complete()', 'bug', 'rx_complete', 'Fatal exception.*kernel BUG at', ('timer', 'timer', 'work', 'call')),
    'list': acme('acme_remove_port() takes an entry out of a list that is out of it', 'list', 'remove_port',
                 'Fatal exception.*(kernel BUG at lib/list_debug|list_del corruption)', ('call', 'work', 'work', 'timer')),
    'list-bolt': bolt('bolt_dequeue() takes an entry out of a list that is out of it', 'list', 'dequeue',
                      'Fatal exception.*(kernel BUG at lib/list_debug|list_del corruption)', ('work', 'thread', 'call', 'work')),
    'zero': acme('acme_set_rate() divides by zero', 'zero', 'set_rate', 'Fatal exception.*divide error', ('call', 'call', 'timer', 'work')),
    'stack': bolt('bolt_walk() calls itself until the stack is full', 'stack', 'walk', 'Fatal exception', ('call', 'thread', 'work', 'call')),
    'jump': bolt('bolt_complete() calls what is no code', 'jump', 'complete', 'Fatal exception', ('thread', 'work', 'call', 'call')),
    'firmware': bolt('bolt_give_up() panics', 'panic', 'give_up', 'bolt: slot [2-9]: the firmware does not answer', ('work', 'call', 'thread', 'call')),
    'warn': acme('WARN_ON() in acme_check_ring()', 'warn', 'check_ring', 'kernel: panic_on_warn set', ('work', 'call', 'timer', 'call'), WARN),
    'warn-bolt': bolt('WARN() in bolt_check_queue()', 'warn', 'check_queue', 'kernel: panic_on_warn set', ('call', 'work', 'call', 'thread'), WARN),
    'lock': acme('acme_stats_update() waits for a spinlock that its caller holds', 'lock', 'stats_update',
                 'softlockup: hung tasks', ('call', 'work', 'call', 'work'), SOFT),
    'poll': bolt('bolt_poll_status() waits without end and does not sleep', 'poll', 'poll_status', 'softlockup: hung tasks',
                 ('work', 'call', 'thread', 'call'), SOFT),
    'scan': acme('acme_scan_ring() reads without end what RCU protects', 'scan', 'scan_ring', 'RCU Stall', ('call', 'work', 'call', 'call'), STALL,
                 processors=(2, 2, 3)),
    'mutex': Fault('tasks wait in bolt_open() for a mutex that another keeps',
                   tuple(f'{HUNG}bolt {{comm}} busy thread; sleep 1\n' + more for more in (
                       'bolt {comm} open call\n', 'bolt {comm} open thread; sleep 1; bolt other open thread\n',
                       'bolt {comm} open work\n', 'bolt {comm} open call; sleep 1; bolt other open call\n')),
                   'hung_task: blocked tasks', 'bolt_open', 'bolt', hung=True),
    'reply': bolt('a task waits in bolt_wait_reply() for an answer', 'reply', 'wait_reply', 'hung_task: blocked tasks',
                  ('call', 'thread', 'work', 'call'), HUNG, hung=True),
    'ext4': Fault('a directory of an ext4 is destroyed, and it panics on errors',
                  tuple('mkdir /mnt; mount -t ext4 -o errors=panic /dev/vda /mnt\n' + more for more in (
                      'ls /mnt/dir\n', 'cat /mnt/dir/file\n', 'ls -lR /mnt\n', 'rm -r /mnt/dir\n')),
                  'EXT4-fs \\(device vda\\): panic forced after error', modules=EXT4, disk=True),
    'init': Fault('init ends', ('exit 1\n', 'exit 127\n', 'kill -SEGV $$; exit 3\n', 'exec /bin/false\n'), 'Attempted to kill init!'),
    'sysrq': Fault('somebody wrote to /proc/sysrq-trigger', ('by {comm} /proc/sysrq-trigger c\n',), 'sysrq triggered crash'),
    'stop': Fault('bolt_irq_loop() waits without end with interrupts off; the dump is asked for by the host',
                  driver('bolt', 'stop', ('call', 'work', 'thread', 'call')), '(NMI: Not continuing)?', 'bolt_irq_loop', 'bolt',
                  host=('nmi', '', 'nmi', ''), append='unknown_nmi_panic'),
}
MUST = ('fault-null', 'fault-mutex')      # a change must pass these
STANDS = 5      # s, until a guest that does not panic has come to its fault
KERNELS = ('5.10', '6.1', '6.12')     # others come next


def way(fault, name, kernel):
    """Options of a Plan, the guest's script, and what the host does (None: nothing)."""
    r = random.Random(f'{name}/{kernel}')
    turn = KERNELS.index(kernel) if kernel in KERNELS else len(KERNELS)
    script = fault.script[turn % len(fault.script)].format(comm=r.choice(COMMS))
    busy = r.choice((0, 0, 2, 5))
    options = dict(memory=r.choice((288, 320, 384, 512)), processors=r.choice(fault.processors), append='oops=panic ' + fault.append)
    return options, f'load {busy}; sleep {r.randrange(1, 6)}\n{script}', fault.host[turn % len(fault.host)] if fault.host else None


def labs():
    """The labs of vmtest/run: how to boot each."""
    return {f'fault-{name}': dict(labs='faults', fault=name, timeout=100) for name in FAULTS}


def folder(cache, kernels, kernel, into, script, modules):
    """What becomes /more in the guest."""
    found = Kernel(kernels.get(kernel))
    shutil.rmtree(into, ignore_errors=True)
    os.makedirs(into)
    order = [unpack_module(path, into) for path in found.needed_modules(('qemu_fw_cfg', *modules))]
    order += drivers(cache, kernels, kernel, found.release, into)
    with open(into + '/order', 'w') as f:
        f.write('\n'.join(order) + '\n')
    with open(into + '/fault', 'w') as f:
        f.write(script)
    shutil.copy(f'{HERE}/faults/init', into)
    return into


def drivers(cache, kernels, kernel, release, into):
    """Built once for a kernel and these sources."""
    sources = sorted(glob.glob(HERE + '/faults/*.c'))
    text = b''.join(open(path, 'rb').read() for path in sources)
    built = os.path.join(os.path.abspath(cache), 'faults', f'{release}-{hashlib.sha256(text).hexdigest()[:16]}')
    files = [os.path.basename(path)[:-2] + '.ko' for path in sources]
    if not os.path.exists(built):
        os.makedirs(built + '.new', exist_ok=True)
        for name in files:
            BuildRoot(cache, kernels).module(kernel, release, HERE + '/faults', built + '.new', file=name)
        os.rename(built + '.new', built)
    for name in files:
        shutil.copy(f'{built}/{name}', into)
    return files


def machine(cache, kernels, kernel, out, options):
    """The guest of one of labs()."""
    options = dict(options)
    fault = FAULTS[options['fault']]
    how, script, host = way(fault, options.pop('fault'), kernel)
    options['append'] = f'{how.pop("append")} {options.get("append", "")}'
    more = folder(cache, kernels, kernel, out + '.more', script, fault.modules)
    return FaultMachine(fault, host, Plan(kernels.get(kernel), out, more=more, **how | options), cache)


class FaultMachine(Machine):
    """A guest of an initramfs, which is dumped as it stands after its panic, or without one."""

    def __init__(self, fault, host, plan, cache):
        super().__init__(plan, cache)
        self.fault, self.host = fault, host
        self.target = replace(self.target, append='')       # its persistent memory lies above this guest's
        self.since = 0

    def _disks(self):
        tree = self._path('initrd.gz') + '.tree'
        for sub in ('bin', 'proc', 'sys', 'dev'):
            os.makedirs(f'{tree}/{sub}')
        shutil.copy(shutil.which('busybox'), tree + '/bin/busybox')
        shutil.copytree(self.plan.more, tree + '/more')
        os.rename(tree + '/more/init', tree + '/init')
        run('sh', '-c', f'cd "{tree}" && find . | cpio -o -H newc --quiet | gzip -1 > "{tree[:-5]}"')
        shutil.rmtree(tree)
        return [f'file={self._damaged()},format=raw'] if self.fault.disk else []

    def _damaged(self):
        """A file system with a directory whose block is destroyed."""
        tree, image = self._path('fs'), self._path('disk.raw')
        os.makedirs(tree + '/dir')
        for name in ('file', 'other'):
            with open(f'{tree}/dir/{name}', 'w') as f:
                f.write(name)
        run('mkfs.ext4', '-q', '-F', '-d', tree, image, '16M')
        run('debugfs', '-w', '-R', 'zap_block -f /dir 0', image)
        shutil.rmtree(tree)
        return image

    def _arrived(self):
        text = self.console()
        if 'end Kernel panic' in text:
            return True
        # in an interrupt the kernel does not always print its last line
        panicked = 'Kernel panic - not syncing' in text
        if not panicked and (self.host is None or 'LAB-FAULT' not in text):
            return False
        self.since = self.since or time.time()
        if time.time() < self.since + STANDS:
            return False
        if self.host == 'nmi' and not panicked:
            self.host, self.since = None, 0
            monitor = Monitor(self._path('qmp'))
            monitor.ask('inject-nmi')
            monitor.close()
            return False
        return True

    def _died(self):
        return False

    def take_dump(self):
        monitor = Monitor(self._path('qmp'))
        monitor.ask('stop')
        monitor.ask('dump-guest-memory', paging=False, protocol=f'file:{self._path("vmcore")}')
        monitor.ask('quit')
        self.stop()
        os.makedirs(self._path('truth'), exist_ok=True)
        shutil.copy(self.log, self._path('truth/dmesg'))
        for name in ('initrd.gz', 'disk.raw', 'qmp'):
            if os.path.exists(self._path(name)):
                os.unlink(self._path(name))
