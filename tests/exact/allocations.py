# SPDX-License-Identifier: GPL-3.0-or-later
"""Who allocated each page: page_owner and allocinfo of an export, against those of the dump's kernel.

An allocation is its first frame and its time. One that is in both must be the same to the letter, but
for the flags of its page. One that only the kernel's file has was freed since, by the recorder that
ended; one that only the export has is younger than the file. A line of allocinfo stands for all
allocations of one place in the source, so it must be equal where nothing was allocated or freed since.
"""
import os
import re
import shutil

RECORD = re.compile(r'(Page allocated via order .*?, ts (\d+) ns.*\nPFN (0x[0-9a-f]+) .* Flags) (.*)\n((?:.+\n)*)\n')
# Of the kernel's file: what may have been freed since. What the recorder took, and what ran after it.
FREED, SLACK = 0.03, 2 * 10**9
# 6.12.117 takes the control group of a page for an object group, and finds none in the root's: its file has no
# such line (print_page_owner_memcg(), mm/page_owner.c).
CHARGED = re.compile(r'^Charged .*\n', re.M)
COMM = re.compile(r'pid \d+, tgid \d+ \((.*)\), ts ')
LINE = re.compile(r' *(-?\d+) +(\d+) (\S+:\d+.*) $')


def records(text):
    """{(frame, time): (what, flags, stack)}"""
    return {(m[3], int(m[2])): (m[1], m[4], CHARGED.sub('', m[5])) for m in RECORD.finditer(text)}


def first_of(differences, n=3):
    return [str(d) for d in differences[:n]] + ([f'{len(differences)} in all'] if len(differences) > n else [])


def compare_page_owner(tally, name, want, got, told):
    """TOLD: when the kernel's file was read, ns."""
    both = want.keys() & got.keys()
    wrong = [f'{want[k]}, got {got[k]}' for k in sorted(both) if (want[k][0], want[k][2]) != (got[k][0], got[k][2])]
    old = [got[k] for k in got.keys() - want.keys() if k[1] < told - SLACK]
    gone = [want[k] for k in want.keys() - got.keys() if COMM.search(want[k][0])[1] != 'python3']
    if not both:
        wrong.append('no record is in both')
    if old:
        wrong += ['older than the file, and not in it:'] + first_of(old)
    if len(gone) > len(want) * FREED:
        wrong += ['not in the export:'] + first_of(gone)
    tally.check(f'{name} page_owner', first_of(wrong, 6),
                f'{len(both)} of {len(want)} allocations equal, {len(gone)} gone that were not the recorder\'s, '
                f'{len(got) - len(both)} younger')


def counts(text):
    """{place: (bytes, calls)}"""
    return {m[3]: (int(m[1]), int(m[2])) for m in map(LINE.match, text.splitlines()) if m}


def compare_allocinfo(tally, name, want, got, still):
    """STILL: a pattern of places that nobody else uses."""
    wrong = [f'{place}: not in both' for place in sorted(want.keys() ^ got.keys())]
    equal = sum(want[p] == got[p] for p in want.keys() & got.keys())
    wrong += [f'{p}: {want[p]}, got {got.get(p)}' for p in want if re.search(still, p) and want[p] != got.get(p)]
    if not any(re.search(still, p) and want[p][0] for p in want):
        wrong.append(f'no line has {still}')
    tally.check(f'{name} allocinfo', first_of(wrong, 6), f'{equal} of {len(want)} lines equal')


def compare_allocations(tally, name, vmcensus, truth, scratch):
    if not truth.has('allocinfo') and not truth.has('page_owner'):
        return
    shutil.rmtree(scratch, ignore_errors=True)
    code, _, err = vmcensus('export', '-o', scratch, front=('-f', 'proc'))
    tally.check(f'{name} export', [] if code in (0, 2) else [err.decode(errors='replace')])

    def exported(file):
        path = os.path.join(scratch, file)
        if not os.path.exists(path):
            return ''
        with open(path, encoding='utf-8', errors='replace') as f:
            return f.read()
    if truth.has('page_owner'):
        compare_page_owner(tally, name, records(truth.read('page_owner').decode(errors='replace')),
                           records(exported('page_owner')), float(truth.read('uptime').split()[0]) * 1e9)
    if truth.has('allocinfo'):
        compare_allocinfo(tally, name, counts(truth.read('allocinfo').decode()), counts(exported('allocinfo')), r'\[silent\]')
    shutil.rmtree(scratch, ignore_errors=True)
