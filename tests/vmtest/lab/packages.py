# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes from Debian: tools for this host, kernels of other releases, a newer makedumpfile."""
import functools
import glob
import os
import re
import shutil
import subprocess
import threading

from .targets import target_of

KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

# Where kernels are looked for.  Each gets an apt state of its own, so that this
# host's package lists and pins stay as they are.
SUITES = {
    'bullseye': ['bullseye', 'bullseye-security'],
    'bookworm': ['bookworm', 'bookworm-security'],
    'bookworm-backports': ['bookworm-backports'],
    'trixie': ['trixie', 'trixie-security'],
    'trixie-backports': ['trixie-backports'],
    'sid': ['sid'],
}

HOST_TOOLS = {      # command or file -> Debian package
    'qemu-system-x86_64': 'qemu-system-x86',
    'qemu-system-ppc64': 'qemu-system-ppc',
    'qemu-system-aarch64': 'qemu-system-arm',
    'qemu-system-riscv64': 'qemu-system-misc',
    '/usr/share/qemu/opensbi-riscv64-generic-fw_dynamic.bin': 'opensbi',
    'qemu-img': 'qemu-utils',
    'debootstrap': 'debootstrap',
    'mkfs.ext4': 'e2fsprogs',
    'debugfs': 'e2fsprogs',
    'busybox': 'busybox-static',
    'cpio': 'cpio',
    'depmod': 'kmod',
    'zstd': 'zstd',
    'xz': 'xz-utils',
    'makedumpfile': 'makedumpfile',
    'numastat': 'numactl',
    'slabtop': 'procps',
    'gcc': 'gcc',
    '/usr/lib32/crti.o': 'gcc-multilib',
    '/usr/include/stdio.h': 'libc6-dev',
    KEYRING: 'debian-archive-keyring',
    '/usr/lib/x86_64-linux-gnu/libsnappy.so.1': 'libsnappy1v5',
}

# Kernel packages.  From 7.2 on the image is split into binary and modules.
KERNEL = re.compile(r'linux-(image|binary|binary-unsigned)-'
                    r'(\d+\.\d+\.\d+(?:-\d+|\+deb[\d.]+)?)-(amd64|686|686-pae|powerpc64le|powerpc64le-64k|arm64|arm64-16k|riscv64)')

# Releases that have kernels of another CPU (only the archive proper).
OTHER_SUITES = {'i386': ['bookworm'], 'ppc64el': ['bookworm', 'bookworm-backports', 'trixie', 'sid'],
                'arm64': ['bookworm', 'trixie', 'trixie-backports', 'sid'],
                'riscv64': ['trixie', 'trixie-backports', 'sid']}

# "image" is empty where there is "binary"; an unsigned build will do where no other is.
PREFERENCE = {'image': 0, 'binary-unsigned': 1, 'binary': 2}


# Held while things are fetched or built that all runs share.
PREPARING = threading.RLock()


class LabError(Exception):
    """The lab itself cannot go on: nothing is said about vmcensus."""


class NotThere(LabError):
    """Debian does not have any more what a run needs."""


class NotInPool(LabError):
    """The mirror lists a package that it does not have, or not yet."""


def run(*args, **kw):
    """Run a command; its output is shown only when it fails."""
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors='replace', **kw)
    if done.returncode:
        raise LabError(f'{" ".join(map(str, args))}\n{done.stdout[-2000:]}')
    return done.stdout


def have(tool):
    if tool.startswith('/'):
        return os.path.exists(tool)
    # Administrators' commands are not in everyone's path.
    return shutil.which(tool, path=os.environ.get('PATH', '') + ':/usr/sbin:/sbin') is not None


def install_host_tools(tools=None):
    missing = sorted({package for tool, package in (tools or HOST_TOOLS).items() if not have(tool)})
    if not missing:
        return
    print(f'vmtest: installing {" ".join(missing)}', flush=True)
    if os.geteuid():
        raise LabError('not root: please run "apt-get install %s"' % ' '.join(missing))
    env = dict(os.environ, DEBIAN_FRONTEND='noninteractive')
    run('apt-get', 'update', env=env)
    run('apt-get', 'install', '-y', '--no-install-recommends', *missing, env=env)


def mirror(suite):
    """Where this host itself gets Debian from, for that suite."""
    known = run('apt-get', 'indextargets', '--format', '$(REPO_URI)').split()
    security = [u for u in known if u.rstrip('/').endswith('debian-security')]
    main = [u for u in known if u.rstrip('/').endswith('debian')]
    found = security if suite.endswith('-security') else main
    if not found:
        raise LabError('apt on this host names no mirror of Debian for ' + suite)
    return found[0]


class Suite:
    """One Debian release with a private apt state under the cache directory."""

    def __init__(self, name, cache, arch='amd64'):
        self.name, self.arch = name, arch
        folder = name if arch == 'amd64' else f'{name}-{arch}'
        self.dir = os.path.join(os.path.abspath(cache), 'apt', folder)
        self.config = os.path.join(self.dir, 'apt.conf')
        self.env = dict(os.environ, APT_CONFIG=self.config)
        self.fresh = False
        self.lacks = ''         # what the mirror does not give, in apt's words

    def update(self):
        """Fetches the lists of packages. Those of another CPU than amd64 may be out of step with their release for days:
        then this suite has the packages of the lists fetched earlier, or none."""
        if self.fresh:
            return
        for sub in ('lists/partial', 'archives/partial', 'parts'):
            os.makedirs(os.path.join(self.dir, sub), exist_ok=True)
        self._write('status', '')
        self._write('sources.list', ''.join(
            f'deb [arch={self.arch} signed-by={KEYRING}] {mirror(suite)} {suite} main\n'
            for suite in SUITES[self.name]
            # the archive of security updates is not whole for every CPU
            if self.arch == 'amd64' or not suite.endswith('-security')))
        self._write('apt.conf', f'''
Dir::State "{self.dir}";
Dir::State::Lists "{self.dir}/lists";
Dir::State::status "{self.dir}/status";
Dir::Cache "{self.dir}";
Dir::Etc::sourcelist "{self.dir}/sources.list";
Dir::Etc::sourceparts "{self.dir}/parts";
APT::Architecture "{self.arch}";
APT::Architectures {{ "{self.arch}"; }};
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
''')
        try:
            run('apt-get', '-q', 'update', env=self.env, timeout=300)
        except LabError as e:
            if self.arch == 'amd64':
                raise
            self.lacks = next(line for line in str(e).splitlines() + ['apt-get update failed'] if 'ailed' in line)
            print(f'vmtest: lists of {self.name} for {self.arch}: {self.lacks}', flush=True)
        self.fresh = True

    def _write(self, name, text):
        with open(os.path.join(self.dir, name), 'w') as f:
            f.write(text)

    def kernels(self):
        """{(7, 2, 'amd64'): [(version, package)...]}, every kernel package of the release."""
        self.update()
        found = {}
        # "pkgnames" would list names that only other packages mention.
        lines = run('apt-cache', 'search', '--names-only', '^linux-(image|binary)', env=self.env)
        names = (line.split(' ')[0] for line in lines.splitlines())
        for match in filter(None, map(KERNEL.fullmatch, names)):
            number = version_key(match[2])
            found.setdefault((*number[:2], match[3]), []).append((number, match[1], match[2]))
        return found

    def closure(self, packages):
        """These packages and all that they depend on, as for an empty system."""
        self.update()
        plan = run('apt-get', '-q', '-y', '--no-install-recommends', '--simulate', 'install', *packages,
                   env=self.env)
        return re.findall(r'^Inst (\S+)', plan, re.M)

    def unpack(self, packages, into, folder=''):
        """Unpack into INTO; of large packages only FOLDER."""
        self.update()
        debs = into + '.debs'
        shutil.rmtree(debs, ignore_errors=True)
        os.makedirs(debs)
        os.makedirs(into, exist_ok=True)
        try:
            run('apt-get', '-q', 'download', *packages, env=self.env, cwd=debs, timeout=900)
        except LabError as e:
            raise NotInPool(str(e)) if ' 404 ' in str(e) else e
        for deb in glob.glob(debs + '/*.deb'):
            # /bin and its like may be links of a root that is being made
            run('sh', '-c', f'dpkg --fsys-tarfile "{deb}" | '
                f'tar x --keep-directory-symlink -C "{into}" {folder}')
        shutil.rmtree(debs)


def kernel_source(cache, short, suite):
    """Debian's source of kernel SHORT, with all of Debian's patches.  Builds have folders of their own (O=)."""
    package = 'linux-source-' + short
    folder = os.path.join(os.path.abspath(cache), 'source')
    tree = f'{folder}/{package}'
    if not os.path.exists(tree + '.complete'):
        print(f'vmtest: fetching {package}', flush=True)
        shutil.rmtree(tree, ignore_errors=True)
        suite.unpack([package], tree + '.package')
        run('tar', 'xf', f'{tree}.package/usr/src/{package}.tar.xz', '-C', folder)
        shutil.rmtree(tree + '.package')
        with open(tree + '.complete', 'w'):
            pass
    return tree


def version_key(version):
    return tuple(int(n) for n in re.findall(r'\d+', version))


def kernel_packages(kind, version, flavour):
    if kind == 'image':
        return [f'linux-image-{version}-{flavour}']
    return [f'linux-{kind}-{version}-{flavour}', f'linux-modules-{version}-{flavour}']


class Kernels:
    """The kernels, by "6.1", "6.1-686-pae" or the like, unpacked under CACHE/kernels and kept there."""

    FIXED = ['5.10', '6.1', '6.12', '6.1-686', '6.1-686-pae']
    NEWEST = 2
    # Their rules are no other's; of those that Debian still has, the first.
    BETWEEN = (6, 16), (6, 18)
    # Of other machines: slow, hence last.
    FOREIGN = ['6.1-powerpc64le', '6.12-powerpc64le', '6.12-powerpc64le-64k', '6.1-arm64', '6.12-arm64',
               '6.12-arm64-16k', '6.12-riscv64']

    def __init__(self, cache):
        self.cache = cache
        self.suites = [Suite(name, cache) for name in SUITES]
        self.suites += [Suite(name, cache, arch) for arch, names in OTHER_SUITES.items()
                        for name in names]
        self.available = {}

    def _look(self, arch):
        """For each (major, minor, flavour) the packages, newest first, with the release that has them."""
        if arch in self.available:
            return self.available[arch]
        found = {}
        for suite in (s for s in self.suites if s.arch == arch):
            for short, packages in suite.kernels().items():
                found.setdefault(short, []).extend((*package, suite) for package in packages)
        for packages in found.values():
            packages.sort(key=lambda p: (p[0], PREFERENCE[p[1]]), reverse=True)
        self.available[arch] = found
        return found

    def default(self):
        known = self._known()
        between = [k for k in known if self.BETWEEN[0] <= k <= self.BETWEEN[1]][:1]
        power = max(k[:2] for k in self._look('ppc64el') if k[2] == 'powerpc64le')
        names = self.FIXED + ['%d.%d' % short for short in between] + self.newest() + self.FOREIGN
        return list(dict.fromkeys(names + ['%d.%d-powerpc64le' % power]))

    def newest(self):
        """The newest kernels of amd64, the last one last."""
        return ['%d.%d' % short for short in self._known()[-self.NEWEST:]]

    def _known(self):
        return sorted(k[:2] for k in self._look('amd64') if k[2] == 'amd64')

    def _find(self, name):
        number, _, flavour = name.partition('-')
        short = (*(int(n) for n in number.split('.')), flavour or 'amd64')
        found = self._look(target_of(short[2]).arch)
        if short not in found:
            arch = target_of(short[2]).arch
            for suite in (s for s in self.suites if s.arch == arch and s.lacks):
                raise NotThere(f'the mirror does not give the packages of {suite.name} for {arch}: {suite.lacks}')
            raise LabError(f'no Debian release that is looked at has a kernel {name}')
        if not found[short]:
            raise NotThere(f'the mirror lists packages of {name} and has none')
        return short, *found[short][0][1:]

    def suite(self, name):
        """The release NAME as this host would use it."""
        suite = next(s for s in self.suites if s.name == name)
        suite.update()
        return suite

    def suite_of(self, name):
        """The release of Debian that the kernel is of."""
        return self._find(name)[-1]

    def get(self, name):
        """The folder of an unpacked kernel."""
        into = os.path.join(self.cache, 'kernels', name)
        if os.path.exists(into + '/complete'):
            return into
        while True:
            short, kind, version, suite = self._find(name)
            print(f'vmtest: fetching kernel {version} of {suite.name}', flush=True)
            shutil.rmtree(into, ignore_errors=True)
            os.makedirs(into)
            try:
                suite.unpack(kernel_packages(kind, version, short[2]), into)
                if short[:2] < target_of(short[2]).types_since:
                    suite.unpack([f'linux-image-{version}-{short[2]}-dbg'], into, './usr/lib/debug/boot')
                break
            except NotInPool as e:
                print(f'vmtest: not there, an earlier one is tried: {str(e).splitlines()[0]}', flush=True)
                self._look(target_of(short[2]).arch)[short].pop(0)
        with open(into + '/complete', 'w') as f:
            f.write(version + '\n')
        return into


class Makedumpfile:
    """makedumpfile that knows zstd and recent kernels: this host's, or Debian sid's with its libraries."""

    LIBRARIES = ['libc6', 'libelf1t64', 'libdw1t64', 'liblzo2-2', 'libzstd1', 'zlib1g',
                 'libbz2-1.0', 'liblzma5']
    OLDEST = (1, 7, 6)      # the first to know how 6.12 and later tell free pages

    def __init__(self, cache):
        self.cache = os.path.abspath(cache)

    @functools.cached_property
    def command(self):
        if self._good(run('makedumpfile', '-v')):
            return ['makedumpfile']
        root = self.cache + '/makedumpfile'
        loader = root + '/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2'
        if not os.path.exists(loader):
            Suite('sid', self.cache).unpack(['makedumpfile'] + self.LIBRARIES, root)
        return [loader, '--library-path', os.path.dirname(loader), root + '/usr/bin/makedumpfile']

    def version(self):
        return run(*self.command, '-v')

    def _good(self, text):
        number = re.search(r'version (\d+)\.(\d+)\.(\d+)', text)
        return bool(number) and tuple(map(int, number.groups())) >= self.OLDEST \
            and self.knows('zstd', text)

    def knows(self, compression, text=None):
        # A compression that was not built in is silently left out of the dump: ask first.
        return re.search(rf'^{compression}\s+enabled', text or self.version(), re.M) is not None

    def __call__(self, *args, **kw):
        return run(*self.command, *args, timeout=600, **kw)
