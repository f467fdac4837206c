# SPDX-License-Identifier: GPL-3.0-or-later
"""The sizes of exmap, computed again from the kernel's /proc/PID/pagemap.

PID/pagemap.bin holds for each mapping its start, end and number of entries, then the
entries (Documentation/admin-guide/mm/pagemap.rst). References are counted over all
processes, by frame number or by swap entry; a page is divided by them.
"""
import array
import re
from collections import Counter, defaultdict

from exact.views import SMAPS_LINE, shown

PRESENT, SWAP = 1 << 63, 1 << 62
FRAME = (1 << 55) - 1
# swap types from here on say what an entry is instead of naming an area: pages that
# migrate, markers ... (include/linux/swap.h); which do differs between kernels
SPECIAL_TYPES = 22
FILES_OF = 8            # processes whose files are compared


def entries(process):
    """(start, entries) of each mapping in pagemap."""
    words = array.array('Q')
    words.frombytes(process.read('pagemap.bin'))
    at = 0
    while at + 3 <= len(words):
        n = words[at + 2]
        yield words[at], words[at + 3:at + 3 + n]
        at += 3 + n


def references(process):
    """(frames, swap entries, special entries) of all mappings of a process."""
    frames, slots, special = [], [], 0
    for _, words in entries(process):
        for word in words:
            if word & PRESENT:
                frames.append(word & FRAME)
            elif word & SWAP and (word & 31) >= SPECIAL_TYPES:
                special += 1
            elif word & SWAP:
                slots.append(word & FRAME)
    return frames, slots, special


def has_pfnmap(process):
    """pagemap leaves out mappings of bare frames (walk_page_test(), mm/pagewalk.c).

    Every process has one, [vvar], whose pages are entered when the clock is read: not here.
    """
    name = b''
    for line in process.read('smaps').splitlines():
        words = line.split()
        if not words[0].endswith(b':'):
            name = words[-1]
        elif words[0] == b'VmFlags:' and b'pf' in words and not name.startswith(b'[vvar'):
            return True
    return False


class Counts:
    """References to frames and slots: those that pagemap showed, and those it could not.

    A process whose leader has ended shows no pagemap; that the kernel counts more mappings
    of a frame than were seen tells of its references. Of what the kernel does not count
    (the zero page) it may or may not be one more, and processes that went on may have
    written to what they had.
    """

    def __init__(self, truth, refs, unseen):
        self.frames, self.slots, self.unseen = Counter(), Counter(), unseen
        self.moving = Counter()
        self.page = truth.page_size
        mapped, bodies = Counter(), set()
        for process, (frames, slots, _) in refs.items():
            self.frames.update(frames)
            self.slots.update(slots)
            self.moving.update([] if process.frozen else frames)
            body = process.read('pagemap.bin')      # equal: one mm, which the kernel counts once
            if body not in bodies:
                mapped.update(frames)
            bodies.add(body)
        self.kernel = array.array('Q')
        self.kernel.frombytes(truth.read('kpagecount'))
        for frame, n in mapped.items():
            if self.counted(frame) > n:
                self.frames[frame] += self.counted(frame) - n

    def counted(self, frame):
        return self.kernel[frame] if frame < len(self.kernel) else 0

    def effective(self, frames, slots=()):
        """(least, most)"""
        high = sum(1 / self.frames[f] for f in frames) + sum(1 / self.slots[s] for s in slots)
        uncounted = [f for f in frames if not self.counted(f)]
        low = high - sum(1 / self.frames[f] - 1 / (self.frames[f] + self.unseen) for f in uncounted)
        high += sum(1 / max(1, self.frames[f] - self.moving[f]) - 1 / self.frames[f] for f in uncounted)
        return self.page * low, self.page * high


def differs(row, column, least, most=None):
    """A sentence if ROW's COLUMN is not within; bytes are rounded."""
    most = least if most is None else most
    if least - 0.51 <= row[column] <= most + 0.51:
        return []
    return [f'pid {row["pid"]} ({row["comm"]}): {column} {row[column]}, '
            f'pagemap says {least} to {most}']


def hidden(vmcensus, processes):
    """{pid: bytes} of [vvar]: none on x86-64, where the zoo reads no clock; on PowerPC its libc does."""
    rows, _ = vmcensus.rows('vmas', '-c', 'pid,name,special')
    found = Counter()
    for row in rows or []:
        if (row['name'] or '').startswith('[vvar'):
            found[row['pid']] += row['special'] or 0
    # vmas shows an mm under one of its processes; all of them have the same entries
    of_body = {p.read('pagemap.bin'): found[p.pid] for p in processes if found[p.pid]}
    return {p.pid: of_body.get(p.read('pagemap.bin'), 0) for p in processes}


def compare_process(row, refs, counts, more):
    """MORE: bytes that are mapped and not in pagemap, shared by nobody knows how many."""
    frames, slots, special = refs
    page = counts.page
    least, most = counts.effective(frames)
    wrong = differs(row, 'resident', page * len(frames) + more)
    wrong += differs(row, 'eff_resident', least, most + more)
    if special:     # mapped or not, by what the type means
        return wrong
    least, most = counts.effective(frames, slots)
    wrong += differs(row, 'mapped', page * (len(frames) + len(slots)) + more)
    wrong += differs(row, 'eff_mapped', least, most + more)
    sole = sum(counts.frames[p] == 1 for p in frames) + sum(counts.slots[p] == 1 for p in slots)
    return wrong + differs(row, 'sole', page * sole)


def owners(process, file_size):
    """start -> (name, bytes, it is .bss) of each mapping, only by maps.

    The dumps have no headers of files: .bss is the mapping right after a program's or
    library's mappings in anonymous memory, if it is not larger than the library.
    """
    lines = [SMAPS_LINE.match(line) for line in process.read('maps').splitlines()]
    code = {m[4] for m in lines if re.match(b'..xp', m[3]) and m[4][:1] == b'/'}
    found, own, end, last = {}, process.read('exe').strip(), None, b''
    for m in lines:
        start, stop, name = int(m[1], 16), int(m[2], 16), m[4]
        bss = not name and start == end and last in code and m[3][:3] != b'---' and \
            (last == own or stop - start <= file_size.get(shown(last), 0))
        last = last if bss else name
        found[start] = shown(last) if bss else shown(name) or '[anon]', stop - start, bss
        end = stop
    return found


def compare_files(tally, name, vmcensus, processes, counts):
    """Each file of some processes, with its .bss."""
    wrong, behind = [], 0
    for process in processes:
        rows, why = vmcensus.rows('files', '--pid', str(process.pid), '-c',
                                  'name,vm,resident,eff_resident,file_size')
        if rows is None:
            wrong.append(why)
            continue
        own = owners(process, {r['name']: r['file_size'] or 0 for r in rows})
        want, got = defaultdict(lambda: [0, []]), Counter()
        for row in rows:
            for column in ('vm', 'resident', 'eff_resident'):
                got[row['name'], column] += row[column]
        for owner, size, bss in own.values():
            want[owner][0] += size
            behind += bss
        for start, words in entries(process):
            want[own[start][0]][1] += [w & FRAME for w in words if w & PRESENT]
        for owner, (size, frames) in want.items():
            if owner.startswith('[v'):
                continue
            row = {'pid': process.pid, 'comm': owner, 'vm': got[owner, 'vm'],
                   'resident': got[owner, 'resident'], 'eff_resident': got[owner, 'eff_resident']}
            wrong += differs(row, 'vm', size) + differs(row, 'resident', counts.page * len(frames))
            wrong += differs(row, 'eff_resident', *counts.effective(frames))
    if not behind:
        wrong.append('no .bss was met')
    tally.check(f'{name}: files', wrong, f'{len(processes)} processes, {behind} mappings of .bss')


def compare_sizes(tally, name, vmcensus, truth):
    columns = 'pid,comm,vm,mapped,eff_mapped,sole,resident,eff_resident,writable'
    rows, why = vmcensus.rows('procs', '-c', columns)
    if rows is None:
        tally.check(f'{name}: sizes', [why])
        return
    refs = {p: references(p) for p in truth.all}
    if not any(frames for frames, _, _ in refs.values()):
        tally.skip(f'{name}: sizes', 'pagemap was not recorded')
        return
    seen = {p.pid for p, (frames, _, _) in refs.items() if frames}
    if truth.release < (5, 4):
        tally.skip(f'{name}: sizes', 'its memory was swapped by pressure (no MADV_PAGEOUT): the recorder reads '
                   'its libraries again, and shares more of them than it recorded')
        return
    counts = Counts(truth, refs, sum(1 for r in rows if r['resident'] and r['pid'] not in seen))
    by_pid = {r['pid']: r for r in rows}
    chosen = [p for p in truth.frozen() if p.pid != 1 and p.pid in seen and not has_pfnmap(p)]
    more = hidden(vmcensus, chosen)
    wrong = [w for p in chosen
             for w in compare_process(by_pid[p.pid], refs[p], counts, more[p.pid])]
    if not chosen:
        wrong.append('no process could be compared')
    tally.check(f'{name}: sizes', wrong, f'{len(chosen)} processes, {len(counts.frames)} frames')
    # names that maps writes otherwise than a table does are left to the other checks
    plain = [p for p in chosen if re.fullmatch(rb'[\n -\[\]-~]*', p.read('maps'))]
    compare_files(tally, name, vmcensus, plain[::max(1, len(plain) // FILES_OF)], counts)
    whole(tally, name, rows, refs, counts)


def whole(tally, name, rows, refs, counts):
    """The effective sizes add up to the mapped frames, each counted once.

    Processes that went on are left out with their private pages; two pages are allowed
    that they have come to share since. Sizes are rounded for each process.
    """
    kept = {p.pid for p in refs if p.frozen and p.pid != 1 and not has_pfnmap(p)}
    total = sum(r['eff_resident'] or 0 for r in rows) - \
        sum(r['sole'] or 0 for r in rows if r['pid'] not in kept)
    frames = set()
    for p, (of_p, _, _) in refs.items():
        frames.update(f for f in of_p if p.pid in kept or counts.frames[f] > 1)
    want = counts.page * len(frames)
    off = total - want
    tally.check(f'{name}: effective sizes come to the frames that are mapped',
                [f'{total} bytes, but {len(frames)} frames are {want}: {off}']
                if not -len(rows) <= off <= len(rows) + 2 * counts.page else [],
                f'{len(frames)} frames, {off} bytes off')
