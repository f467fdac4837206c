# SPDX-License-Identifier: GPL-3.0-or-later
"""An ELF dump without the page that has the formats of smaps: rules fall back, and say so."""
import csv
import io
import os
import shutil
import struct

PAGE = 4096
TEXT = b'\nShared_Clean:   '
PT_LOAD = 1


def headers(data):
    """(offset in the file, fields) of each program header of an ELF64, little-endian."""
    at, = struct.unpack_from('<Q', data, 32)
    size, count = struct.unpack_from('<HH', data, 54)
    return [(at + i * size, list(struct.unpack_from('<IIQQQQQQ', data, at + i * size)))
            for i in range(count)]


def cut_page(path):
    """Leave out the page of TEXT: its segment ends before it, another one has the rest."""
    with open(path, 'r+b') as f:
        data = f.read()
        text = data.find(TEXT)
        loads = [(at, p) for at, p in headers(data) if p[0] == PT_LOAD]
        at, p = next((at, p) for at, p in loads if p[2] <= text < p[2] + p[5])
        # the smallest segment gives its header to the rest
        spare, _ = min((q for q in loads if q[0] != at), key=lambda q: q[1][5])
        before = (text - p[2]) // PAGE * PAGE
        after = before + PAGE
        rest = p[:2] + [p[2] + after, p[3] + after, p[4] + after, p[5] - after, p[6] - after, p[7]]
        p[5] = p[6] = before
        for where, fields in ((at, p), (spare, rest)):
            f.seek(where)
            f.write(struct.pack('<IIQQQQQQ', *fields))


def rules(vmcensus):
    text = vmcensus('layout', front=('-f', 'csv'))[1].decode()
    return {r['id']: r for r in csv.DictReader(io.StringIO(text)) if r['kind'] == 'rule'}


def compare_missing_texts(tally, name, fixture, make, work):
    """MAKE gives the program over an image and a layout file."""
    if fixture.name != 'x86_64-6.1-elf':
        return
    whole = make(fixture.image(), None)
    was, problems = rules(whole), []
    copy = os.path.join(work, fixture.name, 'vmcore')
    os.makedirs(os.path.dirname(copy), exist_ok=True)
    shutil.copyfile(fixture.image()[0], copy)
    cut_page(copy)
    other = make([copy], None)
    now = rules(other)
    # the formats of status and meminfo are elsewhere
    printed = [r for r in was if 'prints' in was[r]['path'] and ' has ' not in was[r]['path']
               and not r.startswith('RULE_STATUS_')
               and r not in ('RULE_LINE_MEM_AVAILABLE', 'RULE_LINE_HUGETLB')]
    problems += [f'{r}: told by {now[r]["source"]}' for r in printed
                 if r in now and now[r]['source'] == 'sign']
    problems += [f'{r}: {was[r]["present"]} became {now.get(r)}' for r in was
                 if r not in now or was[r]['present'] != now[r]['present']]
    if len([r for r in printed if was[r]['source'] == 'sign']) < 20:
        problems.append('the whole dump does not tell by texts')
    said = b'# texts: the kernel\'s constant data'
    if said not in other('layout')[1] or said in whole('layout')[1]:
        problems.append('layout does not say what is missing')
    tally.check(f'{name}: without the page of the formats of smaps', problems)
    os.unlink(copy)
