# SPDX-License-Identifier: GPL-3.0-or-later
"""vmcensus.ko for a Debian kernel, built against Debian's headers in a root of its own."""
import glob
import hashlib
import os
import re
import shutil

from .packages import LabError, NotThere, mirror, run, version_key
from .targets import target_of

SUITE = 'trixie'        # its compiler builds for all; its libc runs the newest kernels' kbuild
PACKAGES = 'gcc,gcc-12,make,libelf1t64,perl,python3,pahole'
OLD = (6, 2)            # kernels before it are built with gcc-12


def sum_of(folder):
    """Of the content of all files in FOLDER."""
    text = hashlib.sha256()
    for path in sorted(glob.glob(folder + '/*')):
        with open(path, 'rb') as f:
            text.update(os.path.basename(path).encode() + b'\0' + f.read())
    return text.hexdigest()[:24]


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

    def _cross_compiler(self, compiler, triplet):
        """Nothing in that root conflicts with it: it is installed."""
        if not os.path.exists(f'{self.dir}/usr/bin/{triplet}-{compiler}'):
            print(f'vmtest: installing {triplet}-{compiler} in that root', flush=True)
            env = dict(os.environ, DEBIAN_FRONTEND='noninteractive')
            run('chroot', self.dir, 'apt-get', 'install', '-y', '--no-install-recommends',
                f'{compiler}-{triplet}', env=env, timeout=1800)

    def _headers(self, name, release):
        """The headers; with them, of another machine's kernel, kbuild's programs for this host."""
        if os.path.exists(f'{self.dir}/usr/src/linux-headers-{release}'):
            return
        suite = self.kernels.suite_of(name)
        package = 'linux-headers-' + release
        if not run('apt-cache', 'search', '--names-only', f'^{re.escape(package)}$', env=suite.env):
            raise NotThere(f'{suite.name} has no {package}, and modules need it')
        depends = run('apt-cache', 'depends', package, env=suite.env)
        common = re.findall(r'Depends: (linux-headers-\S+)', depends)
        kbuild = re.findall(r'Depends: (linux-kbuild-\S+)', depends)
        suite.unpack([package] + common, self.dir)
        self.kernels.suite(suite.name).unpack(kbuild, self.dir)

    def module(self, name, release, source, into, warnings=False, file='vmcensus.ko'):
        """Build SOURCE for kernel NAME, whose uname -r is RELEASE; put FILE INTO a folder.

        One that was built of the same sources before is taken, unless WARNINGS are looked for.
        """
        kept = f'{self.dir}.modules/{release}-{sum_of(source)}-{file}'
        if not warnings and os.path.exists(kept):
            shutil.copy(kept, os.path.join(into, file))
            return
        self._headers(name, release)
        work = f'kmod-{release}-{os.getpid()}'
        shutil.rmtree(f'{self.dir}/{work}', ignore_errors=True)
        shutil.copytree(source, f'{self.dir}/{work}')
        compiler = 'gcc-12' if version_key(name)[:2] < OLD else 'gcc'
        triplet, machine = target_of(name).triplet, []
        if triplet:
            self._cross_compiler(compiler, triplet)
            compiler = f'{triplet}-{compiler}'
            machine = [f'ARCH={target_of(name).kernel_arch}', f'CROSS_COMPILE={triplet}-']
        # objtool asks /proc; mounted in a namespace of its own, it goes with the last process
        said = run('unshare', '--mount', 'sh', '-c',
                   'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', self.dir,
                   'make', '-s', '-C', f'/usr/src/linux-headers-{release}', f'M=/{work}',
                   f'CC={compiler}', 'W=1', *machine, 'modules')
        # Another compiler than the kernel's knows not all that its headers ask for.
        bad = [line for line in said.splitlines() if re.search(r'\b(warning|error):', line)
               and not re.search(r'the compiler differs|pahole version differs|^/usr/src/', line)]
        if warnings and bad:
            raise LabError('\n'.join(bad))
        run('chroot', self.dir, f'{triplet}-strip' if triplet else 'strip', '--strip-debug',
            f'/{work}/{file}')
        shutil.copy(f'{self.dir}/{work}/{file}', into)
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        shutil.copy(f'{self.dir}/{work}/{file}', f'{kept}.{os.getpid()}')
        os.rename(f'{kept}.{os.getpid()}', kept)
        shutil.rmtree(f'{self.dir}/{work}')
