# SPDX-License-Identifier: GPL-3.0-or-later
"""unreached and refs against what a module leaked and kept (tests/vmtest/leaks/leaky.c), as its lines on the console say."""
import re

LEAST = 0.99
# a stack or an array of the kernel may still have an old pointer
FEWER = {'skb': 0.90, 'area': 0.8}
# of what has no pointer to a variable of its kind
SIGNS = {'skb': 'free_skb', 'file': 'leaky_fops'}
OBJECTS = 0.0002        # of all in use, which are not the module's


def told(console, what):
    """{kind: numbers}"""
    return {m[1]: [int(n) for n in m[2].split()]
            for m in re.finditer(rf'LAB-{what} (\w+) ([\d ]*\d)', console)}


def of_kind(rows, kind):
    sign = 'leaky:' + SIGNS.get(kind, 'of_' + kind)
    return [r for r in rows if re.search(rf'\b{sign}\b', f'{r["signature"]} {r["from"]}')]


def compare_refs(tally, name, vmcensus, told_refs):
    """told_refs: {kind: [objects, references]}"""
    rows, why = vmcensus.rows('refs', '--all')
    mine = {}
    for r in rows or []:
        kind = 'proc' if r['superblock'].startswith('proc') else r['type']
        got = mine.setdefault(kind, [0, 0])
        got[0] += r['objects']
        got[1] += r['excess']
    for kind, want in told_refs.items():
        got = mine.get(kind, [0, 0])
        tally.check(f'{name} refs {kind}', [] if got == want else [why or f'{got} of {want}'], f'{got[0]} objects, {got[1]} references')
    tally.check(f'{name} refs of others', [f'{kind}: {got}' for kind, got in mine.items() if kind not in told_refs])


def compare_leaks(tally, name, vmcensus, console):
    leaked, kept = told(console, 'LEAKED'), told(console, 'KEPT')
    rows, why = vmcensus.rows('unreached', '--all')
    if rows is None or not leaked or not kept:
        tally.check(f'{name} unreached', [why or 'the module told nothing'])
        return
    mine = []
    for kind, (objects, heads) in leaked.items():
        found = of_kind(rows, kind)
        mine += found
        got, got_heads = (sum(r[column] for r in found) for column in ('objects', 'heads'))
        least = int(objects * FEWER.get(kind, LEAST))
        wrong = [f'{got} of {objects}'] if not least <= got <= objects else []
        wrong += [f'{got_heads} heads, of {heads}'] if abs(got_heads - heads) > objects - least + 1 else []
        tally.check(f'{name} leaked {kind}', wrong, f'{got} of {objects}, {got_heads} heads')
    for kind in kept:
        tally.check(f'{name} kept {kind}', [str(r) for r in of_kind(rows, kind)])
    refs = told(console, 'REFS')
    # those that nothing points to have a reference as well
    if 'file' in refs:
        refs['file'] = [a + b for a, b in zip(refs['file'], leaked['file'])]
    compare_refs(tally, name, vmcensus, refs)
    shown, _ = vmcensus.rows('unreached')
    examples = {r['example'] for r in mine}
    tally.check(f'{name} groups of the module by default',
                [f'{kind} is not shown' for kind in leaked if not of_kind(shown, kind) and kind != 'area'])
    others = [r for r in rows if r['example'] not in examples and r['share'] is not None]
    inuse = sum(r['inuse'] or 0 for r in vmcensus.rows('slab')[0])
    # what the module's own objects keep has no sign of it: data of packets
    tally.check(f'{name} others', [str(r) for r in others if r['objects'] > OBJECTS * inuse and r['heads']],
                f'{sum(r["objects"] for r in others)} of {inuse}')
