# SPDX-License-Identifier: GPL-3.0-or-later
"""crash and its command census inside the guest: on the machine that runs, and on a dump."""
import os
import shutil
import sys

from lib.compare import compare_processes, compare_text, representatives
from lib.program import Vmcensus
from .live import Answers, copy_program
from .packages import run

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), 'crash'))

import roots  # noqa: E402

OUT = '/tmp/live/'
LIVE = ['smaps', '-f json procs', 'summary']
DUMP = ['procs', 'units', 'vmas', 'smaps']
FIXTURES = {'6.1.0-56-amd64': 'x86_64-6.1-sysrq'}     # a dump of the same kernel


def file_of(report):
    return 'procs.json' if 'json' in report else report


def commands(prefix, reports):
    return ''.join(['extend /lab/live/vmcensus.so\n',
                    *(f'census {r} > {OUT}{prefix}{file_of(r)}\n' for r in reports), 'quit\n'])


def folders(cache, release, out):
    """What the guest needs: crash with its libraries, on a disk vmlinux and a dump."""
    # 8.0.2 of bookworm ends on a live 6.1 by itself, in task_init(): it finds no task of its own.
    host = next(h for h in roots.HOSTS if h.name == 'trixie')
    root = roots.Root(cache, host)
    root.make()
    live, disk = out + '.live', out + '.disk'
    for folder in (live, disk):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    for path in (root.crash[0], '/usr/bin/strings', root.build + '/vmcensus.so'):
        copy_program(path, live, root.dir, root.command('ldd'))
    os.mkdir(disk + '/bin')
    with open(disk + '/bin/strings', 'w') as f:     # crash looks through vmlinux with it
        f.write('#!/bin/sh\nexec /lab/live/ld.so --library-path /lab/live /lab/live/strings "$@"\n')
    os.chmod(disk + '/bin/strings', 0o755)
    shutil.copy(roots.DebugPackages(cache).vmlinux(release), disk + '/vmlinux')
    start = '/lab/live/crash -s --no_scroll -i'
    lines = [f'crash-live {start} /lab/live/live.cmd /mnt/vmlinux']
    with open(live + '/live.cmd', 'w') as f:
        f.write(commands('crash-live.', LIVE))
    if release in FIXTURES:
        packed = f'{roots.TOP}/tests/fixtures/{FIXTURES[release]}/vmcore.raw.xz'
        run('sh', '-c', f'xz -dc "{packed}" > "{disk}/vmcore"')
        lines.append(f'crash-dump {start} /lab/live/dump.cmd /mnt/vmlinux /mnt/vmcore')
        with open(live + '/dump.cmd', 'w') as f:
            f.write(commands('crash-dump.', DUMP))
    with open(live + '/commands', 'w') as f:
        f.write('\n'.join(lines) + '\n')
    return {'live': live, 'disk': disk}


def compare(tally, name, program, truth, disk):
    session = Answers(truth)
    status, said = session.status('crash-live')
    tally.check(f'{name} live session', [] if status == 0 else [f'{status}: {said}'])
    answers = Answers(truth, 'crash-live.')
    frozen = truth.frozen()
    some = list(representatives(frozen))
    # Referenced: crash needs a GiB, and the kernel ages pages to find it.
    tally.check(f'{name} live smaps', compare_text(answers, some, 'smaps', (b'Referenced',)),
                f'{len(some)} processes')
    tally.check(f'{name} live procs', compare_processes(answers, frozen), f'{len(frozen)} processes')
    if not os.path.exists(disk + '/vmcore'):
        tally.skip(f'{name} dump', 'no fixture is of this kernel')
        return
    here, guest = Vmcensus(program, [disk + '/vmcore']), Answers(truth, 'crash-dump.')
    for report in DUMP:
        want = here(report)[1]
        tally.check(f'{name} dump {report} in the guest = vmcensus here',
                    [] if want and guest.read(report) == want else ['other bytes'],
                    f'{len(want)} bytes')
