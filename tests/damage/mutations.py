# SPDX-License-Identifier: GPL-3.0-or-later
"""Real dumps with one change each. The comparison for the changed item must fail, or its issue must
be counted, and another comparison must pass. A test that passes such a dump tests nothing; one that
fails for any change does not show the error.

tests/tools/mutate says where the things are, as physical addresses. The bytes are put into a copy of
the dump where its own container has them, and taken out again.
"""
import os
import re
import shutil
import struct
import subprocess

from lib.compare import compare_check, compare_dmesg, compare_processes, compare_text
from lib.program import Opened, Vmcensus, last_line
from lib.fixtures import COMPRESSIONS
from lib.kdump import PAGE_DESC, header_offset
from lib.truth import Truth

FLAT_HEAD, FLAT_RECORD = 4096, struct.Struct('>qq')     # makedumpfile -F: offset, size, bytes
PT_LOAD = 1


# ---- where a container has a physical address ------------------------------------------------


class Elf:
    def __init__(self, data):
        order = '>' if data[5] == 2 else '<'
        wide = data[4] == 2
        entry = struct.Struct(order + ('IIQQQQQQ' if wide else 'IIIIIIII'))
        start, = struct.unpack_from(order + ('Q' if wide else 'I'), data, 32 if wide else 28)
        count, = struct.unpack_from(order + 'H', data, 56 if wide else 44)
        self.loads = []
        for i in range(count):
            words = entry.unpack_from(data, start + i * entry.size)
            # type, offset, physical address, bytes in the file
            kind, offset, at, size = [words[n] for n in ((0, 2, 4, 5) if wide else (0, 1, 3, 4))]
            if kind == PT_LOAD:
                self.loads.append((at, size, offset))

    def offset(self, address):
        return next((address - at + offset for at, size, offset in self.loads
                     if at <= address < at + size), None)


class Kdump:
    """kdump-compressed, little-endian; read(offset, size) gives bytes of the dump."""

    def __init__(self, read):
        self.read = read
        head = read(0, 4096)
        tail = header_offset(head)
        _, self.block, sub, bitmap = struct.unpack_from('<IiiI', head, tail)
        start = (1 + sub) * self.block
        self.bits = read(start + bitmap * self.block // 2, bitmap * self.block // 2)
        self.first = start + bitmap * self.block
        self.low, self.high = 0, 1 << 62
        if head[:8] == b'KDUMP   ' and tail == 424:     # 64 bits: phys_base, level, split, from, to
            _, _, split, low, high = struct.unpack('<QiiQQ', read(self.block, 32))
            if split:
                self.low, self.high = low, high

    def descriptor(self, address):
        """Where the descriptor of the page is, or None."""
        pfn = address // self.block
        if not self.low <= pfn < self.high or not self.bits[pfn // 8] >> pfn % 8 & 1:
            return None
        below = int.from_bytes(self.bits[:pfn // 8 + 1], 'little') & (1 << pfn) - 1
        return self.first + PAGE_DESC.size * (below >> self.low).bit_count()

    def offset(self, address):
        """None: not there, or packed."""
        at = self.descriptor(address)
        if at is None:
            return None
        start, size, flags, _ = PAGE_DESC.unpack(self.read(at, PAGE_DESC.size))
        return start + address % self.block if size == self.block and not flags else None


class Flat:
    """The file that a flattened one describes: records, of which a later one counts."""

    def __init__(self, data):
        self.records, self.file, at = [], bytearray(), FLAT_HEAD
        while True:
            offset, size = FLAT_RECORD.unpack_from(data, at)
            at += FLAT_RECORD.size
            if offset < 0:
                break
            self.records.append((offset, at, size))
            self.file += bytes(max(0, offset + size - len(self.file)))
            self.file[offset:offset + size] = data[at:at + size]
            at += size
        self.kdump = Kdump(lambda offset, size: bytes(self.file[offset:offset + size]))

    def offset(self, address):
        wanted = self.kdump.offset(address)
        return wanted and next(wanted - offset + at for offset, at, size in reversed(self.records)
                               if offset <= wanted < offset + size)


def container(data):
    if data[:4] == b'\x7fELF':
        return Elf(data)
    if data[:12] == b'makedumpfile':
        return Flat(data)
    return Kdump(lambda offset, size: data[offset:offset + size])


class Copy:
    """Copies of a dump's files; set() alters bytes in one of them."""

    def __init__(self, image, folder):
        os.makedirs(folder, exist_ok=True)
        self.folder = folder
        self.files = [shutil.copy(path, folder) for path in image]
        self.containers = []
        for path in self.files:
            with open(path, 'rb') as f:
                self.containers.append(container(f.read()))

    def set(self, address, old, new):
        """False if no file has OLD there."""
        for path, inside in zip(self.files, self.containers):
            offset = inside.offset(address)
            if offset is None:
                continue
            with open(path, 'r+b') as f:
                f.seek(offset)
                if f.read(len(old)) != old:
                    return False
                f.seek(offset)
                f.write(new)
                return True
        return False

    def remove(self):
        shutil.rmtree(self.folder)


# ---- what must fail, and what must not -----------------------------------------------------------


class Judge:
    """Comparisons of one dump, which say whether they fail."""

    def __init__(self, vmcensus, truth, process):
        self.vmcensus, self.truth, self.process = vmcensus, truth, process

    def check(self):
        return compare_check(self.vmcensus)

    def maps(self):
        return compare_text(self.vmcensus, [self.process], 'maps')

    def smaps(self):
        return compare_text(self.vmcensus, [self.process], 'smaps')

    def procs(self):
        return compare_processes(self.vmcensus, [self.process])

    def dmesg(self):
        return compare_dmesg(self.vmcensus, self.truth)

    def issue(self, text, report='procs'):
        """Does the report raise the issue, and exit with status 2?"""
        code, _, err = self.vmcensus(report)
        return code == 2 and text in last_line(err)


# kind -> comparisons that fail, issues that a report raises, comparisons that do not fail. procs does not
# look at each struct page (docs/rooms/frames.md, "Entries that tell"); smaps does.
EXPECTED = {
    'mapcount': (['check'], [('smaps', '1 page map count (corrupt)')], ['maps']),
    'pte': (['check', 'smaps'], [('smaps', '1 page map count (corrupt)'), ('procs', '1 mm counter (corrupt)')],
            ['maps']),
    'page': (['check', 'smaps'], [('smaps', 'mm counter (corrupt)')], ['maps']),
    'counter': (['check'], [('procs', '1 mm counter (corrupt)')], ['smaps']),
    'comm': (['procs'], [], ['check']),
    'dentry': (['maps'], [], ['check', 'procs']),
    'flags': (['maps'], [], ['check', 'procs']),
    'list': ([], [('procs', 'task list (corrupt)')], ['dmesg']),
}
# of kernels that have them: what summary says, and what stays clean
OF_SYSTEM = {
    'pools': ('hugetlb pool (corrupt)', ['procs', 'smaps']),
    'node': ('node (corrupt)', ['procs', 'smaps']),
}
# of kernels that show it: a row of check, issues of procs, what stays clean
PLACES = {
    'hidden': ('found by its number', ['task list (corrupt)'], ['maps', 'smaps', 'procs']),
    'planted': ('on a free list, and anonymous', [], ['maps', 'smaps', 'procs']),
    'overlap': ('twice on free lists', [], ['maps', 'smaps', 'procs']),
}


def judge(judge_of, kind):
    if kind in PLACES:
        text, issues, clean = PLACES[kind]
        seen = judge_of.check()
        wrong = [] if any(re.search(text, d) for d in seen) else [f'check does not say "{text}": {seen}']
        wrong += [f'procs: no issue of "{i}" with exit status 2' for i in issues if not judge_of.issue(i)]
        return wrong + [f'{name} fails too: {d}' for name in clean for d in getattr(judge_of, name)()[:1]]
    if kind in OF_SYSTEM:
        issue, clean = OF_SYSTEM[kind]
        wrong = [] if judge_of.issue(issue, 'summary') else [f'summary: no issue of "{issue}" with exit status 2']
        return wrong + [f'{name} fails too: {d}' for name in clean for d in getattr(judge_of, name)()[:1]]
    fail, issues, clean = EXPECTED[kind]
    wrong = [f'{name} does not see it' for name in fail if not getattr(judge_of, name)()]
    wrong += [f'{report}: no issue of "{text}" with exit status 2' for report, text in issues
              if not judge_of.issue(text, report)]
    for name in clean:
        wrong += [f'{name} fails too: {d}' for d in getattr(judge_of, name)()[:1]]
    return wrong


def spots(tool, image, types, pids):
    """(pid, {kind: [(address, old, new)]})."""
    done = subprocess.run([tool, *(['-t', types] if types else []), ','.join(map(str, pids)), *image],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    lines = [line.split() for line in done.stdout.splitlines()]
    where = {}
    for kind, at, old, new in lines[1:]:
        where.setdefault(kind, []).append((int(at, 0), bytes.fromhex(old), bytes.fromhex(new)))
    return int(lines[0][1]), where


def mutate(tally, program, tool, f, folder):
    """Each kind of alteration, one by one."""
    truth = Truth(f.truth())
    frozen = {p.pid: p for p in truth.frozen()}
    pid, where = spots(tool, f.image(), f.types(), frozen)
    copy = Copy(f.image(), folder)
    for kind in [*EXPECTED, *(k for k in [*OF_SYSTEM, *PLACES] if k in where)]:
        done = [spot for spot in where[kind] if copy.set(*spot)]
        wrong = [f'the copy has not {old.hex()} at {address:#x}' for address, old, new in where[kind]
                 if (address, old, new) not in done] or \
            judge(Judge(Opened(program, copy.files, f.types()), truth, frozen[pid]), kind)
        for address, old, new in reversed(done):
            copy.set(address, new, old)
        tally.check(f'mutation {f.name}: {kind}', wrong)
    cut_last_byte(tally, f'mutation {f.name}', program, copy.files, f.types())
    copy.remove()


# ---- containers ------------------------------------------------------------------------------------


def cut_last_byte(tally, name, program, images, types):
    """Of one file, the last; raw memory is FILE@ADDRESS."""
    path = images[-1].split('@')[0]
    os.truncate(path, os.path.getsize(path) - 1)
    code, out, err = Vmcensus(program, images, types)('procs')
    good = code in (1, 2) and err and (out or code == 1)
    tally.check(f'{name}: the last byte', [] if good else [f'exit {code}: {last_line(err)}'])


def of_container(tally, name, program, images, types):
    """An image with a map count that is one too high."""
    vmcensus = Opened(program, images, types)
    wrong = [] if compare_check(vmcensus) else ['check does not see it']
    if not Judge(vmcensus, None, None).issue('1 page map count (corrupt)', 'smaps'):
        wrong.append(f'smaps: {vmcensus("smaps")[2]!r}')
    tally.check(f'{name}: mapcount', wrong)
    cut_last_byte(tally, name, program, images, types)


def mutate_containers(tally, program, tools, f, folder):
    """The fixture F in each container, with one map count altered."""
    os.makedirs(folder, exist_ok=True)
    truth = Truth(f.truth())
    _, where = spots(tools + '/mutate', f.image(), f.types(), [p.pid for p in truth.frozen()])
    (address, _, new), = where['mapcount']
    out = os.path.join(folder, f.name)
    done = subprocess.run([tools + '/convert', '-p', f'{address:#x}={new.hex()}', out, *f.image()],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        tally.check(f'mutation of containers {f.name}', [done.stderr])
    for line in done.stdout.splitlines():
        form = line.split()[0][len(out) + 1:].split('.')[0]
        of_container(tally, f'mutation {f.name} as {form}', program, line.split(), f.types())
    with open(f.image()[0], 'rb') as image:
        data = image.read()
    offset = container(data).offset(address)
    start = offset - address % 4096
    page = data[start:offset] + new + data[offset + len(new):start + 4096]
    for compression in COMPRESSIONS:
        name = f'mutation {f.name} packed with {compression}'
        try:
            path = shutil.copy(f.repacked(compression), folder)
        except OSError as e:
            tally.skip(name, str(e))
            continue
        put_page(path, address, page)
        of_container(tally, name, program, [path], f.types())
    shutil.rmtree(folder)


def put_page(path, address, page):
    """Into a kdump whose pages are packed: at the end of the file, as it is."""
    with open(path, 'r+b') as f:
        data = f.read()
        at = container(data).descriptor(address)
        flags = PAGE_DESC.unpack_from(data, at)[3]
        f.write(page)
        f.seek(at)
        f.write(PAGE_DESC.pack(len(data), len(page), 0, flags))


def jobs(tally, program, tools, fixtures, plain, scratch):
    """One for each fixture, and for each container of the fixtures PLAIN."""
    shutil.rmtree(scratch, ignore_errors=True)
    out = [(f'mutation {f.name}', lambda f=f: mutate(tally, program, tools + '/mutate', f, os.path.join(scratch, f.name)))
           for f in fixtures if f.truth() and os.path.exists(os.path.join(f.truth(), 'dmesg'))]
    return out + [(f'mutation of containers {f.name}', lambda f=f: mutate_containers(
                  tally, program, tools, f, os.path.join(scratch, f.name + '-containers')))
                  for f in plain]
