# SPDX-License-Identifier: GPL-3.0-or-later
"""The summary on a terminal: what needs no process comes first, and nothing is lost.

The truth is the same report through a pipe, which other tests compare with the kernel's words.
"""
import os
import pty
import subprocess

from lib.program import TIMEOUT


def on_terminal(command):
    """What a terminal is sent, as lines."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs,
                          stderr=subprocess.DEVNULL) as child:
        os.close(theirs)
        got = b''
        try:
            while piece := os.read(ours, 65536):
                got += piece
        except OSError:         # the other end is closed
            pass
        child.wait(TIMEOUT)
    os.close(ours)
    return got.replace(b'\r\n', b'\n').split(b'\n')


def place(lines, start):
    return next((i for i, line in enumerate(lines) if line.startswith(start)), None)


def compare_first_words(tally, name, vmcensus):
    _, out, err = vmcensus('summary')
    piped = out.split(b'\n')
    got = on_terminal([vmcensus.program, 'summary', *vmcensus.image, *vmcensus.types])
    differ = []
    if sorted(filter(None, got)) != sorted(filter(None, piped)):
        differ += [f'only on a terminal: {line}' for line in set(got) - set(piped)]
        differ += [f'only in a pipe: {line}' for line in set(piped) - set(got)]
        differ = differ or [f'lines come again: {err}']
    at = [place(got, start) for start in (b'kernel ', b'MEMORY', b'IN THE LOG', b'processes ',
                                          b'LARGEST PROCESSES', b'NOT IN THE DUMP')]
    at = [i for i in at if i is not None]
    if at != sorted(at) or place(got, b'processes ') is None:
        differ.append(f'the first words are not first: lines {at}')
    tally.check(f'{name} summary on a terminal', differ)
