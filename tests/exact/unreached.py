# SPDX-License-Identifier: GPL-3.0-or-later
"""unreached and refs on machines where nothing leaks: no group by default, and at most 0.02 % of the objects in use."""
import json

MOST = 0.0002
FACTS = 'kmem_cache.offset', 'slab.freelist'


def compare_who(tally, name, vmcensus):
    """The memory of a process is pointed to by its task, as every kernel has it."""
    wrong = []
    for r in vmcensus.rows('procs', '-c', 'pid,mm', '-w', 'mm != 0', '-n', '3')[0] or []:
        code, out, err = vmcensus(r['mm'], front=('-f', 'json', 'who'))
        found = json.loads(out)['rows'] if out else []
        if not any(w['kind'] == 'object' and w['where'].startswith('task_struct+') for w in found):
            wrong.append(f'{r}: exit {code} {err} {found}')
    tally.check(f'{name} who', wrong)


def compare_paths(tally, name, vmcensus, inuse):
    """No path ends at more objects of a cache than are in use."""
    rows, why = vmcensus.rows('paths', '--all')
    sums = {}
    for r in rows or []:
        sums[r['kind']] = sums.get(r['kind'], 0) + r['objects']
    wrong = [f'{kind}: {n} of {inuse[kind]}' for kind, n in sums.items() if n > (inuse.get(kind) or n)]
    tally.check(f'{name} paths --all', wrong if rows else [why or 'no path'], f'{len(rows or [])} paths')


def compare_refs(tally, name, vmcensus):
    """Every count has its pointers: on no machine so far was one above them."""
    rows, why = vmcensus.rows('refs', '--all')
    tally.check(f'{name} refs --all', [why] if rows is None else
                [f'{r["type"]} of {r["superblock"]}: {r["excess"]}, {r["name"]}' for r in rows])


def compare_unreached(tally, name, vmcensus):
    rows, why = vmcensus.rows('unreached')
    if not all(vmcensus.knows(fact) for fact in FACTS):
        # a layout file from before the question, or an older allocator
        tally.check(f'{name} unreached is refused', [] if rows is None else ['it answers'])
        return
    if rows is None:
        tally.check(f'{name} unreached', [why])
        return
    tally.check(f'{name} unreached by default', [f'{r["kind"]}: {r["signature"]}' for r in rows])
    rows, why = vmcensus.rows('unreached', '--all')
    slabs, slabs_why = vmcensus.rows('slab')
    if rows is None or slabs is None:
        tally.check(f'{name} unreached --all', [why or slabs_why])
        return
    objects = sum(r['objects'] for r in rows if r['share'] is not None)
    inuse = sum(r['inuse'] or 0 for r in slabs)
    inuse_of = {r['cache']: r['inuse'] for r in slabs}
    compare_who(tally, name, vmcensus)
    compare_paths(tally, name, vmcensus, inuse_of)
    compare_refs(tally, name, vmcensus)
    tally.check(f'{name} unreached --all', [] if inuse and objects <= MOST * inuse else [f'{objects} of {inuse}'],
                f'{objects} of {inuse} objects')
