# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools that read /proc, run in the guest while it stands still, and here on the export of its dump."""
import os
import shutil

from exact import tools
from .live import Answers, copy_program
from .packages import LabError, kernel_source, run

# page-types is built from this kernel's source; its flags have had the same names since 5.11.
SOURCE = '6.12'
PROCESSES = ('@3', '@9', '@20', '@40')
COMMANDS = {        # name of the file that takes the output -> words
    'page-types-before': ['page-types'],
    'slabtop': ['slabtop', '-o'],
    'numastat-m': ['numastat', '-m'],
    'numastat-p': ['numastat'] + [word for pid in PROCESSES for word in ('-p', pid)],
} | {f'page-types{pid}': ['page-types', '-p', pid] for pid in PROCESSES} | {'page-types': ['page-types']}


def page_types(cache, kernels, work):
    """The kernel's own, without what mounts debugfs."""
    source = kernel_source(cache, SOURCE, kernels.suite_of(SOURCE))
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work + '/api/fs')
    with open(work + '/api/fs/fs.h', 'w') as f:
        f.write('static inline const char *debugfs__mount(void) { return 0; }\n')
    run('gcc', '-O1', '-I', work, '-o', work + '/page-types', source + '/tools/mm/page-types.c')
    return work + '/page-types'


def folder(cache, kernels, into):
    """Fill INTO with the tools, their libraries, and what to do."""
    shutil.rmtree(into, ignore_errors=True)
    os.makedirs(into)
    paths = [page_types(cache, kernels, into + '.build')]
    for tool in 'slabtop', 'numastat':
        paths.append(shutil.which(tool))
        if not paths[-1]:
            raise LabError(f'{tool} is not installed')
    for path in paths:
        copy_program(path, into)
    shutil.rmtree(into + '.build')
    with open(into + '/commands', 'w') as f:
        for name, words in COMMANDS.items():
            f.write(' '.join([name, f'/lab/live/{words[0]}'] + words[1:]) + '\n')
    return into


def compare(tally, name, vmcensus, truth, programs, tree):
    """What each printed in the guest, and prints of the export; page-types is in the folder PROGRAMS."""
    shutil.rmtree(tree, ignore_errors=True)
    code, _, err = vmcensus('export', '-f', 'proc', '-o', tree)
    if code not in (0, 2):
        tally.check(f'{name} tools', [f'export: exit {code}: {err.decode()}'])
        return
    said = Answers(truth)
    for tool in [t for t in COMMANDS if t != 'page-types-before']:
        words = said.read(tool + '.words').decode().split(' ')
        status, complaint = said.status(tool)
        want = said.read(tool).decode().splitlines()
        here = words[0].replace('/lab/live', programs) if 'page-types' in tool else os.path.basename(words[0])
        got = tools.run(tree, here, *words[1:])
        wrong = [f'in the guest: exit {status}: {complaint}'] if status or not want else []
        wrong += tools.differences(tool, want, got, truth.folder, tree, said.read('page-types-before').decode().splitlines())
        tally.check(f'{name} {tool}', wrong, f'{len(want)} lines')
    shutil.rmtree(tree)
