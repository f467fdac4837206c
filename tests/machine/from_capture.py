#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""from_capture.py CAPTURE > MACHINE: the machine of a collector's text (T:, V:, P: and M: lines, as
in tests/fixtures/usenix05/) as a text for mkdump: 2.4 on a 40x.

A capture knows frames, entries, counts and flags; it has no inode numbers and no offsets in files:
inodes are numbered as met, the offset of a file's later areas is their distance from its first.
"""
import re
import sys

KERNEL = 0x3000000      # above all frames of the capture
FRAMES = 0x4000000 >> 12


def words(line):
    return [w.strip() for w in line.split(':', 1)[1].split(',')]


def read(lines):
    """[(task words, [area: (V words, [page])])]; an M: line goes on in lines without a letter."""
    tasks = []
    for line in lines:
        if line.startswith('T:'):
            tasks.append((words(line), []))
        elif line.startswith('V:'):
            tasks[-1][1].append((words(line), []))
        elif line.startswith('M:') or re.match(r'[0-9A-Fa-f]{8}=', line):
            pages = line[2:] if line.startswith('M:') else line
            for va, pte, count, flags in re.findall(
                    r'([0-9A-Fa-f]{8})=([0-9A-Fa-f]{8}), *(\d+), *([0-9A-Fa-f]{8})', pages):
                tasks[-1][1][-1][1].append((int(va, 16), int(pte, 16), int(count), int(flags, 16)))
    return tasks


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        tasks = read(f)
    files, frames, spaces = {}, {}, {}
    for task, areas in tasks:
        first = {}
        for area, pages in areas:
            start, flags, path = int(area[0], 16), int(area[5], 16), area[6]
            if path != 'NULL':
                files.setdefault(path, f'f{len(files)}')
            first.setdefault(path, start)
            for va, pte, count, pageflags in pages:
                index = (va - first[path]) >> 12
                # a page that was written belongs to the process
                cached = path != 'NULL' and not flags & 2
                frames.setdefault(pte & ~0xfff, (files[path] if cached else '-',
                                                 index if cached else 0, count, pageflags))
        if int(task[2], 16):
            spaces.setdefault(task[2], (task[0], areas, first))
    out = ['release 2.4.27', f'frames {FRAMES}', f'base {KERNEL:#x}']
    out += [f'file {name} {path} {100 + i}' for i, (path, name) in enumerate(files.items())]
    out += [f'frame p{at:x} {name} {index} count={count} flags={flags:#x} at={at:#x}'
            for at, (name, index, count, flags) in sorted(frames.items())]
    for mm, (_, areas, first) in spaces.items():
        out.append(f'mm m{mm}')
        for area, pages in areas:
            start, end, flags = (int(area[i], 16) for i in (0, 1, 5))
            backing = '' if area[6] == 'NULL' else \
                f' {files[area[6]]} {(start - first[area[6]]) >> 12}'
            out.append(f'area {start:#x} {end + 1:#x} {flags:#x}{backing}')
            out += [f'page {va:#x} p{pte & ~0xfff:x} ={pte & 0xfff:#x}'
                    for va, pte, _, _ in pages]
    for task, _ in tasks:
        mm = '-' if not int(task[2], 16) else 'm' + task[2]
        out.append(f'task {task[1]} {task[1]} {task[0]} {mm} S {min(int(task[1]), 1)}'
                   if task[1] not in '01' else f'task {task[1]} {task[1]} {task[0]} {mm} S 0')
        out.append(f'faults {task[1]} {task[4]} {task[5]}')
        out.append(f'times {task[1]} {task[8]} {task[9]}')
    print('\n'.join(out))


main()
