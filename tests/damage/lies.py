#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of lies: each member and variable of the kernel that a fact names, set in a real dump to
what it must not be (tests/tools/lies.c): null, itself, its neighbour, unaligned, a user address, 2^63,
the object that it is in; numbers to 0, all ones, the top bit.

The answer must be the same, or the exit status must tell. Never a signal, more than 10 s, or more than
512 MiB. lies.txt has a row for each fact. What is printed differently with exit status 0 is named there:

    alone       no witness: nothing else that this kernel keeps says it; the reason is behind the "#"
    legal       the kernel itself may have that value, with the same rest of memory
    believed    an open defect

A fact without a row fails, and so does a lie that is believed and not named.

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
JUDGED = ('alone', 'legal')     # by hand: each with a reason
SAMPLE = ('5/40',)              # of make check
WHOLE = tuple(f'{i}/8' for i in range(8))
HEAD = """# Each fact of facts/layout, and the lies about it with exit status 0 and another answer. All other
# lies change nothing, or the exit status tells. "type": not in memory. "untried": the fact is newer
# than the last run of all lies.
# alone: no witness, nothing else that the kernel keeps says it. legal: a value that it may have with
# the same rest of memory. Both are judged by hand, with the reason behind the "#". believed: open.
# tests/damage/lies.py --update writes this file, and keeps what was judged.
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


def reasons():
    """fact -> what stands behind its "#" """
    with open(TABLE, encoding='ascii') as f:
        return {line.split()[0]: line.partition('#')[2].strip() for line in f
                if line.strip() and not line.startswith('#') and '#' in line}


def facts(program):
    text = subprocess.run([program, '--facts'], capture_output=True, check=True, text=True).stdout
    return [line.split() for line in text.splitlines()]


def judged_without_reason():
    why = reasons()
    return [(n, f'{lie}={w}') for n, lies in table().items() for lie, w in lies.items()
            if w in JUDGED and not why.get(n)]


def rows(program):
    """Every fact has one, and no other."""
    have, there = set(table()), {name for name, _ in facts(program)}
    return [f'{n}: "{w}" without a reason' for n, w in judged_without_reason()] + \
        [f'{n} has no row in tests/damage/lies.txt: run lies on it, and state the outcome'
            for n in sorted(there - have)] + [f'{n} is no fact' for n in sorted(have - there)]


def judge(lines, stated):
    """What is worse than stated."""
    wrong = []
    for line in lines:
        fact, lie, outcome = line.split()
        said = stated.get(fact, {}).get(lie)
        if outcome not in GOOD and said != outcome and not (outcome == 'believed' and said in JUDGED):
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
    believed, kinds, printed, old, why = {}, facts(program), set(), table(), reasons()
    for path in outputs:
        with open(path, encoding='ascii') as f:
            for line in f:
                fact, lie, outcome = line.split()
                printed.add(fact)
                said = old.get(fact, {}).get(lie)
                if outcome == 'believed' and said in JUDGED:
                    outcome = said
                if outcome not in GOOD:
                    believed.setdefault(fact, []).append(f'{lie}={outcome}')
    for fact, kept in old.items():
        if fact not in printed and kept:
            believed[fact] = [f'{lie}={outcome}' if outcome else lie for lie, outcome in kept.items()]
    with open(TABLE, 'w', encoding='ascii') as f:
        f.write(HEAD)
        for fact, kind in kinds:
            untried = [] if fact in old or fact in printed else ['untried']
            what = ['type'] if kind in ('size', 'enum') else believed.get(fact, untried)
            note = [f'# {why[fact]}'] if fact in why and any('=' in w for w in what) else []
            f.write(' '.join([fact, *what, *note]) + '\n')


if __name__ == '__main__':
    PROGRAM = os.path.join(HERE, '..', '..', 'build', 'tools', 'lies')
    if sys.argv[1:] == ['--rows']:
        sys.exit('\n'.join(rows(PROGRAM)) or None)
    if sys.argv[1:2] != ['--update']:
        sys.exit(__doc__)
    update(PROGRAM, sys.argv[2:])
