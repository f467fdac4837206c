#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sessions shown in README.md and docs/*.md are what the program prints.

A document says in a comment which fixture each name in its commands stands for:
    <!-- sessions: vmcore=x86_64-6.1-sysrq capture.txt=usenix05 oom.vmcore=demo/oom.xz -->
Of each block of code, a line "$ vmcensus ..." is run, and the lines below it must be its output; a
line "..." stands for any lines that are left out. "docs.py --update" (after make check) writes the
outputs anew, each cut where it was.
"""
import glob
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SESSIONS = re.compile(r'^<!-- sessions: (.*?) -->$', re.M)
COMMAND, CUT = '$ vmcensus ', '...'


def blocks(lines):
    """(indent, index of the command, index after its output) of each session."""
    i, fenced = 0, False
    while i < len(lines):
        fenced ^= lines[i].startswith('```')
        indent = '' if fenced else '    '
        if not lines[i].startswith(indent + COMMAND):
            i += 1
            continue
        end = i + 1
        while end < len(lines) and not lines[end].startswith((indent + '$ ', '```')) and \
                lines[end].startswith(indent) or end < len(lines) and not lines[end] and \
                following(lines, end, indent):
            end += 1
        while not lines[end - 1]:
            end -= 1
        yield indent, i, end
        i = end


def following(lines, at, indent):
    """Is the blank line AT inside an output?"""
    while at < len(lines) and not lines[at]:
        at += 1
    return at < len(lines) and lines[at].startswith(indent) and \
        not lines[at].startswith((indent + '$ ', '```'))


def matches(shown, printed):
    """A line "..." alone would be true of any output."""
    if shown == [CUT]:
        return False
    pattern = '\n'.join(r'.*(?:\n.*)*?' if line == CUT else re.escape(line) for line in shown)
    return re.fullmatch(pattern, '\n'.join(printed)) is not None


def cut_as(shown, printed):
    """PRINTED, as much of its head and tail as SHOWN has; None where it is cut more than once."""
    if CUT not in shown or shown == [CUT]:
        return printed
    if shown.count(CUT) > 1:
        return None
    head = shown.index(CUT)
    tail = len(shown) - head - 1
    if len(printed) <= head + tail:
        return printed
    return printed[:head] + [CUT] + (printed[-tail:] if tail else [])


def run(command, build, folder):
    done = subprocess.run(['sh', '-c', command[2:]], cwd=folder, stdout=subprocess.PIPE, check=False,
                          env=os.environ | {'PATH': f'{build}:{os.environ["PATH"]}'}, timeout=300)
    text = done.stdout.decode(errors='backslashreplace')
    return [line.rstrip() for line in text.rstrip('\n').split('\n')]


def place(names, fixtures, folder):
    """Files of the fixtures under the names of the document."""
    os.makedirs(folder, exist_ok=True)
    for name, fixture in (word.split('=') for word in names.split()):
        f = next((f for f in fixtures if f.name == fixture), None)
        path = f.image()[0] if f else os.path.join(TOP, 'tests', 'fixtures', fixture)
        if os.path.isdir(path):
            path = os.path.join(path, name)
        link = os.path.join(folder, name)
        if os.path.lexists(link):
            os.unlink(link)
        os.symlink(path, link)


def check(path, build, fixtures, scratch, update):
    """The errors in the document; UPDATE: those that could not be mended."""
    with open(path, encoding='utf-8') as f:
        lines = f.read().split('\n')
    names = SESSIONS.search('\n'.join(lines))
    sessions = list(blocks(lines))
    if not names:
        return [f'{len(sessions)} sessions, and no comment that names their fixtures'] \
            if sessions else []
    if names[1] == 'none':
        return []
    folder = os.path.join(scratch, os.path.basename(path))
    place(names[1], fixtures, folder)
    wrong = []
    # in their order: one may read what another has written
    outputs = [run(lines[first].strip(), build, folder) for _, first, _ in sessions]
    for (indent, first, end), printed in reversed(list(zip(sessions, outputs))):
        shown = [line[len(indent):].rstrip() for line in lines[first + 1:end]]
        if matches(shown, printed):
            continue
        new = cut_as(shown, printed) if update else None
        if new is None:
            wrong.append(f'line {first + 1}: {lines[first].strip()}\nprints now\n' + '\n'.join(printed[:12]))
        else:
            lines[first + 1:end] = [(indent + line).rstrip() for line in new]
    if update:
        with open(path, 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines))
    return wrong[::-1]


def commands(path, build, fixtures, scratch):
    """Commands in the tables of the document that fail or print nothing. It must have some: else nothing was looked at."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    found = [c.replace('\\|', '|') for line in text.split('\n') if line.startswith('|') for c in re.findall(r'`(vmcensus [^`]*vmcore[^`]*)`', line)]
    folder = os.path.join(scratch, os.path.basename(path) + '.d')
    place(SESSIONS.search(text)[1], fixtures, folder)
    wrong = [] if found else ['no command']
    for command in found:
        made = re.search(r' -o (\S+)', command)
        done = subprocess.run(['sh', '-c', command], cwd=folder, capture_output=True, check=False, timeout=300,
                              env=os.environ | {'PATH': f'{build}:{os.environ["PATH"]}'})
        if done.returncode not in (0, 2) or not (done.stdout or made and os.path.getsize(os.path.join(folder, made[1]))):
            wrong.append(f'{command}: {done.returncode} {done.stderr.decode(errors="replace")[-300:]}')
    return wrong


def proofs():
    """Tests, suites and fixtures that the support matrix names and that are not there."""
    with open(os.path.join(TOP, 'docs', 'support-matrix.md'), encoding='utf-8') as f:
        text = f.read()
    named = [f'tests/unit/{t}.c' for t in re.findall(r'\btest_\w+', text)]
    named += [f'tests/exact/{t}' for t in re.findall(r'\bexact/(\w+\.py)', text)]
    for words in re.findall(r'\| *cli ((?:\w+(?:, )?)+)', text):
        named += [f'tests/cli/{t}' for t in words.split(', ')]
    for words in re.findall(r'\bfixtures? ((?:[\w.\\*-]*\d[\w.\\*-]*(?:, )?)+)', text):
        named += ['tests/fixtures/*' + t.replace('\\', '').lstrip('-') for t in re.split(', ', words) if t]
    return sorted(n for n in set(named) if not glob.glob(os.path.join(TOP, n)))


def documents():
    return [os.path.join(TOP, 'README.md')] + sorted(glob.glob(os.path.join(TOP, 'docs', '*.md')))


def jobs(tally, build, fixtures, scratch, update=False):
    return [(f'sessions in {os.path.relpath(p, TOP)}', lambda p=p: tally.check(
        f'sessions in {os.path.relpath(p, TOP)}', check(p, build, fixtures, scratch, update)))
        for p in documents()] + [('support matrix', lambda: tally.check(
            'the support matrix names tests that are there', proofs())), *((f'commands in docs/{name}', lambda name=name: tally.check(
                f'commands in docs/{name}', commands(os.path.join(TOP, 'docs', name), build, fixtures, scratch)))
                for name in ('coming-from.md', 'questions.md'))]


def main():
    sys.path[:0] = [os.path.join(TOP, 'tests')]
    from lib import fixtures
    from lib.tally import Tally
    build = os.path.join(TOP, 'build')
    tally = Tally()
    for _, job in jobs(tally, build, fixtures.find(os.path.join(TOP, 'tests', 'fixtures'),
                                                os.path.join(build, 'fixtures')),
                    os.path.join(build, 'docs'), '--update' in sys.argv[1:]):
        job()
    print(tally.summary())
    sys.exit(1 if tally.failed else 0)


if __name__ == '__main__':
    main()
