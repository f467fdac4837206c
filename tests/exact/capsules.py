# SPDX-License-Identifier: GPL-3.0-or-later
"""A capsule against its dump: each report, with each option that it takes, in each format, byte for byte.

The questions come from the help of the program, so that a new report or option is asked by itself. What
needs the dump is listed here, and in docs/reports.md."""
import os
import re

from lib.program import Asker

NEED_DUMP = {'pages', 'smaps', 'maps', 'sections', 'symbols', 'export', 'capsule', 'unreached', 'who', 'paths', 'refs'}
OPTIONS_NEED_DUMP = {'--pid', '--threads', '--kernel', '--file', '--virtual', '--like', '--paper', '--sysroot',
                     '--headers', '--config', '--earlier'}
OF_ROWS = {'--columns', '--sort', '--top', '--where', '--bytes', '--pages'}     # each table follows them
DRAWN = {'svg', 'ps', 'pdf', 'png'}


class Program:
    """The program on the dump FILES and on capsules of it."""

    def __init__(self, path, files, types=()):
        self.files, self.types = files, [a for t in types for a in ('-t', t)]
        self.on_dump, self.on_other = Asker(path, files, self.types), Asker(path)

    def of_dump(self, *args):
        """(exit status, stdout, stderr)."""
        return self.on_dump(*args, *self.types, *self.files)

    def run(self, *args):
        return self.on_other(*args)

    def says(self, *args):
        return self.run(*args)[1].decode()


def reports(program):
    """Of one dump, without diff, which is of two, and sql, which tests/cli/sql asks."""
    for line in program.says('--list-reports').splitlines():
        name = line.split()[0]
        if ' of a fleet: ' not in line and name not in ('diff', 'sql'):
            yield name


def options(program, name):
    """[--NAME, its argument or '', what it is] of a report."""
    said = program.says('--help', name).partition('Options of this report:\n')[2].partition('\n\n')[0]
    return re.findall(r'^ *(?:-\w, )?(--[\w-]+) ?([A-Z]*)  +(.*)', said, re.M)


def questions(program, name):
    """Command lines that a capsule answers; ValueError: an option that it is not known how to ask for."""
    if name in NEED_DUMP:
        return
    yield [name]
    for option, argument, about in options(program, name):
        if option in OPTIONS_NEED_DUMP | OF_ROWS:
            continue
        if not argument:
            if ' (with ' not in about:
                yield [name, option]
            continue
        values = re.search(r'divided by ([\w, ]+)', about)
        if not values:
            raise ValueError(f'{name} {option} {argument}: a value for it is not known')
        for value in re.split(r', | or ', values.group(1)):
            yield [name, option, value]


def formats(program, name):
    """Those that are no drawings."""
    if name == 'html':
        return ['html']
    words = re.search(r'--format F +([\w, ()]+), or', program.says('--help')).group(1)
    return [w for w in (w.split()[0] for w in words.split(', ')) if w not in DRAWN]


def answer(run, ask, form, files, scratch):
    """Exit status, what it says of damage, and the bytes."""
    to = os.path.join(scratch, 'answer')
    if os.path.exists(to):
        os.unlink(to)
    status, _, err = run(*ask, *form, '-o', to, *files)
    said = sorted(li for li in err.decode('utf-8', 'replace').splitlines() if 'incomplete result' in li)
    if not os.path.exists(to):
        return status, said, err
    with open(to, 'rb') as f:
        return status, said, f.read()


def compare(tally, name, program, scratch, forms=None, more=()):
    """A capsule of PROGRAM's dump answers as it does. Returns bytes of the capsule."""
    capsule = os.path.join(scratch, 'capsule.vmc')
    status, _, err = program.of_dump('capsule', '-o', capsule)
    tally.check(f'{name} capsule', [] if status in (0, 2) else [err.decode()])
    if status not in (0, 2):
        return 0
    for report in reports(program):
        if report in NEED_DUMP:
            status, _, err = program.run(report, '-o', scratch + '/none', capsule)
            tally.check(f'{name} {report} of a capsule says that it needs the dump', [] if
                        status in (1, 64) and b'dump' in err else [err.decode()])
            continue
        for ask in questions(program, report):
            ways = [['-f', f] for f in (forms or formats(program, report))]
            wrong = []
            for way in ways + ([] if report == 'html' else [m for m in more if not (
                    report == 'summary' and '-n' in m)]):      # its processes
                want = answer(program.of_dump, ask, way, [], scratch)
                got = answer(program.run, ask, way, [capsule], scratch)
                same = got[:2] == want[:2] and (got[2] == want[2] or want[0] not in (0, 2))
                wrong += [] if same else [f'{" ".join(way)}: {want[:2]} {got[:2]} {got[2][:200]}']
            tally.check(f'{name} {" ".join(ask)} of a capsule', wrong)
    return os.path.getsize(capsule)


def small_enough(tally, name, files, size):
    """At most 5 % of a dump of level 31, or 1 MiB."""
    limit = max(sum(os.path.getsize(f) for f in files) // 20, 1 << 20)
    tally.check(f'{name} capsule is small', [] if size <= limit else [f'{size} bytes, {limit} at most'])
