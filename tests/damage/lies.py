#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of lies: each member and variable of the kernel that a fact names, set in a real dump to
what it must not be (tests/tools/lies.c): null, itself, its neighbour, unaligned, a user address, 2^63,
the object that it is in; numbers to 0, all ones, the top bit.

The answer must be the same, or the exit status must tell. Never a signal, more than 10 s, or more than
512 MiB. lies.txt has a row for each fact: what is printed differently with exit status 0 is named
there ("believed"), because nothing else in the dump contradicts it. A fact without a row fails.

lies.py --rows                 does each fact have a row?
lies.py --update OUTPUT...    writes lies.txt from what "lies" printed, over all parts; rows of facts that
                              it did not print stay
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, 'lies.txt')
FIXTURE = 'x86_64-6.1-elf'
GOOD = ('same', 'told', 'absent', 'unread')
SAMPLE = ('5/40',)              # of make check
WHOLE = tuple(f'{i}/8' for i in range(8))
HEAD = """# Each fact of facts/layout, and the lies about it that are believed: exit status 0, and another
# answer. All other lies change nothing, or the exit status tells. "type": not in memory.
# "untried": the fact is newer than the last run of all lies.
# "null", "unaligned", "user" and "top" of a pointer that are believed are open defects, unless null
# is a value that it may have; "neighbour" and "cycle" lead to a sound object of another.
# tests/damage/lies.py --update writes this file.
"""


def table():
    """fact -> {lie: outcome}"""
    out = {}
    with open(TABLE, encoding='ascii') as f:
        for line in f:
            words = line.split('#')[0].split()
            if words:
                out[words[0]] = {w.split('=')[0]: w.partition('=')[2] for w in words[1:]}
    return out


def facts(program):
    text = subprocess.run([program, '--facts'], capture_output=True, check=True, text=True).stdout
    return [line.split() for line in text.splitlines()]


def rows(program):
    """Every fact has one, and no other."""
    have, there = set(table()), {name for name, _ in facts(program)}
    return [f'{n} has no row in tests/damage/lies.txt: run lies on it, and state the outcome'
            for n in sorted(there - have)] + [f'{n} is no fact' for n in sorted(have - there)]


def judge(lines, stated):
    """What is worse than stated."""
    wrong = []
    for line in lines:
        fact, lie, outcome = line.split()
        if outcome not in GOOD and stated.get(fact, {}).get(lie) != outcome:
            wrong.append(f'{fact} {lie}: {outcome}')
    return wrong


def jobs(tally, build, fixtures, thorough):
    program = os.path.join(build, 'tools', 'lies')
    fixture = next((f for f in fixtures if f.name == FIXTURE), None)
    if not fixture:
        tally.skip('lies', f'there is no fixture {FIXTURE}')
        return []

    def part(which):
        done = subprocess.run([program, '-p', which, *fixture.image()], capture_output=True, check=False,
                              text=True, stdin=subprocess.DEVNULL)
        lines = done.stdout.splitlines()
        wrong = judge(lines, table())
        if done.returncode or len(lines) < 20:
            wrong.append(f'exit {done.returncode}, {len(lines)} lies: {done.stderr[-400:]}')
        tally.check(f'lies {which}: {len(lines)}', wrong)
    return [('lies: rows', lambda: tally.check('lies: each fact has a row', rows(program)))] + \
        [(f'lies {w}', lambda w=w: part(w)) for w in (WHOLE if thorough else SAMPLE)]


def update(program, outputs):
    believed, kinds, printed = {}, facts(program), set()
    for path in outputs:
        with open(path, encoding='ascii') as f:
            for line in f:
                fact, lie, outcome = line.split()
                printed.add(fact)
                if outcome not in GOOD:
                    believed.setdefault(fact, []).append(f'{lie}={outcome}')
    old = table()
    for fact, kept in old.items():
        if fact not in printed and kept:
            believed[fact] = [f'{lie}={outcome}' if outcome else lie for lie, outcome in kept.items()]
    with open(TABLE, 'w', encoding='ascii') as f:
        f.write(HEAD)
        for fact, kind in kinds:
            untried = [] if fact in old or fact in printed else ['untried']
            what = ['type'] if kind in ('size', 'enum') else believed.get(fact, untried)
            f.write(' '.join([fact, *what]) + '\n')


if __name__ == '__main__':
    PROGRAM = os.path.join(HERE, '..', '..', 'build', 'tools', 'lies')
    if sys.argv[1:] == ['--rows']:
        sys.exit('\n'.join(rows(PROGRAM)) or None)
    if sys.argv[1:2] != ['--update']:
        sys.exit(__doc__)
    update(PROGRAM, sys.argv[2:])
