# SPDX-License-Identifier: GPL-3.0-or-later
"""thrash against /proc/vmstat and /proc/PID/stat: a machine whose processes stand still."""
import re

# what cannot change while nothing runs; faults may, because the recorder runs
STILL = ('refaults', 'swap')


def compare_answer(tally, name, vmcensus, want):
    """Did the machine thrash, on what, and who suffered (tests/vmtest/lab/thrashes.py)?"""
    rows, why = vmcensus.rows('thrash')
    who, why_too = vmcensus.rows('thrash', '--tasks')
    if rows is None or who is None:
        tally.check(f'{name} thrash', [why or why_too])
        return
    said = {r['name']: r['about'] for r in rows if r['section'] == 'answer'}
    wrong = []
    if said['thrashing'] != want.answer or not re.fullmatch(want.of, said['of']):
        wrong.append(f'{said}, not {want.answer} of {want.of}')
    most = max(who, key=lambda r: r['maj_flt'] or 0, default={'comm': 'nobody'})
    if want.who and most['comm'] != want.who:
        wrong.append(f'{most["comm"]} had most faults, not {want.who}')
    tally.check(f'{name} thrash', wrong, said['why'])


def compare_thrash(tally, name, vmcensus, truth):
    rows, why = vmcensus.rows('thrash')
    who, why_too = vmcensus.rows('thrash', '--tasks')
    if rows is None or who is None:
        tally.check(f'{name} thrash', [why or why_too])
        return
    want = dict(re.findall(r'^(\w+) (\d+)$', truth.read('vmstat').decode(), re.M))
    differences, n = [], 0
    for r in rows:
        if r['name'] not in want or r['section'] == 'lists':
            continue
        n += 1
        kernel = int(want[r['name']])
        if r['value'] != kernel if r['section'] in STILL else r['value'] < kernel:
            differences.append(f'{r["name"]}: kernel {kernel}, vmcensus {r["value"]}')
    if not any(int(want.get(k, 0)) for k in want if k.startswith('workingset_refault')):
        said = {r['name']: r['about'] for r in rows if r['section'] == 'answer'}
        if 'workingset_refault_anon' in want and said['thrashing'] != 'no':
            differences.append(f'nothing was read again, and the answer is {said}')
    faults = {r['pid']: (r['min_flt'], r['maj_flt']) for r in who}
    for p in truth.frozen():
        fields = p.read('stat').rsplit(b')', 1)[1].split()
        kernel = int(fields[7]), int(fields[9])
        n += 1
        if faults.get(p.pid) != kernel:
            differences.append(f'{p.pid}: kernel {kernel}, vmcensus {faults.get(p.pid)}')
    tally.check(f'{name} thrash', differences, f'{n} values')
