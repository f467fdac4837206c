# SPDX-License-Identifier: GPL-3.0-or-later
"""vmcensus on one dump, and its output."""
import collections
import json
import os
import re
import subprocess
import threading
import weakref

TIMEOUT = 180       # s, one call of vmcensus
SINGLY = 10         # processes of which smaps and maps are asked for by --pid


# Commands have no option for it: their children are in the sandbox, and leaks are not looked for.
UNCONFINED = '''#!/bin/sh
case ${{1-}} in
'' | batch | merge) ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 exec {0} "$@" ;;
*) exec {0} --no-sandbox "$@" ;;
esac
'''


def program_of(build, san=''):
    """The program in BUILD. A sanitizer looks for leaks with ptrace, which the sandbox refuses: so
    of a sanitized build it is a script that turns the sandbox off (tests/cli/sandbox has its own)."""
    program = os.path.join(build, 'vmcensus')
    script = os.path.join(build, 'unconfined', 'vmcensus')
    if san:
        os.makedirs(os.path.dirname(script), exist_ok=True)
        with open(script, 'w', encoding='ascii') as f:
            f.write(UNCONFINED.format(os.path.abspath(program)))
        os.chmod(script, 0o755)
    return script if san or os.path.exists(script) else program


def run(program, *arguments):
    """(exit status, stdout, stderr) of one run."""
    try:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return -1, b'', b'no result after %d s' % TIMEOUT
    return done.returncode, done.stdout, done.stderr


class Asker:
    """The program, asked many questions of a dump that is opened once (tests/tools/asker.c): IMAGE
    and TYPES as on a command line. Without IMAGE only the start of the program is saved. If the tool
    is not there, or is older than the program, the program is run each time."""

    def __init__(self, program, image=(), types=()):
        build, self.program, self.front = os.path.dirname(program), program, []
        if os.path.basename(build) == 'unconfined':     # program_of()
            build, self.front = os.path.dirname(build), ['--no-sandbox']
        tool, whole = os.path.join(build, 'tools', 'asker'), os.path.join(build, 'vmcensus')
        self.process = None
        if os.path.exists(tool) and os.path.getmtime(tool) >= os.path.getmtime(whole):
            self.process = subprocess.Popen([tool, *types, *image], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE)
            weakref.finalize(self, self.end, self.process)

    @staticmethod
    def end(process):
        process.stdin.close()
        process.stdout.close()
        process.wait()

    def __call__(self, *arguments):
        """(exit status, stdout, stderr) of the program with these arguments."""
        if not self.process:
            return run(self.program, *arguments)
        words = [os.fsencode(w) for w in ('vmcensus', *self.front, *arguments)]
        self.process.stdin.write(b'%d\n' % len(words) + b''.join(b'%d\n%s' % (len(w), w) for w in words))
        self.process.stdin.flush()
        status, out, err = map(int, self.process.stdout.readline().split())
        return status, self.process.stdout.read(out), self.process.stdout.read(err)


STARTED = threading.local()


def ask(program, *arguments):
    """As run(), by a process that has been started already; one for each thread."""
    if getattr(STARTED, 'program', None) != program:
        STARTED.program, STARTED.asker = program, Asker(program)
    return STARTED.asker(*arguments)


Said = collections.namedtuple('Said', 'returncode stdout stderr')


def ask_text(program, *arguments):
    """The same, with text for bytes."""
    code, *said = ask(program, *arguments)
    return Said(code, *(text.decode(errors='replace') for text in said))


class Vmcensus:
    """The program on one dump, which each run opens."""

    def __init__(self, program, image, types=None):
        self.program, self.image = program, image       # image: list of files
        self.types = ['-t', types] if types else []

    def __call__(self, report, *options, front=()):
        """(exit status, stdout, stderr).  Status 2, a partial answer, is for the caller to judge."""
        return run(self.program, *front, report, *self.image, *self.types, *options)

    def knows(self, fact):
        """Is FACT ("task_struct.pid") known? A layout file may be older than the question."""
        if not self.types:
            return True
        with open(self.types[1], 'rb') as f:
            types = f.read()
        return types.startswith(b'\x7fELF') or b'member %s ' % fact.encode() in types

    def rows(self, report, *options):
        """The rows of the JSON form, or the reason why there are none."""
        code, out, err = self(report, *options, front=('-f', 'json'))
        try:
            return json.loads(out)['rows'], ''
        except (ValueError, KeyError) as e:
            return None, f'exit {code}, {type(e).__name__} {e}: {last_line(err)}'


class Opened(Vmcensus):
    """The same on a dump that does not change: the first question is put to the program itself, the
    others to one that opens the dump once, each once unless it writes files."""

    def __init__(self, program, image, types=None):
        super().__init__(program, image, types)
        self.known, self.asker = {}, None

    def ask(self, report, *options, front=()):
        if not self.known:
            return super().__call__(report, *options, front=front)
        self.asker = self.asker or Asker(self.program, self.image, self.types)
        return self.asker(*front, report, *self.image, *self.types, *options)

    def __call__(self, report, *options, front=()):
        question = (report, *options), tuple(front)
        if question not in self.known or '-o' in options:
            self.known[question] = self.ask(report, *options, front=front)
        return self.known[question]


PROCESS = re.compile(rb'^==> (\d+) .* <==\n', re.M)


def by_pid(text):
    """{pid: text} of a report that shows one process after the other."""
    pieces = PROCESS.split(text)
    return {int(pid): part for pid, part in zip(pieces[1::2], pieces[2::2])}


class AtOnce:
    """vmcensus, asked once for all processes where the answer of one is wanted.

    For dumps that are slow to open. The first SINGLY questions for one process of each report are
    asked as they are, so that --pid is used too.
    """

    def __init__(self, vmcensus, singly=0):
        self.vmcensus, self.answers = vmcensus, {}
        self.singly, self.asked = singly, collections.Counter()

    def __call__(self, report, *options, front=()):
        if options[:1] != ('--pid',):
            return self.vmcensus(report, *options, front=front)
        self.asked[report] += 1
        if self.asked[report] <= self.singly:
            return self.vmcensus(report, *options, front=front)
        if report not in self.answers:
            code, out, err = self.vmcensus(report)
            self.answers[report] = code, by_pid(out), err
        code, parts, err = self.answers[report]
        pid = int(options[1])
        if pid not in parts:        # it may have threads that have something
            return self.vmcensus(report, *options, front=front)
        return code, parts[pid], err

    def rows(self, report, *options):
        return self.vmcensus.rows(report, *options)

    def knows(self, fact):
        return self.vmcensus.knows(fact)


def last_line(text):
    lines = text.decode(errors='replace').strip().splitlines()
    return lines[-1] if lines else ''
