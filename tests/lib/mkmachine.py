# SPDX-License-Identifier: GPL-3.0-or-later
"""Dumps of synthetic machines of any size (tests/bench/mkmachine.c)."""
import os
import subprocess

BENCH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'bench')
# Linked where Linux lies; drgn and vmcensus read sizes and offsets from its DWARF.
KERNEL_FLAGS = ['-g', '-O0', '-ffreestanding', '-fno-pic', '-fno-pie', '-mcmodel=kernel',
                '-fno-stack-protector', '-fno-asynchronous-unwind-tables',
                '-fno-eliminate-unused-debug-types', '-nostdlib', '-static', '-no-pie',
                '-Wl,-Ttext-segment=0xffffffff81000000', '-Wl,--build-id=sha1',
                '-Wl,-e,start_kernel', '-Wl,-z,max-page-size=4096']


def mkmachine(build, cc, folder, sizes):
    """(dump, vmlinux, words that the maker printed): a machine of SIZES {name: number} in FOLDER."""
    vmlinux, dump = os.path.join(folder, 'vmlinux'), os.path.join(folder, 'dump')
    subprocess.run([cc, *KERNEL_FLAGS, '-o', vmlinux, os.path.join(BENCH, 'kernel', 'kernel.c')], check=True)
    made = subprocess.run([os.path.join(build, 'bench', 'mkmachine'), vmlinux, dump, *(f'{k}={v}' for k, v in sizes.items())],
                          check=True, text=True, stdout=subprocess.PIPE)
    return dump, vmlinux, made.stdout.split()
