# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines described in text (tests/machine/), laid out for each CPU and kernel layout and written
in each container: what was worked out by hand of the text must come out of all of them, and one
line of damage must show as the issue that it is, and cost no more than it must."""
import csv
import os
import re
import subprocess
import sys

COLUMNS = 'pid,comm,start,perms,size,rss,pss,uss,swap,name'
LAYOUTS = {     # CPU, layout file, release
    '2.4 ppc-40x': ('ppc-40x', 'layouts/linux-2.4.27-ppc-40x.layout', '2.4.27'),
    '2.4 i386': ('i386', 'layouts/linux-2.4.27-i386.layout', '2.4.27'),
}
# what a fixture's name begins with, and the machine that mkdump writes of its kernels
CPUS = {'x86_64': 'x86_64', 'i386': 'i386'}
# Figure 2: RW and RX pages together
FIGURE_2 = {'init': 154, 'tiny_sys': 283, 'softdog': 132, 'link-mon': 156, 'inetd': 139}
# one line of damage: the kind of issue, its object; None: nothing that a report needs is lost
DAMAGE = {
    'lose frame libc.0': None,
    'lose task 20': 'task',
    'lose mm two': 'mm',
    'poke task 20 M_TASK_MM 0x13': 'mm',
    'lose pgd two': 'page table',
    'lose table two:0x10000000': 'page table',
    'lose vma two:0x30000000': 'vma',
    'poke vma two:0x30000000 M_VMA_END 0x2fff0000': 'vma',
    'poke vma two:0x30000000 M_VMA_MM 0x3000': 'vma',
    'poke mm two M_MM_MAP_COUNT 4': 'map_count',
    'lose dentry sh': 'path',
    'poke dentry sh M_DENTRY_NAME_LEN 0x70000000': 'path',
    'poke dentry /bin M_DENTRY_PARENT 0x11': 'path',
    'lose page libc.0': 'struct page',
}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                          check=False, text=True, errors='replace')


class Machines:
    def __init__(self, tally, build, fixtures):
        self.tally, self.program = tally, os.path.join(build, 'vmcensus')
        self.mkdump = os.path.join(build, 'tools', 'mkdump')
        self.scratch = os.path.join(build, 'machines')
        os.makedirs(self.scratch, exist_ok=True)
        self.layouts = dict(LAYOUTS)
        for f in fixtures:
            self.add_layout(f)

    def add_layout(self, fixture):
        """Members and sizes of a real kernel; its addresses are not those of these machines."""
        cpu = CPUS.get(re.sub(r'-\d.*', '', fixture.name))
        if not cpu:
            return
        types = ['-t', fixture.types()] if fixture.types() else []
        text = run(self.program, 'layout', *fixture.image(), *types).stdout
        release = re.search(r'^release (\S+)', text, re.M)
        if not release:
            return
        path = os.path.join(self.scratch, fixture.name + '.layout')
        with open(path, 'w', encoding='utf-8') as out:
            out.write(re.sub(r'^(release|build-id|symbol) .*\n', '', text, flags=re.M))
        self.layouts[fixture.name] = (cpu, path, release[1])

    def dumps(self, name, text, key, *containers):
        """[(container, arguments)] of the machine of TEXT."""
        cpu, layout, release = self.layouts[key]
        out = os.path.join(self.scratch, re.sub(r'\W', '-', f'{name}-{key}'))
        with open(out + '.machine', 'w', encoding='utf-8') as f:
            f.write(text.replace('release RELEASE', f'release {release}'))
        done = run(self.mkdump, cpu, layout, out + '.machine', out, *containers)
        if done.returncode:
            raise RuntimeError(done.stderr)
        types = ['-t', layout, '-t', out + '.map']
        if os.path.exists(out + '.vmcoreinfo'):
            types += ['-t', out + '.vmcoreinfo']
        return [(line.split()[0][len(out) + 1:].split('.')[0], line.split() + types)
                for line in done.stdout.splitlines()]

    def vmas(self, arguments):
        return run(self.program, 'vmas', '-c', COLUMNS, '-f', 'csv', *arguments)

    def good(self, name):
        """Every layout in every container."""
        with open(f'tests/machine/texts/{name}.machine', encoding='utf-8') as f:
            text = f.read()
        with open(f'tests/machine/texts/{name}.expected', encoding='utf-8') as f:
            want = f.read()
        for key in self.layouts:
            seen, wrong, others = [], [], {}
            for container, arguments in self.dumps(name, text, key):
                got = self.vmas(arguments)
                ok = got.stdout == want and got.returncode == 0
                seen.append(f'{container} {"ok" if ok else "WRONG"}')
                if not ok:
                    wrong.append(f'{container}: exit {got.returncode} {got.stderr}{got.stdout}')
                for report in ('procs', 'maps', 'smaps', 'check', 'dmesg'):
                    answer = run(self.program, report, *arguments)
                    if others.setdefault(report, answer.stdout) != answer.stdout:
                        wrong.append(f'{container}: {report} differs from the first')
            self.tally.check(f'machine {name} on {key}: {", ".join(seen)}', wrong)

    def paper(self):
        """The machine of "Linux Physical Memory Analysis" (USENIX 2005), from the text of its
        collector: totals of Figure 2, frames of Figure 8; written back, it is that text."""
        capture = 'tests/fixtures/usenix05/capture.txt'
        if not os.path.exists(capture):
            self.tally.skip('machine of the paper', f'no {capture}')
            return
        text = run(sys.executable, 'tests/machine/from_capture.py', capture).stdout
        wrong = []
        for container, arguments in self.dumps('paper', text, '2.4 ppc-40x', 'elf', 'mcore1',
                                               'mcore2'):
            rows = csv.DictReader(run(self.program, 'procs', '-f', 'csv', *arguments)
                                  .stdout.splitlines())
            pages = {r['comm']: int(r['rss']) // 4096 for r in rows if int(r['rss'])}
            if pages != FIGURE_2:
                wrong.append(f'{container}: {pages}')
            if '(439 are mapped)' not in run(self.program, 'check', *arguments).stdout:
                wrong.append(f'{container}: not the 439 frames of Figure 8')
            wrong += self.written_back(container, arguments, capture)
        self.tally.check('machine of the paper, 40x, elf and mcore', wrong)

    def written_back(self, container, arguments, capture):
        """Areas and pages as "export -f tvpm" has them, and what is computed of them."""
        out = os.path.join(self.scratch, 'paper.tvpm')
        if run(self.program, 'export', '-f', 'tvpm', '-o', out, *arguments).returncode == 64:
            return []       # no such report
        wrong = []
        with open(out, encoding='utf-8') as a, open(capture, encoding='utf-8') as b:
            # T: has addresses; P: counts executable pages by a bit that the 40x has not
            if [line for line in a if line[0] not in 'TP'] != \
                    [line for line in b if line[0] not in 'TP']:
                wrong.append(f'{container}: {out} is not {capture}')
        for report in ('procs', 'vmas', 'units', 'alerts', 'total', 'pages'):
            if run(self.program, report, '--paper', '-q', out).stdout != \
                    run(self.program, report, '--paper', '-q', capture).stdout:
                wrong.append(f'{container}: {report} --paper')
        return wrong

    def damaged(self, name, key):
        with open(f'tests/machine/texts/{name}.machine', encoding='utf-8') as f:
            text = f.read()
        with open(f'tests/machine/texts/{name}.expected', encoding='utf-8') as f:
            whole = [line for line in f.read().splitlines() if line.startswith('1,')]
        for line, issue in DAMAGE.items():
            container, arguments = self.dumps(name + '-damaged', f'{text}\n{line}\n', key, 'elf')[0]
            got = self.vmas(arguments)
            wrong = []
            if got.returncode != (2 if issue else 0):
                wrong.append(f'exit {got.returncode}: {got.stderr}')
            if issue and not re.search(rf'\d {re.escape(issue)}s? \(', got.stderr):
                wrong.append(f'no issue of "{issue}": {got.stderr}')
            mine = [row for row in got.stdout.splitlines() if row.startswith('1,')]
            # sizes of what is shared with the damaged may change, rows may not vanish
            if issue != 'path' and [r.split(',')[:6] for r in mine] != \
                    [r.split(',')[:6] for r in whole] and issue != 'struct page':
                wrong.append('the other process changed:\n' + got.stdout)
            self.tally.check(f'machine {name} on {key} ({container}), {line}', wrong)
