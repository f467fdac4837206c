# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may read the running kernel, and what those are told who may not."""
import re

from .live import kernel_complaints

CASE = re.compile(r'^LAB-CASE (\S+) (\d+) (\d+) (\d+) ?(.*?)\r?$', re.M)

HOST = 'run it on the host, or use the module'
SIGINT = 130

# name of the case in guest/init -> exit status, and what the one line on stderr says.
# '' is: nothing; an answer of many lines.
WANTED = {
    'live': (0, ''),
    'no-root': (1, 'permission denied; only root may read the running kernel'),
    'no-rawio': (1, 'permission denied, although root: the capability CAP_SYS_RAWIO is missing'),
    'no-syslog': (0, ''),
    'kptr-restrict': (0, ''),
    'no-btf': (0, ''),
    'no-types': (0, ''),
    'no-kcore': (1, HOST),
    'masked-kcore': (1, HOST),
    'no-device': (1, 'no such file'),
    'interrupted': (SIGINT, None),
    'device-itself': (1, 'is a character device'),
    'device-no-root': (1, 'Permission denied'),
    'device-no-admin': (1, 'Operation not permitted'),
    'device-seek': (1, None),
    'device-written': (1, None),
    'device-while-open': (1, 'is in use'),
    'device-two': (0, None),
    'device-one': (0, ''),
    'device-other': (0, ''),
    'device-bytes': (0, None),
    'device-cut': (2, 'incomplete result'),
    'device-interrupted': (SIGINT, None),
    'module-goes': (0, None),
    'locked-down': (1, 'the kernel is locked down'),
    'locked-device': (1, None),
}
ANSWER = 3          # lines at least: the heading, process 1, its shell


def wrong_with(name, found):
    if not found:
        return 'was not tried'
    status, lines, said_lines, said = int(found[0]), int(found[1]), int(found[2]), found[3]
    want, words = WANTED[name]
    if status != want:
        return f'exit status {status}, not {want}: {said}'
    if words == '' and (lines < ANSWER or said_lines):
        return f'{lines} lines of answer, and: {said}'
    if words and (words not in said or said_lines != 1 and status == 1):
        return f'{said_lines} lines, the first: {said}'
    return ''


def compare_refusals(tally, name, truth, console):
    cases = {found[0]: found[1:] for found in CASE.findall(console)}
    for case in WANTED:
        wrong = wrong_with(case, cases.get(case))
        tally.check(f'{name} {case}', [wrong] if wrong else [], cases.get(case, [''])[-1])
    tally.check(f'{name} kernel log', kernel_complaints(truth.read('dmesg')))
