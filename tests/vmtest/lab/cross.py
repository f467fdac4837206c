# SPDX-License-Identifier: GPL-3.0-or-later
"""A cross compiler of Debian's, unpacked privately: installed, it would conflict with gcc-multilib."""
import glob
import os
import re
import shutil

from .packages import Suite

SUITE = 'bookworm'      # the guests' C library must be no older than the compiler's
PACKAGES = ('gcc-12-{t}', 'gcc-12-{t}-base', 'cpp-12-{t}', 'binutils-{t}', 'libgcc-12-dev-{a}-cross',
            'libgcc-s1-{a}-cross', 'libc6-dev-{a}-cross', 'libc6-{a}-cross',
            'linux-libc-dev-{a}-cross')


def compiler_of(target, cache):
    """(Words, environment) of what compiles programs for guests of TARGET; None: this process's."""
    tools = CrossTools(cache, target.triplet, target.arch) if target.triplet else None
    return [tools.gcc if tools else 'gcc', '-O1', '-std=gnu11', '-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-Wall',
            *target.flags], tools.env if tools else None


class CrossTools:
    def __init__(self, cache, triplet, arch):
        """TRIPLET as GNU calls the machine ("powerpc64le-linux-gnu"), ARCH as Debian does."""
        self.dir = os.path.join(os.path.abspath(cache), 'cross', triplet)
        self.prefix = f'{self.dir}/usr/bin/{triplet}-'
        self.gcc = self.prefix + 'gcc-12'
        # The assembler's own libraries are among what was unpacked.
        self.env = dict(os.environ, LD_LIBRARY_PATH=self.dir + '/usr/lib/x86_64-linux-gnu')
        if os.path.exists(self.dir + '/complete'):
            return
        print(f'vmtest: fetching the compiler {triplet}-gcc of {SUITE}', flush=True)
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(self.dir)
        Suite(SUITE, cache).unpack([p.format(t=triplet, a=arch) for p in PACKAGES], self.dir)
        self._relocate(f'{self.dir}/usr/{triplet}/lib', f'/usr/{triplet}/lib')
        with open(self.dir + '/complete', 'w'):
            pass

    @staticmethod
    def _relocate(folder, installed):
        """What the linker finds instead of a library may be a text that names others."""
        for path in glob.glob(folder + '/*.so'):
            with open(path, 'rb') as f:
                data = f.read()
            if not data.startswith(b'\x7fELF') and not os.path.islink(path):
                data = re.sub(installed.encode() + rb'(?:64)?/', folder.encode() + b'/', data)
                with open(path, 'wb') as f:
                    f.write(data)
