# SPDX-License-Identifier: GPL-3.0-or-later
"""Real dumps of which the end, or a part of a split one, was never written. What summary, verdict, fleet and
clusters say of them does not contradict what they say of the whole dump: a number is the same, or marked as
of a part, or unknown. The first line names the damage.

The truth is the answer about the whole dump, which the suite fixtures compares with its kernel's.
"""
import json
import os
import re
import struct

from lib.kdump import header_offset
from lib.program import run

SHARES = (1, 3, 10, 30, 60)     # percent of the file that are missing at its end
NAMES_DAMAGE = re.compile(
    r'INCOMPLETE: (the file ends (after \d+ %|early|in its headers)|parts? [\d and to]+ of the split dump)')
MARKS = ('of those found', 'unknown', 'a part of', 'not all')
FEW = (3, 30)
INCOMPLETE = 2                  # exit status


def rows_of(out):
    return json.loads(out)['rows'] if out else None


class Answers:
    """What the program says of one dump, whole or not; rows are None where it says nothing."""

    def __init__(self, program, image, types, scratch):
        front = ['-t', types] if types else []
        self.status, text, self.err = run(program, *front, 'summary', *image)
        self.first = text.decode().partition('\n')[0]
        self.said = text.decode()
        self.summary = rows_of(run(program, *front, 'summary', '-f', 'json', *image)[1])
        self.verdict = rows_of(run(program, *front, 'oom', '--verdict', '-f', 'json', *image)[1])
        capsule = os.path.join(scratch, 'cut.vmc')
        made = run(program, *front, 'capsule', *image, '-o', capsule)[0] in (0, INCOMPLETE)
        self.stored = run(program, 'summary', capsule)[1].decode() if made else None
        self.fleet = rows_of(run(program, 'fleet', '-f', 'json', capsule)[1]) if made else None
        self.clusters = rows_of(run(program, 'clusters', '-f', 'json', capsule)[1]) if made else None
        if os.path.exists(capsule):
            os.remove(capsule)


def is_marked(text):
    return any(m in (text or '') for m in MARKS)


def compare_first(cut):
    """The damage is in the first line, or in the sentence that says why there is nothing."""
    if cut.summary is not None:
        return [] if NAMES_DAMAGE.match(cut.first) else [f'first line: {cut.first}']
    words = cut.err.decode()
    return [] if re.search(r'cut off|after the end of the file|not named|incomplete', words) else [words]


def compare_verdict(whole, cut):
    """What is certain of a part is so of the whole."""
    told = {(r['cause'], r['owner'], r['figure']) for r in whole.verdict}
    return [f'{r["certainty"]}: {r["text"]}' for r in cut.verdict or []
            if r['certainty'] == 'certain' and (r['cause'], r['owner'], r['figure']) not in told
            and not is_marked(r['text'])] + \
        [f'not marked: {r["text"]}' for r in cut.verdict or []
         if re.match(r'\d+ processes ', r['text'] or '') and not is_marked(r['text'])
         and r['text'] not in [w['text'] for w in whole.verdict]]


# Sections whose rows are of the machine: each value is the whole's or unknown
SAME = ('machine', 'memory', 'swap', 'processes')


def compare_summary(whole, cut):
    out, value = [], {}
    for r in whole.summary:
        value[r['section'], r['key'], r['pid']] = r
    partly = {r['pid'] for r in cut.summary or [] if r['key'] == 'incomplete'}
    for r in cut.summary or []:
        w = value.get((r['section'], r['key'], r['pid']))
        if r['section'] in SAME and r['value'] is not None and r['key'] != 'dumped' and \
                (not w or r['value'] != w['value']) and not is_marked(r['text']):
            out.append(f'{r["section"]} {r["key"]}: {r["value"]} ({r["text"]}), '
                       f'whole {w and w["value"]}')
        if r['section'] == 'machine' and w and r['value'] is None and not w['text'].startswith(r['text']) and \
                r['key'] not in ('dump', 'processes') and not is_marked(r['text']):
            out.append(f'{r["key"]}: {r["text"]}, whole {w["text"]}')
        if r['section'] == 'process' and w and r['value'] is not None and \
                r['value'] != w['value'] and r['pid'] not in partly:
            out.append(f'{r["pid"]} {r["key"]} {r["value"]}, whole {w["value"]}')
    return out


def compare_processes(whole, cut):
    """Fewer processes are told."""
    def count(answers):
        return next((r for r in answers.summary if r['section'] == 'machine' and
                     r['key'] == 'processes'), None)

    if cut.summary is None:
        return []
    mine, other = count(cut), count(whole)
    return [] if not mine or not other or mine['value'] in (None, other['value']) \
        or is_marked(mine['text']) else [f'{mine["text"]}, whole {other["text"]}']


def compare_fleet(whole, cut):
    if cut.fleet is None:
        return []
    out = []
    for mine, other in ((cut.fleet, whole.fleet), (cut.clusters, whole.clusters)):
        if len(mine) != 1 or mine[0]['incomplete'] != 1:
            out.append(f'not marked: {mine}')
        elif mine[0]['kind'] not in (other[0]['kind'], 'unknown'):
            out.append(f'{mine[0]["kind"]}, whole {other[0]["kind"]}')
    return out


def compare_stored(cut):
    return [] if cut.stored is None or cut.stored == cut.said else \
        [f'{a} | {b}' for a, b in zip(cut.said.splitlines(), cut.stored.splitlines()) if a != b]


def compare_cut(tally, name, whole, cut):
    tally.check(f'{name}: the damage comes first', compare_first(cut))
    tally.check(f'{name}: what is certain', compare_verdict(whole, cut))
    tally.check(f'{name}: summary', compare_summary(whole, cut) + compare_processes(whole, cut))
    tally.check(f'{name}: fleet and clusters', compare_fleet(whole, cut))
    tally.check(f'{name}: the capsule says the same', compare_stored(cut))


def cut_off(image, share, scratch):
    """A copy of the last file without SHARE percent of it."""
    path = os.path.join(scratch, f'cut.{share}')
    size = os.path.getsize(image[-1]) * (100 - share) // 100
    with open(image[-1], 'rb') as whole, open(path, 'wb') as out:
        out.write(whole.read(size))
    return [*image[:-1], path]


def missing(n, named):
    """How the parts of N that are not in NAMED are called: "1 and 3", "2 to 4"."""
    runs = []
    for i in (i for i in range(n) if i not in named):
        if runs and runs[-1][1] == i - 1:
            runs[-1][1] = i
        else:
            runs.append([i, i])
    return ' and '.join(f'{a + 1} to {b + 1}' if a < b else f'{a + 1}' for a, b in runs)


def check_parts(tally, program, image, types, scratch, whole, named):
    name = f'{os.path.basename(image[0])} parts {",".join(str(i + 1) for i in named)}'
    cut = Answers(program, [image[i] for i in named], types, scratch)
    compare_cut(tally, name, whole, cut)
    words = f' {missing(len(image), named)} of the split dump w'
    tally.check(f'{name}: which are missing',
                [] if words in (cut.first or cut.err.decode()) or cut.summary is None else [cut.first])


def relevel(image, level, scratch):
    """A copy whose sub-header says another level: phys_base is before it (diskdump_mod.h of makedumpfile)."""
    out = []
    for path in image:
        with open(path, 'rb') as f:
            data = bytearray(f.read())
        block, = struct.unpack_from('<i', data, header_offset(data[:4096]) + 4)
        struct.pack_into('<i', data, block + 8, level)
        out.append(os.path.join(scratch, 'level.' + os.path.basename(path)))
        with open(out[-1], 'wb') as f:
            f.write(data)
    return out


def check_level(tally, program, fixture, scratch):
    """A level that the file does not keep: its user pages are there, as in what makedumpfile 1.7.2 makes of 6.12."""
    other = relevel(fixture.image(), 31, scratch)
    first = run(program, 'summary', *other)[1].decode().partition('\n')[0]
    tally.check(f'{fixture.name}: level 31 with user pages', [] if re.match(
        r'NOTE: level 31, but user pages are in the dump: hugetlb 20480 KiB, anonymous \d+ KiB$', first) else [first])
    for path in other:
        os.remove(path)


def check_untyped(tally, program, fixture):
    """Without types: what headers and the log say, exit status 2, and which package has the types."""
    def told(out):
        return {k: v for k, _, v in (line.partition(' ') for line in out.decode().splitlines())
                if k in ('kernel', 'host', 'reason', 'crashed')}

    status, out, err = run(program, 'summary', *fixture.image())
    with_types = told(run(program, '-t', fixture.types(), 'summary', *fixture.image())[1])
    wrong = [f'{k}: {v}, with types {with_types.get(k)}' for k, v in told(out).items()
             if v != with_types.get(k) and 'unknown' not in v]
    wrong += [] if status == INCOMPLETE and out.startswith(b'INCOMPLETE: the types') and b'-dbg' in err \
        else [f'exit {status}: {err.decode()}']
    tally.check(f'{fixture.name} without types', wrong)


def check_cuts(tally, program, fixture, scratch, thorough=False):
    shares = SHARES if thorough else FEW
    os.makedirs(scratch, exist_ok=True)
    image, types = fixture.image(), fixture.types()
    whole = Answers(program, image, types, scratch)
    for share in shares:
        cut = cut_off(image, share, scratch)
        compare_cut(tally, f'{fixture.name} less {share} %', whole,
                    Answers(program, cut, types, scratch))
        os.remove(cut[-1])
    if types and fixture.name.startswith('i386'):   # the log of 6.1, which VMCOREINFO describes
        check_untyped(tally, program, fixture)
    if len(image) < 2:
        return
    for i in range(len(image)):
        check_parts(tally, program, image, types, scratch, whole, [j for j in range(len(image)) if j != i])
        check_parts(tally, program, image, types, scratch, whole, [i])
    check_level(tally, program, fixture, scratch)
