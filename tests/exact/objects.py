# SPDX-License-Identifier: GPL-3.0-or-later
"""Swap and shared memory of a dump, compared with the kernel's own files."""
import collections
import os
import re

from exact.sizes import FRAME, PRESENT, entries

MAP_LINE = re.compile(r'^\S+ \S+ \S+ \S+ (\d+) +(/dev/zero|/SYSV\S*|/memfd:.*) \(deleted\)$', re.M)
HUGE_START = re.compile(rb'^([0-9a-f]+)-\S+ .*\n(?:\w+: .*\n)*?VmFlags:.* ht ', re.M)
HUGE_RATIO = 512        # 2 MiB pages
OF_FILE = 1 << 61       # pagemap: the page cache's, or shared memory
HUGE = re.compile(rb'^\S+ \S+ \S+ \S+ (\d+) +/.*\n(?:\w+: .*\n)*?VmFlags:.* ht ', re.M)


def meminfo(truth, name):
    return 1024 * int(re.search(rb'^%s: +(\d+) kB' % name, truth.read('meminfo'), re.M)[1])


def of_hugetlbfs(truth):
    return {int(ino) for p in truth.all for ino in HUGE.findall(p.read('smaps'))}


def check_hugetlb(truth, rows):
    """Huge pages in use are those of objects and of private mappings, which pagemap shows."""
    objects = [r for r in rows if r['kind'] == 'hugetlb']
    if not any(p.has('pagemap.bin') for p in truth.all):
        return []
    said = {n: int(v) for n, v in re.findall(rb'^(HugePages_\w+|Hugepagesize): +(\d+)',
                                             truth.read('meminfo'), re.M)}
    frames = set()
    for p in truth.all:
        starts = {int(a, 16) for a in HUGE_START.findall(p.read('smaps'))}
        for start, words in entries(p):
            if start in starts:
                frames.update(w & FRAME for w in words if w & PRESENT and not w & OF_FILE)
    size = 1024 * said.get(b'Hugepagesize', 0)
    used = (said.get(b'HugePages_Total', 0) - said.get(b'HugePages_Free', 0)) * size
    got = sum(r['resident'] for r in objects) + truth.page_size * len(frames)
    return [] if got == used or not objects else [f'hugetlb: kernel {used}, vmcensus and pagemap {got}']


def check_segments(truth, rows):
    """Each segment of /proc/sysvipc/shm; those of hugetlbfs where layout files know its inodes."""
    if not truth.has('sysvipc_shm'):
        return []
    huge = of_hugetlbfs(truth)
    if any(row['kind'] == 'hugetlb' for row in rows):
        huge = set()
    by_id = {row['shmid']: row for row in rows if row['shmid'] is not None}
    differences, lines = [], truth.read('sysvipc_shm').decode().splitlines()
    for line in lines[1:]:
        said = dict(zip(lines[0].split(), map(int, line.split())))
        row = by_id.get(said['shmid'])
        if said['shmid'] in huge and not row:
            continue
        want = [said['key'], said['size'], said['rss'], said['swap'], said['uid'], said['nattch']]
        got = row and [row[n] if n != 'key' else int(str(row[n]), 0)
                       for n in ('key', 'size', 'resident', 'swapped', 'uid', 'vmas')]
        # since a08c7193e4f1 (v6.7) shm_add_rss_swap() multiplies base pages by the huge page's
        if row and row['kind'] == 'hugetlb' and want[2] == HUGE_RATIO * got[2]:
            want[2] = got[2]
        if want != got:
            differences.append(f'shmid {said["shmid"]}: kernel {want}, vmcensus {got}')
    return differences


def maps_of(process):
    """Its own maps, or where its leader has ended those of a thread."""
    folder = process.folder + '/thread_maps'
    threads = os.listdir(folder) if os.path.isdir(folder) else []
    return process.read('maps') or (process.read(f'thread_maps/{threads[0]}') if threads else b'')


def check_mappers(truth, rows):
    """Of the objects on the kernel's own mount, where inode numbers are unique except SysV's."""
    users, vmas = collections.defaultdict(set), collections.Counter()
    for p in truth.all:
        for ino, name in MAP_LINE.findall(maps_of(p).decode(errors='replace')):
            key = int(ino), name[:5]
            users[key].add(p.pid)
            vmas[key] += 1
    got = {(row['ino'], row['path'][:5]): (row['mappers'], row['vmas'])
           for row in rows if row['kind'] in ('sysv', 'anon', 'memfd') and row['vmas']}
    want = {key: (len(users[key]), vmas[key]) for key in users
            if key in got or key[0] not in of_hugetlbfs(truth)}
    return [f'{key}: kernel {want.get(key)}, vmcensus {got.get(key)}'
            for key in set(want) | set(got) if want.get(key) != got.get(key)]


def compare_shm(tally, name, vmcensus, truth):
    rows, why = vmcensus.rows('shm', '--all')
    if rows is None:
        tally.check(f'{name} shm', [why])
        return
    resident = sum(r['resident'] for r in rows if r['kind'] != 'hugetlb')
    said = meminfo(truth, b'Shmem')
    wrong = check_hugetlb(truth, rows) + ([] if resident == said else [f'resident: Shmem {said}, vmcensus {resident}'])
    # the counter in the dump lacks the counts that are still per CPU; layout files may not tell that
    note = vmcensus('shm', '-n', '1')[1].decode().splitlines()[-1]
    if not vmcensus.types and not note.endswith('difference +0 KiB'):
        wrong.append(note)
    tally.check(f'{name} shm', wrong + check_segments(truth, rows) + check_mappers(truth, rows),
                f'{len(rows)} objects')


def compare_swap(tally, name, vmcensus, truth):
    """Areas as /proc/swaps has them; every slot in use has an owner."""
    rows, why = vmcensus.rows('swap')
    if rows is None:
        tally.check(f'{name} swap', [why])
        return
    lines = [line.split() for line in truth.read('swaps').decode().splitlines()[1:]]
    want = [(w[0], 1024 * int(w[2]), 1024 * int(w[3]), int(w[4])) for w in lines]
    areas = [r for r in rows if r['kind'] == 'area']
    got = [(r['name'], r['size'], r['used'], r['prio']) for r in areas]
    wrong = [] if want == got else [f'areas: kernel {want}, vmcensus {got}']
    used, share = sum(r['used'] for r in areas), sum(r['share'] or 0 for r in rows)
    if abs(used - share) > 4096 or any(r['kind'] == 'unowned' for r in rows):
        wrong.append(f'in use {used}, owned {share}')
    cached, said = sum(r['cached'] or 0 for r in areas), meminfo(truth, b'SwapCached')
    reserved = sum(r['share'] for r in rows if r['kind'] == 'reserved')
    if cached - reserved != said:
        wrong.append(f'SwapCached {said}, vmcensus {cached} - {reserved} reserved')
    own = {p.pid: p.smaps_sum('Swap') for p in truth.frozen()}
    wrong += [f'{r["pid"]}: smaps {own[r["pid"]]}, vmcensus {r["swap"]}' for r in rows
              if r['kind'] == 'process' and r['pid'] in own
              and not 0 < r['swap'] <= own[r['pid']]]
    tally.check(f'{name} swap', wrong, f'{len(rows)} rows')


# Of /proc/slabinfo's words: objects in use, all objects, bytes of one, objects of a slab; from the end: slabs.
INUSE, OBJECTS, SIZE, PER_SLAB, SLABS = 1, 2, 3, 4, -2
# Slabs that the recorder may have taken or given back since, of any cache, and of those that reading /proc fills.
FEW_SLABS, MORE_SLABS = 3, 16
FILLED = {'dentry', 'inode_cache', 'proc_inode_cache', 'ext4_inode_cache', 'radix_tree_node', 'filp', 'buffer_head'}


def compare_slabs(tally, name, vmcensus, truth):
    """Each cache of slabinfo: its sizes, its slabs found in memory, and no more objects in use."""
    text = truth.read('slabinfo')
    if not vmcensus.knows('kmem_cache.name'):
        tally.skip(f'{name} slab', 'the layout file is older than its facts')
        return
    rows, why = vmcensus.rows('slab', '--all')
    if rows is None or not text:
        tally.check(f'{name} slab', [why or 'no slabinfo was recorded'])
        return
    by_name, wrong, same = {r['cache']: r for r in rows}, [], 0
    lines = [line.split() for line in text.decode().splitlines()[2:]]
    for line in lines:
        row = by_name.get(line[0])
        if not row:
            wrong.append(f'{line[0]}: no row')
            continue
        want = [int(line[i]) for i in (SIZE, PER_SLAB, SLABS, OBJECTS)]
        got = [row[c] for c in ('size', 'per_slab', 'slabs', 'objects')]
        moved, few = got[2] - want[2], MORE_SLABS if line[0] in FILLED else FEW_SLABS
        if abs(moved) <= few:
            want[2:] = got[2], want[3] + moved * want[1]
        same += not moved
        if want != got or row['inuse'] is None or row['inuse'] > int(line[INUSE]) + few * want[1]:
            wrong.append(f'{line}, vmcensus {row}')
    tally.check(f'{name} slab', wrong, f'{same} of {len(lines)} caches with as many slabs')
