# SPDX-License-Identifier: GPL-3.0-or-later
"""What vmcensus says of a crash (tests/vmtest/lab/faults.py), against what the kernel printed on its console."""
import re

LINE = re.compile(r'^\[ *\d+\.\d+\] ?(.*)$')
FRAME = re.compile(r'^(?:<\S+> *)*(?:RIP: 0010:)?(\? )?([^\s+]+)\+0x([0-9a-f]+)/0x([0-9a-f]+)(?: \[(\w+)[^\]]*\])?$')
ADDS = re.compile(r'\.(isra|part|constprop|cold|llvm|lto_priv).*')
NONE = 'No kernel OOM in this dump'
NO_PANIC = 'no panic in the log: dumped from outside, or while it ran'


def lines_of(console):
    return [m[1].rstrip() for m in map(LINE.match, console.replace('\r', '').split('\n')) if m]


def frame(line):
    """(function, offset, size, module, reliable) of a line, or None."""
    m = FRAME.match(line.strip())
    return m and (m[2], int(m[3], 16), int(m[4], 16), m[5] or '', not m[1])


def traces(lines):
    """The call traces of a console: all frames of each, with the RIP that was printed before it."""
    found, at = [], None
    for line in lines:
        text = line.strip()
        if text.startswith('RIP: '):
            at = frame(text)
        if text.startswith('Call Trace:'):
            found.append([at] if at else [])
            at = None
        elif found and frame(text) and not text.startswith('RIP: '):
            found[-1].append(frame(text))
        elif found and frame(text) and found[-1]:
            found[-1].append(frame(text))       # what an interrupt or a fault met
        elif text.startswith(('---[ end', 'Modules linked in')) and found:
            found.append([])
    return [t for t in found if t]


def panicked(lines):
    """(message, comm, pid) of the panic, or None."""
    at = next((i for i, line in enumerate(lines) if line.startswith('Kernel panic - not syncing: ')), None)
    if at is None:
        return None
    who = [re.search(r'PID: (\d+) (?:UID: \d+ )?Comm: (.+?) (?:Kdump|Tainted|Not tainted|$)', line)
           for line in lines[:at + 4]]
    last = [m for m in who if m][-1]
    return lines[at].partition(': ')[2], last[2], int(last[1])


def plain(function):
    return ADDS.sub('', function)


def compare_panic(fault, rows, lines):
    """The trace: one that the kernel printed, and the one that has the fault."""
    got = [(r['function'], r['offset'], r['size'], r['module'], r['reliable'] == 1) for r in rows
           if r['from'] == 'log' and r['function']]
    wrong = []
    if got not in traces(lines):
        near = max(traces(lines), key=lambda t: len(set(t) & set(got)), default=[])
        wrong.append(f'no such trace on the console: {set(got) ^ set(near) or "another order"}')
    log = [r for r in rows if r['from'] == 'log']
    # after a jump to what is no code the kernel is not sure of the innermost calls
    sure = next((i for i, r in enumerate(log) if r['reliable'] == 1), len(log))
    # watchdogs run in interrupts, and print what they interrupted
    watched = fault.panic.startswith(('RCU', 'softlockup'))
    named = [r for i, r in enumerate(log) if (r['reliable'] == 1 or i < sure) and r['name'] and not (watched and r['stack'])]
    first = (plain(named[0]['name']), named[0]['module']) if named else None
    # an NMI may hit a CPU that only waits for the one that hangs
    if fault.function and not fault.host and first != (fault.function, fault.module):
        wrong.append(f'it happened in {first}, not {fault.function} [{fault.module}]')
    return wrong


def compare_tasks(fault, rows, lines, who):
    """The task that panicked is there; one that is stuck waits in the function at fault."""
    wrong, by = [], {r['tid']: r for r in rows if r['tid']}
    for pid, comm in ([(who[2], who[1])] if who else []):
        if pid and (pid not in by or by[pid]['comm'] != comm):
            wrong.append(f'{comm} ({pid}) is not there: {by.get(pid)}')
    blocked = [m for m in (re.match(r'INFO: task (.+):(\d+) blocked for more than', line) for line in lines) if m]
    for m in blocked[:1]:       # others may wait for the first one
        if (by[int(m[2])]['state'] not in 'DU' or fault.function not in by[int(m[2])]['stack']):
            wrong.append(f'{m[1]} ({m[2]}) waits in {fault.function}, not {by[int(m[2])]}')
    if not who and not any(fault.function in (r['stack'] or '').split('+')[0] for r in rows if r['state'] == 'R'):
        wrong.append(f'no task runs in {fault.function}')
    return wrong


def compare_fault(tally, name, vmcensus, fault, console):
    lines, what = lines_of(console), {}
    for report in ('summary', 'panic', 'oom', 'thrash', 'tasks', 'check'):
        rows, why = vmcensus.rows(report, '-c', 'all')
        if rows is None:
            tally.check(f'{name} {report}', [why])
            return
        what[report] = rows
    who = panicked(lines)
    said = {r['key']: r['text'] for r in what['summary'] if r['section'] == 'machine'}
    want = {'reason': who[0], 'task': f'{who[1]} ({who[2]})'} if who else {'reason': NO_PANIC}
    wrong = [f'{key}: {said.get(key)!r}, the kernel said {text!r}' for key, text in want.items()
             if said.get(key) != text and not (key == 'reason' and (said.get(key) or '').startswith(text + ' ('))]
    if who and not re.match(fault.panic, said['reason']):
        wrong.append(f'{said["reason"]!r} is not {fault.panic!r}')
    tally.check(f'{name} summary', wrong, said.get('reason') or 'no panic')
    tally.check(f'{name} panic', compare_panic(fault, what['panic'], lines) if who else
                [f'{len(what["panic"])} frames of no panic'] if what['panic'] else [])
    tally.check(f'{name} tasks', compare_tasks(fault, what['tasks'], lines, who))
    text = vmcensus('oom')[1].decode()
    tally.check(f'{name} oom', [] if NONE in text and not what['oom'] else [text[:200]])
    answer = next((r['about'] for r in what['thrash'] if r['name'] == 'thrashing'), None)
    tally.check(f'{name} thrash', [] if answer == 'no' else [str(answer)])
    # a machine that only its host stops is amid its work
    bad = [] if fault.host else [r for r in what['check'] if not r['explained']]
    tally.check(f'{name} check', [str(r) for r in bad])
