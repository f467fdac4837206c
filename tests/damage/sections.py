# SPDX-License-Identifier: GPL-3.0-or-later
"""Real dumps without the page that holds the root of mem_section[]. Each struct page is in the dump, so
sizes and the census are those of the whole dump, with an issue of each and exit status 2.
"""
import json
import os
import re
import struct

from damage.mutations import Kdump
from lib.kdump import PAGE_DESC
from lib.program import Vmcensus

FIXTURES = ('x86_64-el9', 'x86_64-6.1-sysrq')   # less than 1 GiB of RAM: the direct map begins at a GiB
GIB = 1 << 30
# what each struct mem_section leads to is not found by page tables
OF_SECTIONS = {'page_ext'}


def without_root(source, target):
    """A copy in which the descriptor of that page has no size."""
    with open(source, 'rb') as f:
        data = bytearray(f.read())
    address = int(re.search(rb'SYMBOL\(mem_section\)=([0-9a-f]+)', data)[1], 16) % GIB
    at = Kdump(lambda offset, size: data[offset:offset + size]).descriptor(address)
    struct.pack_into('<I', data, at + struct.calcsize('<q'), 0)
    assert PAGE_DESC.unpack_from(data, at)[1] == 0
    with open(target, 'wb') as f:
        f.write(data)


def answer(vmcensus, report):
    code, out, _ = vmcensus(report, '-f', 'json')
    got = json.loads(out)
    return code, got['rows'], got['issues']


def rows(got):
    return [r for r in got if r.get('class') not in OF_SECTIONS]


def compare(whole, lost, report):
    """What differs, at most three lines."""
    _, good, _ = answer(whole, report)
    code, bad, issues = answer(lost, report)
    wrong = [f'{a} for {b}' for a, b in zip(rows(bad), rows(good)) if a != b]
    if len(rows(good)) != len(rows(bad)):
        wrong.append(f'{len(bad)} rows for {len(good)}')
    told = {i['object'] for i in issues}
    if code != 2 or told != {'page array', 'page descriptor'}:
        wrong.append(f'exit {code}, issues {issues}')
    return wrong[:3]


def lose(tally, program, f, folder):
    os.makedirs(folder, exist_ok=True)
    image, = f.image()
    copy = os.path.join(folder, os.path.basename(image))
    without_root(image, copy)
    whole, lost = Vmcensus(program, [image], f.types()), Vmcensus(program, [copy], f.types())
    for report in ('procs', 'smaps', 'census'):
        tally.check(f'sections {f.name}: {report} without mem_section[]', compare(whole, lost, report))
    os.unlink(copy)


def jobs(tally, program, fixtures, scratch):
    return [(f'sections {f.name}', lambda f=f: lose(tally, program, f, os.path.join(scratch, f.name)))
            for f in fixtures if f.name in FIXTURES]
