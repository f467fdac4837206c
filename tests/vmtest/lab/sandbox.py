# SPDX-License-Identifier: GPL-3.0-or-later
"""The sandbox on kernels of several ages: what an exploit gets there, started as root and not, and that
a dump is read as on this machine."""
import os
import re
import shutil

from lib.fixtures import Fixture
from .live import copy_program, kernel_complaints
from .packages import run

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DUMP = TESTS + '/fixtures/x86_64-6.1-arrays'
CASE = re.compile(r'^LAB-CASE (\S+) (\d+) (\d+) (\d+) ?(.*?)\r?$', re.M)
ATTEMPTS = 21                   # lines of --sandbox-test
LANDLOCK = (5, 13)

# name of the case in guest/init -> exit status, least lines of its answer
WANTED = {
    'exploits': (0, ATTEMPTS),
    'exploits-of-user': (0, ATTEMPTS),
    'planted': (0, 1),          # the line that it ran
    'summary': (0, 10),
    'summary-alike': (0, 0),    # cmp with --no-sandbox
}


def folder(program, into):
    """What the guest has as /lab/live: the program, the code that was taken over, a dump."""
    shutil.rmtree(into, ignore_errors=True)
    os.makedirs(into)
    copy_program(program, into)
    run('cc', '-O1', '-shared', '-fPIC', '-I', os.path.dirname(TESTS), '-o', into + '/planted.so',
        TESTS + '/cli/planted.c')
    dump, = Fixture(DUMP, into + '.fixtures').image()
    shutil.copy(dump, into + '/dump.raw')
    return into


def compare_sandbox(tally, name, release, truth, console):
    cases = {found[0]: found[1:] for found in CASE.findall(console)}
    for case, (status, lines) in WANTED.items():
        got = cases.get(case)
        wrong = 'was not tried' if not got else '' if int(got[0]) == status and int(got[1]) >= lines else \
            f'exit status {got[0]}, {got[1]} lines: {got[3]}'
        if re.search(rf'^LAB-GOT {case} ', console, re.M):
            wrong = ' '.join(re.findall(rf'^LAB-GOT {case} (.*?)\r?$', console, re.M))
        tally.check(f'{name} {case}', [wrong] if wrong else [])
    has = tuple(int(n) for n in re.match(r'(\d+)\.(\d+)', release).groups()) >= LANDLOCK
    said = cases.get('without-landlock')
    tally.check(f'{name} Landlock', [] if said and (int(said[0]) == 0) != has else
                [f'{release}: {"said to be missing" if has else "not said to be missing"}'])
    tally.check(f'{name} kernel log', kernel_complaints(truth.read('dmesg')))
