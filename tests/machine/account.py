# SPDX-License-Identifier: GPL-3.0-or-later
"""What /proc/PID/smaps of a machine described in text (tests/machine/machine.h) says, computed from
only the text, by the rules of that release's fs/proc/task_mmu.c: not by vmcensus, and not from what
was laid out in memory. Read: 2.6.32, 3.10, 3.16, 4.4, 4.9, 5.10, 6.1, 6.6, 6.12, 7.2."""
import re

PSS_SHIFT = 12
VM_LOCKED, VM_HUGETLB = 0x2000, 0x400000
# lines of smaps: since and before which release they are there
LINES = {
    'Size': (0, 0), 'Rss': (0, 0), 'Pss': (2625, 0), 'Pss_Dirty': (6000, 0),
    'Shared_Clean': (0, 0), 'Shared_Dirty': (0, 0), 'Private_Clean': (0, 0),
    'Private_Dirty': (0, 0), 'Referenced': (2622, 0), 'Anonymous': (2637, 0), 'KSM': (6006, 0),
    'LazyFree': (4012, 0), 'AnonHugePages': (2639, 0), 'ShmemPmdMapped': (4008, 0),
    'FilePmdMapped': (5004, 0), 'Shared_Hugetlb': (4004, 0), 'Private_Hugetlb': (4004, 0),
    'Swap': (2626, 0), 'SwapPss': (4003, 0), 'KernelPageSize': (2629, 0), 'MMUPageSize': (2629, 0),
    'Locked': (2638, 0),
}
# bits, estimates and CPUs' own
NOT_COMPARED = ('VmFlags', 'THPeligible', 'ProtectionKey', 'Nonlinear')


def number_of(release):
    """2.6.32-5 as 2632, 6.1.192 as 6001."""
    major, minor, patch = (re.findall(r'\d+', release) + ['0'])[:3]
    if (major, minor) == ('2', '6'):
        minor = 600 + int(patch)
    return 1000 * int(major) + int(minor)


class Frame:
    """A page, or a huge page with its parts."""
    def __init__(self, file=None, fs=None, words=(), huge=False):
        self.file, self.fs, self.huge = file, fs, huge
        self.dirty, self.hugetlb = 'dirty' in words, 'hugetlb' in words
        given = dict(w.split('=') for w in words if '=' in w)
        self.refs, self.count = int(given.get('refs', '0'), 0), given.get('count')
        self.entire, self.parts = 0, {}

    def mapcount(self, part):
        return self.entire + self.parts.get(part, 0)

    def references(self, pages):
        cached = self.file and (1 if self.hugetlb or not self.huge else pages)
        return int(self.count, 0) if self.count else \
            self.refs + self.entire + sum(self.parts.values()) + (cached or 0)


class Machine:
    """The text, read once more."""
    def __init__(self, text, release, page_shift, word, numa_balancing):
        self.release, self.page_shift, self.word = number_of(release), page_shift, word
        self.numa_balancing = numa_balancing
        self.page = 1 << page_shift
        self.files, self.frames, self.mms, self.slots, self.huge = {}, {}, {}, {}, 0
        self.tasks = []
        for line in text.splitlines():
            words = line.split('#')[0].split()
            run = getattr(self, 'on_' + words[0], None) if words else None
            if run:
                run(*words[1:])

    def address(self, s):
        at, _, more = s.partition('+')
        return (int(at, 0) << (self.page_shift - 12)) + (int(more[:-1], 0) * self.huge
                                                        if more else 0)

    def on_huge(self, shift):
        self.huge = 1 << int(shift, 0)

    def on_file(self, name, _path, _ino, fs='disk'):
        self.files[name] = fs

    def on_frame(self, name, file, _index, *words, huge=False):
        self.frames[name] = Frame(None if file == '-' else file, self.files.get(file), words, huge)

    def on_compound(self, name, file, index, *words):
        self.on_frame(name, file, index, *words, huge=True)

    def on_mm(self, name):
        self.mms[name] = self.mm = ([], [])

    def on_area(self, start, end, flags, *_backing):
        self.mm[0].append((self.address(start), self.address(end), int(flags, 0)))

    def map(self, va, name, part, whole, bits):
        frame = self.frames.setdefault(name, Frame())
        if 'm' not in bits and whole:
            frame.entire += 1
        elif 'm' not in bits:
            frame.parts[part] = frame.parts.get(part, 0) + 1
        self.mm[1].append((va, frame, part, whole, bits))

    def on_page(self, va, name, bits):
        name, _, part = name.partition('+')
        self.map(self.address(va), name, int(part or 0), False, bits)

    def on_pages(self, va, n, name, bits):
        base, plus, first = name.partition('+')
        for i in range(int(n, 0)):
            self.map(self.address(va) + i * self.page, base if plus else f'{name}.{i}',
                     int(first) + i if plus else 0, False, bits)

    def on_entry(self, va, name, bits):
        self.map(self.address(va), name, 0, True, bits)

    def on_swap(self, va, slot):
        self.slots[slot] = self.slots.get(slot, 0) + 1
        self.mm[1].append((self.address(va), None, slot, False, ''))

    def on_task(self, pid, _tgid, _comm, mm, _state, _ppid):
        if mm != '-':
            self.tasks.append((int(pid), mm))

    def smaps(self):
        """{pid: [(start, {line: KiB})]}"""
        return {pid: [(start, Area(self, start, end, flags).account(self.mms[mm][1]))
                      for start, end, flags in self.mms[mm][0]] for pid, mm in self.tasks}


class Area:
    """One mapping's struct mem_size_stats: bytes, Pss in 1 << PSS_SHIFT parts of them."""
    def __init__(self, m, start, end, flags):
        self.m, self.start, self.end, self.flags = m, start, end, flags
        self.sums = dict.fromkeys(LINES, 0)

    def add(self, line, n):
        self.sums[line] += n

    def long(self, n):
        """An unsigned long: of 32 bits, but in 3.17 to 5.2 where Pss was computed in 64."""
        return n % (1 << 8 * self.m.word) if not 3017 <= self.m.release < 5003 else n

    def tally(self, n, pss, private, dirty):
        self.add('Rss', n)
        self.add('Pss', pss)
        self.add('Pss_Dirty', pss if dirty else 0)
        self.add(('Private_' if private else 'Shared_') + ('Dirty' if dirty else 'Clean'), n)

    def facts(self, frame, bits, n):
        """Of smaps_account(): what does not depend on who else maps it. All frames of these
        machines are marked as referenced. Is it dirty?"""
        self.add('Referenced', n)
        dirty = 'd' in bits or (frame.dirty and self.m.release >= 2636)
        if not frame.file:
            self.add('Anonymous', n)
        return dirty

    def by_mapcount(self, frame, parts, dirty):
        for part in parts:
            count = frame.mapcount(part)
            pss = (self.m.page << PSS_SHIFT) // max(count, 1)
            self.tally(self.m.page, pss, count < 2, dirty)

    def absent(self, frame, parts, dirty):
        """A migration entry: by mapcount, private since 5.17, shared since 6.11."""
        whole = self.long(len(parts) * self.m.page << PSS_SHIFT)
        if self.m.release >= 5017:
            self.tally(len(parts) * self.m.page, whole, self.m.release < 6011, dirty)
        else:
            self.by_mapcount(frame, parts, dirty)

    def page(self, frame, part, bits):
        m = self.m
        pages = m.huge // m.page if frame.huge else 1
        if 'm' in bits and m.release < 3005:
            self.add('Swap', m.page)
            return
        dirty = self.facts(frame, bits, m.page)
        alone = m.release >= 4005 and frame.references(pages) == 1
        if 'm' in bits and not (alone and m.release < 6011):
            self.absent(frame, [part], dirty)
        elif alone:
            self.tally(m.page, m.page << PSS_SHIFT, True, dirty)
        else:
            self.by_mapcount(frame, [part], dirty)

    def huge_page(self, frame, bits):
        m = self.m
        pages, moves = m.huge // m.page, 'm' in bits
        # c94b6923fa0a (v5.8); 474098edac26 .. 8b9c1cc0418a
        if moves and m.release < 5008 or \
                ('n' in bits and m.numa_balancing and 6001 <= m.release < 6005):
            return
        self.add('AnonHugePages' if not frame.file else
                 'ShmemPmdMapped' if frame.fs == 'tmpfs' else 'FilePmdMapped', m.huge)
        dirty = self.facts(frame, bits, m.huge)
        if m.release < 4005:
            pss = self.long(m.huge << PSS_SHIFT) // max(frame.entire, 1)
            self.tally(m.huge, pss, frame.entire < 2, dirty)
        elif frame.references(pages) == 1 and not (moves and m.release >= 6011):
            self.tally(m.huge, self.long(m.huge << PSS_SHIFT), True, dirty)
        elif moves:
            self.absent(frame, range(pages), dirty)
        else:
            self.by_mapcount(frame, range(pages), dirty)

    def hugetlb(self, frame, bits):
        """smaps_hugetlb_range(), 25ee01a2fca0 (v4.4); pages that are not present count as shared since 6.11."""
        shared = frame.entire > 1 or ('m' in bits and self.m.release >= 6011)
        self.add('Shared_Hugetlb' if shared else 'Private_Hugetlb', self.m.huge)

    def account(self, pages):
        m = self.m
        for va, frame, part, whole, bits in pages:
            if not self.start <= va < self.end:
                continue
            if frame is None:
                self.add('Swap', m.page)
                self.add('SwapPss', (m.page << PSS_SHIFT) // m.slots[part])
            elif self.flags & VM_HUGETLB:
                self.hugetlb(frame, bits)
            elif whole:
                self.huge_page(frame, bits)
            else:
                self.page(frame, part, bits)
        return self.lines()

    def lines(self):
        sums = self.sums
        sums['Size'] = self.end - self.start
        sums['Locked'] = sums['Pss'] if self.flags & VM_LOCKED else 0
        for line in ('Pss', 'Pss_Dirty', 'SwapPss', 'Locked'):
            sums[line] >>= PSS_SHIFT
        size = self.m.huge if self.flags & VM_HUGETLB else self.m.page
        sums['KernelPageSize'] = sums['MMUPageSize'] = size
        return {line: sums[line] >> 10 for line, (since, before) in LINES.items()
                if since <= self.m.release and (not before or self.m.release < before)}


def printed(text):
    """{pid: [(start, {line: KiB})]} of what vmcensus prints, or of /proc/PID/smaps."""
    out, areas = {}, None
    for line in text.splitlines():
        of = re.match(r'==> (\d+) ', line)
        head = re.match(r'([0-9a-f]+)-[0-9a-f]+ [r-]', line)
        value = re.match(r'(\w+): +(\d+)', line)
        if of:
            areas = out.setdefault(int(of[1]), [])
        elif head:
            areas.append((int(head[1], 16), {}))
        elif value and value[1] not in NOT_COMPARED:
            areas[-1][1][value[1]] = int(value[2])
    return out


def differences(want, got, but=()):
    """BUT: lines that this dump cannot tell."""
    wrong = [f'processes {sorted(got)}, not {sorted(want)}'] if set(want) != set(got) else []
    for pid in set(want) & set(got):
        if [a for a, _ in want[pid]] != [a for a, _ in got[pid]]:
            wrong.append(f'{pid}: other mappings')
            continue
        for (start, lines), (_, others) in zip(want[pid], got[pid]):
            wrong += [f'{pid} {start:x} {line}: {lines.get(line)} KiB, not {others.get(line)}'
                      for line in {**lines, **others}
                      if line not in but and lines.get(line) != others.get(line)]
    return wrong
