# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests in which known processes hold known amounts of every class of memory, and guests that run out.

A hog (hogs/) takes memory of one class and writes down what it took.  Those of one SET share a
guest; their amounts differ, so that a figure tells whose it is.  lab/ooms.py has the causes.
"""
import os
import re
import shutil
import time

from exact.allocations import compare_allocations
from exact.census import compare_census
from exact.cause import compare_cause
from exact.thrash import compare_answer
from exact.planted import compare_planted
from exact.hogs import compare_freed, compare_hogs, records
from . import ownkernel
from .cross import compiler_of
from .kmod import BuildRoot
from .machine import HERE, Kernel, Machine, Monitor, Plan, unpack_module
from .ooms import OOMS, PANIC, PANICS
from .packages import LabError, run
from .targets import target_of
from .thrashes import THRASHES

# name -> MiB, or MiB:KEY=VALUE
SETS = {
    'queues': {'pipes': '40', 'unix': '30', 'tcp': '34', 'udp': '10', 'packet': '24', 'messages': '18', 'inflight': '12'},
    'rings': {'uring': '28', 'perf': '24', 'bpf': '36', 'ftrace': '50'},
    'files': {'deleted': '41', 'memfd': '31', 'shm': '53', 'ramfs': '22', 'tmpfs': '26', 'mlock': '44',
              'hugetlb': '32', 'pagetables': '24', 'secret': '7', 'merged': '3', 'broken': '1'},
    'ipc': {'mqueue': '9', 'semaphores': '7', 'datagrams': '12', 'netlink': '11', 'epoll': '5', 'inotify': '3'},
    'given': {'spliced': '20', 'fixed': '26', 'xdp': '13', 'trie': '6', 'pagepool': '15', 'dmabuf': '33', 'zswap': '16'},
    'kernel': {'dentries': '32', 'threads': '20', 'zram': '40', 'balloon': '100', 'silent': '48'},
    'servers': {'nfsd': '66', 'stripes': '56', 'kexec': '38'},
    'hidden': {'ramdisk': '61', 'afalg': '43', 'netem': '52', 'tun': '37', 'arena': '29'},
}
# Nobody can go on after this; see hogs/silent.
PLANT = 'sleep 9999 & insmod /lab/more/silent.ko how=plant hide=$!\n'
MODULES = ('zsmalloc', 'lzo', 'lzo_rle', 'zram', 'virtio_balloon')
# What some hogs need beyond, loaded only where they are.
THEIR_MODULES = {'nfsd': ('nfsd',), 'stripes': ('brd', 'raid456'), 'ramdisk': ('brd',),
                 'afalg': ('ecb', 'aes_generic', 'algif_skcipher'), 'netem': ('sch_netem',), 'tun': ('tun',)}
BALLOON = ('-device', 'virtio-balloon-pci,id=balloon')


def spec(hogs):
    """The hogs on the kernel's command line, with KiB."""
    words = []
    for name, amount in hogs.items():
        mib, *more = amount.split(':')
        words.append(':'.join([name, str(int(mib) << 10), *more]))
    return ','.join(words)


def kernel_folder(cache, kernels, name):
    return ownkernel.folder(cache, name, kernels) if ownkernel.kind_of(name) else kernels.get(name)


def module(cache, kernels, name, release, into, which):
    build = [ownkernel.module, cache, name] if ownkernel.kind_of(name) else \
        [BuildRoot(cache, kernels).module, name, release]
    build[0](*build[1:], f'{HERE}/hogs/{which}', into, file=which + '.ko')


def folder(cache, kernels, name, into, after='', then='', hogs=()):
    """Fill INTO with the program, its modules for kernel NAME and these HOGS, and what the guest does AFTER the
    hogs, and THEN, when the truth is recorded (panicby=then)."""
    kernel = Kernel(kernel_folder(cache, kernels, name))
    shutil.rmtree(into, ignore_errors=True)
    os.makedirs(into)
    sources = [f'{HERE}/hogs/{f}' for f in sorted(os.listdir(HERE + '/hogs')) if f.endswith('.c')]
    compiler, env = compiler_of(target_of(name), cache)
    run(*compiler, '-pthread', '-o', into + '/hogs', *sources, env=env)
    modules = MODULES + tuple(more for hog in hogs for more in THEIR_MODULES.get(hog, ()))
    order = [unpack_module(path, into) for path in kernel.needed_modules(modules)]
    module(cache, kernels, name, kernel.release, into, 'silent')
    if 'pagepool' in hogs:
        module(cache, kernels, name, kernel.release, into, 'pool')
    with open(into + '/order', 'w') as f:
        f.write('\n'.join(order) + '\n')
    for script, text in ('after', after), ('then', then):
        with open(f'{into}/{script}', 'w') as f:
            f.write(text)
    return into


def labs():
    """The labs of vmtest/run that are made of hogs: how to boot each."""
    found = {f'hogs-{name}': dict(hogs=hogs, append='panicby=later') for name, hogs in SETS.items()}
    for name, oom in OOMS.items():
        how = dict(hogs=oom.hogs, memory=oom.memory, devices=oom.devices, timeout=oom.timeout)
        found[f'oom-{name}'] = how | dict([('then' if oom.crash else 'after', oom.script)],
                                          append=f'log_buf_len=2M {"panicby=then " if oom.crash else ""}{oom.append}')
        if name in PANICS:
            found[f'oom-{name}-panic'] = how | dict(then=PANIC + oom.script,
                                                   append=f'log_buf_len=2M panicby=then {oom.append}')
    for name, thrash in THRASHES.items():
        found[f'thrash-{name}'] = dict(hogs={}, memory=thrash.memory, then=thrash.script, append='panicby=then')
    found['planted'] = dict(hogs={}, then=PLANT, append='panicby=then')
    return {name: dict(labs='hogs') | how for name, how in found.items()}


def own(text):
    """The lab of --hogs: NAME:MIB[:KEY=VALUE],..."""
    return dict(labs='hogs', hogs=dict(word.split(':', 1) for word in text.split(',')), append='panicby=later')


def machine(cache, kernels, name, out, options):
    """The guest of one of labs()."""
    options = dict(options)
    more = folder(cache, kernels, name, out + '.more', options.pop('after', ''), options.pop('then', ''),
                  options['hogs'])
    options['append'] = f'hogs={spec(options.pop("hogs"))} {options.get("append", "")}'
    options['devices'] = BALLOON + tuple(options.get('devices', ()))
    return HogMachine(Plan(kernel_folder(cache, kernels, name), out, more=more, **options), cache)


class HogMachine(Machine):
    """A guest with hogs; after the dump, if the plan says so, they end one by one."""

    balloon = False

    def _arrived(self):
        asked = re.search(r'LAB-BALLOON (\d+)', self.console())
        if asked and not self.balloon:
            self.balloon = True
            monitor = Monitor(self._path('qmp'))
            monitor.ask('balloon', value=(self.plan.memory << 20) - int(asked[1]))
            monitor.close()
        if 'panicby=then' in self.plan.append:
            return 'end Kernel panic' in self.console()
        return super()._arrived()

    def _died(self):
        return 'panicby=then' not in self.plan.append and super()._died()

    def _after_dump(self, monitor):
        if 'panicby=later' not in self.plan.append:
            return
        if 'LAB-FREED' in self.console():
            raise LabError('the hogs ended before the dump')
        monitor.ask('cont')
        end = time.time() + 300
        while 'LAB-FREED-ALL' not in self.console():
            if time.time() > end:
                raise LabError('the hogs do not end')
            time.sleep(0.5)


def compare(tally, name, vmcensus, truth, one):
    """The dump of machine ONE against what the hogs wrote down, or against the cause of its OOM."""
    cause = name.split(' oom-', 1)[1].removesuffix('-panic') if ' oom-' in name else ''
    if cause:
        compare_cause(tally, name, vmcensus, OOMS[cause], records(truth.folder),
                      'panicby=then' in one.plan.append and not OOMS[cause].crash)
        return
    if name.endswith(' planted'):
        compare_planted(tally, name, vmcensus, one.console())
        return
    if ' thrash-' in name:
        compare_answer(tally, name, vmcensus, THRASHES[name.split(' thrash-', 1)[1]])
        return
    compare_census(tally, name, vmcensus, truth)
    compare_hogs(tally, name, vmcensus, truth)
    compare_allocations(tally, name, vmcensus, truth, one.out + '/export')
    ends = {pid: kib for pid, (kib, _) in freed(one.console()).items()}
    tally.check(f'{name} ends', [] if ends else ['no hog ended'], f'{len(ends)} hogs')
    compare_freed(tally, name, vmcensus, ends, records(truth.folder))


def freed(console):
    """{pid: KiB that came free when it ended}: in zones and on the lists of processors; available."""
    number = r'MemFree (\d+) pcp (\d+) MemAvailable (\d+)'
    return {int(m[1]): (int(m[5]) + int(m[6]) - int(m[2]) - int(m[3]), int(m[7]) - int(m[4]))
            for m in re.finditer(rf'LAB-FREED (\d+) before {number} after {number}', console)}
