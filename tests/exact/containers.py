# SPDX-License-Identifier: GPL-3.0-or-later
"""A real dump, written again in each container that has only memory, and with its pages packed
in each way: smaps, maps, procs, check and dmesg must be what the dump's kernel recorded, and every
other report the same in each, except for the container's name and its own data beside memory. Reports
that a capsule holds are compared as the rows of one (capsules.py: they are what the reports print)."""
import json
import os
import re
import sqlite3
import subprocess

from lib.compare import compare_all
from lib.program import AtOnce, Opened
from lib.fixtures import COMPRESSIONS
from lib.truth import Truth

# What summary says of the container itself: its name and the pages that it has. Gaps in raw memory
# are filled up; an mcore file always has the first page.
OWN = r'^(dump  .*\n|NOT IN THE DUMP.*\n(  .*\n)*)'


def of_memory(answer):
    """A report, as text or as bytes, without what is the container's own."""
    if isinstance(answer, str):
        return re.sub(OWN, '', answer, flags=re.M)
    return re.sub(OWN.encode(), b'', answer, flags=re.M)


# The registers of CPUs are notes, which not all containers have: tasks that did not run.
ONLY = {'tasks': ['--where', 'state != R']}


# Each page of mcore2 costs the expansion of many: of the reports that a capsule holds, these are asked
SLOW = {'mcore2': ('census', 'cache', 'slab', 'vmas')}
# Of a capsule: what is of the container
NOT_OF_MEMORY = {'capsule', 'digests', 'dump', 'reports', 'summary', 'tasks', 'tasks_groups', 'written'}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600,
                          check=False)


def rows_of(vmcensus, path):
    """{table: its rows} of a capsule, which is written to PATH."""
    code, _, err = vmcensus('capsule', '-o', path)
    if code:
        return {}, f'capsule: exit {code} {err[-200:]!r}'
    with sqlite3.connect(path) as db:
        # what begins with _ is parts of views
        names = {n for n, in db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
                 if n[0] != '_'} - NOT_OF_MEMORY
        rows = {n: db.execute(f'SELECT * FROM "{n}"').fetchall() for n in names}
    os.unlink(path)
    return rows, ''


class Want:
    """What each container of one dump must say: texts of reports, and rows of the others' tables."""

    def __init__(self, program, reports, image, capsule):
        self.program, self.capsule = program, capsule
        self.vmcensus = Opened(program, image)
        self.rows, self.why = rows_of(self.vmcensus, capsule)
        self.texts = {r: of_memory(self.vmcensus(r, *ONLY.get(r, ()))[1]) for r in reports if r not in self.rows}

    def differences(self, vmcensus, but, only):
        """From the dump in VMCENSUS, but for the reports BUT. ONLY: these reports in place of a capsule."""
        wrong = [self.why] if self.why else []
        for report, text in self.texts.items():
            if report in but:
                continue
            code, out, err = vmcensus(report, *ONLY.get(report, ()))
            if code or of_memory(out) != text:
                wrong.append(f'{report}: exit {code} {err[-200:]!r}')
        if only:
            return wrong + [r for r in only if vmcensus(r)[1] != self.vmcensus(r)[1]]
        rows, why = rows_of(vmcensus, self.capsule)
        return wrong + ([why] if why else [f'{t}: {set(self.rows[t]) ^ set(rows.get(t, ()))}' for t in self.rows
                                           if t not in but and self.rows[t] != rows.get(t)])


def check_absent(tally, what, program, *arguments):
    """Between the blocks of an AVML file are zeros, whatever the pages were for. Above the last one nothing is known."""
    rows = json.loads(run(program, 'summary', '-f', 'json', *arguments).stdout)['rows']
    size = {r['key']: r['value'] for r in rows if r['section'] == 'left_out' and r['key'] != 'reserved'}
    tally.check(what, [] if 2 * size.get('zeros', 0) > sum(size.values()) else [f'not in the dump: {size}'])


def compare(tally, what, want, arguments, truth, but=(), only=()):
    images = arguments[:arguments.index('-t')] if '-t' in arguments else arguments
    vmcensus = Opened(want.program, images, *arguments[len(images) + 1:])
    compare_all(tally, what, AtOnce(vmcensus), truth)
    tally.check(what, want.differences(vmcensus, but, only))


def compare_diff(tally, what, program, one, other):
    """Dumps of more than one file, as the earlier and as the later."""
    wrong = []
    for earlier, later in ((one, other), (other, one)):
        before = [word for file in earlier for word in ('--earlier', file)]
        done = run(program, 'diff', *before, *later)
        if done.returncode or done.stdout.decode().strip() != 'Nothing differs.':
            wrong.append(f'exit {done.returncode} {done.stdout[-200:]!r} {done.stderr[-200:]!r}')
    tally.check(what, wrong)


def compare_containers(tally, program, tool, fixture, scratch, thorough):
    """tool is tests/tools/convert; scratch a folder."""
    os.makedirs(scratch, exist_ok=True)
    out = os.path.join(scratch, fixture.name)
    done = run(tool, out, *fixture.image())
    if done.returncode:
        tally.check(f'containers {fixture.name}', [done.stderr.decode()])
        return
    reports = [line.split()[0] for line in run(program, '--list-reports').stdout.decode()
               .splitlines() if ' of a fleet: ' not in line]
    # config: the kernels of Debian are built without it; id and capsule name the container;
    # who and sql need a word
    reports = [r for r in reports
               if r not in ('layout', 'export', 'dump', 'diff', 'html', 'config', 'id', 'capsule', 'who', 'sql')]
    truth, want = Truth(fixture.truth()), Want(program, reports, fixture.image(), scratch + '/capsule')
    for line in done.stdout.decode().splitlines():
        images = line.split()
        form = images[0][len(out) + 1:].split('.')[0]
        # raw memory has zeroes where the dump has nothing: of files, that is something else
        compare(tally, f'containers {fixture.name} as {form}', want, images, truth,
                ('files', 'sections', 'symbols') if form == 'raw' else
                # a block of zeros is not in the file, and tells that a root may be lost
                ('unreached', 'paths', 'refs') if form == 'avml' else (),
                () if thorough else SLOW.get(form, ()))
        if form == 'avml':
            check_absent(tally, f'containers {fixture.name} as {form}: zeros', program, *images)
        if len(images) > 1:
            compare_diff(tally, f'diff of {fixture.name} and itself as {form}', program,
                         fixture.image(), images)
    for compression in COMPRESSIONS:
        what = f'containers {fixture.name} packed with {compression}'
        try:
            compare(tally, what, want, [fixture.repacked(compression)], truth)
        except OSError as e:
            tally.skip(what, str(e))
    compare(tally, f'containers {fixture.name} as elf, -t VMCOREINFO', want,
            [out + '.elf', '-t', out + '.vmcoreinfo'], truth)
    for name in os.listdir(scratch):
        os.unlink(os.path.join(scratch, name))
