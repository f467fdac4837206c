# SPDX-License-Identifier: GPL-3.0-or-later
"""meminfo, swaps and uptime of a dump, compared with those that its kernel printed some seconds
before.

User space is frozen while the truth is recorded, except process 1 and the
recorder: a Python program of some 16 MiB that reads much of /proc, writes what
it found to a raw device, and ends before the dump. Its memory and the page cache of its files may
differ; all other values must be equal.
"""
import re
import subprocess

# What the recorder's memory is part of: KiB that may differ. MemFree also holds
# the free pages that CPUs keep in their own lists.
MOVING = {
    'MemFree': 49152, 'MemAvailable': 49152, 'LowFree': 49152, 'HighFree': 49152,
    'Active': 32768, 'Inactive': 32768,
    'Active(anon)': 32768, 'Inactive(anon)': 32768, 'AnonPages': 32768, 'AnonHugePages': 32768,
    'Active(file)': 8192, 'Inactive(file)': 8192, 'Cached': 8192, 'Mapped': 8192, 'Buffers': 1024,
    'KReclaimable': 1024, 'Slab': 2048, 'SReclaimable': 1024, 'SUnreclaim': 1024,
    'KernelStack': 256, 'PageTables': 256, 'VmallocUsed': 1024, 'Committed_AS': 49152,
    'Shmem': 256, 'Dirty': 1024, 'Writeback': 1024, 'SwapFree': 4096, 'SwapCached': 4096,
}
# What a machine that ran out of memory after the recording still has.
FIXED = {'MemTotal', 'SwapTotal', 'VmallocTotal', 'HugePages_Total', 'Hugepagesize', 'Hugetlb',
         'CommitLimit'}
SECONDS = 900           # between recording and dump, at most; the guests are emulated


def meminfo(text):
    """[(name, KiB or count, or None)], in order."""
    return [(name, None if value == '-' else int(value))
            for name, value in re.findall(r'^([^:\n]+): *(\d+|-)', text, re.M)]


# Lines of one CPU's own, which vmcensus knows only for x86-64.
OF_CPU = re.compile('VmallocTotal|DirectMap')
# Told as unknown for kernels that sum them over the areas (until a5ad88ce8c7f, v4.4).
SUMMED = re.compile('VmallocUsed|VmallocChunk')


def compare_meminfo(want, got, everything, x86_64, summed):
    values = dict(got)
    if not x86_64:
        want = [(n, v) for n, v in want if n in values or not OF_CPU.match(n)]
    names = [n for n, _ in want]
    if names != [n for n, _ in got]:
        return [f'lines differ: {sorted(set(names) ^ set(values))}, or their order']
    differences = []
    for name, right in want:
        value = values[name]
        if not everything and name not in FIXED or value is None and summed and SUMMED.match(name):
            continue
        if value is None or abs(value - right) > MOVING.get(name, 0):
            differences.append(f'{name}: kernel {right}, vmcensus {value}')
    return differences


def compare_swaps(text, got):
    rows = [line.split() for line in text.splitlines()[1:]]
    want = [(r[0], r[2], int(r[3]), r[4]) for r in rows]
    have = [(r[0], r[1], int(r[2]), r[3]) for r in map(str.split, got)]
    same = len(want) == len(have) and all(
        w[:2] + w[3:] == h[:2] + h[3:] and abs(w[2] - h[2]) <= MOVING['SwapFree']
        for w, h in zip(want, have))
    return [] if same else [f'kernel {want}\nvmcensus {have}']


def compare_machine(tally, name, tool, image, types, truth):
    options = ['-t', types] if types else []
    done = subprocess.run([tool, *options, *image], capture_output=True, text=True, timeout=180,
                          errors='replace')
    if done.returncode:
        tally.check(f'{name} machine', [f'exit {done.returncode}: {done.stderr[-400:]}'])
        return
    def section(name):
        return '\n'.join(re.findall(rf'^{name} (.*)$', done.stdout, re.M))

    oom = section('panic').startswith('Out of memory')
    tally.check(f'{name} meminfo', compare_meminfo(
        meminfo(truth.read('meminfo').decode()), meminfo(section('meminfo')), not oom,
        'x86_64' in name, truth.release < (4, 4)))
    if not oom:
        tally.check(f'{name} swaps', compare_swaps(truth.read('swaps').decode(),
                                                   section('swap').splitlines()))
    then = float(truth.read('uptime').split()[0])
    now = float(section('uptime'))
    # a tick is lost between the timekeeper's last update and the dump
    tally.check(f'{name} uptime', [] if then - 1 <= now <= then + SECONDS else
                [f'{then} s when recorded, {now} s in the dump'])
