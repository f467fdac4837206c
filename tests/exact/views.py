# SPDX-License-Identifier: GPL-3.0-or-later
"""Layouts of older tools against those tools' own arithmetic over the kernel's smaps.

smem itself is run where it is installed, over a tree of the kernel's files; the others
are computed here from smaps, smaps_rollup and pagemap. Process 1 and the recorder
went on after the recording and are left out.
"""
import collections
import os
import re
import shutil
import struct
import subprocess
import tempfile

SMAPS_LINE = re.compile(rb'^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \d+ *(.*)$')


class Mapping:
    def __init__(self, match):
        self.start, self.end = int(match[1], 16), int(match[2], 16)
        self.perms, self.name = match[3].decode(), match[4]
        self.kib = collections.Counter()

    @property
    def uss(self):
        return self.kib['Private_Clean'] + self.kib['Private_Dirty']


def mappings(process, name='smaps'):
    found = []
    for line in process.read(name).splitlines():
        match = SMAPS_LINE.match(line)
        if match:
            found.append(Mapping(match))
        elif line.endswith(b' kB') and found:
            name, value = line[:-3].split(b':')
            found[-1].kib[name.decode()] = int(value)
    return found


def shown(name):
    """A name as text shows it: bytes that are no UTF-8 or control characters as \\xHH."""
    text = re.sub(rb'\\(0[0-3][0-7]|1[0-7]{2})', lambda m: bytes([int(m[1], 8)]), name)
    return ''.join(f'\\x{ord(c) - 0xdc00:02x}' if 0xdc80 <= ord(c) <= 0xdcff else
                   f'\\x{ord(c):02x}' if ord(c) < 32 or ord(c) == 127 else c
                   for c in text.decode(errors='surrogateescape'))


class Views:
    def __init__(self, vmcensus, truth):
        self.vmcensus, self.truth = vmcensus, truth
        self.all = [p for p in truth.all if p.read('smaps')]
        frozen = {p.pid for p in truth.frozen()}
        self.frozen = [p for p in self.all if p.pid in frozen]
        self.moving = [p for p in self.all if p.pid not in frozen]
        self.leaderless = [p for p in truth.all if p.leader_gone]
        self.maps = {p.pid: mappings(p) for p in self.frozen}
        # the zoo's children of vfork and of CLONE_VM, which run in their parent's mm
        self.sharers = {p.pid for p in self.frozen if p.comm == b'zoo-mm-sharer'}

    @property
    def only_plain(self):
        return ' and '.join(f'pid != {p.pid}' for p in self.truth.all
                            if not smem_can(p) or p in self.moving)

    def text(self, report, like, *options):
        code, out, err = self.vmcensus(report, '--like', like, *options)
        if code not in (0, 2):
            return f'exit {code}: {err.decode(errors="replace")}'
        return out.decode()

    def blocks(self, like):
        """{pid: text} of a layout that shows one process after the other."""
        parts = re.split(r'^==> (\d+) .* <==\n', self.text('vmas', like), flags=re.M)
        return {int(pid): text for pid, text in zip(parts[1::2], parts[2::2])}

    def sums(self, process, *names):
        return [sum(m.uss if n == 'uss' else m.kib[n] for m in self.maps[process.pid])
                for n in names]


# ---- ps_mem --------------------------------------------------------------------------

def program_of(process, views):
    def exe(p):
        path = p.read('exe').rstrip(b'\n')
        if path.endswith(b' (deleted)'):
            path = path[:-10] + b' [deleted]'
        return path.split(b'/')[-1]
    name, comm = exe(process), process.read('comm').rstrip(b'\n')
    if name.startswith(comm):
        return name
    parent = next((p for p in views.all if p.pid == int(process.stat[1])), None)
    return name if parent and exe(parent) == name else comm


def human(kib):
    for unit in ('KiB', 'MiB', 'GiB'):
        if kib < 1000:
            break
        kib /= 1024
    return f'{kib:.1f} {unit}'


def ps_mem_line(name, private, shared, count):
    if not private + shared:
        return ''
    many = f' ({count})' if count > 1 else ''
    return f'{human(private):>9} + {human(shared):>9} = {human(private + shared):>9}' \
        f'\t{shown(name)}{many}'


def leaderless(views, private, count):
    """A process whose leader has ended has no smaps_rollup and no exe, so that ps_mem misses it.

    Its threads have smaps: private pages are exact, and what its pss may be is a range.
    """
    choices = {}
    for p in views.leaderless:
        tid = os.listdir(p.folder + '/thread_smaps')[0]
        maps = mappings(p, f'thread_smaps/{tid}')
        own, pss = sum(m.uss for m in maps), sum(m.kib['Pss'] for m in maps)
        name = next(program_of(q, views) for q in views.all if q.pid == int(p.stat[1]))
        count[name] += 1
        private[name] += own + sum(m.kib['Private_Hugetlb'] for m in maps)
        choices[name] = [pss + i + 0.5 - own for i in range(len(maps) + 1)]
    return choices


def ps_mem(views):
    private, shared, huge = (collections.Counter() for _ in range(3))
    count, moving = collections.Counter(), {program_of(p, views) for p in views.moving}
    for p in views.frozen:
        name = program_of(p, views)
        count[name] += 1
        if p.pid in views.sharers:
            continue
        kib = {k: int(v) for k, v in re.findall(rb'^(\w+): +(\d+) kB', p.read('smaps_rollup'),
                                                re.M)}
        own = kib[b'Private_Clean'] + kib[b'Private_Dirty']
        shared[name] += kib[b'Pss'] + 0.5 - own
        private[name] += own + kib[b'Private_Hugetlb']
        huge[name] = max(huge[name], kib[b'Shared_Hugetlb'])
    want, choices = set(), leaderless(views, private, count)
    for name in set(count) - moving:
        lines = {ps_mem_line(name, private[name], shared[name] + huge[name] + more, count[name])
                 for more in choices.get(name, [0])}
        want.add(lines.pop() if len(lines) == 1 else frozenset(lines))
    want -= {''}
    lines = views.text('programs', 'ps_mem').splitlines()
    if lines[:2] != [' Private  +   Shared  =  RAM used\tProgram', ''] or \
            lines[-3:-1:2] != ['-' * 33] or lines[-1] != '=' * 33:
        return [f'header or rules: {lines[:3]} {lines[-3:]}']
    got = {line for line in lines[2:-3] if re.sub(r' \(\d+\)$', '', line.split('\t')[1])
           not in {shown(n) for n in moving}}
    found = {w for w in want if w in got or isinstance(w, frozenset) and w & got}
    told = {w if isinstance(w, str) else next(iter(w & got)) for w in found}
    return [f'{line!r}: not in vmcensus' for line in want - found] + \
        [f'{line!r}: vmcensus alone' for line in got - told]


# ---- smem ------------------------------------------------------------------------------

def smem_tree(views, folder, processes, meminfo):
    """What smem reads of /proc; the dump has no arguments, so they are [comm] here too."""
    owned = os.geteuid() == 0
    for p in processes:
        d = f'{folder}/proc/{p.pid}'
        os.makedirs(d)
        for name, data in (('smaps', p.read('smaps')), ('stat', p.read('stat')),
                           ('cmdline', b'[' + p.comm + b']\0')):
            with open(f'{d}/{name}', 'wb') as f:
                f.write(data)
        if owned:
            os.chown(d, int(p.status('Uid')[1]), int(p.status('Gid')[1]))
    for name, data in (('meminfo', meminfo), ('version', views.truth.read('version'))):
        with open(f'{folder}/proc/{name}', 'wb') as f:
            f.write(data)
    return owned


def smem(folder, *options):
    # PYTHONIOENCODING: names of any bytes; a terminal's size is not asked for
    done = subprocess.run(['smem', '-S', folder, '-n', *options], capture_output=True, text=True,
                          timeout=180, env={**os.environ, 'PYTHONIOENCODING': 'utf-8',
                                            'LC_ALL': 'C.UTF-8'})
    return done.stdout.splitlines() or done.stderr.splitlines()[-1:]


def differ(want, got):
    w, g = collections.Counter(want), collections.Counter(got)
    return [f'{line!r}: smem alone' for line in w - g] + \
        [f'{line!r}: vmcensus alone' for line in g - w]


def smem_can(process):
    """smem ends at a name that is no UTF-8, and shows a line end in a task's name as one."""
    try:
        process.read('smaps').decode()
    except UnicodeDecodeError:
        return False
    return all(32 < c < 127 for c in process.comm) and not process.leader_gone


def without_user(line):
    return line[:6] + line[15:]


def smem_processes(views, folder, owned):
    moving = {p.pid for p in views.moving}
    ours = views.text('procs', 'smem').splitlines()
    moving |= {p.pid for p in views.truth.all if not smem_can(p)}
    got = [ours[0]] + [line for line in ours[1:] if int(line.split()[0]) not in moving]
    want = smem(folder)
    if not owned:
        want, got = list(map(without_user, want)), list(map(without_user, got))
    return differ(want, got)


def numbers(lines):
    return {line.split()[0]: list(map(int, line.split()[-5:])) for line in lines[1:]}


def smem_users(views, folder):
    """Ours without the moving processes, which are in the sums."""
    got = numbers(views.text('users', 'smem').splitlines())
    rows = {line.split()[0]: line.split() for line in views.text('procs', 'smem').splitlines()[1:]}
    for p in views.all + views.leaderless:
        if smem_can(p) and p not in views.moving:
            continue
        user = p.status('Uid')[1].decode()
        swap, uss, pss, rss = map(int, rows[str(p.pid)][-4:])
        got[user] = [a - b for a, b in zip(got[user], [1, swap, uss, pss, rss])]
    # processes that share an mm are many for smem's sums too, and are not in the tree
    for p in views.truth.all:
        if p.pid in views.sharers:
            got[p.status('Uid')[1].decode()][0] -= 1
    got = {u: v for u, v in got.items() if v[0]}
    want = numbers(smem(folder, '-u'))
    return [f'user {u}: smem {want.get(u)}, vmcensus {got.get(u)}'
            for u in sorted(set(want) | set(got)) if want.get(u) != got.get(u)]


def smem_maps(views, folder):
    """Names with blanks, which smem cuts, are only in our output; PIDs counts sharers of an mm."""
    skip = views.only_plain
    ours = views.text('vmas', 'smem', '-w', skip).splitlines()
    more = collections.Counter(n for pid in views.sharers
                               for n in {shown(m.name) or '<anonymous>' for m in views.maps[pid]})
    got = []
    for line in ours[1:]:
        name, (pids, _, pss) = line[:40].rstrip(), map(int, line[40:].split())
        pids -= next((c for n, c in more.items() if n[:40].rstrip() == name), 0)
        got.append((name, pids, pss // pids, pss))
    want = [(line[:40].rstrip(), *map(int, line[40:].split())) for line in smem(folder, '-m')[1:]]
    odd = {m.name for maps in views.maps.values() for m in maps
           if b' ' in m.name or shown(m.name) != m.name.decode(errors='replace')}
    cut = {shown(n)[:40].rstrip() for n in odd} | \
        {n.split()[0].decode(errors='surrogateescape')[:40] for n in odd}
    return differ([w for w in want if w[0] not in cut and '\udc80' > max(w[0])],
                  [g for g in got if g[0] not in cut])


def smem_system(views, folder):
    return differ(smem(folder, '-w'), views.text('summary', 'smem').splitlines())


def compare_smem(tally, name, views, meminfo):
    if not shutil.which('smem'):
        tally.skip(f'{name} smem', 'smem is not installed')
        return
    with tempfile.TemporaryDirectory() as folder:
        owned = smem_tree(views, folder, [p for p in views.frozen if smem_can(p)], meminfo)
        tally.check(f'{name} smem', smem_processes(views, folder, owned),
                    f'{len(views.frozen)} processes')
        tally.check(f'{name} smem -w', smem_system(views, folder))
    with tempfile.TemporaryDirectory() as folder:
        smem_tree(views, folder, [p for p in views.frozen if smem_can(p) and
                                  p.pid not in views.sharers], meminfo)
        if owned:
            tally.check(f'{name} smem -u', smem_users(views, folder))
        tally.check(f'{name} smem -m', smem_maps(views, folder))


# ---- Android's tools ----------------------------------------------------------------------

def swap_entries(process):
    """[(type, offset)] of page-table entries in swap, by pagemap (bit 62; 5 bits of type)."""
    data, at, found = process.read('pagemap.bin'), 0, []
    while at + 24 <= len(data):
        count = struct.unpack_from('<Q', data, at + 16)[0]
        for entry in struct.unpack_from(f'<{count}Q', data, at + 24):
            # type and offset; entries of other areas than 0 migrate or have no page
            if entry >> 62 & 1 and not entry >> 63 and not entry & 31:
                found.append(entry >> 5 & (1 << 50) - 1)
        at += 24 + 8 * count
    return found


def procrank(views):
    entries = {p.pid: swap_entries(p) for p in views.frozen}
    users = collections.Counter(e for pid, es in entries.items() if pid not in views.sharers
                                for e in es)
    rows = {int(line.split()[0]): line.split()[1:]
            for line in views.text('procs', 'procrank').splitlines()[1:]
            if re.match(r' *\d+  ', line)}
    differences, kib = [], views.truth.page_size // 1024
    for p in views.frozen:
        size, rss, uss, pss, swap_pss = views.sums(p, 'Size', 'Rss', 'uss', 'Pss', 'SwapPss')
        gate = 4 if any(m.name == b'[vsyscall]' for m in views.maps[p.pid]) else 0
        unique = sum(users[e] == 1 for e in entries[p.pid])
        want = [size - gate, rss, None, uss, kib * len(entries[p.pid]), None, kib * unique]
        row = rows.get(p.pid, ['0K'] * 7)
        got = [int(v.rstrip('K')) for v in row[:7]]
        cut = len(views.maps[p.pid])        # Pss lost less than a KiB in each
        if any(w is not None and w != g for w, g in zip(want, got)) or \
                not pss <= got[2] <= pss + cut or not swap_pss <= got[5] <= swap_pss + cut:
            differences.append(f'{p.pid}: {want} pss {pss} swap_pss {swap_pss}, vmcensus {got}')
    return differences


def librank(views):
    """Vss, Rss and Uss of each process in each name, but heaps and stacks."""
    want = collections.Counter()
    for p in views.frozen:
        parts = collections.defaultdict(lambda: [0, 0, 0])
        for m in views.maps[p.pid]:
            if m.name not in (b'[heap]', b'[stack]', b'[vsyscall]'):
                part = parts[shown(m.name) or '[anon]']
                for i, v in enumerate((m.kib['Size'], m.kib['Rss'], m.uss)):
                    part[i] += v
        want.update((name, p.pid, *v) for name, v in parts.items())
    skip = ' and '.join(f'pid != {p.pid}' for p in views.moving + views.leaderless)
    got, name = collections.Counter(), ''
    lines = views.text('vmas', 'librank', '-w', f"name != '[vsyscall]' and {skip}").splitlines()
    for line in lines[1:]:
        row = re.match(r' {9}( *\d+)K  ( *\d+)K  ( *\d+)K  ( *\d+)K .* \[(\d+)\]$', line)
        if row:
            got[name, int(row[5]), int(row[1]), int(row[2]), int(row[4])] += 1
        else:
            name = re.match(r' *\d+K {44}(.*)$', line)[1].lstrip()
    return differ(want, got)


def showmap(views):
    texts, differences = views.blocks('showmap'), []
    fields = ('Size', 'Rss', 'Pss', 'Shared_Clean', 'Shared_Dirty', 'Private_Clean',
              'Private_Dirty', 'Swap', 'SwapPss')
    for p in views.frozen:
        want, before = {}, None
        for m in views.maps[p.pid]:
            bss = not m.name and before and before.end == m.start and before.name[:1] == b'/' \
                and before.name.endswith(b'.so')
            name = before.name if bss else m.name or b'[anon]'
            row = want.setdefault(shown(name), [0] * (len(fields) + 1))
            for i, f in enumerate(fields):
                row[i] += m.kib[f]
            row[-1] += 1
            before = m
        got = {line[86:]: list(map(int, line[:86].split()))
               for line in texts.get(p.pid, '').splitlines() if re.match(r' *\d', line)}
        want['TOTAL'] = [sum(column) for column in zip(*want.values())]
        if want != got:
            differences.append(f'{p.pid}: {set(want) ^ set(got)} '
                               f'{[(n, want[n], got.get(n)) for n in want if want[n] != got.get(n)]}')
    return differences


# ---- pmap -x, smem.pl ------------------------------------------------------------------------

def pmap_line(wide, start, size, rss, dirty, mode, name):
    return f'{start:0{wide}x} {size:7} {rss:7} {dirty:7} {mode} {name}'


def pmap_itself():
    """Lines of the pmap of this machine that pmap_line() does not make."""
    done = subprocess.run(['pmap', '-x', str(os.getpid())], capture_output=True, text=True)
    with open('/proc/self/maps') as f:
        names = {line.split('/')[-1].strip() for line in f if '/' in line} | {'  [ anon ]', '  [ stack ]'}
    fields = re.compile(r'([0-9a-f]{8,16}) +(\d+) +(\d+) +(\d+) ([-rwxsp]{5})')
    lines = [(line, fields.match(line)) for line in done.stdout.splitlines()]
    return [line for line, m in lines if m and not any(
        line == pmap_line(len(m[1]), int(m[1], 16), int(m[2]), int(m[3]), int(m[4]), m[5], n) for n in names)]


def pmap(views):
    parts = re.split(r'^(\d+):   .*\n', views.text('vmas', 'pmap'), flags=re.M)
    texts = {int(pid): text for pid, text in zip(parts[1::2], parts[2::2])}
    differences = pmap_itself() if shutil.which('pmap') else []
    wide = 16 if any(m.end >> 32 for p in views.frozen for m in views.maps[p.pid]) else 8
    for p in views.frozen:
        stack = int(p.stat[25])     # startstack, the 28th field
        want, sums = ['Address'.ljust(wide) + '  Kbytes     RSS   Dirty Mode  Mapping'], [0, 0, 0]
        for m in views.maps[p.pid]:
            dirty = m.kib['Shared_Dirty'] + m.kib['Private_Dirty']
            name = shown(m.name.split(b'/')[-1]) if b'/' in m.name else \
                '  [ stack ]' if m.start <= stack <= m.end else '  [ anon ]'
            mode = m.perms[:3] + m.perms[3].replace('p', '-') + '-'
            want.append(pmap_line(wide, m.start, m.kib['Size'], m.kib['Rss'], dirty, mode, name))
            sums = [a + b for a, b in zip(sums, (m.kib['Size'], m.kib['Rss'], dirty))]
        want += ['-' * wide + ' ------- ------- ------- ',
                 'total kB'.ljust(wide) + ' {:7} {:7} {:7}'.format(*sums)]
        got = texts.get(p.pid, '').split('\n')[:-1]
        if want != got:
            differences.append(f'{p.pid}: {differ(want, got)[:4]}')
    return differences


def smem_pl(views):
    texts, differences = views.blocks('smem.pl'), []
    for p in views.frozen:
        size, rss, sc, sd, pc, pd = views.sums(p, 'Size', 'Rss', 'Shared_Clean', 'Shared_Dirty',
                                               'Private_Clean', 'Private_Dirty')
        want = [f'VMSIZE:  {size:9} kb', f'RSS:     {rss:9} kb total',
                f'         {sc + sd:9} kb shared', f'         {pc:9} kb private clean',
                f'         {pd:9} kb private dirty']
        for title, kind in (('PRIVATE MAPPINGS', 'Private'), ('SHARED MAPPINGS', 'Shared')):
            part = [m for m in views.maps[p.pid]
                    if m.kib[kind + '_Clean'] + m.kib[kind + '_Dirty']]
            both = kind == 'Shared'
            part.sort(key=lambda m: -m.kib[kind + '_Dirty'] - both * m.kib[kind + '_Clean'])
            if part:
                want += [title, '     vmsize   rss clean   rss dirty   file']
            want += [f'{m.kib["Size"]:8} kb {m.kib[kind + "_Clean"]:8} kb '
                     f'{m.kib[kind + "_Dirty"]:8} kb   {shown(m.name)}' if m.name else
                     f'{m.kib["Size"]:8} kb {m.kib[kind + "_Clean"]:8} kb '
                     f'{m.kib[kind + "_Dirty"]:8} kb' for m in part]
        got = texts.get(p.pid, '').replace('\f', '').split('\n')[:-1]
        if want != got:
            differences.append(f'{p.pid}: {differ(want, got)[:4]}')
    return differences


def compare_views(tally, name, vmcensus, truth, tool):
    """TOOL prints the dump's own meminfo, which is of another moment than the truth's."""
    views = Views(vmcensus, truth)
    told = subprocess.run([tool, *vmcensus.types, *vmcensus.image], capture_output=True, timeout=180).stdout
    meminfo = b''.join(re.findall(rb'^meminfo (.*\n)', told, re.M))
    checks = [librank, showmap, pmap, smem_pl]
    if any(program_of(p, views) for p in views.frozen):
        tally.check(f'{name} ps_mem', ps_mem(views))
    else:
        tally.skip(f'{name} ps_mem', 'executables were not recorded')
    if any(p.has('pagemap.bin') for p in views.frozen):
        checks.append(procrank)
    else:
        tally.skip(f'{name} procrank', 'pagemap was not recorded')
    compare_smem(tally, name, views, meminfo)
    for check in checks:
        tally.check(f'{name} {check.__name__}', check(views), f'{len(views.frozen)} processes')
