# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums that must stay within their wholes, computed again from the rows of reports: the pss of
processes, programs, users and control groups and the frames of units are at most all memory; in
each row uss is at most pss, pss at most rss, and swap_pss at most swap.

model/memory/trust/bounds.h lists the exceptions: Pss of 32-bit kernels overflows on huge pages."""
import re

REPORTS = {'procs': 'pss', 'programs': 'pss', 'users': 'pss', 'cgroups': 'pss', 'total': 'total',
           'units': 'cost', 'summary': None}
ISSUE = 'sum above its whole'


def number(row, column):
    return row.get(column) or 0


def row_differences(report, rows, narrow):
    out = []
    for r in rows:
        for part, whole in (('uss', 'pss'), ('uss', 'rss'), ('pss', 'rss'), ('swap_pss', 'swap')):
            if report == 'cgroups' and whole == 'swap' or narrow and whole == 'pss':
                continue
            if part in r and number(r, part) > number(r, whole):
                out.append(f'{report}: {part} {r[part]} above {whole} {r[whole]}: {r}')
    return out


def once(rows):
    """A shared mm is memory once."""
    seen = {}
    for i, r in enumerate(rows):
        seen.setdefault(r.get('mm') or f'row {i}', r)
    return seen.values()


def ram(truth):
    """Bytes of memory that the machine had."""
    ranges = re.findall(r'^([0-9a-f]+)-([0-9a-f]+) : System RAM$', truth.read('iomem').decode(), re.M)
    return sum(int(end, 16) + 1 - int(start, 16) for start, end in ranges)


def alerts(vmcensus):
    """What an alert of a file costs is no more than the frames of the file's units."""
    units, why = vmcensus.rows('units', '--all')
    rows, why = vmcensus.rows('alerts', '--all') if units is not None else (None, why)
    if rows is None:
        return [why]
    frames = {}
    for u in units:
        frames[u['name']] = frames.get(u['name'], 0) + u['frames']
    return [f'alerts: {r}, frames of its units {frames.get(r["name"], 0)}' for r in rows
            if r['kind'] not in ('write+exec', 'mixed') and r['cost'] > frames.get(r['name'], 0)]


def left_out(vmcensus, truth):
    """Memory kept for the kernel that dumps is told by its name, as large as it was."""
    crash = sum(int(end, 16) + 1 - int(start, 16) for start, end in re.findall(
        r'^ *([0-9a-f]+)-([0-9a-f]+) : Crash kernel$', truth.read('iomem').decode(), re.M))
    rows, why = vmcensus.rows('summary')
    if rows is None:
        return [why]
    said = [r['text'] for r in rows if r['section'] == 'left_out' and r['key'] == 'reserved']
    # a layout file without the address of the tree cannot tell
    return [f'no Crash kernel {crash >> 10} in {said}'] if crash and said and \
        not vmcensus.types and f'Crash kernel {crash >> 10}' not in said[0] else []


def compare_bounds(tally, name, vmcensus, truth):
    whole, wrong, sums = ram(truth), alerts(vmcensus) + left_out(vmcensus, truth), []
    narrow = name.split()[1].startswith(('i386', 'ppc32'))
    for report, column in REPORTS.items():
        code, out, err = vmcensus(report, front=('-f', 'csv'))
        if ISSUE in err.decode():
            wrong.append(f'{report}: exit {code}: {err.decode()}')
        if not column:
            continue
        rows, why = vmcensus.rows(report)
        if rows is None:
            wrong.append(why)
            continue
        wrong += row_differences(report, rows, narrow)
        total = sum(number(r, column) for r in once(rows))
        sums.append(f'{report} {total >> 10}')
        if whole and total > whole:
            wrong.append(f'{report}: {column} of all rows {total}, memory {whole}')
        # in a dump that is whole, all is attributed
        if any(r.get('incomplete') for r in rows):
            wrong.append(f'{report}: incomplete: {[r for r in rows if r.get("incomplete")][:2]}')
    tally.check(f'{name} bounds', wrong, f'KiB of {whole >> 10}: ' + ', '.join(sums))
