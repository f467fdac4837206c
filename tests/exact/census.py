# SPDX-License-Identifier: GPL-3.0-or-later
"""The census against the kernel's own counts.

RAM is the present pages of all zones (/proc/zoneinfo), and the classes add up to it. The frames
of a class are those with the flags of /proc/kpageflags, except for those that changed hands
while the recorder ran. Counters of the dump itself must agree with the frames to the page: counts
that CPUs keep for themselves (mm/vmstat.c) are part of them.
"""
import collections
import csv
import io
import re

from exact.pageflags import MARKED, recorded

SLAB, HUGE = 1 << 7, 1 << 17
TAIL, TABLE = 1 << 16, 1 << 26
# Frames that changed hands, of those with the flag, and some for machines with few.
TURNOVER, FEW = 0.03, 40
# Most of RAM that may be unknown where nobody takes pages in silence, percent.
WITHOUT_HOGS = 0.5
# What the recorder itself takes and gives back between two records, pages.
# Pages that processes of the zoo have: blocks of a packet ring, pages of a ring of perf
# (tests/vmtest/zoo/files.c).
ZOO = {('zoo-packet', 'packet rings'): 16, ('zoo-perf', 'perf rings'): 9}
COUNTED = {'slab': SLAB, 'page tables': TABLE}


# Until 3.9 pages of the page array and dma_reserve are not present (free_area_init_core()).
PRESENT_IS_RAM = (3, 9)


def taken_at_boot(log):
    """{"0 DMA": pages that are not present for it}, by the lines of free_area_init_core()."""
    taken, node = collections.Counter(), ''
    for line in log.splitlines():
        found = re.search(r'On node (\d+) totalpages| (\w+) zone: (\d+) pages (?:used for memmap|reserved)', line)
        if found and found[1]:
            node = found[1]
        elif found:
            taken[f'{node} {found[2]}'] += int(found[3])
    return taken


def zones_present(truth):
    """{"0 DMA": pages of RAM} of /proc/zoneinfo."""
    text = (truth.read('zoneinfo') or b'').decode()
    present = {f'{node} {zone}': int(n) for node, zone, n in
               re.findall(r'^Node (\d+), zone +(\S+)$.*?^ +present +(\d+)$', text, re.M | re.S)}
    if truth.release < PRESENT_IS_RAM:
        for zone, n in taken_at_boot((truth.read('dmesg') or b'').decode(errors='replace')).items():
            present[zone] += n
    return present


def present(truth):
    """Pages of RAM, None: not recorded."""
    return sum(zones_present(truth).values()) or None


def rows(vmcensus):
    code, out, err = vmcensus('census', '--all', '-q', '-c',
                              'class,size,mapped,counter,kernel,difference', front=('-f', 'csv'))
    if code not in (0, 2):
        return [], err.decode()
    return list(csv.DictReader(io.StringIO(out.decode()))), ''


def compare_ram(wrong, got, truth, page):
    want, have = present(truth), sum(int(r['size'] or 0) for r in got) // page
    if want is not None and have != want:
        wrong.append(f'classes add up to {have} pages, zones have {want} present')


def marked(kernel, flag):
    """Frames with FLAG, and tails after them: roots of processes are compound since 6.14, and to 6.16 only the first
    page of one has the flag of page tables."""
    n, last = 0, False
    for k in kernel:
        last = bool(k & flag or last and k & TAIL)
        n += last
    return n


def kfence(log):
    """Bytes of the pool of KFENCE and its objects, by the kernel's log: 0, 0 if it was not switched on at boot."""
    found = re.search(r'kfence: initialized - using (\d+) bytes for (\d+) objects', log)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def compare_flags(wrong, size, kernel, release, sampled):
    """Classes that are one flag of kpageflags. SAMPLED: pages of objects of KFENCE, which have that of slabs."""
    for name, flag in COUNTED.items():
        if release < MARKED[flag]:
            continue
        want = marked(kernel, flag) - (sampled if flag == SLAB else 0)
        if abs(size[name] - want) > want * TURNOVER + FEW:
            wrong.append(f'{size[name]} frames are {name}, {want} of kpageflags')
    huge = size['hugetlb used'] + size['hugetlb free']
    want = sum(1 for k in kernel if k & HUGE)
    if huge != want:
        wrong.append(f'{huge} frames are hugetlb, {want} of kpageflags')


def compare_owners(wrong, vmcensus, size, page):
    """The owners of a class are part of it; a process of the zoo has what its source says."""
    code, out, err = vmcensus('census', '--holders', '-q', '-c', 'class,kind,size,pages,comm,incomplete',
                              front=('-f', 'csv'))
    if code not in (0, 2):
        wrong.append(err.decode())
        return
    owned = {}
    for r in csv.DictReader(io.StringIO(out.decode())):
        owned[r['class']] = owned.get(r['class'], 0) + int(r['size'])
        if r['incomplete']:
            wrong.append(f"owner {r['kind']} of {r['comm']} is not complete")
        want = ZOO.get((r['comm'], r['class']))
        if want and int(r['pages']) != want:
            wrong.append(f"{r['comm']} has {r['pages']} pages of {r['class']}, not {want}")
    for name, n in owned.items():
        if n > size[name] * page:
            wrong.append(f'owners of {name} have {n} bytes, it has {size[name] * page}')


# Owners by what the kernel's log calls them, where it names their bytes.
HASHES = {'mounts': 'Mount-cache', 'mount points': 'Mountpoint-cache', 'IP identifiers': 'IP idents',
          'TCP connections': 'TCP established', 'TCP ports': 'TCP bind', 'TCP listeners': 'tcp_listen_portaddr_hash',
          'UDP sockets': 'UDP'}


def compare_hashes(tally, name, vmcensus, truth):
    """Hash tables have the bytes that the kernel's log said when it made them."""
    code, out, err = vmcensus('census', '--holders', '-q', '-c', 'kind,what,size', front=('-f', 'csv'))
    got = {r['what']: int(r['size']) for r in csv.DictReader(io.StringIO(out.decode())) if r['kind'] == 'hash table'}
    log = dict(re.findall(r'\] ([\w -]+?)(?: hash)? hash table entries: \d+ \(order:? -?\d+, (\d+) bytes',
                          (truth.read('dmesg') or b'').decode(errors='replace')))
    wrong = [] if code in (0, 2) else [err.decode()]
    page = truth.page_size
    for what, size in got.items():
        want = log.get(HASHES[what])
        if want and size != -(-int(want) // page) * page:
            wrong.append(f'{what}: {size} bytes, the log says {want}')
    tally.check(f'{name} hash tables', wrong, f'{len(got)} tables')


def compare_cache(tally, name, vmcensus):
    """Each file has as many pages in memory as its address_space counts."""
    code, out, err = vmcensus('cache', '-q', '-c', 'cached,counted,path', front=('-f', 'csv'))
    got = list(csv.DictReader(io.StringIO(out.decode())))
    wrong = [f"{r['path']}: {r['cached']} bytes, nrpages {r['counted']}" for r in got
             if r['counted'] and r['counted'] != r['cached']]
    if code not in (0, 2) or not got:
        wrong.append(err.decode() or 'no rows')
    tally.check(f'{name} cache', wrong, f'{len(got)} files')


def compare_unknown(tally, name, vmcensus, page, unknown):
    """The groups of unknown frames are those of the class, each frame in one of them."""
    code, out, err = vmcensus('census', '--unknown', '-q', '-c', 'size,pages,blocks,sampled,absent',
                              front=('-f', 'csv'))
    got = [{k: int(v or 0) for k, v in r.items()}
           for r in csv.DictReader(io.StringIO(out.decode()))]
    wrong = [] if code in (0, 2) else [err.decode()]
    have = sum(r['size'] for r in got) // page
    if have != unknown:
        wrong.append(f'{have} frames in groups, {unknown} are unknown')
    wrong += [f'{r}: not so many pages' for r in got
              if r['pages'] * r['blocks'] * page != r['size'] or
              (r['sampled'] + r['absent']) * page > r['size']]
    tally.check(f'{name} census --unknown', wrong, f'{len(got)} groups')


def compare_by(tally, name, vmcensus, truth, size):
    """Each class divided by node, zone and so on is still the class; a zone has its present pages."""
    page, wrong, n = truth.page_size, [], 0
    for by in ('node', 'zone', 'migratetype', 'order', 'cgroup'):
        code, out, err = vmcensus('census', '--by', by, '-q', '-c', 'part,class,size',
                                  front=('-f', 'csv'))
        if code == 1 and 'does not show' in err.decode():
            continue
        parts, classes = collections.Counter(), collections.Counter()
        for r in csv.DictReader(io.StringIO(out.decode())):
            parts[r['part']] += int(r['size']) // page
            classes[r['class']] += int(r['size']) // page
        n += len(parts)
        if code not in (0, 2):
            wrong.append(f'--by {by}: {err.decode()}')
        wrong += [f'--by {by}: {classes[c]} frames are {c}, {size[c]} of all' for c in size
                  if classes[c] != size[c]]
        if by == 'zone':
            wrong += [f'zone {z} has {parts[z]} frames, {want} are present'
                      for z, want in zones_present(truth).items() if parts[z] != want]
    tally.check(f'{name} census --by', wrong, f'{n} parts')


def compare_census(tally, name, vmcensus, truth, most=100):
    """MOST: percent of RAM that may be unknown."""
    got, error = rows(vmcensus)
    page = truth.page_size
    if error or not got:
        tally.check(f'{name} census', [error or 'no rows'])
        return
    wrong = []
    size = {r['class']: int(r['size'] or 0) // page for r in got}
    compare_ram(wrong, got, truth, page)
    raw = truth.read('kpageflags')
    pool, sampled = kfence((truth.read('dmesg') or b'').decode(errors='replace'))
    if raw:
        compare_flags(wrong, size, recorded(raw), truth.release, sampled)
    # beside it are its records, which are in memory of their own since 6.6
    if not pool <= size['KFENCE pool'] * page <= 2 * pool:
        wrong.append(f"{size['KFENCE pool']} frames are of KFENCE, the log says {pool} bytes")
    compare_hashes(tally, name, vmcensus, truth)
    compare_owners(wrong, vmcensus, size, page)
    unknown = 100 * size['unknown'] / max(1, sum(size.values()))
    if unknown > most:
        wrong.append(f'{unknown:.1f} % are unknown')
    for r in got:
        if r['difference'] and int(r['difference']):
            wrong.append(f"{r['counter']} differs by {r['difference']}")
    tally.check(f'{name} census', wrong, f'{sum(size.values())} frames, {unknown:.2f} % unknown')
    compare_unknown(tally, name, vmcensus, page, size['unknown'])
    compare_by(tally, name, vmcensus, truth, size)
    compare_cache(tally, name, vmcensus)
