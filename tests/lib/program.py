# SPDX-License-Identifier: GPL-3.0-or-later
"""vmcensus on one dump, and what it answers."""
import json
import re
import subprocess

TIMEOUT = 180       # s, one call of vmcensus


class Vmcensus:
    def __init__(self, program, image, types=None):
        self.program, self.image = program, image       # image: list of files
        self.types = ['-t', types] if types else []

    def __call__(self, report, *options, front=()):
        """(exit status, stdout, stderr).  Status 2, a partial answer, is for the caller to judge."""
        command = [self.program, *front, report, *self.image, *self.types, *options]
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            return -1, b'', b'no answer in %d s' % TIMEOUT
        return done.returncode, done.stdout, done.stderr

    def rows(self, report, *options):
        """The rows of the JSON form, or the reason why there are none."""
        code, out, err = self(report, *options, front=('-f', 'json'))
        try:
            return json.loads(out)['rows'], ''
        except (ValueError, KeyError) as e:
            return None, f'exit {code}, {type(e).__name__} {e}: {last_line(err)}'


PROCESS = re.compile(rb'^==> (\d+) .* <==\n', re.M)


def by_pid(text):
    """{pid: text} of a report that shows one process after the other."""
    pieces = PROCESS.split(text)
    return {int(pid): part for pid, part in zip(pieces[1::2], pieces[2::2])}


class AtOnce:
    """vmcensus, asked once for all processes where the answer of one is wanted.

    For dumps without a VMCOREINFO note, where each call looks through memory for it.
    """

    def __init__(self, vmcensus):
        self.vmcensus, self.answers = vmcensus, {}

    def __call__(self, report, *options, front=()):
        if options[:1] != ('--pid',):
            return self.vmcensus(report, *options, front=front)
        if report not in self.answers:
            code, out, err = self.vmcensus(report)
            self.answers[report] = code, by_pid(out), err
        code, parts, err = self.answers[report]
        return code, parts.get(int(options[1]), b''), err

    def rows(self, report, *options):
        return self.vmcensus.rows(report, *options)


def last_line(text):
    lines = text.decode(errors='replace').strip().splitlines()
    return lines[-1] if lines else ''
