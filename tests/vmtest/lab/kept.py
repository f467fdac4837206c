# SPDX-License-Identifier: GPL-3.0-or-later
"""Dumps of earlier boots, by all that made them.

Most guests do not know the program under test: with the same sources, kernel, tools and options
another boot would tell nothing new.  A dump is kept once vmcensus has agreed with its kernel, so
that one which differs later has met another vmcensus.
"""
import dataclasses
import glob
import hashlib
import os
import shutil

from .cross import compiler_of
from .machine import HERE, busybox_of
from .packages import run

# Their sources decide what a guest does; the comparison's do not.
SOURCES = ('zoo/*', 'guest/*', 'lab/machine.py', 'lab/targets.py', 'lab/cross.py')
NOT_OF_THE_GUEST = {'kernel', 'out', 'timeout', 'live', 'disk', 'more', 'elsewhere'}     # of a Plan


def made_of(machine):
    """Lines that are the same for two boots alone if these can differ by chance only."""
    plan = dataclasses.asdict(machine.plan)
    (compiler, *_), _ = compiler_of(machine.target, machine.cache)
    root = os.stat(machine.root)
    yield repr(sorted((k, v) for k, v in plan.items() if k not in NOT_OF_THE_GUEST))
    yield f'{machine.kernel.release} root {root.st_size} {root.st_mtime_ns}'
    for program in (machine.target.qemu[0], compiler):
        yield run(program, '--version')
    files = [machine.kernel.image, busybox_of(machine.target, machine.root)]
    files += sorted(glob.glob(plan['more'] + '/*')) if plan['more'] else []
    files += sorted(path for pattern in SOURCES for path in glob.glob(f'{HERE}/{pattern}'))
    for path in files:
        with open(path, 'rb') as f:
            yield f'{os.path.basename(path)} {hashlib.sha256(f.read()).hexdigest()}'


class KeptDump:
    """What one run would leave: take() it, or offer() a new one, then settle() whether it is kept."""

    def __init__(self, cache, name, machine):
        text = '\n'.join(made_of(machine))
        self.others = f'{cache}/dumps/{name}.*'
        self.file = f'{cache}/dumps/{name}.{hashlib.sha256(text.encode()).hexdigest()[:24]}'
        self.new = self.file + '.new'
        self.taken = False

    def take(self, out):
        """Is there one?  Then OUT has it now."""
        if not os.path.exists(self.file):
            return False
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        run('bash', '-o', 'pipefail', '-c', f'zstd -dqc "{self.file}" | tar x -C "{out}"')
        self.taken = True
        return True

    def offer(self, out):
        os.makedirs(os.path.dirname(self.file), exist_ok=True)
        run('bash', '-o', 'pipefail', '-c', f'tar c --exclude qemu.err -C "{out}" . | zstd -1 -q -f -o "{self.new}"',
            timeout=600)

    def settle(self, agreed):
        """The new one replaces all of that run if vmcensus AGREED with it."""
        if not os.path.exists(self.new):
            return
        if not agreed:
            os.unlink(self.new)
            return
        os.rename(self.new, self.file)
        for path in glob.glob(self.others):
            if path != self.file:
                os.unlink(path)
