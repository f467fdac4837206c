# SPDX-License-Identifier: GPL-3.0-or-later
"""The same dump under another release: what a sign in the dump tells must not change.

The release is altered wherever it stands in the file, as a distribution keeps the number of an
old kernel over newer code. Rules that have a sign must hold as before, and smaps must have the
same lines and the same VmFlags. Rules without a sign may change: "vmcensus layout" names them.
"""
import csv
import io
import os
import re

# fixture (its pages lie in the file as they are) -> release, and what it is altered to
ALTERED = {
    'x86_64-5.10': (b'5.10.', b'4.18.'),
    'x86_64-6.1-sysrq': (b'6.1.', b'5.4.'),
}
# Their sign tells the end alone; the release still tells the beginning.
HALF = {'RULE_STACK_GUARD', 'RULE_THP_BY_HEAD', 'RULE_PAGEFLAGS_2_6', 'RULE_PAGEFLAGS_2_6_13',
        'RULE_SHMEM_HOLE_BY_ADDRESS'}


def altered_copy(path, old, new, into):
    """PATH with each "OLD0-..." and "Debian OLD..." altered; how many."""
    with open(path, 'rb') as f:
        data = f.read()
    data, n = re.subn(rb'(?<![\d.])' + re.escape(old) + rb'(?=0-\d)', new, data)
    data, more = re.subn(rb'Debian ' + re.escape(old) + rb'(?=\d)', b'Debian ' + new, data)
    os.makedirs(os.path.dirname(into), exist_ok=True)
    with open(into, 'wb') as f:
        f.write(data)
    return n and more


def rules(vmcensus):
    """{rule: (does it hold, what decided)}"""
    text = vmcensus('layout', front=('-f', 'csv'))[1].decode()
    return {r['id']: (r['present'], r['source']) for r in csv.DictReader(io.StringIO(text))
            if r['kind'] == 'rule'}


def lines(vmcensus):
    """The lines of smaps: labels, and VmFlags whole."""
    return [line if line.startswith(b'VmFlags') else line.partition(b':')[0]
            for line in vmcensus('smaps')[1].splitlines()]


def compare_release(tally, name, fixture, make, work):
    """MAKE gives the program over an image."""
    if fixture.name not in ALTERED:
        return
    old, new = ALTERED[fixture.name]
    copy = os.path.join(work, fixture.name, 'vmcore')
    if not altered_copy(fixture.image()[0], old, new, copy):
        tally.check(f'{name}: release altered', ['the dump does not hold its release'])
        return
    here, there = make(fixture.image()), make([copy])
    was, now = rules(here), rules(there)
    problems = [f'{r}: {was[r][0]} became {now[r][0]}' for r in was
                if 'sign' in (was[r][1], now[r][1]) and r not in HALF and was[r] != now[r]]
    if not any(source == 'sign' for _, source in was.values()):
        problems.append('no rule was told by a sign')
    if lines(here) != lines(there):
        problems.append('smaps has other lines or VmFlags')
    tally.check(f'{name}: release {old.decode()}* altered to {new.decode()}*', problems)
    os.unlink(copy)
