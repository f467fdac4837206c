# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools that read /proc and /sys, on the export of a dump: what they print there, against what they
print of the files that the dump's kernel itself wrote.

A tool has the names of its files built in: it runs in a mount namespace of its own, where the tree is
/proc and its node/ is /sys/devices/system/node. Only lines whose numbers come from files, or lines of
them, that are equal on both sides must be equal: the recorder itself moves some counters.
"""
import os
import re
import shutil
import subprocess
from itertools import zip_longest

NODES = '/sys/devices/system/node'
PLACES = ('mount --bind "$0" /proc; '
          f'if [ -d "$0/node" ]; then mount --bind "$0/node" {NODES}; fi; exec "$@"')

# counters that go on while the recorder runs, or that it moves; slabs are freed by kernel threads
MOVES = {'MemFree', 'MemUsed', 'AnonHugePages', 'Active', 'Inactive', 'Active(anon)', 'Inactive(anon)',
         'Active(file)', 'Inactive(file)', 'AnonPages', 'Dirty', 'Writeback', 'FilePages', 'Mapped',
         'KReclaimable', 'Slab', 'SReclaimable', 'SUnreclaim', 'KernelStack', 'PageTables', 'Shmem'}
# frames with one of these flags: of the recorder, free, or taken by kernel threads
MOVING_FLAGS = {'anonymous', 'buddy', 'slab', 'n', '', 'compound_head', 'compound_tail'}
# of frames that stay: LRU lists change them, and the end of the tool, which had its files mapped
CHANGED_FLAGS = {'referenced', 'active', 'lru', 'mmap'}
OWN_TABLES = 16         # page tables of the tool itself
MOVED_KIB = 65536       # the recorder itself holds what it recorded


def lacking(tool):
    """Why TOOL cannot run in another /proc, or ''."""
    if not shutil.which(tool):
        return f'{tool} is not installed'
    done = subprocess.run(['unshare', '-m', 'sh', '-c', 'mount --bind /tmp /proc'], capture_output=True)
    return '' if done.returncode == 0 else 'mounts need root'


def run(tree, *command):
    """Lines of its output."""
    done = subprocess.run(['unshare', '-m', 'sh', '-ec', PLACES, tree, *command], capture_output=True,
                          timeout=120, env={**os.environ, 'LC_ALL': 'C'})
    return (done.stdout + done.stderr).decode(errors='replace').splitlines()


def by_name(text):
    """{first word: line} of slabinfo."""
    return {line.split()[0]: line for line in text.decode(errors='replace').splitlines() if line}


def rows_of_slabtop(lines):
    """{cache: line} below the heads."""
    return {line.split()[-1]: line for line in lines[7:] if line}


def same_slabs(said, tree):
    """Caches whose line of slabinfo is the same in both folders."""
    lines = []
    for folder in (said, tree):
        with open(os.path.join(folder, 'slabinfo'), 'rb') as f:
            lines.append(by_name(f.read()))
    return [name for name, line in lines[0].items() if lines[1].get(name) == line]


def compare_slabtop(check, skip, said, tree):
    """Rows of caches whose line of slabinfo is the same in the folders SAID and TREE."""
    why = lacking('slabtop')
    files = [os.path.join(folder, 'slabinfo') for folder in (said, tree)]
    if why or not all(map(os.path.exists, files)):
        skip('slabtop', why or 'no slabinfo')
        return
    rows = [rows_of_slabtop(run(folder, 'slabtop', '-o')) for folder in (said, tree)]
    same = [name for name in same_slabs(said, tree) if name in rows[0]]
    wrong = [] if same and len(rows[0]) == len(rows[1]) else [f'{len(rows[0])} rows, got {len(rows[1])}']
    wrong += [f'{rows[0][name]!r}, got {rows[1].get(name)!r}' for name in same
              if rows[0][name] != rows[1].get(name)]
    check('slabtop', wrong, f'{len(same)} caches of {len(rows[0])}')


def node_lines(folder):
    """{label: set of lines} of the meminfo of all nodes."""
    found = {}
    for node in sorted(os.listdir(os.path.join(folder, 'node'))):
        with open(os.path.join(folder, 'node', node, 'meminfo')) as f:
            for line in f:
                found.setdefault(line.split()[2].rstrip(':'), set()).add(line)
    return found


def kib(lines):
    return sum(int(line.split()[3]) for line in lines)


def compare_numastat(check, skip, said, tree, pids):
    """numastat -m, and -p of PIDS, whose numa_maps are known to be equal."""
    why = lacking('numastat')
    if not why and not os.path.isdir(said + '/node'):
        why = 'the files of nodes were not recorded'
    if not why and not os.path.isdir(NODES):
        why = f'this machine has no {NODES}'
    if why:
        skip('numastat', why)
        return
    want, got = (run(folder, 'numastat', '-m') for folder in (said, tree))
    known, ours = node_lines(said), node_lines(tree)
    differ = {label for label in known if known[label] != ours.get(label)}
    wrong = [] if len(want) == len(got) else [f'{len(want)} lines, got {len(got)}']
    wrong += [f'{a!r}, got {b!r}' for a, b in zip(want, got) if a != b and a.split()[0] not in differ]
    wrong += [f'{label}: {known[label]}, got {ours.get(label)}' for label in differ
              if label not in MOVES or abs(kib(known[label]) - kib(ours.get(label, ()))) > MOVED_KIB]
    check('numastat -m', wrong, f'{len(known) - len(differ)} of {len(known)} lines of meminfo are equal')
    command = 'numastat', *(word for pid in pids for word in ('-p', str(pid)))
    want, got = (run(folder, *command) for folder in (said, tree)) if pids else ([], [])
    check('numastat -p', [] if want == got and bool(want) == bool(pids) else [f'{want}, got {got}'],
          f'{len(pids)} processes')


def slabtop_differs(want, got, said, tree):
    """Kernel threads free slabs, and the recorder takes some: of caches that did not change alone."""
    rows = [rows_of_slabtop(lines) for lines in (want, got)]
    same = [name for name in same_slabs(said, tree) if name in rows[0]]
    wrong = [f'{rows[0][name]!r}, got {rows[1].get(name)!r}' for name in same
             if rows[0][name] != rows[1].get(name)]
    return wrong + ([] if len(same) * 2 > len(rows[0]) else [f'only {len(same)} caches did not change'])


def numastat_differs(want, got):
    """Of the whole machine; MiB with two digits."""
    def value(line):
        return float(line.split()[-1])
    wrong = [] if len(want) == len(got) else [f'{len(want)} lines, got {len(got)}']
    for a, b in zip(want, got):
        if a != b and (a.split()[0] not in MOVES or abs(value(a) - value(b)) * 1024 > MOVED_KIB):
            wrong.append(f'{a!r}, got {b!r}')
    return wrong


def rows_of_page_types(lines):
    """({names of flags but CHANGED_FLAGS: frames}, total) of the whole machine."""
    found, total = {}, 0
    for m in filter(None, (re.match(r'\s*(\S+)\s+(\d+)\s+\d+(?:\s+\S+\s+(\S*))?', line) for line in lines[1:])):
        if m[1] == 'total':
            total = int(m[2])
        else:
            names = frozenset((m[3] or '').split(',')) - CHANGED_FLAGS
            found[names] = found.get(names, 0) + int(m[2])
    return found, total


def page_types_differ(before, want, got):
    """Frames by their flags, all of the machine; the guest printed them twice, BEFORE its other tools and
    after them (WANT). What these read and map moves some frames: a row that they moved may differ from the
    dump by twice as much. Those of the recorder, free ones and slabs move more.
    """
    (first, _), (last, total), (ours, our_total) = map(rows_of_page_types, (before, want, got))
    wrong = [] if total and total == our_total else [f'total {total}, got {our_total}']
    for names in sorted(last.keys() | ours.keys(), key=sorted):
        a, b, c = (rows.get(names, 0) for rows in (first, last, ours))
        free = MOVED_KIB // 4 if not names or MOVING_FLAGS & names else OWN_TABLES if 'pgtable' in names \
            else 2 * abs(a - b)
        if abs(b - c) > free:
            wrong.append(f'{sorted(names)}: {a}, {b}, got {c}')
    return wrong


def differences(tool, want, got, said, tree, before=None):
    """Of what TOOL printed in the guest and of the export TREE; SAID has the recorded files. BEFORE: what it
    printed in the guest the first time.
    """
    if tool == 'slabtop':
        return slabtop_differs(want, got, said, tree)
    if tool == 'numastat-m':
        return numastat_differs(want, got)
    if tool == 'page-types':
        return page_types_differ(before, want, got)
    return [f'{a!r}, got {b!r}' for a, b in zip_longest(want, got) if a != b]
