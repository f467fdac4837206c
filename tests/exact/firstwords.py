# SPDX-License-Identifier: GPL-3.0-or-later
"""The summary on a terminal: the same text as in a pipe, whose top is what the screen shows.

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


def compare_first_words(tally, name, vmcensus):
    _, out, _ = vmcensus('summary')
    command = [vmcensus.program, 'summary', *vmcensus.image, *vmcensus.types]
    before, *rest = TAKEN_AWAY.split(on_terminal([*command, '--no-pager']))
    answer = rest[-1] if rest else b''
    differ = [] if answer.startswith(out) else \
        [f'only on a terminal: {line}' for line in set(answer.split(b'\n')) - set(out.split(b'\n'))] + \
        [f'only in a pipe: {line}' for line in set(out.split(b'\n')) - set(answer.split(b'\n'))] or ['another order']
    if b'kernel ' not in before or before.count(b'\n') >= ROWS:
        differ.append(f'the first words are {before}')
    tally.check(f'{name} summary on a terminal', differ)
    if not shutil.which('less'):
        tally.skip(f'{name} summary in the pager', 'less is not installed')
        return
    lines = CONTROL.sub(b'', TAKEN_AWAY.split(on_terminal(command, until=b'\n:'))[-1]).split(b'\n')
    top = out.split(b'\n')[0][:COLS - 1]
    tally.check(f'{name} summary in the pager',
                [] if lines[0].startswith(top) and len(lines) <= ROWS else [f'the screen is {lines}'])
