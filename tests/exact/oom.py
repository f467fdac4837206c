# SPDX-License-Identifier: GPL-3.0-or-later
"""oom against what the kernel counted and printed when the truth was recorded."""
import json
import re


def compare_oom(tally, name, vmcensus, truth):
    """The kernel's own count of kills, and the headers in its log."""
    counted = re.search(rb'^oom_kill (\d+)$', truth.read('vmstat'), re.M)
    printed = len(re.findall(rb'invoked oom-killer: ', truth.read('dmesg')))
    code, out, err = vmcensus('oom', front=('-f', 'json'))
    try:
        rows = json.loads(out)['rows']
    except (ValueError, KeyError) as e:
        tally.check(f'{name} oom', [f'exit {code}, {type(e).__name__} {e}: {err!r}'])
        return
    kills = sum(r['victims'] for r in rows if r['kind'] == 'oom kill')
    headers = sum(1 for r in rows if r['kind'] == 'oom kill' and r['comm'] is not None)
    differences = []
    if counted and kills != int(counted[1]):
        differences.append(f'kernel counts {int(counted[1])} kills, oom has {kills}')
    if headers != printed:
        differences.append(f'{printed} headers in the log, oom has {headers}')
    text = vmcensus('oom')[1]
    if not rows and b'No kernel OOM in this dump' not in text:
        differences.append(f'no rows, and said {text!r}')
    tally.check(f'{name} oom', differences, f'{len(rows)} events')
