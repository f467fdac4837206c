# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels of Debian's source with a configuration of ours (../kernel-own.config and others): "6.1-debug"
has the kernel's own checkers, for vmcensus.ko, "6.1-kcsan" that for data races; "6.12-owner" remembers who
allocated each page.
Built by this host's compiler, as their modules are."""
import glob
import os
import shutil

from .packages import LabError, have, kernel_source, run

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHECKED = 'debug', 'kcsan'       # by checkers of the kernel's own; without types
KINDS = *CHECKED, 'owner'
NEEDS = {'make': 'make', 'flex': 'flex', 'bison': 'bison', 'bc': 'bc',
         '/usr/include/gelf.h': 'libelf-dev'}


def kind_of(name):
    """Of KINDS, '' for a kernel of Debian's."""
    kind = name.rpartition('-')[2]
    return kind if kind in KINDS else ''


def tree_of(cache, name):
    """Where it was built: what its module is built against."""
    return os.path.join(os.path.abspath(cache), 'ownkernel', name)


def make(tree, *what):
    return run('make', '-s', '-C', tree, f'-j{os.cpu_count()}', *what)


def configure(source, tree, kind):
    wanted = ''
    for part in ('own', 'checked', kind) if kind in CHECKED else ('own', kind):
        with open(f'{HERE}/kernel-{part}.config') as f:
            wanted += f.read()
    with open(tree + '/wanted', 'w') as f:
        f.write(wanted)
    make(source, 'O=' + tree, f'KCONFIG_ALLCONFIG={tree}/wanted', 'allnoconfig')
    with open(tree + '/.config') as got:
        lines = set(got.read().splitlines())
        lost = [line for line in wanted.splitlines()
                if line.startswith('CONFIG_') and not line.endswith('=n') and line not in lines]
    if lost:
        raise LabError(f'{tree}: this kernel does not take {" ".join(lost)}')


def build(cache, name, suite, into):
    missing = [package for tool, package in NEEDS.items() if not have(tool)]
    if missing:
        raise LabError(f'a kernel needs: apt-get install {" ".join(missing)}')
    tree, kind = tree_of(cache, name), kind_of(name)
    print(f'vmtest: building kernel {name}, which takes a while', flush=True)
    os.makedirs(tree, exist_ok=True)
    configure(kernel_source(cache, name.removesuffix('-' + kind), suite), tree, kind)
    make(tree, 'bzImage', 'modules')
    with open(tree + '/include/config/kernel.release') as f:
        release = f.read().strip()
    os.makedirs(f'{into}/boot')
    os.makedirs(f'{into}/lib/modules/{release}')
    shutil.copy(tree + '/arch/x86/boot/bzImage', f'{into}/boot/vmlinuz-{release}')
    for path in glob.glob(tree + '/modules.*'):
        shutil.copy(path, f'{into}/lib/modules/{release}')
    if kind == 'owner':     # its types
        os.makedirs(f'{into}/usr/lib/debug/boot')
        shutil.copy(tree + '/vmlinux', f'{into}/usr/lib/debug/boot/vmlinux-{release}')


def folder(cache, name, kernels):
    """As Kernels.get(): the folder of a kernel, built once."""
    into = os.path.join(cache, 'kernels', name)
    if not os.path.exists(into + '/complete'):
        shutil.rmtree(into, ignore_errors=True)
        build(cache, name, kernels.suite_of(name.removesuffix('-' + kind_of(name))), into)
        with open(into + '/complete', 'w') as f:
            f.write(name + '\n')
    return into


def module(cache, name, source, into, file='vmcensus.ko'):
    """FILE of SOURCE for it, INTO a folder."""
    work = tree_of(cache, name) + '.kmod'
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(source, work)
    make(tree_of(cache, name), 'M=' + work, 'W=1', 'modules')
    shutil.copy(f'{work}/{file}', into)
    shutil.rmtree(work)
