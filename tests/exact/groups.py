# SPDX-License-Identifier: GPL-3.0-or-later
"""Control groups of a dump, compared with the kernel's own files: memory.stat, events, limits."""
import os

# Lines of memory.stat that are columns of the same name.
STAT = ('anon', 'file', 'shmem', 'kernel', 'slab', 'slab_reclaimable', 'slab_unreclaimable',
        'kernel_stack', 'pagetables', 'sec_pagetables', 'percpu', 'sock', 'vmalloc', 'zswap',
        'zswapped', 'file_mapped', 'file_dirty', 'file_writeback', 'swapcached')
EVENTS = {'low': 'low_events', 'high': 'high_events', 'max': 'max_events', 'oom': 'oom_events',
          'oom_kill': 'oom_kill'}
FILES = {'memory.current': 'usage', 'memory.swap.current': 'swap', 'memory.max': 'max',
         'memory.high': 'high', 'memory.low': 'low', 'memory.swap.max': 'swap_max',
         'memory.peak': 'peak'}


def lines(path):
    with open(path) as f:
        return dict(line.split() for line in f)


def value(folder, name):
    with open(os.path.join(folder, name)) as f:
        text = f.read().strip()
    return None if text == 'max' else int(text)


def batched(truth):
    """Before 5.13 memory.stat lacks what CPUs keep: up to 32 pages in each, for each group."""
    version = truth.read('version').split()[2].split(b'.')
    return (int(version[0]), int(version[1])) < (5, 13)


def compare_group(folder, row, slack):
    """Values compared, and what differs; lines of memory.stat may by SLACK bytes."""
    want = {column: value(folder, name) for name, column in FILES.items()
            if os.path.exists(os.path.join(folder, name))}
    for name in ('low', 'high'):    # their defaults: no protection, no limit
        if want.get(name) == 0:
            del want[name]
    stat = lines(os.path.join(folder, 'memory.stat'))
    want.update({name: int(stat[name]) for name in STAT if name in stat})
    events = lines(os.path.join(folder, 'memory.events'))
    want.update({column: int(events[name]) for name, column in EVENTS.items() if name in events})
    with open(os.path.join(folder, 'cgroup.procs')) as f:
        want['procs'] = len(f.read().split())
    return len(want), [f'{column}: kernel {right}, vmcensus {row[column]}'
                       for column, right in want.items() if row[column] != right and
                       not (slack and column in STAT and row[column] is not None and
                            abs(row[column] - right) <= slack)]


def compare_groups(tally, name, vmcensus, truth):
    """All but the root, to which the recorder and process 1 belong."""
    rows, why = vmcensus.rows('cgroups')
    if rows is None:
        tally.check(f'{name} cgroups', [why])
        return
    by_path, differences, compared = {r['path']: r for r in rows}, [], 0
    slack = 32 * 4096 * len(rows) * 2 if batched(truth) else 0      # 2 CPUs
    top = os.path.join(truth.folder, 'cgroup')
    for folder, _, files in os.walk(top):
        path = '/' + os.path.relpath(folder, top)
        if 'memory.current' not in files:
            continue
        if path not in by_path:
            differences.append(f'{path}: no row')
            continue
        n, wrong = compare_group(folder, by_path[path], slack)
        compared += n
        differences += [f'{path}: {text}' for text in wrong]
    if not compared and not differences:
        tally.skip(f'{name} cgroups', 'the truth has none')
        return
    tally.check(f'{name} cgroups', differences, f'{compared} values')
