# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines described in text (tests/machine/), laid out for each CPU and kernel layout and written
in each container: each must give the values that were worked out by hand from the text, and one
line of damage must show as the issue that it is, and cost no more than it must."""
import csv
import os
import re
import shutil
import subprocess
import sys
import threading
import zlib

from damage import lines
from exact.containers import of_memory
from lib.program import ask_text, program_of
from lib.scratch import scratch_of
from machine import account

COLUMNS = 'pid,comm,start,perms,size,rss,pss,uss,swap,name'
# what vmas counts in bytes or is an address: with pages of 64 KiB it is 16 times as much
SCALED = range(4, 9)
CONTAINERS = ('elf', 'elf-bare', 'kdump-none', 'kdump-zlib', 'kdump-lzo', 'kdump-snappy',
              'kdump-zstd', 'flat', 'split', 'lime', 'avml', 'raw', 'mcore1', 'mcore2', 'qemu')
NOT_THERE = {
    'elf-bare': 'the kernel has no VMCOREINFO: elf has no notes either',
    'avml': 'AVML is of little-endian machines',
    'elf': 'the size of pages is not told', 'lime': 'the same', 'raw': 'the same', 'qemu': 'the same',
}
# Those that are asked for every report; where a machine is in no others, the first of them
ASKED = ('elf', 'mcore2')
# CPUs whose machines are written in all: words of 32 and 64 bits in both orders, and a kernel
# without VMCOREINFO
EVERYWHERE = ('x86_64', 'i386-pae', 'ppc-44x', 'ppc64le-radix-64k', 'ppc64-hash-4k')
OLD = 'ppc-40x 2.4.27'
# CPUs (rows of tests/machine/paging.c) that kernels of a layout file ran on
TYPES = (('x86_64', ['x86_64']), ('i386', ['i386']), ('i386-pae', ['i386-pae']),
         ('ppc', ['ppc-40x', 'ppc-6xx', 'ppc-8xx', 'ppc-e500']),
         ('ppc-pte64', ['ppc-44x', 'ppc-e500-pte64']),
         ('ppc64', ['ppc64-hash-4k', 'ppc64-hash-64k', 'ppc64-book3e-4k', 'ppc64-book3e-64k']))
OWN = [(f'linux-{v}-{types}', v, cpu) for v in ('2.6.18', '2.6.32', '3.10', '3.16', '4.19')
       for types, cpus in TYPES for cpu in cpus
       # nobody read those of 2.6.18
       if v != '2.6.18' or 'e500-pte64' not in cpu and 'book3e' not in cpu
       ] + [('linux-2.6.11-ppc', '2.6.11', 'ppc-40x'), ('linux-2.6.11-i386', '2.6.11', 'i386'),
            ('linux-2.4.27-ppc-40x', '2.4.27', 'ppc-40x'), ('linux-2.4.27-i386', '2.4.27', 'i386')]
# log2 of a page of a PMD: 2, 32, 512 MiB; the last is more than a described machine has
LARGEST = 25
ARM64 = (('4k', 21), ('4k-39', 21), ('4k-52', 21), ('16k', 25), ('16k-36', 25), ('16k-52', 25), ('64k', 29), ('64k-42', 29),
         ('64k-52', 29))
# Types of a kernel of Debian's, kept here: no fixture is of that machine
RISCV64 = ('riscv64-sv39', 'riscv64-sv48', 'riscv64-sv57')
KEPT = [('linux-6.12-arm64', '6.12.117', f'arm64-{cpu}') for cpu, _ in ARM64] + \
       [('linux-6.12-riscv64', '6.12.117', cpu) for cpu in RISCV64]
# The types of a real kernel, by what the fixture's name begins with, and the CPUs whose
# kernels have the same, except for the changes to the text of its layout.
SMALL_PTE = (r'(?m)^size pte_t 8$', 'size pte_t 4')
BIG = (r'(?m)^order little$', 'order big')
# a kernel with CONFIG_HUGETLB_PAGE, as that of i386 is
POOLS = [(r'\Z', 'enum HUGETLB_PAGE_DTOR 2\n'
                 'member hugetlbfs_sb_info.hstate 12 4 0 0 0 0 p\n'
                 'member hstate.order 28 4 0 0 0 0 -\n')]
REAL = {
    'x86_64-5': [('x86_64', [])], 'x86_64-6.1-elf': [('x86_64', [])],
    'x86_64-6.12-la57': [('x86_64', []), ('x86_64-la57', [])],
    'x86_64-7': [('x86_64', []), ('x86_64-la57', [])],
    'i386-6': [('i386', [])], 'i386-pae': [('i386-pae', [])],
    'ppc32-44x': [('ppc-44x', []), ('ppc-e500-pte64', POOLS), ('ppc-40x', [SMALL_PTE]),
                  ('ppc-8xx', [SMALL_PTE, *POOLS]),
                  ('ppc-e500', [SMALL_PTE, *POOLS])],
    'ppc32-6xx': [('ppc-6xx', [])],
    'ppc64le': [('ppc64le-radix-64k', []), ('ppc64le-radix-4k', []), ('ppc64le-hash-64k', []),
                ('ppc64-radix-64k', [BIG]), ('ppc64-radix-4k', [BIG]), ('ppc64-hash-64k', [BIG]),
                ('ppc64-hash-4k', [BIG]), ('ppc64-book3e-4k', [BIG])],
}
# What smaps says of these texts is computed of them (account.py): name, who has such entries
SPECIAL = ('entries', 'hugetlb', 'thp', 'parts', 'thp-moves')
# log2 of the sizes of hugetlb pages by CPU, from and before which release in this form:
# entries of the directory on x86, radix and hash with 64K pages; tables of their own (hugepd) on
# e500, 8xx (8 MiB) and hash with 4K pages; as many entries as pages on 8xx (512 KiB)
HUGETLB = (
    ('i386', 22, 2618, 0), ('i386-pae', 21, 2618, 0), ('x86_64', 21, 2618, 0),
    ('x86_64-la57', 21, 0, 0), ('ppc-e500', 22, 3002, 6011), ('ppc-e500-pte64', 22, 3002, 6011),
    ('ppc-8xx', 19, 5009, 0), ('ppc-8xx', 23, 5009, 6011), ('ppc64-hash-4k', 24, 3010, 4005),
    ('ppc64-hash-4k', 24, 4010, 6011), ('ppc64-hash-64k', 24, 3010, 0),
    ('ppc64le-hash-64k', 24, 0, 0), ('ppc64-radix-4k', 21, 0, 0), ('ppc64-radix-64k', 21, 0, 0),
    ('ppc64le-radix-4k', 21, 0, 0), ('ppc64le-radix-64k', 21, 0, 0),
    ('ppc64-book3e-4k', 22, 3002, 6011), ('ppc64-book3e-64k', 24, 3002, 6011),
    *((f'arm64-{cpu}', shift, 0, 0) for cpu, shift in ARM64 if shift <= LARGEST),
    *((cpu, 21, 0, 0) for cpu in RISCV64),
)
# the same of huge pages that are transparent, and since when they migrate as such
THP = {'i386-pae': (21, 2638, 0), 'x86_64': (21, 2638, 4014), 'x86_64-la57': (21, 0, 4014),
       'ppc64-hash-64k': (24, 3011, 5016), 'ppc64le-hash-64k': (24, 0, 5016),
       'ppc64-radix-4k': (21, 0, 5016), 'ppc64-radix-64k': (21, 0, 5016),
       'ppc64le-radix-4k': (21, 0, 5016), 'ppc64le-radix-64k': (21, 0, 5016)} | {
           f'arm64-{cpu}': (shift, 0, 5010) for cpu, shift in ARM64 if shift <= LARGEST} | {
           cpu: (21, 0, 5017) for cpu in RISCV64}
# Without VMCOREINFO (2.6.24) these do not tell the size of pages: 64 KiB are believed of ELF files of
# 64-bit PowerPC, 4 KiB of memory
UNTOLD = {'ppc64-hash-4k 2.6.18': ('elf',), 'ppc64-hash-64k 2.6.18': ('lime', 'raw', 'qemu')}
# Figure 2: RW and RX pages together
FIGURE_2 = {'init': 154, 'tiny_sys': 283, 'softdog': 132, 'link-mon': 156, 'inetd': 139}
FIGURES = (('procs',), ('procs', '--virtual'), ('vmas',), ('units',), ('total',),
           ('total', '--virtual'), ('alerts',), ('pages',))
def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                          check=False, text=True, errors='replace')


# "faults" and "times" of the text, ticks being 10 ms; 64-bit PowerPC counted a timebase
TIMES = 'pid,threads,majflt,utime,stime\n1,1,0,0,0\n20,2,7,120000000,340000000\n'
NO_TIMES = 'pid,threads,majflt,utime,stime\n1,1,0,,\n20,2,7,,\n'
# the last line of check: frames, and counters of address spaces
AGREES = re.compile(r' frames agree, 0 differ \(.* mms agree, 0 differ$')
UNEXPLAINED = re.compile(r'^ +0 ', re.M)
# described machines have no zones, no per-CPU memory, no kernel stacks, and no counters of swap;
# totalram_pages is that of pages of 4 KiB
NOT_DESCRIBED = {'sum above its whole', 'file system', 'per-CPU chunks', 'vm counters', 'node', 'kernel stack', 'counter'}
REPORTS = ('procs', 'maps', 'smaps', 'check', 'dmesg', 'summary', 'pages')


def scale_of(key):
    """How many times a page of 4 KiB the pages of that machine are."""
    return 16 if '64k' in key else 4 if '16k' in key else 1


def scaled(text, scale):
    """As CSV, each number of SCALED and the address so many times as large."""
    out = []
    for line in text.splitlines():
        row = line.split(',')
        if row[0] != 'pid':
            row[2] = hex(scale * int(row[2], 16))
            for i in SCALED:
                row[i] = str(scale * int(row[i]))
        out.append(','.join(row))
    return '\n'.join(out) + '\n'


def lacks_only(done, known):
    """Is a run incomplete by issues of these objects, and no other?"""
    said = re.search('incomplete result: (.*)', done.stderr)
    return bool(done.returncode == 2 and said and all(
        re.sub(r'^\d+ | \(\w+\)$', '', issue) in known for issue in said[1].split(', ')))


def told(others, name, key):
    """What reports beside vmas must say of the machine, whatever it runs on."""
    wrong, scale = [], scale_of(key)
    if name != 'small':
        return wrong
    # 2.4 counts references: libc.1 has one that is no mapping
    agrees = re.compile(' 1 differ .*, 0 differ$') if '2.4' in key else AGREES
    if not agrees.search(others.get('check', '')):
        wrong.append(f'check: {others.get("check")}')
    for text in ('Linux version', 'Memory: 16384k available'):
        if text not in others.get('dmesg', ''):
            wrong.append(f'dmesg has no "{text}": {others.get("dmesg")}')
    if others.get('times') != (NO_TIMES if re.search('ppc64.* [23]', key) else TIMES):
        wrong.append(f'threads, faults, times: {others.get("times")}')
    # /bin/sh.0: the page cache's reference and two mappings
    if not re.search(r' 3 +2 +2 +1 /bin/sh ', others.get('pages', '')):
        wrong.append(f'pages: {others.get("pages")}')
    # the line "memory" of the text, in pages of 4 KiB; 2.6.11 counts by CPU, 2.6.18 what is free
    # by zone: unknown
    for what, pages in (('total', 3000), ('free', 700), ('file cache', 250)):
        line = rf'^  {what} +{4 * scale * pages} '
        if '2.6.11' not in key and ('2.6.18' not in key or what != 'free') and not re.search(line, others.get('summary', ''), re.M):
            wrong.append(f'summary, {what}: {others.get("summary")}')
    return wrong


def matrix(name, rows):
    """Machines by containers."""
    lines = [f'machine {name}: the same report of' + ' ' * 5 + ' '.join(CONTAINERS)]
    for key, seen in sorted(rows.items()):
        cells = [seen.get(c, '-').ljust(len(c)) for c in CONTAINERS]
        lines.append(f'  {key:<36}' + ' '.join(cells).rstrip())
    for c in CONTAINERS:
        if any(c not in seen for seen in rows.values()):
            lines.append(f'  {c} -: {NOT_THERE.get(c, "?")}')
    return '\n'.join(lines)


def text_of(name, kind):
    """The machine NAME ("machine"), or what vmas says of it ("expected")."""
    with open(f'tests/machine/texts/{name}.{kind}', encoding='utf-8') as f:
        return f.read()


def by_turns(n):
    """Three of the containers: each meets damage of every kind once in five lines."""
    return [CONTAINERS[(3 * n + i) % len(CONTAINERS)] for i in range(3)]


class Machines:
    def __init__(self, tally, build, fixtures, thorough, folder=''):
        self.thorough = thorough
        self.tally, self.program = tally, program_of(build)
        self.mkdump = os.path.join(build, 'tools', 'mkdump')
        self.scratch = folder or scratch_of(build, 'machines')
        os.makedirs(self.scratch, exist_ok=True)
        self.layouts = {f'{cpu} {release}': (cpu, os.path.join(build, 'layouts', f'{name}.layout'), release)
                        for name, release, cpu in OWN}
        self.layouts |= {f'{cpu} {release}': (cpu, os.path.join(os.path.dirname(__file__), 'layouts', f'{name}.layout'), release)
                         for name, release, cpu in KEPT}
        for f in fixtures:
            for prefix, cpus in REAL.items():
                if f.name.startswith(prefix):
                    self.add_layouts(f, cpus)
        self.rows, self.lock = {}, threading.Lock()

    def add_layouts(self, fixture, cpus):
        """Members and sizes of a real kernel; its addresses are not those of these machines."""
        types = ['-t', fixture.types()] if fixture.types() else []
        text = ask_text(self.program, 'layout', *fixture.image(), *types).stdout
        release = re.search(r'^release (\S+)', text, re.M)
        if not release:
            self.tally.skip(f'machines with types of {fixture.name}', 'no layout of it')
            return
        text = re.sub(r'^(release|build-id|symbol) .*\n', '', text, flags=re.M)
        for cpu, changes in cpus:
            mine = text
            for pattern, by in changes:
                mine = re.sub(pattern, by, mine)
            path = os.path.join(self.scratch, f'{fixture.name}-{cpu}.layout')
            with open(path, 'w', encoding='utf-8') as out:
                out.write(mine)
            self.layouts[f'{cpu} {release[1].split("-")[0]}'] = (cpu, path, release[1])

    def dumps(self, name, text, key, *containers):
        """[(container, arguments)] of the machine of TEXT."""
        cpu, layout, release = self.layouts[key]
        out = os.path.join(self.scratch, re.sub(r'\W', '-', f'{name}-{key}'))
        with open(out + '.machine', 'w', encoding='utf-8') as f:
            f.write(text.replace('release RELEASE', f'release {release}'))
        done = run(self.mkdump, cpu, layout, out + '.machine', out, *containers)
        if done.returncode:
            raise RuntimeError(f'{key}: {done.stderr}')
        types = ['-t', layout, '-t', out + '.map']
        return [(line.split()[0][len(out) + 1:].split('.')[0], line.split() + types)
                for line in done.stdout.splitlines()]

    def forget(self, name, key):
        prefix = re.sub(r'\W', '-', f'{name}-{key}') + '.'
        for f in os.listdir(self.scratch):
            if f.startswith(prefix):
                os.unlink(os.path.join(self.scratch, f))

    def vmas(self, arguments, columns=COLUMNS):
        return ask_text(self.program, 'vmas', '-c', columns, '-f', 'csv', *arguments)

    def containers(self, key):
        """Those that a machine is written in; none: all. Containers know nothing of kernels, but of
        the size of words, their order, and what a kernel tells in VMCOREINFO."""
        if self.thorough or key == OLD or key in self.everywhere():
            return ()
        return ASKED

    def everywhere(self):
        """The first layout of a real kernel for each CPU of EVERYWHERE."""
        return [next((k for k in reversed(self.layouts) if k.startswith(cpu + ' ')), None)
                for cpu in EVERYWHERE]

    def good(self, name, key):
        """One machine in all of its containers."""
        text = text_of(name, 'machine')
        want = scaled(text_of(name, 'expected'), scale_of(key))
        seen, wrong, others, containers = {}, [], {}, self.containers(key)
        everywhere = not containers
        for container, arguments in self.dumps(name, text, key, *containers):
            if container in UNTOLD.get(key, ()):
                continue
            got = self.vmas(arguments)
            seen[container] = 'ok' if got.stdout == want and got.returncode == 0 else 'WRONG'
            if seen[container] != 'ok':
                wrong.append(f'{container}: exit {got.returncode} {got.stderr}{got.stdout}')
            for report in REPORTS if container in ASKED and (everywhere or not others) else ():
                answer = of_memory(ask_text(self.program, report, *arguments).stdout)
                if others.setdefault(report, answer) != answer:
                    wrong.append(f'{container}: {report} differs from the first')
            if 'times' not in others:
                others['times'] = ask_text(self.program, 'procs', '-f', 'csv', '-c',
                                      'pid,threads,majflt,utime,stime', *arguments).stdout
        wrong += told(others, name, key)
        self.forget(name, key)
        self.tally.check(f'machine {name}, {key}: {len(seen)} containers', wrong)
        self.add_row(name, key, seen)

    def sizes(self, name, key):
        """log2 of the sizes of huge pages that a text is laid out with; 0: it has none."""
        cpu, _, release = self.layouts[key]
        number = account.number_of(release)
        if name == 'entries':
            return [0] if number >= 2616 else []
        if name == 'hugetlb':
            return [shift for c, shift, since, before in HUGETLB
                    if c == cpu and since <= number and (not before or number < before)]
        shift, since, moves = THP.get(cpu, (0, 0, 0))
        there = {'thp': since, 'parts': max(since, 4008), 'thp-moves': moves}[name]
        return [shift] if shift and there and number >= there or \
            (shift and not there and name == 'thp') else []

    def special(self, name, key, shift):
        """smaps of what is no plain page, against what follows from the text; in elf, and in one
        more container, by turns."""
        cpu, layout, release = self.layouts[key]
        text = text_of(name, 'machine')
        text = text.replace('FRAMES', str(4096 + (6 << max(shift - 12, 0)))) \
                   .replace('HUGE', str(shift))
        with open(layout, encoding='utf-8') as f:
            types = f.read()
        # hstate is in no layout file of releases before BTF
        but = () if '\nmember hugetlbfs_sb_info.hstate ' in types else ('KernelPageSize', 'MMUPageSize')
        want = account.Machine(text, release, 11 + scale_of(cpu).bit_length(),
                               8 if '64' in cpu.split('-')[0] else 4,
                               '\nmember mm_struct.numa_scan_seq ' in types).smaps()
        other = CONTAINERS[1:][zlib.crc32(f'{name} {key}'.encode()) % (len(CONTAINERS) - 1)]
        wrong, seen = [], []
        for container, arguments in self.dumps(f'{name}-{shift}', text, key, 'elf', 'mcore2', other):
            if container in UNTOLD.get(key, ()) or (container == 'mcore2' != other and
                                                    'elf' not in UNTOLD.get(key, ())):
                continue
            seen.append(container)
            got = ask_text(self.program, 'smaps', *arguments)
            if got.returncode or got.stderr:
                wrong.append(f'{container}: exit {got.returncode} {got.stderr}')
            wrong += [f'{container}: {d}' for d in
                      account.differences(want, account.printed(got.stdout), but)]
            check = ask_text(self.program, 'check', *arguments)
            # hugetlb pages were not counted before 2.6.36, and check says so
            good = not UNEXPLAINED.search(check.stdout) if name == 'hugetlb' and \
                account.number_of(release) < 2636 else AGREES.search(check.stdout)
            if not good or check.returncode and not lacks_only(check, NOT_DESCRIBED):
                wrong.append(f'{container}: check: {check.stdout}{check.stderr}')
        self.forget(f'{name}-{shift}', key)
        pages = f', pages of {1 << shift >> 10} KiB' if shift else ''
        self.tally.check(f'machine {name}{pages}, {key}: {", ".join(seen)}', wrong)

    def add_row(self, name, key, seen):
        """The matrix, once every machine is there."""
        with self.lock:
            self.rows[key] = seen
            if self.thorough and len(self.rows) == len(self.layouts):
                print(matrix(name, self.rows), flush=True)

    def paper(self):
        """The machine of "Linux Physical Memory Analysis" (USENIX 2005), from the text of its
        collector: Figures 2 to 9; written back, it is that text."""
        capture = 'tests/fixtures/usenix05/capture.txt'
        if not os.path.exists(capture):
            self.tally.skip('machine of the paper', f'no {capture}')
            return
        text = run(sys.executable, 'tests/machine/from_capture.py', capture).stdout
        wrong = []
        for container, arguments in self.dumps('paper', text, 'ppc-40x 2.4.27', 'elf', 'mcore1',
                                               'mcore2'):
            rows = csv.DictReader(ask_text(self.program, 'procs', '-f', 'csv', *arguments)
                                  .stdout.splitlines())
            pages = {r['comm']: int(r['rss']) // 4096 for r in rows if int(r['rss'])}
            if pages != FIGURE_2:
                wrong.append(f'{container}: {pages}')
            if '(439 are mapped)' not in ask_text(self.program, 'check', *arguments).stdout:
                wrong.append(f'{container}: not the 439 frames of Figure 8')
            wrong += self.figures(container, arguments, capture)
            wrong += self.written_back(container, arguments, capture)
        self.tally.check('machine of the paper, 40x, elf and mcore', wrong)

    def figures(self, container, arguments, capture):
        """All figures of the dump are those of the collector's text, byte by byte."""
        return [f'{container}: {" ".join(report)} --paper' for report in FIGURES
                if ask_text(self.program, *report, '--paper', *arguments).stdout !=
                ask_text(self.program, *report, '--paper', capture).stdout]

    def written_back(self, container, arguments, capture):
        """Areas and pages as "export -f tvpm" has them, and what is computed of them."""
        out = os.path.join(self.scratch, 'paper.tvpm')
        if ask_text(self.program, 'export', '-f', 'tvpm', '-o', out, *arguments).returncode == 64:
            return []       # no such report
        wrong = []
        with open(out, encoding='utf-8') as a, open(capture, encoding='utf-8') as b:
            # T: has addresses; P: counts executable pages by a bit that the 40x has not
            if [line for line in a if line[0] not in 'TP'] != \
                    [line for line in b if line[0] not in 'TP']:
                wrong.append(f'{container}: {out} is not {capture}')
        for report in ('procs', 'vmas', 'units', 'alerts', 'total', 'pages'):
            if ask_text(self.program, report, '--paper', '-q', out).stdout != \
                    ask_text(self.program, report, '--paper', '-q', capture).stdout:
                wrong.append(f'{container}: {report} --paper')
        return wrong

    def damaged(self, name, key, *containers):
        """Each line of damage, in the containers named; none: in all, or in some by turns."""
        text = text_of(name, 'machine')
        whole = text_of(name, 'expected').splitlines()
        _, layout, release = self.layouts[key]
        with open(layout, encoding='utf-8') as f:
            sparse = '\nmember mem_section.section_mem_map ' in f.read()
        for n, (line, issue, *costs) in enumerate(
                lines.lines_for(account.number_of(release), sparse, key.startswith('ppc64-hash'))):
            wrong, seen = [], 0
            into = containers or (() if self.thorough else by_turns(n))
            for container, arguments in self.dumps(name + '-damaged', f'{text}\n{line}\n', key, *into):
                seen += 1
                wrong += [f'{container}: {w}' for w in lines.check_line(
                    self.vmas(arguments, COLUMNS + ',unknown'), line, issue, costs, whole)]
            self.tally.check(f'machine {name} on {key}, {seen} containers: ' +
                             line.replace('\n', '; '), wrong)
        self.forget(name + '-damaged', key)

    def twins(self, name, key):
        """Tasks of one pid: an export has the first, and says that there are others."""
        text = text_of(name, 'machine') + """
task 22 22 twin one S 0
poke task 22 M_TASK_PID 20
poke task 22 M_TASK_TGID 20
poke task 21 M_TASK_PID 20
"""
        wrong, out = [], os.path.join(self.scratch, 'twins')
        for _, arguments in self.dumps(name + '-twins', text, key, 'elf'):
            shutil.rmtree(out, ignore_errors=True)
            done = ask_text(self.program, 'export', '-f', 'proc', '-o', out, *arguments)
            if done.returncode != 2 or 'thread (corrupt)' not in done.stderr:
                wrong.append(f'exit {done.returncode} {done.stderr}')
            wrong += [f'no {path}' for path in ('1/stat', '20/stat', '20/task/20/comm', 'meminfo')
                      if not os.path.exists(os.path.join(out, path))]
            wrong += [f'left behind: {n}' for n in os.listdir(self.scratch) if n[0] == '.']
            done = ask_text(self.program, 'export', '-f', 'smemcap', '-o', out + '.tar', *arguments)
            names = run('tar', 'tf', out + '.tar').stdout.split()
            if done.returncode not in (0, 2) or len(names) != len(set(names)) or '20/stat' not in names:
                wrong.append(f'smemcap: exit {done.returncode} {names}')
        self.tally.check(f'machine {name} on {key}, exports of tasks of one pid', wrong)
        self.forget(name + '-twins', key)

    def absurd(self, name, key):
        """check tells map counts that cannot be, and so does a report that divides by them."""
        text = text_of(name, 'machine')
        wrong = []
        for count in ('0x7ffffffe', '0xfffffff0', '0x3fffffff'):
            line = f'poke page one.data M_PAGE_MAPCOUNT {count}'
            for _, arguments in self.dumps(name + '-absurd', f'{text}\n{line}\n', key, 'mcore2'):
                check = ask_text(self.program, 'check', *arguments)
                procs = ask_text(self.program, 'procs', *arguments)
                if ' 1 differ ' not in check.stdout:
                    wrong.append(f'{line}: {check.stdout}')
                wrong += [f'{line}: exit {r.returncode} {r.stderr}' for r in (check, procs)
                          if r.returncode != 2 or '1 page map count (corrupt)' not in r.stderr]
        self.tally.check(f'machine {name} on {key}, absurd map counts', wrong)
        self.forget(name + '-absurd', key)

    def told_by_maps(self, name, key):
        """A report that walks no page tables compares the sum of vmas too, and threads have a first one."""
        text, wrong = text_of(name, 'machine').replace(' two R 1', ' two S 1'), []
        for line, issue in (('', ''), ('poke mm one M_MM_TOTAL_VM 7', '1 mm counter (corrupt)'),
                            ('poke task 20 M_TASK_TGID 8212', '2 task (corrupt)'),
                            ('lose symbol init_uts_ns', '4 utsname (nodata)')):
            for _, arguments in self.dumps(name + '-told', f'{text}\n{line}\n', key, 'elf'):
                got = ask_text(self.program, 'maps', *arguments)
                # on ppc the start of memory is sought with it
                refused = line.startswith('lose') and got.returncode == 1
                if not refused and (got.returncode != (2 if issue else 0) or issue not in got.stderr):
                    wrong.append(f'{line}: exit {got.returncode} {got.stderr}')
        self.tally.check(f'machine {name} on {key}, told by maps', wrong)
        self.forget(name + '-told', key)

    def understated(self, key):
        """A frame mapped more often than memory has frames, whose map count says one: its pss
        does not fit, and every report that adds up says so. With the true count all is well."""
        pages = ''.join(f'page {0x10000000 + 4096 * i:#x} x wdy\n' for i in range(4000))
        text = 'release RELEASE\nframes 4096\nbase 0x100000\n' + \
               ''.join(f'mm m{i}\narea 0x10000000 0x11000000 0x77\n{pages}' for i in range(10)) + \
               'task 0 0 swapper - R 0\n' + \
               ''.join(f'task {i + 1} {i + 1} t{i} m{i} S 0\n' for i in range(10))
        wrong = []
        for line in ('', 'poke page x M_PAGE_MAPCOUNT 0\n'):
            for _, arguments in self.dumps('understated', text + line, key, 'mcore2'):
                for report in ('procs', 'users', 'summary'):
                    got = ask_text(self.program, report, '-v', *arguments)
                    told = re.search(r'pss of all processes: \d+ KiB, more than the \d+ KiB of '
                                     'page frames', got.stderr) is not None
                    if told != bool(line) or line and got.returncode != 2:
                        wrong.append(f'{report} {line}: exit {got.returncode} {got.stderr}')
        self.tally.check(f'machine on {key}, map counts understated', wrong)
        self.forget('understated', key)

    def incomplete(self, name, key):
        """A process whose memory is not in the dump is marked, has no number that is not known, and
        stands where the kernel's counters put it."""
        text, wrong = text_of(name, 'machine'), []
        for line, what in (('lose pgd one', 'page tables'), ('lose vma one:0x10000000', 'vmas'),
                           ('lose table one:0x10000000', 'page tables'),
                           ('poke task 1 M_TASK_MM 0x13', 'mm')):
            for _, arguments in self.dumps(name + '-incomplete', f'{text}\n{line}\n', key, 'elf'):
                rows = list(csv.DictReader(ask_text(self.program, 'procs', '-f', 'csv', *arguments)
                                           .stdout.splitlines()))
                row = next((r for r in rows if r['pid'] == '1'), {})
                if what not in row.get('incomplete', '') or row['pss'] == '0':
                    wrong.append(f'{line}: {row}')
                if what != 'mm' and rows[0] is not row:
                    wrong.append(f'{line}: not the first by the counters: {rows}')
                for report in ('procs', 'users', 'programs', 'summary'):
                    shown = ask_text(self.program, report, *arguments).stdout
                    if not re.search(r' \*$', shown, re.M) or 'lower bounds' not in shown:
                        wrong.append(f'{line}: {report} has no mark: {shown}')
                for row in csv.DictReader(ask_text(self.program, 'vmas', '-f', 'csv', *arguments)
                                          .stdout.splitlines()):
                    lost = what == 'page tables' and row['pid'] == '1'
                    if row['incomplete'] and row['rss'] == '0' or \
                            (lost and 'pgd' in line and row['incomplete'] != what):
                        wrong.append(f'{line}: vmas: {row}')
                for report in ('total', 'units', 'files'):
                    shown = ask_text(self.program, report, *arguments).stdout
                    if what == 'page tables' and not re.search(r' \*$', shown, re.M):
                        wrong.append(f'{line}: {report} has no mark: {shown}')
        self.tally.check(f'machine {name} on {key}, what is incomplete is marked', wrong)
        self.forget(name + '-incomplete', key)

    def misdescribed(self, name, key):
        """VMCOREINFO that is wrong: the right answer, or status 1 or 2 and why, in each container."""
        text = text_of(name, 'machine')
        want = text_of(name, 'expected')
        for line in lines.WRONG_SIZES:
            wrong = []
            for container, arguments in self.dumps(name + '-wrong', f'{text}\n{line}\n', key):
                got = self.vmas(arguments)
                if not (got.stdout == want and not got.returncode) and \
                        not (got.returncode in (1, 2) and got.stderr):
                    wrong.append(f'{container}: exit {got.returncode} {got.stderr}{got.stdout}')
            self.tally.check(f'machine {name} on {key}, {line}', wrong)
        self.forget(name + '-wrong', key)

    def truncated(self, name, key):
        """Half of each file: what is there, with status 2, or nothing with status 1 and why."""
        text = text_of(name, 'machine')
        for container, arguments in self.dumps(name + '-cut', text, key):
            lines.cut_in_half(arguments[:-4])
            got = self.vmas(arguments)
            good = lines.half_is_told(container, got)
            self.tally.check(f'machine {name} on {key}, {container} cut in half',
                             [] if good else [f'exit {got.returncode} {got.stderr}{got.stdout}'])
        self.forget(name + '-cut', key)
