# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree itself: it is built by both compilers without a warning, its layout files are what their
recipe makes, "make install" puts what "make uninstall" removes."""
import os
import re
import shutil
import subprocess
import tempfile

from lib.tally import run_program

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def unbound(extension):
    """Names that neither a library of the extension nor crash itself defines."""
    def text(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    wanted = set(re.findall(r'undefined symbol: (\S+)', text('ldd', '-r', extension)))
    if not wanted:
        return ['nothing at all, which cannot be: ldd -r']
    return sorted(wanted - {line.split()[-1] for line in text(
        'nm', '-D', '--defined-only', shutil.which('crash')).splitlines()})


class Stage:
    """A DESTDIR whose name has a blank, and what is in it. PREFIX has a directory before anything is installed."""

    def __init__(self, args, folder):
        self.args, self.folder = args, os.path.join(folder, 'a stage')
        os.makedirs(os.path.join(self.folder, 'opt/v/bin'))
        os.makedirs(os.path.join(self.folder, 'opt/v/share/man'))
        self.before = self.paths()

    def make(self, target, *more):
        return subprocess.run(
            ['make', '--no-print-directory', target, *more, f'DESTDIR={self.folder}', 'PREFIX=/opt/v',
             f'B={self.args.build}', f'CC={self.args.cc}', f'SAN={self.args.san}'], capture_output=True, text=True)

    def paths(self):
        return sorted(os.path.relpath(os.path.join(d, n), self.folder)
                      for d, folders, files in os.walk(self.folder) for n in folders + files)

    def uninstall(self):
        done = self.make('uninstall')
        return [] if self.paths() == self.before and not done.returncode else \
            [f'{sorted(set(self.paths()) ^ set(self.before))} {done.stderr}']


def lies_apart(stage):
    """The program has no debug information, and what gdb looks for by its build-id has it."""
    def sections(path):
        return subprocess.run(['readelf', '-SWn', os.path.join(stage.folder, path)], capture_output=True, text=True,
                              check=True).stdout
    program = sections('opt/v/bin/vmcensus')
    number = re.search(r'Build ID: (..)(\w+)', program)
    debug = number and f'opt/v/lib/debug/.build-id/{number[1]}/{number[2]}.debug'
    return ['.debug_info' in program and 'it is in the program',
            not number and 'the program has no build-id',
            number and (debug not in stage.paths() or '.debug_info' not in sections(debug)) and f'{debug} has none']


def install(tally, args):
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(args, folder)
        done = stage.make('install')
        wanted = {'opt/v/bin/vmcensus', 'opt/v/share/man/man1/vmcensus.1', 'opt/v/share/man/man1/vmcensus-oom.1',
                  'opt/v/share/doc/vmcensus/schema.md', 'opt/v/share/bash-completion/completions/vmcensus',
                  'opt/v/share/zsh/site-functions/_vmcensus', 'opt/v/share/fish/vendor_completions.d/vmcensus.fish'}
        tally.check('install', [done.stderr] * bool(done.returncode) + sorted(wanted - set(stage.paths())))
        tally.check('debug information is installed beside the program', [w for w in lies_apart(stage) if w])
        stage.make('install')
        tally.check('uninstall leaves what was there, and no directory', stage.uninstall())
        done = stage.make('install', 'PAGES_BY=/bin/false')
        left = [f for f in stage.paths() if f.endswith('.1') or '/doc/' in f]
        tally.check('install of a program for another machine', [] if not done.returncode and not left and
                    'no manual pages and no completion are installed' in done.stdout and 'opt/v/bin/vmcensus' in stage.paths() else
                    [f'{left} {done.stdout} {done.stderr}'])
        tally.check('and its uninstall', stage.uninstall())


def layouts(tally, build):
    """The layout file for users is what its recipe makes."""
    path = 'layouts/linux-2.4.27-ppc-40x.layout'
    made = os.path.join(build, path)
    with open(path) as had, open(made) as has:
        tally.check(f'{path} is what its recipe makes', [] if had.read() == has.read() else [f'take {made}'])


def moved(tally, build):
    """A source that is new in its place is compiled, however old it is: "git mv" keeps the time of a file."""
    kept = os.path.join(os.path.abspath(build), 'moved')
    sources = ['dumpread/base/hash.c', 'dumpread/base/status.c']
    last = os.path.join(kept, sources[-1][:-1] + 'o')
    for _ in range(2):
        # the second time the archive is newer than the source, and has no object of it
        if os.path.exists(last):
            os.unlink(last)
        done = subprocess.run(['make', '--no-print-directory', f'B={kept}', f'core_src={" ".join(sources)}',
                               os.path.join(kept, 'libvmcensus.a')], capture_output=True, text=True)
    tally.check('a source without an object is compiled, also if it is older than the archive',
                [] if os.path.exists(last) else [f'no {last}: {done.stdout} {done.stderr}'])
    shutil.rmtree(kept)


def extension(tally, cc, out, jobs):
    """crash's extension, where its header is installed."""
    run_program(tally, f'crash extension by {cc}', [
        'make', '--no-print-directory', f'-j{jobs}', f'CC={cc}', 'SAN=', f'B={out}', 'crashext'], timeout=1800)
    tally.check(f'crash extension by {cc}: crash has what it asks for',
                unbound(os.path.join(TOP, out, 'vmcensus.so')))


def build(tally, args, cc, out):
    run_program(tally, f'build with {cc}', [
        'make', '--no-print-directory', f'-j{args.jobs}', f'CC={cc}', 'SAN=', f'B={out}', 'test-bins'],
        timeout=1800)


def jobs(tally, args):
    """crash's extension is linked. With --thorough the other compiler builds and links everything;
    "make lint" lets it check each source."""
    other = 'gcc' if 'clang' in args.cc else 'clang'
    out = f'{args.build}/{other}'
    has_crash = os.path.exists('/usr/include/crash/defs.h')
    if not has_crash:
        tally.skip('crash extension', 'the header of crash is not installed')

    def by_other():     # one after the other: both make the same archive
        build(tally, args, other, out)
        if has_crash:
            extension(tally, other, out, args.jobs)

    found = []
    if args.thorough and not shutil.which(other):
        tally.skip(f'build with {other}', f'{other} is not installed')
    elif args.thorough:
        found.append((f'build with {other}', by_other))
    # what has sanitizers linked in is not loaded by crash
    if has_crash and not args.san:
        found.append((f'crash extension by {args.cc}',
                      lambda: extension(tally, args.cc, args.build, args.jobs)))
    return found
