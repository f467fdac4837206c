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


def install(tally, args):
    with tempfile.TemporaryDirectory() as stage:
        def make(target, *more):
            return subprocess.run(
                ['make', '--no-print-directory', target, *more, f'DESTDIR={stage}', 'PREFIX=/opt/v',
                 f'B={args.build}', f'CC={args.cc}', f'SAN={args.san}'],
                capture_output=True, text=True)

        def cross():
            """For a machine whose programs do not run here: said, and the rest is installed."""
            done = make('install', 'PAGES_BY=/bin/false')
            left = [f for f in files() if '/man/' in f or '/doc/' in f]
            return [] if not done.returncode and not left and 'no manual pages are installed' in done.stdout and \
                'opt/v/bin/vmcensus' in files() else [f'{left} {done.stdout} {done.stderr}']

        def files():
            return sorted(os.path.relpath(os.path.join(d, f), stage)
                          for d, _, names in os.walk(stage) for f in names)
        os.makedirs(os.path.join(stage, 'opt/v/bin'))
        open(os.path.join(stage, 'opt/v/bin/other'), 'w').close()
        done = make('install')
        put = files()
        wrong = [done.stderr] if done.returncode else []
        if 'opt/v/bin/vmcensus' not in put:
            wrong.append(f'no program among {put}')
        lacks = {f'opt/v/share/{f}' for f in ('man/man1/vmcensus.1', 'man/man1/vmcensus-oom.1', 'doc/vmcensus/schema.md')}
        if not lacks <= set(put):
            wrong.append(f'no manual pages among {put}')
        tally.check('install', wrong)
        done = make('uninstall')
        left = files()
        tally.check('uninstall removes what install put',
                    [] if left == ['opt/v/bin/other'] else [f'{left} {done.stderr}'])
        tally.check('install of a program for another machine', cross())


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
