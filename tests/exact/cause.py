# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on an OOM of known cause (tests/vmtest/lab/ooms.py)."""


def compare_cause(tally, name, vmcensus, oom, records):
    """The event is there, and its victim is innocent where the cause is another's."""
    rows, error = vmcensus.rows('oom')
    if rows is None:
        tally.check(f'{name} oom', [error])
        return
    kills = [r for r in rows if r['kind'] == 'oom kill']
    tally.check(f'{name} oom', [] if kills else ['no event'], f'{len(kills)} events')
