# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of a dump, compared with the files of the dump's own kernel."""
import collections
import json
import os
import re

from lib.program import Vmcensus, last_line


def comparable(smaps, but=()):
    """All but the lines BUT."""
    return re.sub(rb'^(?:%s):.*\n' % b'|'.join(but), b'', smaps, flags=re.M) if but else smaps


HEADING = re.compile(rb'[0-9a-f]+-[0-9a-f]+ [-rwxsp]{4} ')


def first_difference(want, got):
    """One sentence: the first line that differs, and the mapping it belongs to."""
    mapping = b''
    wanted, given = want.split(b'\n'), got.split(b'\n')
    for i, line in enumerate(wanted):
        if HEADING.match(line):
            mapping = line
        other = given[i] if i < len(given) else b'(end of output)'
        if line != other:
            return (f'{mapping.decode(errors="backslashreplace")}\n'
                    f'  kernel   {line.decode(errors="backslashreplace")}\n'
                    f'  vmcensus {other.decode(errors="backslashreplace")}')
    return f'vmcensus goes on with {given[len(wanted)][:100]!r}'


def title(process):
    return f'pid {process.pid} ({process.comm.decode(errors="backslashreplace")})'


def compare_text(vmcensus, processes, report, but=()):
    """Differences of REPORT --pid N from the file of that name, except the lines BUT."""
    differences = []
    for process in processes:
        code, out, err = vmcensus(report, '--pid', str(process.pid))
        want, got = comparable(process.read(report), but), comparable(out, but)
        if want == got:
            continue
        why = f'exit {code}: {last_line(err)}' if not got else first_difference(want, got)
        differences.append(f'{title(process)}: {why}')
    return differences


STACK = re.compile(rb' *\[stack(?::\d+)?\]$', re.M)


def compare_leaderless(vmcensus, processes, own_stacks):
    """The kernel shows nothing under such a PID; what its threads show is as good an answer.

    OWN_STACKS: the file of a thread calls its own stack [stack], that of the process another."""
    differences = []
    for process in processes:
        code, out, err = vmcensus('smaps', '--pid', str(process.pid))
        tid = next((int(t) for t in sorted_threads(process) if int(t) != process.pid), 0)
        of_thread = comparable(process.read(f'thread_smaps/{tid}'))
        if own_stacks:
            out, of_thread = STACK.sub(b' ', out), STACK.sub(b' ', of_thread)
        if comparable(out) not in (b'', of_thread):
            differences.append(f'{title(process)}: {first_difference(of_thread, comparable(out))}')
        elif code and not (code == 1 and str(process.pid).encode() in err):
            differences.append(f'{title(process)}: exit {code}: {last_line(err)}')
    return differences


def sorted_threads(process):
    return sorted(os.listdir(process.folder + '/task'), key=int)


def expected_process(p, vfork_known):
    """Column -> values that would be right, from stat, status, oom_score and smaps."""
    rollup = re.search(rb'^Pss: +(\d+) kB', p.read('smaps_rollup'), re.M)
    private = p.smaps_sum('Private_Clean', 'Private_Dirty')
    hugetlb = p.smaps_sum('Private_Hugetlb')
    want = {
        'comm': [p.comm.decode(errors='backslashreplace')],
        'ppid': [int(p.stat[1])],
        'state': [p.state],
        'threads': [int(p.stat[17])],
        'uid': [int(p.status('Uid')[0]) % 2**32],      # to 4.8 a signed number
        'rss': [p.smaps_sum('Rss')],
        'uss': [private, private + hugetlb],
        'swap': [p.smaps_sum('Swap')],
    }
    if p.has('oom_score_adj'):          # since 2.6.36, and of RHEL 6
        want['oom_score_adj'] = [int(p.read('oom_score_adj'))]
    if p.has('oom_score') and 'oom_score_adj' in want:
        want['oom_score'] = [int(p.read('oom_score'))]
        if p.comm == b'zoo-mm-sharer' and not vfork_known:
            want['oom_score'].append(None)      # one of the two is a child of vfork
    if rollup:
        kib = int(rollup[1])
        # The kernel cuts fractions off; bytes may stand anywhere in that KiB, or just beyond.
        want['pss'] = range(1024 * kib - 1024, 1024 * kib + 2048)
    return want


MEMORY_COLUMNS = {'rss', 'pss', 'uss', 'swap', 'oom_score'}


def compare_processes(vmcensus, processes, memory_changed=False, only=None, but=()):
    """Differences of procs; ONLY: in these columns; BUT: not in these."""
    rows, why = vmcensus.rows('procs')
    if rows is None:
        return [why]
    by_pid = {row.get('pid'): row for row in rows}
    differences = []
    vfork_known = vmcensus.knows('task_struct.vfork_done')
    for process in processes:
        row = by_pid.get(process.pid)
        if row is None:
            differences.append(f'{title(process)}: no row')
            continue
        for column, right in expected_process(process, vfork_known).items():
            if (memory_changed and column in MEMORY_COLUMNS) or column in but or \
                    (only and column not in only):
                continue
            if column not in row:
                differences.append(f'{title(process)}: no column {column}')
            elif row[column] not in right:
                differences.append(f'{title(process)}: {column}: kernel {describe(right)}, '
                                   f'vmcensus {row[column]!r}')
    return differences


def describe(values):
    return f'about {values[1024]}' if isinstance(values, range) else \
        ' or '.join(repr(v) for v in values)


def compare_zombies(vmcensus, truth):
    """They stay what they are, whatever runs."""
    rows, why = vmcensus.rows('procs')
    state = {row.get('pid'): row.get('state') for row in rows or []}
    return [why] if rows is None else \
        [f'{title(p)}: kernel Z, vmcensus {state.get(p.pid)}' for p in truth.all
         if p.state == 'Z' and state.get(p.pid) != 'Z']


def compare_check(vmcensus):
    """The walk's counts against the kernel's: nothing unexplained, and no issue of any kind."""
    code, out, err = vmcensus('check', front=('-f', 'json'))
    try:
        answer = json.loads(out)
        rows, issues = answer['rows'], answer['issues']
    except (ValueError, KeyError) as e:
        return [f'exit {code}, {type(e).__name__} {e}: {last_line(err)}']
    differences = [f'{r["kind"]} {r["what"]}, pid {r["pid"]}, pfn {r["pfn"]}: kernel {r["kernel"]}, '
                   f'walk {r["found"]}: {r["reason"]}' for r in rows if not r['explained']]
    differences += [f'issue: {i}' for i in issues]
    if code and not differences:
        differences.append(f'exit {code}: {last_line(err)}')
    return differences


def compare_dmesg(vmcensus, truth):
    """The log as it was when the truth was recorded must be the beginning of the dump's."""
    code, out, err = vmcensus('dmesg')
    want = [line.rstrip() for line in truth.read('dmesg').splitlines()]
    got = [line.rstrip() for line in out.splitlines()]
    for i, line in enumerate(want):
        other = got[i] if i < len(got) else b'(end of output, exit %d: %s)' % (
            code, last_line(err).encode())
        if line != other:
            return [f'line {i + 1}\n  kernel   {line!r}\n  vmcensus {other!r}']
    return []


def representatives(processes, most=6):
    """Sixty kids of one kind say no more than six."""
    seen = collections.Counter()
    for process in processes:
        seen[process.comm] += 1
        if seen[process.comm] <= most:
            yield process


def compare_all(tally, name, vmcensus, truth, memory_changed=False):
    """Every comparison with the kernel's files; MEMORY_CHANGED: only of data that reclaim does not change."""
    frozen = truth.frozen()
    leaderless = [p for p in truth.all if p.leader_gone]
    if not frozen:
        tally.check(f'{name} truth', ['no process was frozen'])
        return
    some = list(representatives(frozen))
    if memory_changed:
        tally.skip(f'{name} smaps', 'running out of memory changed it after the truth was told')
    else:
        tally.check(f'{name} smaps', compare_text(vmcensus, some, 'smaps'),
                    f'{len(some)} processes')
    tally.check(f'{name} maps', compare_text(vmcensus, some, 'maps'), f'{len(some)} processes')
    tally.check(f'{name} procs', compare_processes(vmcensus, frozen, memory_changed),
                f'{len(frozen)} processes')
    tally.check(f'{name} zombies', compare_zombies(vmcensus, truth))
    if leaderless and not memory_changed:
        tally.check(f'{name} smaps without leader',
                    compare_leaderless(vmcensus, leaderless, truth.release < (4, 9)))
    tally.check(f'{name} check', compare_check(vmcensus))
    tally.check(f'{name} dmesg', compare_dmesg(vmcensus, truth))


def all_smaps(vmcensus):
    code, out, err = vmcensus('smaps')
    return out if code in (0, 2) and out else None, f'exit {code}: {last_line(err)}'


def compare_containers(tally, name, program, reference, images, types=None):
    """The output for all processes must not depend on the container."""
    first = os.path.basename(reference[0]).partition('.')[2] or 'elf'
    want, why = all_smaps(Vmcensus(program, reference, types))
    for container, image in images:
        got, problem = all_smaps(Vmcensus(program, image, types))
        if want is None or got is None:
            differences = [why if want is None else problem]
        else:
            differences = [] if want == got else [first_difference(want, got)]
        tally.check(f'{name} {container} = {first}', differences)
