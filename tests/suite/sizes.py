# SPDX-License-Identifier: GPL-3.0-or-later
"""The sizes of exmap, worked out anew from what the kernel said in /proc/PID/pagemap.

PID/pagemap.bin holds for each mapping its start, end and number of entries, then the
entries (Documentation/admin-guide/mm/pagemap.rst). References are counted over all
processes, by frame number or by swap entry; a page is divided by them.
"""
import array
import os
from collections import Counter

PRESENT, SWAP = 1 << 63, 1 << 62
FRAME = (1 << 55) - 1
PAGE = 4096
# swap types from here on say what an entry is instead of naming an area: pages that
# migrate, markers ... (include/linux/swap.h); which do differs between kernels
SPECIAL_TYPES = 22


def references(process):
    """(frames, swap entries, special entries) of all mappings of a process."""
    words = array.array('Q')
    words.frombytes(process.read('pagemap.bin'))
    frames, slots, special, at = [], [], 0, 0
    while at + 3 <= len(words):
        n = words[at + 2]
        for word in words[at + 3:at + 3 + n]:
            if word & PRESENT:
                frames.append(word & FRAME)
            elif word & SWAP and (word & 31) >= SPECIAL_TYPES:
                special += 1
            elif word & SWAP:
                slots.append(word & FRAME)
        at += 3 + n
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
    (the zero page) it may or may not be one more.
    """

    def __init__(self, truth, refs, unseen):
        self.frames, self.slots, self.unseen = Counter(), Counter(), unseen
        mapped, bodies = Counter(), set()
        for process, (frames, slots, _) in refs.items():
            self.frames.update(frames)
            self.slots.update(slots)
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
        high = sum(PAGE / self.frames[f] for f in frames) + \
            sum(PAGE / self.slots[s] for s in slots)
        low = high - sum(PAGE / self.frames[f] - PAGE / (self.frames[f] + self.unseen)
                         for f in frames if not self.counted(f))
        return low, high


def differs(row, column, least, most=None):
    """A sentence if ROW's COLUMN is not within; bytes are rounded."""
    most = least if most is None else most
    if least - 0.51 <= row[column] <= most + 0.51:
        return []
    return [f'pid {row["pid"]} ({row["comm"]}): {column} {row[column]}, '
            f'pagemap says {least} to {most}']


def compare_process(row, refs, counts):
    frames, slots, special = refs
    wrong = differs(row, 'resident', PAGE * len(frames))
    wrong += differs(row, 'eff_resident', *counts.effective(frames))
    if special:     # mapped or not, by what the type means
        return wrong
    wrong += differs(row, 'mapped', PAGE * (len(frames) + len(slots)))
    wrong += differs(row, 'eff_mapped', *counts.effective(frames, slots))
    sole = sum(counts.frames[p] == 1 for p in frames) + sum(counts.slots[p] == 1 for p in slots)
    return wrong + differs(row, 'sole', PAGE * sole)


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
    counts = Counts(truth, refs, sum(1 for r in rows if r['resident'] and r['pid'] not in seen))
    by_pid = {r['pid']: r for r in rows}
    chosen = [p for p in truth.frozen() if p.pid != 1 and p.pid in seen and not has_pfnmap(p)]
    wrong = [w for p in chosen for w in compare_process(by_pid[p.pid], refs[p], counts)]
    if not chosen:
        wrong.append('no process could be compared')
    tally.check(f'{name}: sizes', wrong, f'{len(chosen)} processes, {len(counts.frames)} frames')
    whole(tally, name, rows, refs, counts)


def whole(tally, name, rows, refs, counts):
    """What is divided comes together again: the frames that are mapped, each once.

    Processes that went on are left out with what they have alone; two pages are allowed
    that they have come to share since. Sizes are rounded for each process.
    """
    kept = {p.pid for p in refs if p.frozen and p.pid != 1 and not has_pfnmap(p)}
    total = sum(r['eff_resident'] or 0 for r in rows) - \
        sum(r['sole'] or 0 for r in rows if r['pid'] not in kept)
    frames = set()
    for p, (of_p, _, _) in refs.items():
        frames.update(f for f in of_p if p.pid in kept or counts.frames[f] > 1)
    off = total - PAGE * len(frames)
    tally.check(f'{name}: effective sizes come to the frames that are mapped',
                [f'{total} bytes, but {len(frames)} frames are {PAGE * len(frames)}: {off}']
                if not -len(rows) <= off <= len(rows) + 2 * PAGE else [],
                f'{len(frames)} frames, {off} bytes off')
