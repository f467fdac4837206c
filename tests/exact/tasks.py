# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel stacks of frozen tasks, compared with /proc/PID/stack and wchan where they were recorded."""
import re

FRAME = re.compile(r'^\[<[0-9a-f]*>\] (.*)$', re.M)


def calls(text):
    """name+offset/size of each frame. The first of PowerPC is no return address."""
    return [c for c in FRAME.findall(text) if not c.startswith(('0x', '__switch_to+'))]


def idle(rows):
    """With the registers of CPUs (x86-64 with ORC): one that does nothing is in do_idle()."""
    on_cpu = [r for r in rows if r['tid'] == 0 and r['state'] == 'R']
    known = any('entry_SYSCALL_64_after_hwframe' in (r['stack'] or '') and r['how'] == 'whole' for r in rows)
    if not on_cpu or not known or any(' < do_idle+' in (r['stack'] or '') for r in on_cpu):
        return []
    return [f'no CPU idles: {on_cpu}']


def compare_tasks(tally, name, vmcensus, truth):
    rows, why = vmcensus.rows('tasks')
    if rows is None:
        tally.check(f'{name} tasks', [why] if vmcensus.knows('task_struct.thread.sp') and
                    vmcensus.knows('task_struct.stack') else [])
        return
    by_tid, differences, n = {r['tid']: r for r in rows}, [], 0
    for p in truth.frozen():
        row = by_tid.get(p.pid)
        if row is None or row['state'] != p.read('stat').rsplit(b')', 1)[1].split()[0].decode():
            differences.append(f'{p.pid}: {row}')
        elif p.has('stack') and p.read('stack'):
            want, got = calls(p.read('stack').decode()), (row['stack'] or '').split(' < ')
            n += 1
            if row['how'] != 'whole' or want != got:
                differences.append(f'{p.pid} ({row["how"]}): kernel {want}, vmcensus {got}')
            elif p.has('wchan') and p.read('wchan').decode() not in ('0', row['function']):
                differences.append(f'{p.pid}: waits in {p.read("wchan")}, not {row["function"]}')
    # without a record: the stack of a task that stands still goes to its end
    cut = [f'{r["tid"]}: {r["how"]}, {r["stack"]}' for r in rows
           if r['state'] == 'T' and r['how'] not in ('whole', 'guessed')]
    tally.check(f'{name} tasks', differences + cut + idle(rows), f'{n} stacks equal, {len(rows)} tasks')
