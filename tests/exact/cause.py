# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on an OOM of known cause (tests/vmtest/lab/ooms.py)."""
import re

SPREAD = 0.05       # of the holder's figure, which may have grown or shrunk until the dump


def first(rows, kind):
    return next((r for r in rows if r['kind'] == kind), {'cause': 'none', 'text': '', 'figure': None})


def compare_rows(oom, rows, panicked):
    """What the rows of the verdict should say and do not."""
    wrong = []
    event, limit, holder = first(rows, 'event'), first(rows, 'limit'), first(rows, 'holder')
    if event['cause'] != oom.event:
        wrong.append(f'event is {event["cause"]!r}, not {oom.event!r}')
    if oom.limit and limit['cause'] != oom.limit:
        wrong.append(f'limit is {limit["cause"]!r}, not {oom.limit!r}')
    if not re.fullmatch(oom.cause or '.*', holder['cause']):
        wrong.append(f'cause is {holder["cause"]!r}, not {oom.cause!r}: {holder["text"]}')
    if not re.search(oom.holder, holder['text']):
        wrong.append(f'{oom.holder!r} is not in {holder["text"]!r}')
    victims = {r['cause'] for r in rows if r['kind'] == 'victim'}
    if not panicked and oom.innocent is not None and ('innocent victim' in victims) != oom.innocent:
        wrong.append(f'the victim was {"" if oom.innocent else "not "}innocent; rows: {sorted(victims)}')
    if oom.more and not any(re.fullmatch(oom.more, r['cause']) for r in rows):
        wrong.append(f'no row has {oom.more!r}')
    return wrong


def compare_amount(rows, want):
    """The figure of the first holder; WANT: bytes of the one hog, None: not recorded."""
    got = first(rows, 'holder')['figure']
    if want is None or got is not None and abs(got - want) <= want * SPREAD:
        return []
    return [f'{got} bytes, {want} were taken']


def compare_cause(tally, name, vmcensus, oom, records, panicked=False):
    """First cause, holder, amount, limit, victim."""
    rows, error = vmcensus.rows('oom', '--verdict')
    if rows is None:
        tally.check(f'{name} verdict', [error])
        return
    hogs = [records[hog] for hog in oom.hogs if hog in records]
    want = int(hogs[0]['bytes']) if oom.amount and len(hogs) == 1 else None
    wrong = compare_rows(oom, rows, panicked) + compare_amount(rows, want)
    tally.check(f'{name} verdict', wrong, first(rows, 'holder')['text'])
