# SPDX-License-Identifier: GPL-3.0-or-later
"""vmcensus.ko for a Debian kernel, built against Debian's headers in a root of its own."""
import os
import re
import shutil

from .packages import LabError, mirror, run

SUITE = 'trixie'        # its compiler builds for all; its libc runs the newest kernels' kbuild
PACKAGES = 'gcc,gcc-12,make,libelf1t64,perl,python3,pahole'
OLD = (6, 2)            # kernels before it are built with gcc-12


class BuildRoot:
    def __init__(self, cache, kernels):
        self.kernels = kernels
        self.dir = os.path.join(os.path.abspath(cache), 'buildroot')
        if os.path.exists(self.dir + '/usr/bin/pahole'):
            return
        print(f'vmtest: making a {SUITE} root to build modules in', flush=True)
        shutil.rmtree(self.dir, ignore_errors=True)
        run('debootstrap', '--variant=minbase', '--include=' + PACKAGES, SUITE, self.dir,
            mirror(SUITE), timeout=1800)

    def _headers(self, name, release):
        if os.path.exists(f'{self.dir}/usr/src/linux-headers-{release}'):
            return
        suite = self.kernels.suite_of(name)
        package = 'linux-headers-' + release
        depends = run('apt-cache', 'depends', package, env=suite.env)
        more = re.findall(r'Depends: (linux-(?:headers|kbuild)-\S+)', depends)
        suite.unpack([package] + more, self.dir)

    def module(self, name, release, source, into, warnings=False):
        """Build SOURCE for kernel NAME, whose uname -r is RELEASE; put vmcensus.ko INTO a folder."""
        self._headers(name, release)
        work = f'kmod-{release}'
        shutil.rmtree(f'{self.dir}/{work}', ignore_errors=True)
        shutil.copytree(source, f'{self.dir}/{work}')
        if not os.path.exists(self.dir + '/proc/self'):        # objtool asks it
            run('mount', '-t', 'proc', 'proc', self.dir + '/proc')
        compiler = 'gcc-12' if tuple(map(int, name.split('.'))) < OLD else 'gcc'
        try:
            said = run('chroot', self.dir, 'make', '-s', '-C', f'/usr/src/linux-headers-{release}',
                       f'M=/{work}', f'CC={compiler}', 'W=1', 'modules')
        finally:
            run('umount', self.dir + '/proc')
        # Another compiler than the kernel's knows not all that its headers ask for.
        bad = [line for line in said.splitlines() if re.search(r'\b(warning|error):', line)
               and not re.search(r'the compiler differs|pahole version differs|^/usr/src/', line)]
        if warnings and bad:
            raise LabError('\n'.join(bad))
        run('strip', '--strip-debug', f'{self.dir}/{work}/vmcensus.ko')
        shutil.copy(f'{self.dir}/{work}/vmcensus.ko', into)
        shutil.rmtree(f'{self.dir}/{work}')
