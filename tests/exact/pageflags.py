# SPDX-License-Identifier: GPL-3.0-or-later
"""The flags of page frames of a dump against its kernel's /proc/kpageflags.

User space was frozen when that was read, but not the recorder: it went on to read
/proc, and ended. Frames that were free then or are free now are its own and not
compared, nor are those of processes that were not frozen; of all others the flags must be
the same, except where only the passage of time changes them: lists are drained, pages age.
Of a slab, the kernel takes for page->mapping what struct slab has there, a link or a count of
the lists that the slab is on (6.12): by its low bits the slab is "anonymous" and "ksm", until
it is on another list.
"""
import array
import collections

BUDDY, MMAP, TAIL, RESERVED = 1 << 10, 1 << 11, 1 << 16, 1 << 32
TIME = 1 << 2 | 1 << 5 | 1 << 6 | 1 << 25      # referenced, lru, active, idle
SLAB, OF_SLABS = 1 << 7, 1 << 12 | 1 << 21     # anonymous, ksm
# Slabs and page tables that changed hands, of the frames compared.
TURNOVER = 0.004
# Not all machines have more: no swap, no huge pages.
PAGE_TABLE = 1 << 26
KINDS = {'mapped': MMAP, 'anonymous': 1 << 12, 'slab': SLAB, 'page table': PAGE_TABLE,
         'reserved': RESERVED, 'compound': 1 << 15}
# The first release that marks each frame: page tables 1d40a5ea01d5, tails of slabs 0a71649cb724.
MARKED = {PAGE_TABLE: (4, 18), SLAB: (4, 6)}


def flags(vmcensus, pids):
    """{pfn: flags} of frames whose folio nobody maps, or a process of PIDS; and what went wrong."""
    code, out, err = vmcensus('pages', '--all', '-q', '-c', 'pfn,kpf,pid', front=('-f', 'csv'))
    if code not in (0, 2):
        return {}, err.decode()
    got, head, of_others = {}, None, set()
    for pfn, kpf, pid in (line.split(',') for line in out.decode().splitlines()[1:]):
        if not kpf:
            continue
        pfn, kpf = int(pfn), int(kpf, 16)
        head = head if kpf & TAIL else pfn
        got[pfn] = kpf, head
        if pid and int(pid) not in pids:
            of_others.add(head)
    return {pfn: kpf for pfn, (kpf, head) in got.items() if head not in of_others}, ''


def recorded(raw):
    """Its words, in the byte order of the machine: no flag has a bit above 52."""
    words = array.array('Q', raw)
    if any(w >> 52 for w in words):
        words.byteswap()
    return words


def free(kpf):
    return not kpf or kpf & BUDDY


def compare_pageflags(tally, name, vmcensus, truth):
    raw = truth.read('kpageflags')
    if not raw:
        tally.skip(f'{name} pages', 'kpageflags was not recorded')
        return
    got, error = flags(vmcensus, {p.pid for p in truth.frozen()})
    kernel, compared, moved, lists, mapped = recorded(raw), 0, 0, 0, set()
    seen = dict.fromkeys(KINDS, 0)
    for (want, have), n in collections.Counter((want, got.get(pfn)) for pfn, want in enumerate(kernel)).items():
        if have is None or free(want) or free(have):
            continue
        compared += n
        for kind, bit in KINDS.items():
            seen[kind] += n * bool(want & bit and have & bit)
        if not (want ^ have) & ~TIME:
            continue
        if want & have & SLAB and not (want ^ have) & ~OF_SLABS:
            lists += n
            continue
        if want & MMAP and have & MMAP:
            mapped.add((want, have))
        moved += n
    wrong = [f'frame {pfn:#x}: kernel {want:#x}, vmcensus {got[pfn]:#x}' for pfn, want in enumerate(kernel)
             if (want, got.get(pfn)) in mapped] if mapped else []
    if error or moved > compared * TURNOVER:
        wrong.append(f'{moved} of {compared} frames differ {error}')
    if truth.release < MARKED[PAGE_TABLE]:
        del seen['page table']
    wrong += [f'no frame is {kind} with both' for kind, n in seen.items() if not n]
    tally.check(f'{name} pages: flags of /proc/kpageflags', wrong,
                f'{compared} frames compared, {moved} moved on, {lists} slabs on other lists')
