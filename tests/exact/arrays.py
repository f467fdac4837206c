# SPDX-License-Identifier: GPL-3.0-or-later
"""Sections and symbols, on the program whose memory is known by its source.

tests/vmtest/arrays/arrays.c says what its two children do to each array of 100 pages;
RECIPE beside the fixture works out what must follow. Nothing here comes from vmcensus.
"""
import lzma
import os
import random
import re
import shutil
import struct
import subprocess

PAGE = 4096
ALL, HALF = 100 * PAGE, 50 * PAGE
ZERO_PAGE = 2 * 150         # entries that refer to the zero page
SIZES = ('vm', 'mapped', 'sole', 'resident', 'eff_resident', 'writable')
EXPECTED = {        # in one child; effective sizes are rounded to the byte
    'init_donttouch': (ALL, 0, 0, 0, 0, 0),
    'init_readme': (ALL, ALL, 0, ALL, ALL / 2, 0),
    'init_writeme': (ALL, ALL, ALL, ALL, ALL, ALL),
    'init_readhalf': (ALL, HALF, 0, HALF, HALF / 2, 0),
    'init_writehalf': (ALL, HALF, HALF, HALF, HALF, HALF),
    'uninit_donttouch': (ALL, 0, 0, 0, 0, 0),
    'uninit_readme': (ALL, ALL, 0, ALL, ALL / ZERO_PAGE, 0),
    'uninit_writeme': (ALL, ALL, ALL, ALL, ALL, ALL),
    'uninit_readhalf': (ALL, HALF, 0, HALF, HALF / ZERO_PAGE, 0),
    'uninit_writehalf': (ALL, HALF, HALF, HALF, HALF, HALF),
    'piece_first': (100, 100, 100, 100, 100, 100),
    'piece_second': (4096, 3996, 3996, 3996, 3996, 3996),
    # the third reader is init, which was started before fault_around_bytes was set
    'zoo::array': (PAGE, PAGE, 0, PAGE, PAGE / 3, 0),
}
ROUNDS = 30


def differences(rows, times=1):
    by_name = {r['symbol']: r for r in rows}
    wrong = [f'no symbol {n}' for n in EXPECTED if n not in by_name]
    for name, want in EXPECTED.items():
        for size, bytes_ in zip(SIZES, want):
            got = by_name.get(name, {}).get(size)
            if got is not None and abs(got - times * bytes_) > 0.51:
                wrong.append(f'{name}: {size} is {got}, must be {times * bytes_}')
    return wrong


class Arrays:
    def __init__(self, tally, fixture, vmcensus, scratch):
        self.tally, self.vmcensus, self.scratch = tally, vmcensus, scratch
        self.name = f'fixture {fixture.name}'
        with lzma.open(os.path.join(fixture.folder, 'arrays.xz')) as f:
            self.binary = f.read()
        shutil.rmtree(scratch, ignore_errors=True)

    def check(self, what, wrong):
        self.tally.check(f'{self.name}: {what}', wrong)

    def root(self, name, binary):
        """A directory for --sysroot with this binary; a link leads to it, as in /usr-merge."""
        root = os.path.join(self.scratch, 'roots', name)
        os.makedirs(root + '/real/bin')
        os.symlink('/real', root + '/usr')
        with open(root + '/real/bin/arrays', 'wb') as f:
            f.write(binary)
        return root

    def symbols(self, *options):
        rows, why = self.vmcensus.rows('symbols', '--file', 'arrays', *options)
        return rows or [], [why] if why else []

    def refusal(self, report, want, *options):
        code, _, err = self.vmcensus(report, *options)
        text = err.decode(errors='replace')
        self.check(f'{report} {" ".join(options)[-60:]}: refused',
                   [] if code == 1 and want in text else [f'exit {code}: {text}'])

    def run(self):
        procs, why = self.vmcensus.rows('procs', '-c', 'pid,ppid', '-w', 'comm=arrays')
        if procs is None:
            self.check('processes', [why])
            return
        children = [str(r['pid']) for r in procs if r['ppid'] == 1]
        self.check('two children', [] if len(children) == 2 else [f'{procs}'])
        root = self.root('whole', self.binary)
        for pid in children:
            for options in ([], ['--sysroot', root]):
                rows, wrong = self.symbols('--pid', pid, *options)
                self.check(f'symbols in {pid} {"".join(options[:1])}',
                           wrong + differences(rows))
        self.sections(children[0], root)
        self.debug_files(children[0])
        self.columns()
        self.tiles(children[0])
        self.files(children[0])
        self.refusals()
        self.hostile()

    def sections(self, pid, root):
        rows, _ = self.vmcensus.rows('sections', '-w', 'section=".bss"')
        self.check('sections of all files', [] if rows and rows[0]['procs'] == 3 else [f'{rows}'])
        rows, why = self.vmcensus.rows('sections', '--file', '/usr/bin/arrays', '--pid', pid,
                                       '--sysroot', root)
        by_name = {r['section']: r for r in rows or []}
        wrong = [why] if why else []
        for name, prefix in (('.data', 'init_'), ('.bss', 'uninit_')):
            section = by_name.get(name, {})
            arrays = [v for k, v in EXPECTED.items() if k.startswith(prefix)]
            if section.get('vm') != section.get('size', -1):
                wrong.append(f'{name}: {section}')
            for i, size in enumerate(SIZES):
                least = sum(v[i] for v in arrays)
                most = least + section.get('size', 0) - len(arrays) * ALL
                if not least - 5 <= section.get(size, -1) <= most + 5:
                    wrong.append(f'{name}: {size} {section.get(size)}, not {least} to {most}')
        if by_name.get('.text', {}).get('sole') != 0 or by_name['.text']['writable'] != 0:
            wrong.append(f'.text: {by_name.get(".text")}')
        self.check(f'sections in {pid}', wrong)

    def objcopy(self, *args):
        subprocess.run(['objcopy', *args], check=True, cwd=self.scratch,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def read(self, name):
        with open(os.path.join(self.scratch, name), 'rb') as f:
            return f.read()

    def debug_files(self, pid):
        """Symbols apart from the file, in each of the places they are left in."""
        if not shutil.which('objcopy'):
            self.tally.skip(f'{self.name}: debug files', 'objcopy is not installed')
            return
        with open(os.path.join(self.scratch, 'arrays'), 'wb') as f:
            f.write(self.binary)
        self.objcopy('--only-keep-debug', 'arrays', 'arrays.debug')
        self.objcopy('--strip-all', 'arrays', 'stripped')
        stripped = self.root('stripped', self.read('stripped'))
        self.refusal('symbols', 'no symbols found', '--file', 'arrays', '--sysroot', stripped)

        rows, why = self.vmcensus.rows('files', '-c', 'build_id,name', '-w', 'name~arrays')
        build_id = rows[0]['build_id'] if rows else ''
        by_id = self.root('by-id', self.read('stripped'))
        folder = f'{by_id}/real/lib/debug/.build-id/{build_id[:2]}'
        os.makedirs(folder)
        shutil.copy(f'{self.scratch}/arrays.debug', f'{folder}/{build_id[2:]}.debug')

        self.objcopy('--add-gnu-debuglink=arrays.debug', 'stripped', 'linked')
        by_link = self.root('by-link', self.read('linked'))
        os.makedirs(by_link + '/real/bin/.debug')
        shutil.copy(f'{self.scratch}/arrays.debug', by_link + '/real/bin/.debug')

        self.objcopy('--strip-debug', 'arrays.debug', 'mini')
        with open(f'{self.scratch}/mini.xz', 'wb') as f:
            f.write(lzma.compress(self.read('mini')))
        self.objcopy('--add-section', '.gnu_debugdata=mini.xz', 'stripped', 'with-mini')
        mini = self.root('mini', self.read('with-mini'))

        for what, root in (('build-id', by_id), ('.gnu_debuglink', by_link),
                           ('.gnu_debugdata', mini)):
            rows, wrong = self.symbols('--pid', pid, '--sysroot', root)
            self.check(f'symbols by {what}', wrong + differences(rows))

    def columns(self):
        """The sizes cost a pass over all page tables: only who names them pays."""
        _, plain, _ = self.vmcensus('procs', '-f', 'csv')
        _, text, _ = self.vmcensus('procs', '-c', 'all')
        rows, _ = self.vmcensus.rows('procs', '-w', 'sole>0', '-s', '-eff_resident')
        head = plain.decode().splitlines()[0].split(',')
        self.check('columns with needs of their own', [
            *(['csv has eff_resident unasked'] if 'eff_resident' in head else []),
            *(['-c all has no EFF_RESIDENT'] if b' EFF_RESIDENT' not in text else []),
            *([f'-w sole>0: {rows}'] if not rows or len(rows) != 3 else [])])

    def tiles(self, pid):
        """exmtool's showmaps: the pieces must add up to the mappings, and .bss be found."""
        _, maps, _ = self.vmcensus('maps', '--pid', pid)
        _, text, _ = self.vmcensus('maps', '--pid', pid, '--like', 'exmap')
        want = [[int(a, 16) for a in line.split()[0].split(b'-')] for line in maps.splitlines()]
        pieces = re.findall(r'^MAP: MEM \((\w+),(\w+)\) ELF (?:undef|\((\w+),(\w+)\)) FILE (.*)$',
                            text.decode(), re.M)
        wrong, got, elf = [], [], 0
        for start, end, lo, hi, _ in pieces:
            start, end = int(start, 16), int(end, 16)
            if got and got[-1][1] == start and [got[-1][0], start] not in want:
                got[-1][1] = end
            else:
                got.append([start, end])
            if lo:
                elf += end - start
                wrong += [f'{start:x}: sizes differ'] * (int(hi, 16) - int(lo, 16) != end - start)
        wrong += [] if got == want and want else [f'{got}\nare not {want}']
        phoff, phnum = 64, int.from_bytes(self.binary[56:58], 'little')
        loads = [self.binary[phoff + 56 * i:phoff + 56 * i + 56] for i in range(phnum)]
        memsz = sum(int.from_bytes(h[40:48], 'little') for h in loads if h[:4] == b'\1\0\0\0')
        wrong += [] if elf == memsz else [f'{elf} bytes are of the ELF file, not {memsz}']
        self.check('maps --like exmap', wrong)

    def files(self, pid):
        """.bss is the file's to the byte: what maps gives it and what its segments cover."""
        _, maps, _ = self.vmcensus('maps', '--pid', pid)
        lines = [line.split() for line in maps.splitlines()]
        spans = [[int(a, 16) for a in w[0].split(b'-')] for w in lines]
        mine = [s for s, w in zip(spans, lines) if w[-1] == b'/usr/bin/arrays']
        headers = [self.binary[64 + 56 * i:120 + 56 * i]
                   for i in range(int.from_bytes(self.binary[56:58], 'little'))]
        loads = [struct.unpack_from('<QQQQQ', h, 8) for h in headers if h[:4] == b'\1\0\0\0']
        bias = mine[0][0] - loads[0][1]
        want = sum(b - a for a, b in mine)
        for start, end in (s for s, w in zip(spans, lines) if len(w) == 5):
            want += sum(max(0, min(end, bias + vaddr + memsz) - max(start, bias + vaddr))
                        for _, vaddr, _, _, memsz in loads)
        rows, why = self.vmcensus.rows('files', '--pid', pid)
        wrong = [why] if why else []
        got = next((r['vm'] for r in rows or [] if r['name'] == '/usr/bin/arrays'), None)
        if got != want:
            wrong.append(f'vm is {got}, maps and program headers say {want}')
        columns = ','.join(('pid',) + SIZES)
        whole, why = self.vmcensus.rows('procs', '--pid', pid, '-c', columns)
        for size in SIZES:
            total = sum(r[size] for r in rows or [])
            if not whole or abs(whole[0][size] - total) > len(rows):
                wrong.append(f'{size}: files come to {total}, the process has {whole} {why}')
        self.check(f'files of {pid}', wrong)

    def refusals(self):
        self.refusal('sections', '[heap] is not an ELF file', '--file', '[heap]')
        self.refusal('symbols', 'no process maps nowhere', '--file', 'nowhere')
        empty = os.path.join(self.scratch, 'empty')
        os.makedirs(empty)
        self.refusal('sections', 'there is no file', '--file', 'arrays', '--sysroot', empty)
        at = self.binary.index(b'\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0') + 16
        other = bytearray(self.binary)
        other[at] ^= 1
        self.refusal('sections', 'build-id', '--file', 'arrays', '--sysroot',
                     self.root('other', bytes(other)))

    def hostile(self):
        """Damaged files: an answer or a refusal, no crash and no hang."""
        chance, wrong = random.Random(6), []
        root = self.root('damaged', self.binary)
        keep = self.binary.index(b'\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0')
        shdrs = int.from_bytes(self.binary[40:48], 'little')
        for i in range(ROUNDS):
            data = bytearray(self.binary)
            for _ in range(chance.randrange(1, 20)):
                lo, hi = chance.choice([(16, 64), (64, 64 + 12 * 56), (shdrs, len(data))])
                at = chance.randrange(lo, hi)
                if not keep <= at < keep + 36:
                    data[at] = chance.choice([0, 1, 0x7f, 0xff, chance.randrange(256)])
            if i % 4 == 0:
                del data[chance.randrange(len(data)):]
            with open(root + '/real/bin/arrays', 'wb') as f:
                f.write(data)
            for report in ('sections', 'symbols'):
                code, _, err = self.vmcensus(report, '--file', 'arrays', '--sysroot', root)
                if code not in (0, 1, 2):
                    wrong.append(f'round {i}: {report}: exit {code}: {err[-200:]!r}')
        self.check(f'{2 * ROUNDS} damaged ELF files', wrong)


def is_arrays(fixture):
    return os.path.exists(os.path.join(fixture.folder, 'arrays.xz'))


def check_arrays(tally, fixture, vmcensus, scratch):
    Arrays(tally, fixture, vmcensus, scratch).run()
