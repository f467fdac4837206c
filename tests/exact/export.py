# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of report export, compared with those of the dump's kernel, read by the tools that they
are for, and read back by vmcensus.

Debian's smem runs as it is. It opens text strictly as UTF-8, which names on a Linux
machine need not be, and reads tars as bytes where it wants text; so Python is told to
open files (sitecustomize.py, below) with what cannot be decoded kept, and members of
tars as text.
"""
import array
import collections
import csv
import io
import os
import re
import shutil
import struct
import subprocess
import tarfile

from lib.compare import comparable
from lib.program import Asker, Opened

from exact.pageflags import recorded
from exact.tables import compare_tables
from exact.tasks import calls
from exact.tools import compare_numastat, compare_slabtop

PRESENT, PFN = 1 << 63, (1 << 55) - 1
IDLE = 1 << 25          # DAMON of 7.x goes on setting it
# What the dump does not tell; see docs/export.md.
STAT_LEFT_OUT = {42}    # delays of block devices, field of /proc/PID/stat
STATUS_DIFFERS = {'SigQ'}
STATUS_LEFT_OUT = {'Speculation_Store_Bypass', 'SpeculationIndirectBranch', 'Mems_allowed',
                   'Mems_allowed_list', 'x86_Thread_features', 'x86_Thread_features_locked'}
VMSTAT_LEFT_OUT = {'nr_dirty_threshold', 'nr_dirty_background_threshold', 'nr_memmap_pages',
                   'nr_memmap_boot_pages', 'nr_unstable'}

SWITCHES = re.compile(rb'^(?:non)?voluntary_ctxt_switches:\t(\d+)$', re.M)
RUNNING, WOKEN = b'State:\tR', 8

# lines that stand still; the linear map is cut up no more
STEADY = (b'MemTotal', b'HighTotal', b'LowTotal', b'SwapTotal', b'VmallocTotal',
          b'HugePages_Total', b'Hugepagesize', b'Hugetlb', b'DirectMap')

SITECUSTOMIZE = '''
import builtins, io, tarfile
plain, member = builtins.open, tarfile.TarFile.extractfile
def lenient(name, mode='r', *rest, **more):
    if 'b' not in mode:
        more.update(encoding='utf-8', errors='surrogateescape')
    return plain(name, mode, *rest, **more)
builtins.open = lenient
if TEXT_TARS:
    tarfile.TarFile.extractfile = lambda *a: io.TextIOWrapper(
        member(*a), encoding='utf-8', errors='surrogateescape', newline='\\n')
'''


class Export:
    def __init__(self, tally, name, program, image, types, truth, scratch):
        self.tally, self.name, self.program = tally, name, program
        self.image = [*image, *(['-t', types] if types else [])]
        self.truth, self.scratch = truth, scratch
        self.tree = os.path.join(scratch, 'proc')
        self.vfork_known = Opened(program, image, types).knows('task_struct.vfork_done')
        self.asker = Asker(program, image, self.image[len(image):])

    def check(self, what, differences, detail=''):
        self.tally.check(f'{self.name}: export: {what}', differences, detail)

    def skip(self, what, why='it was not recorded'):
        self.tally.skip(f'{self.name}: export: {what}', why)

    def run(self, *args):
        code, out, err = self.asker('-q', *args)
        return code, out, err.decode(errors='replace')

    def rows(self, report, columns, image=None):
        out = self.run('-f', 'csv', '-c', columns, report, *(image or self.image))[1]
        return list(csv.DictReader(io.StringIO(out.decode(errors='surrogateescape'))))

    def read(self, name):
        try:
            with open(os.path.join(self.tree, name), 'rb') as f:
                return f.read()
        except FileNotFoundError:
            return b''

    def knows(self, member):
        """A layout file of an earlier FACTS_VERSION does not have all members."""
        if '-t' not in self.image:
            return True
        with open(self.image[-1], 'rb') as f:
            return b'member %s ' % member.encode() in f.read().replace(b'[]', b'')

    # ---- the kernel's own files ----

    def task_files(self):
        frozen = self.truth.frozen()
        for name in ('maps', 'smaps', 'smaps_rollup', 'statm', 'comm', 'cgroup', 'oom_score_adj',
                     'oom_score', 'stat', 'status', 'numa_maps'):
            wrong = []
            if not any(p.has(name) for p in frozen):
                self.skip(name)
                continue
            for p in frozen:
                want, got = p.read(name), self.read(f'{p.pid}/{name}')
                if p.leader_gone and not want:
                    continue        # we show what its threads show
                if name == 'oom_score' and p.comm == b'zoo-mm-sharer' and not got and \
                        not self.vfork_known:
                    continue
                wrong += self.differences(p, name, want, got)
            self.check(f'{name} of {len(frozen)} processes', wrong)

    def still_tasks(self):
        """Kernel threads and zombies that did not run since: their files cannot have changed.

        They cannot be stopped, but count how often they were switched from.  A thread that was
        woken and not yet switched from has the same count, and is left out: that can be one on
        each CPU and a few in its queue (WOKEN).  A layout file of before FACTS_VERSION 3 does
        not know where the long names are.
        """
        still, woken, short = [], [], False
        if '-t' in self.image:
            with open(self.image[-1], 'rb') as f:
                short = b'member worker.desc ' not in f.read()
        for p in self.truth.all:
            if short and (p.comm.startswith(b'kworker/') or len(p.comm) > 15):
                continue
            then, now = p.read('status'), self.read(f'{p.pid}/status')
            want, got = SWITCHES.findall(then), SWITCHES.findall(now)
            if want == got and want and not (p.frozen or p.leader_gone or p.read('smaps')):
                ran = RUNNING in now and RUNNING not in then
                (woken if ran else still).append(p)
        if not still:
            self.skip('files of kernel threads and zombies')
            return
        if woken:
            self.check('kernel threads that were woken since',
                       [f'{len(woken)} of them'] if len(woken) > WOKEN else [])
        workers = sum(p.comm.startswith(b'kworker/') for p in still)
        for name in ('comm', 'stat', 'status'):
            wrong = []
            for p in still:
                wrong += self.differences(p, name, p.read(name), self.read(f'{p.pid}/{name}'))
            self.check(f'{name} of {len(still)} kernel threads and zombies', wrong,
                       f'{workers} workers')
        self.stacks(still)

    def stacks(self, still):
        """exact/tasks.py has those of frozen processes."""
        with_stack = [p for p in still if p.read('stack')]
        if not with_stack:
            self.skip('stacks of kernel threads')
            return
        shown = {r['tid']: (r['how'], r['stack'].split(' < ')) for r in self.rows('tasks', 'tid,how,stack')}
        wrong = [f'{p.pid}: {want}, not {shown.get(str(p.pid))}' for p in with_stack
                 for want in [calls(p.read('stack').decode())] if shown.get(str(p.pid)) != ('whole', want)]
        self.check(f'stacks of {len(with_stack)} kernel threads', wrong)

    @staticmethod
    def differences(p, name, want, got):
        if name == 'smaps':
            want, got = comparable(want), comparable(got)
        if name == 'stat':
            want, got = (stat_fields(text) for text in (want, got))
        if name == 'status':
            want, got = ([line for line in text.decode(errors='replace').split('\n')
                          if line.split(':')[0] not in STATUS_LEFT_OUT | STATUS_DIFFERS]
                         for text in (want, got))
        if want == got:
            return []
        if isinstance(want, list):
            want, got = ([x for x in a if x not in b] for a, b in ((want, got), (got, want)))
        return [f'{p.pid} {p.comm!r}: want {want[:400]!r}\ngot {got[:400]!r}']

    def pagemaps(self):
        words, wrong, frames = 0, [], set()
        for p in self.truth.frozen():
            text, at = p.read('pagemap.bin'), 0
            path = os.path.join(self.tree, str(p.pid), 'pagemap')
            while at < len(text):
                start, _, n = struct.unpack_from('<QQQ', text, at)
                want = array.array('Q', text[at + 24:at + 24 + 8 * n])
                at += 24 + 8 * n
                with open(path, 'rb') as f:
                    f.seek(start // self.truth.page_size * 8)
                    got = array.array('Q', f.read(8 * n).ljust(8 * n, b'\0'))
                words += n
                frames.update(x & PFN for x in want if x & PRESENT)
                if want != got:
                    i = next(i for i in range(n) if want[i] != got[i])
                    wrong.append(f'{p.pid} {start + i * self.truth.page_size:#x}: {want[i]:#x}, got {got[i]:#x}')
        if words:
            self.check('pagemap', wrong, f'{words} words')
        else:
            self.skip('pagemap')
        return frames

    def kpages(self, frames):
        """Frames of processes that were stopped; others belong to the recorder, or were its.

        Where pagemap does not tell whose frames are, all that were mapped.
        """
        if not frames:
            count = recorded(self.truth.read('kpagecount'))
            frames = {i for i, n in enumerate(count) if n}
        for name, mask in (('kpagecount', ~0), ('kpageflags', ~IDLE)):
            want = recorded(self.truth.read(name))
            got = array.array('Q', self.read(name))
            wrong = [] if len(got) == len(want) else [f'{len(got)} words, not {len(want)}']
            wrong += [f'{f:#x}: {want[f]:#x}, got {got[f]:#x}' for f in sorted(frames)
                      if f < min(len(want), len(got)) and (want[f] ^ got[f]) & mask]
            self.check(name, wrong, f'{len(frames)} frames')
        self.kpagecgroup(frames)

    def kpagecgroup(self, frames):
        """The groups of the same frames; those of a page that somebody else mapped first vary."""
        want = self.truth.read('kpagecgroup') if self.truth.has('kpagecgroup') else b''
        if not want or not os.path.exists(os.path.join(self.tree, 'kpagecgroup')):
            self.skip('kpagecgroup')
            return
        want, got = recorded(want), array.array('Q', self.read('kpagecgroup'))
        wrong = [] if len(got) == len(want) else [f'{len(got)} words, not {len(want)}']
        wrong += [f'{f:#x}: {want[f]}, got {got[f]}' for f in sorted(frames)
                  if f < min(len(want), len(got)) and want[f] != got[f]]
        self.check('kpagecgroup', wrong, f'{len(frames)} frames, {len(set(want))} groups')

    def machine_files(self):
        for name in ('swaps', 'version'):
            want, got = self.truth.read(name), self.read(name)
            self.check(name, [] if want == got else [f'{want!r}, got {got!r}'])
        for name, left_out in (('meminfo', set()), ('vmstat', VMSTAT_LEFT_OUT)):
            want = [line.split()[0].decode() for line in self.truth.read(name).splitlines()]
            got = [line.split()[0].decode() for line in self.read(name).splitlines()]
            want = [n for n in want if n not in left_out]
            self.check(f'lines of {name}', [] if want == got else [f'{want}\ngot {got}'])
        # numbers move, but none of these machines has so much that one leaves its column
        wrong = [f'{a!r}, got {b!r}' for a, b in zip(self.truth.read('meminfo').splitlines(),
                                                     self.read('meminfo').splitlines())
                 if len(a) != len(b)]
        self.check('form of meminfo', wrong)
        wrong = [f'{a!r}, got {b!r}' for a, b in zip(self.truth.read('meminfo').splitlines(),
                                                     self.read('meminfo').splitlines())
                 if a != b and a.startswith(STEADY)]
        self.check('meminfo: ' + b' '.join(STEADY).decode(), wrong)

    def group_files(self):
        """Files of control groups that the export has too, and pressure where it did not grow."""
        top, same, wrong = os.path.join(self.truth.folder, 'cgroup'), 0, []
        known = self.knows('mem_cgroup.memory.min')
        for folder, _, files in os.walk(top) if known else ():
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), self.truth.folder)
                want, got = self.truth.read(path), self.read(path)
                if not got or name == 'memory.pressure' and b'total=0\n' not in want:
                    continue
                same += want == got
                wrong += [] if want == got else [f'{path}: {want!r}, got {got!r}']
        if same or wrong:
            self.check('files of control groups', wrong, f'{same} files equal')
        elif os.path.isdir(top):
            self.skip('files of control groups', 'the layout file is older than their facts')

    def tools(self):
        """Of the processes whose numa_maps are equal, some."""
        equal = [p.pid for p in self.truth.frozen()
                 if p.read('numa_maps') and p.read('numa_maps') == self.read(f'{p.pid}/numa_maps')]
        compare_slabtop(self.check, self.skip, self.truth.folder, self.tree)
        compare_numastat(self.check, self.skip, self.truth.folder, self.tree, equal[:12])

    # ---- smem ----

    def smem(self, source, *args, text_tars=False):
        site = os.path.join(self.scratch, 'site')
        os.makedirs(site, exist_ok=True)
        with open(site + '/sitecustomize.py', 'w') as f:
            f.write(SITECUSTOMIZE.replace('TEXT_TARS', str(text_tars)))
        done = subprocess.run(['python3', shutil.which('smem'), '-S', source, '-H', *args],
                              capture_output=True, timeout=300,
                              env={**os.environ, 'PYTHONPATH': site,
                                   'PYTHONIOENCODING': 'utf-8:surrogateescape'})
        if done.returncode:
            return None, done.stderr.decode(errors='replace')[-600:]
        return done.stdout.decode('utf-8', 'surrogateescape').splitlines(), ''

    def smem_processes(self, source, what, **more):
        lines, why = self.smem(source, '-c', 'pid maps swap uss pss rss vss', **more)
        if lines is None:
            self.check(what, [why])
            return
        ours = {int(r['pid']): r for r in self.rows('procs', 'pid,swap,uss,pss,rss,exe')
                if r['exe'] or int(r['rss'])}
        size, seen = collections.Counter(), 0
        for r in self.rows('smaps', 'pid,size'):
            size[int(r['pid'])] += int(r['size'])
        wrong = []
        for line in lines:
            pid, maps, swap, uss, pss, rss, vss = map(int, line.split())
            want, seen = ours.pop(pid, None), seen + 1
            if want is None:
                wrong.append(f'{pid} is in no row of ours')
                continue
            exact = int(want['pss']) / 1024
            if (swap, uss, rss, vss) != tuple(v // 1024 for v in (
                    int(want['swap']), int(want['uss']), int(want['rss']), size[pid])):
                wrong.append(f'{line} and {want} {size[pid]}')
            # each mapping's Pss is cut to whole KiB
            if not exact - maps < pss <= exact:
                wrong.append(f'{pid}: pss {pss} of {exact:.3f} in {maps} mappings')
        wrong += [f'smem does not know {pid}' for pid in ours]
        self.check(what, wrong, f'{seen} processes')

    def smem_mappings(self):
        lines, why = self.smem(self.tree, '-m', '-c', 'count pids swap rss vss map')
        if lines is None:
            self.check('smem -m', [why])
            return
        pids = collections.defaultdict(set)
        sums = collections.defaultdict(lambda: [0, 0, 0, 0])
        known = {int(p) for p in os.listdir(self.tree) if p.isdigit()
                 and self.read(f'{p}/cmdline')}
        for r in self.rows('smaps', 'pid,swap,rss,size,name'):
            if int(r['pid']) not in known:
                continue
            # smem takes the sixth word of a line for the name
            name = re.sub(r'\\x([0-9a-f]{2})', lambda m: chr(int(m[1], 16)), r['name'])
            key = (name.replace('\n', '\\012').split() or ['<anonymous>'])[0]
            pids[key].add(r['pid'])
            for i, v in enumerate((1024, int(r['swap']), int(r['rss']), int(r['size']))):
                sums[key][i] += v // 1024
        # and shows 40 characters of it
        want = collections.Counter((k[:40], v[0], len(pids[k]), *v[1:]) for k, v in sums.items())
        got = collections.Counter()
        for line in lines:
            *numbers, key = line.split(None, 5)
            got[(key.strip(), *map(int, numbers))] += 1
        wrong = [f'not of smem: {k}' for k in want - got] + [f'smem: {k}' for k in got - want]
        self.check('smem -m', wrong, f'{len(got)} names')

    def smem_users(self):
        lines, why = self.smem(self.tree, '-u', '-n', '-c', 'user count swap uss rss')
        if lines is None:
            self.check('smem -u', [why])
            return
        want = collections.defaultdict(lambda: [0, 0, 0, 0])
        for r in self.rows('procs', 'pid,euid,swap,uss,rss,exe'):
            if not self.read(r['pid'] + '/cmdline'):
                continue
            for i, v in enumerate((1024, int(r['swap']), int(r['uss']), int(r['rss']))):
                want[r['euid']][i] += v // 1024
        want = {k: v for k, v in want.items() if v[3]}
        got = {f[0]: list(map(int, f[1:])) for f in map(str.split, lines)}
        got = {k: v for k, v in got.items() if v[3]}
        self.check('smem -u', [] if want == got else [f'{want}\nsmem {got}'])

    def smem_system(self):
        lines, why = self.smem(self.tree, '-w', '-c', 'area used cache')
        if lines is None:
            self.check('smem -w', [why])
            return
        m = {r['key']: r for r in self.rows('summary', 'section,key,value')
             if r['section'] == 'memory'}
        got = {' '.join(f[:-2]): int(f[-2]) for f in map(str.split, lines)}
        want = {'free memory': int(m['free']['value']) >> 10,
                'sum': int(m['total']['value']) >> 10}
        got['sum'] = sum(got.values())
        wrong = [f'{k}: {v}, smem {got.get(k)}' for k, v in want.items() if got.get(k) != v]
        self.check('smem -w', wrong, str(got))

    # ---- ps_mem's formula ----

    def ps_mem(self):
        """Private and shared RAM of each process as ps_mem 3.14 adds it up."""
        wrong, n = [], 0
        for r in self.rows('procs', 'pid,pss,uss,swap_pss,exe,private_hugetlb'):
            text = self.read(r['pid'] + '/smaps_rollup').decode()
            if not text:
                continue
            fields = collections.Counter()
            for name, kib in re.findall(r'^(\w+): +(\d+) kB$', text, re.M):
                fields[name] += int(kib)
            private = fields['Private_Clean'] + fields['Private_Dirty']
            want = (int(r['uss']) >> 10, int(r['pss']) >> 10, int(r['swap_pss']) >> 10,
                    int(r['private_hugetlb']) >> 10)
            if want != (private, fields['Pss'], fields['SwapPss'], fields['Private_Hugetlb']):
                wrong.append(f'{r} and {fields}')
            try:
                if os.readlink(f'{self.tree}/{r["pid"]}/exe') != r['exe']:
                    wrong.append(f'exe of {r["pid"]} is not {r["exe"]}')
            except OSError as e:
                wrong += [str(e)] if r['exe'] else []
            n += 1
        self.check("ps_mem's formula", wrong, f'{n} processes')

    # ---- the other products ----

    def tar(self):
        path = os.path.join(self.scratch, 'smemcap.tar')
        code, _, err = self.run('export', '-f', 'smemcap', '-o', path, *self.image)
        if code not in (0, 2):
            self.check('smemcap', [err])
            return
        wrong, names = [], []
        with tarfile.open(path) as t:
            for m in t:
                names.append(m.name)
                if m.isdir():
                    st = os.stat(os.path.join(self.tree, m.name))
                    if os.geteuid() == 0 and (m.uid, m.gid) != (st.st_uid, st.st_gid):
                        wrong.append(f'{m.name}: {m.uid} {m.gid}, not {st.st_uid} {st.st_gid}')
                elif t.extractfile(m).read() != self.read(m.name):
                    wrong.append(f'{m.name} is not as in the tree')
        if [n for n in names if n.count('/') == 0][:2] != ['meminfo', 'version']:
            wrong.append(f'it begins with {names[:3]}')
        self.check('smemcap', wrong, f'{len(names)} members')
        if shutil.which('smem'):
            self.smem_processes(path, 'smem on the tar', text_tars=True)

    def tvpm(self):
        """Written, read back: the same pages, shared and private, in the same VMAs."""
        path = os.path.join(self.scratch, 'tvpm')
        code, _, err = self.run('export', '-f', 'tvpm', '-o', path, *self.image)
        if code not in (0, 2):
            self.check('tvpm', [err])
            return
        columns = 'start,size,rss,uss,pss,private_hugetlb,shared_hugetlb'
        key = lambda r: tuple(r[c] for c in columns.split(','))    # noqa: E731
        rows = self.rows('vmas', columns)
        here, back = list(map(key, rows)), list(map(key, self.rows('vmas', columns, [path])))
        # a kernel of 32 bits loses the Pss of a huge page (its size << 12), and so do we
        lost = columns.split(',').index('pss')
        here, back = ([r[:lost] + r[lost + 1:] if int(own['pss']) < int(own['uss']) else r
                       for r, own in zip(side, rows)] for side in (here, back))
        wrong = [f'{len(rows)} mappings, {len(back)} read back'] if len(rows) != len(back) else \
            [f'{a}, read back {b}' for a, b in zip(here, back) if a != b]
        self.check('tvpm read back', wrong, f'{len(here)} mappings')
        code, _, err = self.run('-q', 'check', path)
        self.check('tvpm is whole', [] if code == 0 else [f'exit {code}: {err}'])
        os.unlink(path)

    def all(self):
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(self.scratch)
        code, _, err = self.run('export', '-f', 'proc', '-o', self.tree, *self.image)
        self.check('proc', [] if code in (0, 2) else [err])
        if code not in (0, 2):
            return
        self.task_files()
        self.still_tasks()
        self.kpages(self.pagemaps())
        self.machine_files()
        self.group_files()
        compare_tables(self.check, self.skip, self.truth, self.read, self.knows,
                       lambda name, *o: self.rows(name, 'all', [*o, *self.image]))
        self.tools()
        self.ps_mem()
        self.tvpm()
        self.tar()
        if not shutil.which('smem'):
            self.tally.skip(f'{self.name}: smem', 'it is not installed (Debian package smem)')
        else:
            self.smem_processes(self.tree, 'smem')
            self.smem_mappings()
            self.smem_system()
            if os.geteuid() == 0:
                self.smem_users()
            else:
                self.tally.skip(f'{self.name}: smem -u', 'only root can give files to users')
        shutil.rmtree(self.scratch, ignore_errors=True)


def stat_fields(text):
    """Those of a stat file that are compared, numbered as proc(5) does from the state, 3, on."""
    name, rest = text[:text.rindex(b')')], text[text.rindex(b')') + 1:].split()
    return [name] + [f'{i}: {x}' for i, x in enumerate(rest, 3) if i not in STAT_LEFT_OUT]


def compare_export(tally, name, program, image, types, truth, scratch):
    Export(tally, name, program, image, types, truth, scratch).all()


def compare_kernel_files(tally, name, program, image, truth, scratch):
    """Only the files of processes and frames, as their kernel wrote them, and tools that read such files."""
    export = Export(tally, name, program, image, None, truth, scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    code, _, err = export.run('export', '-f', 'proc', '-o', export.tree, *export.image)
    export.check('proc', [] if code == 0 else [f'exit {code}: {err}'])
    if code in (0, 2):
        export.task_files()
        export.still_tasks()
        export.kpages(export.pagemaps())
        export.tools()
    shutil.rmtree(scratch, ignore_errors=True)
