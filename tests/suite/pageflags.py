# SPDX-License-Identifier: GPL-3.0-or-later
"""The flags of page frames of a dump against its kernel's /proc/kpageflags.

User space was frozen when that was read, but not the recorder: it went on to read
/proc, and ended. Frames that were free then or are free now are its own and not
compared; of all others the flags must be the same, but for what the passage of time
alone changes: lists are drained, pages age.
"""
import array
import csv
import io
import subprocess

BUDDY, MMAP, RESERVED = 1 << 10, 1 << 11, 1 << 32
TIME = 1 << 2 | 1 << 5 | 1 << 6 | 1 << 25      # referenced, lru, active, idle
# Slabs and page tables that changed hands, of the frames compared.
TURNOVER = 0.004
KINDS = {'mapped': MMAP, 'anonymous': 1 << 12, 'slab': 1 << 7, 'page table': 1 << 26,
         'swap cache': 1 << 13, 'reserved': RESERVED, 'compound': 1 << 15}


def flags(program, image):
    """{pfn: flags}, and what went wrong."""
    done = subprocess.run([program, 'pages', '--all', '-q', '-f', 'csv', '-c', 'pfn,kpf', *image],
                          capture_output=True, text=True, timeout=180, check=False)
    if done.returncode not in (0, 2):
        return {}, done.stderr
    rows = csv.DictReader(io.StringIO(done.stdout))
    return {int(r['pfn']): int(r['kpf'], 16) for r in rows if r['kpf']}, ''


def free(kpf):
    return not kpf or kpf & BUDDY


def compare_pageflags(tally, name, program, image, truth):
    raw = truth.read('kpageflags')
    if not raw:
        tally.skip(f'{name} pages', 'kpageflags was not recorded')
        return
    got, error = flags(program, image)
    kernel, wrong, compared, moved, mapped = array.array('Q', raw), [], 0, 0, 0
    seen = dict.fromkeys(KINDS, 0)
    for pfn, want in enumerate(kernel):
        have = got.get(pfn)
        if have is None or free(want) or free(have):
            continue
        compared += 1
        for kind, bit in KINDS.items():
            seen[kind] += bool(want & bit and have & bit)
        if not (want ^ have) & ~TIME:
            continue
        if want & MMAP and have & MMAP:
            wrong.append(f'frame {pfn:#x}: kernel {want:#x}, vmcensus {have:#x}')
        moved += 1
    if error or moved > compared * TURNOVER:
        wrong.append(f'{moved} of {compared} frames differ {error}')
    wrong += [f'no frame is {kind} with both' for kind, n in seen.items() if not n]
    tally.check(f'{name} pages: flags of /proc/kpageflags', wrong,
                f'{compared} frames compared, {moved} moved on')
