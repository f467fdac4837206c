# SPDX-License-Identifier: GPL-3.0-or-later
"""A kernel of Debian's source with the kernel's own checkers (../kernel-debug.config), for the
module: "6.1-debug".  Built by this host's compiler, as its module is."""
import glob
import os
import shutil

from .packages import LabError, have, kernel_source, run

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONFIG = HERE + '/kernel-debug.config'
ENDING = '-debug'
NEEDS = {'make': 'make', 'flex': 'flex', 'bison': 'bison', 'bc': 'bc',
         '/usr/include/gelf.h': 'libelf-dev'}


def is_debug(name):
    return name.endswith(ENDING)


def tree_of(cache, name):
    """Where it was built: what its module is built against."""
    return os.path.join(os.path.abspath(cache), 'debugkernel', name)


def make(tree, *what):
    return run('make', '-s', '-C', tree, f'-j{os.cpu_count()}', *what)


def configure(source, tree):
    make(source, 'O=' + tree, 'KCONFIG_ALLCONFIG=' + CONFIG, 'allnoconfig')
    with open(tree + '/.config') as got, open(CONFIG) as wanted:
        lines = set(got.read().splitlines())
        lost = [line for line in wanted.read().splitlines()
                if line.startswith('CONFIG_') and not line.endswith('=n') and line not in lines]
    if lost:
        raise LabError(f'{tree}: this kernel does not take {" ".join(lost)}')


def build(cache, name, suite, into):
    missing = [package for tool, package in NEEDS.items() if not have(tool)]
    if missing:
        raise LabError(f'a debug kernel needs: apt-get install {" ".join(missing)}')
    tree = tree_of(cache, name)
    print(f'vmtest: building kernel {name}, which takes a while', flush=True)
    os.makedirs(tree, exist_ok=True)
    configure(kernel_source(cache, name[:-len(ENDING)], suite), tree)
    make(tree, 'bzImage', 'modules')
    with open(tree + '/include/config/kernel.release') as f:
        release = f.read().strip()
    os.makedirs(f'{into}/boot')
    os.makedirs(f'{into}/lib/modules/{release}')
    shutil.copy(tree + '/arch/x86/boot/bzImage', f'{into}/boot/vmlinuz-{release}')
    for path in glob.glob(tree + '/modules.*'):
        shutil.copy(path, f'{into}/lib/modules/{release}')


def folder(cache, name, kernels):
    """As Kernels.get(): the folder of a kernel, built once."""
    into = os.path.join(cache, 'kernels', name)
    if not os.path.exists(into + '/complete'):
        shutil.rmtree(into, ignore_errors=True)
        build(cache, name, kernels.suite_of(name[:-len(ENDING)]), into)
        with open(into + '/complete', 'w') as f:
            f.write(name + '\n')
    return into


def module(cache, name, source, into):
    """vmcensus.ko of SOURCE for it, INTO a folder."""
    work = tree_of(cache, name) + '.kmod'
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(source, work)
    make(tree_of(cache, name), 'M=' + work, 'W=1', 'modules')
    shutil.copy(work + '/vmcensus.ko', into)
    shutil.rmtree(work)
