# SPDX-License-Identifier: GPL-3.0-or-later
"""vmcensus-collect in the crash kernel: what it left beside the dump, against the dump."""
import csv
import gzip
import io
import os
import re
import shutil
import sys

from .packages import run

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), 'crash'))

import roots  # noqa: E402

LIMIT = 4000000     # bytes that the program may add to an initramfs, which is compressed
# What goes wrong in the place of each run: report, shell words, the exit status that the log has then.
FAILURES = (('summary', 'exec sleep 1000', 137),
            ('dmesg', """exec awk 'BEGIN { s = sprintf("%10000s", 1); for (;;) a[n++] = s n }'""", 137),
            ('procs', 'exit 1', 1),
            ('census', 'kill -SEGV $$', 139),
            ('oom', 'kill -ABRT $$', 134),
            ('slab', 'exec /nowhere', 127))
SIZES = ('pid', 'name', 'pss', 'uss', 'rss', 'swap')    # no column that user pages decide: -d 31 has none


def folder(cache, kernel, into):
    """The program, for the CPU of KERNEL, its script, and what the kernel itself does not tell, as an initramfs has them;
    and a program that fails."""
    build, target = roots.TOP + '/build', kernel.target
    if target.runs_here:
        run('make', '-s', '-C', roots.TOP, 'crashkernel')
    else:
        root = roots.EmulatedRoot(cache, next(h for h in roots.HOSTS if h.arch == target.arch))
        root.cross('crashkernel')
        build = root.build
    shutil.rmtree(into, ignore_errors=True)
    os.makedirs(into)
    for path in (build + '/vmcensus-static', roots.TOP + '/crashkernel/vmcensus-collect'):
        shutil.copy(path, into)
    if kernel.vmlinux:
        run('make', '-s', '-C', roots.TOP, 'build/tools/mklayout')
        with open(into + '/layout', 'w') as f:
            f.write(run(roots.TOP + '/build/tools/mklayout', kernel.vmlinux))
        # its kallsyms have no data
        shutil.copy(kernel.vmlinux.replace('/vmlinux-', '/System.map-'), into + '/System.map')
    with open(into + '/bad', 'w') as f:
        f.write('#!/bin/sh\necho half a table\ncase $5 in\n' +
                ''.join(f'{report}) {words} ;;\n' for report, words, _ in FAILURES) + 'esac\n')
    os.chmod(into + '/bad', 0o755)
    return into


def rows(text, columns):
    table = list(csv.DictReader(io.StringIO(text)))
    return [tuple(row.get(c) for c in columns or row) for row in table]


def difference(ours, theirs):
    if ours == theirs:
        return []
    both = [(a, b) for a, b in zip(ours, theirs) if a != b]
    return [f'{len(ours)} and {len(theirs)} rows; in the crash kernel {a}, of the dump {b}' for a, b in both[:3]] \
        or [f'{len(ours)} and {len(theirs)} rows']


def compare_failures(tally, name, bad, console):
    """A program that fails in each way ran first: it left no table, and only it was killed for memory."""
    with open(bad + '/vmcensus.log') as f:
        log = f.read()
    print('     ' + log.strip().replace('\n', '\n     '))
    runs = re.findall(r'^(\w+)\S*: exit status (\d+),', log, re.M)
    expected = [(report, str(status)) for report, _, status in FAILURES]
    tally.check(f'{name} failures of the program', [] if runs == expected else [f'{runs}'])
    tally.check(f'{name} failures leave no table', [file for file in os.listdir(bad) if file != 'vmcensus.log'])
    killed = re.findall(r'Killed process \d+ \((.*?)\)', console)
    tally.check(f'{name} memory runs out in the crash kernel', [] if killed == ['awk'] else [f'killed: {killed}'])


def compare(tally, name, vmcensus, census):
    """CENSUS: the folder that the crash kernel wrote; VMCENSUS: of the dump that it took after that."""
    def text(file):
        try:
            with open(f'{census}/{file}', encoding='utf-8', errors='replace') as f:
                return f.read()
        except OSError:
            return ''
    log = text('vmcensus.log')
    print('     ' + log.strip().replace('\n', '\n     '))
    runs = re.findall(r'^(\S+): exit status (\d+), (\d+) s', log, re.M)
    tally.check(f'{name} runs in the crash kernel', [f'{file}: exit status {status}' for file, status, _ in runs
                                                     if status != '0'] or ([] if runs else ['none']))
    for table, columns in (('procs', SIZES), ('census', None), ('slab', None)):
        code, out, err = vmcensus(table, front=('-f', 'csv'))
        ours = rows(text(table + '.csv'), columns)
        tally.check(f'{name} {table} of the crash kernel = of the dump',
                    difference(ours, rows(out.decode(), columns)) if ours else [f'it left none (exit {code} {err})'])
    tally.check(f'{name} summary of the crash kernel', [] if '\nMEMORY ' in text('summary.txt') else ['no summary'])
    with open(os.path.dirname(census) + '.collect/vmcensus-static', 'rb') as f:
        program = f.read()
    size = len(gzip.compress(program))
    tally.check(f'{name} program of {len(program)} bytes, {size} compressed',
                [] if size <= LIMIT else [f'more than {LIMIT}'])
