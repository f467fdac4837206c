# SPDX-License-Identifier: GPL-3.0-or-later
"""oom against what the kernel counted and printed when the truth was recorded."""
import array
import json
import os
import re

from exact.objects import OF_FILE
from exact.sizes import FRAME, PRESENT, entries, has_pfnmap

# a long line of every log, and lines of an OOM kill that fit in its place
LONG = re.compile(rb'Memory: \d+K/\d+K available \([^\n\0]*\)')
KILL = b'x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0\nMem-Info:\nNode 0 DMA free:4kB min:8kB\n'
HUGETLB = re.compile(rb'^(?:Private|Shared)_Hugetlb: +[1-9]', re.M)
ZONE = re.compile(r'^Node (\d+), zone +(\w+)$(.*?)(?=^Node|\Z)', re.M | re.S)


def compare_oom(tally, name, vmcensus, truth):
    """The kernel's own count of kills, and the headers in its log."""
    counted = re.search(rb'^oom_kill (\d+)$', truth.read('vmstat'), re.M)
    printed = len(re.findall(rb'invoked oom-killer: ', truth.read('dmesg')))
    code, out, err = vmcensus('oom', front=('-f', 'json'))
    try:
        rows = json.loads(out)['rows']
    except (ValueError, KeyError) as e:
        tally.check(f'{name} oom', [f'exit {code}, {type(e).__name__} {e}: {err!r}'])
        return
    kills = sum(r['victims'] for r in rows if r['kind'] == 'oom kill')
    headers = sum(1 for r in rows if r['kind'] == 'oom kill' and r['comm'] is not None)
    differences = []
    if counted and kills != int(counted[1]):
        differences.append(f'kernel counts {int(counted[1])} kills, oom has {kills}')
    if headers != printed:
        differences.append(f'{printed} headers in the log, oom has {headers}')
    text = vmcensus('oom')[1]
    if not rows and b'No kernel OOM in this dump' not in text:
        differences.append(f'no rows, and said {text!r}')
    tally.check(f'{name} oom', differences, f'{len(rows)} events')


def zones_told(truth):
    """{(node, zone): {name: bytes}} of /proc/zoneinfo, of zones with pages."""
    out = {}
    for node, zone, text in ZONE.findall(truth.read('zoneinfo').decode()):
        numbers = dict(re.findall(r'^ +(min|low|high|boost|present|managed) +(\d+)$', text, re.M))
        if int(numbers['present']):
            out[int(node), zone] = {k: int(v) * truth.page_size for k, v in numbers.items()}
    return out


def compare_oom_zones(tally, name, open_image, image, truth, scratch):
    """The zones of a dump into whose log an OOM kill is written, with the kernel's zoneinfo."""
    with open(image[0], 'rb') as f:
        data = f.read()
    places = [m for m in LONG.finditer(data) if len(m[0]) > len(KILL)]
    if len(image) > 1 or not places or not truth.has('zoneinfo'):
        return
    os.makedirs(scratch, exist_ok=True)
    copy = os.path.join(scratch, name.split()[-1])
    with open(copy, 'wb') as f:
        f.write(data)
        for m in places:
            f.seek(m.start())
            f.write(KILL.ljust(len(m[0]), b'.'))
    vmcensus = open_image([copy])
    rows, why = vmcensus.rows('oom', '--zones')
    os.unlink(copy)
    if rows is None:
        tally.check(f'{name} oom --zones', [why])
        return
    told = [r for r in rows if r['source'] == 'log']
    differences = [] if [(r['zone'], r['free'], r['min']) for r in told] == [('DMA', 4096, 8192)] else [f'{told}']
    got = {(r['node'], r['zone']): r for r in rows if r['source'] == 'dump'}
    want = zones_told(truth) if vmcensus.knows('zone.name') else {}
    if sorted(got) != sorted(want):
        differences.append(f'kernel {sorted(want)}, oom {sorted(got)}')
    differences += [f'{key} {n}: kernel {v}, oom {got[key][n]}' for key in want if key in got
                    for n, v in want[key].items() if got[key][n] != v]
    tally.check(f'{name} oom --zones', differences, f'{len(got)} zones')


def exclusive(process, counts):
    """(pages of anonymous memory that only this entry maps, other anonymous pages) by pagemap, kpagecount."""
    alone = other = 0
    for _, words in entries(process):
        for word in words:
            if word & PRESENT and not word & OF_FILE:
                n = counts[word & FRAME] if word & FRAME < len(counts) else 0
                alone += n == 1
                other += n > 1
    return alone, other


def compare_kills(tally, name, vmcensus, truth):
    """What a kill frees of anonymous memory, with pagemap; huge pages of hugetlb return to their pool."""
    rows, why = vmcensus.rows('oom', '--kills', '-c', '+anon,tables')
    if rows is None:
        tally.check(f'{name} oom --kills', [why])
        return
    got = {r['pid']: r for r in rows if r['kind'] == 'process'}
    differences, equal, counts = [], 0, array.array('Q')
    counts.frombytes(truth.read('kpagecount'))
    if not any(p.has('pagemap.bin') for p in truth.frozen()):
        tally.skip(f'{name} oom --kills', 'pagemap was not recorded')
        return
    for p in truth.frozen():
        status = p.read('status')
        if p.pid not in got or has_pfnmap(p) or HUGETLB.search(p.read('smaps')):
            continue
        alone, other = exclusive(p, counts)
        anon = got[p.pid]['anon'] // truth.page_size
        # pages that the process maps twice are freed too, and pagemap calls them shared
        if not alone <= anon <= alone + other:
            differences.append(f'{p.pid}: {alone} pages by kpagecount, {other} shared; oom has {anon}')
        equal += anon == alone
        tables = re.search(rb'^VmPTE:\s+(\d+) kB$', status, re.M)
        # whole KiB, without the root
        if tables and (got[p.pid]['tables'] - truth.page_size) // 1024 != int(tables[1]):
            differences.append(f'{p.pid}: VmPTE {int(tables[1])} KiB, oom has {got[p.pid]["tables"]}')
    tally.check(f'{name} oom --kills', differences, f'{equal} processes')
