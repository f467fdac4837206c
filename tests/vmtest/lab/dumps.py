# SPDX-License-Identifier: GPL-3.0-or-later
"""The containers a dump can come in, made from QEMU's ELF file."""
import os
import struct
import subprocess
import sys

from .packages import LabError, run

RECOMPRESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../tools/recompress.py')


def mend_elf(path):
    """Put the program headers right after the ELF header, as makedumpfile needs them.

    QEMU 7.2 writes the section headers first and an e_ehsize of 8; later versions are fine.
    """
    with open(path, 'r+b') as f:
        head = bytearray(f.read(4096))
        phoff, = struct.unpack_from('<Q', head, 32)
        count, = struct.unpack_from('<H', head, 56)
        if phoff == 64:
            return
        f.seek(phoff)
        segments = f.read(56 * count)
        first = min(struct.unpack_from('<Q', segments, 56 * i + 8)[0] for i in range(count))
        if 64 + len(segments) > first:
            raise LabError(f'{path}: no room to move {count} program headers')
        struct.pack_into('<QQ', head, 32, 64, 0)        # e_phoff, e_shoff
        struct.pack_into('<H', head, 52, 64)            # e_ehsize
        struct.pack_into('<HHH', head, 58, 0, 0, 0)     # no sections
        f.seek(0)
        f.write(head[:64] + segments)


class Containers:
    """make(NAME) gives the files of that container: one, or several for a split dump."""

    # None: not only by makedumpfile
    FLAGS = {'zlib': ['-c'], 'lzo': ['-l'], 'zstd': ['-z'], 'raw': [], 'elf-filtered': ['-E'],
             'snappy': None, 'flattened': None, 'split': None}

    def __init__(self, makedumpfile, vmcore, level=31, page_flags=('-c',)):
        """PAGE_FLAGS: how pages are compressed where the container leaves the choice."""
        self.tool, self.vmcore = makedumpfile, vmcore
        self.level, self.page_flags = ['-d', str(level)], list(page_flags)

    def missing(self, name):
        """Why NAME cannot be made, or None."""
        if name in ('lzo', 'zstd') and not self.tool.knows(name):
            return f'this makedumpfile was built without {name}'
        return None

    def make(self, name):
        out = f'{self.vmcore}.{name}'
        if os.path.exists(out):
            return [out]
        if name == 'snappy':
            run(sys.executable, RECOMPRESS, 'snappy', *self.make('zlib'), out)
        elif name == 'flattened':
            with open(out, 'wb') as f:
                self._flatten(f)
        elif name == 'split':
            return self._split(out)
        else:
            self.tool(*self.level, *self.FLAGS[name], self.vmcore, out)
        return [out]

    def _flatten(self, out):
        done = subprocess.run([*self.tool.command, '-F', *self.page_flags, *self.level, self.vmcore], stdout=out,
                              stderr=subprocess.PIPE, timeout=600)
        if done.returncode:
            raise LabError(f'makedumpfile -F: {done.stderr[-500:]!r}')

    def _split(self, out):
        # A block of the default size, 1 GiB, would put all of a small guest in one part.
        parts = [f'{out}{i}' for i in (1, 2, 3)]
        if not os.path.exists(parts[0]):
            self.tool('--split', '--splitblock-size', '16', *self.page_flags, *self.level,
                      self.vmcore, *parts)
        return parts
