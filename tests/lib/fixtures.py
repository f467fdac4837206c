# SPDX-License-Identifier: GPL-3.0-or-later
"""The small real dumps of tests/fixtures/, unpacked, with what their kernel said.

usage: tests/lib/fixtures.py FOLDER BUILD      unpacks a fixture, and prints the dump's files

A fixture is a folder: the dump (vmcore..., more than one file for a split one), or
vmcore....xz; truth.tar.xz; RECIPE or README; "layout" where the kernel has no BTF.
vmcore.FORMAT.on-OTHER.zst has what this dump does not share with that of the fixture OTHER.
The dump's parts are unpacked below the build directory once, and again when the
packed file is newer.
"""
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import threading

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from lib.kdump import MACHINE_OFFSET  # noqa: E402

RECOMPRESS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'tools',
                          'recompress.py')
XZ = '--lzma2=preset=9e,lc=0,lp=3,pb=3'        # most of a dump are words of 8 bytes
PATCH = ('--long=31', '--patch-from')
COMPRESSIONS = ('zlib', 'lzo', 'snappy', 'zstd')
packing, unpacking = threading.Lock(), threading.RLock()


class Fixture:
    def __init__(self, folder, unpacked):
        self.folder, self.name = folder, os.path.basename(folder)
        self.unpacked = os.path.join(unpacked, self.name)

    def image(self):
        """The dump's files, ready to open."""
        files = sorted(f for f in os.listdir(self.folder) if f.startswith('vmcore'))
        return [self.ready(f) for f in files]

    def types(self):
        """What -t needs for this dump, or None."""
        path = os.path.join(self.folder, 'layout')
        return path if os.path.exists(path) else None

    def ready(self, name):
        source = os.path.join(self.folder, name)
        if not name.endswith(('.xz', '.zst')):
            return source
        name, _, base = name.rpartition('.')[0].partition('.on-')
        target = os.path.join(self.unpacked, name)
        with unpacking:         # more than one job asks
            if not fresh(target, source):
                os.makedirs(self.unpacked, exist_ok=True)
                if base:
                    self.patch(base, source, target + '.part')
                else:
                    with lzma.open(source) as packed, open(target + '.part', 'wb') as out:
                        shutil.copyfileobj(packed, out, 1 << 20)
                os.rename(target + '.part', target)
        return target

    def patch(self, base, source, target):
        other, = Fixture(os.path.join(os.path.dirname(self.folder), base),
                         os.path.dirname(self.unpacked)).image()
        subprocess.run(['zstd', '-dqf', *PATCH, other, source, '-o', target], check=True)

    def repacked(self, compression):
        """The kdump of one file with each page packed; OSError says why it cannot be."""
        source, = self.image()
        target = os.path.join(self.unpacked, 'vmcore.' + compression)
        with packing:           # more than one suite asks
            if not fresh(target, source):
                done = subprocess.run([sys.executable, RECOMPRESS, compression, source,
                                       target + '.part'], stderr=subprocess.PIPE, check=False)
                if done.returncode:
                    raise OSError(done.stderr.decode().strip().rpartition('\n')[2])
                os.rename(target + '.part', target)
        return target

    def truth(self):
        """Folder of the kernel's own files (the truth); '' if the fixture has none."""
        if os.path.isdir(os.path.join(self.folder, 'truth')):
            return os.path.join(self.folder, 'truth')
        source = os.path.join(self.folder, 'truth.tar.xz')
        target = os.path.join(self.unpacked, 'truth')
        if not os.path.exists(source):
            return ''
        if not fresh(target, source):
            shutil.rmtree(target, ignore_errors=True)
            os.makedirs(target)
            with tarfile.open(source) as packed:
                packed.extractall(target)
            os.utime(target)
        inner = os.listdir(target)
        return os.path.join(target, inner[0]) if inner == ['truth'] else target


def pack(path, base=None):
    """Pack the dump PATH as it is kept, alone or on a Fixture BASE; the new file's name."""
    packed = f'{path}.on-{base.name}.zst' if base else path + '.xz'
    if base:
        other, = base.image()
        command = ['zstd', '-qf', '--ultra', '-22', *PATCH, other, path, '-o', packed]
    else:
        command = ['xz', XZ, '-f', path]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL if base else None)
    return packed


def fresh(target, source):
    return os.path.exists(target) and os.path.getmtime(target) >= os.path.getmtime(source)


def find(root, unpacked):
    return [Fixture(os.path.join(root, n), unpacked) for n in sorted(dir_of(root))
            if any(f.startswith('vmcore') for f in dir_of(os.path.join(root, n)))]


def unlike(fixtures):
    """The first of FIXTURES of each container, word size and byte order. What knows nothing of kernels
    is tried on these."""
    found = {}
    for f in fixtures:
        with open(f.image()[0], 'rb') as image:
            head = image.read(MACHINE_OFFSET + 65)
        machine = head[MACHINE_OFFSET:].split(b'\0')[0] if head.startswith(b'KDUMP') else b''
        found.setdefault((head[:8], machine, len(f.image()) > 1), f)
    return list(found.values())


def dir_of(path):
    return os.listdir(path) if os.path.isdir(path) else []


if __name__ == '__main__':
    print('\n'.join(Fixture(os.path.normpath(sys.argv[1]), os.path.join(sys.argv[2], 'fixtures')).image()))
