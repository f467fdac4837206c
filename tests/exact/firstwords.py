# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports on a terminal of 80 x 24. The summary has the facts that it has in a pipe, and the screen shows its top.

Other tests compare that text with the kernel's words. Before it is known, the terminal shows what needs no
process, and takes it away again.
"""
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
import time

from lib.program import TIMEOUT

ROWS, COLS = 24, 80
USED_MOST = ('summary', 'procs', 'oom', 'census', 'census --holders', 'total', 'vmas', 'shm', 'cache', 'cgroups', 'slab', 'swap',
             'tasks', 'panic')
TAKEN_AWAY = re.compile(rb'\x1b\[\d+A\x1b\[J')
CONTROL = re.compile(rb'\x1b\[[?\d;]*[a-zA-Z]|\x1b[=>]|\r')


def read_terminal(ours, until, end):
    got = b''
    while time.monotonic() < end and not (until and until in got):
        if select.select([ours], [], [], 0.5)[0]:
            try:
                piece = os.read(ours, 65536)
            except OSError:         # the other end is closed
                break
            if not piece:
                break
            got += piece
    return got


def on_terminal(command, until=b'', **env):
    """What a terminal of 80 x 24 is sent, up to UNTIL or the end; then the reader types q."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', ROWS, COLS, 0, 0))
    env = {k: v for k, v in os.environ.items() if k not in ('PAGER', 'LESS', 'VMCENSUS_PAGER')} | \
        {'TERM': 'xterm'} | env
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env,
                          start_new_session=True,
                          preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) as child:
        os.close(theirs)
        got = read_terminal(ours, until, time.monotonic() + TIMEOUT)
        if until:
            os.write(ours, b'q')
            read_terminal(ours, b'', time.monotonic() + TIMEOUT)
        child.wait(TIMEOUT)
    os.close(ours)
    return got.replace(b'\r\n', b'\n')


def words(text):
    return text.replace(b'...', b'').split()


def compare_width(tally, name, vmcensus):
    """No line is wider than the screen; columns that do not fit are named."""
    wrong = []
    for report in USED_MOST:
        command = [vmcensus.program, *report.split(), *vmcensus.image, *vmcensus.types]
        text = TAKEN_AWAY.split(on_terminal([*command, '--no-pager', '-q']))[-1].decode(errors='replace')
        wrong += [f'{report}: {line}' for line in text.split('\n') if len(line) > COLS][:3]
        if report == 'procs':
            heading = vmcensus(report)[1].split(b'\n')[0].decode().split()
            missing = re.search(r'too narrow: (.*?) \(-c', text.replace('\n  ', ' '))
            shown = text.split('\n')[0].split() + (missing[1].upper().split(', ') if missing else [])
            if sorted(shown) != sorted(heading):
                wrong.append(f'{report}: columns {heading}, shown or named: {shown}')
    tally.check(f'{name} reports on 80 columns', wrong)


def compare_first_words(tally, name, vmcensus):
    _, out, _ = vmcensus('summary')
    command = [vmcensus.program, 'summary', *vmcensus.image, *vmcensus.types]
    before, *rest = TAKEN_AWAY.split(on_terminal([*command, '--no-pager']))
    answer = rest[-1] if rest else b''
    lines, piped = (len(words(text)) for text in (answer, out))
    # its longest remarks are cut
    differ = [] if abs(lines - piped) < 20 and words(answer)[:50] == words(out)[:50] else \
        [f'{lines} words on a terminal, {piped} in a pipe: {answer[:300]}']
    if b'kernel ' not in before or before.count(b'\n') >= ROWS:
        differ.append(f'the first words are {before}')
    tally.check(f'{name} summary on a terminal', differ)
    if not shutil.which('less'):
        tally.skip(f'{name} summary in the pager', 'less is not installed')
        return
    lines = CONTROL.sub(b'', TAKEN_AWAY.split(on_terminal(command, until=b'\n:'))[-1]).split(b'\n')
    top = out.split()[:3]
    tally.check(f'{name} summary in the pager',
                [] if b' '.join(lines).split()[:3] == top and len(lines) <= ROWS else [f'the screen is {lines}'])
