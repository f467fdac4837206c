# SPDX-License-Identifier: GPL-3.0-or-later
"""unreached on machines where nothing leaks: no group by default, and at most 0.02 % of the objects in use."""
MOST = 0.0002
FACTS = 'kmem_cache.offset', 'slab.freelist'


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
    tally.check(f'{name} unreached --all', [] if inuse and objects <= MOST * inuse else [f'{objects} of {inuse}'],
                f'{objects} of {inuse} objects')
