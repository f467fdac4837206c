#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""drgn_procs.py [--raw] DUMP VMLINUX: rss, pss and uss of each process, with drgn.

The table of "vmcensus procs" as a good drgn script makes it, for x86-64 with four
levels: page tables are read whole, top down, each table once, and the walk needs no
VMAs. What a page's map count is, it learns in one of two ways:

  default   from drgn's objects: page._mapcount, remembered for the next process
  --raw     nothing of drgn but its reads: the page array in pieces of 2 MiB, taken
            apart by offsets; as fast as Python gets

Prints one line a process (pid rss pss uss, bytes), and last "seconds LOAD WALK".
"""
import argparse
import array
import sys
import time

import drgn
from drgn.helpers.linux.list import list_for_each_entry

PRESENT, HUGE, SPECIAL = 1, 1 << 7, 1 << 9
FRAME = (1 << 52) - (1 << 12)
PAGE = 4096
PIECE = 32768                   # struct pages read at a time
PF_KTHREAD = 0x00200000


class MapCounts(dict):
    """pfn -> map count, from drgn's objects."""

    def __init__(self, prog):
        super().__init__()
        self.base = drgn.Object(prog, prog.type('struct page *'),
                                value=prog['vmemmap_base'].value_())

    def __missing__(self, pfn):
        n = self[pfn] = self.base[pfn]._mapcount.counter.value_() + 1
        return n


def raw_map_counts(prog):
    """A list by pfn, of all the page array."""
    page = prog.type('struct page')
    offset = drgn.offsetof(page, '_mapcount') // 4
    stride = drgn.sizeof(page) // 4
    base, counts = prog['vmemmap_base'].value_(), array.array('i')
    for pfn in range(0, prog['max_pfn'].value_(), PIECE):
        try:
            raw = prog.read(base + pfn * 4 * stride, PIECE * 4 * stride)
        except drgn.FaultError:         # with holes: page by page
            raw = bytearray()
            for at in range(0, PIECE * 4 * stride, PAGE):
                try:
                    raw += prog.read(base + pfn * 4 * stride + at, PAGE)
                except drgn.FaultError:
                    raw += b'\xff' * PAGE
        words = memoryview(raw).cast('i')
        counts.extend(words[offset::stride].tolist())
    return [n + 1 for n in counts]


class Walk:
    def __init__(self, prog, counts):
        self.prog = prog
        self.counts = counts
        self.quotient = [0] + [(PAGE << 12) // n for n in range(1, 1 << 16)]

    def entries(self, table_pa):
        return memoryview(self.prog.read(table_pa, PAGE, True)).cast('Q')

    def ptes(self, table_pa):
        counts, quotient = self.counts, self.quotient
        rss = pss = uss = 0
        for e in self.entries(table_pa):
            if e & (PRESENT | SPECIAL) == PRESENT:
                n = counts[(e & FRAME) >> 12]
                rss += 1
                pss += quotient[n]
                if n == 1:
                    uss += 1
        return rss, pss, uss

    def huge(self, e, level):
        pages = 1 << 9 * level
        n = max(1, self.counts[(e & FRAME) >> 12])
        return pages, pages * self.quotient[n], pages if n == 1 else 0

    def table(self, table_pa, level, last=512):
        rss = pss = uss = 0
        for e in self.entries(table_pa)[:last]:
            if not e & PRESENT:
                continue
            if level < 3 and e & HUGE:
                got = self.huge(e, level)
            elif level > 1:
                got = self.table(e & FRAME, level - 1)
            else:
                got = self.ptes(e & FRAME)
            rss += got[0]
            pss += got[1]
            uss += got[2]
        return rss, pss, uss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--raw', action='store_true')
    parser.add_argument('dump')
    parser.add_argument('vmlinux')
    args = parser.parse_args()

    start = time.monotonic()
    prog = drgn.Program()
    prog.set_core_dump(args.dump)
    prog.load_debug_info([args.vmlinux])
    loaded = time.monotonic()
    walk = Walk(prog, raw_map_counts(prog) if args.raw else MapCounts(prog))
    direct = prog['page_offset_base'].value_()
    for task in list_for_each_entry('struct task_struct', prog['init_task'].tasks.address_of_(),
                                    'tasks'):
        mm = task.mm.read_()
        if not mm or task.flags.value_() & PF_KTHREAD:
            continue
        rss, pss, uss = walk.table(mm.pgd.value_() - direct, 3, 256)
        print(task.pid.value_(), rss * PAGE, pss >> 12, uss * PAGE)
    print('seconds %.3f %.3f' % (loaded - start, time.monotonic() - loaded))
    return 0


if __name__ == '__main__':
    sys.exit(main())
