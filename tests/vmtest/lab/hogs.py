# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests in which known processes hold known amounts of every class of memory.

A hog (hogs/) takes memory of one class and writes down what it took.  Those of one SET share a
guest; their amounts differ, so that a figure tells whose it is.
"""
import os
import re
import shutil
import time

from .kmod import BuildRoot
from .machine import HERE, Kernel, Machine, Monitor, unpack_module
from .packages import LabError, run
from .targets import target_of

# name -> MiB, or MiB:KEY=VALUE
SETS = {
    'queues': {'pipes': '40', 'unix': '30', 'tcp': '34', 'udp': '10', 'packet': '24', 'messages': '18', 'inflight': '12'},
    'rings': {'uring': '28', 'perf': '24', 'bpf': '36', 'ftrace': '50'},
    'files': {'deleted': '41', 'memfd': '31', 'shm': '53', 'ramfs': '22', 'tmpfs': '26', 'mlock': '44',
              'hugetlb': '32', 'pagetables': '24'},
    'kernel': {'dentries': '32', 'threads': '20', 'zram': '40', 'balloon': '100', 'silent': '48'},
}
MODULES = ('zsmalloc', 'lzo', 'lzo_rle', 'zram', 'virtio_balloon')
BALLOON = ('-device', 'virtio-balloon-pci,id=balloon')


def spec(hogs):
    """The hogs on the kernel's command line, with KiB."""
    words = []
    for name, amount in hogs.items():
        mib, *more = amount.split(':')
        words.append(':'.join([name, str(int(mib) << 10), *more]))
    return ','.join(words)


def folder(cache, kernels, name, into, after='', then=''):
    """Fill INTO with the program, its modules for kernel NAME, and what the guest does AFTER the hogs,
    and THEN, when the truth is recorded (panicby=then)."""
    kernel = Kernel(kernels.get(name))
    shutil.rmtree(into, ignore_errors=True)
    os.makedirs(into)
    sources = [f'{HERE}/hogs/{f}' for f in sorted(os.listdir(HERE + '/hogs')) if f.endswith('.c')]
    run('gcc', '-O1', '-std=gnu11', '-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-Wall', '-pthread', *target_of(name).flags,
        '-o', into + '/hogs', *sources)
    order = [unpack_module(path, into) for path in kernel.needed_modules(MODULES)]
    BuildRoot(cache, kernels).module(name, kernel.release, HERE + '/hogs/silent', into, file='silent.ko')
    with open(into + '/order', 'w') as f:
        f.write('\n'.join(order) + '\n')
    for script, text in ('after', after), ('then', then):
        with open(f'{into}/{script}', 'w') as f:
            f.write(text)
    return into


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


def freed(console):
    """{pid: KiB that came free when it ended}: in zones and on the lists of processors; available."""
    number = r'MemFree (\d+) pcp (\d+) MemAvailable (\d+)'
    return {int(m[1]): (int(m[5]) + int(m[6]) - int(m[2]) - int(m[3]), int(m[7]) - int(m[4]))
            for m in re.finditer(rf'LAB-FREED (\d+) before {number} after {number}', console)}
