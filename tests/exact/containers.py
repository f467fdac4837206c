# SPDX-License-Identifier: GPL-3.0-or-later
"""A real dump, written again in each container that has only memory, and with its pages packed
in each way: smaps, maps, procs, check and dmesg must be what the dump's kernel recorded, and every
other report the same in each, except for the container's name and its own data beside memory."""
import os
import re
import subprocess

from lib.compare import compare_all
from lib.program import AtOnce, Vmcensus
from lib.fixtures import COMPRESSIONS
from lib.truth import Truth

# What summary says of the container itself: its name and the pages that it has. Gaps in raw memory
# are filled up; an mcore file always has the first page.
OWN = r'^(dump  .*\n|NOT IN THE DUMP.*\n(  .*\n)*)'


def of_memory(answer):
    """A report, as text or as bytes, without what is the container's own."""
    if isinstance(answer, str):
        return re.sub(OWN, '', answer, flags=re.M)
    return re.sub(OWN.encode(), b'', answer, flags=re.M)


# The registers of CPUs are notes, which not all containers have: tasks that did not run.
ONLY = {'tasks': ['--where', 'state != R']}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600,
                          check=False)


def compare(tally, what, program, reports, want, arguments, truth):
    wrong = []
    images = arguments[:arguments.index('-t')] if '-t' in arguments else arguments
    compare_all(tally, what, AtOnce(Vmcensus(program, images, *arguments[len(images) + 1:])), truth)
    for report in reports:
        got = run(program, report, *ONLY.get(report, ()), *arguments)
        if got.returncode or of_memory(got.stdout) != want[report]:
            wrong.append(f'{report}: exit {got.returncode} {got.stderr[-200:]!r}')
    tally.check(what, wrong)


def compare_diff(tally, what, program, one, other):
    """Dumps of more than one file, as the earlier and as the later."""
    wrong = []
    for earlier, later in ((one, other), (other, one)):
        before = [word for file in earlier for word in ('--earlier', file)]
        done = run(program, 'diff', *before, *later)
        if done.returncode or done.stdout.decode().strip() != 'Nothing differs.':
            wrong.append(f'exit {done.returncode} {done.stdout[-200:]!r} {done.stderr[-200:]!r}')
    tally.check(what, wrong)


def compare_containers(tally, program, tool, fixture, scratch):
    """tool is tests/tools/convert; scratch a folder."""
    os.makedirs(scratch, exist_ok=True)
    out = os.path.join(scratch, fixture.name)
    done = run(tool, out, *fixture.image())
    if done.returncode:
        tally.check(f'containers {fixture.name}', [done.stderr.decode()])
        return
    reports = [line.split()[0] for line in run(program, '--list-reports').stdout.decode()
               .splitlines() if ' of a fleet: ' not in line]
    # config: the kernels of Debian are built without it; id and capsule name the container
    reports = [r for r in reports
               if r not in ('layout', 'export', 'dump', 'diff', 'html', 'config', 'id', 'capsule')]
    truth = Truth(fixture.truth())
    want = {r: of_memory(run(program, r, *ONLY.get(r, ()), *fixture.image()).stdout) for r in reports}
    for line in done.stdout.decode().splitlines():
        images = line.split()
        form = images[0][len(out) + 1:].split('.')[0]
        # raw memory has zeroes where the dump has nothing: of files, that is something else
        told = [r for r in reports if form != 'raw' or r not in ('files', 'sections', 'symbols')]
        compare(tally, f'containers {fixture.name} as {form}', program, told, want, images, truth)
        if len(images) > 1:
            compare_diff(tally, f'diff of {fixture.name} and itself as {form}', program,
                         fixture.image(), images)
    for compression in COMPRESSIONS:
        what = f'containers {fixture.name} packed with {compression}'
        try:
            compare(tally, what, program, reports, want, [fixture.repacked(compression)], truth)
        except OSError as e:
            tally.skip(what, str(e))
    compare(tally, f'containers {fixture.name} as elf, -t VMCOREINFO', program, reports, want,
            [out + '.elf', '-t', out + '.vmcoreinfo'], truth)
    for name in os.listdir(scratch):
        os.unlink(os.path.join(scratch, name))
