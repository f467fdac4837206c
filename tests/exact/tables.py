# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of /proc that print tables of the kernel, exported, against those that it printed.

User space is frozen, except process 1 and the recorder (see exact/system.py), which reads
on, allocates, and ends before the dump. So some counters move. Each is named here with the
most that it may move; every other byte must be equal.
"""
import collections
import itertools
import re

# Of zoneinfo: pages (KiB for stacks) that may come or go.
MOVES = {
    'free': 12288, 'nr_free_pages': 12288, 'nr_free_pages_blocks': 12288,
    'nr_inactive_anon': 12288, 'nr_active_anon': 12288, 'nr_anon_pages': 12288,
    'nr_zone_inactive_anon': 12288, 'nr_zone_active_anon': 12288,
    'nr_anon_transparent_hugepages': 16,
    'nr_inactive_file': 512, 'nr_active_file': 512, 'nr_zone_inactive_file': 512,
    'nr_zone_active_file': 512, 'nr_file_pages': 512, 'nr_mapped': 512, 'nr_shmem': 64,
    'nr_slab_reclaimable': 256, 'nr_slab_unreclaimable': 256, 'nr_page_table_pages': 64,
    'nr_kernel_stack': 256, 'nr_dirty': 64, 'nr_zone_write_pending': 64,
    'count:': 4096, 'high:': 4096,     # free pages that a CPU keeps; its limit since v6.7
    # since boot: they only grow
    'numa_hit': 32768, 'numa_local': 32768, 'nr_foll_pin_acquired': 32768,
    'nr_foll_pin_released': 32768, 'nr_dirtied': 64, 'nr_written': 64,
}


def number(line):
    """(text before it, its name, the number): of a line that ends in one."""
    m = re.fullmatch(r'(.*?([\w-]+:?)\s+)(\d+)', line)
    return m.groups() if m else (line, '', '')


def compare_zoneinfo(want, got):
    """Differences, and how many lines are the same byte for byte."""
    want, got = want.decode().splitlines(), got.decode().splitlines()
    if len(want) != len(got):
        return [f'{len(got)} lines, not {len(want)}'], 0
    wrong, same = [], 0
    for w, g in zip(want, got):
        if w == g:
            same += 1
            continue
        (_, name, a), (_, other, b) = number(w), number(g)
        form = re.sub(r'\d+$', '', w) == re.sub(r'\d+$', '', g) and name == other
        if not form or name not in MOVES or abs(int(a) - int(b)) > MOVES[name]:
            wrong.append(f'{w!r}, got {g!r}')
    return wrong, same


def free_blocks(text):
    """{(node, zone): blocks of each order} of buddyinfo."""
    return {tuple(m[:2]): list(map(int, m[2].split()))
            for m in re.findall(r'^Node +(\d+), zone +(\w+) ([\d ]+)$', text, re.M)}


def zone_pages(text):
    """{(node, zone): (free, spread)} of zoneinfo: CPUs keep back up to their thresholds."""
    out = {}
    for m in re.finditer(r'^Node (\d+), zone +(\w+)\n(.*?)(?=^Node|\Z)', text, re.M | re.S):
        spread = sum(map(int, re.findall(r'threshold: (\d+)', m[3])))
        free = re.search(r'pages free +(\d+)', m[3])
        out[m[1], m[2]] = (int(free[1]), spread)
    return out


def compare_buddyinfo(want, got, zoneinfo):
    want, got = want.decode(), got.decode()
    wrong = []
    if re.sub(r' +\d+', ' 0', want) != re.sub(r' +\d+', ' 0', got):
        wrong.append(f'another form: {want!r}, got {got!r}')
    counted = zone_pages(zoneinfo.decode())
    for zone, blocks in free_blocks(got).items():
        pages, (free, spread) = sum(n << i for i, n in enumerate(blocks)), counted[zone]
        if abs(pages - free) > spread:
            wrong.append(f'{zone}: {pages} pages in blocks, {free} counted')
    # nobody takes pages of the zone DMA
    wrong += [f'{z}: {blocks}, got {free_blocks(got).get(z)}'
              for z, blocks in free_blocks(want).items()
              if z[1] == 'DMA' and blocks != free_blocks(got).get(z)]
    return wrong


def compare_pagetypeinfo(want, got, buddyinfo):
    """Free blocks of all types are those of buddyinfo; the rest, types of blocks too, is equal."""
    want, got = want.decode(), got.decode()
    listed = re.compile(r'^(Node +\d+, zone +\w+, type +\w+) ([\d ]+)$', re.M)
    wrong = []
    a, b = (listed.sub(lambda m: m[1] + re.sub(r' *\d+', ' 0', m[2]), t) for t in (want, got))
    if a != b:
        wrong += [f'{x!r}, got {y!r}' for x, y in zip(a.splitlines(), b.splitlines()) if x != y] or \
            ['another number of lines']
    sums = {}
    for m in re.finditer(r'^Node +(\d+), zone +(\w+), type +\w+ ([\d ]+)$', got, re.M):
        have = list(map(int, m[3].split()))
        total = sums.setdefault((m[1], m[2]), [0] * len(have))
        sums[m[1], m[2]] = [x + y for x, y in zip(total, have)]
    if sums != free_blocks(buddyinfo.decode()):
        wrong.append(f'in lists {sums}, counted {free_blocks(buddyinfo.decode())}')
    return wrong


def compare_zones(zoneinfo, rows, page):
    """Rows of report zones: the lines of zoneinfo that stand still."""
    wrong, text = [], zoneinfo.decode()
    for m in re.finditer(r'^Node (\d+), zone +(\w+)\n(.*?)(?=^Node|\Z)', text, re.M | re.S):
        row = [r for r in rows if r['node'] == m[1] and r['zone'] == m[2] and r['kind'] == 'zone']
        said = {name: int(n) * page for name, n in
                re.findall(r'^ +(boost|min|low|high|promo|spanned|present|managed|cma) +(\d+)$', m[3], re.M)}
        said['reserve'] = re.search(r'protection: \((.*)\)', m[3])[1].replace(',', '')
        if len(row) != 1:
            wrong.append(f'{m[2]}: {len(row)} rows')
        wrong += [f'{m[2]} {k}: {v}, got {row[0][k]}' for k, v in said.items() if row and row[0][k] != str(v)]
    return wrong


# Caches of which the recorder took objects, or a kernel thread gave some back: objects.
MOVING_CACHES = {
    'inode_cache': 128, 'proc_inode_cache': 128, 'dentry': 256, 'radix_tree_node': 160,
    'vm_area_struct': 256, 'kmalloc-64': 128, 'kmalloc-96': 128, 'kmalloc-512': 64,
    'kmalloc-cg-8k': 8,
}


def compare_slabinfo(want, got):
    """Differences, and how many lines are the same byte for byte."""
    want, got = want.decode().splitlines(), got.decode().splitlines()
    if len(want) != len(got):
        return [f'{len(got)} lines, not {len(want)}'], 0
    wrong, same = [], 0
    for w, g in zip(want, got):
        if w == g:
            same += 1
            continue
        a, b = w.split(), g.split()
        # all but <active_objs> <num_objs> ... <active_slabs> <num_slabs>
        still = [x for i, x in enumerate(a) if i not in (1, 2, 13, 14)] == \
            [x for i, x in enumerate(b) if i not in (1, 2, 13, 14)]
        if not still or a[0] not in MOVING_CACHES or \
                any(abs(int(a[i]) - int(b[i])) > MOVING_CACHES[a[0]] for i in (1, 2)):
            wrong.append(f'{w!r}, got {g!r}')
    return wrong, same


def compare_slab(rows, slabinfo, meminfo):
    """Report slab: the slabs found in memory are those that the kernel counts."""
    counted = {line.split()[0]: line.split() for line in slabinfo.decode().splitlines()[2:]}
    wrong = [f'{r["cache"]}: {r["slabs"]} found, {r["listed"]} counted' for r in rows
             if r['slabs'] != r['listed']]
    for r in rows:
        line = counted.get(r['cache'])
        if not line or [line[3], line[4], line[14]] != [r['size'], r['per_slab'], r['listed']]:
            wrong.append(f'{r} and {line}')
        elif int(r['inuse']) > int(line[1]) or int(r['objects']) != int(line[2]):
            wrong.append(f'{r["cache"]}: {r["inuse"]} of {r["objects"]} in use, {line}')
        if int(r['memory']) != int(r['used']) + int(r['idle']) + int(r['waste']):
            wrong.append(f'{r["cache"]} does not add up')
    total = 1024 * int(re.search(r'^Slab: +(\d+) kB$', meminfo.decode(), re.M)[1])
    if not 0 <= total - sum(int(r['memory']) for r in rows) <= total // 4:       # large kmalloc()s count too
        wrong.append(f'{total} bytes of Slab')
    return wrong


def compare_vmalloc(rows, vmallocinfo, page):
    """Report vmalloc, by caller: the lines of vmallocinfo added up."""
    want = {}
    for line in vmallocinfo.decode().splitlines():
        size, caller, rest = re.fullmatch(r'\S+ +(\d+) (\S+)(.*)', line).groups()
        if not re.search(r'\+0x', caller):
            caller = ''                         # unpurged vm_area, vm_map_ram
        module = re.match(r' \[([^]]+)\]', rest)
        pages = re.search(r' pages=(\d+)', rest)
        kind = re.search(r' (ioremap|sparse|vmalloc|dma-coherent|vmap)( |$)', rest)
        key = (caller.split('+')[0], module[1] if module else '',
               kind[1].split('-')[0] if kind else 'other' if caller else
               'lazy' if 'unpurged' in line else 'ram')
        entry = want.setdefault(key, [0, 0, 0])
        for i, n in enumerate((1, int(size), page * int(pages[1]) if pages else 0)):
            entry[i] += n
    got = {(r['caller'], r['module'], r['kind']): [int(r[c]) for c in ('areas', 'size', 'memory')]
           for r in rows}
    return [f'{k}: {want.get(k)}, got {got.get(k)}' for k in sorted(want.keys() | got.keys())
            if want.get(k) != got.get(k)]


def compare_stacks(rows, meminfo):
    counted = 1024 * int(re.search(r'^KernelStack: +(\d+) kB$', meminfo.decode(), re.M)[1])
    found = sum(int(r['memory']) for r in rows)
    return [] if found == counted else [f'{found} bytes in stacks, {counted} counted']


def compare_hugetlb(rows, meminfo):
    """The pool of the default size, and all pools together; the recorder uses none."""
    said = dict(re.findall(r'^(\w+): +(\d+)', meminfo.decode(), re.M))
    if 'Hugepagesize' not in said:
        return [] if not rows else [f'{len(rows)} rows']
    pools = [r for r in rows if r['kind'] == 'pool']
    usual = [r for r in pools if int(r['page_size']) == 1024 * int(said['Hugepagesize'])]
    want = [said['HugePages_' + n] for n in ('Total', 'Free', 'Rsvd', 'Surp')]
    wrong = []
    if len(usual) != 1 or [usual[0][c] for c in ('total', 'free', 'reserved', 'surplus')] != want:
        wrong.append(f'{usual}, kernel {want}')
    if 'Hugetlb' in said and sum(int(r['memory']) for r in pools) != 1024 * int(said['Hugetlb']):
        wrong.append(f'{pools}, kernel {said["Hugetlb"]} KiB')
    for pool in pools:
        nodes = [r for r in rows if r['kind'] == 'node' and r['page_size'] == pool['page_size']]
        if sum(int(r['total']) for r in nodes) != int(pool['total']):
            wrong.append(f'{pool} and {nodes}')
    return wrong


def compare_pagetables(rows, truth):
    """VmPTE of each frozen process; the walk finds no more, but for the table of the fourth of five
    levels, which the kernel does not count (mm_inc_nr_puds() is the last)."""
    counted = {r['pid']: r for r in rows}
    wrong = []
    for p in truth.frozen():
        said, row = p.status('VmPTE'), counted.get(str(p.pid))
        if said and row and int(row['counted']) >> 10 != int(said[0]):
            wrong.append(f'{p.pid}: {row["counted"]}, kernel {said[0]} KiB')
    return wrong + [f'{r}: more found than counted' for r in rows
                    if r['found'] and int(r['found']) > int(r['counted']) + truth.page_size]


NODE_COUNTS = {'file': ('nr_file_pages',), 'anon': ('nr_anon_pages',), 'shmem': ('nr_shmem',),
               'mapped': ('nr_mapped',), 'dirty': ('nr_dirty',), 'unevictable': ('nr_unevictable',),
               'slab': ('nr_slab_reclaimable', 'nr_slab_unreclaimable'), 'free': ('nr_free_pages',),
               'size': ('present',), 'managed': ('managed',), 'numa_hit': ('numa_hit',),
               'numa_miss': ('numa_miss',), 'other_node': ('numa_other',), 'local_node': ('numa_local',)}
EVENTS = ('numa_hit', 'numa_miss', 'other_node', 'local_node')


def compare_numa(rows, zoneinfo, page):
    """The report numa against the counters of nodes and zones in the exported zoneinfo."""
    nodes = collections.defaultdict(collections.Counter)
    for zone in re.split(r'^(?=Node )', zoneinfo.decode(), flags=re.M)[1:]:
        node = re.match(r'Node (\d+)', zone)[1]
        for name, value in re.findall(r'^ +(\w+) +(\d+)$', zone, re.M):
            nodes[node][name] += int(value)
    wrong = [] if len(rows) == len(nodes) else [f'{len(rows)} nodes, {len(nodes)} in zoneinfo']
    for r in rows:
        for column, names in NODE_COUNTS.items():
            have = nodes[r['node']]
            want = sum(have[n] for n in names) * (1 if column in EVENTS else page)
            if r[column] and int(r[column]) != want:
                wrong.append(f'node {r["node"]}: {column} is {r[column]}, {want} in zoneinfo')
    return wrong


def compare_tables(check, skip, truth, read, knows, report):
    """CHECK(what, differences, detail), SKIP(what, why); READ(name): the exported file; KNOWS(fact): is
    it in the dump's types? REPORT(name, option...): all columns of its rows."""
    if knows('resource.child'):
        want, got = truth.read('iomem').decode(), read('iomem').decode()
        check('iomem', [] if want == got else [f'{want}\ngot {got}'], f'{want.count(chr(10))} lines')
    else:
        skip('iomem', 'the layout file is older than its facts')
    if not knows('zone.free_area'):
        skip('tables of the kernel', 'the layout file is older than their facts')
        return
    zoneinfo, buddyinfo = read('zoneinfo'), read('buddyinfo')
    wrong, same = compare_zoneinfo(truth.read('zoneinfo'), zoneinfo)
    check('zoneinfo', wrong, f'{same} lines equal')
    check('buddyinfo', compare_buddyinfo(truth.read('buddyinfo'), buddyinfo, zoneinfo))
    check('pagetypeinfo', compare_pagetypeinfo(truth.read('pagetypeinfo'), read('pagetypeinfo'),
                                               buddyinfo))
    check('report zones', compare_zones(truth.read('zoneinfo'), report('zones', '--all'),
                                        truth.page_size))
    check('report numa', compare_numa(report('numa'), zoneinfo, truth.page_size))
    wrong, same = compare_slabinfo(truth.read('slabinfo'), read('slabinfo'))
    check('slabinfo', wrong, f'{same} lines equal')
    check('report slab', compare_slab(report('slab', '--all'), read('slabinfo'), read('meminfo')))
    want, got = truth.read('vmallocinfo').decode().splitlines(), read('vmallocinfo').decode().splitlines()
    check('vmallocinfo', [f'{a!r}, got {b!r}' for a, b in itertools.zip_longest(want, got) if a != b],
          f'{len(want)} lines')
    check('report vmalloc', compare_vmalloc(report('vmalloc'), truth.read('vmallocinfo'),
                                            truth.page_size))
    check('report stacks', compare_stacks(report('stacks'), read('meminfo')))
    check('report hugetlb', compare_hugetlb(report('hugetlb', '--all'), truth.read('meminfo')))
    check('report pagetables', compare_pagetables(report('pagetables'), truth))
