# SPDX-License-Identifier: GPL-3.0-or-later
"""32-bit PowerPC: Debian has no such kernels, so they are built here of its kernel source.

ppc32/NAME.config over ppc32/common.config says what is in a kernel.  The guest's process 1 is
guest/recorder.c, a static program, for there is no userland either but the cross compiler's libc.
"""
import os
import re
import shutil
import struct
from dataclasses import dataclass

from exact.census import WITHOUT_HOGS, compare_census
from lib.compare import compare_all
from lib.program import AtOnce, Opened, Vmcensus
from .cross import CrossTools
from .live import compare_module
from .machine import HERE, ZOO, Machine, empty_file
from .packages import Suite, install_host_tools, kernel_source, run
from .shrink import KERNEL, USER

TRIPLET = 'powerpc-linux-gnu'
MEMORY = 256            # MiB, usually
TRUTH_MB, SWAP_MB, ROOT_MB = 64, 64, 24

HOST_TOOLS = {      # command or file -> Debian package
    'qemu-system-ppc': 'qemu-system-ppc',
    'bc': 'bc',
    'bison': 'bison',
    'flex': 'flex',
    'make': 'make',
    'mke2fs': 'e2fsprogs',
    'mkimage': 'u-boot-tools',
    'pahole': 'pahole',
    '/usr/include/libelf.h': 'libelf-dev',
    '/usr/include/zlib.h': 'zlib1g-dev',
}


@dataclass(frozen=True)
class Board:
    qemu: tuple             # its command up to -cpu
    cpu: str
    console: str
    image: str              # what QEMU loads, below the kernel's build folder
    defconfig: str = ''     # below arch/powerpc/configs
    types: bool = False     # does the kernel have BTF?
    patience: int = 3       # this and what follows as of targets.Target
    native: bool = False


BOARDS = {
    'e500': Board(('-M', 'ppce500'), 'e500v2', 'ttyS0,115200', 'vmlinux'),
    '44x': Board(('-M', 'bamboo'), '440epb', 'ttyS0,115200', 'arch/powerpc/boot/uImage',
                 '44x/bamboo_defconfig', True),
    '6xx': Board(('-M', 'mac99', '-vga', 'none'), 'g4', 'ttyPZ0', 'vmlinux'),
}
SUITES = {'6.1': 'bookworm', '6.12': 'trixie'}     # that have the source
KERNELS = [f'{version}-{name}' for version in SUITES for name in BOARDS]
USUAL = ['6.1-e500']     # unless others are asked for


class Builder:
    """The kernel NAME, of KERNELS, and its modules, built in CACHE/ppc32 and kept there."""

    def __init__(self, cache, name):
        self.name = name
        self.version, _, self.config = name.partition('-')
        self.board = BOARDS[self.config]
        self.dir = os.path.join(os.path.abspath(cache), 'ppc32')
        self.cache = cache
        install_host_tools(HOST_TOOLS)
        self.tools = CrossTools(cache, TRIPLET, 'powerpc')
        self.env = dict(self.tools.env, ARCH='powerpc', CROSS_COMPILE=self.tools.prefix,
                        KBUILD_BUILD_USER='vmtest', KBUILD_BUILD_HOST='ppc32',
                        KBUILD_BUILD_TIMESTAMP='2026-11-20')

    def _source(self):
        return kernel_source(self.cache, self.version, Suite(SUITES[self.version], self.cache))

    def _make(self, *words):
        return run('nice', 'make', '-s', '-C', self._source(), f'O={self._build()}',
                   f'CC={self.tools.gcc}', *words, env=self.env)

    def _build(self):
        return f'{self.dir}/build-{self.name}'

    def kernel(self):
        """The folder of the built kernel."""
        build, source = self._build(), self._source()
        if os.path.exists(build + '/complete'):
            return build
        print(f'vmtest: building kernel {self.name}, which takes minutes', flush=True)
        os.makedirs(build, exist_ok=True)
        base = self.board.defconfig
        run(source + '/scripts/kconfig/merge_config.sh', '-m', '-O', build,
            f'{source}/arch/powerpc/configs/{base}' if base else '/dev/null',
            HERE + '/ppc32/common.config', f'{HERE}/ppc32/{self.config}.config', env=self.env,
            cwd=build)
        self._make('olddefconfig')
        self._make(f'-j{os.cpu_count()}', 'vmlinux', 'modules')
        image = os.path.basename(self.board.image)
        if image != 'vmlinux':
            self._make(image)
        with open(build + '/complete', 'w'):
            pass
        return build

    def module(self, source, into):
        """Build SOURCE, vmcensus.ko's, into the folder INTO; what the compiler warned of."""
        work = f'{self.dir}/kmod-{self.name}'
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(source, work, ignore=shutil.ignore_patterns('*.o', '*.ko', '*.cmd'))
        said = self._make(f'M={work}', 'W=1', 'modules')
        run(self.tools.prefix + 'strip', '--strip-debug', '-o', into + '/vmcensus.ko',
            work + '/vmcensus.ko', env=self.env)
        shutil.rmtree(work)
        return [line for line in said.splitlines() if re.search(r'\b(warning|error):', line, re.I)]

    def program(self, out, *words):
        run(self.tools.gcc, '-O1', '-std=gnu11', '-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-Wall',
            '-o', out, *words, env=self.env)


class Kernel:
    """A kernel that was built here."""

    def __init__(self, folder, board):
        self.release = open(folder + '/include/config/kernel.release').read().strip()
        self.image = f'{folder}/{board.image}'
        self.map = folder + '/System.map'
        # With debug information, of kernels without BTF.
        self.vmlinux = None if board.types else folder + '/vmlinux'

    def symbol(self, name):
        """Its address in the linear map; 0: there is none."""
        with open(self.map) as f:
            found = re.search(rf'^([0-9a-f]+) \w {name}$', f.read(), re.M)
        return int(found[1], 16) if found else 0


class Ppc32Machine(Machine):
    """One run of one guest.  OUT has vmcore, vmcore.kdump-zlib and vmcore.raw besides."""

    def __init__(self, name, plan, cache, kmod):
        """NAME is of KERNELS, KMOD the folder of the module's source; PLAN names neither."""
        self.plan, self.cache, self.kmod = plan, cache, kmod
        self.builder = Builder(cache, name)
        self.board = self.target = self.builder.board
        plan.kernel = self.builder.kernel()
        plan.processors, plan.cpu = 1, self.board.cpu      # ppce500 starts no second one
        self.kernel = Kernel(plan.kernel, self.board)
        self.out = os.path.abspath(plan.out)
        self.log = self.out + '/console.log'
        self.process = None
        self.warnings = []

    def _root(self):
        """A file system of the zoo, the recorder, the module and the C library."""
        tree, image = self._path('root'), self._path('root.raw')
        shutil.rmtree(tree, ignore_errors=True)
        for folder in ('lab/live', 'lib', 'usr', 'etc', 'dev', 'proc', 'sys', 'run', 'tmp', 'var'):
            os.makedirs(f'{tree}/{folder}')
        library = f'{self.builder.tools.dir}/usr/{TRIPLET}/lib/'
        for name in ('ld.so.1', 'libc.so.6', 'libgcc_s.so.1'):
            shutil.copy(library + name, tree + '/lib')
        os.symlink('.', f'{tree}/lib/{TRIPLET}')
        os.symlink('../lib', tree + '/usr/lib')
        shutil.copy('/etc/services', tree + '/etc')
        self.builder.program(tree + '/lab/init', '-static', HERE + '/guest/recorder.c')
        self.builder.program(tree + '/lab/zoo', '-pthread', *(
            f'{HERE}/zoo/{name}.c' for name in ZOO))
        self.warnings = self.builder.module(self.kmod, tree + '/lab/live')
        run('mke2fs', '-q', '-F', '-t', 'ext2', '-b', '4096', '-d', tree, image, f'{ROOT_MB}M')
        shutil.rmtree(tree)
        return image

    def _command(self):
        append = (f'console={self.board.console} panic=0 root=/dev/vda rw init=/lab/init '
                  f'{self.plan.append}')
        command = ['qemu-system-ppc', *self.board.qemu, '-cpu', self.board.cpu,
                   '-m', str(self.plan.memory), '-net', 'none', '-no-reboot', '-display', 'none',
                   '-monitor', 'none', '-serial', 'file:' + self.log,
                   '-qmp', f'unix:{self._path("qmp")},server=on,wait=off',
                   '-kernel', self.kernel.image, '-append', append.strip()]
        disks = (self._root(), empty_file(self._path('truth.raw'), TRUTH_MB),
                 empty_file(self._path('swap.raw'), SWAP_MB))
        for i, disk in enumerate(disks):
            command += ['-drive', f'file={disk},if=none,id=d{i},format=raw,cache=unsafe,werror=report', '-device',
                        f'virtio-blk-pci,drive=d{i},disable-legacy=off,disable-modern=off']
        return command

    def containers(self):
        """(name, files) of the dump in each container."""
        vmcore = self._path('vmcore')
        return [('elf', [vmcore]), ('kdump-zlib', [vmcore + '.kdump-zlib']),
                ('raw', [vmcore + '.raw@0'])]


def cut(machine, truth, out):
    """For a fixture: copy the dump to OUT less what a reader of it does not look at.

    That is the kernel's code, and frames that are file pages, anonymous or of hugetlbfs.  Each run
    of the other frames is a LOAD.
    """
    page, linear = 4096, 0xc0000000
    flags = memoryview(truth.read('kpageflags')).cast('Q')
    without = {pfn for pfn, f in enumerate(flags) if f & USER and not f & KERNEL}
    start, end = (machine.kernel.symbol(name) - linear for name in ('_stext', '_etext'))
    without.update(range(-(-start // page), end // page))
    with open(machine.out + '/vmcore', 'rb') as f:
        data = f.read()
    headers, bodies = [], []
    for kind, offset, _, physical, size, *rest in segments(data):
        if kind != PT_LOAD:
            headers.append([kind, 0, size, *rest])
            bodies.append(data[offset:offset + size])
            continue
        first = None
        for at in range(0, size + page, page):
            if first is not None and (at >= size or (physical + at) // page in without):
                headers.append([kind, physical + first, at - first, *rest])
                bodies.append(data[offset + first:offset + at])
                first = None
            elif first is None and at < size and (physical + at) // page not in without:
                first = at
    write_elf(data[:52], headers, bodies, out)


PT_LOAD = 1


def segments(data):
    """The program headers of a big-endian ELF32 file, each as its 8 numbers."""
    phoff, = struct.unpack_from('>I', data, 28)
    count, = struct.unpack_from('>H', data, 44)
    return [struct.unpack_from('>8I', data, phoff + 32 * i) for i in range(count)]


def write_elf(head, headers, bodies, out):
    """HEADERS: kind, physical address, size, memory size, flags and alignment of each of BODIES."""
    head, at = bytearray(head), 52 + 32 * len(headers)
    struct.pack_into('>II', head, 28, 52, 0)                            # e_phoff, e_shoff
    struct.pack_into('>6H', head, 40, 52, 32, len(headers), 0, 0, 0)    # e_ehsize and on
    with open(out, 'wb') as f:
        f.write(head)
        for kind, physical, size, _, flags, align in headers:
            f.write(struct.pack('>8I', kind, at, 0, physical, size, size, flags, align))
            at += size
        f.writelines(bodies)


def compare_ppc32(tally, name, program, types, machine, truth):
    """All comparisons, of the dump in each container, and of what the module wrote."""
    for container, image in machine.containers():
        compare_all(tally, f'{name} {container}', AtOnce(Vmcensus(program, image, types)), truth)
        compare_census(tally, f'{name} {container}', Opened(program, image, types), truth, WITHOUT_HOGS)
    tally.check(f'{name} module builds without warnings', machine.warnings)
    compare_module(tally, name, program, truth)
