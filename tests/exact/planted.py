# SPDX-License-Identifier: GPL-3.0-or-later
"""check against what a module planted (tests/vmtest/hogs/silent): a task that is on no list of tasks, a
page in use on a list of free pages, and a page that is on two of them.  The truth is what the
module printed before it brought the kernel down."""
import re


def planted(console):
    """{what: number}"""
    return {m[1]: int(m[2], 16) for m in re.finditer(r'LAB-PLANTED (\w+) ([0-9a-f]+)', console)}


def compare_planted(tally, name, vmcensus, console):
    want = planted(console)
    rows, error = vmcensus.rows('check')
    if rows is None or set(want) != {'task', 'used', 'free'}:
        tally.check(f'{name} check', [error or f'the module planted {want}'])
        return
    hidden = [row['pid'] for row in rows if row['kind'] == 'task']
    tally.check(f'{name} hidden task', [] if hidden == [want['task']] else [f'pid {want["task"]}, found {hidden}'])
    # no other frame is in two places
    places = {(row['what'], row['pfn'], row['frames']) for row in rows
              if row['kind'] == 'place' and row['pfn'] is not None}
    for what, text in ('used', 'on a free list, and .*'), ('free', 'twice on free lists'):
        hit = {p for p in places if re.fullmatch(text, p[0]) and int(str(p[1]), 0) == want[what] and p[2] == 1}
        tally.check(f'{name} {what} page', [] if hit else [f'pfn {want[what]:x}, found {places}'], str(hit))
        places -= hit
    tally.check(f'{name} no other page', [str(places)] if places else [])
