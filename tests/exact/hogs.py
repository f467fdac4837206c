# SPDX-License-Identifier: GPL-3.0-or-later
"""Each hog of a guest (tests/vmtest/hogs) by class, holder and amount.

The truth is what the hog wrote down of itself: its process, and the amount by its own arithmetic or
by the kernel's counters. A row of the report must name the hog where a process holds the memory, and
the amount may differ by 2 percent.
"""
import os
import re
from dataclasses import dataclass

SPREAD = 0.02
# of what comes free; and what the machine itself takes or gives meanwhile, bytes
FREED_SPREAD, FREED_SPARE = 0.03, 512 << 10
OWNERS = 'census', '--holders'


@dataclass(frozen=True)
class Place:
    """Where a report shows a hog: rows whose columns match these, and the column with the amount."""
    report: tuple           # name and options
    where: tuple            # (column, regular expression) of each; {key}: of the record
    column: str
    record: str = 'bytes'   # key of the record
    unit: int = 1           # bytes of one of the record's
    spare: int = 0          # bytes of the machine's own in these rows


def owner(kind, *where, holder=True, **kw):
    rows = (('kind', kind), *where) + ((('comm', '{comm}'),) if holder else ())
    return Place(OWNERS, rows, 'size', **kw)


def tmpfs(kind, *where):
    return Place(('shm', '-c', 'kind,resident,unlinked,mappers,openers,shmid,pid,comm,path'),
                 (('kind', kind), *where), 'resident')


HELD = ('pid', '{pid}')
HOGS = {
    'pipes': owner('pipe'),
    'unix': owner('socket', record='truesize'),
    'tcp': owner('socket', record='truesize'),
    'udp': owner('socket', record='truesize'),
    'packet': owner('socket', ('class', 'packet rings')),
    'inflight': owner('pipe', ('comm', '|{comm}'), holder=False),
    'messages': owner('.*message.*', holder=False),
    'uring': owner('io_uring', ('class', '(?!anonymous).*'), record='rounded'),
    'perf': owner('perf.*'),
    'bpf': owner('bpf.*'),
    'ftrace': owner('.*trace.*', holder=False, spare=4 << 20),
    'deleted': tmpfs('tmpfs', ('unlinked', '1'), HELD),
    'tmpfs': tmpfs('tmpfs', ('unlinked', '0'), ('path', '.*named')),
    'memfd': tmpfs('memfd', HELD),
    'shm': tmpfs('sysv', ('shmid', '{shmid}'), ('mappers', '0')),
    'ramfs': Place(('cache', '-c', 'cached,unevictable,fs,path'), (('fs', 'ramfs'), ('path', '.*named')), 'unevictable'),
    'anon': Place(('procs', '-c', 'pid,rss'), (HELD,), 'rss', spare=2 << 20),
    'mlock': Place(('procs', '-c', 'pid,locked'), (HELD,), 'locked'),
    'hugetlb': Place(('hugetlb', '-c', 'kind,memory'), (('kind', 'pool'),), 'memory'),
    'pagetables': Place(('pagetables', '-c', 'pid,counted'), (HELD,), 'counted'),
    'threads': Place(('stacks', '-c', 'pid,memory'), (HELD,), 'memory'),
    'dentries': Place(('slab', '-c', 'cache,memory'), (('cache', 'dentry'),), 'memory', spare=8 << 20),
    'zram': Place(('census',), (('class', 'zsmalloc'),), 'size'),
    'balloon': Place(('census',), (('class', 'offline|balloon'),), 'size'),
    'mqueue': owner('message queue', ('what', '(POSIX|message queue):.*'), holder=False),
    'semaphores': owner('semaphores', holder=False),
    'datagrams': owner('socket'),
    'netlink': owner('socket'),
    'epoll': owner('epoll'),
    'inotify': owner('file watches'),
    'spliced': owner('pipe', ('class', 'anonymous')),
    'fixed': owner('io_uring', ('class', 'anonymous')),
    'xdp': owner('socket', ('class', 'vmalloc|packet rings')),
    'trie': owner('bpf map', ('what', 'lpm trie.*')),
    'pagepool': owner('page pool', ('class', 'page pools'), holder=False),
    'dmabuf': owner('dma-buf', ('class', 'dma-buf')),
    'zswap': owner('zswap', ('class', 'zsmalloc|zbud'), holder=False),
    'nfsd': owner('rpc server', ('class', 'rpc buffers'), ('what', 'nfsd'), holder=False),
    'stripes': owner('md array', ('class', 'stripe cache'), ('what', 'md0'), holder=False),
    'kexec': owner('kexec', ('class', 'kexec image'), holder=False, spare=1 << 20),
    'ramdisk': owner('ram disk', ('class', 'ram disks'), ('what', 'ram0'), holder=False),
    'afalg': owner('socket', ('class', 'socket buffers')),
    'netem': owner('packet queue', ('what', 'lo: netem'), holder=False),
    'arena': owner('bpf map', ('what', 'arena hog_arena.*'), ('class', 'vmalloc')),
    'tun': owner('packet queue', ('what', 'hog0: tun')),
    'secret': Place(('census',), (('class', 'secretmem'),), 'size'),
    'merged': Place(('census',), (('class', 'ksm'),), 'size'),
    'broken': Place(('census',), (('class', 'hwpoison'),), 'size'),
    'silent': Place(('census',), (('class', 'unknown'),), 'size', spare=8 << 20),
}

# The same by their owners, which only types of modules show: BTF of modules, and zsmalloc as it is since 5.17.
OWNED = {
    'zram': owner('zram', ('class', 'zsmalloc'), ('what', 'zram.*'), holder=False),
    'balloon': owner('balloon', ('class', 'offline'), holder=False),
}
OWNED_SINCE = 5, 17

# Before, a kernel does not show whose these are. A page of a pool has its mark since c07aea3ef4d4 (v5.14).
# Types of modules are in memory since 36e68442d1af (v5.11).
SHOWN_SINCE = {'pagepool': (5, 14), 'nfsd': (5, 11), 'stripes': (5, 11), 'ramdisk': (5, 11), 'afalg': (5, 11), 'netem': (5, 11), 'tun': (5, 11)}

# The same where the kernel remembers who allocated a page, by the file of the truth that says it does.
TOLD = {'silent': {
    'allocinfo': Place(('census', '--unknown', '-c', 'size,site'), (('site', r'.*/silent\.c:\d+ get \[silent\]'),), 'size'),
    # the function was __init, and is gone: the kernel's file has its address, too
    'page_owner': Place(('census', '--unknown', '-c', 'size,stack'),
                        (('stack', r'0x[0-9a-f]+ < do_one_initcall < do_init_module < .*'),), 'size'),
}}

# More that a hog's record says.
POOL = ('hugetlb', '-c', 'kind,used,reserved,surplus'), (('kind', 'pool'),)
MORE = {'hugetlb': [Place(*POOL, 'used', 'used'), Place(*POOL, 'reserved', 'reserved')]}


def records(folder):
    """{hog: {key: value}} of a truth folder."""
    found, path = {}, os.path.join(folder, 'hogs')
    for name in sorted(os.listdir(path)) if os.path.isdir(path) else ():
        if '.' not in name:
            with open(os.path.join(path, name)) as f:
                found[name] = dict(line.rstrip('\n').split(' ', 1) for line in f)
    return found


def found(vmcensus, place, record):
    """The amount that the report shows, or the reason why there is none."""
    rows, error = vmcensus.rows(*place.report)
    if rows is None:
        return None, error
    where = [(column, pattern.format(**record)) for column, pattern in place.where]
    hit = [row for row in rows if all(re.fullmatch(pattern, str('' if row.get(column) is None else row[column]))
                                      for column, pattern in where)]
    if not hit:
        return None, f'no row of {place.report[0]} has ' + ', '.join(f'{c} {p}' for c, p in where)
    return sum(int(row[place.column] or 0) for row in hit), ''


def difference(vmcensus, place, record):
    """What is wrong, or ''; and what was found."""
    want = int(record[place.record]) * place.unit
    got, error = found(vmcensus, place, record)
    if got is None:
        return error, 0
    if not want * (1 - SPREAD) <= got <= want * (1 + SPREAD) + place.spare:
        return f'{got} bytes, {want} were taken ({100 * got / want - 100:+.1f} %)', got
    return '', got


def release(truth):
    return tuple(int(n) for n in re.findall(rb'Linux version (\d+)\.(\d+)', truth.read('version') or b'')[0])


def compare_hogs(tally, name, vmcensus, truth):
    """One check for each hog of the guest."""
    for hog, record in records(truth.folder).items():
        if hog not in HOGS:
            continue
        if release(truth) < SHOWN_SINCE.get(hog, (0,)):
            tally.skip(f'{name} hog {hog}', 'this kernel does not show whose it is')
            continue
        places = {'': HOGS[hog]}
        if hog in OWNED and release(truth) >= OWNED_SINCE:
            places[' by owner'] = OWNED[hog]
        places |= {f' {place.column}': place for place in MORE.get(hog, [])}
        places |= {f' by {file}': place for file, place in TOLD.get(hog, {}).items() if truth.has(file)}
        for how, place in places.items():
            wrong, got = difference(vmcensus, place, record)
            tally.check(f'{name} hog {hog}{how}', [wrong] if wrong else [], f'{got} bytes')


# Memory that "exit" leaves out: a lower bound (docs/oom.md). What a process has in zswap is its swap.
LEFT_OUT = {'zswap'}

# A chunk of the per-CPU allocator, of two processors, comes free or stays: its work and the end of the maps race
# (since 5.14; docs/oom.md).
FREED_CHUNK = {'bpf': 2 << 20}


def compare_freed(tally, name, vmcensus, ends, recorded):
    """What the end of each hog frees, against what came free when it was killed: ENDS, {pid: KiB}."""
    rows, error = vmcensus.rows('oom', '--kills', '-c', 'kind,pid,exit')
    if rows is None:
        tally.check(f'{name} freed', [error])
        return
    exits = {row['pid']: row['exit'] for row in rows if row['kind'] == 'process'}
    for hog, record in recorded.items():
        pid = int(record['pid'])
        if pid not in ends:
            continue
        got, want = exits.get(pid), ends[pid] << 10
        spare = FREED_SPARE + FREED_CHUNK.get(hog, 0)
        good = got is not None and abs(got - want) <= want * FREED_SPREAD + spare
        if hog in LEFT_OUT:
            good = got is not None and got <= want * (1 + FREED_SPREAD) + spare
        tally.check(f'{name} freed {hog}', [] if good else [f'{got} bytes, {want} came free'], f'{got} bytes')
