# SPDX-License-Identifier: GPL-3.0-or-later
"""A guest in which a module leaks known numbers of objects, beside others that it keeps (leaks/leaky.c).

It is an initramfs, as those of lab/faults.py. The truth is what the module printed.
"""
from . import faults
from .kmod import BuildRoot
from .machine import HERE, Plan

FAULT = faults.Fault('somebody wrote to /proc/sysrq-trigger', (), 'sysrq triggered crash')
# Time passes, and stacks are used again, between the leak and the dump.
SCRIPT = 'load 3; sleep 2\ninsmod /more/leaky.ko\nsleep 6\nby leaked /proc/sysrq-trigger c\n'


def labs():
    """The labs of vmtest/run: how to boot each."""
    return {'leaks': dict(labs='leaks', leaks='', timeout=300),
            'leaks-debug': dict(labs='leaks', leaks='slub_debug=U', timeout=300)}


def machine(cache, kernels, kernel, out, options):
    """The guest of one of labs()."""
    options = dict(options)
    options['append'] = f'oops=panic {options.pop("leaks")} {options.get("append", "")}'
    into = faults.folder(cache, kernels, kernel, out + '.more', SCRIPT, ())
    found = faults.Kernel(kernels.get(kernel))
    BuildRoot(cache, kernels).module(kernel, found.release, HERE + '/leaks', into, file='leaky.ko')
    return faults.FaultMachine(FAULT, None, Plan(kernels.get(kernel), out, more=into, **dict(memory=384) | options), cache)
