# SPDX-License-Identifier: GPL-3.0-or-later
"""Control groups of a dump, compared with the kernel's own files: memory.stat, events, limits."""
import os

# Lines of memory.stat that are columns of the same name.
STAT = ('anon', 'file', 'shmem', 'kernel', 'slab', 'slab_reclaimable', 'slab_unreclaimable',
        'kernel_stack', 'pagetables', 'sec_pagetables', 'percpu', 'sock', 'vmalloc', 'zswap',
        'zswapped', 'file_mapped', 'file_dirty', 'file_writeback', 'swapcached', 'inactive_anon',
        'active_anon', 'inactive_file', 'active_file', 'unevictable')
EVENTS = {'low': 'low_events', 'high': 'high_events', 'max': 'max_events', 'oom': 'oom_events',
          'oom_kill': 'oom_kill'}
FILES = {'memory.current': 'usage', 'memory.swap.current': 'swap', 'memory.max': 'max',
         'memory.high': 'high', 'memory.low': 'low', 'memory.swap.max': 'swap_max',
         'memory.peak': 'peak'}
# Files of one value, and lines of events, that are columns of the parts.
LIMITS = {'memory.current': 'usage', 'memory.peak': 'peak', 'memory.min': 'min', 'memory.low': 'low',
          'memory.high': 'high', 'memory.max': 'max', 'memory.swap.current': 'swap',
          'memory.swap.peak': 'swap_peak', 'memory.swap.high': 'swap_high',
          'memory.swap.max': 'swap_max', 'memory.zswap.max': 'zswap_max',
          'memory.oom.group': 'oom_group'}
HAPPENED = {'memory.events': ('', ''), 'memory.events.local': ('local_', ''),
            'memory.swap.events': ('', 'swap_')}


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


def compare_group(folder, row, slack, stats):
    """Values compared, and what differs; lines of memory.stat, if STATS, may by SLACK bytes."""
    want = {column: value(folder, name) for name, column in FILES.items()
            if os.path.exists(os.path.join(folder, name))}
    for name in ('low', 'high'):    # their defaults: no protection, no limit
        if want.get(name) == 0:
            del want[name]
    stat = lines(os.path.join(folder, 'memory.stat'))
    want.update({name: int(stat[name]) for name in STAT if name in stat and stats})
    if stats and 'memory.current' in os.listdir(folder):
        want['working_set'] = max(value(folder, 'memory.current') - int(stat['inactive_file']), 0)
    events = lines(os.path.join(folder, 'memory.events'))
    want.update({column: int(events[name]) for name, column in EVENTS.items() if name in events})
    with open(os.path.join(folder, 'cgroup.procs')) as f:
        want['procs'] = len(f.read().split())
    return len(want), [f'{column}: kernel {right}, vmcensus {row[column]}'
                       for column, right in want.items() if row[column] != right and
                       not (slack and (column in STAT or column == 'working_set') and row[column] is not None and
                            abs(row[column] - right) <= slack)]


def compare_groups(tally, name, vmcensus, truth):
    compare_usage(tally, name, vmcensus, truth)
    compare_parts(tally, name, vmcensus, truth)
    compare_pressure(tally, name, vmcensus, truth)
    compare_slab(tally, name, vmcensus, truth)
    compare_age(tally, name, vmcensus, truth)


def has_groups(truth):
    return os.path.isdir(os.path.join(truth.folder, 'cgroup'))


def below(rows, path):
    return [r for r in rows if r['cgroup'] == path or r['cgroup'].startswith(path + '/')]


def compare_age(tally, name, vmcensus, truth):
    """age, added up over the groups below: the lines of memory.stat that count the same lists."""
    if not has_groups(truth) or not vmcensus.knows('mem_cgroup_per_node.lru_zone_size'):
        return
    rows, why = vmcensus.rows('age')
    if rows is None:
        tally.check(f'{name} age', [why])
        return
    differences, compared, slack = [], 0, 2 * 32 * 4096 * 5 if batched(truth) else 0
    top = os.path.join(truth.folder, 'cgroup')
    for folder, _, files in os.walk(top):
        if 'memory.current' not in files:
            continue
        path, stat = '/' + os.path.relpath(folder, top), lines(os.path.join(folder, 'memory.stat'))
        got = {f'{word}_{kind}': sum(r[kind] for r in below(rows, path)
                                     if r['active'] == active and r['list'] != 'unevictable')
               for active, word in enumerate(('inactive', 'active')) for kind in ('anon', 'file')}
        got['unevictable'] = sum(r['size'] for r in below(rows, path) if r['list'] == 'unevictable')
        compared += len(got)
        differences += [f'{path} {k}: kernel {stat[k]}, vmcensus {v}' for k, v in got.items()
                        if abs(v - int(stat[k])) > slack]
    if compared:
        tally.check(f'{name} age', differences, f'{compared} values')


def compare_slab(tally, name, vmcensus, truth):
    """slab --by cgroup, added up over the groups below, with memory.stat: each CPU has a page in stock."""
    if not has_groups(truth) or not vmcensus.knows('obj_cgroup.memcg'):
        return
    rows, why = vmcensus.rows('slab', '--by', 'cgroup')
    if rows is None:
        tally.check(f'{name} slab --by cgroup', [why])
        return
    differences, compared, top = [], 0, os.path.join(truth.folder, 'cgroup')
    charged = [r for r in rows if r['cgroup']]
    for folder, _, files in os.walk(top):
        if 'memory.current' not in files:
            continue
        path, stat = '/' + os.path.relpath(folder, top), lines(os.path.join(folder, 'memory.stat'))
        for kind, column in (('yes', 'slab_reclaimable'), ('no', 'slab_unreclaimable')):
            got = sum(r['charged'] for r in below(charged, path) if r['reclaimable'] == kind)
            compared += 1
            if abs(got - int(stat.get(column, got))) > 2 * 4096:     # 2 CPUs
                differences.append(f'{path} {column}: kernel {stat[column]}, vmcensus {got}')
    if compared:
        tally.check(f'{name} slab --by cgroup', differences, f'{compared} values')


def compare_usage(tally, name, vmcensus, truth):
    """All but the root, to which the recorder and process 1 belong."""
    rows, why = vmcensus.rows('cgroups')
    if rows is None:
        tally.check(f'{name} cgroups', [why])
        return
    by_path, differences, compared = {r['path']: r for r in rows}, [], 0
    # the counters of 4.18 (mem_cgroup.stat_cpu) are not read
    stats = vmcensus.knows('mem_cgroup.vmstats') or vmcensus.knows('mem_cgroup.vmstats_percpu')
    slack = 32 * 4096 * len(rows) * 2 if batched(truth) else 0      # 2 CPUs
    top = os.path.join(truth.folder, 'cgroup')
    for folder, _, files in os.walk(top):
        path = '/' + os.path.relpath(folder, top)
        if 'memory.current' not in files:
            continue
        if path not in by_path:
            differences.append(f'{path}: no row')
            continue
        n, wrong = compare_group(folder, by_path[path], slack, stats)
        compared += n
        differences += [f'{path}: {text}' for text in wrong]
    if not compared and not differences:
        tally.skip(f'{name} cgroups', 'the truth has none')
        return
    tally.check(f'{name} cgroups', differences, f'{compared} values')


def each_group(truth, rows, differences):
    """Folder of the truth and its row, of all but the root."""
    by_path = {r['path']: r for r in rows}
    top = os.path.join(truth.folder, 'cgroup')
    for folder, _, files in os.walk(top):
        path = '/' + os.path.relpath(folder, top)
        if 'memory.current' not in files:
            continue
        if path in by_path:
            yield path, folder, by_path[path]
        else:
            differences.append(f'{path}: no row')


def limits_of(folder):
    return {column: value(folder, name) for name, column in LIMITS.items()
            if os.path.exists(os.path.join(folder, name))}


def events_of(folder):
    out = {}
    for name, (before, kind) in HAPPENED.items():
        if os.path.exists(os.path.join(folder, name)):
            out.update({before + kind + key: int(v) for key, v in
                        lines(os.path.join(folder, name)).items()})
    return out


def compare_parts(tally, name, vmcensus, truth):
    """cgroups --limits and --events, with the kernel's files."""
    for part, read in (('--limits', limits_of), ('--events', events_of)):
        rows, why = vmcensus.rows('cgroups', part)
        if rows is None:
            tally.check(f'{name} cgroups {part}', [why])
            continue
        differences, n = [], 0
        for path, folder, row in each_group(truth, rows, differences):
            want = read(folder)
            n += len(want)
            differences += [f'{path} {c}: kernel {v}, vmcensus {row[c]}'
                            for c, v in want.items() if row[c] != v and
                            (row[c] is not None or vmcensus.knows('mem_cgroup.memory.min'))]
        if n or differences:
            tally.check(f'{name} cgroups {part}', differences, f'{n} values')


def pressure_lines(text):
    """{'some': (avg10, avg60, avg300, total)}"""
    out = {}
    for line in text.splitlines():
        kind, *pairs = line.split()
        out[kind.decode()] = tuple(pair.split(b'=')[1].decode() for pair in pairs)
    return out


def compare_pressure(tally, name, vmcensus, truth):
    """cgroups --psi with the files: totals may have grown since, averages go down."""
    files = {'machine': truth.read('pressure_memory')} if truth.has('pressure_memory') else {}
    for folder, _, names in os.walk(os.path.join(truth.folder, 'cgroup')):
        if 'memory.pressure' in names:
            path = os.path.relpath(folder, os.path.join(truth.folder, 'cgroup'))
            with open(os.path.join(folder, 'memory.pressure'), 'rb') as f:
                files['/' if path == '.' else '/' + path] = f.read()
    if not any(files.values()) or not vmcensus.knows('psi_group.total'):
        return
    rows, why = vmcensus.rows('cgroups', '--psi')
    if rows is None:
        tally.check(f'{name} cgroups --psi', [why])
        return
    by_path, differences, n = {r['path']: r for r in rows}, [], 0
    for path, text in files.items():
        for kind, want in pressure_lines(text).items():
            row = by_path.get(path)
            got = row and tuple(int(row[f'{kind}_avg{w}'] * 100) / 100 for w in (10, 60, 300))
            n += 1
            if not row or row[f'{kind}_total'] < int(want[3]):
                differences.append(f'{path} {kind}: kernel {want}, vmcensus {row}')
            elif row[f'{kind}_total'] == int(want[3]) and \
                    any(g > float(w) + 0.01 for g, w in zip(got, want)):
                differences.append(f'{path} {kind}: kernel {want}, vmcensus {got}')
    tally.check(f'{name} cgroups --psi', differences, f'{n} lines')
